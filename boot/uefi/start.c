/* SPDX-License-Identifier: MIT */
#include "boot/uefi/start.h"

#include <efilib.h>

#include "lib/format.h"
#include "boot/load_options.h"
#include "boot/memory_map.h"
#include "boot/uefi/remark.h"
#include "boot/uefi/screen.h"
#include "boot/uefi/trampoline.h"

#ifdef __x86_64__
#define ROUTE "uefi x64"
#else
#define ROUTE "uefi ia32"
#endif

#define MEMORY_RANGES_MAX 4096u
#define EXIT_TRIES_MAX    8u
#define TRAMPOLINE_SIZE   ((size_t)(trampoline_end - trampoline_start))

/* Everything that the loader passes to the kernel, in one block below 4 GiB. */
struct handover {
    struct trampoline_arguments arguments;
    struct boot_info info;
    char route[sizeof ROUTE];
    char options[LOAD_OPTIONS_MAX + 1];
    char remarks[REMARKS_SIZE];
    struct boot_memory memory[MEMORY_RANGES_MAX];
    EFI_MEMORY_DESCRIPTOR descriptors[MEMORY_RANGES_MAX]; /* firmware's form of `memory`; not for the kernel */
    uint8_t file[];                                       /* the kernel's ELF */
};

static bool overlaps_kernel(const struct elf_image *image, UINT64 base, UINT64 size)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (base < (UINT64)segment->address + segment->memory_size && segment->address < base + size)
            return true;
    }
    return false;
}

/* Pages inside the kernel's segments. */
struct in_the_way {
    struct in_the_way *next;
};

/* Allocates zeroed pages below 4 GiB, outside the kernel's segments. NULL, with a message, if there are none. */
static void *allocate_low(EFI_MEMORY_TYPE type, size_t bytes, const struct elf_image *image)
{
    const UINTN pages = EFI_SIZE_TO_PAGES(bytes);
    struct in_the_way *kept = NULL; /* freed at the end, so that each attempt gets other pages */
    void *found = NULL;
    while (found == NULL) {
        EFI_PHYSICAL_ADDRESS address = UINT32_MAX;
        EFI_STATUS status = BS->AllocatePages(AllocateMaxAddress, type, pages, &address);
        if (EFI_ERROR(status)) {
            Print(L"dstest86: cannot allocate %d KiB below 4 GiB: %r\n", (UINT32)pages * 4, status);
            break;
        }
        struct in_the_way *start = (struct in_the_way *)(UINTN)address;
        if (overlaps_kernel(image, address, (UINT64)pages * EFI_PAGE_SIZE)) {
            start->next = kept;
            kept = start;
        } else {
            found = start;
        }
    }
    while (kept != NULL) {
        struct in_the_way *next = kept->next;
        BS->FreePages((UINTN)kept, pages);
        kept = next;
    }
    if (found != NULL)
        ZeroMem(found, pages * EFI_PAGE_SIZE);
    return found;
}

static void free_low(void *start, size_t bytes)
{
    BS->FreePages((UINTN)start, EFI_SIZE_TO_PAGES(bytes));
}

/* UEFI 2.10, 37.5 "Memory Attribute Protocol", and an attribute of 7.2.3, which gnu-efi 3.0.15 does not know. */
#define MEMORY_READ_ONLY 0x20000u
struct memory_attribute;
typedef EFI_STATUS(EFIAPI change_attributes)(struct memory_attribute *this, EFI_PHYSICAL_ADDRESS base, UINT64 size,
                                             UINT64 mask);
struct memory_attribute {
    void *get;
    change_attributes *set;
    change_attributes *clear;
};

/* NULL: the firmware has no such protocol, and allows execution of all memory or of loader code. */
static struct memory_attribute *find_memory_attribute(void)
{
    static EFI_GUID guid = { 0xf4560cf6, 0x40ec, 0x4b4a, { 0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 } };
    struct memory_attribute *protocol;
    return EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&protocol)) ? NULL : protocol;
}

/* Makes a page executable, but read-only first: some firmware forbids pages that are writable and executable. */
static EFI_STATUS make_code(const void *page)
{
    struct memory_attribute *protocol = find_memory_attribute();
    if (protocol == NULL)
        return EFI_SUCCESS;
    EFI_STATUS status = protocol->set(protocol, (UINTN)page, EFI_PAGE_SIZE, MEMORY_READ_ONLY);
    if (!EFI_ERROR(status))
        status = protocol->clear(protocol, (UINTN)page, EFI_PAGE_SIZE, EFI_MEMORY_XP);
    if (EFI_ERROR(status))
        Print(L"dstest86: cannot make the page at 0x%lx executable: %r\n", (UINT64)(UINTN)page, status);
    return status;
}

/* Makes the page data again, as its next user expects. */
static void make_data(const void *page)
{
    struct memory_attribute *protocol = find_memory_attribute();
    if (protocol == NULL)
        return;
    protocol->set(protocol, (UINTN)page, EFI_PAGE_SIZE, EFI_MEMORY_XP);
    protocol->clear(protocol, (UINTN)page, EFI_PAGE_SIZE, MEMORY_READ_ONLY);
}

static void free_trampoline(void *page)
{
    make_data(page);
    free_low(page, TRAMPOLINE_SIZE);
}

static EFI_STATUS prepare_trampoline(const struct elf_image *image, void **out)
{
    *out = allocate_low(EfiLoaderCode, TRAMPOLINE_SIZE, image);
    if (*out == NULL)
        return EFI_OUT_OF_RESOURCES;
    __builtin_memcpy(*out, trampoline_start, TRAMPOLINE_SIZE);
    EFI_STATUS status = make_code(*out);
    if (EFI_ERROR(status))
        free_trampoline(*out);
    return status;
}

/* Finds ACPI's root pointer and SMBIOS's entry point, the newer of both if there are two; 0: none below 4 GiB. */
static void find_tables(struct boot_info *info)
{
    static const struct {
        EFI_GUID guid;
        size_t member;
    } wanted[] = { { ACPI_TABLE_GUID, offsetof(struct boot_info, rsdp) },
                   { ACPI_20_TABLE_GUID, offsetof(struct boot_info, rsdp) },
                   { SMBIOS_TABLE_GUID, offsetof(struct boot_info, smbios) },
                   { SMBIOS3_TABLE_GUID, offsetof(struct boot_info, smbios) } };
    void *table;

    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        EFI_GUID guid = wanted[i].guid;
        if (!EFI_ERROR(LibGetSystemConfigurationTable(&guid, &table)) && (UINTN)table < 0xffffffffu)
            *(uint64_t *)((char *)info + wanted[i].member) = (UINTN)table;
    }
}

static struct handover *prepare_handover(const struct kernel *kernel, const char *options)
{
    const struct elf_image *image = &kernel->image;
    struct handover *handover = allocate_low(EfiLoaderData, sizeof *handover + kernel->size, image);
    if (handover == NULL)
        return NULL;

    __builtin_memcpy(handover->file, kernel->file, kernel->size);
    __builtin_memcpy(handover->route, ROUTE, sizeof ROUTE);
    __builtin_memcpy(handover->options, options, sizeof handover->options);
    format(handover->remarks, sizeof handover->remarks, "%s", remarks());
    handover->info = (struct boot_info){
        .version = BOOT_INFO_VERSION,
        .size = sizeof handover->info,
        .options = (UINTN)handover->options,
        .memory = (UINTN)handover->memory,
        .route = (UINTN)handover->route,
        .remarks = remarks()[0] != '\0' ? (UINTN)handover->remarks : 0,
    };
    find_tables(&handover->info);
    screen_find(&handover->info.screen);

    struct trampoline_arguments *arguments = &handover->arguments;
    arguments->entry = image->entry;
    arguments->magic = BOOT_MAGIC_OWN;
    arguments->info = (uint32_t)(UINTN)&handover->info;
    arguments->segment_count = image->segment_count;
    for (unsigned i = 0; i < image->segment_count; i++)
        arguments->segments[i] = (struct trampoline_segment){
            .target = image->segments[i].address,
            .source = (uint32_t)(UINTN)(handover->file + image->segments[i].file_offset),
            .file_size = image->segments[i].file_size,
            .memory_size = image->segments[i].memory_size,
        };
    return handover;
}

static const char *memory_type_text(uint32_t type)
{
    switch (type) {
    case 0:
        return "not memory";
    case BOOT_MEMORY_ACPI:
        return "occupied by ACPI tables";
    case BOOT_MEMORY_NVS:
        return "ACPI NVS memory";
    default:
        return "reserved by the firmware";
    }
}

static EFI_STATUS check_placement(const struct elf_image *image, const struct boot_memory *memory, size_t count)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        struct boot_memory obstacle;
        if (memory_map_is_free(memory, count, segment->address, segment->memory_size, &obstacle))
            continue;
        Print(L"dstest86: cannot load the kernel segment of 0x%x bytes at 0x%x: 0x%lx is %a\n", segment->memory_size,
              segment->address, obstacle.base, memory_type_text(obstacle.type));
        return EFI_UNSUPPORTED;
    }
    return EFI_SUCCESS;
}

/* Reads the current memory map into the handover and checks it; *key identifies this map. */
static EFI_STATUS read_memory_map(const struct elf_image *image, struct handover *handover, UINTN *key)
{
    UINTN size = sizeof handover->descriptors, stride;
    UINT32 version;
    EFI_STATUS status = BS->GetMemoryMap(&size, handover->descriptors, key, &stride, &version);
    if (EFI_ERROR(status)) {
        Print(L"dstest86: cannot read the memory map (%d bytes): %r\n", (UINT32)size, status);
        return status;
    }

    /* Firmware's descriptors may be longer than ours but not shorter, so they all fit. */
    size_t count = 0;
    for (UINTN offset = 0; offset + stride <= size; offset += stride) {
        const EFI_MEMORY_DESCRIPTOR *descriptor = (void *)((uint8_t *)handover->descriptors + offset);
        handover->memory[count++] = (struct boot_memory){
            .base = descriptor->PhysicalStart,
            .size = descriptor->NumberOfPages * EFI_PAGE_SIZE,
            .type = memory_map_uefi_type(descriptor->Type),
        };
    }
    count = memory_map_normalize(handover->memory, count);
    handover->info.memory_count = (uint32_t)count;
    return check_placement(image, handover->memory, count);
}

/*
 * Exits boot services. The map may change until the exit, so each attempt reads it again. After a failed attempt the
 * firmware may have shut down in part, including its console: UEFI 2.10, 7.4.6.
 */
static EFI_STATUS exit_boot_services(EFI_HANDLE self, const struct elf_image *image, struct handover *handover)
{
    EFI_STATUS status;
    for (unsigned tries = 0; tries < EXIT_TRIES_MAX; tries++) {
        UINTN key;
        status = read_memory_map(image, handover, &key);
        if (EFI_ERROR(status))
            return status;
        status = BS->ExitBootServices(self, key);
        if (!EFI_ERROR(status))
            return EFI_SUCCESS;
    }
    Print(L"dstest86: ExitBootServices failed: %r\n", status);
    return status;
}

EFI_STATUS start_kernel(EFI_HANDLE self, const struct kernel *kernel, const char *options, const struct boot_keep *keep)
{
    void *trampoline;
    EFI_STATUS status = prepare_trampoline(&kernel->image, &trampoline);
    struct handover *handover = EFI_ERROR(status) ? NULL : prepare_handover(kernel, options);
    if (EFI_ERROR(status))
        return status;

    status = EFI_OUT_OF_RESOURCES;
    if (handover != NULL) {
        handover->info.keep = *keep;
        status = exit_boot_services(self, &kernel->image, handover);
        if (!EFI_ERROR(status))
            ((trampoline_function *)(UINTN)trampoline)(&handover->arguments); /* does not return */
        free_low(handover, sizeof *handover + kernel->size);
    }
    free_trampoline(trampoline);
    return status;
}
