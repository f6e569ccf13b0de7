/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting, overflow and PEBS: the exact instruction, the exact index, and behaviour at and past the limits. */
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

UNIT_TEST(a_fault_undoes_what_did_not_retire)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 10, END_REL_JMP);

    WRMSR(m, { EVTSEL0 + 1, EVTSEL_ON | ALL_BRANCHES }, { EVTSEL0, EVTSEL_ON | INST_RETIRED });
    run(m, b);
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, block_address(b, 6), 0x900000, 0);
    EXPECT_MSRS(m, { PMC0, 6 }, { PMC0 + 1, 0 });
    run(m, b);
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, 0x900000, 0); /* the loop's next turn */
    EXPECT_MSRS(m, { PMC0, 16 }, { PMC0 + 1, 1 });
}

/*
 * The WRMSR that stops counting is counted, the one that starts it is not. A WRMSR can overflow a counter or be
 * recorded.
 */
UNIT_TEST(wrmsr_counts_before_its_effect)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 3, END_REL_JMP);

    set_up_ds(m, 0, 0, 10, 10);
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_ON | 1u << 20 | INST_RETIRED }, { GLOBAL_CTRL, 1 });
    assert_int_equal(rdmsr(m, PMC0), 0);
    WRMSR(m, { FIXED_CTRL, 3 }, { FIXED_CTRL, 0 });
    run(m, b);
    wrmsr(m, GLOBAL_CTRL, 0);
    assert_int_equal(rdmsr(m, PMC0), 1 + 1 + 3 + 1);
    wrmsr(m, PMC0, (uint32_t)-4); /* the WRMSR overflows the counter */
    wrmsr(m, GLOBAL_CTRL, 1);
    run(m, b);
    assert_int_equal(m->pmis, 0);
    wrmsr(m, GLOBAL_CTRL, 0);
    assert_int_equal(m->pmis, 1);
    EXPECT_MSRS(m, { GLOBAL_STATUS, 1 }, { PMC0, 0 });
    sample(m, 0, INST_RETIRED, 3); /* the WRMSR is the event after the overflow */
    run(m, b);
    wrmsr(m, GLOBAL_CTRL, 0);
    assert_int_equal(records(m), 1);
    EXPECT_MEMORY(m, { PEBS + 0xb0, CODE + 0x20000 }, { PEBS + 0x08, CODE + 0x20004 });
}

/* The next IP after INT n is its handler's first instruction; for an interrupted program, the next instruction. */
UNIT_TEST(after_an_interrupt)
{
    static const struct {
        enum block_end end;
        enum interruption kind;
        uint64_t ip;
    } ways[] = { { END_INT, INTERRUPTION_EXCEPTION, 0x900000 }, { END_REL_JMP, INTERRUPTION_EXTERNAL, 0x7000 } };

    for (unsigned i = 0; i < COUNT_OF(ways); i++) {
        struct machine *m = machine_new();
        struct block *b = block_new(0, 4, END_REL_JMP), *two = block_new(0x100, 2, ways[i].end);

        set_up_ds(m, 0, 0, 20, 20);
        sample(m, 0, INST_RETIRED, 5);
        run(m, b), run(m, two);
        engine_interruption(&m->v, ways[i].kind, ways[i].end == END_INT ? two->last : 0x7000, 0x900000, 0);
        assert_int_equal(records(m), 1);
        EXPECT_MEMORY(m, { PEBS + 0xb0, two->last }, { PEBS + 0x08, ways[i].ip });
    }
}

/*
 * Linux's handler clears IA32_PERF_GLOBAL_CTRL and IA32_PEBS_ENABLE and sets them again. A counter that overflowed just
 * before must still be armed, or it would not record for 2^48 events.
 */
UNIT_TEST(armed_across_a_pause)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 9, END_REL_JMP);

    set_up_ds(m, 0, 0, 10, 10);
    sample(m, 0, INST_RETIRED, 10);
    run(m, b);
    wrmsr(m, GLOBAL_CTRL, 0);            /* the tenth */
    assert_int_equal(rdmsr(m, PMC0), 0); /* overflowed, and armed */
    assert_int_equal(records(m), 0);
    WRMSR(m, { PEBS_ENABLE, 0 }, { PEBS_ENABLE, 1 }, { GLOBAL_CTRL, 1 });
    run(m, b);
    assert_int_equal(records(m), 1);
}

UNIT_TEST(two_counters_share_a_record)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 1, END_REL_JMP);

    set_up_ds(m, 0, 0, 20, 20);
    wrmsr(m, GLOBAL_CTRL, 0);
    for (unsigned i = 0; i < 2; i++) {
        put(m, DS + 0x40 + 8 * (2 + i), i == 0 ? -UINT64_C(9) : -UINT64_C(4));
        WRMSR(m, { EVTSEL0 + 2 + i, EVTSEL_ON | (i == 0 ? INST_RETIRED : ALL_BRANCHES) },
              { PMC0 + 2 + i, (uint32_t)(i == 0 ? -9 : -4) });
    }
    WRMSR(m, { PEBS_ENABLE, 0xc }, { GLOBAL_CTRL, 0xc });
    run_times(m, b, 10);
    assert_int_equal(records(m), 2);
    assert_int_equal(record(m, 0, 0x90), 8);
    assert_int_equal(record(m, 1, 0x90), 0xc); /* the 10th event: 9 + 1 and 2 x (4 + 1) */
}

/* The engine stores many branches at once. The record describes the branch that was counted last. */
UNIT_TEST(taken_branches_with_branch_records)
{
    struct machine *m = machine_new();
    struct block *blocks[3] = { block_new(0, 2, END_REL_JMP), block_new(0x40, 3, END_REL_JMP),
                                block_new(0x100, 4, END_REL_JMP) };

    set_up_ds(m, 60, 61, 20, 20);
    wrmsr(m, DEBUGCTL, TR_BTS);
    sample(m, 3, NEAR_TAKEN, 7);
    for (unsigned i = 0; i < 50; i++)
        run(m, blocks[i % 3]);
    finish(m);
    assert_int_equal(records(m), 6);
    for (unsigned n = 0; n < 6; n++)
        assert_int_equal(record(m, n, 0xb0), blocks[(8 * n + 7) % 3]->last);
}

/* The event is the last instruction of a block, and the next block has no such event. */
UNIT_TEST(seen_in_a_block_without_counted_events)
{
    struct machine *m = machine_new();
    struct block *jump = block_new(0, 2, END_REL_JMP), *plain = block_new(0x100, 3, END_PLAIN);

    set_up_ds(m, 0, 0, 20, 20);
    sample(m, 0, ALL_BRANCHES, 1);
    run(m, jump), run(m, jump);
    m->registers.general[RAX] = 1;
    run(m, plain);
    m->registers.general[RAX] = 2;
    run(m, plain);
    assert_int_equal(records(m), 1);
    EXPECT_MEMORY(m, { PEBS + 0xb0, jump->last }, { PEBS + 0x08, plain->pc }, { PEBS + 0x10, 1 });
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

/* BTS reads the management area, whenever the ring of branches is full, while PEBS records are pending. */
UNIT_TEST(with_branch_records)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 2, END_REL_JMP);
    bool interrupted = false;

    set_up_ds(m, 3, 4, 20, 8);
    wrmsr(m, DEBUGCTL, TR_BTS);
    sample(m, 0, ALL_BRANCHES, 999);
    for (unsigned i = 0; i < 10000; i++) {
        run(m, b);
        m->registers.general[RDI] = i;
        if (m->pmis == 1 && !interrupted) {
            interrupted = true;
            assert_int_equal(get(m, DS + 0x28), PEBS + 8 * RECORD_PEBS);
        }
    }
    assert_true(interrupted);
    assert_int_equal(records(m), 10);
    for (unsigned n = 0; n < 10; n++)
        assert_int_equal(record(m, n, 0x38), 1000 * n + 999);
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
