/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/engine/data_cache.h"

#define MAX_CACHES 256

#define MODIFIED DATA_CACHE_MARK
#define GLOBAL   DATA_CACHE_MARK

/* Caches that are coherent with each other. Unused caches are not snooped: of many processors, most may sleep. */
struct coherence {
    pthread_mutex_t lock;
    unsigned joined, used;
    struct data_cache *users[MAX_CACHES];
};

static bool allocate(struct data_array *array, const struct profile_array *shape)
{
    array->shape = *shape;
    array->tags = calloc((size_t)shape->sets * shape->ways + 1, sizeof(uint64_t));
    return array->tags != NULL;
}

struct data_cache *data_cache_new(const struct profile_memory *memory)
{
    struct data_cache *cache = calloc(1, sizeof(*cache));

    if (cache == NULL)
        return NULL;
    /* The first-level TLB of code is that of descriptor B6H (SDM Vol. 2A (253666-081), "CPUID", leaf 02H). */
    bool ok = allocate(&cache->tlb, &memory->tlb) && allocate(&cache->code, &memory->code) &&
              allocate(&cache->code_tlb, &memory->tlb) &&
              allocate(&cache->code_pages, &(struct profile_array){ 16, 8 });

    for (unsigned i = 0; i < LEVEL_MEMORY; i++)
        ok = allocate(&cache->levels[i], &memory->caches[i]) && ok;
    if (!ok) {
        data_cache_free(cache);
        return NULL;
    }
    cache->plain = memory->caches[LEVEL_L1].sets > 0 && memory->tlb.sets > 0;
    return cache;
}

/* The last cache of a group frees what the group shares. */
static void leave(struct data_cache *cache)
{
    struct coherence *c = cache->coherence;

    if (c == NULL)
        return;
    for (unsigned i = 0; i < c->used; i++)
        if (c->users[i] == cache)
            c->users[i--] = c->users[--c->used];
    if (--c->joined == 0) {
        pthread_mutex_destroy(&c->lock);
        free(c);
    }
}

void data_cache_free(struct data_cache *cache)
{
    if (cache == NULL)
        return;
    leave(cache);
    for (unsigned i = 0; i < LEVEL_MEMORY; i++)
        free(cache->levels[i].tags);
    free(cache->tlb.tags);
    free(cache->code.tags);
    free(cache->code_tlb.tags);
    free(cache->code_pages.tags);
    free(cache);
}

static void lock(struct data_cache *cache)
{
    if (cache->coherence != NULL)
        pthread_mutex_lock(&cache->coherence->lock);
}

static void unlock(struct data_cache *cache)
{
    if (cache->coherence != NULL)
        pthread_mutex_unlock(&cache->coherence->lock);
}

static void clear(struct data_array *array)
{
    if (array->touched) {
        memset(array->tags, 0, (size_t)array->shape.sets * array->shape.ways * sizeof(*array->tags));
        array->touched = false;
    }
}

void data_cache_clear(struct data_cache *cache)
{
    data_cache_flush(cache, false);
    data_cache_flush_tlbs(cache, NULL, NULL);
}

bool data_cache_join(struct data_cache *cache, struct data_cache *peer)
{
    if (peer->coherence == NULL) {
        peer->plain = false;
        peer->coherence = calloc(1, sizeof(*peer->coherence));
        if (peer->coherence == NULL)
            return false;
        pthread_mutex_init(&peer->coherence->lock, NULL);
        peer->used = true;
        peer->coherence->users[peer->coherence->used++] = peer; /* the peer may have lines already */
        peer->coherence->joined++;
    }
    if (peer->coherence->joined == MAX_CACHES)
        return false;
    peer->coherence->joined++;
    cache->plain = false;
    cache->coherence = peer->coherence;
    return true;
}

void data_cache_replace(struct data_cache *cache, unsigned (*victim)(void *of, unsigned ways), void *of)
{
    cache->plain = false;
    cache->victim = victim;
    cache->of = of;
}

/* The way of a set that a new key replaces. */
static unsigned victim(const struct data_cache *cache, const uint64_t *set, unsigned ways)
{
    const bool full = set[ways - 1] != 0; /* empty ways come last */

    return full && cache->victim != NULL ? cache->victim(cache->of, ways) : ways - 1;
}

/* Makes the key the newest of its set. Returns whether it was present. */
static bool touch(const struct data_cache *cache, struct data_array *array, uint64_t key)
{
    const unsigned ways = array->shape.ways;
    const uint64_t tag = data_array_tag(key);
    uint64_t *set = data_array_set(array, key);
    unsigned way = 1;

    if (data_array_is_newest(array, key))
        return true;
    while (way < ways && (set[way] & ~MODIFIED) != tag)
        way++;
    bool hit = way < ways;
    uint64_t newest = hit ? set[way] : tag;

    memmove(set + 1, set, (hit ? way : victim(cache, set, ways)) * sizeof(*set));
    set[0] = newest;
    array->touched = true;
    return hit;
}

/*
 * Most accesses are to the newest line of an L1 set. With true LRU that line is also the newest of its set at the other
 * levels, which have at least as many sets.
 */
static enum data_level look_up(struct data_cache *cache, uint64_t line)
{
    const struct data_array *l1 = &cache->levels[LEVEL_L1];
    enum data_level found = LEVEL_MEMORY;

    if (cache->victim == NULL && l1->shape.sets > 0 && data_array_is_newest(l1, line))
        return LEVEL_L1;
    for (unsigned i = LEVEL_MEMORY; i-- > 0;)
        if (cache->levels[i].shape.sets > 0 && touch(cache, &cache->levels[i], line))
            found = (enum data_level)i;
    return found;
}

static void take_way_out(const struct data_array *array, uint64_t *set, unsigned way)
{
    memmove(set + way, set + way + 1, (array->shape.ways - way - 1) * sizeof(*set));
    set[array->shape.ways - 1] = 0;
}

/* Makes a line clean, or takes it out. Returns whether it was modified. */
static bool snoop_array(const struct data_array *array, uint64_t key, bool take_away)
{
    const uint64_t tag = data_array_tag(key);
    uint64_t *set = data_array_set(array, key);
    unsigned way = 0;

    while (way < array->shape.ways && (set[way] & ~MODIFIED) != tag)
        way++;
    if (way == array->shape.ways)
        return false;
    bool modified = set[way] & MODIFIED;

    set[way] = tag;
    if (take_away)
        take_way_out(array, set, way);
    return modified;
}

/* Another processor accesses the line. Returns whether this cache had it modified. */
static bool snoop(struct data_cache *cache, uint64_t line, bool take_away)
{
    bool modified = false;

    for (unsigned i = 0; i < LEVEL_MEMORY; i++)
        modified = snoop_array(&cache->levels[i], line, take_away) || modified;
    return modified;
}

/*
 * Whether this cache has the line modified. Call after look_up(), when the line is the newest of its set at every
 * level.
 */
static bool is_modified(const struct data_cache *cache, uint64_t line)
{
    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        const struct data_array *array = &cache->levels[i];

        if (array->shape.sets > 0 && data_array_set(array, line)[0] & MODIFIED)
            return true;
    }
    return false;
}

static void mark_modified(struct data_cache *cache, uint64_t line)
{
    for (unsigned i = 0; i < LEVEL_MEMORY; i++) {
        const struct data_array *array = &cache->levels[i];

        if (array->shape.sets > 0)
            data_array_set(array, line)[0] |= MODIFIED;
    }
}

/* Locks a cache that will have lines. */
static void lock_to_fill(struct data_cache *cache)
{
    struct coherence *const c = cache->coherence;

    lock(cache);
    if (c != NULL && !cache->used) {
        cache->used = true;
        c->users[c->used++] = cache;
    }
}

static enum data_level access_coherently(struct data_cache *cache, uint64_t line, bool store)
{
    struct coherence *c = cache->coherence;
    bool modified = false;

    lock_to_fill(cache);
    enum data_level found = look_up(cache, line);

    /*
     * If a cache has the line, no other has it modified, so a load needs no snoop. If a cache has it modified, no other
     * has it, so a store needs no snoop.
     */
    if (store ? !is_modified(cache, line) : found == LEVEL_MEMORY) {
        for (unsigned i = 0; i < c->used; i++)
            if (c->users[i] != cache)
                modified = snoop(c->users[i], line, store) || modified;
    }
    if (store)
        mark_modified(cache, line);
    unlock(cache);
    return modified ? LEVEL_MODIFIED : found;
}

enum data_level data_cache_load(struct data_cache *cache, uint64_t address)
{
    const uint64_t line = address >> DATA_CACHE_LINE;

    return cache->coherence == NULL ? look_up(cache, line) : access_coherently(cache, line, false);
}

enum data_level data_cache_store(struct data_cache *cache, uint64_t address)
{
    const uint64_t line = address >> DATA_CACHE_LINE;

    return cache->coherence == NULL ? look_up(cache, line) : access_coherently(cache, line, true);
}

bool data_cache_tlb_miss(struct data_cache *cache, uint64_t address)
{
    return !touch(cache, &cache->tlb, address >> DATA_CACHE_PAGE);
}

unsigned data_cache_code_misses(struct data_cache *cache, uint64_t first, uint64_t last, enum event_kind kind)
{
    struct data_array *const array = kind == EVENT_CODE_MISSES     ? &cache->code
                                     : kind == EVENT_CODE_TLB_HITS ? &cache->code_pages
                                                                   : &cache->code_tlb;
    const unsigned shift = kind == EVENT_CODE_MISSES ? DATA_CACHE_LINE : DATA_CACHE_PAGE;
    unsigned misses = 0;

    lock_to_fill(cache);
    for (uint64_t key = first >> shift; array->shape.sets > 0 && key <= last >> shift; key++)
        misses += !touch(cache, array, key);
    unlock(cache);
    return misses;
}

void data_cache_flush_line(struct data_cache *cache, uint64_t address, bool keep)
{
    const uint64_t line = address >> DATA_CACHE_LINE;
    struct coherence *const c = cache->coherence;

    lock(cache);
    for (unsigned i = 0; i < (c == NULL ? 1 : c->used); i++) {
        struct data_cache *const user = c == NULL ? cache : c->users[i];

        snoop(user, line, !keep);
        if (!keep)
            snoop_array(&user->code, line, true);
    }
    unlock(cache);
}

static void clean(struct data_array *array)
{
    for (size_t i = 0; array->touched && i < (size_t)array->shape.sets * array->shape.ways; i++)
        array->tags[i] &= ~MODIFIED;
}

void data_cache_flush(struct data_cache *cache, bool keep)
{
    void (*const of_array)(struct data_array *) = keep ? clean : clear;

    lock(cache);
    for (unsigned i = 0; i < LEVEL_MEMORY; i++)
        of_array(&cache->levels[i]);
    of_array(&cache->code);
    unlock(cache);
}

void data_cache_flush_pages(struct data_cache *cache, uint64_t first, uint64_t last)
{
    const struct data_array *const tlbs[] = { &cache->tlb, &cache->code_tlb, &cache->code_pages };

    for (unsigned t = 0; t < sizeof(tlbs) / sizeof(tlbs[0]); t++) {
        const size_t ways = tlbs[t]->shape.ways;

        for (size_t i = tlbs[t]->touched ? tlbs[t]->shape.sets * ways : 0; i-- > 0;) {
            const uint64_t page = (tlbs[t]->tags[i] >> 1) - 1;

            if (tlbs[t]->tags[i] != 0 && page >= first >> DATA_CACHE_PAGE && page <= last >> DATA_CACHE_PAGE)
                take_way_out(tlbs[t], tlbs[t]->tags + i / ways * ways, (unsigned)(i % ways));
        }
    }
}

/* Takes translations out of a TLB, from its last way to its first, so that those behind have been seen. */
static void flush_tlb(struct data_array *tlb, bool (*is_global)(void *of, uint64_t address), void *of)
{
    const size_t ways = tlb->shape.ways;

    for (size_t i = tlb->touched ? tlb->shape.sets * ways : 0; i-- > 0;) {
        uint64_t *const tag = &tlb->tags[i];

        if (*tag == 0 || *tag & GLOBAL)
            continue;
        if (is_global(of, ((*tag >> 1) - 1) << DATA_CACHE_PAGE))
            *tag |= GLOBAL;
        else
            take_way_out(tlb, tag - i % ways, (unsigned)(i % ways));
    }
}

void data_cache_flush_tlbs(struct data_cache *cache, bool (*is_global)(void *of, uint64_t address), void *of)
{
    struct data_array *const tlbs[] = { &cache->tlb, &cache->code_tlb, &cache->code_pages };

    for (unsigned t = 0; t < sizeof(tlbs) / sizeof(tlbs[0]); t++)
        if (is_global == NULL)
            clear(tlbs[t]);
        else
            flush_tlb(tlbs[t], is_global, of);
}
