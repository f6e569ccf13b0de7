#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# The default log of all tests is short enough for a serial line, in bytes because times depend on the host. A test that does
# not pass also prints the records that were held back.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# 115200 baud are 11520 bytes a second. Of the 20 seconds of a run, 12 are for the line and the rest for the tests.
my $bytes = 12 * 11520;

# The processors with the most tests and with the longest records.
for my $profile (qw(skylake goldencove)) {
    my ($verdict, $log) = boot('-p', $profile);
    is($verdict, 'pass', "$profile: all tests");
    cmp_ok(length $log, '<', $bytes, "$profile: the log is " . length($log) . ' bytes');
    my $test = '';
    for (split /\r\n/, $log) {
        $test = $1 if /^# test (\S+)/;
        fail("$profile, $test: $_") if /^# (?:bts|pebs) [1-9]/ && $test ne 'bts.circular.undrained';    # prints all records itself
        fail("$profile, $test: $_") if /^# lbr (\d+) / && $1 > 7;
    }
    unlike($log, qr/did not pass/, "$profile: no test prints the records of a failure");
}

# The numbers of a kind's records in a log, with "more" at the line that announces further records.
sub records
{
    my ($kind, $log) = @_;
    my (%seen, @numbers);
    for ($log =~ /^# (?:$kind (\d+) |more records, because the test did not pass:)/mg) {
        push @numbers, $_ // 'more' if !$seen{$_ // 'more'}++;
    }
    return join ' ', @numbers;
}

for (['pebs.record.rax_zero', 'pebs.loads', 'pebs'], ['bts.record.swapped', 'bts.calls', 'bts']) {
    my ($fault, $test, $kind) = @$_;
    for (['', '0 more 1 2 3 4 5 6 7'], ['records=3', '0 1 2'], ['records=none', '']) {
        my ($option, $numbers) = @$_;
        my ($verdict, $log) = boot('-p', 'skylake', '-f', $fault, '-o', "run=$test $option");
        is($verdict, 'fail', "$fault, $test, " . ($option || 'by default'));
        is(records($kind, $log), $numbers, '... records of the test that failed');
        like($log, qr/^# $kind 7 .*\n(?:# .*\n)*not ok 1 /m, '... before its result') if !$option;
    }
}

my ($verdict, $log) = boot('-p', 'skylake', '-f', 'lbr.entry.aborted', '-o', 'run=lbr.info');
is($verdict, 'fail', 'lbr.entry.aborted, lbr.info');
is(records('lbr', $log), join(' ', 0 .. 7, 'more', 8 .. 31), '... the whole stack of the test that failed');
done_testing;
