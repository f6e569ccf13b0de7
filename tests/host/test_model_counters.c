/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that a counter counts: qualifiers of an event select, and every event of NetBurst with every mask. */
#include "tests/host/model_machine.h"

#include "model/engine/data.h"
#include "model/engine/netburst.h"

#define EDGE     (UINT64_C(1) << 18)
#define INVERTED (UINT64_C(1) << 23)

#define INST_RETIRED_X87 0x2c0
#define LOADS_RETIRED    0x10b

/*
 * Counter 0's count of five instructions, the fifth a jump, and the WRMSR that stops it. Fixed counter 0 counts all of
 * them.
 */
static uint64_t counted(uint64_t select)
{
    struct machine *m = machine_new();
    struct block *b = block_new(0, 5, END_REL_JMP);
    uint64_t value;

    WRMSR(m, { GLOBAL_CTRL, 0 }, { EVTSEL0, select }, { FIXED_CTRL, 3 }, { GLOBAL_CTRL, 0x100000001 });
    run(m, b);
    wrmsr(m, GLOBAL_CTRL, 0);
    value = rdmsr(m, PMC0);
    assert_int_equal(rdmsr(m, FIXED_CTR0), 6);
    return value;
}

/*
 * CMASK counts cycles with at least that many events, INV cycles with fewer; in modelled time a cycle has one
 * instruction. Counters with EDGE, and of cycles without an instruction, do not count. SDM Vol. 3B (253669-083),
 * "Architectural Performance Monitoring Version 1".
 */
UNIT_TEST(qualifiers)
{
    static const struct {
        uint64_t qualifier;
        unsigned mask, instructions, branches;
    } rows[] = {
        { 0, 0, 6, 1 },
        { 0, 1, 6, 1 },
        { 0, 2, 0, 0 },
        { 0, 255, 0, 0 },
        { INVERTED, 0, 6, 1 },
        { INVERTED, 1, 0, 0 },
        { INVERTED, 2, 6, 6 },
        { INVERTED, 255, 6, 6 },
        { EDGE, 0, 0, 0 },
        { EDGE, 1, 0, 0 },
        { EDGE | INVERTED, 2, 0, 0 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t select = EVTSEL_ON | rows[i].qualifier | (uint64_t)rows[i].mask << 24;

        assert_int_equal(counted(select | INST_RETIRED), rows[i].instructions);
        assert_int_equal(counted(select | ALL_BRANCHES), rows[i].branches);
    }
    assert_int_equal(counted(INST_RETIRED | 0x30000), 0);  /* not enabled */
    assert_int_equal(counted(INST_RETIRED | 0x400000), 0); /* neither OS nor USR */
}

/* Runs a short program; returns the counts of the selected events, counted together or one by one. */
#define EVENTS 8

static void count_events(const uint64_t selects[EVENTS], unsigned mask, uint64_t counts[EVENTS])
{
    struct machine *m = machine_of("icelake");
    struct block *blocks[] = { block_new(0x000, 5, END_JCC),      block_new(0x014, 2, END_REL_CALL),
                               block_new(0x100, 3, END_IND_JMP),  block_new(0x200, 4, END_RET),
                               block_new(0x300, 1, END_IND_CALL), block_new(0x400, 2, END_FAR),
                               block_new(0x500, 6, END_PLAIN) };
    static const uint8_t order[] = { 0, 1, 2, 3, 0, 0, 1, 2, 4, 3, 5, 6, 0, 1, 4, 3, 0, 0, 0, 5, 2, 2, 6, 1 };

    wrmsr(m, GLOBAL_CTRL, 0);
    for (unsigned i = 0; i < EVENTS; i++)
        wrmsr(m, EVTSEL0 + i, mask >> i & 1 ? EVTSEL_ON | selects[i] : 0);
    wrmsr(m, GLOBAL_CTRL, 0xff);
    for (size_t i = 0; i < sizeof(order); i++) {
        blocks[order[i]]->cpl = i % 5 == 0 ? 3 : 0;
        run(m, blocks[order[i]]);
    }
    finish(m);
    wrmsr(m, GLOBAL_CTRL, 0);
    for (unsigned i = 0; i < EVENTS; i++)
        counts[i] = mask >> i & 1 ? rdmsr(m, PMC0 + i) : counts[i];
}

UNIT_TEST(together_as_alone)
{
    static const uint64_t selects[][EVENTS] = {
        { 0x00c0, 0x00c4, 0x20c4, 0x00c5, 0x11c5, 0x20c5, 0x80c5, 0x08c5 },
        { 0x00c0, 0x01c4, 0x02c4, 0x08c4, 0x10c4, 0x11c4, 0x40c4, 0x80c4 },
        { 0x00c0, 0x01c5, 0x02c5, 0x10c5, 0x11c5, 0x20c4, 0x00c4, 0x00c5 },
    };

    for (size_t s = 0; s < COUNT_OF(selects); s++) {
        uint64_t together[EVENTS] = { 0 }, alone[EVENTS] = { 0 };

        count_events(selects[s], 0xff, together);
        for (unsigned i = 0; i < EVENTS; i++)
            count_events(selects[s], 1u << i, alone);
        assert_memory_equal(together, alone, sizeof(alone));
        assert_int_equal(together[0], 85 + 2); /* the blocks' instructions, one after them, and the WRMSR that stops */
        for (unsigned i = 0; i < EVENTS; i++)
            assert_true(together[i] > 0 && together[i] <= together[0]);
    }
}

/*
 * The ESCR pairs that each group's counters reach, by the select field of the CCCR: SDM Vol. 3B (253669-059), table
 * "Performance Counter MSRs and Associated CCCR and ESCR MSRs (Processors Based on Intel NetBurst Microarchitecture)".
 */
static const struct {
    unsigned first_counter, select, escr;
} pairs[] = {
    { 0, 0, 0x3b2 /* BPU */ },   { 0, 1, 0x3b4 /* IS */ },    { 0, 2, 0x3aa /* MOB */ },   { 0, 3, 0x3b6 /* ITLB */ },
    { 0, 4, 0x3ac /* PMH */ },   { 0, 5, 0x3c8 /* IX */ },    { 0, 6, 0x3a2 /* FSB */ },   { 0, 7, 0x3a0 /* BSU */ },
    { 4, 0, 0x3c0 /* MS */ },    { 4, 1, 0x3c4 /* TC */ },    { 4, 2, 0x3c2 /* TBPU */ },  { 8, 0, 0x3a6 /* FLAME */ },
    { 8, 1, 0x3a4 /* FIRM */ },  { 8, 2, 0x3ae /* SAAT */ },  { 8, 3, 0x3b0 /* U2L */ },   { 8, 5, 0x3a8 /* DAC */ },
    { 12, 0, 0x3ba /* IQ */ },   { 12, 1, 0x3ca /* ALF */ },  { 12, 2, 0x3bc /* RAT */ },  { 12, 3, 0x3be /* SSU */ },
    { 12, 4, 0x3b8 /* CRU0 */ }, { 12, 5, 0x3cc /* CRU2 */ }, { 12, 6, 0x3e0 /* CRU4 */ },
};

#define CRU_ESCR0  0x3b8
#define CRU_ESCR2  0x3cc
#define TBPU_ESCR0 0x3c2
#define FSB_ESCR0  0x3a2

/*
 * The event that an ESCR counts without tagged uops: the same edition, tables of non-retirement and at-retirement
 * events; a second source, libpfm4 (91970fe), intel_netburst_events.h, has the same codes. No instruction is bogus:
 * bits that select bogus ones do not change a count, and alone they count 0.
 */
static enum event_kind expected(unsigned escr, unsigned event, unsigned mask, bool hyper_threaded)
{
    const bool not_bogus = mask & 1;

    if (escr == FSB_ESCR0 && event == 0x13 && mask == 1) /* global_power_events: RUNNING */
        return EVENT_CYCLES;
    if (escr == CRU_ESCR0) {
        switch (event) {
        case 0x01: /* uops_retired: NBOGUS, BOGUS */
            return not_bogus && mask <= 3 ? EVENT_INSTRUCTIONS : EVENT_NONE;
        case 0x02: /* instr_retired: NBOGUSNTAG, NBOGUSTAG, BOGUSNTAG, BOGUSTAG */
            return not_bogus && mask <= 0xf ? EVENT_INSTRUCTIONS : EVENT_NONE;
        case 0x03: /* mispred_branch_retired: NBOGUS */
            return mask == 1 ? EVENT_MISPREDICTED : EVENT_NONE;
        case 0x07: /* instr_completed: NBOGUS, BOGUS */
            return hyper_threaded && not_bogus && mask <= 3 ? EVENT_INSTRUCTIONS : EVENT_NONE;
        default:
            return EVENT_NONE;
        }
    }
    if (escr == TBPU_ESCR0 && event == 0x04) { /* retired_branch_type: CONDITIONAL, CALL, RETURN, INDIRECT */
        return mask == 1 << 1   ? EVENT_CONDITIONAL
               : mask == 1 << 2 ? EVENT_NEAR_CALLS
               : mask == 1 << 3 ? EVENT_NEAR_RETURNS
               : mask == 1 << 4 ? EVENT_INDIRECT_BRANCHES
               : mask == 0x1e   ? EVENT_TYPED_BRANCHES
                                : EVENT_NONE;
    }
    if (escr == TBPU_ESCR0 && event == 0x05) /* retired_mispred_branch_type, of two types */
        return mask == 1 << 1 ? EVENT_MISPREDICTED_CONDITIONAL : mask == 1 << 2 ? EVENT_MISPREDICTED_CALLS : EVENT_NONE;
    if (escr == CRU_ESCR2 && event == 0x06) /* branch_retired: MMNP, MMNM, MMTP, MMTM */
        return (mask & 0xf) != 0 ? (enum event_kind)(EVENT_BRANCH_SETS + (mask & 0xf)) : EVENT_NONE;
    return EVENT_NONE;
}

/* Every event and mask of every ESCR, on the first counter that reaches it. */
UNIT_TEST(netburst_events)
{
    static const char *const profiles[] = { "netburst", "netburst64" };

    for (size_t p = 0; p < COUNT_OF(profiles); p++) {
        struct machine *m = machine_of(profiles[p]);

        for (size_t k = 0; k < COUNT_OF(pairs); k++) {
            const unsigned i = pairs[k].first_counter;

            m->v.event_select[i] = UINT64_C(3) << 16 | UINT64_C(1) << 12 | (uint64_t)pairs[k].select << 13;
            for (unsigned event = 0; event < 0x40; event++) {
                for (unsigned mask = 0; mask < 0x10000; mask += mask < 0x40 ? 1 : mask) {
                    const enum event_kind asked = expected(pairs[k].escr, event, mask, p == 1);
                    const bool cycles = asked == EVENT_CYCLES;
                    const enum event_kind kind = cycles ? EVENT_INSTRUCTIONS : asked;

                    m->v.escr[pairs[k].escr - NETBURST_FIRST_ESCR] = (uint64_t)event << 25 | (uint64_t)mask << 9 | 0xc;
                    netburst_configure(&m->v, i);
                    if (vcpu_counted(&m->v.counters[i]) != kind || m->v.counters[i].active != (kind != EVENT_NONE) ||
                        m->v.counters[i].cycles != cycles)
                        fail_msg("%s: ESCR %x, event %x, mask %x", profiles[p], pairs[k].escr, event, mask);
                }
            }
            m->v.escr[pairs[k].escr - NETBURST_FIRST_ESCR] = 0;
        }
    }
}

/* If one RAT_ESCR tags loads and the other stores, both are counted. */
UNIT_TEST(tags_of_two_escrs)
{
    static const struct {
        unsigned first, second;
        enum event_kind kind;
    } rows[] = {
        { 2, 0, EVENT_LOADS },    { 0, 2, EVENT_LOADS },    { 4, 0, EVENT_STORES },   { 0, 4, EVENT_STORES },
        { 2, 4, EVENT_ACCESSES }, { 4, 2, EVENT_ACCESSES }, { 6, 0, EVENT_ACCESSES }, { 2, 2, EVENT_LOADS },
        { 0, 0, EVENT_NONE },     { 1, 8, EVENT_NONE },
    };
    struct machine *m = machine_of("netburst");

    m->v.event_select[12] = UINT64_C(3) << 16 | UINT64_C(1) << 12 | UINT64_C(5) << 13;
    m->v.escr[CRU_ESCR2 - NETBURST_FIRST_ESCR] = UINT64_C(8) << 25 | 1 << 9 | 0xc; /* front_end_event, NBOGUS */
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        m->v.escr[0x3bc - NETBURST_FIRST_ESCR] = UINT64_C(2) << 25 | (uint64_t)rows[i].first << 9 | 0xc; /* uop_type */
        m->v.escr[0x3bd - NETBURST_FIRST_ESCR] = UINT64_C(2) << 25 | (uint64_t)rows[i].second << 9 | 0xc;
        netburst_configure(&m->v, 12);
        assert_int_equal(vcpu_counted(&m->v.counters[12]), rows[i].kind);
    }
}

/*
 * Two events in a block. The block is watched for the first. The second is the last instruction, which the engine sees
 * when the next block begins, although that has no such event. Also if the first is a load for which a third counter
 * waits: its callback runs before the watched block checks its counts, and arms the counters again.
 */
UNIT_TEST(overflows_in_one_block)
{
    for (unsigned loads = 0; loads < 2; loads++) {
        struct machine *m = machine_of("nehalem");
        struct block *b = block_new(0, 4, END_PLAIN), *next = block_new(16, 2, END_PLAIN);

        b->insns[0].unit = b->insns[3].unit = UNIT_X87;
        b->insns[0].flags = INSN_ACCESS;
        wrmsr(m, GLOBAL_CTRL, 0);
        for (unsigned i = 0; i < 3; i++) {
            WRMSR(m, { PMC0 + i, i == 1 ? UINT32_MAX - 1 : UINT32_MAX },
                  { EVTSEL0 + i, EVTSEL_ON | (i < 2 ? INST_RETIRED_X87 : LOADS_RETIRED) });
        }
        wrmsr(m, GLOBAL_CTRL, loads ? 7 : 3);
        assert_int_equal(engine_due(&m->v, b, false), DUE_WATCH);
        ring_append(&m->v, b);
        code_add_events(&m->v, b);
        if (loads) {
            data_accessed(&m->v, (struct place){ b, 0 }, MEMORY, 4, false);
            assert_true(m->hot.data_pending);
            engine_data_retired(&m->v, (struct place){ b, 1 }, block_address(b, 1), 0);
        }
        for (unsigned i = 1; i < b->count; i++)
            code_watch(&m->v, b, i);
        assert_int_equal(m->v.status, loads ? 5 : 1);
        run(m, next);
        assert_int_equal(m->v.status, loads ? 7 : 3);
    }
}
