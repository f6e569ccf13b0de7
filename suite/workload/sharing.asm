; SPDX-License-Identifier: MIT
; Accesses of several processors to shared lines, with a routine for each processor: load a word of every line,
; increment it and store it. Only these loads and stores are in the window: the first address is in DR3, because reading
; a debug register does not access memory.

%include "suite/workload/workload.inc"

LINES   equ 8           ; WORKLOAD_SHARING_LINES
STRIDE  equ 512         ; WORKLOAD_SHARING_STRIDE

%macro writer 1
section .text
begin_workload workload_sharing_%1
                mov     bx_, dr3
                mov     ecx, LINES
sharing_%1_load: mov    ax_, [bx_]
sharing_%1_add: inc     ax_
sharing_%1_store: mov   [bx_], ax_
sharing_%1_next: add    bx_, STRIDE
                dec     ecx
                jnz     sharing_%1_load
                end_workload workload_sharing_%1

section .rodata
workload_sharing_%1_branches:
workload_sharing_%1_accesses:   ; only the IPs: RCX gives the line
        access  sharing_%1_load, sharing_%1_add, 0, 0
        access  sharing_%1_store, sharing_%1_next, 0, 0
describe_workload workload_sharing_%1, 2 + LINES * 6
%endmacro

writer 0
writer 1
writer 2
writer 3

section .bss align=4096
global workload_sharing_data
workload_sharing_data: resb LINES * STRIDE
