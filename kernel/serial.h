/* SPDX-License-Identifier: MIT */
/* A 16550 on one of the four COM ports, 8N1, polled. A missing port is ignored. */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include <stdbool.h>

/* port 0 to 3: COM1 to COM4; baud: a divisor of 115200. Returns whether a UART answered. */
bool serial_init(unsigned port, unsigned baud);
void serial_write(const char *text);

/* Seconds that the line has needed so far for everything that was written. */
unsigned serial_seconds(void);

#endif
