#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
#
# tests/bench/run must compute ratios and hold them against their bounds: machines are replayed that move clocks by what is
# written down.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(new_tree write_file read_file);
use Test::More;

my $top = new_tree();
make_path("$top/tests/bench");
symlink realpath("$FindBin::Bin/run"), "$top/tests/bench/run" or die "run: $!\n";
write_file("$top/build/$_", '') for 'branchy.elf', 'dstest86.iso';

# The clocks, of processor time and of the wall, are sums of hundredths of a second.
write_file("$top/Clocks.pm", <<'END' =~ s/TOP/$top/gr);
package Clocks;
use Time::HiRes;
sub now
{
    my ($clock) = @_;
    if ($clock eq 'wall' && open my $looks, '>>', 'TOP/looks') {
        print $looks "look\n";
    }
    open my $file, '<', "TOP/$clock" or return 0;
    my $sum = 0;
    $sum += $_ for <$file>;
    return $sum / 100;
}
# What is set is written down; the clock rings after a second if there is a file TOP/hurry.
BEGIN {
    *CORE::GLOBAL::alarm = sub {
        open my $file, '>>', 'TOP/alarms' or die "TOP/alarms: $!\n";
        print $file "$_[0]\n";
        return CORE::alarm($_[0] && -e 'TOP/hurry' ? 1 : 0);
    };
}
# The last two are the user's and the system's time of the processes that have ended.
BEGIN { *CORE::GLOBAL::times = sub { return (0, 0, now('processor') / 2, now('processor') / 2) } }
no warnings 'redefine';
*Time::HiRes::time = sub () { return now('wall') };
# The processor time of a machine that runs: at each look it is more by what stands in step.PID.
my %spent;
INIT { *main::spent_by = sub { return $spent{$_[0]} += now("step.$_[0]") } }
1;
END

# A machine takes what it is told to in $top/takes: "WHAT HUNDREDTHS.." for each round; by itself it takes 7.
my $machine = <<'END' =~ s/TOP/$top/r;
#!/bin/sh
cd TOP
given="$*"
next_of() # the next figure of a kind; the last one for ever
{
    figure=$(sed -n "s/^$1 \([0-9a-z]*\).*/\1/p" takes)
    sed "s/^$1 [0-9a-z]* \(.\)/$1 \1/" takes >takes.new && mv takes.new takes
}
say() # a line, and waits for the look at the clock that it is worth, two seconds at most
{
    looks=$(wc -l <looks)
    echo "$1"
    for _ in $(seq 200); do
        [ "$(wc -l <looks)" -eq "$looks" ] || break
        sleep 0.01
    done
}
END
write_file("$top/scripts/machine", $machine . <<'END');
given=${given#boot }
echo 7 >>wall
case $given in
*"-o list")
    next_of first
    echo "$figure" >>wall
    echo '# begin dstest86 0.1.0 abc 64'
    echo "$given" >>given
    exit 33 ;;
"-r uefi "*"-o run=quick records=1")
    next_of firmware
    echo "$figure" >>wall
    say 'dstest86: loader at 0x1'
    next_of quick
    echo "$figure" >>wall
    next_of verdict
    say "# end dstest86 verdict=$figure pass=1"
    echo "$given" >>given
    echo 100 >>wall
    exit 33 ;;
*"count=0 "*) figure=5 ;;
*"-d exec"*) next_of log ;;
*"-s 4 "*) mode=${given##*mode=} && next_of "four_${mode%% *}" ;;
*) mode=${given##*mode=} && next_of "${mode%% *}" ;;
esac
echo "$figure" >>processor
echo "$given" >>given
echo "told: $given"
next_of status
exit "$figure"
END
# Linux, whose four programs take as long as each other; what it takes besides is a second.
write_file("$top/build/qemu-system-x86_64", $machine . <<'END');
mode=${given##*MODE=}
case $given in
*"-d exec"*) next_of linux_log; echo "$figure" >step.$$; echo 300 >>processor ;;
*MODE=*-plugin* | *-plugin*MODE=*) next_of "linux_${mode%% *}" ;;
*MODE=*) next_of linux_plain ;;
*) echo 100 >>processor ;;
esac
case $given in
*"-d exec"*) [ "$figure" = 0 ] || exec sleep 100 ;;
*MODE=*)
    echo "$figure" >step.$$
    echo $((4 * figure + 100)) >>processor
    echo "$given" >>given
    for program in sort sha256sum gzip awk; do echo "@@ $program"; done
    echo '@@ -'
    next_of linux_done
    [ ! -e hurry ] || exec sleep 100
    [ "$figure" = 0 ] || echo '@@ done' ;;
esac
next_of linux_status
exit "$figure"
END
chmod 0755, map { "$top/$_" } 'scripts/machine', 'build/qemu-system-x86_64';

my %right = (plain => 100, idle => 104, count => 129, bts => 199, lbr => 139, pebs => 139, log => 25, first => 29, firmware => 200, quick => 299, verdict => 'pass',
    four_plain => 200, four_idle => 209, four_count => 259, four_bts => 398, four_lbr => 278, four_pebs => 278,
    status => 33, linux_plain => 100, linux_none => 104, linux_count => 129, linux_lbr => 139, linux_bts => 199,
    'linux_msr-1000' => 199, linux_100000 => 500, linux_1000 => 600, linux_100 => 700, linux_log => 0, linux_status => 0, linux_done => 1);

# The status and the output of a bench whose machines take so long.
sub bench
{
    my ($takes, @arguments) = @_;
    my %takes = (%right, %$takes);
    write_file("$top/takes", join '', map { "$_ $takes{$_}\n" } sort keys %takes);
    unlink glob("$top/step.*"), map { "$top/$_" } qw(processor wall given alarms);
    local $ENV{PERL5OPT} = "-I$top -MClocks";
    my $out = qx($top/tests/bench/run @arguments 2>&1);
    return ($? >> 8, $out);
}

my ($status, $out) = bench({}, '-n 1 -l 0');
is("$status\n$out", <<'END', 'each close to its bound');
0
240 million branches, 1 round, medians (lowest to highest)

what                                seconds  ratio to plain         at most
stock QEMU, no model                   1.00   1.00 (1.00 to 1.00)   
model attached, nothing enabled        1.04   1.04 (1.04 to 1.04)   1.05
one counter counts instructions        1.29   1.29 (1.29 to 1.29)   1.30
every branch into BTS                  1.99   1.99 (1.99 to 1.99)   2.00
LBR on                                 1.39   1.39 (1.39 to 1.39)   1.40
PEBS every 1000th instruction          1.39   1.39 (1.39 to 1.39)   1.40
-d exec,nochain -D /dev/null           0.20    4.0
(one run of 12 million branches, its ratio by the branch)

4 processors, of which one runs the loop

what                                seconds  ratio to plain         at most   to one processor       at most
stock QEMU, no model                   2.00   1.00 (1.00 to 1.00)   
model attached, nothing enabled        2.09   1.04 (1.04 to 1.04)   1.05      1.00 (1.00 to 1.00)    1.05
one counter counts instructions        2.59   1.29 (1.29 to 1.29)   1.30      1.00 (1.00 to 1.00)    1.05
every branch into BTS                  3.98   1.99 (1.99 to 1.99)   2.00      1.00 (1.00 to 1.00)    1.05
LBR on                                 2.78   1.39 (1.39 to 1.39)   1.40      1.00 (1.00 to 1.00)    1.05
PEBS every 1000th instruction          2.78   1.39 (1.39 to 1.39)   1.40      1.00 (1.00 to 1.00)    1.05

first kernel line through PVH: 0.290 s after what QEMU needs to start (at most 0.3)
ISO: 0.00 MB (at most 8)
quick tests under OVMF: verdict 2.99 s after the firmware's 2.07 s (at most 3)
END
like(read_file("$top/given"), qr{^-k \Q$top\E/build/branchy.elf -s 1 -p none -o mode=plain count=20 --$}m, 'stock QEMU is plain');
like(read_file("$top/given"), qr{^-k \S+ -s 1 -m \Q$top\E/build/dsmodel.so -p skylake -o mode=bts count=20 --$}m, 'and has the model in the other modes');
like(read_file("$top/given"), qr{^-k \S+ -s 1 -p none -o mode=plain count=0 --$}m, 'a guest that ends at once tells what QEMU needs to start');
is(scalar(() = read_file("$top/given") =~ /^-p none -o list$|^-r uefi /mg), 2, 'the first line and the quick tests, once each');
bench({}, '-n 1 -l 0 -p icelake');
like(read_file("$top/given"), qr{^-k \S+ -s 4 -m \S+ -p icelake -o mode=bts count=20 --$}m, '... of the processor that was asked for');

# On the bound is not over it; these fractions are exact.
($status, $out) = bench({ bts => 50, map { $_ => 25 } qw(plain idle count lbr pebs log) }, '-n 1 -l 0 -s 1');
is($status, 0, 'a mode on its bound');
like($out, qr/^every branch into BTS +0\.50 +2\.00 \(2\.00 to 2\.00\) +2\.00$/m, '... and no further');

# Each a little beyond its bound.
for my $mode (qw(idle count bts lbr pebs)) {
    ($status, $out) = bench({ $mode => $right{$mode} + 2 }, '-n 1 -l 0');
    my @over = $out =~ /^(.*OVER)$/mg;
    is("$status " . @over, '1 1', "$mode: over");
    my $ratio = sprintf '%.2f', ($right{$mode} + 2) / 100;
    like($over[0] // '', qr/ $ratio +$ratio \($ratio to $ratio\) +[\d.]+  OVER$/, '... which is said');
}
($status, $out) = bench({ first => 31 }, '-n 1 -l 0');
is($status, 1, 'the first line is late');
like(read_file("$top/given"), qr{^-r uefi -p skylake -o run=quick records=1$}m, 'the quick tests run through firmware, with the model');
($status, $out) = bench({ firmware => '300 300 900', quick => '302 100 301' }, '-n 3 -l 0');
is($status, 1, 'the quick tests are late in the middle one of three rounds');
like($out, qr/^quick tests under OVMF: verdict 3\.01 s after the firmware's 3\.07 s /m, '... which is said');
($status, $out) = bench({ verdict => 'fail' }, '-n 1 -l 0');
isnt($status, 0, 'the quick tests do not pass');
like($out, qr/^run: the quick tests did not pass$/m, '... which is told');
truncate "$top/build/dstest86.iso", 8_000_000;
is((bench({}, '-n 1 -l 0'))[0], 0, 'the image has 8 MB');
truncate "$top/build/dstest86.iso", 8_000_001;
($status, $out) = bench({}, '-n 1 -l 0');
is($status, 1, '... and more');
truncate "$top/build/dstest86.iso", 0;

# The median of all rounds counts, each by the plain QEMU of its own round.
($status, $out) = bench({ lbr => '160 150 100' }, '-n 3 -l 0');
is($status, 1, 'the middle one is over');
like($out, qr/^LBR on +1\.50 +1\.50 \(1\.00 to 1\.60\) +1\.40  OVER\?$/m, '... which is said, and that it may be noise');
like($out, qr/\n\nOVER\? may be noise: the low end of the ratio's range is within the bound\. More rounds will tell\.\n\z/, '... in words, too');
($status, $out) = bench({ lbr => '160 110' }, '-n 2 -l 0');
like($out, qr/^LBR on +1\.35 +1\.35 \(1\.10 to 1\.60\) +1\.40$/m, 'between the two in the middle');

# Several processors: their own plain QEMU, the same bounds, and not much more than with one.
($status, $out) = bench({ four_lbr => 282 }, '-n 1 -l 0');
is($status, 1, 'four processors are over');
like($out, qr/^LBR on +2\.82 +1\.41 \(1\.41 to 1\.41\) +1\.40 +1\.01 \(1\.01 to 1\.01\) +1\.05  OVER$/m, '... which is said');
($status, $out) = bench({ lbr => 100, four_lbr => 208 }, '-n 1 -l 0');
is($status, 0, 'four processors cost a little more than one');
($status, $out) = bench({ lbr => '130 100 100', four_lbr => '260 212 212' }, '-n 3 -l 0');
is($status, 1, '... and too much, in the middle one of three rounds');
like($out, qr/^LBR on +2\.12 +1\.06 \(1\.06 to 1\.30\) +1\.40 +1\.06 \(1\.00 to 1\.06\) +1\.05  OVER\?$/m, '... which is said, and that it may be noise');
($status, $out) = bench({ four_plain => '200 208 208', lbr => 100, four_lbr => '208 208 240' }, '-n 3 -l 0');
like($out, qr/^LBR on +2\.08 .* 1\.04 \(1\.00 to 1\.15\) +1\.05$/m, '... beyond what plain QEMU does in the same round');
($status, $out) = bench({ lbr => 100, four_lbr => '300 282' }, '-n 3 -l 0');
like($out, qr/ 1\.41 \(1\.41 to 1\.50\) +1\.40 +1\.41 \(1\.41 to 1\.50\) +1\.05  OVER$/m, '... and too much for certain');
unlike($out, qr/OVER\?/, '... without a doubt');
($status, $out) = bench({ lbr => '100 100 141', four_lbr => '282 282 282' }, '-n 3 -l 0');
like($out, qr/ 1\.41 \(1\.41 to 1\.41\) +1\.40 +1\.41 \(1\.00 to 1\.41\) +1\.05  OVER$/m, '... one for certain, one perhaps');
unlike($out, qr/OVER\?/, '... which is for certain');

# With 6 rounds the lowest and the highest have 95 % between them; with 9 the second of each side (10 of 512 cases are beyond
# it), with 20 the sixth (21700 of 1048576).
for ([6, '1.10', '1.60'], [8, '1.10', '1.80'], [9, '1.20', '1.80'], [20, '1.60', '2.50']) {
    my ($rounds, $low, $high) = @$_;
    ($status, $out) = bench({ lbr => join ' ', map { 100 + 10 * $_ } reverse 1 .. $rounds }, "-n $rounds -l 0 -s 1 -m lbr");
    like($out, qr/^LBR on .* \(\Q$low\E to \Q$high\E\)/m, "$rounds rounds: where the median is with 95 % confidence");
    like($out, qr/ $rounds rounds, medians \(95 % confidence\)$/m, '... as is said');
}
($status, $out) = bench({}, '-n 1 -l 0 -s 1');
unlike($out, qr/one processor/, 'one processor, one table');

($status, $out) = bench({ status => 35 }, '-n 1 -l 0');
isnt($status, 0, 'a loop that fails');
like($out, qr/^run: mode plain ended with status 35:\ntold: /m, '... is told with what it said');
($status, $out) = bench({}, '-n 0 -l 0');
is("$status $out", '0 ', 'no rounds, no loop');
for my $wrong ('-n x', '-n 1x', '-l -1', '-s 0', '-s x', '-x', 'more') {
    ($status, $out) = bench({}, $wrong);
    ok($status != 0 && $out =~ /^usage: run /m, "run $wrong is refused");
}
# ---- Linux
write_file("$top/build/$_", '') for qw(linux/boot/vmlinuz-6 linux/usr/bin/busybox);
chmod 0755, "$top/build/linux/usr/bin/busybox";
($status, $out) = bench({}, '-n 0 -l 1');
is("$status$out", <<'END', 'each mode of Linux close to its bound');
0
Linux, 1 round, medians: seconds of plain QEMU, and ratios to it

what                               on to off      sort sha256sum      gzip       awk  programs   at most
stock QEMU, no model                    5.00      1.00      1.00      1.00      1.00      4.00   
model attached, nothing enabled         1.03      1.04      1.04      1.04      1.04      1.04   1.05
one counter counts instructions         1.23      1.29      1.29      1.29      1.29      1.29   1.30
LBR on                                  1.31      1.39      1.39      1.39      1.39      1.39   1.40
every branch into BTS                   1.79      1.99      1.99      1.99      1.99      1.99   2.00
PEBS every 1000th instruction           1.79      1.99      1.99      1.99      1.99      1.99   2.00
PEBS every 100000th, by the driver      4.20      5.00      5.00      5.00      5.00      5.00   
PEBS every 1000th, by the driver        5.00      6.00      6.00      6.00      6.00      6.00   
PEBS every 100th, by the driver         5.80      7.00      7.00      7.00      7.00      7.00   
-d exec,nochain -D /dev/null             3.0   no program: plain needs 1.0 s; waited for 20 times as long at most
END
my @given = split /\n/, read_file("$top/given");
is(scalar @given, 9, 'each mode once');
is(read_file("$top/alarms"), "600\n0\n" x 9, '... for ten minutes each');
my $linux = qr/^-accel tcg -machine q35 -m 1024 -nodefaults -no-user-config -no-reboot -display none -serial stdio -cpu Skylake-Client/;
like($given[0], qr/$linux -kernel \S+ -initrd \S+ -append console=ttyS0 .* MODE=none$/, 'stock QEMU runs the processor by its name');
like($given[4], qr/$linux -plugin \S+dsmodel.so,profile=skylake -kernel .* MODE=bts$/, '... and with the model in the other modes');
like($given[5], qr/ nokaslr no5lvl hugepages=16 MODE=msr-1000$/, '... with what msr-pebs needs');
bench({}, '-n 0 -l 1 -p core2');
like(read_file("$top/given"), qr/-cpu max -plugin \S+,profile=core2 /, '... a processor that QEMU does not know as max');
($status, $out) = bench({ map { ("linux_$_" => /bts|msr/ ? 50 : 25) } qw(plain none count lbr bts msr-1000 100000 1000 100) }, '-n 0 -l 1');
is($status, 0, 'Linux on its bound');
like($out, qr/^every branch into BTS .* 2\.00   2\.00$/m, '... and no further');
for my $mode (qw(none count lbr bts msr-1000)) {
    ($status, $out) = bench({ "linux_$mode" => $right{"linux_$mode"} + 2 }, '-n 0 -l 1');
    my @over = $out =~ /^(.*OVER)$/mg;
    is("$status " . @over, '1 1', "Linux, $mode: over");
    my $ratio = sprintf '%.2f', ($right{"linux_$mode"} + 2) / 100;
    like($over[0] // '', qr/ $ratio  +[\d.]+  OVER$/, '... which is said');
}
($status, $out) = bench({ plain => '100 200 100', lbr => '300 240 130 135 110', four_lbr => 240, linux_plain => '100 200 100', linux_lbr => '300 240 120' }, '');
is($status, 0, 'the middle one of five rounds of the loop, and of three of Linux');
like($out, qr/^240 million branches, 5 rounds, .*^stock QEMU, no model +1\.00 +1\.00 \(1\.00 to 1\.00\) /ms, '... seconds');
like($out, qr/^LBR on +1\.35 +1\.30 \(1\.10 to 3\.00\) +1\.40$/m, '... and ratios');
like($out, qr/^Linux, 3 rounds, .*^LBR on [^\n]* 1\.20   1\.40$/ms, '... of both');
($status, $out) = bench({ linux_lbr => '200 100 200' }, '-n 0 -l 3 -m lbr');
is($status, 1, 'Linux is over in two rounds of three');
like($out, qr/^LBR on .* 2\.00   1\.40  OVER\?\n\nOVER\? may be noise: /m, '... which may be noise');
my $start = time;
($status, $out) = bench({ linux_log => 100000 }, '-n 0 -l 1');
cmp_ok(time - $start, '<', 90, 'a Linux that would go on is killed');
like($out, qr/^-d exec\S+ -D \S+ +over 20   no program/m, 'a Linux that is logged too long is given up');
for my $failure ({ linux_status => 3 }, { linux_done => 0 }) {
    ($status, $out) = bench($failure, '-n 0 -l 1');
    isnt($status, 0, "Linux fails: @{[%$failure]}");
    like($out, qr/^run: Linux in mode plain failed:\n\@\@ sort\n/m, '... which is told with what it said');
}
($status, $out) = bench({ linux_status => '0 0 0 0 0 0 0 0 0 3' }, '-n 0 -l 1');
isnt($status, 0, 'Linux fails without programs');
like($out, qr/^run: Linux without programs ended with status 768$/m, '... which is told');
write_file("$top/hurry", '');
($status, $out) = bench({}, '-n 0 -l 1');
like($out, qr/^run: Linux in mode plain failed:\n/m, 'a Linux that hangs is killed');
unlink "$top/hurry";

# ---- two builds of the model
write_file("$top/before.so", '');
my %twice = (bts => '150 100 100 150', four_bts => '100 200 200 100', linux_lbr => '100 125 125 100');
$twice{$_} //= 100 for qw(idle count lbr pebs), map({ "four_$_" } qw(idle count lbr pebs)), map { "linux_$_" } qw(none count bts msr-1000);
($status, $out) = bench(\%twice, "-n 2 -l 2 -a $top/before.so");
is("$status\n$out", <<"END", 'two builds of the model');
0
times as long as with $top/before.so; the loop: 2 rounds, medians (lowest to highest); Linux: 2 rounds, medians (lowest to highest)

model attached, nothing enabled    loop                1.00 (1.00 to 1.00)
model attached, nothing enabled    loop, 4 processors  1.00 (1.00 to 1.00)
one counter counts instructions    loop                1.00 (1.00 to 1.00)
one counter counts instructions    loop, 4 processors  1.00 (1.00 to 1.00)
every branch into BTS              loop                1.50 (1.50 to 1.50)
every branch into BTS              loop, 4 processors  0.50 (0.50 to 0.50)
LBR on                             loop                1.00 (1.00 to 1.00)
LBR on                             loop, 4 processors  1.00 (1.00 to 1.00)
PEBS every 1000th instruction      loop                1.00 (1.00 to 1.00)
PEBS every 1000th instruction      loop, 4 processors  1.00 (1.00 to 1.00)
model attached, nothing enabled    Linux's programs    1.00 (1.00 to 1.00)
one counter counts instructions    Linux's programs    1.00 (1.00 to 1.00)
LBR on                             Linux's programs    0.80 (0.80 to 0.80)
every branch into BTS              Linux's programs    1.00 (1.00 to 1.00)
PEBS every 1000th instruction      Linux's programs    1.00 (1.00 to 1.00)
END
@given = split /\n/, read_file("$top/given");
is(join(' ', map { m{ -s 1 -m \S+/(\w+)\.so .*mode=bts } ? $1 : () } @given), 'dsmodel before before dsmodel',
    'each is the first in turns');
is(join(' ', map { m{-plugin \S+/(\w+)\.so,profile=skylake .*MODE=lbr$} ? $1 : () } @given), 'dsmodel before before dsmodel', '... in Linux, too');
is(scalar(grep { /-p none|mode=plain/ } @given), 0, 'and plain QEMU does not run');
($status, $out) = bench({ map { ($_ => 100) } keys %twice }, "-n 3 -l 0 -s 1 -a $top/before.so");
like($out, qr/; the loop: 3 rounds, .*; Linux: 0 rounds, /, 'the loop alone');
is(scalar(() = $out =~ / loop  /g), 5, '... with one processor alone');
unlike($out, qr/Linux's/, '... and no more');
($status, $out) = bench({ bts => '300 100 100 100 100 100' }, "-n 3 -l 0 -s 1 -a $top/before.so");
like($out, qr/^every branch into BTS +loop +1\.00 \(1\.00 to 3\.00\)$/m, 'the middle one of three rounds');
for my $file ("$top/none.so", $top) {
    ($status, $out) = bench({}, "-n 1 -l 0 -a $file");
    isnt($status, 0, "against $file");
    is($out, "run: -a $file is not a file; name another build's dsmodel.so\n", '... is refused');
}

# ---- some modes
($status, $out) = bench({}, '-n 1 -l 1 -m lbr,bts');
is("$status\n$out", <<'END', 'the modes that are named, and nothing else');
0
240 million branches, 1 round, medians (lowest to highest)

what                                seconds  ratio to plain         at most
stock QEMU, no model                   1.00   1.00 (1.00 to 1.00)   
every branch into BTS                  1.99   1.99 (1.99 to 1.99)   2.00
LBR on                                 1.39   1.39 (1.39 to 1.39)   1.40

4 processors, of which one runs the loop

what                                seconds  ratio to plain         at most   to one processor       at most
stock QEMU, no model                   2.00   1.00 (1.00 to 1.00)   
every branch into BTS                  3.98   1.99 (1.99 to 1.99)   2.00      1.00 (1.00 to 1.00)    1.05
LBR on                                 2.78   1.39 (1.39 to 1.39)   1.40      1.00 (1.00 to 1.00)    1.05

Linux, 1 round, medians: seconds of plain QEMU, and ratios to it

what                               on to off      sort sha256sum      gzip       awk  programs   at most
stock QEMU, no model                    5.00      1.00      1.00      1.00      1.00      4.00   
LBR on                                  1.31      1.39      1.39      1.39      1.39      1.39   1.40
every branch into BTS                   1.79      1.99      1.99      1.99      1.99      1.99   2.00
END
is(scalar(() = read_file("$top/given") =~ /^/mg), 9, '... runs, either');
for (['idle', 'idle', 'none'], ['count', 'count', 'count'], ['pebs', 'pebs', 'msr-1000'], ['driver', '', '100000 1000 100']) {
    my ($mode, $loop, $linux_modes) = @$_;
    bench({}, "-n 1 -l 1 -s 1 -m $mode");
    my $ran = read_file("$top/given");
    is(join(' ', grep { $_ ne 'plain' } $ran =~ / mode=(\w+)/g), $loop, "-m $mode: on the loop");
    my (undef, @linux_ran) = $ran =~ / MODE=(\S+)/g;    # plain is the first
    is("@linux_ran", $linux_modes, '... and in Linux');
}
bench({}, '-n 2 -l 2 -m lbr');
my $order = read_file("$top/given");
is(join(' ', $order =~ /-s (\d .*?mode=\w+)/g) =~ s/-.*?mode=//gr, '1 plain 4 plain 1 lbr 4 lbr 4 lbr 1 lbr 4 plain 1 plain',
    'each mode and each machine is the first in turns');
is(join(' ', $order =~ / MODE=(\w+)/g), 'none lbr lbr none', '... and in Linux');
($status, $out) = bench({ lbr => 142 }, '-n 1 -l 0 -s 1 -m lbr');
is($status, 1, 'one of them is over');
($status, $out) = bench({ map { ($_ => 100) } keys %twice }, "-n 1 -l 1 -s 1 -m lbr -a $top/before.so");
is(join('|', $out =~ /^(.*?)  +(?:loop|Linux)/mg), 'LBR on|LBR on', 'and two builds of the model');
for (['lbr,btx', 'btx'], ['LBR', 'LBR'], ['lbr,', ''], ["''", '']) {
    my ($modes, $wrong) = @$_;
    ($status, $out) = bench({}, "-n 1 -l 1 -m $modes");
    my $said = $modes eq "''" ? '' : $modes;
    isnt($status, 0, "-m $modes");
    is($out, "run: -m '$said': there is no mode '$wrong'; the modes are idle, count, bts, lbr, pebs and driver\n", '... is refused');
}

unlink "$top/build/linux/usr/bin/busybox";
($status, $out) = bench({}, "-n 0 -l 2 -a $top/before.so");
is("$status$out", "0times as long as with $top/before.so; the loop: 0 rounds, medians (lowest to highest); Linux: 0 rounds, medians (lowest to highest)\n\n",
    'two builds without a guest');
($status, $out) = bench({}, '-n 0 -l 1');
is("$status$out", "0\nLinux is left out: there is no build/linux, which ./bootstrap --linux fetches\n",
    'without Linux its half is left out');

# The processor time of a process, user's and system's, which Clocks.pm has replaced above.
my $spender = <<'END';
$| = 1;
1 while (times)[0] < 0.2;
-e '/proc/self/stat' while (times)[1] < 0.2;
my ($user, $system) = times;
print $user + $system, "\n";
sleep 100;
END
my $asker = <<'END';
BEGIN { *CORE::GLOBAL::exit = sub { die "the end\n" } }
my $script = shift;
@ARGV = qw(-n 0 -l 0);
do $script;
print spent_by($ENV{OF});
END
my $pid = open my $spends, '-|', $^X, '-e', $spender or die "perl: $!\n";
chomp(my $own = <$spends>);
local $ENV{OF} = $pid;
my $asked = qx($^X -e '@{[$asker =~ s/'/'\\''/gr]}' $FindBin::Bin/run);
kill 'KILL', $pid;
cmp_ok(abs($asked - $own), '<', 0.05, 'the processor time of a process') or diag("it says $own, asked $asked");
done_testing;
