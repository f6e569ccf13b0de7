/* SPDX-License-Identifier: MIT */
#include "lib/qr/qr.h"

#define FUNCTION 0x80u /* marks a module of a pattern, which is not masked */

#define FINDER_SIDE    7u
#define TIMING         6u /* the row and the column of the timing patterns */
#define ALIGNMENTS_MAX 3u

#define QR_CORRECTION_MAX 30u /* codewords of error correction in a block */

#define MODE_BYTE 4u
#define MODE_BITS 4u

/* ISO/IEC 18004:2015, tables 1 and 9, and table E.1: codewords, error correction, centres of alignment patterns. */
static const struct version {
    uint16_t codewords;
    struct {
        uint8_t blocks, correction; /* codewords of correction in each block */
    } level[2];                     /* by enum qr_level */
    uint8_t alignment[ALIGNMENTS_MAX];
} versions[QR_VERSIONS] = {
    { 26, { { 1, 7 }, { 1, 10 } }, { 0 } },           { 44, { { 1, 10 }, { 1, 16 } }, { 6, 18 } },
    { 70, { { 1, 15 }, { 1, 26 } }, { 6, 22 } },      { 100, { { 1, 20 }, { 2, 18 } }, { 6, 26 } },
    { 134, { { 1, 26 }, { 2, 24 } }, { 6, 30 } },     { 172, { { 2, 18 }, { 4, 16 } }, { 6, 34 } },
    { 196, { { 2, 20 }, { 4, 18 } }, { 6, 22, 38 } }, { 242, { { 2, 24 }, { 4, 22 } }, { 6, 24, 42 } },
    { 292, { { 2, 30 }, { 5, 22 } }, { 6, 26, 46 } }, { 346, { { 4, 18 }, { 5, 26 } }, { 6, 28, 50 } },
};

/* ---- bits and codewords ---- */

/* Bits of the count of characters (table 3). */
static unsigned count_bits(unsigned version)
{
    return version < 10 ? 8 : 16;
}

static size_t data_codewords(unsigned version, enum qr_level level)
{
    const struct version *const v = &versions[version - 1];

    return v->codewords - (size_t)v->level[level].blocks * v->level[level].correction;
}

size_t qr_bytes(unsigned version, enum qr_level level)
{
    return (8 * data_codewords(version, level) - MODE_BITS - count_bits(version)) / 8;
}

struct bits {
    uint8_t *bytes; /* zero from the last bit on */
    size_t count;
};

static void put(struct bits *bits, unsigned value, unsigned width)
{
    while (width-- > 0) {
        if (value >> width & 1)
            bits->bytes[bits->count / 8] |= (uint8_t)(0x80u >> bits->count % 8);
        bits->count++;
    }
}

/* Writes the data codewords of a text: 7.4. */
static void put_data(uint8_t *codewords, const char *text, size_t length, enum qr_level level, unsigned version)
{
    const size_t size = data_codewords(version, level);
    struct bits bits = { codewords, 0 };

    for (size_t i = 0; i < size; i++)
        codewords[i] = 0;
    put(&bits, MODE_BYTE, MODE_BITS);
    put(&bits, (unsigned)length, count_bits(version));
    for (size_t i = 0; i < length; i++)
        put(&bits, (uint8_t)text[i], 8);
    /* The terminator, four zeros, ends at a byte. */
    for (size_t i = (bits.count + MODE_BITS) / 8, n = 0; i < size; i++, n++)
        codewords[i] = n % 2 ? 0x11 : 0xec;
}

/* ---- error correction ---- */

/* Product in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1. */
static uint8_t multiply(unsigned a, unsigned b)
{
    unsigned product = 0;

    for (; b; b >>= 1, a = a << 1 ^ (a >> 7) * 0x11d)
        if (b & 1)
            product ^= a;
    return (uint8_t)product;
}

/* The generator polynomial (annex A), the product of x - 2^i, without its first coefficient, which is 1. */
static void generator(uint8_t *polynomial, unsigned count)
{
    uint8_t root = 1;

    for (unsigned i = 0; i < count; i++)
        polynomial[i] = i + 1 == count;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < count; k++)
            polynomial[k] = multiply(polynomial[k], root) ^ (k + 1 < count ? polynomial[k + 1] : 0);
        root = multiply(root, 2);
    }
}

/* The Reed-Solomon codewords of a block of data. */
static void correct(const uint8_t *data, size_t length, uint8_t *correction, unsigned count)
{
    uint8_t polynomial[QR_CORRECTION_MAX];

    generator(polynomial, count);
    for (unsigned k = 0; k < count; k++)
        correction[k] = 0;
    for (size_t i = 0; i < length; i++) {
        const uint8_t factor = data[i] ^ correction[0];
        for (unsigned k = 0; k < count; k++)
            correction[k] = (k + 1 < count ? correction[k + 1] : 0) ^ multiply(polynomial[k], factor);
    }
}

/* ---- modules ---- */

static uint8_t *module(struct qr_code *code, unsigned row, unsigned column)
{
    return &code->modules[row * code->side + column];
}

static void set(struct qr_code *code, unsigned row, unsigned column, bool dark)
{
    *module(code, row, column) = (uint8_t)(FUNCTION | dark);
}

static unsigned distance(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

/* A dark square around a centre with rings, clipped to the code. */
static void draw_rings(struct qr_code *code, unsigned row, unsigned column, unsigned radius, unsigned light)
{
    for (unsigned r = row < radius ? 0 : row - radius; r <= row + radius && r < code->side; r++)
        for (unsigned c = column < radius ? 0 : column - radius; c <= column + radius && c < code->side; c++) {
            const unsigned down = distance(r, row), across = distance(c, column);
            const unsigned ring = down > across ? down : across;
            set(code, r, c, ring != light && ring != 4);
        }
}

/* A finder pattern with its separator. */
static void draw_finder(struct qr_code *code, unsigned row, unsigned column)
{
    draw_rings(code, row, column, 4, 2);
}

static void draw_alignment(struct qr_code *code, const uint8_t centres[ALIGNMENTS_MAX])
{
    for (unsigned i = 0; i < ALIGNMENTS_MAX && centres[i]; i++)
        for (unsigned k = 0; k < ALIGNMENTS_MAX && centres[k]; k++) {
            const unsigned last = code->side - FINDER_SIDE;
            const bool finder = (centres[i] == TIMING && (centres[k] == TIMING || centres[k] == last)) ||
                                (centres[i] == last && centres[k] == TIMING);
            if (!finder)
                draw_rings(code, centres[i], centres[k], 2, 1);
        }
}

/* Appends the check bits of a BCH code to the bits. The generator has this degree. */
static unsigned with_bch(unsigned bits, unsigned polynomial, unsigned degree)
{
    unsigned rest = bits << degree;

    for (unsigned i = 31; i >= degree; i--)
        if (rest >> i & 1)
            rest ^= polynomial << (i - degree);
    return bits << degree | rest;
}

static unsigned format_bits(enum qr_level level, unsigned mask)
{
    return with_bch((level == QR_LEVEL_L ? 1u : 0u) << 3 | mask, 0x537, 10) ^ 0x5412;
}

static unsigned version_bits(unsigned version)
{
    return with_bch(version, 0x1f25, 12);
}

/* The format information, twice, the least significant bit first (7.9), and the module that is always dark. */
static void draw_format(struct qr_code *code, unsigned bits)
{
    const unsigned side = code->side;

    for (unsigned i = 0; i < 15; i++) {
        const bool dark = bits >> i & 1;
        if (i < 8)
            set(code, i + (i >= TIMING), 8, dark);
        else
            set(code, 8, i == 8 ? 7 : 14 - i, dark);
        if (i < 8)
            set(code, 8, side - 1 - i, dark);
        else
            set(code, side - 15 + i, 8, dark);
    }
    set(code, side - 8, 8, true);
}

/* The version information, twice (7.10). */
static void draw_version(struct qr_code *code)
{
    const unsigned bits = version_bits(code->version), first = QR_SIDE(code->version) - 11;

    for (unsigned i = 0; i < 18; i++) {
        set(code, first + i % 3, i / 3, bits >> i & 1);
        set(code, i / 3, first + i % 3, bits >> i & 1);
    }
}

static void draw_patterns(struct qr_code *code)
{
    for (unsigned i = 0; i < code->side * code->side; i++)
        code->modules[i] = 0;
    for (unsigned i = 0; i < code->side; i++) {
        set(code, TIMING, i, i % 2 == 0);
        set(code, i, TIMING, i % 2 == 0);
    }
    draw_finder(code, 3, 3);
    draw_finder(code, 3, code->side - 4);
    draw_finder(code, code->side - 4, 3);
    draw_alignment(code, versions[code->version - 1].alignment);
    draw_format(code, 0);
    if (code->version >= 7)
        draw_version(code);
}

/*
 * Where the next bit goes: in columns of two from the right, upwards and downwards in turn, around the patterns: 7.7.3.
 */
struct place {
    unsigned row, column; /* the right one of the two */
    bool left, down;
};

static void step(const struct qr_code *code, struct place *at)
{
    at->left = !at->left;
    if (at->left)
        return;
    if (at->row != (at->down ? code->side - 1 : 0)) {
        at->row = at->down ? at->row + 1 : at->row - 1;
        return;
    }
    at->down = !at->down;
    at->column -= at->column == TIMING + 2 ? 3 : 2;
}

static void draw_codeword(struct qr_code *code, struct place *at, uint8_t codeword)
{
    for (unsigned bit = 8; bit > 0; step(code, at)) {
        uint8_t *const here = module(code, at->row, at->column - at->left);
        if (!(*here & FUNCTION))
            *here = codeword >> --bit & 1;
    }
}

/* Where a block's data begin, if those from first_long on have a codeword more than the shortest. */
static unsigned block_start(unsigned block, unsigned shortest, unsigned first_long)
{
    return block * shortest + (block > first_long ? block - first_long : 0);
}

/* Draws the data, then the correction, of all blocks in turn: 7.6. */
static void draw_codewords(struct qr_code *code, enum qr_level level)
{
    const struct version *const v = &versions[code->version - 1];
    const unsigned blocks = v->level[level].blocks, count = v->level[level].correction;
    const unsigned size = (unsigned)data_codewords(code->version, level), shortest = size / blocks;
    const unsigned first_long = blocks - size % blocks;
    uint8_t *const correction = code->codewords + size;
    struct place at = { .row = code->side - 1, .column = code->side - 1 };

    for (unsigned i = 0; i < blocks; i++)
        correct(code->codewords + block_start(i, shortest, first_long), shortest + (i >= first_long),
                correction + i * count, count);
    for (unsigned k = 0; k <= shortest; k++)
        for (unsigned i = k < shortest ? 0 : first_long; i < blocks; i++)
            draw_codeword(code, &at, code->codewords[block_start(i, shortest, first_long) + k]);
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < blocks; i++)
            draw_codeword(code, &at, correction[i * count + k]);
}

/* ---- masks ---- */

/* The conditions of table 10. */
static bool masked(unsigned mask, unsigned i, unsigned j)
{
    switch (mask) {
    case 0:
        return (i + j) % 2 == 0;
    case 1:
        return i % 2 == 0;
    case 2:
        return j % 3 == 0;
    case 3:
        return (i + j) % 3 == 0;
    case 4:
        return (i / 2 + j / 3) % 2 == 0;
    case 5:
        return i * j % 2 + i * j % 3 == 0;
    case 6:
        return (i * j % 2 + i * j % 3) % 2 == 0;
    default:
        return ((i + j) % 2 + i * j % 3) % 2 == 0;
    }
}

/* A second application removes the mask. */
static void apply_mask(struct qr_code *code, unsigned mask)
{
    for (unsigned row = 0; row < code->side; row++)
        for (unsigned column = 0; column < code->side; column++)
            if (!(*module(code, row, column) & FUNCTION))
                *module(code, row, column) ^= masked(mask, row, column);
}

/* A module by line (row or column) and position. Modules outside the code are light. */
static bool dark(const struct qr_code *code, bool columns, unsigned line, unsigned place)
{
    if (place >= code->side)
        return false;
    return code->modules[columns ? place * code->side + line : line * code->side + place] & 1;
}

/* Whether the 7 modules from here look like a finder: 1:1:3:1:1, with four light ones before or after them. */
static bool like_finder(const struct qr_code *code, bool columns, unsigned line, unsigned place)
{
    bool before = true, behind = true;

    for (unsigned i = 0; i < FINDER_SIDE; i++)
        if (place + i >= code->side || dark(code, columns, line, place + i) != (0x5du >> i & 1))
            return false;
    for (unsigned i = 1; i <= 4; i++) {
        before = before && !dark(code, columns, line, place - i); /* wraps around to a position outside */
        behind = behind && !dark(code, columns, line, place + FINDER_SIDE - 1 + i);
    }
    return before || behind;
}

static unsigned line_penalty(const struct qr_code *code, bool columns, unsigned line)
{
    unsigned penalty = 0, run = 0;

    for (unsigned place = 0; place < code->side; place++) {
        run = place > 0 && dark(code, columns, line, place) == dark(code, columns, line, place - 1) ? run + 1 : 1;
        if (run >= 5)
            penalty += run == 5 ? 3 : 1;
        if (like_finder(code, columns, line, place))
            penalty += 40;
    }
    return penalty;
}

/* 7.8.3. */
static unsigned penalty_of(const struct qr_code *code)
{
    const unsigned all = code->side * code->side;
    unsigned penalty = 0, count = 0;

    for (unsigned line = 0; line < code->side; line++)
        penalty += line_penalty(code, false, line) + line_penalty(code, true, line);
    for (unsigned row = 0; row + 1 < code->side; row++)
        for (unsigned column = 0; column + 1 < code->side; column++) {
            const unsigned sum = (unsigned)dark(code, false, row, column) + dark(code, false, row, column + 1) +
                                 dark(code, false, row + 1, column) + dark(code, false, row + 1, column + 1);
            penalty += sum % 4 == 0 ? 3 : 0;
        }
    for (unsigned i = 0; i < all; i++)
        count += code->modules[i] & 1;
    return penalty +
           distance(20 * count, 10 * all) / all * 10; /* each 5 of 100 that are missing from, or above, half */
}

static unsigned best_mask(struct qr_code *code, enum qr_level level)
{
    unsigned best = 0, least = 0;

    for (unsigned mask = 0; mask < QR_MASKS; mask++) {
        apply_mask(code, mask);
        draw_format(code, format_bits(level, mask));
        const unsigned penalty = penalty_of(code);
        apply_mask(code, mask);
        if (mask == 0 || penalty < least) {
            best = mask;
            least = penalty;
        }
    }
    return best;
}

bool qr_encode(struct qr_code *code, const char *text, size_t length, enum qr_level level, unsigned version,
               unsigned mask)
{
    if (version < 1 || version > QR_VERSIONS || length > qr_bytes(version, level))
        return false;
    code->version = version;
    code->side = QR_SIDE(version);
    put_data(code->codewords, text, length, level, version);
    draw_patterns(code);
    draw_codewords(code, level);
    code->mask = mask == QR_MASK_BEST ? best_mask(code, level) : mask;
    apply_mask(code, code->mask);
    draw_format(code, format_bits(level, code->mask));
    for (unsigned i = 0; i < code->side * code->side; i++)
        code->modules[i] &= 1;
    return true;
}
