/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of event counts in LBR entries (lbr/lbr_events_test.c), on a stack of variables: they pass where
 * it counts as is promised, and where it errs in one point those tests that are of that point report it. Registers by
 * their numbers from SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 38FH IA32_PERF_GLOBAL_CTRL, 1200H,
 * 1500H and 1600H IA32_LBR_x_INFO, _FROM_IP and _TO_IP, 14CEH IA32_LBR_CTL, 14CFH IA32_LBR_DEPTH.
 */
#include "tests/host/host_test.h"

#include "lbr/lbr_events_test.c"
#include "tests/host/machine/machine.h"

#define LAST 3u /* of the counters that log: 1 to 3 */

/* What the machine does wrong. */
enum wrong {
    NOTHING,
    NO_COUNTS, /* entries count nothing; .. nothing of the last counter */
    LAST_NOTHING,
    ONE_TOO_MANY, /* .. one too many of it, where it counts any */
    NEXT_FIELD,   /* .. in the field of the next counter */
    WRAPS,        /* a count begins anew after 3 */
    TAKEN_ALONE,  /* branches that are not taken are no events */
    FORGETS,      /* events before a branch that the filter leaves out are lost */
    KEEPS_ON,     /* counts are not cleared by an entry */
    ALWAYS_LOGS,  /* whatever the flag says; .. EN; .. IA32_PERF_GLOBAL_CTRL; .. the rings */
    WITHOUT_EN,
    WITHOUT_GLOBAL,
    ANY_RING,
    LOGGING_STILL, /* a counter that logs does not count; .. counts twice */
    LOGGING_TWICE,
    NONE_COUNTS, /* no counter counts */
    OTHER_PLACE, /* the newest entry is of another branch; .. the oldest that is looked at */
    OLDEST_OTHER,
    SELECT_REFUSED, /* of the last counter */
    BIT_LOST,       /* IA32_LBR_x_INFO lacks bit 39; .. cannot be written */
    INFO_REFUSED
};

static struct {
    enum wrong wrong;
    unsigned runs;
} cpu;

static struct caps caps;
static struct test_run run;

/* Twelve branches. Loads: none to four; the branches of a piece: the one at its end, and some that are not taken. */
#define PIECES 12u
#define JUMP   LBR_SELECT_NEAR_REL_JMP
#define BRANCH(n, of)                                                                   \
    {                                                                                   \
        .from = 0x1000 + 0x10 * (n), .to = 0x1008 + 0x10 * (n), .kind = of, .repeat = 1 \
    }
static const struct branch branches[PIECES] = { BRANCH(0, JUMP),           BRANCH(1, JUMP),  BRANCH(2, LBR_SELECT_JCC),
                                                BRANCH(3, JUMP),           BRANCH(4, JUMP),  BRANCH(5, LBR_SELECT_JCC),
                                                BRANCH(6, LBR_SELECT_JCC), BRANCH(7, JUMP),  BRANCH(8, JUMP),
                                                BRANCH(9, LBR_SELECT_JCC), BRANCH(10, JUMP), BRANCH(11, JUMP) };
const struct piece_counts workload_piece_counts[PIECES] = { { 1, 1, 0 }, { 1, 1, 0 }, { 3, 2, 1 }, { 2, 1, 1 },
                                                            { 6, 1, 4 }, { 4, 1, 2 }, { 1, 1, 0 }, { 5, 3, 1 },
                                                            { 2, 1, 0 }, { 9, 4, 3 }, { 1, 1, 0 }, { 2, 2, 0 } };

static unsigned events_of(uint64_t select, const struct piece_counts *piece)
{
    switch (select & 0xffff) {
    case 0:
        return 0;
    case 0xc0:
        return piece->instructions;
    case 0xc4:
        return cpu.wrong == TAKEN_ALONE ? 1 : piece->branches;
    case 0x81d0:
        return piece->loads;
    default:
        fail_msg("event select 0x%" PRIx64, select);
        return 0;
    }
}

static void push(const struct branch *branch, uint64_t info)
{
    for (unsigned n = caps.lbr_depth - 1; n > 0; n--)
        for (unsigned i = 0; i < 3; i++) {
            static const uint32_t first[] = { 0x1200, 0x1500, 0x1600 };
            machine_set(first[i] + n, msr_get(first[i] + n - 1));
        }
    machine_set(0x1200, info << 32);
    machine_set(0x1500, branch->from + ((cpu.wrong == OTHER_PLACE && branch == &branches[PIECES - 1]) ||
                                        (cpu.wrong == OLDEST_OTHER && branch == &branches[PIECES - 4])));
    machine_set(0x1600, branch->to);
}

/* Whether counter n counts at CPL 0. */
static bool counts(unsigned n, uint64_t select)
{
    return (msr_get(0x38f) >> n & 1 || cpu.wrong == WITHOUT_GLOBAL) && (select >> 22 & 1 || cpu.wrong == WITHOUT_EN) &&
           (select >> 17 & 1 || cpu.wrong == ANY_RING) && cpu.wrong != NONE_COUNTS;
}

/* The first piece has two instructions of the window besides. */
static void run_pieces(const struct window *window)
{
    const uint64_t on = window->on;
    unsigned count[LBR_COUNTERS] = { 0 };

    assert_int_equal(window->msr, 0x14ce);
    assert_int_equal(on & ~window->off, 1);
    cpu.runs++;
    for (unsigned i = 0; i < PIECES; i++) {
        const bool passes = on & (branches[i].kind == JUMP ? 0x20000 : 0x10000);
        uint64_t info = 0;
        for (unsigned n = 0; n < 4; n++) {
            const uint64_t select = msr_get(0x186 + n);
            const bool logs = select >> 35 & 1;
            const unsigned events =
                events_of(select, &workload_piece_counts[i]) + ((select & 0xffff) == 0xc0 && i == 0 ? 2 : 0);
            if (!counts(n, select))
                continue;
            machine_set(0xc1 + n, msr_get(0xc1 + n) + (logs && cpu.wrong == LOGGING_STILL   ? 0
                                                       : logs && cpu.wrong == LOGGING_TWICE ? 2 * events
                                                                                            : events));
            if ((logs || cpu.wrong == ALWAYS_LOGS) && caps.lbr_counters >> n & 1)
                count[n] += events;
        }
        for (unsigned n = 0; n < 4; n++) {
            unsigned value = cpu.wrong == WRAPS ? count[n] & 3 : count[n] < 3 ? count[n] : 3;
            if (cpu.wrong == NO_COUNTS || (cpu.wrong == LAST_NOTHING && n == LAST))
                value = 0;
            if (cpu.wrong == ONE_TOO_MANY && n == LAST && value && value < 3)
                value++;
            info |= (uint64_t)value << 2 * (cpu.wrong == NEXT_FIELD ? (n + 1) % 4 : n);
        }
        if (passes)
            push(&branches[i], info);
        if ((passes && cpu.wrong != KEEPS_ON) || cpu.wrong == FORGETS)
            memset(count, 0, sizeof count);
    }
}

const struct workload workload_pieces = { .run = run_pieces, .branches = branches, .branch_count = PIECES };

static const struct pebs_event events[] = {
    { "LOADS", PEBS_ROLE_LOADS, PEBS_FAMILY_NONE, 0x81d0, 0x5, true },
};
static const struct pebs_event_list list = { events, 1 }, none = { events, 0 };

static bool refuses(uint32_t msr, uint64_t value)
{
    return (cpu.wrong == SELECT_REFUSED && msr == 0x186 + LAST && value) ||
           (cpu.wrong == INFO_REFUSED && msr >= 0x1200 && msr < 0x1220 && value);
}

static void wrote(uint32_t msr, uint64_t value)
{
    if (msr >= 0x4c1 && msr < 0x4c5)
        machine_set(msr - 0x400, value);
    if (msr == 0x14cf)
        for (unsigned n = 0; n < 32; n++)
            for (unsigned i = 0; i < 3; i++)
                machine_set((uint32_t[]){ 0x1200, 0x1500, 0x1600 }[i] + n, 0);
    if (cpu.wrong == BIT_LOST && msr >= 0x1200 && msr < 0x1220)
        machine_set(msr, value & ~(UINT64_C(1) << 39));
}

static const struct test *const all[] = {
    &lbr_events_instructions, &lbr_events_branches, &lbr_events_loads,   &lbr_events_together, &lbr_events_filter,
    &lbr_events_not_logged,   &lbr_events_rings,    &lbr_events_counter, &lbr_events_readback,
};

/* Counters 1 to 3 log, and 0 to 3 count. */
static void start(enum wrong wrong)
{
    static const struct debugctl_bits core = { .freeze_lbrs = 0x800 };

    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    machine.write = wrote;
    machine.refuses = refuses;
    caps = (struct caps){ .debugctl = &core,
                          .global_ctrl = true,
                          .general_count = 4,
                          .general_width = 48,
                          .general_counters = 0xf,
                          .full_width_write = true,
                          .lbr_layout = LBR_LAYOUT_ARCH,
                          .lbr_format = LBR_FORMAT_ARCH,
                          .lbr_depth = 32,
                          .lbr_counters = 0xe,
                          .events = &list };
    run = (struct test_run){ .caps = &caps };
}

static void runs(unsigned i)
{
    run.test = all[i];
    all[i]->run(&run);
}

static void all_is_right(void **state)
{
    /* So many entries, of 11, or of the 7 and 3 that one of the filters lets pass, without the first. */
    static const unsigned expected[] = { 33, 33, 11, 11, 3 + 7, 33, 22, 0, 0 };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        runs(i);
        machine_found("");
        assert_int_equal(run.expected, expected[i]);
        assert_int_equal(run.seen, expected[i]);
        assert_int_equal(run.planned, i < 7);
        assert_int_equal(all[i]->records, i < 7);
        assert_int_equal(msr_get(0x38f) | msr_get(0x1500), 0);
        assert_int_equal(all[i]->needs, NEED_LBR | NEED_ARCH_LBR | NEED_LBR_EVENTS |
                                            (all[i] == &lbr_events_filter ? NEED_LBR_SELECT : 0));
        assert_true(!all[i]->lacks || !all[i]->lacks(&caps));
    }
    /* A short stack; one counter alone; and counters of which some do not exist. */
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        caps.lbr_depth = 8;
        runs(i);
        machine_found("");
        if (i == 0)
            assert_int_equal(run.seen, 24);
        start(NOTHING);
        caps.lbr_counters = 0x4;
        caps.general_counters = 0x6;
        runs(i);
        machine_found("");
        assert_int_equal(msr_get(0x186) | msr_get(0x189), 0);
    }
}

/* Which tests report how many problems, by the last parts of their ids. */
static const char *reports(enum wrong wrong)
{
    static char text[400];

    *text = '\0';
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(wrong);
        runs(i);
        machine_sum(text, sizeof text, all[i]->id + strlen("lbr.events."), &run);
    }
    return text;
}

static void each_error(void **state)
{
    static const struct {
        enum wrong wrong;
        const char *reports;
    } cases[] = {
        { NO_COUNTS, "instructions 33, branches 33, loads 6, together 33, filter 30, rings 33" },
        { LAST_NOTHING, "instructions 11, branches 11, together 11, filter 10, rings 11" },
        { ONE_TOO_MANY, "instructions 6, branches 9, together 9, filter 5, rings 6" },
        { NEXT_FIELD, "instructions 66, branches 66, loads 12, together 32, filter 20, rings 22" },
        { WRAPS, "instructions 12, branches 3, loads 1, together 6, filter 9, rings 12" },
        { TAKEN_ALONE, "branches 12, together 8, filter 9" },
        { FORGETS, "filter 9" },
        { KEEPS_ON, "instructions 18, branches 27, loads 7, together 24, filter 15, rings 18" },
        { ALWAYS_LOGS, "instructions 66, branches 66, not_logged 33" },
        { WITHOUT_EN, "not_logged 33" },
        { WITHOUT_GLOBAL, "not_logged 33" },
        { ANY_RING, "rings 33" },
        { LOGGING_STILL, "counter 6" },
        { LOGGING_TWICE, "counter 3" },
        { NONE_COUNTS, "instructions 33, branches 33, loads 6, together 33, filter 30, rings 33, counter 3" },
        { OTHER_PLACE, "instructions 3, branches 3, loads 1, together 1, filter 1, not_logged 3, rings 2" },
        { OLDEST_OTHER, "instructions 3, branches 3, loads 1, together 1, filter 1, not_logged 3, rings 2" },
        { SELECT_REFUSED, "instructions 14, branches 14, together 12, filter 12, not_logged 3, rings 13, counter 7" },
        { BIT_LOST, "readback 2" },
        { INFO_REFUSED, "readback 18" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(reports(cases[i].wrong), cases[i].reports);
}

static void sentences(void **state)
{
    static const struct {
        const struct test *test;
        enum wrong wrong;
        const char *line;
    } cases[] = {
        { &lbr_events_loads, OTHER_PLACE, "wrong: LBR entry 0 is from 0x10b1, must be from 0x10b0\n" },
        { &lbr_events_loads, LAST_NOTHING, "" },
        { &lbr_events_branches, LAST_NOTHING, "wrong: LBR entry 0 counts 0 events of counter 3, must count 2\n" },
        { &lbr_events_branches, SELECT_REFUSED, "wrong: counter 3 could not be programmed\n" },
        { &lbr_events_counter, LOGGING_TWICE,
          "wrong: branches that a counter which logs has counted is 0x26, must be 0x13\n" },
        { &lbr_events_counter, NONE_COUNTS, "wrong: counter 3 logs, and has counted 0 branches\n" },
        { &lbr_events_readback, BIT_LOST,
          "wrong: counts of events in IA32_LBR_x_INFO is 0x7f00000000, must be 0xff00000000\n" },
        { &lbr_events_readback, INFO_REFUSED, "wrong: WRMSR of 0x8000000000 to IA32_LBR_7_INFO raised #GP\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(cases[i].wrong);
        run.test = cases[i].test;
        cases[i].test->run(&run);
        if (*cases[i].line)
            machine_has_found(cases[i].line);
        else
            machine_found("");
    }
}

/* Loads are counted by a counter that can count them, and log: 2 of 0 and 2, and of 1 to 3. */
static void loads_counter(void **state)
{
    (void)state;
    start(NOTHING);
    assert_int_equal(counter_of(&caps, &events[0]), 2);
    caps.lbr_counters = 0xf;
    assert_int_equal(counter_of(&caps, &events[0]), 0);
    caps.lbr_counters = 0xa;
    assert_string_equal(no_loads(&caps), "no event of loads is known on a counter whose events LBR entries can count");
    caps.lbr_counters = 0xe;
    caps.events = &none;
    assert_non_null(no_loads(&caps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right),
        cmocka_unit_test(each_error),
        cmocka_unit_test(sentences),
        cmocka_unit_test(loads_counter),
    };

    return cmocka_run_group_tests_name("kernel_lbr_events", tests, NULL, NULL);
}
