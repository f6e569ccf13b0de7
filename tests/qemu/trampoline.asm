; SPDX-License-Identifier: MIT
; A guest that tests the UEFI loader's trampoline: it sets up all the state of firmware that the trampoline must undo, calls a
; copy of it, single-steps up to its first LGDT, and checks the state in which the kernel is entered. Assembled as elf64 for
; the trampoline of x64 firmware, called in 64-bit mode, and as elf32 for that of ia32 firmware, called with paging on.

%include "tests/qemu/guest.inc"
extern trampoline_start
extern trampoline_end


CR0_PE equ 1 << 0
CR0_ET equ 1 << 4
CR0_WP equ 1 << 16
CR0_PG equ 1 << 31
CR4_PAE   equ 1 << 5
CR4_PSE   equ 1 << 4
CR4_PGE   equ 1 << 7
CR4_LA57  equ 1 << 12
CR4_PCIDE equ 1 << 17
EFER     equ 0xc0000080
EFER_SCE equ 1 << 0
EFER_LME equ 1 << 8
EFER_NXE equ 1 << 11
EFER_SVME equ 1 << 12
CPUID_80000001_ECX_SVM equ 1 << 2
%ifidn __?OUTPUT_FORMAT?__, elf64
FIRMWARE_EFER equ EFER_SCE | EFER_LME | EFER_NXE
%else
FIRMWARE_EFER equ EFER_SCE | EFER_NXE
%endif
CPUID_1_EDX_PAE equ 1 << 6
CPUID_7_ECX_LA57 equ 1 << 16
EFLAGS_TF equ 1 << 8
EFLAGS_IF equ 1 << 9
EFLAGS_DF equ 1 << 10
LGDT_OPCODE equ 0x010f
%ifidn __?OUTPUT_FORMAT?__, elf64
CR4_KEPT equ CR4_LA57
%else
CR4_KEPT equ CR4_PSE
%endif

PAGE  equ 0x3                           ; present, writable
LARGE equ 1 << 7

COPY  equ 0x80000                       ; of the trampoline
MAGIC equ 0x12345678
INFO  equ 0x9abcdef0
FIRST equ 0x100000                      ; destinations of the two segments
LAST  equ 0x101000
STALE equ 0xcc                          ; fills memory before the segments are copied

; Ends with status 2 * %1 + 1 if the condition %2 holds; must: if %2 is not %3.
%macro fail_if 2
        mov     edi, %1
        j%2     finish
%endmacro
%macro must 3
        cmp     %2, %3
        fail_if %1, ne
%endmacro

; The segment register %2 has the selector %3, and its segment 4 GiB and the access rights %4; else one of the checks %1 to %1 + 2 fails.
%macro flat 4
        mov     eax, %2
        must    %1, eax, %3
        lsl     ecx, eax
        must    %1 + 1, ecx, -1
        lar     ecx, eax
        and     ecx, 0x60fe00
        must    %1 + 2, ecx, %4
%endmacro

bits 32
pvh_entry
start:  mov     esp, stack
        mov     al, 0xff                ; no interrupt from the old controllers
        out     0x21, al
        out     0xa1, al
        mov     edi, FIRST
        mov     ecx, 0x2000
        mov     al, STALE
        rep stosb
        mov     esi, trampoline_start
        mov     edi, COPY
        mov     ecx, trampoline_end
        sub     ecx, trampoline_start
        rep movsb

        ; Identity mapping of the first 2 MiB (4 MiB without PAE). elf64: five levels, four without LA57.
        mov     dword [table_2], LARGE | PAGE
        call    cr4_bits
        or      ebp, CR4_PAE | CR4_PGE | CR4_PSE
%ifidn __?OUTPUT_FORMAT?__, elf64
        mov     dword [table_5], table_4 + PAGE
        mov     dword [table_4], table_3 + PAGE
        mov     dword [table_3], table_2 + PAGE
        mov     edi, table_4
        mov     eax, 7
        xor     ecx, ecx
        cpuid
        test    ecx, CPUID_7_ECX_LA57
        jz      .levels
        or      ebp, CR4_LA57
        mov     edi, table_5
.levels:
%else
        mov     dword [table_3], table_2 + 1
        mov     edi, table_3
        mov     eax, 1
        cpuid
        test    edx, CPUID_1_EDX_PAE
        jnz     .levels
        and     ebp, ~CR4_PAE
        mov     edi, table_2            ; a page of 4 MiB
.levels:
%endif
        mov     cr4, ebp
        mov     cr3, edi
        ; SVME, if supported
        mov     eax, 0x80000000
        cpuid
        xor     edi, edi
        cmp     eax, 0x80000001
        jb      .efer
        mov     eax, 0x80000001
        cpuid
        test    ecx, CPUID_80000001_ECX_SVM
        jz      .efer
        mov     edi, EFER_SVME
.efer:  mov     ecx, EFER
        rdmsr
        or      eax, FIRMWARE_EFER
        or      eax, edi
        wrmsr
        mov     eax, CR0_PE | CR0_ET | CR0_WP | CR0_PG
        mov     cr0, eax
        lgdt    [gdt_pointer]
        mov     eax, step               ; both addresses are below 16 MiB
        mov     [idt.debug], ax
        shr     eax, 16
        mov     [idt.debug + 6], ax
        lidt    [idt_pointer]
        jmp     OURS_CODE:firmware

; Sets in EBP all the bits of CR4 that the processor has and that firmware may leave on.
cr4_bits:
        xor     ebp, ebp
        mov     esi, cr4_features
.next:  xor     eax, eax
        cpuid
        cmp     eax, [esi]              ; is there the leaf?
        jb      .skip
        mov     eax, [esi]
        xor     ecx, ecx
        cpuid
        mov     [registers], ebx
        mov     [registers + 4], ecx
        mov     [registers + 8], edx
        mov     eax, [esi + 4]
        mov     ecx, [esi + 8]
        bt      [registers + eax], ecx
        jnc     .skip
        mov     ecx, [esi + 12]
        bts     ebp, ecx
.skip:  add     esi, 16
        cmp     esi, cr4_features.end
        jb      .next
        ret

%ifidn __?OUTPUT_FORMAT?__, elf64
bits 64
firmware:
        mov     rax, cr4
        or      eax, CR4_PCIDE
        mov     cr4, rax
%else
firmware:
%endif
        ; Segments that the kernel could not use, with selectors that its GDT does not have.
        mov     eax, OURS_SMALL
        mov     ds, eax
        mov     es, eax
        mov     fs, eax
        mov     gs, eax
        mov     eax, OURS_DATA
        mov     ss, eax
        std
        sti
        mov     eax, COPY
%ifidn __?OUTPUT_FORMAT?__, elf64
        mov     edi, arguments
        pushfq
        or      dword [rsp], EFLAGS_TF
        popfq
        call    rax

; The debug exception before each instruction. Saves CR4 at the trampoline's LGDT and ends stepping there: after LGDT, our
; gates are unusable.
step:   push    rax
        push    rbx
        mov     rbx, [rsp + 16]
        cmp     word [rbx], LGDT_OPCODE
        jne     .on
        mov     rax, cr4
        mov     [left], rax
        inc     dword [loads]
        and     dword [rsp + 32], ~EFLAGS_TF
.on:    pop     rbx
        pop     rax
        iretq
%else
        push    arguments
        pushfd
        or      dword [esp], EFLAGS_TF
        popfd
        call    eax

step:   push    eax
        push    ebx
        mov     ebx, [ss:esp + 8]
        cmp     word [ss:ebx], LGDT_OPCODE
        jne     .on
        mov     eax, cr4
        mov     [ss:left], eax
        inc     dword [ss:loads]
        and     dword [esp + 16], ~EFLAGS_TF
.on:    pop     ebx
        pop     eax
        iretd
%endif

bits 32
entered:
        mov     ebp, eax                ; esp may point anywhere
        flat    1, ss, 16, 0x409200     ; readable and writable
        flat    4, ds, 16, 0x409200
        flat    7, es, 16, 0x409200
        flat    10, fs, 16, 0x409200
        flat    13, gs, 16, 0x409200
        flat    22, cs, 8, 0x409a00     ; executable and readable
        mov     esp, stack
        pushfd
        pop     eax
        test    eax, EFLAGS_IF | EFLAGS_DF
        fail_if 25, nz
        must    26, ebp, MAGIC
        must    27, ebx, INFO
        mov     eax, cr0
        must    28, eax, CR0_PE | CR0_ET
        mov     eax, cr4
        test    eax, eax
        fail_if 29, nz
        mov     ecx, EFER
        rdmsr
        or      eax, edx
        fail_if 17, nz

        ; CR4 was clean before the segments changed, except the bits that paging needs.
        must    20, dword [loads], 1
        mov     eax, [left]
        and     eax, ~(CR4_PAE | CR4_KEPT)
        or      eax, [left + 4]
        fail_if 21, nz

        ; The first segment: 5 bytes of a file, zeros up to 16. The last one: the whole file. Bytes around them are unchanged.
        mov     esi, want_first
        mov     edi, FIRST
        mov     ecx, want_first.end - want_first
        repe cmpsb
        fail_if 18, ne
        mov     edi, LAST - 4
        mov     ecx, want_last.end - want_last
        repe cmpsb
        fail_if 19, ne
        mov     edi, 16                 ; success: status 33
finish: mov     edx, EXIT_PORT
        mov     eax, edi
        out     dx, eax
        jmp     finish

section .data
arguments:
        dd      entered, MAGIC, INFO, 2
        dd      FIRST, file, 5, 16
        dd      LAST, file + 5, 3, 3
file:   db      1, 2, 3, 4, 5, 6, 7, 8
want_first:
        db      1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, STALE, STALE
.end:
want_last:
        db      STALE, STALE, STALE, STALE, 6, 7, 8, STALE, STALE
.end:

; Features by CPUID's leaf, register (0 EBX, 4 ECX, 8 EDX), and bit; and their bit in CR4. SDM Vol. 3A (253668-081), "Control
; Registers", 2.5; SDM Vol. 2A (253666-081), "CPUID".
cr4_features:
        dd      1, 8, 1, 0              ; VME
        dd      1, 8, 4, 2              ; TSD
        dd      1, 8, 2, 3              ; DE
        dd      1, 8, 7, 6              ; MCE
        dd      1, 8, 24, 9             ; OSFXSR
        dd      1, 8, 25, 10            ; OSXMMEXCPT
        dd      1, 4, 26, 18            ; OSXSAVE
        dd      7, 4, 2, 11             ; UMIP
        dd      7, 0, 0, 16             ; FSGSBASE
        dd      7, 0, 7, 20             ; SMEP
        dd      7, 0, 20, 21            ; SMAP
        dd      7, 4, 3, 22             ; PKE
        dd      7, 4, 31, 24            ; PKS
.end:

        align   8
idt:    dq      0
%ifidn __?OUTPUT_FORMAT?__, elf64
        dq      0
.debug: dw      0, OURS_CODE, 0x8e00, 0
        dq      0
%else
.debug: dw      0, OURS_CODE, 0x8e00, 0
%endif
.end:
idt_pointer:
        dw      idt.end - idt - 1
        dd      idt, 0

        align   8
ours:   dq      0
.code:
%ifidn __?OUTPUT_FORMAT?__, elf64
        dq      0x00af9b000000ffff      ; 64-bit code
%else
        dq      0x00cf9b000000ffff
%endif
.data:  dq      0x00cf93000000ffff
        dq      0
        dq      0
.small: dq      0x0040f3000000ffff      ; 64 KiB, at CPL 3
.end:
OURS_CODE  equ ours.code - ours
OURS_DATA  equ ours.data - ours
OURS_SMALL equ ours.small - ours
gdt_pointer:
        dw      ours.end - ours - 1
        dd      ours, 0

section .bss
registers: resd 3                       ; EBX, ECX, EDX
loads:  resd    1                       ; how often the trampoline was about to load a GDT
left:   resq    1                       ; CR4 then
alignb 4096
table_5: resb   4096
table_4: resb   4096
table_3: resb   4096
table_2: resb   4096
        resb    4096
stack:

section .note.GNU-stack noalloc noexec nowrite progbits
