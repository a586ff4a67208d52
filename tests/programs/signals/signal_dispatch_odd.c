/* Odd ways to have system calls dispatched to oneself, beside a thread that has traps and faults of
 * its own: no byte that lets calls through, another %fs, a byte that is gone, many threads at once,
 * children, and what kills. */
int alone(void);
#define main alone
#include "signal_dispatch.c"
#undef main

#include <asm/prctl.h>
#include <link.h>
#include <string.h>
#include <sys/wait.h>

enum { THREADS = 20 };
static volatile char *byte; /* of what does not use `selector` */
static struct {
    unsigned long start, bytes;
} libc;
static volatile int over;
static pthread_barrier_t together;

static int libc_find(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    (void)bytes;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        unsigned long start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD ||
            (unsigned long)getppid - start >= info->dlpi_phdr[i].p_memsz)
            continue;
        libc.start = start;
        libc.bytes = info->dlpi_phdr[i].p_memsz;
    }
    return 0;
}

static void trap_and_fault(void)
{
    __asm__ volatile("int3");
    __asm__ volatile("movb $0,(%0)" : : "a"(nowhere) : "memory");
}

static void *beside(void *unused)
{
    for (unsigned long x = 5; !over; x = toil(x))
        trap_and_fault();
    if (trapped != faulted || dispatched)
        printf("beside: %ld trapped, %ld faulted, %ld dispatched\n", trapped, faulted, dispatched);
    return unused;
}

static void told(const char *what, long wrong)
{
    printf("%s: %ld dispatched, %ld trapped, %ld faulted, %ld wrong\n", what, dispatched, trapped,
           faulted, wrong);
    fflush(stdout);
    dispatched = trapped = faulted = 0;
}

/* Only libc calls the kernel. */
static void without_byte(void)
{
    long wrong = prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, 0);
    for (int i = 0; i < 20; i++) {
        wrong += getppid_raw() != ANSWER;
        trap_and_fault();
        wrong += getppid() == ANSWER;
    }
    wrong += prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
    wrong += getppid_raw() != getppid();
    told("no byte", wrong);
}

static long fs_change(unsigned long fs)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(fs)
                     : "rcx", "r11", "memory");
    return result;
}

/* A copy of the thread's block, as its %fs. */
static void with_other_fs(void)
{
    enum { HALF = 4096 };
    static char copy[2 * HALF] __attribute__((aligned(64)));
    unsigned long fs = (unsigned long)pthread_self(), other = (unsigned long)copy + HALF;
    long wrong = prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, byte);
    memcpy(copy, (char *)fs - HALF, HALF + 1024);
    memcpy(copy + HALF, &other, 8);
    memcpy(copy + HALF + 16, &other, 8);
    *byte = 0;
    fs_change(other);
    for (int i = 0; i < 20; i++) {
        *byte = 1;
        wrong += getppid_raw() != ANSWER;
        trap_and_fault();
    }
    *byte = 0;
    long seen = dispatched * 10000 + trapped * 100 + faulted;
    fs_change(fs);
    wrong += prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
    printf("other %%fs: %ld seen\n", seen);
    told("other %fs", wrong);
}

static void without_page(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long wrong = prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, page);
    *page = 1;
    wrong += getppid_raw() != ANSWER;
    prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
    munmap(page, 4096);
    trap_and_fault();
    wrong += getppid_raw() != getppid();
    told("a byte that is gone", wrong);
}

static void *one_of_many(void *closure)
{
    long wrong = prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, &selector);
    pthread_barrier_wait(&together);
    for (int i = 0; i < 20; i++) {
        selector = 1;
        wrong += getppid_raw() != ANSWER;
        selector = 1;
        trap_and_fault();
        selector = 0;
    }
    pthread_barrier_wait(&together);
    *(long *)closure = wrong + (dispatched != 20) + (trapped != 20) + (faulted != 20);
    return NULL;
}

static void many(void)
{
    pthread_t threads[THREADS];
    long wrong[THREADS], all = 0;
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, one_of_many, &wrong[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all += wrong[i];
    }
    told("many threads", all);
}

/* It may not read the clock, which ends an exact run of it: the kernel dispatches its calls, and
 * its traps and faults come by others' handlers. */
static void *without_clock(void *unused)
{
    long wrong = prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, &selector);
    wrong += prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    for (int i = 0; i < 20; i++) {
        selector = 1;
        wrong += getppid_raw() != ANSWER;
        selector = 1;
        trap_and_fault();
        selector = 0;
    }
    wrong += prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
    trap_and_fault();
    told("no clock", wrong);
    return unused;
}

/* Children of a dispatched thread are not. */
static void child(void)
{
    int status = -1;
    *byte = 0;
    prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, byte);
    pid_t pid = fork();
    if (pid == 0) {
        *byte = 1;
        _exit(getppid_raw() == ANSWER ? 1 : 7);
    }
    waitpid(pid, &status, 0);
    *byte = 1;
    long wrong = getppid_raw() != ANSWER;
    prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
    printf("child: status %x\n", (unsigned)status);
    told("with a child", wrong);
}

static void blocked(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static void ignored(void)
{
    signal(SIGSYS, SIG_IGN);
}

static void unmapped(void)
{
    munmap((void *)(unsigned long)byte, 4096);
}

static void neither(void)
{
    *byte = 2;
}

static void dies(const char *what, void (*prepare)(void))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, libc.start, libc.bytes, byte);
        *byte = 1;
        prepare();
        _exit(getppid_raw() == ANSWER ? 1 : 2);
    }
    waitpid(pid, &status, 0);
    printf("%s: status %x\n", what, (unsigned)status);
}

static void refused(const char *what, long mode, long start, long bytes, long at)
{
    long result = prctl(PR_SET_SYSCALL_USER_DISPATCH, mode, start, bytes, at);
    printf("%s: %ld, %d\n", what, result, result ? errno : 0);
}

int main(void)
{
    pthread_t thread;
    dl_iterate_phdr(libc_find, NULL);
    byte = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSYS, &(struct sigaction){.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO}, NULL);
    sigaction(SIGTRAP, &(struct sigaction){.sa_handler = on_trap}, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, NULL);
    nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    refused("a mode", 9, 0, 0, 0);
    refused("off, and more", 0, 4096, 4096, 0);
    refused("a range", 1, -4096, 8192, 0);
    refused("a byte of the kernel", 1, 0, 0, -8);
    pthread_create(&thread, NULL, beside, NULL);
    without_byte();
    with_other_fs();
    without_page();
    many();
    pthread_t other;
    pthread_create(&other, NULL, without_clock, NULL);
    pthread_join(other, NULL);
    child();
    over = 1;
    pthread_join(thread, NULL);
    without_byte();
    dies("blocked", blocked);
    dies("ignored", ignored);
    dies("neither", neither);
    dies("unmapped", unmapped);
    return 0;
}
