#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# scripts/kvm says what KVM hands on before a machine starts, and a clear sentence where there is no KVM. Where /dev/kvm is,
# the kernel runs on it, and its verdict goes by what it found. Prints TAP.
use strict;
use warnings;
use FindBin;
use File::Temp qw(tempdir);
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(read_file write_file);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

# Runs a command: its status, its output and its errors.
sub told
{
    my (@command) = @_;
    my $pid = fork // die "kvm.t: fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$folder/out" or die "kvm.t: $!\n";
        open STDERR, '>', "$folder/err" or die "kvm.t: $!\n";
        exec @command or die "kvm.t: $command[0]: $!\n";
    }
    waitpid $pid, 0;
    return ($? >> 8, read_file("$folder/out"), read_file("$folder/err"));
}

sub kvm { return join '|', told("$FindBin::Bin/../../scripts/kvm", @_) }

is(kvm("$folder/kvm"), "1||kvm: there is no $folder/kvm: load the module kvm_intel; if it refuses, turn virtualization (VT-x) on in the " .
    "firmware, or nested virtualization where this virtual machine is started\n", 'no KVM');
is(kvm('/dev/null'), "1||kvm: /dev/null is not KVM: it does not tell the version of its interface\n", 'another device');
is(kvm($folder), "1||kvm: $folder: Is a directory\n", 'a folder');
SKIP: {
    skip 'root may open everything', 1 if $> == 0;
    write_file("$folder/closed", '');
    chmod 0, "$folder/closed";
    is(kvm("$folder/closed"), "1||kvm: $folder/closed: Permission denied: join the group kvm (usermod -aG kvm USER), then log in again\n",
        'KVM of others');
}

SKIP: {
    skip 'no /dev/kvm here that may be opened', 4 if !-r '/dev/kvm' || !-w _;
    my ($status, $cpu, $said) = told("$FindBin::Bin/../../scripts/kvm");
    is($status, 0, 'KVM answers');
    like($cpu, qr/^host,migratable=off,pmu=on(?:,lbr-fmt=0x[1-9a-f][0-9a-f]?)?$/, '... with a processor for QEMU');
    note($said);
    my $counters = $said !~ /no counters|its tests will be skipped/;
    my ($exit, $log, $errors) = told('timeout', 120, "$FindBin::Bin/../../scripts/run", '-a', 'kvm', '-o', 'run=ds.*,bts.*,pebs.*,lbr.* timeout=20');
    skip 'this processor has counters: what it makes of the tests is for its owner to read', 2 if $counters;
    is("$exit", 77, 'without counters all is skipped');
    like($log, qr/^# hypervisor \S.*\n(?:.*\n)*# facility lbr none: .*\n# code .*\n# end dstest86 verdict=skip pass=0 fail=0 skip=\d+ error=0 differs=0\n$/m,
        '... and the log says behind what');
}
done_testing;
