/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While a plugin is told of translations, QEMU (since 9.2) has each memory access put the value that it loaded or
 * stored where qemu_plugin_mem_get_value finds it, whether anybody asks or not. That is about a tenth of what a Linux
 * guest takes. The model never asks, and takes these stores out of a block before host code is made of it.
 *
 * Where QEMU hides its symbols, or anything is not as it is expected here, they stay, and the guest is slower.
 */
#ifndef MODEL_QEMU_OPS_H
#define MODEL_QEMU_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* One a processor. */
struct qemu_ops {
    bool given_up;
    uint64_t places;   /* bit i: the value may be in the words i + 2 and i + 1 before the register file */
    uint64_t low;      /* of the value, when it was looked at last */
    unsigned changes;  /* of it since */
    intptr_t value_at; /* where it is, in bytes from the register file; 0 as long as that is not certain */
};

void qemu_ops_init(struct qemu_ops *o);

/*
 * While a block is translated, on its processor's own thread. env: the processor's register file, NULL as long as that
 * has not been found.
 */
void qemu_ops_drop_values(struct qemu_ops *o, const void *env);

struct qemu_ops_list { void *base; intptr_t end, step, items; };
bool qemu_ops_append_pointer(struct qemu_ops *o, const struct qemu_ops_list *list, const void *pointer);
#endif
