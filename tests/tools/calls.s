# SPDX-License-Identifier: MIT
# The program to which calls.t's invented branches belong. It never runs; each label is an address. Both widths have equal bytes.
        .text
        .macro  function name
        .globl  \name
        .type   \name, @function
\name:
        .endm

        function main
        nop
main_call:      call    alpha
main_back:      nop
main_jump:      jmp     main_call
main_into:      jmp     alpha_call              # into a function's middle
main_onto:      jmp     twice                   # to a label that is not a function
        .size   main, . - main

twice:
        nop
        nop
        function alpha
        nop
        jmp     alpha                   # alpha+1
alpha_call:     call    beta
alpha_back:     nop
alpha_tail:     jmp     gamma
alpha_ret:      ret
        .size   alpha, . - alpha

        function beta
        nop
beta_ret:       ret
        .size   beta, . - beta

        function gamma
        nop
gamma_nop:      nop
gamma_ret:      ret
        .size   gamma, . - gamma

        function handler
        nop
handler_call:   call    beta
handler_back:   nop
handler_iret:   .byte   0xcf            # IRET
        .size   handler, . - handler

# In 64-bit mode 40h is a prefix of RET, in 32-bit mode INC EAX.
        function prefixed
        .byte   0x40
        ret
        .size   prefixed, . - prefixed

        function again
again_call:     call    again
again_back:     nop
again_ret:      ret
        .size   again, . - again

# The longest code without a branch after a call that counts as following it, and one byte more.
        function near_end
near_call:      call    beta
        .org    near_call + 4095
near_jump:      jmp     near_jump
        .size   near_end, . - near_end
        function far_end
far_call:       call    beta
        .org    far_call + 4096
far_jump:       jmp     far_jump
        .size   far_end, . - far_end

        .globl  _start
_start:         ret

# Of several names at one address, perf chooses by these criteria, in order: has a size, is not weak, is global, has fewer
# underscores, is longer, comes first.
        .org    near_end + 3 * 4096
        .macro  named name size
        .type   \name, @function
        .size   \name, \size
\name:
        .endm

        .globl  global_one, _longer_global, a_global, long_name, name_of_nine
        .weak   weak_but_longer
without_size_but_longer:
        named   with_size 4
        .skip   4
        named   weak_but_longer 4
        named   strong 4
        .skip   4
        named   local_but_longer 4
        named   global_one 4
        .skip   4
        named   _longer_global 4
        named   a_global 4
        .skip   4
        named   long_name 4
        named   name_of_nine 4
        .skip   4
        named   first_of_two 4
        named   other_of_two 4
        .skip   4
        named   a_name_that_is_longer_than_eighty_characters_of_which_there_are_not_many_in_this_world_or_any_other 4
        .skip   4
# Gaps: addresses after a symbol with a size have no name; a symbol without a size extends to the next.
        named   covers_two 2
        .skip   4
without_size:
        .skip   16
        named   covers_one 1
        .skip   1
last_without_size:
        .skip   5000

        .data
        .globl  some_data
        .type   some_data, @object
        .size   some_data, 8
some_data:      .quad   0
        .bss
        .skip   64
some_zeros:     .skip   64
