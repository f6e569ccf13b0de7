/* SPDX-License-Identifier: MIT */
/*
 * Auto counter reload: a counter's CFG_B names the counters whose overflow reloads it with the low half of its CFG_C.
 * The workload's jumps are far apart, and a counter of instructions overflows half-way between two of them. So it does
 * not matter how soon after an overflow the reload happens, and the number of later jumps is the expected count.
 */
#include "suite/suite.h"

#include "suite/support/count.h"

#define INSTRUCTIONS UINT64_C(0x00c0) /* INST_RETIRED.ANY_P, architectural */
#define BRANCHES     UINT64_C(0x00c4) /* BR_INST_RETIRED.ALL_BRANCHES, architectural */
#define COUNTING     (PERFEVTSEL_EN | PERFEVTSEL_USR | PERFEVTSEL_OS)

#define RELOAD_SOURCE SDM_2024 "\"Auto Counter Reload\", 21.9.11; Linux 6.16, intel_pmu_config_acr()"

#define FIXED(n) MSR_BIT(32 + (n))
#define JUMPS    WORKLOAD_SPREAD_JUMPS

/* A value far above every count over the workload. */
#define LOADED UINT64_C(0x40000)

/* The start value with which a counter of instructions overflows half-way between the n-th jump and the next. */
#define BEHIND(n) (-(uint64_t)((n)*WORKLOAD_SPREAD_STEP + WORKLOAD_SPREAD_STEP / 2))

/* The number of general counters used: the lowest that can be reloaded and cause a reload. */
#define USED 3u

struct counters {
    unsigned n[USED];
    unsigned count;
};

static struct counters usable(const struct caps *caps)
{
    struct counters c = { .count = 0 };

    for (unsigned n = 0; n < 32 && c.count < USED; n++)
        if (caps->reload_counters & caps->reload_causes & caps->general_counters & MSR_BIT(n))
            c.n[c.count++] = n;
    return c;
}

static const char *fewer_than(const struct caps *caps, unsigned count)
{
    return usable(caps).count >= count
               ? NULL
               : "CPUID.23H.2 lists too few general counters that can both cause a reload and be reloaded";
}

static const char *no_counter(const struct caps *caps)
{
    return fewer_than(caps, 1);
}

static const char *no_two(const struct caps *caps)
{
    return fewer_than(caps, 2);
}

static const char *no_three(const struct caps *caps)
{
    return fewer_than(caps, 3);
}

static const char *no_fixed(const struct caps *caps)
{
    const uint64_t both = caps->reload_counters & caps->reload_causes;

    return both & FIXED(0) ? fewer_than(caps, 1) : "fixed counter 0 cannot cause a reload or be reloaded: CPUID.23H.2";
}

static uint64_t width_mask(const struct caps *caps)
{
    return UINT64_MAX >> (64 - caps->general_width);
}

/* Programs a general counter: the counters that reload it (bits as in IA32_PERF_GLOBAL_CTRL), and its reload value. */
static void set(struct test_run *run, unsigned n, uint64_t select, uint64_t start, uint64_t by, uint32_t value)
{
    counter_program(n, select, start, run->caps->full_width_write);
    msr_write(MSR_IA32_PMC_GP_CFG_B(n), by);
    msr_write(MSR_IA32_PMC_GP_CFG_C(n), value);
}

static void set_fixed_0(uint64_t start, uint64_t by, uint32_t value)
{
    fixed_counter_program(0, FIXED_CTR_CTRL_OS(0) | FIXED_CTR_CTRL_USR(0), start);
    msr_write(MSR_IA32_PMC_FX_CFG_B(0), by);
    msr_write(MSR_IA32_PMC_FX_CFG_C(0), value);
}

/* Runs the workload once, and returns the overflow bits of all counters. */
static uint64_t run_once(const struct caps *caps, uint64_t counters)
{
    msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, msr_get(MSR_IA32_PERF_GLOBAL_STATUS));
    count_once(caps, counters, &workload_spread);
    return msr_get(MSR_IA32_PERF_GLOBAL_STATUS) & (caps->general_counters | caps->fixed_counters << 32);
}

/* Compares all bits of general counter n. */
static void compare(struct test_run *run, unsigned n, const char *what, uint64_t want)
{
    test_equal(run, what, counter_read(n), want);
}

/* The instructions of the workload, counted by counter n from this value on without a reload. */
static void compare_instructions(struct test_run *run, unsigned n, const char *what, uint64_t start)
{
    const uint64_t end = counter_read(n), mask = width_mask(run->caps);

    count_equal(run, ERRATA_INSTRUCTIONS, what, end,
                (start + count_from(run, n, INSTRUCTIONS | COUNTING, 0, &workload_spread)) & mask);
}

/* ---- the registers ----------------------------------------------------------------------------------------------- */

/* Calls `each` with the CFG_B of every counter that can be reloaded. */
static void each_cfg_b(struct test_run *run, void (*each)(struct test_run *run, uint32_t msr, const char *name))
{
    for (unsigned n = 0; n < 32; n++)
        if (run->caps->reload_counters & MSR_BIT(n))
            each(run, MSR_IA32_PMC_GP_CFG_B(n), "IA32_PMC_GPx_CFG_B");
    for (unsigned n = 0; n < 16; n++)
        if (run->caps->reload_counters & FIXED(n))
            each(run, MSR_IA32_PMC_FX_CFG_B(n), "IA32_PMC_FXx_CFG_B");
}

/* The watch of registers reads each value back. */
static void holds(struct test_run *run, uint32_t msr, const char *name)
{
    (void)name;
    msr_write(msr, run->caps->reload_causes);
    for (uint64_t left = run->caps->reload_causes; left; left &= left - 1)
        msr_write(msr, left & -left);
    msr_write(msr, 0);
}

static void causes_held(struct test_run *run)
{
    each_cfg_b(run, holds);
}

static void refuses(struct test_run *run, uint32_t msr, const char *name)
{
    const uint64_t before = msr_get(msr);
    uint64_t taken = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        if (run->caps->reload_causes & MSR_BIT(bit))
            continue;
        if (msr_try(msr, MSR_BIT(bit)))
            taken |= MSR_BIT(bit);
        else
            test_equal(run, name, msr_get(msr), before);
        msr_write(msr, before);
    }
    if (taken)
        test_differs(run, "WRMSR of 0x%" PRIx64 " to %s (0x%" PRIx32 ") raised no #GP", taken, name, msr);
}

static void others_refused(struct test_run *run)
{
    each_cfg_b(run, refuses);
}

static void listed(struct test_run *run)
{
    const uint64_t exist = run->caps->general_counters | run->caps->fixed_counters << 32;
    const struct cpuid leaf = cpuid(0x23, 2);

    test_equal(run, "counters in CPUID.23H.2:EBX and EAX that do not exist",
               (leaf.eax | (uint64_t)leaf.ebx << 32) & ~(exist | run->caps->counters_taken), 0);
    test_equal(run, "counters in CPUID.23H.2:EDX and ECX that do not exist",
               (leaf.ecx | (uint64_t)leaf.edx << 32) & ~(exist | run->caps->counters_taken), 0);
}

TESTS(reload_causes) = {
    { "perfmon.reload.causes",
      "Each counter that CPUID.23H.2 reports as reloadable has a CFG_B that accepts every counter that can cause it",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .run = causes_held },
    { "perfmon.reload.refused",
      "If a counter that cannot cause a reload is written to CFG_B, the value stays unchanged, typically with #GP",
      "Linux 7.1, intel_pmu_acr_late_setup(): Panther Lake's #GP; SDM Vol. 2D (334569-081), \"WRMSR\", exceptions",
      .needs = NEED_COUNTER_RELOAD, .run = others_refused },
    { "perfmon.reload.listed", "CPUID.23H.2 lists no counter for auto counter reload that CPUID.23H.1 lacks",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .run = listed },
};

/* ---- a counter that reloads itself ------------------------------------------------------------------------------- */

/* Each counter in turn counts the jumps, and reloads itself at every fifth. */
static void by_itself(struct test_run *run)
{
    enum { PERIOD = 5 };
    const uint32_t start = -(uint32_t)PERIOD;

    for (unsigned n = 0; n < 32; n++) {
        if (!(run->caps->reload_counters & run->caps->reload_causes & MSR_BIT(n)))
            continue;
        set(run, n, BRANCHES | COUNTING, -(uint64_t)PERIOD, MSR_BIT(n), start);
        run_once(run->caps, MSR_BIT(n));
        compare(run, n, "a counter that reloads itself with every 5th of the jumps",
                (-(uint64_t)PERIOD + JUMPS % PERIOD) & width_mask(run->caps));
        counters_clear(run->caps);
    }
}

static void no_status(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    uint64_t status;

    for (unsigned i = 0; i < c.count; i++) {
        set(run, c.n[i], BRANCHES | COUNTING, -UINT64_C(5), MSR_BIT(c.n[i]), -5u);
        status = run_once(run->caps, MSR_BIT(c.n[i]));
        test_equal(run, "IA32_PERF_GLOBAL_STATUS after overflows of a counter that reloads itself", status, 0);
        compare(run, c.n[i], "the counter, reloaded at its last overflow",
                (-UINT64_C(5) + JUMPS % 5) & width_mask(run->caps));
        counters_clear(run->caps);
    }
}

static void positive(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    const unsigned n = c.n[0];

    set(run, n, BRANCHES | COUNTING, -UINT64_C(3), MSR_BIT(n), LOADED);
    run_once(run->caps, MSR_BIT(n));
    compare(run, n, "a counter that was reloaded with a positive value", LOADED + JUMPS - 3);
    counters_clear(run->caps);
}

TESTS(reload_at_overflow) = {
    { "perfmon.reload.itself",
      "A counter whose CFG_B has its own bit reloads at each overflow with CFG_C's low half, sign-extended to its "
      "width",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .run = by_itself },
    { "perfmon.reload.no_status",
      "The overflow of a counter that reloads itself sets no bit of IA32_PERF_GLOBAL_STATUS",
      RELOAD_SOURCE "; Linux 7.1, is_acr_self_reload_event()", .needs = NEED_COUNTER_RELOAD, .lacks = no_counter,
      .run = no_status },
    { "perfmon.reload.positive", "A reload with CFG_C bit 31 clear leaves the counter's upper bits clear",
      RELOAD_SOURCE, .typical = "No available edition says how a reload value is extended",
      .needs = NEED_COUNTER_RELOAD, .lacks = no_counter, .run = positive },
};

/* ---- one counter reloads another --------------------------------------------------------------------------------- */

/*
 * Both directions of each pair. The expected count is the number of jumps after the overflow of a counter of
 * instructions.
 */
static void by_another(struct test_run *run)
{
    const struct counters c = usable(run->caps);

    for (unsigned i = 0; i < c.count; i++)
        for (unsigned j = 0; j < c.count; j++) {
            if (i == j)
                continue;
            set(run, c.n[i], BRANCHES | COUNTING, 0, MSR_BIT(c.n[j]), LOADED);
            set(run, c.n[j], INSTRUCTIONS | COUNTING, BEHIND(4 + i + j), 0, LOADED);
            run_once(run->caps, MSR_BIT(c.n[i]) | MSR_BIT(c.n[j]));
            compare(run, c.n[i], "jumps since the overflow of the counter that reloads", LOADED + JUMPS - (4 + i + j));
            compare_instructions(run, c.n[j], "the counter that reloads", BEHIND(4 + i + j));
            counters_clear(run->caps);
        }
}

/* The cause is not reloaded: it sets its status bit and continues from 0. */
static void cause(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    const uint64_t both = MSR_BIT(c.n[0]) | MSR_BIT(c.n[1]);
    uint64_t status;

    set(run, c.n[0], BRANCHES | COUNTING, 0, MSR_BIT(c.n[1]), LOADED);
    set(run, c.n[1], BRANCHES | COUNTING, -UINT64_C(6), 0, LOADED);
    status = run_once(run->caps, both);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS after the overflow of the counter that reloads", status, MSR_BIT(c.n[1]));
    compare(run, c.n[1], "the counter that has reloaded another one", JUMPS - 6);
    counters_clear(run->caps);
}

/* The first counter names the second. The first counter's own overflow sets its status bit and reloads neither. */
static void one_way(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    uint64_t status;

    set(run, c.n[0], BRANCHES | COUNTING, -UINT64_C(4), MSR_BIT(c.n[1]), LOADED);
    set(run, c.n[1], BRANCHES | COUNTING, 0, 0, 2 * LOADED);
    status = run_once(run->caps, MSR_BIT(c.n[0]) | MSR_BIT(c.n[1]));
    test_equal(run, "IA32_PERF_GLOBAL_STATUS after the overflow of the counter that names another", status,
               MSR_BIT(c.n[0]));
    compare(run, c.n[0], "the counter that names another, after its own overflow", JUMPS - 4);
    compare(run, c.n[1], "the named counter, which has not overflowed", JUMPS);
    counters_clear(run->caps);
}

/* No counter is named, so neither CFG_C nor an overflow has an effect. */
static void unnamed(struct test_run *run)
{
    const struct counters c = usable(run->caps);

    set(run, c.n[0], BRANCHES | COUNTING, 0, 0, LOADED);
    set(run, c.n[1], INSTRUCTIONS | COUNTING, BEHIND(8), 0, LOADED);
    run_once(run->caps, MSR_BIT(c.n[0]) | MSR_BIT(c.n[1]));
    compare(run, c.n[0], "a counter that names no counter", JUMPS);
    compare_instructions(run, c.n[1], "a counter that names no counter, after its overflow", BEHIND(8));
    counters_clear(run->caps);
}

/* The third counter reloads the second, which the first names. A reload is not an overflow. */
static void chain(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    const uint64_t all = MSR_BIT(c.n[0]) | MSR_BIT(c.n[1]) | MSR_BIT(c.n[2]);

    set(run, c.n[0], BRANCHES | COUNTING, 0, MSR_BIT(c.n[1]), LOADED);
    set(run, c.n[1], BRANCHES | COUNTING, 0, MSR_BIT(c.n[2]), LOADED);
    set(run, c.n[2], INSTRUCTIONS | COUNTING, BEHIND(5), 0, 0);
    run_once(run->caps, all);
    compare(run, c.n[0], "a counter that names a reloaded one", JUMPS);
    compare(run, c.n[1], "the reloaded counter", LOADED + JUMPS - 5);
    compare_instructions(run, c.n[2], "the counter that reloads", BEHIND(5));
    counters_clear(run->caps);
}

/* The second counter overflows after the third. Both reload the first, the second one last. */
static void either(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    const uint64_t all = MSR_BIT(c.n[0]) | MSR_BIT(c.n[1]) | MSR_BIT(c.n[2]);

    for (unsigned i = 0; i < 2; i++) {
        set(run, c.n[0], BRANCHES | COUNTING, 0, MSR_BIT(c.n[1]) | MSR_BIT(c.n[2]), LOADED);
        set(run, c.n[1], INSTRUCTIONS | COUNTING, i ? 0 : BEHIND(9), 0, 0);
        set(run, c.n[2], INSTRUCTIONS | COUNTING, BEHIND(3), 0, 0);
        run_once(run->caps, all);
        compare(run, c.n[0], "a counter that names two, after the last overflow", LOADED + JUMPS - (i ? 3 : 9));
        compare_instructions(run, c.n[1], "the second counter", i ? 0 : BEHIND(9));
        compare_instructions(run, c.n[2], "the third counter", BEHIND(3));
        counters_clear(run->caps);
    }
}

static void several(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    const uint64_t all = MSR_BIT(c.n[0]) | MSR_BIT(c.n[1]) | MSR_BIT(c.n[2]);
    const uint64_t period = BEHIND(7) + WORKLOAD_SPREAD_STEP / 5; /* overflows after the 7th jump and the 14th */

    set(run, c.n[0], BRANCHES | COUNTING, 0, MSR_BIT(c.n[2]), LOADED);
    set(run, c.n[1], BRANCHES | COUNTING, 0, MSR_BIT(c.n[2]), 2 * LOADED);
    set(run, c.n[2], INSTRUCTIONS | COUNTING, period, MSR_BIT(c.n[2]), (uint32_t)period);
    run_once(run->caps, all);
    for (unsigned i = 0; i < 2; i++)
        compare(run, c.n[i],
                i ? "the second of two counters that the same counter reloads" : "the first of these counters",
                (i + 1) * LOADED + JUMPS - 14);
    counters_clear(run->caps);
}

/*
 * The purpose of auto counter reload: the first counter samples only where its events are dense. The second counts
 * instructions. With a short period it reloads both before the first overflows; with a long one the first overflows.
 */
static void dense(struct test_run *run)
{
    const struct counters c = usable(run->caps);
    const uint64_t first = MSR_BIT(c.n[0]), second = MSR_BIT(c.n[1]);

    for (unsigned i = 0; i < 2; i++) {
        const uint64_t period = BEHIND(i ? 5 : 3);
        uint64_t status;
        set(run, c.n[0], BRANCHES | COUNTING, -UINT64_C(5), second, -5u);
        set(run, c.n[1], INSTRUCTIONS | COUNTING, period, second, (uint32_t)period);
        status = run_once(run->caps, first | second);
        test_equal(run,
                   i ? "overflow after 5 jumps, reloaded after more instructions than they take"
                     : "overflow after 5 jumps, reloaded after fewer instructions than they take",
                   status, i ? first : 0);
        counters_clear(run->caps);
    }
}

TESTS(reload_of_others) = {
    { "perfmon.reload.another", "The overflow of a counter that CFG_B names reloads the counter with its own CFG_C",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_two, .run = by_another },
    { "perfmon.reload.cause",
      "A counter that reloads another one, and not itself, sets its own overflow bit and continues from 0",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_two, .run = cause },
    { "perfmon.reload.one_way",
      "The overflow of a counter that names another one in CFG_B reloads neither, and sets its overflow bit",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_two, .run = one_way },
    { "perfmon.reload.unnamed", "A counter whose CFG_B is 0 is not reloaded, whatever its CFG_C", RELOAD_SOURCE,
      .needs = NEED_COUNTER_RELOAD, .lacks = no_two, .run = unnamed },
    { "perfmon.reload.chain", "A reload is not an overflow: it reloads no further counter", RELOAD_SOURCE,
      .needs = NEED_COUNTER_RELOAD, .lacks = no_three, .run = chain },
    { "perfmon.reload.either", "A counter that names several counters is reloaded at the overflow of each",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_three, .run = either },
    { "perfmon.reload.several",
      "A counter that reloads itself also reloads all counters that name it, at each of its overflows, each with its "
      "own value",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_three, .run = several },
    { "perfmon.reload.dense",
      "If a second counter reloads both, the first overflows only where enough of its events happen within the "
      "second's period",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_two, .run = dense },
};

/* ---- fixed counters ---------------------------------------------------------------------------------------------- */

static void by_fixed(struct test_run *run)
{
    const unsigned n = usable(run->caps).n[0];
    uint64_t status;

    set(run, n, BRANCHES | COUNTING, 0, FIXED(0), LOADED);
    set_fixed_0(BEHIND(6), 0, 0);
    status = run_once(run->caps, MSR_BIT(n) | FIXED(0));
    compare(run, n, "jumps since the overflow of fixed counter 0", LOADED + JUMPS - 6);
    test_equal(run, "IA32_PERF_GLOBAL_STATUS", status, FIXED(0));
    counters_clear(run->caps);
}

/*
 * Fixed counter 0 counts instructions since its reload: by the overflow of a counter of jumps, then by its own. No
 * counter overflows after that.
 */
static void fixed(struct test_run *run)
{
    const unsigned n = usable(run->caps).n[0];

    for (unsigned own = 0; own < 2; own++) {
        const unsigned jumps = own ? 2 : 8; /* before the reload */
        const uint64_t behind = (uint64_t)(JUMPS + 1 - jumps) * WORKLOAD_SPREAD_STEP;
        const uint64_t cause = own ? FIXED(0) : MSR_BIT(n);
        uint64_t status;

        if (!own)
            set(run, n, BRANCHES | COUNTING, -(uint64_t)jumps, 0, LOADED / 2);
        set_fixed_0(own ? BEHIND(jumps) : 0, cause, LOADED);
        status = run_once(run->caps, cause | FIXED(0));
        test_between(run, "fixed counter 0, reloaded", msr_get(MSR_IA32_FIXED_CTR(0)),
                     LOADED + behind - WORKLOAD_SPREAD_STEP, LOADED + behind + WORKLOAD_SPREAD_STEP);
        test_equal(run,
                   own ? "IA32_PERF_GLOBAL_STATUS after fixed counter 0 reloaded itself" : "IA32_PERF_GLOBAL_STATUS",
                   status, own ? 0 : MSR_BIT(n));
    }
    counters_clear(run->caps);
}

TESTS(reload_by_fixed) = {
    { "perfmon.reload.by_fixed",
      "The overflow of a fixed counter reloads a general counter that names it (bit 32 of CFG_B for fixed counter 0)",
      RELOAD_SOURCE, .needs = NEED_COUNTER_RELOAD, .lacks = no_fixed, .run = by_fixed },
    { "perfmon.reload.fixed",
      "A fixed counter is reloaded by a general counter and by itself, without setting an overflow bit", RELOAD_SOURCE,
      .needs = NEED_COUNTER_RELOAD, .lacks = no_fixed, .run = fixed },
};
