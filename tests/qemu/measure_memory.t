#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# On the model, run=measure.memory.* and run=measure.sharing.* have known answers. The sizes of the modelled caches determine
# the level that serves a ring, and the level its latency (build/profiles prints both). The turns in which processors write
# determine which loads find a line modified elsewhere. The truth log must have the same number of them.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(boot lines_in read_file);
use KernelLog qw(judge);
use Model qw(profiles);
use Test::More;

# Boots, and returns the log's lines. The model writes to the folder.
sub boot_into
{
    my ($folder, @arguments) = @_;
    return lines_in((boot('-d', $folder, @arguments))[1]);
}

# Checks that the log is complete, has this verdict, and that the referee reported no violation.
sub ends
{
    my ($name, $verdict, $folder, @lines) = @_;
    my (undef, $said, @wrong) = judge(\@lines);
    push @wrong, 'verdict ' . ($said // 'none') . ", not $verdict" if ($said // '') ne $verdict;
    push @wrong, map { "referee: $_" } grep { /^violation / } split /^/, read_file("$folder/violations");
    ok(!@wrong, "$name ends with $verdict") or diag(map({ "$_\n" } @wrong), map { "$_\n" } grep { /^# wrong|^not ok/ } @lines);
}

# The "key value" pairs of each line "# measure KIND ..", as a hash. A value in quotation marks may have blanks.
sub measured
{
    my ($kind, @lines) = @_;
    my @found;
    for my $line (@lines) {
        next if $line !~ /^# measure \Q$kind\E (.*)/;
        my %pairs = $1 =~ /(\S+) ("[^"]*"|\S+)/g;
        s/^"(.*)"$/$1/ for values %pairs;
        push @found, \%pairs;
    }
    return @found;
}

# --- memory ---------------------------------------------------------------------------------------------------------

my ($l1, $l2, $l3, $ram) = ('L1 or L1 hit', 'L2 or L2 hit', 'L3 or L3 hit', 'Local RAM or RAM hit');
my ($kib, $mib) = (1024, 1024 * 1024);

# For each profile with three levels: their sizes in KiB, their cycles, and the cycles of memory, from the model's tables. No ring
# should be as large as a level: the kernel's own lines then move part of it to the next level.
my %caches;
my %more = (goldencove => 1, lunarlake => 1, alderlake => 1, clearwaterforest => 1, sierraforest => 1, pantherlake => 1);    # the instruction's own cycles
for (qx($FindBin::Bin/../../build/profiles)) {
    my ($profile, @cells) = /^\| `([\w-]+)`(?:, P)? \| (.*?) \| (.*?) \| (.*?) \| .*? \| ([\d, ]+) \| .*\|$/ or next;
    my @cycles = split /, /, pop @cells;
    my @kib = map { /^([\d.]+) ([KM])iB / ? $1 * ($2 eq 'M' ? 1024 : 1) : () } @cells;
    $caches{$profile} = [@kib, map { $_ + ($more{$profile} // 0) } @cycles[0 .. 3]] if @kib == 3;
}

# Commonly published values: KiB of the levels; minimum and maximum cycles of a load from the first, the second and, if
# published, the third. Not compared with the tables of Intel's Optimization Reference Manual (248966). The third level and
# memory depend on the clock and the size of the part.
my %usual = (
    nehalem => [[32, 256, 8192], [4, 4], [10, 10], [35, 40]],
    sandybridge => [[32, 256, 8192], [4, 4], [12, 12], [26, 31]],
    haswell => [[32, 256, 8192], [4, 4], [11, 12]],
    broadwell => [[32, 256, 4096], [4, 4], [11, 12]],
    skylake => [[32, 256, 8192], [4, 4], [12, 12], [34, 44]],
    icelake => [[48, 1280, 8192], [5, 5], [13, 14]],
    goldencove => [[48, 2048, 8192], [5, 5], [14, 16]],
    lunarlake => [[48, 2560, 12288], [4, 4], [15, 18]],
    pantherlake => [[48, 3072, 12288], [4, 4], [15, 18]],
    alderlake => [[48, 1280, 8192], [5, 5], [14, 16]],
    clearwaterforest => [[32, 4096, 12288], [4, 4], [17, 20]],
    sierraforest => [[32, 4096, 12288], [4, 4], [17, 20]],
);
is_deeply([grep { !$caches{$_} } sort keys %usual], [], 'the model has three caches of each of these processors');
for my $profile (sort keys %usual) {
    my ($kib, @ranges) = @{$usual{$profile}};
    my @cycles = @{$caches{$profile}}[3 .. 6];
    $_ -= $more{$profile} // 0 for @cycles;
    is_deeply([@{$caches{$profile}}[0 .. 2]], $kib, "$profile: the cache sizes are the published ones");
    my @odd = grep { $cycles[$_] < $ranges[$_][0] || $cycles[$_] > $ranges[$_][1] } 0 .. $#ranges;
    is("@odd", '', "$profile: the cycles of each level (@cycles) are in the published range");
    ok($cycles[2] > 2 * $cycles[1] && $cycles[3] > 2 * $cycles[2], "$profile: the third level and memory are more than twice as slow as the level before");
}
my @sizes = map { $_ * $kib } 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144;

sub level_of
{
    my ($profile, $size) = @_;
    my @level = @{$caches{$profile}};
    my @words = ($l1, $l2, $l3);
    for my $i (0 .. 2) {
        return ($words[$i], $level[3 + $i]) if $size <= $level[$i] * $kib;
    }
    return ($ram, $level[6]);
}

# Every profile with load latency has such a row; the others skip these measurements.
for my $profile (grep { !$caches{$_} } profiles()) {
    my @lines = boot_into(tempdir(CLEANUP => 1), '-p', $profile, '-w', 32, '-o', 'run=measure.memory.*,measure.sharing.*');
    is((grep { / measure\.(memory|sharing)\.\S+ # SKIP no (?:load latency|PEBS): / } @lines), 12,
        "$profile: the model has no three caches, and the log says no load latency");
}

# One profile for each encoding of the source and latency. The largest rings, of memory alone, only once.
my @names = qw(4k 16k 64k 256k 1m 4m 16m 64m 256m);
for my $profile (qw(nehalem skylake goldencove sierraforest clearwaterforest)) {
    my $folder = tempdir(CLEANUP => 1);
    my $width = $profile =~ /e$/ ? 32 : 64;    # each width on some profiles
    my $last = $profile eq 'skylake' ? $#sizes : 6;
    my @fitting = @sizes[0 .. $last];
    my $run = join ',', map { "measure.memory.$_" } @names[0 .. $last];
    my @lines = boot_into($folder, '-p', $profile, '-w', $width, '-o', "run=$run records=0 timeout=60", '--', '-m', $profile eq 'skylake' ? 640 : 256);
    ends("memory on $profile", 'pass', $folder, @lines);
    is_deeply([map { $_->{size} } measured('memory', @lines)], \@fitting, "$profile: all sizes");
    # Sierra Forest's load latency counters have precise distribution: the overflowing event itself is recorded.
    my $spacing = $profile eq 'sierraforest' ? 128 : 129;
    is_deeply([map { $_->{samples} } measured('memory', @lines)], [(int((32768 + 5) / $spacing)) x @fitting],
        "$profile: a sample for every ${spacing}th of 32768 steps and five loads of parameters");
    my @rows = measured('level', @lines);
    my (@levels, @latencies, @expected, @cycles);
    for my $size (@fitting) {
        my ($main) = sort { $b->{samples} <=> $a->{samples} } grep { $_->{size} == $size } @rows;
        push @levels, "$size: " . ($main->{samples} >= 220 ? $main->{level} : 'mixed');
        push @latencies, join ' ', map { $main->{$_} } qw(p50 p90 p99 max);
        my ($level, $cycles) = level_of($profile, $size);
        push @expected, "$size: $level";
        push @cycles, "$cycles $cycles $cycles $cycles";
    }
    is_deeply(\@levels, \@expected, "$profile: levels");
    is_deeply(\@latencies, \@cycles, "$profile: percentiles");
}

{
    my $folder = tempdir(CLEANUP => 1);
    my @lines = boot_into($folder, '-o', 'run=measure.memory.256m');
    ends('a ring that does not fit', 'skip', $folder, @lines);
    ok((grep { $_ eq 'ok 1 measure.memory.256m # SKIP no contiguous 262144 KiB of free memory below 4 GiB' } @lines),
        'a ring that does not fit is skipped with the reason');
    @lines = boot_into($folder, '-o', 'run=measure.memory.4m records=0');
    is_deeply([map { "$_->{level} $_->{samples}" } measured('level', @lines)], ["$l3 254"], 'one ring alone: its level');
}

for my $broken (['pebs.data.source_next', 'measure.memory.16k'], ['pebs.data.address_line', 'measure.sharing.false'],
    ['pebs.data.source_next', 'measure.sharing.false'], ['pebs.data.store_address_zero', 'measure.sharing.padded']) {
    my ($fault, $test) = @$broken;
    my @lines = boot_into(tempdir(CLEANUP => 1), '-f', $fault, '-s', 2, '-o', "run=$test records=0");
    my $fails = grep { /^not ok 1 \Q$test\E$/ } @lines;
    is($fails, $fault eq 'pebs.data.source_next' && $test =~ /sharing/ ? 0 : 1, "$test on a processor with fault=$fault");
}

# --- sharing --------------------------------------------------------------------------------------------------------

my $samples = 59;    # per processor: every 17th of 1024 loads, from the 25th on
my $lines_each = 8;

# The number of records in the truth log of loads whose line was modified elsewhere.
sub modified_in_truth
{
    my ($folder, $profile) = @_;
    my $code = $profile eq 'nehalem' ? '0x6' : '0x7';
    return scalar grep { /^pebs .* data_source=$code latency=[1-9]/ } split /^/, read_file("$folder/truth");
}

sub check_sharing
{
    my ($name, $profile, $count, $folder, @lines) = @_;
    my $stores = $profile eq 'nehalem' ? 0 : $samples * $count;
    ends("sharing on $name", 'pass', $folder, @lines);
    my $in_truth = 0;
    for my $layout ('false', 'padded', 'true') {
        my @shared = grep { $_->{layout} eq $layout } measured('sharing', @lines);
        my @accesses = grep { $_->{layout} eq $layout } measured('sharing_access', @lines);
        my %sum = (loads => 0, hitm => 0, stores => 0);
        for my $line (@shared) {
            $sum{$_} += $line->{$_} for keys %sum;
        }
        my $hitm = $layout eq 'padded' ? 0 : $samples * $count;
        is_deeply(\%sum, {loads => $samples * $count, hitm => $hitm, stores => $stores}, "$name, $layout: loads, hitm, stores");
        is(scalar @shared, $lines_each * ($layout eq 'padded' ? $count : 1), "$name, $layout: lines");
        my @stray = grep { !(
                $_->{offset} == ($layout eq 'false' ? 8 * $_->{cpu} : 0)
                && $_->{symbol} eq "sharing_$_->{cpu}_" . ($_->{stores} ? 'store' : 'load')
                && $_->{cpu} == ($layout eq 'padded' ? hex($_->{line}) % 512 / 128 : $_->{cpu})
                && $_->{hitm} == ($layout eq 'padded' ? 0 : $_->{loads})
            ) } @accesses;
        is_deeply(\@stray, [], "$name, $layout: each access at its word, by its processor's routine");
        my %cpus = map { $_->{cpu} => 1 } @accesses;
        is(join(' ', sort keys %cpus), join(' ', 0 .. $count - 1), "$name, $layout: all processors");
        $in_truth += $hitm;
    }
    is(modified_in_truth($folder, $profile), $in_truth, "$name: the truth has the same number of loads from lines modified elsewhere");
}

my $sharing = 'run=measure.sharing.false,measure.sharing.padded,measure.sharing.true records=0 timeout=60';
my @machines = ([64, 'pvh', 'skylake', 2], [32, 'pvh', 'icelake', 4], [64, 'pvh', 'nehalem', 2], [32, 'pvh', 'haswell', 2],
    [64, 'bios-cd', 'skylake', 2]);
for my $machine (@machines) {
    my ($width, $route, $profile, $count) = @$machine;
    my $folder = tempdir(CLEANUP => 1);
    my @lines = boot_into($folder, '-r', $route, '-p', $profile, '-w', $width, '-s', $count, '-o', $sharing);
    check_sharing("$profile, $count processors, $width bits, $route", $profile, $count, $folder, @lines);
}

{
    my $folder = tempdir(CLEANUP => 1);
    my @lines = boot_into($folder, '-o', $sharing);
    ends('sharing on one processor', 'skip', $folder, @lines);
    is((grep { /^ok \d measure\.sharing\.\S+ # SKIP one processor: no other to share with$/ } @lines), 3, 'one processor: skipped with the reason');
    @lines = boot_into($folder, '-o', $sharing, '--', '-smp', '2,threads=2', '-cpu', 'max,vendor=GenuineIntel');
    is((grep { / # SKIP the other processors are threads of this core and use the same caches$/ } @lines), 3,
        'threads of one core: skipped with the reason');
    @lines = boot_into($folder, '-s', 2, '-o', $sharing, '--', '-machine', 'acpi=off');
    is((grep { / # SKIP no ACPI: no valid root pointer \(RSDP\)$/ } @lines), 3, 'without ACPI: skipped with the reason');
    @lines = boot_into($folder, '-s', 2, '-o', 'run=measure.sharing.x2apic');
    ends('a processor that was left in x2APIC mode', 'pass', $folder, @lines);
    # The measurement leaves the machine as it was for the tests that follow.
    @lines = boot_into($folder, '-s', 2, '-o', 'run=measure.sharing.true,pebs.*,bts.* records=0');
    ends('tests after the measurement', 'pass', $folder, @lines);
}
done_testing;
