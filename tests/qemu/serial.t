#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Missing and stuck serial ports: the kernel abandons such a port and continues, and its verdict is QEMU's exit status.
# Serial ports that only an ACPI table, PCI or an option names: each port that answers gets the log.
use strict;
use warnings;
use Fcntl;
use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(mkfifo);
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(boot read_file write_file);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# A pipe that is not read. QEMU itself opens it for reading, too, so writes do not fail.
sub pipe_of
{
    my ($name, $full) = @_;
    my $path = "$folder/$name";
    mkfifo($path, 0600) or die "serial.t: $path: $!\n";
    sysopen my $pipe, $path, O_RDWR | O_NONBLOCK or die "serial.t: $path: $!\n";
    for my $block (4096, 1) {    # Linux rejects a block that does not fit as a whole
        1 while $full && syswrite $pipe, 'x' x $block;
    }
    return ($path, $pipe);
}

sub size_of
{
    my ($pipe) = @_;
    my ($size, $bytes) = 0;
    $size += $bytes while $bytes = sysread $pipe, my $text, 65536;
    return $size;
}

for my $width (64, 32) {
    my @common = ('-w', $width, '-p', 'skylake', '-o');
    my ($verdict, $log) = boot(@common, 'run=bts.*,robust.* console=ttyS1');
    is("$verdict '$log'", "pass ''", "$width bits: no UART at COM2's address");

    for (['no byte', 'run=bts.*,robust.*', 'pass'], ['a part', 'run=bts.*,robust.* records=all', 'pass'],
        ['no byte of a panic', 'run=selftest.exception.divide', 'panic']) {
        my ($takes, $options, $want) = @$_;
        my ($path, $pipe) = pipe_of("$takes-$width", $takes ne 'a part');
        ($verdict) = boot(@common, "$options console=ttyS1", '--', '-serial', "pipe:$path");
        is($verdict, $want, "$width bits: a UART that accepts $takes");
        my $size = size_of($pipe);
        ok($size > 60_000 && $size < 70_000, "... after $size bytes") if $takes eq 'a part';
    }
}

# ---- sources of serial ports ----------------------------------------------------------------------------------------
# QEMU's -acpitable takes a whole table and corrects its checksum. The offsets are those of Microsoft's documents "Serial Port
# Console Redirection Table (SPCR)" and "Microsoft Debug Port Table 2 (DBG2)".

sub table
{
    my ($signature, $revision, $rest) = @_;
    my $path = "$folder/$signature";
    my @head = ($signature, 36 + length $rest, $revision, 0, 'TESTED', 'DSTEST86', 1, 'TEST', 1);
    write_file($path, pack('a4 V C C a6 a8 V a4 V', @head) . $rest);
    return ('-acpitable', "file=$path");
}

# A generic address of space 0 (memory) or 1 (ports).
sub address
{
    my ($space, $base) = @_;
    return pack 'C C C C Q<', $space, $space ? (8, 0, 1) : (32, 0, 3), $base;
}

# Up to offset 80, or in revision 4 to 90: kind, address, speed, clock, exact speed.
sub spcr
{
    my ($revision, $address, $baud, $clock, $exact) = @_;
    my $rest = pack 'C x3 a12 x6 C x17 V', 0, $address, $baud, $clock // 0;
    $rest .= pack 'V v v a2', $exact // 0, 2, 88, '.' if $revision >= 4;
    return table('SPCR', $revision, $rest);
}

sub dbg2
{
    my ($kind, $address) = @_;
    return table('DBG2', 0, pack 'V V C v C v v v v v v x2 v v a12 V a2', 44, 1, 0, 40, 1, 2, 38, 0, 0, 0x8000, $kind, 22, 34, $address, 8, '.');
}

# Boots with a second port (chardev "second" of QEMU's options): the run passes, and its log has these lines about consoles.
# $ports get the log: both (the same), first, second or none.
sub consoles
{
    my ($name, $width, $options, $qemu, $lines, $ports) = @_;
    write_file("$folder/second", '');
    my ($verdict, $log) = boot('-w', $width, '-o', "run=bts.calls $options", '--', '-chardev', "file,id=second,path=$folder/second", @$qemu);
    my $second = read_file("$folder/second");
    my $said = join ', ', ($log || $second) =~ /^# console (.*?)\r?$/mg;
    is($verdict, 'pass', "$name: passes");
    ref $lines ? like($said, $lines, '... consoles') : is($said, $lines, '... consoles');
    my $whole = qr/^# end dstest86 verdict=pass/m;
    my @has = map { $_ eq '' ? 0 : $_ =~ $whole ? 1 : 'a part' } $log, $second;
    is("@has", { both => '1 1', first => '1 0', second => '0 1', none => '0 0' }->{$ports}, "... ports with the log: $ports");
    ok($log eq $second, '... the same log') if $ports eq 'both';
}

my @pci = ('-device', 'pci-serial,chardev=second');
my @com2 = qw(-serial chardev:second);
my $com1 = 'COM1 port 0x3f8: 115200 baud';
my $at_com2 = address(1, 0x2f8);
consoles("SPCR of revision $_", $_ & 1 ? 64 : 32, '', [@com2, spcr($_, $at_com2, 6)], "$com1, SPCR port 0x2f8: 57600 baud", 'both') for 1 .. 4;
for ([3, [7, 14745600], 115200, 'divisor 8'], [4, [7, 1843200, 38400], 38400, 'its own speed'], [4, [6, 0, 0], 57600, 'no clock']) {
    my ($revision, $rest, $baud, $name) = @$_;
    consoles("SPCR of revision $revision, $name", 64, '', [@com2, spcr($revision, $at_com2, @$rest)], "$com1, SPCR port 0x2f8: $baud baud", 'both');
}
consoles("SPCR with speed 0 keeps firmware's speed", 64, '', [@com2, spcr(2, $at_com2, 0)],
    qr/^\Q$com1\E, SPCR port 0x2f8: (?:\d+ baud|at firmware's speed)$/, 'both');
consoles('SPCR names COM1: at its speed', 64, '', [@com2, spcr(2, address(1, 0x3f8), 3)],
    'COM1 port 0x3f8: 9600 baud, SPCR port 0x3f8: listed above', 'first');
consoles('if an option names the ports, SPCR is ignored', 64, 'console=ttyS0', [@com2, spcr(2, $at_com2, 7)], $com1, 'first');

# Each names a missing device. QEMU has no UART in memory.
for ([address(1, 0x9000), 'port 0x9000: no UART answers there'], [address(1, 0xfffc), 'port 0xfffc: not all of its registers are below port 0x10000'],
    [address(0, 0xfe034000), 'mmio 0xfe034000 stride 4: no UART answers there'],
    [address(0, 0xfee00000), 'mmio 0xfee00000 stride 4: no UART answers there'],
    [address(0, 2 ** 33), "mmio 0x200000000 stride 4: not all of its registers are below 4 GiB, where the kernel's mapping ends"],
    [address(0, 0x300000), "mmio 0x300000 stride 4: the firmware's memory map has RAM there"],
    [address(0, 0x7000000), "mmio 0x7000000 stride 4: the firmware's memory map has RAM there"],
    [address(1, 0), 'port 0x0: firmware assigned no address'],
    [address(2, 0x2f8), 'port 0x2f8: its registers are neither memory nor I/O ports']) {
    my ($address, $name) = @$_;
    consoles("SPCR, $name", 64, '', [@com2, spcr(3, $address, 7, 48000000)], "$com1, SPCR $name", 'first');
    consoles("DBG2, $name", 32, '', [@com2, dbg2(0x12, $address)], "$com1, DBG2 $name", 'first');
}
consoles('DBG2 is ignored if SPCR has a console', 64, '', [@com2, dbg2(0, $at_com2), spcr(2, address(1, 0x9000), 7)],
    "$com1, SPCR port 0x9000: no UART answers there", 'first');
consoles('DBG2 alone', 64, '', [@com2, dbg2(0, $at_com2)], qr/^\Q$com1\E, DBG2 port 0x2f8: /, 'both');
consoles('DBG2 names a UART of another kind', 64, '', [@com2, dbg2(3, $at_com2)],
    "$com1, DBG2 port 0x2f8: not compatible with the 16550", 'first');

# QEMU's first UART, at another address.
my @no_com1 = ('-global', 'isa-serial.iobase=0x2c8');
for my $width (64, 32) {
    consoles("$width bits: without COM1, PCI's", $width, '', [@no_com1, @pci],
        qr/^COM1 port 0x3f8: no UART answers there, PCI 00:..\.0 port 0x[0-9a-f]+: 115200 baud$/, 'second');
    consoles("$width bits: no serial port at all", $width, '', \@no_com1, '', 'none');
    consoles("$width bits: a port that an option names", $width, 'console=0x2c8,9600', \@no_com1, 'option port 0x2c8: 9600 baud', 'first');
}
consoles("if COM1 answers, PCI's ports are ignored", 64, '', \@pci, $com1, 'first');
consoles('... unless an option names pci', 64, 'console=ttyS0 console=pci',
    ['-chardev', 'null,id=third', '-device', 'pci-serial-2x,chardev1=second,chardev2=third'],
    qr/^\Q$com1\E, PCI 00:..\.0 port 0x[0-9a-f]+: 115200 baud$/, 'both');
consoles('console=none: no serial port, and a verdict', 64, 'console=none', \@pci, '', 'none');
consoles('four ports that options name', 64, 'console=ttyS3 console=ttyS0 console=mmio32,0xfe034000,115200,48000000 console=0x2c8',
    ['-device', 'isa-serial,iobase=0x2c8,chardev=second'], "COM4 port 0x2e8: no UART answers there, $com1, " .
        'option mmio 0xfe034000 stride 4: no UART answers there, option port 0x2c8: 115200 baud', 'both');

# A stuck port is reported on the others, once.
{
    my ($path, $pipe) = pipe_of('stuck', 1);
    my ($verdict, $log) = boot('-o', 'run=bts.calls console=ttyS1 console=ttyS0', '--', '-serial', "pipe:$path");
    is($verdict, 'pass', 'one of two ports is stuck');
    is(join(' ', $log =~ /^# console COM2: (.*?)\r?$/mg), 'dropped, because it accepted no more characters', '... the other port reports it once');
    like($log, qr/^# begin .*^# end dstest86 verdict=pass/ms, '... and has the whole log');
}
done_testing;
