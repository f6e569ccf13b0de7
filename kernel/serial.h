/* SPDX-License-Identifier: MIT */
/* Sends text over all serial lines at once. Without any line it has no effect. */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include <stddef.h>

#include "boot/uart.h"

#define SERIAL_LINES 8u /* at most */

/*
 * Adds the line of a UART that uart_start() has started. name is for messages, and is kept by reference. Returns false
 * if SERIAL_LINES are in use.
 */
bool serial_add(const char *name, const struct uart *uart);

/* The number of lines that still accept characters. */
unsigned serial_lines(void);

/*
 * Sends text over every line. Waits until all of it is sent, unless it fits into the buffer. A line that accepts no
 * character for a long time is dropped.
 */
void serial_write(const char *text);

/* From now on serial_write() waits only if this memory is full. Its size is a power of two. NULL has no effect. */
void serial_buffer(char *memory, size_t size);

/* Waits until everything is sent. Must be called before the machine stops. */
void serial_flush(void);

/* The name of a dropped line, each only once; NULL: no more. */
const char *serial_lost(void);

/* The seconds that serial_write() has waited so far, on the slowest line. */
unsigned serial_seconds(void);

#endif
