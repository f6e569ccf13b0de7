/* SPDX-License-Identifier: MIT */
/* How a processor's capabilities differ from the boot processor's, and whether the tests can require the same of both.
 */
#include "tests/host/unit_test.h"

#include "suite/all_cpus/differences.c"

static char said[2000];

static void say(void *context, const char *text)
{
    assert_ptr_equal(context, said);
    strcat(said, text);
    strcat(said, "; ");
}

static struct caps boot, other;

static void start(void)
{
    memset(&boot, 0, sizeof boot);
    boot.signature = 0x506e3;
    boot.microcode = 0xf0;
    boot.lbr_depth = 32;
    other = boot;
    said[0] = 0;
}

static void expect(bool alike, const char *text)
{
    said[0] = 0;
    assert_int_equal(cpus_alike(&boot, &other, say, said), alike);
    assert_string_equal(said, text);
}

UNIT_TEST(equal_processors)
{
    start();
    expect(true, "");
    other.apic_base = boot.apic_base + 1; /* the bootstrap processor's flag */
    expect(true, "");
}

/* A different microcode revision is reported, and does not change what is required. */
UNIT_TEST(microcode_is_reported)
{
    start();
    other.microcode = 0xf2;
    expect(true, "microcode 0xf2, not 0xf0; ");
    other.signature = 0x506e2;
    expect(false, "microcode 0xf2, not 0xf0; signature 0x506e2, not 0x506e3; ");
}

UNIT_TEST(every_field_counts)
{
#define DIFFERS(field, text) \
    start();                 \
    boot.field = 1;          \
    other.field = 2;         \
    expect(false, text " 0x2, not 0x1; ");
    DIFFERS(signature, "signature")
    DIFFERS(perfmon_version, "performance monitoring version")
    DIFFERS(general_count, "number of general counters")
    DIFFERS(general_width, "width of the general counters")
    DIFFERS(fixed_count, "number of fixed counters")
    DIFFERS(fixed_width, "width of the fixed counters")
    DIFFERS(general_counters, "mask of general counters")
    DIFFERS(counters_taken, "mask of counters that are in use")
    DIFFERS(perf_capabilities, "IA32_PERF_CAPABILITIES")
    DIFFERS(ds_width, "width of the DS area's fields")
    DIFFERS(ds_area_format, "format of the DS area")
    DIFFERS(bts_record_size, "size of a BTS record")
    DIFFERS(pebs_method, "method of PEBS")
    DIFFERS(pebs_format, "format of PEBS")
    DIFFERS(pebs_counters, "mask of PEBS counters")
    DIFFERS(lbr_depth, "depth of the LBR stack")
    DIFFERS(lbr_format, "format of the LBR stack")
#undef DIFFERS
}

/* A feature that the boot processor lacks is not tested. caps_fill() reads only part of the APIC's features. */
UNIT_TEST(missing_features_are_reported)
{
    start();
    other.reason[CAPS_NEED_BTS] = CAPS_BTS_UNAVAILABLE;
    other.reason[CAPS_NEED_COUNT - 1] = CAPS_LBR_NOT_ARCHITECTURAL;
    expect(false, "no BTS (IA32_MISC_ENABLE bit 11 set); no architectural LBRs (CPUID.7:EDX bit 19 clear); ");
    boot.reason[CAPS_NEED_BTS] = boot.reason[CAPS_NEED_COUNT - 1] = CAPS_NO_DS_FLAG;
    expect(true, "");
    start();
    other.reason[CAPS_NEED_APIC] = CAPS_NO_APIC;
    expect(true, "");
}
