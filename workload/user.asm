; SPDX-License-Identifier: MIT
; Branches at CPL 3, on pages that CPL 3 may execute. Entered through user_call, left through VECTOR_USER_EXIT.

%include "workload/workload.inc"

VECTOR_USER_EXIT equ 0x81

bits 64
section .user progbits alloc exec nowrite align=16
global workload_user_entry
workload_user_start:
workload_user_entry:
user_1:         call    user_function
user_2:         jmp     user_3
                ud2
user_3:         int     VECTOR_USER_EXIT        ; ends at CPL 0
                ud2
user_function:  ret
workload_user_limit:

ROUNDS          equ 3000
global workload_user_loop_entry
workload_user_loop_start:
workload_user_loop_entry:
                mov     ecx, ROUNDS
user_loop_1:    dec     ecx
user_loop_back: jnz     user_loop_1
                int     VECTOR_USER_EXIT
                ud2
workload_user_loop_limit:

section .rodata
workload_user_run equ 0                         ; entered through user_call
workload_user_branches:
        branch  user_1, user_function, LBR_REL_CALL
        branch  user_function, user_2, LBR_RET
        branch  user_2, user_3, LBR_REL_JMP
workload_user_branches_end:
workload_user_accesses:
workload_user_accesses_end:
describe_workload workload_user, 4

workload_user_loop_run equ 0
workload_user_loop_branches:
        branch  user_loop_back, user_loop_1, LBR_JCC, ROUNDS - 1
workload_user_loop_branches_end:
workload_user_loop_accesses:
workload_user_loop_accesses_end:
describe_workload workload_user_loop, 2 + ROUNDS * 2
