/* SPDX-License-Identifier: MIT */
/*
 * The BTS record as the processor writes it, in both widths of the DS area.
 * SDM Vol. 3A (253668-032), "BTS and DS Save Area", 16.4.9, figures 16-6 (32-bit) and 16-9 (64-bit).
 */
#ifndef BTS_BTS_LAYOUT_H
#define BTS_BTS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct bts_layout_32 {
    uint32_t from;
    uint32_t to;
    uint32_t flags;
};

struct bts_layout_64 {
    uint64_t from;
    uint64_t to;
    uint64_t flags;
};

#define BTS_FLAGS_PREDICTED (UINT64_C(1) << 4) /* NetBurst (SDM-032, 16-27); Skylake to Comet Lake (SKL088) */

_Static_assert(offsetof(struct bts_layout_32, from) == 0x00, "BTS record, 32-bit");
_Static_assert(offsetof(struct bts_layout_32, to) == 0x04, "BTS record, 32-bit");
_Static_assert(offsetof(struct bts_layout_32, flags) == 0x08, "BTS record, 32-bit");
_Static_assert(sizeof(struct bts_layout_32) == 0x0c, "BTS record, 32-bit");

_Static_assert(offsetof(struct bts_layout_64, from) == 0x00, "BTS record");
_Static_assert(offsetof(struct bts_layout_64, to) == 0x08, "BTS record");
_Static_assert(offsetof(struct bts_layout_64, flags) == 0x10, "BTS record");
_Static_assert(sizeof(struct bts_layout_64) == 0x18, "BTS record");

#endif
