/* SPDX-License-Identifier: MIT */
/*
 * The steps of ds_open(), for tests that change something between two steps. The caller must keep the order of this
 * header. Other code calls ds_open().
 */
#ifndef DS_DS_STEPS_H
#define DS_DS_STEPS_H

#include "ds/ds_check.h"

struct caps;
struct ds_config; /* ds/ds.h */

/*
 * Closes the area, empties buffers and logs, installs the service routine and sets up the LVT entry. Returns false if
 * the configured numbers of records do not fit into memory.
 */
bool ds_build(const struct caps *caps, const struct ds_config *config);

/* Describes the area of this configuration, and the present state of APIC, IDT and page tables. */
void ds_describe(const struct caps *caps, const struct ds_config *config, struct ds_description *description);

/*
 * Checks the description. If it passes, writes the management area, then IA32_DS_AREA, and returns true. Otherwise
 * masks the LVT entry and returns false.
 */
bool ds_commit(const struct caps *caps, const struct ds_description *description, struct ds_breaches *breaches);

/*
 * Writes the area, then IA32_DS_AREA, without a check. Returns false if IA32_DS_AREA raises #GP. legal: the manual
 * permits this address, so msr_watch() reports a #GP. Tests that run only on request pass what the manual forbids.
 */
bool ds_force(const struct caps *caps, const struct ds_description *description, bool legal);

/* ds_describe() and ds_commit() for the buffer of architectural PEBS, which has registers instead of an area. */
void ds_arch_describe(const struct caps *caps, const struct ds_config *config, struct arch_description *description);
bool ds_arch_commit(const struct caps *caps, const struct arch_description *description, struct ds_breaches *breaches);

#endif
