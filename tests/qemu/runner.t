#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# The exact output of the kernel's runner for every verdict of a test, a panic, and options that select no test; and its time
# limit, measured by the host's clock.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(address_of read_file);
use KernelLog qw(clean results_in verdict_of_status);
use Test::More;
use Time::HiRes qw(time);

my $seconds = 120;

# Boots. Returns the verdict from the exit status, the lines, and each line's time.
sub boot
{
    my (@arguments) = @_;
    open my $serial, '-|', 'timeout', $seconds, "$FindBin::Bin/../../scripts/machine", 'boot', '-p', 'none', @arguments or die "runner.t: boot: $!\n";
    my (@lines, @times);
    while (my $line = <$serial>) {
        next if $line =~ m{^# check kernel/self_test\.c:};
        push @lines, clean($line);
        push @times, time;
    }
    close $serial;
    return (verdict_of_status($? >> 8) // "status $?", \@lines, \@times);
}

sub from
{
    my ($pattern, $lines) = @_;
    my @rest = @$lines;
    shift @rest while @rest && $rest[0] !~ $pattern;
    return join '', map { "$_\n" } @rest;
}

# ---- every verdict ----------------------------------------------------------------------------------------------------
my $claimed = '# claimed by docs/output.md, "The frame"; kernel/test.h';
my $verdicts = <<"END";
KTAP version 1
1..20
# test selftest.verdict.as_many
# As many records as planned: passes
# expect 3 records
ok 1 selftest.verdict.as_many
# test selftest.verdict.one_less
# One record less than planned: fails
# expect 3 records
# wrong: got 2 records, expected 3
$claimed
not ok 2 selftest.verdict.one_less
# test selftest.verdict.one_more
# One record more than planned: fails
# expect 3 records
# wrong: got 4 records, expected 3
$claimed
not ok 3 selftest.verdict.one_more
# test selftest.verdict.unplanned
# One record although the plan has none: fails
# expect 0 records
# wrong: got 1 records, expected 0
$claimed
not ok 4 selftest.verdict.unplanned
# test selftest.verdict.least
# The least number of records that was planned: passes
# expect 3 to 5 records
ok 5 selftest.verdict.least
# test selftest.verdict.most
# The largest number of records that was planned: passes
# expect 3 to 5 records
ok 6 selftest.verdict.most
# test selftest.verdict.below
# One record less than the least number: fails
# expect 3 to 5 records
# wrong: got 2 records, expected 3 to 5
$claimed
not ok 7 selftest.verdict.below
# test selftest.verdict.above
# One record more than the largest number: fails
# expect 3 to 5 records
# wrong: got 6 records, expected 3 to 5
$claimed
not ok 8 selftest.verdict.above
# test selftest.verdict.skip
# A test that skips itself is skipped with its reason
ok 9 selftest.verdict.skip # SKIP nothing to do
# test selftest.verdict.fail_and_skip
# A test that failed and then skips itself has failed
# wrong: one thing of 2
$claimed
not ok 10 selftest.verdict.fail_and_skip
# test selftest.verdict.see_and_skip
# A test that saw records and then skips itself must still meet its plan
# expect 2 records
# wrong: got 1 records, expected 2
$claimed
not ok 11 selftest.verdict.see_and_skip
# test selftest.verdict.equal
# Of two comparisons the one of different values is reported
# wrong: what differs is 0x1234567890, must be 0x1234567891
$claimed
not ok 12 selftest.verdict.equal
# test selftest.verdict.differs
# A test in which a typical point differs has not failed
# differs: one point of 2
$claimed
ok 13 selftest.verdict.differs
# test selftest.verdict.differs_and_fails
# A test that failed has failed, whatever else differs
# differs: one point of 2
# wrong: one thing of 2
# differs: one point of 2
# wrong: the other thing
$claimed
not ok 14 selftest.verdict.differs_and_fails
# test selftest.verdict.typical
# A test of a typical claim differs where a test of an architectural claim fails
# differs: one thing of 2
# differs: the other thing
$claimed
# typical, not promised: the reason for this
ok 15 selftest.verdict.typical
# test selftest.verdict.typical_none
# A test of a typical claim fails if no record was written
# expect 1 records
# wrong: got 0 records, expected 1
$claimed
not ok 16 selftest.verdict.typical_none
# test selftest.verdict.needs
ok 17 selftest.verdict.needs # SKIP no DS: CPUID.1:EDX bit 21 clear
# test selftest.verdict.lacks
ok 18 selftest.verdict.lacks # SKIP no such thing
# test selftest.verdict.lacks_nothing
# A test that lacks nothing runs
ok 19 selftest.verdict.lacks_nothing
# test selftest.verdict.no_plan
# A test that arms a facility without an expectation is an error
# wrong: the test armed a facility without a plan of the number of records
$claimed
not ok 20 selftest.verdict.no_plan # ERROR
# area               pass differs    fail    skip   error
# area selftest         4       2      10       3       1
# fail selftest.verdict.one_less: got 2 records, expected 3
# fail selftest.verdict.one_more: got 4 records, expected 3
# fail selftest.verdict.unplanned: got 1 records, expected 0
# fail selftest.verdict.below: got 2 records, expected 3 to 5
# fail selftest.verdict.above: got 6 records, expected 3 to 5
# fail selftest.verdict.fail_and_skip: one thing of 2
# fail selftest.verdict.see_and_skip: got 1 records, expected 2
# fail selftest.verdict.equal: what differs is 0x1234567890, must be 0x1234567891
# differs selftest.verdict.differs: one point of 2
# fail selftest.verdict.differs_and_fails: one thing of 2
# differs selftest.verdict.typical: one thing of 2
# fail selftest.verdict.typical_none: got 0 records, expected 1
# error selftest.verdict.no_plan: the test armed a facility without a plan of the number of records
RECAP# facility bts none: no DS: CPUID.1:EDX bit 21 clear
# facility pebs none: no DS: CPUID.1:EDX bit 21 clear
# facility lbr none: no LBR: not an Intel processor
# end dstest86 verdict=error pass=4 fail=10 skip=3 error=1 differs=2
END
my ($result) = results_in(['# begin dstest86', split /\n/, $verdicts]);
my $recap = join '', map { "# result $_ $result->{$_}\n" } $verdicts =~ /^(?:not )?ok \d+ (\S+)/mg;
for my $width (64, 32) {
    my ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.verdict.*');
    is($verdict, 'error', "$width bits: one error makes the verdict error");
    is(from(qr/^KTAP/, $lines), $verdicts =~ s/RECAP//r, "$width bits: every line of every verdict");
    ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.verdict.* recap=all');
    is(from(qr/^KTAP/, $lines), $verdicts =~ s/RECAP/$recap/r, "$width bits: ... with the recap of all tests");
    ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.verdict.* skip=*.no_plan,*.lacks');
    is("$verdict $lines->[-1]", 'fail # end dstest86 verdict=fail pass=4 fail=10 skip=2 error=0 differs=2',
        "$width bits: without errors, a failure makes the verdict fail");
    ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.verdict.differs,selftest.verdict.typical');
    is("$verdict $lines->[-1]", 'pass # end dstest86 verdict=pass pass=0 fail=0 skip=0 error=0 differs=2',
        "$width bits: tests that differ do not fail the run");
}

# ---- the regular expressions for CI systems in docs/output.md ------------------------------------------------------------
my ($section) = read_file("$FindBin::Bin/../../docs/output.md") =~ /^### For CI systems$(.*?)^## /ms;
my @patterns = ($section // '') =~ /^    (\^.*)$/mg;
my @log = split /\n/, $verdicts =~ s/RECAP/$recap/r;
my @found = map { my $pattern = $_; [map { /$pattern/ ? "$+{test_case_id} $+{result}" : () } @log] } @patterns;
my @results = map { /^# result (.*)/ ? $1 : () } @log;
my @ktap = map { /^(ok|not ok) \d+ (\S+)/ ? "$2 $1" : () } @log;
is_deeply(\@found, [\@ktap, \@results, ['bts none', 'pebs none', 'lbr none'], ['dstest86 error']], 'regular expressions of docs/output.md');
for (map({ [2, "# facility bts $_->[0]", $_->[1]] } ['pass 1 of 2', 'pass'], ['fail 1 of 2', 'fail'], ['untested: no APIC', 'untested'],
    ['not selected', 'not selected']),
    map { [3, "# end dstest86 verdict=$_ pass=0", $_] } qw(pass fail skip error panic incomplete)) {
    my ($pattern, $line, $word) = @$_;
    ok($line =~ $patterns[$pattern] && $+{result} eq $word, "... of $line");
}

# The jobs for LAVA have the same monitors. Each result of the kernel becomes one of LAVA's.
my @jobs = map { read_file("$FindBin::Bin/../../contrib/lab/$_.yaml") =~ s/.*?^    monitors:\n//msr } qw(lava-job lava-pxe-job);
is($jobs[1], $jobs[0], 'both jobs for LAVA have the same monitors');
my %fixed = (pass => 'pass', error => 'fail', map { split /: / } map { s/'//gr } map { split /, / } $jobs[0] =~ /fixupdict: \{(.*)\}/g);
my ($of_test, $of_verdict) = $jobs[0] =~ /pattern: '(.*)'/g;
my ($serial, @cases) = join '', map { "$_\r\n" } @log;
push @cases, "$+{test_case_id} $fixed{$+{result}}" while $serial =~ /$of_test/g;
is_deeply(\@cases, [map { my ($id) = /(\S+)/; "$id " . ($result->{$id} =~ s/differs/pass/r =~ s/error/fail/r) } @ktap], "... each test's result");
is($serial =~ /$of_verdict/ && "$+{test_case_id} $fixed{$+{result}}", 'verdict fail', '... and the verdict');

# ---- a panic ------------------------------------------------------------------------------------------------------------
my $hex = qr/0x[0-9a-f]+/;
my %registers = (
    64 => "# panic ax  0x7265670072656700 cx  0x7265670072656701 dx  0x7265670072656702 bx  0x7265670072656703\n"
        . "# panic sp  STACK bp  0x7265670072656705 si  0x7265670072656706 di  0x7265670072656707\n"
        . "# panic r8  0x7265670072656708 r9  0x7265670072656709 r10 0x726567007265670a r11 0x726567007265670b\n"
        . "# panic r12 0x726567007265670c r13 0x726567007265670d r14 0x726567007265670e r15 0x726567007265670f\n",
    32 => "# panic ax  0x72656700 cx  0x72656701 dx  0x72656702 bx  0x72656703\n"
        . "# panic sp  STACK bp  0x72656705 si  0x72656706 di  0x72656707\n");

for my $width (64, 32) {
    for (['page_read_only', '14: page fault #PF, error code 0x3, at read_only_at+0x0', 'read_only_at', 'text_start', '10a47'],
        ['breakpoint', '3: breakpoint #BP, error code 0x0, at breakpoint_next+0x0', 'breakpoint_next', '', 'a47']) {
        my ($name, $text, $at, $cr2, $flags) = @$_;    # a fault's flags have RF
        my ($verdict, $lines) = boot('-w', $width, '-o', "run=selftest.exception.$name");
        my ($ip, $fault, $cr3) = map { sprintf '0x%x', $_ ? address_of($width, $_) : 0 } $at, $cr2, 'root';
        my $registers = quotemeta($registers{$width}) =~ s/STACK/$hex/r;
        is($verdict, 'panic', "$width bits: a panic by $name");
        like(from(qr/^# panic/, $lines), qr/\A\Q# panic vector $text\E
$registers\Q# panic ip $ip cs 0x8 flags 0x$flags
# panic cr0 0x80010011 cr2 $fault cr3 $cr3
# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0\E\n\z/, "$width bits: every line of it");
    }
    my ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.verdict.*,selftest.execute_data');
    is($lines->[-1], '# end dstest86 verdict=panic pass=4 fail=10 skip=3 error=1 differs=2', "$width bits: the end has the counts before the panic");
    ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.panic_twice');
    my $vector = qr/# panic vector 14 while another was reported, ip $hex/;
    like(from(qr/^# panic/, $lines), qr/\A$vector\n# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0\n\z/,
        "$width bits: a panic while the report is printed");
}

# ---- which tests ----------------------------------------------------------------------------------------------------------
my $none = "# error: the options run= and skip= select no test\n# end dstest86 verdict=error pass=0 fail=0 skip=0 error=1 differs=0\n";
my %selected = (
    'run=selftest.verdict.skip skip=selftest.*' => $none,
    'run=self*.verdict.skip' => $none,       # on request: the first word must not have a wildcard
    'run=*.verdict.skip' => $none,
    'run=selftest.verdict.skip,nosuch.*,other,ds.*' =>
        "# error: run=nosuch.* matches no test\n# error: run=other matches no test\n# end dstest86 verdict=error pass=0 fail=0 skip=0 error=1 differs=0\n",
    'skip=nosuch' => "# error: skip=nosuch matches no test\n# end dstest86 verdict=error pass=0 fail=0 skip=0 error=1 differs=0\n",
);
for (sort keys %selected) {
    my ($verdict, $lines) = boot('-o', $_);
    is(from(qr/^# (?:error|end)|^KTAP/, $lines), $selected{$_}, $_);
    is($verdict, 'error', '... is an error');
}
for ('run=selftest.verdict.sk*', 'run=selftest.*.skip', 'run=selftest.verdict.skip,ds.* skip=ds.*') {
    my ($verdict, $lines) = boot('-o', $_);
    is($verdict, 'skip', "$_ selects one test");
}
my (undef, $list) = boot('-o', 'list');
my @listed = grep { /^# test / } @$list;
cmp_ok(scalar @listed, '>', 300, 'the list has all tests');
is_deeply([grep { !/^# test [a-z0-9._]+: \S.* \[\S.*\] (?:architectural|typical: \S.*)$/ } @listed], [], '... each with its claim, source and level');
for my $line ('skip: A test that skips itself is skipped with its reason [docs/output.md, "The frame"; kernel/test.h] architectural',
    'typical: A test of a typical claim differs where a test of an architectural claim fails [docs/output.md, "The frame"; kernel/test.h] typical: the reason for this') {
    ok((grep { $_ eq "# test selftest.verdict.$line" } @listed), "the list has: $line");
}
is($list->[-1], '# end dstest86 verdict=skip pass=0 fail=0 skip=0 error=0 differs=0', 'the list runs no test');

# ---- what the kernel finds on the machine ----------------------------------------------------------------------------------
for (
    [[64], '# boot route pvh, \d+ memory ranges', '# paging 4-level, no-execute', '# apic xAPIC at 0xfee00000, performance vector 0xe1'],
    [[32], '# boot route multiboot, \d+ memory ranges', '# paging PAE, no-execute', '# apic xAPIC at 0xfee00000, performance vector 0xe1'],
    [[32, 'paging=legacy'], '# paging 32-bit'],
    [[32, 'paging=pae'], '# paging PAE, no-execute'],
    [[64, '', '-cpu', 'max,-nx'], '# paging 4-level'],
    [[64, '', '-cpu', 'max,-apic'], '# apic none: no local APIC: CPUID\.1:EDX bit 9 clear', '# watchdog none: hung tests will not be ended'],
    [[64, '', '-machine', 'pit=off'], '# clock acpi_pm, 3579545 Hz'],
    [[64, '', '-machine', 'acpi=off'], '# clock pit, 1193182 Hz', '# watchdog without NMI: a test that hangs with interrupts off will not be ended'],
    [[64, '', '-machine', 'hpet=off'], '# watchdog without NMI: a test that hangs with interrupts off will not be ended'],
    [[32, '', '-machine', 'acpi=off,pit=off'], '# clock pit has stopped', '# clock none: waits are counted in PAUSEs', '# watchdog none: hung tests will not be ended'],
) {
    my ($how, @wanted) = @$_;
    my ($width, $options, @qemu) = @$how;
    my ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.verdict.skip ' . ($options // ''), '--', @qemu);
    for my $want (@wanted) {
        is(scalar(grep { /^$want$/ } @$lines), 1, join ' ', grep({ defined && $_ ne '' } @$how), "prints $want");
    }
}

# ---- the time limit, measured by the host's clock --------------------------------------------------------------------------
for my $width (64, 32) {
    my ($verdict, $lines, $times) = boot('-w', $width, '-o', 'run=selftest.hang timeout=3');
    my ($began, $ended) = map { my $want = $_; grep { $lines->[$_] =~ $want } 0 .. $#$lines } qr/^# test /, qr/^# wrong: timed out after 3 seconds$/;
    my $took = defined $ended ? $times->[$ended] - $times->[$began] : -1;
    ok($took > 2.9, sprintf '%d bits: a test with a limit of three seconds ends after %.1f', $width, $took);
    is($verdict, 'fail', "$width bits: the test fails");

    ($verdict, $lines) = boot('-w', $width, '-o', 'run=selftest.time.* timeout=1 console=ttyS0,1200');
    is(join(' ', grep { !/importance/ && /^(?:not )?ok|timed out|# end/ } @$lines), 'ok 1 selftest.time.printing '
        . '# wrong: timed out after 1 seconds not ok 2 selftest.time.hang # fail selftest.time.hang: timed out after 1 seconds '
        . '# end dstest86 verdict=fail pass=1 fail=1 skip=0 error=0 differs=0',
        "$width bits: time spent printing extends the limit, once");
}
done_testing();
