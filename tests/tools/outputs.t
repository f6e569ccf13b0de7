#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# dsdump's output for other programs, for traces whose calls are known: stacks, a timeline, rows. Prints TAP.
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
my @columns = (qw(kind test cpu record entry ip ip_symbol ip_line address address_symbol address_line predicted cycles event
    tsc latency level snoop tlb lock register_ip rflags rax rcx rdx rbx rsp rbp rsi rdi), map { "r$_" } 8 .. 15);
is "@$head[0 .. $#columns]", "@columns", 'the columns; what is new stands behind them';
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

# Each word of a record has its bytes, its name, its value and what that means.
sub words_of
{
    my ($raw, $size) = @_;
    my ($lines) = $raw =~ /^# pebs \d+ cpu 0, format \d, $size bytes\n((?:#   \+.*\n)+)/m or return;
    my (@names, %says);
    for my $line (split /\n/, $lines) {
        my ($at, $bytes, $name, $value, $says) = $line =~ /^#   \+(\w{3})  ((?:\w\w )+) *(\S+) +0x(\w{16})(.*)$/ or return;
        return if hex $at != 8 * @names || join('', reverse split / /, $bytes) ne $value;
        push @names, $name;
        $says{$name} = $says;
    }
    return ("@names", \%says);
}
my ($words, $says) = words_of(dsdump('--raw'), 200);
is $words, join(' ', qw(rflags rip rax rbx rcx rdx rsi rdi rbp rsp), map({ "r$_" } 8 .. 15),
    qw(counters data_address data_source latency eventing_ip tsx tsc)), '--raw: the words of a record of format 3';
like $says->{eventing_ip}, qr/^ walk_load\+0x0$/, '--raw: a symbol';
like $says->{latency}, qr/^ \d+ cycles$/, '--raw: a latency';
like $says->{data_source}, qr/^ \|LVL L\d or L\d hit\|SNP \w+\|TLB L1 or L2 hit\|LCK No\|$/, '--raw: a data source';

my $groups = boot("$folder/groups", 64, 'goldencove', 'run=pebs.adaptive.groups');
(undef, my $raw) = run_program({ folder => $folder }, $dsdump, '--elf', elf(64), '--raw', $groups);
($words, $says) = words_of($raw, 32 + 32 + 144 + 256);
is $words, join(' ', qw(format eventing_ip counters tsc data_address data_source latency tsx rflags rip rax rcx rdx rbx
    rsp rbp rsi rdi), map({ "r$_" } 8 .. 15), map { ("xmm$_.low", "xmm$_.high") } 0 .. 15),
    '--raw: the words of an adaptive record';
is $says->{format}, ' groups 0x7, retire latency 1, 464 bytes', '--raw: what its format says';
like $says->{latency}, qr/^ \d+ cycles, the cache's \d+\b/, '--raw: its two latencies';

my $only = dsdump('--only', 'pebs', '--csv');
ok $only !~ /^(bts|lbr)/m && $only =~ /^pebs,/m, '--only pebs leaves the others out';

done_testing;
