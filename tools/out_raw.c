/* SPDX-License-Identifier: MIT */
/* Each record as it lay in memory, a field a line: its offset, its bytes, its name, its value and what that means. */
#include <string.h>

#include "base/bytes.h"
#include "base/format.h"
#include "report/record_text.h"
#include "tools/output.h"
#include "tools/symbols.h"
#include "tools/text_out.h"

#define MEANING_SIZE 160u

static struct symbolizer names;
static const struct symbolizer *symbols; /* NULL: not given */

/* " sym+0x4", or nothing. */
static void symbol_meaning(char meaning[MEANING_SIZE], uint64_t address)
{
    const char *name;
    uint64_t offset;

    if (symbols && symbols->find(symbols->context, address, &name, &offset))
        format(meaning, MEANING_SIZE, " %.64s+0x%llx", name, (unsigned long long)offset);
}

static void field(const uint8_t *bytes, unsigned offset, unsigned width, const char *name, const char *meaning)
{
    char hex[3 * 8 + 1];

    for (unsigned i = 0; i < width; i++)
        format(hex + 3 * i, 4, "%02x ", bytes[offset + i]);
    say(&text_out_notes, "  +%03x  %-24s %-13s 0x%0*llx%s", offset, hex, name, 2 * (int)width,
        (unsigned long long)(width == 4 ? read_u32(bytes, offset) : read_u64(bytes, offset)), meaning);
}

static void test(void *context, const char *id)
{
    (void)context;
    say(&text_out_notes, "test %s", id);
}

static void bts(void *context, unsigned cpu, uint64_t n, const struct bts_record *record)
{
    static const char *const fields[3] = { "from", "to", "flags" };
    const uint64_t values[3] = { record->from, record->to, record->flags };

    (void)context;
    say(&text_out_notes, "bts %llu cpu %u, %u bytes", (unsigned long long)n, cpu, 3 * record->width);
    for (unsigned i = 0; i < 3; i++) {
        uint8_t bytes[24];
        char meaning[MEANING_SIZE] = "";
        if (i < 2)
            symbol_meaning(meaning, values[i]);
        else if (record->prediction_valid)
            format(meaning, sizeof(meaning), record->predicted ? " predicted" : " mispredicted");
        if (record->width == 4)
            write_u32(bytes, 4 * i, (uint32_t)values[i]);
        else
            write_u64(bytes, 8 * i, values[i]);
        field(bytes, record->width * i, record->width, fields[i], meaning);
    }
}

static const char *const fixed_32[] = { "eflags", "eip", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp" };

static const char *const fixed_64[] = { "rflags",      "rip",     "rax",         "rbx",      "rcx",
                                        "rdx",         "rsi",     "rdi",         "rbp",      "rsp",
                                        "r8",          "r9",      "r10",         "r11",      "r12",
                                        "r13",         "r14",     "r15",         "counters", "data_address",
                                        "data_source", "latency", "eventing_ip", "tsx",      "tsc" };

static const char *const basic[] = { "format", "eventing_ip", "counters", "tsc" };

static const char *const memory[] = { "data_address", "data_source", "latency", "tsx" };

static const char *const gprs[] = { "rflags", "rip", "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi",
                                    "rdi",    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

#define COUNT_OF(array) (unsigned)(sizeof(array) / sizeof((array)[0]))

/* One record on its way out. */
struct sample {
    const struct pebs_record *record;
    const uint8_t *bytes;
    enum data_source_encoding encoding;
    unsigned offset;
};

static void sample_field(struct sample *s, const char *name)
{
    const struct pebs_record *r = s->record;
    char meaning[MEANING_SIZE] = "";

    if (strcmp(name, "eip") == 0 || strcmp(name, "rip") == 0)
        symbol_meaning(meaning, r->ip);
    else if (strcmp(name, "eventing_ip") == 0)
        symbol_meaning(meaning, r->eventing_ip);
    else if (strcmp(name, "data_address") == 0)
        symbol_meaning(meaning, r->data_address);
    else if (strcmp(name, "latency") == 0 && r->has & PEBS_HAS_CACHE_LATENCY)
        format(meaning, sizeof(meaning), " %llu cycles, the cache's %u", (unsigned long long)r->latency,
               r->cache_latency);
    else if (strcmp(name, "latency") == 0)
        format(meaning, sizeof(meaning), " %llu cycles", (unsigned long long)r->latency);
    else if (strcmp(name, "format") == 0)
        format(meaning, sizeof(meaning), " groups 0x%lx, retire latency %u, %u bytes", (unsigned long)r->format_group,
               r->retire_latency, r->size);
    else if (strcmp(name, "data_source") == 0) {
        bool known = r->latency != 0 || s->encoding == DATA_SOURCE_STORE;
        struct data_source_words words = data_source_words(known ? s->encoding : DATA_SOURCE_UNKNOWN, r->data_source);
        format(meaning, sizeof(meaning), " |LVL %s|SNP %s|TLB %s|LCK %s|", words.level, words.snoop, words.tlb,
               words.lock);
    }
    field(s->bytes, s->offset, r->width, name, meaning);
    s->offset += r->width;
}

static void sample_fields(struct sample *s, const char *const *list, unsigned count)
{
    for (unsigned i = 0; i < count && s->offset < s->record->size; i++)
        sample_field(s, list[i]);
}

static void sample_xmm(struct sample *s)
{
    for (unsigned i = 0; i < 32; i++) {
        char name[16];
        format(name, sizeof(name), "xmm%u.%s", i / 2, i % 2 ? "high" : "low");
        sample_field(s, name);
    }
}

static void sample_lbr(struct sample *s)
{
    static const char *const parts[3] = { "from", "to", "info" };

    for (unsigned i = 0; i < 3 * s->record->lbr_count; i++) {
        char name[16], meaning[MEANING_SIZE] = "";
        const struct lbr_entry *entry = &s->record->lbr[i / 3];
        if (i % 3 < 2)
            symbol_meaning(meaning, i % 3 ? entry->to : entry->from);
        format(name, sizeof(name), "lbr%u.%s", i / 3, parts[i % 3]);
        field(s->bytes, s->offset, 8, name, meaning);
        s->offset += 8;
    }
}

static void pebs(void *context, unsigned cpu, uint64_t n, const struct pebs_record *record, const uint8_t *bytes,
                 enum data_source_encoding encoding)
{
    struct sample s = { record, bytes, encoding, 0 };

    (void)context;
    say(&text_out_notes, "pebs %llu cpu %u, format %u, %u bytes", (unsigned long long)n, cpu, record->format,
        record->size);
    if (!(record->has & PEBS_HAS_FORMAT_GROUP)) {
        if (record->width == 4)
            sample_fields(&s, fixed_32, COUNT_OF(fixed_32));
        else
            sample_fields(&s, fixed_64, COUNT_OF(fixed_64));
        return;
    }
    sample_fields(&s, basic, COUNT_OF(basic));
    if (record->has & PEBS_HAS_MEMORY)
        sample_fields(&s, memory, COUNT_OF(memory));
    if (record->has & PEBS_HAS_GPRS)
        sample_fields(&s, gprs, COUNT_OF(gprs));
    if (record->has & PEBS_HAS_XMM)
        sample_xmm(&s);
    if (record->has & PEBS_HAS_LBR)
        sample_lbr(&s);
}

/* The registers of an entry, and its line. */
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
        lbr_text(&text_out_notes, i, &stack->entries[i], symbols);
    }
}

static bool end(void *context)
{
    (void)context;
    return text_out_end();
}

static bool open(const struct output_setup *setup, struct event_sink *sink)
{
    if (setup->symbols)
        names = symbols_symbolizer(setup->symbols);
    symbols = setup->symbols ? &names : NULL;
    *sink = (struct event_sink){ .test = test, .bts = bts, .pebs = pebs, .lbr = lbr, .end = end };
    return true;
}

const struct output output_raw = { "raw", NULL, "each record's fields beside its bytes", open };
