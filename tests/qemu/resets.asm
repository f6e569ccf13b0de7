; SPDX-License-Identifier: MIT
; A boot sector with two processors: INIT keeps MSRs, RESET clears those of all processors. SDM Vol. 3A (253668-083), "Processor
; State After Reset".
bits 16
org 0x7c00
%include "tests/qemu/guest.inc"

%define SELECT 0x4300c0             ; INST_RETIRED in rings 0 and 3, enabled
%define SECOND 0x8000               ; the second processor's code, SIPI vector 8
%define FOUND  0x9000               ; what it has found in IA32_PERFEVTSEL0
%define STEP   0x7e                 ; a byte of CMOS that survives resets

%macro write_msr 3                  ; a register, its high and low halves
    mov ecx, %1
    mov edx, %2
    mov eax, %3
    wrmsr
%endmacro
%macro set_cmos 2
    mov ax, %1 | %2 << 8
    out 0x70, al
    mov al, ah
    out 0x71, al
%endmacro

    xor ebx, ebx
    mov ds, bx
    mov es, bx
    mov ss, bx
    mov sp, 0x7000
    mov si, second
    mov di, SECOND
    mov cx, 64
    rep movsb
    mov ecx, 0x1b                   ; IA32_APIC_BASE: x2APIC mode
    rdmsr
    or ah, 0xc
    wrmsr
    call check
    mov al, STEP
    out 0x70, al
    in al, 0x71
    cmp al, 0x5a
    mov al, 0x10                    ; the exit device's pass
    je leave

    write_msr 0x186, 0, SELECT
    mov ebx, SELECT
    call check
    mov dword [0x467], after_init   ; where firmware goes on
    set_cmos 0xf, 0xa
    write_msr 0x830, 0, 0x4500      ; INIT to this processor
    jmp $
after_init:
    xor ax, ax
    mov ds, ax
    mov ebx, SELECT
    call check
    set_cmos STEP, 0x5a
    mov dx, 0xcf9
    mov al, 6
    out dx, al                      ; RESET
    jmp $

check:                              ; EBX: what IA32_PERFEVTSEL0 must have here, and in the second processor after INIT
    mov ecx, 0x186
    rdmsr
    cmp eax, ebx
    jne fail
    mov [FOUND], esp
    write_msr 0x830, 1, 0x4500      ; INIT to APIC ID 1
    write_msr 0x830, 1, 0x4600 | SECOND >> 12
wait_for_it:
    pause
    cmp [FOUND], esp
    je wait_for_it
    cmp [FOUND], ebx
    je passed
fail:
    mov al, 0x11
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
    hlt
passed:
    ret

boot_sector_end
