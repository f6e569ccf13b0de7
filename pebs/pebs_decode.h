/* SPDX-License-Identifier: MIT */
/* PEBS records: bytes in, neutral event out. Pure. */
#ifndef PEBS_PEBS_DECODE_H
#define PEBS_PEBS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/formats.h"
#include "lbr/lbr_decode.h"

enum pebs_error {
    PEBS_DECODE_OK,
    PEBS_DECODE_TRUNCATED,
    PEBS_DECODE_FORMAT_UNKNOWN,
    /* of adaptive records, which carry their own size */
    PEBS_DECODE_SIZE_ZERO,
    PEBS_DECODE_SIZE_SMALL,     /* smaller than the basic group */
    PEBS_DECODE_SIZE_PAST_END,  /* larger than what is left */
    PEBS_DECODE_GROUPS_UNKNOWN, /* the format group has bits that this decoder does not know */
    PEBS_DECODE_SIZE_DIFFERS    /* not the size that its groups need */
};

/* Which of the fields a record carries. */
#define PEBS_HAS_GPRS           (UINT64_C(1) << 0) /* rflags, ip, gpr */
#define PEBS_HAS_STATUS         (UINT64_C(1) << 1) /* counters: IA32_PERF_GLOBAL_STATUS (formats 1 and 2) */
#define PEBS_HAS_APPLICABLE     (UINT64_C(1) << 2) /* counters: those that this record belongs to (format 3 and later) */
#define PEBS_HAS_MEMORY         (UINT64_C(1) << 3) /* data_address, data_source, latency */
#define PEBS_HAS_EVENTING_IP    (UINT64_C(1) << 4)
#define PEBS_HAS_TSX            (UINT64_C(1) << 5)
#define PEBS_HAS_TSC            (UINT64_C(1) << 6)
#define PEBS_HAS_FORMAT_GROUP   (UINT64_C(1) << 7)
#define PEBS_HAS_RETIRE_LATENCY (UINT64_C(1) << 8)
#define PEBS_HAS_CACHE_LATENCY  (UINT64_C(1) << 9)
#define PEBS_HAS_XMM            (UINT64_C(1) << 10)
#define PEBS_HAS_LBR            (UINT64_C(1) << 11) /* lbr_count, lbr */

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
    unsigned width;  /* as of its form */
    unsigned format; /* IA32_PERF_CAPABILITIES[11:8] */
    unsigned size;   /* bytes of the record */
    uint64_t has;    /* PEBS_HAS_*; the fields that it does not name are 0 */
    uint64_t rflags, ip, gpr[16];
    uint64_t counters;
    uint64_t data_address, data_source;
    uint64_t latency; /* core cycles: of the instruction, where the cache's share is apart */
    uint64_t eventing_ip, tsx, tsc;
    uint32_t format_group;                  /* MSR_PEBS_DATA_CFG as it was for this record, 0 where it did not count */
    uint16_t retire_latency, cache_latency; /* core cycles */
    struct {
        uint64_t low, high;
    } xmm[16];
    unsigned lbr_count;
    struct lbr_entry lbr[PEBS_LBR_MAX]; /* the youngest first; without flags and cycles where lbr_format is unknown */
};

/*
 * Decodes one record of length available bytes: the 32-bit one, formats 0 to 3, and the adaptive ones of formats 4
 * to 6. out->size is the number of bytes it took. *out is written only on PEBS_DECODE_OK; after any other result
 * nothing is known of where the next record begins.
 */
enum pebs_error pebs_decode(const struct pebs_form *form, const void *bytes, size_t length, struct pebs_record *out);

const char *pebs_error_text(enum pebs_error error);

#endif
