/* SPDX-License-Identifier: MIT */
#include "lib/dump/reader/dump_count.h"

#include <string.h>

#include "lib/dump/dump_code.h"

/* Eight bytes at once: EIGHT() repeats a byte; sum_of_eight() adds them up, to less than 256. */
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline unsigned sum_of_eight(uint64_t bytes)
{
    return (unsigned)(bytes * EIGHT(1) >> 56);
}

static inline uint64_t take_eight(const uint8_t *at)
{
    uint64_t bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

/* Counts set bits; not every processor has an instruction for it. */
static inline unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & EIGHT(0x55);
    x = (x & EIGHT(0x33)) + (x >> 2 & EIGHT(0x33));
    return sum_of_eight((x + (x >> 4)) & EIGHT(0x0f));
}

/* The number of varints that end in these bytes. */
static size_t count_varints(const uint8_t *bytes, size_t length)
{
    size_t count = 0;

    for (; length >= 8; length -= 8, bytes += 8)
        count += sum_of_eight(~take_eight(bytes) >> 7 & EIGHT(1));
    for (; length > 0; length--)
        count += *bytes++ < 0x80;
    return count;
}

static enum dump_error check_values(const struct parts *p, uint64_t count)
{
    return count_varints(p->values, (size_t)(p->values_end - p->values)) != count ||
                   (p->values < p->values_end && p->values_end[-1] >= 0x80)
               ? DUMP_READ_VALUES_COUNT
               : DUMP_READ_OK;
}

enum dump_error dump_count_branches(const struct parts *p, uint64_t count)
{
    uint64_t records = 0, values = 0, token = 0;

    for (const uint8_t *at = p->codes; at < p->codes_end;) {
        uint64_t eight;
        if (p->codes_end - at > 8 && ((eight = take_eight(at)) & EIGHT(0x80)) == 0) {
            uint64_t low = eight & EIGHT(1), high = eight >> 1 & EIGHT(1);
            records += 8 + sum_of_eight(eight >> DUMP_KIND_BITS & EIGHT(0x1f));
            values += sum_of_eight(high + 2 * (high & low)); /* 1 if named, 3 if spelled out */
            at += 8;
            continue;
        }
        if (!dump_varint_take(&at, p->codes_end, &token))
            return DUMP_READ_CODES_CUT;
        records += (token >> DUMP_KIND_BITS) + 1;
        values += (token & DUMP_KIND) == DUMP_SPELLED ? 3 : (token & DUMP_KIND) == DUMP_NAMED;
        if (records > count + 1)
            return DUMP_READ_TOO_MANY;
    }
    if (records < count)
        return DUMP_READ_TOO_FEW;
    if (records > count && (token & DUMP_KIND || token == 0))
        return DUMP_READ_LEFT_OVER;
    return check_values(p, values);
}

enum dump_error dump_count_differences(const struct parts *p)
{
    uint64_t named = 0;
    const uint8_t *at = p->codes;

    for (; p->codes_end - at >= 8; at += 8)
        named += count_bits(take_eight(at));
    for (; at < p->codes_end; at++)
        named += count_bits(*at);
    return check_values(p, named);
}
