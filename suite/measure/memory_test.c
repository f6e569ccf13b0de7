/* SPDX-License-Identifier: MIT */
/*
 * The memory hierarchy as loads see it: load latency sampled over rings from 4 KiB to 256 MiB, each a chain of
 * addresses in an order that no prefetcher follows. The workload's label and its count of steps give the instruction
 * and the address of every sample. The figures are the source and the latency of the data.
 *
 * The ring is written in the order of the walk. If it is larger than a cache, the walk begins with lines that were
 * written first and evicted since. A walk over part of a large ring gives the same result as a full one.
 */
#include "suite/suite.h"

#include "lib/format.h"
#include "lib/text.h"
#include "kernel/memory.h"
#include "suite/measure/tables/level_table.h"

#define LINE       64u
#define KIB        1024u
#define MIB        (1024u * KIB)
#define STEPS      32768u
#define PERIOD     128u
#define SURELY_L1  (16 * KIB) /* fits into the first level of every processor that has load latency */
#define MIX_FIRST  0x9e3779b1u
#define MIX_SECOND 0x85ebca6bu

/* The i-th line of the walk: a permutation of [0, 1 << bits), with bits of at least 2. */
static uint32_t line_at(uint32_t i, unsigned bits)
{
    const uint32_t mask = (1u << bits) - 1;

    i = i * MIX_FIRST & mask;
    i ^= i >> bits / 2;
    i = i * MIX_SECOND & mask;
    return i ^ i >> bits / 2;
}

static void make_ring(uint8_t *block, unsigned bits)
{
    const uint32_t lines = 1u << bits;

    for (uint32_t i = 0; i < lines; i++) {
        uint8_t *line = block + (size_t)line_at(i, bits) * LINE;
        *(uintptr_t *)(void *)line = (uintptr_t)(block + (size_t)line_at((i + 1) & (lines - 1), bits) * LINE);
    }
    workload_walk_first = (uintptr_t)(block + (size_t)line_at(0, bits) * LINE);
    workload_walk_steps = STEPS;
}

/* Samples the walk. A first step over one line brings the data that sampling needs into the caches. */
static bool sample_ring(struct test_run *run, const struct pebs_sample *sample, uint8_t *block, unsigned bits)
{
    const struct window window = pebs_sample_window(run, sample);

    if (!pebs_sample_open(run, sample) || !pebs_sample_arm(run, sample))
        return false;
    *(uintptr_t *)(void *)block = (uintptr_t)block;
    workload_walk_first = (uintptr_t)block;
    workload_walk_steps = 1;
    workload_walk.run(&window);
    make_ring(block, bits);
    workload_walk.run(&window);
    pebs_close(run, 0);
    return true;
}

/* Compares a record's address with its step, which RCX gives, and adds it to the table. */
static void take(struct test_run *run, const struct pebs_record *record, const uint8_t *block, unsigned bits,
                 struct level_table *table)
{
    const uint32_t step = STEPS - (uint32_t)record->gpr[PEBS_RCX];

    test_equal(run, "data address", record->data_address,
               (uintptr_t)(block + (size_t)line_at(step & ((1u << bits) - 1), bits) * LINE));
    level_table_add(table, data_source_words(run->caps->data_source, record->data_source).level, record->latency);
}

static bool is_of_walk(const struct test_run *run, const struct pebs_record *record)
{
    const struct access *load = workload_walk.accesses;

    if (record->has & PEBS_HAS_EVENTING_IP)
        return record->eventing_ip == load->ip;
    return record->ip == (run->caps->pebs_trap_like ? load->next_ip : load->ip);
}

/* Panther Cove's level 0 is the first part of its first level. */
static bool is_first_level(const char *words)
{
    return text_compare(words, "L0 hit") == 0 || text_compare(words, "L1 or L1 hit") == 0;
}

static void walk(struct test_run *run)
{
    const uint32_t size = *(const uint32_t *)run->test->argument; /* bytes, a power of two */
    static struct level_table table;
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);
    const struct pebs_sample sample = {
        .event = event, .workload = &workload_walk, .counter = pebs_counter(run->caps, event), .period = PERIOD
    };
    const unsigned bits = (unsigned)__builtin_ctz(size / LINE);
    uint8_t *block = memory_block(size);
    struct pebs_record record;
    unsigned walked = 0, nearest = 0;

    if (!block) {
        static char reason[80];
        format(reason, sizeof reason, "no contiguous %u KiB of free memory below 4 GiB", size / KIB);
        test_skip(run, reason);
        return;
    }
    table = (struct level_table){ 0 };
    test_plan_between(run, 1, (STEPS + 5) / pebs_sample_spacing(run->caps, &sample));
    if (run->caps->hypervisor)
        console_note("under a hypervisor: latencies may differ from time");
    console_note("a ring of %u KiB, %u steps", size / KIB, STEPS);
    if (!sample_ring(run, &sample, block, bits))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (is_of_walk(run, &record)) { /* before the walk, the workload loads its two parameters */
            take(run, &record, block, bits, &table);
            walked++;
        }
    level_table_text(&console_sink, &table, event->name, size, STEPS);
    for (unsigned i = 0; i < table.sums.count; i++)
        nearest += is_first_level(table.sums.rows[i].words) ? table.sums.rows[i].samples : 0;
    if (!walked)
        test_fail(run, "no load of the walk was sampled");
    else if (size > SURELY_L1)
        return;
    else if (!nearest)
        test_fail(run, "none of %u loads from a ring of %u KiB came from the first level", table.sums.samples,
                  size / KIB);
    else if (table.sums.samples - nearest > table.sums.samples / 8)
        test_differs(run, "%u of %u loads from a ring of %u KiB did not come from the first level",
                     table.sums.samples - nearest, table.sums.samples, size / KIB);
}

#define CHASE(name, bytes, text)                                                                                      \
    TEST(measure_memory_##name) = { .id = "measure.memory." #name,                                                    \
                                    .title =                                                                          \
                                        "Loads from a ring of " text ": the source of their data, and their latency", \
                                    .source = SDM_LOAD_LATENCY,                                                       \
                                    .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY,                               \
                                    .records = true,                                                                  \
                                    .on_request = true,                                                               \
                                    .run = walk,                                                                      \
                                    .argument = &(const uint32_t){ bytes } }

CHASE(4k, 4 * KIB, "4 KiB");
CHASE(16k, 16 * KIB, "16 KiB");
CHASE(64k, 64 * KIB, "64 KiB");
CHASE(256k, 256 * KIB, "256 KiB");
CHASE(1m, MIB, "1 MiB");
CHASE(4m, 4 * MIB, "4 MiB");
CHASE(16m, 16 * MIB, "16 MiB");
CHASE(64m, 64 * MIB, "64 MiB");
CHASE(256m, 256 * MIB, "256 MiB");
