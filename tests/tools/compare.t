#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# dsdump --compare: what it prints of two logs that are typed here, what is accepted, the page, and each error; and of two boots.
# Prints TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($build boot run_program);
use Test::More;

my $dsdump = "$build/host/dsdump";
my $folder = tempdir(CLEANUP => 1);

sub file
{
    my ($name, $text) = @_;
    open my $out, '>', "$folder/$name" or die "$folder/$name: $!\n";
    print $out $text;
    close $out or die "$folder/$name: $!\n";
    return "$folder/$name";
}

sub compare { return run_program({ folder => $folder, chdir => $folder }, $dsdump, '--compare', @_) }

my @log = split /^/, <<'END';
# begin dstest86 0.1.0 abc 64
# cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake
# cpu physical 40 bits
# bts records of 24 bytes
KTAP version 1
1..5
# test bts.calls
# Calls are stored in order
# bts 0 0x0000000000201234 main+0x234 => 0x0000000000201000 main+0x0
# bts 1 0x0000000000201300 => 0x0000000000201000 main+0x0 predicted
# 29 more BTS records (records=all prints them)
ok 1 bts.calls
# test lbr.tos
# lbr stack tos 5 depth 32
# lbr 0 0x201234/0x201256/P/-/-/7 main+0x234/-
# lbr stack tos 6 depth 32
# lbr 0 0x201234/0x201256/M/-/-/7/JCC
# 24 more LBR entries (records=all prints them)
# wrong: got 11 records
# more records, because the test did not pass:
# lbr stack 1 goes on
# lbr 8 0x201300/0x201320/P/-/-/5
# lbr stack 2 goes on
# lbr 8 0x201340/0x201360/P/-/-/6
not ok 2 lbr.tos
# test pebs.loads
# pebs 0 ip 0x201238 main+0x238 eventing_ip 0x201234 main+0x234 counters 0x1 tsc 0x10
# pebs 0 data_address 0x300040 table+0x40 data_source 0x21 |LVL L1 or L1 hit|SNP None|TLB L1 or L2 hit|LCK Yes| latency 4
# pebs 0 lbr 0 0x201234/0x201256/P/-/-/7 main+0x234/main+0x256
# pebs 1 ip 0x201238 main+0x238 eventing_ip 0x201234 main+0x234 counters 0x1 tsc 0x20
# differs: the latency is 4
ok 3 pebs.loads
# test measure.memory.64k
# measure memory size 65536 steps 32768 samples 254 weight 3076
# measure level size 65536 level "L2 or L2 hit" overhead 9870 samples 253
# measure level size 65536 level "L1 or L1 hit" overhead 130 samples 1
# dsdump/1 0 head AAAA
ok 4 measure.memory.64k
ok 5 bts.cpl.off_os # SKIP no BTS by privilege level
# differs pebs.loads: the latency is 4
# facility bts pass 1 of 2
# end dstest86 verdict=fail pass=3 fail=1
END

# The log with some lines changed: pairs of a pattern and what takes the line's place.
sub changed
{
    my (@changes) = @_;
    my @lines = @log;
    while (my ($pattern, $to) = splice @changes, 0, 2) {
        my @found = grep { $lines[$_] =~ $pattern } 0 .. $#lines;
        die "$pattern: no such line\n" if !@found;
        $lines[$found[0]] =~ s/$pattern/$to/;
    }
    return join '', @lines;
}

file('a', join '', @log);
my ($status, $out, $err) = compare('a', 'a');
is($err, '', 'no complaint');
is("$status $out", "0 A a\nB a\nthe same 73, different 0 in 0 tests, accepted 0\n", 'a log is like itself');
file('crlf', join '', map { s/\n/\r\n/r } @log);
($status, $out) = compare('a', 'crlf');
is("$status $out", "0 A a\nB crlf\nthe same 73, different 0 in 0 tests, accepted 0\n", 'ends of lines make no difference');

# Each: what is changed, and the lines that are printed for it.
my @cases = (
    ['a line about the machine', [qr/model 5e/ => 'model 9e'],
        qr/^machine\n  cpu: GenuineIntel family 6 model 5e .* \| GenuineIntel family 6 model 9e .*\n\z/],
    ['the second line of a name', [qr/physical 40/ => 'physical 46'], qr/^machine\n  cpu \(2\): physical 40 bits \| physical 46 bits\n\z/],
    ['a result', [qr/^ok 1/ => 'not ok 1'], qr/^bts\.calls\n  result: pass \| fail\n\z/],
    ['a skip', [qr/^ok 1 bts.calls$/ => 'ok 1 bts.calls # SKIP no BTS: why'], qr/^bts\.calls\n  result: pass \| skip: no BTS: why\n\z/],
    ['the reason of a skip', [qr/level$/ => 'ring'], qr/^bts\.cpl\.off_os\n  result: skip: no BTS by privilege level \| skip: no BTS by privilege ring\n\z/],
    ['an address of BTS', [qr/0x0000000000201300/ => '0x0000000000201301'],
        qr/^bts\.calls\n  bts 1 from: 0x0000000000201300 \| 0x0000000000201301\n\z/],
    ['a symbol of BTS', [qr/main\+0x234 =>/ => 'main+0x235 =>'], qr/^bts\.calls\n  bts 0 from: main\+0x234 \| main\+0x235\n\z/],
    ['the other symbol', [qr/main\+0x0$/ => 'main+0x1'], qr/^bts\.calls\n  bts 0 to: main\+0x0 \| main\+0x1\n\z/],
    ['an address that has a symbol', [qr/0x0000000000201234/ => '0x0000000000301234'], qr/^\z/],
    ['the prediction', [qr/predicted/ => 'mispredicted'], qr/^bts\.calls\n  bts 1 prediction: predicted \| mispredicted\n\z/],
    ['how many are not printed', [qr/29 more/ => '28 more'], qr/^bts\.calls\n  BTS records not_printed: 29 \| 28\n\z/],
    ['a record that is missing', [qr/# bts 1 .*\n/ => ''],
        qr/^bts\.calls\n  only in A: bts 1 from: 0x0000000000201300\n  only in A: bts 1 prediction: predicted\n  only in A: bts 1 to: main\+0x0\n\z/],
    ['the top of a stack', [qr/tos 6/ => 'tos 7'], qr/^lbr\.tos\n  lbr stack 2 tos: 6 \| 7\n\z/],
    ['an entry', [qr{/M/} => '/P/'], qr/^lbr\.tos\n  lbr stack 2 entry 0 prediction: M \| P\n\z/],
    ['cycles', [qr{/7 main\+0x234/-} => '/8 main+0x234/-'], qr/^lbr\.tos\n  lbr stack 1 entry 0 cycles: 7 \| 8\n\z/],
    ['entries that were left out', [qr/24 more LBR/ => '23 more LBR'], qr/^lbr\.tos\n  lbr stack 2 not_printed: 24 \| 23\n\z/],
    ['one that was held back', [qr{-/5$} => '-/4'], qr/^lbr\.tos\n  lbr stack 1 entry 8 cycles: 5 \| 4\n\z/],
    ['one of another stack', [qr{-/6$} => '-/4'], qr/^lbr\.tos\n  lbr stack 2 entry 8 cycles: 6 \| 4\n\z/],
    ['the kind of a branch', [qr{/JCC} => '/RET'], qr/^lbr\.tos\n  lbr stack 2 entry 0 kind: JCC \| RET\n\z/],
    ['an entry without a symbol', [qr{0x201256/P} => '0x201257/P'], qr/^lbr\.tos\n  lbr stack 1 entry 0 to: 0x201256 \| 0x201257\n\z/],
    ['its other symbol', [qr{main\+0x234/-} => 'main+0x236/-'], qr/^lbr\.tos\n  lbr stack 1 entry 0 from: main\+0x234 \| main\+0x236\n\z/],
    ['what was wrong', [qr/wrong: got 11/ => 'wrong: got 12'], qr/^lbr\.tos\n  wrong: got 11 records \| got 12 records\n\z/],
    ['what differs', [qr/differs: the latency is 4/ => 'differs: the latency is 5'],
        qr/^pebs\.loads\n  differs: the latency is 4 \| the latency is 5\n\z/],
    ['a field', [qr/counters 0x1/ => 'counters 0x2'], qr/^pebs\.loads\n  pebs 0 counters: 0x1 \| 0x2\n\z/],
    ['a symbol of a field', [qr/eventing_ip 0x201234 main\+0x234/ => 'eventing_ip 0x201235 main+0x235'],
        qr/^pebs\.loads\n  pebs 0 eventing_ip: main\+0x234 \| main\+0x235\n\z/],
    ['a data source', [qr/0x21/ => '0x22'], qr/^pebs\.loads\n  pebs 0 data_source: 0x21 \| 0x22\n\z/],
    ['what is behind its words', [qr/latency 4$/ => 'latency 5'], qr/^pebs\.loads\n  pebs 0 latency: 4 \| 5\n\z/],
    ['an entry in a record', [qr{7 main\+0x234/main\+0x256} => '9 main+0x234/main+0x256'],
        qr/^pebs\.loads\n  pebs\.lbr 0 entry 0 cycles: 7 \| 9\n\z/],
    ['a field in two records', [qr/tsc 0x10/ => 'tsc 0x11', qr/tsc 0x20/ => 'tsc 0x21'],
        qr/^pebs\.loads\n  pebs 0 tsc: 0x10 \| 0x11\n    and 1 more differ in pebs\.tsc\n\z/],
    ['a figure', [qr/weight 3076/ => 'weight 3077'],
        qr/^measure\.memory\.64k\n  measure memory size 65536 weight: 3076 \| 3077\n\z/],
    ['a figure of a level', [qr/overhead 130/ => 'overhead 131'],
        qr/^measure\.memory\.64k\n  measure level size 65536 level "L1 or L1 hit" overhead: 130 \| 131\n\z/],
    ['a facility', [qr/bts pass 1/ => 'bts pass 2'], qr/^run\n  facility bts: pass 1 of 2 \| pass 2 of 2\n\z/],
    ['the end', [qr/verdict=fail/ => 'verdict=pass'], qr/^run\n  end: verdict=fail .* \| verdict=pass .*\n\z/],
    ['a line between its like', [qr/# cpu physical/ => "# cpu something new\n# cpu physical"], qr/^machine\n  only in B: cpu \(2\): something new\n\z/],
    ['an error', [qr/not ok 2 lbr.tos/ => 'not ok 2 lbr.tos # ERROR'], qr/^lbr\.tos\n  result: fail \| error\n\z/],
    ['a limit of time', [qr/not ok 2 lbr.tos/ => 'not ok 2 lbr.tos # TIMEOUT'], qr/^lbr\.tos\n  result: fail \| error\n\z/],
    ['an error of the run', [qr/# facility/ => "# error: cpu 2 does not come back\n# facility"],
        qr/^run\n  only in B: error: cpu 2 does not come back\n\z/],
    ['a facility of which nothing is said', [qr/bts pass 1 of 2/ => 'bts'], qr/^run\n  facility bts: pass 1 of 2 \| \n\z/],
    ['what a terminal would obey', [qr/got 11/ => "got \e[2J"], qr/^lbr\.tos\n  wrong: got 11 records \| got \?\[2J records\n\z/],
    ['text', [qr/Calls are stored/ => 'Calls come'], qr/^\z/],
    ['a frame of the raw dump', [qr/AAAA/ => 'BBBB'], qr/^\z/],
);
for my $case (@cases) {
    my ($what, $changes, $expected) = @$case;
    file('b', changed(@$changes));
    ($status, $out, $err) = compare('a', 'b');
    my ($body) = $out =~ /\AA a\nB b\n(.*?)^the same \d+, different \d+ in \d+ tests, accepted 0\n\z/ms;
    like($body // $out, $expected, $what);
    is("$status $err", ($body // '') eq '' ? '0 ' : '1 ', 'and the status') or diag $out;
    ($status, $out) = compare('b', 'a');
    my $swapped = join '', map { s/^(  .*?: )(.*) \| (.*)$/$1$3 | $2/r =~ s{only in ([AB])}{'only in ' . ($1 eq 'A' ? 'B' : 'A')}er } split /^/, $body // '';
    is($out =~ /\AA b\nB a\n(.*?)^the same /ms ? $1 : $out, $swapped, 'and the other way round');
}

# A log that breaks off, in a test and behind it, and one that panics: no pattern accepts that.
file('accept', "* *\n");
file('b', changed(qr/# facility.*\n/ => '', qr/# end.*\n/ => ''));
($status, $out, $err) = compare('a', 'b');
my $broken = qr/the log breaks off: there is no line "# end dstest86"; only what came before it is compared\n/;
like("$status $err$out", qr/^1 dsdump: b: ${broken}A a\nB b\nrun\n  only in A: end: verdict=fail .*\n  only in A: facility bts: pass 1 of 2\nthe same /,
    'a log that breaks off');
($status, $out, $err) = compare('b', 'b', '--accept', 'accept');
like("$status $err$out", qr/^1 (?:dsdump: b: $broken){2}A b\nB b\nthe same 71, different 0 in 0 tests, /, 'two of them');
file('b', join '', @log[0 .. 20], "# panic vector 14\n", "# panic ip 0x1\n", "# end dstest86 verdict=panic\n");
file('accept', "[!r]* *\nrun facility\nrun end\n");
($status, $out, $err) = compare('a', 'b', '--accept', 'accept');
like("$status $err$out", qr/^1 A a\nB b\nrun\n  only in B: panic: vector 14\n    and 1 more of panic\nthe same /, 'a panic');

# Of a second kind of cores the log says what they are behind the first one's tests.
my @of_kind = ("# tests on cpu 1 apic 0x1 Atom Gracemont\n", "# cpu the second\n", "# pebs format 4\n", "# test bts.calls.atom\n", "# pebs is no such line\n",
    "ok 6 bts.calls.atom\n");
file('kinds', changed(qr/^# differs pebs\.loads/ => join '', @of_kind, '# differs pebs.loads'));
$of_kind[2] =~ s/4/5/;
file('b', changed(qr/^# differs pebs\.loads/ => join '', @of_kind, '# differs pebs.loads'));
($status, $out, $err) = compare('kinds', 'b');
is("$status $err$out", "1 A kinds\nB b\nmachine\n  pebs of Atom Gracemont: format 4 | format 5\nthe same 75, different 1 in 1 tests, accepted 0\n",
    'a second kind of cores');

# Tests stand in the order of the first log, those of the second alone behind them.
file('b', changed(qr/^ok 3 pebs.loads/ => 'not ok 3 pebs.loads', qr/^ok 1/ => 'not ok 1', qr/^ok 4 measure.memory.64k/ => 'ok 4 alone'));
($status, $out) = compare('a', 'b');
is(join(' ', grep { !/^[AB] | / } map { chomp; $_ } split /^/, $out), 'bts.calls pebs.loads measure.memory.64k alone', 'the order of tests')
    or diag $out;

# What may differ.
file('b', changed(qr/tsc 0x10/ => 'tsc 0x11', qr/tsc 0x20/ => 'tsc 0x21', qr/latency 4$/ => 'latency 5'));
my $accept = file('accept', "# time\n\npebs.*   pebs.tsc # passes\nlbr.* lbr.cycles\n");
($status, $out, $err) = compare('a', 'b', '--accept', 'accept');
is("$status $err$out", "1 A a\nB b\npebs.loads\n  pebs 0 latency: 4 | 5\nthe same 70, different 1 in 1 tests, accepted 2\n" .
    "accept: line 4: nothing differs in 'lbr.* lbr.cycles'\n", 'what is accepted is counted, and what accepts nothing is named');
file('accept', "pebs.loads pebs.*\n");
($status, $out, $err) = compare('--accept', 'accept', 'a', 'b');
is("$status $err$out", "0 A a\nB b\nthe same 70, different 0 in 0 tests, accepted 3\n", 'nothing is left');
file('accept', "pebs.load pebs.*\n* tsc\n");
($status) = compare('a', 'b', '--accept', 'accept');
is($status, 1, 'patterns are of whole names');

# The page.
file('b', changed(qr/got 11 records/ => 'got <b>&"12"', qr/tsc 0x10/ => 'tsc 0x11', qr/# bts 0 .*\n/ => ''));
file('accept', "* pebs.tsc\n");
($status, $out, $err) = compare('a', 'b', '--accept', 'accept', '--html', 'page.html');
is("$status $err", '1 ', 'a page');
open my $in, '<', "$folder/page.html" or die "$folder/page.html: $!\n";
my $page = do { local $/; <$in> };
close $in;
like($page, qr{^<p>A: a<br>B: b\n<p>The same 69, different 3, accepted 1 \(pale\)\.$}m, 'has the sums');
like($page, qr{^<h2>bts\.calls</h2>\n<table><tr><th>what<th>A<th>B\n<tr><td>bts 0 from<td>main\+0x234<td>\n<tr><td>bts 0 to<td>main\+0x0<td>\n</table>$}m,
    'what is missing');
like($page, qr{^<tr><td>wrong<td>got 11 records<td>got &lt;b>&amp;&quot;12&quot;$}m, 'text of a log as text');
like($page, qr{^<tr class="accepted"><td>pebs 0 tsc<td>0x10<td>0x11$}m, 'and what is accepted');
unlike($page, qr/<script|http/, 'and loads nothing');
($status) = compare('a', 'a', '--html', 'same.html');
is($status, 0, 'a page of nothing');
ok(-s "$folder/same.html", 'is written');

# Errors: one sentence, status 2, and no page.
file('twice', join '', @log, @log);
file('empty', '');
file('other', "hello\n");
file('wrong', "pebs.*\n");
file('three', "# x\npebs.* pebs.tsc pebs.ip\n");
my @errors = (
    [[], qr/^dsdump: --compare: want two logs$/],
    [['a'], qr/^dsdump: --compare: want two logs$/],
    [[qw(a a a)], qr/^dsdump: a: only two logs can be compared$/],
    [[qw(a nosuch)], qr/^dsdump: nosuch: No such file or directory$/],
    [['a', '-'], qr/^dsdump: --compare: two files are wanted, not standard input$/],
    [[qw(a other --html other)], qr/^dsdump: other: is read, and would be overwritten; name another file to write$/],
    [[qw(a a --accept wrong --html ./wrong)], qr/^dsdump: \.\/wrong: is read, and would be overwritten; /],
    [['a', '.'], qr/^dsdump: \.: Is a directory$/],
    [[qw(a empty)], qr/^dsdump: empty: not a log of dstest86: there is no line "# begin dstest86"$/],
    [[qw(other a)], qr/^dsdump: other: not a log of dstest86: /],
    [[qw(a twice)], qr/^dsdump: twice: the log has 2 runs \(lines "# begin dstest86"\); want one$/],
    [[qw(a a --csv)], qr/^dsdump: --csv: unknown option of --compare; it has --accept FILE and --html FILE$/],
    [[qw(a a --accept)], qr/^dsdump: --accept: missing file name$/],
    [[qw(a a --html x.html --html y.html)], qr/^dsdump: --html: only one can be given$/],
    [[qw(a a --accept nosuch)], qr/^dsdump: nosuch: No such file or directory$/],
    [[qw(a a --html x.html --accept wrong)], qr/^dsdump: wrong: line 1: want the patterns of a test and of a field, as in 'pebs\.\* pebs\.tsc'$/],
    [[qw(a a --accept three)], qr/^dsdump: three: line 2: want the patterns/],
    [[qw(a a --html nosuch/x.html)], qr/^dsdump: nosuch\/x\.html: .*No such file or directory$/],
);
for my $error (@errors) {
    my ($words, $expected) = @$error;
    ($status, $out, $err) = compare(@$words);
    is($status, 2, "@$words");
    like($err, $expected, 'says why');
    is($out, '', 'and nothing else');
}
ok(!-e "$folder/x.html", 'no page is left');
($status, $out, $err) = run_program({ folder => $folder }, $dsdump, '--stats', '--compare', 'a', 'b');
is("$status $err", "2 dsdump: --compare: must be the first word; two logs follow it\n", 'the first word');

# Two boots of a processor differ in time alone; two processors differ in what they are.
boot("$folder/$_->[0]", 64, $_->[1], 'run=bts.*,pebs.loads records=4') for ['one', 'skylake'], ['two', 'skylake'], ['ice', 'icelake'];
file('accept', "* *.tsc\n* *.cycles\n");
($status, $out, $err) = compare('one', 'two', '--accept', 'accept');
is("$status $err", '0 ', 'two boots') or diag $out;
like($out, qr/^the same \d{2,}, different 0 /m, 'have much in common');
($status, $out, $err) = compare('one', 'ice', '--accept', 'accept');
is($status, 1, 'two processors');
like($out, qr/^machine\n(?:.*\n)*?  cpu: .* Skylake \| .* Ice Lake$/m, 'are named');
done_testing();
