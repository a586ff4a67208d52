/* Uses what gait stat counts, and prints what the kernel counted of it. tally N: N turns of a loop
 * whose branch goes either way, 1000 system calls, 20 MiB of pages, 20 naps, a thread, a child.
 * Ends with status 3. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 5120, CALLS = 1000, NAPS = 20 };

static volatile uint64_t sink;

static void *turn(void *n)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < *(uint64_t *)n; i++) {
        x = x * 6364136223846793005u + 1;
        if (x >> 63)
            sink += x;
    }
    return NULL;
}

static void touch(void)
{
    char *pages =
        mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE) != 0)
        exit(1);
    for (int i = 0; i < PAGES; i++)
        pages[(size_t)i * 4096] = 1;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    struct timespec nap = {0, 1000000};
    struct rusage own, others;
    pthread_t thread;
    for (int i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    touch();
    for (int i = 0; i < NAPS; i++)
        nanosleep(&nap, NULL);
    if (pthread_create(&thread, NULL, turn, &n) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (waitpid(child, NULL, 0) < 0)
        return 1;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    printf("%.6f %ld %ld %ld %ld %ld\n",
           (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
               (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6,
           own.ru_minflt + others.ru_minflt, own.ru_majflt + others.ru_majflt,
           own.ru_nvcsw + others.ru_nvcsw, own.ru_nivcsw + others.ru_nivcsw, own.ru_maxrss);
    return 3;
}
