/* SPDX-License-Identifier: MIT */
/* What adaptive and architectural records have in common: parts of pebs_decode(). Pure. */
#ifndef PEBS_GROUPS_DECODE_H
#define PEBS_GROUPS_DECODE_H

#include "pebs/fields_decode.h"

/* Sets a field from its bits in this word; bits 0: all. */
void groups_set_field(struct pebs_record *out, const struct pebs_field *field, uint64_t word, unsigned shift,
                      unsigned bits);

/* The XMM group, and a number of entries (0 to PEBS_LBR_MAX) of the LBR group, after any header of that group. */
void groups_read_xmm(const uint8_t *bytes, struct pebs_record *out);
void groups_read_lbr(unsigned lbr_format, const uint8_t *bytes, unsigned entries, struct pebs_record *out);

/* The counters group, of the size that pebs_counters_size() derives from its header. */
void groups_read_counters(const uint8_t *bytes, struct pebs_record *out);

#endif
