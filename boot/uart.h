/* SPDX-License-Identifier: MIT */
/* The place of a 16550-compatible UART, and the speed of its line. Pure. */
#ifndef BOOT_UART_H
#define BOOT_UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_REGISTERS 8u
#define UART_CLOCK     1843200u /* Hz: the clock of a PC's UARTs, with which divisor 1 is 115200 baud */
#define UART_CLOCKS    16u      /* per bit, at divisor 1 */

struct uart {
    uint64_t base;  /* of its first register: a port, or a physical address */
    bool memory;    /* its registers are memory; otherwise ports */
    uint8_t stride; /* bytes from one register to the next: 1, 2 or 4 */
    uint8_t access; /* bytes of a read or write: 1, 2 or 4 */
    uint32_t baud;  /* 0: keep firmware's speed */
    uint32_t clock; /* Hz; 0: not known */
};

/* Why a UART is not used. */
enum uart_error {
    UART_OK,
    UART_CUT_SHORT, /* the table ends before its address */
    UART_DISABLED,  /* the address is 0 */
    UART_KIND,      /* not compatible with the 16550 */
    UART_SPACE,     /* its registers are neither memory nor ports */
    UART_WIDTH,     /* registers or accesses of another size than 8, 16 or 32 bits */
    UART_BAUD,      /* no divisor of the clock gives this speed */
    UART_PORT,      /* not all of its registers are below port 10000h */
    UART_HIGH,      /* not all of its registers are below 4 GiB */
    UART_RAM,       /* the address is RAM in the firmware's memory map */
    UART_SAME,      /* it is already in the list */
    UART_SILENT     /* no UART answers there */
};

/* The error as text: "no UART answers there". */
const char *uart_error_text(enum uart_error error);

/* The nearest divisor for the UART's speed (not 0) if it is within 2%; otherwise 0. */
uint16_t uart_divisor(const struct uart *uart);

/* The speed in baud that a divisor gives; 0 if the clock is unknown. */
uint32_t uart_baud(const struct uart *uart, uint16_t divisor);

/* Whether all of its registers are accessible: UART_OK, UART_PORT or UART_HIGH. */
enum uart_error uart_reach(const struct uart *uart);

/* Bytes from the first to the end of the last register. */
unsigned uart_size(const struct uart *uart);

bool uart_same(const struct uart *one, const struct uart *other); /* by base and address space */

#endif
