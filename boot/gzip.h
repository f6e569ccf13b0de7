/* SPDX-License-Identifier: MIT */
/* Unpacks a gzip file, as the kernels are inside the loader: bytes in, bytes out, or the reason why not. Pure. */
#ifndef BOOT_GZIP_H
#define BOOT_GZIP_H

#include <stddef.h>
#include <stdint.h>

enum gzip_error {
    GZIP_OK,
    GZIP_NOT_GZIP,
    GZIP_TRUNCATED,
    GZIP_BLOCK_TYPE,
    GZIP_STORED_LENGTH,
    GZIP_CODE,
    GZIP_SYMBOL,
    GZIP_DISTANCE,
    GZIP_LENGTH,
    GZIP_TRAILING_BYTES,
    GZIP_CHECKSUM,
};

/* The length in bytes, 0 to 2^32 - 1, that the trailer gives the contents; 0 if the file is too short to have one. */
uint32_t gzip_length(const void *file, size_t size);

/*
 * Unpacks the file of size bytes to `out`, which has room for gzip_length() bytes. The file has one member without
 * extra field, name and comment, as `gzip -n` writes it from its standard input. On an error what is at `out` is of
 * no use. Source: RFC 1952 "GZIP file format specification version 4.3", RFC 1951 "DEFLATE Compressed Data Format
 * Specification version 1.3".
 */
enum gzip_error gzip_unpack(const void *file, size_t size, void *out);

/* What is wrong with the file, as text to follow "64-bit kernel inside the loader: "; never NULL. */
const char *gzip_error_text(enum gzip_error error);

#endif
