#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# GDB's command ds-watch stops exactly when the next record is written, at the instruction after its cause, or when the index
# reaches the threshold. The kernel's test passes as without it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Gdb 'gdb';
use Test::More;

# Checks two stops at records: each prints $text with N = the number of the record ($first, then $first + 1), and its PC is the
# address printed after $place (there N = 0, 1). Returns the output of more commands.
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
        is($pc =~ /= 0x([0-9a-f]+)/ && $1, $right, '... at the right address');
    }
    ok(scalar(grep { /^ok 1 \Q$test\E$/ } @$serial), "$profile: $test passes under the debugger");
    return @{$out}[4 .. $#$out];
}

# BTS: one more record at each stop, at the newest branch's target; then a stop exactly at the threshold.
for my $case ([ 'skylake', 64, 24 ], [ 'netburst', 32, 12 ]) {
    my ($profile, $width, $bytes) = @$case;
    my ($full) = stops_at($profile, $width, 'bts.interrupt.threshold', 1, "BTS: N of 256 records of $bytes bytes ", 'bts \d+ .* => ',
        'ds-watch threshold');
    like($full, qr/^BTS: 128 of 256 records .*, the threshold is reached; on/m, "$profile: stopped exactly at the threshold");
}
# The record of an interrupt, then the record of its handler's first branch.
stops_at('skylake', 64, 'bts.software_interrupt', 1, 'BTS: N of 512 records ', 'bts \d+ .* => ');
# Every kind of PEBS: at the IP of the record.
stops_at(@$_, 0, 'pebs N e?ip ', 'pebs N e?ip ') for [ 'skylake', 64, 'pebs.interrupt.threshold' ], [ 'goldencove', 64, 'pebs.loads' ],
    [ 'core2', 64, 'pebs.instructions' ], [ 'clearwaterforest', 64, 'pebs.loads' ], [ 'netburst', 32, 'pebs.tagging.execution' ];

# The handler drains the buffer, so at the next threshold the fill level is the same. ds-watch still prints the new record.
for my $profile ('skylake', 'clearwaterforest') {
    my ($out) = gdb({ profile => $profile, options => 'run=measure.cost.service.pebs',
        commands => [ 'ds-watch threshold', 'ds-watch threshold', 'echo' ] });
    my ($fill, $time) = $out->[0] =~ /^(PEBS: [1-9]\d* of .*)\npebs \d+ ip .* tsc (0x[0-9a-f]+)$/m;
    my ($again, $later) = $out->[1] =~ /^(PEBS: [1-9]\d* of .*)\npebs \d+ ip .* tsc (0x[0-9a-f]+)$/m;
    is($again, $fill, "$profile: the same fill level");
    cmp_ok(hex($later // 0), '>', hex($time), '... with a newer record');
}

# A stop for another reason, errors, and commands that need a stopped machine.
{
    my ($out) = gdb({ profile => 'skylake', options => 'run=bts.calls', commands => [ 'hbreak ds_open', 'ds-watch', 'ds-watch now',
        "python os.mkdir(State.path() + '.watch')", 'ds-watch', 'continue &', 'ds-watch', 'ds', 'bts 1', 'perfmon' ] });
    like($out->[1], qr/^stopped for another reason: what ds-watch waits for has not happened$/m, 'a breakpoint is reached first');
    like($out->[2], qr/^ds-watch: expected no argument, or threshold$/m, 'an unknown argument');
    like($out->[4], qr{\Ads-watch: \S+/0\.watch cannot be written: Is a directory$}m, 'a file that cannot be written');
    is(($out->[$_] // '') =~ s/\n.*//sr, 'the machine is running: interrupt it first', 'a running machine') for 6 .. 9;
    ($out) = gdb({ profile => 'skylake', options => 'run=lbr.calls', commands => [ 'ds-watch' ] });
    like($out->[0], qr/^ds-watch: the machine has ended before that/m, 'the machine ends before a record is written');
}
done_testing;
