/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's object of one processor. Nothing is searched for: the heap tells the object's size, and the description by
 * which QEMU migrates the object tells where registers are.
 */
#ifndef MODEL_PRIVATE_QEMU_OBJECT_H
#define MODEL_PRIVATE_QEMU_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from RIP on, all within the object: RIP, EFLAGS, and the state from which QEMU computes the status flags. */
#define QEMU_STATE_BYTES 64

struct qemu_object {
    const void *identity; /* the object's address, only to be compared */

    char *cpu;    /* NULL: not found, and the other members mean nothing */
    size_t size;  /* of the object, in bytes */
    size_t width; /* of a register: 8 bytes in qemu-system-x86_64, 4 in that of i386 */
    /* byte offsets in the object */
    size_t env, rip, eflags; /* env: the register file, which begins with the general registers */
    char *copy;              /* size bytes, for trying QEMU's functions on */
};

/*
 * Finds the object; to be called on the processor's own thread.
 * Reads: current_cpu, the head of the object, vmstate_x86_cpu and its table of fields.
 * Believes: that the object is an x86 processor's if QEMU's object_dynamic_cast says so; the heap's size of it if the
 * object says that its memory is to be given back to the heap; a field's place if the table, whose size its symbol
 * tells, has the field under its name and width, within the object, in the order of general registers, RIP, EFLAGS.
 * False: LOSS_OBJECT has been reported, o->cpu is NULL.
 */
bool qemu_object_find(struct qemu_object *o);

/* Refreshes the whole copy. */
void qemu_object_take_copy(const struct qemu_object *o);

/* Frees the copy; the object counts as not found from now on. */
void qemu_object_forget(struct qemu_object *o);

/* Whether QEMU's current thread runs this processor at this moment; true where that cannot be told. */
bool qemu_object_is_current(const struct qemu_object *o);

#endif
