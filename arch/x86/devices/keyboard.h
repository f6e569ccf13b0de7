/* SPDX-License-Identifier: MIT */
/* Keys of a PS/2 keyboard, or of a USB keyboard that firmware makes look like one. Never waits, uses no interrupt. */
#ifndef ARCH_X86_DEVICES_KEYBOARD_H
#define ARCH_X86_DEVICES_KEYBOARD_H

#include <stdbool.h>

enum key { KEY_NONE, KEY_NEXT, KEY_PREVIOUS, KEY_RESTART, KEY_POWER_OFF };

/* Whether there is a controller. Forgets the keys that were pressed before. */
bool keyboard_start(void);

/* Returns the next pressed key, or KEY_NONE. Space, Enter, Down: NEXT; Up: PREVIOUS; R: RESTART; P: POWER_OFF. */
enum key keyboard_read(void);

#endif
