/* SPDX-License-Identifier: MIT */
/* The loader's menu, which selects the tests by keys that the firmware reads. A keyboard is not required. */
#ifndef BOOT_UEFI_MENU_H
#define BOOT_UEFI_MENU_H

#include <stdbool.h>

#include "boot/load_options.h"

/*
 * Shows the menu for this many seconds, longer if keys are pressed, and adds the choice to the options. Without a key,
 * the options stay unchanged. width: from the options; 0: not set. If firmware has no timer or keyboard, there is no
 * menu.
 */
void menu_choose(char options[LOAD_OPTIONS_MAX + 1], unsigned seconds, unsigned width, bool long_mode);

#endif
