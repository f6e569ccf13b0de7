/* SPDX-License-Identifier: MIT */
/*
 * The raw dump of all records, if the options ask for it (dump=raw): lib/dump/dump_write.h. Its frames are lines of the
 * console. Without the option every function does nothing.
 */
#ifndef KERNEL_DUMP_H
#define KERNEL_DUMP_H

#include "ds/ds.h"
#include "lbr/lbr.h"
#include "pebs/pebs.h"

/*
 * Begins the dump, and writes its head for the processor with these capabilities. number: this processor's number; the
 * other functions call it 0. Ends a dump in progress first.
 */
void dump_start(const struct caps *caps, unsigned number);

/* The records that follow belong to the test with this id. */
void dump_test(const char *id);

/* Writes what a counter has been programmed to sample. cpu: 0 is the processor passed to dump_start(). */
void dump_event(unsigned cpu, const struct pebs_sampling *sampling);

/* Writes all records of a log. encoding: of their data sources. */
void dump_bts(unsigned cpu, const struct ds_log *log);
void dump_pebs(unsigned cpu, const struct ds_log *log, enum data_source_encoding encoding);

void dump_lbr(unsigned cpu, const struct lbr_stack *stack);

/* Writes the frame in progress. */
void dump_flush(void);

/*
 * For dumping in the interrupt service routine, which must not wait for the serial line. There, dump_hold() keeps
 * frames in memory until dump_resume(). Outside the routine, with interrupts off, dump_waiting() prints these frames.
 * Frames that do not fit into memory are lost; the frame numbers then have gaps.
 */
void dump_hold(void);
void dump_resume(void);
void dump_waiting(void);

/* Writes the last frame: the number of records. */
void dump_end(void);

#endif
