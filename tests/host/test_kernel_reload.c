/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of auto counter reload (perfmon/reload_test.c), on counters of variables: they pass where these do
 * what the manual says, and where they err in one point those tests that are of that point report it. Registers by
 * their numbers from SDM Vol. 4 (335592-086): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 309H IA32_FIXED_CTR0, 38DH
 * IA32_FIXED_CTR_CTRL, 38EH to 390H IA32_PERF_GLOBAL_STATUS, _CTRL and _OVF_CTRL, 4C1H IA32_A_PMC0, 1902H and 1903H
 * IA32_PMC_GP0_CFG_B and _C, 1982H and 1983H IA32_PMC_FX0_CFG_B and _C, each four further for the next counter.
 */
#include "tests/host/host_test.h"

#include "perfmon/reload_test.c"
#include "tests/host/machine/machine.h"

#define STATUS 0x38eu

/* What the machine does wrong. */
enum wrong {
    NOTHING,
    BIT_LOST,      /* CFG_B does not take bit 2 */
    TAKES_OTHERS,  /* CFG_B takes the bits of counters that cause no reload */
    OTHERS_CHANGE, /* a write of them that raises #GP changes CFG_B all the same */
    CFG_B_REFUSED, /* a general counter's CFG_B cannot be written; .. a fixed one's, and so on */
    CFG_C_REFUSED,
    FIXED_B_REFUSED,
    FIXED_C_REFUSED,
    SELECT_REFUSED,
    FIXED_REFUSED,
    NO_RELOAD,      /* nothing is reloaded */
    NOT_ITSELF,     /* a counter does not reload itself */
    NO_SIGN,        /* a negative value does not go on to the counter's width */
    UPPER_KEPT,     /* a positive one leaves the upper bits as the overflow found them */
    STATUS_ITSELF,  /* a counter that reloads itself sets its status bit */
    STATUS_NAMED,   /* a counter that another one reloads sets its status bit */
    STATUS_LOST,    /* the cause of a reload sets none */
    CAUSE_TOO,      /* the cause is reloaded, too */
    REVERSED,       /* a counter reloads those that it names */
    BOTH_WAYS,      /* .. and is reloaded by them */
    UNNAMED,        /* an overflow reloads a counter that names none */
    CHAINED,        /* a reload is an overflow */
    FIRST_OF_TWO,   /* of two causes only the lower one reloads */
    SECOND_OF_TWO,  /* .. the higher one */
    ONE_OF_SEVERAL, /* of several that name the same cause only the lowest is reloaded */
    CAUSE_VALUE,    /* with the cause's CFG_C */
    NO_FIXED_CAUSE, /* a fixed counter's overflow reloads nothing */
    FIXED_STATUS,   /* .. or sets no status */
    NO_FIXED,       /* a fixed counter is not reloaded */
    FIXED_BELOW,    /* .. with more than a step of instructions too few */
    FIXED_ABOVE,    /* .. too many */
    FIXED_NEARLY,   /* .. a step too many, which is near enough */
    ONCE,           /* a counter reloads once */
};

static struct {
    enum wrong wrong;
    uint32_t listed, more_listed; /* general counters in CPUID.23H.2, besides; EAX and EDX */
    uint32_t fixed_listed, more_fixed_listed;
    unsigned runs, reloads;
} cpu;

static struct test_run run;
static struct caps caps;

/* Of ten general counters 3 and 8 are another's: five can be reloaded, four can cause it. */
#define GENERAL_ALL UINT64_C(0x2f7)
#define RELOADED    (UINT64_C(0x076) | FIXED(0) | FIXED(2))
#define CAUSES      (UINT64_C(0x016) | UINT64_C(0x080) | FIXED(0) | FIXED(1))

static struct cpuid leaf_23(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(leaf, 0x23);
    assert_int_equal(subleaf, 2);
    return (struct cpuid){ .eax = (uint32_t)RELOADED | cpu.listed,
                           .ebx = (uint32_t)(RELOADED >> 32) | cpu.fixed_listed,
                           .ecx = (uint32_t)CAUSES | cpu.more_listed,
                           .edx = (uint32_t)(CAUSES >> 32) | cpu.more_fixed_listed };
}

static bool is_cfg(uint32_t msr, unsigned which)
{
    return msr >= 0x1900 && msr < 0x1a00 && (msr & 3) == which;
}

static bool raises(uint32_t msr, uint64_t value)
{
    const bool fixed = msr >= 0x1980;

    if (is_cfg(msr, 2) || is_cfg(msr, 3)) { /* only counters that can be reloaded have them */
        const unsigned n = fixed ? 32 + (msr - 0x1980) / 4 : (msr - 0x1900) / 4;
        assert_true(n < 48 && caps.reload_counters >> n & 1);
    }
    if (is_cfg(msr, 2) && value & ~caps.reload_causes) {
        if (cpu.wrong == OTHERS_CHANGE)
            machine_set(msr, value & CAUSES ? value : 0x10);
        return cpu.wrong != TAKES_OTHERS;
    }
    return (is_cfg(msr, 2) && cpu.wrong == (fixed ? FIXED_B_REFUSED : CFG_B_REFUSED)) ||
           (is_cfg(msr, 3) && cpu.wrong == (fixed ? FIXED_C_REFUSED : CFG_C_REFUSED)) ||
           (msr >= 0x186 && msr < 0x190 && value && cpu.wrong == SELECT_REFUSED) ||
           (msr == 0x309 && value && cpu.wrong == FIXED_REFUSED);
}

static void wrote(uint32_t msr, uint64_t value)
{
    if (msr == 0x390)
        machine_set(STATUS, msr_get(STATUS) & ~value);
    if (msr >= 0x4c1 && msr < 0x4cb)
        machine_set(msr - 0x400, value);
    if (msr >= 0xc1 && msr < 0xcb)
        machine_set(msr, (uint64_t)(int32_t)value & ((UINT64_C(1) << 48) - 1));
    if (is_cfg(msr, 2) && cpu.wrong == BIT_LOST)
        machine_set(msr, value & ~UINT64_C(4));
}

/* The counters by their bits of IA32_PERF_GLOBAL_CTRL. */
static uint32_t counter_of(unsigned n)
{
    return n < 32 ? 0xc1 + n : 0x309 + (n - 32);
}

static uint64_t cfg_of(unsigned n, unsigned which)
{
    return msr_get((n < 32 ? 0x1900 + 4 * n : 0x1980 + 4 * (n - 32)) + which);
}

static bool counts(unsigned n, bool jump)
{
    const uint64_t select = n < 32 ? msr_get(0x186 + n) : 0;

    if (n >= 32)
        return (msr_get(0x38d) >> 4 * (n - 32) & 3) == 3;
    return (select & 0x430000) == 0x430000 && ((select & 0xff) == 0xc0 || ((select & 0xff) == 0xc4 && jump));
}

static bool named_by(unsigned n, unsigned cause)
{
    const uint64_t causes = cfg_of(n, 2);
    const uint64_t lowest = causes & -causes;

    switch (cpu.wrong) {
    case NO_RELOAD:
        return false;
    case NOT_ITSELF:
        return n != cause && causes >> cause & 1;
    case REVERSED:
        return cfg_of(cause, 2) >> n & 1;
    case BOTH_WAYS:
        return causes >> cause & 1 || cfg_of(cause, 2) >> n & 1;
    case UNNAMED:
        return !causes || causes >> cause & 1;
    case CAUSE_TOO:
        return causes >> cause & 1 || n == cause;
    case FIRST_OF_TWO:
        return lowest >> cause & 1;
    case SECOND_OF_TWO:
        return causes >> cause & 1 && (causes == lowest || !(lowest >> cause & 1));
    case NO_FIXED_CAUSE:
        return cause < 32 && causes >> cause & 1;
    case NO_FIXED:
        return n < 32 && causes >> cause & 1;
    case ONCE:
        return causes >> cause & 1 && cpu.reloads < 1;
    default:
        return causes >> cause & 1;
    }
}

static void overflow(unsigned cause)
{
    bool itself = false, any = false;

    for (unsigned n = 0; n < 48; n++) {
        uint64_t value, loaded;
        if ((n >= 10 && n < 32) || n > 34 || !named_by(n, cause) || (any && cpu.wrong == ONE_OF_SEVERAL))
            continue;
        value = cfg_of(cpu.wrong == CAUSE_VALUE ? cause : n, 3);
        loaded = (uint64_t)(int32_t)value & ((UINT64_C(1) << 48) - 1);
        if (cpu.wrong == NO_SIGN)
            loaded = (uint32_t)value;
        if (cpu.wrong == UPPER_KEPT)
            loaded = (uint32_t)value | UINT64_C(0xffff00000000);
        if (n >= 32 && value == LOADED)
            loaded += cpu.wrong == FIXED_BELOW    ? -UINT64_C(129)
                      : cpu.wrong == FIXED_ABOVE  ? 129
                      : cpu.wrong == FIXED_NEARLY ? 128
                                                  : 0;
        machine_set(counter_of(n), loaded);
        any = true;
        itself = itself || n == cause;
        if (n != cause && cpu.wrong == STATUS_NAMED)
            machine_set(STATUS, msr_get(STATUS) | MSR_BIT(n));
        if (n != cause && cpu.wrong == CHAINED)
            overflow(n);
    }
    cpu.reloads += any;
    if ((itself && cpu.wrong != STATUS_ITSELF) || (any && cpu.wrong == STATUS_LOST) ||
        (cause >= 32 && cpu.wrong == FIXED_STATUS))
        return;
    machine_set(STATUS, msr_get(STATUS) | MSR_BIT(cause));
}

/* Jumps at every 128th instruction, and as many instructions behind the last one. */
static void run_spread(const struct window *window)
{
    unsigned used[48], count = 0;

    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->off, 0);
    cpu.runs++;
    cpu.reloads = 0;
    for (unsigned n = 0; n < 48; n++)
        if (window->on >> n & 1)
            used[count++] = n;
    for (unsigned i = 1; i <= 17 * 128; i++) {
        uint64_t overflown = 0;
        for (unsigned k = 0; k < count; k++) {
            const uint32_t at = counter_of(used[k]);
            if (!counts(used[k], i % 128 == 0 && i <= 16 * 128))
                continue;
            machine_set(at, (msr_get(at) + 1) & ((UINT64_C(1) << 48) - 1));
            if (!msr_get(at))
                overflown |= MSR_BIT(used[k]);
        }
        for (unsigned k = 0; overflown && k < count; k++)
            if (overflown >> used[k] & 1)
                overflow(used[k]);
    }
}

const struct workload workload_spread = { .run = run_spread };

static const struct test *const all[] = {
    &perfmon_reload_causes,    &perfmon_reload_refused,  &perfmon_reload_listed,   &perfmon_reload_itself,
    &perfmon_reload_no_status, &perfmon_reload_positive, &perfmon_reload_another,  &perfmon_reload_cause,
    &perfmon_reload_one_way,   &perfmon_reload_unnamed,  &perfmon_reload_chain,    &perfmon_reload_either,
    &perfmon_reload_several,   &perfmon_reload_dense,    &perfmon_reload_by_fixed, &perfmon_reload_fixed,
};

static void start(enum wrong wrong)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    machine.leaves = leaf_23;
    machine.refuses = raises;
    machine.write = wrote;
    machine_set(STATUS, UINT64_C(1) << 63 | 0x5); /* of what was before */
    caps = (struct caps){ .global_ctrl = true,
                          .general_count = 10,
                          .general_width = 48,
                          .fixed_count = 3,
                          .full_width_write = true,
                          .general_counters = GENERAL_ALL,
                          .fixed_counters = 7,
                          .counters_taken = 0x108,
                          .reload_counters = RELOADED,
                          .reload_causes = CAUSES };
    run = (struct test_run){ .caps = &caps };
}

/* Everything is as before, but for the status of what nobody counts. */
static void all_is_clear(void)
{
    for (unsigned n = 0; n < 10; n++) {
        assert_int_equal(msr_get(0xc1 + n), 0);
        assert_int_equal(msr_get(0x186 + n), 0);
        assert_int_equal(cfg_of(n, 2), 0);
        assert_int_equal(cfg_of(n, 3), 0);
    }
    for (unsigned n = 32; n < 35; n++) {
        assert_int_equal(cfg_of(n, 2), 0);
        assert_int_equal(cfg_of(n, 3), 0);
    }
    assert_int_equal(msr_get(0x38d), 0);
}

static void all_is_right(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        run.test = all[i];
        all[i]->run(&run);
        machine_found("");
        all_is_clear();
        assert_int_equal(all[i]->needs, NEED_COUNTER_RELOAD);
        assert_true(cpu.runs > 0 || i < 3);
        assert_int_equal(run.problems + run.differences, 0);
    }
}

/* Which tests report how many problems and differences, by the last part of their ids: "causes 14, refused 0+6". */
static const char *reports(enum wrong wrong)
{
    static char text[400];

    *text = '\0';
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(wrong);
        run.test = all[i];
        all[i]->run(&run);
        machine_sum(text, sizeof text, all[i]->id + strlen("perfmon.reload."), &run);
    }
    return text;
}

static void each_error(void **state)
{
    static const struct {
        enum wrong wrong;
        const char *reports;
    } cases[] = {
        { BIT_LOST, "causes 14, itself 1, no_status 2, another 2, either 1, dense 2" },
        { TAKES_OTHERS, "refused 0+7" },
        { OTHERS_CHANGE, "refused 406" },
        { CFG_B_REFUSED, "causes 65, itself 6, no_status 9, positive 2, another 18, cause 2, one_way 2, unnamed 2, "
                         "chain 4, either 8, several 5, dense 6, by_fixed 2, fixed 1" },
        { CFG_C_REFUSED, "itself 6, no_status 6, positive 2, another 18, cause 2, one_way 2, unnamed 2, chain 4, "
                         "either 8, several 5, dense 4, by_fixed 2, fixed 1" },
        { FIXED_B_REFUSED, "causes 26, by_fixed 1, fixed 5" },
        { FIXED_C_REFUSED, "by_fixed 1, fixed 4" },
        { SELECT_REFUSED, "itself 6, no_status 3, positive 2, another 18, cause 4, one_way 5, unnamed 4, chain 5, "
                          "either 8, several 5, dense 5, by_fixed 2, fixed 3" },
        { FIXED_REFUSED, "by_fixed 3, fixed 1" },
        { NO_RELOAD,
          "itself 3, no_status 6, positive 1, another 6, chain 1, either 2, several 2, dense 2, by_fixed 1, fixed 3" },
        { NOT_ITSELF, "itself 3, no_status 6, positive 1, several 2, dense 2, fixed 2" },
        { NO_SIGN, "itself 3, no_status 3, several 2" },
        { UPPER_KEPT, "positive 1, another 6, chain 1, either 2, several 2, by_fixed 1, fixed 1" },
        { STATUS_ITSELF, "no_status 3, dense 2, fixed 1" },
        { STATUS_NAMED, "cause 1, dense 1, by_fixed 1, fixed 1" },
        { STATUS_LOST, "cause 1, by_fixed 1, fixed 1" },
        { CAUSE_TOO, "cause 2, one_way 2, unnamed 1, dense 1, by_fixed 1, fixed 1" },
        { REVERSED, "another 6, one_way 1, chain 1, either 2, several 2, dense 1, by_fixed 1, fixed 1" },
        { BOTH_WAYS, "one_way 1" },
        { UNNAMED, "cause 2, one_way 1, unnamed 2, either 1, by_fixed 1, fixed 1" },
        { CHAINED, "cause 1, chain 1, dense 1, by_fixed 1, fixed 1" },
        { FIRST_OF_TWO, "either 1" },
        { SECOND_OF_TWO, "either 1" },
        { ONE_OF_SEVERAL, "several 2, dense 2" },
        { CAUSE_VALUE, "another 6, chain 1, either 2, several 2, by_fixed 1, fixed 1" },
        { NO_FIXED_CAUSE, "by_fixed 1, fixed 2" },
        { FIXED_STATUS, "by_fixed 1" },
        { NO_FIXED, "fixed 3" },
        { FIXED_BELOW, "fixed 1" },
        { FIXED_ABOVE, "fixed 1" },
        { FIXED_NEARLY, "" },
        { ONCE, "itself 3, no_status 6, either 1, several 2, dense 2" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(reports(cases[i].wrong), cases[i].reports);
}

/* The first of all counters, and the last: what others left in them is gone, and no further register is touched. */
static void other_counters(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        caps.reload_counters = 0x80000217 | FIXED(0) | FIXED(15) | MSR_BIT(48);
        caps.reload_causes = 0x217 | FIXED(0);
        machine_set(0x1903, 5);          /* of general counter 0 */
        machine_set(0x1983 + 4 * 15, 5); /* of fixed counter 15 */
        cpu.listed = 0;
        run.test = all[i];
        if (all[i] == &perfmon_reload_listed)
            continue;
        all[i]->run(&run);
        machine_found("");
        if (i > 2) {
            all_is_clear();
            assert_int_equal(msr_get(0x1983 + 4 * 15), 0);
        }
    }
    start(NOT_ITSELF);
    caps.reload_counters = caps.reload_causes = MSR_BIT(0);
    perfmon_reload_itself.run(&run);
    assert_int_equal(run.problems, 1);
    start(BIT_LOST);
    caps.reload_counters = MSR_BIT(0);
    perfmon_reload_causes.run(&run);
    assert_int_equal(run.problems, 2);
    for (unsigned i = 0; i < 2; i++) {
        start(i ? TAKES_OTHERS : OTHERS_CHANGE);
        machine_set(0x190a, 0x6);
        perfmon_reload_refused.run(&run);
        assert_int_equal(msr_get(0x190a), 0x6);
    }
}

/* What is said of a register: its value and its number. */
static void sentences(void **state)
{
    (void)state;
    start(TAKES_OTHERS);
    caps.reload_counters = MSR_BIT(2);
    perfmon_reload_refused.run(&run);
    machine_found("differs: WRMSR of 0xfffffffcffffff69 to IA32_PMC_GPx_CFG_B (0x190a) raised no #GP\n");
    start(TAKES_OTHERS);
    caps.reload_counters = FIXED(2);
    perfmon_reload_refused.run(&run);
    machine_found("differs: WRMSR of 0xfffffffcffffff69 to IA32_PMC_FXx_CFG_B (0x198a) raised no #GP\n");
    start(CFG_B_REFUSED);
    caps.reload_counters = MSR_BIT(31); /* of the highest that there could be, and the one after */
    caps.reload_causes = MSR_BIT(63);
    perfmon_reload_causes.run(&run);
    machine_found("wrong: WRMSR of 0x8000000000000000 to IA32_PMC_GPx_CFG_B (0x197e) raised #GP\n"
                  "wrong: IA32_PMC_GPx_CFG_B is 0x0, must be 0x8000000000000000\n"
                  "wrong: IA32_PMC_GPx_CFG_B is 0x0, must be 0x8000000000000000\n");
    start(FIXED_B_REFUSED);
    caps.reload_counters = FIXED(15);
    caps.reload_causes = MSR_BIT(0);
    perfmon_reload_causes.run(&run);
    machine_found("wrong: WRMSR of 0x1 to IA32_PMC_FXx_CFG_B (0x19be) raised #GP\n"
                  "wrong: IA32_PMC_FXx_CFG_B is 0x0, must be 0x1\n"
                  "wrong: IA32_PMC_FXx_CFG_B is 0x0, must be 0x1\n");
    start(FIXED_BELOW);
    perfmon_reload_fixed.run(&run);
    machine_found("wrong: fixed counter 0, reloaded with 0x40000 1152 instructions ago, is 0x403ff\n");
    start(NO_RELOAD);
    perfmon_reload_dense.run(&run);
    machine_found("wrong: overflow of 5 jumps in fewer instructions than they take is 0x6, must be 0x0\n"
                  "wrong: overflow of 5 jumps in more instructions than they take is 0x6, must be 0x2\n");
}

/* CPUID.23H.2 names counters that do not exist, in each of its registers; another's exist. */
static void lists(void **state)
{
    static const struct {
        uint32_t *at, bits;
        const char *line;
    } cases[] = {
        { &cpu.listed, 0x400, "wrong: counters in CPUID.23H.2:EBX and EAX that do not exist is 0x400, must be 0x0\n" },
        { &cpu.listed, 0x108, "" },
        { &cpu.fixed_listed, 0x9,
          "wrong: counters in CPUID.23H.2:EBX and EAX that do not exist is 0x800000000, must be 0x0\n" },
        { &cpu.more_listed, 0x400,
          "wrong: counters in CPUID.23H.2:EDX and ECX that do not exist is 0x400, must be 0x0\n" },
        { &cpu.more_listed, 0x108, "" },
        { &cpu.more_fixed_listed, 0x9,
          "wrong: counters in CPUID.23H.2:EDX and ECX that do not exist is 0x800000000, must be 0x0\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(NOTHING);
        *cases[i].at = cases[i].bits;
        perfmon_reload_listed.run(&run);
        machine_found(cases[i].line);
    }
}

/* How many general counters each test needs that reload and are reloaded, and whether fixed counter 0. */
static void skips(void **state)
{
    static const unsigned needs[] = { 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 2, 1, 1 };
    static const uint64_t counters[] = { 0, 0x02, 0x12, 0x16 };
    const char *const few = "CPUID.23H.2 lists too few general counters that reload and are reloaded";

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++)
        for (unsigned n = 0; n < COUNT_OF(counters); n++) {
            const char *lacks;
            start(NOTHING);
            caps.reload_counters = counters[n] | FIXED(0);
            lacks = all[i]->lacks ? all[i]->lacks(&caps) : NULL;
            if (n >= needs[i])
                assert_null(lacks);
            else
                assert_string_equal(lacks, few);
            if (lacks)
                continue;
            run.test = all[i]; /* these are enough */
            all[i]->run(&run);
            machine_found("");
        }
    for (unsigned i = 0; i < 2; i++) {
        start(NOTHING);
        *(i ? &caps.reload_counters : &caps.reload_causes) &= ~FIXED(0);
        for (unsigned k = 14; k < 16; k++)
            assert_string_equal(all[k]->lacks(&caps),
                                "fixed counter 0 does not reload, or is not reloaded: CPUID.23H.2");
    }
    start(NOTHING);
    caps.general_counters &= ~UINT64_C(0x6); /* what is another's is not used */
    assert_null(perfmon_reload_positive.lacks(&caps));
    assert_string_equal(perfmon_reload_dense.lacks(&caps), few);
    start(NOTHING);
    caps.reload_counters = caps.reload_causes = caps.general_counters = MSR_BIT(31) | MSR_BIT(0);
    assert_null(perfmon_reload_dense.lacks(&caps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right), cmocka_unit_test(each_error), cmocka_unit_test(sentences),
        cmocka_unit_test(lists),        cmocka_unit_test(skips),      cmocka_unit_test(other_counters),
    };

    return cmocka_run_group_tests_name("kernel_reload", tests, NULL, NULL);
}
