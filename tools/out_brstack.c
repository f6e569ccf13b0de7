/* SPDX-License-Identifier: MIT */
/*
 * --brstack: each LBR stack, and that of each PEBS record that has one, on a line, the newest branch first, as
 * `perf script -F ip,brstack` prints them, or with the kernel's ELF `perf script -F ip,brstacksym`.
 */
#include <stdlib.h>

#include "tools/complain.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

struct brstack_output {
    struct writer writer;
    struct symbols *symbols;
};

static char *put_end(struct brstack_output *output, char *at, uint64_t address)
{
    const struct place *place = symbols_place(output->symbols, address);

    return place->name != NULL ? put_text(at, place->text) : put_hex(put_text(at, "0x"), address);
}

/* perf's name of a branch type. */
static const char *kind(const struct lbr_entry *entry)
{
    static const char *const words[] = { "COND", "IND", "UNCOND", "IND_CALL", "CALL", "RET" };

    return (entry->has & LBR_HAS_TYPE) && entry->type < sizeof(words) / sizeof(words[0]) ? words[entry->type] : "";
}

static void put_stack(struct brstack_output *output, uint64_t ip, const struct lbr_entry *entries, unsigned count)
{
    char *at = put_hex_blanks(writer_room(&output->writer, 64), ip);

    writer_end(&output->writer, at);
    while (count > 0 && entries[count - 1].from == 0 && entries[count - 1].to == 0)
        count--;
    for (unsigned i = 0; i < count; i++) {
        const struct lbr_entry *entry = &entries[i];
        bool tsx = (entry->has & LBR_HAS_TSX) != 0;
        at = put_text(writer_room(&output->writer, 512), " ");
        at = put_text(put_end(output, at, entry->from), "/");
        at = put_text(put_end(output, at, entry->to), "/");
        *at++ = !(entry->has & LBR_HAS_MISPRED) ? '-' : entry->mispredicted ? 'M' : 'P';
        at = put_text(at, tsx && entry->in_tsx ? "/X" : "/-");
        at = put_text(at, tsx && entry->tsx_abort ? "/A/" : "/-/");
        at = put_text(put_decimal(at, entry->has & LBR_HAS_CYCLES ? entry->cycles : 0), "/");
        at = put_text(at, kind(entry));
        writer_end(&output->writer, at);
    }
    writer_text(&output->writer, "\n");
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    (void)cpu;
    (void)n;
    (void)bytes;
    (void)encoding;
    if (record->has & PEBS_HAS_LBR)
        put_stack(context, record->has & PEBS_HAS_EVENTING_IP ? record->eventing_ip : record->ip, record->lbr,
                  record->lbr_count);
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    (void)cpu;
    (void)n;
    put_stack(context, stack->depth > 0 ? stack->entries[0].to : 0, stack->entries, stack->depth);
}

static bool on_end(void *context)
{
    struct brstack_output *output = context;
    bool written = writer_close(&output->writer);

    free(output);
    return written;
}

static bool open_brstack(const struct output_setup *setup, struct record_sink *sink)
{
    struct brstack_output *output = allocated(calloc(1, sizeof(*output)));

    if (!writer_open(&output->writer, "-")) {
        free(output);
        return false;
    }
    output->symbols = setup->symbols;
    *sink = (struct record_sink){ .context = output, .pebs = on_pebs, .lbr = on_lbr, .end = on_end };
    return true;
}

const struct output output_brstack = { .name = "brstack",
                                       .help = "LBR stacks as perf script -F brstack",
                                       .open = open_brstack };
