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
#define INFO_TYPE(n) (UINT64_C(n) << 56)

static struct machine *golden_cove(void)
{
    return machine_of("goldencove");
}

static void expect(struct machine *m, unsigned i, uint64_t from, uint64_t to, uint64_t info)
{
    EXPECT_MSRS(m, { FROM + i, from }, { TO + i, to }, { INFO + i, info });
}

/* Cycles while LBRs are off do not count in any entry. */
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

/* A return removes the newest entry: the others are the active calls. */
UNIT_TEST(call_stack)
{
    struct machine *m = golden_cove();
    struct block *calls[3], *ret = block_new(0x1000, 1, END_RET);
    const unsigned control = LBREN | OS | USR | CALL_STACK | 1u << 19 | 1u << 20 | 1u << 21;

    for (unsigned i = 0; i < 3; i++)
        calls[i] = block_new(0x100 * i, 1, i == 1 ? END_IND_CALL : END_REL_CALL);
    WRMSR(m, { LBR_DEPTH, 8 }, { FROM + 7, 0xdead00 }, { LBR_CTL, control });
    run(m, calls[0]), run(m, calls[1]), run(m, calls[2]);
    run(m, ret); /* returns from the third call */
    finish(m);
    EXPECT_MSRS(m, { FROM, calls[1]->last }, { FROM + 1, calls[0]->last });
    expect(m, 2, 0, 0, 0);
    expect(m, 7, 0, 0, 0); /* the oldest */
    run(m, ret), run(m, ret), finish(m);
    for (unsigned i = 0; i < 8; i++)
        expect(m, i, 0, 0, 0);
    wrmsr(m, LBR_DEPTH, 8);
    for (unsigned i = 0; i < 9; i++) /* one more than the depth */
        run(m, calls[0]);
    run_times(m, ret, 9);
    finish(m);
    for (unsigned i = 0; i < 8; i++)
        expect(m, i, 0, 0, 0);
}

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
    for (unsigned at = 32 + 8 * 24; at < size; at += 8)
        assert_int_equal(get(m, PEBS + at), 0);
}

/* A branch that is left out passes its events on to the next entry, and so does a block that is left in the middle. */
UNIT_TEST(events_passed_on)
{
    static const unsigned counts[] = { 0x12, 0x22, 0x11 }; /* of counter 0 in the lowest two bits */
    struct block *jump = block_new(0x1000, 1, END_REL_JMP), *taken = block_new(0x2000, 1, END_JCC);
    struct block *cut = block_new(0x3000, 4, END_REL_JMP);
    struct machine *m = machine_of("clearwaterforest");
    const uint64_t logged = EVTSEL_ON | UINT64_C(1) << 35;

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, logged | INST_RETIRED }, { EVTSEL0 + 2, logged | ANY_BRANCH },
          { GLOBAL_CTRL, 5 }, { LBR_CTL, EVERYTHING & ~0x10000u });
    run(m, jump), run(m, taken), run(m, jump), run(m, cut);
    engine_leave(&m->v, (struct place){ cut, 1 });
    run(m, jump), finish(m);
    for (unsigned i = 0; i < COUNT_OF(counts); i++)
        assert_int_equal(rdmsr(m, INFO + i) >> 32 & 0xff, counts[i]);
}
