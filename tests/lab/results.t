#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# contrib/lab/lava-results detects the mistake in each of these LAVA logs.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use Test::More;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file run write_file);

plan skip_all => 'no YAML::XS here; ./bootstrap --lab installs it' if !eval { require YAML::XS };

my $lab = "$FindBin::Bin/../../contrib/lab";
my $folder = tempdir(CLEANUP => 1);

sub target { return map { qq({"dt": "2026-01-02T03:04:05.678901", "lvl": "target", "msg": "$_"}) } @_ }

sub case
{
    my ($definition, $case, $result, $more) = @_;
    return qq({"lvl": "results", "msg": {"case": "$case", "definition": "$definition", ) . ($more // '') . qq("result": "$result"}});
}

sub test
{
    my ($id, $result) = @_;
    return case('dstest86', $id =~ s/\W+/_/gr, $result, qq("extra": {"test_case_id": "$id"}, "level": "3.1", ));
}

my @kernel = ('# begin dstest86 0.1.0 abc 64', 'KTAP version 1', '1..4', 'ok 1 bts.one_a', 'ok 2 lbr.two # SKIP no "LBR"',
    '# differs: 5 is not 6', 'ok 3 bts.three', 'not ok 4 pebs.four', '# area               pass differs    fail    skip   error',
    '# area bts 1 1 0 0 0', '# area lbr 0 0 0 1 0', '# area pebs 0 0 1 0 0', '# differs bts.three: 5 is not 6',
    '# fail pebs.four: got 1', '# facility bts pass 2 of 2', '# facility lbr none: no LBR', '# facility pebs fail 1 of 1',
    '# end dstest86 verdict=fail pass=1 fail=1 skip=1 error=0 differs=1');
my %result = ($kernel[3] => ['bts.one_a', 'pass'], $kernel[4] => ['lbr.two', 'skip'], $kernel[6] => ['bts.three', 'pass'],
    $kernel[7] => ['pebs.four', 'fail'], $kernel[-1] => ['verdict', 'fail']);
my @good = ('{"dt": "2026-01-02T03:04:05.678901", "lvl": "info", "msg": "start: 0 validate"}', case('lava', 'validate', 'pass'),
    target('BdsDxe: starting', '# end dstest86 verdict=fail'),
    (map { (target(s/"/\\\\\\"/gr), $result{$_} ? test(@{$result{$_}}) : ()) } @kernel),
    target('poweroff'), case('lava', 'job', 'pass'));

# Runs lava-results on a log; returns its status, output and complaints.
sub results
{
    my ($prefix, @lines) = @_;
    write_file("$folder/log", join '', map { "$prefix$_\n" } @lines);
    return run("$lab/lava-results", '-o', "$folder/kernel", "$folder/log");
}

my $table = <<'END';
pass pass       bts.one_a
skip skip       lbr.two
pass differs    bts.three
fail fail       pebs.four
fail fail       verdict
END
is_deeply([results('', @good)], [0, $table, ''], 'as lava-run prints it');
is_deeply([results('- ', @good, '{"lvl": "results", "msg": "hello"}')], [0, $table, ''], 'as a server exports it');
is(read_file("$folder/kernel"), join('', map { "$_\n" } @kernel), "only the kernel's log");
is_deeply([(run("$lab/judge", "$folder/kernel"))[0, 1]], [0, "fail\n"], 'contrib/lab/judge accepts the log');

# A line of the good log, its replacement, and the complaints.
my ($job, $one) = (case('lava', 'job', 'pass'), test('bts.one_a', 'pass'));
my %none = ($one => "bts.one_a: LAVA's result is none, the kernel's pass");
for (
    ['a different result', test('pebs.four', 'fail'), [test('pebs.four', 'pass')],
        "pebs.four: LAVA's result is pass, the kernel's fail"],
    ['a skipped test that passes', test('lbr.two', 'skip'), [test('lbr.two', 'pass')], "lbr.two: LAVA's result is pass, the kernel's skip"],
    ["a result that LAVA lacks", $one, [], $none{$one}],
    ['a result that the kernel lacks', $one, [$one, test('bts.other', 'pass')], "bts.other: LAVA's result is pass, the kernel's none"],
    ['a result twice', $one, [$one, $one], 'LAVA has bts.one_a twice'],
    ["a case without the test's id", $one, [case('dstest86', 'bts_one_a', 'pass')],
        "bts_one_a: LAVA's result is pass, the kernel's none", $none{$one}],
    ['a case without a result', $one,
        ['{"lvl": "results", "msg": {"case": "a", "definition": "dstest86", "extra": {"test_case_id": "bts.one_a"}}}'], $none{$one}],
    ['no verdict', test('verdict', 'fail'), [], "verdict: LAVA's result is none, the kernel's fail"],
    ['a lost line', target('not ok 4 pebs.four'), [], 'plan of 4, 3 reported'],
    ['a job that failed', $job, [case('lava', 'job', 'fail', '"error_msg": "Connection closed", ')], 'the job failed: Connection closed'],
    ['a job that failed for no reason', $job, [case('lava', 'job', 'fail')], 'the job failed: no reason given'],
    ['no end of the job', $job, [], "$folder/log: not the log of a LAVA job that has ended: it has no line with the job's result"],
    ['messages of other forms', target('poweroff'), [map { qq({"lvl": $_}) } '"results", "msg": "hello"', '"target", "msg": {"hello": 1}',
        '"results", "msg": {"result": "pass"}']],
) {
    my ($name, $from, $to, @complaints) = @$_;
    my ($status, undef, $errors) = results('', map { $_ eq $from ? @$to : $_ } @good);
    is($status, !@complaints ? 0 : $complaints[0] =~ /has ended/ ? 2 : 1, "$name: its status");
    ok(index($errors, "lava-results: $_\n") >= 0, "... $_") or diag($errors) for @complaints;
}
is((results('', $job))[2], qq(lava-results: no "# begin dstest86" line\n), 'a job without kernel output');
is((run("$lab/lava-results", "$folder/none"))[0], 2, 'a missing file: status 2');
is((run("$lab/judge", "$folder/log"))[0], 1, 'contrib/lab/judge refuses a log without kernel output');
is((run("$lab/judge", "$folder/none"))[0], 2, '... status 2 for a missing file');
done_testing;
