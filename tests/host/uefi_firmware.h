/* SPDX-License-Identifier: MIT */
/*
 * A fake firmware for the tests of the UEFI loader: a console, pool memory, protocols and one volume with files. Each
 * test adds the services that only its part of the loader calls.
 */
#ifndef TESTS_HOST_UEFI_FIRMWARE_H
#define TESTS_HOST_UEFI_FIRMWARE_H

#include <efi.h>
#include <efilib.h>

#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#define DEVICE ((EFI_HANDLE)0xde71ce) /* the loader's boot device */
#define FOLDER "\\dstest86\\logs"
#define BLOCK  0x200u /* of the volume */

EFI_BOOT_SERVICES *BS;
EFI_RUNTIME_SERVICES *RT;
EFI_SYSTEM_TABLE *ST;
EFI_GUID gEfiLoadedImageProtocolGuid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
EFI_GUID gEfiSimpleFileSystemProtocolGuid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
EFI_GUID gEfiFileInfoGuid = EFI_FILE_INFO_ID;
EFI_GUID gEfiFileSystemInfoGuid = EFI_FILE_SYSTEM_INFO_ID;

static EFI_BOOT_SERVICES services;
static EFI_SYSTEM_TABLE system_table;

/* Results of the firmware's functions, and allocations in use. */
static struct {
    EFI_STATUS open_volume, open_folder, open_file, read, create, write, flush, room, pool; /* 0: it works */
    EFI_STATUS reopen; /* of opening a non-empty file again */
    bool read_only, folder_is_a_file, reads_back_wrong, reads_back_short;
    size_t short_write; /* bytes that a write omits */
    size_t read_most;   /* the largest read; 0: no limit */
    UINT64 free_space;

    UINTN pool_out, pages_out;
    int opened;
    unsigned flushes;
    char deleted[64];

    bool key; /* pressed while the loader waits */
    unsigned waits, keys_read;
    UINT64 waited; /* the last wait, in units of 100 ns */
} fw;

/* --- gnu-efi's Print(), with the conversions that the loader uses ------------------------------------------------- */

static char console_said[8192]; /* emptied by tests */

static void console_text(const char *text)
{
    assert_true(strlen(console_said) + strlen(text) < sizeof console_said);
    strcat(console_said, text);
}

static void narrow(const CHAR16 *wide, char *text)
{
    do
        *text++ = (char)*wide;
    while (*wide++);
}

UINTN Print(const CHAR16 *text, ...)
{
    va_list values;
    va_start(values, text);
    for (; *text; text++) {
        char word[256] = { (char)*text };
        if (*text == '%') {
            switch (*++text) {
            case 'l':
                assert_int_equal(*++text, 'x');
                snprintf(word, sizeof word, "%llx", (unsigned long long)va_arg(values, UINT64));
                break;
            case 'c':
                word[0] = (char)va_arg(values, UINT32);
                break;
            case 'd':
                snprintf(word, sizeof word, "%u", va_arg(values, UINT32));
                break;
            case 'x':
                snprintf(word, sizeof word, "%x", va_arg(values, UINT32));
                break;
            case 'r':
                snprintf(word, sizeof word, "status %u", (unsigned)(va_arg(values, EFI_STATUS) & 0xff));
                break;
            case 'a':
                console_text(va_arg(values, const char *));
                word[0] = '\0';
                break;
            default:
                assert_int_equal(*text, 's');
                narrow(va_arg(values, const CHAR16 *), word);
            }
        }
        console_text(word);
    }
    va_end(values);
    return 0;
}

/* --- the keyboard ------------------------------------------------------------------------------------------------- */

FAKE(static inline EFI_STATUS EFIAPI, read_one_key, (struct _SIMPLE_INPUT_INTERFACE * this, EFI_INPUT_KEY *key),
     *key = (EFI_INPUT_KEY){ .UnicodeChar = ' ' }, fw.keys_read++, EFI_SUCCESS)
FAKE(EFI_STATUS, WaitForSingleEvent, (EFI_EVENT event, UINT64 timeout), assert_ptr_equal(event, (EFI_EVENT)0xe4e),
     fw.waits++, fw.waited = timeout, fw.key ? EFI_SUCCESS : EFI_TIMEOUT)

VOID StatusToString(CHAR16 *text, EFI_STATUS status)
{
    char narrow[32];
    snprintf(narrow, sizeof narrow, "status %u", (unsigned)(status & 0xff));
    for (unsigned i = 0; i < sizeof narrow; i++)
        text[i] = (CHAR16)narrow[i];
}

/* --- protocols ---------------------------------------------------------------------------------------------------- */

static struct protocol {
    EFI_HANDLE handle;
    const void *guid;
    void *interface;
    bool gone; /* removed before it is opened */
} protocols[16];
static unsigned protocol_count;

static struct protocol *add_protocol(EFI_HANDLE handle, const void *guid, void *interface)
{
    assert_true(protocol_count < COUNT_OF(protocols));
    protocols[protocol_count] = (struct protocol){ handle, guid, interface, false };
    return &protocols[protocol_count++];
}

static inline void remove_protocols(const void *guid)
{
    for (unsigned i = 0; i < protocol_count; i++)
        protocols[i].gone = protocols[i].gone || memcmp(protocols[i].guid, guid, sizeof(EFI_GUID)) == 0;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface)
{
    assert_non_null(handle);
    for (unsigned i = 0; i < protocol_count; i++)
        if (protocols[i].handle == handle && !protocols[i].gone && memcmp(protocols[i].guid, guid, sizeof *guid) == 0) {
            *interface = protocols[i].interface;
            return EFI_SUCCESS;
        }
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, void *registration, void **interface)
{
    assert_null(registration);
    for (unsigned i = 0; i < protocol_count; i++)
        if (memcmp(protocols[i].guid, guid, sizeof *guid) == 0) {
            *interface = protocols[i].interface;
            return EFI_SUCCESS;
        }
    return EFI_NOT_FOUND;
}

FAKE(static EFI_STATUS EFIAPI, allocate_pool, (EFI_MEMORY_TYPE type, UINTN size, void **out),
     assert_int_equal(type, EfiLoaderData),
     fw.pool ? fw.pool : (*out = malloc(size), fw.pool_out++, (EFI_STATUS)EFI_SUCCESS))
FAKE(static EFI_STATUS EFIAPI, free_pool, (void *bytes), free(bytes), fw.pool_out--, EFI_SUCCESS)

static EFI_STATUS EFIAPI locate_handles(EFI_LOCATE_SEARCH_TYPE how, EFI_GUID *guid, void *key, UINTN *count,
                                        EFI_HANDLE **handles)
{
    assert_int_equal(how, ByProtocol);
    assert_null(key);
    *handles = malloc(sizeof protocols);
    *count = 0;
    for (unsigned i = 0; i < protocol_count; i++)
        if (memcmp(protocols[i].guid, guid, sizeof *guid) == 0)
            (*handles)[(*count)++] = protocols[i].handle;
    fw.pool_out++;
    if (*count)
        return EFI_SUCCESS;
    free_pool(*handles);
    return EFI_NOT_FOUND;
}

/* --- the volume: files in the folders \dstest86 and \dstest86\logs -------------------------------------------------
 */

#define FILES 16u

static struct file {
    EFI_FILE interface;
    char path[64];
    uint8_t bytes[66000];
    size_t size, at;
    bool there;
} files[FILES];
static struct file volume_root, log_folder; /* log_folder uses only `there` */

static struct file *add_file(const char *path, const char *text)
{
    struct file *file = files;
    while (file->there)
        file++;
    assert_true(file < files + FILES && strlen(text) <= sizeof file->bytes);
    strcpy(file->path, path);
    file->size = strlen(text);
    memcpy(file->bytes, text, file->size);
    file->at = 0;
    file->there = true;
    return file;
}

/* UEFI 2.10, 13.5.2: mode 1 reads; with create and write, it is 8000000000000003h. */
static EFI_STATUS EFIAPI open_file(struct _EFI_FILE_HANDLE *from, struct _EFI_FILE_HANDLE **out, CHAR16 *wide,
                                   UINT64 how, UINT64 attributes)
{
    char name[64], path[96];
    struct file *file = NULL;
    narrow(wide, name);
    snprintf(path, sizeof path, "%s%s", from == &volume_root.interface ? "" : FOLDER "\\", name);
    assert_true(from == &volume_root.interface || from == &log_folder.interface);
    assert_int_equal(attributes, 0);
    for (unsigned i = 0; i < FILES; i++)
        if (files[i].there && strcmp(files[i].path, path) == 0)
            file = &files[i];
    if (strcmp(path, FOLDER) == 0) {
        if (fw.open_folder || !log_folder.there)
            return fw.open_folder ? fw.open_folder : EFI_NOT_FOUND;
        file = &log_folder;
    } else if (file) {
        assert_int_equal(how, 1); /* existing files are only read */
        if (fw.open_file || (fw.reopen && file->size))
            return fw.open_file ? fw.open_file : fw.reopen;
    } else {
        if (how == 1)
            return EFI_NOT_FOUND;
        assert_true(how == (UINT64)(1 | 2 | INT64_MIN));
        if (fw.create)
            return fw.create;
        file = add_file(path, "");
    }
    file->at = 0;
    fw.opened++;
    *out = &file->interface;
    return EFI_SUCCESS;
}

FAKE(static EFI_STATUS EFIAPI, close_file, (struct _EFI_FILE_HANDLE * file), fw.opened--, EFI_SUCCESS)

static EFI_STATUS EFIAPI delete_file(struct _EFI_FILE_HANDLE *file)
{
    struct file *const of = (struct file *)file;
    strcpy(fw.deleted, of->path);
    of->there = false;
    return close_file(file);
}

static EFI_STATUS EFIAPI read_file(struct _EFI_FILE_HANDLE *file, UINTN *size, void *bytes)
{
    struct file *const of = (struct file *)file;
    if (fw.read)
        return fw.read;
    if (*size > of->size - of->at)
        *size = of->size - of->at;
    if (fw.read_most && *size > fw.read_most)
        *size = fw.read_most;
    memcpy(bytes, of->bytes + of->at, *size);
    if (fw.reads_back_wrong && of->at == 14)
        *(uint8_t *)bytes ^= 1;
    of->at += *size;
    if (fw.reads_back_short && of->at == of->size && *size)
        --*size;
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

FAKE(static EFI_STATUS EFIAPI, flush_file, (struct _EFI_FILE_HANDLE * file), fw.flushes++, fw.flush)

/* UEFI 2.10, 13.5.16 and 13.5.17: EFI_FILE_INFO, EFI_FILE_SYSTEM_INFO. */
static EFI_STATUS EFIAPI get_info(struct _EFI_FILE_HANDLE *file, EFI_GUID *guid, UINTN *size, void *out)
{
    uint8_t *const bytes = out;
    if (file == &volume_root.interface) {
        assert_memory_equal(guid, &gEfiFileSystemInfoGuid, sizeof *guid);
        assert_true(*size >= 36 + 2 * 12);
        memset(bytes, 0x5a, 36);
        bytes[8] = fw.read_only;
        memcpy(bytes + 24, &fw.free_space, 8);
        memcpy(bytes + 32, &(UINT32){ BLOCK }, 4);
        return fw.room;
    }
    assert_ptr_equal(file, &log_folder.interface);
    assert_memory_equal(guid, &gEfiFileInfoGuid, sizeof *guid);
    assert_true(*size >= 80 + 2 * 5);
    memset(bytes, 0, 80);
    bytes[72] = fw.folder_is_a_file ? 0x20 : 0x10;
    return EFI_SUCCESS;
}

FAKE(static EFI_STATUS EFIAPI, open_volume,
     (struct _EFI_SIMPLE_FILE_SYSTEM_PROTOCOL * this, struct _EFI_FILE_HANDLE **out),
     fw.open_volume ? fw.open_volume : (fw.opened++, *out = &volume_root.interface, (EFI_STATUS)EFI_SUCCESS))

/* --- the machine -------------------------------------------------------------------------------------------------- */

/* A firmware without faults. The boot volume has an empty folder for logs. */
static void new_firmware(void)
{
    static EFI_FILE_IO_INTERFACE volume = { .OpenVolume = open_volume };
    static const struct file closed = { .interface = { .Open = open_file,
                                                       .Close = close_file,
                                                       .Delete = delete_file,
                                                       .Read = read_file,
                                                       .Write = write_file,
                                                       .Flush = flush_file,
                                                       .GetInfo = get_info } };
    memset(&fw, 0, sizeof fw);
    fw.free_space = 0x100000 + BLOCK;
    console_said[0] = '\0';
    for (unsigned i = 0; i < FILES; i++)
        files[i] = closed;
    volume_root = log_folder = closed;
    log_folder.there = true;
    protocol_count = 0;
    add_protocol(DEVICE, &gEfiSimpleFileSystemProtocolGuid, &volume);
    services.HandleProtocol = handle_protocol;
    services.LocateProtocol = locate_protocol;
    services.LocateHandleBuffer = locate_handles;
    services.AllocatePool = allocate_pool;
    services.FreePool = free_pool;
    system_table = (EFI_SYSTEM_TABLE){ .BootServices = &services };
    BS = &services;
    ST = &system_table;
}

/* Only these pages are still in use. */
static void assert_given_back(UINTN pages)
{
    assert_int_equal(fw.pool_out, 0);
    assert_int_equal(fw.opened, 0);
    assert_int_equal(fw.pages_out, pages);
}

#endif
