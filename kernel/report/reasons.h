/* SPDX-License-Identifier: MIT */
/* Why tests failed, as plain text for a separate QR code: a phone can show it without dsdump. Pure. */
#ifndef KERNEL_REPORT_REASONS_H
#define KERNEL_REPORT_REASONS_H

#include "kernel/report/packed.h"

/*
 * Writes "dstest86 VERSION verdict=VERDICT signature 0x..", then a line for each test from *next on that failed or has
 * no verdict, "fail ID: REASON", as many as have room; one at least, cut if it must be. A line end follows each but the
 * last. size: characters, NUL included; 128 at least. Returns the length, and sets *next to the test to go on with; 0:
 * no test is left.
 */
size_t reasons_write(char *text, size_t size, const struct packed_head *head, const struct result *results,
                     size_t count, size_t *next);

#endif
