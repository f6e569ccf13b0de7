/* SPDX-License-Identifier: MIT */
/* Little-endian numbers in bytes of any alignment. The caller has checked the bounds. */
#ifndef DS_BYTES_H
#define DS_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t read_u32(const void *bytes, size_t offset)
{
    const uint8_t *p = (const uint8_t *)bytes + offset;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t read_u64(const void *bytes, size_t offset)
{
    return read_u32(bytes, offset) | (uint64_t)read_u32(bytes, offset + 4) << 32;
}

static inline void write_u32(void *bytes, size_t offset, uint32_t value)
{
    uint8_t *p = (uint8_t *)bytes + offset;
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

static inline void write_u64(void *bytes, size_t offset, uint64_t value)
{
    write_u32(bytes, offset, (uint32_t)value);
    write_u32(bytes, offset + 4, (uint32_t)(value >> 32));
}

#endif
