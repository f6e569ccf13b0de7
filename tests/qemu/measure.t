#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# On the model, measurements of skid, cost and events (docs/output.md, "Measurements") have known answers: each bar of each
# histogram, the number of samples of each method, the effect of each fault. Prints the tables.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use List::Util qw(min sum0);
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(boot lines_in);
use Test::More;

# The instructions of suite/workload/steps.asm by kind: 32 groups of three loads and three others; 12 groups of 17; a jump
# and 16 blocks of eleven; 12 groups of five. Each is followed by 200 other instructions.
my %count = (
    loads => { instruction => 392, load => 96, warm => 64, cold => 32 },
    straight => { instruction => 404, load => 24, store => 24, locked => 12, split_load => 12, split_store => 12,
        x87 => 12, mmx => 12, packed_sp => 12, packed_dp => 12, scalar_sp => 12, scalar_dp => 12, integer => 12 },
    branchy => { instruction => 377, load => 16, store => 16, branch => 65, conditional => 24, taken => 49, call => 16,
        return => 16 },
    far => { instruction => 260, far => 12 },
);

# The instructions that an event counts, by the end of its name; NetBurst tags no locked access and no return.
my %kinds = (
    'INST_RETIRED.PREC_DIST' => 'instruction', 'INST_RETIRED.ANY_P' => 'instruction',
    'INST_RETIRED.X87' => 'x87', 'X87_OPS_RETIRED.ANY' => 'x87', 'X87_FP_retired' => 'x87',
    'INST_RETIRED.MMX' => 'mmx', '64_bit_MMX_retired' => 'mmx',
    'packed_SP_retired' => 'packed_sp', 'SSEX_UOPS_RETIRED.PACKED_SINGLE' => 'packed_sp',
    'packed_DP_retired' => 'packed_dp', 'SSEX_UOPS_RETIRED.PACKED_DOUBLE' => 'packed_dp',
    'scalar_SP_retired' => 'scalar_sp', 'SSEX_UOPS_RETIRED.SCALAR_SINGLE' => 'scalar_sp',
    'scalar_DP_retired' => 'scalar_dp', 'SSEX_UOPS_RETIRED.SCALAR_DOUBLE' => 'scalar_dp',
    '128_bit_MMX_retired' => 'integer', 'SSEX_UOPS_RETIRED.VECTOR_INTEGER' => 'integer',
    'SIMD_INST_RETIRED.ANY' => 'packed_sp packed_dp scalar_sp scalar_dp integer',
    'MEM_INST_RETIRED.ALL_LOADS' => 'load locked return', 'MEM_INST_RETIRED.LOADS' => 'load locked return',
    'memory_loads' => 'load',
    'MEM_INST_RETIRED.ALL_STORES' => 'store locked call', 'MEM_INST_RETIRED.STORES' => 'store locked call',
    'memory_stores' => 'store call',
    'MEM_INST_RETIRED.LOCK_LOADS' => 'locked',
    'MEM_INST_RETIRED.SPLIT_LOADS' => 'split_load', 'split_load_retired' => 'split_load',
    'MEM_INST_RETIRED.SPLIT_STORES' => 'split_store', 'split_store_retired' => 'split_store',
    'MEM_LOAD_RETIRED.L1_HIT' => 'warm', 'MEM_LOAD_RETIRED.L1D_HIT' => 'warm',
    (map { $_ => 'cold' } qw(MEM_LOAD_RETIRED.L1_MISS MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L1D_MISS
        MEM_LOAD_RETIRED.L1D_LINE_MISS 1stL_cache_load_miss_retired)),
    (map { $_ => 'branch far' } qw(BR_INST_RETIRED.ALL_BRANCHES BR_INST_RETIRED.ALL_BRANCHES_PEBS)),
    'BR_INST_RETIRED.CONDITIONAL' => 'conditional', 'BR_INST_RETIRED.COND' => 'conditional',
    'BR_INST_RETIRED.NEAR_TAKEN' => 'taken', 'BR_INST_RETIRED.NEAR_CALL' => 'call',
    'BR_INST_RETIRED.NEAR_RETURN' => 'return', 'BR_INST_RETIRED.FAR_BRANCH' => 'far',
);

# Distances between events: the skid of NetBurst's interrupt, which is raised at the event after the overflow.
my %netburst_interrupt = (
    'memory_loads loads' => { 2 => 22, 5 => 10 },
    '1stL_cache_load_miss_retired loads' => { 7 => 31 },
    'memory_loads straight' => { 6 => 12, 13 => 11 },
    'memory_stores straight' => { 6 => 12, 13 => 11 },
    (map { ("$_ straight" => { 18 => 11 }) } qw(packed_SP_retired packed_DP_retired scalar_SP_retired scalar_DP_retired
        128_bit_MMX_retired 64_bit_MMX_retired X87_FP_retired split_load_retired split_store_retired)),
    'memory_loads branchy' => { 12 => 15 },
    'memory_stores branchy' => { 2 => 16, 11 => 15 },
);

# PROFILE, WIDTH, records that a round may leave in its PEBS buffer, whether it has EventingIP, events of the list.
my @machines = (
    { profile => 'skylake', width => 64, room => 317, eventing_ip => 1, events => [qw(INST_RETIRED.PREC_DIST
        BR_INST_RETIRED.CONDITIONAL BR_INST_RETIRED.NEAR_CALL BR_INST_RETIRED.ALL_BRANCHES_PEBS
        BR_INST_RETIRED.NEAR_RETURN BR_INST_RETIRED.NEAR_TAKEN BR_INST_RETIRED.FAR_BRANCH MEM_INST_RETIRED.LOCK_LOADS
        MEM_INST_RETIRED.SPLIT_LOADS MEM_INST_RETIRED.SPLIT_STORES MEM_INST_RETIRED.ALL_LOADS
        MEM_INST_RETIRED.ALL_STORES MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L1_MISS)] },
    { profile => 'icelake', width => 64, room => 317, eventing_ip => 1, events => [qw(INST_RETIRED.ANY_P
        BR_INST_RETIRED.ALL_BRANCHES BR_INST_RETIRED.COND BR_INST_RETIRED.NEAR_CALL BR_INST_RETIRED.NEAR_RETURN
        BR_INST_RETIRED.NEAR_TAKEN BR_INST_RETIRED.FAR_BRANCH MEM_INST_RETIRED.LOCK_LOADS MEM_INST_RETIRED.SPLIT_LOADS
        MEM_INST_RETIRED.SPLIT_STORES MEM_INST_RETIRED.ALL_LOADS MEM_INST_RETIRED.ALL_STORES MEM_LOAD_RETIRED.L1_HIT
        MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L1_MISS)] },
    { profile => 'core2', width => 32, room => 25, eventing_ip => 0, events => [qw(INST_RETIRED.ANY_P
        X87_OPS_RETIRED.ANY SIMD_INST_RETIRED.ANY MEM_LOAD_RETIRED.L1D_MISS MEM_LOAD_RETIRED.L1D_LINE_MISS)] },
    { profile => 'netburst', width => 32, room => 317, eventing_ip => 0, events => [qw(memory_loads memory_stores
        packed_SP_retired packed_DP_retired scalar_SP_retired scalar_DP_retired 128_bit_MMX_retired
        64_bit_MMX_retired X87_FP_retired 1stL_cache_load_miss_retired split_load_retired split_store_retired)] },
    { profile => 'nehalem', width => 64, room => 317, eventing_ip => 0, events => [qw(INST_RETIRED.ANY_P
        INST_RETIRED.X87 INST_RETIRED.MMX MEM_INST_RETIRED.LOADS MEM_INST_RETIRED.STORES BR_INST_RETIRED.CONDITIONAL
        BR_INST_RETIRED.NEAR_CALL BR_INST_RETIRED.ALL_BRANCHES SSEX_UOPS_RETIRED.PACKED_SINGLE
        SSEX_UOPS_RETIRED.SCALAR_SINGLE SSEX_UOPS_RETIRED.PACKED_DOUBLE SSEX_UOPS_RETIRED.SCALAR_DOUBLE
        SSEX_UOPS_RETIRED.VECTOR_INTEGER MEM_LOAD_RETIRED.L1D_HIT MEM_LOAD_RETIRED.L2_HIT)] },
);

my $most_interrupts = 32;
my $rounds_of_pebs = 5;

# Boots; returns the lines of the log and the referee's violations.
sub boot_machine
{
    my ($machine, $options, @more) = @_;
    my $folder = tempdir(CLEANUP => 1);
    my (undef, $log) = boot('-p', $machine->{profile}, '-w', $machine->{width}, '-o', $options, '-d', $folder, @more);
    open my $violations, '<', "$folder/violations" or die "measure.t: $folder/violations: $!\n";
    return ([lines_in($log)], [<$violations>]);
}

sub passed
{
    my ($lines) = @_;
    return !!grep { /^# end dstest86 verdict=pass / } @$lines;
}

# The lines "# measure WORD ..." as hashes.
sub measured
{
    my ($lines, $word) = @_;
    return map { { split ' ', $_ } } map { /^# measure $word (.*)/ ? $1 : () } @$lines;
}

# The bars in a log, "EVENT WORKLOAD PLACE DISTANCE" => COUNT.
sub bars_of
{
    my ($lines) = @_;
    return { map { join(' ', @$_{qw(event workload place distance)}) => $_->{count} } measured($lines, 'skid') };
}

# The expected bars.
sub bars_for
{
    my ($machine) = @_;
    my %bars;
    for my $event (@{$machine->{events}}) {
        for my $workload (sort keys %count) {
            my $n = sum0(map { $count{$workload}{$_} // 0 } split ' ', $kinds{$event});
            next if $n < 8;
            my $spacing = int($n / $machine->{room}) + 1 + ($event =~ /PREC_DIST/ ? 0 : 1);
            my $samples = sum0(map { int($n / ($spacing + $_)) } 0 .. $rounds_of_pebs - 1);
            my $late = $machine->{profile} eq 'netburst' ? $netburst_interrupt{"$event $workload"} : undef;
            my %interrupt = $late ? %$late : (1 => min($n, $most_interrupts));
            $bars{"$event $workload interrupt $_"} = $interrupt{$_} for keys %interrupt;
            $bars{"$event $workload ip 1"} = $samples;
            $bars{"$event $workload eventing_ip 0"} = $samples if $machine->{eventing_ip};
        }
    }
    return \%bars;
}

# The number of bars drawn in the tables for people.
sub bars_drawn
{
    my ($lines) = @_;
    return sum0(map { /^# +-?\d+  / ? scalar(() = /\d+ #+/g) : () } @$lines);
}

sub check_cost
{
    my ($name, $lines) = @_;
    my @cost = measured($lines, 'cost');
    is(join('', grep { /^# (?=(?:method|interrupt|pebs|bts|lbr\w*)  ).{79}/ } @$lines), '', "$name: the tables fit a page of 80 columns");
    my %by;
    push @{$by{$_->{method}}}, $_ for @cost;
    my @curve = @{$by{pebs} // []};
    is(scalar(grep { $_->{samples} == 0 || $_->{cycles} < $_->{plain} } @cost), 0,
        "$name: each point has samples and costs");
    is(scalar(grep { $_->{clock} eq 'tsc' } @cost), 0, "$name: under a hypervisor the clock is a counter, not the TSC");
    is(scalar(grep { $_->{samples} != $curve[0]{samples} } @curve), 0, "$name: PEBS has the same number of samples at each point");
    my @each = map { ($_->{cycles} - $_->{plain}) / $_->{samples} } @curve;
    is(scalar(grep { $each[$_] >= $each[$_ - 1] } 1 .. $#each), 0,
        "$name: more records per interrupt make a sample cheaper");
    my $interrupt = $by{interrupt}[0];
    cmp_ok($each[-1], '<', ($interrupt->{cycles} - $interrupt->{plain}) / $interrupt->{samples},
        "$name: a sample of a full buffer costs less than an interrupt per sample");
    is($by{lbr}[0]{cycles}, $by{lbr}[0]{plain}, "$name: LBR takes no modelled time");
    cmp_ok($by{bts}[0]{cycles}, '>', $by{bts}[-1]{cycles}, "$name: BTS is cheaper with a larger buffer");
    ok($by{lbr_read}[0]{cycles}, "$name: reading the LBR stack takes time");
    my %most = (pebs => 60, bts => 20);
    my @service = measured($lines, 'service');
    is(join(' ', map { $_->{kind} } @service), 'pebs bts', "$name: the service routine is measured");
    cmp_ok($_->{instructions}, '<=', $most{$_->{kind}} * $_->{records},
        "$name: the service routine takes at most $most{$_->{kind}} instructions per $_->{kind} record") for @service;
}

for my $machine (@machines) {
    my $name = "$machine->{profile} $machine->{width}";
    my ($lines, $violations) = boot_machine($machine, 'run=measure.skid.*,measure.cost.*,measure.events.* timeout=60');
    diag map { "$_\n" } @$lines if !ok(passed($lines), "$name passes");
    # The code is also measured with PEBS set up and its counter off.
    is(join('', grep { /^(?:violation|advice) / && !/ (?:event-not-counted:|counter-off: IA32_PERF_GLOBAL_CTRL 0x200000000 )/ } @$violations), '', "$name: no violation");
    my ($got, $want) = (bars_of($lines), bars_for($machine));
    is_deeply($got, $want, "$name: all " . keys(%$want) . ' bars of the histograms');
    is(bars_drawn($lines), keys %$want, "$name: the tables show the same number of bars");
    check_cost($name, $lines);
    my @events = measured($lines, 'events');
    cmp_ok(scalar(grep { $_->{samples} } @events), '>=', @{$machine->{events}},
        "$name: at least the listed events have samples");
    is(scalar(grep { $_->{samples} != $_->{of_kind} } @events), 0,
        "$name: all samples are at instructions of the event's kind");
    my %of_event = map { $_->{event} => $_->{samples} } @events;
    is($of_event{'MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE'}, 64, "$name: a sample for half of the lines that only the third level caches")
        if $machine->{profile} eq 'skylake';
    note map { "$_\n" } grep { /^# /
        && !/^# (?:area|facility|event \w.* not) / } @$lines if $machine->{profile} eq 'skylake';
}

# On the modelled Skylake: 120 rounds of 999 taken branches. Each 31st branch interrupts; PEBS records each 32nd.
{
    my ($lines) = boot_machine($machines[0], 'run=measure.cost.sampling');
    is(join(' ', map { "$_->{records_per_interrupt}:$_->{samples}" } measured($lines, 'cost')),
        '1:3867 ' . join(' ', map { "$_:3746" } 1, 2, 4, 8, 16, 32, 64, 128, 256, 317), 'the points of the curve');
}

# Each fault changes a histogram. Faults that the kernel detects also make a test fail.
for my $case (
    ['pebs.record.eventing_ip_next', 0, 'EventingIP at the next instruction'],
    ['pebs.record.ip_of_event', 0, 'IP at the instruction of the event'],
    ['pebs.pdir.ignored', 0, 'a distribution that is not precise'],
    ['pebs.arming.skipped', 0, 'the overflowing event recorded'],
    ['pmi.late', undef, 'an interrupt that comes late'],
    ['perfmon.overflow.no_interrupt', 0, 'no interrupt']) {
    my ($fault, $passes, $what) = @$case;
    my ($lines) = boot_machine($machines[0], 'run=measure.skid.loads timeout=60', '-f', $fault);
    is(passed($lines), !!$passes, "$what: the verdict") if defined $passes;
    my $want = bars_for($machines[0]);
    delete $want->{$_} for grep { !/ loads / } keys %$want;
    my $got = bars_of($lines);
    isnt(join(',', map { "$_=$got->{$_}" } sort keys %$got), join(',', map { "$_=$want->{$_}" } sort keys %$want),
        "$what: another histogram");
}
done_testing;
