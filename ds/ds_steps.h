/* SPDX-License-Identifier: MIT */
/*
 * ds_open() in its steps, so that a test can spoil what is between two of them. Everybody else calls ds_open(): whoever
 * calls these answers for the order.
 */
#ifndef DS_DS_STEPS_H
#define DS_DS_STEPS_H

#include "ds/ds.h"

/*
 * Closes, empties buffers and logs, installs the service routine and sets the LVT entry up. False where a buffer of
 * that many records has no room.
 */
bool ds_build(const struct caps *caps, const struct ds_config *config);

/* Describes the area that this configuration asks for, and APIC, IDT and page tables as they stand now. */
void ds_describe(const struct caps *caps, const struct ds_config *config, struct ds_description *description);

/*
 * Checks what is described. Writes the management area, then IA32_DS_AREA, and returns true; or masks the LVT entry,
 * and returns false.
 */
bool ds_commit(const struct caps *caps, const struct ds_description *description, struct ds_breaches *breaches);

/* Writes it without a check; false where IA32_DS_AREA faults. For tests that run only on request. */
bool ds_force(const struct caps *caps, const struct ds_description *description);

#endif
