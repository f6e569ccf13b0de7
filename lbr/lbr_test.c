/* SPDX-License-Identifier: MIT */
/*
 * Branches in registers. Interrupts are disabled while the stack records, because it would record them. The freeze
 * tests enable them for the interrupt that freezes.
 */
#include "suite/suite.h"

#include "kernel/firmware.h"

#define GROUP .needs = NEED_LBR, .records = true

TESTS(recorded) = {
    { "lbr.calls", "The stack holds nested calls and returns, the newest at the top", SDM_LBR_STACK, GROUP,
      .run = lbr_record_all, .argument = &workload_calls },
    { "lbr.kinds", "Every kind of near branch is recorded if it is taken, and not otherwise", SDM_MONITORING, GROUP,
      .run = lbr_record_all, .argument = &workload_kinds },
    { "lbr.wrap", "After more branches than entries the stack holds the newest ones", SDM_LBR_STACK, GROUP,
      .run = lbr_record_all, .argument = &workload_long_loop },
};

static void info(struct test_run *run)
{
    uint64_t cycles = 0;

    lbr_record(run, &workload_long_loop, LBR_NO_FILTER);
    for (unsigned age = 0; age < lbr_recorded.depth && lbr_recorded.error == LBR_DECODE_OK; age++)
        cycles += lbr_recorded.entries[age].cycles;
    if (!cycles)
        test_differs(run, "no entry of the loop counted a cycle");
}

/* After thousands of equal outcomes every predictor expects the next one. */
static void predicted(struct test_run *run)
{
    unsigned surprised = 0;

    lbr_record(run, &workload_long_loop, LBR_NO_FILTER);
    for (unsigned age = 0; age < lbr_recorded.depth && lbr_recorded.error == LBR_DECODE_OK; age++)
        surprised += lbr_recorded.entries[age].mispredicted;
    test_equal(run, "branches of a steady loop that are marked as mispredicted", surprised, 0);
}

static void software_interrupt(struct test_run *run)
{
    interrupt_set_raw(VECTOR_WORKLOAD, workload_interrupt_entry, false);
    lbr_record_all(run);
}

/* The top-of-stack pointer counts up by one with each entry, modulo the depth. */
static void top_of_stack(struct test_run *run)
{
    unsigned before = (unsigned)msr_get(run->caps->lbr_tos);
    unsigned count = branch_count(&workload_calls, BRANCH_KINDS_ALL);

    lbr_record(run, &workload_calls, LBR_NO_FILTER);
    test_equal(run, "top of stack", lbr_recorded.tos, (before + count) % run->caps->lbr_depth);
}

/*
 * A call pushes an entry and its return pops it, so the calls that have not returned are left at the end. The filter
 * admits only calls and returns, as the manual requires. A popped entry may remain in its register, past the top. SDM
 * Vol. 3B (253669-081), "LBR Stack Enhancement" (Haswell).
 */
static void call_stack(struct test_run *run)
{
    test_plan(run, (unsigned)workload_open_calls.branch_count);
    lbr_run(run, &workload_open_calls,
            LBR_SELECT_CALL_STACK | LBR_SELECT_JCC | LBR_SELECT_NEAR_IND_JMP | LBR_SELECT_NEAR_REL_JMP |
                LBR_SELECT_FAR_BRANCH);
    lbr_clear(run, LBR_NO_FILTER);
    if (lbr_recorded.error != LBR_DECODE_OK)
        return;
    for (unsigned age = 0; age < run->expected; age++)
        test_saw(run, lbr_is_used(&lbr_recorded.entries[age]));
    lbr_compare(run, &workload_open_calls, BRANCH_KINDS_ALL, run->expected);
}

TESTS(entries) = {
    { "lbr.info", "LBR_INFO marks the branches of a loop as outside transactions, and typically counts their cycles",
      SDM_LBR_INFO, .needs = NEED_LBR | NEED_LBR_INFO, .records = true, .run = info },
    { "lbr.predicted", "LBR_INFO marks the branches of a steady loop as predicted", SDM_LBR_INFO,
      .typical = "The manual defines the bit, but does not promise that any branch is predicted.",
      .needs = NEED_LBR | NEED_LBR_INFO, .records = true, .run = predicted },
    { "lbr.software_interrupt", "INT n and IRET are recorded as branches", SDM_LBR_STACK, GROUP,
      .run = software_interrupt, .argument = &workload_interrupt },
    { "lbr.tos", "The top-of-stack pointer advances by one with each branch, modulo the depth", SDM_LBR_TOS,
      .needs = NEED_LBR | NEED_LBR_TOS, .records = true, .run = top_of_stack },
    { "lbr.call_stack", "In call-stack mode the newest entries are the calls that have not returned",
      SDM_LBR_CALL_STACK, .needs = NEED_LBR | NEED_LBR_SELECT | NEED_LBR_CALLSTACK, .records = true,
      .run = call_stack },
};

/* ---- freeze on PMI: the stack as it was when the interrupt fell due ------------------------------------------- */

/* Bits of IA32_PERF_GLOBAL_STATUS that Intel PT, an uncore, an enclave or a change of conditions may set. */
#define OTHERS (MSR_BIT(55) | MSR_BIT(61) | GLOBAL_STATUS_ASCI | GLOBAL_STATUS_COND_CHGD)

static const struct caps *frozen_caps;
static uint64_t frozen_status, frozen_debugctl, frozen_on;
static unsigned frozen_count;

static void read_frozen(uint64_t status)
{
    if (!frozen_count++) {
        frozen_status = status;
        frozen_debugctl = msr_get(MSR_IA32_DEBUGCTL);
        lbr_read(frozen_caps, &lbr_recorded);
    }
}

/* Enables the freeze and runs a long loop, after setting up the counter that will interrupt it. */
static void run_frozen(struct test_run *run)
{
    struct window recording, counting = pebs_window(run->caps, 1);

    frozen_caps = run->caps;
    frozen_count = 0;
    ds_on_interrupt(read_frozen);
    lbr_empty(run, LBR_NO_FILTER, &lbr_recorded);
    frozen_on = msr_get(MSR_IA32_DEBUGCTL) | run->caps->debugctl->freeze_lbrs;
    recording = lbr_window(run->caps, run->caps->debugctl->freeze_lbrs);
    msr_write((uint32_t)recording.msr, recording.on);
    workload_turns.run(&counting);
    msr_write((uint32_t)recording.msr, recording.off);
    records_close(run, 1);
    lbr_print(run);
}

/* The branches of workload_turns alternate, so that a copy of an entry is noticed. The oldest entry may be either. */
static void check_turns(struct test_run *run)
{
    const struct branch *const turns = workload_turns.branches;
    const struct lbr_entry *const newest = &lbr_recorded.entries[0];
    const unsigned from = HAS_ERRATUM(BJ094) | HAS_ERRATUM(SKL186) | HAS_ERRATUM(LBR_COPY);
    unsigned turn = lbr_recorded.entries[run->caps->lbr_depth - 1].from == turns[1].from;

    for (unsigned age = run->caps->lbr_depth; --age > 0; turn ^= 1)
        lbr_compare_entry(run, age, &lbr_recorded.entries[age], &turns[turn]);
    if (newest->from != turns[turn].from && errata_any(run, from))
        errata_explain(run, from, "From of the newest LBR entry is 0x%" PRIx64, newest->from);
    else
        lbr_compare_entry(run, 0, newest, &turns[turn]);
}

/*
 * Checks the stack and the registers in the handler, and the status after it. Versions 2 and 3 clear the enable bit.
 * Later versions set a status bit until it is acknowledged. cause: what else the status has; `may`: bits that it may
 * have.
 */
static void check_frozen(struct test_run *run, uint64_t cause, uint64_t may)
{
    const bool legacy = run->caps->freeze == CAPS_FREEZE_LEGACY;
    const uint64_t ours = ~(may | OTHERS), flag = run->caps->arch_lbr ? 0 : run->caps->debugctl->lbr;

    test_equal(run, "IA32_DEBUGCTL in the handler", frozen_debugctl, frozen_on | (legacy ? 0 : flag));
    test_equal(run, "IA32_PERF_GLOBAL_STATUS in the handler", frozen_status & ours,
               cause | (legacy ? 0 : GLOBAL_STATUS_LBR_FRZ));
    check_turns(run);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS after its acknowledgement", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & ours,
               0);
}

/* A counter's own overflow freezes the stack. This also covers processors without a precise event. */
static void freeze_overflow(struct test_run *run)
{
    const struct ds_config neither = { .bts = false };
    const uint64_t branches = 0x00c4 | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_INT | PERFEVTSEL_EN;

    test_plan(run, run->caps->lbr_depth);
    if (!records_open(run, &neither))
        return;
    counter_program(0, branches, 0 - UINT64_C(2000), run->caps->full_width_write);
    run_frozen(run);
    test_saw(run, lbr_used(&lbr_recorded));
    check_frozen(run, MSR_BIT(0), 0);
}

/*
 * The 2001st branch of a loop writes a PEBS record, which raises the interrupt at the threshold of one. In the
 * frozen stack the newest entry is the workload's: the interrupt and its handler's branches must be absent.
 */
static void freeze(struct test_run *run)
{
    const struct ds_config config = {
        .pebs = true, .pebs_records = 8, .pebs_threshold = 1, .pebs_reset = { 0 - UINT64_C(2000) }
    };
    const struct pebs_sampling sampling = { .event = pebs_find_event(run->caps, PEBS_ROLE_BRANCHES),
                                            .period = 2000,
                                            .rings = PERFEVTSEL_USR | PERFEVTSEL_OS };

    test_plan(run, 1);
    if (!records_open(run, &config))
        return;
    pebs_program(run->caps, &sampling);
    run_frozen(run);
    test_saw(run, ds_pebs_log()->records);
    check_frozen(run, run->caps->pebs_method == PEBS_METHOD_ARCH ? GLOBAL_STATUS_PEBS : GLOBAL_STATUS_DS_BUFFER,
                 MSR_BIT(0));
}

static const char *trace_was_off(const struct caps *caps)
{
    return caps->arch_lbr                                        ? "architectural LBRs are not in IA32_DEBUGCTL"
           : firmware_left(MSR_IA32_RTIT_CTL) & RTIT_CTL_TRACEEN ? NULL
                                                                 : "firmware left Intel PT off, or there is none";
}

/* Turns Intel PT on again, as firmware set it up, for the time of one WRMSR. */
static void with_trace(struct test_run *run)
{
    const uint64_t lbr = run->caps->debugctl->lbr, trace = firmware_left(MSR_IA32_RTIT_CTL);

    msr_write(MSR_IA32_RTIT_CTL, trace);
    const bool accepted = msr_try(MSR_IA32_DEBUGCTL, lbr);

    msr_write(MSR_IA32_DEBUGCTL, 0);
    msr_write(MSR_IA32_RTIT_CTL, trace & ~RTIT_CTL_TRACEEN);
    errata_equal(run, HAS_ERRATUM(BDM104), "whether IA32_DEBUGCTL.LBR is accepted while Intel PT is on", accepted,
                 true);
    test_equal(run, "whether IA32_DEBUGCTL.LBR is accepted while Intel PT is off", msr_try(MSR_IA32_DEBUGCTL, lbr),
               true);
}

TESTS(freezes) = {
    { "lbr.freeze_on_overflow", "FREEZE_LBRS_ON_PMI keeps the interrupt of a counter's overflow out of the stack",
      SDM_FREEZE, .needs = NEED_APIC | NEED_DS | NEED_LBR | NEED_FREEZE, .records = true, .run = freeze_overflow },
    { "lbr.freeze_on_pmi",
      "FREEZE_LBRS_ON_PMI keeps the interrupt and its handler out of the stack until it is acknowledged", SDM_FREEZE,
      .needs = NEED_APIC | NEED_LBR | NEED_FREEZE | NEED_PEBS | NEED_EVENT_BRANCHES, .records = true, .run = freeze },
    { "lbr.with_trace",
      "IA32_DEBUGCTL.LBR can be set once Intel PT, which firmware left on, is off; typically also before",
      "Intel, \"5th Generation Intel Core Processor Family, Specification Update\" (330836), BDM104",
      .typical = "Processors may exclude LBRs while Intel PT is on.", .needs = NEED_LBR, .lacks = trace_was_off,
      .run = with_trace },
};
