#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Boots each test of tests/qemu/violations alone, because another test could excuse a violation: the referee reports exactly
# the violations of its line, each once.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Judge qw(problems read_violators);
use SideBySide qw(side_by_side);
use Test::More;

my $seconds = 60;
my $folder = tempdir(CLEANUP => 1);
my %violators = read_violators("$FindBin::Bin/violations");
my @boots = map {
    my $test = $_;
    map { {
        folder => "$folder/$test-$_", arguments => ['-w', $_, '-d', "$folder/$test-$_", '-o', "run=$test"],
        name => "$test, $_ bits", width => $_, profile => 'skylake', expected => 'pass', options => '',
    } } 64, 32
} sort keys %violators;
cmp_ok(scalar @boots, '>', 40, 'there are tests that violate the manual');
side_by_side($seconds, sub {
    my ($boot) = @_;
    my ($wrong) = problems($boot, \%violators);
    is(join("\n", @$wrong), '', $boot->{name});
}, @boots);
done_testing;
