/* Alternate stacks that have just room enough: a frame and a few hundred bytes, 8 KiB, none for a
 * frame at all. What handlers there see of their stack, and the memory below it, must not depend on
 * who is watching. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

enum { TICKS = 100, PAGE = 4096, PATTERN = 0x5a, HANDLER_BYTES = 1024 };

static volatile uint64_t sum;
static volatile int ticks, wrong_sp, wrong_stack, wrong_query, wrong_refusal, frame_bytes;
static stack_t given;

static void toil(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 5 + 1;
}

static int inside(const void *at)
{
    return (uintptr_t)at - (uintptr_t)given.ss_sp < given.ss_size;
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    stack_t now = {0}, none = {.ss_flags = SS_DISABLE};
    (void)signal;
    toil(100000);
    frame_bytes = (int)((char *)given.ss_sp + given.ss_size - (char *)context);
    wrong_sp +=
        !inside(&now) || !inside(info) || !inside(context) || !inside(uc->uc_mcontext.fpregs);
    wrong_stack += uc->uc_stack.ss_sp != given.ss_sp || uc->uc_stack.ss_size != given.ss_size ||
                   uc->uc_stack.ss_flags != 0;
    sigaltstack(NULL, &now);
    wrong_query +=
        now.ss_sp != given.ss_sp || now.ss_size != given.ss_size || now.ss_flags != SS_ONSTACK;
    wrong_refusal += sigaltstack(&none, NULL) == 0 || errno != EPERM;
    ticks++;
}

static void tick_every(int us)
{
    struct itimerval timer = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Handlers run at the very end of a mapping, with a page below that nobody may touch. */
static void try(size_t bytes, const char *what)
{
    size_t whole = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    char *at = mmap(NULL, PAGE + whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(at + PAGE, PATTERN, whole);
    mprotect(at, PAGE, PROT_NONE);
    given = (stack_t){.ss_sp = at + PAGE + whole - bytes, .ss_size = bytes};
    int set = sigaltstack(&given, NULL), dirty = 0;
    ticks = wrong_sp = wrong_stack = wrong_query = wrong_refusal = 0;
    tick_every(400);
    while (ticks < TICKS)
        toil(1000);
    tick_every(0);
    for (char *c = at + PAGE; c < (char *)given.ss_sp; c++)
        dirty += *c != PATTERN;
    printf("%s: %d, dirty %d, wrong %d %d %d %d\n", what, set, dirty, wrong_sp, wrong_stack,
           wrong_query, wrong_refusal);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(at, PAGE + whole);
}

/* Too small for any signal: none comes. */
static void none_comes(void)
{
    static char least[2048];
    stack_t now;
    clock_t until = clock() + CLOCKS_PER_SEC / 10;
    int set = sigaltstack(&(stack_t){.ss_sp = least, .ss_size = sizeof least}, NULL), dirty = 0;
    while (clock() < until)
        toil(10000);
    for (size_t i = 0; i < sizeof least; i++)
        dirty += least[i] != 0;
    sigaltstack(NULL, &now);
    printf("least: %d, dirty %d, %s\n", set, dirty, now.ss_sp == least ? "kept" : "lost");
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGALRM, &action, NULL);
    try(64 << 10, "roomy");
    size_t frame = (size_t)frame_bytes;
    try(frame + HANDLER_BYTES, "a frame");
    if (frame + HANDLER_BYTES <= 8192)
        try(8192, "classical");
    try(getauxval(AT_MINSIGSTKSZ) + HANDLER_BYTES, "least of the kernel");
    none_comes();
    return 0;
}
