/* SPDX-License-Identifier: MIT */
/*
 * What each boot protocol passes, as bytes below 4 GiB, converted to the form that the kernel reads. The protocols are
 * dstest86's own, PVH ("arch-x86/hvm/start_info.h"), Multiboot 0.6.96 and Multiboot2 2.0.
 */
#define SETUP clear_low
#include "tests/host/map_at.h"
#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "boot/handover.h"

static uint8_t *low; /* zeros, below 4 GiB */

static int clear_low(void **state)
{
    low = map_at(0x10000000, 0x10000);
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

#define FAR UINT64_C(0x1122334455) /* an address above 4 GiB, where no text is */

static struct boot_info info;
static char shown[1000];

static void show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
FAKE_PRINTF(show, shown, "", "")

static const char *text_at(uint64_t address)
{
    return (const char *)(uintptr_t)address;
}

/* What the kernel gets, as text: only what is known. */
static const char *taken(uint32_t magic)
{
    static const char *const errors[] = { [HANDOVER_OK] = "ok",
                                          [HANDOVER_MAGIC] = "magic",
                                          [HANDOVER_VERSION] = "version",
                                          [HANDOVER_MULTIBOOT2] = "multiboot2",
                                          [HANDOVER_OPTIONS_FILE] = "file" };
    const struct boot_memory *memory;
    struct handover_offender offender;

    memset(&info, 0xa5, sizeof info);
    memset(&offender, 0xa5, sizeof offender);
    shown[0] = '\0';
    show("%s", errors[boot_handover(magic, at(0), &info, &offender)]);
    show(" by %s", text_at(info.route));
    assert_int_equal(info.version, 4);
    assert_int_equal(info.size, 120);
    if (info.options == FAR)
        show(", options far");
    else if (info.options)
        show(", options '%s'", text_at(info.options));
    if (offender.line)
        show(", line %zu", offender.line);
    if (offender.load_options)
        show(", load options error %d", (int)offender.load_options);
    if (offender.multiboot2)
        show(", multiboot2 error %d", (int)offender.multiboot2);
    if (info.rsdp)
        show(", rsdp %llx", (unsigned long long)info.rsdp);
    if (info.screen.kind != BOOT_SCREEN_UNKNOWN)
        show(", screen %d %llx %ux%u %u", (int)info.screen.kind, (unsigned long long)info.screen.base,
             info.screen.columns, info.screen.rows, info.screen.pitch);
    memory = (const struct boot_memory *)(uintptr_t)info.memory;
    for (uint32_t i = 0; i < info.memory_count && i < 4; i++)
        show(", %llx+%llx %u", (unsigned long long)memory[i].base, (unsigned long long)memory[i].size, memory[i].type);
    return shown;
}

#define OWN        0x36387364u /* "ds86" */
#define MULTIBOOT  0x2badb002u
#define MULTIBOOT2 0x36d76289u

UNIT_TEST(own_loader)
{
    static const struct {
        uint32_t version, size;
        const char *taken;
    } rows[] = { { 4, 121, NULL }, /* a later loader may pass a larger structure */
                 { 4, 119, "version by unknown" },
                 { 3, 120, "version by unknown" },
                 { 5, 120, "version by unknown" } };
    struct handover_offender offender;
    uint8_t given[120];

    for (uint8_t i = 0; i < sizeof given; i++)
        given[i] = low[i] = i;
    put_32(0, 4);
    put_32(4, 120);
    memcpy(given, low, 8);
    assert_int_equal(boot_handover(OWN, at(0), &info, &offender), HANDOVER_OK);
    assert_memory_equal(&info, given, sizeof given);
    assert_int_equal(offender.line, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_32(0, rows[i].version);
        put_32(4, rows[i].size);
        if (rows[i].taken)
            assert_string_equal(taken(OWN), rows[i].taken);
        else
            assert_int_equal(boot_handover(OWN, at(0), &info, &offender), HANDOVER_OK);
    }
    assert_string_equal(taken(0x12345678), "magic by unknown");
    assert_int_equal(boot_handover(0x12345678, 0, &info, &offender), HANDOVER_MAGIC);
}

/* start_info: magic, version, flags, modules, their address, command line, RSDP, memory map and its entries. */
UNIT_TEST(pvh)
{
    put_32(0, 0x336ec578);
    put_32(4, 1);
    put_64(24, FAR);
    put_64(32, 0x5544332211);
    put_64(40, at(0x100));
    put_32(48, 2);
    put_64(0x100, 0x200000); /* out of order */
    put_64(0x108, 0x1000);
    put_32(0x110, 2);
    put_64(0x118, 0x100000);
    put_64(0x120, 0x100000);
    put_32(0x128, 1);
#define WITHOUT_MAP "ok by pvh, options far, rsdp 5544332211"
    assert_string_equal(taken(0xdeadbeef), WITHOUT_MAP ", 100000+100000 1, 200000+1000 2"); /* eax is undefined */
    put_32(4, 0); /* version 0 has no memory map */
    assert_string_equal(taken(0xdeadbeef), WITHOUT_MAP);
    put_32(4, 2);
    assert_string_equal(taken(0xdeadbeef), WITHOUT_MAP ", 100000+100000 1, 200000+1000 2");
    put_64(40, 0); /* nor has a map at address 0, with any count */
    assert_string_equal(taken(0xdeadbeef), WITHOUT_MAP);
}

UNIT_TEST(multiboot_options)
{
    static const struct {
        const char *line, *options;
    } rows[] = {
        { "build/kernel-32.elf run=bts.*", " run=bts.*" },
        { "/a folder/kernel-32.elf list", " list" },
        { "kernel.elf", "" },
        { "run=bts.* list", "run=bts.* list" }, /* without an image name */
        { "kernel.elf.old run=x", "kernel.elf.old run=x" },
        { "a.elf b.elf run=x", " b.elf run=x" },
        { "a.elfb.elf c", " c" },
        { "kernel.el", "kernel.el" },
        { "", "" },
    };
    char want[100];

    put_32(16, at(0x200));
    put_32(0, ~(1u << 2 | 1u << 6)); /* no flag reports its presence */
    assert_string_equal(taken(MULTIBOOT), "ok by multiboot");
    put_32(0, 1u << 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_text(0x200, rows[i].line);
        snprintf(want, sizeof want, "ok by multiboot, options '%s'", rows[i].options);
        assert_string_equal(taken(MULTIBOOT), want);
    }
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
    put_32(0, ~(1u << 2 | 1u << 6));
    assert_string_equal(taken(MULTIBOOT), "ok by multiboot");
    put_32(0, 1u << 6);
    assert_string_equal(taken(MULTIBOOT), "ok by multiboot, 0+9fc00 1, 100000+f00000 1, 123456789000+1000 3");
    put_32(44, 24);
    assert_string_equal(taken(MULTIBOOT), "ok by multiboot, 100000+f00000 1");
    put_32(44, 0);
    assert_string_equal(taken(MULTIBOOT), "ok by multiboot");
    for (uint32_t i = 0; i < 130; i++)
        put_range(i * 24, 20, i * 0x2000, 0x1000, 1);
    for (uint32_t count = 128; count <= 130; count += 2) { /* 128 ranges are kept */
        put_32(44, count * 24);
        taken(MULTIBOOT);
        assert_int_equal(info.memory_count, 128);
        assert_int_equal(((const struct boot_memory *)(uintptr_t)info.memory)[127].base, 127 * 0x2000);
    }
}

/* Writes a Multiboot2 tag, 8-byte aligned. Returns the next tag's offset. */
static size_t tag(size_t offset, uint32_t type, const void *bytes, size_t size)
{
    put_32(offset, type);
    put_32(offset + 4, (uint32_t)(8 + size));
    memcpy(low + offset + 8, bytes, size);
    return offset + ((8 + size + 7) & ~(size_t)7);
}

static size_t module(size_t offset, const char *text)
{
    const uint32_t fields[3] = { at(0x4000), at(0x4000 + strlen(text)), 0 };
    put_text(0x4000, text);
    return tag(offset, 3, fields, sizeof fields);
}

static const char *taken_tags(size_t end)
{
    put_32(0, (uint32_t)tag(end, 0, "", 0));
    return taken(MULTIBOOT2);
}

UNIT_TEST(multiboot2_options_file)
{
    char longest[LOAD_OPTIONS_MAX + 2] = { 0 };

    assert_string_equal(taken_tags(module(8, "# comment\nrun=x\nlist\n")),
                        "ok by multiboot2 , options 'run=x list', line 4");
    assert_string_equal(taken_tags(module(tag(8, 1, "", 1), "list")), /* an empty command line is ignored */
                        "ok by multiboot2 , options 'list', line 1");
    assert_string_equal(taken_tags(module(8, "run=x\n\xc3\xa4\n")),
                        "file by multiboot2 , options '', line 2, load options error 2");
    memset(longest, 'x', LOAD_OPTIONS_MAX + 1);
    assert_string_equal(taken_tags(module(8, longest)),
                        "file by multiboot2 , options '', line 1, load options error 1");
}
