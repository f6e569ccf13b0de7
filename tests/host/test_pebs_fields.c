/* SPDX-License-Identifier: MIT */
/*
 * Sets all bits of one field in a record of zeros, decodes and prints it: exactly the field's key must change. For
 * every field of every record. Places are typed from SDM Vol. 3B (253669-081), "PEBS Record Format" and "Adaptive
 * PEBS", and from Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11
 * "Architectural PEBS", by way of the structures of Linux, commit 52448a0a7390; keys and lines from docs/output.md.
 */
#include "tests/host/unit_test.h"

#include "pebs/pebs_decode.h"
#include "kernel/report/record_text.h"
#include "tests/host/lines.h"

#define KEYS_MOST 40u

/* In the order of the text: `bits` from `shift` on of the word at an offset; latency: only in formats that have it. */
struct place {
    const char *key;
    unsigned line, at, shift, bits;
    unsigned group; /* adaptive and architectural records: the group; `at` is relative to its start */
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

/* The group of general registers, which both have. */
#define REGISTER(name, line, offset)        \
    {                                       \
        name, line, offset, 0, 64, GPRS, NO \
    }
#define GENERAL_REGISTERS_64                                                                                    \
    REGISTER("rax", 2, 0x10), REGISTER("rbx", 2, 0x28), REGISTER("rcx", 2, 0x18), REGISTER("rdx", 2, 0x20),     \
        REGISTER("rsi", 3, 0x40), REGISTER("rdi", 3, 0x48), REGISTER("rbp", 3, 0x38), REGISTER("rsp", 3, 0x30), \
        REGISTER("r8", 4, 0x50), REGISTER("r9", 4, 0x58), REGISTER("r10", 4, 0x60), REGISTER("r11", 4, 0x68),   \
        REGISTER("r12", 5, 0x70), REGISTER("r13", 5, 0x78), REGISTER("r14", 5, 0x80), REGISTER("r15", 5, 0x88), \
        REGISTER("rflags", 6, 0x00)

static const struct place adaptive[] = {
    { "ip", 0, 0x08, 0, 64, GPRS, NO },
    { "eventing_ip", 0, 0x08, 0, 64, BASIC, NO },
    { "counters", 0, 0x10, 0, 64, BASIC, NO },
    { "tsc", 0, 0x18, 0, 64, BASIC, NO },
    { "format_group", 1, 0x00, 0, 32, BASIC, NO },
    { "retire_latency", 1, 0x00, 32, 16, BASIC, RETIRE },
    GENERAL_REGISTERS_64,
    { "data_address", 7, 0x00, 0, 64, MEMORY, NO },
    { "data_source", 7, 0x08, 0, 64, MEMORY, NO },
    { "latency", 7, 0x10, 0, 32, MEMORY, NO },
    { "cache_latency", 7, 0x10, 32, 16, MEMORY, CACHE },
    { "tsx", 8, 0x18, 0, 64, MEMORY, NO },
    { "tsx_cycles", 8, 0x18, 0, 32, MEMORY, NO },
};

/* Each record has format_group, fragments and mode_64 in its header. */
static const struct place arch[] = {
    { "ip", 0, 0x08, 0, 64, GPRS, NO },
    { "eventing_ip", 0, 0x00, 0, 64, BASIC, NO },
    { "counters", 0, 0x08, 0, 64, BASIC, NO },
    { "tsc", 0, 0x10, 0, 64, BASIC, NO },
    { "format_group", 1, 0x00, 0, 64, BASIC, NO },
    { "retire_latency", 1, 0x18, 0, 16, BASIC, NO },
    { "fragments", 1, 0x00, 0, 64, BASIC, NO },
    { "mode_64", 1, 0x00, 0, 1, BASIC, NO },
    GENERAL_REGISTERS_64,
    { "ssp", 6, 0x90, 0, 64, GPRS, NO },
    { "data_address", 7, 0x00, 0, 64, MEMORY, NO },
    { "data_source", 7, 0x28, 0, 64, MEMORY, NO },
    { "latency", 7, 0x30, 0, 16, MEMORY, NO },
    { "cache_latency", 7, 0x30, 32, 16, MEMORY, NO },
    { "tsx", 8, 0x38, 0, 64, MEMORY, NO },
    { "tsx_cycles", 8, 0x38, 0, 32, MEMORY, NO },
};

struct key {
    char name[32];
    unsigned line;
    uint64_t value;
};

/* Decodes a record and prints it. The keys are all words followed by a number, except "pebs 0"; returns how many. */
static unsigned print(const struct pebs_form *form, const uint8_t *bytes, size_t size, struct key keys[KEYS_MOST])
{
    struct pebs_record record;
    unsigned count = 0, line = 0;

    assert_int_equal(pebs_decode(form, bytes, size, &record), PEBS_DECODE_OK);
    assert_int_equal(record.size, size);
    forget_lines();
    pebs_text(&into_lines, 0, &record, DATA_SOURCE_UNKNOWN, NULL);
    for (char *at = lines, *next; *at; at = next, line++) {
        char *last = NULL;
        next = strchr(at, '\n') + 1;
        next[-1] = '\0';
        assert_memory_equal(at, "pebs 0 ", 7);
        for (char *word = strtok(at + 7, " "); word; word = strtok(NULL, " ")) {
            if (last && word[0] >= '0' && word[0] <= '9') {
                assert_true(count < KEYS_MOST);
                snprintf(keys[count].name, sizeof(keys[count].name), "%s", last);
                keys[count].line = line;
                keys[count++].value = strtoull(word, NULL, 0);
            }
            last = word;
        }
    }
    return count;
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

static void check_fixed(const struct pebs_form *form, size_t size, const struct place *places, size_t count)
{
    for (size_t set = 0; set < count; set++) {
        uint8_t bytes[200] = { 0 };
        struct key keys[KEYS_MOST];
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

static bool is(const struct place *place, const char *key)
{
    return strcmp(place->key, key) == 0;
}

/* A field's value in a record with all bits of a field set. Fields of one word may overlap. */
static uint64_t shown(const struct place *place, const struct place *set)
{
    if (place->group != set->group || place->at != set->at)
        return 0;
    return all_bits(set->bits) << set->shift >> place->shift & all_bits(place->bits);
}

/* The groups' offsets in a record that has `groups`. */
struct layout {
    const struct place *places;
    size_t count, starts[3], size;
    uint64_t header, format_group;
};

static struct layout layout_of(const struct pebs_form *form, unsigned groups)
{
    struct layout it = { adaptive, COUNT_OF(adaptive), .format_group = groups };
    size_t basic = 32, memory = 32, gprs = 144;

    if (form->format == 15) {
        it = (struct layout){ arch, COUNT_OF(arch), .starts[BASIC] = 16 };
        basic = 48, memory = 64, gprs = 160;
        it.format_group = UINT64_C(1) << 63 | (uint64_t)(groups & MEMORY) << 62 | (uint64_t)(groups & GPRS) << 60;
    }
    it.starts[MEMORY] = it.starts[BASIC] + basic;
    it.starts[GPRS] = it.starts[MEMORY] + (groups & MEMORY ? memory : 0);
    it.size = it.starts[GPRS] + (groups & GPRS ? gprs : 0);
    it.header = it.format_group | (uint64_t)it.size << (form->format == 15 ? 0 : 48);
    return it;
}

/* The expected value of a field if all bits of another, or of the same, field are set. */
static uint64_t expected(const struct pebs_form *form, const struct layout *layout, const struct place *place,
                         const struct place *set)
{
    if (is(place, "format_group"))
        return layout->format_group;
    if (is(place, "fragments") || is(place, "mode_64"))
        return is(place, "fragments");
    /* The instruction latency has fewer bits if the record also has a cache latency. */
    return shown(place, set) & (form->cache_latency && is(place, "latency") ? 0xffff : UINT64_MAX);
}

static void check_groups(const struct pebs_form *form, unsigned groups)
{
    const struct layout layout = layout_of(form, groups);

    for (size_t set = 0; set < layout.count; set++) {
        const struct place *it = &layout.places[set];
        if (is(it, "format_group") || is(it, "fragments") || is(it, "mode_64")) /* in the header */
            continue;
        uint8_t bytes[16 + 48 + 64 + 160] = { 0 };
        struct key keys[KEYS_MOST];
        unsigned at = 0, line = 0, last = 0;
        memcpy(bytes, &layout.header, sizeof layout.header);
        if (form->format == 15) { /* the retire latency is valid; reserved bits of the latencies' words are set */
            memset(bytes + 16 + 0x1a, 0xff, 6);
            for (unsigned i = 0; groups & MEMORY && i < 4; i++)
                bytes[layout.starts[MEMORY] + 0x30 + (i < 2 ? 2 + i : 4 + i)] = 0xff;
        }
        if ((it->group & groups) == it->group)
            set_bits(bytes + layout.starts[it->group] + it->at, it);
        unsigned printed = print(form, bytes, layout.size, keys);
        for (size_t i = 0; i < layout.count; i++) {
            const struct place *p = &layout.places[i];
            if ((p->group & groups) != p->group || (p->latency == RETIRE && !form->retire_latency) ||
                (p->latency == CACHE && !form->cache_latency))
                continue;
            assert_true(at < printed);
            assert_string_equal(keys[at].name, p->key);
            assert_int_equal(keys[at].value, expected(form, &layout, p, it));
            line = at == 0 || p->line == last ? line : line + 1;
            last = p->line;
            assert_int_equal(keys[at++].line, line);
        }
        assert_int_equal(printed, at);
    }
}

UNIT_TEST(every_field_of_groups)
{
    const struct pebs_form forms[] = {
        { .width = 8, .format = 4, .adaptive = true },
        { .width = 8, .format = 4, .adaptive = true, .retire_latency = true },
        { .width = 8, .format = 4, .adaptive = true, .cache_latency = true },
        { .width = 8, .format = 4, .adaptive = true, .retire_latency = true, .cache_latency = true },
        { .width = 8, .format = 15, .lbr_format = 0x3f },
    };

    for (unsigned groups = 0; groups < 4; groups++)
        for (size_t i = 0; i < COUNT_OF(forms); i++)
            check_groups(&forms[i], groups);
}

/* Columns have the numbers from 1 on without gaps; names and perf's registers are unique. */
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
