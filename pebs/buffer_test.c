/* SPDX-License-Identifier: MIT */
/*
 * Where the processor writes: the fields of the DS management area that it must change and those that it must not, and
 * the bytes of the buffer that it must not touch. Interrupts are off while the processor writes records, so the service
 * routine cannot drain them before the test compares memory byte by byte. The buffer has a fill pattern, which shows
 * how many records were written.
 */
#include "suite/suite.h"

#include "ds/ds_area.h"

#define NEEDS (NEED_APIC | NEED_PEBS | NEED_PEBS_AREA | NEED_EVENT_ANY)
#define GROUP .needs = NEEDS, .records = true

#define MANAGEMENT SDM_DEBUG_STORE ", figures 16-5 and 16-8"

#define PATTERN 0xa5u

/* A buffer that the tests fill. The threshold is as far from the end as the manual requires. */
enum { RECORDS = 4, THRESHOLD = 2, EVENTS_FOR = 10 };

static struct ds_area area_read(const struct test_run *run)
{
    const struct ds_memory memory = ds_memory();
    struct ds_area area = { 0 };

    ds_area_decode(run->caps->ds_width, run->caps->pebs_format, memory.area, memory.area_size, &area);
    return area;
}

static void area_write(const struct test_run *run, const struct ds_area *area)
{
    const struct ds_memory memory = ds_memory();

    ds_area_encode(run->caps->ds_width, run->caps->pebs_format, area, memory.area, memory.area_size);
    ds_area_adopt();
}

static uint8_t *at(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address;
}

static void paint(void)
{
    const struct ds_memory memory = ds_memory();

    memset(memory.pebs, PATTERN, memory.pebs_size);
}

/* Fails unless all bytes still have the pattern of paint(). */
static void check_painted(struct test_run *run, const char *what, uint64_t from, uint64_t to)
{
    for (uint64_t address = from; address < to; address++) {
        if (*at(address) != PATTERN) {
            test_fail(run, "%s: the byte at 0x%" PRIx64 " was written", what, address);
            return;
        }
    }
}

static uint64_t buffer_end(void)
{
    const struct ds_memory memory = ds_memory();

    return (uintptr_t)memory.pebs + memory.pebs_size;
}

/* Runs the workload with interrupts off, and leaves them off. On return, no record is pending. */
static void run_closed(struct test_run *run, const struct pebs_sample *sample)
{
    const struct window window = pebs_sample_window(run, sample);

    interrupts_off();
    sample->workload->run(&window);
    pebs_settle();
}

/* Opens the area, fills it with the pattern, lets the test change it, and samples. Returns false if sampling failed. */
static bool sample_into(struct test_run *run, const struct pebs_sample *sample, void (*change)(struct ds_area *area))
{
    struct ds_area area;

    if (!pebs_sample_open(run, sample))
        return false;
    paint();
    if (change) {
        area = area_read(run);
        change(&area);
        area_write(run, &area);
    }
    if (!pebs_sample_arm(run, sample))
        return false;
    run_closed(run, sample);
    return true;
}

static unsigned record_size(void)
{
    return ds_pebs_log()->record_size;
}

/* The number of records from this address on: slots of a record's size in which at least one byte changed. */
static unsigned records_at(uint64_t from)
{
    unsigned count = 0;

    for (uint64_t place = from; place + record_size() <= buffer_end(); place += record_size(), count++) {
        unsigned i = 0;
        while (i < record_size() && *at(place + i) == PATTERN)
            i++;
        if (i == record_size())
            break;
    }
    return count;
}

/* ---- the index ------------------------------------------------------------------------------------------------ */

/* No record is behind the index. The drain divides the bytes before it into records, and reports a rest. */
static void steps(struct test_run *run)
{
    enum { MOST = 4 };

    pebs_plan(run, 1 + 2 + 3 + MOST);
    for (unsigned records = 1; records <= MOST; records++) {
        const struct pebs_sample sample = pebs_sample_any(run->caps, records);
        struct ds_area area;
        if (!sample_into(run, &sample, NULL))
            return;
        area = area_read(run);
        test_equal(run, "distance of the index from the base", area.pebs.index - area.pebs.base,
                   (uint64_t)records_at(area.pebs.base) * record_size());
        pebs_close(run, 0);
        pebs_check_count(run, ds_pebs_log()->records, records);
    }
}

enum { AHEAD = 3 };

static void index_ahead(struct ds_area *area)
{
    area->pebs.index += (uint64_t)AHEAD * record_size();
}

/* Afterwards the test moves the record to the base, where the drain looks for it. */
static void start(struct test_run *run)
{
    enum { COUNT = 1 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    struct ds_area area;
    uint64_t first;
    unsigned came;

    pebs_plan(run, COUNT);
    if (!sample_into(run, &sample, index_ahead))
        return;
    area = area_read(run);
    first = area.pebs.base + (uint64_t)AHEAD * record_size();
    check_painted(run, "before the index", area.pebs.base, first);
    came = records_at(first);
    test_equal(run, "the index", area.pebs.index, first + (uint64_t)came * record_size());
    memmove(at(area.pebs.base), at(first), (size_t)came * record_size());
    area.pebs.index = area.pebs.base + (uint64_t)came * record_size();
    area_write(run, &area);
    pebs_close(run, 0);
}

static void beyond(struct test_run *run)
{
    enum { COUNT = 5 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    struct ds_area area;

    pebs_plan(run, COUNT);
    if (!sample_into(run, &sample, NULL))
        return;
    area = area_read(run);
    check_painted(run, "after the last record", area.pebs.index, buffer_end());
    pebs_close(run, 0);
}

TESTS(index_fields) = {
    { "ds.pebs.index.steps", "Each PEBS record advances the index by the size of one record, starting from the base",
      MANAGEMENT, GROUP, .run = steps },
    { "ds.pebs.index.start", "The first PEBS record is written at the index, not at the base", MANAGEMENT, GROUP,
      .run = start },
    { "ds.pebs.index.beyond", "No byte of the PEBS buffer after the last record is written", MANAGEMENT, GROUP,
      .run = beyond },
};

/* ---- the management area ---------------------------------------------------------------------------------------- */

/* Compares the whole page except the index, whose offset this file repeats on purpose. */
static void kept(struct test_run *run)
{
    enum { COUNT = 3, PAGE = 4096 };
    static uint8_t before[PAGE];
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    const struct ds_memory memory = ds_memory();
    const size_t width = run->caps->ds_width, index = width == DS_WIDTH_32 ? 0x14 : 0x28;

    pebs_plan(run, COUNT);
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    memset(memory.area + run->caps->ds_area_size, PATTERN, memory.area_size - run->caps->ds_area_size);
    memcpy(before, memory.area, sizeof before);
    run_closed(run, &sample);
    for (size_t i = 0; i < sizeof before; i++)
        if ((i < index || i >= index + width) && memory.area[i] != before[i])
            test_fail(run, "byte 0x%x of the management area is 0x%x, was 0x%x", (unsigned)i, memory.area[i],
                      before[i]);
    pebs_close(run, 0);
}

/*
 * Two areas in one page: the processor must not use the address that the register had first. The drain takes the
 * records of the second.
 */
static void used(struct test_run *run)
{
    enum { COUNT = 3, SECOND = 0x800 };
    const struct pebs_sample sample = pebs_sample_any(run->caps, COUNT);
    const struct ds_memory memory = ds_memory();
    struct ds_area second = { 0 };

    pebs_plan(run, COUNT);
    if (!pebs_sample_open(run, &sample))
        return;
    paint();
    memcpy(memory.area + SECOND, memory.area, run->caps->ds_area_size);
    msr_write(MSR_IA32_DS_AREA, (uintptr_t)memory.area + SECOND);
    if (!pebs_sample_arm(run, &sample))
        return;
    run_closed(run, &sample);
    ds_area_decode(run->caps->ds_width, run->caps->pebs_format, memory.area + SECOND, memory.area_size - SECOND,
                   &second);
    msr_write(MSR_IA32_DS_AREA, (uintptr_t)memory.area);
    area_write(run, &second);
    pebs_close(run, 0);
}

TESTS(kept_fields) = {
    { "ds.pebs.area.kept",
      "PEBS changes only its index in the DS management area: no base, maximum, threshold or reset", MANAGEMENT, GROUP,
      .run = kept },
    { "ds.area.used", "Records go to the area that IA32_DS_AREA selects when PEBS is enabled, not to an earlier one",
      SDM_SETTING_UP_DS ", step 2", GROUP, .run = used },
};

/* ---- the absolute maximum --------------------------------------------------------------------------------------- */

static struct pebs_sample filling(const struct caps *caps)
{
    struct pebs_sample sample = pebs_sample_any(caps, EVENTS_FOR);

    sample.records = RECORDS;
    sample.threshold = THRESHOLD;
    return sample;
}

/*
 * The manual requires a maximum of a multiple of a record's size plus 1, and many programs omit the 1. A processor that
 * fills the buffer with one of these maxima may stop one record earlier with the other; it must not write past either.
 */
struct limit {
    void (*change)(struct ds_area *area); /* NULL: the maximum is where the last record ends */
};

/*
 * Closing checks the memory past the maximum. The threshold was reached while interrupts were off, at least so many
 * times.
 */
static void close_filled(struct test_run *run, unsigned interrupts)
{
    interrupts_on();
    ds_settle();
    pebs_close_full(run);
    if (ds_counts()->interrupts < interrupts)
        test_fail(run, "%u interrupts at the threshold, expected at least %u", ds_counts()->interrupts, interrupts);
}

static void fill(struct test_run *run)
{
    const struct limit *limit = run->test->argument;
    const struct pebs_sample sample = filling(run->caps);
    struct ds_area area;
    unsigned came;

    test_plan_typical(run, RECORDS - 1, RECORDS, RECORDS);
    if (!sample_into(run, &sample, limit->change))
        return;
    area = area_read(run);
    came = records_at(area.pebs.base);
    test_equal(run, "the index", area.pebs.index, area.pebs.base + (uint64_t)came * record_size());
    close_filled(run, 1);
}

static void one_more_byte(struct ds_area *area)
{
    area->pebs.maximum += 1;
}

TESTS(maxima) = {
    { "ds.pebs.maximum", "An undrained PEBS buffer accepts records up to its absolute maximum, and none past it",
      SDM_PEBS_AREA, GROUP, .run = fill, .argument = &(const struct limit){ NULL } },
    { "ds.pebs.maximum.plus_one",
      "An absolute maximum one byte past a whole number of records allows exactly that number", MANAGEMENT, GROUP,
      .run = fill, .argument = &(const struct limit){ one_more_byte } },
};

/* The records are in the order of the events, and the first is due after the first period. */
static void oldest(struct test_run *run)
{
    const struct pebs_sample sample = filling(run->caps);

    test_plan_typical(run, RECORDS - 1, RECORDS, RECORDS);
    if (!sample_into(run, &sample, NULL))
        return;
    close_filled(run, 1);
    pebs_check_numbers(run, &sample, pebs_sample_spacing(run->caps, &sample) - 1);
}

/*
 * The service routine drains the first fill as soon as interrupts are on again. The manual does not define the counter
 * after that, so the test programs it again.
 */
static void room(struct test_run *run)
{
    const struct pebs_sample sample = filling(run->caps);
    const struct window window = pebs_sample_window(run, &sample);

    test_plan_typical(run, 2 * (RECORDS - 1), 2 * RECORDS, 2 * RECORDS);
    if (!pebs_sample_open(run, &sample))
        return;
    for (unsigned fills = 0; fills < 2 && pebs_sample_arm(run, &sample); fills++) {
        interrupts_off();
        sample.workload->run(&window);
        interrupts_on();
        ds_settle();
    }
    close_filled(run, 2);
}

TESTS(full_buffers) = {
    { "ds.pebs.maximum.oldest",
      "A full PEBS buffer keeps the oldest records: they are not overwritten, because it is never circular",
      SDM_PEBS_AREA, .needs = NEEDS | NEED_PEBS_REGISTERS, .records = true, .run = oldest },
    { "ds.pebs.maximum.room", "A full PEBS buffer accepts records again after software sets its index back to the base",
      SDM_PEBS_AREA, GROUP, .run = room },
};

/* ---- the threshold ---------------------------------------------------------------------------------------------- */

/*
 * Samples so many records with interrupts off, then enables interrupts. least: of them. While interrupts are off, only
 * one can be pending; records_close() reports another without a cause.
 */
static void interrupts_after(struct test_run *run, unsigned records, unsigned at_most, unsigned least)
{
    struct pebs_sample sample = pebs_sample_any(run->caps, records);
    const struct window window = pebs_sample_window(run, &sample);

    sample.records = at_most + 4;
    sample.threshold = at_most;
    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return;
    interrupts_off();
    sample.workload->run(&window);
    interrupts_on();
    ds_settle();
    pebs_close(run, least);
}

static void below(struct test_run *run)
{
    enum { AT = 6 };

    pebs_plan(run, AT - 1);
    interrupts_after(run, AT - 1, AT, 0);
    test_equal(run, "interrupts one record below the threshold", ds_counts()->interrupts, 0);
}

/* On Core 2 the interrupt may be one event late (erratum AJ68): there it may follow one more record. */
static void reached(struct test_run *run)
{
    enum { AT = 6 };
    const bool late = run->caps->pebs_method == PEBS_METHOD_GENERAL && run->caps->pebs_format == 0;
    const unsigned records = late ? AT + 1 : AT;

    pebs_plan(run, records);
    interrupts_after(run, records, AT, 1);
}

/* The processor goes on writing records past the threshold while the interrupt is pending. */
static void passed(struct test_run *run)
{
    enum { AT = 6, RECORDS_PAST = 9 };

    pebs_plan(run, RECORDS_PAST);
    interrupts_after(run, RECORDS_PAST, AT, 1);
}

TESTS(thresholds) = {
    { "ds.pebs.threshold.below", "One record below the threshold there is no interrupt", SDM_PEBS_AREA, GROUP,
      .run = below },
    { "ds.pebs.threshold.reached", "The record with which the index reaches the threshold raises the interrupt",
      SDM_PEBS_AREA, GROUP, .run = reached },
    { "ds.pebs.threshold.passed",
      "Records past the threshold are written while its interrupt is pending, and one interrupt serves all",
      SDM_SETTING_UP_DS, GROUP, .run = passed },
};
