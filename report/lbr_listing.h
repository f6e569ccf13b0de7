/* SPDX-License-Identifier: MIT */
/*
 * An LBR stack as debuggers list it, register by register with the newest first, where lbr_text() has a line for each
 * branch. Pure. Symbols stand as name+offset, the offset in hexadecimal; nothing follows an address without one.
 */
#ifndef REPORT_LBR_LISTING_H
#define REPORT_LBR_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "lbr/lbr_decode.h"
#include "report/record_text.h"

/* Where the registers are, and what the ones around them read. */
struct lbr_listing_head {
    unsigned family, model; /* display family and model */
    unsigned depth;
    uint32_t from, to, info; /* MSR numbers of entry 0 */
    unsigned flags;          /* of the listing's own: printed as given */
    uint64_t perf_capabilities, debugctl;
    bool enabled; /* DEBUGCTL's LBR bit at the time of printing: reading the stack clears it */
    uint64_t tos;
};

void lbr_listing_head(const struct line_sink *out, const struct lbr_listing_head *head);

/* "LBR bit is set now." or "LBR bit is cleared now.", the last line of the head; it stands alone where there is none.
 */
void lbr_listing_state(const struct line_sink *out, bool enabled);

/*
 * The count newest entries of a stack of depth registers (lbr_position() says which depths there are), values[n] being
 * register n. Packed registers (Pentium M): a line for TO, the high half, above one for FROM, the low half.
 * On an error no line was written.
 */
enum lbr_error lbr_listing_packed(const struct line_sink *out, unsigned depth, uint64_t tos, unsigned count,
                                  const uint64_t *values, const struct symbolizer *symbols);

/* Likewise of triples with flags and cycles in INFO (LBR_FORMAT_INFO): a line each for INFO, TO and FROM. */
enum lbr_error lbr_listing_info(const struct line_sink *out, unsigned depth, uint64_t tos, unsigned count,
                                const uint64_t *from, const uint64_t *to, const uint64_t *info,
                                const struct symbolizer *symbols);

#endif
