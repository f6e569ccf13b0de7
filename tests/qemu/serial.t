#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# A missing or stuck serial port: the kernel gives the port up and goes on, and its verdict is QEMU's exit status. Prints TAP.
use strict;
use warnings;
use Fcntl;
use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(mkfifo);
use lib $FindBin::Bin;
use KernelLog qw(verdict_of_status);
use Test::More;

my $seconds = 60;
my $folder = tempdir(CLEANUP => 1);

# The kernel's verdict, from QEMU's exit status, and the output over COM1.
sub boot
{
    my (@arguments) = @_;
    my $pid = fork // die "serial.t: fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$folder/com1" or die "serial.t: $folder/com1: $!\n";
        exec 'timeout', $seconds, "$FindBin::Bin/boot", @arguments;
        die "serial.t: timeout: $!\n";
    }
    waitpid $pid, 0;
    open my $log, '<', "$folder/com1" or die "serial.t: $folder/com1: $!\n";
    local $/;
    return (verdict_of_status($? >> 8) // 'none', <$log> // '');
}

# A pipe that nobody reads. QEMU itself has it open for reading, so that writing is not an error.
sub pipe_of
{
    my ($name, $full) = @_;
    my $path = "$folder/$name";
    mkfifo($path, 0600) or die "serial.t: $path: $!\n";
    sysopen my $pipe, $path, O_RDWR | O_NONBLOCK or die "serial.t: $path: $!\n";
    for my $block (4096, 1) {    # the kernel takes no part of a block that does not fit
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

    my ($path, $pipe) = pipe_of("full-$width", 1);
    ($verdict, $log) = boot(@common, 'run=bts.*,robust.* console=ttyS1', '--', '-serial', "pipe:$path");
    is($verdict, 'pass', "$width bits: a UART that never takes a byte");

    ($path, $pipe) = pipe_of("fills-$width", 0);
    ($verdict, $log) = boot(@common, 'run=bts.*,robust.* records=all console=ttyS1', '--', '-serial', "pipe:$path");
    is($verdict, 'pass', "$width bits: a UART that takes no more");
    my $size = size_of($pipe);
    ok($size > 60_000 && $size < 70_000, "$width bits: $size bytes came before it");

    ($path, $pipe) = pipe_of("panic-$width", 1);
    ($verdict, $log) = boot(@common, 'run=selftest.exception.divide console=ttyS1', '--', '-serial', "pipe:$path");
    is($verdict, 'panic', "$width bits: a panic that nobody can be told of");
}
done_testing;
