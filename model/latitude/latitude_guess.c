/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latitude of caches, branch prediction and clock. */

#include "model/engine/data_cache.h"
#include "model/latitude/choices.h"

#define LINE         UINT64_C(64)
#define PAGE         UINT64_C(4096)
#define QUEUE_ONE_IN 32  /* one in so many accesses waits for others */
#define MOST_QUEUE   800 /* maximum cycles of such a wait */

#define SOMETIMES   8                 /* a misprediction rate is a number out of this */
#define MOST_CYCLES UINT32_C(0x1ffff) /* since the previous branch: more than an entry has bits for */
#define UNTIMED_IN  8

/* --- caches and TLB ---------------------------------------------------------------------------------------------- */

static unsigned any_way(void *of, unsigned ways)
{
    return latitude_draw(of, FREEDOM_CACHES, ways - 1);
}

void latitude_choose_victims(struct vcpu *v)
{
    data_cache_replace(v->cache, latitude_has(v, FREEDOM_CACHES) ? any_way : NULL, v);
}

/* The prefetcher fetches ahead of ascending addresses, and now and then the other line of a pair. */
static void prefetch(struct vcpu *v, uint64_t address)
{
    const uint64_t ahead = address + LINE;
    uint64_t *last = &v->latitude->state.caches.last;

    if (address / LINE == *last / LINE + 1 && ahead / PAGE == address / PAGE)
        data_cache_load(v->cache, ahead);
    else if (latitude_draw(v, FREEDOM_CACHES, 3) == 0)
        data_cache_load(v->cache, address ^ LINE);
    *last = address;
}

enum data_level latitude_data_reach(struct vcpu *v, uint64_t address, bool store)
{
    const enum data_level level = data_reach(v, address, store);

    prefetch(v, address);
    return level;
}

unsigned latitude_data_latency(struct vcpu *v, enum data_level level)
{
    const unsigned least = data_latency(v, level);
    const bool queued = latitude_draw(v, FREEDOM_CACHES, QUEUE_ONE_IN - 1) == 0;

    return least + latitude_draw(v, FREEDOM_CACHES, queued ? MOST_QUEUE : least / 2);
}

/* A data source of the level. SDM Vol. 3B (253669-083), "Data Source Encoding for Load Latency Record". */
uint64_t latitude_data_source(struct vcpu *v, enum data_level level)
{
    static const uint8_t others[DATA_LEVELS] = {
        [LEVEL_L1] = 0x2,                         /* pending miss of the same line */
        [LEVEL_L2] = 0x2,       [LEVEL_L3] = 0x5, /* snooped another core without a modified copy */
        [LEVEL_MEMORY] = 0x0,                     /* unknown */
        [LEVEL_MODIFIED] = 0x6,
    };
    const uint64_t source = data_source(v, level);

    return source != 0 && latitude_draw(v, FREEDOM_CACHES, 3) == 0 ? others[level] : source;
}

/* --- branches ---------------------------------------------------------------------------------------------------- */

void latitude_choose_predictor(struct vcpu *v)
{
    v->latitude->state.prediction.wrong = latitude_draw(v, FREEDOM_PREDICTION, SOMETIMES);
}

bool latitude_branches_mispredicted(struct vcpu *v, const struct block *block, uint64_t to)
{
    (void)block;
    (void)to;
    return latitude_draw(v, FREEDOM_PREDICTION, SOMETIMES - 1) < v->latitude->state.prediction.wrong;
}

/* A random number of cycles: 0, a few, or more than an entry has bits for. */
static unsigned any_cycles(const struct vcpu *v)
{
    const unsigned bits = latitude_draw(v, FREEDOM_LBR_CYCLES, 17);

    return latitude_draw(v, FREEDOM_LBR_CYCLES, MOST_CYCLES) & ((1u << bits) - 1);
}

void latitude_lbr_push(struct vcpu *v, const struct branch *branch, const struct lbr_contents *contents)
{
    struct lbr_contents changed = *contents;

    changed.cycles = any_cycles(v);
    changed.timed = changed.timed && latitude_draw(v, FREEDOM_LBR_CYCLES, UNTIMED_IN - 1) != 0;
    lbr_push(v, branch, &changed);
}

void latitude_pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                                   struct adaptive_contents *extra, struct lbr_entry *stack)
{
    pebs_describe_groups(v, sample, contents, extra, stack);
    if (v->profile->pebs_timing)
        extra->retire_latency = (uint16_t)any_cycles(v);
}
