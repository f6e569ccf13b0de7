#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# The proof of the tests must fail where it should: it is shown files like tests/qemu/faults with one mistake each, on the
# profile that boots fastest, which has no PEBS.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Faults qw(expected globs_for read_faults);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

sub prove
{
    my ($lines, @arguments) = @_;
    open my $file, '>', "$folder/faults" or die "$folder/faults: $!\n";
    print $file $lines;
    close $file;
    my @prove = ("$FindBin::Bin/prove", '-d', "$folder/logs", '-f', "$folder/faults", @arguments);
    open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @prove or die "prove: $!\n";
    my $said = join '', <$out>;
    close $out;
    my $status = $? >> 8;
    return ($status, $said);
}

my $machine = 'pentium-m run=lbr.calls,lbr.tos,bts.calls';
my $right = "lbr.tos.stuck $machine : lbr.calls lbr.tos\n";
my ($status, $said) = prove($right, '.');
is $status, 0, 'a right line passes' or diag $said;
like $said, qr/^# faults caught 1$/m, 'and its fault is counted';

for (
    ['a fault that nothing notices', "pebs.index.stuck $machine :\n", qr/nothing turned red/],
    ['a test that does not notice', "lbr.tos.stuck $machine : lbr.calls lbr.tos bts.calls\n", qr/did not notice: bts\.calls$/m],
    ['a test that notices unexpectedly', "lbr.tos.stuck $machine : lbr.tos\n", qr/the line does not say so: lbr\.calls$/m],
    ['a glob of no test', "lbr.tos.stuck $machine : lbr.* no.such.test\n", qr/no test that runs there: no\.such\.test$/m],
    ['a panic that does not come', "lbr.tos.stuck $machine : panic lbr.*\n", qr/the kernel did not panic/],
    ['a fault that there is not', "lbr.no_such_fault $machine : lbr.*\n", qr/came to no verdict/],
    ['a machine that fails without a fault', "lbr.tos.stuck pentium-m run=selftest.no_records : *\n", qr/not pass/]) {
    my ($what, $lines, $complaint) = @$_;
    ($status, $said) = prove($lines, '.');
    is $status, 1, "$what: fails";
    like $said, $complaint, "$what: says so";
}

# The whole must be complete.
($status, $said) = prove($right);
is $status, 1, 'one line is not the whole';
like $said, qr/not caught: .*\bbts\.index\.stuck\b/, 'faults without a line are named';
unlike $said, qr/not caught: .*\blbr\.tos\.stuck\b/, 'the one with a line is not';
like $said, qr/turned red by no fault: bts\.calls$/m, 'a test that no fault turns red is named';

# What is found out is written back, and then passes.
($status, $said) = prove("# kept\nlbr.tos.stuck $machine :\n", '-w', '.');
my ($all, $line) = read_faults("$folder/faults");
is $all->[0], '# kept', 'comments stay';
is "@{$line->{globs}}", 'lbr.*', 'what turned red is written';

# Globs.
my @tests = qw(a.b a.b.c a.c a.d b.a);
is_deeply [expected(['a.*', '!a.c'], \@tests)], [{ 'a.b' => 1, 'a.b.c' => 1, 'a.d' => 1 }], 'the last glob decides';
is_deeply [expected(['a.b'], \@tests)], [{ 'a.b' => 1 }], 'a name is itself alone';
is_deeply [expected(['c.*'], \@tests)], [{}, 'c.*'], 'a glob that matches nothing is told of';
for my $bits (0 .. 31) {
    my %red = map { $tests[$_] => 1 } grep { $bits >> $_ & 1 } 0 .. $#tests;
    my ($again, @idle) = expected([globs_for(\%red, \@tests)], \@tests);
    is_deeply [$again, @idle], [\%red], "globs mean what they were made of: $bits";
}

done_testing;
