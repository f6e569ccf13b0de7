/* SPDX-License-Identifier: MIT */
/* The last lines of the log, without those that begin with "measure ", in memory for the screen's further pages. */
#ifndef KERNEL_LOG_LINES_H
#define KERNEL_LOG_LINES_H

#include <stddef.h>

/* Memory for the lines; NULL: no line is kept. */
void log_lines_init(void *memory, size_t size);

/* Forgets the lines so far. */
void log_lines_start(void);

/* Keeps a line. If there is too little space, drops the oldest lines. */
void log_lines_add(const char *text);

/* The lines, each NUL-terminated, in this many bytes. */
const char *log_lines(size_t *size);

#endif
