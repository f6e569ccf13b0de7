; SPDX-License-Identifier: MIT
; A guest whose page table for the DS area and buffers is not memory but the local APIC's registers. A page walk reads the
; device, and QEMU aborts if that happens in the middle of a block without an access there in the translated code. The guest
; traces branches and samples instructions over a loop too long for the model's ring of blocks. One sample is due in the middle
; of a block. The records must be where the registers say. Then the buffer's entry is not present, and the records are lost;
; afterwards records are written again.
bits 32
%include "tests/qemu/guest.inc"

PTE_P      equ 1 << 0
PTE_RW     equ 1 << 1
PTE_A      equ 1 << 5
PTE_D      equ 1 << 6
PTE_PS     equ 1 << 7
CR0_PG     equ 1 << 31
CR4_PSE    equ 1 << 4

REGISTERS     equ 0xfee00000
SPURIOUS      equ 0xf0
PRIORITY      equ 0x080
EOI           equ 0x0b0
COMMAND       equ 0x300
COMMAND_HIGH  equ 0x310                 ; COMMAND_HIGH and TIMER_INITIAL keep any 32 bits; the timer's interrupt is masked
LVT_PMI       equ 0x340
TIMER_INITIAL equ 0x380

TABLE     equ 0x40000000                ; the addresses that the device's table maps
AREA      equ TABLE + TIMER_INITIAL / 4 * 0x1000
BTS_BASE  equ AREA + 0x100
PEBS_BASE equ TABLE + COMMAND_HIGH / 4 * 0x1000
NOWHERE   equ TABLE                     ; at 0 there is no register, and QEMU's APIC reads as 0

VECTOR  equ 0x41
ENTRIES equ 150                         ; of BTS records, 24 bytes each, in the rest of AREA's page
ROUNDS  equ 9000
PERIOD  equ 5000                        ; instructions before each recorded one
RECORD  equ 200
RECORDS equ 4 * ROUNDS / (PERIOD + 1)

%assign check 0x10                      ; the exit device's pass
%macro must_be 2                        ; an address, the doubleword there
%assign check check + 1
        mov     al, check
        cmp     dword [%1], %2
        jne     leave
%endmacro

pvh_entry
start:
        mov     esp, stack
        mov     al, 0xff                ; the firmware leaves the timer's interrupt enabled
        out     0x21, al
        out     0xa1, al
        mov     dword [REGISTERS + SPURIOUS], 0x1ff
        mov     dword [REGISTERS + PRIORITY], 0x30
        mov     dword [REGISTERS + LVT_PMI], 0x20 ; never delivered
        mov     dword [REGISTERS + TIMER_INITIAL], page_1 + (PTE_P | PTE_RW | PTE_A | PTE_D)
        mov     dword [REGISTERS + COMMAND_HIGH], page_2 + (PTE_P | PTE_RW | PTE_A | PTE_D)
        mov     dword [directory], PTE_P | PTE_RW | PTE_A | PTE_D | PTE_PS
        mov     dword [directory + TABLE / 0x400000 * 4], REGISTERS | PTE_P | PTE_RW | PTE_A
        mov     dword [directory + REGISTERS / 0x400000 * 4], (REGISTERS & 0xffc00000) | PTE_P | PTE_RW | PTE_A | PTE_D | PTE_PS
        mov     eax, interrupt
        mov     [idt + VECTOR * 8], ax
        mov     [idt + VECTOR * 8 + 2], cs
        mov     ax, 0x8e00              ; an interrupt gate
        mov     [idt + VECTOR * 8 + 4], eax
        lidt    [idt_pointer]
        mov     eax, directory
        mov     cr3, eax
        mov     eax, cr4
        or      eax, CR4_PSE
        mov     cr4, eax
        mov     eax, cr0
        or      eax, CR0_PG
        mov     cr0, eax

        mov     eax, BTS_BASE
        call    run
        call    look

        mov     eax, NOWHERE
        call    run
        must_be page_1 + 0x00, NOWHERE

        mov     edi, page_1
        mov     ecx, 0x2000 / 4
        xor     eax, eax
        rep     stosd
        mov     eax, BTS_BASE
        call    run
        call    look
        mov     al, 0x10
leave:
        out     EXIT_PORT, al
        hlt

; Runs the loop with branches recorded at EAX and a PEBS record after each PERIOD instructions.
run:
        mov     [AREA + 0x00], eax
        mov     [AREA + 0x08], eax
        add     eax, 24 * ENTRIES
        mov     [AREA + 0x10], eax
        add     eax, 24
        mov     [AREA + 0x18], eax      ; circular
        mov     dword [AREA + 0x20], PEBS_BASE
        mov     dword [AREA + 0x28], PEBS_BASE
        mov     dword [AREA + 0x30], PEBS_BASE + RECORD * (RECORDS + 2)
        mov     dword [AREA + 0x38], PEBS_BASE + RECORD * RECORDS ; the last record is due in the middle of a block
        mov     dword [AREA + 0x40], -PERIOD
        mov     dword [AREA + 0x44], -1
        write_msr 0x38f, 0              ; IA32_PERF_GLOBAL_CTRL
        mov     ecx, 0x390              ; IA32_PERF_GLOBAL_OVF_CTRL: the buffer's bit and the counter's
        mov     eax, 1
        mov     edx, 1 << 30
        wrmsr
        write_msr 0x600, AREA           ; IA32_DS_AREA
        write_msr 0x0c1, -PERIOD        ; IA32_PMC0
        write_msr 0x186, 0x4300c0       ; IA32_PERFEVTSEL0: INST_RETIRED
        write_msr 0x3f1, 1              ; IA32_PEBS_ENABLE
        write_msr 0x38f, 1
        write_msr 0x1d9, 0xc0           ; IA32_DEBUGCTL: TR, BTS
        mov     eax, cr3
        mov     cr3, eax                ; empties the TLB
        mov     eax, [REGISTERS + SPURIOUS] ; an access to a device in the middle of a block
        mov     dword [REGISTERS + COMMAND], 0x40000 + VECTOR ; to itself
        mov     eax, cr3
        mov     cr3, eax
        sti
        nop                             ; the interrupt arrives after it
        cli
        nop                             ; twelve instructions from CR3 to here, with the handler's
        mov     ecx, ROUNDS
again:
        dec     ecx
        nop
        nop
back:
        jnz     again
        mov     ecx, 0x1d9
        xor     eax, eax
        wrmsr
        mov     ecx, 0x38f
        wrmsr
        ret

interrupt:
        mov     dword [REGISTERS + EOI], 0
        iretd

; Checks that memory has exactly the expected records.
look:
        must_be page_1 + 0x08, BTS_BASE + 24 * ((ROUNDS - 1 + 2) % ENTRIES)
        must_be page_1 + 0x28, PEBS_BASE + RECORD * RECORDS
        mov     edi, page_1 + (BTS_BASE - AREA)
        mov     esi, ENTRIES
.branch:
        must_be edi + 0x00, back
        must_be edi + 0x04, 0
        must_be edi + 0x08, again
        must_be edi + 0x0c, 0
        add     edi, 24
        dec     esi
        jnz     .branch
        must_be edi, 0
        mov     edi, page_2
        mov     esi, back
.sample:                                ; PERIOD + 1 = 1 mod 4: each sample is one instruction further in the loop of four
        must_be edi + 0xb0, esi
        inc     esi
        cmp     esi, back
        jbe     .next
        mov     esi, again
.next:
        add     edi, RECORD
        cmp     edi, page_2 + RECORD * RECORDS
        jb      .sample
        must_be edi, 0
        ret

idt_pointer:
        dw      (VECTOR + 1) * 8 - 1
        dd      idt

section .bss
alignb 4096
directory: resb 4096
idt:    resb    4096
page_1: resb    4096
page_2: resb    4096
        resb    4096
stack:

section .note.GNU-stack noalloc noexec nowrite progbits
