#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# KernelLog.pm must find everything that makes a run incomplete or inconsistent.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Test::More;
use File::Temp qw(tempdir);
use KernelLog qw(clean judge read_boot verdict_of_status);

local $SIG{__WARN__} = sub { die "a warning: @_" };

my @log = (
    'BdsDxe: starting Boot0002', '# begin dstest86 0.1.0 abc 64', '# cpu GenuineIntel', 'KTAP version 1', '1..5',
    '# test ds.one', 'ok 1 ds.one', '# differs: before it failed', 'not ok 2 bts.one', 'ok 3 pebs.one # SKIP no PEBS', '# differs: a cycle',
    'ok 4 lbr.one', 'ok 5 bts.two', '# area               pass differs    fail    skip   error',
    '# area ds               1       0       0       0       0', '# area bts              1       0       1       0       0',
    '# area pebs             0       0       0       1       0', '# area lbr              0       1       0       0       0',
    '# fail bts.one: a branch', '# differs lbr.one: a cycle', '# result ds.one pass', '# result bts.one fail', '# result bts.two pass',
    '# result pebs.one skip', '# result lbr.one differs', '# facility bts fail 1 of 2', '# facility pebs none: no PEBS',
    '# facility lbr pass 1 of 1', '# end dstest86 verdict=fail pass=2 fail=1 skip=1 error=0 differs=1',
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
    ['no plan', sub { s/^1\.\.5// }, qr/no plan/],
    ['two plans', sub { s/^1\.\.5/1..5\n1..5/ }, qr/second plan/],
    ['a test missing', sub { s/^ok 5.*// }, qr/plan of 5, 4 reported/],
    ['a test too many', sub { s/^1\.\.5/1..4/ }, qr/plan of 4, 5 reported/],
    ['a wrong number', sub { s/^ok 3/ok 4/ }, qr/pebs\.one has number 4, not 3/],
    ['the same test twice', sub { s/not ok 2 bts/not ok 2 ds/ }, qr/ds\.one reported twice/],
    ['SKIP without a reason', sub { s/SKIP.*/SKIP/ }, qr/skipped without a reason/],
    ['SKIP that is not ok', sub { s/^ok 3/not ok 3/ }, qr/skipped as not ok/],
    ['a broken result line', sub { s/^ok 1 ds/ok 1ds/ }, qr/not a result line/],
    ['a recap missing', sub { s/^# result ds.*// }, qr/recap has nothing for ds\.one/],
    ['a recap that differs', sub { s/^(# result bts.one) fail/$1 pass/ }, qr/recap has pass for bts\.one, which is fail/],
    ['a recap of no test', sub { s/^(# result) ds.one/$1 ds.two/ }, qr/recap has pass for ds\.two, which is unknown/],
    ['a recap twice', sub { s/^(# result ds.*)/$1\n$1/ }, qr/recap of ds\.one twice/],
    ['a wrong count', sub { s/skip=1/skip=2/ }, qr/says skip=2, counted 1/],
    ['another wrong count', sub { s/differs=1/differs=0/ }, qr/says differs=0, counted 1/],
    ['no count', sub { s/ differs=1// }, qr/says differs=nothing, counted 1/],
    ['a verdict too good', sub { s/verdict=fail/verdict=pass/ }, qr/verdict=pass, but the results make it fail/],
    ['a table that counts wrongly', sub { s/^(# area bts +)1/${1}2/ }, qr/the table has 2 0 1 0 0 for bts, counted 1 0 1 0 0/],
    ['an area missing', sub { s/^# area pebs +.*// }, qr/the table has nothing for pebs, counted 0 0 0 1 0/],
    ['an area without tests', sub { s/^(# area pebs +.*)/$1\n# area pmi 0 0 0 0 0/ }, qr/the table has 0 0 0 0 0 for pmi, counted nothing/],
    ['an area twice', sub { s/^(# area pebs +.*)/$1\n$1/ }, qr/the table has the area pebs twice/],
    ['two tables', sub { s/^(# area +pass.*)/$1\n$1/ }, qr/a second table by area/],
    ['no table', sub { s/^# area +pass.*// }, qr/the table has nothing for bts, counted 1 0 1 0 0/],
    ['no reason', sub { s/^# fail bts.*// }, qr/the end gives no reason for bts\.one, which is fail/],
    ['no reason for what differs', sub { s/^# differs lbr.*// }, qr/the end gives no reason for lbr\.one, which is differs/],
    ['an empty reason', sub { s/^(# fail bts.one:).*/$1 / }, qr/the end gives no reason for bts\.one/],
    ['another reason', sub { s/^# fail bts/# error bts/ }, qr/the end gives error reason for bts\.one, which is fail/],
    ['a reason for a pass', sub { s/^# fail bts.one/# fail bts.two/ }, qr/the end gives fail reason for bts\.two, which is pass/],
    ['a reason for no test', sub { s/^# fail bts.one/# fail bts.ten/ }, qr/the end gives fail reason for bts\.ten, which is not there/],
    ['a reason twice', sub { s/^(# fail bts.*)/$1\n$1/ }, qr/the reason for bts\.one twice/],
    ['a facility missing', sub { s/^# facility lbr.*// }, qr/no line for the facility lbr/],
    ['a facility twice', sub { s/^(# facility lbr.*)/$1\n$1/ }, qr/the facility lbr twice/],
    ['a facility that there is not', sub { s/^(# facility) lbr.*/$1 pt pass 1 of 1/ }, qr/the facility pt is unknown/],
    ['a facility that failed and passes', sub { s/^# facility bts.*/# facility bts pass 1 of 2/ },
        qr/"facility bts pass 1 of 2", but of 2 tests 1 passed and 1 failed/],
    ['a facility with other failures', sub { s/^# facility bts.*/# facility bts fail 2 of 2/ }, qr/"facility bts fail 2 of 2", but/],
    ['a facility with other tests', sub { s/^# facility bts.*/# facility bts fail 1 of 3/ }, qr/"facility bts fail 1 of 3", but/],
    ['a facility that passed more', sub { s/^# facility lbr.*/# facility lbr pass 2 of 1/ }, qr/"facility lbr pass 2 of 1", but/],
    ['a facility that passed by a skip', sub { s/^# facility pebs.*/# facility pebs pass 0 of 1/ }, qr/"facility pebs pass 0 of 1", but/],
    ['a facility that is not there and passed', sub { s/^# facility lbr.*/# facility lbr none: no LBR/ }, qr/"facility lbr none: no LBR", but/],
    ['a facility that is not there, for no reason', sub { s/^(# facility pebs none:).*/$1 / }, qr/"facility pebs none: ", but/],
    ['a facility untested, for no reason', sub { s/^(# facility pebs) none:.*/$1 untested: / }, qr/"facility pebs untested: ", but/],
    ['a facility untested without a skip', sub { s/^(# facility lbr) pass.*/$1 untested: no LBR/ }, qr/"facility lbr untested: no LBR", but/],
    ['a facility of another word', sub { s/^(# facility lbr) pass.*/$1 selected/ }, qr/"facility lbr selected", but/],
);
like judged($_->[1]), $_->[2], $_->[0] for @edits;

# What makes the one failure of the log a pass, an error, and a test with an untested facility.
my $mended = sub {
    s/^not ok 2/ok 2/;
    s/(result bts.one) fail/$1 differs/;
    s/^# fail bts/# differs bts/;
    s/^(# area bts +)1       0       1/${1}1       1       0/;
    s/^# facility bts.*/# facility bts pass 2 of 2/;
    s/verdict=fail pass=2 fail=1(.*)differs=1/verdict=pass pass=2 fail=0$1differs=2/;
};
is judged($mended), '', 'verdict pass';
is judged(sub { s/^(not ok 2.*)/$1 # ERROR/; s/(result bts.one) fail/$1 error/; s/^# fail bts/# error bts/; s/verdict=fail/verdict=error/;
        s/^(# area bts .*)1       0       0$/${1}0       0       1/; s/fail=1(.*)error=0/fail=0$1error=1/ }), '', 'verdict error';
my $untested = sub { $mended->(); s/^# facility pebs.*/# facility pebs untested: no APIC/ };
is judged(sub { $untested->(); s/verdict=pass/verdict=incomplete/ }), '', 'verdict incomplete';
is judged($untested), 'verdict=pass, but the results make it incomplete', '... and no other';
is judged(sub { $mended->(); s/verdict=pass/verdict=incomplete/ }), 'verdict=incomplete, but the results make it pass', '... nor where all is tested';
is judged(sub { s/^# facility pebs.*/# facility pebs untested: no APIC/ }), '', 'a failure weighs more than what is untested';
is judged(sub { s/^# facility pebs.*/# facility pebs not selected/ }), '', 'a facility whose records nobody asked for';
is judged(sub { s/^# result .*// }), '', 'no recap of each test';

# Facilities that are not there, and a test that passes all the same.
my @none = ('# begin dstest86 0.1.0 abc 64', '1..2', 'ok 1 robust.one', 'ok 2 bts.one # SKIP no DS',
    '# area pass differs fail skip error', '# area robust 1 0 0 0 0', '# area bts 0 0 0 1 0',
    map({ "# facility $_ none: no DS" } qw(bts pebs lbr)), '# end dstest86 verdict=skip pass=1 fail=0 skip=1 error=0 differs=0');
($verdict, @wrong) = judge(\@none);
is "$verdict @wrong", 'skip ', 'none of the facilities whose tests are selected is there';
($verdict, @wrong) = judge([map { s/bts\.one/ds.one/r =~ s/area bts 0/area ds 0/r =~ s/verdict=skip/verdict=pass/r } @none]);
is "$verdict @wrong", 'pass ', '... or none is selected';
($verdict, @wrong) = judge([map { s/(facility lbr) none.*/$1 not selected/r } @none]);
is "$verdict @wrong", 'skip ', '... or another one is there';
($verdict, @wrong) = judge([map { s/verdict=skip/verdict=pass/r } @none]);
is "$verdict @wrong", 'pass verdict=pass, but the results make it skip', '... and no other verdict';

is judged(sub { s/^(# cpu.*)/$1\n# is # begin dstest86\n# an # end dstest86 verdict=pass\n# not ok 2\n# ok\nokay\n# 1..9\n# a # result x pass\n# area bts 1 0 0 0 0\n# fail lbr.one: no/ }),
    '', 'lines that only mention others';
is judged(sub { s/^BdsDxe.*/ok 1\n1..7\n# end dstest86 verdict=pass/ }), '', 'whatever the firmware says';

# A hybrid: all tests on each kind of its cores.
@log = (
    '# begin dstest86 0.1.0 abc 64', '# cpu 0 apic 0x0 Core Golden Cove, kind core: 2 of 4 processors',
    '# cpu 2 apic 0x2 Atom Gracemont, kind atom: 2 of 4 processors', '1..4',
    'ok 1 bts.one', 'ok 2 lbr.one', '# tests on cpu 2 apic 0x2 Atom Gracemont', 'ok 3 bts.one.atom', 'ok 4 lbr.one.atom # SKIP no depth',
    '# area pass differs fail skip error', '# area bts 2 0 0 0 0', '# area lbr 1 0 0 1 0', '# facility bts pass 1 of 1',
    '# facility bts.atom pass 1 of 1', '# facility pebs not selected', '# facility pebs.atom not selected', '# facility lbr pass 1 of 1',
    '# facility lbr.atom none: no LBR', '# end dstest86 verdict=pass pass=3 fail=0 skip=1 error=0 differs=0 kinds=core,atom',
);
is judged(sub { }), '', 'a right log of two kinds gives no complaint';
my @of_kinds = (
    ['no kinds at the end', sub { s/ kinds=.*// }, qr/names the kinds none, the tests ran on atom/],
    ['the first kind missing at the end', sub { s/kinds=core,/kinds=/ }, qr/bts\.one ran on 2 kinds of cores, not 1/],
    ['the further kind missing at the end', sub { s/,atom$// }, qr/names the kinds core, the tests ran on atom/],
    ['a kind at the end that is another', sub { s/,atom$/,atom2/ }, qr/names the kinds core,atom2, the tests ran on atom/],
    ['a kind at the end that did not run', sub { s/,atom$/,atom,atom2/ }, qr/names the kinds core,atom,atom2, the tests ran on atom/],
    ['a test that ran on one kind', sub { s/^1\.\.4/1..3/; s/^ok 4.*//; s/^(# area lbr 1 0 0) 1/$1 0/; s/skip=1/skip=0/; s/^# facility lbr.atom.*/# facility lbr.atom not selected/ },
        qr/^lbr\.one ran on 1 kinds of cores, not 2/],
    ['a kind whose tests did not run', sub { s/^1\.\.4/1..2/; s/^ok [34].*//; s/^# area (bts|lbr).*/# area $1 1 0 0 0 0/; s/pass=3(.*)skip=1/pass=2$1skip=0/; s/^# facility \w+\.atom.*// },
        qr/names the kinds core,atom, the tests ran on the first alone/],
    ['a kind without a facility\'s line', sub { s/^# facility bts\.atom.*// }, qr/no line for the facility bts\.atom/],
    ['a facility of a kind that did not run', sub { s/^(# facility bts)\.atom(.*)/$1.atom$2\n$1.atom2 pass 1 of 1/ }, qr/the facility bts\.atom2 is unknown/],
    ['a facility of a kind with the tests of both', sub { s/^(# facility bts\.atom pass 1 of) 1/$1 2/ }, qr/"facility bts\.atom pass 1 of 2", but of 1 tests/],
    ['a facility of the first kind with the tests of both', sub { s/^# facility bts pass.*/# facility bts pass 2 of 2/ }, qr/"facility bts pass 2 of 2", but of 1 tests/],
    ['a kind\'s facility that is not there, and passes', sub { s/^# facility bts\.atom.*/# facility bts.atom none: no DS/ }, qr/"facility bts\.atom none: no DS", but/],
    ['a kind whose facility is untested', sub { s/^(# facility lbr\.atom) none/$1 untested/ }, qr/verdict=pass, but the results make it incomplete/],
    ['the order of the kinds\' tests', sub { s/^ok 1 bts.one/ok 1 bts.one.atom/; s/^ok 3 bts.one.atom/ok 3 bts.one/ }, qr/^the tests of one kind are not behind those of the other$/],
    ['a kind\'s tests among the other\'s', sub { s/^ok 2 lbr.one/ok 2 bts.one.atom/; s/^ok 3 bts.one.atom/ok 3 lbr.one/ }, qr/^the tests of one kind are not behind those of the other$/],
    ['a kind that the tests are not said to run on', sub { s/^# tests on cpu 2.*// }, qr/"# tests on" is there 0 times, for 1 further kinds/],
    ['a kind that the tests are said to run on twice', sub { s/^(# tests on cpu 2.*)/$1\n$1/ }, qr/"# tests on" is there 2 times, for 1 further kinds/],
    ['a kind that the head does not know', sub { s/^# cpu 2 .*// }, qr/"# end" names the kind atom, which the head has not/],
);
like judged($_->[1]), $_->[2], $_->[0] for @of_kinds;

# One kind alone of several: its tests have its name if it is not the first.
my $first = sub { s/^1\.\.4/1..2/; s/^ok [34].*//; s/^# tests on cpu 2.*//; s/^# area (bts|lbr).*/# area $1 1 0 0 0 0/; s/pass=3(.*)skip=1/pass=2$1skip=0/; s/^# facility \w+\.atom.*// };
is judged(sub { $first->(); s/kinds=core,atom/kinds=core/ }), '', 'the first kind alone';
like judged(sub { $first->(); s/kinds=core,atom/kinds=atom/ }), qr/names the kinds atom, the tests ran on the first alone/, '... and not by another name';
my $further = sub { s/^1\.\.4/1..2/; s/^ok [12].*//; s/^ok 3/ok 1/; s/^ok 4/ok 2/; s/^# area bts.*/# area bts 1 0 0 0 0/; s/^# area lbr.*/# area lbr 0 0 0 1 0/; s/pass=3/pass=1/; s/^# facility (bts|pebs|lbr) .*// };
is judged(sub { $further->(); s/kinds=core,atom/kinds=atom/ }), '', 'a further kind alone';
is judged(sub { $further->(); s/kinds=core,atom/kinds=atom/; s/^ok 1.*/not ok 1 bts.one.atom # ERROR/; s/^ok 2.*/not ok 2 lbr.one.atom # ERROR/; s/^# tests on.*//;
        s/^# area bts.*/# area bts 0 0 0 0 1/; s/^# area lbr.*/# area lbr 0 0 0 0 1\n# error bts.one.atom: no start\n# error lbr.one.atom: no start/;
        s/verdict=pass pass=1 fail=0 skip=1 error=0/verdict=error pass=0 fail=0 skip=0 error=2/; s/^# facility (bts|lbr)\.atom.*/# facility $1.atom fail 1 of 1/ }),
    '', '... and one whose processor does not start';
($verdict, @wrong) = judge([$log[0], '# end dstest86 verdict=error pass=0 fail=0 skip=0 error=1 differs=0 kinds=core,atom']);
is "$verdict @wrong", 'error ', 'an error before the plan, of two kinds';
like judged(sub { $further->(); s/kinds=core,atom/kinds=core/ }), qr/names the kinds core, the tests ran on atom/, '... and not by another name';


# A processor that hangs after its tests is an error of the run.
my $hangs = sub { s/^(ok 4 .*)/$1\n# error: cpu 2 does not come back after the last test/; s/verdict=pass(.*)error=0/verdict=error$1error=1/ };
is judged($hangs), '', 'an error of no test';
is judged(sub { $hangs->(); s/verdict=error/verdict=pass/ }), 'verdict=pass, but the results make it error', '... which passes';
is judged(sub { $hangs->(); s/error=1/error=0/ }), '"# end" says error=0, counted 1', '... which is not counted';
is judged(sub { $hangs->(); s/^# error: .*//m }), '"# end" says error=1, counted 0; verdict=error, but the results make it pass', '... which is not told';

my @begin = ('# begin dstest86 0.1.0 abc 64');
my $end = '# end dstest86 verdict';
($verdict, @wrong) = judge([@begin, "$end=error pass=0 fail=0 skip=0 error=1 differs=0"]);
is "$verdict @wrong", 'error ', 'an error before the plan';
($verdict, @wrong) = judge([@begin, '# test ds.one: a title', "$end=skip pass=0 fail=0 skip=0 error=0 differs=0"]);
is "$verdict @wrong", 'skip ', 'a list of the tests';
($verdict, @wrong) = judge([@begin, "$end=pass pass=0 fail=0 skip=0 error=0 differs=0"]);
like "@wrong", qr/no plan.*the results make it error/, 'a pass of nothing';
($verdict, @wrong) = judge([@begin, '# test ds.one: a title', "$end=pass pass=0 fail=0 skip=0 error=0 differs=0"]);
like "@wrong", qr/no plan.*the results make it error/, 'a pass of a list of the tests';
($verdict, @wrong) = judge([@begin, "$end=skip pass=0 fail=0 skip=0 error=0 differs=0"]);
like "@wrong", qr/no plan.*the results make it error/, 'a skip of nothing';
($verdict, @wrong) = judge([@begin, '1..0', @none[7 .. 9], "$end=error pass=0 fail=0 skip=0 error=1 differs=0"]);
is "@wrong", '"# end" says error=1, counted 0', 'an error after the plan is one of a test';
($verdict, @wrong) = judge([@begin, '1..2', 'ok 1 ds.one', "$end=panic pass=1 fail=0 skip=0 error=0 differs=0"]);
is "$verdict @wrong", 'panic ', 'a panic on the way';

is clean("\e[2J\e[01;01H\e[=3h\e[0m# begin\r\n"), '# begin', 'escape sequences and line ends go';
is_deeply [map { verdict_of_status($_) } 33, 35, 37, 39, 41, 43, 45, 1, 0],
    [qw(pass fail skip error panic), undef, 'incomplete', undef, undef],
    'exit statuses';

# A boot's folder, with the model's log of truth and without.
my $folder = tempdir(CLEANUP => 1);
sub boot_of
{
    my ($truth) = @_;
    my %files = (serial => "# begin\r\n\e[0m\r\n", truth => $truth);
    unlink "$folder/truth";
    for my $name (grep { defined $files{$_} } keys %files) {
        open my $file, '>', "$folder/$name" or die "$folder/$name: $!\n";
        print $file $files{$name};
        close $file or die "$folder/$name: $!\n";
    }
    return [read_boot($folder)];
}
is_deeply boot_of("dsmodel truth 1 profile=core2\nbts at=0x1\n"), ['core2', '# begin', ''], 'the profile and the lines of a boot';
is_deeply boot_of(undef), [undef, '# begin', ''], 'a boot without the model has no profile';
is_deeply boot_of($_), [undef, '# begin', ''], "nor has one whose truth begins so: '$_'" for '', 'dsmodel truth 2 profile=core2', 'bts at=0x1',
    ' dsmodel truth 1 profile=core2';
ok !eval { read_boot("$folder/none"); 1 }, 'a folder without a boot is an error';

done_testing;
