/* For whom and with which signals code runs, planted; and pages of memory. `plain` runs as it
 * began; `held` with USR1 and TERM blocked; `waiting` with USR2 blocked and sent; `handled` in the
 * handler of USR2; `other` as user 65534, if the program may. `first_view` and `second_view` read
 * one page at two addresses; `elsewhere` another. With an argument, so many rounds; prints whether
 * it may change its user, and the physical pages of the two, 0 if it may not know them. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORK = 2000, OTHER_USER = 65534, PAGE = 4096 };

static volatile uint64_t sink;
static volatile uint64_t *first, *second, *third;

static inline uint64_t work(uint64_t x, uint64_t odd)
{
    for (int i = 0; i < WORK; i++)
        x = x * 6364136223846793005u + odd;
    return x;
}

/* Each with a number of its own: code that is the same would become one function. */
#define MOOD(name, odd)                                                                            \
    __attribute__((noinline)) static void name(void)                                               \
    {                                                                                              \
        sink = work(sink, odd);                                                                    \
    }
MOOD(plain, 1)
MOOD(held, 3)
MOOD(waiting, 5)
MOOD(handled, 7)
MOOD(other, 9)

#define VIEW(name, page, odd)                                                                      \
    __attribute__((noinline)) static void name(void)                                               \
    {                                                                                              \
        uint64_t sum = odd;                                                                        \
        for (int i = 0; i < PAGE / 8; i++)                                                         \
            sum += (page)[i];                                                                      \
        sink = sum;                                                                                \
    }
VIEW(first_view, first, 11)
VIEW(second_view, second, 13)
VIEW(elsewhere, third, 15)

static void on_signal(int signal)
{
    (void)signal;
    handled();
}

static void block(int how, int one, int two)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, one);
    if (two)
        sigaddset(&set, two);
    sigprocmask(how, &set, NULL);
}

static void round_of(int may)
{
    plain();
    block(SIG_BLOCK, SIGUSR1, SIGTERM);
    held();
    block(SIG_UNBLOCK, SIGUSR1, SIGTERM);
    block(SIG_BLOCK, SIGUSR2, 0);
    raise(SIGUSR2);
    waiting();
    block(SIG_UNBLOCK, SIGUSR2, 0);
    if (may && seteuid(OTHER_USER) == 0) {
        other();
        if (seteuid(0) != 0)
            exit(1);
    }
    first_view();
    second_view();
    elsewhere();
}

static uint64_t physical(volatile uint64_t *page)
{
    uint64_t entry = 0;
    int fd = open("/proc/self/pagemap", O_RDONLY);
    if (fd < 0 || pread(fd, &entry, 8, (off_t)((uintptr_t)page / PAGE * 8)) != 8)
        entry = 0;
    close(fd);
    return (entry & ((UINT64_C(1) << 55) - 1)) * PAGE;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 0) : 2;
    int fd = memfd_create("page", 0), may = geteuid() == 0;
    if (fd < 0 || ftruncate(fd, 2 * PAGE) != 0)
        return 1;
    first = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    second = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    third = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
    first[0] = second[1] = third[0] = 1;
    signal(SIGUSR2, on_signal);
    if (argc > 1)
        printf("%d %#lx %#lx\n", may, (unsigned long)physical(first),
               (unsigned long)physical(third));
    for (long i = 0; i < rounds; i++)
        round_of(may);
    return 0;
}
