#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# `make full-test` runs every test that there is but the one that installs packages, and `make test` all of these but what
# tests/full-only lists.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "full-only.t: $!\n";

open my $file, '<', 'tests/full-only' or die "full-only.t: tests/full-only: $!\n";
my @lines = grep { !/^(#|$)/ } <$file>;
my @listed = map { /^ *[1-9]\d* (\S+)\n\z/ ? $1 : () } @lines;
is(scalar @listed, scalar @lines, 'each line has seconds and a test');
is(join(' ', grep { !-x } @listed), '', '... that there is');

# What prove is told to run by a target, of which nothing is built: make has a folder of its own, and does not mind what it lacks.
my $build = tempdir(CLEANUP => 1);
sub run_by
{
    my ($target) = @_;
    local $ENV{CI} = '';
    my @prove = grep { /^prove / } split /\n/, qx(make -n V=1 B='$build' $target 2>&1);
    is(scalar @prove, 1, "make $target runs prove once");
    return grep { m{^(tests|build)/} } split ' ', $prove[0] =~ s/-e \S+//r =~ s{\Q$build\E/}{build/}gr;
}

# The host tests' names.
sub names
{
    my ($prefix) = @_;
    return map { m{^tests/$prefix(\w+)\.c$} } glob "tests/$prefix*.c";
}

sub sorted { return join "\n", sort @_ }

my @full = run_by('full-test');
my @quick = run_by('test');
my %full = map { ($_ => 1) } @full;
my @built = ((map { "build/host/test_$_" } names('host/test_')), map { "build/host/fuzz_$_" } grep { $_ ne 'main' } names('fuzz/'));
my @scripts = grep { $_ ne 'tests/packages/install.t' } glob 'tests/*/*.t';    # make package-test's, which first makes them
is(join(' ', grep { !$full{$_} } @built, @scripts, 'scripts/boots'), '', 'make full-test runs every test');
my %listed = map { ($_ => 1) } @listed;
is(sorted(@quick), sorted('scripts/some-boots', grep { !$listed{$_} } @full), 'make test runs all but what is listed');
done_testing;
