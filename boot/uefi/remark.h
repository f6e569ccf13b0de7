/* SPDX-License-Identifier: MIT */
/* Remarks of the loader that do not stop the run: printed on firmware's console, and in the kernel's log and page. */
#ifndef BOOT_UEFI_REMARK_H
#define BOOT_UEFI_REMARK_H

#include <stdbool.h>

#define REMARKS_SIZE 400u /* characters, NUL included */

/* Prints a sentence on the console (the kernel soon overdraws it), and keeps it for the kernel. */
void remark(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The sentences so far, joined; "" if there are none. Text that is too long is cut. */
const char *remarks(void);

/* Waits at most this long, also so that a user can read the text. Returns whether a key was pressed. */
bool key_pressed(unsigned seconds);

#endif
