#include "collect/target/inject.h"

#include "base/err.h"
#include "base/scope.h"
#include "collect/target/borrow.h"
#include "collect/target/core_image.h"
#include "collect/target/dispatching.h"
#include "collect/target/remote.h"
#include "collect/target/remote_loader.h"
#include "collect/target/settle.h"
#include "collect/target/thread_state.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

enum { PAGE = 4096, STACK_BYTES = 256 << 10 };
enum {
    NAP_NS = 100000,
    NAPS = 100000,
    NAPS_STARVED = 6 * NAPS,
    NAPS_STOPPED = NAPS / 5,
    NAPS_LOOK = NAPS / 100,
};

/* ---- commands */

static char doing(int pid, int tid)
{
    struct thread_state state;
    return thread_state_read(pid, tid, &state) ? state.doing : 0;
}

static bool silent(int pid, int tid, struct err *err)
{
    struct thread_state state = {.doing = '?'};
    thread_state_read(pid, tid, &state);
    return err_set(err, ERR_SYSTEM,
                   "the agent in process %d does not answer: its thread %d is in state %c, system "
                   "call %ld",
                   pid, tid, state.doing, thread_state_call(pid, tid));
}

/* Waits until the agent's thread has ended: at least 10 s, and six times as long if it gets no CPU.
 * Job control may stop the process for moments; one that stays stopped for 2 s is given up. */
static bool thread_wait(const struct injected *injected, int tid, struct err *err)
{
    const struct timespec nap = {0, NAP_NS};
    for (int i = 0, stopped = 0; i < NAPS_STARVED && stopped < NAPS_STOPPED; i++) {
        if (syscall(SYS_tgkill, injected->pid, tid, 0) && errno == ESRCH)
            return true;
        if (i % NAPS_LOOK == 0) {
            char now = doing(injected->pid, tid);
            stopped = now == 'T' ? stopped + NAPS_LOOK : 0;
            if (i >= NAPS && !strchr("RT", now))
                break;
        }
        nanosleep(&nap, NULL);
    }
    return silent(injected->pid, tid, err);
}

static bool answer_read(struct injected *injected, int tid, struct err *err)
{
    return thread_wait(injected, tid, err) &&
           remote_read(injected->pid, injected->block_at, &injected->block, sizeof injected->block,
                       err);
}

static bool answer_judge(const struct injected *injected, struct err *err)
{
    const struct attach *block = &injected->block;
    switch (block->answer) {
    case ATTACH_DONE: return true;
    case ATTACH_NO_CHANNEL:
        errno = block->error;
        return err_errno(err, "the agent in process %d cannot map its memory", injected->pid);
    case ATTACH_BUSY:
        return err_set(err, ERR_SYSTEM,
                       "a thread of process %d does not come out of the agent: it takes no more "
                       "samples, but stays where it is",
                       injected->pid);
    default:
        return err_set(err, ERR_SYSTEM, "the agent in process %d did not carry out a command",
                       injected->pid);
    }
}

/* Starts the agent's thread on what the block says. */
static bool command_start(struct injected *injected, struct borrowed *borrowed,
                          enum attach_command command, int *ret_tid, struct err *err)
{
    injected->block.command = command;
    injected->block.answer = ATTACH_DEAF;
    if (!remote_write(injected->pid, injected->block_at, &injected->block, sizeof injected->block,
                      err) ||
        !borrow_spawn(borrowed, injected->entry, injected->stack_at, injected->block_at, ret_tid,
                      err))
        return false;
    *vec_push(&injected->spawned) = *ret_tid;
    return true;
}

/* What is there now may be another program: its memory is not ours. */
bool inject_present(const struct injected *injected)
{
    struct attach there;
    struct err err;
    return remote_read(injected->pid, injected->block_at, &there, sizeof there, &err) &&
           there.pid == injected->pid && there.text_start == injected->text_start &&
           there.text_end == injected->text_end;
}

/* A thread of the process, which cannot become another program as long as it is held. */
static bool thread_get(struct borrowed *borrowed, const struct injected *injected, struct err *err)
{
    if (!borrow_begin(borrowed, injected->pid, err))
        return false;
    borrowed->syscall_at = injected->syscall_at;
    if (inject_present(injected))
        return true;
    borrow_end(borrowed);
    return err_set(err, ERR_SYSTEM, "process %d has ended or become another program",
                   injected->pid);
}

static bool command(struct injected *injected, enum attach_command command, struct err *err)
{
    struct borrowed borrowed;
    int tid;
    if (!thread_get(&borrowed, injected, err))
        return false;
    bool started = command_start(injected, &borrowed, command, &tid, err);
    borrow_end(&borrowed);
    return started && answer_read(injected, tid, err) && answer_judge(injected, err);
}

/* ---- in */

static bool memory_take(struct injected *injected, struct borrowed *borrowed, struct err *err)
{
    uint64_t span = core_image_span();
    uint64_t block_bytes = (sizeof(struct attach) + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    injected->bytes = span + block_bytes + STACK_BYTES;
    if (!borrow_need(borrowed, "cannot map memory for the agent", SYS_mmap,
                     (uint64_t[6]){0, injected->bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0},
                     &injected->base, err))
        return false;
    injected->block_at = injected->base + span;
    /* As at the entry of a function: eight below a multiple of sixteen. */
    injected->stack_at = injected->base + injected->bytes - 8;
    return true;
}

static bool image_write(struct injected *injected, struct borrowed *borrowed,
                        const struct core_image *image, struct err *err)
{
    uint64_t none;
    if (!remote_write(injected->pid, injected->base, image->bytes, image->n, err))
        return false;
    /* All that is not written to lies together, and may as well be executed: one call. */
    return borrow_need(borrowed, "cannot make the agent's code executable", SYS_mprotect,
                       (uint64_t[6]){injected->base, image->fixed, PROT_READ | PROT_EXEC}, &none,
                       err);
}

static bool image_put(struct injected *injected, struct borrowed *borrowed, struct err *err)
{
    struct core_image image;
    core_image_lay(&image, injected->base);
    bool put = image_write(injected, borrowed, &image, err);
    injected->entry = injected->base + image.entry;
    injected->text_start = injected->base + image.text_start;
    injected->text_end = injected->base + image.text_end;
    core_image_release(&image);
    return put;
}

static bool descriptor_send(int socket, int fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof fd)];
    } control = {0};
    char byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/* The process makes both ends of a socket; a copy of one is ours for as long as it takes to send.
 */
static bool channel_send(struct injected *injected, struct borrowed *borrowed, int channel_fd,
                         struct err *err)
{
    uint64_t at = injected->block_at + offsetof(struct attach, sockets), none;
    int32_t *sockets = injected->block.sockets;
    if (!borrow_need(borrowed, "cannot make a socket", SYS_socketpair,
                     (uint64_t[6]){AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, at}, &none, err))
        return false;
    if (!remote_read(injected->pid, at, sockets, sizeof injected->block.sockets, err))
        return false;
    AUTO(fd_close) int process = (int)syscall(SYS_pidfd_open, injected->pid, 0);
    AUTO(fd_close)
    int socket = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, sockets[0], 0);
    return (socket >= 0 && descriptor_send(socket, channel_fd)) ||
           err_errno(err, "cannot send a descriptor to process %d", injected->pid);
}

/* Everything back that the borrowed thread has asked for. */
static void undo(struct injected *injected, struct borrowed *borrowed)
{
    struct err err;
    int64_t none;
    for (int i = 0; i < 2; i++)
        if (injected->block.sockets[i] >= 0)
            borrow_call(borrowed, SYS_close, (uint64_t[6]){(uint64_t)injected->block.sockets[i]},
                        &none, &err);
    if (injected->base)
        borrow_call(borrowed, SYS_munmap, (uint64_t[6]){injected->base, injected->bytes}, &none,
                    &err);
}

static void block_fill(struct injected *injected)
{
    struct attach *block = &injected->block;
    block->pid = injected->pid;
    block->loader = remote_loader(injected->pid);
    block->text_start = injected->text_start;
    block->text_end = injected->text_end;
    block->hwcap2 = getauxval(AT_HWCAP2);
}

/* Up to where the agent's thread runs, and closes the sockets itself. */
static bool start(struct injected *injected, struct borrowed *borrowed, int channel_fd,
                  int *ret_tid, struct err *err)
{
    if (!memory_take(injected, borrowed, err) || !image_put(injected, borrowed, err) ||
        !channel_send(injected, borrowed, channel_fd, err))
        return false;
    block_fill(injected);
    return command_start(injected, borrowed, ATTACH_START, ret_tid, err);
}

static void image_unmap(const struct injected *injected)
{
    struct err err;
    struct borrowed borrowed;
    int64_t none;
    if (!thread_get(&borrowed, injected, &err))
        return;
    borrow_call(&borrowed, SYS_munmap, (uint64_t[6]){injected->base, injected->bytes}, &none, &err);
    borrow_end(&borrowed);
}

/* Lets the thread begin in the agent instead, which knows where the program would have. */
static bool divert(struct injected *injected, struct borrowed *borrowed, struct err *err)
{
    injected->block.command = ATTACH_EXACT;
    injected->block.pc = borrowed->registers.rip;
    injected->block.sp = borrowed->registers.rsp;
    borrowed->registers.rip = injected->entry;
    borrowed->registers.rsp = injected->stack_at;
    borrowed->registers.rdi = injected->block_at;
    return remote_write(injected->pid, injected->block_at, &injected->block, sizeof injected->block,
                        err);
}

bool inject_begin_by(struct injected *ret_injected, struct borrowed *borrowed, int channel_fd,
                     bool exact, struct err *err)
{
    struct injected injected = {.pid = borrowed->pid, .block.sockets = {-1, -1}};
    int tid;
    bool started = start(&injected, borrowed, channel_fd, &tid, err);
    if (!started)
        undo(&injected, borrowed);
    /* Held until the agent is ready: a runtime that begins sets what signals do. */
    bool answered = started && answer_read(&injected, tid, err);
    if (exact && answered && injected.block.answer == ATTACH_DONE)
        answered = divert(&injected, borrowed, err);
    borrow_end(borrowed);
    injected.syscall_at = borrowed->syscall_at;
    bool good = answered && answer_judge(&injected, err);
    struct err more;
    if (answered && !good && command(&injected, ATTACH_LEAVE, &more))
        image_unmap(&injected);
    if (good)
        *ret_injected = injected;
    else
        inject_release(&injected);
    return good;
}

bool inject_begin(struct injected *ret_injected, int pid, int channel_fd, struct err *err)
{
    struct borrowed borrowed;
    if (dispatching_process(pid))
        return err_set(
            err, ERR_SYSTEM,
            "process %d has system calls dispatched to itself, as Wine does, and would get "
            "those of the agent as signals; gait record --plain -p %d samples it from "
            "outside",
            pid, pid);
    return borrow_begin(&borrowed, pid, err) &&
           inject_begin_by(ret_injected, &borrowed, channel_fd, false, err) &&
           inject_refresh(ret_injected, err);
}

bool inject_refresh(struct injected *injected, struct err *err)
{
    struct attach *block = &injected->block;
    if (!inject_present(injected))
        return err_set(err, ERR_SYSTEM, "process %d has ended or become another program",
                       injected->pid);
    if (!roster_refresh(&injected->roster, injected->pid))
        return true;
    block->n_threads = roster_list(&injected->roster, block->threads, ATTACH_THREADS_MAX);
    return command(injected, ATTACH_THREADS, err);
}

/* ---- out */

bool inject_end(struct injected *injected, struct err *err)
{
    /* In this order: nothing may come in while threads are looked at, and nothing be in it when it
     * goes. */
    if (!command(injected, ATTACH_STOP, err) ||
        !settle_signals(injected->pid, injected->block_at, err) ||
        !command(injected, ATTACH_RETURN, err) ||
        !settle_outside(injected->pid, injected->base, injected->bytes, err) ||
        !command(injected, ATTACH_LEAVE, err))
        return false;
    image_unmap(injected);
    return true;
}

void inject_release(struct injected *injected)
{
    roster_release(&injected->roster);
    vec_release(&injected->spawned);
}
