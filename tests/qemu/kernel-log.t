#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# KernelLog.pm must find everything that makes a run incomplete or inconsistent.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use KernelLog qw(clean judge verdict_of_status);

my @log = (
    'BdsDxe: starting Boot0002', '# begin dstest86 0.1.0 abc 64', '# cpu GenuineIntel', 'KTAP version 1', '1..3',
    '# test ds.one', 'ok 1 ds.one', 'not ok 2 bts.one', 'ok 3 pebs.one # SKIP no PEBS', '# result ds.one pass',
    '# result bts.one fail', '# result pebs.one skip', '# end dstest86 verdict=fail pass=1 fail=1 skip=1 error=0',
);

# Judges the log after an edit of every line's $_; returns all complaints in one text.
sub judged
{
    my ($edit) = @_;
    my @lines = @log;
    $edit->() for @lines;
    my (undef, @wrong) = judge([map { split /\n/ } @lines]);
    return join '; ', @wrong;
}

my ($verdict, @wrong) = judge(\@log);
is $verdict, 'fail', 'the verdict of the log';
is "@wrong", '', 'a right log gives no complaint';

my @edits = (
    ['begin twice', sub { s/^(# begin.*)/$1\n$1/ }, qr/came twice/],
    ['no begin', sub { s/^# begin.*// }, qr/no "# begin/],
    ['end twice', sub { s/^(# end.*)/$1\n$1/ }, qr/the line "# end" is there 2 times, not once/],
    ['no end', sub { s/^# end.*// }, qr/the line "# end" is there 0 times, not once/],
    ['end without a verdict', sub { s/verdict=fail // }, qr/has no verdict/],
    ['no plan', sub { s/^1\.\.3// }, qr/no plan/],
    ['two plans', sub { s/^1\.\.3/1..3\n1..3/ }, qr/second plan/],
    ['a test missing', sub { s/^ok 3.*// }, qr/plan of 3, 2 reported/],
    ['a test too many', sub { s/^1\.\.3/1..2/ }, qr/plan of 2, 3 reported/],
    ['a wrong number', sub { s/^ok 3/ok 4/ }, qr/pebs\.one has number 4, not 3/],
    ['the same test twice', sub { s/not ok 2 bts/not ok 2 ds/ }, qr/ds\.one reported twice/],
    ['SKIP without a reason', sub { s/SKIP.*/SKIP/ }, qr/skipped without a reason/],
    ['SKIP that is not ok', sub { s/^ok 3/not ok 3/ }, qr/skipped as not ok/],
    ['a broken result line', sub { s/^ok 1 ds/ok 1ds/ }, qr/not a result line/],
    ['a recap missing', sub { s/^# result ds.*// }, qr/recap has nothing for ds\.one/],
    ['a recap that differs', sub { s/^(# result bts.one) fail/$1 pass/ }, qr/recap has pass for bts\.one, which/],
    ['a recap of no test', sub { s/^(# result) ds.one/$1 ds.two/ }, qr/unknown test ds\.two/],
    ['a wrong count', sub { s/skip=1/skip=2/ }, qr/says skip=2, counted 1/],
    ['a verdict too good', sub { s/verdict=fail/verdict=pass/ }, qr/verdict=pass, but the results make it fail/],
);
like judged($_->[1]), $_->[2], $_->[0] for @edits;

is judged(sub { s/^not ok 2/ok 2/; s/(bts.one) fail/$1 pass/;
        s/verdict=fail pass=1 fail=1/verdict=pass pass=2 fail=0/ }), '', 'verdict pass';
is judged(sub { s/^(not ok 2.*)/$1 # ERROR/; s/(bts.one) fail/$1 error/; s/verdict=fail/verdict=error/;
        s/fail=1(.*)error=0/fail=0$1error=1/ }), '', 'verdict error';

my @begin = ('# begin dstest86 0.1.0 abc 64');
my $end = '# end dstest86 verdict';
($verdict, @wrong) = judge([@begin, "$end=error pass=0 fail=0 skip=0 error=1"]);
is "$verdict @wrong", 'error ', 'an error before the plan';
($verdict, @wrong) = judge([@begin, '# test ds.one: a title', "$end=skip pass=0 fail=0 skip=0 error=0"]);
is "$verdict @wrong", 'skip ', 'a list of the tests';
($verdict, @wrong) = judge([@begin, "$end=pass pass=0 fail=0 skip=0 error=0"]);
like "@wrong", qr/no plan.*the results make it error/, 'a pass of nothing';
($verdict, @wrong) = judge([@begin, '1..2', 'ok 1 ds.one', "$end=panic pass=1 fail=0 skip=0 error=0"]);
is "$verdict @wrong", 'panic ', 'a panic on the way';

is clean("\e[2J\e[01;01H\e[=3h\e[0m# begin\r\n"), '# begin', 'escape sequences and line ends go';
is_deeply [map { verdict_of_status($_) } 33, 35, 37, 39, 41, 1, 0], [qw(pass fail skip error panic), undef, undef],
    'exit statuses';

done_testing;
