#include "agent/exact/exact_thread.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_altstack.h"
#include "agent/exact/exact_counts.h"
#include "agent/exact/exact_pause.h"
#include "agent/threads/trace.h"
#include "walk/count/event_clock.h"

void exact_prepare(struct thread *thread)
{
    struct context *context = thread->context;
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = INT64_MIN / 2; /* plain: no end */
    context->interrupt = 0;
    context->path = PLAN_NO_PATH;
    if (agent.cache->contexts)
        contexts_begin(agent.cache->contexts, context);
    thread->pending.signal = thread->step.signal = 0;
    thread->stepping.on = false;
    thread->dispatching = (struct dispatching){0};
    thread->aside = 0;
    exact_pauses_forget(thread);
}

void exact_enter(struct thread *thread)
{
    event_clock_begin(thread->context);
    gs_write((uint64_t)thread->context);
    gate_enter(&agent.cache->gate);
    thread->walking = 1;
    if (agent.options.mode == RECORD_EXACT_TRACE)
        trace_begin(thread);
    exact_altstack_enter(thread);
}

uint64_t exact_host_top(const struct thread *thread)
{
    return (uint64_t)(thread->context->stack + CONTEXT_STACK_BYTES);
}

void exact_resume(struct thread *thread)
{
    __asm__ volatile("mov %0,%%rsp\n call *%1\n ud2"
                     :
                     : "r"(exact_host_top(thread)), "r"(thread->loop), "D"(thread)
                     : "memory");
    __builtin_unreachable();
}

void exact_retire(struct thread *thread)
{
    thread->walking = 0;
    exact_pauses_publish(thread);
    exact_pour(thread, thread->context->pc, 0);
    if (agent.options.mode == RECORD_EXACT_TRACE)
        trace_end(thread);
    gate_leave(&agent.cache->gate);
    agent_lose(LOSS_exact_left);
    exact_altstack_leave(thread);
}

/* Loads the registers and jumps to the program. The last ones go through memory below the red zone
 * of its stack, which it does not use. */
void exact_go_native(void)
{
    __asm__ volatile(
        "pushq %%gs:136\n popfq\n"
        "mov %%gs:32,%%rsp\n"
        "mov %%gs:128,%%rax\n mov %%rax,-136(%%rsp)\n"
        "mov %%gs:0,%%rax\n mov %%rax,-144(%%rsp)\n"
        "mov %%gs:8,%%rcx\n mov %%gs:16,%%rdx\n mov %%gs:24,%%rbx\n mov %%gs:40,%%rbp\n"
        "mov %%gs:48,%%rsi\n mov %%gs:56,%%rdi\n mov %%gs:64,%%r8\n mov %%gs:72,%%r9\n"
        "mov %%gs:80,%%r10\n mov %%gs:88,%%r11\n mov %%gs:96,%%r12\n"
        "mov %%gs:104,%%r13\n mov %%gs:112,%%r14\n mov %%gs:120,%%r15\n"
        "mov %%gs:%c0,%%rax\n wrgsbase %%rax\n"
        "mov -144(%%rsp),%%rax\n jmp *-136(%%rsp)\n"
        :
        : "i"(offsetof(struct context, program_gs)));
    __builtin_unreachable();
}
