/* SPDX-License-Identifier: MIT */
/* --raw: each record as it was in memory, one word on a line: offset, bytes, name, value and meaning. */
#include "base/bytes.h"
#include "base/format.h"
#include "base/put.h"
#include "report/record_text.h"
#include "pebs/arch_decode.h"
#include "tools/output.h"
#include "tools/text_out.h"

#define MEANING_SIZE 160u

/* meaning: its end; it is written behind the word. */
static void put_word(const uint8_t *bytes, unsigned offset, unsigned width, const char *name, char *meaning, char *end)
{
    char hex[3 * 8 + 1];

    *end = '\0';
    for (unsigned i = 0; i < width; i++)
        format(hex + 3 * i, 4, "%02x ", bytes[offset + i]);
    say(&text_out_notes, "  +%03x  %-24s %-13s 0x%0*llx%s", offset, hex, name, 2 * (int)width,
        (unsigned long long)(width == 4 ? read_u32(bytes, offset) : read_u64(bytes, offset)), meaning);
}

static void bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    static const char *const names[3] = { "from", "to", "flags" };
    const uint64_t values[3] = { record->from, record->to, record->flags };

    (void)context;
    say(&text_out_notes, "bts %llu cpu %u, %u bytes", (unsigned long long)n, cpu, 3 * record->width);
    for (unsigned i = 0; i < 3; i++) {
        uint8_t bytes[24];
        char meaning[MEANING_SIZE], *end = meaning;
        if (i < 2)
            end = put_symbol(end, ' ', values[i], text_out_symbols);
        else if (record->prediction_valid)
            end = put_string(end, record->predicted ? " predicted" : " mispredicted");
        if (record->width == 4)
            write_u32(bytes, 4 * i, (uint32_t)values[i]);
        else
            write_u64(bytes, 8 * i, values[i]);
        put_word(bytes, record->width * i, record->width, names[i], meaning, end);
    }
}

#define WORDS_MOST 32u /* words with fields in a record: 4 basic, 4 memory, 18 registers */

/* A word of a record, with the remarks of its fields. */
struct word {
    const char *name; /* name of its first field */
    char meaning[MEANING_SIZE], *end;
};

static void add_meaning(struct word *word, const struct pebs_record *record, const struct pebs_field *field,
                        enum data_source_encoding encoding)
{
    const uint64_t value = pebs_value(record, field);

    if (field->print == PEBS_PRINT_PLACE)
        word->end = put_symbol(word->end, ' ', value, text_out_symbols);
    else if (field->print == PEBS_PRINT_SOURCE)
        word->end = put_data_source(word->end, record, encoding);
    if (!field->says)
        return;
    word->end = put_string(word->end, word->end == word->meaning ? " " : ", ");
    for (const char *c = field->says; *c != '\0'; c++)
        if (*c != '#')
            *word->end++ = *c;
        else if (field->print == PEBS_PRINT_DECIMAL)
            word->end = put_decimal_number(word->end, value);
        else
            word->end = put_address(word->end, value, 1);
}

/* The offset of the field's word in the record. */
static size_t place_of(const struct pebs_record *record, const struct pebs_field *field)
{
    if (record->has & PEBS_HAS_FORMAT_GROUP)
        return pebs_group_at(record->format_group, (enum pebs_group)field->group) + field->at;
    return record->width == 4 ? field->at_32 : field->at_64;
}

/* Writes the words of fields, in order; fields without a place of their own have code of their own, too. */
static void put_fields(const struct pebs_record *record, const uint8_t *bytes, enum data_source_encoding encoding)
{
    struct word words[WORDS_MOST];
    size_t count = 0;

    for (unsigned i = 0; i < WORDS_MOST; i++)
        words[i] = (struct word){ .end = words[i].meaning };
    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        if (!pebs_has_field(record, field) || field->group == PEBS_IN_NONE)
            continue;
        size_t i = place_of(record, field) / record->width;
        if (!words[i].name)
            words[i].name = record->width == 4 ? field->name_32 : field->word ? field->word : field->name;
        add_meaning(&words[i], record, field, encoding);
        count = i >= count ? i + 1 : count;
    }
    if (!(record->has & PEBS_HAS_FORMAT_GROUP))
        count = (size_t)record->size / record->width;
    for (unsigned i = 0; i < count; i++)
        put_word(bytes, record->width * i, record->width, words[i].name ? words[i].name : "reserved", words[i].meaning,
                 words[i].end);
}

static void put_xmm(const uint8_t *bytes, size_t at)
{
    for (unsigned i = 0; i < 32; i++) {
        char name[16], nothing[1];
        format(name, sizeof(name), "xmm%u.%s", i / 2, i % 2 ? "high" : "low");
        put_word(bytes, (unsigned)at + 8 * i, 8, name, nothing, nothing);
    }
}

static void put_lbr(const struct pebs_record *record, const uint8_t *bytes, size_t at)
{
    static const char *const parts[3] = { "from", "to", "info" };

    for (unsigned i = 0; i < 3 * record->lbr_count; i++) {
        const struct lbr_entry *entry = &record->lbr[i / 3];
        char name[16], meaning[MEANING_SIZE], *end = meaning;
        if (i % 3 < 2)
            end = put_symbol(end, ' ', i % 3 ? entry->to : entry->from, text_out_symbols);
        format(name, sizeof(name), "lbr%u.%s", i / 3, parts[i % 3]);
        put_word(bytes, (unsigned)at + 8 * i, 8, name, meaning, end);
    }
}

/* ---- architectural records: fragments, each with its header ---- */

static const char *const arch_groups[ARCH_GROUPS] = {
    [ARCH_IN_BASIC] = "basic", [ARCH_IN_AUX] = "aux",    [ARCH_IN_GPRS] = "gprs", [ARCH_IN_XER] = "xer",
    [ARCH_IN_XMM] = "xmm",     [ARCH_IN_YMMH] = "ymmh",  [ARCH_IN_EGPR] = "egpr", [ARCH_IN_OPMASK] = "k",
    [ARCH_IN_ZMMH] = "zmmh",   [ARCH_IN_H16ZMM] = "zmm", [ARCH_IN_LBR] = "lbr",   [ARCH_IN_COUNTERS] = "counters",
};

/* Says which word of which group it is, where no field has it. */
static void name_by_group(const struct arch_pebs_fragment *fragment, size_t at, char *name, size_t size)
{
    unsigned group = 0;

    for (unsigned i = 0; i < ARCH_GROUPS; i++)
        if (fragment->at[i] && fragment->at[i] <= at)
            group = i;
    if (at < ARCH_PEBS_HEADER_BYTES || !fragment->at[group])
        format(name, size, "-");
    else
        format(name, size, "%s+%x", arch_groups[group], (unsigned)(at - fragment->at[group]));
}

static void put_arch_word(const struct pebs_record *record, const uint8_t *bytes, size_t start,
                          const struct arch_pebs_fragment *fragment, size_t at, enum data_source_encoding encoding)
{
    struct word word = { .end = word.meaning };
    char name[24];
    size_t place;

    if (at == 0) {
        word.name = "header";
        word.end = put_decimal_number(put_string(word.end, " fragment of "), fragment->size);
        word.end = put_string(word.end, " bytes");
        if (arch_pebs_continued(fragment->format))
            word.end = put_string(word.end, ", continued");
    }
    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        if (!pebs_has_field(record, field) || !arch_pebs_place(fragment, field, &place) || place != at)
            continue;
        if (!word.name)
            word.name = field->word ? field->word : field->name;
        add_meaning(&word, record, field, encoding);
    }
    name_by_group(fragment, at, name, sizeof(name));
    put_word(bytes, (unsigned)(start + at), 8, word.name ? word.name : name, word.meaning, word.end);
}

static void put_fragments(const struct pebs_record *record, const uint8_t *bytes, enum data_source_encoding encoding)
{
    struct arch_pebs_fragment fragment;

    for (size_t start = 0; start < record->size; start += fragment.size) {
        if (arch_pebs_fragment(bytes + start, (size_t)record->size - start, &fragment) != PEBS_DECODE_OK)
            return;
        for (size_t at = 0; at + 8 <= fragment.size; at += 8)
            put_arch_word(record, bytes, start, &fragment, at, encoding);
    }
}

/* The counters group of an adaptive record: its header, its counters, and the metrics. */
static void put_counters(const struct pebs_record *record, const uint8_t *bytes, size_t at)
{
    char nothing[1];

    put_word(bytes, (unsigned)at, 8, "counters", nothing, nothing);
    put_word(bytes, (unsigned)at + 8, 8, "metrics", nothing, nothing);
    at += PEBS_COUNTERS_BYTES;
    for (uint64_t left = record->counted; left != 0; left &= left - 1, at += 8) {
        const unsigned bit = (unsigned)__builtin_ctzll(left);
        char name[16];
        format(name, sizeof(name), "%s%u", bit < 32 ? "count" : "fixed_count", bit % 32);
        put_word(bytes, (unsigned)at, 8, name, nothing, nothing);
    }
    if (record->has & PEBS_HAS_METRICS) {
        put_word(bytes, (unsigned)at, 8, "slots", nothing, nothing);
        put_word(bytes, (unsigned)at + 8, 8, "metrics", nothing, nothing);
    }
}

static void pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding)
{
    (void)context;
    say(&text_out_notes, "pebs %llu cpu %u, format %u, %u bytes", (unsigned long long)n, cpu, record->format,
        (unsigned)record->size);
    if (record->has & PEBS_HAS_FRAGMENTS) {
        put_fragments(record, bytes, encoding);
        return;
    }
    put_fields(record, bytes, encoding);
    if (record->has & PEBS_HAS_XMM)
        put_xmm(bytes, pebs_group_at(record->format_group, PEBS_IN_XMM));
    if (record->has & PEBS_HAS_LBR)
        put_lbr(record, bytes, pebs_group_at(record->format_group, PEBS_IN_LBR));
    if (record->has & PEBS_HAS_COUNTS)
        put_counters(record, bytes, pebs_group_at(record->format_group, PEBS_IN_COUNTERS));
}

/* Writes the registers of each entry, and its line. */
static void lbr(void *context, unsigned cpu, uint64_t n, const struct dump_lbr *stack)
{
    (void)context;
    say(&text_out_notes, "lbr stack %llu cpu %u, %s %llu, depth %u", (unsigned long long)n, cpu,
        stack->shifts ? "it shifts: tos" : "tos", (unsigned long long)stack->tos, stack->depth);
    for (unsigned i = 0; i < stack->depth; i++) {
        const uint64_t *r = stack->registers[i];
        if (!r[0] && !r[1] && !r[2])
            continue;
        say(&text_out_notes, "  FROM 0x%016llx TO 0x%016llx INFO 0x%016llx", (unsigned long long)r[0],
            (unsigned long long)r[1], (unsigned long long)r[2]);
        lbr_text(&text_out_notes, i, &stack->entries[i], text_out_symbols);
    }
}

static bool open(const struct output_setup *setup, struct record_sink *sink)
{
    text_out_open(setup, sink);
    sink->bts = bts;
    sink->pebs = pebs;
    sink->lbr = lbr;
    return true;
}

const struct output output_raw = { "raw", NULL, "each record's fields beside its bytes", open };
