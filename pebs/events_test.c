/* SPDX-License-Identifier: MIT */
/*
 * Each precise event of this core that a workload brings about in a known number and at known places, one after the
 * other; for the rest the output says why not.
 */
#include "suite/pebs_sample.h"

#include "arch/x86/interrupts.h"
#include "kernel/console.h"
#include "suite/sources.h"

#define STEPS (WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS)

static void prepare_interrupt(void)
{
    interrupt_set_raw(VECTOR_WORKLOAD, workload_interrupt_entry, false);
}

/* How the places of an event are known. */
enum places {
    ACCESSES,     /* each of the workload's accesses */
    BRANCHES,     /* its taken branches of these kinds */
    LOOP,         /* one branch, once more than it is taken */
    INSTRUCTIONS, /* anywhere, all instructions in order */
    RING          /* one load, that chases the ring */
};

static const struct recipe {
    const struct workload *workload;
    unsigned period;
    enum places places;
    uint64_t kinds;
    void (*prepare)(void);
} recipes[PEBS_ROLE_TRIGGERED] = {
    [PEBS_ROLE_INSTRUCTIONS] = { &workload_straight, 99, INSTRUCTIONS, 0, NULL },
    [PEBS_ROLE_PREC_DIST] = { &workload_straight, 192, INSTRUCTIONS, 0, NULL },
    [PEBS_ROLE_LOADS] = { &workload_loads, 3, ACCESSES, 0, NULL },
    [PEBS_ROLE_STORES] = { &workload_stores, 3, ACCESSES, 0, NULL },
    [PEBS_ROLE_LOCKED_LOADS] = { &workload_locked, 3, ACCESSES, 0, NULL },
    [PEBS_ROLE_SPLIT_LOADS] = { &workload_split_loads, 3, ACCESSES, 0, NULL },
    [PEBS_ROLE_SPLIT_STORES] = { &workload_split_stores, 3, ACCESSES, 0, NULL },
    [PEBS_ROLE_L1_HITS] = { &workload_chase, 32, RING, 0, NULL },
    [PEBS_ROLE_X87] = { &workload_x87, 3, ACCESSES, 0, workload_x87_prepare },
    [PEBS_ROLE_MMX] = { &workload_mmx, 3, ACCESSES, 0, workload_x87_prepare },
    [PEBS_ROLE_BRANCHES] = { &workload_long_loop, 148, LOOP, 0, NULL },
    [PEBS_ROLE_CONDITIONAL] = { &workload_long_loop, 148, LOOP, 0, NULL },
    [PEBS_ROLE_TAKEN] = { &workload_kinds, 1, BRANCHES, BRANCH_KINDS_ALL, NULL },
    [PEBS_ROLE_NEAR_CALLS] = { &workload_calls, 1, BRANCHES, LBR_SELECT_NEAR_REL_CALL, NULL },
    [PEBS_ROLE_NEAR_RETURNS] = { &workload_calls, 1, BRANCHES, LBR_SELECT_NEAR_RET, NULL },
    [PEBS_ROLE_FAR] = { &workload_interrupt, 1, BRANCHES, LBR_SELECT_FAR_BRANCH, prepare_interrupt },
    [PEBS_ROLE_LOAD_LATENCY] = { &workload_chase, 32, RING, 0, NULL },
    [PEBS_ROLE_PRECISE_STORE] = { &workload_stores, 3, ACCESSES, 0, NULL },
};

struct bounds {
    unsigned least, most;
};

/* How many records an event must leave. Of load latency the processor picks its loads; a first round may miss. */
static struct bounds expect(const struct pebs_event *event)
{
    const struct recipe *r = &recipes[event->role];
    const unsigned spacing = pebs_spacing(event, r->period);
    unsigned events = 0;

    switch (r->places) {
    case ACCESSES:
        events = (unsigned)r->workload->access_count;
        break;
    case BRANCHES:
        events = branch_count(r->workload, r->kinds);
        break;
    case LOOP:
        events = branch_count(r->workload, BRANCH_KINDS_ALL) + 1;
        break;
    case INSTRUCTIONS:
        events = (unsigned)r->workload->instructions;
        break;
    case RING:
        return (struct bounds){ event->role == PEBS_ROLE_LOAD_LATENCY ? 1 : (STEPS - WORKLOAD_CHASE_LINES) / spacing,
                                STEPS / spacing };
    }
    return (struct bounds){ events / spacing, events / spacing };
}

/* Holds the records against their places. */
static void check_places(struct test_run *run, const struct pebs_sample *sample, const struct recipe *r)
{
    const struct workload *w = r->workload;
    const unsigned spacing = pebs_spacing(sample->event, sample->period);
    const unsigned most = expect(sample->event).most;
    struct branch_walk walk = { w, r->kinds, 0, 0 };
    struct pebs_record record;

    for (unsigned n = 0; n < ds_pebs_log()->records && n < most && records_pebs(run, n, &record); n++) {
        const struct branch *branch = w->branches;
        const struct access *access = w->accesses;
        uint64_t ip = record.has & PEBS_HAS_EVENTING_IP ? record.eventing_ip : record.ip;

        switch (r->places) {
        case ACCESSES:
            access = &w->accesses[(n + 1) * spacing - 1];
            pebs_check(run, sample, &record, access->ip, access->next_ip);
            if (record.has & PEBS_HAS_MEMORY && sample->event->data_address)
                test_equal(run, "data address", record.data_address, access->address);
            break;
        case BRANCHES:
            for (unsigned i = 0; i < spacing; i++)
                branch = branch_next(&walk);
            pebs_check(run, sample, &record, branch->from, branch->to);
            break;
        case LOOP:
            pebs_check(run, sample, &record, branch->from, branch->to);
            break;
        case INSTRUCTIONS:
            if (ip < w->start || ip > w->limit)
                test_fail(run, "PEBS record %u is not of an instruction of the workload", n);
            break;
        case RING:
            pebs_check(run, sample, &record, access->ip, access->next_ip);
            break;
        }
    }
}

static void exercise(struct test_run *run, const struct pebs_event *event)
{
    const struct recipe *r = &recipes[event->role];
    const struct pebs_sample sample = {
        .event = event, .workload = r->workload, .counter = pebs_counter(run->caps, event), .period = r->period
    };
    const struct bounds bounds = expect(event);
    unsigned came;

    if (r->prepare)
        r->prepare();
    if (!pebs_sample(run, &sample))
        return;
    came = ds_pebs_log()->records;
    if (came < bounds.least || came > bounds.most)
        test_fail(run, "%s left %u records, must be %u to %u", event->name, came, bounds.least, bounds.most);
    check_places(run, &sample, r);
}

/* Why no workload brings the event about; NULL where one does. */
static const char *untriggered(const struct caps *caps, const struct pebs_event *event)
{
    if (!(event->counters & caps->pebs_counters))
        return "no counter of this processor can sample it";
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
        all.least += expect(&list->events[i]).least;
        all.most += expect(&list->events[i]).most;
    }
    test_plan_between(run, all.least, all.most);
    for (size_t i = 0; i < list->count; i++)
        if (!untriggered(run->caps, &list->events[i]))
            exercise(run, &list->events[i]);
}

TEST(pebs_events) = {
    .id = "pebs.events",
    .title = "Each precise event that a workload brings about leaves as many records as it must, at its places",
    .source = SDM_PEBS_EVENTS,
    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY,
    .records = true,
    .run = events,
};
