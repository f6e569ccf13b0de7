/* SPDX-License-Identifier: MIT */
/* The kernel's own lines: the same code makes them. */
#include "report/record_text.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/text_out.h"

static struct symbolizer names;
static const struct symbolizer *symbols; /* NULL: not given */

static void test(void *context, const char *id)
{
    (void)context;
    say(&text_out_notes, "test %s", id);
}

static void bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    (void)context;
    (void)cpu;
    bts_text(&text_out_notes, n, record, symbols);
}

static void pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding)
{
    (void)context;
    (void)cpu;
    (void)bytes;
    pebs_text(&text_out_notes, n, record, encoding, symbols);
}

static void lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    (void)context;
    (void)cpu;
    (void)n;
    lbr_stack_text(&text_out_notes, stack->shifts, stack->tos, stack->depth, stack->entries, symbols);
}

static bool end(void *context)
{
    (void)context;
    return text_out_end();
}

static bool open(const struct output_setup *setup, struct event_sink *sink)
{
    if (setup->symbols)
        names = symbols_symbolizer(setup->symbols);
    symbols = setup->symbols ? &names : NULL;
    *sink = (struct event_sink){ .test = test, .bts = bts, .pebs = pebs, .lbr = lbr, .end = end };
    return true;
}

const struct output output_text = { "text", NULL, "the kernel's own lines (default)", open };
