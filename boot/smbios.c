/* SPDX-License-Identifier: MIT */
#include "boot/smbios.h"

#include "lib/bytes.h"
#include "lib/format.h"
#include "lib/text.h"

#define SCAN_START 0xf0000u
#define SCAN_END   0x100000u
#define SCAN_STEP  16u
#define ENTRY_2    31u      /* bytes of the entry point "_SM_" */
#define ENTRY_3    24u      /* of "_SM3_" */
#define TABLE_MOST 0x10000u /* bytes that are read */

#define TYPE_BIOS      0u
#define TYPE_SYSTEM    1u
#define TYPE_PROCESSOR 4u
#define TYPE_END       127u
#define CORES          0x23u
#define CORES_2        0x2au /* if CORES has its highest value */

/* The table's address, and its size; 0: not an entry point. */
static uint64_t table_of(const uint8_t *entry, uint64_t *size)
{
    const bool wide = text_begins((const char *)entry, "_SM3_");
    uint8_t sum = 0;

    if (!wide && !text_begins((const char *)entry, "_SM_"))
        return 0;
    for (unsigned i = 0; i < (wide ? ENTRY_3 : ENTRY_2); i++)
        sum = (uint8_t)(sum + entry[i]);
    *size = read_little(entry + (wide ? 12 : 22), wide ? 4 : 2);
    return sum == 0 ? read_little(entry + (wide ? 16 : 24), wide ? 8 : 4) : 0;
}

/* Appends a structure's string, number in its byte `field`, with `before` before it. */
static void put(char text[SMBIOS_TEXT], const char *before, const uint8_t *structure, unsigned field,
                const uint8_t *end)
{
    const uint8_t *string = structure + structure[1];
    size_t used = text_length(text);
    unsigned number = field < structure[1] ? structure[field] : 0;

    if (number == 0)
        return;
    for (; number > 1 && string < end; string++)
        number -= *string == '\0';
    used += (size_t)format(text + used, SMBIOS_TEXT - used, "%s", used || *before != ' ' ? before : "");
    if (used >= SMBIOS_TEXT)
        used = SMBIOS_TEXT - 1;
    for (; string < end && *string != '\0' && used + 1 < SMBIOS_TEXT; string++)
        text[used++] = (char)(*string >= ' ' && *string <= '~' ? *string : '?');
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}

/* The first structure of this type from `at` on, or after the one there; NULL: there is none. */
static const uint8_t *find(const uint8_t *at, const uint8_t *end, unsigned type, bool after)
{
    while (end - at >= 4 && at[1] >= 4 && at[0] != TYPE_END && end - at > at[1]) {
        if (at[0] == type && !after)
            return at;
        after = false;
        for (at += at[1]; end - at >= 2 && (at[0] || at[1]); at++) /* its strings */
            continue;
        at += 2;
    }
    return NULL;
}

bool smbios_text(const struct acpi_memory *memory, uint64_t entry, char text[SMBIOS_TEXT])
{
    uint64_t size = 0, table = 0;
    unsigned cores = 0;
    const uint8_t *at;

    text[0] = '\0';
    for (uint64_t address = entry ? entry : SCAN_START; !table && address < (entry ? entry + 1 : SCAN_END);
         address += SCAN_STEP)
        if ((at = memory->at(memory->context, address, ENTRY_2)) != NULL)
            table = table_of(at, &size);
    if (size > TABLE_MOST)
        size = TABLE_MOST;
    const uint8_t *const start = table ? memory->at(memory->context, table, (size_t)size) : NULL;
    if (!start)
        return false;
    const uint8_t *const end = start + size;
    if ((at = find(start, end, TYPE_SYSTEM, false)) != NULL) {
        put(text, "", at, 4, end);
        put(text, " ", at, 5, end);
    }
    for (at = find(start, end, TYPE_PROCESSOR, false); at; at = find(at, end, TYPE_PROCESSOR, true))
        if (at[1] > CORES)
            cores += at[CORES] == 0xff && at[1] > CORES_2 + 1 ? (unsigned)read_little(at + CORES_2, 2) : at[CORES];
    if (cores)
        format(text + text_length(text), SMBIOS_TEXT - text_length(text), "%s%u core%s", text[0] ? ", " : "", cores,
               cores == 1 ? "" : "s");
    if ((at = find(start, end, TYPE_BIOS, false)) != NULL) {
        put(text, text[0] ? ", BIOS " : "BIOS ", at, 4, end);
        put(text, " ", at, 5, end);
        put(text, " ", at, 8, end);
    }
    return text[0] != '\0';
}
