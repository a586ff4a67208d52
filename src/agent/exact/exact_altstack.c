#include "agent/exact/exact_altstack.h"

#include "agent/base/program_memory.h"
#include "agent/base/thread.h"
#include "agent/signals/altstack.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

enum { NOT_PERMITTED = 1, BAD_ADDRESS = 14 };

void exact_altstack_begin(struct thread *thread)
{
    sys3(SYS_sigaltstack, 0, (long)&thread->altstack, 0);
}

static struct kernel_altstack lent(const struct thread *thread)
{
    return (struct kernel_altstack){.sp = (uint64_t)thread->context->signal_stack,
                                    .size = CONTEXT_SIGNAL_STACK_BYTES};
}

long exact_altstack_change(struct thread *thread, uint64_t set, uint64_t old)
{
    uint64_t sp = thread->context->gpr[RSP];
    struct kernel_altstack wanted, seen = altstack_seen(thread, sp);
    if (set && !program_read(set, &wanted, sizeof wanted))
        return -BAD_ADDRESS;
    if (set && seen.flags & ALTSTACK_ON)
        return -NOT_PERMITTED;
    struct kernel_altstack ours = lent(thread);
    long refused = set ? altstack_judge(&ours, &wanted) : 0;
    if (refused)
        return refused;
    if (set)
        altstack_set(thread, &wanted);
    return old && !program_write(old, &seen, sizeof seen) ? -BAD_ADDRESS : 0;
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
