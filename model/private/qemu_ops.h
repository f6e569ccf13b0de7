/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes to a block between its translation and its host code that the plugin interface cannot express.
 *
 * The translator's list of operations is changed only by the translator's own functions: tcg_gen_*, tcg_op_insert_after
 * and tcg_op_remove. Before that, some operations with known pointers and arguments are made, compared with the layout
 * and links of QEMU 11.1, and removed. Where they differ, or QEMU hides its symbols, the list is left as it is and
 * LOSS_OPERATIONS is reported.
 */
#ifndef MODEL_PRIVATE_QEMU_OPS_H
#define MODEL_PRIVATE_QEMU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/private/qemu_object.h"

/* One for each processor, used only in its translation callback. */
struct qemu_ops {
    enum { QEMU_OPS_NOT_TRIED, QEMU_OPS_WORK, QEMU_OPS_GIVEN_UP } state;
    /* the place of the value of the last memory access */
    uint64_t places;   /* bit i: the words i + 2 and i + 1 before the register file may be the place */
    uint64_t low;      /* low half of the value when it was looked at last */
    unsigned changes;  /* changes of the value so far */
    intptr_t value_at; /* bytes from the register file; 0 until the place is certain */
};

void qemu_ops_init(struct qemu_ops *o);

/* The value of the last memory access, as the plugin interface returns it. */
struct qemu_value {
    uint64_t low, high;
};

/*
 * Removes from a block the stores of accessed values: while a plugin is told of translations, QEMU (since 9.2) stores
 * the value of each memory access where qemu_plugin_mem_get_value finds it, whether or not anybody asks. These stores
 * take about a tenth of a Linux guest's time.
 * Reads: the words in front of the register file, within the object.
 * Believes: the only place that held the value each time that it was looked at, if the value had changed in between.
 * Lost: LOSS_VALUES, if there is no such place.
 */
void qemu_ops_drop_values(struct qemu_ops *o, const struct qemu_object *object, struct qemu_value last);

/*
 * A list that one processor's translated code appends words to, all in one piece of memory, by offsets from its
 * beginning.
 */
struct qemu_ops_list {
    void *base;
    intptr_t words;
    intptr_t used; /* place of a 64-bit number: bytes in use */
    intptr_t step; /* place of a 64-bit number: bytes that a new word takes; 8, or 0 for none, so that the next word
                      overwrites it */
};

/*
 * Makes the block append `word` to the list each time that it begins, after all other callbacks for its beginning.
 * False: it does not. Blocks that QEMU runs without checking for interrupts never append: one of them is the
 * instruction that QEMU takes out of a block to access a device, which plugins are not told of.
 */
bool qemu_ops_append(const struct qemu_ops *o, const struct qemu_ops_list *list, uint64_t word);

#endif
