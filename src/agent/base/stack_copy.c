#include "agent/base/stack_copy.h"

#include "agent/base/kernel.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

/* A fault leaves in %rcx how many bytes were not copied. */
extern const char stack_copy_moves[], stack_copy_moved[];
__asm__(".pushsection .text\n"
        ".globl stack_copy_guarded\n.hidden stack_copy_guarded\n"
        "stack_copy_guarded:\n"
        "  mov %rdx,%rcx\n"
        "stack_copy_moves:\n"
        "  rep movsb\n"
        "stack_copy_moved:\n"
        "  mov %rdx,%rax\n"
        "  sub %rcx,%rax\n"
        "  ret\n"
        ".popsection\n");

bool stack_copy_faulted(struct kernel_ucontext *frame)
{
    if (frame->rip != (uint64_t)stack_copy_moves)
        return false;
    frame->rip = (uint64_t)stack_copy_moved;
    return true;
}

/* struct iovec of the kernel. */
struct piece {
    uint64_t start, bytes;
};

static uint64_t copy_by_kernel(void *into, uint64_t start, uint64_t bytes)
{
    struct piece from = {start, bytes}, to = {(uint64_t)into, bytes};
    long pid = sys3(SYS_getpid, 0, 0, 0);
    long got = sys6(SYS_process_vm_readv, pid, (long)&to, 1, (long)&from, 1, 0);
    return sys_failed(got) ? 0 : (uint64_t)got;
}

/* The frame of a fault goes to the alternate stack, from its top down, since the handler's own is
 * elsewhere. */
static bool fault_bearable(const struct kernel_ucontext *frame)
{
    const uint64_t faults = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1);
    return !(frame->mask & faults) && frame->rsp - frame->stack_sp >= frame->stack_size;
}

uint64_t stack_copy_memory(void *to, uint64_t from, uint64_t bytes,
                           const struct kernel_ucontext *frame)
{
    return fault_bearable(frame) ? stack_copy_guarded(to, from, bytes)
                                 : copy_by_kernel(to, from, bytes);
}

/* A stack pointer elsewhere is that of another stack: of a signal, a coroutine. More than `most` is
 * worth its price where it makes the stack whole, since a part of one has no callers to the start.
 * As long as nothing is known it may do so, and only whole stacks tell where they begin; but stacks
 * of code that nobody can unwind never tell. */
static uint64_t bytes_wanted(struct stack_copy *copy, uint64_t sp, uint64_t begin, uint32_t most)
{
    if (!begin)
        return copy->guesses++ < STACK_COPY_GUESSES ? STACK_COPY_DEEP : most;
    copy->guesses = 0;
    return begin > sp && begin - sp <= STACK_COPY_DEEP - STACK_BEGIN_BYTES
               ? begin - sp + STACK_BEGIN_BYTES
               : most;
}

static void registers_take(struct stack_copy *copy, const struct kernel_ucontext *frame)
{
    const uint64_t registers[STACK_COPY_REGISTERS] = {
        frame->rax, frame->rbx, frame->rcx, frame->rdx, frame->rsi, frame->rdi,
        frame->rbp, frame->rsp, frame->rip, frame->r8,  frame->r9,  frame->r10,
        frame->r11, frame->r12, frame->r13, frame->r14, frame->r15};
    for (uint32_t i = 0; i < STACK_COPY_REGISTERS; i++)
        copy->registers[i] = registers[i];
}

uint32_t stack_copy_take(struct stack_copy *copy, const struct kernel_ucontext *frame,
                         uint64_t begin, uint32_t most)
{
    uint64_t wanted = bytes_wanted(copy, frame->rsp, begin, most);
    uint64_t *raw = copy->words + (STACK_WORDS_ROOM(STACK_COPY_WORDS) - STACK_COPY_WORDS);
    uint64_t got = stack_copy_memory(raw, frame->rsp, wanted, frame);
    registers_take(copy, frame);
    copy->n_words = stack_words_encode(copy->words, raw, (uint32_t)(got / 8));
    return (uint32_t)got & ~7u;
}

void stack_copy_write(const struct stack_copy *copy, uint64_t *to)
{
    __builtin_memcpy(to, copy->registers, sizeof copy->registers);
    __builtin_memcpy(to + STACK_COPY_REGISTERS, copy->words, 8 * (uint64_t)copy->n_words);
}
