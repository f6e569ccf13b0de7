/* SPDX-License-Identifier: MIT */
#include "arch/x86/perfmon.h"

#include "arch/x86/msr.h"

bool counter_program(unsigned n, uint64_t select, uint64_t value, bool full_width)
{
    /* After reset GLOBAL_CTRL has the general counters on (SDM Vol. 3A, "Processor State After Reset"). */
    return msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) && msr_write(MSR_IA32_PERFEVTSEL(n), 0) &&
           msr_write(full_width ? MSR_IA32_A_PMC(n) : MSR_IA32_PMC(n),
                     full_width ? value & ((UINT64_C(1) << 48) - 1) : (uint32_t)value) &&
           msr_write(MSR_IA32_PERFEVTSEL(n), select);
}

uint64_t counter_read(unsigned n)
{
    return msr_get(MSR_IA32_PMC(n));
}

void counters_clear(unsigned general, unsigned fixed, bool global)
{
    if (global)
        msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    for (unsigned n = 0; n < general; n++) {
        msr_write(MSR_IA32_PERFEVTSEL(n), 0);
        msr_write(MSR_IA32_PMC(n), 0);
    }
    if (fixed)
        msr_write(MSR_IA32_FIXED_CTR_CTRL, 0);
    if (global)
        msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
}
