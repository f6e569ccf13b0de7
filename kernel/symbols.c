/* SPDX-License-Identifier: MIT */
#include "kernel/symbols.h"

#include "arch/x86/image.h"

/*
 * The addresses in ascending order, and the NUL-terminated names in the same order. Only every 16th name has its offset
 * in the table: an offset for each would add half its size, and the image contains the table six times.
 */
#define BLOCK 16u

extern const uint32_t symbol_count, symbol_addresses[], symbol_blocks[];
extern const char symbol_names[];

static const char *name_of(uint32_t index)
{
    const char *name = symbol_names + symbol_blocks[index / BLOCK];

    for (uint32_t skip = index % BLOCK; skip; name++)
        skip -= *name == '\0';
    return name;
}

bool symbol_find(uint64_t address, const char **name, uint64_t *offset)
{
    uint32_t low = 0, high = symbol_count; /* the answer, if any, is in [low - 1, high - 1] */

    if (address < (uintptr_t)image_start || address >= (uintptr_t)image_end)
        return false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (symbol_addresses[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    *name = name_of(low - 1);
    *offset = address - symbol_addresses[low - 1];
    return true;
}
