/* SPDX-License-Identifier: MIT */
/* The data source field of a PEBS record (load latency facility, precise store), as perf tells it. Pure. */
#ifndef PEBS_DATA_SOURCE_DECODE_H
#define PEBS_DATA_SOURCE_DECODE_H

#include <stdint.h>

#include "cpu/formats.h"

/* Static strings, never NULL: what perf script prints behind LVL, SNP, TLB and LCK. */
struct data_source_words {
    const char *level;
    const char *snoop;
    const char *tlb;
    const char *lock;
};

struct data_source_words data_source_words(enum data_source_encoding encoding, uint64_t data_source);

/* The same in perf_mem_data_src (pebs/perf_mem_layout.h), all of it but the operation. */
uint64_t data_source_bits(enum data_source_encoding encoding, uint64_t data_source);

#endif
