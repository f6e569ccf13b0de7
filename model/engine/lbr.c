/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LBR_SELECT's CPL bits use the CPL at which a branch ends: SDM Vol. 3B (253669-083), "Filtering of Last Branch
 * Records".
 */
#include "model/engine/lbr.h"

#include "model/engine/lbr_arch.h"
#include "model/engine/lbr_events.h"
#include "model/engine/rules.h"
#include "model/engine/truth.h"

#define MISPRED    (UINT64_C(1) << 63) /* in FROM or in LBR_INFO, by the format */
#define TO_CYCLES  48                  /* shift of 16 bits with the cycles in TO, above the address */
#define TO_ADDRESS ((UINT64_C(1) << TO_CYCLES) - 1)

bool lbr_on(const struct vcpu *v)
{
    const bool on = v->profile->lbr_depths ? v->regs[REG_IA32_LBR_CTL] & LBR_CTL_LBREN
                                           : vcpu_debugctl(v, v->profile->debugctl->lbr);

    return on && !(v->status & STATUS_LBR_FRZ);
}

uint64_t lbr_select(const struct vcpu *v)
{
    return v->regs[REG_MSR_LBR_SELECT];
}

/*
 * The source of a branch from a filtered CPL to a recorded CPL is hidden (SDM Vol. 3B (253669-083), "Last Branch
 * Records", "CPL Filtering").
 */
#define FROM_FILTERED UINT64_MAX

static uint64_t cpl_filter(unsigned cpl)
{
    return cpl == 0 ? LBR_SELECT_CPL_EQ_0 : LBR_SELECT_CPL_NEQ_0;
}

/* SDM Vol. 3B (253669-083), "LBR Stack" and "LBR Stack and Intel 64 Processors"; Vol. 4, MSR_LASTBRANCH_x. */
static struct lbr_entry encode(enum lbr_format format, const struct lbr_contents *e)
{
    uint64_t flag = e->mispredicted ? MISPRED : 0;
    uint64_t cycles = e->cycles < LBR_MAX_CYCLES ? e->cycles : LBR_MAX_CYCLES;

    switch (format) {
    case LBR_FORMAT_32:
        return (struct lbr_entry){ (uint32_t)e->from, (uint32_t)e->to, 0 };
    case LBR_FORMAT_EIP_FLAGS:
        return (struct lbr_entry){ (e->from & ~MISPRED) | flag, e->to, 0 };
    case LBR_FORMAT_EIP_FLAGS2: /* no transactions: both bits are clear */
        return (struct lbr_entry){ (e->from & ~(UINT64_C(7) << 61)) | flag, e->to, 0 };
    case LBR_FORMAT_INFO:
        return (struct lbr_entry){ e->from, e->to, flag | cycles };
    case LBR_FORMAT_TIME:
        return (struct lbr_entry){ (e->from & ~MISPRED) | flag, (e->to & TO_ADDRESS) | cycles << TO_CYCLES, 0 };
    case LBR_FORMAT_ARCH:
        return (struct lbr_entry){ e->from, e->to, lbr_arch_info(e) };
    default:
        return (struct lbr_entry){ e->from, e->to, 0 };
    }
}

static inline void push(struct vcpu *v, const struct lbr_contents *contents)
{
    uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];

    *tos = (*tos + 1) & (vcpu_lbr_depth(v) - 1);
    v->lbr.stack[*tos] = encode(v->profile->lbr_format, contents);
    if (v->truth != NULL)
        truth_lbr(v, (unsigned)*tos, contents);
}

void lbr_push(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents)
{
    (void)branch;
    push(v, contents);
}

/*
 * Whether entries hold linear addresses, not offsets in the code segment. SDM Vol. 3B (253669-083), "LBR Stack and
 * Intel 64 Processors", and "Last Branch Records", CPUID.1CH:EAX[31]. The manual's editions contradict each other about
 * format 0.
 */
static bool holds_linear(const struct profile *p)
{
    const enum lbr_format format = p->lbr_format;

    for (; format == LBR_FORMAT_ARCH && p != NULL; p = p->like)
        for (unsigned i = 0; i < p->cpuid_count; i++)
            if (p->cpuid[i].leaf == 0x1c)
                return p->cpuid[i].add[0] >> 31;
    return format == LBR_FORMAT_32 || format == LBR_FORMAT_LIP || format == LBR_FORMAT_TIME;
}

/* The contents of a branch's entry, with the cycles since the previous entry. */
static inline struct lbr_contents tell(struct vcpu *v, const struct branch *b)
{
    const uint64_t cycles = v->ipc == 1 ? b->time - v->lbr.time : b->time / v->ipc - v->lbr.time / v->ipc;
    struct lbr_contents contents = {
        b->block->last, b->to, cycles, b->mispredicted, v->lbr.timed, b->block->end, { 0 }
    };

    if ((b->block->code_base | b->to_base) != 0 && !holds_linear(v->profile)) {
        contents.from = block_rip(b->block, contents.from);
        contents.to = b->to_base != 0 ? (uint32_t)(b->to - b->to_base) : b->to;
    }
    if (v->profile->lbr_format == LBR_FORMAT_ARCH && (v->regs[REG_MSR_LBR_SELECT] & cpl_filter(b->block->cpl)))
        contents.from = FROM_FILTERED;
    v->lbr.time = b->time;
    v->lbr.timed = true;
    if (v->lbr.logged != 0)
        lbr_events_tell(v, b, &contents);
    return contents;
}

/* A branch without an entry: its cycles and events count for the next branch that gets an entry. */
static inline void pass(struct vcpu *v, const struct branch *b)
{
    if (v->lbr.logged != 0)
        lbr_events_pass(v, b);
}

void lbr_store(struct vcpu *v, const struct branch *branches, unsigned n)
{
    const uint64_t select = v->rules->lbr_select(v);
    const unsigned depth = vcpu_lbr_depth(v);
    const bool by_the_manual = v->rules->lbr_push == lbr_push;

    for (unsigned i = 0; i < n; i++) {
        const struct branch *b = &branches[i];

        if (!lbr_selects(select, b->block, b->to_cpl)) {
            pass(v, b);
            continue;
        }
        if ((select & LBR_SELECT_EN_CALLSTACK) && b->block->end == END_RET) { /* the call of this return */
            uint64_t *tos = &v->regs[REG_MSR_LASTBRANCH_TOS];

            v->lbr.stack[*tos] = (struct lbr_entry){ 0, 0, 0 };
            v->lbr.contents[*tos] = (struct lbr_contents){ .from = 0 };
            v->lbr.written &= ~(UINT32_C(1) << *tos);
            *tos = (*tos - 1) & (depth - 1);
            pass(v, b);
            continue;
        }
        const struct lbr_contents contents = tell(v, b);

        if (by_the_manual) /* called directly, because this runs for each branch */
            push(v, &contents);
        else
            v->rules->lbr_push(v, b, &contents);
    }
}

void lbr_keep_last(struct vcpu *v)
{
    v->regs[REG_MSR_LER_FROM_LIP] = vcpu_lbr_newest(v, 0)->from;
    v->regs[REG_MSR_LER_TO_LIP] = vcpu_lbr_newest(v, 0)->to;
}

/*
 * A debug exception clears the LBR flag before its handler begins, and does not change the stack. SDM Vol. 3B
 * (253669-083), "Monitoring Branches, Exceptions, and Interrupts"; the same for LBREn in "Last Branch Records".
 */
void lbr_debug_exception(struct vcpu *v)
{
    v->regs[REG_IA32_DEBUGCTL] &= ~v->profile->debugctl->lbr;
    v->regs[REG_IA32_LBR_CTL] &= ~LBR_CTL_LBREN;
}
