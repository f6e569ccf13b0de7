/* SPDX-License-Identifier: MIT */
/* Decodes the data source of a PEBS record (load latency, precise store) as perf does. Pure. */
#ifndef PEBS_DATA_SOURCE_DECODE_H
#define PEBS_DATA_SOURCE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "pebs/layout/formats.h"

/*
 * The words that perf script prints after LVL, SNP, TLB and LCK: static strings, never NULL. The word after BLK is NULL
 * if the encoding does not record what blocked a load. The level is "Reserved" for a code that the manual reserves, or
 * one past the end of the encoding's table.
 */
struct data_source_words {
    const char *level;
    const char *snoop;
    const char *tlb;
    const char *lock;
    const char *blocked;
};

struct data_source_words data_source_words(enum data_source_encoding encoding, uint64_t data_source);

/* The data source as perf_mem_data_src (pebs/perf_mem_layout.h), without the operation. */
uint64_t data_source_bits(enum data_source_encoding encoding, uint64_t data_source);

/* Returns whether another processor had the data modified in its cache. */
bool data_source_is_hitm(enum data_source_encoding encoding, uint64_t data_source);

#endif
