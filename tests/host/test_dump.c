/* SPDX-License-Identifier: MIT */
/* The raw dump: its codes, and which frames the writer makes, and that the reader reads them. test_dump_damage.c
 * damages logs. */
#include "tests/host/dump_log.h"

#include <ctype.h>

static uint32_t random_number(void)
{
    static uint32_t state = 2463534242u; /* Marsaglia's xorshift */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

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

/* Branches of a program with this many sites, each followed by one of a few others. */
static void branches_of(unsigned width, uint64_t code, unsigned sites, unsigned count, uint8_t *bytes)
{
    unsigned at = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned next = (at * 7 + random_number() % 3) % sites;
        put_branch(bytes + 3 * width * i, width, code + 13 * at, 0x300000 + 29 * next,
                   random_number() % 9 ? 0 : UINT64_C(0x10));
        at = next;
    }
}

UNIT_TEST(branches_are_read_back)
{
    static const struct {
        unsigned width, sites, count;
    } cases[] = { { 8, 1, 1 },       { 8, 5, 1000 },    { 4, 5, 1000 },
                  { 8, 3000, 4000 }, { 4, 400, 20000 }, { 8, 1, 2 * DUMP_RECORDS_MAX + 5 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned size = 3 * cases[i].width, done = 0;
        uint8_t *bytes = malloc((size_t)size * cases[i].count);
        assert_non_null(bytes);
        branches_of(cases[i].width, UINT64_C(0xffff800000201000), cases[i].sites, cases[i].count, bytes);
        begin();
        while (done < cases[i].count) { /* in random portions */
            unsigned portion = 1 + random_number() % 700;
            if (portion > cases[i].count - done)
                portion = cases[i].count - done;
            dump_write_bts(&writer, 3, cases[i].width, true, bytes + (size_t)size * done, portion);
            done += portion;
        }
        dump_write_end(&writer);
        read_log();
        assert_true(result.whole);
        assert_int_equal(result.branches, cases[i].count);
        assert_int_equal(result.totals.bts, cases[i].count);
        assert_int_equal(result.cpu, 3);
        for (unsigned j = 0; j < cases[i].count; j++) {
            struct bts_record want;
            assert_int_equal(bts_decode(cases[i].width, bytes + (size_t)size * j, size, true, &want), BTS_DECODE_OK);
            assert_int_equal(result.branch_n[j], j);
            assert_true(result.branch[j].from == want.from && result.branch[j].to == want.to &&
                        result.branch[j].flags == want.flags && result.branch[j].predicted == want.predicted &&
                        result.branch[j].width == want.width && result.branch[j].prediction_valid);
        }
        free(bytes);
    }
    forget();
}

UNIT_TEST(samples_are_read_back)
{
    static const struct {
        struct pebs_form form;
        unsigned size, count;
        uint64_t groups;
    } cases[] = {
        { { 8, 3, false, false, false, 5, PEBS_RESERVED_NONE }, 200, 150, 0 },
        { { 8, 3, false, false, false, 5, PEBS_RESERVED_SOURCE }, 200, 150, 0 },
        { { 8, 2, false, false, false, 1, PEBS_RESERVED_MEMORY }, 192, 3, 0 },
        { { 4, 0, false, false, false, 0, PEBS_RESERVED_NONE }, 40, 200, 0 },
        { { 8, 4, true, true, true, 5, PEBS_RESERVED_NONE }, 1232, 40, 0x1f00000f },
        { { 8, 4, true, true, false, 5, PEBS_RESERVED_NONE }, 64, 2, 0x1 },
        { { 8, 5, true, true, true, 0x3f, PEBS_RESERVED_NONE }, 1232, 4, 0x1f00000f },
        { { 8, 4, true, false, true, 5, PEBS_RESERVED_NONE }, 64, 2, 0x1 },
        { { 8, 1, false, false, false, 3, PEBS_RESERVED_NONE }, 176, 1, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t *bytes = malloc((size_t)cases[i].size * cases[i].count);
        assert_non_null(bytes);
        for (unsigned j = 0; j < cases[i].size * cases[i].count; j++) {
            bool calm =
                random_number() % 16 != 0 && j >= cases[i].size; /* most bytes equal those of the previous record */
            bytes[j] = calm ? bytes[j - cases[i].size] : (uint8_t)random_number();
        }
        for (unsigned j = 0; cases[i].groups && j < cases[i].count; j++)
            write_u64(bytes + cases[i].size * j, 0, (uint64_t)cases[i].size << 48 | cases[i].groups);
        begin();
        dump_write_test(&writer, "pebs.one");
        dump_write_pebs(&writer, 0, &cases[i].form, DATA_SOURCE_STORE, cases[i].size, bytes, cases[i].count);
        dump_write_end(&writer);
        read_log();
        assert_true(result.whole);
        assert_int_equal(result.samples, cases[i].count);
        assert_int_equal(result.sample_n, cases[i].count - 1);
        assert_int_equal(result.encoding, DATA_SOURCE_STORE);
        assert_int_equal(result.decoded.size, cases[i].size);
        assert_int_equal((result.decoded.has & PEBS_HAS_RETIRE_LATENCY) != 0, cases[i].form.retire_latency);
        assert_int_equal((result.decoded.has & PEBS_HAS_CACHE_LATENCY) != 0, cases[i].form.cache_latency);
        assert_int_equal((result.decoded.has & PEBS_HAS_SOURCE) != 0,
                         cases[i].form.format >= 1 && cases[i].form.reserved == PEBS_RESERVED_NONE);
        assert_int_equal((result.decoded.has & PEBS_HAS_MEMORY) != 0,
                         cases[i].form.format >= 1 && cases[i].form.reserved != PEBS_RESERVED_MEMORY);
        assert_string_equal(result.test, "pebs.one");
        for (unsigned j = 0; j < cases[i].count; j++)
            assert_memory_equal(result.sample[j], bytes + (size_t)cases[i].size * j, cases[i].size);
        free(bytes);
    }
    forget();
}

UNIT_TEST(stacks_are_read_back)
{
    static const struct {
        unsigned form, depth;
        bool shifts;
    } cases[] = { { 5, 32, false }, { 0, 4, false }, { DUMP_LBR_PACKED, 8, false }, { DUMP_LBR_ARCH, 32, true } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t registers[DUMP_DEPTH_MAX][3] = { { 0 } };
        const struct dump_lbr stack = { .depth = cases[i].depth,
                                        .shifts = cases[i].shifts,
                                        .tos = cases[i].shifts ? 0 : 3,
                                        .registers = (const uint64_t(*)[3])registers };
        struct lbr_entry want;
        for (unsigned j = 0; j < cases[i].depth - 1; j++) /* the last one is empty */
            for (unsigned k = 0; k < 3; k++)
                registers[j][k] = (uint64_t)random_number() << 32 | random_number();
        begin();
        dump_write_lbr(&writer, 1, cases[i].form, &stack);
        dump_write_end(&writer);
        read_log();
        assert_true(result.whole);
        assert_int_equal(result.stacks, 1);
        assert_int_equal(result.depth, cases[i].depth);
        assert_int_equal(result.shifts, cases[i].shifts);
        assert_int_equal(result.tos, stack.tos);
        assert_int_equal(result.cpu, 1);
        assert_memory_equal(result.registers, registers, cases[i].depth * sizeof(registers[0]));
        if (cases[i].form == DUMP_LBR_PACKED)
            lbr_decode_packed(registers[0][0], &want);
        else if (cases[i].form == DUMP_LBR_ARCH)
            lbr_decode_arch(registers[0][0], registers[0][1], registers[0][2], &want);
        else
            assert_int_equal(lbr_decode(cases[i].form, registers[0][0], registers[0][1], registers[0][2], &want), 0);
        assert_int_equal(result.entries[0].from, want.from);
        assert_int_equal(result.entries[0].to, want.to);
        assert_int_equal(result.entries[0].cycles, want.cycles);
    }
    forget();
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
