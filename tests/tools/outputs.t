#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# What dsdump writes for other programs, of traces whose calls are known: stacks, a timeline, rows. TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP qw(decode_json);
use lib $FindBin::Bin;
use Dump qw($dsdump boot elf run_program);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
my $log    = boot("$folder/log", 64, 'skylake', 'run=bts.calls,lbr.kinds,pebs.load_latency.hierarchy');

sub dsdump
{
    my (@arguments) = @_;
    my ($status, $out, $err) = run_program({ folder => $folder }, $dsdump, '--elf', elf(64), @arguments, $log);
    is "$status$err", '0', "dsdump @arguments";
    return $out;
}

# bts.calls (workload/branches.asm): calls_run calls calls_outer, which calls calls_inner twice; each returns.
my $branches = dsdump('--branches');
my @bts = grep { /calls_/ } split /\n/, $branches;
like $bts[0], qr/^ +[0-9a-f]+ calls_1\+0x0 =>  +[0-9a-f]+ calls_outer\+0x0$/, 'the first branch of bts.calls';

my %stacks = map { /^(.*) (\d+)$/ ? ($1 => $2) : () } split /\n/, dsdump('--folded');
my ($root) = map { /^(bts\.calls;[^;]+);calls_outer$/ ? $1 : () } keys %stacks;
ok defined $root, 'calls_outer was called';
is $stacks{"$root;calls_outer;calls_inner"} % 2, 0,
    'calls_inner was called twice, from calls_outer, and returned as often';
is $stacks{"$root;calls_outer"}, $stacks{"$root;calls_outer;calls_inner"} / 2 * 3,
    'calls_outer called twice and returned';
my $sum = 0;
$sum += $stacks{$_} for grep { /^bts\.calls;/ } keys %stacks;
is $sum, scalar(grep { /calls_|workload_calls/ } @bts), 'each branch counts once';
ok !(grep { !/^bts\.calls;|^lbr\.kinds;/ } keys %stacks), 'every stack is below its test';

my $trace = decode_json(dsdump('--trace-json'))->{traceEvents};
my ($depth, $deepest, $last, %slices) = (0, 0, 0);
for my $event (@$trace) {
    if ($event->{ph} =~ /[BE]/) {
        fail 'slices are in their order' if $event->{ts} < $last;
        $last = $event->{ts};
        $depth += $event->{ph} eq 'B' ? 1 : -1;
        $deepest = $depth if $depth > $deepest;
        $slices{ $event->{name} }++ if $event->{ph} eq 'B';
    }
}
is $depth, 0, 'every slice of the timeline is closed';
is $slices{calls_inner}, $stacks{"$root;calls_outer;calls_inner"}, 'a slice for each call of calls_inner';
is $deepest, 4, 'the test, its function, calls_outer, calls_inner';
my @samples = grep { $_->{ph} eq 'i' } @$trace;
is scalar(@samples), 128, 'a mark for each sample of pebs.load_latency.hierarchy';
is $samples[0]{args}{symbol} =~ /^walk_load\+0x0$/ ? 1 : $samples[0]{args}{symbol}, 1, 'a sample has its symbol';

my ($head, @rows) = map { [split /,/, $_, -1] } split /\n/, dsdump('--csv');
my %column = map { ($head->[$_] => $_) } 0 .. $#$head;
is scalar(grep { @$_ != @$head } @rows), 0, 'every row has the columns of the first';
is scalar(grep { $_->[0] eq 'bts' } @rows), $sum, 'a row for each branch';
my @loads = grep { $_->[0] eq 'pebs' } @rows;
is scalar(@loads), 128, 'a row for each sample';
is scalar(grep { $_->[ $column{level} ] eq 'Local RAM or RAM hit' && $_->[ $column{latency} ] == 200 } @loads), 32,
    'the rows of loads from memory have its level and latency';
like $rows[0][ $column{ip_line} ], qr/^\w+\.asm:\d+$|^\w+\.c:\d+$/, 'a row has its source line';
like((dsdump('--brstack'))[0], qr{^ +[0-9a-f]+( \S+\+0x[0-9a-f]+/\S+\+0x[0-9a-f]+/[MP]/-/-/\d+/)+$}m,
    'an LBR stack on a line');

my $only = dsdump('--only', 'pebs', '--csv');
ok $only !~ /^(bts|lbr)/m && $only =~ /^pebs,/m, '--only pebs leaves the others out';

done_testing;
