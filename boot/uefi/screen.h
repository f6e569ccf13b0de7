/* SPDX-License-Identifier: MIT */
/* Finds the screen among the firmware's Graphics Output Protocols. Must be called before ExitBootServices. */
#ifndef BOOT_UEFI_SCREEN_H
#define BOOT_UEFI_SCREEN_H

#include "boot/boot_info.h"

/*
 * Fills in the screen as its current mode is: nothing is changed. If there is none that can be drawn on without the
 * firmware, says so on the firmware's console.
 */
void screen_find(struct boot_screen *screen);

#endif
