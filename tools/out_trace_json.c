/* SPDX-License-Identifier: MIT */
/*
 * --trace-json: a timeline in the Trace Event Format, for Perfetto and Chromium's tracing page. Process 1 has
 * the branches of BTS, a thread for each processor: slices are calls, and the number of branches replaces the time that
 * the records lack. Process 2 has the samples of PEBS that have a TSC; a tick counts as a nanosecond.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/report/record_text.h"
#include "tools/call_stack.h"
#include "tools/complain.h"
#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

struct trace_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    struct call_stack stack;
    char test[256];
    bool in_test;  /* the test's slice is open */
    unsigned cpu;  /* processor of the open slices */
    unsigned open; /* number of open slices without the test's */
    uint64_t now;  /* branches */
    uint64_t tsc;  /* the first time stamp */
    uint64_t events;
};

static void begin_event(struct trace_output *output, const char *phase, unsigned process, unsigned cpu)
{
    writer_format(&output->writer, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", output->events++ > 0 ? ",\n" : "", phase,
                  process, cpu);
}

static void put_key_text(struct trace_output *output, const char *key, const char *text)
{
    writer_format(&output->writer, ",\"%s\":", key);
    writer_json(&output->writer, text);
}

static void slice(struct trace_output *output, const char *phase, const char *name)
{
    begin_event(output, phase, 1, output->cpu);
    writer_format(&output->writer, ",\"ts\":%llu", (unsigned long long)output->now);
    if (name != NULL)
        put_key_text(output, "name", name);
    writer_text(&output->writer, "}");
}

static void leave(struct trace_output *output, unsigned count)
{
    for (; count > 0 && output->open > 0; count--, output->open--)
        slice(output, "E", NULL);
}

static void enter(struct trace_output *output, unsigned count)
{
    for (unsigned i = output->stack.depth - count; i < output->stack.depth; i++, output->open++)
        slice(output, "B", call_stack_name(&output->stack, i));
}

static void leave_all(struct trace_output *output)
{
    leave(output, output->open);
    if (output->in_test)
        slice(output, "E", NULL);
    output->in_test = false;
}

static void on_machine(void *context, const struct dump_machine *machine)
{
    struct trace_output *output = context;

    (void)machine;
    leave_all(output);
    output->sampled.count = 0;
}

static void on_test(void *context, const char *id)
{
    struct trace_output *output = context;

    leave_all(output);
    strncpy(output->test, id, sizeof(output->test) - 1);
    call_stack_begin(&output->stack, id);
    output->sampled.count = 0;
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct trace_output *output = context;

    if (!output->in_test || cpu != output->cpu) {
        leave_all(output);
        output->cpu = cpu;
        output->in_test = true;
        slice(output, "B", output->test);
    }
    struct call_change change = call_stack_follow(&output->stack, cpu, n, record->from, record->to);
    output->now++;
    leave(output, change.left);
    enter(output, change.entered);
}

/* The counters group, and the metrics. */
static void put_counts(struct trace_output *output, const struct pebs_record *record)
{
    unsigned n = 0;

    writer_text(&output->writer, ",\"counts\":{");
    for (uint64_t left = record->counted; left != 0; left &= left - 1) {
        char name[24];
        *put_counter_name(name, (unsigned)__builtin_ctzll(left)) = '\0';
        writer_format(&output->writer, "%s\"%s\":%llu", n > 0 ? "," : "", name, (unsigned long long)record->counts[n]);
        n++;
    }
    if (record->has & PEBS_HAS_METRICS)
        writer_format(&output->writer, "%s\"slots\":%llu,\"metrics\":\"0x%llx\"", n > 0 ? "," : "",
                      (unsigned long long)record->slots, (unsigned long long)record->metrics);
    writer_text(&output->writer, "}");
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct trace_output *output = context;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);

    (void)bytes;
    if (!(record->has & PEBS_HAS_TSC))
        return;
    if (output->tsc == 0)
        output->tsc = record->tsc;
    bool earlier = record->tsc < output->tsc; /* another processor's, or another boot's */
    uint64_t ticks = earlier ? output->tsc - record->tsc : record->tsc - output->tsc;
    uint64_t ip = pebs_sampled_ip(record);
    begin_event(output, "i", 2, cpu);
    writer_format(&output->writer, ",\"s\":\"t\",\"ts\":%s%llu.%03u", earlier ? "-" : "",
                  (unsigned long long)(ticks / 1000), (unsigned)(ticks % 1000));
    put_key_text(output, "name", event != NULL ? event->name : sampled_event_unknown.name);
    writer_text(&output->writer, ",\"args\":{\"test\":");
    writer_json(&output->writer, output->test);
    writer_format(&output->writer, ",\"record\":%llu,\"ip\":\"0x%llx\"", (unsigned long long)n, (unsigned long long)ip);
    put_key_text(output, "symbol", symbols_place(output->symbols, ip)->text);
    if (pebs_source_known(record, encoding)) {
        writer_format(&output->writer, ",\"address\":\"0x%llx\",\"latency\":%llu",
                      (unsigned long long)record->data_address, (unsigned long long)record->latency);
        put_key_text(output, "level", data_source_words(encoding, record->data_source).level);
    }
    if (record->has & PEBS_HAS_COUNTS)
        put_counts(output, record);
    writer_text(&output->writer, "}}");
}

static void name_process(struct trace_output *output, unsigned process, const char *name)
{
    begin_event(output, "M", process, 0);
    writer_text(&output->writer, ",\"name\":\"process_name\",\"args\":{\"name\":");
    writer_json(&output->writer, name);
    writer_text(&output->writer, "}}");
}

static bool on_end(void *context)
{
    struct trace_output *output = context;

    leave_all(output);
    name_process(output, 1, "BTS: calls; a microsecond is a branch");
    name_process(output, 2, "PEBS: samples; a nanosecond is a tick of the TSC");
    writer_text(&output->writer, "\n],\"displayTimeUnit\":\"ns\"}\n");
    bool written = writer_close(&output->writer);
    call_stack_free(&output->stack);
    free(output);
    return written;
}

static bool open_trace_json(const struct output_setup *setup, struct record_sink *sink)
{
    struct trace_output *output = allocated(calloc(1, sizeof(*output)));

    call_stack_init(&output->stack, setup->symbols);
    if (!writer_open(&output->writer, "-")) {
        free(output);
        return false;
    }
    output->symbols = setup->symbols;
    writer_text(&output->writer, "{\"traceEvents\":[\n");
    *sink = (struct record_sink){ .context = output,
                                  .machine = on_machine,
                                  .test = on_test,
                                  .sampling = sampled_events_announce,
                                  .bts = on_bts,
                                  .pebs = on_pebs,
                                  .end = on_end };
    return true;
}

const struct output output_trace_json = { .name = "trace-json",
                                          .help = "a timeline in the Trace Event Format",
                                          .open = open_trace_json };
