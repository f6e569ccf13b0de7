/* SPDX-License-Identifier: MIT */
/* This processor's instructions for checksums and base64 give the portable functions' results, for every length. */
#include "tests/host/host_test.h"

#include "lib/dump/reader/codec.h"

#define LENGTH_MAX 4200u

static uint32_t random_number(void)
{
    static uint32_t state = 2463534242u; /* Marsaglia's xorshift */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void checksums(void **state)
{
    const struct dump_codec *codec = codec_fastest();
    uint8_t bytes[LENGTH_MAX];
    (void)state;
    for (unsigned i = 0; i < LENGTH_MAX; i++)
        bytes[i] = (uint8_t)random_number();
    assert_int_equal(codec->crc("123456789", 9), 0xe3069283);
    for (unsigned length = 0; length <= LENGTH_MAX; length += length < 2400 ? 1 : 71) {
        uint8_t *copy = exact_copy(bytes, length);
        assert_int_equal(codec->crc(copy, length), dump_crc(copy, length));
        free(copy);
    }
    assert_ptr_equal(codec_fastest(), codec); /* and once more: the tables are as they were */
    assert_int_equal(codec->crc(bytes, LENGTH_MAX), dump_crc(bytes, LENGTH_MAX));
}

static void base64(void **state)
{
    const struct dump_codec *codec = codec_fastest();
    uint8_t bytes[LENGTH_MAX];
    char text[(LENGTH_MAX + 2) / 3 * 4];
    (void)state;
    for (unsigned i = 0; i < LENGTH_MAX; i++)
        bytes[i] = (uint8_t)random_number();
    for (unsigned length = 0; length <= LENGTH_MAX; length += length < 200 ? 1 : 67) {
        size_t characters = dump_base64_put(text, bytes, length);
        char *copy = exact_copy(text, characters);
        uint8_t *out = malloc(characters / 4 * 3 + DUMP_BASE64_SLACK);
        assert_non_null(out);
        assert_int_equal(codec->base64(out, copy, characters), length);
        assert_memory_equal(out, bytes, length);
        free(out);
        free(copy);
    }
}

/* Every character at every position of a block is accepted by both or by neither. */
static void what_is_no_base64(void **state)
{
    const struct dump_codec *codec = codec_fastest();
    char text[80];
    uint8_t out[60 + DUMP_BASE64_SLACK], portable[60 + DUMP_BASE64_SLACK];
    (void)state;
    memset(text, 'A', sizeof(text));
    for (unsigned at = 0; at < sizeof(text); at++) {
        for (unsigned character = 0; character < 256; character++) {
            text[at] = (char)character;
            size_t length = dump_base64_take(portable, text, sizeof(text));
            assert_true(codec->base64(out, text, sizeof(text)) == length);
            if (length != SIZE_MAX)
                assert_memory_equal(out, portable, length);
        }
        text[at] = 'A';
    }
    assert_true(codec->base64(out, text, sizeof(text) - 1) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums),
        cmocka_unit_test(base64),
        cmocka_unit_test(what_is_no_base64),
    };
    return cmocka_run_group_tests_name("dump_codec", tests, NULL, NULL);
}
