/* SPDX-License-Identifier: MIT */
/*
 * The memory type of an address above the first MiB, which the fixed-range MTRRs cover: SDM Vol. 3A (253668-081),
 * "Memory Type Range Registers (MTRRs)". Pure.
 */
#ifndef CPU_MEMORY_TYPE_H
#define CPU_MEMORY_TYPE_H

#include <stdbool.h>
#include <stdint.h>

struct line_sink;

/* As encoded in the registers, which reserve other values. */
enum memory_type {
    MEMORY_UC = 0,
    MEMORY_WC = 1,
    MEMORY_WT = 4,
    MEMORY_WP = 5,
    MEMORY_WB = 6,
    MEMORY_UC_MINUS = 7,  /* only in the page attribute table */
    MEMORY_UNDEFINED = 8, /* ranges of incompatible types overlap */
};

#define MTRR_RANGES 40u /* the register after the 40th range's is the first fixed one */

struct memory_registers {
    bool mtrrs;            /* CPUID.1:EDX[12]; without MTRRs nothing restricts the type of a page */
    uint64_t default_type; /* IA32_MTRR_DEF_TYPE */
    unsigned count;        /* valid entries of range */
    struct {
        uint64_t base, mask; /* IA32_MTRR_PHYSBASEn, IA32_MTRR_PHYSMASKn */
    } range[MTRR_RANGES];
    uint64_t pat; /* IA32_PAT; 0606060606060606h if the processor has none */
};

/* Memory that is not write-back, and the register that sets its type. */
struct memory_finding {
    uint64_t address;
    enum memory_type type;
    uint32_t msr;
    uint64_t value;
};

/* Whether a page of this physical address, mapped with PAT, PCD and PWT clear, is write-back; fills *found if not. */
bool memory_is_write_back(const struct memory_registers *registers, uint64_t address, struct memory_finding *found);

/* Prints "cpu 0: the debug store at 0x150000 has the memory type UC, not WB, by IA32_MTRR_DEF_TYPE (0x2ff) at .." */
void memory_finding_text(const struct line_sink *out, unsigned processor, const struct memory_finding *found);

#endif
