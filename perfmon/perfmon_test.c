/* SPDX-License-Identifier: MIT */
/* Counters that do not sample: what they count, and when they overflow. */
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "kernel/test.h"
#include "pebs/pebs.h"
#include "suite/records.h"
#include "suite/sources.h"

static uint64_t count(struct test_run *run, uint64_t event, const struct workload *workload)
{
    struct window window = pebs_window(run->caps, 1);

    if (!counter_program(0, event | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_EN, 0, run->caps->full_width_write))
        test_fail(run, "the counter could not be programmed");
    workload->run(&window);
    return counter_read(0);
}

/* The window's own count is subtracted: the rest is the body, to the instruction. */
static void count_exact(struct test_run *run)
{
    static const struct {
        const char *name;
        uint64_t event;
        const struct workload *workload;
    } cases[] = {
        { "INST_RETIRED.ANY over calls", 0x00c0, &workload_calls },
        { "INST_RETIRED.ANY over kinds", 0x00c0, &workload_kinds },
        { "INST_RETIRED.ANY over a loop", 0x00c0, &workload_loop },
        { "INST_RETIRED.ANY over straight code", 0x00c0, &workload_straight },
    };
    const struct pebs_event *taken = pebs_find_event(run->caps, PEBS_ROLE_TAKEN);
    const struct pebs_event *calls = pebs_find_event(run->caps, PEBS_ROLE_NEAR_CALLS);

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_equal(run, cases[i].name,
                   count(run, cases[i].event, cases[i].workload) - count(run, cases[i].event, &workload_nothing),
                   cases[i].workload->instructions);
    test_equal(run, "BR_INST_RETIRED.ALL_BRANCHES over a long loop",
               count(run, 0x00c4, &workload_long_loop) - count(run, 0x00c4, &workload_nothing),
               branch_count(&workload_long_loop, BRANCH_KINDS_ALL) + 1); /* the last one falls through */
    if (taken)
        test_equal(run, taken->name, count(run, taken->select, &workload_long_loop),
                   branch_count(&workload_long_loop, BRANCH_KINDS_ALL));
    if (calls)
        test_equal(run, calls->name, count(run, calls->select, &workload_calls),
                   branch_count(&workload_calls, LBR_SELECT_NEAR_REL_CALL));
}

TEST(perfmon_count) = {
    .id = "perfmon.count",
    .title = "Counters count retired instructions, branches and calls exactly",
    .source = SDM_PERFMON,
    .needs = NEED_GLOBAL_CTRL,
    .run = count_exact,
};
