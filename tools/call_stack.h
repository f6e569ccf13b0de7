/* SPDX-License-Identifier: MIT */
/* Follows the call stack from branch to branch, and builds the tree of all stacks seen. */
#ifndef TOOLS_CALL_STACK_H
#define TOOLS_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lbr/lbr_decode.h"
#include "tools/symbols.h"

#define CALL_STACK_MOST 128u       /* frames; deeper calls count for the last frame */
#define CALL_TREE_MOST  (1u << 20) /* nodes; further ones count for their parent */

/* A function together with its callers. Node 0 is the root. */
struct call_node {
    const char *name;
    uint32_t parent, child, sibling; /* child: the newest; sibling: the parent's next child; 0: none */
    uint64_t self;                   /* branches or snapshots with this frame on top */
};

struct call_frame {
    uint32_t node;
    uint64_t site; /* address of the call; 0: unknown */
};

struct call_stack {
    struct symbols *symbols;
    struct call_node *nodes;
    uint32_t count, room;
    unsigned depth; /* frames */
    struct call_frame frames[CALL_STACK_MOST];
    unsigned kept;   /* frames that the current branch does not leave */
    uint32_t base;   /* the node below the first frame */
    uint64_t wanted; /* the number that the next record of an unbroken trace has */
    uint64_t at;     /* target of the last branch */
    unsigned cpu;
};

/* What a branch did to the stack: the number of frames that it left, then entered. The latter are now on top. */
struct call_change {
    unsigned left, entered;
};

/* symbols may be NULL: then all branches are in one unknown function. */
void call_stack_init(struct call_stack *stack, struct symbols *symbols);
void call_stack_free(struct call_stack *stack);

/* Starts an empty stack below a node with this name (a test's id), which is copied. */
void call_stack_begin(struct call_stack *stack, const char *name);

/*
 * Follows record n of a processor's trace, and counts it. After a gap in the numbers the stack is unknown. After a
 * pause of the trace, as in the interrupt service routine that drains it, the stack continues in the frame before the
 * pause.
 */
struct call_change call_stack_follow(struct call_stack *stack, unsigned cpu, uint64_t n, uint64_t from, uint64_t to);

/* Follows an LBR stack of count entries, newest first, and counts its last frame. The trace's stack does not change. */
void call_stack_snapshot(struct call_stack *stack, const struct lbr_entry *entries, unsigned count);

/* The name of a frame, by its number: 0 is the bottom, depth - 1 the top. */
const char *call_stack_name(const struct call_stack *stack, unsigned frame);

#endif
