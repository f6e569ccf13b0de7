/* SPDX-License-Identifier: GPL-2.0-or-later */
/* If one rule is broken, the referee reports only this rule; without a breach it is silent. */
#include "tests/host/model_machine.h"

#include "model/referee/referee_arch.h"
#include "model/referee/referee_area.h"
#include "model/referee/referee_refused.h"

#define TOS 0x1c9

struct setting {
    uint64_t area; /* IA32_DS_AREA */
    uint64_t bts_base, bts_index, bts_maximum, bts_threshold;
    uint64_t pebs_base, pebs_index, pebs_maximum, pebs_threshold;
    uint64_t event, debugctl, latency, pebs_enable;
    uint64_t page_flags, code_page, reset;
    uint32_t lvtpc;
    bool apic_disabled, area_shared;
};

static struct setting good(void)
{
    return (struct setting){
        .area = DS,
        .bts_base = BTS,
        .bts_index = BTS,
        .bts_maximum = BTS + 100 * RECORD_BTS,
        .bts_threshold = BTS + 90 * RECORD_BTS,
        .pebs_base = PEBS,
        .pebs_index = PEBS,
        .pebs_maximum = PEBS + 20 * RECORD_PEBS,
        .pebs_threshold = PEBS + 15 * RECORD_PEBS,
        .event = EVTSEL_ON | INST_RETIRED,
        .debugctl = TR_BTS | BTINT,
        .latency = 3,
        .pebs_enable = 1,
        .page_flags = 0x63,
        .reset = -UINT64_C(1000),
        .lvtpc = 0x40,
    };
}

/* Programs BTS and PEBS with these settings. The machine's log has the violations. */
static struct machine *program(const struct setting *s)
{
    struct machine *m = machine_new();

    m->page_flags = s->page_flags;
    m->code_page = s->code_page;
    m->lvtpc = s->lvtpc;
    m->apic_disabled = s->apic_disabled;
    m->area_shared = s->area_shared;
    PUT(m, { DS + 0x00, s->bts_base }, { DS + 0x08, s->bts_index }, { DS + 0x10, s->bts_maximum },
        { DS + 0x18, s->bts_threshold }, { DS + 0x20, s->pebs_base }, { DS + 0x28, s->pebs_index },
        { DS + 0x30, s->pebs_maximum }, { DS + 0x38, s->pebs_threshold }, { DS + 0x40, s->reset });
    WRMSR(m, { GLOBAL_CTRL, 0 }, { DS_AREA, s->area }, { LD_LAT, s->latency }, { EVTSEL0, s->event },
          { PMC0, (uint32_t)-1000 }, { PEBS_ENABLE, s->pebs_enable }, { DEBUGCTL, s->debugctl }, { GLOBAL_CTRL, 1 });
    fflush(m->violations);
    return m;
}

/* Programs the correct settings with this change: the log has only this violation (NULL: none). */
#define TRY(name, ...)                       \
    do {                                     \
        struct setting s = good();           \
        __VA_ARGS__;                         \
        expect_violation(program(&s), name); \
    } while (0)

/* The same, after actions on the machine m. */
#define AFTER(name, change, ...) AFTER_WITH(program, name, change, __VA_ARGS__)

#define AFTER_WITH(make, name, change, ...) \
    do {                                    \
        struct setting s = good();          \
        struct machine *m;                  \
        change;                             \
        m = make(&s);                       \
        __VA_ARGS__;                        \
        expect_violation(m, name);          \
    } while (0)

static uint64_t pair(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* The same buffers, in the layout of a processor without DTES64. */
static void narrow(struct setting *s)
{
    const uint32_t bts = 0x100000, pebs = 0x104000;

    s->bts_base = pair(bts, bts);
    s->bts_index = pair(bts + 100 * 12, bts + 90 * 12);
    s->bts_maximum = pair(pebs, pebs);
    s->bts_threshold = pair(pebs + 20 * 40, pebs + 15 * 40);
    s->pebs_base = s->pebs_index = s->pebs_maximum = s->pebs_threshold = 0;
}

/* Moves a buffer by a number of bytes. */
static void move_bts(struct setting *s, uint64_t by)
{
    s->bts_base += by;
    s->bts_index += by;
    s->bts_maximum += by;
    s->bts_threshold += by;
}

static void move_pebs(struct setting *s, uint64_t by)
{
    s->pebs_base += by;
    s->pebs_index += by;
    s->pebs_maximum += by;
    s->pebs_threshold += by;
}

UNIT_TEST(each_rule)
{
    TRY("ds-area-not-mapped", s.area = MEMORY + MEMORY_SIZE);
    TRY("ds-page-not-writable", s.page_flags = 0x61);
    TRY("ds-page-not-accessed-and-dirty", s.page_flags = 0x43);
    TRY("ds-page-not-accessed-and-dirty", s.page_flags = 0x23);
    TRY("ds-page-in-user-space", s.page_flags = 0x67);
    TRY("ds-page-not-present", s.page_flags = 0x62);
    TRY("ds-page-has-code", s.code_page = PEBS);
    TRY("ds-buffer-size: pebs.maximum 0xffff800000104f98", s.pebs_maximum -= 8);
    TRY("ds-buffer-too-small: pebs.maximum 0xffff8000001040c7", s.pebs_maximum = s.pebs_base + RECORD_PEBS - 1);
    TRY("ds-buffer-too-small", s.bts_maximum = s.bts_base - RECORD_BTS);
    TRY("ds-threshold-outside: bts.threshold 0xffff800000101978", s.bts_threshold = s.bts_maximum + RECORD_BTS);
    TRY("ds-threshold-outside: pebs.threshold 0xffff800000103f38", s.pebs_threshold = s.pebs_base - RECORD_PEBS);
    TRY("ds-overlap: byte of bts and pebs 0xffff8000001010c0", s.pebs_base = s.pebs_index = s.bts_base + 8 * RECORD_BTS,
        s.pebs_maximum = s.pebs_base + 4 * RECORD_PEBS, s.pebs_threshold = s.pebs_base + 2 * RECORD_PEBS);
    TRY("ds-memory-type", s.page_flags = 0x73);
    TRY("ds-memory-type", s.page_flags = 0x6b);
    TRY("ds-threshold-room: bts.threshold 0xffff800000101948", s.bts_threshold = s.bts_maximum - RECORD_BTS);
    TRY("ds-threshold-room", s.bts_threshold = s.bts_maximum);
    TRY("ds-threshold-room", s.pebs_threshold = s.pebs_maximum - RECORD_PEBS);
    TRY("bts-circular-threshold: bts.threshold 0xffff800000101870", s.debugctl = TR_BTS);
    TRY("bts-circular-threshold", s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum);
    TRY("apic-disabled", s.apic_disabled = true);
    TRY("ds-area-shared", s.area_shared = true);
    TRY("lvtpc-trigger-mode", s.lvtpc = 0x8040);
    TRY("lvtpc-vector", s.lvtpc = 0x1f);
    TRY("bts-off-both", s.debugctl |= 0x600);
    TRY("counter-no-ring", s.event &= ~UINT64_C(0x30000));
    TRY("pebs-latency-enable", s.event = EVTSEL_ON | LOAD_LATENCY);
    TRY("pebs-latency-event: IA32_PEBS_ENABLE 0x100000001", s.pebs_enable = 0x100000001);
    TRY("lvtpc-masked", s.lvtpc = 0x10040);
    for (uint32_t mode = 1; mode < 8; mode++) /* 4: NMI */
        TRY(mode == 4 ? NULL : "lvtpc-delivery-mode", s.lvtpc = mode << 8 | 0x40);
    TRY("pebs-event: IA32_PERFEVTSEL0 0x43003c", s.event = EVTSEL_ON | 0x003c);
    TRY("pebs-qualifier", s.event |= 1u << 21); /* AnyThread */
    TRY("pebs-qualifier", s.event |= 1u << 24); /* CMask */
    TRY("pebs-qualifier: IA32_PERFEVTSEL0 0x24300c0", s.event |= 2u << 24);
    TRY("pebs-qualifier", s.event |= 0xffu << 24);
    TRY("pebs-int", s.event |= 1u << 20);
    TRY("ds-field-width", narrow(&s));
    TRY("ds-field-width", s.debugctl = 0, narrow(&s));
    TRY("pebs-latency-threshold", s.event = EVTSEL_ON | LOAD_LATENCY, s.pebs_enable = 0x100000001, s.latency = 2);
}

/* One instruction makes the same mistake for BTS and PEBS: there is a report for each field. */
UNIT_TEST(a_report_for_each_field)
{
    struct setting s = good();
    struct machine *m;

    s.bts_threshold += 8;
    s.pebs_threshold -= 8;
    s.lvtpc = 0x10040;
    m = program(&s);
    assert_true(violated(m, ": bts.threshold 0x") && violated(m, ": pebs.threshold 0x"));
    assert_true(violated(m, "LVTPC for BTS 0x10040 must ") && violated(m, "LVTPC for PEBS 0x10040 must "));
}

static unsigned lines_of(struct machine *m, const char *name)
{
    unsigned lines = 0;

    fflush(m->violations);
    for (const char *at = m->violations_text; (at = strstr(at, name)) != NULL; at++)
        lines++;
    return lines;
}

/* A loop of any length: each instruction is reported once, but not more than 100 for a rule, also after a reset. */
UNIT_TEST(reports_of_a_loop)
{
    static const unsigned lengths[] = { 1, 2, 32, 99, 100, 101, 300, 10000 };

    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        const unsigned n = lengths[i], printed = n < 100 ? n : 100;
        struct machine *m = machine_new();

        for (unsigned round = 0; round < 3; round++) {
            for (uint64_t ip = 0; ip < n; ip++) {
                referee_report(&m->v, RECORD_LOST, CODE + 4 * ip, ip, "IA32_DS_AREA for PEBS");
                referee_report(&m->v, DS_INDEX_MOVED, CODE + 4 * ip, ip, "bts.index");
                referee_refused_read(&m->v, 0x123, CODE + 4 * ip);
            }
            engine_reset(&m->v);
        }
        assert_int_equal(lines_of(m, " record-lost: "), printed);
        assert_int_equal(lines_of(m, " ds-index-moved: "), printed);
        assert_int_equal(lines_of(m, " rdmsr 0x123: the register is absent\n"), printed);
        referee_report_end(&m->v);
        assert_int_equal(lines_of(m, " more omitted\n"), n > 100 ? 3 : 0);
        if (n > 100) {
            char end[64];

            snprintf(end, sizeof(end), "\nrecord-lost on cpu 0: 100 reports, %u more omitted\n", 3 * (n - 100));
            assert_int_equal(lines_of(m, end), 1);
        }
    }
}

/*
 * What each facility recorded. Lost records, and PMIs that were masked, do not count. A branch ends each
 * of 95 blocks of 200 instructions, and a sample takes 1001; the thresholds are 90 and 15 records.
 */
UNIT_TEST(activity)
{
    static const struct {
        bool bts, pebs, lost;
        uint32_t lvtpc;
        const char *end;
    } rows[] = {
        { false, true, false, 0x40, "PEBS on cpu 0: 18 records, 4 PMIs\n" },
        { true, false, true, 0x40, "BTS on cpu 0: 0 records, 0 PMIs\n" },
        { false, true, true, 0x40, "PEBS on cpu 0: 0 records, 0 PMIs\n" },
        { true, true, false, 0x10040, "BTS on cpu 0: 95 records, 0 PMIs\nPEBS on cpu 0: 18 records, 0 PMIs\n" },
    };
    struct block *b = block_new(0, 200, END_REL_JMP);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct setting s = good();
        struct machine *m;
        size_t said;

        s.debugctl = rows[i].bts ? s.debugctl : 0;
        s.pebs_enable = rows[i].pebs;
        s.lvtpc = rows[i].lvtpc;
        m = program(&s);
        m->memory_at += rows[i].lost ? MEMORY_SIZE : 0;
        for (unsigned k = 0; k < 95; k++) {
            run(m, b);
            m->lvtpc = rows[i].lvtpc;
        }
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, DEBUGCTL, 0);
        fflush(m->violations);
        said = m->violations_size;
        referee_report_end(&m->v);
        fflush(m->violations);
        assert_string_equal(m->violations_text + said, rows[i].end);
    }
    struct machine *m = machine_new();

    m->v.shares_line = true; /* with the guest's output */
    m->v.activity[FACILITY_BTS].used = m->v.activity[FACILITY_PEBS].used = true;
    m->v.activity[FACILITY_BTS].records = m->v.activity[FACILITY_PEBS].pmis = 1;
    referee_report_end(&m->v);
    fflush(m->violations);
    assert_string_equal(m->violations_text, "\nBTS on cpu 0: 1 record, 0 PMIs\n\nPEBS on cpu 0: 0 records, 1 PMI\n");
}

/* Around the limits of each rule of buffers; LVTPC and events just inside theirs. */
UNIT_TEST(edges)
{
    TRY(NULL, (void)s);
    TRY(NULL, s.bts_maximum++, s.pebs_maximum++); /* a multiple of the record size "plus 1", as the manual says */
    TRY(NULL, s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + RECORD_BTS); /* circular */
    for (unsigned by = 1; by <= 64; by *= 2) {
        const char *name = by < 4 ? "ds-base-misaligned" : by < 64 ? "ds-cache-line" : NULL;

        TRY(name, move_bts(&s, by));
        TRY(name, move_bts(&s, by + 64));
        TRY(name, move_pebs(&s, by));
    }
    TRY("ds-base-misaligned: bts.base 0xffff800000101002", move_bts(&s, 2));
    for (unsigned more = 0; more < RECORD_BTS; more++) { /* a whole number of records, plus at most one byte */
        TRY(more > 1 ? "ds-buffer-size" : NULL, s.bts_maximum += more);
        TRY(more > 1 ? "ds-buffer-size" : NULL, s.pebs_maximum += more);
        TRY(more > 0 ? "ds-index-outside" : NULL, s.bts_index += more);
        TRY(more > 0 ? "ds-index-outside" : NULL, s.pebs_index += more);
        TRY(more > 0 ? "ds-threshold-outside" : NULL, s.bts_threshold += more);
        TRY(more > 0 ? "ds-threshold-outside" : NULL, s.pebs_threshold += more);
    }
    TRY(NULL, s.bts_index = s.bts_maximum);
    TRY("ds-index-outside", s.bts_index = s.bts_maximum + RECORD_BTS);
    TRY("ds-index-outside: bts.index 0xffff800000100fe8", s.bts_index = s.bts_base - RECORD_BTS);
    TRY("ds-index-outside", s.bts_index = s.bts_base - 16); /* a multiple of the record's size below 2^64 */
    TRY(NULL, s.pebs_index = s.pebs_maximum);
    TRY("ds-index-outside", s.pebs_index = s.pebs_maximum + RECORD_PEBS);
    TRY("ds-index-outside: pebs.index 0xffff800000103f38", s.pebs_index = s.pebs_base - RECORD_PEBS);
    TRY(NULL, s.bts_threshold = s.bts_base);
    TRY("ds-threshold-outside", s.bts_threshold = s.bts_base - RECORD_BTS);
    TRY(NULL, s.bts_threshold = s.bts_maximum - 2 * RECORD_BTS);
    TRY(NULL, s.pebs_threshold = s.pebs_base);
    TRY(NULL, s.pebs_threshold = s.pebs_maximum - 2 * RECORD_PEBS);
    TRY(NULL, s.pebs_threshold = s.pebs_maximum); /* no interrupt before the buffer is full */
    TRY("ds-threshold-outside", s.pebs_threshold = s.pebs_maximum + RECORD_PEBS);
    TRY(NULL, s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + 1); /* circular */
    TRY(NULL, s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + 1, s.bts_maximum = s.bts_base + RECORD_BTS);
    TRY("ds-buffer-too-small", s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum,
        s.bts_maximum = s.bts_base + RECORD_BTS - 1);
    TRY(NULL, s.pebs_maximum = s.pebs_threshold = s.pebs_base + RECORD_PEBS);
    /* adjacent buffers do not overlap */
    TRY("ds-buffer-size", move_pebs(&s, BTS + 100 * RECORD_BTS + 32 - PEBS), s.bts_maximum = s.pebs_base);
    TRY(NULL, move_pebs(&s, BTS + 104 * RECORD_BTS - PEBS));
    TRY("ds-overlap", move_pebs(&s, BTS + 96 * RECORD_BTS - PEBS));
    TRY("ds-overlap", move_bts(&s, PEBS + 64 - BTS));
    TRY("ds-cache-line", move_bts(&s, PEBS + 20 * RECORD_PEBS - BTS));
    TRY(NULL, move_bts(&s, PEBS + 20 * RECORD_PEBS + 32 - BTS));
    TRY(NULL, move_bts(&s, DS + 0x80 - BTS));
    TRY("ds-overlap", move_bts(&s, DS + 0x40 - BTS)); /* the counters' reset values */
    TRY(NULL, move_pebs(&s, DS + 0x80 - PEBS), s.pebs_maximum -= 2000, s.pebs_threshold -= 2000);
    TRY("ds-overlap", move_pebs(&s, DS + 0x40 - PEBS), s.pebs_maximum -= 2000, s.pebs_threshold -= 2000);
    TRY(NULL, s.debugctl = 0, move_bts(&s, DS + 0x40 - BTS)); /* the model does not store there */
    TRY(NULL, s.pebs_enable = 0, move_pebs(&s, DS + 0x40 - PEBS));
    TRY(NULL, s.pebs_enable = 0, move_pebs(&s, BTS - PEBS));
    TRY(NULL, s.lvtpc = 0x20);
    TRY(NULL, s.lvtpc = 0xff);
    TRY(NULL, s.lvtpc = 0x400);                                                      /* NMI: the vector is ignored, */
    TRY(NULL, s.lvtpc = 0x8400);                                                     /* and the trigger mode */
    TRY(NULL, s.lvtpc = 0x10000, s.pebs_threshold = s.pebs_maximum, s.debugctl = 0); /* no PMI is requested */
    TRY(NULL, s.lvtpc = 0x10000, s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + RECORD_BTS, s.pebs_enable = 0);
    TRY(NULL, s.event = EVTSEL_ON | LOAD_LATENCY, s.pebs_enable = 0x100000001, s.latency = 3);
    TRY("pebs-qualifier", s.event |= 1u << 18); /* EDGE, with which the counter never counts */
    TRY("counter-no-ring", s.event |= 1u << 18, s.event &= ~UINT64_C(0x30000));
    TRY(NULL, s.event |= 1u << 18, s.event &= ~UINT64_C(0x400000)); /* not enabled, */
    TRY(NULL, s.event |= 1u << 18, s.pebs_enable = 0);              /* or not sampled */
    TRY(NULL, s.debugctl = TR_BTS | BTINT | 0x200);
    TRY(NULL, s.debugctl = TR_BTS | BTINT | 0x400);
}

/* Half of the address space is mapped by 4 KiB pages: the check ends, and says where. */
UNIT_TEST(a_huge_buffer)
{
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct setting s = good();
        struct machine *m = machine_new();

        m->other_flags = wrong ? 0x65 : 0x63;
        PUT(m, { DS, UINT64_C(0x900000) }, { DS + 0x08, UINT64_C(0x900000) },
            { DS + 0x10, UINT64_C(0x900000) + (s.bts_maximum - BTS) * 0x10000000000 },
            { DS + 0x18, UINT64_C(0x900000) });
        WRMSR(m, { DS_AREA, DS }, { DEBUGCTL, TR_BTS | BTINT });
        assert_int_equal(m->pages_read, 1 + 32768);
        assert_true(violated(m, "ds-pages-unchecked: page of bts 0x8900000 should not be "));
        if (wrong) {
            assert_true(violated(m, "ds-page-not-writable: page of bts 0x900000 must be "));
            assert_true(violated(m, "ds-page-in-user-space: page of bts 0x900000 must be "));
        } else {
            expect_violation(m, "ds-pages-unchecked");
        }
    }
}

static void stop(struct machine *m)
{
    WRMSR(m, { DEBUGCTL, 0 }, { GLOBAL_CTRL, 0 });
}

static void go_on(struct machine *m)
{
    WRMSR(m, { GLOBAL_CTRL, 1 }, { DEBUGCTL, TR_BTS | BTINT });
}

UNIT_TEST(changes_while_it_runs)
{
    AFTER("pebs-reconfigured", (void)s, wrmsr(m, PMC0, 0));
    AFTER("pebs-reconfigured", (void)s, wrmsr(m, EVTSEL0, s.event));
    AFTER("ds-area-changed", (void)s, wrmsr(m, DS_AREA, DS + 0x40));
    AFTER(NULL, (void)s, stop(m), WRMSR(m, { PMC0, 0 }, { DS_AREA, DS + 0x40 }));
    AFTER(NULL, (void)s, wrmsr(m, EVTSEL0, 0)); /* the right way to stop one counter */
    AFTER(NULL, (void)s, wrmsr(m, LD_LAT, 100));
    AFTER("pebs-reconfigured", (s.event = EVTSEL_ON | LOAD_LATENCY, s.pebs_enable = 0x100000001),
          wrmsr(m, LD_LAT, 100));
    AFTER(NULL, (void)s, wrmsr(m, PEBS_ENABLE, 0));
    AFTER("pebs-enabled-while-counting", (void)s, WRMSR(m, { PEBS_ENABLE, 0 }, { PEBS_ENABLE, 1 }));
}

/* Software writes to the area while records may be pending: fields that it must not change, and fields that it may. */
UNIT_TEST(area_changes_while_it_runs)
{
    static const struct {
        unsigned offset;
        uint64_t value;
        const char *name;
    } writes[] = {
        { 0x00, BTS + 64, "ds-buffer-changed" },
        { 0x08, BTS + 50 * RECORD_BTS, "ds-index-moved" },
        { 0x10, BTS + 99 * RECORD_BTS, "ds-buffer-changed" },
        { 0x18, BTS + 80 * RECORD_BTS, "ds-buffer-changed" },
        { 0x20, PEBS + 64, "ds-buffer-changed" },
        { 0x28, PEBS + 7 * RECORD_PEBS, "ds-index-moved" },
        { 0x30, PEBS + 21 * RECORD_PEBS, "ds-buffer-changed" },
        { 0x38, PEBS + 17 * RECORD_PEBS, "ds-buffer-changed" },
        { 0x40, -UINT64_C(900), "ds-buffer-changed" }, /* the reset value of counter 0, which samples, ... */
        { 0x48, -UINT64_C(900), NULL },                /* ... and of counter 1 */
    };
    const struct setting s = good();
    struct block *b = block_new(0, 600, END_REL_JMP);

    for (unsigned i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        for (unsigned ran = 0; ran < 4; ran++) { /* before the first record, and after some of each kind */
            struct machine *m = program(&s);

            run_times(m, b, ran);
            finish(m);
            expect_violation(m, NULL);
            put(m, DS + writes[i].offset, writes[i].value);
            stop(m);
            expect_violation(m, writes[i].name);
        }
        struct machine *m = program(&s); /* detected without a stop, when the next record is written */

        put(m, DS + writes[i].offset, writes[i].value);
        run(m, b), run(m, b), run(m, b), run(m, b), run(m, b), finish(m);
        assert_true(writes[i].name == NULL || violated(m, writes[i].name));

        m = program(&s);
        stop(m);
        put(m, DS + writes[i].offset, writes[i].value);
        stop(m);
        expect_violation(m, NULL);
    }
}

/* Runs up to the threshold's PMI, and into its handler. */
static struct machine *in_the_handler(const struct setting *s)
{
    struct machine *m = program(s);
    struct block *b = block_new(0, 1001, END_REL_JMP);

    while (m->pmis == 0)
        run(m, b);
    m->in_service = IN_SERVICE;
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, CODE + 0x30000, 0);
    return m;
}

/* What a handler does, in this order. */
enum { STOP = 1, ACKNOWLEDGE = 2, EMPTY = 4, LOAD = 8, UNMASK = 16, EOI = 32, GO_ON = 64 };

static void handle(struct machine *m, unsigned what)
{
    if (what & STOP)
        stop(m);
    if (what & ACKNOWLEDGE)
        wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
    if (what & EMPTY)
        PUT(m, { DS + 0x08, BTS }, { DS + 0x28, PEBS });
    if (what & LOAD)
        wrmsr(m, PMC0, (uint32_t)-1000);
    if (what & UNMASK)
        m->lvtpc = 0x40;
    if (what & EOI)
        m->in_service = NOT_IN_SERVICE;
    if (what & GO_ON)
        go_on(m);
}

static void run_on(struct machine *m, unsigned blocks)
{
    run_times(m, block_new(0, 1001, END_REL_JMP), blocks), finish(m);
}

/* Like AFTER, from the first instruction of the handler of the first PMI. */
#define HANDLED(name, change, ...) AFTER_WITH(in_the_handler, name, change, __VA_ARGS__)

#define ONE_RECORD s.debugctl = 0, s.pebs_threshold = s.pebs_base + RECORD_PEBS
#define BRANCHES   s.pebs_enable = 0, s.bts_threshold = s.bts_base + 5 * RECORD_BTS

UNIT_TEST(handlers)
{
    HANDLED("status-not-acknowledged", (void)s, handle(m, STOP | EMPTY | UNMASK | GO_ON));
    HANDLED("status-not-acknowledged", (BRANCHES), wrmsr(m, DEBUGCTL, 0), handle(m, EMPTY | UNMASK | EOI),
            wrmsr(m, DEBUGCTL, TR_BTS | BTINT), expect_violation(m, NULL), run_on(m, 5)); /* the counters went on */
    for (unsigned nmi = 0; nmi < 2; nmi++) { /* LVTPC is masked: before the end of the handler, a PMI may be lost */
        HANDLED("pmi-lost", s.lvtpc = nmi ? 0x400 : 0x40, handle(m, STOP | ACKNOWLEDGE | GO_ON), run_on(m, 2),
                expect_violation(m, NULL), handle(m, EOI), run_on(m, 2));
    }
    for (unsigned returned = 0; returned < 4; returned++) { /* no EOI: IF is set, and the frame is gone */
        HANDLED(returned == 3 ? "pmi-no-eoi" : NULL, (void)s, handle(m, STOP | ACKNOWLEDGE | EMPTY | UNMASK | GO_ON),
                m->interrupts_on = returned & 1, m->registers.general[RSP] += returned & 2 ? 4000 : -UINT64_C(40),
                run_on(m, 18));
    }
    for (unsigned nmi = 0; nmi < 2; nmi++) /* the gate left interrupts on; an NMI's gate is not checked */
        AFTER(nmi ? NULL : "pmi-gate", s.lvtpc = nmi ? 0x400 : 0x40, run_on(m, 15), m->in_service = IN_SERVICE,
              m->interrupts_on = true, engine_interruption(&m->v, INTERRUPTION_EXTERNAL, CODE, CODE + 0x30000, 0));
    AFTER(NULL, (void)s, handle(m, STOP), handle(m, EMPTY | UNMASK | GO_ON)); /* without a PMI */
}

/*
 * A handler that acknowledges the PMI but does not empty the buffer; with and without stopping: reported when PEBS or
 * BTS goes on, or with the next record.
 */
UNIT_TEST(index_kept_by_the_handler)
{
    const unsigned served = ACKNOWLEDGE | UNMASK | EOI;

    HANDLED(NULL, (ONE_RECORD), handle(m, served | STOP | EMPTY | GO_ON), run_on(m, 2));
    HANDLED("ds-index-kept", (ONE_RECORD), handle(m, served | STOP), expect_violation(m, NULL), go_on(m),
            assert_true(violated(m, "pebs.index 0xffff800000104190 should")));
    HANDLED("ds-index-kept", (ONE_RECORD), handle(m, served), expect_violation(m, NULL), run_on(m, 2),
            assert_true(violated(m, "pebs.index 0xffff800000104258 should")));
    HANDLED(NULL, (BRANCHES), handle(m, served | STOP | EMPTY | GO_ON));
    HANDLED("ds-index-kept", (BRANCHES), handle(m, served | STOP | GO_ON));
    HANDLED("bts-circular-threshold", (BRANCHES), handle(m, served | STOP), wrmsr(m, DEBUGCTL, TR_BTS));
}

/*
 * A reset value of 0 is correct if software loads the counter in the handler of the interrupt that each record
 * requests, as Linux does when the period changes. Without that interrupt or handler, the counter stops sampling.
 */
UNIT_TEST(reset_values_of_0)
{
    const unsigned served = STOP | ACKNOWLEDGE | EMPTY | UNMASK | EOI;

    AFTER("pebs-no-reset: reset value of PMC0 0x0", s.reset = 0, expect_violation(m, NULL),
          run_on(m, 1)); /* it requests no interrupt */
    HANDLED(NULL, (s.reset = 0, ONE_RECORD), handle(m, served | LOAD), go_on(m));
    HANDLED("pebs-no-reset", (s.reset = 0, ONE_RECORD), handle(m, served), expect_violation(m, NULL), go_on(m));
}

UNIT_TEST(freeze_without_pmi)
{
    TRY(NULL, s.debugctl = 0x1000);
    TRY(NULL, s.debugctl = TR_BTS | BTINT | 0x1000, s.pebs_enable = 0);
    TRY("freeze-without-pmi", s.debugctl = TR_BTS | 0x1000, s.pebs_enable = 0, s.bts_threshold += 20 * RECORD_BTS);
    TRY("freeze-without-pmi", s.debugctl = 0x1000, s.pebs_enable = 0);
}

UNIT_TEST(debug_control)
{
    TRY("bts-without-tr: IA32_DEBUGCTL 0x80", s.debugctl = 0x80);
    TRY("tr-without-bts: IA32_DEBUGCTL 0x40", s.debugctl = 0x40);
    TRY("btint-without-bts: IA32_DEBUGCTL 0x100", s.debugctl = 0x100);
    AFTER(NULL, (void)s, WRMSR(m, { DEBUGCTL, 0x100 }, { DEBUGCTL, 0 }));
    AFTER("tr-without-bts", (void)s, WRMSR(m, { DEBUGCTL, 0x40 }));
    AFTER(NULL, (void)s, WRMSR(m, { DEBUGCTL, 0 }, { DEBUGCTL, 1 }));
    AFTER("lbr-accessed", s.debugctl = 1, rdmsr(m, LBR_FROM0 + 3));
    AFTER("lbr-accessed", s.debugctl = 1, wrmsr(m, TOS, 0));
    AFTER(NULL, s.debugctl = 1, wrmsr(m, LBR_SELECT, 1), /* without branches of the kernel, no entry is written */
          rdmsr(m, LBR_FROM0 + 3), wrmsr(m, TOS, 0));
    AFTER(NULL, s.debugctl |= 1, WRMSR(m, { DEBUGCTL, 0x80 }, { DEBUGCTL, 0 }), /* TR without BTS stops it */
          rdmsr(m, LBR_FROM0), rdmsr(m, LBR_TO0), rdmsr(m, TOS), rdmsr(m, DEBUGCTL), wrmsr(m, LBR_TO0, 0));
}

UNIT_TEST(full_buffers)
{
    struct block *b = block_new(0, 100, END_REL_JMP);

    for (unsigned branches = 99; branches <= 102; branches++)
        AFTER(branches > 100 ? "bts-buffer-full" : NULL, s.pebs_enable = 0, run_times(m, b, branches), finish(m));
    AFTER("bts-buffer-full", s.pebs_enable = 0, run_times(m, b, 102), finish(m),
          assert_true(violated(m, "rip=0x40018c bts-buffer-full: ")));
    for (unsigned blocks = 201; blocks <= 220; blocks += 19) { /* a record every ten blocks */
        AFTER(blocks > 210 ? "pebs-buffer-full" : NULL, (s.debugctl = 0, s.pebs_threshold = s.pebs_maximum),
              run_times(m, b, blocks), finish(m));
    }
}

/* The limit: periods up to half of the range of 48 bits. And typical mistakes. */
UNIT_TEST(reset_values_far_from_overflow)
{
    static const struct {
        uint64_t reset;
        const char *said;
    } rows[] = {
        { (uint32_t)-1000, "pebs-reset-range" },    { 1000, "pebs-reset-range" },
        { UINT64_C(1) << 47, "pebs-reset-range" },  { (UINT64_C(1) << 47) + 1, NULL },
        { -UINT64_C(1000) & 0xffffffffffff, NULL }, { -UINT64_C(1000), NULL },
    };
    struct block *b = block_new(0, 1001, END_REL_JMP);

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        AFTER(rows[i].said, s.reset = rows[i].reset, run(m, b), finish(m));
    AFTER("pebs-reset-range", s.reset = 1000, run(m, b), finish(m),
          assert_true(violated(m, "pebs-reset-range: reset value of PMC0 0x3e8 must be -period")));
}

UNIT_TEST(advice)
{
    AFTER("ds-buffer-size", s.bts_maximum += 2, assert_true(violated(m, "advice vcpu=0 rip=0x420000 ds-buffer-size: ")),
          assert_true(violated(m, "; a record has 24 bytes [SDM Vol. 3B (253669-083), \"Setting Up the DS")));
    AFTER("ds-index-outside", s.bts_index = s.bts_base - RECORD_BTS,
          assert_true(violated(m, "violation vcpu=0 rip=0x420000 ds-index-outside: ")));
}

/* If records are lost, the index does not move. The referee must not attribute that to software. */
UNIT_TEST(lost_records_move_no_index)
{
    const uint64_t unmapped = MEMORY - 0x10000;
    struct block *b = block_new(0, 4, END_REL_JMP);

    for (unsigned bts = 0; bts < 2; bts++) {
        struct setting s = good();
        struct machine *m;

        s.reset = -UINT64_C(10);
        if (bts)
            move_bts(&s, unmapped - BTS);
        else
            move_pebs(&s, unmapped - PEBS);
        m = program(&s);
        wrmsr(m, PMC0, (uint32_t)-2);
        for (unsigned time = 0; time < 3; time++) {
            run_times(m, b, 10);
            engine_settle(&m->v, (struct place){ b, 1 });
        }
        assert_true(violated(m, "record-lost"));
        assert_false(violated(m, "ds-index-moved"));
        assert_int_equal(get(m, DS + (bts ? 0x08 : 0x28)), unmapped);
    }
}

/* A record that cannot be written, or does not fit, costs as much as one that can: the host reads the area as rarely.
 */
UNIT_TEST(cost_of_lost_records)
{
    struct block *b = block_new(0, 10, END_REL_JMP);

    for (unsigned bts = 0; bts < 2; bts++) {
        for (unsigned way = 0; way < 3; way++) { /* the area, or the buffer's end, is not where it was */
            struct setting s = good();
            struct machine *m;

            s.pebs_enable = !bts;
            s.debugctl = bts ? s.debugctl : 0;
            s.bts_threshold = bts ? s.bts_base : s.bts_threshold;
            m = program(&s);
            run_times(m, b, 200), finish(m);
            m->memory_at += way == 1 ? MEMORY_SIZE : 0;
            if (way == 2)
                put(m, DS + 0x30, PEBS);
            m->lvtpc = bts ? 0x40 : m->lvtpc;
            m->reads = 0;
            run_times(m, b, 20000);
            assert_true(bts && way != 1 ? m->reads > 0 : m->reads < 20000 * 10 / 1000 * 2);
        }
    }
}

/* Architectural PEBS that sampled once and stopped, with a buffer at 4000H. The machine's log is empty. */
static struct machine *architectural(void)
{
    struct machine *m = machine_of("clearwaterforest");

    WRMSR(m, { GLOBAL_CTRL, 0 }, { 0x3f4, 0x4000 }, { 0x3f5, UINT64_C(0x4100000040) },
          { 0x1903, UINT64_C(1) << 63 | (uint32_t)-1000 }, { EVTSEL0, EVTSEL_ON | INST_RETIRED },
          { PMC0, (uint32_t)-1000 }, { GLOBAL_CTRL, 1 }, { GLOBAL_CTRL, 0 });
    expect_violation(m, NULL);
    return m;
}

UNIT_TEST(architectural_pebs)
{
    struct machine *m;

    for (unsigned way = 0; way < 4; way++) { /* without a PMI; before its handler begins; with another one on its way */
        m = architectural();
        m->v.referee.pmi_served = way != 1;
        m->v.referee.pmi_under_way = way == 2;
        m->v.pmi.wanted = way == 3;
        referee_arch_check(&m->v, CODE);
        expect_violation(m, way == 0 ? "pebs-index-kept" : NULL);
    }
    m = architectural(); /* the model's own counter starts, and samples nothing */
    WRMSR(m, { 0x3f5, 0 }, { 0x3f5, UINT64_C(1) << 32 });
    referee_arch_after(&m->v, 0, UINT64_C(1) << STEPPER, CODE);
    wrmsr(m, 0x3f5, 0);
    assert_false(violated(m, "pebs-index-unused"));
    for (unsigned size = 0; size < 2; size++) { /* the buffer is looked at again if IA32_PEBS_BASE has another value */
        m = architectural();
        m->code_page = 0x5000;
        WRMSR(m, { 0x3f4, 0x4000 | size }, { GLOBAL_CTRL, 1 });
        expect_violation(m, size != 0 ? "pebs-buffer-has-code" : NULL);
    }
}

/* Each rule is named in this file or in test_model_referee_writes.c, where a row breaks it. */
UNIT_TEST(each_rule_is_broken)
{
    static const char *const files[] = { "tests/host/test_model_referee.c", "tests/host/test_model_referee_writes.c" };
    static char text[1 << 17];
    size_t size = 0;

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        FILE *file = fopen(files[i], "r");

        assert_non_null(file);
        size += fread(text + size, 1, sizeof(text) - 1 - size, file);
        fclose(file);
    }
    for (unsigned i = 0; i < VIOLATIONS; i++) {
        char alone[64], with_field[64];

        snprintf(alone, sizeof(alone), "\"%s\"", referee_report_name(i));
        snprintf(with_field, sizeof(with_field), "\"%s: ", referee_report_name(i));
        if (strstr(text, alone) == NULL && strstr(text, with_field) == NULL)
            fail_msg("no test breaks %s", referee_report_name(i));
    }
    assert_null(referee_report_name(VIOLATIONS));
}
