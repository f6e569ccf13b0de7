/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader up to the start of a kernel: the choice of kernel and options, and the sentence and status of each
 * refusal. The loader's log, menu, start and PXE are fakes.
 */
#define SETUP new_machine
#include "tests/host/uefi_firmware.h"

#include <cpuid.h>

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx);
#define __get_cpuid fake_cpuid
#include "boot/uefi/remark.c"
#include "boot/uefi/option_text.c"
#include "boot/uefi/uefi.c"

/* Replaces the kernels of embed.asm. */
__asm__(".data\n"
        ".globl kernel_64_start, kernel_64_end, kernel_32_start, kernel_32_end\n"
        "kernel_64_start: .skip 0x400\nkernel_64_end:\n"
        "kernel_32_start: .skip 0x200\nkernel_32_end:\n"
        ".text\n");

#define SELF        ((EFI_HANDLE)0x5e1f)
#define NOT_STARTED "dstest86: no kernel started; returning to the firmware in 30 seconds, or after a key\n"

#define KERNEL_64 0x20000000u
#define KERNEL_32 0x21000000u

static EFI_LOADED_IMAGE image;
static bool no_long_mode, no_extended_leaf;
static unsigned watchdogs;

/* Fakes of the rest of the loader (test_uefi_log.c, test_uefi_screen.c): results and arguments. */
static struct {
    unsigned reserved, released;

    const char *servers_file;
    EFI_STATUS server;

    unsigned seconds;
    bool long_mode;

    unsigned starts;
    struct kernel kernel;
    char options[LOAD_OPTIONS_MAX + 1];
} parts;

FAKE(bool, log_save, (EFI_HANDLE device, const struct options *options), assert_ptr_equal(device, image.DeviceHandle),
     false)
FAKE_VOID(log_reserve, (EFI_HANDLE device, const struct options *options, struct boot_keep *keep),
          assert_ptr_equal(device, image.DeviceHandle), parts.reserved++)
FAKE_VOID(log_release, (const struct boot_keep *keep), parts.released++)

EFI_STATUS pxe_read(EFI_HANDLE device, const char *name, void *bytes, UINTN *size)
{
    assert_ptr_equal(device, image.DeviceHandle);
    assert_string_equal(name, "dstest86/options.txt");
    assert_int_equal(*size, 16384);
    if (parts.server || !parts.servers_file)
        return parts.server ? parts.server : EFI_NOT_FOUND;
    *size = strlen(parts.servers_file);
    memcpy(bytes, parts.servers_file, *size);
    return EFI_SUCCESS;
}

void menu_choose(char options[LOAD_OPTIONS_MAX + 1], unsigned seconds, unsigned width, bool long_mode)
{
    parts.seconds = seconds;
    parts.long_mode = long_mode;
}

FAKE(EFI_STATUS, start_kernel,
     (EFI_HANDLE self, const struct kernel *kernel, const char *options, const struct boot_keep *keep),
     assert_ptr_equal(self, SELF), parts.starts++, parts.kernel = *kernel, strcpy(parts.options, options), EFI_SUCCESS)

VOID InitializeLib(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
    assert_ptr_equal(self, SELF);
    ST = system;
    BS = system->BootServices;
}

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx)
{
    *eax = *ebx = *ecx = 0;
    *edx = no_long_mode ? ~(1u << 29) : 1u << 29;
    return leaf == 0x80000001 && !no_extended_leaf;
}

static EFI_STATUS EFIAPI set_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    assert_int_equal(seconds, 0);
    assert_int_equal(code, 0);
    assert_int_equal(size, 0);
    assert_null(data);
    watchdogs++;
    loader_waits = 0; /* as gdb does */
    return EFI_SUCCESS;
}

static void put(uint8_t *bytes, size_t offset, uint64_t value, size_t size)
{
    memcpy(bytes + offset, &value, size);
}

/* An ELF with an executable segment of 20h bytes; the entry is byte 8. */
static void make_kernel(const uint8_t *at, size_t size, unsigned width, uint32_t address)
{
    static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 0, 1, 1 };
    uint8_t *file = (uint8_t *)(uintptr_t)at, *segment = file + 0x40;
    const bool wide = width == 64;
    const size_t word = wide ? 8 : 4;

    memset(file, 0, size);
    memcpy(file, ident, sizeof ident);
    file[4] = wide ? 2 : 1;
    put(file, 16, 2, 2);
    put(file, 18, wide ? 62 : 3, 2);
    put(file, 20, 1, 4);
    put(file, 24, address + 8, word);
    put(file, wide ? 32 : 28, 0x40, word);
    put(file, wide ? 54 : 42, wide ? 56 : 32, 2);
    put(file, wide ? 56 : 44, 1, 2);
    put(segment, 0, 1, 4);
    put(segment, wide ? 4 : 24, 5, 4);
    put(segment, wide ? 8 : 4, 0x100, word);
    put(segment, wide ? 16 : 8, address, word);
    put(segment, wide ? 24 : 12, address, word);
    put(segment, wide ? 32 : 16, 0x20, word);
    put(segment, wide ? 40 : 20, 0x20, word);
}

static CHAR16 load_options[LOAD_OPTIONS_MAX + 8];

static void pass_options(const char *text)
{
    size_t i = 0;
    do
        load_options[i] = (CHAR16)text[i];
    while (text[i++]);
    image.LoadOptions = load_options;
    image.LoadOptionsSize = (UINT32)(2 * i);
}

/* Puts options.txt on the volume, without other options. */
static void pass_file(const char *text)
{
    image.LoadOptionsSize = 0;
    add_file("\\dstest86\\options.txt", text);
}

static int new_machine(void **state)
{
    static SIMPLE_INPUT_INTERFACE keyboard = { .ReadKeyStroke = read_one_key, .WaitForKey = (EFI_EVENT)0xe4e };
    new_firmware();
    system_table.ConIn = &keyboard;
    services.SetWatchdogTimer = set_watchdog;
    memset(&parts, 0, sizeof parts);
    no_long_mode = no_extended_leaf = false;
    watchdogs = 0;
    add_protocol(SELF, &gEfiLoadedImageProtocolGuid, &image);
    image = (EFI_LOADED_IMAGE){ .DeviceHandle = DEVICE, .ImageBase = (void *)0x7e000000 };
    pass_options("BOOTX64.EFI run=bts.* list");
    make_kernel(kernel_64_start, (size_t)(kernel_64_end - kernel_64_start), 64, KERNEL_64);
    make_kernel(kernel_32_start, (size_t)(kernel_32_end - kernel_32_start), 32, KERNEL_32);
    loader_waits = 1;
    return 0;
}

static EFI_STATUS load_again(void)
{
    EFI_STATUS status = efi_main(SELF, &system_table);
    assert_given_back(0);
    assert_int_equal(parts.released, parts.reserved); /* no kernel runs in this test */
    return status;
}

/* The kernel of this width starts, with these options. */
static void assert_starts(unsigned width, const char *options)
{
    const uint8_t *file = width == 64 ? kernel_64_start : kernel_32_start;
    assert_true(load_again() == EFI_SUCCESS);
    assert_int_equal(watchdogs, 1); /* the firmware does not reset the machine after five minutes */
    assert_int_equal(parts.starts, 1);
    assert_int_equal(parts.kernel.width, width);
    assert_ptr_equal(parts.kernel.file, file);
    assert_int_equal(parts.kernel.size, width == 64 ? 0x400 : 0x200);
    assert_int_equal(parts.kernel.image.entry, (width == 64 ? KERNEL_64 : KERNEL_32) + 8);
    assert_string_equal(parts.options, options);
}

/* The loader gives up with this status and sentence. */
static void assert_refuses(EFI_STATUS want, const char *sentence)
{
    char said[1200];
    assert_true(load_again() == want);
    snprintf(said, sizeof said, "%s" NOT_STARTED, sentence);
    assert_string_equal(console_said, said);
    assert_int_equal(fw.waits, 1); /* so that the user can read it */
    assert_int_equal(fw.waited, 300000000);
    assert_int_equal(parts.starts, 0);
}

/*
 * The sources of options, and the kernel that they start. Files of the volume and of the server are used only without
 * other options. The loader checks only width=; the kernel checks the rest.
 */
UNIT_TEST(options_of_each_source)
{
    static const struct {
        const char *given, *file, *server;
        bool no_long_mode, no_extended_leaf, no_volume;
        const char *options; /* passed to the kernel */
        unsigned width, seconds;
    } cases[] = {
        { .file = "", .options = "", .width = 64, .seconds = 3 },
        { .given = "width=32", .options = "width=32", .width = 32 },
        { .given = "width=64", .options = "width=64", .width = 64 },
        { .given = "list", .no_long_mode = true, .options = "list", .width = 32 },
        { .given = "list", .no_extended_leaf = true, .options = "list", .width = 32 },
        { .given = "widths=3 run=x", .options = "widths=3 run=x", .width = 64 },
        { .given = "records=many wid=3", .options = "records=many wid=3", .width = 64 },
        { .given = "w= run", .options = "w= run", .width = 64 },
        { .given = "list menu=2", .options = "list menu=2", .width = 64, .seconds = 2 },
        { .given = "menu=0", .options = "menu=0", .width = 64 },
        { .file = "# comment\nrun=x\nlist\n", .options = "run=x list", .width = 64 },
        { .given = "list", .file = "run=x", .options = "list", .width = 64 },
        { .server = "run=x", .options = "", .width = 64, .seconds = 3 },
        { .file = "run=x", .no_volume = true, .options = "", .width = 64, .seconds = 3 },
        { .server = "# by PXE\nrun=y log=stick", .no_volume = true, .options = "run=y log=stick", .width = 64 },
        { .given = "list", .server = "run=y", .no_volume = true, .options = "list", .width = 64 },
    };
    char words[100];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        image.LoadOptionsSize = 0;
        if (cases[i].file)
            pass_file(cases[i].file);
        if (cases[i].given)
            pass_options(cases[i].given);
        parts.servers_file = cases[i].server;
        if (cases[i].no_volume)
            remove_protocols(&gEfiSimpleFileSystemProtocolGuid);
        no_long_mode = cases[i].no_long_mode;
        no_extended_leaf = cases[i].no_extended_leaf;
        assert_starts(cases[i].width, cases[i].options);
        assert_int_equal(parts.seconds, cases[i].seconds);
        assert_int_equal(parts.long_mode, !cases[i].no_long_mode && !cases[i].no_extended_leaf);
        snprintf(words, sizeof words, "starting the %u-bit kernel at 0x%x, options: %s\n", cases[i].width,
                 parts.kernel.image.entry, cases[i].options[0] ? cases[i].options : "none");
        assert_non_null(strstr(console_said, words));
    }
    new_machine(NULL);
    pass_file("run=x");
    image.DeviceHandle = NULL;
    assert_starts(64, "");
}

#define DAMAGED(width)                                                                                             \
    "dstest86: " width "-bit kernel inside the loader: not an ELF file; this copy of the loader is damaged: copy " \
    "it again\n"
#define OPTIONS_TXT "dstest86: \\dstest86\\options.txt: "

UNIT_TEST(refusals)
{
    static EFI_STATUS damaged; /* not 0: the kernels in the loader are not ELF files */
    static const struct {
        const char *given, *file;
        EFI_STATUS *service;
        EFI_STATUS status, want;
        const char *sentence;
    } cases[] = {
        { "run=x width=16 list", NULL, NULL, 0, EFI_INVALID_PARAMETER, "dstest86: invalid value: width=16\n" },
        { "width", NULL, NULL, 0, EFI_INVALID_PARAMETER, "dstest86: missing value: width\n" },
        { "width=32", NULL, &damaged, EFI_ABORTED, EFI_LOAD_ERROR, DAMAGED("32") },
        { "width=64", NULL, &damaged, EFI_ABORTED, EFI_LOAD_ERROR, DAMAGED("64") },
        { NULL, "run=x\n\n\xc3\xa4", NULL, 0, EFI_INVALID_PARAMETER,
          OPTIONS_TXT "line 3: a character that is not printable ASCII (allowed in comments only)\n" },
        { NULL, "run=x", &fw.open_volume, EFI_DEVICE_ERROR, EFI_DEVICE_ERROR, OPTIONS_TXT "cannot open: status 7\n" },
        { NULL, "run=x", &fw.open_file, EFI_ACCESS_DENIED, EFI_ACCESS_DENIED, OPTIONS_TXT "cannot open: status 15\n" },
        { NULL, "run=x", &fw.read, EFI_DEVICE_ERROR, EFI_DEVICE_ERROR, OPTIONS_TXT "cannot read: status 7\n" },
        { NULL, "run=x", &fw.pool, EFI_OUT_OF_RESOURCES, EFI_OUT_OF_RESOURCES, "" },
        { NULL, NULL, &parts.server, EFI_BUFFER_TOO_SMALL, EFI_BUFFER_TOO_SMALL,
          "dstest86: the server's dstest86/options.txt: larger than 16384 bytes\n" },
        { NULL, NULL, &fw.pool, EFI_OUT_OF_RESOURCES, EFI_OUT_OF_RESOURCES, "" },
    };
    static char large[16386];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        image.LoadOptionsSize = 0;
        if (cases[i].given)
            pass_options(cases[i].given);
        else if (cases[i].file)
            pass_file(cases[i].file);
        else
            remove_protocols(&gEfiSimpleFileSystemProtocolGuid);
        if (cases[i].service)
            *cases[i].service = cases[i].status;
        if (damaged)
            *(uint8_t *)(uintptr_t)kernel_32_start = *(uint8_t *)(uintptr_t)kernel_64_start = 0;
        damaged = 0;
        assert_refuses(cases[i].want, cases[i].sentence);
    }

    new_machine(NULL);
    memset(large, ' ', sizeof large - 1);
    pass_file(large);
    assert_refuses(EFI_BAD_BUFFER_SIZE, OPTIONS_TXT "larger than 16384 bytes\n");
    large[16384] = '\0';
    new_machine(NULL);
    memcpy(large + 16000, "run=x", 5);
    pass_file(large);
    fw.read_most = 5000;
    assert_starts(64, "run=x");

    new_machine(NULL);
    no_long_mode = true;
    pass_options("width=64");
    assert_refuses(EFI_UNSUPPORTED, "dstest86: width=64: this processor has no long mode (CPUID.80000001H:EDX bit 29); "
                                    "use width=32\n");

    new_machine(NULL);
    remove_protocols(&gEfiLoadedImageProtocolGuid);
    assert_refuses(EFI_UNSUPPORTED, "dstest86: cannot open the loaded image protocol: status 3\n");
}
