/* SPDX-License-Identifier: MIT */
/* One way of dsdump to write what it read: a row of the table in tools/dsdump.c, defined in tools/out_NAME.c. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>

#include "tools/lib/event_sink.h"

#define HISTORY_DEFAULT 16u
#define HISTORY_MOST    64u

struct symbols;

/* What the command line says. */
struct output_setup {
    const char *file;        /* the option's own argument; NULL where it takes none */
    struct symbols *symbols; /* of --elf FILE (tools/symbols.h); NULL: not given */
    unsigned history;        /* BTS records in the branch stack of each in a perf.data, 0 to HISTORY_MOST */
};

struct output {
    const char *name;     /* "text": the option is --text */
    const char *argument; /* "FILE"; NULL: the option takes none, and the output goes to stdout */
    const char *help;     /* one line */
    /*
     * Makes *sink ready, which is all zero. Returns false where that cannot be, with the reason said on stderr. The
     * sink's end() is the last call, and the one that flushes.
     */
    bool (*open)(const struct output_setup *setup, struct event_sink *sink);
};

extern const struct output output_text, output_raw, output_script, output_branches, output_brstack, output_folded,
    output_trace_json, output_csv, output_perf_data, output_html;

#endif
