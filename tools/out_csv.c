/* SPDX-License-Identifier: MIT */
/* --csv: a row for each record and for each entry of an LBR stack; columns that a kind lacks are empty. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/report/record_text.h"
#include "tools/branch_texts.h"
#include "tools/complain.h"
#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

#define COLUMNS_MOST 64u
#define TEST_MOST    255u  /* characters of a test's name; the rest is cut */
#define ROW_MOST     8192u /* characters of a row of a branch, or of a record without its event's name */

/* A column, and the text of a value that occurs again: most registers are as in the record before. */
struct column {
    const struct pebs_field *field;
    uint64_t value;
    enum data_source_encoding encoding;
    unsigned length; /* 0: no text yet */
    char text[96];   /* ",VALUE" */
};

struct csv_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    char test[2 * TEST_MOST + 4]; /* as a field, with the comma after it */
    const char *row_kind;         /* kind, processor and first of the ten records that have `row`; kind NULL: none */
    unsigned row_cpu;
    uint64_t row_from;
    size_t row_length;
    char row[2 * TEST_MOST + 64];        /* "KIND,TEST,CPU,RECORD" without the number's last digit */
    struct column columns[COLUMNS_MOST]; /* after the event, from 1 */
    unsigned column_count;
    char commas[4 * COLUMNS_MOST]; /* commas of a row that ends before the event */
    struct branch_texts branches;  /* from a branch's addresses on */
};

static void put_head(struct csv_output *output)
{
    char *comma = output->commas;

    for (const struct pebs_field *field = pebs_fields; field->name; field++)
        if (field->column != 0) {
            output->columns[field->column].field = field;
            output->column_count++;
        }
    writer_text(&output->writer,
                "kind,test,cpu,record,entry,ip,ip_symbol,ip_line,address,address_symbol,address_line,predicted,cycles,"
                "event");
    *comma++ = ',';
    for (unsigned i = 1; i <= output->column_count; i++) {
        const struct pebs_field *field = output->columns[i].field;
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

/* Puts "ADDRESS,symbol,file:line", without a comma after it. */
static char *put_place(struct csv_output *output, char *at, uint64_t address)
{
    const char *file;
    unsigned line;

    at = put_hex(put_text(at, "0x"), address);
    if (output->symbols == NULL)
        return put_text(at, ",,");
    at = put_text(put_field(put_text(at, ","), symbols_place(output->symbols, address)->text), ",");
    if (symbols_line(output->symbols, address, &file, &line) && strlen(file) <= NAME_MAX) /* else no such file exists */
        at = put_decimal(put_text(put_field(at, file), ":"), line);
    return at;
}

/* Makes the beginning of the rows of ten records. */
static void make_row(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n)
{
    char *end = put_text(put_text(put_text(output->row, kind), ","), output->test);

    end = put_text(put_decimal(end, cpu), ",");
    output->row_length = (size_t)((n < 10 ? end : put_decimal(end, n / 10)) - output->row);
    output->row_kind = kind;
    output->row_cpu = cpu;
    output->row_from = n - n % 10;
}

/* Begins a row, for which there is room for ROW_MOST characters. */
static inline char *begin_row(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n)
{
    char *at = writer_room(&output->writer, ROW_MOST);

    if (output->row_kind != kind || output->row_cpu != cpu || n - output->row_from >= 10)
        make_row(output, kind, cpu, n);
    at = put_copy(at, output->row, output->row_length, 48, sizeof output->row);
    at[0] = (char)('0' + (n - output->row_from));
    at[1] = ',';
    return at + 2;
}

/* Puts a branch's places and facts, the empty columns of records, and the counts of LBR entries. */
static char *put_branch(struct csv_output *output, char *at, const struct lbr_entry *entry)
{
    at = put_text(put_place(output, at, entry->from), ",");
    at = put_place(output, at, entry->to);
    at = put_text(at, !(entry->has & LBR_HAS_MISPRED) ? ",," : entry->mispredicted ? ",M," : ",P,");
    if (entry->has & LBR_HAS_CYCLES)
        at = put_decimal(at, entry->cycles);
    at = put_text(put_text(at, output->commas), ",,");
    for (unsigned i = 0; entry->has & LBR_HAS_EVENTS && i < LBR_COUNTERS; i++)
        at = put_decimal(at, entry->events[i]);
    return put_text(at, "\n");
}

/* The ELF may not belong to the next boot. */
static void on_machine(void *context, const struct dump_machine *machine)
{
    struct csv_output *output = context;

    (void)machine;
    if (output->symbols != NULL)
        branch_texts_forget(&output->branches);
}

static void on_test(void *context, const char *id)
{
    struct csv_output *output = context;

    char name[TEST_MOST + 1];

    snprintf(name, sizeof name, "%s", id);
    *put_text(put_field(output->test, name), ",") = '\0';
    output->row_kind = NULL;
    output->sampled.count = 0;
}

/* Puts a branch, and ends the row. */
static void end_branch(struct csv_output *output, char *at, const struct lbr_entry *entry)
{
    const uint64_t facts = entry->has | (uint64_t)entry->mispredicted << 32 | (uint64_t)entry->cycles << 40;
    char *end = branch_texts_put(&output->branches, at, entry->from, entry->to, facts);

    if (end == NULL) {
        end = put_branch(output, at, entry);
        if (!(entry->has & LBR_HAS_EVENTS))
            branch_texts_keep(&output->branches, at, end, entry->from, entry->to, facts);
    }
    writer_end(&output->writer, end);
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct csv_output *output = context;
    const struct lbr_entry entry = { .from = record->from,
                                     .to = record->to,
                                     .has = record->prediction_valid ? LBR_HAS_MISPRED : 0,
                                     .mispredicted = !record->predicted };

    end_branch(output, put_text(begin_row(output, "bts", cpu, n), ","), &entry);
}

static void put_entries(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n,
                        const struct lbr_entry *entries, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        end_branch(output, put_text(put_decimal(begin_row(output, kind, cpu, n), i), ","), &entries[i]);
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    unsigned count = stack->depth;

    while (count > 0 && stack->entries[count - 1].from == 0 && stack->entries[count - 1].to == 0)
        count--;
    put_entries(context, "lbr", cpu, n, stack->entries, count);
}

static char *put_value(char *at, enum pebs_print print, uint64_t value, enum data_source_encoding encoding)
{
    if (print == PEBS_PRINT_SOURCE) {
        const struct data_source_words words = data_source_words(encoding, value);
        return at + sprintf(at, ",%s,%s,%s,%s", words.level, words.snoop, words.tlb, words.lock);
    }
    return print == PEBS_PRINT_DECIMAL || print == PEBS_PRINT_TICKS ? put_decimal(put_text(at, ","), value)
                                                                    : put_hex(put_text(at, ",0x"), value);
}

/* Puts ",VALUE", or only the commas if the record lacks the field. */
static char *put_column(char *at, const struct pebs_record *record, struct column *column,
                        enum data_source_encoding encoding)
{
    const enum pebs_print print = column->field->print;
    const bool source = print == PEBS_PRINT_SOURCE;
    const uint64_t value = pebs_value(record, column->field);

    if (!pebs_has_field(record, column->field) || (source && !pebs_source_known(record, encoding)))
        return put_text(at, source ? ",,,," : ",");
    if (column->value != value || column->encoding != encoding) {
        column->value = value;
        column->encoding = encoding;
        column->length = 0;
        return put_value(at, print, value, encoding);
    }
    if (column->length == 0)
        column->length = (unsigned)(put_value(column->text, print, value, encoding) - column->text);
    return put_copy(at, column->text, column->length, 24, sizeof column->text);
}

/* Puts the counters group as one column, "count0=0x1 fixed_count1=0x2", and an empty one. */
static char *put_counts(char *at, const struct pebs_record *record)
{
    unsigned n = 0;

    at = put_text(at, ",");
    for (uint64_t left = record->counted; left != 0; left &= left - 1) {
        at = put_counter_name(put_text(at, n > 0 ? " " : ""), (unsigned)__builtin_ctzll(left));
        at = put_hex(put_text(at, "=0x"), record->counts[n++]);
    }
    return put_text(at, ",");
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct csv_output *output = context;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);
    char *at = begin_row(output, "pebs", cpu, n);
    (void)bytes;
    *at++ = ',';
    at = put_place(output, at, pebs_sampled_ip(record));
    *at++ = ',';
    at = record->has & PEBS_HAS_MEMORY ? put_place(output, at, record->data_address) : put_text(at, ",,");
    at = put_field(put_text(at, ",,,"), event != NULL ? event->name : sampled_event_unknown.name);
    for (unsigned i = 1; i <= output->column_count; i++)
        at = put_column(at, record, &output->columns[i], encoding);
    at = put_text(put_counts(at, record), "\n");
    writer_end(&output->writer, at);
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
    struct csv_output *output = allocated(calloc(1, sizeof(*output)));

    if (!writer_open(&output->writer, "-")) {
        free(output);
        return false;
    }
    output->symbols = setup->symbols;
    strcpy(output->test, ",");
    put_head(output);
    *sink = (struct record_sink){ .context = output,
                                  .machine = on_machine,
                                  .test = on_test,
                                  .sampling = sampled_events_announce,
                                  .bts = on_bts,
                                  .pebs = on_pebs,
                                  .lbr = on_lbr,
                                  .end = on_end };
    return true;
}

const struct output output_csv = { .name = "csv", .help = "a row for each record", .open = open_csv };
