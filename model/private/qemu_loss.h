/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the model does without where this room gives up: said on standard error, each once a process. */
#ifndef MODEL_PRIVATE_QEMU_LOSS_H
#define MODEL_PRIVATE_QEMU_LOSS_H

#include <stdbool.h>
#include <stddef.h>

enum qemu_loss {
    LOSS_ACCELERATOR, /* tcg_allowed, use_icount */
    LOSS_OBJECT,      /* the processor's object, and with it all that stands below, operations aside */
    LOSS_FLAGS,
    LOSS_LEAVING,
    LOSS_PROTECTION,
    LOSS_CPUID,
    LOSS_IDT,
    LOSS_TSC,
    LOSS_TRANSLATIONS,
    LOSS_OPERATIONS,
    LOSS_VALUES,
    LOSSES
};

/*
 * "dsmodel: QEMU RELEASE REASON NAME: COST". reason: what is wrong with QEMU's `name`, as in "does not export". Later
 * reasons of the same loss are not printed. From any thread.
 */
void qemu_loss_say(enum qemu_loss loss, const char *reason, const char *name);

/*
 * A function or variable of QEMU's by its name; into *symbol, a pointer of the type that it has in QEMU 11.1, which a
 * symbol does not tell. NULL, said as this loss, where QEMU does not export it. Returns whether it does.
 */
#define QEMU_LOSS_FIND(loss, name, symbol) qemu_loss_find(loss, name, symbol, sizeof(*(symbol)))
bool qemu_loss_find(enum qemu_loss loss, const char *name, void *symbol, size_t size);

#endif
