/* SPDX-License-Identifier: MIT */
/*
 * The kinds of cores of this machine. Capabilities depend on the kind, so the tests run on one processor of each kind.
 * A processor that is not a hybrid has one kind, without a name.
 */
#ifndef KERNEL_CORE_KINDS_H
#define KERNEL_CORE_KINDS_H

#include <stdbool.h>

#include "boot/options.h"
#include "cpu/caps.h"
#include "kernel/firmware.h"

#define KINDS_MOST FIRMWARE_PROCESSORS

struct kind {
    const char *name;    /* "core", "atom", "atom2"; or NULL */
    const char *suffix;  /* appended to the ids of its tests: the name; NULL for the first kind */
    unsigned number;     /* of the processor that its tests run on: secondary_cpus.h; 0: boot processor */
    uint32_t apic_id;    /* of that processor */
    unsigned processors; /* number of processors of this kind */
    struct caps caps;    /* valid from the first test on this kind; of the boot processor's kind always */
};

/* Finds the kinds; on a hybrid, starts every other processor for this. boot: the boot processor's capabilities. */
void core_kinds_init(const struct caps *boot);

unsigned core_kinds_count(void);
struct kind *core_kind_number(unsigned index);

/* Whether the options select this kind for the tests. */
bool core_kind_is_selected(const struct options *options, const struct kind *kind);

/* Prints a line for each kind of a hybrid, and the processors whose kind is unknown. */
void core_kinds_say(void);

/* Prints which processor the tests run on now. */
void core_kind_say(const struct kind *kind);

/*
 * The names of the first `most` kinds that the options select, for the end line: "core,atom"; empty if the only kind
 * has no name.
 */
const char *core_kinds_selected(const struct options *options, unsigned most);

#endif
