#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# The plugin in QEMU, built with the address sanitizer and the sanitizer of undefined behaviour: tests pass on three
# machines, and neither sanitizer reports anything. scripts/sanitized runs more.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(run);
use Test::More;

my $root = "$FindBin::Bin/../..";
my $compiler = $ENV{HOST_CC} // 'gcc';
# QEMU loads the sanitizers' libraries before all others. QEMU itself frees less than it allocates.
my @libraries = map { `$compiler -print-file-name=lib$_.so` =~ s/\n//r } qw(asan ubsan);
plan skip_all => "the sanitizers of $compiler are not gcc's libraries" if grep { !-e } @libraries;
local $ENV{LD_PRELOAD} = "@libraries";
local $ENV{ASAN_OPTIONS} = 'detect_leaks=0';
for my $boot (['bts.*,ds.*,lbr.*,pebs.*', qw(-p skylake)], ['arch.*,lbr.*', qw(-p clearwaterforest)],
    ['all_cpus.*,pebs.adaptive.*', qw(-p alderlake -s 4)]) {
    my ($tests, @machine) = @$boot;
    my (undef, $log, $errors) = run("$root/scripts/machine", 'boot', '-m', "$root/build/host/dsmodel.so",
        '-o', "timeout=100 run=$tests", @machine);
    like $log, qr/^# end dstest86 verdict=pass /m, "@machine: $tests pass";
    # The address sanitizer also warns of QEMU's coroutines.
    unlike $errors, qr/ERROR: |runtime error: /, "@machine: no report of a sanitizer";
}
done_testing;
