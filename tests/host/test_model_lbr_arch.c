/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectural LBR on the modelled Golden Cove: order, filters, call stack, depth, freeze, the bits of INFO. */
#include "tests/host/model_machine.h"

#define LBR_CTL   0x14ce
#define LBR_DEPTH 0x14cf
#define FROM      0x1500
#define TO        0x1600
#define INFO      0x1200

#define LBREN      1u
#define OS         2u
#define USR        4u
#define CALL_STACK 8u
#define ALL_KINDS  0x7f0000u
#define EVERYTHING (LBREN | OS | USR | ALL_KINDS)

#define INFO_MISPRED (UINT64_C(1) << 63)
#define INFO_VALID   (UINT64_C(1) << 60)
#define INFO_TYPE(n) (UINT64_C(n) << 56)

#define HANDLER UINT64_C(0x900000)

static struct machine *golden_cove(void)
{
    return machine_of("goldencove");
}

static void expect(struct machine *m, unsigned i, uint64_t from, uint64_t to, uint64_t info)
{
    EXPECT_MSRS(m, { FROM + i, from }, { TO + i, to }, { INFO + i, info });
}

UNIT_TEST(depths)
{
    for (uint64_t depth = 0; depth < 80; depth++) {
        struct machine *m = golden_cove();
        bool has = depth == 8 || depth == 16 || depth == 32;
        uint64_t value;

        assert_int_equal(engine_wrmsr(&m->v, LBR_DEPTH, depth, BETWEEN_BLOCKS), has ? MSR_DONE : MSR_GP);
        assert_int_equal(rdmsr(m, LBR_DEPTH), has ? depth : 32);
        for (uint32_t i = 0; i < 32; i++) {
            enum msr_answer answer = !has || i < depth ? MSR_DONE : MSR_GP;

            assert_int_equal(engine_rdmsr(&m->v, FROM + i, &value, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_rdmsr(&m->v, TO + i, &value, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_rdmsr(&m->v, INFO + i, &value, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_wrmsr(&m->v, FROM + i, CODE, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_wrmsr(&m->v, TO + i, CODE, BETWEEN_BLOCKS), answer);
            assert_int_equal(engine_wrmsr(&m->v, INFO + i, 0, BETWEEN_BLOCKS), answer);
        }
    }
    struct machine *m = golden_cove();

    assert_int_equal(engine_wrmsr(&m->v, LBR_DEPTH, UINT64_C(0x100000008), BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_wrmsr(&m->v, FROM, UINT64_C(1) << 62, BETWEEN_BLOCKS), MSR_GP);
}

/* Entry 0 is the newest whatever the depth, and each branch moves the others up by one. */
UNIT_TEST(newest_first)
{
    static const unsigned depths_of_it[] = { 8, 16, 32 };
    struct block *blocks[5];

    for (unsigned i = 0; i < 5; i++) {
        blocks[i] = block_new(0x100 * i, 1 + i, END_REL_JMP);
    }
    for (size_t d = 0; d < COUNT_OF(depths_of_it); d++) {
        const unsigned depth = depths_of_it[d];

        for (unsigned branches = 1; branches < 1300; branches += branches < 70 ? 1 : 411) {
            struct machine *m = golden_cove();

            WRMSR(m, { LBR_DEPTH, depth }, { LBR_CTL, EVERYTHING });
            for (unsigned i = 0; i <= branches; i++) {
                run(m, blocks[i % 5]);
            }
            wrmsr(m, LBR_CTL, 0); /* the last block's branch goes to this one */
            for (unsigned n = 0; n < depth; n++) {
                if (n == 0) {
                    expect(m, n, blocks[branches % 5]->last, CODE + 0x20000,
                           INFO_TYPE(2) | (branches > 0 ? INFO_VALID | blocks[branches % 5]->count : 0) | INFO_MISPRED);
                } else if (n < branches) {
                    const unsigned i = branches - n;
                    const uint64_t mispredicted = i < 5 ? INFO_MISPRED : 0;

                    expect(m, n, blocks[i % 5]->last, blocks[(i + 1) % 5]->pc,
                           INFO_TYPE(2) | INFO_VALID | blocks[i % 5]->count | mispredicted);
                } else if (n == branches) { /* the first since enabling: its cycles are not known */
                    expect(m, n, blocks[0]->last, blocks[1]->pc, INFO_TYPE(2) | INFO_MISPRED);
                } else {
                    expect(m, n, 0, 0, 0);
                }
            }
        }
    }
}

UNIT_TEST(writing_the_depth_clears_the_stack)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    wrmsr(m, LBR_CTL, EVERYTHING);
    run_times(m, b, 40);
    wrmsr(m, LBR_CTL, 0);
    assert_int_not_equal(rdmsr(m, FROM), 0);
    wrmsr(m, LBR_DEPTH, 32);
    for (unsigned i = 0; i < 32; i++) {
        expect(m, i, 0, 0, 0);
    }
}

/* Cycles while LBRs were off are in no entry. */
UNIT_TEST(enabled_again)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    for (unsigned i = 0; i < 2; i++) {
        wrmsr(m, LBR_CTL, EVERYTHING);
        run(m, b), run(m, b);
        wrmsr(m, LBR_CTL, 0);
        expect(m, 1, b->last, b->pc, INFO_TYPE(2) | INFO_MISPRED);
        run(m, b);
    }
}

UNIT_TEST(interrupts_are_other_branches)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 2, END_REL_JMP);

    wrmsr(m, LBR_CTL, EVERYTHING & ~(1u << 17));
    run(m, b);
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, HANDLER, 0);
    wrmsr(m, LBR_CTL, EVERYTHING & ~(1u << 22));
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, HANDLER + 1, 0);
    expect(m, 0, b->pc, HANDLER, INFO_TYPE(8));
    expect(m, 1, 0, 0, 0);
}

/* The level in which the branch ends decides. With neither level allowed no branch is recorded. */
UNIT_TEST(privilege_filters)
{
    static const struct {
        unsigned levels;
        unsigned entries;
        uint64_t oldest_from; /* all ones: from the level that is left out */
    } cases[] = { { 0, 0, 0 }, { OS, 1, UINT64_MAX }, { USR, 2, UINT64_MAX }, { OS | USR, 3, 0 } };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine *m = golden_cove();
        struct block *system = block_new(0x40, 1, END_FAR), *user = block_new(0x100, 1, END_REL_JMP);
        struct block *user_far = block_new(0x200, 1, END_FAR);
        unsigned entries = 0;

        user->cpl = user_far->cpl = 3;
        wrmsr(m, LBR_CTL, (EVERYTHING & ~(OS | USR)) | cases[i].levels);
        run(m, system);   /* to user */
        run(m, user);     /* in it */
        run(m, user_far); /* back */
        finish(m);
        wrmsr(m, LBR_CTL, 0);
        while (entries < 32 && rdmsr(m, FROM + entries) != 0) {
            entries++;
        }
        /* finish()'s block is ring 0 and ends in no branch */
        assert_int_equal(entries, cases[i].entries);
        if (entries > 0) {
            assert_int_equal(rdmsr(m, FROM + entries - 1), cases[i].oldest_from ? cases[i].oldest_from : system->last);
        }
    }
}

/* Returns remove the newest entry: the rest are the places where control would return to. */
UNIT_TEST(call_stack)
{
    struct machine *m = golden_cove();
    struct block *calls[3], *ret = block_new(0x1000, 1, END_RET);
    const unsigned control = LBREN | OS | USR | CALL_STACK | 1u << 19 | 1u << 20 | 1u << 21;

    for (unsigned i = 0; i < 3; i++) {
        calls[i] = block_new(0x100 * i, 1, i == 1 ? END_IND_CALL : END_REL_CALL);
    }
    WRMSR(m, { LBR_DEPTH, 8 }, { FROM + 7, 0xdead00 }, { LBR_CTL, control });
    run(m, calls[0]), run(m, calls[1]), run(m, calls[2]);
    run(m, ret); /* from the third */
    finish(m);
    EXPECT_MSRS(m, { FROM, calls[1]->last }, { FROM + 1, calls[0]->last });
    expect(m, 2, 0, 0, 0);
    expect(m, 7, 0, 0, 0); /* the oldest */
    run(m, ret), run(m, ret), finish(m);
    for (unsigned i = 0; i < 8; i++) {
        expect(m, i, 0, 0, 0);
    }
    wrmsr(m, LBR_DEPTH, 8);
    for (unsigned i = 0; i < 9; i++) { /* one more than fit */
        run(m, calls[0]);
    }
    run_times(m, ret, 9);
    finish(m);
    for (unsigned i = 0; i < 8; i++) {
        expect(m, i, 0, 0, 0);
    }
}

/* A record's LBR group is the same stack. */
UNIT_TEST(in_a_pebs_record)
{
    struct machine *m = golden_cove();
    struct block *a = block_new(0, 3, END_REL_JMP), *b = block_new(0x100, 2, END_IND_CALL);

    PUT(m, { DS + 0x20, PEBS }, { DS + 0x28, PEBS }, { DS + 0x30, PEBS + 80 }, { DS + 0x38, PEBS + 80 },
        { DS + 0x48, -UINT64_C(6) });
    WRMSR(m, { DS_AREA, DS }, { GLOBAL_CTRL, 0 }, { LBR_CTL, EVERYTHING }, { 0x3f2, 0x01000008 },
          { EVTSEL0 + 1, EVTSEL_ON | UINT64_C(1) << 34 | ANY_BRANCH }, { PMC0 + 1, (uint32_t)-6 }, { PEBS_ENABLE, 2 },
          { GLOBAL_CTRL, 2 });
    for (unsigned i = 0; i < 4; i++) {
        run(m, a), run(m, b);
    }
    wrmsr(m, LBR_CTL, 0);
    EXPECT_MEMORY(m, { DS + 0x28, PEBS + 80 }, { PEBS + 8, a->last }, { PEBS + 32, a->last }, { PEBS + 40, b->pc },
                  { PEBS + 48, INFO_TYPE(2) | INFO_VALID | 3 }, { PEBS + 56, b->last }, { PEBS + 64, a->pc },
                  { PEBS + 72, INFO_TYPE(3) | INFO_VALID | 2 });
}

/* With a smaller depth a record has no more entries than that. */
UNIT_TEST(in_a_pebs_record_of_small_depth)
{
    struct machine *m = golden_cove();
    struct block *b = block_new(0, 4, END_REL_JMP);
    const uint64_t size = 32 + 10 * 24;

    PUT(m, { DS + 0x20, PEBS }, { DS + 0x28, PEBS }, { DS + 0x30, PEBS + size }, { DS + 0x38, PEBS + size });
    WRMSR(m, { DS_AREA, DS }, { GLOBAL_CTRL, 0 }, { LBR_DEPTH, 8 }, { LBR_CTL, EVERYTHING });
    run_times(m, b, 20);
    WRMSR(m, { 0x3f2, 0x09000008 }, { EVTSEL0 + 1, EVTSEL_ON | UINT64_C(1) << 34 | INST_RETIRED },
          { PMC0 + 1, (uint32_t)-1 }, { PEBS_ENABLE, 2 }, { GLOBAL_CTRL, 2 });
    run(m, b), finish(m);
    EXPECT_MEMORY(m, { DS + 0x28, PEBS + size }, { PEBS + 32 + 7 * 24, b->last });
    for (unsigned at = 32 + 8 * 24; at < size; at += 8) {
        assert_int_equal(get(m, PEBS + at), 0);
    }
}
