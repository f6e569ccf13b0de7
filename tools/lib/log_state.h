/* SPDX-License-Identifier: MIT */
/* What the judge knows of a log: log_judge.c reads the lines into it, log_verdict.c checks the whole. */
#ifndef TOOLS_LIB_LOG_STATE_H
#define TOOLS_LIB_LOG_STATE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernel/report/results.h"
#include "kernel/report/verdict.h"
#include "tools/lib/log_status.h"

#define LINE_SIZE_MAX 16384u         /* characters: twice the longest frame; longer lines are cut */
#define NAME_SIZE     96u            /* characters of an id, an area or a facility, NUL included */
#define NAME          "95[a-z0-9._]" /* for sscanf, after % */
#define KIND_SIZE     16u
#define KIND          "15[a-z0-9]"
#define TEXT_SIZE     400u /* characters of a line that is kept: more than the kernel's lines have */
#define PREFIX_SIZE   48u

#define TESTS_MAX      4096u
#define AREAS_MAX      128u
#define KINDS_MAX      16u
#define FACILITIES_MAX (FACILITIES * KINDS_MAX)

/* A test, from its result line and the lines at the end. */
struct test {
    char id[NAME_SIZE];
    enum outcome result; /* OUTCOME_NOT_RUN: no result line */
    enum outcome reason; /* OUTCOME_NOT_RUN: the end has no reason */
    enum outcome recap;  /* OUTCOME_NOT_RUN: not in the recap */
    unsigned kind;       /* of its cores, by position in kinds[] */
    size_t base;         /* characters of the id without the kind */
};

struct area {
    char name[NAME_SIZE];
    char said[64]; /* its row of the table; empty: none */
    struct totals totals;
};

struct facility_line {
    char name[NAME_SIZE], said[TEXT_SIZE];
    bool known; /* the results explain this line */
};

struct log_judge {
    void (*problem)(void *context, uint64_t line, const char *text);
    void *context;
    uint64_t problems;

    uint64_t number; /* of the current line */
    uint64_t begins, ends, plans, plan, reported, errors;
    uint64_t moves; /* lines "# tests on" */
    bool listed, panicked, table, recap;
    bool differs;                /* the current test reported a difference */
    bool full;                   /* one of the tables below is full */
    unsigned kind;               /* of the last result */
    bool mixed;                  /* error: the tests of two kinds alternate, or the first kind's are not first */
    unsigned ran, worked;        /* bit n: tests ran on kind n; one did not end in an error */
    bool asked, there, untested; /* a facility was selected; the processor has a selected one; one is untested */
    char end[TEXT_SIZE];         /* the words of the first line "# end" */
    char trouble[TEXT_SIZE];     /* the first line "# error: " or "# panic" */
    char prefix[PREFIX_SIZE];    /* text before "# begin" or "# end" */
    uint64_t prefix_line;        /* 0: there is none */
    char reason[LOG_PROBLEM_SIZE];
    size_t length, test_count, area_count, facility_count, kind_count, head_count;

    /* As many of each as the counts say; the rest is not set. */
    char line[LINE_SIZE_MAX];
    struct test tests[TESTS_MAX];
    struct area areas[AREAS_MAX];
    struct facility_line facilities[FACILITIES_MAX];
    char kinds[KINDS_MAX][KIND_SIZE]; /* suffixes of ids; "" for the first kind */
    char head[KINDS_MAX][KIND_SIZE];  /* kinds of cores that the head lists */
    _Alignas(max_align_t) unsigned char reader[];
};

/* Reports a problem. line: 0: the log as a whole. */
__attribute__((format(printf, 3, 4))) void log_complain(struct log_judge *j, uint64_t line, const char *format, ...);

/* Other characters than printable ASCII become question marks. */
void log_make_printable(char *text);

/* The area with this name of this length, added if it is new; NULL if there are too many. */
struct area *log_area(struct log_judge *j, const char *name, size_t length);

/* The line of a facility; NULL if there is none. */
struct facility_line *log_facility(struct log_judge *j, const char *name);

/* Checks the whole log and sets the reason. Returns the log's status, LOG_UNUSABLE if there was a problem. */
enum log_status log_verdict(struct log_judge *j);

/* The rest of a text that begins with these characters; else NULL. */
static inline const char *after(const char *text, const char *start)
{
    const size_t length = strlen(start);

    return strncmp(text, start, length) == 0 ? text + length : NULL;
}

static inline void copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text);
}

#endif
