; SPDX-License-Identifier: MIT
;
; A Linux program whose every branch, load and instruction is known: tests/linux/check reads the labels.
;   no argument     20000 rounds, the ring inside the first level of the caches
;   one argument    500 rounds of the same
;   two arguments   12000 rounds, each load from another page of 64 MiB, which no cache has held since the kernel
;                   cleared the pages

default rel

ROUNDS_MANY equ 20000
ROUNDS_FEW  equ 500
ROUNDS_FAR  equ 12000
FAR_PAGES   equ 16384
FAR_STRIDE  equ 4096 + 64       ; each page's line in another set

global _start, main, call_outer, chase, after_chase, store, jump_indirect
global outer, call_inner, outer_return, inner, inner_return, link_far_ring, near_ring, far_ring

section .text
; Everything runs in a function: perf misreads call stacks without any entry.
_start:
    call main
    ud2

main:
    mov rcx, [rsp + 8]          ; the number of arguments, the program's name included
    lea rsi, [near_ring]
    mov ebx, ROUNDS_MANY
    cmp ecx, 2
    jb rounds
    jne link_far_ring
    mov ebx, ROUNDS_FEW

rounds:
call_outer:
    call outer
    test bl, 1
jump_even:
    jz even
    nop
even:
chase:
    mov rsi, [rsi]
after_chase:
    lea rdx, [target]
store:
    mov [rel stored], rbx
jump_indirect:
    jmp rdx
    ud2
target:
    dec ebx
jump_round:
    jnz rounds
finish:
    mov eax, 60                 ; exit
    xor edi, edi
    syscall

outer:
call_inner:
    call inner
outer_return:
    ret
inner:
    nop
inner_return:
    ret

; Links page to page.
link_far_ring:
    lea rsi, [far_ring]
    mov ecx, FAR_PAGES
    mov rdi, rsi
link:
    lea rax, [rdi + FAR_STRIDE]
    mov [rdi], rax
    mov rdi, rax
    dec ecx
    jnz link
    mov ebx, ROUNDS_FAR
    jmp rounds

section .data align=64
near_ring: dq near_ring
stored: dq 0

section .bss align=4096
far_ring: resb FAR_PAGES * FAR_STRIDE
