/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goldmont and Sierra Forest against facts from outside, as test_model_processors.c does it for others. Sources: SDM
 * Vol. 3B (253669-083), "Performance Monitoring for Goldmont Microarchitecture"; SDM Vol. 4 (335592-083), "MSRs in
 * Intel Atom Processors Based on Goldmont Microarchitecture"; Intel's lists of events GLM and SRF
 * (github.com/intel/perfmon); Linux 6.12, arch/x86/events/intel/core.c and ds.c, for Crestmont.
 */
#include "tests/host/model_machine.h"

#include <inttypes.h>

#include "model/engine/msr.h"

#define B(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))
#define ALL_BITS     (~UINT64_C(0))

enum { GOLDMONT, SIERRAFOREST, ATOMS };
static const char *const names[ATOMS] = { "goldmont", "sierraforest" };

static void facilities(void **state)
{
    static const struct {
        bool la57;
        unsigned version, general, fixed, format, lbr_format;
        uint8_t lbr_depths;
        bool adaptive, any, address_only, cache_latency;
        uint64_t pdist;
    } rows[ATOMS] = {
        { false, 4, 4, 0x7, 3, 6, 0, false, true, true, false, 0x1 },
        { true, 5, 8, 0x7, 4, 0x3f, 0x0b, true, false, false, true, 0x100000003 },
    };

    (void)state;
    for (unsigned i = 0; i < ATOMS; i++) {
        const struct profile *p = profile_find(names[i]);

        assert_non_null(p);
        assert_true(p->dtes64);
        assert_int_equal(p->la57, rows[i].la57);
        assert_int_equal(p->perfmon_version, rows[i].version);
        assert_int_equal(p->general_counters, rows[i].general);
        assert_int_equal(p->fixed_bitmap, rows[i].fixed);
        assert_int_equal(p->counter_width, 48);
        assert_int_equal(p->pebs_format, rows[i].format);
        assert_int_equal(p->pebs_adaptive, rows[i].adaptive);
        assert_int_equal(p->pebs_any_event, rows[i].any);
        assert_int_equal(p->pebs_address_only, rows[i].address_only);
        assert_int_equal(p->pebs_cache_latency, rows[i].cache_latency);
        assert_false(p->pebs_latency_aux || p->pebs_timing || p->pebs_one_page || p->one_enable || p->bts_predicted);
        assert_int_equal(p->pdir_select, 0);
        assert_int_equal(p->pdist_counters, rows[i].pdist);
        assert_int_equal(p->pdist_distance, rows[i].adaptive ? 128 : 0);
        assert_int_equal(p->lbr_depth, 32);
        assert_int_equal(p->lbr_format, rows[i].lbr_format);
        assert_int_equal(p->lbr_depths, rows[i].lbr_depths);
        assert_int_equal(p->debugctl->freeze_perfmon, 1 << 12);
        assert_int_equal(p->predictor_slots, 4096);
    }
}

/*
 * Sizes and ways are those of the parts; latencies are the model's choice, L1 and L2 as they are commonly given.
 * Goldmont's records have no data source.
 */
static void memory(void **state)
{
    static const struct {
        unsigned kib[3], ways[3], tlb_entries, tlb_ways;
        uint16_t latency[DATA_LEVELS];
        uint8_t source[DATA_LEVELS];
        unsigned tlb_miss, locked; /* bits of the source */
    } rows[ATOMS] = {
        { { 24, 1024, 0 }, { 6, 16, 0 }, 512, 4, { 3, 17, 0, 200, 200 }, { 0 }, 0, 0 },
        { { 32, 4096, 12288 }, { 8, 16, 24 }, 3072, 6, { 4, 19, 80, 300, 120 }, { 1, 3, 4, 0x0a, 8 }, 0x40, 0x20 },
    };

    (void)state;
    for (unsigned i = 0; i < ATOMS; i++) {
        const struct profile_memory *memory = &profile_find(names[i])->memory;

        for (unsigned level = 0; level < 3; level++) {
            const struct profile_array *cache = &memory->caches[level];

            assert_int_equal(cache->sets * cache->ways * 64, rows[i].kib[level] * 1024);
            assert_int_equal(cache->ways, rows[i].ways[level]);
        }
        assert_int_equal(memory->tlb.sets * memory->tlb.ways, rows[i].tlb_entries);
        assert_int_equal(memory->tlb.ways, rows[i].tlb_ways);
        assert_memory_equal(memory->latency, rows[i].latency, sizeof(rows[i].latency));
        assert_memory_equal(memory->source, rows[i].source, sizeof(rows[i].source));
        assert_int_equal(memory->source_tlb_miss, rows[i].tlb_miss);
        assert_int_equal(memory->source_locked, rows[i].locked);
    }
}

/* --- events ------------------------------------------------------------------------------------------------------ */

/*
 * On each of the two: '.' none, n counted and not precise, p precise, a precise with an address, 2 so on two counters.
 */
static const struct {
    const char *name;
    uint8_t select, umask;
    enum event_kind kind;
    const char *on;
} event_rows[] = {
    { "LLC misses", 0x2e, 0x41, EVENT_L2_MISSES, "n." },
    { "LLC misses", 0x2e, 0x41, EVENT_L3_MISSES, ".p" },
    { "LLC references", 0x2e, 0x4f, EVENT_L1_MISSES, "n." },
    { "LLC references", 0x2e, 0x4f, EVENT_L3_REFERENCES, ".p" },
    { "UnHalted core cycles", 0x3c, 0x00, EVENT_CYCLES, "np" },
    { "UnHalted reference cycles", 0x3c, 0x01, EVENT_CYCLES, "np" },
    { "INST_RETIRED.ANY_P", 0xc0, 0x00, EVENT_INSTRUCTIONS, "pp" },
    { "UOPS_RETIRED.ALL", 0xc2, 0x00, EVENT_INSTRUCTIONS, "pp" },
    { "BR_INST_RETIRED.ALL_BRANCHES", 0xc4, 0x00, EVENT_BRANCHES, "pp" },
    { "BR_INST_RETIRED.COND", 0xc4, 0x7e, EVENT_CONDITIONAL, "pp" },
    { "BR_INST_RETIRED.TAKEN", 0xc4, 0x80, EVENT_TAKEN, "pp" },
    { "BR_INST_RETIRED.FAR_BRANCH", 0xc4, 0xbf, EVENT_FAR_BRANCHES, "pp" },
    { "BR_INST_RETIRED.NEAR_TAKEN", 0xc4, 0xc0, EVENT_NEAR_TAKEN, ".p" },
    { "BR_INST_RETIRED.REL_JMP", 0xc4, 0xdf, EVENT_DIRECT_JUMPS, ".p" },
    { "BR_INST_RETIRED.INDIRECT", 0xc4, 0xeb, EVENT_INDIRECT, "pp" },
    { "BR_INST_RETIRED.INDIRECT_JMP", 0xc4, 0xef, EVENT_INDIRECT_JUMPS, ".p" },
    { "BR_INST_RETIRED.NEAR_RETURN", 0xc4, 0xf7, EVENT_NEAR_RETURNS, "pp" },
    { "BR_INST_RETIRED.NEAR_CALL", 0xc4, 0xf9, EVENT_NEAR_CALLS, "pp" },
    { "BR_INST_RETIRED.INDIRECT_CALL", 0xc4, 0xfb, EVENT_INDIRECT_CALLS, "pp" },
    { "BR_INST_RETIRED.REL_CALL", 0xc4, 0xfd, EVENT_DIRECT_CALLS, "pp" },
    { "BR_INST_RETIRED.COND_TAKEN", 0xc4, 0xfe, EVENT_CONDITIONAL_TAKEN, "pp" },
    { "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0x00, EVENT_MISPREDICTED, "pp" },
    { "BR_MISP_RETIRED.COND", 0xc5, 0x7e, EVENT_MISPREDICTED_CONDITIONAL, "pp" },
    { "BR_MISP_RETIRED.NEAR_TAKEN", 0xc5, 0x80, EVENT_MISPREDICTED_NEAR_TAKEN, ".p" },
    { "BR_MISP_RETIRED.INDIRECT", 0xc5, 0xeb, EVENT_MISPREDICTED_INDIRECT, "pp" },
    { "BR_MISP_RETIRED.INDIRECT_JMP", 0xc5, 0xef, EVENT_MISPREDICTED_INDIRECT_JUMPS, ".p" },
    { "BR_MISP_RETIRED.RETURN", 0xc5, 0xf7, EVENT_MISPREDICTED_NEAR_RETURNS, "pp" },
    { "BR_MISP_RETIRED.INDIRECT_CALL", 0xc5, 0xfb, EVENT_MISPREDICTED_INDIRECT_CALLS, "pp" },
    { "BR_MISP_RETIRED.COND_TAKEN", 0xc5, 0xfe, EVENT_MISPREDICTED_CONDITIONAL_TAKEN, "pp" },
    { "MEM_UOPS_RETIRED.LOAD_LATENCY", 0xd0, 0x05, EVENT_LOAD_LATENCY, ".2" },
    { "MEM_UOPS_RETIRED.STORE_LATENCY", 0xd0, 0x06, EVENT_STORE_LATENCY, ".a" },
    { "MEM_UOPS_RETIRED.STLB_MISS_LOADS", 0xd0, 0x11, EVENT_STLB_MISS_LOADS, "aa" },
    { "MEM_UOPS_RETIRED.STLB_MISS_STORES", 0xd0, 0x12, EVENT_STLB_MISS_STORES, "aa" },
    { "MEM_UOPS_RETIRED.STLB_MISS", 0xd0, 0x13, EVENT_STLB_MISSES, "aa" },
    { "MEM_UOPS_RETIRED.LOCK_LOADS", 0xd0, 0x21, EVENT_LOCKED_LOADS, "aa" },
    { "MEM_UOPS_RETIRED.SPLIT_LOADS", 0xd0, 0x41, EVENT_SPLIT_LOADS, "aa" },
    { "MEM_UOPS_RETIRED.SPLIT_STORES", 0xd0, 0x42, EVENT_SPLIT_STORES, "aa" },
    { "MEM_UOPS_RETIRED.SPLIT", 0xd0, 0x43, EVENT_SPLITS, "aa" },
    { "MEM_UOPS_RETIRED.ALL_LOADS", 0xd0, 0x81, EVENT_LOADS, "aa" },
    { "MEM_UOPS_RETIRED.ALL_STORES", 0xd0, 0x82, EVENT_STORES, "aa" },
    { "MEM_UOPS_RETIRED.ALL", 0xd0, 0x83, EVENT_ACCESSES, "aa" },
    { "MEM_LOAD_UOPS_RETIRED.L1_HIT", 0xd1, 0x01, EVENT_L1_HITS, "ap" },
    { "MEM_LOAD_UOPS_RETIRED.L2_HIT", 0xd1, 0x02, EVENT_L2_HITS, "ap" },
    { "MEM_LOAD_UOPS_RETIRED.L1_MISS", 0xd1, 0x08, EVENT_L1_MISSES, "a." },
    { "MEM_LOAD_UOPS_RETIRED.L2_MISS", 0xd1, 0x10, EVENT_L2_MISSES, "a." },
    { "MEM_LOAD_UOPS_RETIRED.L3_HIT", 0xd1, 0x1c, EVENT_L3_HITS, ".p" },
    { "MEM_LOAD_UOPS_RETIRED.HITM", 0xd1, 0x20, EVENT_MODIFIED_HITS, "a." },
    { "MEM_LOAD_UOPS_RETIRED.L1_MISS", 0xd1, 0x40, EVENT_L1_MISSES, ".p" },
    { "MEM_LOAD_UOPS_RETIRED.L2_MISS", 0xd1, 0x80, EVENT_L2_MISSES, ".p" },
    { "MEM_LOAD_UOPS_RETIRED.DRAM_HIT", 0xd1, 0x80, EVENT_L3_MISSES, "a." },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM", 0xd3, 0x01, EVENT_L3_MISSES, ".p" },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.ALL", 0xd3, 0xff, EVENT_L3_MISSES, ".p" },
    { "MEM_LOAD_UOPS_MISC_RETIRED.L3_HIT_SNOOP_HITM", 0xd4, 0x08, EVENT_MODIFIED_HITS, ".p" },
};

static void events(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ATOMS; i++) {
        const struct profile *p = profile_find(names[i]);
        unsigned there = 0, rows = 0;

        for (size_t r = 0; r < COUNT_OF(event_rows); r++) {
            const char on = event_rows[r].on[i];
            const enum event_precision precision = on == 'n' ? NOT_PRECISE : on == 'p' ? PRECISE : PRECISE_WITH_ADDRESS;

            there += on != '.';
            for (unsigned counter = 0; on != '.' && counter < 8; counter++) {
                const struct profile_event *e =
                    profile_find_event(p, event_rows[r].select, event_rows[r].umask, counter);

                if ((counter < (on == '2' ? 2 : p->general_counters)) != (e != NULL) ||
                    (e != NULL && (e->kind != event_rows[r].kind || e->precision != precision))) {
                    fail_msg("%s: %s on counter %u", p->name, event_rows[r].name, counter);
                }
            }
        }
        for (unsigned table = 0; table < PROFILE_TABLES; table++) {
            rows += p->events[table].count;
        }
        assert_int_equal(rows, there); /* none besides these */
    }
}

/* --- CPUID ------------------------------------------------------------------------------------------------------- */

#define KEPT 0xffffffff

/* The answer where QEMU's has every bit, and where it has none. */
static const struct {
    unsigned atom;
    uint32_t leaf, subleaf;
    uint32_t most[4], least[4];
} leaves[] = {
    { GOLDMONT, 0x01, 0, { 0x506c9, KEPT, 0xcff8ebbf, 0xbfebfbff }, { 0x506c9, 0, 0x8014, 0x200000 } },
    { GOLDMONT, 0x07, 0, { KEPT, 0x2294e283, 0, 0x2c000000 }, { 0 } },
    { GOLDMONT, 0x0a, 0, { 0x07300404, 0, 0, 0x603 }, { 0x07300404, 0, 0, 0x603 } },
    { GOLDMONT, 0x0d, 0, { KEPT, KEPT, KEPT, KEPT }, { 0 } },
    { GOLDMONT, 0x0e, 0, { 0 }, { 0 } },
    { GOLDMONT, 0x15, 0, { 0 }, { 0 } },
    { GOLDMONT, 0x80000001, 0, { 0, 0, 0x101, 0x2c100800 }, { 0 } },
    { SIERRAFOREST, 0x01, 0, { 0xa06f3, KEPT, KEPT, KEPT }, { 0xa06f3, 0, 0x8014, 0x200000 } },
    { SIERRAFOREST, 0x07, 0, { KEPT, KEPT, KEPT, KEPT }, { 0, 0, 0, 0x80000 } }, /* architectural LBR */
    { SIERRAFOREST, 0x07, 1, { KEPT, KEPT, KEPT, KEPT }, { 0 } },
    { SIERRAFOREST, 0x0a, 0, { 0x07300805, 0, 0x07, 0x8603 }, { 0x07300805, 0, 0x07, 0x8603 } },
    { SIERRAFOREST, 0x0d, 0, { KEPT, KEPT, KEPT, KEPT }, { 0 } },
    { SIERRAFOREST, 0x0e, 0, { 0 }, { 0 } },
    { SIERRAFOREST, 0x1a, 0, { 0 }, { 0 } }, /* no hybrid */
    { SIERRAFOREST, 0x1c, 0, { 0x4000000b, 7, 0xf0007, 0 }, { 0x4000000b, 7, 0xf0007, 0 } },
    { SIERRAFOREST, 0x23, 0, { 0 }, { 0 } },
    { SIERRAFOREST, 0x80000001, 0, { 0, 0, 0x121, 0x2c100800 }, { 0 } },
};

static void cpuid(void **state)
{
    static const struct {
        uint32_t last, microcode;
        const char *brand;
    } ends[ATOMS] = {
        { 0x15, 0x40, "Intel(R) Celeron(R) CPU N3350 (modelled)" },
        { 0x23, 0x30003b2, "Intel(R) Xeon(R) 6780E (modelled)" },
    };

    (void)state;
    for (unsigned i = 0; i < ATOMS; i++) {
        const struct profile *p = profile_find(names[i]);
        struct machine *m = machine_of(names[i]);

        assert_int_equal(p->max_leaf, ends[i].last);
        assert_int_equal(p->max_extended, 0x80000008);
        assert_int_equal(p->microcode, ends[i].microcode);
        assert_string_equal(p->brand, ends[i].brand);
        for (size_t r = 0; r < COUNT_OF(leaves); r++) {
            for (unsigned most = 0; leaves[r].atom == i && most < 2; most++) {
                const uint32_t word = most ? KEPT : 0;
                uint32_t regs[4] = { word, word, word, word };

                cpuid_read(&m->v, leaves[r].leaf, leaves[r].subleaf, regs);
                if (memcmp(regs, most ? leaves[r].most : leaves[r].least, sizeof(regs)) != 0) {
                    fail_msg("%s: leaf %x.%u is %x %x %x %x", names[i], leaves[r].leaf, leaves[r].subleaf, regs[0],
                             regs[1], regs[2], regs[3]);
                }
            }
        }
        machine_free(m);
    }
}

/* --- MSRs -------------------------------------------------------------------------------------------------------- */

#define CANONICAL .check = CHECK_CANONICAL

/* Registers: bits that WRMSR accepts, of these the ones that it drops, and the value after a reset. */
static const struct msr_row {
    const char *on; /* L: Goldmont, F: Sierra Forest */
    uint32_t first, count;
    uint64_t accepted, dropped, reset;
    bool read_only;
    enum msr_check check;
} msr_rows[] = {
    { "LF", 0x034, 1, .read_only = true }, /* MSR_SMI_COUNT */
    { "L", 0x08b, 1, .accepted = ALL_BITS, .dropped = ALL_BITS, .reset = UINT64_C(0x40) << 32 },
    { "F", 0x08b, 1, .accepted = ALL_BITS, .dropped = ALL_BITS, .reset = UINT64_C(0x30003b2) << 32 },
    { "LF", 0x1a0, 1, .accepted = 0x4400d51889, .dropped = 0x1880, .reset = 0x850089 },
    { "L", 0x1d9, 1, .accepted = 0x5fc3 },
    { "F", 0x1d9, 1, .accepted = 0xdfc3, .dropped = 1 },
    { "LF", 0x600, 1, .accepted = ALL_BITS, CANONICAL },
    { "L", 0x345, 1, .read_only = true, .reset = 0x33c6 },
    { "F", 0x345, 1, .read_only = true, .reset = 0x74ff },
    /* counters */
    { "L", 0x0c1, 4, .accepted = ALL_BITS },
    { "F", 0x0c1, 8, .accepted = ALL_BITS },
    { "L", 0x4c1, 4, .accepted = B(47, 0) },
    { "F", 0x4c1, 8, .accepted = B(47, 0) },
    { "L", 0x186, 4, .accepted = B(31, 0) },
    { "F", 0x186, 4, .accepted = 0xcffffffff, .dropped = 1 << 21 },
    { "F", 0x18a, 4, .accepted = 0x4ffffffff, .dropped = 1 << 21 },
    { "LF", 0x309, 3, .accepted = B(47, 0) },
    { "L", 0x38d, 1, .accepted = 0xfff },
    { "F", 0x38d, 1, .accepted = 0x11100000fff, .dropped = 0x444 },
    { "LF", 0x38e, 1, .read_only = true },
    { "L", 0x38f, 1, .accepted = 0x70000000f, .reset = 0xf },
    { "F", 0x38f, 1, .accepted = 0x7000000ff, .reset = 0xff },
    { "L", 0x390, 1, .accepted = B(63, 58) | UINT64_C(1) << 55 | 0x70000000f },
    { "F", 0x390, 1, .accepted = B(63, 58) | UINT64_C(1) << 55 | 0x7000000ff },
    { "L", 0x391, 1, .accepted = B(62, 58) | UINT64_C(1) << 55 | 0x70000000f },
    { "F", 0x391, 1, .accepted = B(62, 58) | UINT64_C(1) << 55 | 0x7000000ff },
    { "LF", 0x392, 1, .read_only = true },
    /* PEBS */
    { "L", 0x3f1, 1, .accepted = 1 },
    { "F", 0x3f1, 1, .accepted = 0x7000000ff },
    { "F", 0x3f2, 1, .accepted = B(31, 24) | 0xf },
    { "F", 0x3f6, 1, .accepted = B(15, 0) },
    { "L", 0x1a6, 2, .accepted = B(37, 0) },
    { "F", 0x1a6, 1, .accepted = UINT64_C(0x800ff3ffffffffff) },
    { "F", 0x1a7, 1, .accepted = UINT64_C(0xff3ffffffffff) },
    { "F", 0x1328, 2, .accepted = ALL_BITS },
    /* LBR stacks */
    { "L", 0x1c8, 1, .accepted = B(9, 0) },
    { "L", 0x1c9, 1, .accepted = B(4, 0) },
    { "L", 0x680, 32, .accepted = ALL_BITS, .check = CHECK_FLAG_AND_ADDRESS },
    { "L", 0x6c0, 32, .accepted = ALL_BITS }, /* with cycles */
    { "F", 0x14ce, 1, .accepted = 0x7f000f },
    { "F", 0x14cf, 1, .accepted = ALL_BITS, .reset = 32, .check = CHECK_LBR_DEPTH },
    { "F", 0x1500, 32, .accepted = ALL_BITS, CANONICAL },
    { "F", 0x1600, 32, .accepted = ALL_BITS, CANONICAL },
    { "F", 0x1200, 32, .accepted = ALL_BITS, .dropped = B(55, 40) | B(31, 16) },
};

/* Where it has no register, but another processor of its time or after it: RDMSR and WRMSR raise #GP. */
static const struct {
    const char *on;
    uint32_t first, count;
} absent_rows[] = {
    { "LF", 0x040, 8 },  { "LF", 0x060, 8 }, { "LF", 0x300, 9 },  { "LF", 0x30d, 5 },  { "L", 0x0c5, 4 },
    { "L", 0x18a, 4 },   { "LF", 0x30c, 1 }, { "LF", 0x329, 1 },  { "L", 0x3f2, 1 },   { "L", 0x3f6, 1 },
    { "LF", 0x3f7, 1 },  { "L", 0x4c5, 4 },  { "F", 0x1c8, 2 },   { "F", 0x680, 32 },  { "F", 0x6c0, 32 },
    { "LF", 0xdc0, 32 }, { "L", 0x14ce, 2 }, { "L", 0x1200, 32 }, { "L", 0x1500, 32 }, { "L", 0x1600, 32 },
};

static void msrs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ATOMS; i++) {
        struct machine *m = machine_of(names[i]);
        const char letter = "LF"[i];

        for (uint32_t address = 0; address < 0x2000; address++) {
            const struct profile_msr *msr = profile_find_msr(m->v.profile, address);
            const struct msr_row *row = NULL;
            enum msr_answer expected = MSR_UNKNOWN;
            uint64_t value = 0;

            for (size_t r = 0; r < COUNT_OF(absent_rows); r++) {
                if (strchr(absent_rows[r].on, letter) != NULL &&
                    address - absent_rows[r].first < absent_rows[r].count) {
                    expected = MSR_GP;
                }
            }
            for (size_t r = 0; r < COUNT_OF(msr_rows); r++) {
                if (strchr(msr_rows[r].on, letter) != NULL && address - msr_rows[r].first < msr_rows[r].count) {
                    row = &msr_rows[r];
                    expected = MSR_DONE;
                }
            }
            const enum msr_answer answer = engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS);

            if (answer != expected || (row != NULL && value != row->reset)) {
                fail_msg("%s: RDMSR %x: %d, %" PRIx64, names[i], address, answer, value);
            }
            if (row == NULL) {
                assert_int_equal(engine_wrmsr(&m->v, address, 0, BETWEEN_BLOCKS), expected);
                continue;
            }
            if (msr->read_only != row->read_only || msr->check != row->check ||
                (msr->writable | msr->ignored) != row->accepted || msr->ignored != row->dropped) {
                fail_msg("%s: WRMSR %x", names[i], address);
            }
        }
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facilities), cmocka_unit_test(memory), cmocka_unit_test(events),
        cmocka_unit_test(cpuid),      cmocka_unit_test(msrs),
    };
    return cmocka_run_group_tests_name("facts of the modelled Atom processors", tests, NULL, NULL);
}
