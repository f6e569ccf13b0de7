#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The judge of machines (scripts/lib) must accept correct input and find each planted mistake, one per row: in records that
# contradict the model's truth, in boots of tests/qemu/cases, in faults of tests/qemu/faults, in machines that do not end.
use strict;
use warnings;
use Errno qw(ENOSPC);
use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Cases qw(read_cases sample unbooted);
use Faults qw(read_faults matching);
use Files qw(read_file write_file);
use Judge qw(problems colours unproven);
use KernelLog qw(clean judge verdict_of_status);
use Model qw(machines);
use SideBySide qw(side_by_side);
use Test::More;
use Truth qw(compare);

local $SIG{__WARN__} = sub { die "a warning: @_" };
my $folder = tempdir(CLEANUP => 1);

# ---- a log (tests/host/test_log_judge.c has every mistake)
my @error = ('# begin dstest86 0.1.0 abc 64', '# error: unknown option', '# end dstest86 verdict=error pass=0 fail=0 skip=0 error=1 differs=0');
is_deeply [judge(\@error)], [99, 'error'], 'the judge of logs: the status and the verdict';
is_deeply [judge([@error[0, 1], 'ok x'])], [2, undef, 'not a result line: ok x', 'no "# end dstest86" line: the log is cut short'],
    '... a log without a verdict, and its problems';
is clean("\e[2J\e[01;01H\e[=3h\e[0m# begin\r\n"), '# begin', 'escape sequences and line ends go';
is join(' ', map { verdict_of_status($_) // '-' } 33, 35, 37, 39, 41, 43, 45, 1, 0),
    'pass fail skip error panic - incomplete - -', 'exit statuses';

# ---- records, and the model's truth
my $said = <<'END';
# test bts.one
# bts 0 0x0000000000201234 sym+0x4 => 0x0000000000201256 sym+0x0
# bts 1 0x0000000000201260 sym+0x4 => 0x0000000000201234 sym+0x0 predicted
# test pebs.one
# pebs 0 ip 0x201300 sym+0x4 eventing_ip 0x2012fc sym+0x0 counters 0x1 tsc 0xffff000012345678
# pebs 0 rax 0x1 rbx 0x2
# pebs 0 data_address 0x203000 cells+0x0 data_source 0x151 |LVL L1 hit|SNP None| latency 4
# pebs 1 eip 0x1300 eax 0x81
# pebs 2 eventing_ip 0x201400 retire_latency 12
# pebs 2 xmm0 0x000000000000abc00000000000000001
# pebs 2 lbr 0 0x1000/0x1008/M/-/-/7/CALL/0123 loop+0x0/loop+0x8
# pebs 2 lbr 1 0x1010/0x1000/P/X/A/0/other
# test lbr.one
# lbr stack tos 5 depth 32
# lbr 0 0x1000/0x1008/P/-/-/7 loop+0x0/loop+0x8
# lbr 1 0x1010/0x1000/P/-/-/7
# lbr stack tos 6 depth 32
# lbr 0 0x1010/0x1000/P/-/-/16
# test lbr.types
# lbr stack depth 8
# lbr 0 0x3001/0x2000/P/-/-/5/RET
# lbr 1 0x3000/0x2000/P/-/-/5/CALL/3213
END
my $truth = <<'END';
dsmodel truth 1 profile=skylake
bts vcpu=0 at=0x210000 from=0x201234 to=0x201256 flags=0x0
bts vcpu=0 at=0x210018 from=0x201260 to=0x201234 flags=0x10
pmi vcpu=0 status=0x4000000000000000 lvtpc=0x40 delivered
pebs vcpu=0 at=0x220000 size=200 ip=0x201300 eventing_ip=0x2012fc counters=0x1 tsc=0xffff000012345678 rax=0x1 rbx=0x2 data_address=0x203000 data_source=0x151 latency=4
pebs vcpu=0 at=0x2200c8 size=40 eip=0x1300 eax=0x81
pebs vcpu=0 at=0x2200f0 size=376 eventing_ip=0x201400 retire_latency=12 xmm0=0x000000000000abc00000000000000001 lbr0=0x1000,0x1008,1,0,0,7,4,0123 lbr1=0x1010,0x1000,0,1,1,0,9
lbr vcpu=0 tos=4 from=0x1010 to=0x1000 mispred=0 in_tsx=0 abort=0 cycles=7
lbr vcpu=0 tos=5 from=0x1000 to=0x1008 mispred=0 in_tsx=0 abort=0 cycles=7
lbr vcpu=0 tos=6 from=0x1010 to=0x1000 mispred=0 in_tsx=0 abort=0 cycles=16
lbr vcpu=0 from=0x3000 to=0x2000 mispred=0 in_tsx=0 abort=0 cycles=5 type=4 events=3213
lbr vcpu=0 from=0x3001 to=0x2000 mispred=0 in_tsx=0 abort=0 cycles=5 type=5 events=0000
END

sub complaints
{
    my ($kernel, $model) = @_;
    my (undef, @wrong) = compare([split /\n/, $kernel], [split /\n/, $model]);
    return join '; ', @wrong;
}

# said(), true(): edit the kernel's lines, or the truth (in $_), and expect the complaint.
sub said { my ($edit,
    $complaint) = @_; local $_ = $said; $edit->() or die "nothing changed: $complaint\n"; like complaints($_, $truth),
    qr/$complaint/, $complaint }
sub true { my ($edit,
    $complaint) = @_; local $_ = $truth; $edit->() or die "nothing changed: $complaint\n"; like complaints($said, $_),
    qr/$complaint/, $complaint }

is_deeply [compare([split /\n/, $said], [split /\n/, $truth])],
    ['compared 2 bts and 3 pebs records and 3 lbr stacks with the truth'], 'correct records';
for my $field ([0, 'ip'], map({ [0, $_] } qw(eventing_ip counters tsc rax rbx data_address data_source latency)),
    [1, 'eip'], [1, 'eax'],
    map { [2, $_] } qw(eventing_ip retire_latency xmm0)) {
    my ($n, $key) = @$field;
    my $changed = $key eq 'latency' ? '0x5' : '0xbad';
    said(sub { s/^# pebs $n .*\b$key \K\S+/$changed/m }, "pebs $n: $key $changed, the truth is 0x");
    said(sub { s/^# pebs $n .*\K\b$key \S+//m }, $key =~ /ip$/ ? "pebs $n" : "pebs $n: $key not printed");
    my $size = (200, 40, 376)[$n];
    true(sub { s/size=$size .*?\K\b$key=\S+ ?// }, "pebs $n: $key 0x\\w+, the truth is none");
}
said(@$_) for
    [sub { s/1260/1261/ }, 'bts 1: from 0x201261, the truth is 0x201260'],
    [sub { s/1256/1258/ }, 'bts 0: to 0x201258, the truth is 0x201256'],
    [sub { s/^# bts 1.*\n//m }, '1 bts records printed, the truth has 2'],
    [sub { s/bts 1/bts 2/ }, 'bts record 2 after 0'],
    [sub { s/=>/->/ }, 'not understood'], [sub { s/ predicted/ mispredicted/ },
        'predicted 0, the truth has flags 0x10'],
    [sub { s/^(# bts 0.*)/$1 predicted/m }, 'predicted 1, the truth has flags 0x0'],
    [sub { s/rbx 0x2/rbx 0x2h/ }, 'pebs 0: rbx not printed'], [sub { s/rbx 0x2/rbx 0x2 rbx 0x2/ }, 'pebs 0: rbx twice'],
    [sub { s/rbx 0x2/rbx 0x2 tsy 0x1/ }, 'pebs 0: tsy 0x1, the truth is none'],
    (map { my ($from, $to) = @$_; [sub { s{(pebs 2 lbr 0 .*)\Q$from\E}{$1$to} }, 'pebs 2: lbr0 \S+, the truth is'] }
        ['0x1000/', '0x1001/'], ['0x1008/', '0x1009/'], ['/M/', '/P/'], ['/-/-/', '/X/-/'], ['/-/-/', '/-/A/'],
        ['/7/', '/8/'],
        ['/CALL', '/RET'], ['/CALL', ''], ['/0123', '/0122']),
    [sub { s/^# pebs 2 lbr 1.*\n//m }, 'pebs 2: lbr1 not printed'], [sub { s/lbr 1 0x1010/lbr 0 0x1010/ },
        'pebs 2: lbr0 twice'],
    [sub { s{(lbr 1 0x1010/0x1000)/P}{$1/?} }, 'not understood'],
    (map { my ($key, $from, $to) = @$_; [sub { s{^(# lbr 1 .*)\Q$from\E}{$1$to}m }, "lbr stack: entry 1: $key "] }
        ['from', '0x1010/', '0x1014/'], ['to', '/0x1000', '/0x1001'], ['mispred', '/P/', '/M/'],
        ['in_tsx', '/-/-/', '/X/-/'],
        ['abort', '/-/-/', '/-/A/'], ['cycles', '/7', '/8']),
    [sub { s{/-/16}{/-/15} }, 'entry 0: cycles 0xf, the truth'],
    [sub { s{/5/CALL}{/5/RET} }, 'entry 1: type RET, the truth is CALL'],
    [sub { s{/3213}{/3210} }, 'entry 1: events 0xc8a, the truth is 0xc8d'],
    [sub { s{/3213}{} }, 'entry 1: events 0x0, the truth is 0xc8d'],
    [sub { s/stack depth/stack tos 1 depth/ }, 'no entry left that was written at TOS 1'],
    [sub { s/tos 5 // }, 'lbr stack: entry 0'],
    [sub { s/tos 5/tos 7/ }, 'at TOS 7'], [sub { s/depth 32/depth 32k/ }, 'lbr entry without an "lbr stack" line'],
    [sub { s/^(# lbr stack tos 5.*\n.*\n.*\n)(.*\n.*\n)/$2$1/m }, 'lbr stack: '],
    [sub { s/^(# lbr 1 0x1010.*)/$1\n# lbr 2 0x1000\/0x1008\/P\/-\/-\/7/m }, 'entry 2: the truth has no entry so old'],
    [sub { s/^(# lbr stack tos 6.*)/("# lbr stack tos 1 depth 32\n# lbr 0 0x1\/0x2\/P\/-\/-\/7\n" x 4) . $1/me },
        'lbr stack: not compared'];
true(@$_) for
    [sub { s/1256/1258/ }, 'bts 0: to 0x201256, the truth is 0x201258'],
    [sub { s/^bts.*\n//m }, '2 bts records printed, the truth has 1'],
    [sub { s/flags=0x10/flags=0x100/ }, 'predicted 1, the truth has flags 0x100'],
    [sub { s/ flags=0x10// }, 'the truth has flags none'],
    [sub { s/^pebs.*\n//m }, '3 pebs records printed, the truth has 2'],
    [sub { s/tsc=/tsk=/ }, 'pebs 0: tsk not printed'],
    [sub { s/ lbr1=\S+// }, 'pebs 2: lbr1 \S+, the truth is none'], [sub { s/ type=4// },
        'entry 1: type CALL, the truth is -'],
    [sub { s/ cycles=5// }, 'entry 1: cycles 0x5, the truth is 0x0'], [sub { s/ mispred=0(.*type=4)/$1/ },
        'entry 1: mispred 0x0, the truth is -'],
    [sub { s/^lbr.*tos=4.*\n//m }, 'entry 1: '], [sub { s/.*//s }, 'no "dsmodel truth 1" line'],
    (map { my $first = $_; [sub { s/^.*/$first/ }, 'no "dsmodel truth 1" line'] } 'dsmodel truth 2', 'dsmodel truth 10',
        'a dsmodel truth 1'),
    [sub { s/^bts/btsx/m }, 'truth line 2 is not understood'], [sub { s/ to=/ to / }, 'truth line 2 is not understood'],
    [sub { s/^pmi/pmis/m }, 'truth line 4 is not understood'];
is complaints($said, $truth . "pebs-dropped vcpu=0 ip=0x1\n"), '', 'a dropped record does not count as a record';
like complaints('', "dsmodel truth 1\n"), qr/no record was printed/, 'no record to compare';

# A test with a buffer of three records for the branches $from. It prints those at $kept. Then a test with one branch.
sub ring
{
    my ($said, $from, $kept, $place, @between) = @_;
    my @ring = map { sprintf 'bts vcpu=0 at=%#x from=%#x to=0x10 flags=0x0', $_ ? 0x1000 + $_ % 3 * 24 : $place,
        $from->[$_] } 0 .. $#$from;
    splice @ring, 3, 0, @between;
    my $n = 0;
    return complaints(join("\n", '# test bts.ring', $said, map({ sprintf '# bts %d %#x => 0x10', $n++,
        $from->[$_] } @$kept), '# test bts.one', '# bts 0 0x200 => 0x10'),
        join "\n", 'dsmodel truth 1', @ring, 'bts vcpu=0 at=0x1000 from=0x200 to=0x10 flags=0x0');
}
my ($straight, $loop, $interrupt) = ([0x100 .. 0x106], [(0x100) x 7], 'pmi vcpu=0 status=0x0 lvtpc=0x40 delivered');
my ($circular, $undrained) = ('# bts buffer circular: only the newest', '# bts buffer undrained: interrupts are off');
for ($circular, $undrained) {
    is ring($_, $straight, [4 .. 6], 0x1000), '', "$_: keeps the newest records";
    is ring($_, $loop, [4 .. 6], 0x1000), '', "$_: a loop";
    like ring($_, $straight, [3 .. 5], 0x1000), qr/4 bts records printed, the truth has 5/, "$_: the newest is missing";
    like ring($_, $straight, [5, 6], 0x1000), qr/3 bts records printed, the truth has 8/, "$_: a record that was kept is missing";
    like ring($_, $straight, [4, 6, 5], 0x1000), qr/records printed, the truth has/, "$_: wrong order";
}
is ring($undrained, $straight, [4 .. 6], 0x1000, $interrupt), '', 'an interrupt does not drain an undrained buffer';
for ([$circular, 0x1000, $interrupt], [$circular, 0x2000], ['# no # bts buffer circular: kept', 0x1000], ['', 0x1000],
    ["$circular\n# test bts.other", 0x1000]) {
    my ($said, $place, @between) = @$_;
    like ring($said, $straight, [4 .. 6], $place, @between), qr/4 bts records printed, the truth has 8/,
        "records that were not overwritten: $said @between";
}

# A call stack. The second call returned; the third overwrote its entry and called the fourth, which also returned.
my @calls = ([5, 0x10, 0x100], [6, 0x104, 0x200], [6, 0x108, 0x300], [7, 0x304, 0x200]);
sub call_stack
{
    my ($said, $tos, @entries) = @_;
    return complaints(join("\n", '# test lbr.one', $said, '# lbr stack ' . ($tos ? 'tos 6 ' : '') . 'depth 8',
        map { sprintf '# lbr %d %#x/%#x/P/-/-/1', $_, @{$calls[$entries[$_]]}[1, 2] } 0 .. $#entries),
        join "\n", 'dsmodel truth 1', map { 'lbr vcpu=0 ' . ($tos ? "tos=$_->[0] " : '')
            . sprintf 'from=%#x to=%#x mispred=0 in_tsx=0 abort=0 cycles=1', @$_[1, 2] } @calls);
}
my $is_call_stack = '# lbr as a call stack: a return removes its call';
for my $tos (0, 1) {
    is call_stack($is_call_stack, $tos, 2, 0), '', 'a call stack';
    like call_stack($is_call_stack, $tos, 0, 2), qr/lbr stack: /, '... in the wrong order';
    like call_stack($_, $tos, 2, 0), qr/lbr stack: entry 1/, "a gap in another stack: $_" for '',
        "$is_call_stack\n# test lbr.two", '# no lbr as a call stack: this';
}
like call_stack($is_call_stack, 1, 2, 1), qr/lbr stack: entry 1/, 'a call stack with a call that has returned';

# ---- a boot and its line in tests/qemu/cases
my $lost = 'violation vcpu=0 rip=0x201000 pmi-lost: a PMI was lost [SDM]';
my $zero = 'violation vcpu=0 rip=0x202000 area-zero: the area is at 0 [SDM]';
my $other = 'violation vcpu=0 rip=0x203000 lvt-masked: LVTPC is masked [SDM]';
my %violators = ('pmi.lost' => ['pmi-lost'], 'forbidden.zero' => ['area-zero'], 'forbidden.zero_too' => ['area-zero'],
    'forbidden.two' => [qw(area-zero lvt-masked)]);
my %status = (pass => 33, fail => 35, error => 39, panic => 41);
my $branch = '# bts 0 0x0000000000201234 a+0x4 => 0x0000000000201256 b+0x0';

# A log of these tests ("RESULT ID", or "ID" for a pass), with the table, reasons and end that follow from them.
sub log_of
{
    my (@tests) = @_;
    my ($number, @lines, @reasons, %count, %area, %facility) = (0, '# test bts.one', $branch);
    for (@tests) {
        my ($id, $result) = reverse split;
        $result //= 'pass';
        push @lines, '# differs: a cycle' if $result eq 'differs';
        push @lines, ($result =~ /fail|error/ ? 'not ' : '') . 'ok ' . ++$number . " $id" . ($result eq 'error'
            ? ' # ERROR no plan' : $result eq 'skip' ? ' # SKIP no APIC' : '');
        push @reasons, "# $result $id: said above" if $result =~ /differs|fail|error/;
        $count{$result}++;
        $area{$id =~ s/\..*//r}{$result}++;
        $facility{bts} = $result =~ /fail|error/ ? 'fail 1 of 1' : $result eq 'skip' ? 'none: no BTS'
            : 'pass 1 of 1' if $id =~ /^bts/;
    }
    my $verdict = $count{error} ? 'error' : $count{fail} ? 'fail' : 'pass';
    return ('# begin dstest86 0.1.0 abc 64', "1..$number", @lines, '# area pass differs fail skip error',
        map({ my $of = $area{$_}; join ' ', "# area $_",
            map { $of->{$_} // 0 } qw(pass differs fail skip error) } sort keys %area), @reasons,
        map({ "# facility $_ " . ($facility{$_} // 'not selected') } qw(bts pebs lbr)),
        join ' ', "# end dstest86 verdict=$verdict", map { "$_="
            . ($count{$_} // 0) } qw(pass fail skip error differs));
}

my @both = ('bts.one', 'pmi.lost');
my @truth = ('dsmodel truth 1 profile=skylake', 'bts vcpu=0 at=0x210000 from=0x201234 to=0x201256 flags=0x0');
my @panicked = ('# begin dstest86 0.1.0 abc 64', '# panic vector 3', '# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0');
my @refusal = (serial => [], truth => undef, violations => undef, status => 1, stderr => ['machine: unknown width']);
my ($pass, $refused) = ('64 pvh skylake pass', '64 pvh skylake refused : unknown width');
for (['64 pvh skylake pass records=all : # test bts.one', {}], ['64 uefi skylake pass', {}],
    ['64 pvh skylake fail', { tests => ['fail bts.one', 'pmi.lost'] }],
    ['64 pvh skylake error', { tests => ['error bts.one', 'pmi.lost'] }],
    [$pass, { serial => [map { "\e[2J$_\r" } log_of(@both)], status => 33 }],
    # the verdict
    [$pass, { tests => ['fail bts.one', 'pmi.lost'] }, 'verdict fail, expected pass', 'not ok: bts.one'],
    ['64 pvh skylake fail', {}, 'verdict pass, expected fail'],
    ['64 pvh skylake panic', { serial => \@panicked, violations => [] }],
    [$pass, { serial => \@panicked, violations => [] }, 'verdict panic, expected pass'],
    [$pass, { status => 35 }, "QEMU's exit status 35 says fail, the log says pass"],
    (map { [$pass, { status => $_ }, "QEMU's exit status $_ is not a verdict"] } 0, 1, 139),
    ['64 pvh skylake pass exit=none', { status => 0 }], ['64 pvh skylake fail exit=none', { status => 0 },
        'verdict pass, expected fail'],
    ['64 pvh skylake pass exit=none', { status => 1 }, "QEMU's exit status 1 is not a verdict"],
    # what differs from the typical
    [$pass, { tests => ['differs bts.one', 'pmi.lost'] }, 'differs bts.one: said above'],
    ['64 pvh skylake pass latitude=5', { tests => ['differs bts.one', 'pmi.lost'] }],
    ['64 pvh none pass', { tests => ['differs bts.one', 'pmi.lost'], violations => undef }],
    # the log, the text, stderr
    [$pass, { serial => ['BdsDxe: failed'], violations => [], status => 33 }, 'no "# begin dstest86" line: not a log of dstest86, or its beginning is missing',
        "QEMU's exit status 33 says pass, the log says nothing", 'verdict none, expected pass'],
    [$pass, { serial => [map { s/^1\.\.2/1..3/r } log_of(@both)] }, 'plan of 3, 2 reported'],
    ['32 pvh skylake pass', {}, 'the 64-bit kernel started'],
    ['64 pvh skylake pass : # test bts.two', {}, 'neither the log nor stderr contains "# test bts.two"'],
    ['64 pvh skylake pass : lacks (it)', { stderr => ['dsmodel: QEMU lacks (it).'] }],
    ['64 pvh skylake pass : lacks it', { stderr => ['dsmodel: QEMU lacks it', 'and more'] }, 'stderr: and more'],
    # what the referee reports
    [$pass, { violations => [] }, 'the referee did not report pmi-lost'],
    [$pass, { violations => undef }, 'the model wrote no violations file'],
    [$pass, { violations => [$lost, $other] }, $other],
    [$pass, { violations => [$lost, 'BTS on cpu 0: 1 record, 0 PMIs', 'pmi-lost on cpu 1: 100 reports, 7 more omitted',
        'refused vcpu=0 rip=0x1 wrmsr 0xc5: IA32_PMC4 0x0 is absent'] }],
    [$pass, { violations => ['advice vcpu=0 rip=0x1 unaligned: an area [SDM]', $lost] }],
    [$pass, { violations => [$lost =~ s/violation/advice/r] }, 'the referee did not report pmi-lost'],
    [$pass, { tests => ['bts.one', 'skip pmi.lost'] }, $lost],
    [$pass, { tests => ['pmi.lost_not', 'bts.one'] }, $lost],
    ['64 pvh skylake fail', { tests => ['bts.one', 'fail pmi.lost'] }],
    [$pass, { tests => [@both, 'forbidden.zero', 'forbidden.zero_too'], violations => [$lost, $zero, $zero] }],
    [$pass, { tests => [@both, 'forbidden.zero', 'forbidden.zero_too'], violations => [$lost,
        ($zero) x 3] }, $zero],
    [$pass, { tests => ['bts.one', 'forbidden.two'], violations => [$zero] }, 'the referee did not report lvt-masked'],
    ['64 pvh skylake pass quirk=no_apic', { violations => [$other] }],
    # the truth
    ['64 pvh skylake pass records=all', { truth => undef }, 'the model wrote no truth log'],
    ['64 pvh skylake pass records=all', { truth => [$truth[0], $truth[1] =~ s/1256/1258/r] },
        'line 4 (bts.one): bts 0: to 0x201256, the truth is 0x201258'],
    [$pass, { truth => [$truth[0]] }], ['64 pvh none pass records=all', { truth => undef, violations => undef }],
    # no end, and refusals
    [$pass, { killed => 9, serial => ['# begin', 'here'] }, 'timed out after 9 seconds; the last line is: here'],
    ['64 pvh skylake refused : width', { @refusal, killed => 9 }, 'timed out after 9 seconds; the last line is: none'],
    [$refused, { @refusal }], [$refused, { @refusal, status => 2 }],
    (map { [$refused, { @refusal, status => $_ }, "status $_, not a refusal"] } 0, 33, 139),
    [$refused, { @refusal, serial => ['SeaBIOS'] }, 'the machine started'],
    ['64 pvh skylake refused : unknown route', { @refusal }, 'the refusal does not contain "unknown route"'],
    [$refused, { @refusal, stderr => [] }, 'one line of errors expected, got 0',
        'the refusal does not contain "unknown width"'],
    [$refused, { @refusal, stderr => ['unknown width', 'usage'] }, 'one line of errors expected, got 2']) {
    my ($line, $is, @right) = @$_;
    my %files = (serial => [log_of(@{$is->{tests} // \@both})], stderr => [], truth => \@truth, violations => [$lost],
        %$is);
    remove_tree("$folder/boot");
    for my $name (grep { $files{$_} } qw(serial stderr truth violations)) {
        write_file("$folder/boot/$name", join '', map { "$_\n" } @{$files{$name}});
    }
    my ($verdict) = map { /# end dstest86 verdict=(\w+)/ ? $1 : () } @{$files{serial}};
    write_file("$folder/cases", "$line\n");
    my ($case) = read_cases("$folder/cases");
    my ($wrong) = problems({ %$case, folder => "$folder/boot", status => $is->{status} // $status{$verdict // ''},
        killed => $is->{killed} }, \%violators);
    is_deeply $wrong, \@right, join ': ', $line, @right ? $right[0] : 'right';
}

# ---- a fault and its line in tests/qemu/faults
my %healthy = map { $_ => $_ eq 'pebs.one' ? 'skip' : 'green' } qw(lbr.tos lbr.calls bts.calls pebs.one);
for (['lbr.*', ['fail lbr.tos', 'error lbr.calls']], ['bts.calls', ['differs bts.calls']], ['bts.calls',
    ['differs bts.calls'], 'latitude', 'no test noticed'],
    ['bts.calls', ['fail lbr.tos'], 'latitude'], ['panic', ['lbr.tos'], 'panic'],
    ['lbr.tos bts.calls', ['fail lbr.tos', 'bts.calls'], '', 'did not notice: bts.calls', 'noticed by: lbr.tos'],
    ['lbr.tos bts.calls', ['fail lbr.tos'], '', 'did not notice: bts.calls', 'noticed by: lbr.tos'],
    ['lbr.tos', ['lbr.tos'], '', 'did not notice: lbr.tos', 'noticed by: none'],
    ['lbr.tos no.such', ['fail lbr.tos'], '', 'matches no test that runs there: no.such', 'noticed by: lbr.tos'],
    ['lbr.tos pebs.*', ['fail lbr.tos', 'fail pebs.one'], '', 'matches no test that runs there: pebs.*',
        'noticed by: lbr.tos'],
    ['lbr.tos', ['fail lbr.tos'], 'panic', 'the kernel panicked', 'noticed by: lbr.tos'],
    ['panic lbr.tos', ['fail lbr.tos'], '', 'the kernel did not panic', 'noticed by: lbr.tos'],
    ['lbr.tos', ['fail lbr.tos'], 'cut', 'the kernel printed no verdict'], ['lbr.tos',
        ['fail lbr.tos'], 'killed', 'timed out after 9 seconds']) {
    my ($globs, $tests, $how, @right) = @$_;
    $how //= '';
    my @lines = map { $how eq 'panic' ? s/verdict=\w+/verdict=panic/r : $how eq 'cut' ? s/^# end.*//r
        : $_ } log_of(@$tests);
    write_file("$folder/boot/serial", join '', map { "$_\n" } @lines);
    my @globs = split ' ', $globs;
    my $panic = $globs[0] eq 'panic' && shift @globs;
    my $line = { folder => "$folder/boot", globs => \@globs, panic => $panic ne '', killed => $how eq 'killed' ? 9
        : undef };
    is_deeply [unproven($line, \%healthy, $how eq 'latitude')], \@right, "$globs, @$tests $how";
}
is_deeply [matching(['a.*', 'b', 'c*d'], 'a.1', 'a.2', 'xa.3', 'bb')],
    [{ 'a.1' => 1, 'a.2' => 1 }, 'b', 'c*d'], 'globs';

# ---- the lines of the tables
sub cases { write_file("$folder/cases", join '', map { "$_\n" } @_); return read_cases("$folder/cases", undef,
    [['core2', 32], ['core2', 64]]) }
sub names { return join '|', map { $_->{name} } @_ }
my @all = read_cases("$FindBin::Bin/cases");
is join(', ', map { "@$_" } unbooted([machines()], @all)), '', 'cases has a line for each kernel and profile';
for my $more (qw(run=bts.* skip=lbr.* quirk=no_apic latitude=7 cores=E fault=x firmware=lvt), '-- -smp 2') {
    is scalar unbooted([['core2', 64]], cases("64 pvh core2 pass records=all $more")), 1, "does not run all tests: $more";
}
is names(cases('64 pvh  *    pass records=all', '32 uefi core2 pass')),
    '64 pvh core2 pass records=all|32 uefi core2 pass', 'profile *: each machine of this width';
is names(cases('64 pvh * pass records=all', '64 uefi core2 pass records=all')), '64 uefi core2 pass records=all',
    '... except those that another line boots';
my %sampled = map { ("$_->{route} route" => 1, "$_->{expected} verdict" => 1,
    "$_->{profile} profile" => 1) } sample(@all);
my @each = (map({ ($_->{expected} =~ /^(?:error|refused)$/ ? () : "$_->{route} route",
    "$_->{expected} verdict") } @all), map { "$_->[0] profile" } machines());
is join(' ', grep { !$sampled{$_} } @each), '', 'the sample has every route, verdict and profile';
for (['64 pvh core2', 'line 1: expected WIDTH ROUTE PROFILE VERDICT'], ["#! one\n#! two\n64 pvh core2 pass",
    'line 2: no line between'], ['#! one', 'no line follows the title one']) {
    ok !eval { cases($_->[0]); 1 }, "refused: $_->[1]";
    like $@, qr/\Q$_->[1]/, '... with the reason';
}
for (['bts.lost skylake', 'expected FAULT PROFILE'], ['bts.threshold.ignored : x', 'no profile'],
    ['no.such skylake : x', "unknown fault 'no.such'"],
    ['bts.threshold.ignored no : x', "unknown profile 'no'"], ['bts.threshold.ignored skylake : ', 'no test after']) {
    write_file("$folder/faults", "$_->[0]\n");
    ok !eval { read_faults("$folder/faults"); 1 }, "refused: $_->[0]";
    like $@, qr/line 1: .*\Q$_->[1]/, '... with the reason';
}

# ---- concurrent machines: one ends, one ends at SIGTERM, and one only at SIGKILL
write_file("$folder/tree/scripts/machine",
    'syswrite STDOUT, "hello\n"; exit 33 if $ARGV[1] eq "ends"; exec "sleep", 100 if $ARGV[1] eq "late"; sleep 1 while 1;');
$SideBySide::root = "$folder/tree";
mkdir "$folder/full" and symlink '/dev/full', "$folder/full/serial" or die "full: $!\n";
my @ended;
side_by_side(1, sub { push @ended, join ' ', $_[0]{folder} =~ s/.*\///r, $_[0]{killed} // $_[0]{status}; },
    map { { folder => "$folder/$_", arguments => [$_ eq 'full' ? 'ends' : $_] } } qw(late ends deaf full));
is "@ended", "late 1 ends 33 deaf 1 full ${\ENOSPC}", 'ended and killed machines, in order, and a full disk';
is -s "$folder/ends/serial", 6, "the file has a machine's output";

ok !eval { read_file($folder); 1 }, 'what cannot be read is not empty';

# ---- scripts/prove, end to end: a line whose test detects the fault, and one whose test does not
for (['bts.threshold.ignored skylake : bts.interrupt.threshold', 0], ['bts.threshold.ignored skylake : bts.calls', 1]) {
    write_file("$folder/faults", "$_->[0]\n");
    system "$FindBin::Bin/../../scripts/prove --file='$folder/faults' --folder='$folder/prove' . >'$folder/out' 2>&1";
    is $? >> 8, $_->[1], "prove: $_->[0]";
}
done_testing;
