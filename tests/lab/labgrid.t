#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# contrib/lab/labgrid: pytest has the kernel's result of each test, read from a serial port that labgrid does not interpret. A
# run that fails, is cut off or prints no line is red.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP qw(decode_json);
use Test::More;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file run write_file);
use KernelLog qw(clean results);

# The pytest with labgrid's plugin; several Pythons may be installed.
my ($pytest) = grep { qx($_ --help 2>/dev/null) =~ /--lg-env/ } qw(pytest-3 pytest);
plan skip_all => 'labgrid and pytest are not installed (./bootstrap --lab)' if !$pytest;

my $root = realpath("$FindBin::Bin/../..");
my $folder = tempdir(CLEANUP => 1);

# A copy of an environment of contrib/lab/labgrid that works from here and writes its log to the test's folder, after the
# changes BEFORE => AFTER.
sub environment
{
    my ($name, @changes) = @_;
    my $text = read_file("$root/contrib/lab/labgrid/$name");
    @changes = (@changes, '../../build/lab/' => "$folder/", '- dstest86_strategy.py' => "- $root/contrib/lab/labgrid/dstest86_strategy.py");
    while (my ($old, $new) = splice @changes, 0, 2) {
        my $at = index $text, $old;
        die "labgrid.t: $name does not have '$old'\n" if $at < 0;
        substr($text, $at, length $old) = $new;
    }
    $text =~ s{(?:\$BASE/)?\.\./\.\./build/}{$root/build/}g;
    write_file("$folder/env.yaml", $text);
    return "$folder/env.yaml";
}

# Runs pytest in an environment. Returns its exit status, its results ("test_run", "test_run[ID]" => [OUTCOME, MESSAGE]) and its
# output.
sub run_pytest
{
    my ($environment) = @_;
    unlink glob("$folder/*.log"), "$folder/junit.xml";
    my $out = qx(timeout 300 $pytest -v --lg-env '$environment' --junitxml='$folder/junit.xml' '$root/contrib/lab/labgrid' 2>&1);
    my $status = $? >> 8;
    my $results = decode_json(qx(python3 '$FindBin::Bin/junit.py' '$folder/junit.xml') || '{}');
    $_->[1] =~ s/^Failed: // for values %$results;    # pytest 8 has this prefix
    return ($status, $results, $out);
}

# The expected pytest result of each test, from the kernel's own log: [passed, failure or skipped; the reason if skipped].
sub expected
{
    my ($log) = @_;
    my ($result) = results($log);
    my %reason = map { clean($_) =~ /^ok \d+ (\S+) # SKIP (.*)$/ ? ($1 => $2) : () } split /^/, read_file($log);
    my %outcome = (pass => 'passed', differs => 'passed', fail => 'failure', error => 'failure', skip => 'skipped');
    return { map { ($_ => [ $outcome{$result->{$_}}, $reason{$_} // '' ]) } keys %$result };
}

# pytest's results of the kernel's tests, without the messages of failures.
sub reported
{
    my ($results) = @_;
    return { map { my $test = $results->{$_}; /^test_run\[(.*)\]$/ ? ($1 => [ $test->[0], $test->[0] eq 'skipped' ? $test->[1] : '' ]) : () }
        keys %$results };
}

# The kernel also prints to COM1, which goes to a file; labgrid has COM2.
my @own = ('-nodefaults' => "-nodefaults -serial file:$folder/own", 'end=halt' => 'end=halt console=ttyS0 console=ttyS1');

# All tests, on the unchanged environment.
{
    my ($status, $results, $out) = run_pytest(environment('env-qemu.yaml', @own));
    is($status, 0, 'a machine that passes') or diag $out;
    is($results->{test_run}[0], 'passed', 'the run passes');
    cmp_ok(scalar keys %$results, '>', 300, '... with all tests');
    is_deeply(reported($results), expected("$folder/own"), 'pytest has each of the kernel\'s results, with the reason of a skip');
    my ($kept, $own) = map { read_file("$folder/$_") =~ s/^.*?(?=^# begin dstest86)//msr } qw(skylake.log own);
    is($kept, $own, 'the log is stored unchanged');
    rename "$folder/skylake.log", "$folder/whole" or die "labgrid.t: $!\n";
}

# A fault of the model that one test detects.
{
    my ($status, $results, $out) = run_pytest(environment('env-qemu.yaml', 'end=halt' => 'end=halt run=bts.*', @own,
        'profile=skylake' => 'profile=skylake,fault=bts.threshold.early'));
    is($status, 1, 'a machine with a fault');
    is_deeply([ sort grep { $results->{$_}[0] !~ /^(passed|skipped)$/ } keys %$results ], [ 'test_run', 'test_run[bts.threshold.below]' ],
        'the test that detects it is red, and so is the run') or diag $out;
    is($results->{'test_run[bts.threshold.below]'}[1], 'wrong: number of interrupts with a cause is 0x1, must be 0x0', '... with its reason');
    is($results->{test_run}[1], 'verdict=fail', '... with the verdict');
    is_deeply(reported($results), expected("$folder/own"), "the other results are the kernel's");
    rename "$folder/skylake.log", "$folder/fault" or die "labgrid.t: $!\n";
}

# A processor without a debug store.
{
    my ($status, $results, $out) = run_pytest(environment('env-qemu.yaml', 'end=halt' => 'end=halt run=bts.*',
        q( -plugin '$BASE/../../build/dsmodel.so,profile=skylake') => ''));
    is($status, 0, 'a processor without a debug store');
    is(scalar(grep { $_->[0] ne 'skipped' } values %$results), 0, 'every test is skipped, and so is the run') or diag $out;
}

# Faulty logs, over a serial port.
sub replay
{
    my ($log, $ending, @changes) = @_;
    write_file("$folder/log", $log);
    return run_pytest(environment('env-qemu.yaml', '../../build/qemu-system-x86_64' => "$FindBin::Bin/replay",
        '../../build/dstest86-64.elf' => "$folder/log", 'silence: 30' => 'silence: 1', 'end=halt' => $ending // 'end=halt', @changes));
}

my $good = read_file("$folder/whole");
my $bad = read_file("$folder/fault");
my $tests = () = $bad =~ /^(?:not )?ok /mg;
my ($status, $results, $out) = replay($good);
is($status, 0, 'a replayed log') or diag $out;

# $name: the mistake. $why: the failure of the run. $count: the number of the kernel's tests that are reported.
sub red
{
    my ($name, $why, $count, @machine) = @_;
    my ($status, $results, $out) = replay(@machine);
    is($status, 1, "$name: red");
    is($results->{test_run}[0], 'failure', '... the run');
    like($results->{test_run}[1], $why, '... for its reason') or diag $out;
    is(scalar keys %{reported($results)}, $count, '... with the tests so far');
}

my $silent = qr/^the machine was silent for 1 seconds inside the log; what came is in \Q$folder\E\/skylake\.log$/;
red('a silent machine', qr/^the machine was silent for 1 seconds before "# begin dstest86";/, 0, '');
red('only firmware', qr/^the machine was silent for 1 seconds before/, 0, "\e[2JBdsDxe: no bootable device\r\nok 1 shell\r\n");
red('a log cut within a result', $silent, $tests - 1, $bad =~ s/^(ok $tests .).*\z/$1/msr);
red('a log without its last line', $silent, $tests, $bad =~ s/^# end .*\z//msr);
red('a machine that disappears', qr/^the console was closed inside the log;/, $tests, $bad =~ s/^# end .*\z//msr, 'end=poweroff');
red('a machine that never ends', qr/^the kernel did not end within 1 seconds/, $tests,
    $bad =~ s/^# end .*\z//msr, 'end=never', 'limit: 300' => 'limit: 1');
red('a lost result', qr/^verdict=fail, but .* is wrong:.*plan of $tests, @{[$tests - 1]} reported/s, $tests - 1, $bad =~ s/^ok 2 .*?\n//mr);
red('a verdict that contradicts the results', qr/^verdict=pass, but .* is wrong:.*verdict=pass, but the results make it fail/s, $tests,
    $bad =~ s/verdict=fail/verdict=pass/r);
red('an end without a verdict', qr/^verdict=, but .* is wrong:.*"# end" has no verdict/s, $tests, $bad =~ s/verdict=fail //r);
red('a machine that restarts', qr/^verdict=fail, but .* is wrong:.*"# begin" occurs twice/s, $tests, $bad =~ s/^(.*?^ok 1 .*?\n)/$1$1/msr);
red('a panic', qr/^verdict=panic$/, 2, $bad =~ s/^ok 3 .*\z/# panic: a page fault\r\n# end dstest86 verdict=panic\r\n/msr);

# A rack's environment, with a power switch and a console server: the console must be open before the power is switched on. In
# labgrid 0.4.1, a provider on the same host copies no file, but the image must exist.
{
    write_file("$folder/log", $bad);
    my $pid = open my $rack, '-|', 'python3', "$FindBin::Bin/rack.py", "$folder/log" or die "labgrid.t: python3: $!\n";
    my ($power, $console) = split ' ', <$rack>;
    my @rack = ('model: netio' => 'model: rest', 'host: power.example' => "host: 'http://127.0.0.1:$power/{index}'",
        'host: console.example' => 'host: 127.0.0.1', 'port: 7003' => "port: $console",
        'RemoteTFTPProvider' => 'TFTPProvider', "host: tftp.example\n        " => '', 'internal: /srv/tftp/' => "internal: $folder/");
    my ($status, $results, $out) = run_pytest(environment('env-machine.yaml', @rack));
    is($results->{test_run}[1], 'verdict=fail', 'a machine in a rack') or diag $out;
    is_deeply(reported($results), expected("$folder/log"), '... each of its tests');
    is(read_file("$folder/machine.log"), $bad, '... its log');
    is(qx(python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' http://127.0.0.1:$power/), "0010\n",
        'the power: queried, switched off and on, and off at the end');
    ($status, $results, $out) = run_pytest(environment('env-machine.yaml', @rack, 'BOOTX64.EFI' => 'nowhere.efi'));
    is($status, 1, 'a missing image is red');
    like($results->{test_run}[1], qr/nowhere\.efi not found/, '... and named');
    kill TERM => $pid;
}
done_testing;
