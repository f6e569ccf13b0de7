/* SPDX-License-Identifier: MIT */
/* A 16550-compatible UART on ports or in memory, 8N1, polled, without flow control. */
#ifndef KERNEL_UART_H
#define KERNEL_UART_H

#include "boot/uart.h"

/*
 * Starts a UART whose registers are accessible. Programs uart->baud; if that is 0, sets it to the speed that firmware
 * has programmed, if known. Returns UART_OK, UART_BAUD or UART_SILENT. After an error, only the UART's scratch register
 * may have changed.
 */
enum uart_error uart_start(struct uart *uart);

/* The number of characters that it accepts now: 0, 1, or the free entries of its FIFO. */
unsigned uart_room(const struct uart *uart);

/* Whether its last character has been sent. */
bool uart_idle(const struct uart *uart);

void uart_send(const struct uart *uart, char character);

#endif
