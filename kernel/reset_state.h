/* SPDX-License-Identifier: MIT */
/*
 * The values, at the start of this program, of registers whose reset state the manual defines. Firmware ran earlier and
 * may have changed them.
 */
#ifndef KERNEL_RESET_STATE_H
#define KERNEL_RESET_STATE_H

#include <stdint.h>

#include "cpu/caps.h"

#define RESET_COUNTERS 8u /* general counters whose state is saved */

struct reset_state {
    uint64_t global_ctrl, lbr_select;
    uint64_t event_select[RESET_COUNTERS], counter[RESET_COUNTERS];
};

/* Reads the registers that the processor has. Must be called before anything is programmed. */
void reset_state_take(const struct caps *caps);
const struct reset_state *reset_state(void);

#endif
