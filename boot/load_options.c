/* SPDX-License-Identifier: MIT */
#include "boot/load_options.h"

#include <stdbool.h>
#include <stdint.h>

/* Collects characters into words with one space between them. */
struct text {
    char *out;
    size_t length;
    bool gap;
};

static bool is_blank(unsigned unit)
{
    return unit == ' ' || unit == '\t' || unit == '\r' || unit == '\n';
}

static bool is_printable(unsigned unit)
{
    return unit > ' ' && unit < 0x7f;
}

/* Appends a character. If there is no room, empties the text and returns false. */
static bool append(struct text *text, unsigned unit)
{
    if (is_blank(unit)) {
        text->gap = text->length != 0;
        return true;
    }
    if (text->length + text->gap >= LOAD_OPTIONS_MAX) {
        text->out[0] = '\0';
        return false;
    }
    if (text->gap)
        text->out[text->length++] = ' ';
    text->gap = false;
    text->out[text->length++] = (char)unit;
    text->out[text->length] = '\0';
    return true;
}

static bool is_separator(unsigned unit)
{
    return unit == '\\' || unit == '/' || unit == ':';
}

static unsigned lower(unsigned unit)
{
    return unit >= 'A' && unit <= 'Z' ? unit | 0x20 : unit;
}

/* Whether a word of this length is a path's last name, or that name without its ".efi"; the word may have a path. */
static bool is_name_of(const char *word, size_t length, const uint16_t *path)
{
    size_t end = 0, name = 0;

    for (; path[end] != 0; end++)
        if (is_separator(path[end]))
            name = end + 1;
    size_t start = length;
    while (start > 0 && !is_separator((unsigned char)word[start - 1]))
        start--;
    size_t i = 0;
    while (start + i < length && name + i < end && lower((unsigned char)word[start + i]) == lower(path[name + i]))
        i++;
    return i > 0 && start + i == length && (name + i == end || (name + i + 4 == end && path[name + i] == '.'));
}

static void drop_image_name(char *options, const uint16_t *path)
{
    static const char suffix[] = ".efi";
    const size_t count = sizeof suffix - 1;
    size_t length = 0;
    while (options[length] != '\0' && options[length] != ' ')
        length++;
    bool named = length >= count;
    for (size_t i = 0; named && i < count; i++)
        named = lower((unsigned char)options[length - count + i]) == (unsigned char)suffix[i];
    if (!named && !(path != NULL && is_name_of(options, length, path)))
        return;

    const char *rest = options + length + (options[length] == ' ');
    do
        *options++ = *rest;
    while (*rest++ != '\0');
}

/* Words that boot loaders pass to any kernel, for Linux: with or without a value. */
static const char *const foreign[] = {
    "BOOTIF",    "BOOT_IMAGE", "auto",       "earlycon", "earlyprintk", "init",   "initrd", "ip",
    "loglevel",  "nomodeset",  "nosplash",   "panic",    "quiet",       "resume", "ro",     "root",
    "rootdelay", "rootflags",  "rootfstype", "rootwait", "rw",          "splash", "vga",    "video",
};

static bool is_foreign(const char *word)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        size_t length = 0;

        while (foreign[i][length] != '\0' && word[length] == foreign[i][length])
            length++;
        if (foreign[i][length] == '\0' && (word[length] == '\0' || word[length] == ' ' || word[length] == '='))
            return true;
    }
    return false;
}

/* Removes these words, and returns the number of their characters. */
static size_t drop_foreign_words(char *options)
{
    const char *from = options;
    char *to = options;
    size_t dropped = 0;

    while (*from != '\0') {
        const bool drop = is_foreign(from);

        if (!drop && to != options)
            *to++ = ' ';
        for (; *from != '\0' && *from != ' '; from++)
            if (drop)
                dropped++;
            else
                *to++ = *from;
        from += *from == ' ';
    }
    *to = '\0';
    return dropped;
}

enum load_options_error load_options_from_ucs2(const void *data, size_t size, const uint16_t *path,
                                               char out[LOAD_OPTIONS_MAX + 1], size_t *ignored)
{
    const uint8_t *bytes = data;
    struct text text = { .out = out };
    size_t i = size >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe ? 2 : 0;

    out[0] = '\0';
    *ignored = 0;
    for (; i < size; i += 2) {
        unsigned unit = size - i < 2 ? UINT16_MAX : (unsigned)(bytes[i] | bytes[i + 1] << 8);
        if (unit == 0) {
            for (size_t rest = i; rest < size; rest++)
                if (bytes[rest] != 0)
                    *ignored = size - i;
            break;
        }
        if (!is_blank(unit) && !is_printable(unit)) {
            *ignored = size - i;
            break;
        }
        if (!append(&text, unit))
            return LOAD_OPTIONS_TOO_LONG;
    }
    drop_image_name(out, path);
    *ignored += 2 * drop_foreign_words(out);
    return LOAD_OPTIONS_OK;
}

enum load_options_error load_options_from_file(const void *data, size_t size, char out[LOAD_OPTIONS_MAX + 1],
                                               size_t *line)
{
    const uint8_t *bytes = data;
    struct text text = { .out = out };
    bool comment = false;
    size_t i = size >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf ? 3 : 0;

    out[0] = '\0';
    *line = 1;
    if (size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) ||
                      (bytes[0] == 0) != (bytes[1] == 0)))
        return LOAD_OPTIONS_UTF16;
    for (; i < size; i++) {
        unsigned unit = bytes[i];
        if (unit == '\r' || unit == '\n') { /* old systems end lines with CR alone */
            comment = false;
            *line += unit == '\r' || i == 0 || bytes[i - 1] != '\r';
        } else if (unit == '#') {
            comment = true;
        }
        if (comment)
            continue;
        if (!is_blank(unit) && !is_printable(unit)) {
            out[0] = '\0';
            return LOAD_OPTIONS_NOT_ASCII;
        }
        if (!append(&text, unit))
            return LOAD_OPTIONS_TOO_LONG;
    }
    return LOAD_OPTIONS_OK;
}

const char *load_options_error_text(enum load_options_error error)
{
    switch (error) {
    case LOAD_OPTIONS_OK:
        return "no error";
    case LOAD_OPTIONS_TOO_LONG:
        return "more than 1023 characters of options";
    case LOAD_OPTIONS_NOT_ASCII:
        return "a character that is not printable ASCII (allowed in comments only)";
    case LOAD_OPTIONS_UTF16:
        return "the file is UTF-16; save it as ANSI or UTF-8 (in PowerShell: Set-Content -Encoding ascii)";
    }
    return "unknown error of the load options";
}

_Static_assert(LOAD_OPTIONS_MAX == 1023, "load_options_error_text");
