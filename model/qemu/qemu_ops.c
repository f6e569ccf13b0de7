/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "model/qemu/qemu_abi.h"
#include "model/qemu/qemu_ops.h"

#define CERTAIN     8 /* changes after which the one place that has held the value each time is the one */
#define ANY_OPCODE  0
#define ARGUMENTS   3
#define SHIFT_OF_16 4
#define OF_BLOCK    0 /* the argument of the operation that stands for what is registered for a block's beginning */

/* QEMU 11.1, include/tcg/tcg.h: a block's operations are in a list that is closed through its head. */
struct link {
    struct op *next;     /* NULL behind the last one */
    struct link *before; /* that of the operation before, or the head */
};

struct op {
    uint8_t opcode, more[7];
    struct link link;
    uint8_t registers[8];
    uint64_t arguments[ARGUMENTS]; /* of a store: what, the base, and the offset from there */
};

/* QEMU's functions, and its variables by their handles. What is made goes to the end of the block. */
static struct {
    struct op *(*make)(int opcode, unsigned arguments);
    void (*erase)(void *context, struct op *op);
    void (*callbacks)(int of);
    void (*load_64)(uintptr_t to, uintptr_t base, intptr_t offset);
    void (*store_32)(uintptr_t what, uintptr_t base, intptr_t offset);
    void (*store_64)(uintptr_t what, uintptr_t base, intptr_t offset);
    void (*add_64)(uintptr_t to, uintptr_t a, uintptr_t b);
    uintptr_t (*constant_64)(uint64_t value);
    uintptr_t (*new_64)(void);
    const uintptr_t *env;
} tcg;

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
    const bool all = find("tcg_emit_op", &tcg.make) && find("tcg_op_remove", &tcg.erase) &&
                     find("tcg_gen_plugin_cb", &tcg.callbacks) && find("tcg_gen_ld_i64", &tcg.load_64) &&
                     find("tcg_gen_st_i32", &tcg.store_32) && find("tcg_gen_st_i64", &tcg.store_64) &&
                     find("tcg_gen_add_i64", &tcg.add_64) && find("tcg_constant_i64", &tcg.constant_64) &&
                     find("tcg_temp_ebb_new_i64", &tcg.new_64) && find("tcg_env", &tcg.env) && context() != NULL;

    *o = (struct qemu_ops){ .state = all ? QEMU_OPS_NOT_TRIED : QEMU_OPS_GIVEN_UP, .places = UINT64_MAX };
}

static struct op *make_mark(void)
{
    return tcg.make(ANY_OPCODE, ARGUMENTS);
}

static void erase(struct op *op)
{
    tcg.erase(context(), op);
}

static struct op *op_of(struct link *link)
{
    return (struct op *)((char *)link - offsetof(struct op, link));
}

/* Whether operations are laid out and linked as above, seen from two that are made. No way leads to what stays. */
static bool works(void)
{
    const intptr_t offset = sizeof(uint64_t);
    struct op *const mark = make_mark(), *made;
    bool as_expected = mark->link.next == NULL;

    if (as_expected) {
        tcg.store_64(*tcg.env, *tcg.env, offset);
        made = mark->link.next;
        as_expected = made != NULL && made->link.next == NULL && made->link.before == &mark->link &&
                      made->arguments[0] == made->arguments[1] && made->arguments[2] == (uint64_t)offset;
        if (as_expected) {
            erase(made);
        }
    }
    erase(mark);
    return as_expected;
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

/* By reading alone, for other threads write to some of these words. */
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
    if (o->changes >= CERTAIN && o->places != 0 && (o->places & (o->places - 1)) == 0) {
        o->value_at = (intptr_t)sizeof(*env) * (-2 - __builtin_ctzll(o->places));
    }
}

/* offset: from what the model stores to. */
static bool stores_to(const struct op *op, const struct op *model, intptr_t offset)
{
    return op->opcode == model->opcode && op->arguments[1] == model->arguments[1] &&
           op->arguments[2] == model->arguments[2] + (uint64_t)offset;
}

void qemu_ops_drop_values(struct qemu_ops *o, const void *env)
{
    const intptr_t to_high = sizeof(uint64_t);

    if (o->state == QEMU_OPS_NOT_TRIED) {
        o->state = works() ? QEMU_OPS_WORK : QEMU_OPS_GIVEN_UP;
    }
    if (o->state == QEMU_OPS_GIVEN_UP || env == NULL) {
        return;
    }
    if (o->value_at == 0) {
        learn_place(o, env);
        return;
    }
    struct op *const mark = make_mark();

    tcg.store_32(*tcg.env, *tcg.env, o->value_at);
    tcg.store_64(*tcg.env, *tcg.env, o->value_at);
    struct op *const narrow = mark->link.next, *const wide = narrow->link.next;

    for (struct link *link = mark->link.before; link->before != &wide->link;) {
        struct op *const op = op_of(link);

        link = link->before;
        if (stores_to(op, narrow, 0) || stores_to(op, wide, 0) || stores_to(op, wide, to_high)) {
            erase(op);
        }
    }
    erase(wide);
    erase(narrow);
    erase(mark);
}

/*
 * The first operation in the block that is like the last, unless it begins the block: then nothing looks for interrupts
 * before it.
 */
static struct op *first_like(struct op *last)
{
    struct op *found = NULL;

    for (struct link *link = last->link.before; link->before != &last->link; link = link->before) {
        struct op *const op = op_of(link);

        if (op->opcode == last->opcode && op->arguments[0] == last->arguments[0]) {
            found = link->before->before == &last->link ? NULL : op;
        }
    }
    return found;
}

/* Takes operations from between two others to behind a third one. */
static void move(struct op *before, struct op *behind, struct op *to)
{
    struct op *const first = before->link.next, *const last = op_of(behind->link.before);

    before->link.next = behind;
    behind->link.before = &before->link;
    last->link.next = to->link.next;
    last->link.next->link.before = &last->link;
    to->link.next = first;
    first->link.before = &to->link;
}

/* A word at list->used bytes from list->words on, and list->step more in use. */
static void make_appending(const struct qemu_ops_list *list, uint64_t word)
{
    const uintptr_t base = tcg.constant_64((uintptr_t)list->base);
    const uintptr_t used = tcg.new_64(), at = tcg.new_64(), step = tcg.new_64();

    tcg.load_64(used, base, list->used);
    tcg.add_64(at, used, base);
    tcg.store_64(tcg.constant_64(word), at, list->words);
    tcg.load_64(step, base, list->step);
    tcg.add_64(used, used, step);
    tcg.store_64(used, base, list->used);
}

bool qemu_ops_append(const struct qemu_ops *o, const struct qemu_ops_list *list, uint64_t word)
{
    if (o->state != QEMU_OPS_WORK) {
        return false;
    }
    struct op *const mark = make_mark();

    tcg.callbacks(OF_BLOCK);
    struct op *const callbacks = mark->link.next, *const to = first_like(callbacks);

    if (to != NULL) {
        make_appending(list, word);
        struct op *const end = make_mark();

        move(callbacks, end, to);
        erase(end);
    }
    erase(callbacks);
    erase(mark);
    return to != NULL;
}
