/* SPDX-License-Identifier: MIT */
/*
 * When the lines of a dump are printed, and its numbers for processors: kernel/dump.c with a fake writer. Boots compare
 * the frames' contents with the model's truth log; so does tests/tools/dump.t.
 */
#include "tests/host/unit_test.h"

#include "arch/x86/image.h"
#include "arch/x86/msr.h"
#include "arch/x86/processor_number.h"
#include "lib/dump/dump_write.h"
#include "kernel/console.h"
#include "kernel/dump.h"
#include "tests/host/processors.h"

static struct {
    unsigned processor;
    uint64_t misc_enable, data_cfg;
    void (*observer)(const struct pebs_sampling *sampling);
    char said[4000]; /* printed text, and calls of the writer */
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
    tell("head %x; ", m->signature);
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
    tell("event cpu %u name %s; ", e->cpu, e->name);
}

static void write_bts(struct dump_writer *w, unsigned cpu, unsigned width, bool prediction, const uint8_t *bytes,
                      unsigned count)
{
    assert_non_null(w);
    assert_true(width == 8 && prediction && bytes[0] == 0x77);
    tell("bts cpu %u count %u; ", cpu, count);
}

static void write_pebs(struct dump_writer *w, unsigned cpu, const struct pebs_form *form,
                       enum data_source_encoding encoding, unsigned size, const uint8_t *bytes, unsigned count)
{
    assert_non_null(w);
    assert_true(form->format == 3 && encoding == DATA_SOURCE_NEHALEM && size == 200 && bytes[0] == 0x77);
    tell("pebs cpu %u count %u; ", cpu, count);
}

static void write_lbr(struct dump_writer *w, unsigned cpu, unsigned form, const struct dump_lbr *stack)
{
    assert_non_null(w);
    tell("lbr cpu %u form %u depth %u; ", cpu, form, stack->depth);
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
    struct caps caps = caps_of(skylake_input());

    caps.bts_prediction = true;
    return caps;
}

UNIT_TEST(no_dump_without_the_option)
{
    const struct caps caps = fixed_records();

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

/* In an interrupt routine lines wait, in order. */
UNIT_TEST(lines_wait_while_they_are_held)
{
    const struct caps caps = fixed_records();

    start(&caps);
    world.said[0] = 0;
    dump_test("one");
    said("test one; [of the test]");
    dump_hold();
    dump_flush(); /* called outside of the routine, so it prints the waiting lines */
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
    sink->line(sink->context, "fourth"); /* printed after the third */
    said("[third][fourth]");
    dump_hold();
    sink->line(sink->context, "fifth");
    dump_test("two"); /* the previous test was ended in its interrupt routine */
    said("test two; [fifth][of the test]");
    sink->line(sink->context, "at once");
    said("[at once]");
    dump_hold();
    sink->line(sink->context, "sixth");
    dump_end();
    said("end; [sixth][the last]");
}

/* Lines that do not fit are lost; the numbers of the frames show it. */
UNIT_TEST(too_many_lines_are_lost)
{
    const struct caps caps = fixed_records();
    static char line[0x8000];

    start(&caps);
    world.said[0] = 0;
    memset(line, 'x', sizeof line - 1); /* two such lines, with their ends, are 64 KiB */
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

/* Tests number the processor that they run on 0; the dump has its real number. A second head ends the first dump. */
UNIT_TEST(each_kind_of_cores_has_a_head)
{
    const struct caps caps = fixed_records();
    struct caps other = fixed_records();
    const struct pebs_sampling sampling = { .event = &loads };

    start(&caps);
    said("init; head 506e3; ");
    other.signature = 0x90672;
    dump_start(&other, 6);
    said("end; [the last]init; head 90672; ");
    dump_bts(0, &records);
    dump_bts(2, &records);
    dump_pebs(0, &records, DATA_SOURCE_NEHALEM);
    dump_event(0, &sampling);
    dump_lbr(0, &(struct lbr_stack){ .depth = 16 });
    said("bts cpu 6 count 3; bts cpu 2 count 3; pebs cpu 6 count 3; event cpu 6 name LOADS; lbr cpu 6 form 5 depth "
         "16; ");
    world.observer(&sampling); /* what pebs_program() reports */
    said("event cpu 6 name LOADS; ");
    world.processor = 1; /* the sampling of other processors is reported by the test */
    world.observer(&sampling);
    said("");
}
