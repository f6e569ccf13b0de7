#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Options and commands of QEMU that the model does not support: the model refuses them with one sentence and a status, or the
# guest loses records, but never crashes.
use strict;
use warnings;
no warnings 'qw';    # QEMU's options have commas
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use IO::Handle;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file);
use Test::More;

my $build = realpath("$FindBin::Bin/../../build");
my $folder = tempdir(CLEANUP => 1);
my $seconds = 60;
my $plugin = ($build =~ s/,/,,/gr) . '/dsmodel.so';
my @kernel = ('-kernel', "$build/dstest86-64.elf", '-append');

# Starts QEMU with a monitor, and sends it the lines, a second apart. Returns its exit status and its standard error.
sub qemu
{
    my ($system, $commands, @words) = @_;
    pipe my $reader, my $writer or die "options.t: pipe: $!\n";
    my $pid = fork // die "options.t: fork: $!\n";
    if (!$pid) {
        close $writer;
        open STDIN, '<&', $reader or die "options.t: monitor: $!\n";
        open STDOUT, '>', "$folder/out" or die "options.t: $folder/out: $!\n";
        open STDERR, '>', "$folder/err" or die "options.t: $folder/err: $!\n";
        exec 'timeout', $seconds, "$build/qemu-system-$system", qw(-machine q35 -m 256 -nodefaults -no-user-config -no-reboot),
            qw(-display none -monitor stdio), @words;
        die "options.t: timeout: $!\n";
    }
    local $SIG{PIPE} = 'IGNORE';
    $writer->autoflush(1);
    for (@$commands) {
        sleep 1;
        print $writer "$_\n";
    }
    waitpid $pid, 0;
    return ($? >> 8, read_file("$folder/err"));
}

sub refused
{
    my ($name, $sentence, $system, @words) = @_;
    my ($status, $err) = qemu($system, [], @words);
    is("$status $err", "1 dsmodel: $sentence\n", $name);
}

# ---- a profile that contradicts -cpu --------------------------------------------------------------------------------
for (
    ['x86_64', 'qemu64,-lm', 'skylake', 'long mode'],
    ['x86_64', 'pentium3', 'skylake', 'long mode'],
    ['x86_64', '486', 'goldencove', 'MSRs'],
    ['x86_64', 'max,-msr', 'netburst', 'MSRs'],
    ['i386', '486', 'core-duo', 'MSRs'],
) {
    my ($system, $cpu, $profile, $feature) = @$_;
    refused("qemu-system-$system -cpu $cpu", "profile=$profile has $feature, and QEMU's -cpu lacks it: try -cpu max", $system,
        qw(-accel tcg -cpu), $cpu, '-plugin', "$plugin,profile=$profile");
}
refused($_->[0], "QEMU's $_->[0] is not supported with several processors: callbacks would get the number of the wrong processor; "
        . 'start QEMU without it', 'x86_64', @$_[1 .. $#$_], qw(-smp 2 -cpu max -plugin), "$plugin,profile=skylake")
    for ['-accel tcg,thread=single', qw(-accel tcg,thread=single)], ['-icount', qw(-accel tcg -icount shift=0)];
SKIP: {
    skip 'no KVM here', 1 if !-w '/dev/kvm' || (qemu('x86_64', ['quit'], qw(-accel kvm -cpu max)))[0] != 0;
    refused('-accel kvm', "this QEMU accelerator is not supported: start QEMU with -accel tcg", 'x86_64', qw(-accel kvm -cpu max -plugin), "$plugin,profile=skylake");
}

# ---- options that are supported -----------------------------------------------------------------------------------------------------
# QEMU's exit status encodes the guest's verdict: 33 is a pass.
my @guest = (qw(-cpu max -device isa-debug-exit,iobase=0xf4,iosize=4 -serial), "file:$folder/com1", '-plugin', "$plugin,profile=skylake");
for (['single', 1], ['multi', 2]) {
    my ($threads, $processors) = @$_;
    my ($status, $err) = qemu('x86_64', [], '-accel', "tcg,thread=$threads", '-smp', $processors, @guest, @kernel, 'run=bts.*,lbr.*,pebs.loads');
    is("$status $err", '33 ', "thread=$threads, processors: $processors");
}
my ($status, $err) = qemu('x86_64', ['device_add max-x86_64-cpu,socket-id=1,core-id=0,thread-id=0', 'cont'],
    qw(-accel tcg -S -smp 1,maxcpus=2,sockets=2), @guest, @kernel, 'run=bts.*,lbr.*');
is("$status $err", '33 ', 'a hot-plugged processor');

# The model's state does not migrate. The guest's tests may then fail, but it reaches a verdict. It stands meanwhile: it might end first.
($status, $err) = qemu('x86_64', ['stop', "migrate file:$folder/state", 'quit'], qw(-accel tcg), @guest, @kernel, '');
is("$status $err", '0 ', 'a guest is saved');
($status, $err) = qemu('x86_64', ['cont'], qw(-accel tcg -incoming), "file:$folder/state", @guest, @kernel, '');
like("$status $err", qr/^(?:33|35|37|39|45) $/, 'the guest continues in another QEMU');
done_testing();
