/* SPDX-License-Identifier: MIT */
/* ds: the management area with every field, the result of the kernel's own check, and how full the buffers are. */
#include <inttypes.h>
#include <stdio.h>

#include "lib/bytes.h"
#include "pebs/layout/arch_pebs.h"
#include "cpu/msr_index.h"
#include "ds/ds_check.h"
#include "tools/gdb/area.h"
#include "tools/gdb/reports.h"
#include "tools/gdb/target.h"

#define PAGE_WRITE    (UINT64_C(1) << 1)
#define PAGE_USER     (UINT64_C(1) << 2)
#define PAGE_UNCACHED (UINT64_C(3) << 3)
#define PAGE_ACCESSED (UINT64_C(1) << 5)
#define PAGE_DIRTY    (UINT64_C(1) << 6)
#define GATE_PRESENT  0x80u

/* Page tables show where code may be, not where it ran: the model's referee reports that. */
static bool page_facts(void *context, uint64_t linear, struct ds_page *page)
{
    const struct processor *p = context;
    uint64_t entry, physical;

    if (!target_page(p, linear, &entry, &physical))
        return false;
    *page = (struct ds_page){ .writable = (entry & PAGE_WRITE) != 0,
                              .user = (entry & PAGE_USER) != 0,
                              .accessed = (entry & PAGE_ACCESSED) != 0,
                              .dirty = (entry & PAGE_DIRTY) != 0,
                              .write_back = !(entry & PAGE_UNCACHED),
                              .physical = physical };
    return true;
}

/* A buffer in physical memory; no register has its linear address. */
static bool physical_page(void *context, uint64_t address, struct ds_page *page)
{
    (void)context;
    *page =
        (struct ds_page){ .writable = true, .accessed = true, .dirty = true, .write_back = true, .physical = address };
    return true;
}

/* If the IDT is unknown, its gate counts as correct. */
static enum ds_gate gate_of(const struct processor *p)
{
    const unsigned size = p->efer & EFER_LMA ? 16 : 8;
    uint8_t gate[8];

    if (!p->idt_known)
        return DS_GATE_INTERRUPT;
    if (!target_linear(p->idt + (p->lvtpc & 0xff) * size, gate, sizeof(gate)) || !(gate[5] & GATE_PRESENT))
        return DS_GATE_ABSENT;
    return (gate[5] & 0x1f) == 0xe ? DS_GATE_INTERRUPT : (gate[5] & 0x1f) == 0xf ? DS_GATE_TRAP : DS_GATE_OTHER;
}

static void print_unknown_gate(const struct processor *p)
{
    if (!p->idt_known)
        printf("(the state has no register idt: whether the vector has a handler was not checked)\n");
}

/* No register shows A20M mode: sections with bit 20 set in an address get a note, because they may be correct. */
static void print_breaches(const struct ds_breaches *found)
{
    unsigned printed = 0, noted = 0;

    for (unsigned i = 0; i < found->count; i++) {
        const struct ds_breach *b = &found->item[i];
        if (b->id == DS_BREACH_A20M)
            continue;
        printf("%s: %s 0x%" PRIx64 " %s\n       %s\n", ds_breach_is_advice(b->id) ? "advice" : "wrong", b->field,
               b->value, ds_breach_sentence(b->id), ds_breach_citation(b->id));
        printed++;
    }
    if (printed == 0)
        printf("no problem found\n");
    for (unsigned i = 0; i < found->count; i++)
        if (found->item[i].id == DS_BREACH_A20M)
            printf("%s%s", noted++ == 0 ? "note: bit 20 is set in the address of " : ", ", found->item[i].field);
    if (noted > 0)
        printf(": A20M mode must be off, and no register shows it\n");
}

/* " = base + 2 records + 4 bytes" */
static void print_distance(uint64_t base, uint64_t at, unsigned record)
{
    if (at < base || record == 0) {
        printf("\n");
        return;
    }
    printf("  base + %" PRIu64 " record%s", (at - base) / record, (at - base) / record == 1 ? "" : "s");
    if ((at - base) % record != 0)
        printf(" + %" PRIu64 " bytes", (at - base) % record);
    printf("\n");
}

static void print_buffer(const char *name, const struct ds_buffer *b, unsigned record, unsigned width)
{
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = { { "base", b->base }, { "index", b->index }, { "maximum", b->maximum }, { "threshold", b->threshold } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        printf("  %s.%-*s 0x%0*" PRIx64, name, (int)(15 - (name[0] == 'b' ? 3 : 4)), rows[i].name, (int)(2 * width),
               rows[i].value);
        if (i == 0 || b->base == 0)
            printf("\n");
        else
            print_distance(b->base, rows[i].value, record);
    }
}

static void print_resets(const struct processor *p, const struct ds_area *area)
{
    const unsigned format = p->caps.ds_area_format;
    const unsigned slots = p->caps.ds_width == DS_WIDTH_32 ? 1 : ds_reset_slots(format);

    for (unsigned slot = 0; slot < slots; slot++) {
        printf("  pebs.reset[%u]%*s 0x%016" PRIx64, slot, slot < 10 ? 2 : 1, "", area->pebs_reset[slot]);
        for (unsigned n = 0; n < 32; n++) {
            if (ds_reset_general(format, n) == slot)
                printf("  PMC%u", n);
            if (ds_reset_fixed(format, n) == slot)
                printf("  FIXED_CTR%u", n);
        }
        printf("\n");
    }
}

static uint64_t percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : part * 100 / whole;
}

/* How full a buffer with records of varying size is. */
static void print_bytes(const char *name, const struct ds_buffer *b, const char *state)
{
    const uint64_t bytes = b->maximum - b->base, used = b->index - b->base;

    printf("%s: %" PRIu64 " of %" PRIu64 " bytes (%" PRIu64 " %%), records vary in size", name, used, bytes,
           percent(used, bytes));
    if (b->threshold > b->index)
        printf(", %" PRIu64 " bytes to the threshold; %s\n", b->threshold - b->index, state);
    else
        printf(", the threshold is reached; %s\n", state);
}

/* How full a buffer is. */
static void print_fill(const char *name, const struct ds_buffer *b, unsigned record, bool circular, const char *state)
{
    if (b->base == 0 && b->maximum == 0) {
        printf("%s: no buffer; %s\n", name, state);
        return;
    }
    if (record == 0 || b->index < b->base || b->maximum < b->base) {
        printf("%s: fill level unknown; %s\n", name, state);
        return;
    }
    const uint64_t records = (b->maximum - b->base) / record, used = (b->index - b->base) / record;
    printf("%s: %" PRIu64 " of %" PRIu64 " records of %u bytes (%" PRIu64 " %%)", name, used, records, record,
           percent(used, records));
    if (circular)
        printf(", circular");
    else if (b->threshold > b->index)
        printf(", %" PRIu64 " to the threshold", (b->threshold - b->index + record - 1) / record);
    else
        printf(", the threshold is reached");
    printf("; %s\n", state);
}

static void describe_area(const struct processor *p, const struct ds_area *area, unsigned pebs_size,
                          struct ds_description *out)
{
    const struct ds_buffer *bts = &area->bts, *pebs = &area->pebs;

    *out = (struct ds_description){
        .area_base = processor_msr_or_0(p, MSR_IA32_DS_AREA),
        .area_size = p->caps.ds_area_size,
        .width = p->caps.ds_width,
        .area = *area,
        .linear_bits = p->caps.linear_bits,
        .bts = area_bts_on(p) || (bts->base | bts->index | bts->maximum | bts->threshold) != 0,
        .pebs = !area_is_arch(p) &&
                (area_pebs_on(p) != 0 || (pebs->base | pebs->index | pebs->maximum | pebs->threshold) != 0),
        .bts_circular = area_bts_circular(p, bts),
        .bts_record_size = p->caps.bts_record_size,
        .pebs_record_size = pebs_size != 0 ? pebs_size : 1, /* any address is on a grid of bytes */
        .apic_enabled = p->apic != 0,
        .lvt_performance = (uint32_t)p->lvtpc,
        .gate = gate_of(p),
        .page = page_facts,
        .context = (void *)(uintptr_t)p,
    };
}

static void report_area(const struct processor *p)
{
    struct ds_description description;
    struct ds_breaches breaches;
    struct ds_area area;
    char state[80];

    if (!area_read(p, &area))
        return;
    const unsigned pebs_size = area_pebs_record_size(p, &area.pebs);
    const bool vary = pebs_size == 0 && p->caps.pebs_method == PEBS_METHOD_ADAPTIVE && area.pebs.base != 0;
    describe_area(p, &area, pebs_size, &description);
    printf("management area at 0x%" PRIx64 " (IA32_DS_AREA): %zu bytes, addresses of %u\n", description.area_base,
           description.area_size, description.width);
    print_buffer("bts", &area.bts, description.bts_record_size, description.width);
    print_buffer("pebs", &area.pebs, pebs_size, description.width);
    print_resets(p, &area);
    snprintf(state, sizeof(state), "%s (IA32_DEBUGCTL 0x%" PRIx64 ")", area_bts_on(p) ? "on" : "off",
             processor_msr_or_0(p, MSR_IA32_DEBUGCTL));
    print_fill("BTS", &area.bts, description.bts_record_size, description.bts_circular, state);
    if (!area_is_arch(p)) {
        snprintf(state, sizeof(state), "%s (MSR_PEBS_ENABLE 0x%" PRIx64 ")", area_pebs_on(p) ? "on" : "off",
                 processor_msr_or_0(p, MSR_PEBS_ENABLE));
        if (vary && area.pebs.index >= area.pebs.base && area.pebs.maximum >= area.pebs.base)
            print_bytes("PEBS", &area.pebs, state);
        else
            print_fill("PEBS", &area.pebs, pebs_size, false, state);
    }
    ds_check(&description, &breaches);
    print_breaches(&breaches);
    print_unknown_gate(p);
    printf("(page tables do not show whether code has run in its pages: qemu-ds reports that, ds-page-has-code)\n");
}

static void report_arch(const struct processor *p)
{
    struct arch_description description;
    struct ds_breaches breaches;
    struct arch_state now;

    area_arch(p, &now);
    printf("PEBS is architectural: its records do not go into a DS area, but into physical memory that two registers "
           "describe\n");
    printf("  IA32_PEBS_BASE   0x%016" PRIx64 "  address 0x%" PRIx64 ", %" PRIu64 " bytes\n", now.base, now.address,
           now.bytes);
    printf("  IA32_PEBS_INDEX  0x%016" PRIx64 "  next record at + %" PRIu64 ", threshold %" PRIu64 ", %s%s\n",
           now.index, now.used, now.threshold, now.enabled ? "enabled" : "not enabled", now.full ? ", full" : "");
    if (now.base == 0) {
        printf("PEBS: no buffer has been set up on this processor\n");
        return;
    }
    printf("PEBS: %" PRIu64 " of %" PRIu64 " bytes (%" PRIu64 " %%)\n", now.used, now.bytes,
           percent(now.used, now.bytes));
    description = (struct arch_description){
        .base = now.base,
        .index = now.index,
        .cfg_c = now.cfg_c,
        .permitted = p->caps.pebs_cfg_c,
        .physical_bits = p->caps.physical_bits,
        .record_size =
            arch_pebs_size(now.cfg_c, p->caps.lbr_depth, p->caps.general_counters | p->caps.fixed_counters << 32),
        .linear = now.address,
        .page = physical_page,
        .apic_enabled = p->apic != 0,
        .lvt_performance = (uint32_t)p->lvtpc,
        .gate = gate_of(p),
    };
    arch_check(&description, &breaches);
    print_breaches(&breaches);
    print_unknown_gate(p);
    printf("(no register has the linear address of the buffer: its pages were not checked)\n");
}

void report_ds(const struct processor *p, unsigned count)
{
    (void)count;
    if (area_is_arch(p))
        report_arch(p);
    report_area(p);
}
