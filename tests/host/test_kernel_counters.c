/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tests of counters (perfmon/counter_test.c), on counters of variables: they pass where these do what the
 * manual says, and where they err in one point those tests that are of that point report it. Registers by their numbers
 * from SDM Vol. 4 (335592-081): C1H IA32_PMC0, 186H IA32_PERFEVTSEL0, 309H IA32_FIXED_CTR0, 38DH IA32_FIXED_CTR_CTRL,
 * 38EH to 392H IA32_PERF_GLOBAL_STATUS, _CTRL, _OVF_CTRL, _STATUS_SET and _INUSE, 4C1H IA32_A_PMC0.
 */
#include "tests/host/host_test.h"

#include "perfmon/counter_test.c"
#include "tests/host/machine/machine.h"

#define COUNTERS 3u
#define STATUS   0x38eu
#define INUSE    0x392u

/* What the machine does wrong. */
enum wrong {
    NOTHING,
    BIT_LOST, /* the last counter lacks its highest bit; .. the last fixed one */
    FIXED_BIT_LOST,
    BIT_STUCK, /* bit 0 of it cannot be cleared; .. of the last fixed one */
    FIXED_BIT_STUCK,
    NO_SIGN,     /* a write by 32 bits is not extended */
    ALL_SIGN,    /* .. with ones, whatever it is */
    RDPMC_STALE, /* RDPMC of the last counter reads what it was loaded with; .. of the last fixed one */
    RDPMC_FIXED_ZERO,
    RDPMC_32, /* RDPMC of counter 32 reads something; .. of fixed counter 16 */
    RDPMC_FIXED_16,
    RDPMC_MORE, /* .. of one more counter than CPUID reports */
    RDPMC_FIXED_MORE,
    REFUSED, /* event selects cannot be written; .. the fixed counters' control */
    FIXED_REFUSED,
    CALLS_MORE, /* an instruction too many over calls; .. the others */
    KINDS_MORE,
    LOOP_MORE,
    STRAIGHT_MORE,
    BRANCH_MORE, /* a branch too many over the long loop, a taken one, a call over calls */
    TAKEN_MORE,
    CALL_MORE,
    LAST_DEAD,  /* the last counter does not count */
    FIXED_DEAD, /* nor the fixed one */
    WITHOUT_EN, /* counters count whatever EN says; .. their bit of IA32_PERF_GLOBAL_CTRL; .. the fixed one's */
    WITHOUT_GLOBAL,
    SECOND_DEAD, /* counter 1 counts nothing beside counter 0 */
    FIXED_WITHOUT,
    USER_AS_SYSTEM, /* OS alone counts at CPL 3, too; USR alone at CPL 0 */
    SYSTEM_AS_USER,
    NO_USER, /* USR counts nothing; nor OS */
    NO_SYSTEM,
    FIXED_USER_AS_SYSTEM,
    FIXED_SYSTEM_AS_USER,
    MASK_IGNORED,   /* events are counted whatever the counter mask is */
    INVERT_NOTHING, /* with INV nothing is counted; .. always the same */
    INVERT_SAME,
    STATUS_SOONER, /* the last counter's bit is set an event sooner; later; another bit, too; by chance */
    STATUS_LATER,
    STATUS_OTHER,
    STOPS,           /* a counter stops at its overflow */
    FIXED_NO_STATUS, /* a fixed counter sets no bit; .. as if it were a general one, too */
    FIXED_STATUS_BOTH,
    STATUS_READ, /* a read clears the status; .. more events; .. a write of 0 */
    STATUS_EVENTS,
    STATUS_ZERO,
    CLEARS_ALL, /* any 1 clears all of it; nothing clears bit 1 */
    CLEARS_NOT_1,
    SET_REFUSED,  /* IA32_PERF_GLOBAL_STATUS_SET raises #GP */
    INUSE_ALWAYS, /* IA32_PERF_GLOBAL_INUSE has bit 0 set; never; not that of interrupts */
    INUSE_NEVER,
    INUSE_NO_INTERRUPT,
    LOUD,     /* overflows interrupt, whatever INT says */
    SILENT,   /* they do not */
    TWICE,    /* they do so twice */
    SPURIOUS, /* .. once more without a cause */
    FIXED_LOUD,
    FIXED_SILENT,
    GOES_ON,   /* counters are not frozen */
    NO_FLAG,   /* a freeze is not told by CTR_FRZ */
    FLAG_STAYS /* .. nor ended by its acknowledgement */
};

static struct {
    enum wrong wrong;
    bool was_read;
    unsigned runs;
    uint64_t frozen_at; /* where a counter stands that the clearing of IA32_PERF_GLOBAL_CTRL stopped */
} cpu;

static const struct pebs_event events[] = {
    { .name = "TAKEN", .role = PEBS_ROLE_TAKEN, .select = 0x20c4, .counters = 1 },
    { .name = "CALLS", .role = PEBS_ROLE_NEAR_CALLS, .select = 0x02c4, .counters = 1 },
};
static const struct pebs_event_list list = { events, COUNT_OF(events) }, none = { events, 0 };
static const struct debugctl_bits core = {
    .lbr = 1, .tr = 0x40, .bts = 0x80, .btint = 0x100, .freeze_lbrs = 0x800, .freeze_perfmon = 0x1000
};
static struct caps caps;
static struct test_run run;

static uint64_t width_of(uint32_t msr)
{
    return (UINT64_C(1) << (msr >= 0x309 ? 44 : 40)) - 1;
}

static void load(uint32_t msr, uint64_t value)
{
    const bool last = msr == 0xc1 + COUNTERS - 1, last_fixed = msr == 0x309 + COUNTERS - 1;

    value &= width_of(msr);
    if ((cpu.wrong == BIT_LOST && last) || (cpu.wrong == FIXED_BIT_LOST && last_fixed))
        value &= width_of(msr) >> 1;
    if ((cpu.wrong == BIT_STUCK && last) || (cpu.wrong == FIXED_BIT_STUCK && last_fixed))
        value |= 1;
    machine_set(msr, value);
}

static void put_in_use(void)
{
    uint64_t bits = MSR_BIT(7); /* of a counter that is another's */

    for (unsigned n = 0; n < COUNTERS; n++) {
        const uint64_t select = msr_get(0x186 + n);
        bits |= select & 0xff && cpu.wrong != INUSE_NEVER ? MSR_BIT(n) : 0;
        bits |= select & 0x100000 && cpu.wrong != INUSE_NO_INTERRUPT ? MSR_BIT(63) : 0;
    }
    machine_set(INUSE, bits | (cpu.wrong == INUSE_ALWAYS));
}

static void wrote(uint32_t msr, uint64_t value)
{
    if (msr >= 0x4c1 && msr < 0x4c1 + COUNTERS)
        load(msr - 0x400, value);
    if (msr >= 0xc1 && msr < 0xc1 + COUNTERS)
        load(msr, cpu.wrong == NO_SIGN    ? (uint32_t)value
                  : cpu.wrong == ALL_SIGN ? value | ~UINT64_C(0x7fffffff)
                                          : (uint64_t)(int64_t)(int32_t)value);
    if (msr >= 0x309 && msr < 0x309 + COUNTERS)
        load(msr, value);
    if (msr >= 0x186 && msr < 0x186 + COUNTERS)
        put_in_use();
    if (msr == 0x391)
        machine_set(STATUS, msr_get(STATUS) | value);
    if (msr != 0x390)
        return;
    if ((cpu.wrong == CLEARS_ALL && value) || (cpu.wrong == STATUS_ZERO && !value))
        machine_set(STATUS, 0);
    if (cpu.wrong == CLEARS_NOT_1)
        value &= ~UINT64_C(2);
    if (cpu.wrong == FLAG_STAYS)
        value &= ~(UINT64_C(1) << 59);
    machine_set(STATUS, msr_get(STATUS) & ~value);
}

/* The first read after the workload sees the status still. */
static void reads(uint32_t msr)
{
    if (cpu.wrong != STATUS_READ || msr != STATUS || !cpu.runs)
        return;
    if (cpu.was_read)
        machine_set(STATUS, 0);
    cpu.was_read = true;
}

static bool refuses(uint32_t msr, uint64_t value)
{
    return (cpu.wrong == REFUSED && msr >= 0x186 && msr < 0x18a && value) ||
           (cpu.wrong == FIXED_REFUSED && msr == 0x38d && value) || (cpu.wrong == SET_REFUSED && msr == 0x391);
}

bool pmc_read(uint32_t n, uint64_t *value)
{
    const bool fixed = n & 0x40000000;
    const uint32_t of = n & 0x3fffffff;

    *value = 0;
    if (of >= COUNTERS) {
        const bool there = (of == COUNTERS && cpu.wrong == (fixed ? RDPMC_FIXED_MORE : RDPMC_MORE)) ||
                           (n == 32 && cpu.wrong == RDPMC_32) || (n == 0x40000010 && cpu.wrong == RDPMC_FIXED_16);
        *value = there ? 0x77 : 0;
        return there;
    }
    *value = msr_get((fixed ? 0x309 : 0xc1) + of);
    if (of == COUNTERS - 1 && cpu.wrong == (fixed ? RDPMC_FIXED_ZERO : RDPMC_STALE))
        *value = fixed ? 0 : 0x1000 * COUNTERS;
    return true;
}

/* ---- counting -------------------------------------------------------------------------------------------------------
 */

/* What happens over a workload at one level. */
struct counts {
    uint64_t instructions, branches, taken, calls;
};

static void interrupt(void)
{
    if (machine.handler)
        machine.handler(NULL);
}

static uint64_t events_of(uint64_t select, const struct counts *at)
{
    switch (select & 0xffff) {
    case 0xc0:
        return at->instructions;
    case 0xc4:
        return at->branches;
    case 0x20c4:
        return at->taken;
    case 0x02c4:
        return at->calls;
    default:
        fail_msg("event select 0x%" PRIx64, select);
        return 0;
    }
}

static uint64_t counted(uint64_t select, bool system, bool user, const struct counts at[2])
{
    const uint64_t mask = select >> 24 & 0xff;
    uint64_t sum = 0;

    if (cpu.wrong == USER_AS_SYSTEM && system)
        user = true;
    if (cpu.wrong == SYSTEM_AS_USER && user)
        system = true;
    if (cpu.wrong == NO_USER)
        user = false;
    if (cpu.wrong == NO_SYSTEM)
        system = false;
    sum += system ? events_of(select, &at[0]) : 0;
    sum += user ? events_of(select, &at[1]) : 0;
    if (!mask || cpu.wrong == MASK_IGNORED)
        return sum;
    assert_int_equal(mask, 255);
    if (cpu.wrong == INVERT_NOTHING || !(select & 0x800000))
        return 0;
    return cpu.wrong == INVERT_SAME ? 100 : 2 * sum; /* cycles */
}

/* Adds so many events, and does what comes of an overflow; asks: with an interrupt. */
static void add(uint32_t msr, unsigned bit, uint64_t more, bool asks)
{
    const uint64_t before = msr_get(msr), room = width_of(msr) - before + 1;
    const bool fixed = bit >= 32, last = bit == COUNTERS - 1;
    uint64_t bits = MSR_BIT(bit);

    machine_set(msr, (before + more) & width_of(msr));
    if (cpu.wrong == STATUS_SOONER && last && more + 1 == room)
        more++;
    if (more < room || (cpu.wrong == STATUS_LATER && last && more == room))
        return;
    if (cpu.wrong == STOPS)
        machine_set(msr, 0);
    if ((cpu.wrong == STATUS_OTHER && last) || (cpu.wrong == FIXED_STATUS_BOTH && fixed))
        bits |= 1;
    if (cpu.wrong == FIXED_NO_STATUS && fixed)
        bits = 0;
    machine_set(STATUS, msr_get(STATUS) | bits);
    if (cpu.wrong == (fixed ? FIXED_LOUD : LOUD))
        asks = true;
    if (!asks || cpu.wrong == (fixed ? FIXED_SILENT : SILENT))
        return;
    if (msr_get(0x1d9) & 0x1000 && cpu.wrong != GOES_ON) {
        machine_set(msr, caps.freeze == CAPS_FREEZE_LEGACY ? cpu.frozen_at : msr_get(msr));
        if (caps.freeze == CAPS_FREEZE_STREAMLINED && cpu.wrong != NO_FLAG)
            machine_set(STATUS, msr_get(STATUS) | UINT64_C(1) << 59);
    }
    interrupt();
    if (cpu.wrong == TWICE) {
        machine_set(STATUS, bits);
        interrupt();
    }
    if (cpu.wrong == SPURIOUS)
        interrupt();
}

static void count_over(const struct window *window, const struct counts at[2])
{
    assert_int_equal(window->msr, 0x38f);
    assert_int_equal(window->off, 0);
    cpu.runs++;
    if (cpu.wrong == STATUS_EVENTS && cpu.runs > 1)
        machine_set(STATUS, 0);
    for (unsigned n = 0; n < COUNTERS; n++) {
        const uint64_t select = msr_get(0x186 + n);
        if (!(window->on >> n & 1 || (cpu.wrong == WITHOUT_GLOBAL && window->on)) ||
            !(select & 0x400000 || (cpu.wrong == WITHOUT_EN && select)) ||
            (cpu.wrong == LAST_DEAD && n == COUNTERS - 1) || (cpu.wrong == SECOND_DEAD && n == 1 && msr_get(0x186)))
            continue;
        add(0xc1 + n, n, counted(select, select & 0x20000, select & 0x10000, at), select & 0x100000);
    }
    if (window->on >> 32 & 1) {
        const uint64_t control = msr_get(0x38d);
        const bool system = control & 1 || (cpu.wrong == FIXED_SYSTEM_AS_USER && control & 2),
                   user = control & 2 || (cpu.wrong == FIXED_USER_AS_SYSTEM && control & 1);
        const uint64_t more = cpu.wrong == FIXED_DEAD      ? 0
                              : cpu.wrong == FIXED_WITHOUT ? at[0].instructions
                                                           : counted(0xc0, system, user, at);
        add(0x309, 32, more, control & 8);
    }
}

/* The window itself is an instruction, and what leads to CPL 3 and back a few branches. */
#define WINDOW 1
#define RUNS(name, more, ...)                           \
    static void run_##name(const struct window *window) \
    {                                                   \
        const struct counts right[2] = { __VA_ARGS__ }; \
        struct counts at[2] = { right[0], right[1] };   \
        more;                                           \
        count_over(window, at);                         \
    }
RUNS(nothing, , { WINDOW, 0, 0, 0 })
RUNS(calls, (at[0].instructions += cpu.wrong == CALLS_MORE, at[0].calls += cpu.wrong == CALL_MORE),
     { WINDOW + 20, 6, 6, 3 })
RUNS(kinds, at[0].instructions += cpu.wrong == KINDS_MORE, { WINDOW + 40, 9, 7, 2 })
RUNS(loop, at[0].instructions += cpu.wrong == LOOP_MORE, { WINDOW + 60, 16, 12, 0 })
RUNS(straight, at[0].instructions += cpu.wrong == STRAIGHT_MORE, { WINDOW + 80, 0, 0, 0 })
RUNS(long_loop, (at[0].branches += cpu.wrong == BRANCH_MORE, at[0].taken += cpu.wrong == TAKEN_MORE),
     { WINDOW + 6002, 3001, 3000, 0 })
RUNS(user, , { WINDOW + 9, 4, 4, 0 }, { 8, 3, 3, 1 })
RUNS(user_loop, , { WINDOW + 9, 4, 4, 0 }, { 6002, 3001, 3000, 0 })

static const struct branch calls[] = { { .kind = LBR_SELECT_NEAR_REL_CALL, .repeat = 3 },
                                       { .kind = LBR_SELECT_NEAR_RET, .repeat = 3 } },
                           jumps[] = { { .kind = LBR_SELECT_JCC, .repeat = 3000 } },
                           user[] = { { .kind = LBR_SELECT_NEAR_REL_CALL, .repeat = 1 },
                                      { .kind = LBR_SELECT_NEAR_RET, .repeat = 1 },
                                      { .kind = LBR_SELECT_NEAR_REL_JMP, .repeat = 1 } };
const struct workload workload_nothing = { .run = run_nothing },
                      workload_calls = { .run = run_calls, .branches = calls, .branch_count = 2, .instructions = 20 },
                      workload_kinds = { .run = run_kinds, .instructions = 40 },
                      workload_loop = { .run = run_loop, .instructions = 60 },
                      workload_straight = { .run = run_straight, .instructions = 80 },
                      workload_long_loop = { .run = run_long_loop, .branches = jumps, .branch_count = 1 },
                      workload_user = { .run = run_user, .branches = user, .branch_count = 3 },
                      workload_user_loop = { .run = run_user_loop, .branches = jumps, .branch_count = 1 };

/* ---- the rows -------------------------------------------------------------------------------------------------------
 */

static const struct test *const all[] = {
    &perfmon_width,          &perfmon_sign_extension,
    &perfmon_fixed_width,    &perfmon_rdpmc,
    &perfmon_rdpmc_fixed,    &perfmon_rdpmc_beyond,
    &perfmon_count,          &perfmon_counters,
    &perfmon_fixed_count,    &perfmon_enable,
    &perfmon_global_ctrl,    &perfmon_fixed_disabled,
    &perfmon_rings_user,     &perfmon_rings_system,
    &perfmon_fixed_rings,    &perfmon_cmask,
    &perfmon_invert,         &perfmon_overflow_status,
    &perfmon_overflow_wraps, &perfmon_overflow_fixed,
    &perfmon_status_kept,    &perfmon_status_cleared,
    &perfmon_status_set,     &perfmon_in_use,
    &perfmon_overflow_quiet, &perfmon_overflow_interrupt,
    &perfmon_fixed_quiet,    &perfmon_fixed_interrupt,
    &perfmon_freeze,
};

static void start(enum wrong wrong)
{
    machine_start();
    memset(&cpu, 0, sizeof cpu);
    cpu.wrong = wrong;
    machine.write = wrote;
    machine.read = reads;
    machine.refuses = refuses;
    put_in_use();
    machine_set(STATUS, UINT64_C(1) << 60); /* which is no counter's */
    machine_set(0x1d9, 0x4000);             /* FREEZE_WHILE_SMM, which stays */
    caps = (struct caps){ .debugctl = &core,
                          .linear_bits = 48,
                          .perfmon_version = 4,
                          .freeze = CAPS_FREEZE_STREAMLINED,
                          .global_ctrl = true,
                          .general_count = COUNTERS,
                          .general_width = 40,
                          .general_counters = 7,
                          .fixed_count = COUNTERS,
                          .fixed_width = 44,
                          .fixed_counters = 7,
                          .full_width_write = true,
                          .ds_width = 8,
                          .ds_area_format = 3,
                          .ds_area_size = 0x60,
                          .bts_record_size = 24,
                          .pebs_method = PEBS_METHOD_GENERAL,
                          .pebs_format = 3,
                          .pebs_form = { .width = 8, .format = 3 },
                          .pebs_record_size = 200,
                          .pebs_counters = 7,
                          .events = &list };
    run = (struct test_run){ .caps = &caps };
}

static void runs(const struct test *test)
{
    run.test = test;
    test->run(&run);
}

static void all_is_right(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(NOTHING);
        runs(all[i]);
        machine_found("");
        assert_int_equal(run.problems + run.differences, 0);
        assert_null(run.skipped);
        assert_int_equal(msr_get(0x1d9), 0x4000);
    }
    /* Without the events of branches; with counters that take 32 bits; and of version 3. */
    start(NOTHING);
    caps.events = &none;
    runs(&perfmon_count);
    machine_found("");
    for (unsigned i = 1; i < COUNT_OF(all); i++) {
        start(NOTHING);
        caps.full_width_write = false;
        caps.freeze = CAPS_FREEZE_LEGACY;
        runs(all[i]);
        machine_found("");
    }
}

/* Which tests report how many problems and differences: "width 14, rdpmc.beyond 0+6". */
static const char *reports(enum wrong wrong)
{
    static char text[600];

    *text = '\0';
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        start(wrong);
        runs(all[i]);
        machine_sum(text, sizeof text, all[i]->id + strlen("perfmon."), &run);
    }
    return text;
}

static void each_error(void **state)
{
    static const struct {
        enum wrong wrong;
        const char *reports;
    } cases[] = {
        { BIT_LOST, "width 2, sign_extension 1, overflow.status 1" },
        { FIXED_BIT_LOST, "fixed.width 1" },
        { BIT_STUCK, "width 39, sign_extension 1" },
        { FIXED_BIT_STUCK, "fixed.width 1, rdpmc.fixed 1" },
        { NO_SIGN, "sign_extension 3" },
        { ALL_SIGN, "sign_extension 3" },
        { RDPMC_STALE, "rdpmc 1" },
        { RDPMC_FIXED_ZERO, "rdpmc.fixed 1" },
        { RDPMC_32, "rdpmc.beyond 1" },
        { RDPMC_FIXED_16, "rdpmc.beyond 1" },
        { RDPMC_MORE, "rdpmc.beyond 0+1" },
        { RDPMC_FIXED_MORE, "rdpmc.beyond 0+1" },
        { REFUSED, "rdpmc 3, count 19, counters 9, enable 2, global_ctrl 3, rings.user 5, rings.system 5, cmask 2, "
                   "invert 3, overflow.status 36, overflow.wraps 3, status.kept 4, status.cleared 3, in_use 4, "
                   "overflow.quiet 1, overflow.interrupt 3, freeze 3" },
        { FIXED_REFUSED, "fixed.count 3, fixed.rings 4, overflow.fixed 2, fixed.quiet 1, fixed.interrupt 3" },
        { CALLS_MORE, "count 1" },
        { KINDS_MORE, "count 1" },
        { LOOP_MORE, "count 1, counters 3, fixed.count 1" },
        { STRAIGHT_MORE, "count 1" },
        { BRANCH_MORE, "count 1" },
        { TAKEN_MORE, "count 1" },
        { CALL_MORE, "count 1" },
        { LAST_DEAD, "counters 1, overflow.status 1" },
        { FIXED_DEAD, "fixed.count 1, overflow.fixed 1, fixed.interrupt 2" },
        { WITHOUT_EN, "enable 1" },
        { WITHOUT_GLOBAL, "global_ctrl 1" },
        { SECOND_DEAD, "counters 1, global_ctrl 1, overflow.status 1, status.cleared 1" },
        { FIXED_WITHOUT, "fixed.disabled 1, fixed.rings 1" },
        { USER_AS_SYSTEM, "rings.system 1, fixed.rings 1" },
        { SYSTEM_AS_USER, "rings.user 1, fixed.rings 1" },
        { NO_USER, "rings.user 1" },
        { NO_SYSTEM,
          "count 7, counters 3, fixed.count 1, global_ctrl 1, rings.system 1, invert 1, overflow.status 3, "
          "overflow.fixed 1, status.kept 3, status.cleared 1, overflow.interrupt 2, fixed.interrupt 2, freeze 2" },
        { FIXED_USER_AS_SYSTEM, "fixed.rings 1" },
        { FIXED_SYSTEM_AS_USER, "fixed.rings 1" },
        { MASK_IGNORED, "cmask 1" },
        { INVERT_NOTHING, "invert 1" },
        { INVERT_SAME, "invert 1" },
        { STATUS_SOONER, "overflow.status 1" },
        { STATUS_LATER, "overflow.status 1" },
        { STATUS_OTHER, "overflow.status 1" },
        { STOPS, "overflow.wraps 1" },
        { FIXED_NO_STATUS, "overflow.fixed 1, fixed.interrupt 1+1" },
        { FIXED_STATUS_BOTH, "overflow.fixed 1" },
        { STATUS_READ, "overflow.status 3, overflow.fixed 1, status.kept 3, status.cleared 1, overflow.interrupt 1+1, "
                       "fixed.interrupt 1+1, freeze 1+1" },
        { STATUS_EVENTS, "status.kept 2" },
        { STATUS_ZERO, "status.kept 1" },
        { CLEARS_ALL, "status.cleared 1" },
        { CLEARS_NOT_1, "overflow.status 2, status.cleared 1" },
        { SET_REFUSED, "status.set 1" },
        { INUSE_ALWAYS, "in_use 1" },
        { INUSE_NEVER, "in_use 2" },
        { INUSE_NO_INTERRUPT, "in_use 1" },
        { LOUD, "overflow.quiet 1" },
        { SILENT, "overflow.interrupt 2, freeze 2" },
        { TWICE, "overflow.interrupt 1, fixed.interrupt 1, freeze 1" },
        { SPURIOUS, "overflow.interrupt 0+1, fixed.interrupt 0+1, freeze 1+1" },
        { FIXED_LOUD, "fixed.quiet 1" },
        { FIXED_SILENT, "fixed.interrupt 2" },
        { GOES_ON, "freeze 1" },
        { NO_FLAG, "freeze 1" },
        { FLAG_STAYS, "freeze 1" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(reports(cases[i].wrong), cases[i].reports);
}

/* Up to version 3 the counter may go on for a while. */
static void stopped(void **state)
{
    static const struct {
        uint64_t at;
        const char *line;
    } cases[] = { { 1000, "" }, { 1001, "wrong: counter 0 went on to 1001 after the interrupt\n" } };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(NOTHING);
        caps.freeze = CAPS_FREEZE_LEGACY;
        cpu.frozen_at = cases[i].at;
        runs(&perfmon_freeze);
        machine_found(cases[i].line);
    }
}

static void sentences(void **state)
{
    static const struct {
        const struct test *test;
        enum wrong wrong;
        const char *lines;
    } cases[] = {
        { &perfmon_rdpmc_beyond, RDPMC_32, "wrong: RDPMC of 0x20 raised no #GP, and read 0x77\n" },
        { &perfmon_rdpmc_beyond, RDPMC_FIXED_16, "wrong: RDPMC of 0x40000010 raised no #GP, and read 0x77\n" },
        { &perfmon_rdpmc_beyond, RDPMC_MORE,
          "differs: RDPMC of 0x3 raised no #GP: there are more counters than CPUID reports\n" },
        { &perfmon_rdpmc_beyond, RDPMC_FIXED_MORE,
          "differs: RDPMC of 0x40000003 raised no #GP: there are more counters than CPUID reports\n" },
        { &perfmon_rdpmc, RDPMC_STALE, "wrong: RDPMC of a general counter is 0x3000, must be 0x3010\n" },
        { &perfmon_rdpmc_fixed, RDPMC_FIXED_ZERO, "wrong: RDPMC of a fixed counter is 0x0, must be 0x6000\n" },
        { &perfmon_count, CALL_MORE, "wrong: CALLS is 0x4, must be 0x3\n" },
        { &perfmon_count, TAKEN_MORE, "wrong: TAKEN is 0xbb9, must be 0xbb8\n" },
        { &perfmon_global_ctrl, SECOND_DEAD, "wrong: counter 1 counted 0 instructions, expected at least 60\n" },
        { &perfmon_invert, INVERT_SAME,
          "wrong: cycles with fewer than 255 instructions: 100 in a loop, 100 in a longer one\n" },
        { &perfmon_freeze, GOES_ON, "wrong: IA32_PERF_GLOBAL_STATUS.CTR_FRZ is clear in the handler\n" },
    };

    (void)state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start(cases[i].wrong);
        runs(cases[i].test);
        machine_found(cases[i].lines);
    }
}

/* What CPUID lists is all that may be missing: a counter that another has does exist. */
static void beyond_what_is_listed(void **state)
{
    (void)state;
    start(RDPMC_MORE);
    caps.general_possible = 8;
    runs(&perfmon_rdpmc_beyond);
    machine_found("");
    start(RDPMC_FIXED_MORE);
    caps.fixed_possible = 8;
    runs(&perfmon_rdpmc_beyond);
    machine_found("");
}

static void demands(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(all); i++) {
        const char *const id = all[i]->id + strlen("perfmon.");
        const bool fixed = strncmp(id, "fixed.", 6) == 0 || strstr(id, ".fixed"), freezes = all[i] == &perfmon_freeze;
        const bool interrupts = strstr(id, "quiet") || strstr(id, "interrupt") || freezes;

        assert_int_equal(all[i]->needs, (i < 2 ? NEED_PERFMON : NEED_GLOBAL_CTRL) |
                                            (interrupts ? NEED_APIC | NEED_DS : 0) |
                                            (freezes ? NEED_FREEZE | NEED_FREEZE_COUNTERS : 0));
        start(NOTHING);
        assert_true(!all[i]->lacks || !all[i]->lacks(&caps));
        caps.fixed_count = 0;
        if (fixed)
            assert_string_equal(all[i]->lacks(&caps), "no fixed counter: CPUID.0AH:EDX[4:0] is 0");
        else
            assert_true(!all[i]->lacks || !all[i]->lacks(&caps));
    }
    start(NOTHING);
    caps.full_width_write = false;
    assert_string_equal(perfmon_width.lacks(&caps), "no full-width writes: IA32_PERF_CAPABILITIES bit 13 clear");
    caps.perfmon_version = 3;
    assert_string_equal(perfmon_status_set.lacks(&caps),
                        "no such register before version 4: CPUID.0AH:EAX[7:0] is below 4");
    assert_ptr_equal(perfmon_in_use.lacks, perfmon_status_set.lacks);
    caps.general_count = 2;
    assert_null(perfmon_global_ctrl.lacks(&caps));
    caps.general_count = 1;
    assert_string_equal(perfmon_global_ctrl.lacks(&caps), "only one general counter");
    assert_ptr_equal(perfmon_status_cleared.lacks, perfmon_global_ctrl.lacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_right), cmocka_unit_test(each_error), cmocka_unit_test(stopped),
        cmocka_unit_test(sentences),    cmocka_unit_test(demands),    cmocka_unit_test(beyond_what_is_listed),
    };

    return cmocka_run_group_tests_name("kernel_counters", tests, NULL, NULL);
}
