; SPDX-License-Identifier: MIT
; A guest that sets states which firmware may leave, and then enters the kernel, which QEMU's device `loader` has put into
; memory. scripts/machine --firmware chooses the states, as a mask at DEEDS. Linked with the symbols of the kernel.

%include "tests/qemu/guest.inc"
extern entry32

DEEDS equ 0x2fff000                     ; the same in scripts/machine

X2APIC   equ 1 << 0                     ; put the local APIC in x2APIC mode
LVT      equ 1 << 1                     ; unmask its LVT entries (vectors from 50H on, the timer's EBH), start the timer
PENDING  equ 1 << 2                     ; leave interrupts pending: vectors 45H, ECH and FFH
SERVICE  equ 1 << 3                     ; leave an interrupt of vector F5H in service, without an EOI
DEVICE   equ 1 << 4                     ; let the PIT interrupt 18 times a second, vector EEH, through the I/O APIC
NO_BASE  equ 1 << 5                     ; move the APIC's registers to address 0
NO_FADT  equ 1 << 6                     ; hide the FADT, and with it the power management timer
ABSENT   equ 1 << 7                     ; list processors that could be hot-plugged (-smp 2,maxcpus=4) as enabled

TABLES_START equ 0xff00000              ; where SeaBIOS puts them in a machine of 256 MiB
TABLES_END   equ 0x10000000

IA32_APIC_BASE equ 0x1b
BASE_X2APIC    equ 1 << 10
BASE_ENABLE    equ 1 << 11
MSR_X2APIC     equ 0x800
REGISTERS      equ 0xfee00000
IOAPIC_SELECT  equ 0xfec00000
IOAPIC_WINDOW  equ 0xfec00010

APIC_SPURIOUS      equ 0xf0
APIC_COMMAND       equ 0x300
APIC_LVT_TIMER     equ 0x320
APIC_LVT_THERMAL   equ 0x330
APIC_LVT_PMI       equ 0x340
APIC_LVT_LINT0     equ 0x350
APIC_LVT_LINT1     equ 0x360
APIC_LVT_ERROR     equ 0x370
APIC_TIMER_INITIAL equ 0x380
APIC_TIMER_DIVIDE  equ 0x3e0
MASKED   equ 1 << 16
SELF     equ 1 << 18 | 1 << 14
PERIODIC equ 1 << 17
EXTINT   equ 7 << 8

; apic REGISTER, VALUE
%macro apic 2
        mov     ecx, %1
        mov     eax, %2
        call    write_apic
%endmacro

bits 32
pvh_entry
start:  mov     esp, stack
        mov     al, 0xff                ; no interrupt from the old controllers
        out     0x21, al
        out     0xa1, al
        mov     esi, [DEEDS]

        test    esi, X2APIC
        jz      .x2apic
        mov     dword [REGISTERS + APIC_LVT_PMI], MASKED | 0x51
        mov     ecx, IA32_APIC_BASE
        rdmsr
        or      eax, BASE_X2APIC | BASE_ENABLE
        wrmsr
        mov     ecx, MSR_X2APIC + APIC_LVT_PMI / 16
        rdmsr
        cmp     eax, MASKED | 0x51      ; the switch keeps registers: SDM Vol. 3A (253668-081), "x2APIC State Transitions"
        je      .x2apic
        ud2                             ; without an IDT, the machine is reset
.x2apic:
        apic    APIC_SPURIOUS, 0x1ff

        test    esi, SERVICE
        jz      .service
        mov     eax, handler
        mov     [idt.gate], ax
        mov     word [idt.gate + 2], cs
        mov     dword [idt.gate + 4], 0x8e00
        shr     eax, 16
        mov     [idt.gate + 6], ax
        lidt    [idt_pointer]
        apic    APIC_COMMAND, SELF | 0xf5
        sti
        mov     ecx, 1000
.wait:  pause
        loop    .wait
        cli
.service:
        test    esi, LVT
        jz      .lvt
        apic    APIC_LVT_THERMAL, 0x50
        apic    APIC_LVT_PMI, 0x51
        apic    APIC_LVT_LINT0, EXTINT
        apic    APIC_LVT_LINT1, 0x52
        apic    APIC_LVT_ERROR, 0x53
        apic    APIC_TIMER_DIVIDE, 0xb
        apic    APIC_LVT_TIMER, PERIODIC | 0xeb
        apic    APIC_TIMER_INITIAL, 1000000
.lvt:
        test    esi, PENDING
        jz      .pending
        apic    APIC_COMMAND, SELF | 0x45
        apic    APIC_COMMAND, SELF | 0xec
        apic    APIC_COMMAND, SELF | 0xff
.pending:
        test    esi, DEVICE
        jz      .device
        mov     dword [IOAPIC_SELECT], 0x14     ; pin 2, the PIT's: fixed, edge, unmasked, to APIC ID 0
        mov     dword [IOAPIC_WINDOW], 0xee
        mov     dword [IOAPIC_SELECT], 0x15
        mov     dword [IOAPIC_WINDOW], 0
.device:
        test    esi, NO_BASE
        jz      .no_base
        mov     ecx, IA32_APIC_BASE
        rdmsr
        and     eax, 0xfff
        xor     edx, edx
        wrmsr
.no_base:
        test    esi, NO_FADT
        jz      .no_fadt
        mov     edi, TABLES_START
.table: cmp     dword [edi], 'FACP'
        jne     .next
        mov     byte [edi], 'X'
.next:  inc     edi
        cmp     edi, TABLES_END - 4
        jb      .table
.no_fadt:
        test    esi, ABSENT
        jz      .absent
        mov     edi, TABLES_START
.madt:  inc     edi
        cmp     edi, TABLES_END - 4
        jae     .absent
        cmp     dword [edi], 'APIC'
        jne     .madt
        cmp     byte [edi + 8], 5       ; the table's revision: the code here has no such byte
        ja      .madt
        mov     ecx, [edi + 4]          ; its length
        lea     edx, [edi + 44]         ; its entries
        add     ecx, edi
.entry: cmp     edx, ecx
        jae     .sum
        cmp     byte [edx], 0           ; a local APIC: 4 bytes, then its flags
        jne     .other
        or      byte [edx + 4], 1
.other: movzx   eax, byte [edx + 1]
        add     edx, eax
        jmp     .entry
.sum:   mov     byte [edi + 9], 0       ; the sum of all bytes must be 0
        xor     eax, eax
        mov     edx, edi
.byte:  sub     al, [edx]
        inc     edx
        cmp     edx, ecx
        jb      .byte
        mov     [edi + 9], al
.absent:
        push    dword entry32
        ret                             ; ebx: the information of PVH

; Writes eax to the register with offset ecx, in either mode.
write_apic:
        push    eax
        push    ecx
        mov     ecx, IA32_APIC_BASE
        rdmsr
        test    eax, BASE_X2APIC
        pop     ecx
        pop     eax
        jnz     .msr
        mov     [REGISTERS + ecx], eax
        ret
.msr:   xor     edx, edx
        shr     ecx, 4
        add     ecx, MSR_X2APIC
        wrmsr
        ret

handler:
        iretd

section .data
idt_pointer:
        dw      idt.end - idt - 1
        dd      idt

section .bss
align 8
idt:    resb    0xf5 * 8
.gate:  resb    8
.end:
        resb    4096
stack:

section .note.GNU-stack noalloc noexec nowrite progbits
