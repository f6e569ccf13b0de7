/* SPDX-License-Identifier: MIT */
#include "lbr/lbr_decode.h"

#include "pebs/layout/formats.h"
#include "lbr/lbr_layout.h"

enum place { NOWHERE, IN_FROM, IN_INFO, IN_TO };

struct lbr_form {
    unsigned from_bits, to_bits; /* bits of the address; the highest is the sign */
    enum place flags, cycles;
    uint64_t has;
};

static const struct lbr_form forms[] = {
    [LBR_FORMAT_32] = { 32, 32, NOWHERE, NOWHERE, 0 },
    [LBR_FORMAT_LIP] = { 64, 64, NOWHERE, NOWHERE, 0 },
    [LBR_FORMAT_EIP] = { 64, 64, NOWHERE, NOWHERE, 0 },
    [LBR_FORMAT_FLAGS] = { 63, 64, IN_FROM, NOWHERE, LBR_HAS_MISPRED },
    [LBR_FORMAT_FLAGS_TSX] = { 61, 64, IN_FROM, NOWHERE, LBR_HAS_MISPRED | LBR_HAS_TSX },
    [LBR_FORMAT_INFO] = { 64, 64, IN_INFO, IN_INFO, LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_CYCLES },
    [LBR_FORMAT_TIME] = { 63, 48, IN_FROM, IN_TO, LBR_HAS_MISPRED | LBR_HAS_CYCLES },
    [LBR_FORMAT_INFO2] = { 64, 64, IN_INFO, IN_INFO, LBR_HAS_MISPRED | LBR_HAS_CYCLES },
};

_Static_assert(LBR_FROM_MISPRED == LBR_INFO_MISPRED && LBR_FROM_IN_TSX == LBR_INFO_IN_TSX &&
                   LBR_FROM_TSX_ABORT == LBR_INFO_TSX_ABORT,
               "one set of masks reads the flags of FROM and of INFO");

/*
 * The low bits as a sign-extended address. Addresses of 32 bits are not extended: those processors have no 64-bit
 * addresses.
 */
static uint64_t address(uint64_t value, unsigned bits)
{
    if (bits == 64)
        return value;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    bool negative = bits != 32 && (value >> (bits - 1) & 1) != 0;
    return negative ? value | ~mask : value & mask;
}

_Static_assert(sizeof(forms) / sizeof(forms[0]) == LBR_FORMAT_INFO2 + 1, "a row for each known format");

enum lbr_error lbr_decode(unsigned lbr_format, uint64_t from, uint64_t to, uint64_t info, struct lbr_entry *out)
{
    if (!lbr_format_known(lbr_format))
        return LBR_DECODE_FORMAT_UNKNOWN;
    const struct lbr_form *form = &forms[lbr_format];

    uint64_t flags = form->flags == IN_FROM ? from : form->flags == IN_INFO ? info : 0;
    uint64_t cycles = form->cycles == IN_INFO ? info & LBR_INFO_CYCLES
                      : form->cycles == IN_TO ? to >> LBR_TO_CYCLES_SHIFT
                                              : 0;
    out->from = address(from, form->from_bits);
    out->to = address(to, form->to_bits);
    out->has = form->has;
    out->mispredicted = (form->has & LBR_HAS_MISPRED) != 0 && (flags & LBR_INFO_MISPRED) != 0;
    out->in_tsx = (form->has & LBR_HAS_TSX) != 0 && (flags & LBR_INFO_IN_TSX) != 0;
    out->tsx_abort = (form->has & LBR_HAS_TSX) != 0 && (flags & LBR_INFO_TSX_ABORT) != 0;
    out->cycles = (uint16_t)cycles;
    out->type = 0;
    out->info = form->flags == IN_INFO ? info : 0;
    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        out->events[i] = 0;
    return LBR_DECODE_OK;
}

void lbr_decode_packed(uint64_t value, struct lbr_entry *out)
{
    *out = (struct lbr_entry){ .from = (uint32_t)value, .to = value >> LBR_PACKED_TO_SHIFT };
}

void lbr_decode_arch(uint64_t from, uint64_t to, uint64_t info, struct lbr_entry *out)
{
    bool valid = (info & LBR_INFO_CYCLES_VALID) != 0;
    *out = (struct lbr_entry){ .from = from,
                               .to = to,
                               .has = LBR_HAS_MISPRED | LBR_HAS_TSX | LBR_HAS_TYPE | (valid ? LBR_HAS_CYCLES : 0),
                               .mispredicted = (info & LBR_INFO_MISPRED) != 0,
                               .in_tsx = (info & LBR_INFO_IN_TSX) != 0,
                               .tsx_abort = (info & LBR_INFO_TSX_ABORT) != 0,
                               .cycles = valid ? (uint16_t)(info & LBR_INFO_CYCLES) : 0,
                               .type = info >> LBR_INFO_TYPE_SHIFT & 0xf,
                               .info = info };
    for (unsigned i = 0; i < LBR_COUNTERS; i++) {
        out->events[i] = info >> (LBR_INFO_EVENTS_SHIFT + LBR_INFO_EVENTS_BITS * i) & LBR_EVENTS_MAX;
        out->has |= out->events[i] ? LBR_HAS_EVENTS : 0;
    }
}

enum lbr_error lbr_position(unsigned depth, uint64_t tos, unsigned age, unsigned *position)
{
    if (depth > 64 || (depth & (depth - 1)) != 0 || age >= depth)
        return LBR_DECODE_DEPTH;
    if (tos >= depth)
        return LBR_DECODE_TOS_RANGE;
    *position = ((unsigned)tos - age) & (depth - 1);
    return LBR_DECODE_OK;
}

bool lbr_is_used(const struct lbr_entry *entry)
{
    return entry->from || entry->to;
}

const char *lbr_error_text(enum lbr_error error)
{
    switch (error) {
    case LBR_DECODE_OK:
        return "no error";
    case LBR_DECODE_FORMAT_UNKNOWN:
        return "unknown LBR format";
    case LBR_DECODE_TOS_RANGE:
        return "LBR top-of-stack pointer is past the last entry";
    case LBR_DECODE_DEPTH:
        return "LBR depth is not a power of two up to 64, or there is no entry of this age";
    }
    return "unknown LBR error";
}
