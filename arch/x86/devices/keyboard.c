/* SPDX-License-Identifier: MIT */
#include "arch/x86/devices/keyboard.h"

#include "arch/x86/cpu.h"

/* Intel 8042, "Universal Peripheral Interface": the keyboard controller of IBM's Personal Computer AT. */
#define DATA       0x60u
#define STATUS     0x64u
#define FULL       0x01u /* DATA has a byte */
#define OF_MOUSE   0x20u
#define NO_DEVICE  0xffu
#define BYTES_MOST 64u /* more than a controller and its devices keep: the port does not belong to one */

bool keyboard_start(void)
{
    unsigned bytes = 0;
    uint8_t status;

    while ((status = port_read8(STATUS)) != NO_DEVICE && status & FULL && bytes++ < BYTES_MOST)
        port_read8(DATA);
    return status != NO_DEVICE && bytes <= BYTES_MOST;
}

enum key keyboard_read(void)
{
    /* By scan codes of set 1, to which the controller translates. */
    static const uint8_t keys[0x80] = { [0x39] = KEY_NEXT,     [0x1c] = KEY_NEXT,    [0x50] = KEY_NEXT,
                                        [0x48] = KEY_PREVIOUS, [0x13] = KEY_RESTART, [0x19] = KEY_POWER_OFF };

    for (unsigned bytes = 0; bytes < BYTES_MOST; bytes++) {
        const uint8_t status = port_read8(STATUS);
        if (status == NO_DEVICE || !(status & FULL))
            break;
        const uint8_t code = port_read8(DATA);
        if (!(status & OF_MOUSE) && code < sizeof keys && keys[code] != KEY_NONE)
            return (enum key)keys[code];
    }
    return KEY_NONE;
}
