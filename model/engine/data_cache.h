/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy of one processor, from which a load's data source and latency are taken. It holds
 * addresses and no data, is keyed by linear address, and behaves alike on every run: up to three levels of 64-byte
 * lines, each set associative with true LRU (or data_cache_replace()) and filled on every miss (loads and stores
 * alike), and a second-level TLB of 4 KiB pages. Devices, prefetch and write-back are not modelled.
 *
 * Caches of several processors that were joined are coherent: a store takes the line away from all others and makes it
 * modified here; a load of a line that another cache has modified comes from there, and leaves it unmodified in both.
 */
#ifndef MODEL_ENGINE_DATA_CACHE_H
#define MODEL_ENGINE_DATA_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/processors/profile.h"

struct data_cache;

/* Makes an empty hierarchy: the first access to a line comes from memory. NULL: out of memory. */
struct data_cache *data_cache_new(const struct profile_memory *memory);
void data_cache_free(struct data_cache *cache);
void data_cache_clear(struct data_cache *cache);

/*
 * Makes cache, which is not joined yet, coherent with peer and its peers, before either is used from two threads; from
 * then on each may be used, and is freed, by a thread of its own. False: out of memory, or more than 256 caches.
 */
bool data_cache_join(struct data_cache *cache, struct data_cache *peer);

/*
 * Has victim(of, ways) choose which line of a full set makes room for another: 0 the newest one, ways - 1 the least
 * recently used one, which is taken without it.
 */
void data_cache_replace(struct data_cache *cache, unsigned (*victim)(void *of, unsigned ways), void *of);

/* The level that had the line of this address; afterwards all levels have it. */
enum data_level data_cache_load(struct data_cache *cache, uint64_t address);
enum data_level data_cache_store(struct data_cache *cache, uint64_t address);

/* True if the page's translation was not in the second-level TLB; afterwards it is there. */
bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address);

#endif
