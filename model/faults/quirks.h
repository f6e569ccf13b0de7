/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lies: what a hypervisor, firmware or the processor itself may claim of a debug store that it does not have, or
 * withhold from a guest that it told about one. The plugin's option quirk= selects quirks. A processor with a quirk is
 * not a broken one (faults.h): the guest must notice before it uses the feature, or cope with getting nothing.
 */
#ifndef MODEL_FAULTS_QUIRKS_H
#define MODEL_FAULTS_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>

enum quirk {
    QUIRK_INERT,
    QUIRK_MSR_FAULTS,
    QUIRK_MISC_ENABLE_FAULTS,
    QUIRK_CAPABILITIES_FAULT,
    QUIRK_DS_AREA_FAULTS,
    QUIRK_DS_AREA_DROPPED,
    QUIRK_PEBS_ENABLE_FAULTS,
    QUIRK_GLOBAL_CTRL_FAULTS,
    QUIRK_COUNTERS_FAULT,
    QUIRK_DEBUGCTL_FAULTS,
    QUIRK_LBR_STACK_FAULTS,
    QUIRK_PEBS_FORMAT_UNKNOWN,
    QUIRK_LBR_FORMAT_UNKNOWN,
    QUIRK_NO_COUNTERS,
    QUIRK_COUNTERS_CONCEALED,
    QUIRK_COUNTER_TAKEN,
    QUIRK_COUNTERS_UNPRIMED,
    QUIRK_LEFT_RUNNING,
    QUIRK_CPUID_LIMITED,
    QUIRK_MICROCODE_OLD,
    QUIRK_NO_APIC,
    QUIRK_X2APIC_LOCKED,
    QUIRK_TSC_FAST,
    QUIRK_KVM,
    QUIRK_P_CORES_ALONE,
    QUIRK_MODEL_UNLISTED,
    QUIRKS,
};

/*
 * Adds the quirks of a list, NAME[,NAME..], a bit each. Returns NULL, or the place in the list where an unknown name
 * begins.
 */
const char *quirks_parse(uint32_t *quirks, const char *list);

/* The name of the index-th quirk, NULL past the last; and a sentence that says what it claims or withholds. */
const char *quirk_name(unsigned index);
const char *quirk_sentence(unsigned index);

/*
 * MSRs that no profile has: the value of one that a quirk provides; and whether a quirk refuses this WRMSR, where the
 * local APIC is in x2APIC mode.
 */
bool quirks_rdmsr(uint32_t quirks, uint32_t address, uint64_t *value);
bool quirks_refuse(uint32_t quirks, uint32_t address, uint64_t value);

struct rules;

/* Turns a sound processor's rules into those of a processor with these quirks, which break_rules() was given. */
void quirks_tell(struct rules *rules, uint32_t quirks);

#endif
