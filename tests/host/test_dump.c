/* SPDX-License-Identifier: MIT */
/*
 * The raw dump: the reader reads what the writer writes, and any damage to a log is reported with its
 * line, counted, and affects no other frame.
 */
#include "tests/host/host_test.h"

#include <ctype.h>

#include "lib/bytes.h"
#include "lib/format.h"
#include "bts/bts_layout.h"
#include "lib/dump/dump_write.h"
#include "lib/dump/reader/dump_read.h"

#define LINES_MAX    256u
#define PROBLEMS_MAX 80u
#define RECORDS_MAX  40000u

/* A log as the writer wrote it, or as a test changed it. */
static struct log {
    char *line[LINES_MAX];
    unsigned count;
} written;

/* The reader's results. */
static struct result {
    struct dump_totals totals;
    bool whole;
    unsigned problems;
    struct dump_problem problem[PROBLEMS_MAX];
    enum dump_error counted; /* the first problem found by counting */
    unsigned machines, tests, events, stacks, lines;
    struct dump_machine machine;
    char test[DUMP_TEST_MAX + 1], line[64], event_name[64];
    struct dump_sampling event;
    unsigned branches, samples;
    struct bts_record branch[RECORDS_MAX];
    uint64_t branch_n[RECORDS_MAX], sample_n, lost[3];
    uint8_t sample[256][DUMP_RECORD_BYTES_MAX];
    enum data_source_encoding encoding;
    struct pebs_record decoded;
    uint64_t registers[DUMP_DEPTH_MAX][3], tos;
    struct lbr_entry entries[DUMP_DEPTH_MAX];
    unsigned depth, cpu;
    bool shifts;
} result;

static void keep(void *context, const char *text)
{
    struct log *log = context;

    assert_true(log->count < LINES_MAX);
    assert_true(strlen(text) < DUMP_LINE_SIZE);
    log->line[log->count] = malloc(strlen(text) + 3);
    assert_non_null(log->line[log->count]);
    sprintf(log->line[log->count++], "# %s", text);
}

static const struct line_sink into_log = { keep, &written };
static struct dump_writer writer;

static void forget(void)
{
    while (written.count > 0)
        free(written.line[--written.count]);
}

static void on_problem(void *context, const struct dump_problem *problem)
{
    (void)context;
    assert_true(result.problems < PROBLEMS_MAX);
    result.problem[result.problems++] = *problem;
}

static void on_machine(void *context, const struct dump_machine *machine)
{
    (void)context;
    result.machines++;
    result.machine = *machine;
}

static void on_test(void *context, const char *id)
{
    (void)context;
    result.tests++;
    snprintf(result.test, sizeof(result.test), "%s", id);
}

static void on_event(void *context, const struct dump_sampling *event)
{
    (void)context;
    result.events++;
    result.event = *event;
    snprintf(result.event_name, sizeof(result.event_name), "%s", event->name);
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    (void)context;
    assert_true(result.branches < RECORDS_MAX);
    result.cpu = cpu;
    result.branch_n[result.branches] = n;
    result.branch[result.branches++] = *record;
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    (void)context;
    result.cpu = cpu;
    result.sample_n = n;
    result.encoding = encoding;
    result.decoded = *record;
    memcpy(result.sample[result.samples++ % 256], bytes, (size_t)record->size);
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    (void)context;
    (void)n;
    result.stacks++;
    result.cpu = cpu;
    result.depth = stack->depth;
    result.shifts = stack->shifts;
    result.tos = stack->tos;
    memcpy(result.entries, stack->entries, stack->depth * sizeof(result.entries[0]));
    memcpy(result.registers, stack->registers, stack->depth * sizeof(result.registers[0]));
}

static void on_lost(void *context, const char *kind, uint64_t records)
{
    (void)context;
    result.lost[kind[0] == 'b' ? 0 : kind[0] == 'p' ? 1 : 2] += records;
}

static void on_line(void *context, const char *text)
{
    (void)context;
    result.lines++;
    snprintf(result.line, sizeof(result.line), "%s", text);
}

static const struct record_sink everything = { NULL,    on_machine, on_test, on_event, on_bts,
                                               on_pebs, on_lbr,     on_lost, on_line,  NULL };

/* Reads the log three times: only counting, with an empty sink, and with a full one. All results must agree. */
static void read_log(void)
{
    static const struct record_sink nothing = { .context = NULL };
    const struct record_sink *const sinks[] = { NULL, &nothing, &everything };
    struct dump_reader *reader = malloc(dump_reader_size());
    struct dump_totals totals[3];
    bool whole[3];
    enum dump_error counted = DUMP_READ_OK;

    assert_non_null(reader);
    for (unsigned i = 0; i < 3; i++) {
        memset(&result, 0, sizeof(result));
        dump_reader_init(reader, sinks[i], on_problem, NULL);
        for (unsigned j = 0; j < written.count; j++) {
            char *line = exact_copy(written.line[j], strlen(written.line[j]));
            dump_read_line(reader, line, strlen(written.line[j]));
            free(line);
        }
        whole[i] = dump_read_end(reader, &totals[i]);
        if (i == 0 && result.problems > 0)
            counted = result.problem[0].error;
    }
    free(reader);
    result.counted = counted;
    assert_memory_equal(&totals[1], &totals[2], sizeof(totals[0]));
    assert_true(whole[0] || !whole[2]); /* some things only expansion shows */
    result.totals = totals[2];
    result.whole = whole[2];
    assert_int_equal(result.totals.problems, result.problems);
    assert_int_equal(result.totals.lines, written.count);
    if (result.whole)
        assert_memory_equal(&totals[0], &totals[2], sizeof(totals[0]));
}

static const struct dump_machine machine_64 = {
    .version = "0.1.0+abc",
    .cpu_width = 64,
    .signature = 0x506e3,
    .perf_capabilities = 0x33c5,
    .misc_enable = UINT64_C(0x8000000000850089),
    .pebs_data_cfg = 0x1f00000f,
    .ds_width = 8,
    .bts_prediction = true,
    .pebs = { .width = 8, .format = 3, .retire_latency = true, .cache_latency = true, .lbr_format = 5 },
    .data_source = DATA_SOURCE_SKYLAKE,
    .build_id_length = 20,
    .build_id = { 0x00, 0x9f, 0xff, 3 }
};

static void begin(void)
{
    forget();
    dump_writer_init(&writer, &into_log);
    dump_write_head(&writer, &machine_64);
    dump_write_test(&writer, "bts.one");
}

static uint32_t random_number(void)
{
    static uint32_t state = 2463534242u; /* Marsaglia's xorshift */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* ---- codes ---- */

/* RFC 3720, B.4: 32 bytes of zeros; the check value of CRC catalogues. */
static void checksum(void **state)
{
    const uint8_t zeros[32] = { 0 };
    (void)state;
    assert_int_equal(dump_crc("123456789", 9), 0xe3069283);
    assert_int_equal(dump_crc(zeros, sizeof(zeros)), 0x8a9136aa);
    assert_int_equal(dump_crc("", 0), 0);
}

/* RFC 4648, 10. */
static void base64(void **state)
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
    (void)state;
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

static void numbers(void **state)
{
    static const uint64_t values[] = { 0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX };
    (void)state;
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

/* ---- round trips ---- */

static void put_branch(uint8_t *bytes, unsigned width, uint64_t from, uint64_t to, uint64_t flags)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value = i == 0 ? from : i == 1 ? to : flags;
        if (width == 4)
            write_u32(bytes, 4 * i, (uint32_t)value);
        else
            write_u64(bytes, 8 * i, value);
    }
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

static void branches_come_back(void **state)
{
    static const struct {
        unsigned width, sites, count;
    } cases[] = { { 8, 1, 1 },       { 8, 5, 1000 },    { 4, 5, 1000 },
                  { 8, 3000, 4000 }, { 4, 400, 20000 }, { 8, 1, 2 * DUMP_RECORDS_MAX + 5 } };
    (void)state;
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

static void samples_come_back(void **state)
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
    (void)state;
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

/*
 * The fourth number of a form. Frames of before it told the two latencies apart have 0 or 1, for neither or both; 4 and
 * 5 say which fields are reserved.
 */
static void latencies_of_a_form(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 6; number++) {
        struct dump_machine machine = machine_64;
        char want[] = " pebs_form=8/3/0/0/5 ";

        machine.pebs.retire_latency = number == 1 || number == 3;
        machine.pebs.cache_latency = number == 1 || number == 2;
        machine.pebs.reserved = number == 4   ? PEBS_RESERVED_SOURCE
                                : number == 5 ? PEBS_RESERVED_MEMORY
                                              : PEBS_RESERVED_NONE;
        want[17] = (char)('0' + number);
        forget();
        dump_writer_init(&writer, &into_log);
        dump_write_head(&writer, &machine);
        assert_non_null(strstr(written.line[0], want));
        dump_write_end(&writer);
        read_log();
        assert_int_equal(result.machine.pebs.retire_latency, machine.pebs.retire_latency);
        assert_int_equal(result.machine.pebs.cache_latency, machine.pebs.cache_latency);
        assert_int_equal(result.machine.pebs.reserved, machine.pebs.reserved);
    }
    forget();
}

static void stacks_come_back(void **state)
{
    static const struct {
        unsigned form, depth;
        bool shifts;
    } cases[] = { { 5, 32, false }, { 0, 4, false }, { DUMP_LBR_PACKED, 8, false }, { DUMP_LBR_ARCH, 32, true } };
    (void)state;
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

static void head_and_event_come_back(void **state)
{
    const struct dump_sampling event = { .cpu = 2,
                                         .counter = 3,
                                         .fixed = true,
                                         .select = 0x1cd,
                                         .period = UINT64_C(0x123456789a),
                                         .threshold = 4,
                                         .data_cfg = 0xf,
                                         .name = "MEM_TRANS_RETIRED.LOAD_LATENCY" };
    (void)state;
    begin();
    dump_write_event(&writer, &event);
    dump_write_end(&writer);
    read_log();
    assert_true(result.whole);
    assert_int_equal(result.machines, 1);
    assert_string_equal(result.machine.version, machine_64.version);
    assert_int_equal(result.machine.cpu_width, 64);
    assert_int_equal(result.machine.signature, machine_64.signature);
    assert_true(result.machine.perf_capabilities == machine_64.perf_capabilities);
    assert_true(result.machine.misc_enable == machine_64.misc_enable);
    assert_true(result.machine.pebs_data_cfg == machine_64.pebs_data_cfg);
    assert_int_equal(result.machine.ds_width, 8);
    assert_true(result.machine.bts_prediction);
    assert_int_equal(result.machine.pebs.width, 8);
    assert_int_equal(result.machine.pebs.format, 3);
    assert_false(result.machine.pebs.adaptive);
    assert_true(result.machine.pebs.retire_latency);
    assert_true(result.machine.pebs.cache_latency);
    assert_int_equal(result.machine.pebs.lbr_format, 5);
    assert_int_equal(result.machine.data_source, DATA_SOURCE_SKYLAKE);
    assert_int_equal(result.machine.build_id_length, 20);
    assert_memory_equal(result.machine.build_id, machine_64.build_id, 20);
    assert_int_equal(result.events, 1);
    assert_string_equal(result.event_name, event.name);
    assert_string_equal(result.test, "bts.one");
    result.event.name = event.name;
    assert_true(result.event.cpu == 2 && result.event.counter == 3 && result.event.fixed);
    assert_true(result.event.select == event.select && result.event.period == event.period);
    assert_true(result.event.threshold == 4 && result.event.data_cfg == 0xf);
    forget();
}

/* ---- a log by hand ---- */

/* Adds a line, with a checksum if it starts like a frame. */
static void add(const char *fmt, ...)
{
    char text[DUMP_LINE_SIZE];
    va_list args;
    size_t length;

    va_start(args, fmt);
    length = (size_t)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    snprintf(text + length, sizeof(text) - length, " crc=%08lx", (unsigned long)dump_crc(text, length));
    keep(&written, text);
}

#define HEAD                                                                                                           \
    "dsdump/1 0 head version=v width=64 signature=0x506e3 perf_capabilities=0x33c5 misc_enable=0x1 pebs_data_cfg=0x0 " \
    "ds=8 bts_form=8/0 pebs_form=8/3/0/0/5 source=3 build_id=00ff"
#define END "dsdump/1 %u end bts=%u pebs=0 lbr=0"

/* The example of docs/dump.md, worked out by hand there. */
static void frame_of_the_documentation(void **state)
{
    static const uint64_t want[2][2] = { { 0x1000, 0xfc0 }, { 0xfe0, 0x1000 } };
    (void)state;
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

/* A log of 12 branches in frames 1 to 12, after the head, with the end as frame 13. */
static void write_twelve(void)
{
    uint8_t bytes[24];

    begin();
    for (unsigned i = 0; i < 12; i++) {
        put_branch(bytes, 8, 0x1000 + i, 0x2000, 0);
        dump_write_bts(&writer, 0, 8, false, bytes, 1);
        dump_write_flush(&writer);
    }
    dump_write_end(&writer);
    assert_int_equal(written.count, 14);
}

static void insert(unsigned at, const char *text)
{
    assert_true(written.count < LINES_MAX);
    memmove(&written.line[at + 1], &written.line[at], (written.count - at) * sizeof(written.line[0]));
    written.line[at] = strcpy(malloc(strlen(text) + 1), text);
    written.count++;
}

static void take_out(unsigned at)
{
    free(written.line[at]);
    memmove(&written.line[at], &written.line[at + 1], (--written.count - at) * sizeof(written.line[0]));
}

static const char *text_of(const struct dump_problem *problem)
{
    static char text[DUMP_PROBLEM_TEXT];

    return dump_problem_text(text, problem);
}

static void assert_problem(unsigned n, uint64_t line, enum dump_error error)
{
    const struct dump_problem *got = &result.problem[n];

    assert_true(n < result.problems);
    if (got->line != line || got->error != error)
        fail_msg("problem %u: line %llu: %s; not line %llu: %s", n, (unsigned long long)got->line, text_of(got),
                 (unsigned long long)line, dump_error_text(error));
}

static void assert_frames(unsigned n, uint64_t line, enum dump_error error, uint64_t first, uint64_t last)
{
    assert_problem(n, line, error);
    assert_int_equal(result.problem[n].first, first);
    assert_int_equal(result.problem[n].last, last);
}

static void assert_lost(unsigned n, uint64_t line, uint64_t lost, uint64_t given)
{
    assert_problem(n, line, DUMP_READ_LOST);
    assert_string_equal(result.problem[n].kind, "bts");
    assert_int_equal(result.problem[n].lost, lost);
    assert_int_equal(result.problem[n].given, given);
}

static void assert_read(unsigned problems, unsigned branches, unsigned lost)
{
    if (result.problems != problems)
        for (unsigned i = 0; i < result.problems; i++)
            print_message("line %llu: %s\n", (unsigned long long)result.problem[i].line, text_of(&result.problem[i]));
    assert_int_equal(result.problems, problems);
    assert_int_equal(result.branches, branches);
    assert_int_equal(result.totals.bts, branches);
    assert_int_equal(result.totals.bts_lost, lost);
    assert_int_equal(result.lost[0], lost);
    assert_int_equal(result.whole, problems == 0);
}

static void other_lines_between(void **state)
{
    (void)state;
    write_twelve();
    insert(3, "ok 1 bts.one");
    insert(3, "# dsdump");
    insert(3, "#");
    insert(3, "#x");
    insert(3, "");
    insert(0, "\033[2J# begin dstest86 0.1.0 abc 64\r");
    insert(0, "# begin dstest86 0.1.0 abc 64\r"); /* before the dump starts */
    read_log();
    assert_read(0, 12, 0);
    assert_int_equal(result.lines, 7);
    assert_string_equal(result.line, "ok 1 bts.one");

    write_twelve(); /* what loggers and terminals add before and after a line */
    for (unsigned i = 0; i < written.count; i++) {
        char *line = malloc(strlen(written.line[i]) + 32);
        sprintf(line, "[   12.345] # %s \r\r", written.line[i]);
        free(written.line[i]);
        written.line[i] = line;
    }
    read_log();
    assert_read(0, 12, 0);
    forget();
}

static void a_frame_is_missing(void **state)
{
    (void)state;
    write_twelve();
    take_out(5);
    read_log();
    assert_read(2, 11, 1);
    assert_frames(0, 6, DUMP_READ_MISSING, 5, 5);
    assert_lost(1, 13, 1, 12);
    assert_int_equal(result.branch_n[3], 3);
    assert_int_equal(result.branch_n[4], 5);

    write_twelve();
    take_out(5);
    take_out(5);
    take_out(5);
    read_log();
    assert_read(2, 9, 3);
    assert_frames(0, 6, DUMP_READ_MISSING, 5, 7);
    forget();
}

static void the_end_is_missing(void **state)
{
    (void)state;
    write_twelve();
    take_out(13);
    take_out(12);
    read_log();
    assert_read(1, 11, 0); /* nobody knows of the twelfth */
    assert_problem(0, 12, DUMP_READ_NO_END);

    write_twelve(); /* with the end, that knows */
    take_out(12);
    read_log();
    assert_read(2, 11, 1);
    assert_frames(0, 13, DUMP_READ_MISSING, 12, 12);
    assert_lost(1, 13, 1, 12);
    forget();
}

static void the_head_is_missing(void **state)
{
    (void)state;
    write_twelve();
    take_out(0);
    read_log();
    assert_read(2, 12, 0);
    assert_problem(0, 1, DUMP_READ_NO_HEAD);
    assert_frames(1, 1, DUMP_READ_MISSING, 0, 0);
    assert_int_equal(result.machines, 1);
    assert_string_equal(result.machine.version, "");
    assert_int_equal(result.machine.ds_width, 8);

    write_twelve();
    take_out(0);
    take_out(0);
    read_log();
    assert_read(3, 11, 1);
    assert_lost(2, 12, 1, 12);
    forget();
}

static void damaged_frames(void **state)
{
    (void)state;
    write_twelve();
    for (unsigned bit = 0; bit < 7; bit++) { /* any character of frame 4 */
        for (unsigned at = 9; written.line[4][at] != '\0'; at++) {
            written.line[4][at] ^= (char)(1 << bit);
            if (strchr("\r\n ", written.line[4][at]) == NULL) {
                read_log();
                assert_read(3, 11, 1);
                assert_true(result.problem[0].line == 5 && result.problem[1].line == 6);
                assert_in_range(result.problem[0].error, DUMP_READ_CUT_SHORT, DUMP_READ_CHECKSUM);
            }
            written.line[4][at] ^= (char)(1 << bit);
        }
    }
    for (size_t length = strlen(written.line[4]) - 1; length > 9; length--) { /* cut anywhere */
        written.line[4][length] = '\0';
        read_log();
        assert_read(3, 11, 1);
        assert_problem(0, 5, DUMP_READ_CUT_SHORT);
    }
    forget();
}

static void order(void **state)
{
    char *line;
    (void)state;
    write_twelve(); /* 7 after 9 */
    line = written.line[7];
    memmove(&written.line[7], &written.line[8], 2 * sizeof(line));
    written.line[9] = line;
    read_log();
    assert_read(2, 12, 0);
    assert_frames(0, 8, DUMP_READ_MISSING, 7, 7);
    assert_frames(1, 10, DUMP_READ_LATE, 7, 7);

    write_twelve(); /* two of three that are missing come late, the middle one first */
    for (unsigned i = 0; i < 2; i++) {
        unsigned from = i == 0 ? 6 : 5;
        line = written.line[from];
        memmove(&written.line[from], &written.line[from + 1], (11 - from) * sizeof(line));
        written.line[11] = line;
    }
    take_out(5);
    read_log();
    assert_read(4, 11, 1);
    assert_frames(0, 6, DUMP_READ_MISSING, 5, 7);
    assert_frames(1, 10, DUMP_READ_LATE, 6, 6);
    assert_frames(2, 11, DUMP_READ_LATE, 5, 5);

    write_twelve();
    insert(6, written.line[5]);
    read_log();
    assert_read(1, 12, 0);
    assert_frames(0, 7, DUMP_READ_TWICE, 5, 5);

    write_twelve();
    insert(1, written.line[0]);
    read_log();
    assert_read(1, 12, 0);
    assert_frames(0, 3, DUMP_READ_TWICE, 0, 0);

    write_twelve(); /* the head alone, late */
    line = written.line[0];
    written.line[0] = written.line[1];
    written.line[1] = line;
    read_log();
    assert_read(3, 12, 0);
    assert_frames(2, 2, DUMP_READ_LATE, 0, 0);
    forget();
}

/* Appends the log to itself, from a line on. */
static void again(unsigned from)
{
    unsigned count = written.count;

    for (unsigned i = from; i < count; i++)
        insert(written.count, written.line[i]);
}

static void several_boots(void **state)
{
    (void)state;
    write_twelve();
    again(0);
    read_log();
    assert_read(0, 24, 0);
    assert_int_equal(result.totals.heads, 2);

    write_twelve(); /* a second boot without end or other lines: only frame 1 shows that it is another boot */
    take_out(13);
    again(0);
    read_log();
    assert_read(2, 24, 0);
    assert_problem(0, 15, DUMP_READ_NO_END);
    assert_problem(1, 26, DUMP_READ_NO_END);
    assert_int_equal(result.totals.heads, 2);
    assert_int_equal(result.machines, 2);

    forget();
    add(HEAD);
    add(HEAD);
    read_log();
    assert_read(2, 0, 0);
    assert_int_equal(result.totals.heads, 2);

    write_twelve(); /* the first boot breaks off, and a line shows that the kernel starts */
    take_out(13);
    insert(13, "# begin dstest86 0.1.0 abc 64");
    add("dsdump/1 0 head version=w width=32 signature=0xf4a perf_capabilities=0x0 misc_enable=0x1 pebs_data_cfg=0x0 "
        "ds=4 bts_form=4/1 pebs_form=4/0/0/0/0 source=0 build_id=");
    add(END, 1, 0);
    read_log();
    assert_read(1, 12, 0);
    assert_problem(0, 14, DUMP_READ_NO_END);
    assert_int_equal(result.totals.heads, 2);
    assert_int_equal(result.machine.cpu_width, 32);
    assert_int_equal(result.machine.build_id_length, 0);

    write_twelve(); /* the second boot's head is lost: its frames do not belong to the first */
    writer.test = "bts.two";
    for (unsigned i = 1; i <= 3; i++)
        add("dsdump/1 %u bts test=two cpu=0 first=%u count=1 before=%u form=8/0 codes=1 data=A6BAgAEA", i, i - 1,
            i - 1);
    add(END, 4, 3);
    read_log();
    assert_read(2, 15, 0);
    assert_problem(0, 15, DUMP_READ_NO_HEAD);
    assert_frames(1, 15, DUMP_READ_MISSING, 0, 0);
    forget();
}

static void many_gaps(void **state)
{
    (void)state;
    forget();
    add(HEAD);
    for (unsigned i = 0; i < 70; i++) /* more than are remembered */
        add("dsdump/1 %u event test=t cpu=0 counter=0 fixed=0 select=0x1 period=1 threshold=0 data_cfg=0x0 name=E",
            3 * (i + 1));
    read_log();
    add("dsdump/1 1 event test=t cpu=0 counter=0 fixed=0 select=0x1 period=1 threshold=0 data_cfg=0x0 name=late");
    read_log();
    assert_int_equal(result.problems, 74); /* the late one: as another boot's */
}

static void unknown_things(void **state)
{
    (void)state;
    forget();
    add(HEAD " colour=blue"); /* a word that later versions may have */
    add("dsdump/1 1 bts later=1 test=t cpu=0 first=0 count=1 before=0 form=8/0 codes=1 data=A6BAgAEA");
    add("dsdump/2 2 bts whatever");
    add("dsdump/1 2 ptw test=t cpu=0 first=0 count=1 before=0 form=8/0 codes=1 data=A6BAgAEA");
    add("dsdump/1 3 bts test=t cpu=0 first=1 count=1 before=1 form=8/0 codes=1 data=A6BAgAEA");
    add(END, 4, 2);
    read_log();
    assert_read(2, 2, 0);
    assert_problem(0, 3, DUMP_READ_VERSION);
    assert_int_equal(result.problem[0].version, 2);
    assert_frames(1, 4, DUMP_READ_KIND, 2, 2);
    forget();
}

/* Frames with a valid checksum and invalid contents, which our writer never writes. */
static void senseless_frames(void **state)
{
#define BTS  "dsdump/1 1 bts test=t cpu=0 "
#define PEBS "dsdump/1 1 pebs test=t cpu=0 first=0 count=1 before=0 "
#define LBR  "dsdump/1 1 lbr test=t cpu=0 first=0 count=1 before=0 "
#define WHAT " counter=0 fixed=0 select=0x81d0 period=9 threshold=0 data_cfg=0x0 name=LOADS"
#define ONE  "first=0 count=1 before=0 form=8/0 "
    static const struct {
        const char *text;
        enum dump_error counted, expanded; /* the first problem; counting finds fewer than expanding */
    } cases[] = {
        { "dsdump/", DUMP_READ_NO_VERSION, DUMP_READ_NO_VERSION },
        { "dsdump/x 1 bts", DUMP_READ_NO_VERSION, DUMP_READ_NO_VERSION },
        { "dsdump/0x 1 bts", DUMP_READ_NO_VERSION, DUMP_READ_NO_VERSION },
        { "dsdump/99999999999999999999 1 bts", DUMP_READ_NO_VERSION, DUMP_READ_NO_VERSION },
        { "dsdump/0x11111111111111111 1 bts", DUMP_READ_NO_VERSION, DUMP_READ_NO_VERSION },
        { "dsdump/000000000000000000001 1 bts", DUMP_READ_NO_VERSION, DUMP_READ_NO_VERSION },
        { "dsdump/1", DUMP_READ_NO_SEQUENCE, DUMP_READ_NO_SEQUENCE },
        { "dsdump/1 18446744073709551615 bts", DUMP_READ_NO_SEQUENCE, DUMP_READ_NO_SEQUENCE },
        { "dsdump/1 18446744073709551616 bts", DUMP_READ_NO_SEQUENCE, DUMP_READ_NO_SEQUENCE },
        { "dsdump/1 1", DUMP_READ_KIND, DUMP_READ_KIND },
        { BTS "first", DUMP_READ_WORD, DUMP_READ_WORD },
        { BTS "first=one", DUMP_READ_WORD, DUMP_READ_WORD },
        { BTS "form=8/x", DUMP_READ_WORD, DUMP_READ_WORD },
        { BTS "form=1/2/3/4/5/6", DUMP_READ_WORD, DUMP_READ_WORD },
        { BTS "form=8/0", DUMP_READ_WORD_MISSING, DUMP_READ_WORD_MISSING },
        { BTS "first=0 count=0 before=0 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_COUNT, DUMP_READ_COUNT },
        { BTS "first=0 count=16385 before=0 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_COUNT, DUMP_READ_COUNT },
        { BTS "first=1 count=1 before=0 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_NUMBERING, DUMP_READ_NUMBERING },
        { BTS "first=0 count=1 before=18446744073709551615 form=8/0 codes=1 data=A6BAgAEA", DUMP_READ_NUMBERING,
          DUMP_READ_NUMBERING },
        { "dsdump/1 1 bts test=t cpu=4294967296 " ONE "codes=1 data=A6BAgAEA", DUMP_READ_CPU, DUMP_READ_CPU },
        { "dsdump/1 1 event test=t cpu=4294967296" WHAT, DUMP_READ_CPU, DUMP_READ_CPU },
        { "dsdump/1 1 event test=ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt cpu=0" WHAT,
          DUMP_READ_TEST, DUMP_READ_TEST },
        { "dsdump/1 1 bts test=ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt cpu=0 " ONE
          "codes=1 data=A6BAgAEA",
          DUMP_READ_TEST, DUMP_READ_TEST },
        { BTS "first=0 count=1 before=0 form=5/0 codes=1 data=A6BAgAEA", DUMP_READ_FIELD_WIDTH, DUMP_READ_FIELD_WIDTH },
        { BTS ONE "codes=1 data=A6BAgAE", DUMP_READ_BASE64, DUMP_READ_BASE64 },
        { BTS ONE "codes=7 data=A6BAgAEA", DUMP_READ_CODES, DUMP_READ_CODES },
        { BTS ONE "codes=0 data=A6BAgAEA", DUMP_READ_TOO_FEW, DUMP_READ_TOO_FEW },
        { BTS ONE "codes=1 data=gw==", DUMP_READ_CODES_CUT, DUMP_READ_TOO_FEW },
        { BTS ONE "codes=1 data=CA==", DUMP_READ_TOO_MANY, DUMP_READ_TOO_MANY },
        { BTS ONE "codes=1 data=BA==", DUMP_READ_OK, DUMP_READ_PREDICTION },
        { BTS ONE "codes=1 data=AA==", DUMP_READ_OK, DUMP_READ_REFERENCE },
        { BTS ONE "codes=1 data=AQ==", DUMP_READ_OK, DUMP_READ_REFERENCE },
        { BTS ONE "codes=1 data=AgE=", DUMP_READ_OK, DUMP_READ_REFERENCE },
        { BTS ONE "codes=1 data=Ag==", DUMP_READ_VALUES_COUNT, DUMP_READ_VALUES_CUT },
        { BTS ONE "codes=1 data=A6BA", DUMP_READ_VALUES_COUNT, DUMP_READ_VALUES_CUT },
        { BTS ONE "codes=1 data=AwAAgA==", DUMP_READ_VALUES_COUNT, DUMP_READ_VALUES_CUT },
        { BTS ONE "codes=1 data=A6BAgAEAAA==", DUMP_READ_VALUES_COUNT, DUMP_READ_LEFT_OVER },
        { BTS ONE "codes=1 data=A6BAgAEAgA==", DUMP_READ_VALUES_COUNT, DUMP_READ_LEFT_OVER },
        { BTS ONE "codes=2 data=AwCgQIABAA==", DUMP_READ_LEFT_OVER, DUMP_READ_LEFT_OVER },
        { BTS ONE "codes=2 data=AwegQIABAA==", DUMP_READ_TOO_MANY, DUMP_READ_LEFT_OVER },
        { BTS "first=0 count=2 before=0 form=8/0 codes=2 data=AwegQIABAA==", DUMP_READ_LEFT_OVER,
          DUMP_READ_PREDICTION },
        { PEBS "form=8/3/0/0/5 source=3 size=0 codes=1 data=AAAA", DUMP_READ_RECORD_SIZE, DUMP_READ_RECORD_SIZE },
        { PEBS "form=8/3/0/0/5 source=3 size=12 codes=1 data=AAAA", DUMP_READ_RECORD_SIZE, DUMP_READ_RECORD_SIZE },
        { PEBS "form=8/3/0/0/5 source=3 size=4104 codes=65 data=AAAA", DUMP_READ_RECORD_SIZE, DUMP_READ_RECORD_SIZE },
        { PEBS "form=8/3/0/0/5 source=11 size=200 codes=4 data=AAAAAA==", DUMP_READ_SOURCE, DUMP_READ_SOURCE },
        { PEBS "form=8/3/0/0/5 source=3 size=200 codes=3 data=AAAA", DUMP_READ_CODES, DUMP_READ_CODES },
        { PEBS "form=8/3/0/0/5 source=3 size=200 codes=4 data=AQAAAA==", DUMP_READ_VALUES_COUNT, DUMP_READ_VALUES_CUT },
        { PEBS "form=8/3/0/0/5 source=3 size=200 codes=4 data=AAAAAAE=", DUMP_READ_VALUES_COUNT, DUMP_READ_LEFT_OVER },
        { LBR "form=5 tos=0 depth=0 codes=0 data=", DUMP_READ_STACK, DUMP_READ_STACK },
        { LBR "form=5 tos=0 depth=33 codes=33 data=", DUMP_READ_STACK, DUMP_READ_STACK },
        { LBR "form=66 tos=0 depth=1 codes=1 data=AA==", DUMP_READ_STACK_FORMAT, DUMP_READ_STACK_FORMAT },
        { "dsdump/1 1 lbr test=t cpu=0 first=0 count=2 before=0 form=5 tos=0 depth=1 codes=1 data=AA==",
          DUMP_READ_STACK, DUMP_READ_STACK },
        { LBR "form=5 tos=0 depth=1 codes=1 data=AQ==", DUMP_READ_VALUES_COUNT, DUMP_READ_VALUES_CUT },
        { LBR "form=5 tos=0 depth=1 codes=1 data=AAE=", DUMP_READ_VALUES_COUNT, DUMP_READ_LEFT_OVER },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        forget();
        add(HEAD);
        add("%s", cases[i].text);
        add("dsdump/1 2 bts test=t cpu=0 first=1 count=1 before=1 form=8/0 codes=1 data=A6BAgAEA");
        add(END, 3, 2);
        read_log();
        assert_true(result.problems >= 1);
        assert_problem(0, 2, cases[i].expanded);
        assert_int_equal(result.counted, cases[i].counted);
        assert_true(result.branches >= 1); /* the frame behind it */
        assert_true(result.totals.bts + result.totals.bts_lost >= 2);
    }
    forget();
}

static void senseless_heads(void **state)
{
    static const char *const ids[] = { "0", "0g", "g0", "000000000000000000000000000000000000000000" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        forget();
        add("dsdump/1 0 head version=v width=64 signature=0x506e3 perf_capabilities=0x33c5 misc_enable=0x1 "
            "pebs_data_cfg=0x0 ds=8 bts_form=8/0 pebs_form=8/3/0/0/5 source=3 build_id=%s",
            ids[i]);
        add(END, 1, 0);
        read_log();
        assert_int_equal(result.problems, 1);
        assert_frames(0, 1, DUMP_READ_BUILD_ID, 0, 0);
    }
    forget();
}

static void longer_than_a_frame(void **state)
{
    char data[8000];
    (void)state;
    memset(data, 'A', sizeof(data));
    data[7172] = '\0';
    forget();
    add(HEAD);
    add("dsdump/1 1 bts test=t cpu=0 first=0 count=1 before=0 form=8/0 codes=1 data=%s", data);
    add(END, 2, 1);
    read_log();
    assert_problem(0, 2, DUMP_READ_DATA_LENGTH);
    forget();
}

/* PEBS bytes that the decoder refuses, and an unknown LBR format. */
static void undecodable(void **state)
{
    const struct pebs_form adaptive = { 8, 4, true, false, false, 5, PEBS_RESERVED_NONE };
    const uint8_t zeros[32] = { 0 };
    const uint64_t registers[1][3] = { { 1, 2, 3 } };
    const struct dump_lbr stack = { .depth = 1, .registers = registers };
    (void)state;
    begin();
    dump_write_pebs(&writer, 0, &adaptive, DATA_SOURCE_GENERIC, 32, zeros, 1);
    dump_write_lbr(&writer, 0, 40, &stack);
    dump_write_end(&writer);
    read_log();
    assert_problem(0, 2, DUMP_READ_PEBS);
    assert_int_equal(result.problem[0].record, 0);
    assert_int_equal(result.problem[0].why, PEBS_DECODE_SIZE_ZERO);
    assert_frames(1, 3, DUMP_READ_STACK_FORMAT, 2, 2);
    assert_int_equal(result.totals.pebs_lost, 1);
    assert_int_equal(result.totals.lbr_lost, 1);
    forget();
}

/* Two frames in a line, because the first lost its end and the line end. */
static void a_line_end_is_lost(void **state)
{
    char *joined;
    (void)state;
    write_twelve();
    joined = malloc(40 + strlen(written.line[6]) + 1);
    sprintf(joined, "%.40s%s", written.line[5], written.line[6]);
    take_out(5);
    free(written.line[5]);
    written.line[5] = joined;
    read_log();
    assert_read(3, 11, 1);
    assert_problem(0, 6, DUMP_READ_CHECKSUM);
    assert_frames(1, 6, DUMP_READ_MISSING, 5, 5);
    forget();
}

static void no_frame_at_all(void **state)
{
    (void)state;
    forget();
    insert(0, "ok 1 bts.calls");
    read_log();
    assert_int_equal(result.problems, 1);
    assert_problem(0, 0, DUMP_READ_NO_DUMP);
    assert_false(result.whole);
    forget();
    read_log();
    assert_problem(0, 0, DUMP_READ_NO_DUMP);
}

/* A test that is abandoned while a frame is being filled loses that frame, and the reader notices. */
static void writer_is_interrupted(void **state)
{
    uint8_t bytes[24];
    (void)state;
    begin();
    put_branch(bytes, 8, 0x1000, 0x2000, 0);
    dump_write_bts(&writer, 0, 4, false, bytes, 0); /* no records, which ends no frame */
    dump_write_pebs(&writer, 0, &machine_64.pebs, DATA_SOURCE_GENERIC, 200, bytes, 0);
    dump_write_test(&writer, "bts.one");
    assert_int_equal(written.count, 1);
    dump_write_bts(&writer, 0, 8, false, bytes, 1);
    writer.busy = true;
    dump_write_test(&writer, "bts.next");
    dump_write_bts(&writer, 0, 8, false, bytes, 1);
    dump_write_end(&writer);
    read_log();
    assert_read(1, 1, 1);
    assert_string_equal(result.test, "bts.next");
    assert_int_equal(result.branch_n[0], 0);
    forget();
}

/* Loops and unpredictable branches keep the sizes that docs/dump.md promises. */
static void density(void **state)
{
    static const struct {
        unsigned sites, count;
        double most; /* characters of the dump for a record */
    } cases[] = { { 1, 20000, 0.5 }, { 3, 20000, 2.0 }, { 60, 20000, 4.2 } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t *bytes = malloc((size_t)24 * cases[i].count);
        size_t length = 0;
        assert_non_null(bytes);
        branches_of(8, 0x301000, cases[i].sites, cases[i].count, bytes);
        begin();
        dump_write_bts(&writer, 0, 8, false, bytes, cases[i].count);
        dump_write_end(&writer);
        for (unsigned j = 0; j < written.count; j++)
            length += strlen(written.line[j]) + 2;
        if ((double)length / cases[i].count > cases[i].most)
            fail_msg("%u sites: %.2f characters a record", cases[i].sites, (double)length / cases[i].count);
        free(bytes);
    }
    forget();
}

static void texts(void **state)
{
    static const char *const known[] = {
        [DUMP_READ_OK] = "no error",
        [DUMP_READ_CUT_SHORT] = "truncated frame: no checksum at its end",
        [DUMP_READ_CHECKSUM_DIGITS] = "damaged frame: its checksum is not hexadecimal",
        [DUMP_READ_CHECKSUM] = "damaged frame: its checksum does not match",
        [DUMP_READ_NO_VERSION] = "frame without a version",
        [DUMP_READ_VERSION] = "only version 1 of the format is supported",
        [DUMP_READ_NO_SEQUENCE] = "frame without a sequence number",
        [DUMP_READ_KIND] = "unknown kind of frame",
        [DUMP_READ_WORD] = "malformed word",
        [DUMP_READ_WORD_MISSING] = "missing word",
        [DUMP_READ_BUILD_ID] = "build_id= is not up to 20 bytes in hexadecimal",
        [DUMP_READ_COUNT] = "count= is not in the range 1 to 16384",
        [DUMP_READ_NUMBERING] = "first=, before= and count= contradict each other",
        [DUMP_READ_TEST] = "test= is longer than 64 characters",
        [DUMP_READ_CPU] = "cpu= does not fit into 32 bits",
        [DUMP_READ_FIELD_WIDTH] = "form= has a field width that is neither 4 nor 8 bytes",
        [DUMP_READ_RECORD_SIZE] = "size= is not a possible size of a PEBS record",
        [DUMP_READ_SOURCE] = "source= is not a known encoding of data sources",
        [DUMP_READ_STACK] = "count= or depth= is not possible for an LBR stack",
        [DUMP_READ_STACK_FORMAT] = "form= is not a known LBR format",
        [DUMP_READ_DATA_LENGTH] = "data= is longer than a frame may be",
        [DUMP_READ_BASE64] = "data= is not base64",
        [DUMP_READ_CODES] = "codes= does not fit the payload",
        [DUMP_READ_CODES_CUT] = "the codes end in the middle of a number",
        [DUMP_READ_VALUES_CUT] = "the values end too early",
        [DUMP_READ_VALUES_COUNT] = "the number of values does not match the codes",
        [DUMP_READ_TOO_FEW] = "fewer records than count= says",
        [DUMP_READ_TOO_MANY] = "more records than count= says",
        [DUMP_READ_LEFT_OVER] = "bytes left over after the last record",
        [DUMP_READ_PREDICTION] = "a code predicts a branch where none is known",
        [DUMP_READ_REFERENCE] = "a code refers to an unknown branch",
        [DUMP_READ_PEBS] = "PEBS record cannot be decoded",
        [DUMP_READ_MISSING] = "missing before this line",
        [DUMP_READ_TWICE] = "duplicate, ignored",
        [DUMP_READ_LATE] = "out of order",
        [DUMP_READ_NO_HEAD] = "the dump starts without its head frame",
        [DUMP_READ_NO_END] = "the dump breaks off here: no end frame, so more records may be missing",
        [DUMP_READ_LOST] = "records are lost",
        [DUMP_READ_NO_DUMP] = "no dump in this log: boot the kernel with dump=raw to get one",
    };
    static const struct {
        struct dump_problem problem;
        const char *text;
    } whole[] = {
        { { .error = DUMP_READ_CHECKSUM }, "damaged frame: its checksum does not match" },
        { { .error = DUMP_READ_VERSION, .version = 2 },
          "frame of version 2: only version 1 of the format is supported" },
        { { .error = DUMP_READ_KIND, .first = 7 }, "frame 7: unknown kind of frame" },
        { { .error = DUMP_READ_WORD, .first = 7, .word = "cpu=one" }, "frame 7: malformed word: cpu=one" },
        { { .error = DUMP_READ_WORD_MISSING, .first = 7, .word = "cpu" }, "frame 7: missing word: cpu" },
        { { .error = DUMP_READ_PEBS, .first = 7, .record = 5, .why = PEBS_DECODE_SIZE_ZERO },
          "frame 7: PEBS record 5: size field of the PEBS record is 0" },
        { { .error = DUMP_READ_MISSING, .first = 7, .last = 7 }, "frame 7: missing before this line" },
        { { .error = DUMP_READ_MISSING, .first = 7, .last = 9 }, "frames 7 to 9: missing before this line" },
        { { .error = DUMP_READ_TWICE, .first = 0 }, "frame 0: duplicate, ignored" },
        { { .error = DUMP_READ_LATE, .first = 7 }, "frame 7: out of order" },
        { { .error = DUMP_READ_LOST, .kind = "bts", .lost = 1, .given = 12 }, "1 of 12 bts records are lost" },
    };

    (void)state;
    assert_int_equal(COUNT_OF(known), DUMP_READ_NO_DUMP + 1);
    for (unsigned i = 0; i < COUNT_OF(known); i++)
        assert_string_equal(dump_error_text((enum dump_error)i), known[i]);
    assert_string_equal(dump_error_text((enum dump_error)99), "unknown error of the dump");
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        assert_string_equal(text_of(&whole[i].problem), whole[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum),
        cmocka_unit_test(base64),
        cmocka_unit_test(numbers),
        cmocka_unit_test(branches_come_back),
        cmocka_unit_test(samples_come_back),
        cmocka_unit_test(latencies_of_a_form),
        cmocka_unit_test(stacks_come_back),
        cmocka_unit_test(head_and_event_come_back),
        cmocka_unit_test(frame_of_the_documentation),
        cmocka_unit_test(other_lines_between),
        cmocka_unit_test(a_frame_is_missing),
        cmocka_unit_test(the_end_is_missing),
        cmocka_unit_test(the_head_is_missing),
        cmocka_unit_test(damaged_frames),
        cmocka_unit_test(order),
        cmocka_unit_test(several_boots),
        cmocka_unit_test(many_gaps),
        cmocka_unit_test(unknown_things),
        cmocka_unit_test(senseless_frames),
        cmocka_unit_test(senseless_heads),
        cmocka_unit_test(longer_than_a_frame),
        cmocka_unit_test(undecodable),
        cmocka_unit_test(a_line_end_is_lost),
        cmocka_unit_test(no_frame_at_all),
        cmocka_unit_test(texts),
        cmocka_unit_test(writer_is_interrupted),
        cmocka_unit_test(density),
    };
    return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
