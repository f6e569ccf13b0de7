/* SPDX-License-Identifier: MIT */
/* Symbols and source lines of a kernel's ELF, cached for millions of addresses. */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/report/record_text.h"
#include "lib/dump/reader/record_sink.h"
#include "tools/lib/transfer.h"

struct symbols;

/* A description of an address. Valid until the next call of symbols_place(). */
struct place {
    uint64_t address;
    const char *name;       /* name of the symbol that covers it, NULL if none does; lives as long as the symbols */
    uint64_t offset;        /* from the symbol's start */
    enum transfer transfer; /* what its instruction does to the call stack; TRANSFER_JUMP if not in the file */
    bool function;          /* the symbol is a function, not a label */
    char text[100];         /* "name+0xoffset", the name cut at 80 characters; "" without a symbol */
};

/* A loaded part of the file. */
struct segment {
    uint64_t address, size, file_offset;
    uint64_t file_size; /* bytes of it that are in the file */
    bool writable, executable;
};

/*
 * Reads an ELF of either width. If it cannot be read or has no symbol table, reports that on standard error and returns
 * NULL. Uses functions, objects and labels of loaded sections. Like perf: a symbol without a size extends to the next
 * symbol. Of several symbols at one address it chooses by these criteria, in this order: has a size, is not weak, is
 * global, begins with fewer underscores, has the longer name, is first in the table.
 */
struct symbols *symbols_open(const char *path);
void symbols_close(struct symbols *symbols);

/*
 * Whether the symbols belong to the kernel that wrote a dump, by the build id if the dump has one. If not, reports that
 * on standard error; then no address has a name, a line or a segment until a call with a matching dump.
 */
bool symbols_fit(struct symbols *symbols, const struct dump_machine *machine);

/* Describes an address; never NULL. symbols may be NULL: then no address has a name. */
const struct place *symbols_place(struct symbols *symbols, uint64_t address);

/* The source file, without folders, and the line of an address; false if the ELF does not have it. */
bool symbols_line(struct symbols *symbols, uint64_t address, const char **file, unsigned *line);

/* The GNU build id; returns its length, 0 if there is none. */
size_t symbols_build_id(const struct symbols *symbols, const uint8_t **id);

/* The absolute path of the file. */
const char *symbols_path(const struct symbols *symbols);

/* The loaded parts of the file, by address; returns their number. */
size_t symbols_segments(const struct symbols *symbols, const struct segment **segments);

/* A symbolizer for kernel/report with the names of the kernel's own table, or else of the ELF. */
struct symbolizer symbols_symbolizer(struct symbols *symbols);

#endif
