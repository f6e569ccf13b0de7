/* SPDX-License-Identifier: MIT */
/* Branch trace store: the bits that enable it. SDM Vol. 3A (253668-032), "Branch Trace Store (BTS)", 16.4.5. */
#ifndef BTS_BTS_H
#define BTS_BTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "suite/workload/workload.h"

/*
 * The window that traces branches into the open DS area: sets TR and BTS, and BTINT unless circular. off: bits of
 * privilege levels to filter out (bts_off_os and bts_off_usr of caps->debugctl), which need DS-CPL.
 */
struct window bts_window(const struct caps *caps, bool circular, uint64_t off);

#endif
