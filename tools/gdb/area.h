/* SPDX-License-Identifier: MIT */
/* The debug store of a stopped processor: its area, what is enabled, and its records. */
#ifndef TOOLS_GDB_AREA_H
#define TOOLS_GDB_AREA_H

#include "ds/ds_area.h"
#include "tools/gdb/processor.h"

/* Reads the area of IA32_DS_AREA. False, with the reason printed, if there is no area or it cannot be read. */
bool area_read(const struct processor *p, struct ds_area *area);

bool area_bts_on(const struct processor *p);
uint64_t area_pebs_on(const struct processor *p); /* the counters with PEBS enabled */
bool area_bts_circular(const struct processor *p, const struct ds_buffer *bts);

/* Size in bytes of each PEBS record in the buffer and of the next one; 0 if sizes vary or are unknown. */
unsigned area_pebs_record_size(const struct processor *p, const struct ds_buffer *pebs);

/* Architectural PEBS: the buffer that IA32_PEBS_BASE and IA32_PEBS_INDEX describe. */
struct arch_state {
    uint64_t base, index, cfg_c;              /* registers; CFG_C: the groups of all counters that can sample */
    uint64_t address, bytes, used, threshold; /* physical address; the others in bytes */
    bool full, enabled;
};
bool area_is_arch(const struct processor *p);
void area_arch(const struct processor *p, struct arch_state *out);

#endif
