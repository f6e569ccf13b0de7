#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Compares the page on the screen (its text from the kernel's memory, its QR codes read by zbarimg) with the log of the same
# run: while a test runs, at the end, after failures, a refused option and an exception.
use strict;
use warnings;
use utf8;
use Encode qw(decode);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Machine;
use Screen qw(cells_of);
use Test::More;

binmode $_, ':utf8' for Test::More->builder->output, Test::More->builder->failure_output;
my $seconds = 120;
my $folder = tempdir(CLEANUP => 1);

# The verdicts in large letters, at the smallest size.
my %large = (
    pass => ['█▀▀▀▄ ▄▀▀▀▄ ▄▀▀▀▀ ▄▀▀▀▀', '█▄▄▄▀ █▄▄▄█ ▀▄▄▄  ▀▄▄▄', '█     █   █     █     █', '▀     ▀   ▀ ▀▀▀▀  ▀▀▀▀'],
    fail => ['█▀▀▀▀ ▄▀▀▀▄ ▀▀█▀▀ █', '█▄▄▄  █▄▄▄█   █   █', '█     █   █   █   █', '▀     ▀   ▀ ▀▀▀▀▀ ▀▀▀▀▀'],
    skip => ['▄▀▀▀▀ █  ▄▀ ▀▀█▀▀ █▀▀▀▄', '▀▄▄▄  █▄▀     █   █▄▄▄▀', '    █ █ ▀▄    █   █', '▀▀▀▀  ▀   ▀ ▀▀▀▀▀ ▀'],
    error => ['█▀▀▀▀ █▀▀▀▄ █▀▀▀▄ ▄▀▀▀▄ █▀▀▀▄', '█▄▄▄  █▄▄▄▀ █▄▄▄▀ █   █ █▄▄▄▀', '█     █ ▀▄  █ ▀▄  █   █ █ ▀▄', '▀▀▀▀▀ ▀   ▀ ▀   ▀  ▀▀▀  ▀   ▀'],
    panic => ['█▀▀▀▄ ▄▀▀▀▄ █▄  █ ▀▀█▀▀ ▄▀▀▀▀', '█▄▄▄▀ █▄▄▄█ █▀▄ █   █   █', '█     █   █ █  ██   █   █', '▀     ▀   ▀ ▀   ▀ ▀▀▀▀▀  ▀▀▀▀'],
    incomplete => [
        '▀▀█▀▀ █▄  █ ▄▀▀▀▀ ▄▀▀▀▄ █▄ ▄█ █▀▀▀▄ █     █▀▀▀▀ ▀▀█▀▀ █▀▀▀▀', '  █   █▀▄ █ █     █   █ █ █ █ █▄▄▄▀ █     █▄▄▄    █   █▄▄▄',
        '  █   █  ██ █     █   █ █   █ █     █     █       █   █', '▀▀▀▀▀ ▀   ▀  ▀▀▀▀  ▀▀▀  ▀   ▀ ▀     ▀▀▀▀▀ ▀▀▀▀▀   ▀   ▀▀▀▀▀',
    ],
);

# The text of the kernel's page without its margin. screen.t compares the screen's pixels with this page.
sub lines_of
{
    my ($machine) = @_;
    my ($width) = $machine->log =~ /^# begin dstest86 \S+ \S+ (\d+)\r$/m or return;
    my (undef, undef, $rows) = cells_of($machine, $width);
    return map { decode('cp437', join '', unpack '(ax)*', $_) =~ tr/\0/ /r =~ s/^ //r =~ s/ +$//r } @$rows;
}

# Waits for the log's end and returns the last page.
sub end_of
{
    my ($machine) = @_;
    $machine->wait_for(qr/# end dstest86 .*\n/);
    my @lines;
    until (grep { /^The run has ended\./ } @lines) {
        $machine->pause;
        @lines = lines_of($machine);
        my @again = lines_of($machine);
        @lines = () if "@lines" ne "@again";
    }
    return @lines;
}

# The last page of a run, and the lines of its log without their marks. Options of scripts/machine; QEMU's follow "--".
sub last_page
{
    my (@arguments) = @_;
    my $machine = Machine->start($seconds, $folder, @arguments);
    my @lines = end_of($machine);
    my @log = map { s/^# //r =~ s/\r//r } split /\n/, decode('ascii', $machine->log);
    return ($machine, \@lines, \@log);
}

sub has
{
    my ($lines, $want, $name) = @_;
    ok(scalar(grep { $_ eq $want } @$lines), $name) or diag(qq(no line "$want" in\n), map { "|$_\n" } @$lines);
}

# Whether a line is this text, or its beginning and two dots.
sub has_start
{
    my ($lines, $want, $name) = @_;
    ok(scalar(grep { $_ eq $want || (/^(.*)\.\.$/ && length $1 > 20 && index($want, $1) == 0) } @$lines), $name)
        or diag(qq(no line "$want", nor its start, in\n), map { "|$_\n" } @$lines);
}

# The table's counts by area, and the total.
sub table_of
{
    my ($lines) = @_;
    my %counts;
    for (@$lines) {
        $counts{$1} = join ' ', split ' ', $2 while /\b([a-z]+)((?: +\d+){4})(?!\d)/g;
    }
    return \%counts;
}

# Compares page and log: the large verdict, facilities, counts, problems.
sub compare
{
    my ($name, $lines, $log) = @_;
    my ($verdict, $pass, $fail, $skip, $error, $differs) =
        map { /^end dstest86 verdict=(\w+) pass=(\d+) fail=(\d+) skip=(\d+) error=(\d+) differs=(\d+)/ } @$log;
    my ($top) = grep { $lines->[$_] eq $large{$verdict}[0] } 0 .. $#$lines;
    is_deeply([defined $top ? @$lines[$top .. $top + 3] : 'no large letters'], $large{$verdict}, "$name: verdict $verdict");
    my %wanted = map { /^area (\S+)((?: +\d+){3}) +\d+( +\d+)$/ ? ($1 => join ' ', split ' ', "$2$3") : () } grep { /^area \S+ +\d/ } @$log;
    $wanted{all} = "$pass $differs $fail $error" if %wanted;
    my ($skipped) = (map({ /^all(?: +\d+){4} +(\d+) (?:do(?:es)? not apply|skipped)$/ } @$lines), 0);
    is_deeply([$skipped, table_of($lines)], [%wanted ? $skip : 0, \%wanted], "$name: the table by area");
    for (grep { /^facility / } @$log) {
        my ($facility, $what) = /^facility (\w+) (.*)/;
        ok(scalar(grep { /^\U$facility\E +\Q$what\E/ } @$lines), "$name: $facility $what") or diag(map { "|$_\n" } @$lines);
    }
    my @reasons = grep { /^(?:fail|error|differs) [a-z0-9._]+: / } @$log;
    my ($more) = map { /^and (\d+) more$/ } @$lines;
    my @shown = grep { /^(?:fail|error|differs) [a-z0-9._]+: / } @$lines;
    is(@shown + ($more // 0), scalar @reasons, "$name: the number of reasons");
    for my $line (@shown) {
        my $start = $line =~ s/\.\.$//r;
        ok(scalar(grep { index($_, $start) == 0 } @reasons), "$name: $line");
    }
    has($lines, 'Log: COM1 port 0x3f8: 115200 baud', "$name: where the log is");
    has($lines, 'The run has ended. Hold the power button to switch off, or reset the machine.', "$name: what to do now");
}

# Turns the pages with the space bar until one has a line that matches.
sub has_page
{
    my ($machine, $wanted, $name) = @_;
    my $left = 30;
    while ($left-- && !grep { /$wanted/ } my @lines = lines_of($machine)) {
        $machine->command('send-key', keys => [{ type => 'qcode', data => 'spc' }]);
        select undef, undef, undef, 0.5;
    }
    ok($left > 0, $name);
    return;
}

# The texts of all codes on the last pages, read by zbarimg, in the order of the pages.
sub codes_of
{
    my ($machine, $lines) = @_;
    my ($count) = (map({ /^.* scan all (\d+)\b/ ? $1 : () } join ' ', @$lines), 1);
    my @codes;
    while (@codes < $count) {
        $machine->pause;
        my $path = $machine->screendump;
        my $code = decode('utf8', qx(zbarimg --quiet --raw -Sdisable -Sqrcode.enable '$path' 2>/dev/null)) =~ s/\n\z//r;
        push @codes, $code if $code ne '' && !grep { $_ eq $code } @codes;
    }
    my ($first) = grep { $codes[$_] =~ /^dstest86 / } 0 .. $#codes;
    return @codes[map { ($first + $_) % $count } 0 .. $count - 1];
}

# Compares the text of the codes with the log.
sub compare_codes
{
    my ($name, $machine, $lines, $log) = @_;
    my ($program) = map { /^begin dstest86 (\S+ \S+) (\d+)$/ ? "dstest86 $1, $2 bits" : () } @$log;
    my ($verdict) = map { /^end dstest86 verdict=(\w+)/ } @$log;
    my ($vendor, $signature, $core) = map { /^cpu (\S+) family .* signature (0x\w+) (.*)/ } @$log;
    $core = $vendor if $core =~ /^not in/;
    my ($microcode) = map { /^cpu physical .*, microcode (0x\w+)$/ } @$log;
    my ($panic) = map { /^panic (vector .*: .*)/ } @$log;
    my ($test) = map { /^test (\S+)$/ } reverse @$log;
    my @facilities = map { /^facility (.*?)(?:, \d+ (?:do(?:es)? not apply|passed without records))?$/ } @$log;
    my @wanted = ("$program: $verdict", "$core $signature, microcode $microcode, hypervisor", @facilities,
        defined $panic ? "$panic, in test $test" : (), grep({ /^(?:fail|error) [a-z0-9._]+: / } @$log), grep { /^differs [a-z0-9._]+: / } @$log);
    my @got = split /\n/, join "\n", codes_of($machine, $lines);
    my $more = $got[-1] =~ /^and (\d+) more$/ ? $1 : 0;
    splice @got, -1, 1, @wanted[-$more .. -1] if $more;
    is_deeply(\@got, \@wanted, "$name: the codes, read by zbarimg, and $more lines more");
    note(map { "    $_\n" } @got);
}

# ---- a whole run, on a screen where the code has its own page, and on a large one with the code next to the text -------------
{
    my ($machine, $lines, $log) = last_page(qw(-r uefi -p skylake -o), 'exit=none', '--', '-device', 'VGA');
    my ($begin) = map { /^begin dstest86 (\S+) (\S+) (\d+)$/ ? "dstest86 $1, $3 bits, $2" : () } @$log;
    is($lines->[0], $begin, 'a whole run: name and version');
    is($lines->[1], 'Intel(R) Core(TM) i7-6700 (modelled)', 'the brand string');
    is($lines->[2], 'Skylake, signature 0x000506e3, microcode 0xf0, under a hypervisor', 'core, signature and microcode');
    compare('a whole run', $lines, $log);
    has($lines, 'What was tested works as the manual promises.', 'what it means');
    like(join(' ', @$lines), qr/ or scan the code that follows it\. Send it to .*\. Log:/, 'a code is announced');

    compare_codes('a whole run', $machine, $lines, $log);
    like(join("\n", @$lines), qr/^[1-9]\d* seconds, QEMU Standard PC/m, 'time and machine');
    has_page($machine, qr/^skip [a-z0-9_.]+: /, 'a key turns to the page with the reasons for skips');
    $machine->stop;
}
{
    my ($machine, $lines, $log) = last_page(qw(-r bios-cd -p skylake -o), 'run=detect.*,ds.* exit=none', '--', '-device', 'VGA');
    has($log, 'screen VGA text at 0xb8000, 80x25 characters', "VGA text mode is used");
    compare("VGA's text", $lines, $log);
    compare_codes("VGA's text", $machine, $lines, $log);
    $machine->stop;
}
{
    my ($machine, $lines, $log) = last_page(qw(-r bios-cd -p skylake -f bts.index.stuck -o), 'run=bts.*,ds.*,lbr.* exit=none', '--', '-device', 'VGA');
    compare_codes("VGA's text, more failures than fit", $machine, $lines, $log);
    $machine->stop;
}
{
    my ($machine, $lines, $log) =
        last_page(qw(-r uefi -p skylake -o), 'run=ds.*,pebs.* exit=none', '--', '-device', 'VGA,xres=1920,yres=1080,vgamem_mb=32');
    my ($pebs) = map { /^facility pebs (.*)/ } @$log;
    has([map { s/ +█.*//r } @$lines], "PEBS  $pebs: format 3, 200-byte records", 'a large screen: the text');
    compare_codes('a large screen', $machine, $lines, $log);
    $machine->stop;
}

# ---- problems ------------------------------------------------------------------------------------------------------------------
# The options of a run, and lines of its page.
for (['failures', [qw(-p skylake -f lbr.registers.cleared -o), 'run=lbr.*,ds.* exit=none'],
        qr/^fail lbr\./, qr/^Something does not work as the manual promises\.$/],
    ['no debug store', [qw(-p none -o), 'exit=none']],
    ['what cannot be tested', [qw(-p skylake -q misc_enable_faults -o), 'run=bts.*,pebs.* exit=none']],
    # After an error in the options the defaults apply, which end QEMU under a hypervisor.
    (map { ["an unknown option, $_ bits", [qw(-p none -w), $_, '-o', 'ruun=bts.*', '--', '-cpu', 'max,-hypervisor'],
        qr/^unknown option: ruun=bts\.\*$/, qr/^run=GLOB\[,GLOB\.\.\] +run tests whose id matches/] } 64, 32),
    ['a list', [qw(-p none -o), 'list exit=none'], qr/^test selftest\.interrupt\.state: /],
    ['globs that match nothing', [qw(-p none -o), 'run=nosuch.*,ds.*,neither exit=none'],
        qr/^run=nosuch\.\* matches no test; run=neither matches no test$/]) {
    my ($name, $options, @wanted) = @$_;
    my @more = (grep { $_ eq '--' } @$options) ? () : '--';
    my ($machine, $lines, $log) = last_page('-r', 'uefi', @$options, @more, '-device', 'VGA');
    compare($name, $lines, $log);
    compare_codes($name, $machine, $lines, $log) if grep { /^1\.\.\d/ } @$log;
    for my $wanted (@wanted) {
        ok(scalar(grep { /$wanted/ } @$lines), "$name: $wanted") or diag(map { "|$_\n" } @$lines);
    }
    $machine->stop;
}
{
    my $machine = Machine->start($seconds, $folder, qw(-r uefi -p skylake -o), 'run=ds.*,selftest.hang timeout=8 exit=none', '--', '-device', 'VGA');
    $machine->wait_for(qr/^# test selftest\.hang\r\n# \w.*\n/m);
    unlike($machine->log, qr/timed out/, 'the serial line names a test while it hangs');
    my @lines = lines_of($machine);
    my ($all) = map { /^Test \d+ of (\d+):/ } @lines;
    my @bar = grep { /tests done$/ } @lines;
    like($bar[0], qr/^█+\.+ @{[$all - 1]} of $all tests done$/, 'a running test: the bar');
    has(\@lines, "Test $all of $all: selftest.hang", "the test's name and number");
    has(\@lines, 'Step 14 of 14: tests', 'the step');
    ok(!grep({ /^fail/ } @lines), 'no failure so far');
    @lines = end_of($machine);
    has(\@lines, 'fail selftest.hang: timed out after 8 seconds', 'a hung test is a failure');
    $machine->stop;
}
for my $test (qw(exception stack_overflow panic_twice)) {
    my ($machine, $lines, $log) =
        last_page(qw(-r uefi -p skylake -o), "run=ds.area.*,selftest.$test exit=none", '--', '-device', 'VGA');
    my ($panic) = map { /^panic (vector .*: .*)/ } @$log;
    is_deeply([map { /^end .*verdict=(\w+)/ } @$log], ['panic'], "selftest.$test: a panic, once");
    my ($top) = grep { $lines->[$_] eq $large{panic}[0] } 0 .. $#$lines;
    is_deeply([defined $top ? @$lines[$top .. $top + 3] : 'no large letters'], $large{panic}, 'in large letters');
    has($lines, 'An unexpected exception ended the run.', 'what it means');
    has_start($lines, $panic, 'the exception') if defined $panic;
    my ($all) = map { /^1\.\.(\d+)/ } @$log;
    has($lines, "It occurred in test $all of $all: selftest.$test", 'and the test');
    compare_codes("selftest.$test", $machine, $lines, $log);
    has_page($machine, qr/^panic vector \d+/, 'one of the pages has the first line of the report');
    ok(scalar(grep { /^panic (?:cr0 0x[0-9a-f]+ cr2 0x[0-9a-f]+ cr3|vector 14 while another)/ } @$lines), 'the first page has CR2');
    $machine->stop;
}
done_testing();
