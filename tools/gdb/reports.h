/* SPDX-License-Identifier: MIT */
/*
 * The output of GDB's commands, one function each. count: the number of newest records to print, 0: all. Returns
 * whether there was output.
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
