/* SPDX-License-Identifier: MIT */
/* Logs: records copied out of a buffer of the debug store before its index is reset. */
#ifndef DS_DS_LOG_H
#define DS_DS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ds/ds_area.h"

/* Records as the processor wrote them. */
struct ds_log {
    const uint8_t *bytes;
    unsigned record_size;   /* bytes; architectural PEBS: of an unfragmented record */
    const uint16_t *places; /* if records vary in size: the start of each in units of DS_LOG_PLACE; else NULL */
    size_t used;            /* bytes of all records */
    unsigned records;       /* number of records in `bytes` */
    unsigned dropped;       /* records dropped because the log was full */
    unsigned overruns;      /* drains that found the buffer full: later records may be lost */
    unsigned broken;        /* drains that found the area overwritten: see ds_open() */
    bool strayed;           /* something was written to the buffer's memory before its base or behind its maximum */
};

#define DS_LOG_PLACE 16u /* bytes */

/* Record n of a log with more than n records. *left: the bytes from it to the end of the last record. */
static inline const uint8_t *ds_log_record(const struct ds_log *log, unsigned n, size_t *left)
{
    const size_t offset = log->places ? (size_t)log->places[n] * DS_LOG_PLACE : (size_t)n * log->record_size;

    *left = (log->places ? log->used : (size_t)log->records * log->record_size) - offset;
    return log->bytes + offset;
}

/* BTS or PEBS while the area is open. */
struct ds_facility {
    bool used;
    struct ds_log log;
    uint8_t *log_bytes;
    unsigned log_size;
    uint16_t *log_places; /* `places`, enough for log_bytes full of the smallest records; BTS: NULL */
    uint8_t *memory;      /* memory of the buffer */
    unsigned memory_size;
};

/* Empties the log. */
void ds_log_open(struct ds_facility *f, bool used, unsigned record_size);

/*
 * Drains a buffer into the log. `was` has the buffer's fields as ds_open() wrote them. Adds the number of records to
 * *indexed. Returns whether there were records. If a field has a value that no processor writes, the buffer counts as
 * broken.
 */
bool ds_log_drain(struct ds_facility *f, const struct ds_buffer *buffer, const struct ds_buffer *was,
                  uint64_t *indexed);

/*
 * Reads a circular buffer after tracing has stopped: from the index to the end if it has wrapped, then up to the index.
 */
void ds_log_drain_circular(struct ds_facility *f, const struct ds_buffer *buffer, const struct ds_buffer *was);

/*
 * Detects writes outside a buffer, unless the buffer counts as broken already. ds_build() or a test has filled its
 * memory before the base and behind the maximum with one value, which must still be there. was: as in ds_log_drain().
 */
void ds_log_check_outside(struct ds_facility *f, const struct ds_buffer *was);

/*
 * Appends records that vary in size (architectural PEBS). Bytes from the first impossible size on count as broken.
 * Returns the number of records.
 */
unsigned ds_log_drain_varied(struct ds_facility *f, const uint8_t *from, size_t bytes);

#endif
