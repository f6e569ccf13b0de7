#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# GDB's commands bts, pebs and lbr print the records in memory or registers, and the kernel then prints the same. For each kind
# of record, in both widths.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Gdb 'gdb';
use Test::More;

# The processor, the width, and tests with records of BTS, PEBS and LBR.
my @cases = (
    [ 'skylake', 64, 'bts.calls', 'pebs.loads', 'lbr.calls' ],
    [ 'skylake', 64, 'bts.circular.order', undef, 'lbr.calls' ], # older records are after the index
    [ 'goldencove', 64, 'bts.calls', 'pebs.loads', 'lbr.calls' ],
    [ 'core2', 64, 'bts.calls', 'pebs.instructions', 'lbr.calls' ],
    [ 'clearwaterforest', 64, 'bts.calls', 'pebs.loads', 'lbr.calls' ],
    [ 'netburst', 32, 'bts.calls', 'pebs.tagging.execution', 'lbr.calls' ],
    [ 'pentium-m', 32, 'bts.calls', undef, 'lbr.calls' ],
);

# Removes names: if an address has several, GDB and the kernel may choose different ones.
sub without_names
{
    my @lines = @_;
    my $symbol = qr/[A-Za-z_][\w.]*\+0x[0-9a-f]+/;
    s{ $symbol(?:/(?:-|$symbol))?}{}g for @lines;
    return [ @lines ];
}

for my $case (@cases) {
    my ($profile, $width, $bts, $pebs, $lbr) = @$case;
    my %stop = (bts => "hbreak ds_close if processors[0]->open_for", lbr => 'hbreak records_print_lbr');
    $stop{pebs} = $stop{bts};
    for my $kind ('bts', $pebs ? 'pebs' : (), 'lbr') {
        my $test = { bts => $bts, pebs => $pebs, lbr => $lbr }->{$kind};
        my ($out, $serial) = gdb({ width => $width, profile => $profile, options => "records=all run=$test",
            commands => [ $stop{$kind}, 'continue', "$kind all", 'continue' ] });
        my @printed = grep { /^$kind \d/ } split /\n/, $out->[2] // '';
        my @taken = map { s/^# //r } grep { /^# $kind \d/ } @$serial;
        cmp_ok(scalar @printed, '>', 0, "$profile, $width bits: $kind prints records");
        is_deeply(without_names(@printed), without_names(@taken), "$profile, $width bits: the kernel prints the same");
        my @named = grep { /[A-Za-z_]\w*\+0x/ } @printed;
        cmp_ok(scalar @named, '>', 0, "$profile, $width bits: with symbols");
        like($out->[2], qr{^    suite/workload/\w+\.(?:asm|inc):\d+}m, "$profile, $width bits: with source lines");
        ok(scalar(grep { /^ok 1 / } @$serial), "$profile, $width bits: $test passes under the debugger")
            or diag(grep { /ok 1/ } @$serial);
        next if $kind ne 'bts' || $profile ne 'skylake' || $test ne 'bts.calls';

        local $ENV{LC_ALL} = 'C.UTF-8';    # in ASCII, GDB itself refuses the non-ASCII argument
        my ($few) = gdb({ profile => $profile, options => "run=$test",
            commands => [ $stop{bts}, 'continue', 'bts 3', 'bts 0', 'bts 00', "bts \xc2\xb2", 'bts 4294967297', 'set language modula-2', 'bts 3', 'echo' ] });
        is_deeply([ grep { /^bts \d/ } split /\n/, $few->[2] ], [ @printed[-3 .. -1] ], 'bts 3: the newest three');
        like($few->[2], qr/^BTS: ${\scalar @printed} records; the newest 3:$/m, 'bts 3 prints the total');
        like($few->[$_->[0]], qr/^bts: expected a number of records from 1, or all, not $_->[1]$/m, "bts $_->[1] is refused")
            for [ 3, '0' ], [ 4, '00' ], [ 5, "\xc2\xb2" ];
        is_deeply([ grep { /^bts \d/ } split /\n/, $few->[6] ], \@printed, 'a number larger than 32 bits: all');
        is($few->[8], $few->[2], "GDB's language does not change the names");
    }
}
done_testing;
