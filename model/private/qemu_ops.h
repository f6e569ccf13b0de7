/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes to a block between its translation and its host code which the plugin interface has no words for.
 *
 * The translator's list of operations is changed by the translator's own functions alone: tcg_gen_*,
 * tcg_op_insert_after and tcg_op_remove. That operations are laid out and linked as in QEMU 11.1 is looked at first, at
 * some that are made for it, whose pointers and arguments are known, and that are taken away again. Where it is not so,
 * or QEMU hides its symbols, the list is left as it is, and LOSS_OPERATIONS has been said.
 */
#ifndef MODEL_PRIVATE_QEMU_OPS_H
#define MODEL_PRIVATE_QEMU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/private/qemu_object.h"

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

/* The value of the last memory access, as the plugin interface tells it. */
struct qemu_value {
    uint64_t low, high;
};

/*
 * While a plugin is told of translations, QEMU (since 9.2) has each memory access put its value where
 * qemu_plugin_mem_get_value finds it, whether anybody asks or not: about a tenth of what a Linux guest takes. This
 * takes these stores out of the block.
 * Reads: the words in front of the register file, within the object.
 * Believes: the one place that has held the value each time that it was looked at, in some of which it had changed.
 * Lost: LOSS_VALUES, if there is no such place.
 */
void qemu_ops_drop_values(struct qemu_ops *o, const struct qemu_object *object, struct qemu_value last);

/* Words that one processor's translated code fills, all in one piece of memory: offsets from its beginning. */
struct qemu_ops_list {
    void *base;
    intptr_t words;
    intptr_t used; /* where a 64-bit number says how many bytes of them are in use */
    intptr_t step; /* and another one how many a new word takes: 8, or 0 for none, which the next one overwrites */
};

/*
 * Has the block append `word` to the list each time that it begins, after all that was or will be registered for its
 * beginning. False: it does not. Blocks that QEMU runs without a look for interrupts never do: among them is the
 * instruction that it takes out of a block to access a device, of which plugins are told nothing.
 */
bool qemu_ops_append(const struct qemu_ops *o, const struct qemu_ops_list *list, uint64_t word);

#endif
