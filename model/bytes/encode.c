/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bytes/encode.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t decode_field(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;

    memcpy(&value, bytes, width);
    return encode_little(value);
}

unsigned encode_general_resets(const struct ds_form *form)
{
    static const unsigned by_format[] = { 1, 4, 4, 4, 8 };

    return form->width == 4 ? 1 : form->extended ? 8 : form->format < COUNT(by_format) ? by_format[form->format] : 32;
}

unsigned encode_fixed_resets(const struct ds_form *form)
{
    return form->width == 4 ? 0 : form->extended || form->format == 4 ? 4 : form->format < 4 ? 0 : 16;
}

size_t encode_ds_bytes(const struct ds_form *form)
{
    return 8 * form->width + 8 * (encode_general_resets(form) + encode_fixed_resets(form));
}

static void read_buffer(struct ds_buffer *buffer, const uint8_t *bytes, unsigned width)
{
    buffer->base = decode_field(bytes, width);
    buffer->index = decode_field(bytes + width, width);
    buffer->maximum = decode_field(bytes + 2 * width, width);
    buffer->threshold = decode_field(bytes + 3 * width, width);
}

void encode_read_ds(struct ds_area *area, const struct ds_form *form, const uint8_t *bytes)
{
    unsigned resets = encode_general_resets(form) + encode_fixed_resets(form);

    read_buffer(&area->bts, bytes, form->width);
    read_buffer(&area->pebs, bytes + 4 * form->width, form->width);
    for (unsigned i = 0; i < resets; i++)
        area->reset[i] = decode_field(bytes + 8 * form->width + 8 * i, 8);
}

size_t encode_pebs_bytes(const struct ds_form *form)
{
    static const size_t by_format[] = { 144, 176, 192, 200 };

    return form->width == 4 ? 40 : form->format < COUNT(by_format) ? by_format[form->format] : 0;
}

static inline void encode_state(uint8_t *bytes, unsigned width, unsigned registers,
                                const struct pebs_contents *contents)
{
    encode_field(bytes, width, contents->rflags);
    encode_field(bytes + width, width, contents->ip);
    for (unsigned i = 0; i < registers; i++)
        encode_field(bytes + (2 + i) * width, width, contents->general[i]);
}

void encode_pebs(uint8_t *bytes, const struct ds_form *form, const struct pebs_contents *contents)
{
    if (form->width == 4) {
        encode_state(bytes, 4, R8, contents);
        return;
    }
    encode_state(bytes, 8, GENERAL_REGISTERS, contents);
    if (form->format >= 1) {
        encode_u64(bytes + 0x90, contents->counters);
        encode_u64(bytes + 0x98, contents->data_address);
        encode_u64(bytes + 0xa0, contents->data_source);
        encode_u64(bytes + 0xa8, contents->latency);
    }
    if (form->format >= 2) {
        encode_u64(bytes + 0xb0, contents->eventing_ip);
        encode_u64(bytes + 0xb8, contents->tsx);
    }
    if (form->format >= 3)
        encode_u64(bytes + 0xc0, contents->tsc);
}
