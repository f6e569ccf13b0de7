/* SPDX-License-Identifier: MIT */
/*
 * The log that survives a reset: its bytes, whole lines at every moment, which part of a long log is kept, and that
 * every changed byte is detected.
 */
#define SETUP start
#include "tests/host/unit_test.h"

#include "boot/kept_log.h"

static _Alignas(64) uint8_t memory[KEPT_LOG_SIZE];
static struct kept_log kept;

/* The bytes flushed so far: the memory after a reset at this moment. */
static uint8_t survived[KEPT_LOG_SIZE];
static unsigned flushes;
static void (*at_flush)(void);

static void written(const void *bytes, size_t size)
{
    const size_t at = (size_t)((const uint8_t *)bytes - memory);
    assert_true(at < sizeof memory && size <= sizeof memory - at);
    /* The caches may hold back all bytes after the first: then a reset keeps a part of the data. */
    for (size_t i = 0; i < size; i++) {
        survived[at + i] = memory[at + i];
        if (at_flush)
            at_flush();
    }
    flushes++;
}

static int start(void **state)
{
    memset(memory, 0xa5, sizeof memory);
    kept_log_make(memory, 0x123456789);
    memcpy(survived, memory, sizeof memory);
    at_flush = NULL;
    assert_true(kept_log_open(&kept, memory, sizeof memory, written));
    return 0;
}

static char *joined(const uint8_t *bytes, struct kept_log_text *text)
{
    static char all[KEPT_LOG_SIZE + 1];
    size_t length = 0;
    assert_int_equal(kept_log_read(bytes, text), KEPT_LOG_OK);
    for (unsigned i = 0; i < KEPT_LOG_PIECES; i++) {
        if (text->pieces[i].length > 0)
            memcpy(all + length, text->pieces[i].start, text->pieces[i].length);
        length += text->pieces[i].length;
    }
    assert_int_equal(length, text->length);
    all[length] = '\0';
    return all;
}

static void expect(const char *want)
{
    struct kept_log_text text;
    assert_string_equal(joined(survived, &text), want);
    assert_true(text.sequence == 0x123456789);
}

/* Typed by hand, except the FNV-1a sums of "a\r\n" and of nothing. */
UNIT_TEST(its_bytes)
{
    static const uint8_t head[] = { 'd', 's', 't', '8',  '6', 'l',  'o',  'g',  1,    0, 0,
                                    0,   0,   0,   0x10, 0,   0x89, 0x67, 0x45, 0x23, 1 };
    static const uint8_t mark[] = { 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0 };
    static const uint8_t nothing[] = { 0x25, 0x23, 0x22, 0x84, 0xe4, 0x9c, 0xf2, 0xcb };
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    kept_log_line(&kept, "a", "");
    assert_memory_equal(memory, head, sizeof head);
    for (size_t i = 0; i < 24; i++)
        sum = (sum ^ memory[i]) * UINT64_C(0x100000001b3);
    assert_memory_equal(memory + 24, &sum, 8);
    assert_memory_equal(memory + 32 + 16, nothing, 8);
    assert_memory_equal(memory + 64, mark, sizeof mark);
    sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < 3; i++)
        sum = (sum ^ (uint8_t) "a\r\n"[i]) * UINT64_C(0x100000001b3);
    assert_memory_equal(memory + 64 + 16, &sum, 8);
    assert_memory_equal(memory + 0x1000, "a\r\n\xa5", 4);
}

static const char *wanted_before, *wanted_after;

static void reset_now(void)
{
    struct kept_log_text text;
    const char *const found = joined(survived, &text);
    if (strcmp(found, wanted_before) != 0)
        assert_string_equal(found, wanted_after);
}

/* Resets after each byte that leaves the caches. */
UNIT_TEST(a_reset_at_any_moment_leaves_whole_lines)
{
    kept_log_line(&kept, "# ", "first");
    wanted_before = "# first\r\n";
    wanted_after = "# first\r\nsecond\r\n";
    at_flush = reset_now;
    kept_log_line(&kept, "", "second");
    wanted_before = wanted_after;
    wanted_after = "# first\r\nsecond\r\n# third\r\n";
    kept_log_line(&kept, "# ", "third");
    at_flush = NULL;
    expect(wanted_after);
}

#define BEGINNING (KEPT_LOG_SIZE - 0x1000 - 2 * 0x8000)

/* Lines of 16 bytes, numbered. */
static void fill(unsigned first, unsigned count)
{
    char line[20];
    for (unsigned i = first; i < first + count; i++) {
        snprintf(line, sizeof line, "%012u", i);
        kept_log_line(&kept, "# ", line);
    }
}

/* Expects these lines in order: 0 to `beginning`, and `end` to `last`, both without the upper bound. */
static void expect_lines(unsigned beginning, unsigned end, unsigned last)
{
    struct kept_log_text text;
    char *at = joined(memory, &text), want[80];
    for (unsigned i = 0; i < last; i++) {
        if (i == beginning && end > beginning) {
            const int length =
                snprintf(want, sizeof want, "# log full: %u lines are left out here\r\n", end - beginning);
            assert_memory_equal(at, want, (size_t)length);
            at += length;
            i = end;
        }
        snprintf(want, sizeof want, "# %012u\r\n", i);
        assert_memory_equal(at, want, 16);
        at += 16;
    }
    assert_int_equal(*at, '\0');
}

UNIT_TEST(a_full_log_keeps_its_beginning_and_its_end)
{
    const unsigned whole = BEGINNING / 16, half = 0x8000 / 16;
    assert_int_equal(BEGINNING % 16, 0);
    fill(0, whole);
    expect_lines(whole, whole, whole);
    fill(whole, 1);
    expect_lines(whole, whole, whole + 1);
    fill(whole + 1, 2 * half - 1);
    expect_lines(whole, whole, whole + 2 * half);
    fill(whole + 2 * half, 1); /* overwrites the older half */
    expect_lines(whole, whole + half, whole + 2 * half + 1);
    fill(whole + 2 * half + 1, half);
    expect_lines(whole, whole + 2 * half, whole + 3 * half + 1);
    fill(whole + 3 * half + 1, 10 * half);
    expect_lines(whole, whole + 12 * half, whole + 13 * half + 1);
    assert_memory_equal(memory, survived, sizeof memory);
}

UNIT_TEST(long_lines_are_cut)
{
    static char line[0x8000 + 1], want[0x8000 + 1];
    memset(line, 'x', sizeof line - 1);
    kept_log_line(&kept, "# ", line);
    memset(want, 'x', sizeof want - 1);
    memcpy(want, "# ", 2);
    memcpy(want + 0x8000 - 2, "\r\n", 2);
    expect(want);
    fill(0, BEGINNING / 16 - 0x8000 / 16);
    kept_log_line(&kept, "# ", line); /* as large as a half */
    struct kept_log_text text;
    assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_OK);
    assert_int_equal(text.length, BEGINNING + 0x8000);
}

UNIT_TEST(memory_without_a_log)
{
    struct kept_log_text text;
    struct kept_log other;
    kept_log_line(&kept, "", "x");
    for (size_t i = 0; i < 32; i++) { /* each byte of the head */
        memory[i] ^= 0x10;
        assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_NONE);
        assert_int_equal(text.length, 0);
        assert_false(kept_log_open(&other, memory, sizeof memory, written));
        assert_null(other.head);
        memory[i] ^= 0x10;
    }
    assert_false(kept_log_open(&other, memory, sizeof memory - 1, written));
    assert_true(kept_log_open(&other, memory, sizeof memory, written));
    kept_log_forget(memory);
    assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_NONE);
    kept_log_line(&other, "", "y");
    kept = (struct kept_log){ .head = NULL };
    kept_log_line(&kept, "", "nowhere");
}

UNIT_TEST(every_changed_byte_is_detected)
{
    struct kept_log_text text;
    kept_log_line(&kept, "", "first");
    kept_log_line(&kept, "", "second");
    for (size_t i = 0; i < 15; i++) { /* of the text */
        memory[0x1000 + i] ^= 1;
        assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_DAMAGED);
        assert_int_equal(text.length, 0);
        assert_true(text.sequence == 0x123456789);
        memory[0x1000 + i] ^= 1;
    }
    memory[0x1000 + 15] ^= 1; /* after the text */
    assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_OK);
    /* Damage in the newer mark: the older one is used, and the log ends a line earlier. In both: it is lost. */
    for (size_t i = 0; i < 32; i++) {
        memory[32 + i] ^= 1;
        assert_string_equal(joined(memory, &text), "first\r\n");
        memory[64 + i] ^= 1;
        assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_DAMAGED);
        memory[32 + i] ^= 1;
        assert_string_equal(joined(memory, &text), "first\r\nsecond\r\n");
        memory[64 + i] ^= 1;
    }
    for (unsigned section = 1; section < 3; section++) { /* the marks of the end; one was never written */
        memory[32 + section * 64] ^= 1;
        assert_int_equal(kept_log_read(memory, &text), KEPT_LOG_DAMAGED);
        memory[32 + section * 64] ^= 1;
    }
}
