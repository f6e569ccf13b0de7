/* SPDX-License-Identifier: MIT */
#include "suite/support/count.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "pebs/pebs.h"

#define FIXED_0 (UINT64_C(1) << 32)

void count_once(const struct caps *caps, uint64_t counters, const struct workload *workload)
{
    struct window window = pebs_window(caps, counters);

    interrupts_off();
    workload->run(&window);
    interrupts_on();
}

uint64_t count_from(struct test_run *run, unsigned n, uint64_t select, uint64_t start, const struct workload *workload)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < COUNT_RUNS; i++) {
        uint64_t value;
        if (!counter_program(n, select, start, run->caps->full_width_write))
            test_fail(run, "counter %u could not be programmed", n);
        count_once(run->caps, UINT64_C(1) << n, workload);
        value = counter_read(n);
        least = value < least ? value : least;
    }
    return least;
}

static uint64_t least_fixed(struct test_run *run, uint64_t control, bool global_last, const struct workload *workload)
{
    const struct window global = pebs_window(run->caps, FIXED_0);
    const struct window field = { MSR_IA32_FIXED_CTR_CTRL, control, 0 };
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < COUNT_RUNS; i++) {
        uint64_t value;
        if (!fixed_counter_program(0, control, 0))
            test_fail(run, "fixed counter 0 could not be programmed");
        if (!global_last)
            msr_write(MSR_IA32_FIXED_CTR_CTRL, 0);
        interrupts_off();
        if (global_last) {
            workload->run(&global);
        } else {
            msr_write((uint32_t)global.msr, global.on);
            workload->run(&field);
            msr_write((uint32_t)global.msr, global.off);
        }
        interrupts_on();
        value = msr_get(MSR_IA32_FIXED_CTR(0));
        least = value < least ? value : least;
    }
    return least;
}

uint64_t count_fixed(struct test_run *run, uint64_t control, const struct workload *workload)
{
    return least_fixed(run, control, false, workload);
}

uint64_t count_fixed_global_last(struct test_run *run, uint64_t control, const struct workload *workload)
{
    return least_fixed(run, control, true, workload);
}
