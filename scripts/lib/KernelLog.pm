# SPDX-License-Identifier: MIT
# Reads the kernel's output over serial (docs/output.md): results of tests, and the judgement of dsdump --judge.
package KernelLog;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
our @EXPORT_OK = qw($dsdump clean judge results_in verdict_of_status);

our $dsdump = realpath(dirname(realpath(__FILE__)) . '/../..') . '/build/dsdump';

# QEMU's exit status is the debug exit device's value * 2 + 1; 1 is QEMU's own failure.
my %verdict_of_status = (33 => 'pass', 35 => 'fail', 37 => 'skip', 39 => 'error', 41 => 'panic', 45 => 'incomplete');

# The verdict that QEMU's exit status encodes, undef if none.
sub verdict_of_status { return $verdict_of_status{$_[0]} }

# A line without its newline and firmware's escape sequences.
sub clean
{
    my ($line) = @_;
    $line =~ s/\e\[[0-9;?=]*[A-Za-z]//g;
    $line =~ s/[\r\n]+//g;
    return $line;
}

# The results in a log's lines, ID => pass, differs, fail, skip or error, and its verdict: empty if there is none.
sub results_in
{
    my ($lines) = @_;
    my ($begun, $differs, $verdict, %result) = (0, 0, '');
    for (@$lines) {
        $begun ||= /^# begin dstest86\b/;
        next if !$begun;
        if (/^(not )?ok \d+ ([a-z0-9._]+)(?: # (\w*).*)?$/) {
            my ($not, $id, $directive) = ($1, $2, $3 // '');
            $result{$id} = $not ? ($directive =~ /^(?:ERROR|TIMEOUT)$/ ? 'error' : 'fail') : $directive eq 'SKIP' ? 'skip' : $differs ? 'differs' : 'pass';
            $differs = 0;
        }
        $differs = 1 if /^# differs: /;
        $verdict ||= $1 if /^# end dstest86 .*\bverdict=(\w+)/;
    }
    return (\%result, $verdict);
}

# Judges the lines of one boot. Returns the exit status of dsdump --judge, the verdict in the log (undef if none) and the
# problems of an unusable log. What dsdump says of others is advice.
sub judge
{
    my ($lines) = @_;
    require File::Temp;
    my $log = File::Temp->new;
    print $log map { "$_\n" } @$lines;
    close $log or die "$log: $!\n";
    my @said = qx('$dsdump' --judge '$log' 2>&1 >/dev/null);
    my $status = $? >> 8;
    die "$dsdump failed (run make tools): @said\n" if $? & 127 || $status >= 126 && $status != 134;
    my (undef, $verdict) = results_in($lines);
    return ($status, $verdict eq '' ? undef : $verdict, $status != 2 ? () : map { /^dsdump: \Q$log\E: (?:line \d+: )?(.*)/ ? $1 : () } @said);
}

1;
