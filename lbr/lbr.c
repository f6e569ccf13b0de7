/* SPDX-License-Identifier: MIT */
#include "lbr/lbr.h"

#include "arch/x86/msr.h"
#include "lbr/lbr_arch.h"

void lbr_reset(const struct caps *caps, uint64_t select)
{
    if (caps->lbr_layout == LBR_LAYOUT_ARCH) {
        lbr_arch_reset(caps, select);
        return;
    }
    if (caps->lbr_select)
        msr_write(caps->lbr_select, select);
    for (unsigned i = 0; i < caps->lbr_depth; i++) {
        msr_write(caps->lbr_from + i, 0);
        if (caps->lbr_to)
            msr_write(caps->lbr_to + i, 0);
        if (caps->lbr_info)
            msr_write(caps->lbr_info + i, 0);
    }
}

struct window lbr_window(const struct caps *caps, uint64_t more)
{
    uint64_t rest;

    if (caps->lbr_layout == LBR_LAYOUT_ARCH)
        return lbr_arch_window(more);
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
        lbr_arch_read(caps, stack);
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
