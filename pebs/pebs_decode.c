/* SPDX-License-Identifier: MIT */
#include "pebs/pebs_decode.h"

#include "base/bytes.h"
#include "cpu/formats.h"
#include "lbr/lbr_layout.h"
#include "pebs/pebs_layout.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct fixed_form {
    unsigned width, format;
    uint64_t has;
} fixed_forms[] = {
    { 4, 0, PEBS_HAS_GPRS },
    { 8, 0, PEBS_HAS_GPRS },
    { 8, 1, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY },
    { 8, 2, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX },
    { 8, 3,
      PEBS_HAS_GPRS | PEBS_HAS_APPLICABLE | PEBS_HAS_MEMORY | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX | PEBS_HAS_TSC },
};

/* Where a field stands in the bytes, and where in struct pebs_record, in which all of them have 64 bits. */
struct field {
    size_t stored, decoded;
};

#define FIELD(layout, stored, decoded)                                         \
    {                                                                          \
        offsetof(struct layout, stored), offsetof(struct pebs_record, decoded) \
    }

static const struct field fields_32[] = {
    FIELD(pebs_layout_32, eflags, rflags),     FIELD(pebs_layout_32, eip, ip),
    FIELD(pebs_layout_32, eax, gpr[PEBS_RAX]), FIELD(pebs_layout_32, ebx, gpr[PEBS_RBX]),
    FIELD(pebs_layout_32, ecx, gpr[PEBS_RCX]), FIELD(pebs_layout_32, edx, gpr[PEBS_RDX]),
    FIELD(pebs_layout_32, esi, gpr[PEBS_RSI]), FIELD(pebs_layout_32, edi, gpr[PEBS_RDI]),
    FIELD(pebs_layout_32, ebp, gpr[PEBS_RBP]), FIELD(pebs_layout_32, esp, gpr[PEBS_RSP]),
};

static const struct field fields_64[] = {
    FIELD(pebs_layout_64, rflags, rflags),
    FIELD(pebs_layout_64, rip, ip),
    FIELD(pebs_layout_64, rax, gpr[PEBS_RAX]),
    FIELD(pebs_layout_64, rbx, gpr[PEBS_RBX]),
    FIELD(pebs_layout_64, rcx, gpr[PEBS_RCX]),
    FIELD(pebs_layout_64, rdx, gpr[PEBS_RDX]),
    FIELD(pebs_layout_64, rsi, gpr[PEBS_RSI]),
    FIELD(pebs_layout_64, rdi, gpr[PEBS_RDI]),
    FIELD(pebs_layout_64, rbp, gpr[PEBS_RBP]),
    FIELD(pebs_layout_64, rsp, gpr[PEBS_RSP]),
    FIELD(pebs_layout_64, r8, gpr[8]),
    FIELD(pebs_layout_64, r9, gpr[9]),
    FIELD(pebs_layout_64, r10, gpr[10]),
    FIELD(pebs_layout_64, r11, gpr[11]),
    FIELD(pebs_layout_64, r12, gpr[12]),
    FIELD(pebs_layout_64, r13, gpr[13]),
    FIELD(pebs_layout_64, r14, gpr[14]),
    FIELD(pebs_layout_64, r15, gpr[15]),
    FIELD(pebs_layout_64, counters, counters),
    FIELD(pebs_layout_64, data_address, data_address),
    FIELD(pebs_layout_64, data_source, data_source),
    FIELD(pebs_layout_64, latency, latency),
    FIELD(pebs_layout_64, eventing_ip, eventing_ip),
    FIELD(pebs_layout_64, tsx, tsx),
    FIELD(pebs_layout_64, tsc, tsc),
};

static const struct field fields_basic[] = {
    FIELD(pebs_layout_basic, eventing_ip, eventing_ip),
    FIELD(pebs_layout_basic, counters, counters),
    FIELD(pebs_layout_basic, tsc, tsc),
};

static const struct field fields_memory[] = {
    FIELD(pebs_layout_memory, data_address, data_address),
    FIELD(pebs_layout_memory, data_source, data_source),
    FIELD(pebs_layout_memory, tsx, tsx),
};

static const struct field fields_gprs[] = {
    FIELD(pebs_layout_gprs, rflags, rflags),     FIELD(pebs_layout_gprs, rip, ip),
    FIELD(pebs_layout_gprs, rax, gpr[PEBS_RAX]), FIELD(pebs_layout_gprs, rcx, gpr[PEBS_RCX]),
    FIELD(pebs_layout_gprs, rdx, gpr[PEBS_RDX]), FIELD(pebs_layout_gprs, rbx, gpr[PEBS_RBX]),
    FIELD(pebs_layout_gprs, rsp, gpr[PEBS_RSP]), FIELD(pebs_layout_gprs, rbp, gpr[PEBS_RBP]),
    FIELD(pebs_layout_gprs, rsi, gpr[PEBS_RSI]), FIELD(pebs_layout_gprs, rdi, gpr[PEBS_RDI]),
    FIELD(pebs_layout_gprs, r8, gpr[8]),         FIELD(pebs_layout_gprs, r9, gpr[9]),
    FIELD(pebs_layout_gprs, r10, gpr[10]),       FIELD(pebs_layout_gprs, r11, gpr[11]),
    FIELD(pebs_layout_gprs, r12, gpr[12]),       FIELD(pebs_layout_gprs, r13, gpr[13]),
    FIELD(pebs_layout_gprs, r14, gpr[14]),       FIELD(pebs_layout_gprs, r15, gpr[15]),
};

/* Reads those fields that lie within size bytes. */
static void read_fields(const struct field *fields, size_t count, const void *bytes, size_t size, unsigned width,
                        struct pebs_record *out)
{
    for (size_t i = 0; i < count && fields[i].stored < size; i++)
        *(uint64_t *)(void *)((char *)out + fields[i].decoded) =
            width == 4 ? read_u32(bytes, fields[i].stored) : read_u64(bytes, fields[i].stored);
}

static const struct fixed_form *find_fixed(const struct pebs_form *form)
{
    for (size_t i = 0; i < COUNT_OF(fixed_forms); i++)
        if (fixed_forms[i].width == form->width && fixed_forms[i].format == form->format)
            return &fixed_forms[i];
    return NULL;
}

static void decode_memory(const struct pebs_form *form, const uint8_t *bytes, struct pebs_record *out)
{
    uint64_t latency = read_u64(bytes, offsetof(struct pebs_layout_memory, latency));
    read_fields(fields_memory, COUNT_OF(fields_memory), bytes, sizeof(struct pebs_layout_memory), 8, out);
    out->has |= PEBS_HAS_MEMORY | PEBS_HAS_TSX;
    out->latency = (uint32_t)latency;
    if (form->timing) {
        out->has |= PEBS_HAS_CACHE_LATENCY;
        out->latency = latency & PEBS_LATENCY_INSTRUCTION;
        out->cache_latency = (uint16_t)(latency >> PEBS_LATENCY_CACHE_SHIFT);
    }
}

static void decode_lbr(const struct pebs_form *form, const uint8_t *bytes, struct pebs_record *out)
{
    out->has |= PEBS_HAS_LBR;
    out->lbr_count = pebs_lbr_entries(out->format_group);
    for (unsigned i = 0; i < out->lbr_count; i++, bytes += sizeof(struct pebs_layout_lbr)) {
        uint64_t from = read_u64(bytes, offsetof(struct pebs_layout_lbr, from));
        uint64_t to = read_u64(bytes, offsetof(struct pebs_layout_lbr, to));
        uint64_t info = read_u64(bytes, offsetof(struct pebs_layout_lbr, info));
        if (form->lbr_format == LBR_FORMAT_ARCH)
            lbr_decode_arch(from, to, info, &out->lbr[i]);
        else if (lbr_decode(form->lbr_format, from, to, info, &out->lbr[i]) != LBR_DECODE_OK)
            out->lbr[i] = (struct lbr_entry){ .from = from, .to = to };
    }
}

static enum pebs_error decode_groups(const struct pebs_form *form, const uint8_t *bytes, size_t length,
                                     struct pebs_record *out)
{
    if (length < sizeof(struct pebs_layout_basic))
        return PEBS_DECODE_TRUNCATED;
    uint64_t word = read_u64(bytes, offsetof(struct pebs_layout_basic, format));
    uint64_t groups = word & PEBS_FORMAT_GROUP;
    size_t size = (size_t)(word >> PEBS_FORMAT_SIZE_SHIFT), needed = pebs_adaptive_size(groups);
    if (size == 0)
        return PEBS_DECODE_SIZE_ZERO;
    if (size < sizeof(struct pebs_layout_basic))
        return PEBS_DECODE_SIZE_SMALL;
    if (size > length)
        return PEBS_DECODE_SIZE_PAST_END;
    if (needed == 0 || (groups != 0 && !form->adaptive))
        return PEBS_DECODE_GROUPS_UNKNOWN;
    if (size != needed)
        return PEBS_DECODE_SIZE_DIFFERS;

    *out =
        (struct pebs_record){ .width = form->width,
                              .format = form->format,
                              .size = (unsigned)size,
                              .has = PEBS_HAS_FORMAT_GROUP | PEBS_HAS_EVENTING_IP | PEBS_HAS_APPLICABLE | PEBS_HAS_TSC,
                              .format_group = (uint32_t)groups };
    if (form->timing) {
        out->has |= PEBS_HAS_RETIRE_LATENCY;
        out->retire_latency = (uint16_t)(word >> PEBS_FORMAT_RETIRE_SHIFT);
    }
    read_fields(fields_basic, COUNT_OF(fields_basic), bytes, sizeof(struct pebs_layout_basic), 8, out);
    bytes += sizeof(struct pebs_layout_basic);
    if (groups & PEBS_GROUP_MEMORY) {
        decode_memory(form, bytes, out);
        bytes += sizeof(struct pebs_layout_memory);
    }
    if (groups & PEBS_GROUP_GPRS) {
        out->has |= PEBS_HAS_GPRS;
        read_fields(fields_gprs, COUNT_OF(fields_gprs), bytes, sizeof(struct pebs_layout_gprs), 8, out);
        bytes += sizeof(struct pebs_layout_gprs);
    }
    if (groups & PEBS_GROUP_XMM) {
        out->has |= PEBS_HAS_XMM;
        for (unsigned i = 0; i < 16; i++, bytes += sizeof(struct pebs_layout_xmm)) {
            out->xmm[i].low = read_u64(bytes, offsetof(struct pebs_layout_xmm, low));
            out->xmm[i].high = read_u64(bytes, offsetof(struct pebs_layout_xmm, high));
        }
    }
    if (groups & PEBS_GROUP_LBR)
        decode_lbr(form, bytes, out);
    return PEBS_DECODE_OK;
}

enum pebs_error pebs_decode(const struct pebs_form *form, const void *bytes, size_t length, struct pebs_record *out)
{
    if (pebs_form_has_groups(form))
        return decode_groups(form, bytes, length, out);
    const struct fixed_form *fixed = find_fixed(form);
    if (!fixed)
        return PEBS_DECODE_FORMAT_UNKNOWN;
    const size_t size = pebs_record_size(form);
    if (length < size)
        return PEBS_DECODE_TRUNCATED;

    *out =
        (struct pebs_record){ .width = form->width, .format = form->format, .size = (unsigned)size, .has = fixed->has };
    if (form->width == 4)
        read_fields(fields_32, COUNT_OF(fields_32), bytes, size, 4, out);
    else
        read_fields(fields_64, COUNT_OF(fields_64), bytes, size, 8, out);
    return PEBS_DECODE_OK;
}

const char *pebs_error_text(enum pebs_error error)
{
    switch (error) {
    case PEBS_DECODE_OK:
        return "no error";
    case PEBS_DECODE_TRUNCATED:
        return "PEBS record truncated";
    case PEBS_DECODE_FORMAT_UNKNOWN:
        return "unknown PEBS record format";
    case PEBS_DECODE_SIZE_ZERO:
        return "size field of the PEBS record is 0";
    case PEBS_DECODE_SIZE_SMALL:
        return "size field of the PEBS record is smaller than the basic group";
    case PEBS_DECODE_SIZE_PAST_END:
        return "size field of the PEBS record goes past the end of the buffer";
    case PEBS_DECODE_GROUPS_UNKNOWN:
        return "PEBS record has unknown groups (format field)";
    case PEBS_DECODE_SIZE_DIFFERS:
        return "size field of the PEBS record does not match its groups";
    }
    return "unknown PEBS error";
}
