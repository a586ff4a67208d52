/* The border between the dispatcher and translated code. */
#include "walk/base/context.h"

#define AT(field, offset)                                                                          \
    _Static_assert(offsetof(struct context, field) == (offset), "enter.c's assembly uses it")
AT(gpr, 0);
AT(pc, 128);
AT(flags, 136);
AT(host_sp, 144);
AT(slot_rcx, 152);
AT(slot_r11, 160);
AT(jump, 168);
AT(leave, 188);
AT(interrupt, 192);

/* Enter: saves callee-saved registers to the host stack and loads the program's. Flags are pushed
 * on the host stack before %rsp is the program's. Leave: the reverse; none of the program's flags
 * stays in force, neither direction nor alignment check. Indirect ways find the target in %r11 and
 * the program's %rcx and %r11 in their slots. Flags must be saved before anything changes them, on
 * the host stack. */
__asm__(".pushsection .text\n"
        ".globl context_enter\n.hidden context_enter\n.type context_enter,@function\n"
        "context_enter:\n"
        "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp,%gs:144\n  mov %rsi,%gs:168\n"
        "context_tests:\n"
        "  cmpl $0,%gs:192\n  jne context_returns\n"
        "  pushq %gs:136\n  popfq\n"
        "  mov %gs:0,%rax\n  mov %gs:8,%rcx\n  mov %gs:16,%rdx\n  mov %gs:24,%rbx\n"
        "  mov %gs:40,%rbp\n  mov %gs:48,%rsi\n  mov %gs:56,%rdi\n  mov %gs:64,%r8\n"
        "  mov %gs:72,%r9\n  mov %gs:80,%r10\n  mov %gs:88,%r11\n  mov %gs:96,%r12\n"
        "  mov %gs:104,%r13\n  mov %gs:112,%r14\n  mov %gs:120,%r15\n  mov %gs:32,%rsp\n"
        "context_jumps:\n"
        "  jmp *%gs:168\n"
        "context_returns:\n"
        "  mov %gs:144,%rsp\n  movl $8,%gs:188\n  pushq $2\n  popfq\n  jmp 3f\n"
        "context_to_direct: movl $0,%gs:188\n  jmp 1f\n"
        "context_to_indirect: movl $1,%gs:188\n  jmp 2f\n"
        "context_to_budget: movl $2,%gs:188\n  jmp 1f\n"
        "context_to_budget_indirect: movl $3,%gs:188\n  jmp 2f\n"
        "context_to_stop: movl $4,%gs:188\n  jmp 1f\n"
        "context_to_syscall: movl $5,%gs:188\n  jmp 1f\n"
        "context_to_lazy: movl $7,%gs:188\n  jmp 1f\n"
        "context_to_guard: movl $9,%gs:188\n  jmp 1f\n"
        "context_to_plan: movl $10,%gs:188\n  jmp 1f\n"
        "context_to_step: movl $11,%gs:188\n  jmp 1f\n"
        "context_to_site: movl $6,%gs:188\n"
        "2: mov %r11,%gs:128\n  mov %gs:152,%rcx\n  mov %gs:160,%r11\n"
        "1: mov %rsp,%gs:32\n  mov %gs:144,%rsp\n"
        "  mov %rax,%gs:0\n  mov %rcx,%gs:8\n  mov %rdx,%gs:16\n  mov %rbx,%gs:24\n"
        "  mov %rbp,%gs:40\n  mov %rsi,%gs:48\n  mov %rdi,%gs:56\n  mov %r8,%gs:64\n"
        "  mov %r9,%gs:72\n  mov %r10,%gs:80\n  mov %r11,%gs:88\n  mov %r12,%gs:96\n"
        "  mov %r13,%gs:104\n  mov %r14,%gs:112\n  mov %r15,%gs:120\n"
        "  pushfq\n  popq %gs:136\n  pushq $2\n  popfq\n"
        "3:\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n  ret\n"
        ".size context_enter,.-context_enter\n"
        ".popsection\n");

extern char context_tests[], context_jumps[], context_returns[];
extern char context_to_direct[], context_to_indirect[], context_to_budget[],
    context_to_budget_indirect[], context_to_stop[], context_to_syscall[], context_to_site[],
    context_to_lazy[], context_to_guard[], context_to_plan[], context_to_step[];

bool context_entering(uint64_t pc)
{
    return pc >= (uint64_t)context_tests && pc <= (uint64_t)context_jumps;
}

uint64_t context_rewind(uint64_t pc)
{
    return context_entering(pc) ? (uint64_t)context_returns : pc;
}

uint64_t context_leave_indirect(void)
{
    return (uint64_t)context_to_indirect;
}

uint64_t context_leave_site(void)
{
    return (uint64_t)context_to_site;
}

void context_init(struct context *context)
{
    context->latency_left = 1;
    context->path_left = 1;
    context->looks_at = -(int64_t)sizeof context->looks;
    context->path_waits = context->path_back = PATH_WAITS_NONE;
    context->to_direct = (uint64_t)context_to_direct;
    context->to_indirect = (uint64_t)context_to_indirect;
    context->to_budget = (uint64_t)context_to_budget;
    context->to_budget_indirect = (uint64_t)context_to_budget_indirect;
    context->to_stop = (uint64_t)context_to_stop;
    context->to_syscall = (uint64_t)context_to_syscall;
    context->to_site = (uint64_t)context_to_site;
    context->to_lazy = (uint64_t)context_to_lazy;
    context->to_guard = (uint64_t)context_to_guard;
    context->to_plan = (uint64_t)context_to_plan;
    context->to_step = (uint64_t)context_to_step;
    context->path = PLAN_NO_PATH;
}
