/* SPDX-License-Identifier: MIT */
/* Why tests failed, as plain text for a separate QR code: a phone can show it without dsdump. Pure. */
#ifndef KERNEL_REPORT_REASONS_H
#define KERNEL_REPORT_REASONS_H

#include "kernel/report/packed.h"

/*
 * Writes "dstest86 VERSION verdict=VERDICT signature 0x..", then a line "fail ID: REASON" for each test from *next on
 * that failed or has no verdict. Writes as many lines as fit, but at least one, cut if necessary, and a line end
 * between lines. size: characters, NUL included; at least 128. Returns the length, and sets *next to the next test to
 * write. Returns 0 if no test is left.
 */
size_t reasons_write(char *text, size_t size, const struct packed_head *head, const struct result *results,
                     size_t count, size_t *next);

#endif
