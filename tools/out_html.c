/* SPDX-License-Identifier: MIT */
/*
 * --html: a page that shows everything in a log: the machine, the verdicts, the measurements, where the samples are,
 * and calls as a flame graph and a timeline. The page (tools/html/) contains the data as JSON and draws them itself.
 * Everything from the log goes through writer_json(), and is shown as text. The amount of data is bounded,
 * so that even a log of many gigabytes gives a page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/report/record_text.h"
#include "lib/text.h"
#include "tools/call_stack.h"
#include "tools/complain.h"
#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

#define LINES_MOST     20000u /* lines of the log in the page */
#define TESTS_MOST     1024u
#define SITES_MOST     512u /* addresses of samples */
#define COUNTS_MOST    512u /* counters by test */
#define TIMELINES_MOST 48u
#define BRANCHES_MOST  2000u /* branches in a timeline */
#define FLAME_MOST     4000u /* frames of the flame graph */
#define FLAME_PART     2000u /* if there are too many frames, those below this fraction of the total are left out */

extern const char html_page[], html_style[], html_script[];

struct test_count {
    char id[96];
    uint64_t bts, pebs, lbr;
    uint64_t entries, logged[LBR_COUNTERS]; /* LBR entries that count events, and the sums of their counts */
};

/* A counter in the records of a test. */
struct count {
    const struct test_count *test;
    unsigned bit; /* as in pebs_record.counted */
    uint64_t records, first, last;
};

struct site {
    char event[64];
    const char *symbol, *file;
    unsigned line;
    uint64_t count;
};

struct slice {
    const char *name;
    unsigned depth;
    uint32_t from, to; /* branches */
};

struct timeline {
    char test[96];
    unsigned cpu;
    uint32_t length; /* branches */
    bool cut;
    struct slice *slices; /* at most 2 * BRANCHES_MOST + CALL_STACK_MOST, in the order of their ends */
    uint32_t count;
};

struct html_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    struct call_stack stack;
    char *lines[LINES_MOST];
    unsigned line_count;
    bool in_tests; /* the test plan has been seen; lines before it describe the machine */
    struct test_count tests[TESTS_MOST];
    unsigned test_count;
    struct test_count rest, *test; /* tests beyond the table; the current test */
    struct site sites[SITES_MOST];
    unsigned site_count;
    struct count counts[COUNTS_MOST];
    unsigned count_count;
    uint64_t lost_bts, lost_pebs, lost_lbr;
    struct timeline timelines[TIMELINES_MOST];
    unsigned timeline_count;
    struct timeline *now; /* NULL: the current test's branches are not kept */
    bool test_is_new;
    unsigned open;
    struct slice open_slices[CALL_STACK_MOST];
};

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static bool wanted(struct html_output *output, const char *text)
{
    static const char *const kinds[] = { "ok ", "not ok ", "measure ", "end dstest86 ", "error", "panic", "wrong" };

    if (text_begins(text, "begin dstest86 ")) {
        output->in_tests = false;
        return true;
    }
    if (text_begins(text, "1..") || text_begins(text, "KTAP ")) {
        output->in_tests = true;
        return false;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (text_begins(text, kinds[i]))
            return true;
    return !output->in_tests && output->line_count > 0; /* firmware's output before the first line is ignored */
}

static void on_line(void *context, const char *text)
{
    struct html_output *output = context;

    if (wanted(output, text) && output->line_count < LINES_MOST)
        output->lines[output->line_count++] = allocated(strdup(text));
}

static void close_slices(struct html_output *output, unsigned count)
{
    for (; count > 0 && output->open > 0; count--) {
        struct slice *slice = &output->open_slices[--output->open];
        slice->to = output->now->length;
        if (slice->to > slice->from)
            output->now->slices[output->now->count++] = *slice;
    }
}

static void end_timeline(struct html_output *output)
{
    if (output->now != NULL)
        close_slices(output, output->open);
    output->now = NULL;
}

static void on_machine(void *context, const struct dump_machine *machine)
{
    struct html_output *output = context;

    (void)machine;
    end_timeline(output);
    output->sampled.count = 0;
}

static void on_test(void *context, const char *id)
{
    struct html_output *output = context;

    end_timeline(output);
    output->test_is_new = true;
    output->sampled.count = 0;
    call_stack_begin(&output->stack, id);
    output->test = output->test_count < TESTS_MOST ? &output->tests[output->test_count++] : &output->rest;
    snprintf(output->test->id, sizeof(output->test->id), "%s", id);
}

static void begin_timeline(struct html_output *output, unsigned cpu)
{
    struct timeline *timeline = &output->timelines[output->timeline_count];

    output->test_is_new = false;
    if (output->timeline_count == TIMELINES_MOST)
        return;
    timeline->slices = allocated(calloc(2 * BRANCHES_MOST + CALL_STACK_MOST, sizeof(struct slice)));
    snprintf(timeline->test, sizeof(timeline->test), "%s", output->test->id);
    timeline->cpu = cpu;
    output->now = timeline;
    output->open = 0;
    output->timeline_count++;
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct html_output *output = context;

    output->test->bts++;
    if (output->test_is_new)
        begin_timeline(output, cpu);
    struct call_change change = call_stack_follow(&output->stack, cpu, n, record->from, record->to);
    struct timeline *timeline = output->now;
    if (timeline == NULL)
        return;
    if (timeline->cpu != cpu || timeline->length == BRANCHES_MOST) {
        timeline->cut = timeline->length == BRANCHES_MOST;
        end_timeline(output);
        return;
    }
    timeline->length++;
    close_slices(output, change.left);
    for (unsigned i = output->stack.depth - change.entered; i < output->stack.depth; i++) {
        bool first = i == 0 && change.left == 0; /* the slice starts with the branch */
        output->open_slices[output->open++] =
            (struct slice){ call_stack_name(&output->stack, i), i, timeline->length - first, 0 };
    }
}

static void add_entries(struct html_output *output, const struct lbr_entry *entries, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!(entries[i].has & LBR_HAS_EVENTS))
            continue;
        output->test->entries++;
        for (unsigned counter = 0; counter < LBR_COUNTERS; counter++)
            output->test->logged[counter] += entries[i].events[counter];
    }
}

static void add_count(struct html_output *output, unsigned bit, uint64_t value)
{
    unsigned i = 0;

    while (i < output->count_count && (output->counts[i].test != output->test || output->counts[i].bit != bit))
        i++;
    if (i == COUNTS_MOST)
        return;
    if (i == output->count_count)
        output->counts[output->count_count++] = (struct count){ output->test, bit, 0, value, value };
    output->counts[i].records++;
    output->counts[i].last = value;
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    struct html_output *output = context;

    (void)cpu;
    (void)n;
    output->test->lbr++;
    add_entries(output, stack->entries, stack->depth);
}

static void add_site(struct html_output *output, const char *event, uint64_t ip)
{
    const struct place *place = symbols_place(output->symbols, ip);
    const char *symbol = place->name != NULL ? place->name : "[unknown]", *file = "";
    unsigned line = 0, i = 0;

    (void)symbols_line(output->symbols, ip, &file, &line);
    while (i < output->site_count && (output->sites[i].symbol != symbol || output->sites[i].line != line ||
                                      strcmp(output->sites[i].event, event) != 0))
        i++;
    if (i == SITES_MOST)
        return;
    struct site *site = &output->sites[i];
    if (i == output->site_count) {
        output->site_count++;
        *site = (struct site){ .symbol = symbol, .file = file, .line = line };
        snprintf(site->event, sizeof(site->event), "%s", event);
    }
    site->count++;
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct html_output *output = context;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);
    uint64_t ip = pebs_sampled_ip(record);
    unsigned counted = 0;

    (void)n;
    (void)bytes;
    (void)encoding;
    output->test->pebs++;
    add_entries(output, record->lbr, record->lbr_count);
    for (uint64_t left = record->counted; left != 0; left &= left - 1)
        add_count(output, (unsigned)__builtin_ctzll(left), record->counts[counted++]);
    if (event == NULL)
        add_site(output, sampled_event_unknown.name, ip);
    for (; event != NULL; event = sampled_events_of(&output->sampled, cpu, record, event))
        add_site(output, event->name, ip);
}

static void on_lost(void *context, const char *kind, uint64_t records)
{
    struct html_output *output = context;

    *(kind[0] == 'b' ? &output->lost_bts : kind[0] == 'p' ? &output->lost_pebs : &output->lost_lbr) += records;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* The distinct names of frames; the data refer to them by number. */
struct names {
    const char **list;
    unsigned count, room;
};

static unsigned name_number(struct names *names, const char *name)
{
    for (unsigned i = 0; i < names->count; i++)
        if (names->list[i] == name || strcmp(names->list[i], name) == 0)
            return i;
    if (names->count == names->room) {
        names->room = names->room == 0 ? 256 : 2 * names->room;
        names->list = allocated(realloc(names->list, names->room * sizeof(*names->list)));
    }
    names->list[names->count] = name;
    return names->count++;
}

static void put_lines(struct html_output *output)
{
    for (unsigned i = 0; i < output->line_count; i++) {
        writer_text(&output->writer, i > 0 ? ",\n" : "\n");
        writer_json(&output->writer, output->lines[i]);
    }
}

static void put_records(struct html_output *output)
{
    bool first = true;

    for (unsigned i = 0; i < output->test_count; i++) {
        const struct test_count *test = &output->tests[i];
        if (test->bts + test->pebs + test->lbr == 0)
            continue;
        writer_text(&output->writer, first ? "\n{\"test\":" : ",\n{\"test\":");
        writer_json(&output->writer, test->id);
        writer_format(&output->writer, ",\"bts\":%llu,\"pebs\":%llu,\"lbr\":%llu}", (unsigned long long)test->bts,
                      (unsigned long long)test->pebs, (unsigned long long)test->lbr);
        first = false;
    }
}

static int by_event_and_count(const void *left, const void *right)
{
    const struct site *a = left, *b = right;
    int order = strcmp(a->event, b->event);

    return order != 0 ? order : (a->count < b->count) - (a->count > b->count);
}

static void put_sites(struct html_output *output)
{
    char line[300];

    qsort(output->sites, output->site_count, sizeof(output->sites[0]), by_event_and_count);
    for (unsigned i = 0; i < output->site_count; i++) {
        const struct site *site = &output->sites[i];
        writer_text(&output->writer, i > 0 ? ",\n{\"event\":" : "\n{\"event\":");
        writer_json(&output->writer, site->event);
        writer_text(&output->writer, ",\"symbol\":");
        writer_json(&output->writer, site->symbol);
        writer_text(&output->writer, ",\"line\":");
        snprintf(line, sizeof(line), "%s:%u", site->file, site->line);
        writer_json(&output->writer, site->line > 0 ? line : "");
        writer_format(&output->writer, ",\"count\":%llu}", (unsigned long long)site->count);
    }
}

/* Writes the counters in records by test, then what LBR entries count. */
static void put_counts(struct html_output *output)
{
    bool first = true;

    for (unsigned i = 0; i < output->count_count; i++) {
        const struct count *count = &output->counts[i];
        char name[24];
        *put_counter_name(name, count->bit) = '\0';
        writer_text(&output->writer, i > 0 ? ",\n{\"test\":" : "\n{\"test\":");
        writer_json(&output->writer, count->test->id);
        writer_format(&output->writer, ",\"counter\":\"%s\",\"records\":%llu,\"first\":%llu,\"last\":%llu}", name,
                      (unsigned long long)count->records, (unsigned long long)count->first,
                      (unsigned long long)count->last);
    }
    writer_text(&output->writer, "],\n\"logged\":[");
    for (unsigned i = 0; i < output->test_count; i++) {
        const struct test_count *test = &output->tests[i];
        if (test->entries == 0)
            continue;
        writer_text(&output->writer, first ? "\n{\"test\":" : ",\n{\"test\":");
        writer_json(&output->writer, test->id);
        writer_format(&output->writer, ",\"entries\":%llu,\"counts\":[", (unsigned long long)test->entries);
        for (unsigned counter = 0; counter < LBR_COUNTERS; counter++)
            writer_format(&output->writer, "%s%llu", counter > 0 ? "," : "", (unsigned long long)test->logged[counter]);
        writer_text(&output->writer, "]}");
        first = false;
    }
}

/*
 * Writes [name, parent, self] of each frame, parents first. If there are too many, small ones count for their parents.
 */
static void put_flame(struct html_output *output, struct names *names)
{
    const struct call_node *nodes = output->stack.nodes;
    uint32_t count = output->stack.count, placed = 0;
    uint64_t *totals = allocated(calloc(count, sizeof(*totals)));
    uint64_t *selves = allocated(calloc(count, sizeof(*selves)));
    uint32_t *numbers = allocated(calloc(count, sizeof(*numbers)));

    for (uint32_t i = 0; i < count; i++)
        totals[i] = selves[i] = nodes[i].self;
    for (uint32_t i = count; --i > 0;) /* children follow their parents */
        totals[nodes[i].parent] += totals[i];
    uint64_t least = count > FLAME_MOST ? totals[0] / FLAME_PART : 0;
    for (uint32_t i = count; --i > 0;)
        if (totals[i] < least)
            selves[nodes[i].parent] += selves[i];
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || (totals[i] >= least && totals[i] > 0)) {
            numbers[i] = placed++;
            writer_format(&output->writer, "%s[%u,%u,%llu]", i > 0 ? "," : "", name_number(names, nodes[i].name),
                          numbers[nodes[i].parent], (unsigned long long)selves[i]);
        }
    free(totals);
    free(selves);
    free(numbers);
}

static void put_timelines(struct html_output *output, struct names *names)
{
    bool first = true;

    for (unsigned i = 0; i < output->timeline_count; i++) {
        if (output->timelines[i].count == 0)
            continue;
        const struct timeline *timeline = &output->timelines[i];
        writer_text(&output->writer, first ? "\n{\"test\":" : ",\n{\"test\":");
        first = false;
        writer_json(&output->writer, timeline->test);
        writer_format(&output->writer, ",\"cpu\":%u,\"length\":%u,\"cut\":%s,\"slices\":[", timeline->cpu,
                      timeline->length, timeline->cut ? "true" : "false");
        for (unsigned j = 0; j < timeline->count; j++)
            writer_format(&output->writer, "%s[%u,%u,%u,%u]", j > 0 ? "," : "",
                          name_number(names, timeline->slices[j].name), timeline->slices[j].depth,
                          timeline->slices[j].from, timeline->slices[j].to);
        writer_text(&output->writer, "]}");
    }
}

static void put_data(struct html_output *output)
{
    struct names names = { 0 };

    writer_text(&output->writer, "{\"lines\":[");
    put_lines(output);
    writer_text(&output->writer, "],\n\"records\":[");
    put_records(output);
    writer_format(&output->writer, "],\n\"lost\":{\"bts\":%llu,\"pebs\":%llu,\"lbr\":%llu},\n\"samples\":[",
                  (unsigned long long)output->lost_bts, (unsigned long long)output->lost_pebs,
                  (unsigned long long)output->lost_lbr);
    put_sites(output);
    writer_text(&output->writer, "],\n\"counts\":[");
    put_counts(output);
    writer_text(&output->writer, "],\n\"flame\":[");
    put_flame(output, &names);
    writer_text(&output->writer, "],\n\"timelines\":[");
    put_timelines(output, &names);
    writer_text(&output->writer, "],\n\"names\":[");
    for (unsigned i = 0; i < names.count; i++) {
        writer_text(&output->writer, i > 0 ? "," : "");
        writer_json(&output->writer, names.list[i]);
    }
    writer_text(&output->writer, "]}");
    free(names.list);
}

/* Writes the page's text up to a mark, which is skipped, or to its end if there is no mark. */
static const char *put_until(struct html_output *output, const char *page, const char *mark)
{
    const char *end = strstr(page, mark);

    writer_bytes(&output->writer, page, end != NULL ? (size_t)(end - page) : strlen(page));
    return end != NULL ? end + strlen(mark) : "";
}

static bool on_end(void *context)
{
    struct html_output *output = context;
    const char *page = html_page;

    end_timeline(output);
    page = put_until(output, page, "@style@");
    writer_text(&output->writer, html_style);
    page = put_until(output, page, "@data@");
    put_data(output);
    page = put_until(output, page, "@script@");
    writer_text(&output->writer, html_script);
    writer_text(&output->writer, page);
    bool written = writer_close(&output->writer);

    for (unsigned i = 0; i < output->line_count; i++)
        free(output->lines[i]);
    for (unsigned i = 0; i < output->timeline_count; i++)
        free(output->timelines[i].slices);
    call_stack_free(&output->stack);
    free(output);
    return written;
}

static bool open_html(const struct output_setup *setup, struct record_sink *sink)
{
    struct html_output *output = allocated(calloc(1, sizeof(*output)));

    call_stack_init(&output->stack, setup->symbols);
    if (!writer_open(&output->writer, setup->file)) {
        call_stack_free(&output->stack);
        free(output);
        return false;
    }
    output->test = &output->rest;
    output->symbols = setup->symbols;
    *sink = (struct record_sink){ .context = output,
                                  .machine = on_machine,
                                  .test = on_test,
                                  .sampling = sampled_events_announce,
                                  .bts = on_bts,
                                  .pebs = on_pebs,
                                  .lbr = on_lbr,
                                  .lost = on_lost,
                                  .line = on_line,
                                  .end = on_end };
    return true;
}

static bool wrote(int file)
{
    static const char mark[] = "<meta name=\"generator\" content=\"dsdump\">";
    char head[512];
    const ssize_t length = pread(file, head, sizeof(head), 0);

    return length > 0 && memmem(head, (size_t)length, mark, sizeof(mark) - 1) != NULL;
}

const struct output output_html = { .name = "html",
                                    .argument = "FILE",
                                    .help = "a page that shows all of the log",
                                    .open = open_html,
                                    .wrote = wrote,
                                    .lines = true };
