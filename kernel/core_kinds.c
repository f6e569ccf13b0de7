/* SPDX-License-Identifier: MIT */
#include "kernel/core_kinds.h"

#include <stddef.h>

#include "arch/x86/devices/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/devices/processors.h"
#include "lib/format.h"
#include "cpu/cores.h"
#include "kernel/console.h"
#include "kernel/secondary_cpus.h"

#define LEAF_KIND  0x1au
#define LOOKS_MOST 1000000u /* PAUSEs, many more than a processor needs to report its kind */

#define TYPE(eax)   ((eax) >> 24)
#define NATIVE(eax) ((eax)&0xffffffu)

static struct kind kinds[KINDS_MOST];
static uint32_t leaves[KINDS_MOST]; /* CPUID.1AH:EAX of each */
static unsigned count, beyond, silent;
static bool hybrid;
static char selected[64];

/* What a started processor reports about itself. */
static volatile uint32_t seen;

static void look(unsigned number)
{
    (void)number;
    seen = cpuid(0, 0).eax >= LEAF_KIND ? cpuid(LEAF_KIND, 0).eax : 0;
}

static const char *type_name(uint32_t leaf)
{
    return TYPE(leaf) == CORE_TYPE_CORE ? "core" : TYPE(leaf) == CORE_TYPE_ATOM ? "atom" : "kind";
}

/* The name of the next kind, if `same` earlier kinds have the same base name. */
static const char *name_of(uint32_t leaf, unsigned same)
{
    static char names[KINDS_MOST][8];

    if (!same)
        return type_name(leaf);
    format(names[count], sizeof names[count], "%s%u", type_name(leaf), same + 1);
    return names[count];
}

static void add(uint32_t leaf, unsigned number, uint32_t apic_id)
{
    unsigned same = 0;

    for (unsigned i = 0; i < count; i++) {
        if (leaves[i] == leaf) {
            kinds[i].processors++;
            return;
        }
        same += type_name(leaves[i]) == type_name(leaf);
    }
    if (count == KINDS_MOST) {
        beyond++;
        return;
    }
    leaves[count] = leaf;
    kinds[count] = (struct kind){
        .name = hybrid ? name_of(leaf, same) : NULL, .number = number, .apic_id = apic_id, .processors = 1
    };
    kinds[count].suffix = count ? kinds[count].name : NULL;
    count++;
}

static void ask(unsigned number)
{
    if (!secondary_cpus_start(number, look)) {
        silent++;
        return;
    }
    for (unsigned i = 0; !processor_done(number) && i < LOOKS_MOST; i++)
        cpu_pause();
    if (processor_done(number))
        add(seen, number, secondary_cpus_id(number));
    else
        silent++;
    processors_stop();
}

void core_kinds_init(const struct caps *boot)
{
    hybrid = boot->hybrid;
    add((uint32_t)boot->core_type << 24 | boot->native_model, 0, apic_present() ? apic_id() : 0);
    kinds[0].caps = *boot;
    for (unsigned n = 1; hybrid && n <= secondary_cpus_count(); n++)
        ask(n);
}

unsigned core_kinds_count(void)
{
    return count;
}

struct kind *core_kind_number(unsigned index)
{
    return &kinds[index];
}

bool core_kind_is_selected(const struct options *options, const struct kind *kind)
{
    const uint32_t type = TYPE(leaves[kind - kinds]);

    switch (options->kinds) {
    case OPTIONS_KINDS_ALL:
        break;
    case OPTIONS_KINDS_FIRST:
        return kind == kinds;
    case OPTIONS_KINDS_CORE:
        return type == CORE_TYPE_CORE;
    case OPTIONS_KINDS_ATOM:
        return type == CORE_TYPE_ATOM;
    }
    return true;
}

/* The name of the type, with the native model if the table has no core with that model. */
static void describe(const struct kind *kind, char *text, size_t size)
{
    const uint32_t leaf = leaves[kind - kinds];
    const struct caps *const boot = &kinds[0].caps;
    const char *const core =
        core_find_kind(boot->intel ? boot->family : 0, boot->model, TYPE(leaf), NATIVE(leaf))->name;
    const char *const type = TYPE(leaf) == CORE_TYPE_CORE   ? "Core"
                             : TYPE(leaf) == CORE_TYPE_ATOM ? "Atom"
                                                            : "of an unknown type,";

    if (core)
        format(text, size, "%s %s", type, core);
    else
        format(text, size, "%s native model 0x%x", type, (unsigned)NATIVE(leaf));
}

void core_kinds_say(void)
{
    char text[64];

    for (unsigned i = 0; hybrid && i < count; i++) {
        describe(&kinds[i], text, sizeof text);
        console_note("cpu %u apic 0x%x %s, kind %s: %u of %u processors", kinds[i].number, (unsigned)kinds[i].apic_id,
                     text, kinds[i].name, kinds[i].processors, secondary_cpus_count() + 1);
    }
    if (beyond)
        console_note("kinds: %u processors are not tested, because only the first %u kinds are", beyond, KINDS_MOST);
    if (silent)
        console_note("kinds unknown: %u processors do not start; run=all_cpus.* names them", silent);
}

void core_kind_say(const struct kind *kind)
{
    char text[64];

    describe(kind, text, sizeof text);
    console_note("tests on cpu %u apic 0x%x %s", kind->number, (unsigned)kind->apic_id, text);
}

const char *core_kinds_selected(const struct options *options, unsigned most)
{
    size_t used = 0;

    selected[0] = '\0';
    for (unsigned i = 0; i < count && most; i++)
        if (kinds[i].name && core_kind_is_selected(options, &kinds[i]) && most--)
            used += (size_t)format(selected + used, sizeof selected - used, "%s%s", used ? "," : "", kinds[i].name);
    return selected;
}
