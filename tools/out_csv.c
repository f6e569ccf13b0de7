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
#define TEST_MOST    255u  /* characters of a test's name; the rest is cut */
#define ROW_MOST     8192u /* characters of a row of a branch, or of a record without its event's name */
#define BRANCHES     2048u

/* The text of a branch's row from its addresses on: loops repeat few branches millions of times. */
struct branch_text {
    uint64_t from, to, facts;
    uint32_t length; /* 0: unused */
    char text[228];
};

struct csv_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    char test[2 * TEST_MOST + 4]; /* as a field, with the comma after it */
    const char *row_kind;         /* kind and processor of `row`, NULL: none */
    unsigned row_cpu;
    size_t row_length;
    char row[2 * TEST_MOST + 64];                   /* "KIND,TEST,CPU," */
    const struct pebs_field *columns[COLUMNS_MOST]; /* columns after the event, from 1 */
    unsigned column_count;
    char commas[4 * COLUMNS_MOST]; /* commas of a row that ends before the event */
    struct branch_text branches[BRANCHES];
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

/* Copies a text of at most `most` characters, in a constant time if it has no more than `usual` ones. */
static inline char *put_copy(char *at, const char *text, size_t length, size_t usual, size_t most)
{
    if (length <= usual)
        memcpy(at, text, usual);
    else
        memcpy(at, text, most);
    return at + length;
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
    if (symbols_line(output->symbols, address, &file, &line)) {
        file = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
        if (strlen(file) <= NAME_MAX) /* else no such file exists */
            at = put_decimal(put_text(put_field(at, file), ":"), line);
    }
    return at;
}

/* Begins a row, "KIND,TEST,CPU,RECORD,", for which there is room for ROW_MOST characters. */
static char *begin_row(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n)
{
    char *at = writer_room(&output->writer, ROW_MOST);

    if (output->row_kind != kind || output->row_cpu != cpu) {
        char *end = put_text(put_text(put_text(output->row, kind), ","), output->test);
        output->row_length = (size_t)(put_text(put_decimal(end, cpu), ",") - output->row);
        output->row_kind = kind;
        output->row_cpu = cpu;
    }
    at = put_decimal(put_copy(at, output->row, output->row_length, 48, sizeof output->row), n);
    *at = ',';
    return at + 1;
}

/* Puts a branch's two places, its facts, the empty columns of records, and the counts of LBR entries, and ends the row.
 */
static void end_branch(struct csv_output *output, char *at, const struct lbr_entry *entry)
{
    const uint64_t facts = entry->has | (uint64_t)entry->mispredicted << 32 | (uint64_t)entry->cycles << 40;
    const uint64_t hash = (entry->from ^ entry->to << 16) * UINT64_C(0x9e3779b97f4a7c15);
    struct branch_text *known = &output->branches[hash / (UINT64_MAX / BRANCHES + 1)];
    char *start = at;

    if (known->length > 0 && known->from == entry->from && known->to == entry->to && known->facts == facts) {
        writer_end(&output->writer, put_copy(at, known->text, known->length, 96, sizeof known->text));
        return;
    }
    at = put_text(put_place(output, at, entry->from), ",");
    at = put_place(output, at, entry->to);
    at = put_text(at, !(entry->has & LBR_HAS_MISPRED) ? ",," : entry->mispredicted ? ",M," : ",P,");
    if (entry->has & LBR_HAS_CYCLES)
        at = put_decimal(at, entry->cycles);
    at = put_text(put_text(at, output->commas), ",,");
    for (unsigned i = 0; entry->has & LBR_HAS_EVENTS && i < LBR_COUNTERS; i++)
        at = put_decimal(at, entry->events[i]);
    *at++ = '\n';
    writer_end(&output->writer, at);
    if ((size_t)(at - start) > sizeof known->text || entry->has & LBR_HAS_EVENTS)
        return;
    *known = (struct branch_text){ entry->from, entry->to, facts, (uint32_t)(at - start), "" };
    memcpy(known->text, start, known->length);
}

/* The ELF may not belong to the next boot. */
static void on_machine(void *context, const struct dump_machine *machine)
{
    struct csv_output *output = context;

    (void)machine;
    for (unsigned i = 0; output->symbols != NULL && i < BRANCHES; i++)
        output->branches[i].length = 0;
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

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct csv_output *output = context;
    const struct lbr_entry entry = { .from = record->from,
                                     .to = record->to,
                                     .has = record->prediction_valid ? LBR_HAS_MISPRED : 0,
                                     .mispredicted = !record->predicted };
    char *at = begin_row(output, "bts", cpu, n);

    *at = ',';
    end_branch(output, at + 1, &entry);
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

/* Puts ",VALUE", or only the comma if the record lacks the field. */
static char *put_column(char *at, const struct pebs_record *record, const struct pebs_field *field,
                        enum data_source_encoding encoding)
{
    *at++ = ',';
    if (field->print == PEBS_PRINT_SOURCE) {
        const struct data_source_words words = data_source_words(encoding, record->data_source);
        return pebs_source_known(record, encoding)
                   ? at + sprintf(at, "%s,%s,%s,%s", words.level, words.snoop, words.tlb, words.lock)
                   : put_text(at, ",,,");
    }
    if (!pebs_has_field(record, field))
        return at;
    return field->print == PEBS_PRINT_DECIMAL || field->print == PEBS_PRINT_TICKS
               ? put_decimal(at, pebs_value(record, field))
               : put_hex(put_text(at, "0x"), pebs_value(record, field));
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
    at = put_place(output, at, record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip);
    *at++ = ',';
    at = record->has & PEBS_HAS_MEMORY ? put_place(output, at, record->data_address) : put_text(at, ",,");
    at = put_field(put_text(at, ",,,"), event != NULL ? event->name : sampled_event_unknown.name);
    for (unsigned i = 1; i <= output->column_count; i++)
        at = put_column(at, record, output->columns[i], encoding);
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
    struct csv_output *output = calloc(1, sizeof(*output));

    if (output == NULL || !writer_open(&output->writer, "-")) {
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
