/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine for the model's engine without QEMU: the environment of model_host.h, and a processor that "executes"
 * blocks like translated code (see model/qemu/plugin.c).
 */
#ifndef TESTS_HOST_MODEL_MACHINE_H
#define TESTS_HOST_MODEL_MACHINE_H

#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tests/host/unit_test.h"

#include "tests/host/model_code.h"
#include "tests/host/model_host.h"

#include "model/engine/cpuid.h"
#include "model/engine/data.h"
#include "model/engine/data_cache.h"
#include "model/engine/engine.h"
#include "model/latitude/latitude.h"
#include "model/referee/referee_report.h"

#define BTS  (MEMORY + 0x1000)
#define PEBS (MEMORY + 0x4000)
#define CODE UINT64_C(0x400000)

#define RECORD_BTS  24
#define RECORD_PEBS 200

/* MSR addresses, typed from SDM Vol. 4 (335592-081) and not taken from the model's table. */
#define MISC_ENABLE   0x1a0
#define PMC0          0x0c1
#define A_PMC0        0x4c1
#define EVTSEL0       0x186
#define DEBUGCTL      0x1d9
#define LBR_SELECT    0x1c8
#define LBR_TOS       0x1c9
#define FIXED_CTR0    0x309
#define PERF_CAPS     0x345
#define FIXED_CTRL    0x38d
#define GLOBAL_STATUS 0x38e
#define GLOBAL_CTRL   0x38f
#define STATUS_RESET  0x390
#define PEBS_ENABLE   0x3f1
#define LD_LAT        0x3f6
#define DS_AREA       0x600
#define LBR_FROM0     0x680
#define LBR_TO0       0x6c0
#define LBR_INFO0     0xdc0

#define TR_BTS        0xc0u
#define BTINT         0x100u
#define EVTSEL_ON     0x430000u /* EN, OS, USR */
#define INST_RETIRED  0x00c0u
#define PREC_DIST     0x01c0u
#define ALL_BRANCHES  0x04c4u /* precise up to Skylake */
#define ANY_BRANCH    0x00c4u /* the architectural event, precise from Ice Lake on */
#define NEAR_TAKEN    0x20c4u
#define ALL_LOADS     0x81d0u
#define ALL_STORES    0x82d0u
#define LOAD_LATENCY  0x01cdu
#define STATUS_BUFFER (UINT64_C(1) << 62)
#define STATUS_CTRFRZ (UINT64_C(1) << 59)
#define STATUS_LBRFRZ (UINT64_C(1) << 58)

/* Kinds of accesses, because enum insn_flags does not distinguish loads from stores. */
#define LOADS  0x40u
#define STORES 0x80u

/* The profile with this name; "alderlake/E": its kind of core with this letter. NULL: unknown. */
static inline const struct profile *profile_named(const char *name)
{
    const size_t length = strcspn(name, "/");
    char whole[32] = { 0 };
    const struct profile *found, *kind;

    assert_true(length < sizeof(whole));
    memcpy(whole, name, length);
    found = profile_find(whole);
    if (found == NULL || name[length] == '\0')
        return found;
    for (unsigned i = 0; (kind = profile_kind(found, i)) != NULL; i++)
        if (kind->letter == name[length + 1])
            return kind;
    return NULL;
}

static struct machine *machines[8]; /* the newest machines */
static unsigned machines_made;
static struct block **blocks_made;
static size_t blocks_count;

static inline void machine_free(struct machine *m)
{
    latitude_take(&m->v);
    engine_free(&m->v);
    fclose(m->violations);
    free(m->violations_text);
    free(m);
}

__attribute__((destructor)) static void free_all(void)
{
    for (unsigned i = 0; i < COUNT_OF(machines); i++)
        if (machines[i] != NULL)
            machine_free(machines[i]);
    for (size_t i = 0; i < blocks_count; i++)
        free(blocks_made[i]);
    free(blocks_made);
}

/* Makes a machine; it is freed after eight more calls, or when the program ends. */
static inline struct machine *machine_of(const char *profile)
{
    struct machine *m = calloc(1, sizeof(*m)), **slot = &machines[machines_made++ % COUNT_OF(machines)];

    assert_non_null(m);
    if (*slot != NULL)
        machine_free(*slot);
    *slot = m;
    m->memory_at = MEMORY;
    m->ia32e = profile_named(profile)->dtes64; /* the mode of 64-bit software */
    m->lvtpc = 0x40;
    m->page_flags = 0x63; /* present, writable, accessed, dirty */
    m->violations = open_memstream(&m->violations_text, &m->violations_size);
    assert_non_null(m->violations);
    m->v.violations = m->violations;
    assert_true(engine_init(&m->v, 0, profile_named(profile), &machine_host, m, &m->hot));
    return m;
}

static inline struct machine *machine_new(void)
{
    return machine_of("skylake");
}

static inline void put(struct machine *m, uint64_t address, uint64_t value)
{
    assert_true(machine_write(m, address, &value, 8));
}

static inline uint64_t get(struct machine *m, uint64_t address)
{
    uint64_t value = 0;

    assert_true(machine_read(m, address, &value, 8));
    return value;
}

static inline uint64_t rdmsr(struct machine *m, uint32_t address)
{
    uint64_t value = 0;

    assert_int_equal(engine_rdmsr(&m->v, address, &value, BETWEEN_BLOCKS), MSR_DONE);
    return value;
}

/* A block of `count` instructions of 4 bytes each at CODE + offset, at ring 0. */
static inline struct block *block_make(uint64_t offset, unsigned count, enum block_end end)
{
    struct block *b = calloc(1, sizeof(*b) + count * sizeof(b->insns[0]));

    assert_non_null(b);
    b->pc = CODE + offset;
    b->last = b->pc + 4 * (count - 1);
    b->next = b->pc + 4 * count;
    b->count = (uint16_t)count;
    for (unsigned i = 0; i < count; i++)
        b->insns[i].offset_low = (uint8_t)(4 * i);
    block_set_end(b, end, profile_find("skylake")->predictor_slots);
    return b;
}

/* Like block_make(); the block is freed when the program ends. */
static inline struct block *block_new(uint64_t offset, unsigned count, enum block_end end)
{
    struct block *b = block_make(offset, count, end);

    if (blocks_count % 1024 == 0) {
        blocks_made = realloc(blocks_made, (blocks_count + 1024) * sizeof(blocks_made[0]));
        assert_non_null(blocks_made);
    }
    return blocks_made[blocks_count++] = b;
}

/* Begins a block, like translated code. False: it did not begin, because a PMI was raised at its first instruction. */
static inline bool begin(struct machine *m, const struct block *b)
{
    bool watching;

    if (!code_begin(&m->v, b, &watching))
        return false;
    for (unsigned i = 1; watching && i < b->count; i++)
        code_watch(&m->v, b, i);
    return true;
}

/* Runs a block. If a PMI is raised before it, it counts as handled, without a handler. */
static inline void run(struct machine *m, const struct block *b)
{
    while (!begin(m, b)) {
    }
}

static inline void run_times(struct machine *m, const struct block *b, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        run(m, b);
}

/* Runs a block with only a WRMSR. */
static inline void wrmsr(struct machine *m, uint32_t address, uint64_t value)
{
    struct block *b = block_make(0x20000, 1, END_PLAIN);
    struct place place = { b, 0 };

    run(m, b);
    assert_int_equal(engine_wrmsr(&m->v, address, value, place), MSR_DONE);
    engine_leave(&m->v, (struct place){ b, 1 });
    free(b);
}

/* A WRMSR between blocks, which may raise #GP. */
static inline enum msr_answer try_write(struct machine *m, uint32_t address, uint64_t value)
{
    return engine_wrmsr(&m->v, address, value, BETWEEN_BLOCKS);
}

/* Runs one instruction that loads, stores or does both (flags), as the only one of its block. */
static inline void access_memory(struct machine *m, struct block *b, uint64_t address, unsigned size, unsigned flags)
{
    b->insns[0].flags = (uint8_t)flags;
    run(m, b);
    for (unsigned store = 0; store < 2; store++)
        if (flags & (store ? STORES : LOADS))
            data_accessed(&m->v, (struct place){ b, 0 }, address, size, store);
    engine_data_retired(&m->v, BETWEEN_BLOCKS, b->next, 0);
}

/* An MSR or a word of memory, and a value to write or to expect. */
struct content {
    uint64_t at, value;
};

static inline void wrmsr_each(struct machine *m, const struct content *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wrmsr(m, (uint32_t)all[i].at, all[i].value);
}

static inline void put_each(struct machine *m, const struct content *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(m, all[i].at, all[i].value);
}

static inline void expect_each(struct machine *m, bool msrs, const struct content *all, size_t count, const char *file,
                               int line)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = msrs ? rdmsr(m, (uint32_t)all[i].at) : get(m, all[i].at);

        if (value != all[i].value) {
            print_error("%s %#llx:\n", msrs ? "MSR" : "memory at", (unsigned long long)all[i].at);
            _assert_int_equal(value, all[i].value, file, line);
        }
    }
}

#define CONTENTS(...) \
    (const struct content[]){ __VA_ARGS__ }, sizeof((const struct content[]){ __VA_ARGS__ }) / sizeof(struct content)
#define WRMSR(m, ...)         wrmsr_each(m, CONTENTS(__VA_ARGS__))
#define PUT(m, ...)           put_each(m, CONTENTS(__VA_ARGS__))
#define EXPECT_MSRS(m, ...)   expect_each(m, true, CONTENTS(__VA_ARGS__), __FILE__, __LINE__)
#define EXPECT_MEMORY(m, ...) expect_each(m, false, CONTENTS(__VA_ARGS__), __FILE__, __LINE__)

/* Runs an empty block far away, so that earlier blocks are complete. */
static inline void finish(struct machine *m)
{
    struct block *b = block_make(0x10000, 1, END_PLAIN);

    run(m, b);
    engine_settle(&m->v, (struct place){ b, 1 });
    engine_leave(&m->v, (struct place){ b, 1 });
    free(b);
}

/* Sets up buffers for this many BTS and PEBS records; thresholds are in records. */
static inline void set_up_ds(struct machine *m, unsigned bts, unsigned bts_threshold, unsigned pebs,
                             unsigned pebs_threshold)
{
    put(m, DS + 0x00, BTS);
    put(m, DS + 0x08, BTS);
    put(m, DS + 0x10, BTS + bts * RECORD_BTS);
    put(m, DS + 0x18, BTS + bts_threshold * RECORD_BTS);
    put(m, DS + 0x20, PEBS);
    put(m, DS + 0x28, PEBS);
    put(m, DS + 0x30, PEBS + pebs * RECORD_PEBS);
    put(m, DS + 0x38, PEBS + pebs_threshold * RECORD_PEBS);
    wrmsr(m, DS_AREA, DS);
}

static inline bool violated(struct machine *m, const char *name)
{
    fflush(m->violations);
    return strstr(m->violations_text, name) != NULL;
}

/* Whether a line of the log has the form "RULE: FIELD 0xVALUE must ..", or "should". */
static inline bool has_field(const char *line)
{
    const char *value = strstr(line, " 0x");
    const char *predicate = value != NULL ? strchr(value + 1, ' ') : NULL;

    return predicate != NULL && value - strchr(line, ':') > 3 &&
           (strncmp(predicate, " must ", 6) == 0 || strncmp(predicate, " should ", 8) == 0);
}

/* The log must have only this violation (NULL: none): "RULE" with a field, or "RULE: FIELD VALUE". */
static inline void expect_violation(struct machine *m, const char *name)
{
    const char end = name != NULL && strchr(name, ':') != NULL ? ' ' : ':';
    const char *text;

    fflush(m->violations);
    text = m->violations_text;
    if (name == NULL) {
        assert_string_equal(text, "");
        return;
    }
    if (!violated(m, name))
        fail_msg("%s was not reported; the log: %s", name, text);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *said = strchr(strstr(line, "rip="), ' ') + 1;

        if (strncmp(said, name, strlen(name)) != 0 || said[strlen(name)] != end)
            fail_msg("%s was expected alone; the log: %s", name, text);
        if (!has_field(said))
            fail_msg("no field, value and what it must be: %s", line);
    }
}

#endif
