/* SPDX-License-Identifier: MIT */
#include "arch/x86/pit.h"

#include <stdint.h>

#include "arch/x86/cpu.h"

#define PIT_CHANNEL_2        0x42u
#define PIT_COMMAND          0x43u
#define PIT_CHANNEL_2_MODE_0 0xb0u  /* channel 2, low and high byte, interrupt on terminal count, binary */
#define PIT_MHZ_65536        78196u /* 1.193182 MHz, in 65536ths */
#define PORT_B               0x61u
#define PORT_B_GATE_2        0x01u
#define PORT_B_SPEAKER       0x02u
#define PORT_B_OUT_2         0x20u

#define SPIN 10000000u /* polls, after which a PIT that does not count down is given up */

bool pit_wait(unsigned microseconds)
{
    const uint16_t count = (uint16_t)(((uint64_t)microseconds * PIT_MHZ_65536) >> 16);
    uint32_t spin = SPIN;

    port_write8(PORT_B, (uint8_t)((port_read8(PORT_B) & ~PORT_B_SPEAKER) | PORT_B_GATE_2));
    port_write8(PIT_COMMAND, PIT_CHANNEL_2_MODE_0);
    port_write8(PIT_CHANNEL_2, (uint8_t)count);
    port_write8(PIT_CHANNEL_2, (uint8_t)(count >> 8));
    if (port_read8(PORT_B) & PORT_B_OUT_2)
        return false; /* no PIT, whose output is low while it counts */
    while (!(port_read8(PORT_B) & PORT_B_OUT_2) && --spin)
        cpu_pause();
    return spin != 0;
}
