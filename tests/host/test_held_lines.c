/* SPDX-License-Identifier: MIT */
/* Lines that are held back: all of them, in order, while there is space. */
#include "tests/host/unit_test.h"

#include "kernel/held_lines.c"

static char printed[1000];

static void print(void *context, const char *text)
{
    const size_t length = strlen(printed);

    assert_ptr_equal(context, printed);
    snprintf(printed + length, sizeof printed - length, "%s\n", text);
}

static const struct line_sink out = { print, printed };

static void expect(const char *lines)
{
    printed[0] = '\0';
    held_lines_print(&out);
    assert_string_equal(printed, lines);
}

static void put(const char *text)
{
    held_sink.line(held_sink.context, text);
}

#define HEAD "more records, because the test did not pass:\n"

/* Memory of exactly this size, so that the sanitizers detect writes past it. */
UNIT_TEST(lines_that_do_not_fit_are_counted)
{
    char *memory = malloc(8);

    assert_non_null(memory);
    held_lines_init(memory, 8);
    held_lines_start();
    put("abc");
    put("def"); /* with the NULs this fills it */
    expect(HEAD "abc\ndef\n");
    expect(HEAD "abc\ndef\n"); /* again */
    put("");
    put("g");
    expect(HEAD "abc\ndef\n2 more lines of records had no room (records=all prints them)\n");
    held_lines_start();
    put("abcdefgh");
    put("a"); /* would fit, but the previous line is missing */
    expect("2 more lines of records had no room (records=all prints them)\n");
    held_lines_start();
    put("abcdefg");
    expect(HEAD "abcdefg\n");
    held_lines_start();
    expect("");
    free(memory);
    held_lines_init(NULL, 100); /* no memory */
    held_lines_start();
    put("abc");
    expect("1 more lines of records had no room (records=all prints them)\n");
}
