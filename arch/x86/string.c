/* SPDX-License-Identifier: MIT */
/* The four functions that compilers call implicitly. */
#include "arch/x86/string.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    void *result = to;
    size_t words = size / sizeof(uint32_t), bytes = size % sizeof(uint32_t);

    /* REP MOVSL is much faster than REP MOVSB before Ivy Bridge. */
    __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
}

void *memset(void *to, int value, size_t size)
{
    void *result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
    return result;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *last_to = (uint8_t *)to + size - 1;
    const uint8_t *last_from = (const uint8_t *)from + size - 1;

    if ((uintptr_t)to <= (uintptr_t)from)
        return memcpy(to, from, size);
    __asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(last_to), "+S"(last_from), "+c"(size) : : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;

    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}
