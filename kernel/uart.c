/* SPDX-License-Identifier: MIT */
#include "kernel/uart.h"

#include "arch/x86/cpu.h"

/* Registers of the 16550. */
enum {
    DATA = 0,
    DIVISOR_LOW = 0,
    INTERRUPT_ENABLE = 1,
    DIVISOR_HIGH = 1,
    FIFO = 2, /* written */
    INTERRUPT = 2,
    LINE = 3,
    MODEM = 4,
    STATUS = 5,
    SCRATCH = 7
};

#define LINE_8N1          0x03u
#define LINE_DIVISOR      0x80u
#define FIFO_ENABLE_CLEAR 0x07u
#define INTERRUPT_FIFO    0xc0u /* both bits: the FIFO is on, and works */
#define MODEM_DTR_RTS     0x03u
#define STATUS_CAN_SEND   0x20u /* the FIFO is empty */
#define STATUS_IDLE       0x40u /* the shift register is empty as well */
#define FIFO_SIZE         16u

static uint8_t get(const struct uart *uart, unsigned number)
{
    const uint64_t at = uart->base + number * uart->stride;

    if (!uart->memory)
        return port_read8((uint16_t)at);
    return (uint8_t)device_read((uintptr_t)at, uart->access);
}

static void set(const struct uart *uart, unsigned number, uint8_t value)
{
    const uint64_t at = uart->base + number * uart->stride;

    if (!uart->memory)
        port_write8((uint16_t)at, value);
    else
        device_write((uintptr_t)at, uart->access, value);
}

static bool keeps(const struct uart *uart, uint8_t pattern)
{
    set(uart, SCRATCH, pattern);
    return get(uart, SCRATCH) == pattern;
}

enum uart_error uart_start(struct uart *uart)
{
    uint16_t divisor = 0;

    if (uart->baud && !(divisor = uart_divisor(uart)))
        return UART_BAUD;
    if (!keeps(uart, 0x5a) || !keeps(uart, 0xa5))
        return UART_SILENT;
    set(uart, INTERRUPT_ENABLE, 0);
    set(uart, LINE, LINE_DIVISOR);
    if (divisor) {
        set(uart, DIVISOR_LOW, (uint8_t)divisor);
        set(uart, DIVISOR_HIGH, (uint8_t)(divisor >> 8));
    } else {
        uart->baud = uart_baud(uart, (uint16_t)(get(uart, DIVISOR_LOW) | get(uart, DIVISOR_HIGH) << 8));
    }
    set(uart, LINE, LINE_8N1);
    set(uart, FIFO, FIFO_ENABLE_CLEAR);
    set(uart, MODEM, MODEM_DTR_RTS);
    return UART_OK;
}

unsigned uart_room(const struct uart *uart)
{
    if (!(get(uart, STATUS) & STATUS_CAN_SEND))
        return 0;
    return (get(uart, INTERRUPT) & INTERRUPT_FIFO) == INTERRUPT_FIFO ? FIFO_SIZE : 1;
}

bool uart_idle(const struct uart *uart)
{
    return get(uart, STATUS) & STATUS_IDLE;
}

void uart_send(const struct uart *uart, char character)
{
    set(uart, DATA, (uint8_t)character);
}
