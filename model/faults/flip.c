/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L /* PATH_MAX */
#include "model/faults/flip.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/engine/bts.h"
#include "model/engine/pebs_sample.h"
#include "model/engine/ring.h"
#include "model/faults/fault_state.h"

/* Cycles and misprediction of an LBR entry: the freedoms lbr-cycles and prediction */
#define INFO_OF_CHANCE (UINT64_C(0xffff) | UINT64_C(1) << 63)

#define FORMAT_WITH_TIME 3 /* the first format whose records have time stamps */

enum delivery {
    BTS_RECORD,
    PEBS_RECORD,
    BTS_INDEX,
    PEBS_INDEX,
    READ,    /* RDMSR */
    WRITE,   /* WRMSR */
    COUNTER, /* RDPMC */
    PMI,
    EVENTS, /* a batch of events that a counter counts */
    DELIVERIES,
};
static const char *const delivery_names[] = { "bts",   "pebs",  "bts-index", "pebs-index", "read",
                                              "write", "rdpmc", "pmi",       "events" };

enum action {
    FLIP,   /* a bit is inverted */
    LOST,   /* no record, no interrupt, one event less; WRMSR raises #GP */
    TWICE,  /* the record or interrupt comes twice, one event more */
    SWAP,   /* the record and the next one change places */
    BEHIND, /* bytes behind the buffer's absolute maximum are written, too */
    BACK,   /* the record's time stamp is before that of the previous record */
    ACTIONS,
};
static const char *const action_names[] = { "flip", "lost", "twice", "swap", "behind", "back" };

struct change {
    unsigned window, number, bit;
    enum delivery delivery;
    enum action action;
};

struct flip {
    FILE *log;
    uint64_t begin, end;
    bool open;
    unsigned window, windows;       /* the number of the open window; how many have opened */
    unsigned delivered[DELIVERIES]; /* in this window */
    const struct change *kept;      /* of the register that WRMSR is about to change */
    bool miscounted, interrupted;   /* since the last write of a counter: an event more or less; an interruption */
    bool recorded;                  /* a PEBS record, since then */
    bool behind;                    /* an event more or less, and no record or read of a counter since */
    uint32_t miscounts;             /* the counters with an event more or less, until software reads or writes one */
    unsigned idle;                 /* a bit that was set in IA32_PERF_GLOBAL_CTRL, where it may have no effect; or 64 */
    bool lost, repeats;            /* the architectural record just encoded; the PMI to come is the second */
    bool losing;                   /* PMIs, until WRMSR: each branch beyond a threshold would request another */
    uint64_t stamp;                /* of the last PEBS record in this window; 0: there is none */
    uint64_t changed, changed_end; /* the changed record in memory; empty if there is none */
    uint64_t index;                /* the changed index in memory; 0 if there is none */
    uint8_t index_bytes[8];        /* its bytes there */
    struct change *changes;
    unsigned count;
};

static int name_find(const char *const *names, int count, const char *name)
{
    int i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static bool plan_add(struct flip *f, const char *line)
{
    struct change *const grown = realloc(f->changes, (f->count + 1) * sizeof(*grown));
    char delivery[16], action[16];
    struct change c;
    int end = 0;

    if (grown == NULL)
        return false;
    f->changes = grown;
    if (sscanf(line, "%u %15s %u %15s %u %n", &c.window, delivery, &c.number, action, &c.bit, &end) != 5 ||
        line[end] != '\0')
        return false;
    c.delivery = (enum delivery)name_find(delivery_names, DELIVERIES, delivery);
    c.action = (enum action)name_find(action_names, ACTIONS, action);
    f->changes[f->count++] = c;
    return c.delivery != DELIVERIES && c.action != ACTIONS;
}

struct flip *flip_open(const char *plan, const char **why)
{
    struct flip *const f = calloc(1, sizeof(*f));
    char line[80], log[PATH_MAX];
    FILE *const file = f == NULL ? NULL : fopen(plan, "r");
    bool good;

    if (file == NULL) {
        *why = strerror(errno);
        free(f);
        return NULL;
    }
    good = fgets(line, sizeof(line), file) != NULL && sscanf(line, "%" SCNx64 " %" SCNx64, &f->begin, &f->end) == 2;
    while (good && fgets(line, sizeof(line), file) != NULL)
        good = plan_add(f, line);
    fclose(file);
    if (!good)
        *why = "is not a plan: expected \"BEGIN END\", then lines \"WINDOW DELIVERY NUMBER ACTION BIT\"";
    else if ((size_t)snprintf(log, sizeof(log), "%s.log", plan) < sizeof(log) && (f->log = fopen(log, "w")) != NULL)
        return f;
    else
        *why = "its log cannot be written";
    free(f->changes);
    free(f);
    return NULL;
}

bool flip_is_border(const struct flip *flip, uint64_t address)
{
    return address == flip->begin || address == flip->end;
}

/*
 * No test can know the count of a counter that samples, behind its last record: no manual says whether the WRMSR that
 * closes a window is counted, and the freedom pdir-plus moves the last record.
 */
static void excuse_behind(struct flip *f)
{
    if (f->behind)
        fprintf(f->log, "%u same\n", f->window);
    f->behind = false;
}

void flip_reached(struct flip *flip, uint64_t address)
{
    excuse_behind(flip);
    flip->open = address == flip->begin;
    flip->kept = NULL;
    flip->idle = 64;
    flip->losing = flip->recorded = false;
    if (flip->open) {
        flip->window = flip->windows++;
        flip->stamp = flip->changed = flip->changed_end = flip->index = 0;
        memset(flip->delivered, 0, sizeof(flip->delivered));
    }
    fflush(flip->log);
}

static struct flip *flip_of(const struct vcpu *v)
{
    return fault_state(v)->flip;
}

/* The change that the next delivery gets, or NULL. */
static const struct change *find_change(const struct flip *f, enum delivery delivery)
{
    const struct change *found = NULL;

    for (unsigned i = 0; i < f->count && found == NULL; i++) {
        const struct change *const c = &f->changes[i];

        found = c->window == f->window && c->delivery == delivery && c->number == f->delivered[delivery] ? c : NULL;
    }
    return found;
}

static bool is_counter(enum model_register reg)
{
    return reg == REG_IA32_PMC || reg == REG_IA32_A_PMC || reg == REG_IA32_FIXED_CTR;
}

/* Logs a delivery. Returns the change that it gets, or NULL. */
static const struct change *deliver(const struct vcpu *v, enum delivery delivery, uint64_t what)
{
    struct flip *const f = flip_of(v);
    const struct change *const found = f->open ? find_change(f, delivery) : NULL;

    if (!f->open)
        return NULL;
    f->delivered[delivery]++;
    f->recorded = f->recorded || delivery == PEBS_RECORD;
    f->behind = f->behind && delivery != PEBS_RECORD && delivery != COUNTER;
    fprintf(f->log, "%u %s %" PRIx64 "%s\n", f->window, delivery_names[delivery], what,
            found != NULL ? " changed" : "");
    return found;
}

static void say(const struct vcpu *v, const char *what)
{
    fprintf(flip_of(v)->log, "%u %s\n", flip_of(v)->window, what);
}

/* Inverts a bit of `size` bytes. The plan may name any number. */
static void flip_byte(uint8_t *bytes, size_t size, unsigned bit)
{
    bytes[bit / 8 % size] ^= (uint8_t)(1U << bit % 8);
}

static uint64_t flip_word(uint64_t word, const struct change *change)
{
    return change != NULL && change->action == FLIP ? word ^ UINT64_C(1) << change->bit % 64 : word;
}

/* A record of this many bytes is written at this address. */
static void note_place(const struct vcpu *v, uint64_t at, size_t size, const struct change *change)
{
    struct flip *const f = flip_of(v);

    if (at < f->changed_end && f->changed < at + size) {
        say(v, "overwritten");
        f->changed_end = 0;
    }
    if (change != NULL && change->action != BEHIND) {
        f->changed = at;
        f->changed_end = at + size;
    }
}

/*
 * The index that is written to this offset of the area. A changed one that memory still has is overwritten: software
 * has not drained the buffer since, which would have reset it.
 */
static uint64_t change_index(struct vcpu *v, enum delivery delivery, uint64_t index, unsigned at)
{
    struct flip *const f = flip_of(v);
    const struct change *const c = deliver(v, delivery, index);
    const bool flips = c != NULL && c->action == FLIP;
    const uint64_t changed = index ^ (uint64_t)flips << (flips ? c->bit % (8 * v->ds.form.width) : 0);
    uint8_t now[8] = { 0 };

    if (f->index != 0 && v->host->read(v->cpu, without_faults(v)->ds_address(v) + at, now, v->ds.form.width) &&
        memcmp(now, f->index_bytes, v->ds.form.width) == 0)
        say(v, "overwritten");
    f->index = changed != index ? changed : 0;
    encode_field(f->index_bytes, v->ds.form.width, changed);
    return changed;
}

/* Changes records[0], of n records in a stage for `room` of them. Returns how many there are then. */
static unsigned change_records(struct vcpu *v, uint8_t *records, unsigned n, unsigned room, size_t size,
                               const struct change *change)
{
    uint8_t kept[ADAPTIVE_MAX_BYTES];

    switch (change->action) {
    case LOST:
        memmove(records, records + size, (n - 1) * size);
        return n - 1;
    case TWICE:
        if (room > n) {
            memmove(records + size, records, n * size);
            return n + 1;
        }
        break;
    case SWAP:
        if (n > 1 && memcmp(records, records + size, size) != 0) {
            memcpy(kept, records, size);
            memcpy(records, records + size, size);
            memcpy(records + size, kept, size);
            return n;
        }
        break;
    case FLIP:
        flip_byte(records, size, change->bit);
        return n;
    default:
        return n;
    }
    say(v, "same");
    return n;
}

static void write_behind(struct vcpu *v, const struct ds_buffer *buffer, const struct change *change)
{
    static const uint8_t bytes[8] = { 0xa5 };

    if (change != NULL && change->action == BEHIND)
        v->host->write(v->cpu, buffer->maximum, bytes, sizeof(bytes));
}

static unsigned room_for(const struct ds_buffer *buffer, uint64_t at, size_t size)
{
    return buffer->maximum > at ? (unsigned)((buffer->maximum - at) / size) : 0;
}

static bool flip_bts_write(struct vcpu *v, uint64_t index)
{
    const size_t size = encode_bts_bytes(&v->ds.form);
    const unsigned fitting = room_for(&v->ds.area.bts, v->bts.at, size);
    const unsigned room = fitting < ENGINE_RING ? fitting : ENGINE_RING;

    for (unsigned i = 0; i < v->bts.staged; i++) {
        const struct change *const c = deliver(v, BTS_RECORD, size);

        note_place(v, v->bts.at + i * size, size, c);
        if (c != NULL) {
            const unsigned before = v->bts.staged;

            v->bts.staged =
                i + change_records(v, v->bts.stage + i * size, before - i, room > i ? room - i : 0, size, c);
            index += (uint64_t)v->bts.staged * size - (uint64_t)before * size;
            i += v->bts.staged > before; /* the second one is no delivery of its own */
        }
        write_behind(v, &v->ds.area.bts, c);
    }
    return without_faults(v)->bts_write(v, change_index(v, BTS_INDEX, index, encode_bts_index_at(&v->ds.form)));
}

/* The freedoms prediction, caches and load-sampling leave the number of these events to the processor. */
static bool number_is_free(unsigned event_class)
{
    const unsigned kind = event_class / EVENT_QUALIFIERS;

    return (kind >= EVENT_MISPREDICTED && kind <= EVENT_MISPREDICTED_NEAR_TAKEN) ||
           (kind >= EVENT_L1_HITS && kind <= EVENT_PRECISE_STORES);
}

static bool all_are_free(const struct vcpu *v, uint64_t counters)
{
    bool all = true;

    for (uint64_t left = counters; left != 0 && all; left &= left - 1)
        all = number_is_free(v->counters[__builtin_ctzll(left)].event_class);
    return all;
}

static void flip_pebs_describe(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents)
{
    struct flip *const f = flip_of(v);
    const struct change *const c = f->open ? find_change(f, PEBS_RECORD) : NULL;

    without_faults(v)->pebs_describe(v, sample, contents);
    if (c != NULL && c->action == BACK && f->stamp != 0 && v->profile->pebs_format >= FORMAT_WITH_TIME)
        contents->tsc = f->stamp - 1;
    else if (c != NULL && (c->action == BACK || (c->action == LOST && all_are_free(v, sample->counters))))
        say(v, "same");
    f->stamp = contents->tsc;
}

static bool flip_pebs_write(struct vcpu *v, uint64_t index)
{
    const size_t size = v->pebs.staged; /* flip_replace() lets one record be staged */
    const struct change *const c = deliver(v, PEBS_RECORD, size);

    note_place(v, v->pebs.at, size, c);
    write_behind(v, &v->ds.area.pebs, c);
    if (c != NULL && (c->action == LOST || c->action == TWICE)) {
        const bool twice = c->action == TWICE && room_for(&v->ds.area.pebs, v->pebs.at, size) > 1;

        if (c->action == LOST) {
            v->ds.area.pebs.index -= size;
            return true;
        }
        if (twice) {
            v->host->write(v->cpu, v->pebs.at + size, v->pebs.stage, size);
            v->ds.area.pebs.index += size;
            index += size;
        } else {
            say(v, "same");
        }
    } else if (c != NULL) {
        change_records(v, v->pebs.stage, 1, 1, size, c);
    }
    return without_faults(v)->pebs_write(v, change_index(v, PEBS_INDEX, index, encode_pebs_index_at(&v->ds.form)));
}

/* Whether the freedom lbr-cycles leaves a bit of a record to the processor. */
static bool is_left_open(struct vcpu *v, const uint8_t *bytes, const struct pebs_contents *contents,
                         const struct adaptive_contents *extra, const struct arch_contents *arch,
                         const struct arch_split *split, unsigned bit)
{
    struct lbr_entry entries[MAX_LBR];
    struct adaptive_contents other = *extra;
    uint8_t others[ARCH_MAX_BYTES];

    for (unsigned i = 0; i < extra->lbr_count; i++)
        entries[i] = (struct lbr_entry){ extra->lbr[i].from, extra->lbr[i].to, extra->lbr[i].info ^ INFO_OF_CHANCE };
    other.lbr = entries;
    other.retire_latency = (uint16_t)~extra->retire_latency;
    without_faults(v)->pebs_arch_encode(v, others, contents, &other, arch, split);
    return (bytes[bit / 8] ^ others[bit / 8]) >> bit % 8 & 1;
}

static void flip_pebs_arch_encode(struct vcpu *v, uint8_t *bytes, const struct pebs_contents *contents,
                                  const struct adaptive_contents *extra, const struct arch_contents *arch,
                                  const struct arch_split *split)
{
    const size_t size = arch_bytes(arch, split);
    const struct change *const c = deliver(v, PEBS_RECORD, size);

    without_faults(v)->pebs_arch_encode(v, bytes, contents, extra, arch, split);
    note_place(v, without_faults(v)->pebs_arch_address(v), size, c);
    flip_of(v)->lost = c != NULL && c->action == LOST;
    if (c != NULL && c->action == FLIP) {
        if (is_left_open(v, bytes, contents, extra, arch, split, c->bit % (8 * (unsigned)size)))
            say(v, "same");
        flip_byte(bytes, size, c->bit);
    } else if (c != NULL && c->action != LOST && c->action != BACK) {
        say(v, "same");
    }
}

static uint64_t flip_pebs_arch_index(const struct vcpu *v, size_t size)
{
    const uint64_t index = without_faults(v)->pebs_arch_index(v, size);

    if (flip_of(v)->lost) {
        flip_of(v)->lost = false;
        return v->regs[REG_IA32_PEBS_INDEX];
    }
    return flip_word(index, deliver(v, PEBS_INDEX, index));
}

static uint32_t msr_address(const struct profile_msr *m, unsigned i)
{
    return m->address + i * (m->stride != 0 ? m->stride : 1);
}

/* Bits of IA32_PERF_GLOBAL_STATUS that Intel PT, an uncore, enclaves or CondChgd may set at any time. */
#define STATUS_OF_OTHERS (UINT64_C(1) << 55 | UINT64_C(1) << 60 | UINT64_C(1) << 61 | UINT64_C(1) << 63)

/*
 * The bits of a register that may have any value. Bit 62 of the status says that a buffer of the DS area has
 * overflowed; no manual says that BTS does not set it.
 */
static uint64_t left_open(const struct vcpu *v, enum model_register reg)
{
    if (reg == REG_IA32_PERF_GLOBAL_STATUS)
        return STATUS_OF_OTHERS | (flip_of(v)->delivered[BTS_RECORD] != 0 ? STATUS_OVF_BUF : 0);
    return reg == REG_LASTBRANCH_INFO || reg == REG_IA32_LBR_INFO ? INFO_OF_CHANCE : 0;
}

static uint64_t flip_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    const uint64_t value = without_faults(v)->msr_value(v, m, i);
    const uint64_t read = flip_word(value, deliver(v, READ, msr_address(m, i)));

    if (m->reg == REG_IA32_PERF_GLOBAL_CTRL)
        flip_of(v)->idle = 64; /* software sees it */
    if (is_counter(m->reg)) {
        flip_of(v)->behind = false;
        flip_of(v)->miscounts = 0;
    }
    if ((value ^ read) & left_open(v, m->reg))
        say(v, "same");
    return read;
}

/* Whether the value has a reserved bit, for which the freedom msr-reserved permits #GP. */
static bool may_refuse(const struct profile_msr *m, uint64_t value)
{
    return (value & ~m->writable) != 0;
}

static bool flip_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const bool takes = without_faults(v)->msr_takes(v, m, value);
    const struct change *const c = takes ? deliver(v, WRITE, m->address) : NULL;

    flip_of(v)->losing = false;
    flip_of(v)->kept = c;
    if (c != NULL && c->action == LOST && may_refuse(m, value))
        say(v, "same");
    return takes && (c == NULL || c->action != LOST);
}

/* Whether this bit of a written value has no effect: it would clear what is 0, or the register ignores it. */
static bool has_no_effect(const struct vcpu *v, const struct profile_msr *m, unsigned bit)
{
    return m->ignored >> bit & 1                         ? true
           : m->reg == REG_IA32_PERF_GLOBAL_STATUS_RESET ? !(v->status >> bit & 1)
                                                         : m->reg == REG_IA32_PMC && bit > 31;
}

/* Whether the counter of a bit of IA32_PERF_GLOBAL_CTRL does not count. */
static bool counts_nothing(const struct vcpu *v, unsigned bit)
{
    for (unsigned i = 0; i < vcpu_counters(v); i++)
        if (vcpu_counter_bit(v, i) >> bit & 1)
            return !v->counters[i].active;
    return true;
}

/* Of a register, only bits that can be written are inverted. */
static void flip_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    struct flip *const f = flip_of(v);
    const struct change *const c = f->kept;

    f->kept = NULL;
    if (is_counter(m->reg)) {
        f->miscounted = f->interrupted = f->recorded = false;
        f->miscounts = 0;
        excuse_behind(f);
    }
    if (m->reg == REG_IA32_PERF_GLOBAL_CTRL) {
        if (f->idle < 64 && counts_nothing(v, f->idle))
            say(v, "overwritten");
        f->idle = 64;
    }
    if (c != NULL && c->action == FLIP && m->writable != 0) {
        unsigned bit = c->bit % 64;

        while (!(m->writable >> bit & 1))
            bit = (bit + 1) % 64;
        value ^= UINT64_C(1) << bit;
        if (m->reg == REG_IA32_PERF_GLOBAL_CTRL && value >> bit & 1)
            f->idle = bit;
        if (has_no_effect(v, m, bit))
            say(v, "same");
    } else if (c != NULL) {
        say(v, "same");
    }
    without_faults(v)->msr_set(v, m, i, value);
}

static enum msr_answer flip_msr_counter(struct vcpu *v, uint32_t index, uint64_t *value)
{
    const enum msr_answer answer = without_faults(v)->msr_counter(v, index, value);

    if (answer == MSR_DONE)
        *value = flip_word(*value, deliver(v, COUNTER, index));
    flip_of(v)->miscounts = 0;
    return answer;
}

/* The counters of a class, without the model's own. */
static uint32_t software_counters(const struct counted_class *class)
{
    return class->counters & ~(UINT32_C(1) << STEPPER);
}

/*
 * Whether each counter of a class samples without precise distribution, or counts cycles. An event more or less then
 * moves a record as much as another delay until PEBS is armed does, which the freedom pebs-arming leaves to the
 * processor; and the freedoms ipc, caches and smi leave the number of cycles to it.
 */
static bool counts_freely(const struct vcpu *v, const struct counted_class *class)
{
    bool all = true;

    for (uint32_t left = software_counters(class); left != 0 && all; left &= left - 1) {
        const struct counter *const c = &v->counters[__builtin_ctz(left)];

        all = c->cycles || number_is_free(class->id) || (c->pebs && !without_faults(v)->counting_exact(v, c));
    }
    return all;
}

/*
 * Whether an interruption may count as an event of each counter of a class, or its handler, whose number of events no
 * test knows, certainly has such events. lost: an event less is only explained by a handler that counts.
 */
static bool may_count_interruptions(const struct vcpu *v, const struct counted_class *class, bool lost)
{
    bool all = software_counters(class) != 0;

    for (uint32_t left = software_counters(class); left != 0 && all; left &= left - 1) {
        const struct counter *const c = &v->counters[__builtin_ctz(left)];
        const unsigned kind = c->event_class / EVENT_QUALIFIERS;
        const bool at_0 = c->event_class % EVENT_QUALIFIERS != OTHER_RINGS;

        all = (!lost || at_0) &&
              (c->cycles || kind == EVENT_INSTRUCTIONS || (kind == EVENT_BRANCHES && (at_0 || !v->pebs.enabled)) ||
               (at_0 && ((kind >= EVENT_CONDITIONAL && kind <= EVENT_FAR_BRANCHES) || kind == EVENT_NEAR_TAKEN ||
                         kind == EVENT_TAKEN || kind == EVENT_LOADS || kind == EVENT_STORES)));
    }
    return all;
}

/*
 * With an interruption, the freedom overcount leaves it to the processor whether a count has one event more, and
 * without it too, if the handler counts.
 */
static void excuse_interrupted(const struct vcpu *v)
{
    if (flip_of(v)->miscounted && flip_of(v)->interrupted)
        say(v, "same");
}

static unsigned flip_counting_interruption(struct vcpu *v, enum event_kind kind, bool software)
{
    const bool counts = v->counting.active & ~(UINT32_C(1) << STEPPER);

    if (flip_of(v)->open && !software && kind == EVENT_INSTRUCTIONS && counts) {
        flip_of(v)->interrupted = true;
        excuse_interrupted(v);
    }
    return without_faults(v)->counting_interruption(v, kind, software);
}

/* Whether each counter of a class samples, or counts slots, whose number the freedom ipc leaves to the processor. */
static bool all_sample(const struct vcpu *v, const struct counted_class *class)
{
    bool all = software_counters(class) != 0;

    for (uint32_t left = software_counters(class); left != 0 && all; left &= left - 1)
        all = v->counters[__builtin_ctz(left)].pebs || v->counters[__builtin_ctz(left)].scaled;
    return all;
}

/*
 * Whether each counter of a class samples or reloads itself, and overflows with these events, or counts slots. One more
 * then has no effect, because the counter is reloaded, and the freedom ipc leaves the number of slots to the processor.
 */
static bool overflows_anyway(const struct vcpu *v, const struct counted_class *class, uint64_t events)
{
    bool all = true;

    for (uint32_t left = software_counters(class); left != 0 && all; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const struct counter *const c = &v->counters[i];

        all = c->scaled || ((c->pebs || v->counting.reloads[i] >> i & 1) && c->value + events > vcpu_width_mask(v));
    }
    return all;
}

static uint64_t flip_counting_events(const struct vcpu *v, const struct counted_class *class, uint64_t events)
{
    const uint64_t counted = without_faults(v)->counting_events(v, class, events);
    const struct change *const c = counted > 0 && !counts_freely(v, class) ? deliver(v, EVENTS, counted) : NULL;

    /*
     * No manual says whether the WRMSR that opens a window is counted, and the freedom pdir-plus lets every record
     * describe the next instruction: the first record of a counter may be one event earlier or later.
     */
    if (c != NULL && all_sample(v, class) && !flip_of(v)->recorded)
        say(v, "same");
    if (c != NULL && c->action == TWICE && overflows_anyway(v, class, counted))
        say(v, "same");
    flip_of(v)->behind = c != NULL ? all_sample(v, class) : flip_of(v)->behind;
    flip_of(v)->miscounts = c != NULL ? software_counters(class) : flip_of(v)->miscounts;
    if (c != NULL && may_count_interruptions(v, class, c->action == LOST)) {
        flip_of(v)->miscounted = true;
        excuse_interrupted(v);
    }
    return c == NULL ? counted : c->action == LOST ? counted - 1 : c->action == TWICE ? counted + 1 : counted;
}

/* The reload by another counter replaces a count, unless an event more or less may have decided about an overflow. */
static uint64_t flip_reload_value(const struct vcpu *v, unsigned i)
{
    struct flip *const f = flip_of(v);
    const uint32_t bit = UINT32_C(1) << i;

    if (f->miscounts & bit && !(v->counting.reloads[i] & bit) && v->counters[i].value <= vcpu_width_mask(v) / 2) {
        f->miscounts &= ~bit;
        if (f->miscounts == 0)
            say(v, "overwritten");
    }
    return without_faults(v)->reload_value(v, i);
}

static void flip_pmi_raise(struct vcpu *v, struct place place)
{
    struct flip *const f = flip_of(v);
    const bool again = f->repeats;
    const bool masked = v->host->lvtpc(v->cpu) & LVT_MASKED;
    bool lbrs, counters;
    const struct change *const c = again || masked || f->losing ? NULL : deliver(v, PMI, 0);

    without_faults(v)->pmi_freezes(v, &lbrs, &counters);
    if (f->open && counters) { /* until the PMI, whose skid is free, they count nothing */
        f->interrupted = true;
        excuse_interrupted(v);
    }
    f->repeats = false;
    f->losing = f->losing || (c != NULL && c->action == LOST);
    if (f->losing) {
        v->pmi.wanted = false;
        return;
    }
    without_faults(v)->pmi_raise(v, place);
    if (again && !v->pmi.raised)
        say(v, "same"); /* the first one has masked the entry */
    f->repeats = c != NULL && c->action == TWICE;
    v->pmi.wanted = v->pmi.wanted || f->repeats;
}

void flip_replace(struct rules *rules)
{
    rules->pebs_stage = 0;
    rules->bts_write = flip_bts_write;
    rules->pebs_describe = flip_pebs_describe;
    rules->pebs_write = flip_pebs_write;
    rules->pebs_arch_encode = flip_pebs_arch_encode;
    rules->pebs_arch_index = flip_pebs_arch_index;
    rules->msr_value = flip_msr_value;
    rules->msr_takes = flip_msr_takes;
    rules->msr_set = flip_msr_set;
    rules->msr_counter = flip_msr_counter;
    rules->counting_events = flip_counting_events;
    rules->counting_interruption = flip_counting_interruption;
    rules->reload_value = flip_reload_value;
    rules->pmi_raise = flip_pmi_raise;
}
