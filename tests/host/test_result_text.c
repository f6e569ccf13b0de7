/* SPDX-License-Identifier: MIT */
/* The result as plain text for QR codes: every verdict, and texts that do not fit into one code or into all. */
#include "tests/host/unit_test.h"

#include "kernel/screen/result_text.h"

static const struct caps skylake = { .core = "Skylake", .signature = 0x506e3, .microcode = 0xf0 },
                         unknown = { .vendor = "GenuineIntel", .signature = 0xf0, .hypervisor = true };

static const struct facility judged[FACILITIES] = {
    { .name = "bts", .state = FACILITY_FAIL, .passed = 2, .failed = 3, .selected = 6 },
    { .name = "pebs", .state = FACILITY_NOT_SELECTED },
    { .name = "lbr", .state = FACILITY_PASS, .passed = 7, .selected = 9 },
};

static const struct facility absent[FACILITIES] = {
    { .name = "bts", .state = FACILITY_UNTESTED, .reason = "no records", .row = "; no row" },
    { .name = "pebs", .state = FACILITY_NONE, .reason = "no DS" },
    { .name = "lbr", .state = FACILITY_NONE, .reason = "no LBR" },
};

/* Failures are before differences, whatever their order in the run. */
static const struct result some[] = {
    { .id = "lbr.info", .outcome = OUTCOME_DIFFERS, .why = "the cycles of entry 3 are 0" },
    { .id = "bts.calls", .outcome = OUTCOME_FAIL, .why = "got 11 records, expected 12" },
    { .id = "bts.cpl", .outcome = OUTCOME_SKIP, .why = "no filter" },
    { .id = "bts.ring", .outcome = OUTCOME_PASS },
    { .id = "bts.wrap", .outcome = OUTCOME_ERROR },
    { .id = "bts.odd", .outcome = OUTCOME_FAIL, .why = "\x1b\xff\x7fis 1" },
    { .id = "bts.x", .outcome = OUTCOME_NOT_RUN },
};

#define PROGRAM .version = "0.1.0", .revision = "2fa7c4c2ce14", .bits = 64
#define TESTS   PROGRAM, .caps = &skylake, .results = some, .result_count = COUNT_OF(some)
#define HEAD    "dstest86 0.1.0 2fa7c4c2ce14, 64 bits: fail\nSkylake 0x000506e3, microcode 0xf0\n"
#define JUDGED  "bts fail 3 of 5\npebs not selected\nlbr pass 7 of 7\n"
#define FAILED  "fail bts.calls: got 11 records, expected 12\nerror bts.wrap: no reason given\nfail bts.odd: ???is 1\n"

static const struct {
    struct page page;
    size_t size;       /* of each text */
    unsigned most;     /* texts */
    const char *texts; /* separated by "|" */
} cases[] = {
    { { TESTS, .verdict = VERDICT_FAIL, .verdicts = judged },
      400,
      1,
      HEAD JUDGED FAILED "differs lbr.info: the cycles of entry 3 are 0" },
    { { PROGRAM, .caps = &unknown, .results = some + 2, .result_count = 2, .verdict = VERDICT_PASS, .verdicts = absent,
        .kinds = "core,atom" },
      400,
      1,
      "dstest86 0.1.0 2fa7c4c2ce14, 64 bits: pass\nGenuineIntel 0x000000f0, microcode 0x0, hypervisor\n"
      "kinds core,atom\nbts untested: no records; no row\npebs none: no DS\nlbr none: no LBR" },
    { { PROGRAM, .verdict = VERDICT_ERROR, .kinds = "", .trouble = "unknown option: ruun" },
      400,
      1,
      "dstest86 0.1.0 2fa7c4c2ce14, 64 bits: error\nunknown option: ruun" },
    { { PROGRAM, .verdict = VERDICT_PANIC, .trouble = "vector 14", .test = "bts.x" },
      400,
      1,
      "dstest86 0.1.0 2fa7c4c2ce14, 64 bits: panic\nvector 14, in test bts.x" },
    /* Exactly the text's size; then a byte less, in several codes and in the last one. */
    { { TESTS, .verdict = VERDICT_FAIL }, 222, 1, HEAD FAILED "differs lbr.info: the cycles of entry 3 are 0" },
    { { TESTS, .verdict = VERDICT_FAIL }, 221, 2, HEAD FAILED "|differs lbr.info: the cycles of entry 3 are 0" },
    { { TESTS, .verdict = VERDICT_FAIL }, 221, 1, HEAD FAILED "and 1 more" },
    { { TESTS, .verdict = VERDICT_FAIL },
      80,
      4,
      HEAD "|fail bts.calls: got 11 records, expected 12\nerror bts.wrap: no reason given|fail bts.odd: ???is 1\n"
           "differs lbr.info: the cycles of entry 3 are 0" },
    /* Lines longer than a text are cut. */
    { { TESTS, .verdict = VERDICT_FAIL },
      40,
      3,
      "dstest86 0.1.0 2fa7c4c2ce14, 64 bits:..|Skylake 0x000506e3, microcode 0xf0|fail bts.calls: got 11 ..\nand 3 "
      "more" },
};

UNIT_TEST(texts)
{
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        const char *wanted = cases[i].texts;
        size_t next = 0;
        for (unsigned n = 0; n < cases[i].most; n++) {
            char text[400], want[400];
            const size_t length = strcspn(wanted, "|");
            snprintf(want, sizeof want, "%.*s", (int)length, wanted);
            if (length && want[length - 1] == '\n') /* between two lines in different texts */
                want[length - 1] = '\0';
            memset(text, 'x', sizeof text);
            assert_int_equal(result_text(text, cases[i].size, &cases[i].page, &next, n + 1 == cases[i].most),
                             strlen(want));
            assert_string_equal(text, want);
            wanted += length + (wanted[length] == '|');
        }
        assert_string_equal(wanted, "");
    }
}
