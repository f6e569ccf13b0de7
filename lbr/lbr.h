/* SPDX-License-Identifier: MIT */
/*
 * Reads and controls the LBR stack. SDM Vol. 3A (253668-032), "LBR Stack", 16.4.8. Architectural LBRs have other
 * registers, a filter whose set bits record branches instead of filtering them out, and a stack that shifts: entry 0 is
 * always the newest. SDM Vol. 3B (253669-081), "Last Branch Records".
 */
#ifndef LBR_LBR_H
#define LBR_LBR_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "lbr/lbr_decode.h"
#include "suite/workload/workload.h"

#define LBR_DEPTH_MAX 32u

struct lbr_stack {
    unsigned depth;                          /* entries */
    bool shifts;                             /* architectural: no top-of-stack pointer */
    uint64_t tos;                            /* as read; 0 if the stack shifts */
    enum lbr_error error;                    /* the entries are valid only if this is LBR_DECODE_OK */
    struct lbr_entry entries[LBR_DEPTH_MAX]; /* the newest first */
    uint64_t registers[LBR_DEPTH_MAX][3]; /* FROM, TO and INFO as read, newest first; 0 if there is no such register */
};

/*
 * Empties the stack and sets the filter (LBR_SELECT_*: a set bit filters out; must be 0 if there is no such register).
 * LBR must be off. Returns whether each register accepted its value.
 */
bool lbr_reset(const struct caps *caps, uint64_t select);

/* The window that records branches. more: further bits of caps->debugctl, such as freeze on PMI. */
struct window lbr_window(const struct caps *caps, uint64_t more);

/* Reads the whole stack. LBR must be off or frozen. */
void lbr_read(const struct caps *caps, struct lbr_stack *stack);

/*
 * The value of IA32_LBR_CTL, with recording off, that filters like these bits of MSR_LBR_SELECT. LBR_SELECT_CALL_STACK
 * becomes the call-stack bit.
 */
uint64_t lbr_arch_control(uint64_t select);

#endif
