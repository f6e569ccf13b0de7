/* SPDX-License-Identifier: MIT */
/* The lines that describe a processor with every facility, and one with none. */
#include "tests/host/host_test.h"

#include "report/machine_text.h"

struct lines {
    unsigned count;
    char text[20][256];
};

static void keep(void *context, const char *text)
{
    struct lines *lines = context;
    assert_true(lines->count < COUNT_OF(lines->text));
    snprintf(lines->text[lines->count++], sizeof(lines->text[0]), "%s", text);
}

static const char *const no_notes[] = { NULL };
static const struct pebs_event some_events[] = { { .name = "A.B" }, { .name = "C" } };
static const struct pebs_event_list two_events = { some_events, COUNT_OF(some_events) };
static const char *const two_notes[] = { "a bit is read so", "erratum X1: another", NULL };

static struct caps skylake(void)
{
    return (struct caps){
        .vendor = "GenuineIntel",
        .brand = "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
        .signature = 0x506e3,
        .family = 6,
        .model = 0x5e,
        .stepping = 3,
        .core = "Skylake",
        .events = &two_events,
        .nx = true,
        .physical_bits = 39,
        .linear_bits = 48,
        .perfmon_version = 4,
        .general_count = 4,
        .general_width = 48,
        .fixed_count = 3,
        .fixed_width = 48,
        .freeze = CAPS_FREEZE_STREAMLINED,
        .full_width_write = true,
        .dtes64 = true,
        .ds_cpl = true,
        .ds_width = 8,
        .ds_area_size = 96,
        .bts_record_size = 24,
        .pebs_format = 3,
        .pebs_record_size = 200,
        .pebs_trap_like = true,
        .pebs_counters = 0xf,
        .lbr_format = 5,
        .lbr_depth = 32,
        .lbr_from = 0x680,
        .lbr_to = 0x6c0,
        .lbr_info = 0xdc0,
        .lbr_select = 0x1c8,
        .notes = no_notes,
        .lbr_filter = true,
        .lbr_callstack = true,
    };
}

static void everything(void **state)
{
    static const char *const expected[] = {
        "cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake",
        "cpu Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz",
        "cpu physical 39 bits, linear 48 bits, NX, no hypervisor",
        "perfmon version 4, 4 general counters of 48 bits, 3 fixed of 48 bits, full-width writes, streamlined freeze "
        "on "
        "PMI",
        "ds 64-bit layout, management area of 96 bytes, DTES64",
        "bts records of 24 bytes, filter by privilege level, prediction flag not defined",
        "pebs format 3, records of 200 bytes, trap-like, counters 0xf",
        "lbr format 5, 32 entries, from 0x680 to 0x6c0, with info, with filter, with call-stack mode",
        "events A.B C",
        "reading of the absolute maximum: base + n * record; SDM Vol. 3A (253668-032) has a multiple of the record "
        "plus 1",
        "reading of the counter reset: 64 bits, of which the counter has 48; older prints have 40",
        "reading of MISPRED: set where the prediction was wrong; SDM Vol. 3A (253668-032), table 16-6, has the reverse",
    };
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(got.count, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        assert_string_equal(got.text[i], expected[i]);
}

static void groups_and_shifting(void **state)
{
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.pebs_method = PEBS_METHOD_ADAPTIVE;
    caps.pebs_format = 4;
    caps.pebs_record_size = 32;
    caps.pebs_record_most = 1232;
    caps.pebs_counters = 0xff;
    caps.pebs_fixed_counters = 0xf;
    caps.pebs_retire_latency = true;
    caps.lbr_layout = LBR_LAYOUT_ARCH;
    caps.arch_lbr = caps.lbr_branch_type = true;
    caps.lbr_format = 63;
    caps.lbr_from = 0x1500;
    caps.lbr_to = 0x1600;
    caps.lbr_info = 0x1200;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(got.text[6], "pebs format 4 adaptive, records of 32 to 1232 bytes, trap-like, counters 0xff, "
                                     "fixed counters 0xf, with retire latency");
    assert_string_equal(got.text[7], "lbr format 63, 32 entries, architectural, from 0x1500 to 0x1600, with info, with "
                                     "filter, with call-stack mode, with branch types");
}

static void less(void **state)
{
    static const char *const expected[] = {
        "cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 not in the table of models",
        "cpu physical 39 bits, linear 48 bits, no NX, under a hypervisor",
        "perfmon version 2, 4 general counters of 48 bits, 3 fixed of 48 bits, legacy freeze on PMI",
        "ds 32-bit layout, management area of 48 bytes",
        "bts records of 12 bytes, no filter by privilege level, prediction flag defined",
        "pebs format 0, records of 144 bytes, fault-like, counters 0x1",
        "lbr format 3, 16 entries, from 0x680 to 0x6c0",
        "events A.B C",
        "reading of the absolute maximum: base + n * record; SDM Vol. 3A (253668-032) has a multiple of the record "
        "plus 1",
        "reading of the counter reset: 64 bits, of which the counter has 48; older prints have 40",
        "reading of MISPRED: set where the prediction was wrong; SDM Vol. 3A (253668-032), table 16-6, has the reverse",
    };
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.core = NULL;
    caps.brand[0] = '\0';
    caps.nx = caps.full_width_write = caps.dtes64 = caps.ds_cpl = caps.pebs_trap_like = false;
    caps.hypervisor = caps.bts_prediction = true;
    caps.perfmon_version = 2;
    caps.freeze = CAPS_FREEZE_LEGACY;
    caps.ds_width = 4;
    caps.ds_area_size = 48;
    caps.bts_record_size = 12;
    caps.pebs_format = 0;
    caps.pebs_record_size = 144;
    caps.pebs_counters = 1;
    caps.lbr_format = 3;
    caps.lbr_depth = 16;
    caps.lbr_info = caps.lbr_select = 0;
    caps.lbr_filter = caps.lbr_callstack = false;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(got.count, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        assert_string_equal(got.text[i], expected[i]);
}

static void netburst(void **state)
{
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.pebs_method = PEBS_METHOD_NETBURST;
    caps.pebs_format = 0;
    caps.pebs_record_size = 40;
    caps.general_width = 40;
    caps.lbr_format = 1;
    caps.notes = two_notes;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(got.count, 13);
    assert_string_equal(got.text[6], "pebs format 0, records of 40 bytes, trap-like, MSR_IQ_COUNTER4 of 40 bits");
    assert_string_equal(got.text[9], "reading of the absolute maximum: base + n * record; SDM Vol. 3A (253668-032) has "
                                     "a multiple of the record plus 1");
    assert_string_equal(got.text[10],
                        "reading of the counter reset: 64 bits, of which the counter has 40; older prints have 40");
    assert_string_equal(got.text[11], "note a bit is read so");
    assert_string_equal(got.text[12], "note erratum X1: another");
}

/* A list of names continues on the next line. */
static void many_events(void **state)
{
    struct pebs_event many[5];
    struct pebs_event_list list = { many, COUNT_OF(many) };
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = (struct pebs_event){ .name = "MEM_UNCORE_RETIRED.REMOTE_CACHE_LOCAL_HOME_HIT" };
    caps.events = &list;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(got.count, 13);
    assert_int_equal(strlen(got.text[8]), 6 + 3 * 47);
    assert_int_equal(strlen(got.text[9]), 6 + 2 * 47);
}

static void nothing(void **state)
{
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.reason[CAPS_NEED_PERFMON] = CAPS_NO_PERFMON_LEAF;
    caps.reason[CAPS_NEED_DS] = CAPS_NO_DS_FLAG;
    caps.reason[CAPS_NEED_BTS] = CAPS_BTS_UNAVAILABLE;
    caps.reason[CAPS_NEED_PEBS] = CAPS_PEBS_UNAVAILABLE;
    caps.reason[CAPS_NEED_LBR] = CAPS_LBR_NOT_INTEL;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(got.count, 8);
    assert_string_equal(got.text[3], "perfmon none: no performance monitoring: CPUID has no leaf 0Ah");
    assert_string_equal(got.text[4], "ds none: no DS: CPUID.1:EDX bit 21 clear");
    assert_string_equal(got.text[5], "bts none: no BTS: IA32_MISC_ENABLE bit 11 set");
    assert_string_equal(got.text[6], "pebs none: no PEBS: IA32_MISC_ENABLE bit 12 set");
    assert_string_equal(got.text[7], "lbr none: no LBR: not an Intel processor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),  cmocka_unit_test(less),    cmocka_unit_test(netburst),
        cmocka_unit_test(many_events), cmocka_unit_test(nothing), cmocka_unit_test(groups_and_shifting),
    };
    return cmocka_run_group_tests_name("machine_text", tests, NULL, NULL);
}
