#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The number of processors does not change a processor's records: processor 0 of four writes the same truth as a machine's only
# processor, except time stamps, and processors 1 to 3 write the same. With one processor, translated code has the addresses of
# its counts and its ring of blocks as constants; with several it computes them.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# Each processor's records in the truth log, in order, without time stamps.
sub truth
{
    my ($processors, $profile, $tests) = @_;
    my @records;
    my ($verdict) = boot('-s', $processors, '-p', $profile, '-d', $folder, '-o', "run=$tests");
    is($verdict, 'pass', "$profile: $tests pass on $processors");
    open my $file, '<', "$folder/truth" or die "several.t: $folder/truth: $!\n";
    for (<$file>) {
        push @{ $records[$1] }, s/ tsc=\S+//r if s/^(?:bts|lbr|pebs) \Kvcpu=(\d+) //;
    }
    return @records;
}

# The first line that differs, with its number; empty if the lists are equal. One list may be longer.
sub differs
{
    my ($one, $other) = @_;
    my $n = @$one < @$other ? @$one : @$other;
    return map { "$_: $one->[$_]" } grep { $one->[$_] ne $other->[$_] } 0 .. $n - 1;
}

for my $case (
    [ 'skylake',    'bts.*' ],
    [ 'skylake',    'lbr.calls,lbr.kinds' ],
    [ 'skylake',    'pebs.interrupt.threshold,pebs.registers' ],
    [ 'goldencove', 'lbr.calls,pebs.registers' ],
  )
{
    my ($one, $several) = map { (truth($_, @$case))[0] } 1, 4;
    ok(@$one > 20, '... enough records to compare') or diag(scalar @$one);
    is(@$several, @$one, '... four processors: the same number');
    is_deeply([ differs($several, $one) ], [], '... and equal');
}

# Each processor has its own buffer. Processor 0 is left out: it also starts the others.
my (undef, $second, @more) = map { [ map { s/ at=\S+//r } @$_ ] } truth(4, 'skylake', 'all_cpus.bts.in_turn,all_cpus.lbr.in_turn');
ok(@$second > 100, '... enough records to compare') or diag(scalar @$second);
for my $others (@more) {
    is(@$others, @$second, '... another processor: the same number');
    is_deeply([ differs($others, $second) ], [], '... and equal');
}
done_testing();
