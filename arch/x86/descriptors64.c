/* SPDX-License-Identifier: MIT */
#include "arch/x86/descriptors.h"

#include <stddef.h>

#include "arch/x86/interrupts.h"
#include "arch/x86/processor_number.h"

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
};

struct __attribute__((packed)) tss {
    uint32_t reserved0;
    uint64_t rsp[3], reserved1, ist[7], reserved2;
    uint16_t reserved3, io_map;
};

_Static_assert(sizeof(struct gate) == 16, "SDM Vol. 3A (253668-081), \"64-Bit Mode IDT\"");
_Static_assert(sizeof(struct tss) == 104, "SDM Vol. 3A (253668-081), \"Task Management in 64-bit Mode\"");

/* Selectors. interrupts64.asm has two others, for CPL 3: data 0x18 and code 0x20. */
#define SELECTOR_CODE 0x08u
#define SELECTOR_DATA 0x10u
#define SELECTOR_TSS  0x28u

#define GATE_TSS 0x9u /* an available (not busy) TSS */

/* The IST stack of exceptions that can occur anywhere, even with a broken kernel stack. */
#define EMERGENCY_STACK 1u
/* An IST entry past the end of a shortened TSS, which still contains the emergency stack. */
#define LOST_STACK   7u
#define SPOILED_SIZE offsetof(struct tss, ist[LOST_STACK - 1])

void gdt_load(const struct table_pointer *pointer, uint16_t code, uint16_t stack, uint16_t tss);

/* Tables of one processor, with the GDT at the beginning. Its first entry, which the processor never reads, holds the
 * processor's number. */
static struct own {
    uint64_t gdt[9];
    struct tss tss;
    uint8_t emergency_stack[4096] __attribute__((aligned(16)));
} boot;

_Static_assert(sizeof(struct own) <= DESCRIPTORS_MEMORY, "the memory that each processor gets");

static struct gate idt[256];
static uint8_t user_stack[4096] __attribute__((aligned(4096), section(".user_bss")));

static void gate_set(unsigned vector, void (*entry)(void), uint8_t type, uint8_t ist)
{
    uint64_t address = (uint64_t)(uintptr_t)entry;

    idt[vector] = (struct gate){ .offset_low = (uint16_t)address,
                                 .selector = SELECTOR_CODE,
                                 .ist = ist,
                                 .type = type,
                                 .offset_middle = (uint16_t)(address >> 16),
                                 .offset_high = (uint32_t)(address >> 32) };
}

/* Writes the descriptor of a TSS of this size, marked available. */
static void tss_describe(struct own *of, size_t size)
{
    uint64_t base = (uint64_t)(uintptr_t)&of->tss;

    of->gdt[5] =
        (uint64_t)(GATE_PRESENT | GATE_TSS) << 40 | (size - 1) | (base & 0xffffff) << 16 | (base >> 24 & 0xff) << 56;
    of->gdt[6] = base >> 32;
}

void descriptors_load(unsigned processor, void *memory)
{
    struct own *of = memory;

    of->gdt[0] = processor;
    of->gdt[1] = UINT64_C(0x00209a0000000000); /* 64-bit code, CPL 0 */
    of->gdt[2] = UINT64_C(0x0000920000000000); /* data, CPL 0 */
    of->gdt[3] = UINT64_C(0x0000f20000000000); /* data, CPL 3 */
    of->gdt[4] = UINT64_C(0x0020fa0000000000); /* 64-bit code, CPL 3 */
    tss_describe(of, sizeof of->tss);
    of->gdt[7] = UINT64_C(0x0000120000000000); /* data, CPL 0, not present: tests load it to raise #NP and #SS */
    of->gdt[8] = UINT64_C(0x00cf9a001000ffff); /* 32-bit code, CPL 0, base 1000H: suite/workload/transfers.asm */

    of->tss.ist[EMERGENCY_STACK - 1] = (uint64_t)(uintptr_t)(of->emergency_stack + sizeof of->emergency_stack);
    of->tss.ist[LOST_STACK - 1] = of->tss.ist[EMERGENCY_STACK - 1];
    of->tss.io_map = sizeof of->tss;
    gdt_load(&(struct table_pointer){ sizeof of->gdt - 1, (uint64_t)(uintptr_t)of->gdt }, SELECTOR_CODE, SELECTOR_DATA,
             SELECTOR_TSS);
    __asm__ volatile("lidt %0" : : "m"((struct table_pointer){ sizeof idt - 1, (uint64_t)(uintptr_t)idt }));
}

void gates_init(void)
{
    for (unsigned vector = 0; vector < 256; vector++) {
        bool emergency = vector == VECTOR_NMI || vector == VECTOR_DOUBLE_FAULT || vector == VECTOR_MACHINE_CHECK;
        gate_set(vector, interrupt_entries[vector], GATE_PRESENT | GATE_INTERRUPT, emergency ? EMERGENCY_STACK : 0);
    }
    interrupt_set_raw(VECTOR_USER_EXIT, user_exit, true);
    gate_set(VECTOR_LOST_STACK, interrupt_entries[VECTOR_LOST_STACK], GATE_PRESENT | GATE_INTERRUPT, LOST_STACK);
}

void descriptors_init(void)
{
    gates_init();
    descriptors_load(0, &boot);
}

void *descriptors_of_boot(void)
{
    return &boot;
}

void interrupt_spoil_tss(bool spoiled)
{
    tss_describe(&boot, spoiled ? SPOILED_SIZE : sizeof boot.tss);
    __asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS) : "memory");
}

void interrupt_set_raw(unsigned vector, void (*entry)(void), bool user)
{
    gate_set(vector, entry, GATE_PRESENT | GATE_INTERRUPT | (user ? GATE_DPL_3 : 0), 0);
}

uint64_t interrupt_gate_address(unsigned vector)
{
    const struct gate *gate = &idt[vector];

    return gate->offset_low | (uint64_t)gate->offset_middle << 16 | (uint64_t)gate->offset_high << 32;
}

uint8_t interrupt_gate_type(unsigned vector)
{
    return idt[vector].type & GATE_PRESENT ? idt[vector].type & 0xfu : 0;
}

void interrupt_gate_set_type(unsigned vector, uint8_t type)
{
    idt[vector].type = (uint8_t)(type ? (idt[vector].type & GATE_DPL_3) | GATE_PRESENT | type : 0);
}

void user_call(void (*function)(void))
{
    user_enter(function, (uint8_t *)&((struct own *)processor_gdt())->tss + offsetof(struct tss, rsp),
               (uintptr_t)(user_stack + sizeof user_stack));
}
