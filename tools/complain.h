/* SPDX-License-Identifier: MIT */
/* How dsdump says what is wrong. */
#ifndef TOOLS_COMPLAIN_H
#define TOOLS_COMPLAIN_H

/*
 * Prints "dsdump: SUBJECT: SENTENCE" on standard error; subject is the file or the option that it is about. What cannot
 * go on because of it returns false or NULL afterwards; main() makes the exit status of that.
 */
__attribute__((format(printf, 2, 3))) void complain(const char *subject, const char *sentence, ...);

#endif
