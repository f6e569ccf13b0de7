#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# scripts/boots must find whatever is wrong with a boot, and nothing else: machines with one mistake each are replayed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(new_tree write_file read_file machine script);
use Test::More;

my %number_of = (pass => 33, fail => 35, skip => 37, error => 39, panic => 41, incomplete => 45);

my $branch = '# bts 0 0x0000000000201234 a+0x4 => 0x0000000000201256 b+0x0';
my @one = ('# test bts.one', $branch, 'ok 1 bts.one', 'ok 2 pmi.lost');
my $lost = 'violation vcpu=0 rip=0x201000 pmi-lost: a PMI was lost [SDM]';
my $zero = 'violation vcpu=0 rip=0x202000 area-zero: the area is at 0 [SDM]';
my $other = 'violation vcpu=0 rip=0x203000 lvt-masked: LVTPC is masked [SDM]';
my @truth = ('dsmodel truth 1 profile=skylake', 'bts vcpu=0 at=0x210000 from=0x201234 to=0x201256 flags=0x0');

# The kernel's log of these lines, with the table, the reasons, the counts and the verdict that they make.
sub log_of
{
    my (@lines) = @_;
    my (@reasons, %count, %area, $differs);
    for (@lines) {
        $differs = 1 if /^# differs: /;
        my ($not, $id, $rest) = /^(not )?ok \d+ (\S+)(.*)/ or next;
        my $result = $rest =~ /SKIP/ ? 'skip' : $rest =~ /ERROR/ ? 'error' : $not ? 'fail' : $differs ? 'differs' : 'pass';
        $differs = 0;
        $count{$result}++;
        $area{$id =~ s/\..*//r}{$result}++;
        push @reasons, "# $result $id: as said above" if $result =~ /fail|error|differs/;
    }
    my @facilities = map {
        my $of = $area{$_} // {};
        my ($bad, $good, $skipped) = map { my $sum = 0; $sum += $of->{$_} // 0 for @$_; $sum } [qw(fail error)], [qw(pass differs)], ['skip'];
        my $all = $bad + $good + $skipped;
        "# facility $_ " . ($bad ? "fail $bad of $all" : $good ? "pass $good of $all" : $skipped ? 'untested: no APIC' : 'not selected');
    } qw(bts pebs lbr);
    my $verdict = $count{error} ? 'error' : $count{fail} ? 'fail' : "@facilities" =~ /untested/ ? 'incomplete'
        : $count{pass} || $count{differs} ? 'pass' : 'skip';
    my $tests = 0;
    $tests += $_ for values %count;
    return ('# begin dstest86 0.1.0 abc 64', "1..$tests", @lines, '# area pass differs fail skip error',
        map({ my $of = $area{$_}; join ' ', "# area $_", map { $of->{$_} // 0 } qw(pass differs fail skip error) } sort keys %area),
        @reasons, @facilities,
        join ' ', "# end dstest86 verdict=$verdict", map { "$_=" . ($count{$_} // 0) } qw(pass fail skip error differs));
}

# The machine's files: all is right unless another list of lines is given. status: of its exit.
sub files
{
    my (%is) = @_;
    my @serial = @{$is{serial} // [log_of(@one)]};
    my ($verdict) = map { /# end dstest86 verdict=(\w+)/ ? $1 : () } @serial;
    my %lines = (serial => \@serial, stderr => [], truth => \@truth, violations => [$lost], %is);
    my $status = $is{status} // $number_of{$verdict // ''} // 0;
    return (ending => $is{ending} // "exit $status\n",
        map { ($_ => $lines{$_} && join '', map { "$_\n" } @{$lines{$_}}) } qw(serial stderr truth violations));
}

my @failed = ('# test bts.one', $branch, 'not ok 1 bts.one', 'ok 2 pmi.lost');
my @error = ('# test bts.one', $branch, 'not ok 1 bts.one # ERROR no plan', 'ok 2 pmi.lost');
my @skipped = ('# test bts.one', $branch, 'ok 1 bts.one', 'ok 2 pmi.lost # SKIP no APIC');
my @differs = ('# test bts.one', $branch, '# differs: a cycle', 'ok 1 bts.one', 'ok 2 pmi.lost');
my @untested = ('ok 1 pmi.lost', 'ok 2 bts.one # SKIP no APIC');
my @refused = (serial => [], truth => undef, violations => undef, stderr => ['boot: unknown width']);
my @zeros = (@one, 'ok 3 forbidden.zero', 'ok 4 forbidden.zero_too');

# The line of the case, where MACHINE is replay=NAME, a name of its own; the machine's files; the problems.
my @boots = (
    # ---- nothing is wrong
    ['64 pvh skylake pass records=all MACHINE ~ # test bts.one', {}],
    ['64 uefi skylake pass MACHINE', {}],
    ['64 pvh skylake fail records=all MACHINE', { serial => [log_of(@failed)] }],
    ['64 pvh skylake error MACHINE', { serial => [log_of(@error)] }],
    ['64 pvh skylake pass MACHINE', { serial => [map { "\e[2J$_\r" } log_of(@one)] }],

    # ---- the verdict
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@failed)] }, 'verdict fail, expected pass', 'not ok: bts.one'],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@error)] }, 'verdict error, expected pass', 'not ok: bts.one'],
    ['64 pvh skylake fail MACHINE', {}, 'verdict pass, expected fail'],
    ['64 pvh skylake panic MACHINE', { serial => ['# begin dstest86 0.1.0 abc 64', '# end dstest86 verdict=panic'], violations => [] }],
    ['64 pvh skylake pass MACHINE', { serial => ['# begin dstest86 0.1.0 abc 64', '# end dstest86 verdict=panic'], violations => [] },
        'verdict panic, expected pass'],
    ['64 pvh skylake pass MACHINE', { status => 35 }, "QEMU's exit status 35 says fail, the log says pass"],
    ['64 pvh skylake pass MACHINE', { status => 1 }, "QEMU's exit status 1 is no verdict"],
    ['64 pvh skylake pass MACHINE', { status => 0 }, "QEMU's exit status 0 is no verdict"],
    ['64 pvh skylake pass MACHINE', { ending => 'kill -SEGV $$' }, "QEMU's exit status 139 is no verdict"],
    ['64 pvh skylake pass exit=none MACHINE', { status => 0 }],
    ['64 pvh skylake fail exit=none MACHINE', { status => 0 }, 'verdict pass, expected fail'],
    ['64 pvh skylake pass exit=none MACHINE', { status => 1 }, "QEMU's exit status 1 is no verdict"],
    ['64 pvh skylake pass exit=none MACHINE', { status => 35 }, "QEMU's exit status 35 says fail, the log says pass"],

    ['64 pvh skylake incomplete MACHINE', { serial => [log_of(@untested)] }],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@untested)] }, 'verdict incomplete, expected pass'],

    # ---- what differs from the typical
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@differs)] }, 'differs bts.one: as said above'],
    ['64 pvh skylake pass latitude=5 MACHINE', { serial => [log_of(@differs)] }],
    ['64 pvh skylake fail latitude=5 MACHINE', { serial => [log_of(@differs)] }, 'verdict pass, expected fail'],
    ['64 pvh none pass MACHINE', { serial => [log_of(@differs)], violations => undef }],

    # ---- the log
    ['64 pvh skylake pass MACHINE', { serial => [grep { !/^# end/ } log_of(@one)], status => 33 },
        'the line "# end" is there 0 times, not once', '"# end" says differs=nothing, counted 0',
        '"# end" says error=nothing, counted 0',
        '"# end" says fail=nothing, counted 0', '"# end" says pass=nothing, counted 2', '"# end" says skip=nothing, counted 0',
        "QEMU's exit status 33 says pass, the log says nothing", 'verdict none, expected pass'],
    ['64 pvh skylake pass MACHINE', { serial => ['BdsDxe: failed'], violations => [], status => 33 },
        'no "# begin dstest86" line', "QEMU's exit status 33 says pass, the log says nothing", 'verdict none, expected pass'],
    ['64 pvh skylake pass MACHINE', { serial => [map { s/^1\.\.2/1..3/r } log_of(@one)] }, 'plan of 3, 2 reported'],
    ['32 pvh skylake pass MACHINE', {}, 'the 64-bit kernel started'],

    # ---- the required text, and what nobody asked for
    ['64 pvh skylake pass MACHINE ~ # test bts.two', {}, 'neither the log nor stderr holds "# test bts.two"'],
    ['64 pvh skylake pass MACHINE ~ lacks (it)', { stderr => ['dsmodel: QEMU lacks (it).'] }],
    ['64 pvh skylake pass MACHINE ~ lacks it', { stderr => ['dsmodel: QEMU lacks it', 'dsmodel: and more'] },
        'stderr: dsmodel: and more'],
    ['64 pvh skylake pass MACHINE', { stderr => ['dsmodel: QEMU lacks it'] }, 'stderr: dsmodel: QEMU lacks it'],

    # ---- the referee's report
    ['64 pvh skylake pass MACHINE', { violations => [] }, 'the referee did not say pmi-lost'],
    ['64 pvh skylake pass MACHINE', { violations => undef }, 'the model wrote no violations file'],
    ['64 pvh skylake pass MACHINE', { violations => [$lost, $other] }, $other],
    ['64 pvh skylake pass MACHINE', { violations => [$lost, 'a line'] }, 'a line'],
    ['64 pvh skylake pass MACHINE', { violations => [$lost, $lost =~ s/201000/201001/r] }, $lost =~ s/201000/201001/r],
    ['64 pvh skylake pass MACHINE', { violations => ['advice vcpu=0 rip=0x1 unaligned: an area [SDM]', $lost] }],
    ['64 pvh skylake pass MACHINE', { violations => [$lost =~ s/violation/advice/r] }, 'the referee did not say pmi-lost'],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@skipped)] }, $lost],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@skipped)], violations => [] }],
    ['64 pvh skylake fail MACHINE', { serial => [log_of('ok 1 bts.one', 'not ok 2 pmi.lost')] }],
    ['64 pvh skylake pass MACHINE', { serial => [log_of('ok 1 pmi.lost_not')] }, $lost],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@zeros)], violations => [$lost, $zero] }],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@zeros)], violations => [$lost, $zero, $zero] }],
    ['64 pvh skylake pass MACHINE', { serial => [log_of(@zeros)], violations => [$lost, $zero, $zero, $zero] }, $zero],
    ['64 pvh skylake pass MACHINE', { serial => [log_of('ok 1 forbidden.two')], violations => [$zero] },
        'the referee did not say lvt-masked'],
    ['64 pvh skylake pass MACHINE', { serial => [log_of('ok 1 forbidden.two')], violations => [$zero, $other] }],
    ['64 pvh skylake pass quirk=no_apic MACHINE', { violations => [$other] }],
    ['64 pvh none pass MACHINE', { violations => undef }],

    # ---- the truth
    ['64 pvh skylake pass records=all MACHINE', { truth => undef }, 'the model wrote no truth log'],
    ['64 pvh skylake pass records=all MACHINE', { truth => [$truth[0], $truth[1] =~ s/1256/1258/r] },
        'line 4 (bts.one): bts 0: to 0x201256, the truth is 0x201258'],
    ['64 pvh skylake pass records=all MACHINE', { truth => [$truth[0]] }, '1 bts records printed, the truth has 0'],
    ['64 pvh skylake pass MACHINE', { truth => [$truth[0]] }],
    ['64 pvh none pass records=all MACHINE', { truth => undef, violations => undef }],

    # ---- no end
    ['64 pvh skylake pass MACHINE', { ending => "exec sleep 100\n", serial => ['# begin dstest86 0.1.0 abc 64', 'here'] },
        'timed out after 1 seconds; the last line is: here'],
    ['64 pvh skylake pass MACHINE', { ending => "trap 'exit 33' TERM\nwhile :; do sleep 0.1; done\n" },
        'timed out after 1 seconds; the last line is: # end dstest86 verdict=pass pass=2 fail=0 skip=0 error=0 differs=0'],
    ['64 pvh skylake pass MACHINE', { ending => "trap '' TERM\nwhile :; do sleep 0.1; done\n", serial => [] },
        'timed out after 1 seconds; the last line is: none'],
    ['64 pvh skylake pass MACHINE', { ending => "sleep 1.7; exit 33\n" },
        'timed out after 1 seconds; the last line is: # end dstest86 verdict=pass pass=2 fail=0 skip=0 error=0 differs=0'],
    ['64 pvh skylake refused MACHINE ~ width', { @refused, ending => "trap 'exit 1' TERM\nwhile :; do sleep 0.1; done\n" },
        'timed out after 1 seconds; the last line is: none'],

    # ---- refusals
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 1 }],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 2 }],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 0 }, 'status 0, not a refusal'],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 33 }, 'status 33, not a refusal'],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, ending => 'kill -SEGV $$' }, 'status 139, not a refusal'],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 1, serial => ['SeaBIOS'] }, 'the machine started'],
    ['64 pvh skylake refused MACHINE ~ unknown route', { @refused, status => 1 },
        'the refusal does not hold "unknown route"'],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 1, stderr => [] }, '0 lines said why, not one',
        'the refusal does not hold "unknown width"'],
    ['64 pvh skylake refused MACHINE ~ unknown width', { @refused, status => 1, stderr => ['unknown width', 'usage'] },
        '2 lines said why, not one'],

    # ---- many problems
    ['64 pvh skylake pass MACHINE', { stderr => [1 .. 12] }, map { "stderr: $_" } 1 .. 12],
    ['64 pvh skylake pass MACHINE', { stderr => [1 .. 14] }, map({ "stderr: $_" } 1 .. 12), 'and 2 more'],
);

my $top = new_tree('boots');
my $cases = '';
for my $i (0 .. $#boots) {
    my ($line, $is) = @{$boots[$i]};
    machine($top, $i, files(%$is));
    $boots[$i][0] = $line =~ s/MACHINE/replay=$i/r;
    $cases .= "$boots[$i][0]\n";
}
write_file("$top/tests/qemu/cases", "# comment\n\n$cases");
write_file("$top/tests/qemu/violations", "# comment\n\npmi.lost pmi-lost\nforbidden.zero area-zero\n" .
    "forbidden.zero_too area-zero\nforbidden.two area-zero lvt-masked\n");
write_file("$top/build/test/old/serial", 'of the last run');

sub name_of { return $_[0] =~ s/ ~ .*//r }

# The names of the failed boots, each with its problems, from standard error.
sub problems
{
    my ($err) = @_;
    my (%problems, $name);
    for (split /\n/, $err) {
        if (m{^#   Failed boot: (.*replay=(\d+)) \(build/test/(\d+)-\d+-\w+-\w+\)$}) {
            $name = $1;
            push @{$problems{$name}}, "the folder has number $3" if $3 != $2 + 1;
        } else {
            push @{$problems{$name // 'before any'}}, s/^#   //r;
        }
    }
    return %problems;
}

my ($status, $out, $err) = script($top, 'boots', '-t', 1);
my %problems = problems($err);
for (@boots) {
    my ($line, $is, @wrong) = @$_;
    is_deeply($problems{name_of($line)} // [], \@wrong, $line . (@wrong ? ": $wrong[0]" : '')) or diag("@{$problems{name_of($line)} // []}");
}
is(scalar keys %problems, scalar(grep { @$_ > 2 } @boots), 'no other boot failed');
is(join('', grep { /^(?:not )?ok|^1\.\./ } map { "$_\n" } split /\n/, $out),
    '1..' . @boots . "\n" . join('', map { (@{$boots[$_]} > 2 ? 'not ok ' : 'ok ') . ($_ + 1) . ' - ' . name_of($boots[$_][0]) . "\n" } 0 .. $#boots),
    'the stream of results, in the order of the cases');
my @compared = grep { $boots[$_][0] =~ /records=all/ && $boots[$_][0] !~ / none / } 0 .. $#boots;
is(scalar(() = $out =~ /^# compared 1 bts and 0 pebs records and 0 lbr stacks with the truth$/mg), @compared,
    'what was compared is said, where it was');
is($status, 1, 'failures make the status 1');
ok(!-e "$top/build/test/old", 'the folders of the last run are gone');

($status, $out, $err) = script($top, 'boots', '-t', 60, 'replay=0 ');
is("$status $err", '0 ', 'a right boot alone: status 0');
like($out, qr/\A1\.\.1\nok 1 - 64 pvh skylake pass records=all replay=0\n/, '... and no other was run');
($status, $out, $err) = script($top, 'boots', '-s', 'replay=[01](?: |$)');
like($out, qr/\A1\.\.2\nok 1 - 64 pvh skylake pass records=all replay=0\n.*^ok 2 - 64 uefi skylake pass replay=1\n/ms, 'a sample of two routes is both');
($status, $out, $err) = script($top, 'boots', '-s', 'replay=[04](?: |$)');
like($out, qr/\A1\.\.1\nok 1 - 64 pvh skylake pass records=all replay=0\n/, '... and of one route and verdict the first');
($status, $out, $err) = script($top, 'boots', 'replay=none');
is("$out$err", "boots: no case matches 'replay=none'\n", 'no case matches');
isnt($status, 0, '... which is a failure');
for my $wrong (['-t', 0], ['-t', 'x'], ['-t', 'x1'], ['-t', '1x'], ['-x'], ['a', 'b']) {
    ($status, $out, $err) = script($top, 'boots', @$wrong);
    ok($status != 0 && $out eq '', "boots @$wrong is refused");
    like($err, qr/^usage: boots /m, '... with the usage');
}

# Who ends boots ends its machines.
machine($top, 'endless', files(ending => "echo \$\$ >pid\nexec sleep 100\n"));
write_file("$top/tests/qemu/cases", "64 pvh skylake pass replay=endless\n");
for my $signal ('TERM', 'INT', 'HUP') {
    my $pid_file = "$top/tests/qemu/machines/endless/pid";
    unlink $pid_file;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$top/out";
        exec "$top/scripts/boots" or die "boots: $!\n";
    }
    select undef, undef, undef, 0.1 until -s $pid_file;
    chomp(my $machine = read_file($pid_file));
    kill $signal, $pid;
    waitpid $pid, 0;
    is($? >> 8, 130, "SIG$signal ends boots");
    for (1 .. 100) {
        last if !kill 0, $machine;
        select undef, undef, undef, 0.1;
    }
    ok(!kill(0, $machine), '... and its machines');
}

# What scripts/machine is told.
for (['64 pvh skylake pass replay=0', '-r pvh -p skylake -d FOLDER -w 64 -o replay=0 --'],
    ['32 uefi core2 pass replay=0 -- -m 16 -smp 2', '-r uefi -p core2 -d FOLDER -o replay=0 -- -m 16 -smp 2'],
    ['32 pvh core2 pass quirk=one,two fault=three latitude=7:-four cores=E2P firmware=lvt records=all replay=0',
        '-r pvh -p core2 -d FOLDER -w 32 -o records=all replay=0 -q one,two -L 7:-four -c E2P -f three -b lvt --']) {
    my ($line, $told) = @$_;
    machine($top, '0-three', files());
    write_file("$top/tests/qemu/cases", "$line\n");
    script($top, 'boots');
    my ($arguments) = grep { -e } map { "$top/tests/qemu/machines/$_/arguments" } $line =~ /fault/ ? '0-three' : 0;
    is(read_file($arguments) =~ s/-d \S+/-d FOLDER/r, "$told\n", $line);
}
done_testing;
