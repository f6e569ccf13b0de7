/* SPDX-License-Identifier: MIT */
/* dsdump's error messages. */
#ifndef TOOLS_COMPLAIN_H
#define TOOLS_COMPLAIN_H

/*
 * Prints "dsdump: SUBJECT: SENTENCE" on standard error; subject is the file or option concerned. Functions that fail
 * because of the error return false or NULL, and main() derives the exit status from that.
 */
__attribute__((format(printf, 2, 3))) void complain(const char *subject, const char *sentence, ...);

/* Returns the memory. If it is NULL, ends dsdump with a message and status 2. */
void *allocated(void *memory);

/* In a log: what a facility's line has if a table has no row for the processor's model. */
#define MISSING_ROW_MARK "cpu/cores.c has no row for "

/* What to do about a facility that is untested because a table has no row for the processor's model. */
#define MISSING_ROW                                                                                                \
    "this processor model has no row in cpu/cores.c, so most tests were skipped: please send a log made with the " \
    "options dump=raw log=stick, as docs/corpus.md says, and the processor's name; the row is added from it"

#endif
