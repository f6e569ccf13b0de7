; SPDX-License-Identifier: MIT
; Uops for NetBurst's tags: x87 and MMX arithmetic for execution tagging, loads and stores across two cache lines for
; replay tagging. LFENCE after each makes one event retire before the next begins.

%include "suite/workload/workload.inc"

TAGGED          equ 64

; ---- x87 arithmetic -----------------------------------------------------------------------------------------------
; Common x87 instructions are one uop each, says the optimization manual. The operands are loaded
; before the window opens, because moves belong to another event.
section .text
global workload_x87_prepare
workload_x87_prepare:
                mov     ax_, cr0
                and     al, ~0xc                ; clears EM and TS, to avoid #NM
                mov     cr0, ax_
                fninit
                fld1
                fld1
                ret

begin_workload workload_x87
%assign i 0
%rep TAGGED
x87_%+i:        fadd    st0, st1
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_x87

section .rodata
workload_x87_branches:
workload_x87_accesses:                          ; only IPs, no data addresses
%assign i 0
%rep TAGGED
        access  x87_%+i, x87_%+i%+.next, 0, 0
%assign i i + 1
%endrep
describe_workload workload_x87, TAGGED * 2

; ---- MMX arithmetic -----------------------------------------------------------------------------------------------
; MMX additions, between x87 additions that belong to another event.
begin_workload workload_mmx
%assign i 0
%rep TAGGED
mmx_%+i:        paddd   mm0, mm1
.next:          lfence
                fadd    st0, st1
%assign i i + 1
%endrep
                end_workload workload_mmx

section .rodata
workload_mmx_branches:
workload_mmx_accesses:
%assign i 0
%rep TAGGED
        access  mmx_%+i, mmx_%+i%+.next, 0, 0
%assign i i + 1
%endrep
describe_workload workload_mmx, TAGGED * 3

; ---- split loads --------------------------------------------------------------------------------------------------
; Loads of the last two bytes of a line and the first two of the next, between loads within one line.
%define VALUE(i) (0x66778800 + (i))

begin_workload workload_split_loads
%assign i 0
%rep TAGGED
                mov     eax, [split_data + i * 64]
split_%+i:      mov     eax, [split_data + i * 64 + 62]
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_split_loads

section .rodata
align 64
split_data:
        times 62 db 0
%assign i 0
%rep TAGGED
        dd      VALUE(i)
        times 60 db 0
%assign i i + 1
%endrep
        align   64, db 0
workload_split_loads_branches:
workload_split_loads_accesses:
%assign i 0
%rep TAGGED
        access  split_%+i, split_%+i%+.next, split_data + i * 64 + 62, VALUE(i)
%assign i i + 1
%endrep
describe_workload workload_split_loads, TAGGED * 3

; ---- split stores -------------------------------------------------------------------------------------------------
begin_workload workload_split_stores
%assign i 0
%rep TAGGED
                mov     eax, VALUE(i)
                mov     [split_stored + i * 64], eax
split_store_%+i: mov    [split_stored + i * 64 + 62], eax
.next:          lfence
%assign i i + 1
%endrep
                end_workload workload_split_stores

section .bss align=64
split_stored:   resb    TAGGED * 64 + 64

section .rodata
workload_split_stores_branches:
workload_split_stores_accesses:
%assign i 0
%rep TAGGED
        access  split_store_%+i, split_store_%+i%+.next, split_stored + i * 64 + 62, VALUE(i)
%assign i i + 1
%endrep
describe_workload workload_split_stores, TAGGED * 4
