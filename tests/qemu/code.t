#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# The line "# code" of a log, decoded by dsdump, agrees with the log: for runs with every verdict, of both widths, of a few
# tests and of all.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(boot lines_in run);
use KernelLog qw(judge results_in);
use Test::More;

my $dsdump  = realpath("$FindBin::Bin/../../build") . '/dsdump';

sub boot_code
{
    my ($width, $profile, $options, @more) = @_;
    return lines_in((boot('-w', $width, '-p', $profile, '-o', "records=none recap=all $options", @more))[1]);
}

# The lines of the log that the code encodes.
sub said_by
{
    my @lines  = @_;
    my ($cpu)  = map { /^# cpu \S+ (family .*)/ ? $1 : () } @lines;
    my ($more) = map { /^# cpu physical .*, (under a hypervisor|no hypervisor), (microcode 0x[0-9a-f]+)$/ ? "$1, $2"
        : () } @lines;
    my @results = grep { /^# (area|result) / } @lines;
    if (grep { /^# panic/ } @lines) {    # this log has neither table nor recap: use KTAP's lines
        my ($result) = results_in(\@lines);
        @results = map { /^(?:not )?ok \d+ (\S+)/ ? "# result $1 $result->{$1}" : () } @lines;
    }
    return ((grep { /^# begin dstest86 / } @lines), "# cpu $cpu", "# cpu $more", @results,
        (map { /^(# facility \S+ (?:pass|fail|none|untested|not selected))\b/ ? $1 : () } @lines),
        grep { /^# end / } @lines);
}

sub decode
{
    my ($status, $out) = run($dsdump, '--code', $_[0]);
    return ($status, split /\n/, $out);
}

my @runs = (
    # the verdict, width, profile, the kernel's options, and further options of scripts/machine
    ['pass', 64, 'skylake', ''],
    ['fail', 64, 'skylake', 'run=bts.*', '-f', 'bts.threshold.ignored'],
    ['skip', 64, 'none', ''],
    ['pass', 32, 'netburst', 'run=pebs.*,bts.calls'],
    ['fail', 32, 'core2', 'run=*,measure.skid.* skip=long.*', '-f', 'bts.threshold.ignored'],
    ['incomplete', 64, 'skylake', 'run=bts.calls,lbr.*', '-q', 'msr_faults'],
    ['error', 64, 'none', 'run=selftest.verdict.*'],
    ['panic', 64, 'skylake', 'run=ds.*,selftest.exception,bts.*'],
    ['panic', 32, 'none', 'run=selftest.verdict.*,selftest.stack_overflow'],
    ['pass', 64, 'goldencove', 'run=lbr.kinds'],
);
for my $run (@runs) {
    my ($verdict, @boot) = @$run;
    my $name = "@boot";
    my @lines = boot_code(@boot);
    my @codes = grep { $lines[$_] =~ /^# code / } 0 .. $#lines;
    is @codes, 1, "$name: one code" or next;
    like $lines[$codes[0] + 1], qr/^# end dstest86 verdict=$verdict /, "$name: the code precedes # end, verdict $verdict";
    like $lines[$codes[0]], qr{^# code DSTEST86:[-0-9A-Z+./:]+$}, "$name: no character is special to a shell";
    my ($text) = $lines[$codes[0]] =~ /^# code (.*)/;
    cmp_ok length $text, '<=', 224, "$name: fits into version 7-L (" . length($text) . ' characters)';
    my ($status, @decoded) = decode($text);
    is $status, 0, "$name: dsdump decodes it";
    # A panic's log has no tables.
    @decoded = grep { !/^# area / } @decoded if $verdict eq 'panic';
    is_deeply \@decoded, [said_by(@lines)], "$name: the decoded text agrees with the log";
    my ($judged, @wrong) = judge(\@lines);
    is "@wrong", '', "$name: the log is well formed";
}

# A run that ends before its first test prints no code.
for my $run (['-o', 'list'], ['-o', 'nosuch=1'], ['-o', 'run=nosuch.*']) {
    my @lines = lines_in((boot('-p', 'none', @$run))[1]);
    like $lines[-1], qr/^# end dstest86 verdict=(skip|error)/, "@$run: ends";
    is_deeply [grep { /^# code/ } @lines], [], "@$run: no code";
}

done_testing;
