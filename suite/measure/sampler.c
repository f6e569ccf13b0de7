/* SPDX-License-Identifier: MIT */
#include "suite/measure/sampler.h"

#include "arch/x86/cpu.h"
#include "kernel/dump.h"
#include "kernel/memory.h"
#include "suite/support/pebs_compare.h"
#include "suite/support/pebs_sample.h"

#define GROUPS PEBS_DATA_CFG_GPRS

unsigned sampler_room(const struct caps *caps)
{
    return pebs_room(caps, GROUPS);
}

bool sampler_open(struct test_run *run, const struct pebs_event *event, const struct workload *workload,
                  unsigned period, struct window *window)
{
    const struct pebs_sample sample = { .event = event,
                                        .workload = workload,
                                        .counter = pebs_counter(run->caps, event),
                                        .period = period,
                                        .data_cfg = GROUPS };

    if (!pebs_sample_open(run, &sample) || !pebs_sample_arm(run, &sample))
        return false;
    *window = pebs_sample_window(run, &sample);
    return true;
}

void sampler_close(struct test_run *run)
{
    ds_close();
    dump_pebs(0, ds_pebs_log(), run->data_source);
    dump_flush();
    records_check_log(run, "PEBS", ds_pebs_log());
    pebs_compare(run);
}

const char *sampler_lacks(const struct caps *caps, const struct pebs_event *event)
{
    return event->counters & caps->pebs_counters ? NULL : "no counter of this processor can sample it";
}

/* Every processor with PEBS has SSE2. */
void sampler_prepare(void)
{
    workload_x87_prepare();
    sse_enable();
}

static void load(const uint8_t *address)
{
    (void)*(const volatile uint8_t *)address;
}

/* Also flushes the lines, which evicts them even from a huge last-level cache. */
bool sampler_displace(unsigned bytes)
{
    const uint8_t *block = memory_block(bytes);

    if (!block)
        return false;
    for (unsigned i = 0; i < WORKLOAD_STEPS_LINES; i++)
        load(&workload_steps_loads_cold[i * WORKLOAD_STEPS_STRIDE]);
    for (unsigned i = 0; i < bytes; i += WORKLOAD_STEPS_LINE)
        load(&block[i]);
    load(workload_steps_loads_warm);
    return true;
}

static bool behind(const struct caps *caps, const struct pebs_record *record)
{
    return !(record->has & PEBS_HAS_EVENTING_IP) && caps->pebs_trap_like;
}

bool sampler_inside(const struct caps *caps, const struct workload *workload, const struct pebs_record *record)
{
    const uint64_t ip = pebs_sampled_ip(record);

    return behind(caps, record) ? ip > workload->start && ip <= workload->limit
                                : ip >= workload->start && ip < workload->limit;
}

int sampler_position(const struct caps *caps, const struct steps *steps, const struct pebs_record *record)
{
    const int position = steps_position(steps, pebs_sampled_ip(record));

    return position < 0 ? -1 : position - behind(caps, record);
}
