/* SPDX-License-Identifier: MIT */
#include "lbr/lbr_arch.h"

#include "arch/x86/msr.h"

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

void lbr_arch_reset(const struct caps *caps, uint64_t select)
{
    msr_write(MSR_IA32_LBR_CTL, lbr_arch_control(select));
    msr_write(MSR_IA32_LBR_DEPTH, caps->lbr_depth); /* the write clears all entries */
}

struct window lbr_arch_window(uint64_t more)
{
    uint64_t control = msr_get(MSR_IA32_LBR_CTL);

    msr_write(MSR_IA32_DEBUGCTL, msr_get(MSR_IA32_DEBUGCTL) | more);
    return (struct window){ .msr = MSR_IA32_LBR_CTL, .on = control | LBR_CTL_LBREN, .off = control };
}

void lbr_arch_read(const struct caps *caps, struct lbr_stack *stack)
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
