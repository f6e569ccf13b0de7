/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's object of one processor. Nothing is searched for in it: its size is the heap's, and the registers are where
 * the description by which QEMU migrates it says.
 */
#ifndef MODEL_PRIVATE_QEMU_OBJECT_H
#define MODEL_PRIVATE_QEMU_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In bytes from RIP on, all within the object: RIP, EFLAGS, and how QEMU keeps the status flags. */
#define QEMU_STATE_BYTES 64

struct qemu_object {
    const void *identity; /* its address, to be compared */

    char *cpu;    /* NULL: not to be had, and the rest means nothing */
    size_t size;  /* of all of it, in bytes */
    size_t width; /* of a register: 8 bytes in qemu-system-x86_64, 4 in that of i386 */
    /* at how many bytes of it */
    size_t env, rip, eflags; /* env: the register file, which begins with the general registers */
    char *copy;              /* of so many bytes, for QEMU's functions to be tried on */
};

/*
 * On the processor's own thread.
 * Reads: current_cpu, the head of the object, vmstate_x86_cpu and its table of fields.
 * Believes: that the object is an x86 processor's if QEMU's object_dynamic_cast says so; its size if it says itself
 * that its memory is to be given back to the heap; a field's place if the table, of whose size the symbol tells, has it
 *   under its name and width, within the object, in the order of general registers, RIP, EFLAGS.
 * False: LOSS_OBJECT has been said, o->cpu is NULL.
 */
bool qemu_object_find(struct qemu_object *o);

/* Brings the whole copy up to date. */
void qemu_object_take_copy(const struct qemu_object *o);

/* Gives the copy back, and the object is not to be had from now on. */
void qemu_object_forget(struct qemu_object *o);

/* Whether this is the processor that QEMU's current thread runs at this moment; true where that cannot be told. */
bool qemu_object_is_current(const struct qemu_object *o);

#endif
