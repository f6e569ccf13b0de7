/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_area.h"

#include "model/referee/referee_lvtpc.h"
#include "model/referee/referee_report.h"

#define PAGE_SIZE  UINT64_C(0x1000)
#define CACHE_LINE UINT64_C(64)

#define PTE_PRESENT       (UINT64_C(1) << 0)
#define PTE_WRITABLE      (UINT64_C(1) << 1)
#define PTE_USER          (UINT64_C(1) << 2)
#define PTE_WRITE_THROUGH (UINT64_C(1) << 3)
#define PTE_CACHE_DISABLE (UINT64_C(1) << 4)
#define PTE_ACCESSED      (UINT64_C(1) << 5)
#define PTE_DIRTY         (UINT64_C(1) << 6)

#define ROOM_RECORDS 2 /* the least that the manual's "several" can mean */

/* A buffer's records in bytes. Adaptive counters can have records of two sizes: unit is then what both are multiples
 * of. */
struct records {
    uint64_t most, unit;
    bool adaptive; /* earlier records, and the buffer, may have been for other sizes */
};

/* The records of the counters that sample. */
static struct records pebs_records(const struct vcpu *v, const struct ds_form *form)
{
    const uint64_t fixed = encode_pebs_bytes(form);
    struct records r = { 0, 0, v->profile->pebs_adaptive };

    if (!r.adaptive)
        return (struct records){ fixed, fixed, false };
    for (uint64_t left = vcpu_pebs_counters(v); left != 0; left &= left - 1) {
        const bool groups = v->counters[__builtin_ctzll(left)].adaptive;
        const uint64_t bytes = adaptive_bytes(groups ? v->regs[REG_MSR_PEBS_DATA_CFG] : 0);

        r.unit = r.unit == 0 || r.unit == bytes ? bytes : sizeof(uint64_t);
        r.most = bytes > r.most ? bytes : r.most;
    }
    return r;
}

#define MOST_ENTRIES 32768 /* page-table entries in a check: 128 MiB of the smallest pages take a tenth of a second */

/*
 * Checks that the pages of [from, to) are present, writable, supervisor-only, accessed, dirty and free of code. Reports
 * the first page of each kind. The range is the guest's, so an entry is read once for all that it covers.
 */
static void check_pages(struct vcpu *v, const char *section, uint64_t from, uint64_t to, uint64_t ip)
{
    static const struct {
        enum violation violation;
        uint64_t flags, right;
    } rows[] = {
        { DS_PAGE_NOT_PRESENT, PTE_PRESENT, PTE_PRESENT },
        { DS_PAGE_NOT_WRITABLE, PTE_WRITABLE, PTE_WRITABLE },
        { DS_PAGE_IN_USER_SPACE, PTE_USER, 0 },
        { DS_MEMORY_TYPE, PTE_CACHE_DISABLE | PTE_WRITE_THROUGH, 0 },
        { DS_PAGE_NOT_ACCESSED_AND_DIRTY, PTE_ACCESSED | PTE_DIRTY, PTE_ACCESSED | PTE_DIRTY },
    };
    const uint64_t most = v->host->ia32e(v->cpu) ? UINT64_MAX : UINT64_C(1) << 32;
    uint64_t page = from & ~(PAGE_SIZE - 1), left = to - page < most ? to - page : most;
    unsigned reported = 0;

    for (unsigned entries = 0; left > 0 && entries < MOST_ENTRIES; entries++) {
        const struct host_page is = v->host->page(v->cpu, page);
        const uint64_t covered = is.bytes < left ? is.bytes : left;

        for (unsigned i = 0; i < (is.flags & PTE_PRESENT ? sizeof(rows) / sizeof(rows[0]) : 1); i++) {
            if ((is.flags & rows[i].flags) != rows[i].right && !(reported >> i & 1)) {
                referee_report(v, rows[i].violation, ip, page, "page of %s", section);
                reported |= 1u << i;
            }
        }
        page += covered;
        left -= covered;
    }
    if (left > 0)
        referee_report(v, DS_PAGES_UNCHECKED, ip, page, "page of %s", section);
    if (v->host->code(v->cpu, from, to - from, false, &page))
        referee_report(v, DS_PAGE_HAS_CODE, ip, page & ~(PAGE_SIZE - 1), "page of %s", section);
}

static void check_alignment(struct vcpu *v, const char *field, uint64_t base, uint64_t ip)
{
    if (base & 3)
        referee_report(v, DS_BASE_MISALIGNED, ip, base, "%s", field);
    else if (base & (CACHE_LINE - 1))
        referee_report(v, DS_CACHE_LINE, ip, base, "%s", field);
}

/* Returns whether the buffer has room for a record. `written`: the index that the processor last wrote. */
static bool check_buffer(struct vcpu *v, const char *section, const struct ds_buffer *b, const struct records *r,
                         uint64_t written, uint64_t ip)
{
    uint64_t size = b->maximum - b->base;
    char base[16];

    snprintf(base, sizeof(base), "%s.base", section);
    check_alignment(v, base, b->base, ip);
    if (b->maximum < b->base || size < r->most) {
        referee_report_record(v, DS_BUFFER_TOO_SMALL, ip, b->maximum, r->most, "%s.maximum", section);
        return false;
    }
    if (size % (r->adaptive ? sizeof(uint64_t) : r->unit) > 1)
        referee_report_record(v, DS_BUFFER_SIZE, ip, b->maximum, r->most, "%s.maximum", section);
    if (b->index < b->base || b->index > b->maximum || ((b->index - b->base) % r->unit != 0 && b->index != written))
        referee_report_record(v, DS_INDEX_OUTSIDE, ip, b->index, r->most, "%s.index", section);
    check_pages(v, section, b->base, b->maximum, ip);
    return true;
}

/* Linux counts adaptive records from the maximum, which need not be a multiple of each record size: ds.c. */
static void check_threshold(struct vcpu *v, const char *section, const struct ds_buffer *b, const struct records *r,
                            uint64_t ip)
{
    const bool whole =
        (b->threshold - b->base) % r->unit == 0 || (r->adaptive && (b->maximum - b->threshold) % r->unit == 0);

    if (b->threshold < b->base || b->threshold > b->maximum || !whole)
        referee_report_record(v, DS_THRESHOLD_OUTSIDE, ip, b->threshold, r->most, "%s.threshold", section);
    else if (b->maximum - b->threshold < ROOM_RECORDS * r->most)
        referee_report_record(v, DS_THRESHOLD_ROOM, ip, b->threshold, r->most, "%s.threshold", section);
}

static uint64_t bytes_of(const struct ds_buffer *b)
{
    return b->maximum > b->base ? b->maximum - b->base : 0;
}

/* Two sections by address and size. Differences, because an end may be past 2^64. */
static void check_overlap(struct vcpu *v, const char *sections, uint64_t a, uint64_t a_size, uint64_t b,
                          uint64_t b_size, uint64_t ip)
{
    if (b - a < a_size || a - b < b_size)
        referee_report(v, DS_OVERLAP, ip, a > b ? a : b, "byte of %s", sections);
}

/* Whether the last PMI's handler has not begun or not ended, as far as the model can see. */
static bool in_handler(const struct vcpu *v)
{
    return v->referee.pmi_under_way ||
           (v->referee.pmi_served && v->host->in_service(v->cpu, v->referee.pmi_vector) == IN_SERVICE);
}

/* Called when the facility records again, or is about to. `kept` is the field of v->referee for this buffer. */
static void check_kept(struct vcpu *v, uint64_t *kept, const struct ds_buffer *b, const char *section, uint64_t ip)
{
    if (b->index < b->threshold)
        *kept = 0;
    else if (*kept != 0 && !in_handler(v))
        referee_report(v, DS_INDEX_KEPT, ip, b->index, "%s.index", section);
}

/* Whether the area's fields have 32 bits instead of 64: then the first one has base and index, which begin equal. */
static bool is_narrow(const struct vcpu *v, const uint8_t *bytes)
{
    const struct ds_form form = { .width = 4 };
    const struct ds_buffer *b;
    struct ds_area narrow;

    encode_read_ds(&narrow, &form, bytes);
    b = v->bts.on ? &narrow.bts : &narrow.pebs;
    return v->ds.form.width == 8 && b->base != 0 && b->index == b->base && b->maximum > b->base;
}

const char *referee_area_user(const struct vcpu *v)
{
    return !v->bts.on ? "PEBS" : vcpu_ds_pebs_counters(v) == 0 ? "BTS" : "BTS and PEBS";
}

void referee_area_check(struct vcpu *v, uint64_t ip)
{
    const uint64_t area = v->regs[REG_IA32_DS_AREA];
    const bool bts = v->bts.on;
    const bool pebs = vcpu_ds_pebs_counters(v) != 0;
    const char *who = referee_area_user(v);
    const bool bts_interrupts = bts && vcpu_debugctl(v, v->profile->debugctl->btint);
    const struct ds_form form = v->ds.form;
    const size_t size = encode_ds_bytes(&form);
    const struct records bts_records = { encode_bts_bytes(&form), encode_bts_bytes(&form), false };
    const struct records records = pebs_records(v, &form);
    uint8_t bytes[ENCODE_DS_MAX];
    struct ds_area ds;

    if (area == 0) {
        referee_report(v, DS_AREA_ZERO, ip, area, "IA32_DS_AREA for %s", who);
        return;
    }
    if (!v->host->read(v->cpu, area, bytes, size)) {
        referee_report(v, DS_AREA_NOT_MAPPED, ip, area, "IA32_DS_AREA for %s", who);
        return;
    }
    encode_read_ds(&ds, &form, bytes);
    if (is_narrow(v, bytes)) {
        referee_report(v, DS_FIELDS_WIDTH, ip, area, "IA32_DS_AREA for %s", who);
        return;
    }
    if (v->host->area_shared(v->cpu, area))
        referee_report(v, DS_AREA_SHARED, ip, area, "IA32_DS_AREA for %s", who);
    check_alignment(v, "IA32_DS_AREA", area, ip);
    check_pages(v, "the DS management area", area, area + size, ip);
    if (bts && check_buffer(v, "bts", &ds.bts, &bts_records, ds.bts.base, ip)) {
        if (bts_interrupts)
            check_threshold(v, "bts", &ds.bts, &bts_records, ip);
        else if (ds.bts.threshold <= ds.bts.maximum)
            referee_report(v, BTS_CIRCULAR_THRESHOLD, ip, ds.bts.threshold, "bts.threshold");
    }
    /* A PEBS threshold at the maximum requests no interrupt until the buffer is full. */
    bool pebs_interrupts = pebs && ds.pebs.threshold < ds.pebs.maximum;

    if (pebs && check_buffer(v, "pebs", &ds.pebs, &records, v->referee.written_pebs, ip)) {
        if (ds.pebs.threshold != ds.pebs.maximum)
            check_threshold(v, "pebs", &ds.pebs, &records, ip);
        if (v->profile->pebs_one_page && ds.pebs.maximum - ds.pebs.base > PAGE_SIZE)
            referee_report(v, PEBS_BUFFER_PAGE, ip, ds.pebs.maximum, "pebs.maximum");
    }
    if (bts)
        check_overlap(v, "the management area and bts", area, size, ds.bts.base, bytes_of(&ds.bts), ip);
    if (pebs)
        check_overlap(v, "the management area and pebs", area, size, ds.pebs.base, bytes_of(&ds.pebs), ip);
    if (bts && pebs)
        check_overlap(v, "bts and pebs", ds.bts.base, bytes_of(&ds.bts), ds.pebs.base, bytes_of(&ds.pebs), ip);
    if (bts_interrupts)
        referee_lvtpc_check(v, "BTS", ip);
    if (pebs_interrupts)
        referee_lvtpc_check(v, "PEBS", ip);
    if (bts_interrupts)
        check_kept(v, &v->referee.kept_bts, &ds.bts, "bts", ip);
    if (pebs)
        check_kept(v, &v->referee.kept_pebs, &ds.pebs, "pebs", ip);
}

void referee_area_pmi(struct vcpu *v, uint64_t ip)
{
    const struct ds_buffer *bts = &v->ds.area.bts, *pebs = &v->ds.area.pebs;

    if (vcpu_ds_pebs_counters(v) != 0 && pebs->index >= pebs->threshold) {
        if (pebs->index > v->referee.kept_pebs)
            check_kept(v, &v->referee.kept_pebs, pebs, "pebs", ip);
        v->referee.kept_pebs = pebs->index;
    }
    if (v->bts.on && vcpu_debugctl(v, v->profile->debugctl->btint) && bts->index >= bts->threshold) {
        if (bts->index > v->referee.kept_bts)
            check_kept(v, &v->referee.kept_bts, bts, "bts", ip);
        v->referee.kept_bts = bts->index;
    }
}

bool referee_area_records_into(const struct vcpu *v, uint64_t area)
{
    return v->regs[REG_IA32_DS_AREA] == area && (v->bts.on || vcpu_ds_pebs_counters(v) != 0);
}

static void compare(struct vcpu *v, const char *section, const struct ds_buffer *is, const struct ds_buffer *was,
                    uint64_t ip)
{
    if (is->base != was->base)
        referee_report(v, DS_BUFFER_CHANGED, ip, is->base, "%s.base", section);
    if (is->maximum != was->maximum)
        referee_report(v, DS_BUFFER_CHANGED, ip, is->maximum, "%s.maximum", section);
    if (is->threshold != was->threshold)
        referee_report(v, DS_BUFFER_CHANGED, ip, is->threshold, "%s.threshold", section);
    if (is->index != was->index)
        referee_report(v, DS_INDEX_MOVED, ip, is->index, "%s.index", section);
}

/* The reset values of the counters that sample. */
static void compare_resets(struct vcpu *v, const struct ds_area *was, uint64_t ip)
{
    for (uint64_t left = vcpu_ds_pebs_counters(v); left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        const unsigned slot = vcpu_reset_slot(v, i);

        if (slot < ENCODE_RESETS_MAX && v->ds.area.reset[slot] != was->reset[slot])
            referee_report_value(v, DS_BUFFER_CHANGED, ip, v->ds.area.reset[slot], "reset value of", i);
    }
}

void referee_area_read(struct vcpu *v, uint64_t ip)
{
    if (!referee_report_wanted(v) || !v->referee.watching)
        return;
    struct ds_area seen = v->ds.area;

    if (v->bts.on)
        compare(v, "bts", &v->ds.area.bts, &v->referee.seen.bts, ip);
    if (v->pebs.staged > 0) /* the index in memory will change with the staged records */
        seen.pebs.index = v->referee.seen.pebs.index;
    else if (vcpu_ds_pebs_counters(v) != 0)
        compare(v, "pebs", &v->ds.area.pebs, &v->referee.seen.pebs, ip);
    compare_resets(v, &v->referee.seen, ip);
    v->referee.seen = seen;
    v->referee.kept_bts = seen.bts.index < seen.bts.threshold ? 0 : v->referee.kept_bts;
    v->referee.kept_pebs = seen.pebs.index < seen.pebs.threshold ? 0 : v->referee.kept_pebs;
}

void referee_area_bts_written(struct vcpu *v, uint64_t at, uint64_t index)
{
    const struct ds_buffer *seen = &v->referee.seen.bts;

    if (v->referee.watching && at < seen->index && ds_buffer_fits(seen, 0) &&
        vcpu_debugctl(v, v->profile->debugctl->btint)) {
        /* the buffer wrapped */
        referee_report(v, BTS_BUFFER_FULL, v->bts.last, seen->index, "bts.index");
    }
    v->referee.seen.bts.index = index;
}

void referee_area_pebs_written(struct vcpu *v, uint64_t index)
{
    v->referee.written_pebs = index;
    v->referee.seen.pebs.index = index;
}
