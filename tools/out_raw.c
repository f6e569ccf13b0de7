/* SPDX-License-Identifier: MIT */
/* --raw: each record as it was in memory, one word on a line: offset, bytes, name, value and meaning. */
#include "base/bytes.h"
#include "base/format.h"
#include "base/put.h"
#include "report/record_text.h"
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

/* Writes the words of fields, in order. */
static void put_fields(const struct pebs_record *record, const uint8_t *bytes, enum data_source_encoding encoding)
{
    struct word words[WORDS_MOST];
    size_t count = 0;

    for (unsigned i = 0; i < WORDS_MOST; i++)
        words[i] = (struct word){ .end = words[i].meaning };
    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        if (!pebs_has_field(record, field))
            continue;
        size_t i = place_of(record, field) / record->width;
        if (!words[i].name)
            words[i].name = record->width == 4 ? field->name_32 : field->word ? field->word : field->name;
        add_meaning(&words[i], record, field, encoding);
        count = i >= count ? i + 1 : count;
    }
    for (unsigned i = 0; i < count; i++)
        put_word(bytes, record->width * i, record->width, words[i].name, words[i].meaning, words[i].end);
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

static void pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding)
{
    (void)context;
    say(&text_out_notes, "pebs %llu cpu %u, format %u, %u bytes", (unsigned long long)n, cpu, record->format,
        (unsigned)record->size);
    put_fields(record, bytes, encoding);
    if (record->has & PEBS_HAS_XMM)
        put_xmm(bytes, pebs_group_at(record->format_group, PEBS_IN_XMM));
    if (record->has & PEBS_HAS_LBR)
        put_lbr(record, bytes, pebs_group_at(record->format_group, PEBS_IN_LBR));
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
