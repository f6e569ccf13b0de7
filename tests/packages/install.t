#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The packages of build/deb on fresh Debians 12 and 13, each on its own disk: they install, their programs run, GRUB's menu has
# the entry, QEMU boots it from the disk, and removal leaves no file. Needs root.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(write_file);
use KernelLog qw(clean judge);

my $root = realpath("$FindBin::Bin/../..");
my $folder = tempdir(CLEANUP => 1);
my $tree = "$folder/tree";
my @packages = qw(dstest86 dsdump qemu-ds qemu-ds-bundled);
my @debs = (glob("$root/build/deb/{dstest86,dsdump,qemu-ds}_*.deb"), "$root/build/qemu-ds-bundled.deb");
my $start = 2048 * 512;    # of the partition, in bytes
my $entry = qr/^menuentry 'dstest86: /m;
my $probe = <<'END';
#!/bin/sh
case " $* " in
*" --target=device "* | *" -t device "*) echo /dev/sda1 ;;
*" --target=fs_uuid "* | *" -t fs_uuid "*) echo UUID ;;
*" --target=fs "* | *" -t fs "*) echo ext2 ;;
*" --target=partmap "* | *" -t partmap "*) echo msdos ;;
*" --target=hints_string "*) echo --hint-bios=hd0,msdos1 ;;
esac
END
my (@loops, @mounts);

die "install.t: needs root, to mount disks\n" if $>;
die "install.t: $_ is missing: run make deb deb-bundled\n" for grep { !-e } @debs;

# Runs a shell command; returns its output and status.
sub run
{
    my ($command) = @_;
    my $said = qx(($command) 2>&1);
    return ($said, $? >> 8);
}

sub must
{
    my ($command) = @_;
    my ($said, $status) = run($command);
    die "install.t: $command: $said\n" if $status;
    return $said =~ s/\n\z//r;
}

sub mounted
{
    my ($what) = @_;
    must("mount $what");
    push @mounts, $what =~ s/.* //r;
}

# Loop devices of the disk and of its partition, because not every kernel finds partitions on loop devices.
sub attach
{
    @loops = (must("losetup --show -f '$folder/disk'"));
    push @loops, must("losetup --show -f -o $start '$folder/disk'");
}

sub detach
{
    system 'umount', pop @mounts while @mounts;
    system 'losetup', '-d', pop @loops while @loops;
}
END { my $status = $?; detach(); $? = $status }
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);

# Runs a command in the fresh Debian; returns its output and status.
sub inside
{
    my ($command) = @_;
    return run("chroot $tree env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive " .
        join(' ', map { defined $ENV{$_} ? "$_='$ENV{$_}'" : () } qw(http_proxy https_proxy)) . " sh -c '$command'");
}

sub enter
{
    attach();
    mounted("$loops[1] $tree");
    mounted("--bind /$_ $tree/$_") for qw(proc sys dev dev/pts);
}

sub menu { return (inside('cat /boot/grub/grub.cfg'))[0] }

is system("dpkg-deb --fsys-tarfile $debs[0] | tar -xO ./usr/lib/dstest86/dstest86.iso | cmp - '$root/build/dstest86.iso'"), 0,
    'the image has the same bytes, although it was built elsewhere';
for my $suite (qw(bookworm trixie)) {
    mkdir $tree;
    must("rm -f '$folder/disk' && truncate -s 3G '$folder/disk' && echo '2048,,83,*' | sfdisk -q -X dos '$folder/disk'");
    attach();
    must("mkfs.ext2 -q $loops[1]");    # every GRUB can read ext2
    my $uuid = must("blkid -p -s UUID -o value $loops[1]");
    mounted("$loops[1] $tree");
    my ($said, $status) = run("mmdebstrap -q --variant=minbase --include=ca-certificates,grub2-common,grub-pc-bin $suite $tree");
    is $status, 0, "$suite: a fresh Debian" or diag $said;
    detach();
    enter();
    must("cp -L /etc/resolv.conf /etc/hosts $tree/etc/; cp @debs $tree/root/; for f in /etc/apt/apt.conf.d/*proxy*; do [ ! -f \$f ] || cp \$f $tree/etc/apt/apt.conf.d/; done");
    write_file("$tree/etc/default/grub", "GRUB_TIMEOUT=0\nGRUB_TERMINAL=console\nDSTEST86_OPTIONS=\"run=bts.* records=none\"\n");
    must("mkdir -p $tree/boot/grub");
    write_file("$tree/boot/grub/device.map", "(hd0) $loops[0]\n(hd1) $loops[1]\n");
    ($said, $status) = inside("grub-install --target=i386-pc --modules=part_msdos $loops[0]");
    is $status, 0, "$suite: GRUB is installed" or diag $said;
    # On loop devices grub-probe looks for their file. This replacement answers as it does for a disk.
    write_file("$tree/usr/sbin/grub-probe", $probe =~ s/UUID/$uuid/r);
    ($said, $status) = inside('grub-mkconfig -o /boot/grub/grub.cfg');
    is $status, 0, "$suite: GRUB has a menu" or diag $said;
    unlike menu(), $entry, "$suite: the menu has no entry yet";

    ($said, $status) = inside('apt-get update -qq && apt-get install -y -qq --no-install-recommends /root/*.deb');
    is $status, 0, "$suite: the packages are installed" or diag $said;
    like menu(), $entry, "$suite: GRUB's menu has the entry";
    like menu(), qr/^menuentry 'dstest86: [^}]*?^\s+search --no-floppy --fs-uuid --set=root .*\Q$uuid\E$/m, "$suite: the entry searches its disk by UUID";
    ($said, $status) = inside('grub-mkconfig');
    like $said, $entry, "$suite: grub-mkconfig reports the entry";
    ($said, $status) = inside('dsdump --help');
    like "$status $said", qr/^0 usage: dsdump /, "$suite: dsdump runs";
    ($said, $status) = inside('dpkg -L dsdump qemu-ds');
    like $said, qr{^/usr/share/man/man1/\Q$_\E\.1\.gz$}m, "$suite: the manual page of $_" for qw(dsdump qemu-ds);
    ($said) = inside('bash -c ". /usr/share/bash-completion/completions/dsdump; COMP_WORDS=(dsdump --sta); COMP_CWORD=1; _dsdump dsdump; echo \${COMPREPLY[@]}"');
    is $said, "--stats\n", "$suite: bash completes dsdump's options";
    ($said, $status) = inside('ls /usr/lib/dstest86/dstest86.py && /usr/lib/dstest86/ds-inspect');
    like "$status $said", qr{^2 /usr/lib/dstest86/dstest86\.py\nusage: ds-inspect }, "$suite: GDB's commands and their helper";
    ($said, $status) = inside('qemu-ds --list profiles');
    like "$status $said", qr/^0 .*^skylake /ms, "$suite: qemu-ds has a QEMU with the right plugin interface";
    ($said, $status) = inside('qemu-ds --profile haswell -display none -no-reboot -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4 ' .
        '-kernel /usr/lib/dstest86/dstest86-64.elf -append run=bts.calls </dev/null');
    like "$status $said", qr/^33 .*# end dstest86 verdict=pass/s, "$suite: qemu-ds boots dstest86";
    detach();

    my @lines = map { clean($_) } split /^/, (run("timeout 200 '$root/scripts/machine' boot -r bios-disk -p skylake -k '$folder/disk'"))[0];
    my (undef, $verdict, @wrong) = judge(\@lines);
    is $verdict, 'pass', "$suite: QEMU boots the entry from the disk" or diag join "\n", @lines;
    is "@wrong", '', "$suite: the log is complete";
    is scalar(grep({ /^# boot route multiboot2 GRUB / } @lines)), 1, "$suite: booted by its GRUB";
    is scalar(grep({ /^ok \d+ (?!bts\.)/ } @lines)), 0, "$suite: with the options of /etc/default/grub";

    enter();
    ($said, $status) = inside("apt-get purge -y -qq @packages");
    is $status, 0, "$suite: the packages are removed" or diag $said;
    unlike menu(), $entry, "$suite: GRUB's menu has lost the entry";
    ($said) = inside('cd / && ls -d usr/lib/dstest86 usr/share/dstest86 boot/dstest86 etc/grub.d/20_dstest86 usr/bin/dsdump usr/bin/qemu-ds 2>/dev/null');
    is $said, '', "$suite: removal leaves no file";
    detach();
}
done_testing;
