#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# With CI=true, a skipped test fails unless tests/lint/skips permits its reason. Without CI=true, skips pass.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file write_file);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
write_file("$folder/lint/skips", "# no reason\n./test : no KVM here\n./other : no perf here\n");
symlink "$FindBin::Bin/tap", "$folder/lint/tap";

# Runs this script as a test; returns its output and status.
sub tap
{
    my ($ci, $script) = @_;
    write_file("$folder/test", "#!/bin/sh\n$script\n");
    chmod 0755, "$folder/test";
    local $ENV{CI} = $ci;
    my $out = qx(cd $folder && lint/tap ./test one 2>&1);
    return "$out" . ($? >> 8);
}

my $no = 'tests/lint/skips does not permit skipping';
for (
    ['a failure', "1..2\nok 1 - a\nnot ok 2 - b\n"],
    ['a permitted skip', "1..1\nok 1 # SKIP no KVM here\n"],
    ['a permitted skip of all', "1..0 # SKIP no KVM here\n"],
    ['a skip for another reason', "1..2\nok 1 - a # SKIP no KVM\nok 2\n", "1..2\nnot ok 1 - $no this: no KVM\nok 2\n"],
    ['a skip permitted only for another test', "1..1\nok 1 # skip no perf here\n", "1..1\nnot ok 1 - $no this: no perf here\n"],
    ['a skip without a reason', "ok 1 - a # SKIP\n1..1\n", "not ok 1 - $no this: \n1..1\n"],
    ['a skip as a failure', "1..1\nnot ok 1 - a # SKIP no perf here\n", "1..1\nnot ok 1 - $no this: no perf here\n"],
    ['a skip of all', "1..0 # SKIP no perf here\n", "1..1\nnot ok 1 - $no all of it: no perf here\n"],
    ['a remark', "1..1\nok 1\n# ok 2 # SKIP no perf here\n"],
    ['a name with the word', "1..1\nok 1 - a skip is a failure\n"]) {
    my ($what, $text, $in_ci) = @$_;
    is(tap('true', "cat <<'END'\n${text}END"), ($in_ci // $text) . 0, $what);
    is(tap('', "cat <<'END'\n${text}END"), "${text}0", "$what, outside of CI");
}
for my $ci ('true', '') {
    is(tap($ci, 'echo 1..1; exit 3'), "1..1\n3", "the test's status with CI=$ci");
    is(tap($ci, 'echo $1 $CMOCKA_MESSAGE_OUTPUT'), "one TAP\n0", "its arguments and environment with CI=$ci");
    local $ENV{MAKEFLAGS} = ' -j10 --jobserver-auth=3,4 -- A=-j5';
    is(tap($ci, 'echo "$MAKEFLAGS"'), " -- A=-j5\n0", "no jobs of make's with CI=$ci");
}
is(tap('true', 'echo 1..1; kill -SEGV $$'), "1..1\n139", 'a test that crashes');
$ENV{CI} = 'true';
like(scalar qx(cd $folder && lint/tap ./absent 2>&1; echo \$?), qr{^tap: \./absent: No such file or directory\n.*[^0]$}m, 'a missing test');

# Lines are printed at once, not at the end: this test continues only when its first line has been read.
write_file("$folder/test", "#!/bin/sh\necho ok 1\nfor _ in \$(seq 100); do [ -e read ] && echo ok 2 && break; sleep 0.1; done\n");
open my $lines, '-|', "cd $folder && lint/tap ./test" or die "tap: $!\n";
is(scalar <$lines>, "ok 1\n", 'a line passes');
write_file("$folder/read", '');
is(scalar <$lines>, "ok 2\n", '... before the test prints the next one');

my $top = "$FindBin::Bin/../..";
my @lines = grep { !/^#|^$/ } split /\n/, read_file("$FindBin::Bin/skips");
is(join("\n", grep { !(/^(\S+) : \S/ && -x "$top/$1") } @lines), '', 'tests/lint/skips lists tests of this tree, with reasons');
done_testing();
