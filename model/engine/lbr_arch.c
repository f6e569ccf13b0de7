/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural LBR. SDM Vol. 3B (253669-083), "Last Branch Records"; Vol. 4, IA32_LBR_CTL, IA32_LBR_DEPTH,
 * IA32_LBR_x_INFO.
 */
#include "model/engine/lbr_arch.h"

#include <string.h>

#include "model/engine/lbr_events.h"

#define LBR_CTL_OS         (UINT64_C(1) << 1)
#define LBR_CTL_USR        (UINT64_C(1) << 2)
#define LBR_CTL_CALL_STACK (UINT64_C(1) << 3)

#define INFO_EVENTS_SHIFT  32 /* two bits for each counter */
#define INFO_TYPE_SHIFT    56
#define INFO_CYC_CNT_VALID (UINT64_C(1) << 60)
#define INFO_MISPRED       (UINT64_C(1) << 63)

/* For each kind of branch: its enable bit in IA32_LBR_CTL, and its IA32_LBR_x_INFO.BR_TYPE. */
static const struct {
    uint8_t control_bit, type;
} kinds[] = {
    [END_JCC] = { 16, 0 },      [END_REL_JMP] = { 17, 2 }, [END_IND_JMP] = { 18, 1 }, [END_REL_CALL] = { 19, 4 },
    [END_IND_CALL] = { 20, 3 }, [END_RET] = { 21, 5 },     [END_FAR] = { 22, 8 },
};

bool lbr_arch_has_depth(const struct profile *profile, uint64_t depth)
{
    return depth >= 8 && depth <= 64 && depth % 8 == 0 && (profile->lbr_depths >> (depth / 8 - 1) & 1);
}

void lbr_arch_set_depth(struct vcpu *v, uint64_t depth)
{
    v->regs[REG_IA32_LBR_DEPTH] = depth;
    v->regs[REG_MSR_LASTBRANCH_TOS] = 0;
    memset(v->lbr.stack, 0, sizeof(v->lbr.stack));
    memset(v->lbr.contents, 0, sizeof(v->lbr.contents));
    v->lbr.written = 0;
}

/* Filters are stored in the form of MSR_LBR_SELECT, whose bits suppress. */
void lbr_arch_set_control(struct vcpu *v, uint64_t control)
{
    uint64_t select = 0;

    select |= control & LBR_CTL_OS ? 0 : LBR_SELECT_CPL_EQ_0;
    select |= control & LBR_CTL_USR ? 0 : LBR_SELECT_CPL_NEQ_0;
    select |= control & LBR_CTL_CALL_STACK ? LBR_SELECT_EN_CALLSTACK : 0;
    for (unsigned end = END_JCC; end <= END_FAR; end++) {
        bool allowed = control >> kinds[end].control_bit & 1;

        select |= allowed ? 0 : UINT64_C(1) << (end - END_JCC + LBR_SELECT_FIRST_KIND);
    }
    if (!(v->regs[REG_IA32_LBR_CTL] & LBR_CTL_LBREN))
        lbr_events_begin(v);
    v->lbr.timed = v->lbr.timed && (v->regs[REG_IA32_LBR_CTL] & LBR_CTL_LBREN);
    v->regs[REG_IA32_LBR_CTL] = control;
    v->regs[REG_MSR_LBR_SELECT] = select;
}

unsigned lbr_arch_type(enum block_end end)
{
    return kinds[end].type;
}

uint64_t lbr_arch_info(const struct lbr_contents *contents)
{
    uint64_t cycles = contents->cycles < LBR_MAX_CYCLES ? contents->cycles : LBR_MAX_CYCLES;
    uint64_t events = 0;

    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        events |= (uint64_t)lbr_events_held(contents->events[i]) << (INFO_EVENTS_SHIFT + 2 * i);
    return (contents->timed ? cycles | INFO_CYC_CNT_VALID : 0) | events |
           (uint64_t)lbr_arch_type((enum block_end)contents->end) << INFO_TYPE_SHIFT |
           (contents->mispredicted ? INFO_MISPRED : 0);
}

struct lbr_contents lbr_arch_events(uint64_t info)
{
    struct lbr_contents contents = { .from = 0 };

    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        contents.events[i] = (uint32_t)(info >> (INFO_EVENTS_SHIFT + 2 * i)) & LBR_EVENTS_MAX;
    return contents;
}
