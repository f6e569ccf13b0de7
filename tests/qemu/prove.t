#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# scripts/prove must pass a file of faults that proves all, and fail for each mistake in one, with the reason: machines
# are replayed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Faults qw(matching);
use Replay qw(new_tree write_file read_file machine script);
use Test::More;

my $top = new_tree('prove');
my $noticed = "$top/build/prove/noticed";

# The model's lists, the rules of the kernel's check, and how kernels without a rule are made.
write_file("$top/build/dsmodel.so", '');
write_file("$top/build/qemu-system-x86_64", <<'END');
#!/bin/sh
case "$*" in
*dsmodel.so,profile=list) printf '%s\n' 'old           32  the first' 'new           64  the second' ;;
*dsmodel.so,fault=list) cat "${0%/*}/faults" ;;
esac
END
chmod 0755, "$top/build/qemu-system-x86_64";
my @faults = ('tos.stuck  TOS stands still', 'bts.lost  a record is lost', 'pmi.never  none comes');
write_file("$top/build/faults", join '', map { "$_\n" } @faults);
write_file("$top/ds/ds_check.inc", 'RULE(ORDER, "order", BREACH, "ends before it begins", "[SDM]")');
write_file("$top/ds/arch_check.inc", 'RULE(ORDER, "order", BREACH, "ends before it begins", "[SDM]")');
write_file("$top/Makefile", "build/mutants/%:\n\techo \$@ >made\n");

# A log: the results of these tests in order, an ID each, with - before a red one, ~ before a skipped one and ? before one in
# which something differs; or a verdict.
sub log_of
{
    my ($verdict, @tests) = @_;
    my $number = 0;
    return join '', map { "$_\n" } '# begin dstest86 0.1.0 abc 64', map({
        my ($sign, $id) = /^([-~?]?)(.*)/;
        ($sign eq '?' ? "# differs: a cycle\n" : '') . ($sign eq '-' ? 'not ' : '') . 'ok ' . ++$number . " $id" . ($sign eq '~' ? ' # SKIP no DS' : '')
    } @tests), $verdict ? "# end dstest86 verdict=$verdict" : ();
}

sub machine_with
{
    my ($name, $ending, @log) = @_;
    machine($top, $name, serial => log_of(@log), stderr => '', ending => $ending);
}

# The same four tests on each machine; what turns red, by fault.
my @green = qw(lbr.tos lbr.calls bts.calls ~pebs.one);
machine_with('m', "exit 33\n", 'pass', @green);
machine_with('m-tos.stuck', "exit 35\n", 'fail', qw(-lbr.tos -lbr.calls bts.calls ~pebs.one));
machine_with('m-bts.lost', "exit 33\n", 'pass', qw(lbr.tos lbr.calls ?bts.calls ~pebs.one));
machine_with('m-pmi.never', "exit 41\n", 'panic', qw(lbr.tos -lbr.calls));
machine_with('m-order-64.elf', "exit 35\n", 'fail', qw(-lbr.tos lbr.calls bts.calls -pebs.one));
# Machines on which something else is wrong.
machine_with('red', "exit 35\n", 'fail', qw(-lbr.tos lbr.calls));
machine_with('torn', "exit 33\n", '', @green);
machine_with('late', "exec sleep 100\n", 'pass', @green);
machine_with('red_but_pass', "exit 33\n", 'pass', qw(-lbr.tos lbr.calls));
machine_with('differs', "exit 33\n", 'pass', qw(?lbr.tos lbr.calls));
for my $name ('red', 'torn', 'late', 'red_but_pass', 'differs') {
    machine_with("$name-tos.stuck", "exit 35\n", 'fail', qw(-lbr.tos lbr.calls bts.calls));
}
machine_with($_, "exit 33\n", 'pass', @green) for qw(blind none_ends cut absent other);
machine_with("blind-$_", "exit 33\n", 'pass', @green) for qw(tos.stuck bts.lost pmi.never);
machine_with('silent', "exit 33\n", 'pass', @green);
machine_with('silent-pmi.never', "exit 41\n", 'panic', 'lbr.tos');
machine_with('none_ends-tos.stuck', "exec sleep 100\n", 'fail', qw(-lbr.tos -lbr.calls bts.calls));
machine_with('cut-tos.stuck', "exit 0\n", '', qw(-lbr.tos -lbr.calls bts.calls));
machine_with('absent-tos.stuck', "exit 35\n", 'fail', qw(-lbr.tos lbr.calls));

# The status, the output and the errors of a proof of these lines.
sub prove
{
    my ($lines, @arguments) = @_;
    write_file("$top/tests/qemu/faults", $lines);
    return script($top, 'prove', @arguments);
}

sub lines { return join '', map { "$_\n" } @_ }

# ---- a file that proves all
my @whole = ('tos.stuck new replay=m : lbr.*', 'bts.lost new 32 replay=m : bts.calls', 'pmi.never old replay=m : panic lbr.calls',
    'check.order new replay=m : lbr.tos');
push @whole, 'tos.stuck new replay=full : pebs.one';
machine_with('full', "exit 33\n", 'pass', qw(lbr.tos pebs.one));
machine_with('full-tos.stuck', "exit 35\n", 'fail', qw(-lbr.tos -pebs.one));
my ($status, $out, $err) = prove(lines(@whole));
is("$status $err", '0 ', 'a file that proves all passes');
is($out, lines('1..11', 'ok 1 - 64 new replay=m, healthy', 'ok 2 - 32 new replay=m, healthy', 'ok 3 - 32 old replay=m, healthy',
        'ok 4 - 64 new replay=full, healthy', 'ok 5 - tos.stuck 64 new replay=m', 'ok 6 - bts.lost 32 new replay=m',
        'ok 7 - pmi.never 32 old replay=m', 'ok 8 - check.order 64 new replay=m', 'ok 9 - tos.stuck 64 new replay=full',
        'ok 10 - every fault is caught', 'ok 11 - every test bites', '# claims 4', '# tests 4', '# faults 4', '# faults caught 4',
        '# tests that bite 4'), '... with a line for each machine and each fault, and the counts');
is(read_file($noticed), lines('bts.lost 32 new replay=m: bts.calls', 'check.order 64 new replay=m: lbr.tos',
        'pmi.never 32 old replay=m: lbr.calls', 'tos.stuck 64 new replay=full: lbr.tos', 'tos.stuck 64 new replay=full: pebs.one',
        'tos.stuck 64 new replay=m: lbr.calls', 'tos.stuck 64 new replay=m: lbr.tos'), '... and what turned red is written down');
is(read_file("$top/made"), "build/mutants/order-64.elf\n", '... and the kernel without the rule is made');
my %told = map { ($_ => read_file("$top/tests/qemu/machines/$_/arguments") =~ s{ \S+/build/mutants}{ MUTANTS}r) } qw(m m-pmi.never m-order-64.elf);
is($told{m}, "-w 32 -p old -o timeout=10 replay=m\n", 'what boots without a fault');
is($told{'m-pmi.never'}, "-w 32 -p old -o timeout=10 replay=m -f pmi.never\n", 'with a fault');
is($told{'m-order-64.elf'}, "-w 64 -p new -o timeout=10 replay=m -k MUTANTS/order-64.elf\n", 'with another kernel');

# ---- what is not the whole
($status, $out, $err) = prove(lines(@whole[0 .. 3]));
is("$status $err", "1 #   Failed: every test bites\n#   no line's machine runs: pebs.one\n", 'a test that runs nowhere');
like($out, qr/^# claims 4\n# tests 3\n# faults 4\n# faults caught 4\n# tests that bite 3\n\z/m, '... is a claim, and no test');
($status, $out, $err) = prove(lines(@whole[0, 3, 4]));
is("$status $err", "1 #   Failed: every fault is caught\n#   not caught: bts.lost pmi.never\n#   Failed: every test bites\n" .
    "#   not proven by any fault: bts.calls\n", 'faults without a line, and a test that no line names');
($status, $out, $err) = prove(lines(@whole[0, 1, 2, 4]));
is("$status $err", "1 #   Failed: every fault is caught\n#   not caught: check.order\n", "a rule of the kernel's check without a line");
($status, $out, $err) = prove(lines(@whole[0, 2, 3, 4], 'bts.lost new replay=blind : bts.calls'));
like($err, qr/^#   Failed: every fault is caught\n#   not caught: bts\.lost$/m, 'a fault whose line notices nothing is not caught');
($status, $out, $err) = prove(lines(@whole, 'bts.lost old replay=m : panic'));
is("$status $err", "1 #   Failed: bts.lost 32 old replay=m\n#   the kernel did not panic\n#   noticed: bts.calls\n", 'a panic that does not come');
($status, $out, $err) = prove(lines(@whole[0, 1, 3, 4], 'pmi.never old replay=m : panic'));
is("$status $err", '0 ', 'a fault that ends in a panic is caught, whatever else notices');
($status, $out, $err) = prove(lines(@whole[0, 1, 3, 4], 'pmi.never new 64 replay=silent : panic'));
is("$status $err", '0 ', '... even nothing');
like($out, qr/^ok 9 - pmi\.never 64 new replay=silent$/m, '... on the kernel that the line names');
($status, $out, $err) = prove(lines(@whole[0, 1, 3, 4], 'pmi.never new replay=blind : panic'));
like($err, qr/^#   Failed: every fault is caught\n#   not caught: pmi\.never$/m, '... but not if there is none');

# ---- one processor of several
machine_with('several', "exit 33\n", 'pass', @green);
machine_with('several-tos.stuck@1', "exit 35\n", 'fail', qw(-lbr.tos lbr.calls bts.calls ~pebs.one));
($status, $out, $err) = prove("tos.stuck\@1 new processors=3 replay=several : lbr.tos\n", 'several');
is("$status $err$out", '0 ' . lines('1..2', 'ok 1 - 64 new replay=several processors=3, healthy',
        'ok 2 - tos.stuck@1 64 new replay=several processors=3', '# claims 4', '# tests 3', '# faults 1', '# faults caught 1',
        '# tests that bite 1'), 'a fault of one processor of several');
is(read_file("$top/tests/qemu/machines/several/arguments"), "-w 64 -p new -o timeout=10 replay=several -s 3\n", '... which are booted');
is(read_file("$top/tests/qemu/machines/several-tos.stuck\@1/arguments"),
    "-w 64 -p new -o timeout=10 replay=several -s 3 -f tos.stuck\@1\n", '... with the fault');
like(read_file($noticed), qr/^tos\.stuck\@1 64 new replay=several processors=3: lbr\.tos$/m, '... and written down as that');

# ---- lines alone
($status, $out, $err) = prove(lines(@whole), '^bts');
is("$status $err$out", '0 ' . lines('1..2', 'ok 1 - 32 new replay=m, healthy', 'ok 2 - bts.lost 32 new replay=m', '# claims 4',
        '# tests 3', '# faults 1', '# faults caught 1', '# tests that bite 1'), 'one line by its name');

# ---- parts, for several machines: together all lines, each once
my @names = map { /^(\S+)/ } @whole;
for my $parts (2, 3) {
    my @proven;
    for my $part (1 .. $parts) {
        ($status, $out, $err) = prove(lines(@whole), '-p', "$part/$parts");
        is("$status $err", '0 ', "part $part of $parts");
        unlike($out, qr/every (?:fault|test)/, '... which proves nothing of the whole');
        push @proven, $out =~ /^ok \d+ - (\S+\.\S+) /mg;
    }
    is("@{[sort @proven]}", "@{[sort @names]}", "$parts parts have all lines");
}
($status, $out, $err) = prove(lines(@whole), '-p', '2/2', '^tos');
is("$status $err" . join(' ', $out =~ /^ok \d+ - (tos\..*)$/mg), '0 tos.stuck 64 new replay=full', 'a part of the lines that match');
($status, $out, $err) = prove(lines(@whole), '-p', '6/6');
is("$status $err$out", "255 prove: part 6 of 6 has no line: there are 5\n", 'a part without lines');
for my $wrong ('0/4', '01/4', '1/04', '5/4', '1', '1/0', 'x/y', '1/4x') {
    ($status, $out, $err) = prove(lines(@whole), '-p', $wrong);
    is("$status $err$out", "255 prove: -p $wrong: want PART/PARTS, as in 1/4\n", "part $wrong");
}

for (
    ['a test that does not notice', 'tos.stuck new replay=m : lbr.tos bts.calls',
        'did not notice: bts.calls', 'noticed: lbr.calls lbr.tos'],
    ['a fault that nothing notices', 'tos.stuck new replay=blind : lbr.tos', 'did not notice: lbr.tos', 'noticed: by no test'],
    ['a test that did not run with the fault', 'tos.stuck new replay=absent : lbr.tos bts.calls', 'did not notice: bts.calls', 'noticed: lbr.tos'],
    ['a glob of no test', 'tos.stuck new replay=m : lbr.* no.such.test', 'matches no test that runs there: no.such.test',
        'noticed: lbr.calls lbr.tos'],
    ['a test that is skipped there', 'check.order new replay=m : lbr.tos pebs.*', 'matches no test that runs there: pebs.*',
        'noticed: lbr.tos'],
    ['a panic that nobody wants', 'pmi.never new replay=m : lbr.calls', 'the kernel panicked', 'noticed: lbr.calls'],
    ['no verdict', 'tos.stuck new replay=cut : lbr.tos', 'the kernel came to no verdict'],
    ['no end', 'tos.stuck new replay=none_ends : lbr.tos', 'timed out after 1 seconds']) {
    my ($what, $line, @complaint) = @$_;
    my ($name) = $line =~ /^(\S+) new/;
    my $machine = $line =~ s/.*(replay=\w+).*/$1/r;
    ($status, $out, $err) = prove("$line\n", '-t', 1, '.');
    is("$status $err", '1 ' . lines(map { "#   $_" } "Failed: $name 64 new $machine", @complaint), $what);
    like($out, qr/\A1\.\.2\nok 1 - 64 new $machine, healthy\nnot ok 2 - \Q$name\E 64 new $machine\n# claims/, '... as a line that is not ok');
}
for (
    ['a machine that fails without a fault', 'red', "verdict 'fail', not pass", 'red: lbr.tos'],
    ['a machine that comes to no verdict without one', 'torn', "verdict '', not pass"],
    ['a machine that never ends without one', 'late', 'timed out after 1 seconds'],
    ['a machine with a red test that says pass', 'red_but_pass', 'red: lbr.tos'],
    ['a machine on which something differs without a fault', 'differs', 'red: lbr.tos']) {
    my ($what, $machine, @complaint) = @$_;
    ($status, $out, $err) = prove("tos.stuck new replay=$machine : lbr.*\n", '-t', 1, '.');
    my $failed = lines(map { "#   $_" } "Failed: 64 new replay=$machine, healthy", @complaint);
    is("$status " . substr($err, 0, length $failed), "1 $failed", $what);
    like($out, qr/\A1\.\.2\nnot ok 1 - 64 new replay=$machine, healthy\n/, '... as a line that is not ok');
}

# ---- processors with latitude
# Any test that fails only with the fault proves a line; what differs proves nothing.
($status, $out, $err) = prove(lines('bts.lost new replay=m : bts.calls', 'pmi.never old replay=m : panic lbr.calls'), '-l', 7, '.');
is("$status $err", '1 ' . lines(map { "#   $_" } 'Failed: 9 of 10 faults are caught', 'too many are not'), 'a fault that nothing fails of');
is($out, lines('1..5', 'ok 1 - 64 new replay=m, healthy', 'ok 2 - 32 old replay=m, healthy', 'not ok 3 - bts.lost 64 new replay=m # TODO',
        'ok 4 - pmi.never 32 old replay=m', 'not ok 5 - 9 of 10 faults are caught', '# not caught: bts.lost', '# claims 4', '# tests 3', '# faults 2',
        '# faults caught 1', '# tests that bite 1'), '... is named');
like(read_file("$top/tests/qemu/machines/m-pmi.never/arguments"), qr/ -L 7 .*-f pmi\.never$/, 'what boots');
ok(-e "$top/build/prove-latitude/noticed", '... in a folder of its own');
($status, $out, $err) = prove(lines('tos.stuck new replay=m : bts.calls', 'check.order new replay=m : lbr.calls'), '-l', 7, '.');
is("$status $err", '0 ', 'another test than the one named may notice');
($status, $out, $err) = prove(lines('tos.stuck new replay=m : panic'), '-l', 7, '.');
is("$status $err", '0 ', '... even where the kernel had to panic');
($status, $out, $err) = prove(lines('tos.stuck new replay=blind : panic'), '-l', 7, '.');
like($out, qr/^# not caught: tos\.stuck$/m, 'a panic that does not come catches nothing');
($status, $out, $err) = prove(lines('pmi.never new replay=silent : panic'), '-l', 7, '.');
is("$status $err", '0 ', '... and one that comes does, whatever else notices');

# Nine of ten must be caught: one of ten may be missed, one of nine is too many.
write_file("$top/build/faults", lines(@faults, map { "more.$_  so" } 1 .. 8));
machine_with("m-more.$_", "exit 35\n", 'fail', $_ == 1 ? @green : '-lbr.tos') for 1 .. 8;
my @ten = ('tos.stuck new replay=m : lbr.*', 'pmi.never new replay=m : lbr.*', map { "more.$_ new replay=m : lbr.*" } 1 .. 8);
($status, $out, $err) = prove(lines(@ten), '-l', 7, '.');
is("$status $err", '0 ', 'one fault of ten is missed');
like($out, qr/^ok 12 - 9 of 10 faults are caught\n# not caught: more\.1\n# claims/m, '... and named');
($status, $out, $err) = prove(lines(@ten[1 .. 9]), '-l', 7, '.');
is("$status $err", '1 ' . lines(map { "#   $_" } 'Failed: 9 of 10 faults are caught', 'too many are not'), 'one of nine');
write_file("$top/build/faults", lines(@faults));

($status, $out, $err) = prove(lines('tos.stuck new replay=red : lbr.*'), '-l', 7, '.');
like($err, qr/^#   Failed: 64 new replay=red, healthy$/m, 'a false alarm is a failure');

# ---- what is written down
# Tests that fail besides those that must are written down, and reported only if they passed before.
my $line = 'tos.stuck 64 new replay=m';
write_file($noticed, "$line: lbr.tos\n$line: bts.calls\ngone 64 new: lbr.tos\nnot such a line\n");
($status, $out, $err) = prove("tos.stuck new replay=m : lbr.tos\n", '.');
is("$status $err", '0 ', 'other tests than those of the last run may notice');
like($out, qr/^ok 2 - .*\n# now noticed by lbr\.calls\n# no longer noticed by bts\.calls\n# claims/m, '... which is told');
is(read_file($noticed), "gone 64 new: lbr.tos\n$line: lbr.calls\n$line: lbr.tos\n", '... and written down');
($status, $out, $err) = prove("tos.stuck new replay=m : lbr.tos\n", '.');
unlike($out, qr/noticed by/, 'no news, no note');
write_file($noticed, "$line: lbr.tos\n");
prove("tos.stuck new replay=m : bts.calls\n", '.');
is(read_file($noticed), "$line: lbr.tos\n", 'a line that fails leaves what was written');
write_file($noticed, "gone 64 new: lbr.tos\n");
prove(lines(@whole));
unlike(read_file($noticed), qr/gone/, 'without a REGEX, lines that are gone are forgotten');

# ---- options
($status, $out, $err) = prove("tos.stuck new replay=m : lbr.*\n", '-d', "$top/elsewhere", '-j', 1, '.');
is("$status $err", '0 ', 'another folder, one machine at a time');
ok(-e "$top/elsewhere/noticed" && -e "$top/elsewhere/001-tos.stuck-new/serial" && -e "$top/elsewhere/64-new-replay-m/serial",
    '... has a folder for each boot');
write_file("$top/others", "bts.lost new replay=m : bts.calls\n");
($status, $out, $err) = prove("nonsense\n", '-f', "$top/others", '.');
is("$status $err", '0 ', 'another file');
($status, $out, $err) = prove(lines(@whole), 'no line has this');
is("$out$err", "prove: no line matches 'no line has this'\n", 'no line matches');
isnt($status, 0, '... which is a failure');
for my $wrong (['-x'], ['a', 'b'], ['-l', 'x'], ['-j', 0], ['-j', '2x'], ['-t', 0], ['-t', '']) {
    ($status, $out, $err) = prove(lines(@whole), @$wrong);
    ok($status != 0 && $out eq '', "prove @$wrong is refused");
    like($err, qr/^usage: prove /m, '... with the usage');
}

# ---- machines at a time
machine_with($_, "mkdir ../lock 2>&- || : >../crowd\nsleep 0.5\nrmdir ../lock\nexit 33\n", 'pass', @green)
    for qw(one other one-tos.stuck other-tos.stuck);
for my $at_once (1, 2) {
    unlink "$top/tests/qemu/machines/crowd";
    prove("tos.stuck new replay=one : lbr.*\ntos.stuck new replay=other : lbr.*\n", '-j', $at_once, '.');
    is(-e "$top/tests/qemu/machines/crowd" ? 2 : 1, $at_once, "machines at a time: $at_once");
}

# ---- lines that cannot be read
for (
    ['a fault that there is not', "no.such new : lbr.*\n", "line 1: unknown fault 'no.such': no.such new : lbr.*"],
    ['a processor that is no number', "tos.stuck\@x new : lbr.*\n", "line 1: unknown fault 'tos.stuck\@x': tos.stuck\@x new : lbr.*"],
    ['a rule that there is not', "check.other new : lbr.*\n", "line 1: unknown fault 'check.other': check.other new : lbr.*"],
    ['a profile that there is not', "\ntos.stuck newer : lbr.*\n", "line 2: unknown profile 'newer': tos.stuck newer : lbr.*"],
    ['a line that names no test', "# one line\ntos.stuck new : \n", 'line 2: no test behind the colon: tos.stuck new : '],
    ['a line without a profile', "tos.stuck : lbr.*\n", 'line 1: no profile before the colon: tos.stuck : lbr.*'],
    ['a line without a colon', "tos.stuck new\n", 'line 1: want FAULT PROFILE [WIDTH] [OPTIONS..] : GLOB..: tos.stuck new']) {
    my ($what, $lines, $complaint) = @$_;
    ($status, $out, $err) = prove($lines, '.');
    is("$out$err", "$top/tests/qemu/faults, $complaint\n", "$what: nothing is booted");
    isnt($status, 0, '... and it is a failure');
}

# ---- a tree that lacks something
# What is missing is said, and nothing is booted.
sub lacks
{
    my ($what, $complaint) = @_;
    ($status, $out, $err) = prove("tos.stuck new replay=m : lbr.*\n", '.');
    is($out, '', "$what: nothing is booted");
    like($err, $complaint, '... and it is said');
    isnt($status, 0, '... and it is a failure');
}
write_file("$top/ds/arch_check.inc", "no such row\n");
lacks('a table without rows', qr/^ds\/arch_check\.inc: no row of the form RULE\(/m);
unlink "$top/ds/arch_check.inc";
lacks('no table', qr/^ds\/arch_check\.inc: cc cannot read it$/m);
write_file("$top/ds/arch_check.inc", read_file("$top/ds/ds_check.inc"));
write_file("$top/build/faults", '');
lacks('a model without faults', qr/^the model does not answer fault=list$/m);
write_file("$top/build/faults", "nonsense\n");
lacks('a fault without a sentence', qr/^not a valid line of the model's fault=list: nonsense$/m);
unlink "$top/build/dsmodel.so";
lacks('no model', qr{^\S+/build/dsmodel\.so is missing; run \./bootstrap, then make$}m);
write_file("$top/build/dsmodel.so", '');
write_file("$top/build/qemu-system-x86_64", "#!/bin/sh\necho 'new           64  the second'\nexit 1\n");
lacks('a QEMU that fails', qr/^the model does not answer fault=list$/m);
unlink "$top/tests/qemu/faults";
($status, $out, $err) = script($top, 'prove', '-f', "$top/gone");
isnt($status, 0, 'no file of faults');

# ---- globs
my @tests = qw(a.b a.b.c a.c b.a xa.b);
is_deeply([matching(['a.*'], @tests)], [{ 'a.b' => 1, 'a.b.c' => 1, 'a.c' => 1 }], 'a glob');
is_deeply([matching(['*.c'], @tests)], [{ 'a.b.c' => 1, 'a.c' => 1 }], 'a glob at the beginning');
is_deeply([matching(['a.b'], @tests)], [{ 'a.b' => 1 }], 'a name is itself alone');
is_deeply([matching(['c.*', 'b.*'], @tests)], [{ 'b.a' => 1 }, 'c.*'], 'a glob that matches nothing is told of');
done_testing;
