/* SPDX-License-Identifier: MIT */
#include "boot/uefi/screen.h"

#include <efi.h>
#include <efilib.h>
#include <stdbool.h>

#define EDGE_MAX 65536u /* pixels: larger values are invalid and would overflow */

/* Preference among protocols. A console's device is better than EDK2's protocol for all screens together. */
enum { WORTH_NOTHING, WORTH_INVALID, WORTH_BLT_ONLY, WORTH_FRAME, WORTH_CONSOLE };

/* Bits per pixel: whole bytes up to the highest bit in a mask. UEFI 2.10, 12.9.2, "EFI_PIXEL_BITMASK". */
static UINT32 pixel_bits(const EFI_PIXEL_BITMASK *masks)
{
    const UINT32 all = masks->RedMask | masks->GreenMask | masks->BlueMask | masks->ReservedMask;
    UINT32 bits = 0;
    while (bits < 32 && all >> bits != 0)
        bits += 8;
    return bits;
}

/* Reads the current mode, and returns its worth. */
static unsigned take_mode(const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode, bool console, struct boot_screen *screen)
{
    static const EFI_PIXEL_BITMASK rgbx = { 0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000 };
    static const EFI_PIXEL_BITMASK bgrx = { 0x00ff0000, 0x0000ff00, 0x000000ff, 0xff000000 };
    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = mode != NULL ? mode->Info : NULL;
    const EFI_PIXEL_BITMASK *masks;

    if (info == NULL)
        return WORTH_INVALID;
    switch (info->PixelFormat) {
    case PixelRedGreenBlueReserved8BitPerColor:
        masks = &rgbx;
        break;
    case PixelBlueGreenRedReserved8BitPerColor:
        masks = &bgrx;
        break;
    case PixelBitMask:
        masks = &info->PixelInformation;
        break;
    case PixelBltOnly:
        return WORTH_BLT_ONLY;
    default:
        return WORTH_INVALID;
    }
    const UINT32 bits = pixel_bits(masks), pitch = info->PixelsPerScanLine * (bits / 8);
    if (mode->FrameBufferBase == 0 || info->HorizontalResolution > info->PixelsPerScanLine || pitch == 0 ||
        info->PixelsPerScanLine > EDGE_MAX)
        return WORTH_INVALID;
    const UINTN rows_there = mode->FrameBufferSize / pitch;
    *screen = (struct boot_screen){
        .base = mode->FrameBufferBase,
        .kind = BOOT_SCREEN_PIXELS,
        .columns = info->HorizontalResolution,
        .rows = info->VerticalResolution < rows_there ? info->VerticalResolution : (UINT32)rows_there,
        .pitch = pitch,
        .pixel_bits = bits,
        .red = masks->RedMask,
        .green = masks->GreenMask,
        .blue = masks->BlueMask,
    };
    return console ? WORTH_CONSOLE : WORTH_FRAME;
}

/* Returns the worth of the best screen. *several: not all protocols with a frame buffer have the same. */
static unsigned find(struct boot_screen *screen, bool *several)
{
    static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    /* EFI_CONSOLE_OUT_DEVICE_GUID: not in UEFI 2.10, 12.3. EDK2 installs it on the devices of ConOut. */
    static EFI_GUID console = { 0xd3b36f2c, 0xd551, 0x11d4, { 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
    UINTN count = 0;
    EFI_HANDLE *handles = NULL;
    unsigned best = WORTH_NOTHING;
    UINT64 base = 0;

    *several = false;
    if (EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &graphics, NULL, &count, &handles)))
        return WORTH_NOTHING;
    for (UINTN i = 0; i < count; i++) {
        EFI_GRAPHICS_OUTPUT_PROTOCOL *output;
        struct boot_screen candidate;
        void *ignored;
        if (EFI_ERROR(BS->HandleProtocol(handles[i], &graphics, (void **)&output)))
            continue;
        const bool is_console = !EFI_ERROR(BS->HandleProtocol(handles[i], &console, &ignored));
        const unsigned worth = take_mode(output->Mode, is_console, &candidate);
        if (worth >= WORTH_FRAME) {
            *several = *several || (base != 0 && base != candidate.base);
            base = candidate.base;
        }
        if (worth <= best)
            continue;
        best = worth;
        if (worth >= WORTH_FRAME)
            *screen = candidate;
    }
    BS->FreePool(handles);
    return best;
}

static void report(struct boot_screen *screen, enum boot_screen_kind kind, const char *why)
{
    *screen = (struct boot_screen){ .kind = kind };
    Print(L"dstest86: %a: the kernel cannot show its page\n", why);
}

void screen_find(struct boot_screen *screen)
{
    bool several;

    switch (find(screen, &several)) {
    case WORTH_NOTHING:
        report(screen, BOOT_SCREEN_NONE, "no screen (no Graphics Output Protocol)");
        break;
    case WORTH_INVALID:
        report(screen, BOOT_SCREEN_INVALID, "the screen's Graphics Output Protocol contradicts itself");
        break;
    case WORTH_BLT_ONLY:
        report(screen, BOOT_SCREEN_BLT_ONLY, "the screen has no frame buffer (PixelBltOnly)");
        break;
    default:
        if (several)
            Print(L"dstest86: if this text stays, another screen, of %dx%d pixels, shows the run\n", screen->columns,
                  screen->rows);
    }
}
