/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A processor under a debugger: its state, that reading has no effect, and the reasons to stop. */
#include "tests/host/model_machine.h"

#include "model/engine/standing.h"

enum { TSC = 0x10, TSC_ADJUST = 0x3b, BIOS_SIGN = 0x8b }; /* not shown */

struct seen {
    uint32_t asked;
    uint64_t value;
    unsigned times, registers;
    struct machine *m;
};

static void see(void *context, uint32_t address, uint64_t value)
{
    struct seen *seen = context;

    seen->registers++;
    if (address == seen->asked) {
        seen->times++;
        seen->value = value;
    }
}

static uint64_t shown(struct machine *m, uint32_t address)
{
    struct seen seen = { .asked = address };

    assert_true(standing_registers(&m->v, see, &seen));
    assert_int_equal(seen.times, 1);
    return seen.value;
}

static void compare(void *context, uint32_t address, uint64_t value)
{
    struct seen *seen = context;

    seen->registers++;
    assert_int_equal(value, rdmsr(seen->m, address));
}

/* Exactly the registers that RDMSR can read, on processors with every kind of register. */
UNIT_TEST(registers_as_rdmsr_reads_them)
{
    static const char *const profiles[] = { "netburst", "core2", "skylake", "goldencove", "clearwaterforest" };

    for (size_t i = 0; i < COUNT_OF(profiles); i++) {
        struct machine *m = machine_of(profiles[i]);
        struct seen seen = { .m = m };
        unsigned exist = 0;
        uint64_t value;

        assert_true(standing_registers(&m->v, compare, &seen));
        for (uint32_t address = 0; address < 0x2000; address++) {
            exist += address != TSC && address != TSC_ADJUST && address != BIOS_SIGN &&
                     engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS) == MSR_DONE;
        }
        assert_int_equal(seen.registers, exist);
    }
}

/* Samples instructions: the counter overflows after `first`, and then after each `period`. */
static void sample(struct machine *m, uint32_t first, uint64_t period)
{
    set_up_ds(m, 0, 0, 10, 10);
    put(m, DS + 0x40, -period);
    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED }, { PMC0, 0 - first }, { PEBS_ENABLE, 1 },
          { GLOBAL_CTRL, 1 });
}

/* An overflow at a block's last instruction, which the next block detects, is not lost when the state is read. */
static uint64_t record_behind(bool look, uint64_t *count)
{
    struct machine *m = machine_new();
    struct block *plain = block_new(0, 7, END_PLAIN), *next = block_new(0x1c, 7, END_PLAIN);
    uint64_t ip;

    sample(m, 14, 14);
    run(m, plain);
    if (look) {
        assert_int_equal(shown(m, PMC0), (UINT64_C(1) << 48) - 7);
        *count = shown(m, PMC0);
    }
    run(m, next);
    if (look) {
        shown(m, PMC0);
        standing_settle(&m->v);
    }
    run(m, plain);
    finish(m);
    assert_int_equal(get(m, DS + 0x28), PEBS + RECORD_PEBS);
    ip = get(m, PEBS + 8);
    return ip;
}

UNIT_TEST(reading_has_no_effect)
{
    uint64_t count = 0;

    assert_int_equal(record_behind(true, &count), record_behind(false, NULL));
    assert_int_equal(count, (UINT64_C(1) << 48) - 7);
}

/* Deferred branches are in memory at a stop, up to the branch into the running block; the next stop has one more. */
UNIT_TEST(branches_are_in_memory)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 2, END_REL_JMP);

    set_up_ds(m, 10, 20, 0, 0);
    wrmsr(m, DEBUGCTL, TR_BTS);
    run(m, b);
    run(m, b);
    run(m, b);
    assert_int_equal(get(m, DS + 8), BTS);
    standing_settle(&m->v);
    assert_int_equal(get(m, DS + 8), BTS + 2 * RECORD_BTS);
    run(m, b);
    standing_settle(&m->v);
    assert_int_equal(get(m, DS + 8), BTS + 3 * RECORD_BTS);
}

/* The branch's target block does not begin, and the branch's record is in memory. Without a watch there is no stop. */
UNIT_TEST(the_next_branch)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 2, END_REL_JMP);

    set_up_ds(m, 10, 20, 0, 0);
    wrmsr(m, DEBUGCTL, TR_BTS);
    for (unsigned way = 0; way < 2; way++) {
        m->at_hand = way == 1;
        run(m, b);
        standing_settle(&m->v);
        assert_false(m->v.watch.hit);
        standing_watch(&m->v, true, false);

        const uint64_t index = get(m, DS + 8);

        assert_false(m->v.watch.hit);
        assert_false(begin(m, b));
        assert_true(m->v.watch.hit);
        assert_int_equal(get(m, DS + 8), index + RECORD_BTS);
        standing_watch(&m->v, false, false);
        assert_true(begin(m, b)); /* noted once */
        standing_settle(&m->v);
        assert_int_equal(get(m, DS + 8), index + RECORD_BTS);
        assert_false(m->v.watch.hit);
    }
}

/* INT n is the recorded event, while blocks are counted but not noted. */
UNIT_TEST(the_sample_of_an_interruption)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 4, END_INT), *handler = block_new(0x1000, 2, END_REL_JMP);

    sample(m, 3, 100);
    standing_watch(&m->v, true, false);
    assert_true(begin(m, b));
    engine_interruption(&m->v, INTERRUPTION_EXCEPTION, b->last, handler->pc, 0);
    assert_true(m->v.watch.hit);
    assert_int_equal(get(m, DS + 0x28), PEBS + RECORD_PEBS);
    assert_false(begin(m, handler));
    standing_watch(&m->v, false, false);
    assert_true(begin(m, handler));
}
