; SPDX-License-Identifier: MIT
; The entry of a secondary processor: real mode, protected mode, then C, still without paging.

%include "arch/x86/startup.inc"

extern processor_entry
extern startup_stack

section .text
bits 32
startup32:
        mov     eax, STARTUP_DATA
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        xor     eax, eax
        mov     cr4, eax
        mov     esp, [startup_stack]
        xor     ebp, ebp
        push    ebp                     ; a return address of 0 ends a debugger's backtrace
        push    ebp
        call    processor_entry
.halt:  cli
        hlt
        jmp     .halt

; void call_on_stack(uintptr_t top, void (*function)(void))
global call_on_stack
call_on_stack:
        push    ebp
        mov     ebp, esp
        mov     ecx, [ebp + 12]
        mov     esp, [ebp + 8]
        call    ecx
        leave
        ret
