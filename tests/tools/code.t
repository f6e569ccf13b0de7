#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# dsdump --code: what it prints of a code that is typed here, of parts, of one of another version, of what is no code, and
# each error. Prints TAP. tests/qemu/code.t decodes those of boots.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($build elf run_program);
use Test::More;

my $dsdump = "$build/host/dsdump";
my $folder = tempdir(CLEANUP => 1);
my @digits = (0 .. 9, 'A' .. 'Z', '+', '-', '.', '/', ':');

# The tests' ids, as the strings of the source have them; the list is that of dsdump's own build.
open my $list, '<', "$build/tool/test_list.c" or die "$build/tool/test_list.c: $!\n";
my @ids = do { local $/; <$list> =~ /test_list_64\[\] = \{(.*?)\}/s } or die "no list\n";
@ids = $ids[0] =~ /"([a-z0-9._]+)"/g;

sub crc32c
{
    my ($bytes) = @_;
    my $crc = 0xffffffff;
    for my $byte (unpack 'C*', $bytes) {
        $crc ^= $byte;
        $crc = $crc & 1 ? $crc >> 1 ^ 0x82f63b78 : $crc >> 1 for 1 .. 8;
    }
    return ~$crc & 0xffffffff;
}

sub fingerprint
{
    my $sum = 2166136261;
    $sum = (($sum ^ $_) * 16777619) & 0xffffffff for map { unpack 'C*', "$_\0" } @_;
    return $sum;
}

# A code, by the description in kernel/report/packed.c.
sub code
{
    my (%of) = (format => 1, flags => 3, verdict => 1, facilities => [4, 3, 0], signature => 0x000506e3, microcode => 0xf0,
        version => '9.8.7', revision => 'abcdef', totals => [1, 2, 3, 4, 5], ids => \@ids, first => 0, @_);
    my ($tests, $count) = (scalar @{$of{ids}}, 3 * @{$of{triples} // []});
    my $bytes = pack 'CCCCVVV C/a* C/a* v5 vvv C*', $of{format}, $of{flags}, $of{verdict},
        $of{facilities}[0] + 5 * $of{facilities}[1] + 25 * $of{facilities}[2], $of{signature}, $of{microcode},
        $of{fingerprint} // fingerprint(@{$of{ids}}), $of{version}, $of{revision}, @{$of{totals}}, $tests, $of{first},
        $of{count} // $count, @{$of{triples} // []};
    $bytes .= pack 'V', crc32c($bytes);
    my $text = 'DSTEST86:';
    for my $group (unpack '(a2)*', $bytes) {
        my $value = unpack length $group == 2 ? 'n' : 'C', $group;
        for (1 .. 1 + length $group) {
            $text .= $digits[$value % 41];
            $value = int($value / 41);
        }
    }
    return $text;
}

sub dsdump
{
    my (@arguments) = @_;
    return run_program({ folder => $folder }, $dsdump, '--code', @arguments);
}

# The same with a text on standard input.
sub dsdump_reads
{
    my ($text, @arguments) = @_;
    open my $in, '>', "$folder/in" or die "$!\n";
    print $in $text;
    close $in or die "$!\n";
    return run_program({ folder => $folder }, 'sh', '-c', 'in=$1; shift; exec "$@" <"$in"', 'sh', "$folder/in", $dsdump,
        '--code', @arguments);
}

# Everything, as triples of outcomes: the last ones fill up what is left of the list.
my $least = int((@ids + 2) / 3);
my @all   = (1 * 36 + 2 * 6 + 3, 4 * 36 + 5 * 6 + 0, (0) x ($least - 2));
my $whole = code(triples => \@all, count => scalar @ids);
my @said  = ("# result $ids[0] pass", "# result $ids[1] differs", "# result $ids[2] fail", "# result $ids[3] skip",
    "# result $ids[4] error");
my $machine = "# begin dstest86 9.8.7 abcdef 64\n"
    . "# cpu family 6 model 5e stepping 3 signature 0x000506e3 Skylake\n# cpu under a hypervisor, microcode 0xf0\n";
my $verdict = "# facility bts fail\n# facility pebs pass\n# facility lbr none\n"
    . "# end dstest86 verdict=fail pass=1 fail=3 skip=4 error=5 differs=2\n";

sub without_table
{
    return join '', grep { !/^# area / } split /^/, $_[0];
}

my ($status, $out, $err) = dsdump($whole);
is $status, 0, 'a code: status';
is $err, '', 'a code: no complaint';
is without_table($out), $machine . join('', map { "$_\n" } @said) . $verdict, 'a code: what it says';
my %area;
$area{$ids[$_] =~ s/\..*//r}[$_]++ for 0 .. 4;
is_deeply [$out =~ /^# area (.*)$/mg], ['              pass differs    fail    skip   error',
    map { my $of = $area{$_}; sprintf '%-10s' . ' %7u' x 5, $_, map { $of->[$_] // 0 } 0 .. 4 }
        grep { !$area{" $_"}++ } map { $ids[$_] =~ s/\..*//r } 0 .. 4], 'a code: its table by area';

for my $like ("QR-Code:$whole", "# code $whole", "$whole\n", " $whole \r\n") {
    my ($is, $prints) = dsdump($like);
    is "$is $prints", "0 $out", 'what stands around a code does not matter: ' . $like =~ s/DSTEST86.*/../sr;
}
($status, my $more, $err) = dsdump_reads("# begin ...\r\nQR-Code:$whole\n\n# end\n", '-');
is "$status $more$err", "0 $out", 'a log on standard input';
($status, $more, $err) = dsdump_reads("# code $whole\r\n# code $whole\r\n", '-');
is "$status $more$err", "0 $out$out", 'a log of two boots is two runs, even if they are the same';

# ---- parts ------------------------------------------------------------------------------------------------------------
my $begin = code(triples => [$all[0]]);
my $end   = code(triples => [@all[1 .. $#all]], first => 3, count => @ids - 3);
for my $order ([$begin, $end], [$end, $begin]) {
    ($status, $more, $err) = dsdump(@$order);
    is "$status $more$err", "0 $out", 'two parts make one run, in any order';
}
($status, $more, $err) = dsdump($begin);
is $status, 1, 'one part alone: status';
is $err, "dsdump: --code: tests 3 to $#ids of 0 to $#ids are in another code of this run: give that, too\n",
    'one part alone: which is missing';
is without_table($more), $machine . join('', map { "$_\n" } @said[0 .. 2]) . $verdict, 'one part alone: what it says';
($status, $more, $err) = dsdump($end);
is "$status $err", "1 dsdump: --code: tests 0 to 2 of 0 to $#ids are in another code of this run: give that, too\n",
    'the other one alone';
for my $change (['version', '9.8.6'], ['revision', 'abcdee'], ['flags', 1], ['flags', 2], ['signature', 1], ['microcode', 2],
    ['verdict', 3], ['facilities', [4, 3, 1]], ['facilities', [3, 3, 0]], ['totals', [1, 2, 3, 4, 6]],
    ['fingerprint', 0]) {
    ($status, $more) = dsdump($begin, code(triples => [@all[1 .. $#all]], first => 3, count => @ids - 3, @$change));
    is scalar(() = $more =~ /^# begin /mg), 2, "parts of two runs stay two: $change->[0]";
}

# ---- heads ------------------------------------------------------------------------------------------------------------
for my $case ([[flags => 0], qr/^# begin dstest86 9\.8\.7 abcdef 32\n.*\n# cpu no hypervisor, microcode 0xf0\n/],
    [[signature => 0xf29], qr/^.*\n# cpu family f model 2 stepping 9 signature 0x00000f29 NetBurst\n/],
    [[signature => 0], qr/^.*\n# cpu family 0 model 0 stepping 0 signature 0x00000000 not in the table of models\n/],
    [[facilities => [1, 2, 3], verdict => 6], qr/\n# facility bts not selected\n# facility pebs untested\n# facility lbr pass\n# end dstest86 verdict=incomplete /],
    [[verdict => 4], qr/(?<!facility)\n# end dstest86 verdict=panic /]) {
    my ($with, $like) = @$case;
    ($status, $more) = dsdump(code(triples => \@all, count => scalar @ids, @$with));
    is $status, 0, "@$with[0, 1]: status";
    like $more, $like, "@$with[0, 1]: said";
}
unlike $more, qr/facility/, 'after a panic no facility was judged';

# ---- another list -----------------------------------------------------------------------------------------------------
my ($own) = `grep -h DSTEST86_VERSION $build/include/version.h` =~ /"(.*)"/;
my ($revision) = `grep -h DSTEST86_REVISION $build/include/version.h` =~ /"(.*)"/;
for my $case (['other ids', [triples => \@all, count => scalar @ids, fingerprint => 1]],
    # Three tests are a byte.
    ['a test more', [triples => [@all, (0) x (@ids % 3 == 0)], ids => [@ids, 'more.tests'], count => @ids + 1]],
    ['a test less', [triples => [@all[0 .. $#all - (@ids % 3 == 1)]], ids => [@ids[0 .. $#ids - 1]], count => @ids - 1]]) {
    ($status, $more, $err) = dsdump(code(@{$case->[1]}));
    is $status, 1, "$case->[0]: status";
    is $err, 'dsdump: --code: this code is of version 9.8.7 abcdef, whose list of tests is not that of this dsdump, '
        . "$own $revision: tests are printed as numbers; the dsdump of that version knows their names\n", "$case->[0]: said";
    is $more, $machine . "# result 0 pass\n# result 1 differs\n# result 2 fail\n# result 3 skip\n# result 4 error\n" . $verdict,
        "$case->[0]: what can be told";
}

# ---- errors -----------------------------------------------------------------------------------------------------------
sub changed
{
    my ($at, $by) = @_;
    my $text = $whole;
    substr($text, $at, 1) = $by;
    return $text;
}

my $other = substr($whole, 20, 1) eq 'A' ? 'B' : 'A';
my @cases = (
    ['no text', [], qr/--code: missing text of a code, or - for standard input/],
    ['something else', ['hello'], qr/--code: not a code of dstest86, which begins with DSTEST86:/],
    ['an empty text', [''], qr/--code: not a code of dstest86/],
    ['a small letter', [changed(11, 'a')], qr/--code: character 12, 'a': a character that no code has \(capital letters, digits and \+ - \. \/ : only\)/],
    ['three that are too large', [substr($whole, 0, 9) . ':::' . substr($whole, 12)], qr/--code: character 10: characters that stand for no bytes/],
    ['one that is changed', [changed(20, $other)], qr/--code: (the checksum is wrong: characters were changed or left out|character 19: characters that)/],
    ['a code that is cut', [substr $whole, 0, 10], qr/--code: the code is cut off/],
    ['one that is longer', [$whole . '000' x 256], qr/--code: longer than any code/],
    ['a newer format', [code(format => 2)], qr/--code: a format that this dsdump does not know: use a newer one/],
    ['contents of no kernel', [code(verdict => 5)], qr/--code: the checksum is right, but the contents are of no kernel/]);
for my $case (@cases) {
    my ($what, $arguments, $like) = @$case;
    ($status, $more, $err) = dsdump(@$arguments);
    is $status, 2, "$what: status";
    like $err, qr/\Adsdump: $like[^\n]*\n\z/, "$what: one sentence";
    is $more, '', "$what: nothing printed";
}
($status, $more, $err) = dsdump('hello', $whole);
is "$status $more", "1 $out", 'a good one after a bad one';
like $err, qr/\Adsdump: --code: not a code [^\n]*\n\z/, 'and the bad one is named';
($status, $more, $err) = dsdump_reads("no\n# co" . "de dstest86:\n", '-');
is "$status $more$err", "2 dsdump: standard input: no code: want a text that begins with DSTEST86:\n", 'no code on standard input';
($status, $more, $err) = dsdump_reads('x' x 5000 . "\n" . changed(11, 'a') . "\n$whole\n", '-');
is "$status $more$err", "1 ${out}dsdump: standard input: character 12, 'a': a character that no code has (capital letters, "
    . "digits and + - . / : only)\n", 'a bad line before a good one';
($status, $more, $err) = run_program({ folder => $folder }, 'sh', '-c', 'exec "$0" --code - <.', $dsdump);
is "$status $more$err", "2 dsdump: standard input: Is a directory\n", 'what cannot be read';
($status, undef, $err) = run_program({ folder => $folder, stdout => '/dev/full' }, $dsdump, '--code', $whole);
is "$status $err", "1 dsdump: standard output: cannot write: No space left on device\n", 'a full disk';
for my $arguments (['--raw', '--code', $whole], ['--elf', elf(64), '--code']) {
    ($status, $more, $err) = run_program({ folder => $folder }, "$build/dsdump", @$arguments);
    is "$status $more$err", "2 dsdump: --code: must be the first word; only texts of codes may follow it\n",
        "--code after $arguments->[0]";
}

done_testing;
