/* SPDX-License-Identifier: MIT */
/* dsdump --judge: what logs say, and whether they are complete and consistent. */
#ifndef TOOLS_JUDGE_H
#define TOOLS_JUDGE_H

/*
 * names: the arguments of --judge, LOG.. Prints a line for each log, and for a single one its problems. Returns the
 * exit status: that of the worst log (enum log_status of tools/lib/log_judge.h).
 */
int judge_logs(char *const *names, int count);

#endif
