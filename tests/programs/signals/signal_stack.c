/* Alternate stacks: of the main thread and of others, overflows caught on them, SS_AUTODISARM, and
 * handlers that look where they stand. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif
enum { BYTES = 64 << 10 };

static _Thread_local char *alternate;
static _Thread_local sigjmp_buf back;
static _Thread_local volatile int on_it, flags_seen;

static void on_signal(int signal)
{
    volatile char here = 0;
    stack_t now;
    sigaltstack(NULL, &now);
    on_it = &here >= alternate && &here < alternate + BYTES;
    flags_seen = now.ss_flags;
    if (signal == SIGSEGV)
        siglongjmp(back, 1);
}

__attribute__((noinline)) static int dive(volatile char *from)
{
    volatile char here[1024];
    here[0] = *from;
    return dive(here) + here[0];
}

static void set_stack(unsigned flags)
{
    stack_t stack = {.ss_sp = alternate, .ss_size = BYTES, .ss_flags = (int)flags};
    if (sigaltstack(&stack, NULL))
        abort();
}

static void look(const char *who)
{
    alternate = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    set_stack(0);
    raise(SIGUSR1);
    printf("%s: SIGUSR1 %s, flags %d\n", who, on_it ? "on it" : "not on it", flags_seen);
    raise(SIGUSR2);
    printf("%s: SIGUSR2 %s, flags %d\n", who, on_it ? "on it" : "not on it", flags_seen);
    set_stack(SS_AUTODISARM);
    raise(SIGUSR1);
    printf("%s: disarmed %s, flags %d\n", who, on_it ? "on it" : "not on it", flags_seen);
    set_stack(0);
    volatile int overflows = 0;
    for (volatile int i = 0; i < 20; i++)
        if (sigsetjmp(back, 1) == 0)
            dive(alternate);
        else
            overflows += on_it;
    stack_t now;
    sigaltstack(NULL, &now);
    printf("%s: %d overflows, stack %s, flags %d\n", who, overflows,
           now.ss_sp == alternate && now.ss_size == BYTES ? "kept" : "lost", now.ss_flags);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(alternate, BYTES);
}

static void *run(void *name)
{
    look(name);
    stack_t now;
    sigaltstack(NULL, &now);
    printf("%s: at the end %d\n", (char *)name, now.ss_flags);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    signal(SIGUSR2, on_signal);
    look("main");
    static char *names[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        pthread_t id;
        pthread_create(&id, NULL, run, names[i]);
        pthread_join(id, NULL);
    }
    return 0;
}
