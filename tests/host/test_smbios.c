/* SPDX-License-Identifier: MIT */
/* SMBIOS tables, valid and broken, as in DMTF DSP0134 3.7. The text must not contain a serial number. */
#include "tests/host/unit_test.h"

#include "boot/smbios.h"

#define ENTRY 0xf0010u
#define TABLE 0xf0100u

static uint8_t bytes[0x400]; /* from F0000h on */
static size_t used;

static const void *at(void *context, uint64_t address, size_t size)
{
    return address >= 0xf0000 && address + size <= 0xf0000 + sizeof bytes ? bytes + (address - 0xf0000) : NULL;
}

static const struct acpi_memory memory = { at, NULL };

static void seal(size_t size, size_t sum)
{
    uint8_t *const entry = bytes + (ENTRY - 0xf0000);

    entry[sum] = 0;
    for (size_t i = 0; i < size; i++)
        entry[sum] = (uint8_t)(entry[sum] - (i == sum ? 0 : entry[i]));
}

static void add(unsigned type, unsigned length, const char *fields, size_t size, const char *strings,
                size_t strings_size)
{
    uint8_t *const to = bytes + (TABLE - 0xf0000) + used;

    to[0] = (uint8_t)type;
    to[1] = (uint8_t)length;
    memcpy(to + 4, fields, size);
    memcpy(to + length, strings, strings_size); /* with its NUL, and the final one */
    used += length + strings_size;
}
#define ADD(type, length, fields, strings) add(type, length, fields, sizeof(fields) - 1, strings, sizeof(strings))

static void start(bool wide)
{
    uint8_t *const entry = bytes + (ENTRY - 0xf0000);

    memset(bytes, 0, sizeof bytes);
    used = 0;
    ADD(0, 24, "\1\2\0\0\3",
        "Maker Inc.\0F.12 \0"
        "01/02/2026\0");
    ADD(1, 27, "\1\2\0\3", "ACME\0Box\t9\0SERIAL-123\0");
    ADD(4, 48, "\0", "CPU\0");
    bytes[TABLE - 0xf0000 + used - 48 - 5 + 0x23] = 4;
    memcpy(entry, wide ? "_SM3_" : "_SM_", wide ? 5 : 4);
    entry[wide ? 12 : 22] = (uint8_t)used;
    memcpy(entry + (wide ? 16 : 24), (uint32_t[]){ TABLE }, 4);
    seal(wide ? 24 : 31, wide ? 5 : 4);
}

static void expect(uint64_t entry, const char *want)
{
    char text[SMBIOS_TEXT];

    assert_int_equal(smbios_text(&memory, entry, text), *want != '\0');
    assert_string_equal(text, want);
}

#define ALL "ACME Box?9, 4 cores, BIOS Maker Inc. F.12 01/02/2026"

UNIT_TEST(both_entry_points)
{
    start(false);
    expect(ENTRY, ALL);
    expect(0, ALL); /* found in the BIOS area */
    expect(ENTRY + 16, "");
    start(true);
    expect(ENTRY, ALL);
    bytes[ENTRY - 0xf0000 + 7] ^= 1; /* the checksum */
    expect(0, "");
}

UNIT_TEST(cores)
{
    start(true);
    bytes[TABLE - 0xf0000 + used - 48 - 5 + 0x23] = 0xff;
    bytes[TABLE - 0xf0000 + used - 48 - 5 + 0x2b] = 1;
    ADD(4, 48, "\0", "CPU 2\0");
    bytes[TABLE - 0xf0000 + used - 48 - 7 + 0x23] = 2;
    bytes[ENTRY - 0xf0000 + 13] = (uint8_t)(used >> 8);
    bytes[ENTRY - 0xf0000 + 12] = (uint8_t)used;
    seal(24, 5);
    expect(0, "ACME Box?9, 258 cores, BIOS Maker Inc. F.12 01/02/2026");
}

/* Cut at each byte, and with each byte changed: reads stay inside the table, and the text inside its buffer. */
UNIT_TEST(broken_tables)
{
    char text[SMBIOS_TEXT];

    for (size_t size = 0; size < 160; size++) {
        start(true);
        bytes[ENTRY - 0xf0000 + 12] = (uint8_t)size;
        seal(24, 5);
        smbios_text(&memory, 0, text);
        start(true);
        bytes[TABLE - 0xf0000 + size] ^= 0xff;
        smbios_text(&memory, 0, text);
        assert_true(memchr(text, '\0', sizeof text));
    }
}
