#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# ds-watch stops when the next record is written, at the instruction behind its cause, and when the index reaches the
# threshold; not one record later; and the kernel's test passes all the same. Prints TAP.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Gdb 'gdb';
use Test::More;

# Two stops of a test at records: each prints $text with the number N of its record, from $first on, and stands at the address
# that follows $place, where N counts from 0. Returns what more commands print.
sub stops_at
{
    my ($profile, $width, $test, $first, $text, $place, @more) = @_;
    my ($out, $serial) = gdb({ width => $width, profile => $profile, options => "run=$test",
        commands => [ 'ds-watch', 'p/x $pc', 'ds-watch', 'p/x $pc', @more, 'continue' ] });
    for my $n (0, 1) {
        my ($said, $pc) = map { $_ // '' } @{$out}[2 * $n, 2 * $n + 1];
        my $record = $first + $n;
        like($said, qr/^@{[$text =~ s{N}{$record}r]}/m, "$profile, $test: record $n stops the machine");
        my ($right) = $said =~ /^@{[$place =~ s{N}{$n}r]}0x0*([0-9a-f]+)/m;
        is($pc =~ /= 0x([0-9a-f]+)/ && $1, $right, '... at its place');
    }
    ok(scalar(grep { /^ok 1 \Q$test\E$/ } @$serial), "$profile: and $test passes as without a debugger");
    return @{$out}[4 .. $#$out];
}

# BTS: one record more at each stop, which stands at the newest branch's target; then the threshold, with not one more.
for my $case ([ 'skylake', 64, 24 ], [ 'netburst', 32, 12 ]) {
    my ($profile, $width, $bytes) = @$case;
    my ($full) = stops_at($profile, $width, 'bts.interrupt.threshold', 1, "BTS: N of 256 records of $bytes bytes ", 'bts \d+ .* => ',
        'ds-watch threshold');
    like($full, qr/^BTS: 128 of 256 records .*, the threshold is reached; on/m, "$profile: the threshold stops it, and nothing more is written");
}
# The record of an interruption, and then that of its handler's first branch.
stops_at('skylake', 64, 'bts.software_interrupt', 1, 'BTS: N of 512 records ', 'bts \d+ .* => ');
# PEBS of every kind: at the IP of the record.
stops_at(@$_, 0, 'pebs N e?ip ', 'pebs N e?ip ') for [ 'skylake', 64, 'pebs.interrupt.threshold' ], [ 'goldencove', 64, 'pebs.loads' ],
    [ 'core2', 64, 'pebs.instructions' ], [ 'clearwaterforest', 64, 'pebs.loads' ], [ 'netburst', 32, 'pebs.tagging.execution' ];

# The handler drains the buffer, and at the threshold it is as full as before: the new record is printed all the same.
for my $profile ('skylake', 'clearwaterforest') {
    my ($out) = gdb({ profile => $profile, options => 'run=measure.cost.service.pebs',
        commands => [ 'ds-watch threshold', 'ds-watch threshold', 'echo' ] });
    my ($fill, $time) = $out->[0] =~ /^(PEBS: [1-9]\d* of .*)\npebs \d+ ip .* tsc (0x[0-9a-f]+)$/m;
    my ($again, $later) = $out->[1] =~ /^(PEBS: [1-9]\d* of .*)\npebs \d+ ip .* tsc (0x[0-9a-f]+)$/m;
    is($again, $fill, "$profile: as full again");
    cmp_ok(hex($later // 0), '>', hex($time), '... by a newer record');
}

# A stop for another reason, a stop without a reason, and commands that are not allowed then.
{
    my ($out) = gdb({ profile => 'skylake', options => 'run=bts.calls', commands => [ 'hbreak ds_open', 'ds-watch', 'ds-watch now',
        "python os.mkdir(State.path() + '.watch')", 'ds-watch', 'continue &', 'ds-watch', 'ds', 'bts 1', 'perfmon' ] });
    like($out->[1], qr/^stopped for another reason: what ds-watch waits for has not happened$/m, 'a breakpoint comes first');
    like($out->[2], qr/^ds-watch: want nothing, or threshold$/m, 'a word that it does not know');
    like($out->[4], qr{\Ads-watch: \S+/0\.watch cannot be written: Is a directory$}m, 'a file that it cannot write');
    is(($out->[$_] // '') =~ s/\n.*//sr, 'the machine is running: interrupt it first', 'a machine that runs') for 6 .. 9;
    ($out) = gdb({ profile => 'skylake', options => 'run=lbr.calls', commands => [ 'ds-watch' ] });
    like($out->[0], qr/^ds-watch: the machine has ended before that/m, 'no record is written');
}
done_testing;
