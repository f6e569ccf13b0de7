; SPDX-License-Identifier: MIT
; A boot sector in 16-bit real mode, with a code segment that does not begin at 0: records must have linear addresses.
; The guest samples each 11th instruction and traces branches over a loop, and checks the records in memory itself.
bits 16
org 0
%include "tests/qemu/guest.inc"

%define SEGMENT    0x7c0
%define LINEAR(at) (SEGMENT * 16 + (at))
%define AREA       0x8000
%define BTS        0x9000
%define PEBS       0xa000
%define ROUNDS     20
%define RECORDS    ((4 * ROUNDS + 3) / 11) ; four instructions a round, and three around the loop; a record every 11

%macro must_be 2                    ; a linear address, the doubleword there
    cmp dword [es:%1], %2
    jne fail
%endmacro

    jmp SEGMENT:start
start:
    cli                             ; the firmware's timer would add branches and instructions
    xor ax, ax
    mov ss, ax
    mov sp, 0x7000
    mov es, ax
    mov di, AREA
    mov cx, (PEBS + 0x1000 - AREA) / 2
    rep stosw
    mov dword [es:AREA + 0x00], BTS
    mov dword [es:AREA + 0x08], BTS
    mov dword [es:AREA + 0x10], BTS + 24 * 8
    mov dword [es:AREA + 0x18], BTS + 24 * 9 ; circular
    mov dword [es:AREA + 0x20], PEBS
    mov dword [es:AREA + 0x28], PEBS
    mov dword [es:AREA + 0x30], PEBS + 200 * 8
    mov dword [es:AREA + 0x38], PEBS + 200 * 8
    mov dword [es:AREA + 0x40], -10
    mov dword [es:AREA + 0x44], -1

    write_msr 0x38f, 0              ; IA32_PERF_GLOBAL_CTRL
    write_msr 0x600, AREA           ; IA32_DS_AREA
    write_msr 0x0c1, -10            ; IA32_PMC0
    write_msr 0x186, 0x4300c0       ; IA32_PERFEVTSEL0: INST_RETIRED
    write_msr 0x3f1, 1              ; IA32_PEBS_ENABLE
    write_msr 0x1d9, 0xc0           ; IA32_DEBUGCTL: TR, BTS
    write_msr 0x38f, 1
    mov cx, ROUNDS
again:
    nop
    nop
    nop
back:
    loop again
    mov ecx, 0x38f
    xor eax, eax
    wrmsr
    mov ecx, 0x1d9
    wrmsr

    must_be AREA + 0x08, BTS + 24 * ((ROUNDS - 1) % 8)
    must_be BTS + 0x00, LINEAR(back)
    must_be BTS + 0x04, 0
    must_be BTS + 0x08, LINEAR(again)
    must_be AREA + 0x28, PEBS + 200 * RECORDS
    must_be PEBS + 0x08, LINEAR(again + 2)      ; after the 11th instruction: MOV CX, two rounds and two NOPs
    must_be PEBS + 0xb0, LINEAR(again + 1)
    must_be PEBS + 0x20, ROUNDS - 2             ; RCX then
    mov al, 0x10                                ; the exit device's pass
    jmp leave
fail:
    mov al, 0x11
leave:
    mov dx, 0xf4
    out dx, al
    hlt

boot_sector_end
