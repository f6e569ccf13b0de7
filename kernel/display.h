/* SPDX-License-Identifier: MIT */
/*
 * The screen: a page of characters in memory, and the frame buffer or VGA text memory that shows it. Drawing does not
 * allocate, lock or wait, so a panic may draw. The screen is never read.
 */
#ifndef KERNEL_DISPLAY_H
#define KERNEL_DISPLAY_H

#include "boot/boot_info.h"
#include "kernel/screen/cells.h"

/*
 * Uses the screen that the loader passed. If the loader passed none and the machine is in VGA's text mode, uses that.
 * From this call on, the kernel can draw on a frame buffer below 4 GiB, but slowly.
 */
void display_init(const struct boot_screen *screen);

/*
 * Maps the frame buffer write-combining, clears it, and draws the page again. physical_bits: the width of the
 * processor's physical addresses. Must be called once, after paging_init() and memory_init().
 */
void display_map(unsigned physical_bits);

/* The page to draw into, as large as the screen; without a screen CELLS_COLUMNS x CELLS_ROWS. Always valid. */
struct cells *display_cells(void);

/* Draws the changes of the page since the last call. Does nothing without a screen. */
void display_show(void);

/*
 * The description of the screen for the log: "1024x768 32 bits at 0x80000000, 128x48 characters", "VGA text at 0xb8000,
 * 80x25 characters", or "none: " and the reason.
 */
const char *display_text(void);

#endif
