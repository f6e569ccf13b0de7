/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectural LBR: a small depth in PEBS records, and events of branches that have no entry. */
#include "tests/host/model_machine.h"

#define LBR_CTL   0x14ce
#define LBR_DEPTH 0x14cf
#define INFO      0x1200

#define LBREN      1u
#define OS         2u
#define USR        4u
#define ALL_KINDS  0x7f0000u
#define EVERYTHING (LBREN | OS | USR | ALL_KINDS)

UNIT_TEST(in_a_pebs_record_of_small_depth)
{
    struct machine *m = machine_of("goldencove");
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
