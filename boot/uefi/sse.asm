; SPDX-License-Identifier: MIT
; The x64 loader's entry. gnu-efi's library uses SSE, which UEFI promises (2.10, 2.3.4), but U-Boot 2023.01 leaves disabled.
; Enables it, calls gnu-efi's entry, and gives firmware its own control registers back.

CR0_MP         equ 1 << 1
CR0_EM         equ 1 << 2
CR0_TS         equ 1 << 3
CR4_OSFXSR     equ 1 << 9
CR4_OSXMMEXCPT equ 1 << 10

        bits    64
        section .text
        global  start_with_sse
        extern  _start

start_with_sse:                         ; RCX, RDX: firmware's arguments
        push    rbx
        push    rbp
        mov     rbx, cr0
        mov     rbp, cr4
        mov     rax, rbx
        and     rax, ~(CR0_EM | CR0_TS)
        or      rax, CR0_MP
        mov     cr0, rax
        mov     rax, rbp
        or      rax, CR4_OSFXSR | CR4_OSXMMEXCPT
        mov     cr4, rax
        sub     rsp, 40                 ; UEFI 2.10, 2.3.4.2: room for four arguments, and RSP aligned to 16 bytes
        call    _start
        add     rsp, 40
        mov     cr4, rbp
        mov     cr0, rbx
        pop     rbp
        pop     rbx
        ret

        section .note.GNU-stack noalloc noexec nowrite progbits
