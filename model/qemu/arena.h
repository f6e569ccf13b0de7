/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for data that translations point to. It is freed when QEMU drops all translations. */
#ifndef MODEL_QEMU_ARENA_H
#define MODEL_QEMU_ARENA_H

#include <stddef.h>

/* Copies these bytes to the start of a cache line. Ends QEMU if out of memory. Any thread may call it. */
void *arena_copy(const void *bytes, size_t size);

/* Frees all copies. No thread may run translated code. */
void arena_free(void);

#endif
