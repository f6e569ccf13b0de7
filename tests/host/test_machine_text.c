/* SPDX-License-Identifier: MIT */
/* The lines that describe a processor with every facility, and one with none. */
#include "tests/host/unit_test.h"

#include "kernel/report/machine_text.h"
#include "tests/host/lines.h"
#include "tests/host/processors.h"

/* Prints them after an empty line, so that each line is between two line ends. */
static void print(const struct caps *caps)
{
    forget_lines();
    keep_line(NULL, "");
    machine_text(&into_lines, caps);
}

static void says(const struct caps *caps, const char *wanted)
{
    char whole[2000];

    print(caps);
    snprintf(whole, sizeof whole, "\n%s\n", wanted);
    has_printed(whole);
}

static void says_not(const struct caps *caps, const char *words)
{
    print(caps);
    has_not_printed(words);
}

static const char *const no_notes[] = { NULL };
static const char *const two_notes[] = { "a bit is read so", "erratum X1: another", NULL };
static const struct pebs_event some_events[] = { { .name = "A.B" }, { .name = "C" } };
static const struct pebs_event_list two_events = { some_events, COUNT_OF(some_events) };

static struct caps skylake(void)
{
    struct caps caps = caps_of(skylake_input());

    caps.events = &two_events;
    caps.notes = no_notes;
    return caps;
}

#define READINGS                                                                                                      \
    "reading of the absolute maximum: base + n * record; SDM Vol. 3A (253668-032) has a multiple of the record plus " \
    "1\nreading of the counter reset: 64 bits, the counter has 48; older prints have 40\n"                            \
    "reading of MISPRED: set where the prediction was wrong; SDM Vol. 3A (253668-032), table 16-6, has the reverse\n"

UNIT_TEST(whole_texts)
{
    struct caps caps = skylake();

    print(&caps);
    printed("\ncpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake\n"
            "cpu Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz\n"
            "cpu physical 39 bits, linear 48 bits, NX, no hypervisor, microcode 0xf0\n"
            "perfmon version 4, 4 general counters of 48 bits, 3 fixed of 48 bits, full-width writes, streamlined "
            "freeze on PMI\n"
            "ds 64-bit layout, management area of 96 bytes, DTES64\n"
            "bts records of 24 bytes, filter by privilege level, prediction flag defined, but unreliable "
            "(erratum SKL088/CML054)\n"
            "pebs format 3, records of 200 bytes, trap-like, counters 0xf, fixed counters 0x0\n"
            "lbr format 5, 32 entries, from 0x680 to 0x6c0, with info, with filter, with call-stack mode\n"
            "events A.B C\n" READINGS);

    caps.core = NULL;
    caps.brand[0] = '\0';
    caps.full_width_write = 0;
    caps.nx = caps.dtes64 = caps.ds_cpl = caps.pebs_trap_like = false;
    caps.hypervisor = caps.bts_prediction = true;
    caps.errata = 0;
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
    print(&caps);
    printed("\ncpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 not in the table of models\n"
            "cpu physical 39 bits, linear 48 bits, no NX, under a hypervisor, microcode 0xf0\n"
            "hypervisor KVMKVMKVM: a real processor, with the features that KVM exposes\n"
            "perfmon version 2, 4 general counters of 48 bits, 3 fixed of 48 bits, legacy freeze on PMI\n"
            "ds 32-bit layout, management area of 48 bytes\n"
            "bts records of 12 bytes, no filter by privilege level, prediction flag defined\n"
            "pebs format 0, records of 144 bytes, fault-like, counters 0x1, fixed counters 0x0\n"
            "lbr format 3, 16 entries, from 0x680 to 0x6c0\n"
            "events A.B C\n" READINGS);
}

UNIT_TEST(methods)
{
    struct caps caps = caps_of(golden_cove_input());

    caps.pebs_retire_latency = true;
    says(&caps, "pebs format 4 adaptive, records of 32 to 1232 bytes, trap-like, counters 0xff, fixed counters 0xf, "
                "with retire latency");
    says(&caps, "lbr format 63, 32 entries, architectural, from 0x1500 to 0x1600, with info, with filter, with "
                "call-stack mode, with branch types");

    caps = caps_of(clearwater_forest_input());
    says(&caps, "pebs architectural, records of 64 to 1520 bytes, counters 0xff, fixed counters 0x77, precise "
                "distribution 0x3 and fixed 0x1, CFG_C 0xe002037800000000");

    caps = caps_of(netburst_input());
    caps.notes = two_notes;
    says(&caps, "pebs format 0, records of 40 bytes, trap-like, MSR_IQ_COUNTER4 of 40 bits");
    says(&caps, "reading of the counter reset: 64 bits, the counter has 40; older prints have 40\n"
                "note a bit is read so\nnote erratum X1: another");

    caps = skylake();
    caps.lbr_layout = LBR_LAYOUT_PACKED;
    caps.lbr_format = 0;
    caps.lbr_depth = 8;
    caps.lbr_from = 0x40;
    says(&caps, "lbr format 0, 8 entries, from and to in one register each from 0x40");
    says_not(&caps, "MISPRED"); /* the format lacks it */
    caps.lbr_format = 2;
    says_not(&caps, "MISPRED");
}

UNIT_TEST(hypervisors)
{
    static const char *const rows[][2] = {
        { "TCGTCGTCGTCG", "QEMU's emulation: no silicon, a debug store is modelled" },
        { "Microsoft Hv", "the hypervisor chooses the processor's features" },
        { "KVMKVMKVMx", "the hypervisor chooses the processor's features" },
    };
    struct caps caps = skylake();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char expected[100];

        memcpy(caps.hypervisor_name, rows[i][0], strlen(rows[i][0]) + 1);
        snprintf(expected, sizeof expected, "hypervisor %s: %s", rows[i][0], rows[i][1]);
        says(&caps, expected);
    }
}

/* Only readings that concern the processor's features are printed. */
UNIT_TEST(missing_facilities)
{
    static const struct {
        enum caps_need need;
        enum caps_reason reason;
        const char *line, *lacks;
    } cases[] = {
        { CAPS_NEED_PERFMON, CAPS_NO_PERFMON_LEAF, "perfmon none: no performance monitoring (CPUID has no leaf 0Ah)",
          "perfmon version" },
        { CAPS_NEED_DS, CAPS_NO_DS_FLAG, "ds none: no DS (CPUID.1:EDX bit 21 clear)", "reading of the absolute" },
        { CAPS_NEED_BTS, CAPS_BTS_UNAVAILABLE, "bts none: no BTS (IA32_MISC_ENABLE bit 11 set)", "prediction flag" },
        { CAPS_NEED_PEBS, CAPS_PEBS_UNAVAILABLE, "pebs none: no PEBS (IA32_MISC_ENABLE bit 12 set)", "counter reset" },
        { CAPS_NEED_PEBS, CAPS_PEBS_UNAVAILABLE, "pebs none: no PEBS (IA32_MISC_ENABLE bit 12 set)", "events" },
        { CAPS_NEED_EVENT_ANY, CAPS_NO_EVENT_ANY,
          "pebs format 3, records of 200 bytes, trap-like, counters 0xf, fixed counters 0x0", "events" },
        { CAPS_NEED_LBR, CAPS_LBR_NOT_INTEL, "lbr none: no LBR (not an Intel processor)", "MISPRED" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct caps caps = skylake();

        caps.reason[cases[i].need] = cases[i].reason;
        says(&caps, cases[i].line);
        says_not(&caps, cases[i].lacks);
    }
    struct caps caps = skylake();

    caps.freeze = CAPS_FREEZE_NONE;
    says(&caps, "perfmon version 4, 4 general counters of 48 bits, 3 fixed of 48 bits, full-width writes, no freeze on "
                "PMI");
}

/* A line of event names is full at 100 characters, and memory past the longest line stays unchanged. */
UNIT_TEST(many_events)
{
    static char names[3][60], wanted[400], name[LINE_SIZE];
    const struct pebs_event events[] = { { .name = names[0] }, { .name = names[1] }, { .name = names[2] } };
    const struct pebs_event longer[] = { { .name = "A" }, { .name = name } };
    const struct pebs_event_list three = { events, COUNT_OF(events) }, two = { longer, COUNT_OF(longer) };
    struct caps caps = skylake();

    caps.events = &three;
    for (unsigned length = 49; length <= 50; length++) { /* two names of 49, with a blank each and a third name */
        snprintf(names[0], sizeof names[0], "%0*u", (int)length, 1);
        snprintf(names[1], sizeof names[1], "%0*u", (int)length, 2);
        strcpy(names[2], "C");
        snprintf(wanted, sizeof wanted, "events %s %s%sC", names[0], names[1], length == 49 ? " " : "\nevents ");
        says(&caps, wanted);
    }
    memset(name, 'n', sizeof name - 1);
    caps.events = &two;
    print(&caps);
    has_printed("events A nnn");
}

/* Lines about unusual features. */
UNIT_TEST(unusual_features)
{
    struct caps caps = skylake();

    caps.core_known = false;
    caps.microcode = 0x27;
    caps.microcode_least = 0x28;
    caps.general_counters = 0xcf;
    caps.fixed_counters = 0x77;
    caps.counters_taken = 0x810;
    caps.general_possible = 0x30;
    caps.fixed_possible = 0x8;
    says(&caps, "cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake, listed without details");
    says(&caps, "perfmon counters behind a gap: general 0xc0, fixed 0x70\n"
                "perfmon counter 4 does not hold what is written: firmware or a hypervisor uses it\n"
                "perfmon counter 11 does not hold what is written: firmware or a hypervisor uses it\n"
                "perfmon counters that CPUID need not list: general 0x20, fixed 0x8");
    says(&caps, "note PEBS is unreliable with this microcode: it needs revision 0x28 or later");

    caps.microcode_least = UINT32_MAX;
    caps.general_counters = 0xf;
    caps.fixed_counters = 0x27;
    caps.counters_taken = caps.general_possible = 0x10;
    caps.fixed_possible = 0;
    says(&caps, "perfmon counters behind a gap: general 0x0, fixed 0x20");
    says_not(&caps, "need not list");
    says(&caps, "note no microcode is known with which PEBS is reliable on this stepping");

    caps.microcode = caps.microcode_least = 0x28;
    caps.fixed_counters = 0x7;
    caps.counters_taken = caps.general_possible = 0;
    caps.fixed_possible = 0x1;
    says(&caps, "perfmon counters that CPUID need not list: general 0x0, fixed 0x1");
    says_not(&caps, "note");
    caps.general_possible = 2;
    caps.fixed_possible = 0;
    says(&caps, "perfmon counters that CPUID need not list: general 0x2, fixed 0x0");
}
