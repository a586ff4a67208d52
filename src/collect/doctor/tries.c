#include "collect/doctor/tries.h"

#include "base/clock.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_PAGES = 8,
    BURN_MS =
        1000, /* of CPU time. Beside three busy processes a tick was 200 ms late once in 150 */
    PERIOD_NS = 1000000,
    STACK_BYTES = 4096,
};
/* Registers as they are numbered in asm/perf_regs.h: ax bx cx dx si di bp sp ip, r8 to r15. */
#define USER_REGISTERS UINT64_C(0xFF01FF)

static int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr clock_of_user(void)
{
    return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(struct perf_event_attr),
                                    .config = PERF_COUNT_SW_CPU_CLOCK,
                                    .sample_period = PERIOD_NS,
                                    .sample_type = PERF_SAMPLE_IP,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
}

static uint64_t cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static volatile sig_atomic_t signalled;

static void note_signal(int number)
{
    (void)number;
    signalled = 1;
}

/* Works until the signal came, or it is clear that it will not. */
static bool burn_until_signal(void)
{
    uint64_t end = cpu_ns() + BURN_MS * UINT64_C(1000000);
    while (!signalled && cpu_ns() < end)
        ;
    return signalled;
}

/* ---- system calls */

static int try_memfd(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    AUTO(fd_close) int fd = (int)syscall(SYS_memfd_create, "gait", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, 1 << 20) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
        return errno;
    return 0;
}

static int try_ptrace(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a filter may kill whoever calls ptrace */
        while (getppid() == parent)
            pause();
        _exit(0);
    }
    if (pid < 0)
        return errno;
    int why = ptrace(PTRACE_SEIZE, pid, 0, 0) ? errno : 0;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    return why;
}

/* ---- clocks */

static int try_perf(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    attr.sample_period = 0;
    attr.sample_type = 0;
    AUTO(fd_close) int fd = perf_open(&attr, 0, -1);
    return fd < 0 ? errno : 0;
}

static int try_sigtrap(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.sample_type = 0;
    attr.remove_on_exec = 1;
    attr.sigtrap = 1;
    signal(SIGTRAP, note_signal);
    AUTO(fd_close) int fd = perf_open(&attr, 0, -1);
    if (fd < 0)
        return errno;
    return burn_until_signal() ? 0 : ATTEMPT_SILENT;
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* From one tick to the next: the first round is left out, it begins between two. On a busy machine
 * a thread may get the CPU only between ticks for a while, so the median counts. */
static int try_timer(uint64_t *ret_value, const void *with)
{
    (void)with;
    enum { ROUNDS = 5 };
    timer_t timer;
    uint64_t took[ROUNDS + 1];
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    signal(SIGUSR1, note_signal);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer))
        return errno;
    for (int i = 0; i <= ROUNDS; i++) {
        struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
        uint64_t start = cpu_ns();
        signalled = 0;
        if (timer_settime(timer, 0, &soon, NULL))
            return errno;
        if (!burn_until_signal())
            return ATTEMPT_SILENT;
        took[i] = cpu_ns() - start;
    }
    qsort(took + 1, ROUNDS, sizeof *took, compare_ns);
    *ret_value = took[1 + ROUNDS / 2];
    return 0;
}

/* ---- ring buffers */

struct ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    size_t bytes, data_bytes;
};

static bool ring_map(struct ring *ring, int fd)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ring->data_bytes = RING_PAGES * page;
    ring->bytes = ring->data_bytes + page;
    ring->page = mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ring->data = (const unsigned char *)ring->page + page;
    return ring->page != MAP_FAILED;
}

/* Copies the first record of a type; its bytes, or 0. The ring has not wrapped: it is never freed.
 */
static size_t ring_find(const struct ring *ring, uint32_t type, unsigned char *to, size_t room)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    struct perf_event_header header;
    for (uint64_t at = 0; at + sizeof header <= head && head <= ring->data_bytes;
         at += header.size) {
        memcpy(&header, ring->data + at, sizeof header);
        if (header.size < sizeof header || at + header.size > head)
            return 0;
        if (header.type != type)
            continue;
        size_t bytes = header.size < room ? header.size : room;
        memcpy(to, ring->data + at, bytes);
        return bytes;
    }
    return 0;
}

static size_t burn_until_record(const struct ring *ring, uint32_t type, unsigned char *to,
                                size_t room)
{
    uint64_t end = cpu_ns() + BURN_MS * UINT64_C(1000000);
    size_t bytes = 0;
    while (!bytes && cpu_ns() < end)
        bytes = ring_find(ring, type, to, room);
    return bytes;
}

/* Opens for this process, and waits for a sample; its bytes in ret_record, its size in ret_bytes.
 */
static int sample_once(const struct perf_event_attr *attr, unsigned char *ret_record, size_t room,
                       size_t *ret_bytes)
{
    AUTO(fd_close) int fd = perf_open(attr, 0, -1);
    struct ring ring;
    if (fd < 0 || !ring_map(&ring, fd))
        return errno;
    *ret_bytes = burn_until_record(&ring, PERF_RECORD_SAMPLE, ret_record, room);
    return *ret_bytes ? 0 : ATTEMPT_SILENT;
}

static int try_samples(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    unsigned char record[64];
    size_t bytes;
    return sample_once(&attr, record, sizeof record, &bytes);
}

/* The record: header, ip, registers (abi, then each), stack (size, bytes, size that is filled). */
static int try_stacks(uint64_t *ret_value, const void *with)
{
    (void)with;
    struct perf_event_attr attr = clock_of_user();
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.sample_regs_user = USER_REGISTERS;
    attr.sample_stack_user = STACK_BYTES;
    static unsigned char record[STACK_BYTES + 512];
    size_t bytes;
    int why = sample_once(&attr, record, sizeof record, &bytes);
    if (why)
        return why;
    size_t abi_at = sizeof(struct perf_event_header) + 8;
    size_t size_at = abi_at + 8 + 8 * (size_t)__builtin_popcountll(USER_REGISTERS);
    uint64_t abi = 0, size = 0;
    if (size_at + 8 <= bytes) {
        memcpy(&abi, record + abi_at, 8);
        memcpy(&size, record + size_at, 8);
    }
    *ret_value = size;
    return abi && size ? 0 : ATTEMPT_SILENT;
}

static int try_switches(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    attr.context_switch = 1;
    attr.sample_period = 1000000000;
    AUTO(fd_close) int fd = perf_open(&attr, 0, -1);
    struct ring ring;
    unsigned char record[64];
    if (fd < 0 || !ring_map(&ring, fd))
        return errno;
    for (int i = 0; i < 10; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return ring_find(&ring, PERF_RECORD_SWITCH, record, sizeof record) ? 0 : ATTEMPT_SILENT;
}

/* ---- wider looks */

static int try_kernel(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    attr.exclude_kernel = 0;
    AUTO(fd_close) int fd = perf_open(&attr, 0, -1);
    return fd < 0 ? errno : 0;
}

static int try_other(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    AUTO(fd_close) int fd = perf_open(&attr, getppid(), -1);
    return fd < 0 ? errno : 0;
}

static int try_everything(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    struct perf_event_attr attr = clock_of_user();
    AUTO(fd_close) int fd = perf_open(&attr, -1, 0);
    return fd < 0 ? errno : 0;
}

/* ---- hardware */

static int count_hardware(uint64_t config, uint64_t *ret_value)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = config,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    AUTO(fd_close) int fd = perf_open(&attr, 0, -1);
    if (fd < 0)
        return errno;
    uint64_t end = cpu_ns() + 1000000;
    while (cpu_ns() < end)
        ;
    if (read(fd, ret_value, sizeof *ret_value) != sizeof *ret_value)
        return errno;
    return *ret_value ? 0 : ATTEMPT_SILENT;
}

static int try_cycles(uint64_t *ret_value, const void *with)
{
    (void)with;
    return count_hardware(PERF_COUNT_HW_CPU_CYCLES, ret_value);
}

static int try_instructions(uint64_t *ret_value, const void *with)
{
    (void)with;
    return count_hardware(PERF_COUNT_HW_INSTRUCTIONS, ret_value);
}

static int try_branches(uint64_t *ret_value, const void *with)
{
    (void)with;
    struct perf_event_attr attr = clock_of_user();
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    static unsigned char record[4096];
    size_t bytes, at = sizeof(struct perf_event_header);
    int why = sample_once(&attr, record, sizeof record, &bytes);
    if (why)
        return why;
    if (bytes >= at + 8)
        memcpy(ret_value, record + at, 8); /* how many branches the record holds */
    return *ret_value ? 0 : ATTEMPT_SILENT;
}

/* ---- all */

static attempt_fn *const tries[] = {
#define TRY_ROW(name, text) try_##name,
    TRIES(TRY_ROW)
#undef TRY_ROW
};

struct attempt_outcome try_run(enum try which)
{
    return attempt_run(tries[which], NULL);
}

struct wish {
    const struct perf_event_attr *attr;
    int cpu;
};

static int open_event(uint64_t *ret_value, const void *with)
{
    (void)ret_value;
    const struct wish *wish = with;
    AUTO(fd_close) int fd = perf_open(wish->attr, wish->cpu < 0 ? 0 : -1, wish->cpu);
    return fd < 0 ? errno : 0;
}

struct attempt_outcome try_event(const struct perf_event_attr *attr, int cpu)
{
    return attempt_run(open_event, &(struct wish){attr, cpu});
}
