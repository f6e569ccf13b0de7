# SPDX-License-Identifier: MIT
#
# The matrix of claims: what the logs of machines say of each claim in docs/conformance.md.
package Claims;
use strict;
use warnings;
use Entry qw(kindless);
use Exporter 'import';
our @EXPORT_OK = qw(read_claims failed contradicted matrix);

# The claims in their order: { id, level, profiles }; level is architectural or typical, profiles '-' where no boot of the
# model has run the test.
sub read_claims
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my @claims;
    for (<$file>) {
        my (undef, @cells) = split / ?(?<!\\)\| ?/;
        my ($id) = ($cells[0] // '') =~ /^`([a-z0-9._]+)`$/ or next;
        push @claims, { id => $id, level => $1, profiles => $cells[4] } if @cells > 5 && $cells[3] =~ /^(architectural|typical)\b/;
    }
    die "$path: no table of claims\n" if !@claims;
    return @claims;
}

# The tests that failed in a log, sorted.
sub failed
{
    my ($log) = @_;
    return sort grep { $log->{result}{$_} eq 'fail' } @{$log->{ids}};
}

# The claims that a log contradicts: those whose test failed, as ids without a kind of cores.
sub contradicted
{
    my ($log) = @_;
    my %found = map { kindless($_) => 1 } failed($log);
    return sort keys %found;
}

# A claim's results: RESULT => { MACHINE => reason }. Logs of the same product, with the same processor and microcode, count
# as one machine.
sub results_of
{
    my ($id, @logs) = @_;
    my %of;
    for my $log (@logs) {
        my $machine = join ', ', @{$log->{form}}{qw(machine signature microcode)};
        for my $own (grep { kindless($_) eq $id } @{$log->{ids}}) {
            $of{$log->{result}{$own}}{$machine} = $log->{reason}{$own} // '';
        }
    }
    return %of;
}

# What is known of a claim: its state, and the machines, reasons or profiles. One contradiction outweighs all else.
sub state_of
{
    my ($claim, @logs) = @_;
    my %of = results_of($claim->{id}, @logs);
    my $listed = sub { my $at = $of{$_[0]}; join '; ', map { "$_: $at->{$_}" } sort keys %$at };
    return ('contradicted', $listed->('fail')) if $of{fail};
    my $seen = keys %{{%{$of{pass} // {}}, %{$of{differs} // {}}}};
    return ("seen on $seen " . ($seen == 1 ? 'machine' : 'machines'), $of{differs} ? 'differs on ' . $listed->('differs') : '') if $seen;
    return ('no verdict', $listed->('error')) if $of{error};
    return ('cannot be seen', $listed->('skip')) if $of{skip};
    return $claim->{profiles} eq '-' ? ('not run', '') : ('modelled', $claim->{profiles});
}

# The page, as text. logs: those that count; whose: what they are, in words.
sub matrix
{
    my ($claims, $whose, @logs) = @_;
    my (%count, @rows);
    for my $claim (@$claims) {
        my ($state, $where) = state_of($claim, @logs);
        $count{$state =~ s/ on \d+ .*//r}++;
        push @rows, "| `$claim->{id}` | $claim->{level} | $state | " . ($where =~ s/\|/\\|/gr) . " |\n";
    }
    my $counts = join ', ', map { "$_: $count{$_}" } sort keys %count;
    return <<"END" . join '', @rows;
# What logs say of each claim

Written by `make corpus-check` from docs/conformance.md and $whose. A claim is

- contradicted, if its test failed in a log;
- seen on N machines, if the test passed there, or differed from what is typical, and failed nowhere;
- no verdict, if its test ended in an error, and passed or failed nowhere;
- one that cannot be seen, if each of the logs that has its test skipped it, for the reason given;
- modelled, if no log has its test: it ran on the model's profiles that are named;
- not run, if the model's boots do not have it either.

$counts

| claim | level | state | where |
|---|---|---|---|
END
}

1;
