/* SPDX-License-Identifier: MIT */
/*
 * Counters that do not sample: their width, writes, enabling, counts, overflow and its status. Every count uses
 * suite/support/count.h.
 */
#include "suite/suite.h"

#include "suite/support/count.h"

#define INSTRUCTIONS UINT64_C(0x00c0) /* INST_RETIRED.ANY_P, architectural */
#define BRANCHES     UINT64_C(0x00c4) /* BR_INST_RETIRED.ALL_BRANCHES, architectural */
#define ENABLED      PERFEVTSEL_EN
#define BOTH_RINGS   (PERFEVTSEL_USR | PERFEVTSEL_OS)

#define GENERAL(n) (UINT64_C(1) << (n))
#define FIXED(n)   (UINT64_C(1) << (32 + (n)))

#define FIXED_RINGS_BOTH UINT64_C(3)

/* The sign bit of a value that is loaded by a 32-bit write. */
#define LEGACY_SIGN UINT64_C(0x80000000)

static const char *no_fixed(const struct caps *caps)
{
    return caps->fixed_count ? NULL : "no fixed counter (CPUID.0AH:EDX[4:0] is 0)";
}

static const char *no_full_width(const struct caps *caps)
{
    return caps->full_width_write ? NULL : "no full-width writes (IA32_PERF_CAPABILITIES bit 13 clear)";
}

static const char *before_version_4(const struct caps *caps)
{
    return caps->perfmon_version >= 4 ? NULL : "no such register before version 4 (CPUID.0AH:EAX[7:0] is below 4)";
}

static const char *one_counter(const struct caps *caps)
{
    return caps->general_count >= 2 ? NULL : "only one general counter";
}

static uint64_t ones(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

static void program(struct test_run *run, unsigned n, uint64_t select, uint64_t value)
{
    counter_program(n, select, value, run->caps->full_width_write);
}

static uint64_t count(struct test_run *run, unsigned n, uint64_t select, const struct workload *workload)
{
    return count_from(run, n, select, 0, workload);
}

/* ---- the registers ----------------------------------------------------------------------------------------------- */

static void width(struct test_run *run)
{
    const unsigned bits = run->caps->general_width;

    for (unsigned n = 0; n < run->caps->general_count; n++) {
        for (unsigned bit = 0; bit <= bits; bit++) {
            const uint64_t value = bit < bits ? GENERAL(bit) : ones(bits);
            msr_write(MSR_IA32_A_PMC(n), value);
            test_equal(run, "counter with one bit or all bits set", msr_get(MSR_IA32_PMC(n)), value);
        }
    }
}

static void sign_extension(struct test_run *run)
{
    const uint64_t most = ones(run->caps->general_width);

    for (unsigned n = 0; n < run->caps->general_count; n++) {
        msr_write(MSR_IA32_PMC(n), LEGACY_SIGN);
        test_equal(run, "counter after a write of 80000000h", msr_get(MSR_IA32_PMC(n)), most & ~(LEGACY_SIGN - 1));
        msr_write(MSR_IA32_PMC(n), LEGACY_SIGN - 1);
        test_equal(run, "counter after a write of 7fffffffh", msr_get(MSR_IA32_PMC(n)), LEGACY_SIGN - 1);
    }
}

/* The watch of registers reads each value back. */
static void fixed_width(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->fixed_count; n++) {
        msr_write(MSR_IA32_FIXED_CTR(n), ones(run->caps->fixed_width));
        msr_write(MSR_IA32_FIXED_CTR(n), 0);
    }
}

static void rdpmc(struct test_run *run)
{
    const uint64_t branches = count(run, 0, BRANCHES | BOTH_RINGS | ENABLED, &workload_loop);

    for (unsigned n = 0; n < run->caps->general_count; n++) {
        uint64_t value;
        program(run, n, BRANCHES | BOTH_RINGS | ENABLED, 0x1000 * (n + 1));
        count_once(run->caps, GENERAL(n), &workload_loop);
        pmc_read(n, &value); /* 0 if it raises #GP */
        test_equal(run, "RDPMC of a general counter", value, counter_read(n));
        count_equal(run, ERRATA_BRANCHES | (n == 3 ? HAS_ERRATUM(SKL179) : 0), "count read by RDPMC", value,
                    0x1000 * (n + 1) + branches);
    }
}

static void rdpmc_fixed(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->fixed_count; n++) {
        uint64_t value;
        msr_write(MSR_IA32_FIXED_CTR(n), 0x2000 * (n + 1));
        pmc_read(PMC_FIXED | n, &value);
        test_equal(run, "RDPMC of a fixed counter", value, 0x2000 * (n + 1));
    }
}

/* The lowest counter that does not exist, given the mask of those that do. */
static unsigned first_missing(uint64_t counters)
{
    unsigned n = 0;

    while (counters >> n & 1)
        n++;
    return n;
}

/* IA32_PERF_GLOBAL_CTRL has bits for 32 general and 16 fixed counters, so no processor has more. */
static void rdpmc_beyond(struct test_run *run)
{
    static const uint32_t none[] = { 32, PMC_FIXED | 16 };
    const uint32_t missing[] = { first_missing(run->caps->general_counters | run->caps->general_possible),
                                 PMC_FIXED | first_missing(run->caps->fixed_counters | run->caps->fixed_possible) };
    uint64_t value;

    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++)
        if (pmc_read(none[i], &value))
            test_fail(run, "RDPMC of 0x%" PRIx32 " raised no #GP, and read 0x%" PRIx64, none[i], value);
    for (unsigned i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (pmc_read(missing[i], &value))
            test_differs(run, "RDPMC of 0x%" PRIx32 " raised no #GP: there are more counters than CPUID reports",
                         missing[i]);
}

TESTS(widths) = {
    { "perfmon.width",
      "A general counter holds every bit of the width that CPUID reports, if it is written through its full-width "
      "alias",
      SDM_FULL_WIDTH, .needs = NEED_PERFMON, .lacks = no_full_width, .run = width },
    { "perfmon.sign_extension", "A write to IA32_PMCx takes 32 bits and extends their sign to the counter's width",
      SDM_PERFMON_1, .needs = NEED_PERFMON, .run = sign_extension },
    { "perfmon.fixed.width", "A fixed counter holds every bit of the width that CPUID reports", SDM_PERFMON_2,
      .needs = NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = fixed_width },
    { "perfmon.rdpmc", "RDPMC of a general counter reads what RDMSR reads", SDM_RDPMC, .needs = NEED_GLOBAL_CTRL,
      .run = rdpmc },
    { "perfmon.rdpmc.fixed", "RDPMC with ECX bit 30 set reads a fixed counter", SDM_RDPMC, .needs = NEED_GLOBAL_CTRL,
      .lacks = no_fixed, .run = rdpmc_fixed },
    { "perfmon.rdpmc.beyond",
      "RDPMC of a counter that no processor has raises #GP; RDPMC of a counter that CPUID does not report typically "
      "does",
      SDM_RDPMC, .needs = NEED_GLOBAL_CTRL, .run = rdpmc_beyond },
};

/* ---- what it counts ---------------------------------------------------------------------------------------------- */

/* Counts an event over a workload, at all privilege levels. */
static uint64_t count_of(struct test_run *run, uint64_t event, const struct workload *workload)
{
    return count(run, 0, event | BOTH_RINGS | ENABLED, workload);
}

/* The errata that Intel's event lists name make counts inaccurate, and do not say by how much: less than half, or more
 * than twice, is none of them. */
static void count_roughly_equal(struct test_run *run, unsigned errata, const char *what, uint64_t got, uint64_t want)
{
    errata_equal(run, got >= want / 2 && got <= 2 * want ? errata : 0, what, got, want);
}

static void count_exact(struct test_run *run)
{
    static const struct {
        const char *name;
        const struct workload *workload;
    } cases[] = {
        { "INST_RETIRED.ANY over calls", &workload_calls },
        { "INST_RETIRED.ANY over kinds", &workload_kinds },
        { "INST_RETIRED.ANY over a loop", &workload_loop },
        { "INST_RETIRED.ANY over straight code", &workload_straight },
    };
    const struct pebs_event *taken = pebs_find_event(run->caps, PEBS_ROLE_TAKEN);
    const struct pebs_event *calls = pebs_find_event(run->caps, PEBS_ROLE_NEAR_CALLS);

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        count_roughly_equal(run, ERRATA_INSTRUCTIONS, cases[i].name,
                            count_of(run, INSTRUCTIONS, cases[i].workload) -
                                count_of(run, INSTRUCTIONS, &workload_nothing),
                            cases[i].workload->instructions);
    count_roughly_equal(run, ERRATA_BRANCHES, "BR_INST_RETIRED.ALL_BRANCHES over a long loop",
                        count_of(run, BRANCHES, &workload_long_loop) - count_of(run, BRANCHES, &workload_nothing),
                        branch_count(&workload_long_loop, BRANCH_KINDS_ALL) + 1); /* the last one falls through */
    if (taken)
        count_roughly_equal(run, HAS_ERRATUM(SKL091) | HAS_ERRATUM(MTL013), taken->name,
                            count_of(run, taken->select, &workload_long_loop),
                            branch_count(&workload_long_loop, BRANCH_KINDS_ALL));
    if (calls)
        count_roughly_equal(run, ERRATA_BRANCHES, calls->name, count_of(run, calls->select, &workload_calls),
                            branch_count(&workload_calls, LBR_SELECT_NEAR_REL_CALL));
}

static void count_far(struct test_run *run)
{
    const uint64_t nothing = count_of(run, INSTRUCTIONS, &workload_nothing);

    if (nothing == 0)
        return; /* the counter does not count: perfmon.count fails */
    interrupt_set_raw(VECTOR_WORKLOAD, workload_interrupt_entry, false);
    errata_equal(run, HAS_ERRATUM(SRF7), "instructions over INT n and IRET",
                 count_of(run, INSTRUCTIONS, &workload_interrupt) - nothing, workload_interrupt.instructions);
    errata_equal(run, HAS_ERRATUM(SRF7), "branches over INT n and IRET",
                 count_of(run, BRANCHES, &workload_interrupt) - count_of(run, BRANCHES, &workload_nothing),
                 branch_count(&workload_interrupt, BRANCH_KINDS_ALL));
    errata_equal(run, HAS_ERRATUM(SKL117), "the sum of the branches at CPL 0 and at CPL 3",
                 count(run, 0, BRANCHES | PERFEVTSEL_USR | ENABLED, &workload_user_loop) +
                     count(run, 0, BRANCHES | PERFEVTSEL_OS | ENABLED, &workload_user_loop),
                 count_of(run, BRANCHES, &workload_user_loop));
}

TESTS(counts) = {
    { "perfmon.count", "Counters count retired instructions, branches and calls exactly", SDM_PERFMON,
      .needs = NEED_GLOBAL_CTRL, .run = count_exact },
    { "perfmon.count.far",
      "INT n and IRET count as one instruction and one branch each, at one of the privilege levels", SDM_PERFMON_1,
      .typical = "No manual says how far branches are counted.", .needs = NEED_GLOBAL_CTRL, .run = count_far },
};

/* ---- what lets a counter count ----------------------------------------------------------------------------------- */

static void each_counter(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count; n++)
        test_equal(run, "instructions that a counter counts over a loop",
                   count(run, n, INSTRUCTIONS | BOTH_RINGS | ENABLED, &workload_loop) -
                       count(run, n, INSTRUCTIONS | BOTH_RINGS | ENABLED, &workload_nothing),
                   workload_loop.instructions);
}

static const char *no_force_abort(const struct caps *caps)
{
    return caps->general_count < 4                             ? "no counter 3 that can be used"
           : cpuid(0, 0).eax >= 7 && cpuid(7, 0).edx >> 13 & 1 ? NULL
                                                               : "no TSX_FORCE_ABORT (CPUID.7:EDX bit 13 clear)";
}

/* While bit 0 of TSX_FORCE_ABORT is clear, the microcode of processors with erratum SKL179 uses counter 3. */
static void force_abort(struct test_run *run)
{
    const uint64_t event = INSTRUCTIONS | BOTH_RINGS | ENABLED;

    for (unsigned set = 0; set <= TSX_FORCE_ABORT_RTM; set++) {
        msr_write(MSR_TSX_FORCE_ABORT, (msr_get(MSR_TSX_FORCE_ABORT) & ~TSX_FORCE_ABORT_RTM) | set);
        errata_equal(run, set ? 0 : HAS_ERRATUM(SKL179),
                     set ? "instructions that counter 3 counts"
                         : "instructions that counter 3 counts with TSX_FORCE_ABORT clear",
                     count(run, 3, event, &workload_loop) - count(run, 3, event, &workload_nothing),
                     workload_loop.instructions);
    }
}

static void fixed_count(struct test_run *run)
{
    test_equal(run, "instructions that fixed counter 0 counts over a loop",
               count_fixed(run, FIXED_RINGS_BOTH, &workload_loop) -
                   count_fixed(run, FIXED_RINGS_BOTH, &workload_nothing),
               workload_loop.instructions);
    const uint64_t first = count_fixed(run, FIXED_RINGS_BOTH, &workload_nothing),
                   last = count_fixed_global_last(run, FIXED_RINGS_BOTH, &workload_nothing);

    /* No manual says whether the WRMSR that starts or stops the counter is counted. */
    if (last > first + 2 && errata_any(run, HAS_ERRATUM(HSD143)))
        errata_explain(run, HAS_ERRATUM(HSD143), "%" PRIu64 " instructions more if its enable field is written first",
                       last - first);
    else if (last > first + 2)
        test_differs(run, "%" PRIu64 " instructions more if the enable field is written first", last - first);
}

static void enable_bit(struct test_run *run)
{
    test_equal(run, "count of a counter whose EN bit is clear",
               count(run, 0, INSTRUCTIONS | BOTH_RINGS, &workload_loop), 0);
}

/* Both counters are programmed, but only counter 1 is enabled globally. */
static void global_control(struct test_run *run)
{
    const uint64_t instructions = count(run, 1, INSTRUCTIONS | BOTH_RINGS | ENABLED, &workload_loop);

    program(run, 0, INSTRUCTIONS | BOTH_RINGS | ENABLED, 0);
    program(run, 1, INSTRUCTIONS | BOTH_RINGS | ENABLED, 0);
    count_once(run->caps, GENERAL(1), &workload_loop);
    test_equal(run, "count of counter 0 while its bit of IA32_PERF_GLOBAL_CTRL is clear", counter_read(0), 0);
    count_equal(run, ERRATA_INSTRUCTIONS, "count of counter 1 while counter 0 has an event, too", counter_read(1),
                instructions);
}

static void fixed_disabled(struct test_run *run)
{
    test_equal(run, "count of fixed counter 0 with its enable field 0", count_fixed(run, 0, &workload_loop), 0);
}

/*
 * Two workloads that differ only at CPL 3: workload_user branches three times, workload_user_loop 1000 times (the last
 * one falls through). The branches at CPL 0 that lead there and back are equal.
 */
static uint64_t loop_more(struct test_run *run, uint64_t rings)
{
    return count(run, 0, BRANCHES | rings | ENABLED, &workload_user_loop) -
           count(run, 0, BRANCHES | rings | ENABLED, &workload_user);
}

static uint64_t expected_more(void)
{
    return branch_count(&workload_user_loop, BRANCH_KINDS_ALL) + 1 - branch_count(&workload_user, BRANCH_KINDS_ALL);
}

static void rings_user(struct test_run *run)
{
    test_equal(run, "additional branches of the loop at CPL 3", loop_more(run, PERFEVTSEL_USR), expected_more());
    test_equal(run, "branches at CPL 0 counted as CPL 3's",
               count(run, 0, BRANCHES | PERFEVTSEL_USR | ENABLED, &workload_calls), 0);
}

static void rings_system(struct test_run *run)
{
    test_equal(run, "branches at CPL 3 counted as CPL 0's", loop_more(run, PERFEVTSEL_OS), 0);
    test_equal(run, "branches at CPL 0",
               count(run, 0, BRANCHES | PERFEVTSEL_OS | ENABLED, &workload_calls) -
                   count(run, 0, BRANCHES | PERFEVTSEL_OS | ENABLED, &workload_nothing),
               branch_count(&workload_calls, BRANCH_KINDS_ALL));
}

static void fixed_rings(struct test_run *run)
{
    test_equal(run, "instructions at CPL 3 counted as CPL 0's",
               count_fixed(run, FIXED_CTR_CTRL_OS(0), &workload_user_loop) -
                   count_fixed(run, FIXED_CTR_CTRL_OS(0), &workload_user),
               0);
    test_equal(run, "instructions at CPL 0 counted as CPL 3's", count_fixed(run, FIXED_CTR_CTRL_USR(0), &workload_loop),
               0);
}

/* No processor retires so many instructions in one cycle. */
#define CMASK_MOST (UINT64_C(255) << 24)

static void cmask(struct test_run *run)
{
    test_equal(run, "cycles in which at least 255 instructions retired",
               count(run, 0, INSTRUCTIONS | BOTH_RINGS | ENABLED | CMASK_MOST, &workload_loop), 0);
}

static void invert(struct test_run *run)
{
    const uint64_t select = INSTRUCTIONS | BOTH_RINGS | ENABLED | CMASK_MOST | PERFEVTSEL_INV;
    uint64_t few = count(run, 0, select, &workload_loop), many = count(run, 0, select, &workload_long_loop);

    if (many <= few)
        test_fail(run, "cycles with fewer than 255 instructions: %" PRIu64 " in a loop, %" PRIu64 " in a longer one",
                  few, many);
}

TESTS(counters_and_rings) = {
    { "perfmon.counters", "Each general counter that CPUID reports counts", SDM_PERFMON_1, .needs = NEED_GLOBAL_CTRL,
      .run = each_counter },
    { "perfmon.force_abort",
      "Counter 3 counts with bit 0 of TSX_FORCE_ABORT set, and without erratum SKL179 also with it clear",
      "Intel, \"6th Generation Intel Processor Family, Specification Update\" (332689), SKL179",
      .needs = NEED_GLOBAL_CTRL, .lacks = no_force_abort, .run = force_abort },
    { "perfmon.fixed.count", "Fixed counter 0 counts retired instructions exactly", SDM_PERFMON_2,
      .needs = NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = fixed_count },
    { "perfmon.enable", "A counter whose EN bit is clear does not count, whatever IA32_PERF_GLOBAL_CTRL says",
      SDM_PERFMON_1, .needs = NEED_GLOBAL_CTRL, .run = enable_bit },
    { "perfmon.global_ctrl",
      "A counter whose bit of IA32_PERF_GLOBAL_CTRL is clear does not count while another counter does", SDM_PERFMON_2,
      .needs = NEED_GLOBAL_CTRL, .lacks = one_counter, .run = global_control },
    { "perfmon.fixed.disabled",
      "A fixed counter whose enable field is 0 does not count, whatever IA32_PERF_GLOBAL_CTRL says", SDM_PERFMON_2,
      .needs = NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = fixed_disabled },
    { "perfmon.rings.user", "With USR alone, a counter counts at CPL 3 and not at CPL 0", SDM_PERFMON_1,
      .needs = NEED_GLOBAL_CTRL, .run = rings_user },
    { "perfmon.rings.system", "With OS alone, a counter counts at CPL 0 and not at CPL 3", SDM_PERFMON_1,
      .needs = NEED_GLOBAL_CTRL, .run = rings_system },
    { "perfmon.fixed.rings", "The enable field of a fixed counter selects CPL 0 alone or the other levels alone",
      SDM_PERFMON_2, .needs = NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = fixed_rings },
    { "perfmon.cmask",
      "With a counter mask, a counter counts the cycles with at least that many events: no cycle has 255",
      SDM_PERFMON_1, .needs = NEED_GLOBAL_CTRL, .run = cmask },
    { "perfmon.invert", "With INV and a counter mask, a counter counts the cycles with fewer events", SDM_PERFMON_1,
      .needs = NEED_GLOBAL_CTRL, .run = invert },
};

/* ---- overflow ---------------------------------------------------------------------------------------------------- */

/* The counters' bits of IA32_PERF_GLOBAL_STATUS. Other bits may be set for reasons unrelated to counters. */
static uint64_t counters_status(struct test_run *run)
{
    return msr_get(MSR_IA32_PERF_GLOBAL_STATUS) &
           (ones(run->caps->general_count) | (run->caps->fixed_count ? ones(run->caps->fixed_count) << 32 : 0));
}

/* The branches of a long loop as counted by counter n. */
static uint64_t long_loop_branches(struct test_run *run, unsigned n)
{
    return count(run, n, BRANCHES | BOTH_RINGS | ENABLED, &workload_long_loop);
}

/* Counter n was loaded with -distance, then counted the branches of the long loop. */
static void check_end(struct test_run *run, unsigned n, uint64_t branches, uint64_t distance)
{
    count_equal(run, ERRATA_BRANCHES | (n == 3 ? HAS_ERRATUM(SKL179) : 0), "counter after the loop", counter_read(n),
                (branches - distance) & ones(run->caps->general_width));
}

/* The status after counter n, loaded with -distance, has counted the branches of the long loop. */
static uint64_t status_after(struct test_run *run, unsigned n, uint64_t branches, uint64_t distance)
{
    program(run, n, BRANCHES | BOTH_RINGS | ENABLED, 0 - distance);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
    count_once(run->caps, GENERAL(n), &workload_long_loop);
    check_end(run, n, branches, distance);
    return counters_status(run);
}

/* The status bits that are set in every run. A run may count an event too many. */
static uint64_t status_always_after(struct test_run *run, unsigned n, uint64_t branches, uint64_t distance)
{
    uint64_t status = UINT64_MAX;

    for (unsigned i = 0; i < COUNT_RUNS; i++)
        status &= status_after(run, n, branches, distance);
    return status;
}

static void overflow_status(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count; n++) {
        uint64_t branches = long_loop_branches(run, n);
        test_equal(run, "IA32_PERF_GLOBAL_STATUS one event before the overflow",
                   status_always_after(run, n, branches, branches + 1), 0);
        test_equal(run, "IA32_PERF_GLOBAL_STATUS at the overflow", status_always_after(run, n, branches, branches),
                   GENERAL(n));
    }
}

static void overflow_wraps(struct test_run *run)
{
    const uint64_t branches = long_loop_branches(run, 0);

    test_equal(run, "counter 0, 100 events after its overflow",
               count_from(run, 0, BRANCHES | BOTH_RINGS | ENABLED, 100 - branches, &workload_long_loop), 100);
}

/* Programs fixed counter 0 to overflow after that many instructions. */
static void program_fixed(struct test_run *run, uint64_t control, uint64_t distance)
{
    fixed_counter_program(0, control, ones(run->caps->fixed_width) - distance);
}

/* Fixed counter 0 was loaded with -distance, then counted the instructions of the long loop. */
static void check_fixed_end(struct test_run *run, uint64_t instructions, uint64_t distance)
{
    count_equal(run, ERRATA_INSTRUCTIONS | HAS_ERRATUM(HSD143), "fixed counter 0 after the loop",
                msr_get(MSR_IA32_FIXED_CTR(0)), (instructions - distance - 1) & ones(run->caps->fixed_width));
}

static void overflow_fixed(struct test_run *run)
{
    const uint64_t instructions = count_fixed_global_last(run, FIXED_RINGS_BOTH, &workload_long_loop);

    program_fixed(run, FIXED_RINGS_BOTH, 1000);
    count_once(run->caps, FIXED(0), &workload_long_loop);
    check_fixed_end(run, instructions, 1000);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS", counters_status(run), FIXED(0));
}

static void status_kept(struct test_run *run)
{
    const uint64_t branches = long_loop_branches(run, 0),
                   more = count(run, 0, BRANCHES | BOTH_RINGS | ENABLED, &workload_loop);

    status_after(run, 0, branches, 1000); /* reads the status */
    count_once(run->caps, GENERAL(0), &workload_loop);
    check_end(run, 0, branches + more, 1000);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS after a read and more events", counters_status(run), GENERAL(0));
    status_after(run, 0, branches, 1000);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, 0);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS after a write of 0", counters_status(run), GENERAL(0));
}

static void status_cleared(struct test_run *run)
{
    const uint64_t branches = long_loop_branches(run, 0);

    program(run, 0, BRANCHES | BOTH_RINGS | ENABLED, 0 - UINT64_C(1000));
    program(run, 1, BRANCHES | BOTH_RINGS | ENABLED, 0 - UINT64_C(1000));
    count_once(run->caps, GENERAL(0) | GENERAL(1), &workload_long_loop);
    check_end(run, 0, branches, 1000);
    check_end(run, 1, branches, 1000);
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, GENERAL(0));
    test_equal(run, "IA32_PERF_GLOBAL_STATUS with bit 0 cleared", counters_status(run), GENERAL(1));
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, GENERAL(1));
    test_equal(run, "IA32_PERF_GLOBAL_STATUS with both cleared", counters_status(run), 0);
}

/* The watch of registers compares the other bits. */
static void status_set(struct test_run *run)
{
    msr_write(MSR_IA32_PERF_GLOBAL_STATUS_SET, GENERAL(0)); /* sets no bit if it raises #GP */
    test_equal(run, "bit 0 of IA32_PERF_GLOBAL_STATUS", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GENERAL(0), GENERAL(0));
}

/* The bits of causes other than counters' overflows that this processor has. */
static uint64_t other_causes(const struct caps *caps)
{
    const bool arch = !caps_missing(caps, NEED_PEBS_ARCH);

    return GLOBAL_STATUS_LBR_FRZ | GLOBAL_STATUS_CTR_FRZ |
           (caps->perf_capabilities & PERF_CAP_METRICS ? MSR_BIT(48) : 0) |
           (caps_missing(caps, NEED_PEBS) ? 0
            : arch                        ? GLOBAL_STATUS_PEBS
                                          : GLOBAL_STATUS_DS_BUFFER);
}

static void status_set_others(struct test_run *run)
{
    const uint64_t all = other_causes(run->caps), seen = all | (MSR_BIT(48) - 1); /* no counter has overflowed */
    uint64_t left = all;

    msr_write(MSR_IA32_PERF_GLOBAL_STATUS_SET, all);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & seen, all);
    while (left) {
        const uint64_t bit = left & -left;

        left &= ~bit;
        msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, bit);
        test_equal(run, "IA32_PERF_GLOBAL_STATUS with a bit cleared", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & seen,
                   left);
    }
}

/*
 * Only the flag, which the watch of registers reads back: to see the freeze, the test would need an SMI, and port B2H
 * starts firmware code of unknown effect.
 */
static void freeze_while_smm(struct test_run *run)
{
    const uint64_t before = msr_get(MSR_IA32_DEBUGCTL);

    (void)run;
    msr_write(MSR_IA32_DEBUGCTL, before | DEBUGCTL_FREEZE_WHILE_SMM);
    msr_write(MSR_IA32_DEBUGCTL, before & ~DEBUGCTL_FREEZE_WHILE_SMM);
    msr_write(MSR_IA32_DEBUGCTL, before);
}

static const char *counts_in_smm(const struct caps *caps)
{
    return caps->freeze_while_smm ? NULL : "no FREEZE_WHILE_SMM (IA32_PERF_CAPABILITIES bit 12 clear)";
}

static void in_use(struct test_run *run)
{
    /* Bits of counters that CPUID does not report may have any value, but keep it. */
    const uint64_t bits = ones(run->caps->general_count) | GENERAL(63), before = msr_get(MSR_IA32_PERF_GLOBAL_INUSE);

    test_equal(run, "IA32_PERF_GLOBAL_INUSE while no counter is programmed", before & bits, 0);
    program(run, 0, BRANCHES, 0);
    test_equal(run, "IA32_PERF_GLOBAL_INUSE with an event on counter 0", msr_get(MSR_IA32_PERF_GLOBAL_INUSE),
               before | GENERAL(0));
    program(run, 0, BRANCHES | PERFEVTSEL_INT, 0);
    test_equal(run, "IA32_PERF_GLOBAL_INUSE with its interrupt", msr_get(MSR_IA32_PERF_GLOBAL_INUSE),
               before | GENERAL(0) | GENERAL(63));
}

TESTS(overflows_and_status) = {
    { "perfmon.overflow.status",
      "The event that takes a counter past its highest value sets its status bit and no other; earlier events do not",
      SDM_PERFMON_2, .needs = NEED_GLOBAL_CTRL, .run = overflow_status },
    { "perfmon.overflow.wraps", "A counter that overflowed continues from 0", SDM_PERFMON_1, .needs = NEED_GLOBAL_CTRL,
      .run = overflow_wraps },
    { "perfmon.overflow.fixed", "A fixed counter's overflow sets its status bit, from bit 32 on, and no other",
      SDM_PERFMON_2, .needs = NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = overflow_fixed },
    { "perfmon.status.kept", "A status bit stays set until software writes a 1 to clear it", SDM_PERFMON_2,
      .needs = NEED_GLOBAL_CTRL, .run = status_kept },
    { "perfmon.status.cleared", "A 1 written to IA32_PERF_GLOBAL_OVF_CTRL clears its status bit and no other",
      SDM_PERFMON_2, .needs = NEED_GLOBAL_CTRL, .lacks = one_counter, .run = status_cleared },
    { "perfmon.status.set.others",
      "Bits 48, 54, 58, 59 and 62 of IA32_PERF_GLOBAL_STATUS, if supported, can be set at once and cleared singly",
      SDM_PERFMON_4 "; Linux, commit 52448a0a7390 (\"arch-PEBS enabling\"): bit 54", .needs = NEED_GLOBAL_CTRL,
      .lacks = before_version_4, .run = status_set_others },
    { "perfmon.freeze_while_smm",
      "FREEZE_WHILE_SMM of IA32_DEBUGCTL can be set and cleared if IA32_PERF_CAPABILITIES bit 12 is set",
      SDM_2023 "\"Filtering of SMM Handler Overhead\"", .needs = NEED_FREEZE /* IA32_DEBUGCTL can be written */,
      .lacks = counts_in_smm, .run = freeze_while_smm },
    { "perfmon.status.set", "A 1 written to IA32_PERF_GLOBAL_STATUS_SET sets its status bit", SDM_PERFMON_4,
      .needs = NEED_GLOBAL_CTRL, .lacks = before_version_4, .run = status_set },
    { "perfmon.in_use", "IA32_PERF_GLOBAL_INUSE reports which counters have an event, and whether one may interrupt",
      SDM_PERFMON_4, .needs = NEED_GLOBAL_CTRL, .lacks = before_version_4, .run = in_use },
};

/* The bits that enable a counter, and the number of interrupts that its overflow raises. */
struct enabled {
    uint64_t bits;
    unsigned interrupts;
};

/* Counter 0 overflows during a long loop. */
static void overflow_interrupts(struct test_run *run)
{
    const struct enabled *enabled = run->test->argument;
    const struct ds_config neither = { .bts = false };
    struct window window = pebs_window(run->caps, GENERAL(0));
    const uint64_t branches = long_loop_branches(run, 0);

    if (!records_open(run, &neither))
        return;
    program(run, 0, BRANCHES | enabled->bits, 0 - UINT64_C(1000));
    workload_long_loop.run(&window);
    if (!enabled->interrupts) /* else the handler's branches count, too */
        check_end(run, 0, branches, 1000);
    records_close(run, enabled->interrupts);
    test_equal(run, "interrupts with a cause", ds_counts()->interrupts - ds_counts()->spurious, enabled->interrupts);
}

#define OVERFLOW .source = SDM_PERFMON_1, .needs = NEED_APIC | NEED_DS | NEED_GLOBAL_CTRL, .run = overflow_interrupts

TESTS(overflows) = {
    { "perfmon.overflow.quiet", "A counter whose INT bit is clear overflows without an interrupt", OVERFLOW,
      .argument = &(const struct enabled){ BOTH_RINGS | ENABLED, 0 } },
    { "perfmon.overflow.interrupt", "A counter whose INT bit is set overflows with one interrupt", OVERFLOW,
      .argument = &(const struct enabled){ BOTH_RINGS | ENABLED | PERFEVTSEL_INT, 1 } },
};

/* Fixed counter 0, which counts the loop's instructions, overflows during the loop. */
static void fixed_interrupts(struct test_run *run)
{
    const struct enabled *enabled = run->test->argument;
    const struct ds_config neither = { .bts = false };
    struct window window = pebs_window(run->caps, FIXED(0));
    const uint64_t instructions = count_fixed_global_last(run, FIXED_RINGS_BOTH, &workload_long_loop);

    if (!records_open(run, &neither))
        return;
    program_fixed(run, enabled->bits, 1000);
    workload_long_loop.run(&window);
    if (!enabled->interrupts) /* else the handler's instructions count, too */
        check_fixed_end(run, instructions, 1000);
    records_close(run, enabled->interrupts);
    test_equal(run, "interrupts with a cause", ds_counts()->interrupts - ds_counts()->spurious, enabled->interrupts);
}

#define FIXED_OVERFLOW \
    .source = SDM_PERFMON_2, .needs = NEED_APIC | NEED_DS | NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = fixed_interrupts

TESTS(fixed_overflows) = {
    { "perfmon.fixed.quiet", "A fixed counter whose PMI bit is clear overflows without an interrupt", FIXED_OVERFLOW,
      .argument = &(const struct enabled){ FIXED_RINGS_BOTH, 0 } },
    { "perfmon.fixed.interrupt", "A fixed counter whose PMI bit is set overflows with one interrupt", FIXED_OVERFLOW,
      .argument = &(const struct enabled){ FIXED_RINGS_BOTH | FIXED_CTR_CTRL_PMI(0), 1 } },
};

/* ---- freeze ------------------------------------------------------------------------------------------------------ */

static uint64_t frozen_status;

static void note_status(uint64_t status)
{
    frozen_status = status;
}

/*
 * Up to version 3 the interrupt clears IA32_PERF_GLOBAL_CTRL. The service routine restores the cleared value, so most
 * of the loop's 3000 branches are not counted. From version 4 on a status bit stops the counters until it is
 * acknowledged.
 */
static void freeze(struct test_run *run)
{
    const struct ds_config neither = { .bts = false };
    struct window window = pebs_window(run->caps, GENERAL(0));
    uint64_t counted;

    if (!records_open(run, &neither))
        return;
    frozen_status = 0;
    ds_on_interrupt(note_status);
    program(run, 0, BRANCHES | BOTH_RINGS | ENABLED | PERFEVTSEL_INT, 0 - UINT64_C(1000));
    msr_write(MSR_IA32_DEBUGCTL, msr_get(MSR_IA32_DEBUGCTL) | run->caps->debugctl->freeze_perfmon);
    workload_long_loop.run(&window);
    counted = counter_read(0);
    msr_write(MSR_IA32_DEBUGCTL, msr_get(MSR_IA32_DEBUGCTL) & ~run->caps->debugctl->freeze_perfmon);
    records_close(run, 1);
    if (run->caps->freeze == CAPS_FREEZE_LEGACY) {
        if (counted > 1000)
            test_fail(run, "counter 0 went on to %" PRIu64 " after the interrupt", counted);
        return;
    }
    if (!(frozen_status & GLOBAL_STATUS_CTR_FRZ))
        test_fail(run, "IA32_PERF_GLOBAL_STATUS.CTR_FRZ is clear in the handler");
    test_equal(run, "CTR_FRZ after its acknowledgement", msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_CTR_FRZ,
               0);
}

TEST(perfmon_freeze) = {
    .id = "perfmon.freeze",
    .title = "FREEZE_PERFMON_ON_PMI stops the counters when the interrupt is requested",
    .source = SDM_FREEZE "; " SDM_FREEZE_STREAM,
    .needs = NEED_APIC | NEED_DS | NEED_GLOBAL_CTRL | NEED_FREEZE | NEED_FREEZE_COUNTERS,
    .run = freeze,
};
