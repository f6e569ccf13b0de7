; SPDX-License-Identifier: MIT
;
; A guest of its own for measuring what the model costs: a branchy integer loop, about six instructions a branch, with data-dependent
; conditions, calls, returns, an indirect jump, a table in memory. The kernel is not involved.
;
;   nasm -f elf64 branchy.asm -o branchy.o && ld -static -nostdlib -z noexecstack -Ttext=0x200000 -e start branchy.o -o branchy.elf
;   qemu-system-x86_64 -M q35 -cpu max -nodefaults -display none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 \
;       -kernel branchy.elf -append "mode=bts count=10"
;
; mode=plain|idle  the loop alone (plain is meant for a run without the model, idle for one with it)
; mode=bts         every branch into a circular BTS buffer
; mode=lbr         the LBR stack on
; mode=count       one counter counts instructions, and does not overflow
; mode=pebs        a PEBS record every 1000th instruction, the buffer emptied from the PMI
; count=N          N million turns of the loop, 12 branches each (default 10; 0: none)
;
; Ends through port f4h: 10h when it ran as asked, 11h when the machine did not do what the mode needs (QEMU's status 33, 35).

%define PAGE_TABLES   0x300000
%define DS_AREA       0x310000
%define BTS_BUFFER    0x320000
%define BTS_RECORDS   2048
%define PEBS_BUFFER   0x340000
%define PEBS_RECORDS  256
%define TABLE         0x360000
%define STACK_TOP     0x380000
%define IDT           0x390000

%define MSR_APIC_BASE    0x1b
%define MSR_PMC0         0xc1
%define MSR_EVTSEL0      0x186
%define MSR_DEBUGCTL     0x1d9
%define MSR_LBR_TOS      0x1c9
%define MSR_GLOBAL_CTRL  0x38f
%define MSR_OVF_CTRL     0x390
%define MSR_PEBS_ENABLE  0x3f1
%define MSR_DS_AREA      0x600
%define MSR_EFER         0xc0000080

%define LVTPC            0xfee00340
%define EOI              0xfee000b0
%define SVR              0xfee000f0
%define PMI_VECTOR       0x40
%define PERIOD           1000

%macro write_msr 2 ; MSR, 64-bit constant
        mov     ecx, %1
        mov     rax, %2
        mov     rdx, rax
        shr     rdx, 32
        wrmsr
%endmacro

section .note note alloc noexec nowrite align=4
        dd      4, 4, 18 ; XEN_ELFNOTE_PHYS32_ENTRY
        db      "Xen", 0
        dd      start

section .text
bits 32
global start
start: ; ebx: hvm_start_info, whose command line address stands at +24
        mov     esp, STACK_TOP
        mov     esi, [ebx + 24]
        call    parse_options

        ; Long mode with the first 2 MiB x 512 and the APIC's gigabyte identity-mapped by 2 MiB pages, accessed and dirty.
        mov     edi, PAGE_TABLES
        xor     eax, eax
        mov     ecx, 6 * 1024
        rep stosd
        mov     dword [PAGE_TABLES], PAGE_TABLES + 0x1000 + 3
        mov     dword [PAGE_TABLES + 0x1000], PAGE_TABLES + 0x2000 + 3
        mov     dword [PAGE_TABLES + 0x1000 + 3 * 8], PAGE_TABLES + 0x3000 + 3
        mov     eax, 0xe3
        mov     edi, PAGE_TABLES + 0x2000
        mov     ecx, 512
.low:   mov     [edi], eax
        add     eax, 0x200000
        add     edi, 8
        loop    .low
        mov     eax, 0xc00000f3 ; uncached
        mov     edi, PAGE_TABLES + 0x3000
        mov     ecx, 512
.high:  mov     [edi], eax
        add     eax, 0x200000
        add     edi, 8
        loop    .high
        mov     eax, cr4
        or      eax, 0x620 ; PAE, OSFXSR, OSXMMEXCPT
        mov     cr4, eax
        mov     eax, PAGE_TABLES
        mov     cr3, eax
        mov     ecx, MSR_EFER
        rdmsr
        or      eax, 0x100
        wrmsr
        mov     eax, cr0
        or      eax, 0x80000001
        mov     cr0, eax
        lgdt    [gdt_pointer]
        jmp     8:long_mode

; esi: zero-terminated command line -> [mode], [count]
parse_options:
.next:  mov     al, [esi]
        test    al, al
        jz      .done
        cmp     dword [esi], 'mode'
        jne     .count
        mov     eax, [esi + 5]
        mov     [mode], eax
.count: cmp     dword [esi], 'coun'
        jne     .skip
        cmp     word [esi + 4], 't='
        jne     .skip
        add     esi, 6
        xor     edx, edx
.digit: movzx   eax, byte [esi]
        sub     eax, '0'
        cmp     eax, 9
        ja      .number
        imul    edx, 10
        add     edx, eax
        inc     esi
        jmp     .digit
.number:
        mov     [count], edx
        jmp     .next
.skip:  inc     esi
        jmp     .next
.done:  ret

bits 64
long_mode:
        mov     eax, 16
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     esp, STACK_TOP
        call    set_up_interrupts
        call    fill_table
        mov     eax, [mode]
        and     eax, 0xffffff ; three letters tell the modes apart
        cmp     eax, 'bts'
        je      .bts
        cmp     eax, 'lbr'
        je      .lbr
        cmp     eax, 'cou'
        je      .counting
        cmp     eax, 'peb'
        je      .pebs
        call    work
        jmp     passed

.bts:   call    set_up_ds
        write_msr MSR_DEBUGCTL, 0xc0 ; TR, BTS
        call    work
        write_msr MSR_DEBUGCTL, 0
        mov     rax, [DS_AREA + 8]
        cmp     rax, BTS_BUFFER ; the index began there; after that many branches it is elsewhere
        jne     passed
        cmp     qword [BTS_BUFFER], 0
        jne     passed
        jmp     failed

.lbr:   write_msr MSR_DEBUGCTL, 1
        call    work
        write_msr MSR_DEBUGCTL, 0
        mov     ecx, 0x680
        rdmsr
        test    eax, eax
        jnz     passed
        jmp     failed

.counting:
        write_msr MSR_GLOBAL_CTRL, 0 ; the value after reset enables the counters
        write_msr MSR_EVTSEL0, 0x4300c0 ; instructions, both rings
        write_msr MSR_GLOBAL_CTRL, 1
        call    work
        write_msr MSR_GLOBAL_CTRL, 0
        mov     ecx, MSR_PMC0
        rdmsr
        or      eax, edx
        jnz     passed
        jmp     failed

.pebs:  call    set_up_ds
        write_msr MSR_GLOBAL_CTRL, 0
        write_msr MSR_EVTSEL0, 0x4300c0
        write_msr MSR_PMC0, 0x100000000 - PERIOD
        write_msr MSR_PEBS_ENABLE, 1
        write_msr MSR_GLOBAL_CTRL, 1
        sti
        call    work
        cli
        write_msr MSR_GLOBAL_CTRL, 0
        cmp     qword [interrupts], 0
        jne     passed

failed: mov     al, 0x11
        jmp     exit
passed: mov     al, 0x10
exit:   out     0xf4, al
.halt:  hlt
        jmp     .halt

set_up_interrupts:
        mov     al, 0xff ; both legacy interrupt controllers masked
        out     0x21, al
        out     0xa1, al
        mov     edi, IDT
        mov     ecx, 0x1000 / 4
        xor     eax, eax
        rep stosd
        mov     rax, pmi
        mov     edi, IDT + PMI_VECTOR * 16
        mov     [rdi], ax
        mov     word [rdi + 2], 8
        mov     word [rdi + 4], 0x8e00
        shr     rax, 16
        mov     [rdi + 6], ax
        lidt    [idt_pointer]
        mov     edi, SVR
        mov     dword [rdi], 0x1ff
        mov     edi, LVTPC
        mov     dword [rdi], PMI_VECTOR
        mov     edi, 0xfee00080 ; TPR
        mov     dword [rdi], 0
        ret

set_up_ds: ; BTS circular (threshold past the maximum), PEBS with an interrupt at 240 records of 256
        mov     edi, DS_AREA
        mov     qword [rdi + 0x00], BTS_BUFFER
        mov     qword [abs BTS_BUFFER], 0
        mov     qword [rdi + 0x08], BTS_BUFFER
        mov     qword [rdi + 0x10], BTS_BUFFER + BTS_RECORDS * 24
        mov     qword [rdi + 0x18], BTS_BUFFER + (BTS_RECORDS + 1) * 24
        mov     qword [rdi + 0x20], PEBS_BUFFER
        mov     qword [rdi + 0x28], PEBS_BUFFER
        mov     qword [rdi + 0x30], PEBS_BUFFER + PEBS_RECORDS * 200
        mov     qword [rdi + 0x38], PEBS_BUFFER + (PEBS_RECORDS - 16) * 200
        mov     rax, -PERIOD
        mov     [rdi + 0x40], rax
        write_msr MSR_DS_AREA, DS_AREA
        ret

pmi:    push    rax
        push    rcx
        push    rdx
        inc     qword [interrupts]
        mov     qword [DS_AREA + 0x28], PEBS_BUFFER
        write_msr MSR_OVF_CTRL, 1 << 62
        mov     ecx, LVTPC
        mov     dword [rcx], PMI_VECTOR
        mov     ecx, EOI
        mov     dword [rcx], 0
        pop     rdx
        pop     rcx
        pop     rax
        iretq

fill_table: ; 4096 keys, so that two lookups of three find theirs in the first or second place
        mov     edi, TABLE
        xor     ecx, ecx
.next:  mov     eax, ecx
        imul    eax, eax, 3
        shr     eax, 1
        mov     [rdi + rcx * 8], rax
        inc     ecx
        cmp     ecx, 4096 + 4
        jb      .next
        ret

work:   mov     ebp, [count]
        imul    rbp, rbp, 1000000
        mov     rbx, 0x9e3779b97f4a7c15
        xor     r8d, r8d
        xor     r9d, r9d
        test    rbp, rbp
        jz      .done
.turn:  mov     rax, rbx ; xorshift
        shl     rax, 13
        xor     rbx, rax
        mov     rax, rbx
        shr     rax, 7
        xor     rbx, rax
        mov     rax, rbx
        shl     rax, 17
        xor     rbx, rax
        test    bl, 1
        jz      .even
        add     r8, rbx
        rol     r8, 5
        jmp     .look
.even:  sub     r8, rbx
        xor     r8, r9
.look:  mov     edi, ebx
        shr     edi, 8
        call    look_up
        add     r9, rax
        mov     ecx, ebx
        shr     ecx, 20
        and     ecx, 3
        jmp     [ways + rcx * 8]
.a:     add     r8, rax
        ror     r9, 3
        jmp     .sum
.b:     imul    r9, r9, 31
        xor     r9, r8
        jmp     .sum
.c:     lea     r8, [r8 + r9 * 2]
        mov     [TABLE + 0x9000], r8
        jmp     .sum
.d:     sub     r8, [TABLE + 0x9000]
        not     r9
.sum:   mov     ecx, 4
        mov     esi, TABLE + 0x800
        xor     eax, eax
.add:   add     rax, [rsi]
        mov     rdx, rax
        shr     rdx, 3
        xor     r9, rdx
        add     rsi, 24
        dec     ecx
        jnz     .add
        cmp     r9, r8
        jbe     .last
        xchg    r8, r9
.last:  dec     rbp
        jnz     .turn
.done:  ret

; edi: key -> rax: 0, 1 or 2 for where it was found, 3 for nowhere
look_up:
        and     edi, 0x17ff
        mov     eax, edi
        imul    eax, eax, 43691
        shr     eax, 16 ; two thirds of the key are about its place
        mov     rdx, [TABLE + rax * 8]
        cmp     rdx, rdi
        je      .first
        mov     rdx, [TABLE + rax * 8 + 8]
        cmp     rdx, rdi
        je      .second
        mov     eax, 3
        ret
.first: xor     eax, eax
        ret
.second:
        mov     eax, 1
        ret

section .data align=8
ways    dq      work.a, work.b, work.c, work.d
interrupts dq   0
mode    dd      0
count   dd      10
gdt     dq      0, 0x00af9b000000ffff, 0x00cf93000000ffff
gdt_pointer:
        dw      $ - gdt - 1
        dd      gdt
idt_pointer:
        dw      0xfff
        dq      IDT
