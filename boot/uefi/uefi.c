/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader: an application that contains both kernels, passes options and the memory map to one of them, and
 * starts it. Built twice, for x64 and for ia32 firmware; each can start either kernel. After an error it prints one
 * sentence on the UEFI console, returns an error status, and leaves the machine as it was.
 *
 * To debug the loader: option gdbwait, and the gdb commands that it prints.
 */
#include <efi.h>
#include <efilib.h>
#include <cpuid.h>

#include "boot/elf_image.h"
#include "boot/options.h"
#include "boot/uefi/log.h"
#include "boot/uefi/menu.h"
#include "boot/uefi/option_text.h"
#include "boot/uefi/remark.h"
#include "boot/uefi/start.h"

#ifdef __x86_64__
#define SYMBOLS L"build/loader-x64.so"
#else
#define SYMBOLS L"build/loader-ia32.so"
#endif

#define MENU_SECONDS 3u
#define READ_SECONDS 30u /* to read why no kernel was started */

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

static bool starts_with(struct slice word, const char *prefix)
{
    size_t i = 0;
    while (i < word.length && prefix[i] != '\0' && word.start[i] == prefix[i])
        i++;
    return prefix[i] == '\0';
}

/* Checks only width=: the kernel reports errors in the other options on its own console. */
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

/* How long the menu is shown. Without options, a user may want to choose; automatic boots pass options. */
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
    Print(L"dstest86: %d-bit kernel inside the loader: %a; this copy of the loader is damaged: copy it again\n",
          kernel->width, elf_image_error_text(error));
    return EFI_LOAD_ERROR;
}

/* Starts a kernel. Returns only after a failure, with a message, or after saving the log of the previous run. */
static EFI_STATUS load(EFI_HANDLE self)
{
    EFI_LOADED_IMAGE *loader;
    EFI_STATUS status = BS->HandleProtocol(self, &LoadedImageProtocol, (void **)&loader);
    if (EFI_ERROR(status)) {
        Print(L"dstest86: cannot open the loaded image protocol: %r\n", status);
        return status;
    }

    /* Firmware resets the machine if an application takes five minutes (UEFI 2.10, 7.5). A user may take longer. */
    BS->SetWatchdogTimer(0, 0, 0, NULL);

    char text[LOAD_OPTIONS_MAX + 1] = "";
    struct options options;
    struct kernel kernel;
    struct boot_keep keep;
    status = option_text_read(loader, text);
    if (!EFI_ERROR(status))
        status = check_options(text, &options);
    if (!EFI_ERROR(status) && log_save(loader->DeviceHandle, &options))
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
    status = start_kernel(self, &kernel, text, &keep);
    log_release(&keep);
    return status;
}

/* The entry point, called by gnu-efi's crt0. */
EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
    InitializeLib(self, system);
    EFI_STATUS status = load(self);
    if (!EFI_ERROR(status))
        return status;
    Print(L"dstest86: no kernel started; returning to the firmware in %d seconds, or after a key\n", READ_SECONDS);
    key_pressed(READ_SECONDS);
    return status;
}
