/* SPDX-License-Identifier: MIT */
/* Decodes BTS records. Pure. */
#ifndef BTS_BTS_DECODE_H
#define BTS_BTS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bts_error {
    BTS_DECODE_OK,
    BTS_DECODE_WIDTH, /* width is neither 4 nor 8 */
    BTS_DECODE_TRUNCATED
};

struct bts_record {
    unsigned width; /* 4 or 8: bytes of each field as stored */
    uint64_t from;  /* linear address of the branch, or of the interrupted instruction */
    uint64_t to;    /* linear address of the target */
    uint64_t flags; /* as stored; bit 4 means "predicted", with prediction_valid */
    bool prediction_valid;
    bool predicted; /* valid only with prediction_valid */
};

#define BTS_RECORD_SIZE_32 12u
#define BTS_RECORD_SIZE_64 24u

/*
 * Decodes one record from `length` available bytes. width: bytes of a field in the DS area; 4 means records of 12
 * bytes, 8 records of 24 bytes. prediction_valid: this processor defines bit 4 of the flags. *out is written only on
 * BTS_DECODE_OK.
 */
enum bts_error bts_decode(unsigned width, const void *bytes, size_t length, bool prediction_valid,
                          struct bts_record *out);

#endif
