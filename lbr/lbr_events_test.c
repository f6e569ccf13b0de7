/* SPDX-License-Identifier: MIT */
/*
 * LBR event logging: an entry counts how often the events of general counters happened since the previous entry.
 * Events before the first jump of workload_pieces are ignored, because instructions that open the window cause some of
 * them. A processor may count a jump for its own entry or for the next one. Both give equal counts, because each piece
 * ends with one jump.
 */
#include "suite/suite.h"

#include "lbr/lbr_layout.h"
#include "suite/support/count.h"

#define GROUP .needs = NEED_LBR | NEED_ARCH_LBR | NEED_LBR_EVENTS, .records = true

#define INSTRUCTIONS UINT64_C(0x00c0) /* INST_RETIRED.ANY_P, architectural */
#define BRANCHES     UINT64_C(0x00c4) /* BR_INST_RETIRED.ALL_BRANCHES, architectural */
#define COUNTING     (PERFEVTSEL_EN | PERFEVTSEL_USR | PERFEVTSEL_OS)
#define LOGGED       (COUNTING | PERFEVTSEL_BR_CNTR)

#define LBR_EVENTS_SOURCE \
    "Linux 6.8, arch/x86/events/intel/lbr.c and arch/x86/include/asm/msr-index.h, LBR_INFO_BR_CNTR_*"

/* The event that a counter is programmed with, and how often it happens in each piece; NULL: events are not logged. */
struct logged {
    uint64_t select;
    unsigned (*events)(const struct piece_counts *piece);
};

static unsigned instructions_of(const struct piece_counts *piece)
{
    return piece->instructions;
}

static unsigned branches_of(const struct piece_counts *piece)
{
    return piece->branches;
}

static unsigned loads_of(const struct piece_counts *piece)
{
    return piece->loads;
}

/* Records the workload in lbr_recorded, with these counters and a filter. */
static void record(struct test_run *run, const struct logged logged[LBR_COUNTERS], uint64_t counting, uint64_t suppress)
{
    struct window window;

    interrupts_off();
    for (unsigned n = 0; n < LBR_COUNTERS; n++)
        if (run->caps->general_counters >> n & 1)
            counter_program(n, logged[n].select, 0, run->caps->full_width_write);
    lbr_empty(run, suppress, &lbr_recorded);
    window = lbr_window(run->caps, 0);
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, counting);
    workload_pieces.run(&window);
    msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
    lbr_read(run->caps, &lbr_recorded);
    lbr_clear(run, LBR_NO_FILTER);
    interrupts_on();
    lbr_check(run, &lbr_recorded);
}

/*
 * The number of events that the entry of the workload's branch `last` must count: of all pieces after branch `before`.
 */
static unsigned expected(const struct logged *logged, uint64_t before, uint64_t last)
{
    unsigned events = 0;

    for (uint64_t i = before + 1; logged->events && i <= last; i++)
        events += logged->events(&workload_piece_counts[i]);
    return events < LBR_EVENTS_MAX ? events : LBR_EVENTS_MAX;
}

/* The number of the workload's branches that pass the filter, except the first, whose piece is partly the window's. */
static unsigned planned(const struct caps *caps, uint64_t suppress)
{
    const unsigned passing = branch_count(&workload_pieces, ~suppress) - 1;

    return passing < caps->lbr_depth ? passing : caps->lbr_depth;
}

/*
 * Returns how many entries are used. Compares the newest entries with the workload, from the last branch back to the
 * second one that passes the filter.
 */
static unsigned compare(struct test_run *run, const struct logged logged[LBR_COUNTERS], uint64_t suppress)
{
    const struct branch *branches = workload_pieces.branches;
    uint64_t last = workload_pieces.branch_count;
    unsigned used = 0;

    for (unsigned age = 0; age < planned(run->caps, suppress); age++) {
        const struct lbr_entry *got = &lbr_recorded.entries[age];
        unsigned events[LBR_COUNTERS];
        uint64_t before;
        do
            last--;
        while (branches[last].kind & suppress);
        for (before = last - 1; branches[before].kind & suppress; before--)
            ;
        used += lbr_is_used(got);
        for (unsigned n = 0; n < LBR_COUNTERS; n++)
            events[n] = expected(&logged[n], before, last);
        lbr_compare_events(run, age, got, &branches[last], events);
    }
    return used;
}

/* In all runs of a test, all counters count the same number of the same event, whether they log it or not. */
static void compare_counts(struct test_run *run, const struct logged logged[LBR_COUNTERS], uint64_t counting)
{
    static const struct test *test;
    static struct logged seen[LBR_COUNTERS];
    static uint64_t counts[LBR_COUNTERS];
    static unsigned kinds;
    unsigned kind;

    kinds = test == run->test ? kinds : 0;
    test = run->test;
    for (unsigned n = 0; n < LBR_COUNTERS; n++) {
        const uint64_t select = logged[n].select & ~PERFEVTSEL_BR_CNTR;

        if (!(counting >> n & 1) || !select)
            continue;
        for (kind = 0; kind < kinds && seen[kind].select != select; kind++)
            ;
        if (kind == LBR_COUNTERS)
            continue;
        if (kind == kinds) {
            seen[kinds].select = select;
            counts[kinds++] = counter_read(n);
        }
        count_equal(run, ERRATA_INSTRUCTIONS | ERRATA_BRANCHES, "events of a counter", counter_read(n), counts[kind]);
    }
}

static void log_events(struct test_run *run, const struct logged logged[LBR_COUNTERS], uint64_t counting,
                       uint64_t suppress)
{
    unsigned used = 0;

    test_plan(run, run->expected + planned(run->caps, suppress)); /* of all calls together */
    for (unsigned i = 0; i < 2; i++) {
        record(run, logged, counting, suppress);
        compare_counts(run, logged, counting);
        if (lbr_recorded.error == LBR_DECODE_OK)
            used = compare(run, logged, suppress);
    }
    records_print_lbr(run, &lbr_recorded);
    test_saw(run, used);
}

/* Each counter in turn logs an event. The other counters are programmed with the other events and do not log. */
static void one_at_a_time(struct test_run *run, uint64_t select, unsigned (*events)(const struct piece_counts *))
{
    for (unsigned n = 0; n < LBR_COUNTERS; n++) {
        struct logged logged[LBR_COUNTERS] = { { 0, NULL } };
        if (!(run->caps->lbr_counters >> n & 1))
            continue;
        for (unsigned i = 0; i < LBR_COUNTERS; i++)
            logged[i].select = BRANCHES | COUNTING;
        logged[n] = (struct logged){ select | LOGGED, events };
        log_events(run, logged, run->caps->lbr_counters, 0);
    }
}

static void log_instructions(struct test_run *run)
{
    one_at_a_time(run, INSTRUCTIONS, instructions_of);
}

static void log_branches(struct test_run *run)
{
    one_at_a_time(run, BRANCHES, branches_of);
}

static const struct pebs_event *loads(const struct caps *caps)
{
    return pebs_event_of(caps->events, PEBS_ROLE_LOADS, caps->lbr_counters);
}

static const char *no_loads(const struct caps *caps)
{
    return loads(caps) ? NULL : "no event for loads is known on a counter whose events LBR entries can count";
}

/* The lowest counter that can both log and count this event. */
static unsigned counter_of(const struct caps *caps, const struct pebs_event *event)
{
    unsigned n = 0;

    while (!(event->counters & caps->lbr_counters & MSR_BIT(n)))
        n++;
    return n;
}

static void log_loads(struct test_run *run)
{
    const struct pebs_event *event = loads(run->caps);
    struct logged logged[LBR_COUNTERS] = { { 0, NULL } };

    logged[counter_of(run->caps, event)] = (struct logged){ event->select | LOGGED, loads_of };
    log_events(run, logged, run->caps->lbr_counters, 0);
}

/* Counters count instructions and branches alternately, so that a field in the wrong position has the wrong number. */
static void together(struct test_run *run)
{
    struct logged logged[LBR_COUNTERS] = { { 0, NULL } };

    for (unsigned n = 0; n < LBR_COUNTERS; n++)
        if (run->caps->lbr_counters >> n & 1)
            logged[n] = n & 1 ? (struct logged){ BRANCHES | LOGGED, branches_of }
                              : (struct logged){ INSTRUCTIONS | LOGGED, instructions_of };
    log_events(run, logged, run->caps->lbr_counters, 0);
}

static void before_filtered(struct test_run *run)
{
    struct logged logged[LBR_COUNTERS] = { { 0, NULL } };

    for (unsigned n = 0; n < LBR_COUNTERS; n++)
        if (run->caps->lbr_counters >> n & 1)
            logged[n] = (struct logged){ BRANCHES | LOGGED, branches_of };
    log_events(run, logged, run->caps->lbr_counters, LBR_SELECT_NEAR_REL_JMP);
    log_events(run, logged, run->caps->lbr_counters, LBR_SELECT_JCC);
}

/* Counters that count without logging, and counters that log but are enabled by only one of the two bits. */
static void not_logged(struct test_run *run)
{
    static const struct {
        uint64_t select;
        bool global;
    } cases[] = {
        { INSTRUCTIONS | COUNTING, true },
        { INSTRUCTIONS | PERFEVTSEL_BR_CNTR | PERFEVTSEL_OS | PERFEVTSEL_USR, true },
        { INSTRUCTIONS | LOGGED, false },
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct logged logged[LBR_COUNTERS] = { { 0, NULL } };
        for (unsigned n = 0; n < LBR_COUNTERS; n++)
            if (run->caps->lbr_counters >> n & 1)
                logged[n].select = cases[i].select;
        log_events(run, logged, cases[i].global ? run->caps->lbr_counters : 0, 0);
    }
}

/* The workload runs at CPL 0. */
static void rings(struct test_run *run)
{
    static const uint64_t ring[] = { PERFEVTSEL_USR, PERFEVTSEL_OS };

    for (unsigned i = 0; i < 2; i++) {
        struct logged logged[LBR_COUNTERS] = { { 0, NULL } };
        for (unsigned n = 0; n < LBR_COUNTERS; n++)
            if (run->caps->lbr_counters >> n & 1)
                logged[n] = (struct logged){ INSTRUCTIONS | PERFEVTSEL_EN | PERFEVTSEL_BR_CNTR | ring[i],
                                             ring[i] == PERFEVTSEL_OS ? instructions_of : NULL };
        log_events(run, logged, run->caps->lbr_counters, 0);
    }
}

/* First no counter logs, then each alone. */
static void counts_alike(struct test_run *run)
{
    struct logged logged[LBR_COUNTERS] = { { 0, NULL } };

    for (unsigned i = 0; i <= LBR_COUNTERS; i++) {
        for (unsigned n = 0; n < LBR_COUNTERS; n++)
            logged[n].select = BRANCHES | (n + 1 == i && run->caps->lbr_counters >> n & 1 ? LOGGED : COUNTING);
        record(run, logged, run->caps->lbr_counters, 0);
        compare_counts(run, logged, run->caps->lbr_counters);
    }
}

/* Writes each of the eight bits alone, then all, to each entry and reads them back. */
static void readback(struct test_run *run)
{
    const uint64_t field = UINT64_C(0xff) << LBR_INFO_EVENTS_SHIFT;

    lbr_clear(run, LBR_NO_FILTER);
    for (unsigned bit = 0; bit <= 8; bit++) {
        const uint64_t value = bit < 8 ? MSR_BIT(LBR_INFO_EVENTS_SHIFT + bit) : field;
        msr_write(MSR_IA32_LBR_INFO(bit % run->caps->lbr_depth), value);
        test_equal(run, "IA32_LBR_x_INFO", msr_get(MSR_IA32_LBR_INFO(bit % run->caps->lbr_depth)), value);
    }
    lbr_clear(run, LBR_NO_FILTER);
}

/* If a counter cannot log, the flag is refused or has no effect. */
static void others(struct test_run *run)
{
    for (unsigned n = 0; n < run->caps->general_count; n++) {
        const bool can = run->caps->lbr_counters >> n & 1;
        const bool taken = msr_try(MSR_IA32_PERFEVTSEL(n), PERFEVTSEL_BR_CNTR);
        if (can)
            test_equal(run, "IA32_PERFEVTSELx with bit 35", msr_get(MSR_IA32_PERFEVTSEL(n)), PERFEVTSEL_BR_CNTR);
        if (!can && taken)
            test_differs(run, "IA32_PERFEVTSEL%u takes bit 35, and CPUID.1CH:ECX does not say that it can log", n);
        msr_write(MSR_IA32_PERFEVTSEL(n), 0);
    }
}

#define ONLY_LINUX "Linux describes the field; no available edition says which events an entry counts exactly"

TESTS(event_counts) = {
    { "lbr.events.instructions",
      "An LBR entry counts the instructions since the last one, up to 3, in the two bits of the counter that logs "
      "them, and 0 for counters that do not log",
      LBR_EVENTS_SOURCE, .typical = ONLY_LINUX, GROUP, .run = log_instructions },
    { "lbr.events.branches", "If a counter logs all branches, an LBR entry also counts branches that were not taken",
      LBR_EVENTS_SOURCE, .typical = ONLY_LINUX, GROUP, .run = log_branches },
    { "lbr.events.loads", "An LBR entry counts 0 to 3 loads since the last one, and 3 for more", LBR_EVENTS_SOURCE,
      .typical = ONLY_LINUX, GROUP, .lacks = no_loads, .run = log_loads },
    { "lbr.events.together", "All counters that can log do so at once, each with its own count in an LBR entry",
      LBR_EVENTS_SOURCE, .typical = ONLY_LINUX, GROUP, .run = together },
    { "lbr.events.filter", "Events before a branch that the filter omits are counted in the next LBR entry",
      LBR_EVENTS_SOURCE, .typical = ONLY_LINUX, .needs = NEED_LBR | NEED_ARCH_LBR | NEED_LBR_SELECT | NEED_LBR_EVENTS,
      .records = true, .run = before_filtered },
    { "lbr.events.not_logged", "LBR entries count 0 events of a counter that does not log or does not count",
      LBR_EVENTS_SOURCE, GROUP, .run = not_logged },
    { "lbr.events.rings", "LBR entries count events only in the rings in which their counter counts", LBR_EVENTS_SOURCE,
      .typical = ONLY_LINUX, GROUP, .run = rings },
    { "lbr.events.counter", "A counter whose events LBR entries count still counts like other counters",
      LBR_EVENTS_SOURCE, .needs = NEED_LBR | NEED_ARCH_LBR | NEED_LBR_EVENTS, .run = counts_alike },
    { "lbr.events.readback", "The counts of events in an LBR entry can be written and read back",
      SDM_MSR_TABLE "IA32_LBR_x_INFO; " LBR_EVENTS_SOURCE, .needs = NEED_LBR | NEED_ARCH_LBR | NEED_LBR_EVENTS,
      .run = readback },
    { "lbr.events.select",
      "IA32_PERFEVTSELx takes bit 35 on the counters that CPUID.1CH:ECX names, and typically on no other",
      LBR_EVENTS_SOURCE "; SDM Vol. 2D (334569-081), \"WRMSR\", exceptions",
      .needs = NEED_LBR | NEED_ARCH_LBR | NEED_LBR_EVENTS, .run = others },
};
