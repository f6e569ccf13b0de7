/* SPDX-License-Identifier: MIT */
/*
 * --script: the lines that `perf script` prints for the file of --perf-data, except that event names are not padded to
 * the longest in the file, which a stream cannot know. --branches: only BTS records, FROM => TO, as `perf script`
 * prints them, without the fields that are the same for all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/branch_texts.h"
#include "tools/complain.h"
#include "tools/lib/perf_data.h"
#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

#define LINE_MOST   4096u /* bytes of a line without the names of the ELF and the test */
#define PATH_MOST   4096u
#define PREFIX_MOST 512u

struct script_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    uint32_t last_task, tid;
    char test[256];
    unsigned cpu;             /* the processor in the prefix */
    char prefix[PREFIX_MOST]; /* "test tid [cpu] " */
    size_t prefix_length;
    uint64_t data_source; /* the latest data source, and its words */
    char words[PERF_DATA_SOURCE_TEXT];
    size_t words_length;
    char file[PATH_MOST + 4]; /* the ELF, as " (path)" */
    size_t file_length;
    struct branch_texts branches; /* "FROM => TO" and the line's end */
};

static void make_prefix(struct script_output *output, unsigned cpu)
{
    output->cpu = cpu;
    int length = snprintf(output->prefix, sizeof(output->prefix), "%16s %5u [%03u] ", output->test, output->tid, cpu);
    output->prefix_length = (size_t)length < sizeof(output->prefix) ? (size_t)length : sizeof(output->prefix) - 1;
}

static char *put_prefix(struct script_output *output, char *at, unsigned cpu)
{
    if (cpu != output->cpu)
        make_prefix(output, cpu);
    return put_copy(at, output->prefix, output->prefix_length, 48, sizeof output->prefix);
}

/* Writes an address, "          220ad0 calls_outer+0x0", and " (path)". */
static char *put_address(struct script_output *output, char *at, uint64_t address, bool with_file)
{
    const struct place *place = symbols_place(output->symbols, address);

    at = put_hex_blanks(at, address);
    *at++ = ' ';
    if (place->name != NULL) {
        memcpy(at, place->text, place->length);
        at += place->length;
    } else {
        at = put_text(at, "[unknown]");
    }
    if (!with_file)
        return at;
    if (!place->mapped)
        return put_text(at, " ([unknown])");
    memcpy(at, output->file, output->file_length);
    return at + output->file_length;
}

static void on_machine(void *context, const struct dump_machine *machine)
{
    struct script_output *output = context;

    (void)machine;
    if (output->symbols != NULL)
        branch_texts_forget(&output->branches);
    output->tid = ++output->last_task;
    output->sampled.count = 0;
    snprintf(output->test, sizeof(output->test), "dstest86");
    make_prefix(output, 0);
}

static void on_test(void *context, const char *id)
{
    struct script_output *output = context;

    output->tid = ++output->last_task;
    output->sampled.count = 0;
    snprintf(output->test, sizeof(output->test), "%s", id);
    make_prefix(output, 0);
}

/* Puts "FROM => TO", and ends the line. */
static void end_branch(struct script_output *output, char *at, const struct bts_record *record, bool with_file)
{
    char *end = branch_texts_put(&output->branches, at, record->from, record->to, 0);

    if (end == NULL) {
        end = put_text(put_address(output, at, record->from, with_file), " => ");
        end = put_text(put_address(output, end, record->to, with_file), "\n");
        branch_texts_keep(&output->branches, at, end, record->from, record->to, 0);
    }
    writer_end(&output->writer, end);
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct script_output *output = context;
    char *at = put_prefix(output, writer_room(&output->writer, LINE_MOST + 2 * PATH_MOST), cpu);

    (void)n;
    end_branch(output, put_text(at, "         1 branches: "), record, true);
}

static void on_bts_alone(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct script_output *output = context;

    (void)cpu;
    (void)n;
    end_branch(output, writer_room(&output->writer, LINE_MOST), record, false);
}

static void put_sample(struct script_output *output, unsigned cpu, const struct pebs_record *record,
                       const struct sampled_event *event, enum data_source_encoding encoding)
{
    uint64_t data_source = perf_data_source(record, encoding, event->event.select);
    char *at = put_prefix(output, writer_room(&output->writer, LINE_MOST + PATH_MOST), cpu);

    at = put_decimal_wide(at, record->tsc / 1000000000, 5, ' ');
    *at++ = '.';
    at = put_text(put_decimal_wide(at, record->tsc / 1000 % 1000000, 6, '0'), ": ");
    at = put_decimal_wide(at, event->event.period, 10, ' ');
    *at++ = ' ';
    at = put_text(put_text(at, event->name), ": ");
    at = put_hex_blanks(at, record->data_address);
    *at++ = ' ';
    at = put_hex_blanks(at, data_source);
    *at++ = ' ';
    if (data_source != output->data_source || output->words_length == 0) {
        output->data_source = data_source;
        output->words_length = perf_data_source_text(output->words, data_source);
    }
    memcpy(at, output->words, output->words_length);
    at += output->words_length;
    *at++ = ' ';
    at = put_decimal_wide(at, record->latency, 16, ' ');
    *at++ = ' ';
    at = put_address(output, at, record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip, true);
    *at++ = '\n';
    writer_end(&output->writer, at);
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct script_output *output = context;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);

    (void)n;
    (void)bytes;
    if (event == NULL)
        put_sample(output, cpu, record, &sampled_event_unknown, encoding);
    for (; event != NULL; event = sampled_events_of(&output->sampled, cpu, record, event))
        put_sample(output, cpu, record, event, encoding);
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    struct script_output *output = context;
    char *at = put_prefix(output, writer_room(&output->writer, LINE_MOST + PATH_MOST), cpu);

    (void)n;
    at = put_text(at, "         1 lbr: ");
    at = put_address(output, at, stack->depth > 0 ? stack->entries[0].to : 0, true);
    *at++ = '\n';
    writer_end(&output->writer, at);
}

static bool on_end(void *context)
{
    struct script_output *output = context;
    bool written = writer_close(&output->writer);

    free(output);
    return written;
}

static struct script_output *open_output(const struct output_setup *setup)
{
    struct script_output *output = allocated(calloc(1, sizeof(*output)));

    if (!writer_open(&output->writer, "-")) {
        free(output);
        return NULL;
    }
    output->symbols = setup->symbols;
    if (setup->symbols != NULL)
        output->file_length = (size_t)snprintf(output->file, sizeof(output->file), " (%.*s)", (int)PATH_MOST,
                                               symbols_path(setup->symbols));
    return output;
}

static bool open_script(const struct output_setup *setup, struct record_sink *sink)
{
    struct script_output *output = open_output(setup);

    *sink = (struct record_sink){ .context = output,
                                  .machine = on_machine,
                                  .test = on_test,
                                  .sampling = sampled_events_announce,
                                  .bts = on_bts,
                                  .pebs = on_pebs,
                                  .lbr = on_lbr,
                                  .end = on_end };
    return output != NULL;
}

static bool open_branches(const struct output_setup *setup, struct record_sink *sink)
{
    struct script_output *output = open_output(setup);

    *sink = (struct record_sink){ .context = output, .machine = on_machine, .bts = on_bts_alone, .end = on_end };
    return output != NULL;
}

const struct output output_script = { .name = "script",
                                      .help = "every record as perf script prints it",
                                      .open = open_script };
const struct output output_branches = { .name = "branches",
                                        .help = "BTS records as FROM sym => TO sym",
                                        .open = open_branches };
