/* SPDX-License-Identifier: MIT */
#include "suite/measure/kinds.h"

#define KIB 1024u
#define MIB (1024u * KIB)

/* Bytes to load to evict lines from only the first-level cache, from the second, from the last, and from the TLBs. */
#define FROM_FIRST  (128 * KIB)
#define FROM_SECOND (4 * MIB)
#define FROM_LAST   (12 * MIB)

#define ALL_LOADS  (STEP_LOAD | STEP_LOCKED | STEP_RETURN)
#define ALL_STORES (STEP_STORE | STEP_LOCKED | STEP_CALL)
#define ALL_SSE    (STEP_PACKED_SP | STEP_PACKED_DP | STEP_SCALAR_SP | STEP_SCALAR_DP | STEP_INTEGER)

static bool is_netburst(const struct pebs_event *event)
{
    return event->select == 0;
}

/*
 * NetBurst's memory events count tagged micro-operations. Locked accesses, returns and far transfers cannot be tagged:
 * SDM Vol. 3B (253669-081), "At-Retirement Counting".
 */
static uint32_t taggable(const struct pebs_event *event, uint32_t kinds)
{
    return is_netburst(event) ? kinds & ~(STEP_LOCKED | STEP_RETURN | STEP_FAR) : kinds;
}

/*
 * Finds what causes an event. Hits in the first and second level are similar on all processors. Misses of other levels
 * and TLBs, and the loads that load latency samples, cannot be predicted. Any load may hit or miss, depending on the
 * processor's prefetchers and replacement.
 */
struct cause cause_of(const struct pebs_event *event)
{
    static const struct cause causes[PEBS_ROLE_COUNT] = {
        [PEBS_ROLE_INSTRUCTIONS] = { .kinds = STEP_INSTRUCTION, .counted = true },
        [PEBS_ROLE_PREC_DIST] = { .kinds = STEP_INSTRUCTION, .counted = true },
        [PEBS_ROLE_LOADS] = { .kinds = ALL_LOADS, .counted = true },
        [PEBS_ROLE_STORES] = { .kinds = ALL_STORES, .counted = true },
        [PEBS_ROLE_LOCKED_LOADS] = { .kinds = STEP_LOCKED, .counted = true },
        [PEBS_ROLE_SPLIT_LOADS] = { .kinds = STEP_SPLIT_LOAD, .counted = true },
        [PEBS_ROLE_SPLIT_STORES] = { .kinds = STEP_SPLIT_STORE, .counted = true },
        [PEBS_ROLE_L1_HITS] = { .kinds = STEP_WARM, .possible = ALL_LOADS, .counted = true, .displace = FROM_FIRST },
        [PEBS_ROLE_X87] = { .kinds = STEP_X87, .counted = true },
        [PEBS_ROLE_MMX] = { .kinds = STEP_MMX, .counted = true },
        [PEBS_ROLE_BRANCHES] = { .kinds = STEP_BRANCH | STEP_FAR, .counted = true },
        [PEBS_ROLE_CONDITIONAL] = { .kinds = STEP_CONDITIONAL, .counted = true },
        [PEBS_ROLE_TAKEN] = { .kinds = STEP_TAKEN, .counted = true },
        [PEBS_ROLE_NEAR_CALLS] = { .kinds = STEP_CALL, .counted = true },
        [PEBS_ROLE_NEAR_RETURNS] = { .kinds = STEP_RETURN, .counted = true },
        [PEBS_ROLE_FAR] = { .kinds = STEP_FAR, .counted = true },
        [PEBS_ROLE_LOAD_LATENCY] = { .kinds = ALL_LOADS },
        [PEBS_ROLE_PRECISE_STORE] = { .kinds = ALL_STORES, .counted = true },
        [PEBS_ROLE_L1_MISSES] = { .kinds = STEP_COLD, .possible = ALL_LOADS, .counted = true, .displace = FROM_FIRST },
        [PEBS_ROLE_L2_HITS] = { .kinds = STEP_COLD, .possible = ALL_LOADS, .counted = true, .displace = FROM_FIRST },
        [PEBS_ROLE_L2_MISSES] = { .kinds = STEP_COLD, .possible = ALL_LOADS, .displace = FROM_LAST },
        [PEBS_ROLE_L3_HITS] = { .kinds = STEP_COLD, .possible = ALL_LOADS, .displace = FROM_SECOND },
        [PEBS_ROLE_L3_MISSES] = { .kinds = STEP_COLD, .possible = ALL_LOADS, .displace = FROM_LAST },
        [PEBS_ROLE_TLB_MISS_LOADS] = { .kinds = STEP_COLD, .possible = ALL_LOADS, .displace = FROM_LAST },
        [PEBS_ROLE_TLB_MISS_STORES] = { .why_not = "no store of the measured code is to a page of its own" },
        [PEBS_ROLE_TLB_MISS_ACCESSES] = { .kinds = STEP_COLD,
                                          .possible = ALL_LOADS | ALL_STORES,
                                          .displace = FROM_LAST },
        [PEBS_ROLE_PACKED_SINGLE] = { .kinds = STEP_PACKED_SP, .counted = true },
        [PEBS_ROLE_PACKED_DOUBLE] = { .kinds = STEP_PACKED_DP, .counted = true },
        [PEBS_ROLE_SCALAR_SINGLE] = { .kinds = STEP_SCALAR_SP, .counted = true },
        [PEBS_ROLE_SCALAR_DOUBLE] = { .kinds = STEP_SCALAR_DP, .counted = true },
        [PEBS_ROLE_INTEGER_VECTOR] = { .kinds = STEP_INTEGER, .counted = true },
        [PEBS_ROLE_SSE] = { .kinds = ALL_SSE, .counted = true },
        [PEBS_ROLE_FRONTEND] = { .kinds = STEP_INSTRUCTION },
    };
    struct cause cause = causes[event->role];

    if (!cause.kinds && !cause.why_not)
        cause.why_not = pebs_role_untriggered(event->role);
    cause.possible = taggable(event, cause.possible | cause.kinds);
    cause.kinds = taggable(event, cause.kinds);
    return cause;
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
