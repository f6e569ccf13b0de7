/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes to a block between its translation and its host code that the plugin interface cannot express.
 *
 * Operations are made and removed by the translator's own functions, tcg_gen_* and tcg_op_remove, and moved by changing
 * the links of its list. Before that, some operations with known pointers and arguments are made, compared with the
 * layout and links of QEMU 11.1, and removed. Where they differ, or QEMU hides its symbols, the list is left as it is
 * and LOSS_OPERATIONS is reported.
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
    intptr_t index_at; /* of the processor's number, of 32 bits; bytes from the register file; 0: it was not found */
};

/*
 * index: the processor's number, if there are several processors, which is looked for in the object; else negative.
 * Reads: the object's copy, which gdb_get_cpu_index is asked about with each of its words changed.
 * Believes: the one word whose change gdb_get_cpu_index notices, if it holds the number.
 * Lost: LOSS_OPERATIONS; LOSS_INDEX.
 */
void qemu_ops_init(struct qemu_ops *o, const struct qemu_object *object, int index);

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

/* Places below are those of 64-bit numbers, in bytes from the beginning of a processor's memory. */

struct qemu_ops_sum {
    intptr_t at;
    uint64_t add;
    uint64_t limit; /* that it may not reach; unsigned. QEMU_OPS_SIGN is the fastest */
};

struct qemu_ops_list {
    intptr_t next; /* holds where the next word goes, which is of 64 bits */
    uint64_t full; /* a bit of that address which says that no word may go there */
};

/*
 * Host code of another translation of the block, which is run without QEMU's main loop. It is for runs in which sums
 * pass their limits: they are below before and above behind what is added. It is run, too, where the list is full.
 */
struct qemu_ops_elsewhere {
    intptr_t wanted;       /* place of its address, which the callbacks put there and the block replaces by 0 */
    const uint64_t *known; /* where its address is, to be run without the callbacks, once it is known; 0 before */
};

/* What a block does when it begins. */
struct qemu_ops_beginning {
    void *first;  /* the memory of processor 0 */
    size_t apart; /* bytes from there to that of processor 1, and so on; 0: there is no other processor */
    const struct qemu_ops_sum *sums;
    unsigned sum_count;               /* at most QEMU_OPS_SUMS */
    const struct qemu_ops_list *list; /* to which `word` is appended; NULL: none */
    intptr_t newest;                  /* where `word` is stored besides; negative: nowhere */
    uint64_t word;
    const struct qemu_ops_elsewhere *elsewhere; /* NULL: nowhere else */
    bool passes; /* this is such another translation: a sum may pass its limit, but not end there */
    bool aside;  /* the callbacks to replace are those of its last instruction */
};
#define QEMU_OPS_SUMS 8
#define QEMU_OPS_SIGN (UINT64_C(1) << 63)

/*
 * Makes the block do this by itself each time that it begins, in place of the callbacks for its beginning. These are
 * called only if a sum would reach its limit or the list is full; the block then does nothing of this, and they have
 * to. False: the callbacks are called, as always. So it is in blocks that QEMU runs without checking for interrupts:
 * one of them is the instruction that QEMU takes out of a block to access a device, which plugins are not told of.
 *
 * elsewhere: false also in blocks that QEMU leaves by its main loop alone.
 *
 * aside: they are registered for the last instruction instead, which has no others. Their host code lies behind the
 * block's then, and the block need not jump over it; their return address tells nothing of the place.
 */
bool qemu_ops_begin(const struct qemu_ops *o, const struct qemu_ops_beginning *b);

/*
 * The host code for the code at RIP, found as at an indirect branch, for a block's `elsewhere`; *exists: there is such
 * a translation. If not, it is the way to QEMU's main loop, which makes the translation. To be called last in a
 * callback, because QEMU may leave it for a debugger.
 * Writes: RIP, at its place in the object, which the caller has found right (qemu_private_reads).
 */
const void *qemu_ops_translation(const struct qemu_object *object, uint64_t ip, bool *exists);

#endif
