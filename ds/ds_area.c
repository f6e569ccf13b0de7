/* SPDX-License-Identifier: MIT */
#include "ds/ds_area.h"

#include "ds/bytes.h"

#define FIELDS 8u /* pointer fields before the counter resets */

static const size_t fields[FIELDS] = {
    offsetof(struct ds_area, bts.base),     offsetof(struct ds_area, bts.index),
    offsetof(struct ds_area, bts.maximum),  offsetof(struct ds_area, bts.threshold),
    offsetof(struct ds_area, pebs.base),    offsetof(struct ds_area, pebs.index),
    offsetof(struct ds_area, pebs.maximum), offsetof(struct ds_area, pebs.threshold),
};

_Static_assert(offsetof(struct ds_layout_64, pebs_reset) == FIELDS * DS_WIDTH_64,
               "fields come in this order, without gaps");
_Static_assert(offsetof(struct ds_layout_32, pebs_reset) == FIELDS * DS_WIDTH_32,
               "fields come in this order, without gaps");

/* Slots of the general counters from 0, then of the fixed ones: all that is known of each format's area. */
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
    if (pebs_format >= sizeof(resets) / sizeof(resets[0]))
        return (struct resets){ 0, 0 };
    return resets[pebs_format];
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
        return sizeof(struct ds_layout_32);
    if (width != DS_WIDTH_64)
        return 0;
    return offsetof(struct ds_layout_64, pebs_reset) + 8 * (slots == 1 ? 2 : slots);
}

static enum ds_area_error check_shape(unsigned width, unsigned pebs_format, size_t length)
{
    if (width != DS_WIDTH_32 && width != DS_WIDTH_64)
        return DS_AREA_WIDTH;
    size_t size = ds_area_size(width, pebs_format);
    if (size == 0)
        return DS_AREA_FORMAT;
    return length < size ? DS_AREA_TRUNCATED : DS_AREA_OK;
}

/* The 32-bit area has a single slot. */
static unsigned slots_of(unsigned width, unsigned pebs_format)
{
    return width == DS_WIDTH_32 ? 1 : ds_reset_slots(pebs_format);
}

enum ds_area_error ds_area_decode(unsigned width, unsigned pebs_format, const void *bytes, size_t length,
                                  struct ds_area *area)
{
    enum ds_area_error error = check_shape(width, pebs_format, length);
    if (error != DS_AREA_OK)
        return error;

    *area = (struct ds_area){ 0 };
    for (unsigned i = 0; i < FIELDS; i++) {
        uint64_t *field = (uint64_t *)(void *)((char *)area + fields[i]);
        *field = width == DS_WIDTH_32 ? read_u32(bytes, 4 * i) : read_u64(bytes, 8 * i);
    }
    for (unsigned i = 0; i < slots_of(width, pebs_format); i++)
        area->pebs_reset[i] = read_u64(bytes, FIELDS * width + 8 * i);
    return DS_AREA_OK;
}

enum ds_area_error ds_area_encode(unsigned width, unsigned pebs_format, const struct ds_area *area, void *bytes,
                                  size_t length)
{
    enum ds_area_error error = check_shape(width, pebs_format, length);
    if (error != DS_AREA_OK)
        return error;

    uint64_t values[FIELDS];
    for (unsigned i = 0; i < FIELDS; i++) {
        values[i] = *(const uint64_t *)(const void *)((const char *)area + fields[i]);
        if (width == DS_WIDTH_32 && values[i] >> 32 != 0)
            return DS_AREA_VALUE;
    }

    for (unsigned i = 0; i < FIELDS; i++) {
        if (width == DS_WIDTH_32)
            write_u32(bytes, 4 * i, (uint32_t)values[i]);
        else
            write_u64(bytes, 8 * i, values[i]);
    }
    size_t slots = slots_of(width, pebs_format);
    for (size_t at = FIELDS * width; at < ds_area_size(width, pebs_format); at += 8) {
        size_t slot = (at - FIELDS * width) / 8;
        write_u64(bytes, at, slot < slots ? area->pebs_reset[slot] : 0);
    }
    return DS_AREA_OK;
}

const char *ds_area_error_text(enum ds_area_error error)
{
    switch (error) {
    case DS_AREA_OK:
        return "no error";
    case DS_AREA_WIDTH:
        return "width of the DS area's fields is neither 4 nor 8 bytes";
    case DS_AREA_FORMAT:
        return "DS area of this PEBS format unknown";
    case DS_AREA_TRUNCATED:
        return "DS area cut short";
    case DS_AREA_VALUE:
        return "value of the DS area does not fit into 32 bits";
    }
    return "unknown DS area error";
}
