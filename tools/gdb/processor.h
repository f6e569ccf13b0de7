/* SPDX-License-Identifier: MIT */
/*
 * The processor that GDB has stopped: the state that GDB cannot read, from the model's file (docs/gdb.md), and the
 * capabilities derived from it.
 */
#ifndef TOOLS_GDB_PROCESSOR_H
#define TOOLS_GDB_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/caps.h"

#define PROCESSOR_MSRS   1024u
#define PROCESSOR_LEAVES 64u

struct processor {
    struct {
        uint32_t address;
        uint64_t value;
    } msrs[PROCESSOR_MSRS];
    size_t msr_count;
    struct {
        uint32_t leaf, subleaf;
        struct caps_leaf regs;
    } leaves[PROCESSOR_LEAVES];
    size_t leaf_count;
    uint64_t cr0, cr3, cr4, efer, idt, lvtpc, apic; /* apic: whether the local APIC is enabled */
    bool idt_known;
    struct caps caps;
};

/* Reads the file. False, with the reason printed, if it cannot be read or is not such a file. */
bool processor_read(const char *path, struct processor *out);

/* Whether the processor has the register. *value: its value, or 0. */
bool processor_msr(const struct processor *p, uint32_t address, uint64_t *value);
uint64_t processor_msr_or_0(const struct processor *p, uint32_t address);

#endif
