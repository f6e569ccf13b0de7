/* SPDX-License-Identifier: MIT */
/*
 * The output of GDB's commands, one function each, or why there is none. count: the number of newest records to
 * print, 0: all.
 */
#ifndef TOOLS_GDB_REPORTS_H
#define TOOLS_GDB_REPORTS_H

#include "tools/gdb/processor.h"

void report_ds(const struct processor *p, unsigned count);
void report_bts(const struct processor *p, unsigned count);
void report_pebs(const struct processor *p, unsigned count);
void report_lbr(const struct processor *p, unsigned count);
void report_perfmon(const struct processor *p, unsigned count);

#endif
