/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each rule of the referee broken by itself is reported by its name, and by no other; nothing broken, nothing reported.
 */
#include "tests/host/model_machine.h"

struct setting {
    uint64_t area; /* IA32_DS_AREA */
    uint64_t bts_base, bts_index, bts_maximum, bts_threshold;
    uint64_t pebs_base, pebs_index, pebs_maximum, pebs_threshold;
    uint64_t event, debugctl, latency, pebs_enable;
    uint64_t page_flags, code_page;
    uint32_t lvtpc;
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
        .lvtpc = 0x40,
    };
}

/* The violations that programming BTS and PEBS so leads to, as text; the caller frees the machine. */
static struct machine *program(const struct setting *s)
{
    struct machine *m = machine_new();

    m->page_flags = s->page_flags;
    m->code_page = s->code_page;
    m->lvtpc = s->lvtpc;
    put(m, DS + 0x00, s->bts_base);
    put(m, DS + 0x08, s->bts_index);
    put(m, DS + 0x10, s->bts_maximum);
    put(m, DS + 0x18, s->bts_threshold);
    put(m, DS + 0x20, s->pebs_base);
    put(m, DS + 0x28, s->pebs_index);
    put(m, DS + 0x30, s->pebs_maximum);
    put(m, DS + 0x38, s->pebs_threshold);
    put(m, DS + 0x40, -UINT64_C(1000));
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

static void expect_only(const struct setting *s, const char *name)
{
    struct machine *m = program(s);
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
    machine_free(m);
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
    BREAK((s.pebs_base = s.pebs_index = s.bts_base + 10 * RECORD_BTS, s.pebs_maximum = s.pebs_base + 4 * RECORD_PEBS,
           s.pebs_threshold = s.pebs_base + 2 * RECORD_PEBS),
          "ds-overlap");
    BREAK(s.lvtpc = 0x10040, "lvtpc-masked");
    BREAK(s.lvtpc = 0x240, "lvtpc-delivery-mode"); /* SMI */
    BREAK(s.event = EVTSEL_ON | 0x003c, "pebs-event");
    BREAK(s.event |= 1u << 21, "pebs-qualifier"); /* AnyThread */
    BREAK(s.event |= 1u << 24, "pebs-qualifier"); /* CMask */
    BREAK(s.event |= 1u << 20, "pebs-int");
    BREAK((s.event = EVTSEL_ON | LOAD_LATENCY, s.pebs_enable = 0x100000001, s.latency = 2), "pebs-latency-threshold");
#undef BREAK
}

static void area_zero(void **state)
{
    struct machine *m = machine_new();

    (void)state;
    wrmsr(m, DEBUGCTL, TR_BTS);
    assert_true(violated(m, "violation vcpu=0 rip=0x420000 ds-area-zero: "));
    machine_free(m);
}

static void changes_while_it_runs(void **state)
{
    struct setting s = good();
    struct machine *m = program(&s);

    (void)state;
    wrmsr(m, PMC0, 0);
    assert_true(violated(m, "pebs-reconfigured"));
    wrmsr(m, DS_AREA, DS + 0x40);
    assert_true(violated(m, "ds-area-changed"));
    machine_free(m);

    m = program(&s);
    wrmsr(m, GLOBAL_CTRL, 0);
    wrmsr(m, DEBUGCTL, 0);
    wrmsr(m, PMC0, 0);
    wrmsr(m, DS_AREA, DS + 0x40);
    fflush(m->violations);
    assert_string_equal(m->violations_text, "");
    machine_free(m);
}

/* What the manual recommends, and what it demands. */
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
    wrmsr(m, GLOBAL_CTRL, 0);
    put(m, DS + 0x28, PEBS);
    wrmsr(m, GLOBAL_CTRL, 1);
    fflush(m->violations);
    assert_string_equal(m->violations_text, "");
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

/* A record for which there is no memory is lost, reported, and harms nothing else. */
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
    assert_int_equal(get(m, DS + 0x08), MEMORY - 0x1000);
    free(b);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_set_up), cmocka_unit_test(each_rule),
        cmocka_unit_test(area_zero),      cmocka_unit_test(changes_while_it_runs),
        cmocka_unit_test(lost_records),   cmocka_unit_test(enabled_again_by_the_handler),
        cmocka_unit_test(advice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
