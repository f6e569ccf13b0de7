/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fake QEMU for model/qemu/processor.c: registers, some memory, and the functions of the plugin interface and of
 * model/private.
 */
#ifndef TESTS_HOST_MODEL_QEMU_H
#define TESTS_HOST_MODEL_QEMU_H

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
    uint8_t value[16];
};

#define WIDE(name)   SIZED(name, 8)
#define NARROW(name) SIZED(name, 4)
#define SIZED(name, size) \
    {                     \
        name, size,       \
        {                 \
            0             \
        }                 \
    }

static struct fake_register wide_file[] = {
    WIDE("rax"),       WIDE("rbx"),       WIDE("rcx"),        WIDE("rdx"),        WIDE("rsi"), WIDE("rdi"),
    WIDE("rbp"),       WIDE("rsp"),       WIDE("r8"),         WIDE("r9"),         WIDE("r10"), WIDE("r11"),
    WIDE("r12"),       WIDE("r13"),       WIDE("r14"),        WIDE("r15"),        WIDE("rip"), NARROW("eflags"),
    NARROW("cs"),      NARROW("ss"),      WIDE("cr0"),        WIDE("cr3"),        WIDE("cr4"), WIDE("efer"),
    SIZED("xmm0", 16), SIZED("xmm1", 16), SIZED("xmm10", 16), SIZED("xmm15", 16), WIDE("xmm3")
};
static struct fake_register narrow_file[] = { NARROW("eax"), NARROW("ebx"),    NARROW("ecx"), NARROW("edx"),
                                              NARROW("esi"), NARROW("edi"),    NARROW("ebp"), NARROW("esp"),
                                              NARROW("eip"), NARROW("eflags"), NARROW("cs"),  NARROW("ss"),
                                              NARROW("cr0"), NARROW("cr3"),    NARROW("cr4") };

static struct fake_register *file;
static unsigned file_size;

static uint8_t memory[MEMORY_SIZE]; /* linear and physical addresses are equal */
static uint8_t apic[APIC_SIZE];
static bool apic_hidden; /* x2APIC mode: its memory reads as all ones */
static uint64_t message_to;
static uint32_t message;
static uint64_t idt;
static bool idt_known;
static jmp_buf went;
static uint64_t went_to;

GArray *qemu_plugin_get_registers(void)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(struct qemu_register_descriptor));

    for (unsigned i = 0; i < file_size; i++) {
        struct qemu_register_descriptor d = { (struct qemu_plugin_register *)&file[i], file[i].name, "", false };

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
    went_to = pc;
    longjmp(went, 1);
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

bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t size)
{
    return address < MEMORY_SIZE && get(address, to, size);
}

static uint64_t unwritable; /* an address that QEMU cannot write; 0: none */

bool qemu_plugin_write_memory_vaddr(uint64_t address, GByteArray *from)
{
    if (address + from->len > MEMORY_SIZE || (unwritable != 0 && address == unwritable))
        return false;
    memcpy(memory + address, from->data, from->len);
    return true;
}

int qemu_plugin_read_memory_hwaddr(uint64_t address, GByteArray *to, size_t size)
{
    return get(address, to, size) ? 0 : -1;
}

/* A write to an APIC's first register is a message-signalled interrupt; the address selects the processor. */
int qemu_plugin_write_memory_hwaddr(uint64_t address, GByteArray *from)
{
    if ((address & 0xfff) == 0 && address >= APIC) {
        message_to = address;
        memcpy(&message, from->data, sizeof(message));
        return 0;
    }
    if (place(address, from->len) == NULL)
        return -1;
    memcpy(place(address, from->len), from->data, from->len);
    return 0;
}

/* Leaf 80000008h:EAX; 0: unknown. */
static uint32_t address_sizes;
static bool sizes_known;

bool qemu_private_cpuid(const struct qemu_private *p, uint32_t leaf, uint32_t regs[4])
{
    (void)p;
    memset(regs, 0, 4 * sizeof(regs[0]));
    regs[0] = leaf == 0x80000008 ? address_sizes : 0xff;
    return sizes_known;
}

void qemu_private_init(struct qemu_private *p)
{
    p->registers = QEMU_LOST;
}

void qemu_private_look(struct qemu_private *p, const struct qemu_seen *seen)
{
    (void)p, (void)seen;
}

void qemu_private_general(const struct qemu_private *p, uint64_t general[GENERAL_REGISTERS])
{
    (void)p, (void)general;
}

uint64_t qemu_private_rip(const struct qemu_private *p)
{
    (void)p;
    return 0;
}

uint64_t qemu_private_eflags(const struct qemu_private *p)
{
    (void)p;
    return 0;
}

uint64_t qemu_private_flags(struct qemu_private *p, uint64_t system_flags, struct qemu_middle *middle)
{
    (void)p, (void)middle;
    return system_flags | 1;
}

/* The two pages at HAND are in QEMU's TLB, with this memory. Plugins read `memory`. */
#define HAND 0x5000
static uint8_t hand[2 * 4096];
static bool at_hand, doubts;
static unsigned looks;
static uint8_t seen[8];

void *qemu_private_memory(const struct qemu_private *p, uint64_t address)
{
    (void)p;
    return at_hand && (uint32_t)address >= HAND && (uint32_t)address - HAND < sizeof(hand)
               ? hand + (uint32_t)address - HAND
               : NULL;
}

/* The result shows that the lower halves were passed. */
void qemu_private_ymmh(const struct qemu_private *p, const uint64_t xmm[XMM_REGISTERS][2],
                       uint64_t ymmh[XMM_REGISTERS][2])
{
    (void)p;
    for (unsigned i = 0; i < XMM_REGISTERS; i++) {
        ymmh[i][0] = xmm[i][1];
        ymmh[i][1] = xmm[i][0];
    }
}

bool qemu_private_doubts_memory(const struct qemu_private *p)
{
    (void)p;
    return doubts;
}

void qemu_private_look_at_memory(struct qemu_private *p, const void *memory_at, const void *bytes, size_t size)
{
    (void)p;
    assert_in_range((uintptr_t)memory_at, (uintptr_t)hand, (uintptr_t)hand + sizeof(hand) - size);
    assert_true(size <= sizeof(seen));
    memcpy(seen, bytes, size);
    looks++;
}

bool qemu_private_idt(const struct qemu_private *p, uint64_t *base)
{
    (void)p;
    *base = idt;
    return idt_known;
}

uint64_t qemu_private_tsc(const struct qemu_private *p)
{
    (void)p;
    return 0x123456789;
}

bool qemu_private_nmi(const struct qemu_private *p, bool *in_service)
{
    (void)p;
    (void)in_service;
    return false;
}

uint64_t *qemu_private_tsc_offset(const struct qemu_private *p)
{
    (void)p;
    return NULL;
}

uint8_t qemu_private_permit_io(struct qemu_private *p, uint8_t flag)
{
    (void)p;
    return flag;
}

/* --- the processor ------------------------------------------------------------------------------------------------ */

static void set(const char *name, uint64_t value)
{
    for (unsigned i = 0; i < file_size; i++) {
        if (strcmp(file[i].name, name) == 0) {
            memcpy(file[i].value, &value, file[i].size < 8 ? file[i].size : 8);
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

static uint32_t apic_register(unsigned offset)
{
    uint32_t value;

    memcpy(&value, apic + offset, sizeof(value));
    return value;
}

static void set_apic(unsigned offset, uint32_t value)
{
    memcpy(apic + offset, &value, sizeof(value));
}

static struct processor *made(struct fake_register *registers, unsigned count, const char **missing)
{
    struct processor *p = g_new0(struct processor, 1);

    file = registers;
    file_size = count;
    for (unsigned i = 0; i < count; i++)
        memset(registers[i].value, 0, sizeof(registers[i].value));
    memset(memory, 0, sizeof(memory));
    memset(apic, 0, sizeof(apic));
    apic_hidden = false;
    message_to = message = 0;
    p->vcpu.profile = profile_find("skylake");
    p->vcpu.rules = &rules_sdm;
    *missing = NULL;
    processor_init(p, missing);
    return p;
}

/* A processor of qemu-system-x86_64. It remains in the list of all processors, as in QEMU. */
static struct processor *wide(void)
{
    const char *missing;
    struct processor *p = made(wide_file, COUNT_OF(wide_file), &missing);

    assert_null(missing);
    return p;
}

#endif
