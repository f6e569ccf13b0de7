/* SPDX-License-Identifier: MIT */
/* Parts of pebs_decode() for both adaptive and architectural records. Pure. */
#ifndef PEBS_GROUPS_DECODE_H
#define PEBS_GROUPS_DECODE_H

#include "pebs/fields_decode.h"

/* Sets a field from `bits` bits of word, from bit `shift` on; bits 0: the whole word. */
static inline void groups_set_field(struct pebs_record *out, const struct pebs_field *field, uint64_t word,
                                    unsigned shift, unsigned bits)
{
    const uint64_t value = word >> shift;

    *(uint64_t *)(void *)((char *)out + field->member) = bits ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* Decode the XMM group, and 0 to PEBS_LBR_MAX entries of the LBR group. bytes: after the group's header, if any. */
void groups_read_xmm(const uint8_t *bytes, struct pebs_record *out);
void groups_read_lbr(unsigned lbr_format, const uint8_t *bytes, unsigned entries, struct pebs_record *out);

/* Decodes the counters group. bytes: the whole group; its header determines the size (pebs_counters_size()). */
void groups_read_counters(const uint8_t *bytes, struct pebs_record *out);

#endif
