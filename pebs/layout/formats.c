/* SPDX-License-Identifier: MIT */
#include "pebs/layout/formats.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Reset slots in each format's area: first those of the general counters, then those of the fixed counters. */
struct resets {
    unsigned general, fixed;
};

static const struct resets resets[] = {
    { 1, 0 },                         /* Core: the area is padded to 50h */
    { 4, 0 },   { 4, 0 },   { 4, 0 }, /* Nehalem to Skylake */
    { 8, 4 },                         /* Ice Lake */
    { 32, 16 }, { 32, 16 },
};

static struct resets format_resets(unsigned pebs_format)
{
    return pebs_format < COUNT_OF(resets) ? resets[pebs_format] : (struct resets){ 0, 0 };
}

unsigned ds_reset_slots(unsigned pebs_format)
{
    return format_resets(pebs_format).general + format_resets(pebs_format).fixed;
}

unsigned ds_reset_general(unsigned pebs_format, unsigned counter)
{
    return counter < format_resets(pebs_format).general ? counter : DS_RESET_MAX;
}

unsigned ds_reset_fixed(unsigned pebs_format, unsigned counter)
{
    struct resets slots = format_resets(pebs_format);
    return counter < slots.fixed ? slots.general + counter : DS_RESET_MAX;
}

size_t ds_area_size(unsigned width, unsigned pebs_format)
{
    unsigned slots = ds_reset_slots(pebs_format);
    if (slots == 0)
        return 0;
    if (width == DS_WIDTH_32)
        return DS_AREA_FIELDS * DS_WIDTH_32 + 16; /* one reset slot and 8 reserved bytes */
    if (width != DS_WIDTH_64)
        return 0;
    return DS_AREA_FIELDS * DS_WIDTH_64 + 8 * (slots == 1 ? 2 : slots);
}

static const struct {
    unsigned width, format;
    size_t bytes;
} fixed_records[] = { { 4, 0, 40 }, { 8, 0, 144 }, { 8, 1, 176 }, { 8, 2, 192 }, { 8, 3, 200 } };

size_t pebs_record_size(const struct pebs_form *form)
{
    for (size_t i = 0; i < COUNT_OF(fixed_records); i++)
        if (fixed_records[i].width == form->width && fixed_records[i].format == form->format)
            return fixed_records[i].bytes;
    return 0;
}

/* Formats 5 and 6 differ from 4 in the DS area's reset slots, and 6 in the counters group. */
bool pebs_form_has_groups(const struct pebs_form *form)
{
    return form->width == 8 && form->format >= 4 && form->format <= 6;
}

bool pebs_form_has_counters(const struct pebs_form *form)
{
    return pebs_form_has_groups(form) && form->adaptive && form->format == 6;
}

unsigned pebs_lbr_entries(uint64_t data_cfg)
{
    return data_cfg & PEBS_GROUP_LBR ? (unsigned)(data_cfg >> PEBS_GROUP_LBR_LAST_SHIFT & (PEBS_LBR_MAX - 1)) + 1 : 0;
}

static const struct {
    uint64_t wanted; /* in MSR_PEBS_DATA_CFG; 0: always present */
    unsigned bytes;
} groups[PEBS_GROUPS] = {
    [PEBS_IN_BASIC] = { 0, PEBS_BASIC_BYTES },
    [PEBS_IN_MEMORY] = { PEBS_GROUP_MEMORY, 32 },
    [PEBS_IN_GPRS] = { PEBS_GROUP_GPRS, 144 },
    [PEBS_IN_XMM] = { PEBS_GROUP_XMM, 256 },
    [PEBS_IN_LBR] = { PEBS_GROUP_LBR, 0 },                                /* plus pebs_lbr_entries() */
    [PEBS_IN_COUNTERS] = { PEBS_GROUP_COUNTERS | PEBS_GROUP_METRICS, 0 }, /* plus pebs_counters_size() */
};

static bool has_group(uint64_t data_cfg, enum pebs_group group)
{
    return groups[group].wanted == 0 || (data_cfg & groups[group].wanted) != 0;
}

size_t pebs_group_at(uint64_t data_cfg, enum pebs_group group)
{
    size_t at = 0;

    if (!has_group(data_cfg, group))
        return SIZE_MAX;
    for (unsigned i = 0; i < group; i++)
        at += has_group(data_cfg, (enum pebs_group)i) ? groups[i].bytes : 0;
    return at + (group > PEBS_IN_LBR ? pebs_lbr_entries(data_cfg) * PEBS_LBR_BYTES : 0);
}

static unsigned ones(uint64_t bits)
{
    unsigned count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

size_t pebs_counters_size(uint64_t counters, bool metrics)
{
    return PEBS_COUNTERS_BYTES + 8 * (size_t)(ones(counters) + (metrics ? 2 : 0));
}

#define GENERAL_BITS (UINT64_C(0xffff) << PEBS_GROUP_GENERAL_SHIFT)
#define FIXED_BITS   (UINT64_C(0xff) << PEBS_GROUP_FIXED_SHIFT)

size_t pebs_adaptive_size(uint64_t data_cfg)
{
    const uint64_t known = PEBS_GROUP_MEMORY | PEBS_GROUP_GPRS | PEBS_GROUP_XMM | PEBS_GROUP_LBR | PEBS_GROUP_COUNTERS |
                           PEBS_GROUP_METRICS | (uint64_t)(PEBS_LBR_MAX - 1) << PEBS_GROUP_LBR_LAST_SHIFT |
                           GENERAL_BITS | FIXED_BITS;
    const uint64_t asked = data_cfg & PEBS_GROUP_COUNTERS ? data_cfg : 0;
    size_t size = pebs_lbr_entries(data_cfg) * PEBS_LBR_BYTES;

    if (has_group(data_cfg, PEBS_IN_COUNTERS))
        size += pebs_counters_size(asked & (GENERAL_BITS | FIXED_BITS), data_cfg & PEBS_GROUP_METRICS);

    for (unsigned i = 0; i < PEBS_GROUPS; i++)
        size += has_group(data_cfg, (enum pebs_group)i) ? groups[i].bytes : 0;
    return data_cfg & ~known ? 0 : size;
}

bool lbr_format_known(unsigned lbr_format)
{
    return lbr_format <= LBR_FORMAT_INFO2;
}
