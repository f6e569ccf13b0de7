/* SPDX-License-Identifier: MIT */
#include "report/record_text.h"

#include "base/put.h"

#define SYMBOL_NAME_MAX 64u /* characters of a symbol that are printed */

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

/* "sym+0x4" behind this character; nothing where no symbol covers the address. */
static char *put_symbol(char *at, char before, uint64_t address, const struct symbolizer *symbols)
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

/* An address and its symbol. */
static char *put_place(char *at, const char *key, uint64_t address, const struct symbolizer *symbols)
{
    return put_symbol(put_hex_key(at, key, address), ' ', address, symbols);
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

/* The fields of a branch and its symbols: "-" keeps the place of one that is missing while the other is not. */
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

void lbr_stack_text(const struct line_sink *out, bool shifts, uint64_t tos, unsigned depth,
                    const struct lbr_entry *entries, const struct symbolizer *symbols)
{
    if (shifts)
        say(out, "lbr stack depth %u", depth);
    else
        say(out, "lbr stack tos %llu depth %u", (unsigned long long)tos, depth);
    for (unsigned age = 0; age < depth; age++)
        if (entries[age].from || entries[age].to)
            lbr_text(out, age, &entries[age], symbols);
}

struct register_line {
    const char *name[4];
    unsigned gpr[4];
};

static const struct register_line register_lines_32[] = {
    { { "eax", "ebx", "ecx", "edx" }, { PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX } },
    { { "esi", "edi", "ebp", "esp" }, { PEBS_RSI, PEBS_RDI, PEBS_RBP, PEBS_RSP } },
};

static const struct register_line register_lines_64[] = {
    { { "rax", "rbx", "rcx", "rdx" }, { PEBS_RAX, PEBS_RBX, PEBS_RCX, PEBS_RDX } },
    { { "rsi", "rdi", "rbp", "rsp" }, { PEBS_RSI, PEBS_RDI, PEBS_RBP, PEBS_RSP } },
    { { "r8", "r9", "r10", "r11" }, { 8, 9, 10, 11 } },
    { { "r12", "r13", "r14", "r15" }, { 12, 13, 14, 15 } },
};

/* The lines of one record: each begins with "pebs N", which is in front of `start` already. */
struct record_lines {
    const struct line_sink *out;
    char line[LINE_SIZE];
    char *start;
};

static void ip_line(struct record_lines *l, const struct pebs_record *record, const struct symbolizer *symbols)
{
    char *at = l->start;

    if (record->has & PEBS_HAS_GPRS)
        at = put_place(at, record->width == 4 ? "eip" : "ip", record->ip, symbols);
    if (record->has & PEBS_HAS_EVENTING_IP)
        at = put_place(at, "eventing_ip", record->eventing_ip, symbols);
    if (record->has & (PEBS_HAS_STATUS | PEBS_HAS_APPLICABLE))
        at = put_hex_key(at, "counters", record->counters);
    if (record->has & PEBS_HAS_TSC)
        at = put_hex_key(at, "tsc", record->tsc);
    end_line(l->out, l->line, at);
}

static void group_line(struct record_lines *l, const struct pebs_record *record)
{
    char *at = put_hex_key(l->start, "format_group", record->format_group);

    if (record->has & PEBS_HAS_RETIRE_LATENCY)
        at = put_decimal_key(at, "retire_latency", record->retire_latency);
    end_line(l->out, l->line, at);
}

static void register_text(struct record_lines *l, const struct pebs_record *record)
{
    const struct register_line *registers = record->width == 4 ? register_lines_32 : register_lines_64;

    for (unsigned i = 0; i < (record->width == 4 ? 2 : 4); i++, registers++) {
        char *at = l->start;
        for (unsigned j = 0; j < 4; j++)
            at = put_hex_key(at, registers->name[j], record->gpr[registers->gpr[j]]);
        end_line(l->out, l->line, at);
    }
    end_line(l->out, l->line, put_hex_key(l->start, record->width == 4 ? "eflags" : "rflags", record->rflags));
}

static void memory_line(struct record_lines *l, const struct pebs_record *record, enum data_source_encoding encoding,
                        const struct symbolizer *symbols)
{
    /* Only the load latency facility says where the data came from; elsewhere 0 would read as a level. */
    bool known = record->latency != 0 || encoding == DATA_SOURCE_STORE;
    struct data_source_words words = data_source_words(known ? encoding : DATA_SOURCE_UNKNOWN, record->data_source);
    char *at = put_place(l->start, "data_address", record->data_address, symbols);

    at = put_hex_key(at, "data_source", record->data_source);
    at = put_string(put_string(at, " |LVL "), words.level);
    at = put_string(put_string(at, "|SNP "), words.snoop);
    at = put_string(put_string(at, "|TLB "), words.tlb);
    at = put_string(put_string(at, "|LCK "), words.lock);
    at = put_decimal_number(put_string(at, "| latency "), record->latency);
    if (record->has & PEBS_HAS_CACHE_LATENCY)
        at = put_decimal_key(at, "cache_latency", record->cache_latency);
    end_line(l->out, l->line, at);
}

static char *put_xmm(char *at, unsigned i, const struct pebs_record *record)
{
    at = put_decimal_number(put_string(at, " xmm"), i);
    *at++ = ' ';
    return put_digits(put_address(at, record->xmm[i].high, 16), record->xmm[i].low, 16);
}

static void xmm_text(struct record_lines *l, const struct pebs_record *record)
{
    for (unsigned i = 0; i < 16; i += 2)
        end_line(l->out, l->line, put_xmm(put_xmm(l->start, i, record), i + 1, record));
}

void pebs_text(const struct line_sink *out, uint64_t n, const struct pebs_record *record,
               enum data_source_encoding encoding, const struct symbolizer *symbols)
{
    struct record_lines l;

    l.out = out;
    l.start = put_decimal_number(put_string(l.line, "pebs "), n);
    ip_line(&l, record, symbols);
    if (record->has & PEBS_HAS_FORMAT_GROUP)
        group_line(&l, record);
    if (record->has & PEBS_HAS_GPRS)
        register_text(&l, record);
    if (record->has & PEBS_HAS_MEMORY)
        memory_line(&l, record, encoding, symbols);
    if (record->has & PEBS_HAS_TSX)
        end_line(out, l.line, put_hex_key(l.start, "tsx", record->tsx));
    if (record->has & PEBS_HAS_XMM)
        xmm_text(&l, record);
    for (unsigned i = 0; i < record->lbr_count; i++) {
        char *at = put_decimal_key(l.start, "lbr", i);
        *at++ = ' ';
        end_line(out, l.line, put_branch(at, &record->lbr[i], symbols));
    }
}
