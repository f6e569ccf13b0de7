/* SPDX-License-Identifier: MIT */
/*
 * QR codes (ISO/IEC 18004:2015, "QR Code bar code symbology specification"): versions 1 to 10, levels L and M. The text
 * is one segment of bytes. Phones have difficulty with more modules than version 10 has. Pure.
 */
#ifndef LIB_QR_QR_H
#define LIB_QR_QR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QR_VERSIONS      10u
#define QR_SIDE(version) (17u + 4u * (version)) /* modules */
#define QR_SIDE_MAX      QR_SIDE(QR_VERSIONS)
#define QR_MASKS         8u
#define QR_MASK_BEST     QR_MASKS /* the mask with the least penalty */

#define QR_CODEWORDS_MAX 346u /* of version 10 */

/* Error correction level: about 7 % (L) or 15 % (M) of the codewords may be unreadable. */
enum qr_level { QR_LEVEL_L, QR_LEVEL_M };

struct qr_code {
    unsigned version, side, mask;
    uint8_t modules[QR_SIDE_MAX * QR_SIDE_MAX]; /* row by row, side in each; 1: dark */
    uint8_t codewords[QR_CODEWORDS_MAX];        /* scratch */
};

/* The bytes that a version (1 to 10) holds. */
size_t qr_bytes(unsigned version, enum qr_level level);

/* Makes the code of a version (1 to 10) and mask (0 to 7, or QR_MASK_BEST). False if the version does not hold the
 * text. */
bool qr_encode(struct qr_code *code, const char *text, size_t length, enum qr_level level, unsigned version,
               unsigned mask);

#endif
