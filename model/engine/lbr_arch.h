/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural LBR. The stack is the same ring as on older processors, but its top is hidden from software: entry x is
 * the x-th newest.
 */
#ifndef MODEL_ENGINE_LBR_ARCH_H
#define MODEL_ENGINE_LBR_ARCH_H

#include "model/engine/branch.h"
#include "model/vcpu/vcpu.h"

bool lbr_arch_has_depth(const struct profile *profile, uint64_t depth);

/* The effects of writes to IA32_LBR_DEPTH, which clears the stack, and to IA32_LBR_CTL. */
void lbr_arch_set_depth(struct vcpu *v, uint64_t depth);
void lbr_arch_set_control(struct vcpu *v, uint64_t control);

/* The value of IA32_LBR_x_INFO for a branch, and its field BR_TYPE. */
uint64_t lbr_arch_info(const struct lbr_contents *contents);
unsigned lbr_arch_type(enum block_end end);

/* The event counts of a value of IA32_LBR_x_INFO. No other member is set. */
struct lbr_contents lbr_arch_events(uint64_t info);

#endif
