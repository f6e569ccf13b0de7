; SPDX-License-Identifier: MIT
;
; A Linux program for a 32-bit kernel with known branches and instructions: tests/linux/run32 reads its labels.
;   no argument       20000 rounds
;   one argument      500 rounds

ROUNDS_MANY   equ 20000
ROUNDS_FEW    equ 500

SYS_EXIT      equ 1

global _start, call_outer, jump_even, even, jump_indirect, target, jump_round, finish
global outer, call_inner, outer_return, inner, inner_return

section .text
_start:
    mov ebx, ROUNDS_MANY
    cmp dword [esp], 1          ; argc
    je call_outer
    mov ebx, ROUNDS_FEW
call_outer:
    call outer
    test bl, 1
jump_even:
    jz even
    nop
even:
    mov edx, target
    mov [stored], ebx
jump_indirect:
    jmp edx
    ud2
target:
    dec ebx
jump_round:
    jnz call_outer
finish:
    mov eax, SYS_EXIT
    xor ebx, ebx
    int 0x80

outer:
call_inner:
    call inner
outer_return:
    ret
inner:
    nop
inner_return:
    ret

section .bss
stored: resd 1
