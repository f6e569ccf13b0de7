/* SPDX-License-Identifier: MIT */
/* The one header that a test includes: what a test is, the facilities, the workloads, and what tests share. */
#ifndef SUITE_SUITE_H
#define SUITE_SUITE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/cpu.h"
#include "arch/x86/devices/apic.h"
#include "arch/x86/image.h"
#include "arch/x86/interrupts.h"
#include "arch/x86/msr.h"
#include "arch/x86/perfmon.h"
#include "arch/x86/string.h"
#include "bts/bts.h"
#include "ds/counting.h"
#include "ds/ds.h"
#include "kernel/console.h"
#include "kernel/test.h"
#include "lbr/lbr.h"
#include "pebs/pebs.h"
#include "suite/support/errata.h"
#include "suite/support/lbr_record.h"
#include "suite/support/pebs_compare.h"
#include "suite/support/pebs_places.h"
#include "suite/support/pebs_sample.h"
#include "suite/support/records.h"
#include "suite/support/sources.h"
#include "suite/support/transfers.h"
#include "suite/workload/workload.h"

#endif
