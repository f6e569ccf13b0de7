/* SPDX-License-Identifier: MIT */
/* Keeps the log in memory that survives a warm reset, if the loader has reserved some: boot/kept_log.h. */
#ifndef KERNEL_LOG_KEEPER_H
#define KERNEL_LOG_KEEPER_H

#include <stdbool.h>

#include "boot/boot_info.h"

/* Opens the loader's memory. Without it, the log is not kept. */
void log_keeper_start(const struct boot_keep *memory);

bool log_keeper_is_on(void);

/* Keeps a line (passed without its line end) completely, or not at all. */
void log_keeper_line(const char *prefix, const char *text);

/* Must be called before a reset: on processors without CLFLUSH it writes the caches back to memory. */
void log_keeper_write_back(void);

#endif
