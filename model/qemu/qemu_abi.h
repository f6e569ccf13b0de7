/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's TCG plugin interface, version 7 (QEMU 11.1), as far as the model uses it. Distributions do not ship a header,
 * so this is the only declaration. The last argument of every registration is its userdata.
 */
#ifndef MODEL_QEMU_QEMU_ABI_H
#define MODEL_QEMU_QEMU_ABI_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_API 7
#define QEMU_EXPORT     __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

struct qemu_info {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
};

struct qemu_register_descriptor {
    struct qemu_plugin_register *handle;
    const char *name, *feature;
    bool is_readonly;
};

/* A 64-bit member of a per-processor structure, passed by value. */
typedef struct {
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_u64;

enum qemu_cb_flags { QEMU_CB_NO_REGS, QEMU_CB_R_REGS, QEMU_CB_RW_REGS, QEMU_CB_RW_REGS_PC };
enum qemu_cond {
    QEMU_COND_NEVER,
    QEMU_COND_ALWAYS,
    QEMU_COND_EQ,
    QEMU_COND_NE,
    QEMU_COND_LT,
    QEMU_COND_LE,
    QEMU_COND_GT,
    QEMU_COND_GE
};
enum qemu_op { QEMU_INLINE_ADD, QEMU_INLINE_STORE }; /* of 64 bits */
enum qemu_mem_rw { QEMU_MEM_R = 1, QEMU_MEM_W, QEMU_MEM_RW };
enum qemu_discon { QEMU_DISCON_INTERRUPT = 1, QEMU_DISCON_EXCEPTION = 2 };

typedef void qemu_vcpu_cb(unsigned vcpu, void *udata);
typedef void qemu_tb_trans_cb(struct qemu_plugin_tb *tb, void *udata);
typedef void qemu_mem_cb(unsigned vcpu, uint32_t info, uint64_t address, void *udata);
typedef void qemu_discon_cb(unsigned vcpu, enum qemu_discon type, uint64_t from, uint64_t to, void *udata);
typedef void qemu_udata_cb(void *udata);

void qemu_plugin_reset(uint64_t id, qemu_udata_cb *cb, void *udata);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_vcpu_cb *cb, void *udata);
void qemu_plugin_register_vcpu_idle_cb(uint64_t id, qemu_vcpu_cb *cb, void *udata);
void qemu_plugin_register_vcpu_resume_cb(uint64_t id, qemu_vcpu_cb *cb, void *udata);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_tb_trans_cb *cb, void *udata);
void qemu_plugin_register_vcpu_discon_cb(uint64_t id, enum qemu_discon types, qemu_discon_cb *cb, void *udata);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_udata_cb *cb, void *udata);
void qemu_plugin_register_flush_cb(uint64_t id, qemu_udata_cb *cb, void *udata);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_vcpu_cb *cb, enum qemu_cb_flags flags,
                                          void *udata);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb, qemu_vcpu_cb *cb, enum qemu_cb_flags flags,
                                               enum qemu_cond cond, qemu_u64 entry, uint64_t imm, void *udata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, enum qemu_op op, qemu_u64 entry,
                                                       uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_vcpu_cb *cb, enum qemu_cb_flags flags,
                                            void *udata);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn, qemu_vcpu_cb *cb,
                                                 enum qemu_cb_flags flags, enum qemu_cond cond, qemu_u64 entry,
                                                 uint64_t imm, void *udata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_mem_cb *cb, enum qemu_cb_flags flags,
                                      enum qemu_mem_rw rw, void *udata);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
/* The instruction in the host's memory; NULL: it is not in RAM. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(uint32_t info);

GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *reg, GByteArray *to);
bool qemu_plugin_write_register(struct qemu_plugin_register *reg, GByteArray *from);
void qemu_plugin_set_pc(uint64_t pc) __attribute__((noreturn));

bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t size);
bool qemu_plugin_write_memory_vaddr(uint64_t address, GByteArray *from);
/* Returns 0 on success. */
int qemu_plugin_read_memory_hwaddr(uint64_t address, GByteArray *to, size_t size);
int qemu_plugin_write_memory_hwaddr(uint64_t address, GByteArray *from);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned vcpu);

#endif
