/* SPDX-License-Identifier: MIT */
/* Parses the kernel's options: text in, values or the offending word out. */
#ifndef BOOT_OPTIONS_H
#define BOOT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/uart.h"

/* A piece of another text, without a NUL. Print it with "%.*s". */
struct slice {
    const char *start;
    size_t length;
};

enum options_end { OPTIONS_END_HALT, OPTIONS_END_REBOOT, OPTIONS_END_POWEROFF };

enum options_paging { OPTIONS_PAGING_AUTO, OPTIONS_PAGING_PAE, OPTIONS_PAGING_LEGACY };

enum options_exit {
    OPTIONS_EXIT_AUTO, /* the debug exit device, if a hypervisor is present */
    OPTIONS_EXIT_DEBUG,
    OPTIONS_EXIT_NONE
};

/* STICK: to the volume that the loader was started from. */
enum options_log { OPTIONS_LOG_NONE, OPTIONS_LOG_STICK };

enum options_dump { OPTIONS_DUMP_NONE, OPTIONS_DUMP_RAW };

enum options_recap { OPTIONS_RECAP_AREAS, OPTIONS_RECAP_ALL };

enum options_kinds { OPTIONS_KINDS_ALL, OPTIONS_KINDS_FIRST, OPTIONS_KINDS_CORE, OPTIONS_KINDS_ATOM };

#define OPTIONS_RECORDS_ALL UINT32_MAX
#define OPTIONS_CONSOLES    4u
#define OPTIONS_COM1        0x3f8u
#define OPTIONS_BAUD        115200u
#define OPTIONS_LENGTH_MAX  2048u /* characters of the whole text */
#define OPTIONS_MENU_AUTO   UINT32_MAX

struct options {
    struct slice run;         /* comma-separated globs */
    struct slice skip;        /* comma-separated globs; length 0 = none */
    bool list;                /* list the tests, run none */
    uint32_t records;         /* decoded records to print per test and kind; OPTIONS_RECORDS_ALL = all */
    uint32_t records_failing; /* of a test that does not pass: `records` or more */
    uint32_t lbr_entries;     /* of an LBR stack, if the test passes; OPTIONS_RECORDS_ALL = all */
    enum options_recap recap; /* which results the end of the log repeats */
    enum options_kinds kinds; /* the kinds of a hybrid's cores that the tests run on */
    enum options_dump dump;   /* write the raw dump, for tools/dsdump */
    unsigned timeout;         /* time limit for each test, 1 to 3600 seconds */
    enum options_end end;
    enum options_exit exit;
    bool console_usual; /* the default ports: from firmware's tables and PCI; the next three members are then empty */
    bool console_pci;   /* PCI's serial ports, in addition to these: */
    unsigned consoles;
    struct {
        const char *name; /* "COM2" */
        struct uart uart;
    } console[OPTIONS_CONSOLES];
    bool gdbwait;               /* wait for a debugger before the first test */
    unsigned width;             /* 32, 64 or 0 = not given: which kernel the loader starts */
    enum options_paging paging; /* page tables of the 32-bit kernel */
    uint32_t menu;              /* seconds that the UEFI loader's menu waits; 0 = no menu; or OPTIONS_MENU_AUTO */
    enum options_log log;       /* where the loader saves the log after a restart */
};

enum options_error {
    OPTIONS_OK,
    OPTIONS_TOO_LONG,       /* the text has more than OPTIONS_LENGTH_MAX characters */
    OPTIONS_CHARACTER,      /* a word has a character that is not printable ASCII */
    OPTIONS_UNKNOWN,        /* no such option */
    OPTIONS_NO_VALUE,       /* "name" or "name=" of an option that needs a value, or an empty glob in a list */
    OPTIONS_UNWANTED_VALUE, /* "name=value" of an option that takes none */
    OPTIONS_NOT_A_CHOICE,   /* the value is not one of the option's choices */
    OPTIONS_NOT_A_NUMBER,   /* the value is not a decimal number */
    OPTIONS_OUT_OF_RANGE,   /* the number is too small or too large */
    OPTIONS_TOO_MANY        /* more than OPTIONS_CONSOLES serial ports */
};

/*
 * Parses text up to its NUL, as words separated by blanks or line ends. NULL and "" give the defaults. If an option is
 * repeated, the last one counts, but each run= and skip= adds globs, and each console= adds a console, except auto and
 * none. *options is always set; its lists are valid until the next call. After an error *options has the defaults, and
 * *offender is the invalid word.
 */
enum options_error options_parse(const char *text, struct options *options, struct slice *offender);

/* The error as text: "unknown option". The offender follows after a colon. */
const char *options_error_text(enum options_error error);

/* Passes one line for each option, with its values, default and meaning. */
void options_help(void (*line)(void *context, const char *text), void *context);

/* Whether pattern, with * and ?, matches the whole of text. A pattern may be the name of a set of globs: "quick". */
bool glob_match(struct slice pattern, const char *text);

/* Removes the first glob from a list; false at its end. */
bool glob_next(struct slice *list, struct slice *glob);

/* Whether any glob of the list matches. */
bool glob_list_match(struct slice list, const char *text);

/* Whether the options select this test: some glob of run matches its id, and none of skip. */
bool options_select(const struct options *options, const char *id);

#endif
