/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment of a modelled processor, as functions that model/qemu or a host test provides. */
#ifndef MODEL_VCPU_HOST_H
#define MODEL_VCPU_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bytes/adaptive.h"
#include "model/bytes/encode.h"

#define HOST_NMI 2 /* its vector; no interrupt can have it */

enum in_service { NOT_IN_SERVICE, IN_SERVICE, SERVICE_UNSEEN };

struct host_page {
    uint64_t flags; /* P, RW, US, A, D, G, NX of the leaf; 0 if not mapped */
    uint64_t at;    /* the physical address, if mapped */
    uint64_t bytes; /* from the address to the end of what the entry covers */
};

/* The `cpu` of every function is the argument that engine_init() got. */
struct host {
    /* Guest memory by linear address, through the current page tables. False if a byte is not mapped. */
    bool (*read)(void *cpu, uint64_t address, void *bytes, size_t size);
    bool (*write)(void *cpu, uint64_t address, const void *bytes, size_t size);
    /* The same memory on the host, for plain stores; NULL: it is not contiguous there, or a store is not enough. */
    uint8_t *(*memory)(void *cpu, uint64_t address, size_t size);
    /* Guest memory by physical address. False if there is no memory. */
    bool (*read_physical)(void *cpu, uint64_t address, void *bytes, size_t size);
    bool (*write_physical)(void *cpu, uint64_t address, const void *bytes, size_t size);
    /* The physical-address width in bits: CPUID.80000008H:EAX[7:0]. */
    unsigned (*physical_bits)(void *cpu);
    /* The general registers after the last retired instruction; the next one is at ip. Returns RFLAGS. */
    uint64_t (*registers)(void *cpu, uint64_t ip, uint64_t general[GENERAL_REGISTERS]);
    /* XMM0 to XMM15 at the same time, each with the low quadword first. */
    void (*xmm)(void *cpu, uint64_t xmm[XMM_REGISTERS][2]);
    /* The upper halves of YMM0 to YMM15, in the same way. */
    void (*ymmh)(void *cpu, uint64_t ymmh[XMM_REGISTERS][2]);
    /* The value of RDTSC. tsc_offset(): the part of it that software sets; NULL: software cannot set it. */
    uint64_t (*tsc)(void *cpu);
    uint64_t *(*tsc_offset)(void *cpu);
    /* The frequency of RDTSC in Hz; 0: unknown. */
    uint64_t (*tsc_hz)(void *cpu);
    /* Lets microseconds pass in which the processor executes no instruction and the TSC runs. */
    void (*pause)(void *cpu, unsigned microseconds);
    /* Delivers the interrupt that LVTPC describes and sets its mask bit; returns the previous value of LVTPC. */
    uint32_t (*pmi)(void *cpu);
    /* Whether IA-32e mode is active (IA32_EFER.LMA). */
    bool (*ia32e)(void *cpu);
    /* The page-table entry that maps a linear address, or leaves it unmapped. */
    struct host_page (*page)(void *cpu, uint64_t address);
    /*
     * Whether code has run from one of these linear or physical addresses' 4 KiB pages. Sets *page to the first address
     * there. Physical addresses take a walk of the page tables for each page with code.
     */
    bool (*code)(void *cpu, uint64_t from, uint64_t bytes, bool physical, uint64_t *page);
    /* Whether another processor that is recording has this linear address in IA32_DS_AREA. */
    bool (*area_shared)(void *cpu, uint64_t area);
    /* The value of LVTPC; whether the local APIC is enabled, true if unknown. */
    uint32_t (*lvtpc)(void *cpu);
    bool (*apic_enabled)(void *cpu);
    /* Whether an interrupt with this vector is in service, HOST_NMI: an NMI; RFLAGS.IF. */
    enum in_service (*in_service)(void *cpu, uint8_t vector);
    bool (*interrupts_on)(void *cpu);
    /* During an interrupt or exception: the CPL of the interrupted code at ip, or `otherwise` if unknown. */
    unsigned (*interrupted_cpl)(void *cpu, uint64_t ip, unsigned otherwise);
};

#endif
