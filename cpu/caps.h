/* SPDX-License-Identifier: MIT */
/*
 * What this processor can do: raw CPUID and MSR values in, capabilities and the reasons for missing ones out. Pure: the
 * kernel passes values that arch/x86 reads, host tests pass values typed from the manual.
 */
#ifndef CPU_CAPS_H
#define CPU_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/events.h"
#include "pebs/layout/formats.h"

struct caps_leaf {
    bool valid; /* the leaf exists (its number is within CPUID.0:EAX or CPUID.80000000h:EAX) */
    uint32_t eax, ebx, ecx, edx;
};

struct caps_msr {
    bool valid; /* the read succeeded; false if it raised #GP or was not tried */
    uint64_t value;
};

/* The outcome of writing a register and reading it back. The prober restores the old value. */
enum caps_probe { CAPS_NOT_TRIED, CAPS_HOLDS, CAPS_DIFFERS, CAPS_RAISES_GP };

struct caps_input {
    struct caps_leaf leaf_0, leaf_1, leaf_7, leaf_a, leaf_1c; /* sub-leaf 0 */
    struct caps_leaf leaf_15, leaf_16;
    struct caps_leaf leaf_7_1, leaf_1a; /* CPUID.7 sub-leaf 1; CPUID.1AH, of this core of a hybrid */
    /* CPUID.23H: try it only if CPUID.7.1:EAX[8] is set, and a sub-leaf only if its bit of leaf_23.eax is set. */
    struct caps_leaf leaf_23, leaf_23_1, leaf_23_2, leaf_23_3, leaf_23_4, leaf_23_5;
    struct caps_leaf leaf_40000000; /* try it only where CPUID.1:ECX[31] is set */
    struct caps_leaf leaf_80000001, leaf_80000002, leaf_80000003, leaf_80000004, leaf_80000008;
    struct caps_msr perf_capabilities; /* IA32_PERF_CAPABILITIES 345h: try it only where CPUID.1:ECX[15] is set */
    struct caps_msr misc_enable;       /* IA32_MISC_ENABLE 1A0h */
    struct caps_msr apic_base;         /* IA32_APIC_BASE 1Bh */
    struct caps_msr bios_sign_id;      /* IA32_BIOS_SIGN_ID 8Bh, written with 0 before CPUID leaf 1 was executed */
    unsigned fixed_answers;            /* bit n: IA32_FIXED_CTRn can be read; only n = 0 to 2 and versions 2 to 4 */
    enum caps_probe ds_area;           /* IA32_DS_AREA 600h, written with a canonical address that is not 0 */
    enum caps_probe debugctl_lbr;      /* IA32_DEBUGCTL 1D9h, bit 0 set */
    enum caps_probe pebs_base;         /* IA32_PEBS_BASE 3F4h: try it only where leaf_23.eax[5:4] are set */
    enum caps_probe arch_lbr_control;  /* IA32_LBR_CTL 14CEh, bit 0 set: try it only where CPUID.7:EDX[19] is set */
    bool ia32e_active;                 /* IA32_EFER.LMA */
};

/* What a test may need. caps_missing() reports the first missing need, so prerequisites are first. */
enum caps_need {
    CAPS_NEED_APIC,
    CAPS_NEED_LONG_MODE,
    CAPS_NEED_PERFMON,
    CAPS_NEED_GLOBAL_CTRL,
    CAPS_NEED_FREEZE,
    CAPS_NEED_FREEZE_COUNTERS,
    CAPS_NEED_DS,
    CAPS_NEED_DS_32,
    CAPS_NEED_DS_64,
    CAPS_NEED_BTS,
    CAPS_NEED_BTS_CPL,
    CAPS_NEED_BTS_PREDICTED,
    CAPS_NEED_PEBS,
    CAPS_NEED_PEBS_AREA,
    CAPS_NEED_PEBS_ARCH,
    CAPS_NEED_PEBS_REGISTERS,
    CAPS_NEED_DATA_ADDRESS,
    CAPS_NEED_EVENTING_IP,
    CAPS_NEED_PEBS_TSC,
    CAPS_NEED_PEBS_TAGGING,
    CAPS_NEED_PEBS_ADAPTIVE,
    CAPS_NEED_PEBS_FIXED,
    CAPS_NEED_PEBS_COUNTERS,
    CAPS_NEED_LOAD_LATENCY,
    CAPS_NEED_PRECISE_STORE,
    CAPS_NEED_EVENT_INSTRUCTIONS,
    CAPS_NEED_EVENT_PREC_DIST,
    CAPS_NEED_EVENT_LOADS,
    CAPS_NEED_EVENT_STORES,
    CAPS_NEED_EVENT_BRANCHES,
    CAPS_NEED_EVENT_TAKEN,
    CAPS_NEED_EVENT_NEAR_CALLS,
    CAPS_NEED_EVENT_ANY,
    CAPS_NEED_LBR,
    CAPS_NEED_LBR_TOS,
    CAPS_NEED_LBR_INFO,
    CAPS_NEED_LBR_SELECT,
    CAPS_NEED_LBR_CALLSTACK,
    CAPS_NEED_ARCH_LBR,
    CAPS_NEED_LBR_EVENTS,
    CAPS_NEED_COUNTER_RELOAD,
    CAPS_NEED_COUNT
};

#define NEED_APIC            (UINT64_C(1) << CAPS_NEED_APIC)      /* a local APIC */
#define NEED_LONG_MODE       (UINT64_C(1) << CAPS_NEED_LONG_MODE) /* 64-bit processor, in any mode */
#define NEED_PERFMON         (UINT64_C(1) << CAPS_NEED_PERFMON)   /* architectural performance monitoring, version 1 */
#define NEED_GLOBAL_CTRL     (UINT64_C(1) << CAPS_NEED_GLOBAL_CTRL) /* version 2: the IA32_PERF_GLOBAL registers */
#define NEED_FREEZE          (UINT64_C(1) << CAPS_NEED_FREEZE)      /* IA32_DEBUGCTL bits 11 and 12: freeze on PMI */
#define NEED_FREEZE_COUNTERS (UINT64_C(1) << CAPS_NEED_FREEZE_COUNTERS) /* IA32_DEBUGCTL bit 12 can be set */
#define NEED_DS              (UINT64_C(1) << CAPS_NEED_DS)              /* the DS save area */
#define NEED_DS_32           (UINT64_C(1) << CAPS_NEED_DS_32)           /* a DS area with 32-bit fields */
#define NEED_DS_64           (UINT64_C(1) << CAPS_NEED_DS_64)           /* a DS area with 64-bit fields */
#define NEED_BTS             (UINT64_C(1) << CAPS_NEED_BTS)             /* branch trace store */
#define NEED_BTS_CPL         (UINT64_C(1) << CAPS_NEED_BTS_CPL)         /* BTS with a filter by privilege level */
#define NEED_BTS_PREDICTED   (UINT64_C(1) << CAPS_NEED_BTS_PREDICTED)   /* BTS records with a prediction flag */
#define NEED_PEBS            (UINT64_C(1) << CAPS_NEED_PEBS)      /* PEBS that this program can set up and decode */
#define NEED_PEBS_AREA       (UINT64_C(1) << CAPS_NEED_PEBS_AREA) /* PEBS by the DS area and MSR_PEBS_ENABLE */
#define NEED_PEBS_ARCH       (UINT64_C(1) << CAPS_NEED_PEBS_ARCH) /* architectural PEBS: IA32_PEBS_BASE, CFG_C */
#define NEED_PEBS_REGISTERS  (UINT64_C(1) << CAPS_NEED_PEBS_REGISTERS) /* PEBS records with registers */
#define NEED_DATA_ADDRESS    (UINT64_C(1) << CAPS_NEED_DATA_ADDRESS)   /* PEBS records with a data address */
#define NEED_EVENTING_IP     (UINT64_C(1) << CAPS_NEED_EVENTING_IP)   /* PEBS records with the IP of the event itself */
#define NEED_PEBS_TSC        (UINT64_C(1) << CAPS_NEED_PEBS_TSC)      /* PEBS records with a time stamp */
#define NEED_PEBS_TAGGING    (UINT64_C(1) << CAPS_NEED_PEBS_TAGGING)  /* NetBurst's PEBS, which samples tagged uops */
#define NEED_PEBS_ADAPTIVE   (UINT64_C(1) << CAPS_NEED_PEBS_ADAPTIVE) /* MSR_PEBS_DATA_CFG chooses a record's groups */
#define NEED_PEBS_FIXED      (UINT64_C(1) << CAPS_NEED_PEBS_FIXED)    /* PEBS on fixed counters */
#define NEED_PEBS_COUNTERS   (UINT64_C(1) << CAPS_NEED_PEBS_COUNTERS) /* PEBS on general counters 0 to 3 */
#define NEED_LOAD_LATENCY    (UINT64_C(1) << CAPS_NEED_LOAD_LATENCY) /* the load latency facility, with a known event */
#define NEED_PRECISE_STORE   (UINT64_C(1) << CAPS_NEED_PRECISE_STORE)  /* stores with their address: Sandy Bridge */
#define NEED_LBR             (UINT64_C(1) << CAPS_NEED_LBR)            /* an LBR stack of known depth and format */
#define NEED_LBR_TOS         (UINT64_C(1) << CAPS_NEED_LBR_TOS)        /* a top-of-stack pointer */
#define NEED_LBR_INFO        (UINT64_C(1) << CAPS_NEED_LBR_INFO)       /* LBR entries with mispredict flag and cycles */
#define NEED_LBR_SELECT      (UINT64_C(1) << CAPS_NEED_LBR_SELECT)     /* an LBR filter by branch type and by CPL */
#define NEED_LBR_CALLSTACK   (UINT64_C(1) << CAPS_NEED_LBR_CALLSTACK)  /* LBR call-stack mode: returns remove entries */
#define NEED_ARCH_LBR        (UINT64_C(1) << CAPS_NEED_ARCH_LBR)       /* architectural LBRs: CPUID leaf 1Ch */
#define NEED_LBR_EVENTS      (UINT64_C(1) << CAPS_NEED_LBR_EVENTS)     /* LBR entries that count counters' events */
#define NEED_COUNTER_RELOAD  (UINT64_C(1) << CAPS_NEED_COUNTER_RELOAD) /* auto counter reload: CPUID.23H.2 */

/* A precise event with that role (cpu/events.h) on this core; EVENT_ANY: any precise event. */
#define NEED_EVENT_INSTRUCTIONS (UINT64_C(1) << CAPS_NEED_EVENT_INSTRUCTIONS)
#define NEED_EVENT_PREC_DIST    (UINT64_C(1) << CAPS_NEED_EVENT_PREC_DIST)
#define NEED_EVENT_LOADS        (UINT64_C(1) << CAPS_NEED_EVENT_LOADS)
#define NEED_EVENT_STORES       (UINT64_C(1) << CAPS_NEED_EVENT_STORES)
#define NEED_EVENT_BRANCHES     (UINT64_C(1) << CAPS_NEED_EVENT_BRANCHES)
#define NEED_EVENT_TAKEN        (UINT64_C(1) << CAPS_NEED_EVENT_TAKEN)
#define NEED_EVENT_NEAR_CALLS   (UINT64_C(1) << CAPS_NEED_EVENT_NEAR_CALLS)
#define NEED_EVENT_ANY          (UINT64_C(1) << CAPS_NEED_EVENT_ANY)

/* Why something is missing. */
enum caps_reason {
#define REASON(id, text) CAPS_##id,
#include "cpu/caps_reasons.inc"
#undef REASON
    CAPS_REASON_COUNT
};

/* What FREEZE_LBRS_ON_PMI and FREEZE_PERFMON_ON_PMI do (SDM Vol. 3A (253668-032), "Freezing LBR and
 * Performance Counters on PMI", 16.4.7). */
enum caps_freeze {
    CAPS_FREEZE_NONE,
    CAPS_FREEZE_LEGACY,     /* versions 2 and 3: the enable bits in IA32_DEBUGCTL and GLOBAL_CTRL are cleared */
    CAPS_FREEZE_STREAMLINED /* version 4 and later: GLOBAL_STATUS bits 58 and 59 are set until software clears them */
};

/* Bits of register 1D9h (MSR_DEBUGCTLA, MSR_DEBUGCTLB, IA32_DEBUGCTL) on one family; 0: no such bit. */
struct debugctl_bits {
    uint64_t lbr;            /* record last branches */
    uint64_t tr, bts, btint; /* send branch messages; store them in the BTS buffer; interrupt at its threshold */
    uint64_t bts_off_os, bts_off_usr;     /* do not store branches at CPL 0; at CPL 1 to 3 */
    uint64_t freeze_lbrs, freeze_perfmon; /* on a performance monitoring interrupt */
};

/* How the LBR stack is laid out in registers. */
enum lbr_layout {
    LBR_LAYOUT_NONE,
    LBR_LAYOUT_PAIRS,  /* FROM and TO registers, with or without INFO; a top-of-stack pointer */
    LBR_LAYOUT_PACKED, /* a register for each entry: FROM is its low half, TO its high half; a top-of-stack pointer */
    LBR_LAYOUT_ARCH    /* FROM, TO and INFO registers; entry 0 is the newest */
};

/* How PEBS is programmed. */
enum pebs_method {
    PEBS_METHOD_NONE,
    PEBS_METHOD_NETBURST, /* tagging ESCRs, MSR_IQ_COUNTER4, MSR_PEBS_ENABLE bits 24 and 25 */
    PEBS_METHOD_GENERAL,  /* a bit of IA32_PEBS_ENABLE for each general counter */
    PEBS_METHOD_ADAPTIVE, /* baseline: fixed counters too, MSR_PEBS_DATA_CFG chooses the groups of a record */
    PEBS_METHOD_ARCH      /* architectural: IA32_PEBS_BASE and _INDEX; each counter's CFG_C chooses its groups */
};

#define CAPS_UNKNOWN 0xffu /* of pebs_format and lbr_format */

struct caps {
    /* processor */
    char vendor[13];
    char brand[49]; /* without leading blanks; empty if CPUID has none */
    bool intel;
    uint32_t signature;               /* CPUID.1:EAX */
    unsigned family, model, stepping; /* display family and display model (SDM Vol. 2A (253666-081), "CPUID") */
    const char *core;                 /* the core's name in cpu/cores.c; NULL if the model is not listed there */
    bool core_known;                  /* the core's row has more than a name */
    uint32_t microcode;               /* its revision; 0 if it cannot be read */
    uint32_t microcode_least;         /* PEBS is unreliable below this revision; UINT32_MAX: at every known revision */
    bool hypervisor;                  /* CPUID.1:ECX[31] */
    char hypervisor_name[13];         /* CPUID.40000000H; empty without a hypervisor */
    bool nx, long_mode, ia32e_active;
    unsigned physical_bits, linear_bits; /* linear_bits is 32 outside IA-32e mode */
    unsigned msr_linear_bits; /* of an address that WRMSR accepts: 32 without long mode, 57 with LA57, otherwise 48 */
    bool apic, x2apic;        /* CPUID.1:EDX[9], CPUID.1:ECX[21] */
    uint64_t apic_base;       /* the MSR; 0 if it cannot be read */
    uint64_t tsc_hz;          /* rate of the time-stamp counter; 0 if CPUID does not report it */
    bool tsc_adjust;          /* IA32_TSC_ADJUST exists */

    /* performance monitoring, CPUID.0Ah */
    unsigned perfmon_version;
    unsigned general_count, general_width, fixed_count, fixed_width; /* counters from 0 on; widths in bits */
    /*
     * Bit n: counter n exists (there may be gaps); in `possible`: counter n may exist, although CPUID does not list it.
     * Registers of other counters do not exist.
     */
    uint64_t general_counters, fixed_counters, general_possible, fixed_possible;
    uint64_t counters_taken; /* bits of general counters that firmware or a hypervisor uses: caps_take_counters() */
    bool perfmon_extended;   /* CPUID.23H lists the counters of this core */
    /*
     * CPUID.23H.2, auto counter reload: counters that can be reloaded, and counters whose overflow can cause a reload;
     * bits as in IA32_PERF_GLOBAL_CTRL.
     */
    uint64_t reload_counters, reload_causes;
    bool unit_mask_2, equal_flag; /* CPUID.23H.0:EBX[1:0]: bits 47:40 and bit 36 of an event select exist */
    bool rdpmc_user_disable;      /* CPUID.23H.0:EBX[2]: a counter can be concealed from RDPMC at CPL 3 */
    bool hybrid;                  /* CPUID.7:EDX[15]: the processor has cores of more than one kind */
    unsigned core_type;           /* of this core of a hybrid: CPUID.1AH:EAX[31:24], CORE_TYPE_*; else 0 */
    uint32_t native_model;        /* the native model id of this core: CPUID.1AH:EAX[23:0] */
    bool prime_counters;          /* the counters must be primed before use: counters_clear() */
    enum caps_freeze freeze;
    bool global_ctrl; /* version 2: IA32_PERF_GLOBAL_CTRL, _STATUS and _OVF_CTRL exist */
    bool pdcm;        /* IA32_PERF_CAPABILITIES exists */
    uint64_t perf_capabilities;
    bool freeze_while_smm;     /* IA32_DEBUGCTL bit 14: counters stop in system management mode */
    unsigned full_width_write; /* bits of a counter that IA32_A_PMCx at 4C1h accepts; 0: no such register */

    const struct debugctl_bits *debugctl; /* never NULL */

    /* debug store */
    bool ds, dtes64, ds_cpl; /* CPUID flags only; caps_missing() says what is usable */
    unsigned ds_width;       /* bytes of a pointer field: 4 or 8 */
    unsigned ds_area_format; /* the PEBS format that sizes the management area; the largest if unknown, for BTS */
    size_t ds_area_size;     /* bytes of the management area */

    /* BTS */
    unsigned bts_record_size; /* bytes */
    bool bts_prediction;      /* bit 4 of a record's flags is defined */

    /* PEBS */
    enum pebs_method pebs_method;
    unsigned pebs_format; /* IA32_PERF_CAPABILITIES[11:8]; 0 without the MSR; CAPS_UNKNOWN if reading raises #GP */
    struct pebs_form pebs_form;           /* for the decoder */
    unsigned pebs_record_size;            /* bytes; of adaptive records only the basic group; 0 if unknown */
    unsigned pebs_record_most;            /* bytes with all groups; if not adaptive, equal to pebs_record_size */
    bool pebs_baseline;                   /* IA32_PERF_CAPABILITIES[14] */
    bool pebs_trap_like;                  /* the record's IP is the instruction after the one that caused it */
    bool pebs_output_pt;                  /* IA32_PERF_CAPABILITIES[16]: Intel PT can take the records */
    bool pebs_retire_latency;             /* IA32_PERF_CAPABILITIES[17]: the basic group has the retire latency */
    uint64_t pebs_counters;               /* mask of the general counters that can do PEBS */
    uint64_t pebs_fixed_counters;         /* mask of the fixed counters that can do PEBS */
    uint64_t pebs_pdist_counters;         /* of pebs_counters, those with precise distribution (PDist) of every event */
    uint64_t pebs_pdist_fixed_counters;   /* of pebs_fixed_counters, those with precise distribution */
    uint64_t pebs_cfg_c;                  /* bits above 31 that may be set in CFG_C: CPUID.23H.4; 0: no CFG_C */
    bool pebs_any_event;                  /* without adaptive records, imprecise events can also be sampled */
    const struct pebs_event_list *events; /* the known precise events of this core; never NULL */
    /*
     * IA32_PERFEVTSELx[15:0] of an event that must count on counter 0 with the load latency event; otherwise the
     * record's data source and latency are invalid. 0: none (Linux, mem-loads-aux of Sapphire Rapids).
     */
    uint16_t load_latency_auxiliary;
    enum data_source_encoding data_source;
    unsigned second_level_kib; /* the largest second-level cache of the core's models; 0 if loads have no source */

    /* LBR; MSR numbers are those of entry 0, or 0 if there is no such register */
    enum lbr_layout lbr_layout;
    unsigned lbr_format; /* IA32_PERF_CAPABILITIES[5:0]; CAPS_UNKNOWN if neither it nor the core's row has it */
    unsigned lbr_depth;  /* 0 if unknown */
    uint32_t lbr_from, lbr_to, lbr_info, lbr_tos, lbr_select;
    bool lbr_filter;             /* MSR_LBR_SELECT, or CPUID.1CH:EBX bits 0 and 1 */
    bool lbr_callstack;          /* LBR_SELECT bit 9, or CPUID.1CH:EBX bit 2 */
    bool lbr_branch_type;        /* CPUID.1CH:ECX bit 2: an entry says what kind of branch it was */
    bool lbr_select_jumps_quirk; /* LBR_SELECT: filtering out jumps filters out calls and returns as well */
    bool arch_lbr;               /* CPUID.7:EDX[19]: architectural LBRs, which have registers of their own */
    unsigned arch_lbr_depths;    /* CPUID.1CH:EAX[7:0], bit n: a depth of 8 * (n + 1); lbr_depth is the largest */
    uint64_t lbr_counters;       /* CPUID.1CH:ECX[19:16]: general counters whose events LBR entries can count */

    unsigned errata;          /* HAS_ERRATUM of cpu/errata.h */
    const char *const *notes; /* errata and readings of the manual for this core, as sentences; the last is NULL */

    enum caps_reason reason[CAPS_NEED_COUNT];
};

/*
 * Removes these general counters (bits) from the capabilities, because firmware or a hypervisor uses them. Counting
 * then uses only counters below the lowest of them; sampling can use any other counter. Without counter 0, the
 * capabilities include neither counting nor sampling.
 */
void caps_take_counters(struct caps *caps, uint64_t counters);

/* Decodes CPUID.1:EAX: DisplayFamily and DisplayModel (SDM Vol. 2A (253666-081), "CPUID", version information). */
void caps_signature(uint32_t signature, unsigned *family, unsigned *model, unsigned *stepping);

/* Reads the leaves that exist. cpuid: executes CPUID, for which each leaf is valid. */
void caps_read_leaves(struct caps_input *input, struct caps_leaf (*cpuid)(uint32_t leaf, uint32_t subleaf));

/* Derives *caps from the input. Sets every field. */
void caps_fill(const struct caps_input *input, struct caps *caps);

/* Returns CAPS_AVAILABLE if all needs (NEED_*) are met, otherwise the reason for the first missing one. */
enum caps_reason caps_missing(const struct caps *caps, uint64_t needs);

/*
 * Whether the reason for a missing DS, BTS, PEBS or LBR is that the processor reports none. Any other reason means that
 * the processor has the facility, but it is unusable or unknown to this program.
 */
bool caps_reason_absent(enum caps_reason reason);

/* Whether the reason is that cpu/cores.c has no row for the processor's model. A new row then fixes it. */
bool caps_reason_no_row(enum caps_reason reason);

/* The reason as text: "no BTS (IA32_MISC_ENABLE bit 11 set)". */
const char *caps_reason_text(enum caps_reason reason);

#endif
