/* SPDX-License-Identifier: MIT */
#include "ds/ds_check.h"

#include "pebs/layout/arch_pebs.h"
#include "cpu/msr_index.h"

#define PAGE_SIZE    UINT64_C(4096)
#define CACHE_LINE   UINT64_C(64)
#define ROOM_RECORDS 2u /* the smallest reading of "several records" between threshold and maximum */
#define A20          (UINT64_C(1) << 20)
#define LVT_VECTOR   0xffu
#define LVT_DELIVERY (7u << 8) /* 000b is fixed */
#define LVT_LEVEL    (1u << 15)
#define LVT_MASKED   (1u << 16)
#define VECTOR_FIRST 32u /* lower vectors are reserved for exceptions */

enum weight { DEMAND, ADVICE };

static const struct {
    const char *name, *sentence, *citation;
    enum weight weight;
} rules[DS_BREACH_COUNT] = {
#define RULE(id, name, weight, sentence, citation) [DS_BREACH_##id] = { name, sentence, citation, weight },
#include "ds/arch_check.inc"
#include "ds/ds_check.inc"
#undef RULE
};

_Static_assert(DS_BREACH_COUNT <= 64, "struct ds_breaches has a bit for each breach");

struct check {
    const struct ds_description *is; /* NULL: architectural PEBS */
    struct ds_breaches *out;
    unsigned demands; /* breaches of a demand of the manual, not of its advice */
};

/* One of the three sections; end is exclusive. */
struct span {
    const char *name;
    uint64_t start, end;
    bool sound; /* start and end are valid addresses in order */
};

struct buffer_names {
    const char *buffer, *base, *index, *maximum, *threshold;
};

static const struct buffer_names bts_names = { "bts", "bts.base", "bts.index", "bts.maximum", "bts.threshold" };
static const struct buffer_names pebs_names = { "pebs", "pebs.base", "pebs.index", "pebs.maximum", "pebs.threshold" };

static void breach(struct check *check, enum ds_breach_id id, const char *field, uint64_t value)
{
    struct ds_breaches *out = check->out;
#ifdef DS_CHECK_NOTHING /* for scripts/boots prove */
    return;
#endif
    out->set |= UINT64_C(1) << id;
    if (rules[id].weight == DEMAND)
        check->demands++;
    if (out->count < DS_BREACH_LIST)
        out->item[out->count++] = (struct ds_breach){ id, field, value };
}

/* value modulo divisor (1 to ffffh), in 16-bit steps, because 64-bit division needs libgcc on i686. */
static uint32_t modulo(uint64_t value, uint32_t divisor)
{
    uint32_t rest = 0;
    for (int shift = 48; shift >= 0; shift -= 16)
        rest = ((rest << 16) | (uint32_t)((value >> shift) & 0xffff)) % divisor;
    return rest;
}

static bool check_address(struct check *check, const char *field, uint64_t value)
{
    const struct ds_description *is = check->is;
    if (is->width == DS_WIDTH_32) {
        if (value >> 32 != 0)
            breach(check, DS_BREACH_WIDTH_RANGE, field, value);
        return value >> 32 == 0;
    }
    bool canonical;
    if (is->linear_bits <= 32) {
        canonical = value >> 32 == 0;
    } else {
        uint64_t upper = value >> (is->linear_bits - 1); /* the sign bit and its copies */
        canonical = upper == 0 || upper == UINT64_MAX >> (is->linear_bits - 1);
    }
    if (!canonical)
        breach(check, DS_BREACH_CANONICAL, field, value);
    return canonical;
}

static void check_alignment(struct check *check, const char *field, uint64_t base)
{
    if (base % 4 != 0)
        breach(check, DS_BREACH_DOUBLEWORD, field, base);
    else if (base % CACHE_LINE != 0)
        breach(check, DS_BREACH_CACHE_LINE, field, base);
}

static struct span check_area(struct check *check)
{
    const struct ds_description *is = check->is;
    struct span span = { "area", is->area_base, is->area_base + is->area_size, false };
    uint64_t last = span.end - 1;
    if (!check_address(check, "area", span.start))
        return span;
    check_alignment(check, "area", span.start);
    span.sound = is->area_size > 0 && last >= span.start && (is->width == DS_WIDTH_64 || last >> 32 == 0);
    if (!span.sound)
        breach(check, DS_BREACH_ORDER, "area", span.start);
    return span;
}

static void check_index(struct check *check, const struct ds_buffer *buffer, const char *field, unsigned record)
{
    /* The index of a full buffer is at the maximum. */
    if (buffer->index < buffer->base || buffer->index > buffer->maximum)
        breach(check, DS_BREACH_INDEX_RANGE, field, buffer->index);
    else if (modulo(buffer->index - buffer->base, record) != 0)
        breach(check, DS_BREACH_INDEX_GRID, field, buffer->index);
}

static void check_threshold(struct check *check, const struct ds_buffer *buffer, const char *field, unsigned record)
{
    if (buffer->threshold <= buffer->base || buffer->threshold >= buffer->maximum) {
        breach(check, DS_BREACH_THRESHOLD_RANGE, field, buffer->threshold);
        return;
    }
    if (modulo(buffer->threshold - buffer->base, record) != 0)
        breach(check, DS_BREACH_THRESHOLD_GRID, field, buffer->threshold);
    if (buffer->maximum - buffer->threshold < ROOM_RECORDS * record)
        breach(check, DS_BREACH_THRESHOLD_ROOM, field, buffer->threshold);
}

static struct span check_buffer(struct check *check, const struct ds_buffer *buffer, const struct buffer_names *names,
                                unsigned record, bool circular)
{
    struct span span = { names->buffer, buffer->base, buffer->maximum, false };
    bool base = check_address(check, names->base, buffer->base);
    bool index = check_address(check, names->index, buffer->index);
    bool maximum = check_address(check, names->maximum, buffer->maximum);
    bool threshold = check_address(check, names->threshold, buffer->threshold);

    if (base)
        check_alignment(check, names->base, buffer->base);
    if (!base || !maximum)
        return span;
    if (buffer->maximum < buffer->base) {
        breach(check, DS_BREACH_ORDER, names->maximum, buffer->maximum);
        return span;
    }
    span.sound = true;

    uint64_t size = buffer->maximum - buffer->base;
    if (record == 0 || record > 0xffff || size < record) {
        breach(check, DS_BREACH_TOO_SMALL, names->maximum, buffer->maximum);
        return span;
    }
    /* One print says "a multiple of the record size plus 1", all others the multiple itself. Both are accepted. */
    if (modulo(size, record) > 1)
        breach(check, DS_BREACH_SIZE_MULTIPLE, names->maximum, buffer->maximum);
    span.end = buffer->base + (size - modulo(size, record));

    if (index)
        check_index(check, buffer, names->index, record);
    if (!threshold)
        return span;
    if (!circular)
        check_threshold(check, buffer, names->threshold, record);
    else if (buffer->threshold <= buffer->maximum)
        breach(check, DS_BREACH_CIRCULAR, names->threshold, buffer->threshold);
    return span;
}

static void check_overlap(struct check *check, const struct span *a, const struct span *b)
{
    if (a->sound && b->sound && a->start < b->end && b->start < a->end)
        breach(check, DS_BREACH_OVERLAP, b->name, a->start > b->start ? a->start : b->start);
}

/* Checks every page of the span; reports the first breach of each kind. */
static void check_pages(struct check *check, const struct span *span)
{
    const struct ds_description *is = check->is;
    uint64_t seen = 0;
    if (!span->sound || span->start == span->end)
        return;
    for (uint64_t at = span->start; at - span->start < span->end - span->start; at = (at | (PAGE_SIZE - 1)) + 1) {
        struct ds_page page = { 0 };
        if (!is->page(is->context, at, &page)) {
            breach(check, DS_BREACH_NOT_PRESENT, span->name, at);
            return;
        }
        /*
         * Checks bit 20 in both addresses: the manual does not say which one counts, and A20M# masks the physical one.
         */
        bool a20 = !is->a20m_prevented && ((at | page.physical) & A20) != 0;
        const struct {
            enum ds_breach_id id;
            bool broken;
        } rule[] = {
            { DS_BREACH_NOT_ACCESSED, !page.accessed },
            { DS_BREACH_NOT_DIRTY, !page.dirty },
            { DS_BREACH_NOT_WRITABLE, !page.writable },
            { DS_BREACH_USER, page.user },
            { DS_BREACH_CODE, page.code },
            { DS_BREACH_MEMORY_TYPE, !page.write_back },
            { DS_BREACH_A20M, a20 },
        };
        for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
            uint64_t bit = UINT64_C(1) << rule[i].id;
            if (rule[i].broken && (seen & bit) == 0)
                breach(check, rule[i].id, span->name, at);
            seen |= rule[i].broken ? bit : 0;
        }
    }
}

static void check_interrupt(struct check *check, uint32_t lvt, enum ds_gate gate)
{
    const char *field = "lvt.performance";
    if (lvt & LVT_MASKED)
        breach(check, DS_BREACH_LVT_MASKED, field, lvt);
    if (lvt & LVT_DELIVERY) {
        breach(check, DS_BREACH_LVT_DELIVERY, field, lvt);
        return; /* only fixed delivery uses trigger mode and vector */
    }
    if (lvt & LVT_LEVEL)
        breach(check, DS_BREACH_LVT_LEVEL, field, lvt);
    if ((lvt & LVT_VECTOR) < VECTOR_FIRST)
        breach(check, DS_BREACH_LVT_VECTOR, field, lvt);
    if (gate == DS_GATE_ABSENT)
        breach(check, DS_BREACH_GATE_ABSENT, field, lvt);
    else if (gate != DS_GATE_INTERRUPT)
        breach(check, DS_BREACH_GATE_TYPE, field, lvt);
}

unsigned ds_check(const struct ds_description *description, struct ds_breaches *out)
{
    struct check check = { description, out, 0 };
    out->set = 0;
    out->count = 0;

    struct span spans[3] = { check_area(&check) };
    if (description->bts)
        spans[1] = check_buffer(&check, &description->area.bts, &bts_names, description->bts_record_size,
                                description->bts_circular);
    if (description->pebs)
        spans[2] = check_buffer(&check, &description->area.pebs, &pebs_names, description->pebs_record_size, false);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < i; j++)
            check_overlap(&check, &spans[j], &spans[i]);
        check_pages(&check, &spans[i]);
    }

    if (!description->apic_enabled)
        breach(&check, DS_BREACH_APIC_OFF, "apic", 0);
    if (description->pebs || (description->bts && !description->bts_circular))
        check_interrupt(&check, description->lvt_performance, description->gate);
    return check.demands;
}

/* ---- architectural PEBS ----------------------------------------------------------------------------------------- */

uint64_t arch_buffer_bytes(uint64_t base)
{
    return PAGE_SIZE << (base & PEBS_BASE_SIZE);
}

static void check_arch_registers(struct check *check, const struct arch_description *is)
{
    const uint64_t address = is->base & PEBS_BASE_ADDRESS, bytes = arch_buffer_bytes(is->base);
    const uint64_t threshold = (is->index & PEBS_INDEX_THRESH_FIELD) / PEBS_INDEX_THRESH(1);

    if (is->base & (PAGE_SIZE - 1) & ~PEBS_BASE_SIZE)
        breach(check, DS_BREACH_ARCH_PAGE, "pebs.base", is->base);
    if ((is->base & ~(PAGE_SIZE - 1)) >> is->physical_bits || (address + bytes - 1) >> is->physical_bits)
        breach(check, DS_BREACH_ARCH_PHYSICAL, "pebs.base", is->base);
    else if (address & (bytes - 1))
        breach(check, DS_BREACH_ARCH_ALIGNED, "pebs.base", is->base);
    if (is->index & ~(PEBS_INDEX_WR | PEBS_INDEX_THRESH_FIELD | PEBS_INDEX_FULL | PEBS_INDEX_EN))
        breach(check, DS_BREACH_ARCH_RESERVED, "pebs.index", is->index);
    if (is->cfg_c & ~(is->permitted | ARCH_PEBS_RELOAD))
        breach(check, DS_BREACH_ARCH_CFG_C, "pebs.cfg_c", is->cfg_c);
    if ((is->index & PEBS_INDEX_WR) > bytes)
        breach(check, DS_BREACH_ARCH_INDEX_RANGE, "pebs.index", is->index);
    if (threshold == 0 || threshold >= bytes)
        breach(check, DS_BREACH_ARCH_THRESHOLD_RANGE, "pebs.threshold", threshold);
    else if (bytes - threshold < is->record_size)
        breach(check, DS_BREACH_ARCH_THRESHOLD_ROOM, "pebs.threshold", threshold);
}

/* The pages that this program reads must be those that the processor writes, and contiguous. */
static void check_arch_pages(struct check *check, const struct arch_description *is)
{
    uint64_t seen = 0;

    for (uint64_t at = 0; at < arch_buffer_bytes(is->base); at += PAGE_SIZE) {
        struct ds_page page = { 0 };
        const bool there = is->page(is->context, is->linear + at, &page);
        const struct {
            enum ds_breach_id id;
            bool broken;
        } rule[] = {
            { DS_BREACH_ARCH_CONTIGUOUS, !there || page.physical != (is->base & PEBS_BASE_ADDRESS) + at },
            { DS_BREACH_ARCH_CODE, there && page.code },
            { DS_BREACH_ARCH_MEMORY_TYPE, there && !page.write_back },
        };
        for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
            const uint64_t bit = UINT64_C(1) << rule[i].id;
            if (rule[i].broken && (seen & bit) == 0)
                breach(check, rule[i].id, "pebs.buffer", is->linear + at);
            seen |= rule[i].broken ? bit : 0;
        }
    }
}

unsigned arch_check(const struct arch_description *description, struct ds_breaches *out)
{
    struct check check = { NULL, out, 0 };

    out->set = 0;
    out->count = 0;
    check_arch_registers(&check, description);
    check_arch_pages(&check, description);
    if (!description->apic_enabled)
        breach(&check, DS_BREACH_APIC_OFF, "apic", 0);
    check_interrupt(&check, description->lvt_performance, description->gate);
    return check.demands;
}

bool ds_breach_is_advice(enum ds_breach_id id)
{
    return rules[id].weight == ADVICE;
}

const char *ds_breach_name(enum ds_breach_id id)
{
    return rules[id].name;
}

const char *ds_breach_sentence(enum ds_breach_id id)
{
    return rules[id].sentence;
}

const char *ds_breach_citation(enum ds_breach_id id)
{
    return rules[id].citation;
}
