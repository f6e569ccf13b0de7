/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude: the list of latitude=, and what each freedom of records and registers changes. */
#include "tests/host/free_machine.h"

#include "model/engine/pebs.h"
#include "model/engine/rules.h"
#include "model/latitude/choices.h"

static struct machine *free_machine(unsigned number, uint64_t seed, uint32_t freedoms)
{
    return free_machine_of("skylake", number, seed, freedoms);
}

/* latitude=: some freedoms, or all except some; for a wrong list, the unknown name. */
UNIT_TEST(lists_of_freedoms)
{
    static const struct {
        const char *list;
        uint32_t freedoms;
    } rows[] = {
        { "pebs-arming,pebs-arming,caches", BIT_OF(PEBS_ARMING) | BIT_OF(CACHES) },
        { "-pebs-arming", ALL_FREEDOMS & ~(BIT_OF(PEBS_ARMING)) },
        { "-pebs-arming,-pebs-arming", ALL_FREEDOMS & ~(BIT_OF(PEBS_ARMING)) },
    };
    static const struct {
        const char *list;
        size_t at, length;
    } wrong[] = {
        { "", 0, 0 },
        { "-", 1, 0 },
        { "pebs-armin", 0, 10 },
        { "pebs-arming,", 12, 0 },
        { "pebs-arming,-pebs-arming", 12, 12 },
        { "--pebs-arming", 1, 12 },
        { "-pebs-arming,none", 13, 4 },
    };
    uint32_t freedoms;
    size_t length;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_null(freedoms_parse(&freedoms, rows[i].list, &length));
        assert_int_equal(freedoms, rows[i].freedoms);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_ptr_equal(freedoms_parse(&freedoms, wrong[i].list, &length), wrong[i].list + wrong[i].at);
        assert_int_equal(length, wrong[i].length);
    }
}

#define PERIOD  100
#define BLOCK   7
#define RECORDS 5

/*
 * Samples PERIOD events of counter i, in blocks of BLOCK instructions with these flags; the last one is a branch.
 * distances: the recorded instructions, each relative to the previous one, the first to the start of counting. Returns
 * the delay's cycles in this boot.
 */
static unsigned sample(uint64_t seed, unsigned i, uint64_t event, unsigned flags, unsigned distances[RECORDS])
{
    struct machine *m = free_machine(0, seed, BIT_OF(PEBS_ARMING));
    struct block *b = block_new(0, BLOCK, END_REL_JMP);
    const unsigned cycles = m->v.latitude->state.arming.cycles;
    unsigned blocks = 0, last = 0;

    for (unsigned k = 0; k < BLOCK; k++)
        b->insns[k].flags = (uint8_t)flags;
    set_up_ds(m, 0, 0, 20, 20);
    put(m, DS + 0x40 + 8 * i, -(uint64_t)PERIOD);
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0 + i, EVTSEL_ON | event }, { PMC0 + i, (uint32_t)-PERIOD },
          { PEBS_ENABLE, UINT64_C(1) << i }, { GLOBAL_CTRL, UINT64_C(1) << i });
    for (unsigned n = 0; n < RECORDS; n++) {
        while (get(m, DS + 0x28) == PEBS + n * RECORD_PEBS) {
            run(m, b);
            pebs_flush(&m->v);
            assert_true(++blocks < RECORDS * 3 * PERIOD);
        }
        const unsigned at = (unsigned)(get(m, PEBS + n * RECORD_PEBS + 0xb0) - CODE) / 4;
        /* the engine sees an event in a block's last instruction when the next block begins */
        const unsigned number = (blocks - 1 - (at == BLOCK - 1)) * BLOCK + at + 1;

        assert_in_range(at, 0, BLOCK - 1);
        distances[n] = number - last;
        last = number;
    }
    return cycles;
}

/* The delay is constant in cycles. An instruction takes 0 to 2 cycles. */
UNIT_TEST(arming_takes_time)
{
    bool none = false, most = false, varied = false;
    unsigned distances[RECORDS], again[RECORDS];

    for (uint64_t seed = 0; seed < 200; seed++) {
        const unsigned cycles = sample(seed, 0, INST_RETIRED, 0, distances);

        none = none || cycles == 0;
        most = most || cycles == 40;
        assert_in_range(cycles, 0, 40);
        for (unsigned n = 0; n < RECORDS; n++) {
            const unsigned instructions = distances[n] - PERIOD - 1;

            assert_in_range(instructions, (cycles + 1) / 2, cycles * 4);
            varied = varied || distances[n] != distances[0];
        }
        assert_int_equal(sample(seed, 0, INST_RETIRED, 0, again), cycles);
        assert_memory_equal(again, distances, sizeof(distances));
    }
    assert_true(none && most && varied);
}

/* A serialising instruction ends the delay. Precise distribution has no delay. */
UNIT_TEST(arming_ends)
{
    unsigned distances[RECORDS];

    for (uint64_t seed = 0; seed < 50; seed++) {
        const unsigned cycles = sample(seed, 0, INST_RETIRED, INSN_SERIALISES, distances);

        for (unsigned n = 0; n < RECORDS; n++)
            assert_int_equal(distances[n], PERIOD + 1 + (cycles > 0));
        sample(seed, 1, PREC_DIST, 0, distances);
        for (unsigned n = 0; n < RECORDS; n++)
            assert_int_equal(distances[n], PERIOD);
    }
}

#define CYCLES          0x3cu /* one per instruction in modelled time, and precise on goldencove's counter 0 */
#define RECORD_ADAPTIVE 32    /* only the basic group */
#define FIXED_0         8u    /* goldencove's counters in the DS area */

/* The numbers (from 1) of the first two instructions that a counter of goldencove records with this period. */
static void distribute(uint64_t seed, uint32_t freedoms, bool fixed, unsigned period, uint64_t numbers[2])
{
    struct machine *m = free_machine_of("goldencove", 0, seed, freedoms);
    struct block *b = block_new(0, 900, END_PLAIN);
    const uint64_t bit = fixed ? UINT64_C(1) << 32 : 1;

    for (unsigned i = 0; i < b->count; i++) {
        b->insns[i].offset_low = (uint8_t)(4 * i);
        b->insns[i].offset_high = (uint8_t)(4 * i >> 8);
    }
    PUT(m, { DS + 0x20, PEBS }, { DS + 0x28, PEBS }, { DS + 0x30, PEBS + 100 * RECORD_ADAPTIVE },
        { DS + 0x38, PEBS + 100 * RECORD_ADAPTIVE }, { DS + 0x40 + 8 * (fixed ? FIXED_0 : 0u), -(uint64_t)period });
    WRMSR(m, { DS_AREA, DS }, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_ON | CYCLES }, { FIXED_CTRL, 3 },
          { fixed ? FIXED_CTR0 : A_PMC0, -(uint64_t)period & 0xffffffffffff }, { PEBS_ENABLE, bit },
          { GLOBAL_CTRL, bit });
    run(m, b), finish(m);
    for (unsigned n = 0; n < 2; n++) {
        assert_int_equal(get(m, PEBS + n * RECORD_ADAPTIVE) >> 48, RECORD_ADAPTIVE);
        numbers[n] = (get(m, PEBS + n * RECORD_ADAPTIVE + 8) - CODE) / 4 + 1;
    }
}

/* Fixed counter 0 records either the overflowing instruction or the next one, consistently, without a delay. */
UNIT_TEST(instruction_accurate)
{
    const uint32_t both = BIT_OF(PDIR_PLUS) | BIT_OF(PEBS_ARMING);
    bool seen[2] = { false, false };
    uint64_t numbers[2];

    for (uint64_t seed = 0; seed < 30; seed++) {
        distribute(seed, both, true, 150, numbers);
        assert_in_range(numbers[0], 150, 151);
        assert_int_equal(numbers[1], 2 * numbers[0]);
        seen[numbers[0] - 150] = true;
        distribute(seed, both, false, 150, numbers);
        assert_int_equal(numbers[0], 150);
        assert_int_equal(numbers[1], 300);
    }
    assert_true(seen[0] && seen[1]);
}

/* Three counters due at once: one record for all, one for each, or any grouping. */
UNIT_TEST(shared_records)
{
    unsigned first = 0; /* bit n: the first record was of the counters n */
    bool seen[4] = { false };

    for (uint64_t seed = 0; seed < 30; seed++) {
        struct machine *m = free_machine(0, seed, BIT_OF(PEBS_SHARED));
        struct block *b = block_new(0, 8, END_PLAIN);
        uint64_t bits = 0;

        set_up_ds(m, 0, 0, 20, 20);
        wrmsr(m, GLOBAL_CTRL, 0);
        for (unsigned i = 0; i < 3; i++) {
            put(m, DS + 0x40 + 8 * i, -UINT64_C(1000));
            WRMSR(m, { EVTSEL0 + i, EVTSEL_ON | INST_RETIRED }, { PMC0 + i, (uint32_t)-4 });
        }
        WRMSR(m, { PEBS_ENABLE, 7 }, { GLOBAL_CTRL, 7 });
        run(m, b), finish(m);
        const uint64_t records = (get(m, DS + 0x28) - PEBS) / RECORD_PEBS;

        assert_in_range(records, 1, 3);
        for (unsigned n = 0; n < records; n++) {
            const uint64_t mine = get(m, PEBS + n * RECORD_PEBS + 0x90);

            assert_int_equal(get(m, PEBS + n * RECORD_PEBS + 0xb0), block_address(b, 4));
            assert_int_not_equal(mine, 0);
            assert_int_equal(bits & mine, 0);
            first |= n == 0 ? 1u << mine : 0;
            bits |= mine;
        }
        assert_int_equal(bits, 7);
        seen[records] = true;
    }
    assert_true(seen[1] && seen[2] && seen[3]);
    assert_int_equal(first, 1u << 1 | 1u << 3 | 1u << 5 | 1u << 7);
}

/* A machine whose counter 0 records each `period` instructions, with a threshold after some records. */
static struct machine *hiding(uint64_t seed, unsigned period, unsigned threshold)
{
    struct machine *m = free_machine(0, seed, BIT_OF(PEBS_VISIBLE));

    set_up_ds(m, 0, 0, 20, threshold);
    put(m, DS + 0x40, -(uint64_t)period);
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { PMC0, (uint32_t)-2 }, { PEBS_ENABLE, 1 },
          { GLOBAL_CTRL, 1 });
    return m;
}

/* The number of instructions (with these flags) from a record until it is in memory. */
static unsigned unseen(uint64_t seed, unsigned flags, unsigned *cycles)
{
    struct machine *m = hiding(seed, 1000, 20);
    struct block *b = block_new(0, 1, END_PLAIN);
    unsigned instructions = 0;

    b->insns[0].flags = (uint8_t)flags;
    run(m, b), run(m, b), run(m, b);
    assert_true(engine_due(&m->v, b, false) == DUE_GO_ON); /* the record is made */
    *cycles = m->v.latitude->state.unseen;
    while (engine_settle(&m->v, BETWEEN_BLOCKS), get(m, DS + 0x28) == PEBS) {
        assert_int_equal(get(m, PEBS + 0xb0), 0);
        run(m, b);
        instructions++;
        assert_true(instructions < 1000);
    }
    EXPECT_MEMORY(m, { DS + 0x28, PEBS + RECORD_PEBS }, { PEBS + 0xb0, b->pc });
    return instructions;
}

UNIT_TEST(late_records)
{
    bool at_once = false, late = false;
    unsigned cycles;

    for (uint64_t seed = 0; seed < 500; seed++) {
        const unsigned instructions = unseen(seed, 0, &cycles);

        assert_in_range(cycles, 0, 100);
        assert_in_range(instructions, (cycles + 1) / 2, cycles * 3 + 2);
        at_once = at_once || instructions == 0;
        late = late || cycles > 95;
        assert_in_range(unseen(seed, INSN_SERIALISES, &cycles), (cycles + 9) / 10, (cycles + 9) / 10 + 1);
    }
    assert_true(at_once && late);
}

static unsigned count_accesses(struct machine *m, uint64_t event, bool store)
{
    struct block *b = block_new(0, 1, END_PLAIN);

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0 + 3, EVTSEL_ON | event }, { PMC0 + 3, 0 }, { LD_LAT, 3 },
          { GLOBAL_CTRL, 8 });
    b->insns[0].flags = INSN_ACCESS;
    for (unsigned i = 0; i < 800; i++) {
        run(m, b);
        data_accessed(&m->v, (struct place){ b, 0 }, MEMORY + 8 * i, 8, store);
        engine_data_retired(&m->v, BETWEEN_BLOCKS, b->next, 0);
    }
    return (unsigned)rdmsr(m, PMC0 + 3);
}

/* Load latency follows all accesses, or at least one in eight. Other events count all accesses. */
UNIT_TEST(followed_accesses)
{
    bool all = false, few = false;

    for (uint64_t seed = 0; seed < 30; seed++) {
        struct machine *m = free_machine_of("sandybridge", 0, seed, BIT_OF(LOAD_SAMPLING));
        const unsigned follows = m->v.latitude->state.follows;
        const unsigned loads = count_accesses(m, LOAD_LATENCY, false);
        const unsigned stores = count_accesses(m, 0x02cd, true);

        assert_in_range(follows, 1, 8);
        assert_in_range(loads, 800 / follows - 80, 800 / follows + 80);
        assert_in_range(stores, 800 / follows - 80, 800 / follows + 80);
        assert_int_equal(count_accesses(m, ALL_LOADS, false), 800);
        assert_int_equal(count_accesses(m, ALL_STORES, true), 800);
        assert_int_equal(follows == 1, loads == 800);
        all = all || follows == 1;
        few = few || follows == 8;
    }
    assert_true(all && few);
}

/* Interrupts and exceptions may count as instructions and branches of the interrupted level. INT n always counts. */
UNIT_TEST(interruptions_that_count)
{
    struct machine *m = free_machine(0, 3, BIT_OF(OVERCOUNT));
    struct block *user = block_new(0, 4, END_REL_JMP), *handler = block_new(0x100, 2, END_PLAIN);
    struct block *software = block_new(0x200, 3, END_INT);
    uint64_t in_all, in_user;

    user->cpl = 3;
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0 + 0, EVTSEL_ON | INST_RETIRED });
    wrmsr(m, EVTSEL0 + 1, (EVTSEL_ON & ~0x20000u) | INST_RETIRED); /* USR only */
    WRMSR(m, { EVTSEL0 + 2, EVTSEL_ON | ALL_BRANCHES }, { GLOBAL_CTRL, 7 });
    for (unsigned i = 0; i < 100; i++) {
        run(m, user);
        engine_interruption(&m->v, INTERRUPTION_EXTERNAL, user->pc, handler->pc, 0);
        run(m, handler);
    }
    in_all = rdmsr(m, PMC0);
    in_user = rdmsr(m, PMC0 + 1);
    assert_in_range(in_user, 400 + 30, 400 + 70);
    assert_int_equal(in_all, in_user + 200);
    assert_int_equal(rdmsr(m, PMC0 + 2), 100 + in_user - 400);
    for (unsigned i = 0; i < 100; i++) {
        run(m, handler);
        engine_interruption(&m->v, INTERRUPTION_EXCEPTION, block_address(handler, 1), user->pc, 0);
    }
    assert_in_range(rdmsr(m, PMC0) - in_all, 100 + 30, 100 + 70);
    assert_int_equal(rdmsr(m, PMC0 + 1), in_user);
    in_all = rdmsr(m, PMC0);
    for (unsigned i = 0; i < 100; i++) {
        run(m, software);
        engine_interruption(&m->v, INTERRUPTION_EXCEPTION, software->last, handler->pc, 0);
    }
    assert_int_equal(rdmsr(m, PMC0) - in_all, 300);
}

/* Four registers refuse or drop reserved bits, each consistently. Other registers do not have this freedom. */
UNIT_TEST(reserved_bits)
{
    static const struct {
        uint32_t address;
        uint64_t reserved, good;
        bool reads; /* whether the written value reads back */
    } rows[] = {
        { STATUS_RESET, UINT64_C(1) << 50, 1, false },
        { LBR_SELECT, UINT64_C(1) << 40, 5, true },
        { EVTSEL0 + 1, UINT64_C(1) << 63, EVTSEL_ON, true },
        { FIXED_CTRL, UINT64_C(1) << 62, 3, true },
    };
    unsigned dropped[COUNT_OF(rows)] = { 0 };

    for (uint64_t seed = 0; seed < 40; seed++) {
        struct machine *m = free_machine(0, seed, BIT_OF(MSR_RESERVED));

        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const uint64_t value = rows[i].reserved | rows[i].good;
            const enum msr_answer answer = engine_wrmsr(&m->v, rows[i].address, value, BETWEEN_BLOCKS);

            assert_int_equal(engine_wrmsr(&m->v, rows[i].address, value, BETWEEN_BLOCKS), answer);
            assert_int_equal(rdmsr(m, rows[i].address), answer == MSR_DONE && rows[i].reads ? rows[i].good : 0);
            dropped[i] += answer == MSR_DONE;
        }
        assert_int_equal(engine_wrmsr(&m->v, PEBS_ENABLE, UINT64_C(1) << 62, BETWEEN_BLOCKS), MSR_GP);
        assert_int_equal(engine_wrmsr(&m->v, GLOBAL_CTRL, UINT64_C(1) << 62, BETWEEN_BLOCKS), MSR_GP);
        assert_int_equal(engine_wrmsr(&m->v, DS_AREA, UINT64_C(1) << 62, BETWEEN_BLOCKS), MSR_GP);
        assert_int_equal(engine_wrmsr(&m->v, GLOBAL_STATUS, 0, BETWEEN_BLOCKS), MSR_GP);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_in_range(dropped[i], 8, 32);
}

/* The LBR stack's registers are read-only only on NetBurst, as one chapter of the manual says. */
UNIT_TEST(lbr_read_only)
{
    static const struct {
        const char *profile;
        uint32_t address;
        enum msr_answer answer;
    } rows[] = {
        { "netburst", 0x1db, MSR_GP },   { "netburst", 0x1de, MSR_GP },   { "netburst64", 0x680, MSR_GP },
        { "netburst64", 0x6cf, MSR_GP }, { "core-duo", 0x40, MSR_DONE },  { "core2", 0x60, MSR_DONE },
        { "skylake", 0x680, MSR_DONE },  { "netburst", 0x1d9, MSR_DONE },
    };

    for (unsigned free = 0; free < 2; free++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            struct machine *m = free_machine_of(rows[i].profile, 0, 1, (uint32_t)free << FREEDOM_LBR_READ_ONLY);

            assert_int_equal(engine_wrmsr(&m->v, rows[i].address, 0, BETWEEN_BLOCKS), free ? rows[i].answer : MSR_DONE);
            assert_int_equal(rdmsr(m, rows[i].address), 0);
        }
    }
}

/* After a reset the processor's counters and LBRs run; BTS and PEBS do not. */
UNIT_TEST(left_running)
{
    static const char *const profiles[] = { "netburst", "pentium-m", "core2", "nehalem", "skylake", "goldencove" };
    bool fixed = false, general = false, status = false, freezes = false, still = false;

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct machine *m = free_machine_of(profiles[p], 0, seed, BIT_OF(FIRMWARE));
            const struct vcpu *v = &m->v;
            const struct profile_debugctl *bits = v->profile->debugctl;

            assert_true(v->lbr.on && v->lbr.stack[0].from >> 16 == 0xf);
            assert_false(v->bts.on || v->pebs.enabled != 0);
            assert_int_equal(v->regs[REG_IA32_DEBUGCTL] & ~(bits->lbr | bits->freeze_lbrs | bits->freeze_perfmon), 0);
            general = general || (v->counting.active & 1);
            fixed = fixed || (v->counting.active >> v->profile->general_counters);
            still = still || v->counting.active == 0;
            status = status || v->status != 0;
            freezes = freezes || (bits->freeze_lbrs != 0 && vcpu_debugctl(v, bits->freeze_lbrs));
            if (v->counting.active & 1)
                assert_true(v->counters[0].value >= vcpu_width_mask(v) - (1 << 20));
            if (strcmp(profiles[p], "netburst") != 0 && strcmp(profiles[p], "pentium-m") != 0) {
                assert_int_equal(rdmsr(m, GLOBAL_STATUS), v->status);
                wrmsr(m, GLOBAL_CTRL, 0);
                assert_int_equal(v->counting.active, 0);
            }
        }
    }
    assert_true(general && fixed && still && status && freezes);
}

/*
 * Architectural records are split at random before groups, with null records of one to four units between; without the
 * freedom, by size.
 */
UNIT_TEST(fragments)
{
    const struct arch_contents arch = { .format = UINT64_C(0xe002003000000000) | UINT64_C(1) << 40, .lbr_depth = 32 };
    unsigned cuts[ARCH_GROUPS] = { 0 }, nulls[5] = { 0 }, whole = 0;

    for (unsigned seed = 0; seed < 40; seed++) {
        struct machine *m = free_machine_of("clearwaterforest", 0, seed, UINT32_C(1) << FREEDOM_PEBS_FRAGMENTS);

        for (unsigned n = 0; n < 10; n++) {
            struct arch_split split = { .cut = { false } };
            bool any = false;

            m->v.rules->pebs_arch_split(&m->v, &arch, &split);
            assert_true(arch_bytes(&arch, &split) <= ARCH_MAX_BYTES);
            assert_false(split.cut[GROUP_BASIC]);
            for (unsigned group = 0; group < ARCH_GROUPS; group++) {
                assert_true(split.null_bytes[group] % 16 == 0 && split.null_bytes[group] <= 64);
                assert_true(split.cut[group] || split.null_bytes[group] == 0);
                cuts[group] += split.cut[group];
                nulls[split.null_bytes[group] / 16] += split.cut[group];
                any = any || split.cut[group];
            }
            whole += !any;
        }
    }
    assert_int_not_equal(whole, 0);
    for (unsigned group = GROUP_AUX; group < ARCH_GROUPS; group++)
        assert_true(cuts[group] > 100 && cuts[group] < 300);
    for (unsigned units = 0; units < COUNT_OF(nulls); units++)
        assert_true(nulls[units] > (units == 0 ? 300u : 50u));
}
