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

/* What an event counts at retirement. Workloads cause known numbers of the events before PEBS_ROLE_TRIGGERED, at known
 * places. */
enum pebs_role {
    PEBS_ROLE_INSTRUCTIONS,
    PEBS_ROLE_PREC_DIST, /* instructions; records the instruction that overflows the counter, not a later one */
    PEBS_ROLE_LOADS,
    PEBS_ROLE_STORES,
    PEBS_ROLE_LOCKED_LOADS,
    PEBS_ROLE_SPLIT_LOADS, /* loads across a cache line boundary */
    PEBS_ROLE_SPLIT_STORES,
    PEBS_ROLE_L1_HITS,
    PEBS_ROLE_X87,
    PEBS_ROLE_MMX,
    PEBS_ROLE_BRANCHES,    /* all branches, taken or not */
    PEBS_ROLE_CONDITIONAL, /* taken or not */
    PEBS_ROLE_TAKEN,       /* near taken branches; on Silvermont and Goldmont also far branches */
    PEBS_ROLE_NEAR_CALLS,
    PEBS_ROLE_NEAR_RETURNS,
    PEBS_ROLE_FAR,
    PEBS_ROLE_LOAD_LATENCY,  /* loads chosen by the processor, slower than a threshold */
    PEBS_ROLE_PRECISE_STORE, /* stores, with their data address */
    PEBS_ROLE_L1_MISSES,     /* loads that missed this level and those before it; L3 is the last level */
    PEBS_ROLE_L2_MISSES,
    PEBS_ROLE_L3_MISSES,
    PEBS_ROLE_TLB_MISS_LOADS, /* second-level TLB misses, or page walks */
    PEBS_ROLE_TLB_MISS_STORES,
    PEBS_ROLE_TLB_MISS_ACCESSES, /* TLB misses of loads and stores */
    PEBS_ROLE_TRIGGERED,         /* the number of roles above */

    PEBS_ROLE_MISPREDICTED = PEBS_ROLE_TRIGGERED, /* mispredicted branches of several types */
    PEBS_ROLE_MISPREDICTED_CONDITIONAL,
    PEBS_ROLE_MISPREDICTED_CALLS,
    PEBS_ROLE_MISPREDICTED_RETURNS,
    PEBS_ROLE_L2_HITS, /* loads by the level that had their line */
    PEBS_ROLE_L3_HITS,
    PEBS_ROLE_OTHER_CORE, /* another core was snooped for the line */
    PEBS_ROLE_REMOTE,     /* the line came from another socket */
    PEBS_ROLE_FILL_BUFFER,
    PEBS_ROLE_STORE_UNDER_WAY,
    PEBS_ROLE_TLB_MISS_CODE,
    PEBS_ROLE_UOPS,
    PEBS_ROLE_PACKED_SINGLE, /* arithmetic of SSE and SSE2 */
    PEBS_ROLE_PACKED_DOUBLE,
    PEBS_ROLE_SCALAR_SINGLE,
    PEBS_ROLE_SCALAR_DOUBLE,
    PEBS_ROLE_INTEGER_VECTOR,
    PEBS_ROLE_SSE,       /* any of the SSE events above */
    PEBS_ROLE_SSE_MOVES, /* moves to and from memory, including x87 */
    PEBS_ROLE_ASSIST,
    PEBS_ROLE_FRONTEND,
    PEBS_ROLE_TSX,
    PEBS_ROLE_COUNT
};

/* Groups of events that are measured together: Intel's event names up to the dot, as on Skylake. */
enum pebs_family {
    PEBS_FAMILY_NONE,
    PEBS_FAMILY_INST,
    PEBS_FAMILY_ASSISTS,
    PEBS_FAMILY_BR_INST,
    PEBS_FAMILY_BR_MISP,
    PEBS_FAMILY_FRONTEND,
    PEBS_FAMILY_TSX,
    PEBS_FAMILY_MEM_INST,
    PEBS_FAMILY_MEM_LOAD,
    PEBS_FAMILY_MEM_LOAD_L3,
    PEBS_FAMILY_OLDER /* events of older processors only: arithmetic, split accesses, TLB misses */
};

struct pebs_event {
    const char *name; /* perf's name */
    enum pebs_role role;
    enum pebs_family family;
    uint16_t select;   /* IA32_PERFEVTSELx[15:0]: unit mask and event select; 0 on NetBurst (cpu/netburst_events.h) */
    uint64_t counters; /* mask of the general counters that can sample it */
    bool data_address; /* if the format has a data address, it is this event's */
};

struct pebs_event_list {
    const struct pebs_event *events;
    size_t count;
};

extern const struct pebs_event_list pebs_events_none, pebs_events_netburst, pebs_events_core2, pebs_events_bonnell,
    pebs_events_nehalem_ep, pebs_events_nehalem_ex, pebs_events_westmere, pebs_events_sandy_bridge,
    pebs_events_ivy_bridge, pebs_events_haswell, pebs_events_broadwell, pebs_events_skylake, pebs_events_skylake_server,
    pebs_events_ice_lake, pebs_events_silvermont, pebs_events_knights, pebs_events_goldmont, pebs_events_tremont,
    pebs_events_gracemont, pebs_events_crestmont, pebs_events_darkmont, pebs_events_arctic_wolf, pebs_events_lion_cove,
    pebs_events_cougar_cove, pebs_events_panther_cove;

/* The first event with this role that one of these counters can sample; NULL if there is none. */
const struct pebs_event *pebs_event_of(const struct pebs_event_list *list, enum pebs_role role, uint64_t counters);

/* Why no workload can cause a known number of events with this role, as a sentence; NULL if a workload can. */
const char *pebs_role_untriggered(enum pebs_role role);

#endif
