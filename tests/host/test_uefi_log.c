/* SPDX-License-Identifier: MIT */
/*
 * The loader's part of the log that outlives a reset, and files of a PXE server: what is written where, and the
 * sentence of each failure. tests/qemu/stick.t saves and loses logs on OVMF.
 */
#define SETUP new_machine
#include "tests/host/map_at.h"
#include "tests/host/uefi_firmware.h"

#include <cpuid.h>

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx);
#define __get_cpuid fake_cpuid
#include "boot/uefi/log_volume.c"
#include "boot/uefi/pxe.c"
#include "boot/uefi/remark.c"
#include "boot/uefi/log.c"

EFI_GUID gEfiPxeBaseCodeProtocolGuid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;

#define LOWEST   0x1000000u /* the lowest address for logs */
#define SECOND   0x2000000u
#define SEQUENCE UINT64_C(0x5e90)

/* More fakes of firmware: results and arguments. */
static struct {
    bool first_is_taken, no_memory;
    EFI_STATUS mtftp;
    bool noted;
    UINT64 note;
    unsigned notes_written, shutdowns;
    char asked_for[96]; /* requested from the server */
} log_fw;

static struct options options;
static EFI_PXE_BASE_CODE_MODE mode;

static int fake_cpuid(unsigned leaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx)
{
    assert_int_equal(leaf, 1);
    *eax = 0x506e3;
    *ebx = *ecx = *edx = 0;
    return 1;
}

static EFI_STATUS EFIAPI pxe_mtftp(struct _EFI_PXE_BASE_CODE_PROTOCOL *this, EFI_PXE_BASE_CODE_TFTP_OPCODE operation,
                                   void *bytes, BOOLEAN overwrite, UINT64 *size, UINTN *block, EFI_IP_ADDRESS *server,
                                   UINT8 *name, EFI_PXE_BASE_CODE_MTFTP_INFO *info, BOOLEAN no_buffer)
{
    assert_int_equal(operation, 2); /* UEFI 2.10, 24.3.5: EFI_PXE_BASE_CODE_TFTP_READ_FILE */
    assert_false(overwrite || no_buffer);
    assert_null(block);
    assert_null(info);
    snprintf(log_fw.asked_for, sizeof log_fw.asked_for, "%u.%u.%u.%u %s", server->v4.Addr[0], server->v4.Addr[1],
             server->v4.Addr[2], server->v4.Addr[3], (const char *)name);
    assert_int_equal(*size, 100);
    memcpy(bytes, "list", 4);
    *size = 4;
    return log_fw.mtftp;
}

static EFI_PXE_BASE_CODE_PROTOCOL network = { .Mtftp = pxe_mtftp, .Mode = &mode };

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(how, AllocateAddress);
    assert_int_equal(type, EfiLoaderData);
    assert_int_equal(pages, 256);
    assert_int_equal(*address % 0x1000000, 0);
    assert_true(*address != 0 && *address < UINT64_C(0x100000000));
    if (log_fw.no_memory || (*address != LOWEST && *address != SECOND) || (log_fw.first_is_taken && *address == LOWEST))
        return EFI_NOT_FOUND;
    fw.pages_out += pages;
    return EFI_SUCCESS;
}

FAKE(static EFI_STATUS EFIAPI, free_pages, (EFI_PHYSICAL_ADDRESS address, UINTN pages),
     assert_true(address == LOWEST || address == SECOND), fw.pages_out -= pages, EFI_SUCCESS)

static const uint8_t guid_of_note[16] = { 0x5e, 0x7c, 0x1b, 0x6a, 0x0d, 0x2f, 0x43, 0x4c,
                                          0x9e, 0x58, 0x64, 0x73, 0x38, 0x36, 0x6c, 0x67 };

static void assert_note(const CHAR16 *wide, const EFI_GUID *guid)
{
    char name[32];
    narrow(wide, name);
    assert_string_equal(name, "dstest86Log");
    assert_memory_equal(guid, guid_of_note, 16);
}

FAKE(static EFI_STATUS EFIAPI, get_variable,
     (CHAR16 * name, EFI_GUID *guid, UINT32 *attributes, UINTN *size, void *value), assert_note(name, guid),
     assert_null(attributes), assert_int_equal(*size, 8),
     !log_fw.noted ? EFI_NOT_FOUND : (memcpy(value, &log_fw.note, 8), (EFI_STATUS)EFI_SUCCESS))

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, UINTN size, void *value)
{
    assert_note(name, guid);
    if (size == 0) {
        const bool was = log_fw.noted;
        log_fw.noted = false;
        return was ? EFI_SUCCESS : EFI_NOT_FOUND;
    }
    assert_int_equal(attributes, 3); /* non-volatile, boot services */
    assert_int_equal(size, 8);
    memcpy(&log_fw.note, value, 8);
    log_fw.noted = true;
    log_fw.notes_written++;
    return EFI_SUCCESS;
}

FAKE(static EFI_STATUS EFIAPI, get_time, (EFI_TIME * time, EFI_TIME_CAPABILITIES *capabilities),
     assert_null(capabilities),
     *time = (EFI_TIME){ .Year = 2026, .Month = 1, .Day = 2, .Hour = 3, .Minute = 4, .Second = 5 }, EFI_SUCCESS)
FAKE(static EFI_STATUS EFIAPI, reset_system, (EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data),
     assert_int_equal(type, EfiResetShutdown), assert_true(status == EFI_SUCCESS && size == 0), assert_null(data),
     log_fw.shutdowns++, EFI_SUCCESS)

static EFI_RUNTIME_SERVICES runtime_services = {
    .GetVariable = get_variable, .SetVariable = set_variable, .GetTime = get_time, .ResetSystem = reset_system
};
static SIMPLE_INPUT_INTERFACE keyboard = { .ReadKeyStroke = read_one_key, .WaitForKey = (EFI_EVENT)0xe4e };

static int new_machine(void **state)
{
    new_firmware();
    fw.read_most = 7;
    services.AllocatePages = allocate_pages;
    services.FreePages = free_pages;
    system_table.ConIn = &keyboard;
    RT = &runtime_services;
    memset(&log_fw, 0, sizeof log_fw);
    all[0] = '\0'; /* the loader's remarks */
    memset(&mode, 0, sizeof mode);
    map_at(LOWEST, KEPT_LOG_SIZE);
    map_at(SECOND, KEPT_LOG_SIZE);
    options = (struct options){ .log = OPTIONS_LOG_STICK };
    return 0;
}

static void nothing_written(const void *bytes, size_t size)
{
}

#define TEXT "# begin\r\n# end verdict=pass\r\n"
#define NAME "000506e3-20260102-1.log"
#define KEY  "dstest86: press a key within 30 seconds to run the tests again\n"
#define DONE KEY "dstest86: done; returning to the firmware\n"

static struct boot_keep reserve(void)
{
    struct boot_keep keep = { 1, 1 };
    console_said[0] = '\0';
    log_reserve(DEVICE, &options, &keep);
    return keep;
}

static void make_log(uintptr_t place, UINT64 sequence, const char *first)
{
    struct kept_log log;
    kept_log_make((void *)place, sequence);
    assert_true(kept_log_open(&log, (void *)place, KEPT_LOG_SIZE, nothing_written));
    kept_log_line(&log, "# ", first);
    kept_log_line(&log, "# ", "end verdict=pass");
}

static void leave_note(void)
{
    log_fw.noted = true;
    log_fw.note = SEQUENCE;
}

/* The next start after a run that kept two lines there, and its note. */
static void start_again(uintptr_t place)
{
    new_machine(NULL);
    make_log(place, SEQUENCE, "begin");
    leave_note();
}

static bool is_log(uintptr_t place)
{
    struct kept_log_text text;
    return kept_log_read((void *)place, &text) != KEPT_LOG_NONE;
}

/* The loader prints these words and keeps neither memory nor note for another start. */
static void assert_takes(const char *words)
{
    console_said[0] = '\0';
    assert_true(log_save(DEVICE, &options));
    assert_string_equal(console_said, words);
    assert_given_back(0);
    assert_false(log_fw.noted || is_log(LOWEST) || is_log(SECOND));
}

#define TAKING "dstest86: saving the log of the previous run: 29 bytes\n"
#define TAKEN(where) \
    TAKING "dstest86: the log of the previous run is in " where "\ndstest86: its last line: # end verdict=pass\n"
#define LOST(why) "dstest86: the log of the previous run is lost: " why "\n"

/* One file was added: the log, with this name. */
static void assert_file(unsigned before, const char *name)
{
    assert_true(files[before].there);
    assert_false(files[before + 1].there);
    assert_string_equal(files[before].path + strlen(FOLDER "\\"), name);
    assert_int_equal(files[before].size, sizeof TEXT - 1);
    assert_memory_equal(files[before].bytes, TEXT, sizeof TEXT - 1);
}

static void assert_taken(void)
{
    assert_takes(TAKEN(FOLDER "\\" NAME) DONE);
    assert_file(0, NAME);
}

UNIT_TEST(a_first_start)
{
    struct kept_log_text text;
    assert_false(log_save(DEVICE, &options));
    assert_given_back(0);
    struct boot_keep keep = reserve();
    assert_int_equal(keep.base, LOWEST);
    assert_int_equal(keep.size, 0x100000);
    assert_given_back(256);
    assert_int_equal(kept_log_read((void *)(uintptr_t)LOWEST, &text), KEPT_LOG_OK);
    assert_int_equal(text.length, 0);
    assert_true(log_fw.noted && log_fw.note == text.sequence);
    assert_string_equal(console_said, "");
    assert_int_equal(fw.waits, 0);
    assert_false(files[0].there);

    log_release(&keep); /* no kernel was started */
    assert_given_back(0);
    assert_false(log_fw.noted || is_log(LOWEST));
    keep.base = 0;
    log_release(&keep);
    assert_given_back(0);

    log_fw.first_is_taken = true;
    assert_int_equal(reserve().base, SECOND);
    new_machine(NULL);
    log_fw.no_memory = true;
    assert_int_equal(reserve().base, 0);
    assert_string_equal(console_said,
                        "dstest86: the log will not be saved: no free memory at a multiple of 16 MiB below 4 GiB\n");
    assert_false(log_fw.noted);
}

/* An older log, in memory that was allocated during the search and is free again. */
UNIT_TEST(the_log_of_another_run_is_ignored)
{
    start_again(SECOND);
    make_log(LOWEST, SEQUENCE - 1, "older");
    assert_taken();

    new_machine(NULL); /* without the note, its run is unknown */
    make_log(LOWEST, SEQUENCE - 1, "begin");
    assert_taken();
}

UNIT_TEST(a_key_runs_the_tests_again)
{
    start_again(LOWEST);
    fw.key = true;
    assert_false(log_save(DEVICE, &options));
    assert_string_equal(console_said, TAKEN(FOLDER "\\" NAME) KEY);
    assert_int_equal(fw.keys_read, 1);
    assert_given_back(0);

    start_again(LOWEST);
    system_table.ConIn = NULL;
    assert_taken();
    assert_int_equal(fw.waits, 0);
}

UNIT_TEST(power_off_waits_for_the_log)
{
    start_again(LOWEST);
    options.end = OPTIONS_END_POWEROFF;
    assert_takes(TAKEN(FOLDER "\\" NAME) "dstest86: switching the machine off\n" DONE);
    assert_int_equal(log_fw.shutdowns, 1);

    new_machine(NULL);
    options.end = OPTIONS_END_POWEROFF;
    log_fw.noted = true;
    assert_true(log_save(DEVICE, &options));
    assert_int_equal(log_fw.shutdowns, 0);
}

/* Unusable volumes: reported before the run, which then keeps no log; and after it, if the log is lost. */
UNIT_TEST(unusable_volumes)
{
    static const struct {
        EFI_STATUS *service;
        EFI_STATUS status;
        const char *why;
    } cases[] = {
        { NULL, 0, "the loader was not started from a volume (a stick or a disk)" },
        { NULL, 0, "the boot volume is read-only (boot from a USB stick)" },
        { NULL, 0, "the boot volume has no folder \\dstest86\\logs (create it)" },
        { NULL, 0, "\\dstest86\\logs on the boot volume is not a folder (delete this file)" },
        { NULL, 0, "the boot volume has too little free space (delete old logs)" },
        { &fw.open_volume, EFI_DEVICE_ERROR, "cannot open the boot volume: status 7" },
        { &fw.room, EFI_DEVICE_ERROR, "cannot read the free space of the boot volume: status 7" },
        { &fw.open_folder, EFI_ACCESS_DENIED, "cannot open \\dstest86\\logs on the boot volume: status 15" },
    };
    char words[400];
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        new_machine(NULL);
        if (i == 0)
            remove_protocols(&gEfiSimpleFileSystemProtocolGuid);
        fw.read_only = i == 1;
        log_folder.there = i != 2;
        fw.folder_is_a_file = i == 3;
        fw.free_space = i == 4 ? sizeof TEXT - 2 + BLOCK : 0x100000 + BLOCK;
        if (cases[i].service)
            *cases[i].service = cases[i].status;
        assert_int_equal(reserve().base, 0);
        snprintf(words, sizeof words, "dstest86: the log will not be saved: %s\n", cases[i].why);
        assert_string_equal(console_said, words);
        assert_int_equal(log_fw.notes_written, 0);
        assert_given_back(0);

        make_log(LOWEST, SEQUENCE, "begin");
        leave_note();
        snprintf(words, sizeof words, TAKING LOST("%s") DONE, cases[i].why);
        assert_takes(words);
        assert_false(files[0].there);
    }
}

UNIT_TEST(writing_that_fails)
{
    static const struct {
        EFI_STATUS *service;
        EFI_STATUS status;
        const char *why;
        bool there, deleted; /* a file of that name existed; the loader's own is gone at the end */
    } cases[] = {
        { &fw.create, EFI_DEVICE_ERROR, "cannot create its file in \\dstest86\\logs: status 7", false, false },
        { &fw.write, EFI_VOLUME_FULL, "cannot write its file in \\dstest86\\logs: status 11", false, true },
        { NULL, 0, "cannot write its file in \\dstest86\\logs: status 11", false, true }, /* a byte is not written */
        { &fw.flush, EFI_DEVICE_ERROR, "cannot write its file in \\dstest86\\logs: status 7", false, true },
        { NULL, 0, "its file in \\dstest86\\logs does not read back as written", false, false },
        { NULL, 0, "its file in \\dstest86\\logs does not read back as written", false, false }, /* its last byte */
        { &fw.reopen, EFI_DEVICE_ERROR, "its file in \\dstest86\\logs does not read back as written", false, false },
        { &fw.open_file, EFI_DEVICE_ERROR, "cannot read \\dstest86\\logs: status 7", true, false },
    };
    char words[400];
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        start_again(LOWEST);
        fw.short_write = i == 2;
        fw.reads_back_wrong = i == 4;
        fw.reads_back_short = i == 5;
        if (cases[i].service)
            *cases[i].service = cases[i].status;
        if (cases[i].there)
            add_file(FOLDER "\\" NAME, "");
        snprintf(words, sizeof words, TAKING LOST("%s") DONE, cases[i].why);
        assert_takes(words);
        assert_string_equal(fw.deleted, cases[i].deleted ? FOLDER "\\" NAME : "");
        assert_true(!cases[i].deleted || !files[0].there);
    }
    start_again(LOWEST);
    fw.pool = EFI_OUT_OF_RESOURCES;
    options.end = OPTIONS_END_POWEROFF;
    assert_takes(LOST("no memory: status 9") DONE);
}

static void start_by_network(void)
{
    new_machine(NULL);
    add_protocol(DEVICE, &gEfiPxeBaseCodeProtocolGuid, &network);
    mode.Started = mode.DhcpAckReceived = TRUE;
    memcpy(mode.DhcpAck.Dhcpv4.BootpSiAddr, (uint8_t[4]){ 10, 0, 2, 1 }, 4);
    memcpy(mode.ProxyOffer.Dhcpv4.BootpSiAddr, (uint8_t[4]){ 10, 0, 2, 2 }, 4);
    memcpy(mode.PxeReply.Dhcpv4.BootpSiAddr, (uint8_t[4]){ 10, 0, 2, 3 }, 4);
}

/* What the server was asked for, "" for nothing. A file has four bytes. */
static const char *asked_for(EFI_HANDLE device, EFI_STATUS status)
{
    char bytes[100];
    UINTN size = sizeof bytes;
    assert_int_equal(pxe_read(device, "x", bytes, &size), status);
    assert_true(status != EFI_SUCCESS || (size == 4 && memcmp(bytes, "list", 4) == 0));
    return log_fw.asked_for;
}

UNIT_TEST(a_file_of_the_server)
{
    start_by_network();
    assert_string_equal(asked_for(DEVICE, EFI_SUCCESS), "10.0.2.1 x");
    mode.ProxyOfferReceived = TRUE;
    assert_string_equal(asked_for(DEVICE, EFI_SUCCESS), "10.0.2.2 x");
    mode.PxeReplyReceived = TRUE;
    assert_string_equal(asked_for(DEVICE, EFI_SUCCESS), "10.0.2.3 x");
    log_fw.mtftp = EFI_BUFFER_TOO_SMALL;
    asked_for(DEVICE, EFI_BUFFER_TOO_SMALL);
    log_fw.mtftp = EFI_TFTP_ERROR;
    asked_for(DEVICE, EFI_NOT_FOUND);
    for (unsigned i = 0; i < 6; i++) { /* no server */
        start_by_network();
        log_fw.asked_for[0] = '\0';
        if (i == 1)
            remove_protocols(&gEfiPxeBaseCodeProtocolGuid);
        mode.Started = i != 2;
        mode.UsingIpv6 = i == 3;
        mode.DhcpAckReceived = i != 4;
        if (i == 5)
            memset(mode.DhcpAck.Dhcpv4.BootpSiAddr, 0, 4);
        assert_string_equal(asked_for(i == 0 ? NULL : DEVICE, EFI_NOT_FOUND), "");
    }
}
