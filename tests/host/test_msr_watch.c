/* SPDX-License-Identifier: MIT */
/*
 * The watch of registers (arch/x86/msr.c) on a processor of variables: of each register, which bits it compares. The
 * registers' addresses are from SDM Vol. 4 (335592-083).
 */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

/* Replaces arch/x86/cpu.h, arch/x86/processor_number.h and arch/x86/msr_raw.h. */
#define ARCH_X86_CPU_H
#define ARCH_X86_PROCESSOR_NUMBER_H
#define ARCH_X86_MSR_RAW_H
#define PROCESSORS_MOST 2u
#define INLINE          static inline __attribute__((always_inline))
struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static unsigned processor;
static uint64_t values[0x2000];
static uint64_t changed; /* bits that the next WRMSR inverts */
static bool refused;     /* WRMSR raises #GP */

FAKE(static unsigned, processor_number, (void), processor)

/* General counters have 48 bits, fixed ones 40. */
FAKE(static struct cpuid, cpuid, (uint32_t leaf, uint32_t subleaf),
     leaf == 0 ? (struct cpuid){ .eax = 10 } : (struct cpuid){ .eax = 48 << 16, .edx = 40 << 5 })
FAKE(static bool, rdmsr, (uint32_t msr, uint64_t *value), *value = values[msr], true)
FAKE(static bool, rdpmc, (uint32_t n, uint64_t *value), false)

static bool wrmsr(uint32_t msr, uint64_t value)
{
    values[msr] = refused ? values[msr] : value ^ changed;
    changed = 0;
    return !refused;
}

#include "arch/x86/msr.c"

#define BIT(n)     (UINT64_C(1) << (n))
#define EVERY      UINT64_MAX
#define BEYOND(n)  (~(BIT(n) - 1)) /* the bits that a counter of n bits lacks */
#define THRESHOLD  (UINT64_C(0x7fffff) << 36)
#define INDEX_USED (UINT64_C(0x7fffff) << 4 | BIT(31)) /* WR and FULL */

static void started(void)
{
    memset(values, 0, sizeof(values));
    processor = 0;
    refused = false;
    msr_forget();
    msr_watch();
}

static bool noticed(void)
{
    struct msr_difference difference;

    return msr_unwatch(&difference);
}

static const struct {
    uint32_t first, count, stride;
    uint64_t written;
    uint64_t at_once, later; /* bits that are compared after the write, and when they are read later */
} rows[] = {
    { 0x1d9, 1, 1, 0, EVERY, EVERY },
    { 0x1d9, 1, 1, BIT(14) | BIT(16), EVERY, ~BIT(14) },
    { 0x38f, 1, 1, 0, EVERY, EVERY },
    { 0x600, 1, 1, 0x12345678, EVERY, EVERY },
    { 0x3f1, 2, 1, 1, EVERY, EVERY },
    { 0x38d, 1, 1, 0xb, EVERY, EVERY },
    { 0x186, 4, 1, 0xc0, EVERY, EVERY },
    { 0x18a, 4, 1, 0, EVERY, EVERY },
    { 0x18a, 4, 1, 0xc0, ~UINT64_C(0xc0), ~UINT64_C(0xc0) },
    { 0x3f6, 1, 1, 3, EVERY, EVERY },
    { 0x1c8, 1, 1, 4, EVERY, EVERY },
    { 0x14ce, 2, 1, 2, EVERY, EVERY },
    { 0x3f4, 1, 1, 0x1000, EVERY, EVERY },
    { 0x3f5, 1, 1, BIT(40), EVERY, ~INDEX_USED },
    { 0x3f5, 1, 1, BIT(40) | BIT(32), THRESHOLD | BIT(32), ~(INDEX_USED | BIT(32)) },
    { 0x1902, 16, 4, 1, EVERY, EVERY },
    { 0x1903, 16, 4, 1, EVERY, EVERY },
    { 0x1982, 16, 4, 1, EVERY, EVERY },
    { 0x1983, 16, 4, 1, EVERY, EVERY },
    { 0x3a0, 66, 1, 4, EVERY, EVERY },
    { 0x360, 18, 1, 4, EVERY, ~BIT(31) },
    { 0x361, 1, 1, BIT(12) | 4, EVERY, ~(BIT(31) | BIT(12)) },
    { 0xc1, 8, 1, 5, EVERY, BEYOND(48) },
    { 0x4c1, 8, 1, 5, EVERY, BEYOND(48) },
    { 0x309, 7, 1, 5, EVERY, BEYOND(40) },
    { 0x40, 64, 1, 0, EVERY, 0 },
    { 0x680, 96, 1, 0, EVERY, 0 },
    { 0xdc0, 32, 1, 0, EVERY, 0 },
    { 0x1200, 32, 1, 0, EVERY, 0 },
    { 0x1500, 32, 1, 0, EVERY, 0 },
    { 0x1600, 32, 1, 0, EVERY, 0 },
    { 0x680, 96, 1, 5, 0, 0 },
    { 0x10, 1, 1, 5, 0, 0 },
};

UNIT_TEST(each_bit)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (uint32_t n = 0; n < rows[i].count; n++)
            for (unsigned bit = 0; bit < 64; bit++) {
                const uint32_t msr = rows[i].first + n * rows[i].stride;

                started();
                changed = BIT(bit);
                assert_true(msr_write(msr, rows[i].written));
                if (noticed() != (rows[i].at_once >> bit & 1))
                    fail_msg("register %x, bit %u, at once", msr, bit);
                started();
                assert_true(msr_write(msr, rows[i].written));
                values[msr] ^= BIT(bit);
                msr_get(msr);
                if (noticed() != (rows[i].later >> bit & 1))
                    fail_msg("register %x, bit %u, later", msr, bit);
            }
}

/* IA32_PMCx extends the sign of 32 bits to the counter's width. */
UNIT_TEST(extended)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        started();
        changed = BIT(bit) ^ UINT64_C(0xffff00000000);
        msr_write(0xc1, UINT64_C(0x80000000));
        assert_true(noticed());
    }
    started();
    changed = UINT64_C(0xffff00000000);
    msr_write(0xc1, UINT64_C(0x80000000));
    assert_false(noticed());
}

/* The register, the value, and the bits of IA32_PERF_GLOBAL_STATUS that may be set after this write. */
UNIT_TEST(status)
{
    static const struct {
        uint32_t msr;
        uint64_t value, may;
    } causes[] = {
        { 0x10, 1, 0 },
        { 0x186, BIT(22), BIT(0) },
        { 0x187, BIT(22), BIT(1) },
        { 0x195, BIT(22), BIT(15) },
        { 0x186, ~BIT(22), 0 },
        { 0x1901, 0, BIT(0) },
        { 0x1905, 0, BIT(1) },
        { 0x38d, 0x3, BIT(32) },
        { 0x38d, UINT64_C(0xf0f0), BIT(33) | BIT(35) | BIT(48) },
        { 0x38d, UINT64_C(0xf0000000), BIT(39) },
        { 0x1d9, BIT(11), BIT(58) | BIT(59) },
        { 0x1d9, BIT(12), BIT(58) | BIT(59) },
        { 0x391, BIT(40) | BIT(3), BIT(40) | BIT(3) },
        { 0x600, 0x1000, BIT(62) },
        { 0x600, 0, 0 },
        { 0x3f4, 0x1000, BIT(54) },
    };
    const uint64_t others = BIT(55) | BIT(60) | BIT(61) | BIT(63);

    for (size_t i = 0; i < COUNT_OF(causes); i++)
        for (unsigned bit = 0; bit < 64; bit++) {
            started();
            assert_true(msr_write(causes[i].msr, causes[i].value));
            values[0x38e] = BIT(bit);
            msr_get(0x38e);
            if (noticed() == ((causes[i].may | others) >> bit & 1))
                fail_msg("register %x, value %llx, bit %u", causes[i].msr, (unsigned long long)causes[i].value, bit);
        }
}

/* After a write to IA32_PERF_GLOBAL_OVF_CTRL, while no area is in use, these bits are clear, and no unknown one is set.
 */
UNIT_TEST(cleared)
{
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned way = 0; way < 4; way++) {
            const uint64_t never = BIT(54) | BIT(55) | BIT(58) | BIT(59) | BIT(60) | BIT(61) | BIT(63);

            started();
            msr_write(0x600, way == 2 ? 0x1000 : 0);
            msr_write(0x391, EVERY); /* all bits may be set */
            values[0x38e] = BIT(bit);
            msr_write(0x390, way == 1 ? ~BIT(bit) : EVERY);
            assert_int_equal(noticed(), way != 1 && way != 2 && !(never >> bit & 1));
        }
}

/*
 * The watch pauses while counters count or branches are recorded, and on other processors. It forgets values after
 * msr_forget(), msr_try(), and a handler's writes.
 */
UNIT_TEST(not_compared)
{
    static const struct {
        uint32_t msr;
        uint64_t value;
        bool quiet;
    } recording[] = {
        { 0x38f, 1, false },      { 0x38f, BIT(35), false }, { 0x370, BIT(12), false }, { 0x370, ~BIT(12), true },
        { 0x1d9, 1, false },      { 0x1d9, BIT(2), false },  { 0x1d9, BIT(3), false },  { 0x1d9, BIT(6), false },
        { 0x1d9, BIT(7), false }, { 0x1d9, BIT(8), true },   { 0x14ce, 1, false },      { 0x14ce, 2, true },
    };

    for (size_t i = 0; i < COUNT_OF(recording); i++) {
        started();
        msr_write(0x600, 0x1000);
        msr_write(recording[i].msr, recording[i].value);
        values[0x600]++;
        msr_get(0x600);
        assert_int_equal(noticed(), recording[i].quiet);
    }
    for (unsigned way = 0; way < 7; way++) {
        started();
        processor = way == 5;
        msr_watch();
        msr_write(0x600, 0x1000);
        if (way == 6) { /* what another processor writes and reads is its own */
            processor = 1;
            msr_write(0x600, 0);
            msr_try(0x600, 0x2000);
            msr_watch_read(0x600, 0x2000, 0);
            assert_false(watch.differed);
            processor = 0;
        }
        if (way == 1)
            msr_forget();
        if (way == 2)
            msr_try(0x10, 0);
        if (way >= 3 && way < 6) {
            msr_watch_pause();
            msr_write(way == 3 ? 0x38f : 0x10, 0);
            msr_watch_resume();
        }
        values[0x600]++;
        msr_get(0x600);
        assert_int_equal(noticed(), way == 0 || way == 3 || way == 6);
    }
}

/* What a window's register, or a handler, read but nothing wrote. CCCR.OVF is the processor's. */
UNIT_TEST(not_written)
{
    started();
    msr_watch_read(0x1d9, 0x40, 0); /* the value before is unknown */
    msr_write(0x1d9, 0x1000);
    msr_watch_read(0x1d9, 0x10c0, 0xc0);
    assert_false(noticed());
    started();
    msr_write(0x1d9, 0x1000);
    msr_watch_read(0x1d9, 0x3080, 0xc0);
    assert_true(noticed());
    started();
    msr_window = 0x370;
    msr_window_more = BIT(31);
    assert_false(noticed());
    started();
    msr_window = 0x38f;
    msr_window_more = BIT(31);
    assert_true(noticed());
}

/* #GP is noticed for registers that exist if the processor has the facility. IA32_PERF_GLOBAL_CTRL must exist before.
 */
UNIT_TEST(refusals)
{
    static const struct {
        uint32_t msr;
        bool is_noticed;
    } writes[] = { { 0x600, true }, { 0xc1, true },  { 0x189, true }, { 0x18a, false }, { 0x680, false },
                   { 0x10, false }, { 0x38f, true }, { 0x390, true }, { 0x391, false } };
    struct msr_difference difference;

    for (size_t i = 0; i < COUNT_OF(writes); i++)
        for (unsigned known_before = 0; known_before < 2; known_before++) {
            const bool global = writes[i].msr == 0x38f || writes[i].msr == 0x390;

            started();
            if (known_before)
                msr_write(0x38f, 0);
            refused = true;
            assert_false(msr_write(writes[i].msr, 7));
            assert_int_equal(msr_unwatch(&difference), writes[i].is_noticed && (known_before || !global));
        }
    started();
    refused = true;
    msr_write(0x600, 7);
    msr_write(0x3f1, 8);
    assert_true(msr_unwatch(&difference)); /* the first one */
    assert_int_equal(difference.msr, 0x600);
    assert_int_equal(difference.written, 7);
    assert_true(difference.refused);
}
