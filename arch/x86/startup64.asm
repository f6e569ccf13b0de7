; SPDX-License-Identifier: MIT
; The entry of a secondary processor: real mode, protected mode, long mode on the page tables of entry64.asm, then C.

%include "arch/x86/startup.inc"

extern boot_pml4
extern processor_entry
extern startup_stack

CR4_PAE  equ 1 << 5
CR0_PG   equ 1 << 31
MSR_EFER equ 0xc0000080
EFER_LME equ 1 << 8

section .text
bits 32
startup32:
        mov     eax, CR4_PAE
        mov     cr4, eax
        mov     eax, boot_pml4
        mov     cr3, eax
        mov     ecx, MSR_EFER
        mov     eax, EFER_LME
        xor     edx, edx
        wrmsr
        mov     eax, cr0
        or      eax, CR0_PG
        mov     cr0, eax
        jmp     STARTUP_LONG:startup64

bits 64
startup64:
        mov     rsp, [startup_stack]
        xor     ebp, ebp
        push    rbp                     ; a return address of 0 ends a debugger's backtrace
        push    rbp
        call    processor_entry
.halt:  cli
        hlt
        jmp     .halt

; void call_on_stack(uintptr_t top, void (*function)(void))
global call_on_stack
call_on_stack:
        push    rbp
        mov     rbp, rsp
        mov     rsp, rdi
        call    rsi
        leave
        ret
