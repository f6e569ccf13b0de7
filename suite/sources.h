/* SPDX-License-Identifier: MIT */
/*
 * Where the claims of the tests of branches, counters and registers stand: title, section and edition. What the print
 * of 2009 (253668-032) has is cited from it, what came later from one of 2023 (-081), whose sections go by their title.
 */
#ifndef SUITE_SOURCES_H
#define SUITE_SOURCES_H

#define SDM_2009 "SDM Vol. 3B (253668-032), "
#define SDM_2023 "SDM Vol. 3B (253669-081), "

/* Chapter "Debugging, Profiling Branches and Time-Stamp Counter" */
#define SDM_DEBUG_STORE    SDM_2009 "\"Debug Store (DS) Mechanism\", 16.4.9"
#define SDM_MONITORING     SDM_2009 "\"Monitoring Branches, Exceptions, and Interrupts\", 16.4.2"
#define SDM_BTS            SDM_2009 "\"Branch Trace Store (BTS)\", 16.4.5"
#define SDM_BTS_CPL        SDM_2009 "\"CPL-Qualified Branch Trace Mechanism\", 16.4.6"
#define SDM_BTS_ENCODINGS  SDM_2009 "\"Setting Up CPL-Qualified BTS\", 16.4.9.4, table of its encodings"
#define SDM_FREEZE         SDM_2009 "\"Freezing LBR and Performance Counters on PMI\", 16.4.7"
#define SDM_LBR_STACK      SDM_2009 "\"LBR Stack\", 16.4.8"
#define SDM_LBR_TOS        SDM_2009 "\"LBR Stack\", 16.4.8, table 16-3"
#define SDM_SETTING_UP_BTS SDM_2009 "\"Setting Up the BTS Buffer\", 16.4.9.3"
#define SDM_DS_SERVICE     SDM_2009 "\"Writing the DS Interrupt Service Routine\", 16.4.9.5"
#define SDM_LBR_SELECT     SDM_2009 "\"Filtering of Last Branch Records\", 16.6.2, table 16-9"
#define SDM_LBR_CALL_STACK SDM_2023 "\"LBR Stack Enhancement\" (Haswell)"
#define SDM_LBR_INFO       SDM_2023 "\"MSR_LBR_INFO_x MSR\" (Skylake)"
#define SDM_FREEZE_STREAM  SDM_2023 "\"Streamlined Freeze_LBRs_On_PMI Operation\""

/* Chapter "Last Branch Records" */
#define SDM_ARCH_LBR_DEPTH SDM_2023 "\"Last Branch Records\", \"LBR Depth\""
#define SDM_ARCH_LBR_INFO  SDM_2023 "\"Last Branch Records\", \"IA32_LBR_x_INFO\""

/* Chapter "Performance Monitoring" */
#define SDM_PERFMON SDM_2009 "\"Architectural Performance Monitoring\""

#define SDM_PERFMON_1  SDM_2009 "\"Architectural Performance Monitoring Version 1 Facilities\""
#define SDM_PERFMON_2  SDM_2009 "\"Architectural Performance Monitoring Version 2 Facilities\""
#define SDM_PERFMON_4  SDM_2023 "\"Architectural Performance Monitoring Version 4\""
#define SDM_FULL_WIDTH SDM_2023 "\"Full-Width Writes to Performance Counter Registers\""

/* Other volumes */
#define SDM_RESET \
    "SDM Vol. 3A (253668-081), \"Processor State After Reset\", table of states following power-up, reset, or INIT"
#define SDM_RDPMC     "SDM Vol. 2B (253667-081), \"RDPMC\""
#define SDM_WRMSR     "SDM Vol. 2D (334569-083), \"WRMSR\", exceptions"
#define SDM_MSR_TABLE "SDM Vol. 4 (335592-081), table 2-2, "

/* What this program claims of itself. */
#define OWN_RUNNER "docs/output.md, \"The frame\"; kernel/test.h"
#define OWN_PAGES  "docs/output.md, \"The frame\"; arch/x86/paging.h"

#endif
