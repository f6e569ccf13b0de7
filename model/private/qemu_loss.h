/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Losses: functions of the model that do not work if this QEMU lacks a symbol or differs from QEMU 11.1. Each loss is
 * reported once per process on standard error.
 */
#ifndef MODEL_PRIVATE_QEMU_LOSS_H
#define MODEL_PRIVATE_QEMU_LOSS_H

#include <stdbool.h>
#include <stddef.h>

enum qemu_loss {
    LOSS_ACCELERATOR, /* tcg_allowed, use_icount, qemu_tcg_mttcg_enabled */
    LOSS_OBJECT,      /* the processor's object; implies every loss below */
    LOSS_FLAGS,
    LOSS_LEAVING,
    LOSS_PROTECTION,
    LOSS_CPUID,
    LOSS_IDT,
    LOSS_TSC,
    LOSS_TSC_OFFSET,
    LOSS_MEMORY,
    LOSS_TRANSLATIONS,
    LOSS_VECTORS,
    LOSSES
};

/*
 * Prints "dsmodel: QEMU RELEASE REASON NAME: COST". reason: what is wrong with QEMU's `name`, as in "does not export".
 * Only the first reason of a loss is printed. May be called from any thread.
 */
void qemu_loss_say(enum qemu_loss loss, const char *reason, const char *name);

/*
 * Finds a function or variable of QEMU by its name. *symbol is a pointer of the type that the symbol has in QEMU 11.1;
 * the type itself cannot be checked. Returns false if QEMU does not export the symbol: *symbol is NULL, and this loss
 * has been reported.
 */
#define QEMU_LOSS_FIND(loss, name, symbol) qemu_loss_find(loss, name, symbol, sizeof(*(symbol)))
bool qemu_loss_find(enum qemu_loss loss, const char *name, void *symbol, size_t size);

#endif
