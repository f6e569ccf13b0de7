/* SPDX-License-Identifier: MIT */
/*
 * Breaks the manual's restrictions on the DS save area one at a time, in a BTS and in a PEBS buffer. The check must
 * refuse the area with exactly that breach, and no register may change. It must accept the same area without the
 * breach. An area that only breaks advice must be accepted, reported, and work.
 *
 * A test changes memory, page tables, LVT entry or IDT themselves, or if that is impossible, their description.
 *
 * forbidden.* program such areas anyway, only on request. No manual says what a processor does then. This kernel must
 * survive it, and the model's referee reports each breach (docs/referee.md).
 */
#include "suite/suite.h"

#include "arch/x86/paging.h"
#include "ds/ds_steps.h"

#define ADDRESS_BIT_20 (UINT64_C(1) << 20)

/* The area in which a rule is broken. */
struct setup {
    struct ds_description *is;
    struct ds_buffer *buffer; /* of the facility that will be enabled */
    uint64_t record;          /* bytes */
    uint64_t page, entry;     /* the page whose page-table entry was exchanged, and the old entry; 0: none */
};

/* One way to break one rule. The machine is spoiled before the description is made, the description afterwards. */
struct spoiling {
    void (*machine)(struct setup *setup);
    void (*description)(struct setup *setup);
    bool circular;                   /* a rule of circular BTS, which PEBS lacks */
    enum ds_breach_id breach;        /* what the check must find */
    const struct workload *workload; /* what runs in the area in spite of the breach: forbidden.* */
};

static void move_buffer(struct setup *s, uint64_t distance)
{
    s->buffer->base += distance;
    s->buffer->index += distance;
    s->buffer->maximum += distance;
    s->buffer->threshold += distance;
}

static void width_range(struct setup *s)
{
    s->buffer->threshold += UINT64_C(1) << 32;
}

static void canonical(struct setup *s)
{
    s->buffer->threshold ^= UINT64_C(1) << 63;
}

static void area_canonical(struct setup *s)
{
    s->is->area_base ^= UINT64_C(1) << 63;
}

static void area_zero(struct setup *s)
{
    s->is->area_base = 0;
}

static void order(struct setup *s)
{
    s->buffer->maximum = s->buffer->base - s->record;
}

static void too_small(struct setup *s)
{
    s->buffer->maximum = s->buffer->base + s->record - 1;
}

static void doubleword(struct setup *s)
{
    move_buffer(s, 2);
}

static void cache_line(struct setup *s)
{
    move_buffer(s, 4);
}

static void size_multiple(struct setup *s)
{
    s->buffer->maximum += 4;
}

static void index_range(struct setup *s)
{
    s->buffer->index = s->buffer->base - s->record;
}

static void index_grid(struct setup *s)
{
    s->buffer->index = s->buffer->base + 4;
}

static void threshold_range(struct setup *s)
{
    s->buffer->threshold = s->buffer->maximum;
}

static void threshold_grid(struct setup *s)
{
    s->buffer->threshold += 4;
}

static void threshold_room(struct setup *s)
{
    s->buffer->threshold = s->buffer->maximum - s->record;
}

static void circular(struct setup *s)
{
    s->buffer->threshold = s->buffer->maximum;
}

static void overlap(struct setup *s)
{
    move_buffer(s, s->is->area_base - s->buffer->base);
}

/* Exchanges the entry of the buffer's first page. */
static void change_page(struct setup *s, uint64_t clear, uint64_t set)
{
    s->page = s->buffer->base;
    paging_lookup(s->page, &s->entry);
    paging_exchange(s->page, (s->entry & ~clear) | set);
}

static void not_present(struct setup *s)
{
    change_page(s, PAGE_PRESENT, 0);
}

static void not_accessed(struct setup *s)
{
    change_page(s, PAGE_ACCESSED, 0);
}

static void not_dirty(struct setup *s)
{
    change_page(s, PAGE_DIRTY, 0);
}

static void not_writable(struct setup *s)
{
    change_page(s, PAGE_WRITE, 0);
}

static void user(struct setup *s)
{
    change_page(s, 0, PAGE_USER);
}

/* Moves the buffer to a page of the kernel's code, and makes the page valid otherwise. Without NX every page is code.
 */
static void code(struct setup *s)
{
    move_buffer(s, (uint64_t)(uintptr_t)text_start - s->buffer->base);
    change_page(s, 0, PAGE_WRITE | PAGE_DIRTY);
}

static void memory_type(struct setup *s)
{
    change_page(s, 0, PAGE_CACHE_DISABLE);
}

/* Maps the page to other memory, whose physical address has bit 20 set. The linear address has it clear. */
static void a20m(struct setup *s)
{
    change_page(s, 0, ADDRESS_BIT_20);
}

static void apic_off(struct setup *s)
{
    s->is->apic_enabled = false;
}

static void lvt_masked(struct setup *s)
{
    (void)s;
    apic_performance_write(VECTOR_PERFORMANCE | APIC_LVT_MASKED);
}

static void lvt_delivery(struct setup *s)
{
    (void)s;
    apic_performance_write(VECTOR_PERFORMANCE | APIC_LVT_NMI);
}

static void lvt_level_written(struct setup *s)
{
    (void)s;
    apic_performance_write(VECTOR_PERFORMANCE | APIC_LVT_LEVEL);
}

/* Spoils only the description, because an APIC may keep this bit of this entry at 0. */
static void lvt_level(struct setup *s)
{
    s->is->lvt_performance |= APIC_LVT_LEVEL;
}

static void lvt_vector(struct setup *s)
{
    (void)s;
    apic_performance_write(VECTOR_EXCEPTIONS - 1);
}

static void gate_absent(struct setup *s)
{
    (void)s;
    interrupt_gate_set_type(VECTOR_PERFORMANCE, 0);
}

static void gate_type(struct setup *s)
{
    (void)s;
    interrupt_gate_set_type(VECTOR_PERFORMANCE, GATE_TRAP);
}

/* The registers that no refusal may change. */
struct registers {
    uint64_t values[4];
};
#define REGISTER_SET "the set of IA32_DS_AREA, IA32_DEBUGCTL, IA32_PEBS_ENABLE and the LVT entry that "

static struct registers registers_read(void)
{
    return (struct registers){ { msr_get(MSR_IA32_DS_AREA), msr_get(MSR_IA32_DEBUGCTL), msr_get(MSR_PEBS_ENABLE),
                                 apic_performance_lvt() } };
}

/* The set of registers that have changed. */
static unsigned registers_changed(const struct registers *was)
{
    const struct registers is = registers_read();
    unsigned changed = 0;

    for (unsigned i = 0; i < sizeof is.values / sizeof is.values[0]; i++)
        changed |= (unsigned)(is.values[i] != was->values[i]) << i;
    return changed;
}

/* Builds and describes an area, up to the check. spoil: what to break in it; NULL: nothing. */
static void prepare(struct test_run *run, const struct ds_config *config, const struct spoiling *spoil,
                    struct ds_description *description, struct setup *setup)
{
    *setup =
        (struct setup){ .is = description, .buffer = config->bts ? &description->area.bts : &description->area.pebs };
    ds_build(run->caps, config);
    if (spoil && spoil->machine)
        spoil->machine(setup);
    ds_describe(run->caps, config, description);
    setup->record = config->bts ? description->bts_record_size : description->pebs_record_size;
    if (spoil && spoil->description)
        spoil->description(setup);
}

static void mend(const struct setup *setup)
{
    if (setup->page)
        paging_exchange(setup->page, setup->entry);
    interrupt_gate_set_type(VECTOR_PERFORMANCE, GATE_INTERRUPT);
}

static void refuse_for(struct test_run *run, const struct ds_config *config, const struct spoiling *spoil)
{
    const struct registers was = registers_read();
    struct ds_description description;
    struct ds_breaches breaches;
    struct setup setup;

    prepare(run, config, spoil, &description, &setup);
    ds_commit(run->caps, &description, &breaches);
    mend(&setup);
    test_equal(run, REGISTER_SET "a refusal changes", registers_changed(&was), 0);
    ds_close();
    records_expect_breach(run, &breaches, spoil->breach);

    prepare(run, config, NULL, &description, &setup);
    ds_commit(run->caps, &description, &breaches);
    test_equal(run, REGISTER_SET "the unspoiled area changes", registers_changed(&was),
               1 << 0 | 1 << 3); /* the first and the last */
    ds_close();
    test_equal(run, REGISTER_SET "are different afterwards", registers_changed(&was), 0);
}

static void refuse(struct test_run *run)
{
    const struct spoiling *spoil = run->test->argument;
    const struct ds_config bts = {
        .bts = true, .bts_circular = spoil->circular, .bts_records = 64, .bts_threshold = 32
    };
    const struct ds_config pebs = { .pebs = true, .pebs_records = 16, .pebs_threshold = 8 };

    refuse_for(run, &bts, spoil);
    if (!spoil->circular && caps_missing(run->caps, NEED_PEBS_AREA) == CAPS_AVAILABLE)
        refuse_for(run, &pebs, spoil);
}

/* Opens the spoiled area. Its one breach must be listed, and a trace in it must be complete. */
static void advise(struct test_run *run)
{
    const struct spoiling *spoil = run->test->argument;
    const struct ds_config config = { .bts = true, .bts_records = 512, .bts_threshold = 480 };
    struct ds_description description;
    struct ds_breaches breaches;
    struct setup setup;
    struct window window;
    bool open;

    test_plan(run, branch_count(&workload_calls, BRANCH_KINDS_ALL));
    prepare(run, &config, spoil, &description, &setup);
    open = ds_commit(run->caps, &description, &breaches);
    records_expect_breach(run, &breaches, spoil->breach);
    if (open) {
        window = bts_window(run->caps, false);
        workload_calls.run(&window);
        records_close(run, 0);
        records_compare_bts(run, &workload_calls, 0);
    }
    mend(&setup);
}

/* Switches tracing on and off with no branch in between, so that the processor writes no record where it must not. */
static void forbid(struct test_run *run)
{
    const struct spoiling *spoil = run->test->argument;
    const struct ds_config config = {
        .bts = true, .bts_circular = spoil->circular, .bts_records = 64, .bts_threshold = 32
    };
    struct ds_description description;
    struct setup setup;

    prepare(run, &config, spoil, &description, &setup);
    if (ds_force(run->caps, &description, false)) {
        struct window window = bts_window(run->caps, spoil->circular);
        spoil->workload->run(&window);
    } else {
        console_note("WRMSR to IA32_DS_AREA raised #GP");
    }
    mend(&setup);
    ds_close();
    console_note("%u interrupts, %u records", ds_counts()->interrupts, ds_bts_log()->records);
}

struct meddling {
    void (*meddle)(const struct caps *caps, uint8_t *area);
};

/* Software writes to the area while the processor does. */
static void while_tracing(struct test_run *run)
{
    const struct meddling *meddling = run->test->argument;
    const struct ds_config config = { .bts = true, .bts_records = 1024, .bts_threshold = 1000 };
    const struct ds_memory memory = ds_memory();
    struct window window;

    if (!records_open(run, &config))
        return;
    window = bts_window(run->caps, false);
    interrupts_off();
    msr_write(MSR_IA32_DEBUGCTL, window.on);
    meddling->meddle(run->caps, memory.area);
    msr_write(MSR_IA32_DEBUGCTL, window.off);
    interrupts_on();
    ds_close();
}

/* The index is the second field. */
static void move_index(const struct caps *caps, uint8_t *area)
{
    area[caps->ds_width] ^= 64;
}

static void move_maximum(const struct caps *caps, uint8_t *area)
{
    area[2 * caps->ds_width] ^= 64;
}

static void rewrite_area(const struct caps *caps, uint8_t *area)
{
    (void)caps;
    msr_write(MSR_IA32_DS_AREA, (uintptr_t)area);
}

static void read_lbr(struct test_run *run)
{
    const uint64_t rest = msr_get(MSR_IA32_DEBUGCTL);

    msr_write(MSR_IA32_DEBUGCTL, rest | run->caps->debugctl->lbr);
    console_note("the top of stack is %llu", (unsigned long long)msr_get(run->caps->lbr_tos));
    msr_write(MSR_IA32_DEBUGCTL, rest);
}

#define NEEDS (NEED_APIC | NEED_BTS)

/* A rule's test: what to spoil before the description (.machine) or in it (.description). */
#define REFUSE(rule, id_, needs_, title_, source_, ...)                                      \
    TEST(ds_refuse_##rule) = { .id = "selftest.ds.refuse." #rule,                            \
                               .title = title_ " is refused before IA32_DS_AREA is written", \
                               .source = source_,                                            \
                               .needs = NEEDS | (needs_),                                    \
                               .run = refuse,                                                \
                               .argument = &(const struct spoiling){ .breach = (id_), __VA_ARGS__ } }

#define ADVISE(rule, id_, title_, source_, ...)                                          \
    TEST(ds_advice_##rule) = { .id = "selftest.ds.advice." #rule,                        \
                               .title = title_ " is reported as inadvisable, and works", \
                               .source = source_,                                        \
                               .needs = NEEDS,                                           \
                               .records = true,                                          \
                               .run = advise,                                            \
                               .argument = &(const struct spoiling){ .breach = (id_), __VA_ARGS__ } }

REFUSE(width_range, DS_BREACH_WIDTH_RANGE, NEED_DS_32, "A threshold that does not fit into 32 bits",
       SDM_IA32E_OPERATION, .description = width_range);
REFUSE(canonical, DS_BREACH_CANONICAL, NEED_DS_64, "A threshold that is not a canonical address", SDM_IA32E_OPERATION,
       .description = canonical);
REFUSE(order, DS_BREACH_ORDER, 0, "A buffer that ends before it begins", SDM_DEBUG_STORE, .description = order);
REFUSE(too_small, DS_BREACH_TOO_SMALL, 0, "A buffer one byte too small for a record", SDM_DEBUG_STORE,
       .description = too_small);
REFUSE(doubleword, DS_BREACH_DOUBLEWORD, 0, "A buffer that is not on a doubleword boundary", SDM_SETTING_UP_DS,
       .description = doubleword);
ADVISE(cache_line, DS_BREACH_CACHE_LINE, "A buffer on a doubleword, but not on a cache line boundary,",
       SDM_SETTING_UP_DS, .description = cache_line);
ADVISE(size_multiple, DS_BREACH_SIZE_MULTIPLE, "A buffer whose size is not a multiple of the record's",
       SDM_SETTING_UP_DS, .description = size_multiple);
REFUSE(index_range, DS_BREACH_INDEX_RANGE, 0, "An index before its buffer", SDM_DEBUG_STORE,
       .description = index_range);
REFUSE(index_grid, DS_BREACH_INDEX_GRID, 0, "An index that is not on a record's first byte", SDM_DEBUG_STORE,
       .description = index_grid);
REFUSE(threshold_range, DS_BREACH_THRESHOLD_RANGE, 0, "A threshold at the end of the buffer", SDM_DEBUG_STORE,
       .description = threshold_range);
REFUSE(threshold_grid, DS_BREACH_THRESHOLD_GRID, 0, "A threshold that is not on a record's first byte", SDM_DEBUG_STORE,
       .description = threshold_grid);
REFUSE(threshold_room, DS_BREACH_THRESHOLD_ROOM, 0, "A threshold one record before the end of the buffer",
       SDM_DEBUG_STORE, .description = threshold_room);
REFUSE(circular, DS_BREACH_CIRCULAR, 0, "A circular buffer whose threshold can be reached", SDM_SETTING_UP_BTS,
       .description = circular, .circular = true);
REFUSE(overlap, DS_BREACH_OVERLAP, 0, "A buffer on top of the management area", SDM_SETTING_UP_DS,
       .description = overlap);
REFUSE(not_present, DS_BREACH_NOT_PRESENT, 0, "A buffer on a page that is not present", SDM_SETTING_UP_DS,
       .description = not_present);
REFUSE(not_accessed, DS_BREACH_NOT_ACCESSED, 0, "A buffer on a page not marked accessed", SDM_SETTING_UP_DS,
       .description = not_accessed);
REFUSE(not_dirty, DS_BREACH_NOT_DIRTY, 0, "A buffer on a page not marked dirty", SDM_SETTING_UP_DS,
       .description = not_dirty);
REFUSE(not_writable, DS_BREACH_NOT_WRITABLE, 0, "A buffer on a read-only page", SDM_SETTING_UP_DS,
       .description = not_writable);
REFUSE(user, DS_BREACH_USER, 0, "A buffer on a user page", SDM_SETTING_UP_DS, .description = user);
REFUSE(code, DS_BREACH_CODE, 0, "A buffer on a page with code", SDM_SETTING_UP_DS, .description = code);
ADVISE(memory_type, DS_BREACH_MEMORY_TYPE, "A buffer in uncacheable memory", SDM_SETTING_UP_DS,
       .description = memory_type);
REFUSE(a20m, DS_BREACH_A20M, 0, "A buffer with bit 20 set in its physical address", SDM_SETTING_UP_DS,
       .description = a20m);
REFUSE(apic_off, DS_BREACH_APIC_OFF, 0, "An area without a local APIC", SDM_SETTING_UP_DS, .description = apic_off);
REFUSE(lvt_masked, DS_BREACH_LVT_MASKED, 0, "A masked LVT entry", SDM_SETTING_UP_DS, .machine = lvt_masked);
REFUSE(lvt_delivery, DS_BREACH_LVT_DELIVERY, 0, "An LVT entry that delivers as NMI", SDM_SETTING_UP_DS,
       .machine = lvt_delivery);
REFUSE(lvt_level, DS_BREACH_LVT_LEVEL, 0, "A level-sensitive LVT entry", SDM_SETTING_UP_DS, .description = lvt_level);
REFUSE(lvt_vector, DS_BREACH_LVT_VECTOR, 0, "An LVT entry whose vector is one of the processor's exceptions",
       SDM_SETTING_UP_DS, .machine = lvt_vector);
REFUSE(gate_absent, DS_BREACH_GATE_ABSENT, 0, "An LVT entry whose vector has no handler", SDM_SETTING_UP_DS,
       .machine = gate_absent);
REFUSE(gate_type, DS_BREACH_GATE_TYPE, 0, "A trap gate at the LVT entry's vector", SDM_SETTING_UP_DS,
       .machine = gate_type);

#define FORBID_(name, needs_, title_, source_, ...)                                              \
    TEST(forbidden_##name) = { .id = "forbidden." #name,                                         \
                               .title = title_ " is programmed anyway, and the kernel survives", \
                               .source = source_,                                                \
                               .needs = NEEDS | (needs_),                                        \
                               .on_request = true,                                               \
                               __VA_ARGS__ }

/* Spoils the area and traces nothing in it. */
#define FORBID(name, title, source, ...)           \
    FORBID_(name, 0, title, source, .run = forbid, \
            .argument = &(const struct spoiling){ .workload = &workload_nothing, __VA_ARGS__ })

FORBID(area_zero, "An area at address 0", SDM_SETTING_UP_DS, .description = area_zero);
FORBID(area_canonical, "An area at an address that is not canonical", SDM_IA32E_OPERATION,
       .description = area_canonical);
FORBID(order, "A buffer that ends before it begins", SDM_DEBUG_STORE, .description = order);
FORBID(too_small, "A buffer one byte too small for a record", SDM_DEBUG_STORE, .description = too_small);
FORBID(doubleword, "A buffer that is not on a doubleword boundary", SDM_SETTING_UP_DS, .description = doubleword);
FORBID(index_range, "An index before its buffer", SDM_DEBUG_STORE, .description = index_range);
FORBID(index_grid, "An index that is not on a record's first byte", SDM_DEBUG_STORE, .description = index_grid);
FORBID(threshold_grid, "A threshold that is not on a record's first byte", SDM_DEBUG_STORE,
       .description = threshold_grid);
FORBID(threshold_room, "A threshold one record before the end of the buffer", SDM_DEBUG_STORE,
       .description = threshold_room);
FORBID(circular, "A circular buffer whose threshold can be reached", SDM_SETTING_UP_BTS, .description = circular,
       .circular = true);
FORBID(overlap, "A buffer on top of the management area", SDM_SETTING_UP_DS, .description = overlap);
FORBID(not_present, "A buffer on a page that is not present", SDM_SETTING_UP_DS, .description = not_present);
FORBID(not_accessed, "A buffer on a page not marked accessed", SDM_SETTING_UP_DS, .description = not_accessed);
FORBID(not_dirty, "A buffer on a page not marked dirty", SDM_SETTING_UP_DS, .description = not_dirty);
FORBID(not_writable, "A buffer on a read-only page", SDM_SETTING_UP_DS, .description = not_writable);
FORBID(user, "A buffer on a user page", SDM_SETTING_UP_DS, .description = user);
FORBID(code, "A buffer on a page with code", SDM_SETTING_UP_DS, .description = code);
FORBID(lvt_masked, "A masked LVT entry", SDM_SETTING_UP_DS, .machine = lvt_masked);
FORBID(lvt_level, "A level-sensitive LVT entry", SDM_SETTING_UP_DS, .machine = lvt_level_written);
FORBID(lvt_vector, "An LVT entry whose vector is one of the processor's exceptions", SDM_SETTING_UP_DS,
       .machine = lvt_vector);
FORBID_(gate_type, 0, "A trap gate at the LVT entry's vector", SDM_SETTING_UP_DS, .run = forbid,
        .argument = &(const struct spoiling){ .workload = &workload_long_loop, .machine = gate_type });
FORBID_(index_moved, 0, "An index that software moves while BTS or PEBS uses it", SDM_DS_SERVICE, .run = while_tracing,
        .argument = &(const struct meddling){ move_index });
FORBID_(maximum_moved, 0, "A maximum that software moves while BTS or PEBS uses it", SDM_DS_SERVICE,
        .run = while_tracing, .argument = &(const struct meddling){ move_maximum });
FORBID_(area_rewritten, 0, "IA32_DS_AREA written while BTS or PEBS uses it", SDM_SETTING_UP_DS, .run = while_tracing,
        .argument = &(const struct meddling){ rewrite_area });
FORBID_(lbr_read, NEED_LBR_TOS, "The LBR stack read while it records", SDM_LBR_STACK, .run = read_lbr);
