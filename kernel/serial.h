/* SPDX-License-Identifier: MIT */
/* The text that goes over all serial lines at once. Without any, it goes nowhere. */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include <stddef.h>

#include "boot/uart.h"

#define SERIAL_LINES 8u /* at most */

/* Adds the line of a UART that uart_start() has taken. name, for messages, must stay. False if there is no room. */
bool serial_add(const char *name, const struct uart *uart);

/* How many lines there are that still take characters. */
unsigned serial_lines(void);

/*
 * Sends text over every line. It waits until all of it is on its way, unless there is memory for what is not. A line
 * that takes no character for a long time is given up.
 */
void serial_write(const char *text);

/* From now on serial_write() waits only for room in this memory, whose size is a power of two; NULL changes nothing. */
void serial_buffer(char *memory, size_t size);

/* Waits until everything is sent. Must be called before the machine stops. */
void serial_flush(void);

/* The name of a line that was given up, once; NULL: no (further) one. */
const char *serial_lost(void);

/* Seconds that the slowest line has needed so far for everything that was waited for. */
unsigned serial_seconds(void);

#endif
