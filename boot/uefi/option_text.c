/* SPDX-License-Identifier: MIT */
#include "boot/uefi/option_text.h"

#include "boot/uefi/pxe.h"
#include "boot/uefi/remark.h"

#define OPTIONS_FILE     L"\\dstest86\\options.txt"
#define OPTIONS_FILE_MAX 16384u /* bytes */

static EFI_STATUS parse_options_file(const void *bytes, UINTN size, char *out)
{
    size_t line;
    enum load_options_error error = load_options_from_file(bytes, size, out, &line);
    if (error == LOAD_OPTIONS_OK)
        return EFI_SUCCESS;
    Print(L"dstest86: %s: line %d: %a\n", OPTIONS_FILE, (UINT32)line, load_options_error_text(error));
    return EFI_INVALID_PARAMETER;
}

/* Reads the options file of the server after a PXE boot; *out is empty if there is no such file. */
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

    UINTN size = 0, part;
    void *bytes;
    status = BS->AllocatePool(EfiLoaderData, OPTIONS_FILE_MAX + 1, &bytes);
    if (!EFI_ERROR(status)) {
        do { /* a read may return less than it was asked for */
            part = OPTIONS_FILE_MAX + 1 - size;
            status = file->Read(file, &part, (UINT8 *)bytes + size);
            size += part;
        } while (!EFI_ERROR(status) && part > 0 && size <= OPTIONS_FILE_MAX);
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

EFI_STATUS option_text_read(const EFI_LOADED_IMAGE *loader, char out[LOAD_OPTIONS_MAX + 1])
{
    size_t ignored;
    const CHAR16 *path = NULL;
    for (EFI_DEVICE_PATH *node = loader->FilePath; node != NULL && !IsDevicePathEnd(node);
         node = NextDevicePathNode(node))
        if (DevicePathType(node) == MEDIA_DEVICE_PATH && DevicePathSubType(node) == MEDIA_FILEPATH_DP)
            path = ((FILEPATH_DEVICE_PATH *)node)->PathName;
    enum load_options_error error =
        load_options_from_ucs2(loader->LoadOptions, loader->LoadOptionsSize, path, out, &ignored);
    if (error != LOAD_OPTIONS_OK) {
        Print(L"dstest86: load options: %a\n", load_options_error_text(error));
        return EFI_INVALID_PARAMETER;
    }
    if (ignored != 0)
        remark("load options: ignored %zu bytes: words for Linux (like root=), or not printable ASCII in UCS-2",
               ignored);
    return out[0] != '\0' ? EFI_SUCCESS : read_options_file(loader->DeviceHandle, out);
}
