/* SPDX-License-Identifier: MIT */
#include "ds/ds_area.h"

#include "lib/bytes.h"

static const size_t fields[DS_AREA_FIELDS] = {
    offsetof(struct ds_area, bts.base),     offsetof(struct ds_area, bts.index),
    offsetof(struct ds_area, bts.maximum),  offsetof(struct ds_area, bts.threshold),
    offsetof(struct ds_area, pebs.base),    offsetof(struct ds_area, pebs.index),
    offsetof(struct ds_area, pebs.maximum), offsetof(struct ds_area, pebs.threshold),
};

_Static_assert(offsetof(struct ds_layout_64, pebs_reset) == DS_AREA_FIELDS * DS_WIDTH_64,
               "fields come in this order, without gaps");
_Static_assert(offsetof(struct ds_layout_32, pebs_reset) == DS_AREA_FIELDS * DS_WIDTH_32,
               "fields come in this order, without gaps");

static enum ds_area_error check_shape(unsigned width, unsigned pebs_format, size_t length)
{
    if (width != DS_WIDTH_32 && width != DS_WIDTH_64)
        return DS_AREA_WIDTH;
    size_t size = ds_area_size(width, pebs_format);
    if (size == 0)
        return DS_AREA_FORMAT;
    return length < size ? DS_AREA_TRUNCATED : DS_AREA_OK;
}

/* The number of reset slots. The 32-bit area has one. */
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
    for (unsigned i = 0; i < DS_AREA_FIELDS; i++) {
        uint64_t *field = (uint64_t *)(void *)((char *)area + fields[i]);
        *field = width == DS_WIDTH_32 ? read_u32(bytes, 4 * i) : read_u64(bytes, 8 * i);
    }
    for (unsigned i = 0; i < slots_of(width, pebs_format); i++)
        area->pebs_reset[i] = read_u64(bytes, DS_AREA_FIELDS * width + 8 * i);
    return DS_AREA_OK;
}

enum ds_area_error ds_area_encode(unsigned width, unsigned pebs_format, const struct ds_area *area, void *bytes,
                                  size_t length)
{
    enum ds_area_error error = check_shape(width, pebs_format, length);
    if (error != DS_AREA_OK)
        return error;

    uint64_t values[DS_AREA_FIELDS];
    for (unsigned i = 0; i < DS_AREA_FIELDS; i++) {
        values[i] = *(const uint64_t *)(const void *)((const char *)area + fields[i]);
        if (width == DS_WIDTH_32 && values[i] >> 32 != 0)
            return DS_AREA_VALUE;
    }

    for (unsigned i = 0; i < DS_AREA_FIELDS; i++)
        if (width == DS_WIDTH_32)
            write_u32(bytes, 4 * i, (uint32_t)values[i]);
        else
            write_u64(bytes, 8 * i, values[i]);
    size_t slots = slots_of(width, pebs_format);
    for (size_t at = DS_AREA_FIELDS * width; at < ds_area_size(width, pebs_format); at += 8) {
        size_t slot = (at - DS_AREA_FIELDS * width) / 8;
        write_u64(bytes, at, slot < slots ? area->pebs_reset[slot] : 0);
    }
    return DS_AREA_OK;
}
