/* Interposers: the program's wishes about signals of ours are kept for it, all else goes to libc.
 *
 * Raw system calls pass these by; nothing may depend on them alone. */
#include "agent/base/kernel.h"
#include "agent/signals/altstack.h"
#include "agent/signals/signals.h"
#include "agent/signals/trap.h"
#include "shim/libc.h"

#include <errno.h>
#include <signal.h>

typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef int sigmask_fn(int, const sigset_t *, sigset_t *);
typedef int pending_fn(sigset_t *);
typedef int altstack_fn(const stack_t *, stack_t *);
typedef __sighandler_t sigset_fn(int, __sighandler_t);

/* libc's own. Found before the program begins: it may call any of these in a handler first, where
 * dlsym must not be called. */
static sigaction_fn *next_sigaction;
static sigset_fn *next_sigset;
static sigmask_fn *next_sigprocmask;
static sigmask_fn *next_pthread_sigmask;
static pending_fn *next_sigpending;
static altstack_fn *next_sigaltstack;

__attribute__((constructor)) static void find_all(void)
{
    libc_function(&next_sigaction, "sigaction");
    libc_function(&next_sigset, "sigset");
    libc_function(&next_sigprocmask, "sigprocmask");
    libc_function(&next_pthread_sigmask, "pthread_sigmask");
    libc_function(&next_sigpending, "sigpending");
    libc_function(&next_sigaltstack, "sigaltstack");
}

static struct kernel_sigaction to_kernel(const struct sigaction *action)
{
    struct kernel_sigaction kernel = {.handler = (uint64_t)action->sa_sigaction,
                                      .flags = (uint64_t)(unsigned)action->sa_flags};
    memcpy(&kernel.mask, &action->sa_mask, sizeof kernel.mask);
    return kernel;
}

static void from_kernel(const struct kernel_sigaction *kernel, struct sigaction *action)
{
    memset(action, 0, sizeof *action);
    memcpy(&action->sa_sigaction, &kernel->handler, sizeof kernel->handler);
    action->sa_flags = (int)(kernel->flags & ~(uint64_t)KERNEL_SA_RESTORER);
    memcpy(&action->sa_mask, &kernel->mask, sizeof kernel->mask);
}

/* What our interposers share has no name that others can take over: in a program with interposers
 * of its own, such as one built with a sanitizer, `sigaction` called by us would be that program's,
 * which takes the handler for one that its user sets. */
static int action_change(int signal, const struct sigaction *set, struct sigaction *old)
{
    struct kernel_sigaction wanted, before;
    if (set)
        wanted = to_kernel(set);
    if (signals_program_action(signal, set ? &wanted : NULL, &before)) {
        if (old)
            from_kernel(&before, old);
        return 0;
    }
    libc_function(&next_sigaction, "sigaction");
    return next_sigaction(signal, set, old);
}

EXPORT int sigaction(int signal, const struct sigaction *restrict set,
                     struct sigaction *restrict old)
{
    return action_change(signal, set, old);
}

/* Signals that siginterrupt() wants to interrupt system calls, as bits: signal() heeds them later.
 */
static uint64_t interrupting;

static uint64_t bit_of(int signal)
{
    return signal > 0 && signal <= 64 ? (uint64_t)1 << (signal - 1) : 0;
}

/* That of the C library changes the kernel's action without a call that we see. */
EXPORT int siginterrupt(int signal, int interrupts)
{
    struct sigaction action;
    if (action_change(signal, NULL, &action))
        return -1;
    if (interrupts) {
        __atomic_fetch_or(&interrupting, bit_of(signal), __ATOMIC_RELAXED);
        action.sa_flags &= ~SA_RESTART;
    } else {
        __atomic_fetch_and(&interrupting, ~bit_of(signal), __ATOMIC_RELAXED);
        action.sa_flags |= SA_RESTART;
    }
    return action_change(signal, &action, NULL);
}

static __sighandler_t set_lasting(int number, __sighandler_t handler)
{
    bool interrupts = __atomic_load_n(&interrupting, __ATOMIC_RELAXED) & bit_of(number);
    struct sigaction set = {.sa_handler = handler, .sa_flags = interrupts ? 0 : SA_RESTART}, old;
    sigemptyset(&set.sa_mask);
    sigaddset(&set.sa_mask, number); /* as the C library does */
    return action_change(number, &set, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    return set_lasting(number, handler);
}

/* The other names of signal(). Those of System V reset the action when it is taken. */
static __sighandler_t set_once(int number, __sighandler_t handler)
{
    struct sigaction set = {.sa_handler = handler, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)},
                     old;
    sigemptyset(&set.sa_mask);
    return action_change(number, &set, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler);
EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler)
{
    return set_lasting(number, handler);
}

EXPORT __sighandler_t ssignal(int number, __sighandler_t handler)
{
    return set_lasting(number, handler);
}

EXPORT __sighandler_t sysv_signal(int number, __sighandler_t handler)
{
    return set_once(number, handler);
}

EXPORT __sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
    return set_once(number, handler);
}

EXPORT int sigignore(int number)
{
    return set_lasting(number, SIG_IGN) == SIG_ERR ? -1 : 0;
}

EXPORT __sighandler_t sigset(int number, __sighandler_t handler)
{
    struct kernel_sigaction wanted = {.handler = (uint64_t)handler}, before;
    if (handler != SIG_HOLD && signals_program_action(number, &wanted, &before)) {
        struct sigaction old;
        from_kernel(&before, &old);
        return old.sa_handler;
    }
    libc_function(&next_sigset, "sigset");
    return next_sigset(number, handler);
}

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *copy)
{
    if (!set || how == SIG_UNBLOCK || trap_really())
        return set;
    uint64_t mask;
    *copy = *set;
    memcpy(&mask, copy, sizeof mask);
    mask = signals_program_mask(mask);
    memcpy(copy, &mask, sizeof mask);
    return copy;
}

/* The call itself, with SIGTRAP taken out; what the program wanted of that one is kept for it. */
static int mask_change(sigmask_fn *next, int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy, wanted;
    bool was_blocked = trap_blocked();
    if (set)
        wanted = *set; /* `old` may be the same */
    int result = next(how, without_ours(how, set, &copy), old);
    if (result != 0)
        return result;
    if (old && was_blocked)
        sigaddset(old, SIGTRAP);
    if (set && (how == SIG_SETMASK || sigismember(&wanted, SIGTRAP) == 1))
        trap_block(how != SIG_UNBLOCK && sigismember(&wanted, SIGTRAP) == 1);
    return result;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    libc_function(&next_sigprocmask, "sigprocmask");
    return mask_change(next_sigprocmask, how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    libc_function(&next_pthread_sigmask, "pthread_sigmask");
    return mask_change(next_pthread_sigmask, how, set, old);
}

/* Older names of it, which do not come by the new one inside the C library. */
static int mask_word(int how, int mask)
{
    sigset_t set, old;
    uint64_t word = (unsigned)mask;
    sigemptyset(&set);
    memcpy(&set, &word, sizeof word);
    if (sigprocmask(how, &set, &old))
        return -1;
    memcpy(&word, &old, sizeof word);
    return (int)word;
}

EXPORT int sigsetmask(int mask)
{
    return mask_word(SIG_SETMASK, mask);
}

EXPORT int sigblock(int mask)
{
    return mask_word(SIG_BLOCK, mask);
}

EXPORT int siggetmask(void)
{
    return mask_word(SIG_BLOCK, 0);
}

static int mask_one(int how, int signal)
{
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, signal) ? -1 : sigprocmask(how, &set, NULL);
}

EXPORT int sighold(int signal)
{
    return mask_one(SIG_BLOCK, signal);
}

EXPORT int sigrelse(int signal)
{
    return mask_one(SIG_UNBLOCK, signal);
}

EXPORT int sigpending(sigset_t *set)
{
    libc_function(&next_sigpending, "sigpending");
    int result = next_sigpending(set);
    if (result == 0 && trap_pending())
        sigaddset(set, SIGTRAP);
    return result;
}

EXPORT int sigaltstack(const stack_t *restrict set, stack_t *restrict old)
{
    struct kernel_altstack wanted, before;
    long result;
    if (set)
        memcpy(&wanted, set, sizeof wanted);
    uint64_t sp = (uint64_t)__builtin_frame_address(0);
    if (!altstack_program(sp, set ? &wanted : NULL, &before, &result)) {
        libc_function(&next_sigaltstack, "sigaltstack");
        return next_sigaltstack(set, old);
    }
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    if (old)
        memcpy(old, &before, sizeof before);
    return 0;
}
