/* SPDX-License-Identifier: MIT */
/* Finds the screen among the firmware's Graphics Output Protocols. Must be called before ExitBootServices. */
#ifndef BOOT_UEFI_SCREEN_H
#define BOOT_UEFI_SCREEN_H

#include "boot/boot_info.h"

/*
 * Describes the screen in its current mode, without changing the mode. If the kernel cannot draw on any screen, prints
 * why on the firmware's console. If there are several, prints which one the kernel draws on.
 */
void screen_find(struct boot_screen *screen);

#endif
