; SPDX-License-Identifier: MIT
;
; A position-independent Linux program with known branches, loads and instructions: tests/linux/run reads its labels.
;   no argument       20000 rounds, the ring inside the first level of the caches
;   one argument      500 such rounds
;   far away          3600 rounds, each load from another page of 28 MiB: no cache still has it
;   three arguments   reads a byte, and then, in a function called by `first`, makes 200 turns of 123 calls, and yields the
;                     processor after each turn
;   four arguments    the same, in a function called by `second`, called by `second_outer`

default rel

ROUNDS_MANY   equ 20000
ROUNDS_FEW    equ 500
ROUNDS_FAR    equ 3600
FAR_PAGES     equ 7168
FAR_STRIDE    equ 4096 + 64     ; each page's line is in another cache set
TURNS         equ 200
CALLS_A_TURN  equ 123

SYS_READ        equ 0
SYS_SCHED_YIELD equ 24
SYS_SCHED_SETSCHEDULER equ 144
SCHED_FIFO      equ 1
SYS_EXIT        equ 60

global _start, main, call_outer, chase, after_chase, store, jump_indirect, finish
global outer, call_inner, outer_return, inner, inner_return, first, second_outer, second, take_turns, call_leaf, leaf
global link_far_ring, near_ring, far_ring

section .text
; All code runs in a function: perf misreads empty call stacks.
_start:
    call main
    ud2

main:
    mov rcx, [rsp + 8]          ; argc
    lea rsi, [near_ring]
    mov [rsi], rsi
    mov [stored], rsi           ; without this store, calls and stores would be due at the same instruction, which
                                ; PEBS formats 1 and 2 cannot distinguish
    mov ebx, ROUNDS_MANY
    cmp ecx, 3
    je link_far_ring
    ja wait_for_a_byte
    cmp ecx, 2
    jb rounds
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
    mov [stored], rbx
jump_indirect:
    jmp rdx
    ud2
target:
    dec ebx
jump_round:
    jnz rounds
finish:
    mov eax, SYS_EXIT
    xor edi, edi
    syscall

wait_for_a_byte:
    mov ebp, ecx
    mov eax, SYS_SCHED_SETSCHEDULER   ; processes switch only when they yield
    xor edi, edi
    mov esi, SCHED_FIFO
    lea rdx, [priority]
    syscall
    xor edi, edi
    lea rsi, [stored]
    mov edx, 1
    mov eax, SYS_READ
    syscall
    cmp ebp, 4
    jne by_second
    call first
    jmp finish
by_second:
    call second_outer
    jmp finish

outer:
call_inner:
    call inner
outer_return:
    ret
inner:
    nop
inner_return:
    ret

first:
    call take_turns
    ret
second_outer:
    call second
    ret
second:
    call take_turns
    ret
take_turns:
    mov ebx, TURNS
turn:
    mov ebp, CALLS_A_TURN
call_leaf:
    call leaf
    dec ebp
    jnz call_leaf
    mov eax, SYS_SCHED_YIELD
    syscall
    dec ebx
    jnz turn
    ret
leaf:
    ret

; Links page to page, and the last one to the first.
link_far_ring:
    mov ecx, FAR_PAGES
    mov edx, FAR_STRIDE
    lea rsi, [far_ring]
    mov rdi, rsi
link:
    lea rax, [rdi + rdx]
    mov [rdi], rax
    mov rdi, rax
    dec ecx
    jnz link
    sub rdi, rdx
    mov [rdi], rsi
    mov ebx, ROUNDS_FAR
    jmp rounds

section .rodata align=4
priority: dd 1

section .bss align=4096
near_ring: resq 8
stored: resq 8
alignb 4096
far_ring: resb FAR_PAGES * FAR_STRIDE
