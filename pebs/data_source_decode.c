/* SPDX-License-Identifier: MIT */
/*
 * SDM Vol. 3B (253669-081), "Data Source Encoding for Load Latency Record" (Nehalem). The codes of Sandy Bridge and
 * later, Skylake's remote codes, precise store, and the encodings from Gracemont and Lion Cove on follow Linux (7.3,
 * arch/x86/events/intel/ds.c). The words are perf's.
 */
#include "pebs/data_source_decode.h"

#include <stdbool.h>
#include <stddef.h>

#include "pebs/perf_mem_layout.h"

#define STORE_L1_HIT    UINT64_C(1)
#define STORE_STLB_MISS (UINT64_C(1) << 4)
#define STORE_LOCKED    (UINT64_C(1) << 5)

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
static const struct meaning reserved = { "Reserved", LEVEL(LEVEL_NA) | LEVEL_NUM(NUM_NA) };
static const struct meaning l0 = { "L0 hit", HIT_IN(0, NUM_L0) };
static const struct meaning l2_mhb = { "L2 MHB hit", HIT_IN(0, NUM_L2_MHB) };
static const struct meaning memory_side = { "Memory-side Cache hit", HIT_IN(0, NUM_MEMORY_SIDE) };
static const struct meaning store_hit = { "L1 hit", LEVEL(LEVEL_L1 | LEVEL_HIT) };
static const struct meaning store_miss = { "L1 miss", LEVEL(LEVEL_L1 | LEVEL_MISS) };

static const struct meaning snoop_unknown = { "N/A", SNOOP(SNOOP_NA) };
static const struct meaning none = { "None", SNOOP(SNOOP_NONE) };
static const struct meaning hit = { "Hit", SNOOP(SNOOP_HIT) };
static const struct meaning miss = { "Miss", SNOOP(SNOOP_MISS) };
static const struct meaning hitm = { "HitM", SNOOP(SNOOP_HITM) };
static const struct meaning forwarded = { "Fwd", FORWARDED };
static const struct meaning none_or_miss = { "None or Miss", SNOOP(SNOOP_NONE | SNOOP_MISS) };

static const struct meaning hit_or_forwarded = { "Hit or Fwd", SNOOP(SNOOP_HIT) | FORWARDED };
static const struct meaning hitm_or_forwarded = { "HitM or Fwd", SNOOP(SNOOP_HITM) | FORWARDED };

static const struct meaning tlb_unknown = { "N/A", TLB(TLB_NA) };
static const struct meaning tlb_hit = { "L1 or L2 hit", TLB(TLB_HIT | TLB_L1 | TLB_L2) };
static const struct meaning stlb_hit = { "L2 hit", TLB(TLB_HIT | TLB_L2) };
static const struct meaning stlb_miss = { "L2 miss", TLB(TLB_MISS | TLB_L2) };

static const struct meaning lock_unknown = { "N/A", LOCK(LOCK_NA) };
static const struct meaning locked = { "Yes", LOCK(LOCK_LOCKED) };
static const struct meaning not_locked = { "No", 0 };

static const struct meaning not_blocked = { "N/A", BLOCKED(BLOCKED_NA) };
static const struct meaning blocked_data = { "Data", BLOCKED(BLOCKED_DATA) };
static const struct meaning blocked_address = { "Addr", BLOCKED(BLOCKED_ADDRESS) };
static const struct meaning blocked_both = { "Data or Addr", BLOCKED(BLOCKED_DATA | BLOCKED_ADDRESS) };

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

/* Codes in which an encoding differs from the generic one; a NULL level means no difference. */
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

static const struct origin gracemont[16] = {
    [0x5] = { &l3, &hit },
    [0x6] = { &l3, &hitm },
    [0x8] = { &l3, &forwarded },
};

static const struct origin crestmont[16] = {
    [0x7] = { &l3, &forwarded }, [0x8] = { &l3, &hitm },           [0xa] = { &ram, &none },
    [0xb] = { &far_ram, &none }, [0xc] = { &far_ram, &forwarded }, [0xd] = { &far_ram, &hitm },
};

/* Encodings with a table of their own, in which a NULL level means a reserved code. */
static const struct origin lion_cove[] = {
    [0x00] = { &l3_miss, &snoop_unknown },
    [0x01] = { &l1, &none },
    [0x02] = { &l1, &none },
    [0x03] = { &lfb, &none },
    [0x05] = { &l2, &none },
    [0x06] = { &l2_mhb, &none },
    [0x08] = { &l3, &none },
    [0x0c] = { &l3, &forwarded },
    [0x0d] = { &l3, &hitm },
    [0x0f] = { &l3_miss, &hitm },
    [0x10] = { &memory_side, &none },
    [0x11] = { &ram, &none },
};

/* Hits up to the second level. */
static const struct origin panther_cove[] = {
    [0x0] = { &level_unknown, &snoop_unknown }, /* no cache lookup */
    [0x1] = { &l0, &none },
    [0x2] = { &l1, &none },
    [0x3] = { &lfb, &none },
    [0x4] = { &l2, &none },
    [0x7] = { &l2, &hit },
    [0x8] = { &l2, &hitm },
    [0x9] = { &l2, &none }, /* promoted from a prefetch of this or another core */
    [0xa] = { &l2, &none },
    [0xf] = { &uncached, &none },
};

static const struct origin arctic_wolf[] = {
    [0x0] = { &level_unknown, &snoop_unknown },
    [0x1] = { &l1, &none },
    [0x2] = { &lfb, &none },
    [0x3] = { &l2, &none },
    [0x4] = { &l2, &hit },
    [0x5] = { &l2, &hitm },
    [0x6] = { &uncached, &none },
};

/* The bits of each field in an encoding. */
static const struct layout {
    uint64_t code; /* the bits of the code, from bit 0 up */
    uint64_t stlb_miss, locked, data_blocked, address_blocked;
    uint64_t l2_miss;             /* if this bit is set, the code is a second-level miss: omr() */
    const struct origin *changes; /* differences from the generic table, with as many codes */
    const struct origin *codes;   /* or the encoding's own table */
    unsigned count;               /* the number of codes */
} layouts[DATA_SOURCE_ENCODINGS] = {
#define OWN(table) .codes = (table), .count = sizeof(table) / sizeof((table)[0])
    [DATA_SOURCE_NEHALEM] = { .code = 0xf, .changes = nehalem },
    /* Linux 6.12, intel_pmu_init(): Nehalem's codes, but only Nehalem has pebs_no_tlb. */
    [DATA_SOURCE_WESTMERE] = { .code = 0xf, .stlb_miss = 1 << 4, .locked = 1 << 5, .changes = nehalem },
    [DATA_SOURCE_GENERIC] = { .code = 0xf, .stlb_miss = 1 << 4, .locked = 1 << 5 },
    [DATA_SOURCE_SKYLAKE] = { .code = 0xf, .stlb_miss = 1 << 4, .locked = 1 << 5, .changes = skylake },
    [DATA_SOURCE_GOLDEN_COVE] = { .code = 0xf,
                                  .stlb_miss = 1 << 4,
                                  .locked = 1 << 5,
                                  .data_blocked = 1 << 6,
                                  .address_blocked = 1 << 7,
                                  .changes = skylake },
    [DATA_SOURCE_GRACEMONT] = { .code = 0xf,
                                .locked = 1 << 4,
                                .stlb_miss = 1 << 5,
                                .data_blocked = 1 << 6,
                                .changes = gracemont },
    [DATA_SOURCE_CRESTMONT] = { .code = 0xf,
                                .locked = 1 << 5,
                                .stlb_miss = 1 << 6,
                                .data_blocked = 1 << 7,
                                .changes = crestmont },
    [DATA_SOURCE_LION_COVE] = { .code = 0xff,
                                .stlb_miss = 1 << 10,
                                .locked = 1 << 11,
                                .data_blocked = 1 << 12,
                                .address_blocked = 1 << 13,
                                OWN(lion_cove) },
    [DATA_SOURCE_PANTHER_COVE] = { .code = 0xf,
                                   .l2_miss = 1 << 8,
                                   .stlb_miss = 1 << 11,
                                   .locked = 1 << 12,
                                   .data_blocked = 1 << 13,
                                   .address_blocked = 1 << 14,
                                   OWN(panther_cove) },
    [DATA_SOURCE_ARCTIC_WOLF] = { .code = 0xf,
                                  .l2_miss = 1 << 8,
                                  .stlb_miss = 1 << 11,
                                  .locked = 1 << 12,
                                  .data_blocked = 1 << 13,
                                  .address_blocked = 1 << 14,
                                  OWN(arctic_wolf) },
};

/*
 * A miss of the second level (Panther Cove, Arctic Wolf): bits 3:0 give the agent that supplied the line, bit 4 whether
 * it was on another socket. Only caches have a snoop. Linux, parse_omr_data_source() since commit e7fcc54524f0.
 */
#define OMR_WHO      UINT64_C(0xf)
#define OMR_REMOTE   (UINT64_C(1) << 4)
#define OMR_MODIFIED (UINT64_C(1) << 5)
#define OMR_SNOOPED  (UINT64_C(1) << 6)
#define OMR_PROMOTED (UINT64_C(1) << 7)

#define OTHER_CACHE(region)  (HIT_IN(LEVEL_L3, NUM_L3) | REGION(region))
#define REMOTE_CACHE(region) (HIT_IN(LEVEL_L3 | LEVEL_REMOTE_CACHE, NUM_L3) | REMOTE | REGION(region))
#define NEAR_MEMORY(n)       (HIT_IN(LEVEL_LOCAL_RAM, NUM_RAM) | REGION(REGION_MEMORY + (n)))
#define FAR_MEMORY(n)        (HIT_IN(LEVEL_REMOTE_RAM, NUM_RAM) | REMOTE | REGION(REGION_MEMORY + (n)))

static const struct meaning omr[16][2] = {
    [0x0] = { { "N/A", LEVEL(LEVEL_NA) | LEVEL_NUM(NUM_NA) }, { "N/A", LEVEL(LEVEL_NA) | LEVEL_NUM(NUM_NA) } },
    [0x2] = { { "L3 (shared) hit", OTHER_CACHE(REGION_LOCAL_SHARED) },
              { "Remote L3 (shared) hit", REMOTE_CACHE(REGION_LOCAL_SHARED) } },
    [0x3] = { { "L3 (not shared) hit", OTHER_CACHE(REGION_LOCAL_OWN) },
              { "Remote L3 (not shared) hit", REMOTE_CACHE(REGION_LOCAL_OWN) } },
    [0x4] = { { "I/O of another agent hit", OTHER_CACHE(REGION_OTHER_IO) },
              { "Remote I/O of another agent hit", REMOTE_CACHE(REGION_OTHER_IO) } },
    [0x5] = { { "L3 (shared) of another agent hit", OTHER_CACHE(REGION_OTHER_SHARED) },
              { "Remote L3 (shared) of another agent hit", REMOTE_CACHE(REGION_OTHER_SHARED) } },
    [0x6] = { { "L3 (not shared) of another agent hit", OTHER_CACHE(REGION_OTHER_OWN) },
              { "Remote L3 (not shared) of another agent hit", REMOTE_CACHE(REGION_OTHER_OWN) } },
    [0x7] = { { "MMIO hit", HIT_IN(0, NUM_RAM) | REGION(REGION_MMIO) },
              { "Remote MMIO hit", HIT_IN(0, NUM_RAM) | REMOTE | REGION(REGION_MMIO) } },
    [0x8] = { { "Local RAM region 0 hit", NEAR_MEMORY(0) }, { "Remote RAM region 0 hit", FAR_MEMORY(0) } },
    [0x9] = { { "Local RAM region 1 hit", NEAR_MEMORY(1) }, { "Remote RAM region 1 hit", FAR_MEMORY(1) } },
    [0xa] = { { "Local RAM region 2 hit", NEAR_MEMORY(2) }, { "Remote RAM region 2 hit", FAR_MEMORY(2) } },
    [0xb] = { { "Local RAM region 3 hit", NEAR_MEMORY(3) }, { "Remote RAM region 3 hit", FAR_MEMORY(3) } },
    [0xc] = { { "Local RAM region 4 hit", NEAR_MEMORY(4) }, { "Remote RAM region 4 hit", FAR_MEMORY(4) } },
    [0xd] = { { "Local RAM region 5 hit", NEAR_MEMORY(5) }, { "Remote RAM region 5 hit", FAR_MEMORY(5) } },
    [0xe] = { { "Local RAM region 6 hit", NEAR_MEMORY(6) }, { "Remote RAM region 6 hit", FAR_MEMORY(6) } },
    [0xf] = { { "Local RAM region 7 hit", NEAR_MEMORY(7) }, { "Remote RAM region 7 hit", FAR_MEMORY(7) } },
};

static struct origin find_omr(uint64_t code)
{
    /* The snoop of this agent's shared cache, by promoted and snooped. */
    static const struct meaning *const of_shared[] = { &snoop_unknown, &miss, &hit, &none };
    const unsigned who = (unsigned)(code & OMR_WHO);
    const bool modified = (code & OMR_MODIFIED) != 0, snooped = (code & OMR_SNOOPED) != 0;
    const struct meaning *level = &omr[who][code & OMR_REMOTE ? 1 : 0], *snoop;

    if (!level->words)
        return (struct origin){ &reserved, &snoop_unknown };
    if (who == 0)
        snoop = &snoop_unknown;
    else if (who >= REGION_MMIO)
        snoop = &none;
    else if (who == REGION_LOCAL_SHARED)
        snoop = modified ? &hitm : of_shared[(code & OMR_PROMOTED ? 2 : 0) + (snooped ? 1 : 0)];
    else if (snooped)
        snoop = modified ? &hitm_or_forwarded : &hit_or_forwarded;
    else
        snoop = modified ? &hitm : &hit;
    return (struct origin){ level, snoop };
}

struct source {
    const struct meaning *level, *snoop, *tlb, *lock, *blocked; /* blocked: NULL if the encoding has no such bits */
};

static struct origin find_origin(const struct layout *layout, uint64_t data_source)
{
    static const struct origin none_such = { &reserved, &snoop_unknown };
    const uint64_t code = data_source & layout->code;

    if (data_source & layout->l2_miss)
        return find_omr(data_source);
    if (layout->codes)
        return code < layout->count && layout->codes[code].level ? layout->codes[code] : none_such;
    if (code >= sizeof generic / sizeof generic[0])
        return none_such;
    return layout->changes && layout->changes[code].level ? layout->changes[code] : generic[code];
}

static const struct meaning *find_blocked(const struct layout *layout, uint64_t data_source)
{
    const bool data = (data_source & layout->data_blocked) != 0, address = (data_source & layout->address_blocked) != 0;

    if (layout->data_blocked == 0)
        return NULL;
    return data ? address ? &blocked_both : &blocked_data : address ? &blocked_address : &not_blocked;
}

static struct source find(enum data_source_encoding encoding, uint64_t data_source)
{
    const struct layout *layout = &layouts[encoding];
    struct origin origin;

    if (encoding == DATA_SOURCE_UNKNOWN)
        return (struct source){ &level_unknown, &snoop_unknown, &tlb_unknown, &lock_unknown, NULL };
    if (encoding == DATA_SOURCE_STORE)
        return (struct source){ data_source & STORE_L1_HIT ? &store_hit : &store_miss, &snoop_unknown,
                                data_source & STORE_STLB_MISS ? &stlb_miss : &stlb_hit,
                                data_source & STORE_LOCKED ? &locked : &not_locked, NULL };
    origin = find_origin(layout, data_source);
    if (layout->locked == 0)
        return (struct source){ origin.level, origin.snoop, &tlb_unknown, &lock_unknown, NULL };
    return (struct source){ origin.level, origin.snoop, data_source & layout->stlb_miss ? &stlb_miss : &tlb_hit,
                            data_source & layout->locked ? &locked : &not_locked, find_blocked(layout, data_source) };
}

struct data_source_words data_source_words(enum data_source_encoding encoding, uint64_t data_source)
{
    const struct source source = find(encoding, data_source);

    return (struct data_source_words){ source.level->words, source.snoop->words, source.tlb->words, source.lock->words,
                                       source.blocked ? source.blocked->words : NULL };
}

/* Linux says "not available" where an encoding with the lock bit has no block bits, and nothing of other encodings. */
uint64_t data_source_bits(enum data_source_encoding encoding, uint64_t data_source)
{
    const struct source source = find(encoding, data_source);
    const struct meaning *blocked = source.blocked ? source.blocked : layouts[encoding].locked ? &not_blocked : NULL;

    return source.level->bits | source.snoop->bits | source.tlb->bits | source.lock->bits |
           (blocked ? blocked->bits : 0);
}

bool data_source_is_hitm(enum data_source_encoding encoding, uint64_t data_source)
{
    return (data_source_bits(encoding, data_source) & SNOOP(SNOOP_HITM)) != 0;
}
