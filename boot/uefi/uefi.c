/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader: an application that contains both kernels, passes options and the memory map to one of them, and
 * starts it. Built twice, for x64 and for ia32 firmware; each can start either kernel.
 *
 * Options come from LoadOptions (what a shell, iPXE or a boot entry passes); only if those are empty are they read
 * from \dstest86\options.txt on the device, or dstest86/options.txt of the PXE server, that the loader came from. An
 * error is one sentence on the UEFI console and an error status, and leaves the machine as it was.
 *
 * To debug the loader: option gdbwait, and the gdb commands that it prints.
 */
#include <efi.h>
#include <efilib.h>
#include <cpuid.h>

#include "boot/boot_info.h"
#include "boot/elf_image.h"
#include "boot/load_options.h"
#include "boot/memory_map.h"
#include "boot/options.h"
#include "boot/uefi/log.h"
#include "boot/uefi/menu.h"
#include "boot/uefi/pxe.h"
#include "boot/uefi/screen.h"
#include "boot/uefi/trampoline.h"

#ifdef __x86_64__
#define ROUTE   "uefi x64"
#define SYMBOLS L"build/loader-x64.so"
#else
#define ROUTE   "uefi ia32"
#define SYMBOLS L"build/loader-ia32.so"
#endif

#define OPTIONS_FILE      L"\\dstest86\\options.txt"
#define OPTIONS_FILE_MAX  16384u /* bytes */
#define MEMORY_RANGES_MAX 4096u
#define EXIT_TRIES_MAX    8u
#define MENU_SECONDS      3u
#define TRAMPOLINE_SIZE   ((size_t)(trampoline_end - trampoline_start))

/* Everything that the kernel is passed, in one block below 4 GiB. */
struct handover {
    struct trampoline_arguments arguments;
    struct boot_info info;
    char route[sizeof ROUTE];
    char options[LOAD_OPTIONS_MAX + 1];
    struct boot_memory memory[MEMORY_RANGES_MAX];
    EFI_MEMORY_DESCRIPTOR descriptors[MEMORY_RANGES_MAX]; /* firmware's form of `memory`; not for the kernel */
    uint8_t file[];                                       /* the kernel's ELF */
};

struct kernel {
    unsigned width;
    const uint8_t *file; /* its ELF, inside the loader */
    size_t size;
    struct elf_image image;
};

/* boot/uefi/embed.asm */
extern const uint8_t kernel_64_start[] __attribute__((visibility("hidden")));
extern const uint8_t kernel_64_end[] __attribute__((visibility("hidden")));
extern const uint8_t kernel_32_start[] __attribute__((visibility("hidden")));
extern const uint8_t kernel_32_end[] __attribute__((visibility("hidden")));

/* Set to 0 by gdb. */
static volatile int loader_waits = 1;

static void wait_for_debugger(UINT64 image_base)
{
    Print(L"dstest86: waiting for gdb: add-symbol-file %s -o 0x%lx, then set var loader_waits = 0\n", SYMBOLS,
          image_base);
    while (loader_waits)
        __builtin_ia32_pause();
}

static EFI_STATUS parse_options_file(const void *bytes, UINTN size, char *out)
{
    size_t line;
    enum load_options_error error = load_options_from_file(bytes, size, out, &line);
    if (error == LOAD_OPTIONS_OK)
        return EFI_SUCCESS;
    Print(L"dstest86: %s: line %d: %a\n", OPTIONS_FILE, (UINT32)line, load_options_error_text(error));
    return EFI_INVALID_PARAMETER;
}

/* The options file of the server, after a start by PXE; *out is empty if there is none. */
static EFI_STATUS read_servers_file(EFI_HANDLE device, char *out)
{
    UINTN size = OPTIONS_FILE_MAX;
    void *bytes;
    EFI_STATUS status = BS->AllocatePool(EfiLoaderData, size, &bytes);
    if (EFI_ERROR(status))
        return status;
    status = pxe_read(device, "dstest86/options.txt", bytes, &size);
    if (status == EFI_BUFFER_TOO_SMALL)
        Print(L"dstest86: the server's dstest86/options.txt: larger than %d bytes\n", OPTIONS_FILE_MAX);
    else
        status = EFI_ERROR(status) ? EFI_SUCCESS : parse_options_file(bytes, size, out);
    BS->FreePool(bytes);
    return status;
}

/* Reads the options file; *out is empty if there is no such file. */
static EFI_STATUS read_options_file(EFI_HANDLE device, char *out)
{
    EFI_FILE_IO_INTERFACE *file_system;
    EFI_FILE_HANDLE root, file;
    if (device == NULL || EFI_ERROR(BS->HandleProtocol(device, &FileSystemProtocol, (void **)&file_system)))
        return read_servers_file(device, out);

    EFI_STATUS status = file_system->OpenVolume(file_system, &root);
    if (!EFI_ERROR(status)) {
        status = root->Open(root, &file, OPTIONS_FILE, EFI_FILE_MODE_READ, 0);
        root->Close(root);
    }
    if (status == EFI_NOT_FOUND)
        return EFI_SUCCESS;
    if (EFI_ERROR(status)) {
        Print(L"dstest86: %s: cannot open: %r\n", OPTIONS_FILE, status);
        return status;
    }

    UINTN size = OPTIONS_FILE_MAX + 1;
    void *bytes;
    status = BS->AllocatePool(EfiLoaderData, size, &bytes);
    if (!EFI_ERROR(status)) {
        status = file->Read(file, &size, bytes);
        if (EFI_ERROR(status)) {
            Print(L"dstest86: %s: cannot read: %r\n", OPTIONS_FILE, status);
        } else if (size > OPTIONS_FILE_MAX) {
            Print(L"dstest86: %s: larger than %d bytes\n", OPTIONS_FILE, OPTIONS_FILE_MAX);
            status = EFI_BAD_BUFFER_SIZE;
        } else {
            status = parse_options_file(bytes, size, out);
        }
        BS->FreePool(bytes);
    }
    file->Close(file);
    return status;
}

static EFI_STATUS read_options(const EFI_LOADED_IMAGE *loader, char *out)
{
    size_t ignored;
    enum load_options_error error = load_options_from_ucs2(loader->LoadOptions, loader->LoadOptionsSize, out, &ignored);
    if (error != LOAD_OPTIONS_OK) {
        Print(L"dstest86: load options: %a\n", load_options_error_text(error));
        return EFI_INVALID_PARAMETER;
    }
    if (ignored != 0)
        Print(L"dstest86: load options: ignored %d bytes that are not printable ASCII in UCS-2\n", (UINT32)ignored);
    return out[0] != '\0' ? EFI_SUCCESS : read_options_file(loader->DeviceHandle, out);
}

static bool starts_with(struct slice word, const char *prefix)
{
    size_t i = 0;
    while (i < word.length && prefix[i] != '\0' && word.start[i] == prefix[i])
        i++;
    return prefix[i] == '\0';
}

/* Checks width= alone: the kernel reports errors in the other options on its own console. */
static EFI_STATUS check_options(char *text, struct options *options)
{
    struct slice offender;
    enum options_error error = options_parse(text, options, &offender);
    if (error == OPTIONS_OK || error == OPTIONS_UNKNOWN || !starts_with(offender, "width"))
        return EFI_SUCCESS;
    text[offender.start - text + (ptrdiff_t)offender.length] = '\0';
    Print(L"dstest86: %a: %a\n", options_error_text(error), offender.start);
    return EFI_INVALID_PARAMETER;
}

static bool has_long_mode(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (edx & bit_LM) != 0;
}

/* How long the menu is shown: without options somebody may want some; a machine that passes them must not wait. */
static unsigned menu_seconds(const char *text, const struct options *options)
{
    if (options->menu != OPTIONS_MENU_AUTO)
        return options->menu;
    return text[0] == '\0' ? MENU_SECONDS : 0;
}

/* Chooses the kernel of this width; 0: the widest that the processor supports. */
static EFI_STATUS choose_kernel(unsigned width, struct kernel *kernel)
{
    const bool long_mode = has_long_mode();
    if (width == 64 && !long_mode) {
        Print(L"dstest86: width=64: this processor has no long mode (CPUID.80000001H:EDX bit 29); use width=32\n");
        return EFI_UNSUPPORTED;
    }
    const bool wide = long_mode && width != 32;
    kernel->width = wide ? 64 : 32;
    kernel->file = wide ? kernel_64_start : kernel_32_start;
    kernel->size = (size_t)((wide ? kernel_64_end : kernel_32_end) - kernel->file);
    enum elf_image_error error = elf_image_read(kernel->file, kernel->size, &kernel->image);
    if (error == ELF_IMAGE_OK)
        return EFI_SUCCESS;
    Print(L"dstest86: %d-bit kernel inside the loader: %a; this copy of the loader is damaged: make another\n",
          kernel->width, elf_image_error_text(error));
    return EFI_LOAD_ERROR;
}

static bool overlaps_kernel(const struct elf_image *image, UINT64 base, UINT64 size)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (base < (UINT64)segment->address + segment->memory_size && segment->address < base + size)
            return true;
    }
    return false;
}

/* Pages that lie where the kernel goes. */
struct in_the_way {
    struct in_the_way *next;
};

/* Allocates zeroed pages below 4 GiB, outside the kernel's segments. NULL, with a message, if there are none. */
static void *allocate_low(EFI_MEMORY_TYPE type, size_t bytes, const struct elf_image *image)
{
    const UINTN pages = EFI_SIZE_TO_PAGES(bytes);
    struct in_the_way *kept = NULL; /* until others were allocated: each attempt must get others */
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

/* NULL: a firmware without it, which lets all memory be executed, or that of loader code. */
static struct memory_attribute *find_memory_attribute(void)
{
    static EFI_GUID guid = { 0xf4560cf6, 0x40ec, 0x4b4a, { 0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 } };
    struct memory_attribute *protocol;
    return EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&protocol)) ? NULL : protocol;
}

/* Makes a page code: read-only first, since some firmware permits none that is writable and executable. */
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

/* Makes it data again, as whoever gets it next expects. */
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

/* Finds ACPI's root pointer, version 2 if there is one; 0: none below 4 GiB. */
static uint64_t find_rsdp(void)
{
    static EFI_GUID guids[] = { ACPI_20_TABLE_GUID, ACPI_TABLE_GUID };
    void *table;

    for (unsigned i = 0; i < sizeof guids / sizeof guids[0]; i++)
        if (!EFI_ERROR(LibGetSystemConfigurationTable(&guids[i], &table)) && (UINTN)table < 0xffffffffu)
            return (UINTN)table;
    return 0;
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
    handover->info = (struct boot_info){
        .version = BOOT_INFO_VERSION,
        .size = sizeof handover->info,
        .options = (UINTN)handover->options,
        .memory = (UINTN)handover->memory,
        .route = (UINTN)handover->route,
        .rsdp = find_rsdp(),
    };
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

/* The range type of each UEFI memory type after ExitBootServices (UEFI 2.10, table 7.6). */
static uint32_t memory_type(UINT32 type)
{
    switch (type) {
    case EfiConventionalMemory:
    case EfiBootServicesCode:
    case EfiBootServicesData:
        return BOOT_MEMORY_USABLE;
    case EfiLoaderCode:
    case EfiLoaderData:
        return BOOT_MEMORY_LOADER;
    case EfiACPIReclaimMemory:
        return BOOT_MEMORY_ACPI;
    case EfiACPIMemoryNVS:
        return BOOT_MEMORY_NVS;
    default:
        return BOOT_MEMORY_RESERVED;
    }
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
            .type = memory_type(descriptor->Type),
        };
    }
    count = memory_map_normalize(handover->memory, count);
    handover->info.memory_count = (uint32_t)count;
    return check_placement(image, handover->memory, count);
}

/*
 * Exits boot services. The map may change until they are exited, so it is read again after each failed attempt, when
 * the firmware may already have shut down in part, including its console: UEFI 2.10, 7.4.6.
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

static EFI_STATUS start(EFI_HANDLE self, const struct kernel *kernel, const char *options, const struct boot_keep *keep)
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

/*
 * Starts a kernel. Returns only if that failed, after a message, or if only the log of the run before was taken away.
 */
static EFI_STATUS load(EFI_HANDLE self)
{
    EFI_LOADED_IMAGE *loader;
    EFI_STATUS status = BS->HandleProtocol(self, &LoadedImageProtocol, (void **)&loader);
    if (EFI_ERROR(status)) {
        Print(L"dstest86: cannot open the loaded image protocol: %r\n", status);
        return status;
    }

    /* Firmware resets the machine after five minutes of an application (UEFI 2.10, 7.5): a person may take longer. */
    BS->SetWatchdogTimer(0, 0, 0, NULL);

    char text[LOAD_OPTIONS_MAX + 1] = "";
    struct options options;
    struct kernel kernel;
    struct boot_keep keep;
    status = read_options(loader, text);
    if (!EFI_ERROR(status))
        status = check_options(text, &options);
    if (!EFI_ERROR(status) && log_take_away(loader->DeviceHandle, &options))
        return status;
    if (!EFI_ERROR(status)) {
        menu_choose(text, menu_seconds(text, &options), options.width, has_long_mode());
        status = check_options(text, &options);
    }
    if (!EFI_ERROR(status))
        status = choose_kernel(options.width, &kernel);
    if (EFI_ERROR(status))
        return status;

    if (options.gdbwait)
        wait_for_debugger((UINTN)loader->ImageBase);
    Print(L"dstest86: loader at 0x%lx is starting the %d-bit kernel at 0x%x, options: %a\n",
          (UINT64)(UINTN)loader->ImageBase, kernel.width, kernel.image.entry, text[0] != '\0' ? text : "none");
    log_reserve(loader->DeviceHandle, &options, &keep);
    status = start(self, &kernel, text, &keep);
    log_release(&keep);
    return status;
}

/* The entry point, called by gnu-efi's crt0. */
EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
    InitializeLib(self, system);
    EFI_STATUS status = load(self);
    if (EFI_ERROR(status))
        Print(L"dstest86: no kernel started; returning to the firmware\n");
    return status;
}
