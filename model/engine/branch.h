/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A branch between the ring and its destinations, BTS and the LBR stack. */
#ifndef MODEL_ENGINE_BRANCH_H
#define MODEL_ENGINE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/insn/block.h"
#include "model/vcpu/vcpu.h"

#define LBR_MAX_CYCLES 0xffff /* of an LBR entry */
#define BRANCH_BATCH   64     /* branches gathered before they are passed on, so that short loops run fast */

struct branch {
    const struct block *block; /* the block that ends with the branch */
    uint64_t to;
    uint64_t time;                /* in instructions, including the branch */
    bool mispredicted, predicted; /* neither is set for interruptions */
    uint8_t to_cpl;
    uint32_t to_base;              /* of the code segment at `to`, as block->code_base */
    bool not_taken;                /* only set if rules->every_branch */
    uint32_t events[LBR_COUNTERS]; /* since the previous branch, of counters whose events LBR entries count */
};

#endif
