/* Handlers on small alternate stacks. alternate ROOM [disarm|thread|odd]: ROOM bytes beyond what the kernel asks for;
 * 0 is the classical 8,192 bytes, or as little more as this machine needs. A page that faults lies below the stack. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

enum { HANDLED = 150 };
static volatile int handled;
static volatile uint64_t sum;
static const char *how = "";
static size_t room;

static void handler(int number)
{
    volatile char local[200];
    for (int i = 0; i < 200; i++)
        local[i] = (char)(i * number);
    for (int i = 0; i < 100000; i++)
        sum = sum * 3 + (uint64_t)local[i % 200];
    handled++;
}

static void *run(void *unused)
{
    (void)unused;
    size_t least = getauxval(AT_MINSIGSTKSZ), page = 4096;
    size_t size = room ? least + room : least + 1024 > 8192 ? least + 1024 : 8192;
    size_t whole = (size + page - 1) / page * page;
    char *at = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at, page, PROT_NONE);
    memset(at + page, 0x5a, whole);
    stack_t stack = { .ss_sp = at + page + (whole - size), .ss_size = size };
    if (!strcmp(how, "odd")) { /* neither end is aligned */
        stack.ss_sp = (char *)stack.ss_sp + 3;
        stack.ss_size -= 10;
    }
    if (!strcmp(how, "disarm"))
        stack.ss_flags = (int)SS_AUTODISARM;
    if (sigaltstack(&stack, NULL))
        return "sigaltstack failed";
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
    setitimer(ITIMER_REAL, &timer, NULL);
    uint64_t other = 1;
    while (handled < HANDLED)
        for (int i = 0; i < 1000; i++)
            other = other * 5 + 1;
    timer = (struct itimerval){ 0 };
    setitimer(ITIMER_REAL, &timer, NULL);
    stack_t now;
    sigaltstack(NULL, &now);
    return now.ss_sp == stack.ss_sp && now.ss_size == stack.ss_size ? "as set" : "changed";
}

int main(int argc, char **argv)
{
    room = argc > 1 ? strtoul(argv[1], NULL, 0) : 2048;
    how = argc > 2 ? argv[2] : "";
    void *said = NULL;
    if (!strcmp(how, "thread")) {
        pthread_t thread;
        sigset_t alarm;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        pthread_create(&thread, NULL, run, NULL);
        pthread_sigmask(SIG_BLOCK, &alarm, NULL);
        pthread_join(thread, &said);
    } else {
        said = run(NULL);
    }
    printf("%s stack %s\n", how, (char *)said);
    return 0;
}
