/* SPDX-License-Identifier: MIT */
/*
 * The state after reset. On a real machine, firmware may have written any of these registers, and this program cannot
 * detect that. So these tests run only on virtual machines, whose firmware typically does not use them.
 */
#include <inttypes.h>

#include "kernel/test.h"
#include "kernel/reset_state.h"
#include "suite/support/sources.h"

#define FIRMWARE_FIRST "Firmware runs first, and may change these registers."

static const char *firmware_unknown(const struct caps *caps)
{
    return caps->hypervisor ? NULL : "no virtual machine: what firmware did to the state after reset cannot be known";
}

static const char *no_select(const struct caps *caps)
{
    return caps->lbr_select ? firmware_unknown(caps) : "no MSR_LBR_SELECT: IA32_LBR_CTL filters";
}

static void global_ctrl(struct test_run *run)
{
    test_equal(run, "IA32_PERF_GLOBAL_CTRL after reset", reset_state()->global_ctrl & ~run->caps->general_possible,
               run->caps->general_counters);
}

static void counters(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count && n < RESET_COUNTERS; n++) {
        if (reset_state()->event_select[n] || reset_state()->counter[n])
            test_fail(run, "after reset counter %u is 0x%" PRIx64 ", and its event select 0x%" PRIx64, n,
                      reset_state()->counter[n], reset_state()->event_select[n]);
    }
}

static void lbr_select(struct test_run *run)
{
    test_equal(run, "MSR_LBR_SELECT after reset", reset_state()->lbr_select, 0);
}

TESTS(after_reset) = {
    { "perfmon.reset.global_ctrl",
      "After reset IA32_PERF_GLOBAL_CTRL has the bits of the general counters set, and no other", SDM_RESET,
      .typical = FIRMWARE_FIRST, .needs = NEED_GLOBAL_CTRL, .lacks = firmware_unknown, .run = global_ctrl },
    { "perfmon.reset.counters", "After reset the general counters and their event selects are 0", SDM_RESET,
      .typical = FIRMWARE_FIRST, .needs = NEED_PERFMON, .lacks = firmware_unknown, .run = counters },
    { "lbr.reset.select", "After reset MSR_LBR_SELECT is 0: every branch is recorded",
      SDM_2009 "\"Filtering of Last Branch Records\", 16.6.2", .typical = FIRMWARE_FIRST,
      .needs = NEED_LBR | NEED_LBR_SELECT, .lacks = no_select, .run = lbr_select },
};
