/* SPDX-License-Identifier: MIT */
/* --raw: each record as it was in memory, one word on a line: offset, bytes, name, value and meaning. */
#include "lib/bytes.h"
#include "lib/format.h"
#include "lib/put.h"
#include "kernel/report/record_text.h"
#include "pebs/arch_decode.h"
#include "tools/output.h"
#include "tools/text_out.h"

#define MEANING_SIZE 160u

/* meaning: the end of a text that is printed after the word. */
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

/* Writes the words of fields, in order. Fields without a fixed offset have separate functions. */
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

/* ---- groups of many words: the name of the word with this number in its group, "" if it is not in the group ------ */

struct name {
    char text[24];
};

#define REGISTER_ROWS 6u

/* Registers of one size: the number of the first, how many there are, and the words of each. */
static const struct register_row {
    const char *name;
    uint8_t arch_group, first, count, words;
} register_rows[REGISTER_ROWS] = {
    { "xmm", ARCH_IN_XMM, 0, 16, 2 }, { "ymmh", ARCH_IN_YMMH, 0, 16, 2 }, { "r", ARCH_IN_EGPR, 16, 16, 1 },
    { "k", ARCH_IN_OPMASK, 0, 8, 1 }, { "zmmh", ARCH_IN_ZMMH, 0, 16, 4 }, { "zmm", ARCH_IN_H16ZMM, 16, 16, 8 },
};

static struct name register_name(const struct register_row *row, size_t word)
{
    struct name name = { "" };
    const unsigned number = row->first + (unsigned)word / row->words, part = (unsigned)word % row->words;

    if (word >= (size_t)row->count * row->words)
        return name;
    if (row->words == 1)
        format(name.text, sizeof(name.text), "%s%u", row->name, number);
    else if (row->words == 2)
        format(name.text, sizeof(name.text), "%s%u.%s", row->name, number, part ? "high" : "low");
    else
        format(name.text, sizeof(name.text), "%s%u.%u", row->name, number, part);
    return name;
}

static struct name counter_name(const struct pebs_record *record, size_t word)
{
    static const char *const around[4] = { "bitmaps", "with_metrics", "slots", "metrics" };
    struct name name = { "" };
    uint64_t left = record->counted;

    for (; word >= 2 && left != 0; left &= left - 1, word--)
        if (word == 2) {
            *put_counter_name(name.text, (unsigned)__builtin_ctzll(left)) = '\0';
            return name;
        }
    if (word < (record->has & PEBS_HAS_METRICS ? 4u : 2u))
        format(name.text, sizeof(name.text), "%s", around[word]);
    return name;
}

static void put_xmm(const uint8_t *bytes, size_t at)
{
    for (unsigned i = 0; i < 32; i++) {
        const struct name name = register_name(&register_rows[0], i);
        char nothing[1];
        put_word(bytes, (unsigned)at + 8 * i, 8, name.text, nothing, nothing);
    }
}

/* Writes the word of an LBR entry; the word's number is counted from the first entry. */
static void put_lbr_word(const struct pebs_record *record, const uint8_t *bytes, size_t at, size_t word)
{
    static const char *const parts[3] = { "from", "to", "info" };
    const struct lbr_entry *entry = &record->lbr[word / 3];
    char name[24], meaning[MEANING_SIZE], *end = meaning;

    if (word % 3 < 2)
        end = put_symbol(end, ' ', word % 3 ? entry->to : entry->from, text_out_symbols);
    format(name, sizeof(name), "lbr%u.%s", (unsigned)word / 3, parts[word % 3]);
    put_word(bytes, (unsigned)at, 8, name, meaning, end);
}

static void put_lbr(const struct pebs_record *record, const uint8_t *bytes, size_t at)
{
    for (size_t i = 0; i < 3 * (size_t)record->lbr_count; i++)
        put_lbr_word(record, bytes, at + 8 * i, i);
}

/* The counters group of an adaptive record. */
static void put_counters(const struct pebs_record *record, const uint8_t *bytes, size_t at)
{
    struct name name = counter_name(record, 0);
    char nothing[1];

    for (size_t i = 0; name.text[0] != '\0'; i++, name = counter_name(record, i))
        put_word(bytes, (unsigned)(at + 8 * i), 8, name.text, nothing, nothing);
}

/* ---- architectural records: fragments, each with its header ------------------------------------------------------ */

/* The name of a word that no field has. */
static struct name arch_name(const struct pebs_record *record, const struct arch_pebs_fragment *fragment, size_t at)
{
    struct name name = { "" };

    for (unsigned i = 0; i < REGISTER_ROWS && name.text[0] == '\0'; i++) {
        const size_t start = fragment->at[register_rows[i].arch_group];
        if (start != 0 && at >= start)
            name = register_name(&register_rows[i], (at - start) / 8);
    }
    if (fragment->at[ARCH_IN_COUNTERS] != 0 && at >= fragment->at[ARCH_IN_COUNTERS])
        name = counter_name(record, (at - fragment->at[ARCH_IN_COUNTERS]) / 8);
    if (name.text[0] == '\0')
        format(name.text, sizeof(name.text), "reserved");
    return name;
}

static void put_arch_word(const struct pebs_record *record, const uint8_t *bytes, size_t start,
                          const struct arch_pebs_fragment *fragment, size_t at, enum data_source_encoding encoding)
{
    const size_t entries = (size_t)fragment->at[ARCH_IN_LBR] + ARCH_PEBS_LBR_HEADER_BYTES;
    const struct name name = arch_name(record, fragment, at);
    struct word word = { .end = word.meaning };
    size_t place;

    if (fragment->at[ARCH_IN_LBR] != 0 && at >= entries && (at - entries) / PEBS_LBR_BYTES < fragment->lbr_entries) {
        put_lbr_word(record, bytes, start + at, (at - entries) / 8);
        return;
    }
    if (at == 0) {
        word.name = "header";
        word.end = put_decimal_number(put_string(word.end, " fragment of "), fragment->size);
        word.end = put_string(word.end, " bytes");
        if (arch_pebs_continued(fragment->format))
            word.end = put_string(word.end, ", continued");
    }
    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        if (!arch_pebs_place(fragment, field, &place) || place != at)
            continue;
        if (!word.name)
            word.name = field->word ? field->word : field->name;
        if (pebs_has_field(record, field)) /* a retire latency may be invalid */
            add_meaning(&word, record, field, encoding);
    }
    put_word(bytes, (unsigned)(start + at), 8, word.name ? word.name : name.text, word.meaning, word.end);
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

const struct output output_raw = { .name = "raw", .help = "each record's fields and its bytes", .open = open };
