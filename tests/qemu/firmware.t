#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# Unusual firmware, made from OVMF by tests/qemu/strange_firmware.c: the loader starts the kernel, which reports what is missing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use File::Temp qw(tempdir);
use Files qw(boot_until write_file);
use Test::More;

my $build = "$FindBin::Bin/../../build";
my $work = tempdir(CLEANUP => 1);
my $image = "$work/image";
$ENV{PATH} .= ':/usr/sbin:/sbin';

# A stick with the strange firmware, its options, the loader and the loader's options.
sub make_stick
{
    my ($deeds, $options) = @_;
    unlink $image;
    system("mkfs.fat -C '$image' 4096 >/dev/null") and die "mkfs.fat\n";
    system('mmd', '-i', $image, map { "::/$_" } qw(EFI EFI/BOOT dstest86)) and die "mmd\n";
    write_file("$work/deeds.txt", $deeds);
    write_file("$work/options.txt", $options);
    for (["$build/strange-x64.efi", 'EFI/BOOT/BOOTX64.EFI'], ["$build/BOOTX64.EFI", 'loader.efi'], ["$work/deeds.txt", 'deeds.txt'],
        ["$work/options.txt", 'dstest86/options.txt']) {
        system('mcopy', '-i', $image, $_->[0], "::/$_->[1]") and die "mcopy: $_->[0]\n";
    }
}

sub boot
{
    my ($route, $profile, $deeds, $options, @qemu) = @_;
    make_stick($deeds, $options);
    return (boot_until(qr/^# end dstest86 .*\n|^strange firmware:.*\n/m, '-r', $route, '-p', $profile, '-k', $image, '--', @qemu))[0]
        =~ s/\r//gr;
}

my $log = boot('usb', 'skylake', 'f', 'run=bts.calls,pebs.loads');
like($log, qr/^# boot route uefi x64, (\d+) memory ranges$/m, 'memory in hundreds of pieces: the kernel starts');
my ($ranges) = $log =~ / (\d+) memory ranges$/m;
cmp_ok($ranges // 0, '>', 600, '... with all ranges');
like($log, qr/^# end dstest86 verdict=pass pass=2 /m, '... the tests pass');

$log = boot('usb', 'none', 'l', 'run=selftest.processors.*', '-smp', 2);
like($log, qr/^# low page 0x0$/m, 'nothing below 1 MiB is free: the kernel starts');
my $reason = "no usable page below 640 KiB for another processor's first instructions";
like($log, qr/^ok 1 selftest\.processors\.start # SKIP \Q$reason\E$/m, '... the log says why no other processor is started');
like($log, qr/^# end dstest86 verdict=pass pass=1 fail=0 skip=2 /m, '... the other tests run');
like(boot('usb', 'skylake', 'l', '', '-smp', 2), qr/^# end dstest86 verdict=pass /m, '... all tests pass');
like(boot('usb', 'skylake', 'l', 'run=selftest.quiesce.*', '-smp', 2), qr/^# end dstest86 verdict=pass pass=3 /m, '... the tests of quiesce pass');

$log = boot('usb', 'none', 'w', 'menu=4 run=ds.area.*');
like($log, qr/starts in 1 s.*^# end dstest86 verdict=skip /ms, 'a firmware watchdog shorter than the menu does not end the loader');

SKIP: {
    skip 'no OVMF with the memory attribute protocol here, which Debian 13 has', 1 if !-e "$build/toolchain/ovmf/OVMF_NX_CODE.fd";
    like(boot('nx-usb', 'none', 'n', 'run=ds.area.*'), qr/^# end dstest86 verdict=skip /m,
        'allocated pages are not executable: the loader makes the page that it needs executable');
    like(boot('nx-usb', 'skylake', 'nflw', 'run=bts.*', '-smp', 2), qr/^# end dstest86 verdict=pass /m, 'all oddities at once');
}
like(boot('usb', 'none', 'n', ''), qr/^strange firmware: Not Found$/m, 'the default OVMF has no memory attribute protocol');
done_testing();
