/* SPDX-License-Identifier: MIT */
/* Symbols and source lines of a kernel's ELF, for addresses that come by the million. */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/record_text.h"
#include "tools/lib/event_sink.h"
#include "tools/lib/transfer.h"

struct symbols;

/* What stands at an address. Valid until the next call of symbols_place(). */
struct place {
    uint64_t address;
    const char *name;       /* of the symbol that covers it, NULL where none does; lives as long as the symbols */
    uint64_t offset;        /* from the symbol's start */
    uint32_t length;        /* of text */
    enum transfer transfer; /* of the instruction that stands there */
    bool function;          /* the symbol is one, and no label */
    char text[100];         /* "name+0xoffset", the name cut at 80 characters; "" where there is no symbol */
};

/* A part of the file that is loaded. */
struct segment {
    uint64_t address, size, file_offset;
    uint64_t file_size; /* of these bytes, what stands in the file */
    bool writable, executable;
};

/*
 * Reads an ELF of either width. NULL: it could not be, or has no symbol table, and that was said on standard error.
 * Functions, objects and labels of loaded sections count. As perf has it: a symbol without a size reaches to the next
 * one; of several at one address the first of these decides: which has a size then, is not weak, is global, begins with
 * fewer underscores, has the longer name, stands first in the table.
 */
struct symbols *symbols_open(const char *path);
void symbols_close(struct symbols *symbols);

/*
 * Whether the symbols are of the kernel that a dump comes from: by the build id, where the dump has one. If they are
 * not, that is said on standard error, and until they fit again nothing has a name, a line or a segment.
 */
bool symbols_fit(struct symbols *symbols, const struct dump_machine *machine);

/* Never NULL; symbols may be: then nothing has a name. */
const struct place *symbols_place(struct symbols *symbols, uint64_t address);

/* The source line of an address. false: the ELF does not say. */
bool symbols_line(struct symbols *symbols, uint64_t address, const char **file, unsigned *line);

/* The GNU build id; its length, 0 where the ELF has none. */
size_t symbols_build_id(const struct symbols *symbols, const uint8_t **id);

/* The absolute path of the file. */
const char *symbols_path(const struct symbols *symbols);

/* The parts of it that are loaded, in the order of their addresses; returns their number. */
size_t symbols_segments(const struct symbols *symbols, const struct segment **segments);

/* For report/: the names that the kernel itself prints, from the table that it carries; without one, the same as above.
 */
struct symbolizer symbols_symbolizer(struct symbols *symbols);

#endif
