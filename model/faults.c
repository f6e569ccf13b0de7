/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/faults.h"

#include <string.h>

#include "model/engine_parts.h"

#define EFLAGS_IF UINT64_C(0x200)

#define LVT_VECTOR   0xffu
#define LVT_DELIVERY 0x700u
#define LVT_MASKED   0x10000u

static const struct {
    const char *name, *sentence;
} table[] = {
#define FAULT(id, name, sentence) { name, sentence },
#include "model/faults.inc"
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

/* --- the DS area ----------------------------------------------------------------------------------------------- */

void faults_ds_area(const struct vcpu *v, struct ds_area *area)
{
    if (fault(v, FAULT_BTS_MAXIMUM_PASSED)) {
        area->bts.maximum += encode_bts_bytes(&v->form);
    }
    if (fault(v, FAULT_BTS_THRESHOLD_EARLY)) {
        area->bts.threshold -= encode_bts_bytes(&v->form);
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
    if (fault(v, FAULT_PEBS_RELOAD_FORGOTTEN)) {
        return v->counters[i].value;
    }
    if (fault(v, FAULT_PEBS_RELOAD_SLOT_0)) {
        return pebs_reset_value(v, 0);
    }
    if (fault(v, FAULT_PEBS_RELOAD_WRITTEN)) {
        return v->counters[i].written;
    }
    return pebs_reset_value(v, i) - fault(v, FAULT_PEBS_RELOAD_ONE_LESS);
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
    if (fault(v, FAULT_PEBS_RECORD_RBX_RCX_SWAPPED)) {
        uint64_t rbx = event->general[RBX];

        event->general[RBX] = event->general[RCX];
        event->general[RCX] = rbx;
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
    if (fault(v, FAULT_PEBS_RECORD_TSC_ZERO)) {
        event->tsc = 0;
    }
    if (fault(v, FAULT_PEBS_DATA_ADDRESS_LINE)) {
        event->data_address &= ~UINT64_C(63);
    }
    if (fault(v, FAULT_PEBS_DATA_SOURCE_NEXT) && event->data_source == v->profile->memory.source[LEVEL_L1]) {
        event->data_source = v->profile->memory.source[LEVEL_L2];
    }
}

/* --- branches -------------------------------------------------------------------------------------------------- */

static bool is_far(const struct branch *b)
{
    return b->block->end >= END_FAR;
}

unsigned faults_bts_branches(struct vcpu *v, const struct branch *branches, unsigned n, struct branch *kept)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++) {
        if ((i + 1 == n && v->sampled) || (branches[i].not_taken && !fault(v, FAULT_BTS_BRANCHES_NOT_TAKEN)) ||
            (fault(v, FAULT_BTS_BRANCHES_FAR_FORGOTTEN) && is_far(&branches[i]))) {
            continue;
        }
        kept[count++] = branches[i];
    }
    v->sampled = v->sampled && n == 0;
    return count;
}

unsigned faults_lbr_branches(const struct vcpu *v, const struct branch *branches, unsigned n, struct branch *kept)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++) {
        if ((branches[i].not_taken && !fault(v, FAULT_LBR_BRANCHES_NOT_TAKEN)) ||
            (fault(v, FAULT_LBR_BRANCHES_FAR_FORGOTTEN) && is_far(&branches[i]))) {
            continue;
        }
        kept[count++] = branches[i];
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

bool faults_bts_full(const struct vcpu *v)
{
    return fault(v, FAULT_BTS_CIRCULAR_STOPS);
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
        uint64_t from = event->from;

        event->from = event->to;
        event->to = from;
    }
    if (fault(v, FAULT_BTS_RECORD_PREDICTED_INVERTED)) {
        event->flags ^= v->profile->bts_predicted ? BTS_PREDICTED : 0;
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

uint64_t faults_bts_wrap(const struct vcpu *v, uint64_t base)
{
    return fault(v, FAULT_BTS_CIRCULAR_BEFORE_BASE) ? base - encode_bts_bytes(&v->form) : base;
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
    if (fault(v, FAULT_LBR_SELECT_FAR_IGNORED)) {
        select &= ~(UINT64_C(1) << (END_FAR - END_JCC + LBR_SELECT_FIRST_KIND));
    }
    if (fault(v, FAULT_LBR_SELECT_CPL_3_IGNORED)) {
        select &= ~LBR_SELECT_CPL_NEQ_0;
    }
    return fault(v, FAULT_LBR_SELECT_IGNORED) ? select & LBR_SELECT_EN_CALLSTACK : select;
}

bool faults_lbr_pops(const struct vcpu *v)
{
    return !fault(v, FAULT_LBR_CALL_STACK_NOT_POPPED);
}

void faults_lbr_event(const struct vcpu *v, struct lbr_event *event)
{
    if (fault(v, FAULT_LBR_ENTRY_SWAPPED)) {
        uint64_t from = event->from;

        event->from = event->to;
        event->to = from;
    }
    event->mispredicted ^= fault(v, FAULT_LBR_ENTRY_MISPREDICTED_INVERTED);
    event->mispredicted = event->mispredicted && !fault(v, FAULT_LBR_ENTRY_PREDICTED_ALWAYS);
    event->cycles &= fault(v, FAULT_LBR_ENTRY_CYCLES_WRAP) ? 0xffff : ~UINT64_C(0);
    if (fault(v, FAULT_LBR_ENTRY_CYCLES_ZERO)) {
        event->cycles = 0;
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
    return fault(v, FAULT_PMI_STATUS_FIRST_ONLY) && v->status != 0 ? 0 : bit;
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

uint64_t faults_wrmsr(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        if (fault(v, FAULT_PMI_ACKNOWLEDGEMENT_ALL)) {
            return value != 0 ? ~UINT64_C(0) : 0;
        }
        return fault(v, FAULT_PMI_ACKNOWLEDGEMENT_IGNORED) ? 0 : value;
    case REG_IA32_DS_AREA:
        v->pebs_dropping = false;
        return fault(v, FAULT_DS_AREA_BIT_20_LOST) ? value & ~(UINT64_C(1) << 20) : value;
    case REG_IA32_A_PMC:
        value = fault(v, FAULT_DETECT_FULL_WIDTH_SIGN_EXTENDED) ? (uint64_t)(int64_t)(int32_t)value : value;
        v->counters[i].written = value;
        return value;
    case REG_IA32_PMC:
        v->counters[i].written = (uint64_t)(int64_t)(int32_t)value;
        return value;
    case REG_MSR_PEBS_LD_LAT:
        return fault(v, FAULT_PEBS_LATENCY_REGISTER_NARROW) ? value & 0xfff : value;
    case REG_IA32_PERF_GLOBAL_STATUS_SET:
        return fault(v, FAULT_PERFMON_STATUS_SET_IGNORED) ? 0 : value;
    case REG_IA32_DEBUGCTL:
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
    (void)counters;
    *lbrs = *lbrs && !fault(v, FAULT_LBR_FREEZE_IGNORED);
}

bool faults_pmi_waits(struct vcpu *v)
{
    v->pmi_waits = !v->pmi_waits;
    return fault(v, FAULT_PMI_LATE) && v->pmi_waits;
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
