/* SPDX-License-Identifier: MIT */
/* A cache of the texts of branches, for forms with a line for each: loops repeat few branches millions of times. */
#ifndef TOOLS_BRANCH_TEXTS_H
#define TOOLS_BRANCH_TEXTS_H

#include "tools/writer.h"

#define BRANCH_TEXTS 2048u

struct branch_texts {
    struct branch_text {
        uint64_t from, to, facts; /* facts: what else the text depends on */
        uint32_t length;          /* 0: unused */
        char text[228];
    } texts[BRANCH_TEXTS];
};

static inline struct branch_text *branch_texts_slot(struct branch_texts *cache, uint64_t from, uint64_t to)
{
    const uint64_t hash = (from ^ to << 16) * UINT64_C(0x9e3779b97f4a7c15);

    return &cache->texts[hash / (UINT64_MAX / BRANCH_TEXTS + 1)];
}

/* Puts the text of a branch and returns its end; NULL if it is not in the cache. */
static inline char *branch_texts_put(struct branch_texts *cache, char *at, uint64_t from, uint64_t to, uint64_t facts)
{
    const struct branch_text *known = branch_texts_slot(cache, from, to);

    if (known->length == 0 || known->from != from || known->to != to || known->facts != facts)
        return NULL;
    return put_copy(at, known->text, known->length, 96, sizeof known->text);
}

/* Keeps the text from start to end, unless it is too long. */
static inline void branch_texts_keep(struct branch_texts *cache, const char *start, const char *end, uint64_t from,
                                     uint64_t to, uint64_t facts)
{
    struct branch_text *slot = branch_texts_slot(cache, from, to);

    if ((size_t)(end - start) > sizeof slot->text)
        return;
    *slot = (struct branch_text){ from, to, facts, (uint32_t)(end - start), "" };
    memcpy(slot->text, start, slot->length);
}

/* Empties the cache: symbols may have changed. */
static inline void branch_texts_forget(struct branch_texts *cache)
{
    for (unsigned i = 0; i < BRANCH_TEXTS; i++)
        cache->texts[i].length = 0;
}

#endif
