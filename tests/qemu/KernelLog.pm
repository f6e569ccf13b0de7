# SPDX-License-Identifier: MIT
#
# Reads the kernel's output over serial (docs/output.md) and judges whether the run is complete and consistent.
package KernelLog;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(clean judge read_boot verdict_of_status);

# QEMU's exit status is the debug exit device's value * 2 + 1; 1 is QEMU's own failure.
my %verdict_of_status = (33 => 'pass', 35 => 'fail', 37 => 'skip', 39 => 'error', 41 => 'panic');

# The verdict that QEMU's exit status stands for, undef if it stands for none.
sub verdict_of_status
{
    return $verdict_of_status{$_[0]};
}

# A line without its end and without firmware's escape sequences.
sub clean
{
    my ($line) = @_;
    $line =~ s/\e\[[0-9;?=]*[A-Za-z]//g;
    $line =~ s/[\r\n]+//g;
    return $line;
}

# The results of tests/qemu/boots in a folder: the profile, undef without the model, and the kernel's lines.
sub read_boot
{
    my ($folder) = @_;
    open my $serial, '<', "$folder/serial" or die "$folder/serial: $!\n";
    my @lines = map { clean($_) } <$serial>;
    open my $truth, '<', "$folder/truth" or return (undef, @lines);
    return ((<$truth> // '') =~ /^dsmodel truth 1 profile=(\S+)$/ ? $1 : undef, @lines);
}

# The result of a test line in the recap's words.
sub result_of
{
    my ($ok, $directive) = @_;
    return $directive =~ /^SKIP\b/ ? 'skip' : 'pass' if $ok;
    return $directive =~ /^(ERROR|TIMEOUT)\b/ ? 'error' : 'fail';
}

# Judges the lines of one boot. Returns the verdict in the log (undef if none) and the problems of the log.
sub judge
{
    my ($lines) = @_;
    my (@wrong, $begin, $plan, $listed, @ends, %result, @ids, %recap);
    for (@$lines) {
        if (/^# begin dstest86\b/) {
            push @wrong, '"# begin" came twice: the kernel started again' if $begin++;
        } elsif (!$begin) {
            next;    # firmware's
        } elsif (/^1\.\.(\d+)$/) {
            push @wrong, 'a second plan' if defined $plan;
            $plan = $1;
        } elsif (/^(not )?ok (\d+) ([a-z0-9._]+)(?: # (.*))?$/) {
            my ($not, $number, $id, $directive) = ($1, $2, $3, $4 // '');
            push @wrong, "$id has number $number, not " . (@ids + 1) if $number != @ids + 1;
            push @wrong, "$id reported twice" if exists $result{$id};
            push @wrong, "$id skipped without a reason" if $directive =~ /^SKIP\s*$/;
            push @wrong, "$id skipped as not ok" if $not && $directive =~ /^SKIP/;
            push @ids, $id;
            $result{$id} = result_of(!$not, $directive);
        } elsif (/^(?:not )?ok\b/) {
            push @wrong, "not a result line: $_";
        } elsif (/^# result (\S+) (\S+)$/) {
            push @wrong, "recap of $1 twice" if exists $recap{$1};
            $recap{$1} = $2;
        } elsif (/^# test [a-z0-9._]+: /) {
            $listed = 1;
        } elsif (/^# end dstest86\b *(.*)$/) {
            push @ends, $1;
        }
    }
    return (undef, 'no "# begin dstest86" line') if !$begin;

    my %end = map { /^([a-z]+)=(\w+)$/ ? ($1, $2) : () } split ' ', $ends[0] // '';
    push @wrong, 'the line "# end" is there ' . @ends . ' times, not once' if @ends != 1;
    push @wrong, '"# end" has no verdict' if @ends && !$end{verdict};
    my $verdict = $end{verdict} // '';
    # A panic ends wherever it happens, an error in the options before there is a plan, and option list runs nothing.
    my $early = $verdict eq 'error' || $verdict eq 'skip' && $listed;
    return ($end{verdict}, @wrong) if $verdict eq 'panic' || $early && !defined $plan && !@ids;

    push @wrong, 'no plan' if !defined $plan;
    push @wrong, "plan of $plan, " . @ids . ' reported' if defined $plan && $plan != @ids;
    my %count = (pass => 0, fail => 0, skip => 0, error => 0);
    for my $id (@ids) {
        $count{$result{$id}}++;
        push @wrong, "recap has " . ($recap{$id} // 'nothing') . " for $id, which is $result{$id}"
            if ($recap{$id} // '') ne $result{$id};
    }
    push @wrong, "recap has the unknown test $_" for grep { !exists $result{$_} } sort keys %recap;
    for (sort keys %count) {
        push @wrong, "\"# end\" says $_=" . ($end{$_} // 'nothing') . ", counted $count{$_}"
            if ($end{$_} // -1) ne $count{$_};
    }
    my $right = $count{error} || !@ids ? 'error' : $count{fail} ? 'fail' : $count{pass} ? 'pass' : 'skip';
    push @wrong, "verdict=$verdict, but the results make it $right" if $verdict && $verdict ne $right;
    return ($end{verdict}, @wrong);
}

1;
