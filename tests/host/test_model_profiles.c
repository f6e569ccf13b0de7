/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between the processors from Pentium M to Broadwell: CPUID, MSRs and what they refuse, the form of BTS and
 * PEBS records and of LBR entries, freezing, and rules of one processor alone. The numbers are typed from SDM Vol. 3B
 * (253669-081) and SDM Vol. 4 (335592-081) and from public CPUID dumps of such parts, and not taken from the model's
 * tables.
 */
#include "tests/host/model_machine.h"

#define LOW_MEMORY  UINT64_C(0x00100000) /* where 32-bit tests have it */
#define LOW_BTS     (LOW_MEMORY + 0x1000)
#define LOW_PEBS    (LOW_MEMORY + 0x4000)
#define KERNEL_CODE UINT64_C(0xffffffff80000000)

static enum msr_answer try_write(struct machine *m, uint32_t address, uint64_t value)
{
    return engine_wrmsr(&m->v, address, value, BETWEEN_BLOCKS);
}

static void put32(struct machine *m, uint64_t address, uint32_t value)
{
    assert_true(machine_write(m, address, &value, 4));
}

static uint32_t get32(struct machine *m, uint64_t address)
{
    uint32_t value = 0;

    assert_true(machine_read(m, address, &value, 4));
    return value;
}

/* --- CPUID and MSRs ---------------------------------------------------------------------------------------------- */

/* CPUID does not depend on QEMU's -cpu: leaf 1 is asked where QEMU has nothing, and where QEMU has everything. */
static void cpuid(void **state)
{
    static const struct {
        const char *profile;
        uint32_t max_leaf, signature;
        uint32_t ecx, edx, least_ecx; /* with the bits that are the machine's; the least EDX is DS */
        uint32_t perfmon[4];
        uint32_t extended_edx; /* of leaf 80000001h */
        uint32_t max_extended;
    } rows[] = {
        { "pentium-m", 0x02, 0x6d8, 0x88000180, 0xbfe9fbbf, 0, { 0 }, 0, 0x80000004 },
        { "core-duo", 0x0a, 0x6ec, 0x8800c1a9, 0xbfe9fbff, 0x8000, { 0x07280201 }, 0x00100000, 0x80000008 },
        { "core2", 0x0d, 0x1067a, 0x8c08e3fd, 0xbfebfbff, 0x8014, { 0x07280202, 0, 0, 0x503 }, 0x20100800, 0x80000008 },
        { "nehalem",
          0x0b,
          0x106a5,
          0x8898e3fd,
          0xbfebfbff,
          0x8014,
          { 0x07300403, 0x44, 0, 0x603 },
          0x28100800,
          0x80000008 },
        { "sandybridge",
          0x0d,
          0x206a7,
          0x9fbae3ff,
          0xbfebfbff,
          0x8014,
          { 0x07300403, 0, 0, 0x603 },
          0x28100800,
          0x80000008 },
        { "haswell",
          0x0d,
          0x306c3,
          0xffdafbff,
          0xbfebfbff,
          0x8014,
          { 0x07300403, 0, 0, 0x603 },
          0x2c100800,
          0x80000008 },
        { "broadwell",
          0x0d,
          0x306d4,
          0xfffafbff,
          0xbfebfbff,
          0x8014,
          { 0x07300403, 0, 0, 0x603 },
          0x2c100800,
          0x80000008 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        uint32_t all[4] = { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff };
        uint32_t none[4] = { 0, 0, 0, 0 };
        uint32_t leaf0[4], extended[4] = { 0, 0, 0, 0xffffffff }, perfmon[4] = { 9, 9, 9, 9 };

        cpuid_read(&m->v, 0, 0, leaf0);
        assert_int_equal(leaf0[0], rows[i].max_leaf);
        cpuid_read(&m->v, 1, 0, all);
        cpuid_read(&m->v, 1, 0, none);
        assert_int_equal(all[0], rows[i].signature);
        assert_int_equal(all[2], rows[i].ecx);
        assert_int_equal(all[3], rows[i].edx);
        assert_int_equal(none[2], rows[i].least_ecx);
        assert_int_equal(none[3], 1u << 21);
        cpuid_read(&m->v, 0x80000001, 0, extended);
        assert_int_equal(extended[3], rows[i].extended_edx);
        assert_int_equal(cpuid_leaf(&m->v, rows[i].max_extended), rows[i].max_extended);
        assert_int_equal(cpuid_leaf(&m->v, rows[i].max_extended + 1), rows[i].max_leaf);
        assert_int_equal(cpuid_leaf(&m->v, rows[i].max_leaf + 1), rows[i].max_leaf);
        if (rows[i].max_leaf >= 0x0a) {
            cpuid_read(&m->v, 0x0a, 0, perfmon);
            assert_memory_equal(perfmon, rows[i].perfmon, sizeof(perfmon));
        }
        machine_free(m);
    }
}

#define ABSENT UINT64_C(0x5ab5e47)

/* Every bit: those that the register has read back, others raise #GP and change nothing. */
static void reserved_bits(void **state)
{
    static const struct {
        const char *profile;
        uint32_t address;
        uint64_t writable;
    } rows[] = {
        { "pentium-m", DEBUGCTL, 0x1ff },
        { "pentium-m", DS_AREA, 0xffffffff },
        { "pentium-m", LBR_TOS, 7 },
        { "pentium-m", 0x47, ~UINT64_C(0) },
        { "pentium-m", EVTSEL0 + 1, 0xffdfffff },
        { "pentium-m", PERF_CAPS, ABSENT },
        { "pentium-m", GLOBAL_CTRL, ABSENT },
        { "pentium-m", PEBS_ENABLE, ABSENT },
        { "pentium-m", LBR_FROM0, ABSENT },
        { "core-duo", DEBUGCTL, 0x1ff },
        { "core-duo", DS_AREA, 0xffffffff },
        { "core-duo", GLOBAL_STATUS, ABSENT },
        { "core2", DEBUGCTL, 0x5fc3 },
        { "core2", PEBS_ENABLE, 1 },
        { "core2", GLOBAL_CTRL, 0x700000003 },
        { "core2", FIXED_CTRL, 0xbbb },
        { "core2", FIXED_CTR0, 0xffffffffff },
        { "core2", EVTSEL0 + 1, 0xffdfffff },
        { "core2", EVTSEL0 + 2, ABSENT },
        { "core2", LBR_TOS, 3 },
        { "core2", LBR_SELECT, ABSENT },
        { "core2", LD_LAT, ABSENT },
        { "core2", A_PMC0, ABSENT },
        { "core2", 0x44, ABSENT },
        { "nehalem", DEBUGCTL, 0x7fc3 },
        { "nehalem", PEBS_ENABLE, 0xf0000000f },
        { "nehalem", LD_LAT, 0xffff },
        { "nehalem", LBR_SELECT, 0x1ff },
        { "nehalem", LBR_TOS, 0xf },
        { "nehalem", LBR_FROM0 + 16, ABSENT },
        { "nehalem", A_PMC0, ABSENT },
        { "nehalem", STATUS_SET, ABSENT },
        { "sandybridge", PEBS_ENABLE, UINT64_C(1) << 63 | 0xf0000000f },
        { "sandybridge", LBR_SELECT, 0x1ff },
        { "sandybridge", A_PMC0 + 3, 0xffffffffffff },
        { "haswell", PEBS_ENABLE, 0xf0000000f },
        { "haswell", LBR_SELECT, 0x3ff },
        { "haswell", DEBUGCTL, 0xffc3 },
        { "haswell", LBR_INFO0, ABSENT },
        { "broadwell", PEBS_ENABLE, 0xf0000000f },
        { "broadwell", LBR_SELECT, 0x3ff },
        { "broadwell", LBR_INFO0, ABSENT },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            struct machine *m = machine_of(rows[i].profile);
            uint64_t value = UINT64_C(1) << bit, now = 0;
            bool absent = rows[i].writable == ABSENT;
            bool allowed = !absent && (rows[i].writable >> bit & 1);

            assert_int_equal(try_write(m, rows[i].address, value), allowed ? MSR_DONE : MSR_GP);
            assert_int_equal(engine_rdmsr(&m->v, rows[i].address, &now, BETWEEN_BLOCKS), absent ? MSR_GP : MSR_DONE);
            assert_true(!allowed || now == value);
            machine_free(m);
        }
    }
}

static void after_reset(void **state)
{
    static const struct {
        const char *profile;
        uint32_t address;
        uint64_t value;
    } rows[] = {
        { "pentium-m", MISC_ENABLE, 0x1080 }, /* BTS and no PEBS */
        { "core-duo", PERF_CAPS, 0 },         { "core2", PERF_CAPS, 0x10c2 },       { "nehalem", PERF_CAPS, 0x11c3 },
        { "sandybridge", PERF_CAPS, 0x31c3 }, { "haswell", PERF_CAPS, 0x32c4 },     { "core2", GLOBAL_CTRL, 3 },
        { "nehalem", GLOBAL_CTRL, 0xf },      { "haswell", MISC_ENABLE, 0x850089 }, { "broadwell", PERF_CAPS, 0x32c4 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);

        assert_int_equal(rdmsr(m, rows[i].address), rows[i].value);
        machine_free(m);
    }
}

/* Pentium M: one bit for both counters. Core Duo, without a global register either: a bit for each. */
static void enabling_without_global_control(void **state)
{
    static const struct {
        const char *profile;
        uint32_t first, second;
        unsigned counted[2];
    } rows[] = {
        { "pentium-m", 0x4300c0, 0x0300c0, { 5, 5 } },
        { "pentium-m", 0x0300c0, 0x4300c0, { 0, 0 } },
        { "core-duo", 0x4300c0, 0x0300c0, { 5, 0 } },
        { "core-duo", 0x0300c0, 0x4300c0, { 0, 1 + 5 } }, /* and the WRMSR of the first select */
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(0, 5, END_PLAIN);

        wrmsr(m, PMC0, 0);
        wrmsr(m, PMC0 + 1, 0);
        wrmsr(m, EVTSEL0 + 1, rows[i].second);
        wrmsr(m, EVTSEL0, rows[i].first);
        run(m, b);
        assert_int_equal(rdmsr(m, PMC0), rows[i].counted[0]);
        assert_int_equal(rdmsr(m, PMC0 + 1), rows[i].counted[1]);
        wrmsr(m, PMC0, 0xfffffffe); /* 40 bits */
        assert_int_equal(rdmsr(m, PMC0), 0xfffffffffe);
        free(b);
        machine_free(m);
    }
}

/* --- BTS and PEBS records ---------------------------------------------------------------------------------------- */

/* 12 bytes and 4-byte fields, and the interrupt at the threshold; 24 where IA-32e mode is active. */
static void bts_without_dtes64(void **state)
{
    struct machine *m = machine_of("pentium-m");
    struct block *b = block_new(0, 4, END_REL_JMP);

    (void)state;
    m->memory_at = LOW_MEMORY;
    put32(m, LOW_MEMORY + 0x00, LOW_BTS);
    put32(m, LOW_MEMORY + 0x04, LOW_BTS);
    put32(m, LOW_MEMORY + 0x08, LOW_BTS + 12 * 5);
    put32(m, LOW_MEMORY + 0x0c, LOW_BTS + 12 * 3);
    put32(m, LOW_MEMORY + 0x10, 0x11111111);
    wrmsr(m, DS_AREA, LOW_MEMORY);
    wrmsr(m, DEBUGCTL, 0x1c0);
    for (unsigned i = 0; i < 3; i++) {
        run(m, b);
    }
    wrmsr(m, DEBUGCTL, 0);
    assert_int_equal(m->pmis, 1);
    assert_int_equal(get32(m, LOW_MEMORY + 0x04), LOW_BTS + 12 * 3);
    assert_int_equal(get32(m, LOW_MEMORY + 0x08), LOW_BTS + 12 * 5);
    assert_int_equal(get32(m, LOW_BTS + 0x0c), b->last);
    assert_int_equal(get32(m, LOW_BTS + 0x10), b->pc);
    assert_int_equal(get32(m, LOW_BTS + 0x14), 0);
    assert_false(violated(m, "violation"));

    m->ia32e = true;
    put(m, LOW_MEMORY + 0x00, LOW_BTS);
    put(m, LOW_MEMORY + 0x08, LOW_BTS);
    put(m, LOW_MEMORY + 0x10, LOW_BTS + 24 * 4);
    put(m, LOW_MEMORY + 0x18, LOW_BTS + 24 * 5);
    wrmsr(m, DEBUGCTL, 0xc0);
    run(m, b);
    finish(m);
    assert_int_equal(get(m, LOW_MEMORY + 0x08), LOW_BTS + 24);
    assert_int_equal(get(m, LOW_BTS), b->last);
    assert_int_equal(get(m, LOW_BTS + 0x10), 0);
    free(b);
    machine_free(m);
}

/*
 * Two records and the memory after them, in every format; field 90h, from format 1 on, has the other counters' bits
 * too.
 */
static void pebs_formats(void **state)
{
    static const struct {
        const char *profile;
        unsigned size;
        uint32_t event;
        unsigned counter;
        uint64_t counters; /* 0: no such field */
        bool eventing_ip;
    } rows[] = {
        { "core2", 144, 0x00c0, 0, 0, false },
        { "nehalem", 176, 0x00c0, 2, 0x100000004, false },
        { "sandybridge", 176, 0x01c2, 3, 0x100000008, false },
        { "haswell", 192, 0x01c2, 0, 0x100000001, true },
        { "broadwell", 192, 0x01c2, 3, 0x100000008, true },
        { "skylake", 200, 0x00c0, 0, 0x000000001, true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(0, 9, END_PLAIN);

        m->registers.general[RBX] = 0xbbbbbbbbbbbbbbbb;
        m->registers.general[R15] = 0xffff000000001515;
        memset(m->memory + 0x4000, 0xee, 0x1000);
        put(m, DS + 0x20, PEBS);
        put(m, DS + 0x28, PEBS);
        put(m, DS + 0x30, PEBS + 4 * rows[i].size);
        put(m, DS + 0x38, PEBS + 4 * rows[i].size);
        put(m, DS + 0x40 + 8 * rows[i].counter, (uint64_t)-3);
        wrmsr(m, DS_AREA, DS);
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, FIXED_CTRL, 0x3); /* overflows at once: a bit of the status */
        wrmsr(m, FIXED_CTR0, (UINT64_C(1) << m->v.profile->counter_width) - 1);
        wrmsr(m, EVTSEL0 + rows[i].counter, EVTSEL_ON | rows[i].event);
        wrmsr(m, PMC0 + rows[i].counter, (uint32_t)-3);
        wrmsr(m, PEBS_ENABLE, UINT64_C(1) << rows[i].counter);
        wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 32 | UINT64_C(1) << rows[i].counter);
        run(m, b);
        finish(m);
        assert_int_equal(get(m, DS + 0x28), PEBS + 2 * rows[i].size);
        for (unsigned n = 0; n < 2; n++) {
            uint64_t at = PEBS + n * rows[i].size;

            assert_int_equal(get(m, at + 0x08), CODE + 16 * (n + 1)); /* behind the fourth and the eighth */
            assert_int_equal(get(m, at + 0x18), 0xbbbbbbbbbbbbbbbb);
            assert_int_equal(get(m, at + 0x88), 0xffff000000001515);
            assert_true(rows[i].counters == 0 || get(m, at + 0x90) == rows[i].counters);
            assert_true(!rows[i].eventing_ip || get(m, at + 0xb0) == CODE + 16 * (n + 1) - 4);
        }
        assert_int_equal(get(m, PEBS + 2 * rows[i].size), 0xeeeeeeeeeeeeeeee);
        assert_false(violated(m, "violation"));
        free(b);
        machine_free(m);
    }
}

/* DTES64 in 32-bit code: the 64-bit forms, with zero for what that code does not have. */
static void dtes64_outside_ia32e(void **state)
{
    struct machine *m = machine_of("skylake");
    struct block *b = block_new(0, 4, END_REL_JMP);

    (void)state;
    m->ia32e = false;
    m->memory_at = LOW_MEMORY;
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        m->registers.general[i] = UINT64_C(0x1111111100000000) + i;
    }
    put(m, LOW_MEMORY + 0x00, LOW_BTS);
    put(m, LOW_MEMORY + 0x08, LOW_BTS);
    put(m, LOW_MEMORY + 0x10, LOW_BTS + 24 * 4);
    put(m, LOW_MEMORY + 0x18, LOW_BTS + 24 * 4);
    put(m, LOW_MEMORY + 0x20, LOW_PEBS);
    put(m, LOW_MEMORY + 0x28, LOW_PEBS);
    put(m, LOW_MEMORY + 0x30, LOW_PEBS + 200 * 4);
    put(m, LOW_MEMORY + 0x38, LOW_PEBS + 200 * 4);
    put(m, LOW_MEMORY + 0x40, (uint64_t)-100);
    wrmsr(m, DS_AREA, LOW_MEMORY);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
    wrmsr(m, PMC0, (uint32_t)-1);
    wrmsr(m, PEBS_ENABLE, 1);
    wrmsr(m, DEBUGCTL, TR_BTS);
    wrmsr(m, GLOBAL_CTRL, 1);
    run(m, b);
    wrmsr(m, GLOBAL_CTRL, 0);
    assert_int_equal(get(m, LOW_MEMORY + 0x08), LOW_BTS + 24);
    assert_int_equal(get(m, LOW_MEMORY + 0x28), LOW_PEBS + 200);
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
        assert_int_equal(get(m, LOW_PEBS + 0x10 + 8 * i), i < 8 ? i : 0);
    }
    free(b);
    machine_free(m);
}

/* --- the LBR stack ----------------------------------------------------------------------------------------------- */

/* Runs a jump in kernel code twice, mispredicted both times: the second goes elsewhere. */
static void two_branches(struct machine *m)
{
    struct block *b = block_new(KERNEL_CODE - CODE, 2, END_REL_JMP);

    wrmsr(m, DEBUGCTL, 1);
    run(m, b);
    run(m, b);
    finish(m);
    wrmsr(m, DEBUGCTL, 0);
    free(b);
}

#define FROM (KERNEL_CODE + 4)

static void lbr_forms(void **state)
{
    static const struct {
        const char *profile;
        unsigned depth;
        uint32_t from_msr, to_msr;
        uint64_t from; /* of a mispredicted branch */
    } rows[] = {
        { "core2", 4, 0x40, 0x60, FROM },
        { "nehalem", 16, 0x680, 0x6c0, FROM },
        { "sandybridge", 16, 0x680, 0x6c0, FROM },
        { "haswell", 16, 0x680, 0x6c0, FROM & ~(UINT64_C(3) << 61) },
        { "broadwell", 16, 0x680, 0x6c0, FROM & ~(UINT64_C(3) << 61) },
        { "skylake", 32, 0x680, 0x6c0, FROM },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);

        wrmsr(m, LBR_TOS, rows[i].depth - 1); /* the next entry is 0 */
        two_branches(m);
        assert_int_equal(rdmsr(m, LBR_TOS), 1);
        assert_int_equal(rdmsr(m, rows[i].from_msr), rows[i].from);
        assert_int_equal(rdmsr(m, rows[i].to_msr), KERNEL_CODE);
        assert_int_equal(rdmsr(m, rows[i].from_msr + 1), rows[i].from);
        assert_int_equal(rdmsr(m, rows[i].to_msr + 1), CODE + 0x10000);
        machine_free(m);
    }
}

/* A branch to the same target as before is predicted: the flag is the format's. */
static void lbr_predicted(void **state)
{
    static const struct {
        const char *profile;
        uint64_t from;
    } rows[] = {
        { "nehalem", FROM & ~(UINT64_C(1) << 63) },
        { "sandybridge", FROM & ~(UINT64_C(1) << 63) },
        { "haswell", FROM & ~(UINT64_C(7) << 61) },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(KERNEL_CODE - CODE, 2, END_REL_JMP);

        wrmsr(m, DEBUGCTL, 1);
        for (unsigned n = 0; n < 3; n++) {
            run(m, b);
        }
        finish(m);
        assert_int_equal(rdmsr(m, LBR_FROM0 + 2), rows[i].from);
        assert_int_equal(rdmsr(m, LBR_TO0 + 2), KERNEL_CODE);
        free(b);
        machine_free(m);
    }
}

/* From in the low half and to in the high one. */
static void lbr_packed(void **state)
{
    static const char *const profiles[] = { "pentium-m", "core-duo" };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(profiles); i++) {
        struct machine *m = machine_of(profiles[i]);
        struct block *a = block_new(0, 3, END_REL_JMP);
        struct block *b = block_new(0x100, 2, END_RET);

        wrmsr(m, DEBUGCTL, 1);
        for (unsigned n = 0; n < 5; n++) {
            run(m, a);
            run(m, b);
        }
        finish(m);
        assert_int_equal(rdmsr(m, LBR_TOS), 2); /* ten of eight */
        assert_int_equal(rdmsr(m, 0x40 + 1), b->pc << 32 | a->last);
        assert_int_equal(rdmsr(m, 0x40 + 0), a->pc << 32 | b->last);
        assert_int_equal(rdmsr(m, 0x40 + 2), (CODE + 0x10000) << 32 | b->last);
        wrmsr(m, 0x47, 0x1122334455667788);
        assert_int_equal(rdmsr(m, 0x47), 0x1122334455667788);
        free(a), free(b);
        machine_free(m);
    }
}

static void lbr_writes(void **state)
{
    static const struct {
        const char *profile;
        uint32_t address;
        uint64_t value;
        enum msr_answer answer;
    } rows[] = {
        { "core2", 0x40, 0x0000800000000000, MSR_GP },
        { "core2", 0x43, 0xffff800000000000, MSR_DONE },
        { "core2", 0x60, 0x8000000000000000, MSR_GP },
        { "nehalem", LBR_FROM0, 0x8000000000401000, MSR_DONE }, /* mispredicted */
        { "nehalem", LBR_FROM0, 0x4000000000401000, MSR_GP },
        { "nehalem", LBR_FROM0, 0x7fffffff80000000, MSR_DONE },
        { "nehalem", LBR_TO0, 0x8000000000401000, MSR_GP },
        { "haswell", LBR_FROM0, 0x1fffffff8101349e, MSR_GP }, /* as captured: bits 62 and 61 are no sign here */
        { "haswell", LBR_FROM0, 0x7fffffff8101349e, MSR_DONE },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);

        assert_int_equal(try_write(m, rows[i].address, rows[i].value), rows[i].answer);
        machine_free(m);
    }
}

static void call_stack(void **state)
{
    struct machine *m = machine_of("haswell");
    struct block *outer = block_new(0, 1, END_REL_CALL);
    struct block *inner = block_new(0x100, 1, END_REL_CALL);
    struct block *leaf = block_new(0x200, 1, END_RET);

    (void)state;
    wrmsr(m, LBR_SELECT, 0x3c4); /* calls and returns only, as a call stack */
    wrmsr(m, DEBUGCTL, 1);
    run(m, outer);
    run(m, inner);
    run(m, leaf);
    finish(m);
    assert_int_equal(rdmsr(m, LBR_TOS), 1);
    assert_int_equal(rdmsr(m, LBR_FROM0 + 1) & ~(UINT64_C(1) << 63), outer->last);
    assert_int_equal(rdmsr(m, LBR_FROM0 + 2), 0);
    free(outer), free(inner), free(leaf);
    machine_free(m);
}

/* --- rules of single processors ---------------------------------------------------------------------------------- */

/* Before version 4 of performance monitoring a freeze clears the enable bits, and no status bit reports it. */
static void freezing_clears(void **state)
{
    static const char *const profiles[] = { "core2", "nehalem", "sandybridge", "haswell" };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(profiles); i++) {
        struct machine *m = machine_of(profiles[i]);
        struct block *b = block_new(0, 4, END_REL_JMP);

        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, EVTSEL0, EVTSEL_ON | 0x100000 | INST_RETIRED);
        wrmsr(m, PMC0, (uint32_t)-6);
        wrmsr(m, DEBUGCTL, 0x1801); /* LBR, both freezes */
        wrmsr(m, GLOBAL_CTRL, 3);
        run(m, b);
        run(m, b); /* its second instruction overflows */
        run(m, b);
        finish(m);
        assert_int_equal(m->pmis, 1);
        assert_int_equal(rdmsr(m, DEBUGCTL), 0x1800);
        assert_int_equal(rdmsr(m, GLOBAL_CTRL), 0);
        assert_int_equal(rdmsr(m, GLOBAL_STATUS), 1);
        assert_int_equal(rdmsr(m, LBR_TOS), 1);
        assert_int_equal(rdmsr(m, PMC0), 0);
        free(b);
        machine_free(m);
    }
}

/* Freezing the stack alone leaves the counters exact, wherever in a block it happens. */
static void freezing_the_stack_counts_on(void **state)
{
    struct machine *m = machine_of("nehalem");
    struct block *b = block_new(0, 4, END_REL_JMP);

    (void)state;
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, EVTSEL0, EVTSEL_ON | 0x100000 | INST_RETIRED);
    wrmsr(m, PMC0, (uint32_t)-6);
    wrmsr(m, EVTSEL0 + 1, EVTSEL_ON | INST_RETIRED);
    wrmsr(m, DEBUGCTL, 0x801);
    wrmsr(m, GLOBAL_CTRL, 3);
    for (unsigned i = 0; i < 5; i++) {
        run(m, b);
    }
    wrmsr(m, GLOBAL_CTRL, 0);
    assert_int_equal(m->pmis, 1);
    assert_int_equal(rdmsr(m, DEBUGCTL), 0x800);
    assert_int_equal(rdmsr(m, PMC0 + 1), 20 + 1); /* and the WRMSR that stops */
    assert_int_equal(rdmsr(m, PMC0), 14 + 1);
    free(b);
    machine_free(m);
}

/* An interrupt that the BTS buffer asks for freezes counters at what they have counted. */
static void freezing_keeps_counts(void **state)
{
    static const char *const profiles[] = { "nehalem", "skylake" };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(profiles); i++) {
        struct machine *m = machine_of(profiles[i]);
        struct block *b = block_new(0, 4, END_REL_JMP);

        set_up_ds(m, 10, 2, 0, 0);
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
        wrmsr(m, DEBUGCTL, 0x1000 | BTINT | TR_BTS);
        wrmsr(m, GLOBAL_CTRL, 1);
        for (unsigned n = 0; n < 5; n++) {
            run(m, b); /* the second one's branch reaches the threshold */
        }
        assert_true(m->pmis > 0);
        assert_int_equal(rdmsr(m, PMC0), 8);
        free(b);
        machine_free(m);
    }
}

/* Branches of each kind, each to another target than before; on Haswell the event counts nothing. */
static void mispredicted_returns(void **state)
{
    static const struct {
        const char *profile;
        uint32_t event;
        unsigned count;
    } rows[] = { { "broadwell", 0x08c5, 2 }, { "broadwell", 0x04c5, 7 }, { "haswell", 0x08c5, 0 } };
    static const enum block_end ends[] = {
        END_JCC, END_REL_CALL, END_IND_CALL, END_IND_JMP, END_RET, END_RET, END_FAR
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *blocks[COUNT_OF(ends)];

        wrmsr(m, EVTSEL0, EVTSEL_ON | rows[i].event);
        for (unsigned n = 0; n < COUNT_OF(ends); n++) {
            blocks[n] = block_new(0x100 * n, 1, ends[n]);
            run(m, blocks[n]);
        }
        finish(m);
        wrmsr(m, GLOBAL_CTRL, 0);
        assert_int_equal(rdmsr(m, PMC0), rows[i].count);
        for (unsigned n = 0; n < COUNT_OF(ends); n++) {
            free(blocks[n]);
        }
        machine_free(m);
    }
}

/* A block of one access. */
static void access_memory(struct machine *m, struct block *b, uint64_t address, unsigned flags)
{
    b->insns[0].flags = (uint8_t)flags;
    run(m, b);
    if (flags & LOADS) {
        data_accessed(&m->v, (struct place){ b, 0 }, address, 8, false);
    }
    if (flags & STORES) {
        data_accessed(&m->v, (struct place){ b, 0 }, address, 8, true);
    }
    engine_data_retired(&m->v, BETWEEN_BLOCKS, b->next, 0);
}

/* Events with an address on each processor, and the code of a load from memory. */
static void data_events(void **state)
{
    static const struct {
        const char *profile;
        unsigned size;
        uint32_t event;
        unsigned counter;
        uint64_t enable; /* besides the counter's own bit */
        unsigned flags;
        unsigned records;
        uint64_t address, source, latency; /* of the second access, to a line and page that are new */
    } rows[] = {
        { "nehalem", 176, 0x100b, 0, UINT64_C(1) << 32, LOADS, 1, DS + 0x8000, 0x0c, 200 },
        { "nehalem", 176, 0x100b, 0, 0, LOADS, 0, 0, 0, 0 }, /* its own enable bit is missing */
        { "nehalem", 176, 0x010b, 0, 0, LOADS, 1, 0, 0, 0 },
        { "sandybridge", 176, 0x01cd, 3, UINT64_C(1) << 35, LOADS, 1, DS + 0x8000, 0x1c, 200 },
        { "sandybridge", 176, 0x01cd, 2, UINT64_C(1) << 34, LOADS, 0, 0, 0, 0 },
        { "sandybridge", 176, 0x02cd, 3, UINT64_C(1) << 63, STORES, 1, DS + 0x8000, 0x10, 0 },
        { "sandybridge", 176, 0x02cd, 3, 0, STORES, 0, 0, 0, 0 },
        { "sandybridge", 176, 0x81d0, 0, 0, LOADS, 1, 0, 0, 0 },
        { "haswell", 192, 0x01cd, 1, UINT64_C(1) << 33, LOADS | INSN_LOCKED, 1, DS + 0x8000, 0x3c, 200 },
        { "haswell", 192, 0x81d0, 0, 0, LOADS, 1, DS + 0x8000, 0, 0 },
        { "haswell", 192, 0x82d0, 0, 0, STORES, 1, DS + 0x8000, 0, 0 },
        { "haswell", 192, 0x02cd, 3, 0, STORES, 0, 0, 0, 0 },
        { "broadwell", 192, 0x81d0, 3, 0, LOADS, 1, DS + 0x8000, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = machine_of(rows[i].profile);
        struct block *b = block_new(0, 1, END_PLAIN);

        put(m, DS + 0x20, PEBS);
        put(m, DS + 0x28, PEBS);
        put(m, DS + 0x30, PEBS + 4 * rows[i].size);
        put(m, DS + 0x38, PEBS + 4 * rows[i].size);
        put(m, DS + 0x40 + 8 * rows[i].counter, (uint64_t)-100);
        wrmsr(m, DS_AREA, DS);
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, LD_LAT, 3);
        wrmsr(m, EVTSEL0 + rows[i].counter, EVTSEL_ON | rows[i].event);
        wrmsr(m, PMC0 + rows[i].counter, (uint32_t)-1);
        wrmsr(m, PEBS_ENABLE, rows[i].enable | UINT64_C(1) << rows[i].counter);
        wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << rows[i].counter);
        access_memory(m, b, DS + 0x7000, rows[i].flags);
        access_memory(m, b, DS + 0x8000, rows[i].flags);
        finish(m);
        assert_int_equal(get(m, DS + 0x28), PEBS + rows[i].records * rows[i].size);
        if (rows[i].records > 0) {
            assert_int_equal(get(m, PEBS + 0x98), rows[i].address);
            assert_int_equal(get(m, PEBS + 0xa0), rows[i].source);
            assert_int_equal(get(m, PEBS + 0xa8), rows[i].latency);
        }
        free(b);
        machine_free(m);
    }
}

/* The first new line of a set is found again in the level that its distance says; there is no third one on Core 2. */
/* Linux 6.12, arch/x86/events/intel/core.c, intel_pmu_init_glc() and _grt(): no period is shorter there. */
static void distances(void **state)
{
    static const struct {
        const char *name;
        unsigned kind, distance;
    } rows[] = {
        { "icelake", 0, 0 },     { "goldencove", 0, 128 },       { "alderlake", 0, 128 },
        { "alderlake", 1, 128 }, { "clearwaterforest", 0, 128 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(profile_kind(profile_find(rows[i].name), rows[i].kind)->pdist_distance, rows[i].distance);
    }
}

/* Linux 6.15, arch/x86/events/intel/ds.c, union intel_x86_pebs_dse: ld_, mtl_ and lnc_; Gracemont has the first two
 * swapped. */
static void source_bits(void **state)
{
    static const struct {
        const char *name;
        unsigned kind, tlb_miss, locked;
    } rows[] = {
        { "skylake", 0, 0x10, 0x20 },          { "goldencove", 0, 0x10, 0x20 },  { "alderlake", 1, 0x20, 0x10 },
        { "clearwaterforest", 0, 0x40, 0x20 }, { "lunarlake", 0, 0x400, 0x800 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct profile_memory *memory = &profile_kind(profile_find(rows[i].name), rows[i].kind)->memory;

        assert_int_equal(memory->source_tlb_miss, rows[i].tlb_miss);
        assert_int_equal(memory->source_locked, rows[i].locked);
    }
}

static void core2_has_two_caches(void **state)
{
    const struct profile_memory *memory = &profile_find("core2")->memory;
    struct data_cache *cache = data_cache_new(memory);

    (void)state;
    assert_int_equal(data_cache_load(cache, MEMORY), LEVEL_MEMORY);
    assert_int_equal(data_cache_load(cache, MEMORY), LEVEL_L1);
    for (uint64_t at = 0; at < 64 * 1024; at += 64) {
        data_cache_load(cache, MEMORY + at);
    }
    assert_int_equal(data_cache_load(cache, MEMORY), LEVEL_L2);
    for (uint64_t at = 0; at < 12 * 1024 * 1024; at += 64) {
        data_cache_load(cache, MEMORY + at);
    }
    assert_int_equal(data_cache_load(cache, MEMORY), LEVEL_MEMORY);
    data_cache_free(cache);
}

/* Format 0: a buffer larger than a page is reported, one of a page is not. */
static void core2_buffer_of_a_page(void **state)
{
    (void)state;
    for (unsigned records = 28; records < 30; records++) { /* 4032 and 4176 bytes */
        struct machine *m = machine_of("core2");

        put(m, DS + 0x20, PEBS);
        put(m, DS + 0x28, PEBS);
        put(m, DS + 0x30, PEBS + 144 * records);
        put(m, DS + 0x38, PEBS + 144 * 20);
        wrmsr(m, DS_AREA, DS);
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
        wrmsr(m, PEBS_ENABLE, 1);
        wrmsr(m, GLOBAL_CTRL, 1);
        assert_int_equal(violated(m, "pebs-buffer-page"), records == 29);
        assert_int_equal(violated(m, "violation"), records == 29);
        machine_free(m);
    }
}

static void interrupt_bit_is_named(void **state)
{
    struct machine *m = machine_of("core2");

    (void)state;
    put(m, DS + 0x20, PEBS);
    put(m, DS + 0x28, PEBS);
    put(m, DS + 0x30, PEBS + 144 * 20);
    put(m, DS + 0x38, PEBS + 144 * 10);
    wrmsr(m, DS_AREA, DS);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, EVTSEL0, EVTSEL_ON | 0x100000 | 0x00c4); /* INT, and an event that is not precise here */
    wrmsr(m, PEBS_ENABLE, 1);
    wrmsr(m, GLOBAL_CTRL, 1);
    assert_true(violated(m, "pebs-int"));
    assert_true(violated(m, "pebs-event"));
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpuid),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(after_reset),
        cmocka_unit_test(enabling_without_global_control),
        cmocka_unit_test(bts_without_dtes64),
        cmocka_unit_test(pebs_formats),
        cmocka_unit_test(dtes64_outside_ia32e),
        cmocka_unit_test(lbr_forms),
        cmocka_unit_test(lbr_predicted),
        cmocka_unit_test(lbr_packed),
        cmocka_unit_test(lbr_writes),
        cmocka_unit_test(call_stack),
        cmocka_unit_test(freezing_clears),
        cmocka_unit_test(freezing_the_stack_counts_on),
        cmocka_unit_test(freezing_keeps_counts),
        cmocka_unit_test(mispredicted_returns),
        cmocka_unit_test(data_events),
        cmocka_unit_test(distances),
        cmocka_unit_test(source_bits),
        cmocka_unit_test(core2_has_two_caches),
        cmocka_unit_test(core2_buffer_of_a_page),
        cmocka_unit_test(interrupt_bit_is_named),
    };

    return cmocka_run_group_tests_name("the processors from Pentium M to Broadwell", tests, NULL, NULL);
}
