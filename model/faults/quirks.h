/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quirks: a hypervisor, firmware or the processor enumerates features that do not work, or withholds parts of the debug
 * store. The plugin's option quirk= selects quirks. Unlike a fault (faults.h), a quirk must not make tests fail: the
 * guest must detect the quirk before it uses the feature, or work without the feature. Registers and CPUID leaves that
 * are absent or wrong are bit faults (faults.h).
 */
#ifndef MODEL_FAULTS_QUIRKS_H
#define MODEL_FAULTS_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>

enum quirk {
    QUIRK_INERT,
    QUIRK_MSR_FAULTS,
    QUIRK_COUNTERS_CONCEALED,
    QUIRK_COUNTER_TAKEN,
    QUIRK_COUNTERS_UNPRIMED,
    QUIRK_LEFT_RUNNING,
    QUIRK_CPUID_LIMITED,
    QUIRK_NO_APIC,
    QUIRK_APIC_OFF,
    QUIRK_X2APIC_LOCKED,
    QUIRK_TSC_FAST,
    QUIRK_KVM,
    QUIRK_P_CORES_ALONE,
    QUIRK_RDPMC_USER_DISABLE,
    QUIRK_TRACE_LEFT,
    QUIRK_FORCE_ABORT,
    QUIRK_HYPER_THREADING_OFF,
    QUIRK_MTRRS_OFF,
    QUIRKS,
};

/*
 * Adds the quirks of a list, NAME[,NAME..], one bit each. Returns NULL, or the place in the list where an unknown name
 * begins.
 */
const char *quirks_parse(uint32_t *quirks, const char *list);

/* The name of the index-th quirk, or NULL past the last; and a sentence that describes it. */
const char *quirk_name(unsigned index);
const char *quirk_sentence(unsigned index);

struct profile_msr;

/* Changes a row of the profile's MSRs. */
void quirks_change_msr(uint32_t quirks, struct profile_msr *m);

struct vcpu;

/*
 * For MSRs that no profile has, on a processor with quirks. quirks_rdmsr(): whether a quirk provides this MSR.
 * quirks_wrmsr(): notes the written value. quirks_refuse(): whether this WRMSR raises #GP in x2APIC mode.
 */
bool quirks_rdmsr(const struct vcpu *v, uint32_t address, uint64_t *value);
void quirks_wrmsr(struct vcpu *v, uint32_t address, uint64_t value);
bool quirks_refuse(uint32_t quirks, uint32_t address, uint64_t value);

struct rules;
struct profile_msr;

/*
 * Changes the rules of a processor without faults into those of a processor with these quirks. break_rules() calls it.
 */
void quirks_apply(struct rules *rules, uint32_t quirks);

#endif
