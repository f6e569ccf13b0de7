/* SPDX-License-Identifier: MIT */
/* The encodings that the writer and the reader of dumps share: numbers, text and the prediction of branches. Pure. */
#ifndef LIB_DUMP_DUMP_CODE_H
#define LIB_DUMP_DUMP_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dump/dump_format.h"

#define DUMP_VARINT_MAX 10u /* bytes of the longest number */

/* Writes a number with seven bits in each byte, low bits first; bit 7: another byte follows. Returns its bytes. */
static inline size_t dump_varint_put(uint8_t *out, uint64_t value)
{
    size_t n = 0;

    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

/* Reads a number at *at and advances *at. Returns false, with *at undefined, if the bytes end too early. */
static inline bool dump_varint_take(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;

    for (unsigned shift = 0; *at < end && shift < 7 * DUMP_VARINT_MAX; shift += 7) {
        uint8_t byte = *(*at)++;
        sum |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return true;
        }
    }
    return false;
}

/* Maps small signed numbers to small unsigned ones: 0, -1, 1, -2, .. become 0, 1, 2, 3, .. */
static inline uint64_t dump_zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t dump_unzigzag(uint64_t code)
{
    return code >> 1 ^ (0 - (code & 1));
}

/*
 * Predicts the next branch from the last three targets, which identify the program's path. If that fails, two branches
 * that recently followed the last target are candidates. Writer and reader start each frame with an empty predictor and
 * update it with the same records.
 */
#define DUMP_CONTEXTS 4096u
#define DUMP_SETS     256u
#define DUMP_SLOTS    2u
#define DUMP_BRANCHES_MAX \
    (DUMP_PAYLOAD_SEVERAL / 4) /* branches spelled out in a frame: each takes at least four bytes */

/* The low bits of a token: the slot of a branch that was not predicted, or DUMP_NAMED or DUMP_SPELLED. */
#define DUMP_NAMED     2u /* the values have its number, counted back from the newest */
#define DUMP_SPELLED   3u /* the values have its three fields; it becomes the newest branch */
#define DUMP_KIND_BITS 2u
#define DUMP_KIND      ((1u << DUMP_KIND_BITS) - 1)

struct dump_branch {
    uint64_t from, to, flags;
};

struct dump_predictor {
    uint32_t context, set;
    uint64_t last_to;
    unsigned known;
    struct dump_branch branches[DUMP_BRANCHES_MAX + 1]; /* branches spelled out so far, from 1 on */
    uint16_t next[DUMP_CONTEXTS];                       /* number of the predicted branch, 0: none */
    uint16_t slots[DUMP_SETS][DUMP_SLOTS];              /* numbers of branches, most recently used first */
};

void dump_predictor_reset(struct dump_predictor *p);

/* Updates the context; must be called after every record. */
static inline void dump_predictor_advance(struct dump_predictor *p, uint64_t to)
{
    uint32_t hash = (uint32_t)(to ^ to >> 32) * 2654435761u; /* Knuth's multiplicative hash */

    p->context = (p->context << 4 ^ hash >> 20) & (DUMP_CONTEXTS - 1);
    p->set = hash >> 24;
    p->last_to = to;
}

/* Learns a record that was not predicted, branch number n; must be called before dump_predictor_advance(). */
static inline void dump_predictor_learn(struct dump_predictor *p, unsigned n)
{
    uint16_t *slots = p->slots[p->set];

    p->next[p->context] = (uint16_t)n;
    if (slots[0] != n) {
        slots[1] = slots[0];
        slots[0] = (uint16_t)n;
    }
}

/* CRC-32C (Castagnoli, reflected polynomial 82f63b78h, initial value and final inversion all ones). */
uint32_t dump_crc(const void *bytes, size_t length);

/* Writes length bytes as base64 (RFC 4648, with padding) without a NUL. Returns the characters written. */
size_t dump_base64_put(char *out, const uint8_t *bytes, size_t length);

/*
 * Decodes length characters of base64 into out, which has room for length / 4 * 3 bytes. Returns the number of bytes,
 * SIZE_MAX if the text is not base64.
 */
size_t dump_base64_take(uint8_t *out, const char *text, size_t length);

#endif
