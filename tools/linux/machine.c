/* SPDX-License-Identifier: MIT */
#include "tools/linux/machine.h"

#include <cpuid.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cpu/cores.h"
#include "pebs/layout/arch_pebs.h"
#include "tools/linux/perf.h"

#define DEVICES          "/sys/bus/event_source/devices/"
#define TEXT_SIZE        4096u
#define ARCH_PEBS_LEAVES 0x30u
#define MISC_PERFMON     (UINT64_C(1) << 7) /* bits of IA32_MISC_ENABLE */
#define MISC_NO_BTS      (UINT64_C(1) << 11)
#define MISC_NO_PEBS     (UINT64_C(1) << 12)

struct kind core_kinds[KINDS_MAX];
unsigned kind_count;
static unsigned processors;
static bool has_bts, has_pebs; /* the flags that Linux derives from IA32_MISC_ENABLE */
static uint32_t microcode;

void note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("# ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

/* The first line of a file, made from the format; "" if it cannot be read. */
__attribute__((format(printf, 2, 3))) static bool slurp(char text[TEXT_SIZE], const char *format, ...)
{
    char path[256];
    va_list args;

    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    FILE *const file = fopen(path, "r");
    text[0] = '\0';
    const bool read = file && fgets(text, TEXT_SIZE, file);
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return read;
}

static unsigned number_in(const char *pmu, const char *file)
{
    char text[TEXT_SIZE];

    return slurp(text, DEVICES "%s/%s", pmu, file) ? (unsigned)strtoul(text, NULL, 10) : 0;
}

bool pin(unsigned cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static struct caps_leaf read_leaf(uint32_t leaf, uint32_t subleaf)
{
    struct caps_leaf l = { .valid = true };

    __cpuid_count(leaf, subleaf, l.eax, l.ebx, l.ecx, l.edx);
    note("cpuid 0x%" PRIx32 " %" PRIu32 ": 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32, leaf, subleaf,
         l.eax, l.ebx, l.ecx, l.edx);
    return l;
}

/* The flags and the microcode's revision in /proc/cpuinfo; those of the first processor hold for all. */
static void read_cpuinfo(void)
{
    char text[TEXT_SIZE];
    FILE *const file = fopen("/proc/cpuinfo", "r");

    while (file && fgets(text, sizeof text, file) && !(has_bts && microcode)) {
        if (strncmp(text, "microcode", 9) == 0)
            microcode = (uint32_t)strtoul(strchr(text, ':') + 1, NULL, 0);
        if (strncmp(text, "flags", 5) != 0)
            continue;
        text[strcspn(text, "\n")] = ' ';
        has_bts = strstr(text, " bts ") != NULL;
        has_pebs = strstr(text, " pebs ") != NULL;
        if (!has_bts)
            break;
    }
    if (file)
        fclose(file);
}

/*
 * Capabilities from CPUID, and from what Linux found out by MSRs, which programs cannot read. IA32_PERF_CAPABILITIES
 * remains unknown except for architectural PEBS, so the forms of raw records do, too.
 */
static void fill_caps(struct kind *kind)
{
    struct caps_input input = { .ia32e_active = true, .debugctl_lbr = CAPS_HOLDS, .arch_lbr_control = CAPS_HOLDS };

    caps_read_leaves(&input, read_leaf);
    input.misc_enable =
        (struct caps_msr){ true, MISC_PERFMON | (has_bts ? 0 : MISC_NO_BTS) | (has_pebs ? 0 : MISC_NO_PEBS) };
    if ((input.leaf_23.eax & ARCH_PEBS_LEAVES) == ARCH_PEBS_LEAVES)
        input.perf_capabilities = (struct caps_msr){ true, ARCH_PEBS_FORMAT << 8 }; /* Linux has no flag for it */
    input.ds_area = has_bts || has_pebs ? CAPS_HOLDS : CAPS_NOT_TRIED;
    input.pebs_base = kind->precise ? CAPS_HOLDS : CAPS_NOT_TRIED;
    input.bios_sign_id = (struct caps_msr){ true, (uint64_t)microcode << 32 };
    caps_fill(&input, &kind->caps);
    kind->apic_id = input.leaf_1.ebx >> 24;
}

struct perf_event_attr machine_architectural(const struct kind *kind, uint64_t event)
{
    return perf_event(PERF_TYPE_HARDWARE, event | (kind->name ? (uint64_t)kind->type << PERF_PMU_TYPE_SHIFT : 0));
}

/* What Linux offers of each facility on this kind. */
static void find_facilities(struct kind *kind)
{
    struct recording r = { .attr = { machine_architectural(kind, PERF_COUNT_HW_BRANCH_INSTRUCTIONS) },
                           .workload = &workload_nothing };

    r.attr[0].sample_period = 1;
    r.attr[0].sample_type |= PERF_SAMPLE_ADDR;
    if (!has_bts)
        kind->absent[0] = "Linux finds no BTS on this processor (the flag bts in /proc/cpuinfo)";
    else if (!kind->bts_type) {
        perf_record(&r, kind->cpu);
        kind->absent[0] = r.refused;
    }
    kind->absent[1] = kind->precise ? NULL : "Linux offers no precise events here (caps/max_precise)";
    kind->absent[2] = kind->depth ? NULL : "Linux offers no branch stacks here (caps/branches)";
}

static const char *add_kind(const char *pmu, const char *name, const cpu_set_t *allowed)
{
    struct kind *const kind = &core_kinds[kind_count];
    char text[TEXT_SIZE];
    unsigned count = 0, first = 0;

    *kind = (struct kind){ .name = name, .suffix = kind_count ? name : NULL };
    snprintf(kind->pmu, sizeof kind->pmu, "%s", pmu);
    /* A hybrid's processors as a list of ranges. */
    if (!name)
        snprintf(text, sizeof text, "0-%u", CPU_SETSIZE - 1);
    else if (!slurp(text, DEVICES "%s/cpus", pmu))
        return NULL;
    for (char *at = text; *at >= '0' && *at <= '9'; at += *at == ',') {
        const unsigned from = (unsigned)strtoul(at, &at, 10),
                       to = *at == '-' ? (unsigned)strtoul(at + 1, &at, 10) : from;
        for (unsigned cpu = from; cpu <= to && cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, allowed))
                first = count++ ? first : cpu;
    }
    if (!count)
        return NULL;
    kind->cpu = first;
    kind->processors = count;
    kind->type = number_in(pmu, "type");
    kind->bts_type = number_in("intel_bts", "type");
    kind->precise = number_in(pmu, "caps/max_precise");
    kind->depth = number_in(pmu, "caps/branches");
    if (!pin(first))
        return "this process may not run on a processor that the tests need; permit it with taskset";
    kind_count++;
    return NULL;
}

const char *machine_find(void)
{
    static const struct {
        const char *pmu, *name;
    } pmus[] = { { "cpu", NULL }, { "cpu_core", "core" }, { "cpu_atom", "atom" }, { "cpu_lowpower", "kind" } };
    const char *why = NULL;
    char text[TEXT_SIZE];
    cpu_set_t allowed;

    sched_getaffinity(0, sizeof allowed, &allowed);
    processors = (unsigned)CPU_COUNT(&allowed);
    read_cpuinfo();
    for (size_t i = 0; i < sizeof pmus / sizeof *pmus && !why; i++)
        if (slurp(text, DEVICES "%s/type", pmus[i].pmu))
            why = add_kind(pmus[i].pmu, pmus[i].name, &allowed);
    if (!kind_count)
        add_kind("cpu", NULL, &allowed);
    for (unsigned i = 0; i < kind_count; i++) {
        pin(core_kinds[i].cpu);
        fill_caps(&core_kinds[i]);
        find_facilities(&core_kinds[i]);
    }
    pin(core_kinds[0].cpu);
    if (!core_kinds[0].caps.intel)
        return "this is not an Intel processor";
    if (core_kinds[0].type && !why) {
        struct recording r = { .attr = { perf_event(core_kinds[0].type, 0xc0) }, .workload = &workload_nothing };
        perf_record(&r, core_kinds[0].cpu);
        why = r.refused;
    }
    if (why || core_kinds[0].type)
        return why;
    return core_kinds[0].caps.hypervisor
               ? "Linux offers no processor's counters: the hypervisor exposes no performance monitoring"
               : "Linux offers no processor's counters (" DEVICES "cpu)";
}

/* The lines in which Linux says what it found. */
static void say_kernel_log(void)
{
    static const char *const wanted[] = { "Performance Events", "PEBS ", "perf: ", "page tables isolation" };
    const int size = klogctl(10, NULL, 0);
    char *const text = size > 0 ? malloc((size_t)size + 1) : NULL;
    const int length = text ? klogctl(3, text, size) : -1;

    if (length < 0)
        note("linux log: not permitted to this user");
    else
        text[length] = '\0';
    for (char *at = text, *line; length > 0 && (line = strsep(&at, "\n")) != NULL;)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (strstr(line, wanted[i])) {
                const char *const rest = strchr(line, ']');
                note("linux log:%s", rest ? rest + 1 : line);
                break;
            }
    free(text);
}

static void say_kind(const struct kind *kind)
{
    static const char *const names[] = { "bts", "pebs", "lbr" };
    const struct caps *const c = &kind->caps;

    if (kind->name)
        note("cpu %u apic 0x%x %s %s, kind %s: %u of %u processors", kind->cpu, kind->apic_id,
             c->core_type == CORE_TYPE_CORE ? "Core" : "Atom", c->core ? c->core : "unknown", kind->name,
             kind->processors, processors);
    note("linux %s: perf type %" PRIu32 ", max_precise %u, branches %u, intel_bts type %" PRIu32, kind->pmu, kind->type,
         kind->precise, kind->depth, kind->bts_type);
    if (has_bts && !kind->bts_type)
        note("linux offers no intel_bts (page-table isolation), so BTS is asked for by branches with a period of 1, "
             "without the prediction bit");
    for (unsigned i = 0; i < FACILITIES; i++)
        if (kind->absent[i])
            note("%s none: %s", names[i], kind->absent[i]);
}

void machine_say(void)
{
    const struct caps *const c = &core_kinds[0].caps;
    char text[TEXT_SIZE];
    struct utsname linux_name;

    if (uname(&linux_name) == 0)
        note("linux %s", linux_name.release);
    note("cpu %s %02x_%02x stepping %u, %s, microcode 0x%" PRIx32 ", %s", c->vendor, c->family, c->model, c->stepping,
         c->core ? c->core : "unknown core", c->microcode, c->brand);
    if (c->hypervisor)
        note("hypervisor %s", c->hypervisor_name);
    note("perfmon version %u, %u general counters of %u bits, %u fixed", c->perfmon_version, c->general_count,
         c->general_width, c->fixed_count);
    if (slurp(text, "/proc/sys/kernel/perf_event_paranoid"))
        note("linux perf_event_paranoid %s", text);
    if (slurp(text, "/proc/sys/kernel/nmi_watchdog"))
        note("linux nmi_watchdog %s%s", text, text[0] == '1' ? ": it uses a counter" : "");
    say_kernel_log();
    for (unsigned i = 0; i < kind_count; i++)
        say_kind(&core_kinds[i]);
}

bool machine_event(const struct kind *kind, const char *name, struct perf_event_attr *attr)
{
    char terms[TEXT_SIZE], place[TEXT_SIZE], which[16];
    unsigned low;

    if (!slurp(terms, DEVICES "%s/events/%s", kind->pmu, name))
        return false;
    for (char *at = terms, *term; (term = strsep(&at, ",")) != NULL;) { /* event=0xcd,umask=0x1,ldlat=3 */
        char *const value = strchr(term, '=');
        if (value)
            *value = '\0';
        if (!slurp(place, DEVICES "%s/format/%s", kind->pmu, term) ||
            sscanf(place, "%15[a-z0-9]:%u", which, &low) != 2 || low > 63)
            return false;
        const uint64_t bits = (value ? strtoull(value + 1, NULL, 0) : 1) << low;
        if (strcmp(which, "config1") == 0)
            attr->config1 |= bits;
        else
            attr->config |= bits;
    }
    return true;
}
