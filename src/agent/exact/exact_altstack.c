#include "agent/exact/exact_altstack.h"

#include "agent/signals/altstack.h"
#include "agent/exact/syscalls.h"
#include "agent/thread.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

enum { NOT_PERMITTED = 1, BAD_ADDRESS = 14 };
#define STACK_AUTODISARM (1u << 31)

void exact_altstack_begin(struct thread *thread)
{
    sys3(SYS_sigaltstack, 0, (long)&thread->altstack, 0);
}

static bool on_altstack(const struct kernel_altstack *stack, uint64_t sp)
{
    return !(stack->flags & ALTSTACK_DISABLE) && !(stack->flags & STACK_AUTODISARM) &&
           stack->size && sp - stack->sp - 1 < stack->size;
}

struct kernel_altstack exact_altstack_seen(const struct thread *thread, uint64_t sp)
{
    struct kernel_altstack seen = thread->altstack;
    if (!seen.size)
        seen.flags = ALTSTACK_DISABLE;
    if (on_altstack(&thread->altstack, sp))
        seen.flags |= ALTSTACK_ON;
    return seen;
}

uint64_t exact_altstack_top(const struct thread *thread, uint64_t sp)
{
    const struct kernel_altstack *stack = &thread->altstack;
    bool enabled = stack->size && !(stack->flags & ALTSTACK_DISABLE);
    return enabled && !on_altstack(stack, sp) ? stack->sp + stack->size : 0;
}

void exact_altstack_set(struct thread *thread, const struct kernel_altstack *wanted)
{
    thread->altstack = wanted->flags & ALTSTACK_DISABLE
                           ? (struct kernel_altstack){.flags = ALTSTACK_DISABLE}
                           : (struct kernel_altstack){.sp = wanted->sp,
                                                      .size = wanted->size,
                                                      .flags = wanted->flags & STACK_AUTODISARM};
}

void exact_altstack_left(struct thread *thread)
{
    if (thread->altstack.flags & STACK_AUTODISARM)
        thread->altstack = (struct kernel_altstack){.flags = ALTSTACK_DISABLE};
}

static struct kernel_altstack lent(const struct thread *thread)
{
    return (struct kernel_altstack){.sp = (uint64_t)thread->context->signal_stack,
                                    .size = CONTEXT_SIGNAL_STACK_BYTES};
}

long exact_altstack_change(struct thread *thread, uint64_t set, uint64_t old)
{
    uint64_t sp = thread->context->gpr[RSP];
    struct kernel_altstack wanted, seen = exact_altstack_seen(thread, sp);
    if (set && !syscalls_read(set, &wanted, sizeof wanted))
        return -BAD_ADDRESS;
    if (set && on_altstack(&thread->altstack, sp))
        return -NOT_PERMITTED;
    struct kernel_altstack ours = lent(thread);
    long refused = set ? altstack_judge(&ours, &wanted) : 0;
    if (refused)
        return refused;
    if (set)
        exact_altstack_set(thread, &wanted);
    return old && !syscalls_write(old, &seen, sizeof seen) ? -BAD_ADDRESS : 0;
}

void exact_altstack_enter(struct thread *thread)
{
    struct kernel_altstack ours = lent(thread);
    sys3(SYS_sigaltstack, (long)&ours, 0, 0);
}

void exact_altstack_leave(struct thread *thread)
{
    struct kernel_altstack theirs = thread->altstack;
    if (!theirs.size)
        theirs.flags = ALTSTACK_DISABLE;
    sys3(SYS_sigaltstack, (long)&theirs, 0, 0);
}
