/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's changes to a block's operations, with TCG as simple lists: finding and removing the stores of an access's
 * value, inline code instead of callbacks, and what the model gives up if QEMU differs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

static int new_block(void **state);
#define SETUP new_block
#define LAST  new_block
#include "tests/host/unit_test.h"

static void *find_symbol(void *handle, const char *name);
#define dlsym find_symbol
#include "model/private/qemu_loss.c"
#include "model/private/qemu_ops.c"
#undef dlsym

/* clang-format off */
enum {
    CALLBACKS = 3, LOAD_16, LOAD_32, LOAD_SIGNED, LOAD_64, STORE_16, STORE_32, STORE_64, ADD_64, SUBTRACT_64, LABEL,
    GO_TO, GO_TO_IF, GO_TO_IF_BELOW, GO_TO_IF_NOT_ABOVE, GO_TO_IF_BITS, GO_TO_IF_EQUAL, CALL, JUMP, OTHER,
};
/* clang-format on */

/* --- the translator ----------------------------------------------------------------------------------------------- */

static struct link head; /* next: the first operation; before: the link of the last */
static void *translator = &head;
static uintptr_t register_file = 0x77; /* TCG's handle of the base of registers */
static uintptr_t handles, labels;
static const char *missing; /* a function that this QEMU does not export */
static unsigned sets;       /* words before an operation's arguments: 1 on an x86-64 host, 2 on arm64 */

static struct op *insert_behind(struct link *before, int opcode, unsigned count)
{
    struct op *op = calloc(1, sizeof *op + (3 + PLENTY) * sizeof op->words[0]);
    assert_non_null(op);
    assert_true(count <= PLENTY);
    op->opcode = (uint8_t)opcode;
    op->count = (uint8_t)count;
    op->link.next = before->next;
    op->link.before = before;
    (op->link.next ? &op->link.next->link : &head)->before = &op->link;
    before->next = op;
    return op;
}

static struct op *make(int opcode, unsigned count)
{
    return insert_behind(head.before, opcode, count);
}

static struct op *insert_after(void *context, struct op *op, int opcode, int type, unsigned count)
{
    struct op *made = insert_behind(&op->link, opcode, count);
    assert_ptr_equal(context, translator);
    made->type = (uint8_t)type;
    return made;
}

static void erase_op(void *context, struct op *op)
{
    assert_ptr_equal(context, translator);
    op->link.before->next = op->link.next;
    (op->link.next ? &op->link.next->link : &head)->before = op->link.before;
    free(op);
}

static struct op *make_with(int opcode, uint64_t a, uint64_t b, uint64_t c)
{
    struct op *op = make(opcode, 3);
    op->words[sets] = a;
    op->words[sets + 1] = b;
    op->words[sets + 2] = c;
    return op;
}

static void make_six(int opcode, int type, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    struct op *op = make_with(opcode, a, b, c);
    op->type = (uint8_t)type;
    op->count = 6;
    op->words[sets + 3] = d;
    op->words[sets + 4] = e;
    op->words[sets + 5] = f;
}

static void make_callbacks(int of)
{
    make(CALLBACKS, 1)->words[sets] = (uint64_t)of;
}

static void load_16(uintptr_t to, uintptr_t base, intptr_t offset)
{
    make_with(LOAD_16, to, base, (uint64_t)offset);
}

static void load_32(uintptr_t to, uintptr_t base, intptr_t offset)
{
    make_with(LOAD_32, to, base, (uint64_t)offset);
}

static void load_signed(uintptr_t to, uintptr_t base, intptr_t offset)
{
    make_with(LOAD_SIGNED, to, base, (uint64_t)offset);
}

static void load_64(uintptr_t to, uintptr_t base, intptr_t offset)
{
    make_with(LOAD_64, to, base, (uint64_t)offset);
}

static void store_16(uintptr_t what, uintptr_t base, intptr_t offset)
{
    make_with(STORE_16, what, base, (uint64_t)offset);
}

static void store_32(uintptr_t what, uintptr_t base, intptr_t offset)
{
    make_with(STORE_32, what, base, (uint64_t)offset);
}

static void store_64(uintptr_t what, uintptr_t base, intptr_t offset)
{
    make_with(STORE_64, what, base, (uint64_t)offset);
}

static void add_64(uintptr_t to, uintptr_t a, uintptr_t b)
{
    make_with(ADD_64, to, a, b);
}

static void subtract_64(uintptr_t to, uintptr_t a, uintptr_t b)
{
    make_with(SUBTRACT_64, to, a, b);
}

static void *new_label(void)
{
    return (void *)(0xa0 + labels++);
}

static void put_label(void *label)
{
    make(LABEL, 1)->words[sets] = (uintptr_t)label;
}

static void go_to(void *label)
{
    make(GO_TO, 1)->words[sets] = (uintptr_t)label;
}

static void go_to_if(int condition, uintptr_t a, uintptr_t b, void *label)
{
    /* QEMU 11.1, include/tcg/tcg-cond.h: below, not above, signed; equal; not below, unsigned; some bits are set */
    static const int opcodes[] = {
        [2] = GO_TO_IF_BELOW, [7] = GO_TO_IF_NOT_ABOVE, [8] = GO_TO_IF_EQUAL, [11] = GO_TO_IF, [13] = GO_TO_IF_BITS
    };

    assert_in_range(condition, 0, COUNT_OF(opcodes) - 1);
    assert_int_not_equal(opcodes[condition], 0);
    make_with(opcodes[condition], a, b, (uintptr_t)label);
}

static uint64_t jumps_to; /* the operand of the jump after the call whose result is 9; 0: no jump */

static void look_up_and_go(void)
{
    if (jumps_to != 0) {
        make(OTHER, 1)->words[sets] = 8;
        make(CALL, 1)->words[sets] = 9;
    }
    make(JUMP, 1)->words[sets] = jumps_to;
}

static uintptr_t constant_64(uint64_t value)
{
    return (uintptr_t)value;
}

static uintptr_t new_64(void)
{
    return ++handles;
}

void qemu_object_take_copy(const struct qemu_object *o)
{
    memcpy(o->copy, o->cpu, o->size);
}

static size_t requests_at; /* the object's word whose high half requests an exit */

static void handle_interrupt(void *cpu, int mask)
{
    assert_int_equal(mask, 0);
    memset((char *)cpu + requests_at + 2, 0xff, 2);
}

/* QEMU's lookup of the translation for RIP, here in the object's words. An even RIP has none. */
static const void *nothing_found = "the main loop";
static const uint64_t *rip;
static const char translation[] = "a translation";

static const void *look_up(void *registers)
{
    assert_ptr_equal(registers, (const char *)rip - 128);
    return *rip & 1 ? translation : nothing_found;
}

static void *find_symbol(void *handle, const char *name)
{
    static const struct {
        const char *name;
        void *symbol;
    } symbols[] = {
        { "tcg_emit_op", (void *)make },
        { "tcg_gen_op6", (void *)make_six },
        { "tcg_op_insert_after", (void *)insert_after },
        { "tcg_op_remove", (void *)erase_op },
        { "tcg_gen_plugin_cb", (void *)make_callbacks },
        { "tcg_gen_ld16u_i64", (void *)load_16 },
        { "tcg_gen_ld_i32", (void *)load_32 },
        { "tcg_gen_ld32s_i64", (void *)load_signed },
        { "tcg_gen_ld_i64", (void *)load_64 },
        { "tcg_gen_st16_i64", (void *)store_16 },
        { "tcg_gen_st_i32", (void *)store_32 },
        { "tcg_gen_st_i64", (void *)store_64 },
        { "tcg_gen_add_i64", (void *)add_64 },
        { "tcg_gen_sub_i64", (void *)subtract_64 },
        { "gen_new_label", (void *)new_label },
        { "gen_set_label", (void *)put_label },
        { "tcg_gen_br", (void *)go_to },
        { "tcg_gen_brcond_i64", (void *)go_to_if },
        { "tcg_gen_lookup_and_goto_ptr", (void *)look_up_and_go },
        { "tcg_handle_interrupt", (void *)handle_interrupt },
        { "tcg_constant_i64", (void *)constant_64 },
        { "tcg_temp_ebb_new_i64", (void *)new_64 },
        { "helper_lookup_tb_ptr", (void *)look_up },
        { "tcg_code_gen_epilogue", &nothing_found },
        { "tcg_env", &register_file },
        { "tcg_ctx", &translator },
    };

    assert_ptr_equal(handle, RTLD_DEFAULT);
    for (size_t i = 0; i < COUNT_OF(symbols); i++)
        if (strcmp(symbols[i].name, name) == 0)
            return missing && strcmp(missing, name) == 0 ? NULL : symbols[i].symbol;
    return NULL;
}

/* The block's operations as text: "store_64(1, 77, -16) ...". */
static const char *block(void)
{
    static const char *const names[] = {
        "mark",
        "?",
        "?",
        "callbacks",
        "load_16",
        "load_32",
        "load_signed",
        "load_64",
        "store_16",
        "store_32",
        "store_64",
        "add_64",
        "subtract_64",
        "label",
        "go_to",
        "go_to_if",
        "go_to_if_below",
        "go_to_if_not_above",
        "go_to_if_bits",
        "go_to_if_equal",
        "call",
        "jump",
        "other",
    };
    static char text[1500];
    size_t length = 0;

    text[0] = '\0';
    for (const struct op *op = head.next; op; op = op->link.next)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s(%llx, %llx, %lld)", length ? " " : "",
                                   names[op->opcode], (unsigned long long)op->words[sets],
                                   (unsigned long long)op->words[sets + 1], (long long)op->words[sets + 2]);
    return text;
}

static int new_block(__attribute__((unused)) void **state)
{
    while (head.next) {
        struct op *op = head.next;
        head.next = op->link.next;
        free(op);
    }
    head.before = &head;
    handles = 0;
    labels = 0;
    missing = NULL;
    sets = 1;
    jumps_to = 9;
    return 0;
}

#define ENV 1024 /* the register file's offset in the object; other words are arbitrary */

static uint64_t words[ENV / 8 + 17];
static const struct qemu_object object = {
    .cpu = (char *)words, .size = sizeof words, .width = 8, .env = ENV, .rip = ENV + 128
};

static void put_value(int back, struct qemu_value value)
{
    words[ENV / 8 - back] = value.low;
    words[ENV / 8 - back + 1] = value.high;
}

static struct qemu_ops new_ops(void)
{
    struct qemu_ops o;

    memset(&o, 0xa5, sizeof o);
    memset(words, 0xee, sizeof words);
    qemu_ops_init(&o);
    assert_int_equal(o.state, QEMU_OPS_NOT_TRIED);
    return o;
}

/* Shows the model another block that stores the value, with `again` also at a second place. */
static void show(struct qemu_ops *o, int back, int again, uint64_t number)
{
    const struct qemu_value value = { 0x1000 + number, 0x2000 + number };

    put_value(back, value);
    if (again)
        put_value(again, value);
    qemu_ops_drop_values(o, &object, value);
}

/* --- a QEMU that differs ------------------------------------------------------------------------------------------ */

static FILE *said;
static int real_stderr;

static void listen(void)
{
    fflush(stderr);
    said = tmpfile();
    assert_non_null(said);
    real_stderr = dup(fileno(stderr));
    assert_true(dup2(fileno(said), fileno(stderr)) >= 0);
}

/* Each loss is reported once per process: in the first test that has it. */
static void assert_said(const char *want)
{
    char text[400] = "";

    fflush(stderr);
    assert_true(dup2(real_stderr, fileno(stderr)) >= 0);
    close(real_stderr);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    fclose(said);
    assert_string_equal(text, want);
}

UNIT_TEST(values_that_are_not_found)
{
    struct qemu_ops o = new_ops();

    listen();
    qemu_ops_drop_values(&o, &object, (struct qemu_value){ 1, 2 });
    assert_int_equal(o.places, 0);
    for (uint64_t n = 0; n < 20; n++)
        show(&o, 3, 0, n); /* too late */
    assert_said("dsmodel: this QEMU does not keep before its registers the value returned by "
                "qemu_plugin_mem_get_value: the guest is about a tenth slower\n");
    assert_int_equal(o.value_at, 0);
    assert_int_equal(o.state, QEMU_OPS_WORK); /* appending still works */
}

/* A different layout of operations. A missing symbol then gives up silently. */
UNIT_TEST(another_translator)
{
    struct qemu_ops o = new_ops();

    make(OTHER, 3);
    sets = 3;
    listen();
    show(&o, 3, 0, 0);
    assert_said("dsmodel: this QEMU does not link operations as QEMU 11.1 does in tcg_emit_op: the guest is about a "
                "tenth slower, BTS and LBR by more\n");
    assert_int_equal(o.state, QEMU_OPS_GIVEN_UP);
    assert_string_equal(block(), "other(0, 0, 0)");
    assert_true(o.places == UINT64_MAX);

    missing = "tcg_op_remove";
    listen();
    qemu_ops_init(&o);
    assert_said("");
    assert_int_equal(o.state, QEMU_OPS_GIVEN_UP);
}

/* --- a QEMU as expected ------------------------------------------------------------------------------------------- */

UNIT_TEST(stores_of_values_are_dropped)
{
    static const int places[] = { 2, 5, 65 };
    for (size_t i = 0; i < 2 * COUNT_OF(places); i++) {
        const int back = places[i / 2];
        struct qemu_ops o = new_ops();

        sets = 1 + i % 2;
        for (uint64_t n = 0; n < 8; n++) {
            assert_int_equal(o.value_at, 0);
            show(&o, back, 0, n);
            show(&o, back, 0, n); /* the same value again proves nothing */
        }
        assert_int_equal(o.state, QEMU_OPS_WORK);
        assert_int_equal(o.value_at, -8 * back);
        assert_string_equal(block(), ""); /* trial operations were removed */

        store_64(1, 0x77, -8 * back);
        store_64(2, 0x77, -8 * back + 8);
        store_32(3, 0x77, -8 * back);
        make_with(OTHER, 4, 0x77, (uint64_t)(-8 * back));
        store_64(5, 0x77, -8 * back - 8);
        store_32(6, 0x77, -8 * back + 8);
        store_64(7, 0x78, -8 * back);
        store_32(8, 0x77, -8 * back);
        qemu_ops_drop_values(&o, &object, (struct qemu_value){ 0, 0 });
        char want[300];
        snprintf(want, sizeof want, "other(4, 77, %d) store_64(5, 77, %d) store_32(6, 77, %d) store_64(7, 78, %d)",
                 -8 * back, -8 * back - 8, -8 * back + 8, -8 * back);
        assert_string_equal(block(), want);
        new_block(NULL);
    }
}

/* If two places hold each value, the place is unknown until one of them differs. */
UNIT_TEST(one_of_two_places)
{
    struct qemu_ops o = new_ops();

    for (uint64_t n = 0; n < 20; n++)
        show(&o, 3, 9, n);
    assert_int_equal(o.value_at, 0);
    words[ENV / 8 - 9] = 0; /* only the other place has both halves of the value */
    put_value(3, (struct qemu_value){ 0x5000, 0x6000 });
    qemu_ops_drop_values(&o, &object, (struct qemu_value){ 0x5000, 0x6000 });
    assert_int_equal(o.value_at, -24);
}

/* For each processor, memory near the register file is mapped at the same distance. */
UNIT_TEST(memory_near_the_registers)
{
    static uint64_t others[2 * sizeof(words)];
    struct qemu_object other = object;
    const struct qemu_object none = { .cpu = NULL };
    char *const pages = (char *)words, *first;
    void *memory = &first;

    near_distance = 0;
    assert_true(qemu_ops_near(&object, 64, &memory));
    first = memory;
    assert_int_equal(first - pages - ENV, near_distance);
    memset(first, 0xcc, 64);
    assert_false(qemu_ops_near(&object, 64, &memory)); /* it is mapped already */
    assert_null(memory);
    other.cpu = (char *)others + 0x4000;
    assert_true(qemu_ops_near(&other, 64, &memory));
    assert_int_equal((char *)memory - other.cpu - ENV, near_distance);
    assert_false(qemu_ops_near(&none, 64, &memory));
    near_distance = 0;
    listen();
    assert_true(qemu_ops_near(&none, 64, &memory)); /* without an object: its loss was already reported */
    assert_said("");
    assert_null(memory);
    assert_true(qemu_ops_near(&object, 64, &memory)); /* no processor has this memory any more */
    assert_null(memory);
}

static const struct qemu_ops_list list = { 8, 0x80 };
static const struct qemu_ops_sum sums[] = { { 24, 3, UINT64_C(1) << 63 }, { 32, 0, 0x2000 } };
static const struct qemu_ops_beginning everything = {
    .base = 16,
    .sums = sums,
    .sum_count = 2,
    .list = &list,
    .newest = 40,
    .word = 0xabc,
    .given = -1,
};

/* A block as QEMU translates it: a check for interrupts, callbacks for the block and for an instruction. */
static struct qemu_ops translated(void)
{
    struct qemu_ops o = new_ops();

    near_distance = 0x5000;
    show(&o, 3, 0, 0);
    make(OTHER, 3);
    make_callbacks(0);
    make_callbacks(2);
    return o;
}

/* Inline code replaces the block's callbacks before any store. A sum without additions is unchanged. */
UNIT_TEST(inline_code_instead_of_callbacks)
{
    struct qemu_ops o = new_ops();

    assert_false(qemu_ops_begin(&o, &object, &everything)); /* not before the trial of the operations */
    o = translated();
    near_distance = NOWHERE;
    assert_false(qemu_ops_begin(&o, &object, &everything));
    near_distance = 0x5000;
    assert_true(qemu_ops_begin(&o, &object, &everything));
    assert_string_equal(block(), "other(0, 0, 0) load_64(1, 77, 20496) "
                                 "load_64(2, 1, 24) add_64(2, 2, 3) go_to_if_below(2, 0, 160) "
                                 "load_64(3, 1, 32) add_64(3, 3, 0) go_to_if(3, 2000, 160) "
                                 "load_64(4, 77, 20488) go_to_if_bits(4, 80, 160) store_64(abc, 4, 0) "
                                 "add_64(4, 4, 8) store_64(4, 77, 20488) "
                                 "store_64(abc, 77, 20520) store_64(2, 1, 24) go_to(a1, 0, 0) "
                                 "label(a0, 0, 0) callbacks(0, 0, 0) label(a1, 0, 0) callbacks(2, 0, 0)");
    assert_true(is_closed(op_of(head.before)));
}

/* A block of QEMU 11.1 that checks the word 8 bytes before the register file. */
static void make_block(void)
{
    load_32(0x99, 0x77, -8);
    make_six(GO_TO_IF_BELOW, 0, 0x99, 0, 2, 0xbb, 0, 0);
    make_callbacks(0);
    make_callbacks(2);
}

static struct qemu_ops counting(struct qemu_object *o)
{
    struct qemu_ops ops = new_ops();

    *o = object;
    o->copy = malloc(o->size);
    assert_non_null(o->copy);
    requests_at = ENV - 8;
    words[ENV / 8 - 1] = 0;
    near_distance = 0x5000;
    countdown_at = 0;
    show(&ops, 3, 0, 0);
    make_block();
    return ops;
}

/* The first sum is subtracted from QEMU's word; QEMU's own check is done only if the result is negative. */
UNIT_TEST(blocks_that_count_down)
{
    static const uint64_t known;
    static const struct qemu_ops_elsewhere elsewhere = { 48, &known };
    struct qemu_ops_beginning little = {
        .base = 16, .sums = sums, .sum_count = 1, .newest = 40, .word = 0xabc, .elsewhere = &elsewhere, .given = 56
    };
    struct qemu_object o;
    struct qemu_ops ops = counting(&o);
    char want[1500];

    assert_null(qemu_ops_countdown(&o));
    assert_true(qemu_ops_begin(&ops, &o, &little));
    snprintf(want, sizeof want,
             "load_signed(1, 77, -8) add_64(1, 1, -3) go_to_if_not_above(1, 0, 160) "
             "store_64(abc, 77, 20520) store_16(1, 77, -8) go_to(a1, 0, 0) "
             "label(a0, 0, 0) load_32(99, 77, -8) go_to_if_below(99, 0, 2) "
             "load_64(2, 77, 20496) load_16(4, 77, -8) go_to_if_equal(4, 0, 162) "
             "load_64(5, 2, 24) subtract_64(5, 5, 4) store_64(5, 2, 24) store_64(0, 2, 56) store_16(0, 77, -8) "
             "load_64(6, 2, 24) go_to_if_below(6, 0, 162) add_64(6, 6, 3) "
             "go_to_if_equal(6, 8000000000000000, 162) "
             "load_64(3, %lx, 0) go_to_if_equal(3, 0, 162) other(8, 0, 0) jump(3, 0, 0) "
             "label(a2, 0, 0) callbacks(0, 0, 0) "
             "load_64(7, 77, 20496) load_64(8, 7, 48) go_to_if_equal(8, 0, 161) store_64(0, 7, 48) "
             "other(8, 0, 0) jump(8, 0, 0) label(a1, 0, 0) callbacks(2, 0, 0)",
             (unsigned long)(uintptr_t)&known);
    assert_string_equal(block(), want);
    assert_true(is_closed(op_of(head.before)));
    assert_ptr_equal(qemu_ops_countdown(&o), &words[ENV / 8 - 1]);
    new_block(NULL);
    make_block();
    little.sums = &sums[1]; /* nothing to subtract */
    little.elsewhere = NULL;
    assert_true(qemu_ops_begin(&ops, &o, &little));
    assert_string_equal(block(), "load_signed(1, 77, -8) go_to_if_not_above(1, 0, 160) store_64(abc, 77, 20520) "
                                 "go_to(a1, 0, 0) label(a0, 0, 0) load_32(99, 77, -8) go_to_if_below(99, 0, 2) "
                                 "callbacks(0, 0, 0) label(a1, 0, 0) callbacks(2, 0, 0)");
    free(o.copy);
}

/* A word with another use in QEMU is left unchanged. */
UNIT_TEST(blocks_that_cannot_count_down)
{
    const struct qemu_ops_beginning little = {
        .base = 16, .sums = sums, .sum_count = 1, .newest = 40, .word = 0xabc, .given = 56
    };
    struct qemu_object o;

    for (unsigned way = 0; way < 4; way++) {
        struct qemu_ops ops = counting(&o);

        requests_at += way == 0 ? 2 : 0;            /* the word's high half is not the request */
        words[ENV / 8 - 1] = way == 1 ? 0x1000 : 0; /* the low half is used */
        missing = way == 2 ? "tcg_handle_interrupt" : NULL;
        o.size = way == 3 ? ENV - 6 : o.size;
        listen();
        assert_true(qemu_ops_begin(&ops, &o, &little));
        assert_said(way > 0 ? ""
                            : "dsmodel: this QEMU does not request exits as QEMU 11.1 does in tcg_handle_interrupt: "
                              "counters are slower\n");
        assert_int_equal(countdown_at, NOWHERE);
        assert_null(qemu_ops_countdown(&o));
        assert_string_equal(strchr(block(), ' ') + 1,
                            "77, -8) go_to_if_below(99, 0, 2) load_64(1, 77, 20496) "
                            "load_64(2, 1, 24) add_64(2, 2, 3) go_to_if_below(2, 0, 160) "
                            "store_64(abc, 77, 20520) store_64(2, 1, 24) go_to(a1, 0, 0) "
                            "label(a0, 0, 0) callbacks(0, 0, 0) label(a1, 0, 0) callbacks(2, 0, 0)");
        new_block(NULL);
        free(o.copy);
    }
}

/*
 * Inline code before the callbacks: if a sum is at or above its limit before the block, or at it after the block, call
 * them; otherwise continue in the other translation, if known.
 */
UNIT_TEST(blocks_that_go_elsewhere)
{
    static const uint64_t known;
    static const struct qemu_ops_elsewhere elsewhere = { 48, &known };
    struct qemu_ops_beginning little = {
        .base = 16, .sums = sums, .sum_count = 2, .newest = 40, .word = 0xabc, .elsewhere = &elsewhere, .given = -1
    };
    struct qemu_ops o = translated();
    char want[1500];

    assert_true(qemu_ops_begin(&o, &object, &little));
    snprintf(want, sizeof want,
             "other(0, 0, 0) load_64(1, 77, 20496) load_64(2, 1, 24) add_64(2, 2, 3) go_to_if_below(2, 0, 160) "
             "load_64(3, 1, 32) add_64(3, 3, 0) go_to_if(3, 2000, 160) "
             "store_64(abc, 77, 20520) store_64(2, 1, 24) go_to(a1, 0, 0) "
             "label(a0, 0, 0) load_64(4, 77, 20496) "
             "load_64(6, 4, 24) go_to_if_below(6, 0, 162) add_64(6, 6, 3) "
             "go_to_if_equal(6, 8000000000000000, 162) "
             "load_64(7, 4, 32) go_to_if(7, 2000, 162) add_64(7, 7, 0) go_to_if_equal(7, 2000, 162) "
             "load_64(5, %lx, 0) go_to_if_equal(5, 0, 162) other(8, 0, 0) jump(5, 0, 0) "
             "label(a2, 0, 0) callbacks(0, 0, 0) load_64(8, 77, 20496) "
             "load_64(9, 8, 48) go_to_if_equal(9, 0, 161) store_64(0, 8, 48) other(8, 0, 0) jump(9, 0, 0) "
             "label(a1, 0, 0) callbacks(2, 0, 0)",
             (unsigned long)(uintptr_t)&known);
    assert_string_equal(block(), want);
    assert_true(is_closed(op_of(head.before)));
    new_block(NULL);
    make(OTHER, 3);
    make_callbacks(0);
    make_callbacks(1);
    make_callbacks(2);
    little.sum_count = 0;
    little.aside = true;
    assert_true(qemu_ops_begin(&o, &object, &little));
    snprintf(want, sizeof want,
             "other(0, 0, 0) store_64(abc, 77, 20520) label(a1, 0, 0) callbacks(0, 0, 0) callbacks(2, 0, 0) "
             "label(a0, 0, 0) load_64(1, 77, 20496) load_64(2, %lx, 0) go_to_if_equal(2, 0, 162) other(8, 0, 0) "
             "jump(2, 0, 0) label(a2, 0, 0) callbacks(1, 0, 0) load_64(3, 77, 20496) "
             "load_64(4, 3, 48) go_to_if_equal(4, 0, 161) store_64(0, 3, 48) other(8, 0, 0) jump(4, 0, 0)",
             (unsigned long)(uintptr_t)&known);
    assert_string_equal(block(), want);
    assert_true(is_closed(op_of(head.before)));
}

/* If the call or the jump to its result is missing, QEMU leaves blocks in another way, and the model gives up. */
UNIT_TEST(blocks_that_cannot_go_elsewhere)
{
    static const struct qemu_ops_elsewhere elsewhere = { 48, NULL };
    struct qemu_ops_beginning little = { .base = 16, .newest = 40, .elsewhere = &elsewhere, .given = -1 };
    struct qemu_ops o = translated();

    for (jumps_to = 0; jumps_to <= 10; jumps_to += 10) {
        assert_false(qemu_ops_begin(&o, &object, &little));
        assert_string_equal(block(), "other(0, 0, 0) callbacks(0, 0, 0) callbacks(2, 0, 0)");
        assert_true(is_closed(op_of(head.before)));
    }
    jumps_to = 0;
    little.elsewhere = NULL;
    assert_true(qemu_ops_begin(&o, &object, &little));
}

/* RIP is written with its width. */
UNIT_TEST(translations_found)
{
    struct qemu_object narrow = object;
    bool exists = false;

    new_ops();
    rip = &words[ENV / 8 + 16];
    assert_ptr_equal(qemu_ops_translation(&object, 0x123456789, &exists), translation);
    assert_true(exists);
    assert_true(*rip == 0x123456789);
    assert_ptr_equal(qemu_ops_translation(&object, 0x123456788, &exists), nothing_found);
    assert_false(exists);
    narrow.width = 4;
    words[ENV / 8 + 16] = UINT64_MAX;
    assert_ptr_equal(qemu_ops_translation(&narrow, 0x9abcdef1, &exists), translation);
    assert_true(exists);
    assert_true(*rip == 0xffffffff9abcdef1);
}
