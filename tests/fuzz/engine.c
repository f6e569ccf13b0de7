/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: two bytes, the profile and the ways of the run; then operations of a guest, and of the machine around it, each
 * a byte and its arguments. Memory and page tables are those of a hostile machine: pages are missing, have aliases, and
 * change between two accesses. Whatever the guest does, the engine reads no freed block and no byte that it was not
 * given, works and reports in bounds, names an instruction in each report, and writes records only into the buffers.
 */
#define _GNU_SOURCE /* fopencookie */

#include <sanitizer/asan_interface.h>

#include "tests/fuzz/fuzz.h"
#include "tests/host/model_code.h"

#include "model/bytes/arch_pebs.h"
#include "model/engine/cpuid.h"
#include "model/engine/data.h"
#include "model/engine/data_cache.h"
#include "model/engine/standing.h"
#include "model/latitude/latitude.h"
#include "model/processors/profiles.h"
#include "model/referee/referee_area.h"

#define PAGE         UINT64_C(4096)
#define RAM_SIZE     (32 * PAGE)
#define HIGH         UINT64_C(0xffff800000100000) /* where the memory is mapped at first, and in low memory */
#define LOW          UINT64_C(0x100000)
#define AREA         UINT64_C(0x800) /* offset of the usual DS area, of its buffers */
#define BUFFERS      UINT64_C(0x2000)
#define HANDLER      UINT64_C(0xffff800000900000)
#define MAPPED       UINT64_C(0x63) /* present, writable, accessed, dirty */
#define SPACES       2u
#define MAPPINGS     8u
#define POOL         8u
#define MADE_MAX     4096u
#define COUNT_MAX    20u
#define OPERATIONS   400u
#define INSTRUCTIONS 12000u /* in all */
#define BATCH        200u

/*
 * The most that one operation may cost. It may process a full ring of earlier blocks; a WRMSR may check 32768 pages of
 * each of three sections.
 */
#define CALLS_MAX   (3 * 32768 + 8 * ENGINE_RING + 64 * machine.instructions)
#define TRUTH_MAX   (2 * ENGINE_RING + 8 * machine.instructions)
#define REPORTS_MAX 300u

#define PRESENT UINT64_C(1)
#define METRICS (UINT64_C(1) << 48) /* of IA32_PERF_GLOBAL_CTRL */

enum ways { TWO = 1, LATITUDE = 2, TRUTH = 4, SILENT = 8, SEVERAL = 32 };

struct log {
    FILE *file;
    unsigned lines; /* of this operation */
    size_t length;
    char line[16384];
};

struct code {
    struct block *block;
    uint64_t data;
    unsigned size;
    unsigned repetitions;
    bool repeats;
};

/* One processor and its local APIC. All after `apic` is that of a new processor at the beginning of each input. */
struct guest {
    struct vcpu v;
    struct vcpu *made; /* as after engine_init() */
    struct hot hot;
    struct apic {
        uint32_t lvtpc;
        enum in_service in_service;
        bool disabled, pending, interrupts_on, trap_gate, keeps_mask, ia32e;
        unsigned cpl, space, depth;
        uint64_t tsc, tsc_offset;
    } apic;
};

static struct machine {
    struct mapping {
        uint64_t linear, size, physical, flags;
        bool large;
    } mappings[SPACES][MAPPINGS];
    struct {
        uint8_t reads, writes, memory, change; /* every n-th fails, or changes memory; 0: none */
    } hostile;
    struct code pool[POOL];
    struct block *made[MADE_MAX];
    unsigned made_count;
    unsigned ways;
    bool looked;
    struct guest *guests[2];
    unsigned calls, instructions; /* of this operation */
    unsigned all_calls, all_instructions;
    uint64_t number; /* the last one taken */
    uint32_t noise;
} machine;

static _Alignas(4096) uint8_t ram[RAM_SIZE];
static struct log truth, violations;

/* ---- what the model writes ---- */

static ssize_t log_write(void *cookie, const char *text, size_t size)
{
    struct log *log = cookie;

    for (size_t i = 0; i < size; i++) {
        REQUIRE(log->length < sizeof(log->line) - 1);
        log->line[log->length++] = text[i];
        if (text[i] == '\n') {
            log->line[log->length] = '\0';
            if (log == &violations && strstr(log->line, " rip=0x0 ") != NULL) {
                fprintf(stderr, "a report without an instruction: %s", log->line);
                abort();
            }
            log->lines++;
            log->length = 0;
        }
    }
    return (ssize_t)size;
}

static FILE *log_open(struct log *log)
{
    log->file = fopencookie(log, "w", (cookie_io_functions_t){ .write = log_write });
    REQUIRE(log->file != NULL);
    return log->file;
}

/* ---- the hostile machine ---- */

static uint32_t noise(void)
{
    machine.noise ^= machine.noise << 13;
    machine.noise ^= machine.noise >> 17;
    machine.noise ^= machine.noise << 5;
    return machine.noise;
}

/* Each call of the engine. Memory that it was given before is no longer its own. */
static void called(void)
{
    machine.calls++;
    machine.all_calls++;
    REQUIRE(machine.calls <= CALLS_MAX);
    ASAN_UNPOISON_MEMORY_REGION(ram, sizeof(ram));
    if (machine.hostile.change != 0 && machine.all_calls % machine.hostile.change == 0)
        ram[AREA + noise() % 0x60] = (uint8_t)noise();
}

static bool fails(uint8_t every)
{
    return every != 0 && machine.all_calls % every == 0;
}

/* Later mappings precede earlier ones. NULL: none. */
static const struct mapping *mapping_of(const struct guest *g, uint64_t linear)
{
    for (unsigned i = MAPPINGS; i-- > 0;) {
        const struct mapping *m = &machine.mappings[g->apic.space][i];

        if (linear - m->linear < m->size)
            return m;
    }
    return NULL;
}

/* The memory at a linear address, which repeats in a large page, and how many bytes follow there; or NULL. */
static uint8_t *translate(const struct guest *g, uint64_t linear, uint64_t *left)
{
    const struct mapping *m = mapping_of(g, linear);
    const uint64_t at = m == NULL ? 0 : (m->physical + linear - m->linear) % RAM_SIZE;

    *left = PAGE - at % PAGE;
    return m != NULL && (m->flags & PRESENT) ? &ram[at] : NULL;
}

static bool copy(const struct guest *g, uint64_t address, void *to, const void *from, size_t size)
{
    uint64_t left;

    for (size_t done = 0; done < size;) {
        uint8_t *memory = translate(g, address + done, &left);

        if (memory == NULL)
            return false;
        const size_t some = left < size - done ? (size_t)left : size - done;

        if (to != NULL)
            memcpy((uint8_t *)to + done, memory, some);
        else
            memcpy(memory, (const uint8_t *)from + done, some);
        done += some;
    }
    return true;
}

/* Whether the buffer has room for a record, and the bytes lie in it; any bytes, if it has no room. */
static bool within(const struct ds_buffer *b, size_t record, uint64_t address, uint64_t size)
{
    const bool sane = b->maximum >= b->base && b->maximum - b->base >= record;

    return !sane || (address >= b->base && address <= b->maximum && size <= b->maximum - address);
}

static void check_written(const struct guest *g, uint64_t address, size_t size)
{
    const struct vcpu *v = &g->v;
    const struct ds_form *form = &v->ds.form;
    const uint64_t area = v->regs[REG_IA32_DS_AREA];
    const bool bts = v->bts.staged > 0 && address == v->bts.at && size == v->bts.staged * encode_bts_bytes(form);
    const bool pebs = v->pebs.staged > 0 && address == v->pebs.at && size == v->pebs.staged;

    if (bts && within(&v->ds.area.bts, encode_bts_bytes(form), address, size))
        return;
    if (pebs && within(&v->ds.area.pebs, size, address, size))
        return;
    REQUIRE(size == form->width &&
            (address == area + encode_bts_index_at(form) || address == area + encode_pebs_index_at(form)));
}

static bool host_read(void *cpu, uint64_t address, void *bytes, size_t size)
{
    called();
    return !fails(machine.hostile.reads) && copy(cpu, address, bytes, NULL, size);
}

static bool host_write(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    called();
    check_written(cpu, address, size);
    return !fails(machine.hostile.writes) && copy(cpu, address, NULL, bytes, size);
}

/* All memory except these bytes is poisoned until the next call. */
static uint8_t *host_memory(void *cpu, uint64_t address, size_t size)
{
    const struct vcpu *v = &((struct guest *)cpu)->v;
    uint64_t left;

    called();
    REQUIRE((address == v->regs[REG_IA32_DS_AREA] && size == encode_ds_bytes(&v->ds.form)) ||
            within(&v->ds.area.bts, ENCODE_BTS_MAX, address, size));
    uint8_t *const memory = translate(cpu, address, &left);

    if (memory == NULL || left < size || fails(machine.hostile.memory))
        return NULL;
    ASAN_POISON_MEMORY_REGION(ram, sizeof(ram));
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

static bool host_read_physical(void *cpu, uint64_t address, void *bytes, size_t size)
{
    called();
    if (fails(machine.hostile.reads) || address > RAM_SIZE - size)
        return false;
    memcpy(bytes, &ram[address], size);
    return true;
}

static bool host_write_physical(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    const struct vcpu *v = &((struct guest *)cpu)->v;
    const uint64_t base = v->regs[REG_IA32_PEBS_BASE];
    const uint64_t offset = address - (base & PEBS_BASE_ADDRESS), all = PAGE << (base & PEBS_BASE_SIZE);

    called();
    REQUIRE(vcpu_is_arch_pebs(v) && offset <= all && size <= all - offset);
    if (fails(machine.hostile.writes) || address > RAM_SIZE - size)
        return false;
    memcpy(&ram[address], bytes, size);
    return true;
}

/* A callback that returns the value of an expression. */
#define HOST(type, name, parameters, ...) \
    static type name parameters           \
    {                                     \
        called();                         \
        return __VA_ARGS__;               \
    }

static struct apic *apic_of(void *cpu)
{
    return &((struct guest *)cpu)->apic;
}

HOST(unsigned, host_physical_bits, (void *cpu), 40)
HOST(uint64_t, host_tsc, (void *cpu), ++apic_of(cpu)->tsc + apic_of(cpu)->tsc_offset)
HOST(uint64_t, host_tsc_hz, (void *cpu), apic_of(cpu)->tsc) /* any */
HOST(uint64_t *, host_tsc_offset, (void *cpu), machine.hostile.memory % 2 ? NULL : &apic_of(cpu)->tsc_offset)
HOST(bool, host_ia32e, (void *cpu), apic_of(cpu)->ia32e)
HOST(uint32_t, host_lvtpc, (void *cpu), apic_of(cpu)->lvtpc)
HOST(bool, host_apic_enabled, (void *cpu), !apic_of(cpu)->disabled)
HOST(bool, host_interrupts_on, (void *cpu), apic_of(cpu)->interrupts_on)
HOST(enum in_service, host_in_service, (void *cpu, uint8_t vector),
     vector == (apic_of(cpu)->lvtpc & LVT_VECTOR) ? apic_of(cpu)->in_service : NOT_IN_SERVICE)
HOST(unsigned, host_interrupted_cpl, (void *cpu, uint64_t ip, unsigned otherwise),
     (ip ^ apic_of(cpu)->tsc) & 4 ? 3 : otherwise)

static uint64_t host_registers(void *cpu, uint64_t ip, uint64_t general[GENERAL_REGISTERS])
{
    called();
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        general[i] = ip + i;
    return 2;
}

static void host_vectors(void *cpu, uint64_t vectors[XMM_REGISTERS][2])
{
    called();
    memset(vectors, 0x5a, XMM_REGISTERS * sizeof(vectors[0]));
}

static void host_pause(void *cpu, unsigned microseconds)
{
    called();
    apic_of(cpu)->tsc += 1000 * microseconds;
}

static uint32_t host_pmi(void *cpu)
{
    struct apic *apic = apic_of(cpu);
    const uint32_t before = apic->lvtpc;

    called();
    apic->pending = apic->pending || !(before & LVT_MASKED);
    apic->lvtpc |= LVT_MASKED;
    return before;
}

static struct host_page host_page(void *cpu, uint64_t address)
{
    const struct mapping *m = mapping_of(cpu, address);
    const uint64_t left = m == NULL ? 0 : m->linear + m->size - address, page = PAGE - address % PAGE;

    called();
    return (struct host_page){ m == NULL ? 0 : m->flags, address, m == NULL || !m->large ? page : left };
}

static bool host_code(void *cpu, uint64_t from, uint64_t bytes, bool physical, uint64_t *page)
{
    const struct block *b = machine.pool[0].block;

    called();
    *page = b != NULL ? b->pc & ~(PAGE - 1) : 0;
    return b != NULL && *page - from < bytes;
}

static bool host_area_shared(void *cpu, uint64_t area)
{
    called();
    for (unsigned i = 0; i < 2; i++)
        if (machine.guests[i] != NULL && machine.guests[i] != cpu &&
            referee_area_records_into(&machine.guests[i]->v, area))
            return true;
    return false;
}

static const struct host host = {
    .read = host_read,
    .write = host_write,
    .memory = host_memory,
    .read_physical = host_read_physical,
    .write_physical = host_write_physical,
    .physical_bits = host_physical_bits,
    .registers = host_registers,
    .xmm = host_vectors,
    .ymmh = host_vectors,
    .tsc = host_tsc,
    .tsc_offset = host_tsc_offset,
    .tsc_hz = host_tsc_hz,
    .pause = host_pause,
    .pmi = host_pmi,
    .ia32e = host_ia32e,
    .page = host_page,
    .code = host_code,
    .lvtpc = host_lvtpc,
    .area_shared = host_area_shared,
    .apic_enabled = host_apic_enabled,
    .in_service = host_in_service,
    .interrupts_on = host_interrupts_on,
    .interrupted_cpl = host_interrupted_cpl,
};

/* ---- processors ---- */

/* A processor's tables are allocated once. Large caches are made small: they would only take time to clear. */
static struct guest *guest_make(const struct profile *profile, unsigned number)
{
    struct guest *g = calloc(1, sizeof(*g));
    struct profile *small = malloc(sizeof(*small));

    REQUIRE(g != NULL && small != NULL);
    *small = *profile;
    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        struct profile_array *cache = &small->memory.caches[i];

        cache->sets = cache->sets < 64 ? cache->sets : 64;
    }
    REQUIRE(engine_init(&g->v, number, small, &host, g, &g->hot));
    g->made = malloc(sizeof(*g->made));
    REQUIRE(g->made != NULL);
    *g->made = g->v;
    return g;
}

/* The state of a processor that engine_init() has just made. */
static void guest_renew(struct guest *g, uint64_t seed, unsigned ipc)
{
    const unsigned width = g->v.profile->width == 0 ? 1 : g->v.profile->width;

    memcpy(&g->v, g->made, offsetof(struct vcpu, regs));
    g->apic = (struct apic){ .lvtpc = 0x40, .interrupts_on = true, .ia32e = g->v.profile->dtes64 };
    g->v.ipc = 1 + ipc % width;
    g->v.truth = machine.ways & TRUTH ? truth.file : NULL;
    g->v.violations = machine.ways & SILENT ? NULL : violations.file;
    if (machine.ways & LATITUDE)
        REQUIRE(latitude_give(&g->v, seed, ALL_FREEDOMS));
    engine_reset(&g->v);
}

/* The profiles: each kind of core of each processor. */
static const struct profile *profile_number(unsigned number)
{
    for (unsigned i = 0; profile_at(i) != NULL; i++) {
        for (unsigned kind = 0; profile_kind(profile_at(i), kind) != NULL; kind++)
            if (number-- == 0)
                return profile_kind(profile_at(i), kind);
    }
    return NULL;
}

#define PROFILES_MAX 64u

/* Processor 0 alone, or two processors with coherent caches. */
static void choose_guests(unsigned number)
{
    static struct guest *all[PROFILES_MAX][3];
    static unsigned count;

    while (count == 0 || profile_number(count) != NULL)
        count++;
    REQUIRE(count <= PROFILES_MAX);
    struct guest **const some = all[number % count];
    const struct profile *profile = profile_number(number % count);

    if (!(machine.ways & TWO)) {
        some[0] = some[0] != NULL ? some[0] : guest_make(profile, 0);
        machine.guests[0] = some[0];
        machine.guests[1] = NULL;
        return;
    }
    if (some[1] == NULL) {
        const struct profile *other = profile_number((number % count + 1) % count);
        const bool hybrid = profile->kinds != NULL && other->kinds == profile->kinds;

        some[1] = guest_make(profile, 0);
        some[2] = guest_make(hybrid ? other : profile, 1);
        REQUIRE(data_cache_join(some[2]->v.cache, some[1]->v.cache));
    }
    memcpy(machine.guests, some + 1, sizeof(machine.guests));
}

/* ---- numbers ---- */

static uint64_t number(struct input *in)
{
    static const uint64_t places[] = {
        HIGH + AREA,     HIGH + BUFFERS,     LOW + AREA,         LOW + BUFFERS, AREA,       BUFFERS,
        HIGH + RAM_SIZE, 0xffff800000000000, 1ULL << 47,         1ULL << 56,    1ULL << 40, 1ULL << 32,
        1ULL << 31,      0xfffff000,         0xfffffffffffff000, 0x40000000,
    };
    const unsigned how = (unsigned)take(in, 1);

    switch (how % 10) {
    case 0:
        machine.number = take(in, 1);
        break;
    case 1:
        machine.number = -take(in, 1);
        break;
    case 2:
        machine.number = -take(in, 3);
        break;
    case 3:
        machine.number = places[take(in, 1) % COUNT(places)];
        break;
    case 4:
        machine.number = places[take(in, 1) % COUNT(places)] + (uint64_t)(int64_t)(int16_t)take(in, 2);
        break;
    case 5:
        machine.number = (UINT64_C(1) << take(in, 1) % 64) + (uint64_t)(int64_t)(int8_t)take(in, 1);
        break;
    case 6:
        machine.number = take(in, 4);
        break;
    case 7:
        machine.number = take(in, 8);
        break;
    case 8:
        machine.number += (uint64_t)(int64_t)(int8_t)take(in, 1) * 8;
        break;
    default:
        machine.number |= UINT64_C(1) << take(in, 1) % 64;
    }
    return machine.number;
}

/* ---- execution ---- */

static struct block *block_make(uint64_t pc, unsigned count, enum block_end end, unsigned cpl, const struct guest *g)
{
    struct block *b = calloc(1, sizeof(*b) + count * sizeof(b->insns[0]));

    REQUIRE(b != NULL && machine.made_count < MADE_MAX);
    machine.made[machine.made_count++] = b;
    b->pc = pc;
    b->last = pc + 4 * (count - 1);
    b->next = pc + 4 * count;
    b->count = (uint16_t)count;
    b->cpl = (uint8_t)cpl;
    b->ia32e = g->apic.ia32e;
    for (unsigned i = 0; i < count; i++) {
        b->insns[i].offset_low = (uint8_t)(4 * i);
        b->insns[i].offset_high = (uint8_t)(4 * i >> 8);
    }
    block_set_end(b, end, g->v.profile->predictor_slots);
    return b;
}

/* The rest of a block, from its i-th instruction on. */
static struct block *rest_make(const struct block *b, unsigned i, const struct guest *g)
{
    struct block *rest = block_make(block_address(b, i), b->count - i, (enum block_end)b->end, b->cpl, g);

    for (unsigned k = 0; k < rest->count; k++) {
        rest->insns[k].flags = b->insns[i + k].flags;
        rest->insns[k].unit = b->insns[i + k].unit;
    }
    return rest;
}

enum hook_kind { NO_HOOK, READ, WRITE, READ_COUNTER, IDENTIFY, HALT, SETTLE };

struct hook {
    enum hook_kind kind;
    unsigned at;
    uint32_t address;
    uint64_t value;
    bool leaves;
};

/* What happens to a block: at the at-th instruction, an exception, or QEMU runs the instruction alone. */
struct fate {
    enum { RUNS, FAULTS, TRAPS, ALONE } kind;
    unsigned at;
    bool stays; /* in a block that the engine wants to leave */
};

static void execute(struct guest *g, const struct code *c, struct fate fate, struct hook *hook);

static void interrupt(struct guest *g, enum interruption kind, uint64_t from, uint64_t to)
{
    const bool external = kind == INTERRUPTION_EXTERNAL;

    g->apic.interrupts_on = external && g->apic.trap_gate;
    g->apic.in_service = external ? IN_SERVICE : g->apic.in_service;
    engine_interruption(&g->v, kind, from, to, 0);
    if (g->apic.depth++ < 2 && machine.made_count < MADE_MAX - BATCH) {
        const struct code handler = { .block = block_make(to, 2, END_FAR, 0, g) };

        execute(g, &handler, (struct fate){ RUNS, 0, false }, NULL);
    }
    g->apic.depth--;
    if (external) {
        g->apic.in_service = NOT_IN_SERVICE;
        g->apic.lvtpc &= g->apic.keeps_mask ? ~0u : ~LVT_MASKED;
    }
    g->apic.interrupts_on = true;
}

/* Between two instructions QEMU delivers a pending interrupt. */
static void between(struct guest *g, uint64_t ip)
{
    if (g->v.watch.hit)
        standing_watch(&g->v, false, false);
    if (g->apic.pending && g->apic.interrupts_on) {
        g->apic.pending = false;
        interrupt(g, INTERRUPTION_EXTERNAL, ip, HANDLER);
    }
}

/* Begins a block. Returns whether it runs watched. */
static bool begin(struct guest *g, const struct block *b, bool repeats)
{
    struct vcpu *v = &g->v;

    for (unsigned tries = 0;; tries++) {
        bool watching;

        REQUIRE(tries < 16);
        if (g->hot.data_pending && engine_data_retired(v, BETWEEN_BLOCKS, b->pc, b->cpl)) {
            between(g, b->pc);
            continue;
        }
        if (repeats && v->wants.classes != 0)
            engine_repeat(v, b);
        if (code_begin(v, b, &watching))
            return watching;
        between(g, b->pc);
        g->apic.lvtpc |= tries > 3 ? LVT_MASKED : 0; /* the handler's own events may overflow again and again */
    }
}

/* Runs a hooked instruction. True: the block ends there. */
static bool run_hook(struct guest *g, struct hook *hook, const struct block *b)
{
    struct vcpu *v = &g->v;
    const struct place place = { b, hook->at };
    uint32_t regs[4] = { 0x11111111, 0x22222222, 0x33333333, 0x44444444 };
    enum msr_answer answer = MSR_DONE;

    switch (hook->kind) {
    case READ:
        answer = engine_rdmsr(v, hook->address, &hook->value, place);
        break;
    case WRITE:
        answer = engine_wrmsr(v, hook->address, hook->value, place);
        break;
    case READ_COUNTER:
        answer = engine_rdpmc(v, hook->address, &hook->value, place);
        break;
    case IDENTIFY:
        engine_settle(v, place);
        hook->address = cpuid_leaf(v, hook->address);
        cpuid_missing_feature(v, hook->address, regs);
        cpuid_read(v, hook->address, (uint32_t)hook->value, regs);
        break;
    case HALT:
        engine_halt(v, place);
        break;
    default:
        engine_settle(v, place);
        break;
    }
    if (answer == MSR_GP) {
        interrupt(g, INTERRUPTION_EXCEPTION, block_address(b, hook->at), HANDLER);
        return true;
    }
    if (hook->leaves) {
        engine_leave(v, (struct place){ b, hook->at + 1 });
        return true;
    }
    return false;
}

static void access_data(struct guest *g, const struct code *c, unsigned i)
{
    const uint64_t address = c->data + i * UINT64_C(56);

    for (unsigned store = 0; store < 2; store++)
        if ((i + c->size) >> store & 1)
            data_accessed(&g->v, (struct place){ c->block, i }, address, 1 + c->size % 64, store);
}

/* Runs a block, like QEMU with the callbacks of model/qemu/running.c. */
static void execute(struct guest *g, const struct code *c, struct fate fate, struct hook *hook)
{
    struct vcpu *v = &g->v;
    const struct block *b = c->block;
    const unsigned at = fate.at % b->count;

    if (machine.made_count >= MADE_MAX - BATCH)
        return;
    const bool watching = begin(g, b, c->repeats);

    machine.instructions += b->count;
    for (unsigned i = 0; i < b->count; i++) {
        const struct place place = { b, i };
        const uint64_t ip = block_address(b, i);
        bool left = i > 0 && g->hot.data_pending && engine_data_retired(v, place, ip, b->cpl) && !fate.stays;

        left = left || (i > 0 && watching && code_watch(v, b, i) && !fate.stays);
        if (left) {
            struct code rest = *c;

            engine_leave(v, place);
            rest.block = rest_make(b, i, g);
            between(g, ip);
            fate.at = at >= i ? at - i : 0;
            if (hook != NULL)
                hook->at -= i;
            execute(g, &rest, fate, hook);
            return;
        }
        if (hook != NULL && i == hook->at && run_hook(g, hook, b))
            return;
        if ((b->insns[i].flags & INSN_ACCESS) && v->wants.data)
            access_data(g, c, i);
        if (i == at && fate.kind == ALONE) {
            engine_lone_instruction(v, ip);
            if (i + 1 < b->count) {
                struct code rest = *c;

                rest.block = rest_make(b, i + 1, g);
                execute(g, &rest, (struct fate){ RUNS, 0, fate.stays }, NULL);
                return;
            }
        }
        if (i == at && (fate.kind == FAULTS || fate.kind == TRAPS)) {
            interrupt(g, fate.kind == TRAPS ? INTERRUPTION_DEBUG : INTERRUPTION_EXCEPTION, ip, HANDLER);
            return;
        }
    }
    if (b->end == END_INT)
        interrupt(g, INTERRUPTION_EXCEPTION, b->last, HANDLER);
    if (b->end == END_REPEAT && !c->repeats) {
        struct code again = *c;

        again.block = rest_make(b, b->count - 1u, g);
        again.repeats = true;
        for (unsigned n = 0; n < c->repetitions; n++)
            execute(g, &again, (struct fate){ RUNS, 0, fate.stays }, NULL);
    }
}

/* The guest has done one thing: checks what that cost. */
static void check_cost(void)
{
    fflush(truth.file);
    fflush(violations.file);
    ASAN_UNPOISON_MEMORY_REGION(ram, sizeof(ram));
    REQUIRE(truth.lines <= TRUTH_MAX);
    REQUIRE(violations.lines <= REPORTS_MAX);
    machine.all_instructions += machine.instructions;
    machine.calls = machine.instructions = 0;
    truth.lines = violations.lines = 0;
}

/* Runs one hooked instruction among `before` others. */
static void run_hooked(struct guest *g, struct hook hook, unsigned before)
{
    static const uint64_t places[] = { 0x400000, 0xffff800000200000, 0x1000, 0xfffff000 };
    const struct code c = { .block = block_make(places[hook.address % COUNT(places)] + 16 * hook.address % 1024,
                                                before % 3 + 1, END_PLAIN, 0, g) };

    hook.at = before % 3;
    execute(g, &c, (struct fate){ RUNS, 0, false }, &hook);
    check_cost();
}

static void write_msr(struct guest *g, uint32_t address, uint64_t value)
{
    run_hooked(g, (struct hook){ .kind = WRITE, .address = address, .value = value, .leaves = value & 1 }, 0);
}

/* Without the bits that raise #GP. */
static void write_legal(struct guest *g, uint32_t address, uint64_t value)
{
    const struct profile_msr *row = profile_find_msr(g->v.profile, address);

    write_msr(g, address, row != NULL ? value & row->writable : value);
}

/* ---- operations ---- */

/* An address of a register that the processor has a row for. */
static uint32_t known_address(const struct guest *g, struct input *in, const struct profile_msr **row)
{
    unsigned table = 0, i = (unsigned)take(in, 1), count = 0;

    for (unsigned k = 0; k < PROFILE_TABLES; k++)
        count += g->v.profile->msrs[k].count;
    for (i %= count; i >= g->v.profile->msrs[table].count; table++)
        i -= g->v.profile->msrs[table].count;
    *row = &g->v.profile->msrs[table].rows[i];
    const unsigned stride = (*row)->stride == 0 ? 1 : (*row)->stride;

    return (*row)->address + (uint32_t)take(in, 1) % (*row)->count * stride;
}

static void op_write(struct guest *g, struct input *in)
{
    const struct profile_msr *row;
    const uint32_t address = known_address(g, in, &row);
    const unsigned how = (unsigned)take(in, 1);
    uint64_t value = number(in);

    value = how & 1 ? value & row->writable : value;
    value = how & 2 ? ~value & row->writable : value;
    run_hooked(g, (struct hook){ .kind = WRITE, .address = address, .value = value, .leaves = how & 4 }, how >> 3);
}

static void op_write_any(struct guest *g, struct input *in)
{
    const uint32_t address = (uint32_t)take(in, 2);

    write_msr(g, address, number(in));
}

static void op_read(struct guest *g, struct input *in)
{
    static const enum hook_kind kinds[] = { READ, READ, READ_COUNTER, IDENTIFY, HALT, SETTLE, READ, READ_COUNTER };
    const unsigned how = (unsigned)take(in, 1);
    const struct profile_msr *row;
    struct hook hook = { .kind = kinds[how % COUNT(kinds)], .leaves = how & 0x80 };

    if (how & 0x40) {
        hook.address = (uint32_t)number(in);
        hook.value = number(in);
    } else if (hook.kind == READ_COUNTER) {
        hook.address = (uint32_t)take(in, 1) % 20 | (how & 0x20 ? 1u << 30 : 0);
    } else if (hook.kind == IDENTIFY) {
        hook.address = (uint32_t)take(in, 1) % 0x30 | (how & 0x20 ? 0x80000000 : 0);
        hook.value = take(in, 1);
    } else {
        hook.address = known_address(g, in, &row);
    }
    run_hooked(g, hook, how >> 3 & 3);
}

/* A store of the guest. */
static void store(const struct guest *g, uint64_t address, uint64_t value, unsigned width)
{
    uint8_t bytes[8];

    encode_field(bytes, width, value);
    copy(g, address, NULL, bytes, width);
}

/* A DS area, or one half of it, with records of the right size and perhaps one extreme number. */
static void op_area(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1), width = g->v.profile->dtes64 || g->apic.ia32e ? 8 : 4;
    const uint64_t low = how & 1 ? LOW : HIGH, area = low + AREA + (how & 2 ? 0x7f0 : 0);
    const struct ds_form form = { width, g->v.profile->pebs_format, g->v.profile->pebs_extended };
    const size_t pebs = g->v.profile->pebs_adaptive ? 64 : encode_pebs_bytes(&form);

    for (unsigned half = 0; half < 2; half++) {
        const uint64_t record = half ? pebs : encode_bts_bytes(&form), at = area + 4 * half * width;
        uint64_t fields[4] = { low + BUFFERS + half * 0x4000, 0, 0, 0 }; /* base, index, maximum, threshold */
        const unsigned odd = (unsigned)take(in, 1);

        if (odd & 0x80)
            fields[0] = number(in);
        fields[1] = fields[0] + take(in, 1) % 8 * record;
        fields[2] = fields[0] + take(in, 1) * record + (odd & 0x40 ? 1 : 0);
        fields[3] = fields[0] + take(in, 1) * record;
        if (odd & 0x20)
            fields[odd % 4] = number(in);
        for (unsigned i = 0; i < 4 && !(how & 4u << half); i++)
            store(g, at + i * width, fields[i], width);
    }
    for (unsigned i = 0; i < (how >> 4) % 8; i++)
        store(g, area + 8 * width + 8 * i, number(in), 8);
    if (how & 0x80)
        write_msr(g, 0x600, area);
    if (vcpu_is_arch_pebs(&g->v)) {
        const uint64_t written = take(in, 1) * 16, threshold = take(in, 1) * 64;

        write_msr(g, 0x3f4, BUFFERS | (how >> 4 & 3));
        write_msr(g, 0x3f5, PEBS_INDEX_EN | threshold << PEBS_INDEX_THRESH_SHIFT | written);
    }
}

static void op_store(struct guest *g, struct input *in)
{
    const uint64_t address = number(in);

    store(g, address, number(in), 8);
}

/* Traces branches with the flags of IA32_DEBUGCTL that the processor has. */
static void op_trace(struct guest *g, struct input *in)
{
    const struct profile_debugctl *bits = g->v.profile->debugctl;
    const uint64_t all[8] = { bits->lbr,        bits->tr,          bits->bts,         bits->btint,
                              bits->bts_off_os, bits->bts_off_usr, bits->freeze_lbrs, bits->freeze_perfmon };
    const unsigned flags = (unsigned)take(in, 1);
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++)
        value |= flags >> i & 1 ? all[i] : 0;
    write_msr(g, 0x1d9, value);
    if (g->v.profile->lbr_depths != 0)
        write_legal(g, 0x14ce, take(in, 3));
}

/* Sets up a counter of one of the processor's events, and perhaps samples with it. */
static void op_count(struct guest *g, struct input *in)
{
    const struct profile *profile = g->v.profile;
    const unsigned how = (unsigned)take(in, 1), fixed = profile_fixed_counters(profile);
    const uint64_t period = number(in);
    unsigned events = 0, table = 0, i = 0;

    for (unsigned k = 0; k < PROFILE_TABLES; k++)
        events += profile->events[k].count;
    if (events == 0 || vcpu_is_netburst(&g->v)) {
        const unsigned counter = 12 + how % 6; /* IQ, whose counters sample */

        write_legal(g, 0x3b8 + how % 2, (uint64_t)(how >> 2 & 0xf) << 25 | 0x20c);
        write_legal(g, 0x3cc + how % 2, (uint64_t)(8 + how % 5) << 25 | 0x20c | (uint64_t)(how & 0xf0) << 5);
        write_legal(g, 0x300 + counter, period);
        write_legal(g, 0x3f1, (uint64_t)(how >> 5) << 24);
        write_legal(g, 0x360 + counter, 0x31000 | (uint64_t)(how & 1 ? 5 : 4) << 13 | take(in, 2) << 18);
        return;
    }
    if (how & 1 && fixed > 0) {
        i = how / 4 % fixed;
        write_legal(g, 0x309 + i, period);
        write_legal(g, 0x38d, take(in, 1) << (4 * i) | (how & 2 ? UINT64_C(1) << (32 + 4 * i) : 0));
        i += profile->general_counters;
    } else {
        unsigned row = (unsigned)take(in, 2) % events;
        const unsigned flags = (unsigned)take(in, 1);

        for (; row >= profile->events[table].count; table++)
            row -= profile->events[table].count;
        const struct profile_event *e = &profile->events[table].rows[row];

        for (i = how / 4 % profile->general_counters; !(e->counters >> i & 1) && i > 0; i--) {
        }
        write_legal(g, 0x0c1 + i, period);
        write_legal(g, 0x186 + i,
                    e->select | (uint64_t)(e->umask & 0xff) << 8 | (uint64_t)(e->umask >> 8) << 40 |
                        (uint64_t)(flags & 0x7f) << 16 | (flags & 0x80 ? take(in, 5) << 23 : 0));
    }
    const uint64_t bit = vcpu_counter_bit(&g->v, i);
    const uint64_t config = take(in, 1);

    if (vcpu_is_arch_pebs(&g->v)) {
        const bool is_fixed = i >= profile->general_counters;
        const unsigned k = is_fixed ? i - profile->general_counters : i;
        const uint32_t at = (is_fixed ? 0x1982 : 0x1902) + 4 * k; /* CFG_B; CFG_C follows */

        write_legal(g, at, config & 1 ? bit | config : 0);
        write_legal(g, at + 1, (period & 0xffffffff) | (config & 2 ? ~UINT64_C(0) : take(in, 4)) << 32);
    } else if (config & 1) {
        write_legal(g, 0x3f2, take(in, 4)); /* groups of adaptive records */
        write_legal(g, 0x3f1,
                    g->v.regs[REG_IA32_PEBS_ENABLE] | bit | (config & 2 ? bit << 32 : 0) |
                        (config & 4 ? 1ULL << 63 : 0));
    }
    write_legal(g, 0x38f, g->v.regs[REG_IA32_PERF_GLOBAL_CTRL] | bit | (config & 8 ? METRICS : 0));
}

/* Code: its shape, its ring, its events, its data. */
static void op_code(struct guest *g, struct input *in)
{
    static const uint64_t places[] = { 0x400000, 0xffff800000200000, 0xfffffffffffe0000, 0xffffff00, 0x1000, LOW,
                                       HIGH,     0x7fffffffe000 };
    const unsigned how = (unsigned)take(in, 1), shape = (unsigned)take(in, 1), count = (unsigned)take(in, 1);
    struct code *c = &machine.pool[how % POOL];
    struct block *b =
        block_make(places[shape % 8] + (how >> 3) * UINT64_C(64), (count & 0x80 ? count & 0x7f : count % COUNT_MAX) + 1,
                   (enum block_end)(shape >> 3) % (END_INT + 1), how & 0x40 ? 3 : 0, g);
    const unsigned flags = (unsigned)take(in, 1), unit = (unsigned)take(in, 1);

    for (unsigned i = 0; i < b->count; i++) {
        b->insns[i].flags = (uint8_t)(flags >> i % 3 & (INSN_ACCESS | INSN_LOCKED | INSN_SERIALISES));
        b->insns[i].unit = (uint8_t)((unit + i % 4) % (UNIT_MMX_128 + 1));
    }
    if (flags & 0x40)
        b->code_base = (uint32_t)b->pc & 0xffff0000;
    *c = (struct code){ .block = b, .data = number(in), .size = flags >> 2, .repetitions = unit >> 4 };
}

static void op_run(struct guest *g, struct input *in)
{
    const unsigned which = (unsigned)take(in, 1), times = (unsigned)take(in, 1), how = (unsigned)take(in, 1);
    const unsigned most = times & 0x80 ? (times & 0x7f) * 20 : times + 1;
    const struct code *codes[2] = { &machine.pool[which % POOL], &machine.pool[which / POOL % POOL] };

    for (unsigned i = 0; i < most && machine.all_instructions + machine.instructions < INSTRUCTIONS; i++) {
        const struct fate fate = { i + 1 == most ? how % 4 : RUNS, how >> 3, how & 4 };

        if (codes[i % 2]->block != NULL)
            execute(g, codes[i % 2], fate, NULL);
    }
}

static void op_interrupt(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    const struct block *running = ring_running_block(&g->v);
    const uint64_t next = running != NULL ? (how & 4 ? running->last : running->next) : 0x400000;

    interrupt(g, how & 8 ? INTERRUPTION_EXCEPTION : INTERRUPTION_EXTERNAL, how & 3 ? next : number(in) | 1,
              HANDLER + how);
}

static void op_apic(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    struct apic *apic = &g->apic;

    apic->disabled = how & 1;
    apic->trap_gate = how & 2;
    apic->keeps_mask = how & 4;
    apic->interrupts_on = !(how & 8);
    apic->ia32e = how & 16 ? !apic->ia32e : apic->ia32e;
    apic->space = how >> 5 & 1;
    apic->in_service = (how >> 6) % 3;
    apic->lvtpc = (uint32_t)take(in, 3);
}

static void op_map(struct guest *g, struct input *in)
{
    static const uint64_t sizes[] = { PAGE, PAGE << 9, PAGE << 18, 16 * PAGE };
    const unsigned how = (unsigned)take(in, 1), where = (unsigned)take(in, 1);
    struct mapping *m = &machine.mappings[g->apic.space][how % MAPPINGS];

    m->size = sizes[how / MAPPINGS % 4];
    m->large = m->size != 16 * PAGE;
    m->linear = number(in) & ~((m->large ? m->size : PAGE) - 1);
    m->physical = where % 32 * PAGE;
    m->flags = take(in, 1) ^ MAPPED;
}

static void op_hostile(struct guest *g, struct input *in)
{
    machine.hostile.reads = (uint8_t)take(in, 1);
    machine.hostile.writes = (uint8_t)take(in, 1);
    machine.hostile.memory = (uint8_t)take(in, 1);
    machine.hostile.change = (uint8_t)take(in, 1);
}

static void see_register(void *context, uint32_t address, uint64_t value)
{
    unsigned *seen = context;

    *seen += address > 0 || value > 0;
}

/* A debugger looks, or waits. */
static void op_debug(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    unsigned seen = 0;

    if (how & 4)
        standing_settle(&g->v);
    if ((how & 8) && !machine.looked) { /* once: it is slow */
        machine.looked = true;
        REQUIRE(standing_registers(&g->v, see_register, &seen) && seen > 0);
    }
    standing_watch(&g->v, how & 1, how & 2);
}

static void op_reset(struct guest *g, struct input *in)
{
    for (unsigned i = 0; i < 2 && machine.guests[i] != NULL; i++)
        engine_reset(&machine.guests[i]->v);
}

/* QEMU drops its translations, and translates again. */
static void op_flush(struct guest *g, struct input *in)
{
    struct block *blocks[MADE_MAX];
    const unsigned count = machine.made_count;

    for (unsigned i = 0; i < 2 && machine.guests[i] != NULL; i++)
        engine_keep_blocks(&machine.guests[i]->v);
    memcpy(blocks, machine.made, count * sizeof(blocks[0]));
    machine.made_count = 0;
    for (unsigned i = 0; i < POOL; i++) {
        if (machine.pool[i].block != NULL) {
            const uint32_t base = machine.pool[i].block->code_base;

            machine.pool[i].block = rest_make(machine.pool[i].block, 0, g);
            machine.pool[i].block->code_base = base;
        }
    }
    for (unsigned i = 0; i < count; i++)
        free(blocks[i]);
}

static void (*const operations[])(struct guest *g, struct input *in) = {
    op_write, op_read, op_area,    op_trace, op_count, op_code,  op_run,   op_interrupt,
    op_apic,  op_map,  op_hostile, op_debug, op_reset, op_flush, op_store, op_write_any,
};

static void begin_input(struct input *in)
{
    memset(&machine, 0, sizeof(machine));
    memset(ram, 0, sizeof(ram));
    if (truth.file == NULL) {
        log_open(&truth);
        log_open(&violations);
    }
    const unsigned profile = (unsigned)take(in, 1);

    machine.ways = (unsigned)take(in, 1);
    machine.noise = 1;
    for (unsigned i = 0; i < SPACES; i++) {
        machine.mappings[i][0] = (struct mapping){ HIGH, 16 * PAGE, 0, MAPPED, false };
        machine.mappings[i][1] = (struct mapping){ LOW, 16 * PAGE, 0, MAPPED, false };
    }
    choose_guests(profile);
    const uint64_t seed = machine.ways & LATITUDE ? take(in, 1) : 0;
    const unsigned ipc = machine.ways & SEVERAL ? (unsigned)take(in, 1) : 0;

    for (unsigned i = 0; i < 2 && machine.guests[i] != NULL; i++)
        guest_renew(machine.guests[i], seed, ipc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned number_of_guest = 0;

    begin_input(&in);
    for (unsigned n = 0; n < OPERATIONS && in.size > 0 && machine.made_count < MADE_MAX - BATCH &&
                         machine.all_instructions < INSTRUCTIONS;
         n++) {
        const unsigned op = (unsigned)take(&in, 1);

        if (machine.guests[1] != NULL && op & 0x80)
            number_of_guest ^= 1;
        operations[op % COUNT(operations)](machine.guests[number_of_guest], &in);
        check_cost();
    }
    for (unsigned i = 0; i < 2 && machine.guests[i] != NULL; i++) {
        standing_settle(&machine.guests[i]->v);
        latitude_take(&machine.guests[i]->v);
    }
    check_cost();
    for (unsigned i = 0; i < machine.made_count; i++)
        free(machine.made[i]);
    return 0;
}
