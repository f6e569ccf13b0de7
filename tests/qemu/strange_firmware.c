/* SPDX-License-Identifier: MIT */
/*
 * A UEFI application that changes the state of OVMF, and then starts the loader, \loader.efi on its own volume.
 * \deeds.txt has a letter for each change:
 *   f  the memory map has hundreds of entries
 *   k  the first page that the loader allocates below an address is where the kernel will be
 *   l  no memory below 1 MiB is free
 *   n  allocated pages cannot be executed, whatever their type; needs the protocol that can undo it (route nx)
 *   r  a page where the kernel will be is reserved
 *   w  a watchdog of two seconds
 *   x  the memory map changes seven times before ExitBootServices() succeeds
 * If a change fails, it reports that and does not start the loader.
 */
#include <efi.h>
#include <efilib.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISLANDS 300u
#define LOW     0x100000u
#define KERNEL  0x200000u /* linker.ld */
#define CHANGES 7u

/* UEFI 2.10, 37.5 */
struct attribute_protocol {
    void *get;
    EFI_STATUS(EFIAPI *set)(struct attribute_protocol *this, EFI_PHYSICAL_ADDRESS base, UINT64 size, UINT64 mask);
    void *clear;
};

static struct attribute_protocol *attribute_protocol;
static EFI_ALLOCATE_PAGES allocate_pages, allocate_elsewhere;
static EFI_GET_MEMORY_MAP get_memory_map;
static EFI_EXIT_BOOT_SERVICES exit_boot_services;
static unsigned exits;

static EFI_STATUS EFIAPI allocate_data(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                       EFI_PHYSICAL_ADDRESS *address)
{
    EFI_STATUS status = allocate_pages(how, type, pages, address);
    if (!EFI_ERROR(status))
        status = attribute_protocol->set(attribute_protocol, *address, pages * EFI_PAGE_SIZE, EFI_MEMORY_XP);
    return status;
}

static EFI_STATUS EFIAPI occupied_below_1_mib(UINTN *size, EFI_MEMORY_DESCRIPTOR *map, UINTN *key, UINTN *stride,
                                              UINT32 *version)
{
    EFI_STATUS status = get_memory_map(size, map, key, stride, version);
    if (EFI_ERROR(status))
        return status;
    for (UINTN offset = 0; offset + *stride <= *size; offset += *stride) {
        EFI_MEMORY_DESCRIPTOR *descriptor = (void *)((uint8_t *)map + offset);
        if (descriptor->PhysicalStart < LOW)
            descriptor->Type = EfiReservedMemoryType;
    }
    return status;
}

static EFI_STATUS EFIAPI allocate_in_the_way(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                             EFI_PHYSICAL_ADDRESS *address)
{
    if (how != AllocateMaxAddress)
        return allocate_elsewhere(how, type, pages, address);
    BS->AllocatePages = allocate_elsewhere;
    *address = KERNEL;
    return allocate_elsewhere(AllocateAddress, type, pages, address);
}

static EFI_STATUS EFIAPI exit_late(EFI_HANDLE image, UINTN key)
{
    return exits++ < CHANGES ? EFI_INVALID_PARAMETER : exit_boot_services(image, key);
}

/* Reserves every second page. */
static EFI_STATUS fragment(void)
{
    EFI_PHYSICAL_ADDRESS start = 0;
    EFI_STATUS status = BS->AllocatePages(AllocateAnyPages, EfiReservedMemoryType, 2 * ISLANDS, &start);
    for (UINTN i = 0; i < ISLANDS && !EFI_ERROR(status); i++)
        status = BS->FreePages(start + (2 * i + 1) * EFI_PAGE_SIZE, 1);
    return status;
}

static EFI_STATUS forbid_execution(void)
{
    static EFI_GUID guid = { 0xf4560cf6, 0x40ec, 0x4b4a, { 0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 } };
    EFI_STATUS status = BS->LocateProtocol(&guid, NULL, (void **)&attribute_protocol);
    if (EFI_ERROR(status))
        return status;
    allocate_pages = BS->AllocatePages;
    BS->AllocatePages = allocate_data;
    return EFI_SUCCESS;
}

static EFI_STATUS do_deed(char deed)
{
    EFI_PHYSICAL_ADDRESS page = KERNEL + EFI_PAGE_SIZE;

    switch (deed) {
    case 'f':
        return fragment();
    case 'k':
        allocate_elsewhere = BS->AllocatePages;
        BS->AllocatePages = allocate_in_the_way;
        return EFI_SUCCESS;
    case 'l':
        get_memory_map = BS->GetMemoryMap;
        BS->GetMemoryMap = occupied_below_1_mib;
        return EFI_SUCCESS;
    case 'n':
        return forbid_execution();
    case 'r':
        return BS->AllocatePages(AllocateAddress, EfiReservedMemoryType, 1, &page);
    case 'w':
        return BS->SetWatchdogTimer(2, 0x10000, 0, NULL);
    case 'x':
        exit_boot_services = BS->ExitBootServices;
        BS->ExitBootServices = exit_late;
        return EFI_SUCCESS;
    default:
        return deed == '\n' ? EFI_SUCCESS : EFI_INVALID_PARAMETER;
    }
}

static EFI_STATUS read_deeds(EFI_HANDLE volume, char *deeds, UINTN *count)
{
    EFI_FILE_IO_INTERFACE *file_system;
    EFI_FILE_HANDLE root, file;
    EFI_STATUS status = BS->HandleProtocol(volume, &FileSystemProtocol, (void **)&file_system);
    if (!EFI_ERROR(status))
        status = file_system->OpenVolume(file_system, &root);
    if (!EFI_ERROR(status))
        status = root->Open(root, &file, L"\\deeds.txt", EFI_FILE_MODE_READ, 0);
    if (!EFI_ERROR(status))
        status = file->Read(file, count, deeds);
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
    EFI_LOADED_IMAGE *image;
    EFI_HANDLE loader;
    char deeds[16];
    UINTN count = sizeof deeds;

    InitializeLib(self, system);
    EFI_STATUS status = BS->HandleProtocol(self, &LoadedImageProtocol, (void **)&image);
    if (!EFI_ERROR(status))
        status = read_deeds(image->DeviceHandle, deeds, &count);
    if (!EFI_ERROR(status))
        status = BS->LoadImage(FALSE, self, FileDevicePath(image->DeviceHandle, L"\\loader.efi"), NULL, 0, &loader);
    for (UINTN i = 0; i < count && !EFI_ERROR(status); i++)
        status = do_deed(deeds[i]);
    if (!EFI_ERROR(status))
        status = BS->StartImage(loader, NULL, NULL);
    Print(L"strange firmware: %r\n", status);
    return status;
}
