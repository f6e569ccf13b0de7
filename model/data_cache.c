/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "model/data_cache.h"

#define LINE_SHIFT 6
#define PAGE_SHIFT 12

/* A set's tags, newest first; a tag is line + 1, so that 0 is an empty way. */
struct array {
    unsigned sets, ways;
    uint64_t *tags;
};

struct data_cache {
    struct array levels[LEVEL_MEMORY];
    struct array tlb;
};

/* Skylake client: L1D 32 KiB 8-way, L2 256 KiB 4-way, L3 8 MiB 16-way, STLB 1536 entries 12-way. */
static const struct array geometry[LEVEL_MEMORY] = { { 64, 8, NULL }, { 1024, 4, NULL }, { 8192, 16, NULL } };
static const struct array tlb_geometry = { 128, 12, NULL };

static const unsigned latencies[DATA_LEVELS] = { 4, 12, 40, 200 };

static bool allocate(struct array *array, const struct array *shape)
{
    *array = *shape;
    array->tags = calloc((size_t)shape->sets * shape->ways, sizeof(uint64_t));
    return array->tags != NULL;
}

struct data_cache *data_cache_new(void)
{
    struct data_cache *cache = calloc(1, sizeof(*cache));

    if (cache == NULL) {
        return NULL;
    }
    bool ok = allocate(&cache->tlb, &tlb_geometry);

    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        ok = allocate(&cache->levels[i], &geometry[i]) && ok;
    }
    if (!ok) {
        data_cache_free(cache);
        return NULL;
    }
    return cache;
}

void data_cache_free(struct data_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        free(cache->levels[i].tags);
    }
    free(cache->tlb.tags);
    free(cache);
}

static void clear(struct array *array)
{
    memset(array->tags, 0, (size_t)array->sets * array->ways * sizeof(*array->tags));
}

void data_cache_clear(struct data_cache *cache)
{
    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        clear(&cache->levels[i]);
    }
    clear(&cache->tlb);
}

/* Makes the key its set's newest and says whether it was there. */
static bool touch(struct array *array, uint64_t key)
{
    uint64_t *set = array->tags + (key & (array->sets - 1)) * array->ways;
    unsigned way = 0;

    while (way < array->ways && set[way] != key + 1) {
        way++;
    }
    bool hit = way < array->ways;

    memmove(set + 1, set, (hit ? way : array->ways - 1) * sizeof(*set));
    set[0] = key + 1;
    return hit;
}

enum data_level data_cache_access(struct data_cache *cache, uint64_t address)
{
    enum data_level found = LEVEL_MEMORY;

    for (unsigned i = LEVEL_MEMORY; i-- > 0;) {
        if (touch(&cache->levels[i], address >> LINE_SHIFT)) {
            found = (enum data_level)i;
        }
    }
    return found;
}

bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address)
{
    return !touch(&cache->tlb, address >> PAGE_SHIFT);
}

unsigned data_cache_latency(enum data_level level)
{
    return latencies[level];
}
