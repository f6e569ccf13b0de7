/* SPDX-License-Identifier: MIT */
/*
 * ds-inspect STATE COMMAND [COUNT]: prints the output of a command of tools/gdb/dstest86.py. STATE is the model's file
 * of the processor; GDB provides memory, symbols and source lines (tools/gdb/target.h). Exit status: 2 for wrong
 * arguments or file, else 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/gdb/reports.h"
#include "tools/standard.h"

static const struct {
    const char *name;
    void (*report)(const struct processor *p, unsigned count);
} commands[] = {
    { "ds", report_ds },   { "bts", report_bts },         { "pebs", report_pebs },
    { "lbr", report_lbr }, { "perfmon", report_perfmon },
};

static int inspect(int argc, char **argv)
{
    static struct processor processor;

    if (argc < 3) {
        puts("usage: ds-inspect STATE COMMAND [COUNT]; GDB's commands start it (docs/gdb.md)");
        return 2;
    }
    if (!processor_read(argv[1], &processor))
        return 2;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[2], commands[i].name) == 0) {
            commands[i].report(&processor, argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0);
            return 0;
        }
    printf("%s: unknown command\n", argv[2]);
    return 2;
}

int main(int argc, char **argv)
{
    standard_open();
    return standard_end("ds-inspect", inspect(argc, argv), 1);
}
