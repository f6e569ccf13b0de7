/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's events against Intel's lists: what each code counts, and of precise events the counters that sample them,
 * precise distribution, the data's address, and the MSR that the event needs. Every difference has an explanation.
 */
#include "tests/host/unit_test.h"

#include "model/processors/profile.h"
#include "tests/host/intel_events.h"

/* The folder of the list for a profile's model and kind of core; before Nehalem the profile's name, or its
 * relative's. NULL for NetBurst.
 */
static const char *folder_of(const struct profile *p)
{
    const uint32_t signature = p->cpuid[0].add[0];
    const unsigned family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    const unsigned model = (signature >> 4 & 0xf) | (signature >> 12 & 0xf0);
    uint32_t core = 0; /* CPUID.1AH:EAX */

    assert_int_equal(p->cpuid[0].leaf, 1);
    if (family == 6 && model == 0x55)
        return (signature & 0xf) < 5 ? "SKX" : "CLX"; /* Intel's mapfile.csv tells them apart by stepping */
    for (const struct profile *of = p; of != NULL && core == 0; of = of->like)
        for (unsigned i = 0; i < of->cpuid_count; i++)
            core = of->cpuid[i].leaf == 0x1a ? of->cpuid[i].add[0] : core;
    for (size_t k = 0; k < COUNT_OF(intel_kinds); k++) {
        const struct intel_kind *kind = &intel_kinds[k];

        if (kind->family == family && memchr(kind->models, (int)model, sizeof(kind->models)) != NULL &&
            (kind->type == 0 || (kind->type << 24 | kind->native) == core))
            return kind->folder;
    }
    return p->netburst != 0 ? NULL : p->like != NULL ? folder_of(p->like) : p->name;
}

/* What the events of the lists count, by their descriptions there ("BriefDescription"). */
static const struct {
    enum event_kind kind;
    const char *names;
} meanings[] = {
    { EVENT_ACCESSES, "DATA_MEM_REFS MEM_INST_RETIRED.ANY MEM_UOPS_RETIRED.ALL" },
    { EVENT_BACKEND_SLOTS, "TOPDOWN.BACKEND_BOUND_SLOTS TOPDOWN_BE_BOUND.ALL TOPDOWN_BE_BOUND.ALL_P" },
    { EVENT_BAD_SLOTS, "TOPDOWN.BR_MISPREDICT_SLOTS TOPDOWN_BAD_SPECULATION.ALL TOPDOWN_BAD_SPECULATION.ALL_P" },
    { EVENT_BLOCKED_LOADS, "LD_BLOCKS.STORE_FORWARD REHABQ.LD_BLOCK_ST_FORWARD" },
    { EVENT_BRANCHES, "BR_INSTR_RET BR_INST_RETIRED BR_INST_RETIRED.ALL_BRANCHES BR_INST_RETIRED.ALL_BRANCHES_PEBS "
                      "BR_INST_RETIRED.ANY" },
    { EVENT_CODE_MISSES, "ICACHE.MISSES ICACHE_64B.IFTAG_MISS L1I.MISSES L2_RQSTS.ALL_CODE_RD" },
    { EVENT_CODE_TLB_HITS, "ITLB_MISSES.STLB_HIT" },
    { EVENT_CODE_TLB_MISSES,
      "ITLB.FILLS ITLB.MISS ITLB_MISSES.MISS_CAUSES_A_WALK ITLB_MISSES.WALK_COMPLETED ITLB_MISS_RETIRED" },
    { EVENT_CONDITIONAL, "BR_INST_RETIRED.COND BR_INST_RETIRED.CONDITIONAL BR_INST_RETIRED.JCC" },
    { EVENT_CONDITIONAL_TAKEN, "BR_INST_RETIRED.COND_TAKEN BR_INST_RETIRED.TAKEN_JCC" },
    { EVENT_CYCLES, "CPU_CLK_THREAD_UNHALTED.ONE_THREAD_ACTIVE CPU_CLK_THREAD_UNHALTED.REF_XCLK CPU_CLK_UNHALTED "
                    "CPU_CLK_UNHALTED.BUS CPU_CLK_UNHALTED.CORE_P CPU_CLK_UNHALTED.NONHLT_REF_CYCLES "
                    "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE CPU_CLK_UNHALTED.REF CPU_CLK_UNHALTED.REF_P "
                    "CPU_CLK_UNHALTED.REF_TSC_P CPU_CLK_UNHALTED.REF_XCLK CPU_CLK_UNHALTED.THREAD_P" },
    { EVENT_DIRECT_CALLS, "BR_INST_RETIRED.NEAR_DIRECT_CALL BR_INST_RETIRED.REL_CALL" },
    { EVENT_DIRECT_JUMPS, "BR_INST_RETIRED.NEAR_DIRECT_JMP BR_INST_RETIRED.REL_JMP" },
    { EVENT_FAR_BRANCHES, "BR_INST_RETIRED.FAR_BRANCH" },
    { EVENT_FRONTEND_SLOTS, "IDQ_BUBBLES.CORE IDQ_UOPS_NOT_DELIVERED.CORE TOPDOWN_FE_BOUND.ALL TOPDOWN_FE_BOUND.ALL_P "
                            "UOPS_NOT_DELIVERED.ANY" },
    { EVENT_INDIRECT, "BR_INST_RETIRED.INDIRECT BR_INST_RETIRED.NEAR_INDIRECT BR_INST_RETIRED.NON_RETURN_IND" },
    { EVENT_INDIRECT_BRANCHES, "BR_INST_RETIRED.NEAR_INDIRECT_OR_RETURN" },
    { EVENT_INDIRECT_CALLS,
      "BR_INST_RETIRED.INDIRECT_CALL BR_INST_RETIRED.IND_CALL BR_INST_RETIRED.NEAR_INDIRECT_CALL" },
    { EVENT_INDIRECT_JUMPS, "BR_INST_RETIRED.INDIRECT_JMP BR_INST_RETIRED.NEAR_INDIRECT_JMP" },
    { EVENT_INSTRUCTIONS, "INSTR_RET INST_RETIRED INST_RETIRED.ANY_P INST_RETIRED.PREC_DIST TOPDOWN_RETIRING.ALL "
                          "TOPDOWN_RETIRING.ALL_P UOPS_DISPATCHED.THREAD UOPS_EXECUTED.THREAD UOPS_RETIRED.ALL "
                          "UOPS_RETIRED.ANY UOPS_RETIRED.RETIRE_SLOTS UOPS_RETIRED.SLOTS" },
    { EVENT_ISSUED_SLOTS, "UOPS_ISSUED.ANY" },
    { EVENT_NONE,
      "INT_MISC.RECOVERY_CYCLES INT_MISC.UOP_DROPPING ISSUE_SLOTS_NOT_CONSUMED.RECOVERY UOPS_RETIRED.MACRO_FUSED" },
    { EVENT_L1_FILLS, "L1D.REPL L1D.REPLACEMENT" },
    { EVENT_L1_HITS,
      "MEM_LOAD_RETIRED.L1D_HIT MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.L1_HIT_L0 MEM_LOAD_UOPS_RETIRED.L1_HIT" },
    { EVENT_L1_MISSES, "L2_RQSTS.ALL_DEMAND_DATA_RD LAST_LEVEL_CACHE_REFERENCES MEM_LOAD_RETIRED.L1D_LINE_MISS "
                       "MEM_LOAD_RETIRED.L1D_MISS MEM_LOAD_RETIRED.L1_MISS MEM_LOAD_UOPS_RETIRED.L1_MISS "
                       "MEM_UOPS_RETIRED.L1_MISS_LOADS" },
    { EVENT_L2_HITS, "MEM_LOAD_RETIRED.L2_HIT_LOCAL MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_UOPS_RETIRED.L2_HIT "
                     "MEM_UOPS_RETIRED.L2_HIT_LOADS" },
    { EVENT_L2_MISSES, "LAST_LEVEL_CACHE_MISSES MEM_LOAD_RETIRED.L2_LINE_MISS MEM_LOAD_RETIRED.L2_MISS "
                       "MEM_LOAD_UOPS_RETIRED.L2_MISS MEM_UOPS_RETIRED.L2_MISS_LOADS" },
    { EVENT_L3_HITS, "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE MEM_LOAD_RETIRED.L3_HIT MEM_LOAD_RETIRED.LLC_UNSHARED_HIT "
                     "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_NONE MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE "
                     "MEM_LOAD_UOPS_RETIRED.L3_HIT MEM_LOAD_UOPS_RETIRED.LLC_HIT" },
    { EVENT_L3_MISSES, "LONGEST_LAT_CACHE.MISS MEM_LOAD_RETIRED.L3_MISS MEM_LOAD_RETIRED.LLC_MISS "
                       "MEM_LOAD_UOPS_L3_MISS_RETIRED.ALL MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM "
                       "MEM_LOAD_UOPS_LLC_MISS_RETIRED.LOCAL_DRAM MEM_LOAD_UOPS_MISC_RETIRED.LLC_MISS "
                       "MEM_LOAD_UOPS_RETIRED.DRAM_HIT MEM_LOAD_UOPS_RETIRED.L3_MISS MEM_LOAD_UOPS_RETIRED.LLC_MISS" },
    { EVENT_L3_REFERENCES, "LONGEST_LAT_CACHE.REFERENCE" },
    { EVENT_LOADS, "INST_RETIRED.LOADS MEM_INST_RETIRED.ALL_LOADS MEM_INST_RETIRED.LOADS MEM_UOPS_RETIRED.ALL_LOADS" },
    { EVENT_LOAD_LATENCY,
      "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD MEM_TRANS_RETIRED.LOAD_LATENCY MEM_UOPS_RETIRED.LOAD_LATENCY" },
    { EVENT_LOCKED_LOADS, "MEM_INST_RETIRED.LOCK_LOADS MEM_UOPS_RETIRED.LOCK_LOADS" },
    { EVENT_MISPREDICTED, "BR_INST_RETIRED_MISPRED BR_MISPRED_RET BR_MISP_RETIRED.ALL_BRANCHES "
                          "BR_MISP_RETIRED.ALL_BRANCHES_PEBS BR_MISS_PRED_RETIRED" },
    { EVENT_MISPREDICTED_CALLS, "BR_MISP_RETIRED.NEAR_CALL" },
    { EVENT_MISPREDICTED_CONDITIONAL, "BR_MISP_RETIRED.COND BR_MISP_RETIRED.CONDITIONAL BR_MISP_RETIRED.JCC" },
    { EVENT_MISPREDICTED_CONDITIONAL_TAKEN, "BR_MISP_RETIRED.COND_TAKEN BR_MISP_RETIRED.TAKEN_JCC" },
    { EVENT_MISPREDICTED_INDIRECT,
      "BR_MISP_RETIRED.INDIRECT BR_MISP_RETIRED.NEAR_INDIRECT BR_MISP_RETIRED.NON_RETURN_IND" },
    { EVENT_MISPREDICTED_INDIRECT_CALLS,
      "BR_MISP_RETIRED.INDIRECT_CALL BR_MISP_RETIRED.IND_CALL BR_MISP_RETIRED.NEAR_INDIRECT_CALL" },
    { EVENT_MISPREDICTED_INDIRECT_JUMPS, "BR_MISP_RETIRED.INDIRECT_JMP BR_MISP_RETIRED.NEAR_INDIRECT_JMP" },
    { EVENT_MISPREDICTED_NEAR_RETURNS, "BR_MISP_RETIRED.NEAR_RETURN BR_MISP_RETIRED.RET BR_MISP_RETIRED.RETURN" },
    { EVENT_MISPREDICTED_NEAR_TAKEN, "BR_MISP_RETIRED.NEAR_TAKEN BR_MISP_RETIRED.TAKEN" },
    { EVENT_MISPREDICTED_NOT_TAKEN, "BR_MISP_RETIRED.COND_NTAKEN" },
    { EVENT_MMX_128, "SIMD_INST_RETIRED.VECTOR SSEX_UOPS_RETIRED.VECTOR_INTEGER" },
    { EVENT_MMX_64, "INST_RETIRED.MMX" },
    { EVENT_MODIFIED_HITS,
      "MEM_LOAD_UOPS_MISC_RETIRED.L3_HIT_SNOOP_HITM MEM_LOAD_UOPS_RETIRED.HITM MEM_UOPS_RETIRED.HITM" },
    { EVENT_NEAR_CALLS, "BR_INST_RETIRED.CALL BR_INST_RETIRED.NEAR_CALL" },
    { EVENT_NEAR_RETURNS, "BR_INST_RETIRED.NEAR_RETURN BR_INST_RETIRED.RETURN" },
    { EVENT_NEAR_TAKEN, "BR_INST_RETIRED.NEAR_TAKEN" },
    { EVENT_NOT_TAKEN, "BR_INST_RETIRED.COND_NTAKEN BR_INST_RETIRED.NOT_TAKEN" },
    { EVENT_OFFCORE_0, "OCR:1A6H OFFCORE_RESPONSE:1A6H" },
    { EVENT_OFFCORE_1, "OCR:1A7H OFFCORE_RESPONSE:1A7H" },
    { EVENT_PACKED_DP, "SIMD_INST_RETIRED.PACKED_DOUBLE SSEX_UOPS_RETIRED.PACKED_DOUBLE" },
    { EVENT_PACKED_SP, "SIMD_INST_RETIRED.PACKED_SINGLE SSEX_UOPS_RETIRED.PACKED_SINGLE" },
    { EVENT_PRECISE_STORES, "MEM_TRANS_RETIRED.PRECISE_STORE" },
    { EVENT_SCALAR_DP, "SIMD_INST_RETIRED.SCALAR_DOUBLE SSEX_UOPS_RETIRED.SCALAR_DOUBLE" },
    { EVENT_SCALAR_SP, "SIMD_INST_RETIRED.SCALAR_SINGLE SSEX_UOPS_RETIRED.SCALAR_SINGLE" },
    { EVENT_SIMD, "SIMD_INST_RETIRED.ANY" },
    { EVENT_SLOTS, "TOPDOWN.SLOTS_P" },
    { EVENT_SPLITS, "MEM_UOPS_RETIRED.SPLIT" },
    { EVENT_SPLIT_LOADS, "MEM_INST_RETIRED.SPLIT_LOADS MEM_UOPS_RETIRED.SPLIT_LOADS REHABQ.LD_SPLITS" },
    { EVENT_SPLIT_STORES, "MEM_INST_RETIRED.SPLIT_STORES MEM_UOPS_RETIRED.SPLIT_STORES REHABQ.ST_SPLITS" },
    { EVENT_STLB_MISSES, "MEM_UOPS_RETIRED.DTLB_MISS MEM_UOPS_RETIRED.STLB_MISS" },
    { EVENT_STLB_MISS_LOADS, "DTLB_LOAD_MISSES.ANY DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK DTLB_LOAD_MISSES.WALK_COMPLETED "
                             "MEM_INST_RETIRED.STLB_MISS_LOADS MEM_LOAD_RETIRED.DTLB_MISS "
                             "MEM_UOPS_RETIRED.DTLB_MISS_LOADS MEM_UOPS_RETIRED.STLB_MISS_LOADS" },
    { EVENT_STLB_MISS_STORES,
      "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK DTLB_STORE_MISSES.WALK_COMPLETED MEM_INST_RETIRED.STLB_MISS_STORES "
      "MEM_STORE_RETIRED.DTLB_MISS MEM_UOPS_RETIRED.DTLB_MISS_STORES MEM_UOPS_RETIRED.STLB_MISS_STORES" },
    { EVENT_STORES,
      "INST_RETIRED.STORES MEM_INST_RETIRED.ALL_STORES MEM_INST_RETIRED.STORES MEM_UOPS_RETIRED.ALL_STORES" },
    { EVENT_STORE_LATENCY, "MEM_TRANS_RETIRED.STORE_SAMPLE MEM_UOPS_RETIRED.STORE_LATENCY" },
    { EVENT_TAKEN, "BR_INST_RETIRED.ALL_TAKEN_BRANCHES BR_INST_RETIRED.TAKEN BR_TAKEN_RET BR_TAKEN_RETIRED" },
    { EVENT_X87, "INST_RETIRED.X87 X87_OPS_RETIRED.ANY" },
};

enum difference {
    NOT_LISTED,
    COUNTED,
    MEANING,
    NOT_PRECISE_THERE,
    NOT_PRECISE_HERE,
    COUNTERS,
    ADDRESS,
    DISTRIBUTION,
    EXTRA_MSR
};
static const char *const differences[] = {
    [NOT_LISTED] = "Intel's list lacks it",           [COUNTED] = "other counters can count it",
    [MEANING] = "it counts something else",           [NOT_PRECISE_THERE] = "not precise in Intel's list",
    [NOT_PRECISE_HERE] = "not precise in the model",  [COUNTERS] = "other counters can sample it",
    [ADDRESS] = "with or without a data address",     [DISTRIBUTION] = "other counters have precise distribution",
    [EXTRA_MSR] = "its MSR does not take its values",
};

/* All differences, by code and unit mask, with the reason. */
static struct intel_difference explained[] = {
    { "nehalem westmere", "c0/00 c4/00 c5/00", NOT_LISTED, "architectural events, which every processor has", 0 },
    { "alderlake/E raptorlake/E alderlake-n", "a4/01", NOT_LISTED, "an architectural event, which CPUID.0AH reports",
      0 },
    { "sandybridge ivybridge", "d0/f1 d0/f2", NOT_LISTED,
      "perf's L1-dcache-loads and -stores (Linux, snb_hw_cache_event_ids)", 0 },
    { "haswell", "b1/01", NOT_LISTED, "with INV and CMask it is UOPS_EXECUTED.STALL_CYCLES", 0 },
    { "sandybridge ivybridge haswell broadwell skylake cascadelake", "0d/03", NOT_LISTED,
      "with CMask it is INT_MISC.RECOVERY_CYCLES: perf's topdown-recovery-bubbles", 0 },
    { "lunarlake/E", "d1/1c", NOT_LISTED, "Skymont's other list has it, Arrow Lake's", 0 },
    { "lunarlake/P pantherlake/P arrowlake-h/P", "d0/83", NOT_LISTED, "d0/81 and d0/82 together, as on Golden Cove",
      0 },
    { "alderlake/E raptorlake/E alderlake-n meteorlake/E arrowlake-h/L pantherlake/E clearwaterforest "
      "novalake/E sierraforest",
      "81/04", NOT_LISTED, "perf's iTLB-load-misses (Linux, tnt_hw_cache_event_ids)", 0 },
    { "meteorlake/E arrowlake-h/L arrowlake-h/E", "b7/01 b7/02 d3/01 d3/ff d4/08", NOT_LISTED,
      "the lists of the same core in Sierra Forest and Lunar Lake have it", 0 },
    { "tigerlake novalake/P diamondrapids", "2e/4f", NOT_LISTED, "an architectural event, which CPUID.0AH reports", 0 },
    { "nehalem westmere haswell broadwell", "0b/10 cd/01", COUNTERS,
      "Linux's table has every counter, and perf takes the first free one", 0 },
    { "nehalem", "b7/01", COUNTED, "Linux has it on every counter", 0 },
    { "silvermont goldmont geminilake", "2e/41 2e/4f", MEANING, "its last level of cache is the second", 0 },
    { "core2 merom", "c0/00 c1/fe c5/00 c7/1f cb/01 cb/02 cb/04 cb/08 cb/10", NOT_PRECISE_THERE,
      "libpfm4's list does not say; in the manual's table 18-10 it is precise", 0 },
    { "silvermont", "c4/80", COUNTERS, "its list has both counters, which count it; only the first samples", 0 },
    { "novalake/P diamondrapids novalake/E", "2a/01 2a/02 2a/04 2a/08 b7/01 b7/02 b7/04 b7/08 d0/05 d0/06 d0/81 d0/82",
      NOT_LISTED, "Linux has it: intel_pnc_ and intel_arw_extra_regs, tnt_hw_cache_event_ids", 0 },
    { "jasperlake", "9c/00 ca/02 c4/80", NOT_LISTED, "Goldmont's list has it", 0 },
    { "geminilake", "c4/eb c4/fb c4/fd c4/fe c5/eb c5/fb c5/fe d0/43 d0/83", NOT_PRECISE_THERE,
      "Goldmont's list says that they are", 0 },
    { "skylake cascadelake silvermont", "c0/00", NOT_PRECISE_THERE,
      "with INV and CMask it is how Linux samples cycles there", 0 },
    { "pantherlake/E clearwaterforest", NULL, ADDRESS,
      "the list has it for latencies alone; here the memory group of every access has it", 0 },
    { "alderlake/E raptorlake/E alderlake-n meteorlake/E arrowlake-h/E arrowlake-h/L lunarlake/E sierraforest", NULL,
      DISTRIBUTION, "the lists have none on general counters; Linux puts :ppp on 0, from Crestmont on on 0 and 1", 0 },
};

static const char *profile; /* the one that is compared, with the letter of its kind of core */

static void differ(unsigned select, enum difference what)
{
    char event[] = "00/0000";

    snprintf(event, sizeof(event), "%02x/%02x", select & 0xff, select >> 8 & 0xffff);
    intel_differ(explained, COUNT_OF(explained), profile, event, false, what, differences[what]);
}

/* Intel's precise event with this select, made without CMask, on one of these counters. */
static const struct intel_event *listed(const char *folder, unsigned select, uint64_t counters)
{
    for (size_t i = 0; i < COUNT_OF(intel_events); i++) {
        const struct intel_event *e = &intel_events[i];

        if (e->select == select && e->cmask == 0 && intel_has_word(e->in, folder) &&
            (intel_counters(e, folder) & counters))
            return e;
    }
    return NULL;
}

/* Intel's event with this select, not precise. NULL if there is none. */
static const struct intel_event *counted(const char *folder, unsigned select)
{
    for (size_t i = 0; i < COUNT_OF(intel_events); i++)
        if (intel_events[i].select == select && intel_has_word(intel_events[i].counted, folder))
            return &intel_events[i];
    return NULL;
}

static bool means(const char *name, unsigned kind)
{
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if (intel_has_word(meanings[i].names, name))
            return meanings[i].kind == kind;
    return false;
}
static bool tells_distribution(const char *folder)
{
    return !intel_has_word(DISTRIBUTION_UNTOLD, folder);
}

/* The counters that record the event that overflows them, not the one after it. */
static uint64_t exact(const struct profile *p, unsigned select, uint64_t counters)
{
    const bool pdir = select == (p->pdir_select | (unsigned)p->pdir_umask << 8) && p->pdir_select != 0;

    return ((pdir ? UINT64_C(1) << p->pdir_counter : 0) | p->pdist_counters) & counters;
}

static bool any_event(const struct profile *p)
{
    return p->pebs_adaptive || p->pebs_format == PEBS_FORMAT_ARCH;
}

/* The general counters that sample an event, and the precision of its records. */
static uint64_t sampling(const struct profile *p, unsigned select, enum event_precision *precision)
{
    const uint64_t able = p->pebs_format == PEBS_FORMAT_ARCH ? UINT64_MAX : profile_find_msr(p, 0x3f1)->writable;
    uint64_t counters = 0;

    for (unsigned i = 0; i < p->general_counters; i++) {
        const struct profile_event *e = profile_find_event(p, select & 0xff, select >> 8, i);

        if (e != NULL && e->precision != NOT_PRECISE && (able >> i & 1)) {
            *precision = (enum event_precision)e->precision;
            counters |= UINT64_C(1) << i;
        }
    }
    return counters;
}

static void compare(const struct profile *p, const char *folder, const struct profile_event *event)
{
    const unsigned select = event->select | (unsigned)event->umask << 8;
    enum event_precision precision = NOT_PRECISE;
    const uint64_t counters = sampling(p, select, &precision);
    const struct intel_event *want = listed(folder, select, ~FIXED_0);
    const struct intel_event *count = want == NULL ? counted(folder, select) : NULL;
    uint64_t counting = 0; /* the counters that the model has for it */

    intel_compared++;
    if (want == NULL && count == NULL) {
        differ(select, NOT_LISTED);
        return;
    }
    if (!means(want != NULL ? want->name : count->name, event->kind))
        differ(select, MEANING);
    for (unsigned i = 0; i < p->general_counters; i++)
        counting |= (uint64_t)(profile_find_event(p, event->select, event->umask, i) != NULL) << i;
    if (count != NULL && counting != ((count->counters == 0 ? UINT64_MAX : count->counters) &
                                      ((UINT64_C(1) << p->general_counters) - 1)))
        differ(select, COUNTED);
    if (want == NULL) { /* not precise, but extended PEBS can sample any event */
        if (counters != 0 && !any_event(p))
            differ(select, NOT_PRECISE_THERE);
        return;
    }
    if (counters == 0) {
        differ(select, NOT_PRECISE_HERE);
        return;
    }
    /*
     * Before Haswell the lists lack the address. By the manual, load latency (the event with an MSR) and precise stores
     * have it.
     */
    const bool sampled = want->msr == 0x3f6 || select == 0x02cd;
    const bool address = intel_has_word(ADDRESS_UNTOLD, folder) ? sampled : want->address;

    if (counters != intel_counters(want, folder))
        differ(select, COUNTERS);
    if ((precision == PRECISE_WITH_ADDRESS) != address)
        differ(select, ADDRESS);
    if (tells_distribution(folder) && exact(p, select, counters) != (intel_pdist(want, folder) & counters))
        differ(select, DISTRIBUTION);
}

/* Every MSR that an event of the list needs, even if the model does not know the event. */
static void compare_msrs(const struct profile *p, const char *folder)
{
    for (size_t i = 0; i < COUNT_OF(intel_events); i++) {
        const struct intel_event *e = &intel_events[i];
        const struct profile_msr *msr = profile_find_msr(p, e->msr);

        if (e->msr != 0 && intel_has_word(e->in, folder) &&
            (msr == NULL || msr->reg == REG_ABSENT || (e->values & ~msr->writable)))
            differ(e->select, EXTRA_MSR);
    }
}

/* Fixed counter 0, which samples from Ice Lake on. */
static void compare_fixed(const struct profile *p, const char *folder)
{
    const struct intel_event *want = listed(folder, 0x0100, FIXED_0);

    assert_true((any_event(p) || p->pebs_extended) == (want != NULL));
    if (want != NULL) {
        intel_compared++;
        if (tells_distribution(folder) && exact(p, 0x0100, FIXED_0) != intel_pdist(want, folder))
            differ(0x0100, DISTRIBUTION);
    }
}

static void compare_profile(const struct profile *p, const char *folder)
{
    for (unsigned table = 0; table < PROFILE_TABLES; table++) {
        for (unsigned i = 0; i < p->events[table].count; i++) {
            const struct profile_event *e = &p->events[table].rows[i];

            if (profile_find_event(p, e->select, e->umask, (unsigned)__builtin_ctz(e->counters)) == e)
                compare(p, folder, e);
        }
    }
    compare_fixed(p, folder);
    compare_msrs(p, folder);
}

UNIT_TEST(intels_lists)
{
    size_t profiles = 0;

    for (unsigned i = 0; profile_at(i) != NULL; i++) {
        for (unsigned kind = 0; profile_kind(profile_at(i), kind) != NULL; kind++) {
            const struct profile *p = profile_kind(profile_at(i), kind);
            const char *folder = folder_of(p);
            char name[32];

            snprintf(name, sizeof(name), p->kinds == NULL ? "%s" : "%s/%c", p->name, p->letter);
            profile = name;
            if (folder == NULL) {
                print_message("# %s: no list\n", profile);
                continue;
            }
            compare_profile(p, folder);
            profiles++;
        }
    }
    assert_true(profiles > 10);
    intel_report(explained, COUNT_OF(explained), profiles, differences);
}
