#include "agent/sampling/calls.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/sampling/call_try.h"
#include "walk/base/sys.h"

#include <asm/ioctls.h>
#include <asm/signal.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum {
    DEVICE_MEMORY = 1, /* the major number of /dev/null and its kin */
    DEVICE_NULL = 3,
    DEVICE_ZERO = 5,
    DEVICE_URANDOM = 9,
    LOCKS_OPEN_FILE = 37,     /* F_OFD_SETLK: not for all who include fcntl.h */
    DUPLICATE_CLOSING = 1030, /* F_DUPFD_CLOEXEC */
    SIGNALS_WAIT_MS = 1,      /* signals are blocked while a walk makes calls */
};

/* ---- which calls */

/* What must hold for a call to be made. */
enum call_class {
    CALL_NATIVE, /* never */
    CALL_QUERY,  /* always: it asks, or changes a number */
    CALL_READ,   /* its descriptor never waits for long */
    CALL_WRITE,  /* the same, and it may send a signal */
    CALL_SOCKET, /* it never waits because it is told not to, and may send a signal */
    CALL_POLL,   /* something is ready */
    CALL_CLOSE,
    CALL_LIST,
    CALL_CONTROL,
    CALL_DEVICE,
    CALL_FUTEX,
    CALL_MAP,
    CALL_PROTECT,
    CALL_UNMAP,
    CALL_ADVISE,
};

/* Not here though they only ask: rt_sigpending and sigaltstack see the handler's state. */
static const uint8_t classes[] = {
    [SYS_access] = CALL_QUERY,
    [SYS_clock_getres] = CALL_QUERY,
    [SYS_clock_gettime] = CALL_QUERY,
    [SYS_faccessat] = CALL_QUERY,
    [SYS_fstat] = CALL_QUERY,
    [SYS_fstatfs] = CALL_QUERY,
    [SYS_getcpu] = CALL_QUERY,
    [SYS_getcwd] = CALL_QUERY,
    [SYS_getegid] = CALL_QUERY,
    [SYS_geteuid] = CALL_QUERY,
    [SYS_getgid] = CALL_QUERY,
    [SYS_getgroups] = CALL_QUERY,
    [SYS_getitimer] = CALL_QUERY,
    [SYS_getpgid] = CALL_QUERY,
    [SYS_getpgrp] = CALL_QUERY,
    [SYS_getpid] = CALL_QUERY,
    [SYS_getppid] = CALL_QUERY,
    [SYS_getpriority] = CALL_QUERY,
    [SYS_getrandom] = CALL_QUERY,
    [SYS_getresgid] = CALL_QUERY,
    [SYS_getresuid] = CALL_QUERY,
    [SYS_getrlimit] = CALL_QUERY,
    [SYS_getrusage] = CALL_QUERY,
    [SYS_getsid] = CALL_QUERY,
    [SYS_getsockname] = CALL_QUERY,
    [SYS_gettid] = CALL_QUERY,
    [SYS_gettimeofday] = CALL_QUERY,
    [SYS_getuid] = CALL_QUERY,
    [SYS_lseek] = CALL_QUERY,
    [SYS_lstat] = CALL_QUERY,
    [SYS_newfstatat] = CALL_QUERY,
    [SYS_readlink] = CALL_QUERY,
    [SYS_readlinkat] = CALL_QUERY,
    [SYS_sched_getaffinity] = CALL_QUERY,
    [SYS_sched_getparam] = CALL_QUERY,
    [SYS_sched_getscheduler] = CALL_QUERY,
    [SYS_sched_yield] = CALL_QUERY,
    [SYS_stat] = CALL_QUERY,
    [SYS_statfs] = CALL_QUERY,
    [SYS_statx] = CALL_QUERY,
    [SYS_sysinfo] = CALL_QUERY,
    [SYS_time] = CALL_QUERY,
    [SYS_times] = CALL_QUERY,
    [SYS_umask] = CALL_QUERY,
    [SYS_uname] = CALL_QUERY,

    [SYS_pread64] = CALL_READ,
    [SYS_preadv] = CALL_READ,
    [SYS_preadv2] = CALL_READ,
    [SYS_read] = CALL_READ,
    [SYS_readv] = CALL_READ,
    [SYS_pwrite64] = CALL_WRITE,
    [SYS_pwritev] = CALL_WRITE,
    [SYS_pwritev2] = CALL_WRITE,
    [SYS_write] = CALL_WRITE,
    [SYS_writev] = CALL_WRITE,
    [SYS_recvfrom] = CALL_SOCKET,
    [SYS_recvmsg] = CALL_SOCKET,
    [SYS_sendmsg] = CALL_SOCKET,
    [SYS_sendto] = CALL_SOCKET,
    [SYS_epoll_pwait] = CALL_POLL,
    [SYS_epoll_wait] = CALL_POLL,
    [SYS_poll] = CALL_POLL,
    [SYS_ppoll] = CALL_POLL,

    [SYS_close] = CALL_CLOSE,
    [SYS_getdents] = CALL_LIST,
    [SYS_getdents64] = CALL_LIST,
    [SYS_fcntl] = CALL_CONTROL,
    [SYS_ioctl] = CALL_DEVICE,
    [SYS_futex] = CALL_FUTEX,
    [SYS_brk] = CALL_QUERY,
    [SYS_madvise] = CALL_ADVISE,
    [SYS_mmap] = CALL_MAP,
    [SYS_mprotect] = CALL_PROTECT,
    [SYS_munmap] = CALL_UNMAP,
};

static enum call_class class_of(uint64_t number)
{
    return number < sizeof classes ? (enum call_class)classes[number] : CALL_NATIVE;
}

/* ---- descriptors */

/* File systems that neither wait for another machine nor for another process. /proc and its kin are
 * not among them: some of their files wait, and one writes the program's code. */
static bool is_local(uint64_t magic)
{
    enum { EXFAT = 0x2011bab0, XFS = 0x58465342, ZFS = 0x2fc12fc1, RAMFS = (int)0x858458f6 };
    switch (magic & UINT32_MAX) {
    case EXT4_SUPER_MAGIC:
    case XFS:
    case BTRFS_SUPER_MAGIC &UINT32_MAX:
    case F2FS_SUPER_MAGIC &UINT32_MAX:
    case ZFS:
    case TMPFS_MAGIC:
    case (uint32_t)RAMFS:
    case OVERLAYFS_SUPER_MAGIC:
    case SQUASHFS_MAGIC:
    case ISOFS_SUPER_MAGIC:
    case MSDOS_SUPER_MAGIC:
    case EXFAT: return true;
    default: return false;
    }
}

/* File systems are few: what they are is kept by their device numbers. */
static bool file_is_local(int fd, uint64_t device)
{
    enum { KNOWN = 16 };
    static uint64_t known[KNOWN]; /* device << 2 | known << 1 | local */
    uint64_t status[15];          /* struct statfs: the first word says which */
    uint64_t *slot = &known[(device ^ device >> 8) % KNOWN];
    uint64_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (word & 2 && word >> 2 == device)
        return word & 1;
    if (sys_failed(sys3(SYS_fstatfs, fd, (long)status, 0)))
        return false;
    bool local = is_local(status[0]);
    __atomic_store_n(slot, device << 2 | 2 | local, __ATOMIC_RELAXED);
    return local;
}

static bool device_answers(uint64_t device)
{
    uint32_t minor = (uint32_t)device & 0xff;
    return device >> 8 == DEVICE_MEMORY &&
           (minor == DEVICE_NULL || minor == DEVICE_ZERO || minor == DEVICE_URANDOM);
}

static bool does_not_block(int fd)
{
    long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);
    return !sys_failed(flags) && flags & O_NONBLOCK;
}

/* What a descriptor is, as far as it matters. Another thread may change it at any time, so it is
 * asked anew for each call. */
enum descriptor {
    DESCRIPTOR_OTHER,
    DESCRIPTOR_FILE,
    DESCRIPTOR_DIRECTORY,
    DESCRIPTOR_PIPE,
    DESCRIPTOR_SOCKET,
};

static enum descriptor descriptor_of(int fd)
{
    struct stat status;
    if (sys_failed(sys3(SYS_fstat, fd, (long)&status, 0)))
        return DESCRIPTOR_OTHER;
    switch (status.st_mode & S_IFMT) {
    case S_IFREG: return file_is_local(fd, status.st_dev) ? DESCRIPTOR_FILE : DESCRIPTOR_OTHER;
    case S_IFDIR: return file_is_local(fd, status.st_dev) ? DESCRIPTOR_DIRECTORY : DESCRIPTOR_OTHER;
    case S_IFCHR: return device_answers(status.st_rdev) ? DESCRIPTOR_FILE : DESCRIPTOR_OTHER;
    case S_IFIFO: return DESCRIPTOR_PIPE;
    case S_IFSOCK: return DESCRIPTOR_SOCKET;
    default: return DESCRIPTOR_OTHER;
    }
}

/* F_SETLK and its kin fail where F_SETLKW would wait. */
static bool control_answers(const uint64_t *gpr)
{
    switch (gpr[RSI]) {
    case F_DUPFD:
    case DUPLICATE_CLOSING:
    case F_GETFD:
    case F_SETFD:
    case F_GETFL: return true;
    case F_SETFL: return !(gpr[RDX] & O_ASYNC);
    case F_GETLK:
    case F_SETLK:
    case LOCKS_OPEN_FILE: return descriptor_of((int)gpr[RDI]) == DESCRIPTOR_FILE;
    default: return false;
    }
}

/* ---- memory */

/* Code of which there may be copies. */
static bool touches_code(uint64_t start, uint64_t bytes)
{
    const struct regions *regions = agent.regions;
    for (uint32_t i = 0; i < regions->n; i++)
        if (regions->at[i].start < start + bytes && regions->at[i].end > start)
            return true;
    return false;
}

static bool advice_is_harmless(uint64_t advice)
{
    return advice <= MADV_DONTNEED || advice == MADV_FREE || advice == MADV_HUGEPAGE ||
           advice == MADV_NOHUGEPAGE;
}

/* ---- one call */

static bool wakes(uint64_t operation)
{
    uint32_t command = (uint32_t)operation & (uint32_t)FUTEX_CMD_MASK;
    return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET || command == FUTEX_WAKE_OP ||
           command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE;
}

/* A call that only asks, or whose arguments show that it neither waits nor touches code. */
static bool is_harmless(const uint64_t *gpr, enum call_class class)
{
    int fd = (int)gpr[RDI];
    enum descriptor what;
    switch (class) {
    case CALL_QUERY: return true;
    case CALL_CLOSE:
        what = descriptor_of(fd);
        return what == DESCRIPTOR_FILE || what == DESCRIPTOR_DIRECTORY;
    case CALL_LIST: return descriptor_of(fd) == DESCRIPTOR_DIRECTORY;
    case CALL_CONTROL: return control_answers(gpr);
    case CALL_DEVICE: return gpr[RSI] == TCGETS || gpr[RSI] == TIOCGWINSZ || gpr[RSI] == FIONREAD;
    case CALL_FUTEX: return wakes(gpr[RSI]);
    case CALL_MAP:
        return !(gpr[RDX] & PROT_EXEC) &&
               (!(gpr[R10] & MAP_FIXED) || !touches_code(gpr[RDI], gpr[RSI]));
    case CALL_PROTECT: return !(gpr[RDX] & PROT_EXEC) && !touches_code(gpr[RDI], gpr[RSI]);
    case CALL_UNMAP: return !touches_code(gpr[RDI], gpr[RSI]);
    case CALL_ADVISE: return advice_is_harmless(gpr[RDX]) && !touches_code(gpr[RDI], gpr[RSI]);
    default: return false;
    }
}

struct made {
    long result;
    uint64_t ticks; /* of the call alone; 0: not timed */
};

static bool call_as_it_is(const uint64_t *gpr, struct made *ret)
{
    uint64_t start = sys_tsc();
    ret->result = sys6((long)gpr[RAX], (long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX],
                       (long)gpr[R10], (long)gpr[R8], (long)gpr[R9]);
    ret->ticks = sys_tsc() - start;
    return true;
}

static bool socket_call(const uint64_t *gpr, struct made *ret)
{
    enum { NEVER_WAITS = 0x40 }; /* MSG_DONTWAIT */
    uint64_t flags = gpr[RAX] == SYS_recvmsg || gpr[RAX] == SYS_sendmsg ? gpr[RDX] : gpr[R10];
    if (flags & NEVER_WAITS || does_not_block((int)gpr[RDI]))
        return call_as_it_is(gpr, ret);
    return call_try_receive(gpr, &ret->result);
}

static bool file_call(const uint64_t *gpr, struct made *ret)
{
    int fd = (int)gpr[RDI];
    enum descriptor what = descriptor_of(fd);
    bool stream = what == DESCRIPTOR_PIPE || what == DESCRIPTOR_SOCKET;
    if (what == DESCRIPTOR_FILE || (stream && does_not_block(fd)))
        return call_as_it_is(gpr, ret);
    return stream && call_try_stream(gpr, what == DESCRIPTOR_SOCKET, &ret->result);
}

/* False: nothing has happened. */
static bool call_make(const uint64_t *gpr, enum call_class class, struct made *ret)
{
    switch (class) {
    case CALL_NATIVE: return false;
    case CALL_READ:
    case CALL_WRITE: return file_call(gpr, ret);
    case CALL_SOCKET: return socket_call(gpr, ret);
    case CALL_POLL: return call_try_poll(gpr, &ret->result);
    default: return is_harmless(gpr, class) && call_as_it_is(gpr, ret);
    }
}

/* A filter of system calls may answer one with SIGSYS. That signal is blocked here, so it would
 * kill the program instead of leading to its handler. Without a handler both are the same. Ruby has
 * a handler, but no filter. A Go runtime may put one in force unseen. */
static bool traps_calls(void)
{
    struct kernel_sigaction action = {0};
    if (agent.unfiltered && !agent.go)
        return false;
    return sys_failed(sys6(SYS_rt_sigaction, SIGSYS, 0, (long)&action, 8, 0, 0)) ||
           action.handler > 1;
}

/* A signal that the program would have been given by now. */
static bool signal_waits(const struct thread *thread)
{
    uint64_t pending = 0;
    sys3(SYS_rt_sigpending, (long)&pending, 8, 0);
    return pending & ~thread->frame.mask;
}

static bool may_have_sent(enum call_class class, long result)
{
    return class == CALL_SOCKET || class == CALL_WRITE || sys_failed(result);
}

static bool too_long(const struct walk *walk)
{
    return walk->program_ticks > SIGNALS_WAIT_MS * agent.ticks_per_ms;
}

bool sample_call(struct walk *walk, uint64_t next)
{
    const struct thread *thread =
        (const struct thread *)((const char *)walk - offsetof(struct thread, walk));
    struct context *context = walk->context;
    enum call_class class = class_of(context->gpr[RAX]);
    struct made made = {0};
    context->pc = next - 2;
    bool own = agent_is_own(next) && class != CALL_QUERY;
    if (class == CALL_NATIVE || too_long(walk) || own || (!walk->calls && traps_calls()))
        return false;
    uint64_t start = sys_tsc();
    bool happened = call_make(context->gpr, class, &made);
    uint64_t ticks = sys_tsc() - start;
    walk->call_ticks += ticks;
    if (!happened)
        return false;
    walk->calls++;
    walk->program_ticks += made.ticks ? made.ticks : ticks;
    context->gpr[RAX] = (uint64_t)made.result;
    context->gpr[RCX] = context->pc = next;
    context->gpr[R11] = context->flags;
    return !too_long(walk) && !(may_have_sent(class, made.result) && signal_waits(thread));
}
