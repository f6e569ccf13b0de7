/* SPDX-License-Identifier: MIT */
/*
 * Every field of every record, by itself: all of its bits are set in a record of zeros, decoded and printed, and
 * exactly its key changes. Places are typed from SDM Vol. 3B (253669-081), "PEBS Record Format" and "Adaptive PEBS";
 * keys and lines from docs/output.md.
 */
#include "tests/host/unit_test.h"

#include "pebs/pebs_decode.h"
#include "kernel/report/record_text.h"

#define LINES_MOST 40u

/* In the order of the text. bits from shift on of the word at an offset; latency: only in forms that tell it. */
struct place {
    const char *key;
    unsigned line, at, shift, bits;
    unsigned group; /* of adaptive records, and at counts from its start */
    enum { NO, RETIRE, CACHE } latency;
};

static const struct place narrow[] = {
    { "eip", 0, 0x04, 0, 32, 0, NO }, { "eax", 1, 0x08, 0, 32, 0, NO }, { "ebx", 1, 0x0c, 0, 32, 0, NO },
    { "ecx", 1, 0x10, 0, 32, 0, NO }, { "edx", 1, 0x14, 0, 32, 0, NO }, { "esi", 2, 0x18, 0, 32, 0, NO },
    { "edi", 2, 0x1c, 0, 32, 0, NO }, { "ebp", 2, 0x20, 0, 32, 0, NO }, { "esp", 2, 0x24, 0, 32, 0, NO },
    { "eflags", 3, 0, 0, 32, 0, NO },
};

static const struct place wide[] = {
    { "ip", 0, 0x08, 0, 64, 0, NO },          { "eventing_ip", 0, 0xb0, 0, 64, 0, NO },
    { "counters", 0, 0x90, 0, 64, 0, NO },    { "tsc", 0, 0xc0, 0, 64, 0, NO },
    { "rax", 1, 0x10, 0, 64, 0, NO },         { "rbx", 1, 0x18, 0, 64, 0, NO },
    { "rcx", 1, 0x20, 0, 64, 0, NO },         { "rdx", 1, 0x28, 0, 64, 0, NO },
    { "rsi", 2, 0x30, 0, 64, 0, NO },         { "rdi", 2, 0x38, 0, 64, 0, NO },
    { "rbp", 2, 0x40, 0, 64, 0, NO },         { "rsp", 2, 0x48, 0, 64, 0, NO },
    { "r8", 3, 0x50, 0, 64, 0, NO },          { "r9", 3, 0x58, 0, 64, 0, NO },
    { "r10", 3, 0x60, 0, 64, 0, NO },         { "r11", 3, 0x68, 0, 64, 0, NO },
    { "r12", 4, 0x70, 0, 64, 0, NO },         { "r13", 4, 0x78, 0, 64, 0, NO },
    { "r14", 4, 0x80, 0, 64, 0, NO },         { "r15", 4, 0x88, 0, 64, 0, NO },
    { "rflags", 5, 0x00, 0, 64, 0, NO },      { "data_address", 6, 0x98, 0, 64, 0, NO },
    { "data_source", 6, 0xa0, 0, 64, 0, NO }, { "latency", 6, 0xa8, 0, 64, 0, NO },
    { "tsx", 7, 0xb8, 0, 64, 0, NO },
};

enum { BASIC = 0, MEMORY = 1, GPRS = 2 }; /* in MSR_PEBS_DATA_CFG */

static const struct place adaptive[] = {
    { "ip", 0, 0x08, 0, 64, GPRS, NO },
    { "eventing_ip", 0, 0x08, 0, 64, BASIC, NO },
    { "counters", 0, 0x10, 0, 64, BASIC, NO },
    { "tsc", 0, 0x18, 0, 64, BASIC, NO },
    { "format_group", 1, 0x00, 0, 32, BASIC, NO },
    { "retire_latency", 1, 0x00, 32, 16, BASIC, RETIRE },
    { "rax", 2, 0x10, 0, 64, GPRS, NO },
    { "rbx", 2, 0x28, 0, 64, GPRS, NO },
    { "rcx", 2, 0x18, 0, 64, GPRS, NO },
    { "rdx", 2, 0x20, 0, 64, GPRS, NO },
    { "rsi", 3, 0x40, 0, 64, GPRS, NO },
    { "rdi", 3, 0x48, 0, 64, GPRS, NO },
    { "rbp", 3, 0x38, 0, 64, GPRS, NO },
    { "rsp", 3, 0x30, 0, 64, GPRS, NO },
    { "r8", 4, 0x50, 0, 64, GPRS, NO },
    { "r9", 4, 0x58, 0, 64, GPRS, NO },
    { "r10", 4, 0x60, 0, 64, GPRS, NO },
    { "r11", 4, 0x68, 0, 64, GPRS, NO },
    { "r12", 5, 0x70, 0, 64, GPRS, NO },
    { "r13", 5, 0x78, 0, 64, GPRS, NO },
    { "r14", 5, 0x80, 0, 64, GPRS, NO },
    { "r15", 5, 0x88, 0, 64, GPRS, NO },
    { "rflags", 6, 0x00, 0, 64, GPRS, NO },
    { "data_address", 7, 0x00, 0, 64, MEMORY, NO },
    { "data_source", 7, 0x08, 0, 64, MEMORY, NO },
    { "latency", 7, 0x10, 0, 32, MEMORY, NO },
    { "cache_latency", 7, 0x10, 32, 16, MEMORY, CACHE },
    { "tsx", 8, 0x18, 0, 64, MEMORY, NO },
    { "tsx_cycles", 8, 0x18, 0, 32, MEMORY, NO },
};

/* ---- what is printed --------------------------------------------------------------------------------------------- */

struct printed {
    char text[LINES_MOST][LINE_SIZE];
    unsigned count;
};

static void keep(void *context, const char *text)
{
    struct printed *printed = context;

    assert_true(printed->count < LINES_MOST);
    snprintf(printed->text[printed->count++], LINE_SIZE, "%s", text);
}

struct key {
    char name[32];
    unsigned line;
    uint64_t value;
};

/* All words that are followed by a number, without "pebs 0". */
static unsigned find_keys(const struct printed *printed, struct key keys[LINES_MOST])
{
    unsigned count = 0;

    for (unsigned i = 0; i < printed->count; i++) {
        char text[LINE_SIZE], *last = NULL;
        snprintf(text, sizeof(text), "%s", printed->text[i]);
        assert_memory_equal(text, "pebs 0 ", 7);
        for (char *word = strtok(text + 7, " "); word; word = strtok(NULL, " ")) {
            if (last && word[0] >= '0' && word[0] <= '9') {
                assert_true(count < LINES_MOST);
                snprintf(keys[count].name, sizeof(keys[count].name), "%s", last);
                keys[count].line = i;
                keys[count++].value = strtoull(word, NULL, 0);
            }
            last = word;
        }
    }
    return count;
}

static unsigned print(const struct pebs_form *form, const uint8_t *bytes, size_t size, struct key keys[LINES_MOST])
{
    struct printed printed = { .count = 0 };
    const struct line_sink out = { keep, &printed };
    struct pebs_record record;

    assert_int_equal(pebs_decode(form, bytes, size, &record), PEBS_DECODE_OK);
    assert_int_equal(record.size, size);
    pebs_text(&out, 0, &record, DATA_SOURCE_UNKNOWN, NULL);
    return find_keys(&printed, keys);
}

static uint64_t all_bits(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

static void set_bits(uint8_t *bytes, const struct place *place)
{
    for (unsigned i = place->shift; i < place->shift + place->bits; i++)
        bytes[i / 8] |= (uint8_t)(1u << i % 8);
}

/* ---- records of fixed size --------------------------------------------------------------------------------------- */

static void check_fixed(const struct pebs_form *form, size_t size, const struct place *places, size_t count)
{
    for (size_t set = 0; set < count; set++) {
        uint8_t bytes[200] = { 0 };
        struct key keys[LINES_MOST];
        unsigned at = 0, line = 0, last = 0;
        set_bits(bytes + places[set].at, &places[set]);
        unsigned printed = print(form, bytes, size, keys);
        for (size_t i = 0; i < count; i++) {
            if (places[i].at >= size)
                continue;
            assert_true(at < printed);
            assert_string_equal(keys[at].name, places[i].key);
            assert_int_equal(keys[at].value, i == set ? all_bits(places[i].bits) : 0);
            line = at == 0 || places[i].line == last ? line : line + 1;
            last = places[i].line;
            assert_int_equal(keys[at++].line, line);
        }
        assert_int_equal(printed, at);
    }
}

UNIT_TEST(every_field_of_fixed_records)
{
    static const size_t sizes[] = { 144, 176, 192, 200 };
    const struct pebs_form form = { .width = 4 };

    check_fixed(&form, 40, narrow, COUNT_OF(narrow));
    for (unsigned format = 0; format < COUNT_OF(sizes); format++)
        check_fixed(&(struct pebs_form){ .width = 8, .format = format }, sizes[format], wide, COUNT_OF(wide));
}

/* ---- adaptive records -------------------------------------------------------------------------------------------- */

static bool is(const struct place *place, const char *key)
{
    return strcmp(place->key, key) == 0;
}

/* A field's value in a record with all bits of another field, or its own, set: fields of one word may overlap. */
static uint64_t shown(const struct place *place, const struct place *set)
{
    if (place->group != set->group || place->at != set->at)
        return 0;
    return all_bits(set->bits) << set->shift >> place->shift & all_bits(place->bits);
}

static void check_adaptive(const struct pebs_form *form, unsigned groups)
{
    const unsigned memory = groups & MEMORY ? 32 : 0, gprs = groups & GPRS ? 144 : 0;
    const unsigned starts[] = { [BASIC] = 0, [MEMORY] = 32, [GPRS] = 32 + memory };
    const unsigned size = 32 + memory + gprs;

    for (size_t set = 0; set < COUNT_OF(adaptive); set++) {
        const struct place *it = &adaptive[set];
        if (is(it, "format_group")) /* the list of the record's groups: part of each group */
            continue;
        uint8_t bytes[32 + 32 + 144] = { (uint8_t)groups, [6] = (uint8_t)size };
        struct key keys[LINES_MOST];
        unsigned at = 0, line = 0, last = 0;
        if ((it->group & groups) == it->group)
            set_bits(bytes + starts[it->group] + it->at, it);
        unsigned printed = print(form, bytes, size, keys);
        for (size_t i = 0; i < COUNT_OF(adaptive); i++) {
            const struct place *p = &adaptive[i];
            if ((p->group & groups) != p->group || (p->latency == RETIRE && !form->retire_latency) ||
                (p->latency == CACHE && !form->cache_latency))
                continue;
            /* The instruction's latency has fewer bits if there is a cache latency too. */
            uint64_t value = shown(p, it) & (form->cache_latency && is(p, "latency") ? 0xffff : UINT64_MAX);
            assert_true(at < printed);
            assert_string_equal(keys[at].name, p->key);
            assert_int_equal(keys[at].value, is(p, "format_group") ? groups : value);
            line = at == 0 || p->line == last ? line : line + 1;
            last = p->line;
            assert_int_equal(keys[at++].line, line);
        }
        assert_int_equal(printed, at);
    }
}

UNIT_TEST(every_field_of_adaptive_records)
{
    const struct pebs_form forms[] = {
        { .width = 8, .format = 4, .adaptive = true },
        { .width = 8, .format = 4, .adaptive = true, .retire_latency = true },
        { .width = 8, .format = 4, .adaptive = true, .cache_latency = true },
        { .width = 8, .format = 4, .adaptive = true, .retire_latency = true, .cache_latency = true }
    };

    for (unsigned groups = 0; groups < 4; groups++)
        for (size_t i = 0; i < COUNT_OF(forms); i++)
            check_adaptive(&forms[i], groups);
}

/* ---- what the table says of itself ------------------------------------------------------------------------------- */

/* Columns are numbered from 1 without gaps; names and perf's registers are unique. */
UNIT_TEST(rows_do_not_collide)
{
    uint64_t columns = 0, registers = 0;

    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        assert_true(field->column < 64 && field->has != 0);
        assert_false(field->column != 0 && columns >> field->column & 1);
        columns |= field->column != 0 ? UINT64_C(1) << field->column : 0;
        if (field->perf != PEBS_FIELD_NONE) {
            assert_true(field->perf < 32 && !(registers >> field->perf & 1));
            registers |= UINT64_C(1) << field->perf;
        }
        for (const struct pebs_field *other = pebs_fields; other != field; other++)
            assert_true(strcmp(other->name, field->name) != 0 && other->member != field->member);
    }
    assert_int_equal(columns & (columns + 2), 0);
    assert_int_equal(registers, 0xff03ff);
}
