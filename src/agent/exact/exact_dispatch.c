#include "agent/exact/exact_dispatch.h"

#include "agent/base/process.h"
#include "agent/signals/signals.h"

static uint64_t fs_read(void)
{
    uint64_t fs;
    __asm__ volatile("rdfsbase %0" : "=r"(fs));
    return fs;
}

static struct dispatched *dispatched_of(uint64_t fs)
{
    for (uint32_t i = 0; i < AGENT_DISPATCHED; i++)
        if (__atomic_load_n(&agent.dispatched[i].fs, __ATOMIC_ACQUIRE) == fs)
            return &agent.dispatched[i];
    return NULL;
}

/* Only this thread looks for its own %fs, and no signal comes before it is native. */
void exact_dispatch_begin(uint64_t selector)
{
    uint64_t fs = fs_read();
    exact_dispatch_forget();
    for (uint32_t i = 0; fs && selector && i < AGENT_DISPATCHED; i++) {
        uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&agent.dispatched[i].fs, &none, fs, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        agent.dispatched[i].selector = selector;
        return;
    }
}

void exact_dispatch_forget(void)
{
    uint64_t fs = fs_read();
    struct dispatched *own = fs ? dispatched_of(fs) : NULL;
    if (own)
        __atomic_store_n(&own->fs, 0, __ATOMIC_RELEASE);
}

/* If there is no handler to jump to, our return is a system call as well: it stays let through. */
bool exact_dispatch_pass(int signal, const uint8_t *siginfo, struct kernel_ucontext *frame,
                         uint64_t *ret_to)
{
    uint64_t fs = fs_read();
    const struct dispatched *own = fs ? dispatched_of(fs) : NULL;
    if (!own)
        return false;
    volatile uint8_t *selector = (volatile uint8_t *)own->selector;
    uint8_t before = *selector;
    *selector = 0; /* SYSCALL_DISPATCH_FILTER_ALLOW */
    *ret_to = signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame);
    if (*ret_to)
        *selector = before;
    return true;
}
