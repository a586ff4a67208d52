/* System calls by other doors: int 0x80, the vsyscall page, the vDSO, and raw ones whose clobbered
 * registers are looked at. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static void on_fault(int signal)
{
    siglongjmp(back, signal);
}

static void by_interrupt(void)
{
    long pid;
    if (sigsetjmp(back, 1) == 0) {
        __asm__ volatile("int $0x80" : "=a"(pid) : "0"(20L) : "memory", "r8", "r9", "r10", "r11");
        printf("int 0x80: %s\n", pid == getpid() ? "the same process" : "another");
    } else
        puts("int 0x80: not here");
}

static void by_vsyscall(void)
{
    if (sigsetjmp(back, 1) == 0) {
        long (*get_time)(long *) = (long (*)(long *))0xffffffffff600400;
        long then = get_time(NULL), now = time(NULL);
        printf("vsyscall: %s\n", now - then < 5 ? "now" : "then");
    } else
        puts("vsyscall: not here");
}

static void registers(void)
{
    uint64_t rcx = 1, r11 = 2, rax, wrong = 0;
    for (int i = 0; i < 20000; i++) {
        uint64_t next;
        __asm__ volatile("mov $0x5555,%%ecx\n mov $0x6666,%%r11d\n stc\n lea 1f(%%rip),%3\n "
                         "syscall\n1: mov %%rcx,%0\n mov %%r11,%1"
                         : "=&r"(rcx), "=&r"(r11), "=a"(rax), "=&r"(next)
                         : "2"((uint64_t)SYS_getppid)
                         : "rcx", "r11", "memory", "cc");
        wrong += rcx != next || !(r11 & 1) || !(r11 & 0x200) || (int)rax <= 0;
    }
    printf("registers: %lu wrong\n", wrong);
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    registers();
    by_interrupt();
    by_vsyscall();
    struct timespec last = {0, 0}, now;
    unsigned wrong = 0;
    for (int i = 0; i < 300000; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        wrong +=
            now.tv_sec < last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec < last.tv_nsec);
        last = now;
    }
    printf("clock: %u times backwards\n", wrong);
    return 0;
}
