/* SPDX-License-Identifier: MIT */
/* The code of results: its bytes, the decoded results, and refusal of damaged text. Codes of reasons. */
#include "tests/host/unit_test.h"

#include "kernel/report/packed.h"
#include "kernel/report/reasons.h"
#include "lib/dump/dump_code.h"

static const struct packed_head skylake = {
    .version = "0.1.0",
    .revision = "2fa7c4c2ce14",
    .width = 64,
    .hypervisor = true,
    .signature = 0x506e3,
    .microcode = 0xf0,
    .verdict = VERDICT_FAIL,
    .facilities = { FACILITY_FAIL, FACILITY_PASS, FACILITY_UNTESTED },
    .totals = { .pass = 0x102, .differs = 3, .fail = 4, .skip = 5, .error = 6 },
    .fingerprint = 0x89abcdef,
    .tests = 14,
};

static struct result results[PACKED_TESTS_MAX];
static char text[PACKED_TEXT_MAX];
static struct packed got;

/* Sets the outcomes: a letter each of n(ot run), p(ass), d(iffers), f(ail), s(kip), e(rror). */
static unsigned set(const char *outcomes)
{
    static const char letters[] = "npdfse";
    unsigned count = 0;

    for (; outcomes[count]; count++)
        results[count] =
            (struct result){ .id = "x", .outcome = (enum outcome)(strchr(letters, outcomes[count]) - letters) };
    return count;
}

static enum packed_error read_text(void)
{
    char *const copy = exact_copy(text, strlen(text) + 1);
    size_t offender;
    const enum packed_error error = packed_read(copy, &got, &offender);

    free(copy);
    return error;
}

static void assert_same_head(const struct packed_head *a, const struct packed_head *b)
{
    assert_string_equal(a->version, b->version);
    assert_string_equal(a->revision, b->revision);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->hypervisor, b->hypervisor);
    assert_int_equal(a->signature, b->signature);
    assert_int_equal(a->microcode, b->microcode);
    assert_int_equal(a->verdict, b->verdict);
    assert_memory_equal(a->facilities, b->facilities, sizeof a->facilities);
    assert_memory_equal(&a->totals, &b->totals, sizeof a->totals);
    assert_int_equal(a->fingerprint, b->fingerprint);
    assert_int_equal(a->tests, b->tests);
}

/* Writes bytes as the text of a code: two bytes as three digits to base 41, the least significant first. */
static void write_bytes(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-./:";
    char *at = text + sprintf(text, "DSTEST86:");

    for (size_t i = 0; i < size; i += 2) {
        const bool pair = i + 1 < size;
        unsigned value = pair ? bytes[i] * 256u + bytes[i + 1] : bytes[i];
        for (unsigned k = 0; k < (pair ? 3u : 2u); k++, value /= 41)
            *at++ = digits[value % 41];
    }
    *at = '\0';
}

/* Reads these bytes, with a checksum added. */
static enum packed_error read_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t all[PACKED_BYTES_MAX + 8];
    const uint32_t crc = dump_crc(bytes, size);

    memcpy(all, bytes, size);
    for (unsigned i = 0; i < 4; i++)
        all[size + i] = (uint8_t)(crc >> 8 * i);
    write_bytes(all, size + 4);
    return read_text();
}

/* The bytes of the head above and "spdnnnnnnnpfse", typed from the description in kernel/report/packed.c. */
static const uint8_t golden[] = { 1, 3, 1, 4 + 5 * (3 + 5 * 2), 0xe3, 0x06, 0x05, 0, 0xf0, 0, 0, 0, 0xef, 0xcd, 0xab,
                                  0x89, 5, '0', '.', '1', '.', '0', 12, '2', 'f', 'a', '7', 'c', '4', 'c', '2', 'c',
                                  'e', '1', '4', 2, 1, 3, 0, 4, 0, 5, 0, 6, 0, 14, 0, 0, 0, 14, 0,
                                  /* s p d; n n n; n repeated 4 times; p f s; e and filling */
                                  4 * 36 + 1 * 6 + 2, 0, 216, 1 * 36 + 3 * 6 + 4, 5 * 36 };

UNIT_TEST(bytes_of_the_description)
{
    char written[PACKED_TEXT_MAX];

    assert_int_equal(set("spdnnnnnnnpfse"), 14);
    const size_t length = packed_write(written, &skylake, results, 0, 14);
    assert_int_equal(length, strlen(written));
    assert_int_equal(read_bytes(golden, sizeof golden), PACKED_OK);
    assert_string_equal(written, text);
    assert_same_head(&got.head, &skylake);
    assert_int_equal(got.first, 0);
    assert_int_equal(got.count, 14);
    for (unsigned i = 0; i < 14; i++)
        assert_int_equal(got.outcomes[i], results[i].outcome);
}

static void round_trip(const struct packed_head *head, unsigned first, unsigned count)
{
    struct result *const exact = exact_copy(results, (first + count) * sizeof *results);
    const size_t length = packed_write(text, head, exact, first, count);

    free(exact);
    assert_int_equal(length, strlen(text));
    assert_int_equal(read_text(), PACKED_OK);
    assert_same_head(&got.head, head);
    assert_int_equal(got.first, first);
    assert_int_equal(got.count, count);
    for (unsigned i = 0; i < PACKED_TESTS_MAX; i++)
        assert_int_equal(got.outcomes[i], i >= first && i < first + count ? results[i].outcome : OUTCOME_NOT_RUN);
}

/* Every outcome up to 50 times in a row, after every other outcome, in lists of every length up to 60. */
UNIT_TEST(every_outcome_and_run)
{
    struct packed_head head = skylake;

    for (unsigned before = 0; before < 6; before++)
        for (unsigned outcome = 0; outcome < 6; outcome++)
            for (unsigned length = 0; length <= 50; length++)
                for (unsigned behind = 0; behind < 3; behind++) {
                    unsigned count = 0;
                    results[count++].outcome = (enum outcome)before;
                    for (unsigned i = 0; i < length; i++)
                        results[count++].outcome = (enum outcome)outcome;
                    for (unsigned i = 0; i < behind; i++)
                        results[count++].outcome = (enum outcome)((outcome + 1 + i) % 6);
                    head.tests = count;
                    round_trip(&head, 0, count);
                }
}

/* The length: repeated outcomes take little space, others a third of a byte per test. */
UNIT_TEST(lengths)
{
    struct packed_head head = skylake;
    size_t none;

    head.tests = PACKED_TESTS_MAX;
    none = packed_write(text, &head, results, 0, 0);
    for (unsigned i = 0; i < PACKED_TESTS_MAX; i++)
        results[i].outcome = OUTCOME_NOT_RUN;
    assert_int_equal(packed_write(text, &head, results, 0, 43), none + 1); /* one byte: the longest repetition */
    assert_int_equal(packed_write(text, &head, results, 0, 44), none + 3); /* two */
    assert_int_equal(packed_write(text, &head, results, 0, 43 * 20), none + 30);
    for (unsigned i = 0; i < PACKED_TESTS_MAX; i++)
        results[i].outcome = i % 2 ? OUTCOME_PASS : OUTCOME_SKIP;
    assert_int_equal(packed_write(text, &head, results, 0, 402), none + 134 / 2 * 3);
    memset(head.version, 'v', PACKED_WORD - 1);
    memset(head.revision, 'r', PACKED_WORD - 1);
    round_trip(&head, 0, PACKED_TESTS_MAX); /* the longest of all */
    assert_true(strlen(text) < PACKED_TEXT_MAX);
}

UNIT_TEST(heads)
{
    struct packed_head head = skylake;

    set("pfsd");
    head.tests = 4;
    head.width = 32;
    round_trip(&head, 0, 4);
    head.hypervisor = false;
    round_trip(&head, 0, 4);
    head.width = 64;
    round_trip(&head, 0, 4);
    for (unsigned verdict = VERDICT_PASS; verdict <= VERDICT_INCOMPLETE; verdict++) {
        head.verdict = (enum verdict)verdict;
        if (verdict != 5)
            round_trip(&head, 0, 4);
    }
    head.verdict = VERDICT_PANIC;
    for (unsigned n = 0; n < 125; n++) {
        head.facilities[0] = (enum facility_state)(n % 5);
        head.facilities[1] = (enum facility_state)(n / 5 % 5);
        head.facilities[2] = (enum facility_state)(n / 25);
        round_trip(&head, 0, 4);
    }
    head.signature = head.microcode = head.fingerprint = 0xfedcba98;
    head.totals = (struct totals){ 65535, 65534, 65533, 65532, 65531 };
    strcpy(head.version, "");
    strcpy(head.revision, "~!");
    round_trip(&head, 0, 4);
}

UNIT_TEST(long_words)
{
    struct packed_head head = skylake;

    memset(head.version, 'v', PACKED_WORD); /* no NUL */
    head.tests = set("p");
    packed_write(text, &head, results, 0, 1);
    assert_int_equal(read_text(), PACKED_OK);
    assert_int_equal(strlen(got.head.version), PACKED_WORD - 1);
    assert_string_equal(got.head.revision, "2fa7c4c2ce14");
}

UNIT_TEST(parts)
{
    struct packed_head head = skylake;

    head.tests = set("pppppffffsssddde");
    for (unsigned first = 0; first <= head.tests; first++)
        for (unsigned count = 0; first + count <= head.tests; count++)
            round_trip(&head, first, count);
}

UNIT_TEST(damage_of_characters)
{
    char whole[PACKED_TEXT_MAX];
    static const char others[] = "0Z:+ a%";

    set("spdnnnnnnnpfse");
    const size_t length = packed_write(whole, &skylake, results, 0, 14);
    for (size_t i = 0; i < length; i++) {
        for (const char *other = others; *other; other++) {
            strcpy(text, whole);
            text[i] = *other;
            assert_true((read_text() == PACKED_OK) == (whole[i] == *other));
        }
        memcpy(text, whole, i);
        strcpy(text + i, whole + i + 1);
        assert_true(read_text() != PACKED_OK);
        strcpy(text + i, whole + i);
        memmove(text + i + 1, whole + i, length - i + 1);
        assert_true(read_text() != PACKED_OK);
        strcpy(text, whole);
        text[i] = '\0';
        assert_true(read_text() != PACKED_OK);
    }
}

UNIT_TEST(damage_of_bytes)
{
    uint8_t all[sizeof golden + 4];
    const uint32_t crc = dump_crc(golden, sizeof golden);

    memcpy(all, golden, sizeof golden);
    for (unsigned i = 0; i < 4; i++)
        all[sizeof golden + i] = (uint8_t)(crc >> 8 * i);
    for (unsigned bit = 0; bit < 8 * sizeof all; bit++) {
        all[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_bytes(all, sizeof all);
        assert_int_equal(read_text(), PACKED_CHECKSUM);
        all[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

UNIT_TEST(contents)
{
    static const struct {
        unsigned at;
        uint8_t value;
        enum packed_error error;
    } cases[] = {
        { 0, 0, PACKED_UNKNOWN_FORMAT },
        { 0, 2, PACKED_UNKNOWN_FORMAT },
        { 1, 4, PACKED_CONTENTS }, /* flags */
        { 2, 5, PACKED_CONTENTS }, /* verdict */
        { 2, 7, PACKED_CONTENTS },
        { 3, 125, PACKED_CONTENTS }, /* facilities */
        { 3, 124, PACKED_OK },
        { 16, 32, PACKED_CONTENTS },  /* the version's length */
        { 17, ' ', PACKED_CONTENTS }, /* its first character */
        { 17, 0x7f, PACKED_CONTENTS },
        { 17, 0x7e, PACKED_OK },
        { 17, '!', PACKED_OK },
        { 45, 15, PACKED_OK }, /* one more test, which makes another list */
        { 45, 13, PACKED_CONTENTS },
        { 46, 4, PACKED_CONTENTS },  /* 1038 tests */
        { 47, 1, PACKED_CONTENTS },  /* first */
        { 49, 13, PACKED_CONTENTS }, /* count: an outcome too many */
        { 49, 11, PACKED_CONTENTS }, /* bytes too many */
        { 49, 15, PACKED_CONTENTS },
        { 53, 219, PACKED_CONTENTS }, /* repeats 7, then two triples: bytes too many */
        { 53, 220, PACKED_CONTENTS }, /* exactly as many as are left */
        { 53, 221, PACKED_CONTENTS },
        { 55, 5 * 36 + 1, PACKED_CONTENTS }, /* filling that is not zero */
        { 55, 5 * 36 + 6, PACKED_CONTENTS },
        { 55, 216, PACKED_CONTENTS }, /* a repetition past the end */
    };

    assert_int_equal(sizeof golden, 56);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        uint8_t bytes[sizeof golden];
        memcpy(bytes, golden, sizeof golden);
        bytes[cases[i].at] = cases[i].value;
        assert_int_equal(read_bytes(bytes, sizeof bytes), cases[i].error);
    }
    for (size_t size = 1; size < sizeof golden; size++)
        assert_int_equal(read_bytes(golden, size), PACKED_CONTENTS);
    assert_int_equal(read_bytes(golden, 0), PACKED_CUT);
    /* A repetition up to the last test is right; one more is not. */
    uint8_t repeats[54];
    memcpy(repeats, golden, sizeof repeats);
    repeats[53] = 220;
    assert_int_equal(read_bytes(repeats, sizeof repeats), PACKED_OK);
    repeats[53] = 221;
    assert_int_equal(read_bytes(repeats, sizeof repeats), PACKED_CONTENTS);
}

UNIT_TEST(refusals)
{
    static const struct {
        const char *text;
        enum packed_error error;
        size_t offender;
    } cases[] = {
        { "", PACKED_NO_PREFIX, 0 },
        { "DSTEST86", PACKED_NO_PREFIX, 8 },
        { "DSTEST87:000", PACKED_NO_PREFIX, 7 },
        { "dstest86:000", PACKED_NO_PREFIX, 0 },
        { "DSTEST86:", PACKED_CUT, 9 },
        { "DSTEST86:0", PACKED_CUT, 9 },
        { "DSTEST86:000000", PACKED_CUT, 15 },
        { "DSTEST86:0000", PACKED_CUT, 12 },
        { "DSTEST86:00a", PACKED_CHARACTER, 11 },
        { "DSTEST86:000 ", PACKED_CHARACTER, 12 },
        { "DSTEST86:$00", PACKED_CHARACTER, 9 },
        { "DSTEST86:000H:.", PACKED_CUT, 15 }, /* 65535 is 17 + 41 * (40 + 41 * 38) */
        { "DSTEST86:000:::", PACKED_VALUE, 12 },
        { "DSTEST86:000I:.", PACKED_VALUE, 12 },
        { "DSTEST86:00000096", PACKED_CHECKSUM, 9 }, /* 255 */
        { "DSTEST86:000000A6", PACKED_VALUE, 15 },
        { "DSTEST86:000000000", PACKED_CHECKSUM, 9 },
    };
    size_t offender;

    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        offender = 99;
        const enum packed_error error = packed_read(cases[i].text, &got, &offender);
        if (error != cases[i].error || offender != cases[i].offender)
            fail_msg("%s: error %d at %zu", cases[i].text, (int)error, offender);
    }
    /* The largest number of bytes, and one more, in the last pair or alone. */
    strcpy(text, "DSTEST86:");
    memset(text + 9, '0', PACKED_BYTES_MAX / 2 * 3);
    text[9 + PACKED_BYTES_MAX / 2 * 3] = '\0';
    assert_int_equal(packed_read(text, &got, &offender), PACKED_CHECKSUM);
    char longer[PACKED_TEXT_MAX + 8];
    snprintf(longer, sizeof longer, "%s00", text);
    assert_int_equal(packed_read(longer, &got, &offender), PACKED_LONG);
    snprintf(longer, sizeof longer, "%s000", text);
    assert_int_equal(packed_read(longer, &got, &offender), PACKED_LONG);
    assert_int_equal(offender, strlen(text));
}

/* FNV-1a, 32 bits, over the ids with their NULs: the published values of "a" and "foobar", continued by hand. */
UNIT_TEST(fingerprints)
{
    const struct result ids[] = { { .id = "foobar" }, { .id = "" }, { .id = "a" } };
    uint32_t sum = 0xbf9cf968u; /* of "foobar" */

    assert_int_equal(packed_fingerprint(ids, 0), 0x811c9dc5u);
    sum *= 16777619u; /* its NUL */
    assert_int_equal(packed_fingerprint(ids, 1), sum);
    sum *= 16777619u;
    assert_int_equal(packed_fingerprint(ids, 2), sum);
    sum = (sum ^ 'a') * 16777619u * 16777619u;
    assert_int_equal(packed_fingerprint(ids, 3), sum);
}

static const struct result failing[] = {
    { .id = "bts.calls", .outcome = OUTCOME_PASS, .why = "never printed" },
    { .id = "bts.far", .outcome = OUTCOME_FAIL, .why = "got 11 records, expected 12" },
    { .id = "lbr.tos", .outcome = OUTCOME_DIFFERS, .why = "it is no failure" },
    { .id = "lbr.info", .outcome = OUTCOME_ERROR },
    { .id = "lbr.user", .outcome = OUTCOME_SKIP, .why = "no user" },
    { .id = "pebs.loads", .outcome = OUTCOME_FAIL, .why = "ip is 0x0, must be 0x201000" },
};

#define REASONS_HEAD   "dstest86 0.1.0 verdict=fail signature 0x000506e3"
#define REASONS_FIRST  "\nfail bts.far: got 11 records, expected 12"
#define REASONS_SECOND "\nerror lbr.info: no reason given"
#define REASONS_THIRD  "\nfail pebs.loads: ip is 0x0, must be 0x201000"

static size_t next_reasons(char *out, size_t size, size_t *next)
{
    char *const exact = malloc(size);
    const size_t length = reasons_write(exact, size, &skylake, failing, COUNT_OF(failing), next);

    assert_true(length < size);
    memcpy(out, exact, length);
    out[length] = '\0';
    assert_true(length == 0 || exact[length] == '\0');
    free(exact);
    return length;
}

UNIT_TEST(reasons)
{
    static const char all[] = REASONS_HEAD REASONS_FIRST REASONS_SECOND REASONS_THIRD;
    char out[512];
    size_t next = 0;

    assert_int_equal(next_reasons(out, sizeof all, &next), sizeof all - 1);
    assert_string_equal(out, all);
    assert_int_equal(next_reasons(out, sizeof out, &next), 0);
    /* With one byte less, the last reason is in the next text. */
    next = 0;
    next_reasons(out, sizeof all - 1, &next);
    assert_string_equal(out, REASONS_HEAD REASONS_FIRST REASONS_SECOND);
    next_reasons(out, sizeof all - 1, &next);
    assert_string_equal(out, REASONS_HEAD REASONS_THIRD);
    assert_int_equal(next_reasons(out, sizeof out, &next), 0);
    /* A reason that is too long is cut; the next one is not lost. */
    next = 0;
    next_reasons(out, sizeof REASONS_HEAD REASONS_FIRST - 1, &next);
    assert_int_equal(strlen(out), strlen(REASONS_HEAD REASONS_FIRST) - 1);
    assert_memory_equal(out, REASONS_HEAD REASONS_FIRST, strlen(out));
    next_reasons(out, sizeof REASONS_HEAD REASONS_FIRST - 1, &next);
    assert_string_equal(out, REASONS_HEAD REASONS_SECOND);
    next = 0;
    assert_int_equal(reasons_write(out, sizeof out, &skylake, failing, 1, &next), 0);
}
