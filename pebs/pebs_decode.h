/* SPDX-License-Identifier: MIT */
/* PEBS records: bytes in, the decoded record of pebs/fields_decode.h out. Pure. */
#ifndef PEBS_PEBS_DECODE_H
#define PEBS_PEBS_DECODE_H

#include <stddef.h>

#include "pebs/layout/formats.h"
#include "pebs/fields_decode.h"

/*
 * Decodes one record from length available bytes: 32-bit records, formats 0 to 3, adaptive records of formats 4 to 6,
 * and architectural ones (format 15) with all their fragments. out->size is the record's size in bytes. *out is written
 * only on PEBS_DECODE_OK; after an error the start of the next record is unknown.
 */
enum pebs_error pebs_decode(const struct pebs_form *form, const void *bytes, size_t length, struct pebs_record *out);

/*
 * Returns whether the record has a valid data source in this encoding. Only load latency and precise store events fill
 * the field; other events leave 0, which would decode as a level.
 */
static inline bool pebs_source_known(const struct pebs_record *record, enum data_source_encoding encoding)
{
    return (record->has & PEBS_HAS_SOURCE) != 0 && (record->latency != 0 || encoding == DATA_SOURCE_STORE);
}

const char *pebs_error_text(enum pebs_error error);

#endif
