/* SPDX-License-Identifier: MIT */
/* The result of a run as plain text, for the QR codes on the screen (docs/booting.md, "What the screen shows"). Pure.
 */
#ifndef KERNEL_SCREEN_RESULT_TEXT_H
#define KERNEL_SCREEN_RESULT_TEXT_H

#include "kernel/screen/page.h"

/*
 * Writes the lines from number *next on, as many as fit, and sets *next to the first one that is left: program and
 * verdict, processor, facilities, the exception of a panic, then each test that failed, then each that differed, with
 * the reason. If lines are left after the last text of a run, it ends in "and N more". A line longer than a whole text
 * is cut, and then ends in "..". size: bytes, NUL included, at least 32. The text is printable ASCII and line ends.
 * Returns its length, 0 if no line is left.
 */
size_t result_text(char *text, size_t size, const struct page *page, size_t *next, bool last);

#endif
