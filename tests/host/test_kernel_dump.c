/* SPDX-License-Identifier: MIT */
/* What the kernel hands to the writer of dumps, and when its lines are printed: kernel/dump.c with a writer of the
 * test's. */
#include "tests/host/host_test.h"

#include "arch/x86/image.h"
#include "arch/x86/msr.h"
#include "arch/x86/processor_number.h"
#include "lib/dump/dump_write.h"
#include "kernel/console.h"
#include "kernel/dump.h"

static struct {
    unsigned processor;
    uint64_t misc_enable, data_cfg;
    void (*observer)(const struct pebs_sampling *sampling);
    char said[4000]; /* what was printed, and what the writer was asked for */
} world;

static void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *fmt, ...)
{
    const size_t used = strlen(world.said);
    va_list args;

    va_start(args, fmt);
    vsnprintf(world.said + used, sizeof world.said - used, fmt, args);
    va_end(args);
}

static void said(const char *what)
{
    assert_string_equal(world.said, what);
    world.said[0] = 0;
}

unsigned processor_number(void)
{
    return world.processor;
}

void console_text(const char *text)
{
    if (strlen(text) < 100)
        tell("[%s]", text);
    else
        tell("[%c.. %zu]", text[0], strlen(text));
}

bool msr_read(uint32_t msr, uint64_t *value)
{
    assert_true(msr == 0x1a0 || msr == 0x3f2); /* IA32_MISC_ENABLE, MSR_PEBS_DATA_CFG */
    *value = msr == 0x1a0 ? world.misc_enable : world.data_cfg;
    return true;
}

void pebs_observe(void (*observe)(const struct pebs_sampling *sampling))
{
    world.observer = observe;
}

/* A note's header of 16 bytes, and an id. */
static const uint8_t note[16 + 20] = { [15] = 0xee, [16] = 0xa1, [17] = 0xa2, [35] = 0xaf };
static const uint8_t *note_end = note + sizeof note;
#define build_id_start note
#define build_id_end   note_end

static const struct line_sink *sink;

static void writer_init(struct dump_writer *w, const struct line_sink *out)
{
    assert_non_null(w);
    sink = out;
    tell("init; ");
}

static void write_head(struct dump_writer *w, const struct dump_machine *m)
{
    assert_non_null(w);
    tell("head %s width %u signature %x capabilities %llx misc %llx cfg %llx ds %u prediction %d pebs %u source %u id "
         "%u",
         m->version, m->cpu_width, m->signature, (unsigned long long)m->perf_capabilities,
         (unsigned long long)m->misc_enable, (unsigned long long)m->pebs_data_cfg, m->ds_width, m->bts_prediction,
         m->pebs.format, (unsigned)m->data_source, m->build_id_length);
    for (unsigned i = 0; i < m->build_id_length; i++)
        if (m->build_id[i])
            tell(" %u:%x", i, m->build_id[i]);
    tell("; ");
}

static void write_test(struct dump_writer *w, const char *id)
{
    assert_non_null(w);
    tell("test %s; ", id);
    sink->line(sink->context, "of the test");
}

static void write_event(struct dump_writer *w, const struct dump_sampling *e)
{
    assert_non_null(w);
    tell("event cpu %u counter %u fixed %d select %llx period %llu threshold %llu cfg %llx name %s; ", e->cpu,
         e->counter, e->fixed, (unsigned long long)e->select, (unsigned long long)e->period,
         (unsigned long long)e->threshold, (unsigned long long)e->data_cfg, e->name);
}

static void write_bts(struct dump_writer *w, unsigned cpu, unsigned width, bool prediction, const uint8_t *bytes,
                      unsigned count)
{
    assert_non_null(w);
    tell("bts cpu %u width %u prediction %d first %x count %u; ", cpu, width, prediction, bytes[0], count);
}

static void write_pebs(struct dump_writer *w, unsigned cpu, const struct pebs_form *form,
                       enum data_source_encoding encoding, unsigned size, const uint8_t *bytes, unsigned count)
{
    assert_non_null(w);
    tell("pebs cpu %u form %u source %u size %u first %x count %u; ", cpu, form->format, (unsigned)encoding, size,
         bytes[0], count);
}

static void write_lbr(struct dump_writer *w, unsigned cpu, unsigned form, const struct dump_lbr *stack)
{
    assert_non_null(w);
    tell("lbr cpu %u form %u depth %u shifts %d tos %llu from %llx; ", cpu, form, stack->depth, stack->shifts,
         (unsigned long long)stack->tos, (unsigned long long)stack->registers[0][0]);
}

static void write_flush(struct dump_writer *w)
{
    assert_non_null(w);
    tell("flush; ");
    sink->line(sink->context, "of the frame");
}

static void write_end(struct dump_writer *w)
{
    assert_non_null(w);
    tell("end; ");
    sink->line(sink->context, "the last");
}

#define dump_writer_init writer_init
#define dump_write_head  write_head
#define dump_write_test  write_test
#define dump_write_event write_event
#define dump_write_bts   write_bts
#define dump_write_pebs  write_pebs
#define dump_write_lbr   write_lbr
#define dump_write_flush write_flush
#define dump_write_end   write_end
#include "kernel/dump.c"

static const struct pebs_event loads = { .name = "LOADS", .select = 0x81d0, .role = PEBS_ROLE_LOADS };
static const struct pebs_event latency = { .name = "LATENCY", .select = 0x01cd, .role = PEBS_ROLE_LOAD_LATENCY };

static const uint8_t bytes[] = { 0x77 };
static const struct ds_log records = { .bytes = bytes, .record_size = 200, .records = 3 };

static void start(const struct caps *caps)
{
    memset(&world, 0, sizeof world);
    world.misc_enable = 0x850089;
    world.data_cfg = 0x1f;
    wanted = held = false;
    waiting_used = 0;
    dump_start(caps, 0);
    assert_non_null(world.observer);
}

static struct caps fixed_records(void)
{
    return (struct caps){ .signature = 0x506e3,
                          .perf_capabilities = 0x33c5,
                          .ds = true,
                          .ds_width = 8,
                          .bts_prediction = true,
                          .pebs_method = PEBS_METHOD_GENERAL,
                          .pebs_form = { .width = 8, .format = 3 },
                          .data_source = DATA_SOURCE_SKYLAKE };
}

static void the_head_has_the_machine(void **state)
{
    struct caps caps = fixed_records();
    char head[400];

    (void)state;
    start(&caps);
    snprintf(head, sizeof head,
             "init; head 1.2+abc width %u signature 506e3 capabilities 33c5 misc 850089 cfg 0 ds 8 prediction 1 pebs 3 "
             "source %u id 20 "
             "0:a1 1:a2 19:af; ",
             8 * (unsigned)sizeof(void *), (unsigned)DATA_SOURCE_SKYLAKE);
    said(head);
    caps.ds = caps.bts_prediction = false;
    caps.pebs_method = PEBS_METHOD_ADAPTIVE;
    start(&caps);
    snprintf(head, sizeof head,
             "init; head 1.2+abc width %u signature 506e3 capabilities 33c5 misc 850089 cfg 1f ds 0 prediction 0 pebs "
             "3 source %u id 20 "
             "0:a1 1:a2 19:af; ",
             8 * (unsigned)sizeof(void *), (unsigned)DATA_SOURCE_SKYLAKE);
    said(head);
    note_end = note + 18; /* a shorter id */
    start(&caps);
    assert_non_null(strstr(world.said, " id 2 0:a1 1:a2; "));
    note_end = note + sizeof note;
}

static void nothing_is_written_unasked(void **state)
{
    const struct caps caps = fixed_records();

    (void)state;
    start(&caps);
    world.said[0] = 0;
    dump_end();
    said("end; [the last]");
    dump_end();
    dump_test("ds.area");
    dump_event(0, &(struct pebs_sampling){ .event = &loads });
    dump_bts(0, &records);
    dump_pebs(0, &records, DATA_SOURCE_SKYLAKE);
    dump_lbr(0, &(struct lbr_stack){ 0 });
    dump_flush();
    said("");
}

static void an_event_says_what_is_sampled(void **state)
{
    struct caps caps = fixed_records();
    struct pebs_sampling sampling = { .event = &loads, .counter = 2, .period = 33, .threshold = 7, .data_cfg = 0x1b };

    (void)state;
    start(&caps);
    world.said[0] = 0;
    dump_event(1, &sampling);
    said("event cpu 1 counter 2 fixed 0 select 81d0 period 33 threshold 0 cfg 0 name LOADS; ");
    sampling.event = &latency;
    dump_event(0, &sampling);
    said("event cpu 0 counter 2 fixed 0 select 1cd period 33 threshold 7 cfg 0 name LATENCY; ");
    caps.pebs_method = PEBS_METHOD_ADAPTIVE;
    dump_event(0, &sampling);
    said("event cpu 0 counter 2 fixed 0 select 1cd period 33 threshold 7 cfg 1b name LATENCY; ");
    sampling.basic = true;
    dump_event(0, &sampling);
    said("event cpu 0 counter 2 fixed 0 select 1cd period 33 threshold 7 cfg 0 name LATENCY; ");
    sampling.fixed = true;
    sampling.event = NULL;
    dump_event(0, &sampling);
    said("event cpu 0 counter 2 fixed 1 select 0 period 33 threshold 0 cfg 0 name ; ");
    world.observer(&sampling); /* what pebs_program() tells */
    said("event cpu 0 counter 2 fixed 1 select 0 period 33 threshold 0 cfg 0 name ; ");
    world.processor = 1; /* the test says that of the others itself */
    world.observer(&sampling);
    said("");
}

static void records_are_passed_on(void **state)
{
    struct caps caps = fixed_records();
    struct lbr_stack stack = { .depth = 16, .tos = 5, .registers = { { 0x1234 } } };

    (void)state;
    start(&caps);
    world.said[0] = 0;
    dump_bts(1, &records);
    said("bts cpu 1 width 8 prediction 1 first 77 count 3; ");
    dump_pebs(2, &records, DATA_SOURCE_NEHALEM);
    char want[100];
    snprintf(want, sizeof want, "pebs cpu 2 form 3 source %u size 200 first 77 count 3; ",
             (unsigned)DATA_SOURCE_NEHALEM);
    said(want);
    caps.lbr_format = 5;
    dump_lbr(3, &stack);
    said("lbr cpu 3 form 5 depth 16 shifts 0 tos 5 from 1234; ");
    caps.lbr_layout = LBR_LAYOUT_PACKED;
    dump_lbr(0, &stack);
    said("lbr cpu 0 form 64 depth 16 shifts 0 tos 5 from 1234; ");
    caps.lbr_layout = LBR_LAYOUT_ARCH;
    stack.shifts = true;
    dump_lbr(0, &stack);
    said("lbr cpu 0 form 65 depth 16 shifts 1 tos 5 from 1234; ");
}

/* In an interrupt routine lines wait; they keep their order. */
static void lines_wait_while_they_are_held(void **state)
{
    const struct caps caps = fixed_records();

    (void)state;
    start(&caps);
    world.said[0] = 0;
    dump_test("one");
    said("test one; [of the test]");
    dump_hold();
    dump_flush(); /* which prints what waits: it is called outside of the routine */
    said("flush; [of the frame]");
    sink->line(sink->context, "first");
    sink->line(sink->context, "second");
    said("");
    dump_resume();
    said("");
    dump_waiting();
    said("[first][second]");
    dump_waiting();
    said("");
    dump_hold();
    sink->line(sink->context, "third");
    dump_resume();
    sink->line(sink->context, "fourth"); /* not before the third */
    said("[third][fourth]");
    dump_hold();
    sink->line(sink->context, "fifth");
    dump_test("two"); /* after one that was ended in its routine */
    said("test two; [fifth][of the test]");
    dump_hold();
    sink->line(sink->context, "sixth");
    dump_end();
    said("end; [sixth][the last]");
}

/* What does not fit is lost; the numbers of the frames show it. */
static void too_many_lines_are_lost(void **state)
{
    const struct caps caps = fixed_records();
    static char line[0x8000];

    (void)state;
    start(&caps);
    world.said[0] = 0;
    memset(line, 'x', sizeof line - 1); /* two of them, with their ends, are 64 KiB */
    dump_hold();
    sink->line(sink->context, line);
    sink->line(sink->context, line);
    sink->line(sink->context, "");
    dump_resume();
    dump_waiting();
    said("[x.. 32767][x.. 32767]");
    dump_hold();
    sink->line(sink->context, line);
    sink->line(sink->context, line + 1);
    sink->line(sink->context, "");
    sink->line(sink->context, "lost");
    dump_resume();
    dump_waiting();
    said("[x.. 32767][x.. 32766][]");
}

/* The tests call the processor that they run on 0; the dump has its own number. A second head ends the first dump. */
static void each_kind_of_cores_has_a_head(void **state)
{
    struct caps caps = fixed_records(), other = fixed_records();
    char head[60];

    (void)state;
    start(&caps);
    world.said[0] = 0;
    other.signature = 0x90672;
    dump_start(&other, 6);
    assert_int_equal(strncmp(world.said, "end; [the last]init; head ", 26), 0);
    assert_non_null(strstr(world.said, "signature 90672"));
    world.said[0] = 0;
    dump_bts(0, &records);
    said("bts cpu 6 width 8 prediction 1 first 77 count 3; ");
    dump_bts(2, &records);
    said("bts cpu 2 width 8 prediction 1 first 77 count 3; ");
    dump_pebs(0, &records, DATA_SOURCE_NEHALEM);
    snprintf(head, sizeof head, "pebs cpu 6 form 3 source %u", (unsigned)DATA_SOURCE_NEHALEM);
    assert_int_equal(strncmp(world.said, head, strlen(head)), 0);
    world.said[0] = 0;
    dump_event(0, &(struct pebs_sampling){ .event = &loads, .counter = 2, .period = 33 });
    said("event cpu 6 counter 2 fixed 0 select 81d0 period 33 threshold 0 cfg 0 name LOADS; ");
    caps.lbr_format = other.lbr_format = 5;
    dump_lbr(0, &(struct lbr_stack){ .depth = 16 });
    said("lbr cpu 6 form 5 depth 16 shifts 0 tos 0 from 0; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_cores_has_a_head), cmocka_unit_test(the_head_has_the_machine),
        cmocka_unit_test(nothing_is_written_unasked),    cmocka_unit_test(an_event_says_what_is_sampled),
        cmocka_unit_test(records_are_passed_on),         cmocka_unit_test(lines_wait_while_they_are_held),
        cmocka_unit_test(too_many_lines_are_lost),
    };

    return cmocka_run_group_tests_name("dumping", tests, NULL, NULL);
}
