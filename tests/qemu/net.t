#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Started by PXE: the loader and its options come from the TFTP server of QEMU's user network.
use strict;
use warnings;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Stick qw(write_file machine);
use Test::More;

my $server = tempdir(CLEANUP => 1);
copy("$FindBin::Bin/../../build/BOOTX64.EFI", $server) or die "net.t: BOOTX64.EFI: $!\n";
mkdir "$server/dstest86";
write_file("$server/dstest86/options.txt", "run=ds.area.*  # all other tests\nlog=stick exit=none\n");

my @network = ('-netdev', "user,id=net,tftp=$server,bootfile=BOOTX64.EFI", '-device', 'virtio-net-pci,netdev=net,romfile=,bootindex=0');
my ($said, $came) = machine(qr/^# end dstest86 .*\r\n/m, 0, qw(-r net -p none --), @network);
ok($came, 'the machine starts by PXE') or diag $said;
like($said, qr/^dstest86: .* options: run=ds\.area\.\* log=stick exit=none\r$/m, "... and reads the server's options");
like($said, qr/^# boot route uefi x64, /m, '... the kernel starts');
like($said, qr/^dstest86: the log will not be saved: the loader was not started from a volume \(a stick or a disk\)\r$/m, '... log=stick is refused with the reason');
done_testing();
