/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single corruptions of what the processor delivers: one bit of a record, of an index, or of a register that software
 * reads or writes; a record or an interrupt that is lost or comes twice; one event more or less. scripts/boots power
 * measures with them what the kernel's tests notice.
 *
 * A plan has a line "BEGIN END", two addresses in hexadecimal: a window opens when code at BEGIN runs, and closes at
 * END. The first window has number 0. Lines "WINDOW DELIVERY NUMBER ACTION BIT" follow, in decimal: in this window the
 * delivery with this number, counted from 0, is changed. Deliveries and actions have the names in flip.c. Each
 * delivery is logged as "WINDOW DELIVERY WHAT", where WHAT is the size of a record in bytes, a register's address or
 * a counter's number, in hexadecimal; a changed one has " changed" behind it, one that the action leaves the same
 * " same": equal records that change places, a bit of IA32_PERF_GLOBAL_OVF_CTRL that clears what is 0, bits that
 * IA32_PMCn ignores, and one event more with which a sampling counter overflows, since it is reloaded then.
 * "WINDOW overwritten" is a changed record or index that a later one overwrites before software drains it, or a bit of
 * IA32_PERF_GLOBAL_CTRL that is set for a counter which does not count, and is overwritten before software reads it.
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
