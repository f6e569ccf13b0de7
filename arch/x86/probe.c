/* SPDX-License-Identifier: MIT */
#include "arch/x86/probe.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"

/* "GenuineIntel" */
#define CPUID_0_EBX_INTEL 0x756e6547u
#define CPUID_0_EDX_INTEL 0x49656e69u
#define CPUID_0_ECX_INTEL 0x6c65746eu

#define CPUID_1_ECX_PDCM     (1u << 15)
#define CPUID_1_EDX_DS       (1u << 21)
#define CPUID_7_EDX_ARCH_LBR (1u << 19)
#define CPUID_23_EAX_PEBS    (3u << 4)

#define FIXED_CONCEALED 3u

/* A canonical address that firmware is unlikely to have left in IA32_DS_AREA. */
#define DS_AREA_PROBE UINT64_C(0x00000000002aa540)

/* A buffer of 4 KiB. The processor does not write to it, because IA32_PEBS_INDEX is not enabled. */
#define PEBS_BASE_PROBE UINT64_C(0x00000000002aa000)

static struct caps_leaf read_leaf(uint32_t leaf, uint32_t subleaf)
{
    const struct cpuid r = cpuid(leaf, subleaf);

    return (struct caps_leaf){ true, r.eax, r.ebx, r.ecx, r.edx };
}

static struct caps_msr read_msr(uint32_t msr)
{
    struct caps_msr r;

    r.valid = msr_read(msr, &r.value);
    return r;
}

/* Tests whether the register holds a written value: QEMU without the model accepts any value and reads 0. */
static enum caps_probe try_register(uint32_t msr, uint64_t value)
{
    uint64_t old, got;

    if (!msr_read(msr, &old) || !msr_write(msr, value))
        return CAPS_RAISES_GP;
    msr_read(msr, &got);
    msr_write(msr, old);
    return got == value ? CAPS_HOLDS : CAPS_DIFFERS;
}

/* A bit for each fixed counter that exists. CPUID of versions 2 to 4 may conceal them. */
static unsigned fixed_answers(const struct caps_leaf *leaf_a)
{
    const unsigned version = leaf_a->eax & 0xff;
    unsigned answers = 0;
    uint64_t value;

    for (unsigned n = 0; leaf_a->valid && version >= 2 && version < 5 && n < FIXED_CONCEALED; n++)
        answers |= (unsigned)msr_read(MSR_IA32_FIXED_CTR(n), &value) << n;
    return answers;
}

/* The microcode's revision. SDM Vol. 3A (253668-081), "Determining the Signature". */
static struct caps_msr read_microcode(void)
{
    if (!msr_write(MSR_IA32_BIOS_SIGN_ID, 0))
        return (struct caps_msr){ 0 };
    cpuid(1, 0);
    return read_msr(MSR_IA32_BIOS_SIGN_ID);
}

static bool is_intel(const struct caps_leaf *leaf_0)
{
    return leaf_0->ebx == CPUID_0_EBX_INTEL && leaf_0->edx == CPUID_0_EDX_INTEL && leaf_0->ecx == CPUID_0_ECX_INTEL;
}

void ds_probe(struct caps_input *in)
{
    *in = (struct caps_input){ 0 };
    caps_read_leaves(in, read_leaf);
    if (in->leaf_1.valid && in->leaf_1.ecx & CPUID_1_ECX_PDCM)
        in->perf_capabilities = read_msr(MSR_IA32_PERF_CAPABILITIES);
    in->fixed_answers = fixed_answers(&in->leaf_a);
    if (is_intel(&in->leaf_0)) /* other vendors may have another register of this number */
        in->bios_sign_id = read_microcode();
    in->misc_enable = read_msr(MSR_IA32_MISC_ENABLE);
    in->apic_base = read_msr(MSR_IA32_APIC_BASE);
    if (in->leaf_1.valid && in->leaf_1.edx & CPUID_1_EDX_DS) /* without DS this may be another register */
        in->ds_area = try_register(MSR_IA32_DS_AREA, DS_AREA_PROBE);
    if ((in->leaf_23.eax & CPUID_23_EAX_PEBS) == CPUID_23_EAX_PEBS)
        in->pebs_base = try_register(MSR_IA32_PEBS_BASE, PEBS_BASE_PROBE);
    in->debugctl_lbr = try_register(MSR_IA32_DEBUGCTL, DEBUGCTL_LBR);
    if (in->leaf_7.valid && in->leaf_7.edx & CPUID_7_EDX_ARCH_LBR)
        in->arch_lbr_control = try_register(MSR_IA32_LBR_CTL, LBR_CTL_LBREN);
    in->ia32e_active = (msr_get(MSR_IA32_EFER) & EFER_LMA) != 0;
}

/* Marks the available features from first to last as missing, for this reason. */
static void take_away(struct caps *caps, enum caps_need first, enum caps_need last, enum caps_reason reason)
{
    for (enum caps_need need = first; need <= last; need++)
        if (caps->reason[need] == CAPS_AVAILABLE)
            caps->reason[need] = reason;
}

static void take_away_counters(struct caps *caps, enum caps_reason reason)
{
    take_away(caps, CAPS_NEED_PERFMON, CAPS_NEED_FREEZE_COUNTERS, reason);
    take_away(caps, CAPS_NEED_LBR_EVENTS, CAPS_NEED_COUNTER_RELOAD, reason);
    if (caps->pebs_method != PEBS_METHOD_NETBURST)
        take_away(caps, CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, reason);
}

/*
 * Counters that do not hold a written value: system management mode or a hypervisor uses them. Sign extension from 32
 * bits changes neither of the two values.
 */
static uint64_t taken_counters(const struct caps *caps)
{
    uint64_t taken = 0;

    for (unsigned n = 0; n < caps->general_count; n++) {
        msr_write(MSR_IA32_PERFEVTSEL(n), 0);
        if (try_register(MSR_IA32_PMC(n), 0x2aaaaaaa) == CAPS_DIFFERS &&
            try_register(MSR_IA32_PMC(n), 0x15555555) == CAPS_DIFFERS)
            taken |= MSR_BIT(n);
    }
    return taken;
}

void ds_probe_registers(struct caps *caps)
{
    uint64_t value;

    if (caps->global_ctrl && !msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0))
        take_away_counters(caps, CAPS_GLOBAL_CTRL_RAISES_GP);
    if (caps->general_count != 0 && !(msr_write(MSR_IA32_PERFEVTSEL(0), 0) && msr_write(MSR_IA32_PMC(0), 0)))
        take_away_counters(caps, CAPS_COUNTER_RAISES_GP);
    if (caps_missing(caps, NEED_PERFMON) == CAPS_AVAILABLE)
        caps_take_counters(caps, taken_counters(caps));
    if ((caps_missing(caps, NEED_BTS) == CAPS_AVAILABLE || caps_missing(caps, NEED_FREEZE) == CAPS_AVAILABLE) &&
        !(msr_read(MSR_IA32_DEBUGCTL, &value) && msr_write(MSR_IA32_DEBUGCTL, 0))) {
        take_away(caps, CAPS_NEED_FREEZE, CAPS_NEED_FREEZE_COUNTERS, CAPS_FREEZE_DEBUGCTL_RAISES_GP);
        take_away(caps, CAPS_NEED_BTS, CAPS_NEED_BTS_PREDICTED, CAPS_BTS_DEBUGCTL_RAISES_GP);
    }
    if (caps_missing(caps, NEED_FREEZE) == CAPS_AVAILABLE &&
        try_register(MSR_IA32_DEBUGCTL, caps->debugctl->freeze_perfmon) == CAPS_RAISES_GP)
        take_away(caps, CAPS_NEED_FREEZE_COUNTERS, CAPS_NEED_FREEZE_COUNTERS, CAPS_FREEZE_COUNTERS_RAISES_GP);
    if (caps_missing(caps, NEED_PEBS_ARCH) == CAPS_AVAILABLE &&
        !(msr_read(MSR_IA32_PEBS_INDEX, &value) && msr_write(MSR_IA32_PEBS_INDEX, 0)))
        take_away(caps, CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, CAPS_PEBS_INDEX_RAISES_GP);
    if (caps_missing(caps, NEED_PEBS_AREA) == CAPS_AVAILABLE &&
        !(msr_read(MSR_PEBS_ENABLE, &value) && msr_write(MSR_PEBS_ENABLE, 0)))
        take_away(caps, CAPS_NEED_PEBS, CAPS_NEED_EVENT_ANY, CAPS_PEBS_ENABLE_RAISES_GP);
    if (caps_missing(caps, NEED_LBR) == CAPS_AVAILABLE &&
        !(msr_read(caps->lbr_from, &value) && msr_read(caps->lbr_tos ? caps->lbr_tos : caps->lbr_from, &value)))
        take_away(caps, CAPS_NEED_LBR, CAPS_NEED_LBR_EVENTS, CAPS_LBR_STACK_RAISES_GP);
}
