#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
#
# tests/linux/run must notice whatever Linux and perf say wrong: guests are replayed whose output is right, or wrong in one
# place.
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use Cwd qw(realpath);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(new_tree write_file read_file);
use Test::More;

my $build = realpath("$FindBin::Bin/../../build");
-e "$build/linux-program" or die "judge.t: build/linux-program is missing; make test makes it\n";
my %at = map { /^([0-9a-f]+) \w (\w+)$/ ? ($2 => hex $1) : () } qx(nm $build/linux-program);
$at{after_outer} = $at{call_outer} + 5;    # a call has five bytes

# ---- a right guest --------------------------------------------------------------------------------------------------
sub hex16 { return sprintf '%16x', $_[0] }

# The branches of the program with so many rounds: [FROM, TO].
sub branches
{
    my ($rounds) = @_;
    my @branches = ([@at{qw(_start main)}]);
    for my $left (reverse 1 .. $rounds) {
        push @branches, map({ [@at{@$_}] } [qw(call_outer outer)], [qw(call_inner inner)], [qw(inner_return outer_return)],
            [qw(outer_return after_outer)], $left % 2 ? () : [qw(jump_even chase)], [qw(jump_indirect target)],
            $left > 1 ? [qw(jump_round call_outer)] : ());
    }
    return @branches;
}

# A sample at $ip after the last eight of these branches, the newest first, in a program that was moved by $base.
sub stack
{
    my ($ip, $base, @branches) = @_;
    my @last = @branches > 8 ? @branches[-8 .. -1] : @branches;
    my @entries = map { sprintf '0x%x/0x%x/P/-/-/1//-', $_->[0] + $base, $_->[1] + $base } reverse @last;
    return hex16($ip + $base) . ' ' . join '  ', @entries;
}

# A sample behind each of the 20th to 40th branch; with $calls their stacks hold calls alone.
sub stacks
{
    my ($calls) = @_;
    my @branches = branches(12);
    return map {
        my @before = @branches[0 .. $_];
        @before = grep { $_->[0] == $at{call_outer} || $_->[0] == $at{call_inner} } @before if $calls;
        stack($branches[$_][1], 0, @before);
    } 19 .. 39;
}

# 36 sampled calls of a program that was moved by $base: the newest entry is the call's own.
sub sampled_calls
{
    my ($base) = @_;
    my @branches = branches(36);
    return map { $branches[$_][0] == $at{call_outer} ? stack($at{call_outer}, $base, @branches[0 .. $_]) : () } 0 .. $#branches;
}

# Each 51st call, of which three come before the turns.
sub each_51st
{
    my ($calls, @lines) = (3);
    for my $turn (reverse 1 .. 200) {
        for my $call (reverse 1 .. 123) {
            push @lines, sprintf '%16x ABI:2    BX:0x%x    BP:0x%x ', $at{call_leaf}, $turn, $call if ++$calls % 51 == 0;
        }
    }
    return @lines;
}

# Call chains of "perf script", a list of labels each.
sub chains { return map { (map({ hex16($at{$_}) . ' symbol' } @$_), '', '') } @_ }

# What the kernel says of each processor, and what differs there.
my $driver = 'full-width counters, Intel PMU driver.';
my $adaptive = 'PEBS fmt4+-baseline,  AnyThread deprecated';
my %of = (
    nehalem => { says => 'PEBS fmt1+, Nehalem events, 16-deep LBR, Intel PMU driver.', precise => [qw(p pp)], no_chains => 1 },
    haswell => { says => "PEBS fmt2+, Haswell events, 16-deep LBR, $driver", isolated => 1 },
    broadwell => { says => "PEBS fmt2+, Broadwell events, 16-deep LBR, $driver" },
    skylake => { says => "PEBS fmt3+, Skylake events, 32-deep LBR, $driver" },
    icelake => { says => "$adaptive, Icelake events, 32-deep LBR, $driver", x2apic => 1, xmm => 1, topdown => 1 },
    goldencove => { says => "Architectural LBR, $adaptive, Sapphire Rapids events, 32-deep LBR, $driver", x2apic => 1, xmm => 1, topdown => 1 },
    goldmont => { says => "PEBS fmt3+, Goldmont events, 32-deep LBR, $driver", no_mem => 1, taken => 130002 },
    sierraforest => { says => "Architectural LBR, $adaptive, Crestmont events, 32-deep LBR, $driver", x2apic => 1, xmm => 1 },
    'alderlake-core' => { says => "Architectural LBR, $adaptive, Alderlake Hybrid events, 32-deep LBR, $driver", x2apic => 1, xmm => 1,
        topdown => 1, kind => 'cpu_core', cpus => [0, 1] },
    'alderlake-atom' => { says => "Architectural LBR, $adaptive, Alderlake Hybrid events, 32-deep LBR, $driver", x2apic => 1, xmm => 1,
        kind => 'cpu_atom', cpus => [2, 3] },
);
# What Linux 7 knows of others, and Linux 6 does not.
my %newest = (
    'lunarlake-core' => { says => "Architectural LBR, PEBS fmt6+-baseline,  AnyThread deprecated, Lunarlake Hybrid events, 32-deep LBR, $driver",
        x2apic => 1, xmm => 1, topdown => 1, kind => 'cpu_core', cpus => [0, 1], snapshot => 1 },
    'lunarlake-atom' => { says => "Architectural LBR, PEBS fmt6+-baseline,  AnyThread deprecated, Lunarlake Hybrid events, 32-deep LBR, $driver",
        x2apic => 1, xmm => 1, kind => 'cpu_atom', cpus => [2, 3], snapshot => 1 },
    clearwaterforest => { says => "Architectural LBR, AnyThread deprecated, Darkmont events, Architectural PEBS, 32-deep LBR, $driver",
        x2apic => 1, xmm => 1, counted => 1, snapshot => 1, reloaded => 1 },
);
my $hybrid6 = "Architectural LBR, PEBS fmt4+-baseline,  AnyThread deprecated, Lunarlake Hybrid events, 32-deep LBR, $driver";
my %old = (
    (map { ($_ => { %{$newest{$_}}, says => $hybrid6, old => 1, topdown => 0, snapshot => 0 }) } 'lunarlake-core', 'lunarlake-atom'),
    clearwaterforest => { %{$newest{clearwaterforest}}, old => 1,
        says => "Architectural LBR, no PEBS fmt15+, AnyThread deprecated, generic architected perfmon, 32-deep LBR, $driver" },
);
%of = (%of, %old);

# The places that a precise event may show, with "p" those that follow.
my %places = (calls => [qw(call_inner inner)], loads => [qw(outer_return after_outer)], stores => [qw(store jump_indirect)]);

# "perf stat -x," of these counts, NAME => COUNT in pairs.
sub stat_of
{
    my (@pairs) = @_;
    return map { "$pairs[$_ + 1],,$pairs[$_],1000,100.00,," } grep { $_ % 2 == 0 } 0 .. $#pairs;
}

# "perf stat" for people, with colours where perf has them.
sub bare_stat
{
    my ($topdown, $kind) = (@_, '');
    return ('', " Performance counter stats for 'program':", '',
        '            240.27 msec task-clock                       #    0.642 CPUs utilized',
        "            270014      ${kind}cycles                           #    0.002 GHz",
        "           270,014      ${kind}instructions                     #    1.00  insn per cycle",
        "            140005      ${kind}branches                         #  803.612 K/sec",
        "                 1      ${kind}branch-misses                    # \e[35m  17.55%\e[m of all branches",
        $topdown ? ("                        TopdownL1                 # \e[32m     0.0\e[m %  tma_backend_bound",
            (map { "                                                  # \e[32m     0.0\e[m %  tma_$_" }
                qw(bad_speculation frontend_bound)),
            "                                                  # \e[31m   100.0\e[m %  tma_retiring") : (),
        '', '       0.374356049 seconds time elapsed', 'status 0');
}

sub turns
{
    my ($which, $kind) = @_;
    my ($instructions, $branches) = map { defined $kind ? "$kind$_/u" : "$_:u" } qw(instructions branches);
    my $more = $which eq 'second' ? 2 : 0;    # a call and a return
    my @callers = ($more ? qw(second second_outer) : 'first', 'main', '_start');
    return ("turns_stat_$which" =>
            [stat_of($instructions => 99632 + $more, $branches => 74212 + $more, 'context-switches' => 200)],
        "turns_sample_$which" => [("    40$more " . hex16($at{call_leaf})) x 600],
        "turns_chain_$which" => [chains([qw(leaf take_turns), @callers], ['take_turns', @callers])]);
}

# The registers of a turn, as perf prints them and as the truth log does.
my @general = (qw(ax bx cx dx si di bp sp), map { "r$_" } 8 .. 15);

sub sample_of
{
    my ($xmm, $turn) = @_;
    return join ' ', hex16($at{call_leaf}), 'ABI:2 ', (map { uc($_) . sprintf ':0x%x', /^bx/ ? $turn : 5 } @general),
        $xmm ? ('XMM0:0x0 XMM0:0x0', sprintf('XMM5:0x%x XMM5:0x0', $turn), 'XMM15:0xffffffffffffffff XMM15:0xffffffffffffffff') : ();
}

sub record_of
{
    my ($xmm, $turn) = @_;
    return join ' ', 'pebs vcpu=0', sprintf('eventing_ip=0x%x', $at{call_leaf}),
        (map { sprintf '%s=0x%x', /^r/ ? $_ : "r$_", /^bx/ ? $turn : 5 } @general),
        $xmm ? ('xmm0=0x' . '0' x 32, sprintf('xmm5=0x%032x', $turn), 'xmm15=0x' . 'f' x 32) : ();
}

# Where each 1001st call is recorded, from call_inner to call_outer and back: half a round more or less.
sub each_1001st
{
    my $nops = 0;    # 501 rounds from call_inner
    return map {
        my $inner = $_ % 2;
        my ($ip, $nop) = (hex16($at{ $inner ? 'call_inner' : 'call_outer' }), $inner ? 0 : ++$nops % 2);
        ("1001 calls: $ip", $inner ? "1500 loads: $ip" : "1503 loads: $ip",
            ($inner ? 6751 : 501 * 13 - 1 + 250 + $nop) . " instructions: $ip");
    } 1 .. 36;
}

# "perf script -D" of branches with their counts of calls and loads: an entry of every kind, as often as it takes.
sub counted
{
    my %count = (call_outer => 1, call_inner => 1, inner_return => 4, outer_return => 4, jump_indirect => 4);
    my ($first, @round) = (branches(2))[0 .. 12];
    return map {
        my @newest = reverse($first, @round);
        my %label = reverse map { ($_ => $at{$_}) } qw(call_outer call_inner inner_return outer_return jump_even jump_indirect jump_round);
        my $cycles = sub { return ($label{ $_[0] } // '') eq 'jump_indirect' ? 4 : 1 };
        ('... branch stack: nr:13',
            map({ sprintf '.....  0: %016x -> %016x %d cycles  P   0', @$_, $cycles->($_->[0]) } @newest),
            '... branch stack counters: nr:13 (counter width: 2 max counter nr:4)',
            map { sprintf '.....  0: %016x', $count{ $label{ $_->[0] } // '' } // 0 } @newest);
    } 1 .. 42;
}

# The sections of a guest: NAME => [LINE..]. Where a least number of samples is asked for, there are as many and no more.
sub guest
{
    my ($name) = @_;
    my $old = $name eq 'nehalem';
    my $mem = '10268100142 |OP LOAD|LVL %s|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A   %d  ' . hex16($at{chase});
    my ($version, $cpus) = ($newest{$name} && !$of{$name}{old} ? 7 : 6, $of{$name}{cpus} // [0, 1]);
    my @kind = map { defined $_ ? "$_/" : () } $of{$name}{kind};
    my $event = sub { my ($event, $modifier) = @_; return @kind ? "@kind$event/$modifier" : $event . ($modifier ? ":$modifier" : '') };
    # A hybrid's events as perf 6 prints them, and perf 7.
    my $named = sub { my ($event) = @_; return @kind && $version == 6 ? "@kind$event/: " : "$event: " };
    my %guest = (
        machine => ["@$cpus", $version, "perf version $version.12"],
        stat => [stat_of($event->('instructions', 'u') => 270014, $event->('branches', 'u') => 140005, $old ? () : (taken => $of{$name}{taken} // 130001))],
        bare => [bare_stat($of{$name}{topdown}, @kind)],
        watchdog => [1],
        rings => [stat_of($event->('instructions', 'u') => 270014, $event->('instructions', 'k') => 234750,
            $event->('instructions', '') => 504764)],
        sampled => [(hex16($at{main})) x 50],
        refused => ['perf record -e calls', 'Error:'],
        many => [each_51st()],
        registers => [map { sample_of($of{$name}{xmm}, $_) } 1 .. 40],
        instructions => [(hex16($at{main})) x 50],
        kernel_instructions => [(' ffffffff8d0ffdae') x 10],
        anywhere_1 => [sampled_calls(0x7f80b0000000)],
        anywhere_2 => [sampled_calls(0x7f80b1000000)],
        any => [stacks(0)],
        any_call => [stacks(1)],
        any_kernel => [(' ffffffff8ce502ff 0xffffffff8d24c7e5/0xffffffff8ce502e0/P/-/-/1//-  ' .
            '0x401000/0xffffffff8ce502e0/P/-/-/1//-') x 10],
        all => [map { ((" program [00$_] " . hex16($at{call_outer})) x 35, " sh [00$_] 462812") } @$cpus],
        turns('first', @kind), turns('second', @kind),
        counter => [$old ? '80000001 0000ffff' : '00010578 00008000', '00000000 00000000'],
        mem_near => [(sprintf "%16x $mem", $at{near_ring}, 'L1 hit', 4) x 20,
            '7fff7bfc3aa0 10268100142 |OP LOAD|LVL RAM hit|SNP None 4 47c769'],
        mem_middle => [(sprintf "%16x $mem", $at{far_ring} + 64, 'L2 hit', 15) x 20],
        mem_far => [((sprintf "%16x $mem", $at{far_ring} + 64, 'Local RAM or RAM hit', 250) =~ s/L1 or L2 hit/L2 miss/r) x 20],
        kernel => ['[ 0.0] Kernel/User page tables isolation: ' . ($of{$name}{isolated} ? 'enabled' : 'disabled on command line.'),
            "[ 0.7] Performance Events: $of{$name}{says}", '[ 1.1] smp: Brought up 1 node, ' . (@kind ? 4 : 2) . ' CPUs',
            $of{$name}{x2apic} ? '[ 1.2] x2apic enabled' : ()],
        end => [],
    );
    for my $precise (@{$of{$name}{precise} // [qw(p pp ppp)]}) {
        my @events = $old ? qw(calls loads) : qw(calls loads stores);
        $guest{"precise_$precise"} = [map { ($named->($_) . hex16($at{$places{$_}[$precise eq 'p']})) x 50 } @events];
    }
    my @bts = map { sprintf '%16x => %16x', @$_ } branches(500);
    @guest{qw(bts bts_1 bts_2)} = ([@bts, hex16($at{finish}) . ' => ffffffff8dc01280'], [@bts], [@bts]) if !$of{$name}{isolated};
    my @chains = ([qw(inner call_inner call_outer _start)], [qw(outer_return call_outer _start)], [qw(main _start)]);
    $guest{call_graph} = [chains(@chains)] if !$of{$name}{no_chains};
    delete @guest{qw(mem_near mem_middle mem_far)} if $of{$name}{no_mem};
    @guest{qw(both kinds)} = ([map { my ($kind, $cpu) = @$_; (" [00$cpu] " . ($version == 6 ? "cpu_$kind/cpu_$kind/: " : "cpu_$kind: ") . hex16($at{call_outer})) x 35 } ['core', 0], ['atom', 2]],
        ['cpu_core 0-1', 'cpu_atom 2-3']) if @kind;
    $guest{counted} = [counted()] if $of{$name}{counted};
    $guest{snapshot} = [map { my $ip = hex16($at{call_outer}); ("  1000 calls:  $ip", "  1500 loads:  $ip", "  6750 instructions:  $ip") } 1 .. 35]
        if $of{$name}{snapshot};
    @guest{qw(reloaded_120 reloaded_180)} = ([], [(' calls: ' . hex16($at{call_outer})) x 390])
        if $of{$name}{reloaded};
    return \%guest;
}

# The wrong guest, whose steps say how WRMSR went; and the referee's names.
my %wrong_guest = (
    wrong => [(map { "$_: refused" } 'area not canonical', 'reserved bit of PEBS enable', 'reserved bit of DEBUGCTL',
            'reserved bit of global control', 'reserved bit of fixed control', 'reserved bit of event select'),
        (map { "$_: done" } 'area at 0', 'BTS into it', 'BTS off', 'area where nothing is', 'BTS into it', 'BTS off',
            'area in code', 'BTS into it', 'BTS off', 'buffer misaligned', 'BTS into it', 'BTS off', 'LVTPC masked',
            'area of the user', 'BTS with interrupts', 'BTS off', 'LVTPC open', 'an event that is not precise', 'counters on',
            'PEBS of it', 'counters off', 'PEBS off')],
    stat => [stat_of('instructions:u' => 270014, 'branches:u' => 140005)],
    end => [],
);
my @said = map { "violation vcpu=0 rip=0xffffffffa2899068 $_: a sentence [SDM]" } qw(ds-area-zero record-lost record-lost
    ds-area-not-mapped record-lost ds-page-not-writable ds-page-in-user-space ds-page-not-accessed-and-dirty ds-page-has-code
    bts-circular-threshold ds-base-misaligned lvtpc-masked pebs-enabled-while-counting pebs-event);

# ---- the tree and its guests ------------------------------------------------------------------------------------------
my $top = new_tree();
make_path("$top/tests/linux", "$top/build");
symlink realpath("$FindBin::Bin/$_"), "$top/tests/linux/$_" or die "$_: $!\n" for qw(run Guest.pm);
symlink "$build/linux-program", "$top/build/linux-program" or die "linux-program: $!\n";
write_file("$top/build/$_", '') for 'dsmodel.so', 'initramfs-linux.gz', 'linux/boot/vmlinuz-6', 'linux/boot/msr.ko.xz';
# Lists the profiles, or replays a guest: the files console, stderr, truth and violations of guests/NAME, and then ending.
write_file("$top/build/qemu-system-x86_64", <<'END' =~ s/TOP/$top/gr);
#!/bin/sh
given="$*"
while [ "$1" != -plugin ]; do shift; done
case $2 in
*profile=list) cat TOP/profiles; exit ;;
esac
name=${2##*profile=} name=${name%%,*} truth=${2##*,truth=}
case $given in
*WRONG=1*) name=wrong ;;
*KIND=*) kind=${given##*KIND=cpu_} name=$name-${kind%% *} ;;
esac
cd TOP/guests/$name
echo "$given" >given
cat console
cat stderr >&2
cp truth "${truth%%,*}"
cp violations "${2##*,violations=}"
. ./ending
END
chmod 0755, "$top/build/qemu-system-x86_64";
sub write_profiles { write_file("$top/profiles", join '', map { sprintf "%-13s %d  a processor\n", @$_ } @_) }
my %models = map { s/-(?:core|atom)$//r => 1 } keys %of;
my @known = map { [$_, 64] } sort keys %models;
write_profiles(@known);

# The files of a guest, as lines; ending is a text.
sub files
{
    my ($name) = @_;
    my $guest = $name eq 'wrong' ? { map { ($_ => [@{$wrong_guest{$_}}]) } keys %wrong_guest } : guest($name);
    my @bts = map { /(\S+) => +(\S+)/ ? "bts vcpu=0 at=0x1 from=0x$1 to=0x$2 flags=0x0" : () } @{$guest->{bts} // []};
    return (guest => $guest, stderr => [], truth => ['dsmodel truth 1', ('pebs vcpu=0') x 260,
            (map { record_of($of{$name}{xmm}, $_) } 1 .. 40), 'pmi vcpu=0', @bts],
        violations => $name eq 'wrong' ? [@said] : [], ending => "exit 0\n");
}

sub write_guest
{
    my ($name, %is) = @_;
    my %sections = %{$is{guest}};
    my @names = sort { ($a eq 'end') <=> ($b eq 'end') || $a cmp $b } keys %sections;
    $is{console} = ['[ 0.0] booting', map { ("\@\@ $_", @{$sections{$_}}) } @names];
    write_file("$top/guests/$name/$_", join '', map { "$_\n" } @{$is{$_}}) for qw(console stderr truth violations);
    write_file("$top/guests/$name/ending", $is{ending});
}

# A run of the script: its status, the checks that failed, each with the first reason, and all of its output.
sub judge
{
    my (@arguments) = @_;
    my $out = qx($top/tests/linux/run @arguments 2>&1);
    my @failed = $out =~ /^not ok \d+ - (.*\n(?:# .*)?)/mg;
    return ($? >> 8, join("\n", @failed), $out);
}

write_guest($_, files($_)) for 'wrong', keys %of;
my ($status, $failed, $out) = judge();
is("$status $failed", '0 ', 'right guests of all processors') or diag($out);
my ($plan) = $out =~ /^1\.\.(\d+)$/m;
is(scalar(() = $out =~ /^ok/mg), $plan, '... a plan of as many checks');
like($out, qr/^# skylake: 300 PEBS records in 1 performance monitoring interrupts, with Linux 6, perf version 6\.12$/m, '... records and interrupts counted');
like($out, qr/^# violation vcpu=0 rip=0xffffffffa2899068 record-lost: a sentence \[SDM\]$/m, '... the violations shown');

# ---- wrong guests -----------------------------------------------------------------------------------------------------
# Replays a guest with a change to the lines of a section or a file, and expects these failures, CHECK => REASON in pairs.
sub breaks
{
    my ($name, $where, $change, @expected) = @_;
    my %files = files($name);
    if (ref $change) {
        local $_ = $files{$where} // $files{guest}{$where} // die "no $where";
        $change->();
        delete $files{guest}{$where} if !@$_;
    } else {
        $files{$where} = $change;
    }
    write_guest($name, %files);
    my ($status, $failed) = judge($name eq 'wrong' ? 'skylake' : $newest{$name} && !$of{$name}{old} ? "-k backports $name" : $name);
    my $subject = $name eq 'wrong' ? 'wrong guest' : $name;
    my @lines = map { "$subject: $expected[$_]\n# $expected[$_ + 1]" } grep { $_ % 2 == 0 } 0 .. $#expected;
    is($failed, join("\n", @lines), "$name, $where: " . ($expected[1] // 'nothing is wrong'));
    is($status, @expected ? 1 : 0, '... and the status says so');
    write_guest($name, files($name));
}

# Changes: to leave a line out, to keep the first ones, to add one, to write other text into one, \1 being what matched.
sub drop { my ($index) = @_; return sub { splice @$_, $index // 0, 1 } }
sub keep { my ($count) = @_; return sub { splice @$_, $count } }
sub add { my ($line) = @_; return sub { push @$_, $line } }

sub edit
{
    my ($from, $to, $index) = @_;
    return sub {
        $_->[$index // 0] =~ s{$from}{ my $kept = $1; $to =~ s/\\1/$kept/r }e or die "nothing to change in: $_->[$index // 0]";
    };
}

sub at { my ($format, @labels) = @_; return sprintf $format, @at{@labels} }

# What is said of turn 5's registers.
sub no_record { return join ' ', 'no record has', (map { /^r/ ? "$_=0x5" : "r$_=0x5" } @general), @_, at('ip=0x%x', 'call_leaf') }

my $finds = 'Linux names what it finds';
my $disabled = 'Kernel/User page tables isolation: disabled';
my $counts = 'perf stat counts exactly';
my $bare = 'perf stat of nothing in particular';
my $slots = "$bare, with what became of the slots";
my $rings = ':u and :k are two parts of the whole';
my ($p, $pp, $ppp) = map { "precise events with $_ are at their instructions" } qw(p pp ppp);
my $many = 'large PEBS: each 51st call, and hundreds of records for an interrupt';
my $registers = 'the registers of each sample are those of a record';
my $instructions = 'precise samples of instructions alone';
my $kernel = 'precise samples of the kernel alone';
my $anywhere = 'a program that each process has at another address';
my $any = '-j any: branch stacks without a gap, frozen by the interrupt';
my $any_call = '-j any_call: calls alone';
my $any_kernel = '-j any,k: branches to the kernel alone';
my $graph = '--call-graph lbr gives the chain of calls';
my $bts = 'intel_bts// is the model\'s sequence of branches';
my $at_once = 'intel_bts// on both processors at once';
my $all = '-a samples both processors';
my $own_counts = 'two tasks in turns: each has its own counts, exactly';
my $own_samples = 'two tasks in turns: each has its own samples, by its own calls';
my ($first, $second) = map { "two tasks in turns: the $_ one\'s call stack" } qw(first second);
my ($near, $middle, $far) = map { "perf mem's levels and latencies of a $_ ring" } qw(near middle far);
my $both = 'both kinds at once, each by its own event';
my ($full, $narrow) = map { "counters are written at $_" } 'full width', '32 bits';
my $wrmsr = 'WRMSR faults where the hardware does';
my $names = 'the referee names what is wrong';
my $other = 'has another sequence of branches than one alone';
my $lost = 'violation vcpu=1 rip=0x1 pmi-lost: a PMI was lost [SDM]';
my $calls = scalar each_51st();
my $between = '-j any,counter: each branch has the counts of the group since the one before';
my $snapshot = 'a group\'s counters as they were when a record was written';
my $reloaded = 'acr_mask: a counter that another one reloads in time never overflows';

breaks('skylake', @$_) for (
    # ---- the guest's end, and what Linux says
    ['ending', "exit 1\n", 'powers itself off' => 'status 256'],
    ['ending', 'kill -KILL $$', 'powers itself off' => 'status 9'],
    ['end', keep(0), 'powers itself off' => 'status 0'],
    ['kernel', edit('fmt3', 'fmt2', 1), $finds => "it says: PEBS fmt2+, Skylake events, 32-deep LBR, $driver"],
    ['kernel', edit('Skylake events, 32-deep LBR', '32-deep LBR, Skylake events', 1)],
    ['kernel', edit('Skylake events, ', '', 1), $finds => "it says: PEBS fmt3+, 32-deep LBR, $driver"],
    ['kernel', drop(1), $finds => 'it says: nothing'],
    ['kernel', drop(0), $disabled => "it does not say: $disabled"],
    ['kernel', edit('2 CPUs', '1 CPU', 2), $disabled => 'it does not say: Brought up 1 node, 2 CPUs'],
    (map { ['kernel', add("[ 1.0] $_"), 'and warns of nothing' => "[ 1.0] $_"] } 'WARNING: CPU: 0', 'unchecked MSR access error',
        'Call Trace:', 'BUG: soft lockup', 'perfevents: irq loop stuck', '[Firmware Bug]: TSC', 'PEBS disabled due to',
        'PEBS is broken', 'Oops: 0000'),

    # ---- counts
    ['stat', edit(270014, 270015), $counts => 'instructions:u: 270015, must be 270014'],
    ['stat', edit(140005, 140004, 1), $counts => 'branches:u: 140004, must be 140005'],
    ['stat', edit(130001, 130000, 2), $counts => 'taken: 130000, must be 130001'],
    ['stat', drop(2), $counts => 'taken: no count, must be 130001'],
    ['bare', edit(270014, 270013, 4), $bare => 'cycles: 270013, at least 270014'],
    ['bare', edit('270,014', '270,013', 5), $bare => 'instructions: 270013, at least 270014'],
    ['bare', edit(140005, 140004, 6), $bare => 'branches: 140004, at least 140005'],
    ['bare', edit(' 1 ', ' 0 ', 7), $bare => 'branch-misses: 0, at least 1'],
    ['bare', edit(' 1 ', ' <not supported> ', 7), $bare => 'branch-misses: no count, at least 1'],
    ['bare', edit('status 0', 'status 139', -1), $bare => 'exit status 139'],
    ['bare', drop(-1), $bare => 'exit status unknown'],
    ['bare', edit(' cycles', ' cpu-cycles', 4)],
    ['watchdog', edit(1, 0), 'the NMI watchdog is on' => "line 1 is '0', must be '1'"],
    ['rings', edit(270014, 270015), $rings => 'instructions: 504764, must be 504765'],
    ['rings', edit(504764, 504765, 2), $rings => 'instructions: 504765, must be 504764'],
    ['rings', drop(1), $rings => 'instructions: 504764, must be 270014'],
    ['rings', sub { s/^(\d+)/$1 - 224750/e for @$_[1, 2] }],
    ['rings', sub { s/^(\d+)/$1 - 224751/e for @$_[1, 2] }, $rings => 'only 9999 instructions of the kernel'],

    # ---- precise events
    ['precise_p', edit(qr/\w+$/, at('%x', 'call_outer')), $p => at('calls at 0x%x', 'call_outer')],
    ['precise_pp', edit(qr/\w+$/, at('%x', 'inner')), $pp => at('calls at 0x%x', 'inner')],
    ['precise_ppp', edit('calls', 'cells'), $ppp => at('not a sample: cells: %16x', 'call_inner')],
    ['precise_p', sub { splice @$_, 0, 15 }],
    ['precise_p', sub { splice @$_, 0, 16 }, $p => '34 samples of calls, at least 35 must be'],
    ['precise_p', drop(60), $p => '49 samples of loads, at least 50 must be'],
    ['precise_p', drop(110), $p => '49 samples of stores, at least 50 must be'],
    ['many', drop(7), $many => ($calls - 1) . " samples, must be $calls"],
    ['many', edit('BX:0xc7', 'BX:0xc6', 2),
        $many => at('sample 2 at 0x%x in turn 198, call 97, must be at 0x%x in turn 199, call 97', ('call_leaf') x 2)],
    ['truth', drop(1), $many => 'at most 299 records without an interrupt'],
    ['truth', sub { splice @$_, 100, 0, 'pmi vcpu=0' }, $many => 'at most 201 records without an interrupt'],
    ['registers', edit('CX:0x5', 'CX:0x6', 4), $registers => no_record() =~ s/rcx=0x5/rcx=0x6/r],
    ['registers', edit('R15:0x5', '', 4), $registers => no_record() =~ s/r15=0x5/r15=0xmissing/r],
    ['registers', edit(qr/^ *\w+/, hex16($at{leaf}), 4), $registers => no_record() =~ s/ip=0x\w+$/at('ip=0x%x', 'leaf')/er],
    ['registers', sub { @$_[4, 5] = @$_[5, 4] }, $registers => no_record()],
    ['registers', drop(), $registers => '39 samples, at least 40 must be'],
    ['instructions', edit(qr/\w+$/, 'ffffffff8d0ffdae'), $instructions => 'a sample at 0xffffffff8d0ffdae'],
    ['instructions', drop(), $instructions => '49 samples, want at least 50'],
    ['kernel_instructions', edit('ffffffff8d0ffdae', '401007'), $kernel => '0x401007 is no address of the kernel'],
    ['kernel_instructions', edit('ffffffff8', 'ffff7fff8'), $kernel => '0xffff7fff8d0ffdae is no address of the kernel'],
    ['kernel_instructions', drop(), $kernel => '9 samples, want at least 10'],

    # ---- stacks
    ['anywhere_1', edit(qr/^ +\w+/, '    7f80b0401007'), $anywhere => 'a sample at 0x7f80b0401007'],
    ['anywhere_1', edit(qr{0x\w+/}, '0x7f80b0401001/', 3),
        $anywhere => at('a call at 0x7f80b0%x and a branch from 0x7f80b0401001', 'call_outer')],
    ['anywhere_2', edit(qr{  0x\w+/}, at('  0x7f80b1%x/', 'inner'), 3),
        $anywhere => at('code at 0x%x does not lead to the next branch, at 0x%x', 'target', 'inner')],
    ['anywhere_1', keep(34), $anywhere => '34 samples, at least 35 must be'],
    ['anywhere_2', sub { s/7f80b1/7f80b0/g for @$_ }, $anywhere => 'the program was at 1 addresses, must be 2'],
    ['any', edit(qr{^ *\w+}, hex16($at{inner})),
        $any => at('code at 0x%x does not lead to the next branch, at 0x%x', 'target', 'inner')],
    ['any', edit(qr{/\w+}, '/0xffffffff8d0ffdae'),
        $any => 'the newest entry ends in the kernel, at 0xffffffff8d0ffdae, but the stack must be frozen by then'],
    ['any', edit(qr{^ *\w+ (0x\w+)/\w+}, 'ffffffff8d0ffdb0 \1/0xffffffff8d0ffdae')],
    ['any', keep(9), $any => '9 stacks, want at least 10'],
    ['any_call', edit(qr{0x\w+/}, at('0x%x/', 'inner_return')), $any_call => at('the branch at 0x%x is not a call', 'inner_return')],
    ['any_call', keep(9), $any_call => '9 stacks, want at least 10'],
    ['any_kernel', edit('/0xffffffff8ce502e0', '/0x401007'), $any_kernel => '0x401007 is no address of the kernel'],
    ['any_kernel', edit(qr/ 0x.*/, ''), $any_kernel => '9 samples, want at least 10'],
    ['call_graph', drop(1), $graph => 'a chain of inner main _start'],
    ['call_graph', keep(5), $graph => 'no sample in outer'],
    ['call_graph', sub { splice @$_, 0, 6 }, $graph => 'no sample in inner'],

    # ---- BTS
    ['bts', drop(4), $bts => '3249 branches, must be 3250', $at_once => "processor 0 $other"],
    ['bts_2', drop(4), $at_once => "processor 1 $other"],
    ['truth', drop(-3), $bts => 'the model wrote 3249'],
    ['truth', edit(qr/from=\w+/, at('from=0x%x', 'even'), -3), $bts => at('branch 3248: perf 0x%x => 0x%x, model 0x%x => 0x%x',
            qw(outer_return after_outer even after_outer))],

    # ---- many processors, many tasks
    ['all', drop(), $all => '34 samples on processor 0, at least 35 must be'],
    ['all', drop(-2), $all => '34 samples on processor 1, at least 35 must be'],
    ['all', add(' program [001] 401007'), $all => 'a sample at 0x401007'],
    ['turns_stat_first', edit(99632, 99634), $own_counts => 'instructions:u: 99634, must be 99632'],
    ['turns_stat_second', edit(74214, 74212, 1), $own_counts => 'branches:u: 74212, must be 74214'],
    ['turns_stat_second', edit(200, 199, 2), $own_counts => '199 context switches, at least 200 must be'],
    ['turns_sample_first', drop(), $own_samples => '599 samples, must be 600'],
    ['turns_sample_second', edit(402, 400), $own_samples => '2 processes, must be 1'],
    ['turns_sample_first', edit(qr/\w+$/, at('%x', 'leaf'), 7), $own_samples => at('a sample at 0x%x', 'leaf')],
    ['turns_chain_first', drop(2), $first => 'a chain of leaf take_turns main _start'],
    ['turns_chain_second', sub { splice @$_, 0, 8 }, $second => 'no sample in leaf'],

    # ---- counters, memory, the referee
    ['counter', edit('00010578 00008000', '80000001 0000ffff'), $full => 'no counter of 0000ffff80000001 0000000000000000'],
    ['mem_near', drop(), $near => '19 samples, at least 20 must be'],
    ['mem_middle', drop(), $middle => '19 samples, at least 20 must be'],
    ['mem_far', drop(), $far => '19 samples, at least 20 must be'],
    ['mem_near', edit(qr/^ *\w+/, hex16($at{far_ring})), $near => at('a load from 0x%x', 'far_ring')],
    ['mem_far', edit(qr/^ *\w+/, hex16($at{near_ring})), $far => at('a load from 0x%x', 'near_ring')],
    ['mem_middle', edit(qr/^ *\w+/, hex16($at{far_ring} + 65535))],
    ['mem_middle', edit(qr/^ *\w+/, hex16($at{far_ring} + 65536)), $middle => sprintf('a load from 0x%x', $at{far_ring} + 65536)],
    ['mem_far', edit('Local RAM or RAM', 'L3')],
    (map { my ($where, $from, $to, $name) = @$_; ['mem_' . $where, sub { s/$from/$to/ for @$_[0, 1] },
            $name ? ($name => '2 of 20 samples have another level, TLB or latency') : ()] }
        ['near', 'L1 hit', 'L2 hit', $near], ['middle', 'L2 hit', 'L1 hit', $middle], ['middle', 'L2 hit', 'L2 or L2 hit'],
        ['middle', '15  ', '9  ', $middle], ['middle', '15  ', '41  ', $middle], ['near', 'TLB L1 or L2 hit', 'TLB L2 miss', $near], ['far', 'TLB L2 miss', 'TLB L1 or L2 hit', $far],
        ['near', 'LCK No', 'LCK Yes', $near], ['near', '4  ', '2  ', $near], ['near', '4  ', '3  '], ['near', '4  ', '30  '],
        ['near', '4  ', '31  ', $near], ['far', 'Local RAM or RAM', 'L3', $far], ['far', '250', '99', $far], ['far', '250', '100'],
        ['far', '250', '2000'], ['far', '250', '2001', $far]),
    ['violations', add($lost), 'no violation' => $lost],
);
breaks('icelake', 'registers', edit('XMM5:0x5 XMM5:0x0', 'XMM5:0x0 XMM5:0x5', 4), $registers => no_record(
        'xmm0=0x' . '0' x 32, 'xmm5=0x' . '0' x 15 . '5' . '0' x 16, 'xmm15=0x' . 'f' x 32));
breaks('icelake', 'bare', edit('100.0', ' 99.9', 11), $slots => 'retiring: 99.9, must be 100.0');
breaks('goldencove', 'bare', edit(' 0.0', ' 0.4', 9), $slots => 'bad_speculation: 0.4, must be 0.0');
breaks('goldencove', 'bare', drop(8), $slots => 'backend_bound: no count, must be 0.0');
breaks('goldencove', 'precise_ppp', keep(0), $ppp => '0 samples of calls, at least 35 must be');
breaks('nehalem', 'precise_pp', drop(60), $pp => '49 samples of loads, at least 50 must be');
breaks('nehalem', 'stat', edit(140005, 140004, 1), $counts => 'branches:u: 140004, must be 140005');
breaks('nehalem', 'counter', edit('80000001 0000ffff', '00010578 00008000'),
    $narrow => 'no counter of 0000800000010578 0000000000000000');

# ---- Atoms, hybrids, and what a driver does not know ------------------------------------------------------------------
my $without = 'samples without PEBS';
my $refused = 'precise samples are refused';
breaks('goldmont', 'stat', edit(130002, 130001, 2), $counts => 'taken: 130001, must be 130002');
breaks('goldmont', 'precise_p', drop(60), $p => '49 samples of loads, at least 50 must be');
breaks('goldmont', 'precise_ppp', keep(0), $ppp => '0 samples of calls, at least 35 must be');
breaks('alderlake-core', @$_) for (
    ['machine', edit('0 1', '0 2'), $all => '0 samples on processor 2, at least 35 must be'],
    ['machine', edit(6, 7, 1), 'the kernel that was fetched' => 'it says: 7'],
    ['machine', drop(1), 'the kernel that was fetched' => 'it says: perf version 6.12'],
    ['stat', edit(270014, 270015), $counts => 'instructions:u: 270015, must be 270014'],
    ['stat', edit('cpu_core/branches', 'cpu_core/cycles', 1), $counts => 'branches:u: no count, must be 140005'],
    ['rings', edit(504764, 504765, 2), $rings => 'instructions: 504765, must be 504764'],
    ['bare', edit('270014', '270013', 4), $slots => 'cycles: 270013, at least 270014'],
    ['kernel', edit('4 CPUs', '2 CPUs', 2), 'x2apic enabled' => 'it does not say: Brought up 1 node, 4 CPUs'],
);
breaks('alderlake-atom', @$_) for (
    ['both', drop(), $both => '34 samples of cpu_core, at least 35 must be'],
    ['both', drop(-1), $both => '34 samples of cpu_atom, at least 35 must be'],
    ['both', edit('000', '002'), $both => 'cpu_core on processor 2'],
    ['both', edit('002', '001', 35), $both => 'cpu_atom on processor 1'],
    ['both', add(' [003] cpu_atom: 462812')],
    ['kinds', edit('0-1', '0-3'), $both => "line 1 is 'cpu_core 0-3', must be 'cpu_core 0-1'"],
    ['all', drop(-2), $all => '34 samples on processor 3, at least 35 must be'],
    ['bts_1', drop(4), $at_once => "processor 2 $other"],
    ['bare', edit('270014', '270013', 4), $bare => 'cycles: 270013, at least 270014'],
);
breaks('clearwaterforest', @$_) for (
    ['kernel', edit('no PEBS fmt15\\+, ', '', 1), $finds => "it says: " . $of{clearwaterforest}{says} =~ s/no PEBS fmt15\+, //r],
    ['sampled', drop(), $without => '49 samples, at least 50 must be'],
    ['sampled', edit(qr/.*/, 'Error:'), $without => '49 samples, at least 50 must be'],
    ['refused', keep(0), $refused => 'perf record did not fail'],
    ['any', keep(9), $any => '9 stacks, want at least 10'],
    ['counted', edit(qr/4$/, '8', 15), $between => '2 loads before jump_indirect, must be 1'],
    ['stat', edit(270014, 270015), $counts => 'instructions:u: 270015, must be 270014'],
    ['violations', add($lost), 'no violation' => $lost],
);

breaks('wrong', @$_) for (
    ['ending', "exit 1\n", 'neither QEMU nor Linux ends of it' => 'status 256'],
    ['wrong', edit('refused', 'done', 2),
        $wrmsr => "line 3 is 'reserved bit of DEBUGCTL: done', must be 'reserved bit of DEBUGCTL: refused'"],
    ['wrong', drop(27), $wrmsr => "line 28 is 'nothing', must be 'PEBS off: done'"],
    ['violations', drop(5), $names => "line 5 is 'ds-page-in-user-space', must be 'ds-page-not-writable'"],
    ['violations', drop(2)],
    ['violations', add($lost), $names => "line 14 is 'not a line of the referee: $lost', must be 'nothing'"],
    ['stat', edit(270014, 270015), $counts => 'instructions:u: 270015, must be 270014'],
);

# ---- what is booted ---------------------------------------------------------------------------------------------------
sub given { my ($name) = @_; return read_file("$top/guests/$name/given") =~ s/.*-smp/-smp/sr =~ s/\S*$top\S*/FILE/gr }

my $machine = '-smp 2 -m 1024 -nodefaults -no-user-config -no-reboot -display none -serial stdio -plugin FILE';
my $iommu = '-device intel-iommu,intremap=on,eim=on';
my $line = '-kernel FILE -initrd FILE -append console=ttyS0 panic=-1 tsc=reliable no_timer_check';
my $mem = 'cpu/mem-loads,ldlat=3/upp';
my $stores = 'STORES=cpu/event=0xd0,umask=0x82,name=stores/ TAKEN=,cpu/event=0xc4,umask=0x20,name=taken/u';

# Variables for the guest: the event of loads and of instructions, what perf mem asks for, and the levels of precision.
sub variables
{
    my ($loads, $all, $latency, $precise) = @_;
    return "CALLS=cpu/event=0xc4,umask=0x02,name=calls/ LOADS=cpu/event=$loads,name=loads/ " .
        "INSTRUCTIONS=cpu/event=$all,name=instructions/ MEM=$latency \"PRECISE=$precise\"";
}

my $newer = variables('0xd0,umask=0x81', '0xc0,umask=0x01', $mem, 'p pp ppp') . " $stores CALL_STACK=1 REGISTERS=@{[join ',', @general]}";
judge();
is(given('skylake'), "$machine $line mitigations=off $newer\n", 'the machine, and the events of Skylake');
is(given('icelake'), "$machine $iommu $line mitigations=off $newer,xmm0,xmm5,xmm15\n", 'Ice Lake, with x2APIC');
is(given('haswell'), "$machine $line pti=on nospectre_v2 spec_store_bypass_disable=off mds=off retbleed=off " .
    "indirect_target_selection=off $newer\n", 'Haswell, with page-table isolation');
is(given('nehalem'), "$machine $line mitigations=off " . variables('0xcb,umask=0x01', '0xc0,umask=0x01', $mem, 'p pp') . " REGISTERS=@{[join ',', @general]}\n", 'Nehalem');
is(given('goldencove'), "$machine $iommu $line mitigations=off " . variables('0xd0,umask=0x81', '0x00,umask=0x01',
        "{cpu/mem-loads-aux/u,cpu/mem-loads,ldlat=3/upp}", 'p pp') . " $stores \"ALONE=ppp\" CALL_STACK=1 REGISTERS=@{[join ',', @general]},xmm0,xmm5,xmm15\n", 'Golden Cove');
for my $name (grep { $of{$_}{says} } sort keys %of) {
    my @has = map { given($name) =~ $_ ? 1 : 0 } qr/ \Q$iommu\E /, qr/ REGISTERS=\S*,r15,xmm0,xmm5,xmm15$/m, qr/ KIND=cpu_/;
    is("@has", join(' ', map { $of{$name}{$_} ? 1 : 0 } qw(x2apic xmm kind)), "$name: x2APIC, XMM registers, kinds");
}
like(given('clearwaterforest'), qr/ NO_PEBS=1 /, 'a format that Linux 6 does not know');
unlike(given('lunarlake-core'), qr/ (?:NO_PEBS|SNAPSHOT)=1 /, '... and one that it takes for the one before');
like(given('alderlake-atom'), qr{ BOTH=cpu_atom/event=0xc4,umask=0xf9,name=cpu_atom/upp,cpu_core/event=0xc4,umask=0x02,name=cpu_core/upp },
    'the calls of both kinds of a hybrid');
like(given('goldmont'), qr/ ITSELF=1 /, 'Goldmont, whose PEBS records the event that overflows the counter');
is(given('wrong'), "$machine $iommu $line mitigations=off nowatchdog maxcpus=1 WRONG=1\n", 'the wrong guest');

# Each profile of the model is booted, or skipped with a reason, or has no row yet.
write_profiles(@known, ['core2', 64], ['sandybridge', 64], ['netburst64', 64], ['netburst', 32], ['pentium-5', 64]);
($status, $failed, $out) = judge();
is("$status $failed", "1 pentium-5: Linux boots\n# a profile of the model that tests/linux/run has no row for",
    'a profile without a row');
like($out, qr/^ok \d+ - netburst: Linux boots # SKIP this Linux needs long mode$/m,
    '... one that this Linux cannot run on is skipped');
like($out, qr/^ok \d+ - core2: Linux boots # SKIP the events of calls and loads that the guest samples are not precise there$/m,
    '... one without these events');
like($out, qr/^ok \d+ - sandybridge: Linux boots # SKIP Linux disables PEBS there, because QEMU has a revision of the microcode with an/m,
    '... one where Linux wants another microcode');
like($out, qr/^ok \d+ - netburst64: Linux boots # SKIP Linux has no driver of NetBurst\x27s debug store$/m, '... and one without a driver');
($status, $failed, $out) = judge('skylake');
is("$status $failed", '0 ', 'one by its name');
unlike($out, qr/icelake|netburst/, '... is booted alone');
($status, $failed, $out) = judge('alderlake');
is("$status $failed", '0 ', 'a hybrid by its name');
like($out, qr/^ok \d+ - alderlake-$_: powers itself off$/m, "... each $_ is booted") for qw(atom core);
($status, $failed, $out) = judge('core2');
isnt($status, 0, 'one that has no row cannot be asked for');
is($out, "run: no profile core2 here: alderlake-atom alderlake-core broadwell clearwaterforest goldencove goldmont haswell " .
    "icelake lunarlake-atom lunarlake-core nehalem sierraforest skylake\n", '... which is said');
($status, $failed, $out) = judge('-k backports skylake');
isnt($status, 0, 'another kernel that was not fetched is not booted');
is($out, "run: build/linux-backports is missing, or old: ./bootstrap --linux-backports fetches it\n", '... which is said');
write_file("$top/build/$_", '') for 'initramfs-linux-backports.gz', 'linux-backports/boot/vmlinuz-7', 'linux-backports/boot/msr.ko.xz';
%of = (%of, %newest);
write_guest($_, files($_)) for keys %newest;
($status, $failed, $out) = judge('-k backports lunarlake clearwaterforest');
is("$status $failed", '0 ', '... and is, if it was') or diag($out);
like(read_file("$top/guests/lunarlake-core/given"), qr{-smp 4 .*-kernel \S*/linux-backports/boot/vmlinuz-7 -initrd \S*/initramfs-linux-backports.gz },
    '... with its own kernel and programs');
like($out, qr/^ok \d+ - lunarlake-$_: powers itself off$/m, "... each $_ of a hybrid by the hybrid's name") for qw(atom core);
breaks('clearwaterforest', @$_) for (
    ['counted', edit(qr/4$/, '8', 15), $between => '2 loads before jump_indirect, must be 1'],
    ['counted', edit(qr/4$/, '5', 15), $between => '1 calls before jump_indirect, must be 0'],
    ['counted', edit(qr/4$/, '0', 15), $between => '0 loads before jump_indirect, must be 1'],
    ['counted', edit('4 cycles', '3 cycles', 1), $between => '1 loads before jump_indirect, must be 0'],
    ['counted', sub { edit('4 cycles', '3 cycles', 1)->(); edit(qr/4$/, '0', 15)->() }],    # the kernel came back in between
    ['counted', edit(qr/0$/, '1', 20), $between => '1 calls before jump_round, must be 0'],
    ['counted', drop(15), $between => '12 counts of 13 branches'],
    ['counted', keep(28 * 41), $between => '492 entries, at least 500 must be'],
    ['snapshot', edit(qr/\w+$/, at('%x', 'call_inner'), 1),
        $snapshot => at('sample 0: at 0x%x, must be at 0x%x', 'call_inner', 'call_outer')],
    ['snapshot', edit('1000', '1001', 3), $snapshot => 'sample 1: 1001 calls, must be 1000 or 1001, and always the same'],
    ['snapshot', sub { s/1000 calls/998 calls/ for @$_ }, $snapshot => 'sample 0: 998 calls, must be 1000 or 1001, and always the same'],
    ['snapshot', edit('1500', '1501', 4), $snapshot => 'sample 1: loads: 1501, must be 1500'],
    ['snapshot', edit('6750', '6749', 5), $snapshot => 'sample 1: instructions: 6749, must be 6750'],
    ['snapshot', edit('1500', '1498', 1)],
    ['snapshot', drop(3), $snapshot => '34 samples of calls, 35 of loads, 35 of instructions'],
    ['snapshot', keep(102), $snapshot => '34 samples of calls, 34 of loads, 34 of instructions'],
    ['snapshot', sub { @$_ = each_1001st() }],
    ['snapshot', sub { @$_ = each_1001st(); s/1503/1500/ for @$_ }, $snapshot => 'sample 1: loads: 1500, must be 1503'],
    ['reloaded_120', add(' calls: ' . hex16($at{call_inner})), $reloaded => '1 samples of calls that never overflow'],
    ['reloaded_120', add('Error: no such event'), $reloaded => 'not a sample: Error: no such event'],
    ['reloaded_180', drop(), $reloaded => '389 samples of calls, at least 390 must be'],
    ['reloaded_180', edit(qr/\w+$/, at('%x', 'inner')), $reloaded => at('calls at 0x%x', 'inner')],
    ['reloaded_180', edit(qr/calls/, 'loads')  , $reloaded => '389 samples of calls, at least 390 must be'],
);
($status, $failed, $out) = judge('-k ../linux skylake');
is("$status $out", "255 usage: run [-k KERNEL] [PROFILE..]\n", 'a kernel is a word');
unlink "$top/build/linux/boot/msr.ko.xz";
($status, $failed, $out) = judge('skylake');
isnt($status, 0, 'without Linux nothing is booted');
is($out, "run: build/linux is missing, or old: ./bootstrap --linux fetches it\n", '... and it is said where to get it');
done_testing;
