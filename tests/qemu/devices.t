#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# The kernel's writes to devices, in QEMU's trace: the 8259s, the 16550, the local APIC, the PIT, and the end of a run.
# The registers are those of Intel's data sheets of the 8259A (231468) and the 8254 (231164), of National
# Semiconductor's of the PC16550D, and of SDM Vol. 3A (253668-081), "Local APIC Register Address Map".
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# The verdict of a boot, and the kernel's writes, as "ADDRESS VALUE" in hexadecimal. Characters sent over the serial line are
# joined to one "text". QEMU's clock counts instructions, so that no timer is late on a busy host.
sub boot_traced
{
    my ($width, $options, @qemu) = @_;
    my ($verdict) = boot('-p', 'none', '-w', $width, '-o', "run=selftest.verdict.skip $options", '--', @qemu, '-icount',
        'shift=6,sleep=off',
        '-trace', 'memory_region_ops_write', '-D', "$folder/trace");
    open my $trace, '<', "$folder/trace" or die "devices.t: $folder/trace: $!\n";
    my $writes = join ', ', map { / addr 0x(\S+) value 0x(\S+) size/ ? "$1 $2" : () } <$trace>;
    $writes =~ s/^.*(?=\b21 ff, a1 ff, )//;    # the firmware's writes
    $writes =~ s/\b(?:([23][ef])8 \w+, ){8,}/text $1, /g;
    return ($verdict, $writes);
}

sub writes_are
{
    my ($name, $got, @want) = @_;
    my ($left, $at) = ($got, 0);
    for my $want (@want) {
        last if $left !~ s/^$want(?:, |$)//;
        $at++;
    }
    ok($at == @want && $left eq '', $name) or diag("after $at of ", scalar @want, ", wanted: ", $want[$at] // 'no more',
        "\ngot: $got");
}

my @pics = ('21 ff', 'a1 ff');    # every interrupt masked

# The scratch register holds two patterns; no interrupts; the divisor; 8 bits, no parity, 1 stop bit; FIFOs on and empty; DTR
# and RTS.
sub uart
{
    my ($base, $low, $high) = @_;
    return ("${base}f 5a", "${base}f a5", "${base}9 0", "${base}b 80", "${base}8 $low", "${base}9 $high", "${base}b 3",
        "${base}a 7",
        "${base}c 3", "text $base");
}

# Enabled, spurious interrupts at FFH; timer, thermal, performance, LINT0, LINT1 and error masked; the timer stopped; priorities
# from E0H on; LINT1 delivers NMIs, so that a hypervisor's monitor leaves a trace.
my @apic = ('fee000f0 1ff', map({ "fee003${_}0 10000" } 2 .. 7), 'fee00380 0', 'fee00080 d0', 'fee00360 400');

# One measurement: the timer at F0H counts down, bus clock / 128, while the clock is read, ACPI's power management timer.
my @measured = ('fee003e0 a', 'fee00320 f0', 'fee00380 ffffffff');
my @stopped = ('fee003e0 a', 'fee00320 100f0', 'fee00380 0');

# A test's time limit, from the APIC timer's count: QEMU's 1 GHz / 128.
sub timer_is
{
    my ($name, $writes, $limit) = @_;
    my ($count) = map { hex } $writes =~ /fee00320 f0, fee00380 (?!ffffffff)(\w+)/;
    my $want = $limit * 1e9 / 128;
    cmp_ok(abs(($count // 0) - $want), '<', $want / 100, "$name: $limit seconds");
}

# The watchdog's NMI: the last of the HPET's three comparators (one-shot, edge, 64 bits, upper half first), through input 23 of
# the I/O APIC. Entry 3EH there has delivery mode NMI while the timer is on, and is masked before and after.
my @nmi_on = ('fed00140 2e30', 'fed0014c \w+', 'fed00148 \w+', 'fed00140 2e34', 'fec00000 3e', 'fec00010 400');
my @nmi_off = ('fec00000 3e', 'fec00010 10000', 'fed00140 2e30');
# The trial: enable, without legacy routes; route to this processor; the NMI; disable.
my @nmi_tried = ('fed00010 1', 'fed00010 1', 'fec00000 1', 'fec00000 3e', 'fed00140 2e30', 'fec00000 3f', 'fec00010 0',
    @nmi_on,
    'fee00000 400', @nmi_off);

my @began = (@pics, uart('3f', 1, 0), @apic, 'text 3f', (@measured) x 3, @stopped, @nmi_tried, 'text 3f', 'fee003e0 a',
    'fee00320 f0',
    'fee00380 \w+', @nmi_on, @stopped, @nmi_off, 'text 3f',
    @stopped, 'text 3f');    # at the end of the run again: a panic can end a test that is still timed
for my $width (64, 32) {
    my ($verdict, $writes) = boot_traced($width, 'exit=none end=poweroff timeout=7');
    writes_are("$width bits: the last write powers off: PM1a control, sleep type 0, sleep enable", $writes,
        @began, '604 2000');
    is($verdict, 'status 0', "$width bits: the machine is off");
    timer_is("$width bits: timeout=7", $writes, 7);
    ($verdict, $writes) = boot_traced($width, '');
    writes_are("$width bits: the debug exit device gets the verdict skip", $writes, @began, 'f4 12');
    is($verdict, 'skip', "$width bits: QEMU's exit status is the verdict skip");
}

my ($verdict, $writes) = boot_traced(64, 'exit=none end=reboot');
writes_are('a full reset by the reset control register', $writes, @began, 'cf9 2', 'cf9 e');
is($verdict, 'status 0', '... resets');
for (['no reset register: reset by the keyboard controller', qw(-machine isapc -cpu pentium3 -m 64)],
    ['no keyboard controller, either: reset by a triple fault', qw(-machine microvm)]) {
    my ($name, @machine) = @$_;
    ($verdict, $writes) = boot_traced(32, 'exit=none end=reboot', @machine);
    writes_are($name, $writes =~ s/.*text 3f, (?=\w+ \w+, \w+ \w+, \w+ \w+$)//r, 'cf9 2', 'cf9 e', '64 fe');
    is($verdict, 'status 0', '... resets');
}

# Without ACPI the clock is channel 2 of the PIT, gate on, speaker off: mode 2, low and high byte, 65536, latched for reads.
my $latched = '(?:43 80, )+43 80';
($verdict, $writes) = boot_traced(64, '', '-machine', 'acpi=off');
writes_are('the PIT', $writes, @pics, uart('3f', 1, 0), @apic, '61 \w?[159d]', '43 b4', '42 0', '42 0', $latched,
    'text 3f',
    (@measured, $latched) x 3, @stopped, 'text 3f', 'fee003e0 a', 'fee00320 f0', 'fee00380 \w+', @stopped, 'text 3f',
    @stopped, $latched, 'text 3f', 'f4 12');

# Without a hypervisor, the kernel uses QEMU's exit device and power management only if the options say so.
($verdict, $writes) = boot_traced(64, 'end=reboot', '-cpu', 'max,-hypervisor');
writes_are('no hypervisor: a reset', $writes, @began, 'cf9 2', 'cf9 e');
($verdict, $writes) = boot_traced(64, 'exit=debug', '-cpu', 'max,-hypervisor');
writes_are('no hypervisor, exit=debug: the exit device', $writes, @began, 'f4 12');

# The other ports and divisors; a missing port gets only the pattern.
for ([1, 1200, '2f', 60], [2, 2400, '3e', 30], [3, 57600, '2e', 2]) {
    my ($port, $baud, $base, $divisor) = @$_;
    ($verdict, $writes) = boot_traced(64, "console=ttyS$port,$baud", ('-serial', 'null') x ($port + 1));
    like($writes, qr/^21 ff, a1 ff, @{[join ', ', uart($base, $divisor, 0)]}/, "ttyS$port at $baud baud");
}
($verdict, $writes) = boot_traced(64, 'console=ttyS1');
like($writes, qr/^21 ff, a1 ff, 2ff 5a, fee000f0 /, 'a missing COM2 gets only the pattern');
done_testing();
