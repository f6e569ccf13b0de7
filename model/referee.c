/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "model/engine_parts.h"

#define PAGE_SIZE UINT64_C(0x1000)

#define PTE_PRESENT  (UINT64_C(1) << 0)
#define PTE_WRITABLE (UINT64_C(1) << 1)
#define PTE_USER     (UINT64_C(1) << 2)
#define PTE_ACCESSED (UINT64_C(1) << 5)
#define PTE_DIRTY    (UINT64_C(1) << 6)

#define LVT_MASKED        (1u << 16)
#define LVT_DELIVERY(lvt) ((lvt) >> 8 & 7)
#define DELIVERY_FIXED    0
#define DELIVERY_NMI      4

#define MINIMUM_LATENCY 3

#define SETTING_UP "SDM Vol. 3B (253669-083), \"Setting Up the DS Save Area\""
#define DS_FIELDS  "SDM Vol. 3B (253669-083), \"Debug Store (DS) Mechanism\""
#define PEBS       "SDM Vol. 3B (253669-083), \"Processor Event Based Sampling (PEBS)\""
#define NETBURST   "SDM Vol. 3B (253669, 2016), \"Performance Monitoring (... Intel NetBurst Microarchitecture)\""
#define AUX        "Linux 5.12, \"perf/x86/intel: Add perf core PMU support for Sapphire Rapids\""
#define LATENCY    "SDM Vol. 3B (253669-083), \"Load Latency Performance Monitoring Facility\""

static const struct {
    const char *name, *sentence, *citation;
    bool advice; /* the manual only recommends it */
} rules[VIOLATIONS] = {
    [DS_AREA_ZERO] = { "ds-area-zero", "BTS or PEBS was enabled with IA32_DS_AREA 0", SETTING_UP },
    [DS_AREA_NOT_MAPPED] = { "ds-area-not-mapped", "the DS management area is not present", SETTING_UP },
    [DS_PAGE_NOT_PRESENT] = { "ds-page-not-present", "a page of a DS buffer is not present", SETTING_UP },
    [DS_PAGE_NOT_WRITABLE] = { "ds-page-not-writable", "a page of the DS save area cannot be written", SETTING_UP },
    [DS_PAGE_NOT_ACCESSED_AND_DIRTY] = { "ds-page-not-accessed-and-dirty",
                                         "a page of the DS save area is not marked accessed and dirty", SETTING_UP },
    [DS_PAGE_IN_USER_SPACE] = { "ds-page-in-user-space", "a page of the DS save area is a user page", SETTING_UP },
    [DS_PAGE_HAS_CODE] = { "ds-page-has-code", "the DS save area is on a page with code that has run", SETTING_UP },
    [DS_BASE_MISALIGNED] = { "ds-base-misaligned",
                             "the base of the DS area or of a buffer is not aligned on a doubleword", SETTING_UP },
    [DS_BUFFER_SIZE] = { "ds-buffer-size", "a buffer is not a whole number of records (plus one byte at most)",
                         SETTING_UP, .advice = true },
    [DS_BUFFER_TOO_SMALL] = { "ds-buffer-too-small", "a buffer has no room for one record", DS_FIELDS },
    [DS_INDEX_OUTSIDE] = { "ds-index-outside", "an index is outside its buffer or not on a record's first byte",
                           DS_FIELDS },
    [DS_THRESHOLD_OUTSIDE] = { "ds-threshold-outside",
                               "an interrupt threshold is outside its buffer or not on a record's first byte",
                               DS_FIELDS },
    [DS_OVERLAP] = { "ds-overlap", "the management area and the buffers overlap", DS_FIELDS },
    [DS_AREA_CHANGED] = { "ds-area-changed", "IA32_DS_AREA was written while BTS or PEBS was on", SETTING_UP },
    [RECORD_LOST] = { "record-lost", "a record could not be written: its page or the DS area is not present",
                      SETTING_UP },
    [LVTPC_MASKED] = { "lvtpc-masked", "BTS or PEBS asks for interrupts, and LVTPC is masked", SETTING_UP },
    [LVTPC_DELIVERY_MODE] = { "lvtpc-delivery-mode",
                              "BTS or PEBS asks for interrupts, and LVTPC is neither fixed nor NMI", SETTING_UP },
    [PEBS_EVENT] = { "pebs-event", "PEBS was enabled for a counter whose event is not a precise one", PEBS },
    [PEBS_QUALIFIER] = { "pebs-qualifier", "a PEBS counter has AnyThread, Edge, Invert or CMask set", PEBS },
    [PEBS_INT] = { "pebs-int", "a PEBS counter asks for an interrupt on overflow by its INT bit too", PEBS },
    [PEBS_LATENCY_THRESHOLD] = { "pebs-latency-threshold", "the load latency threshold is below 3", LATENCY },
    [PEBS_ONLY_TAGS] = { "pebs-only-tags",
                         "a front-end or execution event was set up with bit 24 of MSR_PEBS_ENABLE and not bit 25: "
                         "nothing is sampled",
                         NETBURST },
    [PEBS_NO_TAG] = { "pebs-no-tag", "the event to be sampled counts nothing: no upstream register tags for it",
                      NETBURST },
    [CCCR_THREAD_FIELD] = { "cccr-thread", "bits 17:16 of a CCCR that enables its counter are not 11B", NETBURST },
    [PEBS_LATENCY_AUX] = { "pebs-latency-aux",
                           "load latency is sampled without LD_BLOCKS.STORE_FORWARD being counted: no data source",
                           AUX },
    [PEBS_RECONFIGURED] = { "pebs-reconfigured", "a counter was written to while it was counting for PEBS", PEBS },
    [PEBS_BUFFER_PAGE] = { "pebs-buffer-page", "the PEBS buffer is larger than a page, which can hang this processor",
                           "Linux, arch/x86/events/intel/ds.c, on PEBS format 0" },
};

void referee_report(struct vcpu *v, enum violation violation, uint64_t ip)
{
    if (v->violations == NULL || v->reported[violation] == ip + 1) {
        return; /* the same once more */
    }
    v->reported[violation] = ip + 1;
    fprintf(v->violations, "%s vcpu=%u rip=0x%" PRIx64 " %s: %s [%s]\n",
            rules[violation].advice ? "advice" : "violation", v->number, ip, rules[violation].name,
            rules[violation].sentence, rules[violation].citation);
}

/* Bit i: v->counters[i]. */
static uint64_t pebs_counters(const struct vcpu *v)
{
    unsigned fixed = v->profile->pebs_adaptive ? v->profile->fixed_counters : 0;
    uint64_t enabled = is_netburst(v) ? netburst_pebs_counters(v) : v->regs[REG_IA32_PEBS_ENABLE];
    uint64_t mask = 0;

    for (unsigned i = 0; i < v->profile->general_counters + fixed; i++) {
        bool wanted = enabled & counter_bit(v, i);

        mask |= wanted && v->counters[i].active ? UINT64_C(1) << i : 0;
    }
    return mask;
}

/* What the PEBS buffer's size and index are multiples of. Counters may write records of two sizes into one buffer. */
static uint64_t pebs_unit(const struct vcpu *v, const struct ds_form *form)
{
    const uint64_t all = pebs_counters(v);
    const uint64_t size = pebs_record_bytes(v, form, all);

    for (uint64_t left = all; left != 0; left &= left - 1) {
        if (pebs_record_bytes(v, form, left & -left) != size) {
            return sizeof(uint64_t);
        }
    }
    return size;
}

struct referee_before referee_before(const struct vcpu *v)
{
    return (struct referee_before){ bts_on(v), pebs_counters(v) };
}

void referee_ds_area_write(struct vcpu *v, uint64_t ip)
{
    if (bts_on(v) || pebs_counters(v) != 0) {
        referee_report(v, DS_AREA_CHANGED, ip);
    }
}

void referee_counter_write(struct vcpu *v, unsigned counter, uint64_t ip)
{
    if (pebs_counters(v) >> counter & 1) {
        referee_report(v, PEBS_RECONFIGURED, ip);
    }
}

/* [from, to) must be present, writable, accessed, dirty, kernel pages without code. */
static void check_pages(struct vcpu *v, uint64_t from, uint64_t to, uint64_t ip)
{
    for (uint64_t page = from & ~(PAGE_SIZE - 1); page < to; page += PAGE_SIZE) {
        uint64_t entry = v->host->page(v->cpu, page);

        if (!(entry & PTE_PRESENT)) {
            referee_report(v, DS_PAGE_NOT_PRESENT, ip);
            continue;
        }
        if (!(entry & PTE_WRITABLE)) {
            referee_report(v, DS_PAGE_NOT_WRITABLE, ip);
        }
        if (entry & PTE_USER) {
            referee_report(v, DS_PAGE_IN_USER_SPACE, ip);
        }
        if ((entry & (PTE_ACCESSED | PTE_DIRTY)) != (PTE_ACCESSED | PTE_DIRTY)) {
            referee_report(v, DS_PAGE_NOT_ACCESSED_AND_DIRTY, ip);
        }
        if (v->host->has_code(v->cpu, page)) {
            referee_report(v, DS_PAGE_HAS_CODE, ip);
        }
    }
}

static void check_buffer(struct vcpu *v, const struct ds_buffer *b, uint64_t record, bool interrupts, uint64_t ip)
{
    uint64_t size = b->maximum - b->base;

    if (b->base & 3) {
        referee_report(v, DS_BASE_MISALIGNED, ip);
    }
    if (b->maximum < b->base || size < record) {
        referee_report(v, DS_BUFFER_TOO_SMALL, ip);
        return;
    }
    if (size % record > 1) {
        referee_report(v, DS_BUFFER_SIZE, ip);
    }
    if (b->index < b->base || b->index > b->maximum || (b->index - b->base) % record != 0) {
        referee_report(v, DS_INDEX_OUTSIDE, ip);
    }
    if (interrupts && (b->threshold < b->base || b->threshold > b->maximum || (b->threshold - b->base) % record != 0)) {
        referee_report(v, DS_THRESHOLD_OUTSIDE, ip);
    }
    check_pages(v, b->base, b->maximum, ip);
}

static bool overlap(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
    return a < b_end && b < a_end;
}

/* A handler may enable everything again before it takes back the mask bit that delivery has set. */
static void check_lvtpc(struct vcpu *v, uint64_t ip)
{
    uint32_t lvtpc = v->host->lvtpc(v->cpu);
    bool masked = lvtpc & LVT_MASKED;

    v->masked_by_pmi = v->masked_by_pmi && masked;
    if (masked && !v->masked_by_pmi) {
        referee_report(v, LVTPC_MASKED, ip);
    } else if (LVT_DELIVERY(lvtpc) != DELIVERY_FIXED && LVT_DELIVERY(lvtpc) != DELIVERY_NMI) {
        referee_report(v, LVTPC_DELIVERY_MODE, ip);
    }
}

static void check_area(struct vcpu *v, bool bts, bool pebs, uint64_t ip)
{
    uint64_t area = v->regs[REG_IA32_DS_AREA];
    bool bts_interrupts = debugctl_has(v, v->profile->debugctl->btint);
    const struct ds_form form = engine_ds_form(v);
    const uint64_t size = encode_ds_bytes(&form);
    uint8_t bytes[ENCODE_DS_MAX];
    struct ds_area ds;

    if (area == 0) {
        referee_report(v, DS_AREA_ZERO, ip);
        return;
    }
    if (!v->host->read(v->cpu, area, bytes, size)) {
        referee_report(v, DS_AREA_NOT_MAPPED, ip);
        return;
    }
    encode_read_ds(&ds, &form, bytes);
    if (area & 3) {
        referee_report(v, DS_BASE_MISALIGNED, ip);
    }
    check_pages(v, area, area + size, ip);
    if (bts) {
        check_buffer(v, &ds.bts, encode_bts_bytes(&form), bts_interrupts, ip);
    }
    if (pebs) {
        check_buffer(v, &ds.pebs, pebs_unit(v, &form), true, ip);
        if (v->profile->pebs_one_page && ds.pebs.maximum - ds.pebs.base > PAGE_SIZE) {
            referee_report(v, PEBS_BUFFER_PAGE, ip);
        }
    }
    if ((bts && overlap(area, area + size, ds.bts.base, ds.bts.maximum)) ||
        (pebs && overlap(area, area + size, ds.pebs.base, ds.pebs.maximum)) ||
        (bts && pebs && overlap(ds.bts.base, ds.bts.maximum, ds.pebs.base, ds.pebs.maximum))) {
        referee_report(v, DS_OVERLAP, ip);
    }
    if ((bts && bts_interrupts) || (pebs && ds.pebs.threshold < ds.pebs.maximum)) {
        check_lvtpc(v, ip);
    }
}

/* INST_RETIRED.ALL_CYCLES is the one precise event that is made of INV and CMask. */
static bool is_all_cycles(uint64_t select)
{
    return (select & 0xffff) == 0x01c0 && (select & EVTSEL_INV) && !(select & (EVTSEL_ANY | EVTSEL_EDGE));
}

static void check_counter(struct vcpu *v, unsigned i, uint64_t ip)
{
    uint64_t select = v->event_select[i];
    bool qualified = (select & (EVTSEL_ANY | EVTSEL_EDGE | EVTSEL_INV)) || EVTSEL_CMASK(select) != 0;

    if (!v->counters[i].pebs) {
        referee_report(v, PEBS_EVENT, ip);
    }
    if (qualified && !is_all_cycles(select)) {
        referee_report(v, PEBS_QUALIFIER, ip);
    }
    if (select & EVTSEL_INT) {
        referee_report(v, PEBS_INT, ip);
    }
    if (v->counters[i].event_class / EVENT_QUALIFIERS == EVENT_LOAD_LATENCY) {
        if (v->regs[REG_MSR_PEBS_LD_LAT] < MINIMUM_LATENCY) {
            referee_report(v, PEBS_LATENCY_THRESHOLD, ip);
        }
        if (!data_source_known(v)) {
            referee_report(v, PEBS_LATENCY_AUX, ip);
        }
    }
}

void referee_after(struct vcpu *v, const struct referee_before *before, uint64_t ip)
{
    uint64_t pebs = pebs_counters(v) & ~before->pebs;
    bool bts = bts_on(v) && !before->bts;

    if (v->violations == NULL || (!bts && pebs == 0)) {
        return;
    }
    check_area(v, bts_on(v), pebs_counters(v) != 0, ip);
    for (unsigned i = 0; i < MAX_COUNTERS && !is_netburst(v); i++) {
        if (!(pebs >> i & 1)) {
            continue;
        }
        if (i < v->profile->general_counters) {
            check_counter(v, i, ip);
        } else if (v->counters[i].interrupts) {
            referee_report(v, PEBS_INT, ip);
        }
    }
}
