#include "agent/base/descriptor.h"

#include "agent/base/process.h"
#include "walk/base/sys.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum {
    HIGH = 1000,
    OPEN_FILES = 7, /* RLIMIT_NOFILE */
    LIMIT_MAX = 16384,
    ROOM = 65,    /* numbers beyond the limit */
    YIELDS = 100, /* before a thread that waits sleeps between two looks */
    SHORT_MAX = YIELDS,
    LONG_MAX = YIELDS + 50,
    PROGRAM_MAX = YIELDS + 2000, /* 0.2 s: the holder may have lost its CPU, to others before it */
    PROGRAM_TOTAL_MAX = 10 * PROGRAM_MAX,
    REST_NS = 50000,
};

/* ---- who is at work */

/* Both only grow; `begun - ended` threads hold a low number. */
static uint32_t begun, ended;
/* Of those, the ones that never end: they belonged to a process that shared our memory and was
 * killed. */
static uint32_t lost;
static uint32_t program; /* threads in a dup2 or fork of the program's */
static long program_tid; /* the last of them to begin */
/* A thread of the program's waits to begin one. Each look of the waiting thread sets it again, so
 * it may be cleared by whoever has respected it long enough: a signal handler may have left the
 * wait with longjmp. */
static uint32_t program_waits;
static uint32_t raised; /* a thread has raised the limit of open files */

/* Between two looks. Threads of higher priority must sleep, or the one they wait for may never run.
 */
static void rest(uint32_t look)
{
    const struct timespec pause = {.tv_nsec = REST_NS};
    if (look < YIELDS)
        sys3(SYS_sched_yield, 0, 0, 0);
    else
        sys3(SYS_nanosleep, (long)&pause, 0, 0);
}

/* Without this, a dup2 would never find a moment with no low number of ours where threads begin and
 * end all the time. */
static bool step_back(uint32_t looks_max)
{
    for (uint32_t i = 0; i < looks_max; i++) {
        if (!__atomic_load_n(&program_waits, __ATOMIC_RELAXED))
            return true;
        rest(i);
    }
    __atomic_store_n(&program_waits, 0, __ATOMIC_RELAXED);
    return false;
}

/* In exact runs the agent opens files inside a fork of this thread. */
static bool program_is_ours(void)
{
    return __atomic_load_n(&program, __ATOMIC_SEQ_CST) == 1 &&
           __atomic_load_n(&program_tid, __ATOMIC_RELAXED) == sys3(SYS_gettid, 0, 0, 0);
}

/* Each side announces itself before it looks for the other. The program's side withdraws if it
 * finds us, so we go first, once the threads are through that are in the middle of a dup2. One of
 * these may be this thread itself, interrupted between its announcement and its name: hence the
 * bounds. */
static bool low_begin(uint32_t looks_max)
{
    bool free = step_back(looks_max);
    __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < looks_max; i++) {
        if (!__atomic_load_n(&program, __ATOMIC_SEQ_CST) || program_is_ours())
            return free;
        rest(i);
    }
    return false;
}

bool descriptor_low_begin(void)
{
    return low_begin(SHORT_MAX);
}

void descriptor_low_end(void)
{
    uint32_t now = __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
    if (now == __atomic_load_n(&begun, __ATOMIC_SEQ_CST))
        __atomic_store_n(&lost, 0, __ATOMIC_RELAXED); /* they did end */
}

/* True: none of our threads holds a low number, and until `program` is lowered none begins to. */
static bool program_enter(void)
{
    __atomic_fetch_add(&program, 1, __ATOMIC_SEQ_CST);
    uint32_t before = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
    uint32_t held = __atomic_load_n(&begun, __ATOMIC_SEQ_CST) - before;
    if (held <= __atomic_load_n(&lost, __ATOMIC_RELAXED))
        return true;
    __atomic_fetch_sub(&program, 1, __ATOMIC_SEQ_CST);
    return false;
}

void descriptor_program_begin(void)
{
    uint32_t last = __atomic_load_n(&ended, __ATOMIC_RELAXED);
    bool waited = false;
    for (uint32_t look = 0, total = 0; !program_enter(); look++, total++, waited = true) {
        __atomic_store_n(&program_waits, 1, __ATOMIC_RELAXED);
        rest(look);
        uint32_t now = __atomic_load_n(&ended, __ATOMIC_RELAXED);
        if (now != last)
            look = 0;
        else if (look >= PROGRAM_MAX)
            __atomic_store_n(&lost, __atomic_load_n(&begun, __ATOMIC_RELAXED) - now,
                             __ATOMIC_RELAXED);
        last = now;
        if (total >= PROGRAM_TOTAL_MAX) {
            __atomic_fetch_add(&program, 1, __ATOMIC_SEQ_CST);
            break;
        }
    }
    __atomic_store_n(&program_tid, sys3(SYS_gettid, 0, 0, 0), __ATOMIC_RELAXED);
    if (waited)
        __atomic_store_n(&program_waits, 0, __ATOMIC_RELAXED);
}

void descriptor_program_end(void)
{
    __atomic_fetch_sub(&program, 1, __ATOMIC_RELEASE);
}

void descriptor_program_forked(void)
{
    begun = ended = lost = program = program_waits = raised = 0;
}

/* ---- files that are open for a moment */

long descriptor_open(int folder, const char *path, int flags)
{
    low_begin(LONG_MAX);
    long fd = sys6(SYS_openat, folder, (long)path, flags | O_CLOEXEC, 0, 0, 0);
    if (sys_failed(fd))
        descriptor_low_end();
    return fd;
}

long descriptor_copy(int of)
{
    low_begin(LONG_MAX);
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

/* A number at or above the soft limit: no program finds it that tries all it may have. So the limit
 * is raised for a moment, by one thread at a time. The kernel's table of descriptors grows with the
 * highest number, and forks copy it: not where the limit is large. Negative: not to be had. */
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
