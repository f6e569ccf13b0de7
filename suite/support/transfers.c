/* SPDX-License-Identifier: MIT */
#include "suite/support/transfers.h"

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"

#define CPUID_1_EDX_SEP (1u << 11)

/* Kernel code is 08h, and its stack the next selector; SYSRET adds 8 for data and 16 for code to its base. */
#define STAR_SELECTORS  (UINT64_C(0x10) << 48 | UINT64_C(0x08) << 32)
#define SYSENTER_CODE   UINT64_C(0x08)
#define FMASK_INTERRUPT UINT64_C(0x200)

#define GATES   4u
#define CHANGES 4u

void workload_invalid_entry(void);
void workload_breakpoint_entry(void);
void workload_page_entry(void);
void workload_self_entry(void);
void workload_system_call_entry(void);

static const struct {
    unsigned vector;
    void (*entry)(void);
} gates[GATES] = {
    { VECTOR_INVALID_OPCODE, workload_invalid_entry },
    { VECTOR_BREAKPOINT, workload_breakpoint_entry },
    { VECTOR_PAGE_FAULT, workload_page_entry },
    { VECTOR_WORKLOAD_SELF, workload_self_entry },
};

static uint64_t gates_before[GATES];
static struct {
    uint32_t msr;
    uint64_t value;
} registers_before[CHANGES];
static unsigned registers_changed;
static bool sent;

const char *transfers_no_system_call(const struct caps *caps)
{
    return caps->ia32e_active || cpuid(1, 0).edx & CPUID_1_EDX_SEP ? NULL : "no SYSENTER (CPUID.1:EDX bit 11 clear)";
}

bool transfers_enter(uint64_t address)
{
    for (unsigned i = 0; i < GATES; i++)
        if ((uintptr_t)gates[i].entry == address)
            return true;
    return address == (uintptr_t)workload_interrupt_entry;
}

static void change(uint32_t msr, uint64_t value)
{
    registers_before[registers_changed].msr = msr;
    registers_before[registers_changed++].value = msr_get(msr);
    msr_write(msr, value);
}

void transfers_prepare(const struct caps *caps, const struct workload *workload)
{
    for (unsigned i = 0; i < GATES; i++) {
        gates_before[i] = interrupt_gate_address(gates[i].vector);
        interrupt_set_raw(gates[i].vector, gates[i].entry, false);
    }
    registers_changed = 0;
    if (caps->ia32e_active) {
        change(MSR_IA32_EFER, msr_get(MSR_IA32_EFER) | EFER_SCE);
        change(MSR_IA32_STAR, STAR_SELECTORS);
        change(MSR_IA32_LSTAR, (uintptr_t)workload_system_call_entry);
        change(MSR_IA32_FMASK, FMASK_INTERRUPT);
    } else if (!transfers_no_system_call(caps)) {
        change(MSR_IA32_SYSENTER_CS, SYSENTER_CODE);
        change(MSR_IA32_SYSENTER_EIP, (uintptr_t)workload_system_call_entry);
    }
    sent = workload == &workload_self;
    if (sent) {
        interrupts_off();
        apic_send_self(VECTOR_WORKLOAD_SELF);
    }
}

void transfers_restore(void)
{
    if (sent)
        apic_eoi();
    while (registers_changed--)
        msr_write(registers_before[registers_changed].msr, registers_before[registers_changed].value);
    for (unsigned i = 0; i < GATES; i++)
        interrupt_set_raw(gates[i].vector, (void (*)(void))(uintptr_t)gates_before[i], false);
}
