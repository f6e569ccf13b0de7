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

#endif
