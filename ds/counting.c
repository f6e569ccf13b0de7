/* SPDX-License-Identifier: MIT */
#include "ds/counting.h"

#include "arch/x86/msr.h"

uint64_t counting_stop(const struct caps *caps)
{
    uint64_t control = 0;

    if (caps->global_ctrl) {
        control = msr_get(MSR_IA32_PERF_GLOBAL_CTRL);
        msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    }
    return control;
}

void counting_resume(const struct caps *caps, uint64_t control)
{
    if (caps->global_ctrl)
        msr_write(MSR_IA32_PERF_GLOBAL_CTRL, control);
}

uint64_t counting_status(const struct caps *caps)
{
    return caps->global_ctrl ? msr_get(MSR_IA32_PERF_GLOBAL_STATUS) : 0;
}

void counting_acknowledge(const struct caps *caps, uint64_t status)
{
    if (caps->global_ctrl)
        msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, status);
}
