/* SPDX-License-Identifier: MIT */
/*
 * Little-endian numbers in memory of any alignment. The caller checks the bounds. The functions are unrolled, because
 * compilers merge unrolled byte accesses into one access, but not those of a loop.
 */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t read_u32(const void *bytes, size_t offset)
{
    const uint8_t *p = (const uint8_t *)bytes + offset;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t read_u64(const void *bytes, size_t offset)
{
    const uint8_t *p = (const uint8_t *)bytes + offset;
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* A number of up to 8 bytes. */
static inline uint64_t read_little(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    while (size--)
        value = value << 8 | bytes[size];
    return value;
}

static inline void write_u32(void *bytes, size_t offset, uint32_t value)
{
    uint8_t *p = (uint8_t *)bytes + offset;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
}

static inline void write_u64(void *bytes, size_t offset, uint64_t value)
{
    uint8_t *p = (uint8_t *)bytes + offset;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
    p[4] = (uint8_t)(value >> 32);
    p[5] = (uint8_t)(value >> 40);
    p[6] = (uint8_t)(value >> 48);
    p[7] = (uint8_t)(value >> 56);
}

#endif
