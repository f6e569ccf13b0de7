/* SPDX-License-Identifier: MIT */
/*
 * The loader's part of the log that outlives a reset, and files of a PXE server, on a firmware that is a table of
 * functions, with memory, variables, a volume and a network: what is written where, and each sentence of each failure.
 */
#define _GNU_SOURCE 1 /* mmap() with MAP_ANONYMOUS */
#include <sys/mman.h>

#include "tests/host/host_test.h"
#include "tests/host/uefi_console.h"

#include <cpuid.h>

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx);
#undef __get_cpuid
#define __get_cpuid fake_cpuid
#include "boot/uefi/log_volume.c"
#include "boot/uefi/pxe.c"
#include "boot/uefi/log.c"

EFI_BOOT_SERVICES *BS;
EFI_RUNTIME_SERVICES *RT;
EFI_SYSTEM_TABLE *ST;
EFI_GUID gEfiSimpleFileSystemProtocolGuid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
EFI_GUID gEfiPxeBaseCodeProtocolGuid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
EFI_GUID gEfiFileInfoGuid = EFI_FILE_INFO_ID;
EFI_GUID gEfiFileSystemInfoGuid = EFI_FILE_SYSTEM_INFO_ID;

#define DEVICE   ((EFI_HANDLE)0xde71ce)
#define FIRST    0x1000000u /* where logs may lie */
#define SECOND   0x2000000u
#define LAST     0xff000000u /* the last of all places; its memory is the second's, for the sanitizer has what is there */
#define FILES    16u
#define SEQUENCE UINT64_C(0x5e90)

struct file {
    EFI_FILE interface;
    char name[64];
    uint8_t bytes[4096];
    size_t size, at;
    bool there;
};

/* The firmware: what it answers, and what it was asked. */
static struct {
    bool no_volume, pxe_of_device, read_only, no_folder, folder_is_a_file, first_is_taken, last_is_free, no_memory,
        no_clock, key, no_keyboard;
    EFI_STATUS open_volume, room, open_folder, open_file, reopen, create, write, flush, pool, set_variable,
        delete_variable, mtftp;
    size_t short_write; /* bytes that a write does without */
    UINT64 free_space;
    bool reads_back_wrong;

    bool noted;
    UINT64 note;
    unsigned notes_written, waits, keys_read, shutdowns;
    int opened;
    UINTN pages_out, pool_out;
    char deleted[64];
    unsigned flushes;
    UINT64 waited;
    char asked_for[96];
} fw;

static struct file files[FILES];
static struct options options;
static EFI_PXE_BASE_CODE_MODE mode;

/* --- the library -------------------------------------------------------------------------------------------------- */

EFI_STATUS WaitForSingleEvent(EFI_EVENT event, UINT64 timeout)
{
    assert_ptr_equal(event, (EFI_EVENT)0xe4e);
    fw.waits++;
    fw.waited = timeout;
    return fw.key ? EFI_SUCCESS : EFI_TIMEOUT;
}

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx)
{
    assert_int_equal(leaf, 1);
    *eax = 0x506e3;
    *ebx = *ecx = *edx = 0;
    return 1;
}

/* --- the volume --------------------------------------------------------------------------------------------------- */

static struct file volume_root, log_folder;

static void narrow(const CHAR16 *wide, char *text)
{
    do
        *text++ = (char)*wide;
    while (*wide++);
}

static EFI_STATUS EFIAPI open_file(struct _EFI_FILE_HANDLE *from, struct _EFI_FILE_HANDLE **out, CHAR16 *wide,
                                   UINT64 how, UINT64 attributes)
{
    char name[64];
    struct file *empty = NULL;
    narrow(wide, name);
    assert_int_equal(attributes, 0);
    if (from == &volume_root.interface) {
        assert_string_equal(name, "\\dstest86\\logs");
        assert_int_equal(how, 1);
        if (fw.no_folder)
            return EFI_NOT_FOUND;
        if (fw.open_folder)
            return fw.open_folder;
        fw.opened++;
        *out = &log_folder.interface;
        return EFI_SUCCESS;
    }
    assert_ptr_equal(from, &log_folder.interface);
    for (unsigned i = 0; i < FILES; i++) {
        if (files[i].there && strcmp(files[i].name, name) == 0) {
            assert_int_equal(how, 1); /* what is there is only read */
            if (fw.open_file)
                return fw.open_file;
            if (fw.reopen && files[i].size)
                return fw.reopen;
            files[i].at = 0;
            fw.opened++;
            *out = &files[i].interface;
            return EFI_SUCCESS;
        }
        if (!files[i].there && !empty)
            empty = &files[i];
    }
    if (how == 1)
        return EFI_NOT_FOUND;
    assert_true(how == (UINT64)(1 | 2 | INT64_MIN));
    if (fw.create)
        return fw.create;
    assert_non_null(empty);
    strcpy(empty->name, name);
    empty->there = true;
    empty->size = empty->at = 0;
    fw.opened++;
    *out = &empty->interface;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(struct _EFI_FILE_HANDLE *file)
{
    (void)file;
    fw.opened--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI delete_file(struct _EFI_FILE_HANDLE *file)
{
    struct file *const of = (struct file *)file;
    strcpy(fw.deleted, of->name);
    of->there = false;
    fw.opened--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file(struct _EFI_FILE_HANDLE *file, UINTN *size, void *bytes)
{
    struct file *const of = (struct file *)file;
    if (*size > of->size - of->at)
        *size = of->size - of->at;
    if (*size > 7) /* firmware may give less than was asked for */
        *size = 7;
    memcpy(bytes, of->bytes + of->at, *size);
    if (fw.reads_back_wrong && of->at == 14)
        *(uint8_t *)bytes ^= 1;
    of->at += *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(struct _EFI_FILE_HANDLE *file, UINTN *size, void *bytes)
{
    struct file *const of = (struct file *)file;
    assert_true(*size <= sizeof of->bytes);
    if (fw.write)
        return fw.write;
    *size -= fw.short_write;
    memcpy(of->bytes, bytes, *size);
    of->size = *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(struct _EFI_FILE_HANDLE *file)
{
    assert_int_equal(((struct file *)file)->size, ((struct file *)file)->size);
    fw.flushes++;
    return fw.flush;
}

static EFI_STATUS EFIAPI get_info(struct _EFI_FILE_HANDLE *file, EFI_GUID *guid, UINTN *size, void *out)
{
    uint8_t *const bytes = out;
    if (file == &volume_root.interface) {
        assert_memory_equal(guid, &gEfiFileSystemInfoGuid, sizeof *guid);
        assert_true(*size >= 36 + 2 * 12);
        memset(bytes, 0x5a, 36);
        bytes[8] = fw.read_only;
        memcpy(bytes + 24, &fw.free_space, 8);
        return fw.room;
    }
    assert_ptr_equal(file, &log_folder.interface);
    assert_memory_equal(guid, &gEfiFileInfoGuid, sizeof *guid);
    assert_true(*size >= 80 + 2 * 5);
    memset(bytes, 0, 80);
    bytes[72] = fw.folder_is_a_file ? 0x20 : 0x10;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(struct _EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *this, struct _EFI_FILE_HANDLE **out)
{
    (void)this;
    if (fw.open_volume)
        return fw.open_volume;
    fw.opened++;
    *out = &volume_root.interface;
    return EFI_SUCCESS;
}

static EFI_FILE_IO_INTERFACE simple_file_system = { .OpenVolume = open_volume };

/* --- the network -------------------------------------------------------------------------------------------------- */

static EFI_STATUS EFIAPI pxe_mtftp(struct _EFI_PXE_BASE_CODE_PROTOCOL *this, EFI_PXE_BASE_CODE_TFTP_OPCODE operation,
                                   void *bytes, BOOLEAN overwrite, UINT64 *size, UINTN *block, EFI_IP_ADDRESS *server,
                                   UINT8 *name, EFI_PXE_BASE_CODE_MTFTP_INFO *info, BOOLEAN no_buffer)
{
    (void)this;
    assert_int_equal(operation, 2); /* UEFI 2.10, 24.3.5: EFI_PXE_BASE_CODE_TFTP_READ_FILE */
    assert_false(overwrite || no_buffer);
    assert_null(block);
    assert_null(info);
    snprintf(fw.asked_for, sizeof fw.asked_for, "%u.%u.%u.%u %s", server->v4.Addr[0], server->v4.Addr[1],
             server->v4.Addr[2], server->v4.Addr[3], (const char *)name);
    assert_int_equal(*size, 100);
    memcpy(bytes, "list", 4);
    *size = 4;
    return fw.mtftp;
}

static EFI_PXE_BASE_CODE_PROTOCOL network = { .Mtftp = pxe_mtftp, .Mode = &mode };

/* --- services ----------------------------------------------------------------------------------------------------- */

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    assert_ptr_equal(handle, DEVICE);
    if (memcmp(guid, &gEfiSimpleFileSystemProtocolGuid, sizeof *guid) == 0) {
        *protocol = &simple_file_system;
        return fw.no_volume ? EFI_UNSUPPORTED : EFI_SUCCESS;
    }
    assert_memory_equal(guid, &gEfiPxeBaseCodeProtocolGuid, sizeof *guid);
    *protocol = &network;
    return fw.pxe_of_device ? EFI_SUCCESS : EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(how, AllocateAddress);
    assert_int_equal(type, EfiLoaderData);
    assert_int_equal(pages, 256);
    assert_int_equal(*address % 0x1000000, 0);
    assert_true(*address != 0 && *address < UINT64_C(0x100000000));
    if (fw.last_is_free && *address == LAST)
        *address = SECOND;
    if (fw.no_memory || (*address != FIRST && *address != SECOND) || (fw.first_is_taken && *address == FIRST))
        return EFI_NOT_FOUND;
    fw.pages_out += pages;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    assert_true(address == FIRST || address == SECOND);
    fw.pages_out -= pages;
    return EFI_SUCCESS;
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

static const uint8_t guid_of_note[16] = { 0x5e, 0x7c, 0x1b, 0x6a, 0x0d, 0x2f, 0x43, 0x4c,
                                          0x9e, 0x58, 0x64, 0x73, 0x38, 0x36, 0x6c, 0x67 };

static void assert_note(const CHAR16 *wide, const EFI_GUID *guid)
{
    char name[32];
    narrow(wide, name);
    assert_string_equal(name, "dstest86Log");
    assert_memory_equal(guid, guid_of_note, 16);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *size, void *value)
{
    assert_note(name, guid);
    assert_null(attributes);
    assert_int_equal(*size, 8);
    if (!fw.noted)
        return EFI_NOT_FOUND;
    memcpy(value, &fw.note, 8);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, UINTN size, void *value)
{
    assert_note(name, guid);
    if (size == 0) {
        if (fw.delete_variable)
            return fw.delete_variable;
        const bool was = fw.noted;
        fw.noted = false;
        return was ? EFI_SUCCESS : EFI_NOT_FOUND;
    }
    assert_int_equal(attributes, 3); /* non-volatile, boot services */
    assert_int_equal(size, 8);
    if (fw.set_variable)
        return fw.set_variable;
    memcpy(&fw.note, value, 8);
    fw.noted = true;
    fw.notes_written++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
    assert_null(capabilities);
    *time = (EFI_TIME){ .Year = 2026, .Month = 1, .Day = 2, .Hour = 3, .Minute = 4, .Second = 5 };
    return fw.no_clock ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI reset_system(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data)
{
    assert_int_equal(type, EfiResetShutdown);
    assert_true(status == EFI_SUCCESS && size == 0);
    assert_null(data);
    fw.shutdowns++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_key(struct _SIMPLE_INPUT_INTERFACE *this, EFI_INPUT_KEY *key)
{
    (void)this;
    *key = (EFI_INPUT_KEY){ .UnicodeChar = ' ' };
    fw.keys_read++;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES boot_services = {
    .HandleProtocol = handle_protocol,
    .AllocatePages = allocate_pages,
    .FreePages = free_pages,
    .AllocatePool = allocate_pool,
    .FreePool = free_pool,
};
static EFI_RUNTIME_SERVICES runtime_services = {
    .GetVariable = get_variable, .SetVariable = set_variable, .GetTime = get_time, .ResetSystem = reset_system
};
static SIMPLE_INPUT_INTERFACE keyboard = { .ReadKeyStroke = read_key, .WaitForKey = (EFI_EVENT)0xe4e };
static EFI_SYSTEM_TABLE table;

/* --- the machine -------------------------------------------------------------------------------------------------- */

static int map_memory(void **state)
{
    (void)state;
    for (uintptr_t at = FIRST; at <= SECOND; at += SECOND - FIRST)
        if (mmap((void *)at, KEPT_LOG_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                 -1, 0) == MAP_FAILED)
            return 1;
    return 0;
}

static int new_machine(void **state)
{
    static const EFI_FILE interface = { .Open = open_file,
                                        .Close = close_file,
                                        .Delete = delete_file,
                                        .Read = read_file,
                                        .Write = write_file,
                                        .Flush = flush_file,
                                        .GetInfo = get_info };
    (void)state;
    memset(&fw, 0, sizeof fw);
    console_said[0] = '\0';
    memset(files, 0, sizeof files);
    memset(&mode, 0, sizeof mode);
    memset((void *)(uintptr_t)FIRST, 0xa5, KEPT_LOG_SIZE);
    memset((void *)(uintptr_t)SECOND, 0xa5, KEPT_LOG_SIZE);
    for (unsigned i = 0; i < FILES; i++)
        files[i].interface = interface;
    volume_root.interface = log_folder.interface = interface;
    fw.free_space = 0x10000;
    table.ConIn = &keyboard;
    BS = &boot_services;
    RT = &runtime_services;
    ST = &table;
    options = (struct options){ .log = OPTIONS_LOG_STICK };
    return 0;
}

static void assert_given_back(void)
{
    assert_int_equal(fw.pool_out, 0);
    assert_int_equal(fw.opened, 0);
}

static void nothing_written(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
}

#define TEXT "# begin\r\n# end verdict=pass\r\n"
#define NAME "000506e3-20260102-1.log"
#define KEY  "dstest86: press a key within 30 seconds to run the tests again\n"
#define DONE KEY "dstest86: nothing more to do; returning to the firmware\n"

/* A run that kept two lines there, and its note. */
static struct kept_log *keep_lines(uintptr_t place)
{
    static struct kept_log log;
    kept_log_make((void *)place, SEQUENCE);
    assert_true(kept_log_open(&log, (void *)place, KEPT_LOG_SIZE, nothing_written));
    kept_log_line(&log, "# ", "begin");
    kept_log_line(&log, "# ", "end verdict=pass");
    fw.noted = true;
    fw.note = SEQUENCE;
    return &log;
}

/* The log is dealt with, whatever became of it: these words, and neither memory nor note for another start. */
static void assert_takes(const char *words)
{
    struct kept_log_text text;
    assert_true(log_take_away(DEVICE, &options));
    assert_string_equal(console_said, words);
    assert_given_back();
    assert_int_equal(fw.pages_out, 0);
    assert_false(fw.noted);
    assert_int_equal(kept_log_read((void *)(uintptr_t)FIRST, &text), KEPT_LOG_NONE);
    assert_int_equal(kept_log_read((void *)(uintptr_t)SECOND, &text), KEPT_LOG_NONE);
}

static void assert_file(unsigned index, const char *name)
{
    assert_true(files[index].there);
    assert_string_equal(files[index].name, name);
    assert_int_equal(files[index].size, sizeof TEXT - 1);
    assert_memory_equal(files[index].bytes, TEXT, sizeof TEXT - 1);
}

#define TAKING "dstest86: taking away the log of the run before: 29 bytes\n"
#define TAKEN(where) \
    TAKING "dstest86: the log of the run before is in " where "\ndstest86: it ends with: # end verdict=pass\n"
#define LOST(why) "dstest86: the log of the run before is lost: " why "\n"

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void without_the_option(void **state)
{
    struct boot_keep keep = { 1, 1 };
    (void)state;
    keep_lines(FIRST);
    fw.noted = false;
    options.log = OPTIONS_LOG_NONE;
    assert_false(log_take_away(DEVICE, &options));
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, 0);
    assert_int_equal(keep.size, 0);
    assert_string_equal(console_said, "");
    assert_false(fw.noted);
    assert_false(files[0].there);

    keep_lines(FIRST); /* the run before had the option, from the menu */
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
    assert_file(0, NAME);
}

static void a_first_start(void **state)
{
    struct boot_keep keep;
    struct kept_log_text text;
    (void)state;
    assert_false(log_take_away(DEVICE, &options));
    assert_int_equal(fw.pages_out, 0);
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, FIRST);
    assert_int_equal(keep.size, 0x100000);
    assert_int_equal(fw.pages_out, 256);
    assert_int_equal(kept_log_read((void *)(uintptr_t)FIRST, &text), KEPT_LOG_OK);
    assert_int_equal(text.length, 0);
    assert_true(fw.noted && fw.note == text.sequence);
    assert_string_equal(console_said, "");
    assert_int_equal(fw.waits, 0);
    assert_given_back();
    assert_false(files[0].there);

    log_release(&keep); /* no kernel was started */
    assert_int_equal(fw.pages_out, 0);
    assert_false(fw.noted);
    assert_int_equal(kept_log_read((void *)(uintptr_t)FIRST, &text), KEPT_LOG_NONE);
    keep.base = 0;
    log_release(&keep);
    assert_int_equal(fw.pages_out, 0);
}

static void the_lowest_free_memory(void **state)
{
    struct boot_keep keep;
    (void)state;
    fw.first_is_taken = true;
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, SECOND);

    new_machine(NULL);
    fw.no_memory = true;
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, 0);
    assert_string_equal(console_said,
                        "dstest86: no log will be kept: no free memory at a multiple of 16 MiB below 4 GiB\n");
    assert_false(fw.noted);
}

static void a_log_is_taken_to_the_volume(void **state)
{
    (void)state;
    keep_lines(FIRST);
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
    assert_file(0, NAME);
    assert_int_equal(fw.flushes, 1);
    assert_int_equal(fw.waited, 300000000); /* of 100 ns */
    assert_int_equal(fw.shutdowns, 0);

    new_machine(NULL); /* from elsewhere; without the note, too */
    keep_lines(SECOND);
    fw.noted = false;
    fw.first_is_taken = true;
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
    assert_file(0, NAME);

    new_machine(NULL);
    keep_lines(SECOND);
    fw.no_clock = true;
    assert_takes(TAKEN("\\dstest86\\logs\\000506e3-00000000-1.log") DONE);
    assert_file(0, "000506e3-00000000-1.log");
}

/* An older one, in memory that was taken when it was looked for, and is free again. */
static void another_runs_log_is_passed_over(void **state)
{
    struct kept_log older;

    (void)state;
    keep_lines(SECOND);
    kept_log_make((void *)(uintptr_t)FIRST, SEQUENCE - 1);
    assert_true(kept_log_open(&older, (void *)(uintptr_t)FIRST, KEPT_LOG_SIZE, nothing_written));
    kept_log_line(&older, "# ", "older");
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
    assert_file(0, NAME);

    new_machine(NULL); /* without the note nothing tells whose it is */
    kept_log_make((void *)(uintptr_t)FIRST, SEQUENCE - 1);
    assert_true(kept_log_open(&older, (void *)(uintptr_t)FIRST, KEPT_LOG_SIZE, nothing_written));
    kept_log_line(&older, "# ", "begin");
    kept_log_line(&older, "# ", "end verdict=pass");
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
}

static void logs_are_counted_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        files[i].there = true;
        snprintf(files[i].name, sizeof files[i].name, "000506e3-20260102-%u.log", i + 1);
    }
    keep_lines(FIRST);
    assert_takes(TAKEN("\\dstest86\\logs\\000506e3-20260102-11.log") DONE);
    assert_file(10, "000506e3-20260102-11.log");
}

static void a_key_runs_the_tests_again(void **state)
{
    (void)state;
    keep_lines(FIRST);
    fw.key = true;
    assert_false(log_take_away(DEVICE, &options));
    assert_string_equal(console_said, TAKEN("\\dstest86\\logs\\" NAME) KEY);
    assert_int_equal(fw.keys_read, 1);
    assert_int_equal(fw.pages_out, 0);

    new_machine(NULL);
    keep_lines(FIRST);
    table.ConIn = NULL;
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
    assert_int_equal(fw.waits, 0);
}

static void power_off_comes_after_a_log_that_was_taken(void **state)
{
    (void)state;
    options.end = OPTIONS_END_POWEROFF;
    keep_lines(FIRST);
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) "dstest86: switching the machine off\n" DONE);
    assert_int_equal(fw.shutdowns, 1);

    new_machine(NULL);
    options.end = OPTIONS_END_POWEROFF;
    fw.noted = true;
    assert_true(log_take_away(DEVICE, &options));
    assert_int_equal(fw.shutdowns, 0);
}

static void a_log_that_is_not_there_is_said(void **state)
{
    (void)state;
    fw.noted = true;
    fw.last_is_free = true;
    assert_takes(LOST("the machine was switched off, or its firmware clears or uses the log's memory when it restarts")
                     DONE);

    new_machine(NULL);
    keep_lines(FIRST);
    ((uint8_t *)(uintptr_t)FIRST)[0x1000] ^= 1;
    assert_takes(LOST("something wrote into its memory at 0x1000000") DONE);

    new_machine(NULL);
    kept_log_make((void *)(uintptr_t)FIRST, SEQUENCE);
    fw.noted = true;
    fw.note = SEQUENCE;
    assert_takes("dstest86: the log of the run before is empty: its kernel was not started, or stopped at once\n" DONE);
    assert_false(files[0].there);
}

static void a_note_that_cannot_be_changed(void **state)
{
    struct boot_keep keep;
    struct kept_log_text text;
    (void)state;
    fw.set_variable = EFI_WRITE_PROTECTED;
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, 0);
    assert_int_equal(fw.pages_out, 0);
    assert_string_equal(console_said,
                        "dstest86: no log will be kept: cannot write the firmware's variable dstest86Log: status 8\n");
    assert_int_equal(kept_log_read((void *)(uintptr_t)FIRST, &text), KEPT_LOG_NONE);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.delete_variable = EFI_WRITE_PROTECTED;
    assert_true(log_take_away(DEVICE, &options));
    assert_string_equal(
        console_said,
        TAKEN(
            "\\dstest86\\logs\\" NAME) "dstest86: cannot delete the firmware's variable dstest86Log: status 8\n" DONE);
}

/* What makes a volume unfit: said before the run, which then keeps no log, and after it, when the log is lost. */
static void expect_unfit(const char *why)
{
    struct boot_keep keep;
    char words[400];
    console_said[0] = '\0';
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, 0);
    snprintf(words, sizeof words, "dstest86: no log will be kept: %s\n", why);
    assert_string_equal(console_said, words);
    assert_int_equal(fw.notes_written, 0);
    assert_int_equal(fw.pages_out, 0);
    assert_given_back();

    console_said[0] = '\0';
    keep_lines(FIRST);
    snprintf(words, sizeof words, TAKING "dstest86: the log of the run before is lost: %s\n" DONE, why);
    assert_takes(words);
    assert_false(files[0].there);
    new_machine(NULL);
}

static void volumes_that_are_unfit(void **state)
{
    (void)state;
    fw.no_volume = true;
    expect_unfit("this was not started from a volume (a stick or a disk)");
    fw.open_volume = EFI_DEVICE_ERROR;
    expect_unfit("cannot open the volume that this was started from: status 7");
    fw.room = EFI_DEVICE_ERROR;
    expect_unfit("cannot read how much room there is on the volume that this was started from: status 7");
    fw.read_only = true;
    expect_unfit("the volume that this was started from is read-only");
    fw.no_folder = true;
    expect_unfit("there is no folder \\dstest86\\logs on the volume that this was started from");
    fw.open_folder = EFI_ACCESS_DENIED;
    expect_unfit("cannot open \\dstest86\\logs on the volume that this was started from: status 15");
    fw.folder_is_a_file = true;
    expect_unfit("\\dstest86\\logs on the volume that this was started from is no folder");
    fw.free_space = 28;
    expect_unfit("there is no room for it on the volume that this was started from");
}

static void room_on_the_volume(void **state)
{
    struct boot_keep keep;
    (void)state;
    fw.free_space = 0xffff;
    log_reserve(DEVICE, &options, &keep);
    assert_int_equal(keep.base, 0);
    fw.free_space = 29; /* the log's length */
    console_said[0] = '\0';
    keep_lines(FIRST);
    assert_takes(TAKEN("\\dstest86\\logs\\" NAME) DONE);
}

static void writing_that_fails(void **state)
{
    (void)state;
    keep_lines(FIRST);
    fw.create = EFI_DEVICE_ERROR;
    assert_takes(TAKING LOST("cannot create its file in \\dstest86\\logs: status 7") DONE);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.write = EFI_VOLUME_FULL;
    assert_takes(TAKING LOST("cannot write its file in \\dstest86\\logs: status 11") DONE);
    assert_string_equal(fw.deleted, NAME);
    assert_false(files[0].there);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.short_write = 1;
    assert_takes(TAKING LOST("cannot write its file in \\dstest86\\logs: status 11") DONE);
    assert_string_equal(fw.deleted, NAME);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.flush = EFI_DEVICE_ERROR;
    assert_takes(TAKING LOST("cannot write its file in \\dstest86\\logs: status 7") DONE);
    assert_string_equal(fw.deleted, NAME);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.reads_back_wrong = true;
    assert_takes(TAKING LOST("its file in \\dstest86\\logs reads back as something else") DONE);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.reopen = EFI_DEVICE_ERROR;
    assert_takes(TAKING LOST("its file in \\dstest86\\logs reads back as something else") DONE);

    new_machine(NULL);
    keep_lines(FIRST);
    files[0].there = true;
    strcpy(files[0].name, NAME);
    fw.open_file = EFI_DEVICE_ERROR;
    assert_takes(TAKING LOST("cannot read \\dstest86\\logs: status 7") DONE);

    new_machine(NULL);
    keep_lines(FIRST);
    fw.pool = EFI_OUT_OF_RESOURCES;
    assert_takes(LOST("no memory: status 9") DONE);
}

static void start_by_network(void)
{
    new_machine(NULL);
    fw.pxe_of_device = true;
    mode.Started = mode.DhcpAckReceived = TRUE;
    memcpy(mode.DhcpAck.Dhcpv4.BootpSiAddr, (uint8_t[4]){ 10, 0, 2, 1 }, 4);
    memcpy(mode.ProxyOffer.Dhcpv4.BootpSiAddr, (uint8_t[4]){ 10, 0, 2, 2 }, 4);
    memcpy(mode.PxeReply.Dhcpv4.BootpSiAddr, (uint8_t[4]){ 10, 0, 2, 3 }, 4);
}

/* Asks the server for a file; what it was asked for, "" for nothing. */
static const char *asked_for(EFI_HANDLE device, EFI_STATUS status)
{
    char bytes[100];
    UINTN size = sizeof bytes;
    assert_int_equal(pxe_read(device, "x", bytes, &size), status);
    if (status == EFI_SUCCESS) {
        assert_int_equal(size, 4);
        assert_memory_equal(bytes, "list", 4);
    }
    return fw.asked_for;
}

static void a_file_of_the_server(void **state)
{
    (void)state;
    start_by_network();
    assert_string_equal(asked_for(DEVICE, EFI_SUCCESS), "10.0.2.1 x");
    mode.ProxyOfferReceived = TRUE;
    assert_string_equal(asked_for(DEVICE, EFI_SUCCESS), "10.0.2.2 x");
    mode.PxeReplyReceived = TRUE;
    assert_string_equal(asked_for(DEVICE, EFI_SUCCESS), "10.0.2.3 x");
    fw.mtftp = EFI_BUFFER_TOO_SMALL;
    asked_for(DEVICE, EFI_BUFFER_TOO_SMALL);
    fw.mtftp = EFI_TFTP_ERROR;
    asked_for(DEVICE, EFI_NOT_FOUND);
}

static void no_file_of_a_server(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        start_by_network();
        fw.pxe_of_device = i != 1;
        mode.Started = i != 2;
        mode.UsingIpv6 = i == 3;
        mode.DhcpAckReceived = i != 4;
        if (i == 5)
            memset(mode.DhcpAck.Dhcpv4.BootpSiAddr, 0, 4);
        assert_string_equal(asked_for(i == 0 ? NULL : DEVICE, EFI_NOT_FOUND), "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_the_option, new_machine),
        cmocka_unit_test_setup(a_first_start, new_machine),
        cmocka_unit_test_setup(the_lowest_free_memory, new_machine),
        cmocka_unit_test_setup(a_log_is_taken_to_the_volume, new_machine),
        cmocka_unit_test_setup(another_runs_log_is_passed_over, new_machine),
        cmocka_unit_test_setup(logs_are_counted_up, new_machine),
        cmocka_unit_test_setup(a_key_runs_the_tests_again, new_machine),
        cmocka_unit_test_setup(power_off_comes_after_a_log_that_was_taken, new_machine),
        cmocka_unit_test_setup(a_log_that_is_not_there_is_said, new_machine),
        cmocka_unit_test_setup(a_note_that_cannot_be_changed, new_machine),
        cmocka_unit_test_setup(volumes_that_are_unfit, new_machine),
        cmocka_unit_test_setup(room_on_the_volume, new_machine),
        cmocka_unit_test_setup(writing_that_fails, new_machine),
        cmocka_unit_test_setup(a_file_of_the_server, new_machine),
        cmocka_unit_test_setup(no_file_of_a_server, new_machine),
    };
    return cmocka_run_group_tests_name("uefi_log", tests, map_memory, NULL);
}
