/* SPDX-License-Identifier: MIT */
/*
 * QR codes against the examples and tables of ISO/IEC 18004:2015, and a code that qrencode drew. tests/tools/qr.t has
 * programs of others read and draw codes of every version, level and mask.
 */
#include "tests/host/unit_test.h"

#include "lib/qr/qr.h"

static struct qr_code code;

/* Annex I: the data codewords of 01234567 in version 1-M, and their correction. */
UNIT_TEST(correction_of_the_example)
{
    static const uint8_t data[] = { 0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11,
                                    0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11 };
    static const uint8_t expected[] = { 0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55 };
    uint8_t got[sizeof expected];

    qr_correction(data, sizeof data, got, sizeof got);
    assert_memory_equal(got, expected, sizeof expected);
}

/* Annex C: level M with mask 101; the same for each mask of level L (table C.1, data 01000 to 01111) and M. */
UNIT_TEST(format_information)
{
    static const unsigned l[] = { 0x77c4, 0x72f3, 0x7daa, 0x789d, 0x662f, 0x6318, 0x6c41, 0x6976 };
    static const unsigned m[] = { 0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0 };

    for (unsigned mask = 0; mask < QR_MASKS; mask++) {
        assert_int_equal(qr_format_bits(QR_LEVEL_L, mask), l[mask]);
        assert_int_equal(qr_format_bits(QR_LEVEL_M, mask), m[mask]);
    }
}

/* Table D.1. */
UNIT_TEST(version_information)
{
    static const unsigned bits[] = { 0x07c94, 0x085bc, 0x09a99, 0x0a4d3, 0x0bbf6, 0x0c762, 0x0d847,
                                     0x0e60d, 0x0f928, 0x10b78, 0x1145d, 0x12a17, 0x13532, 0x149a6 };

    for (unsigned version = 7; version <= QR_VERSIONS; version++)
        assert_int_equal(qr_version_bits(version), bits[version - 7]);
}

/*
 * 7.4.4: AC-42 in alphanumeric mode is 0010 000000101 00111001110 11100111001 000010; then the terminator and filling.
 */
UNIT_TEST(letters)
{
    static const uint8_t expected[] = { 0x20, 0x29, 0xce, 0xe7, 0x21, 0x00, 0xec, 0x11, 0xec, 0x11,
                                        0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec };
    /* From version 10 on the count has 11 bits. */
    static const uint8_t wide[] = { 0x20, 0x0a, 0x73, 0xb9, 0xc8, 0x40, 0xec, 0x11 };

    assert_true(qr_encode(&code, "AC-42", 5, QR_LEVEL_L, 1, 0));
    assert_memory_equal(code.codewords, expected, sizeof expected);
    assert_true(qr_encode(&code, "AC-42", 5, QR_LEVEL_L, 9, 0));
    assert_memory_equal(code.codewords, expected, sizeof expected);
    assert_true(qr_encode(&code, "AC-42", 5, QR_LEVEL_L, 10, 0));
    assert_memory_equal(code.codewords, wide, sizeof wide);
}

/* One character that alphanumeric mode does not have makes it bytes: 0100, the count, the characters. */
UNIT_TEST(bytes)
{
    static const uint8_t expected[] = { 0x40, 0x34, 0x16, 0x22, 0xd0, 0xec, 0x11 };
    static const uint8_t wide[] = { 0x40, 0x00, 0x34, 0x16, 0x22, 0xd0, 0xec, 0x11 };

    assert_true(qr_encode(&code, "Ab-", 3, QR_LEVEL_L, 9, 0));
    assert_memory_equal(code.codewords, expected, sizeof expected);
    assert_true(qr_encode(&code, "Ab-", 3, QR_LEVEL_L, 10, 0));
    assert_memory_equal(code.codewords, wide, sizeof wide);
    assert_true(qr_encode(&code, "Zaa", 3, QR_LEVEL_L, 1, 0)); /* the last one alone would do */
    assert_int_equal(code.codewords[0] >> 4, 4);
}

/*
 * The terminator is cut where the data leave less than four bits: 24 and 25 letters are 132+13 and 138+13 of 152 bits.
 */
UNIT_TEST(full)
{
    assert_true(qr_encode(&code, "AAAAAAAAAAAAAAAAAAAAAAAAA", 24, QR_LEVEL_L, 1, 0));
    assert_int_equal(code.codewords[18], 0); /* 145 bits, the terminator's four, and three of filling */
    assert_true(qr_encode(&code, "::::::::::::::::::::::::::", 25, QR_LEVEL_L, 1, 0));
    assert_int_equal(code.codewords[18], 0x58); /* 44 * 45 + 44 ends in a bit 0, then 101100 (44), then one bit */
    assert_true(qr_encode(&code, "abcdefghijklmnopq", 17, QR_LEVEL_L, 1, 0));
    assert_int_equal(code.codewords[18], 0x10); /* the low half of 'q', and the whole terminator */
}

/* Table 7: the characters that each version holds. */
UNIT_TEST(capacities)
{
    static const unsigned holds[QR_VERSIONS][4] = {
        /* letters of L and M, bytes of L and M */
        { 25, 20, 17, 14 },     { 47, 38, 32, 26 },      { 77, 61, 53, 42 },      { 114, 90, 78, 62 },
        { 154, 122, 106, 84 },  { 195, 154, 134, 106 },  { 224, 178, 154, 122 },  { 279, 221, 192, 152 },
        { 335, 262, 230, 180 }, { 395, 311, 271, 213 },  { 468, 366, 321, 251 },  { 535, 419, 367, 287 },
        { 619, 483, 425, 331 }, { 667, 528, 458, 362 },  { 758, 600, 520, 412 },  { 854, 656, 586, 450 },
        { 938, 734, 644, 504 }, { 1046, 816, 718, 560 }, { 1153, 909, 792, 624 }, { 1249, 970, 858, 666 },
    };
    static char text[2000];

    for (unsigned kind = 0; kind < 4; kind++) {
        const enum qr_level level = kind % 2 ? QR_LEVEL_M : QR_LEVEL_L;
        memset(text, kind < 2 ? 'A' : 'a', sizeof text);
        for (unsigned version = 1; version <= QR_VERSIONS; version++) {
            const unsigned most = holds[version - 1][kind];
            assert_int_equal(qr_version_for(text, most, level), version);
            assert_int_equal(qr_version_for(text, most + 1, level), version < QR_VERSIONS ? version + 1 : 0);
            assert_true(qr_encode(&code, text, most, level, version, 0));
            assert_int_equal(code.side, 17 + 4 * version);
            assert_false(qr_encode(&code, text, most + 1, level, version, 0));
        }
    }
    assert_int_equal(qr_version_for("", 0, QR_LEVEL_M), 1);
    assert_false(qr_encode(&code, "A", 1, QR_LEVEL_L, 0, 0));
    assert_false(qr_encode(&code, "A", 1, QR_LEVEL_L, QR_VERSIONS + 1, 0));
}

/* Compares the code with rows of # and dots. */
static void assert_modules(const char *const *rows)
{
    for (unsigned row = 0; row < code.side; row++)
        for (unsigned column = 0; column < code.side; column++)
            if (code.modules[row * code.side + column] != (rows[row][column] == '#'))
                fail_msg("the module in row %u, column %u is wrong", row, column);
}

/* qrencode 4.1.1 drew this, and chose the mask: qrencode -v 1 -l M -t ASCII -m 0 "HELLO WORLD". */
UNIT_TEST(as_qrencode_draws_it)
{
    static const char *const rows[] = {
        "#######...#.#.#######", "#.....#.###...#.....#", "#.###.#...#.#.#.###.#", "#.###.#...#.#.#.###.#",
        "#.###.#.#.###.#.###.#", "#.....#..###..#.....#", "#######.#.#.#.#######", ".....................",
        "#.#.#.#..#..#...#..#.", ".####...#..#....#...#", "...#######.#..#.##...", "####.#.##..###.#.###.",
        ".#..####.#.#..###.#.#", "........#.#...#...#.#", "#######.....#..#.##..", "#.....#..##...##.#...",
        "#.###.#.##..#.#######", "#.###.#...##.#.#...#.", "#.###.#.####.###.#..#", "#.....#....###...#.##",
        "#######.##.#.###....#",
    };

    assert_true(qr_encode(&code, "HELLO WORLD", 11, QR_LEVEL_M, 1, QR_MASK_BEST));
    assert_int_equal(code.mask, 0);
    assert_modules(rows);
}

/*
 * The conditions of table 10, in the square of version 1 that has data alone: rows and columns 9 to 20, bit 11 first.
 */
UNIT_TEST(masks)
{
    static const uint16_t expected[QR_MASKS][12] = {
        { 0xaaa, 0x555, 0xaaa, 0x555, 0xaaa, 0x555, 0xaaa, 0x555, 0xaaa, 0x555, 0xaaa, 0x555 },
        { 0x000, 0xfff, 0x000, 0xfff, 0x000, 0xfff, 0x000, 0xfff, 0x000, 0xfff, 0x000, 0xfff },
        { 0x924, 0x924, 0x924, 0x924, 0x924, 0x924, 0x924, 0x924, 0x924, 0x924, 0x924, 0x924 },
        { 0x924, 0x249, 0x492, 0x924, 0x249, 0x492, 0x924, 0x249, 0x492, 0x924, 0x249, 0x492 },
        { 0x1c7, 0xe38, 0xe38, 0x1c7, 0x1c7, 0xe38, 0xe38, 0x1c7, 0x1c7, 0xe38, 0xe38, 0x1c7 },
        { 0x555, 0x924, 0x104, 0xfff, 0x104, 0x924, 0x555, 0x924, 0x104, 0xfff, 0x104, 0x924 },
        { 0x555, 0xb6d, 0x71c, 0xfff, 0x1c7, 0xdb6, 0x555, 0xb6d, 0x71c, 0xfff, 0x1c7, 0xdb6 },
        { 0xaaa, 0x1c7, 0x8e3, 0x555, 0xe38, 0x71c, 0xaaa, 0x1c7, 0x8e3, 0x555, 0xe38, 0x71c },
    };
    uint16_t plain[12] = { 0 };

    for (unsigned mask = 0; mask < QR_MASKS; mask++) {
        assert_true(qr_encode(&code, "MASKS", 5, QR_LEVEL_L, 1, mask));
        assert_int_equal(code.mask, mask);
        for (unsigned row = 0; row < 12; row++) {
            uint16_t bits = 0;
            for (unsigned column = 9; column < 21; column++)
                bits = (uint16_t)(bits << 1 | code.modules[(row + 9) * code.side + column]);
            bits ^= expected[mask][row];
            if (mask == 0)
                plain[row] = bits;
            assert_int_equal(bits, plain[row]);
        }
    }
}

/* The penalty of a square of # and anything else. */
static unsigned penalty(unsigned side, const char *modules)
{
    assert_int_equal(strlen(modules), side * side);
    code.side = side;
    for (unsigned i = 0; i < side * side; i++)
        code.modules[i] = modules[i] == '#';
    return qr_penalty(&code);
}

/* The same, of two rows in turn, and with rows and columns exchanged, which must not matter. */
static unsigned penalty_of_rows(unsigned side, const char *even, const char *odd)
{
    char rows[400], columns[400];

    for (unsigned i = 0; i < side; i++)
        for (unsigned k = 0; k < side; k++)
            rows[i * side + k] = columns[k * side + i] = (i % 2 ? odd : even)[k];
    rows[side * side] = columns[side * side] = '\0';
    assert_int_equal(penalty(side, rows), penalty(side, columns));
    return penalty(side, rows);
}

/* 7.8.3, feature by feature. */
UNIT_TEST(penalties)
{
    assert_int_equal(penalty_of_rows(4, "#.#.", ".#.#"), 0);
    /* Runs: none of 4 modules; 3 for 5, 4 for 6, in each row. Half of the modules are dark. */
    assert_int_equal(penalty_of_rows(8, "####.#..", "....#.##"), 0);
    assert_int_equal(penalty_of_rows(8, "#####..." /* no blocks: rows differ everywhere */, ".....###"), 8 * 3);
    assert_int_equal(penalty_of_rows(8, "######..", "......##"), 8 * 4);
    /* Blocks of 2 x 2, dark and light, that overlap: 4 and 3 in each of 4 rows of 5; runs of 5 in columns; 60% dark. */
    assert_int_equal(penalty_of_rows(5, "##..#", "##..#"), 4 * 2 * 3 + 5 * 3 + 20);
    /* All dark or all light: 16 blocks, 10 runs of 5, and 50% too much or too little. */
    assert_int_equal(penalty_of_rows(5, "#####", "#####"), 16 * 3 + 10 * 3 + 100);
    assert_int_equal(penalty_of_rows(5, ".....", "....."), 16 * 3 + 10 * 3 + 100);
    /* A finder in each even row: what is outside is light; then four light ones before it, behind it, and three. */
    assert_int_equal(penalty_of_rows(7, "#.###.#", ".#...#."), 4 * 40);
    assert_int_equal(penalty_of_rows(12, "....#.###.##", "####.#...#.."), 6 * 40);
    assert_int_equal(penalty_of_rows(12, "##.###.#....", "..#...#.####"), 6 * 40);
    assert_int_equal(penalty_of_rows(12, "#...#.###.##", ".###.#...#.."), 0);
    assert_int_equal(penalty_of_rows(12, "##.###.#...#", "..#...#.###."), 0);
    assert_int_equal(penalty_of_rows(12, "##.###.#..#.", "..#...#.##.#"), 0);
    /* Something like it: 1:1:3:1:2, 1:1:2:1:1. */
    assert_int_equal(penalty_of_rows(12, "....#.##.#.#", "####.#..#.#."), 0);
}

/*
 * The share of dark modules: 10 for each whole 5 percent of difference from half. Dark and light rows of 10 modules in
 * turn: a run in each counts 8. A module changed at the end of a row makes that 1 less; the fifth also makes two
 * blocks.
 */
UNIT_TEST(proportions)
{
    static const struct {
        unsigned changed;
        char dark, light;
        unsigned penalty;
    } cases[] = {
        { 0, '#', '.', 80 }, { 4, '#', '.', 80 - 4 }, { 5, '#', '.', 80 - 5 + 2 * 3 + 10 },
        { 0, '.', '#', 80 }, { 4, '.', '#', 80 - 4 }, { 5, '.', '#', 80 - 5 + 2 * 3 + 10 },
    };
    static const unsigned places[] = { 10, 19, 70, 79, 11 };

    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        char modules[101] = "";
        for (unsigned k = 0; k < 100; k++)
            modules[k] = k / 10 % 2 ? cases[i].light : cases[i].dark;
        for (unsigned k = 0; k < cases[i].changed; k++)
            modules[places[k]] = cases[i].dark;
        assert_int_equal(penalty(10, modules), cases[i].penalty);
    }
}

/* The mask of the least penalty, and of those the first, for texts that between them choose every one. */
UNIT_TEST(best_masks)
{
    unsigned chosen = 0;

    for (unsigned n = 0; n < 200; n++) {
        char text[32];
        unsigned best = 0, least = 0;
        const size_t length = (size_t)snprintf(text, sizeof text, "CODE %u", n * n * 37 + n);
        for (unsigned mask = 0; mask < QR_MASKS; mask++) {
            assert_true(qr_encode(&code, text, length, QR_LEVEL_L, 1 + n % 8, mask));
            if (mask == 0 || qr_penalty(&code) < least) {
                best = mask;
                least = qr_penalty(&code);
            }
        }
        assert_true(qr_encode(&code, text, length, QR_LEVEL_L, 1 + n % 8, QR_MASK_BEST));
        assert_int_equal(code.mask, best);
        assert_int_equal(qr_penalty(&code), least);
        chosen |= 1u << best;
    }
    assert_int_equal(chosen, 0xff);
}
