#include "agent/exact/exact_thread.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_altstack.h"
#include "agent/threads/trace.h"

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
    thread->aside = 0;
}

void exact_enter(struct thread *thread)
{
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
