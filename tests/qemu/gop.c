/* SPDX-License-Identifier: MIT */
/*
 * An EFI application that imitates any screen of firmware: it publishes a Graphics Output Protocol over reserved
 * memory, and then starts the loader, which QEMU passes by -fw_cfg name=opt/dstest86/loader,file=.. Load options:
 *
 *   FORMAT[:RED:GREEN:BLUE:RESERVED] COLUMNS ROWS PER_LINE ADDRESS [the loader's options]
 *
 * FORMAT is that of UEFI 2.10, 12.9.2 (0 RGBX, 1 BGRX, 2 masks, 3 BltOnly); ADDRESS is that of the frame buffer, 0:
 * anywhere below 4 GiB; ADDRESS + 1: report this address without allocating it. Numbers are hexadecimal, with at most 8
 * digits except ADDRESS.
 */
#include <efi.h>
#include <efilib.h>

static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION info;
static EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode = { .MaxMode = 1, .Info = &info, .SizeOfInfo = sizeof info };

static EFI_STATUS EFIAPI query_mode(EFI_GRAPHICS_OUTPUT_PROTOCOL *this, UINT32 number, UINTN *size,
                                    EFI_GRAPHICS_OUTPUT_MODE_INFORMATION **out)
{
    (void)this;
    (void)number;
    *size = sizeof info;
    *out = &info;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_mode(EFI_GRAPHICS_OUTPUT_PROTOCOL *this, UINT32 number)
{
    (void)this;
    return number == 0 ? EFI_SUCCESS : EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI blt(EFI_GRAPHICS_OUTPUT_PROTOCOL *this, EFI_GRAPHICS_OUTPUT_BLT_PIXEL *pixels,
                             EFI_GRAPHICS_OUTPUT_BLT_OPERATION operation, UINTN from_x, UINTN from_y, UINTN to_x,
                             UINTN to_y, UINTN columns, UINTN rows, UINTN delta)
{
    (void)this, (void)pixels, (void)operation, (void)from_x, (void)from_y;
    (void)to_x, (void)to_y, (void)columns, (void)rows, (void)delta;
    return EFI_SUCCESS;
}

static EFI_GRAPHICS_OUTPUT_PROTOCOL protocol = { query_mode, set_mode, blt, &mode };

/* Reads a hexadecimal number and the separator after it. */
static UINT64 take(CHAR16 **text)
{
    UINT64 value = 0;
    for (; **text > ' ' && **text != ':'; (*text)++)
        value = value * 16 + (UINT64)(**text <= '9' ? **text - '0' : (**text | 0x20) - 'a' + 10);
    if (**text)
        (*text)++;
    return value;
}

static EFI_STATUS place(UINT64 address)
{
    const UINT64 size = (UINT64)info.PixelsPerScanLine * info.VerticalResolution * 4;
    mode.FrameBufferSize = (UINTN)size;
    mode.FrameBufferBase = address & 1 ? address - 1 : address ? address : UINT32_MAX;
    if (address & 1)
        return EFI_SUCCESS;
    return BS->AllocatePages(address ? AllocateAddress : AllocateMaxAddress, EfiReservedMemoryType,
                             EFI_SIZE_TO_PAGES(size), &mode.FrameBufferBase);
}

static EFI_STATUS publish(void)
{
    static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    static EFI_GUID console = { 0xd3b36f2c, 0xd551, 0x11d4, { 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
    EFI_HANDLE handle = NULL;
    EFI_STATUS status = BS->InstallProtocolInterface(&handle, &graphics, EFI_NATIVE_INTERFACE, &protocol);
    return EFI_ERROR(status) ? status : BS->InstallProtocolInterface(&handle, &console, EFI_NATIVE_INTERFACE, NULL);
}

/* QEMU's docs/specs/fw_cfg.rst: a selector port, a data port, and a directory whose numbers are big-endian. */
#define FW_CFG_SELECTOR  0x510
#define FW_CFG_DIRECTORY 0x19
#define LOADER           "opt/dstest86/loader"

static void select(UINT16 key)
{
    __asm__ volatile("outw %0, %1" : : "a"(key), "Nd"((UINT16)FW_CFG_SELECTOR));
}

static void read(void *to, UINTN size)
{
    __asm__ volatile("rep insb" : "+D"(to), "+c"(size) : "d"((UINT16)(FW_CFG_SELECTOR + 1)) : "memory");
}

/* Reads QEMU's -fw_cfg name=opt/dstest86/loader,file=.. into memory. */
static EFI_STATUS read_loader(void **bytes, UINTN *size)
{
    struct {
        UINT32 size;
        UINT16 key, reserved;
        char name[56];
    } entry;
    UINT32 count;
    select(FW_CFG_DIRECTORY);
    read(&count, sizeof count);
    for (count = __builtin_bswap32(count); count > 0; count--) {
        read(&entry, sizeof entry);
        if (strcmpa((CHAR8 *)entry.name, (CHAR8 *)LOADER) != 0)
            continue;
        *size = __builtin_bswap32(entry.size);
        EFI_STATUS status = BS->AllocatePool(EfiLoaderData, *size, bytes);
        if (EFI_ERROR(status))
            return status;
        select(__builtin_bswap16(entry.key));
        read(*bytes, *size);
        return EFI_SUCCESS;
    }
    return EFI_NOT_FOUND;
}

static EFI_STATUS start_loader(EFI_HANDLE self, CHAR16 *options)
{
    EFI_LOADED_IMAGE *loader;
    EFI_HANDLE image;
    void *bytes;
    UINTN size;
    EFI_STATUS status = read_loader(&bytes, &size);
    if (!EFI_ERROR(status))
        status = BS->LoadImage(FALSE, self, NULL, bytes, size, &image);
    if (!EFI_ERROR(status))
        status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loader);
    if (EFI_ERROR(status))
        return status;
    loader->LoadOptions = options;
    loader->LoadOptionsSize = (UINT32)(2 * (StrLen(options) + 1));
    return BS->StartImage(image, NULL, NULL);
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
    EFI_LOADED_IMAGE *image;
    InitializeLib(self, system);
    EFI_STATUS status = BS->HandleProtocol(self, &LoadedImageProtocol, (void **)&image);
    if (EFI_ERROR(status))
        return status;
    CHAR16 *options = image->LoadOptions;

    info.PixelFormat = (EFI_GRAPHICS_PIXEL_FORMAT)take(&options);
    if (info.PixelFormat == PixelBitMask) {
        info.PixelInformation.RedMask = (UINT32)take(&options);
        info.PixelInformation.GreenMask = (UINT32)take(&options);
        info.PixelInformation.BlueMask = (UINT32)take(&options);
        info.PixelInformation.ReservedMask = (UINT32)take(&options);
    }
    info.HorizontalResolution = (UINT32)take(&options);
    info.VerticalResolution = (UINT32)take(&options);
    info.PixelsPerScanLine = (UINT32)take(&options);
    status = place(take(&options));
    if (!EFI_ERROR(status))
        status = publish();
    if (!EFI_ERROR(status))
        status = start_loader(self, options);
    Print(L"gop: %r\n", status);
    return status;
}
