/* SPDX-License-Identifier: MIT */
/*
 * The sources of the tests' claims, with a name for each source that several tests cite: the manual's title, its number
 * with the edition, the section. Citations are from the 2009 edition (-032) if it has the text, with the section's
 * number. Newer text is cited from the 2023 edition (-081) by title only, because section numbers change with every
 * edition.
 */
#ifndef SUITE_SUPPORT_SOURCES_H
#define SUITE_SUPPORT_SOURCES_H

#include "ds/ds_check.h"

#define SDM_2009  "SDM Vol. 3A (253668-032), "
#define SDM_2009B "SDM Vol. 3B (253669-032), "
#define SDM_2023  "SDM Vol. 3B (253669-081), "
#define SDM_2023A "SDM Vol. 3A (253668-081), "
#define SDM_2024  "SDM Vol. 3B (253669-085), "

/* Chapter "Debugging, Profiling Branches and Time-Stamp Counter" */
#define SDM_MONITORING     SDM_2009 "\"Monitoring Branches, Exceptions, and Interrupts\", 16.4.2"
#define SDM_BTS            SDM_2009 "\"Branch Trace Store (BTS)\", 16.4.5"
#define SDM_BTS_CPL        SDM_2009 "\"CPL-Qualified Branch Trace Mechanism\", 16.4.6"
#define SDM_BTS_ENCODINGS  SDM_2009 "\"Setting Up CPL-Qualified BTS\", 16.4.9.4, table of its encodings"
#define SDM_FREEZE         SDM_2009 "\"Freezing LBR and Performance Counters on PMI\", 16.4.7"
#define SDM_LBR_STACK      SDM_2009 "\"LBR Stack\", 16.4.8"
#define SDM_LBR_TOS        SDM_2009 "\"LBR Stack\", 16.4.8, table 16-3"
#define SDM_DS_SERVICE     SDM_2009 "\"Writing the DS Interrupt Service Routine\", 16.4.9.5"
#define SDM_LBR_SELECT     SDM_2009 "\"Filtering of Last Branch Records\", 16.6.2, table 16-9"
#define SDM_DS_64          SDM_2023 "\"64 Bit Format of the DS Save Area\""
#define SDM_LBR_CALL_STACK SDM_2023 "\"LBR Stack Enhancement\" (Haswell)"
#define SDM_LBR_INFO       SDM_2023 "\"MSR_LBR_INFO_x MSR\" (Skylake)"
#define SDM_FREEZE_STREAM  SDM_2023 "\"Streamlined Freeze_LBRs_On_PMI Operation\""

/* Citations shared with the check of the area. */
#define SDM_DEBUG_STORE     DS_SAYS_MANAGEMENT_AREA
#define SDM_IA32E_OPERATION DS_SAYS_IA32E_OPERATION
#define SDM_SETTING_UP_DS   DS_SAYS_SETTING_UP_DS
#define SDM_SETTING_UP_BTS  DS_SAYS_SETTING_UP_BTS

/* Chapter "Last Branch Records" */
#define SDM_ARCH_LBR_DEPTH SDM_2023 "\"Last Branch Records\", \"LBR Depth\""
#define SDM_ARCH_LBR_INFO  SDM_2023 "\"Last Branch Records\", \"IA32_LBR_x_INFO\""

/* Chapter "Performance Monitoring" */
#define SDM_PERFMON           SDM_2009B "\"Architectural Performance Monitoring\""
#define SDM_PERFMON_1         SDM_2009B "\"Architectural Performance Monitoring Version 1 Facilities\""
#define SDM_PERFMON_2         SDM_2009B "\"Architectural Performance Monitoring Version 2 Facilities\""
#define SDM_PERFMON_4         SDM_2023 "\"Architectural Performance Monitoring Version 4\""
#define SDM_FULL_WIDTH        SDM_2023 "\"Full-Width Writes to Performance Counter Registers\""
#define SDM_PERF_CAPABILITIES SDM_2023 "\"IA32_PERF_CAPABILITIES MSR Enumeration\""

#define SDM_PEBS             SDM_2023 "\"Processor Event Based Sampling (PEBS)\" (Nehalem)"
#define SDM_PEBS_AREA        SDM_PEBS ", fields of the DS area"
#define SDM_PEBS_PROGRAMMING SDM_2023 "\"Programming PEBS Facility\" (Nehalem)"
#define SDM_PEBS_EVENTS      SDM_2023 "tables \"PEBS Performance Events\" of each core"
#define SDM_PEBS_RECORD      SDM_2023 "\"PEBS Record Format\""
#define SDM_PEBS_RECORD_HSW  SDM_2023 "\"PEBS Data Format\" (Haswell)"
#define SDM_PEBS_RECORD_SKL  SDM_2023 "\"PEBS Data Format\" (Skylake)"
#define SDM_TSC_ADJUST       SDM_2023 "\"Time-Stamp Counter Adjustment\""
#define SDM_PEBS_ADAPTIVE    SDM_2023 "\"Adaptive PEBS Record Format\""
#define SDM_PEBS_EXTENDED    SDM_2023 "\"Extended PEBS\""
#define SDM_EVENTING_IP      SDM_2023 "\"EventingIP Record\" (Haswell)"
#define SDM_PDIR             SDM_2023 "\"Precise Distribution of Instructions Retired (PDIR)\""
#define SDM_LOAD_LATENCY     SDM_2023 "\"Load Latency Performance Monitoring Facility\""
#define SDM_DATA_SOURCES     SDM_LOAD_LATENCY ", table of data sources"

/* Architectural PEBS: the manual's chapter, and how out-of-tree KVM implements it for guests (pmu_intel.c). */
#define SDM_ARCH_PEBS DS_SAYS_ARCH_PEBS
#define ARCH_LINUX    "Linux, commit 52448a0a7390 (\"arch-PEBS enabling\")"
#define ARCH_KVM      "Intel's KVM with architectural PEBS for guests, pmu_intel.c, intel_is_valid_msr()"

#define SDM_NETBURST       SDM_2023 "\"Performance Monitoring (Processors Based on Intel NetBurst Microarchitecture)\""
#define SDM_PEBS_DETECTION SDM_2023 "\"Detection of the Availability of the PEBS Facilities\" (NetBurst)"
#define SDM_PEBS_SERVICE   SDM_2023 "\"Writing a PEBS Interrupt Service Routine\" (NetBurst)"

/* Chapter "Advanced Programmable Interrupt Controller (APIC)" */
#define SDM_LVT    SDM_2023A "\"Local Vector Table\""
#define SDM_X2APIC SDM_2023A "\"x2APIC State Transitions\""

/* Other chapters and volumes */
#define SDM_RESET     SDM_2023A "\"Processor State After Reset\", table of states following power-up, reset, or INIT"
#define SDM_MP        SDM_2023A "\"Multiple-Processor (MP) Initialization\""
#define SDM_RDPMC     "SDM Vol. 2B (253667-081), \"RDPMC\""
#define SDM_WRMSR     "SDM Vol. 2D (334569-081), \"WRMSR\", exceptions"
#define SDM_MSR_TABLE "SDM Vol. 4 (335592-081), table 2-2, "
#define ACPI_MADT     "ACPI Specification 6.5, 5.2.12 \"Multiple APIC Description Table\""

/* This program's own claims. */
#define OWN_RUNNER     "docs/output.md, \"The frame\"; kernel/test.h"
#define OWN_PAGES      "docs/output.md, \"The frame\"; arch/x86/paging.h"
#define OWN_INTERRUPTS "docs/output.md, \"The frame\"; arch/x86/interrupts.h"
#define OWN_PROBE      "docs/output.md, \"What was found\"; arch/x86/probe.h"
#define OWN_PROCESSORS "docs/output.md, \"All processors\"; arch/x86/devices/processors.h"
#define OWN_ROBUST     "docs/output.md, \"What the kernel survives\""
#define OWN_LONG       "docs/output.md, \"Long runs\""

#endif
