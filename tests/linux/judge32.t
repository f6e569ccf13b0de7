#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
#
# tests/linux/run32 must notice whatever Linux and perf say wrong: guests are replayed whose output is right, or wrong in one
# place. What they say is typed from the program's text, and not computed as tests/linux/run32 does.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(new_tree write_file read_file);
use Test::More;

my $build = realpath("$FindBin::Bin/../../build");
-e "$build/linux-program32" or die "judge32.t: build/linux-program32 is missing; make test makes it\n";
my %at = map { /^([0-9a-f]+) \w (\w+)$/ ? ($2 => hex $1) : () } qx(nm $build/linux-program32);
$at{after_outer} = $at{call_outer} + 5;    # a call has five bytes
sub at { my ($format, @labels) = @_; return sprintf $format, @at{@labels} }

# ---- a right guest --------------------------------------------------------------------------------------------------
# Two rounds have 25 instructions: in each call, call, NOP, RET, RET, TEST, JZ, MOV, MOV, JMP, DEC and JNZ, and one in two
# has a NOP more. The first round follows three instructions, and its number is even.
my @round = ((map { $at{$_} } qw(call_outer call_inner inner inner_return outer_return after_outer jump_even)),
    (map { $at{even} + $_ } 0, 5), $at{jump_indirect}, $at{target}, $at{jump_round});
my @odd_round = (@round[0 .. 6], $at{even} - 1, @round[7 .. 11]);
my @pair = (@round, @odd_round);

# The address of instruction $n, from 1.
sub instruction { my ($n) = @_; return $pair[($n - 4) % 25] }

# 249 times 1002 instructions fit into 250006.
sub precise { my ($skid) = @_; return map { sprintf '%16x', instruction(1002 * $_ + $skid) } 1 .. 249 }

sub branches
{
    my @branches;
    for my $left (reverse 1 .. 500) {
        push @branches, [qw(call_outer outer)], [qw(call_inner inner)], [qw(inner_return outer_return)],
            [qw(outer_return after_outer)], $left % 2 ? () : [qw(jump_even even)], [qw(jump_indirect target)],
            $left > 1 ? [qw(jump_round call_outer)] : ();
    }
    return map { at('%16x => %16x', @$_) } @branches;
}

my %finds = (netburst => 'Netburst events, Netburst P4/Xeon PMU driver.', 'pentium-m' => 'p6 PMU driver.',
    'core-duo' => 'Core events, core PMU driver.', core2 => 'PEBS fmt0+, Core2 events, 4-deep LBR, Intel PMU driver.');

# The sections of a guest: NAME => [LINE..].
sub guest
{
    my ($name) = @_;
    my @counts = ('250006,,instructions:u,100,100.00,,', ($name eq 'netburst' ? 140001 : 140002) . ',,branches:u,100,100.00,,');
    my @garbage = map { s/^\d+/549755813887/r } @counts;
    my %guest = (
        stat => [$name eq 'netburst' ? @garbage : @counts],
        watchdog => [1],
        (map { ("group_$_" => [$name eq 'netburst' && $_ != 7 ? @garbage : @counts]) } 1 .. 12),
        sampled => [(at('%16x', 'target')) x 49],
        kernel => ["[ 0.7] Performance Events: $finds{$name}", '[ 1.1] smp: Brought up 1 node, 2 CPUs'],
        end => [],
    );
    @guest{qw(precise_p precise_pp bts)} = ([precise(1)], [precise(0)],
        [at('%16x =>         c6919c30', '_start'), branches(), at('%16x =>         c6919c30', 'finish')]) if $name eq 'core2';
    return \%guest;
}

# ---- the tree and its guests ------------------------------------------------------------------------------------------
my $top = new_tree();
make_path("$top/tests/linux", "$top/build");
symlink realpath("$FindBin::Bin/$_"), "$top/tests/linux/$_" or die "$_: $!\n" for qw(run32 Guest.pm);
symlink "$build/linux-program32", "$top/build/linux-program32" or die "linux-program32: $!\n";
write_file("$top/build/$_", '') for 'dsmodel.so', 'initramfs-linux-i386.gz', 'linux-i386/boot/vmlinuz-6', 'linux-i386/boot/msr.ko';
# Lists the profiles, or replays a guest: the files console, stderr and violations of guests/NAME, and then ending.
for my $qemu (qw(qemu-system-x86_64 qemu-system-i386)) {
    write_file("$top/build/$qemu", <<'END' =~ s/TOP/$top/gr);
#!/bin/sh
given="${0##*/} $*"
while [ "$1" != -plugin ]; do shift; done
case $2 in
*profile=list) cat TOP/profiles; exit ;;
esac
name=${2##*profile=} name=${name%%,*}
cd TOP/guests/$name
echo "$given" >given
readlink /proc/$$/fd/0 >stdin
cat console
[ ! -e stderr ] || cat stderr >&2
cp violations "${2##*,violations=}"
. ./ending
END
    chmod 0755, "$top/build/$qemu";
}
sub write_profiles { write_file("$top/profiles", join '', map { sprintf "%-13s %d  a processor\n", @$_ } @_) }
my @known = (['netburst', 32], ['netburst64', 64], ['pentium-m', 32], ['core-duo', 32], ['core2', 64], ['skylake', 64]);
write_profiles(@known);

sub files { my ($name) = @_; return (guest => guest($name), violations => [], ending => "exit 0\n") }

sub write_guest
{
    my ($name, %is) = @_;
    my %sections = %{$is{guest}};
    my @names = sort { ($a eq 'end') <=> ($b eq 'end') || $a cmp $b } keys %sections;
    $is{console} = ['[ 0.0] booting', map { ("\@\@ $_", @{$sections{$_}}) } @names];
    write_file("$top/guests/$name/$_", join '', map { "$_\n" } @{$is{$_}}) for qw(console violations);
    write_file("$top/guests/$name/ending", $is{ending});
}

# A run of the script: its status, the checks that failed, each with the first reason, and all of its output.
sub judge
{
    my (@arguments) = @_;
    my $out = qx($top/tests/linux/run32 @arguments 2>&1 <$0);
    my @failed = $out =~ /^not ok \d+ - (.*\n(?:# .*)?)/mg;
    return ($? >> 8, join("\n", @failed), $out);
}

write_guest($_, files($_)) for keys %finds;
my ($status, $failed, $out) = judge();
is("$status $failed", '0 ', 'right guests of all processors') or diag($out);
my ($plan) = $out =~ /^1\.\.(\d+)$/m;
is(scalar(() = $out =~ /^ok/mg), $plan, '... a plan of as many checks');
is(scalar(() = $out =~ / - \S+: powers itself off$/mg), 4, '... and each that has a row is booted');
like($out, qr/^ok \d+ - netburst: perf stat counts exactly at once # SKIP Linux starts the counter at what was left/m,
    '... netburst without the counts that Linux gets wrong');
like($out, qr/^ok \d+ - $_: PEBS and BTS # SKIP Linux has no driver of a debug store of 32 bits$/m, "... $_ without PEBS and BTS")
    for qw(netburst pentium-m core-duo);

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
    my ($status, $failed) = judge($name);
    my @lines = map { "$name: $expected[$_]\n# $expected[$_ + 1]" } grep { $_ % 2 == 0 } 0 .. $#expected;
    is($failed, join("\n", @lines), "$name, $where: " . ($expected[1] // 'nothing is wrong'));
    is($status, @expected ? 1 : 0, '... and the status says so');
    write_guest($name, files($name));
}

sub drop { my ($index) = @_; return sub { splice @$_, $index // 0, 1 } }
sub add { my ($line) = @_; return sub { push @$_, $line } }
sub edit { my ($from, $to, $index) = @_; return sub { $_->[$index // 0] =~ s/$from/$to/ or die "nothing to change in: $_->[$index // 0]" } }

my $finds = 'Linux names what it finds';
my $one = 'perf stat counts exactly, one event at a time';
my $both = '... and both at once';
my $same = 'perf stat counts exactly, if the period before was the same';
my $sampled = 'samples without PEBS are in the program';
my ($p, $pp) = map { "precise samples with $_ are of each 1002nd instruction" } qw(p pp);
my $bts = 'intel_bts// is the program\'s sequence of branches';
my $lost = 'violation vcpu=1 rip=0x1 pmi-lost: a PMI was lost [SDM]';

breaks('core2', @$_) for (
    ['ending', "exit 1\n", 'powers itself off' => 'status 256'],
    ['end', sub { @$_ = () }, 'powers itself off' => 'status 0'],
    ['kernel', edit('fmt0', 'fmt1'), $finds => 'it says: PEBS fmt1+, Core2 events, 4-deep LBR, Intel PMU driver.'],
    ['kernel', edit('2 CPUs', '1 CPU', 1), 'Brought up 1 node, 2 CPUs' => 'it does not say: Brought up 1 node, 2 CPUs'],
    ['kernel', add('[ 1.0] WARNING: CPU: 0'), 'and warns of nothing' => '[ 1.0] WARNING: CPU: 0'],
    ['watchdog', edit(1, 0), 'the NMI watchdog is on' => "line 1 is '0', must be '1'"],
    ['stat', edit(250006, 250007), $one => 'instructions:u: 250007, must be 250006'],
    ['stat', edit(140002, 140001, 1), $one => 'branches:u: 140001, must be 140002'],
    ['group_1', drop(1), $both => 'branches:u: no count, must be 140002'],
    ['group_12', edit(250006, 250005), $both => 'instructions:u: 250005, must be 250006'],
    ['sampled', drop(), $sampled => '48 samples, must be 49'],
    ['sampled', edit(qr/\w+/, 'c6919c30', 5), $sampled => 'a sample at 0xc6919c30'],
    ['sampled', add('perf record: no'), $sampled => 'not a sample: perf record: no'],
    ['precise_p', drop(248), $p => '248 samples, must be 249'],
    ['precise_p', sub { @$_ = precise(0) }, $p => sprintf 'samples: number 0 is 0x%x, must be 0x%x', instruction(1002), instruction(1003)],
    ['precise_pp', edit(qr/\w+/, at('%x', '_start'), 100),
        $pp => sprintf 'samples: number 100 is 0x%x, must be 0x%x', $at{_start}, instruction(1002 * 101)],
    ['bts', drop(8), $bts => '3248 branches, must be 3249'],
    ['bts', edit(qr/\w+$/, at('%x', 'even'), 3),
        $bts => at('branches: number 2 is 0x%x to 0x%x, must be 0x%x to 0x%x', qw(inner_return even inner_return outer_return))],
    ['violations', add($lost), 'no violation' => $lost],
);
breaks('pentium-m', 'stat', edit(140002, 140001, 1), $one => 'branches:u: 140001, must be 140002');
breaks('core-duo', 'group_3', drop(), $both => 'instructions:u: no count, must be 250006');
breaks('netburst', 'group_7', edit(140001, 140002, 1), $same => 'branches:u: 549755813887, must be 140001');
breaks('netburst', 'group_7', edit(250006, 250007), $same => 'branches:u: 549755813887, must be 140001');
breaks('netburst', 'group_1', edit(549755813887, 0));
breaks('netburst', 'violations', add($lost), 'no violation' => $lost);

# ---- what is booted ---------------------------------------------------------------------------------------------------
sub given { my ($name) = @_; return read_file("$top/guests/$name/given") =~ s/\S*\Q$top\E\S*/FILE/gr }
my $line = 'qemu-system-i386 -accel tcg -machine q35 -cpu max -smp 2 -m 1024 -nodefaults -no-user-config -no-reboot -display none ' .
    '-serial stdio -plugin FILE -kernel FILE -initrd FILE -append console=ttyS0 panic=-1 tsc=reliable no_timer_check ' .
    'mitigations=off BITS=32';
judge();
is(given('core2'), "$line BTS=1 \"PRECISE=p pp\"\n", 'the machine, with the debug store that Linux uses');
is(given('netburst'), "$line\n", '... and without');
is(read_file("$top/guests/core2/stdin"), "/dev/null\n", '... and without input');
my %files = files('core2');
write_guest('core2', %files, ending => "exec $^X -e 'print alarm 0' >left\n");
judge('core2');
my $left = read_file("$top/guests/core2/left");
ok($left > 1100 && $left <= 1200, 'twenty minutes') or diag("it has $left seconds left");
write_guest('core2', %files);

# ---- what is told -----------------------------------------------------------------------------------------------------
write_file("$top/guests/core2/stderr", "one\ntwo\n");
write_guest('core2', %files, ending => "exit 1\n", violations => [1 .. 10]);
like((judge('core2'))[2], qr/^not ok 1 - core2: powers itself off\n# status 256\n# two\n# \@\@ end\n/m,
    'status, and the last line of stderr and of the console');
like((judge('core2'))[2], qr/^not ok \d+ - core2: no violation\n@{[join '', map { "# $_\n" } 1 .. 10]}1\.\./m, 'ten problems');
write_guest('core2', %files, violations => [1 .. 11]);
like((judge('core2'))[2], qr/^not ok \d+ - core2: no violation\n@{[join '', map { "# $_\n" } 1 .. 10]}# \.\.\.\n1\.\./m, '... of eleven');
write_guest('core2', %files);

# As many at a time as there are processors.
write_file("$top/bin/nproc", <<"END");
#!/bin/sh
cat $top/processors
END
chmod 0755, "$top/bin/nproc";
{
    local $ENV{PATH} = "$top/bin:$ENV{PATH}";
    my $together = "mkdir ../lock 2>&- || : >../crowd\nsleep 0.5\nrmdir ../lock 2>&-\nexit 0\n";
    write_guest($_, files($_), ending => $together) for 'pentium-m', 'core-duo';
    for my $processors (1, 2) {
        write_file("$top/processors", "$processors\n");
        unlink "$top/guests/crowd";
        judge('pentium-m', 'core-duo');
        is(-e "$top/guests/crowd" ? 2 : 1, $processors, "boots at a time: $processors");
    }
    write_guest($_, files($_)) for 'pentium-m', 'core-duo';
}
($status, $failed, $out) = judge('core2');
unlike($out, qr/pentium-m|netburst/, 'one by its name is booted alone');
write_profiles(@known, ['pentium-3', 32]);
($status, $failed, $out) = judge();
is("$status $failed", "1 pentium-3: Linux boots\n# a profile of the model that tests/linux/run32 has no row for", 'a profile without a row');
($status, $failed, $out) = judge('skylake');
isnt($status, 0, 'one that has no row cannot be asked for');
is($out, "run32: no profile skylake here: core-duo core2 netburst pentium-m\n", '... which is said');
unlink "$top/build/linux-program32";
($status, $failed, $out) = judge('core2');
isnt($status, 0, 'without the program nothing is booted');
like($out, qr/^run: nm failed$/m, '... and it is said what failed');
symlink "$build/linux-program32", "$top/build/linux-program32" or die "linux-program32: $!\n";
unlink "$top/build/linux-i386/boot/msr.ko";
($status, $failed, $out) = judge('core2');
isnt($status, 0, 'without Linux nothing is booted');
is($out, "run32: build/linux-i386 is missing, or old: ./bootstrap --linux-i386 fetches it\n", '... and it is said where to get it');
done_testing;
