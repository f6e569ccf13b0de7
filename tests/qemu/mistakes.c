/* SPDX-License-Identifier: MIT */
/*
 * A kernel with mistakes of a first driver, one function for each; tests/qemu/mistakes.t has the expected reports. They
 * are mistakes with interrupts and memory that only QEMU has. The kernel's forbidden.* have mistakes with pages, and
 * tests/host/test_model_referee* has all rules. Pages have 4 MiB.
 */
#include <stddef.h>
#include <stdint.h>

#define ALWAYS static inline __attribute__((always_inline))
#define PLANT  static __attribute__((noinline)) void
#define COUNT  (sizeof(mistakes) / sizeof(mistakes[0]))

enum { PERFEVTSEL0 = 0x186, PMC0 = 0xc1, GLOBAL_STATUS = 0x38e, GLOBAL_CTRL, GLOBAL_OVF_CTRL };
enum { PEBS_ENABLE = 0x3f1, DS_AREA = 0x600 };
enum { PEBS_BASE = 0x3f4, PEBS_INDEX, PMC0_CFG_C = 0x1903 };
enum { INST_RETIRED = 0x4300c0 };
enum { MAPPED = 0xe3 }; /* P, RW, A, D, PS */
enum { EOI = 0xb0, SPURIOUS = 0xf0, LVTPC = 0x340, VECTOR = 0x40, NMI_DELIVERY = 0x400, NMI = 2 };
enum { CLEARWATERFOREST = 0xd06d0, SKYLAKE = 0x506e0, PROCESSOR = 0xffff0 };
enum { PEBS_RECORD = 200, PERIOD = 1000 };
enum { AREA = 0x800000, PEBS = 0x1000000, IO_APIC = 0xfec00000 };

struct buffer {
    uint64_t base, index, maximum, threshold;
};

/* With DTES64 in CPUID, a field has 64 bits in any mode. */
static volatile struct {
    struct buffer bts, pebs;
    uint64_t reset[8];
} *const area = (void *)AREA;

static uint32_t directory[1024] __attribute__((aligned(4096)));
static uint64_t idt[256];
static volatile unsigned pmis;
void (*volatile handler)(void);

__asm__(".section .note.pvh, \"a\", @note\n"
        ".long 4, 4, 18\n.asciz \"Xen\"\n.long start\n"
        ".text\n.globl start\nstart:\n mov $stack, %esp\n call main\n"
        ".globl pmi\npmi:\n pusha\n call *handler\n popa\n iret\n"
        ".bss\n.skip 4096\nstack:\n.text\n");
extern const char pmi[];

ALWAYS void wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "A"(value) : "memory");
}

ALWAYS uint64_t rdmsr(uint32_t msr)
{
    uint64_t value;

    __asm__ volatile("rdmsr" : "=A"(value) : "c"(msr) : "memory");
    return value;
}

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

ALWAYS volatile uint32_t *apic(unsigned offset)
{
    return (volatile uint32_t *)(0xfee00000 + offset);
}

static void reset_index(void)
{
    area->pebs.index = area->pebs.base;
}

static void stop(void)
{
    wrmsr(GLOBAL_CTRL, 0);
}

static void acknowledge(void)
{
    wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
}

static void end_of_interrupt(void)
{
    *apic(LVTPC) = VECTOR;
    *apic(EOI) = 0;
    pmis++;
}

static void good_handler(void)
{
    stop();
    acknowledge();
    reset_index();
    end_of_interrupt();
}

/* Correct settings, from which each mistake starts. */
static void set_up(void)
{
    stop();
    acknowledge();
    *apic(LVTPC) = VECTOR;
    area->pebs = (struct buffer){ PEBS, PEBS, PEBS + 20 * PEBS_RECORD, PEBS + 4 * PEBS_RECORD };
    area->reset[0] = (uint64_t)-PERIOD;
    handler = good_handler;
    pmis = 0;
    wrmsr(DS_AREA, AREA);
}

ALWAYS void start(void)
{
    wrmsr(PERFEVTSEL0, INST_RETIRED);
    wrmsr(PMC0, (uint32_t)-PERIOD);
    wrmsr(PEBS_ENABLE, 1);
    wrmsr(GLOBAL_CTRL, 1);
}

/* The same with architectural PEBS, an interrupt after this many bytes. */
ALWAYS void start_arch(uint32_t buffer, unsigned threshold)
{
    wrmsr(PEBS_BASE, buffer);
    wrmsr(PEBS_INDEX, (uint64_t)1 << 32 | (uint64_t)threshold / 16 << 36); /* EN, THRESH */
    wrmsr(PMC0_CFG_C, (uint64_t)1 << 63 | (uint32_t)-PERIOD);
    wrmsr(PERFEVTSEL0, INST_RETIRED);
    wrmsr(PMC0, (uint32_t)-PERIOD);
    wrmsr(GLOBAL_CTRL, 1);
}

/* Executes instructions until an interrupt arrives. */
ALWAYS void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds && pmis == 0; i++)
        __asm__ volatile("");
}

PLANT buffer_in_a_device(void)
{
    area->pebs = (struct buffer){ IO_APIC, IO_APIC, IO_APIC + 20 * PEBS_RECORD, IO_APIC + 4 * PEBS_RECORD };
    start();
    work(2 * PERIOD);
}

static void write_index_kept(void)
{
    wrmsr(GLOBAL_CTRL, 0);
    acknowledge();
    end_of_interrupt();
    wrmsr(GLOBAL_CTRL, 1);
}

PLANT handler_keeps_write_index(void)
{
    handler = write_index_kept;
    start_arch(PEBS, 128); /* two records */
    work(100 * PERIOD);
}

PLANT buffer_on_code(void)
{
    start_arch((uint32_t)pmi & 0xfffff000, 0x800);
    wrmsr(GLOBAL_CTRL, 0);
    wrmsr(PEBS_INDEX, 0);
}

static void no_eoi(void)
{
    stop();
    acknowledge();
    reset_index();
    *apic(LVTPC) = VECTOR;
    pmis++;
}

static void mask_kept(void)
{
    stop();
    acknowledge();
    reset_index();
    pmis++;
}

/* After the first interrupt, starts again for about 4500 instructions: four records, and the last one interrupts.
 */
ALWAYS void start_twice(void)
{
    start();
    work(100 * PERIOD);
    pmis = 0;
    start();
    work(9 * PERIOD / 10);
    stop();
}

PLANT handler_without_eoi(void)
{
    handler = no_eoi;
    start_twice();
    *apic(EOI) = 0;
}

PLANT nmi_keeps_mask(void)
{
    handler = mask_kept;
    *apic(LVTPC) = NMI_DELIVERY;
    start_twice();
}

/* The APIC rejects the vector: no interrupt arrives. */
PLANT vector_rejected(void)
{
    *apic(LVTPC) = 8;
    start();
    work(PERIOD);
}

static const struct {
    unsigned processor; /* CPUID.1:EAX without the stepping */
    void (*plant)(void);
} mistakes[] = {

    { SKYLAKE, buffer_in_a_device },      { SKYLAKE, handler_without_eoi },
    { SKYLAKE, nmi_keeps_mask },          { SKYLAKE, vector_rejected },
    { CLEARWATERFOREST, buffer_on_code }, { CLEARWATERFOREST, handler_keeps_write_index },
};

static uint64_t gate(uint16_t code, uint32_t entry)
{
    return (entry & 0xffff) | (uint32_t)code << 16 | (uint64_t)(0x8e00 | (entry & 0xffff0000)) << 32;
}

_Noreturn void main(void);
void main(void)
{
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) table = { sizeof(idt) - 1, (uint32_t)idt };
    uint32_t signature;
    uint16_t code;

    __asm__("cpuid" : "=a"(signature) : "a"(1) : "ebx", "ecx", "edx");
    __asm__("mov %%cs, %0" : "=r"(code));
    idt[VECTOR] = idt[NMI] = gate(code, (uint32_t)pmi);
    for (uint32_t i = 0; i < 1024; i++)
        directory[i] = i << 22 | MAPPED;
    out8(0x21, 0xff); /* the interrupt controllers of the first PC */
    out8(0xa1, 0xff);
    __asm__ volatile("lidt %0\n\t mov %%cr4, %%eax\n\t or $0x10, %%eax\n\t mov %%eax, %%cr4\n\t mov %1, %%cr3\n\t"
                     "mov %%cr0, %%eax\n\t or $0x80000000, %%eax\n\t mov %%eax, %%cr0" ::"m"(table),
                     "r"(directory)
                     : "eax", "memory");
    *apic(SPURIOUS) = 0x1ff;
    __asm__ volatile("sti");
    for (size_t i = 0; i < COUNT; i++) {
        if (mistakes[i].processor == (signature & PROCESSOR)) {
            set_up();
            mistakes[i].plant();
        }
    }
    stop();
    for (;;)
        out8(0xf4, 16);
}
