/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's object of one processor. Its size is from the heap, the places of its registers from QEMU's migration table.
 */
#ifndef MODEL_PRIVATE_QEMU_OBJECT_H
#define MODEL_PRIVATE_QEMU_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from RIP on that are read: RIP, EFLAGS, and the state from which QEMU computes the status flags. */
#define QEMU_STATE_BYTES 64

#define QEMU_VECTOR_BYTES 64 /* of a vector register: XMM, the upper half of YMM, that of ZMM */

struct qemu_object {
    const void *identity; /* the object's address, only for comparisons */

    char *cpu;    /* NULL: not found, and the other members are undefined */
    size_t size;  /* of the object, in bytes */
    size_t width; /* bytes of a register: 8 in qemu-system-x86_64, 4 in qemu-system-i386 */
    /* offsets in the object in bytes */
    size_t env, rip, eflags; /* env: the register file, which starts with the general registers */
    size_t vectors;          /* the vector registers, each in QEMU_VECTOR_BYTES; 0: not found */
    size_t hflags2;          /* 32 flags, one for blocked NMIs; 0: not found */
    size_t tsc_offset;       /* the 64 bits that RDTSC adds to QEMU's clock; 0: not found */
    char *copy;              /* size bytes, to try QEMU's functions on */
};

/*
 * Finds the object. Call on the processor's own thread.
 * Reads: current_cpu, the head of the object, vmstate_x86_cpu and its table of fields.
 * Trusts: object_dynamic_cast, which says that the object is an x86 processor. The heap's size of the object, if the
 * object will be freed to the heap. The table, if it is as long as its symbol says, has each field's name and width,
 * and places general registers, RIP and EFLAGS inside the object, in this order; vector registers and the TSC's offset,
 * if they are inside the object. False: LOSS_OBJECT has been reported, o->cpu is NULL.
 */
bool qemu_object_find(struct qemu_object *o);

/* Refreshes the whole copy. */
void qemu_object_take_copy(const struct qemu_object *o);

/* Frees the copy. The object then counts as not found. */
void qemu_object_forget(struct qemu_object *o);

/* Whether this thread of QEMU is running this processor now; true if that is unknown. */
bool qemu_object_is_current(const struct qemu_object *o);

#endif
