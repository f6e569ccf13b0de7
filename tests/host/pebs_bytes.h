/* SPDX-License-Identifier: MIT */
/* Bytes of PEBS records, decoded from a copy that ends with them. */
#ifndef TESTS_HOST_PEBS_BYTES_H
#define TESTS_HOST_PEBS_BYTES_H

#include "lib/bytes.h"
#include "pebs/pebs_decode.h"
#include "tests/host/unit_test.h"

/* Decodes the record at the start of the bytes, which has this size. */
static struct pebs_record decode_record(const struct pebs_form *form, const uint8_t *bytes, size_t length, size_t size)
{
    struct pebs_record out;
    uint8_t *copy = exact_copy(bytes, length);

    memset(&out, 0xa5, sizeof(out));
    assert_int_equal(pebs_decode(form, copy, length, &out), PEBS_DECODE_OK);
    free(copy);
    assert_int_equal(out.size, size);
    assert_int_equal(out.width, form->width);
    assert_int_equal(out.format, form->format);
    return out;
}

static void refuse_record(const struct pebs_form *form, const uint8_t *bytes, size_t length, enum pebs_error error)
{
    static struct pebs_record out, before;
    uint8_t *copy = exact_copy(bytes, length);

    memset(&out, 0xa5, sizeof(out));
    memcpy(&before, &out, sizeof(out));
    assert_int_equal(pebs_decode(form, copy, length, &out), error);
    assert_memory_equal(&out, &before, sizeof(out));
    free(copy);
}

#endif
