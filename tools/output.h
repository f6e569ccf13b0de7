/* SPDX-License-Identifier: MIT */
/* A form of dsdump's output: a row of the table in tools/dsdump.c, defined in tools/out_NAME.c. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>

#include "lib/dump/reader/record_sink.h"

#define HISTORY_DEFAULT 16u
#define HISTORY_MOST    64u

struct symbols;

/* What the command line asks for. */
struct output_setup {
    const char *file;        /* the option's argument; NULL if it takes none */
    struct symbols *symbols; /* of --elf FILE (tools/symbols.h); NULL: not given */
    unsigned history;        /* branches in the stack of each BTS record in perf.data, 0 to HISTORY_MOST */
    bool branch_counters;    /* what LBR entries count goes into perf.data, which perf before 6.8 does not read */
};

struct output {
    const char *name;     /* "text": the option is --text */
    const char *argument; /* "FILE"; NULL: none, and the output goes to stdout */
    const char *help;     /* one line */
    /*
     * Fills *sink, which is all zero. On failure, reports why on stderr and returns false. The sink's end() is called
     * last, and flushes.
     */
    bool (*open)(const struct output_setup *setup, struct record_sink *sink);
};

extern const struct output output_text, output_raw, output_script, output_branches, output_brstack, output_folded,
    output_trace_json, output_csv, output_perf_data, output_html;

#endif
