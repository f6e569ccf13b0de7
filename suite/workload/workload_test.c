/* SPDX-License-Identifier: MIT */
/* Compares the number of instructions that each workload declares with a counter. */
#include "suite/suite.h"

#include "suite/support/count.h"

#define INSTRUCTIONS 0x00c0u /* INST_RETIRED.ANY, architectural */

static const struct {
    const char *name;
    const struct workload *workload;
} workloads[] = {
    { "calls", &workload_calls },
    { "kinds", &workload_kinds },
    { "loop", &workload_loop },
    { "long_loop", &workload_long_loop },
    { "turns", &workload_turns },
    { "interrupt", &workload_interrupt },
    { "open_calls", &workload_open_calls },
    { "loads", &workload_loads },
    { "stores", &workload_stores },
    { "chase", &workload_chase },
    { "locked", &workload_locked },
    { "x87", &workload_x87 },
    { "mmx", &workload_mmx },
    { "split_loads", &workload_split_loads },
    { "split_stores", &workload_split_stores },
    { "vectors", &workload_vectors },
};

static uint64_t count(struct test_run *run, const struct workload *workload)
{
    return count_from(run, 0, INSTRUCTIONS | PERFEVTSEL_EN | PERFEVTSEL_OS | PERFEVTSEL_USR, 0, workload);
}

/* workload_straight measures the instructions of the window itself. */
static void instructions(struct test_run *run)
{
    const uint64_t window = count(run, &workload_straight) - workload_straight.instructions;

    sse_enable();
    workload_x87_prepare();
    interrupt_set_raw(VECTOR_WORKLOAD, workload_interrupt_entry, false);
    for (unsigned i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        test_equal(run, workloads[i].name, count(run, workloads[i].workload) - window,
                   workloads[i].workload->instructions);
}

TEST(selftest_workloads) = {
    .id = "selftest.workloads",
    .title = "Each workload retires as many instructions as it declares",
    .source = OWN_RUNNER,
    .needs = NEED_GLOBAL_CTRL,
    .on_request = true,
    .run = instructions,
};
