/* SPDX-License-Identifier: MIT */
/* An output form of dsdump: a row of the table in tools/dsdump.c, defined in tools/out_NAME.c. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>

#include "lib/dump/reader/record_sink.h"

struct symbols;

/* The settings from the command line. */
struct output_setup {
    const char *file;        /* the option's argument; NULL if it takes none */
    struct symbols *symbols; /* of --elf FILE (tools/symbols.h); NULL: not given */
};

/* An option that is not an output form: a row in tools/dsdump.c, or in the form's file if only that form has it. */
struct command_option {
    const char *name;                   /* "elf": the option is --elf */
    const char *argument;               /* "FILE"; NULL: none */
    const char *help;                   /* one line */
    bool (*take)(const char *argument); /* false: invalid; the function reported why */
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
    bool (*wrote)(int file); /* whether it wrote a regular file, which it may then replace; NULL: output to stdout */
    bool lines;              /* the form also has a log's other lines: it accepts a log without a dump */
    const struct command_option *options; /* options of only this form; a row without a name ends them; NULL: none */
};

/* Every form: tools/out_NAME.c defines output_NAME. The first is the default; --help lists them in this order. */
#define OUTPUTS(each)         each(text) each(raw) each(folded) each(trace_json) each(csv) each(perf_data) each(html)
#define OUTPUT_DECLARED(name) extern const struct output output_##name;
OUTPUTS(OUTPUT_DECLARED)

#endif
