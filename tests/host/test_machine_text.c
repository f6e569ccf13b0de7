/* SPDX-License-Identifier: MIT */
/* The lines that describe a processor with every facility, and one with none. */
#include "tests/host/host_test.h"

#include "kernel/report/machine_text.h"

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

#define ABSOLUTE_MAXIMUM                                                                                         \
    "reading of the absolute maximum: base + n * record; SDM Vol. 3A (253668-032) has a multiple of the record " \
    "plus 1"

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
        .core_known = true,
        .microcode = 0xf0,
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
        "cpu physical 39 bits, linear 48 bits, NX, no hypervisor, microcode 0xf0",
        "perfmon version 4, 4 general counters of 48 bits, 3 fixed of 48 bits, full-width writes, streamlined freeze "
        "on "
        "PMI",
        "ds 64-bit layout, management area of 96 bytes, DTES64",
        "bts records of 24 bytes, filter by privilege level, prediction flag not defined",
        "pebs format 3, records of 200 bytes, trap-like, counters 0xf",
        "lbr format 5, 32 entries, from 0x680 to 0x6c0, with info, with filter, with call-stack mode",
        "events A.B C",
        ABSOLUTE_MAXIMUM,
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

static void architectural(void **state)
{
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.pebs_method = PEBS_METHOD_ARCH;
    caps.pebs_format = 15;
    caps.pebs_record_size = 64;
    caps.pebs_record_most = 1552;
    caps.pebs_counters = 0xff;
    caps.pebs_fixed_counters = 0x77;
    caps.pebs_pdist_counters = 0x3;
    caps.pebs_pdist_fixed_counters = 0x1;
    caps.pebs_cfg_c = 0xe002037800000000;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(got.text[6],
                        "pebs architectural, records of 64 to 1552 bytes, counters 0xff, fixed counters 0x77, precise "
                        "distribution 0x3 and fixed 0x1, CFG_C 0xe002037800000000");
}

static void less(void **state)
{
    static const char *const expected[] = {
        "cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 not in the table of models",
        "cpu physical 39 bits, linear 48 bits, no NX, under a hypervisor, microcode 0xf0",
        "hypervisor KVMKVMKVM: a real processor, of which there is what KVM hands on",
        "perfmon version 2, 4 general counters of 48 bits, 3 fixed of 48 bits, legacy freeze on PMI",
        "ds 32-bit layout, management area of 48 bytes",
        "bts records of 12 bytes, no filter by privilege level, prediction flag defined",
        "pebs format 0, records of 144 bytes, fault-like, counters 0x1",
        "lbr format 3, 16 entries, from 0x680 to 0x6c0",
        "events A.B C",
        ABSOLUTE_MAXIMUM,
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
    memcpy(caps.hypervisor_name, "KVMKVMKVM", 10);
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

static void hypervisors(void **state)
{
    static const char *const rows[][2] = {
        { "TCGTCGTCGTCG", "QEMU's emulation: no silicon, a debug store is modelled" },
        { "Microsoft Hv", "what there is of the processor is the hypervisor's choice" },
        { "KVMKVMKVMx", "what there is of the processor is the hypervisor's choice" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct lines got = { 0 };
        struct caps caps = skylake();
        char expected[100];

        memcpy(caps.hypervisor_name, rows[i][0], strlen(rows[i][0]) + 1);
        snprintf(expected, sizeof expected, "hypervisor %s: %s", rows[i][0], rows[i][1]);
        machine_text(&(struct line_sink){ keep, &got }, &caps);
        assert_string_equal(got.text[3], expected);
    }
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
    assert_string_equal(got.text[9], ABSOLUTE_MAXIMUM);
    assert_string_equal(got.text[10],
                        "reading of the counter reset: 64 bits, of which the counter has 40; older prints have 40");
    assert_string_equal(got.text[11], "note a bit is read so");
    assert_string_equal(got.text[12], "note erratum X1: another");
}

static void packed_entries(void **state)
{
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.lbr_layout = LBR_LAYOUT_PACKED;
    caps.lbr_format = 0;
    caps.lbr_depth = 8;
    caps.lbr_from = 0x40;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(got.text[7], "lbr format 0, 8 entries, from and to in one register each from 0x40");
    assert_int_equal(got.count, 11); /* no word of MISPRED, which this format lacks */

    caps.lbr_format = 2;
    got.count = 0;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(got.count, 11);
}

/* What the processor has, and no reading of what it lacks. */
static void none_of_its_own(void **state)
{
    static const struct {
        enum caps_need need;
        unsigned lines;
        const char *lacks;
    } cases[] = {
        { CAPS_NEED_DS, 11, "reading of the absolute maximum" },
        { CAPS_NEED_PEBS, 10, "reading of the counter reset" }, /* nor its events */
        { CAPS_NEED_EVENT_ANY, 11, "events" },
        { CAPS_NEED_LBR, 11, "reading of MISPRED" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct lines got = { 0 };
        struct caps caps = skylake();
        caps.freeze = CAPS_FREEZE_NONE;
        caps.reason[cases[i].need] = CAPS_NO_DS_FLAG;
        machine_text(&(struct line_sink){ keep, &got }, &caps);
        assert_int_equal(got.count, cases[i].lines);
        for (unsigned n = 0; n < got.count; n++)
            assert_int_not_equal(strncmp(got.text[n], cases[i].lacks, strlen(cases[i].lacks)), 0);
        assert_string_equal(got.text[3], "perfmon version 4, 4 general counters of 48 bits, 3 fixed of 48 bits, "
                                         "full-width writes, no freeze on PMI");
    }
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

/* A line is full at 100 characters, and nothing is written past the longest one. */
static void the_width_of_events(void **state)
{
    char name[LINE_SIZE], half[51];
    const struct pebs_event three[] = { { .name = half }, { .name = half }, { .name = "C" } };
    const struct pebs_event long_ones[] = { { .name = "A" }, { .name = name } };
    const struct pebs_event_list list = { three, COUNT_OF(three) }, longer = { long_ones, COUNT_OF(long_ones) };
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    memset(half, 'h', sizeof half);
    half[49] = '\0';
    caps.events = &list;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(strlen(got.text[8]), 6 + 2 * 50 + 2); /* 100 are not too many */
    half[49] = 'h';
    half[50] = '\0';
    got.count = 0;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(strlen(got.text[8]), 6 + 2 * 51);
    assert_string_equal(got.text[9], "events C");

    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    caps.events = &longer;
    got.count = 0;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_int_equal(strncmp(got.text[8], "events A nnn", 12), 0);
}

/* What counts of counters, a name and a revision do not tell by themselves. */
static void what_is_odd(void **state)
{
    struct lines got = { 0 };
    struct caps caps = skylake();
    (void)state;
    caps.core_known = false;
    caps.microcode = 0x27;
    caps.microcode_least = 0x28;
    caps.general_counters = 0xcf;
    caps.fixed_counters = 0x77;
    caps.counters_taken = 0x810;
    caps.general_possible = 0x30;
    caps.fixed_possible = 0x8;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(
        got.text[0], "cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake, known by name alone");
    assert_string_equal(got.text[4], "perfmon counters behind a gap: general 0xc0, fixed 0x70");
    assert_string_equal(got.text[5],
                        "perfmon counter 4 does not hold what is written: firmware or a hypervisor uses it");
    assert_string_equal(got.text[6],
                        "perfmon counter 11 does not hold what is written: firmware or a hypervisor uses it");
    assert_string_equal(got.text[7], "perfmon counters that CPUID need not list: general 0x20, fixed 0x8");
    assert_string_equal(got.text[got.count - 1],
                        "note PEBS is unreliable with this microcode: it needs revision 0x28 or later");

    caps.microcode_least = UINT32_MAX;
    caps.general_counters = 0xf;
    caps.fixed_counters = 0x27;
    caps.counters_taken = caps.general_possible = 0x10;
    caps.fixed_possible = 0;
    got.count = 0;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(got.text[4], "perfmon counters behind a gap: general 0x0, fixed 0x20");
    assert_string_equal(got.text[6], "ds 64-bit layout, management area of 96 bytes, DTES64");
    assert_string_equal(got.text[got.count - 1],
                        "note no microcode is known with which PEBS is reliable on this stepping");

    caps.microcode = caps.microcode_least = 0x28;
    caps.fixed_counters = 0x7;
    caps.counters_taken = caps.general_possible = 0;
    caps.fixed_possible = 0x1;
    got.count = 0;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(got.text[4], "perfmon counters that CPUID need not list: general 0x0, fixed 0x1");
    assert_null(strstr(got.text[got.count - 1], "microcode"));
    caps.general_possible = 2;
    caps.fixed_possible = 0;
    got.count = 0;
    machine_text(&(struct line_sink){ keep, &got }, &caps);
    assert_string_equal(got.text[4], "perfmon counters that CPUID need not list: general 0x2, fixed 0x0");
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
        cmocka_unit_test(everything),    cmocka_unit_test(less),           cmocka_unit_test(hypervisors),
        cmocka_unit_test(netburst),      cmocka_unit_test(many_events),    cmocka_unit_test(the_width_of_events),
        cmocka_unit_test(nothing),       cmocka_unit_test(what_is_odd),    cmocka_unit_test(groups_and_shifting),
        cmocka_unit_test(architectural), cmocka_unit_test(packed_entries), cmocka_unit_test(none_of_its_own),
    };
    return cmocka_run_group_tests_name("machine_text", tests, NULL, NULL);
}
