; SPDX-License-Identifier: MIT
; A guest in 64-bit mode that traces branches into a buffer of any place and size. QEMU's loader device writes the buffer's
; fields to AREA. The page tables map every canonical address: all entries of a level point to the same table, and the last
; level has the first 2 MiB.
bits 32
%include "tests/qemu/guest.inc"

AREA     equ 0x1f0000
BRANCHES equ 2000
PTE      equ 0x63                       ; P, RW, A, D
CR0_PG   equ 1 << 31
CR4_PAE  equ 1 << 5
EFER     equ 0xc0000080
EFER_LME equ 1 << 8

%macro fill 3                           ; a table, its first entry, the distance between entries
        mov     edi, %1
        mov     eax, %2 + PTE
        mov     ecx, 512
%%next: mov     [edi], eax
        add     eax, %3
        add     edi, 8
        loop    %%next
%endmacro

pvh_entry
start:
        fill    tables, tables + 0x1000, 0
        fill    tables + 0x1000, tables + 0x2000, 0
        fill    tables + 0x2000, tables + 0x3000, 0
        fill    tables + 0x3000, 0, 0x1000
        mov     eax, cr4
        or      eax, CR4_PAE
        mov     cr4, eax
        mov     eax, tables
        mov     cr3, eax
        mov     ecx, EFER
        rdmsr
        or      eax, EFER_LME
        wrmsr
        mov     eax, cr0
        or      eax, CR0_PG
        mov     cr0, eax
        lgdt    [gdt_pointer]
        jmp     8:wide

bits 64
wide:
        mov     dx, 0x3f8               ; the guest's output, without an end of the line
        mov     al, '.'
        out     dx, al
        mov     ecx, 0x600              ; IA32_DS_AREA
        mov     eax, AREA
        xor     edx, edx
        wrmsr
        mov     ecx, 0x1d9              ; IA32_DEBUGCTL: TR, BTS
        mov     eax, 0xc0
        wrmsr
        mov     ecx, BRANCHES
again:  loop    again
        mov     ecx, 0x1d9
        xor     eax, eax
        wrmsr
        mov     al, 0x10
        out     EXIT_PORT, al
        hlt

align 8
gdt:    dq      0, 0x00af9b000000ffff
gdt_pointer:
        dw      $ - gdt - 1
        dd      gdt

section .bss nobits alloc write align=4096
tables: resb    0x4000
