/* SPDX-License-Identifier: MIT */
/* A log with a dump, from the writer or made by hand, and the reader's results. */
#ifndef TESTS_HOST_DUMP_LOG_H
#define TESTS_HOST_DUMP_LOG_H

#include "tests/host/unit_test.h"

#include "lib/bytes.h"
#include "lib/format.h"
#include "lib/dump/dump_code.h"
#include "lib/dump/dump_write.h"
#include "lib/dump/reader/dump_read.h"
#include "tests/host/fakes.h"

#define LINES_MAX    256u
#define PROBLEMS_MAX 80u
#define RECORDS_MAX  40000u

/* The writer's log, possibly changed by a test. */
static struct log {
    char *line[LINES_MAX];
    unsigned count;
} written;

/* The reader's results, and the sink that takes them. */
static struct result {
    struct dump_totals totals;
    bool whole;
    unsigned problems;
    struct dump_problem problem[PROBLEMS_MAX];
    enum dump_error counted; /* the first problem found by counting */
    unsigned machines, events, stacks, lines;
    struct dump_machine machine;
    char test[DUMP_TEST_MAX + 1], line[64], event_name[64];
    struct dump_sampling event;
    unsigned branches, samples;
    struct bts_record branch[RECORDS_MAX];
    uint64_t branch_n[RECORDS_MAX], lost[3];
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

FAKE_STATIC_VOID(on_problem, (void *context, const struct dump_problem *problem),
                 assert_true(result.problems < PROBLEMS_MAX), result.problem[result.problems++] = *problem)
FAKE_STATIC_VOID(on_machine, (void *context, const struct dump_machine *machine), result.machines++,
                 result.machine = *machine)
FAKE_STATIC_VOID(on_test, (void *context, const char *id), snprintf(result.test, sizeof(result.test), "%s", id))
FAKE_STATIC_VOID(on_event, (void *context, const struct dump_sampling *event), result.events++, result.event = *event,
                 snprintf(result.event_name, sizeof(result.event_name), "%s", event->name))
FAKE_STATIC_VOID(on_lost, (void *context, const char *kind, uint64_t records),
                 result.lost[kind[0] == 'b'   ? 0
                             : kind[0] == 'p' ? 1
                                              : 2] += records)
FAKE_STATIC_VOID(on_line, (void *context, const char *text), result.lines++,
                 snprintf(result.line, sizeof(result.line), "%s", text))

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    assert_true(result.branches < RECORDS_MAX);
    result.branch_n[result.branches] = n;
    result.branch[result.branches++] = *record;
}

FAKE_STATIC_VOID(on_pebs,
                 (void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                  enum data_source_encoding encoding),
                 result.samples++)
FAKE_STATIC_VOID(on_lbr, (void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack), result.stacks++)

static const struct record_sink everything = { NULL,    on_machine, on_test, on_event, on_bts,
                                               on_pebs, on_lbr,     on_lost, on_line,  NULL };

/* Reads the log three times: counting only, with an empty sink, and with a full sink. All results must agree. */
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
    assert_true(whole[0] || !whole[2]); /* only expansion finds some problems */
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

#endif
