#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The kernel's entry relies only on its contract (boot/boot_info.h): all tests pass with garbage in every other register and
# with flags that no loader sets. And option gdbwait waits for a debugger. Speaks gdb's remote protocol to QEMU ("GDB Remote
# Serial Protocol" in gdb's manual).
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use IO::Socket::UNIX;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(address_of);
use KernelLog qw(verdict_of_status);
use Machine;
use Test::More;

my $seconds = 120;
my $folder = tempdir(CLEANUP => 1);

# A machine that is stopped before its first instruction, and the connection to it.
sub machine
{
    my ($width, @arguments) = @_;
    my $socket = "$folder/gdb";
    unlink $socket;
    my $machine = Machine->start($seconds, $folder, '-w', $width, @arguments, '--', '-S', '-gdb', 'chardev:gdb', '-chardev',
        "socket,id=gdb,path=$socket,server=on,wait=off");
    return ($machine, IO::Socket::UNIX->new($socket) // die "entry.t: $socket: $!\n");
}

sub ask
{
    my ($gdb, $packet) = @_;
    my $sum = 0;
    $sum += ord for split //, $packet;
    syswrite $gdb, sprintf '$%s#%02x', $packet, $sum & 0xff;
    my $answer = '';
    while ($answer !~ /\$[^#]*#../) {
        sysread($gdb, $answer, 4096, length $answer) or return '';
    }
    syswrite $gdb, '+';
    return $answer =~ /\$([^#]*)#/ ? $1 : '';
}

# Lets a machine run to its end. Returns its verdict and its log.
sub end_of
{
    my ($machine) = @_;
    select undef, undef, undef, 0.1 until $machine->has_ended;
    my $status = $? >> 8;
    return (verdict_of_status($status) // "status $status", $machine->log);
}

# QEMU's numbers: RAX RBX RCX RDX RSI RDI RBP RSP, and 17 for EFLAGS. The contract defines EAX and EBX.
my @spoiled = (2 .. 7);
my $flags = 0x244cd7;    # NT, DF, AC, ID and the arithmetic flags set; TF, IF, VM and IOPL 0

for my $width (64, 32) {
    my ($machine, $gdb) = machine($width, '-p', 'none', '-o', 'run=selftest.robust.*,selftest.string');
    my $entry = sprintf '%x', address_of($width, 'entry32');
    is(ask($gdb, "Z1,$entry,1"), 'OK', "$width bits: a breakpoint at the entry");
    like(ask($gdb, 'c'), qr/^T05/, "$width bits: the breakpoint is reached");
    is(join(' ', map { ask($gdb, sprintf 'P%x=dec0ad%02x00000000', $_, $_) } @spoiled),
        join(' ', ('OK') x @spoiled), "$width bits: garbage is written to the registers");
    is(ask($gdb, sprintf 'P11=%s', unpack 'H8', pack 'V', $flags), 'OK', "$width bits: unusual flags are written");
    ask($gdb, "z1,$entry,1");
    is(ask($gdb, 'D'), 'OK', "$width bits: the debugger detaches");
    close $gdb;
    my ($verdict, $log) = end_of($machine);
    my @lines = split /\r?\n/, $log;
    is($verdict, 'pass', "$width bits: the run passes") or diag $log;
    is("$lines[0]", '', "$width bits: the log begins with an empty line");
    like($lines[1] // '', qr/^# begin dstest86 \d+\.\d+\.\d+ \S+ $width$/, "$width bits: its second line names the kernel");
}

my ($machine, $gdb) = machine(64, '-p', 'none', '-o', 'gdbwait run=selftest.verdict.skip');
my $gdb_wait = sprintf '%x', address_of(64, 'gdb_wait');
my $loop = sprintf '%x', address_of(64, 'runner_run');
is(ask($gdb, "Z1,$loop,1"), 'OK', 'gdbwait: a breakpoint at the runner');
my $sum = ord 'c';
syswrite $gdb, sprintf '$c#%02x', $sum;
ok($machine->wait_for(qr/^# waiting for a debugger: set var gdb_wait = 0\r?$/m), 'gdbwait: the log says what to do');
my $reached = '';
vec(my $ready = '', fileno $gdb, 1) = 1;
while (select(my $now = $ready, undef, undef, 2)) {
    sysread $gdb, $reached, 4096, length $reached or last;
}
unlike($reached, qr/T05/, 'gdbwait: the runner is not reached');
syswrite $gdb, "\x03";
$reached = '';
until ($reached =~ /\$T02[^#]*#../) {
    sysread $gdb, $reached, 4096, length $reached or last;
}
is(ask($gdb, "M$gdb_wait,4:00000000"), 'OK', 'gdbwait: the debugger sets the variable');
like(ask($gdb, 'c'), qr/^T05/, 'gdbwait: the runner is reached');
ask($gdb, "z1,$loop,1");
ask($gdb, 'D');
close $gdb;
my ($verdict) = end_of($machine);
is($verdict, 'skip', 'gdbwait: the run ends');
done_testing();
