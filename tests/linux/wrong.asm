; SPDX-License-Identifier: MIT
;
; A driver full of mistakes: writes wrong values to processor 0's registers through Linux's msr module, step by step. For each
; step it prints the name and "done", or "refused" if WRMSR faulted. tests/linux/run has the expected violations. At the end
; IA32_DS_AREA has its original value.

default rel

SYS_WRITE    equ 1
SYS_OPEN     equ 2
SYS_PREAD64  equ 17
SYS_PWRITE64 equ 18
SYS_EXIT     equ 60
O_RDWR       equ 2
EIO          equ 5

IA32_PERFEVTSEL0      equ 0x186
IA32_DEBUGCTL         equ 0x1d9
IA32_FIXED_CTR_CTRL   equ 0x38d
IA32_PERF_GLOBAL_CTRL equ 0x38f
IA32_PEBS_ENABLE      equ 0x3f1
IA32_DS_AREA          equ 0x600
X2APIC_LVTPC          equ 0x834

BTS_ON         equ 0x2c0        ; TR, BTS, BTS_OFF_OS
BTINT          equ 0x100
CYCLES_OF_USER equ 0x41003c     ; not a precise event
LVT_NMI        equ 0x400
LVT_MASKED     equ 0x10000

BTS_RECORD  equ 24
PEBS_RECORD equ 200

; %1 base of the BTS buffer
%macro area 1
    dq %1, %1, %1 + BTS_RECORD * 100, %1 + BTS_RECORD * 90
    dq pebs_buffer, pebs_buffer, pebs_buffer + PEBS_RECORD * 20, pebs_buffer + PEBS_RECORD * 10
    times 8 dq -1000
%endmacro

; %1 name, %2 register, %3 value
%macro step 3
    dq %2, %3
    db %1, 0
    align 64, db 0
%endmacro

global _start
section .text
_start:
    lea rdi, [device]
    mov esi, O_RDWR
    mov eax, SYS_OPEN
    syscall
    mov r12d, eax
    mov eax, SYS_PREAD64
    mov ebx, IA32_DS_AREA
    lea rsi, [ds_area_before]
    call access
    mov byte [bts_buffer], 0    ; a page is not present before the first write to it
    mov byte [pebs_buffer], 0
    lea rbp, [steps]
next:
    mov eax, SYS_PWRITE64
    mov ebx, [rbp]
    lea rsi, [rbp + 8]
    call access
    lea r13, [done]
    cmp rax, 8
    je answered
    lea r13, [refused]
    cmp rax, -EIO
    je answered
    lea r13, [failed]
answered:
    lea rsi, [rbp + 16]
    call print
    mov rsi, r13
    call print
    add rbp, 64
    lea rax, [steps_end]
    cmp rbp, rax
    jb next
    mov eax, SYS_PWRITE64
    mov ebx, IA32_DS_AREA
    lea rsi, [ds_area_before]
    call access
    mov eax, SYS_EXIT
    xor edi, edi
    syscall

; eax: the system call. ebx: the register. rsi: the address of its value. Returns rax.
access:
    mov edi, r12d
    mov edx, 8
    mov r10d, ebx
    syscall
    ret

; rsi: text that ends with a zero.
print:
    xor edx, edx
length:
    cmp byte [rsi + rdx], 0
    je found
    inc edx
    jmp length
found:
    mov eax, SYS_WRITE
    mov edi, 1
    syscall
    ret

align 64
area_in_code: area bts_buffer

section .data align=64
area_in_data: area bts_buffer
align 64
area_of_odd_buffer: area bts_buffer + 2

align 64
steps:
    step 'area not canonical', IA32_DS_AREA, 0x800000000000
    step 'reserved bit of PEBS enable', IA32_PEBS_ENABLE, 1 << 20
    step 'reserved bit of DEBUGCTL', IA32_DEBUGCTL, 1 << 16
    step 'reserved bit of global control', IA32_PERF_GLOBAL_CTRL, 1 << 60
    step 'reserved bit of fixed control', IA32_FIXED_CTR_CTRL, 1 << 60
    step 'reserved bit of event select', IA32_PERFEVTSEL0, 1 << 40
    step 'area at 0', IA32_DS_AREA, 0
    step 'BTS into it', IA32_DEBUGCTL, BTS_ON
    step 'BTS off', IA32_DEBUGCTL, 0
    step 'unmapped area', IA32_DS_AREA, 0xfffff00000000000
    step 'BTS into it', IA32_DEBUGCTL, BTS_ON
    step 'BTS off', IA32_DEBUGCTL, 0
    step 'area in code', IA32_DS_AREA, area_in_code
    step 'BTS into it', IA32_DEBUGCTL, BTS_ON
    step 'BTS off', IA32_DEBUGCTL, 0
    step 'buffer misaligned', IA32_DS_AREA, area_of_odd_buffer
    step 'BTS into it', IA32_DEBUGCTL, BTS_ON
    step 'BTS off', IA32_DEBUGCTL, 0
    step 'LVTPC masked', X2APIC_LVTPC, LVT_NMI | LVT_MASKED
    step 'area of the user', IA32_DS_AREA, area_in_data
    step 'BTS with interrupts', IA32_DEBUGCTL, BTS_ON | BTINT
    step 'BTS off', IA32_DEBUGCTL, 0
    step 'LVTPC open', X2APIC_LVTPC, LVT_NMI
    step 'an event that is not precise', IA32_PERFEVTSEL0, CYCLES_OF_USER
    step 'counters on', IA32_PERF_GLOBAL_CTRL, 1
    step 'PEBS of it', IA32_PEBS_ENABLE, 1
    step 'counters off', IA32_PERF_GLOBAL_CTRL, 0
    step 'PEBS off', IA32_PEBS_ENABLE, 0
steps_end:

section .rodata
device: db '/dev/cpu/0/msr', 0
done: db ': done', 10, 0
refused: db ': refused', 10, 0
failed: db ': failed', 10, 0

section .bss align=4096
bts_buffer: resb 4096
pebs_buffer: resb 4096
ds_area_before: resq 1
