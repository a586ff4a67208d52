/* A small debugger: traces a child by ptrace, sees its stops, reads and writes its registers and
 * memory. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long secret = 41;
long asks(long n);
__asm__(".text\nasks: mov %rdi,%rax\n int3\n ret\n");

static int child(void)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    long sum = 0;
    for (long i = 0; i < 20; i++)
        sum = sum * 3 + asks(i);
    raise(SIGUSR1);
    return (int)((sum + secret) & 127);
}

int main(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    unsigned stops = 0, traps = 0, users = 0;
    int status;
    while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
        int signal = WSTOPSIG(status), passed = 0;
        struct user_regs_struct regs;
        if (signal == SIGTRAP) {
            ptrace(PTRACE_GETREGS, pid, NULL, &regs);
            regs.rax = regs.rax * 2 + 1;
            ptrace(PTRACE_SETREGS, pid, NULL, &regs);
            traps++;
        } else if (signal == SIGUSR1) {
            long value = ptrace(PTRACE_PEEKDATA, pid, &secret, NULL);
            ptrace(PTRACE_POKEDATA, pid, &secret, value + 1);
            users++;
        } else
            stops++;
        ptrace(PTRACE_CONT, pid, NULL, passed);
    }
    printf("%u stops, %u traps, %u others, ended %x\n", stops, traps, users, (unsigned)status);
    return 0;
}
