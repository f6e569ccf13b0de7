; SPDX-License-Identifier: MIT
; Workloads in which no instruction runs twice, with their execution order: struct steps in steps.h.

%include "suite/workload/workload.inc"

STEP_LOAD        equ 1 << 0
STEP_STORE       equ 1 << 1
STEP_LOCKED      equ 1 << 2
STEP_SPLIT_LOAD  equ 1 << 3
STEP_SPLIT_STORE equ 1 << 4
STEP_WARM        equ 1 << 5
STEP_COLD        equ 1 << 6
STEP_X87         equ 1 << 7
STEP_MMX         equ 1 << 8
STEP_CONDITIONAL equ 1 << 9
STEP_BRANCH      equ 1 << 10
STEP_TAKEN       equ 1 << 11
STEP_CALL        equ 1 << 12
STEP_RETURN      equ 1 << 13
STEP_FAR         equ 1 << 14
STEP_INSTRUCTION equ 1 << 15
STEP_PACKED_SP   equ 1 << 16
STEP_PACKED_DP   equ 1 << 17
STEP_SCALAR_SP   equ 1 << 18
STEP_SCALAR_DP   equ 1 << 19
STEP_INTEGER     equ 1 << 20

TAIL             equ 200        ; instructions at the end, which are in no table

; steps_entry LABEL, KINDS: the next instruction in execution order.
%macro steps_entry 2
[section .rodata]
%%entry: ; without it nasm adds the data's size to the previous label
        dd      %1, (%2) | STEP_INSTRUCTION
__?SECT?__
%endmacro

; step KINDS, INSTRUCTION: an instruction that executes in the order of the text.
%macro step 2+
%%here: %2
        steps_entry %%here, %1
%endmacro

%macro begin_steps 1
section .rodata
align 8
%1_all:
section .text
%endmacro

; end_steps NAME: the tail, the end of the window, and the workload's description.
%macro end_steps 1
%1_tail:
%rep TAIL
        lea     eax, [bx_ + cx_ + 1]    ; four bytes: WORKLOAD_STEPS_TAIL_BYTES
%endrep
        end_workload %1_workload
section .rodata
%1_all_end:
%1_workload_branches:
%1_workload_accesses:
describe_workload %1_workload, (%1_all_end - %1_all) / 8 + TAIL
section .rodata
global %1
align 8
%1:     pointer %1_workload, %1_all
        quad    (%1_all_end - %1_all) / 8, %1_tail
section .text
%endmacro

; ---- groups of three loads with a miss in the first --------------------------------------------------------------
LINES           equ 32          ; WORKLOAD_STEPS_LINES
LINE            equ 64
STRIDE          equ 4096 + LINE ; WORKLOAD_STEPS_STRIDE: another page, another set of a cache

section .text
begin_steps workload_steps_loads
begin_workload workload_steps_loads_workload
%assign i 0
%rep LINES
                step    STEP_LOAD | STEP_COLD, mov eax, [workload_steps_loads_cold + i * STRIDE]
                step    STEP_LOAD | STEP_WARM, mov edx, [workload_steps_loads_warm]
                step    STEP_LOAD | STEP_WARM, mov esi, [workload_steps_loads_warm + 8]
%rep 3
                step    0, lea edi, [bx_ + cx_ + 1]
%endrep
%assign i i + 1
%endrep
                end_steps workload_steps_loads

section .bss align=4096
global workload_steps_loads_cold, workload_steps_loads_warm
workload_steps_loads_cold: resb LINES * STRIDE
                alignb  4096            ; on a page of its own
workload_steps_loads_warm: resb LINE

; ---- straight-line code -------------------------------------------------------------------------------------------
GROUPS          equ 12

begin_steps workload_steps_straight
begin_workload workload_steps_straight_workload
%assign i 0
%rep GROUPS
                step    STEP_LOAD, mov eax, [straight_data + i * LINE]
                step    0, lea edx, [bx_ + cx_ + 1]
                step    STEP_STORE, mov [straight_data + i * LINE + 4], edx
                step    0, lea edx, [bx_ + cx_ + 1]
                step    0, lea edx, [bx_ + cx_ + 1]
                step    STEP_LOAD | STEP_SPLIT_LOAD, mov eax, [straight_data + i * LINE + LINE - 2]
                step    STEP_X87, fadd st0, st1
                step    STEP_STORE | STEP_SPLIT_STORE, mov [straight_data + i * LINE + LINE - 2], eax
                step    STEP_MMX, paddd mm0, mm1
                step    0, lea edx, [bx_ + cx_ + 1]
                step    STEP_LOCKED, lock inc dword [straight_data + i * LINE + 8]
                step    0, lea edx, [bx_ + cx_ + 1]
                step    STEP_PACKED_SP, addps xmm0, xmm1
                step    STEP_PACKED_DP, addpd xmm2, xmm3
                step    STEP_SCALAR_SP, addss xmm4, xmm5
                step    STEP_SCALAR_DP, addsd xmm6, xmm7
                step    STEP_INTEGER, paddd xmm0, xmm1
%assign i i + 1
%endrep
                end_steps workload_steps_straight

section .bss
alignb 64
straight_data:  resb    GROUPS * LINE + LINE

; ---- branchy code -------------------------------------------------------------------------------------------------
; Blocks that jump to each other, not in the order of the text, each with a function of its own.
%assign BLOCKS   16
%define PLACE(n) (((n) * 7) % BLOCKS)   ; the block at this place of the text

; branchy_block BLOCK
%macro branchy_block 1
%assign next %1 + 1
branchy_%1:     mov     eax, [branchy_data + %1 * 8]
.test:          cmp     eax, 1
.not:           je      near branchy_trap
.lea:           lea     edx, [bx_ + cx_ + 1]
.store:         mov     [branchy_data + %1 * 8 + 4], edx
.call:          call    branchy_%1_function
.back:          lea     edx, [bx_ + cx_ + 1]
.zero:          test    eax, eax
.jump:
%if %1 & 1
                jmp     near branchy_%[next]
%else
                jz      near branchy_%[next]
                ud2
%endif
%endmacro

begin_steps workload_steps_branchy
workload_steps_branchy_workload_start:
branchy_trap:   ud2
%assign i 0
%rep BLOCKS
branchy_%[i]_function: lea edx, [bx_ + cx_ + 1]
.return:        ret
%assign i i + 1
%endrep
begin_workload workload_steps_branchy_workload, workload_steps_branchy_workload_start
branchy_begin:  jmp     near branchy_0
%assign i 0
%rep BLOCKS
%assign block PLACE(i)
                branchy_block %[block]
%assign i i + 1
%endrep

                steps_entry branchy_begin, STEP_BRANCH | STEP_TAKEN
%assign i 0
%rep BLOCKS
                steps_entry branchy_%[i], STEP_LOAD
                steps_entry branchy_%[i].test, 0
                steps_entry branchy_%[i].not, STEP_BRANCH | STEP_CONDITIONAL
                steps_entry branchy_%[i].lea, 0
                steps_entry branchy_%[i].store, STEP_STORE
                steps_entry branchy_%[i].call, STEP_BRANCH | STEP_TAKEN | STEP_CALL
                steps_entry branchy_%[i]_function, 0
                steps_entry branchy_%[i]_function.return, STEP_BRANCH | STEP_TAKEN | STEP_RETURN
                steps_entry branchy_%[i].back, 0
                steps_entry branchy_%[i].zero, 0
%if i & 1
                steps_entry branchy_%[i].jump, STEP_BRANCH | STEP_TAKEN
%else
                steps_entry branchy_%[i].jump, STEP_BRANCH | STEP_TAKEN | STEP_CONDITIONAL
%endif
%assign i i + 1
%endrep
branchy_%[BLOCKS]:
                end_steps workload_steps_branchy

section .bss
alignb 64
branchy_data:   resq    BLOCKS

; ---- far returns --------------------------------------------------------------------------------------------------
%if WORD_BYTES = 8
%define retf_ o64 retf
%else
%define retf_ retf
%endif
FARS            equ 12

begin_steps workload_steps_far
begin_workload workload_steps_far_workload
%assign i 0
%rep FARS
                step    0, mov eax, cs
                step    0, push ax_
                step    0, mov eax, far_%[i]
                step    0, push ax_
                step    STEP_FAR, retf_
                ud2
far_%[i]:
%assign i i + 1
%endrep
                end_steps workload_steps_far
