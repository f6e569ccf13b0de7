/* SPDX-License-Identifier: MIT */
#include "pebs/pebs_decode.h"

#include "ds/bytes.h"
#include "pebs/pebs_layout.h"

static const struct {
    unsigned size;
    uint64_t has;
} formats[] = {
    { PEBS_LAYOUT_SIZE_0, PEBS_HAS_GPRS },
    { PEBS_LAYOUT_SIZE_1, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY },
    { PEBS_LAYOUT_SIZE_2, PEBS_HAS_GPRS | PEBS_HAS_STATUS | PEBS_HAS_MEMORY | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX },
    { PEBS_LAYOUT_SIZE_3,
      PEBS_HAS_GPRS | PEBS_HAS_APPLICABLE | PEBS_HAS_MEMORY | PEBS_HAS_EVENTING_IP | PEBS_HAS_TSX | PEBS_HAS_TSC },
};

#define FIELD(stored, decoded)                                                         \
    {                                                                                  \
        offsetof(struct pebs_layout_64, stored), offsetof(struct pebs_record, decoded) \
    }

/* Where each field stands in the bytes, and where in struct pebs_record; every field has 64 bits in both. */
static const struct {
    size_t stored, decoded;
} fields[] = {
    FIELD(rflags, rflags),
    FIELD(rip, ip),
    FIELD(rax, gpr[PEBS_RAX]),
    FIELD(rbx, gpr[PEBS_RBX]),
    FIELD(rcx, gpr[PEBS_RCX]),
    FIELD(rdx, gpr[PEBS_RDX]),
    FIELD(rsi, gpr[PEBS_RSI]),
    FIELD(rdi, gpr[PEBS_RDI]),
    FIELD(rbp, gpr[PEBS_RBP]),
    FIELD(rsp, gpr[PEBS_RSP]),
    FIELD(r8, gpr[8]),
    FIELD(r9, gpr[9]),
    FIELD(r10, gpr[10]),
    FIELD(r11, gpr[11]),
    FIELD(r12, gpr[12]),
    FIELD(r13, gpr[13]),
    FIELD(r14, gpr[14]),
    FIELD(r15, gpr[15]),
    FIELD(counters, counters),
    FIELD(data_address, data_address),
    FIELD(data_source, data_source),
    FIELD(latency, latency),
    FIELD(eventing_ip, eventing_ip),
    FIELD(tsx, tsx),
    FIELD(tsc, tsc),
};

size_t pebs_record_size(unsigned format)
{
    return format < sizeof(formats) / sizeof(formats[0]) ? formats[format].size : 0;
}

enum pebs_error pebs_decode(unsigned format, const void *bytes, size_t length, struct pebs_record *out)
{
    size_t size = pebs_record_size(format);
    if (size == 0)
        return PEBS_DECODE_FORMAT_UNKNOWN;
    if (length < size)
        return PEBS_DECODE_TRUNCATED;

    *out = (struct pebs_record){ .format = format, .size = (unsigned)size, .has = formats[format].has };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && fields[i].stored < size; i++)
        *(uint64_t *)(void *)((char *)out + fields[i].decoded) = read_u64(bytes, fields[i].stored);
    return PEBS_DECODE_OK;
}

const char *pebs_error_text(enum pebs_error error)
{
    switch (error) {
    case PEBS_DECODE_OK:
        return "no error";
    case PEBS_DECODE_TRUNCATED:
        return "PEBS record cut short";
    case PEBS_DECODE_FORMAT_UNKNOWN:
        return "PEBS record format unknown";
    }
    return "unknown PEBS error";
}
