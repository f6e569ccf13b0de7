/* SPDX-License-Identifier: MIT */
/*
 * How the UEFI loader starts a kernel: what it passes, the sentence and status of each failure, and that it then frees
 * everything. The trampoline is a jump into this test.
 */
#define SETUP new_machine
#include "tests/host/map_at.h"
#include "tests/host/uefi_firmware.h"

#include "boot/uefi/remark.c"
#include "boot/uefi/start.c"

/* Replaces trampoline.asm. */
__asm__(".data\n"
        ".globl trampoline_start, trampoline_end\n"
        "trampoline_start: .skip 40\ntrampoline_end:\n"
        ".text\n");

#define SELF ((EFI_HANDLE)0x5e1f)

#define LOW      0x10000000u /* firmware allocates here, downwards from the end */
#define LOW_SIZE 0x200000u
#define LOW_END  (LOW + LOW_SIZE)
#define KERNEL   0x20000000u /* the kernel's destination; not written by the loader itself */
#define RANGES   3500u       /* more than the loader's limit */

/* More fakes of firmware: results and arguments. */
static struct {
    EFI_STATUS pages, memory_map, set_attributes, clear_attributes; /* 0: it works */
    unsigned pages_before_failure, exits_before_success;
    UINT64 rsdp_1, rsdp_2;
    EFI_MEMORY_DESCRIPTOR map[RANGES];
    unsigned ranges;
    UINT64 first_pages;   /* the address of the first allocations, one page each */
    unsigned first_count; /* their number */

    UINT64 next; /* the end of free memory */
    unsigned maps_read, exits;
    UINT64 executable, read_only; /* the page with this attribute */
    UINT64 pages_of[8];
    EFI_MEMORY_TYPE type_of[8];
    unsigned allocations;
} start_fw;

static uint8_t file[0x1300];
static struct kernel kernel;
static struct boot_keep keep;

static jmp_buf kernel_entered;
static struct trampoline_arguments entered;
static const struct trampoline_arguments *entered_at;

FAKE_VOID(screen_find, (struct boot_screen * screen),
          *screen = (struct boot_screen){ .base = 0xc0000000, .kind = BOOT_SCREEN_PIXELS })

VOID ZeroMem(VOID *buffer, UINTN size)
{
    memset(buffer, 0, size);
}

EFI_STATUS LibGetSystemConfigurationTable(EFI_GUID *guid, VOID **table)
{
    static const EFI_GUID acpi_1 = ACPI_TABLE_GUID, acpi_2 = ACPI_20_TABLE_GUID;
    static const EFI_GUID smbios = SMBIOS_TABLE_GUID;
    const UINT64 address = memcmp(guid, &acpi_2, sizeof *guid) == 0   ? start_fw.rsdp_2
                           : memcmp(guid, &acpi_1, sizeof *guid) == 0 ? start_fw.rsdp_1
                           : memcmp(guid, &smbios, sizeof *guid) == 0 ? 0xf0010
                                                                      : 0;
    *table = (void *)(uintptr_t)address;
    return address ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(how, AllocateMaxAddress);
    assert_int_equal(*address, 0xffffffff);
    if (start_fw.pages && start_fw.allocations == start_fw.pages_before_failure)
        return start_fw.pages;
    assert_true(start_fw.allocations < COUNT_OF(start_fw.pages_of));
    if (start_fw.allocations < start_fw.first_count) {
        *address = start_fw.first_pages + start_fw.allocations * 4096;
    } else {
        start_fw.next -= pages * 4096;
        assert_true(start_fw.next >= LOW);
        *address = start_fw.next;
    }
    memset((void *)(uintptr_t)*address, 0xa5, pages * 4096);
    start_fw.pages_of[start_fw.allocations] = *address;
    start_fw.type_of[start_fw.allocations++] = type;
    fw.pages_out += pages;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    unsigned i = 0;
    while (i < start_fw.allocations && start_fw.pages_of[i] != address)
        i++;
    assert_true(i < start_fw.allocations);
    fw.pages_out -= pages;
    return EFI_SUCCESS;
}

/* Descriptors of 48 bytes, longer than the structure, as real firmware has. */
static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key, UINTN *stride,
                                        UINT32 *version)
{
    const UINTN room = *size;
    assert_int_equal(room, 4096 * sizeof *map);
    *size = start_fw.ranges * 48;
    if (*size > room)
        return EFI_BUFFER_TOO_SMALL;
    if (start_fw.memory_map)
        return start_fw.memory_map;
    for (unsigned i = 0; i < start_fw.ranges; i++)
        memcpy((uint8_t *)map + i * 48, &start_fw.map[i], sizeof start_fw.map[i]);
    *key = 0x100 + start_fw.maps_read++;
    *stride = 48;
    *version = 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI exit_services(EFI_HANDLE self, UINTN key)
{
    assert_ptr_equal(self, SELF);
    assert_int_equal(key, 0x100 + start_fw.exits); /* the newest map's key */
    start_fw.exits++;
    return start_fw.exits > start_fw.exits_before_success ? EFI_SUCCESS : EFI_INVALID_PARAMETER;
}

/* UEFI 2.10, 37.5: EFI_MEMORY_ATTRIBUTE_PROTOCOL; 7.2.3: EFI_MEMORY_XP is 4000h, EFI_MEMORY_RO 20000h. */
static struct {
    void *get;
    change_attributes *set, *clear;
} attributes;

/* No page is ever writable and executable. */
static EFI_STATUS EFIAPI set_attributes(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                        UINT64 mask)
{
    assert_ptr_equal(this, &attributes);
    assert_int_equal(size, 4096);
    if (mask == 0x20000) {
        assert_int_equal(start_fw.executable, 0);
        start_fw.read_only = start_fw.set_attributes ? 0 : base;
        return start_fw.set_attributes;
    }
    assert_int_equal(mask, 0x4000);
    start_fw.executable = 0;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI clear_attributes(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                          UINT64 mask)
{
    assert_ptr_equal(this, &attributes);
    assert_int_equal(size, 4096);
    if (mask == 0x4000) {
        assert_int_equal(start_fw.read_only, base);
        start_fw.executable = start_fw.clear_attributes ? 0 : base;
        return start_fw.clear_attributes;
    }
    assert_int_equal(mask, 0x20000);
    assert_int_equal(start_fw.executable, 0);
    start_fw.read_only = 0;
    return EFI_SUCCESS;
}

static void enter_kernel(const struct trampoline_arguments *arguments)
{
    entered_at = arguments;
    entered = *arguments;
    longjmp(kernel_entered, 1);
}

/* A kernel with two segments: 20h bytes in memory 100h, and a page further, 10h bytes in memory 2000h. */
static void put_kernel(uint32_t address)
{
    memset(file, 0, sizeof file);
    memset(file + 0x100, 64, 0x20);
    memset(file + 0x180, 65, 0x10);
    kernel = (struct kernel){ .width = 64, .file = file, .size = sizeof file };
    kernel.image = (struct elf_image){ .entry = address + 8, .segment_count = 2 };
    kernel.image.segments[0] =
        (struct elf_segment){ .address = address, .file_offset = 0x100, .file_size = 0x20, .memory_size = 0x100 };
    kernel.image.segments[1] = (struct elf_segment){
        .address = address + 0x1000, .file_offset = 0x180, .file_size = 0x10, .memory_size = 0x2000
    };
}

static void put_range(uint32_t type, UINT64 base, UINT64 bytes)
{
    assert_true(start_fw.ranges < RANGES);
    start_fw.map[start_fw.ranges++] = (EFI_MEMORY_DESCRIPTOR){
        .Type = type, .PhysicalStart = base, .NumberOfPages = bytes / 4096, .VirtualStart = UINT64_MAX
    };
}

static const uint8_t attribute_guid[16] = { 0xf6, 0x0c, 0x56, 0xf4, 0xec, 0x40, 0x4a, 0x4b,
                                            0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 };

static int new_machine(void **state)
{
    const uint64_t target = (uintptr_t)enter_kernel;
    uint8_t *jump = (uint8_t *)(uintptr_t)trampoline_start;
    new_firmware();
    services.AllocatePages = allocate_pages;
    services.FreePages = free_pages;
    services.GetMemoryMap = get_memory_map;
    services.ExitBootServices = exit_services;
    memset(&start_fw, 0, sizeof start_fw);
    assert_int_equal(mprotect(map_at(LOW, LOW_SIZE), LOW_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    start_fw.next = LOW_END;
    start_fw.rsdp_1 = 0xe0010;
    start_fw.rsdp_2 = 0xbfb7e014;
    put_range(EfiConventionalMemory, KERNEL, 0x2000000); /* not sorted */
    put_range(EfiConventionalMemory, 0, 0x9f000);
    put_range(EfiLoaderData, LOW, LOW_SIZE);
    put_kernel(KERNEL);
    memset(jump, 0x90, 28); /* nop; at the end: mov rax, enter_kernel; jmp rax */
    memcpy(jump + 28, "\x48\xb8", 2);
    memcpy(jump + 30, &target, 8);
    memcpy(jump + 38, "\xff\xe0", 2);
    keep = (struct boot_keep){ .base = 0x1000000, .size = 0x100000 };
    return 0;
}

static void new_machine_with_attributes(void)
{
    new_machine(NULL);
    attributes.set = set_attributes;
    attributes.clear = clear_attributes;
    add_protocol(SELF, attribute_guid, &attributes);
}

/* Whether the kernel was entered; if not, *status is the loader's status. */
static bool starts(EFI_STATUS *status)
{
    static char options[LOAD_OPTIONS_MAX + 1] = "run=bts.* list";
    *status = EFI_SUCCESS;
    if (setjmp(kernel_entered))
        return true;
    *status = start_kernel(SELF, &kernel, options, &keep);
    return false;
}

static void assert_starts(void)
{
    EFI_STATUS status;
    if (!starts(&status))
        fail_msg("no kernel was started: %s", console_said);
    assert_string_equal(console_said, "");
}

/* The loader fails with this status and sentence, and frees everything. */
static void assert_refuses(EFI_STATUS want, const char *sentence)
{
    EFI_STATUS status;
    assert_false(starts(&status));
    if (sentence)
        assert_string_equal(console_said, sentence);
    assert_true(status == want);
    assert_given_back(0);
    assert_int_equal(start_fw.executable, 0);
    assert_int_equal(start_fw.read_only, 0);
}

static const struct boot_info *info(void)
{
    return (const struct boot_info *)(uintptr_t)entered.info;
}

static const char *text_at(uint64_t address)
{
    return (const char *)(uintptr_t)address;
}

static void assert_range(uint32_t index, uint64_t base, uint64_t size, uint32_t type)
{
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)info()->memory;
    assert_true(index < info()->memory_count);
    assert_int_equal(map[index].base, base);
    assert_int_equal(map[index].size, size);
    assert_int_equal(map[index].type, type);
}

UNIT_TEST(remarks_are_passed_on)
{
    remark("the log will not be saved: %s", "the boot volume is read-only");
    remark("another");
    assert_string_equal(console_said, "dstest86: the log will not be saved: the boot volume is read-only\n"
                                      "dstest86: another\n");
    console_said[0] = '\0';
    assert_starts();
    assert_string_equal(text_at(info()->remarks), "the log will not be saved: the boot volume is read-only; another");
    for (unsigned i = 0; i < 100; i++)
        remark("longer");
    assert_int_equal(strlen(remarks()), REMARKS_SIZE - 1);
    all[0] = '\0';
}

UNIT_TEST(a_start)
{
    static const uint32_t sizes[2] = { 0x20, 0x10 }, rooms[2] = { 0x100, 0x2000 };
    assert_starts();
    assert_true((uintptr_t)entered_at >= LOW && (uintptr_t)entered_at < LOW_END);
    assert_int_equal(entered.magic, 0x36387364);
    assert_int_equal(entered.entry, KERNEL + 8);
    assert_int_equal(entered.segment_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct trampoline_segment *segment = &entered.segments[i];
        assert_int_equal(segment->target, KERNEL + 0x1000 * i);
        assert_int_equal(segment->file_size, sizes[i]);
        assert_int_equal(segment->memory_size, rooms[i]);
        assert_true(segment->source >= LOW && segment->source + sizes[i] <= LOW_END);
        for (uint32_t n = 0; n < sizes[i]; n++)
            assert_int_equal(text_at(segment->source)[n], 64 + i);
    }
    const struct boot_info want = { .version = 4,
                                    .size = 120,
                                    .options = info()->options,
                                    .route = info()->route,
                                    .memory = info()->memory,
                                    .memory_count = 3,
                                    .rsdp = 0xbfb7e014,
                                    .smbios = 0xf0010,
                                    .screen = { .base = 0xc0000000, .kind = BOOT_SCREEN_PIXELS },
                                    .keep = keep };
    assert_memory_equal(info(), &want, sizeof want);
    assert_string_equal(text_at(info()->options), "run=bts.* list");
    assert_string_equal(text_at(info()->route), "uefi x64");
    assert_range(0, 0, 0x9f000, BOOT_MEMORY_USABLE);
    assert_range(1, LOW, LOW_SIZE, BOOT_MEMORY_LOADER);
    assert_range(2, KERNEL, 0x2000000, BOOT_MEMORY_USABLE);

    /* One exit; the trampoline in executable memory; zeros between the segments' bytes. */
    assert_true(start_fw.exits == 1 && start_fw.maps_read == 1 && start_fw.allocations == 2);
    assert_int_equal(start_fw.type_of[0], EfiLoaderCode);
    assert_int_equal(start_fw.type_of[1], EfiLoaderData);
    assert_int_equal(text_at(start_fw.pages_of[0])[40], 0);
    assert_int_equal(text_at(start_fw.pages_of[0])[4095], 0);
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)info()->memory;
    assert_true(map[4095].base == 0 && map[4095].type == 0);
}

/* Freed memory is not executable any more. */
UNIT_TEST(no_execute_firmware)
{
    new_machine_with_attributes();
    assert_starts();
    assert_int_equal(start_fw.executable, start_fw.pages_of[0]);
    assert_int_equal(start_fw.read_only, start_fw.pages_of[0]);
    new_machine_with_attributes();
    start_fw.set_attributes = EFI_UNSUPPORTED;
    assert_refuses(EFI_UNSUPPORTED, "dstest86: cannot make the page at 0x101ff000 executable: status 3\n");
    new_machine_with_attributes();
    start_fw.clear_attributes = EFI_ACCESS_DENIED;
    assert_refuses(EFI_ACCESS_DENIED, "dstest86: cannot make the page at 0x101ff000 executable: status 15\n");
}

/* Allocated pages at the kernel's destination are kept until others were found, and then freed. */
UNIT_TEST(occupied_pages)
{
    static const struct {
        uint32_t kernel; /* the address of its 100h bytes */
        unsigned in_the_way, allocations;
    } cases[] = {
        { LOW + 0x4000, 1, 3 },         /* on the page */
        { LOW + 0x4000 - 0xff, 1, 3 },  /* its last byte on the page's first one */
        { LOW + 0x4000 - 0x100, 0, 2 }, /* before it */
        { LOW + 0x4fff, 1, 3 },         /* its first byte on the page's last one */
        { LOW + 0x5000, 0, 2 },         /* behind it */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        /* The number of allocations that succeed. */
        for (unsigned successes = cases[i].in_the_way; successes <= cases[i].allocations; successes++) {
            new_machine(NULL);
            put_kernel(cases[i].kernel);
            kernel.image.segment_count = 1;
            start_fw.first_pages = LOW + 0x4000;
            start_fw.first_count = 1;
            start_fw.pages = EFI_OUT_OF_RESOURCES;
            start_fw.pages_before_failure = successes;
            if (successes < cases[i].allocations) {
                assert_refuses(EFI_OUT_OF_RESOURCES,
                               successes ? NULL : "dstest86: cannot allocate 4 KiB below 4 GiB: status 9\n");
                continue;
            }
            assert_starts();
            assert_int_equal(start_fw.allocations, cases[i].allocations);
            assert_int_not_equal(start_fw.pages_of[1], LOW + 0x4000);
            assert_given_back(1 + (sizeof(struct handover) + 0x1300 + 4095) / 4096);
        }
    }
}

/* UEFI 2.10, table 7.6: each type's meaning after ExitBootServices(), in order; the last is not defined. */
UNIT_TEST(memory_types)
{
    static const uint32_t types[] = {
        2, BOOT_MEMORY_LOADER, BOOT_MEMORY_LOADER, 1, 1, 2, 2, 1, 2, 3, 4, 2, 2, 2, 2, 2
    };
    for (uint32_t type = 0; type < COUNT_OF(types); type++)
        put_range(type, 0x40000000 + type * 0x10000, 0x1000);
    assert_starts();
    for (uint32_t type = 0; type < COUNT_OF(types); type++)
        assert_range(3 + type, 0x40000000 + type * 0x10000, 0x1000, types[type]);
}

UNIT_TEST(obstacles)
{
    static const struct {
        uint32_t type;
        const char *what;
    } cases[] = {
        { EfiReservedMemoryType, "reserved by the firmware" },
        { EfiRuntimeServicesData, "reserved by the firmware" },
        { EfiACPIReclaimMemory, "occupied by ACPI tables" },
        { EfiACPIMemoryNVS, "ACPI NVS memory" },
    };
    char sentence[400];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        start_fw.map[0].PhysicalStart += 0x2000;
        put_range(EfiConventionalMemory, KERNEL, 0x1000);
        put_range(cases[i].type, KERNEL + 0x1000, 0x1000);
        snprintf(sentence, sizeof sentence,
                 "dstest86: cannot load the kernel segment of 0x2000 bytes at "
                 "0x20001000: 0x20001000 is %s\n",
                 cases[i].what);
        assert_refuses(EFI_UNSUPPORTED, sentence);
        assert_int_equal(start_fw.exits, 0);
    }
    new_machine(NULL);
    start_fw.map[0].NumberOfPages = 2;
    assert_refuses(EFI_UNSUPPORTED, "dstest86: cannot load the kernel segment of 0x2000 bytes at 0x20001000: "
                                    "0x20002000 is not memory\n");
}

/* Memory in many pieces: 3413 descriptors of 48 bytes fill 4096 * 40 bytes. */
UNIT_TEST(a_long_memory_map)
{
    while (start_fw.ranges < 3413)
        put_range(start_fw.ranges % 2 ? EfiConventionalMemory : EfiReservedMemoryType,
                  0x40000000 + start_fw.ranges * 0x1000, 0x1000);
    assert_starts();
    assert_int_equal(info()->memory_count, 3413);
    for (uint32_t i = 3; i < 3413; i++)
        assert_range(i, 0x40000000 + i * 0x1000, 0x1000, i % 2 ? BOOT_MEMORY_USABLE : BOOT_MEMORY_RESERVED);

    new_machine(NULL);
    while (start_fw.ranges < 3414)
        put_range(EfiConventionalMemory, 0x40000000 + start_fw.ranges * 0x2000, 0x1000);
    assert_refuses(EFI_BUFFER_TOO_SMALL, "dstest86: cannot read the memory map (163872 bytes): status 5\n");
}

/* The memory map may change before the exit; then no memory stays executable. */
UNIT_TEST(exits)
{
    start_fw.exits_before_success = 7;
    assert_starts();
    assert_true(start_fw.exits == 8 && start_fw.maps_read == 8);
    new_machine_with_attributes();
    start_fw.exits_before_success = 8;
    assert_refuses(EFI_INVALID_PARAMETER, "dstest86: ExitBootServices failed: status 2\n");
    assert_int_equal(start_fw.exits, 8);
    new_machine(NULL);
    start_fw.memory_map = EFI_DEVICE_ERROR;
    assert_refuses(EFI_DEVICE_ERROR, "dstest86: cannot read the memory map (144 bytes): status 7\n");
}

/* The newer root pointer has precedence. One above 4 GiB is useless: the kernel is entered without paging. */
UNIT_TEST(root_pointers)
{
    static const struct {
        UINT64 rsdp_1, rsdp_2, want;
    } cases[] = {
        { 0xe0010, 0xbfb7e014, 0xbfb7e014 },
        { 0xe0010, 0, 0xe0010 },
        { 0, 0, 0 },
        { 0xe0010, 0x1bfb7e014, 0xe0010 },
        { 0, 0xfffffffe, 0xfffffffe },
        { 0, 0xffffffff, 0 },
        { 0x100000000, 0, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        start_fw.rsdp_1 = cases[i].rsdp_1;
        start_fw.rsdp_2 = cases[i].rsdp_2;
        assert_starts();
        assert_int_equal(info()->rsdp, cases[i].want);
    }
}
