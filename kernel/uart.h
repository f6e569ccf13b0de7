/* SPDX-License-Identifier: MIT */
/* A 16550-compatible UART on ports or in memory, 8N1, polled, without flow control. */
#ifndef KERNEL_UART_H
#define KERNEL_UART_H

#include "boot/uart.h"

/*
 * Takes a UART whose registers can be reached, and programs its speed, if it has one; else uart->baud gets the speed
 * that firmware has set, as far as that can be told. UART_OK, UART_BAUD or UART_SILENT; then nothing but its scratch
 * register may have changed.
 */
enum uart_error uart_start(struct uart *uart);

/* How many characters can be given to it now: 0, 1, or as many as its FIFO has room for. */
unsigned uart_room(const struct uart *uart);

/* Whether its last character has left it. */
bool uart_idle(const struct uart *uart);

void uart_send(const struct uart *uart, char character);

#endif
