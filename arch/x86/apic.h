/* SPDX-License-Identifier: MIT */
/* The local APIC in xAPIC mode. SDM Vol. 3A (253668-081), "Advanced Programmable Interrupt Controller (APIC)". */
#ifndef ARCH_X86_APIC_H
#define ARCH_X86_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_VECTOR   0x000000ffu
#define APIC_LVT_DELIVERY 0x00000700u /* 0 = fixed */
#define APIC_LVT_NMI      0x00000400u /* the delivery mode for NMI */
#define APIC_LVT_LEVEL    0x00008000u
#define APIC_LVT_MASKED   0x00010000u

/* The physical address of the registers, from IA32_APIC_BASE; 0 if the APIC cannot be in xAPIC mode. */
uint64_t apic_address(void);

enum apic_error {
    APIC_OK,
    APIC_BASE,      /* no base address, or one that the kernel does not map */
    APIC_RAISES_GP, /* IA32_APIC_BASE cannot be read */
    APIC_MODE,      /* the APIC does not enter xAPIC mode */
    APIC_SILENT     /* the version register reads as absent */
};

const char *apic_error_text(enum apic_error error);

/*
 * Enables the APIC at base in xAPIC mode, masks every LVT entry and the two 8259s, and accepts all priorities.
 */
enum apic_error apic_init(uint64_t base);
bool apic_present(void);

/*
 * The two halves of apic_init(), for the other processors: leave x2APIC mode, which firmware may have entered; and mask
 * the LVT entries and accept all priorities.
 */
enum apic_error apic_enter_xapic(void);
void apic_quiet(void);

void apic_eoi(void);

/* Sends this processor a fixed interrupt; returns when it has been sent. */
void apic_send_self(unsigned vector);

/* This processor's APIC ID in xAPIC mode, 0 to 254. */
unsigned apic_id(void);

/*
 * INIT stops the processor with this ID until a startup interrupt (SIPI) starts it in real mode, at the first byte of a
 * page below 1 MiB. Both return false if the APIC cannot deliver the command. SDM Vol. 3A
 * (253668-081), "MP Initialization Protocol Algorithm for MP Systems".
 */
bool apic_send_init(unsigned id);
bool apic_send_startup(unsigned id, uintptr_t page);

/* Sends the processor with this ID a fixed interrupt. */
bool apic_send(unsigned id, unsigned vector);

/* Reads the LVT entry of the performance counters; sets it to fixed delivery, edge, unmasked, with this vector. */
uint32_t apic_performance_lvt(void);
void apic_performance_arm(unsigned vector);
void apic_performance_mask(void);
/* Writes any value to the LVT entry of the performance counters, for tests of invalid entries. */
void apic_performance_write(uint32_t entry);

/* Starts the one-shot timer, in ticks of bus clock / 128 (0 stops it); returns the ticks that are left. */
void apic_timer_start(unsigned vector, uint32_t ticks);
uint32_t apic_timer_left(void);

#endif
