/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy of one processor, which determines a load's data source and latency. It has addresses,
 * but no data, and is indexed by linear address. It is deterministic: up to three levels of 64-byte lines, each set
 * associative with true LRU (or data_cache_replace()) and filled on every miss of a load or store, and a second-level
 * TLB of 4 KiB pages. Devices, prefetch and write-back are not modelled.
 *
 * Joined caches of several processors are coherent: a store removes the line from all others and makes it modified
 * here; a load of a line that another cache has modified comes from that cache, and makes the line unmodified in both.
 */
#ifndef MODEL_ENGINE_DATA_CACHE_H
#define MODEL_ENGINE_DATA_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/processors/profile.h"

struct data_cache;

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
 * Makes victim(of, ways) choose the line of a full set to evict: 0 is the newest line, ways - 1 the least recently used
 * one, which is the default.
 */
void data_cache_replace(struct data_cache *cache, unsigned (*victim)(void *of, unsigned ways), void *of);

/* Returns the level that had the line of this address. All levels have it afterwards. */
enum data_level data_cache_load(struct data_cache *cache, uint64_t address);
enum data_level data_cache_store(struct data_cache *cache, uint64_t address);

/* Whether the page's translation was missing from the second-level TLB. The TLB has it afterwards. */
bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address);

#endif
