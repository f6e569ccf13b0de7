/* SPDX-License-Identifier: MIT */
#include "ds/counting.h"

#include "arch/x86/msr.h"

static bool is_netburst(const struct caps *caps)
{
    return caps->pebs_method == PEBS_METHOD_NETBURST;
}

uint64_t counting_stop(const struct caps *caps, uint64_t except)
{
    uint64_t control = 0;

    if (caps->global_ctrl) {
        control = msr_get(MSR_IA32_PERF_GLOBAL_CTRL);
        msr_write(MSR_IA32_PERF_GLOBAL_CTRL, control & except);
    } else if (is_netburst(caps)) {
        control = msr_get(MSR_IQ_CCCR4);
        msr_write(MSR_IQ_CCCR4, control & ~CCCR_ENABLE);
    }
    return control;
}

void counting_resume(const struct caps *caps, uint64_t control)
{
    if (caps->global_ctrl)
        msr_write(MSR_IA32_PERF_GLOBAL_CTRL, control);
    else if (is_netburst(caps))
        msr_write(MSR_IQ_CCCR4, control & ~CCCR_OVF);
}

uint64_t counting_status(const struct caps *caps)
{
    if (caps->global_ctrl)
        return msr_get(MSR_IA32_PERF_GLOBAL_STATUS);
    return is_netburst(caps) ? msr_get(MSR_IQ_CCCR4) & CCCR_OVF : 0;
}

uint64_t counting_causes(uint64_t status)
{
    return status & ~(GLOBAL_STATUS_LBR_FRZ | GLOBAL_STATUS_CTR_FRZ | GLOBAL_STATUS_ASCI | GLOBAL_STATUS_COND_CHGD);
}

void counting_acknowledge(const struct caps *caps, uint64_t status)
{
    if (caps->global_ctrl)
        msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, status);
    else if (is_netburst(caps))
        msr_write(MSR_IQ_CCCR4, msr_get(MSR_IQ_CCCR4) & ~status);
}
