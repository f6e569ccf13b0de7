/* SPDX-License-Identifier: MIT */
/*
 * Prints what was found on this machine: the lines "cpu", "perfmon", "ds", "bts", "pebs", "lbr", "events",
 * "reading" and "note". Pure.
 */
#ifndef KERNEL_REPORT_MACHINE_TEXT_H
#define KERNEL_REPORT_MACHINE_TEXT_H

#include "cpu/caps.h"
#include "kernel/report/record_text.h"

void machine_text(const struct line_sink *out, const struct caps *caps);

#endif
