/* SPDX-License-Identifier: MIT */
/*
 * Lists an LBR stack as debuggers do, a line for each register with the newest first, while lbr_text() prints a line
 * for each branch. Pure. Symbols are printed as name+offset, the offset in hexadecimal.
 */
#ifndef KERNEL_REPORT_LBR_LISTING_H
#define KERNEL_REPORT_LBR_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "lbr/lbr_decode.h"
#include "kernel/report/record_text.h"

/* Where the registers are, and the values of related registers. */
struct lbr_listing_head {
    unsigned family, model; /* display family and model */
    unsigned depth;
    uint32_t from, to, info; /* MSR numbers of entry 0 */
    unsigned flags;          /* the listing's own flags, printed as given */
    uint64_t perf_capabilities, debugctl;
    bool enabled; /* DEBUGCTL's LBR bit at the time of printing: reading the stack clears it */
    uint64_t tos;
};

void lbr_listing_head(const struct line_sink *out, const struct lbr_listing_head *head);

/* Prints "LBR bit is set now." or "LBR bit is cleared now.", the head's last line, or the only one without a head. */
void lbr_listing_state(const struct line_sink *out, bool enabled);

/*
 * Lists the `count` newest entries of a stack of depth registers (depths: see lbr_position()); values[n] is register n.
 * Packed registers (Pentium M) print a line for TO, the high half, above one for FROM, the low half. On an error
 * nothing is printed.
 */
enum lbr_error lbr_listing_packed(const struct line_sink *out, unsigned depth, uint64_t tos, unsigned count,
                                  const uint64_t *values, const struct symbolizer *symbols);

/* Lists triples with flags and cycles in INFO (LBR_FORMAT_INFO) likewise: a line each for INFO, TO and FROM. */
enum lbr_error lbr_listing_info(const struct line_sink *out, unsigned depth, uint64_t tos, unsigned count,
                                const uint64_t *from, const uint64_t *to, const uint64_t *info,
                                const struct symbolizer *symbols);

#endif
