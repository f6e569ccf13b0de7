/* SPDX-License-Identifier: MIT */
#include "tools/linux/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/report/record_text.h"
#include "lbr/lbr_layout.h"
#include "lib/dump/dump_write.h"
#include "pebs/layout/formats.h"
#include "version.h"

#define PRINTED           3u          /* records of a kind in a test */
#define PERF_EFLAGS_EXACT UINT64_C(8) /* of Linux, in an unused bit: asm/perf_event.h */

static struct dump_writer writer;
static bool dumping;

static void print_line(void *context, const char *text)
{
    (void)context;
    printf("# %s\n", text);
}
const struct line_sink output_lines = { print_line, NULL };

void output_dump(const struct caps *caps)
{
    if (dumping)
        dump_write_end(&writer);
    dumping = caps != NULL;
    if (!caps)
        return;
    const struct dump_machine machine = { .version = DSTEST86_VERSION "+" DSTEST86_REVISION,
                                          .cpu_width = 64,
                                          .signature = caps->signature,
                                          .ds_width = 8,
                                          .bts_prediction = caps->bts_prediction,
                                          .pebs = { .width = 8 },
                                          .data_source = caps->data_source };
    dump_writer_init(&writer, &output_lines);
    dump_write_head(&writer, &machine);
}

void output_test(const char *id)
{
    if (dumping)
        dump_write_test(&writer, id);
}

void output_bts(const struct bts_triple *records, unsigned count, bool prediction, const struct workload *workload)
{
    for (unsigned i = 0, printed = 0; i < count && printed < PRINTED; i++) {
        struct bts_record record;
        if (!perf_inside(workload, records[i].from) ||
            bts_decode(8, &records[i], sizeof *records, prediction, &record) != BTS_DECODE_OK)
            continue;
        bts_text(&output_lines, i, &record, NULL);
        printed++;
    }
    if (dumping)
        dump_write_bts(&writer, 0, 8, prediction, (const uint8_t *)records, count);
}

static struct lbr_entry entry_of(const struct perf_branch_entry *e)
{
    const bool known = e->mispred || e->predicted;

    return (struct lbr_entry){ .from = e->from,
                               .to = e->to,
                               .has = (known ? LBR_HAS_MISPRED : 0) | (e->cycles ? LBR_HAS_CYCLES : 0),
                               .mispredicted = e->mispred,
                               .in_tsx = e->in_tx,
                               .tsx_abort = e->abort,
                               .cycles = (uint16_t)e->cycles };
}

void output_stack(const struct sample *sample, unsigned n)
{
    printf("# stack %u at 0x%" PRIx64 "\n", n, sample->ip);
    for (unsigned i = 0; i < sample->entries; i++) {
        const struct lbr_entry entry = entry_of(&sample->stack[i]);
        lbr_text(&output_lines, i, &entry, NULL);
    }
}

/* As Skylake's registers, which have all that Linux says, and no more. */
static void dump_stack(const struct sample *s)
{
    uint64_t registers[DUMP_DEPTH_MAX][3] = { 0 };

    for (unsigned i = 0; i < s->entries && i < DUMP_DEPTH_MAX; i++) {
        const struct perf_branch_entry *const e = &s->stack[i];
        uint64_t *const of = registers[i];
        of[0] = e->from;
        of[1] = e->to;
        of[2] = (uint64_t)e->cycles | (e->mispred ? LBR_INFO_MISPRED : 0) | (e->in_tx ? LBR_INFO_IN_TSX : 0) |
                (e->abort ? LBR_INFO_TSX_ABORT : 0);
    }
    const struct dump_lbr dump = { .depth = DUMP_DEPTH_MAX, .registers = registers };
    dump_write_lbr(&writer, 0, LBR_FORMAT_INFO, &dump);
}

void output_lbr(const struct sample *samples, unsigned count, const struct workload *workload)
{
    unsigned i = 0;

    while (i < count && !(samples[i].entries > 2 && perf_inside(workload, samples[i].stack[2].from)))
        i++;
    if (i < count)
        output_stack(&samples[i], i);
    for (i = 0; i < count && dumping; i++)
        dump_stack(&samples[i]);
}

void output_samples(const struct sample *samples, unsigned count, const struct workload *workload, const char *event)
{
    for (unsigned i = 0, printed = 0; i < count && printed < PRINTED; i++) {
        const struct sample *const s = &samples[i];
        struct pebs_record record = { .width = 8, .has = PEBS_HAS_EVENTING_IP, .eventing_ip = s->ip };
        if (!perf_inside(workload, s->ip))
            continue;
        record.has |= (s->address ? PEBS_HAS_MEMORY : 0) | (s->registers[PERF_FLAGS] ? PEBS_HAS_GPRS : 0);
        record.data_address = s->address;
        record.rflags = s->registers[PERF_FLAGS] & ~PERF_EFLAGS_EXACT;
        record.ip = s->registers[PERF_FLAGS - 1];
        for (unsigned r = 0; r < sizeof perf_numbers; r++)
            record.gpr[r] = s->registers[perf_numbers[r]];
        if (!printed++)
            printf("# event %s\n", event);
        pebs_text(&output_lines, i, &record, DATA_SOURCE_UNKNOWN, NULL);
        if (s->source)
            printf("# pebs %u perf_mem_data_src 0x%" PRIx64 " weight %" PRIu64 "\n", i, s->source,
                   s->latency & UINT32_MAX);
    }
}
