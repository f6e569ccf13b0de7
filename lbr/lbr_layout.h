/* SPDX-License-Identifier: MIT */
/*
 * The bits of the LBR stack's registers, by LBR_FORMAT_* of pebs/layout/formats.h.
 * SDM Vol. 3A (253668-032), "LBR Stack", 16.4.8; SDM Vol. 3B (253669-081), "LBR Stack and Last Branch Record".
 */
#ifndef LBR_LBR_LAYOUT_H
#define LBR_LBR_LAYOUT_H

#include <stdint.h>

/*
 * In FROM. SDM Vol. 3A (253668-032), table 16-6, says that bit 63 is set if the branch was predicted. Later editions
 * and Linux say mispredicted, and so does this code.
 */
#define LBR_FROM_MISPRED   (UINT64_C(1) << 63)
#define LBR_FROM_IN_TSX    (UINT64_C(1) << 62)
#define LBR_FROM_TSX_ABORT (UINT64_C(1) << 61)

/* Bits of MSR_LBR_INFO_x. */
#define LBR_INFO_MISPRED   (UINT64_C(1) << 63)
#define LBR_INFO_IN_TSX    (UINT64_C(1) << 62)
#define LBR_INFO_TSX_ABORT (UINT64_C(1) << 61)
#define LBR_INFO_CYCLES    UINT64_C(0xffff)

/*
 * Further bits of IA32_LBR_x_INFO, the architectural LBRs: SDM Vol. 3B (253669-081), "Last Branch Records",
 * "IA32_LBR_x_INFO".
 */
#define LBR_INFO_CYCLES_VALID (UINT64_C(1) << 60)
#define LBR_INFO_TYPE_SHIFT   56 /* shift of the 4-bit branch type */

/*
 * Event logging: two bits for each of four general counters, the lowest first. Linux 6.8,
 * arch/x86/include/asm/msr-index.h, LBR_INFO_BR_CNTR_*.
 */
#define LBR_INFO_EVENTS_SHIFT 32
#define LBR_INFO_EVENTS_BITS  2

#define LBR_TO_CYCLES_SHIFT 48 /* shift of the 16-bit cycle count in TO */

#define LBR_PACKED_TO_SHIFT 32 /* in MSR_LASTBRANCH_x of Pentium M and Core Duo: FROM below, TO above */

#endif
