/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/engine/event_class.h"

static bool end_counts(enum event_kind kind, enum block_end end)
{
    switch (kind) {
    case EVENT_BRANCHES:
        return end >= END_JCC;
    case EVENT_CONDITIONAL:
        return end == END_JCC;
    case EVENT_NEAR_CALLS:
        return end == END_REL_CALL || end == END_IND_CALL;
    case EVENT_NEAR_RETURNS:
        return end == END_RET;
    case EVENT_FAR_BRANCHES:
        return end == END_FAR || end == END_INT;
    case EVENT_INDIRECT_BRANCHES:
        return end == END_IND_CALL || end == END_IND_JMP || end == END_RET;
    case EVENT_INDIRECT:
        return end == END_IND_CALL || end == END_IND_JMP;
    case EVENT_TYPED_BRANCHES:
        return end >= END_JCC && end < END_REL_JMP;
    default:
        return false;
    }
}

/* Whether an instruction is an event of this kind, wherever it is in its block. */
static bool insn_counts(enum event_kind kind, const struct block_insn *insn)
{
    if (kind == EVENT_SIMD)
        return insn->unit != UNIT_INTEGER && insn->unit != UNIT_X87 && insn->unit != UNIT_MMX_64;
    return kind == EVENT_INSTRUCTIONS || insn->unit == kind - EVENT_UNITS + 1;
}

unsigned event_class_uncommon(enum event_kind kind, const struct block *block, unsigned from)
{
    unsigned events = 0;

    if (kind < EVENT_UNITS)
        return end_counts(kind, (enum block_end)block->end);
    for (unsigned i = from; i < block->count; i++)
        events += insn_counts(kind, &block->insns[i]);
    return events;
}

int event_class_nth(unsigned id, struct place place, uint64_t n)
{
    enum event_kind kind = (enum event_kind)(id / EVENT_QUALIFIERS);
    unsigned i = place.index;

    if (kind == EVENT_INSTRUCTIONS)
        return (int)(place.index + n) - 1;
    if (kind < EVENT_UNITS)
        return place.block->count - 1;
    for (; n > 0; i++)
        n -= insn_counts(kind, &place.block->insns[i]);
    return (int)i - 1;
}
