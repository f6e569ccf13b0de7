/* SPDX-License-Identifier: MIT */
/*
 * The manual's precise events (SDM_PEBS_EVENTS), a test for each family: samples must be at instructions that can cause
 * the event. Every event must have samples, except mispredictions and misses of cache levels and TLBs, whose number
 * depends on the processor.
 */
#include "suite/suite.h"

#include "lib/format.h"
#include "suite/measure/kinds.h"
#include "suite/measure/sampler.h"

#define ROUNDS 4u

/* Instructions of the window around a workload, at most. */
#define WINDOW 8u

/* Where samples of an event are expected: code with known instructions, or for mispredictions all branches. */
struct place {
    const struct steps *steps; /* NULL: branches */
    const struct workload *workload;
    struct cause cause;
    uint64_t branches;   /* branch kinds, LBR_SELECT_* */
    const char *why_not; /* NULL: not skipped */
};

/* Jumps that cannot be predicted, and a conditional one that alternates. */
static const struct place mispredictions[PEBS_ROLE_COUNT] = {
    [PEBS_ROLE_MISPREDICTED] = { .workload = &workload_surprises, .branches = BRANCH_KINDS_ALL },
    [PEBS_ROLE_MISPREDICTED_CONDITIONAL] = { .workload = &workload_loop, .branches = LBR_SELECT_JCC },
    [PEBS_ROLE_MISPREDICTED_CALLS] = { .why_not = "no workload has a call that is hard to predict" },
    [PEBS_ROLE_MISPREDICTED_RETURNS] = { .why_not = "no workload has a return that is hard to predict" },
};

/* The code with most instructions that cause the event. */
static struct place place_of(const struct caps *caps, const struct pebs_event *event)
{
    static const struct steps *const codes[] = { &workload_steps_straight, &workload_steps_loads,
                                                 &workload_steps_branchy, &workload_steps_far };
    const struct place *misprediction = &mispredictions[event->role];
    struct place place = { .cause = cause_of(event) };
    unsigned best = 0;

    if (sampler_lacks(caps, event))
        return (struct place){ .why_not = sampler_lacks(caps, event) };
    if (misprediction->workload && caps_missing(caps, NEED_EVENTING_IP) != CAPS_AVAILABLE)
        return (struct place){ .why_not = "the record does not identify the branch: no EventingIP" };
    if (misprediction->workload || misprediction->why_not)
        return *misprediction;
    if (place.cause.why_not)
        return (struct place){ .why_not = place.cause.why_not };
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        const unsigned events = steps_before(codes[i], place.cause.kinds, steps_count(codes[i]));
        if (events > best) {
            best = events;
            place.steps = codes[i];
            place.workload = codes[i]->workload;
        }
    }
    if (place.cause.displace && !sampler_displace(place.cause.displace))
        return (struct place){ .why_not = "not enough free memory to evict lines from the caches" };
    return place;
}

/* The most events in a round. */
static unsigned events_of(const struct place *place)
{
    return place->steps ? steps_before(place->steps, place->cause.kinds, steps_count(place->steps))
                        : 2 * branch_count(place->workload, place->branches);
}

/* The shortest odd period with which all records fit the buffer. An even one could miss half of a loop of two. */
static unsigned period_of(const struct caps *caps, const struct place *place)
{
    return (ROUNDS * (events_of(place) + WINDOW) / sampler_room(caps) + 1) | 1;
}

static bool of_kind(const struct caps *caps, const struct place *place, const struct pebs_record *record)
{
    if (place->steps) {
        const int position = sampler_position(caps, place->steps, record);
        return position >= 0 && steps_is(place->steps, (unsigned)position, place->cause.possible);
    }
    for (uint64_t i = 0; i < place->workload->branch_count; i++) {
        const struct branch *branch = &place->workload->branches[i];
        if (branch->from == record->eventing_ip && branch->kind & place->branches)
            return true;
    }
    return false;
}

static void exercise(struct test_run *run, const struct pebs_event *event, const struct place *place)
{
    unsigned samples = 0, right = 0;
    char share[8];
    struct window window;
    struct pebs_record record;

    sampler_prepare();
    if (event->role == PEBS_ROLE_FRONTEND)
        msr_write(MSR_PEBS_FRONTEND, PEBS_FRONTEND_L1I_MISS);
    if (!sampler_open(run, event, place->workload, period_of(run->caps, place), &window))
        return;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (place->cause.displace)
            sampler_displace(place->cause.displace);
        place->workload->run(&window);
    }
    sampler_close(run);
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        if (!sampler_inside(run->caps, place->workload, &record))
            continue;
        samples++;
        right += of_kind(run->caps, place, &record);
    }
    format(share, sizeof share, samples ? "%u%%" : "-", samples ? 100 * right / samples : 0);
    console_note("%-42s %8u %13u %7s", event->name, samples, right, share);
    console_note("measure events event %s samples %u of_kind %u", event->name, samples, right);
    if (right < samples)
        test_fail(run, "%s: %u of %u samples are at other instructions", event->name, samples - right, samples);
    if (!samples && place->cause.counted)
        test_fail(run, "%s: no sample was taken", event->name);
    test_saw(run, samples);
}

struct family {
    enum pebs_family family;
    const char *absent; /* why the test is skipped if the processor has no such event */
};

static void exercise_family(struct test_run *run)
{
    const struct family *of = run->test->argument;
    const struct pebs_event_list *list = run->caps->events;
    const char *why_not = of->absent;
    unsigned least = 0, most = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct pebs_event *event = &list->events[i];
        if (event->family != of->family)
            continue;
        const struct place place = place_of(run->caps, event);
        if (place.why_not) {
            console_note("event %s not exercised: %s", event->name, place.why_not);
            why_not = place.why_not;
            continue;
        }
        least += place.cause.counted;
        most += sampler_room(run->caps);
    }
    if (!most) {
        test_skip(run, why_not);
        return;
    }
    test_plan_between(run, least, most);
    console_note("%-42s %8s %13s %7s", "event", "samples", "of its kind", "share");
    for (size_t i = 0; i < list->count; i++) {
        const struct place place = place_of(run->caps, &list->events[i]);
        if (list->events[i].family == of->family && !place.why_not)
            exercise(run, &list->events[i], &place);
    }
    if (!least && !run->seen)
        test_skip(run, "none of these events gave a sample");
}

#define FAMILY(name, family_, word, absent_)                                                                     \
    TEST(measure_events_##name) = { .id = "measure.events." #name,                                               \
                                    .title = "Samples of " word " are at instructions that can cause the event", \
                                    .source = SDM_PEBS_EVENTS,                                                   \
                                    .needs = NEED_APIC | NEED_PEBS | NEED_EVENT_ANY,                             \
                                    .records = true,                                                             \
                                    .on_request = true,                                                          \
                                    .run = exercise_family,                                                      \
                                    .argument = &(const struct family){ family_, absent_ } }

FAMILY(inst_retired, PEBS_FAMILY_INST, "INST_RETIRED.*", "no precise INST_RETIRED on this processor");
FAMILY(other_assists, PEBS_FAMILY_ASSISTS, "OTHER_ASSISTS.*", "no OTHER_ASSISTS on this processor");
FAMILY(br_inst_retired, PEBS_FAMILY_BR_INST, "BR_INST_RETIRED.*", "no precise BR_INST_RETIRED on this processor");
FAMILY(br_misp_retired, PEBS_FAMILY_BR_MISP, "BR_MISP_RETIRED.*", "no precise BR_MISP_RETIRED on this processor");
FAMILY(frontend_retired, PEBS_FAMILY_FRONTEND, "FRONTEND_RETIRED", "no FRONTEND_RETIRED on this processor");
FAMILY(tsx, PEBS_FAMILY_TSX, "HLE_RETIRED.* and RTM_RETIRED.*", "no HLE_RETIRED and RTM_RETIRED on this processor");
FAMILY(mem_inst_retired, PEBS_FAMILY_MEM_INST, "MEM_INST_RETIRED.* and MEM_TRANS_RETIRED.*",
       "no precise MEM_INST_RETIRED on this processor");
FAMILY(mem_load_retired, PEBS_FAMILY_MEM_LOAD, "MEM_LOAD_RETIRED.*", "no precise MEM_LOAD_RETIRED on this processor");
FAMILY(mem_load_l3_retired, PEBS_FAMILY_MEM_LOAD_L3, "MEM_LOAD_L3_HIT_RETIRED.* and MEM_LOAD_L3_MISS_RETIRED.*",
       "no precise MEM_LOAD_L3_HIT_RETIRED on this processor");
FAMILY(other, PEBS_FAMILY_OLDER, "x87, MMX and SSE arithmetic, split accesses and TLB misses of older processors",
       "this processor has no such events of its own");
