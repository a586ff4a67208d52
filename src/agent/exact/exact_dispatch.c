#include "agent/exact/exact_dispatch.h"

#include "agent/base/process.h"
#include "agent/base/program_memory.h"
#include "agent/base/thread.h"
#include "agent/exact/exact_actions.h"
#include "agent/exact/exact_call.h"
#include "agent/signals/signals.h"
#include "walk/base/probe.h"
#include "walk/base/sys.h"

#include <asm/signal.h>
#include <linux/audit.h>
#include <linux/prctl.h>
#include <sys/syscall.h>

#ifndef PR_SYS_DISPATCH_INCLUSIVE_ON /* Linux 6.16 */
#define PR_SYS_DISPATCH_INCLUSIVE_ON 2
#endif

enum {
    BAD_ADDRESS = 14 /* EFAULT */,
    USER_DISPATCH = 2 /* SYS_USER_DISPATCH, a si_code */,
    ALLOW = 0,
    BLOCK = 1,
};

/* ---- while it walks */

static long kernel_dispatch(uint64_t mode, uint64_t start, uint64_t bytes, const void *selector)
{
    return sys6(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, (long)mode, (long)start, (long)bytes,
                (long)selector, 0);
}

/* Whether the kernel would do so it says itself, for a byte of ours that lets every call through.
 */
long exact_dispatch_change(struct thread *thread)
{
    static const uint8_t allow = ALLOW;
    const uint64_t *gpr = thread->context->gpr, last = (UINT64_C(1) << 47) - 4096;
    struct dispatching wanted = {
        .mode = gpr[RSI], .start = gpr[RDX], .bytes = gpr[R10], .selector = gpr[R8]};
    if (wanted.mode == PR_SYS_DISPATCH_OFF) {
        long result = exact_call();
        if (!sys_failed(result))
            thread->dispatching = (struct dispatching){0};
        return result;
    }
    long result = kernel_dispatch(wanted.mode, wanted.start, wanted.bytes, &allow);
    if (sys_failed(result))
        return result;
    kernel_dispatch(PR_SYS_DISPATCH_OFF, 0, 0, NULL);
    if (wanted.selector >= last)
        return -BAD_ADDRESS;
    thread->dispatching = wanted;
    return result;
}

static bool is_exempt(const struct dispatching *dispatching, uint64_t pc)
{
    bool inside = pc - dispatching->start < dispatching->bytes;
    return inside != (dispatching->mode == PR_SYS_DISPATCH_INCLUSIVE_ON);
}

static bool is_handled(void)
{
    uint64_t mask = 0;
    sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8, 0, 0);
    return agent.own[SIGSYS] && agent.actions[SIGSYS].handler > 1 &&
           !(mask & exact_actions_bit(SIGSYS));
}

enum dispatch exact_dispatch_judge(const struct thread *thread, uint64_t next)
{
    const struct dispatching *dispatching = &thread->dispatching;
    uint8_t selector = BLOCK;
    if (dispatching->mode == PR_SYS_DISPATCH_OFF || is_exempt(dispatching, next))
        return DISPATCH_MADE;
    if (dispatching->selector && !program_read(dispatching->selector, &selector, 1))
        return DISPATCH_NATIVE;
    if (selector == ALLOW)
        return DISPATCH_MADE;
    return selector == BLOCK && is_handled() ? DISPATCH_SIGNAL : DISPATCH_NATIVE;
}

/* As the kernel's own: a thread may send itself what it likes. */
void exact_dispatch_send(const struct thread *thread)
{
    const struct context *context = thread->context;
    struct {
        int32_t signal, error, code, unused;
        uint64_t at;
        uint32_t number, arch;
        uint8_t rest[SIGINFO_BYTES - 32];
    } info = {.signal = SIGSYS,
              .code = USER_DISPATCH,
              .at = context->pc,
              .number = (uint32_t)context->gpr[RAX],
              .arch = AUDIT_ARCH_X86_64};
    _Static_assert(sizeof info == SIGINFO_BYTES, "the kernel's");
    sys6(SYS_rt_tgsigqueueinfo, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), SIGSYS,
         (long)&info, 0, 0);
}

/* ---- afterwards */

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

/* Only this thread looks for its own %fs. False: its signals cannot be passed on. */
static bool remember(uint64_t selector)
{
    uint64_t fs = fs_read();
    exact_dispatch_forget();
    for (uint32_t i = 0; fs && selector && i < AGENT_DISPATCHED; i++) {
        uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&agent.dispatched[i].fs, &none, fs, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        agent.dispatched[i].selector = selector;
        return true;
    }
    return false;
}

/* Nothing of ours makes a call behind this. The actions are the program's again if nobody walks;
 * where that of SIGSYS must be, because this thread's cannot be passed on, those who walk and need
 * it leave the run, too. */
void exact_dispatch_begin(const struct thread *thread)
{
    const struct dispatching *dispatching = &thread->dispatching;
    if (dispatching->mode == PR_SYS_DISPATCH_OFF)
        return;
    bool alone = __atomic_load_n(&agent.cache->gate.users, __ATOMIC_SEQ_CST) == 0;
    if (alone || !remember(dispatching->selector))
        exact_actions_give_back(alone);
    kernel_dispatch(dispatching->mode, dispatching->start, dispatching->bytes,
                    (const void *)dispatching->selector);
}

void exact_dispatch_forget(void)
{
    uint64_t fs = fs_read();
    struct dispatched *own = fs ? dispatched_of(fs) : NULL;
    if (own)
        __atomic_store_n(&own->fs, 0, __ATOMIC_RELEASE);
}

/* If there is no handler to jump to, our return is a system call as well: it stays let through. A
 * thread whose byte is gone has its calls made again: it could not call otherwise. */
bool exact_dispatch_pass(int signal, const uint8_t *siginfo, struct kernel_ucontext *frame,
                         uint64_t *ret_to)
{
    uint64_t fs = fs_read();
    const struct dispatched *own = fs ? dispatched_of(fs) : NULL;
    const uint8_t allow = ALLOW;
    uint8_t before;
    if (!own)
        return false;
    uint8_t *selector = (uint8_t *)own->selector;
    if (!probe_read(&before, own->selector, 1) || !probe_read(selector, (uint64_t)&allow, 1)) {
        exact_dispatch_forget();
        return false;
    }
    *ret_to = signals_pass_on(signal, (const int32_t *)(const void *)siginfo, frame);
    if (*ret_to)
        probe_read(selector, (uint64_t)&before, 1);
    return true;
}
