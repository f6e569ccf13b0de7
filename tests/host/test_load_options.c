/* SPDX-License-Identifier: MIT */
/* The options' text from LoadOptions (UCS-2, as real firmware and loaders write it) and from a file. */
#include "tests/host/unit_test.h"

#include "boot/load_options.h"

struct answer {
    enum load_options_error error;
    size_t where; /* bytes ignored, or the line */
    char text[LOAD_OPTIONS_MAX + 1];
};

static struct answer from_ucs2(const void *bytes, size_t size)
{
    struct answer answer;
    memset(&answer, 0xa5, sizeof(answer));
    void *copy = exact_copy(bytes, size);
    answer.error = load_options_from_ucs2(copy, size, u"\\EFI\\BOOT\\BOOTX64.EFI", answer.text, &answer.where);
    free(copy);
    return answer;
}

static struct answer from_file(const void *bytes, size_t size)
{
    struct answer answer;
    memset(&answer, 0xa5, sizeof(answer));
    void *copy = exact_copy(bytes, size);
    answer.error = load_options_from_file(copy, size, answer.text, &answer.where);
    free(copy);
    return answer;
}

/* Parses a char16_t literal, without its NUL. */
#define UCS2(literal)      from_ucs2(literal, sizeof(literal) - 2)
#define FILE_TEXT(literal) from_file(literal, sizeof(literal) - 1)

#define assert_answer(call, expected_error, expected_where, expected_text) \
    do {                                                                   \
        struct answer got = call;                                          \
        assert_int_equal(got.error, LOAD_OPTIONS_##expected_error);        \
        assert_int_equal(got.where, expected_where);                       \
        assert_string_equal(got.text, expected_text);                      \
    } while (0)

UNIT_TEST(ucs2_text)
{
    assert_answer(from_ucs2("", 0), OK, 0, "");
    assert_answer(UCS2(u"run=bts.* list"), OK, 0, "run=bts.* list");
    assert_answer(UCS2(u"  run=a \t\r\n list \n"), OK, 0, "run=a list");
    assert_answer(UCS2(u" \t "), OK, 0, "");
    assert_answer(UCS2(u"list\0skip=x"), OK, 14, "list");
    assert_answer(UCS2(u"list\0\0"), OK, 0, "list");
    assert_answer(UCS2(u"\0list"), OK, 10, "");
    assert_answer(UCS2(u"\ufefflist"), OK, 0, "list");
    assert_answer(UCS2(u"\xfeff"), OK, 0, "");
    assert_answer(UCS2(u"!~"), OK, 0, "!~");
}

UNIT_TEST(ucs2_image_name)
{
    assert_answer(UCS2(u"BOOTX64.EFI run=a"), OK, 0, "run=a");
    assert_answer(UCS2(u"\xfeff fs0:\\EFI\\boot\\bootx64.efi  run=a"), OK, 0, "run=a");
    assert_answer(UCS2(u"x.eFi"), OK, 0, "");
    assert_answer(UCS2(u"BOOTX64 run=a"), OK, 0, "run=a");
    assert_answer(UCS2(u"fs0:\\efi/bootx64 run=a"), OK, 0, "run=a");
    assert_answer(UCS2(u"fs0:bootx64"), OK, 0, "");
    assert_answer(UCS2(u"BOOTX6 run=a"), OK, 0, "BOOTX6 run=a");
    assert_answer(UCS2(u"BOOTX64x run=a"), OK, 0, "BOOTX64x run=a");
    assert_answer(UCS2(u"BOOT\\ run=a"), OK, 0, "BOOT\\ run=a");
    assert_answer(UCS2(u"xBOOTX64 run=a"), OK, 0, "xBOOTX64 run=a");
    assert_answer(UCS2(u".efi list"), OK, 0, "list");
    assert_answer(UCS2(u"a.efi b.efi"), OK, 0, "b.efi");
    assert_answer(UCS2(u"list a.efi"), OK, 0, "list a.efi");
    assert_answer(UCS2(u"a.efi2 list"), OK, 0, "a.efi2 list");
    assert_answer(UCS2(u"efi list"), OK, 0, "efi list");
    assert_answer(UCS2(u"a.elf list"), OK, 0, "a.elf list");
}

UNIT_TEST(ucs2_stops_at_junk)
{
    assert_answer(UCS2(u"run=a h\xe9 b"), OK, 6, "run=a h");
    assert_answer(UCS2(u"\x7f"), OK, 2, "");
    assert_answer(UCS2(u"a\x1f"), OK, 2, "a");
    assert_answer(UCS2(u"a \x2603 list"), OK, 12, "a");
    assert_answer(UCS2(u"\xfffe list"), OK, 12, "");        /* big-endian */
    assert_answer(UCS2(u"list \ufeffa"), OK, 4, "list");    /* a byte order mark only counts at the start */
    assert_answer(from_ucs2("run=a list", 10), OK, 10, ""); /* ASCII */
}

/* Words for Linux, as U-Boot passes by default, and other loaders if configured: two bytes for each character.
 */
UNIT_TEST(ucs2_foreign_words)
{
    assert_answer(UCS2(u"root=/dev/sdb3 init=/sbin/init rootwait ro"), OK, 2 * 39, "");
    assert_answer(UCS2(u"BOOTX64.EFI ro root=UUID=1234 quiet splash initrd=\\initrd.img run=a"), OK, 2 * 45, "run=a");
    assert_answer(UCS2(u"run=a BOOT_IMAGE=/boot/x vga=791 list loglevel=3"), OK, 2 * 35, "run=a list");
    assert_answer(UCS2(u"run=a ro\xe9"), OK, 2 * 2 + 2, "run=a");
    assert_answer(UCS2(u"r=a roo=x rooty quietly Quiet roo ROOT=x init- =ro"), OK, 0,
                  "r=a roo=x rooty quietly Quiet roo ROOT=x init- =ro");
    assert_answer(UCS2(u"run=ro console=tty0"), OK, 0, "run=ro console=tty0");
    assert_answer(FILE_TEXT("root=/dev/sda1"), OK, 1, "root=/dev/sda1"); /* the user's own mistake */
}

/* Text without a NUL, of every length: whole units are used, half a unit is ignored. */
UNIT_TEST(ucs2_cut_at_every_length)
{
    static const char *const answers[] = { "", "a", "a.", "a.e", "a.ef", "", "", "x", "xx", "xx", "xx y" };
    for (size_t length = 0; length < 2 * COUNT_OF(answers); length++)
        assert_answer(from_ucs2(u"a.efi xx y", length), OK, length % 2, answers[length / 2]);
}

/* Garbage of every length and byte value never becomes options. */
UNIT_TEST(ucs2_binary_junk)
{
    for (unsigned value = 0; value < 256; value++) {
        uint8_t junk[67];
        memset(junk, (int)value, sizeof(junk));
        for (size_t length = 0; length <= sizeof(junk); length++) {
            size_t ignored = value == 0 ? length == 1 : length; /* a NUL ends the text */
            assert_answer(from_ucs2(junk, length), OK, ignored, "");
        }
    }
}

UNIT_TEST(longest)
{
    uint16_t units[LOAD_OPTIONS_MAX + 3];
    char text[LOAD_OPTIONS_MAX + 3];
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        units[i] = u'x';
        text[i] = 'x';
    }
    char longest_text[LOAD_OPTIONS_MAX + 1];
    memset(longest_text, 'x', LOAD_OPTIONS_MAX);
    longest_text[LOAD_OPTIONS_MAX] = '\0';

    assert_answer(from_ucs2(units, 2 * LOAD_OPTIONS_MAX), OK, 0, longest_text);
    assert_answer(from_ucs2(units, 2 * LOAD_OPTIONS_MAX + 2), TOO_LONG, 0, "");
    assert_answer(from_file(text, LOAD_OPTIONS_MAX), OK, 1, longest_text);
    assert_answer(from_file(text, LOAD_OPTIONS_MAX + 1), TOO_LONG, 1, "");

    /* Trailing blanks do not count; blanks before the last word do. */
    units[LOAD_OPTIONS_MAX] = units[LOAD_OPTIONS_MAX + 1] = u' ';
    text[LOAD_OPTIONS_MAX] = ' ';
    text[LOAD_OPTIONS_MAX + 1] = '\n';
    assert_answer(from_ucs2(units, 2 * LOAD_OPTIONS_MAX + 4), OK, 0, longest_text);
    assert_answer(from_file(text, LOAD_OPTIONS_MAX + 2), OK, 2, longest_text);
    assert_answer(from_ucs2(units, sizeof(units)), TOO_LONG, 0, "");
    assert_answer(from_file(text, sizeof(text)), TOO_LONG, 2, "");

    units[LOAD_OPTIONS_MAX - 1] = u' ';
    units[LOAD_OPTIONS_MAX] = u'y';
    text[LOAD_OPTIONS_MAX - 1] = ' ';
    text[LOAD_OPTIONS_MAX] = 'y';
    assert_answer(from_ucs2(units, 2 * LOAD_OPTIONS_MAX + 2), TOO_LONG, 0, "");
    assert_answer(from_file(text, LOAD_OPTIONS_MAX + 1), TOO_LONG, 1, "");
}

UNIT_TEST(file_text)
{
    assert_answer(from_file("", 0), OK, 1, "");
    assert_answer(FILE_TEXT("run=a list"), OK, 1, "run=a list");
    assert_answer(FILE_TEXT("run=a\nlist\n"), OK, 3, "run=a list");
    assert_answer(FILE_TEXT("\r\nrun=a\r\n\r\n\tlist  x\r\n"), OK, 5, "run=a list x");
    assert_answer(FILE_TEXT("\xef\xbb\xbflist\n"), OK, 2, "list");
    assert_answer(FILE_TEXT("\xef\xbb\xbf"), OK, 1, "");
    assert_answer(FILE_TEXT("a.efi list"), OK, 1, "a.efi list");
}

UNIT_TEST(file_comments)
{
    assert_answer(FILE_TEXT("# run=a\n"), OK, 2, "");
    assert_answer(FILE_TEXT("# old\rrun=a\r\rlist # all\r"), OK, 5, "run=a list");
    assert_answer(FILE_TEXT("#"), OK, 1, "");
    assert_answer(FILE_TEXT("run=a # list\nskip=b#x\n # end"), OK, 3, "run=a skip=b");
    assert_answer(FILE_TEXT("# caf\xc3\xa9 \0 # \xff\nlist"), OK, 2, "list");
    assert_answer(FILE_TEXT("\xef\xbb\xbf# x\r\nlist\r\n"), OK, 3, "list");
}

UNIT_TEST(file_that_is_not_ascii)
{
    assert_answer(FILE_TEXT("list\n# \n caf\xc3\xa9\n"), NOT_ASCII, 3, "");
    assert_answer(FILE_TEXT("\xff\xfel\0i\0s\0t\0"), UTF16, 1, "");
    assert_answer(FILE_TEXT("\xfe\xff\0l\0i\0s\0t"), UTF16, 1, "");
    assert_answer(FILE_TEXT("\xff\xfe"), UTF16, 1, "");
    assert_answer(FILE_TEXT("#\0 \0x\0\n\0l\0"), UTF16, 1, "");
    assert_answer(FILE_TEXT("\0l\0i"), UTF16, 1, "");
    assert_answer(FILE_TEXT("\xff\xff"), NOT_ASCII, 1, "");
    assert_answer(FILE_TEXT("\0\0list"), NOT_ASCII, 1, "");
    assert_string_equal(load_options_error_text(LOAD_OPTIONS_UTF16),
                        "the file is UTF-16; save it as ANSI or UTF-8 (in PowerShell: Set-Content -Encoding ascii)");
    assert_answer(FILE_TEXT("list\0"), NOT_ASCII, 1, "");
    assert_answer(FILE_TEXT("\x7f"), NOT_ASCII, 1, "");
    assert_answer(FILE_TEXT("\xef\xbb"), NOT_ASCII, 1, "");
    assert_answer(FILE_TEXT("list \xef\xbb\xbf"), NOT_ASCII, 1, "");
}
