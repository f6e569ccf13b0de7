; SPDX-License-Identifier: MIT
;
; A guest to measure the model's cost, with two jobs: a branchy integer loop (about six instructions per branch, data-dependent
; conditions, calls, returns, an indirect jump, a table in memory); or, with "system" in the options, the work of an operating
; system: short blocks of user code, system calls, and interrupts that the APIC sends to itself.
;
; mode=MODE  bts: every branch into a circular BTS buffer; lbr: the LBR stack on; count: a counter counts instructions; pebs: a PEBS
;            record every 1000th instruction, the buffer emptied in the PMI; mem: the same for loads of more than 3 cycles; any
;            other word: only the job
; count=N    N million turns of the loop, 12 branches each, or N hundred thousand system calls (default 10)
;
; FLDL2T, which no other code executes, marks the beginning and the end of the measured part.
; Ends through port f4h: 10h if the mode worked, else 11h (QEMU's status 33, 35).

%define PAGE_TABLES   0x300000
%define DS_AREA       0x310000
%define BTS_BUFFER    0x320000
%define BTS_RECORDS   2048
%define PEBS_BUFFER   0x340000
%define PEBS_RECORDS  256
%define TABLE         0x360000
%define STACK_TOP     0x380000
%define IDT           0x390000
%define TSS           0x3a0000
%define KERNEL_STACK  0x3b0000
%define USER_STACK    0x3c0000

%define MSR_PMC0         0xc1
%define MSR_EVTSEL0      0x186
%define MSR_DEBUGCTL     0x1d9
%define MSR_GLOBAL_CTRL  0x38f
%define MSR_OVF_CTRL     0x390
%define MSR_PEBS_ENABLE  0x3f1
%define MSR_LD_LAT       0x3f6
%define MSR_DS_AREA      0x600
%define MSR_EFER         0xc0000080
%define MSR_STAR         0xc0000081
%define MSR_LSTAR        0xc0000082
%define MSR_FMASK        0xc0000084

%define APIC             0xfee00000
%define EOI              0xb0
%define SVR              0xf0
%define ICR              0x300
%define LVTPC            0x340
%define PMI_VECTOR       0x40
%define SELF_VECTOR      0x41
%define PERIOD           1000
%define WARM_UP          16 ; 1/16 as many turns precede the measured ones, so that all code is translated
%define QUIET            100 ; system calls from interrupt to interrupt
%define CALLS            4
%macro write_msr 2 ; MSR, 64-bit constant
        mov     ecx, %1
        mov     rax, %2
        mov     rdx, rax
        shr     rdx, 32
        wrmsr
%endmacro
%macro xorshift 0 ; the next random number in rbx
        mov     rax, rbx
        shl     rax, 13
        xor     rbx, rax
        mov     rax, rbx
        shr     rax, 7
        xor     rbx, rax
        mov     rax, rbx
        shl     rax, 17
        xor     rbx, rax
%endmacro
%macro for_mode 2
        cmp     eax, %1
        je      %2
%endmacro
%macro gate 2 ; vector, handler
        mov     eax, %2
        mov     [IDT + %1 * 16], ax
        mov     dword [IDT + %1 * 16 + 2], 0x8e000008 ; selector, interrupt gate
        shr     eax, 16
        mov     [IDT + %1 * 16 + 6], ax
%endmacro

section .note note alloc noexec nowrite align=4
        dd      4, 4, 18 ; XEN_ELFNOTE_PHYS32_ENTRY
        db      "Xen", 0
        dd      start

section .text
bits 32
global start
start: ; ebx: hvm_start_info; the address of the command line is at +24
        mov     esp, STACK_TOP
        mov     esi, [ebx + 24]
        call    parse_options

        ; Long mode, with the first gigabyte (also for user code) and the APIC identity-mapped.
        mov     dword [PAGE_TABLES], PAGE_TABLES + 0x1000 + 7
        mov     dword [PAGE_TABLES + 0x1000], 0xe7
        mov     dword [PAGE_TABLES + 0x1000 + 3 * 8], 0xc00000f3 ; uncached
        mov     eax, cr4
        or      eax, 0x620 ; PAE, OSFXSR, OSXMMEXCPT
        mov     cr4, eax
        mov     eax, PAGE_TABLES
        mov     cr3, eax
        mov     ecx, MSR_EFER
        rdmsr
        or      eax, 0x101 ; with SYSCALL
        wrmsr
        mov     eax, cr0
        or      eax, 0x80000001
        mov     cr0, eax
        lgdt    [gdt_pointer]
        jmp     8:long_mode

; esi: zero-terminated command line -> [mode], [job], [unit], [count]
parse_options:
        cmp     dword [esi], 'mode'
        jne     .job
        mov     eax, [esi + 5]
        mov     [mode], eax
.job:   cmp     dword [esi], 'syst'
        jne     .count
        mov     dword [job], system
        mov     dword [unit], 100000
.count: cmp     dword [esi], 'unt='
        jne     .next
        add     esi, 4
        xor     edx, edx
.digit: movzx   eax, byte [esi]
        sub     eax, '0'
        cmp     eax, 9
        ja      .end
        imul    edx, 10
        add     edx, eax
        inc     esi
        jmp     .digit
.end:   mov     [count], edx
        dec     esi
.next:  inc     esi
        cmp     byte [esi - 1], 0
        jne     parse_options
        ret

bits 64
long_mode:
        mov     eax, 16
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        call    set_up_interrupts
        call    fill_table
        mov     eax, [mode]
        and     eax, 0xffffff ; the first three letters identify the mode
        for_mode 'bts', .bts
        for_mode 'lbr', .lbr
        for_mode 'cou', .counting
        for_mode 'peb', .pebs
        for_mode 'mem', .memory
        call    work
        test    esp, esp
        jmp     check
.bts:   call    set_up_ds
        write_msr MSR_DEBUGCTL, 0xc0 ; TR, BTS
        call    work
        write_msr MSR_DEBUGCTL, 0
        cmp     qword [BTS_BUFFER], 0
        jmp     check
.lbr:   write_msr MSR_DEBUGCTL, 1
        call    work
        write_msr MSR_DEBUGCTL, 0
        mov     ecx, 0x680
        rdmsr
        test    eax, eax
        jmp     check
.counting:
        write_msr MSR_GLOBAL_CTRL, 0 ; the value after reset enables the counters
        write_msr MSR_EVTSEL0, 0x4300c0 ; instructions, both rings
        write_msr MSR_GLOBAL_CTRL, 1
        call    work
        write_msr MSR_GLOBAL_CTRL, 0
        mov     ecx, MSR_PMC0
        rdmsr
        or      eax, edx
        jmp     check
.pebs:  call    set_up_ds
        write_msr MSR_GLOBAL_CTRL, 0
        write_msr MSR_EVTSEL0, 0x4300c0
        write_msr MSR_PEBS_ENABLE, 1
.sample:
        write_msr MSR_PMC0, 0x100000000 - PERIOD
        write_msr MSR_GLOBAL_CTRL, 1
        sti
        call    work
        cli
        write_msr MSR_GLOBAL_CTRL, 0
        cmp     qword [records], 0
        jmp     check
.memory:
        call    set_up_ds
        write_msr MSR_GLOBAL_CTRL, 0
        write_msr MSR_EVTSEL0, 0x4301cd ; MEM_TRANS_RETIRED.LOAD_LATENCY
        write_msr MSR_LD_LAT, 3
        write_msr MSR_PEBS_ENABLE, 0x100000001
        jmp     .sample
check:  mov     al, 0x10
        jne     exit
        inc     eax
exit:   out     0xf4, al
.halt:  hlt
        jmp     .halt
set_up_interrupts:
        mov     al, 0xff ; both legacy interrupt controllers masked
        out     0x21, al
        out     0xa1, al
        gate    PMI_VECTOR, pmi
        gate    SELF_VECTOR, interrupt
        lidt    [idt_pointer]
        mov     qword [abs TSS + 4], KERNEL_STACK
        mov     eax, 0x30
        ltr     ax
        write_msr MSR_STAR, 0x0018000800000000
        write_msr MSR_LSTAR, system_call
        write_msr MSR_FMASK, 0x200
        mov     edi, APIC
        mov     dword [rdi + SVR], 0x1ff
        mov     dword [rdi + LVTPC], PMI_VECTOR
        ret
set_up_ds: ; BTS circular (threshold past the maximum), PEBS with an interrupt at 240 records of 256
        mov     esi, area
        mov     edi, DS_AREA
        mov     ecx, 9
        rep movsq
        write_msr MSR_DS_AREA, DS_AREA
        ret

pmi:    push    rcx
        push    rdx
        push    rax
        mov     qword [DS_AREA + 0x28], PEBS_BUFFER
        write_msr MSR_OVF_CTRL, 1 << 62
        mov     ecx, APIC
        mov     dword [rcx + LVTPC], PMI_VECTOR
        pop     rax
        pop     rdx
        pop     rcx
        inc     qword [records]
interrupt:
        push    rax
        mov     eax, APIC
        mov     dword [rax + EOI], 0
        pop     rax
        iretq
fill_table: ; 4096 keys: two of three lookups find theirs in the first or second place
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

work:   mov     eax, [count]
        imul    rax, [unit]
        push    rax
        mov     ebp, WARM_UP
        xor     edx, edx
        div     rbp
        mov     rbp, rax
        call    [job]
        fldl2t
        pop     rbp
        call    [job]
        fldl2t
        ret

; rbp: number of turns
turns:  mov     rbx, 0x9e3779b97f4a7c15
        xor     r8d, r8d
        xor     r9d, r9d
        test    rbp, rbp
        jz      .done
.turn:  xorshift
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

; edi: key -> rax: the place where it was found, 0 to 2; 3: not found
look_up:
        and     edi, 0x17ff
        mov     eax, edi
        imul    eax, eax, 43691
        shr     eax, 16 ; its place is about key * 2 / 3
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

; rbp: number of system calls
system: mov     [kernel_stack], rsp
        test    rbp, rbp
        jz      turns.done
        mov     rbx, 0x9e3779b97f4a7c15
        mov     ecx, user
        mov     r11d, 0x202
        mov     esp, USER_STACK
        o64 sysret
system_call:
        mov     [user_stack], rsp
        mov     esp, KERNEL_STACK
        cmp     eax, CALLS
        jae     .end
        push    rcx
        push    r11
        call    [calls + rax * 8]
        dec     dword [quiet]
        jnz     .back
        mov     dword [quiet], QUIET
        mov     edi, APIC
        mov     dword [rdi + ICR], 0x40000 + SELF_VECTOR ; shorthand: self
.back:  pop     r11
        pop     rcx
        mov     rsp, [user_stack]
        o64 sysret
.end:   mov     rsp, [kernel_stack]
        ret
.copy:  mov     ecx, 8
        mov     esi, TABLE
        mov     edi, TABLE + 0x9000
.word:  lodsq
        stosq
        dec     ecx
        jnz     .word
.nothing:
        ret
.walk:  mov     eax, 5
.node:  mov     eax, [TABLE + rax * 8]
        cmp     eax, 60
        jb      .node
        ret
user:   xorshift
        movzx   edi, bl
.scan:  test    byte [TABLE + rdi * 8], 7
        jz      .found
        inc     edi
        jmp     .scan
.found: mov     ecx, 12
        mov     rdx, rbx
.bit:   shr     rdx, 1
        jnc     .zero
        inc     r8d
        test    dl, 1
        jz      .zero
        add     r9, r8
.zero:  dec     ecx
        jnz     .bit
        mov     eax, ebx
        shr     eax, 30
        syscall
        add     r9, rax
        dec     rbp
        jnz     user
        mov     eax, CALLS
        syscall

section .data align=8
calls   dq      system_call.nothing, system_call.copy, system_call.walk, system_call.nothing
job     dq      turns
unit    dq      1000000
kernel_stack dq 0
user_stack dq   0
quiet   dq      QUIET
ways    dq      turns.a, turns.b, turns.c, turns.d
records dq      0
mode    dd      0
count   dd      10
gdt     dq      0, 0x00af9b000000ffff, 0x00cf93000000ffff ; kernel: code, data
        dq      0, 0x00cff3000000ffff, 0x00affb000000ffff ; user: data, 64-bit code
        dq      0x0000890000000067 | (TSS & 0xffffff) << 16, 0
gdt_pointer:
        dw      $ - gdt - 1
        dd      gdt
area    dq      BTS_BUFFER, BTS_BUFFER, BTS_BUFFER + BTS_RECORDS * 24, BTS_BUFFER + (BTS_RECORDS + 1) * 24
        dq      PEBS_BUFFER, PEBS_BUFFER, PEBS_BUFFER + PEBS_RECORDS * 200, PEBS_BUFFER + (PEBS_RECORDS - 16) * 200, -PERIOD
idt_pointer:
        dw      0xfff
        dq      IDT
