/* SPDX-License-Identifier: MIT */
#include "kernel/symbols.h"

#include "arch/x86/image.h"

/* An entry of the table, which is sorted by address; names are offsets into a block of NUL-terminated names. */
struct symbol {
    uint32_t address, name;
};

extern const uint32_t symbol_count;
extern const struct symbol symbol_table[];
extern const char symbol_names[];

bool symbol_find(uint64_t address, const char **name, uint64_t *offset)
{
    uint32_t low = 0, high = symbol_count; /* the answer, if any, is in [low - 1, high - 1] */

    if (address < (uintptr_t)image_start || address >= (uintptr_t)image_end)
        return false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (symbol_table[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    *name = symbol_names + symbol_table[low - 1].name;
    *offset = address - symbol_table[low - 1].address;
    return true;
}
