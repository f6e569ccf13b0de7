/* SPDX-License-Identifier: MIT */
#include "lib/dump/reader/dump_read.h"

#include <string.h>

#include "lib/bytes.h"
#include "bts/bts_layout.h"
#include "lib/dump/dump_code.h"
#include "lib/dump/reader/dump_count.h"
#include "lib/dump/reader/dump_frame.h"

#define TEXT_MAX 4096u /* characters of a line that is not a frame; longer ones are cut */

struct dump_reader {
    const struct record_sink *sink;
    void (*problem)(void *context, const struct dump_problem *problem);
    void *context;
    struct dump_totals totals;

    /* State of the current boot. */
    bool any, ended;
    uint64_t next;                                    /* the expected sequence number */
    uint32_t last_crc;                                /* of the frame before */
    uint64_t given[KIND_RECORDS], read[KIND_RECORDS]; /* records written by the kernel; records read */
    bool machine_told;
    uint64_t cut, cut_alike; /* truncated frames; those in a line as long as the first, of cut_length characters */
    size_t cut_length, line_length;
    char test[DUMP_TEST_MAX + 1];

    uint8_t payload[(DUMP_PAYLOAD_MAX + 2) / 3 * 3];
    union {
        struct dump_predictor predictor;
        uint8_t previous[DUMP_RECORD_BYTES_MAX];
    };
    uint64_t registers[DUMP_DEPTH_MAX][3];
    struct lbr_entry entries[DUMP_DEPTH_MAX];
    struct pebs_record record;
    char line[TEXT_MAX];
};

size_t dump_reader_size(void)
{
    return sizeof(struct dump_reader);
}

void dump_reader_init(struct dump_reader *r, const struct record_sink *sink,
                      void (*problem)(void *context, const struct dump_problem *problem), void *context)
{
    memset(r, 0, sizeof(*r));
    r->sink = sink;
    r->problem = problem;
    r->context = context;
}

/* Reports a problem in the current line. */
static void complain(struct dump_reader *r, struct dump_problem problem)
{
    problem.line = r->totals.lines;
    r->totals.problems++;
    r->problem(r->context, &problem);
}

static void complain_of_frame(struct dump_reader *r, enum dump_error error, uint64_t sequence)
{
    complain(r, (struct dump_problem){ .error = error, .first = sequence, .last = sequence });
}

/* ---- boots ---- */

static uint64_t *read_total(struct dump_totals *t, unsigned kind)
{
    return kind == KIND_BTS ? &t->bts : kind == KIND_PEBS ? &t->pebs : &t->lbr;
}

static uint64_t *lost_total(struct dump_totals *t, unsigned kind)
{
    return kind == KIND_BTS ? &t->bts_lost : kind == KIND_PEBS ? &t->pebs_lost : &t->lbr_lost;
}

static void end_boot(struct dump_reader *r)
{
    if (!r->any)
        return;
    if (!r->ended)
        complain(r, (struct dump_problem){ .error = DUMP_READ_NO_END });
    for (unsigned kind = 0; kind < KIND_RECORDS; kind++) {
        uint64_t lost = r->given[kind] - r->read[kind];
        *read_total(&r->totals, kind) += r->read[kind];
        if (lost == 0)
            continue;
        *lost_total(&r->totals, kind) += lost;
        complain(r,
                 (struct dump_problem){
                     .error = DUMP_READ_LOST, .kind = dump_kind_names[kind], .lost = lost, .given = r->given[kind] });
        if (r->sink && r->sink->lost)
            r->sink->lost(r->sink->context, dump_kind_names[kind], lost);
    }
    r->any = r->ended = r->machine_told = false;
    r->next = 0;
    r->test[0] = '\0';
    memset(r->given, 0, sizeof(r->given));
    memset(r->read, 0, sizeof(r->read));
}

/*
 * Assigns a frame to a boot. A new boot begins with a head, or with any frame after the end frame. Returns false if the
 * frame is ignored: it repeats the previous frame, or its number is not above the previous numbers.
 */
static bool place(struct dump_reader *r, const struct frame *f)
{
    if (f->sequence < r->next) {
        bool repeated = f->sequence + 1 == r->next && f->crc == r->last_crc;
        if (repeated || (f->kind != KIND_HEAD && !r->ended)) {
            complain_of_frame(r, repeated ? DUMP_READ_TWICE : DUMP_READ_ORDER, f->sequence);
            return false;
        }
        end_boot(r);
    }
    if (!r->any && f->kind != KIND_HEAD)
        complain(r, (struct dump_problem){ .error = DUMP_READ_NO_HEAD });
    if (f->sequence > r->next)
        complain(r, (struct dump_problem){ .error = DUMP_READ_MISSING, .first = r->next, .last = f->sequence - 1 });
    r->next = f->sequence + 1;
    r->last_crc = f->crc;
    r->any = true;
    return true;
}

/* Reports the machine (from this frame, if the head is lost) and the test to the sink, before their records. */
static void introduce(struct dump_reader *r, const struct frame *f)
{
    if (!r->sink)
        return;
    if (!r->machine_told && r->sink->machine) {
        struct dump_machine machine = { .cpu_width = 0 };
        if (f->kind == KIND_BTS) {
            machine.ds_width = (unsigned)f->form[0];
            machine.bts_prediction = f->form[1] != 0;
        }
        r->sink->machine(r->sink->context, &machine);
    }
    r->machine_told = true;
    if (!piece_is(f->text[KEY_TEST], r->test)) {
        piece_copy(r->test, sizeof(r->test), f->text[KEY_TEST]);
        if (r->sink->test)
            r->sink->test(r->sink->context, r->test);
    }
}

static struct pebs_form pebs_form_of(const uint64_t numbers[DUMP_FORM_NUMBERS])
{
    return (struct pebs_form){ .width = (unsigned)numbers[0],
                               .format = (unsigned)numbers[1],
                               .adaptive = numbers[2] != 0,
                               .retire_latency =
                                   numbers[3] == DUMP_LATENCIES_BOTH || numbers[3] == DUMP_LATENCIES_RETIRE,
                               .cache_latency = numbers[3] == DUMP_LATENCIES_BOTH || numbers[3] == DUMP_LATENCIES_CACHE,
                               .reserved = numbers[3] == DUMP_LATENCIES_NO_SOURCE   ? PEBS_RESERVED_SOURCE
                                           : numbers[3] == DUMP_LATENCIES_NO_MEMORY ? PEBS_RESERVED_MEMORY
                                                                                    : PEBS_RESERVED_NONE,
                               .lbr_format = (unsigned)numbers[4] };
}

static enum dump_error read_head(struct dump_reader *r, const struct frame *f)
{
    struct dump_machine m = { .cpu_width = (unsigned)f->number[KEY_WIDTH],
                              .signature = (uint32_t)f->number[KEY_SIGNATURE],
                              .perf_capabilities = f->number[KEY_PERF_CAPABILITIES],
                              .misc_enable = f->number[KEY_MISC_ENABLE],
                              .pebs_data_cfg = f->number[KEY_PEBS_DATA_CFG],
                              .ds_width = (unsigned)f->number[KEY_DS],
                              .bts_prediction = f->bts_form[1] != 0,
                              .pebs = pebs_form_of(f->form),
                              .data_source = (enum data_source_encoding)f->number[KEY_SOURCE] };
    struct piece id = f->text[KEY_BUILD_ID];

    if (id.length % 2 != 0 || id.length > 2 * DUMP_BUILD_ID_MAX)
        return DUMP_READ_BUILD_ID;
    for (; id.length > 0; id.start += 2, id.length -= 2) {
        int high = hex_digit(id.start[0]), low = hex_digit(id.start[1]);
        if (high < 0 || low < 0)
            return DUMP_READ_BUILD_ID;
        m.build_id[m.build_id_length++] = (uint8_t)(16 * high + low);
    }
    piece_copy(m.version, sizeof(m.version), f->text[KEY_VERSION]);
    r->totals.heads++;
    r->machine_told = true;
    if (r->sink && r->sink->machine)
        r->sink->machine(r->sink->context, &m);
    return DUMP_READ_OK;
}

/* Checks the words that frames of records and events have in common. */
static enum dump_error check_test(const struct frame *f)
{
    if (f->text[KEY_TEST].length > DUMP_TEST_MAX)
        return DUMP_READ_TEST;
    return f->number[KEY_CPU] > UINT32_MAX ? DUMP_READ_CPU : DUMP_READ_OK;
}

static enum dump_error read_event(struct dump_reader *r, const struct frame *f)
{
    const enum dump_error wrong = check_test(f);
    char name[DUMP_TEST_MAX + 1];
    const struct dump_sampling event = { .cpu = (unsigned)f->number[KEY_CPU],
                                         .counter = (unsigned)f->number[KEY_COUNTER],
                                         .fixed = f->number[KEY_FIXED] != 0,
                                         .select = f->number[KEY_SELECT],
                                         .period = f->number[KEY_PERIOD],
                                         .threshold = f->number[KEY_THRESHOLD],
                                         .data_cfg = f->number[KEY_DATA_CFG],
                                         .name = name };

    if (wrong != DUMP_READ_OK)
        return wrong;
    piece_copy(name, sizeof(name), f->text[KEY_NAME]);
    introduce(r, f);
    if (r->sink && r->sink->sampling)
        r->sink->sampling(r->sink->context, &event);
    return DUMP_READ_OK;
}

static enum dump_error read_end(struct dump_reader *r, const struct frame *f)
{
    static const enum key keys[KIND_RECORDS] = { KEY_BTS, KEY_PEBS, KEY_LBR };

    r->ended = true;
    for (unsigned kind = 0; kind < KIND_RECORDS; kind++)
        if (f->number[keys[kind]] > r->given[kind])
            r->given[kind] = f->number[keys[kind]];
    return DUMP_READ_OK;
}

/* ---- records ---- */

/* Passes on the predictor's branch of this number as the next record. */
static void hand_on(struct dump_reader *r, const struct frame *f, unsigned number, struct bts_record *record,
                    uint64_t index)
{
    const struct dump_branch *branch = &r->predictor.branches[number];

    record->from = branch->from;
    record->to = branch->to;
    record->flags = branch->flags;
    record->predicted = record->prediction_valid && (branch->flags & BTS_FLAGS_PREDICTED) != 0;
    dump_predictor_advance(&r->predictor, branch->to);
    r->read[KIND_BTS]++;
    if (r->sink->bts)
        r->sink->bts(r->sink->context, (unsigned)f->number[KEY_CPU], f->number[KEY_FIRST] + index, record);
}

/* Reads the next branch that the values spell out. */
static enum dump_error spell(struct dump_predictor *p, struct parts *parts)
{
    uint64_t from, to, flags;

    if (!dump_varint_take(&parts->values, parts->values_end, &from) ||
        !dump_varint_take(&parts->values, parts->values_end, &to) ||
        !dump_varint_take(&parts->values, parts->values_end, &flags))
        return DUMP_READ_VALUES_CUT;
    from = p->last_to + dump_unzigzag(from);
    p->branches[++p->known] = (struct dump_branch){ from, from + dump_unzigzag(to), flags };
    return DUMP_READ_OK;
}

static enum dump_error expand_branches(struct dump_reader *r, const struct frame *f, struct parts *parts)
{
    struct dump_predictor *p = &r->predictor;
    const uint64_t count = f->number[KEY_COUNT];
    struct bts_record record = { .width = (unsigned)f->form[0], .prediction_valid = f->form[1] != 0 };
    uint64_t n = 0;

    dump_predictor_reset(p);
    while (n < count) {
        uint64_t token, end;
        unsigned kind, number;
        if (!dump_varint_take(&parts->codes, parts->codes_end, &token))
            return DUMP_READ_TOO_FEW;
        if (token >> DUMP_KIND_BITS > count - n)
            return DUMP_READ_TOO_MANY;
        for (end = n + (token >> DUMP_KIND_BITS); n < end; n++) {
            number = p->next[p->context];
            if (number == 0)
                return DUMP_READ_PREDICTION;
            hand_on(r, f, number, &record, n);
        }
        kind = (unsigned)(token & DUMP_KIND);
        if (n == count && kind)
            return DUMP_READ_LEFT_OVER;
        if (n == count)
            break;
        if (kind == DUMP_SPELLED) {
            enum dump_error wrong = spell(p, parts);
            if (wrong != DUMP_READ_OK)
                return wrong;
            number = p->known;
        } else if (kind == DUMP_NAMED) {
            uint64_t back;
            if (!dump_varint_take(&parts->values, parts->values_end, &back))
                return DUMP_READ_VALUES_CUT;
            if (back >= p->known)
                return DUMP_READ_REFERENCE;
            number = p->known - (unsigned)back;
        } else {
            number = p->slots[p->set][kind];
            if (number == 0)
                return DUMP_READ_REFERENCE;
        }
        dump_predictor_learn(p, number);
        hand_on(r, f, number, &record, n++);
    }
    return parts->codes != parts->codes_end || parts->values != parts->values_end ? DUMP_READ_LEFT_OVER : DUMP_READ_OK;
}

/* Adds the next differences to the previous record, in place. */
static enum dump_error take_differences(uint8_t *record, unsigned width, unsigned fields, struct parts *p)
{
    const uint8_t *values = p->values; /* a copy, which cannot alias the record */

    for (unsigned first = 0; first < fields; first += 8) {
        if (p->codes == p->codes_end)
            return DUMP_READ_TOO_FEW;
        unsigned bits = *p->codes++;
        if (fields - first < 8)
            bits &= (1u << (fields - first)) - 1;
        for (; bits != 0; bits &= bits - 1) { /* lowest field first */
            unsigned i = first + (unsigned)__builtin_ctz(bits);
            uint64_t code;
            if (!dump_varint_take(&values, p->values_end, &code))
                return DUMP_READ_VALUES_CUT;
            if (width == 4)
                write_u32(record, 4 * i, read_u32(record, 4 * i) + (uint32_t)dump_unzigzag(code));
            else
                write_u64(record, 8 * i, read_u64(record, 8 * i) + dump_unzigzag(code));
        }
    }
    p->values = values;
    return DUMP_READ_OK;
}

static enum dump_error expand_samples(struct dump_reader *r, const struct frame *f, struct parts *parts)
{
    const struct pebs_form form = pebs_form_of(f->form);
    const unsigned size = (unsigned)f->number[KEY_SIZE];

    memset(r->previous, 0, sizeof(r->previous));
    for (uint64_t n = 0; n < f->number[KEY_COUNT]; n++) {
        enum dump_error wrong = take_differences(r->previous, form.width, size / form.width, parts);
        if (wrong != DUMP_READ_OK)
            return wrong;
        enum pebs_error error = pebs_decode(&form, r->previous, size, &r->record);
        if (error != PEBS_DECODE_OK) {
            complain(r, (struct dump_problem){ .error = DUMP_READ_PEBS,
                                               .first = f->sequence,
                                               .record = f->number[KEY_FIRST] + n,
                                               .why = error });
            continue;
        }
        r->read[KIND_PEBS]++;
        if (r->sink->pebs)
            r->sink->pebs(r->sink->context, (unsigned)f->number[KEY_CPU], f->number[KEY_FIRST] + n, &r->record,
                          r->previous, (enum data_source_encoding)f->number[KEY_SOURCE]);
    }
    return parts->values != parts->values_end ? DUMP_READ_LEFT_OVER : DUMP_READ_OK;
}

static enum dump_error expand_stack(struct dump_reader *r, const struct frame *f, struct parts *parts)
{
    const struct dump_lbr stack = { .depth = (unsigned)f->number[KEY_DEPTH],
                                    .shifts = f->form[0] == DUMP_LBR_ARCH,
                                    .tos = f->number[KEY_TOS],
                                    .entries = r->entries,
                                    .registers = (const uint64_t(*)[3])r->registers };

    memset(r->previous, 0, sizeof(r->previous));
    for (unsigned i = 0; i < stack.depth; i++) {
        struct lbr_entry *entry = &r->entries[i];
        uint64_t *registers = r->registers[i];
        enum dump_error wrong = take_differences(r->previous, 8, 3, parts);
        if (wrong != DUMP_READ_OK)
            return wrong;
        for (unsigned j = 0; j < 3; j++)
            registers[j] = read_u64(r->previous, 8 * j);
        if (f->form[0] == DUMP_LBR_PACKED)
            lbr_decode_packed(registers[0], entry);
        else if (f->form[0] == DUMP_LBR_ARCH)
            lbr_decode_arch(registers[0], registers[1], registers[2], entry);
        else if (lbr_decode((unsigned)f->form[0], registers[0], registers[1], registers[2], entry) != LBR_DECODE_OK)
            return DUMP_READ_STACK_FORMAT;
    }
    r->read[KIND_LBR]++;
    if (r->sink->lbr)
        r->sink->lbr(r->sink->context, (unsigned)f->number[KEY_CPU], f->number[KEY_FIRST], &stack);
    return parts->values != parts->values_end ? DUMP_READ_LEFT_OVER : DUMP_READ_OK;
}

/* Checks the header of a frame of records. *codes: how many bytes of codes it must have; 0: any number. */
static enum dump_error check_records(const struct frame *f, uint64_t *codes)
{
    const uint64_t count = f->number[KEY_COUNT], width = f->form[0];
    const enum dump_error wrong = check_test(f);

    *codes = 0;
    if (count == 0 || count > DUMP_RECORDS_MAX)
        return DUMP_READ_COUNT;
    if (f->number[KEY_BEFORE] > UINT64_MAX - count || f->number[KEY_FIRST] > f->number[KEY_BEFORE])
        return DUMP_READ_NUMBERING;
    if (wrong != DUMP_READ_OK)
        return wrong;
    if (f->kind == KIND_LBR) {
        if (count != 1 || f->number[KEY_DEPTH] == 0 || f->number[KEY_DEPTH] > DUMP_DEPTH_MAX)
            return DUMP_READ_STACK;
        if (width > DUMP_LBR_ARCH)
            return DUMP_READ_STACK_FORMAT;
        *codes = f->number[KEY_DEPTH];
        return DUMP_READ_OK;
    }
    if (width != 4 && width != 8)
        return DUMP_READ_FIELD_WIDTH;
    if (f->kind == KIND_PEBS) {
        const uint64_t size = f->number[KEY_SIZE];
        if (size == 0 || size % width != 0 || size > DUMP_RECORD_BYTES_MAX)
            return DUMP_READ_RECORD_SIZE;
        if (f->number[KEY_SOURCE] >= DATA_SOURCE_ENCODINGS)
            return DUMP_READ_SOURCE;
        *codes = count * ((size / width + 7) / 8);
    }
    return DUMP_READ_OK;
}

static enum dump_error read_records(struct dump_reader *r, const struct frame *f)
{
    struct piece data = f->text[KEY_DATA];
    struct parts parts;
    size_t bytes;
    uint64_t codes;
    enum dump_error wrong = check_records(f, &codes);

    if (wrong != DUMP_READ_OK)
        return wrong;
    if (data.length > (DUMP_PAYLOAD_MAX + 2) / 3 * 4)
        return DUMP_READ_DATA_LENGTH;
    bytes = dump_base64_take(r->payload, data.start, data.length);
    if (bytes == SIZE_MAX)
        return DUMP_READ_BASE64;
    if (bytes > DUMP_PAYLOAD_MAX || f->number[KEY_CODES] > bytes || (codes && f->number[KEY_CODES] != codes))
        return DUMP_READ_CODES;
    parts = (struct parts){ r->payload, r->payload + f->number[KEY_CODES], r->payload + f->number[KEY_CODES],
                            r->payload + bytes };
    introduce(r, f);
    if (f->number[KEY_BEFORE] + f->number[KEY_COUNT] > r->given[f->kind])
        r->given[f->kind] = f->number[KEY_BEFORE] + f->number[KEY_COUNT];
    if (r->sink)
        return f->kind == KIND_BTS    ? expand_branches(r, f, &parts)
               : f->kind == KIND_PEBS ? expand_samples(r, f, &parts)
                                      : expand_stack(r, f, &parts);
    wrong = f->kind == KIND_BTS ? dump_count_branches(&parts, f->number[KEY_COUNT]) : dump_count_differences(&parts);
    if (wrong == DUMP_READ_OK)
        r->read[f->kind] += f->number[KEY_COUNT];
    return wrong;
}

/* ---- lines ---- */

static void complain_of_word(struct dump_reader *r, enum dump_error error, const struct frame *f)
{
    struct dump_problem problem = { .error = error, .first = f->sequence };

    piece_copy(problem.word, sizeof(problem.word), f->word);
    for (char *at = problem.word; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    complain(r, problem);
}

static void note_cut(struct dump_reader *r)
{
    if (r->cut++ == 0)
        r->cut_length = r->line_length;
    r->cut_alike += r->line_length == r->cut_length;
}

/* Reads a frame, without its "# ". Returns whether its checksum was right. */
static bool read_frame(struct dump_reader *r, struct piece text)
{
    static enum dump_error (*const readers[KINDS])(struct dump_reader * r,
                                                   const struct frame *f) = { read_records, read_records, read_records,
                                                                              read_head,    read_event,   read_end };
    struct frame f;
    bool intact;
    enum dump_error wrong = dump_frame_take(text, &f, &intact);

    if (wrong == DUMP_READ_CUT_SHORT)
        note_cut(r);
    if (wrong != DUMP_READ_OK) {
        complain(r, (struct dump_problem){ .error = wrong, .version = f.version });
    } else if (place(r, &f)) {
        r->totals.frames++;
        wrong = f.wrong != DUMP_READ_OK ? f.wrong : readers[f.kind](r, &f);
        if (wrong == DUMP_READ_WORD || wrong == DUMP_READ_WORD_MISSING)
            complain_of_word(r, wrong, &f);
        else if (wrong != DUMP_READ_OK)
            complain_of_frame(r, wrong, f.sequence);
    }
    return intact;
}

/* Copies a line without escape sequences of terminals: ESC [, parameters, a letter. What does not fit is cut. */
static struct piece without_escapes(struct dump_reader *r, struct piece text)
{
    struct piece copy = { r->line, 0 };

    for (size_t i = 0; i < text.length && copy.length < TEXT_MAX - 1; i++) {
        if (text.start[i] == '\033' && i + 1 < text.length && text.start[i + 1] == '[') {
            for (i += 2; i < text.length && text.start[i] >= ' ' && text.start[i] <= '?';)
                i++;
            continue;
        }
        r->line[copy.length++] = text.start[i];
    }
    while (copy.length > 0 && (copy.start[copy.length - 1] == '\r' || copy.start[copy.length - 1] == ' '))
        copy.length--;
    r->line[copy.length] = '\0';
    return copy;
}

static void read_text(struct dump_reader *r, struct piece text)
{
    text = without_escapes(r, text);
    if (text.length >= 2 && text.start[0] == '#' && text.start[1] == ' ') {
        text.start += 2;
        text.length -= 2;
    }
    if (text.length >= 6 && memcmp(text.start, "begin ", 6) == 0)
        end_boot(r);
    if (r->sink && r->sink->line)
        r->sink->line(r->sink->context, text.start);
}

void dump_read_line(struct dump_reader *r, const char *line, size_t length)
{
    const char *end, *at;

    r->totals.lines++;
    while (length > 0 && line[length - 1] == '\r')
        length--;
    r->line_length = length;
    while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' '))
        length--;
    end = line + length;
    at = dump_frame_find(line, length);
    if (!at)
        read_text(r, (struct piece){ line, length });
    /* If a line end was lost, another frame follows a broken one. */
    while (at) {
        struct piece frame = { at + 2, (size_t)(end - at - 2) };
        at = read_frame(r, frame) ? NULL : dump_frame_find(frame.start, frame.length);
    }
}

bool dump_read_end(struct dump_reader *r, struct dump_totals *totals)
{
    end_boot(r);
    if (r->cut > 1 && r->cut == r->cut_alike) {
        r->totals.problems++;
        r->problem(r->context, &(struct dump_problem){ .error = DUMP_READ_WRAPPED, .first = r->cut_length });
    }
    if (r->totals.frames == 0) {
        r->totals.problems++;
        r->problem(r->context, &(struct dump_problem){ .error = DUMP_READ_NO_DUMP });
    }
    *totals = r->totals;
    return r->totals.problems == 0;
}
