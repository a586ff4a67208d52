/* What a program is told about its own signals: the action of each before and after it sets some,
 * the mask, what is pending, in the parent, in a child and after exec. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int signal)
{
    (void)signal;
}

static void tell(const char *when)
{
    printf("%s:", when);
    for (int s = 1; s < 65; s++) {
        struct sigaction now;
        if (s == SIGKILL || s == SIGSTOP || sigaction(s, NULL, &now))
            continue;
        const char *what = now.sa_handler == SIG_DFL   ? ""
                           : now.sa_handler == SIG_IGN ? "ignored"
                           : now.sa_handler == handler ? "handled"
                                                       : "strange";
        unsigned flags = (unsigned)now.sa_flags & ~0x04000000u;
        int masked = 0;
        for (int m = 1; m < 65; m++)
            masked += sigismember(&now.sa_mask, m) == 1;
        if (*what || flags || masked)
            printf(" %d=%s/%x/%d", s, what, flags, masked);
    }
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf(" blocked");
    for (int s = 1; s < 65; s++)
        if (sigismember(&mask, s) == 1)
            printf(" %d", s);
    puts("");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    tell(argc > 1 ? "after exec" : "at first");
    if (argc > 1)
        return 0;
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGTRAP);
    sigaddset(&some, SIGPROF);
    struct sigaction action = {
        .sa_handler = handler, .sa_mask = some, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    signal(SIGPROF, handler);
    signal(SIGILL, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    tell("set");
    sigprocmask(SIG_BLOCK, &some, NULL);
    tell("blocked");
    pid_t pid = fork();
    if (pid == 0) {
        tell("child");
        signal(SIGTRAP, SIG_IGN);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(1);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("%x\n", (unsigned)status);
    raise(SIGBUS);
    tell("after one");
    signal(SIGTRAP, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    tell("defaults");
    return 0;
}
