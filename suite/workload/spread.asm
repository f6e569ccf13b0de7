; SPDX-License-Identifier: MIT
; Jumps with known code before each: the number of instructions, branches not taken, and loads.

%include "suite/workload/workload.inc"

section .text

; ---- different code before each jump ------------------------------------------------------------------------------
; piece N, ENDING, INSTRUCTIONS, NOT_TAKEN, LOADS: so many instructions from the last jump's target to the next jump,
; which is one of them and goes to piece N + 1; jmp, or jz, which is taken.
%macro piece 5
pieces_%1:
%rep %4
        jnz     pieces_trap
%endrep
%rep %5
        mov     dl, [pieces_byte]
%endrep
%rep %3 - %4 - %5 - 1
        nop
%endrep
%assign next %1 + 1
pieces_jump_%1: %2 near pieces_%+next
        ud2
%endmacro

%macro pieces 1
        %1      0, jmp, 2, 0, 0         ; the window's own instructions come before this one
        %1      1, jmp, 1, 0, 0
        %1      2, jmp, 2, 0, 1
        %1      3, jz,  2, 1, 0
        %1      4, jmp, 3, 0, 0
        %1      5, jmp, 3, 0, 2
        %1      6, jz,  4, 2, 1
        %1      7, jmp, 1, 0, 0
        %1      8, jmp, 4, 3, 0
        %1      9, jmp, 5, 0, 3
        %1      10, jz, 6, 4, 1
        %1      11, jmp, 9, 0, 4
        %1      12, jmp, 5, 1, 0
        %1      13, jz, 8, 0, 5
        %1      14, jmp, 17, 7, 8
        %1      15, jmp, 1, 0, 0
        %1      16, jmp, 6, 0, 1
        %1      17, jz, 2, 0, 0
%endmacro

workload_pieces_start:
pieces_trap:    ud2

begin_workload workload_pieces, workload_pieces_start
        cmp     eax, eax                ; ZF
pieces piece
pieces_18:
end_workload workload_pieces

%macro piece_kind 2
%ifidn %2, jmp
%define PIECE_KIND LBR_REL_JMP
%else
%define PIECE_KIND LBR_JCC
%endif
%endmacro

%macro piece_branch 5
%assign next %1 + 1
        piece_kind %1, %2
        branch  pieces_jump_%1, pieces_%+next, PIECE_KIND
%endmacro

%macro piece_counts 5
        db      %3, %4 + 1, %5
%endmacro

section .rodata
align 8
pieces_byte:    db 0
global workload_piece_counts
workload_piece_counts:
pieces piece_counts
align 8
workload_pieces_branches:
pieces piece_branch
workload_pieces_accesses:
describe_workload workload_pieces, 0

; ---- jumps that are far apart -------------------------------------------------------------------------------------
JUMPS           equ 16
STEP            equ 128                 ; instructions from one jump to the next, including that

begin_workload workload_spread
%assign i 0
%rep JUMPS
%rep STEP - 1
        nop
%endrep
spread_jump_%+i: jmp near spread_%+i
        ud2
spread_%+i:
%assign i i + 1
%endrep
%rep STEP
        nop
%endrep
end_workload workload_spread

section .rodata
align 8
workload_spread_branches:
%assign i 0
%rep JUMPS
        branch  spread_jump_%+i, spread_%+i, LBR_REL_JMP
%assign i i + 1
%endrep
workload_spread_accesses:
describe_workload workload_spread, (JUMPS + 1) * STEP
