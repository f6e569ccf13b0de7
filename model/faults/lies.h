/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lies: what a hypervisor, firmware or the processor itself may claim of a debug store that it does not have, or
 * withhold from a guest that it told about one. The plugin's option lie= selects lies. A processor that lies is not a
 * broken one (faults.h): the guest must notice before it uses the feature, or cope with getting nothing.
 */
#ifndef MODEL_FAULTS_LIES_H
#define MODEL_FAULTS_LIES_H

#include <stdbool.h>
#include <stdint.h>

enum lie {
    LIE_INERT,
    LIE_MSR_FAULTS,
    LIE_MISC_ENABLE_FAULTS,
    LIE_CAPABILITIES_FAULT,
    LIE_DS_AREA_FAULTS,
    LIE_DS_AREA_DROPPED,
    LIE_PEBS_ENABLE_FAULTS,
    LIE_GLOBAL_CTRL_FAULTS,
    LIE_COUNTERS_FAULT,
    LIE_DEBUGCTL_FAULTS,
    LIE_LBR_STACK_FAULTS,
    LIE_PEBS_FORMAT_UNKNOWN,
    LIE_LBR_FORMAT_UNKNOWN,
    LIE_NO_COUNTERS,
    LIE_COUNTERS_CONCEALED,
    LIE_COUNTER_TAKEN,
    LIE_COUNTERS_UNPRIMED,
    LIE_LEFT_RUNNING,
    LIE_CPUID_LIMITED,
    LIE_MICROCODE_OLD,
    LIE_NO_APIC,
    LIE_X2APIC_LOCKED,
    LIE_TSC_FAST,
    LIE_KVM,
    LIES,
};

/*
 * Adds the lies of a list, NAME[,NAME..], a bit each. Returns NULL, or the place in the list where an unknown name
 * begins.
 */
const char *lies_parse(uint32_t *lies, const char *list);

/* The name of the index-th lie, NULL past the last; and a sentence that says what it claims or withholds. */
const char *lie_name(unsigned index);
const char *lie_sentence(unsigned index);

/*
 * MSRs that no profile has: the value of one that a lie provides; and whether a lie refuses this WRMSR, where the local
 * APIC is in x2APIC mode.
 */
bool lies_rdmsr(uint32_t lies, uint32_t address, uint64_t *value);
bool lies_refuse(uint32_t lies, uint32_t address, uint64_t value);

struct rules;

/* Turns a sound processor's rules into those of a processor that tells these lies, which break_rules() was given. */
void lies_tell(struct rules *rules, uint32_t lies);

#endif
