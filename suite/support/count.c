/* SPDX-License-Identifier: MIT */
#include "suite/support/count.h"

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "lib/text.h"
#include "pebs/pebs.h"
#include "suite/support/errata.h"

#define FIXED_0  (UINT64_C(1) << 32)
#define ATTEMPTS 3u

/* What runs count, and how. */
struct counted {
    const struct workload *workload;
    bool fixed, global_last; /* fixed counter 0; IA32_PERF_GLOBAL_CTRL starts it */
    unsigned n;
    uint64_t select, start; /* the select, or the fixed counter's control */
};

void count_once(const struct caps *caps, uint64_t counters, const struct workload *workload)
{
    struct window window = pebs_window(caps, counters);

    interrupts_off();
    workload->run(&window);
    interrupts_on();
    if (window.msr == MSR_IA32_PERF_GLOBAL_CTRL)
        msr_get(MSR_IA32_PERF_GLOBAL_CTRL); /* the watch of registers compares it */
}

/*
 * Whether a system management interrupt may have added to counts since the last call, which processors without
 * MSR_SMI_COUNT do not report. The exits to a hypervisor may add, too; emulation has none.
 */
static bool disturbed(const struct caps *caps)
{
    static uint64_t last_of[PROCESSORS_MOST];
    uint64_t *const last = &last_of[processor_number()];
    const uint64_t before = *last;

    return (caps->hypervisor && text_compare(caps->hypervisor_name, "TCGTCGTCGTCG") != 0) ||
           !msr_read(MSR_SMI_COUNT, last) || *last != before;
}

void(count_equal)(struct test_run *run, unsigned errata, const char *what, uint64_t got, uint64_t want)
{
    if (got != want && !(disturbed(run->caps) && got > want))
        (errata_equal)(run, errata, what, got, want);
}

static uint64_t count_general(struct test_run *run, const struct counted *c)
{
    counter_program(c->n, c->select, c->start, run->caps->full_width_write);
    count_once(run->caps, UINT64_C(1) << c->n, c->workload);
    return counter_read(c->n);
}

static uint64_t count_fixed_0(struct test_run *run, const struct counted *c)
{
    const struct window global = pebs_window(run->caps, FIXED_0);
    const struct window field = { MSR_IA32_FIXED_CTR_CTRL, c->select, 0 };

    fixed_counter_program(0, c->select, 0);
    if (!c->global_last)
        msr_write(MSR_IA32_FIXED_CTR_CTRL, 0);
    interrupts_off();
    if (c->global_last) {
        c->workload->run(&global);
    } else {
        msr_write((uint32_t)global.msr, global.on);
        c->workload->run(&field);
        msr_write((uint32_t)global.msr, global.off);
    }
    interrupts_on();
    return msr_get(MSR_IA32_FIXED_CTR(0));
}

static unsigned errata_of(const struct counted *c)
{
    if (c->fixed)
        return ERRATA_INSTRUCTIONS | HAS_ERRATUM(HSD143);
    return ((c->select & 0xff) == 0xc4 ? ERRATA_BRANCHES : ERRATA_INSTRUCTIONS) | (c->n == 3 ? HAS_ERRATUM(SKL179) : 0);
}

/* The minimum of several runs. All runs count the same, except cycles, and if something disturbed them. */
static uint64_t least_of(struct test_run *run, const struct counted *c)
{
    uint64_t least = 0, most = 0;

    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (unsigned i = 0; i < COUNT_RUNS; i++) {
            const uint64_t value = c->fixed ? count_fixed_0(run, c) : count_general(run, c);
            least = i == 0 || value < least ? value : least;
            most = i == 0 || value > most ? value : most;
        }
        if (least == most || (!c->fixed && c->select & PERFEVTSEL_INV))
            break;
        if (disturbed(run->caps))
            continue;
        errata_equal(run, errata_of(c), "the most that a run of the same code counts", most, least);
        break;
    }
    return least;
}

uint64_t count_from(struct test_run *run, unsigned n, uint64_t select, uint64_t start, const struct workload *workload)
{
    return least_of(run, &(struct counted){ .workload = workload, .n = n, .select = select, .start = start });
}

uint64_t count_fixed(struct test_run *run, uint64_t control, const struct workload *workload)
{
    return least_of(run, &(struct counted){ .workload = workload, .fixed = true, .select = control });
}

uint64_t count_fixed_global_last(struct test_run *run, uint64_t control, const struct workload *workload)
{
    return least_of(run,
                    &(struct counted){ .workload = workload, .fixed = true, .global_last = true, .select = control });
}
