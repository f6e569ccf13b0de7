/* SPDX-License-Identifier: MIT */
/*
 * Architectural PEBS: the groups in a counter's records, the place of each group, and the size of a record. A record is
 * one or more fragments. Each has a header with its size, its groups, and a flag if another fragment follows. Pure.
 * Intel Architecture Instruction Set Extensions Programming Reference (319433), chapter 11 "Architectural PEBS"; where
 * we lack it, Linux, commit 52448a0a7390 ("arch-PEBS enabling") and its successors.
 */
#ifndef PEBS_LAYOUT_ARCH_PEBS_H
#define PEBS_LAYOUT_ARCH_PEBS_H

#include <stddef.h>
#include <stdint.h>

#include "pebs/layout/formats.h"

/* This value of IA32_PERF_CAPABILITIES[11:8] means architectural PEBS, which CPUID.23H describes. */
#define ARCH_PEBS_FORMAT 0xfu

/*
 * Bits of IA32_PMC_GPn_CFG_C and IA32_PMC_FXm_CFG_C, and of a header's first word. Sources disagree about the bit for
 * R16 to R31, which no driver sets yet: this code accepts either.
 */
#define ARCH_PEBS_RELOAD           UINT64_C(0xffffffff) /* CFG_C only: the value that the counter is reloaded with */
#define ARCH_PEBS_COUNTERS_ALLOW   (UINT64_C(1) << 35)  /* other counters' counters groups may contain this counter */
#define ARCH_PEBS_COUNTERS_GENERAL (UINT64_C(1) << 36)
#define ARCH_PEBS_COUNTERS_FIXED   (UINT64_C(1) << 37)
#define ARCH_PEBS_COUNTERS_METRICS (UINT64_C(1) << 38)
#define ARCH_PEBS_COUNTERS \
    (ARCH_PEBS_COUNTERS_ALLOW | ARCH_PEBS_COUNTERS_GENERAL | ARCH_PEBS_COUNTERS_FIXED | ARCH_PEBS_COUNTERS_METRICS)
#define ARCH_PEBS_LBR_SHIFT 40
#define ARCH_PEBS_LBR       (UINT64_C(3) << ARCH_PEBS_LBR_SHIFT) /* 1: 8 entries, 2: 16, 3: the whole stack */
#define XSTATE_SSE          (UINT64_C(1) << 1) /* XMM's bit of XSTATE_BV, which precedes the vector groups */
#define XSTATE_AVX          (UINT64_C(1) << 2) /* that of the upper halves of YMM */
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

/* Only in a header's first word. */
#define ARCH_PEBS_SIZE     UINT64_C(0xffff)    /* bytes of the fragment, header included */
#define ARCH_PEBS_MODE_64  (UINT64_C(1) << 30) /* the record is from 64-bit mode */
#define ARCH_PEBS_CONTINUE (UINT64_C(1) << 31) /* another fragment of the same record follows */

#define ARCH_PEBS_HEADER_BYTES     16u
#define ARCH_PEBS_LEAST            64u /* the smallest record: a header and the basic group */
#define ARCH_PEBS_UNIT             16u /* alignment of IA32_PEBS_INDEX and of every fragment's end */
#define ARCH_PEBS_LBR_HEADER_BYTES 48u
#define ARCH_PEBS_LBR_DEPTH_AT     16u /* in the LBR group */

/* The groups in their order in a record. Each fragment has only those that its header lists. */
enum arch_pebs_group {
    ARCH_IN_BASIC,
    ARCH_IN_AUX,
    ARCH_IN_GPRS,
    ARCH_IN_XER, /* which XSAVE components follow; present with any of the next six */
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
    uint16_t at[ARCH_GROUPS]; /* byte offset of each group in the fragment; 0 if absent */
    unsigned lbr_entries;
};

/* Whether the record has another fragment: its header says so, or this fragment is null, with a size and no group. */
bool arch_pebs_continued(uint64_t format);

/*
 * Reads the fragment at the start of length bytes, and finds its groups. Reads only bytes inside the fragment, and none
 * if it does not fit into length. *out is written only on PEBS_DECODE_OK.
 */
enum pebs_error arch_pebs_fragment(const uint8_t *bytes, size_t length, struct arch_pebs_fragment *out);

/*
 * Sets *size to the bytes of the record, with all its fragments, at the start of length bytes. Reads only the headers,
 * because the service routine calls this for each record. *size is written only on PEBS_DECODE_OK.
 */
enum pebs_error arch_pebs_extent(const uint8_t *bytes, size_t length, size_t *size);

/*
 * Bytes of a record in one fragment with these groups of CFG_C. lbr_depth and counters (general in bits 31:0, fixed in
 * 63:32) apply only if the LBR and counters groups are selected.
 */
size_t arch_pebs_size(uint64_t cfg_c, unsigned lbr_depth, uint64_t counters);

/* The groups of CFG_C that correspond to this value of MSR_PEBS_DATA_CFG, with at least as many LBR entries. */
uint64_t arch_pebs_groups(uint64_t data_cfg);

#endif
