/* SPDX-License-Identifier: MIT */
#include "boot/uefi/log.h"

#include <efilib.h>

#include "boot/kept_log.h"
#include "boot/uefi/log_volume.h"
#include "boot/uefi/remark.h"

/*
 * The log is at the lowest free multiple of 16 MiB below 4 GiB. Firmware allocates memory from the top down, so it is
 * least likely to overwrite low memory after a reset.
 */
#define PLACE_STEP  UINT64_C(0x1000000)
#define PLACES_END  UINT64_C(0x100000000)
#define PLACE_PAGES (KEPT_LOG_SIZE / EFI_PAGE_SIZE)

#define KEY_SECONDS 30u

/*
 * The note: a firmware variable with the log's sequence. If the next start finds the note without the log, the log did
 * not survive the reset.
 */
static CHAR16 note_name[] = L"dstest86Log";
static EFI_GUID note_guid = { 0x6a1b7c5e, 0x2f0d, 0x4c43, { 0x9e, 0x58, 0x64, 0x73, 0x38, 0x36, 0x6c, 0x67 } };

static bool read_note(UINT64 *sequence)
{
    UINTN size = sizeof *sequence;
    return !EFI_ERROR(RT->GetVariable(note_name, &note_guid, NULL, &size, sequence)) && size == sizeof *sequence;
}

static EFI_STATUS write_note(UINT64 sequence)
{
    return RT->SetVariable(note_name, &note_guid, EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS,
                           sizeof sequence, &sequence);
}

static void delete_note(void)
{
    EFI_STATUS status = RT->SetVariable(note_name, &note_guid, 0, 0, NULL);
    if (EFI_ERROR(status) && status != EFI_NOT_FOUND)
        Print(L"dstest86: cannot delete the firmware's variable %s: %r\n", note_name, status);
}

static void *allocate_at(UINT64 place)
{
    EFI_PHYSICAL_ADDRESS address = place;
    if (EFI_ERROR(BS->AllocatePages(AllocateAddress, EfiLoaderData, PLACE_PAGES, &address)))
        return NULL;
    return (void *)(UINTN)address;
}

static void release(void *memory)
{
    BS->FreePages((UINTN)memory, PLACE_PAGES);
}

/*
 * Finds a log, intact or damaged, in free memory, and allocates that memory; *memory is NULL if there is none. noted:
 * the sequence of the note, which the log must have; NULL: there is no note, and any log will do.
 */
static enum kept_log_error find_log(const UINT64 *noted, void **memory, struct kept_log_text *text)
{
    for (UINT64 place = PLACE_STEP; place < PLACES_END; place += PLACE_STEP) {
        *memory = allocate_at(place);
        if (*memory == NULL)
            continue;
        enum kept_log_error error = kept_log_read(*memory, text);
        if (error != KEPT_LOG_NONE && (noted == NULL || text->sequence == *noted))
            return error;
        if (error != KEPT_LOG_NONE)
            kept_log_forget(*memory);
        release(*memory);
    }
    *memory = NULL;
    return KEPT_LOG_NONE;
}

static void say_trouble(const char *before, const struct log_trouble *trouble)
{
    CHAR16 wide[64];
    char status[64] = "";

    if (trouble->status != EFI_SUCCESS) {
        StatusToString(wide, trouble->status);
        for (unsigned i = 0; i < sizeof status - 1 && (status[i] = (char)wide[i]) != '\0'; i++)
            continue;
    }
    remark("%s: %s%s%s", before, trouble->what, *status ? ": " : "", status);
}

/* Prints the last line of a log, which has the verdict. The text ends with a line end, or is empty. */
static void say_last_line(char *bytes, size_t size)
{
    size_t start, end = size;
    while (end > 0 && (bytes[end - 1] == '\n' || bytes[end - 1] == '\r'))
        end--;
    for (start = end; start > 0 && bytes[start - 1] != '\n';)
        start--;
    if (end == size) /* no line end that the NUL could replace */
        return;
    bytes[end] = '\0';
    Print(L"dstest86: its last line: %a\n", bytes + start);
}

static bool take(EFI_HANDLE device, const struct kept_log_text *text)
{
    struct log_trouble trouble = { "no memory", EFI_SUCCESS };
    struct log_place place;
    char *bytes;

    if (text->length == 0) {
        Print(L"dstest86: the log of the previous run is empty: its kernel was not started, or stopped at once\n");
        return false;
    }
    trouble.status = BS->AllocatePool(EfiLoaderData, text->length, (void **)&bytes);
    if (EFI_ERROR(trouble.status)) {
        say_trouble("the log of the previous run is lost", &trouble);
        return false;
    }
    size_t size = 0;
    for (unsigned i = 0; i < KEPT_LOG_PIECES; i++) {
        for (size_t n = 0; n < text->pieces[i].length; n++)
            bytes[size + n] = text->pieces[i].start[n];
        size += text->pieces[i].length;
    }
    Print(L"dstest86: saving the log of the previous run: %d bytes\n", (UINT32)size);
    const bool taken = log_to_volume(device, bytes, &size, &place, &trouble);
    if (taken) {
        if (size < text->length)
            Print(L"dstest86: the boot volume has too little free space: the middle of the log is left out\n");
        Print(L"dstest86: the log of the previous run is in %a\n", place.text);
        say_last_line(bytes, size);
    } else {
        say_trouble("the log of the previous run is lost", &trouble);
    }
    BS->FreePool(bytes);
    return taken;
}

bool log_save(EFI_HANDLE device, const struct options *options)
{
    struct kept_log_text text;
    UINT64 sequence;
    void *memory;
    bool taken = false;

    const bool noted = read_note(&sequence);
    if (options->log == OPTIONS_LOG_NONE && !noted) /* the previous run's menu may have set the option */
        return false;
    const enum kept_log_error error = find_log(noted ? &sequence : NULL, &memory, &text);
    if (error == KEPT_LOG_NONE && !noted)
        return false;

    if (error == KEPT_LOG_OK)
        taken = take(device, &text);
    else if (error == KEPT_LOG_DAMAGED)
        Print(L"dstest86: the log of the previous run is lost: its memory at 0x%lx was overwritten\n",
              (UINT64)(UINTN)memory);
    else
        Print(L"dstest86: the log of the previous run is lost: the machine was switched off, or its firmware clears or "
              L"uses the log's memory at a restart\n");
    if (memory != NULL) {
        kept_log_forget(memory);
        release(memory);
    }
    delete_note();
    if (taken && options->end == OPTIONS_END_POWEROFF) {
        Print(L"dstest86: switching the machine off\n");
        RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    }
    Print(L"dstest86: press a key within %d seconds to run the tests again\n", KEY_SECONDS);
    if (key_pressed(KEY_SECONDS))
        return false;
    Print(L"dstest86: done; returning to the firmware\n");
    return true;
}

void log_reserve(EFI_HANDLE device, const struct options *options, struct boot_keep *keep)
{
    struct log_trouble trouble;
    void *memory = NULL;

    *keep = (struct boot_keep){ .base = 0 };
    if (options->log == OPTIONS_LOG_NONE)
        return;
    if (!log_volume_ready(device, &trouble)) {
        say_trouble("the log will not be saved", &trouble);
        return;
    }
    for (UINT64 place = PLACE_STEP; place < PLACES_END && memory == NULL; place += PLACE_STEP)
        memory = allocate_at(place);
    if (memory == NULL) {
        remark("the log will not be saved: no free memory at a multiple of 16 MiB below 4 GiB");
        return;
    }
    const UINT64 sequence = __builtin_ia32_rdtsc();
    kept_log_make(memory, sequence);
    /* Without the note, a log that is always lost would cause runs without end. */
    EFI_STATUS status = write_note(sequence);
    if (EFI_ERROR(status)) {
        say_trouble("the log will not be saved",
                    &(struct log_trouble){ "cannot write the firmware's variable dstest86Log", status });
        kept_log_forget(memory);
        release(memory);
        return;
    }
    *keep = (struct boot_keep){ .base = (UINTN)memory, .size = KEPT_LOG_SIZE };
}

void log_release(const struct boot_keep *keep)
{
    if (keep->base == 0)
        return;
    kept_log_forget((void *)(UINTN)keep->base);
    release((void *)(UINTN)keep->base);
    delete_note();
}
