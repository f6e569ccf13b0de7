/* SPDX-License-Identifier: MIT */
/* Decodes LBR entries from their MSR values. Pure. */
#ifndef LBR_LBR_DECODE_H
#define LBR_LBR_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum lbr_error { LBR_DECODE_OK, LBR_DECODE_FORMAT_UNKNOWN, LBR_DECODE_TOS_RANGE, LBR_DECODE_DEPTH };

/* Fields of a format in addition to the two addresses. */
#define LBR_HAS_MISPRED (UINT64_C(1) << 0)
#define LBR_HAS_TSX     (UINT64_C(1) << 1)
#define LBR_HAS_CYCLES  (UINT64_C(1) << 2)
#define LBR_HAS_TYPE    (UINT64_C(1) << 3)
#define LBR_HAS_EVENTS  (UINT64_C(1) << 4) /* at least one event count is not 0 */

/* Number of general counters whose events an entry can count, and the highest count of each. */
#define LBR_COUNTERS   4u
#define LBR_EVENTS_MAX 3u

/* Branch types of the architectural LBRs. 8 to 15 all mean LBR_TYPE_OTHER; 6 and 7 are reserved. */
enum lbr_type {
    LBR_TYPE_JCC,
    LBR_TYPE_IND_JMP,
    LBR_TYPE_JMP,
    LBR_TYPE_IND_CALL,
    LBR_TYPE_CALL,
    LBR_TYPE_RET,
    LBR_TYPE_OTHER = 8
};

struct lbr_entry {
    uint64_t from, to; /* linear addresses, sign-extended */
    uint64_t has;      /* LBR_HAS_*: which of the following fields are valid */
    bool mispredicted, in_tsx, tsx_abort;
    uint16_t cycles;              /* core cycles since the last entry, saturating */
    uint8_t type;                 /* enum lbr_type, as stored */
    uint64_t info;                /* as read; 0 in formats without it */
    uint8_t events[LBR_COUNTERS]; /* of each counter since the last entry, saturating; 0 if not logged */
};

/*
 * Decodes the three MSRs of one entry. lbr_format: IA32_PERF_CAPABILITIES[5:0]. Formats without LBR_INFO ignore info.
 * *out is written only on LBR_DECODE_OK.
 */
enum lbr_error lbr_decode(unsigned lbr_format, uint64_t from, uint64_t to, uint64_t info, struct lbr_entry *out);

/* Decodes an MSR with both 32-bit addresses (Pentium M, Core Duo): FROM in its low half, TO in its high half. */
void lbr_decode_packed(uint64_t value, struct lbr_entry *out);

/*
 * Decodes IA32_LBR_x_FROM_IP, _TO_IP and _INFO of the architectural LBRs. The entry has cycles only if INFO marks them
 * as valid, and events only if a count is not 0: no bit says whether events are logged.
 */
void lbr_decode_arch(uint64_t from, uint64_t to, uint64_t info, struct lbr_entry *out);

/*
 * Finds the register (0 to depth - 1) of the entry with this age (0 is the newest). depth: entries of the stack (a
 * power of two, 1 to 64). tos: the value of its top-of-stack pointer.
 */
enum lbr_error lbr_position(unsigned depth, uint64_t tos, unsigned age, unsigned *position);

/* Whether the entry was written since the stack was emptied. */
bool lbr_is_used(const struct lbr_entry *entry);

const char *lbr_error_text(enum lbr_error error);

#endif
