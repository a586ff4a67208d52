/* Four functions that do the same, one behind the other, and a system call: none runs more
 * instructions than the others, nor, as they are aligned alike, longer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <signal.h>
#include <sys/select.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long word;

#define PART(name)                                                                                 \
    __attribute__((noinline, aligned(256))) static void name(int n)                                \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            word = word * 3 + (unsigned long)i;                                                    \
    }
PART(first)
PART(second)
PART(third)
PART(fourth)

static char buffer[4096];
static int file, ends[2];

/* What a call does that a sampled walk makes itself: ask, the same with a handler for SIGSYS, read,
 * write to a pipe; and what it leaves to the program: open, sleep, wait. */
static void call(int kind)
{
    switch (kind) {
    case 'a':
    case 'h': syscall(SYS_getppid); break;
    case 'r':
        if (pread(file, buffer, 64, 0) < 0)
            abort();
        break;
    case 'p':
        if (write(ends[1], buffer, 64) < 0 || read(ends[0], buffer, 64) < 0)
            abort();
        break;
    case 'o': close(open("/dev/null", O_RDONLY)); break;
    case 's': nanosleep(&(struct timespec){.tv_nsec = 1}, NULL); break;
    default: select(0, NULL, NULL, NULL, &(struct timeval){.tv_usec = 1});
    }
}

static void on_sys(int number)
{
    (void)number;
    abort();
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    long rounds = argc > 2 ? atol(argv[2]) : 100000;
    int kind = argc > 3 ? argv[3][0] : 'a';
    file = open(argv[0], O_RDONLY);
    if (file < 0 || pipe(ends) < 0)
        return 1;
    if (kind == 'h')
        signal(SIGSYS, on_sys);
    for (long i = 0; i < rounds; i++) {
        first(n);
        second(n);
        third(n);
        fourth(n);
        call(kind);
    }
    return 0;
}
