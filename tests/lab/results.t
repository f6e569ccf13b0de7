#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# contrib/lab/lava-results, with logs of LAVA in each of which one thing is wrong. Prints TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

plan skip_all => 'no YAML::XS here; ./bootstrap --lab installs it' if !eval { require YAML::XS };

my $script = "$FindBin::Bin/../../lab/lava-results";
my $folder = tempdir(CLEANUP => 1);

sub write_file
{
    my ($path, $text) = @_;
    open my $file, '>', $path or die "results.t: $path: $!\n";
    print $file $text;
    close $file or die "results.t: $path: $!\n";
    return;
}

sub target { return map { qq({"dt": "2026-01-02T03:04:05.678901", "lvl": "target", "msg": "$_"}) } @_ }

sub case
{
    my ($definition, $case, $result, $more) = @_;
    return qq({"dt": "2026-01-02T03:04:05.678901", "lvl": "results", "msg": {"case": "$case", "definition": "$definition", ) . ($more // '') .
        qq("result": "$result"}});
}

sub test
{
    my ($id, $result) = @_;
    return case('dstest86', $id =~ s/\W+/_/gr, $result, qq("extra": {"test_case_id": "$id"}, "level": "3.1", ));
}

my @good = ('{"dt": "2026-01-02T03:04:05.678901", "lvl": "info", "msg": "start: 0 validate"}', case('lava', 'validate', 'pass'),
    target('BdsDxe: starting', '# end dstest86 verdict=fail', '# begin dstest86 0.1.0 abc 64', 'KTAP version 1', '1..4', 'ok 1 bts.one_a'), test('bts.one_a', 'pass'),
    target('ok 2 lbr.two # SKIP no \\\\\\"LBR\\\\\\"'), test('lbr.two', 'skip'), target('# differs: 5 is not 6', 'ok 3 bts.three'), test('bts.three', 'pass'),
    target('not ok 4 pebs.four'), test('pebs.four', 'fail'),
    target('# area               pass differs    fail    skip   error', '# area bts 1 1 0 0 0', '# area lbr 0 0 0 1 0', '# area pebs 0 0 1 0 0',
        '# differs bts.three: 5 is not 6', '# fail pebs.four: got 1', '# facility bts pass 2 of 2', '# facility lbr none: no LBR', '# facility pebs fail 1 of 1',
        '# end dstest86 verdict=fail pass=1 fail=1 skip=1 error=0 differs=1'),
    test('verdict', 'fail'), target('poweroff'), case('lava', 'job', 'pass'));

# What lava-results makes of a log: its status, what it prints, and what it complains of.
sub run
{
    my ($prefix, @lines) = @_;
    write_file("$folder/log", join '', map { "$prefix$_\n" } @lines);
    my $said = qx('$script' -o '$folder/kernel' '$folder/log' 2>'$folder/errors');
    my $status = $? >> 8;
    open my $file, '<', "$folder/errors" or die "results.t: $!\n";
    return ($status, $said, join '', <$file>);
}

# The good log with one line replaced, which must be there.
sub changed
{
    my ($from, @to) = @_;
    my $count = grep { $_ eq $from } @good;
    die "results.t: $count times $from\n" if $count != 1;
    return run('', map { $_ eq $from ? @to : $_ } @good);
}

my $table = <<'END';
pass pass       bts.one_a
skip skip       lbr.two
pass differs    bts.three
fail fail       pebs.four
fail fail       verdict
END
is_deeply([run('', @good)], [0, $table, ''], 'as lava-run prints it');
is_deeply([run('- ', @good)], [0, $table, ''], 'as a server hands it out');
open my $kernel, '<', "$folder/kernel" or die "results.t: $!\n";
my @kernel = <$kernel>;
is("$kernel[0]$kernel[-1]", "# begin dstest86 0.1.0 abc 64\n# end dstest86 verdict=fail pass=1 fail=1 skip=1 error=0 differs=1\n", "the kernel's log, and no more");
is($kernel[4], "ok 2 lbr.two # SKIP no \"LBR\"\n", '... as it came');

for (
    ['a result of another kind', test('pebs.four', 'fail'), [test('pebs.four', 'pass')], "pebs.four: LAVA's result is pass, the kernel's fail"],
    ['a skipped test that passes', test('lbr.two', 'skip'), [test('lbr.two', 'pass')], "lbr.two: LAVA's result is pass, the kernel's skip"],
    ['a result that LAVA has not', test('bts.one_a', 'pass'), [], "bts.one_a: LAVA's result is none, the kernel's pass"],
    ['one that the kernel has not', test('bts.one_a', 'pass'), [test('bts.one_a', 'pass'), test('bts.other', 'pass')],
        "bts.other: LAVA's result is pass, the kernel's none"],
    ['one twice', test('bts.one_a', 'pass'), [(test('bts.one_a', 'pass')) x 2], 'LAVA has bts.one_a twice'],
    ['no verdict', test('verdict', 'fail'), [], "verdict: LAVA's result is none, the kernel's fail"],
    ['a line that was lost', target('not ok 4 pebs.four'), [], 'plan of 4, 3 reported'],
    ['a job that failed', case('lava', 'job', 'pass'), [case('lava', 'job', 'fail', '"error_msg": "Connection closed", ')], 'the job failed: Connection closed'],
) {
    my ($name, $from, $to, $complaint) = @$_;
    my ($status, $said, $errors) = changed($from, @$to);
    is($status, 1, "$name: status 1");
    like($errors, qr/^lava-results: \Q$complaint\E$/m, "... and it says so");
}
is((run('', case('lava', 'job', 'pass')))[2], qq(lava-results: no "# begin dstest86" line\n), 'a job in which nothing was printed');

for (
    ['a message that is none of a result', target('poweroff'), ['{"lvl": "results", "msg": "hello"}', '{"lvl": "target", "msg": {"hello": 1}}'], 0, ''],
    ['a result without a definition', target('poweroff'), ['{"lvl": "results", "msg": {"result": "pass"}}'], 0, ''],
    ['one without the id of its test', test('bts.one_a', 'pass'), [case('dstest86', 'bts_one_a', 'pass')], 1,
        "lava-results: bts_one_a: LAVA's result is pass, the kernel's none\nlava-results: bts.one_a: LAVA's result is none, the kernel's pass\n"],
    ['one without a result', test('bts.one_a', 'pass'), ['{"lvl": "results", "msg": {"case": "a", "definition": "dstest86", "extra": {"test_case_id": "bts.one_a"}}}'],
        1, "lava-results: bts.one_a: LAVA's result is none, the kernel's pass\n"],
    ['a job that failed for no reason', case('lava', 'job', 'pass'), [case('lava', 'job', 'fail')], 1, "lava-results: the job failed: no reason given\n"],
) {
    my ($name, $from, $to, $status, $errors) = @$_;
    is_deeply([(changed($from, @$to))[0, 2]], [$status, $errors], $name);
}
is_deeply([run('', @good, '{"lvl": "results", "msg": "hello"}')], [0, $table, ''], 'and behind the end');

is((changed(case('lava', 'job', 'pass')))[0], 2, 'a log that is cut off: status 2');
is((run('', 'something else'))[2], "lava-results: $folder/log: not the log of a LAVA job that has ended: no line says what came of it\n", 'no log of LAVA: it says so');
is(qx('$script' '$folder' 2>&1) . ($? >> 8), "lava-results: $folder: Is a directory\n2", 'a folder');
is(system("'$script' '$folder/none' 2>'$folder/errors'") >> 8, 2, 'no file: status 2');
is(system("'$script' 2>'$folder/errors'") >> 8, 2, 'no argument: status 2');
is(qx('$script' --help 2>&1) . ($? >> 8), "usage: lava-results [-o FILE] LOG\n0", 'help');
my $judge = "$FindBin::Bin/../../lab/judge";
is(qx('$judge' 2>&1) . ($? >> 8), "usage: judge LOG\n2", 'judge: no argument');
is(qx('$judge' '$folder' 2>&1) . ($? >> 8), "judge: $folder: Is a directory\n2", 'judge: a folder');
is(qx('$judge' '$folder/log' 2>&1) . ($? >> 8), "no \"# begin dstest86\" line\n1", 'judge: another file');
done_testing;
