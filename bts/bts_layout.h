/* SPDX-License-Identifier: MIT */
/* The BTS record as the processor writes it. SDM Vol. 3B (253668-032), "Debug Store (DS) Mechanism", figure 16-9. */
#ifndef BTS_BTS_LAYOUT_H
#define BTS_BTS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct bts_layout_64 {
    uint64_t from;
    uint64_t to;
    uint64_t flags;
};

#define BTS_FLAGS_PREDICTED (UINT64_C(1) << 4) /* NetBurst; Core and Atom leave it undefined (SDM-032, 16-27) */

_Static_assert(offsetof(struct bts_layout_64, from) == 0x00, "BTS record");
_Static_assert(offsetof(struct bts_layout_64, to) == 0x08, "BTS record");
_Static_assert(offsetof(struct bts_layout_64, flags) == 0x10, "BTS record");
_Static_assert(sizeof(struct bts_layout_64) == 0x18, "BTS record");

#endif
