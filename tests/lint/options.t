#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# docs/booting.md lists the options that the kernel takes, each of them with its words, and no other. TAP.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file);
use Test::More;

my $top = "$FindBin::Bin/../..";

# Each option with the values that it takes: "" for none, "a|b" for one of some words, else the form that the help has.
my ($table) = matched('boot/options.c', qr/^\} table\[\] = \{\n(.*?)^\};/ms);
my %taken = map { /^(\w+)"/ ? ($1 => form($_)) : () } split /^    \{ "/m, $table;
ok keys %taken > 10, 'boot/options.c: ' . keys(%taken) . ' options';
ok $taken{run} && $taken{gdbwait} eq '' && $taken{end} eq 'halt|reboot|poweroff', 'with a value, without, with one of some words';

sub matched
{
    my ($file, $pattern) = @_;
    my @found = read_file("$top/$file") =~ $pattern or die "$file: nothing matches $pattern\n";
    return @found;
}

sub form
{
    my ($row) = @_;
    return $1 if $row =~ /VALUE\("([^"]+)"/;
    return '' if $row =~ /FLAG\(/;
    return join '|', $row =~ /\] = "(\w+)"/g;
}

my ($list) = matched('docs/booting.md', qr/^## Options\n\n((?:    .*\n)+)/m);
my %listed = $list =~ /(?:^    |  )([a-z]+)(?:=(\S+)|(?=  |$))/mg;
for my $name (sort keys %taken) {
    ok exists $listed{$name}, "$name is in docs/booting.md";
    is $listed{$name} // '', $taken{$name}, "... with the words that the kernel takes" if $taken{$name} =~ /^[a-z|]*$/;
    ok defined $listed{$name}, '... with a value' if $taken{$name} !~ /^[a-z|]*$/;
}
is join(' ', grep { !exists $taken{$_} } sort keys %listed), '', 'and no other';

done_testing;
