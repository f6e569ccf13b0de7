/* SPDX-License-Identifier: MIT */
#include "pebs/pebs.h"

#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"

#define ALL_COUNTERS 0xfu

const struct pebs_event pebs_all_loads = { "MEM_INST_RETIRED.ALL_LOADS", 0x81d0, ALL_COUNTERS, false };
const struct pebs_event pebs_all_stores = { "MEM_INST_RETIRED.ALL_STORES", 0x82d0, ALL_COUNTERS, false };
const struct pebs_event pebs_all_branches = { "BR_INST_RETIRED.ALL_BRANCHES_PEBS", 0x04c4, ALL_COUNTERS, false };
const struct pebs_event pebs_near_call = { "BR_INST_RETIRED.NEAR_CALL", 0x02c4, ALL_COUNTERS, false };
const struct pebs_event pebs_near_taken = { "BR_INST_RETIRED.NEAR_TAKEN", 0x20c4, ALL_COUNTERS, false };
const struct pebs_event pebs_prec_dist = { "INST_RETIRED.PREC_DIST", 0x01c0, 1u << 1, true };
const struct pebs_event pebs_load_latency = { "MEM_TRANS_RETIRED.LOAD_LATENCY", 0x01cd, ALL_COUNTERS, false };

bool pebs_program(const struct caps *caps, const struct pebs_sampling *s)
{
    uint64_t counter = UINT64_C(1) << s->counter, enable = counter;

    if (!(s->event->counters & caps->pebs_counters & counter))
        return false;
    if (s->event->select == caps->load_latency_event) {
        if (!msr_write(MSR_PEBS_LD_LAT_THRESHOLD, s->threshold))
            return false;
        enable |= PEBS_ENABLE_LL(s->counter);
    }
    /* No PERFEVTSEL_INT: the interrupt comes from the DS area's threshold. */
    return counter_program(s->counter, s->event->select | s->rings | PERFEVTSEL_EN, 0 - s->period,
                           caps->full_width_write) &&
           msr_write(MSR_PEBS_ENABLE, msr_get(MSR_PEBS_ENABLE) | enable);
}

struct window pebs_window(uint64_t counters)
{
    return (struct window){ .msr = MSR_IA32_PERF_GLOBAL_CTRL, .on = counters, .off = 0 };
}
