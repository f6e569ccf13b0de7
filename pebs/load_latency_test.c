/* SPDX-License-Identifier: MIT */
/*
 * Loads from a known level of the memory hierarchy: rings of lines that fit into one level and not into the previous
 * one, in an order that no prefetcher follows. Replacement, prefetchers and other agents affect where a load's data
 * comes from. Promised: some loads of a ring come from its level, and memory takes longer than the first level.
 * Typical: nearly all come from its level.
 *
 * The processor tracks loads that it picks at random, so the test walks a ring until it has enough samples.
 */
#include "suite/suite.h"

#include "suite/measure/tables/mem_table.h"
#include "lib/text.h"
#include "kernel/memory.h"

#define GROUP .needs = NEED_APIC | NEED_PEBS | NEED_LOAD_LATENCY, .records = true

#define LINE     64u
#define KIB      1024u
#define MIB      (1024u * KIB)
#define STEPS    32768u
#define ENOUGH   32u /* samples per ring */
#define ATTEMPTS 16u /* walks over a ring, at most */

enum { FIRST_LEVEL, SECOND_LEVEL, THIRD_LEVEL, MEMORY, LEVELS };

struct footprint {
    const char *name;
    const char *level; /* the source of a load's data, in perf's words; NULL: not a cache */
    unsigned bytes;    /* a power of two, used if CPUID does not give the cache sizes */
};

static const struct footprint footprints[LEVELS] = {
    [FIRST_LEVEL] = { "the first level", "L1 or L1 hit", 16 * KIB },
    [SECOND_LEVEL] = { "the second level", "L2 or L2 hit", 128 * KIB },
    [THIRD_LEVEL] = { "the third level", "L3 or L3 hit", 0 },
    [MEMORY] = { "memory", NULL, 16 * MIB }, /* the lines are also flushed */
};

#define CPUID_CACHES            4u
#define CACHE_TYPE(eax)         ((eax)&0x1f)
#define CACHE_TYPE_INSTRUCTIONS 2u
#define CACHE_LEVEL(eax)        ((eax) >> 5 & 7)

/* Bytes of the data cache of a level, from 1 on, by CPUID leaf 4; 0 if unknown. */
static uint64_t cache_bytes(unsigned level)
{
    if (cpuid(0, 0).eax < CPUID_CACHES)
        return 0;
    for (unsigned i = 0; i < 16; i++) {
        const struct cpuid c = cpuid(CPUID_CACHES, i);
        if (!CACHE_TYPE(c.eax))
            break;
        if (CACHE_LEVEL(c.eax) == level && CACHE_TYPE(c.eax) != CACHE_TYPE_INSTRUCTIONS)
            return (uint64_t)((c.ebx >> 22) + 1) * ((c.ebx >> 12 & 0x3ff) + 1) * ((c.ebx & 0xfff) + 1) * (c.ecx + 1u);
    }
    return 0;
}

/* The largest power of two that is at most `most`. */
static unsigned power_of_two(uint64_t most)
{
    unsigned bytes = LINE;

    while (bytes < 1u << 30 && 2 * bytes <= most)
        bytes *= 2;
    return bytes;
}

/*
 * A ring of half the size of its level, and in the third level at most four times the second. 0 bytes if that is less
 * than 1.5 times the previous level. If CPUID does not give the size, the ring in the third level is twice the largest
 * second level of the core, so that it also fits into a small third level.
 */
static struct footprint footprint_of(const struct caps *caps, unsigned level)
{
    struct footprint footprint = footprints[level];
    const uint64_t own = level < MEMORY ? cache_bytes(level + 1) : 0, before = level ? cache_bytes(level) : 0;

    if (own) {
        const unsigned bytes = power_of_two(level == THIRD_LEVEL && own / 2 > 4 * before ? 4 * before : own / 2);
        footprint.bytes = 2 * (uint64_t)bytes > 3 * before ? bytes : 0;
    } else if (level == THIRD_LEVEL) {
        footprint.bytes = power_of_two(2 * KIB * (uint64_t)caps->second_level_kib);
    }
    return footprint;
}

static bool is_of(const struct footprint *footprint, const char *level)
{
    if (text_compare(level, "L0 hit") == 0) /* a part of Panther Cove's first level */
        level = footprints[FIRST_LEVEL].level;
    if (footprint->level)
        return text_compare(level, footprint->level) == 0;
    for (unsigned i = 0; i < MEMORY; i++)
        if (text_compare(level, footprints[i].level) == 0)
            return false;
    return true;
}

/* Each line has the address of the next. A linear congruential sequence of full period visits each line once, in a
 * scattered order. */
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

/* The samples of a ring. */
struct tally {
    unsigned samples, own; /* own: from the ring's level */
    uint64_t cycles[256];  /* of each sample, in ascending order */
};

#define MOST_SAMPLES (sizeof((struct tally){ 0 }.cycles) / sizeof(uint64_t))

static void tally_add(struct tally *tally, uint64_t cycles, bool own)
{
    unsigned i = tally->samples;

    if (i == MOST_SAMPLES)
        return;
    for (; i > 0 && tally->cycles[i - 1] > cycles; i--)
        tally->cycles[i] = tally->cycles[i - 1];
    tally->cycles[i] = cycles;
    tally->samples++;
    tally->own += own;
}

/* Compares the records of a walk with its steps, which RCX counts. */
static void take(struct test_run *run, const uint8_t *block, const struct footprint *footprint, struct mem_table *table,
                 struct tally *tally)
{
    const uintptr_t *line = (const uintptr_t *)(const void *)block;
    struct pebs_record record;
    uint32_t step = 0;

    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++) {
        const char *level = data_source_words(run->caps->data_source, record.data_source).level;
        const uint32_t at = STEPS - (uint32_t)record.gpr[PEBS_RCX];
        if (!pebs_access(run, &workload_walk, &record))
            continue; /* a load before the walk */
        for (; step < at && step < STEPS; step++)
            line = (const uintptr_t *)*line;
        test_equal(run, "data address", record.data_address, (uintptr_t)line);
        mem_table_add(table, level, record.latency);
        tally_add(tally, record.latency, is_of(footprint, level));
    }
}

/* Walks a ring until it has enough samples. Returns their median latency, because a few loads may take much longer. */
static uint64_t walk(struct test_run *run, const struct pebs_sample *sample, uint8_t *block,
                     const struct footprint *footprint, struct mem_table *table)
{
    static struct tally tally;

    console_note("a ring of %u KiB: %s", footprint->bytes / KIB, footprint->name);
    tally = (struct tally){ .samples = 0 };
    for (unsigned i = 0; i < ATTEMPTS && tally.samples < ENOUGH; i++) {
        make_ring(block, footprint);
        if (!pebs_sample(run, sample))
            return 0;
        take(run, block, footprint, table, &tally);
    }
    if (!tally.own)
        test_fail(run, "none of %u loads from a ring of %u KiB came from %s", tally.samples, footprint->bytes / KIB,
                  footprint->name);
    else if (tally.samples - tally.own > tally.samples / 8)
        test_differs(run, "%u of %u loads from a ring of %u KiB did not come from %s", tally.samples - tally.own,
                     tally.samples, footprint->bytes / KIB, footprint->name);
    return tally.cycles[tally.samples / 2];
}

static void hierarchy(struct test_run *run)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);
    const struct pebs_sample sample = {
        .event = event, .workload = &workload_walk, .counter = pebs_counter(run->caps, event), .period = 511
    };
    struct mem_table table = { 0 };
    uint64_t first = 0;

    test_plan_between(run, 1, LEVELS * ATTEMPTS * ((STEPS + 2) / pebs_sample_spacing(run->caps, &sample)));
    for (unsigned i = 0; i < LEVELS; i++) {
        const struct footprint footprint = footprint_of(run->caps, i);
        uint8_t *block = footprint.bytes ? memory_block(footprint.bytes) : NULL;
        uint64_t latency;
        if (!block) {
            console_note(footprint.bytes ? "no contiguous %u KiB of free memory: %s is not tested"
                                         : "no ring for %u KiB of %s: that is hardly larger than the previous level",
                         footprint.bytes / KIB, footprint.name);
            continue;
        }
        latency = walk(run, &sample, block, &footprint, &table);
        if (i == MEMORY && latency <= first)
            test_fail(run, "loads from memory take %" PRIu64 " cycles, loads from the first level %" PRIu64, latency,
                      first);
        first = i == FIRST_LEVEL ? latency : first;
    }
    mem_table_text(&console_sink, &table, event->name);
}

TEST(pebs_load_latency_hierarchy) = {
    .id = "pebs.load_latency.hierarchy",
    .title = "Loads from a ring that fits a level come from that level, and loads from memory take longer than from "
             "the first level",
    .source = SDM_DATA_SOURCES,
    GROUP,
    .run = hierarchy,
};

/* ---- the threshold ---------------------------------------------------------------------------------------------- */

/* The watch of registers reads each value back. */
static void threshold_register(struct test_run *run)
{
    static const uint64_t values[] = { PEBS_LATENCY_THRESHOLD, 4, 0x20, 0x155, 0xaaa, 0xffff };

    (void)run;
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        msr_write(MSR_PEBS_LD_LAT_THRESHOLD, values[i]);
    msr_write(MSR_PEBS_LD_LAT_THRESHOLD, PEBS_LATENCY_THRESHOLD);
}

/* If no load is expected to exceed the threshold, one attempt is enough. */
static struct pebs_sample chase(const struct test_run *run, unsigned latency)
{
    const struct pebs_event *event = pebs_find_event(run->caps, PEBS_ROLE_LOAD_LATENCY);

    return (struct pebs_sample){ .event = event,
                                 .workload = &workload_chase,
                                 .counter = pebs_counter(run->caps, event),
                                 .period = PEBS_PERIOD_LEAST,
                                 .until = latency == 0xffff ? 0 : ENOUGH,
                                 .latency = latency };
}

#define CHASE_STEPS (WORKLOAD_CHASE_LINES * WORKLOAD_CHASE_ROUNDS)

static void threshold_far(struct test_run *run)
{
    const struct pebs_sample sample = chase(run, 0xffff);

    test_plan(run, 0);
    pebs_sample(run, &sample);
}

/* From Golden Cove on a record has two latencies; no source says which of them is compared with the threshold. */
static void check_latency(struct test_run *run, uint64_t cycles, unsigned threshold)
{
    if (cycles > threshold)
        return;
    if (run->caps->pebs_form.cache_latency)
        test_differs(run, "recorded a load of %" PRIu64 " cycles, not above the threshold of %u", cycles, threshold);
    else
        test_fail(run, "recorded a load of %" PRIu64 " cycles, not above the threshold of %u", cycles, threshold);
}

/* The second threshold is the shortest latency that the first one recorded. */
static void threshold_exceeded(struct test_run *run)
{
    struct pebs_sample sample = chase(run, PEBS_LATENCY_THRESHOLD);
    const unsigned most = ENOUGH + CHASE_STEPS / pebs_sample_spacing(run->caps, &sample);
    struct pebs_record record;
    unsigned least = 0xffff;

    test_plan_between(run, 1, 2 * most);
    if (!pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        least = record.latency < least ? (unsigned)record.latency : least;
    console_note("the quickest load took %u cycles", least);
    check_latency(run, least, PEBS_LATENCY_THRESHOLD);
    sample.latency = least;
    sample.until = 0; /* maybe no load takes longer */
    if (least <= PEBS_LATENCY_THRESHOLD || !pebs_sample(run, &sample))
        return;
    for (unsigned n = 0; n < ds_pebs_log()->records && records_pebs(run, n, &record); n++)
        check_latency(run, record.latency, least);
}

TESTS(thresholds) = {
    { "pebs.load_latency.threshold.register", "MSR_PEBS_LD_LAT_THRESHOLD holds any threshold from 3 to 65535 cycles",
      SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD", .needs = NEED_PEBS | NEED_LOAD_LATENCY,
      .run = threshold_register },
    { "pebs.load_latency.threshold.far",
      "Loads below the threshold are not counted: no load from a ring in the first level takes 65535 cycles",
      SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD", GROUP, .run = threshold_far },
    { "pebs.load_latency.threshold.exceeded",
      "A recorded load took longer than the threshold: a load of exactly that latency is not recorded",
      SDM_LOAD_LATENCY ", MSR_PEBS_LD_LAT_THRESHOLD", GROUP, .run = threshold_exceeded },
};
