/* SPDX-License-Identifier: MIT */
/*
 * When the lines of a dump are printed, and its numbers for processors (kernel/dump.c). Boots compare the frames'
 * contents with the model's truth log; so does tests/tools/dump.t.
 */
#include "tests/host/unit_test.h"

#include "arch/x86/image.h"
#include "tests/host/fakes.h"
#include "tests/host/processors.h"

/* A note's header of 16 bytes, and an id. */
static const uint8_t note[16 + 20] = { [15] = 0xee, [16] = 0xa1, [17] = 0xa2, [35] = 0xaf };
static const uint8_t *note_end = note + sizeof note;
#define build_id_start note
#define build_id_end   note_end
#include "kernel/dump.c"

static struct {
    unsigned processor;
    void (*observer)(const struct pebs_sampling *sampling);
    char said[4000]; /* printed lines, each in brackets: frames without the format's name, payload and checksum */
} world;

static void said(const char *what)
{
    assert_string_equal(world.said, what);
    world.said[0] = 0;
}

void console_text(const char *text)
{
    static const char *const ends[] = { " version=", " codes=", " crc=", "xxxx" /* a very long line */ };
    const size_t used = strlen(world.said);
    size_t length = strlen(text);

    for (unsigned i = 0; i < COUNT_OF(ends); i++)
        if (strstr(text, ends[i]) && strstr(text, ends[i]) < text + length)
            length = (size_t)(strstr(text, ends[i]) - text);
    const size_t name = strncmp(text, "dsdump/1 ", 9) == 0 ? 9 : 0;
    snprintf(world.said + used, sizeof world.said - used, "[%.*s]", (int)(length - name), text + name);
}

FAKE(unsigned, processor_number, (void), world.processor)
FAKE(bool, msr_read, (uint32_t msr, uint64_t *value), assert_int_equal(msr, 0x1a0), *value = 0x850089, true)
FAKE_VOID(pebs_observe, (void (*observe)(const struct pebs_sampling *sampling)), world.observer = observe)

static const struct pebs_event loads = { .name = "LOADS", .select = 0x81d0, .role = PEBS_ROLE_LOADS };
static const struct pebs_sampling sampling = { .event = &loads };

static const uint8_t bytes[3 * 200];
static const struct ds_log branches = { .bytes = bytes, .record_size = 24, .records = 3 },
                           samples = { .bytes = bytes, .record_size = 200, .records = 3 };
static const struct lbr_stack stack = { .depth = 16 };

static struct caps caps;

static void start(void)
{
    memset(&world, 0, sizeof world);
    caps = caps_of(skylake_input());
    wanted = held = false;
    waiting_used = 0;
    dump_start(&caps, 0);
    assert_non_null(world.observer);
    said("[0 head]");
}

/* In an interrupt routine lines wait, in order. */
UNIT_TEST(lines_wait_while_they_are_held)
{
    start();
    dump_hold();
    take_line(NULL, "first");
    take_line(NULL, "second");
    said("");
    dump_resume();
    said("");
    dump_waiting();
    said("[first][second]");
    dump_waiting();
    said("");
    dump_hold();
    take_line(NULL, "third");
    dump_resume();
    take_line(NULL, "fourth"); /* printed after the third */
    said("[third][fourth]");
    dump_hold();
    take_line(NULL, "fifth");
    dump_test("two"); /* the previous test was ended in its interrupt routine */
    said("[fifth]");
    dump_hold();
    take_line(NULL, "sixth");
    dump_end();
    said("[sixth][1 end bts=0 pebs=0 lbr=0]");
}

/* Lines that do not fit are lost; the numbers of the frames show it. */
UNIT_TEST(too_many_lines_are_lost)
{
    static char line[0x8000];

    start();
    memset(line, 'x', sizeof line - 1); /* two such lines, with their ends, are 64 KiB */
    memcpy(line, "one", 3);
    for (unsigned shorter = 0; shorter < 2; shorter++) {
        dump_hold();
        take_line(NULL, line);
        take_line(NULL, line + shorter);
        take_line(NULL, "");
        take_line(NULL, "lost");
        dump_resume();
        dump_waiting();
        said(shorter ? "[one][ne][]" : "[one][one]");
    }
}

/* Tests number the processor that they run on 0; the dump has its real number. A second head ends the first dump. */
UNIT_TEST(each_kind_of_cores_has_a_head)
{
    struct caps other = caps_of(skylake_input());

    start();
    dump_start(&other, 6);
    said("[1 end bts=0 pebs=0 lbr=0][0 head]");
    dump_test("one");
    dump_bts(0, &branches);
    dump_bts(2, &branches);
    dump_pebs(0, &samples, DATA_SOURCE_NEHALEM);
    said("[1 bts test=one cpu=6 first=0 count=3 before=0 form=8/1][2 bts test=one cpu=2 first=3 count=3 before=3 "
         "form=8/1]");
    dump_event(0, &sampling);
    said("[3 pebs test=one cpu=6 first=0 count=3 before=0 form=8/3/0/0/5 source=1 size=200]"
         "[4 event test=one cpu=6 counter=0 fixed=0 select=0x81d0 period=0 threshold=0 data_cfg=0x0 name=LOADS]");
    dump_lbr(0, &stack);
    said("[5 lbr test=one cpu=6 first=0 count=1 before=0 form=5 tos=0 depth=16]");
    world.observer(&sampling); /* what pebs_program() reports */
    said("[6 event test=one cpu=6 counter=0 fixed=0 select=0x81d0 period=0 threshold=0 data_cfg=0x0 name=LOADS]");
    world.processor = 1; /* the sampling of other processors is reported by the test */
    world.observer(&sampling);
    said("");
}
