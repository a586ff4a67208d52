/* mlockall of all that is and will be: nothing may suddenly be paged in that the program did not
 * map. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 30000000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

int main(void)
{
    int locked = mlockall(MCL_CURRENT | MCL_FUTURE);
    printf("%s\n", locked == 0 ? "locked" : strerror(errno));
    uint64_t sum = toil(1);
    char *more = malloc(1 << 20);
    memset(more, 1, 1 << 20);
    sum = toil(sum + (uint64_t)more[77]);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%lx, %s\n", sum, usage.ru_maxrss < 200 << 10 ? "small" : "large");
    munlockall();
    return 0;
}
