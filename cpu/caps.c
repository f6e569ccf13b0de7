/* SPDX-License-Identifier: MIT */
#include "cpu/caps.h"

enum caps_reason caps_missing(const struct caps *caps, uint64_t needs)
{
    for (unsigned i = 0; i < CAPS_NEED_COUNT; i++) {
        if ((needs >> i & 1) != 0 && caps->reason[i] != CAPS_AVAILABLE)
            return caps->reason[i];
    }
    return CAPS_AVAILABLE;
}

/*
 * Flags and tables speak for the processor. LBRs that are not architectural have no flag: a processor without them has
 * no bit 0 in IA32_DEBUGCTL. What is not listed errs to the side on which no run passes untested.
 */
bool caps_reason_absent(enum caps_reason reason)
{
    static const enum caps_reason absent[] = {
        CAPS_NO_DS_FLAG,         CAPS_DS_NO_PERFMON_FLAG, CAPS_BTS_UNAVAILABLE, CAPS_PEBS_UNAVAILABLE,
        CAPS_PEBS_CORE_HAS_NONE, CAPS_LBR_NOT_INTEL,      CAPS_LBR_CONCEALED,   CAPS_LBR_DIFFERS,
    };
    bool found = false;

    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        found = found || absent[i] == reason;
    return found;
}

const char *caps_reason_text(enum caps_reason reason)
{
    switch (reason) {
    case CAPS_AVAILABLE:
        return "available";
    case CAPS_NO_APIC:
        return "no local APIC: CPUID.1:EDX bit 9 clear";
    case CAPS_APIC_BASE_RAISES_GP:
        return "no local APIC: IA32_APIC_BASE cannot be read";
    case CAPS_APIC_UNUSABLE:
        return "no local APIC: it cannot be used";
    case CAPS_NO_LONG_MODE:
        return "no 64-bit addresses: CPUID.80000001H:EDX bit 29 clear";
    case CAPS_NO_PERFMON_LEAF:
        return "no performance monitoring: CPUID has no leaf 0Ah";
    case CAPS_PERFMON_NONE:
        return "no performance monitoring: CPUID.0AH:EAX has version 0";
    case CAPS_PERFMON_VERSION:
        return "no global counter control: CPUID.0AH:EAX version below 2";
    case CAPS_NO_FREEZE:
        return "no freeze on PMI: CPUID.1:ECX bit 15 clear";
    case CAPS_GLOBAL_CTRL_RAISES_GP:
        return "no performance monitoring: IA32_PERF_GLOBAL_CTRL cannot be written";
    case CAPS_COUNTER_RAISES_GP:
        return "no performance monitoring: IA32_PERFEVTSEL0 and IA32_PMC0 cannot be written";
    case CAPS_COUNTER_TAKEN:
        return "no performance monitoring: IA32_PMC0 does not hold what is written, somebody else uses it";
    case CAPS_FREEZE_DEBUGCTL_RAISES_GP:
        return "no freeze on PMI: IA32_DEBUGCTL cannot be written";
    case CAPS_FREEZE_COUNTERS_RAISES_GP:
        return "no freeze of counters on PMI: IA32_DEBUGCTL bit 12 cannot be set";
    case CAPS_BTS_DEBUGCTL_RAISES_GP:
        return "no BTS: IA32_DEBUGCTL cannot be written";
    case CAPS_PEBS_ENABLE_RAISES_GP:
        return "no PEBS: IA32_PEBS_ENABLE cannot be written";
    case CAPS_PEBS_INDEX_RAISES_GP:
        return "no PEBS: IA32_PEBS_INDEX cannot be written";
    case CAPS_LBR_STACK_RAISES_GP:
        return "no LBR: its stack cannot be read";
    case CAPS_MISC_ENABLE_RAISES_GP:
        return "no performance monitoring: IA32_MISC_ENABLE cannot be read";
    case CAPS_NO_PERFMON_FLAG:
        return "no performance monitoring: IA32_MISC_ENABLE bit 7 clear";
    case CAPS_NO_DS_FLAG:
        return "no DS: CPUID.1:EDX bit 21 clear";
    case CAPS_DS_NO_PERFMON_FLAG:
        return "no DS: IA32_MISC_ENABLE bit 7 clear";
    case CAPS_DS_AREA_NOT_TRIED:
        return "no DS: IA32_DS_AREA was not probed";
    case CAPS_DS_AREA_DIFFERS:
        return "no DS: IA32_DS_AREA does not read back what was written";
    case CAPS_DS_AREA_RAISES_GP:
        return "no DS: IA32_DS_AREA cannot be written";
    case CAPS_DS_NOT_32:
        return "no 32-bit DS area: with DTES64 or in IA-32e mode the layout is the 64-bit one";
    case CAPS_DS_NOT_64:
        return "no 64-bit DS area: without DTES64 and IA-32e mode the layout is the 32-bit one";
    case CAPS_BTS_UNAVAILABLE:
        return "no BTS: IA32_MISC_ENABLE bit 11 set";
    case CAPS_BTS_BITS_UNKNOWN:
        return "no BTS: the layout of IA32_DEBUGCTL is unknown for this processor model";
    case CAPS_NO_DS_CPL:
        return "no BTS by privilege level: CPUID.1:ECX bit 4 clear";
    case CAPS_BTS_NO_PREDICTION:
        return "no BTS prediction flag: this core does not define bit 4 of a record's flags";
    case CAPS_PEBS_UNAVAILABLE:
        return "no PEBS: IA32_MISC_ENABLE bit 12 set";
    case CAPS_PEBS_CORE_HAS_NONE:
        return "no PEBS: this core does not implement it";
    case CAPS_PEBS_METHOD_UNKNOWN:
        return "no PEBS: its programming is unknown for this processor model";
    case CAPS_PERF_CAPABILITIES_RAISES_GP:
        return "no PEBS: IA32_PERF_CAPABILITIES cannot be read";
    case CAPS_PEBS_FORMAT_UNKNOWN:
        return "no PEBS: record format unknown (IA32_PERF_CAPABILITIES bits 11:8)";
    case CAPS_PEBS_NO_COUNTER:
        return "no PEBS: no general counter is known to support it";
    case CAPS_PEBS_ARCH_NO_LEAF:
        return "no PEBS: it is architectural, and CPUID.23H:EAX bits 5:4 are not both set";
    case CAPS_PEBS_BASE_NOT_TRIED:
        return "no PEBS: IA32_PEBS_BASE was not probed";
    case CAPS_PEBS_BASE_DIFFERS:
        return "no PEBS: IA32_PEBS_BASE does not read back what was written";
    case CAPS_PEBS_BASE_RAISES_GP:
        return "no PEBS: IA32_PEBS_BASE cannot be written";
    case CAPS_PEBS_NOT_AREA:
        return "no PEBS in the DS area: it is architectural, with a buffer of its own";
    case CAPS_PEBS_NOT_ARCH:
        return "no architectural PEBS: not format 15";
    case CAPS_PEBS_NO_GPRS:
        return "PEBS records have no registers: CPUID.23H.4:EBX bit 29 clear";
    case CAPS_PEBS_NO_AUX:
        return "PEBS records have no data address: CPUID.23H.4:EBX bit 30 clear";
    case CAPS_PEBS_BASIC:
        return "PEBS records have the basic group alone: IA32_PERF_CAPABILITIES bit 14 clear";
    case CAPS_PEBS_NO_DATA_ADDRESS:
        return "no data address: PEBS format 0 records have none";
    case CAPS_PEBS_ADDRESS_RESERVED:
        return "no data address: its field is reserved in this core's PEBS records";
    case CAPS_PEBS_NO_EVENTING_IP:
        return "no EventingIP: PEBS formats 0 and 1 have none";
    case CAPS_PEBS_NO_TSC:
        return "no time stamp: records of PEBS formats 0 to 2 have none";
    case CAPS_PEBS_NOT_TAGGING:
        return "no tagged uops: only NetBurst's PEBS samples them";
    case CAPS_PEBS_NOT_ADAPTIVE:
        return "no adaptive PEBS: IA32_PERF_CAPABILITIES bit 14 clear";
    case CAPS_PEBS_NOT_FIXED:
        return "no PEBS on fixed counters: IA32_PERF_CAPABILITIES bit 14 clear, or there are none";
    case CAPS_LOAD_LATENCY_UNKNOWN:
        return "no load latency: its event is unknown for this processor model";
    case CAPS_PEBS_ONE_COUNTER:
        return "no PEBS on general counters 1 to 3 of this core";
    case CAPS_NO_PRECISE_STORE:
        return "no precise store event on this processor model";
    case CAPS_NO_EVENT_INSTRUCTIONS:
        return "no precise event of all instructions without PREC_DIST on this processor model";
    case CAPS_NO_EVENT_PREC_DIST:
        return "no INST_RETIRED.PREC_DIST on this processor model";
    case CAPS_NO_EVENT_LOADS:
        return "no precise event of all loads on this processor model";
    case CAPS_NO_EVENT_STORES:
        return "no precise event of all stores on this processor model";
    case CAPS_NO_EVENT_BRANCHES:
        return "no precise event of all branches on this processor model";
    case CAPS_NO_EVENT_TAKEN:
        return "no precise event of taken branches on this processor model";
    case CAPS_NO_EVENT_NEAR_CALLS:
        return "no precise event of near calls on this processor model";
    case CAPS_NO_EVENT_ANY:
        return "no precise event is known for this processor model";
    case CAPS_LBR_NOT_INTEL:
        return "no LBR: not an Intel processor";
    case CAPS_LBR_CONCEALED:
        return "no LBR: the hypervisor hands on none (IA32_PERF_CAPABILITIES bits 5:0 are 0)";
    case CAPS_ARCH_LBR_NOT_TRIED:
        return "no LBR: IA32_LBR_CTL was not probed";
    case CAPS_ARCH_LBR_DIFFERS:
        return "no LBR: IA32_LBR_CTL bit 0 does not stay set";
    case CAPS_ARCH_LBR_RAISES_GP:
        return "no LBR: IA32_LBR_CTL cannot be written";
    case CAPS_ARCH_LBR_NO_DEPTH:
        return "no LBR: CPUID.1CH:EAX lists no supported depth";
    case CAPS_LBR_MODEL_UNLISTED:
        return "no LBR: its depth is unknown for this processor model";
    case CAPS_LBR_FORMAT_UNKNOWN:
        return "no LBR: entry format unknown (IA32_PERF_CAPABILITIES bits 5:0)";
    case CAPS_LBR_NOT_TRIED:
        return "no LBR: IA32_DEBUGCTL was not probed";
    case CAPS_LBR_DIFFERS:
        return "no LBR: IA32_DEBUGCTL bit 0 does not stay set";
    case CAPS_LBR_RAISES_GP:
        return "no LBR: IA32_DEBUGCTL cannot be written";
    case CAPS_LBR_NO_TOS:
        return "no top of stack: architectural LBRs shift, entry 0 is always the newest";
    case CAPS_LBR_NO_INFO:
        return "no LBR cycles: no MSR_LBR_INFO_x, and CPUID.1CH:ECX bits 1:0 are not both set";
    case CAPS_LBR_NO_CALLSTACK:
        return "no LBR call stack: this core does not implement it";
    case CAPS_LBR_NOT_ARCHITECTURAL:
        return "no architectural LBRs: CPUID.7:EDX bit 19 clear";
    case CAPS_LBR_NO_EVENTS:
        return "no counts of events in LBR entries: CPUID.1CH:ECX bits 19 to 16 clear";
    case CAPS_NO_COUNTER_RELOAD:
        return "no auto counter reload: CPUID.23H.2 lists no counter";
    case CAPS_LBR_NO_SELECT:
        return "no LBR filter: neither MSR_LBR_SELECT nor CPUID.1CH:EBX bits 0 and 1";
    case CAPS_REASON_COUNT:
        break;
    }
    return "unknown reason";
}
