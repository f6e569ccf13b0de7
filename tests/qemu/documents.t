#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# scripts/conformance and machines must write what the boots printed, all of it, and refuse folders that are not enough: the
# folders are written here, and what must come of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(new_tree write_file script);
use Test::More;

my $top = new_tree('conformance', 'machines');

# Three processors, whose names in their order are not sorted.
write_file("$top/build/dsmodel.so", '');
write_file("$top/build/qemu-system-x86_64", <<'END');
#!/bin/sh
case "$*" in
*dsmodel.so,profile=list) printf '%s\n' 'old           32  the first' 'mid           64  the second' 'new           64  the third' ;;
*dsmodel.so,fault=list) printf '%s\n' 'bts.lost  a record | is lost' 'lbr.stuck  TOS stands still' 'pmi.never  none comes' ;;
esac
END
chmod 0755, "$top/build/qemu-system-x86_64";
write_file("$top/ds/ds_check.inc", 'RULE(ORDER, "order", BREACH, "ends before it begins", "[SDM]")');
write_file("$top/ds/arch_check.inc", 'RULE(BASE, "base", BREACH, "begins nowhere", "[SDM]")');

# Writes the folder of a boot; without a profile the model was not there.
sub boot
{
    my ($name, $profile, @lines) = @_;
    write_file("$top/build/test/$name/serial", join '', map { "$_\r\n" } @lines);
    write_file("$top/build/test/$name/truth", "dsmodel truth 1 profile=$profile\n") if defined $profile;
}

# What a script says of these boots.
sub written
{
    my ($script, @names) = @_;
    my ($status, $out, $err) = script($top, $script, map { "$top/build/test/$_" } @names);
    return ("$status $err", $out);
}

sub begin { return "# begin dstest86 0.1.0 abc $_[0]" }

# ---- docs/conformance.md
my @bts = ('# test bts.one: a branch | of a loop [the manual, "BTS"] architectural', '# test bts.two: two branches [the manual, "BTS"] architectural');
my @lbr = ('# test lbr.tos: TOS | moves [the manual, "LBR"] typical: known | of all');
my @detect = ('# test detect.name: a name [the manual, "CPUID"] architectural');
boot('list', 'new', begin(64), @bts, @lbr, @detect);
boot('list-again', 'new', begin(64), '# test bts.one: another [SDM] typical: no', '# test robust.late: is last [SDM] architectural');
boot('unmodelled', undef, begin(64), @lbr, 'ok 1 lbr.tos', 'ok 2 detect.name');
boot('old', 'old', begin(32), 'ok 1 bts.one', 'ok 2 lbr.tos # SKIP no LBR', 'not ok 3 lbr.other');
boot('mid-32', 'mid', begin(32), 'not ok 1 bts.one', 'ok 2 bts.two # SKIP no DS', 'ok 3 lbr.tos');
boot('mid-64', 'mid', begin(64), 'ok 1 bts.one');
boot('new-32', 'new', begin(32), 'ok 1 bts.one');
boot('new-64', 'new', begin(64), 'ok 1 bts.one', 'ok 2 bts.two', '# ok 3 detect.name');
my @boots = qw(old mid-32 mid-64 new-32 new-64);
write_file("$top/tests/qemu/faults", join '', map { "$_\n" } 'bts.lost new : bts.*', 'bts.lost mid 32 : bts.one lbr.*', 'bts.lost old : bts.one',
    'lbr.stuck mid 32 : lbr.tos', 'check.order new : bts.two', 'pmi.never mid : bts.two panic.no');

my ($ended, $text) = written('conformance', 'list', 'list-again', 'unmodelled', @boots);
is($ended, '0 ', 'boots of all profiles');
is($text, <<'END', '... make the document');
# Conformance: what is claimed, by whom, and what would notice if it were not so

Written by `make conformance` from the kernel's `list`, the logs of `make qemu-test` and tests/qemu/faults, each line of
which `make prove-tests` proves: with that fault in the model at least the tests that are named here notice it. A test that
no fault turned red would prove nothing. Everything here is modelled: no line says anything about silicon.

A claim is architectural, if its source promises it: the manual, on every processor that has the feature. What breaks it is
a failure. Or it is typical, what processors are known to do: what differs is reported, and fails nothing. The tables say why
a claim is no more than typical.

## Counts

| area | | claims | architectural | typical | faults |
|---|---|---|---|---|---|
| detect | what the processor says of itself | 1 | 1 | - | - |
| bts | branch trace store | 2 | 2 | - | 1 |
| lbr | last branch records | 1 | 0 | 1 | 1 |
| robust | what must not bring the kernel down | 1 | 1 | - | - |
| all | | 5 | 4 | 1 | 5 |

## detect.*: what the processor says of itself

| test | claim | source | level | runs on | must notice |
|---|---|---|---|---|---|
| `detect.name` | a name | the manual, "CPUID" | architectural | - | - |

## bts.*: branch trace store

| test | claim | source | level | runs on | must notice |
|---|---|---|---|---|---|
| `bts.one` | a branch \| of a loop | the manual, "BTS" | architectural | all | `bts.lost` |
| `bts.two` | two branches | the manual, "BTS" | architectural | new | `bts.lost`, `check.order` |

## lbr.*: last branch records

| test | claim | source | level | runs on | must notice |
|---|---|---|---|---|---|
| `lbr.tos` | TOS \| moves | the manual, "LBR" | typical: known \| of all | mid | `bts.lost`, `lbr.stuck` |

## robust.*: what must not bring the kernel down

| test | claim | source | level | runs on | must notice |
|---|---|---|---|---|---|
| `robust.late` | is last | SDM | architectural | - | - |

## The faults

`check.*` are rules that the kernel's own check does not check.

| fault | what is broken | broken on | tests that must notice |
|---|---|---|---|
| `bts.lost` | a record \| is lost | all | `bts.*`, `bts.one`, `lbr.*` |
| `check.base` | the kernel's check accepts what begins nowhere | - | - |
| `check.order` | the kernel's check accepts what ends before it begins | new | `bts.two` |
| `lbr.stuck` | TOS stands still | mid | `lbr.tos` |
| `pmi.never` | none comes | mid | `bts.two`, `panic.no` |
END

# A rule of the check is a fault of the area ds; profiles come in the order of their release.
boot('ds', 'new', begin(64), '# test ds.base: a base [SDM] architectural', 'ok 1 bts.one');
boot('old-ds', 'old', begin(32), 'ok 1 ds.base', 'ok 2 bts.one');
boot('mid-ds', 'mid', begin(64), 'ok 1 ds.base', 'ok 2 bts.one');
($ended, $text) = written('conformance', 'ds', 'mid-ds', 'old-ds', @boots);
like($text, qr/^\| ds \| the DS save area \| 1 \| 1 \| - \| 2 \|\n\| all \| \| 1 \| 1 \| 0 \| 5 \|$/m, "the kernel's rules are counted with the DS area");
like($text, qr/^\| `ds\.base` \| a base \| SDM \| architectural \| old, mid \| - \|$/m, 'profiles by their release');

my $again = "; run make qemu-test first\n";
is((written('conformance', @boots))[0] =~ s/^\d+ //r, "conformance: none of the folders is a boot with the option list$again", 'no list');
is((written('conformance', 'list', @boots[0, 2, 3]))[0] =~ s/^\d+ //r,
    "conformance: none of the folders is a boot of 32-bit mid, 64-bit new$again", 'profiles without a boot are named');
boot('nameless', 'new', begin(64), map { "# test $_: a claim [SDM] architectural" } qw(odd.one odd.two bts.one even.one));
is((written('conformance', 'nameless', @boots))[0] =~ s/^\d+ //r, "conformance: \@areas has no description of odd even\n", 'areas without a description');
isnt((written('conformance', 'nameless', @boots))[0] =~ s/ .*//sr, 0, '... are an error');
is((written('conformance'))[0] =~ s/^\d+ //r, "usage: conformance FOLDER..\n", 'no folder');

# ---- docs/machines.md
# The log of a run of so many tests.
sub run_of
{
    my ($width, $tests, $skipped, @says) = @_;
    return (begin($width), @says, "1..$tests", "# end dstest86 verdict=pass pass=@{[$tests - $skipped]} fail=0 skip=$skipped");
}
my @has = ('# cpu Model family 6 model 94 stepping 3', '# ds 64-bit layout', '# bts records of 24 bytes', '# pebs format 3, precise', '# pebs up to 8 counters, records of 200 bytes',
    '# lbr format 5, 32 entries');
my @lacks = ('# cpu Old family 6 model 9 stepping 3', '# ds none', '# bts none: no DS', '# pebs none: no DS', '# lbr none');
my @adaptive = ('# cpu New family 6 model 143 stepping 3', '# pebs format 4, adaptive', '# pebs adaptive, records of 32 to 800 bytes');
boot('old', 'old', run_of(32, 5, 2, @lacks));
boot('old-fewer', 'old', run_of(32, 4, 0, @has));
boot('old-lied-to', 'old', run_of(32, 5, 3, @has));
boot('old-equal', 'old', run_of(32, 5, 2, @has));
boot('mid-32', 'mid', run_of(32, 5, 3, @lacks));
boot('mid-32-best', 'mid', run_of(32, 5, 2, @has));
boot('mid-64', 'mid', run_of(64, 5, 1, @lacks));
boot('mid-64-best', 'mid', run_of(64, 6, 4, @has));
boot('new-32', 'new', run_of(32, 7, 0, @adaptive));
boot('new-64', 'new', run_of(64, 8, 0, @has));
boot('no-plan', 'new', grep { !/^1\.\./ } run_of(64, 9, 0, @lacks));
boot('no-end', 'new', grep { !/^# end/ } run_of(64, 9, 0, @lacks));
boot('no-begin', 'new', grep { !/^# begin/ } run_of(64, 9, 0, @lacks));
boot('unmodelled', undef, run_of(64, 9, 0, @lacks));
my @all = qw(no-plan no-end no-begin unmodelled old old-fewer old-lied-to old-equal mid-32 mid-32-best mid-64 mid-64-best new-32 new-64);
($ended, $text) = written('machines', @all);
is($ended, '0 ', 'boots of all machines');
is($text, <<'END', '... make the document');
# The modelled processors, and what passes on each

Written by `make machines` from the logs of `make qemu-test`. Everything here is modelled: no line says anything about
silicon. A test is skipped where the processor lacks what it needs; the log says what. The first processors have no long
mode: the 64-bit kernel ends there with one sentence and the verdict error.

| profile | width | processor | DS area | BTS record | PEBS format | PEBS record | LBR entries | passed | skipped | verdict |
|---|---|---|---|---|---|---|---|---|---|---|
| old | 32 | 6 model 9 | none | none | none | none | none | 3 | 2 | pass |
| mid | 32 | 6 model 94 | 64-bit | 24 bytes | 3 | 200 bytes | 32 | 3 | 2 | pass |
| mid | 64 | 6 model 94 | 64-bit | 24 bytes | 3 | 200 bytes | 32 | 2 | 4 | pass |
| new | 32 | 6 model 143 | - | - | 4 | 32 to 800 bytes | - | 7 | 0 | pass |
| new | 64 | 6 model 94 | 64-bit | 24 bytes | 3 | 200 bytes | 32 | 8 | 0 | pass |
END
is((written('machines', qw(old mid-64 new-32)))[0] =~ s/^\d+ //r,
    "machines: none of the folders is a boot of 32-bit mid, 64-bit new$again", 'machines without a boot are named');
is((written('machines'))[0] =~ s/^\d+ //r, "usage: machines FOLDER..\n", 'no folder');
done_testing;
