/* SPDX-License-Identifier: MIT */
/* Decodes and encodes the DS buffer management area, in both widths. Pure. */
#ifndef DS_DS_AREA_H
#define DS_DS_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "ds/ds_layout.h"

/* One buffer of records, as linear addresses. */
struct ds_buffer {
    uint64_t base;
    uint64_t index;     /* address of the next record */
    uint64_t maximum;   /* first byte after the buffer, base + n * record size */
    uint64_t threshold; /* an interrupt is raised when index reaches it */
};

struct ds_area {
    struct ds_buffer bts, pebs;
    uint64_t pebs_reset[DS_RESET_MAX]; /* by slot: ds_reset_general(), ds_reset_fixed() */
};

enum ds_area_error {
    DS_AREA_OK,
    DS_AREA_WIDTH,     /* width is neither 4 nor 8 */
    DS_AREA_FORMAT,    /* this PEBS format has no known management area */
    DS_AREA_TRUNCATED, /* fewer bytes than the area has */
    DS_AREA_VALUE      /* a value does not fit into 32 bits */
};

/*
 * Decode from and encode to the memory at IA32_DS_AREA. length: accessible bytes. After an error the output is
 * unchanged. Encoding writes the whole area, with zeros in reserved bytes. Decoding zeroes slots that the format lacks.
 */
enum ds_area_error ds_area_decode(unsigned width, unsigned pebs_format, const void *bytes, size_t length,
                                  struct ds_area *area);
enum ds_area_error ds_area_encode(unsigned width, unsigned pebs_format, const struct ds_area *area, void *bytes,
                                  size_t length);

#endif
