/* The program's own text changed behind the loader's back: through /proc/self/mem, by a raw
 * mprotect call, and by another process that borrows its memory. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int changing(void);
__asm__(".text\n.balign 4096\nchanging: mov $1,%eax\n ret\n.balign 4096\n");

static uint64_t call_often(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < 3000000; i++)
        sum += (uint64_t)changing();
    return sum;
}

static void by_file(char value)
{
    int fd = open("/proc/self/mem", O_RDWR);
    if (pwrite(fd, &value, 1, (off_t)changing + 1) != 1)
        abort();
    close(fd);
}

static void by_raw_call(char value)
{
    char *page = (char *)((uint64_t)changing & ~UINT64_C(4095));
    syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    ((volatile char *)changing)[1] = value;
    syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
}

static int in_borrower(void *value)
{
    by_raw_call((char)(uint64_t)value);
    return 0;
}

int main(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    printf("%lu\n", call_often());
    for (char i = 2; i < 8; i += 3) {
        by_file(i);
        printf("file: %lu\n", call_often());
        by_raw_call((char)(i + 1));
        printf("raw: %lu\n", call_often());
        pid_t pid =
            clone(in_borrower, stack + sizeof stack, CLONE_VM | SIGCHLD, (void *)(uint64_t)(i + 2));
        waitpid(pid, NULL, 0);
        printf("borrower: %lu\n", call_often());
    }
    return 0;
}
