/* SPDX-License-Identifier: MIT */
#include "tools/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/complain.h"
#include "tools/lib/log_judge.h"
#include "tools/log_kind.h"

#define PROBLEMS_SHOWN 20u

/* The log that is being read. */
static struct log {
    const char *name;
    bool alone;
    uint64_t problems;
    char first[LOG_PROBLEM_SIZE + 32]; /* the first problem */
} log_read;

static void on_problem(void *context, uint64_t line, const char *text)
{
    struct log *const log = context;
    char where[32] = "";

    if (line)
        snprintf(where, sizeof where, "line %" PRIu64 ": ", line);
    if (log->problems++ == 0)
        snprintf(log->first, sizeof log->first, "%s%s", where, text);
    if (log->alone && log->problems <= PROBLEMS_SHOWN)
        complain(log->name, "%s%s", where, text);
}

/* Reads the whole file. Returns false after a complaint: it cannot be read, or is of another kind. */
static bool read_log(struct log_judge *judge, FILE *file, const char *name)
{
    static char buffer[0x10000];
    size_t length;
    bool known = false;

    while (file && (length = fread(buffer, 1, sizeof buffer, file)) > 0) {
        if (!known && !log_kind_readable(name, buffer, length))
            return false;
        known = true;
        log_judge_read(judge, buffer, length);
    }
    if (file && !ferror(file))
        return true;
    complain(name, "%s", strerror(errno));
    return false;
}

/* Whether the verdicts would be written to the log itself; if so, reports that. */
static bool is_output(FILE *file)
{
    struct stat in, out;

    if (fstat(fileno(file), &in) != 0 || fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(out.st_mode) ||
        in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return false;
    complain("standard output", "is an input, and would be overwritten; choose another output file");
    return true;
}

static enum log_status judge_log(struct log_judge *judge, const char *word)
{
    const bool is_input = strcmp(word, "-") == 0;
    const char *const name = is_input ? "standard input" : word;
    FILE *const file = is_input ? stdin : fopen(word, "rb");

    log_read = (struct log){ .name = name, .alone = log_read.alone };
    log_judge_init(judge, on_problem, &log_read);
    const bool readable = !(file && is_output(file)) && read_log(judge, file, name);
    if (file && !is_input)
        fclose(file);
    if (!readable)
        return LOG_UNUSABLE;
    const enum log_status status = log_judge_end(judge);
    const bool unusable = status == LOG_UNUSABLE;
    const char *const reason = !unusable ? log_judge_reason(judge) : log_read.alone ? "" : log_read.first;
    printf("%s: %s%s%s\n", name, log_status_text(status), reason[0] ? ": " : "", reason);
    if (log_read.alone && log_read.problems > PROBLEMS_SHOWN)
        complain(name, "and %" PRIu64 " more problems", log_read.problems - PROBLEMS_SHOWN);
    if (status == LOG_INCOMPLETE && strstr(reason, MISSING_ROW_MARK))
        complain(name, MISSING_ROW);
    return status;
}

int judge_logs(char *const *names, int count)
{
    struct log_judge *const judge = allocated(malloc(log_judge_size()));
    enum log_status worst = count ? LOG_PASS : LOG_UNUSABLE;

    if (count == 0)
        complain("--judge", "missing LOG, or - for standard input");
    log_read.alone = count == 1;
    for (int i = 0; i < count; i++) {
        const enum log_status status = judge_log(judge, names[i]);
        worst = log_status_worse(status, worst) ? status : worst;
    }
    free(judge);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output", "cannot write: %s", strerror(errno));
        worst = LOG_UNUSABLE;
    }
    return (int)worst;
}
