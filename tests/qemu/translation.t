#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Reads the model's part of translated code in QEMU's log of operations. A guest is fast only if accesses do not store their
# values for a plugin, and if blocks note themselves in the ring and count without a call, also with several processors. Only
# this test checks that.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# QEMU runs an instruction that accesses a device in a block of its own, without a check for interrupts. That block must not be
# noted: the original block was noted. A block that counts down has its check for interrupts elsewhere.
my $down  = qr/ ld32s_i64 (tmp\d+),env,\S+\n add_i64 \g{-1},\g{-1},\$0xf\w+\n brcond_i64 \g{-1},\$0x0,le,/;
my $whole = qr/\A(?: ld_i32 (loc\d+),env,\S+\n brcond_i32 \g{-1},\$0x0,lt,|$down)/;
my $value = qr/^ qemu_(?:ld|st)_i\d+ .*\n st_i\d+ \w+,env,\$0xf{8}[0-9a-f]{8}$/m;
my $noted   = qr{^ ld_i64 (tmp\d+),env,\S+\n brcond_i64 \1,\$0x4000,tstne,\S+\n st_i64 \$0x\w+,\1,\$0x0\n add_i64 \1,\1,\$0x8\n st_i64 \1,}m;
my $counted = qr/\A$down/;

# The translated blocks of a run, in order: whole blocks, and single instructions.
sub blocks
{
    my ($verdict, $text) = boot(@_, '--', qw(-d op -D), "$folder/log");
    $verdict eq 'pass' or die "translation.t: the guest did not pass:\n$text";
    open my $file, '<', "$folder/log" or die "translation.t: $folder/log: $!\n";
    local $/ = "OP:\n";
    my @blocks = grep { /^ ----/m } <$file>;
    return ([ grep { /$whole/ } @blocks ], [ grep { !/$whole/ } @blocks ]);
}

sub from_first
{
    my ($pattern, @blocks) = @_;
    shift @blocks while @blocks && $blocks[0] !~ /$pattern/;
    return @blocks;
}

my ($alone, $lone) = blocks(qw(-s 1 -o run=bts.calls));
my @late = @$alone[ @$alone / 2 .. $#$alone ];
my $seen  = grep { /^ qemu_(?:ld|st)/m } @late;
ok($seen > 100, 'many blocks access memory') or diag("$seen do");
is(scalar(grep { /$value/ } @late), 0, 'no access stores its value');

my @noting = from_first($noted, @$alone);
ok(@noting > 100, 'BTS on: blocks note themselves') or diag(scalar(@noting) . ' of ' . @$alone);
is(scalar(grep { !/$noted/ } @noting), 0, '... all blocks from the first of them on');
ok(@$lone > 0, 'there are instructions in blocks of their own');
is(scalar(grep { /$noted/ } @$lone), 0, '... and these do not note themselves');

my ($others, $lone_others) = blocks(qw(-s 2 -o run=bts.calls));
@noting = from_first($noted, @$others);
ok(@noting > 100, 'two processors: blocks note themselves') or diag(scalar(@noting) . ' of ' . @$others);
is(scalar(grep { !/$noted/ } @noting), 0, '... all blocks from the first of them on');
is(scalar(grep { /$noted/ } @$lone_others), 0, '... except instructions in blocks of their own');
is(scalar(grep { /$value/ } @$others[ @$others / 2 .. $#$others ]), 0, '... no access stores its value');

for my $processors (1, 2) {
    my ($counting) = blocks('-s', $processors, '-o', 'run=perfmon.count');
    my @counting = from_first($counted, @$counting);
    ok(@counting > 100, "a counter of instructions on, $processors processors: blocks count by themselves")
      or diag(scalar(@counting) . ' of ' . @$counting);
    is(scalar(grep { !/$counted/ } @counting), 0, '... all blocks from the first of them on');
}

# With PEBS, a block that may contain the event to be recorded checks inline, before each instruction except the first, whether
# the previous instruction was that event. (A late check is invisible elsewhere: its records are legal.)
my ($sampling) = blocks(qw(-s 1 -p goldencove -o run=pebs.instructions));
my $ask = qr/ brcond_i64 tmp\d+,\$0x80{13}[0-9a-f]{2},ltu,/;
my @watched = grep { /^ ----.*^$ask/ms } @$sampling;
my @unasked = grep {
    my (undef, undef, @behind) = split /^ ----/m;
    grep { !/\A.*\n(?: (?:mul|ext|add|ld)_.*\n)+$ask/ } @behind
} @watched;
ok(@watched >= 5, 'PEBS on: some blocks have the check') or diag(scalar(@watched) . ' of ' . @$sampling);
is(scalar @unasked, 0, '... before each instruction except the first') or diag($unasked[0]);

$ENV{LD_PRELOAD} = realpath("$FindBin::Bin/../../build/hide.so");
$ENV{HIDE} = 'tcg_*';
is((boot())[0], 'pass', 'QEMU hides its symbols: all tests pass');
my ($unchanged) = blocks(qw(-o run=bts.calls));
is(scalar(grep { /$noted/ } @$unchanged), 0, '... no block notes itself');
ok(scalar(grep { /$value/ } @$unchanged[ @$unchanged / 2 .. $#$unchanged ]) > 100, '... accesses store their values');

done_testing();
