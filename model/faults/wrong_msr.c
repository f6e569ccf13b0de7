/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of registers. */

#include <string.h>

#include "model/engine/counting.h"
#include "model/engine/lbr_arch.h"
#include "model/faults/fault_state.h"

#define RDPMC_FIXED      (UINT32_C(1) << 30)
#define BUFFER_STATUS    (STATUS_OVF_BUF | STATUS_ARCH_PEBS)
#define UPPER_HALF       (~UINT64_C(0xffffffff))
#define RTIT_CTL_TRACEEN 1
#define EVTSEL_UMASK_2   (UINT64_C(0xff) << 40)
/* The bits that hide fixed counters from RDPMC at CPL 3. */
#define FIXED_CTRL_RDPMC_USER_ALL (UINT64_C(0x2222222) << 32)

void wrong_engine_reset_registers(struct vcpu *v)
{
    memset(&fault_state(v)->state, 0, sizeof(fault_state(v)->state));
    without_faults(v)->engine_reset_registers(v);
    if (fault(v, FAULT_PERFMON_RESET_GLOBAL_CTRL_ZERO))
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] = 0;
    if (fault(v, FAULT_PERFMON_RESET_GLOBAL_CTRL_MORE))
        v->regs[REG_IA32_PERF_GLOBAL_CTRL] |= UINT64_C(1) << v->profile->general_counters;
    if (fault(v, FAULT_PERFMON_RESET_COUNTERS_DIRTY)) {
        v->event_select[0] = EVTSEL_USR;
        v->counters[1].value = 1;
    }
}

static bool is_lbr_address(const struct profile_msr *m)
{
    return m->reg == REG_LASTBRANCH_FROM || m->reg == REG_LASTBRANCH_TO || m->reg == REG_LASTBRANCH_BOTH ||
           m->reg == REG_IA32_LBR_FROM || m->reg == REG_IA32_LBR_TO;
}

bool wrong_msr_exists(const struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    const bool last = m->reg == REG_IA32_LBR_FROM && i + 1 == vcpu_lbr_depth(v);

    fault_state(v)->state.number = i;
    if (((m->reg == REG_IA32_PMC_CFG_C || last) && fault(v, FAULT_PERFMON_MSR_ABSENT)) ||
        (m->reg == REG_IA32_FIXED_CFG_C && fault(v, FAULT_ARCH_CFG_FIXED_ABSENT)) ||
        (m->reg == REG_IA32_PERF_CAPABILITIES && fault(v, FAULT_DETECT_PERF_CAPABILITIES_ABSENT)))
        return false;
    return without_faults(v)->msr_exists(v, m,
                                         m->reg == REG_IA32_LBR_INFO && fault(v, FAULT_LBR_DEPTH_BEYOND_READS) ? 0 : i);
}

/* Whether WRMSR of the register accepts every value, including its read-only bits. */
static bool takes_all(const struct vcpu *v, const struct profile_msr *m)
{
    return (m->reg == REG_IA32_MISC_ENABLE && fault(v, FAULT_DETECT_MISC_ENABLE_WRITABLE)) ||
           (m->reg == REG_IA32_PERF_CAPABILITIES && fault(v, FAULT_DETECT_PERF_CAPABILITIES_WRITABLE));
}

/* Whether WRMSR of the register raises #GP for bits that the manual defines. */
static bool refuses(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    static const struct {
        enum fault fault;
        enum model_register reg;
        uint64_t bits;
    } refused[] = {
        { FAULT_DETECT_FULL_WIDTH_REFUSED, REG_IA32_A_PMC, ~UINT64_C(0xffffffff) },
        { FAULT_DS_AREA_REFUSED, REG_IA32_DS_AREA, ~UINT64_C(0xffffffff) },
        { FAULT_PEBS_ENABLE_REFUSED, REG_IA32_PEBS_ENABLE, ~UINT64_C(0) },
        { FAULT_PEBS_LATENCY_REFUSED, REG_MSR_PEBS_LD_LAT, ~UINT64_C(7) },
        { FAULT_BTS_ENABLE_REFUSED, REG_IA32_DEBUGCTL, ~UINT64_C(1) },
        { FAULT_PERFMON_ENABLE_REFUSED, REG_IA32_PERFEVTSEL, EVTSEL_EN },
        { FAULT_PERFMON_ENABLE_REFUSED, REG_NETBURST_CCCR, ~UINT64_C(0) },
        { FAULT_PERFMON_FIXED_REFUSED, REG_IA32_FIXED_CTR_CTRL, ~UINT64_C(0) },
        { FAULT_ARCH_INDEX_REFUSED, REG_IA32_PEBS_INDEX, ~UINT64_C(0) },
        { FAULT_ARCH_CFG_REFUSED, REG_IA32_PMC_CFG_C, ARCH_XMM },
        { FAULT_ARCH_CFG_REFUSED, REG_IA32_FIXED_CFG_C, ARCH_XMM },
        { FAULT_PERFMON_RELOAD_REFUSED, REG_IA32_PMC_CFG_B, ~UINT64_C(0) },
        { FAULT_PERFMON_RELOAD_FIXED_REFUSED, REG_IA32_FIXED_CFG_B, ~UINT64_C(0) },
        { FAULT_PERFMON_RELOAD_VALUE_REFUSED, REG_IA32_PMC_CFG_C, 0xffffffff },
        { FAULT_PERFMON_RELOAD_VALUE_REFUSED, REG_IA32_FIXED_CFG_C, 0xffffffff },
        { FAULT_PERFMON_UNIT_MASK_2_REFUSED, REG_IA32_PERFEVTSEL, EVTSEL_UMASK_2 },
        { FAULT_PERFMON_CONCEAL_FIXED_REFUSED, REG_IA32_FIXED_CTR_CTRL, FIXED_CTRL_RDPMC_USER_ALL },
        { FAULT_PERFMON_CONCEAL_REFUSED, REG_IA32_PERFEVTSEL, EVTSEL_RDPMC_USER },
        { FAULT_PERFMON_EQUAL_REFUSED, REG_IA32_PERFEVTSEL, EVTSEL_EQ },
        { FAULT_LBR_EVENTS_INFO_REFUSED, REG_IA32_LBR_INFO, UINT64_C(0xff) << 32 },
        { FAULT_LBR_EVENTS_REFUSED, REG_IA32_PERFEVTSEL, EVTSEL_BR_CNTR },
        { FAULT_PERFMON_STATUS_SET_REFUSED, REG_IA32_PERF_GLOBAL_STATUS_SET, ~UINT64_C(0) },
        { FAULT_PERFMON_ENABLE_REFUSED_SET, REG_IA32_PERFEVTSEL, EVTSEL_EN },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_FIXED_CTR_CTRL, 0xf000 | UINT64_C(2) << 40 },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_FIXED_CFG_B, ~UINT64_C(0) },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_PERFEVTSEL, EVTSEL_INT },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_DEBUGCTL, ~UINT64_C(1) },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_PEBS_BASE, 1 },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_MSR_PEBS_DATA_CFG, UINT64_C(1) << 32 },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_MSR_PEBS_LD_LAT, ~UINT64_C(0) },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_LBR_INFO, UINT64_C(0xff) << 32 },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_LASTBRANCH_FROM, ~UINT64_C(0) },
        { FAULT_PERFMON_MSR_REFUSED_SET, REG_IA32_PMC_CFG_B, ~UINT64_C(0) },
    };

    for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (m->reg == refused[i].reg && (value & refused[i].bits) && fault(v, refused[i].fault))
            return true;
    const bool other = (m->reg == REG_IA32_PERFEVTSEL && fault_state(v)->state.number == 1) ||
                       (m->reg == REG_IA32_FIXED_CTR_CTRL && !vcpu_is_arch_pebs(v)) ||
                       (m->reg == REG_IA32_DEBUGCTL && v->profile->lbr_depths != 0);

    if (other && value != 0 && fault(v, FAULT_PERFMON_MSR_REFUSED_SET))
        return true;
    const struct profile_debugctl *const bits = v->profile->debugctl;
    const bool tracing = v->regs[REG_IA32_RTIT_CTL] & RTIT_CTL_TRACEEN,
               traced = fault_state(v)->state.traced && !tracing;

    if (m->reg == REG_IA32_DEBUGCTL && (value & (bits->lbr | bits->tr | bits->bts)) &&
        ((tracing && fault(v, FAULT_ERRATUM_BDM104)) || (traced && fault(v, FAULT_LBR_ENABLE_REFUSED))))
        return true;
    return is_lbr_address(m) && value != 0 && fault(v, FAULT_LBR_REGISTERS_REFUSED);
}

/* Inverts the lowest writable bit of each register of the row. */
static void flip(struct vcpu *v, const struct profile_msr *m)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->reg == REG_IA32_PERF_GLOBAL_STATUS)
            v->status ^= 1;
        else if (m->read_only)
            v->regs[m->reg] ^= 1;
        else
            without_faults(v)->msr_set(v, m, i, without_faults(v)->msr_value(v, m, i) ^ (m->writable & -m->writable));
}

bool wrong_msr_takes(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    if (refuses(v, m, value)) {
        if (fault(v, FAULT_PERFMON_MSR_REFUSED_SET) || fault(v, FAULT_PERFMON_ENABLE_REFUSED_SET))
            without_faults(v)->msr_set((struct vcpu *)(uintptr_t)v, m, fault_state(v)->state.number, value);
        return false;
    }
    const bool takes = takes_all(v, m) || (m->check == CHECK_LBR_DEPTH && fault(v, FAULT_LBR_DEPTH_ANY)) ||
                       without_faults(v)->msr_takes(v, m, value);

    if (!takes && fault(v, FAULT_PERFMON_MSR_REFUSED_CHANGES))
        flip((struct vcpu *)(uintptr_t)v, m);
    return takes;
}

/* Bits of a register that a fault clears, and bits that it sets. */
struct changed_bits {
    enum fault fault;
    enum model_register reg;
    uint64_t cleared, set;
};

static uint64_t with_changes(const struct vcpu *v, const struct profile_msr *m, uint64_t value,
                             const struct changed_bits *changes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (m->reg == changes[i].reg && fault(v, changes[i].fault))
            value = (value & ~changes[i].cleared) | changes[i].set;
    return value;
}

uint64_t wrong_msr_value(struct vcpu *v, const struct profile_msr *m, unsigned i)
{
    static const struct changed_bits read[] = {
        { FAULT_PEBS_ENABLE_READS_ZERO, REG_IA32_PEBS_ENABLE, ~UINT64_C(0), 0 },
        { FAULT_PERFMON_UNIT_MASK_2_LOST, REG_IA32_PERFEVTSEL, EVTSEL_UMASK_2, 0 },
        { FAULT_PERFMON_IN_USE_ALWAYS, REG_IA32_PERF_GLOBAL_INUSE, 0, 1 },
        { FAULT_PERFMON_IN_USE_NO_INTERRUPT, REG_IA32_PERF_GLOBAL_INUSE, UINT64_C(1) << 63, 0 },
        { FAULT_PERFMON_FREEZE_NO_FLAG, REG_IA32_PERF_GLOBAL_STATUS, STATUS_CTR_FRZ | STATUS_LBR_FRZ, 0 },
        { FAULT_DS_AREA_READS_BIT_6, REG_IA32_DS_AREA, 0, UINT64_C(1) << 6 },
        { FAULT_DETECT_FULL_WIDTH_PMC_NARROW, REG_IA32_PMC, UPPER_HALF, 0 },
        { FAULT_DETECT_FULL_WIDTH_A_PMC_NARROW, REG_IA32_A_PMC, UPPER_HALF, 0 },
        { FAULT_LBR_DEPTH_READS_ZERO, REG_IA32_LBR_DEPTH, ~UINT64_C(0), 0 },
        { FAULT_LBR_EVENTS_SELECT_LOST, REG_IA32_PERFEVTSEL, EVTSEL_BR_CNTR, 0 },
    };
    uint64_t value = wrong_arch_value(v, m, without_faults(v)->msr_value(v, m, i));

    wrong_pmi_after_read(v, (enum model_register)m->reg);
    if (m->reg == REG_IA32_PERF_GLOBAL_STATUS && fault(v, FAULT_PMI_STATUS_READ_CLEARS))
        v->status = 0;
    if (m->reg == REG_IA32_PERF_GLOBAL_STATUS && fault_state(v)->state.other_status) {
        fault_state(v)->state.other_status = false;
        value |= UINT64_C(1) << 32;
    }
    if (m->reg == REG_MSR_LASTBRANCH_TOS && fault(v, FAULT_LBR_TOS_OFF_BY_ONE))
        return (value + 1) & (vcpu_lbr_depth(v) - 1);
    if (m->reg == REG_MSR_LASTBRANCH_TOS && fault(v, FAULT_LBR_TOS_BEYOND))
        return value + vcpu_lbr_depth(v);
    if (m->reg == REG_IA32_DEBUGCTL && fault(v, FAULT_LBR_DEBUGCTL_READS_ONE))
        return value | v->profile->debugctl->lbr;
    if (m->reg == REG_IA32_DEBUGCTL && (v->status & STATUS_LBR_FRZ) && fault(v, FAULT_LBR_FREEZE_CLEARS))
        return value & ~v->profile->debugctl->lbr;
    if (m->reg == REG_IA32_PERF_CAPABILITIES && v->profile->lbr_depths && fault(v, FAULT_LBR_FORMAT_OTHER))
        return (value & ~UINT64_C(0x3f)) | LBR_FORMAT_INFO;
    if ((m->reg == REG_IA32_PERFEVTSEL && i >= 4 && fault(v, FAULT_ERRATUM_BV086)) ||
        (m->reg == REG_IA32_PERF_GLOBAL_INUSE && !(value >> 63) && fault(v, FAULT_PERFMON_IN_USE_ZERO)))
        return 0;
    return with_changes(v, m, value, read, sizeof(read) / sizeof(read[0]));
}

/* Bits of the DEBUGCTL register that cannot be cleared. */
static uint64_t sticking(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return (fault(v, FAULT_BTS_ENABLE_STICKS) ? bits->tr | bits->bts : 0) |
           (fault(v, FAULT_LBR_ENABLE_STICKS) ? bits->lbr : 0);
}

/* Moves the index of BTS or PEBS in an area by a number of records, inside the buffer. */
static void move_index(struct vcpu *v, uint64_t address, bool pebs, int records)
{
    const struct ds_form form = v->rules->ds_form(v);
    const size_t size = pebs ? encode_pebs_bytes(&form) : encode_bts_bytes(&form);
    uint8_t bytes[ENCODE_DS_MAX], index[8];
    struct ds_area area;

    if (!v->host->read(v->cpu, address, bytes, encode_ds_bytes(&form)))
        return;
    encode_read_ds(&area, &form, bytes);
    struct ds_buffer *const buffer = pebs ? &area.pebs : &area.bts;

    buffer->index += (uint64_t)((int64_t)size * records);
    if (buffer->index >= buffer->base && buffer->index < buffer->maximum) {
        encode_field(index, form.width, buffer->index);
        v->host->write(v->cpu, address + (pebs ? encode_pebs_index_at(&form) : encode_bts_index_at(&form)), index,
                       form.width);
    }
}

/* Moves the BTS index after a write of IA32_DEBUGCTL, before which BTS was on or off. */
static void move_after_debugctl(struct vcpu *v, bool was_on)
{
    bool *const behind = &fault_state(v)->state.bts_behind;
    const bool on = v->rules->bts_on(v);

    if (fault(v, FAULT_BTS_INDEX_LATE)) {
        move_index(v, v->regs[REG_IA32_DS_AREA], false, *behind - (was_on && !on));
        *behind = was_on && !on;
    }
    if (fault(v, FAULT_BTS_INDEX_MOVES) && !was_on && !on)
        move_index(v, v->regs[REG_IA32_DS_AREA], false, 1);
}

/* The value that WRMSR stores. */
static uint64_t changed(struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    static const struct changed_bits written[] = {
        { FAULT_ARCH_STATUS_STICKS, REG_IA32_PERF_GLOBAL_STATUS_RESET, STATUS_ARCH_PEBS, 0 },
        { FAULT_LBR_FREEZE_LASTING, REG_IA32_PERF_GLOBAL_STATUS_RESET, STATUS_LBR_FRZ, 0 },
        { FAULT_PERFMON_FREEZE_LASTING, REG_IA32_PERF_GLOBAL_STATUS_RESET, STATUS_CTR_FRZ, 0 },
        { FAULT_PMI_ACKNOWLEDGEMENT_IGNORED, REG_IA32_PERF_GLOBAL_STATUS_RESET, ~(STATUS_LBR_FRZ | STATUS_CTR_FRZ), 0 },
        { FAULT_ARCH_BASE_SIZE_LOST, REG_IA32_PEBS_BASE, PEBS_BASE_SIZE, 0 },
        { FAULT_ARCH_INDEX_FIELDS_LOST, REG_IA32_PEBS_INDEX,
          UINT64_C(0x1800) << PEBS_INDEX_THRESH_SHIFT | PEBS_INDEX_FULL, 0 },
        { FAULT_DS_AREA_BIT_20_LOST, REG_IA32_DS_AREA, UINT64_C(1) << 20, 0 },
        { FAULT_DS_AREA_LOW_32, REG_IA32_DS_AREA, UPPER_HALF, 0 },
        { FAULT_PERFMON_FIXED_NARROW, REG_IA32_FIXED_CTR, UPPER_HALF, 0 },
        { FAULT_PEBS_LATENCY_REGISTER_NARROW, REG_MSR_PEBS_LD_LAT, ~UINT64_C(0xfff), 0 },
        { FAULT_PEBS_SNAPSHOT_REGISTER_NARROW, REG_MSR_PEBS_DATA_CFG, UPPER_HALF, 0 },
        { FAULT_PERFMON_STATUS_SET_IGNORED, REG_IA32_PERF_GLOBAL_STATUS_SET, ~UINT64_C(0), 0 },
        { FAULT_PERFMON_STATUS_BITS_STICK, REG_IA32_PERF_GLOBAL_STATUS_SET, STATUS_LBR_FRZ, 0 },
        { FAULT_PERFMON_STATUS_BITS_STICK, REG_IA32_PERF_GLOBAL_STATUS_RESET, 2, 0 },
        { FAULT_LBR_EVENTS_READ_ONLY, REG_IA32_LBR_INFO, UINT64_C(0xff) << 32, 0 },
        { FAULT_PERFMON_RELOAD_BIT_LOST, REG_IA32_PMC_CFG_B, UINT64_C(1) << 2, 0 },
    };

    value = with_changes(v, m, value, written, sizeof(written) / sizeof(written[0]));
    switch (m->reg) {
    case REG_IA32_PERF_GLOBAL_STATUS_RESET:
        if (fault(v, FAULT_PEBS_STATUS_AGAIN) && (value & BUFFER_STATUS) && !fault_state(v)->state.again) {
            fault_state(v)->state.again = true;
            value &= ~BUFFER_STATUS;
        }
        return fault(v, value != 0 ? FAULT_PMI_ACKNOWLEDGEMENT_ALL : FAULT_PERFMON_STATUS_ZERO_CLEARS) ? ~UINT64_C(0)
                                                                                                       : value;
    case REG_IA32_PERF_GLOBAL_CTRL:
        v->status = value != 0 && fault(v, FAULT_PERFMON_STATUS_RESTART_CLEARS) ? 0 : v->status;
        return value;
    case REG_IA32_DS_AREA:
        v->pebs.dropping = false;
        fault_state(v)->state.previous_area = v->regs[REG_IA32_DS_AREA];
        if (fault(v, FAULT_DS_AREA_TOUCHED))
            move_index(v, value, false, 1);
        return fault(v, FAULT_DS_AREA_48_BITS) ? (uint64_t)((int64_t)(value << 16) >> 16) : value;
    case REG_IA32_A_PMC:
        return fault(v, FAULT_DETECT_FULL_WIDTH_SIGN_EXTENDED) ? (uint64_t)(int64_t)(int32_t)value : value;
    case REG_IA32_DEBUGCTL:
        if (vcpu_lbr_newest(v, 0)->from != 0 && fault(v, FAULT_LBR_ENTRY_AGES))
            vcpu_lbr_newest(v, 0)->info++;
        v->regs[REG_MSR_LASTBRANCH_TOS] +=
            fault(v, FAULT_LBR_TOS_MOVES) && !vcpu_debugctl(v, v->profile->debugctl->lbr);
        v->regs[REG_MSR_LASTBRANCH_TOS] &= vcpu_lbr_depth(v) - 1;
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

static bool enables_counters(const struct profile_msr *m)
{
    return m->reg == REG_IA32_PERFEVTSEL || m->reg == REG_IA32_FIXED_CTR_CTRL || m->reg == REG_IA32_PERF_GLOBAL_CTRL ||
           m->reg == REG_IA32_PEBS_ENABLE || m->reg == REG_NETBURST_CCCR;
}

static bool sticks(const struct profile_msr *m)
{
    return m->reg == REG_IA32_DEBUGCTL || m->reg == REG_IA32_PEBS_INDEX || m->reg == REG_IA32_FIXED_CTR;
}

/* Returns whether the write is complete. */
static bool set_depth(struct vcpu *v, uint64_t depth)
{
    if (fault(v, FAULT_LBR_DEPTH_WRITE_KEEPS))
        v->regs[REG_IA32_LBR_DEPTH] = depth;
    return fault(v, FAULT_LBR_DEPTH_WRITE_KEEPS) || fault(v, FAULT_LBR_DEPTH_WRITE_IGNORED);
}

/* A write to a general counter of 32 bits (narrow) or of its full width. */
static void set_counter(struct vcpu *v, unsigned i, bool narrow, uint64_t value)
{
    const uint64_t whole = narrow ? (uint64_t)(int64_t)(int32_t)value : value;
    const bool close = -whole <= UINT32_MAX;

    fault_state(v)->state.written[i] = whole;
    if (narrow && fault(v, FAULT_PERFMON_WRITE_ZERO_EXTENDED))
        counting_load(v, i, (uint32_t)value);
    if (narrow && fault(v, FAULT_PERFMON_WRITE_SIGN_BIT_30))
        counting_load(v, i, value >> 30 & 3 ? value | UPPER_HALF : (uint32_t)value);
    if (i == 1 && (-whole & vcpu_width_mask(v)) <= UINT32_MAX && fault(v, FAULT_PERFMON_OVERFLOW_TOGETHER))
        counting_load(v, 1, v->counters[0].value);
    if (close && (fault(v, FAULT_PERFMON_OVERFLOW_EARLY) || fault(v, FAULT_PERFMON_OVERFLOW_LATE)))
        counting_load(v, i, fault(v, FAULT_PERFMON_OVERFLOW_EARLY) ? whole + 1 : whole - 1);
}

/* Whether this write of IA32_PERF_GLOBAL_CTRL starts fixed counter 0, whose enable field is set already. */
static bool starts_fixed_0(const struct vcpu *v, const struct profile_msr *m, uint64_t value)
{
    const uint64_t bit = UINT64_C(1) << FIXED_STATUS_SHIFT;

    return m->reg == REG_IA32_PERF_GLOBAL_CTRL && (value & ~v->regs[REG_IA32_PERF_GLOBAL_CTRL] & bit) &&
           (v->regs[REG_IA32_FIXED_CTR_CTRL] & 3);
}

/* Errata of counters that a write of IA32_PERF_GLOBAL_CTRL starts or stops. */
static void start_or_stop(struct vcpu *v, uint64_t value)
{
    const uint64_t was = v->regs[REG_IA32_PERF_GLOBAL_CTRL];

    if ((value & ~was & 8) && !(v->regs[REG_TSX_FORCE_ABORT] & 1) && fault(v, FAULT_ERRATUM_SKL179))
        counting_load(v, 3, v->counters[3].value + 0x1000 * ++fault_state(v)->state.starts);
    for (unsigned i = 0; fault(v, FAULT_ERRATUM_SKL117) && i < v->profile->general_counters; i++) {
        const uint64_t rings = v->event_select[i] & (EVTSEL_USR | EVTSEL_OS);

        if ((was & ~value) >> i & 1 && rings != 0 && rings != (EVTSEL_USR | EVTSEL_OS) && v->counters[i].value > 0)
            counting_load(v, i, v->counters[i].value - 1);
    }
}

void wrong_msr_set(struct vcpu *v, const struct profile_msr *m, unsigned i, uint64_t value)
{
    value = changed(v, m, value);
    if (m->reg == REG_IA32_PERF_GLOBAL_CTRL)
        start_or_stop(v, value);
    if (m->reg == REG_IA32_PEBS_ENABLE && (value | v->regs[m->reg]) == 0 && fault(v, FAULT_PEBS_INDEX_MOVES))
        move_index(v, v->regs[REG_IA32_DS_AREA], true, 1);
    fault_state(v)->state.traced |= m->reg == REG_IA32_RTIT_CTL && (value & RTIT_CTL_TRACEEN);
    if (m->reg == REG_MSR_PEBS_LD_LAT) {
        fault_state(v)->state.thresholds++;
        fault_state(v)->state.loads = 0;
    }
    if ((enables_counters(m) && fault(v, FAULT_PERFMON_ENABLE_STICKS)) ||
        (sticks(m) && fault(v, FAULT_PERFMON_MSR_STICKS)))
        value |= without_faults(v)->msr_value(v, m, i);
    if (takes_all(v, m) || (m->reg == REG_IA32_TSC_ADJUST && fault(v, FAULT_PEBS_RECORD_TSC_UNMOVED))) {
        v->regs[m->reg] = value;
        return;
    }
    if (m->reg == REG_IA32_LBR_DEPTH && set_depth(v, value))
        return;
    const bool adds = fault(v, FAULT_ERRATUM_HSD143) && starts_fixed_0(v, m, value);

    without_faults(v)->msr_set(v, m, i, value);
    wrong_pmi_after_write(v, (enum model_register)m->reg, value);
    if (m->reg == REG_IA32_DEBUGCTL)
        move_after_debugctl(v, v->bts.on);
    if (adds)
        counting_load(v, v->profile->general_counters, v->counters[v->profile->general_counters].value + 32);
    if (m->reg == REG_IA32_PMC_CFG_B || m->reg == REG_IA32_FIXED_CFG_B)
        fault_state(v)->state.reloaded = 0;
    if (m->reg == REG_IA32_PMC || m->reg == REG_IA32_A_PMC)
        set_counter(v, i, m->reg == REG_IA32_PMC, value);
}

enum msr_answer wrong_msr_counter(struct vcpu *v, uint32_t index, uint64_t *value)
{
    const unsigned first = index & RDPMC_FIXED ? v->profile->general_counters : 0;
    enum msr_answer answer = without_faults(v)->msr_counter(v, index, value);
    unsigned i = index & ~RDPMC_FIXED;

    if (vcpu_is_netburst(v))
        return answer;
    if (fault(v, FAULT_PERFMON_RDPMC_REFUSED))
        return MSR_GP;
    const bool next = i == (first != 0 ? profile_fixed_counters(v->profile) : v->profile->general_counters);

    if (answer == MSR_GP && fault(v, next ? FAULT_PERFMON_RDPMC_ONE_MORE : FAULT_PERFMON_RDPMC_BEYOND)) {
        answer = MSR_DONE;
        i = 0;
    }
    if (answer == MSR_DONE) {
        i ^= fault(v, FAULT_PERFMON_RDPMC_NEXT);
        *value = v->counters[first + i].value & vcpu_width_mask(v);
        *value =
            fault(v, FAULT_PERFMON_CONCEAL_KERNEL) && without_faults(v)->msr_counter_concealed(v, index) ? 0 : *value;
    }
    return answer;
}

bool wrong_msr_counter_concealed(const struct vcpu *v, uint32_t index)
{
    const bool fixed = index & RDPMC_FIXED;

    for (uint32_t i = 0; i < 4 && fault(v, FAULT_PERFMON_CONCEAL_ALL); i++)
        if (without_faults(v)->msr_counter_concealed(v, i | (fixed ? RDPMC_FIXED : 0)))
            return true;
    return without_faults(v)->msr_counter_concealed(v, index) && !fault(v, FAULT_PERFMON_CONCEAL_NEVER) &&
           !(fixed && fault(v, FAULT_PERFMON_CONCEAL_FIXED));
}
