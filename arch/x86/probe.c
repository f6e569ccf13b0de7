/* SPDX-License-Identifier: MIT */
#include "arch/x86/probe.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"

#define CPUID_1_ECX_PDCM     (1u << 15)
#define CPUID_1_EDX_DS       (1u << 21)
#define CPUID_7_EDX_ARCH_LBR (1u << 19)

/* A canonical address that firmware will not have left in IA32_DS_AREA. */
#define DS_AREA_PROBE UINT64_C(0x00000000002aa540)

static struct caps_leaf read_leaf(uint32_t leaf)
{
    struct cpuid most = cpuid(leaf & 0x80000000u, 0), r;

    if (most.eax < leaf || (most.eax ^ leaf) >> 31)
        return (struct caps_leaf){ 0 };
    r = cpuid(leaf, 0);
    return (struct caps_leaf){ true, r.eax, r.ebx, r.ecx, r.edx };
}

static struct caps_msr read_msr(uint32_t msr)
{
    struct caps_msr r;

    r.valid = msr_read(msr, &r.value);
    return r;
}

/* Tests whether the register holds what is written: QEMU without the model takes any value and reads 0. */
static enum caps_probe try_register(uint32_t msr, uint64_t value)
{
    uint64_t old, got;

    if (!msr_read(msr, &old) || !msr_write(msr, value))
        return CAPS_RAISES_GP;
    msr_read(msr, &got);
    msr_write(msr, old);
    return got == value ? CAPS_HOLDS : CAPS_DIFFERS;
}

void ds_probe(struct caps_input *in)
{
    *in = (struct caps_input){ .leaf_0 = read_leaf(0),
                               .leaf_1 = read_leaf(1),
                               .leaf_7 = read_leaf(7),
                               .leaf_a = read_leaf(0xa),
                               .leaf_1c = read_leaf(0x1c),
                               .leaf_80000001 = read_leaf(0x80000001),
                               .leaf_80000002 = read_leaf(0x80000002),
                               .leaf_80000003 = read_leaf(0x80000003),
                               .leaf_80000004 = read_leaf(0x80000004),
                               .leaf_80000008 = read_leaf(0x80000008) };
    if (in->leaf_1.valid && in->leaf_1.ecx & CPUID_1_ECX_PDCM)
        in->perf_capabilities = read_msr(MSR_IA32_PERF_CAPABILITIES);
    in->misc_enable = read_msr(MSR_IA32_MISC_ENABLE);
    in->apic_base = read_msr(MSR_IA32_APIC_BASE);
    if (in->leaf_1.valid && in->leaf_1.edx & CPUID_1_EDX_DS) /* without DS the number may be another register's */
        in->ds_area = try_register(MSR_IA32_DS_AREA, DS_AREA_PROBE);
    in->debugctl_lbr = try_register(MSR_IA32_DEBUGCTL, DEBUGCTL_LBR);
    if (in->leaf_7.valid && in->leaf_7.edx & CPUID_7_EDX_ARCH_LBR)
        in->arch_lbr_control = try_register(MSR_IA32_LBR_CTL, LBR_CTL_LBREN);
    in->ia32e_active = (msr_get(MSR_IA32_EFER) & EFER_LMA) != 0;
}

/* Marks the available needs from first to last as missing, for this reason. */
static void take_away(struct caps *caps, enum caps_need first, enum caps_need last, enum caps_reason reason)
{
    for (enum caps_need need = first; need <= last; need++)
        if (caps->reason[need] == CAPS_AVAILABLE)
            caps->reason[need] = reason;
}

static void take_away_counters(struct caps *caps, enum caps_reason reason)
{
    take_away(caps, CAPS_NEED_PERFMON, CAPS_NEED_FREEZE, reason);
    if (caps->pebs_method != PEBS_METHOD_NETBURST)
        take_away(caps, CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, reason);
}

void ds_probe_registers(struct caps *caps)
{
    uint64_t value;

    if (caps->global_ctrl && !msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0))
        take_away_counters(caps, CAPS_GLOBAL_CTRL_RAISES_GP);
    if (caps->general_count != 0 && !(msr_write(MSR_IA32_PERFEVTSEL(0), 0) && msr_write(MSR_IA32_PMC(0), 0)))
        take_away_counters(caps, CAPS_COUNTER_RAISES_GP);
    if ((caps_missing(caps, NEED_BTS) == CAPS_AVAILABLE || caps_missing(caps, NEED_FREEZE) == CAPS_AVAILABLE) &&
        !(msr_read(MSR_IA32_DEBUGCTL, &value) && msr_write(MSR_IA32_DEBUGCTL, 0))) {
        take_away(caps, CAPS_NEED_FREEZE, CAPS_NEED_FREEZE, CAPS_FREEZE_DEBUGCTL_RAISES_GP);
        take_away(caps, CAPS_NEED_BTS, CAPS_NEED_BTS_PREDICTED, CAPS_BTS_DEBUGCTL_RAISES_GP);
    }
    if (caps_missing(caps, NEED_PEBS) == CAPS_AVAILABLE &&
        !(msr_read(MSR_PEBS_ENABLE, &value) && msr_write(MSR_PEBS_ENABLE, 0)))
        take_away(caps, CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, CAPS_PEBS_ENABLE_RAISES_GP);
    if (caps_missing(caps, NEED_LBR) == CAPS_AVAILABLE &&
        !(msr_read(caps->lbr_from, &value) && msr_read(caps->lbr_tos ? caps->lbr_tos : caps->lbr_from, &value)))
        take_away(caps, CAPS_NEED_LBR, CAPS_NEED_ARCH_LBR, CAPS_LBR_STACK_RAISES_GP);
}
