/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "model/encode.h"

static uint64_t decode_u64(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof(value));
    return encode_little(value);
}

static void read_buffer(struct ds_buffer *buffer, const uint8_t *bytes)
{
    buffer->base = decode_u64(bytes);
    buffer->index = decode_u64(bytes + 0x08);
    buffer->maximum = decode_u64(bytes + 0x10);
    buffer->threshold = decode_u64(bytes + 0x18);
}

void encode_read_ds(struct ds_area *area, const uint8_t bytes[ENCODE_DS_BYTES])
{
    read_buffer(&area->bts, bytes);
    read_buffer(&area->pebs, bytes + 0x20);
    for (unsigned i = 0; i < ENCODE_RESETS; i++) {
        area->reset[i] = decode_u64(bytes + 0x40 + 8 * i);
    }
}

void encode_pebs(uint8_t bytes[ENCODE_PEBS_BYTES], const struct pebs_event *event)
{
    encode_u64(bytes + 0x00, event->rflags);
    encode_u64(bytes + 0x08, event->ip);
    encode_u64(bytes + 0x10, event->general[RAX]);
    encode_u64(bytes + 0x18, event->general[RBX]);
    encode_u64(bytes + 0x20, event->general[RCX]);
    encode_u64(bytes + 0x28, event->general[RDX]);
    encode_u64(bytes + 0x30, event->general[RSI]);
    encode_u64(bytes + 0x38, event->general[RDI]);
    encode_u64(bytes + 0x40, event->general[RBP]);
    encode_u64(bytes + 0x48, event->general[RSP]);
    for (unsigned i = 0; i < 8; i++) {
        encode_u64(bytes + 0x50 + 8 * i, event->general[R8 + i]);
    }
    encode_u64(bytes + 0x90, event->counters);
    encode_u64(bytes + 0x98, event->data_address);
    encode_u64(bytes + 0xa0, event->data_source);
    encode_u64(bytes + 0xa8, event->latency);
    encode_u64(bytes + 0xb0, event->eventing_ip);
    encode_u64(bytes + 0xb8, event->tsx);
    encode_u64(bytes + 0xc0, event->tsc);
}
