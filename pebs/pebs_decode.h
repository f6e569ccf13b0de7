/* SPDX-License-Identifier: MIT */
/* PEBS records: bytes in, the decoded record of pebs/fields_decode.h out. Pure. */
#ifndef PEBS_PEBS_DECODE_H
#define PEBS_PEBS_DECODE_H

#include <stddef.h>

#include "cpu/formats.h"
#include "pebs/fields_decode.h"

enum pebs_error {
    PEBS_DECODE_OK,
    PEBS_DECODE_TRUNCATED,
    PEBS_DECODE_FORMAT_UNKNOWN,
    /* of adaptive records, which carry their own size */
    PEBS_DECODE_SIZE_ZERO,
    PEBS_DECODE_SIZE_SMALL,     /* smaller than the basic group */
    PEBS_DECODE_SIZE_PAST_END,  /* larger than what is left */
    PEBS_DECODE_GROUPS_UNKNOWN, /* the format group has bits that this decoder does not know */
    PEBS_DECODE_SIZE_DIFFERS    /* not the size that its groups need */
};

/*
 * Decodes one record from length available bytes: 32-bit records, formats 0 to 3, and adaptive records of formats 4 to
 * 6. out->size is the record's size in bytes. *out is written only on PEBS_DECODE_OK; after an error the start of the
 * next record is unknown.
 */
enum pebs_error pebs_decode(const struct pebs_form *form, const void *bytes, size_t length, struct pebs_record *out);

/*
 * Whether the record has a valid data source in this encoding. Only load latency and precise store events fill it; for
 * others its 0 would read as a level.
 */
static inline bool pebs_source_known(const struct pebs_record *record, enum data_source_encoding encoding)
{
    return (record->has & PEBS_HAS_MEMORY) != 0 && (record->latency != 0 || encoding == DATA_SOURCE_STORE);
}

const char *pebs_error_text(enum pebs_error error);

#endif
