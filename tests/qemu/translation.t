#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Reads in QEMU's log of operations where translated code calls the model. A guest is fast only if code calls it no more often than
# needed: once where a block begins, and only while the processor uses the model.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# QEMU runs an instruction that accesses a device in a block of its own, without a check for interrupts. That block must not be
# noted: the original block was noted.
my $whole = qr/\A ld_i32 (loc\d+),env,\S+\n brcond_i32 \g{-1},\$0x0,lt,/;
my $call  = qr/^ call plugin\(/m;

# The translated blocks of a run, in order: whole blocks, and single instructions. Each as its beginning and its instructions.
sub blocks
{
    my ($verdict, $text) = boot(@_, '--', qw(-d op -D), "$folder/log");
    $verdict eq 'pass' or die "translation.t: the guest did not pass:\n$text";
    open my $file, '<', "$folder/log" or die "translation.t: $folder/log: $!\n";
    local $/ = "OP:\n";
    my @blocks = grep { /^ ----/m } <$file>;
    return ([ map { [ split /^ ----/m ] } grep { /$whole/ } @blocks ], [ map { [ split /^ ----/m ] } grep { !/$whole/ } @blocks ]);
}

# The number of calls in a text.
sub calls { return scalar(() = $_[0] =~ /$call/g) }

for my $processors (1, 2) {
    for my $used ('bts.calls', 'perfmon.count') {
        my $name = "$processors processors, $used";
        my ($blocks, $lone) = blocks('-s', $processors, '-o', "run=$used");
        my @hooked = grep { calls($_->[0]) } @$blocks;
        ok(@$blocks > 500 && @hooked >= 10, "$name: blocks call the model where they begin") or diag(@$blocks . ' and ' . @hooked);
        cmp_ok(scalar(@hooked), '<', @$blocks / 10, '... only those that run while it is used');
        is(scalar(grep { calls($_->[0]) > 1 + (calls($_->[1]) > 1) } @hooked), 0, '... once');
        cmp_ok(scalar(grep { my (undef, @insns) = @$_; grep { calls($_) } @insns } @$blocks), '<', @$blocks / 10,
            '... and few call it later');
        is(scalar(grep { calls($_->[0]) } @$lone), 0, '... nor do single instructions where they begin');
    }
}

# With PEBS, a block that may contain the event to be recorded checks inline, before each instruction except the first, whether
# the previous instruction was that event. (A late check is invisible elsewhere: its records are legal.)
my ($sampling) = blocks(qw(-s 1 -p goldencove -o run=pebs.instructions));
my $ask = qr/ brcond_i64 tmp\d+,\$0x80{13}[0-9a-f]{2},ltu,/;
my @watched = grep { join('', @$_) =~ /^$ask/m } @$sampling;
my @unasked = grep {
    my (undef, undef, @behind) = @$_;
    grep { !/\A.*\n(?: (?:mul|ext|add|ld)_.*\n)+$ask/ } @behind
} @watched;
ok(@watched >= 5, 'PEBS on: some blocks have the check') or diag(scalar(@watched) . ' of ' . @$sampling);
is(scalar @unasked, 0, '... before each instruction except the first') or diag(join '', @{$unasked[0]});

done_testing();
