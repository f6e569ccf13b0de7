/* SPDX-License-Identifier: MIT */
/* The LBR stack when it is off, full, filtered by one bit, or written by software, and other events that it records. */
#include "suite/suite.h"

#define GROUP .needs = NEED_LBR | NEED_LBR_SELECT, .records = true

static unsigned at_most(unsigned count, unsigned most)
{
    return count < most ? count : most;
}

/* ---- the flag ---------------------------------------------------------------------------------------------------- */

/* Runs another workload with the flag clear. The stack must stay as the first workload left it. */
static void stopped(struct test_run *run)
{
    static struct lbr_stack before;
    struct window window;

    lbr_record(run, &workload_calls, LBR_NO_FILTER);
    before = lbr_recorded;
    window = lbr_window(run->caps, 0);
    window.on = window.off;
    interrupts_off();
    workload_kinds.run(&window);
    lbr_read(run->caps, &lbr_recorded);
    interrupts_on();
    if (!lbr_same(&lbr_recorded, &before))
        test_fail(run, "the LBR stack has changed");
}

TEST(lbr_stopped) = {
    .id = "lbr.stopped",
    .title = "While the LBR flag is clear, no branch is recorded and the entries stay unchanged",
    .source = SDM_MONITORING,
    .needs = NEED_LBR,
    .records = true,
    .run = stopped,
};

/* ---- the registers ----------------------------------------------------------------------------------------------- */

/* A value with the register's own number in it. As an address it fits every form and width of entry. */
static uint64_t own_value(uint64_t kind, unsigned entry)
{
    return 0x10000 * kind + 0x100 * (entry + 1);
}

static void registers(struct test_run *run)
{
    const struct caps *caps = run->caps;
    static const char *const names[] = { "INFO register", "FROM register", "TO register" };
    const uint32_t first[] = { caps->lbr_info, caps->lbr_from, caps->lbr_to }; /* INFO has 16 bits on every processor */
    const unsigned kinds = sizeof first / sizeof first[0];

    for (unsigned n = 0; n < kinds * caps->lbr_depth; n++)
        if (first[n % kinds])
            msr_write(first[n % kinds] + n / kinds, own_value(n % kinds, n / kinds));
    for (unsigned n = 0; n < kinds * caps->lbr_depth; n++)
        if (first[n % kinds])
            test_equal(run, names[n % kinds], msr_get(first[n % kinds] + n / kinds), own_value(n % kinds, n / kinds));
    lbr_clear(run, LBR_NO_FILTER);
}

static void tos_wraps(struct test_run *run)
{
    const unsigned before = (unsigned)msr_get(run->caps->lbr_tos), depth = run->caps->lbr_depth;
    const unsigned count = branch_count(&workload_loop, BRANCH_KINDS_ALL);
    unsigned laps = depth / (count % depth ? count % depth : 1) + 1;

    test_plan(run, depth);
    for (unsigned lap = 1; lap <= laps; lap++) {
        struct window window = lbr_window(run->caps, 0);
        interrupts_off();
        workload_loop.run(&window);
        lbr_read(run->caps, &lbr_recorded);
        interrupts_on();
        test_equal(run, "top of stack", lbr_recorded.tos, (before + lap * count) % depth);
        lbr_compare(run, &workload_loop, BRANCH_KINDS_ALL, at_most(count, depth));
    }
    lbr_print(run);
    test_saw(run, lbr_used(&lbr_recorded));
}

TESTS(stack_registers) = {
    { "lbr.registers", "Each register of the LBR stack is distinct, and software can write it and read it back",
      "SDM Vol. 4 (335592-081), \"Model-Specific Registers (MSRs)\", MSR_LASTBRANCH_x_FROM_IP and _TO_IP (R/W), "
      "MSR_LBR_INFO_x, IA32_LBR_x_INFO",
      .needs = NEED_LBR, .lacks = lbr_is_read_only, .run = registers },
    { "lbr.tos.wrap", "From its highest value the top-of-stack pointer wraps to 0", SDM_LBR_TOS,
      .needs = NEED_LBR | NEED_LBR_TOS, .records = true, .run = tos_wraps },
};

/* ---- filters, one bit each --------------------------------------------------------------------------------------- */

/*
 * On Nehalem and Westmere, a filter that omits jumps may also omit any of the calls and returns. All other branches
 * must be present, in the workload's order, and no omitted kind of branch.
 */
static void record_without_jumps(struct test_run *run, uint64_t suppress)
{
    const uint64_t optional = LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL | LBR_SELECT_NEAR_RET;
    struct branch_walk walk = { &workload_kinds, ~suppress, 0, 0 };

    test_plan_between(run, at_most(branch_count(&workload_kinds, ~(suppress | optional)), run->caps->lbr_depth),
                      branch_count(&workload_kinds, ~suppress));
    test_saw(run, lbr_run(run, &workload_kinds, suppress));
    for (unsigned age = lbr_recorded.depth; age-- > 0;) {
        const struct lbr_entry *got = &lbr_recorded.entries[age];
        const struct branch *want;
        if (!lbr_is_used(got))
            continue;
        do
            want = branch_next(&walk);
        while (want && want->kind & optional && (want->from != got->from || want->to != got->to));
        if (!want || want->from != got->from || want->to != got->to)
            test_fail(run,
                      "LBR entry %u, 0x%" PRIx64 " => 0x%" PRIx64 ", is not the next branch that passes the filter",
                      age, got->from, got->to);
    }
}

struct filter {
    const struct workload *workload;
    uint64_t bit;
};

static void select_one(struct test_run *run)
{
    const struct filter *filter = run->test->argument;

    if (run->caps->lbr_select_jumps_quirk && filter->bit & (LBR_SELECT_NEAR_IND_JMP | LBR_SELECT_NEAR_REL_JMP))
        record_without_jumps(run, filter->bit);
    else
        lbr_record(run, filter->workload, filter->bit);
    lbr_clear(run, LBR_NO_FILTER);
}

#define SELECT .source = SDM_LBR_SELECT, GROUP, .run = select_one

TESTS(selects) = {
    { "lbr.select.jcc", "LBR_SELECT JCC omits conditional branches and no others", SELECT,
      .argument = &(const struct filter){ &workload_kinds, LBR_SELECT_JCC } },
    { "lbr.select.returns", "LBR_SELECT NEAR_RET omits near returns and no others", SELECT,
      .argument = &(const struct filter){ &workload_kinds, LBR_SELECT_NEAR_RET } },
    { "lbr.select.near_rel_call", "LBR_SELECT NEAR_REL_CALL omits relative calls and no indirect ones", SELECT,
      .argument = &(const struct filter){ &workload_kinds, LBR_SELECT_NEAR_REL_CALL } },
    { "lbr.select.near_ind_call", "LBR_SELECT NEAR_IND_CALL omits indirect calls and no relative ones", SELECT,
      .argument = &(const struct filter){ &workload_kinds, LBR_SELECT_NEAR_IND_CALL } },
    { "lbr.select.near_rel_jmp", "LBR_SELECT NEAR_REL_JMP omits relative jumps and no indirect ones", SELECT,
      .argument = &(const struct filter){ &workload_kinds, LBR_SELECT_NEAR_REL_JMP } },
    { "lbr.select.near_ind_jmp", "LBR_SELECT NEAR_IND_JMP omits indirect jumps and no relative ones", SELECT,
      .argument = &(const struct filter){ &workload_kinds, LBR_SELECT_NEAR_IND_JMP } },
    { "lbr.select.far_branch", "LBR_SELECT FAR_BRANCH omits far jumps, calls and returns, and no near branch", SELECT,
      .argument = &(const struct filter){ &workload_far, LBR_SELECT_FAR_BRANCH } },
};

/* ---- filters by privilege level ---------------------------------------------------------------------------------- */

static bool in_user(uint64_t address)
{
    return address >= (uintptr_t)user_start && address < (uintptr_t)user_end;
}

/*
 * The workload branches in both rings, last at CPL 3, and once into each ring. The filter uses the level at which a
 * branch ends. Returns how many entries begin and end in the recorded ring.
 */
static unsigned of_ring(struct test_run *run, uint64_t select, bool user)
{
    const int cpl = user ? 3 : 0, other = user ? 0 : 3;
    const struct workload *const own = user ? &workload_user : &workload_calls;
    struct window window;
    unsigned found = 0, crossed = 0, count;

    interrupts_off();
    lbr_empty(run, select, &lbr_recorded);
    window = lbr_window(run->caps, 0);
    workload_calls.run(&window);
    workload_user.run(&window);
    lbr_read(run->caps, &lbr_recorded);
    lbr_clear(run, LBR_NO_FILTER);
    interrupts_on();
    lbr_print(run);
    count = lbr_compare_own(run, own, lbr_recorded.depth);
    if (lbr_used(&lbr_recorded) < lbr_recorded.depth) /* a full stack may lack the first ones */
        test_equal(run, "number of the workload's entries", count, branch_count(own, BRANCH_KINDS_ALL));
    for (unsigned age = 0; age < lbr_recorded.depth; age++) {
        const struct lbr_entry *entry = &lbr_recorded.entries[age];
        if (!lbr_is_used(entry))
            continue;
        const bool concealed = run->caps->arch_lbr && entry->from == LBR_FROM_FILTERED;
        const bool crosses = concealed || in_user(entry->from) != user;
        if (in_user(entry->to) != user) {
            test_fail(run, "LBR entry %u is a branch to CPL %d", age, other);
            continue;
        }
        *(crosses ? &crossed : &found) += 1;
        if (crosses && run->caps->arch_lbr && !concealed)
            test_fail(run, "LBR entry %u shows its source at CPL %d, which is filtered out", age, other);
    }
    if (crossed != 1)
        test_fail(run, "%u LBR entries are branches from CPL %d to CPL %d, expected 1", crossed, other, cpl);
    return found;
}

static void user_only(struct test_run *run)
{
    test_plan(run, branch_count(&workload_user, BRANCH_KINDS_ALL));
    test_saw(run, of_ring(run, LBR_SELECT_CPL_EQ_0, true));
}

static void system_only(struct test_run *run)
{
    test_plan_between(run, 1, run->caps->lbr_depth);
    test_saw(run, of_ring(run, LBR_SELECT_CPL_NEQ_0, false));
}

TESTS(selects_by_ring) = {
    { "lbr.select.cpl_eq_0", "LBR_SELECT CPL_EQ_0 omits every branch that ends at CPL 0 and none that ends at CPL 3",
      SDM_LBR_SELECT, GROUP, .run = user_only },
    { "lbr.select.cpl_neq_0",
      "LBR_SELECT CPL_NEQ_0 omits every branch that ends at CPL 3 and keeps those that end at CPL 0", SDM_LBR_SELECT,
      GROUP, .run = system_only },
};

/* ---- what else is a branch --------------------------------------------------------------------------------------- */

/* Compares the entries of the workload's own branches. */
static void record_sources(struct test_run *run, const struct workload *workload)
{
    unsigned recorded;

    transfers_prepare(run->caps, workload);
    recorded = lbr_run(run, workload, LBR_NO_FILTER);
    transfers_restore();
    test_saw(run, lbr_compare_own(run, workload, recorded));
}

static void based(struct test_run *run)
{
    const unsigned format = run->caps->lbr_format;
    const struct lbr_entry *const got = lbr_recorded.entries;
    bool linear = format == LBR_FORMAT_LIP || format == LBR_FORMAT_TIME || format == LBR_FORMAT_INFO2;

    test_plan(run, 3);
    test_saw(run, lbr_run(run, &workload_based, LBR_NO_FILTER));
    if (format == LBR_FORMAT_ARCH)
        linear = cpuid(0x1c, 0).eax >> 31;
    if (format == LBR_FORMAT_32) /* editions of the manual contradict each other: all addresses must be of one kind */
        linear = got[1].from == workload_based.branches[1].from;
    for (unsigned n = 0; n < 3; n++) { /* a jump into the segment, one inside it, one out of it */
        const uint64_t base = linear ? 0 : 0x1000;
        struct branch want = workload_based.branches[n];
        want.from -= n > 0 ? base : 0;
        want.to -= n < 2 ? base : 0;
        lbr_compare_entry(run, 2 - n, &got[2 - n], &want);
    }
}

static void exceptions(struct test_run *run)
{
    static const struct workload *const workloads[] = { &workload_invalid, &workload_breakpoint, &workload_page };
    unsigned expected = 0;

    for (unsigned i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        expected += branch_count(workloads[i], BRANCH_KINDS_ALL);
    test_plan(run, expected);
    for (unsigned i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        record_sources(run, workloads[i]);
}

TESTS(branch_sources) = {
    /* A stack that is too small for all branches must have the newest. */
    { "lbr.far", "Far jumps, calls and returns are recorded", SDM_LBR_STACK, .needs = NEED_LBR, .records = true,
      .run = lbr_record_all, .argument = &workload_far },
    { "lbr.code_base",
      "In a code segment with another base than 0, entries have linear or effective addresses, as "
      "IA32_PERF_CAPABILITIES or CPUID.1CH:EAX[31] reports",
      SDM_2023 "\"LBR Stack and Intel 64 Processors\"; " SDM_2023 "\"Last Branch Records\"", .needs = NEED_LBR,
      .records = true, .run = based },
    { "lbr.exceptions",
      "Exceptions (#UD, #BP, #PF) are recorded from the instruction that raised them to their handler", SDM_LBR_STACK,
      .needs = NEED_LBR, .records = true, .run = exceptions },
};

static void all_sources(struct test_run *run)
{
    const struct workload *workload = run->test->argument;

    test_plan(run, branch_count(workload, BRANCH_KINDS_ALL));
    record_sources(run, workload);
}

/* The way back from CPL 3 also takes entries. */
static const char *too_shallow(const struct caps *caps)
{
    return caps->lbr_depth >= 8 ? NULL : "the stack has too few entries for the branches after those at CPL 3";
}

TESTS(sources) = {
    { "lbr.hardware_interrupt", "A hardware interrupt is recorded as a branch from its return address", SDM_LBR_STACK,
      .records = true, .run = all_sources, .needs = NEED_APIC | NEED_LBR, .argument = &workload_self },
    { "lbr.user", "Branches at CPL 3 are recorded unless a filter omits them", SDM_MONITORING, .records = true,
      .run = all_sources, .needs = NEED_LBR, .lacks = too_shallow, .argument = &workload_user },
};

/* ---- debug exceptions -------------------------------------------------------------------------------------------- */

#define FLAGS_TRAP ((uintptr_t)1 << 8)

/* The register that enables the stack, as the handler reads it. */
static uint32_t enable_register;
static uint64_t enable_in_handler;

static void on_debug(struct interrupt_frame *frame)
{
    enable_in_handler = msr_get(enable_register);
    frame->flags &= ~FLAGS_TRAP;
}

static void record_step(struct test_run *run)
{
    const bool arch = run->caps->lbr_layout == LBR_LAYOUT_ARCH;
    const struct window window = lbr_window(run->caps, 0);

    enable_in_handler = UINT64_MAX;
    enable_register = (uint32_t)window.msr;
    interrupt_set(VECTOR_DEBUG, on_debug);
    test_saw(run, lbr_run(run, &workload_step, LBR_NO_FILTER));
    interrupt_set(VECTOR_DEBUG, NULL);
    test_equal(run, "register of the LBR flag in the handler of a debug exception", enable_in_handler,
               arch ? lbr_arch_control(LBR_NO_FILTER) : window.off);
    if (!arch) /* the manual does not promise it for architectural LBRs */
        lbr_compare(run, &workload_step, BRANCH_KINDS_ALL, branch_count(&workload_step, BRANCH_KINDS_ALL));
}

static void debug_exception_disables(struct test_run *run)
{
    test_plan_between(run, branch_count(&workload_step, BRANCH_KINDS_ALL), run->caps->lbr_depth);
    record_step(run);
}

static const char *architectural(const struct caps *caps)
{
    return caps->lbr_layout == LBR_LAYOUT_ARCH ? "the manual does not promise it for architectural LBRs" : NULL;
}

static void debug_exception_kept_out(struct test_run *run)
{
    test_plan(run, branch_count(&workload_step, BRANCH_KINDS_ALL));
    record_step(run);
}

TESTS(debug_exceptions) = {
    { "lbr.debug_exception.disables",
      "A debug exception clears the bit that enables the stack before its handler begins",
      SDM_MONITORING "; " SDM_2023 "\"Last Branch Records\": LBREn and #DB", .needs = NEED_LBR, .records = true,
      .run = debug_exception_disables },
    { "lbr.debug_exception.kept_out", "A debug exception is not recorded, and the earlier entries stay", SDM_MONITORING,
      .needs = NEED_LBR, .lacks = architectural, .records = true, .run = debug_exception_kept_out },
};

/* ---- what an entry says ------------------------------------------------------------------------------------------ */

static const char *no_mispredict_flag(const struct caps *caps)
{
    return caps->lbr_layout == LBR_LAYOUT_ARCH || (caps->lbr_format >= 3 && caps->lbr_format <= 7)
               ? NULL
               : "no mispredict flag: this LBR format has none";
}

/* Two targets without a pattern. A predictor may guess many of them, but at least one in eight must be mispredicted. */
static void mispredicted(struct test_run *run)
{
    const uint64_t jump = workload_surprises.branches[0].from;
    unsigned jumps = 0, surprised = 0;

    lbr_record(run, &workload_surprises, LBR_NO_FILTER);
    for (unsigned age = 0; age < lbr_recorded.depth && lbr_recorded.error == LBR_DECODE_OK; age++) {
        const struct lbr_entry *entry = &lbr_recorded.entries[age];
        jumps += entry->from == jump;
        surprised += entry->from == jump && entry->mispredicted;
    }
    console_note("%u of %u jumps without a pattern were mispredicted", surprised, jumps);
    if (surprised < jumps / 8 || !surprised)
        test_fail(run, "%u of %u jumps are marked as mispredicted, expected at least one in eight", surprised, jumps);
}

TEST(lbr_mispredicted) = {
    .id = "lbr.mispredicted",
    .title = "MISPRED is set for indirect jumps whose targets cannot be predicted",
    .source = SDM_2009 "\"LBR Stack\" (Nehalem), 16.6.1, table 16-6, read as in later editions; " SDM_LBR_INFO,
    .typical = "The manual defines the bit, but does not promise that any branch is mispredicted.",
    .needs = NEED_LBR,
    .lacks = no_mispredict_flag,
    .records = true,
    .run = mispredicted,
};

/* ---- the call stack ---------------------------------------------------------------------------------------------- */

#define CALLS_AND_RETURNS \
    (LBR_SELECT_CALL_STACK | LBR_SELECT_JCC | LBR_SELECT_NEAR_IND_JMP | LBR_SELECT_NEAR_REL_JMP | LBR_SELECT_FAR_BRANCH)

/* Every call has returned, so the top is at its old position. */
static void call_stack_empty(struct test_run *run)
{
    const uint64_t before = run->caps->lbr_tos ? msr_get(run->caps->lbr_tos) : 0;

    test_plan(run, 0);
    lbr_run(run, &workload_calls, CALLS_AND_RETURNS);
    lbr_clear(run, LBR_NO_FILTER);
    if (lbr_recorded.error != LBR_DECODE_OK)
        return;
    test_equal(run, "top of stack", lbr_recorded.tos, before);
    test_saw(run, lbr_is_used(&lbr_recorded.entries[0]));
}

TEST(lbr_call_stack_empty) = {
    .id = "lbr.call_stack.empty",
    .title = "In call-stack mode, the stack is unchanged once every call has returned",
    .source = SDM_LBR_CALL_STACK,
    .needs = NEED_LBR | NEED_LBR_SELECT | NEED_LBR_CALLSTACK,
    .records = true,
    .run = call_stack_empty,
};

/* ---- after a freeze ---------------------------------------------------------------------------------------------- */

/*
 * The overflow of a counter freezes the stack, and its interrupt is handled and acknowledged. Before version 4 of
 * performance monitoring, software must then set the enable bit again. From version 4 on, the acknowledgement unfreezes
 * the stack.
 */
static void released(struct test_run *run)
{
    const struct ds_config neither = { .bts = false };
    const uint64_t branches = 0x00c4 | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_INT | PERFEVTSEL_EN;
    struct window recording, counting = pebs_window(run->caps, 1);
    unsigned expected = at_most(branch_count(&workload_calls, BRANCH_KINDS_ALL), run->caps->lbr_depth);

    test_plan(run, expected);
    if (!records_open(run, &neither))
        return;
    counter_program(0, branches, 0 - UINT64_C(2000), run->caps->full_width_write);
    lbr_empty(run, LBR_NO_FILTER, &lbr_recorded);
    recording = lbr_window(run->caps, run->caps->debugctl->freeze_lbrs);
    msr_write((uint32_t)recording.msr, recording.on);
    workload_long_loop.run(&counting);
    msr_write((uint32_t)recording.msr, recording.off);
    records_close(run, 1);
    interrupts_off();
    workload_calls.run(&recording);
    lbr_read(run->caps, &lbr_recorded);
    interrupts_on();
    lbr_print(run);
    lbr_compare(run, &workload_calls, BRANCH_KINDS_ALL, expected);
    for (unsigned age = 0; age < expected; age++)
        test_saw(run, lbr_is_used(&lbr_recorded.entries[age]));
}

TEST(lbr_freeze_released) = {
    .id = "lbr.freeze_released",
    .title = "Once the freezing interrupt is acknowledged, the enabled stack records again",
    .source = SDM_FREEZE "; " SDM_FREEZE_STREAM,
    .needs = NEED_APIC | NEED_DS | NEED_LBR | NEED_FREEZE,
    .records = true,
    .run = released,
};
