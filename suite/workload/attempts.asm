; SPDX-License-Identifier: MIT
; One access each, at CPL 0 and at CPL 3, that may raise an exception. A handler resumes at attempt_over or, from CPL 3,
; at attempt_user_over.

%include "suite/workload/width.inc"

default abs

VECTOR_USER_EXIT equ 0x81

section .user_bss nobits alloc noexec write align=8
global attempt_address
global attempt_value
attempt_address: resb WORD_BYTES
attempt_value:   resb WORD_BYTES
stack_before:    resb WORD_BYTES
global attempt_counter
attempt_counter: resb 8

; attempts PREFIX: PREFIX_read and so on. They end at PREFIX_over.
%macro attempts 1
align 16
global %1_read
%1_read:
        mov     [stack_before], sp_
        mov     cx_, [attempt_address]
        mov     al, [cx_]
        jmp     %1_over

global %1_write
%1_write:
        mov     [stack_before], sp_
        mov     cx_, [attempt_address]
        mov     al, [attempt_value]
        mov     [cx_], al
        jmp     %1_over

global %1_execute
%1_execute:
        mov     [stack_before], sp_
        call    [attempt_address]
        jmp     %1_over

global %1_in
%1_in:
        mov     [stack_before], sp_
        mov     edx, [attempt_address]
        in      al, dx
        jmp     %1_over

global %1_out
%1_out:
        mov     [stack_before], sp_
        mov     edx, [attempt_address]
        mov     al, [attempt_value]
        out     dx, al

        jmp     %1_over

global %1_rdpmc
%1_rdpmc:
        mov     [stack_before], sp_
        mov     ecx, [attempt_address]
        rdpmc
        mov     [attempt_counter], eax
        mov     [attempt_counter + 4], edx

global %1_over
%1_over:
        mov     sp_, [stack_before]
%endmacro

section .text
attempts attempt
        ret

section .user progbits alloc exec nowrite align=16
attempts attempt_user
        int     VECTOR_USER_EXIT
