/* Four functions that do the same, one behind the other, and a system call: none runs more
 * instructions than the others. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned long word;

#define PART(name)                                                                                 \
    __attribute__((noinline)) static void name(int n)                                              \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            word = word * 3 + (unsigned long)i;                                                    \
    }
PART(first)
PART(second)
PART(third)
PART(fourth)

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    long rounds = argc > 2 ? atol(argv[2]) : 100000;
    for (long i = 0; i < rounds; i++) {
        first(n);
        second(n);
        third(n);
        fourth(n);
        syscall(SYS_getppid);
    }
    return 0;
}
