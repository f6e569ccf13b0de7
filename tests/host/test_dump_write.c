/* SPDX-License-Identifier: MIT */
/* Which frames the dump writer makes, and when: their order and headers (docs/dump.md). test_dump.c reads payloads. */
#define SETUP new_writer
#include "tests/host/unit_test.h"

#include "lib/dump/dump_write.h"

static struct dump_writer writer;
static char lines[16][200]; /* without payloads and checksums */
static unsigned line_count;
static jmp_buf abandoned;
static bool abandon; /* in the middle of the next line */

static void keep(void *context, const char *text)
{
    if (abandon)
        longjmp(abandoned, 1);
    assert_true(line_count < COUNT_OF(lines));
    const char *end = strstr(text, " data=");
    if (!end)
        end = strstr(text, " crc=");
    assert_non_null(end);
    snprintf(lines[line_count++], sizeof lines[0], "%.*s", (int)(end - text), text);
}

static const struct line_sink out = { keep, NULL };
static const uint64_t registers[4][3];

static int new_writer(void **state)
{
    memset(&writer, 0xa5, sizeof writer);
    dump_writer_init(&writer, &out);
    line_count = 0;
    abandon = false;
    return 0;
}

static void assert_lines(const char *const *want, size_t count)
{
    for (size_t i = 0; i < count && i < line_count; i++)
        assert_string_equal(lines[i], want[i]);
    assert_int_equal(line_count, count);
}

static void bts(unsigned cpu, unsigned width, bool prediction, unsigned count)
{
    uint8_t bytes[8 * 24];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    assert_true(count <= 8);
    dump_write_bts(&writer, cpu, width, prediction, bytes, count);
}

static void pebs(unsigned cpu, const struct pebs_form *form, enum data_source_encoding source, unsigned size,
                 unsigned count)
{
    static const uint8_t bytes[4 * 200];

    assert_true(size * count <= sizeof bytes);
    dump_write_pebs(&writer, cpu, form, source, size, bytes, count);
}

/* A frame has records of one processor and form. Each change writes the open frame and begins another. */
UNIT_TEST(a_frame_for_each_form)
{
    static const char *const want[] = {
        "dsdump/1 0 bts test=a cpu=0 first=0 count=3 before=0 form=8/0 codes=3",
        "dsdump/1 1 bts test=a cpu=1 first=3 count=1 before=3 form=8/0 codes=1",
        "dsdump/1 2 bts test=a cpu=1 first=4 count=1 before=4 form=8/1 codes=1",
        "dsdump/1 3 bts test=a cpu=1 first=5 count=2 before=5 form=4/1 codes=2",
        "dsdump/1 4 pebs test=a cpu=1 first=0 count=3 before=0 form=8/3/0/0/5 source=2 size=200 codes=12",
        "dsdump/1 5 pebs test=a cpu=1 first=3 count=1 before=3 form=8/3/0/0/5 source=3 size=200 codes=4",
        "dsdump/1 6 pebs test=a cpu=1 first=4 count=1 before=4 form=8/3/0/0/5 source=3 size=192 codes=3",
        "dsdump/1 7 lbr test=a cpu=1 first=0 count=1 before=0 form=2 tos=3 depth=4 codes=4",
        "dsdump/1 8 bts test=a cpu=1 first=7 count=1 before=7 form=4/1 codes=1",
    };
    const struct pebs_form form = { .width = 8, .format = 3, .lbr_format = 5 };
    const struct dump_lbr stack = { .tos = 3, .depth = 4, .registers = registers };
    dump_write_test(&writer, "a");
    bts(0, 8, false, 2);
    bts(0, 8, false, 0); /* no records: ignored */
    bts(0, 8, false, 1);
    bts(1, 8, false, 1);
    bts(1, 8, true, 1);
    bts(1, 4, true, 2);
    assert_int_equal(line_count, 3);
    pebs(1, &form, DATA_SOURCE_GENERIC, 200, 1);
    pebs(0, &form, DATA_SOURCE_GENERIC, 200, 0);
    pebs(1, &form, DATA_SOURCE_GENERIC, 200, 2);
    pebs(1, &form, DATA_SOURCE_SKYLAKE, 200, 1);
    pebs(1, &form, DATA_SOURCE_SKYLAKE, 192, 1);
    dump_write_lbr(&writer, 1, 2, &stack);
    assert_int_equal(line_count, 8);
    bts(1, 4, true, 1);
    dump_write_flush(&writer);
    dump_write_flush(&writer);
    assert_lines(want, COUNT_OF(want));
}

/* The open frame is written before any other output. */
UNIT_TEST(in_order)
{
    static const char *const want[] = {
        "dsdump/1 0 bts test= cpu=0 first=0 count=1 before=0 form=8/0 codes=1",
        ("dsdump/1 1 head version=v width=64 signature=0x1 perf_capabilities=0x2 misc_enable=0x3 pebs_data_cfg=0x4 "
         "ds=8 bts_form=8/1 pebs_form=8/4/1/1/63 source=3 build_id=00ff10"),
        "dsdump/1 2 bts test= cpu=0 first=1 count=1 before=1 form=8/0 codes=1",
        "dsdump/1 3 bts test=a cpu=0 first=0 count=1 before=2 form=8/0 codes=1",
        "dsdump/1 4 event test=a cpu=2 counter=3 fixed=1 select=0x81d0 period=100 threshold=30 data_cfg=0xf name=N",
        "dsdump/1 5 bts test=a cpu=0 first=1 count=1 before=3 form=8/0 codes=1",
        "dsdump/1 6 lbr test=a cpu=0 first=0 count=1 before=0 form=1 tos=0 depth=1 codes=1",
        "dsdump/1 7 bts test=b cpu=0 first=0 count=1 before=4 form=8/0 codes=1",
        "dsdump/1 8 end bts=5 pebs=0 lbr=1",
    };
    static const char *const id = "a";
    const struct dump_machine machine = { .version = "v",
                                          .cpu_width = 64,
                                          .signature = 1,
                                          .perf_capabilities = 2,
                                          .misc_enable = 3,
                                          .pebs_data_cfg = 4,
                                          .ds_width = 8,
                                          .bts_prediction = true,
                                          .pebs = { .width = 8,
                                                    .format = 4,
                                                    .adaptive = true,
                                                    .retire_latency = true,
                                                    .cache_latency = true,
                                                    .lbr_format = 63 },
                                          .data_source = DATA_SOURCE_SKYLAKE,
                                          .build_id = { 0, 0xff, 0x10 },
                                          .build_id_length = 3 };
    const struct dump_sampling sampling = { .cpu = 2,
                                            .counter = 3,
                                            .fixed = true,
                                            .select = 0x81d0,
                                            .period = 100,
                                            .threshold = 30,
                                            .data_cfg = 0xf,
                                            .name = "N" };
    bts(0, 8, false, 1);
    dump_write_head(&writer, &machine);
    bts(0, 8, false, 1);
    dump_write_test(&writer, id);
    bts(0, 8, false, 1);
    dump_write_test(&writer, id); /* the same test continues */
    dump_write_event(&writer, &sampling);
    bts(0, 8, false, 1);
    dump_write_lbr(&writer, 0, 1, &(struct dump_lbr){ .depth = 1, .registers = registers });
    dump_write_test(&writer, "b");
    bts(0, 8, false, 1);
    dump_write_end(&writer);
    assert_lines(want, COUNT_OF(want));
}

/* An abandoned line is lost with its frame. Its records are counted as lost. */
UNIT_TEST(abandoned_frames)
{
    static const struct dump_sampling sampling = { .name = "N" };
    static const char *const bts_line = "dsdump/1 0 bts test=x cpu=0 first=0 count=1 before=2 form=8/0 codes=1";
    static const char *const none = "dsdump/1 0 end bts=2 pebs=0 lbr=0";
    for (volatile unsigned next = 0; next < 4; next++) {
        new_writer(NULL);
        dump_write_test(&writer, "t");
        bts(0, 8, false, 2);
        abandon = true;
        if (!setjmp(abandoned))
            dump_write_flush(&writer);
        abandon = false;
        switch (next) {
        case 0:
            dump_write_end(&writer);
            assert_lines(&none, 1);
            break;
        case 1:
            dump_write_test(&writer, "x");
            bts(0, 8, false, 1);
            dump_write_flush(&writer);
            assert_lines(&bts_line, 1);
            break;
        case 2:
            dump_write_flush(&writer);
            assert_int_equal(line_count, 0);
            break;
        default:
            dump_write_event(&writer, &sampling);
            assert_int_equal(line_count, 1);
        }
        assert_false(writer.busy);
        bts(0, 8, false, 1); /* the next record is not lost */
        dump_write_flush(&writer);
        assert_non_null(strstr(lines[line_count - 1], "count=1 "));
    }
}

/* Something that writes the open frame first. */
static void write_something(unsigned what)
{
    static const struct pebs_form form = { .width = 8, .format = 3 };
    static const struct dump_sampling sampling = { .name = "N" };
    static const struct dump_machine machine = { .cpu_width = 64 };

    switch (what) {
    case 0:
        dump_write_flush(&writer);
        break;
    case 1:
        bts(1, 8, false, 1);
        break;
    case 2:
        pebs(0, &form, DATA_SOURCE_UNKNOWN, 200, 1);
        break;
    case 3:
        dump_write_lbr(&writer, 0, 1, &(struct dump_lbr){ .depth = 1, .registers = registers });
        break;
    case 4:
        dump_write_event(&writer, &sampling);
        break;
    case 5:
        dump_write_test(&writer, "other");
        break;
    case 6:
        dump_write_head(&writer, &machine);
        break;
    default:
        dump_write_end(&writer);
    }
}

/* An abandoned frame is not sent again, wherever it was interrupted. Other frames are not lost. */
UNIT_TEST(abandoned_in_each_call)
{
    for (volatile unsigned what = 0; what < 8; what++) {
        new_writer(NULL);
        bts(0, 8, false, 2);
        abandon = true;
        if (!setjmp(abandoned))
            write_something(what);
        abandon = false;
        assert_true(writer.busy);
        dump_write_flush(&writer);
        assert_int_equal(line_count, 0);
        assert_false(writer.busy);

        bts(0, 8, false, 1);
        assert_false(writer.busy);
        write_something(what);
        assert_false(writer.busy);
        assert_non_null(strstr(lines[0], "bts test= cpu=0 first=2 count=1 before=2 form=8/0"));
    }
}

/* A record equal to the previous one takes a byte per eight fields, and no values. */
UNIT_TEST(equal_records)
{
    const struct pebs_form form = { .width = 8, .format = 3 };
    pebs(0, &form, DATA_SOURCE_UNKNOWN, 200, 4);
    assert_int_equal(writer.codes_used, 4 * 4);
    assert_int_equal(writer.values_used, 0);
}

/* A payload takes records up to 2700 bytes, and has at most 2816 bytes. */
UNIT_TEST(full_frames)
{
    struct pebs_form form = { .width = 8, .format = 3 };
    uint8_t bytes[200];
    uint32_t random = 1;
    for (unsigned i = 0; i < 200; i++) {
        const size_t codes = writer.codes_used, values = writer.values_used;
        const unsigned frames = line_count, count = writer.count;
        for (size_t n = 0; n < sizeof bytes; n++)
            bytes[n] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
        if (i % 3 == 0)
            memset(bytes + 8, 0, sizeof bytes - 8);
        dump_write_pebs(&writer, 0, &form, DATA_SOURCE_UNKNOWN, sizeof bytes, bytes, 1);
        assert_true(writer.codes_used + writer.values_used <= 2816);
        if (line_count > frames) { /* it had no space for another record */
            assert_true(count > 0 && codes + 4 + values + 10 > 2700 - 25 * 10);
            line_count = 0;
        } else if (count > 0) {
            assert_true(codes + 4 + values + 10 <= 2700);
        }
    }
}
