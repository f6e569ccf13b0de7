/* SPDX-License-Identifier: MIT */
/*
 * Architectural PEBS: which groups a counter's records have, where each group stands, and where a record ends. A record
 * is one fragment or several: each has a header, which says its size and its groups, and whether another one follows.
 * Pure.
 * Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11 "Architectural PEBS"; where
 * that is not at hand, Linux, commits 52448a0a7390 ("arch-PEBS enabling") and those after it.
 */
#ifndef PEBS_LAYOUT_ARCH_PEBS_H
#define PEBS_LAYOUT_ARCH_PEBS_H

#include <stddef.h>
#include <stdint.h>

#include "pebs/layout/formats.h"

/* IA32_PERF_CAPABILITIES[11:8] says that PEBS is architectural, and CPUID.23H describes it. */
#define ARCH_PEBS_FORMAT 0xfu

/*
 * Bits of IA32_PMC_GPn_CFG_C and IA32_PMC_FXm_CFG_C, and of a header's first word. The two manuals' readers disagree
 * about the bit of R16 to R31, which no driver sets yet: either is taken for it.
 */
#define ARCH_PEBS_RELOAD           UINT64_C(0xffffffff) /* CFG_C alone: what the counter is reloaded with */
#define ARCH_PEBS_COUNTERS_ALLOW   (UINT64_C(1) << 35)  /* this counter may be in others' counters groups */
#define ARCH_PEBS_COUNTERS_GENERAL (UINT64_C(1) << 36)
#define ARCH_PEBS_COUNTERS_FIXED   (UINT64_C(1) << 37)
#define ARCH_PEBS_COUNTERS_METRICS (UINT64_C(1) << 38)
#define ARCH_PEBS_COUNTERS \
    (ARCH_PEBS_COUNTERS_ALLOW | ARCH_PEBS_COUNTERS_GENERAL | ARCH_PEBS_COUNTERS_FIXED | ARCH_PEBS_COUNTERS_METRICS)
#define ARCH_PEBS_LBR_SHIFT 40
#define ARCH_PEBS_LBR       (UINT64_C(3) << ARCH_PEBS_LBR_SHIFT) /* 1: 8 entries, 2: 16, 3: as many as the stack has */
#define ARCH_PEBS_XMM       (UINT64_C(1) << 49)
#define ARCH_PEBS_YMMH      (UINT64_C(1) << 50)
#define ARCH_PEBS_EGPR      (UINT64_C(3) << 51)
#define ARCH_PEBS_OPMASK    (UINT64_C(1) << 53)
#define ARCH_PEBS_ZMMH      (UINT64_C(1) << 54)
#define ARCH_PEBS_H16ZMM    (UINT64_C(1) << 55)
#define ARCH_PEBS_GPRS      (UINT64_C(1) << 61)
#define ARCH_PEBS_AUX       (UINT64_C(1) << 62)
#define ARCH_PEBS_EN        (UINT64_C(1) << 63) /* CFG_C: this counter writes records */
#define ARCH_PEBS_BASIC     (UINT64_C(1) << 63) /* header: the basic group, which each record has */

/* Of a header's first word alone. */
#define ARCH_PEBS_SIZE     UINT64_C(0xffff)    /* bytes of the fragment, header included */
#define ARCH_PEBS_MODE_64  (UINT64_C(1) << 30) /* the record is of 64-bit mode */
#define ARCH_PEBS_CONTINUE (UINT64_C(1) << 31) /* another fragment of the same record follows */

#define ARCH_PEBS_HEADER_BYTES     16u
#define ARCH_PEBS_UNIT             16u /* IA32_PEBS_INDEX counts in these; no fragment ends elsewhere */
#define ARCH_PEBS_LBR_HEADER_BYTES 48u
#define ARCH_PEBS_LBR_DEPTH_AT     16u /* in the LBR group */

/* The groups in the order in which they stand in a record; the processor writes as many of them as a fragment says. */
enum arch_pebs_group {
    ARCH_IN_BASIC,
    ARCH_IN_AUX,
    ARCH_IN_GPRS,
    ARCH_IN_XER, /* which XSAVE components follow; there with any of the next six */
    ARCH_IN_XMM,
    ARCH_IN_YMMH,
    ARCH_IN_EGPR,
    ARCH_IN_OPMASK,
    ARCH_IN_ZMMH,
    ARCH_IN_H16ZMM,
    ARCH_IN_LBR,
    ARCH_IN_COUNTERS,
    ARCH_GROUPS
};

struct arch_pebs_fragment {
    uint64_t format;          /* the header's first word */
    uint16_t size;            /* bytes */
    uint16_t at[ARCH_GROUPS]; /* where each group begins in the fragment; 0: it has none */
    unsigned lbr_entries;
};

/* Whether another fragment of the same record follows: it says so, or it is a null record, which has but a size. */
bool arch_pebs_continued(uint64_t format);

/*
 * Reads the fragment at the start of length bytes, and where its groups are; reads nothing beyond its size, and nothing
 * of a fragment that does not fit into length. *out is written only on PEBS_DECODE_OK.
 */
enum pebs_error arch_pebs_fragment(const uint8_t *bytes, size_t length, struct arch_pebs_fragment *out);

/*
 * The size in bytes of the record, with all its fragments, at the start of length bytes. The first fragment that is not
 * null must have the basic group, and no group may come twice. *size is written only on PEBS_DECODE_OK.
 */
enum pebs_error arch_pebs_extent(const uint8_t *bytes, size_t length, size_t *size);

/*
 * Bytes of a record in one fragment with these groups of CFG_C, with LBR stacks of this depth and that many counters
 * (bits; fixed ones from 32 on) where it has such groups.
 */
size_t arch_pebs_size(uint64_t cfg_c, unsigned lbr_depth, uint64_t counters);

/* The groups of CFG_C that are those of this value of MSR_PEBS_DATA_CFG; at least as many LBR entries. */
uint64_t arch_pebs_groups(uint64_t data_cfg);

#endif
