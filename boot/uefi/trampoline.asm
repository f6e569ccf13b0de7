; SPDX-License-Identifier: MIT
; From the firmware's mode to the kernel's entry: see trampoline.h. Position-independent, uses no stack after segments
; change, and copies with paging off, so the kernel may overwrite firmware's page tables and stack.
; Assembled as elf64 for the x64 loader and as elf32 for the ia32 loader.

ARGUMENT_ENTRY    equ 0
ARGUMENT_MAGIC    equ 4
ARGUMENT_INFO     equ 8
ARGUMENT_COUNT    equ 12
ARGUMENT_SEGMENTS equ 16

SEGMENT_TARGET      equ 0
SEGMENT_SOURCE      equ 4
SEGMENT_FILE_SIZE   equ 8
SEGMENT_MEMORY_SIZE equ 12
SEGMENT_SIZE        equ 16

CR0_PE   equ 1 << 0
CR0_ET   equ 1 << 4
CR4_PSE  equ 1 << 4
CR4_PAE  equ 1 << 5
CR4_LA57 equ 1 << 12
EFER     equ 0xc0000080
CPUID_80000001_EDX_NX equ 1 << 20
CPUID_80000001_EDX_LM equ 1 << 29

CODE_32 equ gdt.code - gdt
DATA_32 equ gdt.data - gdt

        section .rodata
        global  trampoline_start
        global  trampoline_end

trampoline_start:
        cli
        cld
%ifidn __?OUTPUT_FORMAT?__, elf64
        bits    64
        mov     ebp, edi                ; arguments
        ; Clear all flags except those of paging, while paging is on: CET before the far transfer, which a shadow stack
        ; would refuse, and before CR0.WP, which cannot be cleared with CET; PCIDE before CR0.PG; FRED before the
        ; segments change (SDM Vol. 3A (253668-081), "Control Registers", 2.5; "CET" and "PCID" there).
        mov     rax, cr4
        and     eax, CR4_PAE | CR4_LA57
        mov     cr4, rax
        lea     rax, [rel gdt]
        sub     rsp, 16
        mov     word [rsp], gdt.end - gdt - 1
        mov     [rsp + 2], rax
        lgdt    [rsp]
        lea     rax, [rel protected]
        push    CODE_32
        push    rax
        o64 retf
%else
        bits    32
        mov     ebp, [esp + 4]          ; arguments
        mov     eax, cr4                ; as above; paging without PAE may need PSE
        and     eax, CR4_PSE | CR4_PAE
        mov     cr4, eax
        call    .here
.here:  pop     ebx
        lea     eax, [ebx + gdt - .here]
        sub     esp, 8
        mov     word [esp], gdt.end - gdt - 1
        mov     [esp + 2], eax
        lgdt    [esp]
        lea     eax, [ebx + protected - .here]
        push    CODE_32
        push    eax
        retf
%endif

        bits    32
protected:
        mov     eax, DATA_32
        mov     ds, eax
        mov     es, eax
        mov     fs, eax
        mov     gs, eax
        mov     ss, eax
        mov     eax, CR0_PE | CR0_ET
        mov     cr0, eax                ; paging off
        xor     eax, eax
        mov     cr4, eax

        ; Clear LME and NXE. After long mode, EFER exists, whatever CPUID says. Otherwise, ask CPUID.
%ifnidn __?OUTPUT_FORMAT?__, elf64
        mov     eax, 0x80000000
        cpuid
        cmp     eax, 0x80000001
        jb      .no_efer
        mov     eax, 0x80000001
        cpuid
        test    edx, CPUID_80000001_EDX_NX | CPUID_80000001_EDX_LM
        jz      .no_efer
%endif
        xor     eax, eax
        xor     edx, edx
        mov     ecx, EFER
        wrmsr
.no_efer:

        mov     ebx, [ebp + ARGUMENT_COUNT]
        lea     edx, [ebp + ARGUMENT_SEGMENTS]
.segment:
        mov     edi, [edx + SEGMENT_TARGET]
        mov     esi, [edx + SEGMENT_SOURCE]
        mov     ecx, [edx + SEGMENT_FILE_SIZE]
        rep movsb
        mov     ecx, [edx + SEGMENT_MEMORY_SIZE]
        sub     ecx, [edx + SEGMENT_FILE_SIZE]
        xor     eax, eax
        rep stosb
        add     edx, SEGMENT_SIZE
        dec     ebx
        jnz     .segment

        mov     eax, [ebp + ARGUMENT_MAGIC]
        mov     ebx, [ebp + ARGUMENT_INFO]
        jmp     [ebp + ARGUMENT_ENTRY]

        align   8, db 0
gdt:    dq      0
.code:  dq      0x00cf9b000000ffff      ; 32-bit, 0 to 4 GiB, execute and read
.data:  dq      0x00cf93000000ffff      ; 0 to 4 GiB, read and write
.end:
trampoline_end:

        section .note.GNU-stack noalloc noexec nowrite progbits
