; SPDX-License-Identifier: MIT
; Interrupts and exceptions while every general register, flag and segment register is known, and the values in them
; afterwards: struct interrupted of interrupted.h.

%include "suite/workload/width.inc"

default abs

extern user_call

; arch/x86/interrupts.h, and the selectors of both widths
VECTOR_USER_EXIT   equ 0x81
VECTOR_SOFTWARE    equ 0xc1             ; INTERRUPTED_VECTOR
SELECTOR_USER_DATA equ 0x18 | 3
SELECTOR_BEYOND    equ 0x1f8            ; past the GDT's limit

FLAGS_AFTERWARDS   equ 0x202            ; IF

; struct interrupted_state
STATE_FLAGS        equ GPRS * WORD_BYTES
STATE_SEGMENTS     equ (GPRS + 1) * WORD_BYTES

%macro known_register 2
        mov     %1, (0x7265670072656700 + %2) & WORD_MASK       ; WORKLOAD_REGISTER(n)
%endmacro

%macro for_registers 1                  ; all except sp_
        %1      ax_, 0
        %1      cx_, 1
        %1      dx_, 2
        %1      bx_, 3
        %1      bp_, 5
        %1      si_, 6
        %1      di_, 7
%assign n 8
%rep GPRS - 8
        %1      r%+n, n
%assign n n + 1
%endrep
%endmacro

%macro keep_after 2
        mov     [interrupted_after + %2 * WORD_BYTES], %1
%endmacro

%macro keep_segments 1
        mov     [%1 + STATE_SEGMENTS + 0 * WORD_BYTES], ds
        mov     [%1 + STATE_SEGMENTS + 1 * WORD_BYTES], es
        mov     [%1 + STATE_SEGMENTS + 2 * WORD_BYTES], fs
        mov     [%1 + STATE_SEGMENTS + 3 * WORD_BYTES], gs
        mov     [%1 + STATE_SEGMENTS + 4 * WORD_BYTES], ss
%endmacro

%macro flags_from_stack 0
%if WORD_BYTES = 8
        popfq
%else
        popfd
%endif
%endmacro

; Stores the flags in interrupted_after, and continues with the flags that C expects.
%macro keep_flags 0
%if WORD_BYTES = 8
        pushfq
        pop     qword [interrupted_after + STATE_FLAGS]
        push    qword FLAGS_AFTERWARDS
%else
        pushfd
        pop     dword [interrupted_after + STATE_FLAGS]
        push    dword FLAGS_AFTERWARDS
%endif
        flags_from_stack
%endmacro

; The code around the instruction that interrupts. %1: the name of its labels. The rest: the instruction.
%macro interrupted_code 2+
        keep_segments interrupted_before
        for_registers known_register
%if WORD_BYTES = 8
        push    qword [interrupted_flags]
%else
        push    dword [interrupted_flags]
%endif
        flags_from_stack
        mov     [interrupted_before + 4 * WORD_BYTES], sp_
%1_at:  %2
%1_behind:
        for_registers keep_after
        mov     [interrupted_after + 4 * WORD_BYTES], sp_
        keep_flags
        keep_segments interrupted_after
%endmacro

; The functions NAME, at CPL 0, and NAME_user, at CPL 3. FS and GS are not null inside them.
%macro load_segments 1
        mov     eax, %1
        mov     fs, eax
        mov     gs, eax
%endmacro

%macro begin_function 1
section .text
align 16
%1_run: push_kept
        load_segments SELECTOR_USER_DATA
%endmacro

%macro end_function 2                   ; name, CPL
        load_segments 0
        pop_kept
        ret
section .rodata
align 8
global %1
%1:     pointer %1_run, %1_at, %1_behind, %2
%endmacro

%macro interrupted 2+
begin_function %1
        interrupted_code %1, %2
end_function %1, 0
%endmacro

%macro interrupted_user 2+
begin_function %1
        call_with user_call, %1_user
end_function %1, 3
section .user progbits alloc exec nowrite align=16
%1_user: interrupted_code %1, %2
        int     VECTOR_USER_EXIT
%endmacro

section .user progbits alloc exec nowrite align=16
beyond: dw      SELECTOR_BEYOND

section .user_bss nobits alloc noexec write align=8
global interrupted_flags
global interrupted_before
global interrupted_after
interrupted_flags:  resb WORD_BYTES
interrupted_before: resb (GPRS + 6) * WORD_BYTES
interrupted_after:  resb (GPRS + 6) * WORD_BYTES

; ---- the three ways in: INT n, an exception without an error code, one with it ---------------------------------------
interrupted interrupted_int, int VECTOR_SOFTWARE
interrupted interrupted_ud, ud2
interrupted interrupted_gp, mov fs, [beyond]
interrupted_user interrupted_user_int, int VECTOR_SOFTWARE
interrupted_user interrupted_user_ud, ud2
interrupted_user interrupted_user_gp, mov fs, [beyond]

; Allows a pending interrupt, which arrives at one of the jumps.
%macro let_in 0
        sti
%rep 8
        jmp     short $ + 2
%endrep
%endmacro

interrupted interrupted_pending, let_in

; ---- each vector -----------------------------------------------------------------------------------------------------
; INT n for each n, four bytes apart: at CPL 0 a function, at CPL 3 what user_call() can call.
section .text
align 4
global interrupted_each
interrupted_each:
%assign vector 0
%rep 256
        int     vector
        ret
        nop
%assign vector vector + 1
%endrep

section .user
align 4
global interrupted_each_user
interrupted_each_user:
%assign vector 0
%rep 256
        int     vector
        int     VECTOR_USER_EXIT
%assign vector vector + 1
%endrep

; void interrupted_enter(uintptr_t entry, uintptr_t error_code, uintptr_t has_error_code): enters as the processor does
; at the same privilege level, with any vector and any error code.
section .text
global interrupted_enter
interrupted_enter:
%if WORD_BYTES = 8
        mov     rax, rsp
        mov     ecx, ss
        push    rcx
        push    rax
        pushfq
        mov     ecx, cs
        push    rcx
        push    .behind
        test    rdx, rdx
        jz      .no_code
        push    rsi
.no_code:
        jmp     rdi
%else
        mov     eax, [esp + 4]
        mov     ecx, [esp + 8]
        mov     edx, [esp + 12]
        pushfd
        push    cs
        push    dword .behind
        test    edx, edx
        jz      .no_code
        push    ecx
.no_code:
        jmp     eax
%endif
.behind: ret

; ---- fix-ups ---------------------------------------------------------------------------------------------------------
; Interrupts that return to an instruction in the table of fix-ups, which they have nothing to do with.
%macro at_fixup 2                       ; name, vector
section .text
global %1
%1:     int     %2
.at:    ret
section .fixups progbits alloc noexec nowrite
        pointer %1.at, %1.at
%endmacro

at_fixup interrupted_fixup_breakpoint, 3
at_fixup interrupted_fixup_machine_check, 18
at_fixup interrupted_fixup_software, VECTOR_SOFTWARE

; ---- a stack in the guard page --------------------------------------------------------------------------------------------
extern stack_guard

; Never return. Each raises what its name says, with all registers known and the stack pointer in the guard page.
%macro without_stack 2+
section .text
global interrupted_without_stack_%1
interrupted_without_stack_%1:
        for_registers known_register
        mov     sp_, stack_guard + 0x800
        %2
        ud2
%endmacro

without_stack nmi, int 2
without_stack machine_check, int 18
without_stack page_fault, push ax_

; ---- what a function preserves ----------------------------------------------------------------------------------------
extern context_save
extern context_restore

%macro for_kept 1
        %1      bx_, 3
        %1      bp_, 5
%if WORD_BYTES = 8
        %1      r12, 12
        %1      r13, 13
        %1      r14, 14
        %1      r15, 15
%else
        %1      si_, 6
        %1      di_, 7
%endif
%endmacro

%macro spoil_register 2
        xor     %1, %1
%endmacro

; Sets all registers except sp_ to 0, and sets interrupted_after for the last of the callee-saved ones.
%macro spoil_registers 0
        for_registers spoil_register
%if WORD_BYTES = 8
        mov     [interrupted_after + 1 * WORD_BYTES], r15
%else
        mov     [interrupted_after + 1 * WORD_BYTES], edi
%endif
%endmacro

; Calls a function and stores the callee-saved registers, the stack pointer and the flags afterwards in
; interrupted_after. Before the call they are known; interrupted_before has the stack pointer.
%macro kept_across 2+
section .text
global %1
%1:     push_kept
%if WORD_BYTES = 8
        sub     rsp, 8                  ; the ABI wants a 16-byte aligned stack
        push    qword [interrupted_flags]
%else
        push    dword [interrupted_flags]
%endif
        flags_from_stack
        for_kept known_register
        mov     [interrupted_before + 4 * WORD_BYTES], sp_
        %2
        keep_flags
        mov     [interrupted_after + 4 * WORD_BYTES], sp_
        for_kept keep_after
%if WORD_BYTES = 8
        add     rsp, 8
%endif
        pop_kept
        ret
%endmacro

section .user
spoil_at_user:
        spoil_registers
        xor     eax, eax                ; sets and clears flags
        int     VECTOR_USER_EXIT

%macro visit_user 0
%if WORD_BYTES = 8
        mov     edi, spoil_at_user
        call    user_call
%else
        push    dword spoil_at_user
        call    user_call
        lea     esp, [esp + 4]          ; changes no flags
%endif
%endmacro

kept_across interrupted_kept_user, visit_user

; Saves the context, and returns from elsewhere with other registers, another stack and 1.
section .text
escape:
%if WORD_BYTES = 8
        mov     edi, saved
        call    context_save
        test    eax, eax
        jnz     .back
        spoil_registers
        sub     rsp, 256
        mov     edi, saved
        jmp     context_restore
.back:  mov     [interrupted_after], rax
        ret
%else
        push    dword saved
        call    context_save
        test    eax, eax
        jnz     .back
        spoil_registers
        sub     esp, 256
        push    dword saved
        push    dword 0                 ; no return address
        jmp     context_restore
.back:  add     esp, 4
        mov     [interrupted_after], eax
        ret
%endif

%macro escape_and_return 0
        call    escape
%endmacro

kept_across interrupted_kept_context, escape_and_return

section .bss
align 8
saved:  resb    8 * WORD_BYTES
