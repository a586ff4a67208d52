#include "agent/exact/exact_call.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_counts.h"

/* If a signal comes before the instruction, or makes the kernel restart the call, pc is at or
 * before it; %rcx, which the instruction sets, distinguishes the two. */
__asm__(".pushsection .text\n"
        ".globl exact_call\n.hidden exact_call\n"
        "exact_call:\n"
        "  cmpl $0,%gs:192\n  mov $-512,%rax\n  jne 2f\n"
        "  mov %gs:56,%rdi\n  mov %gs:48,%rsi\n  mov %gs:16,%rdx\n  mov %gs:80,%r10\n"
        "  mov %gs:64,%r8\n  mov %gs:72,%r9\n  mov %gs:0,%rax\n  xor %ecx,%ecx\n"
        "exact_call_made:\n"
        "  syscall\n"
        "2: ret\n"
        ".popsection\n");
extern char exact_call_made[];

bool exact_calling(uint64_t pc)
{
    return pc >= (uint64_t)exact_call && pc <= (uint64_t)exact_call_made;
}

bool exact_called(uint64_t pc)
{
    return pc == (uint64_t)exact_call_made + 2;
}

void exact_call_postpone(struct thread *thread, bool poured)
{
    struct context *context = thread->context;
    context->pc = thread->call_pc;
    thread->arrived = thread->walk.moved = false;
    if (!poured || agent.options.mode != RECORD_EXACT_TRACE)
        exact_undo(thread, context->exit);
}

void exact_call_interrupted(struct thread *thread, uint64_t rcx)
{
    struct context *context = thread->context;
    if (!exact_called(rcx)) {
        exact_call_postpone(thread, true);
        return;
    }
    thread->arrived = false; /* the call is made again, and counted again */
    context->gpr[RCX] = thread->call_pc + 2;
    context->gpr[R11] = context->flags;
}
