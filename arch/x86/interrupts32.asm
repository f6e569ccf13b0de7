; SPDX-License-Identifier: MIT
; One entry per vector, one common path into interrupt_dispatch(struct interrupt_frame *), one IRET.

extern interrupt_dispatch
extern double_fault

; selectors of arch/x86/descriptors32.c
USER_DATA   equ 0x18 | 3
USER_CODE   equ 0x20 | 3
EFLAGS_ONE  equ 1 << 1
EFLAGS_IF   equ 1 << 9

section .text
bits 32

; Vectors for which the processor pushes an error code.
%define HAS_ERROR_CODE(v) ((v) = 8 || ((v) >= 10 && (v) <= 14) || (v) = 17 || (v) = 21 || (v) = 29 || (v) = 30)

%assign vector 0
%rep 256
align 16
interrupt_entry_%+vector:
%if !HAS_ERROR_CODE(vector)
        push    dword 0
%endif
        push    dword vector
        jmp     near interrupt_common
%assign vector vector + 1
%endrep

; struct interrupt_frame (arch/x86/interrupts.h): pushad's layout, with the interrupted code's esp
interrupt_common:
        pushad
        lea     eax, [esp + (8 + 2 + 3) * 4]    ; after eflags; from CPL 3 esp was pushed there
        test    byte [esp + (8 + 2 + 1) * 4], 3
        jz      .same_level
        mov     eax, [eax]
.same_level:
        mov     [esp + 3 * 4], eax
        cld
        mov     eax, esp
        mov     ebp, esp
        and     esp, -16
        sub     esp, 12
        push    eax
        call    interrupt_dispatch
        mov     esp, ebp
        popad                           ; does not load esp
        add     esp, 8                  ; vector and error code
        iretd

; The double fault's task starts here, with the error code on its stack.
global double_fault_entry
double_fault_entry:
        push    dword 0                 ; no return address
        jmp     double_fault

; void gdt_load(const struct table_pointer *, uint32_t code, uint32_t stack, uint32_t data, uint32_t tss)
global gdt_load
gdt_load:
        mov     eax, [esp + 4]
        lgdt    [eax]
        mov     ecx, [esp + 12]
        mov     edx, [esp + 16]
        mov     ss, ecx
        mov     ds, edx
        mov     es, edx
        xor     eax, eax
        mov     fs, eax
        mov     gs, eax
        lldt    ax                      ; no LDT; double_fault_tss has none either
        mov     eax, [esp + 20]
        ltr     ax
        pop     eax
        push    dword [esp + 4]
        push    eax
        retf

; int context_save(struct context *): returns 0 when it saves, and 1 when context_restore resumes here
global context_save
context_save:
        mov     ecx, [esp + 4]
        mov     [ecx + 0], ebx
        mov     [ecx + 4], ebp
        mov     [ecx + 8], esi
        mov     [ecx + 12], edi
        mov     eax, [esp]
        mov     [ecx + 16], eax
        lea     eax, [esp + 4]
        mov     [ecx + 20], eax
        xor     eax, eax
        ret

; void context_restore(const struct context *)
global context_restore
context_restore:
        mov     ecx, [esp + 4]
        mov     ebx, [ecx + 0]
        mov     ebp, [ecx + 4]
        mov     esi, [ecx + 8]
        mov     edi, [ecx + 12]
        mov     esp, [ecx + 20]
        mov     eax, 1
        pushfd
        push    cs
        push    dword [ecx + 16]
        iretd                           ; unblocks NMIs

; void user_enter(function, void *kernel_stack, uintptr_t user_stack)
; Saves the return state on the TSS stack, and enters CPL 3 with the caller's IF.
global user_enter
user_enter:
        mov     eax, [esp + 4]
        mov     ecx, [esp + 8]
        mov     edx, [esp + 12]
        pushfd
        push    ebx
        push    ebp
        push    esi
        push    edi
        mov     [ecx], esp
        push    dword USER_DATA
        push    edx
        pushfd
        and     dword [esp], EFLAGS_IF
        or      dword [esp], EFLAGS_ONE
        push    dword USER_CODE
        push    eax
        iretd

; The gate of VECTOR_USER_EXIT: the processor has loaded the TSS stack and pushed five words on it.
global user_exit
user_exit:
        add     esp, 5 * 4
        pop     edi
        pop     esi
        pop     ebp
        pop     ebx
        popfd
        ret

section .rodata
global interrupt_entries
align 4
interrupt_entries:
%assign vector 0
%rep 256
        dd      interrupt_entry_%+vector
%assign vector vector + 1
%endrep
