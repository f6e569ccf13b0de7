/* SPDX-License-Identifier: MIT */
/*
 * The raw dump of everything that is recorded, if the options ask for it (dump=raw): lib/dump/dump_write.h, with its
 * frames among the console's lines. Without the option every function does nothing.
 */
#ifndef KERNEL_DUMP_H
#define KERNEL_DUMP_H

#include "ds/ds.h"
#include "lbr/lbr.h"
#include "pebs/pebs.h"

/*
 * Writes the head, for the processor with these capabilities, which the others take for number 0: `number` is its own.
 * Anything recorded before this call is not dumped. Where a dump has begun it ends, and another begins.
 */
void dump_start(const struct caps *caps, unsigned number);

/* Starts the part of the test with this id. */
void dump_test(const char *id);

/* Writes what a counter has been programmed to sample. cpu: 0 is the one that dump_start() was told of. */
void dump_event(unsigned cpu, const struct pebs_sampling *sampling);

/* Writes all records of a log; encoding: that of its data sources. */
void dump_bts(unsigned cpu, const struct ds_log *log);
void dump_pebs(unsigned cpu, const struct ds_log *log, enum data_source_encoding encoding);

void dump_lbr(unsigned cpu, const struct lbr_stack *stack);

/* Writes the frame in progress. */
void dump_flush(void);

/*
 * For reading logs in the interrupt service routine, without waiting for the serial line there: dump_hold() keeps
 * frames in memory until dump_resume(), both in the routine; dump_waiting(), outside it with interrupts off, prints
 * them. If memory runs out frames are lost, which their numbers show.
 */
void dump_hold(void);
void dump_resume(void);
void dump_waiting(void);

/* Writes the last frame: the number of records. */
void dump_end(void);

#endif
