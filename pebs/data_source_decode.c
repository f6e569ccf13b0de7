/* SPDX-License-Identifier: MIT */
/*
 * SDM Vol. 3B (253669-081), "Data Source Encoding for Load Latency Record" (Nehalem). The codes of Sandy Bridge and
 * later, Skylake's remote codes and precise store are read as Linux does (arch/x86/events/intel/ds.c). The words are
 * perf's.
 */
#include "pebs/data_source_decode.h"

#include "pebs/perf_mem_layout.h"

#define SOURCE       UINT64_C(0xf)
#define STORE_L1_HIT UINT64_C(1)
#define STLB_MISS    (UINT64_C(1) << 4)
#define LOCKED       (UINT64_C(1) << 5)

#define HIT_IN(level, num) (LEVEL(LEVEL_HIT | (level)) | LEVEL_NUM(num))

/* One property of a data source, in perf's words and in the bits of perf_mem_data_src. */
struct meaning {
    const char *words;
    uint64_t bits;
};

static const struct meaning level_unknown = { "N/A", LEVEL(LEVEL_NA) | LEVEL_NUM(NUM_NA) };
static const struct meaning l3_miss = { "L3 miss", LEVEL(LEVEL_MISS | LEVEL_L3) | LEVEL_NUM(NUM_L3) };
static const struct meaning l1 = { "L1 or L1 hit", HIT_IN(LEVEL_L1, NUM_L1) };
static const struct meaning lfb = { "LFB or LFB hit", HIT_IN(LEVEL_LFB, NUM_LFB) };
static const struct meaning l2 = { "L2 or L2 hit", HIT_IN(LEVEL_L2, NUM_L2) };
static const struct meaning l3 = { "L3 or L3 hit", HIT_IN(LEVEL_L3, NUM_L3) };
static const struct meaning l4 = { "L4 or PMEM hit", HIT_IN(0, NUM_L4) };
static const struct meaning remote_l4 = { "Remote L4 or PMEM hit", HIT_IN(0, NUM_L4) | REMOTE };
static const struct meaning remote_l3 = { "Remote Cache (1 hop) hit", HIT_IN(LEVEL_REMOTE_CACHE, NUM_L3) | REMOTE };
static const struct meaning remote_cache = { "Remote Any cache hit", HIT_IN(0, NUM_ANY_CACHE) | REMOTE };
static const struct meaning ram = { "Local RAM or RAM hit", HIT_IN(LEVEL_LOCAL_RAM, NUM_RAM) };
static const struct meaning remote_ram = { "Remote RAM (1 hop) hit", HIT_IN(LEVEL_REMOTE_RAM, NUM_RAM) | REMOTE };
static const struct meaning far_ram = { "Remote RAM hit", HIT_IN(0, NUM_RAM) | REMOTE };
static const struct meaning io = { "I/O hit", HIT_IN(LEVEL_IO, NUM_NA) };
static const struct meaning uncached = { "Uncached hit", HIT_IN(LEVEL_UNCACHED, NUM_NA) };
static const struct meaning store_hit = { "L1 hit", LEVEL(LEVEL_L1 | LEVEL_HIT) };
static const struct meaning store_miss = { "L1 miss", LEVEL(LEVEL_L1 | LEVEL_MISS) };

static const struct meaning snoop_unknown = { "N/A", SNOOP(SNOOP_NA) };
static const struct meaning none = { "None", SNOOP(SNOOP_NONE) };
static const struct meaning hit = { "Hit", SNOOP(SNOOP_HIT) };
static const struct meaning miss = { "Miss", SNOOP(SNOOP_MISS) };
static const struct meaning hitm = { "HitM", SNOOP(SNOOP_HITM) };
static const struct meaning forwarded = { "Fwd", FORWARDED };
static const struct meaning none_or_miss = { "None or Miss", SNOOP(SNOOP_NONE | SNOOP_MISS) };

static const struct meaning tlb_unknown = { "N/A", TLB(TLB_NA) };
static const struct meaning tlb_hit = { "L1 or L2 hit", TLB(TLB_HIT | TLB_L1 | TLB_L2) };
static const struct meaning stlb_hit = { "L2 hit", TLB(TLB_HIT | TLB_L2) };
static const struct meaning stlb_miss = { "L2 miss", TLB(TLB_MISS | TLB_L2) };

static const struct meaning lock_unknown = { "N/A", LOCK(LOCK_NA) };
static const struct meaning locked = { "Yes", LOCK(LOCK_LOCKED) };
static const struct meaning not_locked = { "No", 0 };

struct origin {
    const struct meaning *level, *snoop;
};

/* The generic encoding, by the code in bits 3:0. */
static const struct origin generic[16] = {
    [0x0] = { &l3_miss, &snoop_unknown },
    [0x1] = { &l1, &none },
    [0x2] = { &lfb, &none },
    [0x3] = { &l2, &none },
    [0x4] = { &l3, &none },
    [0x5] = { &l3, &miss },
    [0x6] = { &l3, &hit },
    [0x7] = { &l3, &hitm },
    [0x8] = { &remote_l3, &hit },
    [0x9] = { &remote_l3, &hitm },
    [0xa] = { &ram, &hit },
    [0xb] = { &remote_ram, &hit },
    [0xc] = { &ram, &none_or_miss },
    [0xd] = { &remote_ram, &none_or_miss },
    [0xe] = { &io, &none },
    [0xf] = { &uncached, &none },
};

/* Codes in which an encoding differs from the generic one; others have a NULL level. */
static const struct origin nehalem[16] = {
    [0x5] = { &l3, &hit },
    [0x6] = { &l3, &hitm },
    [0x7] = { &l3, &hitm },
    [0x9] = { &level_unknown, &snoop_unknown }, /* reserved on Nehalem */
    [0xe] = { &level_unknown, &snoop_unknown },
};

static const struct origin skylake[16] = {
    [0x8] = { &l4, &hit },
    [0x9] = { &remote_l4, &hit },
    [0xb] = { &far_ram, &none },
    [0xc] = { &remote_cache, &forwarded },
    [0xd] = { &remote_cache, &hitm },
};

struct source {
    const struct meaning *level, *snoop, *tlb, *lock;
};

static struct source find(enum data_source_encoding encoding, uint64_t data_source)
{
    const struct meaning *lock = data_source & LOCKED ? &locked : &not_locked;
    const struct origin *origin = &generic[data_source & SOURCE];

    if (encoding == DATA_SOURCE_UNKNOWN)
        return (struct source){ &level_unknown, &snoop_unknown, &tlb_unknown, &lock_unknown };
    if (encoding == DATA_SOURCE_STORE)
        return (struct source){ data_source & STORE_L1_HIT ? &store_hit : &store_miss, &snoop_unknown,
                                data_source & STLB_MISS ? &stlb_miss : &stlb_hit, lock };
    if (encoding == DATA_SOURCE_NEHALEM) {
        if (nehalem[data_source & SOURCE].level)
            origin = &nehalem[data_source & SOURCE];
        return (struct source){ origin->level, origin->snoop, &tlb_unknown, &lock_unknown };
    }
    if (encoding == DATA_SOURCE_SKYLAKE && skylake[data_source & SOURCE].level)
        origin = &skylake[data_source & SOURCE];
    return (struct source){ origin->level, origin->snoop, data_source & STLB_MISS ? &stlb_miss : &tlb_hit, lock };
}

struct data_source_words data_source_words(enum data_source_encoding encoding, uint64_t data_source)
{
    const struct source source = find(encoding, data_source);

    return (struct data_source_words){ source.level->words, source.snoop->words, source.tlb->words,
                                       source.lock->words };
}

uint64_t data_source_bits(enum data_source_encoding encoding, uint64_t data_source)
{
    const struct source source = find(encoding, data_source);

    return source.level->bits | source.snoop->bits | source.tlb->bits | source.lock->bits;
}
