/* SPDX-License-Identifier: MIT */
/*
 * The DS buffer management area as the processor reads and writes it, in both widths.
 * SDM Vol. 3A (253668-032), "BTS and DS Save Area", 16.4.9, figures 16-5 (32-bit) and 16-8 (64-bit).
 */
#ifndef DS_DS_LAYOUT_H
#define DS_DS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "pebs/layout/formats.h"

struct ds_layout_32 {
    uint32_t bts_base, bts_index, bts_maximum, bts_threshold;
    uint32_t pebs_base, pebs_index, pebs_maximum, pebs_threshold;
    uint32_t pebs_reset[2]; /* one 64-bit value, low half first: NetBurst's counters are 40 bits wide */
    uint32_t reserved[2];
};

/* The 64-bit area. The number of reset slots depends on the PEBS format: ds_reset_slots(). */
struct ds_layout_64 {
    uint64_t bts_base, bts_index, bts_maximum, bts_threshold;
    uint64_t pebs_base, pebs_index, pebs_maximum, pebs_threshold;
    uint64_t pebs_reset[DS_RESET_MAX];
};

_Static_assert(offsetof(struct ds_layout_32, bts_base) == 0x00, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, bts_index) == 0x04, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, bts_maximum) == 0x08, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, bts_threshold) == 0x0c, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, pebs_base) == 0x10, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, pebs_index) == 0x14, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, pebs_maximum) == 0x18, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, pebs_threshold) == 0x1c, "SDM figure 16-5");
_Static_assert(offsetof(struct ds_layout_32, pebs_reset) == 0x20, "SDM figure 16-5");
_Static_assert(sizeof(struct ds_layout_32) == 0x30, "SDM figure 16-5");

_Static_assert(offsetof(struct ds_layout_64, bts_base) == 0x00, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, bts_index) == 0x08, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, bts_maximum) == 0x10, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, bts_threshold) == 0x18, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, pebs_base) == 0x20, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, pebs_index) == 0x28, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, pebs_maximum) == 0x30, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, pebs_threshold) == 0x38, "SDM figure 16-8");
_Static_assert(offsetof(struct ds_layout_64, pebs_reset) == 0x40, "SDM figure 16-8");

#endif
