#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Debian's own perf on the perf.data that dsdump writes: what it prints is what dsdump prints, its table of memory
# levels is the kernel's, and it finds our symbols and source lines. TAP.
use strict;
use warnings;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Dump qw($dsdump boot elf run_program perfs same_form);
use Model qw(profiles widest_of);
use Test::More;

my @perfs = perfs();
plan skip_all => 'no perf here (Debian: linux-perf, or ./bootstrap --linux)' if !@perfs;

my $folder = tempdir(CLEANUP => 1);

sub dsdump
{
    my (@arguments) = @_;
    my ($status, $out, $err) = run_program({ folder => $folder }, $dsdump, @arguments);
    is "$status$err", '0', "dsdump @arguments[2 .. $#arguments - 1]" =~ s/\Q$folder\E\///gr;
    return $out;
}

# What perf prints of a file, in whose folder it is started: not every perf has -i for every command.
sub perf
{
    my ($perf, $file, @arguments) = @_;
    mkdir "$folder/here";
    copy($file, "$folder/here/perf.data") or die "$file: $!\n";
    my (undef, @command) = @$perf;
    my ($status, $out, $err) = run_program({ folder => $folder, chdir => "$folder/here" }, @command, @arguments);
    return ($out, $status ? "status $status: $err" : '');
}

# The first difference of two texts.
sub first_difference
{
    my ($ours, $perfs) = @_;
    my @a = split /\n/, $ours;
    my @b = split /\n/, $perfs;
    for my $i (0 .. ($#a > $#b ? $#a : $#b)) {
        return "line $i:\n  ours: " . ($a[$i] // 'none') . "\n  perf: " . ($b[$i] // 'none')
            if ($a[$i] // '') ne ($b[$i] // '');
    }
    return '';
}

my %dumped;    # logs by profile
for my $profile (profiles()) {
    my $width = widest_of($profile);
    my $log  = boot("$folder/$profile.log", $width, $profile, 'run=bts.*,lbr.*,pebs.*');
    my @from = ('--elf', elf($width));
    dsdump(@from, '--perf-data', "$folder/$profile.data", $log);
    my $ours = same_form(dsdump(@from, '--script', $log));
    cmp_ok scalar(split /\n/, $ours), '>', 3000, "$profile $width: records";
    for my $perf (@perfs) {
        my ($text, $wrong) = perf($perf, "$folder/$profile.data", 'script');
        is $wrong, '', "$profile $width: perf $perf->[0] reads the file";
        is first_difference($ours, same_form($text)), '',
            "$profile $width: perf $perf->[0] script prints what --script does";
    }
    $dumped{$profile} = $log;
}

# LBR stacks. perf 6.1 ends an entry behind the kind of branch, newer ones have one field more.
my $log = $dumped{skylake};
my $stacks = dsdump('--elf', elf(64), '--brstack', $log);
dsdump('--elf', elf(64), '--only', 'lbr', '--perf-data', "$folder/lbr.data", $log);
for my $perf (@perfs) {
    my ($text, $wrong) = perf($perf, "$folder/lbr.data", 'script', '-F', 'ip,brstacksym');
    $text =~ s/^(.{17})(?=\S)/$1 /mg;
    $text =~ s/\/-(?= |$)/\//mg;
    $text =~ s/\/\/(?= |$)/\//mg;
    is first_difference(same_form($stacks), same_form($text)), '',
        "perf $perf->[0] script -F ip,brstacksym prints what --brstack does";
    ($text, $wrong) = perf($perf, "$folder/lbr.data", 'report', '--stdio', '--branch-history');
    like $text, qr/kinds_loop workload\S*:\d+|kinds_loop branches\.asm:\d+/,
        "perf $perf->[0] report --branch-history has our symbols and lines";
}

# What LBR entries count: two bits of each of four counters, the lowest first, which --text writes as digits.
my $counting = boot("$folder/counters.log", 64, 'clearwaterforest', 'run=lbr.events.*');
my @counted = map { join ' ', map { /\/([0-3])([0-3])([0-3])([0-3])(?: |$)/ ? $1 + 4 * $2 + 16 * $3 + 64 * $4 : 0 } @$_ }
    grep { grep { /\/[0-3]{4}(?: |$)/ } @$_ }
    map { [grep { /^# lbr \d/ } split /\n/] } split /^# lbr stack/m, dsdump('--elf', elf(64), '--text', $counting);
cmp_ok scalar(@counted), '>', 3, 'stacks whose entries count events';
dsdump('--elf', elf(64), '--branch-counters', '--only', 'lbr', '--perf-data', "$folder/counters.data", $counting);
for my $perf (grep { version->parse($_->[0] =~ s/^(\d+\.\d+).*/$1.0/r) >= version->parse('6.12.0') } @perfs) {
    my ($text, $wrong) = perf($perf, "$folder/counters.data", 'script', '-D');
    my @read = map { join ' ', map { hex } /^\.{5} +\d+: ([0-9a-f]{16})$/mg }
        $text =~ /branch stack counters: nr:\d+ \(counter width: 2 max counter nr:4\)\n((?:\.{5} +\d+: [0-9a-f]{16}\n)+)/g;
    is_deeply \@read, \@counted, "perf $perf->[0] reads what each LBR entry counts";
    ($text, $wrong) = perf($perf, "$folder/counters.data", 'script', '-F', '+brstackinsn,+brcntr', '--comms',
        'lbr.events.together');
    like $text, qr/br_cntr: A+B+C+D+\t#/, "perf $perf->[0] script -F +brcntr has letters";
}

# The trace of calls: its functions, and where they go.
dsdump('--elf', elf(64), '--only', 'bts', '--perf-data', "$folder/bts.data", $log);
for my $perf (@perfs) {
    my ($text, $wrong) = perf($perf, "$folder/bts.data", 'report', '--stdio', '--comms', 'bts.calls');
    like $text, qr/\[\.\] calls_outer_1 +\[\.\] calls_inner/, "perf $perf->[0] report has the branches of bts.calls";
    ($text, $wrong) = perf($perf, "$folder/bts.data", 'script', '-F', '+srcline');
    like $text, qr/^ +branches\.asm:\d+/m, "perf $perf->[0] script -F +srcline finds source lines";
}

sub share
{
    my ($row) = @_;
    return ($row // '') =~ /^([\d.]+)%/ ? $1 : -1;
}

sub samples
{
    my ($row) = @_;
    return $row =~ /(\d+)$/ ? $1 : -1;
}

# The kernel's table of memory levels and perf's, of the same samples.
my %kernels;
my $inside = 0;
open my $lines, '<', boot("$folder/table.log", 64, 'skylake', 'run=pebs.load_latency.hierarchy')
    or die "$folder/table.log: $!\n";
while (<$lines>) {
    $inside = 1 if /^# Overhead +Samples +Memory access/;
    $inside = 0 if !/^#/;
    $kernels{$3} = "$1 $2" if $inside && /^# +([\d.]+%) +(\d+) +(\S.*?)\s*$/;
}
cmp_ok scalar(keys %kernels), '>', 2, 'rows of the kernel\'s table of memory levels';
dsdump('--elf', elf(64), '--perf-data', "$folder/table.data", "$folder/table.log");
dsdump('--elf', elf(64), '--only', 'pebs', '--perf-data', "$folder/pebs.data", $log);
for my $perf (@perfs) {
    my ($text, $wrong) = perf($perf, "$folder/table.data", 'mem', 'report', '--stdio', '--sort=mem');
    my %rows = map { /^ +([\d.]+%) +(\d+) +(\S.*?)\s*$/ ? ($3 => "$1 $2") : () } split /\n/, $text;
    delete $rows{'N/A'};
    for my $words (keys %rows) { # as perf 6.1 and the kernel have them
        my $long = $words =~ s/^(L[1-4]) hit/$1 or $1 hit/r =~ s/^RAM hit/Local RAM or RAM hit/r;
        $rows{$long} = delete $rows{$words};
    }
    is_deeply { map { ($_ => samples($rows{$_})) } keys %rows },
        { map { ($_ => samples($kernels{$_})) } keys %kernels },
        "perf $perf->[0] mem report has the kernel's rows" or diag $text;
    cmp_ok abs(share($rows{$_}) - share($kernels{$_})), '<', 0.0101,
        "perf $perf->[0]: the share of $_" for sort keys %kernels;
    ($text, $wrong) = perf($perf, "$folder/pebs.data", 'mem', 'report', '--stdio');
    like $text, qr/\[\.\] chase_load +dstest86-64\.elf +\[\.\] workload_ring/,
        "perf $perf->[0] mem report names the data";
}

done_testing;
