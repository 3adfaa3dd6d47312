// dlsym() and dlvsym(): see dynamic_symbols.cpp, which answers for what Raddle intercepts. All else
// goes to the C library's own function with a jump, because that one looks at its return address to
// know what RTLD_NEXT means.

// raddle_dynamic_symbol(handle, name, version, caller) returns the answer in rax, or 0 there and the
// real function in rdx.
.macro ANSWER_OR_JUMP has_version
        .cfi_startproc
        pushq %rdi
        .cfi_adjust_cfa_offset 8
        pushq %rsi
        .cfi_adjust_cfa_offset 8
        pushq %rdx
        .cfi_adjust_cfa_offset 8
        movq 24(%rsp), %rcx
        .if !\has_version
        xorl %edx, %edx
        .endif
        call raddle_dynamic_symbol
        movq %rdx, %r11
        popq %rdx
        .cfi_adjust_cfa_offset -8
        popq %rsi
        .cfi_adjust_cfa_offset -8
        popq %rdi
        .cfi_adjust_cfa_offset -8
        testq %rax, %rax
        jz 1f
        ret
1:      jmp *%r11
        .cfi_endproc
.endm

        .text
        .hidden raddle_dynamic_symbol
        .globl dlsym
        .type dlsym, @function
dlsym:
        ANSWER_OR_JUMP 0
        .size dlsym, . - dlsym

        .globl dlvsym
        .type dlvsym, @function
dlvsym:
        ANSWER_OR_JUMP 1
        .size dlvsym, . - dlvsym

        .section .note.GNU-stack, "", @progbits
