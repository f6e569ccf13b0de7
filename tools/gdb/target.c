/* SPDX-License-Identifier: MIT */
#include "tools/gdb/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "cpu/msr_index.h"

#define ANSWER    0x10000u
#define PIECE     0x4000u /* bytes of memory per request to GDB */
#define CR0_PG    (UINT64_C(1) << 31)
#define CR4_PAE   (UINT64_C(1) << 5)
#define CR4_LA57  (UINT64_C(1) << 12)
#define PRESENT   (UINT64_C(1) << 0)
#define RIGHTS    ((UINT64_C(1) << 1) | (UINT64_C(1) << 2)) /* writable, user */
#define LARGE     (UINT64_C(1) << 7)
#define NO_FETCH  (UINT64_C(1) << 63)
#define ADDRESS   UINT64_C(0x000ffffffffff000)
#define AS_IF_OFF UINT64_C(0x63) /* without paging: present, writable, accessed, dirty */

static char answer[ANSWER];

/* NULL: GDB has no answer. */
static const char *ask(const char *kind, uint64_t address, size_t size)
{
    printf("?%s 0x%" PRIx64 " %zu\n", kind, address, size);
    fflush(stdout);
    if (fgets(answer, sizeof(answer), stdin) == NULL)
        exit(2);
    answer[strcspn(answer, "\n")] = '\0';
    return strcmp(answer, "-") == 0 ? NULL : answer;
}

static bool read_piece(const char *kind, uint64_t address, uint8_t *bytes, size_t size)
{
    const char *text = ask(kind, address, size);

    if (text == NULL || strlen(text) != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        char digits[3] = { text[2 * i], text[2 * i + 1], '\0' };
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return true;
}

static bool read_memory(const char *kind, uint64_t address, uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE)
        if (!read_piece(kind, address + at, bytes + at, size - at < PIECE ? size - at : PIECE))
            return false;
    return true;
}

bool target_linear(uint64_t address, void *bytes, size_t size)
{
    return read_memory("linear", address, bytes, size);
}

bool target_physical(uint64_t address, void *bytes, size_t size)
{
    return read_memory("physical", address, bytes, size);
}

const char *target_line(uint64_t address)
{
    return ask("line", address, 0);
}

/* Parses the answer NAME OFFSET. */
static bool find_symbol(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    char *text = (char *)(uintptr_t)ask("symbol", address, 0), *blank = text ? strrchr(text, ' ') : NULL;

    (void)context;
    if (blank == NULL)
        return false;
    *blank = '\0';
    *name = text;
    *offset = strtoull(blank + 1, NULL, 10);
    return true;
}

const struct symbolizer target_symbols = { find_symbol, NULL };

static void put_line(void *context, const char *text)
{
    (void)context;
    puts(text);
}

const struct line_sink target_out = { put_line, NULL };

/* SDM Vol. 3A (253668-081), "Paging": 32-bit, PAE, 4-level and 5-level. */
bool target_page(const struct processor *p, uint64_t linear, uint64_t *entry, uint64_t *physical)
{
    const bool wide = (p->efer & EFER_LMA) != 0, pae = (p->cr4 & CR4_PAE) != 0;
    const unsigned levels = wide ? (p->cr4 & CR4_LA57 ? 5 : 4) : pae ? 3 : 2, bits = pae ? 9 : 10, size = pae ? 8 : 4;
    uint64_t table = p->cr3 & (wide || !pae ? ADDRESS : ~UINT64_C(0x1f)), rights = RIGHTS, no_fetch = 0;

    if (!(p->cr0 & CR0_PG)) {
        *entry = AS_IF_OFF;
        *physical = linear;
        return true;
    }
    for (unsigned level = levels; level > 0; level--) {
        const unsigned shift = 12 + bits * (level - 1);
        const uint64_t index = linear >> shift & ((UINT64_C(1) << bits) - 1);
        const bool root_of_three = pae && !wide && level == 3; /* a PDPT entry has no rights */
        uint8_t bytes[8] = { 0 };

        if (!target_physical(table + index * size, bytes, size))
            return false;
        const uint64_t e = read_u64(bytes, 0);
        if (!(e & PRESENT))
            return false;
        rights &= root_of_three ? rights : e;
        no_fetch |= root_of_three ? 0 : e & NO_FETCH;
        if (level == 1 || (level < 4 && (e & LARGE) && !root_of_three)) {
            const uint64_t within = (UINT64_C(1) << shift) - 1;
            *entry = (e & ~RIGHTS) | rights | no_fetch;
            *physical = (e & ADDRESS & ~within) | (linear & within);
            return true;
        }
        table = e & ADDRESS;
    }
    return false;
}
