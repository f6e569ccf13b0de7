/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy of one processor: what a load's data source and latency are taken from. It knows
 * addresses and no data, is keyed by linear address, and is the same on every run: up to three levels of 64-byte lines,
 * each set associative with true LRU and filled on every miss (loads and stores alike), and a second-level TLB of 4 KiB
 * pages. Devices, prefetch and write-back are not modelled.
 *
 * The caches of several processors that were joined are coherent: a store takes the line away from all others and makes
 * it modified here; a load of a line that another has modified comes from there, and leaves it unmodified in both.
 */
#ifndef MODEL_ENGINE_DATA_CACHE_H
#define MODEL_ENGINE_DATA_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/processors/profile.h"

struct data_cache;

/* NULL without memory. Everything is empty at first: the first access to a line comes from memory. */
struct data_cache *data_cache_new(const struct profile_memory *memory);
void data_cache_free(struct data_cache *cache);
void data_cache_clear(struct data_cache *cache);

/*
 * Makes cache, which is alone so far, coherent with peer and its peers. Before either is used from two threads; from
 * then on each may be used from a thread of its own, and is freed by one. False without memory, and past 256.
 */
bool data_cache_join(struct data_cache *cache, struct data_cache *peer);

/* The level that had the line of this address; it is in all of them afterwards. */
enum data_level data_cache_load(struct data_cache *cache, uint64_t address);
enum data_level data_cache_store(struct data_cache *cache, uint64_t address);

/* True when the page's translation was not in the second-level TLB; it is there afterwards. */
bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address);

#endif
