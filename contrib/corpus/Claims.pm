# SPDX-License-Identifier: MIT
#
# The matrix of claims: what the logs of machines show about each claim in docs/conformance.md.
package Claims;
use strict;
use warnings;
use Exporter 'import';
use Files qw(read_file);
our @EXPORT_OK = qw(read_claims kindless contradicted matrix);

# The claims in their order: { id, level, profiles }; level is architectural or typical, profiles '-' where no boot of the
# model has run the test.
sub read_claims
{
    my @claims;
    for (split /\n/, read_file($_[0])) {
        my (undef, @cells) = split / ?(?<!\\)\| ?/;
        push @claims, { id => $1, level => $2, profiles => $cells[4] }
            if @cells > 5 && "$cells[0] $cells[3]" =~ /^`([a-z0-9._]+)` (architectural|typical)\b/;
    }
    die "$_[0]: no table of claims\n" if !@claims;
    return @claims;
}

# An id without the suffix of the kind of core.
sub kindless { return $_[0] =~ s/\.(?:core|atom|kind)\d*$//r }

# The claims that a log contradicts: the ids of failed tests, without a kind of core.
sub contradicted
{
    my ($log) = @_;
    my %found = map { kindless($_) => 1 } grep { $log->{result}{$_} eq 'fail' } @{$log->{ids}};
    return sort keys %found;
}

# What is known of a claim: its state, and the machines, reasons or profiles. A contradiction takes precedence. Logs of the
# same product, with the same processor and microcode, count as one machine.
sub state_of
{
    my ($claim, @logs) = @_;
    my %of;    # RESULT => { MACHINE => reason }
    for my $log (@logs) {
        my $machine = join ', ', @{$log->{form}}{qw(machine signature microcode)};
        $of{$log->{result}{$_}}{$machine} = $log->{reason}{$_} // '' for grep { kindless($_) eq $claim->{id} } @{$log->{ids}};
    }
    my $listed = sub { my $at = $of{$_[0]}; join '; ', map { "$_: $at->{$_}" } sort keys %$at };
    return ('contradicted', $listed->('fail')) if $of{fail};
    my $seen = keys %{{%{$of{pass} // {}}, %{$of{differs} // {}}}};
    return ("seen on $seen machine" . ($seen > 1 && 's'), $of{differs} ? 'differs on ' . $listed->('differs') : '') if $seen;
    return ('no verdict', $listed->('error')) if $of{error};
    return ('cannot be seen', $listed->('skip')) if $of{skip};
    return $claim->{profiles} eq '-' ? ('not run', '') : ('modelled', $claim->{profiles});
}

# The page, as text. logs: those that count; source: what they are, in words.
sub matrix
{
    my ($claims, $source, @logs) = @_;
    my (%count, @rows);
    for my $claim (@$claims) {
        my ($state, $where) = state_of($claim, @logs);
        $count{$state =~ s/ on \d+ .*//r}++;
        push @rows, "| `$claim->{id}` | $claim->{level} | $state | " . ($where =~ s/\|/\\|/gr) . " |\n";
    }
    my $counts = join ', ', map { "$_: $count{$_}" } sort keys %count;
    return <<"END" . join '', @rows;
# What logs say of each claim

Written by `make corpus-check` from docs/conformance.md and $source. docs/corpus.md says what the states mean.

$counts

| claim | level | state | where |
|---|---|---|---|
END
}

1;
