/* SPDX-License-Identifier: MIT */
#include <cpuid.h>
#include <efi.h>
#include <efilib.h>

#include "lib/format.h"
#include "boot/kept_log.h"
#include "boot/uefi/log_volume.h"
#include "boot/uefi/remark.h"

#define LOG_FOLDER  L"\\dstest86\\logs"
#define GROWTH_MOST 0x10000u /* bytes: the largest cluster */
#define NUMBERS_END 1000u
#define COMPARED    4096u /* bytes at a time */

/* UEFI 2.10, 13.5.16 "EFI_FILE_SYSTEM_INFO": naturally aligned, which a 32-bit compiler's default is not. */
struct volume_info {
    UINT64 size;
    UINT8 read_only;
    UINT8 padding[7];
    UINT64 volume_size, free_space;
    UINT32 block_size;
    CHAR16 label[130];
};
_Static_assert(offsetof(struct volume_info, free_space) == 24, "EFI_FILE_SYSTEM_INFO");

/* Sets *trouble and returns false, for `return log_fails(..)`. */
static bool log_fails(struct log_trouble *trouble, const char *what, EFI_STATUS status)
{
    *trouble = (struct log_trouble){ what, status };
    return false;
}

static bool is_folder(EFI_FILE_HANDLE file)
{
    union {
        EFI_FILE_INFO info;
        UINT8 bytes[sizeof(EFI_FILE_INFO) + 520];
    } buffer;
    UINTN size = sizeof buffer;
    return !EFI_ERROR(file->GetInfo(file, &GenericFileInfo, &size, &buffer)) &&
           (buffer.info.Attribute & EFI_FILE_DIRECTORY) != 0;
}

/* Bytes for a new file. The folder may grow, too, by a cluster. */
static UINT64 room_of(const struct volume_info *info)
{
    const UINT64 growth = info->block_size < GROWTH_MOST ? info->block_size : GROWTH_MOST;
    return info->free_space > growth ? info->free_space - growth : 0;
}

/*
 * Opens the folder of logs on a volume that has room for at least KEPT_LOG_LEAST bytes, or `size` if that is less.
 * NULL: *trouble says why.
 */
static EFI_FILE_HANDLE open_folder(EFI_HANDLE device, UINT64 size, UINT64 *room, struct log_trouble *trouble)
{
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root, folder = NULL;
    struct volume_info info;
    UINTN info_size = sizeof info;

    if (device == NULL || EFI_ERROR(BS->HandleProtocol(device, &FileSystemProtocol, (void **)&volume))) {
        log_fails(trouble, "the loader was not started from a volume (a stick or a disk)", EFI_SUCCESS);
        return NULL;
    }
    EFI_STATUS status = volume->OpenVolume(volume, &root);
    if (EFI_ERROR(status)) {
        log_fails(trouble, "cannot open the boot volume", status);
        return NULL;
    }
    const EFI_STATUS informed = root->GetInfo(root, &FileSystemInfo, &info_size, &info);
    *room = EFI_ERROR(informed) ? 0 : room_of(&info);
    status = root->Open(root, &folder, LOG_FOLDER, EFI_FILE_MODE_READ, 0);
    if (EFI_ERROR(informed))
        log_fails(trouble, "cannot read the free space of the boot volume", informed);
    else if (info.read_only)
        log_fails(trouble, "the boot volume is read-only (boot from a USB stick)", EFI_SUCCESS);
    else if (status == EFI_NOT_FOUND)
        log_fails(trouble, "the boot volume has no folder \\dstest86\\logs (create it)", EFI_SUCCESS);
    else if (EFI_ERROR(status))
        log_fails(trouble, "cannot open \\dstest86\\logs on the boot volume", status);
    else if (!is_folder(folder))
        log_fails(trouble, "\\dstest86\\logs on the boot volume is not a folder (delete this file)", EFI_SUCCESS);
    else if (*room < size && *room < KEPT_LOG_LEAST)
        log_fails(trouble, "the boot volume has too little free space (delete old logs)", EFI_SUCCESS);
    else
        log_fails(trouble, NULL, EFI_SUCCESS);
    root->Close(root);
    if (trouble->what == NULL)
        return folder;
    if (!EFI_ERROR(status))
        folder->Close(folder);
    return NULL;
}

bool log_volume_ready(EFI_HANDLE device, struct log_trouble *trouble)
{
    UINT64 room;
    EFI_FILE_HANDLE folder = open_folder(device, KEPT_LOG_SIZE, &room, trouble);
    if (folder == NULL)
        return false;
    folder->Close(folder);
    if (room < KEPT_LOG_SIZE)
        remark("the boot volume has only %u KiB free: a longer log will be saved without its middle",
               (unsigned)(room / 1024));
    return true;
}

static void log_name(unsigned number, char name[40])
{
    unsigned eax = 0, ebx, ecx, edx;
    EFI_TIME now = { .Year = 0 };
    __get_cpuid(1, &eax, &ebx, &ecx, &edx);
    if (EFI_ERROR(RT->GetTime(&now, NULL)))
        now = (EFI_TIME){ .Year = 0 };
    format(name, 40, "%08x-%04u%02u%02u-%u.log", eax, now.Year, now.Month, now.Day, number);
}

static void widen(const char *text, CHAR16 wide[40])
{
    unsigned i = 0;
    do
        wide[i] = (CHAR16)text[i];
    while (text[i++] != '\0');
}

/* Finds the first unused file name. */
static bool choose_name(EFI_FILE_HANDLE folder, char name[40], CHAR16 wide[40], struct log_trouble *trouble)
{
    for (unsigned number = 1; number < NUMBERS_END; number++) {
        EFI_FILE_HANDLE file;
        log_name(number, name);
        widen(name, wide);
        EFI_STATUS status = folder->Open(folder, &file, wide, EFI_FILE_MODE_READ, 0);
        if (status == EFI_NOT_FOUND)
            return true;
        if (EFI_ERROR(status))
            return log_fails(trouble, "cannot read \\dstest86\\logs", status);
        file->Close(file);
    }
    return log_fails(trouble, "\\dstest86\\logs already has 999 logs of this day and processor (delete some)",
                     EFI_SUCCESS);
}

static bool reads_back(EFI_FILE_HANDLE folder, CHAR16 *name, const UINT8 *bytes, size_t size)
{
    UINT8 buffer[COMPARED];
    EFI_FILE_HANDLE file;
    size_t done = 0;
    bool same = true;

    if (EFI_ERROR(folder->Open(folder, &file, name, EFI_FILE_MODE_READ, 0)))
        return false;
    while (same) {
        UINTN length = sizeof buffer;
        if (EFI_ERROR(file->Read(file, &length, buffer)) || length > size - done)
            same = false;
        else if (length == 0)
            break;
        for (UINTN i = 0; same && i < length; i++)
            same = buffer[i] == bytes[done + i];
        done += length;
    }
    file->Close(file);
    return same && done == size;
}

/*
 * Writes a new file in one call, flushes and closes it: firmware then changes the volume's structures as rarely as it
 * can. Space is not reserved first, because shrinking the file at the end would change the structures again. The file
 * is not renamed at the end, because a power failure can interrupt a rename on FAT.
 */
static bool write_new(EFI_FILE_HANDLE folder, CHAR16 *name, const void *bytes, size_t size, struct log_trouble *trouble)
{
    EFI_FILE_HANDLE file;
    UINTN written = size;

    EFI_STATUS status =
        folder->Open(folder, &file, name, EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
    if (EFI_ERROR(status))
        return log_fails(trouble, "cannot create its file in \\dstest86\\logs", status);
    status = file->Write(file, &written, (void *)(UINTN)bytes);
    if (!EFI_ERROR(status))
        status = written == size ? file->Flush(file) : EFI_VOLUME_FULL;
    if (EFI_ERROR(status)) {
        file->Delete(file);
        return log_fails(trouble, "cannot write its file in \\dstest86\\logs", status);
    }
    file->Close(file);
    return reads_back(folder, name, bytes, size) ||
           log_fails(trouble, "its file in \\dstest86\\logs does not read back as written", EFI_SUCCESS);
}

bool log_to_volume(EFI_HANDLE device, char *bytes, size_t *size, struct log_place *place, struct log_trouble *trouble)
{
    UINT64 room;
    EFI_FILE_HANDLE folder = open_folder(device, *size, &room, trouble);
    char name[40];
    CHAR16 wide[40];

    if (folder == NULL)
        return false;
    if (*size > room)
        *size = kept_log_shorten(bytes, *size, (size_t)room);
    const bool done = choose_name(folder, name, wide, trouble) && write_new(folder, wide, bytes, *size, trouble);
    folder->Close(folder);
    format(place->text, sizeof place->text, "\\dstest86\\logs\\%s", done ? name : "");
    return done;
}
