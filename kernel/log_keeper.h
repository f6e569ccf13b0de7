/* SPDX-License-Identifier: MIT */
/* Keeps the log in memory that outlasts a warm reset, where the loader has reserved some: boot/kept_log.h. */
#ifndef KERNEL_LOG_KEEPER_H
#define KERNEL_LOG_KEEPER_H

#include <stdbool.h>

#include "boot/boot_info.h"

/* Opens what the loader has made; without, nothing is kept. */
void log_keeper_start(const struct boot_keep *memory);

bool log_keeper_is_on(void);

/* Keeps a line, without its line end: as a whole when this returns, or not at all. */
void log_keeper_line(const char *prefix, const char *text);

/* Before a reset: what processors without CLFLUSH have in their caches goes into memory. */
void log_keeper_write_back(void);

#endif
