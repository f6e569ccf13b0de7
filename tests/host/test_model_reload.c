/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Auto counter reload and event logging on the modelled Clearwater Forest. */
#include "tests/host/model_machine.h"

#include "model/faults/break.h"
#include "model/faults/quirks.h"

#include "model/engine/data.h"

#define INSTRUCTIONS (EVTSEL_ON | 0xc0)
#define BRANCHES     (EVTSEL_ON | 0xc4)
#define LOGGED       (UINT64_C(1) << 35)
#define LOADED       0x81d0

#define LBR_CTL    0x14ce
#define INFO       0x1200
#define EVERYTHING 0x7f0007u
#define NO_JCC     (EVERYTHING & ~0x10000u)

static struct machine *forest(void)
{
    struct machine *m = machine_of("clearwaterforest");

    wrmsr(m, GLOBAL_CTRL, 0);
    return m;
}

/* Runs so many instructions, in blocks of five without a branch; the last one is that of finish(). */
static void run_instructions(struct machine *m, unsigned count)
{
    struct block *blocks[8];
    unsigned used = 0;

    for (unsigned left = count - 1; left > 0; left -= blocks[used - 1]->count) {
        assert_true(used < 8);
        blocks[used] = block_new(0, left < 5 ? left : 5, END_PLAIN);
        run(m, blocks[used++]);
    }
    finish(m);
}

/* ---- event logging ----------------------------------------------------------------------------------------------- */

/* The counts of the entry of this age, that of counter 0 in the lowest two bits. */
static unsigned events(struct machine *m, unsigned age)
{
    return (unsigned)(rdmsr(m, INFO + age) >> 32) & 0xff;
}

static struct machine *logging(uint64_t control)
{
    struct machine *m = forest();

    WRMSR(m, { EVTSEL0, INSTRUCTIONS | LOGGED }, { EVTSEL0 + 1, INSTRUCTIONS }, { EVTSEL0 + 2, BRANCHES | LOGGED },
          { EVTSEL0 + 3, INSTRUCTIONS | LOGGED });
    wrmsr(m, GLOBAL_CTRL, 7); /* counter 3 is not enabled */
    wrmsr(m, LBR_CTL, control);
    return m;
}

UNIT_TEST(counts)
{
    struct block *jump[5], *plain = block_new(0x100, 2, END_PLAIN), *branch = block_new(0x100, 1, END_JCC);
    struct machine *m = logging(EVERYTHING);

    for (unsigned i = 0; i < 5; i++) {
        jump[i] = block_new(0x1000 * (i + 1), i + 1, END_REL_JMP);
        run(m, jump[i]);
    }
    run(m, plain); /* two more instructions for the next entry */
    run(m, jump[0]);
    branch->next = branch->fall = jump[0]->pc; /* a branch that is not taken, and an instruction */
    run(m, branch), run(m, jump[0]), finish(m);
    assert_int_equal(events(m, 6), 0x11);
    assert_int_equal(events(m, 5), 0x12);
    assert_int_equal(events(m, 4), 0x13);
    assert_int_equal(events(m, 3), 0x13);
    assert_int_equal(events(m, 2), 0x13);
    assert_int_equal(events(m, 1), 0x13);
    assert_int_equal(events(m, 0), 0x22);
    wrmsr(m, LBR_CTL, 0);
}

/* A branch that is left out hands its events on; so does a block that is left in the middle. */
UNIT_TEST(handed_on)
{
    struct block *jump = block_new(0x1000, 1, END_REL_JMP), *taken = block_new(0x2000, 1, END_JCC);
    struct block *cut = block_new(0x3000, 4, END_REL_JMP);
    struct machine *m = logging(NO_JCC);

    run(m, jump), run(m, taken), run(m, jump), run(m, cut);
    engine_leave(&m->v, (struct place){ cut, 1 });
    run(m, jump), finish(m);
    assert_int_equal(events(m, 0), 0x12);
    assert_int_equal(events(m, 1), 0x22);
    assert_int_equal(events(m, 2), 0x11);
}

/* Loads belong to the block that runs. */
UNIT_TEST(loads)
{
    struct block *jump = block_new(0x1000, 3, END_REL_JMP);
    struct machine *m = forest();

    WRMSR(m, { EVTSEL0 + 1, EVTSEL_ON | LOADED | LOGGED }, { GLOBAL_CTRL, 2 }, { LBR_CTL, EVERYTHING });
    for (unsigned n = 0; n < 5; n++) {
        run(m, jump);
        for (unsigned i = 0; i < n; i++) {
            data_accessed(&m->v, (struct place){ jump, 0 }, MEMORY, 8, false);
            engine_data_retired(&m->v, (struct place){ jump, 1 }, jump->pc + 4, 0);
        }
    }
    finish(m);
    for (unsigned n = 0; n < 5; n++) {
        assert_int_equal(events(m, 4 - n), (n < 3 ? n : 3) << 2);
    }
}

/* ---- longer event selects ---------------------------------------------------------------------------------------- */

/* Instructions counted of nine, one a cycle. A second unit mask without events of its own adds nothing. */
UNIT_TEST(equal)
{
    static const struct {
        unsigned mask, unit_mask_2;
        uint64_t counted;
    } rows[] = { { 0, 0, 0 }, { 1, 0, 9 }, { 2, 0, 0 }, { 1, 1, 9 }, { 1, 0x80, 9 } };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct machine *m = forest();

        WRMSR(m,
              { EVTSEL0, INSTRUCTIONS | UINT64_C(1) << 36 | rows[i].mask << 24 | (uint64_t)rows[i].unit_mask_2 << 40 },
              { GLOBAL_CTRL, 1 });
        run_instructions(m, 9);
        assert_int_equal(rdmsr(m, 0x4c1), rows[i].counted);
    }
}

/* RDPMC at CPL 3 reads 0 of general counter 5 and fixed counter 2, and the others' values; at CPL 0 it reads all. */
UNIT_TEST(concealed)
{
    struct machine *m = forest();
    struct block *b = block_new(0, 1, END_PLAIN);
    uint64_t value;

    assert_int_equal(engine_wrmsr(&m->v, EVTSEL0 + 5, UINT64_C(1) << 37, BETWEEN_BLOCKS), MSR_GP);
    assert_int_equal(engine_wrmsr(&m->v, FIXED_CTRL, UINT64_C(1) << 41, BETWEEN_BLOCKS), MSR_GP);
    assert_true(break_rules(&m->v, &(struct fault_set){ 0 }, UINT32_C(1) << QUIRK_RDPMC_USER_DISABLE));
    assert_int_equal(engine_wrmsr(&m->v, FIXED_CTRL, UINT64_C(1) << 45, BETWEEN_BLOCKS), MSR_GP); /* no counter 3 */
    WRMSR(m, { EVTSEL0 + 5, UINT64_C(1) << 37 }, { FIXED_CTRL, UINT64_C(1) << 41 });
    for (uint32_t i = 0; i < 8; i++) {
        wrmsr(m, 0x4c1 + i, 100 + i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        wrmsr(m, FIXED_CTR0 + i, 200 + i);
    }
    for (b->cpl = 0; b->cpl <= 3; b->cpl++) {
        for (uint32_t i = 0; i < 8; i++) {
            assert_int_equal(engine_rdpmc(&m->v, i, &value, (struct place){ b, 0 }), MSR_DONE);
            assert_int_equal(value, i == 5 && b->cpl != 0 ? 0 : 100 + i);
        }
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(engine_rdpmc(&m->v, i | 1u << 30, &value, (struct place){ b, 0 }), MSR_DONE);
            assert_int_equal(value, i == 2 && b->cpl != 0 ? 0 : 200 + i);
        }
        assert_int_equal(engine_rdpmc(&m->v, 8, &value, (struct place){ b, 0 }), MSR_GP);
    }
    break_mend(&m->v);
}
