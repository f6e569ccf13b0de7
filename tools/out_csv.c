/* SPDX-License-Identifier: MIT */
/* --csv: a row for each record, and for each entry of an LBR stack; what a kind does not have is empty. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

struct csv_output {
    struct writer writer;
    struct symbols *symbols;
    struct sampled_events sampled;
    char test[256];
};

/* In quotes where it must be, as RFC 4180 has it. */
static void put_field(struct csv_output *output, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        writer_text(&output->writer, text);
        return;
    }
    writer_text(&output->writer, "\"");
    for (; *text != '\0'; text++)
        writer_bytes(&output->writer, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    writer_text(&output->writer, "\"");
}

/* "ADDRESS,symbol,file:line", with nothing behind the last. */
static void put_place(struct csv_output *output, uint64_t address)
{
    const char *file;
    unsigned line;

    writer_format(&output->writer, "0x%llx,", (unsigned long long)address);
    put_field(output, symbols_place(output->symbols, address)->text);
    writer_text(&output->writer, ",");
    if (symbols_line(output->symbols, address, &file, &line)) {
        put_field(output, strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file);
        writer_format(&output->writer, ":%u", line);
    }
}

static void begin_row(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n)
{
    writer_format(&output->writer, "%s,", kind);
    put_field(output, output->test);
    writer_format(&output->writer, ",%u,%llu,", cpu, (unsigned long long)n);
}

/* Behind the two places of a branch. */
static void put_branch_facts(struct csv_output *output, const struct lbr_entry *entry)
{
    writer_format(&output->writer, ",%s,", !(entry->has & LBR_HAS_MISPRED) ? "" : entry->mispredicted ? "M" : "P");
    if (entry->has & LBR_HAS_CYCLES)
        writer_format(&output->writer, "%u", entry->cycles);
}

#define PEBS_FIELDS_AFTER_CYCLES 25 /* event to r15 */

static void end_branch(struct csv_output *output)
{
    static const char commas[] = ",,,,,,,,,,,,,,,,,,,,,,,,,\n";

    writer_bytes(&output->writer, commas, PEBS_FIELDS_AFTER_CYCLES + 1);
}

static void on_test(void *context, const char *id)
{
    struct csv_output *output = context;

    strncpy(output->test, id, sizeof(output->test) - 1);
    output->sampled.count = 0;
}

static void on_pebs_event(void *context, const struct dump_pebs_event *event)
{
    struct csv_output *output = context;

    sampled_events_announce(&output->sampled, event);
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct csv_output *output = context;

    begin_row(output, "bts", cpu, n);
    writer_text(&output->writer, ",");
    put_place(output, record->from);
    writer_text(&output->writer, ",");
    put_place(output, record->to);
    put_branch_facts(output, &(struct lbr_entry){ .has = record->prediction_valid ? LBR_HAS_MISPRED : 0,
                                                  .mispredicted = !record->predicted });
    end_branch(output);
}

static void put_entries(struct csv_output *output, const char *kind, unsigned cpu, uint64_t n,
                        const struct lbr_entry *entries, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        begin_row(output, kind, cpu, n);
        writer_format(&output->writer, "%u,", i);
        put_place(output, entries[i].from);
        writer_text(&output->writer, ",");
        put_place(output, entries[i].to);
        put_branch_facts(output, &entries[i]);
        end_branch(output);
    }
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    unsigned count = stack->depth;

    while (count > 0 && stack->entries[count - 1].from == 0 && stack->entries[count - 1].to == 0)
        count--;
    put_entries(context, "lbr", cpu, n, stack->entries, count);
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct csv_output *output = context;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);
    bool memory = (record->has & PEBS_HAS_MEMORY) != 0;

    (void)bytes;
    begin_row(output, "pebs", cpu, n);
    writer_text(&output->writer, ",");
    put_place(output, record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip);
    writer_text(&output->writer, ",");
    if (memory)
        put_place(output, record->data_address);
    else
        writer_text(&output->writer, ",,");
    writer_text(&output->writer, ",,,");
    put_field(output, event != NULL ? event->name : sampled_event_unknown.name);
    writer_text(&output->writer, ",");
    if (record->has & PEBS_HAS_TSC)
        writer_format(&output->writer, "%llu", (unsigned long long)record->tsc);
    writer_text(&output->writer, ",");
    if (memory)
        writer_format(&output->writer, "%llu", (unsigned long long)record->latency);
    if (memory && (record->latency != 0 || encoding == DATA_SOURCE_STORE)) {
        struct data_source_words words = data_source_words(encoding, record->data_source);
        writer_format(&output->writer, ",%s,%s,%s,%s", words.level, words.snoop, words.tlb, words.lock);
    } else {
        writer_text(&output->writer, ",,,,");
    }
    if (record->has & PEBS_HAS_GPRS) {
        writer_format(&output->writer, ",0x%llx,0x%llx", (unsigned long long)record->ip,
                      (unsigned long long)record->rflags);
        for (unsigned i = 0; i < 16; i++)
            if (i < 8 || record->width == 8)
                writer_format(&output->writer, ",0x%llx", (unsigned long long)record->gpr[i]);
            else
                writer_text(&output->writer, ",");
    } else {
        writer_text(&output->writer, ",,,,,,,,,,,,,,,,,,");
    }
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

static bool open_csv(const struct output_setup *setup, struct event_sink *sink)
{
    struct csv_output *output = calloc(1, sizeof(*output));

    if (output == NULL || !writer_open(&output->writer, "-")) {
        free(output);
        return false;
    }
    output->symbols = setup->symbols;
    writer_text(&output->writer,
                "kind,test,cpu,record,entry,ip,ip_symbol,ip_line,address,address_symbol,address_line,predicted,cycles,"
                "event,tsc,latency,level,snoop,tlb,lock,register_ip,rflags,rax,rcx,rdx,rbx,rsp,rbp,rsi,rdi,r8,r9,r10,"
                "r11,r12,r13,r14,r15\n");
    *sink = (struct event_sink){ .context = output,
                                 .test = on_test,
                                 .pebs_event = on_pebs_event,
                                 .bts = on_bts,
                                 .pebs = on_pebs,
                                 .lbr = on_lbr,
                                 .end = on_end };
    return true;
}

const struct output output_csv = { "csv", NULL, "a row for each record", open_csv };
