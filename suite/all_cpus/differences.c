/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "suite/all_cpus/all_cpus.h"
#include "lib/format.h"

/*
 * Compares what software sees of a facility. Flags such as the bootstrap processor's may differ. Processors with
 * another microcode revision must still do the same.
 */
#define MICROCODE 0u /* the number of its field */
#define FIELD(name, member)               \
    {                                     \
        name, other->member, boot->member \
    }

bool cpus_alike(const struct caps *boot, const struct caps *other, void (*say)(void *context, const char *text),
                void *context)
{
    const struct {
        const char *name;
        uint64_t is, boots;
    } fields[] = {
        FIELD("microcode", microcode),
        FIELD("signature", signature),
        FIELD("performance monitoring version", perfmon_version),
        FIELD("number of general counters", general_count),
        FIELD("width of the general counters", general_width),
        FIELD("number of fixed counters", fixed_count),
        FIELD("width of the fixed counters", fixed_width),
        FIELD("mask of general counters", general_counters),
        FIELD("mask of counters that are in use", counters_taken),
        FIELD("IA32_PERF_CAPABILITIES", perf_capabilities),
        FIELD("width of the DS area's fields", ds_width),
        FIELD("format of the DS area", ds_area_format),
        FIELD("size of a BTS record", bts_record_size),
        FIELD("method of PEBS", pebs_method),
        FIELD("format of PEBS", pebs_format),
        FIELD("mask of PEBS counters", pebs_counters),
        FIELD("depth of the LBR stack", lbr_depth),
        FIELD("format of the LBR stack", lbr_format),
    };
    char text[TEST_ASIDE];
    bool alike = true;

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i].is == fields[i].boots)
            continue;
        format(text, sizeof text, "%s 0x%" PRIx64 ", not 0x%" PRIx64, fields[i].name, fields[i].is, fields[i].boots);
        say(context, text);
        alike = alike && i == MICROCODE;
    }
    for (unsigned need = 0; need < CAPS_NEED_COUNT; need++) {
        if (boot->reason[need] != CAPS_AVAILABLE || other->reason[need] == CAPS_AVAILABLE || need == CAPS_NEED_APIC)
            continue;
        say(context, caps_reason_text(other->reason[need]));
        alike = false;
    }
    return alike;
}
