/* SPDX-License-Identifier: MIT */
/*
 * The page for a person: whole pages to the letter, at every state of a run and on screens of several sizes; and on all
 * sizes, that nothing leaves its place, that what is cut says so, and that the counts are those of the results.
 */
#include "tests/host/host_test.h"

#include "kernel/screen/letters.h"
#include "kernel/screen/page.h"
#include "kernel/screen/pen.h"

#define UNTOUCHED 0xee

static struct cells cells;

/* ---- reading it back --------------------------------------------------------------------------------------------- */

static char letter_of(uint8_t character)
{
    switch (character) {
    case CELL_FULL:
        return '#';
    case CELL_LOWER_HALF:
        return ',';
    case CELL_UPPER_HALF:
        return '\'';
    default:
        return (char)character;
    }
}

/* A row without the blanks at its end. */
static const char *line_of(unsigned row)
{
    static char line[CELLS_COLUMNS_MAX + 1];
    unsigned length = 0;

    for (unsigned column = 0; column < cells.columns; column++) {
        line[column] = letter_of(cells.at[row][column].character);
        if (line[column] != ' ')
            length = column + 1;
    }
    line[length] = '\0';
    return line;
}

static void draw(const struct page *page, unsigned columns, unsigned rows)
{
    memset(&cells, UNTOUCHED, sizeof cells);
    cells.columns = columns;
    cells.rows = rows;
    page_draw(page, &cells);
}

/* The page is these lines, up to NULL; those that follow are blank. */
static void expect(const struct page *page, unsigned columns, unsigned rows, const char *const *lines)
{
    bool ended = false;

    draw(page, columns, rows);
    for (unsigned row = 0; row < rows; row++) {
        ended = ended || !lines[row];
        if (strcmp(line_of(row), ended ? "" : lines[row]) == 0)
            continue;
        for (unsigned r = 0; r < rows; r++)
            print_message("        \"%s\",\n", line_of(r));
        fail_msg("row %u is \"%s\"", row, line_of(row));
    }
}

static uint8_t attributes_of(unsigned row, unsigned column)
{
    return cells.at[row][column].attributes;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static const struct caps skylake = {
    .vendor = "GenuineIntel",
    .brand = "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
    .core = "Skylake",
    .signature = 0x506e3,
    .microcode = 0xf0,
    .bts_record_size = 24,
    .ds_cpl = true,
    .pebs_method = PEBS_METHOD_GENERAL,
    .pebs_format = 3,
    .pebs_record_size = 200,
    .lbr_depth = 32,
    .lbr_format = 5,
};

static const struct caps golden_cove = {
    .vendor = "GenuineIntel",
    .core = "Golden Cove",
    .signature = 0x90672,
    .microcode = 0x2b,
    .hypervisor = true,
    .bts_record_size = 24,
    .pebs_method = PEBS_METHOD_ADAPTIVE,
    .pebs_format = 4,
    .pebs_record_size = 32,
    .pebs_record_most = 960,
    .arch_lbr = true,
    .lbr_depth = 32,
    .lbr_format = 63,
    .reason = { [CAPS_NEED_BTS] = CAPS_BTS_UNAVAILABLE },
};

static const struct caps unlisted = {
    .vendor = "GenuineIntel",
    .signature = 0xf0ff0,
    .reason = { [CAPS_NEED_BTS] = CAPS_NO_DS_FLAG,
                [CAPS_NEED_PEBS] = CAPS_NO_DS_FLAG,
                [CAPS_NEED_LBR] = CAPS_LBR_MODEL_UNLISTED },
};

#define PROGRAM .version = "0.1.0", .revision = "2fa7c4c2ce14", .bits = 64, .steps = 12
#define LOG     .log = "COM1 at 115200 baud"

/* Three areas; ten passed, two of bts failed and one has no verdict, one differs, one was skipped, one has not run. */
static const struct result some[] = {
    { .id = "ds.a", .outcome = OUTCOME_PASS },
    { .id = "ds.b", .outcome = OUTCOME_PASS },
    { .id = "bts.calls", .outcome = OUTCOME_FAIL, .why = "got 11 records, expected 12" },
    { .id = "bts.cpl", .outcome = OUTCOME_SKIP, .why = "no filter" },
    { .id = "bts.ring", .outcome = OUTCOME_PASS },
    { .id = "bts.user", .outcome = OUTCOME_PASS },
    { .id = "bts.x", .outcome = OUTCOME_NOT_RUN, .why = "never shown" },
    { .id = "bts.wrap", .outcome = OUTCOME_ERROR },
    { .id = "lbr.a", .outcome = OUTCOME_PASS },
    { .id = "lbr.info", .outcome = OUTCOME_DIFFERS, .why = "the cycles of entry 3 are 0" },
    { .id = "lbr.b", .outcome = OUTCOME_PASS },
    { .id = "bts.late", .outcome = OUTCOME_FAIL, .why = "timed out after 10 seconds" },
    { .id = "lbr.c", .outcome = OUTCOME_PASS },
    { .id = "lbr.d", .outcome = OUTCOME_PASS },
    { .id = "lbr.e", .outcome = OUTCOME_PASS },
    { .id = "lbr.f", .outcome = OUTCOME_PASS },
};

#define TESTS(array) \
    PROGRAM, .step = 12, .step_name = "tests", .caps = &skylake, .results = array, .result_count = COUNT_OF(array)

static const struct facility judged[FACILITIES] = {
    { .name = "bts", .state = FACILITY_FAIL, .passed = 2, .failed = 3, .selected = 6 },
    { .name = "pebs", .state = FACILITY_NOT_SELECTED },
    { .name = "lbr", .state = FACILITY_PASS, .passed = 7, .selected = 7 },
};

static const struct facility passed[FACILITIES] = {
    { .name = "bts", .state = FACILITY_NONE, .reason = "no BTS: IA32_MISC_ENABLE bit 11 set" },
    { .name = "pebs", .state = FACILITY_PASS, .passed = 43, .selected = 65 },
    { .name = "lbr", .state = FACILITY_PASS, .passed = 33, .selected = 43 },
};

static const struct facility untested[FACILITIES] = {
    { .name = "bts", .state = FACILITY_UNTESTED, .reason = "no BTS: the layout of IA32_DEBUGCTL is unknown" },
    { .name = "pebs", .state = FACILITY_NONE, .reason = "no DS: CPUID.1:EDX bit 21 clear" },
    { .name = "lbr", .state = FACILITY_NOT_SELECTED },
};

static const struct result good[] = {
    { .id = "ds.a", .outcome = OUTCOME_PASS },
    { .id = "pebs.b", .outcome = OUTCOME_PASS },
    { .id = "pebs.c", .outcome = OUTCOME_SKIP, .why = "no event" },
};

/* Many failures, of long names, in many areas. */
#define MANY 90u
static struct result many[MANY];
static char many_ids[MANY][64];
static const char long_why[] =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "x";

static void fill_many(unsigned areas, enum outcome outcome)
{
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(many_ids[i], sizeof many_ids[i], "%carea.test%u", (char)('a' + i % areas), i);
        many[i] = (struct result){ .id = many_ids[i], .outcome = outcome, .why = i % 2 ? long_why : "short" };
    }
}

static uint8_t modules[CELLS_ROWS_MAX * 2 * CELLS_ROWS_MAX * 2];

/* A code of no meaning, whose edges are dark, so that the quiet zone is seen. */
static struct page_code code_of(unsigned side)
{
    uint32_t state = side;

    for (unsigned i = 0; i < side * side; i++) {
        state = state * 1664525u + 1013904223u;
        modules[i] = i < side || i % side == 0 || i % side == side - 1 || i / side == side - 1 || state >> 31;
    }
    return (struct page_code){ side, modules };
}

/* ---- whole pages ------------------------------------------------------------------------------------------------- */
static void a_run_that_has_just_begun(void **state)
{
    (void)state;
    expect(&(struct page){ PROGRAM, .step = 3, .step_name = "options, serial port, screen" }, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14", " The processor is not known yet.", "",
                                  " Step 3 of 12: options, serial port, screen", NULL });
    expect(&(struct page){ PROGRAM, .step = 0 }, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14", " The processor is not known yet.", NULL });
}

static void a_step(void **state)
{
    (void)state;
    expect(&(struct page){ PROGRAM, LOG, .step = 6, .step_name = "local APIC", .caps = &skylake }, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " Step 6 of 12: local APIC",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
    expect(&(struct page){ PROGRAM, LOG, .step = 6, .step_name = "local APIC", .caps = &golden_cove }, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " GenuineIntel",
                                  " Golden Cove, signature 0x00090672, microcode 0x2b, under a hypervisor",
                                  " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set",
                                  " PEBS  format 4 adaptive, records of 32 to 960 bytes",
                                  " LBR   32 entries, architectural",
                                  "",
                                  " Step 6 of 12: local APIC",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
    expect(&(struct page){ PROGRAM, LOG, .step = 6, .step_name = "local APIC", .caps = &unlisted }, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " GenuineIntel",
                                  " Not in the table of models, signature 0x000f0ff0, microcode 0x0",
                                  " BTS   none: no DS: CPUID.1:EDX bit 21 clear",
                                  " PEBS  none: no DS: CPUID.1:EDX bit 21 clear",
                                  " LBR   none: no LBR: its depth is unknown for this processor model",
                                  "",
                                  " Step 6 of 12: local APIC",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
    expect(&(struct page){ PROGRAM, LOG, .step = 6, .step_name = "local APIC", .caps = &unlisted }, 128, 48,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  "",
                                  " GenuineIntel",
                                  " Not in the table of models, signature 0x000f0ff0, microcode 0x0",
                                  " BTS   none: no DS: CPUID.1:EDX bit 21 clear",
                                  " PEBS  none: no DS: CPUID.1:EDX bit 21 clear",
                                  " LBR   none: no LBR: its depth is unknown for this processor model",
                                  "",
                                  " Step 6 of 12: local APIC",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
}

static void the_first_test(void **state)
{
    struct page page = { TESTS(some), LOG, .state = PAGE_TESTS, .planned = 17, .number = 1, .test = "ds.a" };

    (void)state;
    page.result_count = 0;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " Step 12 of 12: tests",
                                  " ....................................... 0 of 17 tests done",
                                  " Test 1 of 17: ds.a",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
}

static void a_test_after_failures(void **state)
{
    const struct page page = { TESTS(some), LOG, .state = PAGE_TESTS, .planned = 20, .number = 16, .test = "lbr.tos" };

    (void)state;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " Step 12 of 12: tests",
                                  " #############################.......... 15 of 20 tests done",
                                  " Test 16 of 20: lbr.tos",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           2       0    0    0     0  lbr          6       1    0    0     0",
                                  " bts          2       0    2    1     1",
                                  " all         10       1    2    1     1",
                                  " fail bts.calls: got 11 records, expected 12",
                                  " error bts.wrap: it does not say why",
                                  " fail bts.late: timed out after 10 seconds",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
    expect(
        &page, 128, 48,
        (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                               "",
                               " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                               " Skylake, signature 0x000506e3, microcode 0xf0",
                               " BTS   records of 24 bytes, by privilege level",
                               " PEBS  format 3, records of 200 bytes",
                               " LBR   32 entries, format 5",
                               "",
                               " Step 12 of 12: tests",
                               " ###############################################................ 15 of 20 tests done",
                               " Test 16 of 20: lbr.tos",
                               "",
                               " area      pass differs fail skip error  area      pass differs fail skip error",
                               " ds           2       0    0    0     0  lbr          6       1    0    0     0",
                               " bts          2       0    2    1     1",
                               " all         10       1    2    1     1",
                               "",
                               " fail bts.calls: got 11 records, expected 12",
                               " error bts.wrap: it does not say why",
                               " fail bts.late: timed out after 10 seconds",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               "",
                               " Log: COM1 at 115200 baud",
                               NULL });
}

static void many_failures(void **state)
{
    struct page page = { TESTS(many), LOG, .state = PAGE_TESTS, .planned = 100, .number = 91, .test = "last" };

    (void)state;
    fill_many(5, OUTCOME_FAIL);
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " Step 12 of 12: tests",
                                  " ###################################.... 90 of 100 tests done",
                                  " Test 91 of 100: last",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " aarea        0       0   18    0     0  darea        0       0   18    0     0",
                                  " barea        0       0   18    0     0  earea        0       0   18    0     0",
                                  " carea        0       0   18    0     0",
                                  " all          0       0   90    0     0",
                                  " fail darea.test83: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..",
                                  " fail earea.test84: short",
                                  " fail aarea.test85: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..",
                                  " fail barea.test86: short",
                                  " fail carea.test87: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..",
                                  " fail darea.test88: short",
                                  " fail earea.test89: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..",
                                  " and 83 more, before these",
                                  " Log: COM1 at 115200 baud",
                                  NULL });
    page.state = PAGE_END;
    page.verdict = VERDICT_FAIL;
    for (unsigned i = 0; i < 89; i++)
        many[i].outcome = OUTCOME_DIFFERS;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  " #'''' ,''', ''#'' #",
                                  " #,,,  #,,,#   #   #",
                                  " #     #   #   #   #",
                                  " '     '   ' ''''' '''''",
                                  " Something does not work as the manual promises.",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " aarea        0      18    0    0     0  darea        0      18    0    0     0",
                                  " barea        0      18    0    0     0  earea        0      17    1    0     0",
                                  " carea        0      18    0    0     0",
                                  " all          0      89    1    0     0",
                                  " fail earea.test89: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..",
                                  " differs aarea.test0: short",
                                  " differs barea.test1: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..",
                                  " differs carea.test2: short",
                                  " and 86 more",
                                  " Please report it, with the name of the machine. Keep the log, or take a photo",
                                  " of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
}

static void more_areas_than_rows(void **state)
{
    const struct page page = { TESTS(many), LOG, .state = PAGE_END, .verdict = VERDICT_FAIL, .verdicts = judged };

    (void)state;
    fill_many(15, OUTCOME_FAIL);
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   fail 3 of 6: records of 24 bytes, by privilege level",
                                  " PEBS  not selected: format 3, records of 200 bytes",
                                  " LBR   pass 7 of 7: 32 entries, format 5",
                                  " #'''' ,''', ''#'' #",
                                  " #,,,  #,,,#   #   #",
                                  " #     #   #   #   #",
                                  " '     '   ' ''''' '''''",
                                  " Something does not work as the manual promises.",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " aarea        0       0    6    0     0  garea        0       0    6    0     0",
                                  " barea        0       0    6    0     0  harea        0       0    6    0     0",
                                  " carea        0       0    6    0     0  iarea        0       0    6    0     0",
                                  " darea        0       0    6    0     0  jarea        0       0    6    0     0",
                                  " earea        0       0    6    0     0  karea        0       0    6    0     0",
                                  " farea        0       0    6    0     0  larea        0       0    6    0     0",
                                  " all          0       0   90    0     0  18 of them in areas not shown",
                                  " fail aarea.test0: short",
                                  " and 89 more",
                                  " Please report it, with the name of the machine. Keep the log, or take a photo",
                                  " of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    fill_many(20, OUTCOME_PASS);
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   fail 3 of 6: records of 24 bytes, by privilege level",
                                  " PEBS  not selected: format 3, records of 200 bytes",
                                  " LBR   pass 7 of 7: 32 entries, format 5",
                                  " #'''' ,''', ''#'' #",
                                  " #,,,  #,,,#   #   #",
                                  " #     #   #   #   #",
                                  " '     '   ' ''''' '''''",
                                  " Something does not work as the manual promises.",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " aarea        5       0    0    0     0  iarea        5       0    0    0     0",
                                  " barea        5       0    0    0     0  jarea        5       0    0    0     0",
                                  " carea        5       0    0    0     0  karea        4       0    0    0     0",
                                  " darea        5       0    0    0     0  larea        4       0    0    0     0",
                                  " earea        5       0    0    0     0  marea        4       0    0    0     0",
                                  " farea        5       0    0    0     0  narea        4       0    0    0     0",
                                  " garea        5       0    0    0     0  oarea        4       0    0    0     0",
                                  " harea        5       0    0    0     0  parea        4       0    0    0     0",
                                  " all         90       0    0    0     0  16 of them in areas not shown",
                                  " Please report it, with the name of the machine. Keep the log, or take a photo",
                                  " of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
}

static void the_end_after_failures(void **state)
{
    struct page page = { TESTS(some), LOG, .state = PAGE_VERDICT, .verdicts = judged, .verdict = VERDICT_ERROR };

    (void)state;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   fail 3 of 6: records of 24 bytes, by privilege level",
                                  " PEBS  not selected: format 3, records of 200 bytes",
                                  " LBR   pass 7 of 7: 32 entries, format 5",
                                  "",
                                  " #'''' #''', #''', ,''', #''',",
                                  " #,,,  #,,,' #,,,' #   # #,,,'",
                                  " #     # ',  # ',  #   # # ',",
                                  " ''''' '   ' '   '  '''  '   '",
                                  " A test ended without a verdict.",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           2       0    0    0     0  lbr          6       1    0    0     0",
                                  " bts          2       0    2    1     1",
                                  " all         10       1    2    1     1",
                                  " fail bts.calls: got 11 records, expected 12",
                                  " error bts.wrap: it does not say why",
                                  " fail bts.late: timed out after 10 seconds",
                                  " differs lbr.info: the cycles of entry 3 are 0",
                                  "",
                                  " This should never happen: please report it. Keep the log, or take a photo of",
                                  " this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The end of the log is being written: please wait.",
                                  NULL });
    page.state = PAGE_END;
    page.verdict = VERDICT_FAIL;
    page.then = PAGE_REBOOTS;
    expect(&page, 128, 48,
           (const char *const[]){
               " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
               "",
               " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
               " Skylake, signature 0x000506e3, microcode 0xf0",
               " BTS   fail 3 of 6: records of 24 bytes, by privilege level",
               " PEBS  not selected: format 3, records of 200 bytes",
               " LBR   pass 7 of 7: 32 entries, format 5",
               "",
               " ##########    ######    ##########  ##",
               " ##          ##      ##      ##      ##",
               " ##          ##      ##      ##      ##",
               " ########    ##########      ##      ##",
               " ##          ##      ##      ##      ##",
               " ##          ##      ##      ##      ##",
               " ##          ##      ##  ##########  ##########",
               "",
               " Something does not work as the manual promises.",
               "",
               " area      pass differs fail skip error  area      pass differs fail skip error",
               " ds           2       0    0    0     0  lbr          6       1    0    0     0",
               " bts          2       0    2    1     1",
               " all         10       1    2    1     1",
               "",
               " fail bts.calls: got 11 records, expected 12",
               " error bts.wrap: it does not say why",
               " fail bts.late: timed out after 10 seconds",
               " differs lbr.info: the cycles of entry 3 are 0",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               "",
               " Please report it, with the name of the machine. Keep the log, or take a photo of this page.",
               " Log: COM1 at 115200 baud",
               " The run has ended. The machine starts again by itself.",
               NULL });
}

static void the_end_of_a_good_run(void **state)
{
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = passed };

    (void)state;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set",
                                  " PEBS  pass 43 of 65: format 3, records of 200 bytes",
                                  " LBR   pass 33 of 43: 32 entries, format 5",
                                  "",
                                  " #''', ,''', ,'''' ,''''",
                                  " #,,,' #,,,# ',,,  ',,,",
                                  " #     #   #     #     #",
                                  " '     '   ' ''''  ''''",
                                  "",
                                  " What was tested works as the manual promises.",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           1       0    0    0     0  pebs         1       0    0    1     0",
                                  " all          2       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Nothing is wrong. Keep the log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    page.then = PAGE_SWITCHES_OFF;
    page.log = NULL;
    expect(&page, 160, 100,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  "",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set",
                                  " PEBS  pass 43 of 65: format 3, records of 200 bytes",
                                  " LBR   pass 33 of 43: 32 entries, format 5",
                                  "",
                                  " ########      ######      ########    ########",
                                  " ##      ##  ##      ##  ##          ##",
                                  " ##      ##  ##      ##  ##          ##",
                                  " ########    ##########    ######      ######",
                                  " ##          ##      ##          ##          ##",
                                  " ##          ##      ##          ##          ##",
                                  " ##          ##      ##  ########    ########",
                                  "",
                                  " What was tested works as the manual promises.",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           1       0    0    0     0  pebs         1       0    0    1     0",
                                  " all          2       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Nothing is wrong. Take a photo of this page.",
                                  " Log: none, no serial port answers",
                                  " The run has ended. The machine switches itself off now.",
                                  NULL });
}

static void nothing_to_test(void **state)
{
    static const struct result skipped[] = { { .id = "pebs.a", .outcome = OUTCOME_SKIP, .why = "no PEBS" } };
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = untested, .verdict = VERDICT_SKIP };

    (void)state;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   untested: no BTS: the layout of IA32_DEBUGCTL is unknown",
                                  " PEBS  none: no DS: CPUID.1:EDX bit 21 clear",
                                  " LBR   not selected: 32 entries, format 5",
                                  "",
                                  " ,'''' #  ,' ''#'' #''',",
                                  " ',,,  #,'     #   #,,,'",
                                  "     # # ',    #   #",
                                  " ''''  '   ' ''''' '",
                                  "",
                                  " The processor has none of the facilities that were to be tested.",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           1       0    0    0     0  pebs         1       0    0    1     0",
                                  " all          2       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " A hypervisor or a firmware setting may hide what the processor has. Keep the",
                                  " log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    page.results = skipped;
    page.result_count = 1;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   untested: no BTS: the layout of IA32_DEBUGCTL is unknown",
                                  " PEBS  none: no DS: CPUID.1:EDX bit 21 clear",
                                  " LBR   not selected: 32 entries, format 5",
                                  "",
                                  " ,'''' #  ,' ''#'' #''',",
                                  " ',,,  #,'     #   #,,,'",
                                  "     # # ',    #   #",
                                  " ''''  '   ' ''''' '",
                                  "",
                                  " Every test was skipped.",
                                  "",
                                  " area      pass differs fail skip error",
                                  " pebs         0       0    0    1     0",
                                  " all          0       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " A hypervisor or a firmware setting may hide what the processor has. Keep the",
                                  " log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    page.result_count = 0;
    page.verdicts = NULL;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " ,'''' #  ,' ''#'' #''',",
                                  " ',,,  #,'     #   #,,,'",
                                  "     # # ',    #   #",
                                  " ''''  '   ' ''''' '",
                                  "",
                                  " No test was run.",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Keep the log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
}

static void a_facility_that_could_not_be_tested(void **state)
{
    (void)state;
    expect(&(struct page){ TESTS(good), LOG, .state = PAGE_END, .verdicts = untested, .verdict = VERDICT_INCOMPLETE },
           80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   untested: no BTS: the layout of IA32_DEBUGCTL is unknown",
                                  " PEBS  none: no DS: CPUID.1:EDX bit 21 clear",
                                  " LBR   not selected: 32 entries, format 5",
                                  "",
                                  " ''#'' #,  # ,'''' ,''', #, ,# #''', #     #'''' ''#'' #''''",
                                  "   #   #', # #     #   # # # # #,,,' #     #,,,    #   #,,,",
                                  "   #   #  ## #     #   # #   # #     #     #       #   #",
                                  " ''''' '   '  ''''  '''  '   ' '     ''''' '''''   '   '''''",
                                  "",
                                  " The processor has something that could not be tested: see \"untested\" above.",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           1       0    0    0     0  pebs         1       0    0    1     0",
                                  " all          2       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " A hypervisor or a firmware setting may be the reason: change it and start",
                                  " again, or report it. Keep the log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
}

static void an_error(void **state)
{
    (void)state;
    expect(&(struct page){ PROGRAM, LOG, .step = 3, .step_name = "options, serial port, screen", .state = PAGE_END,
                           .verdict = VERDICT_ERROR, .trouble = "unknown option: ruun=bts.*" },
           80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " The processor is not known yet.",
                                  "",
                                  " #'''' #''', #''', ,''', #''',",
                                  " #,,,  #,,,' #,,,' #   # #,,,'",
                                  " #     # ',  # ',  #   # # ',",
                                  " ''''' '   ' '   '  '''  '   '",
                                  "",
                                  " unknown option: ruun=bts.*",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " If an option is wrong, correct it (on the stick: dstest86/options.txt) and",
                                  " start again; else please report it. Keep the log, or take a photo of this",
                                  " page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    expect(&(struct page){ PROGRAM, .step = 12, .step_name = "tests", .state = PAGE_END, .caps = &skylake,
                           .verdict = VERDICT_ERROR,
                           .log = "COM1 at 115200 baud; COM2 at 9600 baud; the serial port that ACPI's table SPCR "
                                  "names, at 0xfe032000; the stick, at the next start from it; and more",
                           .trouble = "width=32: the boot loader started the 64-bit kernel without reading this "
                                      "option; choose the 32-bit kernel there; run=nosuch.* matches no test; "
                                      "run=nothing matches no test; skip=whatever.it.is matches no test" },
           80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " #'''' #''', #''', ,''', #''',",
                                  " #,,,  #,,,' #,,,' #   # #,,,'",
                                  " #     # ',  # ',  #   # # ',",
                                  " ''''' '   ' '   '  '''  '   '",
                                  "",
                                  " width=32: the boot loader started the 64-bit kernel without reading this",
                                  " option; choose the 32-bit kernel there; run=nosuch.* matches no test;",
                                  " run=nothing matches no test; skip=whatever.it.is matches no test",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " If an option is wrong, correct it (on the stick: dstest86/options.txt) and",
                                  " start again; else please report it. Keep the log, or take a photo of this",
                                  " page.",
                                  " Log: COM1 at 115200 baud; COM2 at 9600 baud; the serial port that ACPI's table",
                                  " SPCR names, at 0xfe032000; the stick, at the next start from it; and more",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
}

static void a_panic(void **state)
{
    const char *const trouble = "vector 14: page fault #PF, error code 0x3, at exception+0x10";

    (void)state;
    expect(&(struct page){ TESTS(some), LOG, .planned = 20, .number = 16, .test = "lbr.tos", .state = PAGE_END,
                           .verdict = VERDICT_PANIC, .trouble = trouble },
           80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  " #''', ,''', #,  # ''#'' ,''''",
                                  " #,,,' #,,,# #', #   #   #",
                                  " #     #   # #  ##   #   #",
                                  " '     '   ' '   ' '''''  ''''",
                                  " An unexpected exception ended the run.",
                                  " vector 14: page fault #PF, error code 0x3, at exception+0x10",
                                  " It came in test 16 of 20: lbr.tos",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           2       0    0    0     0  lbr          6       1    0    0     0",
                                  " bts          2       0    2    1     1",
                                  " all         10       1    2    1     1",
                                  " fail bts.calls: got 11 records, expected 12",
                                  " error bts.wrap: it does not say why",
                                  " fail bts.late: timed out after 10 seconds",
                                  " differs lbr.info: the cycles of entry 3 are 0",
                                  " This should never happen: please report it, with the name of the machine. Keep",
                                  " the log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    expect(&(struct page){ PROGRAM, LOG, .step = 5, .step_name = "page tables", .state = PAGE_END, .caps = &skylake,
                           .verdict = VERDICT_PANIC, .trouble = trouble },
           80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   records of 24 bytes, by privilege level",
                                  " PEBS  format 3, records of 200 bytes",
                                  " LBR   32 entries, format 5",
                                  "",
                                  " #''', ,''', #,  # ''#'' ,''''",
                                  " #,,,' #,,,# #', #   #   #",
                                  " #     #   # #  ##   #   #",
                                  " '     '   ' '   ' '''''  ''''",
                                  "",
                                  " An unexpected exception ended the run.",
                                  " vector 14: page fault #PF, error code 0x3, at exception+0x10",
                                  " It came in step 5 of 12: page tables",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " This should never happen: please report it, with the name of the machine. Keep",
                                  " the log, or take a photo of this page.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
}

static void a_code_beside_the_text(void **state)
{
    const struct page_code code = code_of(21);
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = passed, .codes = &code, .code_count = 1 };

    (void)state;
    expect(&page, 96, 33,
           (const char *const[]){
               " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
               "                                                                   #############################",
               " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz                           #############################",
               " Skylake, signature 0x000506e3, microcode 0xf0                     #### , ,   ,, , ,,, ,    ####",
               " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set                   #### ,,''#, '',, ',##',, ####",
               " PEBS  pass 43 of 65: format 3, records of 200 bytes               #### '#',,' ,##,'## ',## ####",
               " LBR   pass 33 of 43: 32 entries, format 5                         ####  ##'# ,'#####' #,,, ####",
               "                                                                   #### #     ,#,#,##,''#'# ####",
               " ########      ######      ########    ########                    #### '#',' ,, ,' '''#,,  ####",
               " ##      ##  ##      ##  ##          ##                            #### ,'#  '###, ',, ,' , ####",
               " ##      ##  ##      ##  ##          ##                            #### ##,  #'  ''##  '#   ####",
               " ########    ##########    ######      ######                      ####   , '#',,''#'''  ,  ####",
               " ##          ##      ##          ##          ##                    #### ' # #'','#'# ,',,,# ####",
               " ##          ##      ##          ##          ##                    ####,,,,,,,,,,,,,,,,,,,,,####",
               " ##          ##      ##  ########    ########                      #############################",
               "                                                                   #############################",
               " What was tested works as the manual promises.",
               "",
               " area      pass differs fail skip error",
               " ds           1       0    0    0     0",
               " pebs         1       0    0    1     0",
               " all          2       0    0    1     0",
               "",
               "",
               "",
               "",
               "",
               "",
               " Nothing is wrong. Keep the log, take a photo of this page, or",
               " scan the code.",
               " Log: COM1 at 115200 baud",
               " The run has ended. Hold the power button to switch off, or reset",
               " the machine.",
               NULL });
    page.log = NULL;
    page.verdict = VERDICT_INCOMPLETE;
    expect(&page, 87, 25,
           (const char *const[]){
               " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
               " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz                      #########################",
               " Skylake, signature 0x000506e3, microcode 0xf0                ## , ,   ,, , ,,, ,    ##",
               " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set              ## ,,''#, '',, ',##',, ##",
               " PEBS  pass 43 of 65: format 3, records of 200 bytes          ## '#',,' ,##,'## ',## ##",
               " LBR   pass 33 of 43: 32 entries, format 5                    ##  ##'# ,'#####' #,,, ##",
               "                                                              ## #     ,#,#,##,''#'# ##",
               " ''#'' #,  # ,'''' ,''', #, ,# #''', #     #'''' ''#'' #''''  ## '#',' ,, ,' '''#,,  ##",
               "   #   #', # #     #   # # # # #,,,' #     #,,,    #   #,,,   ## ,'#  '###, ',, ,' , ##",
               "   #   #  ## #     #   # #   # #     #     #       #   #      ## ##,  #'  ''##  '#   ##",
               " ''''' '   '  ''''  '''  '   ' '     ''''' '''''   '   '''''  ##   , '#',,''#'''  ,  ##",
               "                                                              ## ' # #'','#'# ,',,,# ##",
               " The processor has something that could not be tested: see    ##,,,,,,,,,,,,,,,,,,,,,##",
               " \"untested\" above.                                            #########################",
               "",
               " area      pass differs fail skip error",
               " ds           1       0    0    0     0",
               " pebs         1       0    0    1     0",
               " all          2       0    0    1     0",
               " A hypervisor or a firmware setting may be the reason: change",
               " it and start again, or report it. Take a photo of this page,",
               " or scan the code.",
               " Log: none, no serial port answers",
               " The run has ended. Hold the power button to switch off, or",
               " reset the machine.",
               NULL });
}

static void a_code_in_turn(void **state)
{
    const struct page_code codes[] = { code_of(45), code_of(45) };
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = passed, .codes = codes, .code_count = 1 };

    (void)state;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set",
                                  " PEBS  pass 43 of 65: format 3, records of 200 bytes",
                                  " LBR   pass 33 of 43: 32 entries, format 5",
                                  "",
                                  " #''', ,''', ,'''' ,''''",
                                  " #,,,' #,,,# ',,,  ',,,",
                                  " #     #   #     #     #",
                                  " '     '   ' ''''  ''''",
                                  "",
                                  " What was tested works as the manual promises.",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           1       0    0    0     0  pebs         1       0    0    1     0",
                                  " all          2       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Nothing is wrong. Keep the log, take a photo of this page, or scan the code",
                                  " that follows it.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    page.code_count = 2;
    expect(&page, 80, 25,
           (const char *const[]){ " dstest86 0.1.0, 64 bits, 2fa7c4c2ce14",
                                  " Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
                                  " Skylake, signature 0x000506e3, microcode 0xf0",
                                  " BTS   none: no BTS: IA32_MISC_ENABLE bit 11 set",
                                  " PEBS  pass 43 of 65: format 3, records of 200 bytes",
                                  " LBR   pass 33 of 43: 32 entries, format 5",
                                  "",
                                  " #''', ,''', ,'''' ,''''",
                                  " #,,,' #,,,# ',,,  ',,,",
                                  " #     #   #     #     #",
                                  " '     '   ' ''''  ''''",
                                  "",
                                  " What was tested works as the manual promises.",
                                  "",
                                  " area      pass differs fail skip error  area      pass differs fail skip error",
                                  " ds           1       0    0    0     0  pebs         1       0    0    1     0",
                                  " all          2       0    0    1     0",
                                  "",
                                  "",
                                  "",
                                  "",
                                  " Nothing is wrong. Keep the log, take a photo of this page, or scan all 2",
                                  " codes, which take turns.",
                                  " Log: COM1 at 115200 baud",
                                  " The run has ended. Hold the power button to switch off, or reset the machine.",
                                  NULL });
    page.turn = 2;
    expect(&page, 80, 25,
           (const char *const[]){ "                               #################################################",
                                  " dstest86 0.1.0                ##    ,  ,  ,    , ,,,  ,,,,,,,,,  ,,,,,   , , ##",
                                  " Skylake                       ## ,,#  ',,#''#,,#',# ### ' ','#'  '   ,,'','# ##",
                                  " signature 0x000506e3          ## #,' ' ,#,  #' ''#,,#,##' ,   '#'#  '#, '#'' ##",
                                  " microcode 0xf0                ## #','#,#,#'#, # ' ,'###'', ##' ,,' ' '''## , ##",
                                  "                               ## #,', ##,##' #'#'#' #',  ,', #  ','  '# ',,# ##",
                                  " verdict pass                  ## ,,# , , ,,',  # ,###'####'''''',# , ,,'#,#' ##",
                                  "                               ## ## ,  '#' '  '' '#', ##',',,,  ###',  ,  ,' ##",
                                  " Scan code 2 of 2 with a       ## ',,#'' #,## # ,', # '####  #  ##,''',# #',  ##",
                                  " phone. Then \"dsdump --code    ##  ,#,#''#'  #' ,# ',   ',''' ,,#,' #  ,'''#, ##",
                                  " TEXT\" prints the results.     ## ','' ,' ,,,'#' ',#' , ' ','# # #,##','#,#,, ##",
                                  "                               ## ' #,# '## '#'     , #,' #,  # ,,# , , '   # ##",
                                  " The other page comes back in  ## #' ', ,  , ',###  #,###' ,##' ,#,',, ,##,   ##",
                                  " a moment.                     ##  ## ''#,,'','###, ,# '' #,,,, #,,,'#,, #,'' ##",
                                  "                               ## ,### '''#,##'#,# ''',,,#' ''####,', #','##, ##",
                                  "                               ## ,' ,,'#,'#### #' '##' '#',  ' # '   ,, ,'## ##",
                                  "                               ## #'# #,  ,#', ,,,#,''#,' ,# ,#''' ' ,'' '',, ##",
                                  "                               ## ### ,'  '' #, ,,''##, ,',#'' '',# # ' ,#,,, ##",
                                  "                               ## # ,' '# ,,#', ',,''',#' ', ,#''#,'','#,,# , ##",
                                  "                               ## '  , ,# ####'#'#,' #, ' #,',,,#'##, ,, ##,# ##",
                                  "                               ##  ' ',#',# '  # ,#,#'#, ,'  ,##'#'##,' ,,, # ##",
                                  "                               ## ',  #'' ' '#,,,,##  ,,#,'# #,',',,##,,#',,# ##",
                                  "                               ## ##  ', # ,# ,'#', ',','  ,''  # #'#' #' ### ##",
                                  "                               ##,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,##",
                                  "                               #################################################",
                                  NULL });
    page.caps = NULL;
    page.verdict = VERDICT_INCOMPLETE;
    page.version = "0.1.0-with-a-version-that-is-long";
    expect(&page, 80, 25,
           (const char *const[]){ "                               #################################################",
                                  " dstest86 0.1.0-with-a-versi.. ##    ,  ,  ,    , ,,,  ,,,,,,,,,  ,,,,,   , , ##",
                                  "                               ## ,,#  ',,#''#,,#',# ### ' ','#'  '   ,,'','# ##",
                                  " verdict incomplete            ## #,' ' ,#,  #' ''#,,#,##' ,   '#'#  '#, '#'' ##",
                                  "                               ## #','#,#,#'#, # ' ,'###'', ##' ,,' ' '''## , ##",
                                  " Scan code 2 of 2 with a       ## #,', ##,##' #'#'#' #',  ,', #  ','  '# ',,# ##",
                                  " phone. Then \"dsdump --code    ## ,,# , , ,,',  # ,###'####'''''',# , ,,'#,#' ##",
                                  " TEXT\" prints the results.     ## ## ,  '#' '  '' '#', ##',',,,  ###',  ,  ,' ##",
                                  "                               ## ',,#'' #,## # ,', # '####  #  ##,''',# #',  ##",
                                  " The other page comes back in  ##  ,#,#''#'  #' ,# ',   ',''' ,,#,' #  ,'''#, ##",
                                  " a moment.                     ## ','' ,' ,,,'#' ',#' , ' ','# # #,##','#,#,, ##",
                                  "                               ## ' #,# '## '#'     , #,' #,  # ,,# , , '   # ##",
                                  "                               ## #' ', ,  , ',###  #,###' ,##' ,#,',, ,##,   ##",
                                  "                               ##  ## ''#,,'','###, ,# '' #,,,, #,,,'#,, #,'' ##",
                                  "                               ## ,### '''#,##'#,# ''',,,#' ''####,', #','##, ##",
                                  "                               ## ,' ,,'#,'#### #' '##' '#',  ' # '   ,, ,'## ##",
                                  "                               ## #'# #,  ,#', ,,,#,''#,' ,# ,#''' ' ,'' '',, ##",
                                  "                               ## ### ,'  '' #, ,,''##, ,',#'' '',# # ' ,#,,, ##",
                                  "                               ## # ,' '# ,,#', ',,''',#' ', ,#''#,'','#,,# , ##",
                                  "                               ## '  , ,# ####'#'#,' #, ' #,',,,#'##, ,, ##,# ##",
                                  "                               ##  ' ',#',# '  # ,#,#'#, ,'  ,##'#'##,' ,,, # ##",
                                  "                               ## ',  #'' ' '#,,,,##  ,,#,'# #,',',,##,,#',,# ##",
                                  "                               ## ##  ', # ,# ,'#', ',','  ,''  # #'#' #' ### ##",
                                  "                               ##,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,##",
                                  "                               #################################################",
                                  NULL });
}

/* ---- colours ---- */

static void colours(void **state)
{
    const struct page_code code = code_of(21);
    struct page page = { TESTS(some), LOG, .state = PAGE_END, .verdicts = judged, .verdict = VERDICT_FAIL };

    (void)state;
    draw(&page, 80, 25);
    assert_int_equal(attributes_of(0, 0), 0x1f); /* the title, white on blue, from edge to edge */
    assert_int_equal(attributes_of(0, 1), 0x1f);
    assert_int_equal(attributes_of(0, 79), 0x1f);
    assert_int_equal(attributes_of(1, 1), 0x0f); /* the processor */
    assert_int_equal(attributes_of(2, 1), 0x07);
    assert_int_equal(attributes_of(3, 1), 0x0c); /* BTS has failed, PEBS is not selected, LBR has passed */
    assert_int_equal(attributes_of(4, 1), 0x07);
    assert_int_equal(attributes_of(5, 1), 0x0a);
    assert_int_equal(attributes_of(7, 1), 0x0c); /* the verdict, and what it means */
    assert_int_equal(attributes_of(11, 1), 0x0f);
    assert_int_equal(attributes_of(12, 1), 0x07);
    assert_int_equal(attributes_of(13, 1), 0x07); /* ds, bts, the sum */
    assert_int_equal(attributes_of(14, 1), 0x0c);
    assert_int_equal(attributes_of(15, 1), 0x0f);
    assert_int_equal(attributes_of(16, 1), 0x0c); /* failures and what differs */
    assert_int_equal(attributes_of(18, 1), 0x0c);
    assert_int_equal(attributes_of(19, 1), 0x0e);
    assert_int_equal(attributes_of(21, 1), 0x0f); /* what to do, the log, the end */
    assert_int_equal(attributes_of(22, 1), 0x0f);
    assert_int_equal(attributes_of(23, 1), 0x07);
    assert_int_equal(attributes_of(24, 1), 0x0f);

    static const uint8_t verdicts[] = { [VERDICT_PASS] = 0x0a,  [VERDICT_FAIL] = 0x0c,  [VERDICT_SKIP] = 0x0e,
                                        [VERDICT_ERROR] = 0x0c, [VERDICT_PANIC] = 0x0c, [VERDICT_INCOMPLETE] = 0x0e };
    for (unsigned verdict = 0; verdict < COUNT_OF(verdicts); verdict++) {
        page.verdict = (enum verdict)verdict;
        draw(&page, 80, 48);
        if (verdicts[verdict])
            assert_int_equal(attributes_of(8, 1), verdicts[verdict]);
    }
    static const struct result bad[] = { { .id = "ds.a", .outcome = OUTCOME_FAIL },
                                         { .id = "bts.a", .outcome = OUTCOME_ERROR },
                                         { .id = "lbr.a", .outcome = OUTCOME_DIFFERS } };
    page.results = bad;
    page.result_count = COUNT_OF(bad);
    draw(&page, 80, 25);
    assert_int_equal(attributes_of(14, 1), 0x0c); /* ds, bts, and lbr beside them */
    assert_int_equal(attributes_of(15, 1), 0x0c);
    assert_int_equal(attributes_of(14, 41), 0x07);
    page.results = some;
    page.result_count = COUNT_OF(some);
    page.verdicts = untested;
    draw(&page, 80, 25);
    assert_int_equal(attributes_of(3, 1), 0x0e);
    assert_int_equal(attributes_of(4, 1), 0x07);

    page.state = PAGE_TESTS;
    page.planned = 20;
    page.number = 11;
    page.test = "lbr.tos";
    draw(&page, 80, 25);
    assert_int_equal(attributes_of(8, 1), 0x0a); /* the bar, half full, and the running test */
    assert_int_equal(attributes_of(8, 19), 0x0a);
    assert_int_equal(attributes_of(8, 20), 0x07);
    assert_int_equal(attributes_of(9, 1), 0x0f);

    page.state = PAGE_END;
    page.codes = &code;
    page.code_count = 1;
    draw(&page, 128, 48);
    assert_int_equal(attributes_of(1, 127), 0x0f); /* a code's light modules are white, its dark ones black */
    assert_int_equal(attributes_of(5, 120), 0x0f);
    page.codes = &(struct page_code){ 45, modules };
    page.turn = 1;
    draw(&page, 80, 25);
    assert_int_equal(attributes_of(1, 1), 0x0f);
    assert_int_equal(attributes_of(6, 1), 0x0e);
}

/* ---- any size ---- */

/* What is drawn is characters of the font; nothing else is touched; and a line of text ends before the margin. */
static void check_places(unsigned text_columns)
{
    for (unsigned row = 0; row < CELLS_ROWS_MAX; row++)
        for (unsigned column = 0; column < CELLS_COLUMNS_MAX; column++) {
            const uint8_t character = cells.at[row][column].character;
            if (row >= cells.rows || column >= cells.columns)
                assert_int_equal(character, UNTOUCHED);
            else if (character != CELL_FULL && character != CELL_LOWER_HALF && character != CELL_UPPER_HALF)
                assert_in_range(character, ' ', '~');
            if (row < cells.rows && (column == 0 || column == text_columns - 1) && text_columns <= cells.columns)
                assert_int_equal(character, ' ');
        }
}

/* A line that begins so, and is as wide as its place, says that it was cut. Returns how many lines begin so. */
static unsigned check_cuts(const char *begin, unsigned text_columns)
{
    unsigned lines = 0;

    for (unsigned row = 0; row < cells.rows; row++) {
        const char *const line = line_of(row);
        if (strncmp(line, begin, strlen(begin)) != 0)
            continue;
        lines++;
        if (cells.at[row][text_columns - 2].character != ' ')
            assert_true(cells.at[row][text_columns - 2].character == '.' &&
                        cells.at[row][text_columns - 3].character == '.');
    }
    return lines;
}

static const char *find_line(const char *begin)
{
    for (unsigned row = 0; row < cells.rows; row++)
        if (strncmp(line_of(row), begin, strlen(begin)) == 0)
            return line_of(row);
    return NULL;
}

/* The quiet zone that has room: 4, 3 or 2 modules; 0: none of them. */
static unsigned quiet_of(unsigned side, unsigned columns, unsigned rows)
{
    for (unsigned quiet = 4; quiet >= 2; quiet--)
        if (side + 2 * quiet <= columns && (side + 2 * quiet + 1) / 2 <= rows)
            return quiet;
    return 0;
}

/* Takes what stands right of the text off the page. */
static void blank_from(unsigned column)
{
    for (unsigned row = 0; row < cells.rows; row++)
        for (unsigned c = column; c < cells.columns; c++)
            cells.at[row][c].character = ' ';
}

/* How many more there are, as the page says; 0 if it does not. */
static unsigned number_more(void)
{
    unsigned number = 0;

    for (unsigned row = 0; row < cells.rows && !number; row++)
        if (sscanf(line_of(row), " and %u more", &number) != 1)
            number = 0;
    return number;
}

static void every_size(void **state)
{
    static const enum verdict verdicts[] = { VERDICT_PASS,  VERDICT_FAIL,  VERDICT_SKIP,
                                             VERDICT_ERROR, VERDICT_PANIC, VERDICT_INCOMPLETE };
    struct page page = { TESTS(many), .planned = MANY + 1, .number = MANY + 1, .test = long_why, .verdicts = judged };
    unsigned turn = 0;

    (void)state;
    for (unsigned columns = CELLS_COLUMNS; columns <= CELLS_COLUMNS_MAX; columns += columns < 90 ? 1 : 7)
        for (unsigned rows = CELLS_ROWS; rows <= CELLS_ROWS_MAX; rows += rows < 50 ? 1 : 5) {
            const struct page_code code = code_of(21);
            const unsigned quiet = turn % 2 ? quiet_of(21, columns - 62, rows - 1) : 0;
            const unsigned areas = 1 + turn % 30, fails = turn % 7 < 2 ? turn % 3 : MANY;
            char all[100];

            fill_many(areas, OUTCOME_PASS);
            for (unsigned i = 0; i < fails; i++)
                many[(i * 7) % MANY].outcome = i % 3 == 1 ? OUTCOME_ERROR : i % 3 == 2 ? OUTCOME_DIFFERS : OUTCOME_FAIL;
            page.verdict = verdicts[turn % COUNT_OF(verdicts)];
            page.trouble = page.verdict >= VERDICT_ERROR ? long_why : NULL;
            page.log = turn % 4 ? long_why : NULL;
            snprintf(all, sizeof all, " all      %5u%8u%5u%5u%6u", MANY - fails, fails / 3, (fails + 2) / 3, 0u,
                     (fails + 1) / 3);
            page.codes = &code;
            page.code_count = quiet != 0;
            for (page.state = PAGE_TESTS; page.state <= PAGE_END; page.state++) {
                const unsigned width = quiet && page.state != PAGE_TESTS ? columns - 21 - 2 * quiet : columns;

                draw(&page, columns, rows);
                check_places(width);
                blank_from(width);
                assert_non_null(find_line(all));
                const unsigned failures = check_cuts(" fail ", width) + check_cuts(" error ", width);
                const unsigned listed = failures + check_cuts(" differs ", width);
                const unsigned there = page.state == PAGE_TESTS ? fails - fails / 3 : fails;
                assert_int_equal(listed + number_more(), there);
                assert_true(failures == (page.state == PAGE_TESTS ? listed : failures));
                if (!page.trouble || width == columns) /* there, text of all kinds leaves no row to it */
                    assert_true(there < 2 ? listed == there : listed >= 1);
                assert_int_equal(check_cuts(" Log:", width), 1);
                check_cuts(" Test", width);
                check_cuts(" BTS", width);
            }
            turn++;
        }
}

/* Whether a half of a cell is dark: of a code, what is not drawn in white. */
static bool is_dark(unsigned half_row, unsigned column)
{
    const struct cell cell = cells.at[half_row / 2][column];

    assert_int_equal(cell.attributes, 0x0f);
    switch (cell.character) {
    case CELL_FULL:
        return false;
    case CELL_LOWER_HALF:
        return half_row % 2 == 0;
    case CELL_UPPER_HALF:
        return half_row % 2 == 1;
    default:
        assert_int_equal(cell.character, ' ');
        return true;
    }
}

/* Reads the code whose quiet zone ends at the right edge, from this row on. */
static void check_code(const struct page_code *code, unsigned row, unsigned quiet)
{
    const unsigned side = code->side + 2 * quiet, left = cells.columns - side;

    for (unsigned y = 0; y < 2 * ((side + 1) / 2); y++)
        for (unsigned x = 0; x < side; x++) {
            const bool in = y >= quiet && x >= quiet && y - quiet < code->side && x - quiet < code->side;
            if (is_dark(2 * row + y, left + x) != (in && code->modules[(y - quiet) * code->side + x - quiet]))
                fail_msg("a code of %u on %ux%u: row %u, column %u", code->side, cells.columns, cells.rows, y, x);
        }
}

static void codes_of_every_size(void **state)
{
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = passed, .code_count = 1 };

    (void)state;
    for (unsigned columns = CELLS_COLUMNS; columns <= CELLS_COLUMNS_MAX; columns += 8)
        for (unsigned rows = CELLS_ROWS; rows <= CELLS_ROWS_MAX; rows += 3) {
            cells.columns = columns;
            cells.rows = rows;
            const unsigned most = page_code_most(&cells);
            assert_true(quiet_of(most, columns - 31, rows) && !quiet_of(most + 1, columns - 31, rows));
            for (unsigned side = most; side >= 21; side -= side < 30 ? 1 : 8) {
                const struct page_code code = code_of(side);
                const unsigned beside = quiet_of(side, columns - 62, rows - 1);

                page.codes = &code;
                page.turn = 0;
                draw(&page, columns, rows);
                assert_int_equal(page_turns(&page, &cells), beside ? 1 : 2);
                if (beside) {
                    check_places(columns - side - 2 * beside);
                    check_code(&code, 1, beside);
                    continue;
                }
                check_places(columns);
                page.turn = 1;
                draw(&page, columns, rows);
                check_places(columns - side - 2 * quiet_of(side, columns - 31, rows));
                check_code(&code, 0, quiet_of(side, columns - 31, rows));
            }
        }
}

static void turns(void **state)
{
    const struct page_code small = code_of(21), codes[] = { small, small, { 45, modules } };
    struct page page = { TESTS(good), LOG, .state = PAGE_END, .verdicts = passed, .codes = codes, .code_count = 2 };

    (void)state;
    cells.columns = 100;
    cells.rows = 30;
    assert_int_equal(page_turns(&page, &cells), 2); /* each beside the text */
    draw(&page, 100, 30);
    check_code(&codes[0], 1, 4);
    assert_non_null(find_line(" PEBS  pass 43 of 65"));
    page.turn = 1;
    draw(&page, 100, 30);
    check_code(&codes[1], 1, 4);
    assert_non_null(find_line(" PEBS  pass 43 of 65"));
    page.code_count = 1;
    page.turn = 0;
    page.codes = &codes[2];
    page.verdict = VERDICT_INCOMPLETE; /* the longest words of what to do */
    draw(&page, 80, 25);
    assert_non_null(find_line(" that follows it."));
    page.codes = codes;
    page.code_count = 3; /* the third has no room there */
    assert_int_equal(page_turns(&page, &cells), 4);
    page.state = PAGE_TESTS;
    assert_int_equal(page_turns(&page, &cells), 1);
    page.state = PAGE_VERDICT;
    assert_int_equal(page_turns(&page, &cells), 4);
    page.code_count = 0;
    assert_int_equal(page_turns(&page, &cells), 1);
}

static void the_bar(void **state)
{
    struct page page = { TESTS(good), .state = PAGE_TESTS, .planned = 512, .test = "a" };

    (void)state;
    for (page.number = 1; page.number <= page.planned; page.number++) {
        draw(&page, 82, 25);
        for (unsigned i = 0; i < 40; i++)
            assert_int_equal(cells.at[8][1 + i].character, i < (page.number - 1) * 40 / 512 ? CELL_FULL : '.');
        assert_int_equal(cells.at[8][41].character, ' ');
    }
}

/* ---- pieces ---- */

static void text(void **state)
{
    struct pen pen = { &cells, 2, 6, 0x1e };

    (void)state;
    cells.columns = 10;
    cells.rows = 4;
    pen_clear(&cells, 0x07);
    pen_line(&pen, 0, "%s", "123456");
    pen_line(&pen, 1, "%s", "1234567");
    pen_line(&pen, 2, "%s", "a\x1f\x7f~ \xdb");
    assert_string_equal(line_of(0), "  123456");
    assert_string_equal(line_of(1), "  1234..");
    assert_string_equal(line_of(2), "  a??~ ?");
    assert_int_equal(attributes_of(0, 1), 0x07);
    assert_int_equal(attributes_of(0, 2), 0x1e);
    assert_int_equal(attributes_of(0, 7), 0x1e);
    assert_int_equal(attributes_of(0, 8), 0x07);
    assert_int_equal(attributes_of(3, 9), 0x07);
}

/* Words, in lines of 6 columns. */
static void expect_words(const char *words, unsigned most, unsigned count, const char *first, const char *second)
{
    const struct pen pen = { &cells, 0, 6, 0x07 };

    cells.columns = 8;
    cells.rows = 4;
    pen_clear(&cells, 0x07);
    assert_int_equal(pen_words(&pen, 1, most, words), count);
    assert_int_equal(pen_count(&pen, most, words), count);
    assert_string_equal(line_of(0), "");
    assert_string_equal(line_of(1), first);
    assert_string_equal(line_of(2), second);
    assert_string_equal(line_of(3), "");
}

static void words(void **state)
{
    (void)state;
    expect_words("", 2, 0, "", "");
    expect_words("one", 2, 1, "one", "");
    expect_words("sixsix", 2, 1, "sixsix", "");
    expect_words("one two", 2, 2, "one", "two");
    expect_words("sixsix two", 2, 2, "sixsix", "two");
    expect_words("a bcd e", 2, 2, "a bcd", "e");
    expect_words("longerone", 2, 2, "longer", "one");
    expect_words("one two three", 2, 2, "one", "two ..");
    expect_words("one two", 1, 1, "one ..", "");
}

static void letters(void **state)
{
    static const char *const wanted[] = {
        "",
        " ,''', ,'''' #'''' #'''' ''#'' #  ,' #     #, ,# #,  # ,''',",
        " #,,,# #     #,,,  #,,,    #   #,'   #     # # # #', # #   #",
        " #   # #     #     #       #   # ',  #     #   # #  ## #   #",
        " '   '  '''' ''''' '     ''''' '   ' ''''' '   ' '   '  '''",
        " #''', #''', ,''''       ''#''",
        " #,,,' #,,,' ',,,          #",
        " #     # ',      #         #",
        " '     '   ' ''''          '",
    };
    const struct pen pen = { &cells, 1, 60, 0x0a };

    (void)state;
    assert_int_equal(letters_rows("pass", 1, 23), 4);
    assert_int_equal(letters_rows("pass", 1, 22), 0);
    assert_int_equal(letters_rows("pass", 2, 46), 7);
    assert_int_equal(letters_rows("pass", 2, 45), 0);
    assert_int_equal(letters_rows("pass", 3, 69), 11);
    assert_int_equal(letters_rows("incomplete", 1, 59), 4);
    cells.columns = 80;
    cells.rows = 12;
    pen_clear(&cells, 0x07);
    letters_draw(&pen, 1, "acefiklmno", 1);
    letters_draw(&pen, 5, "prs?t", 1); /* what is no letter of a verdict is left blank */
    for (unsigned row = 0; row < COUNT_OF(wanted); row++)
        assert_string_equal(line_of(row), wanted[row]);
    assert_int_equal(attributes_of(1, 2), 0x0a);
    pen_clear(&cells, 0x07);
    letters_draw(&pen, 0, "t", 3); /* 21 rows of dots, an odd number */
    assert_string_equal(line_of(0), " ###############");
    assert_string_equal(line_of(1), " ''''''###''''''");
    assert_string_equal(line_of(10), "       '''");
    assert_string_equal(line_of(11), "");
}

static void a_code_has_a_place(void **state)
{
    struct page_code_place place = { 0 };

    (void)state;
    cells.columns = 80;
    cells.rows = 25;
    assert_false(page_code_place(&cells, 0, 0, 0, &place));
    assert_true(page_code_place(&cells, 42, 0, 30, &place));
    assert_true(place.row == 0 && place.column == 30 && place.rows == 25 && place.columns == 50 && place.quiet == 4);
    assert_true(page_code_place(&cells, 42, 0, 31, &place));
    assert_true(place.row == 0 && place.column == 32 && place.rows == 24 && place.columns == 48 && place.quiet == 3);
    assert_true(page_code_place(&cells, 43, 1, 31, &place));
    assert_true(place.row == 1 && place.column == 33 && place.rows == 24 && place.columns == 47 && place.quiet == 2);
    assert_false(page_code_place(&cells, 43, 1, 34, &place));
    assert_true(page_code_place(&cells, 46, 0, 30, &place));
    assert_int_equal(place.quiet, 2);
    assert_false(page_code_place(&cells, 47, 0, 0, &place));
    assert_false(page_code_place(&cells, 46, 1, 0, &place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_has_just_begun),
        cmocka_unit_test(a_step),
        cmocka_unit_test(the_first_test),
        cmocka_unit_test(a_test_after_failures),
        cmocka_unit_test(many_failures),
        cmocka_unit_test(more_areas_than_rows),
        cmocka_unit_test(the_end_after_failures),
        cmocka_unit_test(the_end_of_a_good_run),
        cmocka_unit_test(nothing_to_test),
        cmocka_unit_test(a_facility_that_could_not_be_tested),
        cmocka_unit_test(an_error),
        cmocka_unit_test(a_panic),
        cmocka_unit_test(a_code_beside_the_text),
        cmocka_unit_test(a_code_in_turn),
        cmocka_unit_test(colours),
        cmocka_unit_test(every_size),
        cmocka_unit_test(codes_of_every_size),
        cmocka_unit_test(turns),
        cmocka_unit_test(the_bar),
        cmocka_unit_test(text),
        cmocka_unit_test(words),
        cmocka_unit_test(letters),
        cmocka_unit_test(a_code_has_a_place),
    };

    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
