/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/private/qemu_loss.h"
#include "model/private/qemu_ops.h"

#define CERTAIN      8  /* a place is trusted if it alone followed this many changes of the value */
#define PATIENCE     64 /* changes after which the search is given up */
#define ANY_OPCODE   0
#define ANY_TYPE     0
#define ARGUMENTS    3
#define BELOW_ZERO   2  /* QEMU 11.1, include/tcg/tcg-cond.h: TCG_COND_LT */
#define NOT_ABOVE    7  /* TCG_COND_LE */
#define NOT_BELOW    11 /* TCG_COND_GEU */
#define EQUAL        8  /* TCG_COND_EQ */
#define HAS_BITS     13 /* TCG_COND_TSTNE */
#define OF_BLOCK     0  /* the argument of a callback placeholder: at the beginning of a block */
#define OF_INSN      1  /* ... or at an instruction */
#define WORD_BYTES   8
#define MOST_ENTRIES 100000 /* a longer list is taken to be endless */
/*
 * An instruction reaches twice as far. Not a power of two: processors take addresses that differ only in high bits for
 * one address, which made each block two to three times slower.
 */
#define DISTANCE (((intptr_t)1 << 30) + 0x12cc80)

/* QEMU 11.1, include/tcg/tcg.h: the operations of a block form a circular list that includes its head. */
struct link {
    struct op *next;     /* NULL in the last operation */
    struct link *before; /* the link of the previous operation, or of the head */
};

struct op {
    uint8_t opcode, count, type, parameter; /* count: the number of arguments for which there is memory */
    uint32_t life;
    struct link link;
    uint64_t words[]; /* two sets of registers; from first_argument on the arguments, of a store: value, base, offset */
};

/* A set has 32 bits on hosts with up to 32 registers (x86-64), and else 64 (arm64). */
#define MOST_SETS 2
static unsigned first_argument = 1;

/* Enough arguments that reads of struct op stay within an operation, wherever QEMU places its arguments. */
#define PLENTY ((unsigned)(sizeof(struct op) / sizeof(uint64_t)) + MOST_SETS + ARGUMENTS)

/* QEMU's functions, and the handles of its variables. New operations are appended to the block. */
static struct {
    struct op *(*make)(int opcode, unsigned arguments);
    void (*make_six)(int opcode, int type, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);
    struct op *(*insert_after)(void *context, struct op *op, int opcode, int type, unsigned arguments);
    void (*erase)(void *context, struct op *op);
    void (*callbacks)(int of);
    void (*load_16)(uintptr_t to, uintptr_t base, intptr_t offset);
    void (*load_32)(uintptr_t to, uintptr_t base, intptr_t offset);
    void (*load_signed)(uintptr_t to, uintptr_t base, intptr_t offset); /* 32 bits to 64 bits */
    void (*load_64)(uintptr_t to, uintptr_t base, intptr_t offset);
    void (*store_8)(uintptr_t what, uintptr_t base, intptr_t offset);  /* NULL until qemu_ops_find_io() */
    void (*store_16)(uintptr_t what, uintptr_t base, intptr_t offset); /* of 64 bits */
    void (*store_32)(uintptr_t what, uintptr_t base, intptr_t offset);
    void (*store_64)(uintptr_t what, uintptr_t base, intptr_t offset);
    void (*add_64)(uintptr_t to, uintptr_t a, uintptr_t b);
    void (*subtract_64)(uintptr_t to, uintptr_t a, uintptr_t b);
    void *(*new_label)(void);
    void (*put_label)(void *label);
    void (*go_to)(void *label);
    void (*go_to_if)(int condition, uintptr_t a, uintptr_t b, void *label);
    void (*look_up_and_go)(void); /* continues with the translation for the register file's state */
    uintptr_t (*constant_64)(uint64_t value);
    uintptr_t (*new_64)(void);
    const uintptr_t *env;
    const void *(*look_up)(void *registers); /* the function that the code from look_up_and_go() calls */
    const void *const *none;                 /* its result if there is no such translation */
} tcg;

/* In bytes from each processor's register file: the near memory, and the word that QEMU checks when a block begins. */
static intptr_t near_distance, countdown_at; /* 0: not known yet */
#define NOWHERE INTPTR_MIN

#define FIND(name, symbol) QEMU_LOSS_FIND(LOSS_OPERATIONS, name, symbol)

/* The translation context of QEMU's thread, or NULL if it cannot be found. */
static void *context(void)
{
    static _Thread_local void **here;

    return here != NULL || FIND("tcg_ctx", &here) ? *here : NULL;
}

void qemu_ops_init(struct qemu_ops *o)
{
    const bool all = FIND("tcg_emit_op", &tcg.make) && FIND("tcg_gen_op6", &tcg.make_six) &&
                     FIND("tcg_op_insert_after", &tcg.insert_after) && FIND("tcg_op_remove", &tcg.erase) &&
                     FIND("tcg_gen_plugin_cb", &tcg.callbacks) && FIND("tcg_gen_ld16u_i64", &tcg.load_16) &&
                     FIND("tcg_gen_ld_i32", &tcg.load_32) && FIND("tcg_gen_ld32s_i64", &tcg.load_signed) &&
                     FIND("tcg_gen_ld_i64", &tcg.load_64) && FIND("tcg_gen_st16_i64", &tcg.store_16) &&
                     FIND("tcg_gen_st_i32", &tcg.store_32) && FIND("tcg_gen_st_i64", &tcg.store_64) &&
                     FIND("tcg_gen_add_i64", &tcg.add_64) && FIND("tcg_gen_sub_i64", &tcg.subtract_64) &&
                     FIND("gen_new_label", &tcg.new_label) && FIND("gen_set_label", &tcg.put_label) &&
                     FIND("tcg_gen_br", &tcg.go_to) && FIND("tcg_gen_brcond_i64", &tcg.go_to_if) &&
                     FIND("tcg_gen_lookup_and_goto_ptr", &tcg.look_up_and_go) &&
                     FIND("tcg_constant_i64", &tcg.constant_64) && FIND("tcg_temp_ebb_new_i64", &tcg.new_64) &&
                     FIND("tcg_env", &tcg.env) && FIND("helper_lookup_tb_ptr", &tcg.look_up) &&
                     FIND("tcg_code_gen_epilogue", &tcg.none) && context() != NULL;

    *o = (struct qemu_ops){ .state = all ? QEMU_OPS_NOT_TRIED : QEMU_OPS_GIVEN_UP, .places = UINT64_MAX };
}

/* Maps memory at exactly this address. */
static bool map(uintptr_t at, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = at & ~(page - 1);
    const size_t length = (at + size - start + page - 1) & ~(page - 1);
    void *const mapped =
        mmap((void *)start, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (mapped != MAP_FAILED && mapped != (void *)start) {
        munmap(mapped, length); /* Linux before 4.17 ignores the flag */
    }
    return mapped == (void *)start;
}

bool qemu_ops_near(const struct qemu_object *object, size_t size, void **memory)
{
    static const intptr_t distances[] = { -DISTANCE, DISTANCE, -DISTANCE - DISTANCE / 2, DISTANCE + DISTANCE / 2 };
    const uintptr_t env = object->cpu == NULL ? 0 : (uintptr_t)(object->cpu + object->env);
    const bool first = near_distance == 0;
    bool mapped = false;

    for (unsigned i = 0; env != 0 && !mapped && i < sizeof(distances) / sizeof(distances[0]); i++) {
        if (first || distances[i] == near_distance) {
            mapped = map(env + (uintptr_t)distances[i], size);
            near_distance = mapped ? distances[i] : near_distance;
        }
    }
    if (first && !mapped) {
        near_distance = NOWHERE;
        if (env != 0) {
            qemu_loss_say(LOSS_OPERATIONS, "leaves no memory free near", "current_cpu");
        }
    }
    *memory = mapped ? (void *)(env + (uintptr_t)near_distance) : NULL;
    return mapped || near_distance == NOWHERE;
}

uint16_t *qemu_ops_countdown(const struct qemu_object *object)
{
    const intptr_t at = __atomic_load_n(&countdown_at, __ATOMIC_RELAXED);

    return at == 0 || at == NOWHERE || object->cpu == NULL ? NULL : (uint16_t *)(object->cpu + object->env + at);
}

static uint64_t *argument(struct op *op, unsigned i)
{
    return &op->words[first_argument + i];
}

static struct op *make_mark(void)
{
    return tcg.make(ANY_OPCODE, PLENTY);
}

static void erase(struct op *op)
{
    tcg.erase(context(), op);
}

static struct op *op_of(struct link *link)
{
    return (struct op *)((char *)link - offsetof(struct op, link));
}

/* Whether the links lead from the last operation back to the first, and over the head of the list to the last again. */
static bool is_closed(struct op *last)
{
    struct link *link = &last->link;

    for (unsigned i = 0; i < MOST_ENTRIES; i++) {
        if (link->before->next != op_of(link)) {
            return false;
        }
        link = link->before;
        if (link->before == &last->link) {
            return true;
        }
    }
    return false;
}

/* Whether the operations after `mark`, which QEMU made with known arguments, read as expected. Removes them. */
static bool reads_arguments(struct op *mark)
{
    static const uint64_t known[2 * ARGUMENTS] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66 };
    const intptr_t offset = sizeof(uint64_t);
    struct op *op;
    bool reads;

    tcg.make_six(ANY_OPCODE, ANY_TYPE, known[0], known[1], known[2], known[3], known[4], known[5]);
    op = mark->link.next;
    if (op == NULL) {
        return false;
    }
    reads = op->link.before == &mark->link && op->link.next == NULL && op->opcode == ANY_OPCODE &&
            op->count >= 2 * ARGUMENTS;
    for (first_argument = 1; reads && first_argument <= MOST_SETS; first_argument++) {
        if (memcmp(argument(op, 0), known, sizeof(known) - (first_argument - 1) * sizeof(known[0])) == 0) {
            break;
        }
    }
    reads = reads && first_argument <= MOST_SETS;
    erase(op);
    if (!reads) {
        return false;
    }
    tcg.store_64(*tcg.env, *tcg.env, offset);
    op = mark->link.next;
    reads = op != NULL && op->link.before == &mark->link && op->link.next == NULL && op->count >= ARGUMENTS &&
            *argument(op, 0) == *argument(op, 1) && *argument(op, 2) == (uint64_t)offset;
    if (op != NULL) {
        erase(op);
    }
    return reads;
}

/*
 * Whether operations are laid out and linked as declared above. Checks some operations made for this, and leaves the
 * block unchanged.
 */
static bool works(void)
{
    struct op *const first = make_mark(), *const last = make_mark();
    bool as_expected = first != NULL && last != NULL && first->link.next == last && last->link.next == NULL &&
                       last->link.before == &first->link && first->count >= PLENTY && is_closed(last);

    if (as_expected) {
        struct op *const between = tcg.insert_after(context(), first, ANY_OPCODE, ANY_TYPE, PLENTY);

        as_expected = first->link.next == between && between->link.next == last && between->count >= PLENTY;
        erase(between);
    }
    as_expected = as_expected && reads_arguments(last);
    erase(last);
    erase(first);
    return as_expected;
}

static void lose_values(struct qemu_ops *o)
{
    o->places = 0;
    qemu_loss_say(LOSS_VALUES, "does not keep before its registers the value returned by", "qemu_plugin_mem_get_value");
}

/* Narrows down the place of accessed values. Only reads, because other threads write to some of these words. */
static void learn_place(struct qemu_ops *o, const struct qemu_object *object, struct qemu_value last)
{
    const char *const env = object->cpu + object->env;

    for (uint64_t left = o->places; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        const size_t back = sizeof(last) + (size_t)i * sizeof(last.low);

        if (back > object->env || memcmp(env - back, &last, sizeof(last)) != 0) {
            o->places &= ~(UINT64_C(1) << i);
        }
    }
    o->changes += last.low != o->low;
    o->low = last.low;
    if (o->places == 0 || o->changes > PATIENCE) {
        lose_values(o);
    } else if (o->changes >= CERTAIN && (o->places & (o->places - 1)) == 0) {
        o->value_at = (intptr_t)sizeof(last.low) * (-2 - __builtin_ctzll(o->places));
    }
}

/* offset: from the base of the model's stores. */
static bool stores_to(struct op *op, struct op *model, intptr_t offset)
{
    return op->opcode == model->opcode && op->count >= ARGUMENTS && *argument(op, 1) == *argument(model, 1) &&
           *argument(op, 2) == *argument(model, 2) + (uint64_t)offset;
}

void qemu_ops_drop_values(struct qemu_ops *o, const struct qemu_object *object, struct qemu_value last)
{
    const intptr_t to_high = sizeof(uint64_t);

    if (o->state == QEMU_OPS_NOT_TRIED) {
        o->state = works() ? QEMU_OPS_WORK : QEMU_OPS_GIVEN_UP;
        if (o->state == QEMU_OPS_GIVEN_UP) {
            qemu_loss_say(LOSS_OPERATIONS, "does not link operations as QEMU 11.1 does in", "tcg_emit_op");
        }
    }
    if (o->state == QEMU_OPS_GIVEN_UP || object->cpu == NULL || o->places == 0) {
        return;
    }
    if (o->value_at == 0) {
        learn_place(o, object, last);
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

#define NEAR 64 /* QEMU 11.1, include/hw/core/cpu.h: the flag is in the last words before the register file */

void qemu_ops_find_io(struct qemu_ops *o)
{
    if (o->io_at != 0 || o->state != QEMU_OPS_WORK ||
        !QEMU_LOSS_FIND(LOSS_ACCELERATOR, "tcg_gen_st8_i32", &tcg.store_8)) {
        return;
    }
    struct op *const mark = make_mark();

    tcg.store_8(*tcg.env, *tcg.env, 0);
    struct op *const like = mark->link.next;

    for (struct link *link = mark->link.before; link->before != &like->link; link = link->before) {
        struct op *const op = op_of(link);
        const intptr_t offset = op->count >= ARGUMENTS ? (intptr_t)*argument(op, 2) : 0;

        if (stores_to(op, like, offset) && offset < 0 && offset >= -NEAR) {
            o->io_at = offset;
        }
    }
    erase(like);
    erase(mark);
}

/* The first or the last placeholder for such callbacks, or NULL. */
static struct op *placeholder(int of, bool first)
{
    struct op *const begin = make_mark(), *found = NULL;

    tcg.callbacks(of);
    struct op *const like = begin->link.next;

    for (struct link *link = begin->link.before; link->before != &like->link && (first || found == NULL);
         link = link->before) {
        struct op *const op = op_of(link);

        if (op->opcode == like->opcode && op->count > 0 && *argument(op, 0) == *argument(like, 0)) {
            found = op;
        }
    }
    erase(like);
    erase(begin);
    return found;
}

static bool begins_block(const struct op *op, const struct op *last)
{
    return op->link.before->before == &last->link;
}

/* Moves operations [first, last] to after `to`. Neither `to` nor `last` may be the last operation of the block. */
static void move(struct op *first, struct op *last, struct op *to)
{
    first->link.before->next = last->link.next;
    last->link.next->link.before = first->link.before;
    last->link.next = to->link.next;
    last->link.next->link.before = &last->link;
    first->link.before = &to->link;
    to->link.next = first;
}

/* The base of the memory of the processor that runs the block. */
static uintptr_t make_base(const struct qemu_ops_beginning *b)
{
    const uintptr_t base = tcg.new_64();

    tcg.load_64(base, *tcg.env, near_distance + b->base);
    return base;
}

/* Testing the sign avoids a 64-bit constant, which takes an extra instruction. */
static void go_to_if_reached(uintptr_t sum, uint64_t limit, void *label)
{
    if (limit == QEMU_OPS_SIGN) {
        tcg.go_to_if(BELOW_ZERO, sum, tcg.constant_64(0), label);
    } else {
        tcg.go_to_if(NOT_BELOW, sum, tcg.constant_64(limit), label);
    }
}

/* Returns the sum. Jumps to `callbacks` at the limit; passes: see struct qemu_ops_beginning. */
static uintptr_t make_sum(uintptr_t base, const struct qemu_ops_sum *sum, bool passes, void *callbacks)
{
    const uintptr_t result = tcg.new_64();

    tcg.load_64(result, base, sum->at);
    if (passes) {
        go_to_if_reached(result, sum->limit, callbacks);
    }
    tcg.add_64(result, result, tcg.constant_64(sum->add));
    if (passes) {
        tcg.go_to_if(EQUAL, result, tcg.constant_64(sum->limit), callbacks);
    } else {
        go_to_if_reached(result, sum->limit, callbacks);
    }
    return result;
}

/* Does everything of the beginning, or jumps to `callbacks` before it does anything. */
static void make_beginning(const struct qemu_ops_beginning *b, bool counts_down, void *callbacks)
{
    const unsigned first = counts_down ? 1 : 0;
    const uintptr_t word = tcg.constant_64(b->word), base = b->sum_count > first ? make_base(b) : 0;
    const uintptr_t left = counts_down ? tcg.new_64() : 0;
    uintptr_t sums[QEMU_OPS_SUMS];

    if (counts_down) {
        tcg.load_signed(left, *tcg.env, countdown_at);
        if (b->sums[0].add != 0) {
            tcg.add_64(left, left, tcg.constant_64(-b->sums[0].add));
        }
        tcg.go_to_if(NOT_ABOVE, left, tcg.constant_64(0), callbacks);
    }
    for (unsigned i = first; i < b->sum_count; i++) {
        sums[i] = make_sum(base, &b->sums[i], b->passes, callbacks);
    }
    if (b->list != NULL) {
        const uintptr_t next = tcg.new_64();

        tcg.load_64(next, *tcg.env, near_distance + b->list->next);
        tcg.go_to_if(HAS_BITS, next, tcg.constant_64(b->list->full), callbacks);
        tcg.store_64(word, next, 0);
        tcg.add_64(next, next, tcg.constant_64(WORD_BYTES));
        tcg.store_64(next, *tcg.env, near_distance + b->list->next);
    }
    if (b->newest >= 0) {
        tcg.store_64(word, *tcg.env, near_distance + b->newest);
    }
    if (counts_down && b->sums[0].add != 0) {
        tcg.store_16(left, *tcg.env, countdown_at);
    }
    for (unsigned i = first; i < b->sum_count; i++) {
        if (b->sums[i].add != 0) {
            tcg.store_64(sums[i], base, b->sums[i].at);
        }
    }
}

static struct op *newest(void)
{
    struct op *const mark = make_mark(), *const op = op_of(mark->link.before);

    erase(mark);
    return op;
}

/*
 * Makes an operation that jumps to the result of the call before it, or returns NULL if QEMU leaves this block
 * otherwise.
 */
static struct op *make_jump(struct op **call)
{
    struct op *jump;

    tcg.look_up_and_go();
    jump = newest();
    *call = op_of(jump->link.before);
    return jump->count > 0 && (*call)->count > 0 && *argument(jump, 0) == *argument(*call, 0) ? jump : NULL;
}

/* Whether make_jump() works with this QEMU. */
static bool jumps(void)
{
    struct op *const mark = make_mark(), *call;
    const bool made = make_jump(&call) != NULL && call != mark;

    while (mark->link.next != NULL) {
        erase(newest());
    }
    erase(mark);
    return made;
}

/* Jumps to the host code whose address is in `address`. */
static void jump_to(struct op *address)
{
    struct op *call;

    *argument(make_jump(&call), 0) = *argument(address, 0);
    erase(call);
}

/* Takes back what is left of the countdown. Jumps to `callbacks` if that is 0. */
static void make_return(const struct qemu_ops_beginning *b, uintptr_t base, void *callbacks)
{
    const uintptr_t left = tcg.new_64(), sum = tcg.new_64(), none = tcg.constant_64(0);

    tcg.load_16(left, *tcg.env, countdown_at);
    tcg.go_to_if(EQUAL, left, none, callbacks);
    tcg.load_64(sum, base, b->sums[0].at);
    tcg.subtract_64(sum, sum, left);
    tcg.store_64(sum, base, b->sums[0].at);
    tcg.store_64(none, base, b->given);
    tcg.store_16(none, *tcg.env, countdown_at);
}

/* Before the callbacks: runs the other translation, if it is known and the sums pass their limits. */
static void make_pass(const struct qemu_ops_beginning *b, bool counts_down)
{
    void *const callbacks = tcg.new_label();
    const uintptr_t base = make_base(b), code = tcg.new_64();
    struct op *load;

    if (counts_down) {
        make_return(b, base, callbacks);
    }
    for (unsigned i = 0; i < b->sum_count; i++) {
        make_sum(base, &b->sums[i], true, callbacks);
    }
    tcg.load_64(code, tcg.constant_64((uintptr_t)b->elsewhere->known), 0);
    load = newest();
    tcg.go_to_if(EQUAL, code, tcg.constant_64(0), callbacks);
    jump_to(load);
    tcg.put_label(callbacks);
}

/* After the callbacks: continues at `end`, or in other host code. */
static void make_exit(const struct qemu_ops_beginning *b, void *end)
{
    const uintptr_t base = make_base(b), elsewhere = tcg.new_64(), none = tcg.constant_64(0);
    struct op *load;

    tcg.load_64(elsewhere, base, b->elsewhere->wanted);
    load = newest();
    tcg.go_to_if(EQUAL, elsewhere, none, end);
    tcg.store_64(none, base, b->elsewhere->wanted);
    jump_to(load);
}

/* The code before the callbacks. Returns its first operation. */
static struct op *make_general(const struct qemu_ops_beginning *b, bool counts_down, void *general)
{
    struct op *label;

    tcg.put_label(general);
    label = newest();
    if (b->elsewhere != NULL) {
        make_pass(b, counts_down);
    }
    return label;
}

static struct op *first_of(struct op *last)
{
    struct link *link = &last->link;

    while (link->before->before != &last->link) {
        link = link->before;
    }
    return op_of(link);
}

/* Whether tcg_handle_interrupt sets the high half of this word, and the low half is unused. */
static bool requests_exit(const struct qemu_object *object, intptr_t at)
{
    const uint32_t some = 0x1234, requested = 0xffff0000u | some;
    const size_t place = object->env + (size_t)at;
    void (*interrupt)(void *cpu, int mask);
    uint16_t low;

    if (place > object->size - sizeof(some) || !QEMU_LOSS_FIND(LOSS_COUNTDOWN, "tcg_handle_interrupt", &interrupt)) {
        return false;
    }
    memcpy(&low, object->cpu + place, sizeof(low)); /* little-endian */
    qemu_object_take_copy(object);
    memcpy(object->copy + place, &some, sizeof(some));
    interrupt(object->copy, 0);
    return low == 0 && memcmp(object->copy + place, &requested, sizeof(requested)) == 0;
}

/*
 * The operations with which QEMU's block begins: a load of 32 bits and a jump if they are below zero. Returns the first
 * one, or NULL if they differ from those of QEMU 11.1.
 */
static struct op *find_check(const struct qemu_object *object, struct op *last)
{
    struct op *const load = first_of(last), *const jump = load->link.next;

    tcg.load_32(*tcg.env, *tcg.env, 0);
    struct op *const like = newest();
    const bool alike = load->opcode == like->opcode && load->type == like->type && load->count >= ARGUMENTS &&
                       *argument(load, 1) == *argument(like, 1) && jump != last && jump->count > ARGUMENTS &&
                       *argument(jump, 0) == *argument(load, 0) && *argument(jump, 2) == BELOW_ZERO;

    erase(like);
    if (alike && countdown_at == 0) {
        const intptr_t at = (intptr_t)*argument(load, 2);
        const bool known = requests_exit(object, at);

        __atomic_store_n(&countdown_at, known ? at : NOWHERE, __ATOMIC_RELAXED);
        if (!known) {
            qemu_loss_say(LOSS_COUNTDOWN, "does not request exits as QEMU 11.1 does in", "tcg_handle_interrupt");
        }
    }
    return alike && *argument(load, 2) == (uint64_t)countdown_at ? load : NULL;
}

bool qemu_ops_begin(const struct qemu_ops *o, const struct qemu_object *object, const struct qemu_ops_beginning *b)
{
    if (o->state != QEMU_OPS_WORK || near_distance == NOWHERE || b->sum_count > QEMU_OPS_SUMS ||
        (b->elsewhere != NULL && !jumps())) {
        return false;
    }
    struct op *const at = placeholder(OF_BLOCK, true), *const callbacks = b->aside ? placeholder(OF_INSN, false) : at;
    struct op *const begin = make_mark();
    const bool found = at != NULL && callbacks != NULL && !begins_block(at, begin);

    if (found) {
        void *const general = tcg.new_label(), *const end = tcg.new_label();
        struct op *const check = b->given >= 0 && b->sum_count > 0 ? find_check(object, begin) : NULL;
        struct op *to_general = NULL;

        make_beginning(b, check != NULL, general);
        if (b->aside) {
            tcg.put_label(end);
        } else {
            tcg.go_to(end);
            to_general = make_general(b, check != NULL, general);
        }
        struct op *const middle = make_mark();

        if (b->aside) {
            to_general = make_general(b, check != NULL, general);
        }
        struct op *const behind = make_mark(); /* after the callbacks */

        if (b->elsewhere != NULL) {
            make_exit(b, end);
        } else if (b->aside) {
            tcg.go_to(end);
        }
        if (!b->aside) {
            tcg.put_label(end);
        }
        struct op *const last = make_mark();

        move(begin->link.next, op_of(middle->link.before), op_of(at->link.before));
        if (b->aside) {
            move(callbacks, callbacks, op_of(behind->link.before));
        } else {
            move(behind->link.next, op_of(last->link.before), callbacks);
        }
        if (check != NULL) {
            move(check, check->link.next, to_general);
        }
        erase(last);
        erase(behind);
        erase(middle);
    }
    erase(begin);
    return found;
}

const void *qemu_ops_translation(const struct qemu_object *object, uint64_t ip, bool *exists)
{
    const void *code;

    memcpy(object->cpu + object->rip, &ip, object->width); /* little-endian */
    code = tcg.look_up(object->cpu + object->env);
    *exists = code != *tcg.none;
    return code;
}
