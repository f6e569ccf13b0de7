/* SPDX-License-Identifier: MIT */
/*
 * The debug store: management area, buffers and interrupt service routine, which PEBS and BTS share. Each processor has
 * its own, and whoever calls speaks of the one it runs on; processors that were started later trace no branches.
 * SDM Vol. 3A (253668-032), "Setting Up the DS Save Area", 16.4.9.2, "Setting Up the BTS Buffer", 16.4.9.3, "Writing
 * the DS Interrupt Service Routine", 16.4.9.5.
 */
#ifndef DS_DS_H
#define DS_DS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "ds/ds_area.h"
#include "ds/ds_check.h"

#define DS_GENERAL_COUNTERS 8u
#define DS_FIXED_COUNTERS   4u

/* Sizes count in records. A threshold of n raises the interrupt when n records are in the buffer. */
struct ds_config {
    bool bts, bts_circular; /* circular: no threshold, and no interrupt */
    unsigned bts_records, bts_threshold;
    unsigned bts_before; /* records' worth of memory left free before the buffer's base */
    bool pebs;
    unsigned pebs_records, pebs_threshold;
    uint64_t pebs_reset[DS_GENERAL_COUNTERS]; /* by general counter: what it is reloaded with */
    uint64_t pebs_reset_fixed[DS_FIXED_COUNTERS];
    uint64_t
        counting; /* counters that go on in the service routine: bits of IA32_PERF_GLOBAL_CTRL, none of them PEBS's */
    uint64_t pebs_data_cfg; /* the groups of adaptive records, as MSR_PEBS_DATA_CFG shall be; ignored by others */
};

/* Records as the processor wrote them, copied out of a buffer before its index went back. */
struct ds_log {
    const uint8_t *bytes;
    unsigned record_size; /* bytes */
    unsigned records;     /* in bytes */
    unsigned dropped;     /* drained, but the log was full */
    unsigned overruns;    /* drains that found no room left for another record: some may never have been written */
    unsigned broken;      /* drains that found what no processor writes: see ds_open() */
};

struct ds_counts {
    unsigned interrupts;                /* performance monitoring interrupts */
    unsigned spurious;                  /* of these: without a record and without a status bit */
    uint64_t bts_indexed, pebs_indexed; /* records by what the index showed, all drains together */
};

/* The most records that a PEBS buffer may have on this processor; of adaptive records, those with these groups. */
unsigned ds_pebs_capacity(const struct caps *caps, uint64_t data_cfg);

/*
 * Builds the management area in memory, installs the service routine, sets the LVT entry up, checks everything against
 * the manual's restrictions, and only then writes IA32_DS_AREA. Returns false, with the breaches in *breaches, when
 * the check refuses; the hardware has then seen nothing. Empties both logs.
 *
 * The processor writes the two indexes and nothing else of the area. A drain that finds an index outside its buffer or
 * off the records' grid, or another value changed, counts as broken, takes no record, and puts back what was written
 * here.
 */
bool ds_open(const struct caps *caps, const struct ds_config *config, struct ds_breaches *breaches);

/*
 * Stops both facilities, drains what is left and takes the area away from the processor. The logs stay. Harmless when
 * nothing is open.
 */
void ds_close(void);

/* The management area as it lies in memory now. It must be open. */
void ds_area_now(struct ds_area *area);

/* Where circular BTS would write next, and the log in the order of time: valid after ds_close(). */
const struct ds_log *ds_bts_log(void);
const struct ds_log *ds_pebs_log(void);
const struct ds_counts *ds_counts(void);

/* Those of another processor, by processor_number(), once it has closed. */
const struct ds_log *ds_pebs_log_of(unsigned processor);
const struct ds_counts *ds_counts_of(unsigned processor);

/* The memory of the save area, bytes: what the processor is given, and where it must not write. */
struct ds_memory {
    uint8_t *area, *bts, *pebs;
    size_t area_size, bts_size, pebs_size;
};
struct ds_memory ds_memory(void);

/* Called in the service routine while everything stands still, before the status is acknowledged. NULL: nobody. */
void ds_on_interrupt(void (*observe)(uint64_t global_status));

/* Who has written to the open area on purpose says so: what it is now is what a drain must find. */
void ds_area_adopt(void);

/* Forgets the records that both logs hold, to make room: for such an observer, when it has read them. */
void ds_logs_empty(void);

#endif
