/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A branch on its way from the ring to BTS and the LBR stack. */
#ifndef MODEL_ENGINE_BRANCH_H
#define MODEL_ENGINE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/code/block.h"

#define BRANCH_BATCH 64 /* so many are gathered and then handed to who wants them: short loops run fast */

struct branch {
    const struct block *block; /* the one that it ended */
    uint64_t to;
    uint64_t time;                /* cycles, its own included */
    bool mispredicted, predicted; /* interruptions are neither */
    uint8_t to_cpl;
    bool not_taken; /* only where rules->every_branch */
};

/* A branch as the LBR stack is to tell of it. */
struct lbr_event {
    uint64_t from, to;
    uint64_t cycles; /* as counted: may be more than an entry holds */
    bool mispredicted;
    bool timed;  /* the cycles are known */
    uint8_t end; /* enum block_end */
};

#endif
