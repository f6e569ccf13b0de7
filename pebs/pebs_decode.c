/* SPDX-License-Identifier: MIT */
#include "pebs/pebs_decode.h"

#include "lib/bytes.h"
#include "pebs/layout/arch_pebs.h"
#include "pebs/layout/formats.h"
#include "pebs/arch_decode.h"
#include "pebs/groups_decode.h"

/* The first word of an adaptive record: its groups, and its size in the upper bits. */
#define FORMAT_GROUPS     UINT64_C(0xffffffff)
#define FORMAT_SIZE_SHIFT 48

#define LATENCY_INSTRUCTION UINT64_C(0xffff)

/* The meaning of `counters` depends on the format. */
static uint64_t other_counters(const struct pebs_record *out)
{
    return out->format >= 3 ? PEBS_HAS_STATUS : PEBS_HAS_APPLICABLE;
}

static uint64_t reserved_fields(const struct pebs_form *form)
{
    static const uint64_t source = PEBS_HAS_SOURCE | PEBS_HAS_CACHE_LATENCY | PEBS_HAS_TSX | PEBS_HAS_TSX_CYCLES;

    return form->reserved == PEBS_RESERVED_NONE     ? 0
           : form->reserved == PEBS_RESERVED_SOURCE ? source
                                                    : source | PEBS_HAS_MEMORY;
}

static void read_fixed(const struct pebs_form *form, const uint8_t *bytes, struct pebs_record *out)
{
    const uint64_t reserved = reserved_fields(form);
    const size_t size = (size_t)out->size;
    const bool narrow = out->width == 4;
    uint64_t has = 0;

    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        const size_t at = narrow ? field->at_32 : field->at_64;
        if (at >= size || field->has & reserved)
            continue;
        groups_set_field(out, field, narrow ? read_u32(bytes, at) : read_u64(bytes, at), 0, 0);
        has |= field->has;
    }
    out->has = has & ~other_counters(out);
}

/* Returns whether records of this form have the field, if they have its group. */
static bool in_form(const struct pebs_form *form, const struct pebs_field *field)
{
    return (!field->retire_latency || form->retire_latency) && (!field->cache_latency || form->cache_latency) &&
           !(field->has & reserved_fields(form));
}

static void read_groups(const struct pebs_form *form, const uint8_t *bytes, struct pebs_record *out)
{
    const uint8_t *groups[PEBS_GROUPS];
    uint64_t has = 0;

    for (unsigned i = 0; i < PEBS_GROUPS; i++) {
        size_t at = pebs_group_at(out->format_group, (enum pebs_group)i);
        groups[i] = at < out->size ? bytes + at : NULL;
    }
    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        if (field->group >= PEBS_GROUPS || !groups[field->group] || !in_form(form, field))
            continue;
        groups_set_field(out, field, read_u64(groups[field->group], field->at), field->shift, field->bits);
        has |= field->has;
    }
    out->has = has & ~other_counters(out);
    if (form->cache_latency)
        out->latency &= LATENCY_INSTRUCTION;
}

/*
 * Checks the size of a record with these groups; all its bytes are available. The counters group is last, and its
 * header determines its length.
 */
static enum pebs_error check_size(const uint8_t *bytes, uint64_t groups, size_t size)
{
    const size_t at = pebs_group_at(groups, PEBS_IN_COUNTERS);
    uint32_t metrics;

    if (at == SIZE_MAX)
        return size == pebs_adaptive_size(groups) ? PEBS_DECODE_OK : PEBS_DECODE_SIZE_DIFFERS;
    if (size < at + PEBS_COUNTERS_BYTES)
        return PEBS_DECODE_SIZE_DIFFERS;
    metrics = read_u32(bytes, at + 8);
    if (metrics != 0 && metrics != PEBS_COUNTERS_METRICS)
        return PEBS_DECODE_METRICS_UNKNOWN;
    return size == at + pebs_counters_size(read_u64(bytes, at), metrics != 0) ? PEBS_DECODE_OK
                                                                              : PEBS_DECODE_SIZE_DIFFERS;
}

static enum pebs_error decode_groups(const struct pebs_form *form, const uint8_t *bytes, size_t length,
                                     struct pebs_record *out)
{
    if (length < PEBS_BASIC_BYTES)
        return PEBS_DECODE_TRUNCATED;
    uint64_t word = read_u64(bytes, 0);
    uint64_t groups = word & FORMAT_GROUPS;
    size_t size = (size_t)(word >> FORMAT_SIZE_SHIFT);
    enum pebs_error error;
    if (size == 0)
        return PEBS_DECODE_SIZE_ZERO;
    if (size < PEBS_BASIC_BYTES)
        return PEBS_DECODE_SIZE_SMALL;
    if (size > length)
        return PEBS_DECODE_SIZE_PAST_END;
    if (pebs_adaptive_size(groups) == 0 || (groups != 0 && !form->adaptive) ||
        (pebs_group_at(groups, PEBS_IN_COUNTERS) != SIZE_MAX && !pebs_form_has_counters(form)))
        return PEBS_DECODE_GROUPS_UNKNOWN;
    if ((error = check_size(bytes, groups, size)) != PEBS_DECODE_OK)
        return error;

    *out = (struct pebs_record){ .width = form->width, .format = form->format, .size = size, .format_group = groups };
    read_groups(form, bytes, out);
    if (groups & PEBS_GROUP_XMM)
        groups_read_xmm(bytes + pebs_group_at(groups, PEBS_IN_XMM), out);
    if (groups & PEBS_GROUP_LBR)
        groups_read_lbr(form->lbr_format, bytes + pebs_group_at(groups, PEBS_IN_LBR), pebs_lbr_entries(groups), out);
    if (pebs_group_at(groups, PEBS_IN_COUNTERS) != SIZE_MAX)
        groups_read_counters(bytes + pebs_group_at(groups, PEBS_IN_COUNTERS), out);
    return PEBS_DECODE_OK;
}

enum pebs_error pebs_decode(const struct pebs_form *form, const void *bytes, size_t length, struct pebs_record *out)
{
    if (form->width == 8 && form->format == ARCH_PEBS_FORMAT)
        return arch_pebs_decode(form, bytes, length, out);
    if (pebs_form_has_groups(form))
        return decode_groups(form, bytes, length, out);
    const size_t size = pebs_record_size(form);
    if (size == 0)
        return PEBS_DECODE_FORMAT_UNKNOWN;
    if (length < size)
        return PEBS_DECODE_TRUNCATED;

    *out = (struct pebs_record){ .width = form->width, .format = form->format, .size = size };
    read_fixed(form, bytes, out);
    return PEBS_DECODE_OK;
}

const char *pebs_error_text(enum pebs_error error)
{
    switch (error) {
    case PEBS_DECODE_OK:
        return "no error";
    case PEBS_DECODE_TRUNCATED:
        return "PEBS record truncated";
    case PEBS_DECODE_FORMAT_UNKNOWN:
        return "unknown PEBS record format";
    case PEBS_DECODE_SIZE_ZERO:
        return "size field of the PEBS record is 0";
    case PEBS_DECODE_SIZE_SMALL:
        return "size field of the PEBS record is smaller than the basic group";
    case PEBS_DECODE_SIZE_PAST_END:
        return "size field of the PEBS record is past the end of the buffer";
    case PEBS_DECODE_GROUPS_UNKNOWN:
        return "PEBS record has unknown groups (format field)";
    case PEBS_DECODE_SIZE_DIFFERS:
        return "size field of the PEBS record does not match its groups";
    case PEBS_DECODE_METRICS_UNKNOWN:
        return "counters group of the PEBS record has metrics of an unknown kind";
    case PEBS_DECODE_HEADER_SMALL:
        return "size field of a PEBS record's fragment is smaller than its header";
    case PEBS_DECODE_LBR_DEPTH:
        return "PEBS record has more LBR entries than any stack";
    case PEBS_DECODE_NO_BASIC:
        return "first fragment of the PEBS record has no basic group";
    case PEBS_DECODE_GROUP_AGAIN:
        return "two fragments of the PEBS record have the same group";
    case PEBS_DECODE_UNFINISHED:
        return "PEBS record continues in a fragment that is missing";
    }
    return "unknown PEBS error";
}
