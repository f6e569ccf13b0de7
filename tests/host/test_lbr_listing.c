/* SPDX-License-Identifier: MIT */
/*
 * Two listings of real LBR stacks that a Windows debugger's extension printed, a Pentium M's and a Kaby Lake's
 * (Zhang Yinkui, "Software Debugging", volume 1, 5.2), line for line from the values that the registers must have had.
 * -v prints them. The second begins after the lines in which the extension names itself, and ends where the book leaves
 * lines out.
 */
#include "tests/host/expect_lines.h"

#include "kernel/report/lbr_listing.h"

struct place {
    uint64_t start;
    const char *name;
};

/* The symbols that the listings have, in ascending order. */
static const struct place places[] = {
    { 0x804ff190, "nt!WRMSR" },
    { 0x805374a0, "nt!_SEH_prolog" },
    { 0x8060d00e, "nt!NtSystemDebugControl" },
    { 0x8065ef52, "nt!KdpSysWriteMsr" },
    { 0xfffff800957e686c, "nt!KdpSysWriteMsr" },
    { 0xfffff80095c666d0, "nt!KdSystemDebugControl" },
};

static bool find(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    bool found = false;
    (void)context;
    for (size_t i = 0; i < COUNT_OF(places) && places[i].start <= address; i++) {
        *name = places[i].name;
        *offset = address - places[i].start;
        found = true;
    }
    return found;
}

static const struct symbolizer symbols = { find, NULL };

/* MSR_LASTBRANCH_0 to 7 of the Pentium M: TO in the high half, FROM in the low one. TOS is 5. */
static const uint64_t pentium_m[8] = {
    0x8060d0b68060d0a1, 0x8060d3568060d0c3, 0x8065ef528060d364, 0x805374a08065ef59,
    0x8065ef5e805374da, 0x804ff1908065ef6e, 0x8060d0898060d082, 0x8060d09c8060d08d,
};

static const char *const pentium_m_lines[] = {
    "MSR_LASTBRANCH_5: [804ff190] nt!WRMSR+0",
    "MSR_LASTBRANCH_5: [8065ef6e] nt!KdpSysWriteMsr+1c",
    "MSR_LASTBRANCH_4: [8065ef5e] nt!KdpSysWriteMsr+c",
    "MSR_LASTBRANCH_4: [805374da] nt!_SEH_prolog+3a",
    "MSR_LASTBRANCH_3: [805374a0] nt!_SEH_prolog+0",
    "MSR_LASTBRANCH_3: [8065ef59] nt!KdpSysWriteMsr+7",
    "MSR_LASTBRANCH_2: [8065ef52] nt!KdpSysWriteMsr+0",
    "MSR_LASTBRANCH_2: [8060d364] nt!NtSystemDebugControl+356",
    "MSR_LASTBRANCH_1: [8060d356] nt!NtSystemDebugControl+348",
    "MSR_LASTBRANCH_1: [8060d0c3] nt!NtSystemDebugControl+b5",
    "MSR_LASTBRANCH_0: [8060d0b6] nt!NtSystemDebugControl+a8",
    "MSR_LASTBRANCH_0: [8060d0a1] nt!NtSystemDebugControl+93",
    "MSR_LASTBRANCH_7: [8060d09c] nt!NtSystemDebugControl+8e",
    "MSR_LASTBRANCH_7: [8060d08d] nt!NtSystemDebugControl+7f",
    "MSR_LASTBRANCH_6: [8060d089] nt!NtSystemDebugControl+7b",
    "MSR_LASTBRANCH_6: [8060d082] nt!NtSystemDebugControl+74",
    "LBR bit is set now.",
};

/* The Kaby Lake, 06_8E: what the listing shows of entries Ch and Dh, and the registers around the stack. */
static const struct lbr_listing_head kaby_lake = {
    .family = 0x6,
    .model = 0x8e,
    .depth = 32,
    .from = 0x680,
    .to = 0x6c0,
    .info = 0xdc0,
    .flags = 0x4,
    .perf_capabilities = 0x33c5,
    .debugctl = 0x3,
    .enabled = false,
    .tos = 0xd,
};
static const uint64_t kaby_lake_from[32] = { [0xc] = 0xfffff80095c66d7e, [0xd] = 0xfffff80095c66d91 };
static const uint64_t kaby_lake_to[32] = { [0xc] = 0xfffff80095c66d8a, [0xd] = 0xfffff800957e686c };
static const uint64_t kaby_lake_info[32] = { [0xc] = 0x8000000000000014, [0xd] = 0x000000000000001c };

static const char *const kaby_lake_lines[] = {
    "Family 0x6 Model 0x8e detected",
    "LBR stack: count 32, BaseFrom=0x680, BaseTo=0x6c0, BaseInfo=0xdc0, flags 0x4",
    "IA32_PERF_CAPABILITIES = 0x33c5",
    "MSR_DEBUGCTL = 0x3",
    "LBR bit is cleared now.",
    "MSR_LASTBRANCH_TOS=d",
    "MSR_LASTBRANCH_d (info): Cycle Count 28, HIDWORD 0",
    "MSR_LASTBRANCH_d (to): [fffff800957e686c] nt!KdpSysWriteMsr+0",
    "MSR_LASTBRANCH_d (from): [fffff80095c66d91] nt!KdSystemDebugControl+6c1 bMISPRED 0",
    "MSR_LASTBRANCH_c (info): Cycle Count 20, HIDWORD 80000000",
    "MSR_LASTBRANCH_c (to): [fffff80095c66d8a] nt!KdSystemDebugControl+6ba",
    "MSR_LASTBRANCH_c (from): [fffff80095c66d7e] nt!KdSystemDebugControl+6ae bMISPRED 1",
};

static enum lbr_error list_pentium_m(const struct line_sink *out)
{
    enum lbr_error error = lbr_listing_packed(out, 8, 5, 8, pentium_m, &symbols);
    lbr_listing_state(out, true);
    return error;
}

static enum lbr_error list_kaby_lake(const struct line_sink *out)
{
    lbr_listing_head(out, &kaby_lake);
    return lbr_listing_info(out, kaby_lake.depth, kaby_lake.tos, 2, kaby_lake_from, kaby_lake_to, kaby_lake_info,
                            &symbols);
}

static void pentium_m_line_for_line(void **state)
{
    struct expected expected = { pentium_m_lines, COUNT_OF(pentium_m_lines), 0 };
    const struct line_sink out = { compare, &expected };
    (void)state;
    assert_int_equal(list_pentium_m(&out), LBR_DECODE_OK);
    assert_int_equal(expected.seen, expected.count);
}

static void kaby_lake_line_for_line(void **state)
{
    struct expected expected = { kaby_lake_lines, COUNT_OF(kaby_lake_lines), 0 };
    const struct line_sink out = { compare, &expected };
    (void)state;
    assert_int_equal(list_kaby_lake(&out), LBR_DECODE_OK);
    assert_int_equal(expected.seen, expected.count);
}

static void without_symbols(void **state)
{
    static const char *const lines[] = {
        "MSR_LASTBRANCH_5: [804ff190]",
        "MSR_LASTBRANCH_5: [8065ef6e]",
        "MSR_LASTBRANCH_d (info): Cycle Count 28, HIDWORD 0",
        "MSR_LASTBRANCH_d (to): [fffff800957e686c]",
        "MSR_LASTBRANCH_d (from): [fffff80095c66d91] bMISPRED 0",
    };
    struct expected expected = { lines, COUNT_OF(lines), 0 };
    const struct line_sink out = { compare, &expected };
    (void)state;
    lbr_listing_packed(&out, 8, 5, 1, pentium_m, NULL);
    lbr_listing_info(&out, 32, 13, 1, kaby_lake_from, kaby_lake_to, kaby_lake_info, NULL);
    assert_int_equal(expected.seen, expected.count);
}

static bool find_longest(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    (void)address;
    *name = context;
    *offset = UINT64_MAX;
    return true;
}

/* A symbol's name is cut at 64 characters, and its offset stays whole. */
static void a_long_symbol(void **state)
{
    char name[] = "n123456789n123456789n123456789n123456789n123456789n123456789n123456789";
    static const char *const lines[] = {
        "MSR_LASTBRANCH_5: [804ff190] "
        "n123456789n123456789n123456789n123456789n123456789n123456789n123+ffffffffffffffff",
        "MSR_LASTBRANCH_5: [8065ef6e] "
        "n123456789n123456789n123456789n123456789n123456789n123456789n123+ffffffffffffffff",
    };
    struct expected expected = { lines, COUNT_OF(lines), 0 };
    const struct line_sink out = { compare, &expected };
    (void)state;
    lbr_listing_packed(&out, 8, 5, 1, pentium_m, &(struct symbolizer){ find_longest, name });
    assert_int_equal(expected.seen, expected.count);
}

/* TOS past the stack, an impossible depth, more entries than registers: nothing is printed. */
static void refused(void **state)
{
    struct expected none = { NULL, 0, 0 };
    const struct line_sink out = { compare, &none };
    (void)state;
    assert_int_equal(lbr_listing_packed(&out, 8, 8, 8, pentium_m, &symbols), LBR_DECODE_TOS_RANGE);
    assert_int_equal(lbr_listing_packed(&out, 6, 5, 6, pentium_m, &symbols), LBR_DECODE_DEPTH);
    assert_int_equal(lbr_listing_packed(&out, 8, 5, 9, pentium_m, &symbols), LBR_DECODE_DEPTH);
    assert_int_equal(lbr_listing_packed(&out, 8, 5, 0, pentium_m, &symbols), LBR_DECODE_OK);
    assert_int_equal(lbr_listing_packed(&out, 1, 0, 0, pentium_m, &symbols), LBR_DECODE_OK);
    assert_int_equal(lbr_listing_info(&out, 32, 32, 1, kaby_lake_from, kaby_lake_to, kaby_lake_info, &symbols),
                     LBR_DECODE_TOS_RANGE);
    assert_int_equal(lbr_listing_info(&out, 32, 0, 33, kaby_lake_from, kaby_lake_to, kaby_lake_info, &symbols),
                     LBR_DECODE_DEPTH);
}

static void print(void *context, const char *text)
{
    (void)context;
    puts(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pentium_m_line_for_line),
        cmocka_unit_test(kaby_lake_line_for_line),
        cmocka_unit_test(without_symbols),
        cmocka_unit_test(a_long_symbol),
        cmocka_unit_test(refused),
    };
    if (argc > 1 && strcmp(argv[1], "-v") == 0) {
        const struct line_sink out = { print, NULL };
        puts("Pentium M, 8 registers with FROM and TO packed:");
        enum lbr_error first = list_pentium_m(&out);
        puts("\nKaby Lake, 32 entries with INFO, the two newest:");
        return first == LBR_DECODE_OK && list_kaby_lake(&out) == LBR_DECODE_OK ? 0 : 1;
    }
    return cmocka_run_group_tests_name("lbr_listing", tests, NULL, NULL);
}
