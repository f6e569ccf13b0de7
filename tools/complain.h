/* SPDX-License-Identifier: MIT */
/* dsdump's error messages. */
#ifndef TOOLS_COMPLAIN_H
#define TOOLS_COMPLAIN_H

/*
 * Prints "dsdump: SUBJECT: SENTENCE" on standard error; subject is the file or option concerned. Functions that fail
 * because of the error then return false or NULL, from which main() derives the exit status.
 */
__attribute__((format(printf, 2, 3))) void complain(const char *subject, const char *sentence, ...);

#endif
