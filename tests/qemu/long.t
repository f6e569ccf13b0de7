#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Sends a million records of each kind through small buffers. The kernel's count, the buffer indexes and the model's truth log
# must agree, and the dump must have them all: the service routine does not wait for the serial line. Prints the three counts.
# The truth log goes through a FIFO and is only counted.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(mkfifo);
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file run);
use KernelLog qw(clean);
use Test::More;

my $least = 1_000_000;
my @runs = (['long.bts', 'core2', 'bts'], ['long.pebs.taken', 'skylake', 'pebs']);

# Waits for the machine's end and returns the number of records that the model wrote, by kind.
sub count_truth
{
    my ($path) = @_;
    my %count;
    open my $truth, '<', $path or die "long.t: $path: $!\n";
    $count{substr $_, 0, index $_, ' '}++ while <$truth>;
    return \%count;
}

for my $run (@runs) {
    my ($test, $profile, $kind) = @$run;
    my $folder = tempdir(CLEANUP => 1);
    mkfifo("$folder/truth", 0600) or die "long.t: $folder/truth: $!\n";
    my $pid = fork // die "long.t: fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$folder/log" or die "long.t: $folder/log: $!\n";
        exec "$FindBin::Bin/../../scripts/machine", 'boot', '-p', $profile, '-o', "run=$test dump=raw timeout=300", '-d', $folder
            or die "long.t: machine: $!\n";
    }
    my $truth = count_truth("$folder/truth");
    waitpid $pid, 0;
    my @lines = map { clean($_) } split /^/, read_file("$folder/log");
    my ($kernel, $index) = map { /^# count $kind kernel (\d+) index (\d+) / ? ($1, $2) : () } @lines;
    $_ //= 0 for $kernel, $index, $truth->{$kind};
    diag map { "$_\n" } grep { !/^# dsdump/ } @lines if !ok((grep { /^# end dstest86 verdict=pass / } @lines), "$test on $profile passes");
    ok($kernel >= $least, "$test: at least $least records");
    is($kernel, $index, "$test: kernel and index agree");
    is($kernel, $truth->{$kind}, "$test: kernel and truth agree");
    is($truth->{'pebs-dropped'} // 0, 0, "$test: the processor dropped no record");
    my ($status, $statistics) = run("$FindBin::Bin/../../build/dsdump", '--stats', "$folder/log");
    like $statistics, qr/^$kind $kernel lost 0$/m, "$test: the dump has them all";
    note "$test: kernel $kernel, index $index, truth $truth->{$kind}";
}
done_testing;
