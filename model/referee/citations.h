/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources that the rules of referee.inc cite. */
#ifndef MODEL_REFEREE_CITATIONS_H
#define MODEL_REFEREE_CITATIONS_H

#define SDM            "SDM Vol. 3B (253669-083), "
#define SETTING_UP     SDM "\"Setting Up the DS Save Area\""
#define SETTING_UP_BTS SDM "\"Setting Up the BTS Buffer\""
#define PER_PROCESSOR  SDM "\"DS Save Area\""
#define DS_FIELDS      SDM "\"Debug Store (DS) Mechanism\""
#define SERVICE        SDM "\"Writing the DS Interrupt Service Routine\""
#define FREEZE         SDM "\"Freezing LBR and Performance Counters on PMI\""
#define LBR            SDM "\"LBR Stack\""
#define ARCH_LBR       SDM "\"Last Branch Records\", on IA32_LBR_DEPTH"
#define CALL_STACK     SDM "\"LBR Stack Enhancement\""
#define ARCH_STACK     SDM "\"Last Branch Records\", on call-stack mode"
#define PEBS           SDM "\"Processor Event Based Sampling (PEBS)\""
#define RECONFIGURING  SDM "\"Re-configuring PEBS Facilities\""
#define ADAPTIVE       SDM "\"Adaptive PEBS\""
#define LATENCY        SDM "\"Load Latency Performance Monitoring Facility\""
#define STORE          SDM "\"Precise Store Facility\""
#define COUNTERS       SDM "\"Architectural Performance Monitoring Version 1\""
#define ANY_THREAD     SDM "\"AnyThread Deprecation\""
#define NOT_COUNTED    "docs/modelled.md, \"Not modelled\""
#define NOT_CHECKED    "docs/rules.md, \"ds-pages-unchecked\""
#define RELOAD         "SDM Vol. 3B (253669-085), \"Auto Counter Reload\", 21.9.11"
#define LVT            "SDM Vol. 3A (253668-083), \"Local Vector Table\""
#define EOI_AT_END     "SDM Vol. 3A (253668-083), \"Signaling Interrupt Servicing Completion\""
#define VECTORS        "SDM Vol. 3A (253668-083), \"Valid Interrupt Vectors\""
#define NETBURST       "SDM Vol. 3B (253669-059), \"Performance Monitoring (... Intel NetBurst Microarchitecture)\""
#define ARCH_PEBS      "Linux 6.19, arch/x86/events/intel/core.c and ds.c, on arch-PEBS"
#define AUX            "Linux 5.12, \"perf/x86/intel: Add perf core PMU support for Sapphire Rapids\""

#endif
