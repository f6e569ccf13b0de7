/* SPDX-License-Identifier: MIT */
#include "measure/kinds.h"

static bool equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Of a line that was loaded once and then driven out of the first level alone. */
static bool counts_first_level_misses(const struct pebs_event *event)
{
    static const char *const names[] = { "MEM_LOAD_RETIRED.L1_MISS",    "MEM_LOAD_UOPS_RETIRED.L1_MISS",
                                         "MEM_LOAD_RETIRED.L2_HIT",     "MEM_LOAD_UOPS_RETIRED.L2_HIT",
                                         "MEM_LOAD_RETIRED.L1D_MISS",   "MEM_LOAD_RETIRED.L1D_LINE_MISS",
                                         "1stL_cache_load_miss_retired" };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (equal(event->name, names[i]))
            return true;
    return false;
}

/*
 * Its memory events count tagged micro-operations, and locked accesses, returns and far transfers cannot be tagged: SDM
 * Vol. 3B (253669), "At-Retirement Counting".
 */
static bool is_netburst(const struct pebs_event *event)
{
    return event->select == 0;
}

uint32_t kinds_of(const struct pebs_event *event, const char **why_not)
{
    static const uint32_t kinds[PEBS_ROLE_COUNT] = {
        [PEBS_ROLE_INSTRUCTIONS] = STEP_INSTRUCTION,
        [PEBS_ROLE_PREC_DIST] = STEP_INSTRUCTION,
        [PEBS_ROLE_LOADS] = STEP_LOAD | STEP_LOCKED | STEP_RETURN,
        [PEBS_ROLE_STORES] = STEP_STORE | STEP_LOCKED | STEP_CALL,
        [PEBS_ROLE_LOCKED_LOADS] = STEP_LOCKED,
        [PEBS_ROLE_SPLIT_LOADS] = STEP_SPLIT_LOAD,
        [PEBS_ROLE_SPLIT_STORES] = STEP_SPLIT_STORE,
        [PEBS_ROLE_L1_HITS] = STEP_L1_HIT,
        [PEBS_ROLE_X87] = STEP_X87,
        [PEBS_ROLE_MMX] = STEP_MMX,
        [PEBS_ROLE_BRANCHES] = STEP_BRANCH | STEP_FAR,
        [PEBS_ROLE_CONDITIONAL] = STEP_CONDITIONAL,
        [PEBS_ROLE_TAKEN] = STEP_TAKEN,
        [PEBS_ROLE_NEAR_CALLS] = STEP_CALL,
        [PEBS_ROLE_NEAR_RETURNS] = STEP_RETURN,
        [PEBS_ROLE_FAR] = STEP_FAR,
        [PEBS_ROLE_PRECISE_STORE] = STEP_STORE | STEP_LOCKED | STEP_CALL,
    };

    *why_not = NULL;
    if (counts_first_level_misses(event))
        return STEP_L1_MISS;
    if (is_netburst(event) && event->role == PEBS_ROLE_LOADS)
        return STEP_LOAD;
    if (is_netburst(event) && event->role == PEBS_ROLE_STORES)
        return STEP_STORE | STEP_CALL;
    if (event->role == PEBS_ROLE_LOAD_LATENCY)
        *why_not = "which loads it counts is up to the processor";
    else
        *why_not = pebs_role_untriggered(event->role);
    return *why_not ? 0 : kinds[event->role];
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
