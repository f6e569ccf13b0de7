/* SPDX-License-Identifier: MIT */
#include "tools/gdb/processor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu/msr_index.h"

#define CPUID_1_ECX_PDCM (1u << 15)
#define FIXED_CONCEALED  3u

bool processor_msr(const struct processor *p, uint32_t address, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < p->msr_count; i++) {
        if (p->msrs[i].address == address) {
            *value = p->msrs[i].value;
            return true;
        }
    }
    return false;
}

uint64_t processor_msr_or_0(const struct processor *p, uint32_t address)
{
    uint64_t value;

    processor_msr(p, address, &value);
    return value;
}

static struct caps_leaf subleaf(const struct processor *p, uint32_t leaf, uint32_t number)
{
    for (size_t i = 0; i < p->leaf_count; i++)
        if (p->leaves[i].leaf == leaf && p->leaves[i].subleaf == number)
            return p->leaves[i].regs;
    return (struct caps_leaf){ 0 };
}

/* As arch/x86/probe.c reads it: a leaf exists up to the last leaf of its range. */
static struct caps_leaf leaf_of(const struct processor *p, uint32_t leaf)
{
    const struct caps_leaf last = subleaf(p, leaf & 0x80000000u, 0);

    return last.eax < leaf || (last.eax ^ leaf) >> 31 ? (struct caps_leaf){ 0 } : subleaf(p, leaf, 0);
}

static struct caps_msr msr_of(const struct processor *p, uint32_t address)
{
    struct caps_msr r;

    r.valid = processor_msr(p, address, &r.value);
    return r;
}

/* An existing register returns the value that was written. */
static enum caps_probe probe_of(const struct processor *p, uint32_t address)
{
    uint64_t value;

    return processor_msr(p, address, &value) ? CAPS_HOLDS : CAPS_RAISES_GP;
}

static void find_caps(struct processor *p)
{
    struct caps_input in = { .leaf_0 = leaf_of(p, 0),
                             .leaf_1 = leaf_of(p, 1),
                             .leaf_7 = leaf_of(p, 7),
                             .leaf_a = leaf_of(p, 0xa),
                             .leaf_15 = leaf_of(p, 0x15),
                             .leaf_16 = leaf_of(p, 0x16),
                             .leaf_1a = leaf_of(p, 0x1a),
                             .leaf_1c = leaf_of(p, 0x1c),
                             .leaf_80000001 = leaf_of(p, 0x80000001),
                             .leaf_80000002 = leaf_of(p, 0x80000002),
                             .leaf_80000003 = leaf_of(p, 0x80000003),
                             .leaf_80000004 = leaf_of(p, 0x80000004),
                             .leaf_80000008 = leaf_of(p, 0x80000008),
                             .misc_enable = msr_of(p, MSR_IA32_MISC_ENABLE),
                             .bios_sign_id = msr_of(p, MSR_IA32_BIOS_SIGN_ID),
                             .ds_area = probe_of(p, MSR_IA32_DS_AREA),
                             .debugctl_lbr = probe_of(p, MSR_IA32_DEBUGCTL),
                             .pebs_base = probe_of(p, MSR_IA32_PEBS_BASE),
                             .arch_lbr_control = probe_of(p, MSR_IA32_LBR_CTL),
                             .ia32e_active = (p->efer & EFER_LMA) != 0 };
    struct caps_leaf *const counters[] = { &in.leaf_23,   &in.leaf_23_1, &in.leaf_23_2,
                                           &in.leaf_23_3, &in.leaf_23_4, &in.leaf_23_5 };

    if (in.leaf_1.ecx & CPUID_1_ECX_PDCM)
        in.perf_capabilities = msr_of(p, MSR_IA32_PERF_CAPABILITIES);
    if (in.leaf_7.valid && in.leaf_7.eax >= 1)
        in.leaf_7_1 = subleaf(p, 7, 1);
    for (unsigned i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        if (leaf_of(p, 0x23).valid && (i == 0 || in.leaf_23.eax >> i & 1))
            *counters[i] = subleaf(p, 0x23, i);
    for (unsigned n = 0; n < FIXED_CONCEALED; n++)
        in.fixed_answers |= (unsigned)(probe_of(p, MSR_IA32_FIXED_CTR(n)) == CAPS_HOLDS) << n;
    caps_fill(&in, &p->caps);
}

static bool read_line(const char *line, struct processor *p)
{
    struct {
        const char *name;
        uint64_t *value;
    } const registers[] = { { "cr0", &p->cr0 }, { "cr3", &p->cr3 },     { "cr4", &p->cr4 },  { "efer", &p->efer },
                            { "idt", &p->idt }, { "lvtpc", &p->lvtpc }, { "apic", &p->apic } };
    uint32_t n[6];
    uint64_t value;
    char name[16];

    if (sscanf(line, "cpuid %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32 " %" SCNx32, &n[0], &n[1], &n[2],
               &n[3], &n[4], &n[5]) == 6 &&
        p->leaf_count < PROCESSOR_LEAVES) {
        p->leaves[p->leaf_count].leaf = n[0];
        p->leaves[p->leaf_count].subleaf = n[1];
        p->leaves[p->leaf_count++].regs = (struct caps_leaf){ true, n[2], n[3], n[4], n[5] };
        return true;
    }
    if (sscanf(line, "msr %" SCNx32 " %" SCNx64, &n[0], &value) == 2 && p->msr_count < PROCESSOR_MSRS) {
        p->msrs[p->msr_count].address = n[0];
        p->msrs[p->msr_count++].value = value;
        return true;
    }
    if (sscanf(line, "register %15s %" SCNx64, name, &value) != 2)
        return false;
    for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
        if (strcmp(name, registers[i].name) == 0)
            *registers[i].value = value;
    p->idt_known |= strcmp(name, "idt") == 0;
    return true;
}

bool processor_read(const char *path, struct processor *out)
{
    FILE *file = fopen(path, "r");
    char line[256];
    unsigned number = 1;
    bool whole = false;

    if (file == NULL) {
        printf("%s: %s\n", path, strerror(errno));
        return false;
    }
    memset(out, 0, sizeof(*out));
    bool good = fgets(line, sizeof(line), file) != NULL && strncmp(line, "dsmodel state 1 ", 16) == 0;

    while (good && !whole && fgets(line, sizeof(line), file) != NULL) {
        number++;
        whole = strcmp(line, "end\n") == 0;
        good = whole || (strchr(line, '\n') != NULL && read_line(line, out));
    }
    const bool cut = !whole && feof(file);
    fclose(file);
    if (cut)
        printf("%s is incomplete: its last line is not \"end\"\n", path);
    else if (!good)
        printf("%s: line %u is not valid in a processor's state (docs/gdb.md)\n", path, number);
    else
        find_caps(out);
    return good && !cut;
}
