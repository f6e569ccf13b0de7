/* SPDX-License-Identifier: MIT */
#include "lib/dump/dump_write.h"

#include "lib/bytes.h"
#include "lib/format.h"
#include "lib/text.h"
#include "bts/bts_decode.h"

static const char *const kind_names[DUMP_RECORD_KINDS] = { "bts", "pebs", "lbr" };

void dump_writer_init(struct dump_writer *w, const struct line_sink *out)
{
    w->out = out;
    w->sequence = 0;
    w->test = "";
    w->count = 0;
    w->busy = false;
    for (unsigned i = 0; i < DUMP_RECORD_KINDS; i++)
        w->total[i] = w->test_start[i] = 0;
}

/* Appends the checksum to the line and passes it on. */
static void send(struct dump_writer *w, size_t length)
{
    format(w->line + length, DUMP_LINE_SIZE - length, " crc=%08lx", (unsigned long)dump_crc(w->line, length));
    w->out->line(w->out->context, w->line);
    w->sequence++;
}

/* Starts a line. Returns its length. */
static size_t begin(struct dump_writer *w, const char *kind)
{
    return (size_t)format(w->line, DUMP_LINE_SIZE, DUMP_MAGIC "%u %llu %s", DUMP_VERSION,
                          (unsigned long long)w->sequence, kind);
}

/*
 * Starts a change of the writer. A test that exceeds its time limit may be abandoned in the middle of one; the open
 * frame is lost then, but the totals count its records, so a reader notices.
 */
static void enter(struct dump_writer *w)
{
    if (w->busy)
        w->count = 0;
    w->busy = true;
}

static void put_token(struct dump_writer *w, unsigned kind)
{
    w->codes_used += dump_varint_put(w->codes + w->codes_used, w->run << DUMP_KIND_BITS | kind);
    w->run = 0;
}

static void put_value(struct dump_writer *w, uint64_t value)
{
    w->values_used += dump_varint_put(w->values + w->values_used, value);
}

static void flush(struct dump_writer *w)
{
    size_t length;

    if (w->count == 0)
        return;
    if (w->kind == DUMP_BTS && w->run > 0)
        put_token(w, 0);
    length = begin(w, kind_names[w->kind]);
    length += (size_t)format(w->line + length, DUMP_LINE_SIZE - length,
                             " test=%s cpu=%u first=%llu count=%u before=%llu%s codes=%u data=", w->test, w->cpu,
                             (unsigned long long)(w->first - w->test_start[w->kind]), w->count,
                             (unsigned long long)w->first, w->form, (unsigned)w->codes_used);
    for (size_t i = 0; i < w->values_used; i++)
        w->codes[w->codes_used + i] = w->values[i];
    length += dump_base64_put(w->line + length, w->codes, w->codes_used + w->values_used);
    w->count = 0;
    send(w, length);
}

/* Makes sure that the open frame is of this kind and form (words of its header). */
static void open(struct dump_writer *w, enum dump_records kind, unsigned cpu, const char *form)
{
    if (w->count > 0 && w->kind == kind && w->cpu == cpu && text_compare(w->form, form) == 0)
        return;
    flush(w);
    w->kind = kind;
    w->cpu = cpu;
    format(w->form, sizeof(w->form), "%s", form);
}

/* Initializes the payload before its first record. */
static void begin_payload(struct dump_writer *w)
{
    w->first = w->total[w->kind];
    w->codes_used = w->values_used = 0;
    w->run = 0;
    if (w->kind == DUMP_BTS) {
        dump_predictor_reset(&w->predictor);
        for (unsigned i = 0; i < DUMP_INDEX; i++)
            w->index[i] = 0;
    } else {
        for (unsigned i = 0; i < DUMP_RECORD_BYTES_MAX; i++)
            w->previous[i] = 0;
    }
}

static enum dump_latencies dump_latencies(const struct pebs_form *form)
{
    if (form->reserved != PEBS_RESERVED_NONE)
        return form->reserved == PEBS_RESERVED_SOURCE ? DUMP_LATENCIES_NO_SOURCE : DUMP_LATENCIES_NO_MEMORY;
    if (form->cache_latency)
        return form->retire_latency ? DUMP_LATENCIES_BOTH : DUMP_LATENCIES_CACHE;
    return form->retire_latency ? DUMP_LATENCIES_RETIRE : DUMP_LATENCIES_NEITHER;
}

void dump_write_head(struct dump_writer *w, const struct dump_machine *m)
{
    size_t length;

    enter(w);
    flush(w);
    length = begin(w, "head");
    length += (size_t)format(
        w->line + length, DUMP_LINE_SIZE - length,
        " version=%s width=%u signature=0x%lx perf_capabilities=0x%llx misc_enable=0x%llx pebs_data_cfg=0x%llx ds=%u"
        " bts_form=%u/%u pebs_form=%u/%u/%u/%u/%u source=%u build_id=",
        m->version, m->cpu_width, (unsigned long)m->signature, (unsigned long long)m->perf_capabilities,
        (unsigned long long)m->misc_enable, (unsigned long long)m->pebs_data_cfg, m->ds_width, m->ds_width,
        m->bts_prediction, m->pebs.width, m->pebs.format, m->pebs.adaptive, (unsigned)dump_latencies(&m->pebs),
        m->pebs.lbr_format, (unsigned)m->data_source);
    for (unsigned i = 0; i < m->build_id_length; i++)
        length += (size_t)format(w->line + length, DUMP_LINE_SIZE - length, "%02x", m->build_id[i]);
    send(w, length);
    w->busy = false;
}

void dump_write_test(struct dump_writer *w, const char *id)
{
    if (w->test == id)
        return;
    enter(w);
    flush(w);
    w->test = id;
    for (unsigned i = 0; i < DUMP_RECORD_KINDS; i++)
        w->test_start[i] = w->total[i];
    w->busy = false;
}

void dump_write_event(struct dump_writer *w, const struct dump_sampling *e)
{
    size_t length;

    enter(w);
    flush(w);
    length = begin(w, "event");
    length += (size_t)format(w->line + length, DUMP_LINE_SIZE - length,
                             " test=%s cpu=%u counter=%u fixed=%u select=0x%llx period=%llu threshold=%llu"
                             " data_cfg=0x%llx name=%s",
                             w->test, e->cpu, e->counter, e->fixed, (unsigned long long)e->select,
                             (unsigned long long)e->period, (unsigned long long)e->threshold,
                             (unsigned long long)e->data_cfg, e->name);
    send(w, length);
    w->busy = false;
}

/* Finds a branch's place in the index; a place with number 0 is free for it. */
static uint16_t *find_branch(struct dump_writer *w, const struct bts_record *r)
{
    uint32_t place = (uint32_t)(r->from ^ r->from >> 32) * 2654435761u ^ (uint32_t)(r->to ^ r->to >> 32) * 2246822519u;

    for (place ^= place >> 16;; place++) {
        uint16_t *number = &w->index[place % DUMP_INDEX];
        const struct dump_branch *branch = &w->predictor.branches[*number];
        if (*number == 0 || (branch->from == r->from && branch->to == r->to && branch->flags == r->flags))
            return number;
    }
}

static void add_branch(struct dump_writer *w, const struct bts_record *r)
{
    struct dump_predictor *p = &w->predictor;
    uint16_t *number = find_branch(w, r);

    if (*number != 0 && *number == p->next[p->context]) {
        w->run++;
        return;
    }
    if (*number == 0) {
        put_token(w, DUMP_SPELLED);
        put_value(w, dump_zigzag(r->from - p->last_to));
        put_value(w, dump_zigzag(r->to - r->from));
        put_value(w, r->flags);
        p->branches[++p->known] = (struct dump_branch){ r->from, r->to, r->flags };
        *number = (uint16_t)p->known;
    } else if (*number == p->slots[p->set][0]) {
        put_token(w, 0);
    } else if (*number == p->slots[p->set][1]) {
        put_token(w, 1);
    } else {
        put_token(w, DUMP_NAMED);
        put_value(w, p->known - *number);
    }
    dump_predictor_learn(p, *number);
}

void dump_write_bts(struct dump_writer *w, unsigned cpu, unsigned width, bool prediction, const uint8_t *bytes,
                    unsigned count)
{
    char form[sizeof(w->form)];
    struct bts_record record;

    if (count == 0)
        return;
    enter(w);
    format(form, sizeof(form), " form=%u/%u", width, prediction);
    open(w, DUMP_BTS, cpu, form);
    for (; count > 0 && bts_decode(width, bytes, 3 * width, false, &record) == BTS_DECODE_OK; count--) {
        if (w->count > 0 && (w->codes_used + w->values_used >= DUMP_PAYLOAD_FULL || w->count == DUMP_RECORDS_MAX))
            flush(w);
        if (w->count == 0)
            begin_payload(w);
        w->total[DUMP_BTS]++;
        w->count++;
        add_branch(w, &record);
        dump_predictor_advance(&w->predictor, record.to);
        bytes += 3 * width;
    }
    w->busy = false;
}

/*
 * Adds a record as differences to the previous one: a mask of the fields that differ, then each difference. Returns
 * false, with the frame unchanged, if there is no room.
 */
static bool add_differences(struct dump_writer *w, const uint8_t *bytes, unsigned width, unsigned size)
{
    const unsigned fields = size / width, masks = (fields + 7) / 8;
    const size_t most = w->count > 0 ? DUMP_PAYLOAD_SEVERAL : DUMP_PAYLOAD_MAX;
    size_t codes = w->codes_used, values = w->values_used;

    if (w->count > 0 && codes + masks + values + DUMP_VARINT_MAX > DUMP_PAYLOAD_FULL)
        return false;
    for (unsigned i = 0; i < masks; i++)
        w->codes[codes + i] = 0;
    for (unsigned i = 0; i < fields; i++) {
        uint64_t difference = width == 4 ? (uint64_t)(int32_t)(read_u32(bytes, 4 * i) - read_u32(w->previous, 4 * i))
                                         : read_u64(bytes, 8 * i) - read_u64(w->previous, 8 * i);
        if (difference == 0)
            continue;
        if (values + DUMP_VARINT_MAX + codes + masks > most)
            return false;
        w->codes[codes + i / 8] |= (uint8_t)(1u << i % 8);
        values += dump_varint_put(w->values + values, dump_zigzag(difference));
    }
    for (unsigned i = 0; i < size; i++)
        w->previous[i] = bytes[i];
    w->codes_used = codes + masks;
    w->values_used = values;
    return true;
}

static void add_record(struct dump_writer *w, const uint8_t *bytes, unsigned width, unsigned size)
{
    if (w->count == 0)
        begin_payload(w);
    if (!add_differences(w, bytes, width, size)) {
        flush(w);
        begin_payload(w);
        add_differences(w, bytes, width, size);
    }
}

void dump_write_pebs(struct dump_writer *w, unsigned cpu, const struct pebs_form *f, enum data_source_encoding encoding,
                     unsigned size, const uint8_t *bytes, unsigned count)
{
    char form[sizeof(w->form)];

    if (count == 0)
        return;
    enter(w);
    format(form, sizeof(form), " form=%u/%u/%u/%u/%u source=%u size=%u", f->width, f->format, f->adaptive,
           (unsigned)dump_latencies(f), f->lbr_format, (unsigned)encoding, size);
    open(w, DUMP_PEBS, cpu, form);
    for (; count > 0; count--, bytes += size) {
        add_record(w, bytes, f->width, size);
        w->total[DUMP_PEBS]++;
        w->count++;
    }
    w->busy = false;
}

void dump_write_lbr(struct dump_writer *w, unsigned cpu, unsigned lbr_form, const struct dump_lbr *stack)
{
    char form[sizeof(w->form)];

    enter(w);
    flush(w);
    format(form, sizeof(form), " form=%u tos=%llu depth=%u", lbr_form, (unsigned long long)stack->tos, stack->depth);
    open(w, DUMP_LBR, cpu, form);
    begin_payload(w);
    for (unsigned i = 0; i < stack->depth; i++) {
        uint8_t bytes[24];
        for (unsigned j = 0; j < 3; j++)
            for (unsigned k = 0; k < 8; k++)
                bytes[8 * j + k] = (uint8_t)(stack->registers[i][j] >> 8 * k);
        add_differences(w, bytes, 8, sizeof(bytes));
    }
    w->total[DUMP_LBR]++;
    w->count = 1;
    flush(w);
    w->busy = false;
}

void dump_write_flush(struct dump_writer *w)
{
    enter(w);
    flush(w);
    w->busy = false;
}

void dump_write_end(struct dump_writer *w)
{
    size_t length;

    enter(w);
    flush(w);
    length = begin(w, "end");
    length += (size_t)format(w->line + length, DUMP_LINE_SIZE - length, " bts=%llu pebs=%llu lbr=%llu",
                             (unsigned long long)w->total[DUMP_BTS], (unsigned long long)w->total[DUMP_PEBS],
                             (unsigned long long)w->total[DUMP_LBR]);
    send(w, length);
    w->busy = false;
}
