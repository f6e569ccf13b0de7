/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The referee: what a guest does that the manual forbids or warns of, one line each in the violations log. What it
 * merely recommends is said as advice. Programming that the processor itself refuses (#GP) is no violation. A rule that
 * cannot be seen from inside is not checked: A20M, the gate type behind LVTPC's vector, memory types, and other address
 * spaces than the current one.
 */
#ifndef MODEL_REFEREE_H
#define MODEL_REFEREE_H

#include <stdbool.h>
#include <stdint.h>

struct vcpu;

enum violation {
    DS_AREA_ZERO,
    DS_AREA_NOT_MAPPED,
    DS_PAGE_NOT_PRESENT,
    DS_PAGE_NOT_WRITABLE,
    DS_PAGE_NOT_ACCESSED_AND_DIRTY,
    DS_PAGE_IN_USER_SPACE,
    DS_PAGE_HAS_CODE,
    DS_BASE_MISALIGNED,
    DS_BUFFER_SIZE,
    DS_BUFFER_TOO_SMALL,
    DS_INDEX_OUTSIDE,
    DS_THRESHOLD_OUTSIDE,
    DS_OVERLAP,
    DS_AREA_CHANGED,
    RECORD_LOST,
    LVTPC_MASKED,
    LVTPC_DELIVERY_MODE,
    PEBS_EVENT,
    PEBS_QUALIFIER,
    PEBS_INT,
    PEBS_LATENCY_THRESHOLD,
    PEBS_ONLY_TAGS,
    PEBS_NO_TAG,
    CCCR_THREAD_FIELD,
    PEBS_LATENCY_AUX,
    PEBS_RECONFIGURED,
    PEBS_BUFFER_PAGE,
    VIOLATIONS
};

/* What was on before a register was written. */
struct referee_before {
    bool bts;
    uint64_t pebs; /* bit i: counter i was counting for PEBS */
};

struct referee_before referee_before(const struct vcpu *v);

/* A register was written by the WRMSR at ip. */
void referee_after(struct vcpu *v, const struct referee_before *before, uint64_t ip);

/* IA32_DS_AREA, or a counter's event select or value, is about to be written. */
void referee_ds_area_write(struct vcpu *v, uint64_t ip);
void referee_counter_write(struct vcpu *v, unsigned counter, uint64_t ip);

void referee_report(struct vcpu *v, enum violation violation, uint64_t ip);

#endif
