/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: two bytes, the profile and the ways of the run; then operations of a guest, and of the machine around it, each
 * a byte and its arguments. The machine is hostile: accesses to memory fail, and memory changes between two accesses.
 * Whatever the guest does, the engine reads no freed block and no byte that it was not given, works and reports in
 * bounds, names an instruction in each report, and writes records only into the buffers.
 */
#define _GNU_SOURCE /* fopencookie */

#include <sanitizer/asan_interface.h>

#include "tests/fuzz/fuzz.h"
#include "tests/host/model_code.h"
#include "tests/host/model_host.h"

#include "model/engine/cpuid.h"
#include "model/engine/data.h"
#include "model/engine/data_cache.h"
#include "model/engine/standing.h"
#include "model/latitude/latitude.h"
#include "model/processors/profiles.h"

#define PAGE         UINT64_C(4096)
#define LOW          UINT64_C(0x100000) /* where memory is for 32-bit records */
#define AREA         UINT64_C(0x800)    /* offset of the usual DS area, of its buffers */
#define BUFFERS      UINT64_C(0x2000)
#define HANDLER      UINT64_C(0xffff800000900000)
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
#define CALLS_MAX   (3 * 32768 + 8 * ENGINE_RING + 64 * run.instructions)
#define TRUTH_MAX   (2 * ENGINE_RING + 8 * run.instructions)
#define REPORTS_MAX 300u

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

struct guest {
    struct machine m;
    struct vcpu *made; /* as after engine_init() */
    bool trap_gate, keeps_mask;
    unsigned depth; /* of interrupts */
};

static struct {
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
} run;

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

static void log_open(struct log *log)
{
    log->file = fopencookie(log, "w", (cookie_io_functions_t){ .write = log_write });
    REQUIRE(log->file != NULL);
}

/* ---- the hostile machine ---- */

/* Each access to memory. Memory that the engine was given before is no longer its own. */
static void called(struct machine *m)
{
    run.calls++;
    run.all_calls++;
    REQUIRE(run.calls <= CALLS_MAX);
    ASAN_UNPOISON_MEMORY_REGION(m->memory, sizeof(m->memory));
    if (run.hostile.change != 0 && run.all_calls % run.hostile.change == 0)
        m->memory[AREA + run.all_calls % 0x60] = (uint8_t)(run.all_calls * 0x9d);
}

static bool fails(uint8_t every)
{
    return every != 0 && run.all_calls % every == 0;
}

/* Whether the buffer has room for a record, and the bytes lie in it; any bytes, if it has no room. */
static bool within(const struct ds_buffer *b, size_t record, uint64_t address, uint64_t size)
{
    const bool sane = b->maximum >= b->base && b->maximum - b->base >= record;

    return !sane || (address >= b->base && address <= b->maximum && size <= b->maximum - address);
}

static void check_written(const struct vcpu *v, uint64_t address, size_t size)
{
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

static bool hostile_read(void *cpu, uint64_t address, void *bytes, size_t size)
{
    called(cpu);
    return !fails(run.hostile.reads) && machine_read(cpu, address, bytes, size);
}

static bool hostile_write(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    called(cpu);
    check_written(&((struct machine *)cpu)->v, address, size);
    return !fails(run.hostile.writes) && machine_write(cpu, address, bytes, size);
}

/* All memory except these bytes is poisoned until the next access. */
static uint8_t *hostile_memory(void *cpu, uint64_t address, size_t size)
{
    struct machine *m = cpu;
    uint8_t *const memory = machine_memory(cpu, address, size);

    called(cpu);
    REQUIRE((address == m->v.regs[REG_IA32_DS_AREA] && size == encode_ds_bytes(&m->v.ds.form)) ||
            within(&m->v.ds.area.bts, ENCODE_BTS_MAX, address, size));
    if (memory == NULL || fails(run.hostile.memory))
        return NULL;
    ASAN_POISON_MEMORY_REGION(m->memory, sizeof(m->memory));
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

static bool hostile_read_physical(void *cpu, uint64_t address, void *bytes, size_t size)
{
    called(cpu);
    return !fails(run.hostile.reads) && machine_read_physical(cpu, address, bytes, size);
}

static bool hostile_write_physical(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    const struct vcpu *v = &((struct machine *)cpu)->v;
    const uint64_t base = v->regs[REG_IA32_PEBS_BASE];
    const uint64_t offset = address - (base & PEBS_BASE_ADDRESS), all = PAGE << (base & PEBS_BASE_SIZE);

    called(cpu);
    REQUIRE(vcpu_is_arch_pebs(v) && offset <= all && size <= all - offset);
    return !fails(run.hostile.writes) && machine_write_physical(cpu, address, bytes, size);
}

static struct host_page hostile_page(void *cpu, uint64_t address)
{
    called(cpu);
    return machine_page(cpu, address);
}

/* ---- processors ---- */

/* A processor's tables are allocated once. Large caches are made small: they would only take time to clear. */
static struct guest *guest_make(const struct profile *profile, unsigned number)
{
    static struct host host;
    struct guest *g = calloc(1, sizeof(*g));
    struct profile *small = malloc(sizeof(*small));

    REQUIRE(g != NULL && small != NULL);
    host = machine_host;
    host.read = hostile_read;
    host.write = hostile_write;
    host.memory = hostile_memory;
    host.read_physical = hostile_read_physical;
    host.write_physical = hostile_write_physical;
    host.page = hostile_page;
    *small = *profile;
    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        struct profile_array *cache = &small->memory.caches[i];

        cache->sets = cache->sets < 64 ? cache->sets : 64;
    }
    REQUIRE(engine_init(&g->m.v, number, small, &host, &g->m, &g->m.hot));
    g->made = malloc(sizeof(*g->made));
    REQUIRE(g->made != NULL);
    *g->made = g->m.v;
    return g;
}

/* The state of a processor that engine_init() has just made. */
static void guest_renew(struct guest *g, uint64_t seed, unsigned ipc)
{
    struct machine *m = &g->m;
    struct vcpu *v = &m->v;
    const unsigned width = v->profile->width == 0 ? 1 : v->profile->width;

    memcpy(v, g->made, offsetof(struct vcpu, regs));
    memset((char *)m + offsetof(struct machine, hot), 0, sizeof(*m) - offsetof(struct machine, hot));
    m->memory_at = v->profile->dtes64 ? MEMORY : LOW;
    m->page_flags = 0x63; /* present, writable, accessed, dirty */
    m->lvtpc = 0x40;
    m->interrupts_on = m->at_hand = true;
    m->ia32e = v->profile->dtes64;
    g->trap_gate = g->keeps_mask = false;
    g->depth = 0;
    v->ipc = 1 + ipc % width;
    v->truth = run.ways & TRUTH ? truth.file : NULL;
    v->violations = run.ways & SILENT ? NULL : violations.file;
    if (run.ways & LATITUDE)
        REQUIRE(latitude_give(v, seed, ALL_FREEDOMS));
    engine_reset(v);
}

/* Profiles that reach all code of the engine. Inputs name them by their place here, so append new ones. */
static const char *const profiles[] = { "netburst",  "netburst64",       "pentium-m", "core2",      "nehalem",
                                        "haswell",   "skylake",          "icelake",   "goldencove", "alderlake",
                                        "lunarlake", "clearwaterforest", "goldmont",  "novalake" };

/* Processor 0 alone, or two processors with coherent caches; of a hybrid, with different kinds of cores. */
static void choose_guests(unsigned number)
{
    static struct guest *all[COUNT(profiles)][PROFILE_KINDS][3];
    const struct profile *const profile = profile_find(profiles[number % COUNT(profiles)]);
    const unsigned kind = number / COUNT(profiles) % PROFILE_KINDS;
    struct guest **const some = all[number % COUNT(profiles)][kind];
    const struct profile *first = profile_kind(profile, kind), *second = profile_kind(profile, kind + 1);

    first = first != NULL ? first : profile;
    second = second != NULL ? second : profile;
    if (!(run.ways & TWO)) {
        some[0] = some[0] != NULL ? some[0] : guest_make(first, 0);
        run.guests[0] = some[0];
        return;
    }
    if (some[1] == NULL) {
        some[1] = guest_make(first, 0);
        some[2] = guest_make(second, 1);
        REQUIRE(data_cache_join(some[2]->m.v.cache, some[1]->m.v.cache));
    }
    memcpy(run.guests, some + 1, sizeof(run.guests));
}

/* ---- execution ---- */

static struct block *block_make(uint64_t pc, unsigned count, enum block_end end, unsigned cpl, const struct guest *g)
{
    struct block *b = calloc(1, sizeof(*b) + count * sizeof(b->insns[0]));

    REQUIRE(b != NULL && run.made_count < MADE_MAX);
    run.made[run.made_count++] = b;
    b->pc = pc;
    b->last = pc + 4 * (count - 1);
    b->next = pc + 4 * count;
    b->count = (uint16_t)count;
    b->cpl = (uint8_t)cpl;
    b->ia32e = g->m.ia32e;
    for (unsigned i = 0; i < count; i++) {
        b->insns[i].offset_low = (uint8_t)(4 * i);
        b->insns[i].offset_high = (uint8_t)(4 * i >> 8);
    }
    block_set_end(b, end, g->m.v.profile->predictor_slots);
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
    rest->code_base = b->code_base;
    return rest;
}

/* What happens to a block at its at-th instruction. */
struct fate {
    enum {
        RUNS,
        FAULTS,
        TRAPS,
        ALONE, /* QEMU runs the instruction alone */
        READ,  /* the instruction is RDMSR, WRMSR, RDPMC, HLT, or one that lets software see memory */
        WRITE,
        READ_COUNTER,
        HALT,
        SETTLE,
    } kind;
    unsigned at;
    bool stays; /* in a block that the engine wants to leave */
    uint32_t address;
    uint64_t value;
};

static void execute(struct guest *g, const struct code *c, struct fate fate);

static void interrupt(struct guest *g, enum interruption kind, uint64_t from, uint64_t to)
{
    const bool external = kind == INTERRUPTION_EXTERNAL;

    g->m.interrupts_on = external && g->trap_gate;
    g->m.in_service = external ? IN_SERVICE : g->m.in_service;
    engine_interruption(&g->m.v, kind, from, to, 0);
    if (g->depth++ < 2 && run.made_count < MADE_MAX - BATCH) {
        const struct code handler = { .block = block_make(to, 2, END_FAR, 0, g) };

        execute(g, &handler, (struct fate){ .kind = RUNS });
    }
    g->depth--;
    if (external) {
        g->m.in_service = NOT_IN_SERVICE;
        g->m.lvtpc &= g->keeps_mask ? ~0u : ~LVT_MASKED;
    }
    g->m.interrupts_on = true;
}

/* Between two instructions QEMU delivers a pending interrupt. */
static void between(struct guest *g, uint64_t ip)
{
    if (g->m.v.watch.hit)
        standing_watch(&g->m.v, false, false);
    if (g->m.pmis > 0 && g->m.interrupts_on) {
        g->m.pmis = 0;
        interrupt(g, INTERRUPTION_EXTERNAL, ip, HANDLER);
    }
}

/* Begins a block. Returns whether it runs watched. */
static bool begin(struct guest *g, const struct block *b, bool repeats)
{
    struct vcpu *v = &g->m.v;

    for (unsigned tries = 0;; tries++) {
        bool watching;

        REQUIRE(tries < 16);
        if (engine_data_retired(v, BETWEEN_BLOCKS, b->pc, b->cpl)) {
            between(g, b->pc);
            continue;
        }
        if (repeats && v->wants.classes != 0)
            engine_repeat(v, b);
        if (code_begin(v, b, &watching))
            return watching;
        between(g, b->pc);
        g->m.lvtpc |= tries > 3 ? LVT_MASKED : 0; /* the handler's own events may overflow again and again */
    }
}

/* Runs an instruction that the engine is called for. True: the block ends there. */
static bool run_called(struct guest *g, struct fate fate, const struct block *b)
{
    struct vcpu *v = &g->m.v;
    const struct place place = { b, fate.at };
    enum msr_answer answer = MSR_DONE;

    if (fate.kind == READ)
        answer = engine_rdmsr(v, fate.address, &fate.value, place);
    else if (fate.kind == WRITE)
        answer = engine_wrmsr(v, fate.address, fate.value, place);
    else if (fate.kind == READ_COUNTER)
        answer = engine_rdpmc(v, fate.address, &fate.value, place);
    else if (fate.kind == HALT)
        engine_halt(v, place);
    else
        engine_settle(v, place);
    if (answer == MSR_GP) {
        interrupt(g, INTERRUPTION_EXCEPTION, block_address(b, fate.at), HANDLER);
        return true;
    }
    if (!fate.stays)
        engine_leave(v, (struct place){ b, fate.at + 1 });
    return !fate.stays;
}

static void access_data(struct guest *g, const struct code *c, unsigned i)
{
    const uint64_t address = c->data + i * UINT64_C(56);

    for (unsigned store = 0; store < 2; store++)
        if ((i + c->size) >> store & 1)
            data_accessed(&g->m.v, (struct place){ c->block, i }, address, 1 + c->size % 64, store);
}

/* Runs a block, like QEMU with the callbacks of model/qemu/running.c. */
static void execute(struct guest *g, const struct code *c, struct fate fate)
{
    struct vcpu *v = &g->m.v;
    const struct block *b = c->block;
    struct code rest = *c;

    if (run.made_count >= MADE_MAX - BATCH)
        return;
    const bool watching = begin(g, b, c->repeats);

    fate.at %= b->count;
    run.instructions += b->count;
    for (unsigned i = 0; i < b->count; i++) {
        const struct place place = { b, i };
        const uint64_t ip = block_address(b, i);
        const bool left = i > 0 && (engine_data_retired(v, place, ip, b->cpl) || (watching && code_watch(v, b, i)));

        if (left && !fate.stays) {
            engine_leave(v, place);
            rest.block = rest_make(b, i, g);
            between(g, ip);
            fate.kind = fate.at >= i ? fate.kind : RUNS;
            fate.at -= i;
            execute(g, &rest, fate);
            return;
        }
        if (i == fate.at && fate.kind >= READ && run_called(g, fate, b))
            return;
        if ((b->insns[i].flags & INSN_ACCESS) && v->wants.data)
            access_data(g, c, i);
        if (i == fate.at && fate.kind == ALONE) {
            engine_lone_instruction(v, ip);
            if (i + 1 < b->count) {
                rest.block = rest_make(b, i + 1, g);
                execute(g, &rest, (struct fate){ .kind = RUNS, .stays = fate.stays });
                return;
            }
        }
        if (i == fate.at && (fate.kind == FAULTS || fate.kind == TRAPS)) {
            interrupt(g, fate.kind == TRAPS ? INTERRUPTION_DEBUG : INTERRUPTION_EXCEPTION, ip, HANDLER);
            return;
        }
    }
    if (b->end == END_INT)
        interrupt(g, INTERRUPTION_EXCEPTION, b->last, HANDLER);
    if (b->end == END_REPEAT && !c->repeats) {
        rest.block = rest_make(b, b->count - 1u, g);
        rest.repeats = true;
        for (unsigned n = 0; n < c->repetitions; n++)
            execute(g, &rest, (struct fate){ .kind = RUNS, .stays = fate.stays });
    }
}

/* The guest has done one thing: checks what that cost. */
static void check_cost(void)
{
    fflush(truth.file);
    fflush(violations.file);
    for (unsigned i = 0; i < 2 && run.guests[i] != NULL; i++)
        ASAN_UNPOISON_MEMORY_REGION(run.guests[i]->m.memory, MEMORY_SIZE);
    REQUIRE(truth.lines <= TRUTH_MAX);
    REQUIRE(violations.lines <= REPORTS_MAX);
    run.all_instructions += run.instructions;
    run.calls = run.instructions = 0;
    truth.lines = violations.lines = 0;
}

/* ---- operations ---- */

static uint64_t number(const struct guest *g, struct input *in)
{
    const uint64_t memory = g->m.memory_at;
    const uint64_t places[] = { memory + AREA, memory + BUFFERS, memory + MEMORY_SIZE, 0, 0x7fffffffffff, 0xfffff000 };
    const unsigned how = (unsigned)take(in, 1);

    switch (how % 6) {
    case 0:
        run.number = places[how / 6 % COUNT(places)] + (uint64_t)(int64_t)(int16_t)take(in, 2);
        break;
    case 1:
        run.number = (UINT64_C(1) << how / 6) + (uint64_t)(int64_t)(int8_t)take(in, 1);
        break;
    case 2:
        run.number = take(in, 4);
        break;
    case 3:
        run.number = take(in, 8);
        break;
    case 4:
        run.number += (uint64_t)(int64_t)(int8_t)take(in, 1) * 8;
        break;
    default:
        run.number |= UINT64_C(1) << how / 6;
    }
    return run.number;
}

/* Runs one instruction that the engine is called for among others. */
static void run_one(struct guest *g, struct fate fate, unsigned before)
{
    static const uint64_t places[] = { 0x400000, 0xffff800000200000, 0x1000, 0xfffff000 };
    const struct code c = { .block = block_make(places[fate.address % COUNT(places)] + 16 * fate.address % 1024,
                                                before % 3 + 1, END_PLAIN, 0, g) };

    fate.at = before % 3;
    execute(g, &c, fate);
    check_cost();
}

/* Writes a register, without bits that raise #GP. */
static void write_legal(struct guest *g, uint32_t address, uint64_t value)
{
    const struct profile_msr *row = profile_find_msr(g->m.v.profile, address);

    run_one(g, (struct fate){ .kind = WRITE, .address = address, .value = row != NULL ? value & row->writable : value },
            0);
}

/* Writes a register, if the address is unknown usually another; how: perhaps without or with only reserved bits. */
static void op_write(struct guest *g, struct input *in)
{
    const struct profile *profile = g->m.v.profile;
    uint32_t address = (uint32_t)take(in, 2);
    const unsigned how = (unsigned)take(in, 1);
    uint64_t value = number(g, in);
    const struct profile_msrs *table = &profile->msrs[address % PROFILE_TABLES];
    const struct profile_msr *row = profile_find_msr(profile, address);

    if (row == NULL && table->count > 0) {
        row = &table->rows[address / PROFILE_TABLES % table->count];
        address = row->address;
    }
    if (row != NULL && how & 1)
        value = how & 2 ? ~value & row->writable : value & row->writable;
    run_one(g, (struct fate){ .kind = WRITE, .address = address, .value = value, .stays = how & 4 }, how >> 3);
}

/* A counter counts one of the processor's events, and perhaps samples it. */
static void op_sample(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1), n = (unsigned)take(in, 2), i = how % 4;
    const struct vcpu *v = &g->m.v;
    const struct profile_events *table = &v->profile->events[n % PROFILE_TABLES];
    const uint64_t bit = UINT64_C(1) << i, period = number(g, in);

    if (table->count == 0)
        return;
    const struct profile_event *e = &table->rows[n / PROFILE_TABLES % table->count];

    write_legal(g, 0x0c1 + i, period);
    write_legal(g, 0x186 + i,
                e->select | (uint64_t)(e->umask & 0xff) << 8 | (uint64_t)(e->umask >> 8) << 40 |
                    (uint64_t)(how & 4 ? 0x53 : 0x43) << 16);
    if (how & 8) {
        write_legal(g, 0x1903 + 4 * i, period << 32 | (uint32_t)period | UINT64_C(1) << 63);
        write_legal(g, 0x3f1, v->regs[REG_IA32_PEBS_ENABLE] | bit | (how & 16 ? bit << 32 | UINT64_C(1) << 63 : 0));
    }
    write_legal(g, 0x38f, v->regs[REG_IA32_PERF_GLOBAL_CTRL] | bit);
}

static void op_read(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    const struct fate fate = { .kind = READ + how % 5, .address = (uint32_t)number(g, in), .stays = how & 0x80 };
    const uint32_t leaf = cpuid_leaf(&g->m.v, (how & 0x40 ? 0x80000000 : 0) | fate.address % 0x30);
    uint32_t regs[4] = { 0 };

    cpuid_missing_feature(&g->m.v, leaf, regs);
    cpuid_read(&g->m.v, leaf, how % 8, regs);
    if (fate.kind != WRITE)
        run_one(g, fate, how >> 3 & 3);
}

/* A store of the guest. */
static void op_store(struct guest *g, struct input *in)
{
    const uint64_t address = number(g, in), value = number(g, in);

    machine_write(&g->m, address, &value, 8);
}

/* A DS area with records of the right size, except the fields of `odd`, and reset values. */
static void op_area(struct guest *g, struct input *in)
{
    const struct profile *profile = g->m.v.profile;
    const unsigned how = (unsigned)take(in, 1), odd = (unsigned)take(in, 1);
    const unsigned width = profile->dtes64 || g->m.ia32e ? 8 : 4;
    const uint64_t area = g->m.memory_at + AREA + (how & 2 ? 0x7f0 : 0);
    const struct ds_form form = { width, profile->pebs_format, profile->pebs_extended };
    const size_t sizes[] = { encode_bts_bytes(&form), profile->pebs_adaptive ? 64 : encode_pebs_bytes(&form) };

    for (unsigned i = 0; i < 8; i++) { /* base, index, maximum, threshold of BTS and of PEBS */
        const uint64_t usual = g->m.memory_at + BUFFERS + i / 4 * 0x4000 + take(in, 1) * sizes[i / 4];
        const uint64_t value = odd >> i & 1 ? number(g, in) : usual;

        machine_write(&g->m, area + i * width, &value, width);
    }
    for (unsigned i = 0; i < (how >> 4) % 8; i++) {
        const uint64_t reset = number(g, in);

        machine_write(&g->m, area + 8 * width + 8 * i, &reset, 8);
    }
    if (how & 0x80)
        run_one(g, (struct fate){ .kind = WRITE, .address = 0x600, .value = area }, 0);
}

/* Code: its shape, its ring, its events, its data. */
static void op_code(struct guest *g, struct input *in)
{
    static const uint64_t places[] = { 0x400000, 0xffff800000200000, 0xfffffffffffe0000, 0xffffff00, 0x1000, LOW,
                                       MEMORY,   0x7fffffffe000 };
    const unsigned how = (unsigned)take(in, 1), shape = (unsigned)take(in, 1), count = (unsigned)take(in, 1);
    struct code *c = &run.pool[how % POOL];
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
    *c = (struct code){ .block = b, .data = number(g, in), .size = flags >> 2, .repetitions = unit >> 4 };
}

static void op_run(struct guest *g, struct input *in)
{
    const unsigned which = (unsigned)take(in, 1), times = (unsigned)take(in, 1), how = (unsigned)take(in, 1);
    const unsigned most = times & 0x80 ? (times & 0x7f) * 20 : times + 1;
    const struct code *codes[2] = { &run.pool[which % POOL], &run.pool[which / POOL % POOL] };

    for (unsigned i = 0; i < most && run.all_instructions + run.instructions < INSTRUCTIONS; i++) {
        const struct fate fate = { .kind = i + 1 == most ? RUNS + how % 4 : RUNS, .at = how >> 3, .stays = how & 4 };

        if (codes[i % 2]->block != NULL)
            execute(g, codes[i % 2], fate);
    }
}

static void op_interrupt(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    const struct block *running = ring_running_block(&g->m.v);
    const uint64_t next = running != NULL ? (how & 4 ? running->last : running->next) : 0x400000;

    interrupt(g, how & 8 ? INTERRUPTION_EXCEPTION : INTERRUPTION_EXTERNAL, how & 3 ? next : number(g, in) | 1,
              HANDLER + how);
}

/* The machine around the processor changes. */
static void op_machine(struct guest *g, struct input *in)
{
    const unsigned how = (unsigned)take(in, 1), page = (unsigned)take(in, 1);
    struct machine *m = &g->m;

    m->apic_disabled = how & 1;
    g->trap_gate = how & 2;
    g->keeps_mask = how & 4;
    m->interrupts_on = !(how & 8);
    m->ia32e = how & 16 ? !m->ia32e : m->ia32e;
    m->area_shared = how & 32;
    m->in_service = (how >> 6) % 3;
    m->lvtpc = (uint32_t)take(in, 3);
    m->page_flags = page ^ 0x63;
    m->code_page = page & 4 ? run.number : 0;
    m->user_from = page & 8 ? run.number : 0;
    m->tsc_hz = m->registers.rflags = run.number;
    run.hostile.reads = (uint8_t)take(in, 1);
    run.hostile.writes = (uint8_t)take(in, 1);
    run.hostile.memory = (uint8_t)take(in, 1);
    run.hostile.change = (uint8_t)take(in, 1);
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
        standing_settle(&g->m.v);
    if ((how & 8) && !run.looked) { /* once: it is slow */
        run.looked = true;
        REQUIRE(standing_registers(&g->m.v, see_register, &seen) && seen > 0);
    }
    standing_watch(&g->m.v, how & 1, how & 2);
}

static void op_reset(struct guest *g, struct input *in)
{
    for (unsigned i = 0; i < 2 && run.guests[i] != NULL; i++)
        engine_reset(&run.guests[i]->m.v);
}

/* QEMU drops its translations, and translates again. */
static void op_flush(struct guest *g, struct input *in)
{
    struct block *blocks[MADE_MAX];
    const unsigned count = run.made_count;

    for (unsigned i = 0; i < 2 && run.guests[i] != NULL; i++)
        engine_keep_blocks(&run.guests[i]->m.v);
    memcpy(blocks, run.made, count * sizeof(blocks[0]));
    run.made_count = 0;
    for (unsigned i = 0; i < POOL; i++)
        if (run.pool[i].block != NULL)
            run.pool[i].block = rest_make(run.pool[i].block, 0, g);
    for (unsigned i = 0; i < count; i++)
        free(blocks[i]);
}

static void (*const operations[])(struct guest *g, struct input *in) = {
    op_write,     op_read,    op_area,  op_store, op_code,  op_run,
    op_interrupt, op_machine, op_debug, op_reset, op_flush, op_sample,
};

static void begin_input(struct input *in)
{
    const unsigned profile = (unsigned)take(in, 1);

    memset(&run, 0, sizeof(run));
    if (truth.file == NULL) {
        log_open(&truth);
        log_open(&violations);
    }
    run.ways = (unsigned)take(in, 1);
    choose_guests(profile);
    const uint64_t seed = run.ways & LATITUDE ? take(in, 1) : 0;
    const unsigned ipc = run.ways & SEVERAL ? (unsigned)take(in, 1) : 0;

    for (unsigned i = 0; i < 2 && run.guests[i] != NULL; i++)
        guest_renew(run.guests[i], seed, ipc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    unsigned number_of_guest = 0;

    begin_input(&in);
    for (unsigned n = 0;
         n < OPERATIONS && in.size > 0 && run.made_count < MADE_MAX - BATCH && run.all_instructions < INSTRUCTIONS;
         n++) {
        const unsigned op = (unsigned)take(&in, 1);

        if (run.guests[1] != NULL && op & 0x80)
            number_of_guest ^= 1;
        operations[op % 0x80 % COUNT(operations)](run.guests[number_of_guest], &in);
        check_cost();
    }
    for (unsigned i = 0; i < 2 && run.guests[i] != NULL; i++) {
        standing_settle(&run.guests[i]->m.v);
        latitude_take(&run.guests[i]->m.v);
    }
    check_cost();
    for (unsigned i = 0; i < run.made_count; i++)
        free(run.made[i]);
    return 0;
}
