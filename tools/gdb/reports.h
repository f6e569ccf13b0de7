/* SPDX-License-Identifier: MIT */
/*
 * The output of GDB's commands, a function each. count: the newest records to print, 0: all. True: something was
 * printed.
 */
#ifndef TOOLS_GDB_REPORTS_H
#define TOOLS_GDB_REPORTS_H

#include "tools/gdb/processor.h"

bool report_ds(const struct processor *p, unsigned count);
bool report_bts(const struct processor *p, unsigned count);
bool report_pebs(const struct processor *p, unsigned count);
bool report_lbr(const struct processor *p, unsigned count);
bool report_perfmon(const struct processor *p, unsigned count);

#endif
