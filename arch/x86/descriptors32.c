/* SPDX-License-Identifier: MIT */
#include "arch/x86/descriptors.h"

#include <stddef.h>

#include "arch/x86/interrupts.h"
#include "arch/x86/paging.h"
#include "arch/x86/processor_number.h"

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint32_t base;
};

struct gate {
    uint16_t offset_low, selector;
    uint8_t reserved, type;
    uint16_t offset_high;
};

struct tss {
    uint32_t link;
    struct {
        uint32_t esp, ss;
    } ring[3];
    uint32_t cr3, eip, eflags;
    uint32_t registers[8]; /* by register number: eax, ecx, edx, ebx, esp, ebp, esi, edi */
    uint32_t es, cs, ss, ds, fs, gs, ldt;
    uint16_t trap, io_map;
};

_Static_assert(sizeof(struct gate) == 8, "SDM Vol. 3A (253668-081), \"IDT Descriptors\"");
_Static_assert(sizeof(struct tss) == 104, "SDM Vol. 3A (253668-081), \"Task-State Segment (TSS)\"");

/* Selectors. interrupts32.asm has another one, 0x20, for code of CPL 3. */
#define SELECTOR_CODE         0x08u
#define SELECTOR_STACK        0x10u
#define SELECTOR_DATA         (0x18u | 3u)
#define SELECTOR_TSS          0x28u
#define SELECTOR_DOUBLE_FAULT 0x30u

#define EFLAGS_ONE (1u << 1)

void gdt_load(const struct table_pointer *pointer, uint32_t code, uint32_t stack, uint32_t data, uint32_t tss);
void double_fault_entry(void);
void double_fault(uint32_t error_code) __attribute__((noreturn));

/* Tables of one processor, with the GDT at the beginning. Its first entry, which the processor never reads, holds the
 * processor's number. */
static struct own {
    uint64_t gdt[9];
    struct tss tss, double_fault_tss;
    uint8_t emergency_stack[4096] __attribute__((aligned(16)));
} boot;

_Static_assert(sizeof(struct own) <= DESCRIPTORS_MEMORY, "the memory that each processor gets");

static struct gate idt[256];
static uint8_t user_stack[4096] __attribute__((aligned(4096), section(".user_bss")));

static void gate_set(unsigned vector, uint16_t selector, void (*entry)(void), uint8_t type)
{
    uint32_t address = (uintptr_t)entry;

    idt[vector] = (struct gate){
        .offset_low = (uint16_t)address, .selector = selector, .type = type, .offset_high = (uint16_t)(address >> 16)
    };
}

static uint64_t tss_descriptor(const struct tss *of, size_t size)
{
    uint64_t base = (uintptr_t)of;

    return UINT64_C(0x0000890000000000) | (size - 1) | (base & 0xffffff) << 16 | (base >> 24) << 56;
}

/*
 * CPL 0 uses CPL 3's data segment, so that neither interrupts nor the switch to CPL 3 and back have to reload it. The
 * page tables keep CPL 3 out of the kernel's data.
 */
void descriptors_load(unsigned processor, void *memory)
{
    struct own *of = memory;

    of->gdt[0] = processor;
    of->gdt[1] = UINT64_C(0x00cf9a000000ffff); /* code, CPL 0 */
    of->gdt[2] = UINT64_C(0x00cf92000000ffff); /* stack, CPL 0 */
    of->gdt[3] = UINT64_C(0x00cff2000000ffff); /* data and stack, CPL 3 */
    of->gdt[4] = UINT64_C(0x00cffa000000ffff); /* code, CPL 3 */
    of->gdt[5] = tss_descriptor(&of->tss, sizeof of->tss);
    of->gdt[6] = tss_descriptor(&of->double_fault_tss, sizeof of->double_fault_tss);
    of->gdt[7] = UINT64_C(0x00cf12000000ffff); /* data, CPL 0, not present: tests load it to raise #NP and #SS */
    of->gdt[8] = UINT64_C(0x00cf9a001000ffff); /* 32-bit code, CPL 0, base 1000H: suite/workload/transfers.asm */

    of->tss.ring[0].ss = SELECTOR_STACK;
    of->tss.io_map = sizeof of->tss;
    /* Double faults have a task of their own, because a broken kernel stack causes them. */
    of->double_fault_tss = (struct tss){ .cr3 = paging_root(),
                                         .eip = (uintptr_t)double_fault_entry,
                                         .eflags = EFLAGS_ONE,
                                         .cs = SELECTOR_CODE,
                                         .ss = SELECTOR_STACK,
                                         .ds = SELECTOR_DATA,
                                         .es = SELECTOR_DATA };
    of->double_fault_tss.registers[4] = (uintptr_t)(of->emergency_stack + sizeof of->emergency_stack);
    gdt_load(&(struct table_pointer){ sizeof of->gdt - 1, (uintptr_t)of->gdt }, SELECTOR_CODE, SELECTOR_STACK,
             SELECTOR_DATA, SELECTOR_TSS);
    __asm__ volatile("lidt %0" : : "m"((struct table_pointer){ sizeof idt - 1, (uintptr_t)idt }));
}

void gates_init(void)
{
    for (unsigned vector = 0; vector < 256; vector++)
        gate_set(vector, SELECTOR_CODE, interrupt_entries[vector], GATE_PRESENT | GATE_INTERRUPT);
    gate_set(VECTOR_DOUBLE_FAULT, SELECTOR_DOUBLE_FAULT, NULL, GATE_PRESENT | GATE_TASK);
    interrupt_set_raw(VECTOR_USER_EXIT, user_exit, true);
}

void descriptors_init(void)
{
    gates_init();
    descriptors_load(0, &boot);
}

/* Reports a double fault; the interrupted state is in the previous task's TSS. */
void double_fault(uint32_t error_code)
{
    const struct tss *tss = &((const struct own *)processor_gdt())->tss;
    struct interrupt_frame frame = {
        .vector = VECTOR_DOUBLE_FAULT, .error_code = error_code, .ip = tss->eip, .cs = tss->cs, .flags = tss->eflags
    };

    for (unsigned n = 0; n < REGISTERS; n++)
        frame.registers[REGISTERS - 1 - n] = tss->registers[n];
    for (;;)
        interrupt_dispatch(&frame);
}

void *descriptors_of_boot(void)
{
    return &boot;
}

/* Shortens a TSS: switching to a task whose TSS has less than 104 bytes raises #TS. */
void interrupt_spoil_tss(bool spoiled)
{
    boot.gdt[6] = tss_descriptor(&boot.double_fault_tss, sizeof boot.double_fault_tss - spoiled);
}

void interrupt_set_raw(unsigned vector, void (*entry)(void), bool user)
{
    gate_set(vector, SELECTOR_CODE, entry, GATE_PRESENT | GATE_INTERRUPT | (user ? GATE_DPL_3 : 0));
}

uint64_t interrupt_gate_address(unsigned vector)
{
    return idt[vector].offset_low | (uint32_t)idt[vector].offset_high << 16;
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
    user_enter(function, &((struct own *)processor_gdt())->tss.ring[0].esp,
               (uintptr_t)(user_stack + sizeof user_stack));
}
