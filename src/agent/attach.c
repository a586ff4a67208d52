/* Where the agent comes to life in a process that did not load it: the entry of its image. The tool
 * starts a thread here for each command, with all signals blocked and a stack of its own. */
#include "wire/attach.h"

#include "agent/agent.h"
#include "agent/signals.h"
#include "agent/thread.h"
#include "walk/sys.h"

#include <sys/socket.h>
#include <sys/syscall.h>

enum { BLOCK, UNBLOCK };

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
    bool connected = agent_connect_by(fd, &place);
    sys3(SYS_close, fd, 0, 0);
    attach->error = 12; /* ENOMEM: of all that may be missing the likeliest */
    return connected;
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
        agent_sample(attach->threads[i]);
}

static enum attach_answer start(struct attach *attach)
{
    uint64_t samples = UINT64_C(1) << (TRIGGER_SIGNAL_UNTOLD - 1);
    if (!channel_take(attach))
        return ATTACH_NO_CHANNEL;
    sys6(SYS_rt_sigprocmask, UNBLOCK, (long)&samples, 0, 8, 0, 0); /* calibration needs it */
    agent_prepare();
    sys6(SYS_rt_sigprocmask, BLOCK, (long)&samples, 0, 8, 0, 0);
    return ATTACH_DONE;
}

static enum attach_answer carry_out(struct attach *attach)
{
    switch (attach->command) {
    case ATTACH_START: return start(attach);
    case ATTACH_THREADS: threads_sample(attach); return ATTACH_DONE;
    case ATTACH_STOP: return agent_stop() ? ATTACH_DONE : ATTACH_BUSY;
    case ATTACH_RETURN: signals_return(); return ATTACH_DONE;
    case ATTACH_LEAVE: agent_unmap(); return ATTACH_DONE;
    default: return ATTACH_DEAF;
    }
}

_Noreturn void attach_enter(struct attach *attach)
{
    attach->answer = carry_out(attach);
    for (;;)
        sys3(SYS_exit, 0, 0, 0);
}
