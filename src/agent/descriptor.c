#include "agent/descriptor.h"

#include "walk/sys.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum {
    HIGH = 1000,
    OPEN_FILES = 7, /* RLIMIT_NOFILE */
    LIMIT_MAX = 16384,
    ROOM = 65, /* numbers beyond the limit */
    YIELDS_MAX =
        10000, /* the one that we wait for may have lost its CPU, and may be of low priority */
    LOW_YIELDS_MAX = 100,
    IN_VAIN_MAX = 8,
};

/* ---- who is at work */

static uint32_t low;     /* threads with a descriptor of ours that has a low number */
static uint32_t program; /* threads in a dup2 or fork of the program's */
static uint32_t raised;  /* a thread has raised the limit of open files */

/* Each side says that it is there before it looks for the other. The program's side steps back then, so ours goes first
 * once those are through that are in the middle of it. One may be this thread itself, interrupted: not for long, then. */
bool descriptor_low_begin(void)
{
    __atomic_fetch_add(&low, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < LOW_YIELDS_MAX; i++) {
        if (!__atomic_load_n(&program, __ATOMIC_SEQ_CST))
            return true;
        sys3(SYS_sched_yield, 0, 0, 0);
    }
    return false;
}

void descriptor_low_end(void)
{
    __atomic_fetch_sub(&low, 1, __ATOMIC_RELEASE);
}

/* A process that shares our memory may have been killed in the middle: then waiting never helps, and soon ends. */
void descriptor_program_begin(void)
{
    static uint32_t in_vain;
    for (uint32_t i = 0;; i++) {
        __atomic_fetch_add(&program, 1, __ATOMIC_SEQ_CST);
        if (!__atomic_load_n(&low, __ATOMIC_SEQ_CST) || in_vain >= IN_VAIN_MAX)
            return;
        if (i >= YIELDS_MAX) {
            __atomic_fetch_add(&in_vain, 1, __ATOMIC_RELAXED);
            return;
        }
        __atomic_fetch_sub(&program, 1, __ATOMIC_SEQ_CST);
        sys3(SYS_sched_yield, 0, 0, 0);
    }
}

void descriptor_program_end(void)
{
    __atomic_fetch_sub(&program, 1, __ATOMIC_RELEASE);
}

void descriptor_program_forked(void)
{
    low = program = raised = 0;
}

/* ---- files that are open for a moment */

long descriptor_open(int folder, const char *path, int flags)
{
    descriptor_low_begin();
    long fd = sys6(SYS_openat, folder, (long)path, flags | O_CLOEXEC, 0, 0, 0);
    if (sys_failed(fd))
        descriptor_low_end();
    return fd;
}

long descriptor_copy(int of)
{
    descriptor_low_begin();
    long fd = sys3(SYS_fcntl, of, F_DUPFD_CLOEXEC, 3);
    if (sys_failed(fd))
        descriptor_low_end();
    return fd;
}

void descriptor_shut(long fd)
{
    sys3(SYS_close, fd, 0, 0);
    descriptor_low_end();
}

/* ---- what a descriptor is */

/* All perf events have the same inode, but numbers of their own. */
uint64_t descriptor_identity(long fd)
{
    uint64_t event;
    struct stat stat;
    if (!sys_failed(sys3(SYS_ioctl, fd, (long)PERF_EVENT_IOC_ID, (long)&event)))
        return event << 1 | 1;
    if (!sys_failed(sys3(SYS_fstat, fd, (long)&stat, 0)))
        return (stat.st_dev << 40 ^ stat.st_ino) << 1;
    return 0;
}

void descriptor_close(long fd, uint64_t identity)
{
    if (identity && descriptor_identity(fd) == identity)
        sys3(SYS_close, fd, 0, 0);
}

/* ---- where it goes */

/* struct rlimit64 of the kernel. */
struct limits {
    uint64_t soft, hard;
};

/* A number at or above the soft limit: no program finds it that tries all it may have. So the limit is raised for
 * a moment, by one thread at a time. The kernel's table of descriptors grows with the highest number, and forks copy
 * it: not where the limit is large. Negative: not to be had. */
static long beyond_limit(long fd)
{
    struct limits own = {0}, more;
    long moved = -1;
    if (__atomic_exchange_n(&raised, 1, __ATOMIC_ACQUIRE))
        return -1;
    if (!sys_failed(sys6(SYS_prlimit64, 0, OPEN_FILES, 0, (long)&own, 0, 0)) &&
        own.soft <= LIMIT_MAX) {
        uint64_t from = own.soft > DESCRIPTOR_MIN ? own.soft : DESCRIPTOR_MIN;
        more.soft = from + ROOM;
        more.hard = own.hard > more.soft ? own.hard : more.soft;
        if (!sys_failed(sys6(SYS_prlimit64, 0, OPEN_FILES, (long)&more, 0, 0, 0))) {
            moved = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (long)from);
            sys6(SYS_prlimit64, 0, OPEN_FILES, (long)&own, 0, 0, 0);
        }
    }
    __atomic_store_n(&raised, 0, __ATOMIC_RELEASE);
    return moved;
}

static long copy_high(long fd)
{
    long copy = beyond_limit(fd);
    for (long want = HIGH; sys_failed(copy) && want >= DESCRIPTOR_MIN; want -= 100)
        copy = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, want);
    return copy;
}

long descriptor_move(long fd, uint64_t identity)
{
    long copy = identity ? copy_high(fd) : -1;
    if (sys_failed(copy))
        return -1;
    if (descriptor_identity(copy) != identity) { /* a copy of what the program has put there */
        sys3(SYS_close, copy, 0, 0);
        return -1;
    }
    descriptor_close(fd, identity);
    return copy;
}
