/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin before a QEMU of variables: what it refuses to be loaded into, which callbacks a block gets and when, and
 * what those of CPUID, RDMSR, WRMSR and RDPMC do. QEMU's private state is not found, so that all goes the slow ways.
 */
#define _GNU_SOURCE
#include "tests/host/host_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "model/qemu/qemu_abi.h"
#include "model/vcpu/hot.h"

#define EXPORT __attribute__((visibility("default")))

QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

/* --- QEMU --------------------------------------------------------------------------------------------------------- */

EXPORT int use_icount;
EXPORT bool tcg_allowed = true;

struct fake_register {
    const char *name;
    uint64_t value;
};

static struct fake_register file[] = {
    { "rax", 0 }, { "rbx", 0 }, { "rcx", 0 }, { "rdx", 0 }, { "rsi", 0 }, { "rdi", 0 },  { "rbp", 0 },    { "rsp", 0 },
    { "r8", 0 },  { "r9", 0 },  { "r10", 0 }, { "r11", 0 }, { "r12", 0 }, { "r13", 0 },  { "r14", 0 },    { "r15", 0 },
    { "rip", 0 }, { "cs", 0 },  { "cr0", 1 }, { "cr3", 0 }, { "cr4", 0 }, { "efer", 0 }, { "eflags", 2 },
};

static uint64_t *reg(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(file); i++) {
        if (strcmp(file[i].name, name) == 0) {
            return &file[i].value;
        }
    }
    fail_msg("no register %s", name);
    return NULL;
}

struct qemu_plugin_insn {
    uint64_t address;
    uint8_t bytes[15];
    size_t size;
};

struct qemu_plugin_tb {
    size_t n;
    struct qemu_plugin_insn insns[8];
};

static struct {
    qemu_vcpu_cb *init;
    qemu_tb_trans_cb *translate;
    qemu_discon_cb *discontinuity;
    qemu_udata_cb *flush;
} callbacks;

/* What a block has been given. */
struct given {
    enum { AT_BLOCK, AT_BLOCK_IF, INLINE, AT_INSN, AT_INSN_IF, AT_ACCESS } how;
    int insn; /* its number in the block; -1: the block */
    qemu_vcpu_cb *callback;
    qemu_mem_cb *access;
    enum qemu_cond cond;
    size_t member; /* of struct hot */
    uint64_t value;
    void *udata;
};

static struct given given[64];
static unsigned count;
static struct qemu_plugin_tb block;
static struct hot hot[1];
static unsigned resets;
static uint8_t code[256]; /* at CODE */
static jmp_buf went;
static uint64_t went_to;

#define CODE UINT64_C(0x1000)

static int number_of(const struct qemu_plugin_insn *insn)
{
    return (int)(insn - block.insns);
}

static void give(struct given g)
{
    assert_true(count < COUNT_OF(given));
    given[count++] = g;
}

void qemu_plugin_reset(uint64_t id, qemu_udata_cb *cb, void *udata)
{
    assert_int_equal(id, 7);
    resets++;
    memset(&callbacks, 0, sizeof(callbacks));
    cb(udata);
}

void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_vcpu_cb *cb, void *udata)
{
    (void)id, (void)udata;
    callbacks.init = cb;
}

void qemu_plugin_register_vcpu_idle_cb(uint64_t id, qemu_vcpu_cb *cb, void *udata)
{
    (void)id, (void)cb, (void)udata;
}

void qemu_plugin_register_vcpu_resume_cb(uint64_t id, qemu_vcpu_cb *cb, void *udata)
{
    (void)id, (void)cb, (void)udata;
}

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_tb_trans_cb *cb, void *udata)
{
    (void)id, (void)udata;
    callbacks.translate = cb;
}

void qemu_plugin_register_vcpu_discon_cb(uint64_t id, enum qemu_discon types, qemu_discon_cb *cb, void *udata)
{
    (void)id, (void)udata;
    assert_int_equal(types, QEMU_DISCON_INTERRUPT | QEMU_DISCON_EXCEPTION);
    callbacks.discontinuity = cb;
}

void qemu_plugin_register_atexit_cb(uint64_t id, qemu_udata_cb *cb, void *udata)
{
    (void)id, (void)cb, (void)udata;
}

void qemu_plugin_register_flush_cb(uint64_t id, qemu_udata_cb *cb, void *udata)
{
    (void)id, (void)udata;
    callbacks.flush = cb;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_vcpu_cb *cb, enum qemu_cb_flags flags,
                                          void *udata)
{
    (void)tb, (void)flags;
    give((struct given){ .how = AT_BLOCK, .insn = -1, .callback = cb, .udata = udata });
}

void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb, qemu_vcpu_cb *cb, enum qemu_cb_flags flags,
                                               enum qemu_cond cond, qemu_u64 entry, uint64_t imm, void *udata)
{
    (void)tb, (void)flags;
    give((struct given){ AT_BLOCK_IF, -1, cb, NULL, cond, entry.offset, imm, udata });
}

void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, enum qemu_op op, qemu_u64 entry,
                                                       uint64_t imm)
{
    (void)tb;
    give((struct given){ .how = INLINE, .insn = -1, .cond = (enum qemu_cond)op, .member = entry.offset, .value = imm });
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_vcpu_cb *cb, enum qemu_cb_flags flags,
                                            void *udata)
{
    (void)flags;
    give((struct given){ .how = AT_INSN, .insn = number_of(insn), .callback = cb, .udata = udata });
}

void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn, qemu_vcpu_cb *cb,
                                                 enum qemu_cb_flags flags, enum qemu_cond cond, qemu_u64 entry,
                                                 uint64_t imm, void *udata)
{
    (void)flags;
    give((struct given){ AT_INSN_IF, number_of(insn), cb, NULL, cond, entry.offset, imm, udata });
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_mem_cb *cb, enum qemu_cb_flags flags,
                                      enum qemu_mem_rw rw, void *udata)
{
    (void)flags;
    assert_int_equal(rw, QEMU_MEM_RW);
    give((struct given){ .how = AT_ACCESS, .insn = number_of(insn), .access = cb, .udata = udata });
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
    return tb->n;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
    assert_true(index < tb->n);
    return (struct qemu_plugin_insn *)(uintptr_t)&tb->insns[index];
}

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size)
{
    assert_true(insn->size <= size);
    memcpy(to, insn->bytes, insn->size);
    return insn->size;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
    return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
    return insn->address;
}

unsigned qemu_plugin_mem_size_shift(uint32_t info)
{
    return info & 0xf;
}

bool qemu_plugin_mem_is_store(uint32_t info)
{
    return info & 0x10;
}

struct qemu_mem_value qemu_plugin_mem_get_value(uint32_t info)
{
    (void)info;
    return (struct qemu_mem_value){ 0, 0, 0 };
}

GArray *qemu_plugin_get_registers(void)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(struct qemu_register_descriptor));

    for (size_t i = 0; i < COUNT_OF(file); i++) {
        struct qemu_register_descriptor d = { (struct qemu_plugin_register *)&file[i], file[i].name, "", false };

        g_array_append_val(all, d);
    }
    return all;
}

bool qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *to)
{
    g_byte_array_append(to, (const guint8 *)&((struct fake_register *)handle)->value, 8);
    return true;
}

bool qemu_plugin_write_register(struct qemu_plugin_register *handle, GByteArray *from)
{
    memcpy(&((struct fake_register *)handle)->value, from->data, 8);
    return true;
}

void qemu_plugin_set_pc(uint64_t pc)
{
    went_to = pc;
    longjmp(went, 1);
}

bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t size)
{
    if (address < CODE || address + size > CODE + sizeof(code)) {
        return false;
    }
    g_byte_array_append(to, code + (address - CODE), (guint)size);
    return true;
}

bool qemu_plugin_write_memory_vaddr(uint64_t address, GByteArray *from)
{
    (void)address, (void)from;
    return false;
}

int qemu_plugin_read_memory_hwaddr(uint64_t address, GByteArray *to, size_t size)
{
    (void)address, (void)to, (void)size;
    return -1;
}

int qemu_plugin_write_memory_hwaddr(uint64_t address, GByteArray *from)
{
    (void)address, (void)from;
    return -1;
}

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size)
{
    assert_int_equal(element_size, sizeof(struct hot));
    return (struct qemu_plugin_scoreboard *)hot;
}

void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned vcpu)
{
    return (struct hot *)score + vcpu;
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

static struct qemu_info supported(void)
{
    return (struct qemu_info){ "x86_64", { 2, 7 }, true, { 1, 2 } };
}

/* What the plugin says when it is loaded `times` times into such a QEMU, by a process of its own. */
static void refused(struct qemu_info info, unsigned times, const char *sentence)
{
    char *argv[] = { (char *)(uintptr_t) "profile=skylake" }, said[1024];
    int ends[2], status;
    size_t length = 0;
    ssize_t size;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        for (unsigned i = 0; i < times; i++) {
            qemu_plugin_install(7, &info, 1, argv);
        }
        callbacks.init(0, NULL);
        _exit(7);
    }
    close(ends[1]);
    while ((size = read(ends[0], said + length, sizeof(said) - 1 - length)) > 0) {
        length += (size_t)size;
    }
    close(ends[0]);
    said[length] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_string_equal(said, sentence);
}

static void what_it_refuses(void **state)
{
    struct qemu_info info = supported();

    (void)state;
    info.version.cur = 6;
    refused(info, 1, "dsmodel: this QEMU lacks version 7 of the plugin interface: use QEMU 11.1\n");
    info = supported();
    info.version.min = 8;
    info.version.cur = 9;
    refused(info, 1, "dsmodel: this QEMU lacks version 7 of the plugin interface: use QEMU 11.1\n");
    info = supported();
    info.system_emulation = false;
    refused(info, 1,
            "dsmodel: this QEMU, for target x86_64, is not supported: use qemu-system-x86_64 or qemu-system-i386\n");
    info = supported();
    info.target_name = "aarch64";
    refused(info, 1,
            "dsmodel: this QEMU, for target aarch64, is not supported: use qemu-system-x86_64 or qemu-system-i386\n");
    refused(supported(), 2, "dsmodel: the plugin is loaded twice: name it in one -plugin option only\n");
    tcg_allowed = false;
    refused(supported(), 1, "dsmodel: this QEMU accelerator is not supported: start QEMU with -accel tcg\n");
    tcg_allowed = true;
    use_icount = 1;
    refused(supported(), 1,
            "dsmodel: QEMU's -icount is not supported: the model reads clocks and raises interrupts in the middle of "
            "blocks; start QEMU without it\n");
    use_icount = 0;
}

static int load(void **state)
{
    const struct qemu_info info = supported();
    char *argv[] = { (char *)(uintptr_t) "profile=skylake" };
    const int kept = dup(STDERR_FILENO);
    FILE *nowhere = fopen("/dev/null", "w");

    (void)state;
    fflush(stderr);
    dup2(fileno(nowhere), STDERR_FILENO); /* the losses are tests/qemu/losses.t's */
    qemu_plugin_install(7, &info, 1, argv);
    callbacks.init(0, NULL);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    fclose(nowhere);
    return 0;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Translates instructions, each given as hexadecimal digits, from `address` on. */
static void translate(uint64_t address, const char *hex)
{
    memset(&block, 0, sizeof(block));
    count = 0;
    for (char text[64], *word = strtok(strcpy(text, hex), " "); word != NULL; word = strtok(NULL, " ")) {
        struct qemu_plugin_insn *insn = &block.insns[block.n++];

        insn->address = address;
        insn->size = strlen(word) / 2;
        for (size_t i = 0; i < insn->size; i++) {
            unsigned byte;

            assert_int_equal(sscanf(word + 2 * i, "%2x", &byte), 1);
            insn->bytes[i] = code[address - CODE + i] = (uint8_t)byte;
        }
        address += insn->size;
    }
    *reg("rip") = block.insns[0].address;
    callbacks.translate(&block, NULL);
}

/* The n-th thing of this kind that the block was given; NULL: there are fewer. */
static const struct given *nth(int how, unsigned n)
{
    for (unsigned i = 0; i < count; i++) {
        if ((int)given[i].how == how && n-- == 0) {
            return &given[i];
        }
    }
    return NULL;
}

static void call(const struct given *g)
{
    assert_non_null(g);
    if (setjmp(went) == 0) {
        went_to = 0;
        g->callback(0, g->udata);
    }
}

static const struct given *hook(uint64_t address, const char *hex)
{
    translate(address, hex);
    return nth(AT_INSN, 0);
}

/* Nothing is needed at first: code that does not ask the model has no callback. */
static void plain_code(void **state)
{
    (void)state;
    translate(CODE + 0x10, "90 8b03 8903 c3");
    assert_int_equal(count, 0);
    translate(CODE + 0x10, "8b03"); /* alone */
    assert_int_equal(count, 0);
}

/* CPUID runs, and its answer is changed before the next instruction, in the same block or in another. */
static void cpuid(void **state)
{
    const struct given *fix;

    (void)state;
    call(hook(CODE + 0x20, "0fa2 90"));
    fix = nth(AT_INSN_IF, 0);
    assert_non_null(fix);
    assert_int_equal(fix->insn, 1);
    assert_int_equal(fix->cond, QEMU_COND_NE);
    assert_int_equal(fix->member, offsetof(struct hot, fix_up));
    assert_int_equal(fix->value, 0);
    assert_null(nth(AT_INSN, 1));

    *reg("rax") = 0x0a, *reg("rcx") = 5;
    call(nth(AT_INSN, 0));
    assert_int_equal(hot->fix_up, 1);
    assert_int_equal(*reg("rax"), 0x0a);
    *reg("rax") = *reg("rbx") = *reg("rcx") = *reg("rdx") = 0;
    call(fix);
    assert_int_equal(hot->fix_up, 0);
    assert_int_equal(*reg("rax"), 0x07300404);
    assert_int_equal(*reg("rdx"), 0x603);

    *reg("rax") = 0x80000009; /* past the last */
    call(nth(AT_INSN, 0));
    assert_int_equal(*reg("rax"), 0x0d);
    *reg("rax") = 0x1234;
    translate(CODE + 0x22, "90 90"); /* the block behind it */
    assert_non_null(nth(AT_BLOCK_IF, 0));
    assert_int_equal(nth(AT_BLOCK_IF, 0)->member, offsetof(struct hot, fix_up));
    call(nth(AT_BLOCK_IF, 0));
    assert_int_equal(*reg("rax"), 0x1234); /* QEMU's: leaf 0Dh is not the model's */
    translate(CODE + 0x23, "90");          /* behind no such instruction */
    assert_int_equal(count, 0);
}

/* Nothing that software looks at has changed when the processor halts; what was gathered is written. */
static void halt(void **state)
{
    (void)state;
    call(hook(CODE + 0x30, "f4"));
    call(nth(AT_INSN, 0));
    assert_int_equal(hot->fix_up, 0);
}

static void rdmsr(void **state)
{
    (void)state;
    call(hook(CODE + 0x30, "0f32 90"));
    *reg("rcx") = 0x5500000345, *reg("rax") = *reg("rdx") = 0x99;
    call(nth(AT_INSN, 0));
    assert_int_equal(hot->fix_up, 1);
    call(nth(AT_INSN_IF, 0));
    assert_int_equal(*reg("rax"), 0x33c5);
    assert_int_equal(*reg("rdx"), 0);
    call(nth(AT_INSN, 0));
    *reg("rax") = 0x99;
    translate(CODE + 0x32, "90"); /* the block behind it */
    call(nth(AT_BLOCK_IF, 0));
    assert_int_equal(*reg("rax"), 0x33c5);
    translate(CODE + 0x30, "0f32 90");

    *reg("rcx") = 0xc0000080; /* not the model's */
    *reg("rax") = 0x99;
    call(nth(AT_INSN, 0));
    assert_int_equal(hot->fix_up, 0);
    assert_int_equal(*reg("rcx"), 0xc0000080);

    *reg("rcx") = 0x14ce; /* a register that Skylake lacks: QEMU is made to raise #GP */
    call(nth(AT_INSN, 0));
    assert_int_equal(hot->fix_up, 0);
    assert_int_equal(*reg("rcx"), 0x8ff);
    callbacks.discontinuity(0, QEMU_DISCON_EXCEPTION, CODE + 0x30, CODE + 0x30, NULL);
    assert_int_equal(*reg("rcx"), 0x14ce);
    callbacks.discontinuity(0, QEMU_DISCON_INTERRUPT, CODE + 0x30, CODE + 0x80, NULL);

    *reg("cs") = 3; /* outside ring 0 the native instruction raises it */
    call(hook(CODE + 0x30, "0f32 90"));
    *reg("rcx") = 0x345;
    call(nth(AT_INSN, 0));
    assert_int_equal(hot->fix_up, 0);
    *reg("rcx") = 0x14ce;
    call(nth(AT_INSN, 0));
    assert_int_equal(*reg("rcx"), 0x14ce);
    *reg("cs") = 0;
}

static void write_msr(uint32_t address, uint64_t value)
{
    *reg("rcx") = address, *reg("rax") = value & 0xffffffff, *reg("rdx") = value >> 32;
    call(hook(CODE + 0x40, "0f30"));
}

/* Callbacks for counting, for branches and for accesses come when they are first needed, and stay. */
static void what_is_needed(void **state)
{
    const struct given *due;
    const struct block **noted;
    qemu_vcpu_cb *on_due;

    (void)state;
    *reg("cs") = 3;
    write_msr(0x186, 0x4300c0);
    assert_int_equal(resets, 0);
    *reg("cs") = 0;
    write_msr(0x38f, 0xf);
    assert_int_equal(resets, 0);
    write_msr(0x186, UINT64_C(0x1004300c0)); /* a reserved bit */
    assert_int_equal(*reg("rcx"), 0x8ff);
    callbacks.discontinuity(0, QEMU_DISCON_EXCEPTION, CODE + 0x40, CODE + 0x40, NULL);
    callbacks.discontinuity(0, QEMU_DISCON_INTERRUPT, CODE + 0x40, CODE + 0x80, NULL);
    assert_int_equal(*reg("rcx"), 0x186);

    write_msr(0x186, 0x4300c0); /* INST_RETIRED */
    assert_int_equal(resets, 1);
    translate(CODE + 0x50, "90 90 90 c3");
    due = nth(AT_BLOCK_IF, 0);
    assert_non_null(due);
    assert_int_equal(due->member, offsetof(struct hot, counts));
    assert_int_equal(due->cond, QEMU_COND_GE);
    assert_int_equal(due->value, CLASS_DUE - 4);
    on_due = due->callback;
    assert_null(nth(AT_BLOCK_IF, 1));
    assert_int_equal(nth(INLINE, 0)->member, offsetof(struct hot, block));
    assert_int_equal(nth(INLINE, 0)->cond, QEMU_OP_STORE_U64);
    assert_int_equal(nth(INLINE, 1)->member, offsetof(struct hot, counts));
    assert_int_equal(nth(INLINE, 1)->cond, QEMU_OP_ADD_U64);
    assert_int_equal(nth(INLINE, 1)->value, 4);
    assert_null(nth(INLINE, 2));
    assert_null(nth(AT_ACCESS, 0));
    assert_null(nth(AT_BLOCK, 0));
    translate(CODE + 0x50, "f3a4"); /* a repeated string instruction */
    assert_non_null(nth(AT_BLOCK, 0));
    *reg("eflags") = 0x10002; /* the mark of a watched block: each instruction but the last may be the one */
    translate(CODE + 0x50, "90 90 90 c3");
    assert_int_equal(nth(AT_BLOCK_IF, 0)->value, CLASS_DUE - 4);
    assert_ptr_not_equal(nth(AT_BLOCK_IF, 0)->callback, on_due);
    assert_null(nth(AT_BLOCK, 0));
    for (unsigned i = 1; i < 4; i++) {
        const struct given *stop = nth(AT_INSN_IF, i - 1);

        assert_non_null(stop);
        assert_int_equal(stop->insn, i);
        assert_int_equal(stop->cond, QEMU_COND_GE);
        assert_int_equal(stop->member, offsetof(struct hot, counts));
        assert_int_equal(stop->value, CLASS_DUE + 4 - i);
    }
    assert_null(nth(AT_INSN_IF, 3));
    *reg("eflags") = 2;

    write_msr(0x187, 0x4300c0); /* the same on another counter needs nothing more */
    assert_int_equal(resets, 1);
    write_msr(0x187, 0x4200c0); /* in ring 0 alone: a class of its own, beside the first */
    assert_int_equal(resets, 2);
    translate(CODE + 0x50, "90 c3");
    assert_int_equal(nth(AT_BLOCK_IF, 0)->member, offsetof(struct hot, counts));
    assert_int_equal(nth(AT_BLOCK_IF, 1)->member, offsetof(struct hot, counts) + 8);
    assert_int_equal(nth(INLINE, 1)->member, offsetof(struct hot, counts));
    assert_int_equal(nth(INLINE, 2)->member, offsetof(struct hot, counts) + 8);
    *reg("cs") = 3;
    translate(CODE + 0x50, "90 c3"); /* not in ring 3 */
    assert_int_equal(nth(INLINE, 1)->member, offsetof(struct hot, counts));
    assert_null(nth(INLINE, 2));
    *reg("cs") = 0;
    write_msr(0x1d9, 1); /* LBR */
    assert_int_equal(resets, 3);
    translate(CODE + 0x50, "90 c3");
    assert_null(nth(AT_BLOCK_IF, 2));
    noted = hot->noted;
    call(nth(AT_BLOCK, 0));
    assert_ptr_equal(hot->noted, noted + 1);
    assert_int_equal((*noted)->pc, CODE + 0x50);
    assert_null(nth(AT_BLOCK, 1));
    assert_int_equal(nth(INLINE, 0)->member, offsetof(struct hot, counts)); /* no block is noted twice */
    write_msr(0x188, 0x4381d0);                                             /* all loads */
    assert_int_equal(resets, 4);
    translate(CODE + 0x50, "8b03 90 8903");
    assert_int_equal(nth(AT_ACCESS, 0)->insn, 0);
    assert_int_equal(nth(AT_ACCESS, 1)->insn, 2);
    assert_null(nth(AT_ACCESS, 2));
    assert_int_equal(nth(AT_INSN_IF, 0)->insn, 1); /* behind the load */
    assert_int_equal(nth(AT_INSN_IF, 0)->member, offsetof(struct hot, data_pending));
    assert_null(nth(AT_INSN_IF, 1));
    assert_int_equal(nth(AT_BLOCK_IF, 0)->member, offsetof(struct hot, data_pending)); /* of the block before */
    write_msr(0x38f, 0);
    write_msr(0x1d9, 0);
    assert_int_equal(resets, 4);
    callbacks.flush(NULL);
}

/* RDPMC is the model's own, and goes on behind itself; a counter that is not there leaves it to QEMU. */
static void rdpmc(void **state)
{
    (void)state;
    write_msr(0x4c1, 0x123456789abc);
    *reg("rcx") = 0, *reg("rax") = *reg("rdx") = 0;
    call(hook(CODE + 0x60, "0f33 90"));
    assert_int_equal(*reg("rax"), 0x56789abc);
    assert_int_equal(*reg("rdx"), 0x1234);
    assert_int_equal(went_to, CODE + 0x62);
    *reg("rcx") = 9, *reg("rax") = 0x99;
    call(nth(AT_INSN, 0));
    assert_int_equal(went_to, 0);
    assert_int_equal(*reg("rax"), 0x99);
    *reg("rcx") = 0;
    *reg("cs") = 3;
    call(hook(CODE + 0x60, "0f33 90"));
    assert_int_equal(went_to, 0); /* without CR4.PCE */
    *reg("cr4") = 1 << 8;
    call(nth(AT_INSN, 0));
    assert_int_equal(went_to, CODE + 0x62);
    *reg("cs") = *reg("cr4") = 0;
}

/* What QEMU does at the start of a block. */
static void begin_block(void)
{
    const struct given *g;

    call(nth(AT_BLOCK, 0));
    for (unsigned n = 0; (g = nth(INLINE, n)) != NULL; n++) {
        uint64_t *member = (uint64_t *)(void *)((char *)hot + g->member);

        *member = g->value + ((int)g->cond == QEMU_OP_ADD_U64 ? *member : 0);
    }
}

/*
 * RDPMC leaves its block: of the four instructions that were counted when the block began, the two behind it are taken
 * back, and the block runs no more.
 */
static void rdpmc_leaves(void **state)
{
    uint64_t before;

    (void)state;
    write_msr(0x186, 0x4300c0);
    write_msr(0x38f, 1);
    *reg("rcx") = 0;
    translate(CODE + 0x60, "90 0f33 90 c3");
    before = hot->counts[0];
    begin_block();
    assert_int_equal(hot->counts[0], before + 4);
    assert_int_equal(hot->noted[-1]->pc, CODE + 0x60);
    call(nth(AT_INSN, 0));
    assert_int_equal(went_to, CODE + 0x63);
    assert_int_equal(hot->counts[0], before + 2);
    assert_null(hot->noted[-1]);
    write_msr(0x38f, 0);
    write_msr(0x186, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_refuses), cmocka_unit_test_setup(plain_code, load),
        cmocka_unit_test(cpuid),           cmocka_unit_test(rdmsr),
        cmocka_unit_test(what_is_needed),  cmocka_unit_test(rdpmc),
        cmocka_unit_test(rdpmc_leaves),    cmocka_unit_test(halt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
