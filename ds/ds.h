/* SPDX-License-Identifier: MIT */
/*
 * The debug store: management area, buffers and interrupt service routine, shared by PEBS and BTS. Each processor has a
 * debug store; these functions act on that of the calling processor. Only the boot processor has full-size buffers. SDM
 * Vol. 3A (253668-032), "Setting Up the DS Save Area", 16.4.9.2, "Setting Up the BTS Buffer", 16.4.9.3, "Writing the DS
 * Interrupt Service Routine", 16.4.9.5.
 */
#ifndef DS_DS_H
#define DS_DS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/caps.h"
#include "cpu/memory_type.h"
#include "ds/ds_area.h"
#include "ds/ds_check.h"
#include "ds/ds_log.h"

/*
 * Bytes of memory for another processor's debug store: memory that the processor writes (pages without code, address
 * bit 20 clear), and memory for the logs.
 */
#define DS_STORE_MEMORY 0x10000u
#define DS_KEPT_MEMORY  0x9000u

/*
 * Assigns that memory, page-aligned and cleared, to a processor (1 to PROCESSORS_MOST - 1). Must be called before the
 * processor calls any other function here.
 */
void ds_assign(unsigned processor, uint8_t *store, uint8_t *kept);

#define DS_GENERAL_COUNTERS 10u
#define DS_FIXED_COUNTERS   16u /* the most reset values of any format */

/* Sizes are in records. A threshold of n raises the interrupt when n records are in the buffer. */
struct ds_config {
    bool bts, bts_circular; /* circular: no threshold, and no interrupt */
    unsigned bts_records, bts_threshold;
    unsigned bts_before; /* free memory before the buffer's base, in records */
    bool pebs;
    unsigned pebs_records, pebs_threshold;
    uint64_t pebs_reset[DS_GENERAL_COUNTERS]; /* by general counter: its reload value */
    uint64_t pebs_reset_fixed[DS_FIXED_COUNTERS];
    uint64_t counting; /* counters that the service routine leaves on, bits of IA32_PERF_GLOBAL_CTRL; must not sample */
    /*
     * Architectural PEBS: bits 63:32 of the counters' CFG_C, which select the groups; 0: the groups of pebs_data_cfg.
     * Bits 31:0 of each CFG_C get the counter's reset value. The buffer has 4096 << n bytes, enough for pebs_records.
     */
    uint64_t pebs_cfg_c;
    uint64_t pebs_data_cfg; /* the value of MSR_PEBS_DATA_CFG: the groups of adaptive records; otherwise ignored */
};

struct ds_counts {
    unsigned interrupts;                /* performance monitoring interrupts */
    unsigned spurious;                  /* of these, interrupts without a record and without a cause in the status */
    unsigned untraced;                  /* of these, interrupts while BTS was off, which the trace lacks */
    uint64_t bts_indexed, pebs_indexed; /* records according to the index, total of all drains */
};

/*
 * Whether the calling processor's debug store is in write-back memory, which the manual advises. If not, *found has the
 * first page that is not. Under a hypervisor always true: there the host decides (and QEMU's emulation clears the MTRRs
 * at INIT, which real processors do not). SDM Vol. 3A (253668-032), "Setting Up the DS Save Area", 16.4.9.2.
 */
bool ds_is_write_back(struct memory_finding *found);

/* The most records that a PEBS buffer may have on this processor. data_cfg: the groups of adaptive records. */
unsigned ds_pebs_capacity(const struct caps *caps, uint64_t data_cfg);
unsigned ds_arch_capacity(const struct caps *caps, uint64_t cfg_c); /* the groups are in CFG_C */

/*
 * ds_pebs_stop() stops PEBS on this processor; ds_pebs_resume() resumes it with the returned value. Records in flight
 * still arrive after the stop: see ds_settle().
 */
uint64_t ds_pebs_stop(void);
void ds_pebs_resume(uint64_t was);

/* Number of records in the open buffer that have not been drained. */
unsigned ds_pebs_waiting(void);

/*
 * Builds the management area in memory, installs the service routine, sets up the LVT entry, checks all of this against
 * the manual's restrictions, and then writes IA32_DS_AREA. If the check fails, returns false with the breaches in
 * *breaches, and does not write IA32_DS_AREA. Empties both logs.
 *
 * The processor writes only two fields of the area, the indexes. If a drain finds an index outside its buffer or
 * between two records, or a change of another field, it counts the area as broken, discards the records, and restores
 * the area.
 */
bool ds_open(const struct caps *caps, const struct ds_config *config, struct ds_breaches *breaches);

/*
 * Stops BTS and PEBS, drains the buffers and disables the area. The logs stay valid. Does nothing if no area is open.
 */
void ds_close(void);

/*
 * Waits until PEBS records in flight are in memory: the "quiescent period" of SDM Vol. 3B (253669-059), "Re-configuring
 * PEBS Facilities", 18.4.4.4.
 */
void ds_settle(void);

/*
 * With interrupts on: waits until no buffer is past its threshold, because an interrupt has drained it. Returns false
 * if no interrupt arrives. At the threshold itself, BTS and the first PEBS (Core 2, erratum AJ68) may interrupt with
 * the next record.
 */
bool ds_served(void);

/* Reads the management area from memory. It must be open. */
void ds_area_read(struct ds_area *area);

/* The logs. Circular BTS is in order of time, and valid after ds_close(). */
const struct ds_log *ds_bts_log(void);
const struct ds_log *ds_pebs_log(void);
const struct ds_counts *ds_counts(void);

/* The PEBS log and the counts of another processor, by processor_number(), after its ds_close(). */
const struct ds_log *ds_pebs_log_of(unsigned processor);
const struct ds_counts *ds_counts_of(unsigned processor);

/* The memory that the processor may write: the management area and both buffers. Sizes in bytes. */
struct ds_memory {
    uint8_t *area, *bts, *pebs;
    size_t area_size, bts_size, pebs_size;
};
struct ds_memory ds_memory(void);

/* The service routine calls this function after it stops all facilities and before it acknowledges; NULL: none. */
void ds_on_interrupt(void (*observe)(uint64_t global_status));

/* Makes the next drain accept the present fields of the open area, which a test has changed on purpose. */
void ds_area_adopt(void);

/* Empties both logs. For an observer that has read them. */
void ds_logs_empty(void);

#endif
