/* SPDX-License-Identifier: MIT */
/* Lines of the log: which are sent over the serial lines, which are kept, and the report of an abandoned line. */
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "kernel/console.c"
#include "kernel/log_lines.c"

static char sent[3000], kept[3000];
static const char *lost[2];

FAKE_VOID(serial_write, (const char *text), strcat(sent, text))

const char *serial_lost(void)
{
    const char *const name = lost[0];

    lost[0] = lost[1];
    lost[1] = NULL;
    return name;
}

FAKE_VOID(log_keeper_line, (const char *prefix, const char *text), strcat(strcat(strcat(kept, prefix), text), "\n"))
FAKE(bool, symbol_find, (uint64_t address, const char **name, uint64_t *offset), *name = "here", *offset = address - 5,
     address == 7)

static void expect(const char *serial, const char *log)
{
    assert_string_equal(sent, serial);
    assert_string_equal(kept, log);
    sent[0] = kept[0] = 0;
}

UNIT_TEST(lines)
{
    console_line("ok %u", 1u);
    expect("ok 1\r\n", "ok 1\n");
    console_note("%s %d", "cpu", -1);
    expect("# cpu -1\r\n", "# cpu -1\n");
    console_text("100 %s");
    expect("# 100 %s\r\n", "# 100 %s\n");
    console_sink.line(console_sink.context, "a %d");
    expect("# a %d\r\n", "# a %d\n");
}

/* console_note() cuts a line that is too long; console_text() does not. */
UNIT_TEST(long_lines)
{
    char text[CONSOLE_LINE_MAX + 10];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    console_note("%s", text);
    assert_int_equal(strlen(sent), 2 + CONSOLE_LINE_MAX - 1 + 2);
    sent[0] = kept[0] = 0;
    console_text(text);
    assert_int_equal(strlen(sent), 2 + sizeof text - 1 + 2);
    sent[0] = kept[0] = 0;
}

UNIT_TEST(abandoned_lines)
{
    lost[0] = "COM1";
    lost[1] = "COM2";
    console_line("ok 1");
    expect("ok 1\r\n# console COM1: dropped, because it accepted no more characters\r\n"
           "# console COM2: dropped, because it accepted no more characters\r\n",
           "ok 1\n# console COM1: dropped, because it accepted no more characters\n"
           "# console COM2: dropped, because it accepted no more characters\n");
}

/* The further pages of the screen show the last lines, except those for programs. */
UNIT_TEST(kept_for_the_screen)
{
    static char memory[20];
    size_t size;

    console_note("no memory yet");
    log_lines_init(memory, sizeof memory);
    console_note("one");
    console_note("measure cost 5");
    console_text("DUMP");
    console_line("ok %u", 2u);
    assert_memory_equal(log_lines(&size), "one\0ok 2", 9);
    assert_int_equal(size, 9);
    console_note("1234"); /* the newer half */
    console_note("12345");
    assert_memory_equal(log_lines(&size), "one\0ok 2\0001234\00012345", 20);
    assert_int_equal(size, 20);
    console_note("x");
    assert_memory_equal(log_lines(&size), "12345\0x", 8);
    assert_int_equal(size, 8);
    console_note("one more than there is room for");
    assert_int_equal((log_lines(&size), size), 8);
    log_lines_start();
    assert_int_equal((log_lines(&size), size), 0);
    sent[0] = kept[0] = 0;
}

UNIT_TEST(symbols)
{
    const char *name = NULL;
    uint64_t offset = 0;

    assert_true(console_symbols.find(console_symbols.context, 7, &name, &offset));
    assert_string_equal(name, "here");
    assert_int_equal(offset, 2);
    assert_false(console_symbols.find(console_symbols.context, 8, &name, &offset));
}
