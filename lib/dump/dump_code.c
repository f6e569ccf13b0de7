/* SPDX-License-Identifier: MIT */
#include "lib/dump/dump_code.h"

static const char alphabet[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void dump_predictor_reset(struct dump_predictor *p)
{
    p->context = p->set = 0;
    p->last_to = 0;
    p->known = 0;
    for (unsigned i = 0; i < DUMP_CONTEXTS; i++)
        p->next[i] = 0;
    for (unsigned i = 0; i < DUMP_SETS; i++)
        for (unsigned j = 0; j < DUMP_SLOTS; j++)
            p->slots[i][j] = 0;
}

uint32_t dump_crc(const void *bytes, size_t length)
{
    static const uint32_t nibbles[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                          0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                          0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };
    const uint8_t *byte = bytes;
    uint32_t crc = UINT32_MAX;

    for (; length > 0; length--) {
        crc ^= *byte++;
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

size_t dump_base64_put(char *out, const uint8_t *bytes, size_t length)
{
    const char *start = out;

    for (; length >= 3; length -= 3, bytes += 3) {
        uint32_t group = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = alphabet[group >> 6 & 63];
        *out++ = alphabet[group & 63];
    }
    if (length > 0) {
        uint32_t group = (uint32_t)bytes[0] << 16 | (length > 1 ? (uint32_t)bytes[1] << 8 : 0);
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = length > 1 ? alphabet[group >> 6 & 63] : '=';
        *out++ = '=';
    }
    return (size_t)(out - start);
}

/* One more than the value of a base64 character; 0 if it is not one. */
static const uint8_t sextets[UINT8_MAX + 1] = {
    ['+'] = 63, ['/'] = 64, ['0'] = 53, 54, 55, 56, 57,         58, 59, 60, 61, 62, ['A'] = 1, 2,  3,  4,
    5,          6,          7,          8,  9,  10, 11,         12, 13, 14, 15, 16, 17,        18, 19, 20,
    21,         22,         23,         24, 25, 26, ['a'] = 27, 28, 29, 30, 31, 32, 33,        34, 35, 36,
    37,         38,         39,         40, 41, 42, 43,         44, 45, 46, 47, 48, 49,        50, 51, 52,
};

size_t dump_base64_take(uint8_t *out, const char *text, size_t length)
{
    const uint8_t *start = out;
    unsigned padding = length >= 4 && text[length - 1] == '=' ? text[length - 2] == '=' ? 2 : 1 : 0;

    if (length % 4 != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < length; i += 4) {
        unsigned kept = i + 4 == length ? 3 - padding : 3;
        uint32_t group = 0;
        for (unsigned j = 0; j < 4; j++) {
            unsigned value = j > kept ? 1 : sextets[(uint8_t)text[i + j]];
            if (value == 0)
                return SIZE_MAX;
            group = group << 6 | (value - 1);
        }
        for (unsigned j = 0; j < kept; j++)
            *out++ = (uint8_t)(group >> (16 - 8 * j));
    }
    return (size_t)(out - start);
}
