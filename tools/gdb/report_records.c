/* SPDX-License-Identifier: MIT */
/*
 * bts, pebs, lbr: the records that are in memory or registers now, as lines in the kernel's format, with source lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/line.h"
#include "bts/bts_decode.h"
#include "cpu/msr_index.h"
#include "lbr/lbr_decode.h"
#include "pebs/pebs_decode.h"
#include "tools/gdb/area.h"
#include "tools/gdb/reports.h"
#include "tools/gdb/target.h"

#define BUFFER_MOST (UINT64_C(64) << 20) /* bytes: a larger buffer is an error */
#define LBR_MOST    64u

static void *read_buffer(uint64_t base, uint64_t size, bool (*read)(uint64_t address, void *bytes, size_t size))
{
    uint8_t *bytes = size <= BUFFER_MOST ? malloc(size + (size == 0)) : NULL;

    if (bytes != NULL && read(base, bytes, (size_t)size))
        return bytes;
    printf("the %" PRIu64 " bytes at 0x%" PRIx64 " cannot be read\n", size, base);
    free(bytes);
    return NULL;
}

/* Whether base, index and maximum are in order; otherwise the command `ds` prints what is wrong. */
static bool sound(const struct ds_buffer *b, const char *name)
{
    if (b->base == 0) {
        printf("there is no %s buffer on this processor\n", name);
        return false;
    }
    if (b->index < b->base || b->index > b->maximum) {
        printf("the %s index is outside the buffer: ds says what is wrong\n", name);
        return false;
    }
    return true;
}

/* Prints how many records there are and how many are shown. */
static uint64_t first_of(const char *name, uint64_t records, unsigned count)
{
    const uint64_t shown = count == 0 || count > records ? records : count;

    if (shown < records)
        printf("%s: %" PRIu64 " records; the newest %" PRIu64 ":\n", name, records, shown);
    else
        printf("%s: %" PRIu64 " record%s%s\n", name, records, records == 1 ? "" : "s", records == 0 ? "" : ":");
    return records - shown;
}

static void print_lines(uint64_t from, uint64_t to)
{
    char first[LINE_SIZE];
    const char *line = target_line(from);

    snprintf(first, sizeof(first), "%s", line != NULL ? line : "?");
    line = target_line(to);
    printf("    %s => %s\n", first, line != NULL ? line : "?");
}

static bool unwritten(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* A circular buffer, oldest first: if it has wrapped, older records follow the index. */
static uint64_t older_records(const uint8_t *bytes, uint64_t used, uint64_t records, unsigned size)
{
    uint64_t older = records - used;

    while (older > 0 && unwritten(bytes + (used + older - 1) * size, size))
        older--;
    return older;
}

void report_bts(const struct processor *p, unsigned count)
{
    const unsigned size = p->caps.bts_record_size;
    struct ds_area area;

    if (!area_read(p, &area) || !sound(&area.bts, "BTS"))
        return;
    if ((area.bts.index - area.bts.base) % size != 0)
        printf("wrong: the index is not at a record's end: base + %" PRIu64 "; ds says more\n",
               area.bts.index - area.bts.base);
    const bool circular = area_bts_circular(p, &area.bts);
    const uint64_t used = (area.bts.index - area.bts.base) / size;
    const uint64_t records = (area.bts.maximum - area.bts.base) / size;
    uint8_t *bytes = read_buffer(area.bts.base, (circular ? records : used) * size, target_linear);
    if (bytes == NULL)
        return;
    const uint64_t older = circular ? older_records(bytes, used, records, size) : 0;

    for (uint64_t n = first_of("BTS", older + used, count); n < older + used; n++) {
        struct bts_record record;
        const uint64_t at = n < older ? used + n : n - older;
        if (bts_decode(p->caps.ds_width, bytes + at * size, size, p->caps.bts_prediction, &record) != BTS_DECODE_OK)
            break;
        bts_text(&target_out, n, &record, &target_symbols);
        print_lines(record.from, record.to);
    }
    free(bytes);
}

static void print_pebs(const struct processor *p, uint64_t n, const struct pebs_record *record)
{
    const uint64_t ip = pebs_sampled_ip(record);
    const char *line;

    pebs_text(&target_out, n, record, p->caps.data_source, &target_symbols);
    line = target_line(ip);
    if (line != NULL)
        printf("    %s\n", line);
}

/*
 * Records may vary in size, so each one is decoded to find the next. Prints those from `first` on. Returns the number
 * of records up to the first undecodable one; the place of records after that is unknown.
 */
static uint64_t walk_pebs(const struct processor *p, const uint8_t *bytes, uint64_t size, bool print, uint64_t first)
{
    uint64_t n = 0;
    static struct pebs_record record;

    for (uint64_t at = 0; at < size; at += record.size, n++) {
        const enum pebs_error error = pebs_decode(&p->caps.pebs_form, bytes + at, (size_t)(size - at), &record);
        if (error != PEBS_DECODE_OK) {
            if (print)
                printf("wrong: the record at base + %" PRIu64 ": %s; the index is at base + %" PRIu64 "\n", at,
                       pebs_error_text(error), size);
            break;
        }
        if (print && n >= first)
            print_pebs(p, n, &record);
    }
    return n;
}

void report_pebs(const struct processor *p, unsigned count)
{
    struct ds_area area;
    struct arch_state arch;
    uint8_t *bytes;
    uint64_t size;

    if (caps_missing(&p->caps, NEED_PEBS) != CAPS_AVAILABLE) {
        printf("%s\n", caps_reason_text(caps_missing(&p->caps, NEED_PEBS)));
        return;
    }
    if (area_is_arch(p)) {
        area_arch(p, &arch);
        if (arch.base == 0 || arch.used > arch.bytes) {
            printf("there is no PEBS buffer on this processor, or its index is outside: ds says more\n");
            return;
        }
        size = arch.used;
        bytes = read_buffer(arch.address, size, target_physical);
    } else {
        if (!area_read(p, &area) || !sound(&area.pebs, "PEBS"))
            return;
        size = area.pebs.index - area.pebs.base;
        bytes = read_buffer(area.pebs.base, size, target_linear);
    }
    if (bytes == NULL)
        return;
    walk_pebs(p, bytes, size, true, first_of("PEBS", walk_pebs(p, bytes, size, false, 0), count));
    free(bytes);
}

static bool read_lbr(const struct processor *p, unsigned age, uint64_t tos, struct lbr_entry *entry)
{
    const struct caps *caps = &p->caps;
    unsigned n = age;
    uint64_t from, to, info;

    if (caps->lbr_layout != LBR_LAYOUT_ARCH && lbr_position(caps->lbr_depth, tos, age, &n) != LBR_DECODE_OK)
        return false;
    if (!processor_msr(p, caps->lbr_layout == LBR_LAYOUT_ARCH ? MSR_IA32_LBR_FROM(n) : caps->lbr_from + n, &from))
        return false;
    if (caps->lbr_layout == LBR_LAYOUT_PACKED) {
        lbr_decode_packed(from, entry);
        return true;
    }
    if (caps->lbr_layout == LBR_LAYOUT_ARCH) {
        to = processor_msr_or_0(p, MSR_IA32_LBR_TO(n));
        info = processor_msr_or_0(p, MSR_IA32_LBR_INFO(n));
        lbr_decode_arch(from, to, info, entry);
        return true;
    }
    to = caps->lbr_to ? processor_msr_or_0(p, caps->lbr_to + n) : 0;
    info = caps->lbr_info ? processor_msr_or_0(p, caps->lbr_info + n) : 0;
    return lbr_decode(caps->lbr_format, from, to, info, entry) == LBR_DECODE_OK;
}

void report_lbr(const struct processor *p, unsigned count)
{
    const struct caps *caps = &p->caps;
    static struct lbr_entry entries[LBR_MOST];
    const uint64_t tos = caps->lbr_tos ? processor_msr_or_0(p, caps->lbr_tos) : 0;
    const bool arch = caps->lbr_layout == LBR_LAYOUT_ARCH;
    unsigned depth = 0;

    if (caps_missing(caps, NEED_LBR) != CAPS_AVAILABLE) {
        printf("%s\n", caps_reason_text(caps_missing(caps, NEED_LBR)));
        return;
    }
    while (depth < caps->lbr_depth && depth < LBR_MOST && read_lbr(p, depth, tos, &entries[depth]))
        depth++;
    if (count != 0 && count < depth)
        depth = count;
    const bool on = arch ? (processor_msr_or_0(p, MSR_IA32_LBR_CTL) & LBR_CTL_LBREN) != 0
                         : (processor_msr_or_0(p, MSR_IA32_DEBUGCTL) & caps->debugctl->lbr) != 0;
    printf("LBR: %s; the newest %u of %u entries, without unused ones:\n", on ? "on" : "off", depth, caps->lbr_depth);
    for (unsigned age = 0; age < depth; age++) {
        if (!lbr_is_used(&entries[age]))
            continue;
        lbr_text(&target_out, age, &entries[age], &target_symbols);
        print_lines(entries[age].from, entries[age].to);
    }
}
