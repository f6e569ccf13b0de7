; SPDX-License-Identifier: MIT
; Branches other than near ones: far transfers, exceptions, a hardware interrupt, and the fast system calls.

%include "suite/workload/workload.inc"

extern user_call

VECTOR_USER_EXIT equ 0x81

; A far pointer of the machine's width; its selector is stored before use.
%if WORD_BYTES = 8
%define far_ far qword
%define retf_ o64 retf
%else
%define far_ far dword
%define retf_ retf
%endif
%macro far_pointer 1
        pointer %1
        dw      0
%endmacro

section .data align=8
far_jump_pointer: far_pointer far_2
far_call_pointer: far_pointer far_function

section .text

; ---- far jump, call and return, and near ones between them --------------------------------------------------------
workload_far_start:
far_function:   nop
far_function_1: retf_
far_near:       ret

begin_workload workload_far, workload_far_start
                mov     [far_jump_pointer + WORD_BYTES], cs
                mov     [far_call_pointer + WORD_BYTES], cs
far_1:          jmp     far_ [far_jump_pointer]
                ud2
far_2:          call    far_near
far_3:          call    far_ [far_call_pointer]
far_4:          jmp     short far_5
                ud2
far_5:          end_workload workload_far

section .rodata
workload_far_branches:
        branch  far_1, far_2, LBR_FAR
        branch  far_2, far_near, LBR_REL_CALL
        branch  far_near, far_3, LBR_RET
        branch  far_3, far_function, LBR_FAR
        branch  far_function_1, far_4, LBR_FAR
        branch  far_4, far_5, LBR_REL_JMP
workload_far_accesses:
describe_workload workload_far, 0

; ---- a near branch in 32-bit code whose segment does not begin at 0 (arch/x86/descriptors*.c) --------------------------
KERNEL_CODE     equ 0x08
BASED_CODE      equ 0x40
BASE            equ 0x1000

section .data
based_pointer:  pointer based_2 - BASE
                dw      BASED_CODE

section .text
begin_workload workload_based
based_1:        jmp     far_ [based_pointer]
bits 32
based_2:        jmp     short based_3
                ud2
based_3:        jmp     dword KERNEL_CODE:based_4
%if WORD_BYTES = 8
bits 64
%endif
based_4:        end_workload workload_based

section .rodata
workload_based_branches:
        branch  based_1, based_2, LBR_FAR
        branch  based_2, based_3, LBR_REL_JMP
        branch  based_3, based_4, LBR_FAR
workload_based_accesses:
describe_workload workload_based, 0

; ---- exceptions whose handlers resume after them -------------------------------------------------------------------
; exception_workload NAME, IRET: an exception at NAME_1 is taken to NAME_entry, and returns from IRET to NAME_2.
%macro exception_workload 2
section .rodata
workload_%1_branches:
        branch  %1_1, workload_%1_entry, LBR_FAR
        branch  %2, %1_2, LBR_FAR
workload_%1_accesses:
describe_workload workload_%1, 0
%endmacro

; Advances the saved IP, which is the instruction's, by this many bytes.
%macro skip_bytes 1
%if WORD_BYTES = 8
        add     qword [rsp], %1
%else
        add     dword [esp], %1
%endif
%endmacro

global workload_invalid_entry, workload_breakpoint_entry, workload_page_entry

workload_invalid_start:
workload_invalid_entry: skip_bytes 2
invalid_iret:   iret_

begin_workload workload_invalid, workload_invalid_start
invalid_1:      ud2
invalid_2:      end_workload workload_invalid
exception_workload invalid, invalid_iret

workload_breakpoint_start:
workload_breakpoint_entry: iret_        ; a trap: the saved IP is the next instruction's

begin_workload workload_breakpoint, workload_breakpoint_start
breakpoint_1:   int3
breakpoint_2:   end_workload workload_breakpoint
exception_workload breakpoint, workload_breakpoint_entry

workload_page_start:
workload_page_entry: lea sp_, [sp_ + WORD_BYTES] ; the error code
                skip_bytes 2
page_iret:      iret_

begin_workload workload_page, workload_page_start
                xor     esi, esi
page_1:         mov     al, [si_]       ; the page of the null pointer
page_2:         end_workload workload_page
exception_workload page, page_iret

; ---- a debug exception: one single step, after a call and its return -----------------------------------------------
FLAGS_TRAP      equ 1 << 8

workload_step_start:
step_function:  ret

begin_workload workload_step, workload_step_start
step_1:         call    step_function
step_2:         pushf
%if WORD_BYTES = 8
                or      qword [rsp], FLAGS_TRAP
%else
                or      dword [esp], FLAGS_TRAP
%endif
                popf
                nop                     ; followed by the single-step trap
                end_workload workload_step

section .rodata
workload_step_branches:
        branch  step_1, step_function, LBR_REL_CALL
        branch  step_function, step_2, LBR_RET
workload_step_accesses:
describe_workload workload_step, 0

; ---- a hardware interrupt -------------------------------------------------------------------------------------------
; The processor has sent itself an interrupt (suite/support/transfers.c). It is pending when interrupts are enabled, and is taken
; after the instruction that follows STI.
global workload_self_entry
workload_self_start:
workload_self_entry:
self_iret:      iret_

begin_workload workload_self, workload_self_start
                sti
                nop
self_1:         nop
self_2:         end_workload workload_self

section .rodata
workload_self_branches:
        branch  self_1, workload_self_entry, LBR_FAR
        branch  self_iret, self_1, LBR_FAR
workload_self_accesses:
describe_workload workload_self, 0

; ---- fast system calls ------------------------------------------------------------------------------------------------
; 64-bit mode: SYSCALL from CPL 3, and SYSRET back. Otherwise SYSENTER from CPL 0, which returns by a jump.
global workload_system_call_entry
%if WORD_BYTES = 8
section .user
workload_system_call_start:
system_call_1:  syscall
system_call_2:  int     VECTOR_USER_EXIT
workload_system_call_limit:

section .text
workload_system_call_entry:
                o64 sysret

user_workload workload_system_call

section .rodata
workload_system_call_branches:
        branch  system_call_1, workload_system_call_entry, LBR_FAR
        branch  workload_system_call_entry, system_call_2, LBR_FAR
%else
section .text
workload_system_call_start:
workload_system_call_entry:
                mov     esp, ebp
system_call_back: jmp   short system_call_2

begin_workload workload_system_call, workload_system_call_start
                pushfd
                mov     ebp, esp
system_call_1:  sysenter
                ud2
system_call_2:  popfd
                end_workload workload_system_call

section .rodata
workload_system_call_branches:
        branch  system_call_1, workload_system_call_entry, LBR_FAR
        branch  system_call_back, system_call_2, LBR_REL_JMP
%endif
workload_system_call_accesses:
describe_workload workload_system_call, 0
