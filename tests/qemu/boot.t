#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# What scripts/boot tells QEMU for each of its options, and what it refuses, in a tree whose path has a comma, which QEMU
# wants doubled. Whether machines start so is seen by tests/qemu/cases.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(write_file);
use Test::More;

my $top = realpath(tempdir(CLEANUP => 1)) . '/a,b';
my @built = (qw(dstest86-64.elf dstest86-32.elf firmware-64.elf firmware-32.elf BOOTX64.EFI BOOTIA32.EFI dstest86.iso dsmodel.so),
    map { ("toolchain/ovmf/${_}_CODE.fd", "toolchain/ovmf/${_}_VARS.fd") } qw(OVMF OVMF32 OVMF_NX OVMF32_NX OVMF_SECURE));
write_file("$top/build/$_", '') for @built;
write_file("$top/scripts/readme", '');
symlink "$FindBin::Bin/../../scripts/boot", "$top/scripts/boot" or die "boot: $!\n";
for my $system ('x86_64', 'i386') {
    write_file("$top/build/qemu-system-$system", "#!/bin/sh\nprintf '%s' $system\nprintf ' [%s]' \"\$@\"\nexit 77\n");
    chmod 0755, "$top/build/qemu-system-$system";
}

# The output of boot with B for the folder build/, BB where its comma is doubled; and its status.
sub boot
{
    my (@arguments) = @_;
    my $pid = open my $out, '-|';
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec "$top/scripts/boot", @arguments or die "boot: $!\n";
    }
    my $said = do { local $/; <$out> };
    close $out;
    my $doubled = $top =~ s/,/,,/gr;
    return ($said =~ s{\Q$top\E/build}{B}gr =~ s{\Q$doubled\E/build}{BB}gr, $? >> 8);
}

my $machine = '[-accel] [tcg] [-machine] [q35] [-cpu] [max] [-smp] [1] [-m] [256] [-nodefaults] [-no-user-config] ' .
    '[-no-reboot] [-display] [none] [-serial] [stdio] [-device] [isa-debug-exit,iobase=0xf4,iosize=4]';
my $model = '[-plugin] [BB/dsmodel.so,profile=skylake]';
my $disk = '[-drive] [if=none,id=disk,format=raw,snapshot=on,file=BB/dstest86.iso]';
my ($ovmf, $ovmf32) = map {
    "[-drive] [if=pflash,unit=0,format=raw,readonly=on,file=BB/toolchain/ovmf/${_}_CODE.fd] " .
        "[-drive] [if=pflash,unit=1,format=raw,snapshot=on,file=BB/toolchain/ovmf/${_}_VARS.fd]"
} 'OVMF', 'OVMF32';
my $guarded = '[-machine] [smm=on] [-global] [driver=cfi.pflash01,property=secure,value=on]';
my ($nx, $nx32, $secure) = map { "$guarded " . $ovmf =~ s/OVMF_/${_}_/gr } 'OVMF_NX', 'OVMF32_NX', 'OVMF_SECURE';
my ($cd, $stick, $hard) = ('[-device] [ide-cd,drive=disk]', '[-device] [qemu-xhci] [-device] [usb-storage,drive=disk,bootindex=0]',
    '[-device] [ide-hd,drive=disk]');

for (
    ['', "[-kernel] [B/dstest86-64.elf] [-append] [] $model"],
    ['-r pvh -w 64', "[-kernel] [B/dstest86-64.elf] [-append] [] $model"],
    ['-w 32', "[-kernel] [B/dstest86-32.elf] [-append] [] $model"],
    ['-o run=bts.*', "[-kernel] [B/dstest86-64.elf] [-append] [run=bts.*] $model"],
    ['-r uefi', "[-kernel] [B/BOOTX64.EFI] [-append] [] $ovmf $model"],
    ['-r uefi -w 32 -o list', "[-kernel] [B/BOOTX64.EFI] [-append] [width=32 list] $ovmf $model"],
    ['-r uefi32', "[-kernel] [B/BOOTIA32.EFI] [-append] [] $ovmf32 $model"],
    ['-r cd', "$cd $disk $ovmf $model"],
    ['-r cd32', "$cd $disk $ovmf32 $model"],
    ['-r usb', "$stick $disk $ovmf $model"],
    ['-r usb32', "$stick $disk $ovmf32 $model"],
    ['-r nx', "[-kernel] [B/BOOTX64.EFI] [-append] [] $nx $model"],
    ['-r nx32', "[-kernel] [B/BOOTIA32.EFI] [-append] [] $nx32 $model"],
    ['-r nx-usb', "$stick $disk $nx $model"],
    ['-r secure-cd', "$cd $disk $secure $model"],
    ['-r secure-usb', "$stick $disk $secure $model"],
    ['-r bios-cd', "$cd $disk $model"],
    ['-r bios-usb', "$stick $disk $model"],
    ['-r bios-disk', "$hard $disk $model"],
    ['-p none -d F -f x -l y -L 7', '[-kernel] [B/dstest86-64.elf] [-append] []'],
    ['-p alderlake -c E2P', '[-kernel] [B/dstest86-64.elf] [-append] [] [-plugin] [BB/dsmodel.so,profile=alderlake,cores=E2P]'],
    ['-p core2 -f x,y -l z -L 7:u,v -d F,D', '[-kernel] [B/dstest86-64.elf] [-append] [] ' .
        '[-plugin] [BB/dsmodel.so,profile=core2,truth=F,,D/truth,violations=F,,D/violations,quirk=z,latitude=7:u,,v,fault=x,,y]'],
    ['-b x2apic -p none -o list', '[-kernel] [B/firmware-64.elf] [-append] [list] [-device] [loader,file=BB/dstest86-64.elf] ' .
        '[-device] [loader,addr=0x2fff000,data=1,data-len=4]'],
    (map { my ($names, $mask) = @$_; ["-b $names -w 32", '[-kernel] [B/firmware-32.elf] [-append] [] [-device] ' .
        "[loader,file=BB/dstest86-32.elf] [-device] [loader,addr=0x2fff000,data=$mask,data-len=4] $model"] }
        ['lvt', 2], ['pending', 4], ['service', 8], ['device', 16], ['no_base', 32], ['no_fadt', 64], ['absent', 128],
        ['x2apic,no_fadt', 65]),
    ["-k $top/build/dsmodel.so", "[-kernel] [B/dsmodel.so] [-append] [] $model"],
    ["-r bios-disk -k $top/build/dsmodel.so", "$hard " . $disk =~ s/dstest86.iso/dsmodel.so/r . " $model"],
    ["-m $top/build/BOOTX64.EFI -p core2", '[-kernel] [B/dstest86-64.elf] [-append] [] [-plugin] [BB/BOOTX64.EFI,profile=core2]'],
    ['-- -m 16 -S', "[-kernel] [B/dstest86-64.elf] [-append] [] $model [-m] [16] [-S]"]) {
    my ($options, $told) = @$_;
    my ($said, $status) = boot(split ' ', $options);
    is($said, "x86_64 $machine $told", "boot $options");
    is($status, 77, "... has QEMU's status");
}
# KVM is asked what the host's processor has; there is no model then.
write_file("$top/scripts/kvm", "#!/bin/sh\necho host,pmu=on\necho kvm: no BTS >&2\n");
chmod 0755, "$top/scripts/kvm";
my $kvm = $machine =~ s/\[tcg\]/[kvm]/r =~ s/\[-cpu\] \[max\]/[-cpu] [host,pmu=on]/r;
is((boot('-a', 'kvm'))[0], "kvm: no BTS\nx86_64 $kvm [-kernel] [B/dstest86-64.elf] [-append] []", 'boot -a kvm');
is((boot(qw(-a kvm -p skylake -w 32 -o list)))[0], "kvm: no BTS\nx86_64 $kvm [-kernel] [B/dstest86-32.elf] [-append] [list]",
    'boot -a kvm plays no profile');
is((boot(qw(-a tcg)))[0], "x86_64 $machine [-kernel] [B/dstest86-64.elf] [-append] [] $model", 'boot -a tcg');
for (['-f', 'x'], ['-l', 'x'], ['-L', 'x'], ['-d', 'x'], ['-b', 'x'], ['-c', 'x'], ['-m', '/x']) {
    my ($of, $x) = @$_;
    is(join(' ', boot('-a', 'kvm', $of, $x)), "boot: -a kvm $of $x: there is no model on a real processor\n 2", "boot -a kvm $of is refused");
}
is(join(' ', boot(qw(-a hvf))), "boot: unknown accelerator 'hvf'; want tcg or kvm\n 2", 'boot -a hvf is refused');
write_file("$top/scripts/kvm", "#!/bin/sh\necho kvm: there is no /dev/kvm >&2\nexit 1\n");
is(join(' ', boot('-a', 'kvm')), "kvm: there is no /dev/kvm\n 2", 'boot -a kvm without KVM starts nothing');

like((boot('-s', 3))[0], qr/\[-smp\] \[3\]/, 'processors');
like((boot('-s', 999))[0], qr/\[-smp\] \[999\]/, 'many processors');
like((boot('-g', '-w', 32))[0], qr/^i386 /, 'gdb has its QEMU for 32 bits');
like((boot('-g', '-w', 64))[0], qr/^x86_64 /, '... and for 64');
like((boot('-g'))[0], qr/^x86_64 /, '... which is the default');

# The network's machine has no medium.
is((boot('-r', 'net', '-p', 'none'))[0], "x86_64 $machine $ovmf", 'boot -r net');

for (['-w 16', "unknown width '16'; want 32 or 64"],
    ['-r pxe', "unknown route 'pxe'; want one of: pvh uefi cd usb net uefi32 cd32 usb32 nx nx32 nx-usb secure-cd secure-usb bios-cd bios-usb bios-disk"],
    (map { ["-s $_", "-s: want a number of processors from 1 to 999, not '$_'"] } 0, 1000, 'x', '1x'),
    ['-r uefi -k other', "-k $ENV{PWD}/other: route uefi starts only the kernels inside the loader; use -r pvh"],
    ['-b x2apic,acpi', "-b: unknown 'acpi'; want some of: x2apic lvt pending service device no_base no_fadt absent"],
    ['-r usb -R', '-R writes to the image; give a copy of it as -k FILE'],
    ['-r net -o list', 'route net gets its loader and its options from a server; give none by -k, -w or -o'],
    ['-r net -w 32', 'route net gets its loader and its options from a server; give none by -k, -w or -o'],
    ['-b lvt -r cd', '-b lvt: firmware of route cd leaves what it leaves; use -r pvh'],
    ['-m /no/such.so', '-m /no/such.so: no such file'],
    ['-r bios-cd -k /no/such.iso', '-k /no/such.iso: no such file']) {
    my ($options, $complaint) = @$_;
    is(join(' ', boot(split ' ', $options)), "boot: $complaint\n 2", "boot $options is refused");
}
like((boot('-x'))[0], qr/^boot: usage: boot \[-r ROUTE\]/m, 'an option that there is not');
for my $missing (['dstest86-64.elf'], ['firmware-64.elf', '-b', 'lvt'], ['dsmodel.so'], ['qemu-system-x86_64'], ['BOOTX64.EFI', '-r', 'uefi'],
    ['toolchain/ovmf/OVMF_CODE.fd', '-r', 'uefi'], ['toolchain/ovmf/OVMF_VARS.fd', '-r', 'uefi'], ['dstest86.iso', '-r', 'cd']) {
    my ($file, @options) = @$missing;
    rename "$top/build/$file", "$top/away";
    is(join(' ', boot(@options)), "boot: build/$file is missing; run ./bootstrap, then make\n 2", "without build/$file");
    rename "$top/away", "$top/build/$file";
}
done_testing;
