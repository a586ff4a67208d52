/* The kernel's layout of signal structures: libc's types differ. */
#pragma once

#include <stdint.h>

struct kernel_sigaction {
    uint64_t handler;
    uint64_t flags;
    uint64_t restorer;
    uint64_t mask;
};

enum { KERNEL_SA_RESTORER = 0x04000000 };

/* struct ucontext of rt_sigreturn: the saved state of an interrupted thread. */
struct kernel_ucontext {
    uint64_t flags, link;
    uint64_t stack_sp, stack_flags, stack_size;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags;
    uint64_t segments, error, trap, old_mask, cr2;
    uint64_t fpstate; /* pointer */
    uint64_t reserved[8];
    uint64_t mask;
};

struct kernel_altstack {
    uint64_t sp;
    uint32_t flags, pad;
    uint64_t size;
};

enum { SIGINFO_BYTES = 128, SIGINFO_ADDRESS_AT = 16, ALTSTACK_ON = 1, ALTSTACK_DISABLE = 2 };

/* What a handler finds on its stack: the kernel's struct rt_sigframe. */
struct kernel_sigframe {
    uint64_t restorer; /* the handler's return address */
    struct kernel_ucontext context;
    uint8_t siginfo[SIGINFO_BYTES];
};

/* Offsets in the vector state that describe its size, behind the 512 bytes of fxsave. */
enum {
    FPSTATE_MAGIC_AT = 464,
    FPSTATE_SIZE_AT = 468,
    FPSTATE_FEATURES_AT = 472,
    FPSTATE_BYTES_MAX = 1 << 14,
};
#define FPSTATE_MAGIC 0x46505853u
