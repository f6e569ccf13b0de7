/* SPDX-License-Identifier: MIT */
/*
 * The 64-bit PEBS records of formats 0 to 3 as the processor writes them. Each format adds fields to the end of the
 * one before: its size is the offset of the first field that it lacks.
 * SDM Vol. 3B (253669), "PEBS Record Format", tables for Core, Nehalem, Haswell and Skylake microarchitecture.
 */
#ifndef PEBS_PEBS_LAYOUT_H
#define PEBS_PEBS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

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

#endif
