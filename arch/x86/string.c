/* SPDX-License-Identifier: MIT */
/* The four functions that compilers call implicitly. */
#include "arch/x86/string.h"

/* By words: bytes alone are much slower before Ivy Bridge, and in an emulator. */
#ifdef __x86_64__
#define REP_MOVS "rep movsq"
#define REP_STOS "rep stosq"
#else
#define REP_MOVS "rep movsl"
#define REP_STOS "rep stosl"
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    void *result = to;
    size_t words = size / sizeof words, bytes = size % sizeof words;

    __asm__ volatile(REP_MOVS : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
}

void *memset(void *to, int value, size_t size)
{
    void *result = to;
    size_t words = size / sizeof words, bytes = size % sizeof words;
    const size_t word = (uint8_t)value * (~(size_t)0 / 0xff);

    __asm__ volatile(REP_STOS : "+D"(to), "+c"(words) : "a"(word) : "memory");
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(word) : "memory");
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
