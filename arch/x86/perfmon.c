/* SPDX-License-Identifier: MIT */
#include "arch/x86/perfmon.h"

#include "arch/x86/msr.h"

#define COUNTER_BITS ((UINT64_C(1) << 48) - 1) /* the widest counters have 48 bits */

bool counter_program(unsigned n, uint64_t select, uint64_t value, unsigned full_width)
{
    /*
     * GLOBAL_CTRL enables the general counters after reset (SDM Vol. 3A (253668-081), "Processor State After Reset").
     */
    return msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) && msr_write(MSR_IA32_PERFEVTSEL(n), 0) &&
           msr_write(full_width ? MSR_IA32_A_PMC(n) : MSR_IA32_PMC(n),
                     full_width ? value & (UINT64_MAX >> (64 - full_width)) : (uint32_t)value) &&
           msr_write(MSR_IA32_PERFEVTSEL(n), select);
}

bool fixed_counter_program(unsigned n, uint64_t control, uint64_t value)
{
    const uint64_t own = FIXED_CTR_CTRL_ALL(n);
    uint64_t others = msr_get(MSR_IA32_FIXED_CTR_CTRL) & ~own;

    return msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) && msr_write(MSR_IA32_FIXED_CTR_CTRL, others) &&
           msr_write(MSR_IA32_FIXED_CTR(n), value & COUNTER_BITS) &&
           msr_write(MSR_IA32_FIXED_CTR_CTRL, others | control);
}

uint64_t counter_read(unsigned n)
{
    return msr_get(MSR_IA32_PMC(n));
}

/* Each of the three events must run on some counter, and each counter must run one of them. */
static void prime(unsigned general)
{
    static const uint64_t events[] = { 0x4300b5, 0x4300d2, 0x4300b1 };
    uint64_t counters = 0;

    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS)); /* before a counter runs */
    for (unsigned n = 0; n < general; n++) {
        msr_write(MSR_IA32_PERFEVTSEL(n), events[n % (sizeof events / sizeof events[0])]);
        counters |= MSR_BIT(n);
    }
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, counters);
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
}

/* Stops reloads of these counters, and reloads that they cause. counters: bits of IA32_PERF_GLOBAL_CTRL. */
static void end_reloads(uint64_t counters)
{
    for (unsigned n = 0; n < 48; n++) {
        if (!(counters & MSR_BIT(n)))
            continue;
        msr_write(n < 32 ? MSR_IA32_PMC_GP_CFG_B(n) : MSR_IA32_PMC_FX_CFG_B(n - 32), 0);
        msr_write(n < 32 ? MSR_IA32_PMC_GP_CFG_C(n) : MSR_IA32_PMC_FX_CFG_C(n - 32), 0);
    }
}

void counters_clear(const struct caps *caps)
{
    if (caps->global_ctrl)
        msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    end_reloads(caps->reload_counters);
    if (caps->prime_counters)
        prime(caps->general_count);
    for (unsigned n = 0; n < caps->general_count; n++) {
        msr_write(MSR_IA32_PERFEVTSEL(n), 0);
        msr_write(MSR_IA32_PMC(n), 0);
    }
    if (caps->fixed_count)
        msr_write(MSR_IA32_FIXED_CTR_CTRL, 0);
    if (caps->global_ctrl)
        msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
}
