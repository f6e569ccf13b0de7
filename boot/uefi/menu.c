/* SPDX-License-Identifier: MIT */
#include "boot/uefi/menu.h"

#include <efi.h>
#include <efilib.h>

#include "lib/text.h"

#define TICK         1000000u /* a tenth of a second, in units of 100 ns */
#define TICKS        10u      /* a second */
#define IDLE_SECONDS 60u      /* how long the menu stays after a key */
#define KEYS_MAX     2000u    /* ends the menu in spite of a stuck key or noise on a serial console */

#define KEY_BACKSPACE 0x08
#define KEY_ENTER     0x0d
#define SCAN_DEL      0x08 /* what serial terminals send for backspace; UEFI 2.10, table 12.4 */
#define SCAN_ESCAPE   0x17

/* What each key appends to the options. If an option is repeated, the last one counts, but run= adds up. */
static const struct choice {
    char key;
    const char *label;
    const char *options;
} choices[] = {
    { '1', "all tests, or those that the options select", "" },
    { '2', "quick: a few tests of each area", "run=quick records=1" },
    { '3', "measure: measurements, which have no verdict", "run=measure.* records=0 timeout=120" },
    { '4', "log: all tests, and save the log on the stick", "dump=raw log=stick" },
};

struct menu {
    char *options;
    unsigned width;
    EFI_EVENT tick;
    unsigned keys; /* read so far */
};

/* Waits at most this long for a key; false if none arrives. counts: prints the time that is left. */
static bool read_key(struct menu *menu, unsigned seconds, bool counts, EFI_INPUT_KEY *key)
{
    for (unsigned left = seconds * TICKS; menu->keys < KEYS_MAX; left--) {
        UINTN index;
        if (!EFI_ERROR(ST->ConIn->ReadKeyStroke(ST->ConIn, key))) {
            menu->keys++;
            return true;
        }
        if (counts && left % TICKS == 0)
            Print(L"\rstarts in %d s ", left / TICKS);
        if (left == 0 || EFI_ERROR(BS->WaitForEvent(1, &menu->tick, &index)))
            return false;
    }
    return false;
}

/* Removes the words that select tests. */
static void drop_run(char *options)
{
    static const char name[] = "run=";
    char *to = options;
    bool start = true, keep = true;

    for (const char *from = options; *from != '\0'; start = *from++ == ' ') {
        if (start)
            keep = !text_begins(from, name);
        if (keep)
            *to++ = *from;
    }
    while (to > options && to[-1] == ' ')
        to--;
    *to = '\0';
}

/* Appends words to the options. False, with a message, if there is no room. */
static bool append(char *options, const char *words)
{
    size_t length = text_length(options);
    const size_t more = text_length(words);
    if (more == 0)
        return true;
    if (length + (length != 0) + more > LOAD_OPTIONS_MAX) {
        Print(L"\ndstest86: cannot add %a: %a\n", words, load_options_error_text(LOAD_OPTIONS_TOO_LONG));
        return false;
    }
    if (length != 0)
        options[length++] = ' ';
    __builtin_memcpy(options + length, words, more + 1);
    return true;
}

/* Lets the user edit the options. False if they are unchanged: after Escape, or a minute without a key. */
static bool edit_options(struct menu *menu)
{
    char line[LOAD_OPTIONS_MAX + 1];
    size_t length = text_length(menu->options);
    EFI_INPUT_KEY key;

    __builtin_memcpy(line, menu->options, length);
    Print(L"\nEnter starts, Escape goes back. Options: %a", menu->options);
    while (read_key(menu, IDLE_SECONDS, false, &key)) {
        if (key.UnicodeChar == KEY_ENTER) {
            line[length] = '\0';
            __builtin_memcpy(menu->options, line, length + 1);
            return true;
        }
        if (key.ScanCode == SCAN_ESCAPE)
            break;
        if (key.UnicodeChar == KEY_BACKSPACE || key.ScanCode == SCAN_DEL) {
            if (length != 0) {
                length--;
                Print(L"\b \b");
            }
        } else if (key.UnicodeChar >= ' ' && key.UnicodeChar <= '~' && length < LOAD_OPTIONS_MAX) {
            line[length++] = (char)key.UnicodeChar;
            Print(L"%c", key.UnicodeChar);
        }
    }
    Print(L"\n");
    return false;
}

static void show(const struct menu *menu)
{
    Print(L"\ndstest86: press a key to choose, or wait\n");
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        Print(L"  %c  %a\n", (UINT32)choices[i].key, choices[i].label);
    Print(L"  5  options: %a\n  6  width: %d bits\n", menu->options[0] != '\0' ? menu->options : "none", menu->width);
}

/* Whether this key ends the menu. If it is one of the menu's keys and does not end it, shows the menu again. */
static bool take_key(struct menu *menu, CHAR16 key, bool long_mode)
{
    bool chosen = key == KEY_ENTER, known = false;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (key == (CHAR16)choices[i].key) {
            if (choices[i].options[0] != '\0')
                drop_run(menu->options);
            chosen = append(menu->options, choices[i].options);
            known = true;
        }
    if (key == '5') {
        chosen = edit_options(menu);
        known = true;
    }
    if (key == '6') {
        menu->width = long_mode && menu->width == 32 ? 64 : 32;
        if (!long_mode)
            Print(
                L"\ndstest86: this processor has no long mode (CPUID.80000001H:EDX bit 29); start the 32-bit kernel\n");
        known = true;
    }
    if (known && !chosen)
        show(menu);
    return chosen;
}

static void choose(struct menu *menu, unsigned seconds, bool long_mode)
{
    const unsigned width = menu->width;
    EFI_INPUT_KEY key;

    ST->ConOut->ClearScreen(ST->ConOut); /* removes firmware's logo */
    show(menu);
    while (read_key(menu, seconds, true, &key) && !take_key(menu, key.UnicodeChar, long_mode))
        seconds = IDLE_SECONDS;
    if (menu->width != width)
        append(menu->options, menu->width == 32 ? "width=32" : "width=64");
    Print(L"\n");
}

void menu_choose(char options[LOAD_OPTIONS_MAX + 1], unsigned seconds, unsigned width, bool long_mode)
{
    struct menu menu = { .options = options, .width = width != 0 ? width : long_mode ? 64 : 32 };

    if (seconds == 0 || ST->ConIn == NULL || EFI_ERROR(BS->CreateEvent(EVT_TIMER, 0, NULL, NULL, &menu.tick)))
        return;
    if (!EFI_ERROR(BS->SetTimer(menu.tick, TimerPeriodic, TICK)))
        choose(&menu, seconds, long_mode);
    BS->CloseEvent(menu.tick);
}
