/* SPDX-License-Identifier: MIT */
#include "pebs/layout/arch_pebs.h"

#include "lib/bytes.h"

#define XER (ARCH_PEBS_XMM | ARCH_PEBS_YMMH | ARCH_PEBS_EGPR | ARCH_PEBS_OPMASK | ARCH_PEBS_ZMMH | ARCH_PEBS_H16ZMM)

#define LBR_EIGHT   8u /* entries of the LBR group per step of its number; group 3 has its count in the header */
#define LBR_BY_SIZE 3u

/* Bytes of each group. The last two vary in size: these are the bytes of their headers. */
static const struct {
    uint64_t any; /* the group is present if any of these bits is set */
    uint16_t bytes;
} groups[ARCH_GROUPS] = {
    [ARCH_IN_BASIC] = { ARCH_PEBS_BASIC, 48 },
    [ARCH_IN_AUX] = { ARCH_PEBS_AUX, 64 },
    [ARCH_IN_GPRS] = { ARCH_PEBS_GPRS, 160 },
    [ARCH_IN_XER] = { XER, 16 },
    [ARCH_IN_XMM] = { ARCH_PEBS_XMM, 256 },
    [ARCH_IN_YMMH] = { ARCH_PEBS_YMMH, 256 },
    [ARCH_IN_EGPR] = { ARCH_PEBS_EGPR, 128 },
    [ARCH_IN_OPMASK] = { ARCH_PEBS_OPMASK, 64 },
    [ARCH_IN_ZMMH] = { ARCH_PEBS_ZMMH, 512 },
    [ARCH_IN_H16ZMM] = { ARCH_PEBS_H16ZMM, 1024 },
    [ARCH_IN_LBR] = { ARCH_PEBS_LBR, ARCH_PEBS_LBR_HEADER_BYTES },
    [ARCH_IN_COUNTERS] = { ARCH_PEBS_COUNTERS, PEBS_COUNTERS_BYTES },
};

#define GROUPS (XER | ARCH_PEBS_BASIC | ARCH_PEBS_AUX | ARCH_PEBS_GPRS | ARCH_PEBS_LBR | ARCH_PEBS_COUNTERS)
#define KNOWN  (GROUPS | ARCH_PEBS_SIZE | ARCH_PEBS_MODE_64 | ARCH_PEBS_CONTINUE)

static unsigned lbr_number(uint64_t bits)
{
    return (unsigned)((bits & ARCH_PEBS_LBR) >> ARCH_PEBS_LBR_SHIFT);
}

/* A null record has only a size. */
static bool is_null(uint64_t format)
{
    return (format & ~ARCH_PEBS_SIZE) == 0;
}

bool arch_pebs_continued(uint64_t format)
{
    return (format & ARCH_PEBS_CONTINUE) != 0 || is_null(format);
}

/* The bytes after the LBR group's header, which is inside the fragment. */
static enum pebs_error lbr_rest(const uint8_t *group, uint64_t format, size_t *rest, unsigned *entries)
{
    const unsigned number = lbr_number(format);
    const uint64_t count = number == LBR_BY_SIZE ? read_u64(group, ARCH_PEBS_LBR_DEPTH_AT) : LBR_EIGHT * number;

    if (count > PEBS_LBR_MAX)
        return PEBS_DECODE_LBR_DEPTH;
    *entries = (unsigned)count;
    *rest = (size_t)count * PEBS_LBR_BYTES;
    return PEBS_DECODE_OK;
}

/* The bytes after the counters group's header, which is inside the fragment. */
static enum pebs_error counters_rest(const uint8_t *group, size_t *rest)
{
    const uint32_t metrics = read_u32(group, 8);

    if (metrics != 0 && metrics != PEBS_COUNTERS_METRICS)
        return PEBS_DECODE_METRICS_UNKNOWN;
    *rest = pebs_counters_size(read_u64(group, 0), metrics != 0) - PEBS_COUNTERS_BYTES;
    return PEBS_DECODE_OK;
}

/* Finds the groups of a fragment. All its bytes are available. */
static enum pebs_error find_groups(const uint8_t *bytes, struct arch_pebs_fragment *out)
{
    size_t at = ARCH_PEBS_HEADER_BYTES;

    for (unsigned i = 0; i < ARCH_GROUPS; i++) {
        enum pebs_error error = PEBS_DECODE_OK;
        size_t rest = 0;
        if (!(out->format & groups[i].any))
            continue;
        if (groups[i].bytes > out->size - at)
            return PEBS_DECODE_SIZE_DIFFERS;
        if (i == ARCH_IN_LBR)
            error = lbr_rest(bytes + at, out->format, &rest, &out->lbr_entries);
        if (i == ARCH_IN_COUNTERS)
            error = counters_rest(bytes + at, &rest);
        if (error != PEBS_DECODE_OK)
            return error;
        if (rest > out->size - at - groups[i].bytes)
            return PEBS_DECODE_SIZE_DIFFERS;
        out->at[i] = (uint16_t)at;
        at += groups[i].bytes + rest;
    }
    return out->size - at < ARCH_PEBS_UNIT ? PEBS_DECODE_OK : PEBS_DECODE_SIZE_DIFFERS;
}

/* Reads a fragment's header. *format is written only on PEBS_DECODE_OK. */
static enum pebs_error read_header(const uint8_t *bytes, size_t length, uint64_t *format)
{
    size_t size;

    if (length < ARCH_PEBS_HEADER_BYTES)
        return PEBS_DECODE_TRUNCATED;
    size = (size_t)(read_u64(bytes, 0) & ARCH_PEBS_SIZE);
    if (size == 0)
        return PEBS_DECODE_SIZE_ZERO;
    if (size < ARCH_PEBS_HEADER_BYTES)
        return PEBS_DECODE_HEADER_SMALL;
    if (size > length)
        return PEBS_DECODE_SIZE_PAST_END;
    *format = read_u64(bytes, 0);
    return PEBS_DECODE_OK;
}

enum pebs_error arch_pebs_fragment(const uint8_t *bytes, size_t length, struct arch_pebs_fragment *out)
{
    struct arch_pebs_fragment found = { 0 };
    enum pebs_error error = read_header(bytes, length, &found.format);

    if (error != PEBS_DECODE_OK)
        return error;
    found.size = (uint16_t)(found.format & ARCH_PEBS_SIZE);
    if (found.format & ~KNOWN || (found.format & ARCH_PEBS_EGPR) == ARCH_PEBS_EGPR)
        return PEBS_DECODE_GROUPS_UNKNOWN;
    error = is_null(found.format) ? PEBS_DECODE_OK : find_groups(bytes, &found);
    if (error == PEBS_DECODE_OK)
        *out = found;
    return error;
}

enum pebs_error arch_pebs_extent(const uint8_t *bytes, size_t length, size_t *size)
{
    uint64_t format;
    size_t at = 0;

    do {
        const enum pebs_error error = read_header(bytes + at, length - at, &format);
        if (error != PEBS_DECODE_OK)
            return at != 0 && error == PEBS_DECODE_TRUNCATED ? PEBS_DECODE_UNFINISHED : error;
        at += (size_t)(format & ARCH_PEBS_SIZE);
    } while (arch_pebs_continued(format));
    if (at < ARCH_PEBS_LEAST)
        return PEBS_DECODE_SIZE_DIFFERS;
    *size = at;
    return PEBS_DECODE_OK;
}

size_t arch_pebs_size(uint64_t cfg_c, unsigned lbr_depth, uint64_t counters)
{
    const uint64_t format = (cfg_c & GROUPS) | ARCH_PEBS_BASIC;
    const unsigned number = lbr_number(format);
    size_t size = ARCH_PEBS_HEADER_BYTES;

    for (unsigned i = 0; i < ARCH_GROUPS; i++)
        size += format & groups[i].any ? groups[i].bytes : 0;
    size += (size_t)PEBS_LBR_BYTES * (number == LBR_BY_SIZE ? lbr_depth : LBR_EIGHT * number);
    if (format & ARCH_PEBS_COUNTERS)
        size += pebs_counters_size(counters, (format & ARCH_PEBS_COUNTERS_METRICS) != 0) - PEBS_COUNTERS_BYTES;
    return (size + ARCH_PEBS_UNIT - 1) / ARCH_PEBS_UNIT * ARCH_PEBS_UNIT;
}

uint64_t arch_pebs_groups(uint64_t data_cfg)
{
    const unsigned entries = pebs_lbr_entries(data_cfg);
    const uint64_t number = entries <= LBR_EIGHT ? 1 : entries <= 2 * LBR_EIGHT ? 2 : LBR_BY_SIZE;

    return (data_cfg & PEBS_GROUP_MEMORY ? ARCH_PEBS_AUX : 0) | (data_cfg & PEBS_GROUP_GPRS ? ARCH_PEBS_GPRS : 0) |
           (data_cfg & PEBS_GROUP_XMM ? ARCH_PEBS_XMM : 0) | (entries ? number << ARCH_PEBS_LBR_SHIFT : 0);
}
