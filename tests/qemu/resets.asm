; SPDX-License-Identifier: MIT
; A boot sector with two processors: INIT keeps MSRs, RESET clears those of all processors. SDM Vol. 3A (253668-083), "Processor
; State After Reset". Exit 33: pass, 33 + 2N: check N failed.
bits 16
org 0x7c00

%define SELECT 0x4300c0             ; INST_RETIRED in rings 0 and 3, enabled
%define SECOND 0x8000               ; the second processor's code, SIPI vector 8
%define FOUND  0x9000               ; the value that the second processor has found, and how often it was started
%define STARTS 0x9004
%define STEP   0x7e                 ; a byte of CMOS that survives resets

%macro write_msr 3                  ; a register, its high and low halves
    mov ecx, %1
    mov edx, %2
    mov eax, %3
    wrmsr
%endmacro
%macro set_cmos 2
    mov al, %1
    out 0x70, al
    mov al, %2
    out 0x71, al
%endmacro
%macro start_second 2               ; how often it was started then, and what it must find in IA32_PERFEVTSEL0
    mov word [STARTS], %1 - 1
    write_msr 0x830, 1, 0x4500      ; INIT to APIC ID 1
    write_msr 0x830, 1, 0x4608
%%wait:
    pause
    cmp word [STARTS], %1
    jne %%wait
    mov al, 0x10 + %1
    cmp dword [FOUND], %2
    jne leave
%endmacro
%macro must_have 2                  ; the number of the check, what IA32_PERFEVTSEL0 must have
    mov ecx, 0x186
    rdmsr
    cmp eax, %2
    mov al, 0x10 + %1
    jne leave
%endmacro

    xor ax, ax
    mov ds, ax
    mov es, ax
    mov ss, ax
    mov sp, 0x7000
    mov si, second
    mov di, SECOND
    mov cx, second_end - second
    rep movsb
    mov ecx, 0x1b                   ; IA32_APIC_BASE: x2APIC mode
    rdmsr
    or ah, 0xc
    wrmsr
    mov al, STEP
    out 0x70, al
    in al, 0x71
    cmp al, 0x5a
    je after_reset

    write_msr 0x186, 0, SELECT
    start_second 1, 0
    start_second 2, SELECT
    mov word [0x467], after_init
    mov word [0x469], 0
    set_cmos 0xf, 0xa               ; firmware jumps to [0x467]
    write_msr 0x830, 0, 0x4500      ; INIT to this processor
    jmp $
after_init:
    xor ax, ax
    mov ds, ax
    must_have 3, SELECT
    set_cmos STEP, 0x5a
    mov dx, 0xcf9
    mov al, 6
    out dx, al                      ; RESET
    jmp $
after_reset:
    must_have 4, 0
    start_second 5, 0
    mov al, 0x10
leave:
    mov dx, 0xf4
    out dx, al
    hlt

second:
    xor ax, ax
    mov ds, ax
    mov ecx, 0x186
    rdmsr
    mov [FOUND], eax
    write_msr 0x186, 0, SELECT
    inc word [STARTS]
    hlt
second_end:

    times 510 - ($ - $$) db 0
    dw 0xaa55
    times 0x100000 - ($ - $$) db 0  ; firmware does not start smaller disks
