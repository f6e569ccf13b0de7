/* SPDX-License-Identifier: MIT */
#include "report/record_text.h"

#include "report/format.h"

#define SYMBOL_NAME_MAX 64 /* characters of a symbol that are printed */
#define SYMBOL_SIZE     (SYMBOL_NAME_MAX + sizeof(" +0x0123456789abcdef"))

static bool find(const struct symbolizer *symbols, uint64_t address, const char **name, uint64_t *offset)
{
    return symbols && symbols->find(symbols->context, address, name, offset);
}

/* " sym+0x4" into text of SYMBOL_SIZE bytes; "" where no symbol covers the address. */
static const char *symbol(char *text, uint64_t address, const struct symbolizer *symbols)
{
    const char *name;
    uint64_t offset;
    text[0] = '\0';
    if (find(symbols, address, &name, &offset))
        format(text, SYMBOL_SIZE, " %.*s+0x%llx", SYMBOL_NAME_MAX, name, (unsigned long long)offset);
    return text;
}

void bts_text(const struct line_sink *out, unsigned n, const struct bts_record *record,
              const struct symbolizer *symbols)
{
    char line[LINE_SIZE], from[SYMBOL_SIZE], to[SYMBOL_SIZE];
    int digits = 2 * (int)record->width;
    format(line, sizeof(line), "bts %u 0x%0*llx%s => 0x%0*llx%s%s", n, digits, (unsigned long long)record->from,
           symbol(from, record->from, symbols), digits, (unsigned long long)record->to, symbol(to, record->to, symbols),
           !record->prediction_valid ? ""
           : record->predicted       ? " predicted"
                                     : " mispredicted");
    out->line(out->context, line);
}

static const char *branch_type(const struct lbr_entry *entry)
{
    static const char *const words[] = { "/JCC", "/IND_JMP", "/JMP", "/IND_CALL", "/CALL", "/RET" };
    if (!(entry->has & LBR_HAS_TYPE))
        return "";
    return entry->type < sizeof(words) / sizeof(words[0]) ? words[entry->type] : "/other";
}

/* The fields of a branch and its symbols, behind what stands in line up to at. */
static void branch_line(const struct line_sink *out, char line[LINE_SIZE], size_t at, const struct lbr_entry *entry,
                        const struct symbolizer *symbols)
{
    char from[SYMBOL_SIZE], to[SYMBOL_SIZE];
    symbol(from, entry->from, symbols);
    symbol(to, entry->to, symbols);
    bool any = from[0] != '\0' || to[0] != '\0';
    /* Either symbol stands behind a blank that the line gives; "-" keeps its place where there is none. */
    format(line + at, LINE_SIZE - at, "0x%llx/0x%llx/%c/%c/%c/%u%s%s%s%s%s", (unsigned long long)entry->from,
           (unsigned long long)entry->to,
           !(entry->has & LBR_HAS_MISPRED) ? '-'
           : entry->mispredicted           ? 'M'
                                           : 'P',
           (entry->has & LBR_HAS_TSX) && entry->in_tsx ? 'X' : '-',
           (entry->has & LBR_HAS_TSX) && entry->tsx_abort ? 'A' : '-', entry->cycles, branch_type(entry),
           any ? " " : "",
           from[0] ? from + 1
           : any   ? "-"
                   : "",
           any ? "/" : "",
           to[0] ? to + 1
           : any ? "-"
                 : "");
    out->line(out->context, line);
}

void lbr_text(const struct line_sink *out, unsigned n, const struct lbr_entry *entry, const struct symbolizer *symbols)
{
    char line[LINE_SIZE];
    size_t at = (size_t)format(line, sizeof(line), "lbr %u ", n);
    branch_line(out, line, at, entry, symbols);
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

static void ip_line(const struct line_sink *out, unsigned n, const struct pebs_record *record,
                    const struct symbolizer *symbols)
{
    char line[LINE_SIZE], text[SYMBOL_SIZE];
    size_t at = (size_t)format(line, sizeof(line), "pebs %u", n);
    if (record->has & PEBS_HAS_GPRS)
        at += (size_t)format(line + at, sizeof(line) - at, " %s 0x%llx%s", record->width == 4 ? "eip" : "ip",
                             (unsigned long long)record->ip, symbol(text, record->ip, symbols));
    if (record->has & PEBS_HAS_EVENTING_IP)
        at += (size_t)format(line + at, sizeof(line) - at, " eventing_ip 0x%llx%s",
                             (unsigned long long)record->eventing_ip, symbol(text, record->eventing_ip, symbols));
    if (record->has & (PEBS_HAS_STATUS | PEBS_HAS_APPLICABLE))
        at += (size_t)format(line + at, sizeof(line) - at, " counters 0x%llx", (unsigned long long)record->counters);
    if (record->has & PEBS_HAS_TSC)
        format(line + at, sizeof(line) - at, " tsc 0x%llx", (unsigned long long)record->tsc);
    out->line(out->context, line);
}

static void group_line(const struct line_sink *out, unsigned n, const struct pebs_record *record)
{
    char line[LINE_SIZE];
    size_t at =
        (size_t)format(line, sizeof(line), "pebs %u format_group 0x%lx", n, (unsigned long)record->format_group);
    if (record->has & PEBS_HAS_RETIRE_LATENCY)
        format(line + at, sizeof(line) - at, " retire_latency %u", record->retire_latency);
    out->line(out->context, line);
}

static void register_text(const struct line_sink *out, unsigned n, const struct pebs_record *record)
{
    char line[LINE_SIZE];
    const struct register_line *registers = record->width == 4 ? register_lines_32 : register_lines_64;
    for (unsigned i = 0; i < (record->width == 4 ? 2 : 4); i++, registers++) {
        size_t at = (size_t)format(line, sizeof(line), "pebs %u", n);
        for (unsigned j = 0; j < 4; j++)
            at += (size_t)format(line + at, sizeof(line) - at, " %s 0x%llx", registers->name[j],
                                 (unsigned long long)record->gpr[registers->gpr[j]]);
        out->line(out->context, line);
    }
    format(line, sizeof(line), "pebs %u %s 0x%llx", n, record->width == 4 ? "eflags" : "rflags",
           (unsigned long long)record->rflags);
    out->line(out->context, line);
}

static void memory_line(const struct line_sink *out, unsigned n, const struct pebs_record *record,
                        enum data_source_encoding encoding, const struct symbolizer *symbols)
{
    char line[LINE_SIZE], text[SYMBOL_SIZE];
    /* Only the load latency facility says where the data came from; elsewhere 0 would read as a level. */
    bool known = record->latency != 0 || encoding == DATA_SOURCE_STORE;
    struct data_source_words words = data_source_words(known ? encoding : DATA_SOURCE_UNKNOWN, record->data_source);
    size_t at =
        (size_t)format(line, sizeof(line),
                       "pebs %u data_address 0x%llx%s data_source 0x%llx |LVL %s|SNP %s|TLB %s|LCK %s| latency %llu", n,
                       (unsigned long long)record->data_address, symbol(text, record->data_address, symbols),
                       (unsigned long long)record->data_source, words.level, words.snoop, words.tlb, words.lock,
                       (unsigned long long)record->latency);
    if (record->has & PEBS_HAS_CACHE_LATENCY)
        format(line + at, sizeof(line) - at, " cache_latency %u", record->cache_latency);
    out->line(out->context, line);
}

static void xmm_text(const struct line_sink *out, unsigned n, const struct pebs_record *record)
{
    char line[LINE_SIZE];
    for (unsigned i = 0; i < 16; i += 2) {
        format(line, sizeof(line), "pebs %u xmm%u 0x%016llx%016llx xmm%u 0x%016llx%016llx", n, i,
               (unsigned long long)record->xmm[i].high, (unsigned long long)record->xmm[i].low, i + 1,
               (unsigned long long)record->xmm[i + 1].high, (unsigned long long)record->xmm[i + 1].low);
        out->line(out->context, line);
    }
}

void pebs_text(const struct line_sink *out, unsigned n, const struct pebs_record *record,
               enum data_source_encoding encoding, const struct symbolizer *symbols)
{
    char line[LINE_SIZE];
    ip_line(out, n, record, symbols);
    if (record->has & PEBS_HAS_FORMAT_GROUP)
        group_line(out, n, record);
    if (record->has & PEBS_HAS_GPRS)
        register_text(out, n, record);
    if (record->has & PEBS_HAS_MEMORY)
        memory_line(out, n, record, encoding, symbols);
    if (record->has & PEBS_HAS_TSX) {
        format(line, sizeof(line), "pebs %u tsx 0x%llx", n, (unsigned long long)record->tsx);
        out->line(out->context, line);
    }
    if (record->has & PEBS_HAS_XMM)
        xmm_text(out, n, record);
    for (unsigned i = 0; i < record->lbr_count; i++) {
        size_t at = (size_t)format(line, sizeof(line), "pebs %u lbr %u ", n, i);
        branch_line(out, line, at, &record->lbr[i], symbols);
    }
}
