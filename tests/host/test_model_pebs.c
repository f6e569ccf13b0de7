/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting and PEBS where the engine leaves a block, and over a long run. Boots compare records with the truth. */
#include "tests/host/model_machine.h"

static uint64_t record(struct machine *m, unsigned n, unsigned offset)
{
    return get(m, PEBS + n * RECORD_PEBS + offset);
}

/* Runs one more block first: the engine sees an event in a block's last instruction when the next block begins. */
static uint64_t records(struct machine *m)
{
    finish(m);
    return (get(m, DS + 0x28) - PEBS) / RECORD_PEBS;
}

/* Counter i samples an event with period -reset. */
static void sample(struct machine *m, unsigned i, uint64_t event, uint64_t period)
{
    wrmsr(m, GLOBAL_CTRL, 0);
    put(m, DS + 0x40 + 8 * i, -period);
    WRMSR(m, { EVTSEL0 + i, EVTSEL_ON | event }, { PMC0 + i, (uint32_t)-period }, { PEBS_ENABLE, UINT64_C(1) << i },
          { GLOBAL_CTRL, UINT64_C(1) << i });
}

/* RDPMC in the middle of a block reads the count of the preceding instructions. */
UNIT_TEST(reads_in_the_middle)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 10, END_REL_JMP);
    uint64_t value;

    wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
    run(m, b), run(m, b);
    assert_int_equal(engine_rdpmc(&m->v, 0, &value, (struct place){ b, 4 }), MSR_DONE);
    assert_int_equal(value, 14);
    assert_int_equal(engine_rdpmc(&m->v, 0, &value, (struct place){ b, 9 }), MSR_DONE);
    assert_int_equal(value, 19);
}

/* The due instruction is the last one before the block is left, for example by RDPMC. */
UNIT_TEST(due_where_a_block_is_left)
{
    struct machine *m = machine_new();

    for (unsigned left_at = 3; left_at <= 8; left_at++) {
        struct block *b = block_new(0, left_at, END_PLAIN);

        wrmsr(m, GLOBAL_CTRL, 0);
        set_up_ds(m, 0, 0, 20, 20);
        sample(m, 0, INST_RETIRED, left_at - 1);
        run(m, b);
        engine_leave(&m->v, (struct place){ b, left_at });
        assert_int_equal(records(m), 1);
        assert_int_equal(record(m, 0, 0xb0), b->last);
    }
}

/* Empties the buffer as an interrupt handler does, with one counted instruction. */
static uint64_t drain(struct machine *m, uint64_t *instructions)
{
    uint64_t n = (get(m, DS + 0x28) - PEBS) / RECORD_PEBS;

    put(m, DS + 0x28, PEBS);
    wrmsr(m, STATUS_RESET, STATUS_BUFFER);
    m->lvtpc = 0x40;
    ++*instructions;
    return n;
}

UNIT_TEST(a_long_run_is_exact)
{
    struct machine *m = machine_new();
    struct block *blocks[3] = { block_new(0, 5, END_JCC), block_new(0x40, 11, END_REL_JMP),
                                block_new(0x100, 2, END_PLAIN) };
    uint64_t drained = 0;
    uint64_t instructions = 0;

    set_up_ds(m, 0, 0, 40, 30);
    sample(m, 0, INST_RETIRED, 7);
    for (unsigned i = 0; i < 100000; i++) {
        const struct block *b = blocks[i * i % 7 % 3];

        while (!begin(m, b))
            drained += drain(m, &instructions);
        instructions += b->count;
        if (m->lvtpc & 0x10000) { /* raised in the middle of the block: another block runs before an MSR is written */
            finish(m);
            instructions++;
            drained += drain(m, &instructions);
        }
        assert_true(drained <= instructions / 8);
    }
    finish(m);
    assert_int_equal(drained + records(m), instructions / 8);
    assert_true(m->pmis > 1000);
}
