/* SPDX-License-Identifier: MIT */
/*
 * Prints whole lines. docs/output.md specifies them. A line passes through these files:
 *
 *   held_lines     holds a test's records back until its outcome is known, then prints them here, or drops them
 *   console        passes each line to serial, log_lines and log_keeper
 *     serial       sends it to every port; serial_ports finds these in the options, in ACPI (boot/uart_tables) and on
 *                  PCI, and uart starts them
 *     log_lines    keeps the last lines for the screen's pages
 *     log_keeper   keeps all lines in memory that survives a warm reset (boot/kept_log); at the next start the loader
 *                  writes this memory to the stick (boot/uefi/log, log_volume)
 */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include "kernel/report/record_text.h"

#define CONSOLE_LINE_MAX 512 /* characters; longer lines are cut */

/* Prints one line; the line end is added. */
void console_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints text of any length as a line that starts with "# ". */
void console_text(const char *text);

/* Prints one diagnostic: a line that starts with "# ". */
void console_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A sink that prints with console_note(), and a symbolizer with the kernel's own symbols. */
extern const struct line_sink console_sink;
extern const struct symbolizer console_symbols;

#endif
