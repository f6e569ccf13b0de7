; SPDX-License-Identifier: MIT
; Instructions that raise an exception, at labels, with all registers known. Vectors, error codes and pushed values: SDM
; Vol. 3A (253668-081), "Interrupt and Exception Handling".

%include "suite/workload/width.inc"

default abs

extern user_call
extern stack_guard
extern text_start

; arch/x86/interrupts.h, and the selectors of both widths
VECTOR_USER_EXIT equ 0x81
VECTOR_LOST_STACK equ 0x82
VECTOR_TIMER     equ 0xf0               ; a gate that CPL 3 must not use
SELECTOR_ABSENT  equ 0x38               ; data, CPL 0, not present
SELECTOR_BEYOND  equ 0x1f8              ; past the GDT's limit
%if WORD_BYTES = 8
SELECTOR_TSS     equ 0x28               ; the current TSS
%else
SELECTOR_TSS     equ 0x30               ; the double fault's TSS
%endif

FLAG_TF         equ 1 << 8
FLAG_AC         equ 1 << 18
FLAGS           equ 0xa47               ; CF, PF, ZF, IF and OF; bit 1 is always set

ERROR_PRESENT   equ 1 << 0
ERROR_WRITE     equ 1 << 1
ERROR_USER      equ 1 << 2
ERROR_IDT       equ 1 << 1

; ---- the code around each instruction --------------------------------------------------------------------------------
%macro known_register 2
        mov     %1, (0x7265670072656700 + %2) & WORD_MASK       ; WORKLOAD_REGISTER(n)
%endmacro

%macro known_state 1                    ; flags
        known_register ax_, 0
        known_register cx_, 1
        known_register dx_, 2
        known_register bx_, 3
        known_register bp_, 5
        known_register si_, 6
        known_register di_, 7
%assign n 8
%rep GPRS - 8
        known_register r%+n, n
%assign n n + 1
%endrep
%if WORD_BYTES = 8
        push    qword %1
        popfq
%else
        push    dword %1
        popfd
%endif
%endmacro

; begin_raise NAME[, FLAGS]. Code that must run before the known state goes between begin_raise_run and known_raise.
%macro begin_raise_run 1
section .text
align 16
%1_run: push_kept
%endmacro

%macro known_raise 1-2 FLAGS
        mov     [raise_stack_pointer], sp_
        known_state %2
%1_start:
%assign raise_flags %2
%endmacro

%macro begin_raise 1-2 FLAGS
begin_raise_run %1
known_raise %1, %2
%endmacro

; end_raise NAME, IP, VECTOR, ERROR_CODE[, ADDRESS]
%macro end_raise 4-5 0
%1_resume:
        pop_kept
        ret
describe_raise %1, %2, %3, %4, %5, 0
%endmacro

; begin_user_raise NAME[, FLAGS]: the same as begin_raise, at CPL 3.
%macro begin_user_raise 1-2 FLAGS
begin_raise_run %1
        call_with user_call, %1_user
        pop_kept
        ret
section .user progbits alloc exec nowrite align=16
%1_user:
        known_state %2
%1_start:
%assign raise_flags %2
%endmacro

%macro end_user_raise 4-5 0
%1_resume:
        int     VECTOR_USER_EXIT
describe_raise %1, %2, %3, %4, %5, 3
%endmacro

%macro describe_raise 6
section .rodata
align 8
global %1
%1:     pointer %1_run
        quad    %1_start, %1_resume, %2, %3, %4, raise_flags, %5, %6
section .text
%endmacro

section .rodata
align 8
zero:           dd      0
absent:         dw      SELECTOR_ABSENT
beyond:         dw      SELECTOR_BEYOND
align 8
bounds:         dd      0, 1                    ; in 64-bit mode the low byte follows 62h: bit 2 is clear, so it is not EVEX
one:            dd      0x3f800000
zero_divide:    dw      0x037b                  ; the x87 control word with bit 2, ZM, clear

section .bss
align 8
global raise_stack_pointer
raise_stack_pointer: resq 1

; ---- exceptions raised by instructions -------------------------------------------------------------------------------
begin_raise raise_divide
divide_at:      div     dword [zero]
end_raise raise_divide, divide_at, 0, 0

; POPF sets TF; the trap follows the next instruction.
begin_raise raise_step, FLAGS | FLAG_TF
                nop
step_next:
end_raise raise_step, step_next, 1, 0

begin_raise raise_breakpoint
                int3
breakpoint_next:
end_raise raise_breakpoint, breakpoint_next, 3, 0

; INTO and BOUND do not exist in 64-bit mode.
begin_raise raise_overflow
overflow_at:    db      0xce
overflow_next:
%if WORD_BYTES = 8
end_raise raise_overflow, overflow_at, 6, 0
%else
end_raise raise_overflow, overflow_next, 4, 0
%endif

begin_raise raise_bound
bound_at:       db      0x62, 0x05
                dd      bounds
%if WORD_BYTES = 8
end_raise raise_bound, bound_at, 6, 0
%else
end_raise raise_bound, bound_at, 5, 0
%endif

begin_raise raise_invalid
invalid_at:     ud2
end_raise raise_invalid, invalid_at, 6, 0

; CR0.TS must be set.
begin_raise raise_no_device
no_device_at:   fnop
end_raise raise_no_device, no_device_at, 7, 0

; interrupt_spoil_tss() must have been called.
begin_raise raise_tss
%if WORD_BYTES = 8
tss_at:         int     VECTOR_LOST_STACK
%else
tss_at:         jmp     SELECTOR_TSS:0
%endif
end_raise raise_tss, tss_at, 10, SELECTOR_TSS

begin_raise raise_absent
absent_at:      mov     fs, [absent]
end_raise raise_absent, absent_at, 11, SELECTOR_ABSENT

begin_raise raise_stack
stack_at:       mov     ss, [absent]
end_raise raise_stack, stack_at, 12, SELECTOR_ABSENT

begin_raise raise_protection
protection_at:  mov     fs, [beyond]
end_raise raise_protection, protection_at, 13, SELECTOR_BEYOND

begin_raise raise_page_absent
page_absent_at: mov     dx_, [stack_guard]
end_raise raise_page_absent, page_absent_at, 14, 0, stack_guard

begin_raise raise_page_read_only
read_only_at:   mov     [text_start], dx_
end_raise raise_page_read_only, read_only_at, 14, ERROR_PRESENT | ERROR_WRITE, text_start

; 1 / 0 with ZM clear is reported by the next waiting x87 instruction. CR0.NE must be set, TS and EM clear.
begin_raise_run raise_math
                fninit
                fldcw   [zero_divide]
                fld1
                fldz
known_raise raise_math
                fdivp
math_at:        fwait
raise_math_resume:
                fninit
                pop_kept
                ret
describe_raise raise_math, math_at, 16, 0, 0, 0

; ---- from CPL 3 -------------------------------------------------------------------------------------------------------
; CR0.AM must be set. The address in register 2 is misaligned.
section .user progbits alloc exec nowrite align=16
align 8
user_words:     dd      0, 0

begin_user_raise raise_user_alignment, FLAGS | FLAG_AC
alignment_at:   mov     ecx, [user_words + 1]
end_user_raise raise_user_alignment, alignment_at, 17, 0

begin_user_raise raise_user_page
user_page_at:   mov     dx_, [raise_stack_pointer]
end_user_raise raise_user_page, user_page_at, 14, ERROR_PRESENT | ERROR_USER, raise_stack_pointer

begin_user_raise raise_user_privileged
privileged_at:  cli
end_user_raise raise_user_privileged, privileged_at, 13, 0

begin_user_raise raise_user_gate
user_gate_at:   int     VECTOR_TIMER
end_user_raise raise_user_gate, user_gate_at, 13, VECTOR_TIMER * 8 | ERROR_IDT

; ---- raised by INT n: no instruction raises them at will ------------------------------------------------------------
begin_raise raise_machine_check
                int     18
machine_check_next:
end_raise raise_machine_check, machine_check_next, 18, 0

begin_raise raise_reserved
                int     15
reserved_next:
end_raise raise_reserved, reserved_next, 15, 0

begin_raise raise_unhandled
                int     0xc0
unhandled_next:
end_raise raise_unhandled, unhandled_next, 0xc0, 0
