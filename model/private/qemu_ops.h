/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes a block's operations after its translation and before host code is made. The plugin interface cannot do this.
 *
 * The translator's own functions, tcg_gen_* and tcg_op_remove, make and remove operations. This module moves operations
 * by changing the links of their list. First it makes some operations with known arguments, compares their layout and
 * links with those of QEMU 11.1, and removes them. If they differ, or if QEMU exports no symbols, the module does not
 * change the list and reports LOSS_OPERATIONS.
 */
#ifndef MODEL_PRIVATE_QEMU_OPS_H
#define MODEL_PRIVATE_QEMU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/private/qemu_object.h"

/* One for each processor, used only in its translation callback. */
struct qemu_ops {
    enum { QEMU_OPS_NOT_TRIED, QEMU_OPS_WORK, QEMU_OPS_GIVEN_UP } state;
    /* the search for the place where QEMU stores the value of the last memory access */
    uint64_t places;   /* bit i: the words i + 2 and i + 1 before the register file may be the place */
    uint64_t low;      /* the low half of the value at the last look */
    unsigned changes;  /* number of changes of the value so far */
    intptr_t value_at; /* bytes from the register file; 0 until the place is certain */
    intptr_t io_at;    /* place of the flag that permits clocks and interrupts under -icount; 0: not found */
};

/* Lost: LOSS_OPERATIONS. */
void qemu_ops_init(struct qemu_ops *o);

/*
 * Maps memory for this processor. It is at the same distance from the register file of each processor, so that one
 * instruction of translated code reaches it. *memory becomes NULL if no processor has such memory: LOSS_OPERATIONS.
 * False: other processors have it, and this one cannot. Do not call on two threads at once.
 */
bool qemu_ops_near(const struct qemu_object *object, size_t size, void **memory);

/* The value of the last memory access, as the plugin interface returns it. */
struct qemu_value {
    uint64_t low, high;
};

/*
 * Removes the stores of accessed values from a block. While a plugin subscribes to translations, QEMU (since 9.2)
 * stores the value of each memory access for qemu_plugin_mem_get_value, even if no plugin asks for values. These stores
 * take about a tenth of a Linux guest's time.
 * Reads: the words before the register file, within the object.
 * Trusts: the only place that had the value at each look, if the value had changed in between.
 * Lost: LOSS_VALUES, if there is no such place.
 */
void qemu_ops_drop_values(struct qemu_ops *o, const struct qemu_object *object, struct qemu_value last);

/*
 * Under -icount QEMU ends if a clock is read or an interrupt is raised inside a block, unless a flag in the object is
 * set. Every block sets it at its last instruction. qemu_ops_find_io() finds its place from a block's operations: the
 * only byte before the register file that they write. qemu_ops_permit_io() sets the flag if its place is known, and
 * returns the previous value. Writes: this byte.
 * Lost: LOSS_ACCELERATOR.
 */
void qemu_ops_find_io(struct qemu_ops *o);

static inline uint8_t qemu_ops_permit_io(const struct qemu_ops *o, const struct qemu_object *object, uint8_t flag)
{
    uint8_t before = 0;

    if (o->io_at != 0) {
        uint8_t *const at = (uint8_t *)object->cpu + object->env + o->io_at;

        before = *at;
        *at = flag;
    }
    return before;
}

/*
 * The countdown: where each block of QEMU begins, it checks the sign of a 32-bit word, by whose high half other threads
 * request an exit. Without -icount the low half is unused. A block can instead subtract from the word and check the
 * sign of the result, which costs only two more instructions. The low half of the word thus has a number of events that
 * were added to a sum in advance. If the result is zero or below, the block does not subtract, and calls its callbacks;
 * so it does while the low half is 0. QEMU clears the word when it resets a processor.
 * Reads, writes: the low half of the word.
 * Trusts: the word that the first operation of each block loads, if tcg_handle_interrupt changes its high half in a
 * copy, and the low half is 0.
 * Lost: LOSS_COUNTDOWN.
 */

/* The low half of the word, or NULL while no block counts down. */
uint16_t *qemu_ops_countdown(const struct qemu_object *object);

/*
 * The memory of a processor has two parts: what qemu_ops_near() returned, and a part elsewhere. The places below are
 * offsets in bytes in one of these parts. Each value has 64 bits.
 */

struct qemu_ops_sum {
    intptr_t at; /* in the part elsewhere */
    uint64_t add;
    uint64_t limit; /* unsigned; the sum must stay below. QEMU_OPS_SIGN is the fastest */
};

struct qemu_ops_list {
    intptr_t next; /* near: the address where the next 64-bit word goes */
    uint64_t full; /* a bit that is set in this address if the list is full */
};

/*
 * Host code of another translation of the block, entered without a return to QEMU's main loop. The block enters it if a
 * sum passes its limit (below it before the addition, above it after), or if the list is full.
 */
struct qemu_ops_elsewhere {
    intptr_t wanted;       /* elsewhere: its address; the callbacks store it, the block clears it */
    const uint64_t *known; /* points to its address once it is known, else to 0; lets the block skip the callbacks */
};

/* The work of a block at its beginning. */
struct qemu_ops_beginning {
    intptr_t base; /* near: the address of the part elsewhere */
    const struct qemu_ops_sum *sums;
    unsigned sum_count;               /* at most QEMU_OPS_SUMS */
    const struct qemu_ops_list *list; /* `word` is appended to it; NULL: no list */
    intptr_t newest;                  /* near: `word` is also stored here; negative: nowhere */
    uint64_t word;
    const struct qemu_ops_elsewhere *elsewhere; /* NULL: no other translation */
    intptr_t given; /* the first sum is counted down, if possible; elsewhere: the word that is 0 if none of it is in
                       the countdown; negative: not counted down */
    bool passes;    /* this is the other translation: a sum may pass its limit, but not end there */
    bool aside;     /* the callbacks to replace are those of the last instruction */
};
#define QEMU_OPS_SUMS 8
#define QEMU_OPS_SIGN (UINT64_C(1) << 63)

/*
 * Makes the block do this work itself when it begins, instead of calling the callbacks for its beginning. The block
 * calls them only if a sum would reach its limit or the list is full; then it does no work itself, and the callbacks
 * must do it.
 * False: the block always calls the callbacks, as in blocks that QEMU runs without checking for interrupts, such as the
 * single instruction that QEMU takes out of a block to access a device. QEMU does not report these to plugins.
 *
 * elsewhere: also returns false in blocks that QEMU leaves only through its main loop.
 *
 * aside: the callbacks are registered for the last instruction, which must have no other callbacks. Their host code is
 * then after the block's code, which need not jump over it; their return address is not a place in the block.
 */
bool qemu_ops_begin(const struct qemu_ops *o, const struct qemu_object *object, const struct qemu_ops_beginning *b);

/*
 * The host code for the code at RIP, looked up as for an indirect branch, for a block's `elsewhere`. *exists: whether
 * there is a translation; otherwise the result leads to QEMU's main loop, which makes one. Must be the last call in a
 * callback, because QEMU may leave the callback for a debugger.
 * Writes: RIP, at its place in the object. The caller must have checked that place (qemu_private_reads).
 */
const void *qemu_ops_translation(const struct qemu_object *object, uint64_t ip, bool *exists);

#endif
