/* SPDX-License-Identifier: MIT */
/* The kernel's own symbol table. The kernel is linked twice: the first link provides the table (mk/kernel.mk). */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the last symbol at or before an address. Returns false outside the image and before its first symbol. */
bool symbol_find(uint64_t address, const char **name, uint64_t *offset);

#endif
