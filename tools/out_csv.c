/* SPDX-License-Identifier: MIT */
/* --csv: a row for each record and for each entry of an LBR stack; columns that a kind lacks are empty. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/report/record_text.h"
#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

#define COLUMNS_MOST 64u
#define TEST_MOST    255u /* characters of a test's name; the rest is cut */

struct csv_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    char test[2 * TEST_MOST + 4];                   /* as a field, with the comma after it */
    const struct pebs_field *columns[COLUMNS_MOST]; /* columns after the event, from 1 */
    unsigned column_count;
    char commas[4 * COLUMNS_MOST]; /* commas of a row that ends before the event */
};

static void put_head(struct csv_output *output)
{
    char *comma = output->commas;

    for (const struct pebs_field *field = pebs_fields; field->name; field++)
        if (field->column != 0) {
            output->columns[field->column] = field;
            output->column_count++;
        }
    writer_text(&output->writer,
                "kind,test,cpu,record,entry,ip,ip_symbol,ip_line,address,address_symbol,address_line,predicted,cycles,"
                "event");
    *comma++ = ',';
    for (unsigned i = 1; i <= output->column_count; i++) {
        const struct pebs_field *field = output->columns[i];
        const char *heading = field->heading ? field->heading : field->name;
        writer_format(&output->writer, ",%s", heading);
        *comma++ = ',';
        for (; *heading != '\0'; heading++)
            if (*heading == ',')
                *comma++ = ',';
    }
    writer_text(&output->writer, ",counts,branch_counters\n");
}

/* Puts a field, quoted if RFC 4180 requires it: at most twice the text and 2 characters. */
static char *put_field(char *at, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL)
        return put_text(at, text);
    *at++ = '"';
    for (; *text != '\0'; text++) {
        if (*text == '"')
            *at++ = '"';
        *at++ = *text;
    }
    *at++ = '"';
    return at;
}

static void write_field(struct csv_output *output, const char *text)
{
    writer_end(&output->writer, put_field(writer_room(&output->writer, 2 * strlen(text) + 2), text));
}

/* Writes "ADDRESS,symbol,file:line", without a comma after it. */
static void put_place(struct csv_output *output, uint64_t address)
{
    const char *file;
    unsigned line;
    char *at = put_hex(put_text(writer_room(&output->writer, 32), "0x"), address);

    if (output->symbols == NULL) {
        writer_end(&output->writer, put_text(at, ",,"));
        return;
    }
    writer_end(&output->writer, put_text(at, ","));
    write_field(output, symbols_place(output->symbols, address)->text);
    writer_text(&output->writer, ",");
    if (symbols_line(output->symbols, address, &file, &line)) {
        file = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
        if (strlen(file) > NAME_MAX) /* no such file exists */
            return;
        write_field(output, file);
        writer_format(&output->writer, ":%u", line);
    }
}

static void begin_row(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n)
{
    char *at = put_text(writer_room(&output->writer, sizeof output->test + 64), kind);

    at = put_decimal(put_text(put_text(at, ","), output->test), cpu);
    at = put_decimal(put_text(at, ","), n);
    writer_end(&output->writer, put_text(at, ","));
}

/* Writes what follows a branch's two places: its facts, the empty columns of records, and the counts of LBR entries. */
static void end_branch(struct csv_output *output, const struct lbr_entry *entry)
{
    char *at = writer_room(&output->writer, sizeof output->commas + 128);

    at = put_text(at, !(entry->has & LBR_HAS_MISPRED) ? ",," : entry->mispredicted ? ",M," : ",P,");
    if (entry->has & LBR_HAS_CYCLES)
        at = put_decimal(at, entry->cycles);
    at = put_text(put_text(at, output->commas), ",,");
    for (unsigned i = 0; entry->has & LBR_HAS_EVENTS && i < LBR_COUNTERS; i++)
        at = put_decimal(at, entry->events[i]);
    writer_end(&output->writer, put_text(at, "\n"));
}

static void on_test(void *context, const char *id)
{
    struct csv_output *output = context;

    char name[TEST_MOST + 1];

    snprintf(name, sizeof name, "%s", id);
    *put_text(put_field(output->test, name), ",") = '\0';
    output->sampled.count = 0;
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct csv_output *output = context;
    const struct lbr_entry entry = { .has = record->prediction_valid ? LBR_HAS_MISPRED : 0,
                                     .mispredicted = !record->predicted };

    begin_row(output, "bts", cpu, n);
    writer_text(&output->writer, ",");
    put_place(output, record->from);
    writer_text(&output->writer, ",");
    put_place(output, record->to);
    end_branch(output, &entry);
}

static void put_entries(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n,
                        const struct lbr_entry *entries, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        begin_row(output, kind, cpu, n);
        writer_end(&output->writer, put_text(put_decimal(writer_room(&output->writer, 16), i), ","));
        put_place(output, entries[i].from);
        writer_text(&output->writer, ",");
        put_place(output, entries[i].to);
        end_branch(output, &entries[i]);
    }
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    unsigned count = stack->depth;

    while (count > 0 && stack->entries[count - 1].from == 0 && stack->entries[count - 1].to == 0)
        count--;
    put_entries(context, "lbr", cpu, n, stack->entries, count);
}

/* Writes ",VALUE", or only the comma if the record lacks the field. */
static void put_column(struct csv_output *output, const struct pebs_record *record, const struct pebs_field *field,
                       enum data_source_encoding encoding)
{
    char *at = writer_room(&output->writer, 256);

    *at++ = ',';
    if (field->print == PEBS_PRINT_SOURCE) {
        const struct data_source_words words = data_source_words(encoding, record->data_source);
        at = pebs_source_known(record, encoding)
                 ? at + sprintf(at, "%s,%s,%s,%s", words.level, words.snoop, words.tlb, words.lock)
                 : put_text(at, ",,,");
    } else if (pebs_has_field(record, field)) {
        at = field->print == PEBS_PRINT_DECIMAL || field->print == PEBS_PRINT_TICKS
                 ? put_decimal(at, pebs_value(record, field))
                 : put_hex(put_text(at, "0x"), pebs_value(record, field));
    }
    writer_end(&output->writer, at);
}

/* Writes the counters group as one column, "count0=0x1 fixed_count1=0x2", and an empty one. */
static void put_counts(struct csv_output *output, const struct pebs_record *record)
{
    char *at = put_text(writer_room(&output->writer, 48 * PEBS_COUNTS_MOST), ",");
    unsigned n = 0;

    for (uint64_t left = record->counted; left != 0; left &= left - 1) {
        at = put_counter_name(put_text(at, n > 0 ? " " : ""), (unsigned)__builtin_ctzll(left));
        at = put_hex(put_text(at, "=0x"), record->counts[n++]);
    }
    writer_end(&output->writer, put_text(at, ","));
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct csv_output *output = context;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);
    (void)bytes;
    begin_row(output, "pebs", cpu, n);
    writer_text(&output->writer, ",");
    put_place(output, record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip);
    writer_text(&output->writer, ",");
    if (record->has & PEBS_HAS_MEMORY)
        put_place(output, record->data_address);
    else
        writer_text(&output->writer, ",,");
    writer_text(&output->writer, ",,,");
    write_field(output, event != NULL ? event->name : sampled_event_unknown.name);
    for (unsigned i = 1; i <= output->column_count; i++)
        put_column(output, record, output->columns[i], encoding);
    put_counts(output, record);
    writer_text(&output->writer, "\n");
    put_entries(output, "pebs_lbr", cpu, n, record->lbr, record->lbr_count);
}

static bool on_end(void *context)
{
    struct csv_output *output = context;
    bool written = writer_close(&output->writer);

    free(output);
    return written;
}

static bool open_csv(const struct output_setup *setup, struct record_sink *sink)
{
    struct csv_output *output = calloc(1, sizeof(*output));

    if (output == NULL || !writer_open(&output->writer, "-")) {
        free(output);
        return false;
    }
    output->symbols = setup->symbols;
    strcpy(output->test, ",");
    put_head(output);
    *sink = (struct record_sink){ .context = output,
                                  .test = on_test,
                                  .sampling = sampled_events_announce,
                                  .bts = on_bts,
                                  .pebs = on_pebs,
                                  .lbr = on_lbr,
                                  .end = on_end };
    return true;
}

const struct output output_csv = { .name = "csv", .help = "a row for each record", .open = open_csv };
