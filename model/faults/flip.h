/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single corruptions of what the processor delivers: one bit of a record, of an index, or of a register that software
 * reads or writes; a record or an interrupt that is lost or arrives twice; a time stamp that goes back; one event more
 * or less. scripts/boots power uses them to measure what the kernel's tests notice.
 *
 * A plan begins with a line "BEGIN END", two addresses in hexadecimal. A window opens when code at BEGIN runs, and
 * closes at END. Windows are numbered from 0. Each further line, "WINDOW DELIVERY NUMBER ACTION BIT" in decimal,
 * changes one delivery: the one with this number, from 0, in this window. flip.c has the names of deliveries and
 * actions.
 *
 * The log has a line "WINDOW DELIVERY WHAT" for each delivery. WHAT is, in hexadecimal, the size of a record in bytes,
 * the address of a register, or the number of a counter. " changed" follows if the delivery was changed; " same", if
 * the action has no effect: equal records change places, no earlier record has a time stamp, a bit of
 * IA32_PERF_GLOBAL_OVF_CTRL clears a bit that is 0, IA32_PMCn ignores the bit, or one more event overflows a sampling
 * counter, which is then reloaded; or if a freedom (model/latitude/freedoms.inc) permits the change: a count of
 * interrupted code, a count outside the records of a sampling counter, a bit that has any value, #GP for reserved bits.
 * "WINDOW overwritten": a changed record or index was overwritten before software drained it; a bit of
 * IA32_PERF_GLOBAL_CTRL was set for a counter that does not count, and was overwritten before software read it; or
 * another counter reloaded the one that had an event more or less.
 */
#ifndef MODEL_FAULTS_FLIP_H
#define MODEL_FAULTS_FLIP_H

#include <stdbool.h>
#include <stdint.h>

struct flip;
struct rules;

/* Reads a plan, and opens the log PLAN.log. NULL: *why says why not, for a sentence "flip=PLAN: WHY". */
struct flip *flip_open(const char *plan, const char **why);

/* Whether a window opens or closes at this address; call flip_reached() each time that code there runs. */
bool flip_is_border(const struct flip *flip, uint64_t address);
void flip_reached(struct flip *flip, uint64_t address);

/* Replaces the rules that deliver something. */
void flip_replace(struct rules *rules);

#endif
