# SPDX-License-Identifier: MIT
# Reads the kernel's output over serial (docs/output.md) and judges whether the run is complete and consistent.
package KernelLog;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(clean judge results results_in verdict_of_status);

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

my @counts = qw(pass differs fail skip error);    # in the order of the table by area
my @facilities = qw(bts pebs lbr);

# The result of a test line in the recap's words. $differs: the test reported a difference.
sub result_of
{
    my ($ok, $directive, $differs) = @_;
    return $directive =~ /^SKIP\b/ ? 'skip' : $differs ? 'differs' : 'pass' if $ok;
    return $directive =~ /^(ERROR|TIMEOUT)\b/ ? 'error' : 'fail';
}

# Parses a log from "# begin" on into a hash, with the problems of single lines in {wrong}.
sub read_log
{
    my ($lines) = @_;
    my %log = (wrong => [], ends => [], ids => [], result => {}, recap => {}, reason => {}, area => {}, facility => {}, head => [], moves => 0, errors => 0);
    my $wrong = sub { push @{$log{wrong}}, "@_" };
    my ($differs, $table) = (0, 0);
    for (@$lines) {
        if (/^# begin dstest86\b/) {
            $wrong->('"# begin" occurs twice: the kernel restarted') if $log{begin}++;
        } elsif (!$log{begin}) {
            next;    # firmware's
        } elsif (/^1\.\.(\d+)$/) {
            $wrong->('a second plan') if defined $log{plan};
            $log{plan} = $1;
        } elsif (/^(not )?ok (\d+) ([a-z0-9._]+)(?: # (.*))?$/) {
            my ($not, $number, $id, $directive) = ($1, $2, $3, $4 // '');
            $wrong->("$id has number $number, not " . (@{$log{ids}} + 1)) if $number != @{$log{ids}} + 1;
            $wrong->("$id reported twice") if exists $log{result}{$id};
            $wrong->("$id skipped without a reason") if $directive =~ /^SKIP\s*$/;
            $wrong->("$id skipped as not ok") if $not && $directive =~ /^SKIP/;
            push @{$log{ids}}, $id;
            $log{result}{$id} = result_of(!$not, $directive, $differs);
            $differs = 0;
        } elsif (/^(?:not )?ok\b/) {
            $wrong->("not a result line: $_");
        } elsif (/^# differs: /) {
            $differs = 1;
        } elsif (/^# area +pass +differs +fail +skip +error$/) {
            $wrong->('a second table by area') if $table++;
        } elsif ($table && /^# area ([a-z0-9_]+)((?: +\d+){5})$/) {
            $wrong->("the table has the area $1 twice") if exists $log{area}{$1};
            $log{area}{$1} = join ' ', split ' ', $2;
        } elsif ($table && /^# (differs|fail|error) ([a-z0-9._]+): ./) {
            $wrong->("the reason for $2 twice") if exists $log{reason}{$2};
            $log{reason}{$2} = $1;
        } elsif (/^# result (\S+) (\S+)$/) {
            $wrong->("recap of $1 twice") if exists $log{recap}{$1};
            $log{recap}{$1} = $2;
        } elsif (/^# facility (\S+) (.*)$/) {
            $wrong->("the facility $1 twice") if exists $log{facility}{$1};
            $log{facility}{$1} = $2;
        } elsif (/^# cpu \d+ apic 0x[0-9a-f]+ .*, kind (\w+): \d+ of \d+ processors$/) {
            push @{$log{head}}, $1;
        } elsif (/^# tests on cpu \d+ apic 0x[0-9a-f]+ ./) {
            $log{moves}++;
        } elsif (/^# error: ./) {
            $log{errors}++;
        } elsif (/^# test [a-z0-9._]+: /) {
            $log{listed} = 1;
        } elsif (/^# end dstest86\b *(.*)$/) {
            push @{$log{ends}}, $1;
        }
    }
    return \%log;
}

# The results in a log's lines, ID => pass, differs, fail, skip or error, and its verdict: empty if there is none.
sub results_in
{
    my ($lines) = @_;
    my $log = read_log($lines);
    my ($verdict) = map { /\bverdict=(\w+)/ ? $1 : () } @{$log->{ends}};
    return ($log->{result}, $verdict // '');
}

# The results in a file; none if the file is missing.
sub results
{
    my ($path) = @_;
    open my $serial, '<', $path or return ({}, '');
    return results_in([map { clean($_) } <$serial>]);
}

# The problems of the table by area and of the reasons below it.
sub check_table
{
    my ($log) = @_;
    my (%area, @wrong);
    $area{$_->[0]}{$_->[1]}++ for map { [/^([^.]+)/, $log->{result}{$_}] } @{$log->{ids}};
    for my $area (sort keys %{{%area, %{$log->{area}}}}) {
        my $right = $area{$area} ? join ' ', map { $area{$area}{$_} // 0 } @counts : 'nothing';
        my $said = $log->{area}{$area} // ($right =~ /^0 0 0 \d+ 0$/ ? $right : 'nothing');    # areas of skips alone are left out
        push @wrong, "the table has $said for $area, counted $right" if $said ne $right;
    }
    for my $id (sort keys %{{map { $_ => 1 } @{$log->{ids}}, keys %{$log->{reason}}}}) {
        my $result = $log->{result}{$id} // 'not there';
        my ($right, $said) = ($result =~ /^(?:differs|fail|error)$/ ? $result : 'no', $log->{reason}{$id} // 'no');
        push @wrong, "the end gives $said reason for $id, which is $result" if $said ne $right;
    }
    return @wrong;
}

# The problems of the recap of each test, which the option recap=all prints.
sub check_recap
{
    my ($log) = @_;
    return if !%{$log->{recap}};
    return map { my ($said, $right) = ($log->{recap}{$_} // 'nothing', $log->{result}{$_} // 'unknown');
        $said eq $right ? () : "recap has $said for $_, which is $right" } sort keys %{{%{$log->{recap}}, %{$log->{result}}}};
}

# The suffix of the ids on each kind of core that the tests ran on: '' for the first kind, and the others from the line
# "# end", unless the tests ran on only one of them. No other id ends in a kind's name.
sub kinds_of
{
    my ($log) = @_;
    my %ending = map { /\.((?:core|atom|kind)\d*)$/ ? ($1 => 1) : ('' => 1) } @{$log->{ids}};
    return %ending ? sort keys %ending : '';
}

# The tests of a facility on one kind of core.
sub tests_of
{
    my ($log, $name, $kind) = @_;
    return grep { /^$name\./ && (/\.((?:core|atom|kind)\d*)$/ ? $1 : '') eq $kind } @{$log->{ids}};
}

# The problems of the facility lines. Each kind of core has lines of its own.
sub check_facilities
{
    my ($log) = @_;
    my @names = map { my $kind = $_; map { [$_, $kind, $kind eq '' ? $_ : "$_.$kind"] } @facilities } kinds_of($log);
    my @wrong = map { "the facility $_ is unknown" } grep { my $line = $_; !grep { $_->[2] eq $line } @names } sort keys %{$log->{facility}};
    for (@names) {
        my ($area, $kind, $name) = @$_;
        my ($said, %count) = ($log->{facility}{$name} // '');
        push(@wrong, "no line for the facility $name"), next if $said eq '';
        my @tests = tests_of($log, $area, $kind);
        $count{$log->{result}{$_}}++ for @tests;
        $_ //= 0 for @count{@counts};
        my ($passed, $failed, $selected) = ($count{pass} + $count{differs}, $count{fail} + $count{error}, scalar @tests);
        my $rest = $count{skip} ? ", $count{skip} do(?:es)? not apply" : '';
        my $of = '(?:' . ($passed + $failed) . "$rest|$selected)";    # in older logs "of" counts skipped tests, too
        my $right = $failed ? $said =~ /^fail $failed of $of$/
            : $said =~ /^pass/ ? $passed && $said =~ /^pass $passed of $of$/
            : $said =~ /^none: ./ ? !$passed
            : $said =~ /^untested: ./ ? $count{skip}
            : $said eq 'not selected' . ($passed ? ", $passed passed without records" : '');
        push @wrong, "\"facility $name $said\", but of $selected tests $passed passed and $failed failed" if !$right;
    }
    return @wrong;
}

# The problems of the kinds in the line "# end". The head must list them, in the same order. The same tests must have run on
# each, one kind after the other, with the kind's suffix except on the first. For each further kind the log must say where they
# run, unless its processor never starts, which makes its tests errors.
sub check_kinds
{
    my ($log, @named) = @_;
    my ($first, @wrong) = ($log->{head}[0] // '');
    my @ending = grep { $_ ne '' } kinds_of($log);
    for my $kind (@named) {
        push @wrong, "\"# end\" names the kind $kind, which no processor in the head has" if !grep { $_ eq $kind } @{$log->{head}};
    }
    my $right = join ',', sort map { $_ eq $first ? '' : $_ } @named;
    push @wrong, '"# end" names the kinds ' . (join(',', @named) || 'none') . ', the tests ran on ' . (join(',', @ending) || 'the first only')
        if $right ne join ',', kinds_of($log);
    my (%times, %of, @order);
    for my $id (@{$log->{ids}}) {
        my ($test, $kind) = $id =~ /^(.*?)(?:\.((?:core|atom|kind)\d*))?$/;
        $times{$test}++;
        push @{$of{$kind // ''}}, $id;
        push @order, $kind // '' if !@order || $order[-1] ne ($kind // '');
    }
    push @wrong, map { "$_ ran on $times{$_} kinds of cores, not " . @named } grep { $times{$_} != @named } sort keys %times;
    push @wrong, 'the tests of the kinds are mixed' if @order != keys %of || $of{''} && $order[0] ne '';
    my $ran = grep { my $kind = $_; grep { $log->{result}{$_} ne 'error' } @{$of{$kind}} } @ending;
    push @wrong, "\"# tests on\" occurs $log->{moves} times, further kinds: $ran" if $log->{moves} < $ran || $log->{moves} > @ending;
    return @wrong;
}

# The verdict that follows from the results and the facilities.
sub verdict_of_log
{
    my ($log, $count) = @_;
    my %facility = %{$log->{facility}};
    my @asked = map { my $kind = $_; map { $kind eq '' ? $_ : "$_.$kind" } grep { tests_of($log, $_, $kind) } @facilities } kinds_of($log);
    return 'error' if $count->{error} || !@{$log->{ids}};
    return 'fail' if $count->{fail};
    return 'incomplete' if grep { /^untested/ } values %facility;
    return 'skip' if @asked && !grep { ($facility{$_} // '') !~ /^none/ } @asked;
    return $count->{pass} + $count->{differs} ? 'pass' : 'skip';
}

# Judges the lines of one boot. Returns the verdict in the log (undef if none) and the problems of the log.
sub judge
{
    my ($lines) = @_;
    my $log = read_log($lines);
    my @ends = @{$log->{ends}};
    return (undef, 'no "# begin dstest86" line') if !$log->{begin};

    my @wrong = @{$log->{wrong}};
    my %end = map { /^([a-z]+)=([\w,]+)$/ ? ($1, $2) : () } split ' ', $ends[0] // '';
    push @wrong, 'the line "# end" occurs ' . @ends . ' times, not once' if @ends != 1;
    push @wrong, '"# end" has no verdict' if @ends && !$end{verdict};
    my $verdict = $end{verdict} // '';
    # A panic ends the log anywhere, an error in the options before the plan, and the option list runs no test.
    my $early = $verdict eq 'error' || $verdict eq 'skip' && $log->{listed};
    my $planned = defined $log->{plan} || @{$log->{ids}};
    return ($end{verdict}, @wrong) if $verdict eq 'panic' || $early && !$planned;

    push @wrong, 'no plan' if !defined $log->{plan};
    push @wrong, check_kinds($log, split /,/, $end{kinds} // '') if defined $end{kinds} || grep { $_ ne '' } kinds_of($log);
    push @wrong, "plan of $log->{plan}, " . @{$log->{ids}} . ' reported' if defined $log->{plan} && $log->{plan} != @{$log->{ids}};
    my %count = map { $_ => 0 } @counts;
    $count{$log->{result}{$_}}++ for @{$log->{ids}};
    $count{error} += $log->{errors};    # errors of the run, outside tests
    push @wrong, check_table($log), check_recap($log), check_facilities($log) if $planned;
    for (sort keys %count) {
        push @wrong, "\"# end\" says $_=" . ($end{$_} // 'nothing') . ", counted $count{$_}"
            if ($end{$_} // -1) ne $count{$_};
    }
    my $right = verdict_of_log($log, \%count);
    push @wrong, "verdict=$verdict, but the results make it $right" if $verdict && $verdict ne $right;
    return ($end{verdict}, @wrong);
}

1;
