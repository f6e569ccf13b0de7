/* SPDX-License-Identifier: MIT */
/* The local APIC in xAPIC mode. SDM Vol. 3A (253668-081), "Advanced Programmable Interrupt Controller (APIC)". */
#ifndef ARCH_X86_APIC_H
#define ARCH_X86_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_VECTOR   0x000000ffu
#define APIC_LVT_DELIVERY 0x00000700u /* 0 = fixed */
#define APIC_LVT_NMI      0x00000400u /* its value for NMI */
#define APIC_LVT_LEVEL    0x00008000u
#define APIC_LVT_MASKED   0x00010000u

/* Where the registers are: IA32_APIC_BASE's address if the xAPIC is enabled or can be, else 0. */
uint64_t apic_address(void);

enum apic_error {
    APIC_OK,
    APIC_BASE,   /* no address, or one that the kernel does not map */
    APIC_FAULTS, /* IA32_APIC_BASE cannot be read */
    APIC_MODE,   /* it does not enter xAPIC mode */
    APIC_SILENT  /* its version register has no value */
};

const char *apic_error_text(enum apic_error error);

/*
 * Enables the APIC at base in xAPIC mode, masks every LVT entry and the two 8259s, and accepts all priorities.
 */
enum apic_error apic_init(uint64_t base);
bool apic_present(void);

/*
 * The two halves of it, for another processor than the one that the machine started with: leaves x2APIC mode, in which
 * firmware may have left it; and masks and accepts as above.
 */
enum apic_error apic_enter_xapic(void);
void apic_quiet(void);

void apic_eoi(void);

/* Sends this processor a fixed interrupt; returns when it is on its way. */
void apic_send_self(unsigned vector);

/* This processor's APIC ID in xAPIC mode, 0 to 254. */
unsigned apic_id(void);

/*
 * The INIT interrupt, which stops the processor with this ID wherever it is, until a startup interrupt sends it to the
 * first byte of a page below 1 MiB, in real mode. False where the APIC does not get rid of the command. SDM Vol. 3A
 * (253668-081), "MP Initialization Protocol Algorithm for MP Systems".
 */
bool apic_send_init(unsigned id);
bool apic_send_startup(unsigned id, uintptr_t page);

/* Sends the processor with this ID a fixed interrupt. */
bool apic_send(unsigned id, unsigned vector);

/* The LVT entry of the performance counters: read, and written as fixed delivery, edge, not masked, this vector. */
uint32_t apic_performance_lvt(void);
void apic_performance_arm(unsigned vector);
void apic_performance_mask(void);
/* The same as any value, for tests of what an entry must not be. */
void apic_performance_write(uint32_t entry);

/* One-shot timer interrupt after a count of ticks (bus clock / 128), 0 stops it; the ticks that are left. */
void apic_timer_start(unsigned vector, uint32_t ticks);
uint32_t apic_timer_left(void);

#endif
