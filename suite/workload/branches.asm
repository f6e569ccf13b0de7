; SPDX-License-Identifier: MIT
; Branches whose addresses are labels.

%include "suite/workload/workload.inc"

section .text

; ---- nested calls and returns ------------------------------------------------------------------------------------
workload_calls_start:
calls_outer:    nop
calls_outer_1:  call    calls_inner
calls_outer_2:  nop
calls_outer_3:  call    calls_inner
calls_outer_4:  ret

calls_inner:    nop
calls_inner_1:  ret

begin_workload workload_calls, workload_calls_start
calls_1:        call    calls_outer
calls_2:        call    calls_outer
calls_3:        end_workload workload_calls

section .rodata
%macro calls_outer_branches 0
        branch  calls_outer_1, calls_inner, LBR_REL_CALL
        branch  calls_inner_1, calls_outer_2, LBR_RET
        branch  calls_outer_3, calls_inner, LBR_REL_CALL
        branch  calls_inner_1, calls_outer_4, LBR_RET
%endmacro
workload_calls_branches:
        branch  calls_1, calls_outer, LBR_REL_CALL
        calls_outer_branches
        branch  calls_outer_4, calls_2, LBR_RET
        branch  calls_2, calls_outer, LBR_REL_CALL
        calls_outer_branches
        branch  calls_outer_4, calls_3, LBR_RET
workload_calls_accesses:
describe_workload workload_calls, 20

; ---- every kind of near branch ------------------------------------------------------------------------------------
workload_kinds_start:
kinds_function: ret
kinds_function_pop: ret WORD_BYTES
kinds_trap:     ud2

begin_workload workload_kinds, workload_kinds_start
                xor     eax, eax
kinds_jz:       jz      kinds_1                 ; taken
                ud2
kinds_1:        jnz     kinds_trap              ; not taken: no record
                cmp     eax, 1
kinds_jb:       jb      near kinds_2            ; taken, near form
                ud2
kinds_2:        jae     kinds_trap              ; not taken
kinds_jmp_short: jmp    short kinds_3
                ud2
kinds_3:        jmp     near kinds_4
                ud2
kinds_4:        mov     eax, kinds_5
kinds_jmp_reg:  jmp     ax_
                ud2
kinds_5:        jmp     [kinds_pointer]
                ud2
kinds_6:        call    kinds_function
kinds_7:        mov     eax, kinds_function
kinds_call_reg: call    ax_
kinds_8:        call    [kinds_function_pointer]
kinds_9:        push    ax_
kinds_call_pop: call    kinds_function_pop
kinds_10:       mov     ecx, 2
kinds_loop:     loop    kinds_loop              ; taken once
                xor     ecx, ecx
kinds_jcxz:     jcxz_   kinds_11
                ud2
kinds_11:       end_workload workload_kinds

section .rodata
align 8
kinds_pointer:          pointer kinds_6
kinds_function_pointer: pointer kinds_function
workload_kinds_branches:
        branch  kinds_jz, kinds_1, LBR_JCC
        branch  kinds_jb, kinds_2, LBR_JCC
        branch  kinds_jmp_short, kinds_3, LBR_REL_JMP
        branch  kinds_3, kinds_4, LBR_REL_JMP
        branch  kinds_jmp_reg, kinds_5, LBR_IND_JMP
        branch  kinds_5, kinds_6, LBR_IND_JMP
        branch  kinds_6, kinds_function, LBR_REL_CALL
        branch  kinds_function, kinds_7, LBR_RET
        branch  kinds_call_reg, kinds_function, LBR_IND_CALL
        branch  kinds_function, kinds_8, LBR_RET
        branch  kinds_8, kinds_function, LBR_IND_CALL
        branch  kinds_function, kinds_9, LBR_RET
        branch  kinds_call_pop, kinds_function_pop, LBR_REL_CALL
        branch  kinds_function_pop, kinds_10, LBR_RET
        branch  kinds_loop, kinds_loop, LBR_JCC
        branch  kinds_jcxz, kinds_11, LBR_JCC
workload_kinds_accesses:
describe_workload workload_kinds, 26

; ---- a loop with an alternating branch ----------------------------------------------------------------------------
LOOP_ROUNDS     equ 20

begin_workload workload_loop
                mov     ecx, LOOP_ROUNDS
loop_1:         test    ecx, 1
loop_odd:       jnz     loop_2                  ; taken when the counter is odd
                nop
loop_2:         dec     ecx
loop_back:      jnz     loop_1
                end_workload workload_loop

section .rodata
workload_loop_branches:
%assign round LOOP_ROUNDS
%rep LOOP_ROUNDS
%if round & 1
        branch  loop_odd, loop_2, LBR_JCC
%endif
%if round > 1
        branch  loop_back, loop_1, LBR_JCC
%endif
%assign round round - 1
%endrep
workload_loop_accesses:
describe_workload workload_loop, 1 + LOOP_ROUNDS * 4 + LOOP_ROUNDS / 2

; ---- many times the same branch -----------------------------------------------------------------------------------
LONG_ROUNDS     equ 3000

begin_workload workload_long_loop
                mov     ecx, LONG_ROUNDS
long_1:         dec     ecx
long_back:      jnz     long_1
                end_workload workload_long_loop

section .rodata
workload_long_loop_branches:
        branch  long_back, long_1, LBR_JCC, LONG_ROUNDS - 1
workload_long_loop_accesses:
describe_workload workload_long_loop, 1 + LONG_ROUNDS * 2

; ---- two branches in turn, many times; the table has each once ----------------------------------------------------
begin_workload workload_turns
                mov     ecx, LONG_ROUNDS / 2
turns_1:        jmp     short turns_2
turns_2:        dec     ecx
turns_back:     jnz     turns_1
                end_workload workload_turns

section .rodata
workload_turns_branches:
        branch  turns_1, turns_2, LBR_REL_JMP, LONG_ROUNDS / 2
        branch  turns_back, turns_1, LBR_JCC, LONG_ROUNDS / 2 - 1
workload_turns_accesses:
describe_workload workload_turns, 1 + LONG_ROUNDS / 2 * 3

; ---- a software interrupt -----------------------------------------------------------------------------------------
VECTOR_WORKLOAD equ 0x80

workload_interrupt_start:
global workload_interrupt_entry
workload_interrupt_entry: iret_

begin_workload workload_interrupt, workload_interrupt_start
interrupt_1:    int     VECTOR_WORKLOAD
interrupt_2:    nop
interrupt_3:    int     VECTOR_WORKLOAD
interrupt_4:    end_workload workload_interrupt

section .rodata
workload_interrupt_branches:
        branch  interrupt_1, workload_interrupt_entry, LBR_FAR
        branch  workload_interrupt_entry, interrupt_2, LBR_FAR
        branch  interrupt_3, workload_interrupt_entry, LBR_FAR
        branch  workload_interrupt_entry, interrupt_4, LBR_FAR
workload_interrupt_accesses:
describe_workload workload_interrupt, 5

; ---- unpredictable jumps -----------------------------------------------------------------------------------------
; One indirect jump whose two targets follow the bits of a 7-bit LFSR, which do not repeat within the run.
SURPRISES       equ 64

%assign lfsr 1
%assign i SURPRISES
%rep SURPRISES
%assign SURPRISE_%[i] lfsr & 1
%assign lfsr (lfsr >> 1) ^ ((lfsr & 1) * 0x60)
%assign i i - 1
%endrep

begin_workload workload_surprises
                mov     ecx, SURPRISES
surprise_again: mov     eax, [surprise_targets + cx_ * 4]
surprise_jump:  jmp     ax_
surprise_0:     dec     ecx
surprise_0_back: jnz    surprise_again
surprise_0_last: jmp    short surprise_end
surprise_1:     dec     ecx
surprise_1_back: jnz    surprise_again
surprise_end:   end_workload workload_surprises

section .rodata
align 4
surprise_targets:                       ; indexed by the remaining rounds
        dd      0
%assign i 1
%rep SURPRISES
%assign bit SURPRISE_%[i]
        dd      surprise_%[bit]
%assign i i + 1
%endrep
workload_surprises_branches:
%assign i SURPRISES
%rep SURPRISES
%assign bit SURPRISE_%[i]
        branch  surprise_jump, surprise_%[bit], LBR_IND_JMP
%if i > 1
        branch  surprise_%[bit]_back, surprise_again, LBR_JCC
%elif bit == 0
        branch  surprise_0_last, surprise_end, LBR_REL_JMP
%endif
%assign i i - 1
%endrep
workload_surprises_accesses:
describe_workload workload_surprises, 0

; ---- two calls, and more than 65535 cycles between them -----------------------------------------------------------
SLOW_ROUNDS     equ 200000

workload_slow_start:
slow_function:  ret

begin_workload workload_slow, workload_slow_start
slow_1:         call    slow_function
slow_2:         mov     ecx, SLOW_ROUNDS
slow_again:     dec     ecx
slow_back:      jnz     slow_again
slow_3:         call    slow_function
slow_4:         end_workload workload_slow

section .rodata
workload_slow_branches:
        branch  slow_1, slow_function, LBR_REL_CALL
        branch  slow_function, slow_2, LBR_RET
        branch  slow_back, slow_again, LBR_JCC, SLOW_ROUNDS - 1
        branch  slow_3, slow_function, LBR_REL_CALL
        branch  slow_function, slow_4, LBR_RET
workload_slow_accesses:
describe_workload workload_slow, 0

; ---- nothing ------------------------------------------------------------------------------------------------------
begin_workload workload_nothing
                end_workload workload_nothing

section .rodata
workload_nothing_branches:
workload_nothing_accesses:
describe_workload workload_nothing, 0

; ---- calls that are still open when the window closes ------------------------------------------------------------------
workload_open_calls_start:
open_leaf:      ret

begin_workload workload_open_calls, workload_open_calls_start
open_1:         call    open_outer
                ud2
open_outer:     call    open_leaf
                nop
open_2:         call    open_inner
                ud2
open_inner:     call    open_leaf
                lea     sp_, [sp_ + 2 * WORD_BYTES]
                end_workload workload_open_calls

section .rodata
workload_open_calls_branches:           ; only the open calls
        branch  open_1, open_outer, LBR_REL_CALL
        branch  open_2, open_inner, LBR_REL_CALL
workload_open_calls_accesses:
describe_workload workload_open_calls, 8
