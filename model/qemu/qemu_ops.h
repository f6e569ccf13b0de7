/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes to a block between its translation and its host code which the plugin interface has no words for.
 *
 * A QEMU that hides its symbols, or whose list of operations is not as it is here expected, is left as it is; the guest
 * then is slower.
 */
#ifndef MODEL_QEMU_QEMU_OPS_H
#define MODEL_QEMU_QEMU_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* One a processor. To be used in its translation callback alone. */
struct qemu_ops {
    enum { QEMU_OPS_NOT_TRIED, QEMU_OPS_WORK, QEMU_OPS_GIVEN_UP } state;
    /* where the value of the last memory access is kept */
    uint64_t places;   /* bit i: the words i + 2 and i + 1 before the register file may be it */
    uint64_t low;      /* of it, when it was looked at last */
    unsigned changes;  /* of it since */
    intptr_t value_at; /* in bytes from the register file; 0 as long as it is not certain */
};

void qemu_ops_init(struct qemu_ops *o);

/*
 * While a plugin is told of translations, QEMU (since 9.2) has each memory access put its value where
 * qemu_plugin_mem_get_value finds it, whether anybody asks or not: about a tenth of what a Linux guest takes. This
 * takes these stores out of the block. env: the processor's register file, NULL as long as that has not been found.
 */
void qemu_ops_drop_values(struct qemu_ops *o, const void *env);

/* Words that one processor's translated code fills, all in one piece of memory: offsets from its beginning. */
struct qemu_ops_list {
    void *base;
    intptr_t words;
    intptr_t used; /* where a 64-bit number says how many bytes of them are in use */
    intptr_t
        step; /* and another one how many a new word takes: 8, or 0 for none, and then the next one overwrites it */
};

/*
 * Has the block append `word` to the list each time that it begins, after all that was or will be registered for its
 * beginning. False: it does not. Blocks that QEMU runs without a look for interrupts never do: among them is the
 * instruction that it takes out of a block to access a device, of which plugins are told nothing.
 */
bool qemu_ops_append(const struct qemu_ops *o, const struct qemu_ops_list *list, uint64_t word);

#endif
