/* SPDX-License-Identifier: MIT */
/* Branch trace store: the bits that enable it. SDM Vol. 3A (253668-032), "Branch Trace Store (BTS)", 16.4.5. */
#ifndef BTS_BTS_H
#define BTS_BTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "suite/workload/workload.h"

/*
 * The window that traces branches into the open DS area: sets TR and BTS, and BTINT unless circular. Further
 * bits of caps->debugctl, such as bts_off_os, may be added to window.on.
 */
struct window bts_window(const struct caps *caps, bool circular);

#endif
