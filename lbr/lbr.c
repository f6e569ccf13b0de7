/* SPDX-License-Identifier: MIT */
#include "lbr/lbr.h"

#include "arch/x86/msr.h"

/* ---- architectural ---------------------------------------------------------------------------------------------- */

uint64_t lbr_arch_control(uint64_t select)
{
    static const struct {
        uint64_t leaves_out, lets_in;
    } filter[] = {
        { LBR_SELECT_CPL_EQ_0, LBR_CTL_OS },
        { LBR_SELECT_CPL_NEQ_0, LBR_CTL_USR },
        { LBR_SELECT_JCC, LBR_CTL_JCC },
        { LBR_SELECT_NEAR_REL_CALL, LBR_CTL_NEAR_REL_CALL },
        { LBR_SELECT_NEAR_IND_CALL, LBR_CTL_NEAR_IND_CALL },
        { LBR_SELECT_NEAR_RET, LBR_CTL_NEAR_RET },
        { LBR_SELECT_NEAR_IND_JMP, LBR_CTL_NEAR_IND_JMP },
        { LBR_SELECT_NEAR_REL_JMP, LBR_CTL_NEAR_REL_JMP },
        { LBR_SELECT_FAR_BRANCH, LBR_CTL_OTHER_BRANCH },
    };
    uint64_t control = select & LBR_SELECT_CALL_STACK ? LBR_CTL_CALL_STACK : 0;

    for (unsigned i = 0; i < sizeof filter / sizeof filter[0]; i++)
        control |= select & filter[i].leaves_out ? 0 : filter[i].lets_in;
    return control;
}

static bool arch_reset(const struct caps *caps, uint64_t select)
{
    const bool filters = msr_write(MSR_IA32_LBR_CTL, lbr_arch_control(select));

    return msr_write(MSR_IA32_LBR_DEPTH, caps->lbr_depth) && filters; /* the write clears all entries */
}

static struct window arch_window(uint64_t more)
{
    uint64_t control = msr_get(MSR_IA32_LBR_CTL);

    msr_write(MSR_IA32_DEBUGCTL, msr_get(MSR_IA32_DEBUGCTL) | more);
    return (struct window){ .msr = MSR_IA32_LBR_CTL, .on = control | LBR_CTL_LBREN, .off = control };
}

static void arch_read(const struct caps *caps, struct lbr_stack *stack)
{
    stack->depth = caps->lbr_depth;
    stack->shifts = true;
    stack->tos = 0;
    stack->error = caps->lbr_depth > LBR_DEPTH_MAX ? LBR_DECODE_DEPTH : LBR_DECODE_OK;
    for (unsigned age = 0; age < stack->depth && stack->error == LBR_DECODE_OK; age++) {
        uint64_t *registers = stack->registers[age];
        registers[0] = msr_get(MSR_IA32_LBR_FROM(age));
        registers[1] = msr_get(MSR_IA32_LBR_TO(age));
        registers[2] = msr_get(MSR_IA32_LBR_INFO(age));
        lbr_decode_arch(registers[0], registers[1], registers[2], &stack->entries[age]);
    }
}

/* ---- either kind ------------------------------------------------------------------------------------------------ */

bool lbr_reset(const struct caps *caps, uint64_t select)
{
    const uint32_t first[] = { caps->lbr_from, caps->lbr_to, caps->lbr_info };
    bool accepted = true;

    if (caps->lbr_layout == LBR_LAYOUT_ARCH)
        return arch_reset(caps, select);
    if (caps->lbr_select)
        accepted = msr_write(caps->lbr_select, select);
    for (unsigned n = 0; n < 3 * caps->lbr_depth; n++)
        if (first[n % 3])
            accepted = msr_write(first[n % 3] + n / 3, 0) && accepted;
    return accepted;
}

struct window lbr_window(const struct caps *caps, uint64_t more)
{
    uint64_t rest;

    if (caps->lbr_layout == LBR_LAYOUT_ARCH)
        return arch_window(more);
    rest = msr_get(MSR_IA32_DEBUGCTL);
    return (struct window){ .msr = MSR_IA32_DEBUGCTL, .on = rest | caps->debugctl->lbr | more, .off = rest };
}

/* Reads entry n of the stack; registers gets the raw values. */
static enum lbr_error read_entry(const struct caps *caps, unsigned n, uint64_t registers[3], struct lbr_entry *entry)
{
    registers[0] = msr_get(caps->lbr_from + n);
    registers[1] = caps->lbr_to ? msr_get(caps->lbr_to + n) : 0;
    registers[2] = caps->lbr_info ? msr_get(caps->lbr_info + n) : 0;
    if (caps->lbr_layout == LBR_LAYOUT_PACKED) {
        lbr_decode_packed(registers[0], entry);
        return LBR_DECODE_OK;
    }
    return lbr_decode(caps->lbr_format, registers[0], registers[1], registers[2], entry);
}

void lbr_read(const struct caps *caps, struct lbr_stack *stack)
{
    if (caps->lbr_layout == LBR_LAYOUT_ARCH) {
        arch_read(caps, stack);
        return;
    }
    stack->depth = caps->lbr_depth;
    stack->shifts = false;
    stack->tos = msr_get(caps->lbr_tos);
    stack->error = caps->lbr_depth > LBR_DEPTH_MAX ? LBR_DECODE_DEPTH : LBR_DECODE_OK;
    for (unsigned age = 0; age < stack->depth && stack->error == LBR_DECODE_OK; age++) {
        unsigned n;
        stack->error = lbr_position(stack->depth, stack->tos, age, &n);
        if (stack->error == LBR_DECODE_OK)
            stack->error = read_entry(caps, n, stack->registers[age], &stack->entries[age]);
    }
}
