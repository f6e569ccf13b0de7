/* SPDX-License-Identifier: MIT */
/* The stack of calls, followed from branch to branch, and the tree of all stacks that were seen. */
#ifndef TOOLS_CALL_STACK_H
#define TOOLS_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lbr/lbr_decode.h"
#include "tools/symbols.h"

#define CALL_STACK_MOST 128u       /* frames; calls that are deeper count as of the frame that is the last */
#define CALL_TREE_MOST  (1u << 20) /* nodes; what would be more counts as of its parent */

/* A function with the functions on top of which it was called. Node 0 is the root. */
struct call_node {
    const char *name;
    uint32_t parent, child, sibling; /* child: its newest; sibling: its parent's next; 0: none */
    uint64_t self;                   /* branches, or snapshots, with this frame on top */
};

struct call_stack {
    struct symbols *symbols;
    struct call_node *nodes;
    uint32_t count, room;
    unsigned depth; /* frames */
    struct {
        uint32_t node;
        uint64_t site; /* of the call; 0: not known */
    } frames[CALL_STACK_MOST];
    unsigned kept;   /* frames that were there before the branch that is followed, and still are */
    uint32_t base;   /* the node below the first frame */
    uint64_t wanted; /* the number of the record that goes on from the last one */
    uint64_t at;     /* where the last branch went */
    unsigned cpu;
};

/* What a branch did to the stack: so many frames were left, then so many entered, which are its topmost now. */
struct call_change {
    unsigned left, entered;
};

/* false: no memory. symbols may be NULL: then all calls are of one unknown function. */
bool call_stack_init(struct call_stack *stack, struct symbols *symbols);
void call_stack_free(struct call_stack *stack);

/* What follows is below a node of this name (of a test), which is copied; no frame is known. */
void call_stack_begin(struct call_stack *stack, const char *name);

/*
 * Follows record n of a processor's trace, and counts it. Behind a gap in the
 * numbers the stack is not known. Where the trace was off for a while, as it is in the interrupt service routine that
 * drains it, it goes on in the frame that was left.
 */
struct call_change call_stack_follow(struct call_stack *stack, unsigned cpu, uint64_t n, uint64_t from, uint64_t to);

/* Follows an LBR stack of count entries, the newest first, and counts where it ends. */
void call_stack_snapshot(struct call_stack *stack, const struct lbr_entry *entries, unsigned count);

/* The name of a frame, 0 being the one at the bottom, below the stack's depth. */
const char *call_stack_name(const struct call_stack *stack, unsigned frame);

#endif
