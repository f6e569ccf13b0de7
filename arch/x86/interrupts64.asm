; SPDX-License-Identifier: MIT
; One entry per vector, one common path into interrupt_dispatch(struct interrupt_frame *), one IRETQ.

extern interrupt_dispatch

; selectors of arch/x86/descriptors64.c
KERNEL_CODE equ 0x08
KERNEL_DATA equ 0x10
USER_DATA   equ 0x18 | 3
USER_CODE   equ 0x20 | 3
RFLAGS_ONE  equ 1 << 1
RFLAGS_IF   equ 1 << 9

section .text
bits 64

; Vectors for which the processor pushes an error code.
%define HAS_ERROR_CODE(v) ((v) = 8 || ((v) >= 10 && (v) <= 14) || (v) = 17 || (v) = 21 || (v) = 29 || (v) = 30)

%assign vector 0
%rep 256
align 16
interrupt_entry_%+vector:
%if !HAS_ERROR_CODE(vector)
        push    qword 0
%endif
        push    qword vector
        jmp     near interrupt_common
%assign vector vector + 1
%endrep

; struct interrupt_frame (arch/x86/interrupts.h) in push order, last field first
interrupt_common:
        push    rax
        push    rcx
        push    rdx
        push    rbx
        push    qword [rsp + 9 * 8]     ; the rsp that the processor pushed
        push    rbp
        push    rsi
        push    rdi
        push    r8
        push    r9
        push    r10
        push    r11
        push    r12
        push    r13
        push    r14
        push    r15
        cld
        mov     rdi, rsp
        mov     rbp, rsp
        and     rsp, -16
        call    interrupt_dispatch
        mov     rsp, rbp
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     r11
        pop     r10
        pop     r9
        pop     r8
        pop     rdi
        pop     rsi
        pop     rbp
        add     rsp, 8                  ; rsp
        pop     rbx
        pop     rdx
        pop     rcx
        pop     rax
        add     rsp, 16                 ; vector and error code
        iretq

; void gdt_load(const struct table_pointer *, uint16_t code, uint16_t stack, uint16_t tss)
global gdt_load
gdt_load:
        lgdt    [rdi]
        mov     ss, edx                 ; 64-bit mode ignores DS and ES
        xor     eax, eax
        mov     fs, eax
        mov     gs, eax
        ltr     cx
        pop     rax
        push    rsi
        push    rax
        o64 retf

; int context_save(struct context *): returns 0 when it saves, and 1 when context_restore resumes here
global context_save
context_save:
        mov     [rdi + 0], rbx
        mov     [rdi + 8], rbp
        mov     [rdi + 16], r12
        mov     [rdi + 24], r13
        mov     [rdi + 32], r14
        mov     [rdi + 40], r15
        mov     rax, [rsp]
        mov     [rdi + 56], rax
        lea     rax, [rsp + 8]
        mov     [rdi + 48], rax
        xor     eax, eax
        ret

; void context_restore(const struct context *)
global context_restore
context_restore:
        mov     rbx, [rdi + 0]
        mov     rbp, [rdi + 8]
        mov     r12, [rdi + 16]
        mov     r13, [rdi + 24]
        mov     r14, [rdi + 32]
        mov     r15, [rdi + 40]
        mov     rsp, [rdi + 48]
        mov     eax, 1
        push    KERNEL_DATA
        push    qword [rdi + 48]
        pushfq
        push    KERNEL_CODE
        push    qword [rdi + 56]
        iretq                           ; unblocks NMIs

; void user_enter(function, void *kernel_stack, uintptr_t user_stack)
; Saves the return state on the TSS stack, and enters CPL 3 with the caller's IF.
global user_enter
user_enter:
        pushfq
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        mov     [rsi], rsp
        push    USER_DATA
        push    rdx
        pushfq
        and     dword [rsp], RFLAGS_IF
        or      dword [rsp], RFLAGS_ONE
        push    USER_CODE
        push    rdi
        iretq

; The gate of VECTOR_USER_EXIT: the processor has loaded the TSS stack and pushed five words on it.
global user_exit
user_exit:
        add     rsp, 5 * 8
        mov     eax, KERNEL_DATA
        mov     ss, eax
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        popfq
        ret

section .rodata
global interrupt_entries
align 8
interrupt_entries:
%assign vector 0
%rep 256
        dq      interrupt_entry_%+vector
%assign vector vector + 1
%endrep
