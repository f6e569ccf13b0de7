/* SPDX-License-Identifier: MIT */
/* The part of pebs_decode() for records of architectural PEBS, which have one or more fragments
 * (pebs/layout/arch_pebs.h). Pure. */
#ifndef PEBS_ARCH_DECODE_H
#define PEBS_ARCH_DECODE_H

#include <stddef.h>

#include "pebs/layout/formats.h"
#include "pebs/fields_decode.h"

enum pebs_error arch_pebs_decode(const struct pebs_form *form, const uint8_t *bytes, size_t length,
                                 struct pebs_record *out);

/* Returns whether the fragment has the field. *at is then the field's byte offset in the fragment. */
bool arch_pebs_place(const struct arch_pebs_fragment *fragment, const struct pebs_field *field, size_t *at);

#endif
