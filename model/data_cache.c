/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "model/data_cache.h"

#define LINE_SHIFT 6
#define PAGE_SHIFT 12

/* A set's tags, newest first; a tag is line + 1, so that 0 is an empty way. */
struct array {
    struct profile_array shape;
    uint64_t *tags;
};

struct data_cache {
    struct array levels[LEVEL_MEMORY];
    struct array tlb;
};

static bool allocate(struct array *array, const struct profile_array *shape)
{
    array->shape = *shape;
    array->tags = calloc((size_t)shape->sets * shape->ways + 1, sizeof(uint64_t));
    return array->tags != NULL;
}

struct data_cache *data_cache_new(const struct profile_memory *memory)
{
    struct data_cache *cache = calloc(1, sizeof(*cache));

    if (cache == NULL) {
        return NULL;
    }
    bool ok = allocate(&cache->tlb, &memory->tlb);

    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        ok = allocate(&cache->levels[i], &memory->caches[i]) && ok;
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
    memset(array->tags, 0, (size_t)array->shape.sets * array->shape.ways * sizeof(*array->tags));
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
    const unsigned ways = array->shape.ways;
    uint64_t *set = array->tags + (key & (array->shape.sets - 1)) * ways;
    unsigned way = 0;

    while (way < ways && set[way] != key + 1) {
        way++;
    }
    bool hit = way < ways;

    memmove(set + 1, set, (hit ? way : ways - 1) * sizeof(*set));
    set[0] = key + 1;
    return hit;
}

enum data_level data_cache_access(struct data_cache *cache, uint64_t address)
{
    enum data_level found = LEVEL_MEMORY;

    for (unsigned i = LEVEL_MEMORY; i-- > 0;) {
        if (cache->levels[i].shape.sets > 0 && touch(&cache->levels[i], address >> LINE_SHIFT)) {
            found = (enum data_level)i;
        }
    }
    return found;
}

bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address)
{
    return !touch(&cache->tlb, address >> PAGE_SHIFT);
}
