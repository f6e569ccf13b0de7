/* SPDX-License-Identifier: MIT */
/* PEBS records: bytes in, neutral event out. Pure. */
#ifndef PEBS_PEBS_DECODE_H
#define PEBS_PEBS_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum pebs_error { PEBS_DECODE_OK, PEBS_DECODE_TRUNCATED, PEBS_DECODE_FORMAT_UNKNOWN };

/* Which of the fields a record carries. */
#define PEBS_HAS_GPRS        (UINT64_C(1) << 0) /* rflags, ip, gpr */
#define PEBS_HAS_STATUS      (UINT64_C(1) << 1) /* counters: IA32_PERF_GLOBAL_STATUS (formats 1 and 2) */
#define PEBS_HAS_APPLICABLE  (UINT64_C(1) << 2) /* counters: the counters that this record belongs to (format 3) */
#define PEBS_HAS_MEMORY      (UINT64_C(1) << 3) /* data_address, data_source, latency */
#define PEBS_HAS_EVENTING_IP (UINT64_C(1) << 4)
#define PEBS_HAS_TSX         (UINT64_C(1) << 5)
#define PEBS_HAS_TSC         (UINT64_C(1) << 6)

/* Index into gpr: the number that instructions encode. */
enum pebs_gpr {
    PEBS_RAX,
    PEBS_RCX,
    PEBS_RDX,
    PEBS_RBX,
    PEBS_RSP,
    PEBS_RBP,
    PEBS_RSI,
    PEBS_RDI,
    PEBS_R8,
    PEBS_R15 = 15
};

struct pebs_record {
    unsigned format; /* IA32_PERF_CAPABILITIES[11:8] */
    unsigned size;   /* bytes of the record */
    uint64_t has;    /* PEBS_HAS_*; the fields that it does not name are 0 */
    uint64_t rflags, ip, gpr[16];
    uint64_t counters;
    uint64_t data_address, data_source, latency;
    uint64_t eventing_ip, tsx, tsc;
};

/* Bytes of a 64-bit record of this format; 0 where the format is unknown or has no fixed size. */
size_t pebs_record_size(unsigned format);

/* Decodes one 64-bit record of length available bytes. *out is written only on PEBS_DECODE_OK. */
enum pebs_error pebs_decode(unsigned format, const void *bytes, size_t length, struct pebs_record *out);

const char *pebs_error_text(enum pebs_error error);

#endif
