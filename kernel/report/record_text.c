/* SPDX-License-Identifier: MIT */
#include "kernel/report/record_text.h"

#include "lib/put.h"

#define SYMBOL_NAME_MAX 64u /* characters of a symbol's name that are printed */

static char *put_key(char *at, const char *key)
{
    *at++ = ' ';
    at = put_string(at, key);
    *at++ = ' ';
    return at;
}

static char *put_hex_key(char *at, const char *key, uint64_t value)
{
    return put_address(put_key(at, key), value, 1);
}

static char *put_decimal_key(char *at, const char *key, uint64_t value)
{
    return put_decimal_number(put_key(at, key), value);
}

char *put_symbol(char *at, char before, uint64_t address, const struct symbolizer *symbols)
{
    const char *name;
    uint64_t offset;

    if (!symbols || !symbols->find(symbols->context, address, &name, &offset))
        return at;
    *at++ = before;
    for (unsigned i = 0; i < SYMBOL_NAME_MAX && name[i] != '\0'; i++)
        *at++ = name[i];
    *at++ = '+';
    return put_address(at, offset, 1);
}

static void end_line(const struct line_sink *out, char *line, char *at)
{
    *at = '\0';
    out->line(out->context, line);
}

void bts_text(const struct line_sink *out, uint64_t n, const struct bts_record *record,
              const struct symbolizer *symbols)
{
    char line[LINE_SIZE];
    unsigned digits = 2 * record->width;
    char *at = put_decimal_number(put_string(line, "bts "), n);

    *at++ = ' ';
    at = put_symbol(put_address(at, record->from, digits), ' ', record->from, symbols);
    at = put_string(at, " => ");
    at = put_symbol(put_address(at, record->to, digits), ' ', record->to, symbols);
    if (record->prediction_valid)
        at = put_string(at, record->predicted ? " predicted" : " mispredicted");
    end_line(out, line, at);
}

static const char *branch_type(const struct lbr_entry *entry)
{
    static const char *const words[] = { "/JCC", "/IND_JMP", "/JMP", "/IND_CALL", "/CALL", "/RET" };

    if (!(entry->has & LBR_HAS_TYPE))
        return "";
    return entry->type < sizeof(words) / sizeof(words[0]) ? words[entry->type] : "/other";
}

/* The number of events of each counter that the entry counts, lowest counter first, one digit each. */
static char *put_events(char *at, const struct lbr_entry *entry)
{
    if (!(entry->has & LBR_HAS_EVENTS))
        return at;
    *at++ = '/';
    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        *at++ = (char)('0' + entry->events[i]);
    return at;
}

/* Prints a branch's fields and symbols. If only one symbol is missing, "-" keeps its place. */
static char *put_branch(char *at, const struct lbr_entry *entry, const struct symbolizer *symbols)
{
    const bool tsx = (entry->has & LBR_HAS_TSX) != 0;
    char *fields, *from, *to;

    at = put_address(at, entry->from, 1);
    *at++ = '/';
    at = put_address(at, entry->to, 1);
    *at++ = '/';
    *at++ = !(entry->has & LBR_HAS_MISPRED) ? '-' : entry->mispredicted ? 'M' : 'P';
    *at++ = '/';
    *at++ = tsx && entry->in_tsx ? 'X' : '-';
    *at++ = '/';
    *at++ = tsx && entry->tsx_abort ? 'A' : '-';
    *at++ = '/';
    at = put_string(put_decimal_number(at, entry->cycles), branch_type(entry));
    at = put_events(at, entry);
    fields = at;
    from = put_symbol(fields, ' ', entry->from, symbols);
    if (from == fields)
        from = put_string(fields, " -");
    to = put_symbol(from, '/', entry->to, symbols);
    if (to != from)
        return to;
    return from == fields + 2 ? fields : put_string(from, "/-");
}

void lbr_text(const struct line_sink *out, unsigned n, const struct lbr_entry *entry, const struct symbolizer *symbols)
{
    char line[LINE_SIZE];
    char *at = put_decimal_number(put_string(line, "lbr "), n);

    *at++ = ' ';
    end_line(out, line, put_branch(at, entry, symbols));
}

void lbr_head_text(const struct line_sink *out, bool shifts, uint64_t tos, unsigned depth)
{
    if (shifts)
        say(out, "lbr stack depth %u", depth);
    else
        say(out, "lbr stack tos %llu depth %u", (unsigned long long)tos, depth);
}

void lbr_stack_text(const struct line_sink *out, bool shifts, uint64_t tos, unsigned depth,
                    const struct lbr_entry *entries, const struct symbolizer *symbols)
{
    lbr_head_text(out, shifts, tos, depth);
    for (unsigned age = 0; age < depth; age++)
        if (lbr_is_used(&entries[age]))
            lbr_text(out, age, &entries[age], symbols);
}

char *put_data_source(char *at, const struct pebs_record *record, enum data_source_encoding encoding)
{
    const bool known = pebs_source_known(record, encoding);
    const struct data_source_words words =
        data_source_words(known ? encoding : DATA_SOURCE_UNKNOWN, record->data_source);

    at = put_string(put_string(at, " |LVL "), words.level);
    at = put_string(put_string(at, "|SNP "), words.snoop);
    at = put_string(put_string(at, "|TLB "), words.tlb);
    at = put_string(put_string(put_string(at, "|LCK "), words.lock), "|");
    return words.blocked ? put_string(put_string(put_string(at, "BLK "), words.blocked), "|") : at;
}

static char *put_field(char *at, const struct pebs_record *record, const struct pebs_field *field,
                       enum data_source_encoding encoding, const struct symbolizer *symbols)
{
    const char *name = record->width == 4 ? field->name_32 : field->name;
    const uint64_t value = pebs_value(record, field);

    if (field->print == PEBS_PRINT_DECIMAL)
        return put_decimal_key(at, name, value);
    at = put_hex_key(at, name, value);
    if (field->print == PEBS_PRINT_PLACE)
        return put_symbol(at, ' ', value, symbols);
    return field->print == PEBS_PRINT_SOURCE ? put_data_source(at, record, encoding) : at;
}

static char *put_xmm(char *at, unsigned i, const struct pebs_record *record)
{
    at = put_decimal_number(put_string(at, " xmm"), i);
    *at++ = ' ';
    return put_digits(put_address(at, record->xmm[i].high, 16), record->xmm[i].low, 16);
}

/* A register of several words, the highest first. */
static char *put_wide(char *at, const char *name, unsigned i, const uint64_t *words, unsigned count)
{
    at = put_decimal_number(put_string(at, name), i);
    *at++ = ' ';
    at = put_address(at, words[count - 1], 16);
    for (unsigned word = count - 1; word > 0; word--)
        at = put_digits(at, words[word - 1], 16);
    return at;
}

/* Registers in a row, as many on a line as there are in one. */
static void put_registers(const struct line_sink *out, char *line, char *start, const char *name, unsigned first,
                          const uint64_t *words, unsigned count, unsigned width)
{
    const unsigned in_line = width < 4 ? 4 / width : 1;

    for (unsigned i = 0; i < count; i += in_line) {
        char *at = start;
        for (unsigned k = i; k < i + in_line; k++)
            at = put_wide(at, name, first + k, words + (size_t)width * k, width);
        end_line(out, line, at);
    }
}

char *put_counter_name(char *at, unsigned bit)
{
    return put_decimal_number(put_string(at, bit < 32 ? "count" : "fixed_count"), bit % 32);
}

/* The counts of the counters group, four on a line. */
static void put_counts(const struct line_sink *out, char *line, char *start, const struct pebs_record *record)
{
    char *at = start;
    unsigned n = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(record->counted >> bit & 1))
            continue;
        *at++ = ' ';
        at = put_counter_name(at, bit);
        *at++ = ' ';
        at = put_address(at, record->counts[n], 1);
        if (++n % 4 == 0) {
            end_line(out, line, at);
            at = start;
        }
    }
    if (at != start)
        end_line(out, line, at);
}

void pebs_text(const struct line_sink *out, uint64_t n, const struct pebs_record *record,
               enum data_source_encoding encoding, const struct symbolizer *symbols)
{
    char line[LINE_SIZE], *const start = put_decimal_number(put_string(line, "pebs "), n), *at = start;
    unsigned number = 1; /* the line's number */

    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        if (field->line == 0 || !pebs_has_field(record, field))
            continue;
        if (field->line != number) {
            end_line(out, line, at);
            number = field->line;
            at = start;
        }
        at = put_field(at, record, field, encoding, symbols);
    }
    end_line(out, line, at);
    for (unsigned i = 0; i < 16 && record->has & PEBS_HAS_XMM; i += 2)
        end_line(out, line, put_xmm(put_xmm(start, i, record), i + 1, record));
    if (record->has & PEBS_HAS_YMMH)
        put_registers(out, line, start, " ymmh", 0, record->ymmh[0], 16, 2);
    if (record->has & PEBS_HAS_EGPR)
        put_registers(out, line, start, " r", 16, record->egpr, 16, 1);
    if (record->has & PEBS_HAS_OPMASK)
        put_registers(out, line, start, " k", 0, record->opmask, 8, 1);
    if (record->has & PEBS_HAS_ZMMH)
        put_registers(out, line, start, " zmmh", 0, record->zmmh[0], 16, 4);
    if (record->has & PEBS_HAS_H16ZMM)
        put_registers(out, line, start, " zmm", 16, record->h16zmm[0], 16, 8);
    if (record->has & PEBS_HAS_COUNTS)
        put_counts(out, line, start, record);
    for (unsigned i = 0; i < record->lbr_count; i++) {
        at = put_decimal_key(start, "lbr", i);
        *at++ = ' ';
        end_line(out, line, put_branch(at, &record->lbr[i], symbols));
    }
}
