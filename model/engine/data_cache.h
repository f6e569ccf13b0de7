/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy of one processor, which determines a load's data source and latency. It stores
 * addresses, not data, and uses linear addresses. Up to three levels of 64-byte lines are set associative, with true
 * LRU replacement (or data_cache_replace()), and every miss of a load or store fills all levels. A second-level TLB has
 * 4 KiB pages, without PCIDs, which QEMU's processors lack. Devices and prefetch are not modelled.
 *
 * Joined caches of several processors are coherent. A store invalidates the line in the other caches and makes it
 * modified here. A load of a line that is modified in another cache gets it from there, and makes it clean in both.
 */
#ifndef MODEL_ENGINE_DATA_CACHE_H
#define MODEL_ENGINE_DATA_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/processors/profile.h"

#define DATA_CACHE_LINE 6 /* log2 of its bytes */
#define DATA_CACHE_PAGE 12

/* The tags of a set, newest first. A tag is (line or page + 1) << 1, plus DATA_CACHE_MARK; 0 is an empty way. */
struct data_array {
    struct profile_array shape;
    uint64_t *tags;
    bool touched; /* since it was cleared; an untouched array of megabytes need not be cleared again */
};
#define DATA_CACHE_MARK UINT64_C(1) /* the line is modified; the page is known to be global */

struct data_cache {
    bool plain; /* neither joined nor with a `victim`, so that a hit of the newest line and page changes nothing */
    struct data_array levels[LEVEL_MEMORY];
    struct data_array tlb;
    struct data_array code, code_tlb, code_pages; /* code_pages: the first-level TLB */
    unsigned (*victim)(void *of, unsigned ways);  /* NULL: evict the oldest way */
    void *of;
    bool used;                   /* the cache is in coherence->users */
    struct coherence *coherence; /* NULL: the cache is not joined, and needs no lock */
};

/* Makes an empty hierarchy: the first access to a line goes to memory. NULL: out of memory. */
struct data_cache *data_cache_new(const struct profile_memory *memory);
void data_cache_free(struct data_cache *cache);
void data_cache_clear(struct data_cache *cache);

/*
 * Makes `cache`, which must not be joined yet, coherent with `peer` and its peers. Call before two threads use them;
 * then each cache may be used and freed by its own thread. False: out of memory, or more than 256 caches.
 */
bool data_cache_join(struct data_cache *cache, struct data_cache *peer);

/*
 * Sets the function that chooses which line of a full set to evict: 0 is the newest line; ways - 1 is the least
 * recently used line, the default.
 */
void data_cache_replace(struct data_cache *cache, unsigned (*victim)(void *of, unsigned ways), void *of);

static inline uint64_t *data_array_set(const struct data_array *array, uint64_t key)
{
    return array->tags + (key & (array->shape.sets - 1)) * array->shape.ways;
}

static inline uint64_t data_array_tag(uint64_t key)
{
    return (key + 1) << 1;
}

/* key: a line or page */
static inline bool data_array_is_newest(const struct data_array *array, uint64_t key)
{
    return (*data_array_set(array, key) & ~DATA_CACHE_MARK) == data_array_tag(key);
}

/*
 * Whether the line of this address is the newest of its set in L1, and its page the newest in the TLB. An access is
 * then a hit and changes nothing. False if the cache is joined or does not evict the oldest lines.
 */
static inline bool data_cache_is_newest(const struct data_cache *cache, uint64_t address)
{
    return cache->plain && data_array_is_newest(&cache->levels[LEVEL_L1], address >> DATA_CACHE_LINE) &&
           data_array_is_newest(&cache->tlb, address >> DATA_CACHE_PAGE);
}

/* Returns the level that had the line of this address. All levels have it afterwards. */
enum data_level data_cache_load(struct data_cache *cache, uint64_t address);
enum data_level data_cache_store(struct data_cache *cache, uint64_t address);

/* Counts the lines or pages of code in [first, last] that miss; EVENT_CODE_TLB_HITS: that miss the first-level TLB. */
unsigned data_cache_code_misses(struct data_cache *cache, uint64_t first, uint64_t last, enum event_kind kind);

/* Whether the page's translation was missing from the second-level TLB. The TLB has it afterwards. */
bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address);

/* Takes a line out of all joined caches; keep: only makes it clean there. */
void data_cache_flush_line(struct data_cache *cache, uint64_t address, bool keep);

/* Takes all lines out of this processor's caches; keep: only makes them clean. */
void data_cache_flush(struct data_cache *cache, bool keep);

/* Takes the translations of [first, last] out of the TLBs. */
void data_cache_flush_pages(struct data_cache *cache, uint64_t first, uint64_t last);

/*
 * Takes all translations out of the TLBs except those of global pages. is_global says whether the page of an address is
 * global; NULL: all are taken out. It is asked at most once for each page in a TLB.
 */
void data_cache_flush_tlbs(struct data_cache *cache, bool (*is_global)(void *of, uint64_t address), void *of);

#endif
