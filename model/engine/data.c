/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data fields of a record (offsets 98h, A0h, A8h). The load latency event has the address, the source (level; bits
 * for a second-level TLB miss and a locked access) and the latency. The precise store event has the address and a
 * status: bit 0 for a store that hit L1, and the bits above. Other events with an address (PEBS data address profiling)
 * have the address; A0h has bit 0 of that status, and is zero for loads; A8h is zero. SDM Vol. 3B (253669-083), "Load
 * Latency Performance Monitoring Facility", "Precise Store Facility" and "PEBS Data Address Profiling".
 *
 * For an instruction with several accesses, the slowest load or the slowest store is described.
 */
#include "model/engine/data.h"

#include "model/engine/data_cache.h"
#include "model/engine/event_class.h"
#include "model/engine/rules.h"

#define SMALL_PAGE  UINT64_C(4096)
#define PAGE_GLOBAL (UINT64_C(1) << 8) /* of a leaf entry */

#define STORE_HIT_L1 UINT64_C(1)

static uint64_t source_flags(const struct vcpu *v, bool tlb_miss)
{
    const struct profile_memory *memory = &v->profile->memory;

    return (tlb_miss ? memory->source_tlb_miss : 0u) | (v->data.locked ? memory->source_locked : 0u);
}

static bool ends_in(struct place place, enum block_end first, enum block_end last)
{
    return place.index + 1u == place.block->count && place.block->end >= first && place.block->end <= last;
}

static bool returns_or_goes_far(struct place place)
{
    return ends_in(place, END_RET, END_RET) || ends_in(place, END_FAR, END_FAR);
}

static void begin(struct vcpu *v, struct place place)
{
    v->data.ip = block_address(place.block, place.index);
    v->data.cpl = place.block->cpl;
    v->data.loads = v->data.stores = false;
    v->data.locked = place.block->insns[place.index].flags & INSN_LOCKED;
    v->data.untaggable = vcpu_is_netburst(v) && (v->data.locked || returns_or_goes_far(place));
    v->data.branches = ends_in(place, END_JCC, END_INT);
    v->data.split_load = v->data.split_store = false;
    v->data.stlb_load = v->data.stlb_store = false;
    v->data.load = (struct data_access){ 0, 0, 0 }; /* not a copy of the other, for which the processor waits */
    v->data.store = (struct data_access){ 0, 0, 0 };
    v->data.level = v->data.store_level = LEVEL_L1;
    v->hot->data_pending = 1;
}

enum data_level data_reach(struct vcpu *v, uint64_t address, bool store)
{
    return store ? data_cache_store(v->cache, address) : data_cache_load(v->cache, address);
}

bool data_misses_tlb(struct vcpu *v, uint64_t address)
{
    return data_cache_tlb_miss(v->cache, address);
}

unsigned data_latency(struct vcpu *v, enum data_level level)
{
    return v->profile->memory.latency[level];
}

uint64_t data_source(struct vcpu *v, enum data_level level)
{
    return v->profile->memory.source[level];
}

/* The rule, without a call if no fault or freedom replaces it. */
static inline unsigned latency_of(struct vcpu *v, enum data_level level)
{
    return v->rules->data_latency == data_latency ? data_latency(v, level) : v->rules->data_latency(v, level);
}

/* Most accesses change nothing in the caches and hit all of them. */
static bool hits(const struct vcpu *v, uint64_t address)
{
    return v->rules->data_reach == data_reach && v->rules->data_misses_tlb == data_misses_tlb &&
           data_cache_is_newest(v->cache, address);
}

/* Adds an access to those of the instruction. */
static void note(struct vcpu *v, uint64_t address, enum data_level level, bool tlb_miss, bool split, bool store)
{
    struct data_access *const slowest = store ? &v->data.store : &v->data.load;
    const unsigned latency = latency_of(v, level);

    if (store) {
        v->data.stores = true;
        v->data.split_store = v->data.split_store || split;
        v->data.stlb_store = v->data.stlb_store || tlb_miss;
    } else {
        v->data.loads = true;
        v->data.split_load = v->data.split_load || split;
        v->data.stlb_load = v->data.stlb_load || tlb_miss;
    }
    if (latency <= slowest->latency)
        return;
    slowest->address = address;
    slowest->latency = latency;
    if (store) {
        v->data.store_level = level;
        slowest->source = level == LEVEL_L1 ? STORE_HIT_L1 : 0;
    } else {
        v->data.level = level;
        slowest->source = v->rules->data_source(v, level) | source_flags(v, tlb_miss);
    }
}

/* Whether the instruction's first access was a hit that counted at once. If so, takes back what it counted. */
static bool take_back(struct vcpu *v, struct place place)
{
    const unsigned ring = place.block->cpl != 0;

    if (v->hot->hit != (uintptr_t)&place.block->insns[place.index])
        return false;
    v->hot->hit = 0;
    *v->counting.hit[ring].count -= v->counting.hit[ring].events[v->data.hit_store];
    return true;
}

/*
 * Counts an access that hits L1 and the TLB at once, if it is the first of its instruction and brings no counter to its
 * limit, as most do. False: not counted.
 */
static inline bool count_hit(struct vcpu *v, struct place place, uint64_t address, bool store)
{
    const struct block_insn *const insn = &place.block->insns[place.index];
    const unsigned ring = place.block->cpl != 0;
    uint64_t *const count = v->counting.hit[ring].count;

    if (count == NULL || v->hot->data_pending || v->hot->hit == (uintptr_t)insn || insn->flags & INSN_LOCKED)
        return false;
    const uint64_t sum = *count + v->counting.hit[ring].events[store];

    if (sum >= CLASS_DUE)
        return false;
    *count = sum;
    v->hot->hit = (uintptr_t)insn;
    v->data.hit_address = address;
    v->data.hit_store = store;
    return true;
}

static __attribute__((noinline)) void look_up(struct vcpu *v, struct place place, uint64_t address, unsigned size,
                                              bool store)
{
    uint64_t last = address + size - 1;
    bool split = (address ^ last) >> DATA_CACHE_LINE;
    bool tlb_miss = false;
    enum data_level level = LEVEL_L1;

    if (split || !hits(v, address)) {
        tlb_miss = v->rules->data_misses_tlb(v, address);
        level = v->rules->data_reach(v, address, store);
    }
    if (split) {
        enum data_level other = v->rules->data_reach(v, last, store);

        tlb_miss = v->rules->data_misses_tlb(v, last) || tlb_miss;
        level = other > level ? other : level;
    }
    if (!v->counting.data_of[place.block->cpl != 0])
        return; /* the access only changes the caches */
    if (!split && !tlb_miss && level == LEVEL_L1 && count_hit(v, place, address, store))
        return;
    if (!v->hot->data_pending) {
        begin(v, place);
        if (take_back(v, place))
            note(v, v->data.hit_address, LEVEL_L1, false, false, v->data.hit_store);
    }
    note(v, address, level, tlb_miss, split, store);
}

void data_accessed(struct vcpu *v, struct place place, uint64_t address, unsigned size, bool store)
{
    const bool split = (address ^ (address + size - 1)) >> DATA_CACHE_LINE;

    if (split || !data_cache_is_newest(v->cache, address) || !count_hit(v, place, address, store))
        look_up(v, place, address, size, store);
}

void data_cancel(struct vcpu *v, struct place place)
{
    v->hot->data_pending = 0;
    take_back(v, place);
}

/* Whether an instruction whose only access hits is an event of this class, in code of this CPL. */
static bool hit_counts(struct vcpu *v, unsigned id, unsigned cpl, bool store)
{
    const struct accesses before = v->data;

    v->data = (struct accesses){ .level = LEVEL_L1, .store_level = LEVEL_L1 };
    note(v, 0, LEVEL_L1, false, false, store);
    const bool happened = event_class_covers(id, cpl) && data_happened(v, (enum event_kind)(id / EVENT_QUALIFIERS));

    v->data = before;
    return happened;
}

void data_configure(struct vcpu *v)
{
    unsigned id = EVENT_CLASSES, classes = 0;

    for (unsigned k = 0; k < v->counting.class_count; k++) {
        if (v->counting.classes[k].id >= event_class(EVENT_DATA, ANY_RING)) {
            id = v->counting.classes[k].id;
            classes++;
        }
    }
    const bool one_count = classes <= 1 && !v->counting.slots && v->lbr.logged == 0 && !vcpu_is_netburst(v) &&
                           v->rules->data_reach == data_reach && v->rules->data_misses_tlb == data_misses_tlb &&
                           v->rules->data_latency == data_latency && v->rules->data_followed == data_followed &&
                           v->rules->data_latency_counts == data_latency_counts;

    for (unsigned other = 0; other < 2; other++) {
        const bool counted = v->counting.data_of[other];

        v->counting.hit[other].count = !one_count ? NULL : counted ? &v->hot->counts[id] : &v->counting.uncounted;
        for (unsigned store = 0; store < 2; store++)
            v->counting.hit[other].events[store] = one_count && counted && hit_counts(v, id, other, store);
    }
}

/*
 * Like a load, CLFLUSH needs a translation, but it is no load: no event counts it. SDM Vol. 2A (253666-083), "CLFLUSH".
 */
void data_flush_line(struct vcpu *v, uint64_t address, bool keep)
{
    data_misses_tlb(v, address);
    data_cache_flush_line(v->cache, address, keep);
}

void data_flush_caches(struct vcpu *v, bool keep)
{
    data_cache_flush(v->cache, keep);
}

/*
 * All of a large page. SDM Vol. 3A (253668-083), "Operations that Invalidate TLBs and Paging-Structure Caches".
 */
void data_flush_page(struct vcpu *v, uint64_t address)
{
    static const uint64_t sizes[] = { UINT64_C(1) << 30, 4 << 20, 2 << 20, SMALL_PAGE };
    unsigned i = 0;

    while (sizes[i] > SMALL_PAGE && v->host->page(v->cpu, address & -sizes[i]).bytes < sizes[i])
        i++;
    data_cache_flush_pages(v->cache, address & -sizes[i], (address & -sizes[i]) + sizes[i] - 1);
}

static bool is_global(void *of, uint64_t address)
{
    struct vcpu *const v = of;

    return v->host->page(v->cpu, address).flags & PAGE_GLOBAL;
}

void data_flush_tlbs(struct vcpu *v, bool globals_too)
{
    data_cache_flush_tlbs(v->cache, globals_too ? NULL : is_global, v);
}

bool data_followed(const struct vcpu *v)
{
    (void)v;
    return true;
}

uint64_t data_instruction_latency(const struct vcpu *v, const struct data_access *access)
{
    return access->latency + (v->profile->pebs_cache_latency && access->latency > 0);
}

/* Loads count only above the threshold. SDM Vol. 3B (253669-083), "Load Latency Performance Monitoring Facility". */
bool data_latency_counts(const struct vcpu *v, uint64_t latency, uint64_t threshold)
{
    (void)v;
    return latency > threshold;
}

/* Bits of MSR_OFFCORE_RSP_x. The bits of responses are in the profile. */
#define OFFCORE_DATA_READ UINT64_C(1)
#define OFFCORE_RFO       UINT64_C(2)

static bool answers(const struct profile_offcore *o, uint64_t selected, enum data_level level)
{
    return level > LEVEL_L2 && ((selected & o->any) || ((selected & o->miss) && level == LEVEL_MEMORY) ||
                                ((selected & o->hit) && level != LEVEL_MEMORY));
}

/* Whether a request of the instruction left the core, and the register selects the request and the response. */
static bool goes_offcore(const struct vcpu *v, uint64_t selected)
{
    const struct profile_offcore *o = &v->profile->offcore;

    return (v->data.loads && (selected & OFFCORE_DATA_READ) && answers(o, selected, (enum data_level)v->data.level)) ||
           (v->data.stores && (selected & OFFCORE_RFO) && answers(o, selected, (enum data_level)v->data.store_level));
}

bool data_happened(const struct vcpu *v, enum event_kind kind)
{
    bool load = v->data.loads;
    bool store = v->data.stores;

    switch (kind) {
    case EVENT_LOADS:
        return load;
    case EVENT_STORES:
    case EVENT_STORE_LATENCY:
        return store;
    case EVENT_PRECISE_STORES:
        return store && v->rules->data_followed(v);
    case EVENT_LOCKED_LOADS:
        return load && v->data.locked;
    case EVENT_SPLIT_LOADS:
        return v->data.split_load;
    case EVENT_SPLIT_STORES:
        return v->data.split_store;
    case EVENT_SPLITS:
        return v->data.split_load || v->data.split_store;
    case EVENT_STLB_MISS_LOADS:
        return v->data.stlb_load;
    case EVENT_STLB_MISS_STORES:
        return v->data.stlb_store;
    case EVENT_STLB_MISSES:
        return v->data.stlb_load || v->data.stlb_store;
    case EVENT_ACCESSES:
        return load || store;
    case EVENT_L1_HITS:
        return load && v->data.level == LEVEL_L1;
    case EVENT_L2_HITS:
        return load && v->data.level == LEVEL_L2;
    case EVENT_L3_HITS:
        return load &&
               (v->data.level == LEVEL_L3 || v->data.level == LEVEL_MODIFIED); /* the data came through the L3 */
    case EVENT_L1_MISSES:
        return load && v->data.level > LEVEL_L1;
    case EVENT_L2_MISSES:
    case EVENT_L3_REFERENCES:
        return load && v->data.level > LEVEL_L2;
    case EVENT_L3_MISSES:
        return load && v->data.level == LEVEL_MEMORY;
    case EVENT_MODIFIED_HITS:
        return load && v->data.level == LEVEL_MODIFIED;
    case EVENT_L1_FILLS:
    case EVENT_STALLED:
        return (kind == EVENT_L1_FILLS || !v->data.branches) &&
               ((load && v->data.level > LEVEL_L1) || (store && v->data.store_level > LEVEL_L1));
    case EVENT_OFFCORE_0:
    case EVENT_OFFCORE_1:
    case EVENT_OMR_0:
    case EVENT_OMR_1:
    case EVENT_OMR_2:
    case EVENT_OMR_3:
        return goes_offcore(v, v->regs[REG_MSR_OFFCORE_RSP_0 + (kind - EVENT_OFFCORE_0)]);
    case EVENT_LOAD_LATENCY:
        return load && v->rules->data_followed(v) &&
               v->rules->data_latency_counts(v, data_instruction_latency(v, &v->data.load),
                                             v->regs[REG_MSR_PEBS_LD_LAT]);
    default:
        return false;
    }
}

struct data_access data_describe(const struct vcpu *v, enum event_kind kind)
{
    const bool of_either = kind == EVENT_ACCESSES || kind == EVENT_SPLITS || kind == EVENT_STLB_MISSES;
    const bool store = kind == EVENT_STORES || kind == EVENT_SPLIT_STORES || kind == EVENT_STLB_MISS_STORES ||
                       (of_either && !v->data.loads);

    if (v->profile->pebs_address_only)
        return (struct data_access){ store ? v->data.store.address : v->data.load.address, 0, 0 };
    if (kind == EVENT_LOAD_LATENCY) {
        uint64_t source = v->data.source_known ? v->data.load.source : 0;

        return (struct data_access){ v->data.load.address, source, v->data.load.latency };
    }
    if (kind == EVENT_STORE_LATENCY) {
        uint64_t source = v->profile->memory.source[v->data.store_level] | source_flags(v, v->data.stlb_store);

        return (struct data_access){ v->data.store.address, source, v->data.store.latency };
    }
    if (kind == EVENT_PRECISE_STORES) {
        uint64_t status = v->data.store.source | source_flags(v, v->data.stlb_store);

        return (struct data_access){ v->data.store.address, status, 0 };
    }
    if (store)
        return (struct data_access){ v->data.store.address, v->data.store.source, 0 };
    return (struct data_access){ v->data.load.address, 0, 0 };
}
