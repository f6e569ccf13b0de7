/* SPDX-License-Identifier: MIT */
#include "kernel/reset_state.h"

#include "arch/x86/msr.h"
#include "kernel/firmware.h"

static struct reset_state state;

void reset_state_take(const struct caps *caps)
{
    if (caps->global_ctrl)
        state.global_ctrl = msr_get(MSR_IA32_PERF_GLOBAL_CTRL);
    if (caps->lbr_select)
        state.lbr_select = msr_get(caps->lbr_select);
    for (unsigned n = 0; n < caps->general_count && n < RESET_COUNTERS; n++) {
        state.event_select[n] = firmware_left(MSR_IA32_PERFEVTSEL(n));
        state.counter[n] = msr_get(MSR_IA32_PMC(n));
    }
}

const struct reset_state *reset_state(void)
{
    return &state;
}
