/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of architectural PEBS, by offset: one or more fragments, each with its own header and some of the record's
 * groups, which are always in the same order. Typed from the tables of "Architectural PEBS" in Intel's "Architecture
 * Instruction Set Extensions Programming Reference" as Linux 6.19 shows them (asm/perf_event.h, struct arch_pebs_header
 * and the structs after it; ds.c, setup_arch_pebs_sample_data()).
 */
#ifndef MODEL_BYTES_ARCH_PEBS_H
#define MODEL_BYTES_ARCH_PEBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bytes/adaptive.h"

/* Bits of IA32_PMC_GPx_CFG_C and _FXx_CFG_C that request a group. A header's format has those of its groups. */
#define ARCH_CNTR_ALLOW   (UINT64_C(1) << 35) /* only in CFG_C: other counters' records may include this counter */
#define ARCH_CNTR_GENERAL (UINT64_C(1) << 36)
#define ARCH_CNTR_FIXED   (UINT64_C(1) << 37)
#define ARCH_CNTR_METRICS (UINT64_C(1) << 38)
#define ARCH_LBR_SHIFT    40 /* 1: 8 entries, 2: 16, 3: the stack's depth */
#define ARCH_LBR          (UINT64_C(3) << ARCH_LBR_SHIFT)
#define ARCH_XMM          (UINT64_C(1) << 49)
#define ARCH_YMMH         (UINT64_C(1) << 50)
#define ARCH_XER          (ARCH_XMM | ARCH_YMMH) /* one group here: both follow the same header */
#define XSTATE_SSE        (UINT64_C(1) << 1)     /* XMM0 to XMM15 in XSTATE_BV */
#define XSTATE_AVX        (UINT64_C(1) << 2)     /* upper halves of YMM0 to YMM15 */
#define ARCH_GPR          (UINT64_C(1) << 61)
#define ARCH_AUX          (UINT64_C(1) << 62)
#define ARCH_EN           (UINT64_C(1) << 63) /* in CFG_C: the counter writes records */
#define ARCH_BASIC        (UINT64_C(1) << 63) /* in the format: the basic group, which every record has */
#define ARCH_CNTR         (ARCH_CNTR_GENERAL | ARCH_CNTR_FIXED | ARCH_CNTR_METRICS)

/* Bits only in a header's format. Bits 15:0 are the fragment's size in bytes. */
#define ARCH_MODE_64  (UINT64_C(1) << 30)
#define ARCH_CONTINUE (UINT64_C(1) << 31) /* the next fragment belongs to the same record */

#define ARCH_UNIT         16 /* bytes: the unit of IA32_PEBS_INDEX and of the size of a fragment */
#define ARCH_HEADER_BYTES 16
#define ARCH_MAX_COUNTS   50 /* 32 general, 16 fixed, slots and PERF_METRICS */
#define ARCH_MAX_NULL     64 /* bytes of a null record */
#define ARCH_MAX_BYTES    4096

enum arch_group { GROUP_BASIC, GROUP_AUX, GROUP_GPR, GROUP_XER, GROUP_LBR, GROUP_CNTR, ARCH_GROUPS };

/* The contents of a record beyond struct pebs_contents and adaptive_contents (whose format is ignored). */
struct arch_contents {
    uint64_t format; /* the groups, as in a header */
    bool mode_64;
    bool retire_valid;
    uint64_t ssp;
    uint64_t xer; /* XSTATE_BV, the header of the vector groups */
    uint64_t ymmh[XMM_REGISTERS][2];
    uint64_t lbr_control, lbr_depth;
    struct lbr_entry last_event;      /* the LBR entry of the last event record */
    uint32_t general, fixed;          /* the counters in the counters group, by number */
    uint64_t counts[ARCH_MAX_COUNTS]; /* their values in ascending order, the general counters first, metrics last */
};

/* Where a record is split into fragments. */
struct arch_split {
    bool cut[ARCH_GROUPS];            /* a new fragment begins with this group */
    uint16_t null_bytes[ARCH_GROUPS]; /* bytes of a null record before it, a multiple of ARCH_UNIT; 0: none */
};

/* Whether a record of this format has the group. */
bool arch_has_group(uint64_t format, enum arch_group group);

/* The size of a group in bytes; 0 if the record does not have the group. */
size_t arch_group_bytes(const struct arch_contents *arch, enum arch_group group);

/* The number of entries in the LBR group. */
unsigned arch_lbr_entries(const struct arch_contents *arch);

/* The size of the whole record in bytes: a multiple of ARCH_UNIT, at most ARCH_MAX_BYTES. */
size_t arch_bytes(const struct arch_contents *arch, const struct arch_split *split);

/* Writes a record of arch_bytes() bytes. */
void arch_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra,
                 const struct arch_contents *arch, const struct arch_split *split);

#endif
