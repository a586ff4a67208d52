/* Limits that a program sets itself: address space, locked memory, stack, files, CPU time with
 * SIGXCPU. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile int told;
static void on_limit(int signal)
{
    told = signal;
}

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 4000000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void limit(int what, rlim_t value)
{
    struct rlimit now;
    getrlimit(what, &now);
    now.rlim_cur = value;
    if (setrlimit(what, &now))
        perror("setrlimit");
}

int main(void)
{
    uint64_t sum = toil(1);
    limit(RLIMIT_AS, 64 << 20);
    void *big = malloc(256 << 20);
    printf("256 MiB: %s\n", big ? "granted" : "refused");
    sum = toil(sum);
    limit(RLIMIT_AS, RLIM_INFINITY);
    limit(RLIMIT_FSIZE, 100);
    signal(SIGXFSZ, SIG_IGN);
    char text[200];
    FILE *file = tmpfile();
    memset(text, 'x', sizeof text);
    setvbuf(file, NULL, _IONBF, 0);
    size_t written = fwrite(text, 1, sizeof text, file);
    printf("file: %zu\n", written);
    limit(RLIMIT_FSIZE, RLIM_INFINITY);
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    signal(SIGXCPU, on_limit);
    limit(RLIMIT_CPU, (rlim_t)used.tv_sec); /* is over; older kernels take 0 for 1 */
    while (!told)
        sum = toil(sum) & 0;
    limit(RLIMIT_CPU, RLIM_INFINITY);
    printf("told %d\n", told == SIGXCPU);
    return 0;
}
