/* SPDX-License-Identifier: MIT */
/*
 * Files of GNU gzip 1.12, and files written here bit by bit: what DEFLATE permits and gzip seldom writes, and each
 * mistake alone.
 */
#include "tests/host/host_test.h"

#include "boot/gzip.h"

#define OUT_MAX 70000u /* bytes */

/* --- a writer of files -------------------------------------------------------------------------------------------- */

static struct {
    uint8_t bytes[OUT_MAX];
    unsigned bits; /* so far */
} file;

/* A number, its lowest bit first. */
static void put(unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++, file.bits++) {
        assert_true(file.bits / 8 < sizeof file.bytes);
        file.bytes[file.bits / 8] |= (uint8_t)((value >> i & 1) << file.bits % 8);
    }
}

/* A code word, its highest bit first. */
static void put_word(unsigned word, unsigned count)
{
    while (count-- > 0)
        put(word >> count & 1, 1);
}

static void begin_file(void)
{
    static const uint8_t header[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
    memset(&file, 0, sizeof file);
    for (unsigned i = 0; i < 10; i++)
        put(header[i], 8);
}

static void to_next_byte(void)
{
    file.bits = (file.bits + 7) & ~7u;
}

/* RFC 1952, 8: a bit at a time. */
static uint32_t crc_of(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length * 8; i++) {
        const uint32_t low = (crc ^ (uint32_t)bytes[i / 8] >> i % 8) & 1;
        crc = crc >> 1 ^ (low ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void end_file(const void *contents, size_t length)
{
    const uint32_t crc = crc_of(contents, length);
    to_next_byte();
    for (unsigned i = 0; i < 4; i++)
        put(crc >> 8 * i & 0xff, 8);
    for (unsigned i = 0; i < 4; i++)
        put((unsigned)(length >> 8 * i & 0xff), 8);
}

static void begin_block(bool last, unsigned type)
{
    put(last, 1);
    put(type, 2);
}

/* A symbol of the fixed code: RFC 1951, 3.2.6. */
static void put_fixed(unsigned symbol)
{
    if (symbol < 144)
        put_word(0x30 + symbol, 8);
    else if (symbol < 256)
        put_word(0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_word(symbol - 256, 7);
    else
        put_word(0xc0 + symbol - 280, 8);
}

/* The first length or distance of each symbol: RFC 1951, 3.2.5. */
static const unsigned lengths[] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const unsigned distances[] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };

static void put_match(unsigned length, unsigned distance)
{
    unsigned l = COUNT_OF(lengths) - 1, d = COUNT_OF(distances) - 1;
    while (lengths[l] > length)
        l--;
    while (distances[d] > distance)
        d--;
    put_fixed(257 + l);
    put(length - lengths[l], l < 8 || l == 28 ? 0 : l / 4 - 1);
    put_word(d, 5);
    put(distance - distances[d], d < 4 ? 0 : d / 2 - 1);
}

/* --- what comes of a file ----------------------------------------------------------------------------------------- */

static uint8_t *unpacked; /* exactly as long as the file says */

static enum gzip_error unpack(const void *bytes, size_t size)
{
    uint8_t *copy = exact_copy(bytes, size);
    free(unpacked);
    unpacked = malloc(gzip_length(copy, size) + (gzip_length(copy, size) == 0));
    assert_non_null(unpacked);
    const enum gzip_error error = gzip_unpack(copy, size, unpacked);
    free(copy);
    return error;
}

static int forget(void **state)
{
    (void)state;
    free(unpacked);
    unpacked = NULL;
    return 0;
}

static void assert_unpacks(const void *bytes, size_t size, const void *contents, size_t length)
{
    assert_int_equal(gzip_length(bytes, size), length);
    assert_int_equal(unpack(bytes, size), GZIP_OK);
    assert_memory_equal(unpacked, contents, length);
}

static void assert_file_is(const void *contents, size_t length)
{
    assert_unpacks(file.bytes, file.bits / 8, contents, length);
}

static void assert_refused(enum gzip_error error)
{
    assert_int_equal(unpack(file.bytes, file.bits / 8), error);
}

/* --- gzip's own --------------------------------------------------------------------------------------------------- */

#define GZ "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03"
static const struct {
    const char *bytes;
    size_t size;
    const char *contents;
    unsigned padding; /* bits up to the trailer, which say nothing */
} gzips[] = {
    { GZ "\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20, "", 6 },
    { GZ "\xcb\x48\xcd\xc9\xc9\xd7\x51\xc8\x40\xa2\xb8\x00\xe7\x42\x6e\x52\x14\x00\x00\x00", 30,
      "hello, hello, hello\n", 0 },
    { GZ
      "\x65\x90\x0b\x0a\x03\x21\x0c\x44\xaf\xe2\xd5\x12\x4d\x71\x41\x4d\x49\x22\xec\xf1\x5b\xff\x6c\x0b\x22\x38\x99\x79"
      "\x8e\x5a\x24\xf7\x26\x54\x97\x18\x82\x4b\x28\x2e\xc3\x7d\xe5\x9a\x1d\xa0\x72\xaa\x46\x5b\x40\x50\x72\x42\x9e\xe5"
      "\x69\x0c\x3a\x46\x16\x85\x34\x72\x0a\x4d\xd9\xe9\xce\x45\x81\xe2\x63\x4f\x81\x10\x34\xc3\x58\xdf\x04\xd9\x26\x4c"
      "\xf8\x03\xe4\xb9\x16\x23\x59\x88\xbf\x56\x83\x30\xa7\x57\x09\x74\xaf\xc3\x6f\x42\x8d\x85\x1a\xf2\xf0\x47\xb8\xd5"
      "\xe2\xd7\x9c\xef\x8e\xeb\xe2\xe3\x5e\xca\xac\x39\xfc\x63\x5f\x6d\x76\xdb\xf6\x1c\x34\x3d\x9f\xd7\xcb\x7c\x00\x0e"
      "\xcb\x37\x9a\x6e\x01\x00\x00",
      157,
      "the pebs load lbr maximum absolute maximum base record lbr maximum ds base threshold ds absolute load branch "
      "lbr area "
      "ds ds ds reset ds base record threshold ds counter branch absolute maximum reset branch index branch branch "
      "absolute "
      "store ds threshold reset lbr of store lbr area counter threshold counter record store store maximum counter "
      "base bts "
      "maximum branch",
      7 },
};

static void what_gzip_writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(gzips); i++)
        assert_unpacks(gzips[i].bytes, gzips[i].size, gzips[i].contents, strlen(gzips[i].contents));
}

/* No prefix is a file; nor is one with a wrong bit, but in the date and what wrote it. */
static void a_damaged_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(gzips); i++) {
        uint8_t *bytes = exact_copy(gzips[i].bytes, gzips[i].size);
        for (size_t size = 0; size < gzips[i].size; size++) {
            assert_true(size >= 18 || gzip_length(bytes, size) == 0);
            if (gzip_length(bytes, size) < OUT_MAX)
                assert_int_not_equal(unpack(bytes, size), GZIP_OK);
        }
        for (size_t bit = 0; bit < gzips[i].size * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (gzip_length(bytes, gzips[i].size) < OUT_MAX) {
                const size_t trailer = (gzips[i].size - 8) * 8;
                const bool ignored =
                    (bit >= 4 * 8 && bit < 10 * 8) || (bit < trailer && bit >= trailer - gzips[i].padding);
                assert_true((unpack(bytes, gzips[i].size) == GZIP_OK) == ignored);
            }
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        free(bytes);
    }
}

static void a_header(void **state)
{
    static const unsigned wrong[][2] = { { 0, 0x1e }, { 1, 0x8c }, { 2, 7 }, { 3, 1 }, { 3, 8 }, { 3, 0x10 } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        begin_file();
        begin_block(true, 1);
        put_fixed(256);
        end_file("", 0);
        file.bytes[wrong[i][0]] = (uint8_t)wrong[i][1];
        assert_refused(GZIP_NOT_GZIP);
    }
    assert_int_equal(unpack(file.bytes, 17), GZIP_TRUNCATED);
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static void put_stored(bool last, const char *text, unsigned complement)
{
    begin_block(last, 0);
    to_next_byte();
    put((unsigned)strlen(text), 16);
    put(complement, 16);
    for (; *text; text++)
        put((uint8_t)*text, 8);
}

static void blocks(void **state)
{
    static uint8_t many[65535];
    (void)state;
    begin_file();
    put_stored(false, "", 0xffff);
    begin_block(false, 1);
    put_fixed('a');
    put_fixed(0xff);
    put_fixed(256);
    put_stored(false, "bcd", 0xfffc);
    begin_block(true, 1);
    put_match(3, 4);
    put_fixed(256);
    end_file("a\xff\x62\x63\x64\xff\x62\x63", 8);
    assert_file_is("a\xff\x62\x63\x64\xff\x62\x63", 8);

    /* the longest */
    memset(many, 'm', sizeof many);
    begin_file();
    begin_block(true, 0);
    to_next_byte();
    put(65535, 16);
    put(0, 16);
    for (unsigned i = 0; i < sizeof many; i++)
        put('m', 8);
    end_file(many, sizeof many);
    assert_file_is(many, sizeof many);
}

static void wrong_blocks(void **state)
{
    (void)state;
    begin_file();
    begin_block(true, 3);
    end_file("", 0);
    assert_refused(GZIP_BLOCK_TYPE);

    begin_file();
    put_stored(true, "ab", 0xfffc);
    end_file("ab", 2);
    assert_refused(GZIP_STORED_LENGTH);

    /* shorter than it says, so that it reads into the trailer, and no further */
    begin_file();
    begin_block(true, 0);
    to_next_byte();
    put(3, 16);
    put(0xfffc, 16);
    put('a', 8);
    end_file("abc", 3);
    assert_refused(GZIP_TRUNCATED);

    /* no last block */
    begin_file();
    put_stored(false, "ab", 0xfffd);
    end_file("ab", 2);
    assert_refused(GZIP_TRUNCATED);
}

static void wrong_trailers(void **state)
{
    (void)state;
    begin_file();
    put_stored(true, "ab", 0xfffd);
    end_file("ac", 2);
    assert_refused(GZIP_CHECKSUM);

    begin_file();
    put_stored(true, "ab", 0xfffd);
    end_file("abc", 3);
    assert_refused(GZIP_LENGTH); /* shorter than it says */

    begin_file();
    put_stored(true, "abc", 0xfffc);
    end_file("ab", 2);
    assert_refused(GZIP_LENGTH); /* longer */

    begin_file();
    begin_block(true, 1);
    put_fixed('a');
    put_match(9, 1);
    put_fixed(256);
    end_file("aaaaaaaaa", 9);
    assert_refused(GZIP_LENGTH); /* longer, by a match */

    begin_file();
    put_stored(true, "ab", 0xfffd);
    put(0, 8);
    end_file("ab", 2);
    assert_refused(GZIP_TRAILING_BYTES);
}

/* Every length, each distance at which the number of extra bits changes, and the bytes before those. */
static void matches(void **state)
{
    static uint8_t want[OUT_MAX];
    size_t length = 0;
    (void)state;

    begin_file();
    begin_block(true, 1);
    for (; length < 300; length++) {
        want[length] = (uint8_t)(length * 7 + length / 256);
        put_fixed(want[length]);
    }
    for (unsigned i = 3; i <= 258; i++) {
        put_match(i, i + 40);
        for (unsigned n = 0; n < i; n++, length++)
            want[length] = want[length - i - 40];
    }
    for (unsigned i = 0; i < 2 * COUNT_OF(distances); i++) {
        const unsigned at =
            i % 2 ? (i / 2 + 1 < COUNT_OF(distances) ? distances[i / 2 + 1] - 1 : 32768) : distances[i / 2];
        const uint8_t mark = (uint8_t)(200 + i);
        put_fixed(mark);
        want[length++] = mark;
        put_match(5, at);
        for (unsigned n = 0; n < 5; n++, length++)
            want[length] = want[length - at];
    }
    put_fixed(256);
    assert_true(length > 32768 && length < OUT_MAX);
    end_file(want, length);
    assert_file_is(want, length);
}

static void wrong_matches(void **state)
{
    (void)state;
    begin_file();
    begin_block(true, 1);
    put_fixed('a');
    put_match(3, 2);
    put_fixed(256);
    end_file("aaaa", 4);
    assert_refused(GZIP_DISTANCE);

    for (unsigned symbol = 286; symbol < 288; symbol++) {
        begin_file();
        begin_block(true, 1);
        put_fixed('a');
        put_fixed(symbol);
        put_word(0, 5);
        put_fixed(256);
        end_file("a", 1);
        assert_refused(GZIP_SYMBOL);
    }
    for (unsigned symbol = 30; symbol < 32; symbol++) {
        begin_file();
        begin_block(true, 1);
        put_fixed('a');
        put_fixed(257);
        put_word(symbol, 5);
        put(0, 14);
        put_fixed(256);
        end_file("aaaa", 4);
        assert_refused(GZIP_SYMBOL);
    }
}

/* --- codes of the file's own -------------------------------------------------------------------------------------- */

/* How the code lengths are coded: 1, 2 and 3 and the repetitions, of 3 bits but for the last one. */
enum { AGAIN = 16, ZEROS = 17, MORE_ZEROS = 18 };
static const struct {
    unsigned symbol, word, count;
} length_words[] = { { 0, 0, 3 },     { 1, 1, 3 },     { 2, 2, 3 },         { 3, 3, 3 },
                     { AGAIN, 4, 3 }, { ZEROS, 5, 3 }, { MORE_ZEROS, 3, 2 } };

static void begin_dynamic(unsigned literals, unsigned distance_count)
{
    static const unsigned order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    begin_block(true, 2);
    put(literals - 257, 5);
    put(distance_count - 1, 5);
    put(COUNT_OF(order) - 4, 4);
    for (unsigned i = 0; i < COUNT_OF(order); i++) {
        unsigned bits = 0;
        for (unsigned j = 0; j < COUNT_OF(length_words); j++)
            if (length_words[j].symbol == order[i])
                bits = length_words[j].symbol == MORE_ZEROS ? 2 : 3;
        put(bits, 3);
    }
}

/* In the canonical order the word of 2 bits comes first. */
static void put_length(unsigned symbol, unsigned extra)
{
    static const unsigned bits[] = { [AGAIN] = 2, [ZEROS] = 3, [MORE_ZEROS] = 7 };
    if (symbol == MORE_ZEROS) {
        put_word(0, 2);
    } else {
        unsigned i = 0;
        while (length_words[i].symbol != symbol)
            i++;
        put_word(2 + length_words[i].word, 3);
    }
    if (symbol >= AGAIN)
        put(extra, bits[symbol]);
}

static void put_zeros(unsigned count)
{
    for (; count > 138; count -= 138)
        put_length(MORE_ZEROS, 138 - 11);
    if (count >= 11)
        put_length(MORE_ZEROS, count - 11);
    else if (count >= 3)
        put_length(ZEROS, count - 3);
    else
        while (count-- > 0)
            put_length(0, 0);
}

/* 253 to 256 with 2 bits each, and so are four distances: the repetition goes from one code to the other. */
static void own_codes(void **state)
{
    (void)state;
    begin_file();
    begin_dynamic(257, 4);
    put_zeros(253);
    put_length(2, 0);
    put_length(AGAIN, 6 - 3);
    put_length(2, 0);
    put_word(0, 2);
    put_word(2, 2);
    put_word(1, 2);
    put_word(3, 2);
    end_file("\xfd\xff\xfe", 3);
    assert_file_is("\xfd\xff\xfe", 3);
}

/* One distance has a code of one bit (RFC 1951, 3.2.7), whose other word stands for nothing. */
static void one_distance(void **state)
{
    (void)state;
    for (unsigned word = 0; word < 2; word++) {
        begin_file();
        begin_dynamic(258, 2);
        put_zeros('a');
        put_length(1, 0);
        put_zeros(256 - 'a' - 1);
        put_length(2, 0); /* the block's end */
        put_length(2, 0); /* 3 bytes */
        put_zeros(1);
        put_length(1, 0); /* from 2 before */
        put_word(0, 1);
        put_word(0, 1);
        put_word(3, 2);
        put_word(word, 1);
        put_word(2, 2);
        end_file("aaaaa", 5);
        if (word == 0)
            assert_file_is("aaaaa", 5);
        else
            assert_refused(GZIP_SYMBOL);
    }
}

/* No distance at all, where there are only literals. */
static void no_distance(void **state)
{
    (void)state;
    for (unsigned match = 0; match < 2; match++) {
        begin_file();
        begin_dynamic(258, 1);
        put_zeros('a');
        put_length(1, 0);
        put_zeros(256 - 'a' - 1);
        put_length(2, 0);
        put_length(2, 0);
        put_zeros(1);
        put_word(0, 1);
        put_word(match ? 3 : 2, 2);
        put_word(0, 8);
        end_file("a", 1);
        if (match)
            assert_refused(GZIP_SYMBOL);
        else
            assert_int_equal(unpack(file.bytes, file.bits / 8), GZIP_TRAILING_BYTES);
    }
}

static void wrong_codes(void **state)
{
    (void)state;
    /* nothing to repeat */
    begin_file();
    begin_dynamic(257, 1);
    put_length(AGAIN, 0);
    end_file("", 0);
    assert_refused(GZIP_CODE);

    /* more than there are */
    begin_file();
    begin_dynamic(257, 1);
    put_zeros(256);
    put_length(MORE_ZEROS, 0);
    end_file("", 0);
    assert_refused(GZIP_CODE);

    /* literals' lengths, the rest of which is 0: too few words, too many, one that is longer than needed */
    static const unsigned codes[][3] = { { 2, 2, 2 }, { 1, 1, 1 }, { 2, 0, 0 }, { 1, 2, 0 }, { 3, 3, 1 } };
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        begin_file();
        begin_dynamic(257, 1);
        for (unsigned k = 0; k < 3; k++)
            put_length(codes[i][k], 0);
        put_zeros(257 - 3 + 1);
        put_word(0, 16);
        end_file("", 0);
        assert_refused(GZIP_CODE);
    }

    /* distances' */
    begin_file();
    begin_dynamic(257, 1);
    put_zeros(256);
    put_length(1, 0);
    put_length(2, 0);
    put_word(0, 16);
    end_file("", 0);
    assert_refused(GZIP_CODE);

    /* the lengths' own: two words of 7 bits */
    begin_file();
    begin_block(true, 2);
    put(0, 14);
    put(7, 3);
    put(7, 3);
    put(0, 3);
    put(0, 3);
    end_file("", 0);
    assert_refused(GZIP_CODE);

    /* a code of nothing has no word */
    begin_file();
    begin_block(true, 2);
    put(0, 14);
    put(0, 4 * 3 + 8);
    end_file("", 0);
    assert_refused(GZIP_SYMBOL);
}

static void texts(void **state)
{
    static const char *const want[] = {
        [GZIP_OK] = "no error",
        [GZIP_NOT_GZIP] = "not a gzip file without a name in its header",
        [GZIP_TRUNCATED] = "the gzip file ends too early",
        [GZIP_BLOCK_TYPE] = "a block in the gzip file has a type that does not exist",
        [GZIP_STORED_LENGTH] = "the length of a stored block in the gzip file contradicts its complement",
        [GZIP_CODE] = "a Huffman code in the gzip file is not complete, or has too many code words",
        [GZIP_SYMBOL] = "the gzip file has a code word that stands for nothing",
        [GZIP_DISTANCE] = "the gzip file refers to bytes before its beginning",
        [GZIP_LENGTH] = "the contents of the gzip file are longer or shorter than it says",
        [GZIP_TRAILING_BYTES] = "bytes follow the contents of the gzip file",
        [GZIP_CHECKSUM] = "the checksum of the gzip file is wrong",
        [GZIP_CHECKSUM + 1] = "unknown gzip error",
    };
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(want); i++)
        assert_string_equal(gzip_error_text((enum gzip_error)i), want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_gzip_writes, forget),
        cmocka_unit_test_teardown(a_damaged_file, forget),
        cmocka_unit_test_teardown(a_header, forget),
        cmocka_unit_test_teardown(blocks, forget),
        cmocka_unit_test_teardown(wrong_blocks, forget),
        cmocka_unit_test_teardown(wrong_trailers, forget),
        cmocka_unit_test_teardown(matches, forget),
        cmocka_unit_test_teardown(wrong_matches, forget),
        cmocka_unit_test_teardown(own_codes, forget),
        cmocka_unit_test_teardown(one_distance, forget),
        cmocka_unit_test_teardown(no_distance, forget),
        cmocka_unit_test_teardown(wrong_codes, forget),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
