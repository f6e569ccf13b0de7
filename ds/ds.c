/* SPDX-License-Identifier: MIT */
#include "ds/ds.h"

#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/processor_number.h"
#include "arch/x86/string.h"
#include "pebs/layout/arch_pebs.h"
#include "pebs/layout/formats.h"
#include "ds/arch_buffer.h"
#include "ds/counting.h"
#include "ds/ds_area.h"
#include "ds/ds_log.h"
#include "ds/ds_steps.h"

#define BTS_BUFFER_SIZE  0x18000u
#define PEBS_BUFFER_SIZE 0x10000u
#define BTS_LOG_SIZE     0x30000u
#define PEBS_LOG_SIZE    0x30000u

/* Processors other than the boot processor record little, so their buffers are small. */
#define OTHER_PEBS_BUFFER_SIZE 0x7000u
#define OTHER_BTS_BUFFER_SIZE  0x8000u
#define OTHER_PEBS_LOG_SIZE    0x6000u
#define OTHER_BTS_LOG_SIZE     0x2800u

#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define CPUID_1_EDX_MTRR       (1u << 12)
#define CPUID_1_EDX_PAT        (1u << 16)
#define PAT_ALL_WB             UINT64_C(0x0606060606060606)

/* Far more PAUSEs than a record needs to reach memory. */
#define QUIESCENT_PAUSES 1000u

/* Places memory on its own pages (linker.ld), without code or other data. */
#define DS_MEMORY __attribute__((section(".ds"), aligned(4096)))
static uint8_t management_area[PAGE_SIZE] DS_MEMORY;
static uint8_t bts_buffer[BTS_BUFFER_SIZE] DS_MEMORY;
/* Aligned on its own size (linker.ld), which architectural PEBS needs. */
static uint8_t pebs_buffer[PEBS_BUFFER_SIZE] __attribute__((section(".ds.pebs"), aligned(4096)));

/* The smallest record of architectural PEBS has a header and the basic group. */
#define PLACES(bytes) ((bytes) / ARCH_PEBS_LEAST)

static uint8_t bts_log_bytes[BTS_LOG_SIZE], pebs_log_bytes[PEBS_LOG_SIZE];
static uint16_t pebs_log_places[PLACES(PEBS_LOG_SIZE)];

/* The debug store of one processor. */
struct ds_cpu {
    uint8_t *management_area;
    struct ds_facility bts, pebs;
    bool circular; /* the BTS buffer */
    bool arch;     /* PEBS is architectural: these registers describe the buffer */
    struct arch_buffer buffer;
    uint64_t base;
    struct ds_counts counts;
    uint64_t going_on;     /* counters that the service routine does not stop */
    struct ds_area opened; /* the area as written, with empty buffers; a drain restores it */
    uint8_t opened_bytes[sizeof(struct ds_layout_64)]; /* its bytes in memory */
    const struct caps *open_for;                       /* NULL while closed */
    void (*observer)(uint64_t global_status);
};

static struct ds_cpu boot_processor = { .management_area = management_area,
                                        .bts = { .log_bytes = bts_log_bytes,
                                                 .log_size = BTS_LOG_SIZE,
                                                 .memory = bts_buffer,
                                                 .memory_size = BTS_BUFFER_SIZE },
                                        .pebs = { .log_bytes = pebs_log_bytes,
                                                  .log_size = PEBS_LOG_SIZE,
                                                  .log_places = pebs_log_places,
                                                  .memory = pebs_buffer,
                                                  .memory_size = PEBS_BUFFER_SIZE } };
static struct ds_cpu *processors[PROCESSORS_MOST] = { &boot_processor };

_Static_assert(PAGE_SIZE + OTHER_PEBS_BUFFER_SIZE + OTHER_BTS_BUFFER_SIZE <= DS_STORE_MEMORY,
               "the memory that ds_assign() gets is large enough");
_Static_assert(sizeof(struct ds_cpu) + OTHER_PEBS_LOG_SIZE + OTHER_BTS_LOG_SIZE + 2 * PLACES(OTHER_PEBS_LOG_SIZE) <=
                   DS_KEPT_MEMORY,
               "the memory that ds_assign() gets is large enough");

void ds_assign(unsigned processor, uint8_t *store, uint8_t *kept)
{
    struct ds_cpu *const ds = (struct ds_cpu *)(void *)(kept + OTHER_PEBS_LOG_SIZE + OTHER_BTS_LOG_SIZE);

    *ds = (struct ds_cpu){ .management_area = store,
                           .pebs = { .log_bytes = kept,
                                     .log_size = OTHER_PEBS_LOG_SIZE,
                                     .log_places = (uint16_t *)(void *)(ds + 1),
                                     .memory = store + PAGE_SIZE,
                                     .memory_size = OTHER_PEBS_BUFFER_SIZE },
                           .bts = { .log_bytes = kept + OTHER_PEBS_LOG_SIZE,
                                    .log_size = OTHER_BTS_LOG_SIZE,
                                    .memory = store + PAGE_SIZE + OTHER_PEBS_BUFFER_SIZE,
                                    .memory_size = OTHER_BTS_BUFFER_SIZE } };
    processors[processor] = ds;
}

/* The calling processor's debug store. Inlined, because BTS would record the call in the service routine. */
static inline __attribute__((always_inline)) struct ds_cpu *own(void)
{
    return processors[processor_number()];
}

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static void memory_registers_read(struct memory_registers *registers)
{
    const uint32_t flags = cpuid(1, 0).edx;
    const unsigned count = flags & CPUID_1_EDX_MTRR ? (unsigned)(msr_get(MSR_IA32_MTRRCAP) & MTRRCAP_VCNT) : 0;

    *registers = (struct memory_registers){ .count = count < MTRR_RANGES ? count : MTRR_RANGES };
    registers->mtrrs = flags & CPUID_1_EDX_MTRR && msr_read(MSR_IA32_MTRR_DEF_TYPE, &registers->default_type);
    if (!(flags & CPUID_1_EDX_PAT) || !msr_read(MSR_IA32_PAT, &registers->pat))
        registers->pat = PAT_ALL_WB;
    for (unsigned n = 0; n < registers->count; n++) {
        registers->range[n].base = msr_get(MSR_IA32_MTRR_PHYSBASE(n));
        registers->range[n].mask = msr_get(MSR_IA32_MTRR_PHYSMASK(n));
    }
}

bool ds_is_write_back(struct memory_finding *found)
{
    const struct ds_cpu *const ds = own();
    const struct {
        uint64_t start, size;
    } sections[] = { { address_of(ds->management_area), PAGE_SIZE },
                     { address_of(ds->bts.memory), ds->bts.memory_size },
                     { address_of(ds->pebs.memory), ds->pebs.memory_size } };
    struct memory_registers registers;
    bool all = true;

    if (cpuid(1, 0).ecx & CPUID_1_ECX_HYPERVISOR)
        return true;
    memory_registers_read(&registers);
    for (unsigned i = 0; i < sizeof sections / sizeof sections[0]; i++)
        for (uint64_t at = 0; all && at < sections[i].size; at += PAGE_SIZE)
            all = memory_is_write_back(&registers, sections[i].start + at, found);
    return all;
}

/* All bits of IA32_DEBUGCTL that make this processor store branches. */
static uint64_t bts_bits(const struct caps *caps)
{
    return caps->debugctl->tr | caps->debugctl->bts | caps->debugctl->btint;
}

static void area_read(const struct ds_cpu *ds, struct ds_area *area)
{
    ds_area_decode(ds->open_for->ds_width, ds->open_for->ds_area_format, ds->management_area, PAGE_SIZE, area);
}

static void area_write(struct ds_cpu *ds, const struct caps *caps, const struct ds_area *area)
{
    ds_area_encode(caps->ds_width, caps->ds_area_format, area, ds->management_area, PAGE_SIZE);
}

/* Whether the reset values are unchanged. Otherwise the period between PEBS records is unknown. */
static bool resets_intact(const struct ds_cpu *ds, const struct ds_area *area)
{
    for (unsigned i = 0; i < ds_reset_slots(ds->open_for->ds_area_format); i++)
        if (area->pebs_reset[i] != ds->opened.pebs_reset[i])
            return false;
    return true;
}

/* Empties the buffer of architectural PEBS into its log. Returns whether it had records. */
static bool drain_arch(struct ds_cpu *ds, bool go_on)
{
    struct arch_filled filled;

    if (!ds->arch)
        return false;
    filled = arch_buffer_take(go_on);
    if (filled.full)
        ds->pebs.log.overruns++;
    if (filled.bytes > arch_buffer_size(&ds->buffer) || msr_get(MSR_IA32_PEBS_BASE) != ds->base) {
        ds->pebs.log.broken++;
        return true;
    }
    ds->counts.pebs_indexed += ds_log_drain_varied(&ds->pebs, ds->buffer.memory, filled.bytes);
    return filled.bytes != 0 || filled.full;
}

static bool drain_area(struct ds_cpu *ds)
{
    const bool pebs = ds->pebs.used && !ds->arch;
    struct ds_area area;
    bool any;

    if (!ds->bts.used && !pebs)
        return false;
    area_read(ds, &area);
    any = !ds->circular && ds_log_drain(&ds->bts, &area.bts, &ds->opened.bts, &ds->counts.bts_indexed);
    any |= pebs && ds_log_drain(&ds->pebs, &area.pebs, &ds->opened.pebs, &ds->counts.pebs_indexed);
    if (pebs && !resets_intact(ds, &area)) {
        ds->pebs.log.broken++;
        any = true;
    }
    if (any)
        memcpy(ds->management_area, ds->opened_bytes, ds->open_for->ds_area_size);
    return any;
}

/* go_on: for architectural PEBS, whether to enable the buffer again at once. */
static bool drain_both(struct ds_cpu *ds, bool go_on)
{
    const bool area = drain_area(ds), arch = drain_arch(ds, go_on);

    return area || arch;
}

/* The registers as the routine found them: a window of measurement may have set these bits. */
static void compare_registers(const struct caps *caps, uint64_t debugctl, uint64_t control)
{
    const struct debugctl_bits *const bits = caps->debugctl;

    msr_watch_read(MSR_IA32_DEBUGCTL, debugctl,
                   bits->lbr | bts_bits(caps) | bits->bts_off_os | bits->bts_off_usr | bits->freeze_lbrs);
    if (caps->global_ctrl)
        msr_watch_read(MSR_IA32_PERF_GLOBAL_CTRL, control,
                       caps->general_counters | caps->fixed_counters << 32 | PERF_GLOBAL_CTRL_METRICS);
}

/*
 * The DS interrupt service routine: stop, drain up to the index, reset, acknowledge, re-arm. BTS is stopped first,
 * because it would record this routine's branches. The processor masked the LVT entry on delivery. The entry is
 * unmasked and the EOI sent before any counter runs again, so that no interrupt is lost. An interrupt that was pending
 * when the area was closed finds it drained, and leaves the LVT entry masked.
 */
static void service(struct interrupt_frame *frame)
{
    struct ds_cpu *const ds = own();
    uint64_t debugctl, control, status;
    bool any, watched;

    (void)frame;
    if (!ds->open_for) {
        apic_eoi();
        return;
    }
    debugctl = msr_get(MSR_IA32_DEBUGCTL);
    if (ds->bts.used)
        msr_write(MSR_IA32_DEBUGCTL, debugctl & ~bts_bits(ds->open_for));
    control = counting_stop(ds->open_for, ds->going_on);
    watched = !ds->going_on;
    if (watched) {
        msr_watch_resume();
        compare_registers(ds->open_for, debugctl, control);
    }
    status = counting_status(ds->open_for);

    any = drain_both(ds, true);
    ds->counts.interrupts++;
    ds->counts.spurious += !any && !counting_causes(status);
    ds->counts.untraced += !(debugctl & ds->open_for->debugctl->bts);
    if (ds->observer)
        ds->observer(status);

    counting_acknowledge(ds->open_for, status);
    apic_performance_arm(VECTOR_PERFORMANCE);
    apic_eoi();
    if (watched)
        msr_watch_pause();
    counting_resume(ds->open_for, control);
    if (ds->bts.used)
        msr_write(MSR_IA32_DEBUGCTL, debugctl);
}

static bool page_facts(void *context, uint64_t linear, struct ds_page *page)
{
    uint64_t entry;

    (void)context;
    if (!paging_lookup(linear, &entry))
        return false;
    *page = (struct ds_page){ .writable = (entry & PAGE_WRITE) != 0,
                              .user = (entry & PAGE_USER) != 0,
                              .accessed = (entry & PAGE_ACCESSED) != 0,
                              .dirty = (entry & PAGE_DIRTY) != 0,
                              .code = paging_no_execute()
                                          ? !(entry & PAGE_NO_EXECUTE)
                                          : linear >= address_of(text_start) && linear < address_of(user_end),
                              .write_back = !(entry & (PAGE_CACHE_DISABLE | PAGE_WRITE_THROUGH)),
                              .physical = (entry & PAGE_ADDRESS) | (linear & (PAGE_SIZE - 1)) };
    return true;
}

static struct ds_buffer buffer_of(const uint8_t *memory, unsigned record_size, unsigned records, unsigned threshold)
{
    uint64_t base = address_of(memory);

    return (struct ds_buffer){ .base = base,
                               .index = base,
                               .maximum = base + (uint64_t)records * record_size,
                               .threshold = base + (uint64_t)threshold * record_size };
}

/* Bits above 31 that counters will have in CFG_C. */
static uint64_t cfg_c_of(const struct caps *caps, uint64_t cfg_c, uint64_t data_cfg)
{
    return cfg_c ? cfg_c : (arch_pebs_groups(data_cfg) & caps->pebs_cfg_c) | ARCH_PEBS_EN;
}

/* Size in bytes of an unfragmented record, which has the values of all counters if it has any. */
static unsigned arch_bytes(const struct caps *caps, uint64_t cfg_c)
{
    return (unsigned)arch_pebs_size(cfg_c, caps->lbr_depth, caps->general_counters | caps->fixed_counters << 32);
}

static unsigned pebs_bytes(const struct caps *caps, uint64_t data_cfg)
{
    if (caps->pebs_method == PEBS_METHOD_ARCH)
        return arch_bytes(caps, cfg_c_of(caps, 0, data_cfg));
    return caps->pebs_method == PEBS_METHOD_ADAPTIVE ? (unsigned)pebs_adaptive_size(data_cfg) : caps->pebs_record_size;
}

unsigned ds_arch_capacity(const struct caps *caps, uint64_t cfg_c)
{
    const struct arch_buffer most = arch_buffer_in(own()->pebs.memory, own()->pebs.memory_size, SIZE_MAX);

    return (unsigned)arch_buffer_size(&most) / arch_bytes(caps, cfg_c);
}

/*
 * With format 0, a PEBS buffer larger than a page may hang the write of IA32_PERF_GLOBAL_CTRL (Core 2; Linux has the
 * same limit).
 */
unsigned ds_pebs_capacity(const struct caps *caps, uint64_t data_cfg)
{
    unsigned record = pebs_bytes(caps, data_cfg);
    unsigned size =
        caps->pebs_method == PEBS_METHOD_GENERAL && caps->pebs_format == 0 ? PAGE_SIZE : own()->pebs.memory_size;

    if (caps->pebs_method == PEBS_METHOD_ARCH)
        return ds_arch_capacity(caps, cfg_c_of(caps, 0, data_cfg));
    return record ? size / record : 0;
}

bool ds_build(const struct caps *caps, const struct ds_config *config)
{
    struct ds_cpu *const ds = own();

    ds_close();
    ds_log_open(&ds->bts, config->bts, caps->bts_record_size);
    ds->arch = config->pebs && caps->pebs_method == PEBS_METHOD_ARCH;
    ds_log_open(&ds->pebs, config->pebs,
                ds->arch && config->pebs_cfg_c ? arch_bytes(caps, config->pebs_cfg_c)
                                               : pebs_bytes(caps, config->pebs_data_cfg));
    if (ds->arch) {
        ds->pebs.log.places = ds->pebs.log_places;
        ds->buffer = arch_buffer_in(ds->pebs.memory, ds->pebs.memory_size,
                                    (size_t)config->pebs_records * ds->pebs.log.record_size);
    }
    ds->circular = config->bts && config->bts_circular;
    ds->counts = (struct ds_counts){ 0 };
    ds->going_on = config->counting;
    if (((uint64_t)config->bts_before + config->bts_records) * caps->bts_record_size > ds->bts.memory_size ||
        (config->pebs &&
         config->pebs_records > (ds->arch && config->pebs_cfg_c ? ds_arch_capacity(caps, config->pebs_cfg_c)
                                                                : ds_pebs_capacity(caps, config->pebs_data_cfg))))
        return false;
    if (config->bts)
        memset(ds->bts.memory, 0, ds->bts.memory_size);
    if (config->pebs)
        memset(ds->pebs.memory, 0, ds->pebs.memory_size);
    interrupt_set(VECTOR_PERFORMANCE, service);
    apic_performance_arm(VECTOR_PERFORMANCE);
    return true;
}

static struct ds_area area_of(const struct ds_cpu *ds, const struct caps *caps, const struct ds_config *config)
{
    /*
     * Clears bits above the counter's width, since no manual says that they are ignored. Width 0 (no CPUID.0AH): all
     * bits are kept.
     */
    const uint64_t width = UINT64_MAX >> (64 - caps->general_width) % 64;
    const uint64_t fixed_width = UINT64_MAX >> (64 - caps->fixed_width) % 64;
    struct ds_area area = { 0 };

    if (config->bts)
        area.bts =
            buffer_of(ds->bts.memory + (size_t)config->bts_before * caps->bts_record_size, caps->bts_record_size,
                      config->bts_records, config->bts_circular ? config->bts_records + 1 : config->bts_threshold);
    if (config->pebs && !ds->arch)
        area.pebs = buffer_of(ds->pebs.memory, ds->pebs.log.record_size, config->pebs_records, config->pebs_threshold);
    for (unsigned i = 0; i < DS_GENERAL_COUNTERS; i++) {
        unsigned slot = ds_reset_general(caps->ds_area_format, i);
        if (slot < DS_RESET_MAX)
            area.pebs_reset[slot] = config->pebs_reset[i] & width;
    }
    for (unsigned i = 0; i < DS_FIXED_COUNTERS; i++) {
        unsigned slot = ds_reset_fixed(caps->ds_area_format, i);
        if (slot < DS_RESET_MAX)
            area.pebs_reset[slot] = config->pebs_reset_fixed[i] & fixed_width;
    }
    return area;
}

static enum ds_gate gate_now(void)
{
    const uint8_t gate = interrupt_gate_type(apic_performance_lvt() & APIC_LVT_VECTOR);

    return gate == GATE_INTERRUPT ? DS_GATE_INTERRUPT
           : gate == GATE_TRAP    ? DS_GATE_TRAP
           : gate                 ? DS_GATE_OTHER
                                  : DS_GATE_ABSENT;
}

void ds_describe(const struct caps *caps, const struct ds_config *config, struct ds_description *description)
{
    const struct ds_cpu *const ds = own();

    *description = (struct ds_description){ .area_base = address_of(ds->management_area),
                                            .area_size = caps->ds_area_size,
                                            .width = caps->ds_width,
                                            .area = area_of(ds, caps, config),
                                            .linear_bits = caps->linear_bits,
                                            .bts = config->bts,
                                            .pebs = config->pebs && !ds->arch,
                                            .bts_circular = config->bts_circular,
                                            .bts_record_size = caps->bts_record_size,
                                            .pebs_record_size = ds->pebs.log.record_size,
                                            .apic_enabled = apic_present(),
                                            .lvt_performance = apic_performance_lvt(),
                                            .gate = gate_now(),
                                            .page = page_facts };
}

void ds_arch_describe(const struct caps *caps, const struct ds_config *config, struct arch_description *description)
{
    const struct ds_cpu *const ds = own();
    const size_t threshold = (size_t)config->pebs_threshold * ds->pebs.log.record_size;

    *description = (struct arch_description){ .base = arch_buffer_base(&ds->buffer),
                                              .index = arch_buffer_index(threshold),
                                              .cfg_c = cfg_c_of(caps, config->pebs_cfg_c, config->pebs_data_cfg),
                                              .permitted = caps->pebs_cfg_c,
                                              .physical_bits = caps->physical_bits,
                                              .record_size = ds->pebs.log.record_size,
                                              .linear = address_of(ds->buffer.memory),
                                              .page = page_facts,
                                              .apic_enabled = apic_present(),
                                              .lvt_performance = apic_performance_lvt(),
                                              .gate = gate_now() };
}

bool ds_arch_commit(const struct caps *caps, const struct arch_description *description, struct ds_breaches *breaches)
{
    struct ds_cpu *const ds = own();

    if (arch_check(description, breaches) || !arch_buffer_open(description->base, description->index)) {
        apic_performance_mask();
        return false;
    }
    ds->base = description->base;
    ds->open_for = caps;
    return true;
}

/* Not inline, not even in part: GDB's tour stops here. */
__attribute__((noinline)) bool ds_force(const struct caps *caps, const struct ds_description *description, bool legal)
{
    struct ds_cpu *const ds = own();

    ds->open_for = caps;
    area_write(ds, caps, &description->area);
    ds_area_adopt();
    return legal ? msr_write(MSR_IA32_DS_AREA, description->area_base)
                 : msr_try(MSR_IA32_DS_AREA, description->area_base);
}

bool ds_commit(const struct caps *caps, const struct ds_description *description, struct ds_breaches *breaches)
{
    if (ds_check(description, breaches)) {
        apic_performance_mask();
        return false;
    }
    ds_force(caps, description, true); /* a refusal is a difference that the watch reports */
    return true;
}

bool ds_open(const struct caps *caps, const struct ds_config *config, struct ds_breaches *breaches)
{
    struct ds_description description;
    struct arch_description arch;

    *breaches = (struct ds_breaches){ 0 };
    if (!ds_build(caps, config))
        return false;
    if (config->bts || !own()->arch) {
        ds_describe(caps, config, &description);
        if (!ds_commit(caps, &description, breaches))
            return false;
    }
    if (!own()->arch)
        return true;
    ds_arch_describe(caps, config, &arch);
    return ds_arch_commit(caps, &arch, breaches);
}

uint64_t ds_pebs_stop(void)
{
    uint64_t was;

    if (own()->arch)
        return arch_buffer_stop();
    was = msr_get(MSR_PEBS_ENABLE);
    msr_write(MSR_PEBS_ENABLE, 0);
    return was;
}

void ds_pebs_resume(uint64_t was)
{
    if (own()->arch)
        arch_buffer_go_on(was != 0);
    else
        msr_write(MSR_PEBS_ENABLE, was);
}

/* An undecodable record ends the count. The drain reports it. */
unsigned ds_pebs_waiting(void)
{
    const struct ds_cpu *const ds = own();
    const uint8_t *at = ds->buffer.memory;
    struct ds_area area;
    unsigned count = 0;
    size_t left, size;

    if (!ds->arch) {
        area_read(ds, &area);
        return (unsigned)(area.pebs.index - area.pebs.base) / ds->pebs.log.record_size;
    }
    left = (size_t)(msr_get(MSR_IA32_PEBS_INDEX) & PEBS_INDEX_WR);
    for (; left > 0 && arch_pebs_extent(at, left, &size) == PEBS_DECODE_OK; count++) {
        at += size;
        left -= size;
    }
    return count;
}

static bool is_past_threshold(const struct ds_cpu *ds)
{
    const bool late = ds->open_for->pebs_method == PEBS_METHOD_GENERAL && ds->open_for->pebs_format == 0;
    const uint64_t index = ds->arch ? msr_get(MSR_IA32_PEBS_INDEX) : 0;
    struct ds_area area;

    area_read(ds, &area);
    return (ds->bts.used && !ds->circular && area.bts.index > area.bts.threshold) ||
           (ds->pebs.used && !ds->arch && area.pebs.index >= area.pebs.threshold + late) ||
           (index & PEBS_INDEX_WR) > (index & PEBS_INDEX_THRESH_FIELD) >> 32;
}

bool ds_served(void)
{
    for (unsigned i = 0; i < QUIESCENT_PAUSES && is_past_threshold(own()); i++)
        cpu_pause();
    return !is_past_threshold(own());
}

void ds_settle(void)
{
    for (unsigned i = 0; i < QUIESCENT_PAUSES; i++)
        cpu_pause();
}

void ds_close(void)
{
    struct ds_cpu *const ds = own();

    if (!ds->open_for)
        return;
    interrupts_off();
    if (ds->bts.used)
        msr_write(MSR_IA32_DEBUGCTL, msr_get(MSR_IA32_DEBUGCTL) & ~bts_bits(ds->open_for));
    counting_stop(ds->open_for, ds->going_on);
    if (ds->pebs.used) {
        ds_pebs_stop();
        ds_settle();
    }
    if (ds->circular) {
        struct ds_area area;
        area_read(ds, &area);
        ds_log_drain_circular(&ds->bts, &area.bts, &ds->opened.bts);
    }
    drain_both(ds, false);
    ds_log_check_outside(&ds->bts, &ds->opened.bts);
    if (!ds->arch)
        ds_log_check_outside(&ds->pebs, &ds->opened.pebs);
    counting_acknowledge(ds->open_for, counting_status(ds->open_for));
    apic_performance_mask();
    if (ds->arch)
        arch_buffer_close(ds->open_for);
    if (ds->bts.used || !ds->arch)
        msr_write(MSR_IA32_DS_AREA, 0);
    ds->open_for = NULL;
    interrupts_on();
}

void ds_area_read(struct ds_area *area)
{
    area_read(own(), area);
}

const struct ds_log *ds_bts_log(void)
{
    return &own()->bts.log;
}

const struct ds_log *ds_pebs_log(void)
{
    return &own()->pebs.log;
}

const struct ds_counts *ds_counts(void)
{
    return &own()->counts;
}

const struct ds_log *ds_pebs_log_of(unsigned processor)
{
    return &processors[processor]->pebs.log;
}

const struct ds_counts *ds_counts_of(unsigned processor)
{
    return &processors[processor]->counts;
}

void ds_on_interrupt(void (*observe)(uint64_t global_status))
{
    own()->observer = observe;
}

void ds_area_adopt(void)
{
    struct ds_cpu *const ds = own();

    area_read(ds, &ds->opened);
    ds->opened.bts.index = ds->opened.bts.base;
    ds->opened.pebs.index = ds->opened.pebs.base;
    ds_area_encode(ds->open_for->ds_width, ds->open_for->ds_area_format, &ds->opened, ds->opened_bytes,
                   sizeof ds->opened_bytes);
}

void ds_logs_empty(void)
{
    struct ds_cpu *const ds = own();

    ds->bts.log.records = ds->pebs.log.records = 0;
    ds->pebs.log.used = 0;
}

struct ds_memory ds_memory(void)
{
    const struct ds_cpu *const ds = own();

    return (struct ds_memory){ .area = ds->management_area,
                               .bts = ds->bts.memory,
                               .pebs = ds->arch ? ds->buffer.memory : ds->pebs.memory,
                               .area_size = PAGE_SIZE,
                               .bts_size = ds->bts.memory_size,
                               .pebs_size = ds->arch ? arch_buffer_size(&ds->buffer) : ds->pebs.memory_size };
}
