/* SPDX-License-Identifier: MIT */
/* --text: the kernel's own lines, made by the same code. */
#include "kernel/report/record_text.h"
#include "tools/output.h"
#include "tools/text_out.h"

static void bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    (void)context;
    (void)cpu;
    bts_text(&text_out_notes, n, record, text_out_symbols);
}

static void pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding)
{
    (void)context;
    (void)cpu;
    (void)bytes;
    pebs_text(&text_out_notes, n, record, encoding, text_out_symbols);
}

static void lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    (void)context;
    (void)cpu;
    (void)n;
    lbr_stack_text(&text_out_notes, stack->shifts, stack->tos, stack->depth, stack->entries, text_out_symbols);
}

static bool open(const struct output_setup *setup, struct record_sink *sink)
{
    text_out_open(setup, sink);
    sink->bts = bts;
    sink->pebs = pebs;
    sink->lbr = lbr;
    return true;
}

const struct output output_text = { .name = "text", .help = "the kernel's own lines (default)", .open = open };
