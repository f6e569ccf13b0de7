#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# scripts/run shows what a machine prints, and its exit status is the verdict, if there is one that log and QEMU agree on:
# machines are replayed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(new_tree write_file machine script);
use Test::More;

my $begin = '# begin dstest86 0.1.0 abc 64';
my @counts = qw(pass differs fail skip error);
my %line = (pass => 'ok 1 bts.one', fail => 'not ok 1 bts.one', skip => 'ok 1 bts.one # SKIP no DS', error => 'not ok 1 bts.one # ERROR no plan');
my %facility = (pass => 'pass 1 of 1', fail => 'fail 1 of 1', skip => 'none: no DS', error => 'fail 1 of 1', incomplete => 'untested: no APIC');
my %log;
for my $verdict (keys %facility) {
    my $result = $verdict eq 'incomplete' ? 'skip' : $verdict;
    my %count = map { $_ => $_ eq $result ? 1 : 0 } @counts;
    $log{$verdict} = [$begin, '1..1', $line{$result}, '# area pass differs fail skip error', "# area bts @count{@counts}",
        $result =~ /fail|error/ ? "# $result bts.one: bad" : (), "# facility bts $facility{$verdict}",
        '# facility pebs not selected', '# facility lbr not selected',
        join ' ', "# end dstest86 verdict=$verdict", map { "$_=$count{$_}" } qw(pass fail skip error differs)];
}
$log{panic} = [$begin, '# panic vector 8', '# end dstest86 verdict=panic'];

my $top = new_tree('run');

# What the script makes of these lines and of QEMU's end: its status, then its output, then its errors, each with a space.
sub run
{
    my ($lines, $ending, $stderr) = @_;
    machine($top, 'one', serial => join('', map { "$_\n" } @$lines), stderr => $stderr // '', ending => $ending);
    my ($status, $out, $err) = script($top, 'run', '-o', 'replay=one');
    return "$status $out $err";
}

sub shown { return join '', map { "$_\n" } @_ }

my %exit = (pass => [33, 0], fail => [35, 1], skip => [37, 77], error => [39, 99], panic => [41, 134], incomplete => [45, 3]);
for my $verdict (sort keys %exit) {
    my ($qemu, $status) = @{$exit{$verdict}};
    my $lines = $log{$verdict};
    is(run($lines, "exit $qemu\n"), "$status " . shown(@$lines) . ' ', "$verdict: status $status");
    is(run($lines, "exit 0\n"), "$status " . shown(@$lines) . ' ', "$verdict, and the machine is shut down: status $status");
    is(run($lines, "exit 1\n"), '2 ' . shown(@$lines) . " run: QEMU's exit status 1 does not stand for a verdict\n",
        "$verdict, and QEMU fails");
    is(run($lines, 'kill -SEGV $$'), '2 ' . shown(@$lines) . " run: QEMU's exit status 139 does not stand for a verdict\n",
        "$verdict, and QEMU crashes");
    my ($other, $said) = $verdict eq 'pass' ? (35, 'fail') : (33, 'pass');
    is(run($lines, "exit $other\n"), '2 ' . shown(@$lines) . " run: the log says $verdict, QEMU's exit status $other says $said\n",
        "$verdict, and QEMU says $said");
}

my @cut = @{$log{pass}}[0 .. 2];
is(run([@cut], "exit 33\n") =~ s/ run: .*//sr, '2 ' . shown(@cut), 'no verdict in the log, whatever QEMU says');
like(run([@cut], "exit 33\n"), qr/ run: the line "# end" is there 0 times, not once\n/, '... which is told');
is(run(['BdsDxe: failed'], "exit 0\n"), qq(2 BdsDxe: failed\n run: no "# begin dstest86" line\nrun: QEMU's exit status 0 does not stand for a verdict\n),
    'no kernel');
my @wrong = map { s/^1\.\.1/1..2/r } @{$log{pass}};
is(run(\@wrong, "exit 33\n"), '2 ' . shown(@wrong) . " run: plan of 2, 1 reported\n", 'a log that contradicts itself');
is(run([], "exit 2\n", "boot: unknown width '31'\n"), "2  boot: unknown width '31'\n", 'no machine: boot says why, and nobody else');
is(run([], "exit 1\n", "qemu: no such device\n"), "2  qemu: no such device\n", 'no machine: QEMU says why, and nobody else');
like(run([], "exit 0\n"), qr/^2  run: no "# begin dstest86" line\n/, 'a machine that says nothing');

is(run(["\e[2J\e[01;01HBdsDxe: starting\r", "\e[0m\r", @{$log{pass}}], "exit 33\n"), '0 ' . shown('BdsDxe: starting', @{$log{pass}}) . ' ',
    'no escape sequences, no empty lines');
my $start = time;
is(run(['dstest86: no kernel started; returning to the firmware'], "exec sleep 100\n"),
    "99 dstest86: no kernel started; returning to the firmware\n ", 'a loader that gives up: status 99, at once');
cmp_ok(time - $start, '<', 50, '... and without its machine, which would go on');

# A line is shown when it is there: this machine goes on when its first line has been read.
machine($top, 'one', serial => "$begin\n", stderr => '', ending => <<'END');
for _ in $(seq 100); do [ -e read ] && break; sleep 0.1; done
[ -e read ] && echo read
exit 41
END
open my $shown, '-|', "$top/scripts/run -o replay=one 2>&1" or die "run: $!\n";
is(scalar <$shown>, "$begin\n", 'a line is shown');
write_file("$top/tests/qemu/machines/one/read", '');
is(scalar <$shown>, "read\n", '... before the next one is there');
close $shown;

# QEMU stands still after an error of KVM's own. Another word on stderr ends nothing.
like(run([$begin], "exec sleep 100\n", "KVM internal error. Suberror: 1\nextra data[0]: 0x1\n"),
    qr/^99 \Q$begin\E\n KVM internal error\. Suberror: 1\nrun: KVM cannot go on with what this guest does: .* from a stick, or use the model \(without accel=kvm\)\n$/,
    'an error of KVM: status 99, at once');
is(run($log{pass}, "exit 33\n", "note: KVM internal error\n"), '0 ' . shown(@{$log{pass}}) . " note: KVM internal error\n",
    'what QEMU says on stderr is shown');
is(run($log{pass}, "printf cut >&2; exit 33\n"), '0 ' . shown(@{$log{pass}}) . ' cut', '... with and without the end of its line');

chmod 0644, "$top/scripts/boot";
like(join(' ', script($top, 'run')), qr{^2  .*run: \S+/boot: Permission denied$}ms, 'a boot that cannot be run');

# Replay.pm's trees are gone with who made them.
my $tree = qx($^X -I$FindBin::Bin -I$FindBin::Bin/../../scripts/lib -MReplay=new_tree -e 'print new_tree()');
ok($tree ne '' && !-e $tree, 'a tree of replayed machines is removed');
done_testing;
