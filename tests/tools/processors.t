#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Records of several processors in one dump: each is printed with its processor, and with what the data source tells about
# lines that processors share. perf c2c finds the same shared lines as the kernel. Prints TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($dsdump boot elf run_program perfs);
use Test::More;

my $samples = 59;    # of each processor, event and layout: see tests/qemu/measure_memory.t
my $folder  = tempdir(CLEANUP => 1);
my @tests   = map { "measure.sharing.$_" } qw(false padded true);

# "address hitm loads stores" of each line of a layout, as the kernel's log has it and as perf c2c has it.
sub lines_of_log
{
    my ($log, $layout) = @_;
    open my $file, '<', $log or die "$log: $!\n";
    return sort map { /^# measure sharing layout $layout line (\S+) loads (\d+) hitm (\d+) stores (\d+)/ ? "$1 $3 $2 $4" : () } <$file>;
}

sub lines_of_perf
{
    my ($out) = @_;
    # index, address, node, pages, share, HITMs in all, of loads, ... : local and remote, records, loads, stores
    return sort map { /^\s+\d+\s+(0x\w+)\s+\S+\s+\d+\s+[\d.]+%\s+(\d+)\s+\d+\s+\d+\s+\d+\s+(\d+)\s+(\d+)\s/ ? "$1 $2 $3 $4" : () } split /\n/, $out;
}

for my $machine ([64, 'skylake', 2], [32, 'icelake', 4]) {
    my ($width, $profile, $count) = @$machine;
    my $log = boot("$folder/$profile.log", $width, $profile, 'run=' . join(',', @tests), '-s', $count);
    my ($status, $out, $err) = run_program({ folder => $folder }, $dsdump, '--elf', elf($width), '--script', $log);
    is "$status$err", '0', "$profile $width, $count processors: dsdump reads it";
    my %seen;
    for my $line (split /\n/, $out) {
        my ($test, $cpu, $event) = $line =~ /^(\S+) .* \[0*(\d+)\] .* (\S+):\s/ or next;
        my $kind = $event =~ /STORES$/ ? 'stores' : 'loads';
        $seen{"$test $kind on $cpu"}++;
        $seen{"$test HitM on $cpu"}++ if $line =~ /\|SNP HitM\|/;
    }
    my %expected;
    for my $cpu (0 .. $count - 1) {
        for my $test (@tests) {
            $expected{"$test $_ on $cpu"} = $samples for 'loads', 'stores', $test =~ /padded$/ ? () : 'HitM';
        }
    }
    is_deeply \%seen, \%expected, "$profile $width: samples of each processor" or diag explain \%seen;
}
for my $layout ('false', 'true') {
    my $log = boot("$folder/$layout.log", 64, 'skylake', "run=measure.sharing.$layout", '-s', 3);
    run_program({ folder => $folder }, $dsdump, '--elf', elf(64), '--perf-data', "$folder/$layout.data", $log);
    my @kernels = lines_of_log($log, $layout);
    is scalar @kernels, 8, "$layout: lines";
    for my $perf (perfs()) {
        my ($name, @command) = @$perf;
        my (undef, $out, $err) = run_program({ folder => $folder }, @command, 'c2c', 'report', '--stdio', '-i', "$folder/$layout.data");
        is_deeply [lines_of_perf($out)], \@kernels, "$layout: perf c2c ($name) has the kernel's lines" or diag "$err$out";
    }
}
done_testing;
