; SPDX-License-Identifier: MIT
; Workloads at CPL 3, on pages that CPL 3 may execute and read. They exit through VECTOR_USER_EXIT.

%include "suite/workload/workload.inc"

extern user_call

VECTOR_USER_EXIT equ 0x81

; ---- a call, a return and a jump ----------------------------------------------------------------------------------
section .user progbits alloc exec nowrite align=16
workload_user_start:
user_1:         call    user_function
user_2:         jmp     user_3
                ud2
user_3:         int     VECTOR_USER_EXIT
user_function:  ret
workload_user_limit:

user_workload workload_user

section .rodata
workload_user_branches:
        branch  user_1, user_function, LBR_REL_CALL
        branch  user_function, user_2, LBR_RET
        branch  user_2, user_3, LBR_REL_JMP
workload_user_accesses:
describe_workload workload_user, 0

; ---- the same branch many times -----------------------------------------------------------------------------------
ROUNDS          equ 1000

section .user
workload_user_loop_start:
                mov     ecx, ROUNDS
user_loop_1:    dec     ecx
user_loop_back: jnz     user_loop_1
                int     VECTOR_USER_EXIT
workload_user_loop_limit:

user_workload workload_user_loop

section .rodata
workload_user_loop_branches:
        branch  user_loop_back, user_loop_1, LBR_JCC, ROUNDS - 1
workload_user_loop_accesses:
describe_workload workload_user_loop, 0

; ---- loads --------------------------------------------------------------------------------------------------------
ACCESSES        equ 64
%define VALUE(i) ((0x5566778899000000 + (i) * 0x101) & WORD_MASK)

section .user
workload_user_loads_start:
%assign i 0
%rep ACCESSES
user_load_%+i:  mov     ax_, [user_data + i * 8]
.next:          lfence
%assign i i + 1
%endrep
                int     VECTOR_USER_EXIT
workload_user_loads_limit:

align 64
user_data:
%assign i 0
%rep ACCESSES
        dq      VALUE(i)
%assign i i + 1
%endrep

user_workload workload_user_loads

section .rodata
workload_user_loads_branches:
workload_user_loads_accesses:
%assign i 0
%rep ACCESSES
        access  user_load_%+i, user_load_%+i%+.next, user_data + i * 8, VALUE(i)
%assign i i + 1
%endrep
describe_workload workload_user_loads, 0
