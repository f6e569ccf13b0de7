/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/referee/referee_report.h"

#include <inttypes.h>

#define SDM            "SDM Vol. 3B (253669-083), "
#define SETTING_UP     SDM "\"Setting Up the DS Save Area\""
#define SETTING_UP_BTS SDM "\"Setting Up the BTS Buffer\""
#define PER_PROCESSOR  SDM "\"DS Save Area\""
#define DS_FIELDS      SDM "\"Debug Store (DS) Mechanism\""
#define SERVICE        SDM "\"Writing the DS Interrupt Service Routine\""
#define FREEZE         SDM "\"Freezing LBR and Performance Counters on PMI\""
#define LBR            SDM "\"LBR Stack\""
#define PEBS           SDM "\"Processor Event Based Sampling (PEBS)\""
#define RECONFIGURING  SDM "\"Re-configuring PEBS Facilities\""
#define ADAPTIVE       SDM "\"Adaptive PEBS\""
#define LATENCY        SDM "\"Load Latency Performance Monitoring Facility\""
#define STORE          SDM "\"Precise Store Facility\""
#define COUNTERS       SDM "\"Architectural Performance Monitoring Version 1\""
#define RELOAD         "SDM Vol. 3B (253669-085), \"Auto Counter Reload\", 21.9.11"
#define LVT            "SDM Vol. 3A (253668-083), \"Local Vector Table\""
#define VECTORS        "SDM Vol. 3A (253668-083), \"Valid Interrupt Vectors\""
#define NETBURST       "SDM Vol. 3B (253669-059), \"Performance Monitoring (... Intel NetBurst Microarchitecture)\""
#define ARCH_PEBS      "Linux 6.19, arch/x86/events/intel/core.c and ds.c, on arch-PEBS"
#define AUX            "Linux 5.12, \"perf/x86/intel: Add perf core PMU support for Sapphire Rapids\""

enum severity { DEMAND, ADVICE };

_Static_assert(VIOLATIONS <= MAX_VIOLATIONS, "struct vcpu has room for the last place of each violation");

static const struct {
    const char *name, *sentence, *citation;
    enum severity severity;
} rules[VIOLATIONS] = {
#define VIOLATION(id, name, severity, sentence, citation) [id] = { name, sentence, citation, severity },
#include "model/referee/referee.inc"
#undef VIOLATION
};

void referee_report_value(struct vcpu *v, enum violation violation, uint64_t ip, const char *field, uint64_t value)
{
    if (!referee_report_wanted(v) || v->referee.reported[violation] == ip + 1) {
        return;
    }
    v->referee.reported[violation] = ip + 1;
    fprintf(v->violations, "%s vcpu=%u rip=0x%" PRIx64 " %s: %s",
            rules[violation].severity == ADVICE ? "advice" : "violation", v->number, ip, rules[violation].name,
            rules[violation].sentence);
    if (field != NULL) {
        fprintf(v->violations, " (%s: 0x%" PRIx64 ")", field, value);
    }
    fprintf(v->violations, " [%s]\n", rules[violation].citation);
}

void referee_report(struct vcpu *v, enum violation violation, uint64_t ip)
{
    referee_report_value(v, violation, ip, NULL, 0);
}

const char *referee_report_name(unsigned index)
{
    return index < VIOLATIONS ? rules[index].name : NULL;
}
