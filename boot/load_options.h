/* SPDX-License-Identifier: MIT */
/*
 * Extracts the text of the options from firmware's LoadOptions or from a file. Pure. The result is printable ASCII,
 * NUL-terminated, with one space between words and none around them. It is empty after an error.
 */
#ifndef BOOT_LOAD_OPTIONS_H
#define BOOT_LOAD_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#define LOAD_OPTIONS_MAX 1023u /* characters, without the NUL */

enum load_options_error {
    LOAD_OPTIONS_OK,
    LOAD_OPTIONS_TOO_LONG,  /* more than LOAD_OPTIONS_MAX characters */
    LOAD_OPTIONS_NOT_ASCII, /* a byte outside comments is neither blank nor printable ASCII */
    LOAD_OPTIONS_UTF16      /* the file is UTF-16, as some Windows programs write */
};

/*
 * Reads LoadOptions of UEFI's loaded image protocol (UEFI 2.10, 9.1): size bytes of UCS-2, with or without a NUL. Skips
 * a byte order mark, and a first word that names the image, which shells and iPXE add: it ends in ".efi", or is the
 * last name in the image's path (NUL-terminated; NULL: unknown), with or without ".efi". Stops at a NUL, and at the
 * first unit that is neither blank nor printable ASCII, because some firmware passes binary data. Drops words that some
 * loaders add for Linux, such as root=/dev/sda1 and quiet (U-Boot: its bootargs). *ignored is the number of bytes of
 * the dropped words, plus the bytes after the stop, unless they are all 0.
 */
enum load_options_error load_options_from_ucs2(const void *bytes, size_t size, const uint16_t *path,
                                               char out[LOAD_OPTIONS_MAX + 1], size_t *ignored);

/*
 * Reads a text file of size bytes, with any line ends, with or without a UTF-8 byte order mark, and joins its lines. A
 * # starts a comment, which may contain any bytes. *line is the number of the line, from 1, that caused the error.
 */
enum load_options_error load_options_from_file(const void *bytes, size_t size, char out[LOAD_OPTIONS_MAX + 1],
                                               size_t *line);

/* The error as text: "more than 1023 characters of options". */
const char *load_options_error_text(enum load_options_error error);

#endif
