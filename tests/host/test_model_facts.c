/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUID, IA32_MISC_ENABLE (cpuid_facts.tsv) and the bits that WRMSR accepts (msr_facts.h) of each profile against the
 * answers of a real processor, or of its nearest relative. Every difference needs a reason, and every reason a
 * difference. A bit that the model leaves to QEMU's -cpu counts as different if the processor has it clear.
 */
#include "tests/host/model_machine.h"

#include <inttypes.h>

#include "tests/host/cpuid_facts.h"
#include "tests/host/msr_facts.h"

/* The processor with which a profile is compared. If several rows of the facts match, any of them may agree. */
static const struct {
    char letter;
    const char *profile;
    uint32_t signature, kind;
} seen[] = {
    { 'W', "netburst", 0xf27, 0 },
    { 'X', "netburst64", 0xf43, 0 },
    { 'M', "pentium-m", 0x6d8, 0 },
    { 'D', "core-duo", 0x6ec, 0 },
    { '2', "core2", 0x1067a, 0 },
    { 'N', "nehalem", 0x106e5, 0 }, /* the facts have no 106A5H */
    { 'S', "sandybridge", 0x206a7, 0 },
    { 'V', "ivybridge", 0x306a9, 0 },
    { 'H', "haswell", 0x306c3, 0 },
    { 'B', "broadwell", 0x306d4, 0 },
    { 'K', "skylake", 0x506e3, 0 },
    { 'I', "icelake", 0x606a6, 0 },
    { 'G', "goldencove", 0x806f8, 0 },
    { 'A', "alderlake", 0x90672, 0x40000001 },
    { 'E', "alderlake/E", 0x90672, 0x20000001 },
    { 'U', "lunarlake", 0xb06d1, 0x40000003 },
    { 'u', "lunarlake/E", 0xb06d1, 0x20000003 },
    { 'P', "pantherlake", 0xc06c3, 0x40000004 },
    { 'p', "pantherlake/E", 0xc06c3, 0x20000004 },
    { 'C', "clearwaterforest", 0xc06c3, 0x20000004 }, /* Panther Lake's Darkmont */
    { 'L', "goldmont", 0x506c9, 0 },
    { 'F', "sierraforest", 0xa06a4, 0x20000002 }, /* Meteor Lake's Crestmont */
    /* Variants: their differences are those of the profile with the same letter. */
    { 'A', "raptorlake", 0xb0671, 0x40000001 },
    { 'E', "raptorlake/E", 0xb0671, 0x20000001 },
    { 'E', "alderlake-n", 0xb06e0, 0x20000001 },
    { 'R', "meteorlake", 0xa06a4, 0x40000002 },
    { 'f', "meteorlake/E", 0xa06a4, 0x20000002 },
    { 'U', "arrowlake-h", 0xc0652, 0x40000003 },
    { 'f', "arrowlake-h/E", 0xc0652, 0x20000003 },
    { 'l', "arrowlake-h/L", 0xc0652, 0x20000002 },
    { 'T', "tigerlake", 0x806c1, 0 },
    { 'G', "emeraldrapids", 0xc06f2, 0 },
    { 'R', "graniterapids", 0xa06d1, 0x40000002 },
    { 'L', "geminilake", 0x706a8, 0 },
    { 'J', "jasperlake", 0x906c0, 0x20000000 },
    { '6', "merom", 0x6f6, 0 },
    { 'w', "westmere", 0x206c2, 0 },
    { 'c', "cascadelake", 0x50657, 0 },
    { 's', "silvermont", 0x30678, 0 },
};

#define EVERY  "WXMD26NwcsSVHBKIGAEUuPpCLFflRTJ"
#define LATER  "IGAEUuPpCFflRT" /* features of leaves 1 and 7 are QEMU's, except those below */
#define OWN_1C (1u << 2 | 1u << 4 | 1u << 15)
#define OWN_1D (1u << 21)
#define TRACED "BKcIGAEUuPpCLFflRTJ"
#define CLOCKS "KcIGAEUuPpCLFflRTJ"
#define ANY    UINT32_MAX

#define MAX_LEAF         0x00
#define MISC_ENABLE_LEAF 0x1a0 /* instead of a leaf: IA32_MISC_ENABLE; only bits 7, 11 and 12 are compared */
#define MISC_BITS        0x1880u

/* The known differences between model and processor, with the reason. */
static struct {
    const char *letters;
    uint32_t leaf;
    int subleaf; /* -1: any */
    int reg;     /* 0 to 3: EAX to EDX; -1: any */
    uint32_t bits;
    const char *why;
    unsigned times;
} reasons[] = {
    { EVERY, 0x01, 0, 2, 0x88000000, "OSXSAVE and the hypervisor's bit are the machine's", 0 },
    { LATER, 0x01, 0, 2, ~OWN_1C, "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x01, 0, 3, ~OWN_1D, "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 0, 0, ANY, "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 0, 1, ~(1u << 1), "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 0, 2, ~(1u << 16), "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 0, 3, ~(1u << 15 | 1u << 19), "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 1, 0, ~(1u << 8), "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 1, 1, ANY, "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 1, 2, ANY, "other features are those of QEMU's -cpu", 0 },
    { LATER, 0x07, 1, 3, ANY, "other features are those of QEMU's -cpu", 0 },
    { "X", 0x01, 0, 2, 0x80, "EIST: other parts of the model have it", 0 },
    { "26", 0x01, 0, 2, 0x00080060, "SSE4.1, VMX and SMX: other parts of the model have them", 0 },
    { "H", 0x01, 0, 2, 0x00200000, "x2APIC is hidden, as on some parts", 0 },
    { "B", 0x01, 0, 2, 0x40, "SMX: other parts of the model have it", 0 },
    { "M", 0x01, 0, 3, 0x10000040, "PAE and HTT: a part with a bus of 400 MHz has neither", 0 },
    { "M", 0x80000001, 0, 3, 0x00100000, "NX: a part with a bus of 400 MHz lacks it", 0 },
    { "VHBKLw", 0x07, 0, 3, 0xbc002400, "features that a microcode adds", 0 },
    { EVERY, 0x80000001, 0, 3, 0x800, "SYSCALL: the dump is from outside 64-bit mode", 0 },
    { EVERY, 0x04, -1, 0, 0xffffc000, "which processors share a cache is the machine's", 0 },
    { "2", 0x04, 2, 1, ANY, "the part that is modelled has a larger second level", 0 },
    { "F", 0x04, 2, 2, ANY, "Sierra Forest has a larger second level than Meteor Lake", 0 },
    { "BIGAEFfRTJwc", 0x04, 3, 1, ANY, "the third level is smaller, or a share", 0 },
    { "IGAEFfRTUwc", 0x04, 3, 2, ANY, "the third level is smaller, or a share", 0 },
    { "uplC", 0x04, 3, -1, ANY, "a third level, from which loads can come; a client's cores lack it", 0 },
    { "c", 0x07, 0, 1, 0x810, "HLE and RTM, which a microcode removes", 0 },
    { "BC", MAX_LEAF, 0, 0, 0xff, "the last leaves are not modelled", 0 },
    { TRACED, 0x14, 0, -1, ANY, "processor trace is not modelled", 0 },
    { CLOCKS, 0x15, 0, -1, ANY, "the clock is QEMU's", 0 },
    { CLOCKS, 0x16, 0, -1, ANY, "the clock is QEMU's, and leaf 15H has it", 0 },
    { "C", 0x0a, 0, 1, 0x200, "no hybrid: it has all events of its one kind of core", 0 },
    { "C", 0x0a, 0, 2, 0x70, "no hybrid: it lists all fixed counters of its one kind of core", 0 },
    { "CF", 0x07, 0, 2, 1u << 16, "5-level paging, as servers have it: the dumps are of clients", 0 },
    { "F", 0x1c, 0, 2, 0x000f0000,
      "events in LBR entries: Linux finds them on Sierra Forest, a client's Crestmont lacks them", 0 },
};

static struct fact *facts;
static size_t fact_count;
static unsigned compared, differing, unexplained;

static bool explained(char letter, uint32_t leaf, uint32_t subleaf, unsigned reg, uint32_t *bits)
{
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        if (strchr(reasons[i].letters, letter) != NULL && reasons[i].leaf == leaf &&
            (reasons[i].reg < 0 || reasons[i].reg == (int)reg) &&
            (reasons[i].subleaf < 0 || (uint32_t)reasons[i].subleaf == subleaf) && (reasons[i].bits & *bits)) {
            reasons[i].times++;
            *bits &= ~reasons[i].bits;
        }
    }
    return *bits == 0;
}

/* The bits in which a register differs from every row's. */
static uint32_t difference(uint32_t least, uint32_t most, uint32_t fact)
{
    return (least & ~fact) | (fact & ~most) | (most & ~least & ~fact);
}

static void compare(size_t s, uint32_t leaf, uint32_t subleaf, unsigned reg, uint32_t least, uint32_t most,
                    const uint32_t *facts_of, unsigned rows)
{
    uint32_t bits = UINT32_MAX, best = 0;

    for (unsigned r = 0; r < rows; r++) {
        const uint32_t here = difference(least, most, facts_of[r]);

        if (__builtin_popcount(here) < __builtin_popcount(bits) || r == 0) {
            bits = here;
            best = facts_of[r];
        }
    }
    compared++;
    differing += bits != 0;
    const uint32_t all = bits;

    if (bits != 0 && !explained(seen[s].letter, leaf, subleaf, reg, &bits)) {
        unexplained++;
        print_message("# %c %s: leaf %x.%x E%cX: %x to %x, the processor's is %x: bits %x, unexplained %x\n",
                      seen[s].letter, seen[s].profile, leaf, subleaf, "ABCD"[reg], least, most, best, all, bits);
    }
}

static const struct fact_leaf none = { .there = true };

static void compare_leaf(size_t s, uint32_t leaf, uint32_t subleaf, unsigned first,
                         const struct fact_leaf *(*of)(const struct fact *fact, uint32_t subleaf))
{
    struct machine *m = machine_of(seen[s].profile);
    uint32_t least[4] = { 0 }, most[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

    if (leaf < 0x80000000 ? leaf > m->v.profile->max_leaf : leaf > m->v.profile->max_extended) {
        memset(most, 0, sizeof(most)); /* the leaf does not exist */
    } else {
        cpuid_read(&m->v, leaf, subleaf, least);
        cpuid_read(&m->v, leaf, subleaf, most);
    }
    for (unsigned reg = first; reg < 4; reg++) {
        uint32_t values[16];
        unsigned rows = 0;

        for (size_t n = 0; n < fact_count && rows < COUNT_OF(values); n++) {
            if (facts[n].signature == seen[s].signature && facts[n].kind == seen[s].kind) {
                const struct fact_leaf *const there = of(&facts[n], subleaf);

                if (there != NULL)
                    values[rows++] = there->there ? there->regs[reg] : 0;
            }
        }
        if (rows > 0)
            compare(s, leaf, subleaf, reg, least[reg], most[reg], values, rows);
    }
}

#define OF(name, expression)                                                            \
    static const struct fact_leaf *of_##name(const struct fact *fact, uint32_t subleaf) \
    {                                                                                   \
        (void)subleaf;                                                                  \
        return expression;                                                              \
    }
OF(1, &fact->leaf_1)
OF(7, subleaf == 0 ? &fact->leaf_7 : &fact->leaf_7_1)
OF(4, subleaf < fact->caches ? &fact->leaf_4[subleaf] : &none)
OF(a, &fact->leaf_a)
OF(14, &fact->leaf_14)
OF(15, &fact->leaf_15)
OF(16, &fact->leaf_16)
OF(1c, &fact->leaf_1c)
OF(23, &fact->leaf_23[subleaf])
OF(80000001, &fact->leaf_80000001)

UNIT_TEST(profiles)
{
    static const struct {
        uint32_t leaf, subleaves;
        unsigned first;
        const struct fact_leaf *(*of)(const struct fact *fact, uint32_t subleaf);
    } leaves[] = {
        { 0x01, 1, 2, of_1 },  { 0x04, 5, 0, of_4 },
        { 0x07, 2, 0, of_7 },  { 0x0a, 1, 0, of_a },
        { 0x14, 1, 0, of_14 }, { 0x15, 1, 0, of_15 },
        { 0x16, 1, 0, of_16 }, { 0x1c, 1, 0, of_1c },
        { 0x23, 6, 0, of_23 }, { 0x80000001, 1, 2, of_80000001 },
    };

    fact_count = facts_read(&facts);
    assert_true(fact_count > 0);
    for (size_t s = 0; s < COUNT_OF(seen); s++) {
        struct machine *m = machine_of(seen[s].profile);
        uint32_t last[16], kind[16], misc[16], regs[4] = { 0 };
        unsigned rows = 0, miscs = 0;

        for (size_t n = 0; n < fact_count && rows < COUNT_OF(last); n++) {
            if (facts[n].signature == seen[s].signature && facts[n].kind == seen[s].kind) {
                last[rows] = facts[n].max;
                kind[rows++] = facts[n].kind;
                for (unsigned i = 0; i < facts[n].miscs && miscs < COUNT_OF(misc); i++)
                    misc[miscs++] = (uint32_t)facts[n].misc[i] & MISC_BITS;
            }
        }
        assert_true(rows > 0);
        compare(s, MAX_LEAF, 0, 0, m->v.profile->max_leaf, m->v.profile->max_leaf, last, rows);
        cpuid_read(&m->v, 1, 0, regs);
        assert_true(regs[0] == seen[s].signature || strchr("NCF", seen[s].letter) != NULL); /* relatives, see above */
        regs[0] = 0;
        if (m->v.profile->max_leaf >= 0x1a)
            cpuid_read(&m->v, 0x1a, 0, regs);
        compare(s, 0x1a, 0, 0, regs[0], regs[0], kind, rows);
        const uint32_t enabled = (uint32_t)rdmsr(m, MISC_ENABLE) & MISC_BITS;

        if (miscs > 0)
            compare(s, MISC_ENABLE_LEAF, 0, 0, enabled, enabled, misc, miscs);
        for (size_t l = 0; l < COUNT_OF(leaves); l++)
            for (uint32_t subleaf = 0; subleaf < leaves[l].subleaves; subleaf++)
                compare_leaf(s, leaves[l].leaf, subleaf, leaves[l].first, leaves[l].of);
    }
    free(facts);
    print_message("# %u profiles, %u registers compared, %u differ, %u of them without a reason\n",
                  (unsigned)COUNT_OF(seen), compared, differing, unexplained);
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        print_message("# %u times: %s\n", reasons[i].times, reasons[i].why);
        assert_int_not_equal(reasons[i].times, 0); /* otherwise the reason is out of date */
    }
    assert_int_equal(unexplained, 0);
}

/* Bits of registers in which the model differs from the processor that was measured. */
static struct {
    const char *letters;
    uint32_t first, count;
    uint64_t bits;
    const char *why;
    unsigned times;
} msr_reasons[] = {
    { "V", 0x38f, 2, 0xf0, "without Hyper-Threading, the part that was measured has eight counters", 0 },
    { "V", 0x4c5, 4, UINT64_MAX, "without Hyper-Threading, the part that was measured has eight counters", 0 },
    { "BK", 0x186, 4, UINT64_C(3) << 32, "IN_TX and IN_TXCP: the modelled parts have no TSX", 0 },
};

static uint64_t without_reasons(char letter, uint32_t address, uint64_t bits)
{
    for (size_t i = 0; i < COUNT_OF(msr_reasons); i++) {
        if (strchr(msr_reasons[i].letters, letter) != NULL && address - msr_reasons[i].first < msr_reasons[i].count &&
            (msr_reasons[i].bits & bits)) {
            msr_reasons[i].times++;
            bits &= ~msr_reasons[i].bits;
        }
    }
    return bits;
}

UNIT_TEST(registers)
{
    unsigned registers = 0;

    for (size_t s = 0; s < COUNT_OF(seen); s++) {
        const struct profile *p = machine_of(seen[s].profile)->v.profile;
        unsigned here = 0;

        for (size_t f = 0; f < COUNT_OF(msr_facts); f++) {
            if (strchr(msr_facts[f].letters, seen[s].letter) == NULL)
                continue;
            for (uint32_t a = msr_facts[f].first; a < msr_facts[f].first + msr_facts[f].count; a++) {
                const struct profile_msr *msr = profile_find_msr(p, a);
                const bool there = msr != NULL && msr->reg != REG_ABSENT, written = there && !msr->read_only;
                const uint64_t accepted = written ? msr->writable | msr->ignored : 0;
                const uint64_t dropped = written ? msr->ignored : 0;

                here++;
                if ((!there && msr_facts[f].accepted == 0) || /* read-only, not absent */
                    without_reasons(seen[s].letter, a, accepted ^ msr_facts[f].accepted) ||
                    dropped != msr_facts[f].dropped || (a == 0x345 && msr->reset != msr_facts[f].value)) {
                    fail_msg("%s: WRMSR %x accepts %" PRIx64 " and drops %" PRIx64, seen[s].profile, a, accepted,
                             dropped);
                }
            }
        }
        registers += here;
        if (here == 0)
            print_message("# %s: no registers measured\n", seen[s].profile);
    }
    print_message("# %u registers compared\n", registers);
    for (size_t i = 0; i < COUNT_OF(msr_reasons); i++) {
        print_message("# %u times: %s\n", msr_reasons[i].times, msr_reasons[i].why);
        assert_int_not_equal(msr_reasons[i].times, 0);
    }
}

/* Bits that Linux 6.13 writes to MSR_OFFCORE_RSP_0, _1, MSR_PEBS_FRONTEND and MSR_SNOOP_RSP_0, _1: intel_*_extra_regs
 * in events/intel/core.c. */
UNIT_TEST(linux_extra_regs)
{
    static const struct {
        const char *letters;
        uint64_t rsp_0, rsp_1, frontend, snoop; /* 0: Linux does not use the register */
    } rows[] = {
        { "N", 0xffff, 0, 0, 0 },
        { "w", 0xffff, 0xffff, 0, 0 },
        { "s", 0x768005ffff, 0x368005ffff, 0, 0 },
        { "SV", 0x3f807f8fff, 0x3f807f8fff, 0, 0 },
        { "HB", 0x3fffff8fff, 0x3fffff8fff, 0, 0 },
        { "K", 0x3fffff8fff, 0x3fffff8fff, 0x7fff17, 0 },
        { "IT", 0x3fffffbfff, 0x3fffffbfff, 0x7fff17, 0 },
        { "GAR", 0x3fffffffff, 0x3fffffffff, 0x7fff17, 0 },
        { "UP", 0xfffffffffff, 0xfffffffffff, 0x7fff1f, 0 },
        { "L", 0x760005ffbf, 0x360005ffbf, 0, 0 },
        { "E", 0x3fffffffff, 0x3fffffffff, 0, 0 },
        { "FflupC", 0x800ff3ffffffffff, 0xff3ffffffffff, 0, UINT64_MAX },
    };
    unsigned compared = 0;

    for (size_t s = 0; s < COUNT_OF(seen); s++) {
        const struct profile *p = machine_of(seen[s].profile)->v.profile;

        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            const struct {
                uint32_t address;
                uint64_t bits;
            } used[] = { { 0x1a6, rows[r].rsp_0 },
                         { 0x1a7, rows[r].rsp_1 },
                         { 0x3f7, rows[r].frontend },
                         { 0x1328, rows[r].snoop },
                         { 0x1329, rows[r].snoop } };

            for (size_t u = 0; u < COUNT_OF(used) && strchr(rows[r].letters, seen[s].letter) != NULL; u++) {
                const struct profile_msr *msr = profile_find_msr(p, used[u].address);

                compared += used[u].bits != 0;
                if (used[u].bits != 0 && (msr == NULL || used[u].bits & ~(msr->writable & ~msr->ignored)))
                    fail_msg("%s: WRMSR %x refuses %" PRIx64, seen[s].profile, used[u].address, used[u].bits);
            }
        }
    }
    assert_int_equal(compared, 30 * 2 + 1 + 12 + 7 * 2);
}

/* Bits of a load's data source: Linux 6.13, union intel_x86_pebs_dse in events/intel/ds.c. adl_latency_data_grt()
 * passes Gracemont's two bits the other way round. */
UNIT_TEST(linux_data_source_bits)
{
    static const struct {
        const char *letters;
        uint16_t tlb_miss, locked;
    } rows[] = {
        { "SVHBKITGAR", 1 << 4, 1 << 5 },
        { "E", 1 << 5, 1 << 4 },
        { "FflupC", 1 << 6, 1 << 5 },
        { "UP", 1 << 10, 1 << 11 },
    };

    for (size_t s = 0; s < COUNT_OF(seen); s++) {
        const struct profile_memory *memory = &machine_of(seen[s].profile)->v.profile->memory;

        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            if (strchr(rows[r].letters, seen[s].letter) != NULL &&
                (memory->source_tlb_miss != rows[r].tlb_miss || memory->source_locked != rows[r].locked)) {
                fail_msg("%s: data source bits %x, %x", seen[s].profile, memory->source_tlb_miss,
                         memory->source_locked);
            }
        }
    }
}

/* A write to a register does not change the one before it. */
UNIT_TEST(neighbours)
{
    for (size_t s = 0; s < COUNT_OF(seen); s++) {
        struct machine *m = machine_of(seen[s].profile);

        for (uint32_t a = 0; a < 0x2000; a++) {
            const struct profile_msr *msr = profile_find_msr(m->v.profile, a);
            uint64_t before = 0, after = 0;

            if (msr == NULL || msr->reg == REG_IA32_TIME_STAMP_COUNTER ||
                engine_wrmsr(&m->v, a, msr->writable & -msr->writable, BETWEEN_BLOCKS) != MSR_DONE)
                continue;
            engine_rdmsr(&m->v, a, &before, BETWEEN_BLOCKS);
            engine_wrmsr(&m->v, a + 1, 0, BETWEEN_BLOCKS);
            engine_rdmsr(&m->v, a, &after, BETWEEN_BLOCKS);
            if (before != after)
                fail_msg("%s: a write to %x changes %x", seen[s].profile, a + 1, a);
        }
    }
}
