/* SPDX-License-Identifier: MIT */
#include "boot/gzip.h"

#include <stdbool.h>

#include "lib/bytes.h"

enum { HEADER_SIZE = 10, TRAILER_SIZE = 8 };
enum { END_OF_BLOCK = 256, LENGTH_CODES = 257 };

/* The most symbols of a code, their code lengths, and what all codes of a complete code add up to. */
enum { SYMBOLS_MAX = 288, DISTANCES_MAX = 32, LENGTH_SYMBOLS = 19, BITS_MAX = 15, WHOLE = 1 << BITS_MAX };

/* A code as a binary tree. */
struct tree {
    uint16_t children[SYMBOLS_MAX]
                     [2]; /* by the next bit: another node, or LEAF and a symbol; 0: none, it is the root */
};
#define LEAF 0x8000u

struct unpacking {
    const uint8_t *at, *end; /* what is not read yet */
    uint32_t bits;           /* read and not used yet, the first one lowest */
    unsigned count;          /* of them */
    uint8_t *out;
    size_t length, room; /* bytes */
    enum gzip_error error;
};

/* Notes the first error. 0: what could not be read. */
static uint32_t fail(struct unpacking *u, enum gzip_error error)
{
    if (u->error == GZIP_OK)
        u->error = error;
    return 0;
}

/* The next number of so many bits, 0 to 16. */
static uint32_t take_bits(struct unpacking *u, unsigned count)
{
    for (; u->count < count; u->count += 8) {
        if (u->at == u->end)
            return fail(u, GZIP_TRUNCATED);
        u->bits |= (uint32_t)*u->at++ << u->count;
    }
    const uint32_t value = u->bits & ((UINT32_C(1) << count) - 1);
    u->bits >>= count;
    u->count -= count;
    return value;
}

static void put_byte(struct unpacking *u, uint8_t byte)
{
    if (u->length == u->room)
        fail(u, GZIP_LENGTH);
    else
        u->out[u->length++] = byte;
}

/*
 * Makes the tree of a code from the length of each symbol's code, 0 to 15 bits, 0: none (RFC 1951, 3.2.2). It is
 * complete, or has one symbol, whose code is 0, or none.
 */
static bool make_tree(struct tree *tree, const uint8_t *lengths, unsigned symbols)
{
    unsigned used = 0, sum = 0, nodes = 1, code = 0;

    for (unsigned i = 0; i < symbols; i++) {
        used += lengths[i] != 0;
        sum += lengths[i] != 0 ? (unsigned)WHOLE >> lengths[i] : 0;
    }
    if (sum != WHOLE && (used > 1 || sum != used * WHOLE / 2))
        return false;

    tree->children[0][0] = tree->children[0][1] = 0;
    for (unsigned length = 1; length <= BITS_MAX; length++, code <<= 1)
        for (unsigned symbol = 0; symbol < symbols; symbol++) {
            if (lengths[symbol] != length)
                continue;
            unsigned node = 0;
            for (unsigned bit = length - 1; bit > 0; bit--) {
                uint16_t *child = &tree->children[node][code >> bit & 1];
                if (*child == 0) {
                    tree->children[nodes][0] = tree->children[nodes][1] = 0;
                    *child = (uint16_t)nodes++;
                }
                node = *child;
            }
            tree->children[node][code++ & 1] = (uint16_t)(LEAF | symbol);
        }
    return true;
}

static unsigned take_symbol(struct unpacking *u, const struct tree *tree)
{
    unsigned node = 0;

    do
        node = tree->children[node][take_bits(u, 1)];
    while (node != 0 && !(node & LEAF) && u->error == GZIP_OK);
    return node & LEAF ? node & ~LEAF : fail(u, GZIP_SYMBOL);
}

/* RFC 1951, 3.2.5: lengths are 3 to 258, distances 1 to 32768, four and two of them to a number of extra bits. */
static unsigned take_length(struct unpacking *u, unsigned symbol)
{
    if (symbol < 8)
        return 3 + symbol;
    if (symbol == 28)
        return 258;
    const unsigned extra = symbol / 4 - 1;
    return symbol < 28 ? 3 + ((4 + symbol % 4) << extra) + take_bits(u, extra) : fail(u, GZIP_SYMBOL);
}

static unsigned take_distance(struct unpacking *u, unsigned symbol)
{
    if (symbol < 4)
        return 1 + symbol;
    const unsigned extra = symbol / 2 - 1;
    return symbol < 30 ? 1 + ((2 + symbol % 2) << extra) + take_bits(u, extra) : fail(u, GZIP_SYMBOL);
}

static void take_contents(struct unpacking *u, const struct tree *literals, const struct tree *distances)
{
    while (u->error == GZIP_OK) {
        const unsigned symbol = take_symbol(u, literals);
        if (symbol == END_OF_BLOCK)
            return;
        if (symbol < END_OF_BLOCK) {
            put_byte(u, (uint8_t)symbol);
            continue;
        }
        unsigned length = take_length(u, symbol - LENGTH_CODES);
        const unsigned distance = take_distance(u, take_symbol(u, distances));
        if (distance > u->length)
            fail(u, GZIP_DISTANCE);
        for (; length > 0 && u->error == GZIP_OK; length--)
            put_byte(u, u->out[u->length - distance]);
    }
}

static void take_stored(struct unpacking *u)
{
    take_bits(u, u->count % 8); /* up to the next byte */
    uint32_t length = take_bits(u, 16);
    if (take_bits(u, 16) != (length ^ 0xffff))
        fail(u, GZIP_STORED_LENGTH);
    for (; length > 0 && u->error == GZIP_OK; length--)
        put_byte(u, (uint8_t)take_bits(u, 8));
}

static void take_fixed(struct unpacking *u)
{
    struct tree literals, distances;
    uint8_t lengths[SYMBOLS_MAX];

    for (unsigned i = 0; i < SYMBOLS_MAX; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_tree(&literals, lengths, SYMBOLS_MAX);
    for (unsigned i = 0; i < DISTANCES_MAX; i++)
        lengths[i] = 5;
    make_tree(&distances, lengths, DISTANCES_MAX);
    take_contents(u, &literals, &distances);
}

/* Reads the lengths of two codes, which are coded themselves, one code's after the other's (RFC 1951, 3.2.7). */
static void take_lengths(struct unpacking *u, const struct tree *tree, uint8_t *lengths, unsigned count)
{
    for (unsigned i = 0; i < count && u->error == GZIP_OK;) {
        const unsigned symbol = take_symbol(u, tree);
        unsigned repeat = 1;
        uint8_t length = (uint8_t)symbol;
        if (symbol == 16) {
            length = i > 0 ? lengths[i - 1] : UINT8_MAX; /* none to repeat */
            repeat = 3 + take_bits(u, 2);
        } else if (symbol > 16) {
            length = 0;
            repeat = symbol == 17 ? 3 + take_bits(u, 3) : 11 + take_bits(u, 7);
        }
        if (length > BITS_MAX || repeat > count - i)
            fail(u, GZIP_CODE);
        else
            for (; repeat > 0; repeat--)
                lengths[i++] = length;
    }
}

static void take_dynamic(struct unpacking *u)
{
    static const uint8_t order[LENGTH_SYMBOLS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    const unsigned literal_count = 257 + take_bits(u, 5), distance_count = 1 + take_bits(u, 5);
    const unsigned length_count = 4 + take_bits(u, 4);
    struct tree literals, distances;
    uint8_t lengths[SYMBOLS_MAX + DISTANCES_MAX] = { 0 };

    for (unsigned i = 0; i < length_count; i++)
        lengths[order[i]] = (uint8_t)take_bits(u, 3);
    if (!make_tree(&literals, lengths, LENGTH_SYMBOLS)) {
        fail(u, GZIP_CODE);
        return;
    }
    take_lengths(u, &literals, lengths, literal_count + distance_count);
    if (u->error != GZIP_OK)
        return;
    if (!make_tree(&literals, lengths, literal_count) ||
        !make_tree(&distances, lengths + literal_count, distance_count))
        fail(u, GZIP_CODE);
    else
        take_contents(u, &literals, &distances);
}

static void inflate(struct unpacking *u)
{
    bool last = false;

    while (!last && u->error == GZIP_OK) {
        last = take_bits(u, 1) != 0;
        switch (take_bits(u, 2)) {
        case 0:
            take_stored(u);
            break;
        case 1:
            take_fixed(u);
            break;
        case 2:
            take_dynamic(u);
            break;
        default:
            fail(u, GZIP_BLOCK_TYPE);
        }
    }
}

/* CRC-32 of RFC 1952, 8: reflected polynomial edb88320h, initial value and final inversion all ones. */
static uint32_t checksum(const uint8_t *bytes, size_t length)
{
    static const uint32_t nibbles[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                          0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                          0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

uint32_t gzip_length(const void *file, size_t size)
{
    return size < HEADER_SIZE + TRAILER_SIZE ? 0 : read_u32(file, size - 4);
}

enum gzip_error gzip_unpack(const void *file, size_t size, void *out)
{
    const uint8_t *bytes = file;
    if (size < HEADER_SIZE + TRAILER_SIZE)
        return GZIP_TRUNCATED;
    if (bytes[0] != 0x1f || bytes[1] != 0x8b || bytes[2] != 8 || bytes[3] != 0)
        return GZIP_NOT_GZIP;

    struct unpacking u = {
        .at = bytes + HEADER_SIZE,
        .end = bytes + size - TRAILER_SIZE,
        .out = out,
        .room = gzip_length(file, size),
    };
    inflate(&u);
    if (u.error != GZIP_OK)
        return u.error;
    if (u.at != u.end)
        return GZIP_TRAILING_BYTES;
    if (u.length != u.room)
        return GZIP_LENGTH;
    return checksum(out, u.length) == read_u32(file, size - TRAILER_SIZE) ? GZIP_OK : GZIP_CHECKSUM;
}

const char *gzip_error_text(enum gzip_error error)
{
    switch (error) {
    case GZIP_OK:
        return "no error";
    case GZIP_NOT_GZIP:
        return "not a gzip file without a name in its header";
    case GZIP_TRUNCATED:
        return "the gzip file ends too early";
    case GZIP_BLOCK_TYPE:
        return "a block in the gzip file has a type that does not exist";
    case GZIP_STORED_LENGTH:
        return "the length of a stored block in the gzip file contradicts its complement";
    case GZIP_CODE:
        return "a Huffman code in the gzip file is not complete, or has too many code words";
    case GZIP_SYMBOL:
        return "the gzip file has a code word that stands for nothing";
    case GZIP_DISTANCE:
        return "the gzip file refers to bytes before its beginning";
    case GZIP_LENGTH:
        return "the contents of the gzip file are longer or shorter than it says";
    case GZIP_TRAILING_BYTES:
        return "bytes follow the contents of the gzip file";
    case GZIP_CHECKSUM:
        return "the checksum of the gzip file is wrong";
    }
    return "unknown gzip error";
}
