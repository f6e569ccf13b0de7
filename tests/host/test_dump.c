/* SPDX-License-Identifier: MIT */
/*
 * The raw dump: its codes, and which frames the writer makes. test_dump_damage.c damages logs; boots compare the
 * records that the reader reads with the model's truth.
 */
#include "tests/host/dump_log.h"

#include <ctype.h>

/* RFC 3720, B.4: 32 bytes of zeros; the check value of CRC catalogues. */
UNIT_TEST(checksum)
{
    const uint8_t zeros[32] = { 0 };
    assert_int_equal(dump_crc("123456789", 9), 0xe3069283);
    assert_int_equal(dump_crc(zeros, sizeof(zeros)), 0x8a9136aa);
    assert_int_equal(dump_crc("", 0), 0);
}

/* RFC 4648, 10. */
UNIT_TEST(base64)
{
    static const char *const texts[][2] = { { "", "" },
                                            { "f", "Zg==" },
                                            { "fo", "Zm8=" },
                                            { "foo", "Zm9v" },
                                            { "foob", "Zm9vYg==" },
                                            { "fooba", "Zm9vYmE=" },
                                            { "foobar", "Zm9vYmFy" },
                                            { "\377\373\276", "//u+" } };
    static const char *const bad[] = {
        "Zg=", "Z", "Zm9", "Zm9v!mFy", "Zg==Zm9v", "====", "Zm=v", "Z===", "Zm9vYg=\377"
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char text[16];
        uint8_t bytes[8];
        size_t length = dump_base64_put(text, (const uint8_t *)texts[i][0], strlen(texts[i][0]));
        assert_int_equal(length, strlen(texts[i][1]));
        assert_memory_equal(text, texts[i][1], length);
        assert_int_equal(dump_base64_take(bytes, texts[i][1], length), strlen(texts[i][0]));
        assert_memory_equal(bytes, texts[i][0], strlen(texts[i][0]));
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        uint8_t bytes[16];
        assert_true(dump_base64_take(bytes, bad[i], strlen(bad[i])) == SIZE_MAX);
    }
    for (int c = 0; c < 256; c++) {
        const char text[4] = { 'A', (char)c, 'A', 'A' };
        uint8_t bytes[3];
        bool valid = c < 128 && (isalnum(c) || c == '+' || c == '/');
        assert_int_equal(dump_base64_take(bytes, text, 4), valid ? 3 : SIZE_MAX);
    }
}

UNIT_TEST(numbers)
{
    static const uint64_t values[] = { 0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        uint8_t bytes[DUMP_VARINT_MAX];
        size_t length = dump_varint_put(bytes, values[i]);
        const uint8_t *at = bytes;
        uint64_t value = 1;
        assert_true(dump_varint_take(&at, bytes + length, &value));
        assert_true(value == values[i] && at == bytes + length);
        at = bytes;
        assert_false(dump_varint_take(&at, bytes + length - 1, &value));
        assert_true(dump_unzigzag(dump_zigzag(values[i])) == values[i]);
    }
    const uint8_t endless[11] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
    const uint8_t *at = endless;
    uint64_t value;
    assert_false(dump_varint_take(&at, endless + 11, &value));
    assert_int_equal(dump_zigzag((uint64_t)-1), 1);
    assert_int_equal(dump_zigzag(1), 2);
}

static const struct dump_sampling sampling = { .cpu = 2,
                                               .counter = 3,
                                               .fixed = true,
                                               .select = 0x1cd,
                                               .period = UINT64_C(0x123456789a),
                                               .threshold = 4,
                                               .data_cfg = 0xf,
                                               .name = "MEM_TRANS_RETIRED.LOAD_LATENCY" };

static void write_head_and_event(const struct dump_machine *machine, const struct dump_sampling *event)
{
    forget();
    dump_writer_init(&writer, &into_log);
    dump_write_head(&writer, machine);
    dump_write_test(&writer, "bts.one");
    dump_write_event(&writer, event);
    dump_write_end(&writer);
}

/* Records that were read and written again give the same frames; */
UNIT_TEST(head_and_event_are_read_back)
{
    for (unsigned latencies = 0; latencies < 6; latencies++) { /* the fourth number of pebs_form */
        struct dump_machine machine = machine_64;
        char want[] = " pebs_form=8/3/0/0/5 ";
        want[17] = (char)('0' + latencies);
        machine.pebs.retire_latency = latencies == 1 || latencies == 3;
        machine.pebs.cache_latency = latencies == 1 || latencies == 2;
        machine.pebs.reserved = latencies == 4   ? PEBS_RESERVED_SOURCE
                                : latencies == 5 ? PEBS_RESERVED_MEMORY
                                                 : PEBS_RESERVED_NONE;
        write_head_and_event(&machine, &sampling);
        assert_non_null(strstr(written.line[0], want));
        read_log();
        assert_true(result.whole);
        assert_int_equal(result.machines + result.events, 2);
        assert_string_equal(result.test, "bts.one");
        const struct log before = written;
        written.count = 0;
        result.event.name = result.event_name;
        write_head_and_event(&result.machine, &result.event);
        for (unsigned i = 0; i < before.count; i++) {
            assert_string_equal(written.line[i], before.line[i]);
            free(before.line[i]);
        }
    }
    forget();
}

/* The example of docs/dump.md, worked out by hand there. */
UNIT_TEST(frame_of_the_documentation)
{
    static const uint64_t want[2][2] = { { 0x1000, 0xfc0 }, { 0xfe0, 0x1000 } };
    forget();
    add(HEAD);
    add("dsdump/1 1 bts test=t cpu=0 first=0 count=8 before=0 form=8/0 codes=6 data=AwMCAAAMgEB/AEBAAAE=");
    add(END, 2, 8);
    read_log();
    assert_true(result.whole);
    assert_int_equal(result.branches, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_true(result.branch[i].from == want[i % 2][0] && result.branch[i].to == want[i % 2][1]);
        assert_false(result.branch[i].prediction_valid);
        assert_int_equal(result.branch_n[i], i);
    }
    assert_int_equal(result.machine.signature, 0x506e3);
    assert_int_equal(result.machine.build_id_length, 2);
    assert_int_equal(result.machine.build_id[1], 0xff);
    forget();
}

/* ---- which frames the writer makes, and when ---- */

static jmp_buf abandoned;
static bool abandon; /* in the middle of the next line */

static void keep_or_abandon(void *context, const char *text)
{
    if (abandon)
        longjmp(abandoned, 1);
    keep(context, text);
}

static const struct line_sink out = { keep_or_abandon, &written };
static const uint64_t no_branches[4][3];

static void new_writer(void)
{
    forget();
    memset(&writer, 0xa5, sizeof writer);
    dump_writer_init(&writer, &out);
    abandon = false;
}

/* Compares the frames without payloads and checksums. */
static void assert_lines(const char *const *want, size_t count)
{
    for (size_t i = 0; i < count && i < written.count; i++) {
        const char *end = strstr(written.line[i], " data=");
        char line[260];
        if (!end)
            end = strstr(written.line[i], " crc=");
        assert_non_null(end);
        snprintf(line, sizeof line, "%.*s", (int)(end - written.line[i]), written.line[i]);
        assert_memory_equal(line, "# ", 2);
        assert_string_equal(line + 2, want[i]);
    }
    assert_int_equal(written.count, count);
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
    const struct dump_lbr stack = { .tos = 3, .depth = 4, .registers = no_branches };
    new_writer();
    dump_write_test(&writer, "a");
    bts(0, 8, false, 2);
    bts(0, 8, false, 0); /* no records: ignored */
    bts(0, 8, false, 1);
    bts(1, 8, false, 1);
    bts(1, 8, true, 1);
    bts(1, 4, true, 2);
    assert_int_equal(written.count, 3);
    pebs(1, &form, DATA_SOURCE_GENERIC, 200, 1);
    pebs(0, &form, DATA_SOURCE_GENERIC, 200, 0);
    pebs(1, &form, DATA_SOURCE_GENERIC, 200, 2);
    pebs(1, &form, DATA_SOURCE_SKYLAKE, 200, 1);
    pebs(1, &form, DATA_SOURCE_SKYLAKE, 192, 1);
    dump_write_lbr(&writer, 1, 2, &stack);
    assert_int_equal(written.count, 8);
    bts(1, 4, true, 1);
    dump_write_flush(&writer);
    dump_write_flush(&writer);
    assert_lines(want, COUNT_OF(want));
}

/* Something that writes the open frame first. */
static void write_something(unsigned what)
{
    static const struct pebs_form form = { .width = 8, .format = 3 };

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
        dump_write_lbr(&writer, 0, 1, &(struct dump_lbr){ .depth = 1, .registers = no_branches });
        break;
    case 4:
        dump_write_event(&writer, &sampling);
        break;
    case 5:
        dump_write_test(&writer, "other");
        break;
    case 6:
        dump_write_head(&writer, &machine_64);
        break;
    default:
        dump_write_end(&writer);
    }
}

/* An abandoned frame is not sent again, wherever it was interrupted. Other frames are not lost. */
UNIT_TEST(abandoned_in_each_call)
{
    for (volatile unsigned what = 0; what < 8; what++) {
        new_writer();
        bts(0, 8, false, 2);
        abandon = true;
        if (!setjmp(abandoned))
            write_something(what);
        abandon = false;
        assert_true(writer.busy);
        dump_write_flush(&writer);
        assert_int_equal(written.count, 0);
        assert_false(writer.busy);

        bts(0, 8, false, 1);
        assert_false(writer.busy);
        write_something(what);
        assert_false(writer.busy);
        assert_non_null(strstr(written.line[0], "bts test= cpu=0 first=2 count=1 before=2 form=8/0"));
    }
}
