/* Functions that tests/ui/hostile.py gives hostile names, each with some time of its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static volatile uint64_t sink;
#line 1 "<img src=x onerror=owned=1>.c"
#define FUNCTION(name)                                                                             \
    __attribute__((noinline)) void name(uint64_t n)                                                \
    {                                                                                              \
        for (uint64_t i = 0; i < n; i++)                                                           \
            sink += i * i ^ sink >> 3;                                                             \
    }
FUNCTION(name0)
FUNCTION(name1)
FUNCTION(name2)
FUNCTION(name3)
FUNCTION(name4)
FUNCTION(name5)
FUNCTION(name6)
FUNCTION(name7)
FUNCTION(name8)
FUNCTION(name9)

int main(int argc, char **argv)
{
    static void (*const all[])(uint64_t) = {name0, name1, name2, name3, name4,
                                            name5, name6, name7, name8, name9};
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    prctl(PR_SET_NAME, "<b onload=x>");
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            all[i](n);
    return 0;
}
