/* SPDX-License-Identifier: MIT */
/*
 * The raw dump of everything that is recorded, where the options ask for it (dump=raw): dump/dump_write.h, with its
 * frames among the console's lines. Without the option every function does nothing.
 */
#ifndef KERNEL_DUMP_H
#define KERNEL_DUMP_H

#include "ds/ds.h"
#include "lbr/lbr.h"
#include "pebs/pebs.h"

/* Writes the head. What comes before this call is in no dump. */
void dump_start(const struct caps *caps);

/* What follows belongs to the test of this id. */
void dump_test(const char *id);

/* What a counter was just programmed to sample. cpu: 0 is the one that booted. */
void dump_event(unsigned cpu, const struct pebs_sampling *sampling);

/* All records of a log; encoding: of its records' data sources. */
void dump_bts(unsigned cpu, const struct ds_log *log);
void dump_pebs(unsigned cpu, const struct ds_log *log, enum data_source_encoding encoding);

void dump_lbr(unsigned cpu, const struct lbr_stack *stack);

/* Writes what is still in a frame that is not full. */
void dump_flush(void);

/*
 * For who reads the logs in the interrupt service routine: from hold on frames wait in memory, so that the routine does
 * not wait for the wire. resume, still in it, ends that; dump_waiting(), with interrupts off and outside of it, prints
 * them. Where memory does not suffice frames are lost, which the dump's numbers show.
 */
void dump_hold(void);
void dump_resume(void);
void dump_waiting(void);

/* The last frame: how many records there were. */
void dump_end(void);

#endif
