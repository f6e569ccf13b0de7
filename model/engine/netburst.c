/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NetBurst's counters. An ESCR selects an event and the CPLs. A CCCR selects one of the ESCRs that its counter can
 * reach, and filters. There are 18 counters in four groups; only IQ_COUNTER4 can sample (PEBS). Sources: SDM Vol. 3B
 * (253669-059), "Performance Monitoring (Processors Based on Intel NetBurst Microarchitecture)", its table of counters,
 * CCCRs and ESCRs; "Performance-Monitoring Events", the tables of non-retirement and at-retirement events and of the
 * metrics available for tagging.
 *
 * Micro-operations: every instruction is one, and never bogus. An instruction that loads, stores or does both is one
 * tagged micro-operation; locked accesses, returns and far transfers cannot be tagged (nor can IN and OUT on real
 * processors, but here they can). A tag in use does not change what instr_retired counts.
 *
 * Enabling: the manual calls bit 24 of MSR_PEBS_ENABLE "enable PEBS" where it sets PEBS up, but UOP_TAG where it
 * describes replay tagging and in its table of registers, which names bit 25 ENABLE_PEBS_MY_THR; its table of replay
 * tags sets both. In the model bit 25 enables sampling and bit 24 tags replayed micro-operations.
 *
 * Overflow: an overflow sets CCCR.OVF, and the event after it raises the interrupt that OVF_PMI requests. With PEBS
 * enabled, an overflow does not change OVF, and the event after it writes the record.
 */
#include "model/engine/netburst.h"

#include "model/engine/event_class.h"
#include "model/engine/slots.h"
#include "model/referee/referee_report.h"

/* CCCR */
#define CCCR_SELECT(v)    ((unsigned)((v) >> 13) & 7)
#define CCCR_THREAD(v)    ((unsigned)((v) >> 16) & 3)
#define CCCR_COMPARE      (UINT64_C(1) << 18)
#define CCCR_COMPLEMENT   (UINT64_C(1) << 19)
#define CCCR_THRESHOLD(v) ((unsigned)((v) >> 20) & 0xf)
#define CCCR_EDGE         (UINT64_C(1) << 24)
#define CCCR_FORCE_OVF    (UINT64_C(1) << 25)
#define CCCR_OVF_PMI      (UINT64_C(1) << 26) /* for logical processor 0 */
#define THREAD_SINGLE     1                   /* count while only one of two logical processors is active */
#define THREAD_ANY        3

/* ESCR */
#define ESCR_USR      (UINT64_C(1) << 2) /* for logical processor 0 */
#define ESCR_OS       (UINT64_C(1) << 3)
#define ESCR_RINGS    (ESCR_USR | ESCR_OS)
#define ESCR_TAG      (UINT64_C(1) << 4)
#define ESCR_TAGS(v)  ((unsigned)((v) >> 5) & 0xf)
#define ESCR_MASK(v)  ((unsigned)((v) >> 9) & 0xffff)
#define ESCR_EVENT(v) ((unsigned)((v) >> 25) & 0x3f)

/* MSR_PEBS_ENABLE */
#define PEBS_METRICS (UINT64_C(0x1ffff))

#define RDPMC_FAST (UINT32_C(1) << 31) /* the low 32 bits */

/* Register addresses. Of a pair this is the first, which belongs to counters 0 1, 4 5, 8 9 and 12 13 16. */
enum {
    BSU_ESCR = 0x3a0,
    FSB_ESCR = 0x3a2,
    FIRM_ESCR = 0x3a4,
    FLAME_ESCR = 0x3a6,
    DAC_ESCR = 0x3a8,
    MOB_ESCR = 0x3aa,
    PMH_ESCR = 0x3ac,
    SAAT_ESCR = 0x3ae,
    U2L_ESCR = 0x3b0,
    BPU_ESCR = 0x3b2,
    IS_ESCR = 0x3b4,
    ITLB_ESCR = 0x3b6,
    CRU_ESCR0 = 0x3b8,
    IQ_ESCR = 0x3ba,
    RAT_ESCR = 0x3bc,
    SSU_ESCR = 0x3be, /* not a pair */
    MS_ESCR = 0x3c0,
    TBPU_ESCR = 0x3c2,
    TC_ESCR = 0x3c4,
    IX_ESCR = 0x3c8,
    ALF_ESCR = 0x3ca,
    CRU_ESCR2 = 0x3cc,
    CRU_ESCR4 = 0x3e0,
};

/* Indexed by group (BPU, MS, FLAME, IQ) and by CCCR's select field. */
static const uint16_t escrs[4][8] = {
    { BPU_ESCR, IS_ESCR, MOB_ESCR, ITLB_ESCR, PMH_ESCR, IX_ESCR, FSB_ESCR, BSU_ESCR },
    { MS_ESCR, TC_ESCR, TBPU_ESCR },
    { FLAME_ESCR, FIRM_ESCR, SAAT_ESCR, U2L_ESCR, 0, DAC_ESCR },
    { IQ_ESCR, ALF_ESCR, RAT_ESCR, SSU_ESCR, CRU_ESCR0, CRU_ESCR2, CRU_ESCR4 },
};

/* Events without tags. Mask bits that request bogus micro-operations are removed before the comparison. */
static const struct {
    uint16_t escr;
    uint8_t event;
    uint16_t bogus, mask;
    uint8_t kind;
} events[] = {
    { FSB_ESCR, 0x13, 0, 0x01, EVENT_CYCLES },           /* global_power_events: one cycle per instruction */
    { CRU_ESCR0, 0x02, 0x0c, 0x01, EVENT_INSTRUCTIONS }, /* instr_retired: tagged or not tagged */
    { CRU_ESCR0, 0x02, 0x0c, 0x03, EVENT_INSTRUCTIONS },
    { CRU_ESCR0, 0x01, 0x02, 0x01, EVENT_INSTRUCTIONS }, /* uops_retired */
    { CRU_ESCR0, 0x07, 0x02, 0x01, EVENT_INSTRUCTIONS }, /* instr_completed */
    { CRU_ESCR0, 0x03, 0, 0x01, EVENT_MISPREDICTED },    /* mispred_branch_retired */
    { TBPU_ESCR, 0x04, 0, 0x02, EVENT_CONDITIONAL },     /* retired_branch_type */
    { TBPU_ESCR, 0x04, 0, 0x04, EVENT_NEAR_CALLS },
    { TBPU_ESCR, 0x04, 0, 0x08, EVENT_NEAR_RETURNS },
    { TBPU_ESCR, 0x04, 0, 0x10, EVENT_INDIRECT_BRANCHES },
    { TBPU_ESCR, 0x04, 0, 0x1e, EVENT_TYPED_BRANCHES },
    { TBPU_ESCR, 0x05, 0, 0x02, EVENT_MISPREDICTED_CONDITIONAL }, /* retired_mispred_branch_type */
    { TBPU_ESCR, 0x05, 0, 0x04, EVENT_MISPREDICTED_CALLS },
};

#define BRANCH_RETIRED     0x06
#define INSTR_COMPLETED    0x07
#define FRONT_END_EVENT    0x08
#define REPLAY_EVENT       0x09
#define EXECUTION_EVENT    0x0c
#define UOP_TYPE           0x02
#define UOP_TYPE_TAGLOADS  0x02
#define UOP_TYPE_TAGSTORES 0x04
#define LOAD_PORT_REPLAY   0x04
#define STORE_PORT_REPLAY  0x05
#define SPLIT              0x02
#define NBOGUS             0x01

/* The units that FIRM_ESCR0 and 1 can tag for execution_event. */
static const struct {
    uint8_t event, kind;
} unit_events[] = {
    { 0x02, EVENT_MMX_64 },    { 0x04, EVENT_X87 },       { 0x08, EVENT_PACKED_SP }, { 0x0a, EVENT_SCALAR_SP },
    { 0x0c, EVENT_PACKED_DP }, { 0x0e, EVENT_SCALAR_DP }, { 0x1a, EVENT_MMX_128 },
};
#define UNIT_EVENT_ALL 0x8000

/*
 * Replay tags: bits of MSR_PEBS_ENABLE and of MSR_PEBS_MATRIX_VERT, and the ESCR, if any, that must select the replay.
 */
static const struct {
    uint32_t metric;
    uint16_t vertical, escr;
    uint8_t event, kind;
} replays[] = {
    { 1u << 0, 1, 0, 0, EVENT_L1_MISSES },
    { 1u << 1, 1, 0, 0, EVENT_L2_MISSES },
    { 1u << 2, 1, 0, 0, EVENT_STLB_MISS_LOADS },
    { 1u << 2, 2, 0, 0, EVENT_STLB_MISS_STORES },
    { 1u << 2, 3, 0, 0, EVENT_STLB_MISSES },
    { 3u << 15, 1 << 4, 0, 0, EVENT_MISPREDICTED_TAGGABLE },
    { 1u << 10, 1, SAAT_ESCR + 1, LOAD_PORT_REPLAY, EVENT_SPLIT_LOADS },
    { 1u << 10, 2, SAAT_ESCR, STORE_PORT_REPLAY, EVENT_SPLIT_STORES },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t escr(const struct vcpu *v, unsigned address)
{
    return v->escr[address - NETBURST_FIRST_ESCR];
}

/* Whether counter i uses the second ESCR of a pair. */
static bool second(unsigned i)
{
    return i == 17 || (i < 16 && i % 4 >= 2);
}

/* The ESCR that counter i's CCCR selects, as the first address of its pair; 0: none. */
static unsigned selected(const struct vcpu *v, unsigned i)
{
    unsigned pair = escrs[i < 12 ? i / 4 : 3][CCCR_SELECT(v->event_select[i])];

    return pair == SSU_ESCR && second(i) ? 0 : pair;
}

/*
 * Loads and stores that uop_type tags, as front_end_event counts them. Removes from *rings the rings without tagging.
 */
static enum event_kind front_end(const struct vcpu *v, uint64_t *rings)
{
    unsigned mask = 0;
    uint64_t tagged = 0;

    for (unsigned address = RAT_ESCR; address <= RAT_ESCR + 1; address++) {
        uint64_t tag = escr(v, address);

        if (ESCR_EVENT(tag) == UOP_TYPE) {
            mask |= ESCR_MASK(tag) & (UOP_TYPE_TAGLOADS | UOP_TYPE_TAGSTORES);
            tagged |= tag;
        }
    }
    *rings &= tagged;
    switch (mask) {
    case UOP_TYPE_TAGLOADS:
        return EVENT_LOADS;
    case UOP_TYPE_TAGSTORES:
        return EVENT_STORES;
    default:
        return mask == 0 ? EVENT_NONE : EVENT_ACCESSES;
    }
}

/* Micro-operations that the first FIRM_ESCR with one of these tag values tags, as execution_event counts them. */
static enum event_kind execution(const struct vcpu *v, unsigned tags, uint64_t *rings)
{
    for (unsigned address = FIRM_ESCR; address <= FIRM_ESCR + 1; address++) {
        uint64_t tag = escr(v, address);

        for (unsigned i = 0; i < COUNT(unit_events); i++) {
            if ((tag & ESCR_TAG) && (ESCR_TAGS(tag) & tags) && ESCR_EVENT(tag) == unit_events[i].event &&
                (ESCR_MASK(tag) & UNIT_EVENT_ALL)) {
                *rings &= tag;
                return (enum event_kind)unit_events[i].kind;
            }
        }
    }
    return EVENT_NONE;
}

static enum event_kind replay(const struct vcpu *v)
{
    uint64_t enable = v->regs[REG_IA32_PEBS_ENABLE];

    for (unsigned i = 0; (enable & NETBURST_UOP_TAG) && i < COUNT(replays); i++) {
        if ((enable & PEBS_METRICS) != replays[i].metric || v->regs[REG_MSR_PEBS_MATRIX_VERT] != replays[i].vertical)
            continue;
        uint64_t tag = replays[i].escr == 0 ? 0 : escr(v, replays[i].escr);

        if (replays[i].escr == 0 || (ESCR_EVENT(tag) == replays[i].event && (ESCR_MASK(tag) & SPLIT)))
            return (enum event_kind)replays[i].kind;
    }
    return EVENT_NONE;
}

static bool at_retirement(unsigned pair, unsigned event)
{
    return pair == CRU_ESCR2 && (event == FRONT_END_EVENT || event == REPLAY_EVENT || event == EXECUTION_EVENT);
}

/* The event and the rings that an ESCR counts. pair: the address of the first ESCR of its pair. */
static enum event_kind kind_of(const struct vcpu *v, unsigned pair, uint64_t value, uint64_t *rings)
{
    unsigned event = ESCR_EVENT(value);
    unsigned mask = ESCR_MASK(value);

    *rings = value & ESCR_RINGS;
    if (at_retirement(pair, event)) {
        if (event == EXECUTION_EVENT)
            return execution(v, mask & 0xf, rings);
        return !(mask & NBOGUS) ? EVENT_NONE : event == FRONT_END_EVENT ? front_end(v, rings) : replay(v);
    }
    if (pair == CRU_ESCR2 && event == BRANCH_RETIRED && (mask & 0xf))
        return (enum event_kind)(EVENT_BRANCH_SETS + (mask & 0xf));
    if (event == INSTR_COMPLETED && v->profile->netburst == NETBURST_SINGLE_THREADED)
        return EVENT_NONE;
    for (unsigned i = 0; i < COUNT(events); i++)
        if (events[i].escr == pair && events[i].event == event && events[i].mask == (mask & ~events[i].bogus))
            return (enum event_kind)events[i].kind;
    return EVENT_NONE;
}

/*
 * CCCR's filter compares the number of events in a cycle, which is at most one. Edges and cycles without an event are
 * not modelled: a counter of these does not count.
 */
static enum event_kind filtered(enum event_kind kind, uint64_t cccr)
{
    const bool compare = cccr & CCCR_COMPARE;

    return compare && ((cccr & (CCCR_EDGE | CCCR_COMPLEMENT)) || CCCR_THRESHOLD(cccr) > 0) ? EVENT_NONE : kind;
}

/*
 * "At most n events" is true for every cycle, whatever the ESCR selects, and at every CPL. SDM Vol. 3B (253669-059),
 * "Non-Sleep Clockticks", uses it with a threshold of 15. So does Linux next to its NMI watchdog; it then leaves the
 * CCCR's select field 0, without setting up that ESCR (p4_get_alias_event).
 */
static bool every_cycle(uint64_t cccr)
{
    return (cccr & CCCR_COMPARE) && (cccr & CCCR_COMPLEMENT) && !(cccr & CCCR_EDGE) && CCCR_THRESHOLD(cccr) > 0;
}

void netburst_configure(struct vcpu *v, unsigned i)
{
    struct counter *c = &v->counters[i];
    uint64_t cccr = v->event_select[i];
    unsigned pair = selected(v, i);
    unsigned thread = CCCR_THREAD(cccr);
    uint64_t value = pair == 0 ? 0 : escr(v, pair + second(i));
    uint64_t rings = 0;
    enum event_kind kind = pair == 0 ? EVENT_NONE : filtered(kind_of(v, pair, value, &rings), cccr);

    if (every_cycle(cccr)) {
        kind = EVENT_CYCLES;
        rings = ESCR_RINGS;
    }
    kind = slots_kind(v, c, kind);
    c->event_class = event_class(kind, rings == ESCR_RINGS ? ANY_RING : rings == ESCR_OS ? RING_0 : OTHER_RINGS);
    c->forced = cccr & CCCR_FORCE_OVF;
    c->pmi_after = cccr & CCCR_OVF_PMI;
    c->pebs = v->pebs.enabled >> i & 1 && at_retirement(pair, ESCR_EVENT(value));
    c->active =
        kind != EVENT_NONE && rings != 0 && (cccr & CCCR_ENABLE) && (thread == THREAD_SINGLE || thread == THREAD_ANY);
}

void netburst_overflow(struct vcpu *v, unsigned i)
{
    v->event_select[i] |= CCCR_OVF;
    v->counters[i].state = v->counters[i].pmi_after ? COUNTER_ARMED : COUNTER_COUNTS;
}

uint64_t netburst_pebs_enabled(const struct vcpu *v)
{
    return v->regs[REG_IA32_PEBS_ENABLE] & NETBURST_MY_THR ? UINT64_C(1) << NETBURST_PEBS_COUNTER : 0;
}

uint64_t netburst_overflows(const struct vcpu *v)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < v->profile->general_counters; i++)
        mask |= v->event_select[i] & CCCR_OVF ? UINT64_C(1) << i : 0;
    return mask;
}

enum msr_answer netburst_rdpmc(const struct vcpu *v, uint32_t index, uint64_t *value)
{
    unsigned i = index & ~RDPMC_FAST;

    if (i >= v->profile->general_counters)
        return MSR_GP;
    *value = v->counters[i].value & (index & RDPMC_FAST ? UINT32_MAX : vcpu_width_mask(v));
    return MSR_DONE;
}

void netburst_referee(struct vcpu *v, uint64_t ip)
{
    uint64_t enable = v->regs[REG_IA32_PEBS_ENABLE];
    uint64_t cccr = v->event_select[NETBURST_PEBS_COUNTER];
    unsigned pair = selected(v, NETBURST_PEBS_COUNTER);
    unsigned event = pair == 0 ? 0 : ESCR_EVENT(escr(v, pair));
    bool precise = at_retirement(pair, event);

    for (unsigned i = 0; i < v->profile->general_counters; i++)
        if ((v->event_select[i] & CCCR_ENABLE) && CCCR_THREAD(v->event_select[i]) != THREAD_ANY &&
            v->profile->netburst == NETBURST_SINGLE_THREADED)
            referee_report_select(v, CCCR_THREAD_FIELD, ip, i);
    if (!(cccr & CCCR_ENABLE))
        return;
    if (!(enable & NETBURST_MY_THR)) {
        if ((enable & NETBURST_UOP_TAG) && precise && event != REPLAY_EVENT) /* legal: counts replays */
            referee_report(v, PEBS_ONLY_TAGS, ip, enable, "MSR_PEBS_ENABLE");
    } else if (!precise) {
        referee_report_select(v, PEBS_EVENT, ip, NETBURST_PEBS_COUNTER);
    } else if (vcpu_counted(&v->counters[NETBURST_PEBS_COUNTER]) == EVENT_NONE) {
        referee_report_select(v, PEBS_NO_TAG, ip, NETBURST_PEBS_COUNTER);
    }
}
