/* SPDX-License-Identifier: MIT */
#include "lib/dump/reader/dump_count.h"

#include "lib/dump/dump_code.h"

/* The number of varints that end in these bytes. */
static size_t count_varints(const uint8_t *bytes, const uint8_t *end)
{
    size_t count = 0;

    for (; bytes < end; bytes++)
        count += *bytes < 0x80;
    return count;
}

static enum dump_error check_values(const struct parts *p, uint64_t count)
{
    return count_varints(p->values, p->values_end) != count || (p->values < p->values_end && p->values_end[-1] >= 0x80)
               ? DUMP_READ_VALUES_COUNT
               : DUMP_READ_OK;
}

enum dump_error dump_count_branches(const struct parts *p, uint64_t count)
{
    uint64_t records = 0, values = 0, token = 0;

    for (const uint8_t *at = p->codes; at < p->codes_end;) {
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

    for (const uint8_t *at = p->codes; at < p->codes_end; at++)
        named += (unsigned)__builtin_popcount(*at);
    return check_values(p, named);
}
