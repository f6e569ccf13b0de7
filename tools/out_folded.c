/* SPDX-License-Identifier: MIT */
/*
 * --folded: call stacks for flame graph programs, "test;caller;callee COUNT". BTS records count as
 * branches in the function on top; the kernel's code at the branch shows calls and returns. An LBR
 * stack counts once, where it ends.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/call_stack.h"
#include "tools/complain.h"
#include "tools/output.h"
#include "tools/writer.h"

struct folded_output {
    struct writer writer;
    struct call_stack stack;
};

static void on_test(void *context, const char *id)
{
    struct folded_output *output = context;

    call_stack_begin(&output->stack, id);
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct folded_output *output = context;

    (void)call_stack_follow(&output->stack, cpu, n, record->from, record->to);
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    struct folded_output *output = context;

    (void)cpu;
    (void)n;
    call_stack_snapshot(&output->stack, stack->entries, stack->depth);
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct folded_output *output = context;

    (void)cpu;
    (void)n;
    (void)bytes;
    (void)encoding;
    call_stack_snapshot(&output->stack, record->lbr, record->lbr_count);
}

static bool on_end(void *context)
{
    struct folded_output *output = context;
    const struct call_node *nodes = output->stack.nodes;

    for (uint32_t i = 1; i < output->stack.count; i++) {
        uint32_t path[CALL_STACK_MOST + 2], depth = 0;
        if (nodes[i].self == 0)
            continue;
        for (uint32_t at = i; at != 0; at = nodes[at].parent)
            path[depth++] = at;
        while (depth-- > 0)
            writer_format(&output->writer, "%s%s", nodes[path[depth]].name, depth > 0 ? ";" : "");
        writer_format(&output->writer, " %llu\n", (unsigned long long)nodes[i].self);
    }
    bool written = writer_close(&output->writer);
    call_stack_free(&output->stack);
    free(output);
    return written;
}

static bool open_folded(const struct output_setup *setup, struct record_sink *sink)
{
    struct folded_output *output = allocated(calloc(1, sizeof(*output)));

    if (setup->symbols == NULL) {
        complain("--folded", "needs --elf FILE, the kernel's ELF, to distinguish calls from jumps");
        free(output);
        return false;
    }
    call_stack_init(&output->stack, setup->symbols);
    if (!writer_open(&output->writer, "-")) {
        free(output);
        return false;
    }
    *sink = (struct record_sink){
        .context = output, .test = on_test, .bts = on_bts, .pebs = on_pebs, .lbr = on_lbr, .end = on_end
    };
    return true;
}

const struct output output_folded = { .name = "folded",
                                      .help = "stacks of calls for flame graphs",
                                      .open = open_folded };
