/* SPDX-License-Identifier: MIT */
#include "pebs/netburst.h"

#include "arch/x86/msr.h"

bool netburst_program(const struct netburst_setup *setup)
{
    struct netburst_write writes[NETBURST_WRITES];
    size_t count = netburst_writes(setup, writes);

    for (size_t i = 0; i < count; i++)
        if (!msr_write(writes[i].msr, writes[i].value))
            return false;
    return true;
}

struct window netburst_window(void)
{
    return (struct window){ .msr = MSR_IQ_CCCR4, .on = netburst_cccr(true), .off = netburst_cccr(false) };
}

uint64_t netburst_counter(void)
{
    return msr_get(MSR_IQ_COUNTER4) & NETBURST_COUNTER_MASK;
}

void netburst_quiesce(void)
{
    for (uint32_t i = 0; i < NETBURST_CCCRS; i++)
        msr_write(MSR_BPU_CCCR0 + i, 0);
    msr_write(MSR_PEBS_ENABLE, 0);
    msr_write(MSR_PEBS_MATRIX_VERT, 0);
}
