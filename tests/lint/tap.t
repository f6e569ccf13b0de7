#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# In CI a skip is a failure, unless it is permitted for this test with this reason; anywhere else it is none.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use IPC::Open2;
use Test::More;

my $folder = tempdir(CLEANUP => 1);
mkdir "$folder/lint";
symlink "$FindBin::Bin/tap", "$folder/lint/tap";

sub write_file
{
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
    chmod 0755, $path;
}

# What comes of a test that prints this and ends so: its output and its status.
sub tap
{
    my ($ci, $text, $ending) = @_;
    write_file("$folder/test", "#!/bin/sh\ncat <<'END'\n${text}END\n" . ($ending // '') . "\n");
    local $ENV{CI} = $ci;
    delete $ENV{CI} if !defined $ci;
    my $out = qx(cd $folder && lint/tap ./test one 2>&1);
    return "$out" . ($? >> 8);
}

write_file("$folder/lint/skips", "# no reason\n./test : no KVM here\n./other : no perf here\n");
my $no = 'tests/lint/skips does not permit to skip';
for (
    ['all is well', "1..2\nok 1 - a\nok 2\n"],
    ['a failure', "1..2\nok 1 - a\nnot ok 2 - b\n"],
    ['a skip that is permitted', "1..1\nok 1 # SKIP no KVM here\n"],
    ['all skipped, which is permitted', "1..0 # SKIP no KVM here\n"],
    ['a skip for another reason', "1..2\nok 1 - a # SKIP no KVM\nok 2\n", "1..2\nnot ok 1 - $no this: no KVM\nok 2\n"],
    ['a skip that another test may', "1..1\nok 1 # skip no perf here\n", "1..1\nnot ok 1 - $no this: no perf here\n"],
    ['a skip without a reason', "ok 1 - a # SKIP\n1..1\n", "not ok 1 - $no this: \n1..1\n"],
    ['a skip as a failure', "1..1\nnot ok 1 - a # SKIP no perf here\n", "1..1\nnot ok 1 - $no this: no perf here\n"],
    ['all skipped', "1..0 # SKIP no perf here\n", "1..1\nnot ok 1 - $no all of it: no perf here\n"],
    ['a remark', "1..1\nok 1\n# ok 2 # SKIP no perf here\n"],
    ['a name with the word', "1..1\nok 1 - a skip is a failure\n"]) {
    my ($what, $text, $in_ci) = @$_;
    is(tap('true', $text), ($in_ci // $text) . 0, $what);
    is(tap(undef, $text), "${text}0", "$what, outside of CI");
    is(tap('', $text), "${text}0", "$what, with CI empty");
}
for my $ci ('true', '') {
    is(tap($ci, "1..1\n", 'exit 3'), "1..1\n3", "the test's status with CI=$ci");
    is(tap($ci, '', 'echo $1 $CMOCKA_MESSAGE_OUTPUT'), "one TAP\n0", "its arguments and environment with CI=$ci");
}
is(tap('true', "1..1\n", 'kill -SEGV $$'), "1..1\n139", 'a test that crashes');
# Each line is passed on when it comes, not at the test's end: this test ends after its first line has been read.
write_file("$folder/test", "#!/bin/sh\necho 1..1\nread line\necho ok 1\n");
{
    local $ENV{CI} = 'true';
    my $pid = open2(my $out, my $in, 'sh', '-c', "cd $folder && exec lint/tap ./test");
    local $SIG{ALRM} = sub { kill 'TERM', $pid };
    alarm 20;
    my $first = <$out>;
    print $in "go on\n";
    is($first, "1..1\n", 'a line, while the test waits');
    is(join('', <$out>), "ok 1\n", 'and the rest, when it goes on');
    alarm 0;
    waitpid $pid, 0;
}
is(qx($FindBin::Bin/tap 2>&1), "usage: tap TEST [ARGUMENT..]\n", 'no test');
for my $ci ('true', '') {
    local $ENV{CI} = $ci;
    like(scalar qx(cd $folder && lint/tap ./absent 2>&1), qr{^tap: \./absent: No such file or directory$}m, "a test that is not there, with CI=$ci");
    isnt($?, 0, '... is a failure');
    for (['-j2 --no-print-directory -- V=1', '--no-print-directory -- V=1'], [' -j10 --jobserver-auth=3,4 -- A=-j5', ' -- A=-j5'], ['k -j', 'k ']) {
        my ($given, $left) = @$_;
        local $ENV{MAKEFLAGS} = $given;
        is(tap($ci, '', 'echo "$MAKEFLAGS"'), "$left\n0", "MAKEFLAGS=$given with CI=$ci");
    }
    delete local $ENV{MAKEFLAGS};
    is(tap($ci, '', 'echo "${MAKEFLAGS-none}"'), "none\n0", "no MAKEFLAGS with CI=$ci");
}

# A line passes when it is there, not when the test ends: this one goes on when its first line has been read.
write_file("$folder/test", "#!/bin/sh\necho ok 1\nfor _ in \$(seq 100); do [ -e $folder/read ] && break; sleep 0.1; done\n[ -e $folder/read ] && echo ok 2\n");
local $ENV{CI} = 'true';
open my $lines, '-|', "cd $folder && lint/tap ./test" or die "tap: $!\n";
is(scalar <$lines>, "ok 1\n", 'a line passes');
write_file("$folder/read", '');
is(scalar <$lines>, "ok 2\n", '... before the next one is there');
close $lines;

rename "$folder/lint/skips", "$folder/lint/gone";
is(tap('true', "1..1\nok 1\n"), "tap: $folder/lint/skips: No such file or directory\n2", 'no list');

# Each line of the list names a test that there is.
my $top = "$FindBin::Bin/../..";
open my $skips, '<', "$FindBin::Bin/skips" or die "skips: $!\n";
my @lines = grep { !/^#|^$/ } <$skips>;
is(join('', grep { !(/^(\S+) : \S/ && -x "$top/$1") } @lines), '', 'the list names tests, with reasons');
done_testing();
