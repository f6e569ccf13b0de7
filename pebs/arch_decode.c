/* SPDX-License-Identifier: MIT */
#include "pebs/arch_decode.h"

#include "lib/bytes.h"
#include "pebs/groups_decode.h"

#define FORMAT_GROUPS (~(ARCH_PEBS_SIZE | ARCH_PEBS_MODE_64 | ARCH_PEBS_CONTINUE))

#define RETIRE_LATENCY_VALID (UINT64_C(1) << 16) /* in the word that has the retire latency */

bool arch_pebs_place(const struct arch_pebs_fragment *fragment, const struct pebs_field *field, size_t *at)
{
    if (field->arch.group >= ARCH_GROUPS || !fragment->at[field->arch.group])
        return false;
    *at = (size_t)fragment->at[field->arch.group] + field->arch.at;
    return true;
}

static bool is_valid(const struct pebs_field *field, uint64_t word)
{
    return !field->retire_latency || (word & RETIRE_LATENCY_VALID) != 0;
}

static void read_fields(const uint8_t *bytes, const struct arch_pebs_fragment *fragment, struct pebs_record *out)
{
    for (const struct pebs_field *field = pebs_fields; field->name; field++) {
        uint64_t word;
        size_t at;
        if (!arch_pebs_place(fragment, field, &at))
            continue;
        word = read_u64(bytes, at);
        if (!is_valid(field, word))
            continue;
        groups_set_field(out, field, word, field->arch.shift, field->arch.bits);
        out->has |= field->has;
    }
}

static void read_words(const uint8_t *from, uint64_t *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = read_u64(from, 8 * i);
}

/*
 * The groups that consist only of registers. XSTATE_BV names the components that are not in their initial state: the
 * registers of the other components are 0, whatever the group holds (SDM Vol. 1 (253665-083), "Processor Tracking of
 * XSAVE-Managed State", the INIT optimization). R16 to R31 have no component number in the available sources.
 */
static void read_registers(const uint8_t *bytes, const struct arch_pebs_fragment *fragment, struct pebs_record *out)
{
    const struct {
        enum arch_pebs_group group;
        uint64_t has;
        uint64_t *to;
        unsigned words;
        uint64_t component; /* bit of XSTATE_BV; 0: always present */
    } rows[] = {
        { ARCH_IN_YMMH, PEBS_HAS_YMMH, out->ymmh[0], 32, 1 << 2 },
        { ARCH_IN_EGPR, PEBS_HAS_EGPR, out->egpr, 16, 0 },
        { ARCH_IN_OPMASK, PEBS_HAS_OPMASK, out->opmask, 8, 1 << 5 },
        { ARCH_IN_ZMMH, PEBS_HAS_ZMMH, out->zmmh[0], 64, 1 << 6 },
        { ARCH_IN_H16ZMM, PEBS_HAS_H16ZMM, out->h16zmm[0], 128, 1 << 7 },
    };
    const uint64_t components = fragment->at[ARCH_IN_XER] ? read_u64(bytes, fragment->at[ARCH_IN_XER]) : 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!fragment->at[rows[i].group])
            continue;
        if ((components & rows[i].component) == rows[i].component)
            read_words(bytes + fragment->at[rows[i].group], rows[i].to, rows[i].words);
        out->has |= rows[i].has;
    }
    out->has |= fragment->at[ARCH_IN_XMM] ? PEBS_HAS_XMM : 0;
    if (fragment->at[ARCH_IN_XMM] && components & XSTATE_SSE)
        groups_read_xmm(bytes + fragment->at[ARCH_IN_XMM], out);
}

static void read_fragment(const struct pebs_form *form, const uint8_t *bytes, const struct arch_pebs_fragment *fragment,
                          struct pebs_record *out)
{
    out->fragments++;
    out->format_group |= fragment->format & FORMAT_GROUPS;
    if (fragment->format & ARCH_PEBS_MODE_64)
        out->mode_64 = 1;
    read_fields(bytes, fragment, out);
    read_registers(bytes, fragment, out);
    if (fragment->at[ARCH_IN_LBR])
        groups_read_lbr(form->lbr_format, bytes + fragment->at[ARCH_IN_LBR] + ARCH_PEBS_LBR_HEADER_BYTES,
                        fragment->lbr_entries, out);
    if (fragment->at[ARCH_IN_COUNTERS])
        groups_read_counters(bytes + fragment->at[ARCH_IN_COUNTERS], out);
}

/* The groups of a fragment, a bit each. Excludes XER, which precedes the vector groups of every fragment. */
static unsigned groups_of(const struct arch_pebs_fragment *fragment)
{
    unsigned has = 0;

    for (unsigned i = 0; i < ARCH_GROUPS; i++)
        has |= fragment->at[i] && i != ARCH_IN_XER ? 1u << i : 0;
    return has;
}

/* The first fragment that is not null must have the basic group, and no group may occur twice. */
static enum pebs_error check_fragments(const uint8_t *bytes, size_t size)
{
    struct arch_pebs_fragment fragment;
    unsigned seen = 0;

    for (size_t at = 0; at < size; at += fragment.size) {
        const enum pebs_error error = arch_pebs_fragment(bytes + at, size - at, &fragment);
        if (error != PEBS_DECODE_OK)
            return error;
        if (!(fragment.format & ~ARCH_PEBS_SIZE))
            continue;
        if (!seen && !fragment.at[ARCH_IN_BASIC])
            return PEBS_DECODE_NO_BASIC;
        if (seen & groups_of(&fragment))
            return PEBS_DECODE_GROUP_AGAIN;
        seen |= groups_of(&fragment);
    }
    return PEBS_DECODE_OK;
}

enum pebs_error arch_pebs_decode(const struct pebs_form *form, const uint8_t *bytes, size_t length,
                                 struct pebs_record *out)
{
    struct arch_pebs_fragment fragment;
    enum pebs_error error;
    size_t size = 0;

    error = arch_pebs_extent(bytes, length, &size);
    if (error == PEBS_DECODE_OK)
        error = check_fragments(bytes, size);
    if (error != PEBS_DECODE_OK)
        return error;
    *out = (struct pebs_record){
        .width = 8, .format = form->format, .size = size, .has = PEBS_HAS_FORMAT_GROUP | PEBS_HAS_FRAGMENTS
    };
    for (size_t at = 0; at < size; at += fragment.size) {
        arch_pebs_fragment(bytes + at, size - at, &fragment);
        if (fragment.format & ~ARCH_PEBS_SIZE)
            read_fragment(form, bytes + at, &fragment, out);
    }
    out->has &= ~PEBS_HAS_STATUS; /* counters has the applicable counters, not the status */
    return PEBS_DECODE_OK;
}
