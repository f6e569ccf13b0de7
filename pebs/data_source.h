/* SPDX-License-Identifier: MIT */
/* The data source field of a PEBS record (load latency facility, precise store), in perf's words. Pure. */
#ifndef PEBS_DATA_SOURCE_H
#define PEBS_DATA_SOURCE_H

#include <stdint.h>

/* Which table the processor's encoding follows. */
enum data_source_encoding {
    DATA_SOURCE_UNKNOWN, /* every word is "N/A" */
    DATA_SOURCE_NEHALEM, /* Nehalem, Westmere: bits 3:0 only */
    DATA_SOURCE_GENERIC, /* Sandy Bridge and later: bit 4 STLB miss, bit 5 locked */
    DATA_SOURCE_SKYLAKE, /* as generic, with the remote and L4 codes of Skylake */
    DATA_SOURCE_STORE    /* precise store of Sandy Bridge: bit 0 L1 hit, bit 4 STLB miss, bit 5 locked */
};

/* Static strings, never NULL: what perf script prints behind LVL, SNP, TLB and LCK. */
struct data_source_words {
    const char *level;
    const char *snoop;
    const char *tlb;
    const char *lock;
};

struct data_source_words data_source_words(enum data_source_encoding encoding, uint64_t data_source);

#endif
