/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of the debug store, by offset: what the modelled processor reads from and writes to the guest's memory.
 * Typed from the manual's tables and from nothing else, for it is the second reading that the kernel's decoders are
 * tested against. All values are little-endian.
 */
#ifndef MODEL_ENCODE_H
#define MODEL_ENCODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ENCODE_DS_BYTES   0x60 /* management area up to the last counter reset */
#define ENCODE_BTS_BYTES  24
#define ENCODE_PEBS_BYTES 200
#define ENCODE_RESETS     4

/* Where the fields that the processor writes back stand in the management area. */
#define ENCODE_DS_BTS_INDEX  0x08
#define ENCODE_DS_PEBS_INDEX 0x28

/* DS buffer management area, 64-bit format. SDM Vol. 3B (253669), "Debug Store (DS) Mechanism", table of the DS area.
 */
struct ds_buffer {
    uint64_t base, index, maximum, threshold; /* linear addresses; maximum is the first byte past the end */
};

struct ds_area {
    struct ds_buffer bts, pebs;
    uint64_t reset[ENCODE_RESETS]; /* what PMC0..3 are reloaded with */
};

struct bts_event {
    uint64_t from, to, flags;
};

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, GENERAL_REGISTERS };

struct pebs_event {
    uint64_t rflags, ip;
    uint64_t general[GENERAL_REGISTERS];
    uint64_t counters; /* bit i: IA32_PMCi fell due */
    uint64_t data_address, data_source, latency;
    uint64_t eventing_ip, tsx, tsc;
};

void encode_read_ds(struct ds_area *area, const uint8_t bytes[ENCODE_DS_BYTES]);

/* PEBS record format 0011b. SDM Vol. 3B (253669), "PEBS Record Format for 6th Generation Intel Core Processor Family".
 */
void encode_pebs(uint8_t bytes[ENCODE_PEBS_BYTES], const struct pebs_event *event);

/* These two are inline because they run once a branch. */
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

/* BTS record, 64-bit format: from, to, flags. SDM Vol. 3B (253669-083), "BTS Buffer", 64-bit branch trace record. */
static inline void encode_bts(uint8_t bytes[ENCODE_BTS_BYTES], const struct bts_event *event)
{
    encode_u64(bytes + 0x00, event->from);
    encode_u64(bytes + 0x08, event->to);
    encode_u64(bytes + 0x10, event->flags);
}

#endif
