/* SPDX-License-Identifier: MIT */
#include "bts/bts_decode.h"

#include "lib/bytes.h"
#include "bts/bts_layout.h"

_Static_assert(BTS_RECORD_SIZE_32 == sizeof(struct bts_layout_32), "the size of a 32-bit record");
_Static_assert(BTS_RECORD_SIZE_64 == sizeof(struct bts_layout_64), "the size of a 64-bit record");

enum bts_error bts_decode(unsigned width, const void *bytes, size_t length, bool prediction_valid,
                          struct bts_record *out)
{
    if (width != 4 && width != 8)
        return BTS_DECODE_WIDTH;
    if (length < (width == 4 ? BTS_RECORD_SIZE_32 : BTS_RECORD_SIZE_64))
        return BTS_DECODE_TRUNCATED;
    out->width = width;
    if (width == 4) {
        out->from = read_u32(bytes, offsetof(struct bts_layout_32, from));
        out->to = read_u32(bytes, offsetof(struct bts_layout_32, to));
        out->flags = read_u32(bytes, offsetof(struct bts_layout_32, flags));
    } else {
        out->from = read_u64(bytes, offsetof(struct bts_layout_64, from));
        out->to = read_u64(bytes, offsetof(struct bts_layout_64, to));
        out->flags = read_u64(bytes, offsetof(struct bts_layout_64, flags));
    }
    out->prediction_valid = prediction_valid;
    out->predicted = prediction_valid && (out->flags & BTS_FLAGS_PREDICTED) != 0;
    return BTS_DECODE_OK;
}
