# SPDX-License-Identifier: MIT
#
# Reads the tables of faults, the model's and those of the kernel's own check, and tests/qemu/faults, and translates between sets of tests and globs.
package Faults;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(read_table read_rules rule_of read_faults expected globs_for);

my %narrow = map { $_ => 1 } qw(netburst pentium-m core-duo);    # processors without long mode

# NAME => what is broken.
sub read_table
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my %table = map { /^FAULT\(\w+, "([^"]+)", "([^"]+)"\)/ ? ($1, $2) : () } <$file>;
    die "$path: no faults\n" if !%table;
    return %table;
}

# The same for the kernel's check of the DS area, of which the Makefile builds mutants that do not report one rule: what
# the model cannot break. The path is that of ds/ds_check.h.
sub read_rules
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my %table;
    while (<$file>) {
        last if /^\s*DS_BREACH_COUNT/;
        $table{'check.' . lc $1} = "the kernel's check does not report this: $2" if m{^\s*DS_BREACH_(\w+),\s*/\* (.*) \*/};
    }
    die "$path: no rules\n" if !%table;
    return %table;
}

# The rule that a fault's name means, if it is one of these.
sub rule_of
{
    my ($fault) = @_;
    return ($fault // '') =~ /^check\.(\w+)$/ ? $1 : undef;
}

# Returns all lines as they are, and those that are faults, each a hash.
sub read_faults
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    chomp(my @all = <$file>);
    my @faults;
    for my $i (0 .. $#all) {
        next if $all[$i] =~ /^\s*(#|$)/;
        my ($left, $right) = $all[$i] =~ /^(.*?) :(?:\s+(.*))?$/ or die "$path: bad line: $all[$i]\n";
        my ($fault, $profile, @rest) = split ' ', $left;
        die "$path: no profile: $all[$i]\n" if !defined $profile;
        my $width = @rest && $rest[0] =~ /^(32|64)$/ ? shift @rest : $narrow{$profile} ? 32 : 64;
        my @globs = split ' ', $right // '';
        my $panic = @globs && $globs[0] eq 'panic' ? shift @globs : '';
        push @faults, { number => $i + 1, text => $all[$i], fault => $fault, profile => $profile, width => $width,
            options => \@rest, panic => $panic ne '', globs => \@globs };
    }
    return (\@all, @faults);
}

sub pattern
{
    my ($glob) = @_;
    my $pattern = join '.*', map { quotemeta } split /\*/, $glob, -1;
    return qr/^$pattern$/;
}

# Of these tests those that the globs mean, the last one that matches deciding; and the globs that match nothing.
sub expected
{
    my ($globs, $tests) = @_;
    my (%wanted, @idle);
    for my $glob (@$globs) {
        my ($not, $name) = $glob =~ /^(!?)(.*)$/;
        my $pattern = pattern($name);
        my @matches = grep { $_ =~ $pattern } @$tests;
        push @idle, $glob if !@matches;
        if ($not) {
            delete @wanted{@matches};
        } else {
            @wanted{@matches} = (1) x @matches;
        }
    }
    return (\%wanted, @idle);
}

# Few globs for the red ones of the tests whose ids begin with $prefix: the names below it one by one, or all of them
# but those that are not red.
sub cover
{
    my ($prefix, $red, @tests) = @_;
    my @wanted = grep { $red->{$_} } @tests;
    return () if !@wanted;
    return @tests if @tests == 1;
    return ("$prefix*") if @wanted == @tests;
    my %children;
    for my $test (@tests) {
        my ($child) = $test =~ /^(\Q$prefix\E[^.]*\.?)/;
        push @{$children{$child}}, $test;
    }
    my @parts = map { $_ eq $prefix ? @{$children{$_}} : cover($_, $red, @{$children{$_}}) } sort keys %children;
    my @but = ("$prefix*", map { "!$_" } grep { !$red->{$_} } @tests);
    return @but < @parts ? @but : @parts;
}

sub globs_for
{
    my ($red, $tests) = @_;
    return cover('', $red, @$tests);
}

1;
