/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clearwater Forest in the model: CPUID, registers and counters against facts from outside, as test_model_processors.c
 * has them of the processors before it. Sources: Linux 6.19 (arch/x86/events/intel/core.c, asm/perf_event.h,
 * asm/msr-index.h); reserved bits: Intel's KVM for guests with architectural PEBS; bitmaps: github.com/intel/lkvs,
 * BM/pmu, case bitmap_6.
 */
#include "tests/host/model_machine.h"

#include "model/engine/msr.h"

#define CLEARWATERFOREST "clearwaterforest"

static void facilities(void **state)
{
    const struct profile *p = profile_find(CLEARWATERFOREST);

    (void)state;
    assert_true(p->dtes64);
    assert_true(p->la57);
    assert_int_equal(p->netburst, NETBURST_NONE);
    assert_int_equal(p->perfmon_version, 6);
    assert_int_equal(p->general_counters, 8);
    assert_int_equal(p->fixed_bitmap, 0x77);
    assert_int_equal(profile_fixed_counters(p), 7);
    assert_int_equal(p->counter_width, 48);
    assert_int_equal(p->pebs_format, 15);
    assert_false(p->pebs_adaptive);
    assert_false(p->pebs_one_page);
    assert_false(p->one_enable);
    assert_true(p->pebs_timing);
    assert_true(p->pebs_cache_latency);
    assert_false(p->pebs_latency_aux);
    assert_int_equal(p->pdir_select, 0);
    assert_int_equal(p->pdir_umask, 0);
    assert_int_equal(p->pdist_counters, 0x100000003);
    assert_int_equal(p->pdist_distance, 128);
    assert_int_equal(p->lbr_depth, 32);
    assert_int_equal(p->lbr_depths, 0x0b);
    assert_int_equal(p->lbr_format, 0x3f);
    assert_false(p->bts_predicted);
    assert_ptr_equal(p->debugctl, profile_find("goldencove")->debugctl);
}

/* The number of fixed counters is one more than that of the last. */
static void bitmaps(void **state)
{
    struct profile p = { .fixed_bitmap = 0 };

    (void)state;
    assert_int_equal(profile_fixed_counters(&p), 0);
    p.fixed_bitmap = 1;
    assert_int_equal(profile_fixed_counters(&p), 1);
    p.fixed_bitmap = 0x80000000;
    assert_int_equal(profile_fixed_counters(&p), 32);
}

#define ANY 0xffffffffu

/* Of an answer with no bits, and with all. */
static void cpuid(void **state)
{
    static const struct {
        uint32_t leaf, subleaf, least[4], most[4];
    } rows[] = {
        { 0x01, 0, { 0xd06d1, 0, 0x8014, 0x200000 }, { 0xd06d1, ANY, ANY, ANY } },
        { 0x07, 0, { 1, 0, 0, 0x80000 }, { 1, ANY, ANY, ANY } },
        { 0x07, 1, { 0x100, 0, 0, 0 }, { ANY, ANY, ANY, ANY } },
        { 0x07, 2, { 0, 0, 0, 0 }, { ANY, ANY, ANY, ANY } },
        { 0x0a, 0, { 0x07300806, 0, 0x77, 0x8603 }, { 0x07300806, 0, 0x77, 0x8603 } },
        { 0x0e, 0, { 0 }, { 0 } },
        { 0x1a, 0, { 0 }, { 0 } },
        { 0x1c, 0, { 0x4000000b, 7, 0xf0007, 0 }, { 0x4000000b, 7, 0xf0007, 0 } },
        { 0x22, 0, { 0 }, { 0 } },
        { 0x23, 0, { 0x3f, 7, 8, 0 }, { 0x3f, 7, 8, 0 } },
        { 0x23, 1, { 0xff, 0x77, 0, 0 }, { 0xff, 0x77, 0, 0 } },
        { 0x23, 2, { 0xfc, 0x77, 0xfc, 0x77 }, { 0xfc, 0x77, 0xfc, 0x77 } },
        { 0x23, 3, { 0x1f7f, 0, 0, 0 }, { 0x1f7f, 0, 0, 0 } },
        /* AUX, GPR, XMM, LBR, fixed and general counts, allowed */
        { 0x23, 4, { 0, 0x60020338, 0, 0 }, { 0, 0x60020338, 0, 0 } },
        { 0x23, 5, { 0xff, 0x03, 0x77, 0x01 }, { 0xff, 0x03, 0x77, 0x01 } },
        { 0x23, 6, { 0 }, { 0 } },
        { 0x80000001, 0, { 0, 0, 0, 0 }, { 0, 0, 0x121, 0x2c100800 } },
    };
    struct machine *m = machine_of(CLEARWATERFOREST);
    uint32_t regs[4] = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memset(regs, 0, sizeof(regs));
        cpuid_read(&m->v, rows[i].leaf, rows[i].subleaf, regs);
        assert_memory_equal(regs, rows[i].least, sizeof(regs));
        memset(regs, 0xff, sizeof(regs));
        cpuid_read(&m->v, rows[i].leaf, rows[i].subleaf, regs);
        assert_memory_equal(regs, rows[i].most, sizeof(regs));
    }
    cpuid_read(&m->v, 0, 0, regs);
    assert_int_equal(regs[0], 0x23);
    assert_int_equal(cpuid_leaf(&m->v, 0x23), 0x23);
    assert_int_equal(cpuid_leaf(&m->v, 0x24), 0x23);
    machine_free(m);
}

#define B(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define COUNTERS     UINT64_C(0x77000000ff)
#define CFG_C        (B(63, 61) | B(49, 49) | B(41, 40) | B(37, 35) | B(31, 0))
#define RELOADS      UINT64_C(0x77000000fc) /* all but those with precise distribution */
#define SELECT       (B(47, 40) | B(37, 36) | B(31, 22) | B(20, 0))

static enum msr_answer try_write(struct machine *m, uint32_t address, uint64_t value)
{
    return engine_wrmsr(&m->v, address, value, BETWEEN_BLOCKS);
}

/* Each bit of each register: whether WRMSR takes it, and keeps it. */
static void registers(void **state)
{
    static const struct {
        uint32_t first, count, stride;
        uint64_t kept, dropped, reset;
    } rows[] = {
        { 0x3f4, 1, 1, B(39, 12) | B(3, 0), 0, 0 }, /* the machine has 40 bits of physical address */
        { 0x3f5, 1, 1, B(58, 36) | B(32, 31) | B(26, 4), 0, 0 },
        { 0x3f6, 1, 1, B(15, 0), 0, 0 },
        { 0x4c1, 8, 1, B(47, 0), 0, 0 },
        { 0x186, 4, 1, SELECT | B(35, 35), 1 << 21, 0 },
        { 0x18a, 4, 1, SELECT, 1 << 21, 0 },
        { 0x309, 3, 1, B(47, 0), 0, 0 },
        { 0x30d, 3, 1, B(47, 0), 0, 0 },
        /* a nibble each for fixed counters 0 to 2 and 4 to 6, AnyThread dropped, and RDPMC user disable */
        { 0x38d, 1, 1, 0x222022200000000 | 0x0bbb0bbb, 0x04440444, 0 },
        { 0x38f, 1, 1, COUNTERS, 0, 0xff },
        { 0x1a6, 2, 1, B(63, 0), 0, 0 },
        { 0x1d9, 1, 1, 0xdfc2, 1, 0 },
        { 0x14ce, 1, 1, 0x7f000f, 0, 0 },
        { 0x1200, 32, 1, B(63, 56) | B(39, 32) | B(15, 0), B(55, 40) | B(31, 16), 0 },
        { 0x1900, 8, 4, B(47, 0), 0, 0 },
        { 0x1901, 4, 4, SELECT | B(35, 35), 1 << 21, 0 },
        { 0x1911, 4, 4, SELECT, 1 << 21, 0 },
        { 0x1902, 2, 4, 0, 0, 0 },
        { 0x190a, 6, 4, RELOADS, 0, 0 },
        { 0x1903, 8, 4, CFG_C, 0, 0 },
        { 0x1980, 3, 4, B(47, 0), 0, 0 },
        { 0x1982, 3, 4, RELOADS, 0, 0 },
        { 0x1983, 3, 4, CFG_C, 0, 0 },
        { 0x1990, 3, 4, B(47, 0), 0, 0 },
        { 0x1992, 3, 4, RELOADS, 0, 0 },
        { 0x1993, 3, 4, CFG_C, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t kept = rows[i].kept, dropped = rows[i].dropped;
        struct machine *m = machine_of(CLEARWATERFOREST);

        for (unsigned n = 0; n < rows[i].count; n++) {
            const uint32_t address = rows[i].first + n * rows[i].stride;

            assert_int_equal(rdmsr(m, address), rows[i].reset);
            for (unsigned bit = 0; bit < 64; bit++) {
                const uint64_t value = UINT64_C(1) << bit;
                const uint64_t before = rdmsr(m, address);
                const bool taken = (kept | dropped) & value;

                assert_int_equal(try_write(m, address, value), taken ? MSR_DONE : MSR_GP);
                assert_int_equal(rdmsr(m, address), kept & value ? value : taken ? 0 : before);
            }
            assert_int_equal(try_write(m, address, 0), MSR_DONE);
        }
        machine_free(m);
    }
}

static void status(void **state)
{
    const uint64_t settable = COUNTERS | B(55, 54) | B(62, 58);
    struct machine *m = machine_of(CLEARWATERFOREST);

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t value = UINT64_C(1) << bit;

        assert_int_equal(try_write(m, STATUS_SET, value), settable & value ? MSR_DONE : MSR_GP);
        assert_int_equal(rdmsr(m, GLOBAL_STATUS), settable & value);
        assert_int_equal(try_write(m, STATUS_RESET, value), (settable | B(63, 63)) & value ? MSR_DONE : MSR_GP);
        assert_int_equal(rdmsr(m, GLOBAL_STATUS), 0);
    }
    assert_int_equal(try_write(m, GLOBAL_STATUS, 0), MSR_GP);
    assert_int_equal(rdmsr(m, PERF_CAPS), 0x23fff);
    assert_int_equal(try_write(m, PERF_CAPS, 0x23fff), MSR_GP);
    machine_free(m);
}

/* Registers that this processor does not have, whatever QEMU makes of them. */
static void absent(void **state)
{
    static const uint32_t ranges[][2] = {
        { 0x3f1, 0x3f2 }, { 0x3f7, 0x3f7 },   { 0x329, 0x329 },   { 0x30c, 0x30c },   { 0x300, 0x308 },
        { 0x1c8, 0x1c9 }, { 0x680, 0x69f },   { 0x6c0, 0x6df },   { 0xdc0, 0xddf },   { 0x40, 0x47 },
        { 0x60, 0x67 },   { 0x1920, 0x197f }, { 0x1981, 0x1981 }, { 0x198c, 0x198f }, { 0x199c, 0x19ff },
    };
    struct machine *m = machine_of(CLEARWATERFOREST);
    uint64_t value;

    (void)state;
    for (size_t r = 0; r < COUNT_OF(ranges); r++) {
        for (uint32_t address = ranges[r][0]; address <= ranges[r][1]; address++) {
            assert_int_equal(engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS), MSR_GP);
            assert_int_equal(try_write(m, address, 0), MSR_GP);
        }
    }
    machine_free(m);
}

/* Two addresses of one register: each reads what was written to the other. Groups of four are no longer alike. */
static void aliases(void **state)
{
    struct machine *m = machine_of(CLEARWATERFOREST);

    (void)state;
    wrmsr(m, GLOBAL_CTRL, 0);
    for (unsigned n = 0; n < 8; n++) {
        wrmsr(m, 0x4c1 + n, 0x100 + n);
        wrmsr(m, 0x186 + n, 0x200 + n);
        wrmsr(m, 0x1902 + 4 * n, n < 2 ? 0 : 4 * n);
        wrmsr(m, 0x1903 + 4 * n, 0x400 + n);
    }
    for (unsigned n = 0; n < 7; n++) {
        if (n != 3) {
            wrmsr(m, 0x1980 + 4 * n, 0x500 + n);
            wrmsr(m, 0x1982 + 4 * n, 4 * (n + 11));
            wrmsr(m, 0x1983 + 4 * n, 0x600 + n);
        }
    }
    for (unsigned n = 0; n < 8; n++) {
        assert_int_equal(rdmsr(m, 0x1900 + 4 * n), 0x100 + n);
        assert_int_equal(rdmsr(m, 0x1901 + 4 * n), 0x200 + n);
        assert_int_equal(rdmsr(m, 0x1902 + 4 * n), n < 2 ? 0 : 4 * n);
        assert_int_equal(rdmsr(m, 0x1903 + 4 * n), 0x400 + n);
    }
    for (unsigned n = 0; n < 7; n++) {
        if (n != 3) {
            assert_int_equal(rdmsr(m, 0x309 + n), 0x500 + n);
            assert_int_equal(rdmsr(m, 0x1982 + 4 * n), 4 * (n + 11));
            assert_int_equal(rdmsr(m, 0x1983 + 4 * n), 0x600 + n);
        }
    }
    machine_free(m);
}

/* Intel's list for CWF: every event on every general counter. */
static void events(void **state)
{
    static const struct {
        unsigned select, umask;
        enum event_kind kind;
        enum event_precision precision;
    } rows[] = {
        { 0x3c, 0x00, EVENT_CYCLES, PRECISE },
        { 0x3c, 0x01, EVENT_CYCLES, PRECISE },
        { 0xc0, 0x00, EVENT_INSTRUCTIONS, PRECISE },
        { 0xc2, 0x02, EVENT_INSTRUCTIONS, PRECISE },
        { 0xc4, 0x00, EVENT_BRANCHES, PRECISE },
        { 0xc4, 0x03, EVENT_CONDITIONAL_TAKEN, PRECISE },
        { 0xc4, 0x04, EVENT_NOT_TAKEN, PRECISE },
        { 0xc4, 0x07, EVENT_CONDITIONAL, PRECISE },
        { 0xc4, 0x08, EVENT_NEAR_RETURNS, PRECISE },
        { 0xc4, 0x30, EVENT_NEAR_CALLS, PRECISE },
        { 0xc4, 0x50, EVENT_INDIRECT, PRECISE },
        { 0xc4, 0x58, EVENT_INDIRECT_BRANCHES, PRECISE },
        { 0xc4, 0xfb, EVENT_NEAR_TAKEN, PRECISE },
        { 0xc5, 0x00, EVENT_MISPREDICTED, PRECISE },
        { 0xc5, 0x03, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, PRECISE },
        { 0xc5, 0x04, EVENT_MISPREDICTED_NOT_TAKEN, PRECISE },
        { 0xc5, 0x08, EVENT_MISPREDICTED_NEAR_RETURNS, PRECISE },
        { 0xc5, 0x50, EVENT_MISPREDICTED_INDIRECT, PRECISE },
        { 0xd0, 0x05, EVENT_LOAD_LATENCY, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x06, EVENT_STORE_LATENCY, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x11, EVENT_STLB_MISS_LOADS, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x12, EVENT_STLB_MISS_STORES, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x13, EVENT_STLB_MISSES, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x21, EVENT_LOCKED_LOADS, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x41, EVENT_SPLIT_LOADS, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x42, EVENT_SPLIT_STORES, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x81, EVENT_LOADS, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x82, EVENT_STORES, PRECISE_WITH_ADDRESS },
        { 0xd0, 0x83, EVENT_ACCESSES, PRECISE_WITH_ADDRESS },
        { 0xd1, 0x01, EVENT_L1_HITS, PRECISE_WITH_ADDRESS },
        { 0xd1, 0x02, EVENT_L2_HITS, PRECISE_WITH_ADDRESS },
        { 0xd1, 0x1c, EVENT_L3_HITS, PRECISE_WITH_ADDRESS },
        { 0xd1, 0x40, EVENT_L1_MISSES, PRECISE_WITH_ADDRESS },
        { 0xd1, 0x80, EVENT_L2_MISSES, PRECISE_WITH_ADDRESS },
        { 0xd3, 0xff, EVENT_L3_MISSES, PRECISE_WITH_ADDRESS },
        { 0x2e, 0x4f, EVENT_L3_REFERENCES, PRECISE },
        { 0x2e, 0x41, EVENT_L3_MISSES, PRECISE },
    };
    const struct profile *p = profile_find(CLEARWATERFOREST);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned counter = 0; counter < 8; counter++) {
            const struct profile_event *e = profile_find_event(p, rows[i].select, rows[i].umask, counter);

            assert_non_null(e);
            assert_int_equal(e->kind, rows[i].kind);
            assert_int_equal(e->precision, rows[i].precision);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facilities), cmocka_unit_test(bitmaps), cmocka_unit_test(cpuid),   cmocka_unit_test(registers),
        cmocka_unit_test(status),     cmocka_unit_test(absent),  cmocka_unit_test(aliases), cmocka_unit_test(events),
    };
    return cmocka_run_group_tests_name("Clearwater Forest in the model", tests, NULL, NULL);
}
