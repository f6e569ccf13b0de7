/* SPDX-License-Identifier: MIT */
/*
 * The restrictions on the DS save area: a valid description breaks none, and each breach is reported alone. SDM Vol. 3A
 * (253668-032), "Setting Up the DS Save Area", 16.4.9.2.
 */
#include "tests/host/unit_test.h"

#include "ds/ds_check.h"

#define AREA     0x200000u
#define BTS      0x201000u
#define PEBS     0x204000u
#define BTS_END  (BTS + 400 * 24)
#define PEBS_END (PEBS + 40 * 200)

/* Pages are identity-mapped, present and suitable for the DS area, except the one at `odd`. */
struct pages {
    uint64_t odd;
    bool odd_missing;
    struct ds_page odd_page;
    unsigned asked;
};

static const struct ds_page fit = { .writable = true, .accessed = true, .dirty = true, .write_back = true };

static bool page(void *context, uint64_t linear, struct ds_page *out)
{
    struct pages *pages = context;
    pages->asked++;
    *out = fit;
    out->physical = linear;
    if (pages->odd != linear >> 12 << 12)
        return true;
    *out = pages->odd_page;
    if (out->physical == 0)
        out->physical = linear;
    return !pages->odd_missing;
}

/* A description without a breach: 400 BTS records of 24 bytes on three pages, 40 PEBS records of 200 bytes on two. */
static struct ds_description clean(struct pages *pages)
{
    *pages = (struct pages){ .odd = 1, .odd_page = fit };
    return (struct ds_description){
        .area_base = AREA,
        .area_size = 0x60,
        .width = 8,
        .area = { .bts = { BTS, BTS, BTS + 400 * 24, BTS + 300 * 24 },
                  .pebs = { PEBS, PEBS, PEBS + 40 * 200, PEBS + 38 * 200 } },
        .linear_bits = 48,
        .bts = true,
        .pebs = true,
        .bts_record_size = 24,
        .pebs_record_size = 200,
        .a20m_prevented = false,
        .apic_enabled = true,
        .lvt_performance = 0xf0,
        .gate = DS_GATE_INTERRUPT,
        .page = page,
        .context = pages,
    };
}

static void assert_clean(const struct ds_description *description)
{
    struct ds_breaches out;
    unsigned demands = ds_check(description, &out);
    if (out.count != 0)
        fail_msg("%s %s", out.item[0].field, ds_breach_sentence(out.item[0].id));
    assert_int_equal(demands, 0);
    assert_int_equal(out.set, 0);
}

/* Expects exactly one breach, of this field with this value. */
static void assert_alone(const struct ds_description *description, enum ds_breach_id id, const char *field,
                         uint64_t value)
{
    struct ds_breaches out;
    unsigned demands = ds_check(description, &out);
    for (unsigned i = 0; i < out.count; i++)
        if (out.count != 1 || out.item[i].id != id)
            print_message("# found: %s %s\n", out.item[i].field, ds_breach_sentence(out.item[i].id));
    assert_int_equal(out.count, 1);
    assert_int_equal(out.set, UINT64_C(1) << id);
    assert_int_equal(out.item[0].id, id);
    assert_string_equal(out.item[0].field, field);
    assert_int_equal(out.item[0].value, value);
    assert_int_equal(demands, ds_breach_is_advice(id) ? 0 : 1);
}

static struct pages pages;
static struct ds_description d;

#define NEW                         (d = clean(&pages))
#define SET(field, value)           (d.field = (value))
#define BUFFER(field, ...)          (d.field = (struct ds_buffer){ __VA_ARGS__ })
#define CLEAN                       assert_clean(&d)
#define BREACH(breach, what, value) assert_alone(&d, DS_BREACH_##breach, what, value)

/* Changes of the description, and what the check finds. */
UNIT_TEST(descriptions)
{
    NEW, CLEAN;
    assert_int_equal(pages.asked, 1 + 3 + 2); /* every page of the three sections, once */
    /* circular BTS alone needs no interrupt */
    NEW, SET(pebs, false), SET(bts_circular, true), SET(area.bts.threshold, BTS_END + 24),
        SET(lvt_performance, 0x10000), SET(gate, DS_GATE_ABSENT), BUFFER(area.pebs, 1, 2, 3, 4), CLEAN;
    /* an area that nothing uses */
    SET(bts, false), SET(bts_circular, false), BUFFER(area.bts, 1, 2, 3, 4), CLEAN;
    /* PEBS alone */
    NEW, SET(bts, false), BUFFER(area.bts, 1, 2, 3, 4), CLEAN;
    /* "a multiple of the record size plus 1" */
    NEW, SET(area.bts.maximum, d.area.bts.maximum + 1), SET(area.pebs.maximum, d.area.pebs.maximum + 1), CLEAN;
    /* in use: the index has advanced, at most to the end */
    NEW, SET(area.bts.index, d.area.bts.index + 24), SET(area.pebs.index, PEBS_END), CLEAN;
    /* the minimum space after the threshold */
    NEW, SET(area.bts.threshold, BTS_END - 2 * 24), CLEAN;
    /* larger than 64 KiB, with odd indices */
    NEW, BUFFER(area.bts, 0x400000, 0x400000 + 9999 * 24, 0x400000 + 10000 * 24, 0x400000 + 7777 * 24), CLEAN;
    /* adjacent buffers that share a page do not overlap */
    NEW, BUFFER(area.pebs, 0x203580, 0x203580, 0x203580 + 40 * 200, 0x203580 + 20 * 200), CLEAN;
    BUFFER(area.bts, 0x2054c0, 0x2054c0, 0x2054c0 + 100 * 24, 0x2054c0 + 50 * 24), CLEAN;

    NEW, SET(width, 4), SET(linear_bits, 32), SET(area_size, 0x30), SET(bts_record_size, 12), SET(pebs_record_size, 40),
        SET(a20m_prevented, true),
        BUFFER(area.bts, 0xfffff000, 0xfffff000, 0xfffff000 + 340 * 12, 0xfffff000 + 300 * 12), CLEAN;

    /* The management area may end at the last byte of the address space, but not later. */
    NEW, SET(a20m_prevented, true), SET(area_base, UINT64_C(0xffffffffffffff80)), CLEAN;
    SET(area_size, 0x80), CLEAN;
    SET(area_size, 0x81), BREACH(ORDER, "area", 0xffffffffffffff80);
    NEW, SET(a20m_prevented, true), SET(width, 4), SET(area_base, 0xffffffc0), SET(area_size, 0x40), CLEAN;
    SET(area_size, 0x41), BREACH(ORDER, "area", 0xffffffc0);

    /* nothing else about this address is checked */
    NEW, SET(area_base, UINT64_C(0x800000000000)), (pages.odd = UINT64_C(0x800000000000), pages.odd_missing = true),
        BREACH(CANONICAL, "area", 0x800000000000);
    NEW, SET(area.bts.base, UINT64_C(0x800000000000)), BREACH(CANONICAL, "bts.base", 0x800000000000);
    NEW, SET(area.pebs.index, UINT64_C(0xffff700000000000)), BREACH(CANONICAL, "pebs.index", 0xffff700000000000);
    NEW, SET(area.pebs.maximum, UINT64_C(0x1000000000000)), BREACH(CANONICAL, "pebs.maximum", 0x1000000000000);
    NEW, SET(area.bts.threshold, UINT64_C(0x800000000000)), BREACH(CANONICAL, "bts.threshold", 0x800000000000);
    /* DTES64 outside IA-32e mode: 64-bit fields, 32-bit addresses */
    NEW, SET(linear_bits, 32), CLEAN;
    SET(area.bts.threshold, UINT64_C(0x100000000) + d.area.bts.threshold),
        BREACH(CANONICAL, "bts.threshold", UINT64_C(0x100000000) + BTS + 300 * 24);
    /* 32-bit addresses are not sign-extended */
    SET(area.bts.threshold, BTS + 300 * 24), SET(a20m_prevented, true), SET(area_base, 0xffffff00), CLEAN;
    /* the upper half of the address space is valid; with 57 bits it is larger */
    NEW, SET(area_base, UINT64_C(0xffff800000000000)), CLEAN;
    SET(area_base, UINT64_C(0xff00000000000000)), SET(linear_bits, 57), CLEAN;
    NEW, SET(width, 4), SET(area.bts.index, UINT64_C(0x100000000) + d.area.bts.index),
        BREACH(WIDTH_RANGE, "bts.index", UINT64_C(0x100000000) + BTS);

    NEW, SET(area.bts.maximum, BTS - 1), BREACH(ORDER, "bts.maximum", BTS - 1);
    NEW, SET(area_base, UINT64_C(0xffffffffffffffc0)), BREACH(ORDER, "area", 0xffffffffffffffc0);
    NEW, SET(area_size, 0), BREACH(ORDER, "area", AREA);
    SET(area_base, 0), BREACH(ORDER, "area", 0);
    SET(area_size, 1), CLEAN;
    NEW, SET(width, 4), SET(area_base, 0xffffffc0), BREACH(ORDER, "area", 0xffffffc0);
    NEW, SET(area.pebs.maximum, PEBS + 199), BREACH(TOO_SMALL, "pebs.maximum", PEBS + 199);
    NEW, SET(area.pebs.maximum, PEBS), BREACH(TOO_SMALL, "pebs.maximum", PEBS);
    /* a record without a size */
    NEW, SET(bts_record_size, 0), BREACH(TOO_SMALL, "bts.maximum", BTS_END);
    /* a size that no processor has */
    NEW, SET(bts_record_size, 0x10000), BREACH(TOO_SMALL, "bts.maximum", BTS_END);
    NEW, SET(area.bts.maximum, d.area.bts.maximum + 2), BREACH(SIZE_MULTIPLE, "bts.maximum", BTS_END + 2);
    SET(area.bts.maximum, d.area.bts.maximum + 6), BREACH(SIZE_MULTIPLE, "bts.maximum", BTS_END + 8);
    /* one record is enough for a circular buffer */
    NEW, SET(pebs, false), SET(bts_circular, true), SET(area.bts.maximum, BTS + 24), CLEAN;
    NEW, SET(area_base, AREA + 2), BREACH(DOUBLEWORD, "area", AREA + 2);
    SET(area_base, AREA + 4), BREACH(CACHE_LINE, "area", AREA + 4);
    NEW, BUFFER(area.bts, BTS + 1, BTS + 1, BTS + 1 + 400 * 24, BTS + 1 + 300 * 24),
        BREACH(DOUBLEWORD, "bts.base", BTS + 1);
    NEW, BUFFER(area.pebs, PEBS + 32, PEBS + 32, PEBS + 32 + 30 * 200, PEBS + 32 + 20 * 200),
        BREACH(CACHE_LINE, "pebs.base", PEBS + 32);

    NEW, SET(area.bts.index, BTS - 24), BREACH(INDEX_RANGE, "bts.index", BTS - 24);
    SET(area.bts.index, BTS + 401 * 24), BREACH(INDEX_RANGE, "bts.index", BTS + 401 * 24);
    SET(area.bts.index, BTS + 23), BREACH(INDEX_GRID, "bts.index", BTS + 23);
    NEW, SET(area.pebs.threshold, PEBS), BREACH(THRESHOLD_RANGE, "pebs.threshold", PEBS);
    SET(area.pebs.threshold, PEBS - 200), BREACH(THRESHOLD_RANGE, "pebs.threshold", PEBS - 200);
    SET(area.pebs.threshold, PEBS_END), BREACH(THRESHOLD_RANGE, "pebs.threshold", PEBS_END);
    SET(area.pebs.threshold, PEBS_END + 200), BREACH(THRESHOLD_RANGE, "pebs.threshold", PEBS + 41 * 200);
    SET(area.pebs.threshold, PEBS + 8), BREACH(THRESHOLD_GRID, "pebs.threshold", PEBS + 8);
    SET(area.pebs.threshold, PEBS + 39 * 200), BREACH(THRESHOLD_ROOM, "pebs.threshold", PEBS + 39 * 200);

    NEW, SET(pebs, false), SET(bts_circular, true), BREACH(CIRCULAR, "bts.threshold", BTS + 300 * 24);
    SET(area.bts.threshold, BTS_END), BREACH(CIRCULAR, "bts.threshold", BTS_END);
    SET(area.bts.threshold, BTS_END + 1), CLEAN;
    /* now not circular */
    SET(bts_circular, false), BREACH(THRESHOLD_RANGE, "bts.threshold", BTS_END + 1);
    NEW, BUFFER(area.pebs, 0x203540, 0x203540, 0x203540 + 20 * 200, 0x203540 + 10 * 200),
        BREACH(OVERLAP, "pebs", 0x203540);
    NEW, SET(area_base, BTS + 0x40), BREACH(OVERLAP, "bts", BTS + 0x40);
    NEW, SET(area_base, PEBS - 0x40), BREACH(OVERLAP, "pebs", PEBS);

    NEW, SET(apic_enabled, false), BREACH(APIC_OFF, "apic", 0);
    NEW, SET(lvt_performance, 0x100f0), BREACH(LVT_MASKED, "lvt.performance", 0x100f0);
    /* NMI: no vector, no trigger mode, no gate */
    SET(lvt_performance, 0x400), BREACH(LVT_DELIVERY, "lvt.performance", 0x400);
    SET(lvt_performance, 0x80f0), BREACH(LVT_LEVEL, "lvt.performance", 0x80f0);
    SET(lvt_performance, 0x1f), BREACH(LVT_VECTOR, "lvt.performance", 0x1f);
    SET(lvt_performance, 0x20), CLEAN;
    /* delivery status is read-only */
    SET(lvt_performance, 0x10f0), CLEAN;
    NEW, SET(gate, DS_GATE_ABSENT), BREACH(GATE_ABSENT, "lvt.performance", 0xf0);
    SET(gate, DS_GATE_TRAP), BREACH(GATE_TYPE, "lvt.performance", 0xf0);
    SET(gate, DS_GATE_OTHER), BREACH(GATE_TYPE, "lvt.performance", 0xf0);
    /* BTS with an interrupt needs the gate, too */
    SET(pebs, false), BREACH(GATE_TYPE, "lvt.performance", 0xf0);
    NEW, SET(bts, false), SET(gate, DS_GATE_OTHER), BREACH(GATE_TYPE, "lvt.performance", 0xf0);
}

UNIT_TEST(pages_of_every_section)
{
    static const struct {
        const char *field;
        uint64_t page, value; /* value: the section's first address on that page */
    } sections[] = {
        { "area", AREA, AREA },
        { "bts", BTS + 0x1000, BTS + 0x1000 },
        { "bts", BTS, BTS },
        { "bts", BTS + 0x2000, BTS + 0x2000 },
        { "pebs", PEBS + 0x1000, PEBS + 0x1000 },
    };
    static const struct {
        struct ds_page page;
        enum ds_breach_id id;
    } pages_of[] = {
        { { .dirty = true, .writable = true, .write_back = true }, DS_BREACH_NOT_ACCESSED },
        { { .accessed = true, .writable = true, .write_back = true }, DS_BREACH_NOT_DIRTY },
        { { .accessed = true, .dirty = true, .write_back = true }, DS_BREACH_NOT_WRITABLE },
        { { .accessed = true, .dirty = true, .writable = true, .write_back = true, .user = true }, DS_BREACH_USER },
        { { .accessed = true, .dirty = true, .writable = true, .write_back = true, .code = true }, DS_BREACH_CODE },
        { { .accessed = true, .dirty = true, .writable = true }, DS_BREACH_MEMORY_TYPE },
        { { .accessed = true, .dirty = true, .writable = true, .write_back = true, .physical = 0x100000 },
          DS_BREACH_A20M },
    };
    for (size_t i = 0; i < COUNT_OF(sections); i++) {
        NEW;
        pages.odd = sections[i].page;
        pages.odd_missing = true;
        assert_alone(&d, DS_BREACH_NOT_PRESENT, sections[i].field, sections[i].value);
        pages.odd_missing = false;
        for (size_t k = 0; k < COUNT_OF(pages_of); k++) {
            pages.odd_page = pages_of[k].page;
            assert_alone(&d, pages_of[k].id, sections[i].field, sections[i].value);
        }
        d.a20m_prevented = true; /* removes the breach of the last section */
        assert_clean(&d);
    }
}

UNIT_TEST(several_bad_pages)
{
    NEW;
    d.area_base = 0x300000; /* bit 20 of the linear address */
    assert_alone(&d, DS_BREACH_A20M, "area", 0x300000);

    /* a buffer with several bad pages is reported once, with its first bad page */
    NEW;
    d.area.bts = (struct ds_buffer){ 0x2ff000, 0x2ff000, 0x2ff000 + 1000 * 24, 0x2ff000 + 900 * 24 };
    assert_alone(&d, DS_BREACH_A20M, "bts", 0x300000);

    /* a section that begins inside a page is reported with its own first byte */
    NEW;
    d.area_base = AREA + 0x80;
    pages.odd = AREA;
    pages.odd_page.dirty = false;
    assert_alone(&d, DS_BREACH_NOT_DIRTY, "area", AREA + 0x80);

    /* a buffer whose start is further into its page than its end: the last page is checked */
    NEW;
    d.area.bts = (struct ds_buffer){ BTS + 0x800, BTS + 0x800, BTS + 0x800 + 260 * 24, BTS + 0x800 + 200 * 24 };
    pages.odd = BTS + 0x2000;
    pages.odd_missing = true;
    assert_alone(&d, DS_BREACH_NOT_PRESENT, "bts", BTS + 0x2000);

    /* the byte that "plus 1" adds is never written, so its page does not matter */
    NEW;
    d.area.pebs = (struct ds_buffer){ 0x206180, 0x206180, 0x206180 + 64 * 200, 0x206180 + 32 * 200 };
    d.area.pebs.base = d.area.pebs.index = 0x20a000 - 64 * 200; /* ends exactly with a page */
    d.area.pebs.maximum = 0x20a000 + 1;
    d.area.pebs.threshold = 0x20a000 - 32 * 200;
    pages.odd = 0x20a000;
    pages.odd_missing = true;
    assert_clean(&d);

    /* several rules at once are all listed */
    NEW;
    pages.odd = AREA;
    pages.odd_page = (struct ds_page){ .user = true, .code = true };
    struct ds_breaches out;
    assert_int_equal(ds_check(&d, &out), 5);
    assert_int_equal(out.count, 6); /* plus the memory type, which is advice */
    assert_int_equal(out.set, UINT64_C(1) << DS_BREACH_NOT_ACCESSED | UINT64_C(1) << DS_BREACH_NOT_DIRTY |
                                  UINT64_C(1) << DS_BREACH_NOT_WRITABLE | UINT64_C(1) << DS_BREACH_USER |
                                  UINT64_C(1) << DS_BREACH_CODE | UINT64_C(1) << DS_BREACH_MEMORY_TYPE);
}

/* More breaches than the list holds: the set has all of them. */
UNIT_TEST(the_list_is_bounded)
{
    NEW;
    struct ds_breaches out;
    d.area.bts = d.area.pebs = (struct ds_buffer){ 0x300002, 0x300001, 0x300102, 0x300101 };
    d.area_base = 0x300002;
    d.page = page;
    pages.odd = 0x300000;
    pages.odd_page = (struct ds_page){ .user = true, .code = true };
    d.lvt_performance = 0x18010;
    d.gate = DS_GATE_ABSENT;
    d.apic_enabled = false;
    unsigned demands = ds_check(&d, &out);
    assert_int_equal(out.count, DS_BREACH_LIST);
    assert_true(demands > DS_BREACH_LIST);
    assert_true(out.set >> DS_BREACH_GATE_ABSENT & 1); /* the last to be checked */
    assert_true(out.set >> DS_BREACH_LVT_LEVEL & 1);
    assert_true(out.set >> DS_BREACH_LVT_MASKED & 1);
}

#define ARCH_BUFFER UINT64_C(0x210000)

/* A buffer of 64 KiB, mapped at its physical address, with a threshold a page before its end. */
static struct arch_description arch_clean(struct pages *pages)
{
    *pages = (struct pages){ .odd = 1, .odd_page = fit };
    return (struct arch_description){ .base = ARCH_BUFFER | 4,
                                      .index = UINT64_C(0xf00100000000),
                                      .cfg_c = UINT64_C(0xe000000000000000),
                                      .permitted = UINT64_C(0xe002030000000000),
                                      .physical_bits = 40,
                                      .record_size = 224,
                                      .linear = ARCH_BUFFER,
                                      .page = page,
                                      .context = pages,
                                      .apic_enabled = true,
                                      .lvt_performance = 0xf0,
                                      .gate = DS_GATE_INTERRUPT };
}

/* Expects exactly these breaches; `demands` of them break a requirement. */
static void expect_arch(const struct arch_description *d, uint64_t set, unsigned demands)
{
    struct ds_breaches out;

    assert_int_equal(arch_check(d, &out), demands);
    assert_int_equal(out.set, set);
}

#define BIT(id) (UINT64_C(1) << DS_BREACH_##id)

UNIT_TEST(arch_registers)
{
    static const struct {
        uint64_t base, linear, index; /* 0: those of a description without a breach */
        unsigned physical_bits;
        uint64_t set;
        unsigned demands;
    } rows[] = {
        { 0, 0, 0, 40, 0, 0 },
        { 0x3f0004, 0x3f0000, 0, 22, 0, 0 }, /* ends at the physical address limit */
        { 0x3f0004, 0x3f0000, 0, 21, BIT(ARCH_PHYSICAL), 1 },
        { 0x3f1004, 0x3f1000, 0, 22, BIT(ARCH_PHYSICAL), 1 },
        { ARCH_BUFFER | 4 | UINT64_C(1) << 60, 0, 0, 40, BIT(ARCH_PHYSICAL), 1 },
        { 0x211004, 0x211000, 0, 40, BIT(ARCH_ALIGNED), 0 },
        { 0, 0, 0xf00100010000, 40, 0, 0 }, /* full, to the last byte */
        { 0, 0, 0xf00100010010, 40, BIT(ARCH_INDEX_RANGE), 1 },
        { 0, 0, UINT64_C(1) << 32, 40, BIT(ARCH_THRESHOLD_RANGE), 1 },
        { 0, 0, UINT64_C(0x1000000000000), 40, BIT(ARCH_THRESHOLD_RANGE), 1 },
        { 0, 0, (0x10000 - UINT64_C(224)) << 32, 40, 0, 0 }, /* one record follows it */
        { 0, 0, (0x10000 - UINT64_C(208)) << 32, 40, BIT(ARCH_THRESHOLD_ROOM), 0 },
    };
    struct arch_description d;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        d = arch_clean(&pages);
        d.base = rows[i].base ? rows[i].base : d.base;
        d.linear = rows[i].linear ? rows[i].linear : d.linear;
        d.index = rows[i].index ? rows[i].index : d.index;
        d.physical_bits = rows[i].physical_bits;
        expect_arch(&d, rows[i].set, rows[i].demands);
        if (i == 0)
            assert_int_equal(pages.asked, 2 * 16 - 16);
    }
    assert_int_equal(arch_buffer_bytes(ARCH_BUFFER | 4), 0x10000);
    assert_int_equal(arch_buffer_bytes(0), 0x1000);
    assert_int_equal(arch_buffer_bytes(15), 0x8000000);
    for (unsigned bit = 0; bit < 64; bit++) { /* each bit of each register alone */
        const uint64_t it = UINT64_C(1) << bit;
        const bool reserved = bit < 4 || (bit >= 27 && bit < 31) || (bit >= 33 && bit < 36) || bit >= 59;

        d = arch_clean(&pages);
        d.base |= it;
        if (bit >= 4 && bit < 12)
            expect_arch(&d, BIT(ARCH_PAGE), 1);
        d = arch_clean(&pages);
        d.index |= it;
        if (bit < 16 || (bit >= 27 && bit < 36) || bit >= 59) /* not THRESH, or a WR past the end */
            expect_arch(&d, reserved ? BIT(ARCH_RESERVED) : 0, reserved);
        d = arch_clean(&pages);
        d.cfg_c |= it;
        const bool may = bit < 32 || d.permitted >> bit & 1;
        expect_arch(&d, may ? 0 : BIT(ARCH_CFG_C), !may);
    }
}

UNIT_TEST(arch_pages)
{
    struct arch_description d = arch_clean(&pages);

    for (uint64_t at = 0; at < 0x10000; at += 0x1000) {
        d = arch_clean(&pages);
        pages.odd = ARCH_BUFFER + at;
        pages.odd_missing = true;
        expect_arch(&d, BIT(ARCH_CONTIGUOUS), 1);
        pages.odd_missing = false;
        pages.odd_page.physical = 0x700000;
        expect_arch(&d, BIT(ARCH_CONTIGUOUS), 1);
        pages.odd_page = fit;
        pages.odd_page.code = true;
        expect_arch(&d, BIT(ARCH_CODE), 1);
        pages.odd_page = fit;
        pages.odd_page.write_back = false;
        expect_arch(&d, BIT(ARCH_MEMORY_TYPE), 0);
        pages.odd_page = (struct ds_page){ .user = true, .write_back = true }; /* not a rule for a physical buffer */
        expect_arch(&d, 0, 0);
    }
    d = arch_clean(&pages);
    pages.odd = ARCH_BUFFER + 0x10000;
    pages.odd_missing = true;
    expect_arch(&d, 0, 0);
    d.apic_enabled = false;
    expect_arch(&d, BIT(APIC_OFF), 1);
    d.apic_enabled = true;
    d.lvt_performance = 0x100f0;
    expect_arch(&d, BIT(LVT_MASKED), 1);
    d.lvt_performance = 0xf0;
    d.gate = DS_GATE_TRAP;
    expect_arch(&d, BIT(GATE_TYPE), 1);
    d.gate = DS_GATE_ABSENT;
    expect_arch(&d, BIT(GATE_ABSENT), 1);
}

UNIT_TEST(every_breach_has_a_text)
{
    for (unsigned id = 0; id < DS_BREACH_COUNT; id++) {
        assert_non_null(ds_breach_name((enum ds_breach_id)id));
        assert_non_null(ds_breach_sentence((enum ds_breach_id)id));
        assert_non_null(ds_breach_citation((enum ds_breach_id)id));
        if (id < DS_BREACH_ARCH_PAGE)
            assert_non_null(strstr(ds_breach_citation((enum ds_breach_id)id), "SDM Vol. 3A (253668-032), "));
        for (unsigned other = 0; other < id; other++)
            assert_string_not_equal(ds_breach_name((enum ds_breach_id)id), ds_breach_name((enum ds_breach_id)other));
        bool advice = id == DS_BREACH_CACHE_LINE || id == DS_BREACH_SIZE_MULTIPLE || id == DS_BREACH_MEMORY_TYPE ||
                      id == DS_BREACH_ARCH_ALIGNED || id == DS_BREACH_ARCH_MEMORY_TYPE ||
                      id == DS_BREACH_ARCH_THRESHOLD_ROOM;
        assert_int_equal(ds_breach_is_advice((enum ds_breach_id)id), advice);
    }
}
