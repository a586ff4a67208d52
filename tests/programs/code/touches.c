/* Two ways through a loop: one touches a fresh page, the other one that it has touched before. With
 * an argument, so many rounds; a quarter of them goes the first way. A function that is called in
 * between touches two fresh pages: those are not the loop's. Prints what its own loop touched. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static volatile char *fresh;
static long used;
static volatile long sink;

__attribute__((noipa)) static void callee(void)
{
    fresh[used++ * PAGE] = 1;
    fresh[used++ * PAGE] = 1;
}

__attribute__((noipa)) static long loop(long rounds)
{
    long touched = 0;
    for (long i = 0; i < rounds; i++) {
        if (i % 4 == 0) {
            fresh[used++ * PAGE] = 1;
            touched++;
        } else {
            sink += i;
        }
        if (i % 64 == 63)
            callee();
    }
    return touched;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 0) : 64;
    fresh = mmap(NULL, (size_t)(rounds + 2) * PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED || madvise((void *)fresh, (size_t)(rounds + 2) * PAGE, MADV_NOHUGEPAGE))
        return 1;
    if (argc > 1)
        printf("%ld\n", loop(rounds));
    else
        sink = loop(rounds);
    return 0;
}
