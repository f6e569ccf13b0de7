/* SPDX-License-Identifier: MIT */
#include "cpu/events.h"

#define ANY   0xffu /* all that the core has; struct core's pebs_counters take the rest away */
#define PMC_0 0x01u
#define PMC_1 0x02u
#define PMC_3 0x08u

/* On MSR_IQ_COUNTER4, which is counter 0 here; what is programmed for each: cpu/netburst_events.c. */
static const struct pebs_event netburst[] = {
    { "memory_loads", PEBS_ROLE_LOADS, 0, PMC_0, false },
    { "memory_stores", PEBS_ROLE_STORES, 0, PMC_0, false },
    { "packed_SP_retired", PEBS_ROLE_SSE, 0, PMC_0, false },
    { "packed_DP_retired", PEBS_ROLE_SSE, 0, PMC_0, false },
    { "scalar_SP_retired", PEBS_ROLE_SSE, 0, PMC_0, false },
    { "scalar_DP_retired", PEBS_ROLE_SSE, 0, PMC_0, false },
    { "128_bit_MMX_retired", PEBS_ROLE_SSE, 0, PMC_0, false },
    { "64_bit_MMX_retired", PEBS_ROLE_MMX, 0, PMC_0, false },
    { "X87_FP_retired", PEBS_ROLE_X87, 0, PMC_0, false },
    { "X87_SIMD_memory_moves_retired", PEBS_ROLE_SSE, 0, PMC_0, false },
    { "1stL_cache_load_miss_retired", PEBS_ROLE_CACHE, 0, PMC_0, false },
    { "2ndL_cache_load_miss_retired", PEBS_ROLE_CACHE, 0, PMC_0, false },
    { "DTLB_load_miss_retired", PEBS_ROLE_TLB_MISS, 0, PMC_0, false },
    { "DTLB_store_miss_retired", PEBS_ROLE_TLB_MISS, 0, PMC_0, false },
    { "DTLB_all_miss_retired", PEBS_ROLE_TLB_MISS, 0, PMC_0, false },
    { "Tagged_mispred_branch", PEBS_ROLE_MISPREDICTED, 0, PMC_0, false },
    { "MOB_load_replay_retired", PEBS_ROLE_CACHE, 0, PMC_0, false },
    { "split_load_retired", PEBS_ROLE_SPLIT_LOADS, 0, PMC_0, false },
    { "split_store_retired", PEBS_ROLE_SPLIT_STORES, 0, PMC_0, false },
};

static const struct pebs_event core2[] = {
    { "INST_RETIRED.ANY_P", PEBS_ROLE_INSTRUCTIONS, 0x00c0, PMC_0, false },
    { "X87_OPS_RETIRED.ANY", PEBS_ROLE_X87, 0xfec1, PMC_0, false },
    { "BR_INST_RETIRED.MISPRED", PEBS_ROLE_MISPREDICTED, 0x00c5, PMC_0, false },
    { "SIMD_INST_RETIRED.ANY", PEBS_ROLE_SSE, 0x1fc7, PMC_0, false },
    { "MEM_LOAD_RETIRED.L1D_MISS", PEBS_ROLE_CACHE, 0x01cb, PMC_0, false },
    { "MEM_LOAD_RETIRED.L1D_LINE_MISS", PEBS_ROLE_CACHE, 0x02cb, PMC_0, false },
    { "MEM_LOAD_RETIRED.L2_MISS", PEBS_ROLE_CACHE, 0x04cb, PMC_0, false },
    { "MEM_LOAD_RETIRED.L2_LINE_MISS", PEBS_ROLE_CACHE, 0x08cb, PMC_0, false },
    { "MEM_LOAD_RETIRED.DTLB_MISS", PEBS_ROLE_TLB_MISS, 0x10cb, PMC_0, false },
};

static const struct pebs_event bonnell[] = {
    { "INST_RETIRED.ANY_P", PEBS_ROLE_INSTRUCTIONS, 0x00c0, PMC_0, false },
    { "BR_INST_RETIRED.MISPRED", PEBS_ROLE_MISPREDICTED, 0x00c5, PMC_0, false },
    { "MEM_LOAD_RETIRED.L2_HIT", PEBS_ROLE_CACHE, 0x01cb, PMC_0, false },
    { "MEM_LOAD_RETIRED.L2_MISS", PEBS_ROLE_CACHE, 0x02cb, PMC_0, false },
    { "MEM_LOAD_RETIRED.DTLB_MISS", PEBS_ROLE_TLB_MISS, 0x04cb, PMC_0, false },
};

/* Of these, only the load latency event fills the record's data address (SDM, "Load Latency ... in Nehalem"). */
static const struct pebs_event nehalem[] = {
    { "INST_RETIRED.ANY_P", PEBS_ROLE_INSTRUCTIONS, 0x01c0, ANY, false },
    { "INST_RETIRED.X87", PEBS_ROLE_X87, 0x02c0, ANY, false },
    { "INST_RETIRED.MMX", PEBS_ROLE_MMX, 0x04c0, ANY, false },
    { "MEM_INST_RETIRED.LOADS", PEBS_ROLE_LOADS, 0x010b, ANY, false },
    { "MEM_INST_RETIRED.STORES", PEBS_ROLE_STORES, 0x020b, ANY, false },
    { "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD", PEBS_ROLE_LOAD_LATENCY, 0x100b, ANY, true },
    { "MEM_STORE_RETIRED.DTLB_MISS", PEBS_ROLE_TLB_MISS, 0x010c, ANY, false },
    { "MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM", PEBS_ROLE_CACHE, 0x020f, ANY, false },
    { "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT", PEBS_ROLE_CACHE, 0x080f, ANY, false },
    { "MEM_UNCORE_RETIRED.REMOTE_DRAM", PEBS_ROLE_CACHE, 0x100f, ANY, false },
    { "MEM_UNCORE_RETIRED.LOCAL_DRAM", PEBS_ROLE_CACHE, 0x200f, ANY, false },
    { "UOPS_RETIRED.ANY", PEBS_ROLE_UOPS, 0x01c2, ANY, false },
    { "UOPS_RETIRED.RETIRE_SLOTS", PEBS_ROLE_UOPS, 0x02c2, ANY, false },
    { "UOPS_RETIRED.MACRO_FUSED", PEBS_ROLE_UOPS, 0x04c2, ANY, false },
    { "BR_INST_RETIRED.CONDITIONAL", PEBS_ROLE_CONDITIONAL, 0x01c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_CALL", PEBS_ROLE_NEAR_CALLS, 0x02c4, ANY, false },
    { "BR_INST_RETIRED.ALL_BRANCHES", PEBS_ROLE_BRANCHES, 0x04c4, ANY, false },
    { "BR_MISP_RETIRED.NEAR_CALL", PEBS_ROLE_MISPREDICTED, 0x02c5, ANY, false },
    { "SSEX_UOPS_RETIRED.PACKED_SINGLE", PEBS_ROLE_SSE, 0x01c7, ANY, false },
    { "SSEX_UOPS_RETIRED.SCALAR_SINGLE", PEBS_ROLE_SSE, 0x02c7, ANY, false },
    { "SSEX_UOPS_RETIRED.PACKED_DOUBLE", PEBS_ROLE_SSE, 0x04c7, ANY, false },
    { "SSEX_UOPS_RETIRED.SCALAR_DOUBLE", PEBS_ROLE_SSE, 0x08c7, ANY, false },
    { "SSEX_UOPS_RETIRED.VECTOR_INTEGER", PEBS_ROLE_SSE, 0x10c7, ANY, false },
    { "ITLB_MISS_RETIRED", PEBS_ROLE_TLB_MISS, 0x20c8, ANY, false },
    { "MEM_LOAD_RETIRED.L1D_HIT", PEBS_ROLE_L1_HITS, 0x01cb, ANY, false },
    { "MEM_LOAD_RETIRED.L2_HIT", PEBS_ROLE_CACHE, 0x02cb, ANY, false },
    { "MEM_LOAD_RETIRED.LLC_UNSHARED_HIT", PEBS_ROLE_CACHE, 0x04cb, ANY, false },
    { "MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM", PEBS_ROLE_CACHE, 0x08cb, ANY, false },
    { "MEM_LOAD_RETIRED.LLC_MISS", PEBS_ROLE_CACHE, 0x10cb, ANY, false },
    { "MEM_LOAD_RETIRED.HIT_LFB", PEBS_ROLE_CACHE, 0x40cb, ANY, false },
    { "MEM_LOAD_RETIRED.DTLB_MISS", PEBS_ROLE_TLB_MISS, 0x80cb, ANY, false },
    { "FP_ASSIST.ALL", PEBS_ROLE_ASSIST, 0x01f7, ANY, false },
    { "FP_ASSIST.OUTPUT", PEBS_ROLE_ASSIST, 0x02f7, ANY, false },
    { "FP_ASSIST.INPUT", PEBS_ROLE_ASSIST, 0x04f7, ANY, false },
#define WESTMERE_ONLY 2u /* the last ones */
    { "BR_MISP_RETIRED.CONDITIONAL", PEBS_ROLE_MISPREDICTED, 0x01c5, ANY, false },
    { "BR_MISP_RETIRED.ALL_BRANCHES", PEBS_ROLE_MISPREDICTED, 0x04c5, ANY, false },
};

static const struct pebs_event sandy_bridge[] = {
    { "INST_RETIRED.PREC_DIST", PEBS_ROLE_PREC_DIST, 0x01c0, PMC_1, false },
    { "UOPS_RETIRED.ALL", PEBS_ROLE_UOPS, 0x01c2, ANY, false },
    { "UOPS_RETIRED.RETIRE_SLOTS", PEBS_ROLE_UOPS, 0x02c2, ANY, false },
    { "BR_INST_RETIRED.CONDITIONAL", PEBS_ROLE_CONDITIONAL, 0x01c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_CALL", PEBS_ROLE_NEAR_CALLS, 0x02c4, ANY, false },
    { "BR_INST_RETIRED.ALL_BRANCHES_PEBS", PEBS_ROLE_BRANCHES, 0x04c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_RETURN", PEBS_ROLE_NEAR_RETURNS, 0x08c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_TAKEN", PEBS_ROLE_TAKEN, 0x20c4, ANY, false },
    { "BR_MISP_RETIRED.CONDITIONAL", PEBS_ROLE_MISPREDICTED, 0x01c5, ANY, false },
    { "BR_MISP_RETIRED.NEAR_CALL", PEBS_ROLE_MISPREDICTED, 0x02c5, ANY, false },
    { "BR_MISP_RETIRED.ALL_BRANCHES_PEBS", PEBS_ROLE_MISPREDICTED, 0x04c5, ANY, false },
    { "BR_MISP_RETIRED.NOT_TAKEN", PEBS_ROLE_MISPREDICTED, 0x10c5, ANY, false },
    { "BR_MISP_RETIRED.TAKEN", PEBS_ROLE_MISPREDICTED, 0x20c5, ANY, false },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", PEBS_ROLE_LOAD_LATENCY, 0x01cd, PMC_3, true },
    { "MEM_TRANS_RETIRED.PRECISE_STORE", PEBS_ROLE_PRECISE_STORE, 0x02cd, PMC_3, true },
    { "MEM_UOPS_RETIRED.STLB_MISS_LOADS", PEBS_ROLE_TLB_MISS, 0x11d0, ANY, false },
    { "MEM_UOPS_RETIRED.STLB_MISS_STORES", PEBS_ROLE_TLB_MISS, 0x12d0, ANY, false },
    { "MEM_UOPS_RETIRED.LOCK_LOADS", PEBS_ROLE_LOCKED_LOADS, 0x21d0, ANY, false },
    { "MEM_UOPS_RETIRED.SPLIT_LOADS", PEBS_ROLE_SPLIT_LOADS, 0x41d0, ANY, false },
    { "MEM_UOPS_RETIRED.SPLIT_STORES", PEBS_ROLE_SPLIT_STORES, 0x42d0, ANY, false },
    { "MEM_UOPS_RETIRED.ALL_LOADS", PEBS_ROLE_LOADS, 0x81d0, ANY, false },
    { "MEM_UOPS_RETIRED.ALL_STORES", PEBS_ROLE_STORES, 0x82d0, ANY, false },
    { "MEM_LOAD_UOPS_RETIRED.L1_HIT", PEBS_ROLE_L1_HITS, 0x01d1, ANY, false },
    { "MEM_LOAD_UOPS_RETIRED.L2_HIT", PEBS_ROLE_CACHE, 0x02d1, ANY, false },
    { "MEM_LOAD_UOPS_RETIRED.LLC_HIT", PEBS_ROLE_CACHE, 0x04d1, ANY, false },
    { "MEM_LOAD_UOPS_RETIRED.HIT_LFB", PEBS_ROLE_CACHE, 0x40d1, ANY, false },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_MISS", PEBS_ROLE_CACHE, 0x01d2, ANY, false },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HIT", PEBS_ROLE_CACHE, 0x02d2, ANY, false },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HITM", PEBS_ROLE_CACHE, 0x04d2, ANY, false },
    { "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE", PEBS_ROLE_CACHE, 0x08d2, ANY, false },
    { "MEM_LOAD_UOPS_LLC_MISS_RETIRED.LOCAL_DRAM", PEBS_ROLE_CACHE, 0x01d3, ANY, false },
};

/* From Haswell on the D0h to D3h events have the data address (SDM, "Data Address Profiling"). */
static const struct pebs_event haswell[] = {
    { "INST_RETIRED.PREC_DIST", PEBS_ROLE_PREC_DIST, 0x01c0, PMC_1, false },
    { "UOPS_RETIRED.ALL", PEBS_ROLE_UOPS, 0x01c2, ANY, true },
    { "UOPS_RETIRED.RETIRE_SLOTS", PEBS_ROLE_UOPS, 0x02c2, ANY, false },
    { "BR_INST_RETIRED.CONDITIONAL", PEBS_ROLE_CONDITIONAL, 0x01c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_CALL", PEBS_ROLE_NEAR_CALLS, 0x02c4, ANY, false },
    { "BR_INST_RETIRED.ALL_BRANCHES_PEBS", PEBS_ROLE_BRANCHES, 0x04c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_RETURN", PEBS_ROLE_NEAR_RETURNS, 0x08c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_TAKEN", PEBS_ROLE_TAKEN, 0x20c4, ANY, false },
    { "BR_MISP_RETIRED.CONDITIONAL", PEBS_ROLE_MISPREDICTED, 0x01c5, ANY, false },
    { "BR_MISP_RETIRED.ALL_BRANCHES_PEBS", PEBS_ROLE_MISPREDICTED, 0x04c5, ANY, false },
    { "BR_MISP_RETIRED.NEAR_TAKEN", PEBS_ROLE_MISPREDICTED, 0x20c5, ANY, false },
    { "HLE_RETIRED.ABORTED", PEBS_ROLE_TSX, 0x04c8, ANY, false },
    { "RTM_RETIRED.ABORTED", PEBS_ROLE_TSX, 0x04c9, ANY, false },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", PEBS_ROLE_LOAD_LATENCY, 0x01cd, ANY, true },
    { "MEM_UOPS_RETIRED.STLB_MISS_LOADS", PEBS_ROLE_TLB_MISS, 0x11d0, ANY, true },
    { "MEM_UOPS_RETIRED.STLB_MISS_STORES", PEBS_ROLE_TLB_MISS, 0x12d0, ANY, true },
    { "MEM_UOPS_RETIRED.LOCK_LOADS", PEBS_ROLE_LOCKED_LOADS, 0x21d0, ANY, true },
    { "MEM_UOPS_RETIRED.SPLIT_LOADS", PEBS_ROLE_SPLIT_LOADS, 0x41d0, ANY, true },
    { "MEM_UOPS_RETIRED.SPLIT_STORES", PEBS_ROLE_SPLIT_STORES, 0x42d0, ANY, true },
    { "MEM_UOPS_RETIRED.ALL_LOADS", PEBS_ROLE_LOADS, 0x81d0, ANY, true },
    { "MEM_UOPS_RETIRED.ALL_STORES", PEBS_ROLE_STORES, 0x82d0, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.L1_HIT", PEBS_ROLE_L1_HITS, 0x01d1, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.L2_HIT", PEBS_ROLE_CACHE, 0x02d1, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.L3_HIT", PEBS_ROLE_CACHE, 0x04d1, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.L1_MISS", PEBS_ROLE_CACHE, 0x08d1, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.L2_MISS", PEBS_ROLE_CACHE, 0x10d1, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.L3_MISS", PEBS_ROLE_CACHE, 0x20d1, ANY, true },
    { "MEM_LOAD_UOPS_RETIRED.HIT_LFB", PEBS_ROLE_CACHE, 0x40d1, ANY, true },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS", PEBS_ROLE_CACHE, 0x01d2, ANY, true },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HIT", PEBS_ROLE_CACHE, 0x02d2, ANY, true },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM", PEBS_ROLE_CACHE, 0x04d2, ANY, true },
    { "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_NONE", PEBS_ROLE_CACHE, 0x08d2, ANY, true },
    { "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM", PEBS_ROLE_CACHE, 0x01d3, ANY, true },
};

static const struct pebs_event skylake[] = {
    { "INST_RETIRED.PREC_DIST", PEBS_ROLE_PREC_DIST, 0x01c0, PMC_1, false },
    { "OTHER_ASSISTS.ANY", PEBS_ROLE_ASSIST, 0x3fc1, ANY, false },
    { "BR_INST_RETIRED.CONDITIONAL", PEBS_ROLE_CONDITIONAL, 0x01c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_CALL", PEBS_ROLE_NEAR_CALLS, 0x02c4, ANY, false },
    { "BR_INST_RETIRED.ALL_BRANCHES_PEBS", PEBS_ROLE_BRANCHES, 0x04c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_RETURN", PEBS_ROLE_NEAR_RETURNS, 0x08c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_TAKEN", PEBS_ROLE_TAKEN, 0x20c4, ANY, false },
    { "BR_INST_RETIRED.FAR_BRANCH", PEBS_ROLE_FAR, 0x40c4, ANY, false },
    { "BR_MISP_RETIRED.CONDITIONAL", PEBS_ROLE_MISPREDICTED, 0x01c5, ANY, false },
    { "BR_MISP_RETIRED.NEAR_CALL", PEBS_ROLE_MISPREDICTED, 0x02c5, ANY, false },
    { "BR_MISP_RETIRED.ALL_BRANCHES_PEBS", PEBS_ROLE_MISPREDICTED, 0x04c5, ANY, false },
    { "BR_MISP_RETIRED.NEAR_TAKEN", PEBS_ROLE_MISPREDICTED, 0x20c5, ANY, false },
    { "FRONTEND_RETIRED", PEBS_ROLE_FRONTEND, 0x01c6, ANY, false },
    { "HLE_RETIRED.ABORTED", PEBS_ROLE_TSX, 0x04c8, ANY, false },
    { "RTM_RETIRED.ABORTED", PEBS_ROLE_TSX, 0x04c9, ANY, false },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", PEBS_ROLE_LOAD_LATENCY, 0x01cd, ANY, true },
    { "MEM_INST_RETIRED.STLB_MISS_LOADS", PEBS_ROLE_TLB_MISS, 0x11d0, ANY, true },
    { "MEM_INST_RETIRED.STLB_MISS_STORES", PEBS_ROLE_TLB_MISS, 0x12d0, ANY, true },
    { "MEM_INST_RETIRED.LOCK_LOADS", PEBS_ROLE_LOCKED_LOADS, 0x21d0, ANY, true },
    { "MEM_INST_RETIRED.SPLIT_LOADS", PEBS_ROLE_SPLIT_LOADS, 0x41d0, ANY, true },
    { "MEM_INST_RETIRED.SPLIT_STORES", PEBS_ROLE_SPLIT_STORES, 0x42d0, ANY, true },
    { "MEM_INST_RETIRED.ALL_LOADS", PEBS_ROLE_LOADS, 0x81d0, ANY, true },
    { "MEM_INST_RETIRED.ALL_STORES", PEBS_ROLE_STORES, 0x82d0, ANY, true },
    { "MEM_LOAD_RETIRED.L1_HIT", PEBS_ROLE_L1_HITS, 0x01d1, ANY, true },
    { "MEM_LOAD_RETIRED.L2_HIT", PEBS_ROLE_CACHE, 0x02d1, ANY, true },
    { "MEM_LOAD_RETIRED.L3_HIT", PEBS_ROLE_CACHE, 0x04d1, ANY, true },
    { "MEM_LOAD_RETIRED.L1_MISS", PEBS_ROLE_CACHE, 0x08d1, ANY, true },
    { "MEM_LOAD_RETIRED.L2_MISS", PEBS_ROLE_CACHE, 0x10d1, ANY, true },
    { "MEM_LOAD_RETIRED.L3_MISS", PEBS_ROLE_CACHE, 0x20d1, ANY, true },
    { "MEM_LOAD_RETIRED.FB_HIT", PEBS_ROLE_CACHE, 0x40d1, ANY, true },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS", PEBS_ROLE_CACHE, 0x01d2, ANY, true },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT", PEBS_ROLE_CACHE, 0x02d2, ANY, true },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM", PEBS_ROLE_CACHE, 0x04d2, ANY, true },
    { "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE", PEBS_ROLE_CACHE, 0x08d2, ANY, true },
    { "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM", PEBS_ROLE_CACHE, 0x01d3, ANY, true },
};

/* The memory events are on counters 0 to 3. */
static const struct pebs_event ice_lake[] = {
    { "INST_RETIRED.ANY_P", PEBS_ROLE_INSTRUCTIONS, 0x00c0, 0xfe, false }, /* not on counter 0 of Golden Cove */
    { "BR_INST_RETIRED.ALL_BRANCHES", PEBS_ROLE_BRANCHES, 0x00c4, ANY, false },
    { "BR_INST_RETIRED.COND", PEBS_ROLE_CONDITIONAL, 0x11c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_CALL", PEBS_ROLE_NEAR_CALLS, 0x02c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_RETURN", PEBS_ROLE_NEAR_RETURNS, 0x08c4, ANY, false },
    { "BR_INST_RETIRED.NEAR_TAKEN", PEBS_ROLE_TAKEN, 0x20c4, ANY, false },
    { "BR_INST_RETIRED.FAR_BRANCH", PEBS_ROLE_FAR, 0x40c4, ANY, false },
    { "BR_MISP_RETIRED.ALL_BRANCHES", PEBS_ROLE_MISPREDICTED, 0x00c5, ANY, false },
    { "MEM_TRANS_RETIRED.LOAD_LATENCY", PEBS_ROLE_LOAD_LATENCY, 0x01cd, 0xfe, true },
    { "MEM_INST_RETIRED.STLB_MISS_LOADS", PEBS_ROLE_TLB_MISS, 0x11d0, 0xf, true },
    { "MEM_INST_RETIRED.STLB_MISS_STORES", PEBS_ROLE_TLB_MISS, 0x12d0, 0xf, true },
    { "MEM_INST_RETIRED.LOCK_LOADS", PEBS_ROLE_LOCKED_LOADS, 0x21d0, 0xf, true },
    { "MEM_INST_RETIRED.SPLIT_LOADS", PEBS_ROLE_SPLIT_LOADS, 0x41d0, 0xf, true },
    { "MEM_INST_RETIRED.SPLIT_STORES", PEBS_ROLE_SPLIT_STORES, 0x42d0, 0xf, true },
    { "MEM_INST_RETIRED.ALL_LOADS", PEBS_ROLE_LOADS, 0x81d0, 0xf, true },
    { "MEM_INST_RETIRED.ALL_STORES", PEBS_ROLE_STORES, 0x82d0, 0xf, true },
    { "MEM_LOAD_RETIRED.L1_HIT", PEBS_ROLE_L1_HITS, 0x01d1, 0xf, true },
    { "MEM_LOAD_RETIRED.L2_HIT", PEBS_ROLE_CACHE, 0x02d1, 0xf, true },
    { "MEM_LOAD_RETIRED.L3_HIT", PEBS_ROLE_CACHE, 0x04d1, 0xf, true },
    { "MEM_LOAD_RETIRED.L1_MISS", PEBS_ROLE_CACHE, 0x08d1, 0xf, true },
    { "MEM_LOAD_RETIRED.L2_MISS", PEBS_ROLE_CACHE, 0x10d1, 0xf, true },
    { "MEM_LOAD_RETIRED.L3_MISS", PEBS_ROLE_CACHE, 0x20d1, 0xf, true },
    { "MEM_LOAD_RETIRED.FB_HIT", PEBS_ROLE_CACHE, 0x40d1, 0xf, true },
};

#define LIST(name) const struct pebs_event_list pebs_events_##name = { name, sizeof name / sizeof name[0] }
LIST(netburst);
LIST(core2);
LIST(bonnell);
const struct pebs_event_list pebs_events_nehalem = { nehalem, sizeof nehalem / sizeof nehalem[0] - WESTMERE_ONLY };
const struct pebs_event_list pebs_events_westmere = { nehalem, sizeof nehalem / sizeof nehalem[0] };
LIST(sandy_bridge);
LIST(haswell);
LIST(skylake);
LIST(ice_lake);
const struct pebs_event_list pebs_events_none = { NULL, 0 };

const struct pebs_event *pebs_event_of(const struct pebs_event_list *list, enum pebs_role role, uint64_t counters)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->events[i].role == role && list->events[i].counters & counters)
            return &list->events[i];
    return NULL;
}

const char *pebs_role_untriggered(enum pebs_role role)
{
    static const char *const reasons[PEBS_ROLE_COUNT] = {
        [PEBS_ROLE_MISPREDICTED] = "a misprediction is up to the predictor",
        [PEBS_ROLE_CACHE] = "what another level of the hierarchy holds is not known beforehand",
        [PEBS_ROLE_TLB_MISS] = "what the TLB holds is not known beforehand",
        [PEBS_ROLE_UOPS] = "how many micro-operations an instruction has is not architectural",
        [PEBS_ROLE_SSE] = "no workload has SSE instructions",
        [PEBS_ROLE_ASSIST] = "no workload brings an assist about",
        [PEBS_ROLE_FRONTEND] = "what the front end does is not architectural",
        [PEBS_ROLE_TSX] = "this program starts no transaction",
    };

    return reasons[role];
}
