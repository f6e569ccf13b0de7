; SPDX-License-Identifier: MIT
; The kernels inside of the loader: one .efi file is all that firmware needs to find.

        section .rodata
        global  kernel_64_start
        global  kernel_64_end
        align   16
kernel_64_start:
        incbin  KERNEL_64
kernel_64_end:

        section .note.GNU-stack noalloc noexec nowrite progbits
