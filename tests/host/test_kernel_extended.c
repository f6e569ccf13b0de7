/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of what CPUID.23H.0:EBX adds to event selects (perfmon/extended_test.c), on counters of variables:
 * they pass where these do what is promised, and where they err in one point those tests that are of that point report
 * it. Registers by their numbers from SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 309H
 * IA32_FIXED_CTR0, 38DH IA32_FIXED_CTR_CTRL, 4C1H IA32_A_PMC0.
 */
#include "tests/host/host_test.h"

#include "perfmon/extended_test.c"
#include "tests/host/machine/machine.h"

#define COUNTERS 3u
#define NEARLY   64 /* cycles that may be missing, or too many */

/* What the machine does wrong. */
enum wrong {
    NOTHING,
    SHOWN, /* RDPMC at CPL 3 reads a counter that is disabled for it, the last one; .. a fixed one */
    FIXED_SHOWN,
    RAISES, /* it raises #GP; .. of a fixed one */
    FIXED_RAISES,
    HIDES_NEXT, /* it reads 0 of the one behind as well; .. of a fixed one */
    FIXED_HIDES_NEXT,
    HIDES_FIRST, /* .. of the first counter, whichever is disabled */
    HIDES_AT_0,  /* RDPMC at CPL 0 reads 0, too; .. of a fixed one */
    FIXED_HIDES_AT_0,
    SELECT_REFUSED, /* bit 37 of an event select cannot be set; .. the fixed one's */
    CONTROL_REFUSED,
    STILL,        /* a counter that is disabled for RDPMC does not count */
    MASK_REFUSED, /* the last counter refuses a second unit mask; .. has none; .. lacks its highest bit */
    NO_MASK,
    MASK_BIT_LOST,
    ANY_REFUSED, /* no event select can be written */
    EQUAL_FEW,   /* cycles are missing; .. nearly as many as permitted are */
    EQUAL_NEARLY_FEW,
    EQUAL_MANY, /* .. are counted twice */
    EQUAL_NEARLY_MANY
};

static struct {
    enum wrong wrong;
    uintptr_t cr4;
    unsigned entered;
} cpu;
static struct caps caps;
static struct test_run run;

uintptr_t attempt_address;
uint64_t attempt_counter;

uintptr_t cr4_read(void)
{
    return cpu.cr4;
}

void cr4_write(uintptr_t value)
{
    cpu.cr4 = value;
}

void attempt_user_rdpmc(void)
{
}

void attempt_user_over(void)
{
}

static bool is_last(unsigned n)
{
    return n == COUNTERS - 1;
}

static bool disabled(bool fixed, unsigned n)
{
    return fixed ? msr_get(0x38d) >> (33 + 4 * n) & 1 : msr_get(0x186 + n) >> 37 & 1;
}

static uint64_t value_of(bool fixed, unsigned n)
{
    return msr_get((fixed ? 0x309 : 0xc1) + n);
}

bool pmc_read(uint32_t counter, uint64_t *value)
{
    const bool fixed = counter >> 30;
    const unsigned n = counter & 0xff;

    assert_in_range(n, 0, COUNTERS - 1);
    *value = cpu.wrong == (fixed ? FIXED_HIDES_AT_0 : HIDES_AT_0) && disabled(fixed, n) ? 0 : value_of(fixed, n);
    return true;
}

void user_call(void (*function)(void))
{
    const bool fixed = attempt_address >> 30;
    const unsigned n = attempt_address & 0xff;

    assert_ptr_equal(function, attempt_user_rdpmc);
    assert_in_range(n, 0, COUNTERS - 1);
    assert_int_equal(cpu.cr4, 0x121); /* with PCE */
    cpu.entered++;
    attempt_counter = disabled(fixed, n) ? 0 : value_of(fixed, n);
    if (cpu.wrong == (fixed ? FIXED_SHOWN : SHOWN) && is_last(n))
        attempt_counter = value_of(fixed, n);
    if ((cpu.wrong == (fixed ? FIXED_HIDES_NEXT : HIDES_NEXT) && n && disabled(fixed, n - 1)) ||
        (cpu.wrong == HIDES_FIRST && !n))
        attempt_counter = 0;
    if (cpu.wrong == (fixed ? FIXED_RAISES : RAISES) && disabled(fixed, n)) {
        struct interrupt_frame frame = { .vector = VECTOR_GENERAL_PROTECTION, .ip = (uintptr_t)function };
        attempt_counter = 0x55; /* of whatever was there before */
        machine.handlers[VECTOR_GENERAL_PROTECTION](&frame);
        assert_int_equal(frame.ip, (uintptr_t)attempt_user_over);
    }
}

static bool refuses(uint32_t msr, uint64_t value)
{
    const bool select = msr >= 0x186 && msr < 0x186 + COUNTERS;

    return (cpu.wrong == SELECT_REFUSED && select && value >> 37 & 1) ||
           (cpu.wrong == ANY_REFUSED && select && value) ||
           (cpu.wrong == CONTROL_REFUSED && msr == 0x38d && value >> 33) ||
           (cpu.wrong == MASK_REFUSED && msr == 0x186 + COUNTERS - 1 && value >> 40);
}

static void wrote(uint32_t msr, uint64_t value)
{
    if (msr >= 0x4c1 && msr < 0x4c1 + COUNTERS)
        machine_set(msr - 0x400, value);
    if (msr >= 0xc1 && msr < 0xc1 + COUNTERS)
        machine_set(msr, (uint64_t)(int32_t)value & ((UINT64_C(1) << 48) - 1));
    if (msr == 0x186 + COUNTERS - 1 && cpu.wrong == NO_MASK)
        machine_set(msr, value & ~(UINT64_C(0xff) << 40));
    if (msr == 0x186 + COUNTERS - 1 && cpu.wrong == MASK_BIT_LOST)
        machine_set(msr, value & ~(UINT64_C(1) << 47));
}

/* A thousand cycles, in 300 of which there is no instruction; in the others two. */
static void count_over(const struct window *window)
{
    const uint64_t nearly = NEARLY, missing = cpu.wrong == EQUAL_FEW           ? nearly + 1
                                              : cpu.wrong == EQUAL_NEARLY_FEW  ? nearly
                                              : cpu.wrong == EQUAL_MANY        ? -nearly - 1
                                              : cpu.wrong == EQUAL_NEARLY_MANY ? -nearly
                                                                               : 0;

    assert_int_equal(window->msr, 0x38f);
    for (unsigned n = 0; n < COUNTERS; n++) {
        const uint64_t select = msr_get(0x186 + n);
        uint64_t more = 0;
        if (!(window->on >> n & 1) || (cpu.wrong == STILL && select >> 37 & 1))
            continue;
        if ((select & 0x430000) != 0x430000)
            continue;
        switch (select & ~(UINT64_C(0x430000) | UINT64_C(1) << 37)) {
        case 0xc0: /* instructions */
            more = 1400;
            break;
        case 0x3c: /* cycles */
            more = 1000;
            break;
        case 0x10000c0: /* cycles with at least one instruction */
            more = 700;
            break;
        case 0x10000000c0: /* cycles with none: EQ */
            more = 300 - missing;
            break;
        default:
            fail_msg("event select 0x%" PRIx64, select);
        }
        machine_set(0xc1 + n, msr_get(0xc1 + n) + more);
    }
}

const struct workload workload_loop = { .run = count_over }, workload_long_loop = { .run = count_over };

static const struct test *const all[] = {
    &perfmon_conceal, &perfmon_conceal_fixed, &perfmon_conceal_counts, &perfmon_unit_mask_2, &perfmon_equal,
};

static void start(enum wrong wrong)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    cpu.cr4 = 0x21;
    machine.write = wrote;
    machine.refuses = refuses;
    caps = (struct caps){ .global_ctrl = true,
                          .general_count = COUNTERS,
                          .general_width = 48,
                          .fixed_count = COUNTERS,
                          .fixed_width = 48,
                          .full_width_write = true,
                          .unit_mask_2 = true,
                          .equal_flag = true,
                          .rdpmc_user_disable = true };
    run = (struct test_run){ .caps = &caps };
}

/* Afterwards no counter has an event, or is disabled for anybody. */
static void all_is_clear(void)
{
    for (unsigned n = 0; n < COUNTERS; n++)
        assert_int_equal(msr_get(0x186 + n), 0);
    assert_int_equal(msr_get(0x38d), 0);
    assert_int_equal(cpu.cr4, 0x21);
    assert_null(machine.handlers[VECTOR_GENERAL_PROTECTION]);
}

static void all_is_right(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * COUNT_OF(all); i++) {
        start(NOTHING);
        caps.full_width_write = i < COUNT_OF(all);
        all[i % COUNT_OF(all)]->run(&run);
        machine_found("");
        all_is_clear();
        assert_int_equal(cpu.entered, i % COUNT_OF(all) < 2 ? COUNTERS * COUNTERS : 0);
        assert_int_equal(all[i % COUNT_OF(all)]->needs, NEED_GLOBAL_CTRL);
    }
}

/* Which tests report how many problems, by the last parts of their ids. */
static const char *reports(enum wrong wrong)
{
    static char text[400];

    *text = '\0';
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(wrong);
        all[i]->run(&run);
        all_is_clear();
        machine_sum(text, sizeof text, all[i]->id + strlen("perfmon."), &run);
    }
    return text;
}

static void each_error(void **state)
{
    static const struct {
        enum wrong wrong;
        const char *reports;
    } cases[] = {
        { SHOWN, "conceal.general 1" },
        { FIXED_SHOWN, "conceal.fixed 1" },
        { RAISES, "conceal.general 3" },
        { FIXED_RAISES, "conceal.fixed 3" },
        { HIDES_NEXT, "conceal.general 2" },
        { FIXED_HIDES_NEXT, "conceal.fixed 2" },
        { HIDES_FIRST, "conceal.general 2, conceal.fixed 2" },
        { HIDES_AT_0, "conceal.general 3" },
        { FIXED_HIDES_AT_0, "conceal.fixed 3" },
        { STILL, "conceal.counts 1" },
        { MASK_REFUSED, "unit_mask_2 16" }, /* eight bits, each told twice */
        { NO_MASK, "unit_mask_2 8" },
        { MASK_BIT_LOST, "unit_mask_2 1" },
        { EQUAL_FEW, "equal 1" },
        { EQUAL_NEARLY_FEW, "" },
        { EQUAL_MANY, "equal 1" },
        { EQUAL_NEARLY_MANY, "" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(reports(cases[i].wrong), cases[i].reports);
}

static void sentences(void **state)
{
    static const struct {
        const struct test *test;
        enum wrong wrong;
        const char *lines;
    } cases[] = {
        { &perfmon_conceal, SHOWN,
          "wrong: RDPMC at CPL 3 of a counter that is disabled for it is 0x123400002000, must be 0x0\n" },
        { &perfmon_conceal_fixed, FIXED_SHOWN,
          "wrong: RDPMC at CPL 3 of a fixed counter that is disabled for it is 0x123400002000, must be 0x0\n" },
        { &perfmon_conceal, HIDES_FIRST,
          "wrong: RDPMC at CPL 3 of a counter beside one that is disabled for it is 0x0, must be 0x123400000000\n"
          "wrong: RDPMC at CPL 3 of a counter beside one that is disabled for it is 0x0, must be 0x123400000000\n" },
        { &perfmon_conceal_fixed, HIDES_FIRST,
          "wrong: RDPMC at CPL 3 of a fixed counter beside one that is disabled for it is 0x0, must be 0x123400000000\n"
          "wrong: RDPMC at CPL 3 of a fixed counter beside one that is disabled for it is 0x0, must be "
          "0x123400000000\n" },
        { &perfmon_conceal_counts, STILL,
          "wrong: instructions that a counter counts while RDPMC is disabled for it at CPL 3 is 0x0, must be 0x578\n" },
        { &perfmon_unit_mask_2, MASK_BIT_LOST,
          "wrong: the second unit mask of an event select is 0x0, must be 0x800000000000\n" },
        { &perfmon_equal, EQUAL_FEW,
          "wrong: 235 cycles without an instruction and 700 with any are not the 1000 cycles that there were\n" },
        { &perfmon_equal, ANY_REFUSED,
          "wrong: counter 0 could not be programmed\nwrong: counter 1 could not be programmed\n"
          "wrong: counter 2 could not be programmed\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(cases[i].wrong);
        cases[i].test->run(&run);
        machine_found(cases[i].lines);
    }
    start(SELECT_REFUSED);
    perfmon_conceal.run(&run);
    for (unsigned n = 0; n < COUNTERS; n++) {
        char line[64];
        snprintf(line, sizeof line, "wrong: counter %u could not be programmed\n", n);
        machine_has_found(line);
    }
    start(CONTROL_REFUSED);
    perfmon_conceal_fixed.run(&run);
    for (unsigned n = 0; n < COUNTERS; n++) {
        char line[64];
        snprintf(line, sizeof line, "wrong: fixed counter %u could not be programmed\n", n);
        machine_has_found(line);
    }
    start(MASK_REFUSED);
    perfmon_unit_mask_2.run(&run);
    machine_has_found("wrong: IA32_PERFEVTSEL2 refuses the second unit mask 0x80\n");
}

static void demands(void **state)
{
    (void)state;
    start(NOTHING);
    for (unsigned i = 0; i < COUNT_OF(all); i++)
        assert_null(all[i]->lacks(&caps));
    caps.general_count = 3;
    caps.fixed_count = 2;
    assert_null(perfmon_equal.lacks(&caps));
    assert_null(perfmon_conceal_fixed.lacks(&caps));
    caps.general_count = 2;
    caps.fixed_count = 1;
    assert_string_equal(perfmon_equal.lacks(&caps), "fewer than three general counters");
    assert_string_equal(perfmon_conceal_fixed.lacks(&caps), "fewer than two fixed counters");
    start(NOTHING);
    caps.unit_mask_2 = caps.equal_flag = caps.rdpmc_user_disable = false;
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(all[i]->lacks(&caps), "RDPMC cannot be disabled by counter: CPUID.23H.0:EBX bit 2 clear");
    assert_string_equal(perfmon_unit_mask_2.lacks(&caps), "no second unit mask: CPUID.23H.0:EBX bit 0 clear");
    assert_string_equal(perfmon_equal.lacks(&caps), "no EQ bit: CPUID.23H.0:EBX bit 1 clear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right),
        cmocka_unit_test(each_error),
        cmocka_unit_test(sentences),
        cmocka_unit_test(demands),
    };

    return cmocka_run_group_tests_name("kernel_extended", tests, NULL, NULL);
}
