/* SPDX-License-Identifier: MIT */
/* Which processors start, and whether they differ. */
#include "suite/suite.h"

#include "suite/all_cpus/all_cpus.h"
#include "kernel/secondary_cpus.h"

static void all_start(struct test_run *run)
{
    const char *problem = cpus_start(run, CPUS_ALL);
    unsigned started = 0;

    if (problem) {
        test_skip(run, problem);
        return;
    }
    for (unsigned n = 0; n < cpus_count(); n++)
        started += cpus_member(n)->started;
    if (started != cpus_count())
        test_fail(run, "%u of %u processors start", started, cpus_count());
}

static void all_alike(struct test_run *run)
{
    const char *problem = cpus_start(run, CPUS_ALL);
    unsigned differ = 0;

    if (problem) {
        test_skip(run, problem);
        return;
    }
    for (unsigned n = 0; n < cpus_count(); n++)
        differ += cpus_member(n)->differs;
    if (differ)
        test_fail(run, "%u of %u processors differ from the first of their kind of core: see the lines above", differ,
                  cpus_count());
}

TESTS(processors) = {
    { "all_cpus.start", "Every processor that firmware's table enables starts", ACPI_MADT "; " SDM_MP,
      .typical = "The manual promises this for existing processors, but firmware lists some that do not exist.",
      .needs = NEED_APIC, .on_request = true, .run = all_start },
    { "all_cpus.alike",
      "All processors have the capabilities of the first of their kind of core, and its microcode revision",
      SDM_PERFMON_1, .typical = "No manual promises this for all processors of a machine.", .needs = NEED_APIC,
      .on_request = true, .run = all_alike },
};
