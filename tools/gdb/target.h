/* SPDX-License-Identifier: MIT */
/*
 * Reads the machine's state through GDB. A question is a line on standard output that begins with "?"; GDB's answer is
 * a line on standard input (tools/gdb/dstest86.py).
 */
#ifndef TOOLS_GDB_TARGET_H
#define TOOLS_GDB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/report/record_text.h"
#include "tools/gdb/processor.h"

/* Memory by linear and by physical address. False if a byte cannot be read. */
bool target_linear(uint64_t address, void *bytes, size_t size);
bool target_physical(uint64_t address, void *bytes, size_t size);

/* The source line of an address, valid until the next call; NULL: unknown. */
const char *target_line(uint64_t address);

/* The names that GDB knows. */
extern const struct symbolizer target_symbols;

/* Lines to standard output. */
extern const struct line_sink target_out;

/*
 * Walks the processor's page tables. *entry: the page's entry, with the rights that all levels together allow;
 * *physical: its address. False if the page is not present.
 */
bool target_page(const struct processor *p, uint64_t linear, uint64_t *entry, uint64_t *physical);

#endif
