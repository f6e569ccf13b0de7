/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of PEBS. */

#include "model/engine/counting.h"
#include "model/engine/netburst.h"
#include "model/engine/pebs.h"
#include "model/engine/ring.h"
#include "model/faults/fault_state.h"

#define CHANCE UINT64_C(0x9e3779b97f4a7c15) /* the upper bits of a product with it look random */

/* On NetBurst, bit 24 also enables sampling. */
uint64_t wrong_pebs_enabled(const struct vcpu *v)
{
    const bool bit24 = vcpu_is_netburst(v) && (v->regs[REG_IA32_PEBS_ENABLE] & NETBURST_UOP_TAG);

    return wrong_arch_enabled(v,
                              without_faults(v)->pebs_enabled(v) | (bit24 ? UINT64_C(1) << NETBURST_PEBS_COUNTER : 0));
}

bool wrong_pebs_full(struct vcpu *v, size_t size)
{
    if (without_faults(v)->pebs_full(v, size))
        v->ds.area.pebs.index = v->ds.area.pebs.base;
    return false;
}

void wrong_pebs_reached(struct vcpu *v)
{
    v->pmi.wanted = true; /* bit 62 is not set */
}

/* Each change keeps some bits of a field and sets others. */
static void overwrite(const struct vcpu *v, struct pebs_contents *contents)
{
#define FIELD(name) offsetof(struct pebs_contents, name)
    static const struct {
        enum fault fault;
        size_t at;
        uint64_t kept, set;
        bool compatible; /* apply only outside IA-32e mode */
    } fields[] = {
        { FAULT_PEBS_RECORD_FLAGS_ZERO, FIELD(rflags), 0, 0, false },
        { FAULT_PEBS_RECORD_IF_CLEAR, FIELD(rflags), ~(UINT64_C(1) << 9), 0, false },
        { FAULT_PEBS_RECORD_UPPER_FLAGS_SET, FIELD(rflags), ~UINT64_C(0), UINT64_C(1) << 63, true },
        { FAULT_PEBS_RECORD_UPPER_SET, FIELD(general[RDX]), ~UINT64_C(0), UINT64_C(1) << 32, true },
        { FAULT_PEBS_RECORD_RAX_ZERO, FIELD(general[RAX]), 0, 0, false },
        { FAULT_PEBS_RECORD_TSX_SET, FIELD(tsx), 0, 1, false },
        { FAULT_PEBS_RECORD_TSC_ZERO, FIELD(tsc), 0, 0, false },
        { FAULT_PEBS_DATA_ADDRESS_LINE, FIELD(data_address), ~UINT64_C(63), 0, false },
        { FAULT_PEBS_DATA_ADDRESS_ZERO, FIELD(data_address), 0, 0, false },
        { FAULT_PEBS_DATA_LATENCY_ZERO, FIELD(latency), 0, 0, false },
    };
#undef FIELD

    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t *field = (uint64_t *)(void *)((uint8_t *)contents + fields[i].at);

        if (fault(v, fields[i].fault) && !(fields[i].compatible && v->host->ia32e(v->cpu)))
            *field = (*field & fields[i].kept) | fields[i].set;
    }
}

/* Whether the block ended with a conditional branch that was not taken, behind another instruction, and is recorded. */
static bool ends_untaken(const struct block *block, const struct pebs_contents *contents)
{
    return block != NULL && block->end == END_JCC && block->last == contents->eventing_ip && block->count > 1 &&
           block->next == contents->ip;
}

/* EventingIP of a record; of a conditional branch that is not taken, that of the instruction before it. */
static uint64_t before_untaken(const struct vcpu *v, const struct pebs_contents *contents)
{
    const struct block *found = ring_running_block(v);

    for (unsigned i = 0; i < ring_used(v) && !ends_untaken(found, contents); i++)
        found = ring_blocks(v)[i];
    if (ends_untaken(found, contents))
        return block_address(found, found->count - 2);
    return contents->eventing_ip;
}

void wrong_pebs_describe(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents)
{
    without_faults(v)->pebs_describe(v, sample, contents);
    const bool of_store = contents->data_address == v->data.store.address;

    contents->ip += fault(v, FAULT_PEBS_RECORD_IP_HIGH);
    if (fault(v, FAULT_PEBS_RECORD_IP_OF_EVENT))
        contents->ip = contents->eventing_ip;
    if (fault(v, FAULT_PEBS_RECORD_EVENTING_IP_NEXT))
        contents->eventing_ip = contents->ip;
    if (fault(v, FAULT_ERRATUM_SKL018))
        contents->eventing_ip = before_untaken(v, contents);
    if (fault(v, FAULT_PEBS_RECORD_EVENTING_IP_OFFSET)) {
        contents->tsx = contents->eventing_ip;
        contents->eventing_ip = 0;
    }
    if (fault(v, FAULT_PEBS_RECORD_RBX_RCX_SWAPPED))
        swap(&contents->general[RBX], &contents->general[RCX]);
    if (fault(v, FAULT_PEBS_RECORD_COUNTERS_NEXT))
        contents->counters <<= 1;
    if (fault(v, FAULT_PEBS_RECORD_TSC_UNADJUSTED))
        contents->tsc -= v->regs[REG_IA32_TSC_ADJUST];
    if (fault(v, FAULT_PEBS_DATA_STORE_ADDRESS_ZERO) && of_store)
        contents->data_address = 0;
    if (fault(v, FAULT_PEBS_DATA_STORE_SOURCE_ZERO) && of_store)
        contents->data_source = 0;
    if (fault(v, FAULT_PEBS_DATA_SOURCE_SOMETIMES) && contents->data_source == v->profile->memory.source[LEVEL_L1] &&
        contents->tsc * CHANCE >> 62 == 0)
        contents->data_source = v->profile->memory.source[LEVEL_L2];
    overwrite(v, contents);
}

uint64_t wrong_pebs_groups(const struct vcpu *v, uint64_t counters)
{
    uint64_t groups = without_faults(v)->pebs_groups(v, counters);

    if (fault(v, FAULT_PEBS_SNAPSHOT_UNASKED) && (groups & DATA_CFG_COUNTERS))
        groups |= ((UINT64_C(1) << v->profile->general_counters) - 1) << 32;
    if (fault(v, FAULT_PEBS_SNAPSHOT_ALWAYS) && groups >> 32 != 0)
        groups |= DATA_CFG_COUNTERS;
    return fault(v, FAULT_PEBS_ADAPTIVE_FLAG_IGNORED) ? v->regs[REG_MSR_PEBS_DATA_CFG] : groups;
}

/* The value of the i-th counter in a record, from the right value. */
static uint64_t wrong_counter(const struct vcpu *v, const struct pebs_sample *sample, unsigned i, uint64_t value)
{
    const unsigned before = fault_state(v)->state.snapshots;

    if (fault(v, FAULT_PEBS_SNAPSHOT_ZERO) || (fault(v, FAULT_PEBS_SNAPSHOT_STOPPED_ZERO) && !v->counters[i].active))
        return 0;
    if (fault(v, FAULT_PEBS_SNAPSHOT_RELOADED) && (sample->counters >> i & 1))
        return vcpu_reset_value(v, i) & vcpu_width_mask(v);
    value += fault(v, FAULT_PEBS_SNAPSHOT_COUNTS_ON) ? 10 * before : 0;
    value |= fault(v, FAULT_PEBS_SNAPSHOT_EXCESS) ? vcpu_width_mask(v) + 1 : 0;
    return value;
}

static void describe_wrong_counters(const struct vcpu *v, const struct pebs_sample *sample,
                                    struct adaptive_contents *extra)
{
    unsigned count = 0;

    for (uint64_t left = DATA_CFG_GENERAL(extra->format) | (uint64_t)DATA_CFG_FIXED(extra->format) << 32; left != 0;
         left &= left - 1, count++) {
        const unsigned bit = (unsigned)__builtin_ctzll(left);
        const unsigned i = bit < 32 ? bit : v->profile->general_counters + bit - 32;

        extra->counters[count] = wrong_counter(v, sample, i, extra->counters[count]);
    }
    fault_state(v)->state.snapshots += count > 0;
}

void wrong_pebs_describe_groups(struct vcpu *v, const struct pebs_sample *sample, struct pebs_contents *contents,
                                struct adaptive_contents *extra, struct lbr_entry *stack)
{
    without_faults(v)->pebs_describe_groups(v, sample, contents, extra, stack);
    if (fault(v, FAULT_PEBS_DATA_LATENCY_ZERO)) {
        contents->latency = 0;
        extra->cache_latency = 0;
    }
    if (fault(v, FAULT_PEBS_ADAPTIVE_XMM_UPPER))
        extra->xmm[XMM_REGISTERS - 1][1] ^= UINT64_C(0xffffffff) << 32;
    if (fault(v, FAULT_PEBS_ADAPTIVE_XMM_ZERO))
        extra->xmm[0][0] = 0;
    describe_wrong_counters(v, sample, extra);
    if (fault(v, FAULT_PEBS_ADAPTIVE_LBR_EVENTS) && extra->lbr_count > 0)
        stack[0].info ^= UINT64_C(1) << 32;
    if (fault(v, FAULT_PEBS_SNAPSHOT_METRICS_SWAPPED))
        swap(&extra->slots, &extra->metrics);
    if (fault(v, FAULT_PEBS_ADAPTIVE_LBR_FEWER) && (extra->format & DATA_CFG_LBRS)) {
        unsigned asked = DATA_CFG_LBR_COUNT(extra->format);

        extra->lbr_count = asked - 1 < extra->lbr_count ? asked - 1 : extra->lbr_count;
    }
}

void wrong_adaptive_encode(uint8_t *bytes, const struct pebs_contents *contents, const struct adaptive_contents *extra)
{
    adaptive_encode(bytes, contents, extra);
    bytes[6] = (uint8_t)(bytes[6] - 32); /* bits 63:48 are the record's size in bytes */
}

uint64_t wrong_pebs_index(const struct vcpu *v)
{
    const uint64_t index = without_faults(v)->pebs_index(v);

    return fault(v, FAULT_PEBS_INDEX_STUCK) ? v->pebs.at : index + v->pebs.staged;
}

bool wrong_pebs_write(struct vcpu *v, uint64_t index)
{
    static const uint8_t more[8] = { 1 };
    const bool written = without_faults(v)->pebs_write(v, index);
    uint8_t field[8];

    if (fault(v, FAULT_PEBS_RECORD_LONGER))
        v->host->write(v->cpu, index, more, sizeof(more));
    encode_field(field, v->ds.form.width, v->ds.area.bts.index + v->pebs.staged);
    if (fault(v, FAULT_DS_AREA_OTHER_INDEX))
        v->host->write(v->cpu, v->rules->ds_address(v) + encode_bts_index_at(&v->ds.form), field, v->ds.form.width);
    return written;
}

static uint64_t wrong_value(const struct vcpu *v, unsigned i)
{
    if (fault(v, FAULT_PEBS_RELOAD_FORGOTTEN))
        return v->counters[i].value;
    if (fault(v, FAULT_PEBS_RELOAD_WRITTEN))
        return fault_state(v)->state.written[i];
    if (fault(v, FAULT_ARCH_RELOAD_ZERO_EXTENDED))
        return (uint32_t)v->config[i].c;
    const uint64_t value = vcpu_reset_value(v, fault(v, FAULT_PEBS_RELOAD_SLOT_0) ? 0 : i);
    const uint64_t period = -value & vcpu_width_mask(v);

    return fault(v, FAULT_PEBS_RELOAD_HALF) ? -(period / 2) : value;
}

void wrong_pebs_reload(struct vcpu *v, uint64_t counters)
{
    for (uint64_t left = counters; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        counting_load(v, i, wrong_value(v, i));
        v->status |= fault(v, FAULT_PEBS_STATUS_OWN_BIT_LEFT) ? vcpu_counter_bit(v, i) : 0;
    }
}
