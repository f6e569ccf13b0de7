/* SPDX-License-Identifier: MIT */
/*
 * Each precise event of this core that a workload triggers a known number of times at known places. For each other
 * event a note says why it was not exercised. The delay until PEBS is armed decides which of the places a record
 * describes (suite/support/pebs_places.h). If an event counts micro-operations, their number is not known exactly,
 * either.
 */
#include "suite/suite.h"

static void prepare_interrupt(void)
{
    interrupt_set_raw(VECTOR_WORKLOAD, workload_interrupt_entry, false);
}

/* Where an event's records can be. */
enum places {
    ACCESSES,     /* each of the workload's accesses */
    BRANCHES,     /* the workload's branches of these kinds */
    INSTRUCTIONS, /* any instruction, in program order: pebs_check_numbers() */
    RING,         /* one load, which chases the ring; in the first round it may miss */
    EVICTED       /* each of the workload's accesses, if its line or translation has stayed away since its eviction */
};

static const struct recipe {
    const struct workload *workload;
    unsigned rounds, period;
    enum places places;
    uint64_t kinds;
    void (*prepare)(void);
    const struct workload *also; /* another one with as many events at its places */
} recipes[PEBS_ROLE_TRIGGERED] = {
    [PEBS_ROLE_INSTRUCTIONS] = { &workload_straight, 1, 99, INSTRUCTIONS, 0, NULL, NULL },
    [PEBS_ROLE_PREC_DIST] = { &workload_straight, 1, 192, INSTRUCTIONS, 0, NULL, NULL },
    [PEBS_ROLE_LOADS] = { &workload_loads, 8, 33, ACCESSES, 0, NULL, NULL },
    [PEBS_ROLE_STORES] = { &workload_stores, 8, 33, ACCESSES, 0, NULL, NULL },
    [PEBS_ROLE_LOCKED_LOADS] = { &workload_locked, 8, 33, ACCESSES, 0, NULL, NULL },
    [PEBS_ROLE_SPLIT_LOADS] = { &workload_split_loads, 8, 33, ACCESSES, 0, NULL, NULL },
    [PEBS_ROLE_SPLIT_STORES] = { &workload_split_stores, 8, 33, ACCESSES, 0, NULL, NULL },
    [PEBS_ROLE_L1_HITS] = { &workload_chase, 1, 32, RING, 0, NULL, NULL },
    [PEBS_ROLE_X87] = { &workload_x87, 8, 33, ACCESSES, 0, workload_x87_prepare, NULL },
    [PEBS_ROLE_MMX] = { &workload_mmx, 8, 33, ACCESSES, 0, workload_x87_prepare, NULL },
    [PEBS_ROLE_BRANCHES] = { &workload_long_loop, 1, 148, BRANCHES, BRANCH_KINDS_ALL, NULL, NULL },
    [PEBS_ROLE_CONDITIONAL] = { &workload_long_loop, 1, 148, BRANCHES, BRANCH_KINDS_ALL, NULL, NULL },
    [PEBS_ROLE_TAKEN] = { &workload_kinds, 32, 33, BRANCHES, BRANCH_KINDS_ALL, NULL, NULL },
    [PEBS_ROLE_NEAR_CALLS] = { &workload_calls, 64, 33, BRANCHES, LBR_SELECT_NEAR_REL_CALL, NULL, NULL },
    [PEBS_ROLE_NEAR_RETURNS] = { &workload_calls, 64, 33, BRANCHES, LBR_SELECT_NEAR_RET, NULL, NULL },
    [PEBS_ROLE_FAR] = { &workload_interrupt, 64, 33, BRANCHES, LBR_SELECT_FAR_BRANCH, prepare_interrupt, NULL },
    [PEBS_ROLE_LOAD_LATENCY] = { &workload_chase, 1, 32, RING, 0, NULL, NULL },
    [PEBS_ROLE_PRECISE_STORE] = { &workload_stores, 8, 33, ACCESSES, 0, NULL, NULL },
    [PEBS_ROLE_L1_MISSES] = { &workload_flushed, 8, 33, EVICTED, 0, NULL, NULL },
    [PEBS_ROLE_L2_MISSES] = { &workload_flushed, 8, 33, EVICTED, 0, NULL, NULL },
    [PEBS_ROLE_L3_MISSES] = { &workload_flushed, 8, 33, EVICTED, 0, NULL, NULL },
    [PEBS_ROLE_TLB_MISS_LOADS] = { &workload_untranslated, 8, 33, EVICTED, 0, NULL, &workload_all_untranslated },
    [PEBS_ROLE_TLB_MISS_STORES] = { &workload_untranslated_stores, 8, 33, EVICTED, 0, NULL, NULL },
    [PEBS_ROLE_TLB_MISS_ACCESSES] = { &workload_untranslated, 8, 33, EVICTED, 0, NULL, &workload_untranslated_stores },
};

/*
 * The processor picks the occurrences of these events that it counts, so one record may take many rounds. It may also
 * fetch a line or translation again at any time: SDM Vol. 2A (253666-083), "CLFLUSH"; Vol. 3A (253668-081), "Operations
 * that Invalidate TLBs and Paging-Structure Caches".
 */
static bool at_random(const struct pebs_event *event)
{
    return event->role == PEBS_ROLE_LOAD_LATENCY || event->role == PEBS_ROLE_PRECISE_STORE ||
           recipes[event->role].places == EVICTED;
}

/* The manual does not say how many micro-operations an addition has. */
static bool counts_operations(const struct pebs_event *event)
{
    return event->role == PEBS_ROLE_X87 || event->role == PEBS_ROLE_MMX;
}

/* The errata that make the event's count wrong. */
static unsigned errata_of(const struct pebs_event *event)
{
    return event->role == PEBS_ROLE_LOCKED_LOADS   ? HAS_ERRATUM(HSD76)
           : event->role == PEBS_ROLE_L3_MISSES    ? HAS_ERRATUM(BDM100)
           : event->role == PEBS_ROLE_LOAD_LATENCY ? HAS_ERRATUM(HSD76) | HAS_ERRATUM(BDM100)
                                                   : 0;
}

struct bounds {
    unsigned least, most;
};

static unsigned typical(const struct caps *caps, const struct pebs_sample *sample)
{
    const struct recipe *r = &recipes[sample->event->role];
    const unsigned a_round = r->places == BRANCHES ? branch_count(r->workload, r->kinds) : pebs_events_of_round(sample);
    const unsigned misses = r->places == RING ? WORKLOAD_CHASE_LINES : 0; /* upper limit */

    return pebs_typical(caps, sample, r->rounds * a_round - misses);
}

static struct pebs_sample sample_of(const struct caps *caps, const struct pebs_event *event)
{
    const struct recipe *r = &recipes[event->role];

    return (struct pebs_sample){ .event = event,
                                 .workload = r->workload,
                                 .counter = pebs_counter(caps, event),
                                 .rounds = r->rounds,
                                 .until = at_random(event),
                                 .period = r->period };
}

/* The number of records that an event must write. */
static struct bounds expect(const struct caps *caps, const struct pebs_event *event)
{
    enum { OPERATIONS = 4 }; /* micro-operations of one addition, at most */
    const struct pebs_sample sample = sample_of(caps, event);
    const unsigned usual = typical(caps, &sample);

    struct bounds bounds = { (usual + 1) / 2, usual };

    if (at_random(event))
        bounds.least = 1;
    if (recipes[event->role].places == RING)
        bounds.most = usual + 1;
    if (counts_operations(event))
        bounds.most = OPERATIONS * usual;
    return bounds;
}

/* pebs_compare() says whether a record describes an access of the workload. */
static void check_places(struct test_run *run, const struct pebs_sample *sample, const struct recipe *r)
{
    struct pebs_record record;

    for (unsigned n = 0; r->places == BRANCHES && n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        pebs_check_branch(run, sample->workload, r->kinds, n, &record);
    if (r->places != BRANCHES && r->places != RING && !at_random(sample->event) && !counts_operations(sample->event))
        pebs_check_numbers(run, sample, pebs_sample_spacing(run->caps, sample) - 1);
}

static void exercise(struct test_run *run, const struct pebs_event *event, const struct workload *workload)
{
    const struct recipe *r = &recipes[event->role];
    struct pebs_sample sample = sample_of(run->caps, event);
    const struct bounds bounds = expect(run->caps, event);
    unsigned came;

    sample.workload = workload;
    if (r->prepare)
        r->prepare();
    if (!pebs_sample(run, &sample))
        return;
    came = ds_pebs_log()->records;
    if ((came < bounds.least || came > bounds.most) && errata_any(run, errata_of(event)))
        errata_explain(run, errata_of(event), "%s wrote %u records, must be %u to %u", event->name, came, bounds.least,
                       bounds.most);
    else if (came < bounds.least || came > bounds.most)
        test_fail(run, "%s wrote %u records, must be %u to %u", event->name, came, bounds.least, bounds.most);
    else if (came < typical(run->caps, &sample) || (came > typical(run->caps, &sample) && r->places != RING))
        test_differs(run, "%s wrote %u records, typically %u", event->name, came, typical(run->caps, &sample));
    check_places(run, &sample, r);
}

/* Returns why no workload triggers the event; NULL if one does. */
static const char *untriggered(const struct caps *caps, const struct pebs_event *event)
{
    if (!(event->counters & caps->pebs_counters))
        return "no counter of this processor can sample it";
    if (event->role == PEBS_ROLE_L3_MISSES && event->family == PEBS_FAMILY_MEM_LOAD_L3)
        return "the memory may be that of another socket";
    return pebs_role_untriggered(event->role);
}

static void events(struct test_run *run)
{
    const struct pebs_event_list *list = run->caps->events;
    struct bounds all = { 0, 0 };

    for (size_t i = 0; i < list->count; i++) {
        const char *why_not = untriggered(run->caps, &list->events[i]);
        if (why_not) {
            console_note("event %s not exercised: %s", list->events[i].name, why_not);
            continue;
        }
        const struct bounds bounds = expect(run->caps, &list->events[i]);
        const bool unknown = errata_any(run, errata_of(&list->events[i]));
        const unsigned times = recipes[list->events[i].role].also ? 2 : 1;
        all.least += unknown ? 0 : times * bounds.least;
        all.most += (unknown ? 2 : 1) * times * bounds.most;
    }
    test_plan_between(run, all.least, all.most);
    for (size_t i = 0; i < list->count; i++) {
        const struct pebs_event *const event = &list->events[i];
        if (untriggered(run->caps, event))
            continue;
        exercise(run, event, recipes[event->role].workload);
        if (recipes[event->role].also)
            exercise(run, event, recipes[event->role].also);
    }
}

TEST(pebs_events) = {
    .id = "pebs.events",
    .title = "Each precise event that a workload triggers writes the expected number of records, at its places",
    .source = SDM_PEBS_EVENTS,
    .needs = NEED_APIC | NEED_PEBS | NEED_PEBS_REGISTERS | NEED_EVENT_ANY,
    .records = true,
    .run = events,
};
