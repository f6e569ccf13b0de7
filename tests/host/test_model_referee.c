/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each rule of the referee, broken by itself, is reported by its name and no other; without a breach nothing is
 * reported.
 */
#include "tests/host/model_machine.h"

#include "model/referee/referee_area.h"

#define TOS            0x1c9
#define PEBS_DATA_CFG  0x3f2
#define PMC_ADAPTIVE   (UINT64_C(1) << 34)
#define EVTSEL_INT_BIT (UINT64_C(1) << 20)

static bool fired[VIOLATIONS]; /* by any test */

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

/* The violations of programming BTS and PEBS this way, as text; the caller frees the machine. */
static struct machine *program(const struct setting *s)
{
    struct machine *m = machine_new();

    m->page_flags = s->page_flags;
    m->code_page = s->code_page;
    m->lvtpc = s->lvtpc;
    m->apic_disabled = s->apic_disabled;
    m->area_shared = s->area_shared;
    put(m, DS + 0x00, s->bts_base);
    put(m, DS + 0x08, s->bts_index);
    put(m, DS + 0x10, s->bts_maximum);
    put(m, DS + 0x18, s->bts_threshold);
    put(m, DS + 0x20, s->pebs_base);
    put(m, DS + 0x28, s->pebs_index);
    put(m, DS + 0x30, s->pebs_maximum);
    put(m, DS + 0x38, s->pebs_threshold);
    put(m, DS + 0x40, s->reset);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, DS_AREA, s->area);
    wrmsr(m, LD_LAT, s->latency);
    wrmsr(m, EVTSEL0, s->event);
    wrmsr(m, PMC0, (uint32_t)-1000);
    wrmsr(m, PEBS_ENABLE, s->pebs_enable);
    wrmsr(m, DEBUGCTL, s->debugctl);
    wrmsr(m, GLOBAL_CTRL, 1);
    fflush(m->violations);
    return m;
}

/* The log has this violation and no other; NULL: none. */
static void only(struct machine *m, const char *name)
{
    fflush(m->violations);
    const char *text = m->violations_text;

    if (name == NULL) {
        assert_string_equal(text, "");
    } else if (!violated(m, name)) {
        fail_msg("%s was not reported; the log: %s", name, text);
    }
    for (const char *line = text; name != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *said = strchr(strstr(line, "rip="), ' ') + 1;

        if (strncmp(said, name, strlen(name)) != 0 || said[strlen(name)] != ':') {
            fail_msg("%s was expected alone; the log: %s", name, text);
        }
    }
    for (unsigned i = 0; name != NULL && i < VIOLATIONS; i++) {
        fired[i] = fired[i] || strcmp(name, referee_report_name(i)) == 0;
    }
}

static void only_and_free(struct machine *m, const char *name)
{
    only(m, name);
    machine_free(m);
}

static void expect_only(const struct setting *s, const char *name)
{
    only_and_free(program(s), name);
}

static void a_clean_set_up(void **state)
{
    struct setting s = good();

    (void)state;
    expect_only(&s, NULL);
    s.bts_maximum++, s.pebs_maximum++; /* a multiple of the record "plus 1", as the manual has it */
    expect_only(&s, NULL);
    s = good();
    s.debugctl = TR_BTS; /* circular: the threshold is behind the maximum */
    s.bts_threshold = s.bts_maximum + RECORD_BTS;
    expect_only(&s, NULL);
    s = good();
    s.pebs_threshold = s.pebs_maximum; /* no interrupt before the buffer is full */
    expect_only(&s, NULL);
    s = good();
    s.lvtpc = 0x400; /* NMI */
    expect_only(&s, NULL);
    s = good();
    s.event = EVTSEL_ON | PREC_DIST | 1u << 23 | 16u << 24; /* INST_RETIRED.ALL_CYCLES: INV and CMask belong to it */
    s.event = EVTSEL_ON | LOAD_LATENCY;
    s.pebs_enable = 0x100000001;
    expect_only(&s, NULL);
}

static void each_rule(void **state)
{
    struct setting s;

    (void)state;
#define BREAK(change, name)    \
    do {                       \
        s = good();            \
        change;                \
        expect_only(&s, name); \
    } while (0)
    BREAK(s.area = MEMORY + MEMORY_SIZE, "ds-area-not-mapped");
    BREAK(s.page_flags = 0x61, "ds-page-not-writable");
    BREAK(s.page_flags = 0x43, "ds-page-not-accessed-and-dirty");
    BREAK(s.page_flags = 0x23, "ds-page-not-accessed-and-dirty");
    BREAK(s.page_flags = 0x67, "ds-page-in-user-space");
    BREAK(s.page_flags = 0x62, "ds-page-not-present");
    BREAK(s.code_page = PEBS, "ds-page-has-code");
    BREAK((s.bts_base += 2, s.bts_index += 2, s.bts_maximum += 2, s.bts_threshold += 2), "ds-base-misaligned");
    BREAK(s.bts_maximum += 2, "ds-buffer-size");
    BREAK(s.pebs_maximum -= 8, "ds-buffer-size");
    BREAK(s.pebs_maximum = s.pebs_base + RECORD_PEBS - 1, "ds-buffer-too-small");
    BREAK(s.bts_maximum = s.bts_base - RECORD_BTS, "ds-buffer-too-small");
    BREAK(s.bts_index = s.bts_base - RECORD_BTS, "ds-index-outside");
    BREAK(s.pebs_index += 8, "ds-index-outside");
    BREAK(s.bts_threshold += 8, "ds-threshold-outside");
    BREAK(s.bts_threshold = s.bts_maximum + RECORD_BTS, "ds-threshold-outside");
    BREAK(s.pebs_threshold = s.pebs_base - RECORD_PEBS, "ds-threshold-outside");
    BREAK((s.pebs_base = s.pebs_index = s.bts_base + 8 * RECORD_BTS, s.pebs_maximum = s.pebs_base + 4 * RECORD_PEBS,
           s.pebs_threshold = s.pebs_base + 2 * RECORD_PEBS),
          "ds-overlap");
    BREAK(s.page_flags = 0x73, "ds-memory-type");
    BREAK((s.bts_base += 4, s.bts_index += 4, s.bts_maximum += 4, s.bts_threshold += 4), "ds-cache-line");
    BREAK(s.bts_threshold = s.bts_maximum - RECORD_BTS, "ds-threshold-room");
    BREAK(s.bts_threshold = s.bts_maximum, "ds-threshold-room");
    BREAK(s.pebs_threshold = s.pebs_maximum - RECORD_PEBS, "ds-threshold-room");
    BREAK(s.debugctl = TR_BTS, "bts-circular-threshold");
    BREAK((s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum), "bts-circular-threshold");
    BREAK(s.apic_disabled = true, "apic-disabled");
    BREAK(s.area_shared = true, "ds-area-shared");
    BREAK(s.lvtpc = 0x8040, "lvtpc-trigger-mode");
    BREAK(s.lvtpc = 0x1f, "lvtpc-vector");
    BREAK(s.debugctl |= 0x600, "bts-off-both");
    BREAK(s.event &= ~UINT64_C(0x30000), "counter-no-ring");
    BREAK(s.event = EVTSEL_ON | LOAD_LATENCY, "pebs-latency-enable");
    BREAK(s.pebs_enable = 0x100000001, "pebs-latency-event");
    BREAK(s.lvtpc = 0x10040, "lvtpc-masked");
    BREAK(s.lvtpc = 0x240, "lvtpc-delivery-mode"); /* SMI */
    BREAK(s.event = EVTSEL_ON | 0x003c, "pebs-event");
    BREAK(s.event |= 1u << 21, "pebs-qualifier"); /* AnyThread */
    BREAK(s.event |= 1u << 24, "pebs-qualifier"); /* CMask */
    BREAK(s.event |= 1u << 20, "pebs-int");
    BREAK((s.event = EVTSEL_ON | LOAD_LATENCY, s.pebs_enable = 0x100000001, s.latency = 2), "pebs-latency-threshold");
#undef BREAK
}

/* Moves a buffer by so many bytes. */
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

/* The last value that a rule allows, and the first that it forbids; NULL: nothing is said. */
static void edges(void **state)
{
    struct setting s;

    (void)state;
#define TRY(change, name)      \
    do {                       \
        s = good();            \
        change;                \
        expect_only(&s, name); \
    } while (0)
    for (unsigned by = 1; by <= 64; by *= 2) {
        const char *name = by < 4 ? "ds-base-misaligned" : by < 64 ? "ds-cache-line" : NULL;

        TRY(move_bts(&s, by), name);
        TRY(move_bts(&s, by + 64), name);
        TRY(move_pebs(&s, by), name);
    }
    for (unsigned more = 0; more < RECORD_BTS; more++) { /* a whole number of records, plus one byte at most */
        TRY(s.bts_maximum += more, more > 1 ? "ds-buffer-size" : NULL);
        TRY(s.pebs_maximum += more, more > 1 ? "ds-buffer-size" : NULL);
        TRY(s.bts_index += more, more > 0 ? "ds-index-outside" : NULL);
        TRY(s.pebs_index += more, more > 0 ? "ds-index-outside" : NULL);
        TRY(s.bts_threshold += more, more > 0 ? "ds-threshold-outside" : NULL);
        TRY(s.pebs_threshold += more, more > 0 ? "ds-threshold-outside" : NULL);
    }
    TRY(s.bts_index = s.bts_maximum, NULL);
    TRY(s.bts_index = s.bts_maximum + RECORD_BTS, "ds-index-outside");
    TRY(s.pebs_index = s.pebs_maximum, NULL);
    TRY(s.pebs_index = s.pebs_maximum + RECORD_PEBS, "ds-index-outside");
    TRY(s.pebs_index = s.pebs_base - RECORD_PEBS, "ds-index-outside");
    TRY(s.bts_threshold = s.bts_base, NULL);
    TRY(s.bts_threshold = s.bts_base - RECORD_BTS, "ds-threshold-outside");
    TRY(s.bts_threshold = s.bts_maximum - 2 * RECORD_BTS, NULL);
    TRY(s.pebs_threshold = s.pebs_base, NULL);
    TRY(s.pebs_threshold = s.pebs_maximum - 2 * RECORD_PEBS, NULL);
    TRY(s.pebs_threshold = s.pebs_maximum, NULL); /* no interrupt before the buffer is full */
    TRY(s.pebs_threshold = s.pebs_maximum + RECORD_PEBS, "ds-threshold-outside");
    TRY((s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + 1), NULL); /* circular */
    TRY((s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + 1, s.bts_maximum = s.bts_base + RECORD_BTS), NULL);
    TRY((s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum, s.bts_maximum = s.bts_base + RECORD_BTS - 1),
        "ds-buffer-too-small");
    TRY((s.pebs_maximum = s.pebs_threshold = s.pebs_base + RECORD_PEBS), NULL);
    /* neighbours touch, and do not overlap */
    TRY((move_pebs(&s, BTS + 100 * RECORD_BTS + 32 - PEBS), s.bts_maximum = s.pebs_base), "ds-buffer-size");
    TRY(move_pebs(&s, BTS + 104 * RECORD_BTS - PEBS), NULL);
    TRY(move_pebs(&s, BTS + 96 * RECORD_BTS - PEBS), "ds-overlap");
    TRY(move_bts(&s, PEBS + 20 * RECORD_PEBS - BTS), "ds-cache-line");
    TRY(move_bts(&s, PEBS + 20 * RECORD_PEBS + 32 - BTS), NULL);
    TRY(move_bts(&s, DS + 0x80 - BTS), NULL);
    TRY(move_bts(&s, DS + 0x40 - BTS), "ds-overlap"); /* the counters' reset values */
    TRY((move_pebs(&s, DS + 0x80 - PEBS), s.pebs_maximum -= 2000, s.pebs_threshold -= 2000), NULL);
    TRY((move_pebs(&s, DS + 0x40 - PEBS), s.pebs_maximum -= 2000, s.pebs_threshold -= 2000), "ds-overlap");
    TRY((s.debugctl = 0, move_bts(&s, DS + 0x40 - BTS)), NULL); /* nothing is stored there */
    TRY((s.pebs_enable = 0, move_pebs(&s, DS + 0x40 - PEBS)), NULL);
    TRY((s.pebs_enable = 0, move_pebs(&s, BTS - PEBS)), NULL);
    TRY(s.lvtpc = 0x20, NULL);
    TRY(s.lvtpc = 0xff, NULL);
    TRY(s.lvtpc = 0x400, NULL);  /* NMI: a vector does not matter, */
    TRY(s.lvtpc = 0x8400, NULL); /* nor a trigger mode */
    TRY((s.lvtpc = 0x10000, s.pebs_threshold = s.pebs_maximum, s.debugctl = 0), NULL); /* nothing asks for a PMI */
    TRY((s.lvtpc = 0x10000, s.debugctl = TR_BTS, s.bts_threshold = s.bts_maximum + RECORD_BTS, s.pebs_enable = 0),
        NULL);
    TRY((s.event = EVTSEL_ON | LOAD_LATENCY, s.pebs_enable = 0x100000001, s.latency = 3), NULL);
    TRY(s.event |= 1u << 18, "pebs-qualifier"); /* EDGE: although the counter stands still */
    TRY((s.event |= 1u << 18, s.event &= ~UINT64_C(0x30000)), "counter-no-ring");
    TRY((s.event |= 1u << 18, s.event &= ~UINT64_C(0x400000)), NULL); /* not enabled, */
    TRY((s.event |= 1u << 18, s.pebs_enable = 0), NULL);              /* and not to be sampled */
    TRY((s.debugctl = TR_BTS | BTINT | 0x200), NULL);
    TRY((s.debugctl = TR_BTS | BTINT | 0x400), NULL);
#undef TRY
}

/* Each page of the area and of both buffers, and none behind them. */
static void pages(void **state)
{
    static const struct {
        uint64_t page;
        bool ours;
    } rows[] = {
        { DS - 0x1000, false },  { DS, true },
        { BTS, true },           { BTS + 0x1000, true },
        { BTS + 0x2000, false }, { PEBS - 0x1000, false },
        { PEBS, true },          { PEBS + 0x1000, true },
        { PEBS + 0x2000, true }, { PEBS + 0x3000, false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct setting s = good();

        s.bts_maximum = BTS + 340 * RECORD_BTS; /* 8160 bytes: two pages, and not a byte more */
        s.bts_threshold = BTS + 330 * RECORD_BTS;
        s.pebs_maximum = PEBS + 61 * RECORD_PEBS; /* 12200 bytes */
        s.code_page = rows[i].page;
        expect_only(&s, rows[i].ours ? "ds-page-has-code" : NULL);
    }
    for (unsigned whole = 0; whole < 2; whole++) { /* a buffer that ends where a page does, or a byte later */
        struct setting s = good();

        s.bts_base = s.bts_index = PEBS - 128 * RECORD_BTS;
        s.bts_maximum = PEBS + whole;
        s.bts_threshold = PEBS - 10 * RECORD_BTS;
        s.pebs_enable = 0;
        s.code_page = PEBS;
        expect_only(&s, whole ? "ds-page-has-code" : NULL);
    }
}

static void area_zero(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    wrmsr(m, DEBUGCTL, TR_BTS);
    assert_true(violated(m, "violation vcpu=0 rip=0x420000 ds-area-zero: "));
    only_and_free(m, "ds-area-zero");
}

static void stop(struct machine *m)
{
    wrmsr(m, DEBUGCTL, 0);
    wrmsr(m, GLOBAL_CTRL, 0);
}

static void go_on(struct machine *m)
{
    wrmsr(m, GLOBAL_CTRL, 1);
    wrmsr(m, DEBUGCTL, TR_BTS | BTINT);
}

static void changes_while_it_runs(void **state)
{
    struct setting s = good();
    struct machine *m = program(&s);

    (void)state;
    wrmsr(m, PMC0, 0);
    only_and_free(m, "pebs-reconfigured");
    m = program(&s);
    wrmsr(m, EVTSEL0, s.event);
    only_and_free(m, "pebs-reconfigured");
    m = program(&s);
    wrmsr(m, DS_AREA, DS + 0x40);
    only_and_free(m, "ds-area-changed");

    m = program(&s);
    stop(m);
    wrmsr(m, PMC0, 0);
    wrmsr(m, DS_AREA, DS + 0x40);
    only_and_free(m, NULL);
    m = program(&s);
    wrmsr(m, EVTSEL0, 0); /* that is how to stop one counter */
    only_and_free(m, NULL);
}

/* Software writes to the area while records may be on their way to memory, and where it may. */
static void area_changes_while_it_runs(void **state)
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
        { 0x30, PEBS + 19 * RECORD_PEBS, "ds-buffer-changed" },
        { 0x38, PEBS + 10 * RECORD_PEBS, "ds-buffer-changed" },
    };
    const struct setting s = good();
    struct block *b = block_new(0, 600, END_REL_JMP);

    (void)state;
    for (unsigned i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        for (unsigned ran = 0; ran < 4; ran++) { /* before the first record, and after some of each kind */
            struct machine *m = program(&s);

            for (unsigned n = 0; n < ran; n++) {
                run(m, b);
            }
            finish(m);
            only(m, NULL);
            put(m, DS + writes[i].offset, writes[i].value);
            stop(m);
            only_and_free(m, writes[i].name);
        }
        struct machine *m = program(&s); /* noticed without a stop, when the next record comes */

        put(m, DS + writes[i].offset, writes[i].value);
        run(m, b), run(m, b), run(m, b), run(m, b), run(m, b);
        finish(m);
        assert_true(violated(m, writes[i].name));
        machine_free(m);

        m = program(&s);
        stop(m);
        put(m, DS + writes[i].offset, writes[i].value);
        stop(m);
        only_and_free(m, NULL);
    }
    free(b);
}

/* A handler empties the buffer in the right order, again and again. */
static void a_clean_handler(void **state)
{
    struct setting s = good();
    struct block *b = block_new(0, 100, END_REL_JMP);

    (void)state;
    s.reset = -UINT64_C(10);

    struct machine *m = program(&s);

    for (unsigned round = 1; round < 6; round++) {
        while (m->pmis < round) {
            run(m, b);
        }
        m->in_service = IN_SERVICE;
        engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, CODE + 0x30000, 0);
        stop(m);
        put(m, DS + 0x08, BTS);
        put(m, DS + 0x28, PEBS);
        wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
        m->in_service = NOT_IN_SERVICE;
        m->lvtpc = 0x40;
        go_on(m);
    }
    only_and_free(m, NULL);
    free(b);
}

/* Runs up to the PMI of the threshold, and into its handler. */
static struct machine *in_the_handler(const struct setting *s, bool interrupts_on)
{
    struct machine *m = program(s);
    struct block *b = block_new(0, 1001, END_REL_JMP);

    while (m->pmis == 0) {
        run(m, b);
    }
    m->in_service = IN_SERVICE;
    m->interrupts_on = interrupts_on;
    engine_interruption(&m->v, INTERRUPTION_EXTERNAL, b->pc, CODE + 0x30000, 0);
    m->interrupts_on = false;
    free(b);
    return m;
}

static void reset_indices(struct machine *m)
{
    put(m, DS + 0x08, BTS);
    put(m, DS + 0x28, PEBS);
}

static void handlers(void **state)
{
    struct setting s = good();
    struct block *b = block_new(0, 1001, END_REL_JMP);
    struct machine *m;

    (void)state;
    only_and_free(in_the_handler(&s, false), NULL);
    only_and_free(in_the_handler(&s, true), "pmi-gate");
    s.lvtpc = 0x400; /* an NMI's gate is another's affair */
    only_and_free(in_the_handler(&s, true), NULL);
    s = good();

    m = in_the_handler(&s, false); /* not acknowledged */
    stop(m);
    reset_indices(m);
    m->lvtpc = 0x40;
    go_on(m);
    only_and_free(m, "status-not-acknowledged");

    m = in_the_handler(&s, false); /* not armed again: what comes before the end of its service is lost by right */
    stop(m);
    wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
    go_on(m);
    run(m, b), run(m, b);
    finish(m);
    only(m, NULL);
    m->in_service = NOT_IN_SERVICE;
    run(m, b), run(m, b);
    finish(m);
    only_and_free(m, "pmi-lost");
    free(b);
}

/* From version 4 on a freeze is a bit of the status, which keeps off what is enabled. */
static void frozen(void **state)
{
    static const uint64_t freezes[] = { 0x801, 0x1000 }; /* LBRs, counters */
    const uint64_t bits[] = { STATUS_LBRFRZ, STATUS_CTRFRZ };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned reset = 0; reset < 2; reset++) {
            struct setting s = good();

            s.debugctl |= freezes[i];
            struct machine *m = in_the_handler(&s, false);
            uint64_t status = rdmsr(m, GLOBAL_STATUS);

            assert_true(status & bits[i]);
            stop(m);
            reset_indices(m);
            m->lvtpc = 0x40;
            wrmsr(m, STATUS_RESET, reset ? status : status & ~bits[i]);
            wrmsr(m, GLOBAL_CTRL, 1);
            wrmsr(m, DEBUGCTL, s.debugctl);
            only_and_free(m, reset ? NULL : "still-frozen");
        }
    }
}

/* A second PMI is delivered while the first one's status bits stand. */
static void two_interrupts_for_one_status(void **state)
{
    (void)state;
    for (unsigned acknowledged = 0; acknowledged < 2; acknowledged++) {
        struct setting s = good();
        struct block *b = block_new(0, 1001, END_REL_JMP);
        struct machine *m = in_the_handler(&s, false);

        if (acknowledged) {
            wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
        }
        m->in_service = NOT_IN_SERVICE;
        m->lvtpc = 0x40; /* armed again, while everything runs on: the index is past the threshold */
        while (m->pmis == 1) {
            run(m, b);
        }
        only_and_free(m, acknowledged ? NULL : "status-not-acknowledged");
        free(b);
    }
}

/* What a sampled event depends on must not change under it, and may where nothing depends on it. */
static void latency_threshold_while_sampling(void **state)
{
    struct setting s = good();
    struct machine *m = program(&s);

    (void)state;
    wrmsr(m, LD_LAT, 100);
    only_and_free(m, NULL);
    s.event = EVTSEL_ON | LOAD_LATENCY;
    s.pebs_enable = 0x100000001;
    m = program(&s);
    wrmsr(m, LD_LAT, 100);
    only_and_free(m, "pebs-reconfigured");
}

static void freeze_without_pmi(void **state)
{
    static const struct {
        uint64_t debugctl, pebs_enable;
        bool said;
    } rows[] = {
        { 0x1000, 1, false },
        { TR_BTS | BTINT | 0x1000, 0, false },
        { TR_BTS | 0x1000, 0, true },
        { 0x1000, 0, true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct setting s = good();

        s.debugctl = rows[i].debugctl;
        s.pebs_enable = rows[i].pebs_enable;
        s.bts_threshold += rows[i].debugctl == (TR_BTS | 0x1000) ? 20 * RECORD_BTS : 0; /* circular */
        expect_only(&s, rows[i].said ? "freeze-without-pmi" : NULL);
    }
    for (unsigned interrupt = 0; interrupt < 2; interrupt++) {
        struct machine *m = machine_new();

        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, DEBUGCTL, 0x801);
        wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED | (interrupt ? EVTSEL_INT_BIT : 0));
        wrmsr(m, GLOBAL_CTRL, 1);
        only_and_free(m, interrupt ? NULL : "freeze-without-pmi");
    }
}

/* Counters that interrupt by themselves need the same LVT entry. */
static void counters_ask_for_interrupts(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    m->lvtpc = 0x10000;
    wrmsr(m, EVTSEL0, EVTSEL_ON | INST_RETIRED);
    only(m, NULL);
    wrmsr(m, EVTSEL0 + 1, EVTSEL_ON | INST_RETIRED | EVTSEL_INT_BIT);
    only_and_free(m, "lvtpc-masked");
}

static void debug_control(void **state)
{
    struct setting s = good();
    struct machine *m;

    (void)state;
    s.debugctl = 0x80;
    expect_only(&s, "bts-without-tr");
    s.debugctl = 0x40;
    expect_only(&s, "tr-without-bts");
    s.debugctl = 1;
    m = program(&s);
    rdmsr(m, LBR_FROM0 + 3);
    only_and_free(m, "lbr-accessed");
    m = program(&s);
    wrmsr(m, TOS, 0);
    only_and_free(m, "lbr-accessed");
    m = program(&s);
    wrmsr(m, LBR_SELECT, 1); /* without the kernel's branches: nothing moves while it looks */
    rdmsr(m, LBR_FROM0 + 3);
    wrmsr(m, TOS, 0);
    only_and_free(m, NULL);

    s = good();
    s.debugctl |= 1;
    m = program(&s);
    wrmsr(m, DEBUGCTL, 0x80); /* TR alone stops it */
    wrmsr(m, DEBUGCTL, 0);
    rdmsr(m, LBR_FROM0), rdmsr(m, LBR_TO0), rdmsr(m, TOS), rdmsr(m, DEBUGCTL);
    wrmsr(m, LBR_TO0, 0);
    only_and_free(m, NULL);
}

static void full_buffers(void **state)
{
    struct setting s = good();
    struct block *b = block_new(0, 100, END_REL_JMP);
    struct machine *m;

    (void)state;
    s.pebs_enable = 0;
    for (unsigned branches = 99; branches <= 102; branches++) {
        m = program(&s);
        for (unsigned i = 0; i < branches; i++) {
            run(m, b);
        }
        finish(m);
        only_and_free(m, branches > 100 ? "bts-buffer-full" : NULL);
    }
    s = good();
    s.debugctl = 0;
    s.pebs_threshold = s.pebs_maximum;
    for (unsigned blocks = 201; blocks <= 220; blocks += 19) { /* a record every ten of them */
        m = program(&s);
        for (unsigned i = 0; i < blocks; i++) {
            run(m, b);
        }
        finish(m);
        only_and_free(m, blocks > 210 ? "pebs-buffer-full" : NULL);
    }
    free(b);
}

/* Whether another processor records into the area now. */
static void records_into(void **state)
{
    const struct setting s = good();
    struct machine *m = program(&s);

    (void)state;
    assert_true(referee_area_records_into(&m->v, DS));
    assert_false(referee_area_records_into(&m->v, DS + 0x40));
    wrmsr(m, DEBUGCTL, 0);
    assert_true(referee_area_records_into(&m->v, DS));
    wrmsr(m, GLOBAL_CTRL, 0);
    assert_false(referee_area_records_into(&m->v, DS));
    machine_free(m);
}

static void pebs_enabled_late(void **state)
{
    const struct setting s = good();
    struct machine *m = program(&s);

    (void)state;
    wrmsr(m, PEBS_ENABLE, 0);
    only(m, NULL);
    wrmsr(m, PEBS_ENABLE, 1);
    only_and_free(m, "pebs-enabled-while-counting");
}

/* One counter of another processor, in a buffer of so many records of this size. */
static struct machine *sample(const char *profile, unsigned counter, uint64_t event, uint64_t enable, unsigned records,
                              unsigned record)
{
    struct machine *m = machine_of(profile);

    set_up_ds(m, 0, 0, 0, 0);
    put(m, DS + 0x30, PEBS + records * record);
    put(m, DS + 0x38, PEBS + 10 * record);
    for (unsigned i = 0; i < 4; i++) {
        put(m, DS + 0x40 + 8 * i, -UINT64_C(100));
    }
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, PEBS_ENABLE, enable);
    wrmsr(m, EVTSEL0 + counter, EVTSEL_ON | event);
    wrmsr(m, GLOBAL_CTRL, 1u << counter);
    return m;
}

/*
 * A reset value of 0 is software's that loads the counter itself, in the handler of the interrupt that each record
 * requests, as Linux does where the period changes. Without that interrupt, or where it does not, the counter is off.
 */
static void reset_values_of_0(void **state)
{
    struct setting s = good();
    struct block *b = block_new(0, 1001, END_REL_JMP);

    (void)state;
    s.reset = 0;

    struct machine *m = program(&s); /* no interrupt comes of the first record */

    only(m, NULL);
    run(m, b);
    finish(m);
    only_and_free(m, "pebs-no-reset");
    s.pebs_threshold = s.pebs_base + RECORD_PEBS;
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        m = in_the_handler(&s, false);
        stop(m);
        reset_indices(m);
        wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
        if (loaded) {
            wrmsr(m, PMC0, (uint32_t)-1000);
        }
        m->in_service = NOT_IN_SERVICE;
        m->lvtpc = 0x40;
        only(m, NULL);
        go_on(m);
        only_and_free(m, loaded ? NULL : "pebs-no-reset");
    }
    free(b);
}

/* The same of a fixed counter. */
static void reset_value_of_0_of_a_fixed_counter(void **state)
{
    struct block *b = block_new(0, 1001, END_REL_JMP);

    (void)state;
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        struct machine *m = machine_of("icelake");

        set_up_ds(m, 0, 0, 0, 0);
        put(m, DS + 0x30, PEBS + 20 * 32);
        put(m, DS + 0x38, PEBS + 32);
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, PEBS_ENABLE, UINT64_C(1) << 32);
        wrmsr(m, FIXED_CTRL, 3);
        wrmsr(m, FIXED_CTR0, 0xfffffffffff0);
        wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 32);
        run(m, b);
        finish(m);
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
        put(m, DS + 0x28, PEBS);
        if (loaded) {
            wrmsr(m, FIXED_CTR0, 0xfffffffffff0);
        }
        only(m, NULL);
        wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 32);
        only_and_free(m, loaded ? NULL : "pebs-no-reset");
    }
    free(b);
}

/* A counter that reloads itself, with or without its interrupt; one that others reload may ask for it. */
static void self_reload(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const bool self = i & 1, asks = i & 2, counts = i & 4;
        struct machine *m = machine_of("clearwaterforest");

        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, 0x190e, self ? 8 : 4);
        wrmsr(m, EVTSEL0 + 3, EVTSEL_ON | 0xc0 | (asks ? 1u << 20 : 0));
        only(m, NULL);
        wrmsr(m, GLOBAL_CTRL, counts ? 8 : 0);
        only_and_free(m, self && asks && counts ? "counter-reload-int" : NULL);
    }
    struct machine *m = machine_of("clearwaterforest");

    wrmsr(m, 0x1982, UINT64_C(1) << 32); /* fixed counter 0 */
    wrmsr(m, FIXED_CTRL, 0xb);
    only(m, NULL);
    wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 32);
    only_and_free(m, "counter-reload-int");
}

/* The one enable bit of Pentium M is the first select's, which may have no other purpose. */
static void parked_counter(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine *m = machine_of(i == 0 ? "pentium-m" : "core-duo");

        wrmsr(m, EVTSEL0, 0x40002e);
        only_and_free(m, i == 0 ? NULL : "counter-no-ring");
    }
}

static void other_processors(void **state)
{
    struct machine *m;

    (void)state;
    only_and_free(sample("core2", 0, INST_RETIRED, 1, 20, 144), NULL);
    only_and_free(sample("core2", 0, INST_RETIRED, 1, 29, 144), "pebs-buffer-page");
    /* Cycles made of INV and CMask, as Intel's lists and Linux have them; other events have neither. */
    only_and_free(sample("skylake", 1, 0x108001c0, 2, 20, 200), NULL);
    only_and_free(sample("skylake", 1, 0x108000c0, 2, 20, 200), NULL);
    only_and_free(sample("core2", 0, 0x108000c0, 1, 20, 144), NULL);
    only_and_free(sample("nehalem", 2, 0x108001c0, 4, 20, 176), NULL);
    only_and_free(sample("nehalem", 2, 0x108001c2, 4, 20, 176), NULL);
    only_and_free(sample("nehalem", 2, 0x010001c2, 4, 20, 176), NULL);
    only_and_free(sample("sandybridge", 3, 0x108001c2, 8, 20, 176), NULL);
    only_and_free(sample("skylake", 1, 0x010001c0, 2, 20, 200), "pebs-qualifier");
    only_and_free(sample("skylake", 1, 0x008001c0, 2, 20, 200), "pebs-qualifier"); /* INV without CMask */
    only_and_free(sample("skylake", 1, 0x10a001c0, 2, 20, 200), "pebs-qualifier"); /* AnyThread */
    only_and_free(sample("skylake", 1, 0x108401c0, 2, 20, 200), "pebs-qualifier"); /* Edge */
    only_and_free(sample("skylake", 1, 0x108020c4, 2, 20, 200), "pebs-qualifier");
    only_and_free(sample("sandybridge", 3, 0x02cd, 8 | UINT64_C(1) << 63, 20, 176), NULL);
    only_and_free(sample("sandybridge", 3, 0x02cd, 8, 20, 176), "pebs-store-enable");

    m = sample("icelake", 0, INST_RETIRED | PMC_ADAPTIVE, 1, 20, 32);
    only(m, NULL);
    wrmsr(m, PEBS_DATA_CFG, 2);
    only_and_free(m, "pebs-data-cfg-changed");
    m = sample("icelake", 0, INST_RETIRED, 1, 20, 32);
    wrmsr(m, PEBS_DATA_CFG, 2);
    only_and_free(m, NULL); /* its records are basic ones */

    for (unsigned lbr = 0; lbr < 2; lbr++) {
        m = sample("icelake", 0, INST_RETIRED | PMC_ADAPTIVE, 1, 20, 7 * 32); /* which is four of 56 bytes, too */
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, PEBS_DATA_CFG, 8); /* one entry */
        wrmsr(m, DEBUGCTL, lbr);
        wrmsr(m, GLOBAL_CTRL, 1);
        only_and_free(m, lbr ? NULL : "pebs-lbr-off");
    }
    for (unsigned aux = 0; aux < 2; aux++) {
        m = machine_of("goldencove");
        set_up_ds(m, 0, 0, 0, 0);
        put(m, DS + 0x30, PEBS + 20 * 32);
        put(m, DS + 0x38, PEBS + 10 * 32);
        put(m, DS + 0x48, -UINT64_C(100));
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, LD_LAT, 3);
        wrmsr(m, PEBS_ENABLE, 2);
        wrmsr(m, EVTSEL0, aux ? EVTSEL_ON | 0x8203 : 0);
        wrmsr(m, EVTSEL0 + 1, EVTSEL_ON | LOAD_LATENCY);
        wrmsr(m, GLOBAL_CTRL, 3);
        only_and_free(m, aux ? NULL : "pebs-latency-aux");
    }
}

/* Fixed counters take an interrupt of their own no more than general ones do. */
static void fixed_counters(void **state)
{
    static const struct {
        uint64_t control;
        const char *name;
    } cases[] = { { 3, NULL }, { 0xb, "pebs-int" } };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct machine *m = machine_of("icelake");

        set_up_ds(m, 0, 0, 0, 0);
        put(m, DS + 0x30, PEBS + 20 * 32);
        put(m, DS + 0x38, PEBS + 10 * 32);
        put(m, DS + 0x80, -UINT64_C(100));
        wrmsr(m, GLOBAL_CTRL, 0);
        wrmsr(m, PEBS_ENABLE, UINT64_C(1) << 32);
        wrmsr(m, FIXED_CTRL, cases[i].control);
        wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 32);
        only_and_free(m, cases[i].name);
    }
}

/* The manual's recommendations and demands. */
static void advice(void **state)
{
    struct setting s = good();
    struct machine *m;

    (void)state;
    s.bts_maximum += 2;
    m = program(&s);
    assert_non_null(strstr(m->violations_text, "advice vcpu=0 rip=0x420000 ds-buffer-size: "));
    machine_free(m);
    s = good();
    s.bts_index = s.bts_base - RECORD_BTS;
    m = program(&s);
    assert_non_null(strstr(m->violations_text, "violation vcpu=0 rip=0x420000 ds-index-outside: "));
    machine_free(m);
}

/* A handler that enables PEBS again while LVTPC still has the mask bit of the delivery. */
static void enabled_again_by_the_handler(void **state)
{
    struct setting s = good();
    struct machine *m = program(&s);
    struct block *b = block_new(0, 1001, END_REL_JMP);

    (void)state;
    while (m->pmis == 0) {
        begin(m, b);
    }
    assert_int_equal(m->lvtpc, 0x10040);
    stop(m);
    reset_indices(m);
    wrmsr(m, STATUS_RESET, rdmsr(m, GLOBAL_STATUS));
    go_on(m);
    only(m, NULL);
    m->lvtpc = 0x40;
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, GLOBAL_CTRL, 1);
    m->lvtpc = 0x10040;
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, GLOBAL_CTRL, 1);
    assert_true(violated(m, "lvtpc-masked"));
    free(b);
    machine_free(m);
}

/* A record without memory is lost, reported, and harms nothing else. */
static void lost_records(void **state)
{
    struct setting s = good();
    struct machine *m = program(&s);
    struct block *b = block_new(0, 1, END_REL_JMP);

    (void)state;
    put(m, DS + 0x00, MEMORY - 0x1000);
    put(m, DS + 0x08, MEMORY - 0x1000);
    run(m, b);
    run(m, b);
    finish(m);
    assert_true(violated(m, "record-lost"));
    fired[RECORD_LOST] = true;
    assert_int_equal(get(m, DS + 0x08), MEMORY - 0x1000);
    free(b);
    machine_free(m);
}

/* An index that stays where it was because nothing could be written has not been moved by software. */
static void lost_records_move_no_index(void **state)
{
    struct block *b = block_new(0, 4, END_REL_JMP);

    (void)state;
    for (unsigned bts = 0; bts < 2; bts++) {
        struct setting s = good();
        struct machine *m;

        s.reset = -UINT64_C(10);
        if (bts) {
            s.bts_base = s.bts_index = MEMORY - 0x10000;
            s.bts_maximum = s.bts_base + 100 * RECORD_BTS;
            s.bts_threshold = s.bts_base + 90 * RECORD_BTS;
        } else {
            s.pebs_base = s.pebs_index = MEMORY - 0x10000;
            s.pebs_maximum = s.pebs_base + 20 * RECORD_PEBS;
            s.pebs_threshold = s.pebs_base + 15 * RECORD_PEBS;
        }
        m = program(&s);
        wrmsr(m, PMC0, (uint32_t)-2);
        for (unsigned time = 0; time < 3; time++) {
            for (unsigned i = 0; i < 10; i++) {
                run(m, b);
            }
            engine_settle(&m->v, (struct place){ b, 1 });
        }
        assert_true(violated(m, "record-lost"));
        assert_false(violated(m, "ds-index-moved"));
        machine_free(m);
    }
    free(b);
}

/* A loss is told of the branch, or of the first instruction whose record waited for memory. */
static void lost_records_are_placed(void **state)
{
    static const struct {
        unsigned cpl;
        uint64_t filter; /* DEBUGCTL */
        bool said;
    } rows[] = { { 0, 0, true },     { 3, 0, true },     { 0, 0x200, false },
                 { 3, 0x200, true }, { 0, 0x400, true }, { 3, 0x400, false } };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) { /* the area goes away while branches are stored */
        struct setting s = good();
        struct block *b = block_new(0x100, 3, END_REL_JMP), *after = block_new(0x200, 1, END_PLAIN);
        struct machine *m;

        s.pebs_enable = 0;
        s.debugctl |= rows[i].filter;
        m = program(&s);
        b->cpl = (uint8_t)rows[i].cpl;
        m->memory_at += MEMORY_SIZE;
        run(m, b), run(m, after);
        engine_settle(&m->v, (struct place){ after, 1 });
        assert_true(violated(m, "rip=0x400108 record-lost: ") == rows[i].said);
        assert_true(violated(m, "record-lost") == rows[i].said);
        free(b), free(after);
        machine_free(m);
    }
    struct setting s = good();
    struct block *b = block_new(0x100, 4, END_REL_JMP);
    struct machine *m;

    s.debugctl = 0;
    s.reset = -UINT64_C(10);
    m = program(&s);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, PMC0, (uint32_t)-2);
    wrmsr(m, GLOBAL_CTRL, 1);
    run(m, b); /* the third instruction has a record, the fourteenth another */
    run(m, b), run(m, b), run(m, b);
    m->memory_at += MEMORY_SIZE;
    engine_settle(&m->v, (struct place){ b, 1 });
    assert_true(violated(m, "rip=0x400108 record-lost: "));
    machine_free(m);
    m = program(&s); /* the area has gone before there is a record */
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, PMC0, (uint32_t)-2);
    wrmsr(m, GLOBAL_CTRL, 1);
    m->memory_at += MEMORY_SIZE;
    run(m, b);
    engine_settle(&m->v, (struct place){ b, 1 });
    assert_true(violated(m, "rip=0x400108 record-lost: "));
    free(b);
    machine_free(m);
}

#define LOW_MEMORY UINT64_C(0x100000) /* NetBurst's fields have 32 bits */
#define CCCR(i)    (0x360u + (i))
#define CCCR_ON    (UINT64_C(1) << 12 | UINT64_C(5) << 13 | UINT64_C(3) << 16)
#define MY_THR     (UINT64_C(1) << 25)
#define UOP_TAG    (UINT64_C(1) << 24)
#define FRONT_END  (UINT64_C(8) << 25 | 1u << 9 | 0xc)
#define TAG_LOADS  (UINT64_C(2) << 25 | 2u << 9 | 0xc)

static struct machine *netburst(uint64_t cccr, uint64_t enable, uint64_t tag)
{
    const uint32_t area[] = { 0,   0, 0, 0, 0x104000, 0x104000, 0x104000 + 20 * 40, 0x104000 + 10 * 40, (uint32_t)-100,
                              0xff };
    struct machine *m = machine_of("netburst");

    m->memory_at = LOW_MEMORY;
    memcpy(m->memory, area, sizeof(area));
    wrmsr(m, DS_AREA, LOW_MEMORY);
    wrmsr(m, 0x3bc, tag);            /* RAT_ESCR0 */
    wrmsr(m, 0x3cc, FRONT_END);      /* CRU_ESCR2 */
    wrmsr(m, 0x310, (uint64_t)-100); /* IQ_COUNTER4 */
    wrmsr(m, PEBS_ENABLE, enable);
    wrmsr(m, CCCR(16), cccr);
    return m;
}

static void netburst_rules(void **state)
{
    struct machine *m;

    (void)state;
    only_and_free(netburst(CCCR_ON, MY_THR, TAG_LOADS), NULL);
    only_and_free(netburst(CCCR_ON | UINT64_C(0x4c) << 16, MY_THR, TAG_LOADS), NULL); /* COMPARE and a threshold */
    only_and_free(netburst(CCCR_ON, UOP_TAG, TAG_LOADS), "pebs-only-tags");
    only_and_free(netburst(CCCR_ON, MY_THR, 0), "pebs-no-tag");
    only_and_free(netburst(CCCR_ON & ~(UINT64_C(1) << 17), 0, TAG_LOADS), "cccr-thread");
    only_and_free(netburst(CCCR_ON | UINT64_C(1) << 31, 0, TAG_LOADS), "status-not-acknowledged");
    m = netburst(CCCR_ON, MY_THR, TAG_LOADS);
    wrmsr(m, 0x310, (uint64_t)-100);
    only_and_free(m, "pebs-reconfigured");
}

/* --- architectural PEBS ------------------------------------------------------------------------------------------ */

#define PEBS_BASE       0x3f4
#define PEBS_INDEX      0x3f5
#define GP_CTR(n)       (0x1900u + 4 * (n))
#define GP_CFG_A(n)     (0x1901u + 4 * (n))
#define GP_CFG_C(n)     (0x1903u + 4 * (n))
#define FX_CTR(n)       (0x1980u + 4 * (n))
#define FX_CFG_C(n)     (0x1983u + 4 * (n))
#define CFG_C_EN        (UINT64_C(1) << 63)
#define INDEX_FULL      (UINT64_C(1) << 31)
#define INDEX_EN        (UINT64_C(1) << 32)
#define INDEX_THRESH(b) ((uint64_t)(b) / 16 << 36)
#define BUFFER          0x4000u /* physical */

/* Counter 2 is about to sample into this buffer, with these groups beside the basic one. */
static struct machine *architectural(uint64_t base, uint64_t index, uint64_t groups)
{
    struct machine *m = machine_of("clearwaterforest");

    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, PEBS_BASE, base);
    wrmsr(m, PEBS_INDEX, index);
    wrmsr(m, GP_CFG_C(2), CFG_C_EN | groups | (uint32_t)-1000);
    wrmsr(m, GP_CFG_A(2), EVTSEL_ON | INST_RETIRED);
    wrmsr(m, GP_CTR(2), -UINT64_C(1000) & 0xffffffffffff);
    fflush(m->violations);
    assert_int_equal(m->violations_size, 0);
    return m;
}

static void architectural_rules(void **state)
{
    static const struct {
        const char *name;
        uint64_t base, index, groups;
    } rows[] = {
        { NULL, BUFFER, INDEX_EN | INDEX_THRESH(4096) | 4096, 0 },
        { "pebs-base-zero", 0, INDEX_EN, 0 },
        { "pebs-base-zero", 1, INDEX_EN, 0 },
        { "pebs-buffer-not-memory", 0x10000, INDEX_EN, 0 },
        { "pebs-buffer-not-memory", 0xf000 | 1, INDEX_EN, 0 },
        { "pebs-index-outside", BUFFER, INDEX_EN | 4112, 0 },
        { NULL, BUFFER | 1, INDEX_EN | INDEX_THRESH(8192) | 4112, 0 },
        { "pebs-threshold-outside", BUFFER, INDEX_EN | INDEX_THRESH(4112), 0 },
        { "pebs-full-kept", BUFFER, INDEX_EN | INDEX_FULL, 0 },
        { "pebs-not-counted", BUFFER, INDEX_EN, UINT64_C(1) << 36 },                     /* none at all */
        { "pebs-not-counted", BUFFER, INDEX_EN, UINT64_C(1) << 37 | UINT64_C(1) << 35 }, /* but no fixed one */
        { NULL, BUFFER, INDEX_EN, UINT64_C(1) << 36 | UINT64_C(1) << 35 },
        { "pebs-lbr-off", BUFFER, INDEX_EN, UINT64_C(1) << 40 },
        { "pebs-index-off", BUFFER, 0, 0 },
    };
    struct machine *m;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        m = architectural(rows[i].base, rows[i].index, rows[i].groups);
        wrmsr(m, GLOBAL_CTRL, 1 << 2);
        only_and_free(m, rows[i].name);
    }
    m = architectural(BUFFER, INDEX_EN, UINT64_C(1) << 37); /* the fixed one that is allowed is the last */
    wrmsr(m, FX_CFG_C(6), UINT64_C(1) << 35);
    wrmsr(m, GLOBAL_CTRL, 1 << 2);
    only_and_free(m, NULL);
    m = architectural(BUFFER, INDEX_EN, 0);
    m->lvtpc = 0x10040;
    wrmsr(m, GLOBAL_CTRL, 1 << 2);
    only_and_free(m, "lvtpc-masked");
}

/* Registers that must not be written while a counter counts for PEBS; EN of the index may be cleared. */
static void architectural_changes(void **state)
{
    static const struct {
        const char *name;
        uint32_t address;
        uint64_t value;
    } rows[] = {
        { "pebs-base-changed", PEBS_BASE, BUFFER },
        { "pebs-base-changed", PEBS_BASE, 0 },
        { "pebs-index-written", PEBS_INDEX, INDEX_EN },
        { NULL, PEBS_INDEX, 0 },
        { "pebs-reconfigured", GP_CFG_C(2), 0 },
        { NULL, GP_CFG_C(3), 0 },
        { NULL, FX_CFG_C(2), 0 },
        { "pebs-reconfigured", FX_CFG_C(1), 0 },
        { "pebs-reconfigured", GP_CTR(2), 0 },
        { "pebs-reconfigured", FX_CTR(1), 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine *m = architectural(BUFFER, INDEX_EN | INDEX_THRESH(4096), 0);

        wrmsr(m, FX_CFG_C(1), CFG_C_EN | (uint32_t)-1000);
        wrmsr(m, FX_CTR(1), 0xffffffff0000);
        wrmsr(m, FIXED_CTRL, 0x30);
        wrmsr(m, rows[i].address, rdmsr(m, rows[i].address)); /* before it begins */
        wrmsr(m, GLOBAL_CTRL, UINT64_C(1) << 33 | 1 << 2);
        fflush(m->violations);
        assert_int_equal(m->violations_size, 0);
        wrmsr(m, rows[i].address, rows[i].value);
        only_and_free(m, rows[i].name);
    }
}

/* The last test: no rule was left out above. */
static void all_have_fired(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VIOLATIONS; i++) {
        if (!fired[i]) {
            fail_msg("no test breaks %s", referee_report_name(i));
        }
    }
    assert_null(referee_report_name(VIOLATIONS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_set_up),
        cmocka_unit_test(each_rule),
        cmocka_unit_test(edges),
        cmocka_unit_test(pages),
        cmocka_unit_test(area_zero),
        cmocka_unit_test(changes_while_it_runs),
        cmocka_unit_test(area_changes_while_it_runs),
        cmocka_unit_test(a_clean_handler),
        cmocka_unit_test(handlers),
        cmocka_unit_test(frozen),
        cmocka_unit_test(two_interrupts_for_one_status),
        cmocka_unit_test(latency_threshold_while_sampling),
        cmocka_unit_test(freeze_without_pmi),
        cmocka_unit_test(counters_ask_for_interrupts),
        cmocka_unit_test(debug_control),
        cmocka_unit_test(full_buffers),
        cmocka_unit_test(records_into),
        cmocka_unit_test(pebs_enabled_late),
        cmocka_unit_test(reset_values_of_0),
        cmocka_unit_test(reset_value_of_0_of_a_fixed_counter),
        cmocka_unit_test(parked_counter),
        cmocka_unit_test(self_reload),
        cmocka_unit_test(other_processors),
        cmocka_unit_test(fixed_counters),
        cmocka_unit_test(netburst_rules),
        cmocka_unit_test(lost_records),
        cmocka_unit_test(lost_records_move_no_index),
        cmocka_unit_test(lost_records_are_placed),
        cmocka_unit_test(enabled_again_by_the_handler),
        cmocka_unit_test(advice),
        cmocka_unit_test(architectural_rules),
        cmocka_unit_test(architectural_changes),
        cmocka_unit_test(all_have_fired),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
