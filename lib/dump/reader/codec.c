/* SPDX-License-Identifier: MIT */
#include "lib/dump/reader/codec.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <string.h>

#define LANE 256u /* bytes */

/* By position and value of a byte of a CRC: its CRC after LANE zero bytes. */
static uint32_t over_lane[4][256];

__attribute__((target("sse4.2"))) static uint64_t crc_eight(uint64_t crc, const uint8_t *at)
{
    uint64_t eight;

    memcpy(&eight, at, 8);
    return _mm_crc32_u64(crc, eight);
}

/* Fills over_lane. CRCs are linear: the result for a value is the XOR of the results for its bits. */
__attribute__((target("sse4.2"))) static void fill_over_lane(void)
{
    uint32_t of_bit[32];

    for (unsigned bit = 0; bit < 32; bit++) {
        uint64_t crc = UINT64_C(1) << bit;
        for (unsigned i = 0; i < LANE; i += 8)
            crc = _mm_crc32_u64(crc, 0);
        of_bit[bit] = (uint32_t)crc;
    }
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned value = 0; value < 256; value++) {
            uint32_t sum = 0;
            for (unsigned bit = 0; bit < 8; bit++)
                sum ^= value >> bit & 1 ? of_bit[8 * byte + bit] : 0;
            over_lane[byte][value] = sum;
        }
}

static uint64_t step_over_lane(uint64_t crc)
{
    return over_lane[0][crc & 0xff] ^ over_lane[1][crc >> 8 & 0xff] ^ over_lane[2][crc >> 16 & 0xff] ^
           over_lane[3][crc >> 24 & 0xff];
}

/*
 * The CRC32 instruction computes this CRC, eight bytes at a time. Three of them overlap in the pipeline, so three lanes
 * are computed at once and then combined.
 */
__attribute__((target("sse4.2"))) static uint32_t crc_sse42(const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    uint64_t crc = UINT32_MAX;

    for (; length >= 3 * LANE; length -= 3 * LANE, at += 2 * LANE) {
        uint64_t second = 0, third = 0;
        for (const uint8_t *end = at + LANE; at < end; at += 8) {
            crc = crc_eight(crc, at);
            second = crc_eight(second, at + LANE);
            third = crc_eight(third, at + 2 * LANE);
        }
        crc = step_over_lane(step_over_lane(crc) ^ second) ^ third;
    }
    for (; length >= 8; length -= 8, at += 8)
        crc = crc_eight(crc, at);
    for (; length > 0; length--)
        crc = _mm_crc32_u8((uint32_t)crc, *at++);
    return ~(uint32_t)crc;
}

/*
 * Decodes 32 characters to 24 bytes at a time (W. Mula, D. Lemire: "Faster Base64 Encoding and Decoding Using AVX2
 * Instructions", 2018), and the rest by the portable function. A character's high nibble tells its range, the low
 * nibble whether it is valid; only '/' and '+' need a further comparison.
 */
__attribute__((target("avx2"))) static size_t base64_avx2(uint8_t *out, const char *text, size_t length)
{
    const __m256i nibble = _mm256_set1_epi8(0x0f), slash = _mm256_set1_epi8('/');
    /* Bits that high and low nibble have in common if together they are not a base64 character. */
    const __m256i high_bits = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
    const __m256i low_bits = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a));
    /* The offset to add, by high nibble; '/', whose nibble is 2, uses 1. */
    const __m256i offsets =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i gather =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    uint8_t *start = out;
    size_t rest;

    for (; length >= 36; length -= 32, text += 32, out += 24) {
        __m256i characters = _mm256_loadu_si256((const __m256i *)(const void *)text);
        __m256i high = _mm256_and_si256(_mm256_srli_epi32(characters, 4), nibble);
        __m256i low = _mm256_and_si256(characters, nibble);
        __m256i pairs;
        if (!_mm256_testz_si256(_mm256_shuffle_epi8(high_bits, high), _mm256_shuffle_epi8(low_bits, low)))
            return SIZE_MAX;
        high = _mm256_add_epi8(high, _mm256_cmpeq_epi8(characters, slash));
        characters = _mm256_add_epi8(characters, _mm256_shuffle_epi8(offsets, high));
        pairs = _mm256_maddubs_epi16(characters, _mm256_set1_epi32(0x01400140));
        pairs = _mm256_shuffle_epi8(_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000)), gather);
        pairs = _mm256_permutevar8x32_epi32(pairs, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, -1, -1));
        _mm256_storeu_si256((__m256i *)(void *)out, pairs);
    }
    rest = dump_base64_take(out, text, length);
    return rest == SIZE_MAX ? SIZE_MAX : (size_t)(out - start) + rest;
}

#endif

const struct dump_codec *codec_fastest(void)
{
    static struct dump_codec codec = { dump_crc, dump_base64_take };

#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) {
        fill_over_lane();
        codec.crc = crc_sse42;
    }
    if (__builtin_cpu_supports("avx2"))
        codec.base64 = base64_avx2;
#endif
    return &codec;
}
