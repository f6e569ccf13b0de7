#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Usage: stick.t        (environment kills=50 seed=2: 50 machines lose their power, at other moments)
#
# The kernel keeps its log in memory, and the loader writes it to the stick at the next start: the file equals the serial output,
# a log that cannot be written is reported, and a power loss at any moment does not damage the file system.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use IO::Handle;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use KeptLog qw(kept_log HEAD_SIZE);
use Stick qw(copy_stick partition files run_mtools read_file write_file fsck machine);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
my $stick = "$folder/stick";
my $kills = $ENV{kills} || 2;
srand($ENV{seed} || 1);

my @clock = qw(-rtc base=2026-01-02T03:04:05);
my $key = qr/press a key within 30 seconds to run the tests again\r\n/;
my $end = qr/^# end dstest86 .*\r\n/m;
my $logs = '/dstest86/logs/';

# Copies the stick's file system to a file.
sub file_system
{
    my $image = read_file($stick);
    write_file("$folder/esp", substr $image, (partition($image))[0], (partition($image))[1]);
    return "$folder/esp";
}

# The logs on the stick, NAME => bytes; and all other files.
sub logs
{
    my %all = files($stick);
    return map { s/^\Q$logs\E//r => $all{$_} } grep { /^\Q$logs/ } keys %all;
}

sub all_but_logs
{
    my %all = files($stick);
    return { map { $_ => $all{$_} } grep { !/^\Q$logs/ && !/options\.txt$|grub\.cfg$/ } keys %all };
}

# The files in this image that scripts/machine has changed, copied out of it.
sub options_of
{
    my ($image) = @_;
    write_file("$folder/image", $image);
    return map { write_file("$folder/$_", run_mtools("$folder/image", 'mtype', "::/dstest86/$_")); "$folder/$_" } qw(options.txt grub.cfg);
}

# Starts a machine from the stick with log=stick. It has $memory at 48 MiB, as if a kernel's log had outlasted a reset.
sub restarted
{
    my ($memory, $until, $after, @more) = @_;
    write_file("$folder/memory", $memory);
    return machine($until, $after, '-r', 'usb', '-R', '-k', $stick, '-p', 'none', '-o', 'log=stick exit=none run=nothing', @more,
        @clock, '-device', "loader,file=$folder/memory,addr=0x3000000,force-raw=on");
}

# ---- two starts --------------------------------------------------------------------------------------------------------
copy_stick($stick);
my $others = all_but_logs();
my ($said, $came) = machine($key, 0, '-r', 'usb', '-R', '-k', $stick, '-o', 'run=bts.calls,lbr.* log=stick exit=none', '--', @clock);
ok($came, 'the machine restarts by itself, and the loader saves the log') or diag $said;
my ($log) = $said =~ /^(# begin dstest86 .*?$end)/ms;
$log //= '';
my ($address) = $log =~ /^# log kept in 1024 KiB at 0x([0-9a-f]+), for the loader after a restart\r$/m;
ok($address, 'the log has the address where it is kept');
my ($signature) = $log =~ / signature 0x([0-9a-f]{8}) /;
my $name = "$signature-20260102-1.log";
my %logs = logs();
is_deeply([keys %logs], [$name], 'one file, named by signature, date and number');
ok($logs{$name} eq $log, 'the file equals the serial output') or diag $logs{$name};
my ($last) = $log =~ /^(# end .*)\r/m;
like($log, qr/^# log kept: the machine restarts in 10 seconds, and the loader saves the log\r\n\Q$last\E\r\n\z/m, 'the restart is announced');
is(($said =~ /^(dstest86: saving .*?)dstest86: press /ms)[0],
    "dstest86: saving the log of the previous run: " . length($log) . " bytes\r\n" .
        "dstest86: the log of the previous run is in \\dstest86\\logs\\$name\r\ndstest86: it ends with: $last\r\n", 'the loader reports what it wrote');
is(() = $said =~ /^# begin /mg, 1, 'the tests run only once');
is_deeply([fsck(file_system())], [], 'the file system is sound');
is_deeply(all_but_logs(), $others, 'no other file on the stick is changed');

# Firmware and kernel of 32 bits.
for (['usb32'], ['usb', '-w', 32]) {
    my ($route, @width) = @$_;
    copy_stick($stick);
    ($said, $came) = machine($key, 0, '-r', $route, '-R', '-k', $stick, @width, '-p', 'core2', '-o', 'run=bts.calls log=stick exit=none end=reboot');
    ($log) = $said =~ /^(# begin dstest86 .*?$end)/ms;
    is_deeply([values %{ { logs() } }], [$log], "the log by route $route @width") or diag $said;
    unlike($said, qr/the machine restarts in/, '... end=reboot: restarts without a delay');
}

# ---- logs that cannot be kept, at the first start ----------------------------------------------------------------------------
# With log=stick, a log that cannot be kept: loader and kernel say why, and the machine does not restart.
sub not_kept
{
    my ($what, $sentence, $route) = @_;
    my ($text) = machine($end, 0, '-r', $route, '-R', '-k', $stick, '-p', 'none', '-o', 'log=stick exit=none run=bts.calls');
    like($text, qr/^dstest86: the log will not be saved: \Q$sentence\E\r$/m, "$what: the loader says why") or diag $text;
    like($text, qr/^# loader: the log will not be saved: \Q$sentence\E\r\n(?:#.*\n)*# log not kept: the loader says why\r$/m, '... the kernel repeats it');
    unlike($text, qr/the machine restarts/, '... no restart');
    return $text =~ / signature 0x([0-9a-f]{8}) /;
}

copy_stick($stick);
not_kept('a CD', 'the boot volume is read-only', 'cd');
run_mtools($stick, 'mrd', "::$logs");
not_kept('no folder', 'the boot volume has no folder \dstest86\logs', 'usb');
write_file("$folder/logs", 'x');
run_mtools($stick, 'mcopy', "$folder/logs", '::/dstest86/logs');
not_kept('a file in its place', '\dstest86\logs on the boot volume is not a folder', 'usb');
copy_stick($stick);
my ($room) = run_mtools($stick, 'mdir', '::/') =~ /([0-9 ]+) bytes free/ or die "stick.t: mdir says no room\n";
write_file("$folder/fill", 'x' x (($room =~ tr/0-9//cdr) - 60000));
run_mtools($stick, 'mcopy', "$folder/fill", '::/fill');
my ($stock) = not_kept('a full stick', 'the boot volume has too little free space', 'usb');

# ---- memory at the second start ----------------------------------------------------------------------------------------------
my $text = join '', '# begin dstest86', (map { "\r\n# line $_ " . 'x' x ($_ % 71) } 1 .. 1500), "\r\n# end dstest86 verdict=pass\r\n";
my $memory = kept_log($text);

# With this memory, the loader prints the sentence, and the stick stays empty.
sub lost
{
    my ($what, $sentence, $damaged) = @_;
    my ($words) = restarted($damaged, $key, 0, '--');
    like($words, qr/^dstest86: \Q$sentence\E\r$/m, $what) or diag $words;
    is_deeply({ logs() }, {}, '... the stick stays empty');
    return;
}
lost('the stick is full now', 'the log of the previous run is lost: the boot volume has too little free space', $memory);
copy_stick($stick);
write_file("$folder/fill", 'x' x (($room =~ tr/0-9//cdr) - 67000));
run_mtools($stick, 'mcopy', "$folder/fill", '::/fill');
my ($shortened) = restarted($memory, $key, 0, '--');
like($shortened, qr/^dstest86: the boot volume has too little free space: the middle of the log is left out\r$/m, 'the stick has space for a part') or diag $shortened;
my ($part) = values %{ { logs() } };
my ($head, $left_out, $tail) = $part =~ /\A(.*\n)# log full: (\d+) lines are left out here\r\n(.*)\z/s;
ok(index($text, $head) == 0 && substr($text, -length $tail) eq $tail && length $tail > 32700, '... the file has the head and the last 32 KiB');
is($left_out, ($text =~ tr/\n//) - ("$head$tail" =~ tr/\n//), '... and the number of omitted lines');
copy_stick($stick);
substr(my $damaged = $memory, HEAD_SIZE + 1000, 1) ^= "\x01";
lost('one changed bit', 'the log of the previous run is lost: its memory at 0x3000000 was overwritten', $damaged);
lost('an empty log', 'the log of the previous run is empty: its kernel was not started, or stopped at once', kept_log(''));

# The stick has a note of a run, but its memory was cleared by the reset.
($said, $came) = machine($key, 0, '-r', 'usb', '-R', '-k', $stick, '-p', 'none', '-o', 'log=stick exit=none end=reboot run=bts.calls', '--', @clock,
    '-device', "loader,addr=0x$address,data=0,data-len=8");
like($said, qr/^dstest86: the log of the previous run is lost: the machine was switched off, or its firmware clears or uses the log's memory at a restart\r$/m,
    'a log that the reset destroyed is reported') or diag $said;
is_deeply({ logs() }, {}, '... no file is written');

write_file("$folder/old", "old\n");
run_mtools($stick, 'mcopy', "$folder/old", "::$logs$stock-20260102-$_.log") for 1 .. 11;
my %want = logs();
($said, $came) = restarted($memory, $key, 0, '--');
is_deeply({ logs() }, { %want, "$stock-20260102-12.log" => $text }, 'the next log gets the next number; the others are unchanged') or diag $said;

# ---- the power fails ---------------------------------------------------------------------------------------------------------------------
# States that firmware may leave and fsck.fat repairs without loss: the dirty bit, clusters of no file, two different FATs (the
# first is right), a long name whose file is not written yet.
my @harmless = (
    qr/^Dirty bit is set\. /, qr/^ *Automatically removing dirty bit\.$/,
    qr/^Reclaimed \d+ unused clusters? /,
    qr/^FATs differ but appear to be intact\.$/, qr/^ *Using first FAT\.$/,
    qr/^Orphaned long file name part /, qr/^ *Auto-deleting\.$/,
    qr/^Leaving filesystem unchanged\.$/, qr/^$/);

sub is_harmless
{
    my ($complaint) = @_;
    return grep { $complaint =~ $_ } @harmless;
}

sub judge
{
    my ($what) = @_;
    my @damage = grep { !is_harmless($_) } fsck("$folder/esp");
    return @damage ? "$what: @damage" : ();
}

# The log of one machine's writes has every moment: the power may fail after each sector. Replays it onto the stick that the
# machine started with, which has its options.
copy_stick($stick);
write_file("$folder/writes", '');
($said, $came) = restarted($memory, $key, 0, '-W', "$folder/writes", '--');
ok($came, 'a machine whose writes to the stick are logged') or diag $said;
my $after = read_file($stick);
my ($start, $length) = partition($after);

# QEMU's log has the format of Linux's drivers/md/dm-log-writes.c: one header block, then for each write a block with its first
# sector, count and flags, and its data.
my ($writes, $block, @sectors) = (read_file("$folder/writes"), 512);
for (my $at = $block; $at + $block <= length $writes;) {
    my ($sector, $count, $flags) = unpack 'Q<Q<Q<', substr $writes, $at, $block;
    $at += $block;
    next if $flags & 4;    # discarded: no data
    push @sectors, map { [$sector + $_, substr $writes, $at + $_ * $block, $block] } 0 .. $count - 1;
    $at += $count * $block;
}
cmp_ok(scalar @sectors, '>', length($text) / $block, '... writes all sectors of the log');
is_deeply([grep { $_ * $block < $start || $_ * $block >= $start + $length } map { $_->[0] } @sectors], [], '... and none outside the partition');

my (@damage, %seen, %states);
copy_stick($stick);
run_mtools($stick, 'mcopy', '-o', $_, '::/dstest86/') for options_of($after);
open my $disk, '+<:raw', $stick or die "stick.t: $stick: $!\n";
$disk->autoflush(1);
for my $moment (0 .. $#sectors) {
    my ($sector, $bytes) = @{ $sectors[$moment] };
    seek $disk, $sector * $block, 0;
    print $disk $bytes;
    next if $moment < $#sectors && index($text, $bytes) >= 0;    # the file's data, which fsck does not read
    my $now = file_system();
    $seen{$_}++ for grep { is_harmless($_) } fsck($now);
    push @damage, judge("after $moment sectors");
    my ($written) = values %{ { logs() } };
    $states{ !defined $written ? 'no file' : $written eq '' ? 'an empty file' : $written eq $text ? 'the log' : 'a file without all of it' }++;
}
close $disk;
is_deeply(\@damage, [], 'no damage after any of its ' . @sectors . ' sectors');
is(read_file($stick), $after, '... and the replayed stick equals the written one');
note "$_ $seen{$_} times" for sort keys %seen;
note "$_: after $states{$_} sectors" for sort keys %states;

# Machines that really lose their power.
@damage = ();
my $complete = 0;
for my $kill (1 .. $kills) {
    copy_stick($stick);
    restarted($memory, qr/saving the log/, rand 0.06, '--');
    file_system();
    push @damage, judge("kill $kill");
    my %left = logs();
    push @damage, "kill $kill: another file was changed" if !eq_hash(all_but_logs(), $others);
    $complete += grep { $_ eq $text } values %left;
}
is_deeply(\@damage, [], "$kills machines are killed during the write: no damage");
note "$complete of $kills had written their log";
done_testing();
