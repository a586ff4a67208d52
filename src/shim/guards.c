/* Calls after which the agent must look again, or stop: the rights of code change, a filter of
 * system calls is put in force, or a debugger is asked for. */
#include "agent/base/process.h"
#include "agent/base/stale.h"
#include "agent/sampling/retire.h"
#include "agent/signals/handover.h"
#include "agent/signals/signals.h"
#include "agent/signals/trap.h"
#include "shim/libc.h"

#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int mprotect_fn(void *, size_t, int);
typedef int pkey_mprotect_fn(void *, size_t, int, int);
typedef int munmap_fn(void *, size_t);
typedef void *mmap_fn(void *, size_t, int, int, int, off_t);
typedef void *mremap_fn(void *, size_t, size_t, int, ...);
typedef void *shmat_fn(int, const void *, int);
typedef int shmdt_fn(const void *);
typedef int dlclose_fn(void *);
typedef long ptrace_fn(enum __ptrace_request, ...);
typedef long syscall_fn(long, long, long, long, long, long, long);
typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef int prctl_fn(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* An exact run sees the system call itself. Before the agent begins, only code that patches itself
 * (XRay) wants both rights. */
static void code_heed(const void *start, size_t bytes, int rights)
{
    const int both = PROT_WRITE | PROT_EXEC;
    if (!agent.channel && (rights & both) == both)
        agent.patched = true;
    if (rights & PROT_WRITE && agent.options.mode == RECORD_SAMPLED)
        agent_code_writable((uint64_t)start, bytes);
}

EXPORT int mprotect(void *start, size_t bytes, int rights)
{
    static mprotect_fn *next;
    libc_function(&next, "mprotect");
    code_heed(start, bytes, rights);
    int result = next(start, bytes, rights);
    agent_code_changed((uint64_t)start, bytes);
    return result;
}

EXPORT int pkey_mprotect(void *start, size_t bytes, int rights, int key)
{
    static pkey_mprotect_fn *next;
    libc_function(&next, "pkey_mprotect");
    code_heed(start, bytes, rights);
    int result = next(start, bytes, rights, key);
    agent_code_changed((uint64_t)start, bytes);
    return result;
}

EXPORT int munmap(void *start, size_t bytes)
{
    static munmap_fn *next;
    libc_function(&next, "munmap");
    int result = next(start, bytes);
    agent_code_changed((uint64_t)start, bytes);
    return result;
}

EXPORT void *mmap(void *start, size_t bytes, int rights, int flags, int descriptor, off_t offset)
{
    static mmap_fn *next;
    libc_function(&next, "mmap");
    void *at = next(start, bytes, rights, flags, descriptor, offset);
    if ((flags & MAP_FIXED) && at != MAP_FAILED)
        agent_code_changed((uint64_t)at, bytes);
    return at;
}

EXPORT void *mmap64(void *start, size_t bytes, int rights, int flags, int descriptor, off_t offset)
{
    return mmap(start, bytes, rights, flags, descriptor, offset);
}

EXPORT void *mremap(void *start, size_t bytes, size_t new_bytes, int flags, ...)
{
    static mremap_fn *next;
    va_list list;
    va_start(list, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
    va_end(list);
    libc_function(&next, "mremap");
    void *at = next(start, bytes, new_bytes, flags, wanted);
    agent_code_changed((uint64_t)start, bytes);
    if (at != MAP_FAILED)
        agent_code_changed((uint64_t)at, new_bytes);
    return at;
}

/* Only with SHM_REMAP may there have been something else before. */
EXPORT void *shmat(int id, const void *start, int flags)
{
    static shmat_fn *next;
    struct shmid_ds status = {0};
    libc_function(&next, "shmat");
    void *at = next(id, start, flags);
    if (flags & SHM_REMAP && at != MAP_FAILED)
        agent_code_changed((uint64_t)at,
                           shmctl(id, IPC_STAT, &status) ? (size_t)1 << 46 : status.shm_segsz);
    return at;
}

EXPORT int shmdt(const void *start)
{
    static shmdt_fn *next;
    libc_function(&next, "shmdt");
    int result = next(start);
    agent_code_changed((uint64_t)start, 1);
    return result;
}

/* The loader maps and unmaps without libc's functions. What it adds is seen in its list. */
EXPORT int dlclose(void *library)
{
    static dlclose_fn *next;
    libc_function(&next, "dlclose");
    int result = next(library);
    agent_modules_closed();
    return result;
}

/* What a filter does not know of it may answer or kill for: samples and the frames we move need
 * system calls. */
static void calls_end(void)
{
    agent_retire(LOSS_trigger_lost);
    handover_end();
}

/* A handler's return is a system call as well, and the program permits libc's alone. */
static void handlers_return_by_libc(void)
{
    static sigaction_fn *next;
    libc_function(&next, "sigaction");
    for (int signal = 1; signal < AGENT_SIGNALS; signal++) {
        struct sigaction now;
        if (next(signal, NULL, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
            next(signal, &now, NULL);
    }
}

/* System calls of the thread become signals (Wine does that), those of our handlers too. So all
 * signals are the program's again, once nobody is in a handler of ours and samples that were on
 * their way have come. */
static void signals_end(void)
{
    enum { NAPS = 2000 };
    const struct timespec nap = {.tv_nsec = 500000};
    if (!agent.channel || agent.options.mode != RECORD_SAMPLED)
        return;
    for (int i = 0; i < NAPS; i++) {
        nanosleep(&nap, NULL);
        if (__atomic_load_n(&agent.inside, __ATOMIC_SEQ_CST))
            continue;
        trap_wait(true);
        signals_return();
        handlers_return_by_libc();
        return;
    }
}

static void prctl_heed(long option, unsigned long argument)
{
    bool dispatches = option == PR_SET_SYSCALL_USER_DISPATCH && argument != PR_SYS_DISPATCH_OFF;
    if (option == PR_SET_SECCOMP || dispatches)
        calls_end();
    if (dispatches)
        signals_end();
    if (option == PR_SET_TSC && argument == PR_TSC_SIGSEGV)
        agent_clock_forbidden();
}

EXPORT int prctl(int option, ...)
{
    static prctl_fn *next;
    va_list list;
    va_start(list, option);
    unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long);
    unsigned long c = va_arg(list, unsigned long), d = va_arg(list, unsigned long);
    va_end(list);
    libc_function(&next, "prctl");
    prctl_heed(option, a);
    return next(option, a, b, c, d);
}

/* How filters are put in force by libseccomp. Without a filter it only asks whether it could. */
EXPORT long syscall(long number, ...)
{
    static syscall_fn *next;
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    libc_function(&next, "syscall");
    if (number == SYS_seccomp &&
        (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c)))
        calls_end();
    if (number == SYS_prctl)
        prctl_heed(a, (unsigned long)b);
    long result = next(number, a, b, c, d, e, f);
    if (number == SYS_mprotect || number == SYS_pkey_mprotect || number == SYS_munmap ||
        number == SYS_mremap)
        agent_code_changed((uint64_t)a, (uint64_t)b);
    return result;
}

/* A debugger would see our samples: who asks to be traced gets none any more. */
EXPORT long ptrace(enum __ptrace_request request, ...)
{
    static ptrace_fn *next;
    va_list list;
    va_start(list, request);
    pid_t pid = va_arg(list, pid_t);
    void *address = va_arg(list, void *), *data = va_arg(list, void *);
    va_end(list);
    libc_function(&next, "ptrace");
    if (request == PTRACE_TRACEME)
        agent_retire(LOSS_traced);
    return next(request, pid, address, data);
}
