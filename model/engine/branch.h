/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A branch on its way from the ring to BTS and the LBR stack. */
#ifndef MODEL_ENGINE_BRANCH_H
#define MODEL_ENGINE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/insn/block.h"
#include "model/vcpu/vcpu.h"

#define BRANCH_BATCH 64 /* branches that are gathered before they are handed on: short loops run fast */

struct branch {
    const struct block *block; /* the block that the branch ended */
    uint64_t to;
    uint64_t time;                /* cycles, including the branch's own */
    bool mispredicted, predicted; /* neither is set for interruptions */
    uint8_t to_cpl;
    bool not_taken;                /* set only where rules->every_branch */
    uint32_t events[LBR_COUNTERS]; /* since the branch before, of counters that LBR entries count */
};

#endif
