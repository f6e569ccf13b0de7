/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of the debug store, by offset, as the modelled processor reads and writes them in the guest's memory. Typed
 * only from the manual's tables, independently of the kernel's decoders, which tests compare with this code. All values
 * are little-endian.
 */
#ifndef MODEL_BYTES_ENCODE_H
#define MODEL_BYTES_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ENCODE_RESETS_MAX 48 /* maximum number of counter reset values in a management area: 32 general, 16 fixed */

#define ENCODE_DS_MAX   (0x40 + 8 * ENCODE_RESETS_MAX)
#define ENCODE_BTS_MAX  24
#define ENCODE_PEBS_MAX 200

/* The layout of the debug store. */
struct ds_form {
    unsigned width;  /* size of a field of the management area and of a record in bytes: 4 or 8 */
    unsigned format; /* of PEBS records, IA32_PERF_CAPABILITIES[11:8]; ignored if width is 4 */
    bool extended;   /* the area of a format below 4 has the reset values of format 4 */
};

/*
 * The DS buffer management area. SDM Vol. 3B (253669-083), "BTS and DS Save Area", figures of the 32-bit and the 64-bit
 * DS save area.
 */
struct ds_buffer {
    uint64_t base, index, maximum, threshold; /* linear addresses; maximum is the first byte past the end */
};

/* Whether this many bytes from the index on fit into the buffer. Adds no fields: the guest's values could wrap. */
static inline bool ds_buffer_fits(const struct ds_buffer *b, uint64_t bytes)
{
    return b->index >= b->base && b->index <= b->maximum && b->maximum - b->index >= bytes;
}

struct ds_area {
    struct ds_buffer bts, pebs;
    uint64_t reset[ENCODE_RESETS_MAX]; /* in the order of the area */
};

struct bts_contents {
    uint64_t from, to, flags;
};

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, GENERAL_REGISTERS };

struct pebs_contents {
    uint64_t rflags, ip;
    uint64_t general[GENERAL_REGISTERS];
    uint64_t counters; /* bit i: IA32_PMCi was due; up to format 2 also other bits of IA32_PERF_GLOBAL_STATUS */
    uint64_t data_address, data_source, latency;
    uint64_t eventing_ip, tsx, tsc;
};

/*
 * The number of counter reset values in the area: those of general counters, followed by those of fixed counters. Each
 * value takes 8 bytes in both widths.
 */
unsigned encode_general_resets(const struct ds_form *form);
unsigned encode_fixed_resets(const struct ds_form *form);

/* The size of the management area in bytes, including the last reset value. */
size_t encode_ds_bytes(const struct ds_form *form);

/* Decodes encode_ds_bytes() bytes. */
void encode_read_ds(struct ds_area *area, const struct ds_form *form, const uint8_t *bytes);

/* Offsets in bytes of the fields that the processor writes. */
static inline unsigned encode_bts_index_at(const struct ds_form *form)
{
    return form->width;
}

static inline unsigned encode_pebs_index_at(const struct ds_form *form)
{
    return 5 * form->width;
}

/*
 * PEBS records: 40 bytes in the 32-bit form; 144, 176, 192 and 200 in formats 0 to 3. SDM Vol. 3B (253669-083), "PEBS
 * Record Format for ..." of the microarchitectures, and the figures "32-bit" and "64-Bit PEBS Record Format".
 */
size_t encode_pebs_bytes(const struct ds_form *form);
void encode_pebs(uint8_t *bytes, const struct ds_form *form, const struct pebs_contents *contents);

/* The functions below are inline because they run for each branch. */
static inline uint64_t encode_little(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return value;
#else
    return __builtin_bswap64(value);
#endif
}

static inline void encode_u64(uint8_t *bytes, uint64_t value)
{
    value = encode_little(value);
    memcpy(bytes, &value, sizeof(value));
}

/* Writes the low `width` bytes of the value. */
static inline void encode_field(uint8_t *bytes, unsigned width, uint64_t value)
{
    value = encode_little(value);
    memcpy(bytes, &value, width == 4 ? 4 : 8);
}

/* A BTS record: the fields from, to and flags. SDM Vol. 3B (253669-083), "BTS Buffer". */
static inline unsigned encode_bts_bytes(const struct ds_form *form)
{
    return 3 * form->width;
}

static inline void encode_bts(uint8_t *bytes, unsigned width, const struct bts_contents *contents)
{
    if (width == 8) {
        encode_u64(bytes + 0x00, contents->from);
        encode_u64(bytes + 0x08, contents->to);
        encode_u64(bytes + 0x10, contents->flags);
    } else {
        encode_field(bytes + 0x00, 4, contents->from);
        encode_field(bytes + 0x04, 4, contents->to);
        encode_field(bytes + 0x08, 4, contents->flags);
    }
}

#endif
