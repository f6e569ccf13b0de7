/* SPDX-License-Identifier: MIT */
#include "measure/kinds.h"

#include <stddef.h>

#define KIB 1024u
#define MIB (1024u * KIB)

/* Displacements: from the first level and not from the second; from the second; from the last, and from the TLBs. */
#define FROM_FIRST  (128 * KIB)
#define FROM_SECOND (4 * MIB)
#define FROM_LAST   (12 * MIB)

static const uint32_t all_loads = STEP_LOAD | STEP_LOCKED | STEP_RETURN;
static const uint32_t all_stores = STEP_STORE | STEP_LOCKED | STEP_CALL;

/* Events of lines that are not in the first level, by how their names end. */
static const struct {
    const char *ending;
    unsigned displace;
    bool counted; /* only what a second level holds is the same on all processors */
} cold[] = {
    { ".L1_MISS", FROM_FIRST, true },
    { ".L1D_MISS", FROM_FIRST, true },
    { ".L1D_LINE_MISS", FROM_FIRST, true },
    { "1stL_cache_load_miss_retired", FROM_FIRST, true },
    { "_RETIRED.L2_HIT", FROM_FIRST, true },
    { ".L3_HIT", FROM_SECOND, false },
    { ".LLC_HIT", FROM_SECOND, false },
    { ".LLC_UNSHARED_HIT", FROM_SECOND, false },
    { ".XSNP_NONE", FROM_SECOND, false },
    { "2ndL_cache_load_miss_retired", FROM_LAST, false },
    { ".L2_MISS", FROM_LAST, false },
    { ".L2_LINE_MISS", FROM_LAST, false },
    { ".L3_MISS", FROM_LAST, false },
    { ".LLC_MISS", FROM_LAST, false },
    { ".LOCAL_DRAM", FROM_LAST, false },
    { ".STLB_MISS_LOADS", FROM_LAST, false },
    { "MEM_LOAD_RETIRED.DTLB_MISS", FROM_LAST, false },
    { "DTLB_load_miss_retired", FROM_LAST, false },
    { "DTLB_all_miss_retired", FROM_LAST, false },
};

#define ALL_SSE (STEP_PACKED_SP | STEP_PACKED_DP | STEP_SCALAR_SP | STEP_SCALAR_DP | STEP_INTEGER)

/* Arithmetic, likewise. */
static const struct {
    const char *ending;
    uint32_t kinds;
} sse[] = {
    { "packed_SP_retired", STEP_PACKED_SP }, { ".PACKED_SINGLE", STEP_PACKED_SP },
    { "packed_DP_retired", STEP_PACKED_DP }, { ".PACKED_DOUBLE", STEP_PACKED_DP },
    { "scalar_SP_retired", STEP_SCALAR_SP }, { ".SCALAR_SINGLE", STEP_SCALAR_SP },
    { "scalar_DP_retired", STEP_SCALAR_DP }, { ".SCALAR_DOUBLE", STEP_SCALAR_DP },
    { "128_bit_MMX_retired", STEP_INTEGER }, { ".VECTOR_INTEGER", STEP_INTEGER },
    { "SIMD_INST_RETIRED.ANY", ALL_SSE },
};

static size_t length(const char *text)
{
    size_t n = 0;

    while (text[n] != '\0')
        n++;
    return n;
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = length(text), m = length(ending);

    for (size_t i = 0; i < m; i++)
        if (m > n || text[n - m + i] != ending[i])
            return false;
    return true;
}

static bool is_netburst(const struct pebs_event *event)
{
    return event->select == 0;
}

/*
 * NetBurst's memory events count tagged micro-operations, and locked accesses, returns and far transfers cannot be
 * tagged: SDM Vol. 3B (253669), "At-Retirement Counting".
 */
static uint32_t taggable(const struct pebs_event *event, uint32_t kinds)
{
    return is_netburst(event) ? kinds & ~(STEP_LOCKED | STEP_RETURN | STEP_FAR) : kinds;
}

struct cause cause_of(const struct pebs_event *event)
{
    static const uint32_t kinds[PEBS_ROLE_TRIGGERED] = {
        [PEBS_ROLE_INSTRUCTIONS] = STEP_INSTRUCTION,
        [PEBS_ROLE_PREC_DIST] = STEP_INSTRUCTION,
        [PEBS_ROLE_LOADS] = all_loads,
        [PEBS_ROLE_STORES] = all_stores,
        [PEBS_ROLE_LOCKED_LOADS] = STEP_LOCKED,
        [PEBS_ROLE_SPLIT_LOADS] = STEP_SPLIT_LOAD,
        [PEBS_ROLE_SPLIT_STORES] = STEP_SPLIT_STORE,
        [PEBS_ROLE_L1_HITS] = STEP_WARM,
        [PEBS_ROLE_X87] = STEP_X87,
        [PEBS_ROLE_MMX] = STEP_MMX,
        [PEBS_ROLE_BRANCHES] = STEP_BRANCH | STEP_FAR,
        [PEBS_ROLE_CONDITIONAL] = STEP_CONDITIONAL,
        [PEBS_ROLE_TAKEN] = STEP_TAKEN,
        [PEBS_ROLE_NEAR_CALLS] = STEP_CALL,
        [PEBS_ROLE_NEAR_RETURNS] = STEP_RETURN,
        [PEBS_ROLE_FAR] = STEP_FAR,
        [PEBS_ROLE_LOAD_LATENCY] = all_loads,
        [PEBS_ROLE_PRECISE_STORE] = all_stores,
    };

    for (unsigned i = 0; i < sizeof cold / sizeof cold[0]; i++)
        if (ends_with(event->name, cold[i].ending))
            return (struct cause){ STEP_COLD, cold[i].counted, cold[i].displace, NULL };
    for (unsigned i = 0; i < sizeof sse / sizeof sse[0]; i++)
        if (ends_with(event->name, sse[i].ending))
            return (struct cause){ sse[i].kinds, true, 0, NULL };
    if (event->role == PEBS_ROLE_FRONTEND)
        return (struct cause){ STEP_INSTRUCTION, false, 0, NULL };
    if (event->role >= PEBS_ROLE_TRIGGERED)
        return (struct cause){ 0, false, 0, pebs_role_untriggered(event->role) };
    return (struct cause){ taggable(event, kinds[event->role]), event->role != PEBS_ROLE_LOAD_LATENCY,
                           event->role == PEBS_ROLE_L1_HITS ? FROM_FIRST : 0, NULL };
}

unsigned steps_count(const struct steps *steps)
{
    return (unsigned)(steps->count + (steps->workload->limit - steps->tail) / WORKLOAD_STEPS_TAIL_BYTES);
}

bool steps_is(const struct steps *steps, unsigned position, uint32_t kinds)
{
    const uint32_t its = position < steps->count         ? steps->all[position].kinds
                         : position < steps_count(steps) ? STEP_INSTRUCTION
                                                         : 0;
    return (its & kinds) != 0;
}

int steps_position(const struct steps *steps, uint64_t ip)
{
    for (unsigned i = 0; i < steps->count; i++)
        if (steps->all[i].ip == ip)
            return (int)i;
    if (ip < steps->tail || ip > steps->workload->limit || (ip - steps->tail) % WORKLOAD_STEPS_TAIL_BYTES)
        return -1;
    return (int)(steps->count + (ip - steps->tail) / WORKLOAD_STEPS_TAIL_BYTES);
}

unsigned steps_before(const struct steps *steps, uint32_t kinds, unsigned position)
{
    unsigned count = 0;

    for (unsigned i = 0; i < position; i++)
        count += steps_is(steps, i, kinds);
    return count;
}

unsigned steps_nth(const struct steps *steps, uint32_t kinds, unsigned n)
{
    unsigned i = 0;

    for (; i < steps_count(steps); i++)
        if (steps_is(steps, i, kinds) && --n == 0)
            break;
    return i;
}
