# SPDX-License-Identifier: MIT
"""What KVM exposes of this host's processor. docs/kvm.md has the sources."""
import errno
import fcntl
import os
import struct

# linux/kvm.h
KVM_GET_API_VERSION, KVM_GET_SUPPORTED_CPUID, KVM_GET_MSRS = 0xae00, 0xc008ae05, 0xc008ae88
API_VERSION, ENTRIES, IA32_PERF_CAPABILITIES = 12, 256, 0x345

# What to do on a processor that is not Intel's.
OTHER = ('it has no Intel debug store, so every test will be skipped, and OVMF may end before the kernel starts; '
         'use the model (without accel=kvm), or an Intel processor')


def supported_cpuid(kvm: int) -> dict[tuple[int, int], tuple[int, ...]]:
    """The answers to CPUID that a guest may get: (leaf, subleaf) => EAX, EBX, ECX, EDX."""
    buffer = bytearray(struct.pack('2I', ENTRIES, 0) + bytes(40 * ENTRIES))
    fcntl.ioctl(kvm, KVM_GET_SUPPORTED_CPUID, buffer)
    rows = (struct.unpack_from('7I', buffer, 8 + 40 * i) for i in range(struct.unpack_from('I', buffer)[0]))
    return {(leaf, subleaf): registers for leaf, subleaf, _, *registers in rows}


def feature_msr(kvm: int, index: int) -> int:
    """A feature MSR as a guest may see it; 0 if KVM does not expose it."""
    buffer = bytearray(struct.pack('4IQ', 1, 0, index, 0, 0))
    try:
        return struct.unpack('4IQ', buffer)[4] if fcntl.ioctl(kvm, KVM_GET_MSRS, buffer) == 1 else 0
    except OSError:
        return 0


def read(path: str) -> str:
    try:
        with open(path, encoding='latin-1') as file:
            return file.readline().strip()
    except OSError:
        return ''


def why_no_counters(sys: str) -> str:
    """Why KVM exposes no counters although the processor has them, and what to change."""
    if os.path.exists(f'{sys}/devices/cpu_core'):
        return 'KVM exposes no counters on hybrid processors: boot dstest86 from a stick instead'
    if read(f'{sys}/module/kvm/parameters/enable_pmu') == 'N':
        return 'KVM exposes no counters because its parameter enable_pmu is N: unload kvm_intel and kvm, then modprobe kvm enable_pmu=1'
    return 'KVM exposes no counters because this host has none; if it is a virtual machine, start it with a virtual PMU'


def is_other(sys: str) -> bool:
    """Whether the host's processor is not Intel's: ven0000 is Intel (Linux, X86_VENDOR_INTEL)."""
    alias = read(f'{sys}/devices/system/cpu/modalias')
    return ',ven' in alias and ',ven0000' not in alias


def exposed(path: str, sys: str) -> tuple[str | None, list[str]]:
    """QEMU's -cpu argument with all that KVM exposes, and a sentence for each part of the debug store that a guest lacks, with
    what to change; None and a sentence if a guest cannot be started at all."""
    try:
        kvm = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return None, [f"there is no {path}, and this host's processor is not Intel's: {OTHER}" if is_other(sys) else
                          f'there is no {path}: load the module kvm_intel; if it refuses, turn virtualization (VT-x) on in the '
                          'firmware, or start this virtual machine with nested virtualization']
        allowed = ': join the group kvm (usermod -aG kvm USER), then log in again'
        return None, [f"{path}: {error.strerror}{allowed if error.errno in (errno.EACCES, errno.EPERM) else ''}"]
    try:
        version = fcntl.ioctl(kvm, KVM_GET_API_VERSION, 0)
    except OSError:
        return None, [f'{path} is not KVM: it reports no API version']
    if version != API_VERSION:
        return None, [f"{path}: KVM's interface has version {version}, must be {API_VERSION}"]
    try:
        cpuid = supported_cpuid(kvm)
    except OSError as error:
        return None, [f'{path}: cannot ask for CPUID: {error.strerror}']
    none = 0, 0, 0, 0
    _, *name = cpuid.get((0, 0), none)
    vendor = struct.pack('3I', name[0], name[2], name[1]).decode('latin-1')
    form = feature_msr(kvm, IA32_PERF_CAPABILITIES) & 0x3f
    os.close(kvm)
    missing = []
    if vendor != 'GenuineIntel':
        missing = [f'the processor is {vendor}: {OTHER}']
    elif not cpuid.get((0xa, 0), none)[0] & 0xff:
        missing = [why_no_counters(sys)]
    else:
        if not cpuid.get((1, 0), none)[3] >> 21 & 1:
            missing.append('no PEBS: KVM exposes it from Linux 6.0 on, on Ice Lake servers and later, except hybrids')
        if not form:
            missing.append('no LBR: KVM exposes it from Linux 5.12 on, on Haswell to Ice Lake; never architectural LBR')
        missing.append('no BTS: KVM never exposes it')
    return 'host,migratable=off,pmu=on' + (f',lbr-fmt={form:#x}' if form else ''), missing
