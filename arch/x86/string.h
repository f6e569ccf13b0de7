/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_STRING_H
#define ARCH_X86_STRING_H

#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
