/* SPDX-License-Identifier: MIT */
/* Event select features of CPUID.23H.0:EBX: a second unit mask, EQ, and counters that RDPMC at CPL 3 cannot read. */
#include "suite/suite.h"

#include "suite/support/count.h"
#include "suite/workload/attempts.h"

#define INSTRUCTIONS UINT64_C(0x00c0) /* INST_RETIRED.ANY_P, architectural */
#define CYCLES       UINT64_C(0x003c) /* CPU_CLK_UNHALTED.CORE, architectural */
#define COUNTING     (PERFEVTSEL_EN | PERFEVTSEL_USR | PERFEVTSEL_OS)
#define AT_LEAST_ONE (UINT64_C(1) << 24) /* counter mask */

#define CR4_PCE ((uintptr_t)1 << 8)

#define CONCEAL_SOURCE "Linux 7.0, commit 59af95e028d4, \"perf/x86/intel: Add support for rdpmc user disable feature\""
#define EVENT_SOURCE   "Linux 6.13, asm/perf_event.h, ARCH_PERFMON_EXT_UMASK2 and _EQ"

static const char *no_conceal(const struct caps *caps)
{
    return caps->rdpmc_user_disable ? NULL : "RDPMC cannot be disabled by counter: CPUID.23H.0:EBX bit 2 clear";
}

static const char *no_fixed(const struct caps *caps)
{
    return caps->fixed_count < 2 ? "fewer than two fixed counters" : no_conceal(caps);
}

static const char *no_unit_mask_2(const struct caps *caps)
{
    return caps->unit_mask_2 ? NULL : "no second unit mask (CPUID.23H.0:EBX bit 0 clear)";
}

static const char *no_equal(const struct caps *caps)
{
    return caps->general_count < 3 ? "fewer than three general counters"
           : caps->equal_flag      ? NULL
                                   : "no EQ bit (CPUID.23H.0:EBX bit 1 clear)";
}

/* ---- RDPMC at CPL 3 ---------------------------------------------------------------------------------------------- */

#define NO_VALUE UINT64_MAX

static void catch (struct interrupt_frame *frame)
{
    attempt_counter = NO_VALUE;
    frame->ip = (uintptr_t)attempt_user_over;
}

/* The value that RDPMC reads at CPL 3; NO_VALUE if it raises an exception. */
static uint64_t read_at_3(uint32_t counter)
{
    const uintptr_t cr4 = cr4_read();

    interrupt_set(VECTOR_GENERAL_PROTECTION, catch);
    cr4_write(cr4 | CR4_PCE);
    attempt_counter = NO_VALUE;
    attempt_address = counter;
    user_call(attempt_user_rdpmc);
    cr4_write(cr4);
    interrupt_set(VECTOR_GENERAL_PROTECTION, NULL);
    return attempt_counter;
}

static uint64_t read_at_0(uint32_t counter)
{
    uint64_t value;

    pmc_read(counter, &value);
    return value;
}

#define VALUE(n) (UINT64_C(0x123400000000) + 0x1000 * (n))

/* Conceals each counter in turn. The counters before and after it stay readable. */
static void conceal(struct test_run *run)
{
    const unsigned count = run->caps->general_count;

    for (unsigned concealed = 0; concealed < count; concealed++) {
        for (unsigned n = 0; n < count; n++)
            counter_program(n, n == concealed ? PERFEVTSEL_RDPMC_USER : 0, VALUE(n), run->caps->full_width_write);
        for (unsigned n = 0; n < count; n++) {
            const uint64_t value = counter_read(n);
            test_equal(run, "RDPMC at CPL 0", read_at_0(n), value);
            test_equal(run,
                       n == concealed ? "RDPMC at CPL 3 of a counter that is concealed there"
                                      : "RDPMC at CPL 3 of a counter next to a concealed one",
                       read_at_3(n), n == concealed ? 0 : value);
        }
    }
    counters_clear(run->caps);
}

static void conceal_fixed(struct test_run *run)
{
    for (unsigned concealed = 0; concealed < run->caps->fixed_count; concealed++) {
        for (unsigned n = 0; n < run->caps->fixed_count; n++)
            fixed_counter_program(n, n == concealed ? FIXED_CTR_CTRL_RDPMC_USER(n) : 0, VALUE(n));
        for (unsigned n = 0; n < run->caps->fixed_count; n++) {
            test_equal(run, "RDPMC of a fixed counter at CPL 0", read_at_0(PMC_FIXED | n), VALUE(n));
            test_equal(run,
                       n == concealed ? "RDPMC at CPL 3 of a fixed counter that is concealed there"
                                      : "RDPMC at CPL 3 of a fixed counter next to a concealed one",
                       read_at_3(PMC_FIXED | n), n == concealed ? 0 : VALUE(n));
        }
    }
    counters_clear(run->caps);
}

static void conceal_counts(struct test_run *run)
{
    const uint64_t select = INSTRUCTIONS | COUNTING;

    test_equal(run, "instructions that a counter counts while RDPMC is disabled for it at CPL 3",
               count_from(run, 0, select | PERFEVTSEL_RDPMC_USER, 0, &workload_loop),
               count_from(run, 0, select, 0, &workload_loop));
    counters_clear(run->caps);
}

TESTS(concealed) = {
    { "perfmon.conceal.general",
      "With bit 37 of its event select, RDPMC of a general counter reads 0 at CPL 3 and its value at CPL 0; other "
      "counters are readable at CPL 3",
      CONCEAL_SOURCE, .needs = NEED_GLOBAL_CTRL, .lacks = no_conceal, .run = conceal },
    { "perfmon.conceal.fixed",
      "With bit 33 + 4n of IA32_FIXED_CTR_CTRL, RDPMC of fixed counter n reads 0 at CPL 3 and its value at CPL 0; "
      "other counters are readable at CPL 3",
      CONCEAL_SOURCE, .needs = NEED_GLOBAL_CTRL, .lacks = no_fixed, .run = conceal_fixed },
    { "perfmon.conceal.counts", "A counter that is disabled for RDPMC at CPL 3 counts as before", CONCEAL_SOURCE,
      .needs = NEED_GLOBAL_CTRL, .lacks = no_conceal, .run = conceal_counts },
};

/* ---- the second unit mask and EQ --------------------------------------------------------------------------------- */

static void unit_mask_2(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count; n++) {
        for (unsigned value = 0; value < 0x100; value = value ? value << 1 : 1) {
            msr_write(MSR_IA32_PERFEVTSEL(n), PERFEVTSEL_UMASK2(value));
            test_equal(run, "an event select with a second unit mask", msr_get(MSR_IA32_PERFEVTSEL(n)),
                       PERFEVTSEL_UMASK2(value));
        }
        msr_write(MSR_IA32_PERFEVTSEL(n), 0);
    }
}

/* Cycles without a retired instruction and cycles with at least one add up to all cycles, except a few at the ends. */
static void equal(struct test_run *run)
{
    static const uint64_t select[] = { INSTRUCTIONS | PERFEVTSEL_EQ, INSTRUCTIONS | AT_LEAST_ONE, CYCLES };
    const uint64_t allowed = 64;
    uint64_t without, with, all;

    for (unsigned n = 0; n < 3; n++)
        counter_program(n, select[n] | COUNTING, 0, run->caps->full_width_write);
    count_once(run->caps, 7, &workload_long_loop);
    without = counter_read(0);
    with = counter_read(1);
    all = counter_read(2);
    counters_clear(run->caps);
    test_between(run, "the sum of cycles without an instruction and of cycles with one", without + with, all - allowed,
                 all + allowed);
}

TESTS(event_selection) = {
    { "perfmon.unit_mask_2", "With CPUID.23H.0:EBX bit 0, event selects hold a second unit mask in bits 47 to 40",
      EVENT_SOURCE, .needs = NEED_GLOBAL_CTRL, .lacks = no_unit_mask_2, .run = unit_mask_2 },
    { "perfmon.equal", "With EQ and a counter mask of 0, a counter counts the cycles without the event",
      EVENT_SOURCE "; github.com/intel/lkvs, BM/pmu, case zbit",
      .typical = "No source says how exactly the cycles are distinguished.", .needs = NEED_GLOBAL_CTRL,
      .lacks = no_equal, .run = equal },
};
