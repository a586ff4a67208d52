#include "analysis/waits/wait_reason.h"

#include "profile/waits.h"

#include <string.h>

/* A system call belongs to the first row whose word its name has. The order matters: sendfile
 * reads and writes, and "epoll_wait" has a "wait" in it. */
static const struct {
    const char *word, *what;
} calls[] = {
    {"futex", "futex"},
    {"nanosleep", "sleep"},
    {"epoll", "poll"},
    {"poll", "poll"},
    {"select", "poll"},
    {"sigtimedwait", "signal"},
    {"sigsuspend", "signal"},
    {"pause", "signal"},
    {"accept", "accept"},
    {"connect", "connect"},
    {"recv", "read (socket)"},
    {"send", "write (socket)"},
    {"io_getevents", "aio"},
    {"io_pgetevents", "aio"},
    {"io_uring", "io_uring"},
    {"sync", "sync"},
    {"read", "read"},
    {"write", "write"},
    {"splice", "splice"},
    {"wait", "child"},
    {"flock", "file lock"},
    {"fcntl", "file lock"},
    {"open", "open"},
    {"exit", "exit"},
    {"semtimedop", "semaphore"},
    {"semop", "semaphore"},
    {"msgrcv", "message queue"},
    {"msgsnd", "message queue"},
    {"mq_timed", "message queue"},
    {"vfork", "child"},
    {"clone", "fork"},
    {"fork", "fork"},
    {"exec", "exec"},
    {"sched_yield", "runnable"},
    {"mmap", "memory map"},
    {"munmap", "memory map"},
    {"mprotect", "memory map"},
    {"madvise", "memory map"},
    {"brk", "memory map"},
};

/* What is read or written, from a function further inside. */
static const struct {
    const char *word, *read, *write;
} ends[] = {
    {"pipe_", "read (pipe)", "write (pipe)"},
    {"fifo_", "read (pipe)", "write (pipe)"},
    {"sock_", "read (socket)", "write (socket)"},
    {"n_tty_", "read (terminal)", "write (terminal)"},
    {"tty_", "read (terminal)", "write (terminal)"},
    {"eventfd_", "read (event)", "write (event)"},
    {"timerfd_", "read (timer)", "write (timer)"},
    {"inotify_", "read (inotify)", "write"},
    {"filemap_", "read (file)", "write (file)"},
    {"folio_", "read (file)", "write (file)"},
    {"generic_file_", "read (file)", "write (file)"},
    {"ext4_", "read (file)", "write (file)"},
    {"xfs_", "read (file)", "write (file)"},
    {"btrfs_", "read (file)", "write (file)"},
    {"blkdev_", "read (file)", "write (file)"},
};

/* Without a system call, by a word of any function's name. */
static const struct {
    const char *word, *what;
} others[] = {
    {"exc_page_fault", "page fault"},
    {"do_user_addr_fault", "page fault"},
    {"handle_mm_fault", "page fault"},
    {"ptrace_stop", "debugger"},
    {"do_signal_stop", "stopped"},
    {"do_freezer_trap", "stopped"},
    {"do_exit", "exit"},
    {"do_group_exit", "exit"},
    {"kthread", "kernel thread"},
    {"exit_to_user_mode", "return to user mode"},
    {"ret_from_fork", "start"},
};

/* The part of "__x64_sys_futex" behind "sys_"; NULL: it is no entry of a system call. Compilers
 * turn the entry into a jump where they can, and the function that it calls is all that is left. */
static const char *syscall_of(const char *name)
{
    static const char *const heads[] = {
        "__x64_sys_",        "__ia32_sys_", "__do_sys_", "__se_sys_",
        "__x32_compat_sys_", "ksys_",       "__sys_",    "do_sys_"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0)
            return name + strlen(heads[i]);
    return NULL;
}

/* Functions that only one system call calls: where its entry became a jump, they are what is left
 * of it on the stack. */
static const struct {
    const char *function, *call;
} bodies[] = {
    {"kernel_wait4", "wait4"},
    {"kernel_waitid", "waitid"},
    {"do_wait", "wait4"},
    {"do_futex", "futex"},
    {"futex_wait", "futex"},
    {"do_nanosleep", "nanosleep"},
    {"do_epoll_wait", "epoll_wait"},
    {"do_epoll_pwait", "epoll_pwait"},
    {"do_poll", "poll"},
    {"core_sys_select", "select"},
    {"do_accept", "accept"},
    {"do_semtimedop", "semtimedop"},
    {"do_msgrcv", "msgrcv"},
    {"do_sigtimedwait", "rt_sigtimedwait"},
    {"sigsuspend", "rt_sigsuspend"},
    {"vm_mmap_pgoff", "mmap"},
    {"do_madvise", "madvise"},
};

static bool is_function(const char *name, const char *function)
{
    size_t n = strlen(function);
    return strncmp(name, function, n) == 0 && (!name[n] || name[n] == '.' || name[n] == '+');
}

/* The outermost one: what it calls may be another's body. */
static const char *body_call(const char *const *names, size_t n, size_t *ret_at)
{
    for (size_t i = n; i-- > 0;)
        for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
            if (is_function(names[i], bodies[k].function)) {
                *ret_at = i;
                return bodies[k].call;
            }
    return NULL;
}

static const char *end_of(const char *const *names, size_t n, bool reads)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            if (strstr(names[i], ends[k].word))
                return reads ? ends[k].read : ends[k].write;
    return NULL;
}

/* inside: the functions that the system call called. */
static const char *call_what(const char *call, const char *const *inside, size_t n)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *what = calls[i].what, *end = NULL;
        if (!strstr(call, calls[i].word))
            continue;
        if (strcmp(what, "read") == 0 || strcmp(what, "write") == 0)
            end = end_of(inside, n, *what == 'r');
        return end ? end : what;
    }
    return "another system call";
}

static const char *other_what(const char *const *names, size_t n)
{
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        for (size_t i = 0; i < n; i++)
            if (strstr(names[i], others[k].word))
                return others[k].what;
    return n ? "unknown" : wait_reason_unseen(false).what;
}

static const char *entry_call(const char *const *names, size_t n, size_t *ret_at)
{
    for (size_t i = 0; i < n; i++) {
        const char *call = syscall_of(names[i]);
        if (!call)
            continue;
        *ret_at = i;
        return call;
    }
    return NULL;
}

struct wait_reason wait_reason_find(const char *const *names, size_t n, bool runnable)
{
    struct wait_reason reason = {.what = "runnable", .syscall = ""};
    size_t at = 0;
    const char *call = entry_call(names, n, &at);
    if (!call)
        call = body_call(names, n, &at);
    if (call) {
        reason.syscall = call;
        reason.syscall_bytes = strcspn(call, ".+"); /* compilers add ".isra.0" */
    }
    if (!runnable)
        reason.what = call ? call_what(call, names, at) : other_what(names, n);
    return reason;
}

struct wait_reason wait_reason_of_call(uint64_t call)
{
    static const char *const functions[WAIT_FILES] = {
        [WAIT_FILE_NONE] = "",    [WAIT_PIPE] = "pipe_",     [WAIT_SOCKET] = "sock_",
        [WAIT_TERMINAL] = "tty_", [WAIT_EVENT] = "eventfd_", [WAIT_TIMER] = "timerfd_",
        [WAIT_FILE] = "filemap_"};
    uint64_t number = call & ((1u << WAIT_FILE_SHIFT) - 1), file = call >> WAIT_FILE_SHIFT;
    struct wait_reason reason = {.what = "page fault", .syscall = ""};
    if (number == WAIT_NO_CALL)
        return reason;
    const char *const inside[] = {functions[file < WAIT_FILES ? file : WAIT_FILE_NONE]};
    reason.syscall = wait_call_name(number);
    reason.syscall_bytes = strlen(reason.syscall);
    reason.what = *reason.syscall ? call_what(reason.syscall, inside, 1) : "another system call";
    return reason;
}

struct wait_reason wait_reason_unseen(bool runnable)
{
    return (struct wait_reason){.what = runnable ? "runnable" : "stack not taken", .syscall = ""};
}
