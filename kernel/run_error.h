/* SPDX-License-Identifier: MIT */
/* An error of the run, which belongs to no test. */
#ifndef KERNEL_RUN_ERROR_H
#define KERNEL_RUN_ERROR_H

/* Prints "# error: ..." in the log, and keeps the text for the last page. */
void run_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
