/* SPDX-License-Identifier: MIT */
/* Keeps the log in memory that outlasts a warm reset, where the loader has reserved some: boot/kept_log.h. */
#ifndef KERNEL_LOG_KEEPER_H
#define KERNEL_LOG_KEEPER_H

#include <stdbool.h>

#include "boot/boot_info.h"

/* Opens what the loader has made; without, nothing is kept. */
void keep_start(const struct boot_keep *memory);

bool keep_is_on(void);

/* Keeps a line, without its line end: as a whole when this returns, or not at all. */
void keep_line(const char *prefix, const char *text);

/* Before a reset: what processors without CLFLUSH have in their caches goes into memory. */
void keep_write_back(void);

#endif
