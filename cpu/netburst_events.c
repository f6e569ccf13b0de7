/* SPDX-License-Identifier: MIT */
#include "cpu/netburst_events.h"

#include "lib/text.h"
#include "cpu/msr_index.h"

#define LOADS  0x1u /* bit of MSR_PEBS_MATRIX_VERT */
#define STORES 0x2u

#define ALL (1u << 15) /* the only event mask bit of the execution unit's events */

const struct netburst_event netburst_events[] = {
    /* table 19-31, front-end tagging: event uop_type */
    { "memory_loads", NETBURST_FRONT_END, MSR_RAT_ESCR0, 0x02, 1u << 1, 0, 0 },
    { "memory_stores", NETBURST_FRONT_END, MSR_RAT_ESCR0, 0x02, 1u << 2, 0, 0 },

    /* table 19-32, execution tagging */
    { "packed_SP_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x08, ALL, 0, 0 },
    { "packed_DP_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x0c, ALL, 0, 0 },
    { "scalar_SP_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x0a, ALL, 0, 0 },
    { "scalar_DP_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x0e, ALL, 0, 0 },
    { "128_bit_MMX_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x1a, ALL, 0, 0 },
    { "64_bit_MMX_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x02, ALL, 0, 0 },
    { "X87_FP_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x04, ALL, 0, 0 },
    { "X87_SIMD_memory_moves_retired", NETBURST_EXECUTION, MSR_FIRM_ESCR0, 0x2e, 1u << 3 | 1u << 4, 0, 0 },

    /* table 19-33, replay tagging; the last three need an ESCR as well */
    { "1stL_cache_load_miss_retired", NETBURST_REPLAY, .metric = 1u << 0, .matrix = LOADS },
    { "2ndL_cache_load_miss_retired", NETBURST_REPLAY, .metric = 1u << 1, .matrix = LOADS },
    { "DTLB_load_miss_retired", NETBURST_REPLAY, .metric = 1u << 2, .matrix = LOADS },
    { "DTLB_store_miss_retired", NETBURST_REPLAY, .metric = 1u << 2, .matrix = STORES },
    { "DTLB_all_miss_retired", NETBURST_REPLAY, .metric = 1u << 2, .matrix = LOADS | STORES },
    { "Tagged_mispred_branch", NETBURST_REPLAY, .metric = 1u << 15 | 1u << 16, .matrix = 1u << 4 },
    { "MOB_load_replay_retired", NETBURST_REPLAY, MSR_MOB_ESCR0, 0x03, 1u << 4 | 1u << 5, 1u << 9, LOADS },
    { "split_load_retired", NETBURST_REPLAY, MSR_SAAT_ESCR1, 0x04, 1u << 1, 1u << 10, LOADS },
    { "split_store_retired", NETBURST_REPLAY, MSR_SAAT_ESCR0, 0x05, 1u << 1, 1u << 10, STORES },
};
const size_t netburst_event_count = sizeof netburst_events / sizeof netburst_events[0];

/* Events of MSR_CRU_ESCR2 that count tagged uops at retirement (table 19-29). Mask bit 0 means "not bogus". */
static const struct {
    const char *name;
    uint8_t event;
} kinds[] = {
    [NETBURST_FRONT_END] = { "front_end_event", 0x08 },
    [NETBURST_EXECUTION] = { "execution_event", 0x0c },
    [NETBURST_REPLAY] = { "replay_event", 0x09 },
};

#define NBOGUS     1u
#define TAG_VALUE  1u /* the execution tag in use, whose uops NBOGUS0 counts (bit 0, as NBOGUS) */
#define CRU_SELECT 5u /* the CCCR's ESCR select for MSR_CRU_ESCR2 */

const struct netburst_event *netburst_event_find(const char *name)
{
    for (size_t i = 0; i < netburst_event_count; i++)
        if (text_compare(netburst_events[i].name, name) == 0)
            return &netburst_events[i];
    return NULL;
}

const char *netburst_kind_text(enum netburst_kind kind)
{
    return kinds[kind].name;
}

uint64_t netburst_cccr(bool counting)
{
    /*
     * Without Hyper-Threading bits 17:16 are reserved and must be 11b; with it 11b counts whichever threads are active.
     * OVF_PMI stays clear, although table 18-11 ("Requirements to Program PEBS") asks for it: it would interrupt at
     * every overflow, that is at every record. The DS area's threshold raises the PEBS interrupt. (Perfmon2 did the
     * same on real Pentium 4, to avoid "a spurious interrupt for every counter overflow".)
     */
    return CCCR_ACTIVE_ANY | CCCR_SELECT(CRU_SELECT) | (counting ? CCCR_ENABLE : 0);
}

/*
 * The manual contradicts itself over MSR_PEBS_ENABLE. "Detection of the Availability of the PEBS Facilities" and
 * "Setting Up the PEBS Buffer" (18.18.8.1 and .3 of the print of 2008) call bit 24 the one that enables PEBS; the
 * register's table has UOP_TAG there, for replay tagging, and ENABLE_PEBS_MY_THR at bit 25, and so have the tables of
 * metrics and Linux. This code's reading: bit 25 enables sampling, bit 24 replay tagging, sampled or only counted.
 */
static uint64_t pebs_enable(const struct netburst_setup *setup)
{
    return setup->event->metric | (setup->event->kind == NETBURST_REPLAY ? PEBS_ENABLE_UOP_TAG : 0) |
           (setup->sample ? PEBS_ENABLE_MY_THR : 0);
}

size_t netburst_writes(const struct netburst_setup *setup, struct netburst_write writes[NETBURST_WRITES])
{
    const struct netburst_event *event = setup->event;
    /* Thread 0's flags, because the kernel runs on the processor that the machine booted on. */
    const uint64_t rings = (setup->os ? ESCR_T0_OS : 0) | (setup->usr ? ESCR_T0_USR : 0);
    const uint64_t tag = event->kind == NETBURST_EXECUTION ? ESCR_TAG_ENABLE | ESCR_TAG_VALUE(TAG_VALUE) : 0;
    const uint64_t start = (0 - setup->period) & NETBURST_COUNTER_MASK;
    size_t n = 0;

    /* "Counters MUST be stopped before writing" (table 18-11). */
    writes[n++] = (struct netburst_write){ MSR_IQ_CCCR4, netburst_cccr(false) };
    writes[n++] = (struct netburst_write){ MSR_PEBS_ENABLE, 0 };
    writes[n++] = (struct netburst_write){ MSR_PEBS_MATRIX_VERT, event->matrix };
    if (event->escr)
        writes[n++] =
            (struct netburst_write){ event->escr, ESCR_EVENT(event->event) | ESCR_MASK(event->mask) | tag | rings };
    writes[n++] =
        (struct netburst_write){ MSR_CRU_ESCR2, ESCR_EVENT(kinds[event->kind].event) | ESCR_MASK(NBOGUS) | rings };
    /* Erratum N15 (249199-029): the first write may be lost, so the counter is written twice. */
    writes[n++] = (struct netburst_write){ MSR_IQ_COUNTER4, start };
    writes[n++] = (struct netburst_write){ MSR_IQ_COUNTER4, start };
    writes[n++] = (struct netburst_write){ MSR_PEBS_ENABLE, pebs_enable(setup) };
    return n;
}
