/* SPDX-License-Identifier: MIT */
/*
 * --perf-data: the records as perf.data, as if perf had recorded them. The kernel is a process, and each of its tests a
 * thread with the test's name. The ELF is mapped where it ran, so that perf finds symbols and lines. The file's tables
 * follow its data, because their contents are known only at the end.
 *
 * BTS: samples of "branches", as perf makes from intel_bts: ip is the branch, addr its target, and the
 * branch stack has the latest branches (--history). They have no time, because the records have none.
 *
 * PEBS: a raw event for each counter; ip is that of the event, time the TSC in ticks (0 if the record has none).
 *
 * LBR: samples of "lbr", whose ip is the target of the newest branch.
 *
 * With --branch-counters, stacks in which counters have logged their events are samples of the leader of a group, whose
 * members are these counters: perf (6.8 and later) finds in the members the events of the words after the stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/caps.h"
#include "tools/complain.h"
#include "tools/lib/perf_data.h"
#include "tools/lib/sampled_events.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/writer.h"

#define HISTORY_ROOM 4096u
#define HISTORY_MOST 64u
#define EVENTS_MOST  256u
#define PAGE_BYTES   4096u

static unsigned history_wanted = 16; /* branches in the stack of each BTS record, 0 to HISTORY_MOST: --history */
static bool counters_wanted;         /* counters of LBR entries, which perf before 6.8 cannot read: --branch-counters */

/* An event of the file; samples with different fields belong to different events. */
struct file_event {
    struct perf_attr attr;
    char name[64];
    bool leads; /* the next LBR_COUNTERS events belong to its group */
};

struct perf_output {
    struct sampled_events sampled; /* first: the context of sampled_events_announce() */
    struct writer writer;
    struct symbols *symbols;
    struct dump_machine machine;
    uint32_t last_task, pid, tid;
    struct file_event events[EVENTS_MOST]; /* an event's id is its number, from 1 */
    unsigned event_count;
    uint32_t cpus;
    bool too_many, data_mapped;
    uint64_t bts_id;
    struct perf_attr bts_attr;
    unsigned bts_cpu;
    uint64_t bts_wanted;                /* the number of the record that continues the history */
    unsigned history_at, history_count; /* the newest entry, and the number of entries */
    struct lbr_entry history[HISTORY_ROOM];
};

static void add_event(struct perf_output *output, const struct perf_attr *attr, const char *name, bool leads)
{
    struct file_event *event = &output->events[output->event_count++];

    event->attr = *attr;
    event->leads = leads;
    snprintf(event->name, sizeof(event->name), "%s", name);
}

/* Finds or adds an event, and with it those of its group if it leads one. Returns its id; 0: there are too many. */
static uint64_t event_id(struct perf_output *output, const struct perf_attr *attr, const char *name, bool leads)
{
    struct perf_attr member = *attr;
    unsigned i = 0;

    while (i < output->event_count && (memcmp(&output->events[i].attr, attr, sizeof(*attr)) != 0 ||
                                       strcmp(output->events[i].name, name) != 0 || output->events[i].leads != leads))
        i++;
    if (i < output->event_count)
        return i + 1;
    if (i + (leads ? LBR_COUNTERS : 0) >= EVENTS_MOST) {
        if (!output->too_many)
            complain(output->writer.name,
                     "more than %u different events, so the rest is dropped; select kinds of records with --only",
                     EVENTS_MOST);
        output->too_many = true;
        return 0;
    }
    add_event(output, attr, name, leads);
    member.branch_sample_type |= PERF_BRANCH_COUNTERS;
    for (unsigned counter = 0; leads && counter < LBR_COUNTERS; counter++) {
        char counter_name[16];
        snprintf(counter_name, sizeof(counter_name), "IA32_PMC%u", counter);
        add_event(output, &member, counter_name, false);
    }
    return i + 1;
}

/* Whether a sample with this stack has the counts of its entries. */
static bool has_counters(const struct lbr_entry *entries, unsigned count)
{
    for (unsigned i = 0; counters_wanted && i < count; i++)
        if (entries[i].has & LBR_HAS_EVENTS)
            return true;
    return false;
}

static uint8_t *room(struct perf_output *output, size_t size)
{
    return (uint8_t *)writer_room(&output->writer, size);
}

static void sample(struct perf_output *output, uint64_t sample_type, struct perf_sample *sample, unsigned cpu)
{
    sample->pid = output->pid;
    sample->tid = output->tid;
    sample->cpu = cpu;
    if (cpu >= output->cpus)
        output->cpus = cpu + 1;
    output->writer.used += perf_put_sample(room(output, PERF_SAMPLE_MOST), sample_type, sample);
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

/* Maps the segments with code, or those with data, in whole pages, as mmap() would. */
static void put_maps(struct perf_output *output, bool executable)
{
    const struct segment *segment;
    size_t count = output->symbols ? symbols_segments(output->symbols, &segment) : 0;

    for (; count > 0; count--, segment++) {
        struct perf_map map = { .pid = output->pid,
                                .address = segment->address,
                                .size = (segment->size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
                                .file_offset = segment->file_offset,
                                .writable = segment->writable,
                                .executable = executable,
                                .path = symbols_path(output->symbols) };

        if (segment->executable != executable)
            continue;
        map.build_id_length = symbols_build_id(output->symbols, &map.build_id);
        output->writer.used += perf_put_map(room(output, PERF_NAME_MOST + 128), &map);
    }
}

static void on_machine(void *context, const struct dump_machine *machine)
{
    struct perf_output *output = context;

    output->machine = *machine;
    output->pid = output->tid = ++output->last_task;
    output->sampled.count = 0;
    output->writer.used += perf_put_comm(room(output, PERF_NAME_MOST + 64), output->pid, output->tid, "dstest86");
    put_maps(output, true);
    output->data_mapped = false;
}

static void on_test(void *context, const char *id)
{
    struct perf_output *output = context;

    output->tid = ++output->last_task;
    output->sampled.count = 0;
    output->history_count = 0;
    output->writer.used += perf_put_comm(room(output, PERF_NAME_MOST + 64), output->pid, output->tid, id);
}

/* Adds a branch to the history, which is empty after a gap. */
static void remember(struct perf_output *output, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    if (cpu != output->bts_cpu || n != output->bts_wanted)
        output->history_count = 0;
    output->bts_cpu = cpu;
    output->bts_wanted = n + 1;
    if (output->history_at == 0) {
        output->history_at = HISTORY_ROOM - output->history_count;
        memmove(&output->history[output->history_at], &output->history[0],
                output->history_count * sizeof(output->history[0]));
    }
    output->history[--output->history_at] = (struct lbr_entry){
        .from = record->from,
        .to = record->to,
        .has = record->prediction_valid ? LBR_HAS_MISPRED : 0,
        .mispredicted = !record->predicted,
    };
    if (output->history_count < history_wanted)
        output->history_count++;
}

static void on_bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    struct perf_output *output = context;

    if (output->bts_id == 0) {
        output->bts_attr = (struct perf_attr){
            .type = PERF_TYPE_HARDWARE,
            .config = PERF_HW_BRANCH_INSTRUCTIONS,
            .period = 1,
            .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
                           PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
        };
        if (history_wanted > 0) {
            output->bts_attr.period =
                2; /* with 1, perf prints neither stacks nor other fields, as of its old BTS event */
            output->bts_attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
            output->bts_attr.branch_sample_type = PERF_BRANCH_ANY;
        }
        output->bts_id = event_id(output, &output->bts_attr, "branches", false);
    }
    if (output->bts_id == 0)
        return;
    if (history_wanted > 0)
        remember(output, cpu, n, record);
    struct perf_sample branch = {
        .id = output->bts_id,
        .ip = record->from,
        .addr = record->to,
        .period = 1,
        .exact_ip = true,
        .branches = &output->history[output->history_at],
        .branch_count = output->history_count,
    };
    sample(output, output->bts_attr.sample_type, &branch, cpu);
}

static void on_pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                    enum data_source_encoding encoding)
{
    struct perf_output *output = context;
    bool exact = (record->has & PEBS_HAS_EVENTING_IP) != 0;
    const struct sampled_event *event = sampled_events_of(&output->sampled, cpu, record, NULL);
    struct perf_sample precise = {
        .ip = exact ? record->eventing_ip : record->ip,
        .time = record->tsc,
        .addr = record->data_address,
        .exact_ip = exact,
        .branches = record->lbr,
        .branch_count = record->lbr_count,
        .branch_counters = has_counters(record->lbr, record->lbr_count),
        .weight = record->latency,
        .registers = record,
    };

    (void)n;
    (void)bytes;
    if (record->data_address != 0 && !output->data_mapped) {
        put_maps(output, false);
        output->data_mapped = true;
    }
    if (event == NULL)
        event = &sampled_event_unknown;
    for (; event != NULL;
         event = event == &sampled_event_unknown ? NULL : sampled_events_of(&output->sampled, cpu, record, event)) {
        struct perf_attr attr = {
            .type = PERF_TYPE_RAW,
            .config = event->event.select,
            .period = event->event.period,
            .regs_intr = perf_registers(record),
            .precise = exact ? 2 : 1,
        };
        /* Memory fields are in every event, because perf prints a field for all events of a type or for none. */
        attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                           PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT |
                           PERF_SAMPLE_DATA_SRC;
        if (attr.regs_intr != 0)
            attr.sample_type |= PERF_SAMPLE_REGS_INTR;
        if (record->has & PEBS_HAS_LBR) {
            attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
            attr.branch_sample_type = PERF_BRANCH_ANY;
        }
        precise.id = event_id(output, &attr, event->name, precise.branch_counters);
        precise.period = attr.period;
        precise.data_source = perf_data_source(record, encoding, event->event.select);
        if (precise.id != 0)
            sample(output, attr.sample_type, &precise, cpu);
    }
}

/* The number of used entries; unused ones are at the end. */
static unsigned used_entries(const struct dump_lbr *stack)
{
    unsigned count = stack->depth;

    while (count > 0 && stack->entries[count - 1].from == 0 && stack->entries[count - 1].to == 0)
        count--;
    return count;
}

static void on_lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    static const struct perf_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_SW_CPU_CLOCK,
        .period = 1,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
        .branch_sample_type = PERF_BRANCH_ANY,
    };
    struct perf_output *output = context;
    struct perf_sample snapshot = {
        .ip = stack->depth > 0 ? stack->entries[0].to : 0,
        .period = 1,
        .branches = stack->entries,
        .branch_count = used_entries(stack),
        .branch_counters = has_counters(stack->entries, stack->depth),
    };

    (void)n;
    snapshot.id = event_id(output, &attr, "lbr", snapshot.branch_counters);
    if (snapshot.id != 0)
        sample(output, attr.sample_type, &snapshot, cpu);
}

/* ---- the tables after the data ----------------------------------------------------------------------------------- */

static void put_number(struct perf_output *output, uint64_t value, size_t size)
{
    writer_bytes(&output->writer, &value, size);
}

static void put_string(struct perf_output *output, const char *text)
{
    static const char zeros[8];
    size_t length = strlen(text), padding = 8 - length % 8;

    put_number(output, length + padding, 4);
    writer_bytes(&output->writer, text, length);
    writer_bytes(&output->writer, zeros, padding);
}

static void put_event(struct perf_output *output, unsigned index)
{
    uint8_t attr[PERF_ATTR_SIZE];

    writer_bytes(&output->writer, attr, perf_put_attr(attr, &output->events[index].attr));
}

static void put_descriptions(struct perf_output *output)
{
    put_number(output, output->event_count, 4);
    put_number(output, PERF_ATTR_SIZE, 4);
    for (unsigned i = 0; i < output->event_count; i++) {
        put_event(output, i);
        put_number(output, 1, 4); /* ids */
        put_string(output, output->events[i].name);
        put_number(output, i + 1, 8);
    }
}

/*
 * Whether to announce branch stacks to perf, which then reports branches instead of samples, and omits events without
 * stacks.
 */
static bool all_have_stacks(const struct perf_output *output)
{
    for (unsigned i = 0; i < output->event_count; i++)
        if (!(output->events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK))
            return false;
    return output->event_count > 0;
}

static unsigned count_groups(const struct perf_output *output)
{
    unsigned count = 0;

    for (unsigned i = 0; i < output->event_count; i++)
        count += output->events[i].leads;
    return count;
}

/* Writes each group's name, its leader's number, and the number of its events. */
static void put_groups(struct perf_output *output)
{
    put_number(output, count_groups(output), 4);
    for (unsigned i = 0; i < output->event_count; i++)
        if (output->events[i].leads) {
            put_string(output, "{anon_group}");
            put_number(output, i, 4);
            put_number(output, 1 + LBR_COUNTERS, 4);
        }
}

static void put_feature(struct perf_output *output, enum perf_feature feature)
{
    const struct dump_machine *machine = &output->machine;
    unsigned family, model, stepping;
    char text[96];

    caps_signature(machine->signature, &family, &model, &stepping);
    switch (feature) {
    case PERF_FEATURE_HOSTNAME:
        put_string(output, "dstest86");
        break;
    case PERF_FEATURE_OSRELEASE:
    case PERF_FEATURE_VERSION:
        put_string(output, machine->version[0] ? machine->version : "dstest86");
        break;
    case PERF_FEATURE_ARCH:
        put_string(output, "x86_64"); /* defines the register numbers, which are the same for 32 bits */
        break;
    case PERF_FEATURE_NRCPUS:
        put_number(output, output->cpus, 4);
        put_number(output, output->cpus, 4);
        break;
    case PERF_FEATURE_CPUDESC:
        snprintf(text, sizeof(text), "Intel family %u model 0x%02x", family, model);
        put_string(output, text);
        break;
    case PERF_FEATURE_CPUID:
        snprintf(text, sizeof(text), "GenuineIntel,%u,%u,%u", family, model, stepping);
        put_string(output, text);
        break;
    case PERF_FEATURE_CMDLINE:
        put_number(output, 2, 4);
        put_string(output, "dsdump");
        put_string(output, "--perf-data");
        break;
    case PERF_FEATURE_NUMA_TOPOLOGY: /* one node with all processors, required by perf c2c */
        put_number(output, 1, 4);
        put_number(output, 0, 4);
        put_number(output, 0, 8); /* total and free memory: unknown */
        put_number(output, 0, 8);
        snprintf(text, sizeof(text), "0-%u", (unsigned)(output->cpus - 1));
        put_string(output, output->cpus > 1 ? text : "0");
        break;
    case PERF_FEATURE_EVENT_DESC:
        put_descriptions(output);
        break;
    case PERF_FEATURE_BRANCH_STACK:
        break;
    case PERF_FEATURE_GROUP_DESC:
        put_groups(output);
        break;
    case PERF_FEATURE_CPU_PMU_CAPS: /* defines the width of the counts in entries */
        put_number(output, 2, 4);
        put_string(output, "branch_counter_nr");
        snprintf(text, sizeof(text), "%u", LBR_COUNTERS);
        put_string(output, text);
        put_string(output, "branch_counter_width");
        snprintf(text, sizeof(text), "%u", PERF_COUNTER_WIDTH);
        put_string(output, text);
        break;
    }
}

static bool has_feature(const struct perf_output *output, enum perf_feature feature)
{
    if (feature == PERF_FEATURE_BRANCH_STACK)
        return all_have_stacks(output);
    return (feature != PERF_FEATURE_GROUP_DESC && feature != PERF_FEATURE_CPU_PMU_CAPS) || count_groups(output) > 0;
}

static bool on_end(void *context)
{
    static const enum perf_feature all[] = {
        PERF_FEATURE_HOSTNAME,     PERF_FEATURE_OSRELEASE,     PERF_FEATURE_VERSION,      PERF_FEATURE_ARCH,
        PERF_FEATURE_NRCPUS,       PERF_FEATURE_CPUDESC,       PERF_FEATURE_CPUID,        PERF_FEATURE_CMDLINE,
        PERF_FEATURE_EVENT_DESC,   PERF_FEATURE_NUMA_TOPOLOGY, PERF_FEATURE_BRANCH_STACK, PERF_FEATURE_GROUP_DESC,
        PERF_FEATURE_CPU_PMU_CAPS,
    };
    enum { COUNT = sizeof(all) / sizeof(all[0]) };
    struct perf_output *output = context;
    struct perf_section data = { PERF_HEADER_SIZE, writer_place(&output->writer) - PERF_HEADER_SIZE };
    struct perf_section sections[COUNT], attrs;
    unsigned count = 0, put = 0;
    uint8_t header[PERF_HEADER_SIZE];
    uint64_t table = data.offset + data.size, features = 0;

    memset(sections, 0, sizeof(sections));
    for (unsigned i = 0; i < COUNT; i++)
        count += has_feature(output, all[i]);
    writer_bytes(&output->writer, sections, count * sizeof(sections[0]));
    for (unsigned i = 0; i < COUNT; i++) {
        if (!has_feature(output, all[i]))
            continue;
        features |= UINT64_C(1) << all[i];
        sections[put].offset = writer_place(&output->writer);
        put_feature(output, all[i]);
        sections[put].size = writer_place(&output->writer) - sections[put].offset;
        put++;
    }
    uint64_t ids = writer_place(&output->writer);
    for (unsigned i = 0; i < output->event_count; i++)
        put_number(output, i + 1, 8);
    attrs.offset = writer_place(&output->writer);
    for (unsigned i = 0; i < output->event_count; i++) {
        put_event(output, i);
        put_number(output, ids + 8 * i, 8);
        put_number(output, 8, 8);
    }
    attrs.size = writer_place(&output->writer) - attrs.offset;
    writer_patch(&output->writer, table, sections, count * sizeof(sections[0]));
    perf_put_header(header, &attrs, &data, features);
    writer_patch(&output->writer, 0, header, sizeof(header));
    bool written = writer_close(&output->writer) && !output->too_many;
    free(output);
    return written;
}

static void on_lost(void *context, const char *kind, uint64_t records)
{
    struct perf_output *output = context;

    (void)kind;
    if (output->event_count > 0)
        output->writer.used += perf_put_lost(room(output, 64), 1, records);
}

static bool take_history(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number > HISTORY_MOST) {
        complain("--history", "expected a number from 0 to %u, not '%s'", HISTORY_MOST, text);
        return false;
    }
    history_wanted = (unsigned)number;
    return true;
}

static bool take_branch_counters(const char *none)
{
    (void)none;
    counters_wanted = true;
    return true;
}

static bool open_perf_data(const struct output_setup *setup, struct record_sink *sink)
{
    static const char header[PERF_HEADER_SIZE];
    struct perf_output *output = allocated(calloc(1, sizeof(*output)));
    struct stat status;

    if (!writer_open(&output->writer, setup->file)) {
        free(output);
        return false;
    }
    if (fstat(output->writer.fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        complain(output->writer.name,
                 "not a regular file, which perf.data must be because dsdump writes its header last");
        writer_close(&output->writer);
        free(output);
        return false;
    }
    writer_bytes(&output->writer, header, sizeof(header));
    output->symbols = setup->symbols;
    output->cpus = 1;
    *sink = (struct record_sink){ .context = output,
                                  .machine = on_machine,
                                  .test = on_test,
                                  .sampling = sampled_events_announce,
                                  .bts = on_bts,
                                  .pebs = on_pebs,
                                  .lbr = on_lbr,
                                  .lost = on_lost,
                                  .end = on_end };
    return true;
}

/* Whether a perf.data has the command line of ours. Its sections are listed after the data, in the features' order. */
static bool wrote(int file)
{
    struct {
        char magic[8];
        uint64_t size, attr_size;
        struct perf_section attrs, data, event_types;
        uint64_t features[4];
    } header;
    struct perf_section command;
    char text[4 + 4 + 8]; /* number of words, length of the first, the first */

    if (pread(file, &header, sizeof(header), 0) != sizeof(header) || memcmp(header.magic, "PERFILE2", 8) != 0 ||
        !(header.features[0] >> PERF_FEATURE_CMDLINE & 1))
        return false;
    const uint64_t before = header.features[0] & ((UINT64_C(1) << PERF_FEATURE_CMDLINE) - 1);
    const uint64_t at =
        header.data.offset + header.data.size + (unsigned)__builtin_popcountll(before) * sizeof(struct perf_section);
    return pread(file, &command, sizeof(command), (off_t)at) == sizeof(command) &&
           pread(file, text, sizeof(text), (off_t)command.offset) == sizeof(text) &&
           memcmp(text + 8, "dsdump\0", 8) == 0;
}

static const struct command_option options[] = {
    { "history", "N", "number of branches in the stack of each BTS record in perf.data: 0 to 64 (default 16)",
      take_history },
    { "branch-counters", NULL, "add the event counts in LBR entries to perf.data, for perf 6.8 and later",
      take_branch_counters },
    { 0 }
};

const struct output output_perf_data = { .name = "perf-data",
                                         .argument = "FILE",
                                         .help = "a perf.data file for perf script, report and mem",
                                         .open = open_perf_data,
                                         .wrote = wrote,
                                         .options = options };
