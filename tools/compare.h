/* SPDX-License-Identifier: MIT */
/* dsdump --compare: what two logs say differently, by test, record, field and figure. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

/*
 * The words behind --compare: LOG LOG [--accept FILE] [--html FILE]. Prints what differs and returns dsdump's exit
 * status: 0 if nothing does that is not accepted, 1 if something does, 2 if there was nothing to compare.
 */
int compare_print(char *const *words, int count);

#endif
