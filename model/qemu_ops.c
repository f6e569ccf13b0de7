/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "model/qemu_abi.h"
#include "model/qemu_ops.h"

#define CERTAIN     8 /* changes after which a place that held the value each time is the one */
#define ANY_OPCODE  0
#define ARGUMENTS   3
#define SHIFT_OF_16 4

/*
 * An operation of the block that is being translated: QEMU 11.1, include/tcg/tcg.h. They are in a list that is closed
 * through its head. That it is so is looked at each time before it is relied upon.
 */
struct link {
    struct op *next;
    struct link *before; /* that of the operation before, or the head */
};

struct op {
    uint8_t opcode, more[7];
    struct link link;
    uint8_t registers[8];
    uint64_t arguments[ARGUMENTS]; /* of a store: what, the base, and the offset from there */
};

static struct op *(*emit)(int opcode, unsigned arguments);
static void (*erase)(void *context, struct op *op);
static void (*store_32)(uintptr_t what, uintptr_t base, intptr_t offset);
static void (*store_64)(uintptr_t what, uintptr_t base, intptr_t offset);
static void (*load_64)(uintptr_t to, uintptr_t base, intptr_t offset);
static void (*add_64)(uintptr_t to, uintptr_t a, uintptr_t b);
static uintptr_t (*constant)(uint64_t value);
static uintptr_t (*new_64)(void);
static void (*mark_callbacks)(unsigned from);
static const uintptr_t *env_base;

static bool find(const char *name, void *symbol)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    memcpy(symbol, &found, sizeof(found));
    return found != NULL;
}

/* What QEMU's thread translates with; NULL if that is not to be had. */
static void *context(void)
{
    static _Thread_local void **here;

    return here != NULL || find("tcg_ctx", &here) ? *here : NULL;
}

void qemu_ops_init(struct qemu_ops *o)
{
    const bool all = find("tcg_emit_op", &emit) && find("tcg_op_remove", &erase) && find("tcg_gen_st_i32", &store_32) &&
                     find("tcg_gen_st_i64", &store_64) && find("tcg_env", &env_base) && context() != NULL &&
                     find("tcg_gen_ld_i64", &load_64) && find("tcg_gen_add_i64", &add_64) &&
                     find("tcg_constant_i64", &constant) && find("tcg_temp_ebb_new_i64", &new_64) &&
                     find("tcg_gen_plugin_cb", &mark_callbacks);

    *o = (struct qemu_ops){ .given_up = !all, .places = UINT64_MAX };
}

/* An access of 16 bytes, as callbacks of memory accesses are told of it. */
static uint32_t info_of_16(void)
{
    uint32_t info = SHIFT_OF_16;

    while (info != 0 && qemu_plugin_mem_size_shift(info) != SHIFT_OF_16) {
        info <<= 1;
    }
    return info;
}

/* Only by reading, for other threads write to words here. */
static void learn_place(struct qemu_ops *o, const uint64_t *env)
{
    const struct qemu_mem_value value = qemu_plugin_mem_get_value(info_of_16());

    for (uint64_t left = o->places; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);

        if (env[-2 - i] != value.low || env[-1 - i] != value.high) {
            o->places &= ~(UINT64_C(1) << i);
        }
    }
    o->changes += value.low != o->low;
    o->low = value.low;
    o->given_up = o->places == 0;
    if (o->changes >= CERTAIN && (o->places & (o->places - 1)) == 0) {
        o->value_at = (intptr_t)sizeof(*env) * (-2 - __builtin_ctzll(o->places));
    }
}

static bool stores_to(const struct op *op, const struct op *pattern, intptr_t offset)
{
    return op->opcode == pattern->opcode && op->arguments[1] == pattern->arguments[1] &&
           op->arguments[2] == (uint64_t)offset;
}

static bool is_pattern(const struct op *op, const struct link *before, intptr_t offset)
{
    return op->link.before == before && op->arguments[0] == op->arguments[1] && stores_to(op, op, offset);
}

/* Appends a store of either width to the block, and takes out all that are like them. */
static void drop_values(struct qemu_ops *o)
{
    const intptr_t low = o->value_at, high = low + (intptr_t)sizeof(uint64_t);
    struct op *const mark = emit(ANY_OPCODE, ARGUMENTS), *narrow, *wide;

    if (mark->link.next == NULL) {
        store_32(*env_base, *env_base, low);
        store_64(*env_base, *env_base, low);
    }
    narrow = mark->link.next;
    wide = narrow == NULL ? NULL : narrow->link.next;
    if (wide == NULL || wide->link.next != NULL || !is_pattern(narrow, &mark->link, low) ||
        !is_pattern(wide, &narrow->link, low)) {
        o->given_up = true; /* what was appended stays: no way leads there */
        return;
    }
    for (struct link *at = mark->link.before; at->before != &wide->link;) {
        struct op *op = (struct op *)((char *)at - offsetof(struct op, link));

        at = at->before;
        if (stores_to(op, narrow, low) || stores_to(op, wide, low) || stores_to(op, wide, high)) {
            erase(context(), op);
        }
    }
    erase(context(), wide);
    erase(context(), narrow);
    erase(context(), mark);
}

void qemu_ops_drop_values(struct qemu_ops *o, const void *env)
{
    if (o->given_up || env == NULL) {
        return;
    }
    if (o->value_at == 0) {
        learn_place(o, env);
    } else {
        drop_values(o);
    }
}

bool qemu_ops_append_pointer(struct qemu_ops *o, const struct qemu_ops_list *list, const void *pointer)
{
    (void)o;
    struct op *const mark = emit(ANY_OPCODE, ARGUMENTS);
    mark_callbacks(0);
    struct op *const pattern = mark->link.next;
    uintptr_t base = constant((uintptr_t)list->base), end = new_64(), at = new_64(), step = new_64();
    load_64(end, base, list->end);
    add_64(at, end, base);
    store_64(constant((uintptr_t)pointer), at, list->items);
    load_64(step, base, list->step);
    add_64(end, end, step);
    store_64(end, base, list->end);
    struct op *stop = emit(ANY_OPCODE, ARGUMENTS);
    struct op *place = NULL;
    for (struct link *l = mark->link.before; l->before != &stop->link;) {
        struct op *op = (struct op *)((char *)l - offsetof(struct op, link));
        l = l->before;
        if (op->opcode == pattern->opcode && (uint32_t)op->arguments[0] == 0) place = op;
    }
    struct op *first = pattern->link.next;
    struct op *last = (struct op *)((char *)stop->link.before - offsetof(struct op, link));
    if (place) {
        pattern->link.next = stop; stop->link.before = &pattern->link;
        last->link.next = place->link.next;
        last->link.next->link.before = &last->link;
        place->link.next = first; first->link.before = &place->link;
    }
    erase(context(), mark); erase(context(), pattern); erase(context(), stop);
    return place != NULL;
}
