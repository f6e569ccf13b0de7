/* SPDX-License-Identifier: MIT */
/*
 * SDM Vol. 3B (253669), "Data Source Encoding for Load Latency Record" (Nehalem); for Sandy Bridge and later, and for
 * Skylake's remote codes, and for the words of precise store, the meaning that Linux gives them
 * (arch/x86/events/intel/ds.c). The words are perf's.
 */
#include "pebs/data_source_decode.h"

#define SOURCE       UINT64_C(0xf)
#define STORE_L1_HIT UINT64_C(1)
#define STLB_MISS    (UINT64_C(1) << 4)
#define LOCKED       (UINT64_C(1) << 5)
#define NO_WORD      "N/A"

struct origin {
    const char *level, *snoop;
};

static const struct origin generic[16] = {
    { "L3 miss", NO_WORD },
    { "L1 or L1 hit", "None" },
    { "LFB or LFB hit", "None" },
    { "L2 or L2 hit", "None" },
    { "L3 or L3 hit", "None" },
    { "L3 or L3 hit", "Miss" },
    { "L3 or L3 hit", "Hit" },
    { "L3 or L3 hit", "HitM" },
    { "Remote Cache (1 hop) hit", "Hit" },
    { "Remote Cache (1 hop) hit", "HitM" },
    { "Local RAM or RAM hit", "Hit" },
    { "Remote RAM (1 hop) hit", "Hit" },
    { "Local RAM or RAM hit", "None or Miss" },
    { "Remote RAM (1 hop) hit", "None or Miss" },
    { "I/O hit", "None" },
    { "Uncached hit", "None" },
};

/* What the others read differently, by code; a NULL level: as generic. */
static const struct origin nehalem[16] = {
    [0x5] = { "L3 or L3 hit", "Hit" },  [0x6] = { "L3 or L3 hit", "HitM" },
    [0x7] = { "L3 or L3 hit", "HitM" }, [0x9] = { NO_WORD, NO_WORD }, /* reserved there */
    [0xe] = { NO_WORD, NO_WORD },
};

static const struct origin skylake[16] = {
    [0x8] = { "L4 or PMEM hit", "Hit" },        [0x9] = { "Remote L4 or PMEM hit", "Hit" },
    [0xb] = { "Remote RAM hit", "None" },       [0xc] = { "Remote Any cache hit", "Fwd" },
    [0xd] = { "Remote Any cache hit", "HitM" },
};

struct data_source_words data_source_words(enum data_source_encoding encoding, uint64_t data_source)
{
    if (encoding == DATA_SOURCE_UNKNOWN)
        return (struct data_source_words){ NO_WORD, NO_WORD, NO_WORD, NO_WORD };

    if (encoding == DATA_SOURCE_STORE)
        return (struct data_source_words){ data_source & STORE_L1_HIT ? "L1 hit" : "L1 miss", NO_WORD,
                                           data_source & STLB_MISS ? "L2 miss" : "L2 hit",
                                           data_source & LOCKED ? "Yes" : "No" };

    const struct origin *origin = &generic[data_source & SOURCE];
    if (encoding == DATA_SOURCE_NEHALEM && nehalem[data_source & SOURCE].level)
        origin = &nehalem[data_source & SOURCE];
    if (encoding == DATA_SOURCE_SKYLAKE && skylake[data_source & SOURCE].level)
        origin = &skylake[data_source & SOURCE];

    struct data_source_words words = { origin->level, origin->snoop, NO_WORD, NO_WORD };
    if (encoding != DATA_SOURCE_NEHALEM) {
        words.tlb = data_source & STLB_MISS ? "L2 miss" : "L1 or L2 hit";
        words.lock = data_source & LOCKED ? "Yes" : "No";
    }
    return words;
}
