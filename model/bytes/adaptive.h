/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adaptive PEBS records, by offset: a basic group, and behind it those of the other groups that the record's format
 * names. Typed from SDM Vol. 3B (253669-083), "Adaptive PEBS", the tables of the basic info, memory access info, GPR,
 * XMM and LBR groups and of MSR_PEBS_DATA_CFG.
 */
#ifndef MODEL_BYTES_ADAPTIVE_H
#define MODEL_BYTES_ADAPTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "model/bytes/encode.h"

/* MSR_PEBS_DATA_CFG, and a record's format: bits 31:0 of its first field. */
#define DATA_CFG_MEMINFO        (UINT32_C(1) << 0)
#define DATA_CFG_GPRS           (UINT32_C(1) << 1)
#define DATA_CFG_XMMS           (UINT32_C(1) << 2)
#define DATA_CFG_LBRS           (UINT32_C(1) << 3)
#define DATA_CFG_LBR_COUNT(cfg) (((cfg) >> 24 & 0xff) + 1)

#define XMM_REGISTERS 16

#define ADAPTIVE_MAX_LBRS  256
#define ADAPTIVE_MAX_BYTES (32 + 32 + 144 + 256 + 24 * ADAPTIVE_MAX_LBRS)

/* As the MSRs read. */
struct lbr_entry {
    uint64_t from, to, info;
};

/* What such a record holds beyond struct pebs_event, whose latency is the instruction's. */
struct adaptive_event {
    uint32_t format;                /* which groups: MSR_PEBS_DATA_CFG, or 0 for the basic group alone */
    uint16_t retire_latency;        /* cycles, 0 where the processor has no such field */
    uint16_t cache_latency;         /* likewise */
    uint64_t xmm[XMM_REGISTERS][2]; /* low quadword first */
    const struct lbr_entry *lbr;    /* youngest first; what the format asks for beyond lbr_count is zero */
    unsigned lbr_count;
};

/* Size of a record of this format, 32 to ADAPTIVE_MAX_BYTES. Bits that name no group add nothing. */
size_t adaptive_bytes(uint32_t format);

/* bytes: adaptive_bytes(extra->format) of them. */
void adaptive_encode(uint8_t *bytes, const struct pebs_event *event, const struct adaptive_event *extra);

#endif
