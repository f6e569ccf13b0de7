/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faulty rules of branches and the BTS buffer. */

#include "model/engine/bts.h"
#include "model/engine/lbr.h"
#include "model/faults/fault_state.h"

#define PREDICTED UINT64_C(0x10)

static bool is_far(const struct branch *b)
{
    return b->block->end >= END_FAR;
}

static bool bts_wants(const struct vcpu *v, const struct branch *b)
{
    return !(b->not_taken && !fault(v, FAULT_BTS_BRANCHES_NOT_TAKEN)) &&
           !(is_far(b) && fault(v, FAULT_BTS_BRANCHES_FAR_FORGOTTEN)) &&
           !(b->block->end == END_RET && fault(v, FAULT_BTS_BRANCHES_RETURNS_FORGOTTEN)) &&
           !(b->block->end == END_IND_JMP && fault(v, FAULT_BTS_BRANCHES_INDIRECT_FORGOTTEN));
}

static bool lbr_wants(const struct vcpu *v, const struct branch *b)
{
    return !(b->not_taken && !fault(v, FAULT_LBR_BRANCHES_NOT_TAKEN)) &&
           !(is_far(b) && fault(v, FAULT_LBR_BRANCHES_FAR_FORGOTTEN));
}

static unsigned select_for_bts(const struct vcpu *v, const struct branch *branches, unsigned n, struct branch *selected)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++)
        if (bts_wants(v, &branches[i]))
            selected[count++] = branches[i];
    return count;
}

static unsigned select_for_lbr(const struct vcpu *v, const struct branch *branches, unsigned n, struct branch *selected)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++)
        if (lbr_wants(v, &branches[i]))
            selected[count++] = branches[i];
    return count;
}

/* Whether the next record is lost. */
static bool loses(const struct vcpu *v)
{
    const struct ds_buffer *bts = &v->ds.area.bts;
    const unsigned size = encode_bts_bytes(&v->ds.form);
    const bool full = !ds_buffer_fits(bts, size);
    const bool reaches = !full && bts->index < bts->threshold && bts->threshold - bts->index <= size;

    return (full && fault(v, FAULT_BTS_CIRCULAR_STOPS)) || (reaches && fault(v, FAULT_BTS_THRESHOLD_RECORD_LOST));
}

/* Stores the records one by one, because the decision about a record depends on the index after the one before. */
static void store_or_lose(struct vcpu *v, const struct branch *branches, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!loses(v))
            bts_store(v, &branches[i], 1, true);
    if (fault(v, FAULT_BTS_CIRCULAR_INTERRUPTS) && !vcpu_debugctl(v, v->profile->debugctl->btint) &&
        !ds_buffer_fits(&v->ds.area.bts, encode_bts_bytes(&v->ds.form))) {
        v->status |= STATUS_OVF_BUF;
        v->pmi.wanted = true;
    }
}

void wrong_branches_record(struct vcpu *v, const struct branch *branches, unsigned n, bool area_readable)
{
    struct branch selected[BRANCH_BATCH];

    if (v->lbr.on)
        lbr_store(v, selected, select_for_lbr(v, branches, n, selected));
    if (v->bts.on && area_readable)
        store_or_lose(v, selected, select_for_bts(v, branches, n, selected));
    else if (v->bts.on)
        bts_store(v, selected, select_for_bts(v, branches, n, selected), false);
}

bool wrong_bts_on(const struct vcpu *v)
{
    const struct profile_debugctl *bits = v->profile->debugctl;

    return (vcpu_debugctl(v, bits->tr) || fault(v, FAULT_BTS_ENABLE_TR_IGNORED)) &&
           (vcpu_debugctl(v, bits->bts) || fault(v, FAULT_BTS_ENABLE_BTS_IGNORED)) &&
           (vcpu_debugctl(v, bits->tr) || vcpu_debugctl(v, bits->bts));
}

void wrong_bts_filters(const struct vcpu *v, bool *skip_system, bool *skip_user)
{
    without_faults(v)->bts_filters(v, skip_system, skip_user);
    *skip_system = *skip_system && !fault(v, FAULT_BTS_CPL_OFF_OS_IGNORED);
    *skip_user = *skip_user && !fault(v, FAULT_BTS_CPL_OFF_USR_IGNORED);
}

struct bts_contents wrong_bts_contents(const struct vcpu *v, const struct branch *b)
{
    struct bts_contents contents = without_faults(v)->bts_contents(v, b);

    if (fault(v, FAULT_ERRATUM_HSD053)) {
        contents.from = ++fault_state(v)->state.bts_stored % 4 == 0 ? fault_state(v)->state.bts_from : contents.from;
        fault_state(v)->state.bts_from = b->block->last;
    }
    if (fault(v, FAULT_ERRATUM_AR62) &&
        (vcpu_debugctl(v, v->profile->debugctl->bts_off_os) || vcpu_debugctl(v, v->profile->debugctl->bts_off_usr)))
        contents.from = 0;
    if (fault(v, FAULT_BTS_RECORD_FROM_BEHIND))
        contents.from = b->block->next;
    contents.to += fault(v, FAULT_BTS_RECORD_TO_BEHIND);
    if (fault(v, FAULT_BTS_RECORD_UPPER_HALF_DIRTY) && !v->host->ia32e(v->cpu))
        contents.from |= UINT64_C(1) << 40;
    if (fault(v, FAULT_BTS_RECORD_SWAPPED))
        swap(&contents.from, &contents.to);
    if (fault(v, FAULT_BTS_RECORD_PREDICTED_INVERTED))
        contents.flags ^= v->profile->bts_predicted ? PREDICTED : 0;
    if (fault(v, FAULT_BTS_RECORD_PREDICTED_ALWAYS))
        contents.flags = v->profile->bts_predicted && b->block->end == END_IND_JMP ? PREDICTED : 0;
    return contents;
}

uint64_t wrong_bts_wrap(const struct vcpu *v)
{
    return without_faults(v)->bts_wrap(v) - encode_bts_bytes(&v->ds.form);
}

uint64_t wrong_bts_index(const struct vcpu *v)
{
    const uint64_t index = without_faults(v)->bts_index(v);

    if (fault(v, FAULT_BTS_INDEX_STUCK))
        return v->bts.at;
    if (fault(v, FAULT_BTS_INDEX_TWICE))
        return index + v->bts.staged * encode_bts_bytes(&v->ds.form);
    return fault(v, FAULT_BTS_INDEX_SHORT) ? index - v->bts.staged * v->ds.form.width : index;
}

bool wrong_bts_write(struct vcpu *v, uint64_t index)
{
    const bool written = without_faults(v)->bts_write(v, index);
    const unsigned width = v->ds.form.width;
    const struct {
        enum fault fault;
        uint64_t at, value; /* offset in the area in bytes, and the value written there */
    } fields[] = {
        { FAULT_BTS_FIELDS_BASE_WRITTEN, 0, v->ds.area.bts.base + encode_bts_bytes(&v->ds.form) },
        { FAULT_BTS_FIELDS_PEBS_WRITTEN, encode_pebs_index_at(&v->ds.form), v->ds.area.bts.index },
    };

    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (fault(v, fields[i].fault)) {
            uint8_t field[8];

            encode_field(field, width, fields[i].value);
            v->host->write(v->cpu, v->regs[REG_IA32_DS_AREA] + fields[i].at, field, width);
        }
    }
    return written;
}
