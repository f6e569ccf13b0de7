; SPDX-License-Identifier: MIT The kernels, embedded in the loader, so that firmware needs only one .efi file. Also the
; section with the file's generation, on its own pages, which shim requires for Secure Boot (shim 15, SBAT.md).

; %1: the width, %2: the file
%macro kernel 2
        global  kernel_%1_start
        global  kernel_%1_end
        align   16
kernel_%1_start:
        incbin  %2
kernel_%1_end:
%endmacro

        section .rodata
        kernel  64, "kernel-64.elf"
        kernel  32, "kernel-32.elf"

        section .sbat progbits alloc noexec nowrite align=4096
        incbin  "sbat.csv"

        section .note.GNU-stack noalloc noexec nowrite progbits
