; SPDX-License-Identifier: MIT
; The kernel's entry: 32-bit protected mode, paging off, eax = magic, ebx = information (boot/boot_info.h). Calls
; kernel_main(magic, info), still without paging. If the CPU lacks instructions that the compiler
; uses, prints an error and a verdict; C checks everything else.

%include "version.inc"
%include "arch/x86/refuse.inc"

extern kernel_main
extern stack_top

PVH_NOTE_PHYS32_ENTRY equ 18
MULTIBOOT_HEADER      equ 0x1badb002    ; Multiboot Specification 0.6.96, 3.1: within the file's first 8192 bytes
MULTIBOOT_MEMORY_INFO equ 1 << 1        ; asks the loader for a memory map

CPUID_1_EDX_CMOV equ 1 << 15
EFLAGS_NONE      equ 1 << 1             ; bit 1 is always set

bits 32

section .note.Xen note align=4
        dd      4, 4, PVH_NOTE_PHYS32_ENTRY
        db      "Xen", 0
        dd      entry32

section .multiboot progbits alloc noexec nowrite align=4
        dd      MULTIBOOT_HEADER, MULTIBOOT_MEMORY_INFO, -(MULTIBOOT_HEADER + MULTIBOOT_MEMORY_INFO)

section .text.entry progbits alloc exec nowrite align=16
global entry32
entry32:
        mov     esp, stack_top
        push    dword EFLAGS_NONE
        popfd
        mov     esi, eax
        mov     edi, ebx                ; preserved across CPUID

        check_cpuid refuse_no_cpuid
        mov     eax, 1
        cpuid
        test    edx, CPUID_1_EDX_CMOV
        jz      refuse

        xor     ebp, ebp
        push    ebp                     ; a return address of 0 ends a debugger's backtrace
        push    ebp
        push    edi
        push    esi
        call    kernel_main
.halt:  cli
        hlt
        jmp     .halt

        refusal no_i686_text

section .rodata
no_i686_text:
        refusal_text "32", "this 32-bit kernel needs an i686 or later (CMOV: CPUID.1:EDX bit 15)"
