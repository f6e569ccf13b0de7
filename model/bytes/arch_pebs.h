/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of architectural PEBS, by offset: one fragment or several, each with a header of its own and some of the
 * record's groups, which always have the same order. Typed from the tables of "Architectural PEBS" in Intel's
 * "Architecture Instruction Set Extensions Programming Reference" as Linux 6.19 shows them (asm/perf_event.h, struct
 * arch_pebs_header and those behind it; ds.c, setup_arch_pebs_sample_data()).
 */
#ifndef MODEL_BYTES_ARCH_PEBS_H
#define MODEL_BYTES_ARCH_PEBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bytes/adaptive.h"

/* Bits of IA32_PMC_GPx_CFG_C and _FXx_CFG_C that ask for a group, and of a header's format that say it is there. */
#define ARCH_CNTR_ALLOW   (UINT64_C(1) << 35) /* CFG_C alone: this counter may be in the records of others */
#define ARCH_CNTR_GENERAL (UINT64_C(1) << 36)
#define ARCH_CNTR_FIXED   (UINT64_C(1) << 37)
#define ARCH_LBR_SHIFT    40 /* 1: 8 entries, 2: 16, 3: as many as the stack has */
#define ARCH_LBR          (UINT64_C(3) << ARCH_LBR_SHIFT)
#define ARCH_XMM          (UINT64_C(1) << 49)
#define ARCH_GPR          (UINT64_C(1) << 61)
#define ARCH_AUX          (UINT64_C(1) << 62)
#define ARCH_EN           (UINT64_C(1) << 63) /* CFG_C: the counter writes records */
#define ARCH_BASIC        (UINT64_C(1) << 63) /* format: the basic group, which every record has */
#define ARCH_CNTR         (ARCH_CNTR_GENERAL | ARCH_CNTR_FIXED)

/* Of a header's format alone; bits 15:0 are the fragment's size in bytes. */
#define ARCH_MODE_64  (UINT64_C(1) << 30)
#define ARCH_CONTINUE (UINT64_C(1) << 31) /* the next fragment belongs to the same record */

#define ARCH_UNIT         16 /* bytes in which IA32_PEBS_INDEX counts: a fragment takes a whole number of them */
#define ARCH_HEADER_BYTES 16
#define ARCH_MAX_COUNTS   48 /* 32 general, 16 fixed */
#define ARCH_MAX_NULL     64 /* bytes of a null record */
#define ARCH_MAX_BYTES    4096

enum arch_group { GROUP_BASIC, GROUP_AUX, GROUP_GPR, GROUP_XMM, GROUP_LBR, GROUP_CNTR, ARCH_GROUPS };

/* Contents of a record beyond struct pebs_contents and struct adaptive_contents, whose format is not used here. */
struct arch_contents {
    uint64_t format; /* the groups, as in a header */
    bool mode_64;
    bool retire_valid;
    uint64_t ssp;
    uint64_t lbr_control, lbr_depth;
    struct lbr_entry last_event;      /* of the last event record */
    uint32_t general, fixed;          /* the counters of the counters group, bit i: the i-th of its kind */
    uint64_t counts[ARCH_MAX_COUNTS]; /* of these, in ascending order, the general ones first */
};

/* How a record is split. */
struct arch_split {
    bool cut[ARCH_GROUPS];            /* a new fragment begins with this group */
    uint16_t null_bytes[ARCH_GROUPS]; /* the size of a null record before it, 0 for none; a multiple of ARCH_UNIT */
};

/* Whether a record of this format has the group. */
bool arch_has_group(uint64_t format, enum arch_group group);

/* Bytes of a group; 0 where the record does not have it. */
size_t arch_group_bytes(const struct arch_contents *arch, enum arch_group group);

/* The number of entries in the LBR group. */
unsigned arch_lbr_entries(const struct arch_contents *arch);

/* Bytes of the whole record: at most ARCH_MAX_BYTES, a multiple of ARCH_UNIT. */
size_t arch_bytes(const struct arch_contents *arch, const struct arch_split *split);

/* Writes a record of arch_bytes() bytes. */
void arch_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra,
                 const struct arch_contents *arch, const struct arch_split *split);

#endif
