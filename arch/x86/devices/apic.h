/* SPDX-License-Identifier: MIT */
/*
 * The local APIC, in the mode in which firmware left it: in xAPIC mode its registers are memory, in x2APIC mode MSRs.
 * SDM Vol. 3A (253668-081), "Advanced Programmable Interrupt Controller (APIC)".
 */
#ifndef ARCH_X86_DEVICES_APIC_H
#define ARCH_X86_DEVICES_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_LVT_VECTOR 0x000000ffu
#define APIC_LVT_NMI    0x00000400u /* the delivery mode for NMI */
#define APIC_LVT_LEVEL  0x00008000u
#define APIC_LVT_MASKED 0x00010000u

/* The physical address of the registers in xAPIC mode, from IA32_APIC_BASE; 0 if that cannot be read. */
uint64_t apic_address(void);

enum apic_error {
    APIC_OK,
    APIC_BASE,      /* xAPIC mode without a base address, or with one that the kernel does not map */
    APIC_RAISES_GP, /* IA32_APIC_BASE cannot be read */
    APIC_MODE,      /* the APIC cannot be enabled, or not in the boot processor's mode */
    APIC_SILENT     /* the version register reads as absent */
};

const char *apic_error_text(enum apic_error error);

/*
 * Takes over the boot processor's APIC from firmware. If x2APIC mode is on, keeps it: leaving it means disabling the
 * APIC, which raises #GP if firmware has locked the mode. Otherwise enables the APIC at base in xAPIC mode. Then masks
 * all sources (apic_quiet()), ends every interrupt in service, and takes pending ones. After an error, interrupts stay
 * off for the whole run (interrupts_on()).
 */
enum apic_error apic_init(uint64_t base);
bool apic_present(void);

/* "xAPIC" or "x2APIC" after apic_init(); and whether firmware has locked x2APIC mode (IA32_XAPIC_DISABLE_STATUS). */
const char *apic_mode(void);
bool apic_locked(void);

/*
 * The two halves of apic_init(), for secondary processors. apic_enter() sets the boot processor's mode. apic_quiet()
 * masks every LVT entry, stops the timer, and accepts all priorities that the kernel uses.
 */
enum apic_error apic_enter(void);
void apic_quiet(void);

/* The number of strays (interrupts without a handler) so far, on all processors, and the vector of the last one. */
unsigned apic_strays(unsigned *vector);

void apic_eoi(void);

/* Ends every interrupt in service, for handlers that will not return. */
void apic_end_services(void);

/* Sends this processor a fixed interrupt; returns when it has been sent. */
void apic_send_self(unsigned vector);

/* This processor's APIC ID, and the largest that a command can be sent to: 254, or in x2APIC mode FFFFFFFEH. */
uint32_t apic_id(void);
uint32_t apic_id_most(void);

/*
 * INIT stops the processor with this ID until a startup interrupt (SIPI) starts it in real mode, at the first byte of a
 * page below 1 MiB. Both return false if the APIC cannot deliver the command. SDM Vol. 3A
 * (253668-081), "MP Initialization Protocol Algorithm for MP Systems".
 */
bool apic_send_init(uint32_t id);
bool apic_send_startup(uint32_t id, uintptr_t page);

/* Sends the processor with this ID a fixed interrupt. False: the APIC cannot deliver the command. */
bool apic_send(uint32_t id, unsigned vector);

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
