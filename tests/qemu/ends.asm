; SPDX-License-Identifier: MIT
; A kernel that prints a text without a newline, and then ends as the first letter of its command line says. It has no
; interrupt descriptor table, so that an exception is a triple fault.
bits 32
%include "tests/qemu/guest.inc"

pvh_entry
start:
    lidt [no_table]
    mov esi, text
    mov dx, 0x3f8
next:
    lodsb
    out dx, al
    test al, al
    jnz next
    mov eax, [ebx + 24]             ; the command line
    mov al, [eax]
    cmp al, 'w'
    je refused_write
    cmp al, 'r'
    je refused_read
    cmp al, 'u'
    je undefined
    cmp al, 'c'
    je reset_control
    cmp al, 'k'
    je keyboard
    jmp $                           ; goes on

refused_write:                      ; a reserved bit of IA32_PERFEVTSEL1
    mov ecx, 0x187
    xor eax, eax
    mov edx, 0x10000
    wrmsr
refused_read:                       ; IA32_PMC5, which Skylake lacks
    mov ecx, 0xc6
    rdmsr
undefined:
    ud2
reset_control:
    mov dx, 0xcf9
    mov al, 6
    out dx, al
    jmp $
keyboard:
    mov al, 0xfe
    out 0x64, al
    jmp $

section .data
no_table: dw 0
    dd 0
text: db `guest:\0`
