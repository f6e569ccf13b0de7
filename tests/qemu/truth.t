#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Truth.pm must find every single wrong field: hand-made logs have one each.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Truth qw(compare);

local $SIG{__WARN__} = sub { die "a warning: @_" };

my @bts = ([0x201234, 0x201256], [0x201260, 0x201234], [0x201234, 0x201256]);

# Branches 0 to 9 of a loop of two, then one that differs; TOS counts up from 3.
my @branches = map { {
    tos => ($_ + 3) % 8,
    from => $_ % 2 ? 0x1010 : 0x1000,
    to => $_ % 2 ? 0x1000 : 0x1008,
    mispred => 0,
    in_tsx => 0,
    abort => 0,
    cycles => $_ < 8 ? 7 : 7 + $_,
} } 0 .. 9;

my @pebs = qw(rflags 0x246 ip 0x201300 rax 0x1 rbx 0x2 rcx 0x3 rdx 0x4 rsi 0x5 rdi 0x6 rbp 0x7 rsp 0x8 r8 0x9 r9 0xa
    r10 0xb r11 0xc r12 0xd r13 0xe r14 0xf r15 0x10 counters 0x1 data_address 0x203000 data_source 0x151 latency 4
    eventing_ip 0x2012fc tsx 0x11 tsc 0xffff000012345678);

# A 32-bit record, and an adaptive one with all its groups.
my @narrow = qw(eflags 0x46 eip 0x1300 eax 0x81 ebx 0x82 ecx 0x83 edx 0x84 esi 0x85 edi 0x86 ebp 0x87 esp 0x88);
my %adaptive = (eventing_ip => '0x201400', counters => '0x2', tsc => '0x1234', format_group => '0x100000d',
    retire_latency => 12, data_address => '0x203040', data_source => '0x101', latency => 5, cache_latency => 3,
    tsx => '0x22', map({ ("xmm$_" => sprintf '0x%016x%016x', 0xabc0 + $_, $_) } 0 .. 15),
    lbr0 => '0x1000,0x1008,1,0,0,7,4,0123', lbr1 => '0x1010,0x1000,0,1,1,0,9');

# Entries of architectural LBRs: no TOS, but the kind of the branch.
my @kinds = (0 .. 6, 15);
my @events = qw(0000 1000 0100 0010 0000 3213 0001 0000);
my @words = qw(JCC IND_JMP JMP IND_CALL CALL RET other other);

sub truth_log
{
    my @words = @pebs;
    my @pairs;
    push @pairs, join '=', splice @words, 0, 2 while @words;
    return ('dsmodel truth 1 profile=skylake',
        map({ sprintf 'bts vcpu=0 at=0x210000 from=%#x to=%#x flags=0x0', @$_ } @bts),
        'pmi vcpu=0 status=0x4000000000000000 lvtpc=0x40 delivered',
        "pebs vcpu=0 at=0x220000 size=200 @pairs",
        'pebs vcpu=0 at=0x2200c8 size=40 ' . join(' ', map { "$narrow[$_ * 2]=$narrow[$_ * 2 + 1]" } 0 .. 9),
        'pebs vcpu=0 at=0x2200f0 size=376 ' . join(' ', map { "$_=$adaptive{$_}" } sort keys %adaptive),
        map({ my $b = $_; 'lbr vcpu=0 ' . join ' ', map { sprintf /from|to$/ ? '%s=%#x' : '%s=%d', $_, $b->{$_} }
                    qw(tos from to mispred in_tsx abort cycles) } @branches),
        map({ sprintf 'lbr vcpu=0 from=%#x to=0x2000 mispred=0 in_tsx=0 abort=0 cycles=5 type=%d events=%s',
                    0x3000 + $_, $kinds[$_], $events[$_] } 0 .. $#kinds));
}

sub stack_log
{
    my ($end, $depth) = @_;
    return (sprintf('# lbr stack tos %d depth 32', $branches[$end]{tos}), map {
        my $b = $branches[$end - $_];
        sprintf '# lbr %d %#x/%#x/%s/%s/%s/%d loop+0x0/loop+0x8', $_, @$b{qw(from to)}, $b->{mispred} ? 'M' : 'P',
            $b->{in_tsx} ? 'X' : '-', $b->{abort} ? 'A' : '-', $b->{cycles}
    } 0 .. $depth - 1);
}

sub kernel_log
{
    my %pebs = @pebs;
    my $n = 0;
    return ('# begin dstest86 0.1.0 0 64', '# test bts.one',
        map({ sprintf '# bts %d 0x%016x sym+0x4 => 0x%016x sym+0x0', $n++, @$_ } @bts),
        'ok 1 bts.one', '# test pebs.one',
        "# pebs 0 ip $pebs{ip} sym+0x4 eventing_ip $pebs{eventing_ip} sym+0x0 counters $pebs{counters} tsc $pebs{tsc}",
        map({ my $line = $_; '# pebs 0 ' . join ' ', map { "$_ $pebs{$_}" } @$line } [qw(rax rbx rcx rdx)],
            [qw(rsi rdi rbp rsp)], [qw(r8 r9 r10 r11)], [qw(r12 r13 r14 r15)], ['rflags']),
        "# pebs 0 data_address $pebs{data_address} cells+0x0 data_source $pebs{data_source} |LVL L1 hit|SNP None|" .
            "TLB L1 hit|LCK No| latency $pebs{latency}",
        "# pebs 0 tsx $pebs{tsx}", "# pebs 1 $narrow[2] $narrow[3] main+0x1",
        '# pebs 1 ' . join(' ', @narrow[4 .. 11]), '# pebs 1 ' . join(' ', @narrow[12 .. 19]), "# pebs 1 @narrow[0, 1]",
        map({ my $line = $_; '# pebs 2 ' . join ' ', map { "$_ $adaptive{$_}" } @$line }
            [qw(eventing_ip counters tsc)], [qw(format_group retire_latency)],
            [qw(data_address data_source latency cache_latency)], ['tsx'],
            map({ ['xmm' . $_ * 2, 'xmm' . ($_ * 2 + 1)] } 0 .. 7)),
        '# pebs 2 lbr 0 0x1000/0x1008/M/-/-/7/CALL/0123 loop+0x0/loop+0x8', '# pebs 2 lbr 1 0x1010/0x1000/P/X/A/0/other',
        'ok 2 pebs.one', '# test lbr.one', stack_log(5, 4), stack_log(9, 4), 'ok 3 lbr.one', '# test lbr.types',
        "# lbr stack depth 8",
        map({ sprintf '# lbr %d %#x/0x2000/P/-/-/5/%s%s', $#words - $_, 0x3000 + $_, $words[$_],
                    $events[$_] eq '0000' ? '' : "/$events[$_]" } reverse 0 .. $#words),
        'ok 4 lbr.types');
}

sub complaints
{
    my ($kernel, $truth) = @_;
    my (undef, @wrong) = compare($kernel, $truth);
    return @wrong;
}

# Edits the first line that matches $line, and expects one complaint that matches $complaint.
sub breaks
{
    my ($which, $line, $edit, $complaint, $name) = @_;
    my %log = (kernel => [kernel_log()], truth => [truth_log()]);
    my ($changed) = grep { $_ =~ $line } @{$log{$which}};
    die "no line $line" if !defined $changed;
    for (@{$log{$which}}) {
        if ($_ eq $changed) {
            $edit->();
            die "nothing changed in $_" if $_ eq $changed;
            last;
        }
    }
    $log{$which} = [grep { $_ ne '' } @{$log{$which}}];
    my @wrong = complaints($log{kernel}, $log{truth});
    ok @wrong && "@wrong" =~ $complaint, $name or diag join "\n", 'complaints:', @wrong;
}

my ($remark, @wrong) = compare([kernel_log()], [truth_log()]);
is "@wrong", '', 'right logs give no complaint';
is $remark, 'compared 3 bts and 3 pebs records and 3 lbr stacks with the truth', 'and a count';

my %pebs = @pebs;
for my $key (sort keys %pebs) {
    my $wrong = $key eq 'latency' ? 5 : '0xbad';
    breaks(kernel => qr/^# pebs 0.* \Q$key\E /, sub { s/ \Q$key\E \K\S+/$wrong/ },
        qr/pebs 0: $key 0x(bad|5), the truth/, "pebs $key changed in the kernel's line");
    breaks(truth => qr/^pebs /, sub { s/ \Q$key\E=\S+// }, qr/pebs 0: $key 0x\w+, the truth is none/,
        "pebs $key missing in the truth");
    breaks(kernel => qr/^# pebs 0.* \Q$key\E /, sub { s/ \Q$key\E \S+// }, qr/pebs 0: $key not printed/,
        "pebs $key not printed");
}
breaks(truth => qr/^pebs /, sub { $_ = '' }, qr/3 pebs records printed, the truth has 2/, 'a pebs record of its own');

my %narrow = @narrow;
for my $key (sort keys %narrow) {
    breaks(kernel => qr/^# pebs 1.* \Q$key\E /, sub { s/ \Q$key\E \K\S+/0xbad/ }, qr/pebs 1: $key 0xbad, the truth/,
        "32-bit $key changed in the kernel's line");
    breaks(kernel => qr/^# pebs 1.* \Q$key\E /, sub { s/ \Q$key\E \S+// },
        $key eq 'eip' ? qr/pebs 1/ : qr/pebs 1: $key not printed/, "32-bit $key not printed");
}
for my $key (grep { !/^lbr/ } sort keys %adaptive) {
    breaks(kernel => qr/^# pebs 2.* \Q$key\E /, sub { s/ \Q$key\E \K\S+/77/ }, qr/pebs 2: $key 0x4d, the truth/,
        "adaptive $key changed in the kernel's line");
    breaks(truth => qr/size=376/, sub { s/ \Q$key\E=\S+// }, qr/pebs 2: $key 0x\w+, the truth is none/,
        "adaptive $key missing in the truth");
    breaks(kernel => qr/^# pebs 2.* \Q$key\E /, sub { s/ \Q$key\E \S+// },
        $key eq 'eventing_ip' ? qr/pebs 2/ : qr/pebs 2: $key not printed/, "adaptive $key not printed");
}
my @group = (['lbr 0 0x1000', 'lbr 0 0x1001'], ['0x1008/M', '0x1009/M'], ['/M/', '/P/'], ['/-/-/', '/X/-/'],
    ['/-/-/', '/-/A/'], ['/7/', '/8/'], ['/CALL', '/RET'], ['/CALL', '']);
for my $change (@group) {
    breaks(kernel => qr/^# pebs 2 lbr 0/, sub { s/\Q$change->[0]\E/$change->[1]/ }, qr/pebs 2: lbr0 \S+, the truth is/,
        "lbr group: $change->[0] as " . ($change->[1] || 'nothing'));
}
breaks(kernel => qr/^# pebs 2 lbr 1/, sub { $_ = '' }, qr/pebs 2: lbr1 not printed/, 'lbr group: an entry not printed');
breaks(truth => qr/size=376/, sub { s/ lbr1=\S+// }, qr/pebs 2: lbr1 \S+, the truth is none/,
    'lbr group: an entry of its own');
breaks(kernel => qr/^# pebs 2 lbr 1/, sub { s/lbr 1/lbr 0/ }, qr/pebs 2: lbr0 twice/, 'lbr group: an entry twice');
breaks(kernel => qr/^# pebs 2 lbr 1/, sub { s{/P/}{/?/} }, qr/not understood/, 'lbr group: another form');
breaks(truth => qr/size=376/, sub { s/tsc=/tsk=/ }, qr/pebs 2: tsk not printed/, 'a key of the truth alone');
breaks(kernel => qr/^# pebs 2 tsx/, sub { s/$/ tsy 0x1/ }, qr/pebs 2: tsy 0x1, the truth is none/,
    'a key of the kernel alone');

breaks(kernel => qr/^# bts 1/, sub { s/$/ predicted/ }, qr/bts 1: predicted 1, the truth has flags 0x0/,
    'bts predicted though the flags do not say so');
my @predicted = map { s/(flags=)0x0/${1}0x10/r } truth_log();
is join(' ', complaints([map { /^# bts/ ? "$_ predicted" : $_ } kernel_log()], \@predicted)), '',
    'bts predicted as in the flags';
like join(' ', complaints([map { /^# bts/ ? "$_ mispredicted" : $_ } kernel_log()], \@predicted)),
    qr/bts 0: predicted 0, the truth has flags 0x10/, 'bts mispredicted though the flags say predicted';
breaks(kernel => qr/^# bts 1/, sub { s/1260/1261/ }, qr/bts 1: from 0x201261, the truth is 0x201260/, 'bts from');
breaks(kernel => qr/^# bts 1/, sub { s/1234 /1235 / }, qr/bts 1: to 0x201235, the truth is 0x201234/, 'bts to');
breaks(truth => qr/to=0x201234/, sub { s/1234/1236/ }, qr/bts 1: to 0x201234, the truth is 0x201236/, 'bts truth');
breaks(kernel => qr/^# bts 2/, sub { $_ = '' }, qr/2 bts records printed, the truth has 3/, 'a bts record not printed');
breaks(truth => qr/^bts /, sub { $_ = '' }, qr/3 bts records printed, the truth has 2/, 'a bts record too many');
breaks(kernel => qr/^# bts 1/, sub { s/bts 1/bts 2/ }, qr/bts record 2 after 0/, 'a gap in the numbers');
breaks(kernel => qr/^# bts 1/, sub { s/=>/->/ }, qr/not understood/, 'a bts line of another form');

my %lbr = (
    from => [qr{^# lbr 1}, sub { s{0x1000/}{0x1004/} }],
    to => [qr{^# lbr 1}, sub { s{/0x1008}{/0x1009} }],
    mispred => [qr{^# lbr 1}, sub { s{/P/}{/M/} }],
    in_tsx => [qr{^# lbr 1}, sub { s{/-/-/}{/X/-/} }],
    abort => [qr{^# lbr 1}, sub { s{/-/-/}{/-/A/} }],
    cycles => [qr{^# lbr 1}, sub { s{/7 }{/8 } }],
);
breaks(kernel => @{$lbr{$_}}, qr/lbr stack: entry 1: $_ /, "lbr $_") for sort keys %lbr;
breaks(kernel => qr{^# lbr \d .*/CALL}, sub { s{/CALL}{/RET} }, qr/lbr stack: entry 3: type RET, the truth is CALL/,
    'lbr type');
breaks(kernel => qr{^# lbr \d .*/CALL}, sub { s{/CALL}{} }, qr/lbr stack: entry 3: type -, the truth is CALL/,
    'lbr type not printed');
breaks(kernel => qr{^# lbr \d .*/RET}, sub { s{/3213}{/3210} },
    qr/lbr stack: entry 2: events 0xc8a, the truth is 0xc8d/, 'lbr events');
breaks(kernel => qr{^# lbr \d .*/RET}, sub { s{/3213}{} }, qr/lbr stack: entry 2: events 0x0, the truth is 0xc8d/,
    'lbr events not printed');
breaks(kernel => qr{^# pebs \d lbr 0}, sub { s{/0123}{/0122} }, qr/lbr0/, 'events of a record');
breaks(truth => qr/type=4/, sub { s/ type=4// }, qr/lbr stack: entry 3: type CALL, the truth is -/,
    'lbr type of its own');
breaks(truth => qr/type=4/, sub { s/ cycles=5// }, qr/lbr stack: entry 3: cycles 0x5, the truth is 0x0/,
    'lbr cycles that the format has not');
breaks(truth => qr/type=4/, sub { s/ mispred=0// }, qr/lbr stack: entry 3: mispred 0x0, the truth is -/,
    'lbr prediction that the format has not');
breaks(kernel => qr/^# lbr stack depth/, sub { s/depth/tos 1 depth/ }, qr/lbr stack: /,
    'lbr tos that the truth has not');
breaks(kernel => qr/^# lbr stack/, sub { s/tos \d // }, qr/lbr stack: /, 'lbr tos not printed');
breaks(kernel => qr/^# lbr stack/, sub { s/tos \d/tos 1/ }, qr/lbr stack: /, 'lbr tos');
breaks(kernel => qr/^# lbr 0.*16/, sub { s{/16 }{/15 } }, qr/entry 0: cycles 0xf, the truth/, 'the last branch');
breaks(truth => qr/cycles=15/, sub { $_ = '' }, qr/lbr stack: entry 1: /, 'a gap in the truth');
breaks(kernel => qr/^# lbr 2/, sub { s{/P/}{/?/} }, qr/not understood/, 'an lbr line of another form');

my @swapped = ('# test lbr.one', stack_log(9, 4), stack_log(7, 4));
like join(' ', complaints(\@swapped, [grep { /^(dsmodel|lbr)/ } truth_log()])), qr/lbr stack: /,
    'a stack older than the one before it';
my @old = ('# test lbr.one', stack_log(1, 2), '# lbr 2 0x1000/0x1008/P/-/-/7');
like join(' ', complaints(\@old, [grep { /^(dsmodel|lbr)/ } truth_log()])), qr/entry 2: the truth has no entry so old/,
    'a stack that begins before the truth';

my @nowhere = ('# lbr stack tos 1 depth 32', '# lbr 0 0x1/0x2/P/-/-/7');
is_deeply [map { /not compared/ ? 'not compared' : /tos|entry/i ? 'wrong' : $_ }
    complaints(['# test lbr.one', (@nowhere) x 6], [grep { /^(dsmodel|lbr)/ } truth_log()])],
    [('wrong') x 3, 'not compared'], 'three stacks that fit nowhere are enough';

# A buffer of three records that the branches from @$from went through, and then a test with one branch.
sub ring
{
    my ($said, $from, $kept, @between) = @_;
    my @ring = map { sprintf 'bts vcpu=0 at=%#x from=%#x to=0x10 flags=0x0', 0x1000 + $_ % 3 * 24, $from->[$_] }
        0 .. $#$from;
    splice @ring, 3, 0, @between;
    my $n = 0;
    my @kept = map { sprintf '# bts %d 0x%016x => 0x%016x', $n++, $from->[$_], 0x10 } @$kept;
    return complaints(['# test bts.ring', @$said, @kept, '# test bts.one',
        '# bts 0 0x0000000000000200 => 0x0000000000000010'],
        ['dsmodel truth 1 profile=skylake', @ring, 'bts vcpu=0 at=0x1000 from=0x200 to=0x10 flags=0x0']);
}
my @straight = map { 0x100 + $_ } 0 .. 6;
my @loop = (0x100) x 7;
my $circular = ['# bts buffer circular: only the newest records are kept'];
my $undrained = ['# bts buffer undrained: interrupts are off'];
my $interrupt = 'pmi vcpu=0 status=0x0 lvtpc=0x40 delivered';
for my $said ($circular, $undrained) {
    my ($kind) = $said->[0] =~ /buffer (\w+)/;
    is join(' ', ring($said, \@straight, [4, 5, 6])), '', "$kind: keeps the newest records";
    is join(' ', ring($said, \@loop, [4, 5, 6])), '', "$kind: a loop";
    like join(' ', ring($said, \@straight, [3, 4, 5])), qr/4 bts records printed, the truth has 5/, "$kind: the newest is missing";
    like join(' ', ring($said, \@straight, [5, 6])), qr/3 bts records printed, the truth has 8/, "$kind: one kept is missing";
    like join(' ', ring($said, \@straight, [4, 6, 5])), qr/records printed, the truth has/, "$kind: an order not the buffer\x27s";
}
like join(' ', ring($circular, \@straight, [4, 5, 6], $interrupt)), qr/4 bts records printed, the truth has 8/,
    'circular: records that an interrupt could have saved';
my @elsewhere = map { sprintf 'bts vcpu=0 at=%#x from=%#x to=0x10 flags=0x0', $_ ? 0x1000 + $_ % 3 * 24 : 0x2000, $straight[$_] } 0 .. 6;
like join(' ', complaints(['# test bts.ring', @$circular, map { sprintf '# bts %d 0x%016x => 0x%016x', $_ - 4, $straight[$_], 0x10 } 4 .. 6],
    ['dsmodel truth 1 profile=skylake', @elsewhere])), qr/3 bts records printed, the truth has 7/, 'circular: a record in whose place no other came';
is join(' ', ring($undrained, \@straight, [4, 5, 6], $interrupt)), '', 'undrained: the interrupt is not let in';
is join(' ', ring([@$circular, '# then # test bts.ring'], \@straight, [4, 5, 6])), '', 'a line that only mentions a test';
like join(' ', ring(['# no # bts buffer circular: kept'], \@straight, [4, 5, 6])), qr/4 bts records printed, the truth has 8/,
    'a line that only mentions a buffer';
like join(' ', ring([], \@straight, [4, 5, 6])), qr/4 bts records printed, the truth has 8/, 'a buffer that said nothing';
like join(' ', ring([@$circular, '# test bts.other'], \@straight, [4, 5, 6])), qr/4 bts records printed, the truth has 8/,
    'a buffer of which an earlier test said it';

like join(' ', complaints([], ['dsmodel truth 1 profile=skylake'])), qr/no record was printed/, 'nothing compared';
like join(' ', complaints([kernel_log()], [])), qr/no "dsmodel truth 1" line/, 'an empty truth log';
for my $first ('dsmodel truth 2 profile=skylake', 'dsmodel truth 10', 'a dsmodel truth 1') {
    my (undef, @lines) = truth_log();
    is((complaints([kernel_log()], [$first, @lines]))[0], 'the truth log has no "dsmodel truth 1" line', "a truth log that begins: $first");
}
breaks(truth => qr/^bts/, sub { s/to=/to / }, qr/truth line 2 is not understood/, 'a truth line of another form');
breaks(truth => qr/^bts/, sub { s/bts/btsx/ }, qr/truth line 2 is not understood/, 'a truth line of another kind');
breaks(truth => qr/^pmi/, sub { s/pmi/pmis/ }, qr/truth line 5 is not understood/, 'a truth line of another interrupt');
is join(' ', complaints([kernel_log()], [truth_log(), ''])), 'truth line ' . (1 + scalar(my @right = truth_log())) . ' is not understood: ', 'an empty truth line';
is join(' ', complaints([kernel_log()], [truth_log(), 'pebs-dropped vcpu=0 ip=0x1'])), '', 'a record that was dropped is none';
like join(' ', complaints(['# test one', '# bts 0 0x1 => 0x2', '# test two', '# bts 1 0x1 => 0x2'],
    ['dsmodel truth 1', ('bts at=0x1 from=0x1 to=0x2 flags=0x0') x 2])), qr/line 4 \(two\): bts record 1 after -1/, "a test's first record is 0";
is join(' ', grep { / after / } complaints(['# test one', '# pebs 0 ip 0x1', '# test two', '# pebs 0 ip 0x1', '# pebs 1 ip 0x1'],
    ['dsmodel truth 1', 'pebs at=0x1 ip=0x1'])), '', '... whatever the test before had last';
breaks(kernel => qr/^# pebs 0.* rbx /, sub { s/ rbx 0x2/ rbx 0x2h/ }, qr/pebs 0: rbx not printed/, 'a number with something behind it');
breaks(kernel => qr/^# pebs 0.* rbx /, sub { s/$/ rbx 0x2/ }, qr/pebs 0: rbx twice/, 'a field twice');
breaks(kernel => qr/^# lbr stack tos/, sub { s/depth 32/depth 32k/ }, qr/lbr entry without an "lbr stack" line/, 'a stack line of another form');
like join(' ', complaints(['# test one', '# bts 0 0x1 => 0x2 predicted'], ['dsmodel truth 1', 'bts at=0x1 from=0x1 to=0x2 flags=0x100'])),
    qr/predicted 1, the truth has flags 0x100/, 'bit 4 of the flags, and no other';
like join(' ', complaints(['# test one', '# bts 0 0x1 => 0x2 predicted'], ['dsmodel truth 1', 'bts at=0x1 from=0x1 to=0x2'])),
    qr/predicted 1, the truth has flags none/, 'bts predicted, and a truth without flags';
my @oldest = ('# lbr stack tos 3 depth 32', '# lbr 0 0x1000/0x1008/P/-/-/7');
my @first = ('dsmodel truth 1', grep { /^lbr.* tos=3 from=0x1000 / } truth_log());
is join(' ', complaints(['# test one', @oldest], [@first[0, 1]])), '', 'the very first branch may be the last of a stack';
is join(' ', complaints(['# test one', map { s/tos 3/tos 4/r } @oldest], [@first[0, 1]])),
    'line 2 (one): lbr stack: the truth has no entry left that was written at TOS 4', 'a stack whose TOS no branch has';
is join(' ', complaints(['# test one', map { s/ tos 3//r } @oldest], [@first[0, 1]])),
    'line 2 (one): lbr stack: the truth has no entry left that was written without a TOS', 'a stack without one, where all branches have one';

# A call stack: the second call returned before the third, which was written over it, and called a fourth that returned.
my @calls = ([5, 0x10, 0x100], [6, 0x104, 0x200], [6, 0x108, 0x300], [7, 0x304, 0x200]);
my @said = '# lbr as a call stack: a return removes its call';
sub call_stack
{
    my ($said, $tos, @entries) = @_;
    my @written = map { ($tos ? "tos=$_->[0] " : '') . sprintf 'from=%#x to=%#x', @$_[1, 2] } @calls;
    return join ' ', complaints(['# test lbr.one', @$said, '# lbr stack ' . ($tos ? 'tos 6 ' : '') . 'depth 8',
        map { sprintf '# lbr %d %#x/%#x/P/-/-/1', $_, @{$calls[$entries[$_]]}[1, 2] } 0 .. $#entries],
        ['dsmodel truth 1 profile=haswell', map { "lbr vcpu=0 $_ mispred=0 in_tsx=0 abort=0 cycles=1" } @written]);
}
for my $tos (0, 1) {
    my $kind = $tos ? 'with a TOS' : 'that shifts';
    is call_stack(\@said, $tos, 2, 0), '', "a call stack $kind";
    like call_stack(\@said, $tos, 0, 2), qr/lbr stack: /, "a call stack $kind in the wrong order";
    like call_stack([], $tos, 2, 0), qr/lbr stack: entry 1/, "a gap in any other stack $kind";
    like call_stack([@said, '# test lbr.two'], $tos, 2, 0), qr/lbr stack: entry 1/, "or in a later test's $kind";
    like call_stack(['# no lbr as a call stack: this one'], $tos, 2, 0), qr/lbr stack: entry 1/, "or in one that denies it $kind";
}
like call_stack(\@said, 1, 2, 1), qr/lbr stack: entry 1/, 'a call stack with what has returned';

done_testing;
