/* SPDX-License-Identifier: MIT */
/* PEBS samples compared with the workloads' tables, and counts. */
#include <inttypes.h>
#include <string.h>

#include "pebs/data_source_decode.h"
#include "pebs/perf_mem_layout.h"
#include "suite/measure/kinds.h"
#include "tools/linux/claims.h"
#include "tools/linux/output.h"

#define PERIOD              61u  /* events: p and p + 1 = 2q, so that no round's length makes all samples alike */
#define PERIOD_INSTRUCTIONS 448u /* Broadwell needs a multiple of 64 */
#define SAMPLES             60u
#define SAVES_BYTES         10u /* push_kept of suite/workload/width.inc */
#define PLACES_MAX          2048u
#define RING_LINES          0x40000u /* of the far ring: 16 MiB, more than most caches hold */
#define LINE                64u
#define STEP_BRANCHES       (STEP_BRANCH | STEP_TAKEN | STEP_CONDITIONAL | STEP_CALL | STEP_RETURN | STEP_FAR)
#define LATENCY_THRESHOLD   30u /* core cycles that no load from the first level takes */

/* What an instruction must show, in execution order. */
static struct place {
    uint64_t before;   /* the instruction before a conditional branch that is not taken; else 0 */
    uint64_t ip, next; /* the instruction; the one that execution continues at */
    uint64_t address;  /* of data; 0: not known */
    uint64_t value;    /* in rax; 0: not known */
} places[PLACES_MAX];
static unsigned place_count;

static const struct steps *const all_steps[] = { &workload_steps_straight, &workload_steps_branchy,
                                                 &workload_steps_far };
#define STEPS (sizeof all_steps / sizeof *all_steps)

static const struct steps *steps_of(const struct workload *workload)
{
    for (size_t i = 0; i < STEPS; i++)
        if (all_steps[i]->workload == workload)
            return all_steps[i];
    return NULL;
}

static void add_place(uint64_t before, uint64_t ip, uint64_t next, uint64_t address, uint64_t value)
{
    if (place_count < PLACES_MAX)
        places[place_count++] = (struct place){ before, ip, next, address, value };
}

static bool untaken(const struct steps *steps, unsigned i)
{
    return steps_is(steps, i, STEP_CONDITIONAL) && !steps_is(steps, i, STEP_TAKEN);
}

/* The places of the event in a workload: of kinds (STEP_*) if it has steps, else from its other tables. */
static void find_places(const struct workload *w, enum pebs_role role, uint32_t kinds)
{
    const struct steps *const steps = steps_of(w);
    uint64_t before = 0;

    place_count = 0;
    for (unsigned i = 0; steps && i < steps_count(steps); i++) {
        const uint64_t tail = steps->tail + (uint64_t)(i - steps->count) * WORKLOAD_STEPS_TAIL_BYTES;
        const uint64_t ip = i < steps->count ? steps->all[i].ip : tail;
        const uint64_t next = i + 1 < steps->count    ? steps->all[i + 1].ip
                              : i + 1 == steps->count ? steps->tail
                                                      : ip + 4;
        if (steps_is(steps, i, kinds))
            add_place(untaken(steps, i) ? before : 0, ip, next, 0, 0);
        before = ip;
    }
    if (steps)
        return;
    for (uint64_t i = 0; i < w->access_count; i++)
        add_place(0, w->accesses[i].ip, w->accesses[i].next_ip, w->accesses[i].address,
                  role == PEBS_ROLE_LOADS ? w->accesses[i].value : 0);
    for (uint64_t i = 0; i < w->branch_count && !w->access_count; i++)
        if (role == PEBS_ROLE_TAKEN || w->branches[i].kind & (LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL))
            add_place(0, w->branches[i].from, w->branches[i].to, 0, 0);
    for (uint64_t ip = w->start; w == &workload_straight && ip < w->limit; ip += WORKLOAD_STRAIGHT_STEP)
        add_place(0, ip, ip + WORKLOAD_STRAIGHT_STEP, 0, 0);
}

/* The place of a sample; NULL: it is at none. */
static const struct place *place_of(const struct sample *s)
{
    for (unsigned i = 0; i < place_count; i++)
        if ((s->exact ? places[i].ip : places[i].next) == s->ip)
            return &places[i];
    return NULL;
}

/* As erratum SKL018 reports a conditional branch that is not taken. */
static bool is_before(const struct sample *s)
{
    for (unsigned i = 0; i < place_count; i++)
        if (s->exact && places[i].before == s->ip)
            return true;
    return false;
}

/* The registers that hold known values while workload_loads runs, by the instructions' numbers. */
static void check_registers(struct check *c, unsigned n, const struct sample *s)
{
    for (unsigned i = 1; i < 16; i++) {
        const uint64_t got = s->registers[perf_numbers[i]];
        if (i == 4 || got == WORKLOAD_REGISTER(i))
            continue;
        check_wrong(c, "sample %u has 0x%" PRIx64 " in register %u, must be 0x%" PRIx64, n, got, i,
                    (uint64_t)WORKLOAD_REGISTER(i));
        return;
    }
    if ((s->registers[PERF_FLAGS] & WORKLOAD_FLAGS_MASK) != WORKLOAD_FLAGS)
        check_wrong(c, "sample %u has the flags 0x%" PRIx64 ", must be 0x%" PRIx64 " of 0x%" PRIx64, n,
                    s->registers[PERF_FLAGS], WORKLOAD_FLAGS, WORKLOAD_FLAGS_MASK);
}

static void check_vectors(struct check *c, unsigned n, const struct sample *s)
{
    for (unsigned i = 0; i < WORKLOAD_XMMS; i++) {
        const uint64_t low = s->registers[32 + 2 * i], high = s->registers[33 + 2 * i];
        if (low == WORKLOAD_XMM_LOW(i) && high == WORKLOAD_XMM_HIGH(i))
            continue;
        check_wrong(c, "sample %u has 0x%016" PRIx64 "%016" PRIx64 " in xmm%u", n, high, low, i);
        return;
    }
}

static bool has_address(const struct check *c, const struct pebs_event *event)
{
    const struct caps *const caps = &c->kind->caps;

    return event->data_address && caps->perfmon_version > 2 && caps->pebs_form.reserved != PEBS_RESERVED_MEMORY;
}

/* Whether the sample is of the body, and not of the instructions before it that save registers. */
static bool is_inside(const struct workload *w, const struct sample *s)
{
    const uint64_t run = (uintptr_t)w->run, before = s->exact ? 0 : 1; /* else ip is the next instruction's */

    return s->ip >= w->start + before && s->ip < w->limit + before &&
           !(s->ip >= run && s->ip < run + SAVES_BYTES + before);
}

/* Compares the samples inside the workload with its places. Returns their number. */
static unsigned compare(struct check *c, const struct recording *r, const struct pebs_event *event, unsigned number)
{
    const struct workload *const w = r->workload;
    unsigned inside = 0;

    for (unsigned n = 0; n < r->samples; n++) {
        const struct sample *const s = &perf_samples[n];
        if (s->event != number || !is_inside(w, s))
            continue;
        const struct place *const place = place_of(s);
        inside++;
        c->seen++;
        if (!place) {
            check_but(c, is_before(s) ? HAS_ERRATUM(SKL018) : 0,
                      "%s: sample %u is %s 0x%" PRIx64 ", where the event does not occur", event->name, n,
                      s->exact ? "at" : "before", s->ip);
            if (c->problems)
                return inside;
            continue;
        }
        if (place->address && has_address(c, event) && s->address != place->address)
            check_wrong(c, "%s: sample %u has the address 0x%" PRIx64 ", must be 0x%" PRIx64, event->name, n,
                        s->address, place->address);
        if (place->value && r->attr[number].sample_regs_intr && s->registers[0] != place->value)
            check_wrong(c, "%s: sample %u has 0x%" PRIx64 " in rax, must be 0x%" PRIx64, event->name, n,
                        s->registers[0], place->value);
        if (w == &workload_loads && r->attr[number].sample_regs_intr)
            check_registers(c, n, s);
        if (c->claim->what == PEBS_XMM && place - places >= (int)WORKLOAD_XMMS)
            check_vectors(c, n, s);
        if (c->problems > 3)
            return inside;
    }
    return inside;
}

static struct perf_event_attr sampled(const struct check *c, const struct pebs_event *event, unsigned period)
{
    struct perf_event_attr attr = check_event(c, event->select);

    attr.precise_ip = c->claim->precise & 3;
    attr.sample_period = period;
    attr.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_INTR;
    attr.sample_regs_intr = REGISTERS;
    if (c->claim->what == PEBS_SINGLE)
        attr.sample_type |= PERF_SAMPLE_READ; /* Linux then takes each record out of the buffer at its interrupt */
    if (c->claim->what == PEBS_XMM)
        attr.sample_regs_intr |= XMM_REGISTERS;
    return attr;
}

static bool is_of_instructions(const struct pebs_event *event)
{
    return event->role == PEBS_ROLE_INSTRUCTIONS || event->role == PEBS_ROLE_PREC_DIST;
}

/*
 * Samples an event over a workload and compares. An overflow arms PEBS, and a later event is recorded; so samples are
 * a little more than a period apart, and a quarter may be late or lost.
 */
static void sample_event(struct check *c, const struct pebs_event *event, const struct workload *w, uint32_t kinds)
{
    const unsigned period = is_of_instructions(event) ? PERIOD_INSTRUCTIONS : PERIOD;
    struct recording r = { .workload = w };
    unsigned inside;

    find_places(w, event->role, kinds);
    r.rounds = SAMPLES * period / place_count + 1;
    r.attr[0] = sampled(c, event, period);
    if (!check_record(c, &r))
        return;
    output_samples(perf_samples, r.samples, w, event->name);
    inside = compare(c, &r, event, 0);
    const unsigned most = r.rounds * place_count / (is_of_instructions(event) ? 384 : period) + 2;
    if ((inside < most * 3 / 4 && !r.throttled && !r.lost) || inside > most + r.interruptions)
        check_wrong(c, "%s: %u samples in the workload, expected %u to %u", event->name, inside, most * 3 / 4,
                    most + r.interruptions);
}

void check_pebs(struct check *c)
{
    const struct pebs_event *const event = pebs_event_of(c->kind->caps.events, c->claim->role, UINT64_MAX);

    if (c->claim->precise > c->kind->precise)
        check_skip(c, "Linux offers no such precise_ip here (caps/max_precise)");
    else if (!event)
        check_skip(c, "no such precise event is known for this processor");
    else
        sample_event(c, event, c->claim->workload, 0);
}

/* Far returns and the instructions before them also load and store, which their table does not say. */
static bool is_known(const struct steps *steps, uint32_t kinds)
{
    return steps != &workload_steps_far || kinds & (STEP_FAR | STEP_INSTRUCTION);
}

/* Each precise event of this core that occurs at known instructions, over the workloads that cause it. */
void check_events(struct check *c)
{
    const struct pebs_event_list *const list = c->kind->caps.events;
    unsigned events = 0;

    if (c->claim->precise > c->kind->precise)
        check_skip(c, "Linux offers no such precise_ip here (caps/max_precise)");
    else if (!list->count)
        check_skip(c, caps_reason_text(CAPS_NO_EVENT_ANY));
    for (size_t i = 0; i < list->count && !c->skipped && c->problems < 3; i++) {
        const struct cause cause = cause_of(&list->events[i]);
        for (size_t n = 0; n < STEPS && cause.counted && !cause.displace; n++) {
            const struct steps *const steps = all_steps[n];
            if (!is_known(steps, cause.kinds) || steps_before(steps, cause.kinds, steps_count(steps)) == 0)
                continue;
            sample_event(c, &list->events[i], steps->workload, cause.kinds);
            events += !c->skipped;
            if (c->skipped)
                check_differs(c, "%s: %s", list->events[i].name, c->why);
            c->skipped = false;
        }
    }
    if (!events && !c->skipped)
        check_skip(c, "Linux refuses each precise event");
}

/* Loads and stores in one group. */
void check_two(struct check *c)
{
    static const enum pebs_role roles[] = { PEBS_ROLE_LOADS, PEBS_ROLE_STORES };
    const struct steps *const steps = &workload_steps_branchy;
    const struct pebs_event *events[2];
    struct recording r = { .workload = steps->workload, .events = 2, .rounds = 4 * PERIOD };

    for (unsigned i = 0; i < 2; i++) {
        events[i] = pebs_event_of(c->kind->caps.events, roles[i], UINT64_MAX);
        if (!events[i]) {
            check_skip(c, "no such precise event is known for this processor");
            return;
        }
        r.attr[i] = sampled(c, events[i], PERIOD);
    }
    if (!check_record(c, &r))
        return;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t kinds = cause_of(events[i]).kinds;
        const unsigned least = r.rounds / PERIOD * steps_before(steps, kinds, steps_count(steps)) / 2;
        find_places(r.workload, roles[i], kinds);
        const unsigned inside = compare(c, &r, events[i], i);
        if (inside < least && !r.throttled)
            check_wrong(c, "%s: %u samples, expected at least %u", events[i]->name, inside, least);
    }
}

/* ---- load latency ---- */

static _Alignas(LINE) uint64_t far_ring[RING_LINES][LINE / 8];

static void link_far_ring(void)
{
    for (uint64_t i = 0; i < RING_LINES; i++) /* a permutation: the factor is 1 mod 4, the addend odd */
        far_ring[i][0] = (uintptr_t)far_ring[(i * 0x9e35 + 0x3039) % RING_LINES];
    workload_walk_first = (uintptr_t)far_ring[0];
    workload_walk_steps = RING_LINES;
}

/* Whether a code of this core's encoding has this level and snoop. */
static bool is_legal(const struct check *c, uint64_t source)
{
    const uint64_t mask = LEVEL(0x3fff) | SNOOP(0x1f);

    for (uint64_t code = 0; code < 0x200; code++)
        if ((data_source_bits(c->kind->caps.data_source, code) & mask) == (source & mask))
            return true;
    return false;
}

static void check_threshold(struct check *c, const struct workload *w, unsigned n, unsigned threshold)
{
    const struct sample *const s = &perf_samples[n];
    const uint64_t latency = s->latency & UINT32_MAX, instruction = s->latency >> 32 & 0xffff;

    if (perf_inside(w, s->ip) && latency < threshold && instruction < threshold)
        check_wrong(c, "sample %u took %" PRIu64 " cycles, below the threshold of %u", n, latency, threshold);
}

void check_latency(struct check *c)
{
    const bool far = c->claim->what == LATENCY_FAR;
    const unsigned threshold = far ? LATENCY_THRESHOLD : 3;
    const uint64_t ring = far ? (uintptr_t)far_ring : (uintptr_t)workload_ring;
    const uint64_t bytes = far ? sizeof far_ring : sizeof workload_ring;
    struct recording r = { .workload = c->claim->workload, .events = 1, .rounds = far ? 1 : 4 };
    struct perf_event_attr event = perf_event(c->kind->type, 0), auxiliary = event;
    unsigned number = 0, inside = 0, first_level = 0;

    link_far_ring();
    if (!machine_event(c->kind, "mem-loads", &event)) {
        check_skip(c, "Linux offers no event mem-loads here");
        return;
    }
    event.config1 = threshold;
    event.precise_ip = 2;
    event.sample_period = 97; /* fewer than SAMPLES_MAX of the far ring */
    event.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    if (machine_event(c->kind, "mem-loads-aux", &auxiliary))
        r.attr[number++] = auxiliary;
    r.attr[number] = event;
    r.events = number + 1;
    if (!check_record(c, &r))
        return;
    find_places(r.workload, PEBS_ROLE_LOAD_LATENCY, 0);
    output_samples(perf_samples, r.samples, r.workload, "mem-loads");
    for (unsigned n = 0; n < r.samples && c->problems < 3; n++) {
        const struct sample *const s = &perf_samples[n];
        if (!perf_inside(r.workload, s->ip))
            continue;
        if (s->address - ring >= bytes && far)
            continue; /* the walk also loads its parameters */
        inside++;
        c->seen++;
        if (!place_of(s))
            check_wrong(c, "sample %u is at 0x%" PRIx64 ", not at the load", n, s->ip);
        if (s->address - ring >= bytes || s->address % LINE != 0)
            check_wrong(c, "sample %u has the address 0x%" PRIx64 ", outside the ring", n, s->address);
        check_threshold(c, r.workload, n, threshold);
        if (!(s->source & OP(OP_LOAD)) || !is_legal(c, s->source))
            check_wrong(c, "sample %u has the data source 0x%" PRIx64 ", which this core does not have", n, s->source);
        first_level += (s->source & LEVEL(LEVEL_L1)) != 0;
    }
    if (inside < 10 && !r.throttled)
        check_but(c, HAS_ERRATUM(CML095), "%u samples of the ring's loads, expected at least 10", inside);
    if (!far && first_level < inside * 3 / 4)
        check_differs(c, "%u of %u loads from a ring of 1 KiB hit the first level", first_level, inside);
    if (far && first_level > inside / 4)
        check_wrong(c, "%u of %u loads slower than %u cycles are from the first level", first_level, inside, threshold);
    r.workload = &workload_chase; /* the threshold keeps out loads from the first level */
    r.rounds = 4;
    if (!far || !check_record(c, &r))
        return;
    for (unsigned n = 0; n < r.samples && c->problems < 3; n++)
        check_threshold(c, r.workload, n, threshold);
}

/* ---- counting ---- */

/* What starting and stopping counts is taken off. Interrupts may add to the count. */
static void compare_count(struct check *c, const char *name, struct perf_event_attr attr, const struct steps *steps,
                          uint32_t kinds)
{
    const uint64_t want = 4 * steps_before(steps, kinds, steps_count(steps));
    struct recording r = { .attr[0] = attr, .workload = steps->workload, .rounds = 4 };
    struct recording nothing = { .attr[0] = attr, .workload = &workload_nothing, .rounds = 4 };
    unsigned errata = 0;

    if (!check_record(c, &nothing) || !check_record(c, &r))
        return;
    const uint64_t got = r.counts[0] - nothing.counts[0];
    const unsigned between = r.interruptions + nothing.interruptions;
    c->seen++;
    if (got >= want / 2 && got <= 2 * want) /* as perfmon/counter_test.c */
        errata = (kinds & STEP_INSTRUCTION ? ERRATA_INSTRUCTIONS : 0) | (kinds & STEP_BRANCHES ? ERRATA_BRANCHES : 0) |
                 (steps == &workload_steps_far ? HAS_ERRATUM(SRF7) : 0);
    const int64_t difference = (int64_t)(got - want);
    if (difference > (int64_t)between || difference < -(int64_t)between)
        check_but(c, errata, "%s counts %" PRId64 ", must be %" PRIu64 ", interruptions %u", name, (int64_t)got, want,
                  between);
}

/* The architectural events, or each precise event of this core, over the workloads that cause it. */
void check_count(struct check *c)
{
    static const struct {
        const char *name;
        uint64_t event;
        uint32_t kinds;
    } architectural[] = { { "instructions", PERF_COUNT_HW_INSTRUCTIONS, STEP_INSTRUCTION },
                          { "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, STEP_BRANCH | STEP_FAR } };
    const struct pebs_event_list *const list = c->kind->caps.events;

    for (size_t n = 0; n < STEPS && !c->skipped; n++) {
        const struct steps *const steps = all_steps[n];
        for (size_t i = 0; i < 2 && !c->claim->what; i++)
            compare_count(c, architectural[i].name, machine_architectural(c->kind, architectural[i].event), steps,
                          architectural[i].kinds);
        for (size_t i = 0; i < list->count && c->claim->what && !c->skipped; i++) {
            const struct cause cause = cause_of(&list->events[i]);
            if (cause.counted && !cause.displace && is_known(steps, cause.kinds) &&
                list->events[i].role != PEBS_ROLE_PREC_DIST && list->events[i].role != PEBS_ROLE_PRECISE_STORE)
                /* Linux may count these two on a counter that lacks them. */
                compare_count(c, list->events[i].name, check_event(c, list->events[i].select), steps, cause.kinds);
        }
    }
    if (c->claim->what && !list->count)
        check_skip(c, caps_reason_text(CAPS_NO_EVENT_ANY));
}
