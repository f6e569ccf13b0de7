/* SPDX-License-Identifier: MIT */
#include "tools/call_stack.h"

#include <stdlib.h>
#include <string.h>

#include "tools/complain.h"

#define LONGEST_INSTRUCTION 15u   /* bytes */
#define LONGEST_RUN         4096u /* bytes of code without a taken branch */

void call_stack_init(struct call_stack *stack, struct symbols *symbols)
{
    *stack = (struct call_stack){ .symbols = symbols, .room = 1024, .count = 1 };
    stack->nodes = allocated(calloc(stack->room, sizeof(*stack->nodes)));
    stack->nodes[0].name = "";
}

void call_stack_free(struct call_stack *stack)
{
    for (uint32_t i = 1; i < stack->count; i++)
        if (stack->nodes[i].parent == 0)
            free((char *)stack->nodes[i].name); /* a copy made by call_stack_begin() */
    free(stack->nodes);
}

static uint32_t find_child(const struct call_stack *stack, uint32_t parent, const char *name)
{
    uint32_t child = stack->nodes[parent].child;

    while (child != 0 && strcmp(stack->nodes[child].name, name) != 0)
        child = stack->nodes[child].sibling;
    return child;
}

/* Adds a child; returns the parent itself if there is no room. */
static uint32_t add_child(struct call_stack *stack, uint32_t parent, const char *name)
{
    if (stack->count == stack->room) {
        if (stack->room >= CALL_TREE_MOST)
            return parent;
        stack->room *= 2;
        stack->nodes = allocated(realloc(stack->nodes, stack->room * sizeof(*stack->nodes)));
    }
    stack->nodes[stack->count] =
        (struct call_node){ .name = name, .parent = parent, .sibling = stack->nodes[parent].child };
    stack->nodes[parent].child = stack->count;
    return stack->count++;
}

void call_stack_begin(struct call_stack *stack, const char *name)
{
    uint32_t node = find_child(stack, 0, name);

    if (node == 0) {
        node = add_child(stack, 0, NULL);
        if (node != 0)
            stack->nodes[node].name = allocated(strdup(name));
    }
    stack->base = node;
    stack->depth = 0;
    stack->wanted = 0;
}

static void push(struct call_stack *stack, uint64_t address, uint64_t site)
{
    uint32_t parent = stack->depth > 0 ? stack->frames[stack->depth - 1].node : stack->base;
    const char *name = symbols_place(stack->symbols, address)->name;

    if (name == NULL)
        name = "[unknown]";
    uint32_t node = find_child(stack, parent, name);
    stack->frames[stack->depth].node = node != 0 || parent == 0 ? node : add_child(stack, parent, name);
    stack->frames[stack->depth++].site = site;
}

static void pop_to(struct call_stack *stack, unsigned depth)
{
    stack->depth = depth;
    if (depth < stack->kept)
        stack->kept = depth;
}

static void go_on(struct call_stack *stack, uint64_t from, uint64_t to)
{
    const struct place *place = symbols_place(stack->symbols, from);

    switch (place->transfer) {
    case TRANSFER_CALL:
    case TRANSFER_NONE:
        if (stack->depth < CALL_STACK_MOST)
            push(stack, to, from);
        return;
    case TRANSFER_JUMP: {
        const char *name = place->name;
        const struct place *target = symbols_place(stack->symbols, to);
        if (!target->function || target->name == name)
            return;
        uint64_t site = stack->frames[stack->depth - 1].site; /* a tail call */
        pop_to(stack, stack->depth - 1);
        push(stack, to, site);
        return;
    }
    case TRANSFER_RETURN:
        for (unsigned i = stack->depth; i-- > 1;)
            if (to - stack->frames[i].site <= LONGEST_INSTRUCTION) {
                pop_to(stack, i);
                return;
            }
        pop_to(stack, 0); /* a return to a caller whose call is not in the trace */
        push(stack, to, 0);
        return;
    }
}

/* Pops frames that do not contain `from`: the branches to `from` are missing from the trace. */
static void resume(struct call_stack *stack, uint64_t from)
{
    if (from - stack->at < LONGEST_RUN)
        return;
    for (unsigned i = stack->depth; i-- > 1;)
        if (from - stack->frames[i].site < LONGEST_RUN) {
            pop_to(stack, i);
            return;
        }
    pop_to(stack, 0);
}

struct call_change call_stack_follow(struct call_stack *stack, unsigned cpu, uint64_t n, uint64_t from, uint64_t to)
{
    unsigned before = stack->depth;

    stack->kept = stack->depth;
    if (cpu != stack->cpu || n != stack->wanted)
        pop_to(stack, 0);
    resume(stack, from);
    stack->cpu = cpu;
    stack->wanted = n + 1;
    if (stack->depth == 0)
        push(stack, from, 0);
    stack->nodes[stack->frames[stack->depth - 1].node].self++;
    stack->at = to;
    go_on(stack, from, to);
    return (struct call_change){ before - stack->kept, stack->depth - stack->kept };
}

void call_stack_snapshot(struct call_stack *stack, const struct lbr_entry *entries, unsigned count)
{
    struct call_frame frames[CALL_STACK_MOST];
    unsigned depth = stack->depth;

    while (count > 0 && entries[count - 1].from == 0)
        count--;
    if (count == 0)
        return;
    memcpy(frames, stack->frames, depth * sizeof(frames[0]));
    stack->depth = 0;
    push(stack, entries[count - 1].from, 0);
    while (count-- > 0)
        go_on(stack, entries[count].from, entries[count].to);
    stack->nodes[stack->frames[stack->depth - 1].node].self++;
    stack->depth = depth;
    memcpy(stack->frames, frames, depth * sizeof(frames[0]));
}

const char *call_stack_name(const struct call_stack *stack, unsigned frame)
{
    return stack->nodes[stack->frames[frame].node].name;
}
