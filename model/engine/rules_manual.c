/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The manual's rules: the only file that knows all functions that are rules. */
#include "model/engine/rules.h"

#include "model/bytes/adaptive.h"
#include "model/engine/branches.h"
#include "model/engine/bts.h"
#include "model/engine/counters.h"
#include "model/engine/counting.h"
#include "model/engine/cpuid.h"
#include "model/engine/data.h"
#include "model/engine/ds.h"
#include "model/engine/engine.h"
#include "model/engine/lbr.h"
#include "model/engine/lbr_events.h"
#include "model/engine/msr.h"
#include "model/engine/overflow.h"
#include "model/engine/pebs.h"
#include "model/engine/pebs_arch.h"
#include "model/engine/pmi.h"
#include "model/engine/reload.h"
#include "model/engine/smi.h"

const struct rules rules_manual = {
    .engine_reset_registers = engine_reset_registers,
    .msr_exists = msr_exists,
    .msr_takes = msr_takes,
    .msr_value = msr_value,
    .msr_set = msr_set,
    .msr_counter = msr_counter,
    .msr_counter_concealed = msr_counter_concealed,
    .cpuid_answer = cpuid_answer,
    .counters_request = counters_request,
    .counters_set_up = counters_set_up,
    .counting_events = counting_events,
    .counting_interruption = counting_interruption,
    .counting_exact = counting_exact,
    .overflow_of = overflow_of,
    .overflow_arms = overflow_arms,
    .reload_targets = reload_targets,
    .reload_value = reload_value,
    .data_followed = data_followed,
    .data_reach = data_reach,
    .data_misses_tlb = data_misses_tlb,
    .data_latency = data_latency,
    .data_source = data_source,
    .data_latency_counts = data_latency_counts,
    .ds_form = ds_form,
    .ds_address = ds_address,
    .ds_decode = ds_decode,
    .branches_mispredicted = branches_mispredicted,
    .branches_record = branches_record,
    .bts_on = bts_on,
    .bts_filters = bts_filters,
    .bts_contents = bts_contents,
    .bts_wrap = bts_wrap,
    .bts_index = bts_index,
    .bts_write = bts_write,
    .lbr_on = lbr_on,
    .lbr_select = lbr_select,
    .lbr_events_logged = lbr_events_logged,
    .lbr_push = lbr_push,
    .lbr_debug_exception = lbr_debug_exception,
    .pebs_enabled = pebs_enabled,
    .pebs_together = pebs_together,
    .pebs_full = pebs_full,
    .pebs_store = pebs_store,
    .pebs_reached = pebs_reached,
    .pebs_describe = pebs_describe,
    .pebs_groups = pebs_groups,
    .pebs_describe_groups = pebs_describe_groups,
    .adaptive_encode = adaptive_encode,
    .pebs_arch_format = pebs_arch_format,
    .pebs_arch_counted = pebs_arch_counted,
    .pebs_arch_describe = pebs_arch_describe,
    .pebs_arch_counts = pebs_arch_counts,
    .pebs_arch_split = pebs_arch_split,
    .pebs_arch_encode = pebs_arch_encode,
    .pebs_arch_full = pebs_arch_full,
    .pebs_arch_address = pebs_arch_address,
    .pebs_arch_index = pebs_arch_index,
    .pebs_arch_reaches = pebs_arch_reaches,
    .pebs_stage = PEBS_STAGE,
    .pebs_index = pebs_index,
    .pebs_write = pebs_write,
    .pebs_visible = pebs_visible,
    .pebs_reload = pebs_reload,
    .smi_microseconds = smi_microseconds,
    .pmi_skid = pmi_skid,
    .pmi_raise = pmi_raise,
    .pmi_freezes = pmi_freezes,
    .pmi_freezes_by_status = pmi_freezes_by_status,
    .pmi_entry = pmi_entry,
    .pmi_masks = pmi_masks,
};
