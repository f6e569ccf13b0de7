/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE /* mmap */
#include "model/qemu/arena.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/qemu/options.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define LINE_BYTES  64 /* of the host's caches: the part of a block that each run reads fits in one line */

static struct {
    GMutex lock;
    GSList *chunks;
    size_t used; /* bytes used of the newest chunk */
} arena;

#ifndef MAP_32BIT /* not on all hosts */
#define MAP_32BIT 0
#endif

/* Below 2 GB, if possible: a block's address then fits into one instruction. */
static void *new_chunk(void)
{
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    void *chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, kind | MAP_32BIT, -1, 0);

    if (chunk == MAP_FAILED)
        chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (chunk == MAP_FAILED)
        options_die("%s", "out of memory");
    return chunk;
}

static void free_chunk(void *chunk)
{
    munmap(chunk, CHUNK_BYTES);
}

void *arena_copy(const void *bytes, size_t size)
{
    const size_t aligned = (size + LINE_BYTES - 1) & ~(size_t)(LINE_BYTES - 1);
    char *at;

    g_mutex_lock(&arena.lock);
    if (arena.chunks == NULL || arena.used + aligned > CHUNK_BYTES) {
        arena.chunks = g_slist_prepend(arena.chunks, new_chunk());
        arena.used = 0;
    }
    at = (char *)arena.chunks->data + arena.used;
    arena.used += aligned;
    g_mutex_unlock(&arena.lock);
    return memcpy(at, bytes, size);
}

void arena_free(void)
{
    g_slist_free_full(arena.chunks, free_chunk);
    arena.chunks = NULL;
}
