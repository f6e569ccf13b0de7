/* SPDX-License-Identifier: MIT */
/*
 * Prints decoded records in forms known from perf. Pure: the kernel and the host tools print with this code.
 * docs/output.md specifies every line.
 */
#ifndef KERNEL_REPORT_RECORD_TEXT_H
#define KERNEL_REPORT_RECORD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/line.h"
#include "bts/bts_decode.h"
#include "lbr/lbr_decode.h"
#include "pebs/data_source_decode.h"
#include "pebs/pebs_decode.h"

/* Finds the symbol that covers an address. Returns false where none does. */
struct symbolizer {
    bool (*find)(void *context, uint64_t address, const char **name, uint64_t *offset);
    void *context;
};

/*
 * These functions print record number n. symbols may be NULL: then addresses are printed without symbols.
 *   bts N FROM sym+0x4 => TO sym+0x0                        (addresses as 0x and 16 digits, 8 in 32-bit records)
 *   lbr N FROM/TO/M|P|-/X|-/A|-/CYCLES sym+0x4/sym+0x0      (perf's brstack fields; 0 is the newest entry; if the
 *                        entry has a type, /JCC, /IND_JMP, /JMP, /IND_CALL, /CALL, /RET or /other follows CYCLES)
 *   pebs N key value ... on several lines, once for each key that the record has; encoding: of its data source
 *                        (struct caps, data_source); entries of its LBR group, the newest first, in the form of
 *                        lbr: pebs N lbr K FROM/TO/...
 */
void bts_text(const struct line_sink *out, uint64_t n, const struct bts_record *record,
              const struct symbolizer *symbols);
void lbr_text(const struct line_sink *out, unsigned n, const struct lbr_entry *entry, const struct symbolizer *symbols);
/* Prints the head of a stack, "lbr stack tos N depth N", without "tos N" if it shifts. */
void lbr_head_text(const struct line_sink *out, bool shifts, uint64_t tos, unsigned depth);
/* Prints a whole stack: its head, and a line for each used entry. */
void lbr_stack_text(const struct line_sink *out, bool shifts, uint64_t tos, unsigned depth,
                    const struct lbr_entry *entries, const struct symbolizer *symbols);
void pebs_text(const struct line_sink *out, uint64_t n, const struct pebs_record *record,
               enum data_source_encoding encoding, const struct symbolizer *symbols);

/*
 * Pieces of these lines, as in lib/put.h. put_symbol: the character `before` and "sym+0x4", with at most 64 characters
 * of the name, or nothing if no symbol covers the address. put_data_source: " |LVL L1 or L1 hit|SNP None|TLB L1 or L2
 * hit|LCK No|".
 */
char *put_symbol(char *at, char before, uint64_t address, const struct symbolizer *symbols);
char *put_data_source(char *at, const struct pebs_record *record, enum data_source_encoding encoding);

/*
 * Writes the name of a counter by its bit in pebs_record.counted, 0 to 63: "count0" of a general one, "fixed_count0".
 * Returns its end, without a NUL.
 */
char *put_counter_name(char *at, unsigned bit);

#endif
