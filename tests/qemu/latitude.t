#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# scripts/latitude must boot each machine with each seed, and tell false alarms from what only differs: machines are
# replayed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(new_tree write_file read_file machine script);
use Test::More;

my $top = new_tree('latitude');
write_file("$top/build/dsmodel.so", '');
write_file("$top/build/qemu-system-x86_64", <<'END');
#!/bin/sh
case "$*" in
*dsmodel.so,profile=list) printf '%s\n' 'old           32  the first' 'new           64  the second' ;;
esac
END
chmod 0755, "$top/build/qemu-system-x86_64";

sub lines { return join '', map { "$_\n" } @_ }

# A log of tests, "RESULT ID" each, whose reason is always the same, and its ending.
sub log_of
{
    my (@tests) = @_;
    my (@lines, @reasons, %count, %area);
    for (@tests) {
        my ($result, $id) = split;
        my ($number, $bad) = (scalar grep({ /ok / } @lines) + 1, $result =~ /fail|error/);
        push @lines, '# differs: typical' if $result eq 'differs';
        push @lines, ($bad ? 'not ' : '') . "ok $number $id" . ($result eq 'error' ? ' # ERROR no memory' : $result eq 'skip' ? ' # SKIP none' : '');
        push @reasons, "# $result $id: so" if $result =~ /differs|fail|error/;
        $count{$result}++;
        $area{$id =~ s/\..*//r}{$result}++;
    }
    my $verdict = $count{error} ? 'error' : $count{fail} ? 'fail' : 'pass';
    my @counts = qw(pass differs fail skip error);
    return (ending => 'exit ' . { pass => 33, fail => 35, error => 39 }->{$verdict} . "\n", stderr => '', violations => '',
        serial => lines('# begin dstest86 0.1.0 abc ' . 'WIDTH', '1..' . @tests, @lines, '# area pass differs fail skip error',
            map({ my $of = $_; join ' ', "# area $of", map { $area{$of}{$_} // 0 } @counts } sort keys %area), @reasons,
            map({ "# facility $_ not selected" } qw(bts pebs lbr)),
            join ' ', "# end dstest86 verdict=$verdict", map { "$_=" . ($count{$_} // 0) } @counts));
}

# What a machine does with a seed; without one with every seed that is not written down.
sub does
{
    my ($machine, @tests) = @_;
    my %is = log_of(@tests);
    my ($width) = $machine =~ /-(\d+)/;
    machine($top, $machine, %is, serial => $is{serial} =~ s/WIDTH/$width/r);
}

does('old-32', 'pass one.test', 'skip two.test');
does('new-32', 'pass one.test', 'pass two.test');
does('new-64', 'pass one.test', 'pass two.test');
machine($top, 'new-32', violations => "violation vcpu=0 rip=0x1 lvt-masked: LVTPC is masked [SDM]\n");

my ($status, $out, $err) = script($top, 'latitude');
is("$status $err", '0 ', 'no false alarm');
is($out, lines('1..6', 'ok 1 - old 32, seed 1', 'ok 2 - new 32, seed 1', 'ok 3 - new 64, seed 1', 'ok 4 - old 32, seed 2', 'ok 5 - new 32, seed 2',
        'ok 6 - new 64, seed 2', '# boots 6', '# boots without a false alarm 6', '# false alarms 0', '# tests that differ somewhere 0'),
    '... on each machine with each seed');
is(read_file("$top/tests/qemu/machines/old-32/arguments") =~ s/-d \S+/-d DIR/r, "-p old -w 32 -L 2 -d DIR -o timeout=60\n", 'what boots');
ok(-e "$top/build/latitude/new-64-2/serial", '... and what it leaves');

# ---- what is found
for (['new-64~2', 'fail one.test', 'differs two.test'], ['new-32~2', 'fail one.test', 'error two.test'], ['old-32~1', 'differs one.test']) {
    does(@$_);
}
($status, $out, $err) = script($top, 'latitude', '-n', 3);
is("$status $err", '1 ' . lines(map { "#   $_" } 'Failed boot: new 32, seed 2', 'verdict error, expected pass', 'not ok: one.test two.test',
        'Failed boot: new 64, seed 2', 'verdict fail, expected pass', 'not ok: one.test'), 'false alarms');
like($out, qr/^ok 4 - .*\nnot ok 5 - new 32, seed 2\nnot ok 6 - new 64, seed 2\nok 7 - /m, '... as lines that are not ok');
like($out, qr/^ok 9 - .*\n# one\.test: 2 times, first on new 32, seed 2\n# two\.test: 1 times, first on new 32, seed 2\n# boots 9\n/m, '... are counted by test');
like($out, qr/^# boots without a false alarm 7\n# false alarms 3\n# tests that differ somewhere 2\n\z/m, '... and all together');

does('old-32~8', 'pass one.test');
machine($top, 'old-32~8', ending => "exec sleep 100\n");
($status, $out, $err) = script($top, 'latitude', '-s', 8, '-n', 1, '-t', 1, 'old');
like($err, qr/^#   Failed boot: old 32, seed 8\n#   timed out after 1 seconds; /, 'a machine that never ends');
like($out, qr/\A1\.\.1\nnot ok 1 - old 32, seed 8\n/, '... alone, by its name and its seed');

# ---- options
($status, $out, $err) = script($top, 'latitude', '-d', "$top/elsewhere", '-n', 1, '-s', 3, '-j', 1, 'new 64');
is("$status $err", '0 ', 'another folder, one machine at a time');
ok(-e "$top/elsewhere/new-64-3/serial", '... which has what the boot left');
($status, $out, $err) = script($top, 'latitude', 'newer');
is("$out$err", "latitude: no machine matches 'newer'\n", 'no machine matches');
isnt($status, 0, '... which is a failure');
for my $wrong (['-x'], ['a', 'b'], ['-n', 0], ['-n', 'x'], ['-n', '1x'], ['-s', -1], ['-j', 0], ['-t', 0]) {
    ($status, $out, $err) = script($top, 'latitude', @$wrong);
    ok($status != 0 && $out eq '', "latitude @$wrong is refused");
    like($err, qr/^usage: latitude /m, '... with the usage');
}
done_testing;
