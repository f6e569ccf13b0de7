/* SPDX-License-Identifier: MIT */
/*
 * The text of the options, out of what firmware or a file holds. Pure. Every text made here is printable ASCII,
 * NUL-terminated, with one space between words and none around them; it is empty after an error.
 */
#ifndef BOOT_LOAD_OPTIONS_H
#define BOOT_LOAD_OPTIONS_H

#include <stddef.h>

#define LOAD_OPTIONS_MAX 1023u /* characters, the NUL not counted */

enum load_options_error {
    LOAD_OPTIONS_OK,
    LOAD_OPTIONS_TOO_LONG, /* more than LOAD_OPTIONS_MAX characters */
    LOAD_OPTIONS_NOT_ASCII /* a byte outside of comments is neither blank nor printable ASCII */
};

/*
 * LoadOptions of UEFI's loaded image protocol (UEFI 2.10, 9.1): size bytes, supposed to be UCS-2, with or without a
 * NUL. Skips a byte order mark and a first word that ends in ".efi" (shells and iPXE put the image's name there); stops
 * at a NUL and at the first unit that is neither blank nor printable ASCII, because some firmware passes binary data.
 * *ignored is the number of bytes left aside for that reason, 0 when all was text.
 */
enum load_options_error load_options_from_ucs2(const void *bytes, size_t size, char out[LOAD_OPTIONS_MAX + 1],
                                               size_t *ignored);

/*
 * A text file of size bytes, with any line ends, with or without an UTF-8 byte order mark. A # starts a comment, which
 * may hold anything; the lines are joined. *line is the number of the line, from 1, that caused the error.
 */
enum load_options_error load_options_from_file(const void *bytes, size_t size, char out[LOAD_OPTIONS_MAX + 1],
                                               size_t *line);

/* "more than 1023 characters" */
const char *load_options_error_text(enum load_options_error error);

#endif
