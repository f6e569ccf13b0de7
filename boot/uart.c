/* SPDX-License-Identifier: MIT */
#include "boot/uart.h"

#define PORTS      0x10000u
#define MEMORY_END (UINT64_C(1) << 32)
#define PERCENT    2u

const char *uart_error_text(enum uart_error error)
{
    switch (error) {
    case UART_OK:
        return "no error";
    case UART_CUT_SHORT:
        return "the table ends before its address";
    case UART_DISABLED:
        return "firmware assigned no address";
    case UART_KIND:
        return "not compatible with the 16550";
    case UART_SPACE:
        return "its registers are neither memory nor I/O ports";
    case UART_WIDTH:
        return "its registers are not 8, 16 or 32 bits wide";
    case UART_BAUD:
        return "no divisor of its clock gives this speed within 2%";
    case UART_PORT:
        return "not all of its registers are below port 0x10000";
    case UART_HIGH:
        return "not all of its registers are below 4 GiB, where the kernel's mapping ends";
    case UART_RAM:
        return "the firmware's memory map has RAM there";
    case UART_SAME:
        return "listed above";
    case UART_SILENT:
        return "no UART answers there";
    }
    return "unknown error of a UART";
}

static uint32_t clock_of(const struct uart *uart)
{
    return uart->clock ? uart->clock : UART_CLOCK;
}

uint16_t uart_divisor(const struct uart *uart)
{
    const uint32_t fastest = clock_of(uart) / UART_CLOCKS;
    uint32_t divisor, got;

    if (uart->baud / 2 > fastest)
        return 0;
    divisor = (fastest + uart->baud / 2) / uart->baud;
    got = divisor * uart->baud;
    const uint64_t off = got > fastest ? got - fastest : fastest - got;
    return divisor <= UINT16_MAX && off * 100 <= (uint64_t)PERCENT * fastest ? (uint16_t)divisor : 0;
}

uint32_t uart_baud(const struct uart *uart, uint16_t divisor)
{
    if (!divisor || (uart->memory && !uart->clock))
        return 0;
    return clock_of(uart) / UART_CLOCKS / divisor;
}

unsigned uart_size(const struct uart *uart)
{
    return (UART_REGISTERS - 1) * uart->stride + uart->access;
}

enum uart_error uart_reach(const struct uart *uart)
{
    const uint64_t end = uart->memory ? MEMORY_END : PORTS;

    if (uart->base < end && end - uart->base >= uart_size(uart))
        return UART_OK;
    return uart->memory ? UART_HIGH : UART_PORT;
}

bool uart_same(const struct uart *one, const struct uart *other)
{
    return one->base == other->base && one->memory == other->memory;
}
