/* SPDX-License-Identifier: MIT */
/*
 * Architectural last branch records: registers of their own, a filter that selects what is recorded, and a stack
 * that shifts, so that entry 0 is always the newest. SDM Vol. 3B (253669-081), "Last Branch Records".
 */
#ifndef LBR_LBR_ARCH_H
#define LBR_LBR_ARCH_H

#include <stdint.h>

#include "lbr/lbr.h"

/*
 * The value of IA32_LBR_CTL, with recording off, that filters as these bits of MSR_LBR_SELECT do; LBR_SELECT_CALL_STACK
 * becomes the call-stack bit.
 */
uint64_t lbr_arch_control(uint64_t select);

/* lbr_reset(), lbr_window() and lbr_read() of lbr/lbr.h for these registers. */
void lbr_arch_reset(const struct caps *caps, uint64_t select);
struct window lbr_arch_window(uint64_t more);
void lbr_arch_read(const struct caps *caps, struct lbr_stack *stack);

#endif
