; SPDX-License-Identifier: MIT
;
; Usage: fifo PATH [ARGUMENT..]
;
; Runs a program with Linux's policy SCHED_FIFO, which its children inherit: only interrupts preempt it.

default rel

SYS_EXECVE             equ 59
SYS_EXIT               equ 60
SYS_SCHED_SETSCHEDULER equ 144
SCHED_FIFO             equ 1

global _start

section .text
_start:
    mov eax, SYS_SCHED_SETSCHEDULER
    xor edi, edi
    mov esi, SCHED_FIFO
    lea rdx, [priority]
    syscall
    test eax, eax
    jnz failed
    mov rcx, [rsp]              ; argc; after the arguments and a null comes the environment
    mov rdi, [rsp + 16]
    lea rsi, [rsp + 16]
    lea rdx, [rsp + 8 * rcx + 16]
    mov eax, SYS_EXECVE
    syscall
failed:
    mov edi, 127
    mov eax, SYS_EXIT
    syscall

section .rodata align=4
priority: dd 1
