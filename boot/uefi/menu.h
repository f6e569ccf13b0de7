/* SPDX-License-Identifier: MIT */
/* The loader's menu: a person chooses what is run, by keys that the firmware reads. It needs no keyboard. */
#ifndef BOOT_UEFI_MENU_H
#define BOOT_UEFI_MENU_H

#include <stdbool.h>

#include "boot/load_options.h"

/*
 * Shows the menu for that many seconds, longer if keys are pressed, and changes the options to what was chosen; without
 * a key they stay as they are. width is what the options say, 0 if nothing. A firmware that has no timer or no keyboard
 * shows none.
 */
void menu_choose(char options[LOAD_OPTIONS_MAX + 1], unsigned seconds, unsigned width, bool long_mode);

#endif
