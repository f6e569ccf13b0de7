/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches: BTS records in both modes, the LBR stack, filters, interrupts and exceptions. */
#include "tests/host/model_machine.h"

#include "model/engine/branches.h"

#define HANDLER UINT64_C(0x900000)

static void expect_bts(struct machine *m, unsigned n, uint64_t from, uint64_t to)
{
    EXPECT_MEMORY(m, { BTS + n * RECORD_BTS, from }, { BTS + n * RECORD_BTS + 8, to },
                  { BTS + n * RECORD_BTS + 16, 0 });
}

static uint64_t stored(struct machine *m)
{
    return (get(m, DS + 0x08) - BTS) / RECORD_BTS;
}

/*
 * If only user code is traced, the interrupt arrives in the user block that reached the threshold; with and without a
 * counter, because counting notes blocks, too.
 */
UNIT_TEST(threshold_interrupts_user_code)
{
    for (unsigned way = 0; way < 2; way++) {
        struct machine *m = machine_new();
        struct block *b = block_new(0, 2, END_REL_JMP);

        b->cpl = 3;
        set_up_ds(m, 100, 60, 0, 0);
        WRMSR(m, { EVTSEL0, way ? EVTSEL_ON | INST_RETIRED : 0 }, { DEBUGCTL, TR_BTS | BTINT | 0x200 });
        while (begin(m, b)) {
        }
        assert_int_equal(stored(m), 60);
        engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, HANDLER, 0);
        assert_int_equal(stored(m), 61);
        expect_bts(m, 60, b->pc, HANDLER);
    }
}

UNIT_TEST(interruptions)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 4, END_REL_JMP), *software = block_new(0x100, 2, END_INT);

    set_up_ds(m, 20, 30, 0, 0);
    wrmsr(m, DEBUGCTL, TR_BTS);
    run(m, b); /* jumps to the next block; an interrupt arrives before it */
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, software->pc, HANDLER, 0);
    run(m, b); /* its second instruction faults: its jump does not execute */
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, block_address(b, 1), HANDLER, 0);
    run(m, software);
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, software->last, HANDLER, 0);
    run(m, b); /* a fault when the target is fetched */
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, 0x7000, HANDLER, 0);
    assert_int_equal(stored(m), 6);
    expect_bts(m, 0, b->last, software->pc);
    expect_bts(m, 1, software->pc, HANDLER);
    expect_bts(m, 2, block_address(b, 1), HANDLER);
    expect_bts(m, 3, software->last, HANDLER);
    expect_bts(m, 4, b->last, 0x7000);
    expect_bts(m, 5, 0x7000, HANDLER);
}

/* If an exception ends a block, the block's cycles are those of the retired instructions. */
UNIT_TEST(lbr_cycles_of_a_block_left_in_its_middle)
{
    struct machine *m = machine_new();
    struct block *a = block_new(0, 3, END_REL_JMP), *b = block_new(0x100, 6, END_REL_JMP);

    wrmsr(m, DEBUGCTL, 1);
    run(m, a), run(m, b);
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, block_address(b, 2), HANDLER, 0);
    run(m, a), finish(m);
    EXPECT_MSRS(m, { LBR_FROM0 + 1, a->last }, { LBR_FROM0 + 2, block_address(b, 2) });
    assert_int_equal(rdmsr(m, LBR_INFO0 + 2) & 0xffff, 2);
    assert_int_equal(rdmsr(m, LBR_INFO0 + 3) & 0xffff, 3);
}

/* QEMU runs an instruction that accesses a device in a block of its own: that is not a branch. */
UNIT_TEST(a_block_left_after_its_first_instruction)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 2, END_FAR), *rest = block_new(4, 1, END_FAR);

    set_up_ds(m, 20, 30, 0, 0);
    WRMSR(m, { DEBUGCTL, TR_BTS }, { EVTSEL0, EVTSEL_ON | INST_RETIRED });
    run(m, b);
    engine_lone_instruction(&m->v, b->pc);
    run(m, rest), finish(m);
    assert_int_equal(stored(m), 1);
    expect_bts(m, 0, rest->last, CODE + 0x10000);
    assert_int_equal(rdmsr(m, PMC0), 2 + 1);
}

#define WALK 8

/* The blocks of a walk: conditional branches, and one unconditional. */
static void walk_new(struct block *blocks[WALK])
{
    for (unsigned i = 0; i < WALK; i++)
        blocks[i] = block_new(0x10 * i, 4, i == WALK - 1 ? END_REL_JMP : END_JCC);
}

/*
 * Takes each conditional branch once in `often` times, unpredictably. A PMI resets the index. An interrupt comes near
 * the end. Returns a hash of the steps at which PMIs arrived. spared: of ring 0, the engine sees only the last block
 * before another ring or the interrupt.
 */
static uint64_t walk(struct machine *m, uint64_t debugctl, struct block *const *blocks, unsigned steps, unsigned often,
                     bool spared)
{
    const struct block *const falling = block_new(0x20000 - 4 * 4, 4, END_JCC);
    uint32_t random = 1;
    unsigned at = 0;
    uint64_t pmis = 0;

    wrmsr(m, DEBUGCTL, debugctl);
    for (unsigned i = 0; i < steps; i++) {
        const struct block *const b = blocks[at];

        while (!(spared && b->cpl == 0) && !begin(m, b)) {
            put(m, DS + 0x08, BTS);
            m->lvtpc = 0x40;
            pmis = pmis * 31 + i;
        }
        random = random * 1664525 + 1013904223;
        at = (at + ((random >> 16) % often == 0 ? 5 : 1)) % WALK;
        if (spared && b->cpl == 0 && (blocks[at]->cpl != 0 || i == steps - 1))
            engine_spared(&m->v, b);
    }
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, blocks[at]->pc, HANDLER, 0);
    run(m, blocks[WALK - 1]), run(m, falling); /* the last branch is not taken: WRMSR follows */
    wrmsr(m, DEBUGCTL, 0);
    return pmis;
}

/* A machine with a truth log, for which the engine handles every branch at once. */
static struct machine *logged_new(void)
{
    struct machine *m = machine_new();

    m->v.truth = fopen("/dev/null", "w");
    assert_non_null(m->v.truth);
    return m;
}

static void logged_free(struct machine *m)
{
    fclose(m->v.truth);
}

/*
 * The engine may defer and drop branches for the LBR stack: with any filter, the entries read as if each branch were
 * handled at once. TOS does not count what was dropped, which needs a full ring.
 */
UNIT_TEST(lbr_stack_at_any_length)
{
    /* everything; only branches to user code; only branches to the kernel; no JCC; the call stack, of calls and JMPs */
    static const uint64_t filters[] = { 0, 1, 2, 4, 1 << 9 | 4 };
    struct block *blocks[WALK];

    walk_new(blocks);
    for (unsigned f = 0; f < COUNT_OF(filters); f++) {
        for (unsigned often = 1; often <= 256; often *= 4) {
            for (unsigned steps = 200; steps < 12000; steps += steps < 2000 ? 267 : 1711) {
                struct machine *m = machine_new(), *spared = machine_new();
                struct machine *logged = logged_new();
                const bool dropped = steps > ENGINE_RING;

                for (unsigned i = 0; i < WALK; i++)
                    blocks[i]->cpl = i % 3 == 0 ? 3 : 0;
                wrmsr(m, LBR_SELECT, filters[f]);
                wrmsr(spared, LBR_SELECT, filters[f]);
                wrmsr(logged, LBR_SELECT, filters[f]);
                walk(m, 1, blocks, steps, often, false);
                walk(spared, 1, blocks, steps, often, branches_spare_ring_0(&spared->v));
                walk(logged, 1, blocks, steps, often, false);
                assert_true(dropped || rdmsr(m, LBR_TOS) == rdmsr(logged, LBR_TOS));
                for (unsigned entry = 0; entry < 32; entry++) {
                    const struct lbr_entry *const should = vcpu_lbr_newest(&logged->v, entry);

                    assert_memory_equal(vcpu_lbr_newest(&m->v, entry), should, sizeof(*should));
                    assert_int_equal(vcpu_lbr_newest(&spared->v, entry)->from, should->from);
                    assert_int_equal(vcpu_lbr_newest(&spared->v, entry)->to, should->to);
                }
                logged_free(logged);
            }
        }
    }
}

/* A branch that is not taken has no entry; its cycles count in the next entry. */
UNIT_TEST(lbr_cycles)
{
    struct machine *m = machine_new();
    struct block *a = block_new(0, 30, END_JCC), *b = block_new(120, 5, END_REL_JMP);

    wrmsr(m, DEBUGCTL, 1);
    run(m, b), run(m, a), run(m, b), finish(m);
    assert_int_equal(rdmsr(m, LBR_INFO0 + 2) & 0xffff, 35);
    for (unsigned i = 0; i < 3000; i++) {
        run(m, a);
        engine_leave(&m->v, (struct place){ a, 30 });
    }
    run(m, b), finish(m);
    assert_int_equal(rdmsr(m, LBR_INFO0 + 3) & 0xffff, 0xffff); /* saturated */
}

/* An interrupt may arrive before the first instruction at the level to which IRET returned. */
UNIT_TEST(interrupted_after_a_return_to_user)
{
    struct machine *m = machine_new();
    struct block *iret = block_new(0, 3, END_FAR);
    const uint64_t user = CODE + 0x8000;

    m->user_from = user;
    wrmsr(m, LBR_SELECT, 2); /* no branches that end outside ring 0 */
    wrmsr(m, DEBUGCTL, 1);
    run(m, iret);
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, user, HANDLER, 0);
    EXPECT_MSRS(m, { LBR_TOS, 1 }, { LBR_FROM0 + 1, user }, { LBR_TO0 + 1, HANDLER });

    wrmsr(m, LBR_SELECT, 1); /* no branches that end in ring 0 */
    run(m, iret);
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, user, HANDLER, 0);
    EXPECT_MSRS(m, { LBR_TOS, 2 }, { LBR_FROM0 + 2, iret->last }, { LBR_TO0 + 2, user });
}

/*
 * Blocks are freed while the engine has deferred their branches: it then keeps copies. The copy of the running block
 * has all its instructions, because an exception may still undo some.
 */
UNIT_TEST(blocks_freed_while_they_wait)
{
    static const unsigned waiting[] = { 1, 2, 700, ENGINE_RING - 1 };

    for (unsigned k = 0; k < 2 * COUNT_OF(waiting); k++) {
        const unsigned n = waiting[k / 2];
        const bool counting = k % 2 == 1;
        struct machine *m = machine_new();
        uint64_t left;

        set_up_ds(m, 2200, 2300, 0, 0);
        wrmsr(m, DEBUGCTL, TR_BTS);
        if (counting)
            wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
        for (unsigned i = 0; i < n; i++) {
            struct block *b = block_make(0x40 * i, 8, END_REL_JMP);

            run(m, b);
            engine_keep_blocks(&m->v);
            memset(b, 0xee, sizeof(*b) + 8 * sizeof(b->insns[0]));
            free(b);
            if (i % 97 == 0)
                engine_keep_blocks(&m->v); /* copies are copied */
        }
        left = CODE + 0x40 * (n - 1) + 4 * 5; /* its sixth instruction faults */
        engine_interruption(&m->v, INTERRUPTION_EXCEPTION, left, 0x900000, 0);
        for (unsigned i = 0; i < n; i++)
            expect_bts(m, i, i + 1 < n ? CODE + 0x40 * i + 4 * 7 : left, i + 1 < n ? CODE + 0x40 * (i + 1) : 0x900000);
        assert_int_equal(get(m, DS + 0x08), BTS + n * RECORD_BTS);
        assert_int_equal(rdmsr(m, PMC0), counting ? 8 * (n - 1) + 5 : 0);
    }
}

/* The running block is freed, and its code had not noted it in the ring. */
UNIT_TEST(running_block_freed)
{
    struct machine *m = machine_new();
    struct block *b = block_make(0, 8, END_REL_JMP);

    wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
    begin(m, b);
    assert_ptr_equal(ring_running_block(&m->v), b);
    engine_keep_blocks(&m->v);
    free(b);
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, CODE + 4 * 5, 0x900000, 0); /* its sixth instruction faults */
    assert_int_equal(rdmsr(m, PMC0), 5);
}

/* If software moves the threshold while tracing is off, it applies from the first branch after that. */
UNIT_TEST(threshold_moved_while_off)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 2, END_REL_JMP);

    set_up_ds(m, 100, 90, 0, 0);
    wrmsr(m, DEBUGCTL, TR_BTS | BTINT);
    run(m, b);
    wrmsr(m, DEBUGCTL, 0);
    PUT(m, { DS + 0x08, BTS }, { DS + 0x18, BTS + 2 * RECORD_BTS });
    wrmsr(m, DEBUGCTL, TR_BTS | BTINT);
    run(m, b), run(m, b);
    assert_int_equal(m->pmis, 0);
    assert_false(begin(m, b)); /* the second record's branch ends here */
    assert_int_equal(m->pmis, 1);
}
