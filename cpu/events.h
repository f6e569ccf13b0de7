/* SPDX-License-Identifier: MIT */
/*
 * The precise events of each core, by what they count. Pure data.
 * Codes: SDM Vol. 3B (253669), "PEBS Performance Events" tables of each microarchitecture, and Intel's event files,
 * whose names are perf's.
 */
#ifndef CPU_EVENTS_H
#define CPU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event counts at retirement. The first block can be brought about in a known number at known places. */
enum pebs_role {
    PEBS_ROLE_INSTRUCTIONS,
    PEBS_ROLE_PREC_DIST, /* instructions; the one that overflows the counter is the one recorded, not one after it */
    PEBS_ROLE_LOADS,
    PEBS_ROLE_STORES,
    PEBS_ROLE_LOCKED_LOADS,
    PEBS_ROLE_SPLIT_LOADS, /* over the end of a cache line */
    PEBS_ROLE_SPLIT_STORES,
    PEBS_ROLE_L1_HITS,
    PEBS_ROLE_X87,
    PEBS_ROLE_MMX,
    PEBS_ROLE_BRANCHES,    /* all, taken or not */
    PEBS_ROLE_CONDITIONAL, /* taken or not */
    PEBS_ROLE_TAKEN,       /* near ones */
    PEBS_ROLE_NEAR_CALLS,
    PEBS_ROLE_NEAR_RETURNS,
    PEBS_ROLE_FAR,
    PEBS_ROLE_LOAD_LATENCY,  /* loads that the processor picks, longer than a threshold */
    PEBS_ROLE_PRECISE_STORE, /* stores, with their address */
    PEBS_ROLE_TRIGGERED,     /* how many roles there are so far */

    PEBS_ROLE_MISPREDICTED = PEBS_ROLE_TRIGGERED,
    PEBS_ROLE_CACHE,    /* a level of the hierarchy beyond the first */
    PEBS_ROLE_TLB_MISS, /* of the second level, or a page walk */
    PEBS_ROLE_UOPS,
    PEBS_ROLE_SSE, /* SSE */
    PEBS_ROLE_ASSIST,
    PEBS_ROLE_FRONTEND,
    PEBS_ROLE_TSX,
    PEBS_ROLE_COUNT
};

struct pebs_event {
    const char *name; /* perf's */
    enum pebs_role role;
    uint16_t select;   /* IA32_PERFEVTSELx[15:0]: unit mask and event select; 0 on NetBurst (cpu/netburst_events.h) */
    uint64_t counters; /* mask of the general counters that can sample it */
    bool data_address; /* the record's data address is of this event, where the format has one */
};

struct pebs_event_list {
    const struct pebs_event *events;
    size_t count;
};

extern const struct pebs_event_list pebs_events_none, pebs_events_netburst, pebs_events_core2, pebs_events_bonnell,
    pebs_events_nehalem, pebs_events_westmere, pebs_events_sandy_bridge, pebs_events_haswell, pebs_events_skylake,
    pebs_events_ice_lake;

/* The first event of this role that one of these counters can sample; NULL where there is none. */
const struct pebs_event *pebs_event_of(const struct pebs_event_list *list, enum pebs_role role, uint64_t counters);

/* "a misprediction is up to the predictor": why a role cannot be brought about; NULL where it can. */
const char *pebs_role_untriggered(enum pebs_role role);

#endif
