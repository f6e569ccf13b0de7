/* SPDX-License-Identifier: MIT */
#include "pebs/pebs_decode.h"

#include "base/bytes.h"
#include "cpu/formats.h"

/* The first word of an adaptive record: which groups it has, and in its upper bits its own size. */
#define FORMAT_GROUPS     UINT64_C(0xffffffff)
#define FORMAT_SIZE_SHIFT 48

#define LATENCY_INSTRUCTION UINT64_C(0xffff)

static void set_field(struct pebs_record *out, const struct pebs_field *field, uint64_t value)
{
    *(uint64_t *)(void *)((char *)out + field->member) = value;
}

/* What the counters say depends on the format. */
static uint64_t other_counters(const struct pebs_record *out)
{
    return out->format >= 3 ? PEBS_HAS_STATUS : PEBS_HAS_APPLICABLE;
}

static void read_fixed(const uint8_t *bytes, struct pebs_record *out)
{
    const size_t size = (size_t)out->size;
    const bool narrow = out->width == 4;
    uint64_t has = 0;

    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        const size_t at = narrow ? field->at_32 : field->at_64;
        if (at >= size)
            continue;
        set_field(out, field, narrow ? read_u32(bytes, at) : read_u64(bytes, at));
        has |= field->has;
    }
    out->has = has & ~other_counters(out);
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
        if (!groups[field->group] || (field->timing && !form->timing))
            continue;
        uint64_t word = read_u64(groups[field->group], field->at) >> field->shift;
        set_field(out, field, field->bits ? word & ((UINT64_C(1) << field->bits) - 1) : word);
        has |= field->has;
    }
    out->has = has & ~other_counters(out);
    if (form->timing) /* the cache's share is apart */
        out->latency &= LATENCY_INSTRUCTION;
}

static void read_xmm(const uint8_t *bytes, struct pebs_record *out)
{
    out->has |= PEBS_HAS_XMM;
    for (unsigned i = 0; i < 16; i++) {
        out->xmm[i].low = read_u64(bytes, 16 * i);
        out->xmm[i].high = read_u64(bytes, 16 * i + 8);
    }
}

/* The youngest entry stands first; each is FROM, TO and INFO. */
static void read_lbr(const struct pebs_form *form, const uint8_t *bytes, struct pebs_record *out)
{
    out->has |= PEBS_HAS_LBR;
    out->lbr_count = pebs_lbr_entries(out->format_group);
    for (unsigned i = 0; i < out->lbr_count; i++, bytes += PEBS_LBR_BYTES) {
        uint64_t from = read_u64(bytes, 0), to = read_u64(bytes, 8), info = read_u64(bytes, 16);
        if (form->lbr_format == LBR_FORMAT_ARCH)
            lbr_decode_arch(from, to, info, &out->lbr[i]);
        else if (lbr_decode(form->lbr_format, from, to, info, &out->lbr[i]) != LBR_DECODE_OK)
            out->lbr[i] = (struct lbr_entry){ .from = from, .to = to };
    }
}

static enum pebs_error decode_groups(const struct pebs_form *form, const uint8_t *bytes, size_t length,
                                     struct pebs_record *out)
{
    if (length < PEBS_BASIC_BYTES)
        return PEBS_DECODE_TRUNCATED;
    uint64_t word = read_u64(bytes, 0);
    uint64_t groups = word & FORMAT_GROUPS;
    size_t size = (size_t)(word >> FORMAT_SIZE_SHIFT), needed = pebs_adaptive_size(groups);
    if (size == 0)
        return PEBS_DECODE_SIZE_ZERO;
    if (size < PEBS_BASIC_BYTES)
        return PEBS_DECODE_SIZE_SMALL;
    if (size > length)
        return PEBS_DECODE_SIZE_PAST_END;
    if (needed == 0 || (groups != 0 && !form->adaptive))
        return PEBS_DECODE_GROUPS_UNKNOWN;
    if (size != needed)
        return PEBS_DECODE_SIZE_DIFFERS;

    *out = (struct pebs_record){ .width = form->width, .format = form->format, .size = size, .format_group = groups };
    read_groups(form, bytes, out);
    if (groups & PEBS_GROUP_XMM)
        read_xmm(bytes + pebs_group_at(groups, PEBS_IN_XMM), out);
    if (groups & PEBS_GROUP_LBR)
        read_lbr(form, bytes + pebs_group_at(groups, PEBS_IN_LBR), out);
    return PEBS_DECODE_OK;
}

enum pebs_error pebs_decode(const struct pebs_form *form, const void *bytes, size_t length, struct pebs_record *out)
{
    if (pebs_form_has_groups(form))
        return decode_groups(form, bytes, length, out);
    const size_t size = pebs_record_size(form);
    if (size == 0)
        return PEBS_DECODE_FORMAT_UNKNOWN;
    if (length < size)
        return PEBS_DECODE_TRUNCATED;

    *out = (struct pebs_record){ .width = form->width, .format = form->format, .size = size };
    read_fixed(bytes, out);
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
        return "size field of the PEBS record goes past the end of the buffer";
    case PEBS_DECODE_GROUPS_UNKNOWN:
        return "PEBS record has unknown groups (format field)";
    case PEBS_DECODE_SIZE_DIFFERS:
        return "size field of the PEBS record does not match its groups";
    }
    return "unknown PEBS error";
}
