/* SPDX-License-Identifier: MIT */
/* Far transfers, exceptions, a hardware interrupt and system calls in the trace. */
#include "suite/suite.h"

#define GROUP .needs = NEED_APIC | NEED_BTS, .records = true

static const struct ds_config roomy = { .bts = true, .bts_records = 512, .bts_threshold = 480 };

static bool is_source(const struct workload *workload, uint64_t from)
{
    for (uint64_t i = 0; i < workload->branch_count; i++)
        if (workload->branches[i].from == from)
            return true;
    return false;
}

/*
 * Records whose From is a branch of the workload must be the workload's branches, in order. Other records, from the way
 * to CPL 3 and back, are ignored.
 */
static void compare(struct test_run *run, const struct workload *workload)
{
    struct branch_walk walk = { workload, BRANCH_KINDS_ALL, 0, 0 };
    struct bts_record record;

    for (unsigned n = 0; n < ds_bts_log()->records && records_bts(run, n, &record); n++) {
        const struct branch *want;
        if (!is_source(workload, record.from))
            continue;
        test_saw(run, 1);
        want = branch_next(&walk);
        if (!want || record.from != want->from || record.to != want->to)
            test_fail(run, "BTS record %u is 0x%" PRIx64 " => 0x%" PRIx64 ", expected 0x%" PRIx64 " => 0x%" PRIx64, n,
                      record.from, record.to, want ? want->from : 0, want ? want->to : 0);
    }
}

static void trace(struct test_run *run)
{
    const struct workload *workload = run->test->argument;
    struct window window;

    test_plan(run, branch_count(workload, BRANCH_KINDS_ALL));
    if (!records_open(run, &roomy))
        return;
    transfers_prepare(run->caps, workload);
    window = bts_window(run->caps, false);
    workload->run(&window);
    transfers_restore();
    records_close(run, 0);
    compare(run, workload);
}

#define TRANSFER .source = SDM_MONITORING, GROUP, .run = trace

TESTS(transfers) = {
    { "bts.far", "Far jumps, calls and returns are branches", TRANSFER, .argument = &workload_far },
    { "bts.exception.fault",
      "A fault-class exception (#UD) is stored as a branch from the instruction that raised it to its handler",
      TRANSFER, .argument = &workload_invalid },
    { "bts.exception.trap",
      "A trap-class exception (#BP) is stored as a branch from the instruction that raised it, not from the return "
      "address",
      TRANSFER, .argument = &workload_breakpoint },
    { "bts.exception.page_fault", "A page fault is stored as a branch from the instruction whose access failed",
      TRANSFER, .argument = &workload_page },
    { "bts.interrupt.hardware",
      "A hardware interrupt is stored as a branch from its return address, and its IRET as a branch back", TRANSFER,
      .argument = &workload_self },
    { "bts.system_call", "SYSCALL and SYSRET are branches; outside 64-bit mode, so is SYSENTER", TRANSFER,
      .lacks = transfers_no_system_call, .argument = &workload_system_call },
};
