#include "profile/waits.h"

#include "profile/profile.h"

#include <string.h>
#include <sys/syscall.h>

static const struct {
    uint64_t number;
    const char *name;
    bool file;
} calls[] = {
    {SYS_read, "read", true},
    {SYS_write, "write", true},
    {SYS_pread64, "pread64", true},
    {SYS_pwrite64, "pwrite64", true},
    {SYS_readv, "readv", true},
    {SYS_writev, "writev", true},
    {SYS_futex, "futex", false},
    {SYS_nanosleep, "nanosleep", false},
    {SYS_clock_nanosleep, "clock_nanosleep", false},
    {SYS_poll, "poll", false},
    {SYS_ppoll, "ppoll", false},
    {SYS_select, "select", false},
    {SYS_pselect6, "pselect6", false},
    {SYS_epoll_wait, "epoll_wait", false},
    {SYS_epoll_pwait, "epoll_pwait", false},
    {441, "epoll_pwait2", false},
    {SYS_wait4, "wait4", false},
    {SYS_waitid, "waitid", false},
    {SYS_accept, "accept", false},
    {SYS_accept4, "accept4", false},
    {SYS_connect, "connect", false},
    {SYS_recvfrom, "recvfrom", false},
    {SYS_recvmsg, "recvmsg", false},
    {SYS_recvmmsg, "recvmmsg", false},
    {SYS_sendto, "sendto", false},
    {SYS_sendmsg, "sendmsg", false},
    {SYS_sendmmsg, "sendmmsg", false},
    {SYS_sendfile, "sendfile", false},
    {SYS_splice, "splice", false},
    {SYS_fsync, "fsync", false},
    {SYS_fdatasync, "fdatasync", false},
    {SYS_sync, "sync", false},
    {SYS_flock, "flock", false},
    {SYS_fcntl, "fcntl", false},
    {SYS_pause, "pause", false},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", false},
    {SYS_rt_sigsuspend, "rt_sigsuspend", false},
    {SYS_io_getevents, "io_getevents", false},
    {426, "io_uring_enter", false},
    {SYS_semop, "semop", false},
    {SYS_semtimedop, "semtimedop", false},
    {SYS_msgrcv, "msgrcv", false},
    {SYS_msgsnd, "msgsnd", false},
    {SYS_mq_timedreceive, "mq_timedreceive", false},
    {SYS_mq_timedsend, "mq_timedsend", false},
    {SYS_openat, "openat", false},
    {SYS_execve, "execve", false},
    {SYS_vfork, "vfork", false},
    {SYS_mmap, "mmap", false},
    {SYS_munmap, "munmap", false},
};

bool wait_call_has_file(uint64_t number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return calls[i].file;
    return false;
}

const char *wait_call_name(uint64_t number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return calls[i].name;
    return "";
}

/* Numbers of system calls get names, so that viewers have something to show. */
static void calls_name(struct profile *profile)
{
    const struct stacks *waits = &profile->waits;
    uint32_t module = profile_module(profile, WAIT_MODULE, NULL, 0);
    struct names names = {0};
    for (uint32_t i = 0; i < waits->nodes.n; i++) {
        struct stack_key key = stacks_key(waits, i);
        uint64_t number = key.address & ((1u << WAIT_FILE_SHIFT) - 1);
        const char *text = number == WAIT_NO_CALL ? "page fault" : wait_call_name(number);
        if (key.module == module && *text)
            *vec_push(&names) =
                (struct name){.module = module, .start = key.address, .bytes = 1, .text = text};
    }
    names_sort(&names);
    names_merge(&profile->names, &profile->arena, &names, NAMES_LARGER);
    vec_release(&names);
}

bool profile_weigh_waits(struct profile *profile)
{
    struct stacks waits = profile->waits;
    if (!waits.cells.n)
        return false;
    stacks_clear(&profile->stacks);
    for (uint32_t i = 0; i < waits.nodes.n; i++) {
        struct stack_key key = stacks_key(&waits, i);
        stacks_node(&profile->stacks, key.parent, key.module, key.address);
    }
    for (uint32_t i = 0; i < waits.cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&waits.cells, i), sizeof cell);
        if (cell.group % WAIT_KIND_GROUPS == WAIT_NS)
            stacks_add(&profile->stacks, cell.node, 0, waits.weights.at[i]);
    }
    calls_name(profile);
    profile->mode = PROFILE_PLAIN;
    return true;
}
