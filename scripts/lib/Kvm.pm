# SPDX-License-Identifier: MIT
# What KVM exposes of this host's processor. docs/kvm.md has the sources.
package Kvm;
use strict;
use warnings;
use Errno qw(ENOENT EACCES EPERM);

# linux/kvm.h
use constant { KVM_GET_API_VERSION => 0xae00, KVM_GET_SUPPORTED_CPUID => 0xc008ae05, KVM_GET_MSRS => 0xc008ae88 };
use constant { API_VERSION => 12, ENTRIES => 256, IA32_PERF_CAPABILITIES => 0x345 };

# The answers to CPUID that a guest may get: {leaf}{subleaf} => [EAX, EBX, ECX, EDX]; undef if KVM does not say.
sub supported_cpuid
{
    my ($kvm) = @_;
    my $buffer = pack 'L2 x' . 40 * ENTRIES, ENTRIES, 0;
    ioctl $kvm, KVM_GET_SUPPORTED_CPUID, $buffer or return;
    my %leaves;
    for my $i (0 .. unpack('L', $buffer) - 1) {
        my ($leaf, $subleaf, undef, @registers) = unpack 'L7', substr $buffer, 8 + 40 * $i, 40;
        $leaves{$leaf}{$subleaf} = \@registers;
    }
    return \%leaves;
}

# A feature MSR as a guest may see it; 0 if KVM does not expose it.
sub feature_msr
{
    my ($kvm, $index) = @_;
    my $buffer = pack 'L2 L2 Q', 1, 0, $index, 0, 0;
    my $read = ioctl $kvm, KVM_GET_MSRS, $buffer;
    return $read && $read == 1 ? (unpack 'L2 L2 Q', $buffer)[4] : 0;
}

# Why KVM exposes no counters although the processor has them, and what to change.
sub why_no_counters
{
    my ($sys) = @_;
    return "KVM exposes no counters on hybrid processors: boot dstest86 from a stick instead" if -e "$sys/devices/cpu_core";
    my $enabled = '';
    if (open my $file, '<', "$sys/module/kvm/parameters/enable_pmu") {
        chomp($enabled = <$file> // '');
    }
    return 'KVM exposes no counters because its parameter enable_pmu is N: unload kvm_intel and kvm, then modprobe kvm enable_pmu=1'
        if $enabled eq 'N';
    return 'KVM exposes no counters because this host has none; if it is a virtual machine, start it with a virtual PMU';
}

# What to do on a processor that is not Intel's.
use constant OTHER => 'it has no Intel debug store, so every test will be skipped, and OVMF may end before the kernel starts; ' .
    'use the model (without accel=kvm), or an Intel processor';

# Whether this is the host's processor: ven0000 is Intel (Linux, X86_VENDOR_INTEL).
sub is_other
{
    my ($sys) = @_;
    open my $file, '<', "$sys/devices/system/cpu/modalias" or return 0;
    return (<$file> // '') =~ /,ven(?!0000)/;
}

# QEMU's -cpu argument with all that KVM exposes, and a sentence for each part of the debug store that a guest lacks, with
# what to change; undef and a sentence if a guest cannot be started at all.
sub exposed
{
    my ($path, $sys) = @_;
    my ($kvm, $other) = (undef, is_other($sys));
    if (!open $kvm, '+<', $path) {
        return (undef, "there is no $path, and this host's processor is not Intel's: " . OTHER) if $! == ENOENT && $other;
        return (undef, "there is no $path: load the module kvm_intel; if it refuses, turn virtualization (VT-x) on in the firmware, " .
            'or start this virtual machine with nested virtualization') if $! == ENOENT;
        return (undef, "$path: $!" . ($! == EACCES || $! == EPERM
            ? ': join the group kvm (usermod -aG kvm USER), then log in again' : ''));
    }
    my $version = ioctl $kvm, KVM_GET_API_VERSION, 0;
    return (undef, "$path is not KVM: it reports no API version") if !defined $version;
    return (undef, "$path: KVM's interface has version " . ($version + 0) . ', must be '
        . API_VERSION) if $version != API_VERSION;
    my $cpuid = supported_cpuid($kvm) // return (undef, "$path: cannot ask for CPUID: $!");
    my $register = sub { my ($leaf, $number) = @_; return (($cpuid->{$leaf} // {})->{0} // [0, 0, 0, 0])->[$number] };
    my $vendor = pack 'L3', map { $register->(0, $_) } 1, 3, 2;
    my $format = feature_msr($kvm, IA32_PERF_CAPABILITIES) & 0x3f;
    my @missing;
    if ($vendor ne 'GenuineIntel') {
        @missing = "the processor is $vendor: " . OTHER;
    } elsif (($register->(0xa, 0) & 0xff) == 0) {
        @missing = why_no_counters($sys);
    } else {
        push @missing, 'no PEBS: KVM exposes it from Linux 6.0 on, on Ice Lake servers and later, except hybrids'
            if !($register->(1, 3) >> 21 & 1);
        push @missing, 'no LBR: KVM exposes it from Linux 5.12 on, on Haswell to Ice Lake; never architectural LBR' if $format == 0;
        push @missing, 'no BTS: KVM never exposes it';
    }
    return ('host,migratable=off,pmu=on' . ($format ? sprintf ',lbr-fmt=0x%x', $format : ''), @missing);
}

1;
