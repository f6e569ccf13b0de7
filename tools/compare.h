/* SPDX-License-Identifier: MIT */
/* dsdump --compare: the differences of two logs, by test, record, field and figure. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

/*
 * words: the arguments of --compare, LOG LOG [--accept FILE] [--html FILE]. Prints the differences and returns dsdump's
 * exit status: 0 if all are accepted, 1 if not, 2 if the logs cannot be compared.
 */
int compare_print(char *const *words, int count);

#endif
