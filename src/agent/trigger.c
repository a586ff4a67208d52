#include "agent/trigger.h"

#include "agent/agent.h"
#include "walk/sys.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/time.h>
#include <sys/syscall.h>

/* Marks our own signals among the program's. */
#define TRIGGER_MARK UINT64_C(0x6761697467616974)

enum {
    SIGNAL_TRAP = 5,
    CODE_TIMER = -2,
    CODE_PERF = 6,
    NOTIFY_THREAD = 4,
    HIGH_DESCRIPTOR = 1000,
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
    };
};

bool trigger_is_ours(const void *siginfo)
{
    const struct siginfo_words *info = siginfo;
    if (info->number != SIGNAL_TRAP)
        return false;
    if (info->code == CODE_TIMER)
        return agent.perf_fd < 0 && info->timer.value == TRIGGER_MARK;
    return info->code == CODE_PERF && info->perf.data == TRIGGER_MARK;
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

/* The one descriptor that stays open goes where programs do not look. */
static int descriptor_move(long fd)
{
    for (long want = HIGH_DESCRIPTOR; want >= 100; want -= 100) {
        long moved = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, want);
        if (sys_failed(moved))
            continue;
        sys3(SYS_close, fd, 0, 0);
        return (int)moved;
    }
    return (int)fd;
}

static bool perf_open(void)
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
        .sigtrap = 1,
        .sig_data = TRIGGER_MARK,
    };
    if (!kernel_keeps_blocked_traps()) {
        agent.channel->perf_errno = 38; /* ENOSYS */
        return false;
    }
    long fd = sys6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if (sys_failed(fd)) {
        agent.channel->perf_errno = (int32_t)-fd;
        return false;
    }
    agent.perf_fd = descriptor_move(fd);
    agent.channel->trigger = TRIGGER_PERF;
    return true;
}

/* struct sigevent as the kernel reads it. */
struct kernel_sigevent {
    uint64_t value;
    int32_t signal, notify, thread;
    int32_t pad[11];
};

static bool timer_open(void)
{
    struct kernel_sigevent event = {.value = TRIGGER_MARK,
                                    .signal = SIGNAL_TRAP,
                                    .notify = NOTIFY_THREAD,
                                    .thread = (int32_t)sys3(SYS_gettid, 0, 0, 0)};
    if (sys_failed(
            sys3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&agent.timer)))
        return false;
    agent.channel->trigger = TRIGGER_CPUTIME;
    return true;
}

bool trigger_open(void)
{
    agent.perf_fd = -1;
    agent.timer = -1;
    if (agent.options.trigger != TRIGGER_CPUTIME && perf_open())
        return true;
    return agent.options.trigger != TRIGGER_PERF && timer_open();
}

void trigger_disarm(void)
{
    struct __kernel_itimerspec never = {0};
    if (agent.perf_fd >= 0)
        sys3(SYS_ioctl, agent.perf_fd, PERF_EVENT_IOC_DISABLE, 0);
    else
        sys6(SYS_timer_settime, agent.timer, 0, (long)&never, 0, 0, 0);
}

void trigger_arm(uint64_t period_ns)
{
    bool armed;
    if (agent.retired)
        return;
    if (agent.perf_fd >= 0) {
        armed = !sys_failed(sys3(SYS_ioctl, agent.perf_fd, (long)PERF_EVENT_IOC_PERIOD,
                                 (long)&period_ns)) &&
                !sys_failed(sys3(SYS_ioctl, agent.perf_fd, PERF_EVENT_IOC_REFRESH, 1));
    } else {
        struct __kernel_itimerspec when = {
            .it_value = {.tv_sec = (long long)(period_ns / 1000000000),
                         .tv_nsec = (long long)(period_ns % 1000000000)}};
        armed = !sys_failed(sys6(SYS_timer_settime, agent.timer, 0, (long)&when, 0, 0, 0));
    }
    if (!armed)
        agent_lose(LOSS_trigger_lost);
}
