/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A branch on its way from the ring to BTS and the LBR stack. */
#ifndef MODEL_ENGINE_BRANCH_H
#define MODEL_ENGINE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/code/block.h"

#define BRANCH_BATCH 64 /* branches that are gathered before they are handed on: short loops run fast */

struct branch {
    const struct block *block; /* the block that the branch ended */
    uint64_t to;
    uint64_t time;                /* cycles, including the branch's own */
    bool mispredicted, predicted; /* neither is set for interruptions */
    uint8_t to_cpl;
    bool not_taken; /* set only where rules->every_branch */
};

/* A branch as an LBR entry describes it. */
struct lbr_contents {
    uint64_t from, to;
    uint64_t cycles; /* as counted: may exceed what an entry holds */
    bool mispredicted;
    bool timed;  /* the cycles are known */
    uint8_t end; /* enum block_end */
};

#endif
