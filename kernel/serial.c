/* SPDX-License-Identifier: MIT */
#include "kernel/serial.h"

#include <stdint.h>

#include "arch/x86/cpu.h"

/* Register offsets of the 16550. */
enum {
    DATA = 0,
    INTERRUPT_ENABLE = 1,
    DIVISOR_LOW = 0,
    DIVISOR_HIGH = 1,
    FIFO = 2,
    LINE = 3,
    MODEM = 4,
    STATUS = 5,
    SCRATCH = 7
};

#define LINE_8N1          0x03u
#define LINE_DIVISOR      0x80u
#define FIFO_ENABLE_CLEAR 0x07u
#define MODEM_DTR_RTS     0x03u
#define STATUS_CAN_SEND   0x20u
#define BASE_BAUD         115200u

/* Far more polls than a byte takes at 1200 baud, after which the port counts as stuck and is given up. */
#define SEND_POLLS 1000000u

#define BITS_PER_CHARACTER 10u /* start bit, eight data bits, stop bit */

static uint16_t base;
static uint32_t characters, characters_per_second = BASE_BAUD / BITS_PER_CHARACTER;

bool serial_init(unsigned port, unsigned baud)
{
    static const uint16_t bases[] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };
    uint16_t io = bases[port];
    uint16_t divisor = (uint16_t)(BASE_BAUD / baud);

    base = 0;
    port_write8((uint16_t)(io + SCRATCH), 0x5a);
    if (port_read8((uint16_t)(io + SCRATCH)) != 0x5a)
        return false;
    port_write8((uint16_t)(io + SCRATCH), 0xa5);
    if (port_read8((uint16_t)(io + SCRATCH)) != 0xa5)
        return false;
    port_write8((uint16_t)(io + INTERRUPT_ENABLE), 0);
    port_write8((uint16_t)(io + LINE), LINE_DIVISOR);
    port_write8((uint16_t)(io + DIVISOR_LOW), (uint8_t)divisor);
    port_write8((uint16_t)(io + DIVISOR_HIGH), (uint8_t)(divisor >> 8));
    port_write8((uint16_t)(io + LINE), LINE_8N1);
    port_write8((uint16_t)(io + FIFO), FIFO_ENABLE_CLEAR);
    port_write8((uint16_t)(io + MODEM), MODEM_DTR_RTS);
    base = io;
    characters_per_second = baud / BITS_PER_CHARACTER;
    return true;
}

void serial_write(const char *text)
{
    for (; base && *text; text++) {
        uint32_t polls = SEND_POLLS;
        while (!(port_read8((uint16_t)(base + STATUS)) & STATUS_CAN_SEND) && --polls)
            cpu_pause();
        if (!polls)
            base = 0;
        else
            port_write8((uint16_t)(base + DATA), (uint8_t)*text);
        characters++;
    }
}

unsigned serial_seconds(void)
{
    return characters / characters_per_second;
}
