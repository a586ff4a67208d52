/* A handler is the first to call functions that may be called in handlers: nothing else must be
 * called by them, dlsym say, which frees memory here. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

void __libc_free(void *memory);
static volatile sig_atomic_t inside, unsafe;

void free(void *memory)
{
    unsafe += inside;
    __libc_free(memory);
}

static void on_signal(int number)
{
    struct sigaction action;
    stack_t stack;
    sigset_t set;
    (void)number;
    inside = 1;
    sigprocmask(SIG_BLOCK, NULL, &set);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    sigpending(&set);
    sigaltstack(NULL, &stack);
    sigaction(SIGUSR2, NULL, &action);
    inside = 0;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    dlsym(RTLD_DEFAULT, "no such function"); /* the next dlsym frees what is said about it */
    raise(SIGUSR1);
    printf("%d unsafe calls\n", (int)unsafe);
    return 0;
}
