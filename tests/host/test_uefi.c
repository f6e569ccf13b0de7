/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader on a firmware that is a table of functions: what the kernel is handed, each sentence and status of
 * each failure, and that everything is given back then. The trampoline is a jump into this test.
 */
#define _GNU_SOURCE 1 /* mmap() with MAP_ANONYMOUS */
#include <sys/mman.h>

#include "tests/host/host_test.h"
#include "tests/host/uefi_console.h"

#include <cpuid.h>

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx);
#define __get_cpuid fake_cpuid
#include "boot/uefi/uefi.c"
#include "boot/uefi/screen.c"

#include "boot/uefi/menu.c"

/* Where embed.asm and trampoline.asm put theirs. */
__asm__(".data\n"
        ".globl kernel_64_start, kernel_64_end, kernel_32_start, kernel_32_end, trampoline_start, trampoline_end\n"
        "kernel_64_start: .skip 0x1300\nkernel_64_end:\n"
        "kernel_32_start: .skip 0x200\nkernel_32_end:\n"
        "trampoline_start: .skip 40\ntrampoline_end:\n"
        ".text\n");

EFI_BOOT_SERVICES *BS;
EFI_SYSTEM_TABLE *ST;
EFI_GUID gEfiLoadedImageProtocolGuid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
EFI_GUID gEfiSimpleFileSystemProtocolGuid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

#define SELF   ((EFI_HANDLE)0x5e1f)
#define DEVICE ((EFI_HANDLE)0xde71ce)
#define TIMER  ((EFI_EVENT)0x71c)

#define LOW       0x10000000u /* where the firmware allocates, downwards from the end */
#define LOW_SIZE  0x200000u
#define LOW_END   (LOW + LOW_SIZE)
#define KERNEL_64 0x20000000u /* where the kernels go: never written here */
#define KERNEL_32 0x21000000u
#define RANGES    3500u /* more than the loader has room for */

struct key {
    unsigned tick; /* when it is pressed: how many ticks of the timer must have been waited for */
    CHAR16 character;
    UINT16 scan;
};

/* The firmware: what it answers, and what it was asked. */
static struct {
    /* services that fail, with their status; 0: none */
    EFI_STATUS loaded_image, file_system, open_volume, open_file, read, pool, pages, memory_map, exit;
    unsigned pages_before_failure, exits_before_success;
    EFI_STATUS create_event, set_timer, wait_for_event, set_attributes, clear_attributes;
    bool no_long_mode, no_extended_leaf, attributes;
    const struct key *keys; /* NULL: none */
    unsigned key_count;
    bool stuck; /* the last key is pressed for ever */
    UINT64 rsdp_1, rsdp_2;
    const void *file;
    size_t file_size;
    EFI_LOADED_IMAGE image;
    EFI_MEMORY_DESCRIPTOR map[RANGES];
    unsigned ranges;
    UINT64 first_pages;   /* where the first allocations lie, a page after the other */
    unsigned first_count; /* how many of them */

    struct {
        bool absent, console, no_mode; /* absent: by the time that it is asked for */
        EFI_GRAPHICS_OUTPUT_PROTOCOL protocol;
        EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode;
        EFI_GRAPHICS_OUTPUT_MODE_INFORMATION info;
    } screens[4];
    unsigned screen_count;

    UINT64 next; /* the end of what is not allocated */
    UINTN pages_out, pool_out;
    int files_open, roots_open;
    unsigned maps_read, exits, watchdogs;
    unsigned ticks, keys_read;
    int events_out;
    UINT64 executable, read_only; /* the page that was made so */
    UINT64 pages_of[8];
    EFI_MEMORY_TYPE type_of[8];
    unsigned allocations;
} fw;

/* The log's part of the loader (test_uefi_log.c): what it answers, and what it was asked. */
static struct {
    bool taken;
    struct boot_keep reserves;
    unsigned reserved, released;
    enum options_log wish;
} log_part;

bool log_take_away(EFI_HANDLE device, const struct options *options)
{
    log_part.wish = options->log;
    assert_ptr_equal(device, fw.image.DeviceHandle);
    return log_part.taken;
}

void log_reserve(EFI_HANDLE device, const struct options *options, struct boot_keep *keep)
{
    log_part.wish = options->log;
    assert_ptr_equal(device, fw.image.DeviceHandle);
    log_part.reserved++;
    *keep = log_part.reserves;
}

void log_release(const struct boot_keep *keep)
{
    assert_memory_equal(keep, &log_part.reserves, sizeof *keep);
    log_part.released++;
}

/* The server's files (test_uefi_log.c): one, if there is any. */
static struct {
    const char *file;
    EFI_STATUS status;
} server;

EFI_STATUS pxe_read(EFI_HANDLE device, const char *name, void *bytes, UINTN *size)
{
    assert_ptr_equal(device, fw.image.DeviceHandle);
    assert_string_equal(name, "dstest86/options.txt");
    assert_int_equal(*size, 16384);
    if (server.status || !server.file)
        return server.status ? server.status : EFI_NOT_FOUND;
    *size = strlen(server.file);
    memcpy(bytes, server.file, *size);
    return EFI_SUCCESS;
}

static jmp_buf kernel_entered;
static struct trampoline_arguments entered;
static const struct trampoline_arguments *entered_at;

/* --- the library ------------------------------------------------------------------------------------------------- */

VOID InitializeLib(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
    assert_ptr_equal(self, SELF);
    ST = system;
    BS = system->BootServices;
}

VOID ZeroMem(VOID *buffer, UINTN size)
{
    memset(buffer, 0, size);
}

EFI_STATUS LibGetSystemConfigurationTable(EFI_GUID *guid, VOID **table)
{
    static const EFI_GUID acpi_1 = ACPI_TABLE_GUID, acpi_2 = ACPI_20_TABLE_GUID;
    const UINT64 address = memcmp(guid, &acpi_2, sizeof *guid) == 0   ? fw.rsdp_2
                           : memcmp(guid, &acpi_1, sizeof *guid) == 0 ? fw.rsdp_1
                                                                      : 0;
    *table = (void *)(uintptr_t)address;
    return address ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx)
{
    *eax = *ebx = *ecx = 0;
    *edx = fw.no_long_mode ? ~(1u << 29) : 1u << 29;
    return leaf == 0x80000001 && !fw.no_extended_leaf;
}

/* --- boot services ------------------------------------------------------------------------------------------------ */

static EFI_STATUS EFIAPI close_file(struct _EFI_FILE_HANDLE *file);
static EFI_STATUS EFIAPI open_file(struct _EFI_FILE_HANDLE *root, struct _EFI_FILE_HANDLE **file, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes);
static EFI_STATUS EFIAPI read_file(struct _EFI_FILE_HANDLE *file, UINTN *size, void *bytes);

static EFI_FILE root = { .Open = open_file, .Close = close_file };
static EFI_FILE options_file = { .Read = read_file, .Close = close_file };

static EFI_STATUS EFIAPI close_file(struct _EFI_FILE_HANDLE *file)
{
    *(file == &root ? &fw.roots_open : &fw.files_open) -= 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(struct _EFI_FILE_HANDLE *from, struct _EFI_FILE_HANDLE **file, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
    static const char want[] = "\\dstest86\\options.txt";
    assert_ptr_equal(from, &root);
    assert_int_equal(mode, 1);
    assert_int_equal(attributes, 0);
    for (size_t i = 0; i < sizeof want; i++)
        assert_int_equal(name[i], want[i]);
    if (fw.open_file)
        return fw.open_file;
    fw.files_open++;
    *file = &options_file;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file(struct _EFI_FILE_HANDLE *file, UINTN *size, void *bytes)
{
    assert_ptr_equal(file, &options_file);
    if (fw.read)
        return fw.read;
    if (*size > fw.file_size)
        *size = fw.file_size;
    memcpy(bytes, fw.file, *size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(struct _EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *this, struct _EFI_FILE_HANDLE **out)
{
    (void)this;
    if (fw.open_volume)
        return fw.open_volume;
    fw.roots_open++;
    *out = &root;
    return EFI_SUCCESS;
}

static EFI_FILE_IO_INTERFACE file_system = { .OpenVolume = open_volume };

#define SCREEN ((uintptr_t)0x5c12e100) /* the handle of the first screen */

/* UEFI 2.10, 12.9, "Graphics Output Protocol", and the GUID that EDK2 has on the devices of ConOut; as in memory. */
static const uint8_t graphics_guid[16] = { 0xde, 0xa9, 0x42, 0x90, 0xdc, 0x23, 0x38, 0x4a,
                                           0x96, 0xfb, 0x7a, 0xde, 0xd0, 0x80, 0x51, 0x6a };
static const uint8_t console_guid[16] = { 0x2c, 0x6f, 0xb3, 0xd3, 0x51, 0xd5, 0xd4, 0x11,
                                          0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d };

static EFI_STATUS EFIAPI locate_handles(EFI_LOCATE_SEARCH_TYPE how, EFI_GUID *guid, void *key, UINTN *count,
                                        EFI_HANDLE **handles)
{
    assert_int_equal(how, ByProtocol);
    assert_memory_equal(guid, graphics_guid, sizeof graphics_guid);
    assert_null(key);
    if (!fw.screen_count)
        return EFI_NOT_FOUND;
    *handles = malloc(fw.screen_count * sizeof **handles);
    fw.pool_out++;
    *count = fw.screen_count;
    for (unsigned i = 0; i < fw.screen_count; i++)
        (*handles)[i] = (EFI_HANDLE)(SCREEN + i);
    return EFI_SUCCESS;
}

static EFI_STATUS screen_protocol(unsigned i, EFI_GUID *guid, void **protocol)
{
    assert_true(i < fw.screen_count);
    if (memcmp(guid, console_guid, sizeof *guid) == 0)
        return fw.screens[i].console ? EFI_SUCCESS : EFI_UNSUPPORTED;
    assert_memory_equal(guid, graphics_guid, sizeof *guid);
    fw.screens[i].protocol.Mode = fw.screens[i].no_mode ? NULL : &fw.screens[i].mode;
    fw.screens[i].mode.Info = &fw.screens[i].info;
    *protocol = &fw.screens[i].protocol;
    return fw.screens[i].absent ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    if ((uintptr_t)handle - SCREEN < COUNT_OF(fw.screens))
        return screen_protocol((unsigned)((uintptr_t)handle - SCREEN), guid, protocol);
    if (memcmp(guid, &gEfiLoadedImageProtocolGuid, sizeof *guid) == 0) {
        assert_ptr_equal(handle, SELF);
        *protocol = &fw.image;
        return fw.loaded_image;
    }
    assert_memory_equal(guid, &gEfiSimpleFileSystemProtocolGuid, sizeof *guid);
    assert_ptr_equal(handle, DEVICE);
    *protocol = &file_system;
    return fw.file_system;
}

static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN size, void **out)
{
    assert_int_equal(type, EfiLoaderData);
    if (fw.pool)
        return fw.pool;
    *out = malloc(size);
    fw.pool_out++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(void *bytes)
{
    free(bytes);
    fw.pool_out--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(how, AllocateMaxAddress);
    assert_int_equal(*address, 0xffffffff);
    if (fw.pages && fw.allocations == fw.pages_before_failure)
        return fw.pages;
    assert_true(fw.allocations < COUNT_OF(fw.pages_of));
    if (fw.allocations < fw.first_count) {
        *address = fw.first_pages + fw.allocations * 4096;
    } else {
        fw.next -= pages * 4096;
        assert_true(fw.next >= LOW);
        *address = fw.next;
    }
    memset((void *)(uintptr_t)*address, 0xa5, pages * 4096);
    fw.pages_of[fw.allocations] = *address;
    fw.type_of[fw.allocations++] = type;
    fw.pages_out += pages;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    bool allocated = false;
    for (unsigned i = 0; i < fw.allocations; i++)
        allocated = allocated || fw.pages_of[i] == address;
    assert_true(allocated);
    fw.pages_out -= pages;
    return EFI_SUCCESS;
}

/* Descriptors of 48 bytes, as firmware has them: longer than the structure. */
static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key, UINTN *stride,
                                        UINT32 *version)
{
    const UINTN room = *size;
    assert_int_equal(room, 4096 * sizeof *map);
    *size = fw.ranges * 48;
    if (*size > room)
        return EFI_BUFFER_TOO_SMALL;
    if (fw.memory_map)
        return fw.memory_map;
    for (unsigned i = 0; i < fw.ranges; i++)
        memcpy((uint8_t *)map + i * 48, &fw.map[i], sizeof fw.map[i]);
    *key = 0x100 + fw.maps_read++;
    *stride = 48;
    *version = 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI exit_services(EFI_HANDLE self, UINTN key)
{
    assert_ptr_equal(self, SELF);
    assert_int_equal(key, 0x100 + fw.exits); /* that of the newest map */
    fw.exits++;
    return fw.exits > fw.exits_before_success ? EFI_SUCCESS : fw.exit;
}

static EFI_STATUS EFIAPI set_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    assert_int_equal(seconds, 0);
    assert_int_equal(code, 0);
    assert_int_equal(size, 0);
    assert_null(data);
    fw.watchdogs++;
    loader_waits = 0; /* what gdb does */
    return EFI_SUCCESS;
}

/* UEFI 2.10, 37.5: EFI_MEMORY_ATTRIBUTE_PROTOCOL; 7.2.3: EFI_MEMORY_XP is 4000h, EFI_MEMORY_RO 20000h. */
static EFI_STATUS EFIAPI set_attributes(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                        UINT64 mask);
static EFI_STATUS EFIAPI clear_attributes(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                          UINT64 mask);
static struct {
    void *get;
    change_attributes *set, *clear;
} attributes = { NULL, set_attributes, clear_attributes };

/* No page is ever writable and executable. */
static EFI_STATUS EFIAPI set_attributes(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                        UINT64 mask)
{
    assert_ptr_equal(this, &attributes);
    assert_int_equal(size, 4096);
    if (mask == 0x20000) {
        if (fw.set_attributes)
            return fw.set_attributes;
        assert_int_equal(fw.executable, 0);
        fw.read_only = base;
    } else {
        assert_int_equal(mask, 0x4000);
        fw.executable = 0;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI clear_attributes(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                          UINT64 mask)
{
    assert_ptr_equal(this, &attributes);
    assert_int_equal(size, 4096);
    if (mask == 0x4000) {
        if (fw.clear_attributes)
            return fw.clear_attributes;
        assert_int_equal(fw.read_only, base);
        fw.executable = base;
    } else {
        assert_int_equal(mask, 0x20000);
        assert_int_equal(fw.executable, 0);
        fw.read_only = 0;
    }
    return EFI_SUCCESS;
}

/* UEFI 2.10, 7.1: a timer's type is 80000000h; periodic is 1; the period is in units of 100 ns. */
static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify, void *context,
                                      EFI_EVENT *event)
{
    assert_int_equal(type, 0x80000000);
    assert_int_equal(level, 0);
    assert_null((void *)(uintptr_t)notify);
    assert_null(context);
    if (fw.create_event)
        return fw.create_event;
    fw.events_out++;
    *event = TIMER;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 period)
{
    assert_ptr_equal(event, TIMER);
    assert_int_equal(type, 1);
    assert_int_equal(period, 1000000);
    return fw.set_timer;
}

static EFI_STATUS EFIAPI wait_for_event(UINTN count, EFI_EVENT *events, UINTN *index)
{
    assert_int_equal(count, 1);
    assert_ptr_equal(*events, TIMER);
    if (fw.wait_for_event)
        return fw.wait_for_event;
    fw.ticks++;
    *index = 0;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    assert_ptr_equal(event, TIMER);
    fw.events_out--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_key_stroke(struct _SIMPLE_INPUT_INTERFACE *this, EFI_INPUT_KEY *key);
static SIMPLE_INPUT_INTERFACE keyboard = { .ReadKeyStroke = read_key_stroke };

static EFI_STATUS EFIAPI read_key_stroke(struct _SIMPLE_INPUT_INTERFACE *this, EFI_INPUT_KEY *key)
{
    const unsigned next = fw.stuck && fw.keys_read >= fw.key_count ? fw.key_count - 1 : fw.keys_read;
    assert_ptr_equal(this, &keyboard);
    if (next >= fw.key_count || fw.keys[next].tick > fw.ticks)
        return EFI_NOT_READY;
    *key = (EFI_INPUT_KEY){ .ScanCode = fw.keys[next].scan, .UnicodeChar = fw.keys[next].character };
    fw.keys_read++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, void *registration, void **protocol)
{
    static const uint8_t want[16] = { 0xf6, 0x0c, 0x56, 0xf4, 0xec, 0x40, 0x4a, 0x4b,
                                      0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 };
    assert_memory_equal(guid, want, sizeof want);
    assert_null(registration);
    *protocol = &attributes;
    return fw.attributes ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_BOOT_SERVICES services = {
    .HandleProtocol = handle_protocol,
    .AllocatePool = allocate_pool,
    .FreePool = free_pool,
    .AllocatePages = allocate_pages,
    .FreePages = free_pages,
    .GetMemoryMap = get_memory_map,
    .ExitBootServices = exit_services,
    .SetWatchdogTimer = set_watchdog,
    .LocateProtocol = locate_protocol,
    .CreateEvent = create_event,
    .SetTimer = set_timer,
    .WaitForEvent = wait_for_event,
    .CloseEvent = close_event,
    .LocateHandleBuffer = locate_handles,
};
static EFI_SYSTEM_TABLE system_table = { .BootServices = &services };

/* --- the machine -------------------------------------------------------------------------------------------------- */

static void enter_kernel(const struct trampoline_arguments *arguments)
{
    entered_at = arguments;
    entered = *arguments;
    longjmp(kernel_entered, 1);
}

static void put(uint8_t *bytes, size_t offset, uint64_t value, size_t size)
{
    memcpy(bytes + offset, &value, size);
}

/* An ELF of two segments: 20h bytes of 100h, executable, and 10h bytes of 2000h; entered at the 8th byte. */
static void make_kernel(const uint8_t *at, size_t size, unsigned width, uint32_t address)
{
    static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 0, 1, 1 };
    uint8_t *file = (uint8_t *)(uintptr_t)at;
    const bool wide = width == 64;
    const size_t word = wide ? 8 : 4, header = wide ? 56 : 32;

    memset(file, 0, size);
    memcpy(file, ident, sizeof ident);
    file[4] = wide ? 2 : 1;
    put(file, 16, 2, 2);
    put(file, 18, wide ? 62 : 3, 2);
    put(file, 20, 1, 4);
    put(file, 24, address + 8, word);
    put(file, wide ? 32 : 28, 0x40, word);
    put(file, wide ? 54 : 42, header, 2);
    put(file, wide ? 56 : 44, 2, 2);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *segment = file + 0x40 + i * header;
        const uint64_t offset = i == 0 ? 0x100 : 0x180, target = address + (i == 0 ? 0 : 0x1000);
        put(segment, 0, 1, 4);
        put(segment, wide ? 4 : 24, i == 0 ? 5 : 6, 4);
        put(segment, wide ? 8 : 4, offset, word);
        put(segment, wide ? 16 : 8, target, word);
        put(segment, wide ? 24 : 12, target, word);
        put(segment, wide ? 32 : 16, i == 0 ? 0x20 : 0x10, word);
        put(segment, wide ? 40 : 20, i == 0 ? 0x100 : 0x2000, word);
        memset(file + offset, (int)(width + i), i == 0 ? 0x20 : 0x10);
    }
}

static void put_range(uint32_t type, UINT64 base, UINT64 bytes)
{
    assert_true(fw.ranges < RANGES);
    fw.map[fw.ranges++] = (EFI_MEMORY_DESCRIPTOR){
        .Type = type, .PhysicalStart = base, .NumberOfPages = bytes / 4096, .VirtualStart = UINT64_MAX
    };
}

static CHAR16 load_options[LOAD_OPTIONS_MAX + 8];

static void pass_options(const char *text)
{
    size_t i = 0;
    do
        load_options[i] = (CHAR16)text[i];
    while (text[i++]);
    fw.image.LoadOptions = load_options;
    fw.image.LoadOptionsSize = (UINT32)(2 * i);
}

static void pass_file(const char *text)
{
    fw.image.LoadOptionsSize = 0;
    fw.file = text;
    fw.file_size = strlen(text);
}

/* Adds a screen of 1024x768 in rows of 1040 pixels. */
static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *put_screen(UINT64 base, uint32_t format, bool console)
{
    const unsigned i = fw.screen_count++;
    assert_true(i < COUNT_OF(fw.screens));
    fw.screens[i].console = console;
    fw.screens[i].info = (EFI_GRAPHICS_OUTPUT_MODE_INFORMATION){
        .HorizontalResolution = 1024, .VerticalResolution = 768, .PixelFormat = format, .PixelsPerScanLine = 1040
    };
    fw.screens[i].mode.FrameBufferBase = base;
    fw.screens[i].mode.FrameBufferSize = 1040 * 768 * 4;
    return &fw.screens[i].info;
}

static int new_machine(void **state)
{
    const uint64_t target = (uintptr_t)enter_kernel;
    uint8_t *jump = (uint8_t *)(uintptr_t)trampoline_start;
    (void)state;
    memset(&fw, 0, sizeof fw);
    console_said[0] = '\0';
    system_table.ConIn = &keyboard;
    memset(&log_part, 0, sizeof log_part);
    memset(&server, 0, sizeof server);
    fw.next = LOW_END;
    fw.rsdp_1 = 0xe0010;
    fw.rsdp_2 = 0xbfb7e014;
    fw.image.DeviceHandle = DEVICE;
    fw.image.ImageBase = (void *)0x7e000000;
    fw.exit = EFI_INVALID_PARAMETER;
    put_screen(0xc0000000, PixelBlueGreenRedReserved8BitPerColor, true);
    put_range(EfiConventionalMemory, KERNEL_64, 0x2000000); /* not sorted */
    put_range(EfiConventionalMemory, 0, 0x9f000);
    put_range(EfiLoaderData, LOW, LOW_SIZE);
    pass_options("BOOTX64.EFI run=bts.* list");
    make_kernel(kernel_64_start, (size_t)(kernel_64_end - kernel_64_start), 64, KERNEL_64);
    make_kernel(kernel_32_start, (size_t)(kernel_32_end - kernel_32_start), 32, KERNEL_32);
    memset(jump, 0x90, 28); /* nop; at the end: mov rax, enter_kernel; jmp rax */
    memcpy(jump + 28, "\x48\xb8", 2);
    memcpy(jump + 30, &target, 8);
    memcpy(jump + 38, "\xff\xe0", 2);
    loader_waits = 1;
    return 0;
}

static int map_low(void **state)
{
    (void)state;
    return mmap((void *)(uintptr_t)LOW, LOW_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED;
}

/* Whether the kernel was entered; if not, *status is what the firmware got back. */
static bool loads(EFI_STATUS *status)
{
    *status = EFI_SUCCESS;
    if (setjmp(kernel_entered)) {
        assert_int_equal(fw.watchdogs, 1); /* the firmware does not reset the machine after five minutes */
        assert_int_equal(fw.events_out, 0);
        return true;
    }
    *status = efi_main(SELF, &system_table);
    assert_int_equal(log_part.released, log_part.reserved);
    return false;
}

static void assert_starts(void)
{
    EFI_STATUS status;
    if (!loads(&status))
        fail_msg("no kernel was started: %s", console_said);
}

/* The loader gives up with this status and sentence, and gives back all that it took. */
static void assert_refuses(EFI_STATUS want, const char *sentence)
{
    EFI_STATUS status;
    char said[1200];
    assert_false(loads(&status));
    snprintf(said, sizeof said, "%sdstest86: no kernel started; returning to the firmware\n", sentence);
    assert_string_equal(console_said, said);
    assert_true(status == want);
    assert_int_equal(fw.pages_out, 0);
    assert_int_equal(fw.pool_out, 0);
    assert_int_equal(fw.files_open, 0);
    assert_int_equal(fw.roots_open, 0);
    assert_int_equal(fw.events_out, 0);
    assert_int_equal(fw.executable, 0);
    assert_int_equal(fw.read_only, 0);
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

#define STARTING "dstest86: loader at 0x7e000000 is starting the 64-bit kernel at 0x20000008, options: run=bts.* list\n"

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void assert_segments(unsigned width, uint32_t address)
{
    static const uint32_t sizes[2] = { 0x20, 0x10 }, rooms[2] = { 0x100, 0x2000 };
    assert_int_equal(entered.entry, address + 8);
    assert_int_equal(entered.segment_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct trampoline_segment *segment = &entered.segments[i];
        assert_int_equal(segment->target, address + 0x1000 * i);
        assert_int_equal(segment->file_size, sizes[i]);
        assert_int_equal(segment->memory_size, rooms[i]);
        assert_true(segment->source >= LOW && segment->source + sizes[i] <= LOW_END);
        for (uint32_t n = 0; n < sizes[i]; n++)
            assert_int_equal(text_at(segment->source)[n], width + i);
    }
}

static void a_start(void **state)
{
    (void)state;
    assert_starts();
    assert_string_equal(console_said, "dstest86: loader at 0x7e000000 is starting the 64-bit kernel at 0x20000008, "
                                      "options: run=bts.* list\n");
    assert_true((uintptr_t)entered_at >= LOW && (uintptr_t)entered_at < LOW_END);
    assert_int_equal(entered.magic, 0x36387364);
    assert_segments(64, KERNEL_64);
    assert_int_equal(info()->version, 3);
    assert_int_equal(info()->size, 104);
    assert_int_equal(info()->reserved, 0);
    assert_string_equal(text_at(info()->options), "run=bts.* list");
    assert_string_equal(text_at(info()->route), "uefi x64");
    assert_int_equal(info()->rsdp, 0xbfb7e014);
    assert_int_equal(info()->memory_count, 3);
    assert_range(0, 0, 0x9f000, BOOT_MEMORY_USABLE);
    assert_range(1, LOW, LOW_SIZE, BOOT_MEMORY_LOADER);
    assert_range(2, KERNEL_64, 0x2000000, BOOT_MEMORY_USABLE);

    /* Once each, the trampoline in memory that may hold code; no byte of the firmware's is left between ours. */
    assert_int_equal(fw.exits, 1);
    assert_int_equal(fw.maps_read, 1);
    assert_int_equal(fw.allocations, 2);
    assert_int_equal(fw.type_of[0], EfiLoaderCode);
    assert_int_equal(fw.type_of[1], EfiLoaderData);
    assert_int_equal(fw.executable, 0);
    assert_int_equal(fw.ticks, 0); /* nor was waited */
    assert_int_equal(text_at(fw.pages_of[0])[40], 0);
    assert_int_equal(text_at(fw.pages_of[0])[4095], 0);
    const struct boot_memory *map = (const struct boot_memory *)(uintptr_t)info()->memory;
    assert_int_equal(map[4095].base, 0);
    assert_int_equal(map[4095].type, 0);
}

static void no_execute_firmware(void **state)
{
    (void)state;
    fw.attributes = true;
    assert_starts();
    assert_int_equal(fw.executable, fw.pages_of[0]);
    assert_int_equal(fw.read_only, fw.pages_of[0]);

    /* What is given back is data again. */
    new_machine(NULL);
    fw.attributes = true;
    fw.exits_before_success = 8;
    assert_refuses(EFI_INVALID_PARAMETER, STARTING "dstest86: ExitBootServices failed: status 2\n");

    new_machine(NULL);
    fw.attributes = true;
    fw.set_attributes = EFI_UNSUPPORTED;
    assert_refuses(EFI_UNSUPPORTED, STARTING "dstest86: cannot make the page at 0x101ff000 executable: status 3\n");
    new_machine(NULL);
    fw.attributes = true;
    fw.clear_attributes = EFI_ACCESS_DENIED;
    assert_refuses(EFI_ACCESS_DENIED, STARTING "dstest86: cannot make the page at 0x101ff000 executable: status 15\n");
}

static void no_options(void **state)
{
    (void)state;
    pass_file("");
    assert_starts();
    assert_string_equal(text_at(info()->options), "");
    assert_non_null(strstr(console_said, ", options: none\n"));
}

static void widths(void **state)
{
    (void)state;
    pass_options("width=32");
    assert_starts();
    assert_segments(32, KERNEL_32);
    assert_non_null(strstr(console_said, "starting the 32-bit kernel at 0x21000008, options: width=32\n"));

    new_machine(NULL);
    pass_options("width=64");
    assert_starts();
    assert_segments(64, KERNEL_64);

    new_machine(NULL);
    fw.no_long_mode = true;
    assert_starts();
    assert_segments(32, KERNEL_32);

    new_machine(NULL);
    fw.no_extended_leaf = true;
    assert_starts();
    assert_segments(32, KERNEL_32);

    new_machine(NULL);
    fw.no_long_mode = true;
    pass_options("width=64");
    assert_refuses(EFI_UNSUPPORTED, "dstest86: width=64: this processor has no long mode (CPUID.80000001H:EDX bit 29); "
                                    "use width=32\n");
    assert_int_equal(fw.allocations, 0);
}

/* The loader judges width= alone; the kernel says what is wrong with the rest. */
static void wrong_options(void **state)
{
    (void)state;
    pass_options("run=x width=16 list");
    assert_refuses(EFI_INVALID_PARAMETER, "dstest86: invalid value: width=16\n");

    new_machine(NULL);
    pass_options("width");
    assert_refuses(EFI_INVALID_PARAMETER, "dstest86: missing value: width\n");

    new_machine(NULL);
    pass_options("widths=3 run=x");
    assert_starts();
    assert_string_equal(text_at(info()->options), "widths=3 run=x");

    new_machine(NULL);
    pass_options("records=many wid=3");
    assert_starts();
    assert_string_equal(text_at(info()->options), "records=many wid=3");

    new_machine(NULL);
    pass_options("w= run");
    assert_starts();
}

static void load_options_of_firmware(void **state)
{
    (void)state;
    static const uint8_t binary[] = { 'l', 0, 'i', 0, 's', 0, 't', 0, 1, 2, 3 };
    fw.image.LoadOptions = (void *)(uintptr_t)binary;
    fw.image.LoadOptionsSize = sizeof binary;
    assert_starts();
    assert_string_equal(text_at(info()->options), "list");
    assert_non_null(
        strstr(console_said, "dstest86: load options: ignored 3 bytes that are not printable ASCII in UCS-2\n"));

    new_machine(NULL);
    char text[LOAD_OPTIONS_MAX + 2];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    pass_options(text);
    assert_refuses(EFI_INVALID_PARAMETER, "dstest86: load options: more than 1023 characters of options\n");
    text[LOAD_OPTIONS_MAX] = '\0';
    new_machine(NULL);
    pass_options(text);
    assert_starts();
    assert_int_equal(strlen(text_at(info()->options)), 1023);
}

static void options_of_the_file(void **state)
{
    (void)state;
    pass_file("# comment\nrun=x\nlist\n");
    assert_starts();
    assert_string_equal(text_at(info()->options), "run=x list");
    assert_int_equal(fw.pool_out, 0);
    assert_int_equal(fw.files_open, 0);
    assert_int_equal(fw.roots_open, 0);

    new_machine(NULL); /* the file counts only if no options were passed */
    fw.file = "run=x";
    fw.file_size = 5;
    assert_starts();
    assert_string_equal(text_at(info()->options), "run=bts.* list");
}

static void without_a_file(void **state)
{
    (void)state;
    pass_file("run=x");
    fw.image.DeviceHandle = NULL;
    assert_starts();
    assert_string_equal(text_at(info()->options), "");

    new_machine(NULL);
    pass_file("run=x");
    fw.file_system = EFI_UNSUPPORTED;
    assert_starts();
    assert_string_equal(text_at(info()->options), "");

    new_machine(NULL);
    pass_file("run=x");
    fw.open_file = EFI_NOT_FOUND;
    assert_starts();
    assert_string_equal(text_at(info()->options), "");
    assert_int_equal(fw.roots_open, 0);
}

static void options_of_a_server(void **state)
{
    (void)state;
    pass_file("run=x");
    fw.file_system = EFI_UNSUPPORTED;
    server.file = "# by PXE\nrun=y log=stick";
    assert_starts();
    assert_string_equal(text_at(info()->options), "run=y log=stick");
    assert_int_equal(fw.pool_out, 0);

    new_machine(NULL);
    pass_file("run=x");
    fw.file_system = EFI_UNSUPPORTED;
    server.status = EFI_BUFFER_TOO_SMALL;
    assert_refuses(EFI_BUFFER_TOO_SMALL, "dstest86: the server's dstest86/options.txt: larger than 16384 bytes\n");

    new_machine(NULL);
    pass_file("run=x");
    fw.file_system = EFI_UNSUPPORTED;
    fw.pool = EFI_OUT_OF_RESOURCES;
    assert_refuses(EFI_OUT_OF_RESOURCES, "");
}

static void a_file_that_cannot_be_used(void **state)
{
    static char large[16386];
    (void)state;
    pass_file("run=x");
    fw.open_volume = EFI_DEVICE_ERROR;
    assert_refuses(EFI_DEVICE_ERROR, "dstest86: \\dstest86\\options.txt: cannot open: status 7\n");

    new_machine(NULL);
    pass_file("run=x");
    fw.open_file = EFI_ACCESS_DENIED;
    assert_refuses(EFI_ACCESS_DENIED, "dstest86: \\dstest86\\options.txt: cannot open: status 15\n");

    new_machine(NULL);
    pass_file("run=x");
    fw.read = EFI_DEVICE_ERROR;
    assert_refuses(EFI_DEVICE_ERROR, "dstest86: \\dstest86\\options.txt: cannot read: status 7\n");

    new_machine(NULL);
    pass_file("run=x");
    fw.pool = EFI_OUT_OF_RESOURCES;
    assert_refuses(EFI_OUT_OF_RESOURCES, "");

    new_machine(NULL);
    pass_file("run=x\n\n\xc3\xa4");
    assert_refuses(EFI_INVALID_PARAMETER,
                   "dstest86: \\dstest86\\options.txt: line 3: a character that is not printable "
                   "ASCII (allowed in comments only)\n");

    new_machine(NULL);
    memset(large, ' ', sizeof large - 1);
    pass_file(large);
    assert_refuses(EFI_BAD_BUFFER_SIZE, "dstest86: \\dstest86\\options.txt: larger than 16384 bytes\n");
    large[16384] = '\0';
    new_machine(NULL);
    pass_file(large);
    assert_starts();
}

static void a_damaged_kernel(void **state)
{
    (void)state;
    *(uint8_t *)(uintptr_t)kernel_64_start = 0;
    assert_refuses(EFI_LOAD_ERROR, "dstest86: 64-bit kernel inside the loader: not an ELF file; this copy of the "
                                   "loader is damaged: make another\n");
    assert_int_equal(fw.allocations, 0);

    new_machine(NULL);
    *(uint8_t *)(uintptr_t)kernel_32_start = 0;
    pass_options("width=32");
    assert_refuses(EFI_LOAD_ERROR, "dstest86: 32-bit kernel inside the loader: not an ELF file; this copy of the "
                                   "loader is damaged: make another\n");
}

static void no_loaded_image(void **state)
{
    (void)state;
    fw.loaded_image = EFI_UNSUPPORTED;
    assert_refuses(EFI_UNSUPPORTED, "dstest86: cannot open the loaded image protocol: status 3\n");
}

static void no_memory(void **state)
{
    (void)state;
    fw.pages = EFI_OUT_OF_RESOURCES;
    assert_refuses(EFI_OUT_OF_RESOURCES, STARTING "dstest86: cannot allocate 4 KiB below 4 GiB: status 9\n");

    new_machine(NULL);
    fw.pages = EFI_OUT_OF_RESOURCES;
    fw.pages_before_failure = 1;
    EFI_STATUS status;
    assert_false(loads(&status));
    assert_true(status == EFI_OUT_OF_RESOURCES);
    assert_non_null(strstr(console_said, "dstest86: cannot allocate "));
    assert_int_equal(fw.pages_out, 0); /* the trampoline's page is given back */
}

/* Pages where the kernel goes are kept until others were found, and then given back. */
static void pages_in_the_way(void **state)
{
    static const struct {
        uint32_t kernel; /* where its 100h bytes lie */
        unsigned in_the_way, allocations;
    } cases[] = {
        { LOW + 0x4000, 1, 3 },         /* on the page */
        { LOW + 0x4000 - 0xff, 1, 3 },  /* its last byte on the page's first one */
        { LOW + 0x4000 - 0x100, 0, 2 }, /* before it */
        { LOW + 0x4fff, 1, 3 },         /* its first byte on the page's last one */
        { LOW + 0x5000, 0, 2 },         /* behind it */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        make_kernel(kernel_64_start, 0x1300, 64, cases[i].kernel);
        put((uint8_t *)(uintptr_t)kernel_64_start, 56, 1, 2); /* one segment */
        fw.first_pages = LOW + 0x4000;
        fw.first_count = 1;
        assert_starts();
        assert_int_equal(fw.allocations, cases[i].allocations);
        assert_int_not_equal(fw.pages_of[1], LOW + 0x4000);
        assert_int_equal(fw.pages_out, 1 + (sizeof(struct handover) + 0x1300 + 4095) / 4096);

        for (unsigned successes = cases[i].in_the_way; successes < cases[i].allocations; successes++) {
            new_machine(NULL);
            make_kernel(kernel_64_start, 0x1300, 64, cases[i].kernel);
            put((uint8_t *)(uintptr_t)kernel_64_start, 56, 1, 2);
            fw.first_pages = LOW + 0x4000;
            fw.first_count = 1;
            fw.pages = EFI_OUT_OF_RESOURCES;
            fw.pages_before_failure = successes;
            EFI_STATUS status;
            assert_false(loads(&status));
            assert_true(status == EFI_OUT_OF_RESOURCES);
            assert_int_equal(fw.pages_out, 0);
        }
    }
}

/* A segment across three pages, which are all tried first. */
static void many_pages_in_the_way(void **state)
{
    (void)state;
    make_kernel(kernel_64_start, 0x1300, 64, LOW + 0x3ff0);
    fw.first_pages = LOW + 0x3000;
    fw.first_count = 3;
    assert_starts();
    assert_int_equal(fw.allocations, 5);
    assert_int_equal(fw.pages_out, 1 + (sizeof(struct handover) + 0x1300 + 4095) / 4096);
}

/* UEFI 2.10, table 7.6: what each type is after ExitBootServices(). */
static void memory_types(void **state)
{
    static const uint32_t types[] = {
        2, /* reserved */
        BOOT_MEMORY_LOADER,
        BOOT_MEMORY_LOADER, /* the loader's code and data */
        1,
        1, /* boot services' */
        2,
        2, /* runtime services' */
        1,
        2, /* conventional; unusable */
        3,
        4, /* ACPI tables; ACPI NVS */
        2,
        2,
        2,
        2, /* MMIO, port space, PAL code, persistent */
        2, /* not defined */
    };
    (void)state;
    for (uint32_t type = 0; type < COUNT_OF(types); type++)
        put_range(type, 0x40000000 + type * 0x10000, 0x1000);
    assert_starts();
    for (uint32_t type = 0; type < COUNT_OF(types); type++)
        assert_range(3 + type, 0x40000000 + type * 0x10000, 0x1000, types[type]);
}

static void obstacles(void **state)
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
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        fw.map[0].PhysicalStart += 0x2000;
        put_range(EfiConventionalMemory, KERNEL_64, 0x1000);
        put_range(cases[i].type, KERNEL_64 + 0x1000, 0x1000);
        snprintf(sentence, sizeof sentence,
                 STARTING "dstest86: cannot load the kernel segment of 0x2000 bytes at "
                          "0x20001000: 0x20001000 is %s\n",
                 cases[i].what);
        assert_refuses(EFI_UNSUPPORTED, sentence);
        assert_int_equal(fw.exits, 0);
    }
    new_machine(NULL);
    fw.map[0].NumberOfPages = 2;
    assert_refuses(EFI_UNSUPPORTED, STARTING "dstest86: cannot load the kernel segment of 0x2000 bytes at 0x20001000: "
                                             "0x20002000 is not memory\n");
}

static void no_memory_map(void **state)
{
    (void)state;
    fw.memory_map = EFI_DEVICE_ERROR;
    assert_refuses(EFI_DEVICE_ERROR, STARTING "dstest86: cannot read the memory map (144 bytes): status 7\n");
}

/* Memory in many pieces: descriptors of 48 bytes fill 4096 * 40 bytes with 3413. */
static void a_long_memory_map(void **state)
{
    (void)state;
    while (fw.ranges < 3413)
        put_range(fw.ranges % 2 ? EfiConventionalMemory : EfiReservedMemoryType, 0x40000000 + fw.ranges * 0x1000,
                  0x1000);
    assert_starts();
    assert_int_equal(info()->memory_count, 3413);
    for (uint32_t i = 3; i < 3413; i++)
        assert_range(i, 0x40000000 + i * 0x1000, 0x1000, i % 2 ? BOOT_MEMORY_USABLE : BOOT_MEMORY_RESERVED);

    new_machine(NULL);
    while (fw.ranges < 3414)
        put_range(EfiConventionalMemory, 0x40000000 + fw.ranges * 0x2000, 0x1000);
    assert_refuses(EFI_BUFFER_TOO_SMALL, STARTING "dstest86: cannot read the memory map (163872 bytes): status 5\n");
}

static void exits(void **state)
{
    (void)state;
    fw.exits_before_success = 7;
    assert_starts();
    assert_int_equal(fw.exits, 8);
    assert_int_equal(fw.maps_read, 8);

    new_machine(NULL);
    fw.exits_before_success = 8;
    assert_refuses(EFI_INVALID_PARAMETER, STARTING "dstest86: ExitBootServices failed: status 2\n");
    assert_int_equal(fw.exits, 8);
}

/* The newer root pointer first; one above 4 GiB is of no use to a kernel that is entered without paging. */
static void root_pointers(void **state)
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
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        fw.rsdp_1 = cases[i].rsdp_1;
        fw.rsdp_2 = cases[i].rsdp_2;
        assert_starts();
        assert_int_equal(info()->rsdp, cases[i].want);
    }
}

static void memory_for_the_log(void **state)
{
    (void)state;
    assert_starts();
    assert_int_equal(info()->keep.base, 0);
    assert_int_equal(log_part.wish, OPTIONS_LOG_NONE);
    assert_int_equal(log_part.reserved, 1);

    new_machine(NULL);
    pass_options("log=stick");
    log_part.reserves = (struct boot_keep){ 0x1000000, 0x100000 };
    assert_starts();
    assert_int_equal(log_part.wish, OPTIONS_LOG_STICK);
    assert_int_equal(info()->keep.base, 0x1000000);
    assert_int_equal(info()->keep.size, 0x100000);
    assert_int_equal(log_part.released, 0);
}

static void a_log_of_the_run_before(void **state)
{
    EFI_STATUS status;
    (void)state;
    log_part.taken = true;
    assert_false(loads(&status));
    assert_true(status == EFI_SUCCESS);
    assert_string_equal(console_said, "");
    assert_int_equal(log_part.reserved, 0);
    assert_int_equal(fw.allocations, 0);
}

static void assert_screen(UINT64 base, uint32_t pitch, uint32_t bits, uint32_t red, uint32_t green, uint32_t blue)
{
    assert_starts();
    const struct boot_screen *screen = &info()->screen;
    assert_int_equal(screen->kind, BOOT_SCREEN_PIXELS);
    assert_int_equal(screen->base, base);
    assert_int_equal(screen->columns, 1024);
    assert_int_equal(screen->rows, 768);
    assert_int_equal(screen->pitch, pitch);
    assert_int_equal(screen->pixel_bits, bits);
    assert_int_equal(screen->red, red);
    assert_int_equal(screen->green, green);
    assert_int_equal(screen->blue, blue);
    assert_null(strstr(console_said, "serial port"));
    assert_int_equal(fw.pool_out, 0);
}

static void screens(void **state)
{
    static const EFI_PIXEL_BITMASK masks[] = {
        { 0xf800, 0x07e0, 0x001f, 0 },
        { 0x7c00, 0x03e0, 0x001f, 0x8000 },
        { 0x7c00, 0x03e0, 0x001f, 0 },
        { 0x0000ff, 0x00ff00, 0xff0000, 0 },
        { 0x0000ff, 0x00ff00, 0xff0000, 0x80000000 },
        { 0x1, 0x2, 0x4, 0x10000 },
        { 0x3ff, 0xffc00, 0x3ff00000, 0 },
    };
    static const uint32_t bits[] = { 16, 16, 16, 24, 32, 24, 32 };
    (void)state;
    assert_screen(0xc0000000, 4160, 32, 0xff0000, 0xff00, 0xff);

    new_machine(NULL);
    fw.screen_count = 0;
    put_screen(0x4012345000, PixelRedGreenBlueReserved8BitPerColor, false); /* above 4 GiB */
    assert_screen(0x4012345000, 4160, 32, 0xff, 0xff00, 0xff0000);

    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        new_machine(NULL);
        fw.screen_count = 0;
        put_screen(0xc0000000, PixelBitMask, true)->PixelInformation = masks[i];
        assert_screen(0xc0000000, 1040 * bits[i] / 8, bits[i], masks[i].RedMask, masks[i].GreenMask, masks[i].BlueMask);
    }
}

/* A console's device first, then any with a frame buffer; of several alike the first. */
static void several_screens(void **state)
{
    (void)state;
    fw.screen_count = 0;
    put_screen(0xc0000000, PixelBltOnly, true);
    put_screen(0xc1000000, PixelRedGreenBlueReserved8BitPerColor, false);
    put_screen(0xc2000000, PixelRedGreenBlueReserved8BitPerColor, true);
    put_screen(0xc3000000, PixelRedGreenBlueReserved8BitPerColor, true);
    assert_screen(0xc2000000, 4160, 32, 0xff, 0xff00, 0xff0000);

    new_machine(NULL);
    fw.screen_count = 0;
    put_screen(0xc0000000, PixelBltOnly, true);
    put_screen(0xc1000000, PixelRedGreenBlueReserved8BitPerColor, false);
    put_screen(0xc2000000, PixelRedGreenBlueReserved8BitPerColor, false);
    put_screen(0, PixelRedGreenBlueReserved8BitPerColor, true);
    assert_screen(0xc1000000, 4160, 32, 0xff, 0xff00, 0xff0000);

    new_machine(NULL); /* one goes away while it is looked at */
    put_screen(0xc1000000, PixelRedGreenBlueReserved8BitPerColor, true);
    fw.screens[0].absent = true;
    assert_screen(0xc1000000, 4160, 32, 0xff, 0xff00, 0xff0000);
}

#define ON_SERIAL "from here on, the log is on the serial port only\n"

static void assert_no_screen(enum boot_screen_kind kind, const char *sentence)
{
    static const struct boot_screen none;
    struct boot_screen screen;
    assert_starts();
    screen = info()->screen;
    assert_int_equal(screen.kind, kind);
    screen.kind = 0;
    assert_memory_equal(&screen, &none, sizeof none);
    assert_non_null(strstr(console_said, sentence));
    assert_int_equal(fw.pool_out, 0);
}

static void no_screen(void **state)
{
    (void)state;
    fw.screen_count = 0;
    assert_no_screen(BOOT_SCREEN_NONE, "\ndstest86: no screen (no Graphics Output Protocol): " ON_SERIAL);

    new_machine(NULL);
    fw.screens[0].info.PixelFormat = PixelBltOnly;
    put_screen(0, PixelRedGreenBlueReserved8BitPerColor, true);
    assert_no_screen(BOOT_SCREEN_BLT_ONLY, "\ndstest86: the screen has no frame buffer (PixelBltOnly): " ON_SERIAL);
}

/* Modes that cannot be: each is one value away from one that can. */
static void impossible_screens(void **state)
{
    static const struct {
        uint32_t format, columns, per_line;
        UINT64 base;
    } cases[] = {
        { PixelBlueGreenRedReserved8BitPerColor, 1041, 1040, 0xc0000000 },
        { PixelBlueGreenRedReserved8BitPerColor, 1024, 1040, 0 },
        { PixelBlueGreenRedReserved8BitPerColor, 0, 0, 0xc0000000 },
        { PixelBlueGreenRedReserved8BitPerColor, 1024, 65537, 0xc0000000 },
        { PixelBitMask, 1024, 1040, 0xc0000000 }, /* its masks are 0 */
        { PixelFormatMax, 1024, 1040, 0xc0000000 },
    };
    (void)state;
    for (size_t i = 0; i <= COUNT_OF(cases); i++) {
        new_machine(NULL);
        fw.screens[0].no_mode = i == COUNT_OF(cases);
        if (i < COUNT_OF(cases)) {
            fw.screens[0].info.PixelFormat = cases[i].format;
            fw.screens[0].info.HorizontalResolution = cases[i].columns;
            fw.screens[0].info.PixelsPerScanLine = cases[i].per_line;
            fw.screens[0].mode.FrameBufferBase = cases[i].base;
        }
        assert_no_screen(BOOT_SCREEN_INVALID,
                         "\ndstest86: the screen's Graphics Output Protocol contradicts itself: " ON_SERIAL);
    }
    new_machine(NULL);
    fw.screens[0].info.HorizontalResolution = 65536;
    fw.screens[0].info.PixelsPerScanLine = 65536;
    assert_starts();
    assert_int_equal(info()->screen.pitch, 262144);
}

/* No more rows than lie in the frame buffer. */
static void a_small_frame_buffer(void **state)
{
    (void)state;
    fw.screens[0].mode.FrameBufferSize = 1040 * 767 * 4 + 4159;
    assert_starts();
    assert_int_equal(info()->screen.kind, BOOT_SCREEN_PIXELS);
    assert_int_equal(info()->screen.rows, 767);

    new_machine(NULL);
    fw.screens[0].mode.FrameBufferSize = 0x10000000;
    assert_starts();
    assert_int_equal(info()->screen.rows, 768);
}

static void waiting_for_gdb(void **state)
{
    (void)state;
    pass_options("gdbwait");
    assert_starts();
    assert_int_equal(fw.watchdogs, 1);
    assert_ptr_equal(strstr(console_said,
                            "dstest86: waiting for gdb: add-symbol-file build/loader-x64.so -o 0x7e000000, "
                            "then set var loader_waits = 0\ndstest86: loader at "),
                     console_said);
}

#define MENU(options, width)                                                                 \
    "\ndstest86: choose by a key, or wait\n  1  all tests, or those that the options name\n" \
    "  2  quick: a few tests of each area\n  3  measure: not whether but how much\n"         \
    "  4  options: " options "\n  5  width: " width " bits\n"
#define LOADING "\ndstest86: loader at 0x7e000000 is starting the "

static void press(const struct key *keys, unsigned count)
{
    pass_file("");
    fw.keys = keys;
    fw.key_count = count;
}

/* A stick without options: the menu is there for three seconds, and nobody has to press a key. */
static void menu_without_a_key(void **state)
{
    (void)state;
    pass_file("");
    assert_starts();
    assert_string_equal(console_said,
                        MENU("none", "64") "\rstarts in 3 s \rstarts in 2 s \rstarts in 1 s \rstarts in 0 s " LOADING
                                           "64-bit kernel at 0x20000008, options: none\n");
    assert_string_equal(text_at(info()->options), "");
    assert_int_equal(fw.ticks, 30);

    new_machine(NULL);
    pass_options("list menu=2");
    assert_starts();
    assert_string_equal(console_said,
                        MENU("list menu=2", "64") "\rstarts in 2 s \rstarts in 1 s \rstarts in 0 s " LOADING
                                                  "64-bit kernel at 0x20000008, options: list menu=2\n");
    assert_int_equal(fw.ticks, 20);

    new_machine(NULL);
    pass_options("menu=0");
    assert_starts();
    assert_int_equal(fw.ticks, 0);
    assert_null(strstr(console_said, "choose"));
}

/* What cannot show a menu starts at once. */
static void no_menu(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        new_machine(NULL);
        pass_file("");
        if (i == 0)
            system_table.ConIn = NULL;
        fw.create_event = i == 1 ? EFI_OUT_OF_RESOURCES : 0;
        fw.set_timer = i == 2 ? EFI_INVALID_PARAMETER : 0;
        fw.wait_for_event = i == 3 ? EFI_UNSUPPORTED : 0;
        assert_starts();
        assert_int_equal(fw.ticks, 0);
        assert_int_equal(strstr(console_said, "choose") != NULL, i == 3);
        assert_string_equal(text_at(info()->options), "");
    }
}

static void menu_keys(void **state)
{
    static const struct {
        struct key keys[8];
        unsigned count;
        const char *options;
        unsigned width, ticks;
    } cases[] = {
        { { { 0, '1', 0 } }, 1, "", 64, 0 },
        { { { 30, '2', 0 } }, 1, "run=quick records=1", 64, 30 }, /* in the last moment */
        { { { 31, '2', 0 } }, 1, "", 64, 30 },
        { { { 7, '3', 0 } }, 1, "run=measure.*", 64, 7 },
        { { { 7, '\r', 0 } }, 1, "", 64, 7 },
        { { { 1, '0', 0 } }, 1, "", 64, 601 }, /* no choice, but somebody is there */
        { { { 1, 0, 0x17 } }, 1, "", 64, 601 },
        { { { 1, '0', 0 }, { 601, '2', 0 } }, 2, "run=quick records=1", 64, 601 },
        { { { 1, '5', 0 }, { 2, '2', 0 } }, 2, "run=quick records=1 width=32", 32, 2 },
        { { { 1, '5', 0 }, { 2, '5', 0 }, { 3, '\r', 0 } }, 3, "", 64, 3 },
        { { { 1, '5', 0 } }, 1, "width=32", 32, 601 },
        /* the options: "lix", Backspace, what a terminal sends for it, "ist", Enter */
        { { { 1, '4', 0 },
            { 2, 'l', 0 },
            { 2, 'x', 0 },
            { 2, 'x', 0 },
            { 2, '\b', 0 },
            { 3, 0, 8 },
            { 4, 'i', 0 },
            { 9, '\r', 0 } },
          8,
          "li",
          64,
          9 },
        { { { 1, '4', 0 },
            { 1, '\b', 0 },
            { 2, ' ', 0 },
            { 2, '~', 0 },
            { 2, 0x7f, 0 },
            { 2, 0x1f, 0 },
            { 2, 0xe4, 0 },
            { 9, '\r', 0 } },
          8,
          " ~",
          64,
          9 },
        { { { 1, '4', 0 }, { 2, 'x', 0 }, { 3, 0, 0x17 }, { 4, '\r', 0 } }, 4, "", 64, 4 }, /* Escape */
        { { { 1, '4', 0 }, { 2, 'x', 0 }, { 602, '\r', 0 } }, 3, "x", 64, 602 },
        { { { 1, '4', 0 }, { 2, 'x', 0 } }, 2, "", 64, 1202 }, /* a minute without a key, then the menu's */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        press(cases[i].keys, cases[i].count);
        assert_starts();
        assert_string_equal(text_at(info()->options), cases[i].options);
        assert_int_equal(entered.entry, (cases[i].width == 64 ? KERNEL_64 : KERNEL_32) + 8);
        assert_int_equal(fw.ticks, cases[i].ticks);
    }
}

static void menu_on_the_screen(void **state)
{
    static const struct key keys[] = { { 0, 'x', 0 },  { 0, '5', 0 },  { 0, '4', 0 }, { 0, 'a', 0 }, { 0, 'b', 0 },
                                       { 0, '\b', 0 }, { 0, 0, 0x17 }, { 0, '4', 0 }, { 0, 'l', 0 }, { 0, 'i', 0 },
                                       { 0, 's', 0 },  { 0, 't', 0 },  { 0, '\r', 0 } };
    (void)state;
    press(keys, COUNT_OF(keys));
    assert_starts();
    assert_string_equal(
        console_said, MENU("none", "64") MENU("none", "32") "\nEnter starts, Escape goes back. Options: ab\b \b\n" MENU(
                          "none", "32") "\nEnter starts, Escape goes back. Options: list" LOADING
                                        "32-bit kernel at 0x21000008, options: list width=32\n");
}

/* Options that are there can be edited, and what is added counts, because it comes last. */
static void menu_with_options(void **state)
{
    static const struct key quick[] = { { 0, '2', 0 } }, edit[] = { { 0, '4', 0 }, { 0, '\b', 0 }, { 0, '\r', 0 } };
    static const struct key wide[] = { { 0, '5', 0 }, { 0, '\r', 0 } };
    char text[LOAD_OPTIONS_MAX + 2] = "menu=9 skip=";
    (void)state;
    press(quick, 1);
    pass_options("records=all menu=9");
    assert_starts();
    assert_string_equal(text_at(info()->options), "records=all menu=9 run=quick records=1");

    new_machine(NULL);
    press(edit, 3);
    pass_options("menu=9 records=11");
    assert_starts();
    assert_string_equal(text_at(info()->options), "menu=9 records=1");

    new_machine(NULL);
    press(wide, 2);
    pass_options("menu=9 width=32");
    assert_starts();
    assert_string_equal(text_at(info()->options), "menu=9 width=32 width=64");
    assert_segments(64, KERNEL_64);

    /* As much as there is room for, and a character more. */
    for (size_t more = 0; more < 2; more++) {
        const size_t length = LOAD_OPTIONS_MAX - strlen(" run=quick records=1") + more;
        memset(text + 12, 'x', length - 12);
        text[length] = '\0';
        new_machine(NULL);
        press(quick, 1);
        pass_options(text);
        assert_starts();
        assert_int_equal(strlen(text_at(info()->options)), more ? length : LOAD_OPTIONS_MAX);
        assert_int_equal(strstr(console_said,
                                "\ndstest86: no room for run=quick records=1: more than 1023 characters of "
                                "options\n\ndstest86: choose") != NULL,
                         more);
        assert_int_equal(fw.ticks, more ? 600 : 0);
    }
}

static void menu_without_long_mode(void **state)
{
    static const struct key keys[] = { { 0, '5', 0 }, { 0, '1', 0 } };
    (void)state;
    fw.no_long_mode = true;
    press(keys, 2);
    assert_starts();
    assert_string_equal(console_said,
                        MENU("none", "32") "\ndstest86: this processor has no long mode (CPUID.80000001H:EDX bit "
                                           "29)\n" MENU("none", "32") LOADING
                        "32-bit kernel at 0x21000008, options: none\n");
}

/* A key that is stuck does not keep the machine, and neither does a line that is full. */
static void menu_with_a_stuck_key(void **state)
{
    static const struct key wrong[] = { { 0, '0', 0 } }, edit[] = { { 0, '4', 0 }, { 0, 'x', 0 } };
    static struct key full[1 + LOAD_OPTIONS_MAX + 2];
    (void)state;
    press(wrong, 1);
    fw.stuck = true;
    assert_starts();
    assert_int_equal(fw.keys_read, 2000);
    assert_string_equal(text_at(info()->options), "");

    new_machine(NULL);
    press(edit, 2);
    fw.stuck = true;
    assert_starts();
    assert_int_equal(fw.keys_read, 2000);
    assert_string_equal(text_at(info()->options), "");

    new_machine(NULL);
    for (size_t i = 0; i < COUNT_OF(full); i++)
        full[i].character = 'x';
    full[0].character = '4';
    full[COUNT_OF(full) - 1].character = '\r';
    press(full, COUNT_OF(full));
    assert_starts();
    assert_int_equal(strlen(text_at(info()->options)), LOAD_OPTIONS_MAX);
}

/* A width that cannot be started is refused after the menu, too. */
static void menu_with_a_wrong_width(void **state)
{
    static const struct key keys[] = { { 0, '4', 0 }, { 0, 'w', 0 }, { 0, 'i', 0 }, { 0, 'd', 0 }, { 0, 't', 0 },
                                       { 0, 'h', 0 }, { 0, '=', 0 }, { 0, '1', 0 }, { 0, '\r', 0 } };
    (void)state;
    press(keys, COUNT_OF(keys));
    assert_refuses(EFI_INVALID_PARAMETER, MENU("none", "64") "\nEnter starts, Escape goes back. Options: width=1\n"
                                                             "dstest86: invalid value: width=1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_start, new_machine),
        cmocka_unit_test_setup(no_execute_firmware, new_machine),
        cmocka_unit_test_setup(no_options, new_machine),
        cmocka_unit_test_setup(widths, new_machine),
        cmocka_unit_test_setup(wrong_options, new_machine),
        cmocka_unit_test_setup(load_options_of_firmware, new_machine),
        cmocka_unit_test_setup(options_of_the_file, new_machine),
        cmocka_unit_test_setup(without_a_file, new_machine),
        cmocka_unit_test_setup(options_of_a_server, new_machine),
        cmocka_unit_test_setup(a_file_that_cannot_be_used, new_machine),
        cmocka_unit_test_setup(a_damaged_kernel, new_machine),
        cmocka_unit_test_setup(no_loaded_image, new_machine),
        cmocka_unit_test_setup(no_memory, new_machine),
        cmocka_unit_test_setup(pages_in_the_way, new_machine),
        cmocka_unit_test_setup(many_pages_in_the_way, new_machine),
        cmocka_unit_test_setup(memory_types, new_machine),
        cmocka_unit_test_setup(obstacles, new_machine),
        cmocka_unit_test_setup(no_memory_map, new_machine),
        cmocka_unit_test_setup(a_long_memory_map, new_machine),
        cmocka_unit_test_setup(exits, new_machine),
        cmocka_unit_test_setup(root_pointers, new_machine),
        cmocka_unit_test_setup(memory_for_the_log, new_machine),
        cmocka_unit_test_setup(a_log_of_the_run_before, new_machine),
        cmocka_unit_test_setup(screens, new_machine),
        cmocka_unit_test_setup(several_screens, new_machine),
        cmocka_unit_test_setup(no_screen, new_machine),
        cmocka_unit_test_setup(impossible_screens, new_machine),
        cmocka_unit_test_setup(a_small_frame_buffer, new_machine),
        cmocka_unit_test_setup(waiting_for_gdb, new_machine),
        cmocka_unit_test_setup(menu_without_a_key, new_machine),
        cmocka_unit_test_setup(no_menu, new_machine),
        cmocka_unit_test_setup(menu_keys, new_machine),
        cmocka_unit_test_setup(menu_on_the_screen, new_machine),
        cmocka_unit_test_setup(menu_with_options, new_machine),
        cmocka_unit_test_setup(menu_without_long_mode, new_machine),
        cmocka_unit_test_setup(menu_with_a_stuck_key, new_machine),
        cmocka_unit_test_setup(menu_with_a_wrong_width, new_machine),
    };
    return cmocka_run_group_tests_name("uefi", tests, map_low, NULL);
}
