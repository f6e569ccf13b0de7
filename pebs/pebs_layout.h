/* SPDX-License-Identifier: MIT */
/*
 * PEBS records as the processor writes them: the 32-bit record, the 64-bit records of formats 0 to 3, and the groups of
 * which the adaptive records of format 4 and later consist.
 * SDM Vol. 3B (253669), "PEBS Record Format" (tables for NetBurst, Core, Nehalem, Haswell and Skylake
 * microarchitecture) and "Adaptive PEBS".
 */
#ifndef PEBS_PEBS_LAYOUT_H
#define PEBS_PEBS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/formats.h"

struct pebs_layout_32 {
    uint32_t eflags, eip;
    uint32_t eax, ebx, ecx, edx, esi, edi, ebp, esp;
};

/* Each format adds fields to the end of the one before: its size is the offset of the first field that it lacks. */
struct pebs_layout_64 {
    uint64_t rflags, rip;
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    /* format 1 */
    uint64_t counters; /* formats 1 and 2: IA32_PERF_GLOBAL_STATUS; format 3: applicable counters */
    uint64_t data_address;
    uint64_t data_source;
    uint64_t latency; /* the SDM prints this offset as "ABH" in two tables: it is A8h */
    /* format 2 */
    uint64_t eventing_ip;
    uint64_t tsx;
    /* format 3 */
    uint64_t tsc;
};

#define PEBS_LAYOUT_SIZE_0 0x90u
#define PEBS_LAYOUT_SIZE_1 0xb0u
#define PEBS_LAYOUT_SIZE_2 0xc0u
#define PEBS_LAYOUT_SIZE_3 0xc8u

/* Adaptive records: the basic group, then those that the format group names, in the order of these structs. */
struct pebs_layout_basic {
    uint64_t format; /* PEBS_FORMAT_* */
    uint64_t eventing_ip;
    uint64_t counters; /* applicable counters */
    uint64_t tsc;
};

struct pebs_layout_memory {
    uint64_t data_address;
    uint64_t data_source;
    uint64_t latency;
    uint64_t tsx;
};

/* Another order than in the fixed formats: that in which instructions number the registers. */
struct pebs_layout_gprs {
    uint64_t rflags, rip;
    uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

struct pebs_layout_xmm {
    uint64_t low, high;
};

struct pebs_layout_lbr {
    uint64_t from, to, info; /* the youngest entry first */
};

/* The first word of the basic group. The format group (PEBS_GROUP_*) is MSR_PEBS_DATA_CFG, or 0 where no counter was
 * adaptive. */
#define PEBS_FORMAT_GROUP        UINT64_C(0xffffffff)
#define PEBS_FORMAT_RETIRE_SHIFT 32 /* of the 16 bits of retire latency, IA32_PERF_CAPABILITIES[17] */
#define PEBS_FORMAT_SIZE_SHIFT   48 /* of the 16 bits of the record's own size */

/* The latency word of the memory group where IA32_PERF_CAPABILITIES[17] is set; else all of its low half is one. */
#define PEBS_LATENCY_INSTRUCTION UINT64_C(0xffff)
#define PEBS_LATENCY_CACHE_SHIFT 32 /* of 16 bits */

_Static_assert(offsetof(struct pebs_layout_32, eflags) == 0x00, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, eip) == 0x04, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, eax) == 0x08, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, ebx) == 0x0c, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, ecx) == 0x10, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, edx) == 0x14, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, esi) == 0x18, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, edi) == 0x1c, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, ebp) == 0x20, "PEBS record, 32-bit");
_Static_assert(offsetof(struct pebs_layout_32, esp) == 0x24, "PEBS record, 32-bit");
_Static_assert(sizeof(struct pebs_layout_32) == 0x28, "PEBS record, 32-bit");

_Static_assert(offsetof(struct pebs_layout_64, rflags) == 0x00, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rip) == 0x08, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rax) == 0x10, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rbx) == 0x18, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rcx) == 0x20, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rdx) == 0x28, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rsi) == 0x30, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rdi) == 0x38, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rbp) == 0x40, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, rsp) == 0x48, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, r8) == 0x50, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, r15) == 0x88, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, counters) == PEBS_LAYOUT_SIZE_0, "PEBS record, format 0");
_Static_assert(offsetof(struct pebs_layout_64, data_address) == 0x98, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, data_source) == 0xa0, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, latency) == 0xa8, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, eventing_ip) == PEBS_LAYOUT_SIZE_1, "PEBS record, format 1");
_Static_assert(offsetof(struct pebs_layout_64, tsx) == 0xb8, "PEBS record");
_Static_assert(offsetof(struct pebs_layout_64, tsc) == PEBS_LAYOUT_SIZE_2, "PEBS record, format 2");
_Static_assert(sizeof(struct pebs_layout_64) == PEBS_LAYOUT_SIZE_3, "PEBS record, format 3");

_Static_assert(offsetof(struct pebs_layout_basic, eventing_ip) == 0x08, "adaptive record, basic group");
_Static_assert(offsetof(struct pebs_layout_basic, counters) == 0x10, "adaptive record, basic group");
_Static_assert(offsetof(struct pebs_layout_basic, tsc) == 0x18, "adaptive record, basic group");
_Static_assert(sizeof(struct pebs_layout_basic) == PEBS_BASIC_BYTES, "adaptive record, basic group");
_Static_assert(offsetof(struct pebs_layout_memory, data_source) == 0x08, "adaptive record, memory group");
_Static_assert(offsetof(struct pebs_layout_memory, latency) == 0x10, "adaptive record, memory group");
_Static_assert(offsetof(struct pebs_layout_memory, tsx) == 0x18, "adaptive record, memory group");
_Static_assert(sizeof(struct pebs_layout_memory) == PEBS_MEMORY_BYTES, "adaptive record, memory group");
_Static_assert(offsetof(struct pebs_layout_gprs, rip) == 0x08, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rax) == 0x10, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rcx) == 0x18, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rdx) == 0x20, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rbx) == 0x28, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rsp) == 0x30, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rbp) == 0x38, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rsi) == 0x40, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, rdi) == 0x48, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, r8) == 0x50, "adaptive record, GPR group");
_Static_assert(offsetof(struct pebs_layout_gprs, r15) == 0x88, "adaptive record, GPR group");
_Static_assert(sizeof(struct pebs_layout_gprs) == PEBS_GPRS_BYTES, "adaptive record, GPR group");
_Static_assert(16 * sizeof(struct pebs_layout_xmm) == PEBS_XMM_BYTES, "adaptive record, XMM group");
_Static_assert(sizeof(struct pebs_layout_lbr) == PEBS_LBR_BYTES, "adaptive record, LBR group");

#endif
