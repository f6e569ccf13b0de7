# SPDX-License-Identifier: MIT
# Reads the faults, and which tests must notice each: tests/qemu/faults describes its lines.
package Faults;
use strict;
use warnings;
use Exporter 'import';
use Model qw(faults widest_of);
use Rows qw(lines_of rows);
our @EXPORT_OK = qw(sentences rule_of read_faults matching);

# FAULT => what is broken: the model's faults, and check.NAME for each rule of the kernel's own check: the Makefile builds
# mutants without that rule.
sub sentences
{
    my @rules = map { rows($_, 'RULE(id, name, weight, sentence, citation)', qw(name sentence)) }
        qw(ds/ds_check.inc ds/arch_check.inc);
    return (faults(), map { ("check.$_->[0]" => "the kernel's check accepts what $_->[1]") } @rules);
}

# The rule of a fault check.NAME; undef for other faults.
sub rule_of { return ($_[0] // '') =~ /^check\.(\w+)$/ ? $1 : undef }

# The lines with faults, each a hash.
sub read_faults
{
    my ($path) = @_;
    my %known = sentences();
    my @faults;
    for my $line (lines_of($path)) {
        my $refuse = sub { die "$line->{where}: $_[0]: $line->{text}\n" };
        $refuse->('expected FAULT PROFILE [WIDTH] [OPTIONS..] : GLOB..') if !defined $line->{value};
        my ($fault, $profile, @rest) = @{$line->{words}};
        $refuse->('no profile before the colon') if !defined $profile;
        my $passed = $fault;
        $fault =~ s/@\d+$//;
        $refuse->("unknown fault '$fault'") if !exists $known{$fault};
        my $width = widest_of($profile) // $refuse->("unknown profile '$profile'");
        $width = shift @rest if @rest && $rest[0] =~ /^(32|64)$/;
        my ($processors) = map { /^processors=(\d+)$/ ? $1 : () } @rest;
        my @options = grep { !/^processors=/ } @rest;
        my @globs = split ' ', $line->{value};
        my $panic = @globs && $globs[0] eq 'panic' ? shift @globs : '';
        $refuse->('no test after the colon') if !@globs && !$panic;
        push @faults, { text => $line->{text}, fault => $fault, passed => $passed, profile => $profile, width => $width,
            options => \@options, processors => $processors // 1, panic => $panic ne '',
            globs => \@globs };
    }
    return @faults;
}

# The tests of a list that match the globs, ID => 1; and the globs that match none.
sub matching
{
    my ($globs, @tests) = @_;
    my (%wanted, @idle);
    for my $glob (@$globs) {
        my $pattern = join '.*', map { quotemeta } split /\*/, $glob, -1;
        my @matches = grep { /^$pattern$/ } @tests;
        push @idle, $glob if !@matches;
        @wanted{@matches} = (1) x @matches;
    }
    return (\%wanted, @idle);
}

1;
