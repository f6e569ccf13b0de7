/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults/faults.h"

#include <stdlib.h>
#include <string.h>

#include "model/engine/engine_parts.h"

#define EFLAGS_IF UINT64_C(0x200)

#define LVT_VECTOR   0xffu
#define LVT_DELIVERY 0x700u
#define LVT_MASKED   0x10000u

static const struct {
    const char *name, *sentence;
} table[] = {
#define FAULT(id, name, sentence) { name, sentence },
#include "model/faults/faults.inc"
#undef FAULT
};

const char *fault_name(unsigned index)
{
    return index < FAULTS ? table[index].name : NULL;
}

const char *fault_sentence(unsigned index)
{
    return index < FAULTS ? table[index].sentence : NULL;
}

const char *faults_parse(struct fault_set *set, const char *list, size_t *length)
{
    for (;; list += *length + 1) {
        unsigned i = 0;

        *length = strcspn(list, ",");
        while (i < FAULTS && (strlen(table[i].name) != *length || memcmp(table[i].name, list, *length) != 0)) {
            i++;
        }
        if (i == FAULTS) {
            return list;
        }
        set->words[i / 64] |= UINT64_C(1) << i % 64;
        set->any = true;
        if (list[*length] == '\0') {
            return NULL;
        }
    }
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;

    *a = *b;
    *b = kept;
}

/* --- the processor itself ---------------------------------------------------------------------------------------- */

/* Which registers there are, and what may be written. */
static const struct profile_msr *change_msrs(const struct fault_set *set, const struct profile_msr *msrs,
                                             unsigned count)
{
    struct profile_msr *changed = malloc((count + 1) * sizeof(*changed));

    if (changed == NULL) {
        return msrs;
    }
    for (unsigned i = 0; i < count; i++) {
        struct profile_msr *m = &changed[i];

        *m = msrs[i];
        if (fault_set_has(set, FAULT_PERFMON_MSR_RESERVED_TAKEN) && m->writable != 0 && m->check == CHECK_BITS) {
            m->ignored |= ~m->writable;
        }
        if (fault_set_has(set, FAULT_PERFMON_MSR_READ_ONLY_TAKEN) && m->read_only) {
            m->read_only = false;
            m->ignored = ~UINT64_C(0);
        }
        if (fault_set_has(set, FAULT_DS_AREA_ANY_ADDRESS) && m->reg == REG_IA32_DS_AREA) {
            m->check = CHECK_BITS;
        }
        if (fault_set_has(set, FAULT_PERFMON_RESET_DIRTY)) {
            m->reset |= m->writable & (m->reg == REG_IA32_DS_AREA ? 0x1000 : 1);
        }
    }
    return changed;
}

const struct profile *faults_profile(const struct profile *profile, const struct fault_set *set)
{
    static struct profile changed;

    changed = *profile;
    changed.msrs = change_msrs(set, profile->msrs, profile->msr_count);
    changed.family_msrs = change_msrs(set, profile->family_msrs, profile->family_msr_count);
    if (fault_set_has(set, FAULT_PERFMON_WIDTH_32)) {
        changed.counter_width = 32;
    }
    if (fault_set_has(set, FAULT_PERFMON_WIDTH_MORE)) {
        changed.counter_width++;
    }
    if (fault_set_has(set, FAULT_PEBS_PDIR_IGNORED)) {
        changed.pdir_counter = MAX_COUNTERS;
        changed.pdist_counters = 0;
    }
    if (fault_set_has(set, FAULT_PEBS_DATA_SOURCE_NEXT)) {
        changed.memory.source[LEVEL_L1] = changed.memory.source[LEVEL_L2];
    }
    if (fault_set_has(set, FAULT_PEBS_DATA_SOURCE_L3_MEMORY)) {
        changed.memory.source[LEVEL_L3] = changed.memory.source[LEVEL_MEMORY];
    }
    return &changed;
}

/* --- the DS area ----------------------------------------------------------------------------------------------- */

void faults_ds_form(const struct vcpu *v, struct ds_form *form)
{
    if (fault(v, FAULT_DS_LAYOUT_NARROW)) {
        form->width = 4;
    }
}

void faults_ds_area(const struct vcpu *v, struct ds_area *area)
{
    const unsigned bts_bytes = encode_bts_bytes(&v->form);

    if (fault(v, FAULT_BTS_MAXIMUM_PASSED)) {
        area->bts.maximum += encode_bts_bytes(&v->form);
    }
    if (fault(v, FAULT_BTS_THRESHOLD_EARLY)) {
        area->bts.threshold -= encode_bts_bytes(&v->form);
    }
    if (fault(v, FAULT_DS_LAYOUT_SWAPPED)) {
        struct ds_buffer bts = area->bts;

        area->bts = area->pebs;
        area->pebs = bts;
    }
    if (fault(v, FAULT_PEBS_THRESHOLD_GREATER)) {
        area->pebs.threshold++;
    }
    if (fault(v, FAULT_PEBS_THRESHOLD_EARLY)) {
        area->pebs.threshold -= pebs_record_bytes(v, &v->form, 1);
    }
    if (fault(v, FAULT_PEBS_THRESHOLD_IGNORED)) {
        area->pebs.threshold = UINT64_MAX;
    }
    if (fault(v, FAULT_PEBS_MAXIMUM_PASSED)) {
        area->pebs.maximum += ENCODE_PEBS_MAX;
    }
    if (fault(v, FAULT_BTS_THRESHOLD_GREATER)) {
        area->bts.threshold++;
    }
    if (fault(v, FAULT_BTS_THRESHOLD_IGNORED)) {
        area->bts.threshold = UINT64_MAX;
    }
    if (fault(v, FAULT_BTS_CIRCULAR_EARLY)) {
        area->bts.maximum -= bts_bytes;
    }
}

/* --- PEBS ------------------------------------------------------------------------------------------------------ */

uint64_t faults_pebs_index(const struct vcpu *v, size_t written)
{
    uint64_t index = v->pebs_at + written;

    if (fault(v, FAULT_PEBS_INDEX_STUCK)) {
        return v->pebs_at;
    }
    if (fault(v, FAULT_PEBS_INDEX_SHORT)) {
        return index - v->form.width;
    }
    return fault(v, FAULT_PEBS_INDEX_TWICE) ? index + written : index;
}

bool faults_pebs_lose(const struct vcpu *v, size_t size)
{
    return fault(v, FAULT_PEBS_THRESHOLD_RECORD_LOST) && v->ds.pebs.index + size >= v->ds.pebs.threshold;
}

uint64_t faults_pebs_reload(const struct vcpu *v, unsigned i)
{
    unsigned from = i;

    if (fault(v, FAULT_PEBS_RELOAD_FORGOTTEN)) {
        return v->counters[i].value;
    }
    if (fault(v, FAULT_PEBS_RELOAD_SLOT_0)) {
        from = 0;
    }
    if (fault(v, FAULT_PEBS_RELOAD_WRITTEN)) {
        return v->counters[i].written;
    }
    if (fault(v, FAULT_PEBS_RELOAD_FIXED_AS_GENERAL) && i >= v->profile->general_counters) {
        from = i - v->profile->general_counters + 1;
    }
    return pebs_reset_value(v, from) - fault(v, FAULT_PEBS_RELOAD_ONE_LESS);
}

void faults_pebs_reloaded(struct vcpu *v, uint64_t recorded)
{
    v->sampled = fault(v, FAULT_BTS_BRANCHES_SAMPLED_LOST) && bts_on(v);
    for (unsigned i = 0; i < MAX_COUNTERS && fault(v, FAULT_PEBS_STATUS_OWN_BIT_LEFT); i++) {
        v->status |= recorded >> i & 1 ? counter_bit(v, i) : 0;
    }
}

bool faults_pebs_full(struct vcpu *v, size_t size)
{
    struct ds_buffer *pebs = &v->ds.pebs;
    bool full = pebs->index + size > pebs->maximum || pebs->index < pebs->base;

    if (fault(v, FAULT_PEBS_MAXIMUM_EXACT)) {
        full = pebs->index == pebs->maximum || pebs->index < pebs->base;
    }
    if (full && fault(v, FAULT_PEBS_MAXIMUM_WRAPS)) {
        pebs->index = pebs->base;
        return false;
    }
    return full || (v->pebs_dropping && fault(v, FAULT_PEBS_MAXIMUM_FOR_GOOD));
}

void faults_pebs_written(struct vcpu *v)
{
    const uint8_t zeroes[8] = { 0 };
    uint8_t index[8];

    if (fault(v, FAULT_PEBS_RECORD_SPILLS)) {
        v->host->write(v->cpu, v->pebs_at + v->pebs_staged, zeroes, v->form.width);
    }
    if (fault(v, FAULT_DS_AREA_OTHER_INDEX)) {
        encode_field(index, v->form.width, v->ds.bts.index + v->pebs_staged);
        v->host->write(v->cpu, engine_ds_area(v) + encode_bts_index_at(&v->form), index, v->form.width);
    }
}

void faults_counter(const struct vcpu *v, unsigned i, bool *user, bool *system, bool *enabled, bool *asked)
{
    const bool one_of_both = *user != *system;

    (void)i;
    *system = *system || (one_of_both && fault(v, FAULT_PEBS_RINGS_USR_IS_BOTH));
    *user = *user || (one_of_both && fault(v, FAULT_PEBS_RINGS_OS_IS_BOTH));
    *enabled = *enabled || fault(v, FAULT_PEBS_ENABLE_SELECT_IGNORED);
    *asked = *asked || fault(v, FAULT_PEBS_ENABLE_IGNORED);
}

bool faults_latency(const struct vcpu *v, uint64_t latency, uint64_t threshold)
{
    return latency > threshold || fault(v, FAULT_PEBS_LATENCY_THRESHOLD_IGNORED) ||
           (latency == threshold && fault(v, FAULT_PEBS_LATENCY_THRESHOLD_INCLUDED));
}

void faults_pebs_event(const struct vcpu *v, struct pebs_event *event)
{
    if (fault(v, FAULT_PEBS_RECORD_FLAGS_ZERO)) {
        event->rflags = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_IP_OF_EVENT)) {
        event->ip = event->eventing_ip;
    }
    if (fault(v, FAULT_PEBS_RECORD_EVENTING_IP_NEXT)) {
        event->eventing_ip = event->ip;
    }
    if (fault(v, FAULT_PEBS_RECORD_EVENTING_IP_OFFSET)) {
        event->tsx = event->eventing_ip;
        event->eventing_ip = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_RBX_RCX_SWAPPED)) {
        swap(&event->general[RBX], &event->general[RCX]);
    }
    if (fault(v, FAULT_PEBS_RECORD_RSP_ZERO)) {
        event->general[RSP] = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_R15_ZERO)) {
        event->general[R15] = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_COUNTERS_ZERO)) {
        event->counters = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_COUNTERS_ALL)) {
        event->counters |= v->regs[REG_IA32_PEBS_ENABLE] & 0xff;
    }
    if (fault(v, FAULT_PEBS_RECORD_TSX_SET)) {
        event->tsx = 1;
    }
    if (fault(v, FAULT_PEBS_RECORD_UPPER_SET) && !v->host->ia32e(v->cpu)) {
        event->general[RSP] |= UINT64_C(1) << 32;
        event->general[R8] = 1;
    }
    if (fault(v, FAULT_PEBS_RECORD_COUNTERS_NEXT)) {
        event->counters <<= 1;
    }
    if (fault(v, FAULT_PEBS_ADAPTIVE_FIXED_BIT)) {
        event->counters |= event->counters >> FIXED_STATUS_SHIFT;
    }
    if (fault(v, FAULT_PEBS_RECORD_TSC_ZERO)) {
        event->tsc = 0;
    }
    if (fault(v, FAULT_PEBS_DATA_ADDRESS_LINE)) {
        event->data_address &= ~UINT64_C(63);
    }
    if (fault(v, FAULT_PEBS_DATA_ADDRESS_ZERO) ||
        (fault(v, FAULT_PEBS_DATA_STORE_ADDRESS_ZERO) && event->data_address == v->data.store.address)) {
        event->data_address = 0;
    }
    if (fault(v, FAULT_PEBS_DATA_LATENCY_ZERO)) {
        event->latency = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_LATENCY_OFFSET)) {
        swap(&event->latency, &event->data_source);
    }
}

uint32_t faults_adaptive_format(const struct vcpu *v, uint32_t format)
{
    if (fault(v, FAULT_PEBS_ADAPTIVE_FLAG_IGNORED)) {
        return (uint32_t)v->regs[REG_MSR_PEBS_DATA_CFG];
    }
    return fault(v, FAULT_PEBS_ADAPTIVE_GPRS_MISSING) ? format & ~DATA_CFG_GPRS : format;
}

void faults_adaptive(const struct vcpu *v, struct pebs_event *event, struct adaptive_event *extra,
                     struct lbr_entry *stack)
{
    if (fault(v, FAULT_PEBS_ADAPTIVE_MEMINFO_MISSING)) {
        event->data_address = event->data_source = event->latency = 0;
        extra->cache_latency = 0;
    }
    if (fault(v, FAULT_PEBS_ADAPTIVE_GPRS_ORDER)) { /* RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP */
        uint64_t *g = event->general;
        const uint64_t before[] = { g[RAX], g[RBX], g[RCX], g[RDX], g[RSI], g[RDI], g[RBP], g[RSP] };
        static const unsigned order[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

        for (unsigned i = 0; i < 8; i++) {
            g[order[i]] = before[i];
        }
    }
    for (unsigned i = 0; fault(v, FAULT_PEBS_ADAPTIVE_XMM_HALVES) && i < XMM_REGISTERS; i++) {
        swap(&extra->xmm[i][0], &extra->xmm[i][1]);
    }
    for (unsigned i = 0; fault(v, FAULT_PEBS_ADAPTIVE_XMM_REVERSED) && i < XMM_REGISTERS / 2; i++) {
        swap(&extra->xmm[i][0], &extra->xmm[XMM_REGISTERS - 1 - i][0]);
        swap(&extra->xmm[i][1], &extra->xmm[XMM_REGISTERS - 1 - i][1]);
    }
    for (unsigned i = 0; fault(v, FAULT_PEBS_ADAPTIVE_LBR_OLDEST_FIRST) && i < extra->lbr_count / 2; i++) {
        struct lbr_entry kept = stack[i];

        stack[i] = stack[extra->lbr_count - 1 - i];
        stack[extra->lbr_count - 1 - i] = kept;
    }
    if (fault(v, FAULT_PEBS_ADAPTIVE_LBR_FEWER) && (extra->format & DATA_CFG_LBRS)) {
        unsigned asked = DATA_CFG_LBR_COUNT(extra->format);

        extra->lbr_count = asked - 1 < extra->lbr_count ? asked - 1 : extra->lbr_count;
    }
}

void faults_adaptive_bytes(const struct vcpu *v, uint8_t *bytes)
{
    if (fault(v, FAULT_PEBS_ADAPTIVE_SIZE)) {
        bytes[6] = (uint8_t)(bytes[6] - 32); /* the record's size is in bits 63:48 */
    }
}

/* --- counting -------------------------------------------------------------------------------------------------- */

static enum event_kind changed_kind(const struct vcpu *v, enum event_kind kind)
{
    if (fault(v, FAULT_PERFMON_EVENT_CALLS_AND_MORE) && kind == EVENT_NEAR_CALLS) {
        return EVENT_TYPED_BRANCHES;
    }
    if (fault(v, FAULT_PERFMON_EVENT_TAKEN_AND_NOT) && kind == EVENT_NEAR_TAKEN) {
        return EVENT_BRANCHES;
    }
    if (fault(v, FAULT_PERFMON_EVENT_LOADS_ARE_STORES) && (kind == EVENT_LOADS || kind == EVENT_STORES)) {
        return kind == EVENT_LOADS ? EVENT_STORES : EVENT_LOADS;
    }
    if (fault(v, FAULT_PERFMON_EVENT_SPLIT_AND_WHOLE) && (kind == EVENT_SPLIT_LOADS || kind == EVENT_SPLIT_STORES)) {
        return kind == EVENT_SPLIT_LOADS ? EVENT_LOADS : EVENT_STORES;
    }
    if (fault(v, FAULT_PERFMON_EVENT_X87_IS_MMX) && (kind == EVENT_X87 || kind == EVENT_MMX_64)) {
        return kind == EVENT_X87 ? EVENT_MMX_64 : EVENT_X87;
    }
    if (fault(v, FAULT_PERFMON_EVENT_MISPREDICTED_AND_NOT) && kind >= EVENT_MISPREDICTED &&
        kind <= EVENT_MISPREDICTED_TAGGABLE && kind != EVENT_CONDITIONAL_TAKEN) {
        return EVENT_BRANCHES;
    }
    return kind;
}

void faults_counted(struct vcpu *v, unsigned i)
{
    struct counter *c = &v->counters[i];
    enum event_kind kind = (enum event_kind)(c->event_class / EVENT_QUALIFIERS);
    enum event_qualifier ring = (enum event_qualifier)(c->event_class % EVENT_QUALIFIERS);

    if (kind == EVENT_NONE) {
        return;
    }
    if (fault(v, FAULT_PERFMON_CPL_IGNORED)) {
        ring = ANY_RING;
    } else if (fault(v, FAULT_PERFMON_CPL_SWAPPED) && ring != ANY_RING) {
        ring = ring == RING_0 ? OTHER_RINGS : RING_0;
    }
    c->event_class = event_class(changed_kind(v, kind), ring);
    c->interrupts = c->interrupts && !fault(v, FAULT_PERFMON_OVERFLOW_NO_INTERRUPT);
    c->pebs = c->pebs && !(fault(v, FAULT_PEBS_ENABLE_COUNTER_0_ONLY) && i != 0);
}

uint64_t faults_events(const struct vcpu *v, uint64_t events)
{
    return fault(v, FAULT_PERFMON_COUNT_MORE) ? events + events / 16 : events;
}

/* --- branches -------------------------------------------------------------------------------------------------- */

static bool is_far(const struct branch *b)
{
    return b->block->end >= END_FAR;
}

/* An interruption's branch comes with no block of code. */
static bool is_interruption(const struct branch *b)
{
    return b->block->count == 0;
}

static bool bts_wants(const struct vcpu *v, const struct branch *b)
{
    return !(b->not_taken && !fault(v, FAULT_BTS_BRANCHES_NOT_TAKEN)) &&
           !(is_far(b) && fault(v, FAULT_BTS_BRANCHES_FAR_FORGOTTEN)) &&
           !(is_far(b) && !is_interruption(b) && fault(v, FAULT_BTS_BRANCHES_IRET_FORGOTTEN)) &&
           !(is_interruption(b) && fault(v, FAULT_BTS_BRANCHES_INTERRUPTS_FORGOTTEN)) &&
           !(b->block->end == END_RET && fault(v, FAULT_BTS_BRANCHES_RETURNS_FORGOTTEN)) &&
           !(b->block->end == END_IND_JMP && fault(v, FAULT_BTS_BRANCHES_INDIRECT_FORGOTTEN));
}

static bool lbr_wants(const struct vcpu *v, const struct branch *b)
{
    return !(b->not_taken && !fault(v, FAULT_LBR_BRANCHES_NOT_TAKEN)) &&
           !(is_far(b) && fault(v, FAULT_LBR_BRANCHES_FAR_FORGOTTEN)) &&
           !(is_far(b) && !is_interruption(b) && fault(v, FAULT_LBR_BRANCHES_IRET_FORGOTTEN));
}

unsigned faults_bts_branches(struct vcpu *v, const struct branch *branches, unsigned n, struct branch *kept)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++) {
        if (!(i + 1 == n && v->sampled) && bts_wants(v, &branches[i])) {
            kept[count++] = branches[i];
        }
    }
    v->sampled = v->sampled && n == 0;
    return count;
}

unsigned faults_lbr_branches(const struct vcpu *v, const struct branch *branches, unsigned n, struct branch *kept)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++) {
        if (lbr_wants(v, &branches[i])) {
            kept[count++] = branches[i];
        }
    }
    return count;
}

void faults_bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user)
{
    if (fault(v, FAULT_BTS_CPL_SWAPPED)) {
        bool system = *skip_system;

        *skip_system = *skip_user;
        *skip_user = system;
    }
    *skip_system = *skip_system && !fault(v, FAULT_BTS_CPL_OFF_OS_IGNORED);
    *skip_user = *skip_user && !fault(v, FAULT_BTS_CPL_OFF_USR_IGNORED);
}

bool faults_bts_lose(const struct vcpu *v, uint64_t index, unsigned size)
{
    bool full = index + size > v->ds.bts.maximum;
    bool reaches = !full && index < v->ds.bts.threshold && index + size >= v->ds.bts.threshold;

    return (full && fault(v, FAULT_BTS_CIRCULAR_STOPS)) || (reaches && fault(v, FAULT_BTS_THRESHOLD_RECORD_LOST));
}

uint64_t faults_bts_wrap(const struct vcpu *v, uint64_t base)
{
    const unsigned size = encode_bts_bytes(&v->form);

    if (fault(v, FAULT_BTS_CIRCULAR_BEFORE_BASE)) {
        return base - size;
    }
    return fault(v, FAULT_BTS_CIRCULAR_BASE) ? base + size : base;
}

void faults_bts_event(const struct vcpu *v, const struct branch *b, struct bts_event *event)
{
    if (fault(v, FAULT_BTS_RECORD_FROM_BEHIND)) {
        event->from = b->block->next;
    }
    if (fault(v, FAULT_BTS_RECORD_UPPER_HALF_DIRTY) && !v->host->ia32e(v->cpu)) {
        event->from |= UINT64_C(1) << 40;
    }
    if (fault(v, FAULT_BTS_RECORD_SWAPPED)) {
        swap(&event->from, &event->to);
    }
    if (fault(v, FAULT_BTS_RECORD_PREDICTED_INVERTED)) {
        event->flags ^= v->profile->bts_predicted ? BTS_PREDICTED : 0;
    }
    if (fault(v, FAULT_BTS_RECORD_PREDICTED_ALWAYS)) {
        event->flags |= v->profile->bts_predicted ? BTS_PREDICTED : 0;
    }
}

uint64_t faults_bts_index(const struct vcpu *v, uint64_t index)
{
    if (fault(v, FAULT_BTS_INDEX_STUCK)) {
        return v->bts_at;
    }
    return fault(v, FAULT_BTS_INDEX_SHORT) ? index - v->bts_staged * v->form.width : index;
}

bool faults_bts_on(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return (debugctl_has(v, bits->tr) || fault(v, FAULT_BTS_ENABLE_TR_IGNORED)) &&
           (debugctl_has(v, bits->bts) || fault(v, FAULT_BTS_ENABLE_BTS_IGNORED)) &&
           (debugctl_has(v, bits->tr) || debugctl_has(v, bits->bts));
}

void faults_bts_fields(const struct vcpu *v)
{
    const uint64_t area = v->regs[REG_IA32_DS_AREA];
    uint8_t field[8];

    if (fault(v, FAULT_BTS_FIELDS_BASE_WRITTEN)) {
        encode_field(field, v->form.width, v->ds.bts.base + encode_bts_bytes(&v->form));
        v->host->write(v->cpu, area, field, v->form.width);
    }
    if (fault(v, FAULT_BTS_FIELDS_PEBS_WRITTEN)) {
        encode_field(field, v->form.width, v->ds.bts.index);
        v->host->write(v->cpu, area + encode_pebs_index_at(&v->form), field, v->form.width);
    }
}

uint64_t faults_lbr_select(const struct vcpu *v, uint64_t select)
{
    static const struct {
        enum fault fault;
        unsigned bit;
    } ignored[] = {
        { FAULT_LBR_SELECT_CPL_0_IGNORED, 0 },    { FAULT_LBR_SELECT_JCC_IGNORED, 2 },
        { FAULT_LBR_SELECT_REL_CALL_IGNORED, 3 }, { FAULT_LBR_SELECT_IND_CALL_IGNORED, 4 },
        { FAULT_LBR_SELECT_RET_IGNORED, 5 },      { FAULT_LBR_SELECT_IND_JMP_IGNORED, 6 },
        { FAULT_LBR_SELECT_REL_JMP_IGNORED, 7 },  { FAULT_LBR_SELECT_FAR_IGNORED, 8 },
        { FAULT_LBR_SELECT_CPL_3_IGNORED, 1 },
    };
    const uint64_t kinds = UINT64_C(0x7f) << LBR_SELECT_FIRST_KIND;

    if (fault(v, FAULT_LBR_SELECT_IGNORED)) {
        return select & LBR_SELECT_EN_CALLSTACK;
    }
    for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
        select &= fault(v, ignored[i].fault) ? ~(UINT64_C(1) << ignored[i].bit) : ~UINT64_C(0);
    }
    return fault(v, FAULT_LBR_SELECT_INVERTED) && (select & kinds) ? select ^ kinds : select;
}

bool faults_lbr_pops(const struct vcpu *v)
{
    return !fault(v, FAULT_LBR_CALL_STACK_NOT_POPPED);
}

void faults_lbr_event(const struct vcpu *v, const struct branch *b, struct lbr_event *event)
{
    if (fault(v, FAULT_LBR_ENTRY_FROM_BEHIND)) {
        event->from = b->block->next;
    }
    if (fault(v, FAULT_LBR_ENTRY_SWAPPED)) {
        swap(&event->from, &event->to);
    }
    event->mispredicted ^= fault(v, FAULT_LBR_ENTRY_MISPREDICTED_INVERTED);
    event->mispredicted = event->mispredicted && !fault(v, FAULT_LBR_ENTRY_PREDICTED_ALWAYS);
    event->cycles &= fault(v, FAULT_LBR_ENTRY_CYCLES_WRAP) ? 0xffff : ~UINT64_C(0);
    if (fault(v, FAULT_LBR_ENTRY_CYCLES_ZERO)) {
        event->cycles = 0;
    }
    if (fault(v, FAULT_LBR_ENTRY_TYPE) && (event->end == END_REL_CALL || event->end == END_IND_CALL)) {
        event->end = event->end == END_REL_CALL ? END_IND_CALL : END_REL_CALL;
    }
}

uint64_t faults_lbr_top(const struct vcpu *v, uint64_t top)
{
    uint64_t next = top + 1;

    if (fault(v, FAULT_LBR_TOS_STUCK)) {
        return top;
    }
    if ((fault(v, FAULT_LBR_TOS_EARLY) && next == lbr_depth(v) - 1) ||
        (fault(v, FAULT_LBR_DEPTH_HALF) && next >= lbr_depth(v) / 2)) {
        return 0;
    }
    return next;
}

void faults_lbr_entry(const struct vcpu *v, struct lbr_entry *entry)
{
    if (fault(v, FAULT_LBR_ENTRY_IN_TSX)) {
        *(v->profile->lbr_format >= LBR_FORMAT_INFO ? &entry->info : &entry->from) ^= UINT64_C(1) << 62;
    }
}

/* --- registers and interrupts ---------------------------------------------------------------------------------- */

void faults_reset(struct vcpu *v)
{
    if (fault(v, FAULT_PERFMON_RESET_GLOBAL_CTRL_ZERO)) {
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] = 0;
    }
    if (fault(v, FAULT_PERFMON_RESET_COUNTERS_DIRTY)) {
        v->event_select[0] = EVTSEL_USR;
        v->counters[1].value = 1;
    }
}

/* Bits of the DEBUGCTL register that stay set. */
static uint64_t sticking(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return (fault(v, FAULT_BTS_ENABLE_STICKS) ? bits->tr | bits->bts : 0) |
           (fault(v, FAULT_LBR_ENABLE_STICKS) ? bits->lbr : 0);
}

static bool is_lbr_address(const struct profile_msr *m)
{
    return m->reg == REG_LASTBRANCH_FROM || m->reg == REG_LASTBRANCH_TO || m->reg == REG_LASTBRANCH_BOTH ||
           m->reg == REG_IA32_LBR_FROM || m->reg == REG_IA32_LBR_TO;
}

uint64_t faults_overflow(const struct vcpu *v, uint64_t bit)
{
    if (fault(v, FAULT_PERFMON_OVERFLOW_NO_STATUS) || (fault(v, FAULT_PMI_STATUS_FIRST_ONLY) && v->status != 0)) {
        return 0;
    }
    return fault(v, FAULT_PERFMON_OVERFLOW_OTHER_STATUS) ? bit << 1 : bit;
}

bool faults_writable(const struct vcpu *v, const struct profile_msr *m)
{
    return (m->reg == REG_IA32_MISC_ENABLE && fault(v, FAULT_DETECT_MISC_ENABLE_WRITABLE)) ||
           (m->reg == REG_IA32_PERF_CAPABILITIES && fault(v, FAULT_DETECT_PERF_CAPABILITIES_WRITABLE));
}

uint64_t faults_rdmsr(struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    if (m->reg == REG_IA32_PERF_GLOBAL_STATUS && fault(v, FAULT_PMI_STATUS_READ_CLEARS)) {
        v->status = 0;
    }
    if (m->reg == REG_IA32_PEBS_ENABLE && fault(v, FAULT_PEBS_ENABLE_READS_ZERO)) {
        return 0;
    }
    if (m->reg == REG_MSR_LASTBRANCH_TOS && fault(v, FAULT_LBR_TOS_OFF_BY_ONE)) {
        return (value + 1) & (lbr_depth(v) - 1);
    }
    if (m->reg == REG_IA32_DEBUGCTL && v->profile->lbr_depths && fault(v, FAULT_LBR_DEBUGCTL_READS_ONE)) {
        return value | v->profile->debugctl->lbr;
    }
    if (m->reg == REG_IA32_PERF_CAPABILITIES && v->profile->lbr_depths && fault(v, FAULT_LBR_FORMAT_OTHER)) {
        return (value & ~UINT64_C(0x3f)) | LBR_FORMAT_INFO;
    }
    if (m->reg == REG_IA32_PERF_GLOBAL_INUSE && fault(v, FAULT_PERFMON_IN_USE_ZERO)) {
        return 0;
    }
    return value;
}

/* If there is a BTS buffer, and it is empty. */
static void touch_area(struct vcpu *v, uint64_t address)
{
    const struct ds_form form = engine_ds_form(v);
    uint8_t bytes[ENCODE_DS_MAX], index[8];
    struct ds_area area;

    if (!v->host->read(v->cpu, address, bytes, encode_ds_bytes(&form))) {
        return;
    }
    encode_read_ds(&area, &form, bytes);
    if (area.bts.index == area.bts.base && area.bts.index < area.bts.maximum) {
        encode_field(index, form.width, area.bts.index + encode_bts_bytes(&form));
        v->host->write(v->cpu, address + encode_bts_index_at(&form), index, form.width);
    }
}

uint64_t faults_wrmsr(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        if (fault(v, FAULT_PMI_ACKNOWLEDGEMENT_ALL)) {
            return value != 0 ? ~UINT64_C(0) : 0;
        }
        value &= fault(v, FAULT_LBR_FREEZE_LASTING) ? ~STATUS_LBR_FRZ : ~UINT64_C(0);
        return fault(v, FAULT_PMI_ACKNOWLEDGEMENT_IGNORED) ? value & (STATUS_LBR_FRZ | STATUS_CTR_FRZ) : value;
    case REG_IA32_DS_AREA:
        v->pebs_dropping = false;
        if (fault(v, FAULT_DS_AREA_TOUCHED)) {
            touch_area(v, value);
        }
        value &= fault(v, FAULT_DS_AREA_BIT_20_LOST) ? ~(UINT64_C(1) << 20) : ~UINT64_C(0);
        return fault(v, FAULT_DS_AREA_LOW_32) ? (uint32_t)value : value;
    case REG_IA32_A_PMC:
        value = fault(v, FAULT_DETECT_FULL_WIDTH_SIGN_EXTENDED) ? (uint64_t)(int64_t)(int32_t)value : value;
        v->counters[i].written = value;
        return value;
    case REG_IA32_PMC:
        v->counters[i].written = (uint64_t)(int64_t)(int32_t)value;
        return value;
    case REG_IA32_FIXED_CTR:
        return fault(v, FAULT_PERFMON_FIXED_NARROW) ? (uint32_t)value : value;
    case REG_MSR_PEBS_LD_LAT:
        return fault(v, FAULT_PEBS_LATENCY_REGISTER_NARROW) ? value & 0xfff : value;
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
        return fault(v, FAULT_PERFMON_STATUS_SET_IGNORED) ? 0 : value;
    case REG_IA32_DEBUGCTL:
        value &= fault(v, FAULT_BTS_ENABLE_BTINT_LOST) ? ~v->profile->debugctl->btint : ~UINT64_C(0);
        return value | (v->regs[REG_IA32_DEBUGCTL] & sticking(v));
    case REG_IA32_LBR_CTL:
        return value | (fault(v, FAULT_LBR_ENABLE_STICKS) ? v->regs[REG_IA32_LBR_CTL] & LBR_CTL_LBREN : 0);
    case REG_IA32_LBR_DEPTH:
        return lbr_arch_has_depth(v->profile, value) ? value : v->regs[REG_IA32_LBR_DEPTH];
    default:
        return is_lbr_address(m) && fault(v, FAULT_LBR_REGISTERS_CLEARED) ? 0 : value;
    }
}

void faults_freeze(const struct vcpu *v, bool *lbrs, bool *counters)
{
    *lbrs = *lbrs && !fault(v, FAULT_LBR_FREEZE_IGNORED);
    *counters = *counters && !fault(v, FAULT_PERFMON_FREEZE_IGNORED);
}

bool faults_pmi_waits(struct vcpu *v)
{
    if (fault(v, FAULT_PMI_NEVER)) {
        v->pmi_wanted = false;
        return true;
    }
    if (fault(v, FAULT_PMI_TWICE) && v->pmi_waits && (v->host->lvtpc(v->cpu) & LVT_MASKED)) {
        return true; /* the second one, until it can come */
    }
    v->pmi_waits = !v->pmi_waits;
    return fault(v, FAULT_PMI_LATE) && v->pmi_waits;
}

bool faults_pmi_again(struct vcpu *v)
{
    return fault(v, FAULT_PMI_TWICE) && v->pmi_waits;
}

bool faults_pmi_lost(const struct vcpu *v)
{
    struct registers registers;

    if (!fault(v, FAULT_PMI_HELD_LOST)) {
        return false;
    }
    v->host->registers(v->cpu, 0, &registers);
    return !(registers.rflags & EFLAGS_IF);
}

uint32_t faults_lvtpc(struct vcpu *v, uint32_t value)
{
    if (fault(v, FAULT_PMI_WHILE_MASKED)) {
        value &= ~LVT_MASKED;
    }
    if (fault(v, FAULT_PMI_DELIVERY_IGNORED)) {
        value &= ~LVT_DELIVERY;
    }
    if (fault(v, FAULT_PMI_VECTOR_KEPT)) {
        v->first_lvtpc = v->first_lvtpc != 0 ? v->first_lvtpc : value & LVT_VECTOR;
        value = (value & ~LVT_VECTOR) | v->first_lvtpc;
    }
    return value;
}
