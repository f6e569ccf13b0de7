#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# docs/booting.md lists the options that the kernel takes, each of them and no other. TAP.
use strict;
use warnings;
use FindBin;
use Test::More;

my $top = "$FindBin::Bin/../..";

sub slurp
{
    my ($file) = @_;
    local $/;
    open my $in, '<', "$top/$file" or die "$file: $!\n";
    return scalar <$in>;
}

my %taken = slurp('boot/options.c') =~ /^    \{ "(\w+)", (?:"([^"]*)"|NULL), /mg;
ok keys %taken > 10, 'boot/options.c: ' . keys(%taken) . ' options';
ok exists $taken{run} && exists $taken{gdbwait}, 'those with a value, and those without';

my ($list) = slurp('docs/booting.md') =~ /^## Options\n\n((?:    .*\n)+)/m or die "docs/booting.md: no list of options\n";
my %listed = $list =~ /(?:^    |  )([a-z]+)(?:=(\S+)|(?=  |$))/mg;
for my $name (sort keys %taken) {
    ok exists $listed{$name}, "$name is in docs/booting.md";
    is defined $listed{$name}, defined $taken{$name}, "$name: with a value, or none, as the kernel takes it";
}
is join(' ', grep { !exists $taken{$_} } sort keys %listed), '', 'and no other';

done_testing;
