/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/qemu/processor.h"

#include "model/engine/rules.h"
#include "model/referee/referee_area.h"

#define APIC_BASE  UINT64_C(0xfee00000)
#define APIC_ID    (APIC_BASE + 0x20)
#define APIC_LVTPC (APIC_BASE + 0x340)

#define APIC_SPURIOUS   (APIC_BASE + 0xf0)
#define SPURIOUS_ENABLE (1u << 8)
#define APIC_IN_SERVICE (APIC_BASE + 0x100) /* 32 vectors every 10H bytes */
#define LVT_MESSAGE     0x7ffu /* vector and delivery mode, like the data of a message-signalled interrupt */
#define NO_APIC         0xffffffffu

#define CR0_PE   (UINT64_C(1) << 0)
#define CR4_LA57 (UINT64_C(1) << 12)
#define EFER_LMA (UINT64_C(1) << 10)

#define PAGE_BYTES 4096u

#define CPUID_THREADS       UINT32_C(0x0b) /* EBX[15:0] of its first sub-leaf */
#define CPUID_SIZES         UINT32_C(0x80000008)
#define LEAST_PHYSICAL_BITS 36 /* bits of a physical address, if that CPUID leaf is missing */

#define PTE_PRESENT  (UINT64_C(1) << 0)
#define PTE_WRITABLE (UINT64_C(1) << 1)
#define PTE_USER     (UINT64_C(1) << 2)
#define PTE_ACCESSED (UINT64_C(1) << 5)
#define PTE_DIRTY    (UINT64_C(1) << 6)
#define PTE_LARGE    (UINT64_C(1) << 7)
#define PTE_ADDRESS  UINT64_C(0x000ffffffffff000)

static const char *const names[REGISTER_NAMES] = {
    [RAX] = "rax",
    [RBX] = "rbx",
    [RCX] = "rcx",
    [RDX] = "rdx",
    [RSI] = "rsi",
    [RDI] = "rdi",
    [RBP] = "rbp",
    [RSP] = "rsp",
    [R8] = "r8",
    [R9] = "r9",
    [R10] = "r10",
    [R11] = "r11",
    [R12] = "r12",
    [R13] = "r13",
    [R14] = "r14",
    [R15] = "r15",
    [NAME_RIP] = "rip",
    [NAME_EFLAGS] = "eflags",
    [NAME_CS] = "cs",
    [NAME_CR0] = "cr0",
    [NAME_CR3] = "cr3",
    [NAME_CR4] = "cr4",
    [NAME_EFER] = "efer",
    [NAME_FS_BASE] = "fs_base",
    [NAME_GS_BASE] = "gs_base",
};

/* Register names that differ in qemu-system-i386. */
static const char *const narrow_names[REGISTER_NAMES] = {
    [RAX] = "eax", [RBX] = "ebx", [RCX] = "ecx", [RDX] = "edx",      [RSI] = "esi",
    [RDI] = "edi", [RBP] = "ebp", [RSP] = "esp", [NAME_RIP] = "eip",
};

static unsigned name_of(const char *name)
{
    for (unsigned i = 0; i < REGISTER_NAMES; i++)
        if (strcmp(names[i], name) == 0 || (narrow_names[i] != NULL && strcmp(narrow_names[i], name) == 0))
            return i;
    return REGISTER_NAMES;
}

/* The number of an XMM register, XMM_REGISTERS for any other register. */
static unsigned xmm_of(const char *name)
{
    char wanted[8];
    unsigned i = 0;

    do {
        snprintf(wanted, sizeof(wanted), "xmm%u", i);
    } while (strcmp(name, wanted) != 0 && ++i < XMM_REGISTERS);
    return i;
}

void processor_reset(struct processor *p)
{
    p->x2apic_lvtpc = LVT_MASKED;
    p->raised = 0;
    p->faulting = false;
}

static GMutex all_lock;
static GSList *all_processors;

bool processor_init(struct processor *p, const char **missing)
{
    GArray *all = qemu_plugin_get_registers();

    p->buffer = g_byte_array_sized_new(4096);
    for (guint i = 0; i < all->len; i++) {
        const struct qemu_register_descriptor *d = &g_array_index(all, struct qemu_register_descriptor, i);
        unsigned name = name_of(d->name);

        if (name < REGISTER_NAMES)
            p->registers[name] = d->handle;
        else if (xmm_of(d->name) < XMM_REGISTERS)
            p->xmm[xmm_of(d->name)] = d->handle;
    }
    g_array_free(all, TRUE);
    qemu_private_init(&p->private);
    g_mutex_lock(&all_lock);
    all_processors = g_slist_prepend(all_processors, p);
    g_mutex_unlock(&all_lock);
    processor_reset(p);
    for (unsigned i = 0; i < REGISTER_NAMES; i++) {
        bool wide_only = (i >= R8 && i <= R15) || i >= NAME_EFER;

        if (p->registers[i] == NULL && !wide_only) {
            *missing = names[i];
            return false;
        }
    }
    return true;
}

static uint64_t read_register(struct processor *p, unsigned name)
{
    uint64_t value = 0;

    if (p->registers[name] == NULL)
        return 0;
    g_byte_array_set_size(p->buffer, 0);
    qemu_plugin_read_register(p->registers[name], p->buffer);
    memcpy(&value, p->buffer->data, p->buffer->len < sizeof(value) ? p->buffer->len : sizeof(value));
    return value;
}

uint64_t processor_read(struct processor *p, unsigned name)
{
    const bool quick = qemu_private_reads(&p->private);

    return quick && name == NAME_RIP      ? qemu_private_rip(&p->private)
           : quick && name == NAME_EFLAGS ? qemu_private_eflags(&p->private)
                                          : read_register(p, name);
}

uint64_t processor_general(struct processor *p, unsigned number)
{
    static const uint8_t low[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

    return processor_read(p, number < sizeof(low) ? low[number] : number);
}

void processor_look(struct processor *p)
{
    struct qemu_seen seen;

    if (qemu_private_is_settled(&p->private))
        return;
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        seen.general[i] = read_register(p, i);
    seen.rip = read_register(p, NAME_RIP);
    seen.eflags = read_register(p, NAME_EFLAGS);
    qemu_private_look(&p->private, &seen);
}

unsigned processor_threads(struct processor *p)
{
    uint32_t regs[4];

    processor_look(p);
    return qemu_private_cpuid(&p->private, CPUID_THREADS, regs) && (regs[1] & 0xffff) != 0 ? regs[1] & 0xffff : 1;
}

bool processor_in_ia32e(struct processor *p)
{
    return processor_read(p, NAME_EFER) & EFER_LMA;
}

void processor_write(struct processor *p, unsigned name, uint64_t value)
{
    g_byte_array_set_size(p->buffer, 0);
    g_byte_array_append(p->buffer, (const guint8 *)&value, sizeof(value));
    qemu_plugin_write_register(p->registers[name], p->buffer);
}

_Noreturn void processor_go_to(const struct block *block, uint64_t to)
{
    qemu_plugin_set_pc(block_rip(block, to));
}

unsigned processor_cpl(struct processor *p)
{
    if (!(processor_read(p, NAME_CR0) & CR0_PE))
        return 0;
    return processor_read(p, NAME_EFLAGS) & EFLAGS_VM ? 3 : processor_read(p, NAME_CS) & 3;
}

static bool ia32e(void *cpu)
{
    struct processor *p = cpu;

    return p->block != NULL ? p->block->ia32e : processor_in_ia32e(p);
}

static bool read_memory(void *cpu, uint64_t address, void *bytes, size_t size)
{
    struct processor *p = cpu;

    g_byte_array_set_size(p->buffer, 0);
    if (!qemu_plugin_read_memory_vaddr(address, p->buffer, size))
        return false;
    memcpy(bytes, p->buffer->data, size);
    return true;
}

/* Wraps bytes for QEMU's writers, which only read them. No copy: a ring of branches is 48 KiB of records. */
static GByteArray as_array(const void *bytes, size_t size)
{
    return (GByteArray){ (guint8 *)(uintptr_t)bytes, (guint)size };
}

/*
 * The TLB's host memory for a page, for writing; NULL: QEMU must write. If a page table is in a device, the middle of a
 * block may not use the TLB: there QEMU looks for the access in translated code, and aborts. Outside IA-32e mode a
 * linear address has 32 bits; QEMU decides about wider ones.
 */
static uint8_t *at_hand(struct processor *p, uint64_t address)
{
    return p->between_blocks && (address <= UINT32_MAX || ia32e(p)) ? qemu_private_memory(&p->private, address) : NULL;
}

static uint8_t *memory_of(void *cpu, uint64_t address, size_t size)
{
    uint8_t *const first = at_hand(cpu, address);
    bool contiguous = first != NULL && !qemu_private_doubts_memory(&((struct processor *)cpu)->private);

    for (uint64_t at = PAGE_BYTES - address % PAGE_BYTES; contiguous && at < size; at += PAGE_BYTES)
        contiguous = at_hand(cpu, address + at) == first + at;
    return contiguous ? first : NULL;
}

/* QEMU drops what a debugger writes into a device, as into ROM, so the bytes are read back. */
static bool write_by_qemu(struct processor *p, uint64_t address, const void *bytes, size_t size)
{
    GByteArray whole = as_array(bytes, size);

    g_byte_array_set_size(p->buffer, 0);
    return qemu_plugin_write_memory_vaddr(address, &whole) && qemu_plugin_read_memory_vaddr(address, p->buffer, size) &&
           memcmp(bytes, p->buffer->data, size) == 0;
}

/* Writes through QEMU, and then checks whether the bytes are in the TLB's memory. */
static bool write_to_see(struct processor *p, uint64_t address, const void *bytes, size_t size, const uint8_t *memory)
{
    if (!write_by_qemu(p, address, bytes, size))
        return false;
    qemu_private_look_at_memory(&p->private, memory, p->buffer->data, size);
    return true;
}

/* QEMU's writer is slow: it walks the page tables for each page, and looks up its memory in a tree. */
static bool write_memory(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    struct processor *p = cpu;
    const uint8_t *from = bytes;
    uint8_t *memory;

    for (size_t part; size > 0 && (memory = at_hand(p, address)) != NULL; size -= part) {
        const size_t rest = PAGE_BYTES - (address & (PAGE_BYTES - 1));

        part = size < rest ? size : rest;
        if (!qemu_private_doubts_memory(&p->private))
            memcpy(memory, from, part);
        else if (!write_to_see(p, address, from, part, memory))
            return false;
        from += part;
        address += part;
    }
    return size == 0 || write_by_qemu(p, address, from, size);
}

static bool read_physical(void *cpu, uint64_t address, void *bytes, size_t size)
{
    struct processor *p = cpu;

    g_byte_array_set_size(p->buffer, 0);
    if (qemu_plugin_read_memory_hwaddr(address, p->buffer, size) != 0)
        return false;
    memcpy(bytes, p->buffer->data, size);
    return true;
}

static bool write_physical(void *cpu, uint64_t address, const void *bytes, size_t size)
{
    struct processor *p = cpu;
    GByteArray whole = as_array(bytes, size);

    g_byte_array_set_size(p->buffer, 0);
    return qemu_plugin_write_memory_hwaddr(address, &whole) == 0 &&
           qemu_plugin_read_memory_hwaddr(address, p->buffer, size) == 0 && memcmp(bytes, p->buffer->data, size) == 0;
}

static unsigned physical_bits(void *cpu)
{
    struct processor *p = cpu;
    uint32_t regs[4];

    return qemu_private_cpuid(&p->private, CPUID_SIZES, regs) && (regs[0] & 0xff) != 0 ? regs[0] & 0xff
                                                                                       : LEAST_PHYSICAL_BITS;
}

static uint32_t read_apic(struct processor *p, uint64_t address)
{
    uint32_t value = NO_APIC;

    g_byte_array_set_size(p->buffer, 0);
    if (qemu_plugin_read_memory_hwaddr(address, p->buffer, sizeof(value)) == 0)
        memcpy(&value, p->buffer->data, sizeof(value));
    return value;
}

static void write_apic(struct processor *p, uint64_t address, uint32_t value)
{
    GByteArray bytes = as_array(&value, sizeof(value));

    (void)p;
    qemu_plugin_write_memory_hwaddr(address, &bytes);
}

bool processor_in_x2apic_mode(struct processor *p)
{
    return read_apic(p, APIC_LVTPC) == NO_APIC;
}

/* Also notes the APIC's ID, which is invisible in x2APIC mode. */
static uint32_t lvtpc(void *cpu)
{
    struct processor *p = cpu;
    uint32_t value = read_apic(p, APIC_LVTPC);

    if (value == NO_APIC)
        return p->x2apic_lvtpc;
    p->apic_id = read_apic(p, APIC_ID) >> 24;
    return value;
}

/* Other processors run meanwhile, so their values may be stale. */
static bool area_shared(void *cpu, uint64_t area)
{
    bool shared = false;

    g_mutex_lock(&all_lock);
    for (GSList *at = all_processors; at != NULL; at = at->next) {
        const struct processor *p = at->data;

        shared = shared || (p != cpu && referee_area_records_into(&p->vcpu, area));
    }
    g_mutex_unlock(&all_lock);
    return shared;
}

/* Registers of an x2APIC are not visible. */
static bool apic_enabled(void *cpu)
{
    struct processor *p = cpu;
    uint32_t spurious = read_apic(p, APIC_SPURIOUS);

    return spurious == NO_APIC || (spurious & SPURIOUS_ENABLE);
}

/* Registers of an x2APIC are not visible. */
static enum in_service in_service(void *cpu, uint8_t vector)
{
    bool nmi;

    if (vector == HOST_NMI) {
        return !qemu_private_nmi(&((struct processor *)cpu)->private, &nmi) ? SERVICE_UNSEEN
               : nmi                                                        ? IN_SERVICE
                                                                            : NOT_IN_SERVICE;
    }
    uint32_t bits = read_apic(cpu, APIC_IN_SERVICE + vector / 32 * 0x10);

    return bits == NO_APIC ? SERVICE_UNSEEN : bits >> vector % 32 & 1 ? IN_SERVICE : NOT_IN_SERVICE;
}

static bool interrupts_on(void *cpu)
{
    return processor_read(cpu, NAME_EFLAGS) & EFLAGS_IF;
}

static uint8_t permit_io(struct processor *p, uint8_t flag)
{
    return p->icount ? qemu_private_permit_io(&p->private, flag) : flag;
}

/*
 * Delivers a PMI: sets LVTPC's mask bit and raises the interrupt that LVTPC describes. A message-signalled interrupt to
 * the processor's own APIC works in both APIC modes, and stays pending while IF is 0.
 */
static uint32_t deliver_pmi(void *cpu)
{
    struct processor *p = cpu;
    const uint32_t entry = lvtpc(cpu);
    const bool x2apic = processor_in_x2apic_mode(p);
    const uint32_t value = p->vcpu.rules->pmi_entry(&p->vcpu, entry);

    if (!(value & (LVT_MASKED | LVT_DELIVERY)) && (value & LVT_VECTOR) < LVT_FIRST_VECTOR) {
        return value |
               LVT_MASKED; /* the APIC rejects the vector: SDM Vol. 3A (253668-083), "Valid Interrupt Vectors" */
    }
    if (value & LVT_MASKED)
        return value;
    if (!p->vcpu.rules->pmi_masks(&p->vcpu)) {
        /* the frame is unchanged */
    } else if (x2apic) {
        p->x2apic_lvtpc |= LVT_MASKED;
    } else {
        write_apic(p, APIC_LVTPC, entry | LVT_MASKED);
    }
    const uint8_t permitted = permit_io(p, 1);

    write_apic(p, APIC_BASE | p->apic_id << 12, value & LVT_MESSAGE);
    permit_io(p, permitted);
    return value;
}

#define FRAME_WORDS 5

/*
 * Finds the frame that was pushed when the instruction at ip was interrupted. Its fields have 8 bytes in IA-32e mode,
 * else 4. 16-bit handlers' frames and code segments with a base other than 0 are not supported. Returns the address of
 * RIP in the frame; CS, RFLAGS and RSP follow, and an error code may precede. NULL: not found.
 */
static const uint64_t *find_frame(struct processor *p, uint64_t ip, uint64_t frame[FRAME_WORDS])
{
    const unsigned size = ia32e(p) ? 8 : 4;
    const uint64_t at = processor_read(p, RSP);
    const bool one_page = at % PAGE_BYTES + FRAME_WORDS * size <= PAGE_BYTES; /* the processor has just written to it */
    const uint8_t *const memory = one_page ? memory_of(p, at, FRAME_WORDS * size) : NULL;
    uint8_t bytes[FRAME_WORDS * 8];

    if (memory == NULL && !read_memory(p, at, bytes, FRAME_WORDS * size))
        return NULL;
    memset(frame, 0, FRAME_WORDS * sizeof(frame[0]));
    for (unsigned i = 0; i < FRAME_WORDS; i++)
        memcpy(&frame[i], (memory != NULL ? memory : bytes) + i * size, size);
    return frame[0] == ip ? frame : frame[1] == ip ? frame + 1 : NULL;
}

/*
 * RSP and RFLAGS before an interruption was delivered, from its frame if found. In IA-32e mode RSP and SS are always in
 * the frame, otherwise only if the interrupted code was in an outer ring.
 */
static void read_frame(struct processor *p, uint64_t ip, uint64_t *rsp, uint64_t *rflags)
{
    uint64_t frame[FRAME_WORDS];
    const uint64_t *f = find_frame(p, ip, frame);

    if (f != NULL) {
        bool outer = ia32e(p) || (f[1] & 3) > processor_cpl(p) || (f[2] & EFLAGS_VM);

        *rflags = f[2];
        *rsp = outer ? f[3] : *rsp + (uint64_t)(f + 3 - frame) * (ia32e(p) ? 8 : 4);
    }
}

static unsigned interrupted_cpl(void *cpu, uint64_t ip, unsigned otherwise)
{
    uint64_t frame[FRAME_WORDS];
    const uint64_t *f = find_frame(cpu, ip, frame);

    return f == NULL ? otherwise : f[2] & EFLAGS_VM ? 3 : f[1] & 3;
}

/* The index of RIP among the words of an interruption's frame: the word below a selector. */
static unsigned frame_ip(const uint64_t frame[3])
{
    return frame[1] > UINT16_MAX ? 1 : 0;
}

void processor_change_frame(struct processor *p)
{
    const unsigned size = ia32e(p) ? 8 : 4;
    const uint64_t at = processor_read(p, RSP);
    uint64_t frame[4] = { 0 }, changed[4];
    unsigned ip;

    if (p->vcpu.rules->exception_pushed == NULL || !(processor_read(p, NAME_CR0) & CR0_PG))
        return; /* without paging the handler is firmware's, and may be 16-bit code */
    for (unsigned i = 0; i < 4; i++)
        if (!read_memory(p, at + i * size, &frame[i], size))
            return;
    ip = frame_ip(frame);
    memcpy(changed, frame, sizeof(changed));
    p->vcpu.rules->exception_pushed(&p->vcpu, &changed[ip + 2], ip == 1 ? &changed[0] : NULL);
    for (unsigned i = 0; i < 4; i++)
        if (changed[i] != frame[i])
            write_memory(p, at + i * size, &changed[i], size);
}

static void read_general(struct processor *p, uint64_t general[GENERAL_REGISTERS])
{
    if (qemu_private_reads(&p->private)) {
        qemu_private_general(&p->private, general);
        return;
    }
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        general[i] = read_register(p, i);
}

static uint64_t read_registers(void *cpu, uint64_t ip, uint64_t general[GENERAL_REGISTERS])
{
    struct processor *p = cpu;
    uint64_t rflags;

    processor_look(p);
    read_general(p, general);
    rflags = qemu_private_reads(&p->private) ? qemu_private_eflags(&p->private) : read_register(p, NAME_EFLAGS);
    if (p->delivered)
        read_frame(p, ip, &general[RSP], &rflags);
    else
        rflags = qemu_private_flags(&p->private, rflags, p->middle);
    return rflags & ~EFLAGS_RF; /* the model uses RF itself to mark watched blocks */
}

static void read_xmm(void *cpu, uint64_t xmm[XMM_REGISTERS][2])
{
    struct processor *p = cpu;

    memset(xmm, 0, XMM_REGISTERS * sizeof(xmm[0]));
    for (unsigned i = 0; i < XMM_REGISTERS; i++) {
        if (p->xmm[i] == NULL)
            continue;
        g_byte_array_set_size(p->buffer, 0);
        qemu_plugin_read_register(p->xmm[i], p->buffer);
        if (p->buffer->len >= sizeof(xmm[i]))
            memcpy(xmm[i], p->buffer->data, sizeof(xmm[i])); /* little-endian */
    }
}

static void read_ymmh(void *cpu, uint64_t ymmh[XMM_REGISTERS][2])
{
    struct processor *p = cpu;
    uint64_t xmm[XMM_REGISTERS][2];

    read_xmm(cpu, xmm);
    qemu_private_ymmh(&p->private, xmm, ymmh);
}

/*
 * Under -icount the time of a block's last instruction begins with the block. If the block ends early, time goes back,
 * by at most a block: records must not.
 */
static uint64_t read_tsc(void *cpu)
{
    enum { BLOCK_TIME = MAX_BLOCK << 10 }; /* with -icount's largest shift */
    struct processor *p = cpu;
    const uint8_t permitted = permit_io(p, 1);
    const uint64_t tsc = qemu_private_tsc(&p->private);

    permit_io(p, permitted);
    if (!p->icount || p->tsc - tsc > BLOCK_TIME)
        p->tsc = tsc;
    return p->tsc;
}

static uint64_t tsc_frequency; /* in Hz; 0: not measured */

static int64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The TSC, and the time at which it had this value. Of several reads, the one counts that took the least time. */
static uint64_t tsc_at(struct processor *p, int64_t *time)
{
    enum { READS = 32 };
    int64_t least = INT64_MAX;
    uint64_t tsc = 0;

    for (unsigned i = 0; i < READS; i++) {
        const int64_t before = nanoseconds();
        const uint64_t value = qemu_private_tsc(&p->private);
        const int64_t took = nanoseconds() - before;

        if (took < least) {
            least = took;
            *time = before + took / 2;
            tsc = value;
        }
    }
    return tsc;
}

void processor_measure_tsc(struct processor *p)
{
    enum { MICROSECONDS = 10000 };
    static gsize measured;
    int64_t from, to;

    if (!g_once_init_enter(&measured))
        return;
    if (p->icount) {
        tsc_frequency = 1000000000;
    } else if (qemu_private_tsc_offset(&p->private) != NULL) {
        const uint64_t first = tsc_at(p, &from);

        g_usleep(MICROSECONDS);
        const uint64_t ticks = tsc_at(p, &to) - first;

        tsc_frequency = (uint64_t)((double)ticks * 1e9 / (double)(to - from));
    }
    g_once_init_leave(&measured, 1);
}

static uint64_t tsc_hz(void *cpu)
{
    (void)cpu;
    return tsc_frequency;
}

static uint64_t *tsc_offset(void *cpu)
{
    return qemu_private_tsc_offset(&((struct processor *)cpu)->private);
}

static void pause_for(void *cpu, unsigned microseconds)
{
    (void)cpu;
    g_usleep(microseconds); /* the guest's clocks are the host's */
}

static GMutex code_lock;
static GTree *code_pages; /* by linear page number: the code translated last there */

struct code {
    uint64_t address;
    size_t size; /* 0: unknown */
    uint8_t bytes[8];
};

static gint compare_pages(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return a < b ? -1 : a > b;
}

void processor_note_code(struct processor *p, uint64_t from, uint64_t to)
{
    g_mutex_lock(&code_lock);
    if (code_pages == NULL)
        code_pages = g_tree_new_full(compare_pages, NULL, NULL, g_free);
    for (uint64_t page = from >> 12; page <= (to - 1) >> 12; page++) {
        struct code *const code = g_new0(struct code, 1);

        code->address = MAX(from, page << 12);
        code->size = MIN(MIN(to, (page + 1) << 12) - code->address, sizeof(code->bytes));
        if (!read_memory(p, code->address, code->bytes, code->size))
            code->size = 0;
        g_tree_insert(code_pages, GSIZE_TO_POINTER(page), code);
    }
    g_mutex_unlock(&code_lock);
}

/*
 * The linear address that the processor uses for a 64-bit field in the DS area: outside IA-32e mode the upper half is
 * ignored.
 */
static uint64_t linear(struct processor *p, uint64_t address)
{
    return ia32e(p) ? address : (uint32_t)address;
}

/* Not if other bytes are there now: the page was freed and used again, or belongs to another address space. */
static bool still_there(struct processor *p, const struct code *code)
{
    uint8_t now[sizeof(code->bytes)];

    return code->size == 0 ||
           (read_memory(p, code->address, now, code->size) && memcmp(now, code->bytes, code->size) == 0);
}

static uint64_t read_entry(struct processor *p, uint64_t table, unsigned index, unsigned bytes)
{
    uint64_t entry = 0;

    g_byte_array_set_size(p->buffer, 0);
    if (qemu_plugin_read_memory_hwaddr(table + (uint64_t)index * bytes, p->buffer, bytes) == 0)
        memcpy(&entry, p->buffer->data, bytes);
    return entry;
}

/*
 * Flags of the leaf entry; writable and user only if every level allows it. SDM Vol. 3A (253668-083), "Paging": 32-bit,
 * PAE, 4-level and 5-level. Addresses that are not canonical are not mapped.
 */
static struct host_page page_entry(void *cpu, uint64_t address)
{
    struct processor *p = cpu;
    uint64_t cr4 = processor_read(p, NAME_CR4);
    bool wide = processor_read(p, NAME_EFER) & EFER_LMA;
    bool pae = cr4 & CR4_PAE;
    unsigned levels = wide ? (cr4 & CR4_LA57 ? 5 : 4) : pae ? 3 : 2;
    unsigned bits = pae ? 9 : 10;
    uint64_t table = processor_read(p, NAME_CR3) & (wide || !pae ? PTE_ADDRESS : ~UINT64_C(0x1f));
    uint64_t common = PTE_WRITABLE | PTE_USER;
    const uint64_t high = -(UINT64_C(1) << (11 + bits * levels)); /* the upper half of linear addresses starts here */

    address = linear(p, address);
    if (!(processor_read(p, NAME_CR0) & CR0_PG)) {
        return (struct host_page){ PTE_PRESENT | PTE_WRITABLE | PTE_ACCESSED | PTE_DIRTY, address,
                                   (UINT64_C(1) << 32) - address };
    }
    if (wide && address >= -high && address < high)
        return (struct host_page){ .bytes = high - address };
    for (unsigned level = levels; level > 0; level--) {
        const unsigned shift = 12 + bits * (level - 1);
        const uint64_t within = address & ((UINT64_C(1) << shift) - 1), covered = (UINT64_C(1) << shift) - within;
        unsigned index = (unsigned)(address >> shift) & ((1u << bits) - 1);
        uint64_t entry = read_entry(p, table, index, pae ? 8 : 4);
        bool root_of_three = pae && !wide && level == 3; /* a PDPT entry has neither these flags nor an accessed flag */

        common &= root_of_three ? common : entry;
        if (!(entry & PTE_PRESENT))
            return (struct host_page){ .bytes = covered };
        if (level == 1 || (level < 4 && (entry & PTE_LARGE) && !root_of_three)) {
            return (struct host_page){ (entry & ~(PTE_WRITABLE | PTE_USER)) | common,
                                       (entry & PTE_ADDRESS & -(within + covered)) | within, covered };
        }
        table = entry & PTE_ADDRESS;
    }
    return (struct host_page){ .bytes = PAGE_BYTES };
}

/*
 * Visits only pages with code, because the range is the guest's and may be half of the address space. Of the code at a
 * physical address, only that which this address space maps counts.
 */
static bool code_in(void *cpu, uint64_t from, uint64_t bytes, bool physical, uint64_t *page)
{
    const uint64_t first = physical ? 0 : linear(cpu, from);
    const uint64_t last = physical ? UINT64_MAX : first + MIN(bytes - 1, UINT64_MAX - first);
    bool found = false;

    g_mutex_lock(&code_lock);
    GTreeNode *node = code_pages == NULL ? NULL : g_tree_lower_bound(code_pages, GSIZE_TO_POINTER(first >> 12));

    for (; !found && node != NULL && GPOINTER_TO_SIZE(g_tree_node_key(node)) <= last >> 12;
         node = g_tree_node_next(node)) {
        const uint64_t at = GPOINTER_TO_SIZE(g_tree_node_key(node)) << 12;
        const struct host_page is = physical ? page_entry(cpu, at) : (struct host_page){ 0 };

        *page = physical ? is.at : from - first + MAX(first, at);
        found = (!physical || ((is.flags & PTE_PRESENT) && is.at - from < bytes)) &&
                still_there(cpu, g_tree_node_value(node));
    }
    g_mutex_unlock(&code_lock);
    return found;
}

bool processor_is_entry(struct processor *p, unsigned vector, uint64_t address)
{
    const bool protected_mode = processor_read(p, NAME_CR0) & CR0_PE;
    const bool wide = processor_read(p, NAME_EFER) & EFER_LMA;
    uint64_t table, offset;
    uint8_t gate[16];

    if (!protected_mode || !qemu_private_idt(&p->private, &table) ||
        !read_memory(p, table + vector * (wide ? 16 : 8), gate, wide ? 16 : 8))
        return false;
    offset = gate[0] | (uint64_t)gate[1] << 8 | (uint64_t)gate[6] << 16 | (uint64_t)gate[7] << 24;
    for (unsigned i = 0; wide && i < 4; i++)
        offset |= (uint64_t)gate[8 + i] << (32 + 8 * i);
    return offset == address; /* code segments start at 0 */
}

const struct host processor_host = {
    .read = read_memory,
    .write = write_memory,
    .memory = memory_of,
    .read_physical = read_physical,
    .write_physical = write_physical,
    .physical_bits = physical_bits,
    .registers = read_registers,
    .xmm = read_xmm,
    .ymmh = read_ymmh,
    .tsc = read_tsc,
    .tsc_offset = tsc_offset,
    .tsc_hz = tsc_hz,
    .pause = pause_for,
    .pmi = deliver_pmi,
    .ia32e = ia32e,
    .page = page_entry,
    .code = code_in,
    .lvtpc = lvtpc,
    .area_shared = area_shared,
    .apic_enabled = apic_enabled,
    .in_service = in_service,
    .interrupts_on = interrupts_on,
    .interrupted_cpl = interrupted_cpl,
};
