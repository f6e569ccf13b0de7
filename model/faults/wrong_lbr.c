/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of the LBR stack. */

#include <string.h>

#include "model/engine/branch.h"
#include "model/faults/fault_state.h"

uint64_t wrong_lbr_select(const struct vcpu *v)
{
    const uint64_t kinds = UINT64_C(0x7f) << LBR_SELECT_FIRST_KIND;
    uint64_t select = without_faults(v)->lbr_select(v);

    if (fault(v, FAULT_LBR_CALL_STACK_NOT_POPPED))
        select &= ~LBR_SELECT_EN_CALLSTACK;
    if (fault(v, FAULT_LBR_SELECT_IGNORED))
        return select & LBR_SELECT_EN_CALLSTACK;
    return fault(v, FAULT_LBR_SELECT_INVERTED) && (select & kinds) ? select ^ kinds : select;
}

uint32_t wrong_lbr_events_logged(const struct vcpu *v)
{
    uint32_t logged = without_faults(v)->lbr_events_logged(v);

    for (unsigned i = 0; i < LBR_COUNTERS; i++) {
        const bool asked = v->event_select[i] & EVTSEL_BR_CNTR;

        logged |= (uint32_t)(fault(v, FAULT_LBR_EVENTS_UNASKED) && v->counters[i].active) << i;
        logged |= (uint32_t)(fault(v, FAULT_LBR_EVENTS_DISABLED) && asked) << i;
    }
    return logged;
}

static void change_events(const struct vcpu *v, const struct branch *b, struct lbr_contents *contents)
{
    uint32_t *const events = contents->events;

    if (v->lbr.logged == 0)
        return;
    if (fault(v, FAULT_LBR_EVENTS_FILTERED_LOST))
        memcpy(events, b->events, sizeof(contents->events));
    for (unsigned i = 0; i < LBR_COUNTERS; i++)
        events[i] &= fault(v, FAULT_LBR_EVENTS_WRAP) ? 3 : UINT32_MAX;
}

static void change(const struct vcpu *v, const struct branch *b, struct lbr_contents *contents)
{
    if (fault(v, FAULT_LBR_ENTRY_FROM_BEHIND))
        contents->from = b->block->next;
    if (fault(v, FAULT_LBR_SELECT_SOURCE_SHOWN))
        contents->from = b->block->last;
    if (fault(v, FAULT_LBR_ENTRY_SWAPPED))
        swap(&contents->from, &contents->to);
    contents->to += fault(v, FAULT_LBR_ENTRY_TO_BEHIND);
    contents->mispredicted ^= fault(v, FAULT_LBR_ENTRY_MISPREDICTED_INVERTED);
    if (fault(v, FAULT_LBR_ENTRY_PREDICTED_ALWAYS))
        contents->mispredicted = b->block->end != END_IND_JMP;
    contents->cycles |= fault(v, FAULT_LBR_ENTRY_CYCLES_ALL) ? 0xffff : 0;
    if (fault(v, FAULT_LBR_ENTRY_TYPE) && (contents->end == END_REL_CALL || contents->end == END_IND_CALL))
        contents->end = contents->end == END_REL_CALL ? END_IND_CALL : END_REL_CALL;
}

/* The top of stack after `top`, not yet reduced modulo the depth. */
static uint64_t behind(const struct vcpu *v, uint64_t top)
{
    uint64_t next = top + 1;

    if (fault(v, FAULT_LBR_TOS_STUCK))
        return top;
    if (fault(v, FAULT_LBR_DEPTH_HALF) && next >= vcpu_lbr_depth(v) / 2)
        return 0;
    return next;
}

static bool has_info(const struct vcpu *v)
{
    return v->profile->lbr_format == LBR_FORMAT_INFO || v->profile->lbr_format == LBR_FORMAT_ARCH;
}

void wrong_lbr_push(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents)
{
    uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];
    struct lbr_contents changed = *contents;

    if (fault(v, FAULT_LBR_ENTRY_NEVER)) {
        *tos = (*tos + 1) & (vcpu_lbr_depth(v) - 1);
        return;
    }
    if (branch->to_cpl != branch->block->cpl && fault(v, FAULT_LBR_SELECT_CROSSING_LOST) &&
        (v->regs[REG_MSR_LBR_SELECT] & (LBR_SELECT_CPL_EQ_0 | LBR_SELECT_CPL_NEQ_0)))
        return;
    change(v, branch, &changed);
    change_events(v, branch, &changed);
    *tos = behind(v, *tos) - 1; /* the original rule then advances it by one */
    without_faults(v)->lbr_push(v, branch, &changed);
    struct lbr_entry *entry = &v->lbr.stack[*tos];
    uint64_t *flags = has_info(v) ? &entry->info : &entry->from;

    *flags ^= (uint64_t)fault(v, FAULT_LBR_ENTRY_ABORTED) << 61;
}

void wrong_lbr_debug_exception(struct vcpu *v)
{
    (void)v; /* the LBR flag stays set */
}
