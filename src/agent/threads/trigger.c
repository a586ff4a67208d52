#include "agent/threads/trigger.h"

#include "agent/base/clock.h"
#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "walk/base/sys.h"
#include "wire/attach.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/time.h>
#include <sys/syscall.h>

enum {
    CODE_TIMER = -2,
    CODE_PERF = 6,       /* of SIGTRAP */
    CODE_DESCRIPTOR = 6, /* of others: POLL_HUP, for the one event that was asked for */
    SET_SIGNAL = 10,     /* F_SETSIG, F_SETOWN_EX: not for all who include fcntl.h */
    SET_OWNER = 15,
    NOTIFY_THREAD = 4,
    DESCRIPTORS_MAX = 64, /* programs have limits of their own on how many are open */
    REFUSALS_MAX = 16,    /* of clocks for threads; then there will be no more */
    ERROR_BUSY = 16,
    ERROR_FILES = 24, /* EMFILE: no high number is left */
    ERROR_SYSTEM = 38,
};

/* struct siginfo as far as we look. */
struct siginfo_words {
    int32_t number, error, code, pad;
    union {
        struct {
            int32_t timer, overrun;
            uint64_t value;
        } timer;
        struct {
            uint64_t address, data;
        } perf;
        struct {
            int64_t band;
            int32_t fd;
        } descriptor;
    };
};

/* The clock of this thread that raised a signal by its descriptor. */
static int32_t slot_by_descriptor(int fd)
{
    const struct thread *thread = thread_self();
    return thread && thread->perf_fd == fd ? (int32_t)thread->slot : -1;
}

int32_t trigger_slot(const void *siginfo)
{
    const struct siginfo_words *info = siginfo;
    uint64_t word = info->code == CODE_TIMER ? info->timer.value : info->perf.data;
    if (info->number == TRIGGER_SIGNAL_UNTOLD && info->code == CODE_DESCRIPTOR)
        return slot_by_descriptor(info->descriptor.fd);
    if (info->number != agent.signal || (info->code != CODE_TIMER && info->code != CODE_PERF) ||
        word >> 16 != TRIGGER_MARK || (word & 0xffff) >= CHANNEL_THREADS)
        return -1;
    return (int32_t)(word & 0xffff);
}

static uint64_t mark_of(const struct thread *thread)
{
    return TRIGGER_MARK << 16 | thread->slot;
}

/* Before 5.18 a perf SIGTRAP that finds the signal blocked kills the process. */
static bool kernel_keeps_blocked_traps(void)
{
    char names[6][65];
    if (sys_failed(sys3(SYS_uname, (long)names, 0, 0)))
        return false;
    uint32_t part[2] = {0, 0}, at = 0;
    for (const char *c = names[2]; *c && at < 2; c++) {
        if (*c >= '0' && *c <= '9')
            part[at] = part[at] * 10 + (uint32_t)(*c - '0');
        else
            at++;
    }
    return part[0] > 5 || (part[0] == 5 && part[1] >= 18);
}

/* Its events raise our signal in the thread. After it has its number: the signal tells it. */
static void descriptor_signal(const struct thread *thread)
{
    const struct {
        int32_t kind, tid; /* 0: a thread */
    } owner = {0, thread->tid};
    sys3(SYS_fcntl, thread->perf_fd, SET_OWNER, (long)&owner);
    sys3(SYS_fcntl, thread->perf_fd, SET_SIGNAL, agent.signal);
    sys3(SYS_fcntl, thread->perf_fd, F_SETFL, O_ASYNC);
}

/* Opens the event, with a high number. Negative: the error. */
static long event_open(const struct perf_event_attr *attr, int32_t tid)
{
    long fd = sys6(SYS_perf_event_open, (long)attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if (sys_failed(fd))
        return fd;
    uint64_t identity = descriptor_identity(fd);
    long high = descriptor_move(fd, identity);
    if (!sys_failed(high))
        return high;
    descriptor_close(fd, identity);
    return -ERROR_FILES;
}

static bool perf_open(struct thread *thread)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = 1000000000,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = agent.signal == TRIGGER_SIGNAL,
        .sig_data = agent.signal == TRIGGER_SIGNAL ? mark_of(thread) : 0,
    };
    if (attr.sigtrap && !kernel_keeps_blocked_traps()) {
        agent.channel->perf_errno = ERROR_SYSTEM;
        return false;
    }
    long fd = descriptor_low_begin() ? event_open(&attr, thread->tid) : -ERROR_BUSY;
    thread->perf_due = false;
    thread->perf_fd =
        sys_failed(fd) ? -1 : (int)fd; /* forks look for it as soon as they may go on */
    descriptor_low_end();
    if (sys_failed(fd)) {
        agent.channel->perf_errno = (int32_t)-fd;
        return false;
    }
    if (!attr.sigtrap)
        descriptor_signal(thread);
    __atomic_fetch_add(&agent.n_descriptors, 1, __ATOMIC_RELAXED);
    return true;
}

/* struct sigevent as the kernel reads it. */
struct kernel_sigevent {
    uint64_t value;
    int32_t signal, notify, thread;
    int32_t pad[11];
};

bool trigger_open_timer(struct thread *thread)
{
    struct kernel_sigevent event = {.value = mark_of(thread),
                                    .signal = agent.signal,
                                    .notify = NOTIFY_THREAD,
                                    .thread = thread->tid};
    return !sys_failed(sys3(SYS_timer_create, agent_thread_clock(thread->tid), (long)&event,
                            (long)&thread->timer));
}

/* A timer fires at ticks of the kernel, which come anyway: a sample then costs a tenth of one by
 * perf's clock. Not if ticks are too rare for what is asked. */
static bool ticks_suffice(void)
{
    enum { TICK_MAX_NS = 5000000, MANY_PPM = 50000 };
    uint64_t tick_ns = agent_tick_ns();
    return agent.options.trigger == TRIGGER_AUTO && tick_ns <= TICK_MAX_NS &&
           agent.options.overhead_ppm <= MANY_PPM &&
           agent.options.fixed_hz * tick_ns <= UINT64_C(1000000000);
}

uint32_t trigger_kind(void)
{
    return agent.options.trigger == TRIGGER_CPUTIME || ticks_suffice() ? TRIGGER_CPUTIME
                                                                       : TRIGGER_PERF;
}

bool trigger_open(struct thread *thread)
{
    uint32_t kind = trigger_kind();
    if (kind == TRIGGER_CPUTIME && trigger_open_timer(thread))
        agent.trigger = TRIGGER_CPUTIME;
    else if (agent.options.trigger != TRIGGER_CPUTIME && perf_open(thread))
        agent.trigger = TRIGGER_PERF;
    else if (trigger_open_timer(thread)) /* instead of a refused perf clock, too */
        agent.trigger = TRIGGER_CPUTIME;
    else
        return false;
    agent.channel->trigger = agent.trigger;
    return true;
}

void trigger_upgrade(struct thread *thread)
{
    static uint32_t refusals; /* each costs about what a sample costs, and would come with each */
    if (thread->perf_fd >= 0 || agent.trigger != TRIGGER_PERF ||
        agent.n_descriptors >= DESCRIPTORS_MAX || refusals >= REFUSALS_MAX)
        return;
    if (!perf_open(thread)) {
        refusals += agent.channel->perf_errno != ERROR_BUSY;
        return;
    }
    sys3(SYS_timer_delete, thread->timer, 0, 0);
    thread->timer = -1;
}

void trigger_close(struct thread *thread)
{
    if (thread->perf_fd >= 0) {
        sys3(SYS_ioctl, thread->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
        sys3(SYS_close, thread->perf_fd, 0, 0);
        __atomic_fetch_sub(&agent.n_descriptors, 1, __ATOMIC_RELAXED);
    }
    if (thread->timer >= 0)
        sys3(SYS_timer_delete, thread->timer, 0, 0);
    thread->perf_fd = thread->timer = -1;
}

void trigger_disarm(struct thread *thread)
{
    struct __kernel_itimerspec never = {0};
    if (thread->perf_fd >= 0)
        sys3(SYS_ioctl, thread->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
    else if (thread->timer >= 0)
        sys6(SYS_timer_settime, thread->timer, 0, (long)&never, 0, 0, 0);
}

/* A refresh permits one more signal. If one was disarmed before its signal came, it still has that
 * of the last refresh: with another it would come twice, the second time inside of a handler. */
static bool perf_arm(struct thread *thread, uint64_t period_ns)
{
    unsigned int enable = thread->perf_due ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_REFRESH;
    long fd = thread->perf_fd;
    thread->perf_due = true;
    return !sys_failed(sys3(SYS_ioctl, fd, (long)PERF_EVENT_IOC_PERIOD, (long)&period_ns)) &&
           !sys_failed(sys3(SYS_ioctl, fd, enable, !(enable == PERF_EVENT_IOC_ENABLE)));
}

void trigger_came(struct thread *thread, const void *siginfo)
{
    const struct siginfo_words *info = siginfo;
    if (info->code != CODE_TIMER)
        thread->perf_due = false;
}

bool trigger_pending(void)
{
    uint64_t pending = 0;
    sys3(SYS_rt_sigpending, (long)&pending, 8, 0);
    return pending >> (agent.signal - 1) & 1;
}

static bool timer_arm(struct thread *thread, uint64_t period_ns)
{
    struct __kernel_itimerspec when = {
        .it_value = {.tv_sec = (long long)(period_ns / 1000000000),
                     .tv_nsec = (long long)(period_ns % 1000000000)}};
    return thread->timer >= 0 &&
           !sys_failed(sys6(SYS_timer_settime, thread->timer, 0, (long)&when, 0, 0, 0));
}

void trigger_arm(struct thread *thread, uint64_t period_ns)
{
    if (agent.retired)
        return;
    if (thread->perf_fd >= 0 && perf_arm(thread, period_ns))
        return;
    if (thread->perf_fd >= 0) { /* the program closed it: the descriptor may be its own by now */
        thread->perf_fd = -1;
        trigger_open_timer(thread);
    }
    if (!timer_arm(thread, period_ns))
        agent_lose(LOSS_trigger_lost);
}

/* ---- descriptors */

bool trigger_descriptor(uint32_t i, int *ret_fd)
{
    if (!agent.threads || i >= __atomic_load_n(&agent.n_threads, __ATOMIC_ACQUIRE))
        return false;
    *ret_fd = agent.threads[i].tid > 0 ? agent.threads[i].perf_fd : -1;
    return true;
}

bool trigger_owns(int fd)
{
    int ours;
    for (uint32_t i = 0; trigger_descriptor(i, &ours); i++)
        if (ours == fd)
            return true;
    return false;
}

void trigger_move(int fd)
{
    int ours;
    for (uint32_t i = 0; trigger_descriptor(i, &ours); i++) {
        if (ours != fd)
            continue;
        long moved = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (long)fd + 1);
        agent.threads[i].perf_fd = sys_failed(moved) ? -1 : (int)moved;
    }
}
