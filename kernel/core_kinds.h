/* SPDX-License-Identifier: MIT */
/*
 * The kinds of cores of this machine. What a processor can do belongs to its kind, so that the tests run on one
 * processor of each. A processor that is no hybrid has one kind, without a name.
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
    const char *suffix;  /* behind the ids of its tests: the name, if it is not the first kind; or NULL */
    unsigned number;     /* of the processor that its tests run on: others.h; 0 is the boot processor */
    uint32_t apic_id;    /* of that processor */
    unsigned processors; /* so many are of this kind */
    struct caps caps;    /* valid from the first test on this kind on; of the boot processor's at once */
};

/* Finds them, by starting each of the others on a hybrid. boot: the boot processor's capabilities. */
void core_kinds_init(const struct caps *boot);

unsigned core_kinds_count(void);
struct kind *core_kind_number(unsigned index);

/* Whether the options want the tests on this kind. */
bool core_kind_is_selected(const struct options *options, const struct kind *kind);

/* Prints a line for each kind of a hybrid, and what is not known of others. */
void core_kinds_say(void);

/* Prints on which processor the tests run now. */
void core_kind_say(const struct kind *kind);

/*
 * The names of the first `most` that the options select, for the end of the log: "core,atom"; empty where the kind has
 * no name.
 */
const char *core_kinds_selected(const struct options *options, unsigned most);

#endif
