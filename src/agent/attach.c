/* The entry of the agent's image in a process that did not load it. The tool starts a thread here
 * for each command, with all signals blocked and a stack of its own. */
#include "wire/attach.h"

#include "agent/agent.h"
#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/channel/connect.h"
#include "agent/exact/exact.h"
#include "agent/sampling/budget.h"
#include "agent/sampling/calibrate.h"
#include "agent/signals/signals.h"
#include "agent/threads/begin.h"
#include "agent/threads/threads.h"
#include "agent/threads/trigger.h"
#include "walk/base/sys.h"

#include <sys/socket.h>
#include <sys/syscall.h>

enum {
    BLOCK,
    UNBLOCK,
    NAP_NS = 100000,
    PATIENCE = 20000, /* naps until a handler should have ended */
};

_Noreturn void attach_enter(struct attach *attach);

/* The descriptor that waits in the socket, or -errno. */
static long descriptor_receive(int socket)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    long got = sys3(SYS_recvmsg, socket, (long)&message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (sys_failed(got))
        return got;
    if (message.msg_controllen < CMSG_LEN(sizeof(int)) || control.header.cmsg_type != SCM_RIGHTS)
        return -71; /* EPROTO */
    int fd;
    __builtin_memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
    return fd;
}

static bool channel_take(struct attach *attach)
{
    const struct agent_place place = {.pid = attach->pid,
                                      .loader = (const struct r_debug *)attach->loader,
                                      .text_start = attach->text_start,
                                      .text_end = attach->text_end,
                                      .hwcap2 = attach->hwcap2,
                                      .untold = true};
    long fd = descriptor_receive(attach->sockets[1]);
    for (uint32_t i = 0; i < 2; i++)
        sys3(SYS_close, attach->sockets[i], 0, 0);
    if (sys_failed(fd)) {
        attach->error = (int32_t)-fd;
        return false;
    }
    bool connected = connect_by(fd, &place);
    if (connected &&
        agent.options.mode != RECORD_SAMPLED) { /* banks of threads are mapped from it */
        long high = descriptor_move(fd, descriptor_identity(fd));
        agent.share_fd = (int)(sys_failed(high) ? fd : high);
    } else {
        sys3(SYS_close, fd, 0, 0);
    }
    attach->error = 12; /* ENOMEM: of all that may be missing the likeliest */
    return connected;
}

/* Calibrates on this thread, which is none of the program's. */
static void prepare(void)
{
    struct thread *self = &agent.threads[CHANNEL_THREADS - 1]; /* nobody has one yet */
    if (!agent_begin())
        return;
    self->tid = (int32_t)sys3(SYS_gettid, 0, 0, 0);
    self->perf_fd = self->timer = -1;
    if (!trigger_open(self)) {
        agent_lose(LOSS_trigger_lost);
        return;
    }
    signals_own_samples();
    calibrate(self);
    trigger_close(self);
    signals_return();
    self->tid = 0;
    budget_init();
}

/* Samples the thread from now on, unless it is already. */
static void thread_sample(int32_t tid)
{
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid == tid)
            return;
    struct thread *thread = thread_adopt(tid);
    if (thread)
        agent_thread_start(thread);
}

static void threads_sample(const struct attach *attach)
{
    if (!agent_samples())
        return;
    if (agent.own[agent.signal])
        signals_keep();
    else
        signals_own();
    threads_reap();
    for (uint32_t i = 0; i < attach->n_threads && i < ATTACH_THREADS_MAX; i++)
        thread_sample(attach->threads[i]);
}

static enum attach_answer start(struct attach *attach)
{
    uint64_t samples = UINT64_C(1) << (TRIGGER_SIGNAL_UNTOLD - 1);
    if (!channel_take(attach))
        return ATTACH_NO_CHANNEL;
    if (agent.options.mode != RECORD_SAMPLED) {
        agent.calibrated = UINT32_MAX;
        return agent_begin() ? ATTACH_DONE : ATTACH_DEAF;
    }
    sys6(SYS_rt_sigprocmask, UNBLOCK, (long)&samples, 0, 8, 0, 0); /* calibration needs it */
    prepare();
    sys6(SYS_rt_sigprocmask, BLOCK, (long)&samples, 0, 8, 0, 0);
    return ATTACH_DONE;
}

/* ---- the end */

static bool handlers_end(void)
{
    const int64_t nap[2] = {0, NAP_NS}; /* seconds, nanoseconds */
    for (uint32_t i = 0; __atomic_load_n(&agent.inside, __ATOMIC_SEQ_CST); i++) {
        if (i == PATIENCE)
            return false;
        sys3(SYS_nanosleep, (long)nap, 0, 0);
    }
    return true;
}

/* No more samples. False: a thread does not come out of our handlers. */
static bool stop(void)
{
    struct channel *channel = agent.channel;
    __atomic_store_n(&agent.retired, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            trigger_disarm(&agent.threads[i]);
    if (!handlers_end())
        return false;
    /* Nobody will use a descriptor or a slot any more. */
    for (uint32_t i = 0; i < agent.n_threads; i++)
        if (agent.threads[i].tid > 0)
            thread_release(&agent.threads[i]);
    if (channel)
        __atomic_store_n(&channel->state, CHANNEL_DONE, __ATOMIC_RELEASE);
    return true;
}

/* ---- commands */

static enum attach_answer carry_out(struct attach *attach)
{
    switch (attach->command) {
    case ATTACH_START: return start(attach);
    case ATTACH_THREADS: threads_sample(attach); return ATTACH_DONE;
    case ATTACH_STOP: return stop() ? ATTACH_DONE : ATTACH_BUSY;
    case ATTACH_RETURN: signals_return(); return ATTACH_DONE;
    case ATTACH_LEAVE: connect_undo(); return ATTACH_DONE;
    case ATTACH_EXACT: exact_start(attach->pc, attach->sp);
    default: return ATTACH_DEAF;
    }
}

_Noreturn void attach_enter(struct attach *attach)
{
    attach->answer = carry_out(attach);
    for (;;)
        sys3(SYS_exit, 0, 0, 0);
}
