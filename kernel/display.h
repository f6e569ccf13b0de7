/* SPDX-License-Identifier: MIT */
/*
 * The screen: a page of characters in memory, and the frame buffer or VGA text memory that shows it. Nothing here
 * allocates while it draws, locks, or waits, so that a panic may use it; and nothing is read from the screen.
 */
#ifndef KERNEL_DISPLAY_H
#define KERNEL_DISPLAY_H

#include "boot/boot_info.h"
#include "kernel/screen/cells.h"

/*
 * Takes over the screen that the loader passed; VGA's text mode, if the loader tells of no screen and the machine is in
 * that mode. A frame buffer below 4 GiB can be drawn on from now on, although slowly.
 */
void display_init(const struct boot_screen *screen);

/*
 * Maps the frame buffer so that writes to it are combined, clears it, and draws again what was shown. physical_bits:
 * the width of the processor's physical addresses. Must be called after paging_init() and memory_init(), once.
 */
void display_map(unsigned physical_bits);

/* The page to draw into, as large as the screen; without a screen CELLS_COLUMNS x CELLS_ROWS. Usable from the start. */
struct cells *display_cells(void);

/* Draws what has changed in the page since the last call. Without a screen it does nothing. */
void display_show(void);

/*
 * What the screen is, for the log: "1024x768 32 bits at 0x80000000, 128x48 characters", "VGA text at 0xb8000, 80x25
 * characters", or "none: " and why.
 */
const char *display_text(void);

#endif
