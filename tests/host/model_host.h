/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of a modelled processor as variables: some memory, registers, a local APIC's LVTPC. Host tests and
 * the engine's fuzz target run the engine in it.
 */
#ifndef TESTS_HOST_MODEL_HOST_H
#define TESTS_HOST_MODEL_HOST_H

#include <stdio.h>
#include <string.h>

#include "model/vcpu/vcpu.h"

#define MEMORY      UINT64_C(0xffff800000100000) /* linear address of the machine's memory, 16 pages */
#define MEMORY_SIZE 0x10000
#define DS          MEMORY

struct machine {
    struct vcpu v;
    struct hot hot;
    uint8_t memory[MEMORY_SIZE];
    uint64_t memory_at;   /* the memory's linear address */
    uint64_t page_flags;  /* of every page of the memory */
    uint64_t other_flags; /* of every other page: 0, not mapped */
    uint64_t code_page;   /* a page that is reported to have code; 0: none */
    uint32_t lvtpc;
    bool apic_disabled;
    bool area_shared;
    enum in_service in_service; /* LVTPC's vector */
    bool interrupts_on;
    unsigned pmis; /* delivered */
    unsigned reads, pages_read;
    struct {
        uint64_t general[GENERAL_REGISTERS];
        uint64_t rflags;
    } registers;
    uint64_t xmm[XMM_REGISTERS][2], ymmh[XMM_REGISTERS][2];
    uint64_t tsc, tsc_offset, tsc_hz;
    bool ia32e;
    uint64_t user_from; /* code from this address on is user code; 0: none */
    bool at_hand;       /* the DS area is read directly */
    FILE *violations;
    char *violations_text;
    size_t violations_size;
};

/* A function of the environment that returns this value of the machine m. */
#define OF_MACHINE(type, name, parameters, value) \
    static inline type machine_##name parameters  \
    {                                             \
        struct machine *const m = cpu;            \
        return value;                             \
    }

static inline bool machine_read(void *cpu, uint64_t address, void *bytes, size_t size)
{
    struct machine *m = cpu;

    m->reads++;
    if (address - m->memory_at > MEMORY_SIZE - size)
        return false;
    memcpy(bytes, m->memory + (address - m->memory_at), size);
    return true;
}

static inline bool machine_write(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    struct machine *m = cpu;

    if (address - m->memory_at > MEMORY_SIZE - size)
        return false;
    memcpy(m->memory + (address - m->memory_at), bytes, size);
    return true;
}

/* As if only the bytes of a kibibyte were contiguous. */
static inline uint8_t *machine_memory(void *cpu, uint64_t address, size_t size)
{
    struct machine *m = cpu;
    const uint64_t at = address - m->memory_at;

    return m->at_hand && at < MEMORY_SIZE && at % 1024 + size <= 1024 ? m->memory + at : NULL;
}

/* The same memory by physical addresses, from 0 on. */
static inline bool machine_read_physical(void *cpu, uint64_t address, void *bytes, size_t size)
{
    return machine_read(cpu, ((struct machine *)cpu)->memory_at + address, bytes, size);
}

static inline bool machine_write_physical(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    return machine_write(cpu, ((struct machine *)cpu)->memory_at + address, bytes, size);
}

static inline unsigned machine_physical_bits(void *cpu)
{
    (void)cpu;
    return 40;
}

static inline uint64_t machine_registers(void *cpu, uint64_t ip, uint64_t general[GENERAL_REGISTERS])
{
    const struct machine *m = cpu;

    (void)ip;
    memcpy(general, m->registers.general, sizeof(m->registers.general));
    return m->registers.rflags;
}

static inline void machine_ymmh(void *cpu, uint64_t ymmh[XMM_REGISTERS][2])
{
    memcpy(ymmh, ((struct machine *)cpu)->ymmh, sizeof(((struct machine *)cpu)->ymmh));
}

static inline void machine_xmm(void *cpu, uint64_t xmm[XMM_REGISTERS][2])
{
    memcpy(xmm, ((struct machine *)cpu)->xmm, sizeof(((struct machine *)cpu)->xmm));
}

OF_MACHINE(uint64_t, tsc, (void *cpu), ++m->tsc + m->tsc_offset)
OF_MACHINE(uint64_t, tsc_hz, (void *cpu), m->tsc_hz)
OF_MACHINE(uint64_t *, tsc_offset, (void *cpu), &m->tsc_offset)

static inline void machine_pause(void *cpu, unsigned microseconds)
{
    ((struct machine *)cpu)->tsc += 1000 * microseconds;
}

static inline uint32_t machine_pmi(void *cpu)
{
    struct machine *m = cpu;
    uint32_t before = m->lvtpc;

    m->pmis += !(before & 0x10000);
    m->lvtpc |= 0x10000;
    return before;
}

OF_MACHINE(bool, ia32e, (void *cpu), m->ia32e)
OF_MACHINE(uint32_t, lvtpc, (void *cpu), m->lvtpc)
OF_MACHINE(bool, area_shared, (void *cpu, uint64_t area), area == DS && m->area_shared)
OF_MACHINE(bool, apic_enabled, (void *cpu), !m->apic_disabled)
OF_MACHINE(enum in_service, in_service, (void *cpu, uint8_t vector),
           vector == ((m->lvtpc & 0x700) == 0x400 ? 2 : m->lvtpc & 0xff) ? m->in_service : NOT_IN_SERVICE)
OF_MACHINE(bool, interrupts_on, (void *cpu), m->interrupts_on)
OF_MACHINE(unsigned, interrupted_cpl, (void *cpu, uint64_t ip, unsigned otherwise),
           ip >= m->user_from && m->user_from != 0 ? 3 : otherwise)

static inline struct host_page machine_page(void *cpu, uint64_t address)
{
    struct machine *m = cpu;

    m->pages_read++;
    return (struct host_page){ address - m->memory_at < MEMORY_SIZE ? m->page_flags : m->other_flags,
                               address - m->memory_at, 0x1000 - address % 0x1000 };
}

static inline bool machine_code(void *cpu, uint64_t from, uint64_t bytes, bool physical, uint64_t *page)
{
    struct machine *m = cpu;

    (void)physical;
    *page = m->code_page;
    return m->code_page != 0 && m->code_page - (from & ~UINT64_C(0xfff)) < bytes + from % 0x1000;
}

static const struct host machine_host = {
    .read = machine_read,
    .write = machine_write,
    .memory = machine_memory,
    .read_physical = machine_read_physical,
    .write_physical = machine_write_physical,
    .physical_bits = machine_physical_bits,
    .registers = machine_registers,
    .xmm = machine_xmm,
    .ymmh = machine_ymmh,
    .tsc = machine_tsc,
    .tsc_offset = machine_tsc_offset,
    .tsc_hz = machine_tsc_hz,
    .pause = machine_pause,
    .pmi = machine_pmi,
    .ia32e = machine_ia32e,
    .page = machine_page,
    .code = machine_code,
    .lvtpc = machine_lvtpc,
    .area_shared = machine_area_shared,
    .apic_enabled = machine_apic_enabled,
    .in_service = machine_in_service,
    .interrupts_on = machine_interrupts_on,
    .interrupted_cpl = machine_interrupted_cpl,
};

#endif
