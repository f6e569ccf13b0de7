/* SPDX-License-Identifier: MIT */
/*
 * Loads with a known place in the memory hierarchy: rings of lines as large as each level, in an order that no
 * prefetcher follows. Such a ring was just written in the order in which it is walked, so that of one larger than a
 * level, whose oldest lines go first, no line is left there when its turn comes: it must come from the next level.
 */
#include "tables/mem_table.h"

#include <inttypes.h>

#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "base/text.h"
#include "kernel/console.h"
#include "kernel/memory.h"
#include "suite/pebs_sample.h"
#include "suite/sources.h"

#define LINE  64u
#define KIB   1024u
#define MIB   (1024u * KIB)
#define STEPS 32768u

struct footprint {
    const char *name;
    unsigned bytes;    /* a power of two */
    const char *level; /* where a load's data comes from, in perf's words; NULL: none of the caches */
};

/*
 * The first level has 32 or 48 KiB, the second 256 KiB or more. The third level's ring is four times the second, which
 * is half of the smallest third level (2 MiB) beside one of 256 KiB; the others are taken to hold 4 MiB, the most that
 * it gets. Lines of the last ring are flushed as well.
 */
static const struct footprint footprints[] = {
    { "the first level", 16 * KIB, "L1 or L1 hit" },
    { "the second level", 128 * KIB, "L2 or L2 hit" },
    { "the third level", 4 * MIB, "L3 or L3 hit" },
    { "memory", 16 * MIB, NULL },
};

#define LEVELS      (sizeof footprints / sizeof footprints[0])
#define THIRD_LEVEL 2u

static struct footprint footprint_of(const struct caps *caps, unsigned level)
{
    struct footprint footprint = footprints[level];

    if (level == THIRD_LEVEL && 4 * KIB * caps->second_level_kib < footprint.bytes)
        footprint.bytes = 4 * KIB * caps->second_level_kib;
    return footprint;
}

static bool is_of(const struct footprint *footprint, const char *level)
{
    if (footprint->level)
        return text_compare(level, footprint->level) == 0;
    for (unsigned i = 0; i + 1 < LEVELS; i++)
        if (text_compare(level, footprints[i].level) == 0)
            return false;
    return true;
}

/* Each line holds the address of the next. A linear congruential sequence of full period visits all, in no order. */
static void make_ring(uint8_t *block, const struct footprint *footprint)
{
    const uint32_t lines = footprint->bytes / LINE;
    uint32_t line = 0;

    for (uint32_t i = 0; i < lines; i++) {
        const uint32_t next = (line * 1664525u + 1013904223u) & (lines - 1);
        *(uintptr_t *)(void *)(block + (size_t)line * LINE) = (uintptr_t)(block + (size_t)next * LINE);
        line = next;
    }
    for (uint32_t i = 0; !footprint->level && i < lines; i++)
        cache_line_flush(block + (size_t)i * LINE);
    workload_walk_first = (uintptr_t)block;
    workload_walk_steps = STEPS;
}

/*
 * Walks a ring and holds every record of it against its step, which RCX tells. One record in eight may come from
 * elsewhere: opening the area displaces lines, and so do page walks, prefetchers and other agents. Returns the average
 * latency.
 */
static uint64_t walk(struct test_run *run, const struct pebs_sample *sample, uint8_t *block,
                     const struct footprint *footprint, struct mem_table *table)
{
    const struct access *load = workload_walk.accesses;
    struct pebs_record record;
    uint32_t step = 0, samples = 0, elsewhere = 0, weight = 0;
    const uintptr_t *line = (const uintptr_t *)(void *)block;

    console_note("a ring of %u KiB: %s", footprint->bytes / KIB, footprint->name);
    make_ring(block, footprint);
    if (!pebs_sample(run, sample))
        return 0;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const char *level = data_source_words(run->caps->data_source, record.data_source).level;
        const uint32_t at = STEPS - (uint32_t)record.gpr[PEBS_RCX];
        const bool itself = record.has & PEBS_HAS_EVENTING_IP || !run->caps->pebs_trap_like;
        if ((record.has & PEBS_HAS_EVENTING_IP ? record.eventing_ip : record.ip) != (itself ? load->ip : load->next_ip))
            continue; /* the loads before the walk */
        if (at >= STEPS) {
            test_fail(run, "PEBS record %u: RCX 0x%" PRIx64 " is not a number of steps", n, record.gpr[PEBS_RCX]);
            continue;
        }
        for (; step < at; step++)
            line = (const uintptr_t *)*line;
        pebs_check(run, sample, &record, load->ip, load->next_ip);
        test_equal(run, "data address", record.data_address, (uintptr_t)line);
        mem_table_add(table, level, record.latency);
        samples++;
        weight += (uint32_t)record.latency;
        elsewhere += !is_of(footprint, level);
    }
    if (elsewhere > samples / 8)
        test_fail(run, "%u of %u loads from a ring of %u KiB did not come from %s", elsewhere, samples,
                  footprint->bytes / KIB, footprint->name);
    if (samples == 0) {
        test_fail(run, "no load of the ring of %u KiB was sampled", footprint->bytes / KIB);
        return 0;
    }
    return weight / samples;
}

/* How many of the rings this machine has the memory for; there is room for the smallest wherever the kernel runs. */
static unsigned fitting(const struct caps *caps)
{
    unsigned count = 1;

    while (count < LEVELS && memory_block(footprint_of(caps, count).bytes))
        count++;
    return count;
}

static void hierarchy(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);
    const struct pebs_sample sample = {
        .event = event, .workload = &workload_walk, .counter = pebs_counter(run->caps, event), .period = 1023
    };
    const unsigned levels = fitting(run->caps);
    struct mem_table table = { 0 };
    uint64_t last = 0;

    test_plan_between(run, levels, levels * ((STEPS + 2) / pebs_spacing(event, sample.period)));
    if (levels < LEVELS)
        console_note("no %u KiB of free memory in one piece: nothing is loaded from %s",
                     footprint_of(run->caps, levels).bytes / KIB, footprints[levels].name);
    for (unsigned i = 0; i < levels; i++) {
        const struct footprint footprint = footprint_of(run->caps, i);
        uint8_t *block = memory_block(footprint.bytes);
        const uint64_t latency = block ? walk(run, &sample, block, &footprint, &table) : 0;
        if (latency <= last)
            test_fail(run, "loads from %s take %" PRIu64 " cycles, not more than the %" PRIu64 " from the level before",
                      footprint.name, latency, last);
        last = latency;
    }
    mem_table_text(&console_sink, &table, event->name);
}

TEST(pebs_load_latency_hierarchy) = {
    .id = "pebs.load_latency.hierarchy",
    .title = "Loads from rings as large as each level come from that level, and take longer the farther it is",
    .source = SDM_DATA_SOURCES,
    .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY,
    .records = true,
    .run = hierarchy,
};

/* ---- the threshold ---------------------------------------------------------------------------------------------- */

static void threshold_register(struct test_run *run)
{
    static const uint64_t values[] = { PEBS_LATENCY_THRESHOLD, 4, 0x20, 0x155, 0xaaa, 0xffff };

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (!msr_write(MSR_PEBS_LD_LAT_THRESHOLD, values[i]))
            test_fail(run, "WRMSR of 0x%" PRIx64 " to MSR_PEBS_LD_LAT_THRESHOLD raised #GP", values[i]);
        test_equal(run, "MSR_PEBS_LD_LAT_THRESHOLD", msr_get(MSR_PEBS_LD_LAT_THRESHOLD) & 0xffff, values[i]);
    }
    msr_write(MSR_PEBS_LD_LAT_THRESHOLD, PEBS_LATENCY_THRESHOLD);
}

TEST(pebs_load_latency_threshold_register) = {
    .id = "pebs.load_latency.threshold.register",
    .title = "MSR_PEBS_LD_LAT_THRESHOLD keeps a threshold from 3 cycles to 65535",
    .source = SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD",
    .needs = NEED_PEBS | NEED_LOAD_LATENCY,
    .run = threshold_register,
};

static struct pebs_sample chase(const struct test_run *run, unsigned latency)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);

    return (struct pebs_sample){ .event = event,
                                 .workload = &workload_chase,
                                 .counter = pebs_counter(run->caps, event),
                                 .period = 32,
                                 .latency = latency };
}

#define CHASE_STEPS (WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS)

static void threshold_far(struct test_run *run)
{
    const struct pebs_sample sample = chase(run, 0xffff);

    test_plan(run, 0);
    pebs_sample(run, &sample);
}

TEST(pebs_load_latency_threshold_far) = {
    .id = "pebs.load_latency.threshold.far",
    .title =
        "Loads that stay below the threshold are not counted: of a ring in the first level none takes 65535 cycles",
    .source = SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD",
    .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY,
    .records = true,
    .run = threshold_far,
};

/* The threshold of the second turn is what the quickest load took. */
static void threshold_exceeded(struct test_run *run)
{
    struct pebs_sample sample = chase(run, PEBS_LATENCY_THRESHOLD);
    const unsigned most = CHASE_STEPS / pebs_spacing(sample.event, sample.period);
    struct pebs_record record;
    unsigned least = 0xffff;

    test_plan_between(run, 1, 2 * most);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        least = record.latency < least ? (unsigned)record.latency : least;
    console_note("the quickest load took %u cycles", least);
    if (least <= PEBS_LATENCY_THRESHOLD)
        test_fail(run, "a load of %u cycles was recorded, which is not above the threshold of %u", least,
                  PEBS_LATENCY_THRESHOLD);
    sample.latency = least;
    if (least <= PEBS_LATENCY_THRESHOLD || !pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        if (record.latency <= least)
            test_fail(run, "a load of %" PRIu64 " cycles was recorded, which is not above the threshold of %u",
                      record.latency, least);
}

TEST(pebs_load_latency_threshold_exceeded) = {
    .id = "pebs.load_latency.threshold.exceeded",
    .title = "A recorded load took longer than the threshold: one that took just as long is not recorded",
    .source = SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD",
    .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY,
    .records = true,
    .run = threshold_exceeded,
};
