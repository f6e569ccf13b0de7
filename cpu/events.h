/* SPDX-License-Identifier: MIT */
/*
 * The precise events of each core, by what they count. Pure data.
 * Codes: SDM Vol. 3B (253669-081), "PEBS Performance Events" tables of each microarchitecture, and Intel's event files,
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

    PEBS_ROLE_MISPREDICTED = PEBS_ROLE_TRIGGERED, /* branches of several kinds */
    PEBS_ROLE_MISPREDICTED_CONDITIONAL,
    PEBS_ROLE_MISPREDICTED_CALLS,
    PEBS_ROLE_MISPREDICTED_RETURNS,
    PEBS_ROLE_L1_MISSES, /* loads by where their line was, or was not; the third level is the last */
    PEBS_ROLE_L2_HITS,
    PEBS_ROLE_L2_MISSES,
    PEBS_ROLE_L3_HITS,
    PEBS_ROLE_L3_MISSES,
    PEBS_ROLE_OTHER_CORE, /* another core was asked for it */
    PEBS_ROLE_REMOTE,     /* behind another socket */
    PEBS_ROLE_FILL_BUFFER,
    PEBS_ROLE_STORE_UNDER_WAY,
    PEBS_ROLE_TLB_MISS_LOADS, /* of the second level, or a page walk */
    PEBS_ROLE_TLB_MISS_STORES,
    PEBS_ROLE_TLB_MISS_ACCESSES, /* loads and stores */
    PEBS_ROLE_TLB_MISS_CODE,
    PEBS_ROLE_UOPS,
    PEBS_ROLE_PACKED_SINGLE, /* arithmetic of SSE and SSE2 */
    PEBS_ROLE_PACKED_DOUBLE,
    PEBS_ROLE_SCALAR_SINGLE,
    PEBS_ROLE_SCALAR_DOUBLE,
    PEBS_ROLE_INTEGER_VECTOR,
    PEBS_ROLE_SSE,       /* any of these */
    PEBS_ROLE_SSE_MOVES, /* to and from memory, those of x87 too */
    PEBS_ROLE_ASSIST,
    PEBS_ROLE_FRONTEND,
    PEBS_ROLE_TSX,
    PEBS_ROLE_COUNT
};

/* Events that are looked at together: Intel's names up to the dot, as Skylake has them, and what other cores call so.
 */
enum pebs_family {
    PEBS_FAMILY_NONE,
    PEBS_FAMILY_INST_RETIRED,
    PEBS_FAMILY_ASSISTS,
    PEBS_FAMILY_BR_INST_RETIRED,
    PEBS_FAMILY_BR_MISP_RETIRED,
    PEBS_FAMILY_FRONTEND_RETIRED,
    PEBS_FAMILY_TSX_RETIRED,
    PEBS_FAMILY_MEM_INST_RETIRED,
    PEBS_FAMILY_MEM_LOAD_RETIRED,
    PEBS_FAMILY_MEM_LOAD_L3_RETIRED,
    PEBS_FAMILY_OLDER /* what older processors have by itself: arithmetic, split accesses, TLB misses */
};

struct pebs_event {
    const char *name; /* perf's */
    enum pebs_role role;
    enum pebs_family family;
    uint16_t select;   /* IA32_PERFEVTSELx[15:0]: unit mask and event select; 0 on NetBurst (cpu/netburst_events.h) */
    uint64_t counters; /* mask of the general counters that can sample it */
    bool data_address; /* the record's data address is of this event, where the format has one */
};

struct pebs_event_list {
    const struct pebs_event *events;
    size_t count;
};

extern const struct pebs_event_list pebs_events_none, pebs_events_netburst, pebs_events_core2, pebs_events_bonnell,
    pebs_events_nehalem, pebs_events_westmere, pebs_events_sandy_bridge, pebs_events_haswell, pebs_events_broadwell,
    pebs_events_skylake, pebs_events_ice_lake;

/* The first event of this role that one of these counters can sample; NULL where there is none. */
const struct pebs_event *pebs_event_of(const struct pebs_event_list *list, enum pebs_role role, uint64_t counters);

/* "a misprediction is up to the predictor": why a role cannot be brought about; NULL where it can. */
const char *pebs_role_untriggered(enum pebs_role role);

#endif
