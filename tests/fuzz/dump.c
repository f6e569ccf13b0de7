/* SPDX-License-Identifier: MIT */
/*
 * Input: a byte; bit 0 clear: the rest is a log for the reader; bit 1: every frame's checksum is corrected first. Bit 0
 * set: the rest are records, which must survive writing and reading; bit 1: BTS, not PEBS; bit 2: 32-bit.
 */
#include "lib/dump/dump_write.h"
#include "tests/fuzz/fuzz.h"
#include "lib/dump/reader/dump_read.h"

static struct {
    struct dump_totals seen;
    const uint8_t *bytes; /* the expected records, NULL: any */
    size_t size;          /* of a record */
    unsigned problems;
} run;

static void on_problem(void *context, const struct dump_problem *problem)
{
    char text[DUMP_PROBLEM_TEXT];

    REQUIRE(problem->error != DUMP_READ_OK && strlen(dump_problem_text(text, problem)) < sizeof(text) - 1);
    run.problems++;
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct bts_record want;

    REQUIRE(record->width == 4 || record->width == 8);
    if (run.bytes) {
        REQUIRE(bts_decode(record->width, run.bytes + run.size * run.seen.bts, run.size, true, &want) == BTS_DECODE_OK);
        REQUIRE(want.from == record->from && want.to == record->to && want.flags == record->flags);
        REQUIRE(want.predicted == record->predicted && n == run.seen.bts);
    }
    run.seen.bts++;
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    REQUIRE(record->size > 0 && encoding < DATA_SOURCE_ENCODINGS);
    if (run.bytes)
        REQUIRE(memcmp(bytes, run.bytes + run.size * run.seen.pebs, run.size) == 0);
    run.seen.pebs++;
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    REQUIRE(stack->depth > 0 && stack->depth <= DUMP_DEPTH_MAX);
    run.seen.lbr++;
}

static void on_lost(void *context, const char *kind, uint64_t records)
{
    REQUIRE(records > 0);
    *(kind[0] == 'b' ? &run.seen.bts_lost : kind[0] == 'p' ? &run.seen.pebs_lost : &run.seen.lbr_lost) += records;
}

/* Outputs repeat these texts as they are. */
static void require_plain(const char *text, bool more)
{
    for (; *text != '\0'; text++)
        REQUIRE((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') ||
                *text == '.' || *text == '_' || (more && (*text == '+' || *text == '-')));
}

static void on_machine(void *context, const struct dump_machine *machine)
{
    require_plain(machine->version, true);
}

static void on_test(void *context, const char *id)
{
    require_plain(id, false);
}

static void on_sampling(void *context, const struct dump_sampling *event)
{
    require_plain(event->name, false);
}

static const struct record_sink sink = { .machine = on_machine,
                                         .test = on_test,
                                         .sampling = on_sampling,
                                         .bts = on_bts,
                                         .pebs = on_pebs,
                                         .lbr = on_lbr,
                                         .lost = on_lost };

/* Reads a log, line by line. */
static void read_log(const struct record_sink *into, const char *text, size_t size)
{
    struct dump_reader *reader = malloc(dump_reader_size());
    struct dump_totals totals;
    bool whole;

    REQUIRE(reader != NULL);
    memset(&run.seen, 0, sizeof(run.seen));
    run.problems = 0;
    dump_reader_init(reader, into, on_problem, NULL);
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size;
        char *line = malloc(length > 0 ? length : 1);
        REQUIRE(line != NULL);
        memcpy(line, text, length);
        dump_read_line(reader, line, length);
        free(line);
        text += length + (end != NULL);
        size -= length + (end != NULL);
    }
    whole = dump_read_end(reader, &totals);
    REQUIRE(whole == (run.problems == 0) && totals.problems == run.problems);
    if (into) {
        REQUIRE(totals.bts == run.seen.bts && totals.pebs == run.seen.pebs && totals.lbr == run.seen.lbr);
        REQUIRE(totals.bts_lost == run.seen.bts_lost && totals.pebs_lost == run.seen.pebs_lost);
    }
    run.seen = totals;
    free(reader);
}

/* Reads with and without expanding. Records that expand without a problem must be counted without one, equally. */
static void read_twice(const char *text, size_t size)
{
    struct dump_totals expanded;
    bool whole;

    read_log(&sink, text, size);
    expanded = run.seen;
    whole = run.problems == 0;
    read_log(NULL, text, size);
    REQUIRE(!whole || memcmp(&expanded, &run.seen, sizeof(expanded)) == 0);
}

static void right_checksums(char *text, size_t size)
{
    while (size > 0) {
        char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size;
        char digits[9];
        if (length > 15 && memcmp(text + length - 13, " crc=", 5) == 0) {
            snprintf(digits, sizeof(digits), "%08x", (unsigned)dump_crc(text + 2, length - 15));
            memcpy(text + length - 8, digits, 8);
        }
        text += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

static struct {
    char text[1 << 18];
    size_t used;
} log_written;

static void keep(void *context, const char *text)
{
    size_t length = strlen(text);

    REQUIRE(length < DUMP_LINE_SIZE && log_written.used + length + 3 < sizeof(log_written.text));
    log_written.used += (size_t)sprintf(log_written.text + log_written.used, "# %s\n", text);
}

static void round_trip(unsigned how, const uint8_t *bytes, size_t size)
{
    static const struct line_sink out = { keep, NULL };
    static struct dump_writer writer;
    static const struct pebs_form forms[] = { { .width = 8, .format = 3, .lbr_format = 5 }, { .width = 4 } };
    const struct pebs_form *form = &forms[how >> 1 & 1];
    const unsigned width = how & 2 ? 4 : 8;
    unsigned records;

    log_written.used = 0;
    dump_writer_init(&writer, &out);
    dump_write_head(&writer, &(struct dump_machine){ .version = "fuzz" });
    dump_write_test(&writer, "fuzz");
    run.bytes = bytes;
    run.size = how & 1 ? 3 * width : pebs_record_size(form);
    records = (unsigned)(size / run.size);
    if (how & 1)
        dump_write_bts(&writer, 0, width, true, bytes, records);
    else
        dump_write_pebs(&writer, 0, form, DATA_SOURCE_GENERIC, (unsigned)run.size, bytes, records);
    dump_write_end(&writer);
    read_twice(log_written.text, log_written.used);
    REQUIRE(run.problems == 0 && run.seen.bts + run.seen.pebs == records);
    run.bytes = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned how = (unsigned)take(&in, 1);
    char *text;

    if (how & 1) {
        round_trip(how >> 1, in.data, in.size);
        return 0;
    }
    text = malloc(in.size > 0 ? in.size : 1);
    REQUIRE(text != NULL);
    memcpy(text, in.data, in.size);
    if (how & 2)
        right_checksums(text, in.size);
    read_twice(text, in.size);
    free(text);
    return 0;
}
