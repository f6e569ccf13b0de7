/* SPDX-License-Identifier: MIT */
/*
 * Checks a set-up of architectural PEBS against its restrictions, which are others than those of the DS area
 * (ds/ds_check.h): the buffer is physical, two registers describe it, and nothing of it is in memory. Breaches are
 * listed as those of the area. Pure.
 */
#ifndef DS_ARCH_CHECK_H
#define DS_ARCH_CHECK_H

#include "ds/ds_check.h"

/* Everything that the restrictions mention. */
struct arch_description {
    uint64_t base, index; /* IA32_PEBS_BASE, IA32_PEBS_INDEX */
    uint64_t cfg_c;       /* bits above 31 that counters will have in CFG_C */
    uint64_t permitted;   /* those that they may have: struct caps, pebs_cfg_c */
    unsigned physical_bits;
    size_t record_size; /* bytes of a record that is not in fragments */

    uint64_t linear; /* where this program reads the buffer */
    /* Fills *page and returns true if the page of this linear address is present. */
    bool (*page)(void *context, uint64_t linear, struct ds_page *page);
    void *context;

    bool apic_enabled;
    uint32_t lvt_performance;
    enum ds_gate gate;
};

/* Bytes of the buffer that this value of IA32_PEBS_BASE describes. */
uint64_t arch_buffer_bytes(uint64_t base);

/* As ds_check(). */
unsigned arch_check(const struct arch_description *description, struct ds_breaches *out);

#endif
