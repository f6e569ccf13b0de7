/* SPDX-License-Identifier: MIT */
/* The precise events of each core: codes as in the manual's and Intel's lists, each once, each with a counter. */
#define FIRST find_lists
#include "tests/host/unit_test.h"

#include "cpu/cores.h"
#include "cpu/events.h"
#include "tests/host/intel_events.h"

/* Each core's list, once, and the last core that has it. Collected from the cores, so it is complete. */
#define LISTS_MOST 32u
static const struct pebs_event_list *lists[LISTS_MOST];
static const struct core *cores[LISTS_MOST];
static size_t list_count;

static void add_list(const struct core *core)
{
    size_t i = 0;

    if (!core->events)
        return;
    while (i < list_count && lists[i] != core->events)
        i++;
    if (i == list_count) {
        assert_true(list_count < LISTS_MOST);
        lists[list_count++] = core->events;
    }
    cores[i] = core;
}

static int find_lists(void **state)
{
    for (unsigned family = 0; family <= 0x13; family++)
        for (unsigned model = 0; model <= 0xff; model++) {
            add_list(core_find(family, model));
            for (unsigned type = CORE_TYPE_ATOM; type <= CORE_TYPE_CORE; type += CORE_TYPE_ATOM)
                for (unsigned native = 1; native <= 5; native++)
                    add_list(core_find_kind(family, model, type, native));
        }
    return list_count == 0;
}

/*
 * Precise events by SDM Vol. 3B (253669-059) that Intel's files lack: tables 18-10 (Core), 19-26 (Atom), 18-32 (Sandy
 * Bridge; the file of 06_2D leaves them out) and 18-56 (Skylake). Those of Core and Atom are sampled on IA32_PMC0
 * alone.
 */
static const struct {
    unsigned model;
    const char *name;
    unsigned select, counters;
} by_manual[] = {
    { 0x0f, "INST_RETIRED.ANY_P", 0x00c0, 0x1 },
    { 0x0f, "X87_OPS_RETIRED.ANY", 0xfec1, 0x1 },
    { 0x0f, "BR_INST_RETIRED.MISPRED", 0x00c5, 0x1 },
    { 0x0f, "SIMD_INST_RETIRED.ANY", 0x1fc7, 0x1 },
    { 0x0f, "MEM_LOAD_RETIRED.L1D_MISS", 0x01cb, 0x1 },
    { 0x0f, "MEM_LOAD_RETIRED.L1D_LINE_MISS", 0x02cb, 0x1 },
    { 0x0f, "MEM_LOAD_RETIRED.L2_MISS", 0x04cb, 0x1 },
    { 0x0f, "MEM_LOAD_RETIRED.L2_LINE_MISS", 0x08cb, 0x1 },
    { 0x0f, "MEM_LOAD_RETIRED.DTLB_MISS", 0x10cb, 0x1 },
    { 0x1c, "MEM_LOAD_RETIRED.L2_HIT", 0x01cb, 0x1 },
    { 0x1c, "MEM_LOAD_RETIRED.L2_MISS", 0x02cb, 0x1 },
    { 0x2d, "MEM_LOAD_UOPS_RETIRED.LLC_HIT", 0x04d1, 0xf },
    { 0x2d, "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_MISS", 0x01d2, 0xf },
    { 0x2d, "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HIT", 0x02d2, 0xf },
    { 0x2d, "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HITM", 0x04d2, 0xf },
    { 0x2d, "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE", 0x08d2, 0xf },
    { 0x55, "OTHER_ASSISTS.ANY", 0x3fc1, 0xf },
    { 0x5e, "OTHER_ASSISTS.ANY", 0x3fc1, 0xf },
};

/* How the kernel's event of a core may differ from Intel's list for that core. */
enum difference { NOT_LISTED, SELECT, COUNTERS, ADDRESS, MSR, LEFT_OUT, DISTRIBUTION };
static const char *const differences[] = {
    [NOT_LISTED] = "Intel's list lacks it",
    [SELECT] = "another select",
    [COUNTERS] = "other counters can sample it",
    [ADDRESS] = "with or without a data address",
    [MSR] = "another MSR",
    [LEFT_OUT] = "only Intel's list has it",
    [DISTRIBUTION] = "other counters with precise distribution",
};

/* Every difference, and its reason. Events NULL: all that none of the kernel's lists has. */
static struct intel_difference explained[] = {
    { "BNL", "MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_RETIRED.L2_MISS", NOT_LISTED, "the manual's table 19-26 has it", 0 },
    { "JKT",
      "MEM_LOAD_UOPS_RETIRED.LLC_HIT MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_MISS MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HIT "
      "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HITM MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE",
      NOT_LISTED, "the manual's table 18-32 has it", 0 },
    { LAKES, "OTHER_ASSISTS.ANY", NOT_LISTED, "the manual's table 18-56 has it", 0 },
    { "ICL ICX TGL RKL", "INST_RETIRED.ANY_P MEM_TRANS_RETIRED.LOAD_LATENCY", COUNTERS,
      "its list is Golden Cove's too, where counter 0 cannot", 0 },
    { ADAPTIVE, "INST_RETIRED.ANY INST_RETIRED.PREC_DIST", LEFT_OUT, "a fixed counter's, which has no select", 0 },
    { "WSM-EP-SP WSM-EX",
      "MEM_UNCORE_RETIRED.LOCAL_DRAM MEM_UNCORE_RETIRED.REMOTE_DRAM MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM "
      "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT MEM_UNCORE_RETIRED.UNCACHEABLE",
      LEFT_OUT, "each of Westmere's models has codes of its own, and one has none", 0 },
    { ADAPTIVE,
      "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD "
      "MEM_LOAD_L3_HIT_RETIRED.XSNP_NO_FWD MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE",
      LEFT_OUT, "its name and meaning go by the model, and one list serves all", 0 },
    { "HSX BDX BDW-DE SKX CLX ICX SPR EMR",
      "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD "
      "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM MEM_LOAD_RETIRED.LOCAL_PMM",
      LEFT_OUT, "servers alone have it, and their list is the clients' too", 0 },
    { "SNB", "MEM_LOAD_UOPS_MISC_RETIRED.LLC_MISS", LEFT_OUT, "06_2D, whose list is the same, lacks it", 0 },
    { "SPR EMR", "INST_RETIRED.MACRO_FUSED INST_RETIRED.REP_ITERATION MEM_TRANS_RETIRED.STORE_SAMPLE", LEFT_OUT,
      "Ice Lake, whose list is the same, lacks it", 0 },
    { LAKES ADAPTIVE "NHM-EP BNL",
      "INST_RETIRED.NOP MEM_INST_RETIRED.ANY MEM_LOAD_MISC_RETIRED.UC MEM_UNCORE_RETIRED.UNCACHEABLE "
      "BR_INST_RETIRED.COND_NTAKEN BR_INST_RETIRED.COND_TAKEN BR_INST_RETIRED.INDIRECT BR_MISP_RETIRED.COND "
      "BR_MISP_RETIRED.COND_NTAKEN BR_MISP_RETIRED.COND_TAKEN BR_MISP_RETIRED.INDIRECT BR_MISP_RETIRED.INDIRECT_CALL",
      LEFT_OUT, "no test needs it", 0 },
    { ADAPTIVE, "BR_MISP_RETIRED.NEAR_TAKEN FRONTEND_RETIRED RTM_RETIRED.ABORTED", LEFT_OUT,
      "no test needs it, and Skylake's list has it", 0 },
    { "LNL-E", "MEM_LOAD_UOPS_RETIRED.L3_HIT", NOT_LISTED, "Skymont's other list has it", 0 },
    { "NVL-E", "MEM_UOPS_RETIRED.LOAD_LATENCY", NOT_LISTED, "its list is not complete yet, and Linux samples it", 0 },
    { "ADL-E MTL-E SRF GRR LNL-E ARL-E ARL-LP", "any", DISTRIBUTION,
      "Intel's lists name none; Linux puts :ppp on counter 0, from Crestmont on on 0 and 1", 0 },
    { COVES, "INST_RETIRED.PREC_DIST", LEFT_OUT, "fixed counter 0's, which has no select", 0 },
    { "GLP", "INST_RETIRED.PREC_DIST", LEFT_OUT, "INST_RETIRED.ANY_P by its other name, on counter 0", 0 },
    { COVES MONTS,
      "BR_MISP_RETIRED.NEAR_TAKEN BR_MISP_RETIRED.COND MEM_LOAD_RETIRED.L1_HIT_L0 UOPS_RETIRED.ALL "
      "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM",
      LEFT_OUT, "no test needs it, and another core's list has it", 0 },
    { COVES,
      "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS "
      "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM",
      LEFT_OUT, "a client's and a server's have other names and meanings, and one list serves both", 0 },
    { "LNL-P ARL-P PTL-P NVL-P",
      "BR_INST_RETIRED.COND BR_INST_RETIRED.FAR_BRANCH MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.L2_MISS", LEFT_OUT,
      "its unit mask has a second byte, and the list's selects have none", 0 },
    { ATOMS COVES MONTS, NULL, LEFT_OUT, "no test needs it", 0 },
};

static bool has_event(const struct pebs_event_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->events[i].name, name) == 0)
            return true;
    return false;
}

static bool is_listed(const char *name)
{
    for (size_t l = 0; l < list_count; l++)
        if (has_event(lists[l], name))
            return true;
    return false;
}

static void differ(const char *folder, const char *name, enum difference what)
{
    intel_differ(explained, COUNT_OF(explained), folder, name, is_listed(name), what, differences[what]);
}

static void compare(const char *folder, const struct core *core, const struct pebs_event *event)
{
    const bool sampled = event->role == PEBS_ROLE_LOAD_LATENCY || event->role == PEBS_ROLE_PRECISE_STORE;
    const unsigned msr = event->role == PEBS_ROLE_LOAD_LATENCY ? 0x3f6u
                         : event->role == PEBS_ROLE_FRONTEND   ? 0x3f7u
                                                               : 0;
    const struct intel_event *want = NULL;

    for (size_t i = 0; i < COUNT_OF(intel_events); i++)
        if (strcmp(intel_events[i].name, event->name) == 0 && intel_has_word(intel_events[i].in, folder))
            want = &intel_events[i];
    intel_compared++;
    if (!want) {
        differ(folder, event->name, NOT_LISTED);
        return;
    }
    if (event->select != want->select || want->cmask || want->inverted)
        differ(folder, event->name, SELECT);
    if ((event->counters ^ intel_counters(want, folder)) & core->pebs_counters)
        differ(folder, event->name, COUNTERS);
    if (event->data_address != (intel_has_word(ADDRESS_UNTOLD, folder) ? sampled : want->address))
        differ(folder, event->name, ADDRESS);
    if (want->msr != msr)
        differ(folder, event->name, MSR);
}

/*
 * The counters with precise distribution, of any event of a folder; 0: none, according to the list. The lists of
 * Goldmont and earlier cores lack this: there it is from the manual, "Reduced Skid PEBS", 18.7.1.2.
 */
static void compare_distribution(const char *folder, const struct core *core)
{
    uint64_t pdist = 0;

    if (intel_has_word(DISTRIBUTION_UNTOLD, folder))
        return;
    for (size_t i = 0; i < COUNT_OF(intel_events); i++)
        if (intel_has_word(intel_events[i].in, folder))
            pdist |= intel_pdist(&intel_events[i], folder) & (FIXED_0 - 1);
    if (pdist != core->pebs_pdist_counters)
        differ(folder, "any", DISTRIBUTION);
}

/* Each core whose precise events the kernel knows, event by event, in both directions. */
UNIT_TEST(intels_lists)
{
    size_t files = 0;

    for (size_t k = 0; k < COUNT_OF(intel_kinds); k++) {
        const struct intel_kind *const kind = &intel_kinds[k];
        const char *const folder = kind->folder;
        const struct core *const core = core_find_kind(kind->family, kind->models[0], kind->type, kind->native);

        if (!core->events)
            continue;
        files++;
        compare_distribution(folder, core);
        for (size_t i = 0; i < core->events->count; i++)
            compare(folder, core, &core->events->events[i]);
        for (size_t i = 0; i < COUNT_OF(intel_events); i++)
            if (intel_has_word(intel_events[i].in, folder) && !has_event(core->events, intel_events[i].name))
                differ(folder, intel_events[i].name, LEFT_OUT);
    }
    intel_report(explained, COUNT_OF(explained), files, differences);
}

/* Events that only the manual has equal the manual's. Core has no others. */
UNIT_TEST(the_manuals_tables)
{
    for (size_t m = 0; m < COUNT_OF(by_manual); m++) {
        const struct pebs_event_list *list = core_find(6, by_manual[m].model)->events;
        size_t ours = 0;

        for (size_t i = 0; i < list->count; i++) {
            const struct pebs_event *event = &list->events[i];

            if (strcmp(event->name, by_manual[m].name) != 0)
                continue;
            ours++;
            assert_int_equal(event->select, by_manual[m].select);
            assert_int_equal(event->counters & core_find(6, by_manual[m].model)->pebs_counters, by_manual[m].counters);
            assert_false(event->data_address);
        }
        assert_int_equal(ours, 1);
    }
    for (size_t i = 0; i < pebs_events_core2.count; i++) {
        size_t facts = 0;

        for (size_t m = 0; m < COUNT_OF(by_manual); m++)
            facts += by_manual[m].model == 0x0f && strcmp(by_manual[m].name, pebs_events_core2.events[i].name) == 0;
        assert_int_equal(facts, 1);
    }
}

/*
 * What each event counts, according to Intel's event files (github.com/intel/perfmon, "BriefDescription"), and for
 * NetBurst to tables 19-31 to 19-33 of SDM Vol. 3B (253669-059).
 */
static const char *const counts[PEBS_ROLE_COUNT] = {
    [PEBS_ROLE_INSTRUCTIONS] = "INST_RETIRED.ANY_P",
    [PEBS_ROLE_PREC_DIST] = "INST_RETIRED.PREC_DIST",
    [PEBS_ROLE_LOADS] = "memory_loads MEM_INST_RETIRED.LOADS MEM_UOPS_RETIRED.ALL_LOADS MEM_INST_RETIRED.ALL_LOADS",
    [PEBS_ROLE_STORES] =
        "memory_stores MEM_INST_RETIRED.STORES MEM_UOPS_RETIRED.ALL_STORES MEM_INST_RETIRED.ALL_STORES",
    [PEBS_ROLE_LOCKED_LOADS] = "MEM_UOPS_RETIRED.LOCK_LOADS MEM_INST_RETIRED.LOCK_LOADS",
    [PEBS_ROLE_SPLIT_LOADS] = "split_load_retired MEM_UOPS_RETIRED.SPLIT_LOADS MEM_INST_RETIRED.SPLIT_LOADS",
    [PEBS_ROLE_SPLIT_STORES] = "split_store_retired MEM_UOPS_RETIRED.SPLIT_STORES MEM_INST_RETIRED.SPLIT_STORES",
    [PEBS_ROLE_L1_HITS] = "MEM_LOAD_RETIRED.L1D_HIT MEM_LOAD_UOPS_RETIRED.L1_HIT MEM_LOAD_RETIRED.L1_HIT "
                          "MEM_LOAD_RETIRED.L1_HIT_L0",
    [PEBS_ROLE_X87] = "X87_FP_retired X87_OPS_RETIRED.ANY INST_RETIRED.X87",
    [PEBS_ROLE_MMX] = "64_bit_MMX_retired INST_RETIRED.MMX",
    [PEBS_ROLE_BRANCHES] = "BR_INST_RETIRED.ALL_BRANCHES BR_INST_RETIRED.ALL_BRANCHES_PEBS",
    [PEBS_ROLE_CONDITIONAL] = "BR_INST_RETIRED.CONDITIONAL BR_INST_RETIRED.COND BR_INST_RETIRED.JCC",
    [PEBS_ROLE_TAKEN] = "BR_INST_RETIRED.NEAR_TAKEN BR_INST_RETIRED.ALL_TAKEN_BRANCHES",
    [PEBS_ROLE_NEAR_CALLS] = "BR_INST_RETIRED.NEAR_CALL BR_INST_RETIRED.CALL",
    [PEBS_ROLE_NEAR_RETURNS] = "BR_INST_RETIRED.NEAR_RETURN BR_INST_RETIRED.RETURN",
    [PEBS_ROLE_FAR] = "BR_INST_RETIRED.FAR_BRANCH",
    [PEBS_ROLE_LOAD_LATENCY] =
        "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD MEM_TRANS_RETIRED.LOAD_LATENCY MEM_UOPS_RETIRED.LOAD_LATENCY",
    [PEBS_ROLE_PRECISE_STORE] = "MEM_TRANS_RETIRED.PRECISE_STORE",
    [PEBS_ROLE_MISPREDICTED] = "Tagged_mispred_branch BR_INST_RETIRED.MISPRED BR_MISP_RETIRED.ALL_BRANCHES "
                               "BR_MISP_RETIRED.ALL_BRANCHES_PEBS BR_MISP_RETIRED.TAKEN BR_MISP_RETIRED.NEAR_TAKEN",
    [PEBS_ROLE_MISPREDICTED_CONDITIONAL] =
        "BR_MISP_RETIRED.CONDITIONAL BR_MISP_RETIRED.NOT_TAKEN BR_MISP_RETIRED.JCC BR_MISP_RETIRED.COND",
    [PEBS_ROLE_MISPREDICTED_CALLS] = "BR_MISP_RETIRED.NEAR_CALL",
    [PEBS_ROLE_MISPREDICTED_RETURNS] = "BR_MISP_RETIRED.RET BR_MISP_RETIRED.RETURN BR_MISP_RETIRED.NEAR_RETURN",
    [PEBS_ROLE_L1_MISSES] = "1stL_cache_load_miss_retired MEM_LOAD_RETIRED.L1D_MISS MEM_LOAD_RETIRED.L1D_LINE_MISS "
                            "MEM_LOAD_UOPS_RETIRED.L1_MISS MEM_LOAD_RETIRED.L1_MISS",
    [PEBS_ROLE_L2_HITS] = "MEM_LOAD_RETIRED.L2_HIT MEM_LOAD_UOPS_RETIRED.L2_HIT MEM_UOPS_RETIRED.L2_HIT_LOADS "
                          "MEM_LOAD_RETIRED.L2_HIT_LOCAL",
    [PEBS_ROLE_L2_MISSES] = "2ndL_cache_load_miss_retired MEM_LOAD_RETIRED.L2_MISS MEM_LOAD_RETIRED.L2_LINE_MISS "
                            "MEM_LOAD_UOPS_RETIRED.L2_MISS MEM_UOPS_RETIRED.L2_MISS_LOADS",
    [PEBS_ROLE_L3_HITS] =
        "MEM_LOAD_RETIRED.LLC_UNSHARED_HIT MEM_LOAD_UOPS_RETIRED.LLC_HIT MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_NONE "
        "MEM_LOAD_UOPS_RETIRED.L3_HIT MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_NONE MEM_LOAD_RETIRED.L3_HIT "
        "MEM_LOAD_L3_HIT_RETIRED.XSNP_NONE",
    [PEBS_ROLE_L3_MISSES] =
        "MEM_UNCORE_RETIRED.LOCAL_DRAM MEM_LOAD_RETIRED.LLC_MISS MEM_LOAD_UOPS_RETIRED.LLC_MISS "
        "MEM_LOAD_UOPS_RETIRED.L3_MISS MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM MEM_LOAD_RETIRED.L3_MISS "
        "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM MEM_LOAD_UOPS_RETIRED.DRAM_HIT MEM_LOAD_UOPS_RETIRED_MISC.L3_MISS",
    [PEBS_ROLE_OTHER_CORE] =
        "MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM "
        "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_MISS MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HIT "
        "MEM_LOAD_UOPS_LLC_HIT_RETIRED.XSNP_HITM MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS "
        "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HIT MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM "
        "MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM "
        "MEM_UOPS_RETIRED.HITM MEM_LOAD_UOPS_RETIRED.HITM",
    [PEBS_ROLE_REMOTE] = "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT MEM_UNCORE_RETIRED.REMOTE_DRAM",
    [PEBS_ROLE_FILL_BUFFER] = "MEM_LOAD_RETIRED.HIT_LFB MEM_LOAD_UOPS_RETIRED.HIT_LFB MEM_LOAD_RETIRED.FB_HIT "
                              "MEM_LOAD_UOPS_RETIRED.WCB_HIT",
    [PEBS_ROLE_STORE_UNDER_WAY] = "MOB_load_replay_retired",
    [PEBS_ROLE_TLB_MISS_LOADS] = "DTLB_load_miss_retired MEM_LOAD_RETIRED.DTLB_MISS MEM_UOPS_RETIRED.STLB_MISS_LOADS "
                                 "MEM_INST_RETIRED.STLB_MISS_LOADS MEM_UOPS_RETIRED.DTLB_MISS_LOADS",
    [PEBS_ROLE_TLB_MISS_STORES] =
        "DTLB_store_miss_retired MEM_STORE_RETIRED.DTLB_MISS MEM_UOPS_RETIRED.STLB_MISS_STORES "
        "MEM_INST_RETIRED.STLB_MISS_STORES MEM_UOPS_RETIRED.DTLB_MISS_STORES",
    [PEBS_ROLE_TLB_MISS_ACCESSES] = "DTLB_all_miss_retired MEM_UOPS_RETIRED.DTLB_MISS MEM_UOPS_RETIRED.STLB_MISS",
    [PEBS_ROLE_TLB_MISS_CODE] = "ITLB_MISS_RETIRED",
    [PEBS_ROLE_UOPS] = "UOPS_RETIRED.ANY UOPS_RETIRED.RETIRE_SLOTS UOPS_RETIRED.MACRO_FUSED UOPS_RETIRED.ALL",
    [PEBS_ROLE_PACKED_SINGLE] = "packed_SP_retired SSEX_UOPS_RETIRED.PACKED_SINGLE",
    [PEBS_ROLE_PACKED_DOUBLE] = "packed_DP_retired SSEX_UOPS_RETIRED.PACKED_DOUBLE",
    [PEBS_ROLE_SCALAR_SINGLE] = "scalar_SP_retired SSEX_UOPS_RETIRED.SCALAR_SINGLE",
    [PEBS_ROLE_SCALAR_DOUBLE] = "scalar_DP_retired SSEX_UOPS_RETIRED.SCALAR_DOUBLE",
    [PEBS_ROLE_INTEGER_VECTOR] = "128_bit_MMX_retired SSEX_UOPS_RETIRED.VECTOR_INTEGER",
    [PEBS_ROLE_SSE] = "SIMD_INST_RETIRED.ANY",
    [PEBS_ROLE_SSE_MOVES] = "X87_SIMD_memory_moves_retired",
    [PEBS_ROLE_ASSIST] = "FP_ASSIST.ALL FP_ASSIST.OUTPUT FP_ASSIST.INPUT OTHER_ASSISTS.ANY",
    [PEBS_ROLE_FRONTEND] = "FRONTEND_RETIRED",
    [PEBS_ROLE_TSX] = "HLE_RETIRED.ABORTED RTM_RETIRED.ABORTED",
};

UNIT_TEST(what_each_event_counts)
{
    for (size_t l = 0; l < list_count; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const struct pebs_event *event = &lists[l]->events[i];

            assert_true(event->role < PEBS_ROLE_COUNT);
            if (!intel_has_word(counts[event->role], event->name))
                fail_msg("%s counts something else", event->name);
        }
}

UNIT_TEST(no_event_left_out)
{
    for (size_t role = 0; role < PEBS_ROLE_COUNT; role++) {
        assert_non_null(counts[role]); /* otherwise no event has this role */
        for (const char *at = counts[role]; *at; at += strspn(at, " ")) {
            char name[64];

            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
            if (!is_listed(name))
                fail_msg("no core has %s", name);
            at += strlen(name);
        }
    }
}

UNIT_TEST(no_event_is_listed_twice)
{
    for (size_t l = 0; l < list_count; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const struct pebs_event *event = &lists[l]->events[i];
            assert_non_null(event->name);
            assert_int_not_equal(event->counters, 0);
            for (size_t j = 0; j < i; j++) {
                if (lists[l] != &pebs_events_netburst) /* NetBurst's codes are not in one register */
                    assert_int_not_equal(event->select, lists[l]->events[j].select);
                assert_string_not_equal(event->name, lists[l]->events[j].name);
            }
        }
}

UNIT_TEST(an_event_by_its_role)
{
    assert_null(pebs_event_of(&pebs_events_none, PEBS_ROLE_LOADS, UINT64_MAX));
    assert_null(pebs_event_of(&pebs_events_core2, PEBS_ROLE_LOADS, UINT64_MAX));
    assert_null(pebs_event_of(&pebs_events_haswell, PEBS_ROLE_PRECISE_STORE, UINT64_MAX));
    assert_null(
        pebs_event_of(&pebs_events_haswell, PEBS_ROLE_MISPREDICTED_RETURNS, UINT64_MAX)); /* only Broadwell has it */
    assert_null(pebs_event_of(&pebs_events_sandy_bridge, PEBS_ROLE_PREC_DIST, 0x1));      /* it is on counter 1 */
    assert_non_null(pebs_event_of(&pebs_events_sandy_bridge, PEBS_ROLE_PREC_DIST, 0x3));
}

/* No workload causes the roles from PEBS_ROLE_TRIGGERED on. Each has a reason. */
UNIT_TEST(roles_without_workload)
{
    assert_int_equal(PEBS_ROLE_TRIGGERED, PEBS_ROLE_TLB_MISS_ACCESSES + 1);
    for (unsigned role = 0; role < PEBS_ROLE_COUNT; role++)
        assert_int_equal(pebs_role_untriggered((enum pebs_role)role) != NULL, role >= PEBS_ROLE_TRIGGERED);
}
