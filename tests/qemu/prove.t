#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# tests/qemu/prove must fail for each file like tests/qemu/faults with one mistake, on the fastest profile, which has no PEBS.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Faults qw(matching read_faults);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

sub write_file
{
    my ($path, @lines) = @_;
    open my $file, '>', $path or die "$path: $!\n";
    print $file @lines;
    close $file or die "$path: $!\n";
}

sub read_file
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    return join '', <$file>;
}

# The status and the output of a proof of these lines.
sub prove
{
    my ($lines, @arguments) = @_;
    write_file("$folder/faults", $lines);
    my @prove = ("$FindBin::Bin/prove", '-d', "$folder/logs", '-f', "$folder/faults", @arguments);
    open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @prove or die "prove: $!\n";
    my $said = join '', <$out>;
    close $out;
    return ($? >> 8, $said);
}

my $machine = 'pentium-m run=lbr.calls,lbr.tos,bts.calls';
my $boot = "lbr.tos.stuck 32 $machine";
my ($status, $said) = prove("lbr.tos.stuck $machine : lbr.calls lbr.tos\n", '.');
is $status, 0, 'a right line passes' or diag $said;
like $said, qr/^# faults caught 1$/m, 'and its fault is counted';
is read_file("$folder/logs/noticed"), "$boot: lbr.calls\n$boot: lbr.tos\n", 'what turned red is written down';

# Tests that fail besides those that must are written down, and reported only if they passed before.
($status, $said) = prove("lbr.tos.stuck $machine : lbr.tos\n", '.');
is $status, 0, 'another test may notice, too' or diag $said;
unlike $said, qr/noticed/, 'of which nothing is said when it is no news';
is read_file("$folder/logs/noticed"), "$boot: lbr.calls\n$boot: lbr.tos\n", 'all that turned red is written down';
write_file("$folder/logs/noticed", "$boot: lbr.tos\n$boot: bts.calls\n");
($status, $said) = prove("lbr.tos.stuck $machine : lbr.tos\n", '.');
is $status, 0, 'a test that did not notice before is no failure' or diag $said;
like $said, qr/^# now noticed by lbr\.calls$/m, 'but a note';
like $said, qr/^# no longer noticed by bts\.calls$/m, 'and so is one that notices no longer';

for (
    ['a test that does not notice', "lbr.tos.stuck $machine : lbr.calls lbr.tos bts.calls\n", qr/did not notice: bts\.calls$/m],
    ['a fault that nothing notices', "pebs.index.stuck $machine : lbr.tos\n", qr/noticed: by no test$/m],
    ['a glob of no test', "lbr.tos.stuck $machine : lbr.* no.such.test\n", qr/no test that runs there: no\.such\.test$/m],
    ['a panic that does not come', "lbr.tos.stuck $machine : panic lbr.*\n", qr/the kernel did not panic/],
    ['a machine that fails without a fault', "lbr.tos.stuck pentium-m run=selftest.no_records : *\n", qr/not pass/]) {
    my ($what, $lines, $complaint) = @$_;
    ($status, $said) = prove($lines, '.');
    is $status, 1, "$what: fails";
    like $said, $complaint, "$what: says so";
}

for (
    ['a fault that there is not', "lbr.no_such_fault $machine : lbr.*\n", qr/line 1: unknown fault 'lbr\.no_such_fault': /],
    ['a profile that there is not', "lbr.tos.stuck pentium-9 : lbr.*\n", qr/line 1: unknown profile 'pentium-9': /],
    ['a line that names no test', "# one line\nlbr.tos.stuck $machine : \n", qr/line 2: no test behind the colon: /],
    ['a line without a colon', "lbr.tos.stuck $machine\n", qr/line 1: want FAULT PROFILE /]) {
    my ($what, $lines, $complaint) = @$_;
    ($status, $said) = prove($lines, '.');
    isnt $status, 0, "$what: refused";
    like $said, $complaint, "$what: says so";
    unlike $said, qr/^(not )?ok /m, "$what: nothing was booted";
}

# Without a filter the faults must be complete.
($status, $said) = prove("lbr.tos.stuck $machine : lbr.tos\n");
is $status, 1, 'one line is not the whole';
like $said, qr/not caught: .*\bbts\.index\.stuck\b/, 'faults without a line are named';
unlike $said, qr/not caught: .*\blbr\.tos\.stuck\b/, 'the one with a line is not';
like $said, qr/not caught: .*\bcheck\.overlap\b/, 'and so are rules of the kernel\x27s own check';
like $said, qr/not proven by any fault: bts\.calls lbr\.calls$/m, 'tests that no line names are named, red or not';

# The lines.
write_file("$folder/faults", "lbr.tos.stuck core-duo timeout=3 : lbr.*\nlbr.tos.stuck core2 : panic\nlbr.tos.stuck core2 32 : a b\n");
is_deeply [map { "$_->{width} @{$_->{options}} @{$_->{globs}} " . ($_->{panic} ? 'panic' : 'none') } read_faults("$folder/faults")],
    ['32 timeout=3 lbr.* none', '64   panic', '32  a b none'], 'the width is the widest of the profile, if a line has none';

my @tests = qw(a.b a.b.c a.c b.a);
is_deeply [matching(['a.*'], @tests)], [{ 'a.b' => 1, 'a.b.c' => 1, 'a.c' => 1 }], 'a glob';
is_deeply [matching(['a.b'], @tests)], [{ 'a.b' => 1 }], 'a name is itself alone';
is_deeply [matching(['c.*', 'b.*'], @tests)], [{ 'b.a' => 1 }, 'c.*'], 'a glob that matches nothing is told of';

done_testing;
