#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Stick.pm and KeptLog.pm: an image that is made here is read as what it is, memory with a kept log is as boot/kept_log.h has it,
# and a machine is left when it has said what was waited for. Machines are replayed.
use strict;
use warnings;
no warnings 'portable';    # sums have 64 bits
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use KeptLog qw(kept_log HEAD_SIZE);
use Replay qw(new_tree machine);
use Stick qw(copy_stick partition files run_mtools read_file write_file fsck);
use Test::More;
use Time::HiRes qw(time);

my $top = new_tree();

# ---- the stick
# A disk with a file system of 1.44 MB from block 64 on, in the second entry of its GPT.
my $fat = "$top/fat";
system("truncate -s 1474560 $fat && mformat -i $fat -f 1440 :: && mmd -i $fat ::/logs && printf one | mcopy -i $fat - ::/one.txt && " .
    "printf 'two\\r\\n' | mcopy -i $fat - ::/logs/two.log") == 0 or die "mtools failed\n";
my $system = read_file($fat);
my $disk = "$top/disk";
my $entry = "\0" x 32 . pack('Q<Q<', 64, 64 + 2879) . "\0" x 80;
write_file($disk, pack('a1024', 'x' x 512) . pack('a128', "\xff" x 128) . $entry . "\0" x (64 * 512 - 1024 - 256) . $system . 'behind it');
is(join(' ', partition(read_file($disk))), '32768 1474560', 'the partition');
my %files = files($disk);
is_deeply(\%files, { '/one.txt' => 'one', '/logs/two.log' => "two\r\n" }, 'the files');
like(run_mtools($disk, 'mdir', '-b', '::/'), qr{^::/one\.txt\r?$}m, 'what a command says');
{
    open my $silence, '>&', \*STDERR or die "STDERR: $!\n";
    open STDERR, '>', '/dev/null' or die "/dev/null: $!\n";
    ok(!eval { run_mtools($disk, 'mtype', '::/none'); 1 }, 'a command that fails');
    open STDERR, '>&', $silence or die "STDERR: $!\n";
}
is($@, "Stick: mtype ::/none: status 1\n", '... is said');
is(join('|', fsck($fat)), '', 'a file system without damage');
write_file($fat, substr($system, 0, 512) . "\xf0\xff\xff" . "\x05" x 16 . substr $system, 531);
isnt(join('|', fsck($fat)), '', '... and with');
unlike(join('|', fsck($fat)), qr/^fsck\.fat \d|\Q$fat\E: \d+ files|\n/, '... is told line by line');
ok(!eval { read_file("$top/none"); 1 }, 'a file that is not there');
is($@, "Stick: $top/none: No such file or directory\n", '... is said');
ok(!eval { write_file("$top/none/none", ''); 1 }, 'one that cannot be written');
is($@, "Stick: $top/none/none: No such file or directory\n", '... is said');

# ---- the kept log
# Sums are FNV-1a's: these of the texts are its authors' (http://www.isthe.com/chongo/tech/comp/fnv).
my $memory = kept_log("foobar");
is(length $memory, 0x100000, 'all of the memory');
my ($magic, $version, $size, $sequence, $sum) = unpack 'a8 V V Q< Q<', $memory;
is_deeply([$magic, $version, $size, $sequence], ['dst86log', 1, 0x100000, 0x1234], 'its head');
my @marks = map { [unpack 'V4 Q< Q<', $_] } unpack '(a32)6', substr $memory, 32;
is_deeply([map { [@$_[0 .. 4]] } @marks], [[7, 0, 0, 6, 0x85944171f73967e8], [6, 0, 0, 0, 0xcbf29ce484222325],
        map { ([0, 0, 0, 0, 0xcbf29ce484222325], [0, 0, 0, 0, 0]) } 1, 2], 'its marks: the text in the beginning, nothing at the ends');
is(substr($memory, HEAD_SIZE, 7), "foobar\0", 'the text');
is(HEAD_SIZE, 0x1000, '... behind the head');
like(substr($memory, 224, HEAD_SIZE - 224) . substr($memory, HEAD_SIZE + 6), qr/\A\0+\z/, '... and nothing else');
is((unpack 'V4', substr kept_log("one\ntwo\n"), 32)[2], 2, 'a text of two lines');
# FNV-1a by 16-bit parts, so that no product is too long.
sub fnv
{
    my @sum = (0x2325, 0x8422, 0x9ce4, 0xcbf2);
    for my $byte (unpack 'C*', $_[0]) {
        my @was = ($sum[0] ^ $byte, @sum[1 .. 3]);
        my @product = (map({ $was[$_] * 0x1b3 } 0 .. 3));    # the prime is 2**40 + 1b3h
        $product[2] += $was[0] << 8;
        $product[3] += $was[1] << 8;
        my $carry = 0;
        @sum = map { my $all = $_ + $carry; $carry = $all >> 16; $all & 0xffff } @product;
    }
    return $sum[3] << 48 | $sum[2] << 32 | $sum[1] << 16 | $sum[0];
}
is(fnv('foobar'), 0x85944171f73967e8, 'the sum as it is computed here');
is($sum, fnv(substr $memory, 0, 24), 'the sum of the head');
is($marks[$_][5], fnv(substr $memory, 32 + 32 * $_, 24), "the sum of mark $_") for 0, 1, 2, 4;
my $most = 0x100000 - 0x1000 - 2 * 0x8000;
is(length kept_log('x' x $most), 0x100000, 'a text that fits');
ok(!eval { kept_log('x' x ($most + 1)); 1 }, 'one that does not');
is($@, "KeptLog: the text has more than $most bytes\n", '... is said');

# ---- a machine
# What came, whether it came, and after how many seconds; in a process of its own, whose boot is Replay.pm's.
write_file("$top/tests/qemu/starts", <<'END');
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Stick qw(machine);
my ($until, $after) = splice @ARGV, 0, 2;
my ($said, $came) = machine(qr/$until/, $after, @ARGV);
print $came ? "came\n" : "never\n", $said;
END
sub starts
{
    my ($until, $after, $serial, $ending) = @_;
    machine($top, 'one', serial => $serial, stderr => '', ending => $ending);
    my $start = time;
    my $said = qx($^X $top/tests/qemu/starts '$until' $after -o replay=one);
    return ($said, time - $start);
}
my ($said, $seconds) = starts('two', 0, "\e[2Jone\n\e[0;37mtwo\n", "exec sleep 100\n");
is($said, "came\none\ntwo\n", 'a machine that says it, without escape sequences');
cmp_ok($seconds, '<', 50, '... is left');
($said) = starts('two', 0, "one\n", "exit 33\n");
is($said, "never\none\n", 'one that ends before');
($said) = starts('two', 3, "two\n", "sleep 0.3\necho three\nexec sleep 100\n");
is($said, "came\ntwo\nthree\n", 'one that is watched a while longer');
is(read_file("$top/tests/qemu/machines/one/arguments"), "-o replay=one\n", '... is started as it is told');
done_testing;
