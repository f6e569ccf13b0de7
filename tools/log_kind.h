/* SPDX-License-Identifier: MIT */
/* Recognizes files that are not logs, or logs that another program must convert first, by their first bytes. */
#ifndef TOOLS_LOG_KIND_H
#define TOOLS_LOG_KIND_H

#include <stdbool.h>
#include <stddef.h>

#define LOG_KIND_BYTES 16u /* how many of the file's first bytes are enough */

/* Whether the bytes, at the start of the named file, may be a log. If not, reports on stderr what to do. */
bool log_kind_readable(const char *name, const char *bytes, size_t length);

#endif
