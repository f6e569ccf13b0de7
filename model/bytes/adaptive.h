/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adaptive PEBS records, by offset: a basic group, followed by the other groups that the record's format names. Typed
 * from SDM Vol. 3B (253669-083), "Adaptive PEBS", the tables of the basic info, memory access info, GPR, XMM and LBR
 * groups and of MSR_PEBS_DATA_CFG. The counters group, of format 6, is from Linux 6.15,
 * arch/x86/include/asm/perf_event.h, struct pebs_cntr_header and PEBS_DATACFG_CNTR, and its reader in
 * arch/x86/events/intel/ds.c.
 */
#ifndef MODEL_BYTES_ADAPTIVE_H
#define MODEL_BYTES_ADAPTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "model/bytes/encode.h"

/* Bits of MSR_PEBS_DATA_CFG. The lower 32 are also the record's format, in bits 31:0 of its first field. */
#define DATA_CFG_MEMINFO        (UINT32_C(1) << 0)
#define DATA_CFG_GPRS           (UINT32_C(1) << 1)
#define DATA_CFG_XMMS           (UINT32_C(1) << 2)
#define DATA_CFG_LBRS           (UINT32_C(1) << 3)
#define DATA_CFG_COUNTERS       (UINT32_C(1) << 4) /* the counters of the two bitmaps */
#define DATA_CFG_METRICS        (UINT32_C(1) << 5)
#define DATA_CFG_LBR_COUNT(cfg) ((unsigned)((cfg) >> 24 & 0xff) + 1)
#define DATA_CFG_GENERAL(cfg)   ((cfg)&DATA_CFG_COUNTERS ? (uint32_t)((cfg) >> 32 & 0xffff) : 0)
#define DATA_CFG_FIXED(cfg)     ((cfg)&DATA_CFG_COUNTERS ? (uint32_t)((cfg) >> 48 & 0xff) : 0)

#define XMM_REGISTERS 16

#define ADAPTIVE_MAX_LBRS     256
#define ADAPTIVE_MAX_COUNTERS (16 + 8)
#define ADAPTIVE_MAX_BYTES    (32 + 32 + 144 + 256 + 24 * ADAPTIVE_MAX_LBRS + 16 + 8 * ADAPTIVE_MAX_COUNTERS + 16)

/* The FROM, TO and INFO values of an LBR entry, as RDMSR returns them. */
struct lbr_entry {
    uint64_t from, to, info;
};

/* The contents of an adaptive record beyond struct pebs_contents, whose latency is the instruction latency. */
struct adaptive_contents {
    uint64_t format;                /* MSR_PEBS_DATA_CFG of this record; 0: only the basic group */
    uint16_t retire_latency;        /* cycles; 0 if the processor has no such field */
    uint16_t cache_latency;         /* cycles; 0 if the processor has no such field */
    uint64_t xmm[XMM_REGISTERS][2]; /* low quadword first */
    const struct lbr_entry *lbr;    /* newest first; requested entries beyond lbr_count are written as zero */
    unsigned lbr_count;
    uint64_t counters[ADAPTIVE_MAX_COUNTERS]; /* the values of the counters that the format names: general, then fixed,
                                                 by number */
    uint64_t slots, metrics;                  /* fixed counter 3 and PERF_METRICS */
};

/* The size in bytes of a record of this format, 32 to ADAPTIVE_MAX_BYTES. Bits without a group are ignored. */
size_t adaptive_bytes(uint64_t format);

/* Writes a record: adaptive_bytes(extra->format) bytes. */
void adaptive_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra);

#endif
