# SPDX-License-Identifier: MIT
# Compares a finished boot with its line of tests/qemu/cases: its exit status, and the files in its folder (serial, stderr,
# truth, violations).
package Judge;
use strict;
use warnings;
use Exporter 'import';
use File::Basename 'dirname';
use Faults qw(matching);
use KernelLog qw(clean judge results verdict_of_status);
use Rows qw(lines_of);
use Truth qw(compare);
our @EXPORT_OK = qw(problems colours unproven read_violators);

my $root = dirname(__FILE__) . '/../..';

sub read_lines
{
    my ($path) = @_;
    open my $file, '<', $path or return;
    my @lines = map { clean($_) } <$file>;
    return \@lines;
}

# The problems of a boot that must be refused: by QEMU with status 1, or by scripts/machine itself.
sub check_refusal
{
    my ($case, $status, $lines, $errors) = @_;
    my @wrong;
    push @wrong, "status $status, not a refusal" if $status != 1 && $status != 2;
    push @wrong, 'the machine started' if @$lines;
    push @wrong, 'one line of errors expected, got ' . @$errors if @$errors != 1;
    push @wrong, "the refusal does not contain \"$case->{text}\"" if !grep { index($_, $case->{text}) >= 0 } @$errors;
    return @wrong;
}

# The tests that violate the manual on purpose, from tests/qemu/violations: ID => [NAME..].
sub read_violators
{
    return map { ($_->{words}[0] => [split ' ', $_->{value}]) } lines_of($_[0]);
}

# How often the tests that ran must have caused each violation, by name.
sub count_wanted
{
    my ($lines, %violators) = @_;
    my %wanted;
    my @ran = map { /^(?:not )?ok \d+ (\S+)(?!\S| # SKIP)/ ? $1 =~ s/\.(?:core|atom|kind)\d*$//r : () } @$lines;
    $wanted{$_}++ for map { @{$violators{$_} // []} } @ran;
    return \%wanted;
}

# Violations that the model's referee reported without reason, or failed to report. If several tests expect the same
# one, a single report may do, because the referee does not repeat it at the same instruction. Ignores lines of other kinds.
sub check_violations
{
    my ($wanted, @said) = @_;
    my (%count, @wrong);
    for my $line (grep { /^violation / } @said) {
        my ($name) = $line =~ / rip=\S+ ([^:]+): / ? $1 : '';
        push @wrong, $line if ++$count{$name} > ($wanted->{$name} // 0);
    }
    return (@wrong, map { "the referee did not report $_" } grep { !$count{$_} } sort keys %$wanted);
}

# A boot's lines, with dsdump's text of each test's records behind the test's other lines, instead of what the kernel printed of
# them; and what is wrong with the dump.
sub with_records
{
    my ($serial, $lines) = @_;
    my (@out, @tests, $test);
    open my $text, '-|', "$root/build/dsdump", '--text', $serial or die "dsdump: $!\n";
    while (<$text>) {
        push @tests, [$1] if /^# test (\S+)/;
        push @{$tests[-1]}, clean($_) if !/^# test /;
    }
    close $text or return ([], 'dsdump cannot read the dump');
    for (@$lines, '# test') {
        if (/^# test ?(\S*)/) {
            my (undef, @records) = @tests && $tests[0][0] eq ($test // '') ? @{shift @tests} : ();
            push @out, @records;
            $test = $1;
        }
        push @out, $_ if !(@tests && $tests[0][0] eq ($test // '') && /^# (?:bts|pebs|lbr) (?:\d|stack)/);
    }
    return (\@out, map { "the log has no test $_->[0] where the dump has records of it" } @tests);
}

# The problems of a boot that must reach a verdict, and a remark.
sub check_boot
{
    my ($case, $status, $lines, $errors, $violators) = @_;
    my ($folder, $modelled) = ($case->{folder}, $case->{profile} ne 'none');
    my (undef, $verdict, @wrong) = judge($lines);
    my ($width) = map { /^# begin dstest86 \S+ \S+ (\d+)$/ ? $1 : () } @$lines;
    my $remark;
    push @wrong, "the $width-bit kernel started" if defined $width && $width != $case->{width};
    # With exit=none the kernel does not use the exit device; QEMU is shut down instead.
    my $exit = $case->{options} =~ /\bexit=none\b/ && $status == 0 ? $verdict : verdict_of_status($status);
    push @wrong, "QEMU's exit status $status is not a verdict" if !defined $exit;
    push @wrong, "QEMU's exit status $status says $exit, the log says " . ($verdict // 'nothing')
        if defined $exit && $exit ne ($verdict // '');
    push @wrong, 'verdict ' . ($verdict // 'none') . ", expected $case->{expected}"
        if ($verdict // '') ne $case->{expected};
    push @wrong, 'not ok: ' . join ' ', map { /^not ok \d+ (\S+)/ ? $1 : () } @$lines
        if ($verdict // '') =~ /^(fail|error)$/ && $verdict ne $case->{expected};
    # A model without latitude behaves typically.
    push @wrong, map { /^# (differs [a-z0-9._]+: .*)/ ? $1 : () } @$lines if $modelled && !defined $case->{latitude};
    my $wanted = sub { defined $case->{text} && index($_[0], $case->{text}) >= 0 };
    push @wrong, "neither the log nor stderr contains \"$case->{text}\""
        if defined $case->{text} && !grep { $wanted->($_) } @$lines, @$errors;
    push @wrong, map { "stderr: $_" } grep { !$wanted->($_) } @$errors;

    # With a quirk the kernel breaks rules without knowing.
    if ($modelled && !defined $case->{quirk}) {
        my $said = read_lines("$folder/violations");
        push @wrong, $said ? check_violations(count_wanted($lines, %$violators), @$said) :
            'the model wrote no violations file';
    }
    if ($modelled && $case->{options} =~ /\b(?:records=all|(dump=raw))\b/) {
        my $truth = read_lines("$folder/truth");
        push @wrong, 'the model wrote no truth log' if !$truth;
        ($lines, my @unplaced) = $1 ? with_records("$folder/serial", $lines) : $lines;
        ($remark, my @different) = compare($lines, $truth // []);
        push @wrong, @unplaced;
        push @wrong, @different if $truth;
    }
    return (\@wrong, $remark);
}

# The results of a boot, ID => 'red', 'green' or 'skip', and its verdict, empty if there is none. A difference from the typical
# is red, except on a processor with latitude, which may differ.
sub colours
{
    my ($folder, $latitude) = @_;
    my ($results, $verdict) = results("$folder/serial");
    my $red = $latitude ? qr/^(?:fail|error)$/ : qr/^(?:fail|error|differs)$/;
    return ({ map { $_ => $results->{$_} =~ $red ? 'red' : $results->{$_} eq 'skip' ? 'skip'
        : 'green' } keys %$results }, $verdict);
}

# The problems of a boot with a fault (a line of Faults.pm with the keys that SideBySide.pm adds), given the colours without the
# fault. Adds to the line: must, the tests that must notice; red, those that did; caught: they, or a panic, show the fault.
sub unproven
{
    my ($line, $healthy, $latitude) = @_;
    my @wrong;
    my ($results, $verdict) = colours($line->{folder}, $latitude);
    my @ran = grep { $healthy->{$_} eq 'green' } sort keys %$healthy;
    my %red = map { $_ => 1 } grep { ($results->{$_} // '') eq 'red' } @ran;
    my ($must, @idle) = matching($line->{globs}, @ran);
    @$line{qw(must red caught)} = ($must, \%red, %red || $line->{panic} && $verdict eq 'panic');
    return "timed out after $line->{killed} seconds" if $line->{killed};
    return 'the kernel printed no verdict' if $verdict eq '';
    return $line->{caught} ? () : 'no test noticed' if $latitude;
    push @wrong, $line->{panic} ? 'the kernel did not panic' : 'the kernel panicked'
        if ($verdict eq 'panic') != $line->{panic};
    my @missing = grep { !$red{$_} } sort keys %$must;
    push @wrong, "did not notice: @missing" if @missing;
    push @wrong, "matches no test that runs there: @idle" if @idle;
    push @wrong, 'noticed by: ' . (join(' ', sort keys %red) || 'none') if @wrong;
    return @wrong;
}

# The problems of a boot (a case of Cases.pm, with its folder and the keys that SideBySide.pm adds), given what
# read_violators() read; and a remark, undef if there is nothing to remark.
sub problems
{
    my ($case, $violators) = @_;
    my $lines = [grep { $_ ne '' } @{read_lines("$case->{folder}/serial") // []}];
    my $errors = read_lines("$case->{folder}/stderr") // [];
    return [sprintf 'timed out after %d seconds; the last line is: %s', $case->{killed}, $lines->[-1] // 'none']
        if $case->{killed};
    return [check_refusal($case, $case->{status}, $lines, $errors)] if $case->{expected} eq 'refused';
    return check_boot($case, $case->{status}, $lines, $errors, $violators);
}

1;
