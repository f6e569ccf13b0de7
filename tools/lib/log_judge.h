/* SPDX-License-Identifier: MIT */
/*
 * Judges the log of a run (docs/output.md, docs/dump.md): whether it is complete and agrees with itself, and what its
 * verdict is. Bytes of a log in, problems and a status out. Pure; uses constant memory.
 */
#ifndef TOOLS_LIB_LOG_JUDGE_H
#define TOOLS_LIB_LOG_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "tools/lib/log_status.h"

struct log_judge;

/* Bytes of a struct log_judge, aligned as malloc() does. */
size_t log_judge_size(void);

/* problem: receives each problem as printable text. line: of the log, from 1; 0: the log as a whole. */
void log_judge_init(struct log_judge *judge, void (*problem)(void *context, uint64_t line, const char *text),
                    void *context);

/* Reads the log's next bytes; they may end inside a line. */
void log_judge_read(struct log_judge *judge, const char *bytes, size_t length);

/* Ends the log. Returns its status, and LOG_UNUSABLE if there was a problem. */
enum log_status log_judge_end(struct log_judge *judge);

/* After the end: the reason for the status in a few words, such as the tests that failed; may be empty. */
const char *log_judge_reason(const struct log_judge *judge);

#endif
