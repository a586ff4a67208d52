/* Seccomp: a filter put in force in the middle of a run that answers, traps or kills; for all
 * threads; and strict mode in a child. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 3000000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void on_sys(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4000 + info->si_syscall;
}

static void filter(unsigned number, unsigned answer, unsigned flags)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = 4, .filter = code};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program))
        abort();
}

/* Whatever is not on its list kills the process. */
static void only_exit(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = 4, .filter = code};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
        abort();
}

static void *in_thread(void *unused)
{
    (void)unused;
    toil(3);
    return (void *)(long)(syscall(SYS_getppid) < 0 ? errno : 0);
}

int main(void)
{
    printf("%lx\n", toil(1));
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        syscall(SYS_exit, (int)(toil(2) & 31));
    }
    int status;
    waitpid(pid, &status, 0);
    printf("strict %x\n", (unsigned)status);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if ((pid = fork()) == 0) {
        toil(2); /* long enough to be sampled before, and behind */
        only_exit();
        _exit((int)(toil(toil(toil(3))) & 31));
    }
    waitpid(pid, &status, 0);
    printf("only exit %x\n", (unsigned)status);
    filter(SYS_getppid, SECCOMP_RET_ERRNO | 77, SECCOMP_FILTER_FLAG_TSYNC);
    long result = syscall(SYS_getppid);
    printf("%lx, getppid %ld %d\n", toil(2), result, errno);
    sigaction(SIGSYS, &(struct sigaction){.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO}, NULL);
    filter(SYS_getuid, SECCOMP_RET_TRAP, 0);
    printf("getuid %d\n", (int)syscall(SYS_getuid) - (int)SYS_getuid);
    pthread_t id;
    void *answer;
    pthread_create(&id, NULL, in_thread, NULL);
    pthread_join(id, &answer);
    printf("in a thread %ld, %lx\n", (long)answer, toil(4));
    fflush(stdout);
    filter(SYS_getgid, SECCOMP_RET_KILL_PROCESS, 0);
    toil(5);
    syscall(SYS_getgid);
    return 0;
}
