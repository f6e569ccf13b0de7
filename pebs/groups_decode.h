/* SPDX-License-Identifier: MIT */
/* What adaptive and architectural records have alike: pieces of pebs_decode(). Pure. */
#ifndef PEBS_GROUPS_DECODE_H
#define PEBS_GROUPS_DECODE_H

#include "pebs/fields_decode.h"

/* Sets a field, whose word this is, to those of its bits; bits 0: all. */
void groups_set_field(struct pebs_record *out, const struct pebs_field *field, uint64_t word, unsigned shift,
                      unsigned bits);

/* The XMM group, and that many entries of the LBR group, 0 to PEBS_LBR_MAX, behind what stands in front of them. */
void groups_read_xmm(const uint8_t *bytes, struct pebs_record *out);
void groups_read_lbr(unsigned lbr_format, const uint8_t *bytes, unsigned entries, struct pebs_record *out);

/* The counters group: as many bytes as pebs_counters_size() says of its header. */
void groups_read_counters(const uint8_t *bytes, struct pebs_record *out);

#endif
