/* SPDX-License-Identifier: MIT */
/*
 * What each boot protocol passes, as bytes below 4 GiB, converted to the form that the kernel reads. The protocols are
 * dstest86's own, PVH ("arch-x86/hvm/start_info.h"), Multiboot 0.6.96 and Multiboot2 2.0.
 */
#define _GNU_SOURCE 1 /* mmap() with MAP_ANONYMOUS */
#include <sys/mman.h>

#define SETUP clear_low
#define FIRST map_low
#include "tests/host/unit_test.h"

#include "boot/handover.h"

#define ROOM 0x10000u

static uint8_t *low; /* zeros, below 4 GiB */

static int map_low(void **state)
{
    low = mmap((void *)0x10000000, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
               0);
    return low == MAP_FAILED;
}

static int clear_low(void **state)
{
    memset(low, 0, ROOM);
    return 0;
}

static uint32_t at(size_t offset)
{
    return (uint32_t)(uintptr_t)(low + offset);
}

static void put_32(size_t offset, uint32_t value)
{
    memcpy(low + offset, &value, 4);
}

static void put_64(size_t offset, uint64_t value)
{
    memcpy(low + offset, &value, 8);
}

static void put_text(size_t offset, const char *text)
{
    memcpy(low + offset, text, strlen(text) + 1);
}

static struct boot_info info;
static struct handover_offender offender;

static enum handover_error take(uint32_t magic)
{
    memset(&info, 0xa5, sizeof info);
    memset(&offender, 0xa5, sizeof offender);
    return boot_handover(magic, at(0), &info, &offender);
}

static const char *text_at(uint64_t address)
{
    return (const char *)(uintptr_t)address;
}

static void assert_range(uint32_t index, uint64_t base, uint64_t size, uint32_t type)
{
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)info.memory;
    assert_true(index < info.memory_count);
    assert_int_equal(map[index].base, base);
    assert_int_equal(map[index].size, size);
    assert_int_equal(map[index].type, type);
}

static void assert_nothing_but_a_route(const char *route)
{
    assert_int_equal(info.version, 4);
    assert_int_equal(info.size, 120);
    assert_int_equal(info.options, 0);
    assert_int_equal(info.memory, 0);
    assert_int_equal(info.memory_count, 0);
    assert_int_equal(info.rsdp, 0);
    assert_int_equal(info.screen.kind, BOOT_SCREEN_UNKNOWN);
    assert_string_equal(text_at(info.route), route);
}

UNIT_TEST(own_loader)
{
    static const uint8_t given[120] = { 4, 0, 0, 0, 120, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
                                        3, 0, 0, 0, 0,   0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0 };
    memcpy(low, given, sizeof given);
    assert_int_equal(take(0x36387364), HANDOVER_OK); /* "ds86" */
    assert_memory_equal(&info, given, sizeof given);
    assert_int_equal(info.options, 1);
    assert_int_equal(info.memory, 2);
    assert_int_equal(info.memory_count, 3);
    assert_int_equal(info.route, 4);
    assert_int_equal(info.rsdp, 5);
    assert_int_equal(offender.line, 0);

    put_32(4, 121); /* a later loader may pass a larger structure */
    assert_int_equal(take(0x36387364), HANDOVER_OK);
    put_32(4, 119);
    assert_int_equal(take(0x36387364), HANDOVER_VERSION);
    assert_nothing_but_a_route("unknown");
    put_32(4, 120);
    put_32(0, 3);
    assert_int_equal(take(0x36387364), HANDOVER_VERSION);
    put_32(0, 5);
    assert_int_equal(take(0x36387364), HANDOVER_VERSION);
    assert_nothing_but_a_route("unknown");
}

UNIT_TEST(no_known_protocol)
{
    assert_int_equal(take(0x12345678), HANDOVER_MAGIC);
    assert_nothing_but_a_route("unknown");
    assert_int_equal(offender.line, 0);
    assert_int_equal(boot_handover(0x12345678, 0, &info, &offender), HANDOVER_MAGIC);
}

/* start_info: magic, version, flags, modules, their address, command line, RSDP, memory map and its entries. */
UNIT_TEST(pvh)
{
    put_32(0, 0x336ec578);
    put_32(4, 1);
    put_64(24, 0x1122334455);
    put_64(32, 0x5544332211);
    put_64(40, at(0x100));
    put_32(48, 2);
    put_64(0x100, 0x200000); /* out of order */
    put_64(0x108, 0x1000);
    put_32(0x110, 2);
    put_64(0x118, 0x100000);
    put_64(0x120, 0x100000);
    put_32(0x128, 1);
    assert_int_equal(take(0xdeadbeef), HANDOVER_OK); /* eax is undefined */
    assert_int_equal(info.version, 4);
    assert_int_equal(info.size, 120);
    assert_int_equal(info.options, 0x1122334455);
    assert_int_equal(info.rsdp, 0x5544332211);
    assert_string_equal(text_at(info.route), "pvh");
    assert_int_equal(info.memory, at(0x100));
    assert_int_equal(info.memory_count, 2);
    assert_range(0, 0x100000, 0x100000, 1);
    assert_range(1, 0x200000, 0x1000, 2);

    put_32(4, 0); /* version 0 has no memory map */
    assert_int_equal(take(0xdeadbeef), HANDOVER_OK);
    assert_int_equal(info.options, 0x1122334455);
    assert_int_equal(info.memory, 0);
    assert_int_equal(info.memory_count, 0);
    put_32(4, 2);
    assert_int_equal(take(0xdeadbeef), HANDOVER_OK);
    assert_int_equal(info.memory_count, 2);
    put_64(40, 0); /* nor has a map at address 0, with any count */
    assert_int_equal(take(0xdeadbeef), HANDOVER_OK);
    assert_int_equal(info.memory_count, 0);
}

#define LINE 0x200 /* the command line of Multiboot */

static const char *options_of(const char *line)
{
    put_text(LINE, line);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    return text_at(info.options);
}

UNIT_TEST(multiboot_options)
{
    put_32(16, at(LINE));
    put_32(0, ~(1u << 2 | 1u << 6)); /* no flag reports its presence */
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_nothing_but_a_route("multiboot");
    put_32(0, 1u << 2);
    assert_string_equal(options_of("build/kernel-32.elf run=bts.*"), " run=bts.*");
    assert_string_equal(options_of("/a folder/kernel-32.elf list"), " list");
    assert_string_equal(options_of("kernel.elf"), "");
    assert_string_equal(options_of("run=bts.* list"), "run=bts.* list"); /* without an image name */
    assert_string_equal(options_of("kernel.elf.old run=x"), "kernel.elf.old run=x");
    assert_string_equal(options_of("a.elf b.elf run=x"), " b.elf run=x");
    assert_string_equal(options_of("a.elfb.elf c"), " c");
    assert_string_equal(options_of("kernel.el"), "kernel.el");
    assert_string_equal(options_of(""), "");
    assert_int_equal(info.memory_count, 0);
}

#define MAP 0x1000 /* the memory map of Multiboot: size, base, length, type */

static void put_range(size_t offset, uint32_t size, uint64_t base, uint64_t length, uint32_t type)
{
    put_32(MAP + offset, size);
    put_64(MAP + offset + 4, base);
    put_64(MAP + offset + 12, length);
    put_32(MAP + offset + 20, type);
}

UNIT_TEST(multiboot_memory)
{
    put_32(44, 24 + 28 + 24);
    put_32(48, at(MAP));
    put_range(0, 20, 0x100000, 0xf00000, 1);
    put_range(24, 24, 0, 0x9fc00, 1); /* longer than necessary */
    put_range(24 + 28, 20, 0x123456789000, 0x1000, 3);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_nothing_but_a_route("multiboot");
    put_32(0, ~(1u << 2 | 1u << 6));
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_nothing_but_a_route("multiboot");
    put_32(0, 1u << 6);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_int_equal(info.options, 0);
    assert_int_equal(info.memory_count, 3);
    assert_range(0, 0, 0x9fc00, 1);
    assert_range(1, 0x100000, 0xf00000, 1);
    assert_range(2, 0x123456789000, 0x1000, 3);

    put_32(44, 24);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_int_equal(info.memory_count, 1);
    put_32(44, 0);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_int_equal(info.memory_count, 0);
}

/* 128 ranges are kept, and memory past them stays unchanged. */
UNIT_TEST(too_many_memory_ranges)
{
    put_32(0, 1u << 6);
    put_32(44, 130 * 24);
    put_32(48, at(MAP));
    for (uint32_t i = 0; i < 130; i++)
        put_range(i * 24, 20, i * 0x2000, 0x1000, 1);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_int_equal(info.memory_count, 128);
    assert_range(127, 127 * 0x2000, 0x1000, 1);
    put_32(44, 128 * 24);
    assert_int_equal(take(0x2badb002), HANDOVER_OK);
    assert_int_equal(info.memory_count, 128);
}

/* Writes a Multiboot2 tag, 8-byte aligned. Returns the next tag's offset. */
static size_t tag(size_t offset, uint32_t type, const void *bytes, size_t size)
{
    put_32(offset, type);
    put_32(offset + 4, (uint32_t)(8 + size));
    memcpy(low + offset + 8, bytes, size);
    return offset + ((8 + size + 7) & ~(size_t)7);
}

static size_t module(size_t offset, size_t file, const char *text)
{
    uint32_t fields[3] = { at(file), at(file + strlen(text)), 0 };
    put_text(file, text);
    return tag(offset, 3, fields, sizeof fields);
}

static void end_tags(size_t offset)
{
    put_32(0, (uint32_t)tag(offset, 0, "", 0));
}

UNIT_TEST(multiboot2)
{
    uint64_t map[2 + 6] = { 24, 0x100000, 0x100000, 1, 0, 0x9fc00, 1 };
    size_t end = tag(8, 1, "run=bts.*", 10);
    end = tag(end, 2, "GRUB 2.06", 10);
    end = module(end, 0x4000, "list\n");
    end = tag(end, 6, map, 8 + 48);
    const size_t rsdp = end + 8;
    end = tag(end, 14, "RSD PTR 012345678901", 20);
    end = tag(end, 8, "\0\x80\x0b\0\0\0\0\0\xa0\0\0\0P\0\0\0\x19\0\0\0\x10\2\0", 24); /* VGA's text */
    end_tags(end);
    assert_int_equal(take(0x36d76289), HANDOVER_OK);
    assert_string_equal(text_at(info.route), "multiboot2 GRUB 2.06");
    assert_string_equal(text_at(info.options), "run=bts.*"); /* the file is used only without a command line */
    assert_int_equal(info.rsdp, at(rsdp));
    assert_int_equal(info.screen.kind, BOOT_SCREEN_TEXT);
    assert_int_equal(info.screen.base, 0xb8000);
    assert_int_equal(info.screen.columns, 80);
    assert_int_equal(info.screen.rows, 25);
    assert_int_equal(info.screen.pitch, 160);
    assert_int_equal(info.memory_count, 2);
    assert_range(0, 0, 0x9fc00, 1);
    assert_range(1, 0x100000, 0x100000, 1);
    assert_int_equal(info.version, 4);
    assert_int_equal(offender.multiboot2, MULTIBOOT2_OK);
    assert_int_equal(offender.line, 0);
}

UNIT_TEST(multiboot2_options_file)
{
    end_tags(module(8, 0x4000, "# comment\nrun=x\nlist\n"));
    assert_int_equal(take(0x36d76289), HANDOVER_OK);
    assert_string_equal(text_at(info.route), "multiboot2 ");
    assert_string_equal(text_at(info.options), "run=x list");
    assert_int_equal(offender.load_options, LOAD_OPTIONS_OK);
    assert_int_equal(info.memory_count, 0);

    end_tags(module(tag(8, 1, "", 1), 0x4000, "list")); /* an empty command line is ignored */
    assert_int_equal(take(0x36d76289), HANDOVER_OK);
    assert_string_equal(text_at(info.options), "list");

    end_tags(module(8, 0x4000, "run=x\n\xc3\xa4\n"));
    assert_int_equal(take(0x36d76289), HANDOVER_OPTIONS_FILE);
    assert_int_equal(offender.load_options, LOAD_OPTIONS_NOT_ASCII);
    assert_int_equal(offender.line, 2);
    assert_string_equal(text_at(info.options), "");

    char longest[LOAD_OPTIONS_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[LOAD_OPTIONS_MAX] = '\0';
    end_tags(module(8, 0x4000, longest));
    assert_int_equal(take(0x36d76289), HANDOVER_OK);
    assert_string_equal(text_at(info.options), longest);
    longest[LOAD_OPTIONS_MAX] = 'x';
    longest[LOAD_OPTIONS_MAX + 1] = '\0';
    end_tags(module(8, 0x4000, longest));
    assert_int_equal(take(0x36d76289), HANDOVER_OPTIONS_FILE);
    assert_int_equal(offender.load_options, LOAD_OPTIONS_TOO_LONG);
    assert_int_equal(offender.line, 1);
    assert_string_equal(text_at(info.options), "");

    end_tags(8);
    assert_int_equal(take(0x36d76289), HANDOVER_OK);
    assert_nothing_but_a_route("multiboot2 ");
}

UNIT_TEST(multiboot2_damaged)
{
    end_tags(tag(8, 1, "run=x", 5)); /* without its NUL */
    assert_int_equal(take(0x36d76289), HANDOVER_MULTIBOOT2);
    assert_int_equal(offender.multiboot2, MULTIBOOT2_COMMAND_LINE);
    assert_nothing_but_a_route("unknown");
}

UNIT_TEST(a_long_name)
{
    char name[100];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    end_tags(tag(8, 2, name, sizeof name));
    assert_int_equal(take(0x36d76289), HANDOVER_OK);
    assert_int_equal(strlen(text_at(info.route)), 59);
}
