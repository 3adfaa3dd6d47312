// See return_point.hpp. The order is that of ReturnPoint's members.
        .text
        .globl raddle_save_point
        .hidden raddle_save_point
        .type raddle_save_point, @function
raddle_save_point:
        .cfi_startproc
        movq %rbx, (%rdi)
        movq %rbp, 8(%rdi)
        movq %r12, 16(%rdi)
        movq %r13, 24(%rdi)
        movq %r14, 32(%rdi)
        movq %r15, 40(%rdi)
        leaq 8(%rsp), %rdx
        movq %rdx, 48(%rdi)
        movq (%rsp), %rdx
        movq %rdx, 56(%rdi)
        stmxcsr 64(%rdi)
        movl $0, 68(%rdi)
        fnstcw 68(%rdi)
        xorl %eax, %eax
        ret
        .cfi_endproc
        .size raddle_save_point, .-raddle_save_point

        .globl raddle_go_to
        .hidden raddle_go_to
        .type raddle_go_to, @function
raddle_go_to:
        .cfi_startproc
        fninit
        fldcw 68(%rdi)
        ldmxcsr 64(%rdi)
        movq (%rdi), %rbx
        movq 8(%rdi), %rbp
        movq 16(%rdi), %r12
        movq 24(%rdi), %r13
        movq 32(%rdi), %r14
        movq 40(%rdi), %r15
        movq 48(%rdi), %rsp
        movl $1, %eax
        jmp *56(%rdi)
        .cfi_endproc
        .size raddle_go_to, .-raddle_go_to

        .globl raddle_run_on
        .hidden raddle_run_on
        .type raddle_run_on, @function
raddle_run_on:
        .cfi_startproc
        .cfi_undefined rip
        movq %rdi, %rsp
        andq $-16, %rsp
        xorl %ebp, %ebp
        call *%rsi
        ud2
        .cfi_endproc
        .size raddle_run_on, .-raddle_run_on

        .section .note.GNU-stack,"",@progbits
