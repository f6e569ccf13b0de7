/* SPDX-License-Identifier: MIT */
#include "tools/linux/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE       4096u
#define DATA_PAGES 64u /* of each event's ring; with EVENTS_MAX rings below perf_event_mlock_kb's default */
#define DATA_SIZE  (DATA_PAGES * PAGE)
#define AUX_SIZE   (256u << 10) /* bytes of raw BTS records */
#define RUNS       6u
#define BRANCHES   (AUX_SIZE / sizeof(struct bts_triple))

static struct sample sample_memory[2][SAMPLES_MAX];
static struct bts_triple branch_memory[2][BRANCHES];
const uint8_t perf_numbers[16] = { 0, 2, 3, 1, 7, 6, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23 };
struct sample *perf_samples = sample_memory[0];
struct bts_triple *perf_branches = branch_memory[0];

/* An open event with its rings. */
struct event {
    int fd;
    struct perf_event_mmap_page *page;
    uint8_t *aux;
};

/* Bytes of one record of perf's ring. */
struct cursor {
    const uint8_t *at, *end;
};

static uint64_t take(struct cursor *c)
{
    uint64_t value = 0;

    if ((size_t)(c->end - c->at) < sizeof value)
        return 0;
    memcpy(&value, c->at, sizeof value);
    c->at += sizeof value;
    return value;
}

struct perf_event_attr perf_event(uint32_t type, uint64_t config)
{
    return (struct perf_event_attr){ .size = sizeof(struct perf_event_attr),
                                     .type = type,
                                     .config = config,
                                     .disabled = 1,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .sample_type = PERF_SAMPLE_IP,
                                     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
}

/* In perf's order of fields: linux/perf_event.h, PERF_RECORD_SAMPLE. */
static void take_sample(const struct perf_event_attr *attr, unsigned event, bool exact, struct cursor c,
                        struct sample *s)
{
    const uint64_t type = attr->sample_type;

    *s = (struct sample){ .event = event, .exact = exact };
    s->ip = take(&c);
    if (type & PERF_SAMPLE_ADDR)
        s->address = take(&c);
    for (unsigned i = 0; type & PERF_SAMPLE_READ && i < 3; i++)
        take(&c);
    if (type & PERF_SAMPLE_BRANCH_STACK) {
        const uint64_t count = take(&c);
        for (uint64_t i = 0; i < count && (size_t)(c.end - c.at) >= sizeof(struct perf_branch_entry); i++) {
            struct perf_branch_entry entry;
            memcpy(&entry, c.at, sizeof entry);
            c.at += sizeof entry;
            if (i < ENTRIES_MAX)
                s->stack[s->entries++] = entry;
        }
    }
    if (type & PERF_SAMPLE_WEIGHT)
        s->latency = take(&c);
    if (type & PERF_SAMPLE_DATA_SRC)
        s->source = take(&c);
    if (type & PERF_SAMPLE_REGS_INTR && take(&c) == PERF_SAMPLE_REGS_ABI_64)
        for (unsigned i = 0; i < 64; i++)
            if (attr->sample_regs_intr >> i & 1)
                s->registers[i] = take(&c);
}

/* The AUX area has new raw records. */
static void take_branches(struct recording *r, const uint8_t *aux, struct cursor c, unsigned *branches)
{
    const uint64_t offset = take(&c), size = take(&c), flags = take(&c);

    if (flags & PERF_AUX_FLAG_TRUNCATED)
        r->lost++;
    for (uint64_t at = 0; at + sizeof *perf_branches <= size && *branches < BRANCHES; at += sizeof *perf_branches) {
        struct bts_triple *const branch = &perf_branches[*branches];
        for (size_t i = 0; i < sizeof *branch; i++)
            ((uint8_t *)branch)[i] = aux[(offset + at + i) % AUX_SIZE];
        *branches += (branch->from | branch->to | branch->flags) != 0; /* Linux pads with zeros */
    }
}

static void drain(struct recording *r, unsigned number, const struct event *e)
{
    static uint8_t bytes[0x10000];
    const uint8_t *const data = (const uint8_t *)e->page + PAGE;
    const uint64_t head = __atomic_load_n(&e->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = e->page->data_tail;

    while (head - tail >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        for (size_t i = 0; i < sizeof header; i++)
            ((uint8_t *)&header)[i] = data[(tail + i) % DATA_SIZE];
        if (header.size < sizeof header || header.size > head - tail)
            break;
        for (size_t i = 0; i < header.size; i++)
            bytes[i] = data[(tail + i) % DATA_SIZE];
        struct cursor c = { bytes + sizeof header, bytes + header.size };
        if (header.type == PERF_RECORD_SAMPLE && r->samples < SAMPLES_MAX)
            take_sample(&r->attr[number], number, (header.misc & PERF_RECORD_MISC_EXACT_IP) != 0, c,
                        &perf_samples[r->samples++]);
        else if (header.type == PERF_RECORD_AUX)
            take_branches(r, e->aux, c, &r->branches);
        else if (header.type == PERF_RECORD_THROTTLE)
            r->throttled++;
        else if (header.type == PERF_RECORD_LOST || header.type == PERF_RECORD_LOST_SAMPLES ||
                 header.type == PERF_RECORD_SAMPLE)
            r->lost++;
        tail += header.size;
    }
    __atomic_store_n(&e->page->data_tail, head, __ATOMIC_RELEASE);
    if (e->aux)
        __atomic_store_n(&e->page->aux_tail, e->page->aux_head, __ATOMIC_RELEASE);
}

/*
 * Interrupts of this processor so far, except NMIs and the counters' own, which occur at each sample; faults and task
 * switches of this thread.
 */
static uint64_t interruptions(unsigned cpu)
{
    static char line[0x4000];
    static FILE *file;
    struct rusage usage;
    uint64_t sum = 0;
    unsigned column = 0, at = 0;

    if (file)
        rewind(file);
    else
        file = fopen("/proc/interrupts", "r");
    if (file && fgets(line, sizeof line, file)) /* the head names the processors that are online */
        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"), at++)
            column = (unsigned)strtoul(word + 3, NULL, 10) == cpu ? at : column;
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strstr(line, "NMI:") || strstr(line, "PMI:"))
            continue;
        for (unsigned i = 0; i < column; i++)
            strtoull(++colon, &colon, 10);
        sum += strtoull(colon + 1, NULL, 10);
    }
    getrusage(RUSAGE_THREAD, &usage);
    return sum + (uint64_t)(usage.ru_minflt + usage.ru_majflt + usage.ru_nvcsw + usage.ru_nivcsw);
}

static const char *refusal(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "Linux permits it only to root (/proc/sys/kernel/perf_event_paranoid, or a container's filter)";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "Linux does not offer it on this processor";
    case EINVAL:
        return "Linux refuses it on this processor";
    case EBUSY:
        return "another program or the NMI watchdog uses the counters; stop it";
    case ENOSYS:
        return "this Linux has no perf_event_open";
    }
    return strerror(error);
}

static void close_all(const struct recording *r, struct event *events)
{
    for (unsigned i = 0; i < r->events; i++) {
        if (events[i].aux)
            munmap(events[i].aux, AUX_SIZE);
        if (events[i].page)
            munmap(events[i].page, PAGE + DATA_SIZE);
        if (events[i].fd >= 0)
            close(events[i].fd);
    }
}

/* Returns false and errno. */
static bool open_one(struct recording *r, unsigned i, struct event *events)
{
    struct event *const e = &events[i];
    void *memory;

    e->fd = (int)syscall(SYS_perf_event_open, &r->attr[i], 0, -1, i ? events[0].fd : -1, PERF_FLAG_FD_CLOEXEC);
    if (e->fd < 0 || (!r->bts && !r->attr[i].sample_period))
        return e->fd >= 0;
    memory = mmap(NULL, PAGE + DATA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, e->fd, 0);
    if (memory == MAP_FAILED)
        return false;
    e->page = memory;
    if (!r->bts)
        return true;
    e->page->aux_offset = PAGE + DATA_SIZE;
    e->page->aux_size = AUX_SIZE;
    memory = mmap(NULL, AUX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, e->fd, PAGE + DATA_SIZE);
    e->aux = memory == MAP_FAILED ? NULL : memory;
    return e->aux != NULL;
}

/* One run of the workload; returns the interruptions. */
static uint64_t run_once(struct recording *r, struct event *events, unsigned cpu)
{
    static const struct window window; /* Linux opens and closes it */
    const unsigned long group = r->events > 1 ? PERF_IOC_FLAG_GROUP : 0;
    const unsigned rounds = r->rounds ? r->rounds : 1;
    const int fd = events[0].fd;

    r->samples = r->branches = r->lost = r->throttled = 0;
    r->workload->run(&window); /* its pages are there, and written */
    ioctl(fd, PERF_EVENT_IOC_RESET, group);
    const uint64_t before = interruptions(cpu);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, group);
    for (unsigned i = 0; i < rounds; i++)
        r->workload->run(&window);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, group);
    const uint64_t after = interruptions(cpu);
    for (unsigned i = 0; i < r->events; i++) {
        uint64_t values[3] = { 0 }; /* the count, the time enabled, the time that it counted */
        if (!r->bts && read(events[i].fd, values, sizeof values) == sizeof values && values[2] < values[1])
            r->refused = "another program or the NMI watchdog used the counter; stop it";
        r->counts[i] = values[0];
        if (events[i].page)
            drain(r, i, &events[i]);
    }
    return after - before;
}

static void other_memory(void)
{
    perf_samples = perf_samples == sample_memory[0] ? sample_memory[1] : sample_memory[0];
    perf_branches = perf_branches == branch_memory[0] ? branch_memory[1] : branch_memory[0];
}

void perf_record(struct recording *r, unsigned cpu)
{
    struct event events[EVENTS_MAX] = { { .fd = -1 }, { .fd = -1 } };
    struct recording best = { 0 };
    bool found = false;

    r->events = r->events ? r->events : 1;
    r->refused = NULL;
    for (unsigned i = 0; i < r->events; i++) {
        r->attr[i].disabled = i == 0;
        if (open_one(r, i, events))
            continue;
        r->refused = refusal(errno);
        close_all(r, events);
        return;
    }
    for (unsigned run = 0; run < RUNS && !(found && !best.interruptions && !best.lost && !best.throttled); run++) {
        r->refused = NULL;
        r->interruptions = (unsigned)run_once(r, events, cpu);
        if (found && r->interruptions + r->lost + r->throttled >= best.interruptions + best.lost + best.throttled)
            continue;
        best = *r;
        found = true;
        other_memory();
    }
    *r = best;
    other_memory(); /* back to the kept run */
    close_all(r, events);
}
