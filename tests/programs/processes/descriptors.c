/* A program that closes every descriptor there is, as daemons do, opens its own in their place, and
 * goes on. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 15000000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

int main(void)
{
    uint64_t sum = toil(1);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    int top = limit.rlim_cur > 65536 ? 65536 : (int)limit.rlim_cur;
    for (int fd = 3; fd < top; fd++)
        close(fd);
    sum = toil(sum);
    syscall(SYS_close_range, 3, ~0u, 0);
    sum = toil(sum);
    int first = open("/dev/null", O_RDWR);
    for (int fd = first + 1; fd < 200; fd++)
        if (dup(first) != fd)
            abort();
    sum = toil(sum);
    printf("first free %d, %lx\n", first, sum);
    dup2(first, top - 1);
    sum = toil(sum);
    printf("%lx\n", sum);
    return 0;
}
