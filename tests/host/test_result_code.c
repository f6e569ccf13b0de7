/* SPDX-License-Identifier: MIT */
/* The codes at the end of a run: the line of the log, and the QR codes for screens of every size. */
#define LAST free_memory
#include "tests/host/unit_test.h"

/* Instead of arch/x86/paging.h. */
#define ARCH_X86_PAGING_H
#define PAGE_SIZE 0x1000u

#include "kernel/console.h"
#include "kernel/memory.h"
#include "kernel/runner.h"

#include "kernel/result_code.c"

#define TESTS 401u

static struct result all[PACKED_TESTS_MAX];
static size_t tests;
static char printed[4096];
static uint8_t *memory;
static bool no_memory;
static const struct totals counts = { .pass = 7, .fail = 3 };
static const struct caps caps = { .signature = 0x506e3, .microcode = 0xf0 };

void console_text(const char *text)
{
    snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "# %s\n", text);
}

void console_note(const char *fmt, ...)
{
    char text[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    console_text(text);
}

void *memory_keep(size_t size, size_t alignment)
{
    assert_int_equal(alignment, PAGE_SIZE);
    free(memory);
    return memory = no_memory ? NULL : calloc(1, size);
}

unsigned runner_kinds(void)
{
    return 1;
}

const struct result *runner_results(unsigned kind, size_t *known, const struct caps **of)
{
    assert_int_equal(kind, 0);
    *known = tests;
    *of = machine;
    return all;
}

/* A new boot, with equal or with varied outcomes. */
static void boot(bool varied)
{
    machine = NULL;
    count = 0;
    printed[0] = '\0';
    drawn = false;
    for (unsigned i = 0; i < PACKED_TESTS_MAX; i++)
        all[i] = (struct result){ .id = "bts.calls", .outcome = (enum outcome)((varied ? i : i / 20) % 3) };
    tests = TESTS;
    result_code_init(&caps, "1.2.3", "abcdef");
}

static unsigned take_bits(const struct qr_code *code, size_t *at, unsigned width)
{
    unsigned value = 0;

    for (; width > 0; width--, ++*at)
        value = value << 1 | (code->codewords[*at / 8] >> (7 - *at % 8) & 1);
    return value;
}

/* The text in a code, from its data codewords, which precede the others: alphanumeric or bytes. */
static const char *text_in(const struct qr_code *code)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
    static char text[2000];
    size_t at = 0;
    unsigned length = 0;
    const bool alphanumeric_mode = take_bits(code, &at, 4) == 2;
    const unsigned number = take_bits(code, &at,
                                      (alphanumeric_mode ? 9u : 8u) + (code->version < 10  ? 0
                                                                       : alphanumeric_mode ? 2
                                                                                           : 8));

    while (length < number) {
        if (!alphanumeric_mode) {
            text[length++] = (char)take_bits(code, &at, 8);
        } else if (number - length == 1) {
            text[length++] = letters[take_bits(code, &at, 6)];
        } else {
            const unsigned pair = take_bits(code, &at, 11);
            text[length++] = letters[pair / 45];
            text[length++] = letters[pair % 45];
        }
    }
    text[length] = '\0';
    return text;
}

/* Whether the code has the error correction of level M: the first two bits of its format, 00 under a mask of 10. */
static bool is_m(const struct qr_code *code)
{
    assert_int_equal(code->modules[8 * code->side], 1);
    return !code->modules[8 * code->side + 1];
}

/* Compares the codes of results, from the first one on, with the results. Returns their number. */
static unsigned check_parts(unsigned codes_there)
{
    static struct packed packed;
    unsigned told = 0, parts = 0;
    size_t offender;

    for (; told < tests; parts++) {
        assert_true(parts < codes_there);
        assert_int_equal(packed_read(text_in(result_code(parts)), &packed, &offender), PACKED_OK);
        assert_string_equal(packed.head.version, "1.2.3");
        assert_string_equal(packed.head.revision, "abcdef");
        assert_int_equal(packed.head.width, 8 * sizeof(void *));
        assert_false(packed.head.hypervisor);
        assert_int_equal(packed.head.signature, 0x506e3);
        assert_int_equal(packed.head.microcode, 0xf0);
        assert_int_equal(packed.head.verdict, VERDICT_FAIL);
        assert_int_equal(packed.head.totals.pass, 7);
        assert_int_equal(packed.head.totals.fail, 3);
        assert_int_equal(packed.head.tests, tests);
        assert_int_equal(packed.head.fingerprint, packed_fingerprint(all, tests));
        assert_int_equal(packed.first, told);
        for (unsigned i = 0; i < packed.count; i++, told++)
            assert_int_equal(packed.outcomes[told], all[told].outcome);
    }
    return parts;
}

UNIT_TEST(none_before_the_first_test)
{
    boot(false);
    tests = 0;
    assert_int_equal(result_code_draw(VERDICT_ERROR, &counts, 97), 0);
    boot(false);
    machine = NULL;
    assert_int_equal(result_code_draw(VERDICT_ERROR, &counts, 97), 0);
}

UNIT_TEST(the_line_is_printed_once)
{
    static struct packed packed;
    size_t offender;

    /* Must be the first test, because a printed line remains marked as printed. */
    tests = 0;
    for (unsigned i = 0; i < 3; i++)
        all[i] = (struct result){ .id = "bts.calls", .outcome = OUTCOME_PASS };
    all[2].outcome = OUTCOME_FAIL;
    tests = 3;
    struct caps guest = caps;
    guest.hypervisor = true;
    guest.reason[CAPS_NEED_LBR] = CAPS_LBR_NOT_INTEL;
    result_code_init(&guest, "1.2.3", "abcdef");
    printed[0] = '\0';
    result_code_say(VERDICT_FAIL, &counts);
    assert_memory_equal(printed, "# code DSTEST86:", 16);
    assert_int_equal(printed[strlen(printed) - 1], '\n');
    printed[strlen(printed) - 1] = '\0';
    assert_int_equal(packed_read(printed + strlen("# code "), &packed, &offender), PACKED_OK);
    assert_true(packed.head.hypervisor);
    assert_int_equal(packed.head.facilities[0], FACILITY_FAIL);
    assert_int_equal(packed.head.facilities[1], FACILITY_NOT_SELECTED);
    assert_int_equal(packed.head.facilities[2],
                     caps_reason_absent(CAPS_LBR_NOT_INTEL) ? FACILITY_NONE : FACILITY_NOT_SELECTED);
    assert_int_equal(packed.outcomes[2], OUTCOME_FAIL);
    printed[0] = '\0';
    result_code_say(VERDICT_PANIC, &counts);
    assert_string_equal(printed, "");
}

/* A screen of 80 x 25 characters fits version 7. A code is as small as possible, then as error-tolerant as possible. */
UNIT_TEST(one_code)
{
    boot(false);
    assert_int_equal(result_code_draw(VERDICT_FAIL, &counts, 45), 1);
    assert_int_equal(check_parts(1), 1);
    const char *const text = text_in(result_code(0));
    assert_int_equal(result_code(0)->version, qr_version_for(text, strlen(text), QR_LEVEL_L));
    assert_int_equal(is_m(result_code(0)), qr_version_for(text, strlen(text), QR_LEVEL_M) == result_code(0)->version);
    const unsigned side = result_code(0)->side;
    assert_int_equal(result_code_draw(VERDICT_PASS, &counts, 97), 1); /* a second call has no effect */
    assert_int_equal(check_parts(1), 1);
    for (unsigned most = side - 4; most <= side + 1; most++) { /* up to exactly the screen's size */
        boot(false);
        assert_int_equal(result_code_draw(VERDICT_FAIL, &counts, most) == 1, most >= side);
    }
}

UNIT_TEST(error_correction_if_it_fits)
{
    unsigned m = 0, l = 0;

    for (unsigned n = 1; n < 400; n += 20) {
        boot(true);
        tests = n;
        assert_int_equal(result_code_draw(VERDICT_FAIL, &counts, 97), 1);
        const char *const text = text_in(result_code(0));
        const bool room = qr_version_for(text, strlen(text), QR_LEVEL_M) == result_code(0)->version;
        assert_int_equal(is_m(result_code(0)), room);
        *(room ? &m : &l) += 1;
    }
    assert_true(m > 0 && l > 0);
}

/* Whether each of four codes fits on this screen. */
static bool quarters_fit(unsigned side)
{
    static char text[PACKED_TEXT_MAX];
    struct packed_head head;
    const unsigned all_tests = (unsigned)tests;

    assert_non_null(head_of(0, VERDICT_FAIL, &counts, &head));
    for (unsigned part = 0; part < 4; part++) {
        const unsigned first = all_tests * part / 4;
        const size_t length = packed_write(text, &head, all, first, all_tests * (part + 1) / 4 - first);
        if (17 + 4 * qr_version_for(text, length, QR_LEVEL_L) > side)
            return false;
    }
    return true;
}

/* The fewest codes that fit: more codes on a smaller screen, at most four. */
static void check_sides(unsigned number)
{
    unsigned before = 0, seen = 0;

    for (unsigned side = 97; side >= 17; side--) {
        boot(true);
        tests = number;
        const unsigned there = result_code_draw(VERDICT_FAIL, &counts, side);
        if (there == 0) {
            assert_false(quarters_fit(side));
            before = 4;
            continue;
        }
        assert_int_equal(check_parts(there), there);
        for (unsigned i = 0; i < there; i++)
            assert_true(result_code(i)->side <= side);
        assert_true(there >= before && there <= 4);
        before = there;
        seen |= 1u << there;
    }
    assert_int_equal(seen & 6u, 6u); /* at least one and two codes */
    if (number == PACKED_TESTS_MAX)
        assert_int_equal(seen, 0x1e); /* and all numbers */
}

UNIT_TEST(parts)
{
    check_sides(TESTS);
    check_sides(PACKED_TESTS_MAX);
    boot(true);
    assert_int_equal(result_code_draw(VERDICT_FAIL, &counts, 0), 0);
    /* Only the first half would fit: no code is drawn. */
    for (unsigned side = 53; side >= 37; side -= 4) {
        boot(true);
        for (unsigned i = 0; i < TESTS / 2; i++)
            all[i].outcome = OUTCOME_NOT_RUN;
        const unsigned there = result_code_draw(VERDICT_FAIL, &counts, side);
        assert_int_equal(there ? check_parts(there) : 0, there);
    }
}

UNIT_TEST(the_longest_list)
{
    boot(true);
    tests = PACKED_TESTS_MAX;
    const unsigned there = result_code_draw(VERDICT_FAIL, &counts, 97);
    assert_int_equal(check_parts(there), 1);
}

/* Codes of reasons follow: at most three, of version 10 at most, which every phone can read. */
UNIT_TEST(reasons_follow)
{
    char lines[4000] = "";

    boot(false);
    all[0] = (struct result){ .id = "lbr.tos", .outcome = OUTCOME_ERROR, .why = "got 9 records, expected 12" };
    for (unsigned i = 100; i < 160; i++)
        all[i] = (struct result){ .id = "lbr.tos", .outcome = OUTCOME_FAIL, .why = "got 11 records, expected 12" };
    assert_int_equal(result_code_draw(VERDICT_FAIL, &counts, 97), 4);
    assert_int_equal(check_parts(4), 1);
    for (unsigned i = 1; i < 4; i++) {
        assert_int_equal(result_code(i)->version, 10);
        const char *const text = text_in(result_code(i));
        assert_memory_equal(text, "dstest86 1.2.3 verdict=fail signature 0x000506e3\n", 49);
        strcat(lines, text + 49);
        strcat(lines, "\n");
    }
    assert_memory_equal(lines, "error lbr.tos: got 9 records, expected 12\nfail", 46);
    assert_int_equal(strlen(lines), 3 * 5 * strlen("fail lbr.tos: got 11 records, expected 12\n"));
    /* A reason that is cut fills its code: 134 bytes in version 6, 154 in 7, and 271 in 10, the largest used. */
    static const struct {
        unsigned side, bytes;
    } rooms[] = { { 41, 134 }, { 44, 134 }, { 45, 154 }, { 57, 271 }, { 97, 271 } };
    static char why[400];
    memset(why, 'w', sizeof why - 1);
    for (unsigned i = 0; i < COUNT_OF(rooms); i++) {
        boot(false);
        tests = 101;
        all[100] = (struct result){ .id = "lbr.tos", .outcome = OUTCOME_FAIL, .why = why };
        const unsigned there = result_code_draw(VERDICT_FAIL, &counts, rooms[i].side);
        assert_int_equal(there - check_parts(there), 1);
        assert_int_equal(strlen(text_in(result_code(there - 1))), rooms[i].bytes);
    }
    /* Smaller codes on a small screen; none if a readable code does not fit. */
    for (unsigned side = 45; side >= 37; side -= 4) {
        boot(false);
        all[100].outcome = OUTCOME_FAIL;
        tests = 101;
        const unsigned there = result_code_draw(VERDICT_FAIL, &counts, side);
        const unsigned results_there = check_parts(there);
        assert_int_equal(there - results_there, side >= 41 ? 1 : 0);
        assert_true(result_code(there - 1)->side <= side);
    }
}

UNIT_TEST(without_memory)
{
    boot(false);
    printed[0] = '\0';
    no_memory = true;
    result_code_init(&caps, "1.2.3", "abcdef");
    no_memory = false;
    assert_string_equal(printed, "# code for the screen none: no memory for it\n");
    assert_int_equal(result_code_draw(VERDICT_FAIL, &counts, 97), 0);
}

static int free_memory(void **state)
{
    free(memory);
    return 0;
}
