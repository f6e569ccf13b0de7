/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callbacks of CPUID, MSR accesses, RDPMC, HLT, reset, and of instructions that empty caches.
 *
 * Native CPUID and RDMSR run, and the model changes the registers before the next instruction. A block that begins
 * after one of them is recognised by the bytes before it. Native WRMSR also runs, because QEMU ignores unknown
 * registers. Thus no block is left in its middle, where QEMU's own state is incomplete.
 */
#include "model/qemu/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/engine/cpuid.h"
#include "model/engine/data.h"
#include "model/engine/engine.h"
#include "model/engine/msr.h"
#include "model/engine/rules.h"
#include "model/faults/quirks.h"
#include "model/referee/referee_report.h"

#define MSR_IA32_APIC_BASE 0x1b
#define MSR_X2APIC_LVTPC   0x834
#define MSR_FAULTING       0x8ff /* an x2APIC register that does not exist: QEMU raises #GP in both APIC modes */

/* CPUID leaves of the features that a profile requires */
#define FEATURES          0x00000001
#define MORE_FEATURES     0x00000007
#define EXTENDED_FEATURES 0x80000001
#define CLOCKS            0x00000015

#define CR4_PCE (UINT64_C(1) << 8)

void on_cpuid(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    uint32_t asked = (uint32_t)processor_read(p, RAX);

    engine_settle(&p->vcpu, site->place);
    p->fix_cpuid = true;
    p->leaf = cpuid_leaf(&p->vcpu, asked);
    p->subleaf = (uint32_t)processor_read(p, RCX);
    uint32_t leaf = p->leaf, subleaf = p->subleaf;

    if (leaf == CLOCKS)
        processor_measure_tsc(p);
    cpuid_ask(&p->vcpu, &leaf, &subleaf);
    if (leaf != asked)
        processor_write(p, RAX, leaf);
    if (subleaf != p->subleaf)
        processor_write(p, RCX, subleaf);
    p->vcpu.hot->fix_up = 1;
}

/*
 * QEMU's -cpu may contradict the profile. Missing features that firmware may disable are reported once, and the guest
 * continues. Guests without long mode can run in qemu-system-i386, which lacks it.
 */
static void check_features(const struct processor *p, uint32_t leaf, const uint32_t regs[4])
{
    const struct profile_feature *missing = cpuid_missing_feature(&p->vcpu, leaf, regs);

    if (missing == NULL || (p->registers[R8] == NULL && leaf != FEATURES) || (missing->firmware && model.warned))
        return;
    model.warned = true;
    fprintf(stderr, "dsmodel: profile=%s has %s, and QEMU's -cpu lacks it: %s\n", model.options.profile->name,
            missing->name,
            missing->firmware ? "the guest runs without it, as if firmware had disabled it" : "use -cpu max");
    if (!missing->firmware)
        exit(1);
}

void fix_up(struct processor *p)
{
    p->vcpu.hot->fix_up = 0;
    if (!p->fix_cpuid) {
        processor_write(p, RAX, (uint32_t)p->msr_value);
        processor_write(p, RDX, p->msr_value >> 32);
        return;
    }
    static const unsigned order[4] = { RAX, RBX, RCX, RDX };
    uint32_t regs[4];

    for (unsigned i = 0; i < 4; i++)
        regs[i] = (uint32_t)processor_read(p, order[i]);
    if (p->leaf != MORE_FEATURES || p->subleaf == 0)
        check_features(p, p->leaf, regs);
    cpuid_read(&p->vcpu, p->leaf, p->subleaf, regs);
    for (unsigned i = 0; i < 4; i++)
        processor_write(p, order[i], regs[i]);
}

void on_fix_up(unsigned cpu, void *udata)
{
    (void)udata;
    fix_up(model.processors[cpu]);
}

static void make_fault(struct processor *p)
{
    p->faulting = true;
    p->saved_rcx = processor_read(p, RCX);
    processor_write(p, RCX, MSR_FAULTING);
}

void on_rdmsr(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    uint32_t address = (uint32_t)processor_read(p, RCX);
    uint64_t value;

    if (site->place.block->cpl != 0)
        return; /* the native instruction raises the exception */
    if (address == MSR_X2APIC_LVTPC && processor_in_x2apic_mode(p)) {
        value = p->x2apic_lvtpc;
    } else if (model.options.quirks == 0 || !quirks_rdmsr(&p->vcpu, address, &value)) {
        enum msr_answer answer = engine_rdmsr(&p->vcpu, address, &value, site->place);

        if (answer == MSR_GP)
            make_fault(p);
        if (answer != MSR_DONE)
            return;
    }
    p->fix_cpuid = false;
    p->msr_value = value;
    p->vcpu.hot->fix_up = 1;
}

void on_wrmsr(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    uint32_t address = (uint32_t)processor_read(p, RCX);
    uint64_t value = (uint32_t)processor_read(p, RAX) | processor_read(p, RDX) << 32;

    if (site->place.block->cpl != 0)
        return;
    if (address == MSR_X2APIC_LVTPC && processor_in_x2apic_mode(p))
        p->x2apic_lvtpc = (uint32_t)value;
    else if (address == MSR_IA32_APIC_BASE && !processor_in_x2apic_mode(p))
        p->x2apic_lvtpc = processor_host.lvtpc(p); /* LVTPC, in case this WRMSR switches the APIC mode */
    if (model.options.quirks != 0)
        quirks_wrmsr(&p->vcpu, address, value);
    const bool refused = quirks_refuse(model.options.quirks, address, value) && processor_in_x2apic_mode(p);
    const enum msr_answer answer = refused ? MSR_GP : engine_wrmsr(&p->vcpu, address, value, site->place);

    if (answer == MSR_GP)
        make_fault(p);
    choose_translations(p, site->place.block); /* QEMU ends a block after WRMSR */
    enter_ring_0(p);
}

void on_rdpmc(unsigned cpu, void *udata)
{
    const struct site *site = udata;
    struct processor *p = model.processors[cpu];
    const struct place behind = { site->place.block, site->place.index + 1 };
    uintptr_t here = (uintptr_t)__builtin_return_address(0);
    uint64_t value;

    if (site->place.block->cpl != 0 && !(processor_read(p, NAME_CR4) & CR4_PCE))
        return; /* the native instruction raises the exception */
    if (engine_rdpmc(&p->vcpu, (uint32_t)processor_read(p, RCX), &value, site->place) != MSR_DONE) {
        processor_look(p);
        qemu_private_general_protection(&p->private, here);
        return;
    }
    processor_write(p, RAX, (uint32_t)value);
    processor_write(p, RDX, value >> 32);
    if (leave_prepare(p, behind, here)) /* until then translations may be shared, so the address may differ */
        qemu_plugin_set_pc(processor_read(p, NAME_RIP) + site->next - site->pc);
    engine_leave(&p->vcpu, behind);
    processor_go_to(behind.block, site->next); /* losing the flags is better than running an RDPMC that QEMU lacks */
}

/* Runs before HLT and MWAIT: an interrupt that is raised now wakes the instruction up. */
void on_halt(unsigned cpu, void *udata)
{
    const struct site *site = udata;

    engine_halt(&model.processors[cpu]->vcpu, site->place);
}

static uint64_t operand_address(struct processor *p, const struct flush *f)
{
    const struct insn_operand *const o = &f->operand;
    uint64_t address = (uint64_t)(int64_t)o->displacement;

    address += o->relative ? f->next : o->base != INSN_NO_REGISTER ? processor_general(p, o->base) : 0;
    address += o->index != INSN_NO_REGISTER ? processor_general(p, o->index) << o->shift : 0;
    address = o->narrow ? (uint32_t)address : address;
    return address + (o->segment == 'f'   ? processor_read(p, NAME_FS_BASE)
                      : o->segment == 'g' ? processor_read(p, NAME_GS_BASE)
                                          : 0);
}

/*
 * Runs before an instruction that empties caches or TLBs. SDM Vol. 3A (253668-083), "Operations that Invalidate TLBs
 * and Paging-Structure Caches".
 */
void on_flush(unsigned cpu, void *udata)
{
    const struct flush *const f = udata;
    struct processor *const p = model.processors[cpu];
    struct vcpu *const v = &p->vcpu;

    engine_flush_caches(v);
    if (f->hook == HOOK_FLUSH || f->hook == HOOK_CLWB) {
        data_flush_line(v, operand_address(p, f), f->hook == HOOK_CLWB);
        return;
    }
    if (f->cpl != 0)
        return; /* the native instruction raises the exception */
    const uint64_t cr4 = processor_read(p, NAME_CR4);
    uint64_t changed;

    switch (f->hook) {
    case HOOK_WBINVD:
    case HOOK_WBNOINVD:
        data_flush_caches(v, f->hook == HOOK_WBNOINVD);
        break;
    case HOOK_INVLPG:
        v->rules->data_flush_page(v, operand_address(p, f));
        break;
    case HOOK_CR0:
        if ((processor_read(p, NAME_CR0) & CR0_PG) && !(processor_general(p, f->operand.base) & CR0_PG))
            v->rules->data_flush_tlbs(v, true);
        break;
    case HOOK_CR3:
        v->rules->data_flush_tlbs(v, !(cr4 & CR4_PGE));
        break;
    case HOOK_CR4:
        changed = processor_general(p, f->operand.base) ^ cr4;
        if (changed & (CR4_PGE | CR4_PAE))
            v->rules->data_flush_tlbs(v, (changed & CR4_PGE) || !(cr4 & CR4_PGE));
        break;
    default:
        break;
    }
}

/* Perhaps the first instruction after INIT and SIPI: INIT clears QEMU's offset of the TSC, but not IA32_TSC_ADJUST. */
void on_start(unsigned cpu, void *udata)
{
    struct processor *const p = model.processors[cpu];
    struct vcpu *const v = &p->vcpu;

    (void)udata;
    processor_look(p); /* perhaps this processor runs only code that others have translated */
    processor_reset(p);
    msr_adjust_tsc(v, v->regs[REG_IA32_TSC_ADJUST]);
}

/*
 * A triple fault raises at least three exceptions without delivering one: the first one, a double fault because the
 * first could not be delivered, and the exception when the double fault is delivered. Other resets follow an
 * instruction.
 */
void report_triple_faults(void)
{
    for (unsigned i = 0; i < MAX_PROCESSORS; i++) {
        struct processor *const p = model.processors[i];

        if (p != NULL && p->raised >= 3 && !p->fell && model.options.violations != NULL) {
            p->fell = true;
            fprintf(model.options.violations,
                    "%striple-fault vcpu=%u rip=0x%" PRIx64
                    ": the exception of this instruction cannot be delivered, nor a "
                    "double fault; the processor shuts down\n",
                    referee_report_break(&p->vcpu), i, p->raised_at);
        }
    }
}

/*
 * The first instruction after RESET, which resets all processors, or after INIT, which keeps MSRs. SDM Vol. 3A
 * (253668-083), "Processor State After Reset".
 */
void on_reset(unsigned cpu, void *udata)
{
    static const uint32_t leaves[] = { FEATURES, MORE_FEATURES, EXTENDED_FEATURES };
    uint32_t regs[4];
    struct processor *p = model.processors[cpu];

    processor_look(p);
    if (!qemu_private_was_reset(&p->private)) {
        on_start(cpu, udata);
        return;
    }
    report_triple_faults();
    for (unsigned i = 0; i < MAX_PROCESSORS; i++) { /* the others wait for INIT and SIPI */
        if (model.processors[i] != NULL) {
            engine_reset(&model.processors[i]->vcpu);
            processor_reset(model.processors[i]);
        }
    }
    for (unsigned i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
        if (qemu_private_cpuid(&p->private, leaves[i], regs))
            check_features(p, leaves[i], regs);
}
