/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fake QEMU for model/qemu/processor.c: registers, some memory, and the functions of the plugin interface and of
 * model/private.
 */
#ifndef TESTS_HOST_MODEL_QEMU_H
#define TESTS_HOST_MODEL_QEMU_H

#include "tests/host/fakes.h"
#include "tests/host/unit_test.h"

#include "model/engine/rules.h"
#include "model/qemu/processor.h"

#define MEMORY_SIZE 0x10000
#define APIC        UINT64_C(0xfee00000)
#define APIC_SIZE   0x1000

/* --- QEMU --------------------------------------------------------------------------------------------------------- */

struct fake_register {
    const char *name;
    unsigned size;
    uint8_t value[8];
};

static struct fake_register registers[] = {
    { "rax", 8, { 0 } },    { "rbx", 8, { 0 } }, { "rcx", 8, { 0 } }, { "rdx", 8, { 0 } },  { "rsi", 8, { 0 } },
    { "rdi", 8, { 0 } },    { "rbp", 8, { 0 } }, { "rsp", 8, { 0 } }, { "r8", 8, { 0 } },   { "r9", 8, { 0 } },
    { "r10", 8, { 0 } },    { "r11", 8, { 0 } }, { "r12", 8, { 0 } }, { "r13", 8, { 0 } },  { "r14", 8, { 0 } },
    { "r15", 8, { 0 } },    { "rip", 8, { 0 } }, { "cs", 4, { 0 } },  { "ss", 4, { 0 } },   { "cr0", 8, { 0 } },
    { "eflags", 4, { 0 } }, { "cr3", 8, { 0 } }, { "cr4", 8, { 0 } }, { "efer", 8, { 0 } },
};

static uint8_t memory[MEMORY_SIZE]; /* linear and physical addresses are equal */
static uint8_t apic[APIC_SIZE];
static bool apic_hidden; /* x2APIC mode: its memory reads as all ones */

GArray *qemu_plugin_get_registers(void)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(struct qemu_register_descriptor));

    for (unsigned i = 0; i < COUNT_OF(registers); i++) {
        struct qemu_register_descriptor d = { (struct qemu_plugin_register *)&registers[i], registers[i].name, "",
                                              false };

        g_array_append_val(all, d);
    }
    return all;
}

bool qemu_plugin_read_register(struct qemu_plugin_register *reg, GByteArray *to)
{
    const struct fake_register *r = (struct fake_register *)reg;

    g_byte_array_append(to, r->value, r->size);
    return true;
}

bool qemu_plugin_write_register(struct qemu_plugin_register *reg, GByteArray *from)
{
    struct fake_register *r = (struct fake_register *)reg;

    assert_true(from->len >= r->size);
    memcpy(r->value, from->data, r->size);
    return true;
}

void qemu_plugin_set_pc(uint64_t pc)
{
    fail_msg("went to 0x%llx", (unsigned long long)pc);
    abort();
}

static uint8_t *place(uint64_t address, size_t size)
{
    if (address >= APIC && address - APIC + size <= APIC_SIZE)
        return apic + (address - APIC);
    return address + size <= MEMORY_SIZE ? memory + address : NULL;
}

static bool get(uint64_t address, GByteArray *to, size_t size)
{
    if (place(address, size) == NULL)
        return false;
    g_byte_array_append(to, place(address, size), (guint)size);
    if (address >= APIC && apic_hidden)
        memset(to->data, 0xff, size);
    return true;
}

FAKE(bool, qemu_plugin_read_memory_vaddr, (uint64_t address, GByteArray *to, size_t size),
     address < MEMORY_SIZE && get(address, to, size))

static uint64_t unwritable; /* an address that QEMU cannot write; 0: none */

bool qemu_plugin_write_memory_vaddr(uint64_t address, GByteArray *from)
{
    if (address + from->len > MEMORY_SIZE || (unwritable != 0 && address == unwritable))
        return false;
    memcpy(memory + address, from->data, from->len);
    return true;
}

FAKE(int, qemu_plugin_read_memory_hwaddr, (uint64_t address, GByteArray *to, size_t size),
     get(address, to, size) ? 0 : -1)

int qemu_plugin_write_memory_hwaddr(uint64_t address, GByteArray *from)
{
    if (place(address, from->len) == NULL)
        return -1;
    memcpy(place(address, from->len), from->data, from->len);
    return 0;
}

FAKE(bool, qemu_private_cpuid, (const struct qemu_private *p, uint32_t leaf, uint32_t regs[4]), false)
FAKE_VOID(qemu_private_init, (struct qemu_private * p), p->registers = QEMU_LOST)
FAKE_VOID(qemu_private_look, (struct qemu_private * p, const struct qemu_seen *seen), (void)0)
FAKE_VOID(qemu_private_general, (const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS]), (void)0)
FAKE(uint64_t, qemu_private_rip, (const struct qemu_private *p), 0)
FAKE(uint64_t, qemu_private_eflags, (const struct qemu_private *p), 0)
FAKE(uint64_t, qemu_private_flags, (struct qemu_private * p, uint64_t system_flags, struct qemu_middle *middle),
     system_flags | 1)

/* The two pages at HAND are in QEMU's TLB, with this memory. Plugins read `memory`. */
#define HAND 0x5000
static uint8_t hand[2 * 4096];
static bool at_hand, doubts;
static unsigned looks;
static uint8_t seen[8];

FAKE(void *, qemu_private_memory, (const struct qemu_private *p, uint64_t address),
     at_hand && (uint32_t)address >= HAND && (uint32_t)address - HAND < sizeof(hand) ? hand + ((uint32_t)address - HAND)
                                                                                     : NULL)
FAKE_VOID(qemu_private_ymmh,
          (const struct qemu_private *p, const uint64_t xmm[XMM_REGISTERS][2], uint64_t ymmh[XMM_REGISTERS][2]),
          (void)0)
FAKE(bool, qemu_private_doubts_memory, (const struct qemu_private *p), doubts)
FAKE_VOID(qemu_private_look_at_memory, (struct qemu_private * p, const void *memory_at, const void *bytes, size_t size),
          assert_in_range((uintptr_t)memory_at, (uintptr_t)hand, (uintptr_t)hand + sizeof(hand) - size),
          assert_true(size <= sizeof(seen)), memcpy(seen, bytes, size), looks++)
FAKE(bool, qemu_private_idt, (const struct qemu_private *p, uint64_t *base), false)
FAKE(uint64_t, qemu_private_tsc, (const struct qemu_private *p), 0x123456789)
FAKE(bool, qemu_private_nmi, (const struct qemu_private *p, bool *in_service), false)
FAKE(uint64_t *, qemu_private_tsc_offset, (const struct qemu_private *p), NULL)
FAKE(uint8_t, qemu_private_permit_io, (struct qemu_private * p, uint8_t flag), flag)

/* --- the processor ------------------------------------------------------------------------------------------------ */

static void set(const char *name, uint64_t value)
{
    for (unsigned i = 0; i < COUNT_OF(registers); i++) {
        if (strcmp(registers[i].name, name) == 0) {
            memcpy(registers[i].value, &value, registers[i].size);
            return;
        }
    }
    fail_msg("no register %s", name);
}

static void put(uint64_t address, uint64_t value, size_t size)
{
    assert_true(address + size <= MEMORY_SIZE);
    memcpy(memory + address, &value, size);
}

static void set_apic(unsigned offset, uint32_t value)
{
    memcpy(apic + offset, &value, sizeof(value));
}

/* A processor of qemu-system-x86_64. It remains in the list of all processors, as in QEMU. */
static struct processor *wide(void)
{
    struct processor *p = g_new0(struct processor, 1);
    const char *missing = NULL;

    for (unsigned i = 0; i < COUNT_OF(registers); i++)
        memset(registers[i].value, 0, sizeof(registers[i].value));
    memset(memory, 0, sizeof(memory));
    memset(apic, 0, sizeof(apic));
    apic_hidden = false;
    p->vcpu.profile = profile_find("skylake");
    p->vcpu.rules = &rules_sdm;
    processor_init(p, &missing);
    assert_null(missing);
    return p;
}

#endif
