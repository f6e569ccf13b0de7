; SPDX-License-Identifier: MIT
; The kernel's entry: 32-bit protected mode, paging off, eax = magic, ebx = information (boot/boot_info.h). Enters long
; mode on its own page tables and calls kernel_main(magic, info). Without long mode, prints an error and a verdict.

%include "version.inc"
%include "arch/x86/refuse.inc"

extern kernel_main
extern stack_top

PVH_NOTE_PHYS32_ENTRY equ 18
EFLAGS_NONE equ 1 << 1                  ; bit 1 is always set

CR0_PE  equ 1 << 0
CR0_PG  equ 1 << 31
CR4_PAE equ 1 << 5
MSR_EFER equ 0xc0000080
EFER_LME equ 1 << 8

PAGE_PRESENT equ 1 << 0
PAGE_WRITE   equ 1 << 1
PAGE_LARGE   equ 1 << 7

section .note.Xen note align=4
        dd      4, 4, PVH_NOTE_PHYS32_ENTRY
        db      "Xen", 0
        dd      entry32

section .text.entry progbits alloc exec nowrite align=16
bits 32
global entry32
entry32:
        mov     esp, stack_top
        push    dword EFLAGS_NONE
        popfd
        mov     esi, eax
        mov     edi, ebx                ; preserved across CPUID

        check_cpuid refuse_no_cpuid
        mov     eax, 0x80000000
        cpuid
        cmp     eax, 0x80000001
        jb      refuse
        mov     eax, 0x80000001
        cpuid
        bt      edx, 29
        jnc     refuse

        ; the first 4 GiB, identity-mapped in 2 MiB pages; kernel_main builds the final tables
        mov     eax, boot_pdpt + PAGE_PRESENT + PAGE_WRITE
        mov     [boot_pml4], eax
        mov     eax, boot_pd + PAGE_PRESENT + PAGE_WRITE
        xor     ecx, ecx
.pdpt:  mov     [boot_pdpt + ecx * 8], eax
        add     eax, 0x1000
        inc     ecx
        cmp     ecx, 4
        jb      .pdpt
        mov     eax, PAGE_PRESENT + PAGE_WRITE + PAGE_LARGE
        xor     ecx, ecx
.pd:    mov     [boot_pd + ecx * 8], eax
        add     eax, 0x200000
        inc     ecx
        cmp     ecx, 4 * 512
        jb      .pd

        mov     eax, cr4
        or      eax, CR4_PAE
        mov     cr4, eax
        mov     eax, boot_pml4
        mov     cr3, eax
        mov     ecx, MSR_EFER
        rdmsr
        or      eax, EFER_LME
        wrmsr
        mov     eax, cr0
        or      eax, CR0_PE | CR0_PG
        mov     cr0, eax
        lgdt    [boot_gdt_pointer]
        jmp     8:entry64

        refusal no_long_mode_text

bits 64
entry64:
        mov     rsp, stack_top
        xor     ebp, ebp
        push    rbp                     ; a return address of 0 ends a debugger's backtrace
        push    rbp
        mov     eax, edi
        mov     edi, esi
        mov     esi, eax
        call    kernel_main
.halt:  cli
        hlt
        jmp     .halt

section .rodata
no_long_mode_text:
        refusal_text "64", "this 64-bit kernel needs a processor with long mode (CPUID.80000001H:EDX bit 29)"
align 8
boot_gdt: dq    0, 0x00209a0000000000
boot_gdt_pointer: dw $ - boot_gdt - 1
        dd      boot_gdt

section .bss align=4096
global boot_pml4
boot_pml4: resb 4096
boot_pdpt: resb 4096
boot_pd:   resb 4 * 4096
