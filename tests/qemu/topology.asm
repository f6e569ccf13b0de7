; SPDX-License-Identifier: MIT
; A boot sector: each processor, one after the other, writes its CPUID to the debug console (port E9H), EAX to EDX of each leaf of
; the table below. tests/qemu/topology.t starts it, and has the same table.
bits 16
org 0x7c00
%include "tests/qemu/guest.inc"

%define START 0x8000                ; the other processors' first instruction, SIPI vector 8
%define FW_CFG 0x510                ; QEMU's configuration: the selector, and the data at the next port
%define FW_CFG_NB_CPUS 5

%macro wait_us 1                   ; about as many microseconds: a read of a port takes one
    mov cx, %1
%%again:
    in al, 0x80
    loop %%again
%endmacro

    xor ax, ax
    mov ds, ax
    mov es, ax
    mov si, jump
    mov di, START
    mov cx, processor - jump
    rep movsb
    mov ecx, 0x1b                   ; IA32_APIC_BASE: x2APIC mode
    rdmsr
    or ah, 0xc
    wrmsr
    mov dx, FW_CFG
    mov ax, FW_CFG_NB_CPUS
    out dx, ax
    inc dx
    in al, dx
    mov [waited_for], al
    write_msr 0x830, 0xc4500        ; INIT and two SIPIs to all others, as in SDM Vol. 3A (253668-083), "MP Initialization"
    wait_us 10000
    write_msr 0x830, 0xc4600 | START >> 12
    wait_us 200
    write_msr 0x830, 0xc4600 | START >> 12
    jmp processor

jump:
    jmp 0:processor
processor:
    xor ax, ax
    mov ds, ax
.wait:
    pause
    lock bts word [taken], 0
    jc .wait
    mov si, leaves
.leaf:
    mov eax, [si]
    mov ecx, [si + 4]
    cpuid
    mov [answer], eax
    mov [answer + 4], ebx
    mov [answer + 8], ecx
    mov [answer + 12], edx
    lea di, [si + 8]
    mov si, answer
    mov cx, 16
    mov dx, 0xe9
    rep outsb
    mov si, di
    cmp si, leaves.end
    jne .leaf
    dec byte [waited_for]
    mov word [taken], 0             ; keeps the flags
    jnz .halt
    mov dx, 0xf4
    mov al, 0x10                    ; the exit device's pass
    out dx, al
.halt:
    hlt
    jmp .halt

taken:      dw 0
waited_for: db 0
leaves:
    dd 0x00, 0
    dd 0x01, 0
    dd 0x02, 0
    dd 0x04, 0, 0x04, 1, 0x04, 2, 0x04, 3, 0x04, 4
    dd 0x07, 0
    dd 0x0b, 0, 0x0b, 1, 0x0b, 2
    dd 0x1a, 0
    dd 0x1f, 0, 0x1f, 1, 0x1f, 2
    dd 0x80000000, 0, 0x80000008, 0
.end:
answer:     times 16 db 0

boot_sector_end
